"""The bounds of a query written into it, as calls of the package's macro `window_of`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

from sqlglot import exp

from dbt_kinds.analysis.batches import Bound
from dbt_kinds.analysis.catalogue import Catalogue, Relation
from dbt_kinds.analysis.edits import Edit, edited
from dbt_kinds.analysis.frames import frame_edits
from dbt_kinds.analysis.parsing import Query
from dbt_kinds.analysis.resolution import build_scope
from dbt_kinds.analysis.scopes import Scope, SelectScope, scopes_below
from dbt_kinds.analysis.units import SUNDAY_WEEK


class Reference(NamedTuple):
    """How dbt refers to a relation: a call such as `ref('events')`, and the name under which its columns are known."""

    call: str
    name: str


Refer = Callable[[Relation], Reference]


def pushed_down(query: Query, catalogue: Catalogue, bounds: Mapping[str, Bound], refer: Refer) -> str:
    """The author's text with its relations exchanged for dbt's: a bounded source for what a window reads of it, others
    for themselves; and with frames that Spark takes. All references of one source get the same bound.
    """
    scope = build_scope(query.tree, catalogue)
    return edited(query.text, [*frame_edits(query, scope), *_reference_edits(scope, bounds, refer)])


def window_of(call: str, relation: Relation, bound: Bound) -> str:
    """The macro's call, without braces; arguments behind the bounds only where they are not the default. Follows
    smelt's source-filter pushdown. Raises nothing; the relation must be a timeseries source.
    """
    series = relation.timeseries
    assert series is not None
    unit, data_type = relation.value_unit, relation.column_type(series.partition_column)
    arguments = [call, _quoted(series.partition_column)]
    arguments += [f"before={_quoted(bound.before.iso)}", f"after={_quoted(bound.after.iso)}"]
    if unit != "day":
        arguments.append(f"unit={_quoted('week' if unit == SUNDAY_WEEK else unit or 'none')}")
    if unit == SUNDAY_WEEK:
        arguments.append("week_start='sunday'")
    known_type = _macro_type(data_type) or ("timestamp" if unit in (None, "hour") else "date")
    if known_type != "date":
        arguments.append(f"data_type={_quoted(known_type)}")
    return f"dbt_kinds.window_of({', '.join(arguments)})"


def _reference_edits(scope: Scope, bounds: Mapping[str, Bound], refer: Refer) -> list[Edit]:
    edits = []
    for below in scopes_below(scope):
        if not isinstance(below, SelectScope):
            continue
        for read in below.inputs.values():
            if read.relation is None or not isinstance(read.node, exp.Table):
                continue
            reference, bound = refer(read.relation), bounds.get(read.relation.address)
            parts = [part.meta for part in read.node.parts]
            start, end = min(part["start"] for part in parts), max(part["end"] for part in parts) + 1
            leaf = read.node.parts[-1].name
            if bound is not None and bound.kind == "bounded":
                call, name = window_of(reference.call, read.relation, bound), None
            else:
                call, name = reference
            alias = "" if read.node.alias or name == leaf else f" as {leaf}"
            edits.append(Edit(start, end, f"{{{{ {call} }}}}{alias}"))
    return edits


def _macro_type(data_type: str | None) -> str | None:
    if data_type is None:
        return None
    if data_type.startswith(("varchar", "char")):
        return "string"
    return "int" if data_type in ("integer", "bigint", "long", "smallint") else data_type


def _quoted(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"

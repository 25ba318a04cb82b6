"""Writes the bounds of a query into it, as calls of the package's macro `window_of`."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

from sqlglot import exp

from dbt_kinds.analysis.batches import Bound
from dbt_kinds.analysis.catalogue import Catalogue, Relation
from dbt_kinds.analysis.edits import Edit, edited
from dbt_kinds.analysis.frames import frame_edits
from dbt_kinds.analysis.parsing import Query
from dbt_kinds.analysis.resolution import build_scope
from dbt_kinds.analysis.scopes import Scope, SelectScope, scopes_below
from dbt_kinds.analysis.units import nests
from dbt_kinds.intervals.units import SUNDAY


class Reference(NamedTuple):
    """How dbt refers to a relation: a call such as `ref('events')`, and the name under which its columns are known."""

    call: str
    name: str


Refer = Callable[[Relation], Reference]
_LAST_SEMICOLON = re.compile(r"\s*;\s*(--[^\n]*\s*)*\Z")


def as_jinja(call: str) -> str:
    """The call as written in a model."""
    return f"{{{{ {call} }}}}"


def without_semicolon(text: str) -> str:
    """A query without surrounding blank lines and without its final semicolon, whatever comment follows that."""
    return _LAST_SEMICOLON.sub("", text.strip())


def pushed_down(
    query: Query,
    catalogue: Catalogue,
    bounds: Mapping[str, Bound],
    refer: Refer,
    *,
    inlined: Mapping[str, Query] | None = None,
    written: Callable[[str], str] = as_jinja,
) -> str:
    """The author's text with its relations replaced by dbt references, through `window_of` for bounded sources, and
    with frames that Spark accepts. All references to one source get the same bound.

    Args:
        inlined: the queries, by address, of relations without a table, which are inlined so that their sources can be
            filtered for this reader.
        written: how a call is written in the text.
    """
    scope = build_scope(query.tree, catalogue)
    edits = list(frame_edits(query, scope))
    for table, relation in _relations_of(query, scope):
        parts = [part.meta for part in table.parts]
        start, end = min(part["start"] for part in parts), max(part["end"] for part in parts) + 1
        leaf, own = table.parts[-1].name, (inlined or {}).get(relation.address)
        if own is not None:
            text = pushed_down(own, catalogue, bounds, refer, inlined=inlined, written=written)
            replacement, name = f"(\n{without_semicolon(text)}\n)", None
        else:
            call, name = _call(relation, bounds, refer)
            replacement = written(call)
        alias = "" if table.alias or name == leaf else f" as {leaf}"
        edits.append(Edit(start, end, replacement + alias))
    return edited(query.text, edits)


def window_of(call: str, relation: Relation, bound: Bound) -> str:
    """The macro's call, without braces; arguments after the bounds only if they differ from the default. Follows
    smelt's source-filter pushdown. Raises nothing; the relation must be a timeseries source.
    """
    series = relation.timeseries
    assert series is not None
    unit, data_type = relation.value_unit, relation.column_type(series.partition_column)
    arguments = [call, _quoted(series.partition_column)]
    arguments += [f"before={_quoted(bound.before.iso)}", f"after={_quoted(bound.after.iso)}"]
    if unit != "day":
        arguments.append(f"unit={_quoted((unit or 'none').removesuffix(SUNDAY))}")
    if unit is not None and unit.endswith(SUNDAY):
        arguments.append("week_start='sunday'")
    known_type = _macro_type(data_type) or ("date" if unit is not None and nests("day", unit) else "timestamp")
    if known_type != "date":
        arguments.append(f"data_type={_quoted(known_type)}")
    return f"dbt_kinds.window_of({', '.join(arguments)})"


def _relations_of(query: Query, scope: Scope) -> Iterator[tuple[exp.Table, Relation]]:
    """Every relation that appears in the query's own text."""
    for below in scopes_below(scope):
        if isinstance(below, SelectScope) and query.holds(below.node):
            for read in below.inputs.values():
                if read.relation is not None and isinstance(read.node, exp.Table):
                    yield read.node, read.relation


def _call(relation: Relation, bounds: Mapping[str, Bound], refer: Refer) -> tuple[str, str | None]:
    """The replacement for a relation, and the name by which its columns are referenced; None without one."""
    reference, bound = refer(relation), bounds.get(relation.address)
    if bound is not None and bound.kind == "bounded":
        return window_of(reference.call, relation, bound), None
    return reference.call, reference.name


def _macro_type(data_type: str | None) -> str | None:
    if data_type is None:
        return None
    if data_type.startswith(("varchar", "char")):
        return "string"
    return "int" if data_type in ("integer", "bigint", "long", "smallint") else data_type


def _quoted(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"

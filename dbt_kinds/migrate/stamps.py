"""Times of runs in a model: columns that it stamps, which tell what was loaded until then, and filters by the time of
the query itself.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from sqlglot import exp

from dbt_kinds.analysis.determinism import nondeterministic_calls
from dbt_kinds.codes import MigrateCode
from dbt_kinds.errors import Left
from dbt_kinds.migrate.bounds import asks_now
from dbt_kinds.migrate.meaning import Meaning
from dbt_kinds.migrate.parameters import CLOCKS
from dbt_kinds.migrate.parents import Parents, Place
from dbt_kinds.migrate.reading import Reading
from dbt_kinds.migrate.trace import Trace
from dbt_kinds.migrate.zones import zones_in
from dbt_kinds.readers.dbt.rendering import Names

_CODE = re.compile(r"kinds_code_\d+\b")


def own_stamps(
    reading: Reading, tree: exp.Query, meanings: list[Meaning], traces: list[Trace], selects: list[exp.Select]
) -> frozenset[str]:
    """The columns of the model, in lower case, whose newest values bound filters and that hold the time of a run.

    Raises:
        Left (TimeColumnUnclear): the two times are not both in UTC.
    """
    found = set()
    for meaning, followed, select in zip(meanings, traces, selects, strict=True):
        for bound in meaning.lower:
            name = (bound.column or "").lower()
            stamp = _stamp(reading, tree, name) if name and name not in followed.outputs else None
            if stamp is None or meaning.expression is None:
                continue
            zones = zones_in(stamp)
            for place in reading.parents.lineage(meaning.expression, select, reading.names):
                zones |= zones_in(place.expression)
            if zones:
                raise Left(
                    MigrateCode.TimeColumnUnclear,
                    f"{meaning.written} and {bound.column} are times at which rows were written, of "
                    f"{', '.join(sorted(zones - {''})) or 'some zone'}; windows are in UTC: stamp both with "
                    "current_timestamp() alone, here and in the model that is read, and rebuild the two tables",
                    line=meaning.filter.line,
                )
            found.add(name)
    return frozenset(found)


def changing_values(reading: Reading, tree: exp.Query) -> tuple[str, ...]:
    """What a query selects that is another value each time a row is read: `uuid()`, the time of the run."""
    found = []
    for select in tree.find_all(exp.Select):
        for projection in select.expressions:
            found += [f"{call.name}()" for call in nondeterministic_calls(projection)]
            found += [root for root in _roots(projection, reading.names) if root == "run_started_at"]
    return tuple(dict.fromkeys(found))


def check_not_of_run(reading: Reading, meanings: list[Meaning], selects: list[exp.Select]) -> None:
    """Checks that no filter is by the time at which the query runs: no window that is over would have any row.

    Raises:
        Left (TimeColumnUnclear): one is.
    """
    for meaning, select in zip(meanings, selects, strict=True):
        if meaning.expression is not None and _is_of_run(
            Place(meaning.expression, select, reading.names), reading.parents
        ):
            raise Left(
                MigrateCode.TimeColumnUnclear,
                f"{meaning.written} is the time at which the query runs, so that a window that is over has no rows of "
                "it; take the filter out, so that a run adds everything once an interval is over, or filter by a time "
                "of the source",
                line=meaning.filter.line,
            )


def _is_of_run(start: Place, parents: Parents) -> bool:
    """Whether an expression is the time of a query: of the model's own, or of one that is run again each time."""
    waiting, seen = [start], set()
    while waiting:
        place = waiting.pop()
        if place.expression.find(exp.Column) is None and _asks_clock(place):
            return True
        for column in place.expression.find_all(exp.Column):
            # a column of a select is followed once, whatever asks for it
            key = (id(place.select), column.table.lower(), column.name.lower())
            if key in seen:
                continue
            seen.add(key)
            for origin in parents.origins(column, place.select, place.names):
                if isinstance(origin, Place) and (origin.names is place.names or parents.is_built_again(origin)):
                    waiting.append(origin)
    return False


def _asks_clock(place: Place) -> bool:
    return asks_now(place.expression) or any(root in CLOCKS for root in _roots(place.expression, place.names))


def _roots(expression: exp.Expr, names: Names) -> Iterator[str]:
    """The names with which what a template prints in an expression begins."""
    for node in expression.find_all(exp.Literal, exp.Identifier):
        yield from map(names.root, _CODE.findall(node.name))


def _stamp(reading: Reading, tree: exp.Query, name: str) -> exp.Expr | None:
    """The expression of an output column that is the time of a run; None for any other."""
    output = exp.select("*").from_(exp.Subquery(this=tree.copy(), alias="output"))
    for place in reading.parents.lineage(exp.column(name), output, reading.names):
        if place.expression.find(exp.Column) is None:
            is_now = asks_now(place.expression) or any(
                reading.names.root(literal.name) == "run_started_at"
                for literal in place.expression.find_all(exp.Literal)
            )
            return place.expression if is_now else None
    return None

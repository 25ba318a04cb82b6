"""Columns that a model stamps with the time of its own run, which tell what was loaded until then."""

from __future__ import annotations

from sqlglot import exp

from dbt_kinds.errors import TimeColumnUnclear
from dbt_kinds.migrate.bounds import asks_now
from dbt_kinds.migrate.meaning import Meaning
from dbt_kinds.migrate.reading import Reading
from dbt_kinds.migrate.trace import Trace
from dbt_kinds.migrate.zones import zones_in


def own_stamps(
    reading: Reading, tree: exp.Query, meanings: list[Meaning], traces: list[Trace], selects: list[exp.Select]
) -> frozenset[str]:
    """The columns of the model, in lower case, whose newest values bound filters and that hold the time of a run.

    Raises:
        TimeColumnUnclear: the two times are not both in UTC.
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
                raise TimeColumnUnclear(
                    f"{meaning.written} and {bound.column} are times at which rows were written, of "
                    f"{', '.join(sorted(zones)) or 'some zone'}; "
                    "windows are in UTC: write both in UTC first",
                    line=meaning.filter.line,
                )
            found.add(name)
    return frozenset(found)


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

"""The admitted vectors of the specification, made to run: tables to run them on, and a statement of each, whole and in slices."""

from __future__ import annotations

import datetime
import itertools
import random
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from types import SimpleNamespace
from typing import Any

import jinja2

from dbt_kinds.analysis.catalogue import Relation
from dbt_kinds.analysis.parsing import parse_query
from dbt_kinds.analysis.pushdown import Reference, pushed_down
from dbt_kinds.analysis.safety import Verdict
from tests.soundness.trials import WHOLE, Row, values
from tests.unit.analysing import CATALOGUE, RELATIONS, VECTORS, classified_vector
from tests.unit.macros import Macros

FIRST, DAYS = datetime.date(2024, 1, 1), 40
# every moment of these days, so that groups grow past the limits of the vectors
FULL_DAYS = 3
# around midnight, where the slices end
MINUTES = range(-120, 120, 5)
TABLES = ("ev", "ev2", "raw_utc", "users")
_macros = Macros()

Window = tuple[datetime.date, datetime.date]

# what is allowed to be random is another thing in every run
RUNNABLE = [
    vector
    for vector in VECTORS
    if vector["verdict"] == "admitted" and not vector.get("safety_overrides", {}).get("allow_nondeterministic")
]


def vector_tables(number: int) -> Iterator[tuple[str, str]]:
    """Names and queries of the tables. No two rows of a table have one time, since the vectors order by nothing else."""
    choose = random.Random(number)
    for name in TABLES:
        columns = RELATIONS[name].columns or {}
        rows = [tuple(_value(choose, column, kind, at) for column, kind in columns.items()) for at in _moments(choose)]
        yield name, values(columns, rows)


def chunkings(number: int) -> Iterator[list[Window]]:
    """Ways to cut the days into windows, the first of them by days at first and by weeks later; without end."""
    choose = random.Random(number)
    edges = [-1, 0, 1, 2, 5, 12, 26, DAYS + 1]
    while True:
        days = [FIRST + datetime.timedelta(days=edge) for edge in edges]
        yield list(itertools.pairwise(days))
        edges = [-1, *sorted(choose.sample(range(DAYS), 6)), DAYS + 1]


def vector_statement(vector: dict[str, Any], windows: Sequence[Window], *, with_bounds: bool = True) -> str:
    """One statement of the rows of the whole query and of all its slices: which slice, its day, the row as text."""
    verdict = classified_vector(vector)
    column = vector["partition_column"]
    parts = [_rows(WHOLE, column, _rendered(vector, verdict, None))]
    for at, window in enumerate(windows):
        start, end = window
        query = _rows(at, column, _rendered(vector, verdict, window, with_bounds))
        parts.append(f"{query} where {column} >= date '{start}' and {column} < date '{end}'")
    return "\nunion all\n".join(parts)


def vector_differences(windows: Sequence[Window], rows: Iterable[Row]) -> list[str]:
    """A sentence for every window whose slice is not what the whole has there. Raises where the whole has no rows."""
    found: dict[int, Counter[tuple[str, str]]] = {}
    for at, day, row in rows:
        found.setdefault(at, Counter())[day, row] += 1
    whole = found.get(WHOLE, Counter())
    assert whole, "a query without rows shows nothing"
    wrong = []
    for at, (start, end) in enumerate(windows):
        expected = Counter({key: count for key, count in whole.items() if key[0] and str(start) <= key[0] < str(end)})
        sliced = found.get(at, Counter())
        if sliced != expected:
            wrong.append(f"{start} to {end} lacks {dict(expected - sliced)} and has too much {dict(sliced - expected)}")
    return wrong


def _moments(choose: random.Random) -> list[datetime.datetime | None]:
    midnight = datetime.datetime.combine(FIRST, datetime.time())
    # a row without a time is in no slice
    moments: list[datetime.datetime | None] = [None]
    for day in range(DAYS):
        minutes = MINUTES if day < FULL_DAYS else choose.sample(MINUTES, 4)
        moments += [midnight + datetime.timedelta(days=day, minutes=minute) for minute in minutes]
    return moments


def _value(choose: random.Random, column: str, kind: str, at: datetime.datetime | None) -> Any:
    if kind in ("timestamp", "date"):
        return at.date() if at and kind == "date" else at
    # keys are common to tables, and a few users have most of a day
    number = choose.randrange(12) if column == "id" else choose.randrange(3)
    return f"text {number}" if kind == "string" else number


def _rendered(vector: dict[str, Any], verdict: Verdict, window: Window | None, with_bounds: bool = True) -> str:
    """The query as compile writes it and dbt renders it for a window, or for all time."""

    def refer(relation: Relation) -> Reference:
        return Reference(f"ref('{relation.leaf}')", relation.leaf)

    def window_of(name: str, column: str, before: str, after: str, **given: str) -> str:
        if not with_bounds:
            before = after = "PT0S"
        source = {"unit": "day", "week_start": "monday", "data_type": "date", "format": None}
        source |= {"column": column, "before": before, "after": after, **given}
        assert window is not None
        instants = [f"{day}T00:00:00" for day in window]
        low, high = (_macros.source_literal(edge, source, instants) for edge in ("source_start", "source_end"))
        return f"(select * from {name} where {column} >= {low} and {column} < {high})"

    text = pushed_down(parse_query(vector["sql"], "spark"), CATALOGUE, {} if window is None else verdict.bounds, refer)
    return jinja2.Template(text).render(ref=str, dbt_kinds=SimpleNamespace(window_of=window_of))


def _rows(at: int, column: str, query: str) -> str:
    return f"select {at} as slice, cast({column} as string) as day, to_json(struct(*)) as row from ({query})"

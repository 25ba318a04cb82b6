"""Soundness, by execution: what the classifier admits gives the same rows on slices of time as on the whole."""

from __future__ import annotations

import datetime
import functools
import os
import random
from collections import Counter
from collections.abc import Mapping
from typing import Any

import duckdb
import pytest
from hypothesis import HealthCheck, Phase, assume, event, given, settings
from hypothesis import strategies as st
from sqlglot import exp

from dbt_kinds.analysis.batches import Bound
from dbt_kinds.analysis.catalogue import Catalogue, Relation, Timeseries
from dbt_kinds.analysis.parsing import parse_query
from dbt_kinds.analysis.safety import Slicing, classify
from tests.unit.generated_queries import queries
from tests.unit.macros import Macros

EXAMPLES = int(os.environ.get("KINDS_EXAMPLES", "150"))
TYPES = {"event_ts": "timestamp", "event_date": "date", "id": "int", "v": "int"}
SERIES = Timeseries("event_date", "event_ts", "day")
CATALOGUE = Catalogue(
    {
        "ev": Relation("ev", TYPES, SERIES),
        "ev2": Relation("ev2", TYPES, SERIES),
        "users": Relation("users", {"d": "date", "id": "int", "v": "int"}),
    }
)
FIRST, DAYS = datetime.date(2024, 1, 1), 12
ROWS = 14
macros = Macros()


@pytest.fixture(scope="module")
def database() -> Any:
    with duckdb.connect() as connection:
        connection.execute("set threads to 1")
        yield connection


def fill(database: Any, seed: int) -> None:
    """Few distinct values, so that groups, ties and gaps are common; some rows have no time."""
    choose = random.Random(seed)
    for table in ("ev", "ev2"):
        database.execute(f"create or replace table {table} (event_ts timestamp, event_date date, id int, v int)")
        values = []
        for _ in range(ROWS):
            at = datetime.datetime.combine(FIRST, datetime.time()) + datetime.timedelta(
                hours=choose.choice((0, 1, 5, 12, 19, 23)), days=choose.randrange(DAYS)
            )
            time = (None, None) if choose.random() < 0.05 else (at, at.date())
            values.append(literals(*time, choose.randrange(1, 4), choose.randrange(1, 6)))
        database.execute(f"insert into {table} values {', '.join(values)}")
    database.execute("create or replace table users (d date, id int, v int)")
    days = [FIRST + datetime.timedelta(days=number) for number in range(DAYS)]
    values = [literals(day, choose.randrange(1, 5), choose.randrange(1, 6)) for day in days]
    database.execute(f"insert into users values {', '.join(values)}")


def literals(*values: Any) -> str:
    return "(" + ", ".join("null" if value is None else f"'{value}'" for value in values) + ")"


@functools.cache
def source_window(start: str, end: str, before: str, after: str) -> tuple[str, str]:
    margin = {"before": before, "after": after, "unit": "day", "week_start": "monday"}
    low, high = macros.source_window([start, end], margin)
    return low.replace("T", " "), high.replace("T", " ")


def rows(database: Any, sql: str) -> list[tuple[Any, ...]]:
    return [tuple(str(value) for value in row) for row in database.execute(sql).fetchall()]


def inside(found: list[tuple[Any, ...]], start: datetime.date, end: datetime.date) -> Counter[tuple[Any, ...]]:
    """The output filter; a row without a partition value is in no window."""
    return Counter(row for row in found if row[0] != "None" and str(start) <= row[0][:10] < str(end))


def pushed_down(tree: exp.Expr, bounds: Mapping[str, Bound]) -> str:
    """The query with every bounded source restricted as `window_of` does it, its bounds left to be filled in."""
    tree = tree.copy()
    for table in list(tree.find_all(exp.Table)):
        bound = bounds.get(table.name)
        if bound is not None and bound.kind == "bounded":
            name = table.alias_or_name
            table.set("alias", None)
            only = f"event_date >= CAST('[{table.name} low]' AS TIMESTAMP) AND event_date < CAST('[{table.name} high]' AS TIMESTAMP)"
            table.replace(exp.select("*").from_(table.copy()).where(only).subquery(name))
    return tree.sql(dialect="duckdb")


def filled(sql: str, bounds: Mapping[str, Bound], start: datetime.date, end: datetime.date) -> str:
    for name, bound in bounds.items():
        if bound.kind == "bounded":
            low, high = source_window(f"{start}T00:00:00", f"{end}T00:00:00", bound.before.iso, bound.after.iso)
            sql = sql.replace(f"[{name} low]", low).replace(f"[{name} high]", high)
    return sql


@settings(
    max_examples=EXAMPLES,
    deadline=None,
    suppress_health_check=list(HealthCheck),
    phases=(Phase.explicit, Phase.generate, Phase.target, Phase.shrink),
)
@given(sql=queries(), seed=st.integers(0, 1000), chunk=st.sampled_from((1, 2, 5)), first=st.integers(0, 4))
def test_slices_with_pushdown_add_up_to_the_whole(database: Any, sql: str, seed: int, chunk: int, first: int) -> None:
    query = parse_query(sql, "spark")
    verdict = classify(query, Slicing("d", "d", "day", overrides=frozenset(["allow_subqueries"])), CATALOGUE)
    event("admitted" if verdict.is_admitted else "refused")
    for finding in verdict.findings:
        event(finding.code)
    assume(verdict.is_admitted)
    fill(database, seed)
    whole, sliced = rows(database, query.tree.sql(dialect="duckdb")), pushed_down(query.tree, verdict.bounds)
    for offset in range(first, DAYS + 3, chunk):
        start, end = FIRST + datetime.timedelta(days=offset), FIRST + datetime.timedelta(days=offset + chunk)
        found = rows(database, filled(sliced, verdict.bounds, start, end))
        assert inside(found, start, end) == inside(whole, start, end), (start, end, verdict.bounds)

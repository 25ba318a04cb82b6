"""Soundness, by execution: what the classifier admits gives the same rows on slices of time as on the whole."""

from __future__ import annotations

import datetime
import os
import random
from collections import Counter
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
        for _ in range(ROWS):
            at = datetime.datetime.combine(FIRST, datetime.time()) + datetime.timedelta(
                hours=choose.choice((0, 1, 5, 12, 19, 23)), days=choose.randrange(DAYS)
            )
            time = (None, None) if choose.random() < 0.05 else (at, at.date())
            row = (*time, choose.randrange(1, 4), choose.randrange(1, 6))
            database.execute(f"insert into {table} values (?, ?, ?, ?)", row)
    database.execute("create or replace table users (d date, id int, v int)")
    for number in range(DAYS):
        row_ = (FIRST + datetime.timedelta(days=number), choose.randrange(1, 5), choose.randrange(1, 6))
        database.execute("insert into users values (?, ?, ?)", row_)


def rows(database: Any, tree: exp.Expr, start: datetime.date, end: datetime.date) -> Counter[tuple[Any, ...]]:
    sql = tree.sql(dialect="duckdb")
    found = database.execute(
        f"select * from ({sql}) as model where d >= date '{start}' and d < date '{end}'"
    ).fetchall()
    return Counter(tuple(str(value) for value in row) for row in found)


def pushed_down(tree: exp.Expr, bounds: dict[str, Bound], start: datetime.date, end: datetime.date) -> exp.Expr:
    """The query with every bounded source restricted as `window_of` does it."""
    tree = tree.copy()
    for table in list(tree.find_all(exp.Table)):
        bound = bounds.get(table.name)
        if bound is None or bound.kind != "bounded":
            continue
        margin = {"before": bound.before.iso, "after": bound.after.iso, "unit": "day", "week_start": "monday"}
        low, high = macros.source_window([f"{start}T00:00:00", f"{end}T00:00:00"], margin)
        name = table.alias_or_name
        table.set("alias", None)
        only = (
            f"event_date >= timestamp '{low.replace('T', ' ')}' and event_date < timestamp '{high.replace('T', ' ')}'"
        )
        table.replace(exp.select("*").from_(table.copy()).where(only, dialect="duckdb").subquery(name))
    return tree


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
    bounds = dict(verdict.bounds)
    for offset in range(first, DAYS + 3, chunk):
        start, end = FIRST + datetime.timedelta(days=offset), FIRST + datetime.timedelta(days=offset + chunk)
        whole = rows(database, query.tree, start, end)
        slice_ = rows(database, pushed_down(query.tree, bounds, start, end), start, end)
        assert slice_ == whole, (start, end, {name: (b.kind, b.before.iso, b.after.iso) for name, b in bounds.items()})

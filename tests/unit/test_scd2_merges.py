"""The SQL of a merge, run in DuckDB: random histories end up as the reference says, whether merged or written as a whole.

sqlglot translates it. That Spark understands it as meant is what tests/functional shows.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import datetime
from types import SimpleNamespace
from typing import Any

import sqlglot
from hypothesis import event, given, settings
from hypothesis import strategies as st

from dbt_kinds.simulation.databases import database_like_spark
from tests.unit.macros import Macros, node
from tests.unit.reference_scd2 import Version, broken_rules, merge
from tests.unit.reference_units import written
from tests.unit.scd2_histories import A_ROW, COLUMNS, History, histories

TYPES = {"int": "integer", "string": "varchar", "timestamp": "timestamptz"}
MANAGED = [("valid_from", "timestamp"), ("valid_to", "timestamp")]
# `describe query` of the keys, which is Spark's to check
MACROS = Macros(run_query=lambda sql: SimpleNamespace(rows=[("key", "int")]))

DATABASE = database_like_spark()


def run(spark_sql: str) -> Any:
    translated = sqlglot.transpile(
        spark_sql.replace("struct(__kinds_staged.*)", "__kinds_staged"), read="spark", write="duckdb"
    )[0]
    return DATABASE.execute(translated)


def create(table: str, columns: Sequence[tuple[str, str]], rows: Sequence[Sequence[Any]]) -> None:
    DATABASE.execute(
        f"create or replace table {table} ({', '.join(f'{name} {TYPES[kind]}' for name, kind in columns)})"
    )
    if rows:
        DATABASE.executemany(f"insert into {table} values ({', '.join('?' * len(columns))})", rows)


class Table:
    """A table whose batches the macros' SQL merges."""

    def __init__(self, history: History) -> None:
        kind = f"scd_type_2_by_{history.by}"
        self.options = MACROS.options(node(kind=kind, **history.options))
        columns = [{"name": name, "type": kind} for name, kind in COLUMNS]
        managed = [{"name": name, "type": kind} for name, kind in MANAGED]
        existing = {"columns": columns + managed, "partitioning": [], "file_format": "parquet", "is_view": False}
        self.write_spec = MACROS.history_write_spec(self.options, columns, existing, "select 1")

    def changes(self, rows: Sequence[Sequence[Any]], instant: datetime) -> str:
        """The changes of a batch, staged in the table of that name."""
        create("batch_rows", COLUMNS, rows)
        sql = MACROS.history_changes(self.options, self.write_spec, "history", "batch_rows", written(instant))
        run(f"create or replace table changes as {sql}")
        first_new = run("select min(unix_micros(__kinds_boundary)) from changes where __kinds_is_new").fetchone()[0]
        if first_new is None:
            return "changes"
        behind = MACROS.behind_closed_rows(self.options, self.write_spec, "history", "changes", first_new)
        run(f"create or replace table dated_changes as {behind}")
        return "dated_changes"


def stored(table: str) -> list[Version]:
    rows = DATABASE.execute(f"select * from {table}").fetchall()
    plain = [[value.replace(tzinfo=None) if isinstance(value, datetime) else value for value in row] for row in rows]
    return [Version(dict(zip([name for name, _ in COLUMNS], row, strict=False)), *row[-2:]) for row in plain]


def multiset(versions: Sequence[Version]) -> list[str]:
    return sorted(repr((sorted(one.values.items()), one.valid_from, one.valid_to)) for one in versions)


@settings(max_examples=settings().max_examples // 10)
@given(histories())
def test_the_sql_of_a_merge_does_what_the_reference_does(history: History) -> None:
    table, model = Table(history), history.model
    instant, rows = history.batches[0]
    expected = merge(model, [], rows, instant, first=True).history
    names = [name for name, _ in COLUMNS]
    create(
        "history",
        [*COLUMNS, *MANAGED],
        [[*(one.values[name] for name in names), one.valid_from, one.valid_to] for one in expected],
    )
    for instant, rows in history.batches[1:]:
        before = expected
        merged = merge(model, before, rows, instant, first=False)
        expected = merged.history
        assert broken_rules(model, before, expected) == []
        again = merge(model, expected, rows, instant, first=False).counts
        assert (again.inserted, again.closed, again.replaced, again.dropped) == (0, 0, 0, 0)

        changes = table.changes([[row[name] for name in names] for row in rows], instant)
        actions = dict(run(f"select __kinds_action, count(*) from {changes} group by 1").fetchall())
        counted = {"insert": merged.counts.inserted, "close": merged.counts.closed}
        counted |= {"replace": merged.counts.replaced, "drop": merged.counts.dropped, "undated": merged.counts.undated}
        assert actions == {action: count for action, count in counted.items() if count}
        for action in actions:
            event(action)

        every = {"inserted": 1, "closed": 1, "replaced": 1, "dropped": 1}
        whole = MACROS.changed_table(
            "history", table.write_spec, MACROS.changes_of_history(table.write_spec, changes, every)
        )
        run(f"create or replace table whole as {whole}")
        assert multiset(stored("whole")) == multiset(expected)
        changing = {action: count for action, count in actions.items() if action != "undated"}
        if changing:
            counts = {"inserted": 0, "closed": 0, "replaced": 0, "dropped": 0}
            named = {"insert": "inserted", "close": "closed", "replace": "replaced", "drop": "dropped"}
            counts |= {named[action]: count for action, count in changing.items()}
            to_do = MACROS.changes_of_history(table.write_spec, changes, counts)
            [statement] = MACROS.change_statements("history", table.write_spec, to_do)
            run(statement)
        assert multiset(stored("history")) == multiset(expected)


@settings(max_examples=settings().max_examples // 10)
@given(histories(), st.lists(A_ROW, max_size=6))
def test_a_batch_shows_the_rows_that_have_no_key_or_share_one(history: History, rows: list[dict[str, Any]]) -> None:
    table, model = Table(history), history.model
    names = [name for name, _ in COLUMNS]
    # open rows of all keys, so that bad ones also meet a row of the table
    stored = {model.key_of(row): row for _, batch in history.batches for row in batch}
    create(
        "history",
        [*COLUMNS, *MANAGED],
        [[*(row[name] for name in names), history.batches[0][0], None] for row in stored.values()],
    )
    batch = [row | {"updated_at": None} for row in rows]
    changes = table.changes([[row[name] for name in names] for row in batch], history.batches[-1][0])

    times = Counter(model.key_of(row) for row in batch)
    without = sum(count for key, count in times.items() if None in key and history.null_keys == "error")
    repeated = sum(
        count for key, count in times.items() if count > 1 and not (None in key and history.null_keys == "error")
    )
    actions = dict(run(f"select __kinds_action, count(*) from {changes} group by 1").fetchall())
    assert (actions.get("no_key", 0), actions.get("repeated_key", 0)) == (without, repeated)
    event(f"without a key: {without > 0}, repeated: {repeated > 0}")

"""A run of models of every kind, killed at any moment: the next plain run makes each table what its oracle says."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.functional.every_kind import KINDS, EveryKind
from tests.functional.formats import formats
from tests.functional.process import own_spark_project
from tests.functional.relay import Relay
from tests.sweep import size

# three kills a round, and each hits a run that writes a table of every kind: of files, which take several statements; in the sweep of Iceberg, too.
# By default the first load lives.
KILLS = size("KINDS_KILLS", 2, full=200)
FORMATS = formats("parquet,iceberg" if KILLS > 2 else "parquet")
ROUNDS = max(1, KILLS // 30)
RESTATED = range(1, 2)


@pytest.fixture
def relay(tmp_path: Path) -> Iterator[Relay]:
    relay = Relay(own_spark_project(tmp_path))
    yield relay
    relay.close()


@pytest.mark.sized
def test_a_killed_run_of_any_kind_is_made_good_by_the_next(relay: Relay) -> None:
    for number in range(ROUNDS):
        tables = EveryKind(relay.project, FORMATS, lambda statement: relay.call("sql", statement))
        schema = f"round_{number}"
        relay.project.use_schema(schema)

        for title, days in (("first load", range(3)), ("next days", range(3, 5))):
            relay.use_schema(schema)
            for day in days:
                tables.arrive(day)
            if KILLS > 2 or title != "first load":
                kill = relay.kill_before_a_record if number % 2 else relay.kill_a_run
                kill(title, now=tables.now())
                relay.use_schema(schema)
                relay.tally["written but not recorded"] += unrecorded(relay, tables, days)
            run_again(relay, tables)
            tables.load(days)
            check(tables, title)

        tables.correct(RESTATED.start)
        known = {table: relay.invalidations(table) for table in tables.expected}
        window = {"start": f"2024-01-{RESTATED.start + 1:02}", "end": f"2024-01-{RESTATED.stop + 1:02}"}
        relay.kill_a_run("restatement", now=tables.now(), **window, allow_full_restatement=True)
        relay.use_schema(schema)
        # what the victim had begun is done to its end, and no other table is touched
        begun = {table for table in tables.expected if relay.invalidations(table) > known[table]}
        run_again(relay, tables)
        for table in tables.expected:
            if table in begun or KINDS[table.rpartition("_")[0]].always_runs:
                tables.restate(table, RESTATED)
        check(tables, f"restatement, begun of {sorted(begun)}")
    print(f"kills, and tables whose record waited: {dict(relay.tally)}")


def unrecorded(relay: Relay, tables: EveryKind, days: range) -> int:
    """How many tables hold what a killed run should load into them, without a record of it: the next run loads that again."""
    found = 0
    for table, rows in tables.expected.items():
        loaded = sorted(KINDS[table.rpartition("_")[0]].load(rows, tables.source, days), key=repr)
        recorded = relay.call("recorded", table)
        if not recorded or recorded[-1][1] < f"2024-01-{days.stop + 1:02}":
            found += bool(relay.call("table_exists", table)) and tables.rows(table) == loaded
    return found


def run_again(relay: Relay, tables: EveryKind) -> None:
    """`dbt run`, which must succeed and leave no stage behind."""
    run = relay.call("dbt", "run", now=tables.now())
    assert run.success, run.errors
    assert relay.call("sql", "show tables in {schema} like '*__kinds_stage_*'") == []


def check(tables: EveryKind, title: str) -> None:
    for table, expected in tables.expected.items():
        assert tables.is_right(table), f"{title}: {table}: {tables.rows(table)} instead of {sorted(expected)}"

"""A run killed at any moment leaves a gap, never a false claim; the next plain run makes the table whole."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.functional.daily_rows import DailyRows, days_of, midnight
from tests.functional.formats import formats
from tests.functional.process import own_spark_project
from tests.functional.relay import Relay
from tests.sweep import size

# three kills a round, and each hits a run that writes an Iceberg and a Parquet table, or one of Delta
KILLS = size("KINDS_KILLS", None, full=200)
TABLES = {f"{name}_days": name for name in formats("iceberg,parquet")}
FIRST_DAYS, LATER_DAYS = 5, 7
RESTATED = range(1, 4)
LOOKBACK = 2


@pytest.fixture
def relay(tmp_path: Path) -> Iterator[Relay]:
    project = own_spark_project(tmp_path)
    query = "select id, ts, version from {{ target.schema }}.source_rows"
    for table, file_format in TABLES.items():
        project.kind(table, query, config=f"file_format='{file_format}'", lookback=LOOKBACK)
    relay = Relay(project)
    yield relay
    relay.close()


@pytest.mark.sweep
def test_a_killed_run_is_made_good_by_the_next(relay: Relay) -> None:
    for number in range(-(-KILLS // 3)):
        schema = f"round_{number}"
        relay.project.use_schema(schema)
        source = DailyRows(LATER_DAYS)
        use(relay, schema, source)

        relay.kill_a_run("first load", now=midnight(FIRST_DAYS), **batches(relay))
        use(relay, schema, source)
        run_again(relay, FIRST_DAYS)
        held = {table: source.copy() for table in TABLES}
        check_rows(relay, held, FIRST_DAYS)

        source.change(RESTATED)
        source.empty(relay.moment.choice(RESTATED))
        use(relay, schema, source)
        known = {table: relay.invalidations(table) for table in TABLES}
        window = {"start": midnight(RESTATED.start), "end": midnight(RESTATED.stop)}
        relay.kill_a_run("restatement", now=midnight(FIRST_DAYS), **window, **batches(relay))
        use(relay, schema, source)
        for table in TABLES:
            # what the victim had begun becomes as the source is now, and no other day is touched
            begun = days_of(relay.invalidations(table) - known[table])
            assert begun <= set(RESTATED)
            held[table].take(source, begun)
        run_again(relay, FIRST_DAYS)
        check_rows(relay, held, FIRST_DAYS)
        known = {table: relay.invalidations(table) for table in TABLES}

        due = range(FIRST_DAYS - LOOKBACK, LATER_DAYS)
        source.change(due)
        use(relay, schema, source)
        relay.kill_a_run("lookback", now=midnight(LATER_DAYS), **batches(relay))
        use(relay, schema, source)
        run_again(relay, LATER_DAYS)
        for table in TABLES:
            # a day that the victim had begun has two days before it, which are looked back upon as well
            again = days_of(relay.invalidations(table) - known[table])
            assert set(due) <= again | set(range(FIRST_DAYS, LATER_DAYS))
            held[table].take(source, again | set(due))
        check_rows(relay, held, LATER_DAYS)
    print(f"{relay.tally.total()} kills: {dict(relay.tally)}")


def use(relay: Relay, schema: str, source: DailyRows) -> None:
    """Points the process that now runs to a schema that holds the source as it is now."""
    relay.use_schema(schema)
    relay.call("sql", source.view("{schema}.source_rows"))


def batches(relay: Relay) -> dict[str, int]:
    """Batches of a day or two, or all at once."""
    return relay.moment.choice([{}, {"batch_size": 1}, {"batch_size": 2}])


def run_again(relay: Relay, days: int, **variables: Any) -> None:
    """`dbt run`, which must succeed and leave nothing to do."""
    run = relay.call("dbt", "run", now=midnight(days), **variables)
    assert run.success, run.errors
    for table in TABLES:
        assert relay.call("recorded", table) == [[midnight(0), midnight(days)]]


def check_rows(relay: Relay, held: dict[str, DailyRows], days: int) -> None:
    """Each table holds what it should of the first so many days, each row once."""
    for table in TABLES:
        rows = relay.call("sql", f"select id, version from {{schema}}.{table} order by id, version")
        assert rows == held[table].rows(days), table

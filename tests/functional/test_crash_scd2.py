"""Runs of SCD type 2 killed at any moment, run again: the history is that of runs that were not killed, which the reference tells."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.functional.dimensions import DAY, FIRST_DAY, SIX_HOURS, DailyCopies, Dimension, by_column, by_time, replayed
from tests.functional.formats import table_format
from tests.functional.process import own_spark_project
from tests.functional.relay import Relay
from tests.sweep import size
from tests.unit import reference_scd2_runs as reference

# four kills a round, and each hits a run that writes four tables
ROUNDS = max(1, size("KINDS_KILLS", None, full=100) // 4)
RESTATED_FROM = FIRST_DAY + 4 * DAY


def dimensions() -> list[Dimension]:
    return [replayed(table_format()), replayed("parquet"), by_column("parquet"), by_time(table_format())]


@pytest.fixture
def relay(tmp_path: Path) -> Iterator[Relay]:
    project = own_spark_project(tmp_path)
    for dimension in dimensions():
        dimension.write(project)
    relay = Relay(project)
    yield relay
    relay.close()


@pytest.mark.sweep
def test_a_killed_run_of_history_is_made_good_by_the_next(relay: Relay) -> None:
    for number in range(ROUNDS):
        schema = f"round_{number}"
        relay.project.use_schema(schema)
        source, tables = DailyCopies(lambda statement: relay.call("sql", statement), relay.moment), dimensions()
        for title, days in (("first load", range(3)), ("next day", range(3, 4)), ("next day", range(4, 5))):
            relay.use_schema(schema)
            for day in days:
                source.arrive(day)
            source.write()
            run = reference.Run(FIRST_DAY + days.stop * DAY + SIX_HOURS)
            relay.kill_a_run(title, now=run.execution_time.isoformat())
            relay.use_schema(schema)
            run_again(relay, run)
            for dimension in tables:
                dimension.load(source, run)
            check(relay, tables, title)

        source.arrive(4)
        source.write()
        known = {dimension.name: relay.invalidations(dimension.name) for dimension in tables}
        restating = reference.Run(run.execution_time + SIX_HOURS, start=RESTATED_FROM)
        relay.kill_a_run("restatement", now=restating.execution_time.isoformat(), start=RESTATED_FROM.isoformat())
        relay.use_schema(schema)
        asks_again = relay.moment.random() < 0.5
        begun = {dimension.name for dimension in tables if relay.invalidations(dimension.name) != known[dimension.name]}
        run_again(relay, restating, **({"start": RESTATED_FROM.isoformat()} if asks_again else {}))
        for dimension in tables:
            if asks_again or dimension.name in begun:
                dimension.load(source, restating)
        check(relay, tables, f"restatement, begun of {sorted(begun)}, {'' if asks_again else 'not '}asked for again")
    print(f"{relay.tally.total()} kills: {dict(relay.tally)}")


def run_again(relay: Relay, run: reference.Run, **variables: Any) -> None:
    """`dbt run`, which must succeed and leave no stage behind."""
    done = relay.call("dbt", "run", now=run.execution_time.isoformat(), **variables)
    assert done.success, done.errors
    assert relay.call("sql", "show tables in {schema} like '*__kinds_stage_*'") == []


def check(relay: Relay, tables: list[Dimension], title: str) -> None:
    for dimension in tables:
        rows = relay.call("sql", dimension.query())
        assert sorted(([*row] for row in rows), key=repr) == dimension.expected(), f"{title}: {dimension.name}"

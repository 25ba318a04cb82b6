"""A store of Hive text that becomes one of Iceberg or Delta, wherever the operation is killed."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from tests.functional.faults import broken_connection, happening_before
from tests.functional.formats import table_format
from tests.functional.project import DAILY_EVENTS, Project, events_table
from tests.sweep import rest

NOW, NEXT_DAY = "2024-01-05 08:00:00", "2024-01-06 08:00:00"
LOCK = "spark.hadoop.iceberg.engine.hive.lock-enabled"
STORE = "select * from {schema}.dbt_kinds_intervals where relation like '%daily'"
COPY, PUT_AWAY, PUT_IN_PLACE = "insert into .*_converted", "rename to .*_before", "_converted rename to"
COPY_LATE, DROP = "insert into .* except select", "drop table if exists .*_before"
CUTS = [(statement, done) for statement in (COPY, PUT_AWAY, PUT_IN_PLACE, COPY_LATE, DROP) for done in (False, True)]


@pytest.fixture
def stored(project: Project) -> Iterator[Project]:
    """A project with a loaded model and a store of Hive text; its session says that Hive's lock is on."""
    project.target["server_side_parameters"][LOCK] = "true"
    events_table(project)
    project.kind("daily", DAILY_EVENTS, config=f"file_format='{table_format()}'")
    project.run(now=NOW, store_format="hive")
    yield project
    project.sql(f"set `{LOCK}` = false")


def provider(project: Project) -> str:
    described = project.sql("describe table extended {schema}.dbt_kinds_intervals")
    return str(dict(row[:2] for row in described)["Provider"])


def check(project: Project, rows: list[tuple[object, ...]]) -> None:
    """The store is converted, has these rows, and what a run does goes by them."""
    assert provider(project) == table_format()
    assert sorted(map(str, project.sql(STORE))) == sorted(map(str, rows))
    assert not project.table_exists("dbt_kinds_intervals_*")
    project.operation("release_lease", select="daily")
    assert project.run(now=NOW).messages == {"daily": "OK up to date"}
    assert project.run(now=NEXT_DAY).batches("daily") == [("2024-01-05T00:00:00", "2024-01-06T00:00:00")]
    assert project.recorded("daily") == [["2024-01-01", "2024-01-06"]]


def test_it_has_the_same_rows_and_those_that_come_meanwhile(stored: Project) -> None:
    rows = stored.sql(STORE)
    late = "insert into {schema}.dbt_kinds_intervals (event, relation, model) values ('noted', 'of.a_daily', null)"
    with happening_before(PUT_AWAY, lambda: stored.sql(late)):
        told = stored.operation("convert_store", format=table_format())
    assert told["converted"] and told["events"] > len(rows)
    assert [row[1] for row in stored.sql(STORE) if row not in rows] == ["of.a_daily"]
    again = stored.operation("convert_store", format=table_format())
    assert not again["converted"] and again["events"] >= told["events"]
    stored.sql("delete from {schema}.dbt_kinds_intervals where relation = 'of.a_daily'")
    check(stored, rows)


@pytest.mark.parametrize(("statement", "done"), rest(CUTS, (PUT_AWAY, True)))
def test_a_conversion_cut_short_anywhere_loses_nothing(stored: Project, statement: str, done: bool) -> None:
    rows = stored.sql(STORE)
    with broken_connection(statement, done=done) as broken_at:
        failed = stored.dbt(
            "run-operation", "dbt_kinds.convert_store", "--args", json.dumps({"format": table_format()})
        )
    assert broken_at and not failed.success
    is_there = stored.table_exists("dbt_kinds_intervals")
    assert is_there == ((statement, done) not in [(PUT_AWAY, True), (PUT_IN_PLACE, False)])
    if is_there:
        stored.operation("release_lease", select="daily")
        assert stored.run(now=NOW).messages == {"daily": "OK up to date"}
    else:
        run = stored.dbt("run", now=NOW)
        assert "convert_store was interrupted: then run convert_store again" in run.errors
        assert not stored.table_exists("dbt_kinds_intervals")
    assert stored.operation("convert_store", format=table_format())["converted"] or (statement, done) == (DROP, True)
    check(stored, rows)


def test_it_refuses_what_would_lose_events(stored: Project) -> None:
    stored.target["server_side_parameters"].pop(LOCK)
    stored.sql(f"set `{LOCK}` = false")
    for format, message in {
        "parquet": "format 'parquet' is neither iceberg nor delta",
        "iceberg": "the lock of the Hive catalog is off",
    }.items():
        refused = stored.dbt("run-operation", "dbt_kinds.convert_store", "--args", json.dumps({"format": format}))
        assert not refused.success and message in refused.errors
    assert provider(stored) == "hive"

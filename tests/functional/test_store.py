"""The interval store: what is written to it, where, and what operations do with it."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.functional.project import DAILY_EVENTS, Project, events_table
from tests.sweep import rest

NOW = "2024-01-05 08:00:00"
ICEBERG = "file_format='iceberg'"


@pytest.mark.core
def test_a_load_is_recorded_with_all_its_facts(project: Project, file_format: str) -> None:
    events_table(project)
    project.kind("daily", DAILY_EVENTS, config=f"file_format='{file_format}'")
    project.run(now=NOW)
    columns = "event, relation, interval_start, interval_end, execution_time, model, kind, rows_written"
    assert project.sql(f"select {columns} from {{schema}}.dbt_kinds_intervals where event = 'loaded'") == [
        ("loaded", f"{project.schema}.daily", "2024-01-01T00:00:00", "2024-01-05T00:00:00", "2024-01-05T08:00:00",
         "model.shop.daily", "incremental_by_time_range", 16),
    ]  # fmt: skip
    ((recorded_at, invocation, model_hash, seconds, snapshot),) = project.sql(
        "select recorded_at, invocation_id, model_hash, seconds, snapshot_id from {schema}.dbt_kinds_intervals "
        "where event = 'loaded'"
    )
    assert len(recorded_at) == 26 and len(invocation) == 36 and len(model_hash) == 32 and seconds > 0
    newest = (
        project.sql("select max_by(snapshot_id, committed_at) from {schema}.daily.snapshots")
        if file_format == "iceberg"
        else [(None,)]
    )
    assert newest == [(snapshot,)]


@pytest.mark.core
def test_a_restatement_is_invalidated_before_and_recorded_after(project: Project) -> None:
    events_table(project)
    project.kind("daily", DAILY_EVENTS, config=ICEBERG)
    project.run(now=NOW)
    project.run(now=NOW, start="2024-01-02", end="2024-01-07")
    log = project.sql(
        "select event, interval_start, interval_end from {schema}.dbt_kinds_intervals order by recorded_at"
    )
    assert [row[0] for row in log] == ["claimed", "loaded", "released", "claimed", "invalidated", "loaded", "released"]
    assert [row for row in log[1:] if row[0] in ("loaded", "invalidated")][1:] == [
        ("invalidated", "2024-01-02T00:00:00", "2024-01-05T00:00:00"),
        ("loaded", "2024-01-02T00:00:00", "2024-01-05T00:00:00"),
    ]


@pytest.mark.parametrize("store_format", rest(["hive", "iceberg"], "iceberg"))
def test_the_store_can_live_in_another_schema_and_format(project: Project, store_format: str) -> None:
    events_table(project)
    project.kind("daily", DAILY_EVENTS, config=ICEBERG)
    elsewhere = {"store_schema": f"{project.schema}_store", "store_format": store_format}
    project.run(now=NOW, **elsewhere)
    assert project.run(now=NOW, **elsewhere).messages["daily"] == "OK up to date"
    described = project.sql("describe table extended {schema}_store.dbt_kinds_intervals")
    assert ("Provider", store_format, "") in described
    assert not project.table_exists("dbt_kinds_intervals")


def test_the_store_is_text_on_hive_and_read_the_same_in_any_time_zone(project: Project) -> None:
    events_table(project)
    project.kind("daily", DAILY_EVENTS, config=ICEBERG)
    project.run(now=NOW)
    project.target["server_side_parameters"]["spark.sql.session.timeZone"] = "America/New_York"
    try:
        assert project.run(now=NOW).messages["daily"] == "OK up to date"
    finally:
        project.sql("set spark.sql.session.timeZone = UTC")
    assert ("Provider", "hive", "") in project.sql("describe table extended {schema}.dbt_kinds_intervals")


def test_four_threads_lose_no_event(project: Project) -> None:
    events_table(project)
    for number in range(8):
        project.kind(f"daily_{number}", DAILY_EVENTS, config=ICEBERG, batch_size=1)
    project.run(now="2024-01-06")
    counts = project.sql(
        "select relation, count_if(event = 'loaded'), count(*) from {schema}.dbt_kinds_intervals group by relation"
    )
    assert sorted(counts) == [(f"{project.schema}.daily_{number}", 5, 7) for number in range(8)]
    again = project.run(now="2024-01-06")
    assert sum("from" in s and "dbt_kinds_intervals" in s for s in again.statements) <= project.target["threads"]
    assert set(again.messages.values()) == {"OK up to date"}


@pytest.mark.core
def test_plan_says_what_a_run_would_do_and_writes_nothing(project: Project) -> None:
    events_table(project)
    project.kind("daily", DAILY_EVENTS, config=ICEBERG, lookback=1, batch_size=2)
    project.kind("other", DAILY_EVENTS, config=ICEBERG)
    assert project.operation("plan", now=NOW, select="daily")["plans"][0]["reason"] == "first load"
    assert not project.table_exists("dbt_kinds_intervals")
    project.run("--select", "daily", now="2024-01-04")
    events = project.events()
    plans = project.operation("plan", now=NOW)["plans"]
    assert [plan["model"] for plan in plans] == ["model.shop.daily", "model.shop.other"]
    estimate = plans[0].pop("estimate")
    assert (estimate["from_batches"], estimate["rows"]) == (1, 8)
    assert plans[0] == {
        "model": "model.shop.daily", "relation": f"{project.schema}.daily", "kind": "incremental_by_time_range",
        "execution_time": "2024-01-05T08:00:00", "start": "2024-01-01T00:00:00", "end": "2024-01-05T00:00:00",
        "cron": "@daily", "unit": "day", "recorded": [["2024-01-01T00:00:00", "2024-01-04T00:00:00"]],
        "missing": [["2024-01-04T00:00:00", "2024-01-05T00:00:00"]],
        "lookback": [["2024-01-03T00:00:00", "2024-01-04T00:00:00"]], "restated": [], "waiting": [],
        "batches": [["2024-01-03T00:00:00", "2024-01-05T00:00:00"]], "reason": "1 missing, 1 looked back",
    }  # fmt: skip
    assert (
        project.operation("plan", now=NOW, select="shop.daily", full_refresh=True)["plans"][0]["reason"]
        == "full refresh"
    )
    assert project.events() == events


def test_a_plan_of_nothing_due_reads_the_store_once(project: Project) -> None:
    events_table(project)
    project.kind("daily", DAILY_EVENTS, config=ICEBERG)

    def reads_of_plan() -> int:
        sent: list[str] = []
        project.listeners = [lambda event: sent.append(event.data.sql) if event.info.name == "SQLQuery" else None]
        project.operation("plan", now=NOW)
        project.listeners = []
        return sum("to_json(collect_list" in sql for sql in sent)

    project.run(now="2024-01-04")
    # the second one is for what the missing day will cost
    assert reads_of_plan() == 2
    project.run(now=NOW)
    assert reads_of_plan() == 1


def test_record_states_that_a_table_already_holds_a_range(project: Project) -> None:
    events_table(project)
    project.sql("create table {schema}.daily using iceberg as select * from {schema}.events where id < 8")
    project.kind("daily", DAILY_EVENTS, config=ICEBERG, partition_by_time_column=False)
    answer = project.operation(
        "record", select="daily", start="2024-01-01", end="2024-01-03", execution_time="2024-01-03T00:05:00"
    )
    assert answer == {
        "operation": "record", "model": "model.shop.daily", "relation": f"{project.schema}.daily",
        "recorded": [["2024-01-01T00:00:00", "2024-01-03T00:00:00"]],
    }  # fmt: skip
    run = project.run(now=NOW)
    assert run.batches("daily") == [("2024-01-03T00:00:00", "2024-01-05T00:00:00")]
    assert project.sql("select count(*) from {schema}.daily") == [(16,)]


def test_forget_needs_to_be_told_what_and_knows_its_models(project: Project) -> None:
    events_table(project)
    project.kind("daily", DAILY_EVENTS, config=ICEBERG)
    project.run(now=NOW)
    assert "forget needs select" in project.dbt("run-operation", "dbt_kinds.forget").errors
    unknown = project.dbt("run-operation", "dbt_kinds.forget", "--args", "{select: dayly}")
    assert "no model of a kind is called dayly" in unknown.errors
    assert project.operation("forget", select="daily daily")["models"] == [
        {"model": "model.shop.daily", "relation": f"{project.schema}.daily", "recorded": [],
         "forgotten": [["2024-01-01T00:00:00", "2024-01-05T00:00:00"]]}
    ]  # fmt: skip
    assert project.run(now=NOW).messages["daily"] == "OK 1 batch"


@pytest.mark.core
def test_status_tells_coverage_and_gaps(project: Project) -> None:
    events_table(project)
    project.kind("daily", DAILY_EVENTS, config=ICEBERG)
    project.kind("unset", DAILY_EVENTS, config=ICEBERG, start=None)
    project.run("--select", "daily", now="2024-01-04")
    daily, unset = project.operation("status", now=NOW)["models"]
    assert daily["recorded"] == [["2024-01-01T00:00:00", "2024-01-04T00:00:00"]]
    assert daily["missing"] == [["2024-01-04T00:00:00", "2024-01-05T00:00:00"]]
    assert (unset["recorded"], unset["missing"]) == ([], None)


def test_a_table_in_hive_text_is_read_while_others_append_to_it(project: Project) -> None:
    """Where inserts stage their files in the table's folder, half of the reads fail."""
    threads, times = 4, 10
    project.sql("create schema {schema}")
    project.sql("create table {schema}.log (n int) stored as textfile")

    def append(thread: int) -> None:
        for _ in range(times):
            project.sql("insert into {schema}.log values (1)")

    def read(thread: int) -> list[int]:
        return [count for _ in range(times) for (count,) in project.sql("select count(*) from {schema}.log")]

    with ThreadPoolExecutor(2 * threads) as pool:
        appends, reads = pool.map(append, range(threads)), pool.map(read, range(threads))
        assert all(seen == sorted(seen) for seen in reads)
        assert list(appends) == [None] * threads
    assert project.sql("select count(*) from {schema}.log") == [(threads * times,)]

"""What `dbt run` does with a model of kind incremental_by_time_range, on Iceberg and on Parquet."""

from __future__ import annotations

import pytest

from tests.functional.formats import both_formats
from tests.functional.project import DAILY_EVENTS, Project, events_table

ALL_EVENTS = "select id, ts, n from {schema}.events"
LOADED = "select id, ts, n from {schema}.daily"
BATCH = tuple[str, str]


@pytest.fixture
def daily(project: Project, file_format: str) -> Project:
    events_table(project)
    project.kind("daily", DAILY_EVENTS, config=f"file_format='{file_format}'")
    return project


def until(project: Project, day: str) -> list[tuple[object, ...]]:
    return project.rows(f"{ALL_EVENTS} where ts < timestamp '{day} 00:00:00+00:00'")


@pytest.mark.core
@both_formats
def test_the_first_run_loads_everything_up_to_the_last_whole_day(daily: Project) -> None:
    run = daily.run(now="2024-01-05 08:00:00")
    assert daily.rows(LOADED) == until(daily, "2024-01-05")
    assert run.batches("daily") == [("2024-01-01T00:00:00", "2024-01-05T00:00:00")]
    assert (run.messages["daily"], run.rows["daily"]) == ("OK 1 batch, 16 rows", 16)
    assert daily.recorded("daily") == [["2024-01-01", "2024-01-05"]]


@pytest.mark.core
def test_the_same_run_again_reads_the_store_once_and_writes_nothing(daily: Project) -> None:
    daily.run(now="2024-01-05 08:00:00")
    rows, events = daily.rows(LOADED), daily.events()
    again = daily.run(now="2024-01-05 09:00:00")
    assert (again.messages["daily"], again.rows["daily"]) == ("OK up to date", 0)
    assert sum("select" in statement and "dbt_kinds_intervals" in statement for statement in again.statements) == 1
    kinds_of_statement = {statement.split()[0].lower() for statement in again.statements}
    assert kinds_of_statement <= {"select", "show", "describe", "create"}, again.statements
    assert all("create schema" in s for s in again.statements if s.lower().startswith("create")), again.statements
    assert (daily.rows(LOADED), daily.events()) == (rows, events)


@pytest.mark.core
def test_a_later_run_loads_the_new_days_and_leaves_the_others_alone(daily: Project) -> None:
    daily.run(now="2024-01-05 08:00:00")
    daily.sql("update {schema}.events set n = -1 where id = 0")
    run = daily.run(now="2024-01-07 00:00:00")
    assert run.batches("daily") == [("2024-01-05T00:00:00", "2024-01-07T00:00:00")]
    unchanged_first_day = [(0, row[1], 0) if row[0] == 0 else row for row in until(daily, "2024-01-07")]
    assert daily.rows(LOADED) == sorted(unchanged_first_day, key=repr)


@pytest.mark.core
def test_a_gap_in_the_middle_is_found_and_filled_alone(daily: Project) -> None:
    daily.run(now="2024-01-08 08:00:00")
    daily.operation("forget", select="daily", start="2024-01-03", end="2024-01-05")
    daily.sql("delete from {schema}.events where id in (0, 8)")
    run = daily.run(now="2024-01-08 08:00:00")
    assert run.batches("daily") == [("2024-01-03T00:00:00", "2024-01-05T00:00:00")]
    assert [row[0] for row in daily.sql(f"{LOADED} order by id")] == [id for id in range(28) if id != 8]
    assert daily.recorded("daily") == [["2024-01-01", "2024-01-08"]]


@pytest.mark.core
@both_formats
def test_an_emptied_day_ends_up_empty(daily: Project, file_format: str) -> None:
    daily.run(now="2024-01-08 08:00:00")
    daily.sql("delete from {schema}.events where id between 8 and 11")
    run = daily.run(now="2024-01-08 08:00:00", start="2024-01-02", end="2024-01-05")
    assert run.messages["daily"] == "OK 1 batch" + ("" if file_format == "iceberg" else ", 8 rows")
    assert daily.rows(LOADED) == until(daily, "2024-01-08")
    daily.sql("delete from {schema}.events")
    daily.run(now="2024-01-08 08:00:00", start="2024-01-02", end="2024-01-05")
    assert [row[0] for row in daily.sql(f"{LOADED} order by id")] == [0, 1, 2, 3, *range(16, 28)]
    assert daily.recorded("daily") == [["2024-01-01", "2024-01-08"]]


@pytest.mark.core
@pytest.mark.parametrize("as_flags", [False, True], ids=["variables", "event-time flags"])
def test_a_window_reprocesses_exactly_its_days(daily: Project, as_flags: bool) -> None:
    daily.run(now="2024-01-08 08:00:00")
    daily.sql("update {schema}.events set n = -1")
    if as_flags:
        run = daily.run("--event-time-start", "2024-01-03", "--event-time-end", "2024-01-05", now="2024-01-08 08:00:00")
    else:
        run = daily.run(now="2024-01-08 08:00:00", start="2024-01-03", end="2024-01-05")
    assert run.batches("daily") == [("2024-01-03T00:00:00", "2024-01-05T00:00:00")]
    assert [row[0] for row in daily.sql(f"{LOADED} where n = -1 order by id")] == list(range(8, 16))
    assert daily.recorded("daily") == [["2024-01-01", "2024-01-08"]]


@pytest.mark.core
def test_lookback_reloads_the_days_before_a_missing_one(project: Project, file_format: str) -> None:
    events_table(project)
    project.kind("daily", DAILY_EVENTS, config=f"file_format='{file_format}'", lookback=2)
    project.run(now="2024-01-05 08:00:00")
    project.sql("update {schema}.events set n = -1")
    run = project.run(now="2024-01-06 08:00:00")
    assert run.batches("daily") == [("2024-01-03T00:00:00", "2024-01-06T00:00:00")]
    assert [row[0] for row in project.sql(f"{LOADED} where n = -1 order by id")] == list(range(8, 20))
    assert project.run(now="2024-01-06 08:00:00").messages["daily"] == "OK up to date"


@pytest.mark.core
def test_batches_are_loaded_in_order_each_with_its_own_window(project: Project, file_format: str) -> None:
    events_table(project)
    query = f"select *, {{{{ dbt_kinds.start_ds() }}}} as batch from ({DAILY_EVENTS})"
    project.kind("daily", query, config=f"file_format='{file_format}'", batch_size=2)
    run = project.run(now="2024-01-06 08:00:00")
    assert run.batches("daily") == [
        ("2024-01-01T00:00:00", "2024-01-03T00:00:00"),
        ("2024-01-03T00:00:00", "2024-01-05T00:00:00"),
        ("2024-01-05T00:00:00", "2024-01-06T00:00:00"),
    ]
    assert run.messages["daily"] == "OK 3 batches" + ("" if file_format == "iceberg" else ", 20 rows")
    # the rows of a commit to Iceberg are counted by the record, and a run does not ask for them
    written = "written" if file_format == "iceberg" else "8 rows"
    assert any(
        f"daily: batch 2 of 3, 2024-01-03T00:00:00 to 2024-01-05T00:00:00: {written} in " in line for line in run.log
    )
    assert project.sql("select batch, count(*) from {schema}.daily group by 1 order by 1") == [
        ("2024-01-01", 8), ("2024-01-03", 8), ("2024-01-05", 4),
    ]  # fmt: skip


@pytest.mark.core
@both_formats
def test_a_failed_batch_leaves_a_gap_that_the_next_run_fills(project: Project, file_format: str) -> None:
    events_table(project)
    query = f"select id, ts, if(id = 9 and {{{{ var('my_mended', 0) }}}} = 0, raise_error('broken'), n) as n from ({DAILY_EVENTS})"
    project.kind("daily", query, config=f"file_format='{file_format}'", batch_size=1)
    failed = project.dbt("run", now="2024-01-06 08:00:00")
    assert not failed.success
    assert project.recorded("daily") == [["2024-01-01", "2024-01-03"]]
    mended = project.run(now="2024-01-06 08:00:00", my_mended=1)
    assert mended.batches("daily")[0] == ("2024-01-03T00:00:00", "2024-01-04T00:00:00")
    assert project.rows(LOADED) == until(project, "2024-01-06")
    assert project.recorded("daily") == [["2024-01-01", "2024-01-06"]]


def test_a_failed_restatement_takes_back_only_what_it_had_begun(project: Project, file_format: str) -> None:
    events_table(project)
    query = f"select id, ts, if(id = 9 and {{{{ var('my_broken', 0) }}}} = 1, raise_error('broken'), n) as n from ({DAILY_EVENTS})"
    project.kind("daily", query, config=f"file_format='{file_format}'", batch_size=1)
    project.run(now="2024-01-06 08:00:00")
    assert not project.dbt("run", now="2024-01-06 08:00:00", start="2024-01-02", end="2024-01-05", my_broken=1).success
    assert project.recorded("daily") == [["2024-01-01", "2024-01-03"], ["2024-01-04", "2024-01-06"]]
    assert project.run(now="2024-01-06 08:00:00").batches("daily") == [("2024-01-03T00:00:00", "2024-01-04T00:00:00")]
    assert project.rows(LOADED) == until(project, "2024-01-06")


def test_a_dropped_table_counts_as_empty(daily: Project) -> None:
    daily.run(now="2024-01-05 08:00:00")
    daily.sql("drop table {schema}.daily purge")
    assert daily.operation("status", now="2024-01-05")["models"][0]["recorded"] == []
    run = daily.run(now="2024-01-05 08:00:00", batch_size=2)
    assert len(run.batches("daily")) == 2
    assert daily.rows(LOADED) == until(daily, "2024-01-05")


def test_what_was_recorded_of_a_dropped_table_never_counts_for_its_successor(daily: Project) -> None:
    daily.run(now="2024-01-05 08:00:00")
    daily.sql("drop table {schema}.daily purge")
    daily.run(now="2024-01-05 08:00:00", start="2024-01-02", end="2024-01-03")
    assert daily.recorded("daily") == [["2024-01-02", "2024-01-03"]]
    daily.run(now="2024-01-05 08:00:00")
    assert daily.rows(LOADED) == until(daily, "2024-01-05")


@pytest.mark.core
@both_formats
def test_a_full_refresh_rebuilds_the_table_and_its_record(daily: Project) -> None:
    daily.run(now="2024-01-05 08:00:00")
    daily.sql("update {schema}.events set n = -1")
    daily.kind("daily", f"select *, 'new' as added from ({DAILY_EVENTS})", config=config_of(daily))
    run = daily.run("--full-refresh", now="2024-01-06 08:00:00", batch_size=3)
    assert len(run.batches("daily")) == 2
    assert daily.sql("select distinct n, added from {schema}.daily") == [(-1, "new")]
    assert daily.sql("select count(*) from {schema}.daily") == [(20,)]
    assert daily.recorded("daily") == [["2024-01-01", "2024-01-06"]]


def test_a_full_refresh_spares_a_protected_model(project: Project) -> None:
    events_table(project)
    project.kind("daily", DAILY_EVENTS, config="file_format='iceberg'", disable_restatement=True)
    project.run(now="2024-01-05 08:00:00")
    run = project.run("--full-refresh", now="2024-01-05 08:00:00")
    assert run.messages["daily"] == "OK up to date, --full-refresh ignored"
    assert "--full-refresh is ignored" in run.errors


@pytest.mark.core
def test_rows_outside_the_window_are_kept_out_of_the_table_but_seen_by_window_functions(daily: Project) -> None:
    query = (
        "select id, ts, n - lag(n) over (order by ts) as n from {{ target.schema }}.events\n"
        "where ts >= {{ dbt_kinds.start_dt() }} - interval 1 day and ts <= {{ dbt_kinds.end_dt() }} or 1 = 0 -- or"
    )
    daily.kind("daily", query, config=config_of(daily), batch_size=1)
    daily.run(now="2024-01-05 08:00:00")
    assert daily.rows(LOADED) == daily.rows(
        "select id, ts, n - lag(n) over (order by ts) as n from {schema}.events where ts < timestamp '2024-01-05 00:00:00+00:00'"
    )


def test_columns_go_by_name_when_the_query_lists_them_in_another_order(daily: Project) -> None:
    daily.run(now="2024-01-05 08:00:00")
    swapped = DAILY_EVENTS.replace("select id, ts, n", "select n, ts, id")
    daily.kind("daily", swapped, config=config_of(daily))
    daily.run(now="2024-01-07 08:00:00")
    assert daily.rows(LOADED) == until(daily, "2024-01-07")


def test_an_empty_source_makes_an_empty_table_that_is_complete(daily: Project) -> None:
    daily.sql("delete from {schema}.events")
    daily.run(now="2024-01-05 08:00:00")
    assert daily.rows(LOADED) == []
    assert daily.recorded("daily") == [["2024-01-01", "2024-01-05"]]


def test_a_table_is_there_for_its_readers_before_anything_is_due(daily: Project) -> None:
    run = daily.run(now="2023-12-24")
    assert run.messages["daily"] == "OK nothing loaded"
    assert (daily.rows(LOADED), daily.events()) == ([], [])
    assert daily.run(now="2023-12-24").messages["daily"] == "OK up to date"
    daily.run(now="2024-01-03")
    assert daily.rows(LOADED) == until(daily, "2024-01-03")


def config_of(project: Project) -> str:
    text = (project.folder / "models" / "daily.sql").read_text()
    return "file_format='iceberg'" if "iceberg" in text else "file_format='parquet'"

"""Bad input is refused with one clear error, before anything is written."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import pytest

from tests.functional.project import DAILY_EVENTS, Project, events_table
from tests.sweep import rest

NOW = "2024-01-05 08:00:00"

OPTIONS: dict[str, tuple[dict[str, Any], str]] = {
    "no time column": ({"time_column": None}, "time_column is missing; name the column of the query"),
    "an unknown time column": (
        {"time_column": "tss"},
        "time_column 'tss' is not a column of the query, which has id, ts, n",
    ),
    "a misspelt option": ({"look_back": 2}, "unknown option 'look_back'; did you mean 'lookback'?"),
    "an option of another kind": ({"valid_from_name": "f"}, "option 'valid_from_name' belongs to scd_type_2"),
    "start after end": ({"end": "2023-12-01"}, "start 2024-01-01T00:00:00 is not before end 2023-12-01T00:00:00"),
    "an end inside a unit": ({"end": "2024-01-03 05:00"}, "write 2024-01-03T00:00:00 or 2024-01-04T00:00:00"),
    "no start": (
        {"start": None},
        "no start: nothing is recorded; set the option start, or pass kinds_start and kinds_end",
    ),
    "a number as time column": (
        {"time_column": "n"},
        "time_column 'n' has the type int, which cannot be bounded by time",
    ),
    "a batch size of nothing": ({"batch_size": 0}, "batch_size '0' is not a whole number of 1 or more"),
    "an unknown cron": ({"cron": "@fortnightly"}, "cron '@fortnightly' cannot be read"),
    "an unknown time zone": ({"cron_tz": "Europe/Bärlin"}, "cron_tz 'Europe/Bärlin' is"),
    "a policy that is none": ({"on_additive_change": "append"}, "on_additive_change 'append' is not one of"),
}


def refused(project: Project, message: str, **run: Any) -> None:
    before = project.events()
    failed = project.dbt("run", **({"now": NOW} | run))
    assert not failed.success
    assert message in failed.errors.replace("\n  ", " "), failed.errors
    assert "dbt_kinds: model daily: " in failed.errors
    assert project.events() == before


@pytest.mark.core
@pytest.mark.parametrize(
    "case", rest(OPTIONS, "no time column", "an unknown time column", "no start", "a number as time column")
)
def test_an_option_that_cannot_be_right(project: Project, case: str) -> None:
    options, message = OPTIONS[case]
    events_table(project)
    project.kind("daily", DAILY_EVENTS, config="file_format='iceberg'", **options)
    refused(project, message)
    assert not project.table_exists("daily")


CONFIGS = {
    "partition_by without the time column": (
        "file_format='parquet', partition_by='month'", DAILY_EVENTS.replace("n\n", "n, month(ts) as month\n"),
        "partition_by (month) is coarser than the interval, one day; put the time_column 'ts' into partition_by",
    ),
    "a timestamp_ntz as partition": (
        "file_format='parquet'", f"select id, to_timestamp_ntz(cast(ts as string)) as ts from ({DAILY_EVENTS})",
        "cannot be partitioned by the timestamp_ntz 'ts'",
    ),
    "a date behind an hourly unit": (
        "file_format='parquet'", f"select id, cast(ts as date) as ts from ({DAILY_EVENTS})",
        "an interval of one hour could not be replaced alone",
    ),
    "a file format that replaces nothing": ("file_format='csv'", DAILY_EVENTS, "write iceberg, delta, parquet or orc"),
    "a column of Iceberg's": (
        "file_format='iceberg'", DAILY_EVENTS.replace("n from", "n, 'a.csv' as _file from"),
        "the column '_file' has a name that Iceberg reserves, and Spark could not read the table; give it another name in the query, as in `_file` as file",
    ),
    "a column of Spark's": (
        "file_format='parquet'", DAILY_EVENTS.replace("n from", "n, 'a.csv' as _Metadata from"),
        "the column '_Metadata' has the name under which Spark tells the files of a parquet table, and dbt_kinds asks for them; give it another name in the query, as in `_Metadata` as metadata",
    ),
    "is_incremental in an SQL comment, which dbt runs": (
        "file_format='iceberg'",
        DAILY_EVENTS + "\n-- {% if is_incremental() %}\n and 1 = 1\n-- {% endif %}",
        "is_incremental() is always false in a model of a kind",
    ),
    "is_incremental": (
        "file_format='iceberg'", DAILY_EVENTS + "\n{% if is_incremental() %} and 1 = 1 {% endif %}",
        "is_incremental() is always false in a model of a kind",
    ),
}  # fmt: skip


@pytest.mark.core
@pytest.mark.parametrize(
    "case",
    rest(
        CONFIGS,
        "partition_by without the time column",
        "a timestamp_ntz as partition",
        "is_incremental",
        "a column of Iceberg's",
    ),
)
def test_a_table_that_could_not_be_written_right(project: Project, case: str) -> None:
    config, query, message = CONFIGS[case]
    events_table(project)
    cron = "@hourly" if "hourly" in case else "@daily"
    project.kind("daily", query, config=config, cron=cron)
    refused(project, message)
    assert not project.table_exists("daily")


def test_is_incremental_in_a_comment_is_no_reason_to_refuse(project: Project) -> None:
    events_table(project)
    query = f"{{# was is_incremental() #}}\n{DAILY_EVENTS} -- is_incremental() /* is_incremental() */"
    project.kind("daily", query, config="file_format='iceberg'")
    project.run(now=NOW)


WINDOWS = {
    "not aligned": (
        ("2024-01-02 05:00", "2024-01-03"),
        "the aligned window is 2024-01-02T00:00:00 to 2024-01-03T00:00:00",
    ),
    "backwards": (("2024-01-03", "2024-01-02"), "kinds_start 2024-01-03T00:00:00 is not before kinds_end"),
    "half of one": (("2024-01-03", None), "kinds_start and kinds_end go together; pass both"),
    "no date": (("yesterday", "2024-01-03"), "kinds_start 'yesterday' is not a date (YYYY-MM-DD)"),
}


@pytest.mark.core
@pytest.mark.parametrize("case", rest(WINDOWS, "not aligned"))
def test_a_window_that_cannot_be_right(project: Project, case: str) -> None:
    (start, end), message = WINDOWS[case]
    events_table(project)
    project.kind("daily", DAILY_EVENTS, config="file_format='iceberg'")
    project.run(now=NOW)
    refused(project, message, start=start, end=end)
    assert project.sql("select count(*) from {schema}.daily") == [(16,)]


@pytest.mark.core
def test_a_full_refresh_with_a_window(project: Project) -> None:
    events_table(project)
    project.kind("daily", DAILY_EVENTS, config="file_format='iceberg'")
    failed = project.dbt("run", "--full-refresh", now=NOW, start="2024-01-01", end="2024-01-02")
    assert "a full refresh takes no window" in failed.errors
    assert not project.table_exists("daily")


def test_a_table_of_another_format(project: Project) -> None:
    events_table(project)
    project.kind("daily", DAILY_EVENTS, config="file_format='parquet'")
    project.run(now=NOW)
    project.kind("daily", DAILY_EVENTS, config="file_format='iceberg'")
    refused(project, "is parquet, but file_format is iceberg; run with --full-refresh", now="2024-01-06 08:00:00")
    project.run("--full-refresh", now="2024-01-06 08:00:00")
    assert project.sql("select count(*) from {schema}.daily.snapshots where operation = 'overwrite'") == [(1,)]


def test_an_iceberg_table_in_the_place_of_a_parquet_one(project: Project) -> None:
    events_table(project)
    project.kind("daily", DAILY_EVENTS, config="file_format='iceberg'")
    project.run(now=NOW)
    project.kind("daily", DAILY_EVENTS, config="file_format='parquet'")
    events = project.events()
    failed = project.dbt("run", "--full-refresh", now=NOW)
    assert "that a parquet table cannot be created over; drop the table, remove file:" in failed.errors
    assert (project.sql("select count(*) from {schema}.daily"), project.events()) == ([(16,)], events)


@pytest.mark.core
def test_static_overwrite_is_refused_rather_than_emptying_the_table(project: Project) -> None:
    events_table(project)
    project.kind("daily", DAILY_EVENTS, config="file_format='parquet'")
    project.run(now=NOW)
    project.target["server_side_parameters"]["spark.sql.sources.partitionOverwriteMode"] = "static"
    failed = project.dbt("run", now="2024-01-06 08:00:00")
    assert "partitionOverwriteMode is 'static' in server_side_parameters of profiles.yml" in failed.errors
    assert project.sql("select count(*) from {schema}.daily") == [(16,)]


@pytest.mark.core
def test_partitions_by_timestamp_are_refused_where_the_session_is_not_in_utc(project: Project) -> None:
    events_table(project)
    project.target["server_side_parameters"]["spark.sql.session.timeZone"] = "America/New_York"
    project.kind("daily", DAILY_EVENTS, config="file_format='parquet'")
    try:
        refused(
            project,
            "depend on the session's time zone, which is America/New_York; set spark.sql.session.timeZone to UTC",
        )
    finally:
        project.sql("set spark.sql.session.timeZone = UTC")
    assert not project.table_exists("daily")


def test_another_adapter_is_refused(project: Project) -> None:
    project.target = {"type": "duckdb", "path": str(project.folder / "shop.duckdb")}
    project.kind("daily", "select 1 as id, timestamp '2024-01-01' as ts")
    project.write_settings()
    where = ["--project-dir", str(project.folder), "--profiles-dir", str(project.folder)]
    # a process of its own, because duckdb prints a page of its own worries when the interpreter ends
    failed = subprocess.run(
        [sys.executable, "-m", "dbt.cli.main", "run", *where], capture_output=True, text=True, check=False
    )
    assert "dbt_kinds: model daily: the kinds of dbt_kinds write Spark SQL, and this target is duckdb" in failed.stdout


OTHERS = {
    "kind": "materialized='incremental_by_time_range', file_format='iceberg', meta={'time_column': 'ts', 'start': '2024-01-01'}",
    "plain": "materialized='table'",
    "viewed": "materialized='view'",
    "inlined": "materialized='ephemeral'",
    "off": "materialized='table', enabled=false",
    "elsewhere": "materialized='table', schema='b'",
}


@pytest.mark.core
def test_names_that_differ_in_case_are_one_table(project: Project) -> None:
    events_table(project)
    for name, config in OTHERS.items():
        project.kind(name, DAILY_EVENTS, config="file_format='iceberg'")
        project.model(f"other_{name}", f"{{{{ config(alias='{name.upper()}', {config}) }}}}\n{DAILY_EVENTS}")
    project.kind("seeded", DAILY_EVENTS, config="file_format='iceberg'")
    (project.folder / "seeds").mkdir()
    (project.folder / "seeds" / "Seeded.csv").write_text("id\n1\n")
    run = project.dbt("run", "--select", *OTHERS, "seeded", "other_kind", now=NOW)
    assert {name for name, status in run.statuses.items() if status == "success"} == {"inlined", "off", "elsewhere"}
    assert "model kind: alias 'kind' and 'KIND', that of the model other_kind, name one table" in run.errors
    assert "model other_kind: alias 'KIND' and 'kind', that of the model kind, name one table" in run.errors
    assert "model viewed: alias 'viewed' and 'VIEWED', that of the model other_viewed, name one table" in run.errors
    assert "model seeded: alias 'seeded' and 'Seeded', that of the seed Seeded, name one table" in run.errors
    assert [name for name in ("kind", "plain", "viewed", "seeded") if project.table_exists(name)] == []
    # but for the record of what was refused
    sent = [statement for statement in run.statements if "dbt_kinds_intervals" not in statement]
    assert not any("viewed" in statement.lower() for statement in sent)

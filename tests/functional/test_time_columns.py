"""Every type of time column, unit and partitioning gives the rows that a plain select over the source gives."""

from __future__ import annotations

from datetime import date

import pytest

from tests.functional.project import Project
from tests.sweep import rest

HOURS = "timestamp '2024-03-09 20:00:00+00:00' + make_interval(0, 0, 0, 0, id)"
# two days and a half of hours around the night in which New York's clocks change

TIME_COLUMNS = {
    "timestamp": (HOURS, "ts"),
    "timestamp_ntz": (f"cast(to_timestamp_ntz(date_format({HOURS}, 'yyyy-MM-dd HH:mm:ss')) as timestamp_ntz)", "ts"),
    "date": (f"cast({HOURS} as date)", "ts"),
    "string": (f"date_format({HOURS}, 'yyyy-MM-dd')", "ts"),
    "strftime string": (f"date_format({HOURS}, 'yyyyMMddHH')", {"column": "ts", "format": "%Y%m%d%H"}),
    "spark pattern": (f"date_format({HOURS}, 'yyyy/MM/dd')", {"column": "TS", "format": "yyyy/MM/dd"}),
    "integer": (f"cast(date_format({HOURS}, 'yyyyMMdd') as int)", {"column": "ts", "format": "%Y%m%d"}),
}
BY_DAY = [(file_format, column) for file_format in ("iceberg", "parquet") for column in TIME_COLUMNS]
# Parquet cannot be partitioned by timestamp_ntz; test_bad_input has its refusal
BY_DAY.remove(("parquet", "timestamp_ntz"))
# every type once, and on each format those that it writes differently
USUAL = [
    ("iceberg", "timestamp"),
    ("iceberg", "timestamp_ntz"),
    ("iceberg", "spark pattern"),
    ("parquet", "date"),
    ("parquet", "string"),
    ("parquet", "strftime string"),
    ("parquet", "integer"),
]
BY_HOUR = [
    (file_format, column)
    for file_format, column in BY_DAY
    if column in ("timestamp", "timestamp_ntz", "strftime string")
]


def hours_table(project: Project, expression: str) -> None:
    project.sql("create schema if not exists {schema}")
    project.sql(
        f"create table {{schema}}.hours using parquet as select cast(id as int) as id, {expression} as ts from range(60)"
    )


@pytest.mark.parametrize(("file_format", "kind_of_column"), rest(BY_DAY, *USUAL))
def test_a_time_column_of_that_type_is_bounded_by_day(project: Project, file_format: str, kind_of_column: str) -> None:
    expression, time_column = TIME_COLUMNS[kind_of_column]
    hours_table(project, expression)
    project.kind(
        "daily", "select id, ts from {{ target.schema }}.hours", config=f"file_format='{file_format}'",
        time_column=time_column, start="2024-03-09", batch_size=1,
    )  # fmt: skip
    run = project.run(now="2024-03-12 01:00:00")
    assert len(run.batches("daily")) == 3
    assert project.rows("select id, ts from {schema}.daily") == project.rows(
        "select id, ts from {schema}.hours where id < 52"
    )
    project.sql("drop table {schema}.hours purge")
    hours_table(project, expression)
    project.run(now="2024-03-12 01:00:00", start="2024-03-10", end="2024-03-11")
    assert project.rows("select id, ts from {schema}.daily") == project.rows(
        "select id, ts from {schema}.hours where id < 52"
    )


@pytest.mark.parametrize(
    ("file_format", "kind_of_column"), rest(BY_HOUR, ("iceberg", "timestamp"), ("parquet", "strftime string"))
)
def test_a_time_column_of_that_type_is_bounded_by_hour(project: Project, file_format: str, kind_of_column: str) -> None:
    expression, time_column = TIME_COLUMNS[kind_of_column]
    hours_table(project, expression)
    project.kind(
        "hourly", "select id, ts from {{ target.schema }}.hours", config=f"file_format='{file_format}'",
        time_column=time_column, start="2024-03-10", cron="@hourly", batch_size=24,
    )  # fmt: skip
    run = project.run(now="2024-03-11 02:59:00")
    assert run.batches("hourly") == [
        ("2024-03-10T00:00:00", "2024-03-11T00:00:00"),
        ("2024-03-11T00:00:00", "2024-03-11T02:00:00"),
    ]
    expected = "select id, ts from {schema}.hours where id between 4 and 29"
    assert project.rows("select id, ts from {schema}.hourly") == project.rows(expected)
    assert project.run(now="2024-03-11 03:00:00").batches("hourly") == [("2024-03-11T02:00:00", "2024-03-11T03:00:00")]


@pytest.mark.parametrize(
    "partitioning",
    rest(
        ["partition_by='months(ts)'", "partition_by=['bucket(4, id)']", "partition_by='hours(ts)'"],
        "partition_by='months(ts)'",
    ),
)
def test_an_iceberg_table_may_be_partitioned_in_any_way(project: Project, partitioning: str) -> None:
    hours_table(project, HOURS)
    project.kind(
        "daily", "select id, ts from {{ target.schema }}.hours", config=f"file_format='iceberg', {partitioning}",
        start="2024-03-09", batch_size=2,
    )  # fmt: skip
    project.run(now="2024-03-12")
    project.sql("drop table {schema}.hours purge")
    hours_table(project, HOURS.replace("id)", "id + 1)"))
    run = project.run(now="2024-03-12", start="2024-03-10", end="2024-03-11")
    assert run.messages["daily"] == "OK 1 batch"
    assert project.sql("select id from {schema}.daily where ts >= '2024-03-10' and ts < '2024-03-11' order by ts") == [
        (id,) for id in range(3, 27)
    ]
    assert project.sql("select count(*), count(distinct ts) from {schema}.daily") == [(52, 52)]


def test_an_iceberg_table_without_partitions_is_replaced_by_range(project: Project) -> None:
    hours_table(project, HOURS)
    project.kind(
        "daily", "select id, ts from {{ target.schema }}.hours", config="file_format='iceberg'",
        start="2024-03-09", partition_by_time_column=False,
    )  # fmt: skip
    project.run(now="2024-03-12")
    project.run(now="2024-03-12", start="2024-03-10", end="2024-03-11")
    assert project.rows("select id, ts from {schema}.daily") == project.rows(
        "select id, ts from {schema}.hours where id < 52"
    )


def test_a_parquet_table_may_have_more_partition_columns_and_nulls_in_them(project: Project) -> None:
    hours_table(project, f"cast({HOURS} as date)")
    query = r"select id, ts, nullif(concat('a\'b\\', id % 2), 'a\'b\\1') as `part key` from {{ target.schema }}.hours"
    project.kind("daily", query, config="file_format='parquet', partition_by=['TS', '`part key`']", start="2024-03-09")
    project.run(now="2024-03-12")
    project.sql("drop table {schema}.hours purge")
    hours_table(project, f"cast({HOURS} as date)")
    project.sql("insert overwrite {schema}.hours select * from values (4, date '2024-03-10')")
    project.run(now="2024-03-12", start="2024-03-10", end="2024-03-11")
    assert project.sql("select id, `part key` from {schema}.daily where ts = '2024-03-10'") == [(4, "a'b\\0")]
    project.sql("insert overwrite {schema}.hours select * from values (5, date '2024-03-10')")
    project.run(now="2024-03-12", start="2024-03-10", end="2024-03-11")
    assert project.sql("select id, `part key` from {schema}.daily where ts = '2024-03-10'") == [(5, None)]
    project.sql("insert overwrite {schema}.hours select * from values (4, date '2024-03-10')")
    project.run(now="2024-03-12", start="2024-03-10", end="2024-03-11")
    assert project.sql("select id, `part key` from {schema}.daily where ts = '2024-03-10'") == [(4, "a'b\\0")]
    assert project.sql("select count(*) from {schema}.daily where ts <> '2024-03-10'") == [(28,)]


def test_an_orc_table_is_replaced_by_partition_too(project: Project) -> None:
    hours_table(project, f"cast({HOURS} as date)")
    project.kind(
        "daily", "select id, ts from {{ target.schema }}.hours", config="file_format='orc'", start="2024-03-09"
    )
    project.run(now="2024-03-12")
    project.sql("insert overwrite {schema}.hours select * from values (4, date '2024-03-10')")
    project.run(now="2024-03-12", start="2024-03-10", end="2024-03-12")
    assert project.sql("select ts, count(*) from {schema}.daily group by ts order by ts") == [
        (date(2024, 3, 9), 4),
        (date(2024, 3, 10), 1),
    ]


@pytest.mark.parametrize("unit, batches", rest([("month", 3), ("week", 13), ("quarter", 1)], ("month", 3)))
def test_calendar_units_are_replaced_whole(project: Project, file_format: str, unit: str, batches: int) -> None:
    project.sql("create schema if not exists {schema}")
    project.sql(
        "create table {schema}.days using parquet as "
        "select cast(id as int) as id, date_add(date '2024-01-01', cast(id as int)) as ts from range(100)"
    )
    project.kind(
        "calendar", "select id, ts from {{ target.schema }}.days", config=f"file_format='{file_format}'",
        interval_unit=unit, batch_size=1,
    )  # fmt: skip
    run = project.run(now="2024-04-02")
    assert len(run.batches("calendar")) == batches
    assert project.rows("select * from {schema}.calendar") == project.rows(
        "select * from {schema}.days where ts < '2024-04-01'"
    )


@pytest.mark.core
@pytest.mark.parametrize("zone", rest(["America/New_York", "Asia/Kolkata"], "America/New_York"))
def test_the_time_zone_of_the_session_does_not_move_rows(project: Project, zone: str) -> None:
    hours_table(project, HOURS)
    project.target["server_side_parameters"]["spark.sql.session.timeZone"] = zone
    project.kind(
        "daily", "select id, ts from {{ target.schema }}.hours where ts between {{ dbt_kinds.start_dt() }} and {{ dbt_kinds.end_dt() }}",
        config="file_format='iceberg'", start="2024-03-09", batch_size=1,
    )  # fmt: skip
    try:
        project.run(now="2024-03-12 01:00:00")
        project.run(now="2024-03-12 01:00:00", start="2024-03-10", end="2024-03-11")
    finally:
        project.sql("set spark.sql.session.timeZone = UTC")
    assert project.rows("select id, ts from {schema}.daily") == project.rows(
        "select id, ts from {schema}.hours where id < 52"
    )


def test_every_time_variable_is_a_literal_that_spark_reads_as_its_type(project: Project) -> None:
    suffixes = ("dt", "dtntz", "date", "ds", "ts", "tstz", "epoch", "millis", "hour")
    variables = [f"{prefix}_{suffix}" for prefix in ("start", "end", "execution") for suffix in suffixes]
    columns = ", ".join(f"cast({{{{ dbt_kinds.{name}() }}}} as string) as {name}" for name in variables)
    types = ", ".join(f"typeof({{{{ dbt_kinds.{name}() }}}}) as type_of_{name}" for name in variables)
    query = f"select {{{{ dbt_kinds.start_dt() }}}} as ts, {columns}, {types}"
    project.kind("literals", query, config="file_format='iceberg'", start="2024-03-03")
    project.run(now="2024-03-05 07:08:09")
    kinds = ["timestamp", "timestamp_ntz", "date", "string", "string", "string"]
    assert project.sql(f"select {', '.join(f'type_of_{name}' for name in variables)} from {{schema}}.literals") == [
        (*kinds, "int", "bigint", "int", *kinds, "decimal(16,6)", "bigint", "int", *kinds, "int", "bigint", "int")
    ]
    start, end, now = "2024-03-03", "2024-03-04 23:59:59.999999", "2024-03-05 07:08:09"
    midnight = f"{start} 00:00:00"
    assert project.sql(f"select {', '.join(variables)} from {{schema}}.literals") == [
        (
            midnight, midnight, start, start, midnight, f"{midnight}+00:00", "1709424000", "1709424000000", "0",
            end, end, end[:10], end[:10], end, f"{end}+00:00", "1709596799.999999", "1709596799999", "23",
            now, now, now[:10], now[:10], now, f"{now}+00:00", "1709622489", "1709622489000", "7",
        )
    ]  # fmt: skip

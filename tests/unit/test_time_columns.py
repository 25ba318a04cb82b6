"""How a time column bounds a batch: formats, literals by the column's type, and the partitions that follow from it."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.unit.macros import CompilerError, Macros, node

MACROS = Macros()

DAYS = ["2024-03-03T00:00:00", "2024-03-05T00:00:00"]
HOURS = ["2024-03-03T10:00:00", "2024-03-03T12:00:00"]
MONTHS = ["2024-02-01T00:00:00", "2024-03-01T00:00:00"]
# what allow_partials leaves of a day
PART_OF_A_DAY = ["2024-03-04T00:00:00", "2024-03-04T09:45:30"]


def options_of(unit: str = "day", time_format: str | None = None, **options: Any) -> dict[str, Any]:
    column = {"column": "at", "format": time_format} if time_format else "at"
    read: dict[str, Any] = MACROS.options(node(time_column=column, interval_unit=unit, **options))
    return read


def values_of(data_type: str, unit: str = "day", time_format: str | None = None) -> dict[str, Any]:
    values: dict[str, Any] = MACROS.time_column_values(options_of(unit, time_format), data_type)
    return values


def refusal_of(data_type: str, unit: str = "day", time_format: str | None = None) -> str:
    with pytest.raises(CompilerError) as refused:
        values_of(data_type, unit, time_format)
    return str(refused.value).removeprefix("dbt_kinds: model orders: ")


# --- formats


@pytest.mark.parametrize(
    ("time_format", "strftime", "smallest_part"),
    [
        ("%Y", "%Y", "year"),
        ("%Y-%m", "%Y-%m", "month"),
        ("%Y%m", "%Y%m", "month"),
        ("%Y-%m-%d", "%Y-%m-%d", "day"),
        ("%Y%m%d", "%Y%m%d", "day"),
        ("%Y/%m/%d", "%Y/%m/%d", "day"),
        ("%Y%m%d%H", "%Y%m%d%H", "hour"),
        ("%Y-%m-%dT%H:%M", "%Y-%m-%dT%H:%M", "minute"),
        ("%Y-%m-%d %H:%M:%S", "%Y-%m-%d %H:%M:%S", "second"),
        ("%Y-%m-%d 00:00:00", "%Y-%m-%d 00:00:00", "day"),
        ("yyyy", "%Y", "year"),
        ("yyyyMM", "%Y%m", "month"),
        ("yyyy-MM", "%Y-%m", "month"),
        ("yyyyMMdd", "%Y%m%d", "day"),
        ("yyyy-MM-dd", "%Y-%m-%d", "day"),
        ("yyyyMMddHH", "%Y%m%d%H", "hour"),
        ("yyyyMMddHHmm", "%Y%m%d%H%M", "minute"),
        ("yyyy-MM-dd HH:mm", "%Y-%m-%d %H:%M", "minute"),
        ("yyyyMMddHHmmss", "%Y%m%d%H%M%S", "second"),
        ("yyyy-MM-dd'T'HH:mm:ss", "%Y-%m-%dT%H:%M:%S", "second"),
        ("yyyy-MM-dd'T'HH:mm:ss'Z'", "%Y-%m-%dT%H:%M:%SZ", "second"),
    ],
)
def test_a_format_is_strftime_or_a_spark_pattern(time_format: str, strftime: str, smallest_part: str) -> None:
    assert MACROS.time_format("orders", time_format) == {"strftime": strftime, "unit": smallest_part}


@pytest.mark.parametrize(
    "time_format",
    [
        *("%d.%m.%Y", "%m/%d/%Y", "%Y-%d-%m", "%m-%d", "%H:%M", "%y%m%d", "%Y-%b-%d", "%Y%j", "%Y-W%V", "%s"),
        *("%Y-%m-%d %I", "%Y-%m-%d %H:%M:%S.%f", "%Y-%d", "%Y-%Y", "%F", "%Y-%m-%-d", "%Y-%-m", "%"),
        *("dd.MM.yyyy", "MM-dd", "yyyy-dd", "yy-MM-dd", "yyyy-M-d", "yyyy-MMM-dd", "yyyyDDD", "YYYY-MM-dd"),
        *("yyyy-mm-dd", "yyyyMMdd hh", "yyyy-MM-dd HH:mm:ss.SSS", "HH:mm", "ds", "'yyyy'", "-"),
    ],
)
def test_a_format_that_does_not_sort_as_time_does_is_refused(time_format: str) -> None:
    with pytest.raises(CompilerError) as refused:
        MACROS.time_format("orders", time_format)
    assert str(refused.value) == (
        f"dbt_kinds: model orders: the format '{time_format}' of time_column does not sort as time does; its parts "
        "must run from the year downwards, as in %Y-%m-%d, %Y%m%d%H or yyyyMMdd"
    )


FORMATS = ["%Y", "%Y%m", "%Y-%m-%d", "%Y%m%d%H", "%Y/%m/%d %H:%M", "%Y-%m-%dT%H:%M:%S"]
instants = st.datetimes(datetime(1900, 1, 1), datetime(2999, 1, 1)).map(lambda at: at.replace(microsecond=0))


@settings(max_examples=settings().max_examples // 10)
@given(st.sampled_from(FORMATS), instants, instants)
def test_formatted_text_sorts_as_time_does(time_format: str, one: datetime, other: datetime) -> None:
    strftime = MACROS.time_format("orders", time_format)["strftime"]
    earlier, later = sorted([one, other])
    assert earlier.strftime(strftime) <= later.strftime(strftime)


# --- values by type


@pytest.mark.parametrize(
    ("data_type", "time_format", "write", "strftime"),
    [
        ("timestamp", None, "timestamp", None),
        ("TIMESTAMP", None, "timestamp", None),
        ("timestamp_ntz", None, "timestamp_ntz", None),
        ("date", None, "date", None),
        ("string", None, "string", "%Y-%m-%d"),
        ("string", "yyyy-MM-dd", "string", "%Y-%m-%d"),
        ("varchar(10)", None, "string", "%Y-%m-%d"),
        ("char(8)", "%Y%m%d", "string", "%Y%m%d"),
        ("int", "%Y%m%d", "integer", "%Y%m%d"),
        ("bigint", "%Y%m%d%H%M%S", "integer", "%Y%m%d%H%M%S"),
        ("int", "yyyyMMdd", "integer", "%Y%m%d"),
    ],
)
def test_a_column_is_written_by_its_type(
    data_type: str, time_format: str | None, write: str, strftime: str | None
) -> None:
    values = values_of(data_type, time_format=time_format)
    assert (values["write"], values["strftime"]) == (write, strftime)


@pytest.mark.parametrize(
    "data_type",
    [
        "int",
        "bigint",
        "boolean",
        "double",
        "decimal(10,0)",
        "binary",
        "array<date>",
        "struct<at:timestamp>",
        "interval day",
    ],
)
def test_a_column_that_cannot_be_bounded_by_time_is_refused(data_type: str) -> None:
    assert refusal_of(data_type) == (
        f"time_column 'at' has the type {data_type}, which cannot be bounded by time; use a date, a timestamp or a "
        "string, or an integer with a format such as {'column': 'at', 'format': '%Y%m%d'}"
    )


@pytest.mark.parametrize("data_type", ["double", "boolean", "array<string>"])
def test_a_format_helps_integers_and_strings_alone(data_type: str) -> None:
    assert "cannot be bounded by time" in refusal_of(data_type, time_format="%Y%m%d")


def test_a_format_that_does_not_sort_is_refused_for_a_column() -> None:
    assert "the format '%d.%m.%Y' of time_column does not sort as time does" in refusal_of("string", "day", "%d.%m.%Y")


# every grid on which an hour, a day, a month, a year is cut somewhere inside
COARSER = [
    ("date", None, "day", ["hour", "half_hour", "quarter_hour", "five_minute", "6 hours", "36 hours", "95 minutes"]),
    ("string", None, "day", ["hour", "half_hour", "25 hours"]),
    ("string", "%Y%m%d%H", "hour", ["half_hour", "quarter_hour", "five_minute", "90 minutes", "35 minutes"]),
    ("string", "yyyy-MM", "month", ["day", "week", "30 days", "hour"]),
    ("int", "%Y", "year", ["month", "quarter", "6 months", "18 months", "5 quarters", "week", "day"]),
]
FINE_ENOUGH = [
    ("timestamp", None, ["year", "week", "day", "hour", "five_minute", "95 minutes"]),
    ("timestamp_ntz", None, ["month", "day", "five_minute"]),
    ("date", None, ["day", "5 days", "week", "month", "quarter", "year", "24 hours", "48 hours", "1440 minutes"]),
    ("string", "%Y%m%d%H", ["hour", "5 hours", "60 minutes", "day", "month"]),
    ("string", "%Y-%m-%dT%H:%M", ["five_minute", "hour"]),
    ("string", "%Y-%m-%d %H:%M:%S", ["five_minute", "year"]),
    ("string", "%Y-%m", ["month", "2 months", "quarter", "year"]),
    ("int", "%Y", ["year", "2 years", "12 months", "4 quarters"]),
]


@pytest.mark.parametrize(
    ("data_type", "time_format", "precision", "unit"),
    [(data_type, written, precision, unit) for data_type, written, precision, units in COARSER for unit in units],
)
def test_a_column_coarser_than_the_unit_is_refused(
    data_type: str, time_format: str | None, precision: str, unit: str
) -> None:
    assert refusal_of(data_type, unit, time_format) == (
        f"time_column 'at' is only as fine as a {precision}, so an interval of one {unit} could not "
        f"be replaced alone; use a finer column, or set interval_unit: {precision}"
    )


@pytest.mark.parametrize(
    ("data_type", "time_format", "unit"),
    [(data_type, written, unit) for data_type, written, units in FINE_ENOUGH for unit in units],
)
def test_a_column_as_fine_as_the_unit_will_do(data_type: str, time_format: str | None, unit: str) -> None:
    values_of(data_type, unit, time_format)


# --- the filter


@pytest.mark.parametrize(
    ("data_type", "time_format", "unit", "batch", "low", "high"),
    [
        (
            *("timestamp", None, "day", DAYS),
            *("timestamp '2024-03-03 00:00:00+00:00'", "timestamp '2024-03-05 00:00:00+00:00'"),
        ),
        (
            *("timestamp", None, "hour", HOURS),
            *("timestamp '2024-03-03 10:00:00+00:00'", "timestamp '2024-03-03 12:00:00+00:00'"),
        ),
        (
            *("timestamp", None, "day", PART_OF_A_DAY),
            *("timestamp '2024-03-04 00:00:00+00:00'", "timestamp '2024-03-04 09:45:30+00:00'"),
        ),
        (
            *("timestamp_ntz", None, "day", DAYS),
            *("timestamp_ntz '2024-03-03 00:00:00'", "timestamp_ntz '2024-03-05 00:00:00'"),
        ),
        (
            *("timestamp_ntz", None, "day", PART_OF_A_DAY),
            *("timestamp_ntz '2024-03-04 00:00:00'", "timestamp_ntz '2024-03-04 09:45:30'"),
        ),
        ("date", None, "day", DAYS, "date '2024-03-03'", "date '2024-03-05'"),
        ("date", None, "month", MONTHS, "date '2024-02-01'", "date '2024-03-01'"),
        ("date", None, "day", PART_OF_A_DAY, "date '2024-03-04'", "date '2024-03-05'"),
        ("string", None, "day", DAYS, "'2024-03-03'", "'2024-03-05'"),
        ("string", None, "day", PART_OF_A_DAY, "'2024-03-04'", "'2024-03-05'"),
        ("varchar(8)", "%Y%m%d", "day", DAYS, "'20240303'", "'20240305'"),
        ("string", "yyyy-MM-dd", "day", DAYS, "'2024-03-03'", "'2024-03-05'"),
        ("string", "yyyyMMdd", "day", DAYS, "'20240303'", "'20240305'"),
        ("string", "%Y%m%d%H", "hour", HOURS, "'2024030310'", "'2024030312'"),
        ("string", "%Y%m%d%H", "day", PART_OF_A_DAY, "'2024030400'", "'2024030410'"),
        ("string", "yyyy-MM-dd HH:mm", "day", PART_OF_A_DAY, "'2024-03-04 00:00'", "'2024-03-04 09:46'"),
        ("string", "%Y-%m-%dT%H:%M:%S", "day", PART_OF_A_DAY, "'2024-03-04T00:00:00'", "'2024-03-04T09:45:30'"),
        ("string", "%Y-%m", "month", MONTHS, "'2024-02'", "'2024-03'"),
        ("string", "%Y-%m", "month", ["2024-02-01T00:00:00", "2024-02-29T12:00:00"], "'2024-02'", "'2024-03'"),
        ("int", "%Y", "year", ["2023-01-01T00:00:00", "2024-06-01T00:00:00"], "2023", "2025"),
        ("int", "%Y%m%d", "day", DAYS, "20240303", "20240305"),
        ("int", "yyyyMMdd", "day", PART_OF_A_DAY, "20240304", "20240305"),
        ("bigint", "%Y%m%d%H", "hour", HOURS, "2024030310", "2024030312"),
        ("int", "%Y%m", "month", ["2023-12-01T00:00:00", "2024-01-01T00:00:00"], "202312", "202401"),
    ],
)
def test_a_batch_is_bounded_below_and_excluded_above(
    data_type: str, time_format: str | None, unit: str, batch: list[str], low: str, high: str
) -> None:
    condition = MACROS.range_condition("`at`", values_of(data_type, unit, time_format), batch)
    assert condition == f"`at` >= {low} and `at` < {high}"


@pytest.mark.parametrize(
    ("data_type", "time_format"), [("timestamp", None), ("date", None), ("string", None), ("int", "%Y%m%d")]
)
def test_neighbouring_batches_share_one_bound(data_type: str, time_format: str | None) -> None:
    values = values_of(data_type, time_format=time_format)
    one = MACROS.range_condition("at", values, ["2024-02-28T00:00:00", "2024-03-01T00:00:00"])
    next_one = MACROS.range_condition("at", values, ["2024-03-01T00:00:00", "2024-03-02T00:00:00"])
    assert one.split(" < ")[1] == next_one.split(" and ")[0].removeprefix("at >= ")


@settings(max_examples=settings().max_examples // 10)
@given(st.sampled_from(FORMATS[2:]), instants, st.integers(1, 9), st.integers(-9, 9 * 86400))
def test_the_filter_of_a_batch_of_days_tells_its_rows_from_all_others(
    time_format: str, at: datetime, days: int, seconds: int
) -> None:
    start = at.replace(hour=0, minute=0, second=0)
    end, row = start + timedelta(days=days), start + timedelta(seconds=seconds)
    condition = MACROS.range_condition(
        "at", values_of("string", "day", time_format), [start.isoformat(), end.isoformat()]
    )
    low, high = condition.removeprefix("at >= ").split(" and at < ")
    assert (low <= f"'{row.strftime(time_format)}'" < high) == (start <= row < end)


def test_the_filter_wraps_the_query_and_leaves_its_own_where_alone() -> None:
    filtered = MACROS.filtered_query("select * from raw where a or b -- why", "at >= 1 and at < 2")
    assert filtered == "select * from (\nselect * from raw where a or b -- why\n) where at >= 1 and at < 2"


# --- partitions


@pytest.mark.parametrize(
    ("file_format", "data_type", "time_format", "unit", "partitioning"),
    [
        ("iceberg", "timestamp", None, "year", ["months(`at`)"]),
        ("iceberg", "timestamp", None, "month", ["months(`at`)"]),
        ("iceberg", "timestamp", None, "week", ["days(`at`)"]),
        ("iceberg", "timestamp", None, "day", ["days(`at`)"]),
        ("iceberg", "timestamp", None, "5 days", ["days(`at`)"]),
        ("iceberg", "timestamp", None, "48 hours", ["days(`at`)"]),
        ("iceberg", "timestamp", None, "hour", ["hours(`at`)"]),
        ("iceberg", "timestamp", None, "36 hours", ["hours(`at`)"]),
        ("iceberg", "timestamp", None, "five_minute", ["hours(`at`)"]),
        ("iceberg", "timestamp_ntz", None, "day", ["days(`at`)"]),
        ("iceberg", "date", None, "day", ["`at`"]),
        ("iceberg", "date", None, "week", ["`at`"]),
        ("iceberg", "date", None, "month", ["months(`at`)"]),
        ("iceberg", "string", None, "day", ["`at`"]),
        ("iceberg", "string", None, "month", ["`at`"]),
        ("iceberg", "int", "%Y%m%d", "day", ["`at`"]),
        ("iceberg", "string", "%Y-%m-%d %H", "day", ["`at`"]),
        ("iceberg", "string", "%Y-%m-%d %H:%M:%S", "day", []),
        ("delta", "timestamp", None, "day", []),
        ("delta", "date", None, "day", ["`at`"]),
        ("parquet", "date", None, "month", ["`at`"]),
        ("orc", "string", None, "day", ["`at`"]),
    ],
)
def test_a_table_is_partitioned_by_time_as_fine_as_its_intervals(
    file_format: str, data_type: str, time_format: str | None, unit: str, partitioning: list[str]
) -> None:
    options = options_of(unit, time_format, file_format=file_format)
    values = MACROS.time_column_values(options, data_type)
    assert MACROS.time_partitioning(options, "`at`", values) == partitioning


@pytest.mark.parametrize("file_format", ["iceberg", "parquet"])
def test_partition_by_wins_as_it_is(file_format: str) -> None:
    options = options_of(file_format=file_format, partition_by=["region", "days(at)"], partition_by_time_column=False)
    values = MACROS.time_column_values(options, "timestamp")
    assert MACROS.time_partitioning(options, "`at`", values) == ["region", "days(at)"]


@pytest.mark.parametrize("file_format", ["iceberg", "delta", "parquet"])
def test_a_table_need_not_be_partitioned(file_format: str) -> None:
    options = options_of(file_format=file_format, partition_by_time_column=False)
    assert MACROS.time_partitioning(options, "`at`", MACROS.time_column_values(options, "timestamp")) == []


@pytest.mark.parametrize(
    ("partitioning", "unit", "whole"),
    [
        (["at"], "five_minute", True),
        (["`at`"], "day", True),
        (["AT"], "day", True),
        (["region", "at"], "day", True),
        (["days(at)"], "day", True),
        (["days(`at`)"], "day", True),
        ([" Days( at ) "], "5 days", True),
        (["day(at)"], "48 hours", True),
        (["days(at)"], "week", True),
        (["days(at)"], "month", True),
        (["days(at)"], "hour", False),
        (["days(at)"], "36 hours", False),
        (["hours(at)"], "hour", True),
        (["hour(at)"], "36 hours", True),
        (["hours(at)"], "day", True),
        (["hours(at)"], "year", True),
        (["hours(at)"], "half_hour", False),
        (["hours(at)"], "95 minutes", False),
        (["months(at)"], "month", True),
        (["month(at)"], "quarter", True),
        (["months(at)"], "year", True),
        (["months(at)"], "week", False),
        (["months(at)"], "30 days", False),
        (["years(at)"], "year", True),
        (["year(at)"], "2 years", True),
        (["years(at)"], "4 quarters", True),
        (["years(at)"], "quarter", False),
        (["years(at)"], "day", False),
        (["months(at)", "days(at)"], "day", True),
        ([], "day", False),
        (["region"], "day", False),
        (["days(paid_at)"], "day", False),
        (["bucket(8, at)"], "day", False),
        (["truncate(4, at)"], "day", False),
        (["at_day"], "day", False),
    ],
)
def test_are_whole_partitions(partitioning: list[str], unit: str, whole: bool) -> None:
    interval_unit = MACROS.interval_unit("orders", unit)
    assert MACROS.are_whole_partitions(partitioning, "at", interval_unit) == whole

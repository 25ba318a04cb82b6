"""What a model's SQL gets for a time variable, how a window takes its place, and the hash that no window changes."""

from __future__ import annotations

import functools
import zoneinfo
from datetime import datetime, timedelta
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.unit.macros import Macros, node

SUFFIXES = ["dt", "dtntz", "date", "ds", "ts", "tstz", "epoch", "millis", "hour"]
VARIABLES = [(prefix, suffix) for prefix in ("start", "end", "execution") for suffix in SUFFIXES]

DAYS = ["2024-03-03T00:00:00", "2024-03-05T00:00:00"]
HOURS = ["2024-03-03T10:00:00", "2024-03-03T12:00:00"]
MONTH = ["2024-02-01T00:00:00", "2024-03-01T00:00:00"]
EXECUTION_TIME = "2024-03-05T07:08:09"
MACROS = Macros()

# one line a suffix: start and end of the day window, of the hour window and of the month; the execution time
LITERALS = {
    "dt": [
        *("timestamp '2024-03-03 00:00:00+00:00'", "timestamp '2024-03-04 23:59:59.999999+00:00'"),
        *("timestamp '2024-03-03 10:00:00+00:00'", "timestamp '2024-03-03 11:59:59.999999+00:00'"),
        *("timestamp '2024-02-01 00:00:00+00:00'", "timestamp '2024-02-29 23:59:59.999999+00:00'"),
        "timestamp '2024-03-05 07:08:09+00:00'",
    ],
    "dtntz": [
        *("timestamp_ntz '2024-03-03 00:00:00'", "timestamp_ntz '2024-03-04 23:59:59.999999'"),
        *("timestamp_ntz '2024-03-03 10:00:00'", "timestamp_ntz '2024-03-03 11:59:59.999999'"),
        *("timestamp_ntz '2024-02-01 00:00:00'", "timestamp_ntz '2024-02-29 23:59:59.999999'"),
        "timestamp_ntz '2024-03-05 07:08:09'",
    ],
    "date": [
        *("date '2024-03-03'", "date '2024-03-04'"),
        *("date '2024-03-03'", "date '2024-03-03'"),
        *("date '2024-02-01'", "date '2024-02-29'"),
        "date '2024-03-05'",
    ],
    "ds": [
        *("'2024-03-03'", "'2024-03-04'"),
        *("'2024-03-03'", "'2024-03-03'"),
        *("'2024-02-01'", "'2024-02-29'"),
        "'2024-03-05'",
    ],
    "ts": [
        *("'2024-03-03 00:00:00'", "'2024-03-04 23:59:59.999999'"),
        *("'2024-03-03 10:00:00'", "'2024-03-03 11:59:59.999999'"),
        *("'2024-02-01 00:00:00'", "'2024-02-29 23:59:59.999999'"),
        "'2024-03-05 07:08:09'",
    ],
    "tstz": [
        *("'2024-03-03 00:00:00+00:00'", "'2024-03-04 23:59:59.999999+00:00'"),
        *("'2024-03-03 10:00:00+00:00'", "'2024-03-03 11:59:59.999999+00:00'"),
        *("'2024-02-01 00:00:00+00:00'", "'2024-02-29 23:59:59.999999+00:00'"),
        "'2024-03-05 07:08:09+00:00'",
    ],
    "epoch": [
        *("1709424000", "1709596799.999999"),
        *("1709460000", "1709467199.999999"),
        *("1706745600", "1709251199.999999"),
        "1709622489",
    ],
    "millis": [
        *("1709424000000", "1709596799999"),
        *("1709460000000", "1709467199999"),
        *("1706745600000", "1709251199999"),
        "1709622489000",
    ],
    "hour": ["0", "23", "10", "11", "0", "23", "7"],
}
COLUMNS = [("start", DAYS), ("end", DAYS), ("start", HOURS), ("end", HOURS), ("start", MONTH), ("end", MONTH)]


@functools.cache
def macros_of_window(start: str, end: str) -> Macros:
    variables = {"kinds_start": start, "kinds_end": end, "kinds_execution_time": EXECUTION_TIME}
    return Macros(variables=variables, node=node(time_column="ordered_at"))


def variable(prefix: str, suffix: str, window: list[str]) -> str:
    """The text a model's SQL gets when it calls that macro outside a run."""
    return str(getattr(macros_of_window(*window), f"{prefix}_{suffix}")())


@pytest.mark.parametrize(
    ("prefix", "suffix", "window", "literal"),
    [
        (prefix, suffix, window, literal)
        for suffix, literals in LITERALS.items()
        for (prefix, window), literal in zip([*COLUMNS, ("execution", DAYS)], literals, strict=True)
    ],
)
def test_a_time_variable_is_a_complete_literal(prefix: str, suffix: str, window: list[str], literal: str) -> None:
    assert MACROS.window_literal(prefix, suffix, window, EXECUTION_TIME) == literal
    assert variable(prefix, suffix, window) == f"/*kinds:{prefix}_{suffix}*/ {literal}"


@pytest.mark.parametrize(
    ("suffix", "instant", "last_inside", "literal"),
    [
        ("epoch", "1970-01-01T00:00:00", False, "0"),
        ("epoch", "1969-12-31T00:00:00", False, "-86400"),
        ("epoch", "1970-01-01T00:00:00", True, "-0.000001"),
        ("epoch", "1969-12-31T00:00:00", True, "-86400.000001"),
        ("millis", "1969-12-31T00:00:00", False, "-86400000"),
        ("millis", "1970-01-01T00:00:00", True, "-1"),
        ("dt", "1970-01-01T00:00:00", True, "timestamp '1969-12-31 23:59:59.999999+00:00'"),
        ("ds", "2024-03-01T00:00:00", True, "'2024-02-29'"),
        ("date", "2024-03-01T00:00:01", True, "date '2024-03-01'"),
        ("ts", "2024-03-01T00:00:01", True, "'2024-03-01 00:00:00.999999'"),
        ("hour", "2024-03-01T00:00:00", True, "23"),
        ("hour", "2024-03-01T00:05:00", True, "0"),
    ],
)
def test_the_end_is_the_last_microsecond_inside(suffix: str, instant: str, last_inside: bool, literal: str) -> None:
    assert MACROS.time_literal(suffix, instant, last_inside=last_inside) == literal


# --- windows take the place of sentinels

OTHER_DAYS = ["1999-12-30T00:00:00", "2000-01-01T00:00:00"]
OTHER_EXECUTION_TIME = "2000-01-02T03:04:05"


def substituted(sql: str, window: list[str] = OTHER_DAYS, execution_time: str = OTHER_EXECUTION_TIME) -> str:
    return str(MACROS.substitute_window(sql, window, execution_time))


def literal_of(prefix: str, suffix: str) -> str:
    return str(MACROS.window_literal(prefix, suffix, OTHER_DAYS, OTHER_EXECUTION_TIME))


@pytest.mark.parametrize("window", [DAYS, HOURS], ids=["days", "hours"])
@pytest.mark.parametrize(("prefix", "suffix"), VARIABLES)
def test_another_window_takes_the_place_of_a_time_variable(prefix: str, suffix: str, window: list[str]) -> None:
    sql = f"select * from t\nwhere x = {variable(prefix, suffix, window)} and y = 'it''s'"
    assert substituted(sql) == f"select * from t\nwhere x = {literal_of(prefix, suffix)} and y = 'it''s'"


def test_all_time_variables_of_a_query_are_exchanged_at_once() -> None:
    separator = ",\n  "
    sql = "select " + separator.join(variable(*name, DAYS) for name in VARIABLES * 2)
    assert substituted(sql) == "select " + separator.join(literal_of(*name) for name in VARIABLES * 2)


@pytest.mark.parametrize(
    "after", ["", ")", ",", ";", "\n", " - 3600", "-3600", " -- a note", "--a note", "/*note*/", "::int"]
)
@pytest.mark.parametrize(
    ("prefix", "suffix"), [("start", "dt"), ("start", "epoch"), ("end", "epoch"), ("start", "hour")]
)
def test_text_right_after_a_time_variable_is_left_alone(prefix: str, suffix: str, after: str) -> None:
    assert substituted(variable(prefix, suffix, HOURS) + after) == literal_of(prefix, suffix) + after


@pytest.mark.parametrize(
    "sql",
    [
        "",
        "select 1 -- no time at all",
        "select '2024-03-03', timestamp '2024-03-03 00:00:00+00:00' /* start_dt */",
        r"select 'a\\1b' /* \g<0> */",
        "select * from t where ds = '/*start_ds*/ 2024'",
    ],
)
def test_a_query_without_time_variables_is_left_alone(sql: str) -> None:
    assert substituted(sql) == sql
    assert MACROS.symbolic_query(sql) == sql


# --- the query without a window

instants = st.datetimes(datetime(1971, 1, 1), datetime(2100, 1, 1)).map(lambda at: at.strftime("%Y-%m-%dT%H:%M:%S"))


def query(window: list[str], execution_time: str) -> str:
    lines = []
    for prefix, suffix in VARIABLES:
        literal = MACROS.window_literal(prefix, suffix, window, execution_time)
        lines.append(f"  /*kinds:{prefix}_{suffix}*/ {literal} as {prefix}_{suffix}")
    return "select\n" + ",\n".join(lines) + "\nfrom t where ds = '2024-01-01'"


@settings(max_examples=settings().max_examples // 20)
@given(st.lists(instants, min_size=2, max_size=2), instants)
def test_the_symbolic_query_is_the_same_for_every_window(window: list[str], execution_time: str) -> None:
    symbolic = MACROS.symbolic_query(query(window, execution_time))
    assert symbolic == MACROS.symbolic_query(query(DAYS, EXECUTION_TIME))
    assert "/*kinds:start_dt*/ as start_dt,\n" in symbolic
    assert symbolic.endswith("/*kinds:execution_hour*/ as execution_hour\nfrom t where ds = '2024-01-01'")


def model_hash(sql: str, **options: Any) -> str:
    return str(MACROS.model_hash(MACROS.options(node(**{"time_column": "ordered_at", **options})), sql))


SQL = f"select id, ordered_at\nfrom raw\nwhere ordered_at >= /*kinds:start_dt*/ timestamp '{DAYS[0]}'"


@pytest.mark.parametrize(
    ("sql", "options"),
    [
        pytest.param(SQL, {}, id="the same"),
        pytest.param(SQL.replace("2024", "2023"), {}, id="another window"),
        pytest.param(f"\n\n{SQL}\n   \n", {}, id="blank lines around"),
        pytest.param(SQL.replace("\n", "\n\n \t\n"), {}, id="blank lines inside"),
        pytest.param(SQL.replace("\n", "  \n"), {}, id="spaces at line ends"),
        pytest.param(SQL.replace("\n", "\r\n"), {}, id="line ends of another system"),
        pytest.param(SQL, {"cron": "@hourly", "interval_unit": "day"}, id="another cron"),
        pytest.param(SQL, {"lookback": 3, "batch_size": 4, "start": "2024-01-01"}, id="options of the plan alone"),
        pytest.param(SQL, {"interval_unit": "1 day"}, id="the unit in other words"),
    ],
)
def test_the_hash_stays(sql: str, options: dict[str, Any]) -> None:
    assert model_hash(sql, **options) == model_hash(SQL)


@pytest.mark.parametrize(
    ("sql", "options"),
    [
        pytest.param(SQL.replace("id,", "id, 1 as one,"), {}, id="another column"),
        pytest.param(SQL.replace("start_dt", "end_dt"), {}, id="another time variable"),
        pytest.param(SQL.replace("id, ", "id,"), {}, id="spaces inside a line"),
        pytest.param(SQL.replace("\nfrom", "\n  from"), {}, id="indentation"),
        pytest.param(SQL, {"time_column": "paid_at"}, id="another time column"),
        pytest.param(SQL, {"time_column": {"column": "ordered_at", "format": "%Y%m%d"}}, id="a format"),
        pytest.param(SQL, {"interval_unit": "month"}, id="another unit"),
        pytest.param(SQL, {"cron": "@monthly"}, id="another unit, by the cron"),
        pytest.param(SQL, {"cron": "@weekly"}, id="weeks"),
    ],
)
def test_the_hash_changes(sql: str, options: dict[str, Any]) -> None:
    assert model_hash(sql, **options) != model_hash(SQL)


def test_the_hash_knows_on_which_day_weeks_begin() -> None:
    assert model_hash(SQL, cron="@weekly") != model_hash(SQL, cron="@weekly", week_start="sunday")


# --- the window outside a run

CLOCK = "2024-03-05 07:08:09"


def preview(options: dict[str, Any], *, kind: str = "incremental_by_time_range", **variables: Any) -> list[str]:
    model = node(**options)
    model["config"]["materialized"] = kind
    macros = Macros(
        variables={"kinds_execution_time": CLOCK, **{f"kinds_{name}": value for name, value in variables.items()}},
        node=model,
    )
    start, end = (getattr(macros, name)().removeprefix(f"/*kinds:{name}*/ ") for name in ("start_ts", "end_ts"))
    return [start.strip("'"), end.strip("'")]


@pytest.mark.parametrize(
    ("options", "window"),
    [
        ({}, ["2024-03-04 00:00:00", "2024-03-04 23:59:59.999999"]),
        ({"cron": "@hourly"}, ["2024-03-05 06:00:00", "2024-03-05 06:59:59.999999"]),
        ({"cron": "@monthly"}, ["2024-02-01 00:00:00", "2024-02-29 23:59:59.999999"]),
        ({"interval_unit": "week"}, ["2024-02-26 00:00:00", "2024-03-03 23:59:59.999999"]),
        ({"interval_unit": "week", "week_start": "sunday"}, ["2024-02-25 00:00:00", "2024-03-02 23:59:59.999999"]),
        ({"interval_unit": "6 hours"}, ["2024-03-05 00:00:00", "2024-03-05 05:59:59.999999"]),
        ({"start": "2024-04-01"}, ["2024-03-04 00:00:00", "2024-03-04 23:59:59.999999"]),
    ],
)
def test_outside_a_run_the_window_is_the_last_whole_unit(options: dict[str, Any], window: list[str]) -> None:
    assert preview({"time_column": "ordered_at", **options}) == window


def test_a_unit_that_ends_at_the_execution_time_is_whole() -> None:
    window = preview({"time_column": "ordered_at"}, execution_time="2024-03-05")
    assert window == ["2024-03-04 00:00:00", "2024-03-04 23:59:59.999999"]


def test_outside_a_run_a_given_window_wins_as_it_is() -> None:
    window = preview({"time_column": "ordered_at"}, start="2024-01-01 06:00", end="2024-01-03 12:00")
    assert window == ["2024-01-01 06:00:00", "2024-01-03 11:59:59.999999"]


@pytest.mark.parametrize("half", [{"start": "2024-01-01"}, {"end": "2024-01-01"}])
def test_outside_a_run_half_a_window_is_none(half: dict[str, str]) -> None:
    assert preview({"time_column": "ordered_at"}, **half) == ["2024-03-04 00:00:00", "2024-03-04 23:59:59.999999"]


@pytest.mark.parametrize("kind", ["ephemeral", "view", "table"])
def test_a_model_of_no_kind_has_days(kind: str) -> None:
    window = preview({"cron": "@monthly", "interval_unit": "hour"}, kind=kind)
    assert window == ["2024-03-04 00:00:00", "2024-03-04 23:59:59.999999"]


def test_an_ephemeral_model_takes_a_given_window_too() -> None:
    window = preview({}, kind="ephemeral", start="2024-01-01", end="2024-01-02")
    assert window == ["2024-01-01 00:00:00", "2024-01-01 23:59:59.999999"]


def test_the_execution_time_is_the_same_in_every_window() -> None:
    assert variable("execution", "dt", DAYS) == variable("execution", "dt", MONTH)
    assert substituted(variable("execution", "ds", DAYS)) == "'2000-01-02'"


@pytest.mark.parametrize("zone", sorted(zoneinfo.available_timezones()))
def test_a_zone_counts_as_utc_only_if_its_clocks_never_differ(zone: str) -> None:
    if MACROS.is_utc(zone):
        clock = zoneinfo.ZoneInfo(zone)
        offsets = {
            clock.utcoffset(datetime(year, month, 1)) for year in (1850, 1911, 1944, 1970, 2024) for month in (1, 7)
        }
        assert offsets == {timedelta(0)}


def test_the_usual_names_of_utc_are_known() -> None:
    names = ["UTC", "Etc/UTC", "GMT", "Z", "+00:00", "Zulu", "Europe/London", "Africa/Abidjan", None]
    assert [name for name in names if MACROS.is_utc(name)] == names[:6]

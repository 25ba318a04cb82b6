"""Tables that were filled by other means: what adopt records of them, and what the next run then loads."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import pytest

from tests.functional.project import DAILY_EVENTS, Project, Run, events_table
from tests.sweep import rest
from tests.unit.reference_adopt import adopted
from tests.unit.reference_units import Unit

NOW = "2024-04-20 08:00:00"
MOMENT = datetime.fromisoformat(NOW)
ICEBERG = "file_format='iceberg'"


@dataclass(frozen=True)
class Column:
    """A type of time column: how Spark makes it of an instant, and what of the instant is left in it."""

    cast: str
    precision: timedelta
    units: tuple[str, ...]
    format: str | None = None


ANY = timedelta(microseconds=1)
DAY, HOUR, SECOND = timedelta(days=1), timedelta(hours=1), timedelta(seconds=1)
COLUMNS = {
    "timestamp": Column("timestamp '{at}+00:00'", ANY, ("five_minute", "hour", "6 hours", "day", "2 weeks", "month")),
    "timestamp_ntz": Column("timestamp_ntz '{at}'", ANY, ("quarter_hour", "5 hours", "day", "week", "2 months")),
    "date": Column("date '{day}'", DAY, ("day", "5 days", "week", "month", "quarter")),
    "string": Column("'{at:%Y-%m-%d}'", DAY, ("day", "month")),
    "spark pattern": Column("'{at:%Y/%m/%d %H}'", HOUR, ("hour", "day", "week"), "yyyy/MM/dd HH"),
    "seconds": Column("'{at:%Y-%m-%dT%H:%M:%S}'", SECOND, ("five_minute", "day", "2 days"), "%Y-%m-%dT%H:%M:%S"),
    "integer": Column("{at:%Y%m%d}", DAY, ("day", "week", "month"), "%Y%m%d"),
    "bigint": Column("cast({at:%Y%m%d%H} as bigint)", HOUR, ("hour", "6 hours", "day"), "yyyyMMddHH"),
}


def some_instants(seed: str) -> list[datetime]:
    """Instants of five months in heaps, across the nights in which New York's clocks change, some after the execution time."""
    chance = random.Random(seed)
    instants = []
    for _ in range(30):
        heap = datetime(2023, 10, 28) + timedelta(minutes=chance.randrange(180 * 24 * 60))
        step = chance.choice([timedelta(minutes=3), timedelta(minutes=40), timedelta(hours=5), timedelta(days=1)])
        instants += [heap + step * number for number in range(chance.randrange(1, 12))]
    night = datetime(2024, 3, 10, 5)
    instants += [night + timedelta(minutes=30 * number, microseconds=1) for number in range(12)]
    return [*instants, datetime(2024, 4, 19, 23, 59, 59, 999999)]


def kept(instants: list[datetime], precision: timedelta) -> list[datetime]:
    """What a column of that precision tells of instants, as far as adopt may take it for evidence."""
    floored = [at - (at - datetime.min) % precision for at in instants]
    return [at for at in floored if at <= MOMENT]


def fill(project: Project, name: str, values: list[str], file_format: str = "iceberg") -> None:
    """A table (id, ts) with a value of SQL for each row."""
    project.sql("create schema if not exists {schema}")
    rows = ", ".join(f"({number}, {value})" for number, value in enumerate(values))
    partitioned = "" if file_format == "iceberg" else "partitioned by (ts)"
    project.sql(
        f"create table {{schema}}.{name} using {file_format} {partitioned} as select * from values {rows} as rows (id, ts)"
    )


def adopt(project: Project, select: str, now: str = NOW, **arguments: Any) -> Run:
    return project.dbt(
        "run-operation", "dbt_kinds.adopt", "--args", json.dumps({"select": select} | arguments), now=now
    )


def found(run: Run, key: str = "adopted") -> dict[str, list[list[str]]]:
    """What adopt said of every model."""
    assert run.success, run.errors
    return {model["model"].removeprefix("model.shop."): model[key] for model in run.answer()["models"]}


def refusal(project: Project, select: str, **arguments: Any) -> str:
    run = adopt(project, select, **arguments)
    assert not run.success
    return run.errors


@pytest.fixture
def session(project: Project) -> Iterator[Callable[..., None]]:
    """Changes the time zone and the mode of Spark's session, for one test."""

    def use(zone: str = "UTC", *, raises: bool = False) -> None:
        settings = {"spark.sql.session.timeZone": zone, "spark.sql.ansi.enabled": str(raises).lower()}
        project.target["server_side_parameters"].update(settings)

    yield use
    project.sql("set spark.sql.session.timeZone = UTC")
    project.sql("set spark.sql.ansi.enabled = false")


# --- what is found


@pytest.mark.parametrize("data_type", rest(COLUMNS, "spark pattern"))
def test_whole_units_with_rows_are_found_in_any_type_of_column_unit_and_time_zone(
    project: Project, session: Callable[..., None], data_type: str
) -> None:
    column = COLUMNS[data_type]
    project.settings["models"] = {"+week_start": "sunday"}
    expected: dict[str, Any] = {"skip": {}, "trust": {}}
    for number, text in enumerate(column.units):
        instants = some_instants(f"{data_type} {text}")
        literals = [column.cast.format(at=at, day=at.date()) for at in instants]
        fill(project, f"t{number}", [*literals, "null"])
        time_column: Any = {"column": "TS", "format": column.format} if column.format else "TS"
        project.kind(
            f"t{number}", DAILY_EVENTS, config=ICEBERG, time_column=time_column, start=None, interval_unit=text
        )
        for gaps, answers in expected.items():
            answers[f"t{number}"] = adopted(
                kept(instants, column.precision), Unit.read(text, "sunday"), until=MOMENT, gaps=gaps
            )
    everything = " ".join(expected["skip"])
    assert found(adopt(project, everything)) == expected["skip"]
    assert any(len(intervals) > 1 for intervals in expected["skip"].values())
    session("America/New_York", raises=True)
    assert found(adopt(project, everything)) == expected["skip"]
    assert found(adopt(project, everything, gaps="trust")) == expected["trust"]
    assert all(len(intervals) == 1 for intervals in expected["trust"].values())


def test_text_that_is_not_of_the_format_and_rows_that_lie_in_the_future_do_not_count(
    project: Project, session: Callable[..., None]
) -> None:
    days = ["2024-01-03", "2024-01-04", "2024-01-05"]
    values = [*days, "2024-02-30", "2024-1-6", "2024-01-07 10:00", "soon", "", "9999-12-31"]
    fill(project, "orders", [f"'{value}'" for value in values] + ["null"])
    project.kind("orders", DAILY_EVENTS, config=ICEBERG)
    for raises in (False, True):
        session(raises=raises)
        run = adopt(project, "orders", gaps="trust")
        assert found(run) == {"orders": [["2024-01-03T00:00:00", "2024-01-05T00:00:00"]]}
        assert (
            "dbt_kinds: orders: 7 rows do not count: ts is NULL, not written as %Y-%m-%d, or after 2024-04-20T08:00:00"
            in run.log
        )


@pytest.mark.parametrize(
    ("values", "why"),
    [
        pytest.param([], "nothing to adopt: the table has no rows that count", marks=pytest.mark.sweep),
        (["cast(null as timestamp)"], "nothing to adopt: the table has no rows that count"),
        pytest.param(
            *(["timestamp '2024-01-03 00:00:00+00:00'"], "nothing to adopt: no interval of one day is whole"),
            marks=pytest.mark.sweep,
        ),
        (["timestamp '2024-01-03 00:00:01+00:00'", "timestamp '2024-01-04 00:00:00+00:00'"], "nothing to adopt: no interval of one day is whole"),
    ],
)  # fmt: skip
def test_a_table_that_shows_nothing_adopts_nothing_and_says_so(project: Project, values: list[str], why: str) -> None:
    fill(project, "orders", values or ["timestamp '2024-01-03 00:00:00+00:00'"])
    if not values:
        project.sql("delete from {schema}.orders")
    project.kind("orders", DAILY_EVENTS, config=ICEBERG)
    run = adopt(project, "orders", execute=True)
    assert found(run) == {"orders": []}
    assert f"dbt_kinds: orders: {why}" in run.log
    assert not project.table_exists("dbt_kinds_intervals")


def test_start_and_until_bound_what_is_adopted(project: Project) -> None:
    days = [datetime(2024, 1, 9, 15) + timedelta(hours=12) * number for number in range(150)]
    fill(project, "monthly", [f"timestamp '{at}+00:00'" for at in days])
    project.sql("create table {schema}.unset using iceberg as select * from {schema}.monthly")
    project.kind("monthly", DAILY_EVENTS, config=ICEBERG, start="2024-01-03", interval_unit="month")
    project.kind("unset", DAILY_EVENTS, config=ICEBERG, start=None, interval_unit="month")
    january, february, march = "2024-01-01T00:00:00", "2024-02-01T00:00:00", "2024-03-01T00:00:00"
    both = "monthly unset"
    assert found(adopt(project, both)) == {"monthly": [[january, march]], "unset": [[february, march]]}
    assert found(adopt(project, both, start="2024-01-31")) == {
        "monthly": [[january, march]],
        "unset": [[january, march]],
    }
    assert found(adopt(project, both, start="2023-12-31")) == {
        "monthly": [[february, march]],
        "unset": [[february, march]],
    }
    assert found(adopt(project, both, start="2024-02-10")) == {
        "monthly": [[february, march]],
        "unset": [[february, march]],
    }
    assert found(adopt(project, both, until="2024-02-28")) == {"monthly": [[january, february]], "unset": []}
    assert found(adopt(project, both, now="2024-02-15 00:00:00", until="2025-01-01")) == {
        "monthly": [[january, february]], "unset": [],
    }  # fmt: skip
    assert "start 2024-02-01T00:00:00 is not before until 2024-01-01T00:00:00" in refusal(
        project, "monthly", start="2024-02-01", until="2024-01-01"
    )


# --- what is recorded, and what is loaded after it


@pytest.mark.core
@pytest.mark.parametrize(
    ("file_format", "gaps"),
    rest(
        [("iceberg", "skip"), ("iceberg", "trust"), ("parquet", "skip"), ("parquet", "trust")],
        *(("iceberg", "skip"), ("parquet", "trust")),
    ),
)
def test_the_next_run_loads_exactly_what_was_not_adopted(project: Project, file_format: str, gaps: str) -> None:
    project.sql("create schema if not exists {schema}")
    project.sql(
        "create table {schema}.events using parquet as select cast(id as int) as id, "
        "date_add(date '2024-01-01', cast(id div 4 as int)) as ts from range(40)"
    )
    partitioned = "" if file_format == "iceberg" else "partitioned by (ts)"
    # the fourth day is missing, the seventh has rows of its own, the last one is half full
    project.sql(
        f"create table {{schema}}.daily using {file_format} {partitioned} as select if(day(ts) = 7, -id, id) as id, ts "
        "from {schema}.events where id < 34 and day(ts) <> 4"
    )
    project.kind("daily", "select id, ts from {{ target.schema }}.events", config=f"file_format='{file_format}'")
    before = project.rows("select * from {schema}.daily")
    skipped = [["2024-01-01T00:00:00", "2024-01-04T00:00:00"], ["2024-01-05T00:00:00", "2024-01-09T00:00:00"]]
    intervals = skipped if gaps == "skip" else [["2024-01-01T00:00:00", "2024-01-09T00:00:00"]]

    said = adopt(project, "daily", now="2024-01-11 08:00:00", gaps=gaps).answer()
    entry = {"model": "model.shop.daily", "relation": f"{project.schema}.daily", "adopted": intervals}
    assert said == {"operation": "adopt", "executed": False, "models": [entry | {"recorded": []}]}
    assert not project.table_exists("dbt_kinds_intervals")

    said = adopt(project, "daily", now="2024-01-11 08:00:00", gaps=gaps, execute=True).answer()
    assert said == {"operation": "adopt", "executed": True, "models": [entry | {"recorded": intervals}]}
    assert project.rows(
        "select event, interval_start, interval_end, execution_time, source, model, kind, model_hash, rows_written from {schema}.dbt_kinds_intervals"
    ) == [
        (
            "loaded",
            *interval,
            "2024-01-11T08:00:00",
            "adopt",
            "model.shop.daily",
            "incremental_by_time_range",
            None,
            None,
        )
        for interval in intervals
    ]
    assert project.rows("select * from {schema}.daily") == before

    run = project.run(now="2024-01-11 08:00:00")
    rest = [("2024-01-09T00:00:00", "2024-01-11T00:00:00")]
    assert run.batches("daily") == ([("2024-01-04T00:00:00", "2024-01-05T00:00:00"), *rest] if gaps == "skip" else rest)
    hole = "" if gaps == "skip" else "where day(ts) <> 4"
    assert project.rows("select * from {schema}.daily") == project.rows(
        f"select if(day(ts) = 7, -id, id) as id, ts from {{schema}}.events {hole}"
    )
    assert project.run(now="2024-01-11 08:00:00").messages["daily"] == "OK up to date"


def test_hours_are_adopted_and_continued_in_any_time_zone(project: Project, session: Callable[..., None]) -> None:
    events_table(project)
    project.sql("create table {schema}.hourly using iceberg as select * from {schema}.events where id < 31")
    project.kind("hourly", DAILY_EVENTS, config=ICEBERG, cron="@hourly", interval_unit="12 hours")
    session("Asia/Kolkata")
    run = adopt(project, "hourly", now="2024-01-11 08:00:00", execute=True)
    assert found(run, "recorded") == {"hourly": [["2024-01-01T00:00:00", "2024-01-08T12:00:00"]]}
    assert project.run(now="2024-01-11 08:00:00").batches("hourly") == [("2024-01-08T12:00:00", "2024-01-11T00:00:00")]
    assert project.rows("select * from {schema}.hourly") == project.rows("select * from {schema}.events")


def test_again_adds_what_is_not_recorded_and_leaves_what_is(project: Project) -> None:
    events_table(project)
    project.kind("daily", DAILY_EVENTS, config=ICEBERG)
    project.run(now="2024-01-05 08:00:00")
    project.sql("insert into {schema}.daily select * from {schema}.events where id >= 16")
    assert f"the interval store has events of {project.schema}.daily already, the last one released at 20" in refusal(
        project, "daily"
    )
    new = [["2024-01-05T00:00:00", "2024-01-10T00:00:00"]]
    assert found(adopt(project, "daily", again=True)) == {"daily": new}
    run = adopt(project, "daily", again=True, execute=True)
    assert found(run) == {"daily": new}
    assert found(run, "recorded") == {"daily": [["2024-01-01T00:00:00", "2024-01-10T00:00:00"]]}
    assert project.sql(
        "select interval_start, interval_end from {schema}.dbt_kinds_intervals where source = 'adopt'"
    ) == [tuple(new[0])]
    assert found(adopt(project, "daily", again=True, execute=True)) == {"daily": []}


# --- what is refused


def test_nothing_is_recorded_when_one_of_several_models_is_refused(project: Project) -> None:
    events_table(project)
    project.sql("create table {schema}.daily using iceberg as select * from {schema}.events")
    project.kind("daily", DAILY_EVENTS, config=ICEBERG)
    project.kind("missing", DAILY_EVENTS, config=ICEBERG)
    assert "model missing: " in refusal(project, "daily missing", execute=True)
    assert not project.table_exists("dbt_kinds_intervals")
    assert "adopt needs select" in project.dbt("run-operation", "dbt_kinds.adopt").errors
    assert "no model of a kind is called dayly" in refusal(project, "dayly")
    assert "gaps 'guess' is not one of skip, trust" in refusal(project, "daily", gaps="guess")
    assert "execute 'maybe' is neither true nor false" in refusal(project, "daily", execute="maybe")
    assert "until 'soon' is not a date" in refusal(project, "daily", until="soon")


def test_of_several_models_one_that_needs_an_arrival_is_passed_over_and_told(project: Project) -> None:
    events_table(project)
    project.sql("create table {schema}.daily using iceberg as select * from {schema}.events")
    project.sql("create table {schema}.by_key using iceberg as select * from {schema}.events")
    project.kind("daily", DAILY_EVENTS, config=ICEBERG)
    project.kind("by_key", DAILY_EVENTS, kind="incremental_by_unique_key", config=ICEBERG, unique_key=["id"])
    run = adopt(project, "daily by_key", execute=True)
    models = {model["model"].rsplit(".", 1)[1]: model for model in run.answer()["models"]}
    assert models["daily"]["recorded"] == models["daily"]["adopted"] != []
    wanted = "dbt run-operation dbt_kinds.adopt --args '{select: by_key, arrival: ts}'"
    assert models["by_key"]["adopted"] == [] and models["by_key"]["passed_over"].endswith(wanted)
    assert "pass arrival: <column>" in refusal(project, "by_key")
    assert found(adopt(project, "by_key", arrival="ts", execute=True))["by_key"]


def test_what_is_no_table_is_refused(project: Project) -> None:
    project.kind("daily", DAILY_EVENTS, config=ICEBERG)
    # not even the schema is there
    assert f"model daily: {project.schema}.daily does not exist; adopt records what a table holds" in refusal(
        project, "daily"
    )
    events_table(project)
    assert f"model daily: {project.schema}.daily does not exist" in refusal(project, "daily")
    project.sql("create view {schema}.daily as select * from {schema}.events")
    assert f"model daily: {project.schema}.daily is a view" in refusal(project, "daily")


def test_a_table_that_the_next_run_would_refuse_is_not_adopted(project: Project, session: Callable[..., None]) -> None:
    events_table(project)
    project.kind("renamed", DAILY_EVENTS, config=ICEBERG)
    project.sql("create table {schema}.renamed using iceberg as select id, ts as at from {schema}.events")
    assert f"time_column 'ts' is not a column of the table {project.schema}.renamed, which has id, at" in refusal(
        project, "renamed"
    )
    project.kind("numbered", DAILY_EVENTS, config=ICEBERG, time_column="id")
    project.sql("create table {schema}.numbered using iceberg as select * from {schema}.events")
    assert "time_column 'id' has the type int, which cannot be bounded by time" in refusal(project, "numbered")
    project.kind("hourly", DAILY_EVENTS, config=ICEBERG, interval_unit="hour")
    project.sql("create table {schema}.hourly using iceberg as select id, cast(ts as date) as ts from {schema}.events")
    assert "is only as fine as a day" in refusal(project, "hourly")
    project.kind("other", DAILY_EVENTS, config=ICEBERG)
    project.sql("create table {schema}.other using parquet as select * from {schema}.events")
    assert f"the table {project.schema}.other is parquet, but file_format is iceberg" in refusal(project, "other")
    project.kind("zoned", DAILY_EVENTS, config="file_format='parquet'")
    project.sql("create table {schema}.zoned using parquet partitioned by (ts) as select * from {schema}.events")
    assert found(adopt(project, "zoned")) == {"zoned": [["2024-01-01T00:00:00", "2024-01-10T00:00:00"]]}
    session("America/New_York")
    assert "depend on the session's time zone, which is America/New_York" in refusal(project, "zoned")


def test_a_table_that_a_run_is_writing_is_not_adopted(project: Project) -> None:
    events_table(project)
    project.sql("create table {schema}.daily using iceberg as select * from {schema}.events")
    project.kind("daily", DAILY_EVENTS, config=ICEBERG)
    project.kind("other", DAILY_EVENTS, config=ICEBERG)
    project.run("--select", "other", now="2024-01-05 08:00:00")
    columns = [name for name, *_ in project.sql("describe {schema}.dbt_kinds_intervals")]
    claim = {
        "event": "'claimed'", "relation": "'{schema}.daily'", "model": "'model.shop.daily'", "invocation_id": "'another'",
        "recorded_at": "date_format(current_timestamp(), \"yyyy-MM-dd'T'HH:mm:ss.SSSSSS\")", "lease_seconds": "600",
    }  # fmt: skip
    values = ", ".join(claim.get(column, "null") for column in columns)
    project.sql(f"insert into {{schema}}.dbt_kinds_intervals select {values}")
    for again in (False, True):
        assert f"another run holds the lease on {project.schema}.daily: invocation another" in refusal(
            project, "daily", again=again
        )
    project.operation("release_lease", select="daily")
    assert f"the interval store has events of {project.schema}.daily already, the last one released" in refusal(
        project, "daily"
    )
    assert found(adopt(project, "daily", again=True)) == {"daily": [["2024-01-01T00:00:00", "2024-01-10T00:00:00"]]}

"""A window means the same instants whatever a column's type and the session's time zone: tables equal a plain query that knows nothing of windows, or the model is refused."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from tests.functional.project import Project, Run
from tests.sweep import rest

ZONE = "spark.sql.session.timeZone"
# Lord Howe's clocks change by half an hour; all but UTC and Kolkata change them within what is loaded by day or month
ZONES = ("UTC", "America/New_York", "Europe/Berlin", "Asia/Kolkata", "Australia/Lord_Howe")
SUFFIXES = ("dt", "dtntz", "date", "ds", "ts", "tstz", "epoch", "millis", "hour")


@dataclass(frozen=True)
class Unit:
    """What is loaded by one unit: the first and last instants, the source's rows, and how texts and numbers are written."""

    start: str
    end: str
    first_row: str
    minutes: int
    rows: int
    text: tuple[str, str]
    number: tuple[str, str]


UNITS = {
    "hour": Unit("2024-03-31 00:00:00", "2024-03-31 04:00:00", "2024-03-30 22:00:00", 20, 30, ("yyyy-MM-dd HH:mm:ss", "%Y-%m-%d %H:%M:%S"), ("yyyyMMddHH", "%Y%m%d%H")),
    "day": Unit("2024-03-30 00:00:00", "2024-04-02 00:00:00", "2024-03-29 00:00:00", 60, 144, ("yyyy-MM-dd", "%Y-%m-%d"), ("yyyyMMdd", "%Y%m%d")),
    "month": Unit("2024-03-01 00:00:00", "2024-05-01 00:00:00", "2024-02-20 00:00:00", 360, 320, ("yyyy-MM-dd", "%Y-%m-%d"), ("yyyyMMdd", "%Y%m%d")),
}  # fmt: skip
COLUMNS = ("ts", "ntz", "d", "s", "i")

Cell = tuple[str, str]

# refused whatever the zone: numbers with what is no number, and a text whose form says something else
EVERYWHERE = {
    *((column, suffix) for column in COLUMNS for suffix in ("epoch", "millis", "hour")),
    *((column, f"execution_{suffix}") for column in COLUMNS for suffix in ("epoch", "millis", "hour")),
    *(("i", f"execution_{suffix}") for suffix in SUFFIXES),
    *(("s", f"execution_{suffix}") for suffix in ("dt", "dtntz", "date")),
}
# refused where the session is not in UTC: the day or second of now, read in another zone
ELSEWHERE = {
    *(("ts", f"execution_{suffix}") for suffix in ("dtntz", "date", "ds", "ts")),
    *((column, "execution_dt") for column in ("ntz", "d")),
}


def cells(unit: str) -> list[Cell]:
    """What is compared: a column, and window_of, a pair of time variables, or, by day, an execution variable."""
    bounds = ["window_of", *SUFFIXES, *(f"execution_{suffix}" for suffix in SUFFIXES if unit == "day")]
    # an hour of a date could not be replaced alone
    return [(column, bound) for column in COLUMNS for bound in bounds if (unit, column) != ("hour", "d")]


def is_refused(cell: Cell, zone: str) -> bool:
    return cell in EVERYWHERE or (zone != "UTC" and cell in ELSEWHERE)


def name_of(cell: Cell) -> str:
    return "_by_".join(cell)


def make_source(project: Project, unit: Unit) -> None:
    text, number = unit.text[0], unit.number[0]
    project.sql("create schema if not exists {schema}")
    project.sql(f"set {ZONE} = UTC")
    project.sql(
        "create table {schema}.src using iceberg as select id, ts, to_timestamp_ntz(date_format(ts, 'yyyy-MM-dd HH:mm:ss')) as ntz, cast(ts as date) as d, "
        f"date_format(ts, '{text}') as s, cast(date_format(ts, '{number}') as bigint) as i from (select cast(id as int) as id, "
        f"timestamp '{unit.first_row}+00:00' + make_interval(0, 0, 0, 0, 0, {unit.minutes} * id) as ts from range({unit.rows}))"
    )


def write_model(project: Project, cell: Cell, unit_name: str) -> None:
    column, bound = cell
    unit = UNITS[unit_name]
    formats = {"s": unit.text[1], "i": unit.number[1]}
    if bound == "window_of":
        written = f", format='{formats[column]}'" if column in formats else ""
        source = f"{{{{ dbt_kinds.window_of(api.Relation.create(schema=target.schema, identifier='src'), '{column}', unit='{unit_name}'{written}) }}}}"
        query = f"select id, {column} from {source} as src"
    elif bound.startswith("execution"):
        query = f"select id, {column} from {{{{ target.schema }}}}.src where {column} <= {{{{ dbt_kinds.{bound}() }}}}"
    else:
        query = f"select id, {column} from {{{{ target.schema }}}}.src where {column} between {{{{ dbt_kinds.start_{bound}() }}}} and {{{{ dbt_kinds.end_{bound}() }}}}"
    time_column = {"column": column, "format": formats[column]} if column in formats else column
    project.kind(
        name_of(cell), query, config="file_format='iceberg', partition_by=[]", time_column=time_column, start=unit.start, end=unit.end,
        interval_unit=unit_name, cron="@hourly", batch_size=1,
    )  # fmt: skip


def loaded(project: Project, chosen: list[Cell], unit: str, zone: str) -> Run:
    make_source(project, UNITS[unit])
    for cell in chosen:
        write_model(project, cell, unit)
    project.target["server_side_parameters"][ZONE] = zone
    return project.dbt("run", now=UNITS[unit].end)


@pytest.fixture(autouse=True)
def utc_again(project: Project) -> Iterator[None]:
    yield
    project.sql(f"set {ZONE} = UTC")


def check(project: Project, run: Run, chosen: list[Cell], unit: str, zone: str) -> None:
    expected = project.rows(
        "select id from {schema}.src where ts >= timestamp '" + UNITS[unit].start + "+00:00' and ts < timestamp '" + UNITS[unit].end + "+00:00'"
    )  # fmt: skip
    wrong = []
    for cell in chosen:
        name, refused = name_of(cell), is_refused(cell, zone)
        if refused != (run.statuses[name] == "error"):
            wrong.append(f"{name}: {run.statuses[name]} {run.messages[name]}")
        elif refused and (project.table_exists(name) or "dbt_kinds: model" not in run.messages[name]):
            wrong.append(f"{name}: refused, but {run.messages[name]}")
        elif not refused:
            found = project.rows(f"select id from {{schema}}.{name}")
            if found != expected:
                wrong.append(f"{name}: {len(found)} rows of {len(expected)}")
    assert not wrong, "\n".join(wrong)


@pytest.mark.sweep
@pytest.mark.parametrize("unit", UNITS)
@pytest.mark.parametrize("zone", ZONES)
def test_every_column_and_bound_loads_what_a_plain_query_has(project: Project, zone: str, unit: str) -> None:
    chosen = cells(unit)
    check(project, loaded(project, chosen, unit, zone), chosen, unit, zone)


A_DOZEN: list[Cell] = [
    *((column, "window_of") for column in COLUMNS),
    ("ts", "date"), ("ts", "ds"), ("ntz", "dt"), ("d", "dt"), ("s", "date"), ("ts", "hour"), ("ts", "execution_date"),
]  # fmt: skip


@pytest.mark.parametrize("zone", rest(list(ZONES), "America/New_York", "Europe/Berlin"))
def test_a_dozen_of_them_by_day(project: Project, zone: str) -> None:
    check(project, loaded(project, A_DOZEN, "day", zone), A_DOZEN, "day", zone)


SRC = "source('src', 'events')"
WINDOW = f"select id, ts from {{{{ dbt_kinds.window_of({SRC}, 'ts') }}}} as src"
BETWEEN = f"from {{{{ {SRC} }}}} where ts between {{{{ dbt_kinds.start_dt() }}}} and {{{{ dbt_kinds.end_dt() }}}}"
RIGHT = {
    "by_hour": ("incremental_by_time_range", WINDOW.replace("'ts')", "'ts', unit='hour')"), {"cron": "@hourly"}),
    "with_late_data": ("incremental_by_time_range", WINDOW, {"lookback": "auto"}),
    "appended": ("incremental_unmanaged", WINDOW, {}),
    "by_key": ("incremental_by_unique_key", WINDOW, {"unique_key": "id"}),
    "local_days": (
        "incremental_by_time_range",
        f"select id, cast(ts as date) as d from {{{{ {SRC} }}}} where cast(ts as date) between {{{{ dbt_kinds.start_date() }}}} and {{{{ dbt_kinds.end_date() }}}}",
        {"time_column": "d"},
    ),
}  # fmt: skip
REFUSED = {
    "a_local_day_of_instants": (f"select id, cast(ts as date) as d {BETWEEN}", "d", "between time_column 'd', a date, and the column that its query compares with start_dt lies the session's time zone"),
    "instants_of_local_days": (f"select id, ts from {{{{ {SRC} }}}} where to_date(ts) between {{{{ dbt_kinds.start_date() }}}} and {{{{ dbt_kinds.end_date() }}}}", "ts", "the column that its query compares with start_date lies the session's time zone"),
    "counted": (f"select id, ts from {{{{ {SRC} }}}} where ts >= {{{{ dbt_kinds.start_date() }}}} and ts < date_add({{{{ dbt_kinds.end_date() }}}}, 1)", "ts", "its query converts end_date in the session's time zone"),
    "passed_on": (f"select id, ts from {{{{ {SRC} }}}} where ts between to_timestamp({{{{ dbt_kinds.start_ts() }}}}) and to_timestamp({{{{ dbt_kinds.end_ts() }}}})", "ts", "its query converts start_ts or end_ts in the session's time zone"),
    "the_hour_here": (f"select id, ts {BETWEEN} and hour(ts) between {{{{ dbt_kinds.start_hour() }}}} and {{{{ dbt_kinds.end_hour() }}}}", "ts", "the column that its query compares with start_hour lies the session's time zone"),
}  # fmt: skip


@pytest.mark.parametrize("zone", rest(list(ZONES[1:]), "America/New_York"))
def test_every_kind_and_every_way_to_filter(project: Project, zone: str) -> None:
    project.sql("create schema {schema}")
    project.sql(
        "create table {schema}.events using iceberg partitioned by (days(ts)) as select cast(id as int) as id, "
        "timestamp '2024-03-29 00:00:00+00:00' + make_interval(0, 0, 0, 0, id) as ts from range(120)"
    )
    source = {"name": "src", "schema": project.schema, "tables": [{"name": "events"}]}
    (project.folder / "models" / "sources.yml").write_text(json.dumps({"sources": [source]}))
    for name, (kind, query, options) in RIGHT.items():
        project.kind(name, query, kind=kind, config="file_format='iceberg'", **{"start": "2024-03-30", **options})
    for name, (query, column, _) in REFUSED.items():
        project.kind(name, query, config="file_format='iceberg'", time_column=column, start="2024-03-30")
    for type_ in ("date", "timestamp_ntz", "timestamp"):
        project.sql(
            f"create table {{schema}}.versions_{type_} using iceberg as select id, cast(a as {type_}) as valid_from, cast(b as {type_}) as valid_to "
            "from values (1, '2024-03-01', '2024-03-30'), (2, '2024-03-30', '2024-03-31'), (3, '2024-03-31', null) as (id, a, b)"
        )
        versions = f"api.Relation.create(schema=target.schema, identifier='versions_{type_}')"
        query = f"select id from {{{{ dbt_kinds.as_of({versions}, '2024-03-30') }}}}"
        project.kind(f"known_{type_}", query, kind="full", config="file_format='iceberg'", start=None)
    project.target["server_side_parameters"][ZONE] = zone
    run = project.dbt("run", now="2024-03-31 00:10:00")
    for name, (_, _, words) in REFUSED.items():
        assert run.statuses[name] == "error" and words in run.messages[name], f"{name}: {run.messages[name]}"
        assert not project.table_exists(name)
    project.sql("insert into {schema}.events select id + 1000, ts from {schema}.events where id in (24, 47)")
    for now in ("2024-04-01 00:10:00", "2024-04-02 00:10:00"):
        project.run("--select", *RIGHT, now=now)
    day = "ts >= timestamp '2024-03-30 00:00:00+00:00' and ts < timestamp '2024-04-02 00:00:00+00:00'"
    plain = f"select id from {{schema}}.events where {day}"
    assert project.rows("select id from {schema}.with_late_data") == project.rows(plain)
    for name in ("by_hour", "appended", "by_key"):
        assert project.rows(f"select id from {{schema}}.{name}") == project.rows(f"{plain} and id < 1000"), name
    local = (
        "select id, cast(ts as date) from {schema}.events where cast(ts as date) between '2024-03-30' and '2024-04-01'"
    )
    assert project.rows("select * from {schema}.local_days") == project.rows(f"{local} and id < 1000")

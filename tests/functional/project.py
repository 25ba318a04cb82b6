"""A dbt project in a folder of its own, run inside this process on the one Spark session of the test run."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import yaml
from dbt.cli.main import dbtRunner
from pyspark.sql import SparkSession

from tests.functional.formats import table_format

PACKAGE = Path(__file__).parents[2]

_HOUR = timedelta(hours=1)
_HOURS = [datetime(2023, 12, 1) + number * _HOUR for number in range(24 * 120)]


@dataclass
class Run:
    """What one dbt command said and did."""

    success: bool
    invocation_id: str = ""
    statuses: dict[str, str] = field(default_factory=dict)
    messages: dict[str, str] = field(default_factory=dict)
    rows: dict[str, int | None] = field(default_factory=dict)
    seconds: dict[str, float] = field(default_factory=dict)
    log: list[str] = field(default_factory=list)
    statements: list[str] = field(default_factory=list)
    errors: str = ""

    def answer(self) -> dict[str, Any]:
        """The JSON line of an operation."""
        lines = [line for line in self.log if line.startswith('{"operation"')]
        return dict(json.loads(lines[-1]))

    def batches(self, model: str) -> list[tuple[str, str]]:
        """The windows that the log says were loaded for a model."""
        prefix = f"dbt_kinds: {model}: batch "
        windows = [line.split(", ", 1)[1].split(": ")[0] for line in self.log if line.startswith(prefix)]
        return [(window.split(" to ")[0], window.split(" to ")[1]) for window in windows]


class Project:
    """Models, macros and a profile; `dbt()` runs a command, `rows()` asks Spark."""

    def __init__(self, folder: Path, profile: Mapping[str, Any], schema: str, package: Path = PACKAGE) -> None:
        self.folder = folder
        self.schema = schema
        self.target = json.loads(json.dumps(profile["local"]["outputs"]["local"])) | {"schema": schema}
        self.settings: dict[str, Any] = {}
        # what a run finds of the last one's parsing is of no use once --vars differ, and few tests read artifacts
        self.flags = ["--no-partial-parse", "--no-write-json"]
        self.listeners: list[Callable[[Any], None]] = []
        (folder / "models").mkdir(parents=True)
        (folder / "macros").mkdir()
        (folder / "dbt_packages").mkdir()
        (folder / "dbt_packages" / "dbt_kinds").symlink_to(package)

    def model(self, name: str, sql: str) -> None:
        """Writes or replaces a model."""
        (self.folder / "models" / f"{name}.sql").write_text(sql)

    def kind(
        self, name: str, sql: str, *, kind: str = "incremental_by_time_range", config: str = "", **meta: Any
    ) -> None:
        """Writes a model of a kind; `config` is what stands in config() beside meta."""
        time_column = {"time_column": "ts"} if kind == "incremental_by_time_range" else {}
        options = {**time_column, "start": "2024-01-01"} | meta
        given = {option: value for option, value in options.items() if value is not None}
        head = f"materialized='{kind}', {config + ', ' if config else ''}meta={given!r}"
        self.model(name, f"{{{{ config({head}) }}}}\n{sql}\n")

    def dbt(self, *command: str, now: str | None = None, **variables: Any) -> Run:
        """One dbt command; keywords are variables without their prefix but for `my_…`, `now` is kinds_execution_time."""
        given = {name if name.startswith("my_") else f"kinds_{name}": value for name, value in variables.items()}
        if now is not None:
            given["kinds_execution_time"] = now
        self.write_settings()
        run = Run(success=False)

        def listen(event: Any) -> None:
            run.invocation_id = event.info.invocation_id
            if event.info.name in ("JinjaLogInfo", "PrintEvent"):
                run.log.append(event.data.msg)
            elif event.info.name == "SQLQuery":
                run.statements.append(event.data.sql.split("*/", 1)[-1].strip())
            elif event.info.level in ("error", "warn"):
                run.errors += event.info.msg + "\n"

        folder = str(self.folder)
        where = ["--project-dir", folder, "--profiles-dir", folder, "--vars", json.dumps(given), *self.flags]
        result = dbtRunner(callbacks=[listen, *self.listeners]).invoke(["--log-level", "none", *command, *where])
        run.success = result.success
        run.errors += str(result.exception or "")
        for node in getattr(result.result, "results", []):
            if hasattr(node, "node") and node.node.resource_type != "operation":
                run.statuses[node.node.name] = str(node.status)
                run.messages[node.node.name] = str(node.message)
                run.rows[node.node.name] = getattr(node, "adapter_response", {}).get("rows_affected")
                run.seconds[node.node.name] = float(node.execution_time)
        return run

    def run(self, *arguments: str, now: str | None = None, **variables: Any) -> Run:
        """`dbt run`, which must succeed."""
        run = self.dbt("run", *arguments, now=now, **variables)
        assert run.success, run.errors
        return run

    def operation(self, name: str, now: str | None = None, **arguments: Any) -> dict[str, Any]:
        """The answer of one of the package's operations."""
        run = self.dbt("run-operation", f"dbt_kinds.{name}", "--args", json.dumps(arguments), now=now)
        assert run.success, run.errors
        return run.answer()

    def recorded(self, table: str) -> list[list[str]]:
        """The coverage of a table, replayed hour by hour from the store; dates where the instants are midnights."""
        if not self.table_exists("dbt_kinds_intervals"):
            return []
        log = self.sql(
            "select recorded_at, event <> 'loaded', interval_start, interval_end from {schema}.dbt_kinds_intervals "
            f"where relation = '{self.schema}.{table}' and event in ('loaded', 'invalidated') order by 1, 2"
        )
        hours: set[datetime] = set()
        for _, is_invalidated, start, end in log:
            touched = {hour for hour in _HOURS if datetime.fromisoformat(start) <= hour < datetime.fromisoformat(end)}
            hours = hours - touched if is_invalidated else hours | touched
        bounds = [hour for hour in _HOURS if (hour in hours) != (hour - _HOUR in hours)]
        texts = [bound.isoformat().removesuffix("T00:00:00") for bound in bounds]
        return [list(pair) for pair in zip(texts[::2], texts[1::2], strict=True)]

    def sql(self, statement: str) -> list[tuple[Any, ...]]:
        """Runs a statement; `{schema}` stands for the project's."""
        rows = SparkSession.builder.getOrCreate().sql(statement.replace("{schema}", self.schema)).collect()
        return [tuple(row) for row in rows]

    def rows(self, query: str) -> list[tuple[Any, ...]]:
        """The rows of a query, sorted."""
        return sorted(self.sql(query), key=repr)

    def table_exists(self, name: str) -> bool:
        """Whether the project's schema has that table."""
        return bool(self.sql(f"show tables in {{schema}} like '{name}'"))

    def events(self) -> list[tuple[Any, ...]]:
        """Every load and invalidation that the interval store holds."""
        if not self.table_exists("dbt_kinds_intervals"):
            return []
        return self.rows("select * from {schema}.dbt_kinds_intervals where event in ('loaded', 'invalidated')")

    def use_schema(self, schema: str) -> None:
        """Goes on in another schema."""
        self.schema = self.target["schema"] = schema
        self.write_settings()

    def write_settings(self) -> None:
        """Writes dbt_project.yml and profiles.yml as they are now; another process may be reading them as they were."""
        settings = {"name": "shop", "version": "1.0.0", "config-version": 2, "profile": "local"} | self.settings
        flags = {"send_anonymous_usage_stats": False, "require_generic_test_arguments_property": True}
        settings["flags"] = flags
        profile = {"local": {"target": "local", "outputs": {"local": self.target}}}
        package, packages = self.folder / "dbt_packages" / "dbt_kinds", self.folder / "packages.yml"
        if package.exists() and not packages.exists():
            # dbt 1.12 compares what is installed with what is asked for
            packages.write_text(yaml.safe_dump({"packages": [{"local": str(package.resolve())}]}))
        for name, content in (("dbt_project.yml", settings), ("profiles.yml", profile)):
            file, text = self.folder / name, yaml.safe_dump(content)
            if not file.exists() or file.read_text() != text:
                file.write_text(text)


def start_spark(profile: Mapping[str, Any]) -> SparkSession:
    """Starts the Spark session of a local profile, so that dbt and direct questions share it."""
    builder = SparkSession.builder.enableHiveSupport()
    for setting, value in profile["local"]["outputs"]["local"]["server_side_parameters"].items():
        builder = builder.config(setting, value)
    session = builder.getOrCreate()
    # Hadoop writes a checksum beside each local file and starts four processes of chmod for the two (measured: a seventh of a write's time)
    hadoop = session._jsc.hadoopConfiguration()
    session._jvm.org.apache.hadoop.fs.FileSystem.getLocal(hadoop).setWriteChecksum(False)
    return session


def events_table(project: Project, name: str = "events") -> None:
    """A source of four events a day for the first ten days of 2024: (id, ts, n)."""
    project.sql("create schema if not exists {schema}")
    project.sql(
        f"create table {{schema}}.{name} using {table_format()} as "
        "select cast(id as int) as id, timestamp '2024-01-01 00:00:00+00:00' + make_interval(0, 0, 0, 0, id div 2 * 12) as ts, "
        "cast(id * 10 as int) as n from range(40)"
    )


def source_rows(project: Project, rows: str, columns: str) -> None:
    """What `source_rows` in the project's schema holds from now on: a view of these values."""
    project.sql("create schema if not exists {schema}")
    project.sql(f"create or replace view {{schema}}.source_rows as select * from values {rows} as ({columns})")


DAILY_EVENTS = """select id, ts, n from {{ target.schema }}.events
where ts between {{ dbt_kinds.start_dt() }} and {{ dbt_kinds.end_dt() }}"""

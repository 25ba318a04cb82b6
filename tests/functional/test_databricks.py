"""The package under dbt-databricks: projects are parsed, compiled and run, and the statements of each kind are those of tests/fixtures/databricks.

No workspace is asked: dbt-databricks sends its statements to Spark 4.1 with Delta (databricks_process.py). `KINDS_WRITE_STATEMENTS=1` writes the fixtures anew.
"""

from __future__ import annotations

import itertools
import json
import os
import re
import subprocess
from collections.abc import Iterable, Iterator, Mapping, Sequence
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.functional.databricks import JARS, PACKAGES, SPARK, DatabricksProject, databricks
from tests.functional.every_kind import BY_DAY, EveryKind
from tests.functional.own_venv import own_venv
from tests.functional.project import PACKAGE, Project, Run

pytestmark = pytest.mark.sweep

# nobody answers there
TARGET = {
    "type": "databricks", "catalog": "main", "host": "localhost", "http_path": "/sql/1.0/warehouses/none", "token": "none", "threads": 1,
}  # fmt: skip
TOLD = """{% macro told() %}
  {% set told = {'store': [dbt_kinds.store_settings().format, dbt_kinds.store_table() | string]} %}
  {% for node in graph.nodes.values() if node.resource_type == 'model' %}
    {% set options = dbt_kinds.options_of(node) %}
    {% do told.update({node.name: [options.file_format, options.relation]}) %}
  {% endfor %}
  {% do print(tojson(told)) %}
{% endmacro %}"""
STATEMENTS = PACKAGE / "tests" / "fixtures" / "databricks"
NUMBERS = itertools.count(1)

EVENTS = f"select id, ts, n from {{{{ target.schema }}}}.events {BY_DAY}"
PEOPLE = "select id, name, updated_at from {{ target.schema }}.people"
HISTORY: dict[str, Any] = {"unique_key": "id", "start": None}
AUDITS = [{"not_null": {"column_name": "id"}}, {"dbt_kinds.number_of_rows": {"threshold": 0}}]
# name: its kind, query, options and config
KINDS: dict[str, tuple[str, str, dict[str, Any], str]] = {
    "incremental_by_time_range": ("incremental_by_time_range", EVENTS, {}, "partition_by=['n']"),
    "audited": ("incremental_by_time_range", EVENTS, {"audits": AUDITS}, ""),
    "incremental_by_unique_key": ("incremental_by_unique_key", EVENTS, {"unique_key": "id"}, ""),
    "replace_all": ("incremental_by_unique_key", EVENTS, {"unique_key": "n", "duplicate_keys": "replace_all"}, ""),
    "incremental_by_partition": ("incremental_by_partition", EVENTS, {}, "partition_by=['n']"),
    "incremental_unmanaged": ("incremental_unmanaged", EVENTS, {}, ""),
    "full": ("full", EVENTS.partition(" where ")[0], {"start": None}, ""),
    "cumulative_aggregate": (
        "cumulative_aggregate", f"select n, count(*) as times from {{{{ target.schema }}}}.events {BY_DAY} group by n",
        {"unique_key": "n", "combine": {"times": "add"}}, "",
    ),
    "scd_type_2_by_time": ("scd_type_2_by_time", PEOPLE, HISTORY | {"updated_at_name": "updated_at"}, ""),
    "scd_type_2_by_column": ("scd_type_2_by_column", PEOPLE, HISTORY | {"columns": ["name"], "invalidate_hard_deletes": True}, ""),
    "run_sequence": ("scd_type_2_by_column", PEOPLE, HISTORY | {"columns": "*", "validity": "run_sequence"}, ""),
    "tracked": ("tracked", "select n, id from {{ target.schema }}.events", {"group_key": "n", "start": None}, ""),
    "append": ("append", "select id, n from {{ dbt_kinds.changes_of(source('src', 'events')) }} as e", {"capture": "snapshot", "start": None}, ""),
    "late_data": (
        "incremental_by_time_range", "select id, ts, n from {{ dbt_kinds.window_of(source('src', 'events'), 'ts') }} as e", {"lookback": "auto"}, "",
    ),
}  # fmt: skip
# of the two days of events: (id, n)
FIRST, SECOND = [(1, 10), (2, 20), (3, 10)], [(4, 20), (5, 30)]


def test_a_project_of_every_kind_is_parsed_and_compiled(tmp_path: Path) -> None:
    python = own_venv(tmp_path / "venv", PACKAGES[:2])
    project = Project(tmp_path / "project", {"local": {"outputs": {"local": TARGET}}}, "shop")
    kinds = EveryKind(project, ["delta"], lambda statement: None)
    history = "select id, name, updated_at from raw.people"
    project.kind("by_time", history, kind="scd_type_2_by_time", unique_key="id", updated_at_name="updated_at")
    project.kind("by_column", history, kind="scd_type_2_by_column", unique_key="id", columns="*")
    project.kind("groups", history, kind="tracked", group_key=["id"], start=None)
    project.kind(
        "ingested",
        "",
        kind="events",
        start=None,
        landing={"path": "/landing"},
        columns=[{"name": "id", "data_type": "int"}],
    )
    captured = "select id from {{ dbt_kinds.changes_of(ref('by_default')) }} as changed"
    project.kind("gained", captured, kind="append", start=None, capture="snapshot")
    project.kind("by_default", f"select id, ts from raw.events {BY_DAY}")
    (project.folder / "macros" / "told.sql").write_text(TOLD)
    project.write_settings()

    def dbt(*arguments: str) -> str:
        command = [str(python), "-c", "from dbt.cli.main import cli; cli()", "--warn-error", *arguments]
        done = subprocess.run(command, cwd=project.folder, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    dbt("parse")
    variables = json.dumps({"kinds_execution_time": "2024-01-03T08:00:00"})
    dbt("compile", "--no-populate-cache", "--no-introspect", "--vars", variables)
    compiled = {file.stem: file.read_text() for file in (project.folder / "target" / "compiled").rglob("models/*.sql")}
    names = {*kinds.expected, "by_time", "by_column", "groups", "gained", "by_default"}
    assert set(compiled) == names
    assert "timestamp '2024-01-02 00:00:00+00:00'" in compiled["by_default"]
    assert "`main`.`shop`.`by_default`" in compiled["gained"]
    [line] = [line for line in dbt("run-operation", "told").splitlines() if line.startswith("{")]
    told = json.loads(line)
    assert told.pop("store") == ["delta", "`main`.`shop`.`dbt_kinds_intervals`"]
    assert told == {name: ["delta", f"main.shop.{name}"] for name in {*names, "ingested"}}


@pytest.fixture(scope="module")
def connection(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Connection]:
    if not (JARS / f"delta-spark-{SPARK}").is_dir():
        pytest.skip(f"needs Delta's jars for Spark {SPARK} in the folder KINDS_JARS")
    with databricks(tmp_path_factory.mktemp("databricks")) as connection:
        yield connection


def new_project(connection: Connection, folder: Path, **target: Any) -> DatabricksProject:
    project = DatabricksProject(folder, connection, f"shop{next(NUMBERS)}", **target)
    project.sql("create schema {schema}")
    return project


def test_every_kind_of_intervals(connection: Connection, tmp_path: Path) -> None:
    project = new_project(connection, tmp_path / "project", threads=4)
    kinds = EveryKind(project, ["delta"], project.sql)
    kinds.load_four_days(lambda: _assert_right(kinds))
    idle = project.run(now=kinds.now()).messages
    assert {name for name, message in idle.items() if message != "OK up to date"} == {"full_delta"}
    kinds.restate_second_day(lambda: _assert_right(kinds))
    kinds.correct(0)
    project.run("--full-refresh", now=kinds.now())
    kinds.load(range(4), anew=True)
    _assert_right(kinds)


def _assert_right(kinds: EveryKind) -> None:
    assert kinds.wrong() == {}


def test_an_older_cluster_is_switched_to_dynamic_overwrite(connection: Connection, tmp_path: Path) -> None:
    project = new_project(connection, tmp_path / "project", http_path="/sql/protocolv1/o/1/none")
    kinds = EveryKind(project, ["delta"], project.sql, kinds=["partition", "overwriting"])
    kinds.load_four_days(lambda: _assert_right(kinds))


CONFIGURED = """version: 2
models:
  - name: daily
    description: "what's sold"
    config:
      contract: {enforced: true}
      persist_docs: {relation: true, columns: true}
      liquid_clustered_by: [id]
      location_root: LOCATION
    constraints: [{type: check, name: small, expression: "id < 100"}]
    columns:
      - {name: id, data_type: int, description: "a 'number'", data_tests: [not_null, unique]}
      - {name: ts, data_type: timestamp}
"""


def test_what_dbt_configures_is_there(connection: Connection, tmp_path: Path) -> None:
    project = new_project(connection, tmp_path / "project")
    kinds = EveryKind(project, ["delta"], project.sql, kinds=[])
    project.kind("daily", f"select id, ts from {{{{ target.schema }}}}.source_rows where id > 2 and ts {BY_DAY[9:]}")
    (project.folder / "models" / "daily.yml").write_text(CONFIGURED.replace("LOCATION", str(tmp_path / "place")))
    # dbt's own tables beside ours, which take what dbt-databricks has for them although the package comes first
    project.settings["dispatch"] = [{"macro_namespace": "dbt", "search_order": ["shop", "dbt_kinds", "dbt"]}]
    project.model("own", "{{ config(materialized='table') }}\nselect id from {{ ref('daily') }}")
    (project.folder / "seeds").mkdir()
    (project.folder / "seeds" / "names.csv").write_text("id,name\n1,O'Hara\n2,\n")
    for day in range(2):
        kinds.arrive(day)
        run = project.dbt("build", now=kinds.now())
        assert run.success, run.errors
        assert set(run.statuses.values()) == {"success", "pass"}
    assert project.rows("select id from {schema}.daily") == [(10,), (11,)]
    assert project.rows("select id from {schema}.own") == [(10,), (11,)]
    assert project.rows("select * from {schema}.names") == [(1, "O'Hara"), (2, None)]
    described = project.sql("describe table extended {schema}.daily")
    assert described[0][2] == "a 'number'"
    facts = {row[0]: row[1] for row in described}
    assert facts["Comment"] == "what's sold"
    assert facts["Location"] == f"file:{tmp_path}/place/daily"
    properties = dict(project.sql("show tblproperties {schema}.daily"))
    assert properties["clusteringColumns"] == '[["id"]]'
    assert properties["delta.constraints.small"] == "id < 100"


def test_events_a_sink_and_operations(connection: Connection, tmp_path: Path) -> None:
    project = new_project(connection, tmp_path / "project")
    landing = tmp_path / "landing"
    landing.mkdir()
    columns = [{"name": "id", "data_type": "int"}]
    project.kind("landed", "", kind="events", start=None, landing={"path": str(landing)}, columns=columns)
    followed = "select id from {{ ref('landed') }}"
    project.kind("pushed", followed, kind="tracked", start=None, group_key="id", sink={"function": "crm"})
    said = []
    for number, lines in enumerate((['{"id": 1}', "no JSON"], ['{"id": 2}'])):
        (landing / f"{number}.json").write_text("\n".join(lines))
        said.append(project.run(now=f"2024-01-0{number + 2}T06:00:00").messages)
    assert said == [
        {"landed": "flush: 1 row", "pushed": "backfill: first run, 1 row"},
        {"landed": "flush: 1 row", "pushed": "incremental: 1 row"},
    ]
    assert project.rows("select id from {schema}.pushed") == [(1,), (2,)]
    assert len(project.rows("select * from {schema}.landed__rejected")) == 1
    for operation in ("plan", "status", "history", "doctor", "compact_store"):
        assert project.operation(operation, now="2024-01-03T06:00:00")


def test_the_ten_minutes_of_the_manual(connection: Connection, tmp_path: Path) -> None:
    page = (PACKAGE / "docs" / "start" / "databricks.md").read_text()
    project = new_project(connection, tmp_path / "project")
    [(name, model)] = re.findall(r"-- models/(\w+)\.sql\n(.*?)```", page, re.DOTALL)
    project.model(name, model)
    runs = re.findall(r"dbt run -s days --vars '\{kinds_execution_time: \"(.*?)\"\}' +# (.*)", page)
    assert len(runs) == 3
    for now, message in runs:
        assert project.run("-s", name, now=now).messages == {name: message}
    assert project.operation("doctor")["findings"] == []


@pytest.fixture(scope="module")
def days(
    connection: Connection, tmp_path_factory: pytest.TempPathFactory
) -> tuple[DatabricksProject, dict[str, list[Run]]]:
    """A project of every kind, and what each said of its two runs."""
    project = new_project(connection, tmp_path_factory.mktemp("days") / "project")
    project.sql(
        "create table {schema}.events (id int, ts timestamp, n int) using delta tblproperties ('delta.enableChangeDataFeed' = 'true')"
    )
    source = {"name": "src", "schema": project.schema, "tables": [{"name": "events"}]}
    (project.folder / "models" / "sources.yml").write_text(yaml.safe_dump({"sources": [source]}))
    for name, (kind, query, options, config) in KINDS.items():
        project.kind(name, query, kind=kind, config=config, **options)
    runs: dict[str, list[Run]] = {name: [] for name in KINDS}
    # the store is made by the first run of all
    for day, rows in enumerate((FIRST, SECOND), 1):
        _arrive(project, day, rows)
        for name in KINDS:
            runs[name].append(project.dbt("run", "-s", name, now=f"2024-01-0{day + 1}T06:00:00"))
    return project, runs


def _arrive(project: DatabricksProject, day: int, rows: Sequence[tuple[int, int]]) -> None:
    values = ", ".join(f"({id_}, timestamp '2024-01-0{day} 12:00:00+00:00', {n})" for id_, n in rows)
    project.sql(f"insert into {{schema}}.events values {values}")
    people = ["(1, 'Ann', timestamp '2024-01-01 12:00:00+00:00')", "(2, 'Bea', timestamp '2024-01-01 12:00:00+00:00')"]
    later = ["(1, 'Anna', timestamp '2024-01-02 12:00:00+00:00')", "(3, 'Cid', timestamp '2024-01-02 12:00:00+00:00')"]
    project.sql(
        "create or replace view {schema}.people as select * from values "
        f"{', '.join(people if day == 1 else later)} as (id, name, updated_at)"
    )


EVERY_EVENT = sorted(FIRST + SECOND)
TABLES: Mapping[str, tuple[str, Sequence[tuple[Any, ...]]]] = {
    **dict.fromkeys(
        ("incremental_by_time_range", "audited", "incremental_by_unique_key", "incremental_unmanaged", "full", "tracked", "append", "late_data"),
        ("id, n", EVERY_EVENT),
    ),
    # the second day replaces what 20 had
    **dict.fromkeys(("replace_all", "incremental_by_partition"), ("id, n", [(1, 10), (3, 10), (4, 20), (5, 30)])),
    "cumulative_aggregate": ("n, times", [(10, 2), (20, 2), (30, 1)]),
    "scd_type_2_by_time": ("id, name, valid_to is null", [(1, "Ann", False), (1, "Anna", True), (2, "Bea", True), (3, "Cid", True)]),
    "scd_type_2_by_column": ("id, name, valid_to is null", [(1, "Ann", False), (1, "Anna", True), (2, "Bea", False), (3, "Cid", True)]),
    "run_sequence": ("id, name, is_current", [(1, "Ann", False), (1, "Anna", True), (2, "Bea", False), (3, "Cid", True)]),
}  # fmt: skip


# whose days can be loaded again
RESTATED = {
    "incremental_by_time_range", "audited", "incremental_by_unique_key", "replace_all", "incremental_by_partition", "late_data",
}  # fmt: skip
# who has a value in a new column, where it is not the third day's row alone: all rows, those of a new version, or none
MORE: Mapping[str, Sequence[int]] = {
    **dict.fromkeys(("full", "tracked"), range(1, 7)),
    "scd_type_2_by_column": (),
    "run_sequence": (1, 3),
}


@pytest.mark.parametrize("name", KINDS)
def test_the_statements_of_a_kind(days: tuple[DatabricksProject, dict[str, list[Run]]], name: str) -> None:
    project, runs = days
    first, second = runs[name]
    assert first.success and second.success, first.errors + second.errors
    columns, rows = TABLES[name]
    assert project.rows(f"select {columns} from {{schema}}.{name}") == rows
    text = _titled(project, {"first load": first, "next day": second})
    assert _recorded(name, text) == text


@pytest.fixture(scope="module")
def third_day(days: tuple[DatabricksProject, dict[str, list[Run]]]) -> DatabricksProject:
    project, _ = days
    _arrive(project, 3, [(6, 10)])
    return project


# what counts has its columns from what it counts, and takes nothing back; the histories change their columns alike
@pytest.mark.parametrize("name", [name for name in KINDS if name not in ("cumulative_aggregate", "scd_type_2_by_time")])
def test_the_statements_of_a_new_column_and_a_restatement(third_day: DatabricksProject, name: str) -> None:
    project, (kind, query, options, config) = third_day, KINDS[name]
    project.kind(name, query.replace("select ", "select id as more, ", 1), kind=kind, config=config, **options)
    runs = {"a new column": project.run("-s", name, now="2024-01-04T06:00:00")}
    found = project.rows(f"select more from {{schema}}.{name} where more is not null")
    assert found == [(id_,) for id_ in MORE.get(name, [6])]
    if name in RESTATED:
        window = {"start": "2024-01-02", "end": "2024-01-03", "allow_full_restatement": True}
        runs["a restatement"] = project.run("-s", name, now="2024-01-04T06:00:00", **window)
    text = _titled(project, runs)
    assert _recorded(f"changed/{name}", text) == text


def _titled(project: Project, runs: Mapping[str, Run]) -> str:
    return "".join(
        f"-- {title}\n\n{_text(statement for statement in _statements(project, run) if not _reads_store(statement))}"
        for title, run in runs.items()
    )


def test_the_store_is_asked_the_same_by_every_kind(days: tuple[DatabricksProject, dict[str, list[Run]]]) -> None:
    project, runs = days
    found = {
        statement.replace(f"main.shop.{name}'", "main.shop.MODEL'")
        for name, both in runs.items()
        for run in both
        for statement in _statements(project, run)
        if _reads_store(statement)
    }
    text = _text(sorted(found))
    assert _recorded("store", text) == text


def _recorded(name: str, text: str) -> str:
    file = STATEMENTS / f"{name}.sql"
    if "KINDS_WRITE_STATEMENTS" in os.environ:
        file.write_text(text)
    return file.read_text()


def _text(statements: Iterable[str]) -> str:
    return "".join(statement + ";\n\n" for statement in statements)


def _reads_store(statement: str) -> bool:
    return statement.startswith("select to_json(") and "from `main`.`shop`.`dbt_kinds_intervals`" in statement


def _statements(project: Project, run: Run) -> list[str]:
    """The statements of a run, without what is another one each time, and without the adapter's own."""
    found = []
    for statement in run.statements:
        if re.match(r"(?i)show|SELECT\s+table_name|create schema", statement):
            continue
        text = "\n".join(line.rstrip() for line in statement.splitlines() if line.strip())
        for pattern, word in CHANGING.items():
            text = re.sub(pattern, word, text)
        found.append(text.replace(project.schema, "shop").replace("spark_catalog", "main"))
    return found


CHANGING = {
    r"\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b": "INVOCATION",
    r"\b20(2[5-9]|[3-9]\d)-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}\b": "NOW",
    r"(?<=__kinds_stage_)[0-9a-f]{8}": "HASH",
    r"'[0-9a-f]{32}'": "'HASH'",
    r"cast\(\d+\.\d+(e-?\d+)? as double\)": "cast(SECONDS as double)",
}

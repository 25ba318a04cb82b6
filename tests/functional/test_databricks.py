"""The package under dbt-databricks: projects are parsed and compiled, without a connection. No run on Databricks has been tried."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from tests.functional.every_kind import BY_DAY, EveryKind
from tests.functional.own_venv import own_venv
from tests.functional.project import Project

pytestmark = pytest.mark.sweep

PACKAGES = ["dbt-core>=1.10,<1.12", "dbt-databricks>=1.10,<1.12"]
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


@pytest.fixture(scope="module")
def python(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A venv with dbt-databricks."""
    return own_venv(tmp_path_factory.mktemp("databricks") / "venv", PACKAGES)


def test_a_project_of_every_kind_is_parsed_and_compiled(python: Path, tmp_path: Path) -> None:
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

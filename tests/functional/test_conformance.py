"""The conformance vectors of intervals, through real dbt: tables, a store that `record` wrote, and what `plan` answers."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.functional.project import Project, Run

pytestmark = pytest.mark.core

VECTORS: list[dict[str, Any]] = json.loads((Path(__file__).parents[1] / "conformance" / "intervals.json").read_text())
QUERY = "select cast(1 as int) as id, timestamp '2024-01-01 00:00:00+00:00' as ts"
# the others run against the macros alone, in the unit tests
USUAL = {
    *("gap_in_the_middle", "lookback_two", "berlin_summer_hour", "window_over_recorded", "full_refresh"),
    *("no_start_nothing_recorded", "window_not_aligned", "cron_every_minute"),
}


def expecting(what: str) -> list[Any]:
    """Vectors that expect batches, or an error."""
    return [
        pytest.param(one, id=one["id"], marks=[] if one["id"] in USUAL else [pytest.mark.sweep])
        for one in VECTORS
        if what in one["expect"]
    ]


# one invocation for all of them: dbt takes longer to start than to record
RECORD_ALL = """
{% macro record_all(loads) %}
  {% for load in loads %}
    {% do dbt_kinds.record(**load) %}
  {% endfor %}
{% endmacro %}
"""


@pytest.fixture(scope="module")
def vectors(request: pytest.FixtureRequest) -> list[dict[str, Any]]:
    """Those that tests of this run ask for."""
    tests = [item for item in request.session.items if isinstance(item, pytest.Function)]
    asked = [test.callspec.params["vector"] for test in tests if test.path == request.path]
    return [vector for vector in VECTORS if vector in asked]


@pytest.fixture(scope="module")
def project(
    local_spark: Mapping[str, Any], tmp_path_factory: pytest.TempPathFactory, vectors: list[dict[str, Any]]
) -> Project:
    """One model a vector, each with a table that holds what the vector says is recorded."""
    project = Project(tmp_path_factory.mktemp("conformance") / "project", local_spark, "conformance")
    (project.folder / "macros" / "record_all.sql").write_text(RECORD_ALL)
    project.sql("create schema {schema}")
    loads = []
    for vector in vectors:
        options = {"start": None, **vector["options"]}
        project.kind(vector["id"], QUERY, config="file_format='iceberg'", **options)
        if vector["recorded"]:
            project.sql(f"create table {{schema}}.{vector['id']} (id int, ts timestamp) using iceberg")
        for start, end, *execution_time in vector["recorded"]:
            load = {"select": vector["id"], "start": start, "end": end}
            loads.append(load | ({"execution_time": execution_time[0]} if execution_time else {}))
    recorded = project.dbt("run-operation", "record_all", "--args", json.dumps({"loads": loads}))
    assert recorded.success, recorded.errors
    return project


def plan(project: Project, models: list[str], variables: Mapping[str, Any]) -> Run:
    """The operation, with the variables of a vector; `full_refresh` is its argument."""
    arguments: dict[str, Any] = {"select": " ".join(models)}
    given = dict(variables)
    if "full_refresh" in given:
        arguments["full_refresh"] = given.pop("full_refresh")
    now = given.pop("execution_time")
    return project.dbt("run-operation", "dbt_kinds.plan", "--args", json.dumps(arguments), now=now, **given)


@pytest.fixture(scope="module")
def batches(project: Project, vectors: list[dict[str, Any]]) -> dict[str, list[list[str]]]:
    """Those of every vector that expects some; vectors with the same variables are planned at once."""
    together: dict[str, list[str]] = defaultdict(list)
    for vector in vectors:
        if "batches" in vector["expect"]:
            together[json.dumps(vector["vars"], sort_keys=True)].append(vector["id"])
    found: dict[str, list[list[str]]] = {}
    for variables, models in together.items():
        run = plan(project, models, json.loads(variables))
        assert run.success, run.errors
        found |= {one["model"].split(".")[-1]: one["batches"] for one in run.answer()["plans"]}
    return found


@pytest.mark.parametrize("vector", expecting("batches"))
def test_dbt_plans_the_batches_of_the_vector(vector: dict[str, Any], batches: dict[str, list[list[str]]]) -> None:
    assert batches[vector["id"]] == vector["expect"]["batches"]


@pytest.mark.parametrize("vector", expecting("error"))
def test_dbt_stops_with_the_error_of_the_vector(vector: dict[str, Any], project: Project) -> None:
    run = plan(project, [vector["id"]], vector["vars"])
    assert not run.success
    assert f"dbt_kinds: model {vector['id']}: " in run.errors
    assert vector["expect"]["error"] in run.errors

"""A SQLMesh project of every kind, run by SQLMesh and, compiled, by dbt: the same tables, but for what stands here.

Runs like `test_peer.py`, when KINDS_SQLMESH_PYTHON names the Python of an environment with SQLMesh.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from dbt_kinds.local.profile import spark_settings
from tests.functional.compiled_shop import compiled_shop, land, table_rows
from tests.functional.every_kind_shop import DAYS, LANDED, SHOP, Row, expected
from tests.functional.project import Project
from tests.peer.sqlmesh_process import run_sqlmesh

pytestmark = pytest.mark.skipif(
    "KINDS_SQLMESH_PYTHON" not in os.environ,
    reason="KINDS_SQLMESH_PYTHON does not name the Python of an environment with SQLMesh; see CONTRIBUTING.md",
)

DRIVER = Path(__file__).with_name("sqlmesh_project.py")
# what SQLMesh cannot run on an engine, and no other model reads. DuckDB's merge takes neither when_matched nor merge_filter;
# in a Python model `context.resolve_table` quotes a name as no Spark reads it
CANNOT_RUN = {
    "duckdb": {
        "marts.customer_peaks": "models/marts/customer_peaks.sql",
        "marts.last_orders": "models/marts/last_orders.sql",
    },
    "spark": {"marts.large_orders": "models/marts/large_orders.py"},
}
# by time, SQLMesh dates every key at 1970, whenever it appears; its documentation, and dbt_kinds, by updated_at
DEE = ("4", "Dee", "west", "2024-01-03 08:00:00")
DIFFERENCES: dict[tuple[int, str], tuple[list[Row], list[Row]]] = {
    (1, "staging.customers"): (
        [(*DEE, "1970-01-01 00:00:00", None)],
        [(*DEE, "2024-01-03 08:00:00", None)],
    ),
    (2, "staging.customers"): (
        [(*DEE, "1970-01-01 00:00:00", "2024-01-04 09:00:00")],
        [(*DEE, "2024-01-03 08:00:00", "2024-01-04 09:00:00")],
    ),
}
ENGINES = tuple(CANNOT_RUN)

Answer = list[dict[str, Any]]


@pytest.fixture(scope="module")
def answers(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Answer]:
    """What SQLMesh's tables hold after each day, by engine; a JVM of its own runs before ours is asked for."""
    return {engine: _run(engine, tmp_path_factory.mktemp(f"shop_{engine}")) for engine in ENGINES}


def test_sqlmesh_has_the_tables_that_the_sources_say(answers: dict[str, Answer]) -> None:
    for engine in ENGINES:
        assert [day["error"] for day in answers[engine]] == [None] * len(DAYS)
        found = {
            (number, table): difference
            for number, tables in enumerate(expected())
            for table in _tables(engine)
            if (difference := _difference(_rows(answers[engine][number], table), tables[table])) != ([], [])
        }
        assert found == DIFFERENCES, engine


def test_compiled_project_has_the_tables_that_sqlmesh_has(
    answers: dict[str, Answer], new_project: Callable[[str], Project]
) -> None:
    project = compiled_shop(new_project)
    found = {}
    for number, day in enumerate(DAYS):
        land(project, day)
        # as in the functional test, a seed is loaded once
        for command in ("seed", "run") if day is DAYS[0] else ("run",):
            run = project.dbt(command, now=day.now)
            assert run.success, run.errors
        for engine in ENGINES:
            for table in _tables(engine):
                difference = _difference(_rows(answers[engine][number], table), table_rows(project, table))
                if difference != ([], []):
                    found[engine, number, table] = difference
    assert found == {(engine, *key): rows for engine in ENGINES for key, rows in DIFFERENCES.items()}


def _run(engine: str, folder: Path) -> Answer:
    request = {
        "project": str(SHOP),
        "folder": str(folder),
        "spark": spark_settings(folder / "spark") if engine == "spark" else None,
        "left_out": list(CANNOT_RUN[engine].values()),
        "types": LANDED,
        "days": [{"now": day.now, "landed": day.landed()} for day in DAYS],
        "tables": _tables(engine),
    }
    run_sqlmesh(os.environ["KINDS_SQLMESH_PYTHON"], DRIVER, request, folder)
    answer: Answer = json.loads((folder / "answer.json").read_text())
    return answer


def _tables(engine: str) -> list[str]:
    return [table for table in sorted(expected()[0]) if table not in CANNOT_RUN[engine]]


def _rows(day: dict[str, Any], table: str) -> Counter[Row]:
    return Counter(tuple(row) for row in day["rows"][table] or [])


def _difference(theirs: Counter[Row], ours: Counter[Row]) -> tuple[list[Row], list[Row]]:
    """The rows that only one of them has: theirs, ours."""
    return sorted((theirs - ours).elements(), key=repr), sorted((ours - theirs).elements(), key=repr)

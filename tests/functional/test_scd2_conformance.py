"""The conformance vectors of SCD type 2 through real dbt, on Iceberg and on Parquet: a model a vector, a step a run.

Steps of many vectors that run at the same instant, with the same variables, are models of one dbt run.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import pytest

from tests.functional.formats import formats_of
from tests.functional.project import Project
from tests.functional.scd2 import stored
from tests.sweep import rest
from tests.unit import scd2_sql
from tests.unit.scd2_vectors import VECTORS, columns_of


@dataclass
class Case:
    """A vector on a format; what came of each of its steps: an error or none, and the rows of the table."""

    vector: dict[str, Any]
    file_format: str
    errors: list[str] = field(default_factory=list)
    rows: list[list[list[str | None]]] = field(default_factory=list)

    @property
    def name(self) -> str:
        return f"{self.vector['id']}_{self.file_format}".lower()

    @property
    def managed(self) -> tuple[str, str]:
        options = self.vector["options"]
        return options.get("valid_from_name", "valid_from"), options.get("valid_to_name", "valid_to")

    def columns(self, number: int) -> list[tuple[str, str]]:
        """Those of the table: what a query must not have of its own is there once."""
        columns = columns_of(self.vector, self.vector["steps"][number])
        return [column for column in columns if column[0] not in self.managed]


# on both formats; the others run in DuckDB, in the unit tests
USUAL = ["DOC3", "T04", "T13", "C06", "R03A", "S06"]
CASES = [
    Case(vector, file_format)
    for vector in VECTORS
    for file_format in formats_of(vector)
]  # fmt: skip
NAMES = rest([case.name for case in CASES], *(case.name for case in CASES if case.vector["id"] in USUAL))


@pytest.fixture(scope="module")
def cases(
    local_spark: Mapping[str, Any], tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest
) -> dict[str, Case]:
    """Those that tests of this run ask for, carried out."""
    tests = [item for item in request.session.items if isinstance(item, pytest.Function)]
    asked = {test.callspec.params["name"] for test in tests if test.path == request.path}
    chosen = [case for case in CASES if case.name in asked]
    project = Project(tmp_path_factory.mktemp("scd2") / "project", local_spark, "scd2_conformance")
    project.sql("create schema {schema}")
    for number in range(max(len(case.vector["steps"]) for case in chosen)):
        together: dict[str, list[Case]] = defaultdict(list)
        for case in chosen:
            if number < len(case.vector["steps"]):
                step = case.vector["steps"][number]
                write_step(project, case, number)
                settings = [step["execution_time"], step.get("vars", {}), step.get("full_refresh", False)]
                together[json.dumps(settings)].append(case)
        for kind_of_run, of_run in together.items():
            carry_out(project, kind_of_run, of_run, number)
    return {case.name: case for case in chosen}


def write_step(project: Project, case: Case, number: int) -> None:
    step = case.vector["steps"][number]
    config = f"file_format='{case.file_format}'"
    options = {"start": None, **case.vector["options"]}
    project.kind(case.name, scd2_sql.query(case.vector, step), kind=case.vector["kind"], config=config, **options)
    if "setup_rows" in step:
        columns = [*case.columns(number), *((name, "timestamp") for name in case.managed)]
        rows = scd2_sql.rows_sql(columns, step["setup_rows"])
        project.sql(f"create table {{schema}}.{case.name} using {case.file_format} as {rows}")


def carry_out(project: Project, kind_of_run: str, cases: list[Case], number: int) -> None:
    now, variables, full_refresh = json.loads(kind_of_run)
    arguments = ["run", *(["--full-refresh"] if full_refresh else []), "--select", *(case.name for case in cases)]
    given = {name.removeprefix("kinds_"): value for name, value in variables.items()}
    run = project.dbt(*arguments, now=now, **given)
    for case in cases:
        is_fine = run.statuses.get(case.name) == "success"
        case.errors.append("" if is_fine else run.messages.get(case.name, run.errors))
        case.rows.append(stored(project, case.name, case.columns(number), *case.managed))


@pytest.mark.parametrize("name", NAMES)
def test_the_table_holds_what_the_vector_says(name: str, cases: dict[str, Case]) -> None:
    case = cases[name]
    steps = case.vector["steps"]
    for number, step in enumerate(steps):
        expected_error = step.get("expect_error", "")
        assert bool(case.errors[number]) == bool(expected_error), case.errors[number]
        assert expected_error in case.errors[number]
        if expected_error:
            assert f"dbt_kinds: model {name}: " in case.errors[number]
        is_last = number == len(steps) - 1
        expected = step.get("expect", case.vector.get("expect") if is_last else None)
        if expected is not None:
            assert case.rows[number] == scd2_sql.as_texts(expected), f"after step {number + 1}"


@pytest.mark.parametrize("name", NAMES)
def test_no_run_breaks_a_rule_that_holds_for_every_table(name: str, cases: dict[str, Case]) -> None:
    case = cases[name]
    before: list[list[str | None]] = []
    for step, rows in zip(case.vector["steps"], case.rows, strict=True):
        assert all(row[-1] is None or str(row[-2]) < row[-1] for row in rows)
        if not step.get("full_refresh") and "kinds_start" not in step.get("vars", {}) and "query_columns" not in step:
            assert [row for row in before if row[-1] is not None and row not in rows] == []
        before = rows

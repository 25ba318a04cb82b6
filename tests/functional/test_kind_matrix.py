"""Every kind on every format through what happens to a model, compared with an oracle that knows nothing of intervals.

The matrix is printed, and is the one in docs/kinds/matrix.md.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.functional.every_kind import KINDS, EveryKind
from tests.functional.faults import broken_connection
from tests.functional.formats import formats
from tests.functional.project import Project, Run
from tests.sweep import is_sweep, rest

SITUATIONS = 8
# by default on Iceberg alone: test_crash_every_kind has every kind on Parquet
FORMATS = formats("iceberg,parquet,orc" if is_sweep() else "iceberg")
WRITES = r"(?i)^(/[*].*?[*]/)?\s*(insert|merge)"
# (which part of a run's inserts and merges has come, whether the next one is done); test_crash_every_kind kills processes
KILLS = rest([(0.3, True), (0.6, False), (0.1, False), (0.9, True)], (0.1, False))
# each test goes on from where the one before it left the tables
pytestmark = [pytest.mark.core, pytest.mark.sized]


class Matrix(EveryKind):
    """Every kind on every format in one dbt project, and how each situation came out."""

    def __init__(self, project: Project) -> None:
        project.sql("create schema {schema}")
        super().__init__(project, FORMATS, project.sql)
        self.outcomes: dict[str, dict[str, str]] = {}
        # how many inserts and merges the last run had: it depends on the formats
        self.writes = 0

    def run(self, *arguments: str, **variables: Any) -> Run:
        run = self.project.dbt("run", *arguments, now=self.now(), **variables)
        self.writes = sum(bool(re.search(WRITES, statement)) for statement in run.statements)
        return run

    def check(self, situation: str, run: Run) -> None:
        for table, expected in self.expected.items():
            right = self.is_right(table)
            self.outcomes.setdefault(table, {})[situation] = "ok" if right else "WRONG"
            assert right, f"{situation}: {table}: {self.rows(table)} instead of {sorted(expected)}\n{run.errors}"


@pytest.fixture(scope="module")
def matrix(local_spark: Mapping[str, Any], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Matrix]:
    yield Matrix(Project(tmp_path_factory.mktemp("matrix") / "project", local_spark, "matrix"))


def test_first_load(matrix: Matrix) -> None:
    for day in range(3):
        matrix.arrive(day)
    run = matrix.run()
    assert run.success, run.errors
    matrix.load(range(3))
    matrix.check("first load", run)


def test_nothing_missing(matrix: Matrix) -> None:
    run = matrix.run()
    assert run.success, run.errors
    idle = {name for name, message in run.messages.items() if message == "OK up to date"}
    assert idle == {f"{name}_{file_format}" for name, file_format in matrix.models if not KINDS[name].always_runs}
    matrix.check("nothing missing", run)


def test_second_run(matrix: Matrix) -> None:
    matrix.correct(1)
    matrix.arrive(3)
    run = matrix.run()
    assert run.success, run.errors
    matrix.load(range(3, 4))
    matrix.check("second run", run)


def test_restatement(matrix: Matrix) -> None:
    window = {"start": "2024-01-02", "end": "2024-01-03"}
    refused = matrix.run(**window)
    assert "pass kinds_allow_full_restatement: true" in refused.errors
    run = matrix.run(**window, allow_full_restatement=True)
    refused_ones = {name for name, status in run.statuses.items() if status == "error"}
    assert refused_ones == {
        f"{name}_{file_format}" for name, file_format in matrix.models if KINDS[name].is_never_restated
    }, run.errors
    assert run.errors.count("an interval can be merged only once") >= len(refused_ones)
    for table in matrix.expected:
        matrix.restate(table, range(1, 2))
    matrix.check("restatement", run)


def test_full_refresh(matrix: Matrix) -> None:
    matrix.correct(0)
    run = matrix.run("--full-refresh")
    assert run.success, run.errors
    matrix.load(range(4), anew=True)
    matrix.check("full refresh", run)


def test_schema_add(matrix: Matrix) -> None:
    matrix.arrive(4)
    matrix.columns.append("twice")
    matrix.write_models()
    run = matrix.run()
    assert run.success, run.errors
    matrix.load(range(4, 5))
    matrix.check("schema add", run)
    for name, file_format in matrix.models:
        # a state that is older than the column has seen less of it
        young = " and id > 2" if KINDS[name].aggregates else ""
        added = matrix.project.sql(
            f"select n, twice from {{schema}}.{name}_{file_format} where ts >= '2024-01-05'{young}"
        )
        assert added
        assert all(twice == 2 * n for n, twice in added)


def test_schema_drop_refused(matrix: Matrix) -> None:
    matrix.arrive(5)
    matrix.columns.remove("twice")
    matrix.write_models()
    run = matrix.run()
    refused = {name for name, status in run.statuses.items() if status == "error"}
    assert refused == {f"{name}_{file_format}" for name, file_format in matrix.models if name != "full"}
    assert run.errors.count("drops column twice") >= len(refused)
    for file_format in FORMATS:
        matrix.expected[f"full_{file_format}"] = matrix.source
    matrix.check("schema drop refused", run)
    matrix.columns.append("twice")
    matrix.write_models()
    run = matrix.run()
    assert run.success, run.errors
    matrix.load(range(5, 6))
    matrix.check("schema drop refused", run)


# the connection of all models breaks at that insert, merge or overwrite: some are in the middle, some have not begun
@pytest.mark.parametrize(("part", "done"), KILLS)
def test_killed_mid_write(matrix: Matrix, part: float, done: bool) -> None:
    day = matrix.days
    matrix.arrive(day)
    with broken_connection(WRITES, number=1 + int(part * matrix.writes), done=done) as broken_at:
        assert not matrix.run().success
    assert broken_at
    matrix.project.operation(
        "release_lease", select=" ".join(f"{name}_{file_format}" for name, file_format in matrix.models)
    )
    run = matrix.run()
    assert run.success, run.errors
    matrix.load(range(day, day + 1))
    matrix.check("killed mid-write, run again", run)
    assert not matrix.project.sql("show tables in {schema} like '*__kinds_stage_*'")


def test_the_matrix_is_that_of_the_documentation(matrix: Matrix, capsys: pytest.CaptureFixture[str]) -> None:
    situations = list(dict.fromkeys(situation for found in matrix.outcomes.values() for situation in found))
    lines = [f"| kind, format | {' | '.join(situations)} |", f"|---|{'---|' * len(situations)}"]
    for name, file_format in matrix.models:
        found = matrix.outcomes[f"{name}_{file_format}"]
        kind = KINDS[name].materialized + (", insert_overwrite" if "insert_overwrite" in KINDS[name].options else "")
        lines.append(f"| {kind}, {file_format} | {' | '.join(found.get(situation, '') for situation in situations)} |")
    table = "\n".join(lines)
    with capsys.disabled():
        print(f"\n{table}")
    if len(situations) == SITUATIONS:
        documented = (Path(__file__).parents[2] / "docs" / "kinds" / "matrix.md").read_text().splitlines()
        left_out = [f", {other} |" for other in ("iceberg", "parquet", "orc", "delta") if other not in FORMATS]
        assert table in "\n".join(line for line in documented if not any(words in line for words in left_out))

"""The conformance vectors of OndatraSQL whose kinds run, on Iceberg and, where they say so, on Parquet."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from tests.functional.formats import formats, formats_of, is_usual
from tests.functional.ondatrasql_vectors import VECTORS, Vectors, kinds_of
from tests.functional.project import Project

RUNNING = {"table", "tracked", "merge", "append", "scd2"}
# what `make test` runs on Iceberg: of every behaviour one
USUAL = {
    *("A05", "A06", "A09", "B02", "B07", "B08", "B09L", "B11", "B15", "C02", "C07", "C11", "D02", "D09", "D14"),
    *("E03", "E04", "E06", "E10", "G02", "G03", "H02", "H10"),
}
CASES = [
    pytest.param(
        vector,
        file_format,
        id=f"{vector['id']}-{file_format}",
        marks=[] if vector["id"] in USUAL and is_usual(file_format, "iceberg") else [pytest.mark.sweep],
    )
    for vector in VECTORS
    if kinds_of(vector) <= RUNNING
    for file_format in formats_of(vector)
]


@pytest.fixture(scope="module")
def projects(
    local_spark: Mapping[str, Any], tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest
) -> dict[str, Vectors]:
    """The vectors that are asked for, run once on each format."""
    tests = [item for item in request.session.items if isinstance(item, pytest.Function) and item.path == request.path]
    made = {}
    for file_format in formats("iceberg,parquet"):
        given: list[Any] = [
            test.callspec.params["vector"] for test in tests if test.callspec.params["file_format"] == file_format
        ]
        if given:
            folder = tmp_path_factory.mktemp("ondatrasql") / "project"
            made[file_format] = Vectors(Project(folder, local_spark, f"ondatrasql_{file_format}"), file_format)
            made[file_format].run(given)
    return made


@pytest.mark.parametrize(("vector", "file_format"), CASES)
def test_a_vector_runs_as_it_says(projects: dict[str, Vectors], vector: dict[str, Any], file_format: str) -> None:
    projects[file_format].check(vector)

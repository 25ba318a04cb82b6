"""The vectors of `gates.json` through real dbt, on Iceberg and on Parquet; `make delta` has them on Delta."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.functional.formats import formats_of, is_usual
from tests.functional.gates import Gate
from tests.functional.project import Project

VECTORS: list[dict[str, Any]] = json.loads((Path(__file__).parents[1] / "conformance" / "gates.json").read_text())[
    "vectors"
]
# the format on which `make test` runs a vector
USUAL = {
    "audits_pass": "iceberg",
    "audit_fails_in_a_batch_of_a_restatement": "iceberg",
    "several_audits_fail_at_once": "parquet",
    "table_scope_sees_the_table_to_be": "parquet",
    "failures_are_stored": "iceberg",
    "key_kind_audits_after_duplicates": "parquet",
    "full_kind_keeps_the_table": "parquet",
    "history_kind_audits_the_state": "iceberg",
    "cumulative_kind_audits_the_delta": "parquet",
}


def cases() -> list[Any]:
    return [
        pytest.param(
            vector,
            file_format,
            id=f"{vector['id']}-{file_format}",
            marks=[] if is_usual(file_format, USUAL.get(vector["id"])) else [pytest.mark.sweep],
        )
        for vector in VECTORS
        for file_format in formats_of(vector)
    ]


@pytest.mark.parametrize(("vector", "file_format"), cases())
def test_vector(new_project: Callable[[str], Project], vector: dict[str, Any], file_format: str) -> None:
    gate = Gate(new_project("gate"), vector, file_format)
    for step in vector["steps"]:
        gate.run(step)

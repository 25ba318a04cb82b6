"""The reference of SCD type 2 holds what the vectors say, so that it may judge the macros."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.reference_scd2 import RefusedError, Version, broken_rules
from tests.unit.reference_scd2_runs import Table, add_column, carry_out
from tests.unit.scd2_vectors import VECTORS, columns_of, model_of, query_of, run_of, schedule_of, versions_of

CASES = [
    pytest.param(vector, file_format, id=f"{vector['id']}-{file_format}")
    for vector in VECTORS
    for file_format in vector.get("formats", ["iceberg", "parquet"])
]


def multiset(versions: list[Version]) -> list[str]:
    return sorted(repr((sorted(one.values.items()), one.valid_from, one.valid_to)) for one in versions)


@pytest.mark.parametrize(("vector", "file_format"), CASES)
def test_the_reference_does_what_the_vector_says(vector: dict[str, Any], file_format: str) -> None:
    table = Table(has_snapshots=file_format == "iceberg")
    for number, step in enumerate(vector["steps"]):
        columns = columns_of(vector, step)
        before = list(table.history)
        if "setup_rows" in step:
            table.history = before = versions_of(columns, step["setup_rows"])
        try:
            model = model_of(vector, columns)
            add_column(table, dict.fromkeys(name for name, _ in columns))
            before = list(table.history)
            carry_out(model, schedule_of(vector["options"]), run_of(step), table, query_of(vector, step))
        except RefusedError as refused:
            assert step.get("expect_error", "no error") in str(refused)
            assert table.history == before
        else:
            assert "expect_error" not in step
            if not (step.get("full_refresh") or run_of(step).start):
                assert broken_rules(model, before, table.history) == []
        is_last = number == len(vector["steps"]) - 1
        expected = step.get("expect", vector.get("expect") if is_last else None)
        if expected is not None:
            assert multiset(table.history) == multiset(versions_of(columns, expected))

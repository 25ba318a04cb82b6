"""A column that a query gains, with a value for the rows that are there: they have it after the run, or after the next one where that died."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit import cumulative_runs as runs
from tests.unit.cumulative_runs import Event
from tests.unit.duckdb_runs import DiedError, Warehouse

EVENTS: list[Event] = [(1, "a", 1, 5, True), (2, "a", 1, 7, True), (1, "a", 2, 3, False)]
FEWER = [column for column in runs.AGGREGATES if column != "high"]


def prepared(file_format: str, **documented: Any) -> Warehouse:
    """A table that lacks one column of the query that runs next."""
    warehouse = runs.warehouse_of(EVENTS)
    warehouse.documented = {"HIGH": {"name": "HIGH", **documented}}
    options = {"combine": {column: runs.OPTIONS["combine"][column] for column in FEWER}}
    runs.run(warehouse, 2, file_format=file_format, sql=runs.windowed_query(*FEWER), options=options)
    return warehouse


def highs(warehouse: Warehouse) -> dict[int, int | None]:
    return {row[0]: row[6] for row in runs.stored(warehouse)}


@pytest.mark.parametrize(
    ("documented", "expected"),
    [
        ({}, {1: 3, 2: None}),
        ({"meta": {"backfill": "total * 10", "default": "0"}}, {1: 50, 2: 70}),
        ({"config": {"meta": {"default": 4}}}, {1: 4, 2: 4}),
    ],
)
def test_rows_that_are_there_get_what_the_column_says(
    documented: dict[str, Any], expected: dict[int, int | None]
) -> None:
    warehouse = prepared("iceberg", **documented)
    runs.run(warehouse, 3)
    assert highs(warehouse) == expected


def test_a_table_of_files_holds_null_and_the_run_says_so() -> None:
    warehouse = prepared("parquet", meta={"backfill": "0"})
    runs.run(warehouse, 3, file_format="parquet")
    assert highs(warehouse) == {1: 3, 2: None}
    assert any(
        "hold NULL in the new column 'high', because parquet tables cannot be updated" in said
        for said in warehouse.said
    )


def test_a_backfill_that_died_is_done_by_the_next_run() -> None:
    whole = prepared("iceberg", meta={"backfill": "total * 10"})
    runs.run(whole, 3)
    for number in range(1, whole.statements.index("backfill_columns") + 3):
        warehouse = prepared("iceberg", meta={"backfill": "total * 10"})
        warehouse.dies_at = number
        with pytest.raises(DiedError):
            runs.run(warehouse, 3)
        runs.run(warehouse, 3)
        assert highs(warehouse) == {1: 50, 2: 70}, f"statement {number} of {whole.statements}"

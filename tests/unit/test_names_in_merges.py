"""What names mean in the SQL of options, with DuckDB in Spark's place: a bare one is a column of the table's row, `source` is the new row, whatever columns are called."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.duckdb_runs import Warehouse

ROWS = {2: [(11, "a", "x", 1), (12, "b", "x", 2)], 3: [(21, "c", "y", 5), (22, "d", "y", 1), (33, "e", "y", 9)]}
MATCHED = "when matched and n < source.n then update set n = n + source.n, source = source.source || source"


def run(warehouse: Warehouse, day: int, kind: str, file_format: str, **options: Any) -> list[tuple[Any, ...]]:
    rows = " union all ".join(
        f"select {i} as id, '{source}' as source, '{target}' as target, {n} as n" for i, source, target, n in ROWS[day]
    )
    given = {"start": "2024-01-01", "file_format": file_format, **options}
    warehouse.run("t", kind, given, rows, {"kinds_execution_time": f"2024-01-0{day}T06:00:00"})
    return sorted(warehouse.database.execute("select id, source, target, n from shop.t").fetchall())


@pytest.mark.parametrize("file_format", ["iceberg", "parquet"])
def test_a_clause_may_name_columns_of_the_table_bare_and_one_that_is_called_source(file_format: str) -> None:
    warehouse = Warehouse()
    # keys are expressions of bare names, too: 11 and 21 are one
    options = {"unique_key": ["id % 10"], "when_matched": MATCHED}
    run(warehouse, 2, "incremental_by_unique_key", file_format, **options)
    expected = [(11, "ca", "x", 6), (12, "b", "x", 2), (33, "e", "y", 9)]
    assert run(warehouse, 3, "incremental_by_unique_key", file_format, **options) == expected


@pytest.mark.parametrize("file_format", ["iceberg", "parquet"])
def test_the_key_of_a_history_may_be_an_expression_and_its_columns_called_source_and_target(file_format: str) -> None:
    warehouse = Warehouse()
    options = {"unique_key": ["id % 10", "`target` is null"], "columns": ["source"], "invalidate_hard_deletes": True}
    run(warehouse, 2, "scd_type_2_by_column", file_format, **options)
    run(warehouse, 3, "scd_type_2_by_column", file_format, **options)
    versions = warehouse.database.execute("select id, source, valid_to is null from shop.t order by id").fetchall()
    assert versions == [(11, "a", False), (12, "b", False), (21, "c", True), (22, "d", True), (33, "e", True)]

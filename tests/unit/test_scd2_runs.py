"""Whole runs of the vectors of SCD type 2 by the macros, with DuckDB in Spark's place."""

from __future__ import annotations

import re
from typing import Any

import pytest

from tests.unit import scd2_sql as scd2
from tests.unit.duckdb_runs import Warehouse
from tests.unit.macros import CompilerError
from tests.unit.scd2_vectors import VECTORS, columns_of, run_of

CASES = [
    pytest.param(vector, file_format, id=f"{vector['id']}-{file_format}")
    for vector in VECTORS
    for file_format in vector.get("formats", ["iceberg", "parquet"])
]


def compiled(vector: dict[str, Any], step: dict[str, Any]) -> str:
    """The model's SQL as dbt compiles it."""
    sql = scd2.query(vector, step)
    for bound in ("start", "end"):
        sql = sql.replace(f"{{{{ dbt_kinds.{bound}_ds() }}}}", f"/*kinds:{bound}_ds*/ '2024-01-01'")
        sql = sql.replace(
            f"{{{{ dbt_kinds.{bound}_dt() }}}}", f"/*kinds:{bound}_dt*/ timestamp '2024-01-01 00:00:00+00:00'"
        )
    return sql


def stored(warehouse: Warehouse, table: str, names: list[str]) -> list[list[str | None]]:
    if table not in warehouse.listed_tables(None):
        return []
    texts = ", ".join(f"strip_accents(regexp_replace(cast(\"{name}\" as varchar), '[+]00$', ''))" for name in names)
    rows = warehouse.database.execute(f"select {texts} from shop.{table}").fetchall()
    return sorted(([*row] for row in rows), key=repr)


@pytest.mark.parametrize(("vector", "file_format"), CASES)
def test_the_table_holds_what_the_vector_says(vector: dict[str, Any], file_format: str) -> None:
    warehouse, table = Warehouse(), vector["id"].lower()
    managed = [
        vector["options"].get("valid_from_name", "valid_from"),
        vector["options"].get("valid_to_name", "valid_to"),
    ]
    for number, step in enumerate(vector["steps"]):
        columns = [column for column in columns_of(vector, step) if column[0] not in managed]
        if "setup_rows" in step:
            rows = scd2.rows_sql([*columns, *((name, "timestamp") for name in managed)], step["setup_rows"])
            warehouse.create_table(f"shop.{table}", file_format, rows)
        variables = {"kinds_execution_time": step["execution_time"], **step.get("vars", {})}
        options = {**vector["options"], "file_format": file_format}
        error = ""
        try:
            warehouse.run(
                table,
                vector["kind"],
                options,
                compiled(vector, step),
                variables,
                full_refresh=run_of(step).full_refresh,
            )
        except CompilerError as refused:
            error = str(refused)
        assert bool(error) == ("expect_error" in step), error
        assert step.get("expect_error", "") in error
        is_last = number == len(vector["steps"]) - 1
        expected = step.get("expect", vector.get("expect") if is_last else None)
        if expected is not None:
            assert stored(warehouse, table, [*(name for name, _ in columns), *managed]) == scd2.as_texts(expected)


# the table has numbers of a type that cannot hold all of the query's; keys and compared columns are compared as they are stored
NARROW = {"decimal": ("decimal(12,1)", "decimal(20,2)", "1.25"), "int": ("int", "bigint", "7")}


@pytest.mark.parametrize("column", ["id", "price"])
@pytest.mark.parametrize(("stored_type", "type_", "value"), NARROW.values(), ids=[*NARROW])
@pytest.mark.parametrize("setting", ["on_additive_change", "on_schema_change"])
def test_a_wider_type_that_is_ignored_changes_nothing(
    setting: str, stored_type: str, type_: str, value: str, column: str
) -> None:
    warehouse = Warehouse()
    options = {"unique_key": "id", "columns": "*", "start": "2024-01-01", "file_format": "iceberg", setting: "ignore"}

    def run(day: int, type_: str, value: str) -> None:
        types = {"id": "int", "price": "int"} | {column: type_}
        rows = [[value if name == column else "1" for name in types]]
        variables = {"kinds_execution_time": f"2024-01-0{day}T06:00:00"}
        warehouse.run("prices", "scd_type_2_by_column", options, scd2.rows_sql([*types.items()], rows), variables)

    run(2, stored_type, value)
    first = stored(warehouse, "prices", ["id", "price", "valid_from", "valid_to"])
    for day in (3, 4):
        run(day, type_, value)
        assert stored(warehouse, "prices", ["id", "price", "valid_from", "valid_to"]) == first
    with pytest.raises(
        Exception, match=f"column {column} is {re.escape(stored_type)} in the table, which cannot hold 99999999999"
    ):
        run(5, type_, "999999999999")
    run(5, type_, "9")
    assert len(stored(warehouse, "prices", ["id"])) == 2

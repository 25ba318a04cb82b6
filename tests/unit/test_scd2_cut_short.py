"""Runs of SCD type 2 that die at any of their statements: the next run leaves the table of a run that did not die."""

from __future__ import annotations

from typing import Any

import pytest

from tests.sweep import rest
from tests.unit.duckdb_runs import DiedError, Warehouse
from tests.unit.scd2_sql import rows_sql

COLUMNS = [("id", "int"), ("price", "int")]
OPTIONS: dict[str, Any] = {
    "unique_key": "id", "columns": "*", "invalidate_hard_deletes": True, "disable_restatement": False,
    "start": "2024-01-01",
}  # fmt: skip
SOURCES = [[[1, 10], [2, 20]], [[1, 11], [3, 30]], [[1, 11], [2, 21], [3, 31]], [[1, 12], [2, 21]]]


CASES: list[tuple[str, int, dict[str, Any], dict[str, Any]]] = [
    ("first load", 0, {}, {}),
    ("merge", 2, {}, {}),
    ("restatement", 3, {"start": "2024-01-03"}, {}),
    ("full refresh", 2, {"full_refresh": True}, {}),
]


def run(warehouse: Warehouse, file_format: str, day: int, **variables: Any) -> None:
    full_refresh = variables.pop("full_refresh", False)
    given = {"kinds_execution_time": f"2024-01-0{day + 2}T06:00:00"}
    given |= {f"kinds_{name}": value for name, value in variables.items()}
    options = OPTIONS | {"file_format": file_format}
    sql = rows_sql(COLUMNS, SOURCES[day])
    warehouse.run("prices", "scd_type_2_by_column", options, sql, given, full_refresh=full_refresh)


def rows(warehouse: Warehouse) -> list[Any]:
    return sorted(warehouse.database.execute("select * from shop.prices").fetchall(), key=repr)


def prepared(file_format: str, days: int) -> Warehouse:
    warehouse = Warehouse()
    for day in range(days):
        run(warehouse, file_format, day)
    return warehouse


# behind one statement is before the next one
@pytest.mark.parametrize("done", rest([False, True], False), ids=["before", "behind"])
@pytest.mark.parametrize("file_format", ["iceberg", "parquet"])
@pytest.mark.parametrize(
    ("title", "days", "variables", "again"),
    rest(CASES, *CASES[1:3]),
    ids=["first-load", "merge", "restatement", "full-refresh"],
)
def test_the_next_run_makes_good_what_died(
    title: str, days: int, variables: dict[str, Any], again: dict[str, Any], file_format: str, done: bool
) -> None:
    whole = prepared(file_format, days)
    run(whole, file_format, days, **dict(variables))
    expected = rows(whole)
    statements = list(whole.statements)
    for number in range(1, len(statements) + 1):
        warehouse = prepared(file_format, days)
        warehouse.dies_at, warehouse.dies_after_it = number, done
        with pytest.raises(DiedError):
            run(warehouse, file_format, days, **dict(variables))
        died_at = f"{title}: statement {number} of {statements}"
        is_announced = any(
            row["event"] in ("pending", "invalidated", "loaded")
            and row["execution_time"] == f"2024-01-0{days + 2}T06:00:00"
            for row in warehouse.log
            if row["event"] not in ("claimed", "released", "settled") and "execution_time" in row
        )
        # what the run had not announced is asked for again
        run(warehouse, file_format, days, **({} if is_announced else dict(variables)))
        assert rows(warehouse) == expected, died_at

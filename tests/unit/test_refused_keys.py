"""Runs that are refused for their keys, and replace a table or put one back: it stays as it is, and so do its records."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.duckdb_runs import Warehouse
from tests.unit.macros import CompilerError

BY_COLUMN: dict[str, Any] = {"unique_key": "id", "columns": ["price"], "disable_restatement": False}
BY_TIME: dict[str, Any] = {"unique_key": "id", "disable_restatement": False}
BY_KEY: dict[str, Any] = {"unique_key": "id"}
HISTORIES = [
    pytest.param("scd_type_2_by_column", BY_COLUMN, "iceberg", id="by-column-iceberg"),
    pytest.param("scd_type_2_by_column", BY_COLUMN, "parquet", id="by-column-parquet"),
    pytest.param("scd_type_2_by_time", BY_TIME, "iceberg", id="by-time-iceberg"),
]
# DuckDB merges no keys on Parquet
KEYED = pytest.param("incremental_by_unique_key", BY_KEY, "iceberg", id="by-key-iceberg")
SOURCE = "select id, price, timestamp '2024-01-0{day} 05:00:00' as updated_at from values {rows} as s(id, price)"
GOOD = {2: "(1, 10), (2, 20)", 3: "(1, 11), (2, 20)", 4: "(1, 12), (3, 30)"}
REFUSED = {
    "more than one row for one unique_key": "(1, 11), (1, 12)",
    "NULL in unique_key": "(1, 11), (cast(null as int), 12)",
}


class Model:
    def __init__(self, kind: str, options: dict[str, Any], file_format: str) -> None:
        self.warehouse, self.kind = Warehouse(), kind
        self.options = {**options, "start": "2024-01-01", "file_format": file_format}

    def run(self, day: int, rows: str | None = None, *, full_refresh: bool = False, **more: Any) -> None:
        sql = more.pop("sql", None) or SOURCE.format(day=day, rows=rows or GOOD[day])
        given = {"kinds_execution_time": f"2024-01-0{day}T06:00:00", **more}
        self.warehouse.run("prices", self.kind, self.options, sql, given, full_refresh=full_refresh)

    def rows(self) -> list[Any]:
        return sorted(self.warehouse.database.execute("select * from shop.prices").fetchall(), key=repr)

    def records(self) -> list[Any]:
        lease = ("claimed", "released", "failed")
        return [
            (row["event"], row.get("interval_start"), row.get("interval_end"))
            for row in self.warehouse.log
            if row["event"] not in lease
        ]


def check_that_nothing_came_of_it(model: Model, message: str, **asked: Any) -> None:
    for day in (2, 3):
        model.run(day)
    rows, records = model.rows(), model.records()
    with pytest.raises(CompilerError, match=message):
        model.run(4, REFUSED[message], **asked)
    assert (model.rows(), model.records()) == (rows, records)
    assert not [name for name in model.warehouse.listed_tables(None) if "__kinds_stage_" in name]
    # and the next run is an ordinary one
    undisturbed = Model(model.kind, model.options, model.options["file_format"])
    for day in (2, 3, 4):
        undisturbed.run(day)
    model.run(4)
    assert (model.rows(), model.records()) == (undisturbed.rows(), undisturbed.records())


@pytest.mark.parametrize("message", REFUSED)
@pytest.mark.parametrize(("kind", "options", "file_format"), [*HISTORIES, KEYED])
def test_a_refused_full_refresh_leaves_table_and_records(
    kind: str, options: dict[str, Any], file_format: str, message: str
) -> None:
    check_that_nothing_came_of_it(Model(kind, options, file_format), message, full_refresh=True)


@pytest.mark.parametrize(("kind", "options", "file_format"), HISTORIES)
def test_so_does_a_refused_restatement(kind: str, options: dict[str, Any], file_format: str) -> None:
    model = Model(kind, options, file_format)
    check_that_nothing_came_of_it(model, "more than one row for one unique_key", kinds_start="2024-01-03T06:00:00")


@pytest.mark.parametrize("file_format", ["iceberg", "parquet"])
def test_a_query_that_reads_its_own_history_reads_it_as_it_was_put_back(file_format: str) -> None:
    model = Model("scd_type_2_by_column", BY_COLUMN, file_format)
    for day in (2, 3):
        model.run(day)
    assert len(model.rows()) == 3
    model.run(
        4,
        sql="select 1 as id, cast((select count(*) from shop.prices) as int) as price, timestamp '2024-01-04 05:00:00' as updated_at",
        kinds_start="2024-01-03T06:00:00",
    )
    assert [row[1] for row in model.rows() if row[0] == 1] == [10, 2]

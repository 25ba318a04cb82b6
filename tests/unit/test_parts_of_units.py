"""A unit of which hours are recorded, as after another interval_unit: what a run of days then loads."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.duckdb_runs import Warehouse

HOURS = """select ts from values (timestamp '2024-01-01 01:00:00'), (timestamp '2024-01-01 10:00:00'),
    (timestamp '2024-01-01 20:00:00') as hours(ts)
    where ts between /*kinds:start_dt*/ timestamp '2024-01-01 00:00:00' and /*kinds:end_dt*/ timestamp '2024-01-01 00:00:00'"""


@pytest.mark.parametrize(
    ("kind", "options"),
    [
        ("incremental_unmanaged", {}),
        ("append", {}),
        ("incremental_by_time_range", {"time_column": "ts"}),
        ("incremental_by_unique_key", {"unique_key": "ts"}),
    ],
)
def test_a_gap_between_recorded_hours_is_loaded_once(kind: str, options: dict[str, Any]) -> None:
    warehouse = Warehouse()

    def run(unit: str, now: str, **variables: Any) -> None:
        given = {"file_format": "iceberg", "start": "2024-01-01", "interval_unit": unit, **options}
        warehouse.run("t", kind, given, HOURS, {"kinds_execution_time": now, **variables})

    run("hour", "2024-01-01T06:10:00", kinds_ignore_cron=True)
    run("hour", "2024-01-02T01:10:00", kinds_start="2024-01-01 18:00", kinds_end="2024-01-02")
    for now in ("2024-01-02T06:10:00", "2024-01-02T07:10:00"):
        run("day", now)
        loaded = warehouse.database.execute("select hour(ts) from shop.t order by 1").fetchall()
        assert loaded == [(1,), (10,), (20,)]
    assert warehouse.statements == []

"""A query of another dialect, compiled and run on Spark over the few rows that another engine has as the table db.t."""

from __future__ import annotations

from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any

from pyspark.sql import SparkSession

from dbt_kinds.writers.dbt_project import write_project
from tests.unit.compiling import read

_ROWS = """(1, 'x', 10.5, timestamp '2024-01-31 23:30:00', date '2024-01-31'), (2, 'x', null, timestamp '2024-02-29 00:00:00', date '2024-02-29'),
(3, 'y', 3.0, timestamp '2024-03-01 12:00:00', date '2024-03-01'), (4, 'y', 3.0, null, null), (5, null, -2.5, timestamp '1969-12-31 23:59:59', date '1969-12-31')"""
_NAMES = "(id, name, price, t, d)"
TABLE = (
    "create table db.t as select cast(id as int) as id, cast(name as text) as name, cast(price as double precision) as price, t, d "
    f"from (values {_ROWS}) as v {_NAMES}"
)
_COLUMNS = "- name: db.t\n  columns: {id: int, name: text, price: double, t: timestamp, d: date}\n"


def rows_on_spark(query: str, dialect: str) -> list[str]:
    """The rows of a query over db.t, to be compared."""
    compiled = read(f"MODEL (name db.m, kind FULL);\n{query}", dialect, files={"external_models.yaml": _COLUMNS})
    assert not compiled.refusal, compiled.notes
    written = {file.path: file.text for file in write_project(compiled.project, {"local": "."})}["models/db/m.sql"]
    sql = written.split("}}\n", 1)[1].replace("{{ source('db', 't') }}", "dialect_rows")
    session = SparkSession.builder.getOrCreate()
    session.sql(
        f"select cast(id as int), name, cast(price as double), t, d from values {_ROWS} as {_NAMES}"
    ).createOrReplaceTempView("dialect_rows")
    return compared(session.sql(sql).collect())


def compared(rows: list[Any]) -> list[str]:
    """Rows in one order, whatever kind of number, of bytes, of list and of midnight a value is."""
    return sorted(repr([_plain(value) for value in row]) for row in rows)


def _plain(value: Any) -> Any:
    if isinstance(value, datetime):
        return value.isoformat(" ").removesuffix("+00:00").removesuffix(" 00:00:00")
    if isinstance(value, bytes | bytearray | memoryview):
        return bytes(value).hex()
    if isinstance(value, dict):
        return {str(key): _plain(value[key]) for key in sorted(value, key=str)}
    if isinstance(value, timedelta):
        return value.total_seconds()
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if isinstance(value, int | float | Decimal):
        # engines' last digits differ
        return float(f"{value:.12g}") + 0.0
    return "NULL" if value is None else str(value)

"""The catalog that a project's default gateway connects to, which names may omit."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import PurePosixPath, PureWindowsPath
from typing import Any

from dbt_kinds.readers.sqlmesh.config_jinja import SECRET
from dbt_kinds.readers.sqlmesh.environment import variables_in

_DUCKDB = ("duckdb", "motherduck", "ducklake")
# the key in each type of connection; DuckDB's is the name of the file
_KEYS = ("catalog", "catalog_name", "database", "db", "project")
# in these engines a database is a schema
_WITHOUT = ("mysql", "clickhouse", "starrocks")


def catalog_of(connection: Mapping[str, Any]) -> str | None:
    """The catalog in a connection's configuration; None if there is none."""
    kind = str(connection.get("type") or "").lower()
    if kind in _WITHOUT:
        return None
    keys = ("project",) if kind == "bigquery" else _KEYS
    written = next((connection[key] for key in keys if connection.get(key)), None)
    catalogs = connection.get("catalogs")
    if kind in _DUCKDB and written is None and isinstance(catalogs, dict) and catalogs:
        return str(next(iter(catalogs)))
    if not isinstance(written, str) or written == SECRET or variables_in(written):
        return None
    return _stem(written) if kind in _DUCKDB else written


def _stem(database: str) -> str:
    """DuckDB's name for a database file, with either path separator."""
    path = database.replace(":memory:", "memory")
    return PureWindowsPath(path).stem if "\\" in path else PurePosixPath(path).stem

"""The catalog that a project's default gateway connects to, which its names may leave out."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import PurePosixPath, PureWindowsPath
from typing import Any

from dbt_kinds.readers.sqlmesh.config_jinja import SECRET

_DUCKDB = ("duckdb", "motherduck", "ducklake")
# what each kind of connection calls it; DuckDB's is the name of the file
_KEYS = ("catalog", "catalog_name", "database", "db", "project")
# here a database is a schema
_WITHOUT = ("mysql", "clickhouse", "starrocks")


def catalog_of(connection: Mapping[str, Any]) -> str | None:
    """The catalog of a connection as the configuration writes it; None when it names none."""
    kind = str(connection.get("type") or "").lower()
    if kind in _WITHOUT:
        return None
    keys = ("project",) if kind == "bigquery" else _KEYS
    written = next((connection[key] for key in keys if connection.get(key)), None)
    catalogs = connection.get("catalogs")
    if kind in _DUCKDB and written is None and isinstance(catalogs, dict) and catalogs:
        return str(next(iter(catalogs)))
    if not isinstance(written, str) or written == SECRET:
        return None
    return _stem(written) if kind in _DUCKDB else written


def _stem(database: str) -> str:
    """What DuckDB calls a database of a file, in either spelling of paths."""
    path = database.replace(":memory:", "memory")
    return PureWindowsPath(path).stem if "\\" in path else PurePosixPath(path).stem

"""Files and other databases that DuckDB reads as tables; Spark reads them if nothing has to be guessed."""

from __future__ import annotations

import re

from sqlglot import exp

from dbt_kinds.translation.not_in_spark import NotInSpark

_NAMES = """
ARROW_SCAN DUCKDB_COLUMNS DUCKDB_DATABASES DUCKDB_SCHEMAS DUCKDB_TABLES DUCKDB_VIEWS GLOB ICEBERG_METADATA
ICEBERG_SCAN ICEBERG_SNAPSHOTS JSON_SCAN MYSQL_QUERY MYSQL_SCAN PARQUET_METADATA PARQUET_SCHEMA POSTGRES_QUERY
POSTGRES_SCAN QUERY QUERY_TABLE READ_AVRO READ_BLOB READ_CSV READ_CSV_AUTO READ_JSON READ_JSON_AUTO
READ_JSON_OBJECTS READ_JSON_OBJECTS_AUTO READ_NDJSON READ_NDJSON_AUTO READ_NDJSON_OBJECTS READ_TEXT READ_XLSX
SCAN_ARROW_IPC SNIFF_CSV SQLITE_QUERY SQLITE_SCAN ST_READ
"""
_READERS = frozenset(_NAMES.split())
_FORMATS = {"DELTA_SCAN": "delta", "PARQUET_SCAN": "parquet", "READ_PARQUET": "parquet"}
# each is a path in Spark, or refused, in FROM
FILE_READERS = _READERS | _FORMATS.keys()
_FORMATS_OF_SPARK = frozenset({"avro", "binaryfile", "csv", "delta", "json", "orc", "parquet", "text"})
_FILE = re.compile(r"\.(csv|tsv|txt|json|jsonl|ndjson|parquet|xlsx)(\.\w+)?$", re.IGNORECASE)


def is_file(table: exp.Table) -> bool:
    """Whether a table is a file, as Spark reads parquet.`folder/file`, or a file or another database of DuckDB's."""
    if isinstance(table.this, exp.Func):
        name = (table.this.name if isinstance(table.this, exp.Anonymous) else table.this.sql_name()).upper()
        return name in _READERS or name in _FORMATS
    if table.db.lower() in _FORMATS_OF_SPARK:
        return "/" in table.name or ":" in table.name
    return not table.db and _FILE.search(table.name) is not None


def as_table(table: exp.Table) -> exp.Table:
    """The table, or the path that Spark reads in its place.

    Raises:
        NotInSpark: it is a file or another database that Spark can only read as a declared table.
    """
    if isinstance(table.this, exp.Func):
        return _read_by_function(table, table.this)
    if not table.db and _FILE.search(table.name):
        if table.name.lower().endswith(".parquet"):
            raise NotInSpark(f"the file {table.name} as a table; write read_parquet('{table.name}')", table)
        raise _no_table(f"the file {table.name}", table)
    return table


def _read_by_function(table: exp.Table, function: exp.Func) -> exp.Table:
    name = (function.name if isinstance(function, exp.Anonymous) else function.sql_name()).upper()
    if name in _READERS:
        raise _no_table(name, table)
    if name not in _FORMATS:
        return table
    path = written_path(function.expressions[0]) if len(function.expressions) == 1 else None
    if path is None:
        raise NotInSpark(f"{name} of several files or with options; write it for one path, which may have *", table)
    table.set("this", exp.to_identifier(path, quoted=True))
    table.set("db", exp.to_identifier(_FORMATS[name]))
    return table


def written_path(argument: exp.Expr) -> str | None:
    """A path as the argument of a function of files: `'folder/file'`, which may be in double quotes, too."""
    is_quoted = isinstance(argument, exp.Column) and not argument.table and argument.this.args.get("quoted")
    return argument.name if argument.is_string or is_quoted else None


def _no_table(what: str, table: exp.Table) -> NotInSpark:
    message = (
        f"{what} is read by Spark as a declared table only; create one over it (CREATE TABLE … USING …) and name it"
    )
    return NotInSpark(message, table)

"""Spark's statements as DuckDB reads them, and the types of DuckDB's columns as Spark calls them."""

from __future__ import annotations

import functools
import re

import sqlglot

_SPARK_TYPES = {
    "INTEGER": "int", "BIGINT": "bigint", "VARCHAR": "string", "TIMESTAMP WITH TIME ZONE": "timestamp", "DATE": "date",
    "TIMESTAMP": "timestamp_ntz", "DOUBLE": "double", "BOOLEAN": "boolean", "DECIMAL": "decimal",
    # what DuckDB makes of a sum of whole numbers
    "HUGEINT": "bigint",
}  # fmt: skip


def spark_type(written: str) -> str:
    """What Spark calls a type of DuckDB."""
    return re.sub(r"^[A-Z ]+", lambda name: _SPARK_TYPES[name[0].strip()], written)


@functools.lru_cache(maxsize=10_000)
def in_duckdb(text: str) -> str:
    """A statement of Spark's that DuckDB executes."""
    # sqlglot writes a sum, which is NULL of no rows
    text = re.sub(r"\bcount_if\((\w+)\)", r"count(if(\1, 1, null))", text)
    text = text.replace("struct(__kinds_staged.*)", "__kinds_staged")
    # and a timestamp for a date
    text = text.replace("date_from_unix_date(", "date_of_days(")
    return sqlglot.transpile(text, read="spark", write="duckdb")[0]

"""Checks what was written for Spark: functions and types that it does not have."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from sqlglot import exp

from dbt_kinds.placeholders import is_placeholder
from dbt_kinds.translation.dialects import spark_sql
from dbt_kinds.translation.foreign_functions import FOREIGN_FUNCTIONS
from dbt_kinds.translation.functions import known_to_sqlglot
from dbt_kinds.translation.not_in_spark import NotInSpark
from dbt_kinds.translation.remarks import Remark
from dbt_kinds.translation.spark_functions import SPARK_FUNCTIONS, SPARK_VERSION

_TYPE_NAMES = (
    "ARRAY BIGINT BINARY BOOLEAN CHAR NCHAR NVARCHAR DATE DECIMAL DOUBLE FLOAT INT INTERVAL MAP NULL SMALLINT STRUCT "
    "TEXT TIMESTAMP TIMESTAMPLTZ TIMESTAMPTZ TIMESTAMPNTZ TINYINT VARBINARY VARCHAR DATETIME UNKNOWN VOID "
    "MEDIUMINT UUID BIGDECIMAL UTINYINT USMALLINT UINT UBIGINT"
)
_TYPES = frozenset(_TYPE_NAMES.split())
_OPERATORS = (exp.Binary, exp.Connector, exp.Cast, exp.Case, exp.If, exp.Unary)
_CALL = re.compile(r"(\w+)\(")


def check_written(text: str, tree: exp.Expr, source: exp.Expr, dialect: str) -> None:
    """Checks the generated SQL for functions and types that Spark does not have.

    Args:
        text: the generated SQL, and `tree` its parse tree.
        source: the tree in the source dialect, for positions of refusals.

    Raises:
        NotInSpark: there is one.
    """
    for node in tree.walk():
        if isinstance(node, exp.Qualify):
            raise NotInSpark("QUALIFY could not be unfolded; filter a sub-select by the window function", node)
        if isinstance(node, exp.DataType) and isinstance(node.this, exp.DType) and node.this.name not in _TYPES:
            raise NotInSpark(f"the type {node.sql()} has no counterpart in Spark", _like(node, source))
        if isinstance(node, exp.Func):
            _check_function(_written_name(node, text), node, source, dialect)


def unknown_functions(tree: exp.Expr, text: str, source: exp.Expr, dialect: str) -> Iterator[Remark]:
    """The functions in a Spark query that Spark does not have, without duplicates; they may be user-defined.

    Args:
        tree: the query for Spark, and `text` its original text.
        source: the tree in the source dialect, for positions.
    """
    said: set[str] = set()
    for node in tree.find_all(exp.Func):
        name = _written_name(node, text)
        if not name or name in said or name.lower() in SPARK_FUNCTIONS or is_placeholder(name.lower()):
            continue
        said.add(name)
        qualifier = f"{node.parent.this.sql()}." if isinstance(node.parent, exp.Dot) else ""
        message = (
            f"{qualifier}{name} is no function of Spark {SPARK_VERSION}; it must be created there (CREATE FUNCTION) "
            "or written with others"
        )
        yield Remark("unknown function", message, _named(name, source) or node)


def _written_name(node: exp.Func, text: str) -> str:
    start, end = node.meta.get("start"), node.meta.get("end")
    if start is not None and end is not None:
        return text[start : end + 1].upper().strip("`")
    # constructs with their own syntax have no position in the parser
    if isinstance(node, _OPERATORS) or any(name.lower() in SPARK_FUNCTIONS for name in node.sql_names()):
        return ""
    found = _CALL.match(spark_sql(node))
    return found[1].upper() if found is not None else ""


def _check_function(name: str, node: exp.Func, source: exp.Expr, dialect: str) -> None:
    if name and name.lower() not in SPARK_FUNCTIONS and not is_placeholder(name.lower()) and name in _built_in(dialect):
        raise NotInSpark(f"{name} of {dialect} has no counterpart in Spark", _named(name, source) or node)


@lru_cache(maxsize=32)
def _built_in(dialect: str) -> frozenset[str]:
    """Names of a dialect's built-in functions: those parsed by sqlglot, and some that it treats as user-defined."""
    return known_to_sqlglot(dialect) | FOREIGN_FUNCTIONS


def _named(name: str, source: exp.Expr) -> exp.Expr | None:
    for node in source.find_all(exp.Func):
        if name in (node.sql_name(), node.name.upper(), str(node.meta.get("name") or "").upper()):
            return node
    return None


def _like(node: exp.DataType, source: exp.Expr) -> exp.Expr:
    return next((other for other in source.find_all(exp.Cast) if other.to.this == node.this), node)

"""Values of the properties of kinds: words, crons, time columns, keys, expressions and types, for Spark."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from sqlglot import exp
from sqlglot.errors import SqlglotError

from dbt_kinds.codes import CompileCode
from dbt_kinds.errors import CompileError, UnreadableScheduleError
from dbt_kinds.kinds import SqlText
from dbt_kinds.placeholders import PLACEHOLDER_NAME, used_placeholders
from dbt_kinds.readers.sqlmesh.block import Value
from dbt_kinds.readers.sqlmesh.instants import cron
from dbt_kinds.readers.sqlmesh.macros.scope import Scope
from dbt_kinds.readers.sqlmesh.remarks import note_remarks
from dbt_kinds.readers.sqlmesh.sortable_formats import UnsortableFormat, sortable_format
from dbt_kinds.translation.data_types import declared_type
from dbt_kinds.translation.dialects import ParseFailure, is_spark, parse_statement, parse_type, spark_sql
from dbt_kinds.translation.functions import function_remarks
from dbt_kinds.translation.not_in_spark import NotInSpark
from dbt_kinds.translation.target import SparkTarget

_NO_TYPE = (SqlglotError, ValueError, AttributeError)


def check_is_known(value: Value) -> None:
    """Refuses a value that is known only when dbt runs.

    Raises:
        CompileError: it contains a time variable or similar (UnsupportedMacro).
    """
    if PLACEHOLDER_NAME.search(value.text):
        message = f"{value.name} asks for a time variable, which is known only when dbt runs; write a value"
        raise value.error(CompileCode.UnsupportedMacro, message)


def one_of(value: Value, words: tuple[str, ...]) -> str:
    """A word from a list.

    Raises:
        CompileError: it is not one of them (BadPropertyValue).
    """
    word = value.as_word()
    if word not in words:
        raise value.bad(f"one of {', '.join(words)}")
    return word


def read_cron(value: Value) -> str:
    """Parses a cron.

    Raises:
        CompileError: it is not a cron (BadPropertyValue).
    """
    try:
        return cron(value.as_text(), value.name)
    except UnreadableScheduleError as problem:
        raise value.error(CompileCode.BadPropertyValue, str(problem)) from problem


def time_column(value: Value, default_format: str) -> Any:
    """A column, or a column and the format of its values as a Spark pattern.

    Raises:
        CompileError: it is neither (BadPropertyValue).
    """
    items = value.as_list()
    column = items[0].as_column() if items else ""
    if not items or len(items) > 2 or not column:
        raise value.bad("a column, or (column, 'format')")
    written = items[1].as_text() if len(items) == 2 else default_format
    if len(items) == 1 and written == "%Y-%m-%d":
        return column
    try:
        return {"column": column, "format": sortable_format(written, value.dialect if len(items) == 2 else "")}
    except UnsortableFormat as problem:
        raise value.error(
            CompileCode.BadPropertyValue, f"the format '{written}' of time_column {column} {problem}"
        ) from None


def unique_key(value: Value) -> list[str]:
    """The columns and expressions of a key.

    Raises:
        CompileError: there is none (BadPropertyValue).
    """
    keys = [spark_expression(item) for item in value.as_list()]
    if not keys:
        raise value.bad("a column, an expression, or a list of them")
    return keys


def compared_columns(value: Value) -> Any:
    """The columns that a history compares: a list, or `*`."""
    if value.text.strip("'\"") == "*":
        return "*"
    return [item.as_column() for item in value.as_list()]


def merge_filter(value: Value, scope: Scope) -> str | SqlText:
    """The condition of a merge, with placeholders for time variables."""
    _note_functions(value, scope)
    return _with_placeholders(spark_expression(value), scope)


def _note_functions(value: Value, scope: Scope) -> None:
    try:
        note_remarks(scope, function_remarks(value.text, value.dialect), lambda node: value.place.line)
    except NotInSpark as problem:
        raise value.error(CompileCode.Untranslatable, problem.message) from problem


def _with_placeholders(text: str, scope: Scope) -> str | SqlText:
    placeholders = used_placeholders(text, scope.placeholders.by_name)
    return SqlText(text, placeholders) if placeholders else text


def when_matched(value: Value, scope: Scope) -> list[str | SqlText]:
    """The clauses of a merge, one string each, with placeholders for time variables.

    Raises:
        CompileError: they are not clauses for matched rows (SqlParseError, BadPropertyValue).
    """
    text = value.text.strip()
    tokens = value.tokens
    if tokens and tokens[0].text == "(" and tokens[-1].text == ")":
        text = text[1:-1].strip()
    try:
        merge = parse_statement(f"MERGE INTO t AS target USING s AS source ON 1 = 1 {text}", value.dialect)
    except ParseFailure as failure:
        message = f"when_matched: {failure.message}; write WHEN MATCHED [AND …] THEN UPDATE SET … or THEN DELETE"
        raise value.error(CompileCode.SqlParseError, message) from failure
    whens = merge.args.get("whens")
    clauses = whens.expressions if isinstance(whens, exp.Whens) else []
    if not clauses or any(not when.args.get("matched") or when.args.get("source") for when in clauses):
        raise value.bad("WHEN MATCHED [AND …] THEN UPDATE SET … or THEN DELETE; rows without a match are inserted")
    if is_spark(value.dialect) and len(clauses) == 1:
        return [_with_placeholders(" ".join(text.split()), scope)]
    _note_functions(value, scope)
    return [_with_placeholders(written_for_spark(when, value), scope) for when in clauses]


def spark_expression(value: Value) -> str:
    """An expression as Spark writes it; Spark's own text is kept, and a column is returned as its name."""
    tree = value.as_expression()
    if isinstance(tree, exp.Column) and len(tree.parts) == 1:
        return tree.name
    return value.text if is_spark(value.dialect) else written_for_spark(tree, value)


def written_for_spark(tree: exp.Expr, value: Value) -> str:
    """A part of a statement as Spark writes it.

    Raises:
        CompileError: it cannot be (Untranslatable).
    """
    try:
        holder = exp.Paren(this=tree)
        written: exp.Expr = SparkTarget().rewrite(holder, value.dialect)
        return spark_sql(written.this)
    except NotInSpark as problem:
        raise value.error(CompileCode.Untranslatable, problem.message) from problem
    except SqlglotError as error:
        raise value.error(CompileCode.Untranslatable, f"{value.name}: {error}") from error


def spark_type(text: str, value: Value) -> str:
    """A type of the model's dialect under its name in Spark.

    Raises:
        CompileError: it is not a type (BadPropertyValue).
        CompileError: Spark has no equivalent (Untranslatable).
    """
    try:
        return _spark_type(text, value.dialect)
    except NotInSpark as problem:
        raise value.error(CompileCode.Untranslatable, f"{value.name}: {problem.message}") from problem
    except _NO_TYPE as error:
        raise _no_type(text, value) from error


@lru_cache(maxsize=4096)
def _spark_type(text: str, dialect: str) -> str:
    """A project has few types, and many columns."""
    return declared_type(parse_type(text, dialect), dialect)


def type_of(text: str, value: Value) -> exp.DataType:
    """Parses a type of the model's dialect.

    Raises:
        CompileError: it is not a type (BadPropertyValue).
    """
    try:
        return parse_type(text, value.dialect)
    except _NO_TYPE as error:
        raise _no_type(text, value) from error


def _no_type(text: str, value: Value) -> CompileError:
    message = f"{value.name}: '{text}' is no type of {value.dialect or 'SQL'}"
    return value.error(CompileCode.BadPropertyValue, message)

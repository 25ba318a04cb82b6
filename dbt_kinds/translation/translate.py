"""Translates a tree of any dialect to Spark SQL, with remarks."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from sqlglot import exp
from sqlglot.errors import SqlglotError, UnsupportedError

from dbt_kinds.translation.decimals import unbounded_decimal, unbounded_message
from dbt_kinds.translation.dialects import ParseFailure, is_spark, parse_statement, spark_sql
from dbt_kinds.translation.functions import function_remarks
from dbt_kinds.translation.not_in_spark import NotInSpark
from dbt_kinds.translation.remarks import Remark
from dbt_kinds.translation.spark import check_written, rewrite, unknown_functions
from dbt_kinds.translation.typed_operators import doubts

_FAILURES = (SqlglotError, RecursionError, AttributeError, TypeError, ValueError, KeyError, IndexError)


@dataclass(frozen=True)
class Translated:
    """The result of a translation, with remarks."""

    text: str
    remarks: tuple[Remark, ...]


def translate(tree: exp.Expr, dialect: str, text: str, *, write: Callable[[exp.Expr], str] = spark_sql) -> Translated:
    """Translates a query to Spark 3.5. The tree is modified.

    Args:
        tree: the query; tables may have different names than in the text.
        text: its original text.
        write: generates text from the rewritten tree.

    Raises:
        NotInSpark: a part of it has no counterpart.
    """
    source = tree.copy()
    remarks = [*remarks_of(source, dialect, text), *doubts(tree, dialect)]
    written = _text_of(rewrite(tree, dialect), source, dialect, write)
    try:
        again = parse_statement(written, "spark")
    except ParseFailure as failure:
        raise NotInSpark(f"what sqlglot makes of it is no SQL of Spark's: {failure.message}", source) from failure
    if not is_spark(dialect):
        check_written(written, again, source, dialect)
    return Translated(written, (*remarks, *unknown_functions(again, written, source, dialect)))


def remarks_of(source: exp.Expr, dialect: str, text: str) -> Iterator[Remark]:
    """Remarks on a tree as parsed."""
    unbounded = unbounded_decimal(source, dialect)
    if unbounded is not None:
        yield Remark("decimal", unbounded_message(unbounded, dialect), unbounded)
    yield from function_remarks(text, dialect)


def _text_of(tree: exp.Expr, source: exp.Expr, dialect: str, write: Callable[[exp.Expr], str]) -> str:
    try:
        return write(tree)
    except UnsupportedError as error:
        raise NotInSpark(f"{str(error).strip()} (from {dialect})", source) from error
    except _FAILURES as error:
        raise NotInSpark(f"sqlglot cannot write it for Spark: {error}", source) from error

"""Translates trees of any dialect for one version of Spark, by passes in one order for every reader."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from sqlglot import exp
from sqlglot.errors import SqlglotError, UnsupportedError

import dbt_kinds.translation.topics  # noqa: F401 (binds the functions)
from dbt_kinds.placeholders import Placeholders
from dbt_kinds.translation.aliases import write_aliases_out
from dbt_kinds.translation.by_name import write_by_position
from dbt_kinds.translation.column_names import keep_names, name_columns, remember_names
from dbt_kinds.translation.columns_calls import write_columns_out
from dbt_kinds.translation.data_types import spell_types
from dbt_kinds.translation.decimals import unbounded_decimal, unbounded_message
from dbt_kinds.translation.dialects import ParseFailure, is_spark, keep_from_substitution, parse_statement, spark_sql
from dbt_kinds.translation.doubts import doubts
from dbt_kinds.translation.dropped_arguments import refuse_left_out
from dbt_kinds.translation.duckdb_only import duckdb_only
from dbt_kinds.translation.functions import function_remarks
from dbt_kinds.translation.jsons import unwrap_nulls
from dbt_kinds.translation.lateral_unnest import join_lists
from dbt_kinds.translation.list_aggregates import listed
from dbt_kinds.translation.literals import plain_literals
from dbt_kinds.translation.not_in_spark import NotInSpark
from dbt_kinds.translation.pattern_syntax import spell_patterns
from dbt_kinds.translation.pivots import name_pivoted
from dbt_kinds.translation.predicates import parenthesize_predicates
from dbt_kinds.translation.qualify import unfold_distinct_on, unfold_qualify
from dbt_kinds.translation.refusals import refuse
from dbt_kinds.translation.remarks import Remark
from dbt_kinds.translation.rewrites import rewritten
from dbt_kinds.translation.row_values import write_rows
from dbt_kinds.translation.star_expansion import ColumnsOf, expand_stars
from dbt_kinds.translation.subscripts import remember_shifts
from dbt_kinds.translation.time_formats import refuse_standard_format
from dbt_kinds.translation.time_variables import type_placeholders
from dbt_kinds.translation.typed_literals import type_literals
from dbt_kinds.translation.typed_operators import compare_as_floats
from dbt_kinds.translation.value_types import settle_types, type_columns, type_of
from dbt_kinds.translation.written_check import check_written, unknown_functions

VERSIONS = ("3.5", "4.0", "4.1")
_FAILURES = (SqlglotError, RecursionError, AttributeError, TypeError, ValueError, KeyError, IndexError)

# sqlglot reads a call with too few arguments as if they were there
_MISSING = (AttributeError, IndexError, KeyError, TypeError)


@dataclass(frozen=True)
class Translated:
    """The result of a translation, with remarks."""

    text: str
    remarks: tuple[Remark, ...]


@dataclass(frozen=True)
class SparkTarget:
    """A version of Spark that queries are written for. From 4.0 on, ANSI mode is its default."""

    version: str = VERSIONS[0]

    def resolve(
        self, tree: exp.Expr, dialect: str, columns_of: ColumnsOf, placeholders: Placeholders | None = None
    ) -> list[Remark]:
        """What needs the names of tables, and must come before they lose them: stars, types and aliases.

        Args:
            placeholders: placeholders, whose types are declared.

        Raises:
            NotInSpark: columns are not known, or have no counterpart in Spark.
        """
        expand_stars(tree, dialect, columns_of)
        write_columns_out(tree, dialect, columns_of)
        write_by_position(tree, dialect, columns_of)
        named = [] if is_spark(dialect) else list(name_columns(tree, dialect))
        write_rows(tree, dialect, columns_of)
        if placeholders is not None:
            type_placeholders(tree, placeholders)
        type_columns(tree, columns_of)
        return [*named, *write_aliases_out(tree, dialect, columns_of)]

    def rewrite(self, tree: exp.Expr, dialect: str) -> exp.Expr:
        """The tree with everything that Spark refuses, or means otherwise, rewritten.

        Raises:
            NotInSpark: a part cannot be rewritten.
        """
        tree = plain_literals(tree, dialect)
        spell_types(tree, dialect)
        spell_patterns(tree, dialect)
        # from the inner ones out, since an outer one is copied
        for select in reversed(list(tree.find_all(exp.Select))):
            unfold_qualify(select)
            unfold_distinct_on(select)
        remember_shifts(tree)
        settle_types(tree)
        type_literals(tree, dialect)
        compare_as_floats(tree, dialect)
        tree = _each_rewritten(tree, dialect)
        if not is_spark(dialect):
            tree = unwrap_nulls(tree)
        for select in tree.find_all(exp.Select):
            join_lists(select, dialect)
        for pivot in tree.find_all(exp.Pivot):
            name_pivoted(pivot, dialect)
        for node in tree.walk():
            refuse(node, dialect, self.version)
            if not is_spark(dialect):
                refuse_left_out(node, dialect)
            only = duckdb_only(node) if dialect == "duckdb" else None
            if only is not None:
                raise NotInSpark(only, node)
        parenthesize_predicates(tree, dialect)
        return tree

    def _rewrite_named(self, tree: exp.Expr, dialect: str) -> exp.Expr:
        """The rewritten tree, whose outputs keep their names."""
        if is_spark(dialect):
            return self.rewrite(tree, dialect)
        remember_names(tree)
        rewritten_tree = self.rewrite(tree, dialect)
        keep_names(rewritten_tree)
        return rewritten_tree

    def translate(
        self, tree: exp.Expr, dialect: str, text: str, *, write: Callable[[exp.Expr], str] = spark_sql
    ) -> Translated:
        """The query for Spark. The tree is modified; `resolve` comes first where columns are known.

        Args:
            tree: the query; tables may have different names than in the text.
            text: its original text.
            write: generates text from the rewritten tree.

        Raises:
            NotInSpark: a part of it has no counterpart.
        """
        source = tree.copy()
        remarks = [*_remarks_of(source, dialect, text), *doubts(tree, dialect)]
        written = _text_of(self._rewrite_named(tree, dialect), source, dialect, write)
        try:
            again = parse_statement(written, "spark")
        except ParseFailure as failure:
            raise NotInSpark(f"what sqlglot makes of it is no SQL of Spark's: {failure.message}", source) from failure
        if not is_spark(dialect):
            check_written(written, again, source, dialect)
        return Translated(written, (*remarks, *unknown_functions(again, written, source, dialect)))


def _each_rewritten(tree: exp.Expr, dialect: str) -> exp.Expr:
    """From the leaves up, so that nested parts are already rewritten."""
    for node in reversed(list(tree.walk(bfs=False))):
        try:
            new = rewritten(node, dialect)
            # an aggregate that makes a list comes with what is around it
            new = listed(node, dialect) if new is node else new
        except _MISSING as error:
            name = node.sql_name() if isinstance(node, exp.Func) else type(node).__name__.upper()
            raise NotInSpark(
                f"{name} lacks an argument, or has one of another kind; see its documentation", node
            ) from error
        if new is node:
            continue
        if new.type is None and (known := type_of(node)) is not None:
            new.type = exp.DataType(this=known)
        if node is tree:
            tree = new
        else:
            node.replace(new)
    return tree


def _remarks_of(source: exp.Expr, dialect: str, text: str) -> Iterator[Remark]:
    """Remarks on a tree as parsed."""
    unbounded = unbounded_decimal(source, dialect)
    if unbounded is not None:
        yield Remark("decimal", unbounded_message(unbounded, dialect), unbounded)
    refuse_standard_format(text, dialect, source)
    yield from function_remarks(text, dialect)


def _text_of(tree: exp.Expr, source: exp.Expr, dialect: str, write: Callable[[exp.Expr], str]) -> str:
    if not is_spark(dialect):
        keep_from_substitution(tree)
    try:
        return write(tree)
    except UnsupportedError as error:
        raise NotInSpark(f"{str(error).strip()} (from {dialect})", source) from error
    except _FAILURES as error:
        raise NotInSpark(f"sqlglot cannot write it for Spark: {error}", source) from error

"""Converts a query of any dialect to Spark SQL: macros, tables, declared types, dialect, in this order."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from sqlglot import exp

from dbt_kinds.codes import CompileCode
from dbt_kinds.kinds import Placeholder, SqlText, TimeVariable
from dbt_kinds.placeholders import used_placeholders
from dbt_kinds.readers.sqlmesh.comments import (
    LiftedComments,
    settle_comments,
    signed,
    unsigned,
    without_doubled_parentheses,
)
from dbt_kinds.readers.sqlmesh.file_tables import read_files
from dbt_kinds.readers.sqlmesh.macros.expand import Expanded, expand
from dbt_kinds.readers.sqlmesh.macros.scope import Scope
from dbt_kinds.readers.sqlmesh.macros.variables import check_known
from dbt_kinds.readers.sqlmesh.names import table_name_of
from dbt_kinds.readers.sqlmesh.remarks import note_remarks
from dbt_kinds.readers.sqlmesh.tables import Tables, resolve
from dbt_kinds.readers.table_placeholders import Edit, put_placeholders
from dbt_kinds.translation.data_types import in_dialect
from dbt_kinds.translation.dialects import ParseFailure, is_spark, parse_statement, spark_sql
from dbt_kinds.translation.doubts import DECLARED
from dbt_kinds.translation.not_in_spark import NotInSpark
from dbt_kinds.translation.scan import touches
from dbt_kinds.translation.spark_text import is_spelt_for_spark, needs_rewrite
from dbt_kinds.translation.star_expansion import Columns, expand_outermost_stars, output_columns
from dbt_kinds.translation.value_types import TIMES, type_of
from dbt_kinds.translation.written_check import unknown_functions

Lookup = Callable[[exp.Table], Columns | None]


@dataclass
class Prepared:
    """A query with its macros expanded, and its tree."""

    expanded: Expanded
    tree: exp.Expr
    scope: Scope

    def line_of(self, node: exp.Expr) -> int:
        """The line of a node in the source, as precisely as the tree records it."""
        for part in (node, *node.walk()):
            start = part.meta.get("start") if part.meta else None
            if start is not None:
                return self.expanded.line_at(int(start))
        parent = node.parent
        return self.line_of(parent) if parent is not None else self.expanded.line_at(0)


def prepare(text: str, scope: Scope, first_line: int, *, is_rendered: bool = False) -> Prepared:
    """Expands the macros of a statement and parses it.

    Args:
        is_rendered: the text was rendered from something else, of which only the first line is known.

    Raises:
        CompileError: it does not parse; other errors come from macros (SqlParseError).
    """
    expanded = expand(text, scope, first_line)
    check_known(scope.model_name, expanded.text, scope, first_line)
    expanded.has_lines = not is_rendered
    with_signs = signed(expanded.text)
    expanded.text = with_signs.text
    expanded.offsets = [with_signs.offset(offset) for offset in expanded.offsets]
    try:
        tree = parse_statement(expanded.text, scope.dialect)
    except ParseFailure as failure:
        line = expanded.line_at(failure.offset)
        dialect = scope.dialect or "plain SQL"
        raise scope.error(CompileCode.SqlParseError, f"{failure.message}; it was read as {dialect}", line) from failure
    return Prepared(expanded, tree, scope)


def to_spark(
    prepared: Prepared,
    tables: Tables,
    own_key: str | None,
    lookup: Lookup,
    casts: Mapping[str, str] | None = None,
) -> SqlText:
    """The SQL for Spark, with tables replaced by placeholders; Spark's own text is kept if nothing else changes.

    Args:
        casts: declared Spark types by column; the outermost projections are cast to them.

    Raises:
        CompileError: a part cannot be written for Spark.
    """
    scope, tree = prepared.scope, prepared.tree
    _note_exclusive_ends(prepared)
    settle_comments(tree)
    is_spelt = is_spark(scope.dialect) and is_spelt_for_spark(prepared.expanded.text) and not needs_rewrite(tree)
    try:
        read_files(tree, scope, prepared.expanded.line_at(0))
        # before tables lose their names, which are needed to find their columns
        note_remarks(scope, scope.target.resolve(tree, scope.dialect, lookup, scope.placeholders), prepared.line_of)
        if casts:
            expand_outermost_stars(tree, scope.dialect, lookup)
        keeps_text = not _apply_casts(prepared, casts or {}) and is_spelt
        edits = _put_placeholders(prepared, tables, own_key)
        if keeps_text:
            text = _edited(prepared.expanded.text, edits)
            if text is not None:
                unknown = unknown_functions(tree, prepared.expanded.text, tree, scope.dialect)
                note_remarks(scope, unknown, prepared.line_of)
                return _sql_text(text.strip(), scope, tree)
        return _sql_text(_written(prepared), scope, tree)
    except NotInSpark as problem:
        kind = CompileCode.ColumnsUnknown if problem.needs_columns else CompileCode.Untranslatable
        raise scope.error(kind, problem.message, prepared.line_of(problem.node)) from problem


def _sql_text(text: str, scope: Scope, tree: exp.Expr) -> SqlText:
    text = unsigned(text)
    return SqlText(text, used_placeholders(text, scope.placeholders.by_name), tree)


def _written(prepared: Prepared) -> str:
    scope, text = prepared.scope, prepared.expanded.text
    translated = scope.target.translate(prepared.tree, scope.dialect, text, write=_with_comments_above)
    note_remarks(scope, translated.remarks, prepared.line_of)
    return translated.text


def _with_comments_above(tree: exp.Expr) -> str:
    tree = without_doubled_parentheses(tree)
    lifted = LiftedComments(tree)
    return lifted.put_back(spark_sql(tree, pretty=True))


def _put_placeholders(prepared: Prepared, tables: Tables, own_key: str | None) -> list[Edit]:
    scope = prepared.scope

    def placeholder_of(table: exp.Table) -> Placeholder | None:
        return resolve(table_name_of(table, scope.dialect), tables, own_key, scope, prepared.line_of(table))

    return put_placeholders(
        prepared.tree, placeholder_of, scope.placeholders, lambda table: table_name_of(table, scope.dialect).table
    )


def _edited(text: str, edits: list[Edit]) -> str | None:
    """The text with parts replaced; None if a part is not at the tree's position."""
    uses_lower = text.count("from") > text.count("FROM")
    for start, end, new, written in sorted(edits, reverse=True):
        if start < 0 or end > len(text):
            return None
        old = text[start:end]
        if written and old.replace("`", "").replace('"', "").replace(" ", "") != written:
            return None
        if not written and not old.endswith("."):
            return None
        text = _spaced(text[:start], new.replace(" AS ", " as ") if uses_lower else new, text[end:])
    return text


def _spaced(*parts: str) -> str:
    """Joins parts of a text; names that lost their quotes may touch a word."""
    joined = ""
    for part in parts:
        joined += f" {part}" if touches(joined, part) else part
    return joined


def _apply_casts(prepared: Prepared, casts: Mapping[str, str]) -> bool:
    """Casts the outermost projections to their declared types; returns whether anything changed."""
    if not casts:
        return False
    scope = prepared.scope
    wanted = {name.lower(): kind for name, kind in casts.items()}
    selects = _outermost(prepared.tree)
    if any(item.is_star for select in selects for item in select.expressions) or not selects:
        message = f"{scope.model_name} selects *, so its declared types were not applied; write the columns out"
        scope.note(CompileCode.ColumnsNotApplied, message, prepared.expanded.line_at(0))
        return False
    names = [item.alias_or_name.lower() for item in selects[0].expressions]
    missing = [name for name in wanted if name not in names]
    if missing:
        message = f"the query of {scope.model_name} returns no {', '.join(missing)}, which its columns declare"
        scope.note(CompileCode.ColumnsNotApplied, message, prepared.expanded.line_at(0))
    changed = False
    for select in selects:
        for position, item in enumerate(list(select.expressions)):
            kind = wanted.get(names[position]) if position < len(names) else None
            value = item.this if isinstance(item, exp.Alias) else item
            if kind is None or isinstance(value, exp.Cast | exp.TryCast):
                continue
            to = in_dialect(exp.DataType.build(kind, dialect="spark"), scope.dialect)
            if to.is_type(exp.DType.DATE) and type_of(value) in TIMES:
                message = f"{names[position]} is declared a date and is a time in the query; it loses its hours"
                scope.note(CompileCode.TimeCutOff, message, prepared.line_of(item))
            cast = exp.Cast(this=value.copy(), to=to)
            cast.meta[DECLARED] = True
            name = item.args.get("alias") or (value.this if isinstance(value, exp.Column) else None)
            made: exp.Expr = exp.alias_(cast, name.copy()) if name is not None else cast
            made.comments = item.comments
            if made.comments and made is not item:
                value.pop_comments()
            select.expressions[position].replace(made)
            changed = True
    return changed


def _outermost(tree: exp.Expr) -> list[exp.Select]:
    tree = tree.unnest() if isinstance(tree, exp.Subquery) else tree
    if isinstance(tree, exp.SetOperation):
        return _outermost(tree.this) + _outermost(tree.expression)
    return [tree] if isinstance(tree, exp.Select) else []


def columns_returned(prepared: Prepared, lookup: Lookup) -> list[str] | None:
    """The column names that the query returns, None if unknown."""
    return output_columns(prepared.tree, prepared.scope.dialect, lookup)


def projection_comments(tree: exp.Expr) -> dict[str, str]:
    """The last comment of each of the outermost projections, by column: the one after it."""
    comments: dict[str, str] = {}
    for item in _outermost(tree)[0].expressions if _outermost(tree) else []:
        said = item.comments or (item.this.comments if isinstance(item, exp.Alias) else None)
        if said and item.alias_or_name:
            comments[item.alias_or_name] = unsigned(said[-1]).strip()
    return comments


def _note_exclusive_ends(prepared: Prepared) -> None:
    scope = prepared.scope
    for node in prepared.tree.find_all(exp.LT, exp.GT):
        side = node.expression if isinstance(node, exp.LT) else node.this
        while isinstance(side, exp.Cast | exp.Paren):
            side = side.this
        placeholder = scope.placeholders.by_name.get(side.name) if isinstance(side, exp.Column) else None
        if isinstance(placeholder, TimeVariable) and placeholder.name.startswith("end_"):
            name = placeholder.name
            message = f"< @{name} leaves out the last instant of the window, which the end is; write <= or between"
            scope.note(CompileCode.ExclusiveEnd, message, prepared.line_of(node))

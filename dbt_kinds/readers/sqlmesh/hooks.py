"""Converts statements beside the query to hooks."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace

from sqlglot import exp

from dbt_kinds.codes import CompileCode
from dbt_kinds.kinds import Placeholder, SqlText, This
from dbt_kinds.placeholders import used_placeholders
from dbt_kinds.readers.brackets import closing
from dbt_kinds.readers.sqlmesh.dialects import tokens_of
from dbt_kinds.readers.sqlmesh.jinja import jinja_text
from dbt_kinds.readers.sqlmesh.jinja_rendering import needs_rendering, rendered_statement
from dbt_kinds.readers.sqlmesh.macros.arguments import split_arguments
from dbt_kinds.readers.sqlmesh.macros.expand import expand
from dbt_kinds.readers.sqlmesh.macros.functions import call_macro, is_true
from dbt_kinds.readers.sqlmesh.macros.scope import Scope
from dbt_kinds.readers.sqlmesh.names import table_name_of
from dbt_kinds.readers.sqlmesh.remarks import note_remarks
from dbt_kinds.readers.sqlmesh.statements import Statement, split_statements
from dbt_kinds.readers.sqlmesh.tables import Tables, resolve
from dbt_kinds.readers.table_placeholders import is_read_table, put_placeholders
from dbt_kinds.translation.dialects import ParseFailure, is_spark, parse_statement
from dbt_kinds.translation.not_in_spark import NotInSpark
from dbt_kinds.translation.scan import code_only, without_comments
from dbt_kinds.translation.spark_text import is_spelt_for_spark

_WRITES = (
    *(exp.Insert, exp.Update, exp.Delete, exp.Merge, exp.Create, exp.Drop, exp.Alter, exp.TruncateTable, exp.Grant),
    exp.Analyze,
)
# the settings and the upkeep of an engine, its indexes and its constraints
_OF_ENGINE = re.compile(
    r"\s*(ALTER\s+TABLE\s.*\sADD\s+(CHECK|CONSTRAINT|FOREIGN|PRIMARY|UNIQUE)|ANALYZE|CHECKPOINT|"
    r"(CREATE|DROP)\s+(UNIQUE\s+)?INDEX|(FORCE\s+)?INSTALL|LOAD|PRAGMA|UPDATE\s+EXTENSIONS|VACUUM)\b",
    re.IGNORECASE | re.DOTALL,
)
_WITHOUT_COUNTERPART: dict[type[exp.Expr], str] = {
    exp.Attach: "declare its tables as sources",
    exp.Copy: "write INSERT OVERWRITE DIRECTORY",
    exp.Detach: "leave it out",
}
_MACRO_STATEMENT = re.compile(r"\s*@\s*(\w+)\s*\(")
_GRANT_SELECT = re.compile(
    r"GRANT\s+SELECT\s+ON\s+(?:TABLE\s+|VIEW\s+)?(\S+)\s+TO\s+(?:ROLE\s+|USER\s+|GROUP\s+)?(.+)", re.I | re.S
)


def read_hook(statement: Statement, scope: Scope, tables: Tables, own_key: str | None) -> list[SqlText]:
    """Converts a statement to a hook; to none if it is a definition, to several if a macro makes several statements.

    Raises:
        CompileError: it cannot be written for Spark (UnreadableStatement, Untranslatable).
        CompileError: from its macros.
    """
    if statement.kind == "jinja_statement":
        assert is_spark(scope.dialect), "other Jinja is rendered first, by rendered_hooks"
        return [jinja_text(statement, scope, tables, own_key)]
    text = statement.text
    macro = _MACRO_STATEMENT.match(without_comments(text))
    if macro is not None:
        made = _macro_statement(macro[1], text, statement, scope)
        if made is None:
            return []
        text = made
    expanded = expand(text, scope, statement.first_line).text
    texts = [expanded]
    if macro is not None:
        texts = [part.text for part in split_statements(expanded, statement.file, scope.dialect)]
    hooks = [
        _to_spark(part.strip(), scope, tables, own_key, statement.line) for part in texts if code_only(part).strip()
    ]
    return [hook for hook in hooks if hook is not None]


def rendered_hooks(statements: Iterable[Statement], scope: Scope) -> list[Statement]:
    """Statements with Jinja rendered to SQL where dbt cannot do it.

    Raises:
        CompileError: it cannot be rendered here (JinjaDialect).
    """
    found: list[Statement] = []
    for statement in statements:
        if statement.kind != "jinja_statement" or not needs_rendering(statement.text, scope):
            found.append(statement)
            continue
        text = rendered_statement(statement, scope)
        for made in split_statements(text, statement.file, scope.dialect):
            found.append(replace(made, line=statement.line, first_line=statement.line, is_virtual=statement.is_virtual))
    return found


def _macro_statement(name: str, text: str, statement: Statement, scope: Scope) -> str | None:
    """The result of a statement that is a single macro: @DEF defines, @IF chooses, others are SQL."""
    tokens = tokens_of(text, scope.dialect, scope.file, statement.first_line)
    end = closing(tokens, 2)
    if end != len(tokens) - 1:
        return text
    arguments = split_arguments(tokens[3:end], text, statement.first_line)
    if name.upper() == "IF" and len(arguments) > 1:
        if is_true(arguments[0], scope):
            return arguments[1].text
        if is_true(arguments[0], scope.nested({"runtime_stage": "'creating'"})):
            message = (
                "a statement for the table's creation was dropped, since hooks run on every run; run it once by hand: "
                f"{' '.join(arguments[1].text.split())[:120]}"
            )
            scope.note(CompileCode.CreationOnly, message, statement.line)
        return arguments[2].text if len(arguments) > 2 else None
    if name.upper() == "DEF":
        call_macro(name, arguments, scope, statement.line)
        return None
    return text


def _to_spark(text: str, scope: Scope, tables: Tables, own_key: str | None, line: int) -> SqlText | None:
    if _OF_ENGINE.match(without_comments(text)) and not is_spark(scope.dialect):
        message = (
            f"'{' '.join(text.split())[:80]}' is for {scope.dialect} and was left out; write Spark's own, if it has one"
        )
        scope.note(CompileCode.PropertyDropped, message, line)
        return None
    try:
        tree = parse_statement(text, scope.dialect)
    except ParseFailure as failure:
        return _passed_on(text, scope, line, failure.message)
    if type(tree) in _WITHOUT_COUNTERPART and not is_spark(scope.dialect):
        message = f"{tree.key.upper()} has no counterpart in Spark; {_WITHOUT_COUNTERPART[type(tree)]}"
        raise scope.error(CompileCode.Untranslatable, message, line)
    if isinstance(tree, exp.Command | exp.Column | exp.Alias):
        return _passed_on(text, scope, line, "sqlglot does not know this statement")
    if len(_dropped(tree)) > 1:
        raise scope.error(
            CompileCode.Untranslatable, "Spark drops one table a statement; write a statement for each", line
        )
    targets = _targets(tree)
    changed = [_rename_target(table, tables, own_key, scope, line) for table in targets if is_read_table(table)]

    def placeholder_of(table: exp.Table) -> Placeholder | None:
        if any(table is target for target in targets):
            return None
        return resolve(table_name_of(table, scope.dialect), tables, own_key, scope, line)

    changed.append(bool(put_placeholders(tree, placeholder_of, scope.placeholders)))
    if is_spark(scope.dialect) and not any(changed) and is_spelt_for_spark(text):
        return SqlText(text, used_placeholders(text, scope.placeholders.by_name), tree)
    try:
        translated = scope.target.translate(tree, scope.dialect, text)
    except NotInSpark as problem:
        raise scope.error(CompileCode.Untranslatable, problem.message, line) from problem
    note_remarks(scope, translated.remarks, lambda node: line)
    return SqlText(translated.text, used_placeholders(translated.text, scope.placeholders.by_name), tree)


def _targets(tree: exp.Expr) -> list[exp.Table]:
    """The tables that a statement writes."""
    if not isinstance(tree, _WRITES):
        return []
    several = tree.expressions if isinstance(tree, exp.TruncateTable) else [*_dropped(tree), *_analyzed(tree)]
    found = [tree.args.get("this"), *several]
    return [table for table in (_unwrapped(part) for part in found) if isinstance(table, exp.Table)]


def _dropped(tree: exp.Expr) -> list[exp.Expr]:
    """The tables that a statement drops; sqlglot 30.30 keeps a list of them, 30.8 a single one."""
    return list(tree.args.get("tables") or []) if isinstance(tree, exp.Drop) else []


def _analyzed(tree: exp.Expr) -> list[exp.Expr]:
    return list(tree.args.get("tables") or []) if isinstance(tree, exp.Analyze) else []


def _unwrapped(target: object) -> object:
    return target.this if isinstance(target, exp.Schema) else target


def _rename_target(table: exp.Table, tables: Tables, own_key: str | None, scope: Scope, line: int) -> bool:
    """Only for models of the project: other tables that a hook writes are not looked up."""
    name = table_name_of(table, scope.dialect)
    key = tables.key_of(name)
    if key not in tables.models and key != own_key:
        return False
    placeholder = This() if key == own_key else resolve(name, tables, own_key, scope, line)
    if placeholder is None:
        return False
    table.set("this", exp.to_identifier(scope.placeholders.name_of(placeholder)))
    table.set("db", None)
    table.set("catalog", None)
    return True


def _passed_on(text: str, scope: Scope, line: int, reason: str) -> SqlText:
    if not is_spark(scope.dialect):
        message = (
            f"'{' '.join(text.split())[:80]}' cannot be read as {scope.dialect or 'SQL'}: {reason}; write it for Spark"
        )
        raise scope.error(CompileCode.UnreadableStatement, message, line)
    message = f"'{' '.join(text.split())[:80]}' was passed on as it is: {reason}"
    scope.note(CompileCode.PropertyDropped, message, line)
    return SqlText(text, used_placeholders(text, scope.placeholders.by_name))


def read_virtual(
    statement: Statement, scope: Scope, tables: Tables, own_key: str | None, grants: dict[str, list[str]]
) -> list[SqlText]:
    """A statement of the virtual layer: a plain grant goes to `grants`, others after the other hooks."""
    text = " ".join(without_comments(statement.text).split())
    found = _GRANT_SELECT.fullmatch(text) if statement.kind == "sql" else None
    if found is not None and "@this_model" in found[1].lower():
        grants.setdefault("select", []).extend(part.strip().strip("`\"'") for part in found[2].split(","))
        return []
    hooks = read_hook(statement, scope, tables, own_key)
    if hooks:
        message = "an ON_VIRTUAL_UPDATE statement runs as the last post_hook: dbt has no virtual layer"
        scope.note(CompileCode.VirtualUpdate, message, statement.line)
    return hooks

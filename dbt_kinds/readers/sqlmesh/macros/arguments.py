"""The arguments of a macro call, kept as text until the macro decides how to parse them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sqlglot import Token, exp

from dbt_kinds.codes import CompileCode
from dbt_kinds.errors import CompileError
from dbt_kinds.readers.brackets import closing, split_at_commas
from dbt_kinds.readers.sqlmesh.dialects import tokens_of
from dbt_kinds.readers.sqlmesh.macros.scope import Fragment, Lambda, Scope
from dbt_kinds.translation.dialects import ParseFailure, parse_expression, parse_statement


@dataclass(frozen=True)
class Argument:
    """One argument: its name if given, its text, and its line."""

    text: str
    line: int
    name: str = ""


def split_arguments(tokens: Sequence[Token], text: str, first_line: int) -> list[Argument]:
    """The arguments between commas; `name := value` and `name => value` are named."""
    arguments = []
    for item in split_at_commas(tokens):
        if not item:
            continue
        name = ""
        if len(item) > 2 and item[1].text in (":=", "=>"):
            name, item = item[0].text.lower(), item[2:]
        arguments.append(Argument(text[item[0].start : item[-1].end + 1], first_line + item[0].line - 1, name))
    return arguments


def read_lambda(argument: Argument, dialect: str, file: str) -> Lambda | None:
    """Parses `x -> body` or `(x, y) -> body`; None for anything else."""
    tokens = tokens_of(argument.text, dialect, file, argument.line)
    texts = [token.text for token in tokens]
    if len(tokens) > 2 and texts[1] == "->":
        names, body = [texts[0]], 2
    elif texts[:1] == ["("] and ")" in texts and texts[texts.index(")") + 1 : texts.index(")") + 2] == ["->"]:
        names, body = [name for name in texts[1 : texts.index(")")] if name != ","], texts.index(")") + 2
    else:
        return None
    if body >= len(tokens):
        raise CompileError(CompileCode.SqlParseError, f"'{argument.text}' has no body behind ->", file, argument.line)
    text = argument.text[tokens[body].start :]
    return Lambda(tuple(name.lower() for name in names), text, argument.line + tokens[body].line - 1)


def value_of(argument: Argument, scope: Scope) -> Fragment:
    """The value of an argument: SQL, a list of SQL, or nothing if a macro dropped it."""
    from dbt_kinds.readers.sqlmesh.macros.expand import expand_text, replacement_at

    inner = scope.nested()
    tokens = tokens_of(argument.text, scope.dialect, scope.file, argument.line)
    whole = replacement_at(tokens, 0, argument.text, inner, argument.line) if tokens else None
    if whole is not None and whole[0] == len(tokens):
        return whole[1]
    return expand_text(argument.text, inner, argument.line)


def items_of(argument: Argument, scope: Scope) -> list[str]:
    """The items of a list: in brackets, from a variable or macro that is a list, or a single one."""
    value = value_of(argument, scope)
    if isinstance(value, list):
        return value
    if value is None:
        return []
    tokens = tokens_of(value, scope.dialect, scope.file, argument.line)
    if tokens and tokens[0].text.upper() == "ARRAY" and len(tokens) > 1 and tokens[1].text in ("(", "["):
        tokens = tokens[1:]
    if tokens and tokens[0].text in ("(", "[") and closing(tokens, 0) == len(tokens) - 1:
        return [value[item[0].start : item[-1].end + 1] for item in split_at_commas(tokens[1:-1]) if item]
    return [value]


def tree_of(sql: str, scope: Scope, line: int) -> exp.Expr:
    """Parses an expression or query.

    Raises:
        CompileError: it is neither (SqlParseError).
    """
    try:
        begins = sql.lstrip("( \n").upper()
        if begins.startswith(("SELECT", "WITH ")):
            return parse_statement(sql, scope.dialect)
        return parse_expression(sql, scope.dialect)
    except ParseFailure as failure:
        raise scope.error(CompileCode.SqlParseError, f"'{sql}': {failure.message}", line) from failure

"""Jinja queries and statements: kept as Jinja, with references and time variables put in."""

from __future__ import annotations

import re

from dbt_kinds.codes import CompileCode
from dbt_kinds.kinds import SqlText, This
from dbt_kinds.placeholders import used_placeholders
from dbt_kinds.readers.sqlmesh.macros.expand import expand
from dbt_kinds.readers.sqlmesh.macros.scope import Scope
from dbt_kinds.readers.sqlmesh.macros.variables import time_placeholder
from dbt_kinds.readers.sqlmesh.statements import Statement
from dbt_kinds.readers.sqlmesh.tables import Tables, name_of_text, resolve
from dbt_kinds.readers.time_names import time_variable
from dbt_kinds.translation.dialects import is_spark
from dbt_kinds.translation.scan import line_of, touches

_TIMES = r"(?:start|end|execution|latest)_(?:dt|dtntz|date|ds|ts|tstz|epoch|millis|hour)"
_QUOTED_TIME = re.compile(rf"'\{{\{{-?\s*({_TIMES})\s*-?\}}\}}'", re.IGNORECASE)
_BARE_TIME = re.compile(rf"\{{\{{-?\s*({_TIMES})\s*-?\}}\}}", re.IGNORECASE)
_THIS = re.compile(r"\{\{-?\s*this_model\s*-?\}\}")
_PIECE = re.compile(
    r"(?P<jinja>\{\{.*?\}\}|\{%.*?%\}|\{#.*?#\})|(?P<skipped>--[^\n]*|/\*.*?\*/|'(?:[^'\\]|''|\\.)*')"
    r"|(?P<table>\b(?:from|join)(?:\s+|(?=[`\"]))(?P<name>(?:[A-Za-z_]\w*|`[^`]+`|\"[^\"]+\")(?:\.(?:[A-Za-z_]\w*|`[^`]+`|\"[^\"]+\"))*))"
    r"|(?P<macro>@\{?\w+\}?)",
    re.IGNORECASE | re.DOTALL,
)
# words after a table that begin no clause are its alias
_CLAUSES = (
    "on where join left right inner full cross group order having limit union using lateral natural semi anti except "
    "intersect qualify window"
)
_ALIAS = re.compile(rf"\s+(?:as\s+)?(?!(?:{'|'.join(_CLAUSES.split())})\b)[A-Za-z_`]", re.IGNORECASE)


def jinja_text(statement: Statement, scope: Scope, tables: Tables, own_key: str | None) -> SqlText:
    """Converts the body of a Jinja block for dbt.

    Raises:
        CompileError: its SQL is not Spark's, and Jinja text cannot be translated (JinjaDialect).
        CompileError: a variable `@x` in it is not defined.
    """
    if not is_spark(scope.dialect):
        message = (
            f"Jinja is not translated, and this is written for {scope.dialect or 'no known dialect'}; write it without "
            "Jinja, or in Spark's SQL with dialect spark in the MODEL block"
        )
        raise scope.error(CompileCode.JinjaDialect, message, statement.line)
    text = statement.text.strip("\n").rstrip()
    skipped = len(statement.text) - len(statement.text.lstrip("\n"))

    def line(offset: int) -> int:
        return statement.first_line + skipped + line_of(text, offset) - 1

    text = _QUOTED_TIME.sub(lambda found: _spaced(_time(found[1], scope, line(found.start())), found), text)

    def put(found: re.Match[str]) -> str:
        if found["jinja"] and _THIS.fullmatch(found["jinja"]):
            return _spaced(scope.placeholders.name_of(This()), found)
        if found["jinja"]:
            return _bare_time(found, scope, line(found.start()))
        if found["skipped"]:
            return _BARE_TIME.sub(lambda time: _bare_time(time, scope, line(found.start())), found["skipped"])
        if found["macro"]:
            place = line(found.start())
            return _checked(expand(found["macro"], scope, place).text, found, scope, place)
        name = name_of_text(found["name"], scope.dialect)
        if tables.find(name) is None and tables.key_of(name) != own_key:
            return found[0]
        known = resolve(name, tables, own_key, scope, line(found.start()))
        assert known is not None
        placeholder = scope.placeholders.name_of(known)
        before = found[0].removesuffix(found["name"])
        alias = "" if _ALIAS.match(text[found.end() :]) else f" as {name.table}"
        return _spaced(f"{before}{' ' if touches(before, placeholder) else ''}{placeholder}{alias}", found)

    text = _PIECE.sub(put, text)
    return SqlText(text, used_placeholders(text, scope.placeholders.by_name), None, is_jinja=True)


def _time(name: str, scope: Scope, line: int) -> str:
    macro = time_variable(name)
    assert macro is not None
    return time_placeholder(macro, scope, line)


def _bare_time(found: re.Match[str], scope: Scope, line: int) -> str:
    time = _BARE_TIME.fullmatch(found[0])
    if time is None:
        return found[0]
    message = (
        f"{found[0]} stands without quotes; in dbt the variable is a typed literal and is written without them, so see "
        "whether that is what is meant"
    )
    scope.note(CompileCode.JinjaTimeVariable, message, line)
    return _checked(_time(time[1], scope, line), found, scope, line)


def _checked(made: str, found: re.Match[str], scope: Scope, line: int) -> str:
    """The replacement for a variable, which must be a value, not a part of a word.

    Raises:
        CompileError: it touches a word (UnsupportedMacro).
    """
    if _spaced(made, found) != made:
        message = f"{found[0]} is a part of a word here, and dbt puts a value of SQL for it; write the whole word"
        raise scope.error(CompileCode.UnsupportedMacro, message, line)
    return made


def _spaced(made: str, found: re.Match[str]) -> str:
    """The replacement for a part of the text, with a space where it would touch a word."""
    before, behind = found.string[: found.start()], found.string[found.end() :]
    return f"{' ' if touches(before, made) else ''}{made}{' ' if touches(made, behind) else ''}"

"""Jinja queries and statements: kept as Jinja, with references and time variables put in."""

from __future__ import annotations

import re

from dbt_kinds.errors import JinjaDialect, JinjaTimeVariable
from dbt_kinds.kinds import SqlText
from dbt_kinds.marks import used_marks
from dbt_kinds.readers.sqlmesh.dialects import is_spark
from dbt_kinds.readers.sqlmesh.macros.expand import expand
from dbt_kinds.readers.sqlmesh.macros.scope import Scope
from dbt_kinds.readers.sqlmesh.macros.variables import time_mark
from dbt_kinds.readers.sqlmesh.scan import line_of
from dbt_kinds.readers.sqlmesh.statements import Statement
from dbt_kinds.readers.sqlmesh.tables import Tables, name_of_text, resolve
from dbt_kinds.readers.sqlmesh.times import time_variable

_TIMES = r"(?:start|end|execution|latest)_(?:dt|dtntz|date|ds|ts|tstz|epoch|millis|hour)"
_QUOTED_TIME = re.compile(rf"'\{{\{{-?\s*({_TIMES})\s*-?\}}\}}'", re.IGNORECASE)
_BARE_TIME = re.compile(rf"\{{\{{-?\s*({_TIMES})\s*-?\}}\}}", re.IGNORECASE)
_PIECE = re.compile(
    r"(?P<jinja>\{\{.*?\}\}|\{%.*?%\}|\{#.*?#\})|(?P<skipped>--[^\n]*|/\*.*?\*/|'(?:[^'\\]|''|\\.)*')"
    r"|(?P<table>\b(?:from|join)\s+(?P<name>(?:[A-Za-z_]\w*|`[^`]+`|\"[^\"]+\")(?:\.(?:[A-Za-z_]\w*|`[^`]+`|\"[^\"]+\"))*))"
    r"|(?P<macro>@\{?\w+\}?)",
    re.IGNORECASE | re.DOTALL,
)
# a word behind a table that begins no clause is its alias
_CLAUSES = (
    "on where join left right inner full cross group order having limit union using lateral natural semi anti except "
    "intersect qualify window"
)
_ALIAS = re.compile(rf"\s+(?:as\s+)?(?!(?:{'|'.join(_CLAUSES.split())})\b)[A-Za-z_`]", re.IGNORECASE)


def jinja_text(statement: Statement, scope: Scope, tables: Tables, own_key: str | None) -> SqlText:
    """The body of a Jinja block for dbt.

    Raises:
        JinjaDialect: its SQL is not Spark's, and text is not translated.
        CompileError: a variable `@x` in it is not defined.
    """
    if not is_spark(scope.dialect):
        message = f"Jinja is not translated, and this is written for {scope.dialect or 'no known dialect'}; "
        raise scope.error(JinjaDialect, message + "write it in Spark's SQL, or without Jinja", statement.line)
    text = statement.text.strip("\n").rstrip()
    skipped = len(statement.text) - len(statement.text.lstrip("\n"))

    def line(offset: int) -> int:
        return statement.first_line + skipped + line_of(text, offset) - 1

    text = _QUOTED_TIME.sub(lambda found: _time(found[1], scope, line(found.start())), text)

    def put(found: re.Match[str]) -> str:
        if found["jinja"]:
            return _bare_time(found["jinja"], scope, line(found.start()))
        if found["skipped"]:
            return _BARE_TIME.sub(lambda time: _bare_time(time[0], scope, line(found.start())), found["skipped"])
        if found["macro"]:
            return _variable(found["macro"], scope, line(found.start()))
        name = name_of_text(found["name"], scope.dialect)
        if tables.find(name) is None and tables.key_of(name) != own_key:
            return found[0]
        mark = resolve(name, tables, own_key, scope, line(found.start()))
        whole = found[0]
        alias = "" if _ALIAS.match(text[found.end() :]) else f" as {name.table}"
        return f"{whole[: len(whole) - len(found['name'])]}{mark}{alias}"

    text = _PIECE.sub(put, text)
    return SqlText(text, used_marks(text, scope.marks.by_name), None, is_jinja=True)


def _time(name: str, scope: Scope, line: int) -> str:
    macro = time_variable(name)
    assert macro is not None
    return time_mark(macro, scope, line)


def _bare_time(text: str, scope: Scope, line: int) -> str:
    found = _BARE_TIME.fullmatch(text)
    if found is None:
        return text
    message = (
        f"{text} stands without quotes; in dbt the variable is a typed literal and is written without them, so see "
        "whether that is what is meant"
    )
    scope.note(JinjaTimeVariable, message, line)
    return _time(found[1], scope, line)


def _variable(text: str, scope: Scope, line: int) -> str:
    return expand(text, scope, line).text

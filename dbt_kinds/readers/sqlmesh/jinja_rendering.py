"""Renders Jinja before its SQL is parsed, as SQLMesh does, unless it depends on the run or dbt can do it."""

from __future__ import annotations

import re
from collections.abc import Callable
from copy import deepcopy
from typing import Any

from jinja2 import StrictUndefined, TemplateError, meta
from jinja2.exceptions import SecurityError
from jinja2.sandbox import SandboxedEnvironment
from sqlglot import TokenType

from dbt_kinds.codes import CompileCode
from dbt_kinds.errors import CompileError
from dbt_kinds.kinds import Parameter, SparkSql, This, TimeVariable
from dbt_kinds.placeholders import PLACEHOLDER_NAME, has_glued_placeholder
from dbt_kinds.readers.sqlmesh.dialects import tokens_of
from dbt_kinds.readers.sqlmesh.macros.scope import Scope, plain_text
from dbt_kinds.readers.sqlmesh.macros.variables import NO_COUNTERPART, note_frozen, sql_text, time_placeholder
from dbt_kinds.readers.sqlmesh.statements import Statement, split_statements
from dbt_kinds.readers.time_names import time_names
from dbt_kinds.translation.dialects import is_spark

_KNOWN = frozenset({"var", "blueprint_var", "this_model", "runtime_stage", "gateway", "log"})
_SQLMESH_ONLY = (_KNOWN - {"var", "log"}) | NO_COUNTERPART | {"model_kind_name", "default_catalog"}
_ALONE = re.compile(rf"\{{\{{-?\s*(?:this_model|{'|'.join(time_names())})\s*-?\}}\}}", re.IGNORECASE)
_MACRO = re.compile(r"\{%-?\s*macro\s+(\w+).*?\{%-?\s*endmacro\s*[-+]?%\}", re.DOTALL)
_ANY_PLACEHOLDER = re.compile(r"kinds_placeholder_\d", re.IGNORECASE)
_STRINGS = (TokenType.STRING, TokenType.RAW_STRING, TokenType.NATIONAL_STRING, TokenType.HEREDOC_STRING)


class _Unprintable(Exception):  # noqa: N818 - becomes a CompileError with its place
    """A run-time value is used for more than being printed."""


class _Printed:
    """A value known only when dbt runs: it may be printed, but not otherwise used; filters ask for its text."""

    def __init__(self, name: str, placeholder: Callable[[], str]) -> None:
        self._name = name
        self.placeholder = placeholder

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        raise _Unprintable(self._name)

    def _refuse(self, *_: Any) -> Any:
        raise _Unprintable(self._name)

    __str__ = __bool__ = __iter__ = __len__ = __getitem__ = __call__ = __contains__ = _refuse
    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __mod__ = __lt__ = __le__ = __gt__ = __ge__ = _refuse
    __eq__ = __ne__ = __hash__ = _refuse


def macros_in(text: str) -> str:
    """The macros defined in a Jinja file, without other text."""
    return "\n".join(found[0] for found in _MACRO.finditer(text))


def undefined_names(text: str) -> list[str]:
    """The variables that a Jinja text expects from its caller, sorted by name.

    Empty for invalid Jinja; rendering reports the error.
    """
    return sorted(_names_in(text) - _KNOWN - time_names().keys())


def needs_rendering(text: str, scope: Scope) -> bool:
    """Whether a Jinja text cannot be left to dbt: its SQL is not Spark's, or it uses names that only SQLMesh knows.

    dbt puts nothing for them. Variables that stand alone in their braces are replaced.
    """
    if not is_spark(scope.dialect):
        return True
    macros = {found[1]: found[0] for found in _MACRO.finditer(scope.jinja_macros)}
    names: set[str] = set()
    unread = _names_in(_ALONE.sub("", text))
    while unread:
        names |= unread
        unread = set().union(*(_names_in(macros[name]) for name in unread & macros.keys())) - names
    return bool(names & (_SQLMESH_ONLY | time_names().keys() | scope.variables.keys() | scope.locals.keys()))


def _names_in(text: str) -> set[str]:
    try:
        return set(meta.find_undeclared_variables(_environment().parse(text)))
    except TemplateError:
        return set()


def rendered_statement(statement: Statement, scope: Scope) -> str:
    """Renders a Jinja block to SQL, with placeholders for time variables.

    Raises:
        CompileError: it needs values known only when SQLMesh runs (JinjaDialect).
        CompileError: a time variable is not allowed there.
    """
    before = f"{scope.jinja_macros}\n" if scope.jinja_macros else ""
    try:
        template = _environment().from_string(before + statement.text)
        for name in undefined_names(statement.text):
            if name.lower() in {known.lower() for known in scope.variables}:
                note_frozen(name, scope, statement.line)
        text = template.render(_values(scope, statement.line)).strip()
    except CompileError:
        raise
    except _Unprintable as asked:
        why = f"it computes with {asked}, which is known only when dbt runs"
        raise _refusal(why, statement, scope) from asked
    except (TemplateError, SecurityError, ArithmeticError, LookupError, TypeError, ValueError, RecursionError) as error:
        line = getattr(error, "lineno", None)
        place = statement.line if line is None else max(statement.first_line + line - 1 - before.count("\n"), 1)
        raise _refusal(f"{type(error).__name__}: {error}", statement, scope, place) from error
    return _with_values(text, scope, statement)


def rendered_query(statement: Statement, scope: Scope) -> str:
    """Renders a Jinja block to a single query, without its semicolon.

    Raises:
        CompileError: it renders to none, or to several statements (SqlParseError).
        CompileError: as for `rendered_statement`.
    """
    made = split_statements(rendered_statement(statement, scope), statement.file, scope.dialect)
    if len(made) != 1:
        message = f"the Jinja of {scope.model_name} makes {len(made)} statements, and a query is one"
        raise scope.error(CompileCode.SqlParseError, message, statement.line)
    return made[0].text


def _refusal(why: str, statement: Statement, scope: Scope, line: int | None = None) -> CompileError:
    reason = "dbt does not know SQLMesh's names" if is_spark(scope.dialect) else "Jinja is not translated"
    way_out = "write it without" if is_spark(scope.dialect) else "write it without, or in Spark's SQL"
    message = f"this Jinja cannot be rendered here ({why}), and {reason}; {way_out}"
    return scope.error(CompileCode.JinjaDialect, message, statement.line if line is None else line)


def _environment() -> SandboxedEnvironment:
    extensions = ["jinja2.ext.do", "jinja2.ext.loopcontrols"]
    return SandboxedEnvironment(undefined=StrictUndefined, finalize=_as_printed, extensions=extensions)


def _as_printed(value: Any) -> Any:
    return value.placeholder() if isinstance(value, _Printed) else value


def _values(scope: Scope, line: int) -> dict[str, Any]:
    """The names available to Jinja in a model."""
    # Jinja may append to lists
    variables = deepcopy(dict(scope.variables))
    configured = {name.lower(): value for name, value in variables.items()}
    values: dict[str, Any] = {
        **configured,
        **variables,
        "runtime_stage": "evaluating",
        "gateway": scope.gateway,
        "log": lambda *_, **__: "",
        "this_model": _Printed("this_model", lambda: scope.placeholders.name_of(This())),
    }

    def var(name: str, default: Any = None) -> Any:
        if name.lower() in configured:
            note_frozen(name, scope, line)
        return configured.get(name.lower(), default)

    def blueprint_var(name: str, default: Any = None) -> Any:
        value = scope.blueprint.get(name.lower(), default)
        return plain_text(value) if isinstance(value, str) else value

    def time(name: str, macro: str) -> _Printed:
        return _Printed(name, lambda: time_placeholder(macro, scope, line))

    def parameter(name: str) -> _Printed:
        return _Printed(name, lambda: scope.placeholders.name_of(Parameter(name)))

    values.update(var=var, blueprint_var=blueprint_var)
    values.update({name: time(name, macro) for name, macro in time_names().items()})
    values.update({name: parameter(name) for name in scope.parameters})
    values.update(
        {name: plain_text(value) if isinstance(value, str) else value for name, value in scope.locals.items()}
    )
    return values


def _with_values(text: str, scope: Scope, statement: Statement) -> str:
    """The rendered text, with run-time values without the author's quotes around them."""
    broken = [found for found in _ANY_PLACEHOLDER.findall(text) if not found.startswith("kinds_placeholder_")]
    if broken:
        raise _refusal("what is known only when dbt runs is changed in it", statement, scope)
    pieces: list[str] = []
    position = 0
    for token in tokens_of(text, scope.dialect, scope.file, statement.line):
        written = text[token.start : token.end + 1]
        names = PLACEHOLDER_NAME.findall(written)
        if token.token_type in _STRINGS and any(_is_value(name, scope) for name in names):
            pieces += [text[position : token.start], _concat(token.text, scope)]
            position = token.end + 1
        elif names and _is_value(names[0], scope):
            _note_unquoted(names[0], scope, statement.line)
    whole = "".join([*pieces, text[position:]])
    if has_glued_placeholder(whole):
        message = "a variable that only dbt knows is a part of a word of this Jinja; write the whole word"
        raise scope.error(CompileCode.UnsupportedMacro, message, statement.line)
    return whole


def _is_value(name: str, scope: Scope) -> bool:
    return isinstance(scope.placeholders.by_name.get(name), TimeVariable)


def _concat(text: str, scope: Scope) -> str:
    """A quoted string with bounds of the window in it."""
    if PLACEHOLDER_NAME.fullmatch(text):
        return text
    parts = re.split(rf"({PLACEHOLDER_NAME.pattern})", text)
    written = [part if at % 2 else sql_text(part) for at, part in enumerate(parts) if part]
    return scope.placeholders.name_of(SparkSql(f"concat({', '.join(written)})"))


def _note_unquoted(name: str, scope: Scope, line: int) -> None:
    placeholder = scope.placeholders.by_name[name]
    assert isinstance(placeholder, TimeVariable)
    if placeholder.name.rpartition("_")[2] in ("epoch", "millis", "hour"):
        return
    message = (
        f"{{{{ {placeholder.name} }}}} stands without quotes; in dbt the variable is a typed literal and is written "
        "without them, so see whether that is what is meant"
    )
    scope.note(CompileCode.JinjaTimeVariable, message, line)

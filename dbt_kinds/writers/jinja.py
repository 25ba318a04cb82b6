"""Writes Jinja: placeholders in SQL, literals, the config block."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from dbt_kinds.kinds import (
    Captured,
    Jinja,
    ModelReference,
    Parameter,
    Placeholder,
    SourceReference,
    SparkSql,
    SqlText,
    This,
    TimeVariable,
    Variable,
)
from dbt_kinds.placeholders import PLACEHOLDER_NAME

_LOOKS_LIKE_JINJA = re.compile(r"\{\{|\{%|\{#")
# output of mark_text, and escaped Jinja
_CALL = re.compile(r"\{\{ ('\{[{%#]'|[^{}]+) \}\}")
NodeNames = Callable[[str], str]
# keys that dbt takes as configuration anywhere in a test, and that mean something else in other places
_WORDS_OF_TESTS = frozenset(
    {"severity", "where", "limit", "fail_calc", "error_if", "warn_if", "store_failures", "store_failures_as"}
    | {"enabled", "tags", "meta", "group", "database", "schema", "alias"}
    | {"name", "test_name", "description", "config", "arguments", "model", "over"}
)


def escaped(text: str) -> str:
    """The text escaped so that Jinja prints it unchanged."""
    return _LOOKS_LIKE_JINJA.sub(lambda found: f"{{{{ '{found[0]}' }}}}", text)


def escaped_texts(value: Any, jinja: frozenset[str] = frozenset()) -> Any:
    """A YAML value whose strings are escaped so that Jinja prints them unchanged.

    Args:
        jinja: the keys whose values are Jinja and not escaped.
    """
    if isinstance(value, str):
        return escaped(value)
    if isinstance(value, list):
        return [escaped_texts(item, jinja) for item in value]
    if isinstance(value, dict):
        return {key: item if key in jinja else escaped_texts(item, jinja) for key, item in value.items()}
    return value


def rendered(sql: SqlText, names: NodeNames, this: str = "this") -> str:
    """SQL with its placeholders replaced by Jinja.

    Args:
        names: the dbt names of models by key.
        this: the expression for the model's own table; in a generic test it is `model`.
    """
    text = sql.text if sql.is_jinja else escaped(sql.text)
    return with_placeholders(text, sql.placeholders, names, this)


def with_placeholders(text: str, placeholders: Mapping[str, Placeholder], names: NodeNames, this: str = "this") -> str:
    """A text with its placeholders replaced by Jinja."""

    def put(found: re.Match[str]) -> str:
        placeholder = placeholders.get(found[0])
        return found[0] if placeholder is None else placeholder_text(placeholder, placeholders, names, this)

    return PLACEHOLDER_NAME.sub(put, text)


def placeholder_text(
    placeholder: Placeholder, placeholders: Mapping[str, Placeholder], names: NodeNames, this: str = "this"
) -> str:
    """The Jinja for one placeholder."""
    if isinstance(placeholder, ModelReference):
        return f"{{{{ ref('{names(placeholder.key)}') }}}}"
    if isinstance(placeholder, SourceReference):
        return f"{{{{ source('{placeholder.source}', '{placeholder.table}') }}}}"
    if isinstance(placeholder, Captured):
        return f"{{{{ dbt_kinds.changes_of({placeholder_text(placeholder.of, placeholders, names).strip('{} ')}) }}}}"
    if isinstance(placeholder, This):
        return f"{{{{ {this} }}}}"
    if isinstance(placeholder, TimeVariable):
        return f"{{{{ dbt_kinds.{placeholder.name}() }}}}"
    if isinstance(placeholder, Variable):
        value = f"var({literal(placeholder.name)})"
        # a string may contain quotes, now or later
        return f"{{{{ dbt_kinds.text_literal({value}) }}}}" if placeholder.is_text else f"{{{{ {value} }}}}"
    if isinstance(placeholder, Parameter):
        return f"{{{{ {argument_name(placeholder.name)} }}}}"
    if isinstance(placeholder, SparkSql):
        return with_placeholders(escaped(placeholder.text), placeholders, names, this)
    assert isinstance(placeholder, Jinja)
    return placeholder.text


def call_text(placeholder: Placeholder, names: NodeNames) -> str:
    """A table in YAML: a string that dbt evaluates as the call."""
    return placeholder_text(placeholder, {}, names).strip("{} ")


def argument_name(name: str) -> str:
    """The name of a test's argument in dbt; names reserved by dbt get an underscore: `limit_`."""
    return f"{name}_" if name in _WORDS_OF_TESTS else name


class Expression(str):
    """A value that is a Jinja expression, written inside a call."""

    __slots__ = ()


def with_expressions(value: Any, names: NodeNames) -> Any:
    """A value in which SQL with placeholders is replaced by Jinja expressions: `'ds > ' ~ dbt_kinds.start_ds()`."""
    if isinstance(value, SqlText):
        return _expression(value, names)
    if isinstance(value, list):
        return [with_expressions(item, names) for item in value]
    if isinstance(value, dict):
        return {key: with_expressions(item, names) for key, item in value.items()}
    return value


def _expression(sql: SqlText, names: NodeNames) -> Expression:
    """The concatenation of the calls in rendered text and the strings between them."""
    pieces = _CALL.split(rendered(sql, names))
    return Expression(" ~ ".join(piece if at % 2 else literal(piece) for at, piece in enumerate(pieces) if piece))


def literal(value: Any) -> str:
    """A value as a Jinja literal, on one line."""
    if isinstance(value, Expression):
        return str(value)
    if isinstance(value, bool):
        return "true" if value else "false"
    if value is None:
        return "none"
    if isinstance(value, int | float):
        return repr(value)
    if isinstance(value, list | tuple):
        return f"[{', '.join(literal(item) for item in value)}]"
    if isinstance(value, dict):
        return f"{{{', '.join(f'{literal(str(key))}: {literal(item)}' for key, item in value.items())}}}"
    text = str(value).replace("\\", "\\\\").replace("\n", "\\n").replace("\r", "\\r")
    if "'" in text and '"' not in text:
        return f'"{text}"'
    return "'" + text.replace("'", "\\'") + "'"


def config_block(settings: Mapping[str, Any]) -> str:
    """The `config()` call of a model, on one line if it fits."""
    arguments = [f"{name}={literal(value)}" for name, value in settings.items()]
    line = f"{{{{ config({', '.join(arguments)}) }}}}"
    if len(line) <= 100:
        return line
    parts = []
    for name, value in settings.items():
        written = f"{name}={literal(value)}"
        if len(written) > 96 and isinstance(value, dict | list):
            written = f"{name}={_spread(value)}"
        parts.append(f"    {written}")
    return "{{ config(\n" + ",\n".join(parts) + "\n) }}"


def _spread(value: Any, indent: int = 4) -> str:
    """A mapping or list with one item per line; so are nested lists whose line is too long."""
    inner = " " * (indent + 4)
    is_mapping = isinstance(value, dict)
    items = []
    for key, item in value.items() if is_mapping else enumerate(value):
        before = f"{literal(str(key))}: " if is_mapping else ""
        written = literal(item)
        if len(inner + before + written) > 100 and isinstance(item, list) and len(item) > 1:
            written = _spread(item, indent + 4)
        items.append(f"{inner}{before}{written}")
    opening, closing = ("{", "}") if is_mapping else ("[", "]")
    return "\n".join([opening, ",\n".join(items), f"{' ' * indent}{closing}"])

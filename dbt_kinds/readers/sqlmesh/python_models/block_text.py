"""`@model(…)` as the text of a MODEL block, so that one grammar and one set of checks apply to both."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from dbt_kinds.codes import CompileCode
from dbt_kinds.errors import CompileError
from dbt_kinds.readers.sqlmesh.python_models.declaration import Declaration, RawSql

_PLAIN = re.compile(r"[A-Za-z_]\w*")
# lists of columns, names and expressions: SQL as is
_SQL_LISTS = frozenset({"grain", "grains", "references", "partitioned_by", "clustered_by", "depends_on", "unique_key"})
_CALLS = frozenset({"audits", "assertions", "signals"})
# arguments of audits that are strings, not columns or expressions
_TEXT_ARGUMENTS = frozenset({"is_in", "patterns"})
_PAIRS = frozenset(
    {
        "column_descriptions",
        "physical_properties",
        "table_properties",
        "virtual_properties",
        "session_properties",
        "grants",
    }
)
_SQL_TEXTS = frozenset({"when_matched", "merge_filter", "time_data_type"})
# arguments of the decorator that a MODEL block does not have
_NO_PROPERTY = frozenset({"is_sql", "dialect", "name", "blueprints", "python_env", "entrypoint", "module_path"})


def block_text(declaration: Declaration, file: str) -> str:
    """The text of a MODEL block, with every property on the line where its value begins in the Python file.

    Raises:
        CompileError: a value has a type that no property accepts (PythonModelUnsupported).
    """
    parts: list[str] = ["MODEL ("]
    line = declaration.line
    for name, item in sorted(declaration.properties.items(), key=lambda entry: entry[1].line):
        if name in _NO_PROPERTY or item.value is None:
            continue
        text = f"{name} {_value(name, item.value, file, item.line)},"
        padding = "\n" * max(item.line - line, 0)
        parts.append(padding + text if padding else f" {text}")
        line = max(line, item.line) + text.count("\n")
    return "".join(parts) + " )"


def _value(name: str, value: Any, file: str, line: int) -> str:
    if name == "kind":
        return _kind(value, file, line)
    if name == "columns" and isinstance(value, dict):
        return f"({', '.join(f'{column_name(key)} {kind}' for key, kind in value.items())})"
    if name in _SQL_LISTS:
        items = value if isinstance(value, list) else [value]
        return f"({', '.join(str(item) for item in items)})"
    if name in _CALLS:
        items = value if isinstance(value, list) else [value]
        return f"({', '.join(_call(item, file, line) for item in items)})"
    if name in _PAIRS and isinstance(value, dict):
        return f"({', '.join(f'{quoted_name(str(key))} = {_literal(item)}' for key, item in value.items())})"
    if isinstance(value, dict):
        raise CompileError(
            CompileCode.PythonModelUnsupported, f"{name} is a mapping, which this property is not", file, line
        )
    return _literal(value)


def _kind(value: Any, file: str, line: int) -> str:
    if isinstance(value, str):
        return value.upper()
    if not isinstance(value, dict) or not isinstance(value.get("name"), str):
        message = "kind is no kind; write its name, or a dict with its name and properties"
        raise CompileError(CompileCode.PythonModelUnsupported, message, file, line)
    inside = [f"{key} {_kind_value(key, item)}" for key, item in value.items() if key != "name" and item is not None]
    name = value["name"].upper()
    return f"{name} ({', '.join(inside)})" if inside else name


def _kind_value(key: str, value: Any) -> str:
    if key == "time_column":
        if isinstance(value, dict):
            value = [value.get("column"), value.get("format")]
        if isinstance(value, list):
            column, *formats = value
            rest = "".join(f", {_text(str(item))}" for item in formats if item is not None)
            return f"({column_name(str(column))}{rest})"
        return column_name(str(value))
    if key in _SQL_TEXTS:
        return " ".join(str(item) for item in value) if isinstance(value, list) else str(value)
    if key == "columns" and isinstance(value, str):
        return _text(value) if value == "*" else column_name(value)
    if key in ("columns", *_SQL_LISTS):
        items = value if isinstance(value, list) else [value]
        return f"({', '.join(str(item) for item in items)})"
    if isinstance(value, dict):
        return f"({', '.join(f'{name} = {_literal(item)}' for name, item in value.items())})"
    return _literal(value)


def _call(item: Any, file: str, line: int) -> str:
    """An audit or signal: its name, or its name and arguments."""
    if isinstance(item, str):
        return item
    if isinstance(item, list) and item and isinstance(item[0], str) and len(item) <= 2:
        arguments: Mapping[str, Any] = item[1] if len(item) == 2 and isinstance(item[1], dict) else {}
        if len(item) == 1 or isinstance(item[1], dict):
            return f"{item[0]}({', '.join(f'{key} := {_argument(key, value)}' for key, value in arguments.items())})"
    message = "an audit or signal is a name, or a pair of a name and a dict of arguments"
    raise CompileError(CompileCode.PythonModelUnsupported, message, file, line)


def _argument(key: str, value: Any) -> str:
    if isinstance(value, list):
        return f"({', '.join(_argument(key, item) for item in value)})"
    if isinstance(value, str) and not isinstance(value, RawSql) and key not in _TEXT_ARGUMENTS:
        return value
    return _literal(value)


def _literal(value: Any) -> str:
    if isinstance(value, RawSql):
        return str(value)
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int | float):
        return str(value)
    if isinstance(value, list):
        return f"({', '.join(_literal(item) for item in value)})"
    return _text(str(value))


def _text(value: str) -> str:
    escaped = value.replace("\\", "\\\\").replace("'", "''")
    return f"'{escaped}'"


def column_name(name: str) -> str:
    """A column's name, quoted if necessary."""
    return name if _PLAIN.fullmatch(name) else "`" + name.replace("`", "``") + "`"


def quoted_name(name: str) -> str:
    """The name of a key in pairs."""
    return name if _PLAIN.fullmatch(name) else '"' + name.replace('"', '""') + '"'

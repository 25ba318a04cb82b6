"""Converts a query with stand-ins for times to SQL with placeholders: the quotes around one say how it is written."""

from __future__ import annotations

import re

from dbt_kinds.codes import CompileCode
from dbt_kinds.readers.sqlmesh.macros.scope import Scope
from dbt_kinds.readers.sqlmesh.python_models.query_building import Query
from dbt_kinds.readers.sqlmesh.python_models.times import NotSqlAtHeart, TimeText
from dbt_kinds.readers.time_names import has_window
from dbt_kinds.translation.scan import line_of, stretches

_TIME = re.compile(r"[\ue000-\uf8ff]")
_TYPED = re.compile(r"\b(DATE|DATETIME|TIMESTAMP|TIMESTAMPTZ|TIMESTAMP_NTZ|TIMESTAMP_LTZ|TIME)(\s*)$", re.IGNORECASE)
# dialects with strings in double quotes
_DOUBLE_QUOTED = frozenset({"bigquery", "mysql", "spark", "spark2", "databricks", "hive", "clickhouse"})


def with_placeholders(query: Query, scope: Scope) -> str:
    """The query's text with a placeholder for every time.

    Raises:
        NotSqlAtHeart: a time is used where it is not a value.
        CompileError: the model's kind has no window (TimeVariableNotAllowed).
    """
    text = query.text
    parts: list[str] = []
    for stretch in stretches(text):
        part = text[stretch.start : stretch.end]
        line = query.line + line_of(text, stretch.start) - 1
        if not _TIME.search(part):
            parts.append(part)
        elif stretch.kind == "comment":
            parts.append(_TIME.sub(lambda found: query.times.by_character[found[0]].bound, part))
        elif stretch.kind == "string":
            _add_literal(parts, part, query, scope, line)
        else:
            pieces = re.split(f"({_TIME.pattern})", part)
            parts.extend(_number(piece, query, scope, line) if _TIME.fullmatch(piece) else piece for piece in pieces)
    return "".join(parts)


def _number(character: str, query: Query, scope: Scope, line: int) -> str:
    time = query.times.by_character[character]
    if not time.is_number:
        raise NotSqlAtHeart(f"puts {time.bound} into the query without quotes around it", line)
    return _sql(time, scope, line)


def _add_literal(parts: list[str], literal: str, query: Query, scope: Scope, line: int) -> None:
    """A literal that contains times: the time alone, or a concatenation."""
    quote, inside = literal[0], literal[1:-1]
    if quote == "`" or (quote == '"' and scope.dialect not in _DOUBLE_QUOTED):
        raise NotSqlAtHeart("makes a time part of a name", line)
    before = parts[-1] if parts else ""
    if before[-1:].isalnum() and not _TYPED.search(before):
        raise NotSqlAtHeart(f"puts a time into a literal of its own kind: {before[-1]}{quote}…{quote}", line)
    pieces = [piece for piece in re.split(f"({_TIME.pattern})", inside) if piece]
    written = [
        _sql(query.times.by_character[piece], scope, line) if _TIME.fullmatch(piece) else f"{quote}{piece}{quote}"
        for piece in pieces
    ]
    made = written[0] if len(written) == 1 else f"concat({', '.join(written)})"
    typed = _TYPED.search(before)
    if typed is not None:
        parts[-1] = before[: typed.start()]
        made = f"CAST({made} AS {typed[1]})"
    parts.append(made)


def _sql(time: TimeText, scope: Scope, line: int) -> str:
    if not scope.allows_window and has_window(time.variable):
        message = (
            f"{scope.model_name} is of kind {scope.kind_name or 'FULL'}, which has no window, and asks for {time.bound}"
            "; make it incremental, or use execution_time"
        )
        raise scope.error(CompileCode.TimeVariableNotAllowed, message, line)
    return time.sql(scope)

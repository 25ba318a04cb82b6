"""Which statement of a model file is its query."""

from __future__ import annotations

import re

from dbt_kinds.codes import CompileCode
from dbt_kinds.errors import CompileError
from dbt_kinds.readers.sqlmesh.context import ModelSource
from dbt_kinds.readers.sqlmesh.statements import Statement
from dbt_kinds.translation.scan import without_comments

_QUERY_WORDS = ("SELECT", "WITH", "FROM", "VALUES", "(")
_QUERY_MACRO = re.compile(r"@\s*(\w+)\s*\(", re.IGNORECASE)


def query_statement(source: ModelSource) -> Statement:
    """The query of a model file: its only SELECT or Jinja query, else its last macro.

    Raises:
        CompileError: there is none, or a second one (SqlParseError).
    """
    statements = [statement for statement in source.statements if not statement.is_virtual]
    queries = [statement for statement in statements if _is_query(statement)]
    if not queries:
        queries = [statement for statement in statements if _is_query_macro(statement)][-1:]
    place = source.block.place
    if not queries:
        message = f"{source.name.text} has no query; add a SELECT behind the MODEL block"
        raise CompileError(CompileCode.SqlParseError, message, place.file, place.line)
    if len(queries) > 1:
        message = f"{source.name.text} has a second query; write one a model"
        raise CompileError(CompileCode.SqlParseError, message, place.file, queries[1].line)
    return queries[0]


def _code(statement: Statement) -> str:
    return without_comments(statement.text).strip()


def _is_query(statement: Statement) -> bool:
    if statement.kind == "jinja_query":
        return True
    code = _code(statement).lstrip("(").lstrip().upper()
    return statement.kind == "sql" and (
        code.startswith(tuple(f"{word}{end}" for word in _QUERY_WORDS for end in (" ", "\n", "\t", "(", "*")))
        or code.startswith("@WITH(")
    )


def _is_query_macro(statement: Statement) -> bool:
    found = _QUERY_MACRO.match(_code(statement)) if statement.kind == "sql" else None
    return found is not None and found[1].upper() not in ("DEF", "IF")


def is_definition(statement: Statement) -> bool:
    """Whether a statement is @DEF."""
    found = _QUERY_MACRO.match(_code(statement)) if statement.kind == "sql" else None
    return found is not None and found[1].upper() == "DEF"

"""Statements of a text, with positions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sqlglot import Token, TokenType
from sqlglot.errors import SqlglotError

from dbt_kinds.translation.dialects import ParseFailure, dialect_of, first_line


@dataclass(frozen=True)
class Statement:
    """A statement: its tokens, with positions in the whole text, and the text up to its end."""

    text: str
    start: int
    tokens: tuple[Token, ...]


def split_statements(text: str) -> list[Statement]:
    """The statements between semicolons.

    Raises:
        ParseFailure: the text cannot be tokenized.
    """
    try:
        tokens = dialect_of("duckdb").tokenize(text)
    except (SqlglotError, RecursionError) as error:
        raise ParseFailure(first_line(error), 0) from error
    groups: list[list[Token]] = [[]]
    for token in tokens:
        if token.token_type is TokenType.SEMICOLON:
            groups.append([])
        else:
            groups[-1].append(token)
    return [_statement(text, group) for group in groups if group]


def _statement(text: str, tokens: Sequence[Token]) -> Statement:
    start, end = tokens[0].start, tokens[-1].end + 1
    return Statement(text[start:end], start, tuple(tokens))


def place_of(text: str, offset: int) -> tuple[int, int]:
    """Line and column of an offset, counted from 1."""
    before = text[: max(offset, 0)]
    return before.count("\n") + 1, len(before) - (before.rfind("\n") + 1) + 1

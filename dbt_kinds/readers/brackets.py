"""Brackets among tokens, for any dialect."""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import Token, TokenType

_CLOSING = {"(": ")", "[": "]", "{": "}"}
_QUOTED = (TokenType.STRING, TokenType.IDENTIFIER)


def closing(tokens: Sequence[Token], opening: int) -> int | None:
    """The index of the closing bracket for an opening one; None if there is none."""
    depth = 0
    for index in range(opening, len(tokens)):
        depth += _step(tokens[index])
        if depth == 0:
            return index
    return None


def split_at_commas(tokens: Sequence[Token]) -> list[list[Token]]:
    """The parts between top-level commas; for no tokens one empty part."""
    parts: list[list[Token]] = [[]]
    depth = 0
    for token in tokens:
        depth += _step(token)
        if depth == 0 and token.token_type is TokenType.COMMA:
            parts.append([])
        else:
            parts[-1].append(token)
    return parts


def _step(token: Token) -> int:
    if token.token_type in _QUOTED:
        return 0
    return (token.text in _CLOSING) - (token.text in _CLOSING.values())

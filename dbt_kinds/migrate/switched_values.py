"""Values that a variable of the project switches: `case when {{ hours }} > 0 then … else … end`."""

from __future__ import annotations

import operator
from collections.abc import Callable
from dataclasses import dataclass

from sqlglot import TokenType

from dbt_kinds.migrate.tokens import Tokens

_COMPARED: dict[TokenType, Callable[[float, float], bool]] = {
    TokenType.GT: operator.gt,
    TokenType.GTE: operator.ge,
    TokenType.LT: operator.lt,
    TokenType.LTE: operator.le,
    TokenType.EQ: operator.eq,
    TokenType.NEQ: operator.ne,
}
_PARTS = (TokenType.WHEN, TokenType.THEN, TokenType.ELSE, TokenType.END)


@dataclass(frozen=True)
class Switch:
    """A tag's number in the project, and the variable that it is of; '' for a constant."""

    value: float
    variable: str


def taken_branch(
    tokens: Tokens, piece: list[int], switch_of: Callable[[int], Switch | None]
) -> tuple[list[int], str] | None:
    """The tokens of the branch that a CASE takes where no run gives its variable another value, and the variable.

    Args:
        switch_of: the number that a token stands for, if it is a tag that prints one.
    """
    if not piece or tokens.kind(piece[0]) is not TokenType.CASE or tokens.kind(piece[-1]) is not TokenType.END:
        return None
    marks = _marks(tokens, piece)
    if [tokens.kind(piece[at]) for at in marks] != list(_PARTS):
        return None
    when, then, otherwise, end = marks
    condition = piece[when + 1 : then]
    compared = _COMPARED.get(tokens.tokens[condition[1]].token_type) if len(condition) == 3 else None
    switch = switch_of(condition[0]) if compared is not None else None
    if compared is None or switch is None or tokens.kind(condition[2]) is not TokenType.NUMBER:
        return None
    holds = compared(switch.value, float(tokens.tokens[condition[2]].text))
    return (piece[then + 1 : otherwise] if holds else piece[otherwise + 1 : end]), switch.variable


def _marks(tokens: Tokens, piece: list[int]) -> list[int]:
    """Where the parts of a CASE begin and where it ends, those of nested ones aside."""
    found, depth = [], 0
    for at, token in enumerate(piece):
        kind = tokens.kind(token)
        depth += kind is TokenType.CASE
        if depth == 1 and kind in _PARTS:
            found.append(at)
        depth -= kind is TokenType.END
    return found

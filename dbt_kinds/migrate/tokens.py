"""The tokens of a query with templates in it, by their numbers, and what belongs together among them."""

from __future__ import annotations

import re
from collections.abc import Sequence

from sqlglot import Token, TokenType


class Tokens:
    """The tokens of a text; `closes` has the closing bracket of each opening one."""

    def __init__(self, text: str, tokens: list[Token]) -> None:
        """`tokens` are those of a text of the same length, in which names stand for the tags."""
        self.text, self.tokens = text, tokens
        self.closes = _brackets(tokens)

    def kind(self, at: int) -> TokenType | None:
        """The kind of a token; None outside of the text."""
        return self.tokens[at].token_type if 0 <= at < len(self.tokens) else None

    def between(self, start: int, end: int) -> list[int]:
        """The tokens between two positions of the text."""
        return [at for at, token in enumerate(self.tokens) if start <= token.start and token.end < end]

    def at_depth(self, at: list[int], wanted: TokenType) -> int | None:
        """The first token of a kind outside of brackets."""
        depth = 0
        for token in at:
            kind = self.kind(token)
            depth += (kind is TokenType.L_PAREN) - (kind is TokenType.R_PAREN)
            if depth == 0 and kind is wanted:
                return token
        return None

    def select_of(self, at: int) -> tuple[int, int] | None:
        """The SELECT that a token of its FROM belongs to, and the token after its end."""
        depth = 0
        first = None
        for one in range(at - 1, -1, -1):
            kind = self.kind(one)
            depth += (kind is TokenType.R_PAREN) - (kind is TokenType.L_PAREN)
            if depth < 0:
                return None
            if depth == 0 and kind is TokenType.SELECT:
                first = one
                break
        if first is None:
            return None
        depth = 0
        for one in range(at + 1, len(self.tokens)):
            kind = self.kind(one)
            depth += (kind is TokenType.L_PAREN) - (kind is TokenType.R_PAREN)
            if depth < 0 or (depth == 0 and kind in (TokenType.UNION, TokenType.EXCEPT, TokenType.INTERSECT)):
                return first, one
        return first, len(self.tokens)

    def line_end(self, start: int, end: int) -> int:
        """After the line end if the piece is alone on its lines; before the next word if something precedes it."""
        line = self.text.rfind("\n", 0, start) + 1
        is_alone = not self.text[line:start].strip()
        space = r"[ \t]*\r?\n" if is_alone else r"\s+" if self.text[end - 1] == "," else ""
        tail = re.compile(space).match(self.text, end)
        return tail.end() if tail is not None else end


def _brackets(tokens: Sequence[Token]) -> dict[int, int]:
    found, opened = {}, []
    for at, token in enumerate(tokens):
        if token.token_type is TokenType.L_PAREN:
            opened.append(at)
        elif token.token_type is TokenType.R_PAREN and opened:
            found[opened.pop()] = at
    return found

"""Adjacent tokens that form one name: `a_@{x}_b`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sqlglot import Token, TokenType

QUOTED = (TokenType.STRING, TokenType.IDENTIFIER)


@dataclass(frozen=True)
class Reference:
    """A variable: `@x`, `@{x}`, or a string with variables, `@'…'`."""

    name: str
    is_braced: bool = False
    is_template: bool = False


def composition(tokens: Sequence[Token], index: int) -> tuple[list[str | Reference], int]:
    """Adjacent words and variables that form one name: `a_@{x}_b`."""
    parts: list[str | Reference] = []
    at = index
    while at < len(tokens) and (at == index or tokens[at].start == tokens[at - 1].end + 1):
        token = tokens[at]
        following = tokens[at + 1] if at + 1 < len(tokens) else None
        touches = following is not None and following.start == token.end + 1
        if token.text == "@" and token.token_type not in QUOTED and following is not None and touches:
            if following.token_type in QUOTED:
                return ([Reference(following.text, is_template=True)], at + 2) if not parts else (parts, at)
            if following.text == "{" and at + 3 < len(tokens) and tokens[at + 3].text == "}":
                parts.append(Reference(tokens[at + 2].text, is_braced=True))
                at += 4
                continue
            if is_word(following) and not following.text[0].isdigit():
                names = following.text.split("@")
                parts.append(Reference(names[0]))
                parts.extend(Reference(name) for name in names[1:] if name)
                at += 2
                continue
            break
        if is_word(token) and (at == index or parts):
            words = token.text.split("@")
            parts.extend(word if i == 0 else Reference(word) for i, word in enumerate(words) if word)
            at += 1
            continue
        break
    return (parts, at) if any(isinstance(part, Reference) for part in parts) else ([], index)


def fields_behind(tokens: Sequence[Token], index: int) -> tuple[list[str], int]:
    """The names of `.a.b` at an index, and the index after them."""
    fields: list[str] = []
    while index + 1 < len(tokens) and tokens[index].text == "." and is_word(tokens[index + 1]):
        fields.append(tokens[index + 1].text)
        index += 2
    return fields, index


def is_word(token: Token) -> bool:
    """Whether a token is a word or number, not a string or quoted name."""
    return token.token_type not in QUOTED and bool(token.text) and (token.text[0].isalnum() or token.text[0] == "_")


def run_text(tokens: Sequence[Token], index: int) -> str:
    """A word and the token adjacent to it, which shows whether a variable follows."""
    token = tokens[index]
    if index + 1 < len(tokens) and tokens[index + 1].start == token.end + 1:
        following = tokens[index + 1]
        return token.text + (following.text if following.token_type not in QUOTED else "")
    return token.text


def is_part(tokens: Sequence[Token], index: int) -> bool:
    """Whether a word is adjacent to a variable and part of the same name."""
    token = tokens[index]
    before = tokens[index - 1] if index else None
    touches_before = before is not None and before.end + 1 == token.start and before.text in ("@", "{", "}")
    return touches_before or "@" in run_text(tokens, index)[len(token.text) :]

"""Splits SQL text without a tokenizer into code, strings and comments, for any dialect."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

_STRETCH = re.compile(
    r"""
    (?P<comment> --[^\n]* | /\*.*?(?:\*/|\Z) | \{\#.*?(?:\#\}|\Z) )
  | (?P<string>  '(?:[^'\\]|''|\\.)*(?:'|\Z) | "(?:[^"\\]|""|\\.)*(?:"|\Z) | `[^`]*(?:`|\Z) )
    """,
    re.VERBOSE | re.DOTALL,
)


@dataclass(frozen=True)
class Stretch:
    """A part of a text; `kind` is code, string or comment."""

    kind: str
    start: int
    end: int


_COMMENT_MARK = re.compile(r"/\*|\*/")


def stretches(text: str) -> Iterator[Stretch]:
    """The parts of a text, in order and without gaps."""
    position = 0
    for found in _STRETCH.finditer(text):
        if found.start() < position:
            # within a comment that holds others
            continue
        if found.start() > position:
            yield Stretch("code", position, found.start())
        end = _end_of_comment(text, found.start()) or found.end()
        yield Stretch(found.lastgroup or "code", found.start(), end)
        position = end
    if position < len(text):
        yield Stretch("code", position, len(text))


def _end_of_comment(text: str, start: int) -> int | None:
    """The end of a comment that holds others, which most dialects let end with the last of them."""
    if not text.startswith("/*", start):
        return None
    depth = 0
    for mark in _COMMENT_MARK.finditer(text, start):
        depth += 1 if mark[0] == "/*" else -1
        if depth == 0:
            return mark.end()
    return None


def code_only(text: str) -> str:
    """The text with strings and comments blanked out, at unchanged positions."""
    parts = []
    for stretch in stretches(text):
        part = text[stretch.start : stretch.end]
        parts.append(part if stretch.kind == "code" else re.sub(r"[^\n]", " ", part))
    return "".join(parts)


def without_comments(text: str) -> str:
    """The text with comments blanked out, at unchanged positions."""
    parts = []
    for stretch in stretches(text):
        part = text[stretch.start : stretch.end]
        parts.append(re.sub(r"[^\n]", " ", part) if stretch.kind == "comment" else part)
    return "".join(parts)


def touches(left: str, right: str) -> bool:
    """Whether the end of one text and the beginning of another would form one word."""
    return all(edge.isalnum() or edge == "_" for edge in (left[-1:], right[:1]))


def line_of(text: str, offset: int) -> int:
    """The line of an offset, counted from 1."""
    return text.count("\n", 0, max(offset, 0)) + 1

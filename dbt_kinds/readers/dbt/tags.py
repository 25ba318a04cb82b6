"""Jinja's tags in a text, with exact positions: jinja2's own lexer drops white space, so its positions differ."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal, NamedTuple

_OPENING = re.compile(r"\{[{%#]")
_COMMENT = re.compile(r"(?s)\{#.*?#\}|--[^\n]*|/\*.*?\*/")
_ENDRAW = re.compile(r"\{%[-+]?\s*endraw\s*[-+]?%\}")
_QUOTED = re.compile(r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"", re.DOTALL)
_CLOSING: dict[str, str] = {"{{": "}}", "{%": "%}"}


class Tag(NamedTuple):
    """A tag; `end` is exclusive, `code` is the text between its braces without white space control markers."""

    kind: Literal["expression", "statement", "comment"]
    start: int
    end: int
    code: str
    code_start: int

    @property
    def word(self) -> str:
        """The first word of a statement: if, set, endif."""
        found = re.match(r"\w+", self.code)
        return found[0] if found else ""

    @property
    def rest(self) -> str:
        """A statement after its first word."""
        return self.code[len(self.word) :].strip()


def tags(text: str) -> Iterator[Tag]:
    """All tags in text order; text between raw and endraw contains none.

    An unclosed tag ends the search: Jinja refuses such a file.
    """
    at = 0
    while (opening := _OPENING.search(text, at)) is not None:
        start, mark = opening.start(), opening[0]
        if mark == "{#":
            end = text.find("#}", start + 2)
            if end < 0:
                return
            yield Tag("comment", start, end + 2, text[start + 2 : end], start + 2)
            at = end + 2
            continue
        close = _closing(text, start + 2, _CLOSING[mark])
        if close is None:
            return
        first, last = start + 2, close
        first += text[first : first + 1] in ("-", "+")
        last -= text[last - 1] in ("-", "+") and last > first
        code = text[first:last]
        lead = len(code) - len(code.lstrip())
        tag = Tag("expression" if mark == "{{" else "statement", start, close + 2, code.strip(), first + lead)
        yield tag
        at = tag.end
        if tag.kind == "statement" and tag.code == "raw":
            found = _ENDRAW.search(text, at)
            if found is None:
                return
            at = found.end()


def without_comments(text: str) -> str:
    """The text without the comments of SQL and of the template."""
    return _COMMENT.sub("", text)


def line_of(text: str, at: int) -> int:
    """The line of a position, counted from 1."""
    return text.count("\n", 0, at) + 1


def _closing(text: str, at: int, mark: str) -> int | None:
    depth = 0
    while at < len(text):
        if depth == 0 and text.startswith(mark, at):
            return at
        if text[at] in "'\"":
            quoted = _QUOTED.match(text, at)
            if quoted is None:
                return None
            at = quoted.end()
            continue
        depth += (text[at] in "([{") - (text[at] in ")]}")
        at += 1
    return None

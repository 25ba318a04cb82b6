"""Placeholder names in SQL for anything that is not SQL: references, time variables, Jinja."""

from __future__ import annotations

import re
from collections.abc import Mapping

from dbt_kinds.kinds import Mark, SparkSql

MARK_NAME = re.compile(r"\bkinds_mark_\d+\b")

_WORD_WITH_MARK = re.compile(r"\w*kinds_mark_\d\w*")


class Marks:
    """The marks of one model; equal objects share a name."""

    def __init__(self) -> None:
        """Starts without marks."""
        self.by_name: dict[str, Mark] = {}
        self._names: dict[Mark, str] = {}

    def name_of(self, mark: Mark) -> str:
        """The identifier that represents a mark."""
        if mark not in self._names:
            name = f"kinds_mark_{len(self._names) + 1}"
            self._names[mark] = name
            self.by_name[name] = mark
        return self._names[mark]


def is_mark(name: str) -> bool:
    """Whether an identifier is a mark."""
    return MARK_NAME.fullmatch(name) is not None


def left_over(text: str) -> str | None:
    """A mark left in a text that is about to be written, with the word it is part of; None if there is none."""
    found = _WORD_WITH_MARK.search(text)
    return found[0] if found is not None else None


def has_glued_mark(text: str) -> bool:
    """Whether a mark is part of a longer word, where it cannot be replaced."""
    return any(not is_mark(word) for word in _WORD_WITH_MARK.findall(text))


def used_marks(text: str, marks: Mapping[str, Mark]) -> dict[str, Mark]:
    """The marks used in a text, directly or through other marks, in the order of first use."""
    found: dict[str, Mark] = {}
    for name in dict.fromkeys(MARK_NAME.findall(text)):
        if name in marks:
            mark = found[name] = marks[name]
            if isinstance(mark, SparkSql):
                found.update(used_marks(mark.text, marks))
    return found

"""Placeholder names in SQL for anything that is not SQL: references, time variables, Jinja."""

from __future__ import annotations

import re
from collections.abc import Mapping

from dbt_kinds.kinds import Placeholder, SparkSql

PLACEHOLDER_NAME = re.compile(r"\bkinds_placeholder_\d+\b")

_WORD_WITH_PLACEHOLDER = re.compile(r"\w*kinds_placeholder_\d\w*")


class Placeholders:
    """The placeholders of one model; equal objects share a name."""

    def __init__(self) -> None:
        """Starts without placeholders."""
        self.by_name: dict[str, Placeholder] = {}
        self._names: dict[Placeholder, str] = {}

    def name_of(self, placeholder: Placeholder) -> str:
        """The identifier that represents a placeholder."""
        if placeholder not in self._names:
            name = f"kinds_placeholder_{len(self._names) + 1}"
            self._names[placeholder] = name
            self.by_name[name] = placeholder
        return self._names[placeholder]


def is_placeholder(name: str) -> bool:
    """Whether an identifier is a placeholder."""
    return PLACEHOLDER_NAME.fullmatch(name) is not None


def left_over(text: str) -> str | None:
    """A placeholder left in a text that is about to be written, with the word it is part of; None if there is none."""
    found = _WORD_WITH_PLACEHOLDER.search(text)
    return found[0] if found is not None else None


def has_glued_placeholder(text: str) -> bool:
    """Whether a placeholder is part of a longer word, where it cannot be replaced."""
    return any(not is_placeholder(word) for word in _WORD_WITH_PLACEHOLDER.findall(text))


def used_placeholders(text: str, placeholders: Mapping[str, Placeholder]) -> dict[str, Placeholder]:
    """The placeholders used in a text, directly or through other placeholders, in the order of first use."""
    found: dict[str, Placeholder] = {}
    for name in dict.fromkeys(PLACEHOLDER_NAME.findall(text)):
        if name in placeholders:
            placeholder = found[name] = placeholders[name]
            if isinstance(placeholder, SparkSql):
                found.update(used_placeholders(placeholder.text, placeholders))
    return found

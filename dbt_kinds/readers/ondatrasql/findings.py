"""Findings about a project, with their places; codes are the specification's names."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from dbt_kinds.errors import Level
from dbt_kinds.kinds import Note, Place

Severity = Literal["error", "warning", "info"]
_LEVELS: dict[Severity, Level] = {"error": "refused", "warning": "person", "info": "note"}
_SEVERITIES: dict[Level, Severity] = {"refused": "error", "wrong_use": "error", "person": "warning", "note": "info"}


@dataclass(frozen=True, order=True)
class Finding:
    """One line of `dbt-kinds check`. Lines and columns are counted from 1, paths are relative to the project."""

    path: str
    line: int
    column: int
    code: str
    severity: Severity
    message: str

    @property
    def note(self) -> Note:
        """The same as a line of the report of `dbt-kinds compile`."""
        return Note(self.code, _LEVELS[self.severity], Place(self.path, self.line), self.message)


def severity_of(level: Level) -> Severity:
    """The severity of a note."""
    return _SEVERITIES[level]


def nearest(name: str, known: Iterable[str]) -> str:
    """` (did you mean …?)`, or empty if no known name is similar."""
    found = difflib.get_close_matches(name.lower(), list(known), 1)
    return f" (did you mean {found[0]}?)" if found else ""

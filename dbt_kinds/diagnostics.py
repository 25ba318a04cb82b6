"""What commands find in a project: a code, how much it weighs, the place, and what to do about it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Literal

Severity = Literal["refused", "person", "note", "wrong_use", "error", "refusal", "warning", "info"]


class Code(Enum):
    """The name of what is found. A table of codes is a subclass, whose members are a severity and what the code says.

    Attributes:
        severity: how much a finding with this code usually weighs.
        meaning: what it says, in one sentence, for the manual and for SARIF.
    """

    severity: Severity
    meaning: str

    def __init__(self, severity: Severity, meaning: str) -> None:
        """Takes a member apart."""
        self.severity = severity
        self.meaning = meaning

    def __str__(self) -> str:
        """The name, as reports show it."""
        return self.name


@dataclass(frozen=True, order=True)
class Place:
    """A position in the source: the file relative to the project's root, line and column counted from 1, and 0
    where it is not known."""

    file: str
    line: int
    column: int = 0

    def __str__(self) -> str:
        """The place as compilers print it."""
        return f"{self.file}:{self.line}"


@dataclass(frozen=True)
class Diagnostic:
    """One finding. The message says what was found, and what to write instead."""

    code: Code
    severity: Severity
    place: Place
    message: str

    @classmethod
    def of(cls, code: Code, message: str, file: str = "", line: int = 0) -> Diagnostic:
        """A finding that weighs what its code says; `file` is relative to the project's root."""
        return cls(code, code.severity, Place(file, line), message)

    @property
    def sorted_by(self) -> tuple[Place, str, str]:
        """The order within a report: by place."""
        return self.place, self.code.name, self.message

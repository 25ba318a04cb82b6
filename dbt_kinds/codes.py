"""The codes of what commands find, with what each says: the manual's page and SARIF's rules are written from these."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from typing import NamedTuple

from dbt_kinds import errors
from dbt_kinds.analysis.findings import RULES
from dbt_kinds.readers.smelt.problems import MEANINGS

COMMANDS = ("compile", "migrate", "check")
_BASES = (errors.CompileError, errors.Left, errors.MigrationNote, errors.NeedsPerson, errors.Noted, errors.WrongUse)


class Code(NamedTuple):
    """A code, how much it weighs, and what it says."""

    name: str
    level: str
    meaning: str


def codes(command: str) -> list[Code]:
    """The codes of a command, by name."""
    if command == "check":
        found = {name: Code(name, "error", meaning) for name, meaning in MEANINGS.items()}
        found |= {name: Code(name, rule.severity, rule.meaning) for name, rule in RULES.items()}
        return sorted(found.values())
    return sorted(
        Code(kind.__name__, kind.level, " ".join((inspect.getdoc(kind) or "").split()))
        for kind in _kinds()
        if issubclass(kind, errors.Left | errors.MigrationNote) == (command == "migrate")
    )


def meaning(name: str) -> str | None:
    """What a code of `check` says: also those of projects of OndatraSQL, which `compile` reads."""
    return next(
        (code.meaning for command in ("check", "compile") for code in codes(command) if code.name == name), None
    )


def _kinds() -> Iterator[type[errors.CompileError]]:
    for kind in vars(errors).values():
        if inspect.isclass(kind) and issubclass(kind, errors.CompileError) and kind not in _BASES:
            yield kind

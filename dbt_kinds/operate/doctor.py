"""Problems of a setup, as data and as text."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from rich.text import Text

from dbt_kinds.operate.dbt import Dbt

_STYLES = {"error": "red", "warning": "yellow"}


@dataclass(frozen=True)
class Problem:
    """A problem.

    Attributes:
        severity: error or warning.
        about: the affected table or other part of the setup.
    """

    severity: str
    about: str
    wrong: str
    leads_to: str
    remedy: str


@dataclass(frozen=True)
class Diagnosis:
    """The doctor's findings, and what it checked."""

    facts: dict[str, Any]
    problems: list[Problem]
    models: int

    @property
    def has_errors(self) -> bool:
        """Whether any of them is an error."""
        return any(problem.severity == "error" for problem in self.problems)


def read_diagnosis(dbt: Dbt, select: str | None = None) -> Diagnosis:
    """Asks the package to check the setup.

    Raises:
        KindsError: the package is not installed, dbt failed, or the operation did.
    """
    arguments: dict[str, Any] = {"select": select} if select else {}
    answer = dbt.operation("doctor", arguments | {"raises": False})
    return Diagnosis(answer["facts"], [Problem(**finding) for finding in answer["findings"]], answer["models"])


def diagnosis_lines(diagnosis: Diagnosis) -> Iterator[Text]:
    """The text output: each problem with its consequence and its remedy, then a line of facts."""
    for problem in diagnosis.problems:
        style = _STYLES.get(problem.severity, "")
        yield Text.assemble((problem.severity, style), f" {problem.about}: {problem.wrong}")
        yield Text(f"  effect: {problem.leads_to}", "dim")
        yield Text(f"  fix:    {problem.remedy}")
    facts = diagnosis.facts
    known = [f"dbt {facts['dbt']}", f"Spark {facts['spark']}", f"time zone {facts['time_zone']}"]
    known += [f"store {facts['store']} ({facts['store_format'] or 'not there yet'})"]
    counts = f"{_counted(diagnosis.models, 'model')} checked, {_counted(len(diagnosis.problems), 'problem')} found"
    yield Text(f"{counts}; {', '.join(known)}", "dim")


def _counted(number: int, noun: str) -> str:
    return f"{number or 'no'} {noun}{'s' if number != 1 else ''}"

"""What is wrong with a set-up, as data and as lines to read."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from rich.text import Text

from dbt_kinds.operate.dbt import Dbt

_STYLES = {"error": "red", "warning": "yellow"}


@dataclass(frozen=True)
class Ailment:
    """Something that is wrong.

    Attributes:
        severity: error or warning.
        about: a table, or what else of the set-up it is about.
    """

    severity: str
    about: str
    wrong: str
    leads_to: str
    remedy: str


@dataclass(frozen=True)
class Diagnosis:
    """What the doctor found, and of what."""

    facts: dict[str, Any]
    ailments: list[Ailment]
    models: int

    @property
    def has_errors(self) -> bool:
        """Whether something does not work as it is."""
        return any(ailment.severity == "error" for ailment in self.ailments)


def read_diagnosis(dbt: Dbt, select: str | None = None) -> Diagnosis:
    """Asks the package to look at the set-up.

    Raises:
        KindsError: the package is not installed, dbt failed, or the operation did.
    """
    arguments: dict[str, Any] = {"select": select} if select else {}
    answer = dbt.operation("doctor", arguments | {"raises": False})
    return Diagnosis(answer["facts"], [Ailment(**finding) for finding in answer["findings"]], answer["models"])


def diagnosis_lines(diagnosis: Diagnosis) -> Iterator[Text]:
    """What a person reads: each ailment with what it leads to and what mends it, then a line of facts."""
    for ailment in diagnosis.ailments:
        style = _STYLES.get(ailment.severity, "")
        yield Text.assemble((ailment.severity, style), f" {ailment.about}: {ailment.wrong}")
        yield Text(f"  leads to: {ailment.leads_to}", "dim")
        yield Text(f"  mend it:  {ailment.remedy}")
    facts = diagnosis.facts
    known = [f"dbt {facts['dbt']}", f"Spark {facts['spark']}", f"time zone {facts['time_zone']}"]
    known += [f"store {facts['store']} ({facts['store_format'] or 'not there yet'})"]
    looked = f"{diagnosis.models} model{'s' if diagnosis.models != 1 else ''} looked at"
    yield Text(f"{looked}, {len(diagnosis.ailments) or 'nothing'} to tell; {', '.join(known)}", "dim")

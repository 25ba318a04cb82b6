"""The classifier's findings."""

from __future__ import annotations

from dataclasses import dataclass

from dbt_kinds.analysis.parsing import Place
from dbt_kinds.codes import CheckCode
from dbt_kinds.diagnostics import Severity


@dataclass(frozen=True)
class Finding:
    """One construct that is wrong, or cannot be proved right, on a slice of time."""

    code: CheckCode
    message: str
    place: Place
    source: str | None = None

    @property
    def override(self) -> str | None:
        """The safety override that suppresses it."""
        return self.code.override

    @property
    def severity(self) -> Severity:
        """How much it weighs."""
        return self.code.severity

    @property
    def reason(self) -> str:
        """The code, with the source if there is one."""
        return f"{self.code}:{self.source}" if self.source else self.code.name

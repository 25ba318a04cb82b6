"""The classifier's findings, their severity, and what overrides them."""

from __future__ import annotations

from dataclasses import dataclass

from dbt_kinds.analysis.parsing import Place

OVERRIDES = {
    "window_functions": "allow_window_functions",
    "having": "allow_having",
    "distinct": "allow_distinct",
    "limit": "allow_limit",
    "subqueries": "allow_subqueries",
    "nondeterministic": "allow_nondeterministic",
}
ERRORS = frozenset(
    (
        "partition_not_projected",
        "event_time_not_referenced",
        "unique_key_not_projected",
        "granularity_too_fine",
        "unknown_interval_unit",
    )
)


@dataclass(frozen=True)
class Finding:
    """One construct that is wrong, or cannot be proved right, on a slice of time."""

    code: str
    message: str
    place: Place
    source: str | None = None

    @property
    def override(self) -> str | None:
        """The safety override that suppresses it."""
        return OVERRIDES.get(self.code)

    @property
    def severity(self) -> str:
        """`refusal`, which a downgrade covers, `error`, which it does not, or `warning`."""
        if self.code == "narrow_read":
            return "warning"
        return "error" if self.code in ERRORS else "refusal"

    @property
    def reason(self) -> str:
        """The code, with the source if there is one."""
        return f"{self.code}:{self.source}" if self.source else self.code

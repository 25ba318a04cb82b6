"""The classifier's findings: a table of their codes, with their severity and what overrides them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, NamedTuple

from dbt_kinds.analysis.parsing import Place

Severity = Literal["error", "refusal", "warning"]


class Rule(NamedTuple):
    """What is true of all findings with one code.

    Attributes:
        severity: `refusal`, which a downgrade covers, `error`, which it does not, or `warning`.
        override: the safety override that suppresses them.
    """

    meaning: str
    severity: Severity = "refusal"
    override: str | None = None


RULES: Mapping[str, Rule] = {
    "window_functions": Rule("A window function may look across intervals.", override="allow_window_functions"),
    "having": Rule("HAVING looks at groups that may reach across intervals.", override="allow_having"),
    "distinct": Rule("DISTINCT, or a set operation, compares rows of several intervals.", override="allow_distinct"),
    "limit": Rule("LIMIT or OFFSET takes other rows of an interval than of the whole.", override="allow_limit"),
    "subqueries": Rule("A subquery reads more than look-up tables.", override="allow_subqueries"),
    "nondeterministic": Rule("A call gives something else the next time.", override="allow_nondeterministic"),
    "not_derivable": Rule("How far a source is read beyond the interval cannot be derived."),
    "partition_not_grouped": Rule("The query aggregates, and the partition column is no key of its groups."),
    "partition_not_projected": Rule("The partition column is no column of the output.", "error"),
    "event_time_not_referenced": Rule("The column of the event time is used nowhere.", "error"),
    "unique_key_not_projected": Rule("A column of the unique key is no column of the output.", "error"),
    "granularity_too_fine": Rule("The granularity is finer than what the partition column holds.", "error"),
    "unknown_interval_unit": Rule("An INTERVAL has no unit, or one that Spark does not have.", "error"),
    "narrow_read": Rule("A condition of the model's own reads less of a source than its interval needs.", "warning"),
    "CumulativeForbidsNondeterministic": Rule("A cumulative aggregate calls what changes by itself.", "error"),
    "CumulativeForbidsWindowFunctions": Rule("A cumulative aggregate has a window function.", "error"),
    "CumulativeGroupByContainsPartitionColumn": Rule(
        "A cumulative aggregate groups by the partition column of its source.", "error"
    ),
    "CumulativeMultipleDrivingSources": Rule("A cumulative aggregate reads several sources by time.", "error"),
    "CumulativeNoDrivingSource": Rule("A cumulative aggregate reads no source by time.", "error"),
    "CumulativeRequiresGroupBy": Rule("A cumulative aggregate has no plain GROUP BY.", "error"),
    "CumulativeUnknownAggregator": Rule("A cumulative aggregate has a column that cannot be combined.", "error"),
}
OVERRIDES = {code: rule.override for code, rule in RULES.items() if rule.override is not None}


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
        return RULES[self.code].override

    @property
    def severity(self) -> Severity:
        """How much it weighs."""
        return RULES[self.code].severity

    @property
    def reason(self) -> str:
        """The code, with the source if there is one."""
        return f"{self.code}:{self.source}" if self.source else self.code

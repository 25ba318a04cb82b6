"""What a proof of one model found."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

Outcome = Literal["equal", "proved", "differs", "not tried"]


class NotTriedError(Exception):
    """DuckDB cannot play a model; the message says why."""


@dataclass(frozen=True)
class Table:
    """Rows to be read by people."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]

    def lines(self) -> list[str]:
        """The table as text."""
        cells = [self.columns, *self.rows]
        widths = [max(len(row[at]) for row in cells) for at in range(len(self.columns))]
        lines = [
            "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in cells
        ]
        return [self.title, *(f"  {line}" for line in lines)]


@dataclass(frozen=True)
class Verdict:
    """The outcome for one model.

    Attributes:
        runs: how many runs were played, of how many.
        rule: the rule that proves it without runs, in words; '' if none does.
        told: in how many histories the two tables differ as a note says, by the note's code.
        stopped: how many histories ended as a note says.
        reason: why it was not tried, or in what it differs.
        tables: the smallest sources and runs in which it differs.
    """

    outcome: Outcome
    runs: int = 0
    wanted: int = 0
    rule: str = ""
    told: Mapping[str, int] = field(default_factory=dict)
    stopped: int = 0
    reason: str = ""
    tables: tuple[Table, ...] = ()

    @property
    def words(self) -> str:
        """The verdict in one line."""
        proved = f"proved by rules ({self.rule})" if self.rule else ""
        if self.outcome in ("not tried", "proved"):
            found = f"not tried: {self.reason}"
        elif self.outcome == "differs":
            found = f"differs: {self.reason}"
        else:
            found = f"equal in {self.runs} of {self.wanted} runs"
            if self.told:
                found += f", but for what {' and '.join(sorted(self.told))} tells"
        return "; ".join(part for part in (proved, found) if part)

    def data(self) -> dict[str, Any]:
        """The data for `--json`."""
        return {
            "outcome": self.outcome,
            "words": self.words,
            "runs": self.runs,
            "wanted": self.wanted,
            "rule": self.rule,
            "told": dict(self.told),
            "stopped": self.stopped,
            "reason": self.reason,
            "tables": [{"title": one.title, "columns": one.columns, "rows": one.rows} for one in self.tables],
        }

"""What every model's table holds and lacks, as data and as a table to look at."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from rich.table import Table

from dbt_kinds.operate.dbt import DbtOptions, run_operation

Interval = tuple[str, str]


@dataclass(frozen=True)
class ModelStatus:
    """One model: its coverage and its gaps as of the execution time, in half-open intervals of ISO instants."""

    model: str
    relation: str
    kind: str
    unit: str
    start: str | None
    end: str | None
    recorded: list[Interval]
    missing: list[Interval] | None
    reason: str

    @property
    def name(self) -> str:
        """The model's name without its package."""
        return self.model.split(".", 2)[-1]


def read_status(select: str | None, options: DbtOptions) -> list[ModelStatus]:
    """Asks the package for the status of the selected models.

    Raises:
        DbtFailedError: dbt or the operation failed.
    """
    answer: dict[str, Any] = run_operation("status", {"select": select} if select else {}, options)
    return [ModelStatus(**model) for model in answer["models"]]


def status_table(models: list[ModelStatus]) -> Table:
    """The status as a table for a terminal."""
    table = Table("model", "unit", "covered", "missing", header_style="bold", box=None, pad_edge=False)
    for model in models:
        covered = intervals_text(model.recorded) or "[dim]nothing[/]"
        if model.missing is None:
            missing = f"[dim]{model.reason}[/]"
        else:
            missing = f"[yellow]{intervals_text(model.missing)}[/]" if model.missing else "[green]nothing[/]"
        table.add_row(model.name, model.unit, covered, missing)
    return table


def intervals_text(intervals: list[Interval], most: int = 5) -> str:
    """Intervals, one a line, midnight left out; of many the first ones and how many more there are."""
    lines = [f"{_short(start)} to {_short(end)}" for start, end in intervals[:most]]
    if len(intervals) > most:
        lines.append(f"and {len(intervals) - most} more")
    return "\n".join(lines)


def _short(instant: str) -> str:
    return instant.removesuffix("T00:00:00").replace("T", " ")

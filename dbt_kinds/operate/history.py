"""What runs loaded, as data and as a table."""

from __future__ import annotations

from collections.abc import Sequence

from rich.table import Table
from rich.text import Text

from dbt_kinds.operate.answers import Run, circumstances_text, rows_text, run_message, seconds_text
from dbt_kinds.operate.dbt import Dbt
from dbt_kinds.operate.intervals import intervals_text, moment_text

_STYLES = {"done": "green", "failed": "red", "refused": "red", "died": "red", "running": "cyan", "stated": "dim"}


def read_history(dbt: Dbt, select: str | None = None, *, limit: int, day: str | None = None) -> list[Run]:
    """Asks the package for the latest runs of the selected models, newest first; with a day for those that touched it.

    Raises:
        KindsError: the package is not installed, dbt failed, or the operation did.
    """
    given = {"select": select, "limit": limit, "day": day}
    answer = dbt.operation("history", {name: value for name, value in given.items() if value})
    return [Run.of(run) for run in answer.get("runs", [])]


def history_table(runs: Sequence[Run], *, with_circumstances: bool = False) -> Table:
    """The runs as a table for a terminal; with their circumstances, also as of when each ran, and by whom."""
    table = Table(header_style="bold", box=None, pad_edge=False)
    table.add_column("began", no_wrap=True)
    table.add_column("model", overflow="fold")
    table.add_column("state", no_wrap=True)
    table.add_column("rows", justify="right", no_wrap=True)
    table.add_column("took", justify="right", no_wrap=True)
    table.add_column("loaded", overflow="fold", min_width=24)
    for run in runs:
        began = Text(moment_text(run.began_at or run.ended_at or "")[:16])
        state = Text(run.outcome, _STYLES.get(run.state, ""))
        happened = _what_happened(run)
        if with_circumstances and circumstances_text(run):
            happened.append(f"\n{circumstances_text(run)}", "dim")
        table.add_row(began, Text(run.name), state, Text(rows_text(run)), Text(seconds_text(run)), happened)
    return table


def _what_happened(run: Run) -> Text:
    """What was loaded, and other remarks; that a run withdraws the records of what it reloads is not mentioned."""
    lines = [Text(intervals_text(run.windows, most=3) or "nothing", "" if run.windows else "dim")]
    if run.source == "forget" and run.invalidated:
        lines = [Text(f"took back {intervals_text(run.invalidated, most=3)}")]
    lines += [Text(finding.text, "red" if finding.severity == "error" else "yellow") for finding in run.audits]
    if run_message(run):
        lines.append(Text(run_message(run), "red" if run.went_wrong else "dim"))
    return Text("\n").join(lines)

"""A single HTML file with every model's timeline, viewable without a network."""

from __future__ import annotations

import base64
import hashlib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import dbt_kinds
from dbt_kinds.html_pages import templates_in, write_html
from dbt_kinds.operate.answers import Run, rows_text, run_message, seconds_text
from dbt_kinds.operate.coverage import Piece, State
from dbt_kinds.operate.dbt import Dbt
from dbt_kinds.operate.history import read_history
from dbt_kinds.operate.intervals import (
    count_text,
    duration_text,
    instant_text,
    interval_text,
    intervals_text,
    merged,
    moment_text,
    total_seconds,
)
from dbt_kinds.operate.status import ModelStatus, read_status
from dbt_kinds.operate.timeline import Axis, Segment, segments

FOLDER = Path(__file__).parent


@dataclass(frozen=True)
class Report:
    """The contents of the page: the models' status as of the execution time, and runs, newest first."""

    models: Sequence[ModelStatus]
    runs: Sequence[Run] = ()
    execution_time: str | None = None
    project: str = ""


def read_report(dbt: Dbt, select: str | None = None, *, limit: int) -> Report:
    """Asks the package for status and history of the selected models.

    Raises:
        KindsError: the package is not installed, dbt failed, or an operation did.
    """
    status = read_status(dbt, select)
    runs = read_history(dbt, select, limit=limit)
    return Report(status.models, runs, status.execution_time, dbt.manifest.metadata.project_name or "")


def write_report(report: Report, file: Path) -> None:
    """Writes the page.

    Raises:
        UnwritableFileError: the file cannot be written there.
    """
    write_html(render_report(report), file)


def render_report(report: Report) -> str:
    """The page as text."""
    # the other commands do not need it
    from markupsafe import Markup

    page = templates_in(FOLDER)
    page.filters |= {
        "moment": moment_text,
        "window": interval_text,
        "instant": instant_text,
        "message": run_message,
        "rows": rows_text,
        "seconds": seconds_text,
    }
    axis = Axis.over(_instants(report))
    rows = [_row(model, runs, axis, len(report.models)) for model, runs in _with_runs(report)]
    script = (FOLDER / "report.js").read_text(encoding="utf-8")
    return page.get_template("report.html.jinja").render(
        report=report,
        axis=axis,
        rows=rows,
        states=sorted(State),
        tallies=_tallies(rows),
        script=Markup(script),
        script_hash=base64.b64encode(hashlib.sha256(script.encode()).digest()).decode(),
        version=dbt_kinds.__version__,
    )


@dataclass(frozen=True)
class Row:
    """One model on the page; the page's buttons filter by `tags`, `verdict` describes them."""

    model: ModelStatus
    runs: Sequence[Run]
    segments: Sequence[Segment]
    tags: Sequence[str]
    verdict: str
    ranges: Mapping[State, Sequence[str]] = field(default_factory=dict)

    @property
    def failure(self) -> str:
        """The last run's message, if it failed."""
        last_run = self.model.last_run
        return run_message(last_run) if last_run and last_run.went_wrong else ""

    @property
    def description(self) -> str:
        """A description of the timeline for screen readers."""
        return (
            "; ".join(f"{state.word} {', '.join(ranges)}" for state, ranges in self.ranges.items())
            or "nothing recorded"
        )


def _with_runs(report: Report) -> list[tuple[ModelStatus, list[Run]]]:
    # the store may have recorded a table under the name of a model in another project
    by_relation: dict[str, list[Run]] = {}
    for run in report.runs:
        by_relation.setdefault(run.relation, []).append(run)
    return [
        (model, by_relation.get(model.relation, [])) for model in sorted(report.models, key=lambda model: model.name)
    ]


def _row(model: ModelStatus, runs: Sequence[Run], axis: Axis | None, number_of_models: int) -> Row:
    pieces = model.pieces(runs)
    # with more models the resolution is lower: a browser shows 50,000 elements in half a second
    resolution = max(100, min(1000, 100_000 // number_of_models))
    drawn = segments(pieces, axis, resolution) if axis else []
    tags, verdict = _verdict(model)
    return Row(model, runs, drawn, tags, verdict, _ranges(pieces))


def _verdict(model: ModelStatus) -> tuple[list[str], str]:
    tags, words = [], []
    if model.lease and model.lease.is_live:
        tags.append("running")
        words.append("running")
    if model.last_run and model.last_run.went_wrong:
        tags.append("failed")
        words.append(model.last_run.outcome)
    if model.audit_failed:
        names = dict.fromkeys(finding.audit for finding in model.audit_failed)
        words.append(f"audit failed: {', '.join(names)}")
    if model.unaudited:
        words.append("published without audits")
    if model.missing:
        tags.append("missing")
        words.append(f"{duration_text(total_seconds(model.missing))} missing")
    if model.waiting:
        tags.append("waiting")
        told = f"waits for {', '.join(sorted({wait.reason for wait in model.waiting}))}"
        words.append(f"{told}: {model.waits}" if model.waits else told)
    if model.refused is not None and "failed" not in tags:
        tags.append("failed")
    if model.missing is None:
        words.append(model.reason)
    elif not model.missing and not model.waiting:
        tags.append("complete")
        words.append("complete")
    return tags, ", ".join(words)


def _ranges(pieces: Sequence[Piece], most: int = 20) -> dict[State, list[str]]:
    found = {}
    for state in sorted(State):
        intervals = merged((piece.start, piece.end) for piece in pieces if piece.state is state)
        if intervals:
            found[state] = intervals_text(intervals, most).splitlines()
    return found


def _tallies(rows: Sequence[Row]) -> list[tuple[str, str]]:
    """(tag, label) of the filter buttons."""
    counts = Counter(tag for row in rows for tag in row.tags)
    words = {
        "complete": "complete",
        "missing": "incomplete",
        "waiting": "waiting",
        "running": "running",
        "failed": "failed",
    }
    chosen = [(tag, f"{counts[tag]:,} {text}") for tag, text in words.items() if counts[tag]]
    return [("", count_text(len(rows), "model")), *chosen]


def _instants(report: Report) -> list[str]:
    instants = [report.execution_time] if report.execution_time else []
    for model in report.models:
        instants += model.bounds or ()
        instants += [bound for interval in (*model.recorded[:1], *model.recorded[-1:]) for bound in interval]
        instants += [bound for interval in (*model.invalidated, *model.running) for bound in interval]
    return instants

"""Which intervals every model's table has and lacks, as data and as a table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from textwrap import fill
from typing import Any

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from dbt_kinds.operate.answers import (
    Finding,
    Lease,
    Run,
    Wait,
    known_fields,
    model_name,
    rows_text,
    run_message,
    seconds_text,
    waits_text,
)
from dbt_kinds.operate.coverage import Piece, coverage_pieces
from dbt_kinds.operate.coverage_bar import BarLegend, CoverageBar
from dbt_kinds.operate.dbt import Dbt
from dbt_kinds.operate.each_model import ask_each_model
from dbt_kinds.operate.intervals import Interval, instant_text, intervals_text, moment_text, units_text


@dataclass(frozen=True)
class ModelStatus:
    """One model: its coverage and gaps as of the execution time, as half-open intervals of ISO instants."""

    model: str
    relation: str = ""
    kind: str = ""
    unit: str = ""
    start: str | None = None
    end: str | None = None
    recorded: list[Interval] = field(default_factory=list)
    missing: list[Interval] | None = None
    invalidated: list[Interval] = field(default_factory=list)
    waiting: list[Wait] = field(default_factory=list)
    waiting_units: int = 0
    waiting_since: str | None = None
    late_units: int = 0
    late_since: str | None = None
    audit_failed: list[Finding] = field(default_factory=list)
    unaudited: list[Interval] = field(default_factory=list)
    reason: str = ""
    refused: str | None = None
    partitions: str | None = None
    lease: Lease | None = None
    last_run: Run | None = None

    @classmethod
    def of(cls, given: Mapping[str, Any]) -> ModelStatus:
        """Parses a model returned by the operation."""
        lease, run = given.get("lease"), given.get("last_run")
        told: dict[str, Any] = {"lease": Lease.of(lease) if lease else None, "last_run": Run.of(run) if run else None}
        audits = given.get("audits") or {}
        told |= {
            "waiting": Wait.all_of(given),
            "audit_failed": [Finding.of(finding) for finding in audits.get("failed") or []],
            "unaudited": audits.get("skipped") or [],
        }
        return cls(**known_fields(cls, given) | told)

    @property
    def name(self) -> str:
        """The model's name without its package."""
        return model_name(self.model)

    @property
    def waits(self) -> str:
        """How much waits, and since when: `2 days, since 2024-01-04`; empty if nothing does."""
        return _since(self.waiting_units, self.unit, self.waiting_since)

    @property
    def late(self) -> str:
        """How much should have been loaded by now, and since when: `2 days, since 2024-01-04`; empty if nothing."""
        return _since(self.late_units, self.unit, self.late_since)

    @property
    def running(self) -> list[Interval]:
        """What a live run is about to load."""
        return self.lease.running if self.lease and self.lease.is_live else []

    @property
    def bounds(self) -> Interval | None:
        """The range that is checked, from start to end; None if empty."""
        return (self.start, self.end) if self.start and self.end and self.start < self.end else None

    def pieces(self, runs: Sequence[Run] = ()) -> list[Piece]:
        """Its timeline in pieces; if runs are given, loaded pieces refer to their load."""
        loads = [load for run in runs for load in run.loaded]
        return coverage_pieces(
            self.recorded,
            self.missing or [],
            self.invalidated,
            self.running,
            loads,
            [(wait.start, wait.end) for wait in self.waiting],
            audit_failed=[(finding.start, finding.end) for finding in self.audit_failed],
            unaudited=self.unaudited,
        )


def _since(units: int, unit: str, since: str | None) -> str:
    return "" if since is None else f"{units_text(units, unit)}, since {instant_text(since)}"


@dataclass(frozen=True)
class Status:
    """The status of the selected models as of the execution time.

    Attributes:
        max_age: how long after its end an interval may be missing, as `26h`; None: not at all.
    """

    execution_time: str | None
    models: list[ModelStatus]
    max_age: str | None = None

    @property
    def needs_someone(self) -> bool:
        """Whether anything is missing in any model, or late if an age is given, or a model is refused."""
        lacks = [model.missing if self.max_age is None else model.late_units for model in self.models]
        return any(lacks) or any(model.refused is not None for model in self.models)


def read_status(dbt: Dbt, select: str | None = None, max_age: str | None = None) -> Status:
    """Asks the package for the status of the selected models. For one that cannot be planned it contains the reason.

    Raises:
        KindsError: the package is not installed, dbt failed, or the operation did.
    """
    answer, refused = ask_each_model(dbt, "status", select, {} if max_age is None else {"max_age": max_age})
    told = [ModelStatus.of(model) for model in answer.get("models", [])]
    told += [ModelStatus(model, reason=f"refused: {message}", refused=message) for model, message in refused.items()]
    return Status(answer.get("execution_time"), sorted(told, key=lambda status: status.model), max_age)


def status_table(models: Sequence[ModelStatus]) -> RenderableType:
    """The status as a table for a terminal, followed by a legend of its bars, lease holders, and failures of runs."""
    table = Table(header_style="bold", box=None, pad_edge=False)
    # names are only wrapped if they would leave too little of 80 columns
    table.add_column("model", overflow="fold", no_wrap=all(len(model.name) <= 28 for model in models))
    table.add_column("unit")
    table.add_column("covered", no_wrap=True)
    table.add_column("missing")
    table.add_column("last run", overflow="fold")
    bars: list[CoverageBar] = []
    for model in models:
        covered = Text(intervals_text(model.recorded, most=3) or "nothing", "" if model.recorded else "dim")
        bar = CoverageBar(model.pieces(), model.bounds) if model.bounds else None
        if bar:
            bars.append(bar)
        cells = Group(bar, covered) if bar else covered, _missing(model), _last_run(model.last_run)
        table.add_row(Text(model.name), Text(model.unit), *cells)
    notes = [note for model in models for note in _notes(model)]
    below: list[RenderableType] = [Text(), BarLegend(bars)] if bars else []
    return Group(table, *below, *([Text()] if notes else []), *notes)


def _missing(model: ModelStatus) -> Text:
    if model.missing is None:
        return Text(fill(model.reason, 24), "dim" if model.refused is None else "red")
    missing = Text(intervals_text(model.missing), "yellow") if model.missing else Text()
    told = [waits_text(model.waiting), model.waits and f"waiting: {model.waits}"]
    waiting = Text("\n".join(filter(None, told)), "blue")
    return Text("\n").join(text for text in (missing, waiting) if text) or Text("nothing", "green")


def _last_run(run: Run | None) -> Text:
    if run is None:
        return Text("none", "dim")
    text = Text(run.outcome, "red" if run.went_wrong else "")
    when = run.ended_at or run.began_at
    text.append(f" {moment_text(when)[:16]}" if when else "", "")
    done = ", ".join(fact for fact in (rows_text(run) and f"{rows_text(run)} rows", seconds_text(run)) if fact)
    return text.append(f"\n{done}" if done else "", "")


def _notes(model: ModelStatus) -> Iterator[Text]:
    if model.late:
        yield Text(f"{model.name}: late: {model.late}", "red")
    if model.lease:
        yield Text(f"{model.name}: lease {', '.join(model.lease.lines())}", "cyan" if model.lease.is_live else "dim")
    for finding in model.audit_failed:
        yield Text(f"{model.name}: {finding.text}, not published", "red")
    if model.unaudited:
        yield Text(
            f"{model.name}: published without audits: {intervals_text(model.unaudited, most=3)}", "bright_yellow"
        )
    if model.partitions:
        yield Text(f"{model.name}: {model.partitions}", "yellow")
    if model.last_run and model.last_run.went_wrong:
        yield Text(f"{model.name}: last run {model.last_run.state}: {run_message(model.last_run)}", "red")

"""Runs and leases as returned by the operations.

Absent keys get their default and unknown ones are ignored, so that the command works with a slightly older or newer dbt
package.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any

from dbt_kinds.operate.intervals import Interval, count_text, duration_text, interval_text, merged, moment_text


def known_fields(kind: type[Any], given: Mapping[str, Any]) -> dict[str, Any]:
    """The values for which a data class has a field; null counts as absent."""
    names = [entry.name for entry in fields(kind)]
    return {name: given[name] for name in names if given.get(name) is not None}


@dataclass(frozen=True)
class Wait:
    """A range that is not loaded yet, and what it waits for: ready_until, or the parent that lacks a part of it."""

    start: str
    end: str
    reason: str

    @classmethod
    def all_of(cls, given: Mapping[str, Any]) -> list[Wait]:
        """Those that an operation returns for a model."""
        return [cls(wait["start"], wait["end"], wait["for"]) for wait in given.get("waiting") or []]


def waits_text(waits: Sequence[Wait]) -> str:
    """`2024-01-03 to 2024-01-05 waits for ready_until`, one per line."""
    return "\n".join(f"{interval_text((wait.start, wait.end))} waits for {wait.reason}" for wait in waits)


@dataclass(frozen=True)
class Load:
    """One recorded interval of a run."""

    start: str
    end: str
    rows_written: int | None = None
    seconds: float | None = None
    recorded_at: str | None = None


@dataclass(frozen=True)
class Finding:
    """A batch in which an audit found failures; one of severity `error` was not published."""

    audit: str = ""
    failures: int = 0
    start: str = ""
    end: str = ""
    severity: str = "error"
    recorded_at: str | None = None

    @classmethod
    def of(cls, given: Mapping[str, Any]) -> Finding:
        """Parses a finding returned by an operation."""
        return cls(**known_fields(cls, given))

    @property
    def text(self) -> str:
        """The message about it."""
        verb = "failed" if self.severity == "error" else "warned"
        failures, where = count_text(self.failures, "failure"), interval_text((self.start, self.end))
        return f"audit {self.audit} {verb}: {failures} in {where}"


# what somebody did who called an operation
_STATED = {"adopt": "adopted", "record": "recorded", "forget": "forgotten"}


@dataclass(frozen=True)
class Run:
    """The effect of one invocation on one table; `stated` is what an operation recorded or withdrew."""

    relation: str = ""
    model: str = ""
    invocation_id: str = ""
    execution_time: str | None = None
    began_at: str | None = None
    ended_at: str | None = None
    state: str = "done"
    loaded: list[Load] = field(default_factory=list)
    invalidated: list[Interval] = field(default_factory=list)
    audits: list[Finding] = field(default_factory=list)
    rows_written: int | None = None
    seconds: float | None = None
    message: str | None = None
    source: str = "run"
    by: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, given: Mapping[str, Any]) -> Run:
        """Parses a run returned by an operation."""
        loads = [Load(**known_fields(Load, load)) for load in given.get("loaded") or []]
        audits = [Finding.of(finding) for finding in given.get("audits") or []]
        return cls(**known_fields(cls, given) | {"loaded": loads, "audits": audits})

    @property
    def name(self) -> str:
        """The model's name, or the table's if the store does not have it."""
        return model_name(self.model) or self.relation

    @property
    def windows(self) -> list[Interval]:
        """What it loaded, with adjacent batches merged."""
        return merged((load.start, load.end) for load in self.loaded)

    @property
    def outcome(self) -> str:
        """How it ended, in a word: its state, or what an operation did."""
        return _STATED.get(self.source, self.state) if self.state == "stated" else self.state

    @property
    def went_wrong(self) -> bool:
        """Whether it failed, was refused or died."""
        return self.state in ("failed", "refused", "died")


@dataclass(frozen=True)
class Lease:
    """A claim on a table; `running` is what its run planned to load and has not recorded yet."""

    invocation_id: str = ""
    claimed_at: str | None = None
    last_sign_of_life: str | None = None
    expires_at: str | None = None
    holder: str | None = None
    is_live: bool = False
    running: list[Interval] = field(default_factory=list)

    @classmethod
    def of(cls, given: Mapping[str, Any]) -> Lease:
        """Parses a lease returned by an operation."""
        return cls(**known_fields(cls, given))

    def lines(self) -> list[str]:
        """A description of the lease, as lines."""
        facts = [f"{'held' if self.is_live else 'dead, the next run takes over'}", f"invocation {self.invocation_id}"]
        if self.claimed_at:
            facts[0] += f", since {moment_text(self.claimed_at)}"
        if self.last_sign_of_life:
            facts.append(f"last sign of life {moment_text(self.last_sign_of_life)}")
        if self.is_live and self.expires_at:
            facts.append(f"expires {moment_text(self.expires_at)}")
        return facts + ([f"by {self.holder}"] if self.holder else [])


def model_name(unique_id: str) -> str:
    """A model's name without its package."""
    return unique_id.split(".", 2)[-1]


def rows_text(run: Run) -> str:
    """The number of rows it wrote; empty if it loaded nothing."""
    return f"{run.rows_written:,}" if run.loaded and run.rows_written is not None else ""


def seconds_text(run: Run) -> str:
    """How long its loads took; empty if there were none."""
    return duration_text(run.seconds) if run.loaded and run.seconds is not None else ""


def circumstances_text(run: Run) -> str:
    """The time as of which it ran, and who ran it, as far as its environment told; empty if nothing is known."""
    known = {"by": run.by.get("user"), "job": run.by.get("job"), "run": run.by.get("run")}
    facts = [f"{name} {fact}" for name, fact in known.items() if fact]
    if run.execution_time:
        facts.insert(0, f"as of {moment_text(run.execution_time)[:16]}")
    return ", ".join(facts)


def run_message(run: Run) -> str:
    """The failure's message, or another remark on a run."""
    if run.message:
        return run.message
    if run.state == "died":
        return "its process is gone, or its lease expired without a sign of life"
    return ""

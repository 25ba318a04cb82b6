"""The result for each model, as data, as a diff and as text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Literal

from dbt_kinds.codes import MigrateCode
from dbt_kinds.errors import Left, MigrationNote
from dbt_kinds.file_diffs import file_diff
from dbt_kinds.migrate.advice import ADVICE
from dbt_kinds.migrate.conversion import Found
from dbt_kinds.migrate.dialects import SPARK
from dbt_kinds.prove.verdict import Verdict

# notes that say the same of each model
_TOLD_ONCE = ("NoStart", "FirstLoad", "MissedRuns", "EmptiedRange")
# of one reason
_MOST_MESSAGES = 5
Status = Literal["converted", "left", "already", "proposed", "failed"]


@dataclass
class Result:
    """One model or snapshot; `new_text` is the new content of its file, and `verdict` what a proof found."""

    name: str
    file: str
    line: int
    status: Status
    found: Found = field(default_factory=Found)
    kind: str | None = None
    options: dict[str, Any] = field(default_factory=dict)
    reason: Left | None = None
    failure: str | None = None
    notes: list[MigrationNote] = field(default_factory=list)
    old_text: str = ""
    new_text: str | None = None
    new_file: str | None = None
    is_snapshot: bool = False
    verdict: Verdict | None = None

    def judge(self, verdict: Verdict) -> None:
        """Adds what a proof found; a model whose tables differ is left."""
        self.verdict = verdict
        if verdict.outcome == "differs":
            self.status, self.kind, self.options, self.new_text = "left", None, {}, None
            self.reason = Left(MigrateCode.Differs, verdict.reason, line=self.line)

    @property
    def diff(self) -> str:
        """The change as a diff for git apply."""
        if self.new_text is None:
            return ""
        if self.new_file is not None:
            return file_diff("", self.new_text, self.new_file, is_new=True)
        return file_diff(self.old_text, self.new_text, self.file)

    def data(self) -> dict[str, Any]:
        """The data for `--json`."""
        reason: dict[str, Any] | None = None
        if self.reason is not None:
            reason = {"code": self.reason.code, "line": self.reason.line, "message": self.reason.message}
        elif self.failure is not None:
            reason = {"code": "Failed", "line": self.line, "message": self.failure}
        return {
            "name": self.name,
            "file": self.file,
            "line": self.line,
            "found": self.found.data(),
            "status": self.status,
            "kind": self.kind,
            "options": self.options,
            "reason": reason,
            "notes": [{"code": note.code, "message": note.message} for note in self.notes],
            "diff": self.diff,
            "proof": self.verdict.data() if self.verdict is not None else None,
        }


@dataclass
class Migration:
    """All results of one project, in the order of its files.

    Attributes:
        dialect: that of its queries.
        seed: that of the proof, if there was one: the same seed plays the same histories.
    """

    project: str
    results: list[Result]
    dialect: str = "spark"
    seed: int | None = None

    def count(self, status: Status, *, snapshots: bool = False) -> int:
        """How many models, or snapshots, have a status."""
        return sum(1 for result in self.results if result.status == status and result.is_snapshot is snapshots)

    @property
    def summary(self) -> dict[str, int]:
        """The counts of the report; converted, left, already and failed are the incremental models."""
        models = [result for result in self.results if not result.is_snapshot]
        return {
            "incremental": len(models),
            "converted": self.count("converted"),
            "left": self.count("left"),
            "already": self.count("already"),
            "snapshots": len(self.results) - len(models),
            "proposed": self.count("proposed", snapshots=True),
            "failed": self.count("failed") + self.count("failed", snapshots=True),
        }

    def data(self) -> dict[str, Any]:
        """The data for `--json`."""
        return {
            "project": self.project,
            "models": [result.data() for result in self.results],
            "summary": self.summary,
            "proof": {"seed": self.seed, **self.outcomes} if self.seed is not None else None,
            "reasons": [
                {"code": code, "count": messages.total(), "messages": dict(messages.most_common())}
                for code, messages in self.reasons
            ],
        }

    @property
    def reasons(self) -> list[tuple[str, Counter[str]]]:
        """The reasons for which models are left, the most frequent first, each with its messages and their counts."""
        found: dict[str, Counter[str]] = {}
        for result in self.results:
            if result.reason is not None and not result.is_snapshot:
                found.setdefault(result.reason.code, Counter())[result.reason.message] += 1
        return sorted(found.items(), key=lambda item: (-item[1].total(), item[0]))

    @property
    def outcomes(self) -> Counter[str]:
        """How many models the proof found equal, proved by rules alone, differing, or did not try."""
        return Counter(result.verdict.outcome for result in self.results if result.verdict is not None)

    @property
    def would_change(self) -> bool:
        """Whether a file would be written."""
        return any(result.new_text is not None for result in self.results)

    @property
    def has_failed(self) -> bool:
        """Whether an unexpected exception left a model unread."""
        return any(result.status == "failed" for result in self.results)


def report_lines(migration: Migration) -> Iterator[str]:
    """Each model with its result, the counts, and the reasons, the most frequent first."""
    for result in migration.results:
        where = (
            f"{result.file}:{result.reason.line if result.reason is not None and result.reason.line else result.line}"
        )
        if result.reason is not None:
            yield f"{where}: {result.name}: left, {result.reason.code}: {result.reason.message}"
        elif result.status == "failed":
            yield f"{where}: {result.name}: failed: {result.failure}"
        elif result.status == "already":
            yield f"{where}: {result.name}: is {result.kind} already"
        else:
            said = ", ".join(f"{name} {value}" for name, value in result.options.items())
            yield f"{where}: {result.name}: {result.status}, {result.kind}{': ' + said if said else ''}"
        if result.verdict is not None:
            yield f"    {result.verdict.words}"
            yield from (f"      {line}" for table in result.verdict.tables for line in table.lines())
        for note in result.notes:
            if note.code not in _TOLD_ONCE:
                yield f"    {note.code}: {note.message}"
    yield from _summary_lines(migration)


def _summary_lines(migration: Migration) -> Iterator[str]:
    for code in _TOLD_ONCE:
        told = [note.message for result in migration.results for note in result.notes if note.code == code]
        if told:
            yield f"{code}, {len(told)} {'model' if len(told) == 1 else 'models'}: {told[0]}"
    if migration.dialect not in SPARK:
        yield (
            f"the queries are written for {migration.dialect}, and kinds run on Spark: this changes how the models are "
            "loaded, and leaves the rest of their queries as it is"
        )
    if migration.seed is not None:
        yield from _proof_lines(migration)
    summary, reasons = migration.summary, migration.reasons
    of_reasons = "reason" if len(reasons) == 1 else "reasons"
    yield (
        f"{summary['incremental']} incremental models: {summary['converted']} converted, "
        f"{summary['left']} left "
        f"({len(reasons)} {of_reasons}), {summary['failed']} failed; {summary['snapshots']} snapshots, "
        f"{summary['proposed']} proposed"
    )
    for code, messages in reasons:
        yield f"  {messages.total():>5}  {code}: {ADVICE.get(code, 'see the manual')}"
        for message, count in messages.most_common(_MOST_MESSAGES):
            if count > 1:
                yield f"         {count:>5}  {message}"


def _proof_lines(migration: Migration) -> Iterator[str]:
    found = migration.outcomes
    yield (
        f"proof: {found['equal']} equal, {found['proved']} proved by rules alone, {found['differs']} differ and are "
        f"left, {found['not tried']} not tried; the same again: --prove --seed {migration.seed}"
    )
    verdicts = [result.verdict for result in migration.results if result.verdict is not None]
    for reason, count in Counter(one.reason for one in verdicts if one.outcome == "not tried").most_common(
        _MOST_MESSAGES
    ):
        yield f"  {count:>5}  not tried: {reason}"

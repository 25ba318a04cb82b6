"""The result for each model, as data, as a diff and as text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Literal

from dbt_kinds.errors import Left, MigrationNote
from dbt_kinds.file_diffs import file_diff
from dbt_kinds.migrate.advice import ADVICE
from dbt_kinds.migrate.conversion import Found

SPARK = frozenset({"spark", "databricks", "spark2"})
# notes that say the same of each model
_TOLD_ONCE = ("NoStart", "FirstLoad")
# of one reason
_MOST_MESSAGES = 5
Status = Literal["converted", "left", "already", "proposed", "failed"]


@dataclass
class Result:
    """One model or snapshot; `new_text` is the new content of its file."""

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
        }


@dataclass
class Migration:
    """All results of one project, in the order of its files; `dialect` is that of its queries."""

    project: str
    results: list[Result]
    dialect: str = "spark"

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

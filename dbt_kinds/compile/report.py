"""The report on a converted project, as data and as text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from rich.table import Table
from rich.text import Text

from dbt_kinds.codes import CompileCode
from dbt_kinds.diagnostics import Diagnostic
from dbt_kinds.kinds import Model, Project, Seed, SourceTable
from dbt_kinds.writers.dbt_project import folder_of
from dbt_kinds.writers.files import Changes

_STYLES = {"converted": "green", "needs_person": "yellow", "refused": "red", "skipped": "dim"}
_LEVELS = {"note": "dim", "person": "yellow", "refused": "red", "wrong_use": "red"}


@dataclass
class Entry:
    """One model, seed or source."""

    name: str
    kind: str
    file: str
    line: int
    status: str
    node: str | None
    output: str | None
    notes: list[Diagnostic] = field(default_factory=list)


@dataclass
class Report:
    """The outcome for a project."""

    source: str
    entries: list[Entry]
    other: list[Diagnostic]
    changes: Changes
    is_check: bool = False

    @property
    def summary(self) -> dict[str, int]:
        """The number of entries by outcome."""
        count = {status: sum(entry.status == status for entry in self.entries) for status in _STYLES}
        return {status: count[status] for status in ("converted", "needs_person", "refused")}

    @property
    def stopped_at_macros(self) -> int:
        """How many models are refused only because the project's Python macros were not run."""
        refusals = [{note.code for note in entry.notes if note.severity == "refused"} for entry in self.entries]
        return refusals.count({CompileCode.PythonMacro})

    def exit_code(self, *, strict: bool) -> int:
        """0 if all is converted; 1 if something was refused or edited by hand, or, in strict mode, needs a person."""
        refused = self.summary["refused"] or any(note.severity == "refused" for note in self.all_notes())
        person = strict and any(note.severity == "person" for note in self.all_notes())
        stale = self.is_check and (self.changes.written or self.changes.deleted)
        return 1 if refused or person or stale or self.changes.edited_by_hand else 0

    def all_notes(self) -> list[Diagnostic]:
        """Every note of the report."""
        return [*(note for entry in self.entries for note in entry.notes), *self.other, *self.changes.notes]

    def data(self) -> dict[str, Any]:
        """The report as printed by `--json`."""
        return {
            "source": self.source,
            "models": [
                {
                    "name": entry.name,
                    "kind": entry.kind,
                    "file": entry.file,
                    "line": entry.line,
                    "status": entry.status,
                    "node": entry.node,
                    "output": entry.output,
                    "notes": [_note(note) for note in entry.notes],
                }
                for entry in self.entries
            ],
            "other": [_note(note) for note in [*self.other, *self.changes.notes]],
            "files": {
                "written": self.changes.written,
                "unchanged": self.changes.unchanged,
                "deleted": self.changes.deleted,
                "edited_by_hand": self.changes.edited_by_hand,
            },
            "stopped_at_macros": self.stopped_at_macros,
            "summary": self.summary,
        }


def report_of(source: str, project: Project, changes: Changes, *, is_check: bool) -> Report:
    """The report on a project that was read and compared with the existing files."""
    entries = [_node_entry(model) for model in project.models] + [_node_entry(seed) for seed in project.seeds]
    # the source that represents a refused model is reported as that model
    entries.extend(_source_entry(table) for table in project.sources if not table.origin.get("refused"))
    for left in project.left_out:
        entries.append(
            Entry(left.name, left.kind_name, left.place.file, left.place.line, left.status, None, None, left.notes)
        )
    entries.sort(key=lambda entry: (entry.file, entry.line, entry.name))
    return Report(source, entries, project.notes, changes, is_check)


def report_table(report: Report) -> Table:
    """The models of a report as a table for a terminal."""
    table = Table(header_style="bold", box=None, pad_edge=False)
    table.add_column("model", overflow="fold")
    table.add_column("kind")
    table.add_column("")
    table.add_column("where", overflow="fold")
    for entry in report.entries:
        if entry.kind == "EXTERNAL" and not entry.notes:
            continue
        status = Text(entry.status.replace("_", " a ", 1), _STYLES[entry.status])
        table.add_row(Text(entry.name), Text(entry.kind.lower()), status, Text(f"{entry.file}:{entry.line}", "dim"))
    return table


def report_lines(report: Report) -> list[Text]:
    """Every note of the report, and the written files, as lines."""
    lines = [_line(note, more) for note, more in _without_repetition(_in_order(report.all_notes()))]
    changes = report.changes
    verb = "would be written" if report.is_check else "written"
    counts = [
        f"{len(changes.written)} files {verb}",
        f"{len(changes.unchanged)} unchanged",
        f"{len(changes.deleted)} deleted",
        f"{len(changes.edited_by_hand)} edited by hand",
    ]
    lines.append(Text(", ".join(counts), "dim"))
    summary, stopped = report.summary, report.stopped_at_macros
    if stopped:
        models = "1 model stops" if stopped == 1 else f"{stopped} models stop"
        lines.append(Text(f"{models} at Python macros of the project; --run-macros runs them", "yellow"))
    lines.append(
        Text(f"{summary['converted']} converted, {summary['needs_person']} need a person, {summary['refused']} refused")
    )
    return lines


def _in_order(notes: Iterable[Diagnostic]) -> list[Diagnostic]:
    weight = {"note": 0, "person": 1, "refused": 2, "wrong_use": 3}
    return sorted(notes, key=lambda note: (weight[note.severity], note.place, note.code.name))


def _without_repetition(notes: Iterable[Diagnostic]) -> Iterator[tuple[Diagnostic, int]]:
    """Notes that only inform, and say the same of several places, once, with the number of the other places."""
    said: dict[tuple[object, ...], list[Diagnostic]] = {}
    for note in notes:
        key = (note.code, note.message) if note.severity == "note" else (note,)
        said.setdefault(key, []).append(note)
    for same in said.values():
        yield same[0], len(same) - 1


def _line(note: Diagnostic, more: int) -> Text:
    others = f" and {more} more" if more else ""
    text = Text(f"{note.place}{others}: " if note.place.file else "", "dim")
    text.append(f"{note.code}: ", _LEVELS[note.severity])
    text.append(note.message)
    return text


def _note(note: Diagnostic) -> dict[str, Any]:
    return {
        "code": note.code.name,
        "level": note.severity,
        "file": note.place.file,
        "line": note.place.line,
        "message": note.message,
    }


def _node_entry(node: Model | Seed) -> Entry:
    folder = "seeds" if isinstance(node, Seed) else "models"
    suffix = "csv" if isinstance(node, Seed) else "sql"
    if isinstance(node, Model) and node.kind.value == "table":
        suffix = "py"
    output = f"{folder}/{folder_of(node.schema)}{node.node}.{suffix}"
    place = node.place
    return Entry(node.name, node.kind_name, place.file, place.line, _status(node.notes), node.node, output, node.notes)


def _source_entry(table: SourceTable) -> Entry:
    name = ".".join(part for part in (table.catalog, table.schema, table.table) if part)
    place = table.place
    node = f"{table.source}.{table.name}"
    return Entry(
        name, "EXTERNAL", place.file, place.line, _status(table.notes), node, "models/sources.yml", table.notes
    )


def _status(notes: Iterable[Diagnostic]) -> str:
    levels = {note.severity for note in notes}
    return "refused" if "refused" in levels else "needs_person" if "person" in levels else "converted"

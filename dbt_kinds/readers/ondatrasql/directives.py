"""What the directives of a model say about its kind, and which of them conflict."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from dbt_kinds.codes import CompileCode, OndatraCode
from dbt_kinds.diagnostics import Code, Diagnostic, Place, Severity
from dbt_kinds.kinds import Kind
from dbt_kinds.readers.ondatrasql.arguments import read_call, split_arguments, unquoted, value_of
from dbt_kinds.readers.ondatrasql.findings import in_check, nearest
from dbt_kinds.readers.ondatrasql.header import DIRECTIVES, REPEATABLE, Directive, ModelText
from dbt_kinds.readers.remark_notes import NOTE_OF
from dbt_kinds.translation.remarks import RemarkKind

KINDS = {
    "table": Kind.FULL,
    "append": Kind.APPEND,
    "merge": Kind.INCREMENTAL_BY_UNIQUE_KEY,
    "tracked": Kind.TRACKED,
    "scd2": Kind.SCD_TYPE_2_BY_COLUMN,
    "events": Kind.EVENTS,
}
_GONE = {
    "partition": "it was replaced by tracked, with @group_key",
    "view": "a view is a dbt view, which a person writes; or build a table",
}
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
# columns added by a run
_RESERVED = frozenset({"valid_from_snapshot", "valid_to_snapshot", "is_current", "_content_hash", "_kinds_claim"})
# their meaning depends on the kind
_OF_KINDS = frozenset({"unique_key", "group_key", "incremental", "sink"})
_TRANSFORMS = {"year": "years", "month": "months", "day": "days", "hour": "hours"}


@dataclass
class Declared:
    """The contents of a header.

    Attributes:
        kind: the tool's own name.
        key: columns of the unique or the group key.
        partition_by: as in dbt; transforms are Iceberg's.
        written: directives that may be repeated, in order.
    """

    path: str
    name: str
    kind: str = "table"
    is_kind_known: bool = True
    key: list[str] = field(default_factory=list)
    key_line: int = 1
    cursor: str | None = None
    cursor_line: int = 1
    cursor_initial: str | None = None
    partition_by: list[str] = field(default_factory=list)
    description: str | None = None
    sink: dict[str, Any] | None = None
    sink_line: int = 1
    written: dict[str, list[Directive]] = field(default_factory=dict)
    findings: list[Diagnostic] = field(default_factory=list)

    def find(self, code: Code, severity: Severity, message: str, line: int, column: int = 1) -> None:
        """Records a finding of this file."""
        self.findings.append(Diagnostic(code, severity, Place(self.path, line, column), message))

    def note(self, kind: RemarkKind, message: str, line: int, column: int) -> None:
        """Records a remark of the translation."""
        note = NOTE_OF[kind]
        self.find(note, in_check(note.severity), message, line, column)

    @property
    def is_captured(self) -> bool:
        """Whether runs are driven by changes in the tables that the query reads."""
        return self.kind == "merge" or (self.kind == "append" and self.cursor is None)

    @property
    def options(self) -> dict[str, Any]:
        """The options of the kind, except sink, checks and columns."""
        options: dict[str, Any] = {}
        if self.kind == "table":
            options["skip_unchanged"] = True
        if self.kind in ("merge", "scd2"):
            options["unique_key"] = self.key
        if self.kind == "tracked":
            options["group_key"] = self.key
        if self.is_captured:
            options["capture"] = "snapshot"
        if self.cursor is not None:
            options |= {"capture": "cursor"} if self.kind == "append" else {}
            options["cursor"] = self.cursor
            options |= {"cursor_initial": self.cursor_initial} if self.cursor_initial is not None else {}
        if self.kind == "merge":
            options["update_only_changed"] = True
        if self.kind == "scd2":
            options |= {
                "columns": "*",
                "validity": "run_sequence",
                "invalidate_hard_deletes": True,
                "valid_from_name": "valid_from_snapshot",
                "valid_to_name": "valid_to_snapshot",
            }
        if self.kind not in ("scd2", "events"):
            options["on_query_change"] = "rebuild"
        return options


def read_directives(text: ModelText, path: str, name: str) -> Declared:
    """Parses a header. All problems are collected in `findings`."""
    declared = Declared(path, name)
    single = _sorted_out(text, declared)
    _read_kind(single.get("kind"), declared)
    for directive in text.directives:
        if not directive.is_known or (directive.name not in REPEATABLE and single.get(directive.name) is not directive):
            continue
        if not declared.is_kind_known and directive.name in _OF_KINDS:
            continue
        read = _READERS.get(directive.name)
        if declared.kind == "events" and directive.name not in ("kind", "description", "sink", "group_key"):
            message = f"@{directive.name} has no meaning for events, which have columns and no query; remove it"
            declared.find(OndatraCode.DirectiveNotAllowed, "error", message, directive.line, directive.column)
        elif read is not None:
            read(directive, declared)
        elif directive.name in REPEATABLE:
            declared.written.setdefault(directive.name, []).append(directive)
    if declared.cursor_initial is not None and "incremental" not in single:
        line = single["incremental_initial"].line
        message = (
            f"@incremental_initial of {name} without @incremental; name the cursor's column, @incremental: <column>"
        )
        declared.find(OndatraCode.CursorMissing, "error", message, line)
    for kinds, directive_name in ((("merge", "scd2"), "unique_key"), (("tracked",), "group_key")):
        if declared.kind in kinds and directive_name not in single:
            message = f"{declared.kind} of {name} needs @{directive_name}; add -- @{directive_name}: <column>"
            declared.find(OndatraCode.MissingDirective, "error", message, 1)
    return declared


def _sorted_out(text: ModelText, declared: Declared) -> dict[str, Directive]:
    """The effective directive for each name: the last one."""
    single: dict[str, Directive] = {}
    for directive in text.directives:
        if not directive.is_known:
            _unknown(directive, declared)
        elif directive.name not in REPEATABLE:
            earlier = single.get(directive.name)
            if earlier is not None:
                message = f"@{directive.name} stands in line {earlier.line}, too; the last one holds, remove the other"
                declared.find(OndatraCode.DirectiveRepeated, "warning", message, directive.line, directive.column)
            single[directive.name] = directive
    for directive in text.behind:
        message = f"@{directive.name} stands behind the first line of SQL; move it above"
        declared.find(OndatraCode.DirectiveAfterSql, "error", message, directive.line, directive.column)
    return single


def _unknown(directive: Directive, declared: Declared) -> None:
    if directive.name in DIRECTIVES:
        message = f"@{directive.name} has no colon and is a comment; write @{directive.name}: {directive.value or '…'}"
    else:
        message = f"@{directive.name} is no directive{nearest(directive.name, DIRECTIVES)}; it was taken for a comment"
    declared.find(OndatraCode.UnknownDirective, "warning", message, directive.line, directive.column)


def _read_kind(directive: Directive | None, declared: Declared) -> None:
    if directive is None:
        return
    kind = directive.value.lower()
    declared.is_kind_known = kind in KINDS
    if kind in KINDS:
        declared.kind = kind
        return
    reason = _GONE.get(kind, f"write one of {', '.join(KINDS)}{nearest(kind, KINDS)}")
    message = f"'{directive.value}' is no kind of a model; {reason}"
    declared.find(OndatraCode.InvalidKind, "error", message, directive.line, directive.column)


def _unique_key(directive: Directive, declared: Declared) -> None:
    value = directive.value
    if declared.kind == "tracked":
        message = (
            f"{declared.name} is tracked, whose rows are grouped: write @group_key: {value} instead of @unique_key"
        )
        declared.find(OndatraCode.InvalidUniqueKey, "error", message, directive.line, directive.column)
        return
    reason = None
    if "," in value:
        reason = "is more than one column; make one of them in the query, such as concat_ws('|', a, b)"
    elif not _NAME.fullmatch(value):
        reason = "is no plain name of a column; write one of the query's output, without its table"
    elif value.lower() in _RESERVED:
        reason = "is a name that the run gives to a column of its own; rename the column in the query"
    if reason is not None:
        declared.find(
            OndatraCode.InvalidUniqueKey, "error", f"@unique_key '{value}' {reason}", directive.line, directive.column
        )
    elif declared.kind in ("merge", "scd2"):
        declared.key, declared.key_line = [value], directive.line
    else:
        message = f"@unique_key dropped: {declared.kind} compares no keys"
        declared.find(CompileCode.PropertyDropped, "info", message, directive.line, directive.column)


def _group_key(directive: Directive, declared: Declared) -> None:
    if declared.kind != "tracked":
        message = (
            f"@group_key is for tracked, and {declared.name} is {declared.kind}; write @kind: tracked, or remove it"
        )
        declared.find(OndatraCode.GroupKeyNotAllowed, "error", message, directive.line, directive.column)
        return
    columns = split_arguments(directive.value)
    wrong = [name for name in columns or [""] if not _NAME.fullmatch(name) or name.lower() in _RESERVED]
    if wrong:
        message = f"@group_key '{directive.value}' is no list of plain names; write columns of the query's output"
        declared.find(OndatraCode.InvalidGroupKey, "error", message, directive.line, directive.column)
        return
    declared.key, declared.key_line = columns, directive.line


def _incremental(directive: Directive, declared: Declared) -> None:
    if declared.kind == "scd2":
        message = "@incremental hides rows from scd2, which would take them for deleted; remove it"
        declared.find(OndatraCode.DirectiveNotAllowed, "error", message, directive.line, directive.column)
    elif not _NAME.fullmatch(directive.value):
        message = f"@incremental '{directive.value}' is no plain name; write one column of the query's output"
        declared.find(OndatraCode.InvalidCursor, "error", message, directive.line, directive.column)
    else:
        declared.cursor, declared.cursor_line = directive.value, directive.line


def _incremental_initial(directive: Directive, declared: Declared) -> None:
    declared.cursor_initial = unquoted(directive.value)


def _partitioned_by(directive: Directive, declared: Declared) -> None:
    for item in split_arguments(directive.value) or [""]:
        transform = _transform(item)
        if transform is None:
            message = (
                f"'{item}' of @partitioned_by is neither a column nor one of year(c), month(c), day(c), hour(c), "
                "bucket(n, c)"
            )
            declared.find(OndatraCode.InvalidPartitionedBy, "error", message, directive.line, directive.column)
        else:
            declared.partition_by.append(transform)


def _transform(item: str) -> str | None:
    if _NAME.fullmatch(item):
        return item
    call = read_call(item)
    if call is None:
        return None
    name, arguments = call.name.lower(), call.arguments
    if name in _TRANSFORMS and len(arguments) == 1 and _NAME.fullmatch(arguments[0]):
        return f"{_TRANSFORMS[name]}({arguments[0]})"
    if name == "bucket" and len(arguments) == 2 and _NAME.fullmatch(arguments[1]):
        return f"bucket({arguments[0]}, {arguments[1]})" if re.fullmatch(r"[1-9]\d*", arguments[0]) else None
    return None


def _sorted_by(directive: Directive, declared: Declared) -> None:
    columns = split_arguments(directive.value)
    if not columns or not all(_NAME.fullmatch(name) for name in columns):
        message = f"@sorted_by '{directive.value}' is no list of plain columns; write their names"
        declared.find(OndatraCode.InvalidSortedBy, "error", message, directive.line, directive.column)
        return
    message = (
        f"@sorted_by is not carried over; once the table is there, run alter table {declared.name} write ordered by "
        f"{', '.join(columns)} where Iceberg's SQL extensions are installed"
    )
    declared.find(OndatraCode.NotCarried, "warning", message, directive.line, directive.column)


def _description(directive: Directive, declared: Declared) -> None:
    declared.description = directive.value or None


def _sink(directive: Directive, declared: Declared) -> None:
    found = read_call(directive.value)
    reason = None
    if declared.kind in ("scd2", "events"):
        remedy = "build a table with where is_current = true and send that" if declared.kind == "scd2" else "remove it"
        reason = f"{declared.kind} sends nothing; {remedy}"
    elif not directive.value:
        reason = "it names no function; write @sink: <function>"
    elif found is None:
        reason = f"'{directive.value}' is no call of a function; write f, or f('a', …)"
    if reason is not None or found is None:
        declared.find(OndatraCode.SinkNotAllowed, "error", f"@sink: {reason}", directive.line, directive.column)
        return
    declared.sink, declared.sink_line = {"function": found.name}, directive.line
    if found.arguments:
        declared.sink["args"] = [value_of(argument) for argument in found.arguments]


def _expose(directive: Directive, declared: Declared) -> None:
    if not directive.value:
        message = "@expose names no column; write @expose <column>, or remove it"
        declared.find(OndatraCode.InvalidExpose, "error", message, directive.line, directive.column)
        return
    message = "@expose is not carried over: serve the table by what reads the warehouse"
    declared.find(OndatraCode.NotCarried, "warning", message, directive.line, directive.column)


def _fetch(directive: Directive, declared: Declared) -> None:
    message = "@fetch is not carried over: fetch by a Python model or a loader, and read its table as a source"
    declared.find(OndatraCode.NotCarried, "warning", message, directive.line, directive.column)


def _extension(directive: Directive, declared: Declared) -> None:
    message = f"@extension dropped: Spark loads no extension of DuckDB ({directive.value})"
    declared.find(CompileCode.PropertyDropped, "info", message, directive.line, directive.column)


_READERS: dict[str, Callable[[Directive, Declared], None]] = {
    "unique_key": _unique_key,
    "group_key": _group_key,
    "incremental": _incremental,
    "incremental_initial": _incremental_initial,
    "partitioned_by": _partitioned_by,
    "sorted_by": _sorted_by,
    "description": _description,
    "sink": _sink,
    "expose": _expose,
    "fetch": _fetch,
    "extension": _extension,
}


def errors(findings: Iterable[Diagnostic]) -> list[Diagnostic]:
    """The findings that rule out a model."""
    return [finding for finding in findings if finding.severity == "error"]

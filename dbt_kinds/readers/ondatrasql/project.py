"""An OndatraSQL project as models of kinds, with its findings."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sqlglot import exp
from sqlglot.errors import SqlglotError

from dbt_kinds.analysis.capture import LIFTED, NOT_LIFTED
from dbt_kinds.codes import CompileCode, OndatraCode
from dbt_kinds.diagnostics import Diagnostic, Place, Severity
from dbt_kinds.errors import UnknownOverrideError
from dbt_kinds.kinds import (
    Captured,
    DataTest,
    Jinja,
    Kind,
    Model,
    ModelReference,
    Placeholder,
    Project,
    ProjectFile,
    SkippedModel,
    SourceReference,
    SqlText,
)
from dbt_kinds.placeholders import Placeholders
from dbt_kinds.readers.circles import way_back
from dbt_kinds.readers.names import dbt_name, node_names, project_name
from dbt_kinds.readers.ondatrasql.arguments import read_call
from dbt_kinds.readers.ondatrasql.check_expressions import CheckProblem
from dbt_kinds.readers.ondatrasql.checks import Check, Checks, names_of
from dbt_kinds.readers.ondatrasql.columns import described, masked, read_columns, read_event_columns
from dbt_kinds.readers.ondatrasql.directives import KINDS, Declared, errors, read_directives
from dbt_kinds.readers.ondatrasql.files import ModelFile, read_files
from dbt_kinds.readers.ondatrasql.findings import in_order, in_report
from dbt_kinds.readers.ondatrasql.header import Directive
from dbt_kinds.readers.ondatrasql.queries import Query, capture, columns_of, read_query, to_spark
from dbt_kinds.readers.ondatrasql.settings import read_settings
from dbt_kinds.readers.ondatrasql.sinks import sink_files
from dbt_kinds.readers.ondatrasql.tables import Tables, key_of, table_key
from dbt_kinds.translation.star_expansion import Columns

CONFIG_FILE = "models"
_OF_HISTORY = ("valid_from_snapshot", "valid_to_snapshot", "is_current")


@dataclass
class _Reading:
    """A model while it is being read."""

    file: ModelFile
    declared: Declared
    query: Query | None = None
    event_columns: list[dict[str, object]] = field(default_factory=list)
    model: Model | None = None
    checks: list[tuple[Directive, Check]] = field(default_factory=list)

    @property
    def key(self) -> str:
        return self.file.target.key

    @property
    def is_refused(self) -> bool:
        return bool(errors(self.declared.findings))


def read_kinds_project(
    root: Path,
    name: str | None = None,
    *,
    allow_delta: Mapping[str, frozenset[str]] | None = None,
    allow_downgrade: bool = False,
    audits_as_tests: bool = False,
) -> tuple[Project, list[Diagnostic]]:
    """Reads a whole project.

    Args:
        allow_delta: by model, accepted codes of queries over change sets.
        allow_downgrade: whether an `append` whose query allows no change set is rebuilt by every run.
        audits_as_tests: whether constraints and audits are dbt tests, which check the whole table after a run.

    Returns:
        The project, and all findings in the order of their places.

    Raises:
        UnreadableProjectError: there is no project.
    """
    reader = _Reader(root, allow_delta or {}, allow_downgrade=allow_downgrade, audits_as_tests=audits_as_tests)
    project = Project(project_name(name or root.resolve().name), CONFIG_FILE)
    reader.read(project)
    findings = in_order({*reader.findings, *(found for one in reader.models for found in one.declared.findings)})
    return project, findings


def allowed_deltas(written: Iterable[str]) -> dict[str, frozenset[str]]:
    """`main.daily:aggregates` as codes by model.

    Raises:
        UnknownOverrideError: one does not name a code that can be accepted.
    """
    allowed: dict[str, frozenset[str]] = {}
    for text in written:
        name, _, codes = text.partition(":")
        found = frozenset(code.strip() for code in codes.split(","))
        known = sorted(code.name for code in LIFTED)
        if not name or not found <= set(known):
            raise UnknownOverrideError(
                f"'{text}' is no model with codes, as main.daily:aggregates; codes: {', '.join(known)}"
            )
        allowed[name.lower()] = allowed.get(name.lower(), frozenset()) | found
    return allowed


class _Reader:
    def __init__(
        self, root: Path, allow_delta: Mapping[str, frozenset[str]], *, allow_downgrade: bool, audits_as_tests: bool
    ) -> None:
        self.files = read_files(root)
        self.settings = read_settings(self.files.settings)
        self.checks = Checks(self.files.tests, self.settings, self.files.libraries)
        self.allow_delta = {name.lower(): codes for name, codes in allow_delta.items()}
        self.allow_downgrade, self.audits_as_tests = allow_downgrade, audits_as_tests
        self.findings: list[Diagnostic] = list(self.settings.findings)
        self.tables = Tables()
        self.models = [self._open(file) for file in self.files.models]
        self.by_key = {one.key: one for one in reversed(self.models)}
        self.known: dict[str, Columns | None] = {}
        # without refused models; what accepted audits read is added
        self.reads: dict[str, set[str]] = {}

    def _open(self, file: ModelFile) -> _Reading:
        declared = read_directives(file.text, file.path, str(file.target))
        declared.findings.extend(file.findings)
        one = _Reading(file, declared)
        if declared.kind == "events":
            one.event_columns = read_event_columns(file.text.sql, declared)
        else:
            one.query = read_query(file.text.sql, declared, self.settings, self.files.libraries)
        return one

    def read(self, project: Project) -> None:
        """Reads everything into the project."""
        for path in self.files.scripts:
            message = "a model that is no SQL is not carried over; write a Python model of dbt, or load its table"
            self.findings.append(Diagnostic(OndatraCode.NotCarried, "warning", Place(path, 1, 1), message))
        self._find_cycles()
        places = {(dbt_name(one.file.target.schema), dbt_name(one.file.target.table)): one for one in self.models}
        nodes = node_names(places)
        for (schema, table), node in nodes.items():
            self.tables.nodes[places[(schema, table)].key] = node
        for one in self.models:
            self._read_query(one)
        self._leave_refused_out()
        for one in self.models:
            if not one.is_refused:
                self.reads[one.key] = {key for key in self._read_models(one) if key in self.tables.nodes}
        for one in self.models:
            target = one.file.target
            node = nodes.get((dbt_name(target.schema), dbt_name(target.table)), "")
            self._finish(one, node)
            if one.is_refused or one.model is None:
                notes = [in_report(finding) for finding in in_order(one.declared.findings)]
                place = Place(one.file.path, 1)
                project.left_out.append(SkippedModel(str(target), one.declared.kind, place, "refused", notes))
            else:
                project.models.append(one.model)
        self._write_shared(project)

    def _write_shared(self, project: Project) -> None:
        project.models.sort(key=lambda model: (model.schema or "", model.node))
        project.sources = sorted(self.tables.sources.values(), key=lambda table: (table.source, table.name))
        project.variables = dict(self.settings.variables)
        # its tables have versions, which captures and skipped runs need
        project.defaults = {"file_format": "iceberg"}
        project.files = [
            ProjectFile(f"tests/generic/{path.removeprefix('tests/').removeprefix('generic/')}", text, Place(path, 1))
            for path, text in sorted(self.files.test_files.items())
        ]
        project.files += sink_files(
            (model.name, model.place, model.options["sink"]) for model in project.models if "sink" in model.options
        )
        project.notes = [in_report(finding) for finding in self.findings]

    def _find_cycles(self) -> None:
        """Every model in a cycle, with the other models of the cycle."""
        reads = {one.key: self._read_models(one) for one in self.models}
        for one in self.models:
            way = way_back(one.key, reads)
            if not way:
                continue
            names = [str(one.file.target), *(str(self.by_key[key].file.target) for key in way)]
            message = f"{one.file.target} reads itself: {' -> '.join(names)}; take one of these reads out"
            place = reads[one.key][way[0]]
            one.declared.find(OndatraCode.CycleDetected, "error", message, *place)

    def _read_models(self, one: _Reading) -> dict[str, tuple[int, int]]:
        """The other models that a model reads, with their positions."""
        found: dict[str, tuple[int, int]] = {}
        for parts, place in one.query.reads if one.query is not None else ():
            key = key_of(parts)
            if key in self.by_key and key != one.key:
                found.setdefault(key, place)
        return found

    def _lookup(self, table: exp.Table) -> Columns | None:
        return self._columns(table_key(table))

    def _columns(self, key: str) -> Columns | None:
        """The columns of a model's table, None if unknown."""
        if key in self.known:
            return self.known[key]
        one = self.by_key.get(key)
        self.known[key] = None
        if one is None:
            return None
        if one.event_columns:
            columns: Columns = [(str(c["name"]), _data_type(str(c["data_type"]))) for c in one.event_columns]
            self.known[key] = columns
        elif one.query is not None:
            names = columns_of(one.query, self._lookup)
            if names is not None:
                added = {"scd2": _OF_HISTORY, "tracked": ("_content_hash",)}.get(one.declared.kind, ())
                self.known[key] = [(name, None) for name in (*names, *added)]
        return self.known[key]

    def _output(self, one: _Reading) -> list[str] | None:
        return columns_of(one.query, self._lookup) if one.query is not None else None

    def _read_query(self, one: _Reading) -> None:
        """All checks that do not depend on which models are refused."""
        declared, query = one.declared, one.query
        # must be determined now: writing the query replaces the table names
        output = self._output(one)
        self._columns(one.key)
        self._read_checks(one)
        if query is None or errors(one.file.findings):
            return
        columns = read_columns(declared, output)
        self._check_columns(one, output)
        kind = KINDS[declared.kind]
        delta: frozenset[str] = frozenset()
        if declared.is_captured:
            delta = capture(query, self.allow_delta.get(str(one.file.target).lower(), frozenset()))
            if declared.kind == "append" and self.allow_downgrade:
                kind = self._downgraded(one)
        elif declared.cursor is not None and not query.reads_last_value:
            message = (
                f"the query of {declared.name} never asks for getvariable('incr_last_value'), so every run reads "
                f"everything; add where {declared.cursor} > getvariable('incr_last_value')"
            )
            declared.find(OndatraCode.cursor_unused, "warning", message, declared.cursor_line)
        written = to_spark(query, self.tables, self._lookup, one.key)
        if written is None:
            return
        model = self._model(one, kind)
        model.query = masked(written, columns, output, declared)
        model.columns = described(columns)
        if delta:
            model.options["delta_overrides"] = sorted(delta)
        one.model = model

    def _downgraded(self, one: _Reading) -> Kind:
        declared = one.declared
        unfit = [finding for finding in declared.findings if finding.code in LIFTED | NOT_LIFTED]
        if not unfit:
            return Kind.APPEND
        codes = ", ".join(sorted({finding.code.name for finding in unfit}))
        declared.findings = [finding for finding in declared.findings if finding not in unfit]
        message = f"{declared.name} cannot be appended to by what changed ({codes}) and is built anew by every run"
        declared.find(CompileCode.Downgraded, "warning", message, unfit[0].place.line, unfit[0].place.column)
        return Kind.FULL

    def _check_columns(self, one: _Reading, output: list[str] | None) -> None:
        """Checks that keys and cursor are in the output, and that no output column has a reserved name."""
        declared = one.declared
        if output is None:
            return
        has = {name.lower() for name in output}
        wanted = [(key, declared.key_line, "key") for key in declared.key]
        wanted += [(declared.cursor, declared.cursor_line, "cursor")] if declared.cursor is not None else []
        for name, line, what in wanted:
            if name.lower() not in has:
                message = (
                    f"the {what} {name} of {declared.name} is not among the columns of its query, which are "
                    f"{', '.join(output)}; select it, or name one of them"
                )
                declared.find(OndatraCode.ColumnNotInOutput, "error", message, line)

    def _model(self, one: _Reading, kind: Kind) -> Model:
        declared, target = one.declared, one.file.target
        model = Model(
            str(target),
            one.key,
            declared.kind,
            Place(one.file.path, 1),
            "",
            dbt_name(target.schema),
            dbt_name(target.table),
            description=declared.description,
            kind=kind,
            banner=[remark.rstrip() for remark in one.file.text.remarks],
        )
        model.options = declared.options
        if kind is Kind.FULL and declared.kind == "append":
            model.options = {"skip_unchanged": True, "on_query_change": "rebuild"}
        if declared.partition_by:
            model.settings["partition_by"] = declared.partition_by
        if declared.sink is not None:
            model.options["sink"] = declared.sink
            message = (
                f"sinks/{declared.sink['function']}.py is a frame: write there what lib/ did; dbt-kinds push calls it"
            )
            declared.find(OndatraCode.SinkNeedsPython, "warning", message, declared.sink_line)
        return model

    def _leave_refused_out(self) -> None:
        """Replaces reads of refused models by sources, which are their old tables."""
        for one in self.models:
            if one.is_refused:
                self.tables.nodes.pop(one.key, None)
        for one in self.models:
            if one.model is None or not isinstance(one.model.query, SqlText):
                continue
            query = one.model.query
            query.placeholders = {
                name: self._instead(placeholder, one) for name, placeholder in query.placeholders.items()
            }

    def _instead(self, placeholder: Placeholder, one: _Reading) -> Placeholder:
        if isinstance(placeholder, Captured):
            of = self._instead(placeholder.of, one)
            return Captured(of) if isinstance(of, ModelReference | SourceReference) else placeholder
        if not isinstance(placeholder, ModelReference) or placeholder.key in self.tables.nodes:
            return placeholder
        refused = self.by_key[placeholder.key].file
        found = self.tables.find([refused.target.schema, refused.target.table], Place(refused.path, 1))
        self.tables.sources[refused.target.key].origin["refused"] = True
        message = f"{refused.target} was refused; {one.file.target} reads the table of the old tool, as a source"
        if not one.is_refused:
            one.declared.find(CompileCode.ReadsRefused, "info", message, 1)
        return found

    def _finish(self, one: _Reading, node: str) -> None:
        """Everything that refers to other models or is only known at the end: checks."""
        declared = one.declared
        if declared.kind == "events" and not one.is_refused:
            one.model = self._events(one)
        self._find_sources(one)
        if one.model is not None:
            one.model.node = node
            self._add_checks(one, one.model)
            one.model.notes = [in_report(finding) for finding in in_order(declared.findings)]

    def _find_sources(self, one: _Reading) -> None:
        seen: set[str] = set()
        for parts, (line, column) in one.query.reads if one.query is not None else ():
            key = key_of(parts)
            if key not in self.by_key and key not in seen:
                seen.add(key)
                message = f"{'.'.join(parts)} is no model of the project and is read as a source"
                one.declared.find(OndatraCode.ExternalReference, "info", message, line, column)

    def _events(self, one: _Reading) -> Model:
        model = self._model(one, Kind.EVENTS)
        placeholders = Placeholders()
        landing = placeholders.name_of(Jinja("{{ var('kinds_landing') }}"))
        path = f"{landing}/{one.file.target.schema}/{one.file.target.table}"
        model.options |= {"columns": one.event_columns, "landing": {"path": SqlText(path, placeholders.by_name)}}
        items = [f"  cast(null as {column['data_type']}) as {column['name']}" for column in one.event_columns]
        model.query = SqlText("select\n" + ",\n".join(items) + "\nwhere false")
        return model

    def _read_checks(self, one: _Reading) -> None:
        for name in ("constraint", "audit", "warning"):
            for directive in one.declared.written.get(name, ()):
                check = self._check(directive, one.declared, self.known.get(one.key))
                if check is not None:
                    one.checks.append((directive, check))

    def _check(self, directive: Directive, declared: Declared, output: Columns | None) -> Check | None:
        call = read_call(directive.value)
        try:
            if call is None:
                text = f"'{directive.value}' is no call of a check; write name(arguments), as not_null(id)"
                raise CheckProblem(OndatraCode.UnknownCheck, text)
            check = self.checks.read(call)
            missing = [name for name in check.names if output and name.lower() not in {n.lower() for n, _ in output}]
            if missing:
                raise CheckProblem(OndatraCode.InvalidCheck, f"{call.text}: the query returns no column {missing[0]}")
            for remark in check.remarks:
                message = f"@{directive.name}: {remark.message}"
                declared.note(remark.kind, message, directive.line, directive.column)
            return check
        except CheckProblem as problem:
            severity: Severity = "warning" if problem.code is OndatraCode.NotCarried else "error"
            message = f"@{directive.name}: {problem.message}"
            declared.find(problem.code, severity, message, directive.line, directive.column)
            return None

    def _add_checks(self, one: _Reading, model: Model) -> None:
        before = [(directive, check) for directive, check in one.checks if directive.name != "warning"]
        after = [(directive, check) for directive, check in one.checks if directive.name == "warning"]
        model.tests = [self._test(check, directive, one, {"severity": "warn"}) for directive, check in after]
        if self.audits_as_tests:
            model.tests += [self._test(check, directive, one, {}) for directive, check in before]
            return
        names = names_of(directive.value for directive, _ in before)
        for name, (directive, check) in zip(names, before, strict=True):
            read = {key_of(text.split(".")) for text in check.tables.values()}
            if not self._can_audit(one, read):
                tables = ", ".join(check.tables.values())
                message = (
                    f"@{directive.name} {name} reads {tables}, which is built after {one.declared.name}: "
                    "it is a dbt test, which runs after the write"
                )
                one.declared.find(OndatraCode.NotCarried, "warning", message, directive.line, directive.column)
                model.tests.append(self._test(check, directive, one, {}))
                continue
            audit = self._test(check, directive, one, {"over": self._over(name, directive, one, read)})
            audit.label = name
            model.audits.append(audit)

    def _over(self, name: str, directive: Directive, one: _Reading, read: set[str]) -> str:
        """The rows that an audit sees, as its option `over`."""
        if one.declared.kind == "scd2":
            if directive.name == "audit":
                message = f"@audit {name} sees the rows of the query: what audits a history's versions is a dbt test"
                one.declared.find(OndatraCode.NotCarried, "warning", message, directive.line, directive.column)
            return "batch"
        if directive.name == "constraint" and one.key in read:
            message = f"@constraint {name} reads its own table, and sees it as it will be, not only the rows of the run"
            one.declared.find(CompileCode.ReadsItself, "info", message, directive.line, directive.column)
            return "table"
        return "table" if directive.name == "audit" else "batch"

    def _can_audit(self, one: _Reading, read: set[str]) -> bool:
        """Whether an audit may read these tables, which are then among what the model reads. Its own table is what is
        audited; dbt would find a cycle through any other that is built from it.
        """
        others = (read & self.reads.keys()) - {one.key}
        if way_back(one.key, {**self.reads, one.key: others}):
            return False
        self.reads.get(one.key, set()).update(others)
        return True

    def _test(self, check: Check, directive: Directive, one: _Reading, config: dict[str, Any]) -> DataTest:
        placeholders, place = check.placeholders, Place(one.file.path, directive.line)
        tables = {
            key: placeholders.name_of(self.tables.find(text.split("."), place)) for key, text in check.tables.items()
        }
        return DataTest(
            check.test, {**check.arguments, **tables}, check.column, config, placeholders=placeholders.by_name
        )


def _data_type(text: str) -> exp.DataType | None:
    try:
        return exp.DataType.build(text, dialect="spark")
    except SqlglotError:
        return None

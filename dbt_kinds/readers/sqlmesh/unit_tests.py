"""Converts unit tests to dbt's: the tables that a model reads, and the expected rows."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Mapping
from typing import Any

from sqlglot import exp

from dbt_kinds.codes import CompileCode
from dbt_kinds.diagnostics import Diagnostic
from dbt_kinds.errors import CompileError
from dbt_kinds.kinds import (
    Kind,
    Model,
    ModelReference,
    Placeholder,
    Project,
    SourceReference,
    SparkSql,
    SqlText,
    This,
    TimeVariable,
    UnitTest,
    UnitTestRows,
    Variable,
)
from dbt_kinds.placeholders import PLACEHOLDER_NAME, Placeholders, used_placeholders
from dbt_kinds.readers.sqlmesh.context import ProjectContext, lookup
from dbt_kinds.readers.sqlmesh.instants import MovingInstant, NoInstant, exclusive_end, instant
from dbt_kinds.readers.sqlmesh.queries import prepare, to_spark
from dbt_kinds.readers.sqlmesh.tables import name_of_text
from dbt_kinds.readers.yaml_nodes import YamlNode, read_yaml
from dbt_kinds.translation.data_types import declared_type
from dbt_kinds.translation.dialects import parse_type
from dbt_kinds.translation.not_in_spark import NotInSpark

_KNOWN = frozenset({"model", "description", "inputs", "outputs", "vars", "schema", "gateway", "name"})
_CSV_NAMES = {"sep": "delimiter", "delimiter": "delimiter", "quotechar": "quotechar", "escapechar": "escapechar"}
# SQLMesh's defaults for bounds that a test does not set
_FIRST_DAY = ("1970-01-01", "1970-01-02", "1970-01-01")
_TIMES = ("start", "end", "execution_time")
_BOUNDS = {"start": "start", "end": "end", "execution": "execution_time"}


def read_unit_tests(text: str, file: str, project: Project, context: ProjectContext) -> None:
    """Adds the tests of a file to their models, and remarks to models and project."""
    models = {model.key: model for model in project.models}
    try:
        for document in read_yaml(text, file):
            for name, body in document.pairs():
                try:
                    _read_test(name, body, models, project, context)
                except CompileError as error:
                    project.notes.append(error.diagnostic)
    except CompileError as error:
        project.notes.append(error.diagnostic)


def _read_test(
    name: str, body: YamlNode, models: Mapping[str, Model], project: Project, context: ProjectContext
) -> None:
    tested = body.get("model")
    if tested is None:
        raise body.error(CompileCode.BadPropertyValue, f"test {name} names no model; add 'model: <schema>.<table>'")
    key = _key(tested.text(), context)
    model = models.get(key)
    if model is None:
        code = CompileCode.ReadsRefused if key in context.tables.models else CompileCode.PropertyDropped
        message = f"test {name} was dropped: its model {tested.text()} is not in the dbt project"
        project.notes.append(Diagnostic.of(code, message, tested.file, tested.line))
        return
    try:
        test = _TestReader(name, body, model, models, context).read()
    except CompileError as error:
        if error.code.severity != "person":
            raise
        model.notes.append(error.diagnostic)
        return
    names = {other.name for other in model.unit_tests}
    if test.name in names:
        test.name = next(made for made in (f"{test.name}_{number}" for number in range(2, 1000)) if made not in names)
    model.unit_tests.append(test)


def _key(name: str, context: ProjectContext) -> str:
    return context.tables.key_of(name_of_text(name, context.config.dialect or ""))


class _TestReader:
    """Reads one test."""

    def __init__(
        self, name: str, body: YamlNode, model: Model, models: Mapping[str, Model], context: ProjectContext
    ) -> None:
        self.name = name
        self.body = body
        self.model = model
        self.models = models
        self.context = context
        self.query = model.query

    def read(self) -> UnitTest:
        """Reads the test; raises if it cannot be converted or needs review by a person."""
        if not isinstance(self.query, SqlText):
            raise self.body.error(
                CompileCode.CteTestDropped, f"test {self.name} was dropped: dbt tests no Python models"
            )
        unknown = [(key, value) for key, value in self.body.pairs() if key not in _KNOWN]
        if unknown:
            key, value = unknown[0]
            raise value.error(CompileCode.BadPropertyValue, f"test {self.name} has no property {key}; remove it")
        expect = self._expected()
        description = self.body.get("description")
        return UnitTest(
            name=re.sub(r"\W", "_", self.name),
            given=self._given(),
            expect=expect,
            description=description.text() if description is not None else None,
            variables=self._variables(),
        )

    def _expected(self) -> UnitTestRows:
        outputs = self.body.get("outputs")
        if outputs is None:
            raise self.body.error(
                CompileCode.BadPropertyValue, f"test {self.name} has no outputs; add 'outputs: query: …'"
            )
        query, ctes = outputs.get("query"), outputs.get("ctes")
        if query is None:
            query = next((value for name, value in outputs.pairs() if name == "query"), None)
        if ctes is not None:
            message = f"what test {self.name} expects of CTEs was dropped: dbt tests whole models; make the CTE one"
            dropped = ctes.error(CompileCode.CteTestDropped, message)
            if query is None:
                raise dropped
            self.model.notes.append(dropped.diagnostic)
        if query is None:
            raise outputs.error(
                CompileCode.BadPropertyValue, f"test {self.name} expects nothing; add rows below outputs: query:"
            )
        inner = query.get("partial") if query.is_mapping else None
        whole = outputs.get("partial")
        is_partial = any(node is not None and node.value() is True for node in (inner, whole))
        rows = self._rows(query, self.model.key)
        columns = [] if is_partial else [name for name, _ in self.context.columns_of(self.model.key) or []]
        return self._with_columns(rows, columns)

    def _with_columns(self, rows: UnitTestRows, columns: list[str]) -> UnitTestRows:
        """Adds missing columns to every expected row: dbt only compares the columns of the first one."""
        if rows.rows is not None:
            written = {name.lower(): name for row in rows.rows for name in row}
            every = [written.get(name.lower(), name) for name in columns]
            every += [name for name in written.values() if name not in every]
            by_column = [{name.lower(): value for name, value in row.items()} for row in rows.rows]
            rows.rows = [{name: row.get(name.lower()) for name in every} for row in by_column]
        elif rows.sql is not None and rows.sql.tree is not None and columns:
            selected = {name.lower() for name in getattr(rows.sql.tree, "named_selects", [])}
            missing = [name for name in columns if name.lower() not in selected]
            if missing and selected and "*" not in selected:
                nulls = ", ".join(f"null as {exp.to_identifier(name).sql('spark')}" for name in missing)
                text = f"select expected.*, {nulls}\nfrom (\n{rows.sql.text}\n) as expected"
                rows.sql = SqlText(text, rows.sql.placeholders)
        return rows

    def _given(self) -> list[tuple[Placeholder, UnitTestRows]]:
        inputs = self.body.get("inputs")
        stated: dict[str, YamlNode] = {}
        for name, rows in inputs.pairs() if inputs is not None else []:
            stated[_key(name, self.context)] = rows
        given: list[tuple[Placeholder, UnitTestRows]] = []
        used: set[str] = set()
        assert isinstance(self.query, SqlText)
        for placeholder in dict.fromkeys([*_tables_of(self.query), *self.model.depends_on]):
            key = self._key_of(placeholder)
            used.add(key)
            found = stated.get(key)
            made = self._rows(found, key) if found is not None else UnitTestRows(rows=[])
            read = self._ephemeral(placeholder)
            if read is not None and found is None:
                made = UnitTestRows(sql=self._inlined(read, stated, used, Placeholders(), ()))
            elif read is not None:
                made = self._as_sql(made, read.key, found)
            given.append((placeholder, made))
        for key, rows in stated.items():
            if key in used:
                continue
            message = f"test {self.name} states rows of {key}, which {self.model.name} does not read; they were dropped"
            self._note(CompileCode.PropertyDropped, message, rows)
        return given

    def _key_of(self, placeholder: Placeholder) -> str:
        if isinstance(placeholder, ModelReference):
            return placeholder.key
        if isinstance(placeholder, SourceReference):
            for key, table in self.context.tables.sources.items():
                if (table.source, table.name) == (placeholder.source, placeholder.table):
                    return key
        return self.model.key

    def _ephemeral(self, placeholder: Placeholder) -> Model | None:
        read = self.models.get(placeholder.key) if isinstance(placeholder, ModelReference) else None
        return read if read is not None and read.kind is Kind.EPHEMERAL else None

    def _as_sql(self, rows: UnitTestRows, key: str, stated: YamlNode | None) -> UnitTestRows:
        """Writes rows as SQL: dbt asks the table for its types, and an ephemeral model has none."""
        if rows.rows is None:
            return rows
        columns = list(dict.fromkeys(name for row in rows.rows for name in row))
        columns = columns or [name for name, _ in self.context.columns_of(key) or []]
        return UnitTestRows(sql=SqlText(_rows_as_sql(rows.rows, columns, self._types(stated))))

    def _inlined(
        self,
        read: Model,
        stated: Mapping[str, YamlNode],
        used: set[str],
        placeholders: Placeholders,
        way: tuple[str, ...],
    ) -> SqlText:
        """The query of an ephemeral model over the test's rows for its inputs, as SQLMesh runs it."""
        query = read.query
        if not isinstance(query, SqlText) or read.key in way:
            raise self._unstated(read.name)
        tables: dict[Placeholder, Placeholder] = {}
        for placeholder in _tables_of(query):
            key = read.key if isinstance(placeholder, This) else self._key_of(placeholder)
            inner, node = self._ephemeral(placeholder), stated.get(key)
            used.add(key)
            if node is not None:
                rows = self._as_sql(self._rows(node, key), key, node).sql
                assert rows is not None
                text = _moved(rows, placeholders, {})
            elif inner is not None:
                text = self._inlined(inner, stated, used, placeholders, (*way, read.key)).text
            else:
                columns = [column for column, _ in self.context.columns_of(key) or []]
                if not columns:
                    raise self._unstated(key)
                text = _rows_as_sql([], columns, {})
            tables[placeholder] = SparkSql(f"(\n{text}\n)")
        text = _moved(query, placeholders, tables)
        return SqlText(text, used_placeholders(text, placeholders.by_name), is_jinja=query.is_jinja)

    def _unstated(self, name: str) -> CompileError:
        message = (
            f"test {self.name} was dropped: {self.model.name} reads {name} by way of an ephemeral model, and dbt wants "
            f"its rows; state them below inputs: {name}:"
        )
        return self.body.error(CompileCode.CteTestDropped, message)

    def _types(self, stated: YamlNode | None) -> dict[str, str]:
        columns = stated.get("columns") if stated is not None and stated.is_mapping else None
        found: dict[str, str] = {}
        for name, kind in columns.pairs() if columns is not None else []:
            try:
                built = parse_type(kind.text(), self.context.config.dialect or "")
                found[name.lower()] = declared_type(built, self.context.config.dialect or "")
            except (ValueError, AttributeError, NotInSpark) as error:
                raise kind.error(CompileCode.BadPropertyValue, f"'{kind.text()}' is no type") from error
        return found

    def _rows(self, node: YamlNode, key: str) -> UnitTestRows:
        """Rows as a list, CSV, a file, or a query."""
        if not node.is_mapping:
            return self._listed(node, node)
        unknown = [name for name, _ in node.pairs() if name not in _ROW_KEYS]
        if unknown:
            raise node.error(CompileCode.BadPropertyValue, f"rows of {key} have no property {unknown[0]}; remove it")
        query, rows, path = node.get("query"), node.get("rows"), node.get("path")
        if query is not None:
            if rows is not None:
                raise node.error(CompileCode.BadPropertyValue, f"{key} has rows and a query; keep one of them")
            return UnitTestRows(sql=self._sql(query))
        form = node.get("format")
        is_csv = form is not None and form.text().lower() == "csv"
        if form is not None and form.text().lower() not in ("csv", "yaml", "dict"):
            raise form.error(CompileCode.BadPropertyValue, f"format {form.text()} is unknown; write yaml or csv")
        if path is not None:
            text = self._file(path)
            if is_csv:
                return UnitTestRows(rows=_csv_rows(text, node))
            documents = list(read_yaml(text, path.text()))
            if not documents:
                return UnitTestRows(rows=[])
            inner = documents[0].get("rows") if documents[0].is_mapping else documents[0]
            return self._listed(inner, node) if inner is not None else UnitTestRows(rows=[])
        if rows is None:
            if any(name == "rows" for name, _ in node.pairs()):
                return UnitTestRows(rows=[])
            raise node.error(CompileCode.BadPropertyValue, f"{key} has no rows; write 'rows: []' when it has none")
        if is_csv:
            return UnitTestRows(rows=_csv_rows(rows.text(), node))
        return self._listed(rows, node)

    def _listed(self, node: YamlNode, stated: YamlNode) -> UnitTestRows:
        rows: list[dict[str, Any]] = []
        for item in node.items():
            if not item.is_mapping:
                message = f"a row of test {self.name} is {item.shown}; write columns and values"
                raise item.error(CompileCode.BadPropertyValue, message)
            rows.append({name: value.value() for name, value in item.pairs()})
        if any(isinstance(value, list | dict) for row in rows for value in row.values()):
            columns = list(dict.fromkeys(name for row in rows for name in row))
            return UnitTestRows(sql=SqlText(_rows_as_sql(rows, columns, self._types(stated))))
        return UnitTestRows(rows=rows)

    def _file(self, path: YamlNode) -> str:
        root = self.context.root.resolve()
        file = (root / path.text()).resolve()
        if root not in file.parents or not file.is_file():
            raise path.error(
                CompileCode.BadPropertyValue, f"{path.text()} is no file of the project; paths begin at its root"
            )
        return file.read_bytes().decode("utf-8-sig", errors="replace")

    def _sql(self, node: YamlNode) -> SqlText:
        scope = self.context.scope(node.file, self.context.config.dialect or "")
        scope.model_name = f"test {self.name}"
        prepared = prepare(node.text(), scope, node.text_line)
        if not isinstance(prepared.tree, exp.Query):
            raise node.error(CompileCode.SqlParseError, "is no query")
        sql = to_spark(prepared, self.context.tables, None, lookup(self.context, scope))
        if any(isinstance(placeholder, ModelReference | SourceReference) for placeholder in sql.placeholders.values()):
            message = f"test {self.name} was dropped: its query reads tables, which dbt's fixtures cannot; write rows"
            raise node.error(CompileCode.CteTestDropped, message)
        return sql

    def _variables(self) -> dict[str, Any]:
        stated = self.body.get("vars")
        found: dict[str, Any] = {}
        assert isinstance(self.query, SqlText)
        used = {
            placeholder.name.lower()
            for placeholder in self.query.placeholders.values()
            if isinstance(placeholder, Variable)
        }
        for name, node in stated.pairs() if stated is not None else []:
            if name in _TIMES:
                found[f"kinds_{name}"] = _time(name, node)
                continue
            found[name.lower()] = node.value()
            if name.lower() not in used:
                message = f"test {self.name} sets {name}, which dbt does not fill in: the query has its value of today"
                self._note(CompileCode.VariableFrozen, message, node)
        bounds = {
            placeholder.name.split("_")[0]
            for placeholder in self.query.placeholders.values()
            if isinstance(placeholder, TimeVariable)
        }
        for bound in sorted(bounds):
            name = _BOUNDS[bound]
            found.setdefault(f"kinds_{name}", _FIRST_DAY[_TIMES.index(name)])
        if ("kinds_start" in found) != ("kinds_end" in found):
            for name in ("start", "end"):
                found.setdefault(f"kinds_{name}", _FIRST_DAY[_TIMES.index(name)])
        order = [f"kinds_{name}" for name in _TIMES]
        return {name: found[name] for name in [*order, *sorted(found.keys() - set(order))] if name in found}

    def _note(self, code: CompileCode, message: str, node: YamlNode) -> None:
        self.model.notes.append(node.error(code, message).diagnostic)


def _moved(sql: SqlText, placeholders: Placeholders, instead: Mapping[Placeholder, Placeholder]) -> str:
    """SQL with placeholders of another text renamed where the same name has a different meaning."""

    def put(found: re.Match[str]) -> str:
        placeholder = sql.placeholders.get(found[0])
        if placeholder is None:
            return found[0]
        if isinstance(placeholder, SparkSql):
            placeholder = SparkSql(PLACEHOLDER_NAME.sub(put, placeholder.text))
        return placeholders.name_of(instead.get(placeholder, placeholder))

    return PLACEHOLDER_NAME.sub(put, sql.text)


def _tables_of(query: SqlText) -> list[Placeholder]:
    return [
        placeholder
        for placeholder in query.placeholders.values()
        if isinstance(placeholder, ModelReference | SourceReference | This)
    ]


_ROW_KEYS = frozenset({"rows", "query", "path", "format", "columns", "csv_settings", "partial"})


def _time(name: str, node: YamlNode) -> str:
    try:
        return (exclusive_end if name == "end" else instant)(node.text())
    except (MovingInstant, NoInstant) as problem:
        message = f"{name} is {node.shown}; write a date such as 2024-01-01, or a date and time"
        raise node.error(CompileCode.BadPropertyValue, message) from problem


def _csv_rows(text: str, node: YamlNode) -> list[dict[str, Any]]:
    settings: dict[str, str] = {}
    stated = node.get("csv_settings")
    for name, value in stated.pairs() if stated is not None else []:
        if name not in _CSV_NAMES or len(value.text()) != 1:
            known = ", ".join(_CSV_NAMES)
            message = f"csv_settings {name} is not read in tests; write one letter for {known}"
            raise value.error(CompileCode.BadPropertyValue, message)
        settings[_CSV_NAMES[name]] = value.text()
    try:
        reader = csv.reader(io.StringIO(text.strip("\n")), strict=False, **settings)  # type: ignore[arg-type]
        lines = [line for line in reader if line]
    except (csv.Error, ValueError, TypeError) as error:
        raise node.error(CompileCode.AuditArgument, f"is no CSV: {error}") from error
    if not lines:
        return []
    header, *rows = lines
    filled = [[*row, *[""] * (len(header) - len(row))] for row in rows]
    return [{name: value or None for name, value in zip(header, row, strict=False)} for row in filled]


def _rows_as_sql(rows: list[dict[str, Any]], columns: list[str], types: Mapping[str, str]) -> str:
    """Rows as SELECTs, for values that dbt's own rows cannot express."""
    selects = [_row_as_sql(row, columns, types) for row in rows]
    if selects:
        return "\nunion all\n".join(selects)
    return _row_as_sql({}, columns or ["nothing"], types) + " limit 0"


def _row_as_sql(row: Mapping[str, Any], columns: list[str], types: Mapping[str, str]) -> str:
    items = []
    for name in columns:
        value = exp.convert(row.get(name)).sql(dialect="spark") if row.get(name) is not None else "null"
        kind = types.get(name.lower())
        identifier = exp.to_identifier(name).sql(dialect="spark")
        items.append(f"cast({value} as {kind}) as {identifier}" if kind else f"{value} as {identifier}")
    return f"select {', '.join(items)}"

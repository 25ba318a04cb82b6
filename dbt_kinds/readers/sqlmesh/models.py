"""Reads a model or seed: properties, kind, query, hooks, tests."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from dbt_kinds.codes import CompileCode
from dbt_kinds.errors import CompileError
from dbt_kinds.kinds import Column, Kind, Model, ModelReference, Seed, SourceReference, SqlText, TimeVariable
from dbt_kinds.readers.names import slug
from dbt_kinds.readers.sqlmesh.audits import tests_of_calls
from dbt_kinds.readers.sqlmesh.block import Call, Value, read_call
from dbt_kinds.readers.sqlmesh.context import ModelSource, ProjectContext, lookup
from dbt_kinds.readers.sqlmesh.external import audit_text, text_value
from dbt_kinds.readers.sqlmesh.hooks import read_hook
from dbt_kinds.readers.sqlmesh.jinja import jinja_text
from dbt_kinds.readers.sqlmesh.jinja_rendering import needs_rendering, rendered_query
from dbt_kinds.readers.sqlmesh.model_hooks import read_hooks
from dbt_kinds.readers.sqlmesh.model_kinds import ModelKind, read_kind
from dbt_kinds.readers.sqlmesh.properties import read_properties_of
from dbt_kinds.readers.sqlmesh.python_models.sources import PythonModelSource
from dbt_kinds.readers.sqlmesh.queries import Prepared, columns_returned, prepare, projection_comments, to_spark
from dbt_kinds.readers.sqlmesh.query_statement import is_definition, query_statement
from dbt_kinds.readers.sqlmesh.seeds import read_seed
from dbt_kinds.readers.sqlmesh.statements import Statement, banner
from dbt_kinds.readers.sqlmesh.tables import column_list, name_of_text
from dbt_kinds.translation.star_expansion import Columns
from dbt_kinds.translation.value_types import output_types


class ModelReader:
    """Reads one model: first its columns, which others may need, then everything."""

    def __init__(self, source: ModelSource, node: str, schema: str | None, alias: str, context: ProjectContext) -> None:
        """`node`, `schema` and `alias` are the model's names in dbt."""
        self.source = source
        self.context = context
        self.scope = source.scope
        self.scope.columns_of = self._columns_by_text
        self.naming = (node, schema, alias)
        self.key = context.tables.key_of(source.name)
        self._prepared: Prepared | None = None
        self._kind: ModelKind | None = None
        self._model: Model | Seed | None = None
        self._is_preparing = False

    def kind(self) -> ModelKind:
        """The model's kind: its own, the project's default, or a view."""
        if self._kind is None:
            value = self.source.block.properties.get("kind") or self._default_kind()
            config = self.context.config
            self._kind = read_kind(
                value, self.scope, self.context.options.adapter, config.time_column_format, config.defaults
            )
            self.scope.kind_name = self._kind.name
            self.scope.allows_window = self._kind.kind not in (Kind.VIEW, Kind.FULL, Kind.MATERIALIZED_VIEW)
        return self._kind

    def _default_kind(self) -> Value:
        default = self.context.config.defaults.get("kind") or "VIEW"
        text = str(default)
        if isinstance(default, dict):
            inner = ", ".join(f"{key} {_block_text(value)}" for key, value in default.items() if key != "name")
            text = f"{default.get('name', 'VIEW')} ({inner})" if inner else str(default.get("name", "VIEW"))
        return text_value("kind", text, self.source.file, self.source.block.place.line, self.source.dialect)

    def node(self) -> Model | Seed:
        """The model with its properties and columns, without its query."""
        if self._model is None:
            source = self.source
            name, schema, alias = self.naming
            kind = self.kind()
            common: dict[str, Any] = {
                "name": source.name.text,
                "key": self.key,
                "kind_name": kind.name,
                "place": source.block.place,
                "node": name,
                "schema": schema,
                "alias": alias,
                "description": source.description,
            }
            model = Model(**common, kind=kind.kind or Kind.VIEW)
            model.options.update(kind.options)
            model.banner = banner(source.head, None if "description" in source.block.properties else source.description)
            read_properties_of(model, source.block, self.scope, self._defaults(), self.context.options.adapter)
            self._inherit(model)
            if ".".join(part for part in (schema, alias) if part) != source.name.text.lower():
                model.origin["name"] = source.name.text
            self._partition_by_time(model)
            if kind.kind is None:
                seed = Seed(**common)
                for attribute in ("settings", "options", "origin", "description", "columns"):
                    setattr(seed, attribute, getattr(model, attribute))
                assert kind.path is not None
                read_seed(seed, kind.path, kind.csv_settings, self.context.root)
                self._model = seed
            else:
                self._check(model, kind)
                self._model = model
        return self._model

    def _defaults(self) -> dict[str, Any]:
        defaults = dict(self.context.config.defaults)
        defaults.setdefault("file_format", defaults.get("table_format") or defaults.get("storage_format"))
        return defaults

    def _inherit(self, model: Model) -> None:
        """Removes properties that repeat a default, and merges others with the project's, which dbt would replace."""
        defaults = self.context.config.defaults
        own = model.settings.get("tblproperties")
        if own is not None:
            inherited = dict(defaults.get("physical_properties") or {})
            merged = {**inherited, **own}
            model.settings["tblproperties"] = {key: value for key, value in merged.items() if value is not None}
        for key in ("cron", "cron_tz", "interval_unit", "allow_partials", "start"):
            if key in defaults and model.options.get(key) == defaults[key]:
                del model.options[key]
        owner = defaults.get("owner")
        if owner and "group" not in model.settings:
            model.settings["group"] = slug(str(owner))
            model.origin.setdefault("owner", str(owner))

    def _partition_by_time(self, model: Model) -> None:
        """Puts the time column before other partitions, as SQLMesh does, unless the model says otherwise."""
        written = model.options.get("time_column")
        partitions = model.settings.get("partition_by")
        if written is None or not partitions or model.options.get("partition_by_time_column") is False:
            return
        column = written["column"] if isinstance(written, dict) else written
        if not any(re.search(rf"\b{re.escape(column)}\b", part, re.IGNORECASE) for part in partitions):
            model.settings["partition_by"] = [column, *partitions]

    def _check(self, model: Model, kind: ModelKind) -> None:
        block = self.source.block
        needs_partitions = kind.name == "INCREMENTAL_BY_PARTITION" or kind.insert_overwrite
        if needs_partitions and "partition_by" not in model.settings:
            message = f"{model.name} replaces partitions and has none; add partitioned_by (<column>)"
            raise CompileError(CompileCode.BadPropertyValue, message, model.place.file, model.place.line)
        if model.kind == Kind.EPHEMERAL:
            for key in ("partitioned_by", "audits", "assertions"):
                if key in block.properties:
                    message = f"an EMBEDDED model has no table, so {key} has no meaning; remove it"
                    raise block.properties[key].error(CompileCode.BadPropertyValue, message)

    def columns(self) -> Columns | None:
        """The columns of the model's table, None if unknown."""
        if self._is_preparing:
            return None
        node = self.node()
        if isinstance(node, Seed):
            types = {column.name.lower(): column for column in node.columns}
            return column_list([types.get(name.lower(), Column(name)) for name in node.header])
        declared = [column for column in node.columns if column.data_type]
        if declared:
            return column_list(declared)
        find_columns = lookup(self.context, self.scope)
        names = columns_returned(self.prepared(), find_columns) if self._is_sql() else None
        if names is None:
            return None
        columns = list(zip(names, output_types(self.prepared().tree, names, find_columns), strict=True))
        kind = self.kind()
        if kind.name.startswith("SCD_TYPE_2"):
            validity = [kind.options.get(f"{name}_name", name) for name in ("valid_from", "valid_to")]
            columns += [(name, None) for name in validity if name.lower() not in {known.lower() for known in names}]
        return columns

    def _is_sql(self) -> bool:
        return not self._is_python() and not self._keeps_jinja()

    def _keeps_jinja(self) -> bool:
        """Whether the query is Jinja that dbt can render as it is, because its SQL is Spark's own."""
        statement = self._query_statement()
        return statement.kind == "jinja_query" and not needs_rendering(statement.text, self.scope)

    def _is_python(self) -> bool:
        return isinstance(self.source, PythonModelSource) and self.source.make_body is not None

    def _columns_by_text(self, text: str) -> Columns | None:
        name = name_of_text(text, self.source.dialect)
        return self.context.columns_of(self.context.tables.key_of(name))

    def _query_statement(self) -> Statement:
        return query_statement(self.source)

    def prepared(self) -> Prepared:
        """The query with its macros expanded; statements before it may define some of them."""
        if self._prepared is None:
            self._is_preparing = True
            try:
                self.kind()
                query = self._query_statement()
                for statement in self.source.statements:
                    if statement is query:
                        break
                    if statement.kind == "sql" and not statement.is_virtual and is_definition(statement):
                        read_hook(statement, self.scope, self.context.tables, self.key)
                if query.kind == "jinja_query":
                    text = rendered_query(query, self.scope)
                    self._prepared = prepare(text, self.scope, query.line, is_rendered=True)
                else:
                    self._prepared = prepare(query.text, self.scope, query.first_line)
            finally:
                self._is_preparing = False
        return self._prepared

    def read(self) -> Model | Seed:
        """Reads the whole model.

        Raises:
            CompileError: it cannot be converted.
        """
        node = self.node()
        if isinstance(node, Model):
            query = None if self._is_python() else self._query_statement()
            if isinstance(self.source, PythonModelSource) and self.source.make_body is not None:
                node.kind, node.query = Kind.PYTHON_TABLE, self.source.make_body()
            else:
                self._read_query(node)
            read_hooks(node, self.source, query, self.context.tables, self.scope, self.key)
            self._read_dependencies(node)
        self._read_tests(node)
        node.notes = [*node.notes, *self.scope.notes]
        return node

    def _read_query(self, model: Model) -> None:
        statement = self._query_statement()
        tables, kind = self.context.tables, self.kind()
        find_columns = lookup(self.context, self.scope)
        if self._keeps_jinja():
            self._definitions_before(statement)
            query = jinja_text(statement, self.scope, tables, self.key)
        else:
            prepared = self.prepared()
            if kind.name == "INCREMENTAL_BY_TIME_RANGE":
                self._check_time_column(model, columns_returned(prepared, find_columns))
            self._describe_columns(model, projection_comments(prepared.tree))
            casts = {column.name: column.data_type for column in model.columns if column.data_type}
            query = to_spark(prepared, tables, self.key, find_columns, casts)
        model.query = query
        if kind.name == "INCREMENTAL_BY_TIME_RANGE" and not _reads_window(query):
            message = (
                f"the query of {model.name} uses no time variable, so every batch reads everything; add a "
                "filter such as BETWEEN @start_ds AND @end_ds"
            )
            self.scope.note(CompileCode.NoTimeFilter, message, statement.line)

    def _definitions_before(self, query: Statement) -> None:
        for statement in self.source.statements[: self.source.statements.index(query)]:
            if statement.kind == "sql" and is_definition(statement):
                read_hook(statement, self.scope, self.context.tables, self.key)

    def _check_time_column(self, model: Model, names: list[str] | None) -> None:
        written = model.options["time_column"]
        column = written["column"] if isinstance(written, dict) else written
        if names is not None and column.lower() not in [name.lower() for name in names]:
            message = (
                f"time_column {column} of {model.name} is not among the columns of its query, which are "
                f"{', '.join(names)}; name one of them, or select it"
            )
            raise CompileError(CompileCode.TimeColumnMissing, message, model.place.file, model.place.line)

    def _describe_columns(self, model: Model, comments: dict[str, str]) -> None:
        known = {column.name.lower(): column for column in model.columns}
        for name, comment in comments.items():
            column = known.get(name.lower())
            if column is None:
                model.columns.append(Column(name, None, comment))
            elif column.description is None:
                column.description = comment

    def _read_dependencies(self, model: Model) -> None:
        value = self.source.block.properties.get("depends_on")
        for item in value.as_list() if value is not None else []:
            name = name_of_text(item.text, self.source.dialect)
            if self.context.tables.key_of(name) == self.key:
                self.scope.note(
                    CompileCode.ReadsItself, f"{model.name} depends on itself, which dbt knows", item.place.line
                )
                continue
            found = self.context.tables.find(name)
            if found is None and name.schema is not None:
                self.context.tables.add_source(name, item.place, is_declared=False)
                found = self.context.tables.find(name)
            if found is not None and found not in model.depends_on:
                model.depends_on.append(found)
        if value is not None and isinstance(self.source, PythonModelSource) and isinstance(model.query, SqlText):
            read = {
                placeholder
                for placeholder in model.query.placeholders.values()
                if isinstance(placeholder, ModelReference | SourceReference)
            }
            if not all(placeholder in model.depends_on for placeholder in read):
                message = f"depends_on of {model.name} does not name all that its query reads; dbt goes by the query"
                self.scope.note(CompileCode.PropertyDropped, message, value.place.line)

    def _read_tests(self, node: Model | Seed) -> None:
        block = self.source.block
        value = block.properties.get("audits") or block.properties.get("assertions")
        calls: list[Call] = []
        if not (isinstance(node, Model) and node.kind == Kind.EPHEMERAL):
            for audit in self.context.config.defaults.get("audits") or []:
                text = audit_text(audit)
                file = self.context.config.file
                calls.append(read_call(text_value("audits", text, file, 1, self.source.dialect)))
        node.tests = tests_of_calls(
            [*calls, *(value.as_calls() if value is not None else [])], self.context, self.scope
        )
        if isinstance(node, Seed) and "batch_size" in block.properties.get("kind", _NO_VALUE).text:
            self.scope.note(
                CompileCode.PropertyDropped, "batch_size dropped: it counted rows of the file", node.place.line
            )


_NO_VALUE = Value("", [], "", "", 0, "")


def _block_text(value: Any) -> str:
    if isinstance(value, list):
        return f"({', '.join(_block_text(item) for item in value)})"
    if isinstance(value, bool):
        return str(value).lower()
    return str(value)


def _reads_window(query: SqlText) -> bool:
    return any(
        isinstance(placeholder, TimeVariable) and not placeholder.name.startswith("execution")
        for placeholder in query.placeholders.values()
    )


def order_of(nodes: Sequence[Model | Seed]) -> list[Model | Seed]:
    """Models sorted by their dbt names."""
    return sorted(nodes, key=lambda node: (node.schema or "", node.node))

"""Tables in a query: models, sources, and their placeholders."""

from __future__ import annotations

from dataclasses import dataclass, field

from sqlglot import exp
from sqlglot.errors import SqlglotError

from dbt_kinds.codes import CompileCode
from dbt_kinds.diagnostics import Place
from dbt_kinds.kinds import Column, ModelReference, Placeholder, SourceReference, SourceTable, This
from dbt_kinds.readers.names import dbt_name
from dbt_kinds.readers.sqlmesh.macros.scope import Scope
from dbt_kinds.readers.sqlmesh.names import TableName, table_name
from dbt_kinds.translation.star_expansion import Columns


@dataclass
class Tables:
    """The known tables of a project.

    Attributes:
        catalog: the project's own, which is removed from names.
        models: keys of models and seeds.
        sources: by key; undeclared ones in queries are added.
        named: objects by their dbt names: sources, and their tables as `source.table`.
    """

    catalog: str | None = None
    models: set[str] = field(default_factory=set)
    sources: dict[str, SourceTable] = field(default_factory=dict)
    named: dict[str, str] = field(default_factory=dict)

    def key_of(self, name: TableName) -> str:
        """The key of a name, without the project's own catalog."""
        is_own = name.catalog is not None and self.catalog is not None and name.catalog.lower() == self.catalog.lower()
        return name.without_catalog().key if is_own else name.key

    def find(self, name: TableName) -> Placeholder | None:
        """What a table's name refers to; None if unknown."""
        key = self.key_of(name)
        if key in self.models:
            return ModelReference(key)
        source = self.sources.get(key)
        return SourceReference(source.source, source.name) if source is not None else None

    def key_of_placeholder(self, placeholder: Placeholder) -> str | None:
        """The key of what `find` found; None for placeholders of anything else."""
        match placeholder:
            case ModelReference(key):
                return key
            case SourceReference(source, table):
                return self.named[f"{source}.{table}"]
        return None

    def add_source(self, name: TableName, place: Place, *, is_declared: bool) -> SourceTable:
        """Adds a table that the project reads but does not build."""
        key = self.key_of(name)
        catalog = name.catalog if "." in key and len(key.split(".")) > 2 else None
        schema = name.schema or "default"
        source = self._free_name(dbt_name(f"{catalog}__{schema}" if catalog else schema), f"{catalog} {schema}".lower())
        table = SourceTable(
            source=source,
            schema=schema,
            table=name.table,
            place=place,
            name=self._free_name(f"{source}.{dbt_name(name.table)}", key).split(".")[-1],
            catalog=catalog,
            is_declared=is_declared,
        )
        self.sources[key] = table
        return table

    def _free_name(self, name: str, thing: str) -> str:
        """The name, with a number appended if another object has it: `a-b` and `a_b` are both `a_b`."""
        tried, number = name, 1
        while self.named.setdefault(tried, thing) != thing:
            number += 1
            tried = f"{name}_{number}"
        return tried


def resolve(name: TableName, tables: Tables, own_key: str | None, scope: Scope, line: int) -> Placeholder | None:
    """What takes a table's place, with remarks; None leaves the table as written."""
    key = tables.key_of(name)
    if own_key is not None and key == own_key:
        scope.note(CompileCode.ReadsItself, f"{scope.model_name} reads its own table: what earlier runs wrote", line)
        return This()
    found = tables.find(name)
    if found is None:
        if name.schema is None:
            message = (
                f"{name.text} has no schema and is no model here; it was left as written, to be found in the target's "
                "schema; write its schema, or declare it in external_models.yaml"
            )
            scope.note(CompileCode.UnqualifiedTable, message, line)
            return None
        source = tables.add_source(name, Place(scope.file, line), is_declared=False)
        found = SourceReference(source.source, source.name)
    if isinstance(found, SourceReference) and not tables.sources[key].is_declared:
        message = f"{name.text} is no model and is not declared; it became the source {found.source}.{found.table}"
        scope.note(CompileCode.UndeclaredSource, message, line)
    return found


def column_list(columns: list[Column]) -> Columns:
    """Documented columns in the form that macros use; an unreadable type counts as unknown."""
    found: Columns = []
    for column in columns:
        kind: exp.DataType | None = None
        if column.data_type:
            try:
                kind = exp.DataType.build(column.data_type, dialect="spark")
            except SqlglotError:
                kind = None
        found.append((column.name, kind))
    return found


def name_of_text(text: str, dialect: str) -> TableName:
    """Parses a table's name: dotted parts, quoted or not."""
    parts: list[tuple[str, bool]] = []
    current, quote = "", ""
    was_quoted = False
    for character in text.strip():
        if quote:
            if character == quote:
                quote = ""
            else:
                current += character
        elif character in '"`':
            quote, was_quoted = character, True
        elif character == ".":
            parts.append((current, was_quoted))
            current, was_quoted = "", False
        else:
            current += character
    parts.append((current, was_quoted))
    if dialect == "bigquery" and len(parts) == 1 and "." in parts[0][0]:
        parts = [(part, True) for part in parts[0][0].split(".")]
    return table_name([part for part in parts if part[0]] or [("", False)], dialect)

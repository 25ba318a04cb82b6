"""external_models.yaml: tables that the project reads, with what is known of their columns."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from dbt_kinds.codes import CompileCode
from dbt_kinds.diagnostics import Diagnostic, Place
from dbt_kinds.errors import CompileError
from dbt_kinds.kinds import Column, SourceTable
from dbt_kinds.readers.sqlmesh.audits import tests_of_calls
from dbt_kinds.readers.sqlmesh.block import Call, Value
from dbt_kinds.readers.sqlmesh.context import ProjectContext
from dbt_kinds.readers.sqlmesh.dialects import block_tokens
from dbt_kinds.readers.sqlmesh.kind_values import spark_type
from dbt_kinds.readers.sqlmesh.tables import name_of_text
from dbt_kinds.readers.yaml_nodes import YamlNode, read_yaml

_READ = frozenset({"name", "description", "columns", "column_descriptions", "audits", "assertions"})


def read_external(text: str, file: str, context: ProjectContext) -> list[tuple[SourceTable, dict[str, Any]]]:
    """Reads the tables of one file; their audits are read later, when all audits are known.

    Raises:
        CompileError: the file is not YAML of this form (BadPropertyValue, SqlParseError).
    """
    dialect = context.config.dialect or ""
    found = []
    for node in _entries(text, file):
        entry, line = node.value(), node.line
        name = name_of_text(str(entry.get("name") or ""), dialect)
        if not name.table:
            raise CompileError(
                CompileCode.SqlParseError, "an external model has no name; add 'name: schema.table'", file, line
            )
        source = context.tables.add_source(name, Place(file, line), is_declared=True)
        source.description = str(entry["description"]) if entry.get("description") else None
        descriptions = entry.get("column_descriptions") or {}
        columns = entry.get("columns") or {}
        if not isinstance(columns, dict) or not isinstance(descriptions, dict):
            raise CompileError(
                CompileCode.BadPropertyValue,
                f"columns of {name.text} are {columns!r}; write 'name: TYPE' pairs",
                file,
                line,
            )
        for column, kind in columns.items():
            value = text_value("columns", str(kind), file, line, dialect)
            description = descriptions.get(column)
            try:
                data_type = spark_type(str(kind), value)
            except CompileError as error:
                if error.code is not CompileCode.Untranslatable:
                    raise
                # whoever provides the table decides how Spark reads it
                source.notes.append(
                    Diagnostic.of(CompileCode.PropertyDropped, f"{name.text}.{column}: {error.message}", file, line)
                )
                data_type = None
            source.columns.append(Column(str(column), data_type, str(description) if description else None))
        rest = sorted(entry.keys() - _READ)
        if rest:
            message = f"{', '.join(rest)} dropped: a source of dbt has no counterpart"
            source.notes.append(Diagnostic.of(CompileCode.PropertyDropped, message, file, line))
        found.append((source, entry))
    return found


def read_external_tests(source: SourceTable, entry: dict[str, Any], context: ProjectContext) -> None:
    """Reads the tests of an external model; an unreadable one is noted, and the source is kept."""
    audits = entry.get("audits") or entry.get("assertions") or []
    texts = [audit_text(audit) for audit in (audits if isinstance(audits, list) else [audits])]
    dialect = context.config.dialect or ""
    scope = context.scope(source.place.file, dialect)
    scope.model_name = f"{source.source}.{source.table}"
    readable: list[Call] = []
    for text in texts:
        try:
            calls = text_value("audits", text, source.place.file, source.place.line, dialect).as_calls()
            tests_of_calls(calls, context, scope)
            readable.extend(calls)
        except CompileError as error:
            source.notes.append(error.diagnostic)
    # again together, since the result for one may depend on another
    source.tests.extend(tests_of_calls(readable, context, scope))
    source.notes.extend(dict.fromkeys(scope.notes))


def audit_text(audit: Any) -> str:
    """An audit of a YAML list: a call as text, `name: {argument: value}`, or a mapping of `name` and the arguments."""
    if isinstance(audit, dict) and isinstance(audit.get("name"), str):
        return audit_text({audit["name"]: {key: value for key, value in audit.items() if key != "name"}})
    if isinstance(audit, dict) and len(audit) == 1:
        name, arguments = next(iter(audit.items()))
        if isinstance(arguments, dict) and arguments:
            inner = ", ".join(f"{key} := {_sql(value)}" for key, value in arguments.items())
            return f"{name}({inner})"
        return str(name)
    if isinstance(audit, list) and audit:
        return audit_text({audit[0]: audit[1]}) if len(audit) > 1 else str(audit[0])
    return str(audit)


def _sql(value: Any) -> str:
    if isinstance(value, list):
        return f"({', '.join(_sql(item) for item in value)})"
    return str(value)


def text_value(name: str, text: str, file: str, line: int, dialect: str) -> Value:
    """A YAML string, parsed like a property of a MODEL block."""
    return Value(name, block_tokens(text, dialect, file, line), text, file, line, dialect)


def _entries(text: str, file: str) -> Iterator[YamlNode]:
    """The entries of a YAML list of mappings, or one mapping."""
    for document in read_yaml(text, file):
        for entry in document.items() if document.is_list else [document]:
            if not entry.is_mapping:
                raise entry.error(
                    CompileCode.BadPropertyValue, f"{entry.shown} is not a mapping; write 'name: schema.table'"
                )
            yield entry

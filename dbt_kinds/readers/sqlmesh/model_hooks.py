"""The statements around a model's query, in execution order."""

from __future__ import annotations

from dbt_kinds.codes import CompileCode
from dbt_kinds.errors import CompileError
from dbt_kinds.kinds import Kind, Model, SqlText
from dbt_kinds.readers.sqlmesh.context import ModelSource
from dbt_kinds.readers.sqlmesh.hooks import read_hook, read_virtual, rendered_hooks
from dbt_kinds.readers.sqlmesh.macros.scope import Scope
from dbt_kinds.readers.sqlmesh.query_statement import is_definition
from dbt_kinds.readers.sqlmesh.statements import Statement
from dbt_kinds.readers.sqlmesh.tables import Tables


def read_hooks(
    model: Model, source: ModelSource, query: Statement | None, tables: Tables, scope: Scope, key: str
) -> None:
    """Reads the statements in properties and in the file; those of the virtual layer come last.

    Args:
        query: the query among the statements; a Python model has none.

    Raises:
        CompileError: the model has no table, so they would never run (BadPropertyValue).
        CompileError: one cannot be written for Spark.
    """
    at = source.statements.index(query) if query is not None else 0
    before = [*_stated(source, "pre_statements"), *(item for item in source.statements[:at] if not is_definition(item))]
    after = [*source.statements[at + 1 :], *_stated(source, "post_statements")]
    before, after = rendered_hooks(before, scope), rendered_hooks(after, scope)
    everything = [*before, *after, *_stated(source, "on_virtual_update")]
    for statements, hooks in ((before, model.pre_hooks), (after, model.post_hooks)):
        hooks.extend(_hooks([item for item in statements if not item.is_virtual], tables, scope, key))
    grants: dict[str, list[str]] = model.settings.get("grants", {})
    for statement in everything:
        if statement.is_virtual:
            model.post_hooks.extend(read_virtual(statement, scope, tables, key, grants))
    if grants:
        model.settings["grants"] = grants
    if model.kind == Kind.EPHEMERAL and (model.pre_hooks or model.post_hooks):
        message = f"{model.name} is EMBEDDED and has no table, so its statements would never run; remove them"
        raise CompileError(CompileCode.BadPropertyValue, message, model.place.file, model.place.line)


def _hooks(statements: list[Statement], tables: Tables, scope: Scope, key: str) -> list[SqlText]:
    return [hook for statement in statements for hook in read_hook(statement, scope, tables, key)]


def _stated(source: ModelSource, key: str) -> list[Statement]:
    """The statements in a property."""
    value = source.block.properties.get(key)
    found = []
    for item in value.as_list() if value is not None else []:
        text = item.as_text() if item.is_text else item.text
        line = item.place.line
        found.append(Statement("sql", text, line, line, source.file, key == "on_virtual_update"))
    return found

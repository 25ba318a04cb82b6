"""The Python models of a file, in the form that SQL models are read from; those that are not just queries have a
body.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any

from dbt_kinds.codes import CompileCode
from dbt_kinds.diagnostics import Diagnostic, Place
from dbt_kinds.errors import CompileError
from dbt_kinds.kinds import Column, PythonBody, SkippedModel
from dbt_kinds.readers.sqlmesh.block import read_block
from dbt_kinds.readers.sqlmesh.context import ModelSource, ProjectContext
from dbt_kinds.readers.sqlmesh.dialects import check_dialect
from dbt_kinds.readers.sqlmesh.external import text_value
from dbt_kinds.readers.sqlmesh.kind_values import spark_type
from dbt_kinds.readers.sqlmesh.macros.scope import Scope
from dbt_kinds.readers.sqlmesh.model_kinds import kind_name
from dbt_kinds.readers.sqlmesh.names import TableName
from dbt_kinds.readers.sqlmesh.python_models.block_text import block_text
from dbt_kinds.readers.sqlmesh.python_models.dbt_python import dbt_python_body
from dbt_kinds.readers.sqlmesh.python_models.declaration import (
    Declaration,
    Literals,
    Property,
    constants_of,
    find_models,
    hidden_models,
    read_declaration,
)
from dbt_kinds.readers.sqlmesh.python_models.made_queries import made_query
from dbt_kinds.readers.sqlmesh.python_models.query_building import Surroundings, query_of
from dbt_kinds.readers.sqlmesh.python_models.query_text import with_placeholders
from dbt_kinds.readers.sqlmesh.python_models.times import NotSqlAtHeart
from dbt_kinds.readers.sqlmesh.statements import Statement
from dbt_kinds.readers.sqlmesh.tables import name_of_text

_NO_WINDOW = frozenset({"FULL", "VIEW"})
_NEVER_PYTHON = ("VIEW", "EMBEDDED", "SEED", "MANAGED", "EXTERNAL")
_BLUEPRINT = re.compile(r"@\{\s*(\w+)\s*\}|@(\w+)")


@dataclass
class PythonModelSource(ModelSource):
    """A Python model.

    Attributes:
        make_body: builds the dbt Python model, once the project's tables are known; None if its query was extracted.
    """

    make_body: Callable[[], PythonBody] | None = None


def read_python_sources(text: str, file: str, context: ProjectContext) -> Iterator[ModelSource | SkippedModel]:
    """The models of a Python file, which is parsed and never imported; empty without `@model`."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        if "model" not in text:
            return
        line = getattr(error, "lineno", None) or 1
        message = f"is no Python that this version reads: {getattr(error, 'msg', None) or error}"
        failure = CompileError(CompileCode.PythonModelUnsupported, message, file, line)
        yield SkippedModel(PurePosixPath(file).stem, "", Place(file, line), "refused", [failure.diagnostic])
        return
    constants = constants_of(tree)
    for node in hidden_models(tree):
        failure = CompileError(
            CompileCode.PythonModelUnsupported,
            "@model stands on a function that is async, or inside a block",
            file,
            node.lineno,
        )
        yield SkippedModel(node.name, "", Place(file, node.lineno), "refused", [failure.diagnostic])
    for function, decorator in find_models(tree):
        place = Place(file, decorator.lineno)
        unnamed = _inferred_name(file) if context.config.infer_names else function.name
        shown, kind = _stated_name(decorator, constants, file) or unnamed, ""
        columns: list[Column] = []
        try:
            columns = _stated_columns(decorator, constants, file, context)
            declaration = read_declaration(function, decorator, constants, file)
            shown = str(declaration.properties["name"].value) if "name" in declaration.properties else shown
            for values in _blueprints(declaration, file):
                one = _filled_in(declaration, values)
                shown = str(one.properties["name"].value) if "name" in one.properties else unnamed
                kind = ""
                kind = _shown_kind(one)
                if "enabled" in one.properties and one.properties["enabled"].value is False:
                    message = f"{shown} is not enabled and was not converted"
                    yield SkippedModel(
                        shown,
                        kind,
                        place,
                        "skipped",
                        [Diagnostic.of(CompileCode.PropertyDropped, message, file, place.line)],
                    )
                    continue
                try:
                    yield _source(one, values, text, file, context)
                except CompileError as error:
                    yield SkippedModel(shown, kind, place, "refused", [error.diagnostic], columns)
        except CompileError as error:
            yield SkippedModel(shown, kind, place, "refused", [error.diagnostic], columns)
        except RecursionError:
            failure = CompileError(
                CompileCode.PythonModelUnsupported, "nests expressions too deeply to be read", file, decorator.lineno
            )
            yield SkippedModel(shown, kind, place, "refused", [failure.diagnostic])


def _inferred_name(file: str) -> str:
    """The name that a file below `models/` gives its model, if the configuration wants it so."""
    return ".".join(PurePosixPath(file).with_suffix("").parts[1:])


def _stated_name(decorator: ast.Call, constants: Mapping[str, ast.expr], file: str) -> str:
    """The model's name if readable, even if other parts of the decorator are not."""
    named = [keyword.value for keyword in decorator.keywords if keyword.arg == "name"]
    try:
        return str(next((Literals(constants, file).value(node) for node in (*decorator.args[:1], *named)), ""))
    except CompileError:
        return ""


def _stated_columns(
    decorator: ast.Call, constants: Mapping[str, ast.expr], file: str, context: ProjectContext
) -> list[Column]:
    """The columns if readable, even if other parts of the decorator are not; unreadable types count as unknown."""
    stated = {keyword.arg: keyword.value for keyword in decorator.keywords}
    found: list[Column] = []
    try:
        literals = Literals(constants, file)
        columns = literals.value(stated["columns"]) if "columns" in stated else {}
        dialect = literals.value(stated["dialect"]) if "dialect" in stated else context.config.dialect
    except CompileError:
        return found
    for name, kind in columns.items() if isinstance(columns, dict) else []:
        try:
            value = text_value("columns", str(kind), file, decorator.lineno, str(dialect or ""))
            found.append(Column(str(name), spark_type(str(kind), value)))
        except CompileError:
            found.append(Column(str(name)))
    return found


def _shown_kind(declaration: Declaration) -> str:
    found = declaration.properties.get("kind")
    value = found.value if found is not None else "FULL"
    name = value.get("name") if isinstance(value, dict) else value
    return name.upper() if isinstance(name, str) else ""


def _blueprints(declaration: Declaration, file: str) -> list[dict[str, Any]]:
    found = declaration.properties.get("blueprints")
    if found is None:
        return [{}]
    items = found.value if isinstance(found.value, list) else [found.value]
    if not items or not all(isinstance(item, dict) for item in items):
        message = "blueprints of a Python model are a list of dicts; a macro that makes them is not run"
        raise CompileError(CompileCode.PythonModelUnsupported, message, file, found.line)
    return items


def _filled_in(declaration: Declaration, values: Mapping[str, Any]) -> Declaration:
    """The declaration for one blueprint: `@name` in its strings is replaced by its value."""
    if not values:
        return declaration
    known = {key.lower(): str(value) for key, value in values.items()}

    def fill(value: Any) -> Any:
        if isinstance(value, str):
            made = _BLUEPRINT.sub(lambda found: known.get((found[1] or found[2]).lower(), found[0]), value)
            return type(value)(made)
        if isinstance(value, list):
            return [fill(item) for item in value]
        if isinstance(value, dict):
            return {fill(key): fill(item) for key, item in value.items()}
        return value

    properties = {
        key: Property(item.value if key == "blueprints" else fill(item.value), item.line)
        for key, item in declaration.properties.items()
    }
    return Declaration(declaration.function, declaration.line, properties, declaration.constants)


def _source(
    declaration: Declaration, blueprint: Mapping[str, Any], text: str, file: str, context: ProjectContext
) -> ModelSource:
    line = declaration.line
    dialect = _dialect(declaration, file, context)
    name = _name(declaration, dialect, file, context)
    scope = context.scope(file, dialect)
    scope.model_name = name.text
    stated = declaration.properties.get("is_sql")
    is_sql = stated is not None and stated.value is True
    # a default meant for SQL models does not apply to a Python model
    if not is_sql and "kind" not in declaration.properties and _default_kind(context) in ("FULL", *_NEVER_PYTHON):
        declaration.properties["kind"] = Property("FULL", line)
    head = block_text(declaration, file)
    block = read_block(head, file, line, "")
    for value in block.properties.values():
        value.dialect = dialect
    kind = block.properties.get("kind")
    word = kind_name(kind) if kind is not None else _default_kind(context, "VIEW" if is_sql else "FULL")
    if word in _NEVER_PYTHON and not is_sql:
        message = f"a Python model cannot be of kind {word}; write FULL, or a SQL model"
        raise CompileError(CompileCode.BadPropertyValue, message, file, kind.place.line if kind is not None else line)
    scope.kind_name = word
    scope.allows_window = word not in _NO_WINDOW
    statement = Statement("model", head, line, line, file)
    common: dict[str, Any] = {
        "file": file,
        "block": block,
        "statement": statement,
        "dialect": dialect,
        "name": name,
        "kind_name": word,
        "description": ast.get_docstring(declaration.function),
        "scope": scope,
        "blueprint": {},
    }
    if is_sql and stated is not None:
        scope.blueprint = {key.lower(): str(value) for key, value in blueprint.items()}
        runs = context.options.run_macros
        sql = made_query(declaration.function.name, text, scope, stated.line, context.root, runs=runs)
        begin = declaration.function.lineno
        return PythonModelSource(**common, statements=[Statement("sql", sql, begin, begin, file)])
    surroundings = Surroundings(declaration.constants, context.config.variables, blueprint)
    try:
        query = query_of(declaration.function, surroundings, text)
        if query.is_spark:
            common["dialect"] = scope.dialect = "spark"
        sql = with_placeholders(query, scope)
    except NotSqlAtHeart as reason:
        _check_runs(reason, word, name, context, scope)
        return PythonModelSource(
            **common,
            statements=[],
            make_body=lambda: dbt_python_body(declaration, text, block, context, scope),
        )
    _note_what_was_used(surroundings, scope, query.line)
    body_statement = Statement("sql", sql, query.line, query.line, file)
    return PythonModelSource(**common, statements=[body_statement])


def _dialect(declaration: Declaration, file: str, context: ProjectContext) -> str:
    found = declaration.properties.get("dialect")
    dialect = str(found.value) if found is not None and found.value else context.config.dialect
    if dialect is None:
        message = "neither the model nor the config's model_defaults say which dialect this is; add dialect='<name>'"
        raise CompileError(CompileCode.MissingDialect, message, file, declaration.line)
    return check_dialect(dialect, file, found.line if found is not None else declaration.line)


def _name(declaration: Declaration, dialect: str, file: str, context: ProjectContext) -> TableName:
    found = declaration.properties.get("name")
    if found is not None and isinstance(found.value, str):
        name = name_of_text(found.value, dialect)
    elif context.config.infer_names:
        name = name_of_text(_inferred_name(file), dialect)
    else:
        raise CompileError(
            CompileCode.MissingName, "@model has no name; write @model('<schema>.<table>', …)", file, declaration.line
        )
    if not all(name.parts) or len(name.parts) > 3 or any(character in name.text for character in "@{}"):
        raise CompileError(
            CompileCode.MissingName, f"'{name.text}' is no table's name; write <schema>.<table>", file, declaration.line
        )
    return name


def _default_kind(context: ProjectContext, otherwise: str = "FULL") -> str:
    default = context.config.defaults.get("kind") or otherwise
    return str(default.get("name", otherwise) if isinstance(default, dict) else default).upper()


def _check_runs(reason: NotSqlAtHeart, kind: str, name: TableName, context: ProjectContext, scope: Scope) -> None:
    """Checks that the adapter can run a function that is more than a query.

    Raises:
        CompileError: it cannot (NoPythonModels).
    """
    why = f"{name.text} is more than a query: the function {reason.reason}"
    is_databricks = context.options.adapter == "databricks"
    if kind != "FULL":
        then = "" if is_databricks else " and compile with --adapter databricks"
        message = f"{why}; the kind {kind} wraps a query, so write SQL, or make it FULL{then}"
        raise CompileError(CompileCode.NoPythonModels, message, scope.file, reason.line)
    if not is_databricks:
        message = f"{why}; dbt-spark runs no Python models, so write SQL, or compile with --adapter databricks"
        raise CompileError(CompileCode.NoPythonModels, message, scope.file, reason.line)


def _note_what_was_used(surroundings: Surroundings, scope: Scope, line: int) -> None:
    for variable in surroundings.used:
        message = f"the variable {variable} was replaced by its value of today; compile again after you change it"
        scope.note(CompileCode.VariableFrozen, message, line)
    for quiet in surroundings.quiet:
        scope.note(CompileCode.PropertyDropped, "a line that only logs was dropped: the model is SQL now", quiet)

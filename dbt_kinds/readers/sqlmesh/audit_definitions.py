"""Converts the project's audits to tests in SQL: some arguments become parameters, others are written into the
query.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import chain, count
from typing import Any

from sqlglot import exp

from dbt_kinds.codes import CompileCode
from dbt_kinds.diagnostics import Place
from dbt_kinds.kinds import TestDefinition
from dbt_kinds.readers.names import slug
from dbt_kinds.readers.sqlmesh.block import Value
from dbt_kinds.readers.sqlmesh.context import AuditSource, ProjectContext, lookup
from dbt_kinds.readers.sqlmesh.jinja_rendering import rendered_query, undefined_names
from dbt_kinds.readers.sqlmesh.kind_values import check_is_known
from dbt_kinds.readers.sqlmesh.macros.references import (
    undefined_variables,
    variables_behind_in,
    variables_of_macros,
)
from dbt_kinds.readers.sqlmesh.macros.scope import Fragment, Scope
from dbt_kinds.readers.sqlmesh.queries import prepare, to_spark
from dbt_kinds.translation.comparisons import select_a_column


def fixed_values(audit: AuditSource, values: Mapping[str, Value], context: ProjectContext) -> dict[str, Fragment]:
    """The values that are written into the test: arguments of macros, and arrays used as the list of IN."""
    assert audit.query is not None
    if audit.query.kind == "jinja_query":
        return {}
    text, line, scope = audit.query.text, audit.query.first_line, scope_of(audit, context)
    of_macros, behind_in = variables_of_macros(text, scope, line), variables_behind_in(text, scope, line)
    return {
        name: _fragment(value, audit.dialect)
        for name, value in values.items()
        if name in of_macros or (name in behind_in and isinstance(value.as_expression(), exp.Array))
    }


def _fragment(value: Value, dialect: str) -> Fragment:
    """An argument as SQL in the audit's dialect."""
    check_is_known(value)
    if not isinstance(value.as_expression(), exp.Array | exp.Tuple):
        return _in_dialect(value, dialect)
    items = value.as_list()
    if not items:
        raise value.error(CompileCode.AuditArgument, f"{value.name} is empty; write at least one value")
    return [_in_dialect(item, dialect) for item in items]


def _in_dialect(value: Value, dialect: str) -> str:
    return value.text if value.dialect == dialect else value.as_expression().sql(dialect=dialect)


def define(audit: AuditSource, context: ProjectContext, fixed: Mapping[str, Fragment] | None = None) -> TestDefinition:
    """Converts an audit of the project to a test, once for all uses with the same fixed values.

    Args:
        fixed: parameters whose values are written into the test's query; for a standalone audit its defaults.

    Raises:
        CompileError: its query cannot be written for Spark.
    """
    if audit.is_standalone:
        fixed = {name: _fragment(value, audit.dialect) for name, value in audit.defaults.items()}
    fixed = fixed or {}
    key = f"{audit.name} {sorted(fixed.items())}" if fixed else audit.name
    if key in context.used_audits:
        return context.used_audits[key]
    assert audit.query is not None
    scope = scope_of(audit, context)
    scope.locals = dict(fixed)
    parameters = {name: default for name, default in parameters_of(audit, scope).items() if name not in fixed}
    scope.parameters = frozenset(parameters)
    scope.variables = {key: value for key, value in scope.variables.items() if key.lower() not in parameters}
    if audit.query.kind == "jinja_query":
        text = rendered_query(audit.query, scope)
        prepared = prepare(text, scope, audit.query.line, is_rendered=True)
    else:
        prepared = prepare(audit.query.text, scope, audit.query.first_line)
    select_a_column(prepared.tree)
    sql = to_spark(prepared, context.tables, None, lookup(context, scope))
    definition = TestDefinition(
        name=_test_name(audit, fixed, context),
        query=sql,
        place=Place(audit.file, audit.block.place.line),
        is_generic=not audit.is_standalone,
        parameters=parameters,
        config=_standalone_config(audit) if audit.is_standalone else {},
        description=audit.description,
        banner=audit.banner,
    )
    context.used_audits[key] = definition
    context.notes.extend(note for note in scope.notes if note not in context.notes)
    return definition


def _test_name(audit: AuditSource, fixed: Mapping[str, Fragment], context: ProjectContext) -> str:
    """The audit's name with its fixed values appended: `none_null_of_id_name`."""
    if audit.is_standalone or not fixed:
        return slug(audit.name)
    values = [" ".join(value) if isinstance(value, list) else value or "" for value in fixed.values()]
    name = f"{slug(audit.name)}_of_{slug(slug(' '.join(values))[:40])}"
    taken = {test.name for test in context.used_audits.values()} | {slug(other) for other in context.audits}
    return next(free for free in chain([name], (f"{name}_{number}" for number in count(2))) if free not in taken)


def scope_of(audit: AuditSource, context: ProjectContext) -> Scope:
    """The scope of the macros in an audit's query."""
    scope = context.scope(audit.file, audit.dialect)
    scope.model_name = f"audit {audit.name}"
    return scope


def _standalone_config(audit: AuditSource) -> dict[str, Any]:
    severity = {} if audit.is_blocking else {"severity": "warn"}
    return {**severity, **({"enabled": False} if audit.is_skipped else {})}


def parameters_of(audit: AuditSource, scope: Scope) -> dict[str, str | None]:
    """The parameters of an audit: its defaults, and every variable that is not defined elsewhere."""
    assert audit.query is not None
    found: dict[str, str | None] = {name: value.text for name, value in audit.defaults.items()}
    if audit.query.kind == "jinja_query":
        configured = {name.lower() for name in scope.variables}
        undefined = [name for name in undefined_names(scope.jinja_macros + audit.query.text) if name not in configured]
    else:
        undefined = undefined_variables(audit.query.text, scope, audit.query.first_line)
    for name in undefined:
        found.setdefault(name, None)
    needed = {name: default for name, default in found.items() if default is None}
    return {**needed, **{name: default for name, default in found.items() if default is not None}}

"""Converts audits and assertions to tests: dbt's own, the package's, or the project's."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence
from typing import Any

from sqlglot import exp

from dbt_kinds.codes import CompileCode
from dbt_kinds.errors import CompileError
from dbt_kinds.kinds import DataTest, Parameter, TestDefinition
from dbt_kinds.placeholders import used_placeholders
from dbt_kinds.readers.sqlmesh.audit_definitions import define, fixed_values, parameters_of, scope_of
from dbt_kinds.readers.sqlmesh.audit_limits import broken_limit
from dbt_kinds.readers.sqlmesh.block import Call, Value, read_block
from dbt_kinds.readers.sqlmesh.context import AuditSource, ProjectContext
from dbt_kinds.readers.sqlmesh.dialects import check_dialect
from dbt_kinds.readers.sqlmesh.kind_values import spark_expression
from dbt_kinds.readers.sqlmesh.macros.scope import Scope
from dbt_kinds.readers.sqlmesh.statements import Statement, banner
from dbt_kinds.readers.sqlmesh.tables import name_of_text, resolve
from dbt_kinds.translation.dialects import is_spark
from dbt_kinds.translation.predicates import is_operand, is_predicate

# the arguments of the audits of SQLMesh's built-in audits, required ones first; `columns` makes a test a column
_BUILT_IN: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "not_null": (("columns",), ()),
    "unique_values": (("columns",), ()),
    "accepted_values": (("column", "is_in"), ()),
    "unique_combination_of_columns": (("columns",), ()),
    "forall": (("criteria",), ()),
    "number_of_rows": (("threshold",), ()),
    "at_least_one": (("column",), ()),
    "not_constant": (("column",), ()),
    "not_null_proportion": (("column", "threshold"), ()),
    "not_accepted_values": (("column", "is_in"), ()),
    "not_empty_string": (("column",), ()),
    "accepted_range": (("column",), ("min_v", "max_v", "inclusive")),
    "mean_in_range": (("column",), ("min_v", "max_v", "inclusive")),
    "stddev_in_range": (("column",), ("min_v", "max_v", "inclusive")),
    "string_length_between": (("column",), ("min_v", "max_v", "inclusive")),
    "string_length_equal": (("column", "v"), ()),
    "sequential_values": (("column",), ("interval",)),
    "z_score": (("column", "threshold"), ()),
    "mutually_exclusive_ranges": (("lower_bound_column", "upper_bound_column"), ("partition_clause",)),
    "valid_uuid": (("column",), ()),
    "valid_email": (("column",), ()),
    "valid_url": (("column",), ()),
    "valid_http_method": (("column",), ()),
    "match_regex_pattern_list": (("column", "patterns"), ()),
    "not_match_regex_pattern_list": (("column", "patterns"), ()),
    "match_like_pattern_list": (("column", "patterns"), ()),
    "not_match_like_pattern_list": (("column", "patterns"), ()),
    "kl_divergence": (("column", "target_column", "threshold"), ()),
    "chi_square": (("column", "target_column", "critical_value"), ("dependent",)),
}
# the spelling in the documentation, and that in the code
_SPELLINGS = {
    "kl_divergence": {"source_column": "column"},
    "chi_square": {"column_a": "column", "column_b": "target_column"},
}
_ARGUMENT_NAMES = {
    "kl_divergence": {"column": "source_column"},
    "chi_square": {"column": "column_a", "target_column": "column_b"},
}
# tests on two columns are tests on the table
_OF_TABLE = frozenset({"kl_divergence", "chi_square"})
_LITERALS = frozenset({"threshold", "min_v", "max_v", "inclusive", "v", "interval", "critical_value", "dependent"})
_BOUNDS = frozenset({"min_v", "max_v"})
_EVERYWHERE = ("blocking", "condition")
_NON_BLOCKING = "_non_blocking"


def read_audit(statements: Sequence[Statement], dialect: str) -> AuditSource:
    """Parses an AUDIT block and the query after it.

    Raises:
        CompileError: the block cannot be read (MissingName, BadPropertyValue, SqlParseError).
    """
    head = statements[0]
    block = read_block(head.text, head.file, head.first_line, dialect)
    name = block.take("name")
    if name is None:
        raise CompileError(
            CompileCode.MissingName, "the AUDIT block has no name; add 'name <name>'", head.file, head.line
        )
    own = block.take("dialect")
    if own is not None:
        dialect = check_dialect(own.as_text(), head.file, own.place.line)
    query = next((statement for statement in statements[1:] if statement.kind in ("sql", "jinja_query")), None)
    audit = AuditSource(name.as_text().lower(), head.file, block, query, dialect)
    for flag, attribute in (("blocking", "is_blocking"), ("skip", "is_skipped"), ("standalone", "is_standalone")):
        value = block.take(flag)
        if value is not None:
            setattr(audit, attribute, value.as_boolean())
        elif flag == "blocking":
            # a standalone audit belongs to no model and stops none
            audit.is_blocking = "standalone" not in block.properties
    defaults = block.take("defaults")
    if defaults is not None:
        audit.defaults = {key.lower(): value for key, value in defaults.as_pairs()}
    description = block.take("description")
    audit.description = description.as_text() if description is not None else None
    audit.banner = banner(head.text, audit.description)
    for ignored in ("model", "owner", "depends_on", "formatting"):
        block.take(ignored)
    for key, value in block.properties.items():
        raise value.error(CompileCode.AuditArgument, f"an AUDIT block has no property {key}; remove it")
    if query is None:
        raise CompileError(
            CompileCode.SqlParseError, f"audit {audit.name} has no query behind its block", head.file, head.line
        )
    return audit


def tests_of_calls(calls: Iterable[Call], context: ProjectContext, scope: Scope) -> list[DataTest]:
    """Converts calls of audits to tests; unique columns that cannot be NULL use dbt's `unique`.

    Raises:
        CompileError: there is no such audit, or it does not take these arguments (UnknownAudit, AuditArgument).
    """
    calls = list(calls)
    not_null = {
        item.as_column().lower()
        for call in calls
        if _base_name(call, context)[0] == "not_null" and "columns" in call.arguments
        for item in call.arguments["columns"].as_list()
        if len(item.tokens) == 1
    }
    tests: list[DataTest] = []
    for call in calls:
        tests.extend(_tests(call, context, scope, not_null))
    return [test for position, test in enumerate(tests) if test not in tests[:position]]


def _base_name(call: Call, context: ProjectContext) -> tuple[str, bool]:
    """The audit's name, and whether its failure blocks publishing."""
    name = call.name.lower()
    if name in context.audits or not name.endswith(_NON_BLOCKING):
        return name, True
    return name.removesuffix(_NON_BLOCKING), False


def _tests(call: Call, context: ProjectContext, scope: Scope, not_null: set[str]) -> list[DataTest]:
    name, is_blocking = _base_name(call, context)
    own = context.audits.get(name)
    if own is not None and own.is_standalone:
        raise call.value.error(
            CompileCode.UnknownAudit, f"audit {call.name} is standalone and runs by itself; remove it here"
        )
    if own is None and name not in _BUILT_IN:
        near = difflib.get_close_matches(name, [*_BUILT_IN, *context.audits], 1)
        hint = f"did you mean {near[0]}?" if near else "define it in audits/"
        raise call.value.error(CompileCode.UnknownAudit, f"audit {call.name} is unknown: {hint}")
    arguments = {_SPELLINGS.get(name, {}).get(key, key): value for key, value in call.arguments.items()}
    config: dict[str, Any] = {}
    blocking = arguments.pop("blocking", None)
    if blocking is not None:
        is_blocking = blocking.as_boolean()
    elif own is not None:
        is_blocking = is_blocking and own.is_blocking
    if not is_blocking:
        config["severity"] = "warn"
    condition = arguments.pop("condition", None)
    if condition is not None:
        config["where"] = _expression(condition, scope)
    if own is not None:
        return [_own_test(own, arguments, config, call, context, scope)]
    required, optional = _BUILT_IN[name]
    _check_arguments(call, arguments, required, (*required, *optional))
    tests = _built_in_tests(name, arguments, config, scope, not_null)
    for test in tests:
        broken = broken_limit(name, test.arguments)
        if broken is not None:
            key, why = broken
            raise arguments.get(key, call.value).error(CompileCode.AuditArgument, f"audit {call.name}: {why}")
    return [_with_placeholders(test, scope) for test in tests]


def _check_arguments(call: Call, arguments: dict[str, Value], required: Sequence[str], known: Sequence[str]) -> None:
    for key, value in arguments.items():
        if key not in known:
            takes = ", ".join((*known, *_EVERYWHERE))
            raise value.error(CompileCode.AuditArgument, f"audit {call.name} has no argument {key}; it takes {takes}")
    for key in required:
        if key not in arguments:
            raise call.value.error(CompileCode.AuditArgument, f"audit {call.name} lacks the argument {key}")


def _built_in_tests(
    name: str, arguments: dict[str, Value], config: dict[str, Any], scope: Scope, not_null: set[str]
) -> list[DataTest]:
    if name in ("not_null", "unique_values"):
        columns = [_column(item, scope) for item in arguments["columns"].as_list()]
        if name == "not_null":
            return [DataTest("not_null", column=column, config=dict(config)) for column in columns]
        return [
            DataTest(
                "unique" if column.lower() in not_null else "dbt_kinds.unique_values",
                column=column,
                config=dict(config),
            )
            for column in columns
        ]
    if name in ("accepted_values", "not_accepted_values"):
        return [_accepted_values(name, arguments, config, scope)]
    made = {key: _argument(key, value, scope) for key, value in arguments.items()}
    column = None if name in _OF_TABLE else made.pop("column", None)
    renamed = {_ARGUMENT_NAMES.get(name, {}).get(key, key): value for key, value in made.items()}
    return [DataTest(f"dbt_kinds.{name}", renamed, column=column, config=dict(config))]


def _accepted_values(name: str, arguments: dict[str, Value], config: dict[str, Any], scope: Scope) -> DataTest:
    items = arguments["is_in"].as_list()
    is_builtin = name == "accepted_values"
    key = "values" if is_builtin else "is_in"
    # dbt's own test puts quotes around the values, and escapes nothing
    unsafe = set("'\\") if is_builtin else set()
    if all(item.is_text and not unsafe & set(item.as_text()) for item in items):
        made: dict[str, Any] = {key: [item.as_literal() for item in items]}
    else:
        made = {key: [_expression(item, scope) for item in items], "quote": False}
    test = name if is_builtin else f"dbt_kinds.{name}"
    return DataTest(test, made, column=_column(arguments["column"], scope), config=dict(config))


def _column(value: Value, scope: Scope) -> str:
    return spark_expression(value)


def _argument(key: str, value: Value, scope: Scope) -> Any:
    if key in ("columns", "criteria"):
        return [_expression(item, scope) for item in value.as_list()]
    if key in ("is_in", "patterns"):
        return [item.as_literal() if item.is_text else _expression(item, scope) for item in value.as_list()]
    if key in _LITERALS and len(value.tokens) == 1:
        literal = value.as_literal()
        # without its quotes a string would be a column or a number
        return _expression(value, scope) if key in _BOUNDS and isinstance(literal, str) else literal
    if key == "partition_clause" and value.is_text:
        return value.as_text()
    return _expression(value, scope)


def _expression(value: Value, scope: Scope) -> str:
    return spark_expression(value)


def _with_placeholders(test: DataTest, scope: Scope) -> DataTest:
    test.placeholders = used_placeholders(repr((test.arguments, test.config)), scope.placeholders.by_name)
    return test


def _own_test(
    audit: AuditSource,
    arguments: dict[str, Value],
    config: dict[str, Any],
    call: Call,
    context: ProjectContext,
    scope: Scope,
) -> DataTest:
    parameters = parameters_of(audit, scope_of(audit, context))
    required = [name for name, default in parameters.items() if default is None]
    _check_arguments(call, arguments, required, list(parameters))
    fixed = fixed_values(audit, {**audit.defaults, **arguments}, context)
    definition = define(audit, context, fixed)
    if audit.is_skipped:
        config["enabled"] = False
    tables = _table_parameters(definition)
    given = {**{name: value for name, value in audit.defaults.items() if name in tables}, **arguments}
    made = {
        key: _table(value, context, scope) if key in tables else _operand(key, value, definition, scope)
        for key, value in given.items()
        if key not in fixed
    }
    return _with_placeholders(DataTest(definition.name, made, config=config), scope)


def _table_parameters(definition: TestDefinition) -> set[str]:
    """The parameters of a test that are used as tables."""
    query = definition.query
    assert query.tree is not None
    placeholders = [query.placeholders.get(table.name) for table in query.tree.find_all(exp.Table)]
    return {placeholder.name for placeholder in placeholders if isinstance(placeholder, Parameter)}


def _table(value: Value, context: ProjectContext, scope: Scope) -> str:
    """A table given as argument: the placeholder for it, or the argument as written if it is not a name or unknown."""
    if not value.is_text and not isinstance(value.as_expression(), exp.Column | exp.Dot):
        return _expression(value, scope)
    name = name_of_text(value.as_text() if value.is_text else value.text, value.dialect)
    found = resolve(name, context.tables, None, scope, value.place.line)
    return name.text if found is None else scope.placeholders.name_of(found)


def _operand(key: str, value: Value, definition: TestDefinition, scope: Scope) -> str:
    """An argument, in parentheses if it is a predicate and an operand in the test."""
    query, written = definition.query, _expression(value, scope)
    if is_spark(value.dialect) or not is_predicate(value.as_expression()):
        return written
    assert query.tree is not None
    uses = [
        column for column in query.tree.find_all(exp.Column) if query.placeholders.get(column.name) == Parameter(key)
    ]
    return f"({written})" if any(is_operand(use) for use in uses) else written

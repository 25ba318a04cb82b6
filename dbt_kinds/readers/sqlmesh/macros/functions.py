"""SQLMesh's callable macros: loops, conditions, and those of `sql_macros.py`, which generate SQL."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Sequence
from functools import partial

from sqlglot import exp

from dbt_kinds.codes import CompileCode
from dbt_kinds.readers.sqlmesh.macros import sql_macros
from dbt_kinds.readers.sqlmesh.macros.arguments import Argument, items_of, read_lambda, tree_of, value_of
from dbt_kinds.readers.sqlmesh.macros.conditions import Unknown, evaluate
from dbt_kinds.readers.sqlmesh.macros.expand import expand_text
from dbt_kinds.readers.sqlmesh.macros.scope import Fragment, Lambda, Scope, plain_text, sql_of
from dbt_kinds.readers.sqlmesh.macros.variables import check_known, variable_placeholder

_REFUSED = frozenset({"RESOLVE_TEMPLATE", "THIS_ENV", "SCHEMAS", "VIEWS"})


def call_macro(name: str, arguments: Sequence[Argument], scope: Scope, line: int) -> Fragment:
    """Calls a macro.

    Raises:
        CompileError: it is a project macro, and those are not run (PythonMacro).
        CompileError: it is unknown, or has no counterpart (UnsupportedMacro).
    """
    key = name.lower()
    if key in scope.functions:
        return apply(scope.functions[key], [value_of(argument, scope) for argument in arguments], scope)
    if key in scope.python_macros:
        return _python(name, arguments, scope, line)
    macro = _MACROS.get(key)
    if macro is not None:
        return macro(arguments, scope, line)
    if key.upper() in _REFUSED:
        raise scope.error(
            CompileCode.UnsupportedMacro, f"@{name} has no counterpart in dbt; write the SQL it stands for", line
        )
    near = difflib.get_close_matches(key, [*_MACROS, *scope.functions, *scope.python_macros], 1)
    hint = f"did you mean @{near[0].upper()}?" if near else "no file of macros/ defines it; write its SQL instead"
    raise scope.error(CompileCode.UnsupportedMacro, f"@{name}() is no macro: {hint}", line)


def is_true(argument: Argument, scope: Scope) -> bool:
    """Evaluates a condition.

    Raises:
        CompileError: it needs values known only at run time (RuntimeCondition).
    """
    value = value_of(argument, scope)
    return bool(_evaluated(value, scope, argument.line))


def apply(function: Lambda, values: Sequence[Fragment], scope: Scope) -> Fragment:
    """The body of a lambda with its parameters substituted."""
    if len(values) != len(function.parameters) and len(values) == 1:
        inner = items_of(Argument(values[0] if isinstance(values[0], str) else "", function.line), scope)
        values = inner
    if len(values) != len(function.parameters):
        message = f"the lambda ({', '.join(function.parameters)}) -> … got {len(values)} values"
        raise scope.error(CompileCode.UnsupportedMacro, message, function.line)
    bound = dict(zip(function.parameters, values, strict=True))
    return value_of(Argument(function.body, function.line), scope.nested(bound))


def _python(name: str, arguments: Sequence[Argument], scope: Scope, line: int) -> Fragment:
    if scope.call_python is None:
        message = f"@{name}() is a Python macro of the project; pass --run-macros to run it, or write the SQL it makes"
        raise scope.error(CompileCode.PythonMacro, message, line)
    positional = [_flat(value_of(argument, scope)) for argument in arguments if not argument.name]
    named = {argument.name: _flat(value_of(argument, scope)) for argument in arguments if argument.name}
    return scope.call_python(name.lower(), positional, named, scope, line)


def _flat(value: Fragment) -> str:
    return f"[{', '.join(value)}]" if isinstance(value, list) else value or "NULL"


def _evaluated(value: Fragment, scope: Scope, line: int) -> object:
    if value is None or isinstance(value, list):
        return value
    try:
        return evaluate(tree_of(value, scope, line))
    except Unknown as unknown:
        message = f"'{value}' depends on values that exist only at run time; decide it here, or write it as SQL"
        raise scope.error(CompileCode.RuntimeCondition, message, line) from unknown


def _items_and_lambda(
    name: str, arguments: Sequence[Argument], scope: Scope, line: int
) -> tuple[list[str], Callable[..., Fragment]]:
    if len(arguments) < 2:
        raise scope.error(
            CompileCode.UnsupportedMacro, f"@{name} takes items and a lambda, as in @{name}([a, b], x -> @x)", line
        )
    *lists, last = arguments
    items = items_of(lists[0], scope) if len(lists) == 1 else [_flat(value_of(item, scope)) for item in lists]
    function = read_lambda(last, scope.dialect, scope.file)
    if function is None:
        raise scope.error(
            CompileCode.UnsupportedMacro, f"the last argument of @{name} is {last.text}; write x -> …", line
        )
    return items, lambda *values: apply(function, values, scope)


def _each(arguments: Sequence[Argument], scope: Scope, line: int) -> Fragment:
    items, function = _items_and_lambda("EACH", arguments, scope, line)
    made: list[str] = []
    for item in items:
        value = function(item)
        made.extend(value if isinstance(value, list) else [value] if value is not None else [])
    return made or None


def _reduce(arguments: Sequence[Argument], scope: Scope, line: int) -> Fragment:
    items, function = _items_and_lambda("REDUCE", arguments, scope, line)
    if not items:
        return None
    total: Fragment = items[0]
    for item in items[1:]:
        total = function(total, item)
    return total


def _filter(arguments: Sequence[Argument], scope: Scope, line: int) -> Fragment:
    items, function = _items_and_lambda("FILTER", arguments, scope, line)
    return [item for item in items if _evaluated(function(item), scope, line)]


def _if(arguments: Sequence[Argument], scope: Scope, line: int) -> Fragment:
    if len(arguments) not in (2, 3):
        raise scope.error(
            CompileCode.UnsupportedMacro, "@IF takes a condition, a value and perhaps another for else", line
        )
    if is_true(arguments[0], scope):
        return value_of(arguments[1], scope)
    return value_of(arguments[2], scope) if len(arguments) == 3 else None


def _eval(arguments: Sequence[Argument], scope: Scope, line: int) -> Fragment:
    if len(arguments) != 1:
        raise scope.error(CompileCode.UnsupportedMacro, "@EVAL takes one expression", line)
    return sql_of(_evaluated(value_of(arguments[0], scope), scope, line), scope.dialect)


def _combine(connector: str, arguments: Sequence[Argument], scope: Scope, line: int) -> Fragment:
    parts: list[str] = []
    for argument in arguments:
        value = value_of(argument, scope)
        items = value if isinstance(value, list) else [value] if value is not None else []
        for item in items:
            tree = tree_of(item, scope, line)
            if not isinstance(tree, exp.Null):
                parts.append(f"({item})" if isinstance(tree, exp.And | exp.Or) else item)
    return f" {connector} ".join(parts) or "TRUE"


def _sql(arguments: Sequence[Argument], scope: Scope, line: int) -> Fragment:
    if not arguments:
        raise scope.error(CompileCode.UnsupportedMacro, "@SQL takes a text", line)
    value = value_of(arguments[0], scope)
    if not isinstance(value, str):
        return value
    return expand_text(plain_text(value), scope.nested(), line)


def _var(arguments: Sequence[Argument], scope: Scope, line: int) -> Fragment:
    name = _name_argument("VAR", arguments, scope, line)
    configured = {key.lower(): value for key, value in scope.variables.items()}
    if name in configured:
        value = configured[name]
        if not scope.is_nested and isinstance(value, str | int | float):
            return variable_placeholder(name, value, scope)
        check_known(name, value, scope, line)
        scope.note(
            CompileCode.VariableFrozen,
            f"@VAR('{name}') was replaced by its value of today; compile again after it",
            line,
        )
        return sql_of(value, scope.dialect)
    if len(arguments) > 1:
        return value_of(arguments[1], scope)
    return "NULL"


def _blueprint_variable(arguments: Sequence[Argument], scope: Scope, line: int) -> Fragment:
    name = _name_argument("BLUEPRINT_VAR", arguments, scope, line)
    if name in scope.blueprint:
        return scope.blueprint[name]
    if len(arguments) > 1:
        return value_of(arguments[1], scope)
    raise scope.error(CompileCode.UndefinedMacroVariable, f"the model's blueprints have no {name}", line)


def _name_argument(macro: str, arguments: Sequence[Argument], scope: Scope, line: int) -> str:
    value = value_of(arguments[0], scope) if arguments else None
    if not isinstance(value, str) or not value.startswith("'"):
        raise scope.error(CompileCode.UnsupportedMacro, f"@{macro} takes the name of a variable in quotes", line)
    return plain_text(value).lower()


def _define(arguments: Sequence[Argument], scope: Scope, line: int) -> Fragment:
    """`@DEF(name, value)`: defines a variable and returns nothing."""
    name = plain_text(arguments[0].text).lower() if len(arguments) == 2 else ""
    if not name.isidentifier():
        raise scope.error(CompileCode.SqlParseError, "@DEF takes a name and a value, as in @DEF(size, 1)", line)
    function = read_lambda(arguments[1], scope.dialect, scope.file)
    if function is not None:
        scope.functions[name] = function
    else:
        scope.locals[name] = value_of(arguments[1], scope)
    return None


_MACROS: dict[str, Callable[[Sequence[Argument], Scope, int], Fragment]] = {
    "each": _each,
    "reduce": _reduce,
    "filter": _filter,
    "if": _if,
    "eval": _eval,
    "and": partial(_combine, "AND"),
    "or": partial(_combine, "OR"),
    "sql": _sql,
    "var": _var,
    "blueprint_var": _blueprint_variable,
    "def": _define,
    **sql_macros.MACROS,
}

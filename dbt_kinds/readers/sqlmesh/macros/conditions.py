"""Conditions of macros decided at compile time: expressions of literals, evaluated without a database."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from sqlglot import exp


class Unknown(Exception):  # noqa: N818 - no failure: the answer of an evaluation
    """The value depends on something that is not a literal."""


_BINARY: dict[type[exp.Expr], Callable[[Any, Any], Any]] = {
    exp.Add: operator.add,
    exp.Sub: operator.sub,
    exp.Mul: operator.mul,
    exp.Div: operator.truediv,
    exp.IntDiv: operator.floordiv,
    exp.Mod: operator.mod,
    exp.GT: operator.gt,
    exp.GTE: operator.ge,
    exp.LT: operator.lt,
    exp.LTE: operator.le,
    exp.EQ: operator.eq,
    exp.NEQ: operator.ne,
    exp.NullSafeEQ: operator.eq,
    exp.DPipe: lambda left, right: f"{left}{right}",
}
_FUNCTIONS: dict[type[exp.Expr], Callable[..., Any]] = {
    exp.Lower: lambda text: str(text).lower(),
    exp.Upper: lambda text: str(text).upper(),
    exp.Length: lambda value: len(value),
    exp.Trim: lambda text: str(text).strip(),
    exp.Abs: abs,
    exp.StartsWith: lambda text, prefix: str(text).startswith(str(prefix)),
}


def evaluate(tree: exp.Expr) -> Any:
    """Evaluates an expression of literals.

    Raises:
        Unknown: a part of it is not a literal, or the operation fails.
    """
    try:
        return _value(tree)
    except (TypeError, ArithmeticError, ValueError, IndexError, KeyError, OverflowError) as error:
        raise Unknown(str(error)) from error


def _value(tree: exp.Expr) -> Any:
    if isinstance(tree, exp.Literal):
        return tree.this if tree.is_string else float(tree.this) if "." in tree.this else int(tree.this)
    if isinstance(tree, exp.Boolean):
        return bool(tree.this)
    if isinstance(tree, exp.Null):
        return None
    if isinstance(tree, exp.Array | exp.Tuple):
        return [_value(item) for item in tree.expressions]
    if isinstance(tree, exp.Paren | exp.Alias):
        return _value(tree.this)
    if isinstance(tree, exp.Neg):
        return -_value(tree.this)
    if isinstance(tree, exp.Not):
        return not _value(tree.this)
    if isinstance(tree, exp.And):
        return _value(tree.left) and _value(tree.right)
    if isinstance(tree, exp.Or):
        return _value(tree.left) or _value(tree.right)
    if isinstance(tree, exp.Is):
        return _is(_value(tree.this), tree.expression)
    if isinstance(tree, exp.In):
        return _in(tree)
    if isinstance(tree, exp.Between):
        return _value(tree.args["low"]) <= _value(tree.this) <= _value(tree.args["high"])
    if isinstance(tree, exp.Case | exp.If):
        return _case(tree)
    if isinstance(tree, exp.Coalesce):
        found = [value for value in map(_value, [tree.this, *tree.expressions]) if value is not None]
        return found[0] if found else None
    if isinstance(tree, exp.Concat):
        return "".join(str(_value(item)) for item in tree.expressions)
    if type(tree) in _FUNCTIONS:
        arguments = [value for value in tree.args.values() if isinstance(value, exp.Expr)]
        return _FUNCTIONS[type(tree)](*map(_value, arguments))
    if isinstance(tree, exp.Binary) and type(tree) in _BINARY:
        left, right = _value(tree.left), _value(tree.right)
        result = _BINARY[type(tree)](left, right)
        # exact divisions keep integers
        return int(result) if isinstance(tree, exp.Div) and float(result).is_integer() else result
    raise Unknown(tree.sql())


def _is(value: Any, other: exp.Expr) -> bool:
    return bool(value is _value(other)) if isinstance(other, exp.Null | exp.Boolean) else bool(value == _value(other))


def _in(tree: exp.In) -> bool:
    if tree.args.get("query") or tree.args.get("unnest"):
        raise Unknown(tree.sql())
    return _value(tree.this) in [_value(item) for item in tree.expressions]


def _case(tree: exp.Expr) -> Any:
    if isinstance(tree, exp.If):
        chosen = tree.args.get("true") if _value(tree.this) else tree.args.get("false")
        return _value(chosen) if chosen is not None else None
    subject = tree.args.get("this")
    for branch in tree.args.get("ifs", []):
        test = _value(branch.this)
        if test if subject is None else test == _value(subject):
            return _value(branch.args["true"])
    default = tree.args.get("default")
    return _value(default) if default is not None else None

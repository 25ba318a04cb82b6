"""Expressions used by many translations."""

from __future__ import annotations

from sqlglot import exp


def call(name: str, *arguments: exp.Expr) -> exp.Anonymous:
    """A call with the given name, with copies of the arguments."""
    return exp.Anonymous(this=name, expressions=[argument.copy() for argument in arguments])


def unless_null(value: exp.Expr, then: exp.Expr) -> exp.Case:
    """An expression if a value is not NULL, else NULL."""
    return exp.Case(ifs=[exp.If(this=value.copy().is_(exp.null()).not_(), true=then)])


def unless_one_is_null(node: exp.Expr, values: list[exp.Expr]) -> exp.Expr:
    """A call, but NULL if one of these values is."""
    unknown = [value for value in values if not isinstance(value, exp.Literal)]
    if not unknown:
        return node
    is_null = exp.or_(*(value.copy().is_(exp.null()) for value in unknown), copy=False)
    return exp.If(this=is_null, true=exp.null(), false=node.copy())


def holder_of(node: exp.Expr) -> exp.Expr | None:
    """The expression that a node is a part of, parentheses left aside."""
    holder = node.parent
    while isinstance(holder, exp.Paren):
        holder = holder.parent
    return holder

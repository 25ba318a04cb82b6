"""Expressions that many translations are made of."""

from __future__ import annotations

from sqlglot import exp


def call(name: str, *arguments: exp.Expr) -> exp.Anonymous:
    """A call as it is written, of copies of the arguments."""
    return exp.Anonymous(this=name, expressions=[argument.copy() for argument in arguments])


def unless_null(value: exp.Expr, then: exp.Expr) -> exp.Case:
    """An expression where a value is known, else NULL."""
    return exp.Case(ifs=[exp.If(this=value.copy().is_(exp.null()).not_(), true=then)])

"""Calls of Spark's functions."""

from __future__ import annotations

from sqlglot import exp


def call(name: str, *arguments: exp.Expr) -> exp.Anonymous:
    """A call as it is written, of copies of the arguments."""
    return exp.Anonymous(this=name, expressions=[argument.copy() for argument in arguments])

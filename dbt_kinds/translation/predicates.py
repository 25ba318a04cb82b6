"""Predicates as operands: in Spark they bind more loosely than anything but NOT, AND and OR, so they need parentheses.

`a RLIKE 'x' = TRUE` is `a RLIKE ('x' = TRUE)` on Spark 3.5.9, and `a IN (1) = TRUE` is not valid.
"""

from __future__ import annotations

from sqlglot import exp

from dbt_kinds.translation.dialects import is_spark

_PREDICATES = (
    exp.Like,
    exp.ILike,
    exp.RegexpLike,
    exp.Escape,
    exp.In,
    exp.Between,
    exp.Is,
    exp.NullSafeEQ,
    exp.NullSafeNEQ,
    exp.Exists,
    exp.Not,
)
_TAKE_PREDICATES = (exp.Connector, exp.Paren, exp.Not, exp.Escape, exp.PropertyEQ)


def parenthesize_predicates(tree: exp.Expr, dialect: str) -> None:
    """Parenthesizes every predicate that is an operand.

    Spark's own operators keep their original grouping, however sqlglot parses them.
    """
    for node in list(tree.find_all(*_PREDICATES)):
        if is_operand(node) and (not is_spark(dialect) or _changes_its_form(node)):
            node.replace(exp.paren(node.copy()))


def is_predicate(node: exp.Expr) -> bool:
    """Whether a node is written as a predicate, or as NOT before one."""
    return isinstance(node, _PREDICATES)


def is_operand(node: exp.Expr) -> bool:
    """Whether a node is in a position where Spark requires parentheses around a predicate."""
    parent = node.parent
    if isinstance(parent, exp.In):
        return node.arg_key == "this"
    if _is_null_check(node) and node.arg_key != "this":
        # IS binds more loosely than = in every dialect, even where sqlglot parses it the other way
        return False
    is_operator = isinstance(parent, exp.Binary | exp.Unary | exp.Between)
    return is_operator and not isinstance(parent, _TAKE_PREDICATES)


def _is_null_check(node: exp.Expr) -> bool:
    return isinstance(node.this if isinstance(node, exp.Not) else node, exp.Is)


def _changes_its_form(node: exp.Expr) -> bool:
    """Whether it was a function, or `<=>`, and becomes a predicate."""
    return node.meta.get("start") is not None or isinstance(node, exp.NullSafeEQ)

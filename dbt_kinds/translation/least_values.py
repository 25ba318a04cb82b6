"""The least value that an integer may have, as far as an expression tells."""

from __future__ import annotations

from sqlglot import exp

from dbt_kinds.translation.literals import whole

_AT_LEAST_0 = (exp.Abs, exp.ArraySize, exp.ByteLength, exp.Count, exp.Length, exp.StrPosition)
_AT_LEAST_1 = (exp.Day, exp.Month, exp.RowNumber)


def least_value(node: exp.Expr) -> int | None:
    """The least value of an integer, None if unknown; NULL is none."""
    inner = node.unnest()
    if (number := whole(inner)) is not None:
        return number
    if isinstance(inner, exp.Add):
        left, right = least_value(inner.this), least_value(inner.expression)
        return None if left is None or right is None else left + right
    if isinstance(inner, exp.Sub) and isinstance(inner.expression.unnest(), exp.Literal):
        left, right = least_value(inner.this), least_value(inner.expression)
        return None if left is None or right is None else left - right
    if isinstance(inner, exp.Greatest):
        known = [least for value in (inner.this, *inner.expressions) if (least := least_value(value)) is not None]
        return max(known, default=None)
    if isinstance(inner, _AT_LEAST_1):
        return 1
    return 0 if isinstance(inner, _AT_LEAST_0) else None


def is_at_least(node: exp.Expr, least: int) -> bool:
    """Whether an integer is known to be as large as that."""
    known = least_value(node)
    return known is not None and known >= least

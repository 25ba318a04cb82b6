"""Parts of texts, whose positions dialects count otherwise where they are zero or negative."""

from __future__ import annotations

from sqlglot import exp

from dbt_kinds.readers.sqlmesh.translation.calls import call
from dbt_kinds.readers.sqlmesh.translation.patterns import found_part

_NEGATIVE_LEAVES_OUT = frozenset({"duckdb", "postgres"})
_ZERO_IS_BEFORE_THE_TEXT = frozenset({"duckdb", "postgres", "redshift"})


def left(node: exp.Left, dialect: str) -> exp.Expr:
    """`left(text, -n)`: all but the last n."""
    count = _negative(node.expression)
    if count is None or dialect not in _NEGATIVE_LEAVES_OUT:
        return node
    length = exp.Sub(this=call("LENGTH", node.this), expression=exp.Literal.number(count))
    return call("SUBSTRING", node.this, exp.Literal.number(1), length)


def right(node: exp.Right, dialect: str) -> exp.Expr:
    """`right(text, -n)`: all but the first n."""
    count = _negative(node.expression)
    if count is None or dialect not in _NEGATIVE_LEAVES_OUT:
        return node
    return call("SUBSTRING", node.this, exp.Literal.number(count + 1))


def substring(node: exp.Substring, dialect: str) -> exp.Expr:
    """`substring(text, 0, n)` has n - 1 characters, and `substring(text from pattern)` what a pattern finds."""
    start, length = node.args.get("start"), node.args.get("length")
    if dialect in ("postgres", "redshift") and isinstance(start, exp.Literal) and start.is_string and length is None:
        return found_part(node.this, start, None)
    if dialect not in _ZERO_IS_BEFORE_THE_TEXT or not isinstance(start, exp.Literal) or start.name != "0":
        return node
    one = exp.Literal.number(1)
    if length is None:
        return call("SUBSTRING", node.this, one)
    shorter = (
        exp.Literal.number(max(int(length.name) - 1, 0))
        if length.is_int
        else exp.Sub(this=length.copy(), expression=one)
    )
    return call("SUBSTRING", node.this, one.copy(), shorter)


def _negative(count: exp.Expr) -> int | None:
    is_written = isinstance(count, exp.Neg) and isinstance(count.this, exp.Literal) and count.this.is_int
    return int(count.this.name) if is_written else None

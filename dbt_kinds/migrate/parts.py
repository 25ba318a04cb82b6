"""Parts of times: the year, quarter or month of one as a number, and sums of such numbers."""

from __future__ import annotations

from collections.abc import Iterable

from sqlglot import exp

from dbt_kinds.migrate.durations import unit_name
from dbt_kinds.migrate.epochs import without_number_casts

PARTS = ("year", "quarter", "month")
_FUNCTIONS: dict[type[exp.Expr], str] = {exp.Year: "year", exp.Quarter: "quarter", exp.Month: "month"}


class Part(str):
    """The name of a part, where a unit stands for a time that is truncated to it."""


def part_in(node: exp.Expr) -> tuple[str, exp.Expr] | None:
    """The part of a time that a number is, and that time: the month of d for `extract(month from d)`."""
    node = without_number_casts(node)
    name = _FUNCTIONS.get(type(node))
    if name is not None:
        time = node.this
    elif isinstance(node, exp.Extract):
        name, time = unit_name(node.name), node.expression
    else:
        return None
    if name not in PARTS:
        return None
    # what Spark's own functions are read as
    return name, inside(time, exp.TsOrDsToDate, exp.Paren)


def inside(node: exp.Expr, *around: type[exp.Expr]) -> exp.Expr:
    """What brackets, casts or others of some kinds are around."""
    while isinstance(node, around):
        node = node.this
    return node


def whole_of(parts: Iterable[str]) -> str | None:
    """The unit that parts of one time determine together: its month for its year and month; None for months alone."""
    given = set(parts)
    if "year" not in given:
        return None
    return "month" if "month" in given else "quarter" if "quarter" in given else "year"


def terms(node: exp.Expr) -> list[tuple[int, exp.Expr]] | None:
    """The summands of a sum, each with the whole number that it is multiplied by; None for another calculation."""
    node = without_number_casts(node)
    if isinstance(node, exp.Add):
        sides = [terms(node.this), terms(node.expression)]
        return None if sides[0] is None or sides[1] is None else sides[0] + sides[1]
    if isinstance(node, exp.Mul):
        for one, other in ((node.this, node.expression), (node.expression, node.this)):
            times = without_number_casts(other)
            if isinstance(times, exp.Literal) and times.is_int:
                inner = terms(one)
                return None if inner is None else [(count * int(times.name), made) for count, made in inner]
        return None
    return [(1, node)] if isinstance(node, exp.Column) or part_in(node) is not None else None

"""What is known of a filtered time in a select: the expressions that are it, or it truncated, or a part of it."""

from __future__ import annotations

from sqlglot import exp

from dbt_kinds.migrate.bounds import truncation
from dbt_kinds.migrate.durations import UNITS, coarser, holds_whole
from dbt_kinds.migrate.epochs import counted, without_number_casts
from dbt_kinds.migrate.parts import Part, part_in

Known = list[tuple[exp.Expr, str | None]]


def same(first: exp.Expr, second: exp.Expr) -> bool:
    """Whether two expressions are the same, ignoring case; a name without its table may belong to any table."""
    if type(first) is not type(second):
        return False
    if isinstance(first, exp.Column) and isinstance(second, exp.Column):
        tables = (first.table.lower(), second.table.lower())
        return first.name.lower() == second.name.lower() and (tables[0] == tables[1] or "" in tables)
    if isinstance(first, exp.Literal | exp.Var | exp.Identifier | exp.DataType):
        return first.sql().lower() == second.sql().lower()
    keys = {key for key, value in first.args.items() if value} | {key for key, value in second.args.items() if value}
    for key in keys - {"_type"}:
        mine, theirs = first.args.get(key), second.args.get(key)
        lists = [value if isinstance(value, list) else [value] for value in (mine, theirs)]
        if len(lists[0]) != len(lists[1]):
            return False
        for one, other in zip(*lists, strict=True):
            if isinstance(one, exp.Expr) and isinstance(other, exp.Expr):
                if not same(one, other):
                    return False
            elif one != other:
                return False
    return True


def known_from(expression: exp.Expr) -> Known:
    """An expression, and what it truncates and casts."""
    known: Known = [(expression, None)]
    inner = truncation(expression)
    while inner is not None:
        # `date(ts)` is filtered: the column itself is known to that precision
        known = [(known[0][0], coarser(known[0][1], inner[1])), *known[1:], (inner[0], None)]
        inner = truncation(inner[0])
    for one in list(known):
        if isinstance(one[0], exp.Cast | exp.Paren) and truncation(one[0]) is None:
            known.append((one[0].this, one[1]))
            if counted(one[0]) is not None:
                known.append((without_number_casts(one[0]), one[1]))
    if isinstance(expression, exp.DateFromParts):
        # the first day of a month of a year
        known.append((expression.args["year"], Part("year")))
        if isinstance(expression.args["month"], exp.Column):
            known.append((expression.args["month"], Part("month")))
    return known


def unit_of(node: exp.Expr, known: Known) -> tuple[bool, str | None]:
    """Whether an expression is a known one or a truncation of it, and the unit of truncation."""
    for expression, unit in known:
        if not isinstance(unit, Part) and same(node, expression):
            return True, unit
    is_same = isinstance(node, exp.Coalesce) and all(isinstance(other, exp.Null) for other in node.expressions)
    if is_same or isinstance(node, exp.Paren):
        return unit_of(node.this, known)
    inner = truncation(node)
    if inner is not None:
        is_known, unit = unit_of(inner[0], known)
        return is_known, coarser(unit, inner[1]) if is_known else None
    if isinstance(node, exp.Cast) and node.to.this in exp.DataType.TEMPORAL_TYPES:
        return unit_of(node.this, known)
    return False, None


def part_of(node: exp.Expr, known: Known) -> Part | None:
    """The part of a known time that an expression is as a number: its year, quarter or month."""
    node = without_number_casts(node)
    for expression, unit in known:
        if isinstance(unit, Part) and same(node, expression):
            return unit
    made = part_in(node)
    is_known, unit = unit_of(made[1], known) if made is not None else (False, None)
    if made is None or not is_known:
        return None
    # the year of a week is that of its Monday
    return Part(made[0]) if unit not in UNITS or (unit != "week" and holds_whole(made[0], unit)) else None

"""The term of an expression: how much of it is truncation and shift; anything else only equals an identical
expression.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sqlglot import exp

from dbt_kinds.analysis.interval_literals import read_interval
from dbt_kinds.analysis.margins import DAY, Margin
from dbt_kinds.analysis.terms import Term
from dbt_kinds.analysis.tree import without_parentheses
from dbt_kinds.analysis.units import LENGTHS, TRUNCATIONS, is_finer

Resolve = Callable[[exp.Column], Term]
Unite = Callable[[list[Term]], Term | None]

_TIMESTAMPS = {"TIMESTAMP", "TIMESTAMPTZ", "TIMESTAMPLTZ", "TIMESTAMPNTZ", "DATETIME"}


class Reader:
    """Reads expressions of one scope. `resolve` gives the term of a column, `unite` that of COALESCE over terms."""

    def __init__(self, resolve: Resolve, unite: Unite) -> None:
        """Stores the two callbacks."""
        self.resolve, self.unite = resolve, unite

    def term(self, node: exp.Expr) -> Term:
        """The term of an expression."""
        node = without_parentheses(node)
        if isinstance(node, exp.Column):
            return self.resolve(node)
        return self._time(node) or self._opaque(node)

    def _time(self, node: exp.Expr) -> Term | None:
        if isinstance(node, exp.Cast):
            return self._cast(node)
        if isinstance(node, (exp.TsOrDsToDate, exp.Date, exp.TsOrDsToTimestamp)):
            lone = not node.args.get("format") and not node.args.get("zone") and not node.expressions
            if not lone or node.this is None:
                return None
            return self.term(node.this).truncated("day", "date")
        if isinstance(node, (exp.TimestampTrunc, exp.DateTrunc)):
            return self._truncation(node)
        if isinstance(node, exp.TsOrDsAdd):
            return self._moved_date(node.this, node.expression, (node.args.get("unit") or exp.var("day")).name)
        if isinstance(node, exp.AddMonths):
            return self._moved_date(node.this, node.expression, "month")
        if isinstance(node, exp.TimestampAdd):
            length = _counted(node.expression, (node.args.get("unit") or exp.var("")).name)
            return self.term(node.this).shifted(length) if length is not None else None
        if isinstance(node, (exp.DateAdd, exp.DateSub)):
            length = read_interval(node.expression) or _counted(
                node.expression, (node.args.get("unit") or exp.var("day")).name
            )
            if length is None:
                return None
            return self.term(node.this).shifted(length if isinstance(node, exp.DateAdd) else length.negated())
        if isinstance(node, (exp.Add, exp.Sub)):
            return self._sum(node)
        if isinstance(node, exp.Coalesce):
            return self.unite([self.term(part) for part in (node.this, *node.expressions)])
        return None

    def _cast(self, node: exp.Cast) -> Term | None:
        to = node.to.this
        name = getattr(to, "name", str(to))
        if isinstance(without_parentheses(node.this), exp.Literal):
            return None
        if name == "DATE":
            return self.term(node.this).truncated("day", "date")
        return self.term(node.this)._replace(kind="timestamp") if name in _TIMESTAMPS else None

    def _truncation(self, node: exp.Expr) -> Term | None:
        unit = TRUNCATIONS.get(node.args["unit"].name.lower()) if node.args.get("unit") is not None else None
        if unit is None or node.args.get("zone"):
            return None
        is_trunc = isinstance(node, exp.DateTrunc)
        if is_trunc and isinstance(node.args["unit"], exp.Literal) and is_finer(unit, "week"):
            # TRUNC(c, 'DAY') is NULL
            return None
        return self.term(node.this).truncated(unit, "date" if is_trunc else "timestamp")

    def _moved_date(self, moved: exp.Expr, count: exp.Expr, unit: str) -> Term | None:
        length = _counted(count, unit)
        return self.term(moved).truncated("day", "date").shifted(length) if length is not None else None

    def _sum(self, node: exp.Add | exp.Sub) -> Term | None:
        moved, by = node.this, node.expression
        length = read_interval(by)
        if length is None and isinstance(node, exp.Add) and (length := read_interval(moved)) is not None:
            moved, by = by, moved
        if length is not None:
            if read_interval(moved) is not None:
                return None
            return self.term(moved).shifted(length if isinstance(node, exp.Add) else length.negated())
        days = read_integer(by)
        if days is None and isinstance(node, exp.Add) and (days := read_integer(moved)) is not None:
            moved = by
        if days is None:
            return None
        term = self.term(moved)
        if term.kind != "date":
            return None
        return term.shifted(Margin(0, days * DAY if isinstance(node, exp.Add) else -days * DAY))

    def _opaque(self, node: exp.Expr) -> Term:
        if any(_is_of_its_own(part) for part in node.walk()):
            # a column that this query creates: its value here says nothing about its value elsewhere
            return Term(("column", f"{id(node)}" if node.find(exp.Query) else node.sql().lower()))
        terms: list[Term] = []
        text = repr(self._canonical(node, terms))
        return Term(("expression", text, tuple(terms)))

    def _canonical(self, node: Any, terms: list[Term]) -> Any:
        """The expression without layout and names: nested tuples in which columns are numbered."""
        if isinstance(node, exp.Column) and not isinstance(node.this, exp.Star):
            terms.append(self.resolve(node))
            return len(terms) - 1
        if isinstance(node, exp.Paren):
            return self._canonical(node.this, terms)
        if isinstance(node, exp.Identifier):
            return ("name", node.name.lower())
        if isinstance(node, exp.Anonymous):
            arguments = [self._canonical(part, terms) for part in node.expressions]
            return ("call", str(node.this).lower(), arguments)
        if isinstance(node, exp.Expr):
            parts = [(name, self._canonical(value, terms)) for name, value in node.args.items() if value]
            return (type(node).__name__, parts)
        if isinstance(node, list):
            return [self._canonical(part, terms) for part in node]
        return node


# Spark's generators that sqlglot knows as plain functions
_GENERATORS = frozenset(["explode_outer", "posexplode_outer", "inline", "inline_outer", "stack"])


def _is_of_its_own(node: exp.Expr) -> bool:
    """Whether a value is not determined by its columns: that of a generator, a window function or a query."""
    if isinstance(node, exp.Anonymous):
        return str(node.this).lower() in _GENERATORS
    return isinstance(node, (exp.UDTF, exp.Window, exp.Query))


def read_integer(node: exp.Expr | None) -> int | None:
    """An integer, also negative, in parentheses, or multiplied by one, as sqlglot rewrites `date_sub`."""
    if isinstance(node, exp.Paren):
        return read_integer(node.this)
    if isinstance(node, exp.Neg):
        inner = read_integer(node.this)
        return -inner if inner is not None else None
    if isinstance(node, exp.Mul):
        left, right = read_integer(node.this), read_integer(node.expression)
        return left * right if left is not None and right is not None else None
    if isinstance(node, exp.Literal) and not node.is_string and node.name.isdigit():
        return int(node.name)
    return None


def _counted(count: exp.Expr, unit: str) -> Margin | None:
    number, of = read_integer(count), LENGTHS.get(unit.lower().removesuffix("s"))
    return Margin(number * of.months, number * of.micros) if number is not None and of is not None else None

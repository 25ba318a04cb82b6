"""How a column or expression depends on time: a variable, with truncations and shifts applied to it.

A variable is one of

* `("time",)` the time of a timeseries source, for both of its time columns; `("column", name)` any other column
* `("expression", text, terms)` anything else, equal only to an identical expression
* `("coalesce", terms)` the common value of columns equated by a full join
* `("union", terms)` the value of a set operation's column, a term for each branch
* `("in", input, variable)` a variable of something in FROM, `("up", variable)` one of the outer query of a subquery
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from dbt_kinds.analysis.margins import NOTHING, Margin
from dbt_kinds.analysis.units import is_multiple, nests

Variable = tuple[Any, ...]
TIME: Variable = ("time",)


class Truncation(NamedTuple):
    """Down to the start of a unit."""

    unit: str


class Shift(NamedTuple):
    """Later by a literal; earlier if it is negative."""

    by: Margin


Operation = Truncation | Shift


class Term(NamedTuple):
    """A variable after some operations. `kind` is date, timestamp, or None if unknown."""

    variable: Variable
    operations: tuple[Operation, ...] = ()
    kind: str | None = None

    def truncated(self, unit: str, kind: str | None) -> Term:
        """The term truncated to a unit."""
        done = self.operations
        if done and isinstance(done[-1], Truncation):
            if nests(unit, done[-1].unit):
                return self._replace(kind=kind)
            if nests(done[-1].unit, unit):
                return Term(self.variable, (*done[:-1], Truncation(unit)), kind)
        match done[-2:]:
            case (Truncation(known), Shift(by)) if nests(unit, known) and is_multiple(by, unit):
                return self._replace(kind=kind)
        return Term(self.variable, (*done, Truncation(unit)), kind)

    def shifted(self, by: Margin) -> Term:
        """The term moved by a literal."""
        done = self.operations
        kind = "timestamp" if self.kind == "date" and not is_multiple(by, "day") else self.kind
        last = done[-1] if done else None
        if isinstance(last, Shift) and not (last.by.months or by.months):
            done, by = done[:-1], last.by.plus(by)
        return Term(self.variable, done if by == NOTHING else (*done, Shift(by)), kind)

    def after(self, inner: Term) -> Term:
        """This term with its variable replaced by another term."""
        result = inner
        for operation in self.operations:
            if isinstance(operation, Truncation):
                result = result.truncated(operation.unit, self.kind)
            else:
                result = result.shifted(operation.by)
        return result._replace(kind=self.kind or inner.kind)

    @property
    def same(self) -> tuple[Variable, tuple[Operation, ...]]:
        """A key that is equal for terms with the same value."""
        return self.variable, self.operations


def within(name: str, term: Term) -> Term:
    """A term of a FROM item, as seen by the scope that reads it under this name."""
    return term._replace(variable=_within(name, term.variable))


def _within(name: str, variable: Variable) -> Variable:
    if variable[0] == "up":
        return tuple(variable[1])
    if variable[0] == "expression":
        return ("expression", variable[1], tuple(within(name, term) for term in variable[2]))
    return ("in", name, variable)


def inside(name: str, term: Term) -> Term | None:
    """The same value as seen by the FROM item; None if it does not depend on that item's columns alone."""
    variable = inside_variable(name, term.variable)
    return term._replace(variable=variable) if variable is not None else None


def inside_variable(name: str, variable: Variable) -> Variable | None:
    """The variable as seen by the FROM item."""
    if variable[0] == "in":
        return tuple(variable[2]) if variable[1] == name else None
    if variable[0] == "expression" and variable[2]:
        terms = [inside(name, term) for term in variable[2]]
        found = tuple(term for term in terms if term is not None)
        return ("expression", variable[1], found) if len(found) == len(terms) else None
    return None


def inputs_of(variable: Variable) -> frozenset[str]:
    """The names of the FROM items that a variable depends on."""
    if variable[0] == "in":
        return frozenset([variable[1]])
    if variable[0] in ("expression", "coalesce"):
        return frozenset().union(*(inputs_of(term.variable) for term in variable[-1]))
    return frozenset()


def is_outer(variable: Variable) -> bool:
    """Whether it comes from the outer query."""
    return bool(variable[0] == "up")


def determines(key: Term, value: Term) -> bool:
    """Whether the key determines the value: the value is the key itself, or the key further truncated and shifted."""
    if key.variable != value.variable:
        return False
    known = list(key.operations)
    while known and isinstance(known[-1], Shift) and not known[-1].by.months:
        if value.operations[: len(known)] == tuple(known):
            return True
        known.pop()
    if value.operations[: len(known)] == tuple(known):
        return True
    last, rest = known[-1], known[:-1]
    if not isinstance(last, Truncation) or value.operations[: len(rest)] != tuple(rest):
        return False
    match value.operations[len(rest) : len(rest) + 1]:
        case (Truncation(unit),):
            return nests(last.unit, unit)
    return False


def is_fixed_by(keys: Sequence[Term], value: Term) -> bool:
    """Whether the keys determine the value, each of its parts by one of them."""
    if any(determines(key, value) for key in keys):
        return True
    if value.variable[0] != "expression":
        return False
    parts: tuple[Term, ...] = value.variable[2]
    return bool(parts) and all(is_fixed_by(keys, part) for part in parts)

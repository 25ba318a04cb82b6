"""Scopes: each SELECT with what it reads and the terms of what it projects, resolved through CTEs and subqueries."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from sqlglot import exp

from dbt_kinds.analysis.catalogue import Catalogue, Relation
from dbt_kinds.analysis.terms import TIME, Term, Truncation, within


@dataclass(eq=False)
class Definition:
    """A CTE: its query is built once and shared by all references."""

    query: exp.Expr
    names: tuple[str, ...]
    names_visible: Mapping[str, Definition]
    is_recursive: bool = False
    is_being_built: bool = False
    built: Scope | None = None


@dataclass(eq=False)
class Output:
    """A projected column."""

    name: str
    term: Term
    node: exp.Expr | None


@dataclass(eq=False)
class Input:
    """Something in FROM or JOIN."""

    name: str
    node: exp.Expr
    relation: Relation | None = None
    query: Scope | None = None
    columns: tuple[str, ...] | None = None
    names: tuple[str, ...] = ()
    is_lateral: bool = False
    is_hidden: bool = False
    is_opaque: bool = False

    def column(self, name: str) -> Term | None:
        """The term of a column, as seen by the reading scope; None if the input is known to lack it."""
        name = name.lower()
        term: Term | None
        if self.is_opaque:
            term = Term(("column", name))
        elif self.query is not None:
            term = self.query.column(name, self.names)
        elif self.relation is not None:
            term = self._relation_column(self.relation, name)
        else:
            term = Term(("column", name)) if self.columns is None or name in self.columns else None
        return within(self.name, term) if term is not None else None

    @property
    def is_open(self) -> bool:
        """Whether it may have unknown columns."""
        if self.is_opaque:
            return True
        if self.query is not None:
            return self.query.is_open
        if self.relation is not None:
            return self.relation.columns is None
        return self.columns is None

    def has(self, name: str) -> bool:
        """Whether it is known to have the column."""
        if self.query is not None:
            return name.lower() in self.column_names
        if self.relation is not None and self.relation.timeseries is not None:
            series = self.relation.timeseries
            if name.lower() in (series.partition_column.lower(), series.event_time_column.lower()):
                return True
        return name.lower() in self.column_names

    @property
    def column_names(self) -> tuple[str, ...]:
        """The names of its known columns, in order."""
        if self.query is not None:
            return self.query.names_as(self.names)
        if self.relation is not None:
            known = tuple(column.lower() for column in self.relation.columns or ())
            return tuple(self.names) + known[len(self.names) :] if self.names else known
        return self.columns or ()

    def _relation_column(self, relation: Relation, name: str) -> Term | None:
        if self.names:
            names = self.column_names
            if name not in names:
                return None
            known = [column.lower() for column in relation.columns or ()]
            name = known[names.index(name)] if names.index(name) < len(known) else name
        series = relation.timeseries
        data_type = relation.column_type(name)
        kind = "date" if data_type == "date" else "timestamp" if (data_type or "").startswith("timestamp") else None
        if series is not None and name == series.event_time_column.lower():
            return Term(TIME, (), kind)
        if series is not None and name == series.partition_column.lower():
            return Term(TIME, (Truncation(series.unit),), kind)
        if relation.columns is not None and data_type is None:
            return None
        return Term(("column", name), (), kind)


@dataclass(eq=False)
class Subquery:
    """A query used as an expression, or LATERAL."""

    node: exp.Expr
    scope: Scope


class Scope:
    """A query: one SELECT, or a set operation of two."""

    node: exp.Expr
    outputs: list[Output]
    is_open = False

    def column(self, name: str, names: tuple[str, ...] = ()) -> Term | None:
        """The term of an output in this scope's own variables."""
        name = name.lower()
        for written, output in zip(self.names_as(names), self.outputs, strict=False):
            if written == name:
                return output.term
        return None

    def names_as(self, names: tuple[str, ...]) -> tuple[str, ...]:
        """The names of the outputs, the first of which may have been renamed."""
        own = tuple(output.name for output in self.outputs)
        return names + own[len(names) :]

    def ordinal(self, name: str) -> int | None:
        """The position of an output."""
        names = self.names_as(())
        return names.index(name.lower()) if name.lower() in names else None

    @cached_property
    def sources(self) -> frozenset[str]:
        """Addresses of the timeseries sources read here or below."""
        raise NotImplementedError


@dataclass(eq=False)
class SelectScope(Scope):
    """One SELECT."""

    node: exp.Expr
    catalogue: Catalogue
    outer: SelectScope | None = None
    inputs: dict[str, Input] = field(default_factory=dict)
    joins: list[JoinStep] = field(default_factory=list)
    merged: dict[str, Term] = field(default_factory=dict)
    outputs: list[Output] = field(default_factory=list)
    open_inputs: list[Input] = field(default_factory=list)
    subqueries: list[Subquery] = field(default_factory=list)

    @property
    def is_open(self) -> bool:  # type: ignore[override]
        """Whether a star hides unknown columns."""
        return bool(self.open_inputs)

    def column(self, name: str, names: tuple[str, ...] = ()) -> Term | None:
        """The term of an output; one that only a star can supply is resolved where the star reads."""
        known = super().column(name, names)
        if known is not None:
            return known
        return next((term for read in self.open_inputs if (term := read.column(name)) is not None), None)

    @cached_property
    def sources(self) -> frozenset[str]:
        """Addresses of the timeseries sources read here or below."""
        return (
            frozenset()
            .union(*(sources_of(read) for read in self.inputs.values()))
            .union(*(subquery.scope.sources for subquery in self.subqueries))
        )


@dataclass(eq=False)
class SetScope(Scope):
    """A UNION, INTERSECT or EXCEPT of two queries."""

    node: exp.Expr
    branches: tuple[Scope, Scope]
    outputs: list[Output] = field(default_factory=list)

    @property
    def is_open(self) -> bool:  # type: ignore[override]
        """Whether a star hides unknown columns."""
        return any(branch.is_open for branch in self.branches)

    def column(self, name: str, names: tuple[str, ...] = ()) -> Term | None:
        """The term of an output."""
        known = super().column(name, names)
        if known is not None or not self.is_open or self.outputs:
            return known
        terms = [branch.column(name) for branch in self.branches]
        found = [term for term in terms if term is not None]
        return united(found) if len(found) == len(terms) else None

    @cached_property
    def sources(self) -> frozenset[str]:
        """Addresses of the timeseries sources read here or below."""
        return frozenset().union(*(branch.sources for branch in self.branches))


@dataclass(eq=False)
class JoinStep:
    """How one more group of inputs is joined to the previous ones."""

    side: str
    left: frozenset[str]
    right: frozenset[str]
    on: exp.Expr | None
    equated: list[tuple[Term, Term]]


def sources_of(read: Input) -> frozenset[str]:
    """Addresses of the timeseries sources below an input."""
    if read.query is not None:
        return read.query.sources
    if read.relation is not None and read.relation.timeseries is not None:
        return frozenset([read.relation.address])
    return frozenset()


def united(terms: list[Term]) -> Term:
    """The term of a set operation's column: operations common to all branches are applied after the union."""
    kinds = {term.kind for term in terms}
    kind = kinds.pop() if len(kinds) == 1 else None
    if len({term.operations for term in terms}) == 1:
        variable = ("union", tuple(Term(term.variable) for term in terms))
        return Term(variable, terms[0].operations, kind)
    return Term(("union", tuple(term._replace(kind=None) for term in terms)), (), kind)


def scopes_below(scope: Scope) -> Iterator[Scope]:
    """The scope and everything it reads, without duplicates."""
    seen: set[int] = set()
    waiting: list[Scope] = [scope]
    while waiting:
        found = waiting.pop()
        if id(found) in seen:
            continue
        seen.add(id(found))
        yield found
        if isinstance(found, SetScope):
            waiting.extend(found.branches)
        elif isinstance(found, SelectScope):
            waiting.extend(read.query for read in found.inputs.values() if read.query is not None)
            waiting.extend(subquery.scope for subquery in found.subqueries)

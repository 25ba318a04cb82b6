"""The queries of a project's other models, for what a model's columns come from: their types and time zones."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from sqlglot import exp
from sqlglot.errors import SqlglotError

from dbt_kinds.errors import UnrenderableError
from dbt_kinds.migrate.dialects import statement_of
from dbt_kinds.migrate.trace import sources_of
from dbt_kinds.readers.dbt.project import DbtProject, Properties
from dbt_kinds.readers.dbt.rendering import Names, Renderer, with_plain_lengths

_DEEPEST = 30
_BUILT_AGAIN = frozenset({None, "view", "table", "ephemeral"})
_PLACEHOLDER = re.compile(r"(kinds_[a-z]+)_\d+\b")


@dataclass(frozen=True)
class Query:
    """A model's query as its first load runs it, the meaning of the names in it, and the variables that switch it."""

    name: str
    tree: exp.Query
    names: Names
    switches: tuple[str, ...] = ()


@dataclass(frozen=True)
class Place:
    """An expression of a select, and the meaning of the names in it."""

    expression: exp.Expr
    select: exp.Select
    names: Names


@dataclass(frozen=True)
class NumberUse:
    """A timestamp that a model makes of a column that is a number; `unit` is what that counts since 1970."""

    column: exp.Column
    select: exp.Select
    names: Names
    model: str
    written: str
    unit: str


@dataclass
class Parents:
    """The models of a project by their names, each parsed when it is first asked for.

    Attributes:
        number_uses: the timestamps that any model makes of numbers, once they were looked for.
    """

    project: DbtProject
    dialect: str
    adapter: str
    number_uses: list[NumberUse] | None = None
    _known: dict[str, Query | None] = field(default_factory=dict)

    def query(self, name: str) -> Query | None:
        """A model's query; None if it cannot be read, or is not in the project."""
        if name not in self._known:
            # a model that reads itself ends here
            self._known[name] = None
            self._known[name] = self._read(name)
        return self._known[name]

    def _read(self, name: str) -> Query | None:
        model = self.project.models_by_name.get(name)
        if model is None or model.is_python:
            return None
        renderer = Renderer(
            self.project.macros,
            self.project.variables,
            self.adapter,
            self.project.name,
            names := Names(),
            config=model.config,
        )
        renderer.incremental = False
        try:
            tree = statement_of(with_plain_lengths(renderer.render(model.text)[0]), self.dialect)
        except (UnrenderableError, SqlglotError, RecursionError):
            return None
        switches = tuple(switching(renderer, model.text))
        return Query(name, tree, names, switches) if isinstance(tree, exp.Query) else None

    def is_built_again(self, place: Place) -> bool:
        """Whether a place is in a view or table of the project, whose rows no earlier run has left."""
        name = next((name for name, query in self._known.items() if query and query.names is place.names), None)
        model = self.project.models_by_name.get(name) if name is not None else None
        return model is not None and model.config.get("materialized") in _BUILT_AGAIN

    def properties(self, table: str, names: Names) -> Properties | None:
        """What YAML says of the relation that a placeholder stands for."""
        relation = names.relations.get(table)
        if relation is None:
            return None
        if relation[0] == "ref":
            return self.project.model_properties.get(relation[-1])
        return self.project.source_types.get((relation[1], relation[-1]))

    def origins(self, column: exp.Column, select: exp.Select, names: Names) -> Iterator[Place | str]:
        """Where a column of a select comes from: an expression below it, or a declared type; nothing if unknown."""
        for source in sources_of(select):
            if column.table and source.alias_or_name.lower() != column.table.lower():
                continue
            if isinstance(source, exp.Subquery):
                yield from self._below(source.this, column, names)
                continue
            query = cte_of(source) if isinstance(source, exp.Table) else None
            if query is not None:
                yield from self._below(query, column, names)
            elif isinstance(source, exp.Table):
                yield from self._of_relation(source.name, column, names)

    def _of_relation(self, table: str, column: exp.Column, names: Names) -> Iterator[Place | str]:
        properties = self.properties(table, names)
        declared = properties.types.get(column.name.lower()) if properties is not None else None
        if declared is not None:
            yield declared
            return
        relation = names.relations.get(table)
        parent = self.query(relation[-1]) if relation is not None and relation[0] == "ref" else None
        if parent is not None:
            yield from self._below(parent.tree, column, parent.names)

    def _below(self, query: exp.Expr | None, column: exp.Column, names: Names) -> Iterator[Place | str]:
        while isinstance(query, exp.SetOperation | exp.Subquery):
            query = query.this
        if not isinstance(query, exp.Select):
            return
        for projection in query.expressions:
            if projection.alias_or_name.lower() == column.name.lower() and not projection.is_star:
                yield Place(projection.unalias(), query, names)
                return
        for projection in query.expressions:
            if projection.is_star:
                table = projection.table if isinstance(projection, exp.Column) else ""
                yield Place(exp.column(column.name, table=table or None), query, names)

    def lineage(self, expression: exp.Expr, select: exp.Select, names: Names) -> Iterator[Place]:
        """An expression, and all expressions that its columns come from, nearest first."""
        waiting = [(Place(expression, select, names), 0)]
        seen: set[tuple[int, str, str]] = set()
        while waiting:
            place, depth = waiting.pop(0)
            yield place
            for column in place.expression.find_all(exp.Column) if depth < _DEEPEST else ():
                # a column of a select is followed once, whatever asks for it
                key = (id(place.select), column.table.lower(), column.name.lower())
                if key in seen:
                    continue
                seen.add(key)
                found = self.origins(column, place.select, place.names)
                waiting += [(origin, depth + 1) for origin in found if isinstance(origin, Place)]


def switching(renderer: Renderer, text: str, context: Mapping[str, Any] | None = None) -> Iterator[str]:
    """The variables that switch what a template prints, of those that were asked when it was rendered."""
    names = renderer.names
    for variable in sorted(names.asked):
        written = set()
        for answer in (False, True):
            names.forced[variable] = answer
            try:
                written.add(" ".join(_PLACEHOLDER.sub(r"\1", renderer.render(text, **(context or {}))[0]).split()))
            except UnrenderableError:
                written.add("")
            finally:
                del names.forced[variable]
        if len(written) > 1:
            yield variable


def cte_of(table: exp.Table) -> exp.Expr | None:
    """The query of the CTE that a table's name refers to."""
    if table.db:
        return None
    node: exp.Expr | None = table
    while node is not None:
        with_ = node.args.get("with_") or node.args.get("with")
        if with_ is not None:
            for cte in with_.expressions:
                if cte.alias.lower() == table.name.lower() and table.find_ancestor(exp.CTE) is not cte:
                    return cte.this  # type: ignore[no-any-return]
        node = node.parent
    return None

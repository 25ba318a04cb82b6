"""Which columns a query reads of its inputs, found through its CTEs and subqueries."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from sqlglot import exp
from sqlglot.optimizer.scope import Scope, build_scope

from dbt_kinds.prove.verdict import NotTriedError

Known = Mapping[str, Iterable[str]]


class ColumnsRead:
    """The columns of each input, by its table in DuckDB, in lower case.

    Attributes:
        found: the columns by input.
        bounded: the inputs whose rows a window chooses.
    """

    def __init__(self, inputs: Iterable[str], known: Known) -> None:
        """`known` are columns that an input is declared to have."""
        self.found: dict[str, set[str]] = {name: set() for name in inputs}
        self._known = {name: {column.lower() for column in columns} for name, columns in known.items()}
        # what arrays are unfolded to
        self._elements: set[str] = set()
        self._seen: set[tuple[int, str]] = set()

    def read(self, tree: exp.Query, wanted: Iterable[str] = ()) -> None:
        """Adds what a query reads; `wanted` are columns that its result has to have."""
        root = build_scope(tree)
        if root is None:
            raise NotTriedError("its query cannot be read")
        self._elements |= {
            name.alias.lower() for lateral in tree.find_all(exp.Lateral) for name in lateral.find_all(exp.Alias)
        }
        for scope in root.traverse():
            for column in scope.columns:
                self._take(scope, column)
            self._read_joined(scope)
            self._read_left_out(scope)
        for name in wanted:
            self._demand(root, name.lower())

    def _read_joined(self, scope: Scope) -> None:
        """What USING joins by is a column of the joined input, and of one before it."""
        selected = _selected(scope)
        first = scope.expression.args.get("from_") or scope.expression.args.get("from")
        before = [selected[first.alias_or_name]] if first is not None and first.alias_or_name in selected else []
        for join in scope.expression.args.get("joins") or []:
            joined = selected.get(join.alias_or_name)
            for name in join.args.get("using") or []:
                self._into(scope, before, name.name.lower())
                if joined is not None:
                    self._demand(joined, name.name.lower())
            before += [joined] if joined is not None else []

    def _read_left_out(self, scope: Scope) -> None:
        """What a star leaves out has to be there."""
        for star in scope.expression.expressions if isinstance(scope.expression, exp.Select) else ():
            inner = star.this if isinstance(star, exp.Column) else star
            table = star.table.lower() if isinstance(star, exp.Column) else ""
            sources = [one for alias, one in _selected(scope).items() if not table or alias.lower() == table]
            for column in (inner.args.get("except_") or []) if isinstance(inner, exp.Star) else ():
                self._into(scope, sources, column.name.lower())

    def inputs_under(self, scope: Scope) -> set[str]:
        """The inputs that a scope reads, also through others."""
        found: set[str] = set()
        for one in (scope, *_parts(scope)):
            for source in _selected(one).values():
                if isinstance(source, Scope):
                    found |= self.inputs_under(source) if source is not scope else set()
                elif source.name.lower() in self.found:
                    found.add(source.name.lower())
        return found

    def inputs_of(self, scope: Scope, column: exp.Column) -> set[str]:
        """The inputs that a column of a scope comes from."""
        sources = [
            source
            for alias, source in _selected(scope).items()
            if not column.table or alias.lower() == column.table.lower()
        ]
        chosen = max(sources, key=lambda source: self._likelihood(source, column.name.lower()), default=None)
        if isinstance(chosen, Scope):
            return self._inputs_below(chosen, column.name.lower()) or self.inputs_under(chosen)
        return {chosen.name.lower()} & set(self.found) if isinstance(chosen, exp.Table) else set()

    def _inputs_below(self, scope: Scope, name: str) -> set[str]:
        """The inputs that an output column of a select comes from; none if that is not known."""
        select = scope.expression
        if not isinstance(select, exp.Select):
            return set()
        made = [one for one in select.expressions if not one.is_star and one.alias_or_name.lower() == name]
        if made:
            return set[str]().union(*(self.inputs_of(scope, one) for one in made[0].find_all(exp.Column)))
        return self.inputs_of(scope, exp.column(name)) if select.is_star else set()

    def _take(self, scope: Scope, column: exp.Column) -> None:
        name = column.name.lower()
        if (
            name.startswith("kinds_")
            or (not column.table and name in self._elements)
            or (not column.table and _is_alias(scope, column))
        ):
            return
        if column.table:
            source = _selected(scope).get(column.table) or next(
                (one for alias, one in _selected(scope).items() if alias.lower() == column.table.lower()), None
            )
            if source is not None:
                self._demand(source, name)
            return
        self._into(scope, list(_selected(scope).values()), name)

    def _demand(self, source: exp.Expr | Scope, name: str) -> None:
        if not isinstance(source, Scope):
            if isinstance(source, exp.Table) and source.name.lower() in self.found:
                self.found[source.name.lower()].add(name)
            return
        if (id(source), name) in self._seen:
            return
        self._seen.add((id(source), name))
        if parts := _parts(source):
            for part in parts:
                self._demand(part, name)
            return
        select = source.expression
        if not isinstance(select, exp.Select) or name in _named(select):
            return
        for star in (one for one in select.expressions if one.is_star):
            table = star.table if isinstance(star, exp.Column) else ""
            sources = [one for alias, one in _selected(source).items() if not table or alias.lower() == table.lower()]
            self._into(source, sources, name)

    def _into(self, scope: Scope, sources: Sequence[exp.Expr | Scope], name: str) -> None:
        """A column that is not qualified belongs to the source that is known to have it, else to the first."""
        chosen = max(sources, key=lambda source: self._likelihood(source, name), default=None)
        if chosen is not None and self._likelihood(chosen, name):
            self._demand(chosen, name)

    def _likelihood(self, source: exp.Expr | Scope, name: str) -> int:
        if isinstance(source, Scope):
            if parts := _parts(source):
                return self._likelihood(parts[0], name)
            select = source.expression
            if not isinstance(select, exp.Select):
                return 0
            if name in _named(select):
                return 5
            stars = any(one.is_star for one in select.expressions)
            return max((self._likelihood(one, name) for one in _selected(source).values()), default=0) if stars else 0
        if not isinstance(source, exp.Table) or source.name.lower() not in self.found:
            return 0
        table = source.name.lower()
        if name in self._known.get(table, ()):
            return 4
        return 3 if name in self.found[table] else 1 if self._known.get(table) else 2


def _selected(scope: Scope) -> dict[str, exp.Expr | Scope]:
    """What a scope reads from, by its names there: it can see the CTEs before it, too."""
    found: dict[str, exp.Expr | Scope] = {
        name: scope.sources[name] for name, _ in scope.references if name in scope.sources
    }
    # an unfolded array reads the inputs beside it
    return found or dict(scope.sources)


def _parts(scope: Scope) -> list[Scope]:
    """The scopes that a union unites."""
    return list(getattr(scope, "union_scopes", None) or ())


def _named(select: exp.Select) -> set[str]:
    return {one.alias_or_name.lower() for one in select.expressions if not one.is_star}


def _is_alias(scope: Scope, column: exp.Column) -> bool:
    """Whether a name is that of another expression of the same select."""
    select = scope.expression
    if not isinstance(select, exp.Select):
        return False
    for one in select.expressions:
        if isinstance(one, exp.Alias) and one.alias.lower() == column.name.lower():
            return (
                not any(column is inner for inner in one.find_all(exp.Column))
                and column.find_ancestor(exp.Where, exp.Join) is None
            )
    return False

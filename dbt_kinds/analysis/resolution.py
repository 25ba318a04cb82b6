"""Builds the scopes of a query: names are resolved case-insensitively, as in Spark."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sqlglot import exp

from dbt_kinds.analysis.catalogue import Catalogue
from dbt_kinds.analysis.expressions import Reader
from dbt_kinds.analysis.scopes import (
    Definition,
    Input,
    JoinStep,
    Output,
    Scope,
    SelectScope,
    SetScope,
    Subquery,
    united,
)
from dbt_kinds.analysis.terms import Term, inputs_of, within
from dbt_kinds.analysis.tree import (
    alias_columns,
    clause,
    conjuncts,
    own_nodes,
    table_name,
    without_parentheses,
)

Definitions = Mapping[str, Definition]


def build_scope(tree: exp.Expr, catalogue: Catalogue) -> Scope:
    """The scope of a parsed query, with everything it reads."""
    return _Builder(catalogue).query(tree, {}, None)


def reader_of(scope: SelectScope, *, aliases: bool = False) -> Reader:
    """A reader for expressions of a scope; `aliases` lets them refer to outputs of the same SELECT."""
    return Reader(
        lambda column: _resolve(scope, column, aliases=aliases),
        lambda terms: _coalesced(scope, terms),
    )


class _Builder:
    def __init__(self, catalogue: Catalogue) -> None:
        self.catalogue = catalogue

    def query(self, node: exp.Expr, visible: Definitions, outer: SelectScope | None) -> Scope:
        visible = self._definitions(node, visible)
        if isinstance(node, (exp.Subquery, exp.Paren)) and isinstance(node.this, (exp.Query, exp.Paren)):
            return self.query(node.this, visible, outer)
        if isinstance(node, exp.SetOperation):
            branches = (self.query(node.left, visible, outer), self.query(node.right, visible, outer))
            return SetScope(node, branches, _united_outputs(branches))
        return self._select(node, visible, outer)

    def _definitions(self, node: exp.Expr, visible: Definitions) -> Definitions:
        block = clause(node, "with")
        if block is None:
            return visible
        found = dict(visible)
        for table in block.expressions:
            is_recursive = bool(block.args.get("recursive"))
            names = dict(found)
            definition = Definition(table.this, alias_columns(table), names, is_recursive)
            if is_recursive:
                names[table.alias.lower()] = definition
            found[table.alias.lower()] = definition
        return found

    def _select(self, node: exp.Expr, visible: Definitions, outer: SelectScope | None) -> SelectScope:
        scope = SelectScope(node, self.catalogue, outer)
        origin = clause(node, "from")
        names: list[str] = []
        if origin is not None:
            names += self._relation(scope, origin.this, visible)
        for lateral in node.args.get("laterals") or []:
            names += self._relation(scope, lateral, visible)
        self._joins(scope, names, node.args.get("joins") or [], visible)
        _project(scope, node)
        for found in own_nodes(node):
            if isinstance(found, exp.Query):
                scope.subqueries.append(Subquery(found, self.query(found, visible, scope)))
        return scope

    def _joins(self, scope: SelectScope, names: list[str], joins: Sequence[exp.Expr], visible: Definitions) -> None:
        for join in joins:
            kind = (join.args.get("kind") or "").upper()
            side = kind if kind in ("SEMI", "ANTI") else (join.args.get("side") or "").upper()
            left = frozenset(names)
            added = self._relation(scope, join.this, visible)
            step = JoinStep(side, left, frozenset(added), join.args.get("on"), [])
            using = [column.name.lower() for column in join.args.get("using") or []]
            if (join.args.get("method") or "").upper() == "NATURAL":
                using = [
                    name for read in added for name in scope.inputs[read].column_names if _left_has(scope, left, name)
                ]
            for name in using:
                _merge(scope, step, name)
            for found in conjuncts(step.on):
                if isinstance(found, exp.EQ) and not found.find(exp.Query):
                    reader = reader_of(scope)
                    step.equated.append((reader.term(found.this), reader.term(found.expression)))
            scope.joins.append(step)
            if side in ("SEMI", "ANTI"):
                for read in added:
                    scope.inputs[read].is_hidden = True
            names += added

    def _relation(self, scope: SelectScope, node: exp.Expr, visible: Definitions) -> list[str]:
        if isinstance(node, exp.Subquery) and _is_joined_group(node):
            names = self._relation(scope, node.this, visible)
            self._joins(scope, names, node.args.get("joins") or [], visible)
            return names
        read = self._input(scope, node, visible)
        while read.name in scope.inputs:
            read.name += "'"
        scope.inputs[read.name] = read
        names = [read.name]
        self._joins(scope, names, node.args.get("joins") or [], visible)
        for lateral in node.args.get("laterals") or []:
            names += self._relation(scope, lateral, visible)
        return names

    def _input(self, scope: SelectScope, node: exp.Expr, visible: Definitions) -> Input:
        name = node.alias_or_name.lower() or f"#{len(scope.inputs)}"
        names = alias_columns(node)
        is_opaque = bool(node.args.get("pivots"))
        if isinstance(node, exp.Table) and isinstance(node.this, (exp.Identifier, exp.Dot)):
            written = table_name(node)
            definition = visible.get(written.lower())
            if definition is not None:
                return self._reference(name, node, definition, names, is_opaque)
            relation = self.catalogue.find(written)
            if relation is not None and relation.inlined is not None:
                query = self.query(relation.inlined, {}, None)
                return Input(name, node, relation=relation, query=query, names=names, is_opaque=is_opaque)
            if relation is not None:
                return Input(name, node, relation=relation, names=names, is_opaque=is_opaque)
            return Input(name, node, columns=names or None, is_opaque=is_opaque)
        if isinstance(node, exp.Lateral) and isinstance(node.this, exp.Subquery):
            query = self.query(node.this, visible, scope)
            scope.subqueries.append(Subquery(node, query))
            return Input(name, node, query=query, names=names, is_lateral=True)
        if isinstance(node, (exp.Subquery, exp.Paren)) and isinstance(node.this, exp.Query):
            return Input(name, node, query=self.query(node, visible, None), names=names, is_opaque=is_opaque)
        return Input(name, node, columns=names or None)

    def _reference(
        self, name: str, node: exp.Expr, definition: Definition, names: tuple[str, ...], is_opaque: bool
    ) -> Input:
        if definition.is_being_built:
            return Input(name, node, columns=None, is_opaque=True)
        if definition.built is None:
            definition.is_being_built = True
            definition.built = self.query(definition.query, definition.names_visible, None)
            definition.is_being_built = False
        read = Input(name, node, query=definition.built, names=names or definition.names, is_opaque=is_opaque)
        if definition.is_recursive and _reads_itself(definition):
            read.is_opaque = True
        return read


def _is_joined_group(node: exp.Subquery) -> bool:
    """Whether parentheses enclose joined relations, `(a JOIN b)`, not a query."""
    inner = node.this
    if node.alias or isinstance(inner, exp.Select):
        return False
    return isinstance(inner, exp.Table) or bool(node.args.get("joins") or inner.args.get("joins"))


def _reads_itself(definition: Definition) -> bool:
    names = {name for name, found in definition.names_visible.items() if found is definition}
    return any(table_name(table).lower() in names for table in definition.query.find_all(exp.Table))


def _united_outputs(branches: tuple[Scope, Scope]) -> list[Output]:
    if any(branch.is_open for branch in branches):
        return []
    return [
        Output(first.name, united([first.term, second.term]), first.node)
        for first, second in zip(branches[0].outputs, branches[1].outputs, strict=False)
    ]


def _project(scope: SelectScope, select: exp.Expr) -> None:
    for node in select.expressions:
        inner = without_parentheses(node)
        if isinstance(inner, exp.Star):
            _expand(scope, inner, [read for read in scope.inputs.values() if not read.is_hidden], is_whole=True)
        elif isinstance(inner, exp.Column) and isinstance(inner.this, exp.Star):
            read = scope.inputs.get(inner.table.lower())
            _expand(scope, inner.this, [read] if read is not None else [], is_whole=False)
        else:
            term = reader_of(scope, aliases=True).term(node)
            scope.outputs.append(Output(node.alias_or_name.lower(), term, node))


def _expand(scope: SelectScope, star: exp.Expr, inputs: list[Input], *, is_whole: bool) -> None:
    left_out = {part.name.lower() for part in star.args.get("except_") or star.args.get("except") or []}
    replaced = {part.alias.lower(): part for part in star.args.get("replace") or []}
    merged = scope.merged if is_whole else {}
    columns: list[tuple[str, Term]] = list(merged.items())
    for read in inputs:
        if read.is_open:
            scope.open_inputs.append(read)
        for name in read.column_names:
            if name not in merged and (term := read.column(name)) is not None:
                columns.append((name, term))
    for name, term in columns:
        if name in replaced:
            scope.outputs.append(Output(name, reader_of(scope).term(replaced[name]), replaced[name]))
        elif name not in left_out:
            scope.outputs.append(Output(name, term, star))


def _left_has(scope: SelectScope, left: frozenset[str], name: str) -> bool:
    return any(scope.inputs[read].has(name) for read in left)


def _merge(scope: SelectScope, step: JoinStep, name: str) -> None:
    """A column of USING: the two sides are equal, and the unqualified name is the preserved side."""
    left = scope.merged.get(name) or _first(scope, [read for read in scope.inputs if read in step.left], name)
    right = _first(scope, [read for read in scope.inputs if read in step.right], name)
    if left is None or right is None:
        return
    step.equated.append((left, right))
    if step.side == "FULL":
        scope.merged[name] = Term(("coalesce", (left, right)), (), left.kind)
    else:
        scope.merged[name] = right if step.side == "RIGHT" else left


def _first(scope: SelectScope, names: Sequence[str], column: str) -> Term | None:
    known = [name for name in names if scope.inputs[name].has(column)]
    for name in known or [name for name in names if scope.inputs[name].is_open]:
        term = scope.inputs[name].column(column)
        if term is not None:
            return term
    return None


def _resolve(scope: SelectScope, column: exp.Column, *, aliases: bool) -> Term:
    name = column.name.lower()
    found = _qualified(scope, column) if column.table else _unqualified(scope, name, aliases=aliases)
    if found is None and column.table and column.table.lower() not in _visible_inputs(scope):
        # a field of a struct, which may be read from an outer query
        owner = exp.column(column.args["table"].copy(), table=column.args.get("db"))
        term = _resolve(scope, owner, aliases=aliases)
        return Term(("expression", f"field {name}", (term,)))
    return found or Term(("column", f"unknown {column.sql().lower()}"))


def _visible_inputs(scope: SelectScope | None) -> set[str]:
    return set(scope.inputs) | _visible_inputs(scope.outer) if scope is not None else set()


def _qualified(scope: SelectScope, column: exp.Column) -> Term | None:
    read = scope.inputs.get(column.table.lower())
    if read is not None:
        return read.column(column.name) or within(read.name, Term(("column", column.name.lower())))
    if scope.outer is None:
        return None
    term = _qualified(scope.outer, column)
    return _up(term) if term is not None else None


def _unqualified(scope: SelectScope, name: str, *, aliases: bool) -> Term | None:
    if name in scope.merged:
        return scope.merged[name]
    known = [read for read in scope.inputs.values() if read.has(name)]
    if known:
        return known[0].column(name)
    if aliases:
        projected = [output for output in scope.outputs if output.name == name]
        if projected:
            return projected[0].term
    if scope.outer is not None:
        term = _unqualified(scope.outer, name, aliases=False)
        if term is not None and term.variable[0] != "expression":
            return _up(term)
    open_inputs = [read for read in scope.inputs.values() if read.is_open] or list(scope.inputs.values())
    if len(open_inputs) != 1:
        return None
    return open_inputs[0].column(name) or within(open_inputs[0].name, Term(("column", name)))


def _up(term: Term) -> Term:
    if term.variable[0] == "expression":
        return term._replace(variable=("expression", term.variable[1], tuple(_up(part) for part in term.variable[2])))
    return term._replace(variable=("up", term.variable))


def _coalesced(scope: SelectScope, terms: list[Term]) -> Term | None:
    """The term of COALESCE over columns that joins equate; None if they are not equated."""
    parts = [part for term in terms for part in _parts(term)]
    distinct = list({part.same: part for part in parts}.values())
    if len(distinct) == 1:
        return distinct[0]
    steps = _linking(scope, distinct)
    if steps is None:
        return None
    if any(step.side == "FULL" for step in steps):
        return Term(("coalesce", tuple(distinct)), (), distinct[0].kind)
    lost = (
        frozenset()
        .union(*(step.right for step in steps if step.side == "LEFT"))
        .union(*(step.left for step in steps if step.side == "RIGHT"))
    )
    return next((part for part in distinct if not inputs_of(part.variable) & lost), None)


def _parts(term: Term) -> tuple[Term, ...]:
    if term.variable[0] == "coalesce" and not term.operations:
        return tuple(term.variable[1])
    return (term,)


def _linking(scope: SelectScope, terms: list[Term]) -> list[JoinStep] | None:
    """The joins that equate the terms, each with the first; None if one is not equated."""
    reached, used = {terms[0].same}, []
    is_growing = True
    while is_growing:
        is_growing = False
        for step in scope.joins:
            for pair in step.equated:
                sides = [{part.same for part in _parts(term)} for term in pair]
                if any(side & reached for side in sides) and not all(side <= reached for side in sides):
                    reached |= sides[0] | sides[1]
                    used.append(step)
                    is_growing = True
    return used if all(term.same in reached for term in terms) else None

"""Rows that are found by the absence of their key from the model's own table."""

from __future__ import annotations

from sqlglot import exp

from dbt_kinds.migrate.filters import Filter
from dbt_kinds.readers.dbt.rendering import THIS


def is_absence(found: Filter) -> bool:
    """Whether a filter only finds rows by the absence of their key from the table."""
    return all(part.operator == "other" and anti_join(part.expression) is not None for part in found.comparisons)


def anti_join(condition: exp.Expr) -> dict[str, exp.Expr] | None:
    """The compared columns of `key not in (select key from this)` or `not exists (… where this.key = key)`."""
    if not isinstance(condition, exp.Not):
        return None
    inner = condition.this
    while isinstance(inner, exp.Paren):
        inner = inner.this
    if isinstance(inner, exp.In) and isinstance(inner.this, exp.Column):
        query = inner.args.get("query")
        query = query.this if isinstance(query, exp.Subquery) else query
        if isinstance(query, exp.Select) and reads_this(query) and query.args.get("where") is None:
            columns = [projection.unalias() for projection in query.expressions]
            if len(columns) == 1 and isinstance(columns[0], exp.Column):
                return {columns[0].name: inner.this}
        return None
    if isinstance(inner, exp.Exists):
        query = inner.this.this if isinstance(inner.this, exp.Subquery) else inner.this
        where = query.args.get("where") if isinstance(query, exp.Select) else None
        if where is None or not reads_this(query):
            return None
        source = (query.args.get("from_") or query.args.get("from")).this
        keys: dict[str, exp.Expr] = {}
        for part in where.this.flatten() if isinstance(where.this, exp.And) else [where.this]:
            if not isinstance(part, exp.EQ) or not all(
                isinstance(side, exp.Column) for side in (part.this, part.expression)
            ):
                return None
            sides = (part.this, part.expression)
            own = [side for side in sides if side.table.lower() == source.alias_or_name.lower()]
            if len(own) != 1:
                return None
            keys[own[0].name] = next(side for side in sides if side is not own[0])
        return keys
    return None


def reads_this(query: exp.Expr) -> bool:
    """Whether a query reads the model's own table, and no other."""
    tables = list(query.find_all(exp.Table))
    return len(tables) == 1 and tables[0].name == THIS

"""Inputs that are read from the least time of the rows on that they are joined with: `where hour >= (select
min(date_trunc('hour', ts)) from rows)`. Where the join equates the two times, the condition leaves out nothing.
"""

from __future__ import annotations

from collections.abc import Iterator

from sqlglot import exp

from dbt_kinds.analysis.tree import conjuncts
from dbt_kinds.migrate.known_times import same

_PLAIN = {"kind", "expressions", "from_", "from"}
_OF_ROWS = _PLAIN | {"where", "joins"}


def is_least_of_joined(tree: exp.Expr, select: exp.Select) -> bool:
    """Whether a select asks for the least time of some rows, to read no more of an input than is joined with them."""
    if any(value for key, value in select.args.items() if key not in _PLAIN) or len(select.expressions) != 1:
        return False
    made = select.expressions[0].unalias()
    rows = (select.args.get("from_") or select.args["from"]).this
    condition = select.parent.parent if isinstance(select.parent, exp.Subquery) else None
    is_plain = isinstance(made, exp.Min) and isinstance(rows, exp.Table) and not rows.db
    if not is_plain or not isinstance(condition, exp.GTE) or condition.expression is not select.parent:
        return False
    reader = condition.find_ancestor(exp.Select)
    where = reader.args.get("where") if reader is not None else None
    if (
        reader is None
        or where is None
        or not _is_of_rows(reader)
        or not any(part is condition for part in conjuncts(where.this))
    ):
        return False
    names = {
        projection.alias_or_name for projection in reader.expressions if same(projection.unalias(), condition.this)
    }
    joins = list(_joins_of(tree, reader))
    return bool(names and joins) and all(_is_joined_on(join, names, rows.name, made.this) for join in joins)


def _is_of_rows(select: exp.Select) -> bool:
    """Whether each row of a select is made of rows of its inputs alone, whatever others there are."""
    has_clauses = any(value for key, value in select.args.items() if key not in _OF_ROWS)
    return not has_clauses and not any(
        projection.find(exp.AggFunc, exp.Window, exp.Query) for projection in select.expressions
    )


def _joins_of(tree: exp.Expr, select: exp.Select) -> Iterator[exp.Expr | None]:
    """What reads a select: the joins, and other places, of its CTE or of itself."""
    holder = select.parent
    if isinstance(holder, exp.CTE):
        for table in tree.find_all(exp.Table):
            if table.name.lower() == holder.alias.lower() and not table.db:
                yield table.parent
    elif isinstance(holder, exp.Subquery):
        yield holder.parent


def _is_joined_on(join: exp.Expr | None, names: set[str], rows: str, time: exp.Expr) -> bool:
    """Whether an input is joined to rows on their time, and brings nothing without them."""
    reader = join.parent if isinstance(join, exp.Join) else None
    if not isinstance(join, exp.Join) or not isinstance(reader, exp.Select):
        return False
    is_optional = (join.side or "").upper() in ("", "LEFT") and (join.kind or "").upper() in ("", "INNER", "OUTER")
    others = [(reader.args.get("from_") or reader.args["from"]).this, *(one.this for one in reader.args["joins"])]
    aliases = {one.alias_or_name for one in others if isinstance(one, exp.Table) and one.name.lower() == rows.lower()}
    own = join.this.alias_or_name
    return is_optional and any(
        isinstance(one, exp.Column)
        and one.table == own
        and one.name.lower() in {name.lower() for name in names}
        and same(other, time)
        and all(column.table in aliases for column in other.find_all(exp.Column))
        for part in conjuncts(join.args.get("on"))
        if isinstance(part, exp.EQ)
        for one, other in ((part.this, part.expression), (part.expression, part.this))
    )

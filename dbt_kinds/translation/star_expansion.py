"""Expands stars with exceptions, using the known columns, and those that stand for other columns than in Spark."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from sqlglot import exp

from dbt_kinds.translation.not_in_spark import NotInSpark

_CHANGES = ("except_", "rename", "replace")
# where a column of USING stands in its place among those of the left side, and not before them
_USING_KEEPS_PLACES = frozenset({"duckdb"})
Columns = list[tuple[str, exp.DataType | None]]
ColumnsOf = Callable[[exp.Table], Columns | None]


class StarColumn(NamedTuple):
    """A column that a star stands for; one of USING belongs to no table."""

    table: str
    name: str


def expand_stars(tree: exp.Expr, dialect: str, columns_of: ColumnsOf) -> None:
    """Expands the stars with exceptions in a tree, and those beside them in a union, which goes by position.

    Raises:
        NotInSpark: the columns of a table are unknown.
    """
    selects = list(tree.find_all(exp.Select))
    # all before the first is written: they are seen by each other
    written = [_written_out(select, dialect, columns_of) for select in selects]
    for select, items in zip(selects, written, strict=True):
        if items is not None:
            select.set("expressions", items)


def expand_outermost_stars(query: exp.Expr, dialect: str, columns_of: ColumnsOf) -> None:
    """Expands the stars of what a query returns, if all their columns are known."""
    written: list[tuple[exp.Select, list[exp.Expr]]] = []
    for select in selects_of(query):
        items: list[exp.Expr] = []
        for item in select.expressions:
            found = _of_star(item, select, dialect, columns_of) if item.is_star else [item]
            if not found:
                return
            items.extend(found)
        written.append((select, items))
    for select, items in written:
        select.set("expressions", items)


def output_columns(query: exp.Expr, dialect: str, columns_of: ColumnsOf) -> list[str] | None:
    """The column names that a query returns, None if hidden by a star."""
    query = query.unnest() if isinstance(query, exp.Subquery) else query
    if isinstance(query, exp.SetOperation):
        return _columns_of_both(query, dialect, columns_of)
    if not isinstance(query, exp.Select):
        return None
    names: list[str] = []
    for item in query.expressions:
        if item.is_star:
            items = _of_star(item, query, dialect, columns_of)
            if items is None:
                return None
            names.extend(one.alias_or_name for one in items)
        elif not item.alias_or_name:
            return None
        else:
            names.append(item.alias_or_name)
    return names or None


def _columns_of_both(union: exp.SetOperation, dialect: str, columns_of: ColumnsOf) -> list[str] | None:
    columns = output_columns(union.this, dialect, columns_of)
    if columns is None or not union.args.get("by_name"):
        return columns
    more = output_columns(union.expression, dialect, columns_of)
    known = {name.lower() for name in columns}
    return [*columns, *(name for name in more if name.lower() not in known)] if more is not None else None


def _changes(item: exp.Expr) -> bool:
    star = item.this if isinstance(item, exp.Column) else item
    return isinstance(star, exp.Star) and any(star.args.get(name) for name in _CHANGES)


def _written_out(select: exp.Select, dialect: str, columns_of: ColumnsOf) -> list[exp.Expr] | None:
    """The items of a select with its stars expanded, None if it stays as it is."""
    is_beside = _is_beside_expanded(select)
    is_elsewhere = dialect in _USING_KEEPS_PLACES and any(map(shares_columns, select.args.get("joins") or ()))
    if not is_beside and not is_elsewhere and not any(map(_changes, select.expressions)):
        return None
    written: list[exp.Expr] = []
    for item in select.expressions:
        items = _of_star(item, select, dialect, columns_of) if item.is_star else [item]
        if items is None and _changes(item):
            table = item.table if isinstance(item, exp.Column) else ""
            sources = source_columns(select, dialect, columns_of)
            unknown = [alias for alias, columns in sources if columns is None and table in ("", alias)]
            message = (
                f"the columns of {(unknown or [table])[0] or 'a sub-select'} are not known, and Spark 3.5 has no * "
                "EXCEPT; declare them"
            )
            raise NotInSpark(message, item, needs_columns=True)
        if items == []:
            raise NotInSpark("* leaves no column that is known here; write the columns out", item, needs_columns=True)
        written.extend(items if items is not None else [item])
    return written


def _is_beside_expanded(select: exp.Select) -> bool:
    """Whether a select of a star is a side of a union of which another one is expanded."""
    outer: exp.Expr = select
    while isinstance(outer.parent, exp.SetOperation | exp.Subquery | exp.Paren):
        outer = outer.parent
    has_star = outer is not select and any(item.is_star for item in select.expressions)
    return has_star and any(_changes(item) for side in selects_of(outer) for item in side.expressions)


def selects_of(query: exp.Expr) -> list[exp.Select]:
    """The selects of a union, in order; none of one that goes by names, or holds anything else."""
    query = query.unnest() if isinstance(query, exp.Subquery) else query
    if isinstance(query, exp.Select):
        return [query]
    if not isinstance(query, exp.SetOperation) or query.args.get("by_name"):
        return []
    left, right = selects_of(query.this), selects_of(query.expression)
    return [*left, *right] if left and right else []


def _of_star(item: exp.Expr, select: exp.Select, dialect: str, columns_of: ColumnsOf) -> list[exp.Expr] | None:
    """What a star stands for, with its exceptions; None if the columns are not known."""
    star = item.this if isinstance(item, exp.Column) else item
    columns = star_columns(select, item.table if isinstance(item, exp.Column) else "", dialect, columns_of)
    if columns is None:
        return None
    left_out = {name.name.lower() for name in star.args.get("except_") or []}
    renamed = {new.this.name.lower(): new.alias for new in star.args.get("rename") or []}
    replaced = {new.alias_or_name.lower(): new for new in star.args.get("replace") or []}
    is_joined = bool(select.args.get("joins"))
    written: list[exp.Expr] = []
    for table, name in columns:
        if name.lower() in replaced:
            written.append(replaced[name.lower()].copy())
        elif name.lower() not in left_out:
            column = exp.column(exp.to_identifier(name), table=(table or None) if is_joined else None)
            new = renamed.get(name.lower())
            written.append(column if new is None else exp.alias_(column, new))
    return written


def star_columns(select: exp.Select, table: str, dialect: str, columns_of: ColumnsOf) -> list[StarColumn] | None:
    """The columns that `*`, or `table.*`, stands for in a select, None if they are not known."""
    sources = source_columns(select, dialect, columns_of)
    if table:
        own = [source for source in sources if source[0].lower() == table.lower()]
        names = [columns for _, columns in own if columns is not None]
        return [StarColumn(own[0][0], name) for name in names[0]] if names else None
    joins = select.args.get("joins") or []
    if any(columns is None for _, columns in sources) or len(sources) != len(joins) + 1:
        return None
    found: list[StarColumn] = []
    for join, (alias, columns) in zip([None, *joins], sources, strict=True):
        if join is None or join.kind not in ("ANTI", "SEMI"):
            found = _joined(found, [StarColumn(alias, name) for name in columns or ()], join, dialect)
    return found


def _joined(left: list[StarColumn], right: list[StarColumn], join: exp.Join | None, dialect: str) -> list[StarColumn]:
    shared = _shared(left, right, join)
    rest = [column for column in right if column.name.lower() not in shared]
    if dialect in _USING_KEEPS_PLACES:
        return [StarColumn("", column.name) if column.name.lower() in shared else column for column in left] + rest
    first = [StarColumn("", name) for name in shared.values()]
    return [*first, *(column for column in left if column.name.lower() not in shared), *rest]


def _shared(left: list[StarColumn], right: list[StarColumn], join: exp.Join | None) -> dict[str, str]:
    """The columns of USING, or of a natural join, as the left side spells them, by their lower-case names."""
    if join is None or not shares_columns(join):
        return {}
    names = {column.name.lower(): column.name for column in left}
    using = [column.name.lower() for column in join.args.get("using") or ()]
    both = {column.name.lower() for column in right}
    wanted = using or [name for name in names if name in both]
    return {name: names.get(name, name) for name in wanted}


def shares_columns(join: exp.Join) -> bool:
    """Whether a join is USING columns, or natural."""
    return bool(join.args.get("using")) or join.method.upper() == "NATURAL"


def source_columns(select: exp.Select, dialect: str, columns_of: ColumnsOf) -> list[tuple[str, list[str] | None]]:
    """The inputs of a select by alias, with their columns if known."""
    found = []
    from_ = select.args.get("from_")
    for source in [from_.this if from_ is not None else None, *(join.this for join in select.args.get("joins") or [])]:
        if isinstance(source, exp.Subquery):
            found.append((source.alias, output_columns(source.this, dialect, columns_of)))
        elif isinstance(source, exp.Table):
            found.append((source.alias_or_name, _columns_of_table(source, dialect, columns_of)))
        elif source is not None:
            found.append(("", None))
    if select.args.get("laterals"):
        found.append(("", None))
    return found


def _columns_of_table(table: exp.Table, dialect: str, columns_of: ColumnsOf) -> list[str] | None:
    cte = visible_cte(table)
    if cte is not None:
        names = [column.name for column in (cte.args["alias"].args.get("columns") or [])]
        return names or output_columns(cte.this, dialect, columns_of)
    columns = columns_of(table)
    return [name for name, _ in columns] if columns else None


def visible_cte(table: exp.Table) -> exp.CTE | None:
    """The CTE that a table's name refers to: an earlier one, or the enclosing one if that is recursive."""
    if len(table.parts) != 1 or not isinstance(table.this, exp.Identifier):
        return None
    name = table.name.lower()
    node: exp.Expr | None = table
    inside: exp.Expr | None = None
    while node is not None:
        with_ = node.args.get("with_")
        if isinstance(with_, exp.With):
            for cte in with_.expressions:
                if cte is inside and not with_.recursive:
                    break
                if cte.alias.lower() == name:
                    return cte if isinstance(cte, exp.CTE) else None
                if cte is inside:
                    break
        if isinstance(node, exp.CTE):
            inside = node
        node = node.parent
    return None


def is_column_of_neighbour(table: exp.Table) -> bool:
    """`from t, t.items`: an array of another table in the same FROM."""
    select = table.find_ancestor(exp.Select)
    if select is None or not table.db:
        return False
    first = table.parts[0].name.lower()
    from_ = select.args.get("from_")
    others = [from_.this if from_ is not None else None, *(join.this for join in select.args.get("joins") or [])]
    named = [other for other in others if isinstance(other, exp.Table) and other is not table]
    return any(other.alias.lower() == first for other in named)

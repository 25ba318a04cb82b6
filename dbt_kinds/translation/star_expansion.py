"""Expands `* EXCEPT (…)`, `* REPLACE (…)` and `* RENAME (…)`, using the known columns."""

from __future__ import annotations

from collections.abc import Callable

from sqlglot import exp

from dbt_kinds.translation.not_in_spark import NotInSpark

_CHANGES = ("except_", "rename", "replace")
Columns = list[tuple[str, exp.DataType | None]]
ColumnsOf = Callable[[exp.Table], Columns | None]


def expand_stars(tree: exp.Expr, columns_of: ColumnsOf) -> None:
    """Expands the stars with exceptions in a tree.

    Raises:
        NotInSpark: the columns of a table are unknown.
    """
    for select in list(tree.find_all(exp.Select)):
        if any(_changes(item) for item in select.expressions):
            written: list[exp.Expr] = []
            for item in select.expressions:
                written.extend(_written_out(item, select, columns_of) if _changes(item) else [item])
            select.set("expressions", written)


def output_columns(query: exp.Expr, columns_of: ColumnsOf) -> list[str] | None:
    """The column names that a query returns, None if hidden by a star."""
    query = query.unnest() if isinstance(query, exp.Subquery) else query
    if isinstance(query, exp.SetOperation):
        return _columns_of_both(query, columns_of)
    if not isinstance(query, exp.Select):
        return None
    names: list[str] = []
    for item in query.expressions:
        if item.is_star:
            if _changes(item):
                return None
            table = item.table if isinstance(item, exp.Column) else ""
            for alias, columns in source_columns(query, columns_of):
                if not table or alias.lower() == table.lower():
                    if columns is None:
                        return None
                    names.extend(columns)
        else:
            name = item.alias_or_name
            if not name:
                return None
            names.append(name)
    return names or None


def _columns_of_both(union: exp.SetOperation, columns_of: ColumnsOf) -> list[str] | None:
    columns = output_columns(union.this, columns_of)
    if columns is None or not union.args.get("by_name"):
        return columns
    more = output_columns(union.expression, columns_of)
    known = {name.lower() for name in columns}
    return [*columns, *(name for name in more if name.lower() not in known)] if more is not None else None


def _changes(item: exp.Expr) -> bool:
    star = item.this if isinstance(item, exp.Column) else item
    return isinstance(star, exp.Star) and any(star.args.get(name) for name in _CHANGES)


def _written_out(item: exp.Expr, select: exp.Select, columns_of: ColumnsOf) -> list[exp.Expr]:
    star = item.this if isinstance(item, exp.Column) else item
    table = item.table if isinstance(item, exp.Column) else ""
    left_out = {name.name.lower() for name in star.args.get("except_") or []}
    renamed = {new.this.name.lower(): new.alias for new in star.args.get("rename") or []}
    replaced = {new.alias_or_name.lower(): new for new in star.args.get("replace") or []}
    sources = [(alias, columns) for alias, columns in source_columns(select, columns_of)]
    wanted = [source for source in sources if not table or source[0].lower() == table.lower()]
    written: list[exp.Expr] = []
    for alias, columns in wanted:
        if columns is None:
            message = (
                f"the columns of {alias or 'a sub-select'} are not known, and Spark 3.5 has no * EXCEPT; declare them"
            )
            raise NotInSpark(message, item, needs_columns=True)
        for name in columns:
            if name.lower() in replaced:
                written.append(replaced[name.lower()].copy())
            elif name.lower() not in left_out:
                column = exp.column(exp.to_identifier(name), table=alias if len(sources) > 1 else None)
                new = renamed.get(name.lower())
                written.append(column if new is None else exp.alias_(column, new))
    if not written:
        raise NotInSpark("* leaves no column that is known here; write the columns out", item, needs_columns=True)
    return written


def source_columns(select: exp.Select, columns_of: ColumnsOf) -> list[tuple[str, list[str] | None]]:
    """The inputs of a select by alias, with their columns if known."""
    found = []
    from_ = select.args.get("from_")
    for source in [from_.this if from_ is not None else None, *(join.this for join in select.args.get("joins") or [])]:
        if isinstance(source, exp.Subquery):
            found.append((source.alias, output_columns(source.this, columns_of)))
        elif isinstance(source, exp.Table):
            found.append((source.alias_or_name, _columns_of_table(source, columns_of)))
        elif source is not None:
            found.append(("", None))
    if select.args.get("laterals"):
        found.append(("", None))
    return found


def _columns_of_table(table: exp.Table, columns_of: ColumnsOf) -> list[str] | None:
    cte = visible_cte(table)
    if cte is not None:
        names = [column.name for column in (cte.args["alias"].args.get("columns") or [])]
        return names or output_columns(cte.this, columns_of)
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

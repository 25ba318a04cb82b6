"""QUALIFY and DISTINCT ON, which Spark 3.5 lacks: a condition is a column beside the row, a select around it filters.

sqlglot's own forms confuse columns and names of the select list, move LIMIT inside, and add a column to a star.
"""

from __future__ import annotations

from sqlglot import exp

from dbt_kinds.translation.not_in_spark import NotInSpark

# applied to the rows that are kept
_OUTSIDE = frozenset({"with_", "distinct", "order", "limit", "offset"})


def unfold_qualify(select: exp.Select) -> None:
    """Replaces QUALIFY by a sub-select.

    Raises:
        NotInSpark: there is DISTINCT ON, too.
    """
    qualify = select.args.get("qualify")
    if qualify is None:
        return
    distinct = select.args.get("distinct")
    if distinct is not None and distinct.args.get("on") is not None:
        raise NotInSpark("QUALIFY beside DISTINCT ON cannot be unfolded; filter a sub-select", select)
    select.set("qualify", None)
    _keep_where(select, qualify.this)


def unfold_distinct_on(select: exp.Select) -> None:
    """Replaces DISTINCT ON by a sub-select: the first row of each group in the order of ORDER BY, or any row.

    Raises:
        NotInSpark: what decides is a window function, or the position of a star.
    """
    distinct = select.args.get("distinct")
    on = distinct.args.get("on") if distinct is not None else None
    if on is None:
        return
    groups = [_chosen(value, select) for value in (on.expressions if isinstance(on, exp.Tuple) else [on.unnest()])]
    order = select.args.get("order")
    keys = [key.copy() for key in order.expressions] if order is not None else []
    for key in keys:
        key.set("this", _chosen(key.this, select))
    select.set("distinct", None)
    first = exp.Window(
        this=exp.RowNumber(),
        partition_by=groups,
        order=exp.Order(expressions=keys or [exp.Ordered(this=value.copy(), nulls_first=True) for value in groups]),
    )
    _keep_where(select, exp.EQ(this=first, expression=exp.Literal.number(1)))


def _chosen(value: exp.Expr, select: exp.Select) -> exp.Expr:
    """What a position or a name of the select list stands for, which is searched before the columns, as in ORDER BY."""
    chosen = value
    if isinstance(value, exp.Literal) and value.is_int:
        items = select.expressions[: int(value.name)]
        if any(item.is_star for item in items) or len(items) < int(value.name):
            raise NotInSpark(
                f"position {value.name} behind a star has no counterpart in Spark; write the column", value
            )
        chosen = items[-1].unalias()
    elif isinstance(value, exp.Column) and not value.table:
        named = [item.this for item in select.expressions if item.alias.lower() == value.name.lower()]
        chosen = named[0] if named else value
    if chosen.find(exp.Window) is not None:
        raise NotInSpark(
            "DISTINCT ON by a window function has no counterpart in Spark; compute it in a sub-select", value
        )
    return chosen.copy()


def _keep_where(select: exp.Select, condition: exp.Expr) -> None:
    """Puts a select around the rows; the condition may hold window functions."""
    inner = select.copy()
    inner.pop_comments()
    for clause in _OUTSIDE:
        inner.set(clause, None)
    rows = [_row(item, number) for number, item in enumerate(inner.expressions)]
    kept = [
        exp.Column(this=exp.Star(), table=_name(row)) if item.is_star else exp.Column(this=_name(row))
        for row, item in zip(rows, select.expressions, strict=True)
    ]
    names = {_name(row).name.lower() for row, item in zip(rows, select.expressions, strict=True) if not item.is_star}
    inner.set("expressions", [*rows, exp.alias_(condition.copy(), "_keep"), *_sort_keys(select, names)])
    for clause in set(select.args) - _OUTSIDE:
        select.set(clause, None)
    select.set("expressions", kept)
    select.set("from_", exp.From(this=exp.Subquery(this=inner, alias=exp.TableAlias(this=exp.to_identifier("_rows")))))
    select.set("where", exp.Where(this=exp.column("_keep")))


def _row(item: exp.Expr, number: int) -> exp.Expr:
    """An item of the select list with a name; a star becomes one column, which has a name of its own."""
    if item.is_star:
        struct = exp.Anonymous(this="STRUCT", expressions=[item.copy()])
        return exp.alias_(struct, f"_row_{number}" if number else "_row")
    return item if isinstance(item, exp.Alias | exp.Column) else exp.alias_(item, item.output_name or f"_{number}")


def _name(row: exp.Expr) -> exp.Expr:
    name: exp.Expr = row.args["alias"] if isinstance(row, exp.Alias) else row.this
    return name.copy()


def _sort_keys(select: exp.Select, names: set[str]) -> list[exp.Expr]:
    """Columns for what ORDER BY computes; outside, only names and positions of the select list are known.

    Args:
        names: the columns of the select list, without those of stars.
    """
    order = select.args.get("order")
    # its ORDER BY takes no other columns
    is_distinct = select.args.get("distinct") is not None
    found: list[exp.Expr] = []
    for key in order.expressions if order is not None else []:
        value = key.this if isinstance(key, exp.Ordered) else key
        is_name = isinstance(value, exp.Column) and not value.table and (is_distinct or value.name.lower() in names)
        if not is_name and not isinstance(value, exp.Literal):
            name = f"_order_{len(found) + 1}"
            value.replace(exp.column(name))
            found.append(exp.alias_(value, name))
    return found

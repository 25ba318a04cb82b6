"""QUALIFY, which Spark 3.5 lacks: its condition is a column beside the row, and a select around it filters.

sqlglot's own form takes columns for names of the select list, and leaves LIMIT and DISTINCT inside.
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
    has_star = any(item.is_star for item in select.expressions)
    names = None if has_star else {row.alias_or_name.lower() for row in rows}
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


def _sort_keys(select: exp.Select, names: set[str] | None) -> list[exp.Expr]:
    """Columns for what ORDER BY computes; outside, only names and positions of the select list are known.

    Args:
        names: the columns of the select list, None if there is a star.
    """
    order = select.args.get("order")
    found: list[exp.Expr] = []
    for key in order.expressions if order is not None else []:
        value = key.this if isinstance(key, exp.Ordered) else key
        is_name = isinstance(value, exp.Column) and not value.table and (names is None or value.name.lower() in names)
        if not is_name and not isinstance(value, exp.Literal):
            name = f"_order_{len(found) + 1}"
            value.replace(exp.column(name))
            found.append(exp.alias_(value, name))
    return found

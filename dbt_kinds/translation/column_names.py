"""Names of outputs: engines differ on those of expressions, and tables do not accept Spark's `avg(x)`."""

from __future__ import annotations

from collections.abc import Iterator

from sqlglot import exp

from dbt_kinds.translation.remarks import Remark

_NAMES = "output_names"


def name_columns(tree: exp.Expr, dialect: str) -> Iterator[Remark]:
    """Names the unnamed outputs of a query as SQLMesh does, with a remark on each."""
    root = tree
    while isinstance(root, exp.Subquery | exp.SetOperation):
        root = root.this
    for position, item in enumerate(list(root.expressions) if isinstance(root, exp.Select) else []):
        if not item.output_name and not item.is_star:
            name = f"_col_{position}"
            written = item.sql(dialect, comments=False)
            message = f"a column without a name is called {name}; write {written} as <name>"
            yield Remark("unnamed", message, item)
            item.replace(exp.alias_(item.copy(), name))


def remember_names(tree: exp.Expr) -> None:
    """Notes the names of the outputs of each select, as SQLMesh gives them: `x::varchar(5)` is x."""
    for select in tree.find_all(exp.Select):
        select.meta[_NAMES] = [
            None if item.is_star or _hides_a_column(item, select) else item.output_name for item in select.expressions
        ]


def _hides_a_column(item: exp.Expr, select: exp.Select) -> bool:
    """Whether an element would be called as its place, and hide the column from ORDER BY: `l[k] … order by k`."""
    order = select.args.get("order") if isinstance(item, exp.Bracket) else None
    read = order.find_all(exp.Column) if order is not None else ()
    return any(not column.table and column.name.lower() == item.output_name.lower() for column in read)


def keep_names(tree: exp.Expr) -> None:
    """Names the outputs that would have another name in Spark than the one that was noted."""
    for select in tree.find_all(exp.Select):
        names = select.meta.get(_NAMES) or []
        if len(names) == len(select.expressions) and _gives_names(select):
            for item, name in zip(list(select.expressions), names, strict=True):
                if name and not isinstance(item, exp.Alias | exp.Aliases) and _name_in_spark(item) != name.lower():
                    item.replace(exp.alias_(item.copy(), name))


def _gives_names(select: exp.Select) -> bool:
    """Whether the names of its outputs are read, or those of a table."""
    query: exp.Expr = select
    while isinstance(query.parent, exp.SetOperation | exp.Subquery | exp.Paren):
        if isinstance(query.parent, exp.SetOperation) and query.arg_key != "this":
            return False
        query = query.parent
    return query.parent is None or isinstance(query.parent, exp.CTE | exp.From | exp.Join)


def _name_in_spark(item: exp.Expr) -> str:
    """The name that Spark gives to an output, empty if it is a whole text; a cast has that of its column."""
    if isinstance(item, exp.Literal):
        return str(item.name).lower()
    while isinstance(item, exp.Cast | exp.Paren):
        item = item.this
    return str(item.name).lower() if isinstance(item, exp.Column | exp.Dot) else ""

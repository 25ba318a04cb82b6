"""Select list aliases used in WHERE, QUALIFY and windows, where Spark only accepts columns."""

from __future__ import annotations

from collections.abc import Iterator

from sqlglot import exp

from dbt_kinds.translation.remarks import Remark
from dbt_kinds.translation.star import ColumnsOf, source_columns

# there a column of the input takes precedence over the select list
_KNOW_ALIASES = frozenset({"duckdb", "snowflake"})


def write_aliases_out(tree: exp.Expr, dialect: str, columns_of: ColumnsOf) -> Iterator[Remark]:
    """Replaces an alias by its expression, unless an input column has the same name.

    Yields:
        names that may be a column or an alias, since the columns are unknown; they are left as written.
    """
    if dialect not in _KNOW_ALIASES:
        return
    for select in tree.find_all(exp.Select):
        aliases = _aliases(select)
        if aliases:
            yield from _write_out(select, aliases, dialect, columns_of)


def is_of_column(alias: str, value: exp.Expr) -> bool:
    """Whether an expression reads a column with the name of its own alias, which must then be an input column."""
    return any(column.name.lower() == alias for column in value.find_all(exp.Column))


def _aliases(select: exp.Select) -> dict[str, exp.Expr]:
    named = {item.alias.lower(): item.this for item in select.expressions if isinstance(item, exp.Alias)}
    return {name: value for name, value in named.items() if not is_of_column(name, value)}


def _write_out(
    select: exp.Select, aliases: dict[str, exp.Expr], dialect: str, columns_of: ColumnsOf
) -> Iterator[Remark]:
    uses = list(_uses(select, aliases))
    columns = _columns(select, columns_of) if uses else None
    for column in uses:
        name = column.name.lower()
        if columns is None:
            message = (
                f"{column.name} may be a column, or the alias of {aliases[name].sql(dialect=dialect)[:80]}, which "
                "Spark does not know there; declare the columns of what is read, or write the expression"
            )
            yield Remark("alias", message, column)
        elif name not in columns:
            column.replace(_meant(name, aliases, columns))


def _uses(select: exp.Select, aliases: dict[str, exp.Expr]) -> Iterator[exp.Column]:
    """The columns of a select, excluding nested ones, that are named like an alias where Spark accepts no alias."""
    places = [select.args.get("where"), select.args.get("qualify")]
    windows = [window for item in select.expressions for window in item.find_all(exp.Window)]
    for place in [*places, *windows]:
        for column in place.find_all(exp.Column) if place is not None else []:
            if not column.table and column.name.lower() in aliases and column.find_ancestor(exp.Select) is select:
                yield column


def _columns(select: exp.Select, columns_of: ColumnsOf) -> set[str] | None:
    """The names of all columns that a select reads, None if some are unknown."""
    found: set[str] = set()
    for _, columns in source_columns(select, columns_of):
        if columns is None:
            return None
        found |= {name.lower() for name in columns}
    return found


def _meant(name: str, aliases: dict[str, exp.Expr], columns: set[str]) -> exp.Expr:
    """The expression of an alias, with the aliases in it expanded."""
    others = {other: value for other, value in aliases.items() if other != name}

    def spelt(node: exp.Expr) -> exp.Expr:
        if isinstance(node, exp.Column) and not node.table:
            other = node.name.lower()
            if other in others and other not in columns:
                return _meant(other, others, columns)
        return node

    made = aliases[name].copy().transform(spelt)
    return exp.paren(made) if isinstance(made, exp.Binary | exp.Unary | exp.Between | exp.In) else made

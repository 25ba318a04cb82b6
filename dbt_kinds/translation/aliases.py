"""Select list aliases used in WHERE, QUALIFY and windows, where Spark only accepts columns."""

from __future__ import annotations

from collections.abc import Iterator

from sqlglot import exp

from dbt_kinds.translation.dialects import SPARK_FAMILY
from dbt_kinds.translation.remarks import Remark
from dbt_kinds.translation.star_expansion import ColumnsOf, source_columns

# there a column of the input takes precedence over the select list, as in Spark
_KNOW_ALIASES = frozenset({"duckdb", "snowflake"})
_COLUMNS_FIRST = _KNOW_ALIASES | SPARK_FAMILY


def write_aliases_out(tree: exp.Expr, dialect: str, columns_of: ColumnsOf) -> Iterator[Remark]:
    """Replaces an alias by its expression, unless an input column has the same name.

    Every dialect that has QUALIFY knows aliases there.

    Yields:
        names that may be a column or an alias; they are left as written.
    """
    for select in tree.find_all(exp.Select):
        if dialect in _KNOW_ALIASES or select.args.get("qualify") is not None:
            aliases = {item.alias.lower(): item.this for item in select.expressions if isinstance(item, exp.Alias)}
            uses = list(_uses(select, aliases, dialect))
            if uses:
                yield from _write_out(select, uses, aliases, dialect, columns_of)


def _write_out(
    select: exp.Select, uses: list[exp.Column], aliases: dict[str, exp.Expr], dialect: str, columns_of: ColumnsOf
) -> Iterator[Remark]:
    columns = _columns(select, dialect, columns_of)
    for column in uses:
        name = column.name.lower()
        value = aliases[name]
        if isinstance(value, exp.Column) and value.name.lower() == name:
            continue
        is_column = _is_of_column(name, value) if columns is None else name in columns
        if is_column and dialect in _COLUMNS_FIRST:
            continue
        if not is_column and (columns is not None or _has_star_of_all(select)):
            column.replace(_meant(name, aliases, columns or set()))
        elif is_column or not _finds_alias_itself(column, value, dialect):
            meaning = value.sql(dialect=dialect)[:80]
            message = (
                f"{column.name} is a column, which Spark reads there, and the alias of {meaning}; name the column's "
                "table, or write the expression"
                if is_column
                else f"{column.name} may be a column, or the alias of {meaning}, which Spark does not know there; "
                "declare the columns of what is read, or write the expression"
            )
            yield Remark("alias", message, column)


def _is_of_column(alias: str, value: exp.Expr) -> bool:
    """Whether an expression reads a column with the name of its own alias, which must then be an input column."""
    return any(column.name.lower() == alias for column in value.find_all(exp.Column))


def _has_star_of_all(select: exp.Select) -> bool:
    """Whether the select returns all input columns; an alias beside them has another name than each of them."""
    return any(
        item.is_star and (isinstance(item, exp.Star) or not select.args.get("joins")) for item in select.expressions
    )


def _finds_alias_itself(column: exp.Column, value: exp.Expr, dialect: str) -> bool:
    """Whether Spark, which looks for a column and then for an alias, finds what is meant."""
    is_in_qualify = column.find_ancestor(exp.Qualify, exp.Select, exp.Window, exp.Where)
    is_clear = dialect in _COLUMNS_FIRST or value.find(exp.Window) is not None
    return isinstance(is_in_qualify, exp.Qualify) and is_clear


def _uses(select: exp.Select, aliases: dict[str, exp.Expr], dialect: str) -> Iterator[exp.Column]:
    """The columns of a select, excluding nested ones, that are named like an alias where Spark accepts no alias."""
    places = [select.args.get("qualify")]
    if dialect in _KNOW_ALIASES:
        windows = (window for item in select.expressions for window in item.find_all(exp.Window))
        places = [select.args.get("where"), *places, *windows]
    for place in places:
        for column in place.find_all(exp.Column) if place is not None else []:
            if not column.table and column.name.lower() in aliases and column.find_ancestor(exp.Select) is select:
                yield column


def _columns(select: exp.Select, dialect: str, columns_of: ColumnsOf) -> set[str] | None:
    """The names of all columns that a select reads, None if some are unknown."""
    found: set[str] = set()
    for _, columns in source_columns(select, dialect, columns_of):
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
            if other in others and other not in columns and not _is_of_column(other, others[other]):
                return _meant(other, others, columns)
        return node

    made = aliases[name].copy().transform(spelt)
    return exp.paren(made) if isinstance(made, exp.Binary | exp.Unary | exp.Between | exp.In) else made

"""The name of a table as a value: `select t from t`, the row as a struct."""

from __future__ import annotations

from sqlglot import exp

from dbt_kinds.translation.not_in_spark import NotInSpark
from dbt_kinds.translation.star_expansion import ColumnsOf, is_column_of_neighbour, source_columns

_HAS_ROW_VALUES = frozenset({"bigquery", "duckdb", "postgres"})


def write_rows(tree: exp.Expr, dialect: str, columns_of: ColumnsOf) -> None:
    """Replaces the names of tables that stand for their rows by structs, where no column has such a name.

    Raises:
        NotInSpark: a row may be NULL, by an outer join, or is sorted by.
    """
    for select in tree.find_all(exp.Select) if dialect in _HAS_ROW_VALUES else ():
        if any(isinstance(source, exp.Table) and not _has_rows(source) for source in _sources(select)):
            continue
        sources = source_columns(select, dialect, columns_of)
        known = {name.lower() for _, columns in sources for name in columns or ()}
        tables = {alias.lower() for alias, _ in sources if alias} - known
        if all(columns is not None for _, columns in sources):
            for column in list(select.find_all(exp.Column)):
                is_of_select = column.find_ancestor(exp.Select) is select and not column.table
                if is_of_select and not isinstance(column.this, exp.Star) and column.name.lower() in tables:
                    _write(column, select)


def _sources(select: exp.Select) -> list[exp.Expr]:
    from_ = select.args.get("from_")
    joined = [join.this for join in select.args.get("joins") or ()]
    return [*([from_.this] if from_ is not None else []), *joined]


def _has_rows(table: exp.Table) -> bool:
    """Whether a table is none made by a function, whose alias names its only column."""
    return isinstance(table.this, exp.Identifier) and not is_column_of_neighbour(table)


def _write(column: exp.Column, select: exp.Select) -> None:
    if any(join.side for join in select.args.get("joins") or ()):
        raise NotInSpark(
            f"{column.name} is a whole row, which an outer join makes NULL; in Spark write struct({column.name}.*)",
            column,
        )
    if isinstance(column.find_ancestor(exp.Ordered, exp.Select), exp.Ordered):
        raise NotInSpark(f"{column.name} is a whole row, by which Spark does not sort; name its columns", column)
    all_columns = exp.Column(this=exp.Star(), table=exp.to_identifier(column.name))
    row: exp.Expr = exp.Anonymous(this="STRUCT", expressions=[all_columns])
    row.type = exp.DataType(this=exp.DType.STRUCT)
    column.replace(exp.alias_(row, column.name) if column.parent is select else row)

"""Tables in the tree of a query, and the placeholders that take their places."""

from __future__ import annotations

from collections.abc import Callable

from sqlglot import exp

from dbt_kinds.kinds import Placeholder
from dbt_kinds.placeholders import Placeholders, is_placeholder
from dbt_kinds.translation.file_tables import is_file
from dbt_kinds.translation.star_expansion import is_column_of_neighbour, visible_cte


def is_read_table(table: exp.Table) -> bool:
    """Whether a table in a tree must be looked up: not a CTE, function, file or lateral column."""
    if not isinstance(table.this, exp.Identifier) or is_placeholder(table.name) or is_file(table):
        return False
    return visible_cte(table) is None and not is_column_of_neighbour(table)


def put_placeholders(
    tree: exp.Expr, placeholder_of: Callable[[exp.Table], Placeholder], placeholders: Placeholders
) -> None:
    """Replaces each table that must be looked up by a placeholder. Columns keep the name by which they call it: a table
    without an alias gets its own name as one.
    """
    renamed: dict[str, str] = {}
    for table in list(tree.find_all(exp.Table)):
        if not is_read_table(table):
            continue
        parts = [part.name for part in table.parts]
        placeholder = placeholders.name_of(placeholder_of(table))
        if not table.alias:
            renamed[".".join(parts).lower()] = parts[-1]
            table.set("alias", exp.TableAlias(this=exp.to_identifier(parts[-1])))
        table.set("this", exp.to_identifier(placeholder))
        table.set("db", None)
        table.set("catalog", None)
    for column in tree.find_all(exp.Column):
        if column.args.get("db") is not None:
            qualifier = ".".join(part.name for part in column.parts[:-1]).lower()
            if qualifier in renamed:
                column.set("db", None)
                column.set("catalog", None)

"""Tables in the tree of a query, and the placeholders that take their places."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from sqlglot import exp

from dbt_kinds.kinds import Placeholder
from dbt_kinds.placeholders import Placeholders, is_placeholder
from dbt_kinds.translation.dialects import spark_sql
from dbt_kinds.translation.file_tables import is_file
from dbt_kinds.translation.star_expansion import is_column_of_neighbour, visible_cte


class Edit(NamedTuple):
    """What becomes of a part of a query's text, as `put_placeholders` changed its tree.

    Attributes:
        start: where the part begins; -1 if that is not known.
        end: where it ends.
        new: what takes its place.
        written: the table's name without quotes; empty for the schema in front of a column.
    """

    start: int
    end: int
    new: str
    written: str


def is_read_table(table: exp.Table) -> bool:
    """Whether a table in a tree must be looked up: not a CTE, function, file or lateral column."""
    if not isinstance(table.this, exp.Identifier) or is_placeholder(table.name) or is_file(table):
        return False
    return visible_cte(table) is None and not is_column_of_neighbour(table)


def put_placeholders(
    tree: exp.Expr,
    placeholder_of: Callable[[exp.Table], Placeholder | None],
    placeholders: Placeholders,
    alias_of: Callable[[exp.Table], str] = lambda table: str(table.name),
) -> list[Edit]:
    """Replaces each table that must be looked up by a placeholder. Columns keep the name by which they call it: a table
    without an alias gets one.

    Args:
        tree: the query.
        placeholder_of: what a table is; None leaves it as written.
        placeholders: those of the model.
        alias_of: the alias of a table that has none: its name.

    Returns:
        the same as edits of the text that the tree was parsed from.
    """
    edits: list[Edit] = []
    renamed: set[str] = set()
    for table in list(tree.find_all(exp.Table)):
        placeholder = placeholder_of(table) if is_read_table(table) else None
        if placeholder is None:
            continue
        name, alias = placeholders.name_of(placeholder), None if table.alias else _identifier(alias_of(table))
        written = ".".join(part.name for part in table.parts)
        edits.append(Edit(*_place(table), name if alias is None else f"{name} AS {spark_sql(alias)}", written))
        table.set("this", exp.to_identifier(name))
        table.set("db", None)
        table.set("catalog", None)
        if alias is not None:
            table.set("alias", exp.TableAlias(this=alias))
            renamed.add(written.lower())
    return [*edits, *_shortened(tree, renamed)]


def _shortened(tree: exp.Expr, renamed: set[str]) -> list[Edit]:
    """Columns that name the schemas of their tables lose these."""
    edits: list[Edit] = []
    for column in tree.find_all(exp.Column):
        if column.args.get("db") is None:
            continue
        if ".".join(part.name for part in column.parts[:-1]).lower() in renamed:
            start, end = column.parts[0].meta.get("start"), column.parts[-2].meta.get("start")
            edits.append(Edit(-1 if start is None else int(start), int(end or 0), "", ""))
            column.set("db", None)
            column.set("catalog", None)
    return edits


def _place(table: exp.Table) -> tuple[int, int]:
    start, end = table.parts[0].meta.get("start"), table.parts[-1].meta.get("end")
    is_plain = not any(table.args.get(key) for key in ("pivots", "sample", "when", "version", "hints", "only"))
    return (int(start), int(end) + 1) if is_plain and start is not None and end is not None else (-1, 0)


def _identifier(name: str) -> exp.Identifier:
    # for sqlglot any letter is plain, for Spark only ASCII
    identifier = exp.to_identifier(name, quoted=None if name.isascii() else True)
    assert identifier is not None
    return identifier

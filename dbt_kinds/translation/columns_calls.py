"""Expands DuckDB's `COLUMNS(…)`, using the known columns."""

from __future__ import annotations

import re

from sqlglot import exp

from dbt_kinds.translation.not_in_spark import NotInSpark
from dbt_kinds.translation.star_expansion import ColumnsOf, source_columns, star_columns


def write_columns_out(tree: exp.Expr, dialect: str, columns_of: ColumnsOf) -> None:
    """Repeats every select list item with COLUMNS(…) once per column.

    Raises:
        NotInSpark: columns are not known, or are selected by anything but `*`, a pattern or a list of names.
    """
    for call in list(tree.find_all(exp.Columns)):
        select, item = call.find_ancestor(exp.Select), call
        while item.parent is not None and item.parent is not select:
            item = item.parent  # type: ignore[assignment]
        if select is None or item.arg_key != "expressions":
            raise NotInSpark("COLUMNS(…) outside a select list is not written out; write the conditions", call)
    for select in list(tree.find_all(exp.Select)):
        written: list[exp.Expr] = []
        for item in select.expressions:
            calls = [call for call in item.find_all(exp.Columns) if call.find_ancestor(exp.Select) is select]
            written.extend(_written_out(item, calls, select, dialect, columns_of) if calls else [item])
        select.set("expressions", written)


def _written_out(
    item: exp.Expr, calls: list[exp.Columns], select: exp.Select, dialect: str, columns_of: ColumnsOf
) -> list[exp.Expr]:
    columns = star_columns(select, "", dialect, columns_of)
    if columns is None:
        unknown = [alias for alias, names in source_columns(select, dialect, columns_of) if names is None]
        message = f"the columns of {(unknown or [''])[0] or 'a sub-select'} are not known"
        raise NotInSpark(f"{message}, so COLUMNS(…) cannot be written out; write the columns", item, needs_columns=True)
    known = [column.name for column in columns]
    if isinstance(item, exp.Alias) and "\\" in item.alias:
        raise NotInSpark("COLUMNS(…) AS a pattern is not written out; write the columns with their names", item)
    names = _chosen(calls[0], known)
    if isinstance(item, exp.Alias) and len(names) > 1:
        message = f"COLUMNS(…) AS {item.alias} gives {len(names)} columns one name"
        raise NotInSpark(f"{message}; write the columns with their names", item)
    written = []
    for name in names:
        made = item.copy()
        for call in list(made.find_all(exp.Columns)):
            column = exp.column(exp.to_identifier(name))
            if call is made:
                made = column
            else:
                call.replace(column)
        # DuckDB names every one of them after the column
        written.append(made if isinstance(made, exp.Alias | exp.Column) else exp.alias_(made, name))
    return written


def _chosen(call: exp.Columns, known: list[str]) -> list[str]:
    chosen = call.this
    if isinstance(chosen, exp.Star) and not chosen.args.get("replace"):
        left_out = {column.name.lower() for column in chosen.args.get("except_") or []}
        return [name for name in known if name.lower() not in left_out]
    if isinstance(chosen, exp.Literal) and chosen.is_string:
        try:
            pattern = re.compile(chosen.name)
        except re.error as error:
            raise NotInSpark(f"'{chosen.name}' of COLUMNS is no pattern: {error}", call) from error
        return [name for name in known if pattern.search(name)]
    if isinstance(chosen, exp.Array) and all(item.is_string for item in chosen.expressions):
        names = {item.name.lower() for item in chosen.expressions}
        return [name for name in known if name.lower() in names]
    raise NotInSpark("this form of COLUMNS is not written out; write the columns", call)

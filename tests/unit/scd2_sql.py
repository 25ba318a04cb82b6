"""Queries that are what a source of SCD type 2 holds at the moment, written out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tests.unit.scd2_vectors import columns_of

Columns = Sequence[tuple[str, str]]


def literal(value: Any, type_: str) -> str:
    """A value of a vector as SQL."""
    if value is None:
        return f"cast(null as {type_})"
    text = str(value).replace("'", "\\'")
    return f"cast('{text}' as {type_})"


def rows_sql(columns: Columns, rows: Sequence[Sequence[Any]]) -> str:
    """A query of these rows, typed; also of none."""
    names = ", ".join(f"`{name}`" for name, _ in columns)
    if not rows:
        return f"select {', '.join(f'{literal(None, type_)} as `{name}`' for name, type_ in columns)} where false"
    values = (
        "(" + ", ".join(literal(value, type_) for value, (_, type_) in zip(row, columns, strict=True)) + ")"
        for row in rows
    )
    return f"select * from values {', '.join(values)} as source_rows({names})"


def query(vector: dict[str, Any], step: dict[str, Any]) -> str:
    """The model's SQL at a step of a vector."""
    columns, sql = columns_of(vector, step), rows_sql(columns_of(vector, step), step["rows"])
    column = vector.get("window_column")
    if column is None:
        return sql
    suffix = "ds" if dict(columns)[column] == "date" else "dt"
    bounds = f"{{{{ dbt_kinds.start_{suffix}() }}}} and {{{{ dbt_kinds.end_{suffix}() }}}}"
    return f"{sql}\nwhere `{column}` between {bounds}"


def as_texts(rows: Sequence[Sequence[Any]]) -> list[list[str | None]]:
    """Rows of a vector as `stored` returns them."""
    return sorted(([None if value is None else str(value) for value in row] for row in rows), key=repr)

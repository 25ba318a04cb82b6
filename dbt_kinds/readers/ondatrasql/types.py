"""Types of DuckDB's as Spark calls them."""

from __future__ import annotations

from sqlglot import exp

from dbt_kinds.translation.data_types import declared_type
from dbt_kinds.translation.dialects import ParseFailure, parse_expression


def type_of_text(text: str) -> str:
    """A type by its name.

    Raises:
        ParseFailure: it is no type of DuckDB's.
        NotInSpark: Spark has none like it.
    """
    # as a cast: a type alone is read with whatever stands behind it
    tree = parse_expression(f"CAST(x AS {text})", "duckdb")
    if not isinstance(tree, exp.Cast) or any(tree.args.get(part) for part in ("format", "default", "action")):
        raise ParseFailure(f"'{text}' is no type", 0)
    return declared_type(tree.to.copy(), "duckdb")

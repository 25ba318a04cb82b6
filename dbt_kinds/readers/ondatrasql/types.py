"""DuckDB's types under their names in Spark."""

from __future__ import annotations

from sqlglot import exp

from dbt_kinds.translation.data_types import declared_type
from dbt_kinds.translation.dialects import ParseFailure, parse_expression


def type_of_text(text: str) -> str:
    """Parses a type name.

    Raises:
        ParseFailure: it is not a DuckDB type.
        NotInSpark: Spark has no equivalent.
    """
    # as a cast: a type alone would be parsed together with whatever follows it
    tree = parse_expression(f"CAST(x AS {text})", "duckdb")
    if not isinstance(tree, exp.Cast) or any(tree.args.get(part) for part in ("format", "default", "action")):
        raise ParseFailure(f"'{text}' is no type", 0)
    return declared_type(tree.to.copy(), "duckdb")

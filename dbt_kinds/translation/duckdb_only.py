"""DuckDB constructs that sqlglot passes through unchanged and Spark does not accept."""

from __future__ import annotations

from sqlglot import exp


def duckdb_only(node: exp.Expr) -> str | None:
    """Why a node has no counterpart, and what to write instead; None for others."""
    if isinstance(node, exp.Join) and (node.method or "").upper() == "POSITIONAL":
        return "POSITIONAL JOIN has no counterpart in Spark, whose rows have no order; join on a row_number()"
    if isinstance(node, exp.Pivot) and node.arg_key != "pivots":
        word = "UNPIVOT" if node.args.get("unpivot") else "PIVOT"
        return f"{word} t ON … has no counterpart in Spark; write select … from t {word.lower()} (…) with its values"
    if isinstance(node, exp.HistoricalData):
        return "AT (VERSION …) is not carried over; write {{ dbt_kinds.as_of(…) }} or a snapshot's table"
    if isinstance(node, exp.Summarize | exp.Describe | exp.Show):
        return f"{node.key.upper()} returns no rows that a table is made of; write a query"
    if isinstance(node, exp.Dot) and isinstance(node.expression, exp.Func) and not isinstance(node.this, exp.Dot):
        name = node.expression.name or node.expression.sql_name().lower()
        return f"{node.this.sql(dialect='duckdb')}.{name}(…) has no counterpart in Spark; write {name}(…, …)"
    if isinstance(node, exp.Comprehension):
        return "[… for … in …] has no counterpart in Spark; write list_transform() and list_filter()"
    if isinstance(node, exp.LimitOptions) and node.args.get("percent"):
        return "LIMIT in percent has no counterpart in Spark; filter by percent_rank()"
    return None

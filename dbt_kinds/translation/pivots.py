"""PIVOT: its columns keep the names that the source dialect gives them, or the query is refused.

Spark names a column after its value, and adds the aggregation's name only if there are several aggregations.
"""

from __future__ import annotations

from sqlglot import exp

from dbt_kinds.translation.dialects import is_spark
from dbt_kinds.translation.not_in_spark import NotInSpark

# where values are written as names: FOR month IN ([jan], [feb])
_VALUES_ARE_NAMES = frozenset({"tsql", "fabric"})

_ZERO_OF_NOTHING = (exp.Count, exp.CountIf, exp.ApproxDistinct)


def name_pivoted(pivot: exp.Pivot, dialect: str) -> None:
    """Adds the aliases with which Spark's columns are named as in the dialect.

    Raises:
        NotInSpark: no alias does that, or Spark has no such PIVOT.
    """
    if pivot.args.get("unpivot") or not (fields := pivot.args.get("fields")):
        return
    _refuse(pivot, fields)
    if is_spark(dialect):
        return
    values = fields[0].expressions
    if dialect in _VALUES_ARE_NAMES:
        values = [_as_text(value) for value in values]
    names = [column.name for column in pivot.args.get("columns") or []]
    aggregations = pivot.expressions
    if any(one.find(*_ZERO_OF_NOTHING) for one in aggregations):
        raise NotInSpark(
            "counts in PIVOT are NULL in Spark, not 0, where no row has the value; write count_if(month = 1) AS jan "
            "and GROUP BY",
            pivot,
        )
    if len(names) != len(values) * len(aggregations):
        raise NotInSpark("PIVOT with several aggregations needs a name for each: sum(amount) AS total", pivot)
    if dialect == "bigquery" and not all(_has_its_name(value) for value in values):
        raise NotInSpark("BigQuery names columns of numbers and dates in its own way; write 2024 AS _2024", pivot)
    if len(aggregations) == 1:
        fields[0].set("expressions", [_named(value, name) for value, name in zip(values, names, strict=True)])
        return
    # Spark joins both names with an underscore, the value's first
    parts = [name[len(values[0].alias_or_name) :] for name in names[: len(aggregations)]]
    joined = [value.alias_or_name + part for value in values for part in parts]
    if joined != names or not all(part.startswith("_") for part in parts):
        raise NotInSpark(
            f"PIVOT with several aggregations names no column {names[0]} in Spark; write a PIVOT for each",
            pivot,
        )
    fields[0].set("expressions", values)
    pivot.set("expressions", [_named(one, part[1:]) for one, part in zip(aggregations, parts, strict=True)])


def _refuse(pivot: exp.Pivot, fields: list[exp.Expr]) -> None:
    if any(
        isinstance(item, exp.PivotAny) or not isinstance(getattr(item, "expressions", None) or [], list)
        for field in fields
        for item in getattr(field, "expressions", [])
    ):
        raise NotInSpark("PIVOT over values that are not written out has no counterpart in Spark", pivot)
    if len(fields) > 1:
        raise NotInSpark("PIVOT over several lists has no counterpart in Spark; write one list FOR (a, b)", pivot)
    if pivot.args.get("group"):
        raise NotInSpark("GROUP BY in PIVOT has no counterpart in Spark; select those columns in a sub-select", pivot)
    if pivot.args.get("default_on_null"):
        raise NotInSpark("DEFAULT ON NULL has no counterpart in Spark; write coalesce() around the columns", pivot)


def _has_its_name(value: exp.Expr) -> bool:
    return isinstance(value, exp.PivotAlias) or value.is_string


def _as_text(value: exp.Expr) -> exp.Expr:
    return exp.Literal.string(value.name) if isinstance(value, exp.Identifier | exp.Column) else value


def _named(node: exp.Expr, name: str) -> exp.Expr:
    if node.alias_or_name == name:
        return node
    alias = exp.to_identifier(name, quoted=True)
    if isinstance(node, exp.Func | exp.Alias):
        return exp.alias_(node.unalias(), alias)
    return exp.PivotAlias(this=node.this if isinstance(node, exp.PivotAlias) else node, alias=alias)

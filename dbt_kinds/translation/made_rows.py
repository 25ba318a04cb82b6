"""Generated rows: series of numbers and dates, lists with positions."""

from __future__ import annotations

from sqlglot import exp

from dbt_kinds.translation.calls import call
from dbt_kinds.translation.not_in_spark import NotInSpark

_ITEM = "_item"
_POSITION = "_position"
UNNAMED = "_unnested"


def series(table: exp.Table, dialect: str) -> exp.Expr:
    """A series as a table; with an explicit step, Spark refuses a backwards one, which is empty in the source
    dialect.
    """
    made = table.this
    sequence = _sequence(made)
    name = "generate_series"
    if made.args.get("is_end_exclusive"):
        name = "range"
        compare = exp.GT if isinstance(sequence.expressions[2].unnest(), exp.Neg) else exp.LT
        sequence = call(
            "FILTER", sequence, _lambda(compare(this=exp.column(_ITEM), expression=made.args["end"].copy()))
        )
    table.set("this", call("EXPLODE", sequence))
    alias = table.args.get("alias")
    table_name = alias.name if alias is not None else name
    column = table_name if dialect in ("postgres", "redshift") else name
    columns = (alias.args.get("columns") if alias is not None else None) or [exp.to_identifier(column)]
    table.set("alias", exp.TableAlias(this=exp.to_identifier(table_name), columns=columns))
    return table


def exploded_series(node: exp.ExplodingGenerateSeries, dialect: str) -> exp.Expr:
    """`select generate_series(…)`."""
    return node if isinstance(node.parent, exp.Cast) else call("EXPLODE", _sequence(node))


def cast_series(node: exp.Cast) -> exp.Expr:
    """`select generate_series(…)::date`: Spark only explodes a whole select list item."""
    cast = exp.Cast(this=exp.column(_ITEM), to=node.to.copy())
    return call("EXPLODE", call("TRANSFORM", _sequence(node.this), _lambda(cast)))


def numbered(node: exp.Unnest, dialect: str) -> exp.Expr:
    """`from unnest(list) with ordinality`, which counts from 1; POSEXPLODE and BigQuery's OFFSET count from 0.

    Raises:
        NotInSpark: several lists are unnested at once, or columns have no names.
    """
    if not counts_from_1(node, dialect) or not isinstance(node.parent, exp.From):
        return node
    alias = node.args.get("alias") or exp.TableAlias()
    rows = numbered_rows(node, alias.columns)
    columns = [alias.columns[0].copy(), node.args["offset"].copy()]
    return exp.Table(this=rows, alias=exp.TableAlias(this=alias.this or exp.to_identifier(UNNAMED), columns=columns))


def counts_from_1(node: exp.Unnest, dialect: str) -> bool:
    """Whether a list is read WITH ORDINALITY."""
    return bool(node.args.get("offset")) and dialect != "bigquery"


def numbered_rows(node: exp.Unnest, columns: list[exp.Identifier]) -> exp.Anonymous:
    """The items of a list and their positions from 1, by a function.

    Args:
        columns: the name of its items.

    Raises:
        NotInSpark: several lists are unnested at once, or columns have no names.
    """
    fields = _numbered_fields(node, columns)
    struct = exp.Anonymous(this="STRUCT", expressions=fields)
    return call("INLINE", call("TRANSFORM", node.expressions[0], _lambda(struct, _ITEM, _POSITION)))


def numbered_select(node: exp.Unnest, columns: list[exp.Identifier]) -> exp.Subquery:
    """The same as a sub-select, for LATERAL."""
    fields = _numbered_fields(node, columns)
    alias = exp.TableAlias(
        this=exp.to_identifier(UNNAMED), columns=[exp.to_identifier(_POSITION), exp.to_identifier(_ITEM)]
    )
    return exp.select(*fields).from_(exp.Table(this=call("POSEXPLODE", node.expressions[0]), alias=alias)).subquery()


def _numbered_fields(node: exp.Unnest, columns: list[exp.Identifier]) -> list[exp.Expr]:
    position = node.args["offset"]
    if not isinstance(position, exp.Identifier) or len(node.expressions) != 1 or len(columns) != 1:
        raise NotInSpark(
            "this form of WITH ORDINALITY has no counterpart in Spark; name its columns, of one list", node
        )
    return [
        exp.alias_(exp.column(_ITEM), columns[0].name),
        exp.alias_(exp.Add(this=exp.column(_POSITION), expression=exp.Literal.number(1)), position.name),
    ]


def _sequence(made: exp.Expr) -> exp.Anonymous:
    return call("SEQUENCE", made.args["start"], made.args["end"], made.args.get("step") or exp.Literal.number(1))


def _lambda(body: exp.Expr, *names: str) -> exp.Lambda:
    return exp.Lambda(this=body, expressions=[exp.to_identifier(name) for name in names or (_ITEM,)])

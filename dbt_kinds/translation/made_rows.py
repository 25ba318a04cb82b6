"""Generated rows: series of numbers and dates, lists with positions."""

from __future__ import annotations

from sqlglot import exp

from dbt_kinds.translation.calls import call
from dbt_kinds.translation.not_in_spark import NotInSpark

_ITEM = "_item"
_POSITION = "_position"


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
    """`unnest(list) with ordinality`, which counts from 1; POSEXPLODE and BigQuery's OFFSET count from 0.

    Raises:
        NotInSpark: several lists are unnested at once, or columns have no names.
    """
    position = node.args.get("offset")
    if not isinstance(position, exp.Identifier) or dialect == "bigquery":
        return node
    alias = node.args.get("alias")
    names = (alias.args.get("columns") if alias is not None else None) or []
    if alias is None or len(node.expressions) != 1 or len(names) != 1:
        raise NotInSpark(
            "this form of WITH ORDINALITY has no counterpart in Spark; name its columns, of one list", node
        )
    fields = [
        exp.alias_(exp.column(_ITEM), names[0].name),
        exp.alias_(exp.Add(this=exp.column(_POSITION), expression=exp.Literal.number(1)), position.name),
    ]
    struct = exp.Anonymous(this="STRUCT", expressions=fields)
    rows = call("INLINE", call("TRANSFORM", node.expressions[0], _lambda(struct, _ITEM, _POSITION)))
    named = exp.TableAlias(
        this=alias.this or exp.to_identifier("_unnested"), columns=[names[0].copy(), position.copy()]
    )
    join = node.parent
    if not isinstance(join, exp.Join):
        return exp.Table(this=rows, alias=named)
    select = join.parent
    condition = join.args.get("on")
    is_plain = not join.args.get("using") and (condition is None or condition == exp.true())
    if not isinstance(select, exp.Select) or not is_plain or (join.side or "").upper() not in ("", "LEFT"):
        raise NotInSpark("this join of WITH ORDINALITY has no counterpart in Spark; write CROSS JOIN", node)
    view = exp.Lateral(this=rows, view=True, outer=(join.side or "").upper() == "LEFT", alias=named)
    select.append("laterals", view)
    join.pop()
    return node


def _sequence(made: exp.Expr) -> exp.Anonymous:
    return call("SEQUENCE", made.args["start"], made.args["end"], made.args.get("step") or exp.Literal.number(1))


def _lambda(body: exp.Expr, *names: str) -> exp.Lambda:
    return exp.Lambda(this=body, expressions=[exp.to_identifier(name) for name in names or (_ITEM,)])

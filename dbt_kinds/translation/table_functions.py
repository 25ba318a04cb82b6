"""Generated rows: series of numbers and dates, lists with positions."""

from __future__ import annotations

from sqlglot import exp

from dbt_kinds.translation.calls import call
from dbt_kinds.translation.dialects import TRINO_FAMILY
from dbt_kinds.translation.file_tables import as_table
from dbt_kinds.translation.not_in_spark import NotInSpark
from dbt_kinds.translation.rewrites import rewrites
from dbt_kinds.translation.string_functions import split_by_text
from dbt_kinds.translation.value_types import type_of

_ITEM = "_item"
_POSITION = "_position"
UNNAMED = "_unnested"
_SPLITS_TO_ROWS = frozenset({"fabric", "tsql"})
# the columns of VALUES without names, and the number of the first one
_UNNAMED_VALUES = {
    **{"duckdb": ("col", 0), "mysql": ("column_", 0), "postgres": ("column", 1), "redshift": ("column", 1)},
    "snowflake": ("column", 1),
}


@rewrites(exp.Table, also_in_spark=True)
def made_table(node: exp.Table, dialect: str) -> exp.Expr:
    """A table that a function makes, or that is a file."""
    if isinstance(node.this, exp.GenerateSeries | exp.ExplodingGenerateSeries):
        return series(node, dialect)
    if dialect in _SPLITS_TO_ROWS and (parts := _parts_of_text(node.this)) is not None:
        node.set("this", parts)
        _name_parts(node)
        return node
    return as_table(node) if dialect == "duckdb" else node


@rewrites(exp.Values)
def named_values(node: exp.Values, dialect: str) -> exp.Expr:
    """`from (values (1, 2))`, whose columns have other names in Spark.

    Raises:
        NotInSpark: it has columns of an outer row.
    """
    if isinstance(node.parent, exp.From | exp.Join) and any(_has_column(row) for row in node.expressions):
        message = "VALUES with columns of the outer row have no counterpart in a sub-select of Spark; write array()"
        raise NotInSpark(message, node)
    alias, named = node.args.get("alias"), _UNNAMED_VALUES.get(dialect)
    is_table = isinstance(node.parent, exp.From | exp.Join) and node.expressions
    if named is None or not is_table or (alias is not None and alias.columns):
        return node
    name, first = named
    columns = [exp.to_identifier(f"{name}{number + first}") for number in range(len(_fields(node.expressions[0])))]
    table = alias.this.copy() if alias is not None and alias.this else exp.to_identifier("_values")
    node.set("alias", exp.TableAlias(this=table, columns=columns))
    return node


def _fields(row: exp.Expr) -> list[exp.Expr]:
    return row.expressions if isinstance(row, exp.Tuple) else [row.unnest()]


def _has_column(row: exp.Expr) -> bool:
    return any(not isinstance(column.parent, exp.Kwarg) for column in row.find_all(exp.Column))


@rewrites(exp.Lateral)
def made_for_each(node: exp.Lateral, dialect: str) -> exp.Expr:
    """`cross apply string_split(text, ',')` of T-SQL; `lateral (values (a), (b))`, in which Spark has no columns."""
    values = node.this.unnest()
    alias = node.args.get("alias")
    if isinstance(values, exp.Values) and alias is not None and alias.columns:
        names = [column.name for column in alias.columns]
        rows = [_named_fields(_fields(row), names) for row in values.expressions]
        node.set("this", call("INLINE", exp.Array(expressions=rows)))
        return node
    parts = _parts_of_text(node.this) if dialect in _SPLITS_TO_ROWS else None
    if parts is not None:
        # LEFT JOIN LATERAL keeps no row without parts
        node.set("this", parts if node.args.get("cross_apply") else call("EXPLODE_OUTER", *parts.expressions))
        _name_parts(node)
    return node


def _parts_of_text(made: exp.Expr) -> exp.Anonymous | None:
    """The rows of STRING_SPLIT without positions."""
    if not isinstance(made, exp.Anonymous) or made.name.upper() != "STRING_SPLIT" or len(made.expressions) != 2:
        return None
    text, separator = made.expressions
    return call("EXPLODE", split_by_text(exp.Split(this=text.copy(), expression=separator.copy()), "tsql"))


def _name_parts(node: exp.Table | exp.Lateral) -> None:
    alias = node.args.get("alias")
    name = alias.this if alias is not None and alias.this else exp.to_identifier("string_split")
    columns = (alias.args.get("columns") if alias is not None else None) or [exp.to_identifier("value")]
    node.set("alias", exp.TableAlias(this=name, columns=columns))


def series(table: exp.Table, dialect: str) -> exp.Expr:
    """A series as a table."""
    made = table.this
    name = "range" if made.args.get("is_end_exclusive") else "generate_series"
    table.set("this", call("EXPLODE", _sequence(made, dialect)))
    alias = table.args.get("alias")
    table_name = alias.name if alias is not None else name
    column = table_name if dialect in ("postgres", "redshift") else "value" if dialect in _SPLITS_TO_ROWS else name
    columns = (alias.args.get("columns") if alias is not None else None) or [exp.to_identifier(column)]
    named = exp.TableAlias(this=exp.to_identifier(table_name), columns=columns)
    if isinstance(table.parent, exp.Join) and table.this.find(exp.Column):
        return exp.Lateral(this=table.this.copy(), alias=named)
    table.set("alias", named)
    return table


@rewrites(exp.GenerateDateArray)
def date_series(node: exp.GenerateDateArray, dialect: str) -> exp.Expr:
    """`generate_date_array(first, last, interval 1 day)`, empty if the last one is before the first."""
    for name in ("start", "end"):
        if type_of(node.args[name]) is not exp.DType.DATE:
            node.set(name, exp.cast(node.args[name], "date"))
    return _sequence(node, dialect)


@rewrites(exp.GenerateSeries)
def listed_series(node: exp.GenerateSeries, dialect: str) -> exp.Expr:
    """`generate_array(1, 3)`, a list; as a table it is handled with that."""
    return node if isinstance(node.parent, exp.Table | exp.Unnest) else _sequence(node, dialect)


@rewrites(exp.ExplodingGenerateSeries)
def exploded_series(node: exp.ExplodingGenerateSeries, dialect: str) -> exp.Expr:
    """`select generate_series(…)`."""
    return node if isinstance(node.parent, exp.Cast | exp.Table) else call("EXPLODE", _sequence(node, dialect))


def cast_series(node: exp.Cast, dialect: str) -> exp.Expr:
    """`select generate_series(…)::date`: Spark only explodes a whole select list item."""
    cast = exp.Cast(this=exp.column(_ITEM), to=node.to.copy())
    return call("EXPLODE", call("TRANSFORM", _sequence(node.this, dialect), _lambda(cast)))


def cast_items(node: exp.Cast) -> exp.Expr:
    """`select unnest(list)::date`."""
    cast = exp.Cast(this=exp.column(_ITEM), to=node.to.copy())
    return call("EXPLODE", call("TRANSFORM", node.this.this, _lambda(cast)))


@rewrites(exp.Unnest)
def numbered(node: exp.Unnest, dialect: str) -> exp.Expr:
    """`from unnest(list) with ordinality`, which counts from 1; POSEXPLODE and BigQuery's OFFSET count from 0.

    Raises:
        NotInSpark: several lists are unnested at once, or columns have no names.
    """
    if dialect == "bigquery" and (fields := _structs(node)) is not None:
        return fields
    if not counts_from_1(node, dialect) or not isinstance(node.parent, exp.From):
        return node
    alias = node.args.get("alias") or exp.TableAlias()
    rows = numbered_rows(node, alias.columns)
    columns = [alias.columns[0].copy(), node.args["offset"].copy()]
    return exp.Table(this=rows, alias=exp.TableAlias(this=alias.this or exp.to_identifier(UNNAMED), columns=columns))


def _structs(node: exp.Unnest) -> exp.Table | None:
    """`from unnest([struct(1 as a), (2)])` of BigQuery, whose columns are the fields of the first."""
    items = node.expressions[0].expressions if isinstance(node.expressions[0], exp.Array) else []
    first = items[0] if items else None
    is_struct = isinstance(first, exp.Struct) and all(isinstance(field, exp.PropertyEQ) for field in first.expressions)
    if not is_struct or node.args.get("offset") or not isinstance(node.parent, exp.From):
        return None
    assert first is not None
    names = [field.name for field in first.expressions]
    rows = [_named_fields([_value(field) for field in item.expressions], names) for item in items]
    alias = node.args.get("alias")
    name = alias.columns[0].copy() if alias is not None and alias.columns else exp.to_identifier(UNNAMED)
    columns = [exp.to_identifier(column) for column in names]
    made = call("INLINE", exp.Array(expressions=rows))
    return exp.Table(this=made, alias=exp.TableAlias(this=name, columns=columns))


def _value(field: exp.Expr) -> exp.Expr:
    return field.expression if isinstance(field, exp.PropertyEQ) else field.unalias()


def _named_fields(values: list[exp.Expr], names: list[str]) -> exp.Struct:
    pairs = zip(names, values, strict=False)
    fields = [exp.PropertyEQ(this=exp.to_identifier(name), expression=value.copy()) for name, value in pairs]
    return exp.Struct(expressions=fields)


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


def _sequence(made: exp.Expr, dialect: str) -> exp.Expr:
    """A list of numbers or times; Spark goes backwards where the dialects have none, or refuses to."""
    start, end, step = made.args["start"], made.args["end"], made.args.get("step")
    is_of_times = isinstance(step, exp.Interval) or type_of(start) is exp.DType.DATE
    bounds = [exp.cast(bound, "date") if is_of_times and bound.is_string else bound for bound in (start, end)]
    counted = call("SEQUENCE", *bounds, *([step] if step is not None else []))
    if made.args.get("is_end_exclusive"):
        compare = exp.GT if _is_negative(step) else exp.LT
        counted = call("FILTER", counted, _lambda(compare(this=exp.column(_ITEM), expression=bounds[1].copy())))
    if dialect in TRINO_FAMILY and step is None:
        # which goes backwards, too
        return counted
    first, last = (_number(bound) for bound in bounds)
    if first is not None and last is not None:
        is_there = first >= last if _is_negative(step) else first <= last
        return counted if is_there else exp.Array()
    is_literal = all(isinstance(bound, exp.Cast) and bound.this.is_string for bound in bounds)
    if is_literal and bounds[0].this.name <= bounds[1].this.name:
        return counted
    is_empty = (exp.LT if _is_negative(step) else exp.GT)(this=bounds[0].copy(), expression=bounds[1].copy())
    return exp.If(this=is_empty, true=exp.Array(), false=counted)


def _is_negative(step: exp.Expr | None) -> bool:
    return isinstance(step.unnest(), exp.Neg) if step is not None else False


def _number(value: exp.Expr) -> float | None:
    inner = value.unnest()
    if isinstance(inner, exp.Neg):
        number = _number(inner.this)
        return -number if number is not None else None
    return float(inner.name) if isinstance(inner, exp.Literal) and inner.is_number else None


def _lambda(body: exp.Expr, *names: str) -> exp.Lambda:
    return exp.Lambda(this=body, expressions=[exp.to_identifier(name) for name in names or (_ITEM,)])

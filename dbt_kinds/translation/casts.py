"""Casts: which numbers are rounded, which texts are read, and what Spark has no type for."""

from __future__ import annotations

import re

from sqlglot import exp

from dbt_kinds.translation.bytes_and_texts import bytes_as_text, is_bytes, text_as_bytes
from dbt_kinds.translation.calls import call, holder_of
from dbt_kinds.translation.data_types import sized
from dbt_kinds.translation.date_arithmetic import interval
from dbt_kinds.translation.dialects import BITS_ARE_NUMBERS, TRINO_FAMILY
from dbt_kinds.translation.jsons import as_json, of_json
from dbt_kinds.translation.not_in_spark import NotInSpark
from dbt_kinds.translation.renamed import from_template
from dbt_kinds.translation.rewrites import rewrites
from dbt_kinds.translation.table_functions import cast_items, cast_series
from dbt_kinds.translation.typed_operators import types_of
from dbt_kinds.translation.value_types import (
    BYTES,
    DECIMALS,
    DOUBLES,
    INTEGERS,
    JSONS,
    NESTED,
    NUMBERS,
    TEXTS,
    TIMES,
    WHOLE,
    type_of,
)


def _seconds(number: str) -> exp.Interval:
    return exp.Interval(this=exp.Literal.string(number), unit=exp.var("SECOND"))


# a cast to an integer rounds in these; Spark cuts
ROUNDS = TRINO_FAMILY | {"bigquery", "duckdb", "mysql", "postgres", "redshift", "snowflake"}
# ... and half of a double to even in these
_HALVES_TO_EVEN = frozenset({"duckdb", "mysql", "postgres"})
# where a date plus an interval is a time
_DAYS_BECOME_TIMES = frozenset({"duckdb", "postgres", "redshift"})
# ... and reads the fraction of a text, too
ROUNDS_TEXTS = frozenset({"duckdb", "snowflake"})
# the words that are read as true and false; without an entry they are Spark's
_BOOLEANS = {
    **dict.fromkeys(TRINO_FAMILY, ("'true', 't', '1'", "'false', 'f', '0'")),
    "bigquery": ("'true'", "'false'"),
    "snowflake": ("'true', 't', 'yes', 'y', 'on', '1'", "'false', 'f', 'no', 'n', 'off', '0'"),
}
# the type of a column that is nothing but NULL (DuckDB's newer versions have none, and take it for an integer); Spark
# gives it none, and no table takes it
_TYPES_OF_NULL = {
    **{"bigquery": "bigint", "duckdb": "int", "fabric": "int", "postgres": "string"},
    **{"snowflake": "string", "tsql": "int"},
}
# a value of any type is one of a list there
_HOLD_VARIANTS = (exp.Array, exp.ArrayAppend, exp.ArrayContains, exp.ArrayPosition)
_TAKE_JSON = (exp.JSONBExtract, exp.JSONBExtractScalar, exp.JSONExtract, exp.JSONExtractScalar)
# a list in a string, of items without quotes
_ITEMS = re.compile(r"\{(?P<items>[^{}\"\\]*)\}")
_IS_DATE = frozenset({"fabric", "mysql", "postgres", "redshift", "tsql"})
# a time with fewer digits of a second is rounded in these
ROUNDS_TIMES = TRINO_FAMILY | {"duckdb", "fabric", "mysql", "postgres", "tsql"}
DIGITS_OF_SECOND = 6
_HALVES_BY_DIGITS = {0: ("SECOND", _seconds("0.5")), 3: ("MILLISECOND", _seconds("0.0005"))}
ROUNDED_DIGITS = frozenset(_HALVES_BY_DIGITS)
_HALVES_BY_TYPE = {
    exp.DType.SMALLDATETIME: ("MINUTE", _seconds("30")),
    exp.DType.TIMESTAMP_MS: _HALVES_BY_DIGITS[3],
    exp.DType.TIMESTAMP_S: _HALVES_BY_DIGITS[0],
}
_NUMBERS_ARE_DAYS = frozenset({"fabric", "tsql"})
DIGITS_OF_DATE = 8
# a text with signs between its digits is a number, as is a hexadecimal one; Postgres reads both from 16 on
READS_GROUPED_DIGITS = frozenset({"duckdb", "postgres"})
_GROUPED = re.compile(r"\s*[-+]?\d+(_\d+)*(\.(\d+(_\d+)*)?)?(e[-+]?\d+)?\s*", re.IGNORECASE)
_HEXADECIMAL = re.compile(r"0x[0-9a-f]+(_[0-9a-f]+)*", re.IGNORECASE)
_READS_HEXADECIMAL = READS_GROUPED_DIGITS | {"bigquery"}


@rewrites(exp.Cast, exp.TryCast)
def cast(node: exp.Cast, dialect: str) -> exp.Expr:
    """`cast(x as type)`.

    Raises:
        NotInSpark: Spark has no such type.
    """
    if isinstance(node, exp.TryCast):
        # sqlglot writes others as CAST, which fails in ANSI mode
        node.set("safe", True)
    if node.to.this in NUMBERS and node.this.is_string:
        node.set("this", _plain_digits(node.this, node.to, dialect))
    if isinstance(node.this, exp.ExplodingGenerateSeries):
        return cast_series(node, dialect)
    if isinstance(node.this, exp.Explode):
        return cast_items(node)
    if node.to.is_type(exp.DType.TIME, exp.DType.TIMETZ):
        raise NotInSpark("Spark 3.5 has no times without a date; write date_format(t, 'HH:mm:ss')", node)
    if node.to.is_type(exp.DType.JSON, exp.DType.JSONB):
        return _as_json(node, dialect)
    if node.to.this in NESTED:
        return _as_list(node, dialect)
    if node.to.is_type(exp.DType.VARIANT) and isinstance(node.parent, _HOLD_VARIANTS):
        value: exp.Expr = node.this
        return value
    if node.to.is_type(exp.DType.INTERVAL) and node.this.is_string:
        return interval(exp.Interval(this=node.this), dialect)
    if node.to.this in NUMBERS and dialect in _NUMBERS_ARE_DAYS and type_of(node.this) in TIMES:
        message = "a time as a number counts days from 1900 on; write datediff(day, '1900-01-01', …)"
        raise NotInSpark(message, node)
    if node.to.this in TEXTS and dialect in BITS_ARE_NUMBERS and type_of(node.this) is exp.DType.BOOLEAN:
        node.set("this", exp.cast(node.this.unnest(), "int"))
    if node.to.this in TEXTS and is_bytes(node.this):
        return _written_bytes(node, dialect)
    if node.to.this in BYTES and (made := text_as_bytes(node, dialect)) is not None:
        return made
    if node.to.this in INTEGERS:
        return _as_integer(node, dialect)
    if node.to.is_type(exp.DType.BOOLEAN) and dialect in _BOOLEANS and type_of(node.this) in TEXTS:
        return _as_boolean(node, dialect)
    if node.to.this in TIMES | {exp.DType.DATE, exp.DType.DATETIME2, *_HALVES_BY_TYPE}:
        return _as_time(node, dialect)
    if node.to.this in TEXTS and dialect in _DAYS_BECOME_TIMES and _is_later_day(node.this.unnest()):
        node.set("this", exp.cast(node.this.unnest(), "timestamp_ntz", dialect="spark"))
    return sized(node, dialect)


@rewrites(exp.Null, dialects=_TYPES_OF_NULL)
def null(node: exp.Null, dialect: str) -> exp.Expr:
    """`NULL AS x` among what the whole query returns; elsewhere it takes the type of what stands beside it."""
    item = node.parent if isinstance(node.parent, exp.Alias) else node
    select = item.parent
    is_returned = isinstance(select, exp.Select) and select.parent is None and item.arg_key == "expressions"
    return exp.cast(node.copy(), _TYPES_OF_NULL[dialect], dialect="spark") if is_returned else node


def _is_later_day(node: exp.Expr) -> bool:
    """`day + interval '1 day'`, a date in Spark, and a time in other engines."""
    sides = (type_of(node.this), type_of(node.expression)) if isinstance(node, exp.Add | exp.Sub) else ()
    return set(sides) == {exp.DType.DATE, exp.DType.INTERVAL}


@rewrites(exp.Ceil, exp.Floor, dialects={"duckdb"})
def whole_double(node: exp.Ceil | exp.Floor, dialect: str) -> exp.Expr:
    """`floor(double)` as a text is 2.0; Spark's is an integer."""
    is_written = _becomes_text(node) and type_of(node.this) in DOUBLES
    return exp.cast(node.copy(), "double") if is_written else node


def _becomes_text(node: exp.Expr) -> bool:
    holder = holder_of(node)
    if isinstance(holder, exp.Cast):
        return holder.to.this in TEXTS
    return isinstance(holder, exp.Concat | exp.ConcatWs | exp.DPipe)


@rewrites(exp.ToNumber, dialects={"snowflake"})
def number(node: exp.ToNumber, dialect: str) -> exp.Expr:
    """`to_number(x, precision, scale)`, also `try_to_decimal`; a fraction is rounded."""
    digits, scale = node.args.get("precision"), node.args.get("scale")
    is_literal = isinstance(digits, exp.Literal) and isinstance(scale, exp.Literal)
    if node.args.get("format") is not None or digits is None or scale is None or not is_literal:
        raise NotInSpark("TO_NUMBER with a format has no counterpart in Spark; write a cast", node)
    return _cast_to(node, f"decimal({digits.name}, {scale.name})")


@rewrites(exp.ToDouble, dialects={"snowflake"})
def double(node: exp.ToDouble, dialect: str) -> exp.Expr:
    """`to_double(x)`, also `try_to_double`."""
    if node.args.get("format") is not None:
        raise NotInSpark("TO_DOUBLE with a format has no counterpart in Spark; write a cast", node)
    return _cast_to(node, "double")


@rewrites(exp.ToBoolean, dialects={"snowflake"})
def boolean(node: exp.ToBoolean, dialect: str) -> exp.Expr:
    """`to_boolean(x)`, also `try_to_boolean`, which read on and off, too."""
    is_text = type_of(node.this) in TEXTS or (type_of(node.this) is None and node.args.get("safe"))
    return _read_boolean(node.this, dialect) if is_text else _cast_to(node, "boolean")


def _cast_to(node: exp.Expr, kind: str) -> exp.Expr:
    to = exp.DataType.build(kind, dialect="spark")
    if node.args.get("safe"):
        return exp.TryCast(this=node.this.copy(), to=to, safe=True)
    return exp.Cast(this=node.this.copy(), to=to)


def _plain_digits(text: exp.Expr, to: exp.DataType, dialect: str) -> exp.Expr:
    """A text that is a number in a form that Spark does not read, as '1_000' and '0x1F', as plain digits."""
    written = text.name
    if dialect in READS_GROUPED_DIGITS and "_" in written and _GROUPED.fullmatch(written):
        return exp.Literal.string(written.replace("_", ""))
    if dialect in _READS_HEXADECIMAL and to.this in INTEGERS and _HEXADECIMAL.fullmatch(written):
        return exp.Literal.string(str(int(written, 16)))
    return text


def _as_integer(node: exp.Cast, dialect: str) -> exp.Expr:
    kind, inner = type_of(node.this), node.this.unnest()
    is_text = kind in TEXTS or (kind is None and isinstance(node, exp.TryCast))
    if isinstance(node, exp.TryCast) and dialect in ROUNDS_TEXTS and is_text:
        number = node.copy()
        number.set("to", exp.DataType.build("decimal(38, 9)"))
        node.set("this", call("ROUND", number))
        return node
    if dialect in ROUNDS_TEXTS and inner.is_string and not inner.name.strip().lstrip("+-").isdigit():
        node.set("this", call("ROUND", exp.cast(inner, "decimal(38, 9)")))
        return node
    is_whole = isinstance(inner, WHOLE) or (isinstance(inner, exp.Round) and inner.args.get("decimals") is None)
    if dialect in ROUNDS and kind in DECIMALS | DOUBLES and not is_whole:
        # the quotient of integers is a decimal
        is_decimal = dialect == "mysql" and isinstance(inner, exp.Div) and not types_of(inner) & DOUBLES
        to_even = kind in DOUBLES and dialect in _HALVES_TO_EVEN and not is_decimal
        node.set("this", call("BROUND" if to_even else "ROUND", inner))
    return node


def _written_bytes(node: exp.Cast, dialect: str) -> exp.Expr:
    made = bytes_as_text(node.this, node, dialect)
    if made is not None and not node.to.expressions:
        return made
    node.set("this", made or node.this)
    return sized(node, dialect)


def _as_boolean(node: exp.Cast, dialect: str) -> exp.Expr:
    """The words of the dialect; what is neither is NULL, where CAST would fail."""
    return _read_boolean(node.this, dialect)


def _read_boolean(text: exp.Expr, dialect: str) -> exp.Expr:
    true, false = _BOOLEANS[dialect]
    return from_template(
        f"CASE WHEN LOWER({{0}}) IN ({true}) THEN TRUE WHEN LOWER({{0}}) IN ({false}) THEN FALSE END", text
    )


def _as_time(node: exp.Cast, dialect: str) -> exp.Expr:
    """`cast('20240131' as date)` of T-SQL."""
    text = node.this.unnest()
    if dialect in _IS_DATE and text.is_string and text.name.isdigit() and len(text.name) == DIGITS_OF_DATE:
        digits = text.name
        node.set("this", exp.Literal.string(f"{digits[:4]}-{digits[4:6]}-{digits[6:]}"))
    elif dialect == "snowflake" and text.is_string and text.name.isdigit():
        seconds = call("TIMESTAMP_SECONDS", exp.Literal.number(text.name))
        return exp.cast(seconds, "date") if node.to.is_type(exp.DType.DATE) else seconds
    has_fraction = not text.is_string or "." in text.name
    return _rounded_time(node, dialect) if has_fraction and type_of(text) is not exp.DType.DATE else node


def _rounded_time(node: exp.Cast, dialect: str) -> exp.Expr:
    """`cast(t as timestamp(0))`: Spark's times have six digits of a second."""
    rounded = _HALVES_BY_TYPE.get(node.to.this) or _HALVES_BY_DIGITS.get(digits_of_second(node.to))
    if rounded is None or dialect not in ROUNDS_TIMES:
        return node
    unit, half = rounded
    node.to.set("expressions", [])
    if node.to.this in _HALVES_BY_TYPE:
        node.to.set("this", exp.DType.TIMESTAMP)
    return call("DATE_TRUNC", exp.Literal.string(unit), exp.Add(this=node.copy(), expression=half.copy()))


def digits_of_second(kind: exp.DataType) -> int:
    """The digits behind the point of a type of times; at most the six that Spark has."""
    size = kind.expressions[0].name if kind.expressions else ""
    return min(int(size), DIGITS_OF_SECOND) if size.isdigit() else DIGITS_OF_SECOND


def _as_json(node: exp.Cast, dialect: str) -> exp.Expr:
    """In Spark JSON is a string, and TO_JSON only accepts structs."""
    holder = holder_of(node)
    is_plain = node.to.is_type(exp.DType.JSON) and type_of(node.this) in TEXTS and dialect not in TRINO_FAMILY
    if isinstance(holder, exp.Cast) and holder.to.this in NESTED:
        return node
    is_written = dialect == "postgres" and isinstance(holder, exp.Cast) and holder.to.this in TEXTS
    is_function = isinstance(holder, exp.Anonymous) and "JSON" in holder.name.upper()
    # JSON_FORMAT makes JSON of a value itself
    takes_text = is_written or is_function or isinstance(holder, (*_TAKE_JSON, exp.JSONFormat))
    value: exp.Expr = node.this
    if is_plain or takes_text:
        return value
    return as_json(node, value, dialect) if node.to.is_type(exp.DType.JSON) else node


def _as_list(node: exp.Cast, dialect: str) -> exp.Expr:
    """JSON as a list or a struct, and `'{1,2}'::int[]` of Postgres.

    Raises:
        NotInSpark: it is another text.
    """
    value = node.this.unnest()
    is_call = isinstance(value, exp.Anonymous) and value.name.upper() in ("GET_JSON_OBJECT", "TO_JSON")
    is_read = isinstance(value, exp.ParseJSON) or (isinstance(value, exp.Cast) and value.to.this in JSONS)
    if is_call or is_read or isinstance(value, _TAKE_JSON):
        if not node.to.expressions:
            raise NotInSpark("a list of values of any type has no counterpart in Spark; write array<string>", node)
        return of_json(value.this if is_read else value, node.to)
    if type_of(value) not in TEXTS:
        return node
    items = _ITEMS.fullmatch(value.name) if value.is_string and node.to.expressions else None
    if items is None or dialect not in ("postgres", "redshift"):
        raise NotInSpark(
            "a text cast to a list or a struct has no counterpart in Spark; write array() or split()", node
        )
    texts = [exp.Literal.string(item.strip()) for item in items["items"].split(",") if item.strip()]
    node.set("this", exp.Array(expressions=texts))
    return node

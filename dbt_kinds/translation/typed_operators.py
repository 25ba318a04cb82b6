"""Operators whose meaning depends on types: `/`, `-` on dates, casts to integers, AT TIME ZONE."""

from __future__ import annotations

from sqlglot import exp

from dbt_kinds.translation.calls import call
from dbt_kinds.translation.date_arithmetic import days_later
from dbt_kinds.translation.dialects import TRINO_FAMILY
from dbt_kinds.translation.not_in_spark import NotInSpark
from dbt_kinds.translation.rewrites import rewrites
from dbt_kinds.translation.value_types import (
    DECIMALS,
    DOUBLES,
    INSTANTS,
    INTEGERS,
    NUMBERS,
    TIMES,
    WHOLE,
    WITHOUT_ZONE,
    type_of,
)
from dbt_kinds.translation.zones import spelt_zone

_NULL_BY_ZERO = frozenset({"duckdb", "mysql"})
DAYS_BETWEEN_DATES = frozenset({"duckdb", "postgres", "redshift", "snowflake"})
# where a float of four bytes stays one beside another number
KEEPS_FLOATS = TRINO_FAMILY | {"duckdb"}
# where it becomes a double beside an integer
DOUBLES_FLOATS = frozenset({"mysql", "postgres", "redshift"})
COMPARISONS = (exp.EQ, exp.NEQ, exp.In, exp.Like, exp.GT, exp.GTE, exp.LT, exp.LTE)
ZONE_GOES_BOTH_WAYS = frozenset({"duckdb", "postgres", "redshift"})
# a time without a zone gets one in these, and is converted by the next AT TIME ZONE
ZONE_IS_ADDED = frozenset({"fabric", "tsql"})


@rewrites(exp.Add, exp.Mul, dialects=KEEPS_FLOATS | DOUBLES_FLOATS)
def beside_float(node: exp.Binary, dialect: str) -> exp.Expr:
    """A float of four bytes and another number make one, or a double; in Spark a double, of an integer only in ANSI
    mode.
    """
    if exp.DType.FLOAT not in types_of(node):
        return node
    if dialect in DOUBLES_FLOATS and types_of(node) & INTEGERS:
        floating = node.this if type_of(node.this) is exp.DType.FLOAT else node.expression
        floating.replace(exp.cast(floating.unnest().copy(), "double"))
    for side in (node.this, node.expression) if dialect in KEEPS_FLOATS else ():
        if type_of(side) in INTEGERS | DECIMALS:
            side.replace(exp.cast(side.unnest().copy(), "float"))
    return node


def compare_as_floats(tree: exp.Expr, dialect: str) -> None:
    """`f = 0.1` of a float of four bytes, which Spark compares as a double."""
    for node in tree.find_all(*COMPARISONS, exp.Between) if dialect in KEEPS_FLOATS else ():
        values = [node.args.get(name) for name in ("this", "expression", "low", "high")]
        values += node.expressions if isinstance(node, exp.In) else []
        if any(value is not None and _is_float(value) for value in values):
            for value in values:
                if value is not None and type_of(value) in DECIMALS:
                    value.replace(exp.cast(value.unnest().copy(), "float"))


def _is_float(value: exp.Expr) -> bool:
    """Whether a value is a float of four bytes, as one plus a number is."""
    inner = value.unnest()
    if isinstance(inner, exp.Add | exp.Mul | exp.Sub):
        kinds = [type_of(side) for side in (inner.this, inner.expression)]
        return exp.DType.DOUBLE not in kinds and any(map(_is_float, (inner.this, inner.expression)))
    return type_of(inner) is exp.DType.FLOAT


@rewrites(exp.Div)
def quotient(node: exp.Div, dialect: str) -> exp.Expr:
    """`7 / 2` is 3 in some dialects; DuckDB divides decimals as doubles, Spark with few digits."""
    if node.args.get("typed") and types_of(node) <= INTEGERS:
        return exp.IntDiv(this=node.this, expression=_not_zero(node.expression, dialect))
    if dialect == "duckdb":
        return _of_doubles(node)
    if dialect in _NULL_BY_ZERO:
        node.set("expression", _not_zero(node.expression, dialect))
    return node


def _of_doubles(node: exp.Div) -> exp.Expr:
    if types_of(node) & DOUBLES or types_of(node) <= INTEGERS:
        return node
    number = next((side for side in (node.expression, node.this) if isinstance(side, exp.Literal)), None)
    if number is not None and not number.is_string:
        number.replace(exp.Var(this=f"{number.name}D"))
    elif types_of(node) & DECIMALS:
        node.set("this", exp.cast(node.this.unnest() if isinstance(node.this, exp.Paren) else node.this, "double"))
    return node


@rewrites(exp.Mod, dialects=_NULL_BY_ZERO)
def remainder(node: exp.Mod, dialect: str) -> exp.Expr:
    """`a % 0` is NULL; in ANSI mode Spark refuses it."""
    node.set("expression", _not_zero(node.expression, dialect))
    return node


def _not_zero(divisor: exp.Expr, dialect: str) -> exp.Expr:
    """A divisor that is NULL instead of 0, where that is what the dialect makes of it."""
    inner = divisor.unnest()
    is_other = isinstance(inner, exp.Nullif) or (isinstance(inner, exp.Literal) and inner.name.strip("0."))
    if dialect not in _NULL_BY_ZERO or is_other:
        return divisor
    return exp.Nullif(this=divisor.unnest().copy(), expression=exp.Literal.number(0))


@rewrites(exp.IntDiv)
def whole_quotient(node: exp.IntDiv, dialect: str) -> exp.Expr:
    """`a // b`, which in Spark only accepts integers.

    Raises:
        NotInSpark: one has a fraction.
    """
    is_whole = isinstance(node.this.unnest(), WHOLE) and type_of(node.expression) in INTEGERS
    if types_of(node) & (DECIMALS | DOUBLES) and dialect == "duckdb" and not is_whole:
        raise NotInSpark("// of a number with a fraction has no counterpart in Spark; write floor(a / b)", node)
    return node


@rewrites(exp.Sub)
def difference(node: exp.Sub, dialect: str) -> exp.Expr:
    """The difference of dates is a number of days; in Spark it is an interval."""
    if dialect in ("fabric", "tsql") and type_of(node.this) in TIMES and type_of(node.expression) in NUMBERS:
        return days_later(node)
    if dialect not in DAYS_BETWEEN_DATES or not are_dates(node, dialect):
        return beside_float(node, dialect)
    days = call("DATEDIFF", node.this, node.expression)
    days.type = exp.DataType(this=exp.DType.INT)
    return days


@rewrites(exp.AtTimeZone)
def at_time_zone(node: exp.AtTimeZone, dialect: str) -> exp.Expr:
    """A time without a zone becomes an instant, and vice versa; one of unknown type is taken to be an instant."""
    zone = spelt_zone(node.args["zone"])
    goes_back = dialect in ZONE_GOES_BOTH_WAYS and type_of(node.this) in WITHOUT_ZONE
    if dialect in ZONE_IS_ADDED:
        goes_back = is_in_another_zone(node) and type_of(node.this) is not exp.DType.TIMESTAMPTZ
    if zone.name == "UTC" and type_of(node.this) in INSTANTS and not isinstance(node.this.unnest(), exp.AtTimeZone):
        # a shift by nothing
        instant: exp.Expr = node.this
        return instant
    name = "TO_UTC_TIMESTAMP" if goes_back else "FROM_UTC_TIMESTAMP"
    return call(name, node.this, zone)


def is_in_another_zone(node: exp.AtTimeZone) -> bool:
    """Whether it is the operand of another one, as in `t at time zone 'a' at time zone 'b'`."""
    holder = node.parent
    while isinstance(holder, exp.Paren):
        holder = holder.parent
    return isinstance(holder, exp.AtTimeZone)


def types_of(node: exp.Expr) -> set[exp.DType | None]:
    """The types of both operands."""
    return {type_of(node.this), type_of(node.expression)}


def are_dates(node: exp.Sub, dialect: str) -> bool:
    """Whether a difference is one of dates: beside one Postgres reads a string literal so, and only they differ by an
    integer.
    """
    types = types_of(node)
    if types == {exp.DType.DATE, None}:
        return is_cast_to_integer(node)
    may_be_text = dialect in ("postgres", "redshift") and exp.DType.DATE in types
    sides = (node.this, node.expression)
    return all(type_of(side) is exp.DType.DATE or (may_be_text and side.is_string) for side in sides)


def is_cast_to_integer(node: exp.Expr) -> bool:
    """Whether an operation is the operand of a cast to an integer."""
    parent = node.parent
    while isinstance(parent, exp.Paren):
        parent = parent.parent
    return isinstance(parent, exp.Cast) and parent.to.this in INTEGERS

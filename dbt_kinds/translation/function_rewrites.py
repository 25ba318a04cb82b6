"""Functions that have a different meaning in Spark under the name that sqlglot passes on, of no other topic."""

from __future__ import annotations

import re

from sqlglot import exp

from dbt_kinds.translation.bytes_and_texts import bytes_as_text, is_bytes
from dbt_kinds.translation.calls import call, unless_one_is_null
from dbt_kinds.translation.comparisons import as_bit
from dbt_kinds.translation.dialects import TRINO_FAMILY, dialect_of
from dbt_kinds.translation.digests import in_lines
from dbt_kinds.translation.least_values import is_at_least
from dbt_kinds.translation.list_aggregates import only_where
from dbt_kinds.translation.not_in_spark import NotInSpark
from dbt_kinds.translation.renamed import from_template
from dbt_kinds.translation.rewrites import rewrites
from dbt_kinds.translation.time_formats import read_or_null, written
from dbt_kinds.translation.truncation import cut_to
from dbt_kinds.translation.typed_operators import (
    at_time_zone,
)
from dbt_kinds.translation.value_types import DECIMALS, DOUBLES, INTEGERS, TEXTS, TIMES, type_of

_NEED_ORDER = (exp.RowNumber, exp.Rank, exp.DenseRank, exp.Ntile, exp.Lag, exp.Lead, exp.CumeDist, exp.PercentRank)
_PARTS_OF_WINDOWS = ("partition_by", "order", "spec")
_LOG_IS_DECIMAL = frozenset({"duckdb", "postgres", "redshift"})
_TIMES = re.compile(r"[YyDdHh]|M[MIOmio]")
_NUMBERS = re.compile(r"[90$]")
_ZEROS = re.compile(r"[FMSGLDPRI0,.\s]*0[FMSGLDPRI0,.\s]*")


@rewrites(exp.Log)
def _logarithm(node: exp.Log, dialect: str) -> exp.Expr:
    base, number = node.this, node.args.get("expression")
    if number is None:
        return call("LOG10", base) if dialect in _LOG_IS_DECIMAL else node
    return call("LOG10", number) if base.is_number and base.name == "10" else node


@rewrites(exp.Rand)
def _random(node: exp.Rand, dialect: str) -> exp.Expr:
    """`random(n)` in Trino is an integer; Spark's argument is a seed."""
    if node.this is not None and dialect in TRINO_FAMILY:
        raise NotInSpark("RANDOM(n) has no counterpart in Spark; write floor(rand() * n)", node)
    return node


@rewrites(exp.NumberToStr)
def _number_text(node: exp.NumberToStr, dialect: str) -> exp.Expr:
    if dialect == "tsql":
        raise NotInSpark("FORMAT of a number of tsql has no counterpart in Spark; write format_number()", node)
    return node


@rewrites(exp.Round)
def _rounded(node: exp.Round, dialect: str) -> exp.Expr:
    """Postgres rounds half of a double to even, half of a decimal up."""
    if node.args.get("truncate") is not None and node.args["truncate"].name != "0":
        return cut_to(node.this, node.args.get("decimals") or exp.Literal.number(0))
    node.set("truncate", None)
    is_plain = dialect in ("mysql", "postgres") and node.args.get("decimals") is None
    is_to_even = is_plain and type_of(node.this) in DOUBLES
    return call("BROUND", node.this) if is_to_even else node


@rewrites(exp.Localtimestamp)
def _local_timestamp(node: exp.Localtimestamp, dialect: str) -> exp.Expr:
    """Sessions are in UTC."""
    return exp.CurrentTimestamp()


@rewrites(exp.Format)
def _format(node: exp.Format, dialect: str) -> exp.Expr:
    if dialect == "bigquery" and re.search(r"%[-+ #0-9.*]*[tTpP]", node.this.name):
        raise NotInSpark("%T and %t of FORMAT of bigquery have no counterpart in Spark", node)
    if dialect == "duckdb":
        raise NotInSpark("FORMAT of duckdb has no counterpart in Spark; write printf()", node)
    if dialect == "bigquery":
        node.this.set("this", node.this.name.replace("%'", "%,"))
    return unless_one_is_null(node, node.expressions) if dialect == "bigquery" else node


@rewrites("PRINTF", dialects={"duckdb"})
def _printed(node: exp.Anonymous, dialect: str) -> exp.Expr:
    return unless_one_is_null(node, node.expressions[1:])


@rewrites("TIMEZONE")
def _time_zone(node: exp.Anonymous, dialect: str) -> exp.Expr:
    """`timezone(zone, time)`."""
    if len(node.expressions) != 2:
        return node
    zone, time = node.expressions
    return at_time_zone(exp.AtTimeZone(this=time, zone=zone), dialect)


@rewrites(exp.Kurtosis, exp.Skewness)
def _moment_of_samples(node: exp.Expr, dialect: str) -> exp.Expr:
    if dialect in ("duckdb", "snowflake"):
        raise NotInSpark(f"{node.key.upper()} of {dialect} is a sample's, Spark's the population's", node)
    return node


@rewrites(exp.TsOrDsToTime)
def _time_of_day(node: exp.Expr, dialect: str) -> exp.Expr:
    raise NotInSpark("Spark 3.5 has no times without a date; write date_format(t, 'HH:mm:ss')", node)


@rewrites(exp.TimeToStr)
def _formatted(node: exp.TimeToStr, dialect: str) -> exp.Expr:
    """`to_char(x, '999.99')` formats a number, which sqlglot takes to be a time."""
    pattern = node.args["format"]
    if type_of(node.this) is exp.DType.INTERVAL:
        raise NotInSpark("TO_CHAR of an interval has no counterpart in Spark; write extract()", node)
    is_number = "9" in pattern.name or _ZEROS.fullmatch(pattern.name)
    if dialect in ("postgres", "redshift") and isinstance(pattern, exp.Literal) and is_number:
        message = (
            f"TO_CHAR of a number as '{pattern.name}' has no counterpart in Spark; write a cast, lpad() or round()"
        )
        raise NotInSpark(message, node)
    return written(node, dialect)


@rewrites(exp.JSONArray, exp.JSONObject)
def _made_json(node: exp.JSONObject | exp.JSONArray, dialect: str) -> exp.Expr:
    name = "JSON_OBJECT" if isinstance(node, exp.JSONObject) else "JSON_ARRAY"
    raise NotInSpark(f"{name} of {dialect} has no counterpart in Spark; write to_json(struct(…))", node)


@rewrites(exp.Window)
def _window(node: exp.Window, dialect: str) -> exp.Expr:
    """Spark does not count distinct values in a window, so they are collected."""
    cast = node.this
    if isinstance(cast, exp.Cast) and isinstance(cast.this, exp.AggFunc):
        # what was made of an aggregate without its window
        node.set("this", cast.this)
        return exp.cast(_window(node.copy(), dialect), cast.to)
    if isinstance(node.this, exp.Filter):
        node.set("this", only_where(node.this))
    _write_out_named(node)
    _order_by_times(node)
    if isinstance(node.this, _NEED_ORDER) and node.args.get("order") is None:
        # any order will do
        node.set("order", exp.Order(expressions=[exp.Ordered(this=exp.null(), nulls_first=True)]))
        return node
    distinct = node.this.this if isinstance(node.this, exp.AggFunc) else None
    if not isinstance(distinct, exp.Distinct):
        return node
    if not isinstance(node.this, exp.Count) or len(distinct.expressions) != 1:
        raise NotInSpark("DISTINCT in a window has no counterpart in Spark, but COUNT of one column has", node)
    window = node.copy()
    window.set("this", call("COLLECT_SET", distinct.expressions[0]))
    return call("SIZE", window)


def _write_out_named(node: exp.Window) -> None:
    """`over (w rows 1 preceding)`; Spark takes the name of a window alone."""
    name, select = node.args.get("alias"), node.find_ancestor(exp.Select)
    if name is None or select is None or not any(node.args.get(part) for part in _PARTS_OF_WINDOWS):
        return
    for window in select.args.get("windows") or ():
        if window.name.lower() == name.name.lower():
            for part in _PARTS_OF_WINDOWS:
                given = window.args.get(part)
                if given and not node.args.get(part):
                    node.set(part, [one.copy() for one in given] if isinstance(given, list) else given.copy())
            node.set("alias", None)


def _order_by_times(node: exp.Window) -> None:
    """`order by day range between interval 7 day preceding …`: in Spark the order of dates wants a number."""
    order, frame = node.args.get("order"), node.args.get("spec")
    bounds = [frame.args.get("start"), frame.args.get("end")] if frame is not None else []
    if order is None or not any(isinstance(bound, exp.Interval) for bound in bounds):
        return
    for key in order.expressions:
        if type_of(key.this) not in TIMES:
            key.set("this", exp.cast(key.this, "timestamp", dialect="spark"))


@rewrites(exp.ByteLength)
def _byte_length(node: exp.ByteLength, dialect: str) -> exp.Expr:
    return call("OCTET_LENGTH", node.this)


@rewrites(exp.ArraySum)
def _list_sum(node: exp.ArraySum, dialect: str) -> exp.Expr:
    """The sum of a list, ignoring NULLs; NULL for an empty one."""
    return from_template(
        "IF(SIZE(ARRAY_COMPACT({0})) > 0, AGGREGATE(ARRAY_COMPACT({0}), CAST(0 AS DOUBLE), (a, x) -> a + x), NULL)",
        node.this,
    )


@rewrites(exp.SessionUser)
def _session_user(node: exp.SessionUser, dialect: str) -> exp.Expr:
    """Spark 3.5 has only one user."""
    return call("CURRENT_USER")


@rewrites(exp.AnyValue)
def _any_value(node: exp.AnyValue, dialect: str) -> exp.Expr:
    """Any non-NULL value, if there is one: some dialects guarantee it, and all may return it."""
    if isinstance(node.parent, exp.IgnoreNulls | exp.RespectNulls) or not isinstance(node.this, exp.Expr):
        return node
    if isinstance(node.this, exp.HavingMax):
        name = "MAX_BY" if node.this.args.get("max") else "MIN_BY"
        return call(name, node.this.this, node.this.expression)
    return exp.IgnoreNulls(this=node.copy())


@rewrites(exp.CumeDist, exp.DenseRank, exp.PercentRank, exp.Rank)
def _hypothetical(node: exp.Expr, dialect: str) -> exp.Expr:
    """`rank(x) within group (…)`."""
    if node.expressions:
        raise NotInSpark(f"{node.key.upper()} of a row that is not there has no counterpart in Spark; count rows", node)
    return node


@rewrites("ELEMENT_AT")
def _element_at(node: exp.Anonymous, dialect: str) -> exp.Expr:
    """DuckDB returns a list with the value, for a map."""
    if dialect == "duckdb":
        raise NotInSpark("ELEMENT_AT of duckdb makes a list of a map's value, Spark's the value; write map[key]", node)
    return node


@rewrites(exp.Union, exp.Except, exp.Intersect, also_in_spark=True)
def _second_query(node: exp.SetOperation, dialect: str) -> exp.Expr:
    """Spark takes no WITH behind UNION but in parentheses."""
    if node.expression.args.get("with_"):
        node.set("expression", exp.Subquery(this=node.expression))
    return node


@rewrites(exp.Avg, dialects={"fabric", "tsql"})
def _whole_average(node: exp.Avg, dialect: str) -> exp.Expr:
    """The average of integers is one."""
    return exp.cast(node.copy(), "bigint") if type_of(node.this) in INTEGERS else node


@rewrites(exp.Avg, dialects={"duckdb"})
def _double_average(node: exp.Avg, dialect: str) -> exp.Expr:
    """The average of decimals is a double; Spark's is a decimal with four more digits."""
    value = node.this.expressions[0] if isinstance(node.this, exp.Distinct) else node.this
    if type_of(value) in DECIMALS:
        value.replace(exp.cast(value.copy(), "double"))
    return node


@rewrites(exp.Sum, dialects={"duckdb", "mysql"})
def _sum_of_truths(node: exp.Sum, dialect: str) -> exp.Expr:
    """`sum(x > 0)` counts what is true."""
    value = node.this
    if type_of(value) is exp.DType.BOOLEAN or isinstance(value.unnest(), exp.Predicate | exp.Connector | exp.Not):
        node.set("this", exp.cast(value.unnest().copy(), "int"))
    return node


@rewrites(exp.CTE)
def _hinted(node: exp.CTE, dialect: str) -> exp.Expr:
    """`with c as materialized (…)`, a hint."""
    node.set("materialized", None)
    return node


@rewrites(exp.Xor, dialects={"snowflake"})
def _one_of_both(node: exp.Xor, dialect: str) -> exp.Expr:
    """`boolxor(a, b)`."""
    return exp.paren(exp.NEQ(this=node.this.copy(), expression=node.expression.copy()), copy=False)


@rewrites(exp.Repeat, dialects={"fabric", "tsql"})
def _replicated(node: exp.Repeat, dialect: str) -> exp.Expr:
    """`replicate(text, n)`, NULL of a negative number, as in `replicate('0', 5 - len(s))`; Spark's is empty."""
    times = node.args["times"]
    return node if is_at_least(times, 0) else from_template("IF({0} < 0, NULL, {1})", times, node)


@rewrites(exp.Pow, dialects={"fabric", "tsql"})
def _whole_power(node: exp.Pow, dialect: str) -> exp.Expr:
    """The power of an integer is one."""
    return exp.cast(node.copy(), "bigint") if type_of(node.this) in INTEGERS else node


@rewrites(exp.Coalesce, dialects={"fabric", "tsql"})
def _null_replaced(node: exp.Coalesce, dialect: str) -> exp.Expr:
    """`isnull(text, 0)` is a text; Spark's COALESCE reads it as a number in ANSI mode, and takes no BIT with 0."""
    other = node.expressions[0]
    if node.args.get("is_null") and type_of(node.this) in TEXTS and other.is_number:
        other.replace(exp.Literal.string(other.name))
    if type_of(node.this) is not exp.DType.BOOLEAN:
        return node
    made = exp.Coalesce(this=node.this.copy(), expressions=[as_bit(value.copy()) for value in node.expressions])
    made.type = exp.DataType.build("boolean")
    return made


@rewrites(exp.If)
def _without_else(node: exp.If, dialect: str) -> exp.Expr:
    """`if(condition, value)`."""
    if not isinstance(node.parent, exp.Case) and node.args.get("false") is None:
        node.set("false", exp.null())
    return node


@rewrites(exp.TsOrDsToDate)
def _date_or_null(node: exp.TsOrDsToDate, dialect: str) -> exp.Expr:
    """`try_to_date(text, format)`; Spark's TO_DATE fails in ANSI mode."""
    if not node.args.get("safe"):
        return node
    if node.args.get("format") is None:
        return exp.TryCast(this=node.this.copy(), to=exp.DataType.build("date"), safe=True)
    return exp.cast(read_or_null(node, dialect), "date")


@rewrites(exp.ToChar, dialects={"snowflake"})
def _characters(node: exp.ToChar, dialect: str) -> exp.Expr:
    """`to_char(time, 'YYYY-MM-DD')`, whose format is one of numbers, too, and `to_char(bytes)`."""
    given = node.args.get("format")
    if given is None and is_bytes(node.this):
        return bytes_as_text(node.this, node, dialect) or node
    code = given.name.upper() if isinstance(given, exp.Literal) else ""
    if code in ("UTF-8", "UTF8"):
        return exp.cast(node.this.copy(), "text")
    if code in ("HEX", "BASE64"):
        return call("HEX", node.this) if code == "HEX" else in_lines(node.this, dialect)
    if not isinstance(given, exp.Literal) or not _TIMES.search(given.name) or _NUMBERS.search(given.name):
        return node
    strftime = dialect_of(dialect).format_time(given)
    return written(exp.TimeToStr(this=node.this.copy(), format=strftime), dialect)


@rewrites(exp.ToBinary, dialects={"snowflake"})
def _bytes(node: exp.ToBinary, dialect: str) -> exp.Expr:
    """`try_to_binary(text)`; sqlglot leaves out that it is tried."""
    given = node.args.get("format")
    arguments = [node.this, *([given] if given is not None else [])]
    return call("TRY_TO_BINARY", *arguments) if node.args.get("safe") else node


@rewrites(exp.Select, dialects={"duckdb"})
def _sampled(node: exp.Select, dialect: str) -> exp.Expr:
    """`using sample` at the end; Spark samples a table."""
    if node.args.get("sample") is not None:
        raise NotInSpark("USING SAMPLE has no counterpart in Spark; write TABLESAMPLE behind the table", node)
    return node


@rewrites(exp.Pivot, dialects={"snowflake"})
def _upper_names(node: exp.Pivot, dialect: str) -> exp.Expr:
    """UNPIVOT gives the names of columns as they are stored: in upper case."""
    for field in node.args.get("fields") or [] if node.args.get("unpivot") else []:
        named = [_named(column) for column in field.expressions]
        field.set("expressions", named)
    return node


def _named(column: exp.Expr) -> exp.Expr:
    is_quoted = isinstance(column, exp.Column) and column.this.args.get("quoted")
    if not isinstance(column, exp.Column) or is_quoted:
        return column
    return exp.PivotAlias(this=column.copy(), alias=exp.to_identifier(column.name.upper(), quoted=True))

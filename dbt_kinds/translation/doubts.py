"""What is kept although its values may differ: remarks on a query, of which all but three kinds are one remark."""

from __future__ import annotations

import re
from collections.abc import Iterator

from sqlglot import exp

from dbt_kinds.translation.casts import DIGITS_OF_DATE, ROUNDS, ROUNDS_TEXTS
from dbt_kinds.translation.dialects import TRINO_FAMILY, is_spark
from dbt_kinds.translation.digests import may_write_midnight
from dbt_kinds.translation.remarks import Remark
from dbt_kinds.translation.subscripts import MAY_BE_JSON
from dbt_kinds.translation.truncation import KEEPS_DATES
from dbt_kinds.translation.typed_literals import may_be_dates, may_be_numbers
from dbt_kinds.translation.typed_operators import (
    DAYS_BETWEEN_DATES,
    ZONE_GOES_BOTH_WAYS,
    ZONE_IS_ADDED,
    is_cast_to_integer,
    is_in_another_zone,
    types_of,
)
from dbt_kinds.translation.value_types import (
    DECIMALS,
    DOUBLES,
    INSTANTS,
    INTEGERS,
    LISTS,
    NUMBERS,
    TEXTS,
    TIMES,
    settle_types,
    type_of,
)
from dbt_kinds.translation.zones import spelt_zone

# a cast of a column to the type that is declared for it, which it has nearly always
DECLARED = "is_declared_type"

_DATE = re.compile(r"\d{4}-\d\d-\d\d")
_LONGEST = 80
_SHOWN = 3
_NESTED = LISTS | {exp.DType.STRUCT, exp.DType.MAP}
_JSONS = frozenset({exp.DType.JSON, exp.DType.JSONB})
# dialects whose text of a double is not Spark's: 2 or 2E0 for 2.0
_DOUBLES_IN_OTHER_WORDS = TRINO_FAMILY | {
    *("bigquery", "fabric", "materialize", "mysql", "oracle", "postgres", "redshift", "risingwave", "snowflake", "tsql")
}
_DECIMALS_IN_OTHER_WORDS = frozenset({"bigquery"})
_IGNORES_CASE = frozenset({"fabric", "mysql", "tsql"})
_TRIMS_WHITE_SPACE = TRINO_FAMILY | {"bigquery"}
_EMPTY_IS_ZERO = frozenset({"fabric", "tsql"})
_READS_BLANKS_NOWHERE = TRINO_FAMILY
_BITS_ARE_NUMBERS = frozenset({"fabric", "tsql"})
# their value has the type of their operand
_PASS_ON = (
    *(exp.DateTrunc, exp.FirstValue, exp.IgnoreNulls, exp.Lag, exp.LastValue, exp.Lead, exp.Max, exp.Min),
    *(exp.TimestampTrunc, exp.Window),
)
_AVERAGE_IS_WHOLE = frozenset({"fabric", "tsql"})
_JSON_IS_NO_TEXT = frozenset({"bigquery", "duckdb", "mysql", "postgres", "snowflake"}) | TRINO_FAMILY
_IS_JSON = "is JSON: a text has quotes in it, a null is no NULL; Spark's is the text itself, or NULL"
_PADS_TEXTS = TRINO_FAMILY | {"fabric", "postgres", "redshift", "tsql"}
_SCALARS_ONLY = TRINO_FAMILY | {"fabric", "tsql"}
_MEANS = (exp.Avg, exp.Median, exp.PercentileCont)
_MEANS_IN_OTHER_DIGITS = frozenset({"bigquery", "duckdb", "materialize", "postgres", "redshift", "snowflake"})
_MAY_BE_DECIMALS = (exp.Column, exp.Add, exp.Sub, exp.Mul, exp.Coalesce, exp.Case, exp.Round)
_ROUNDS = re.compile(r"%[-+ 0]*\d*\.\d+f")
_DIVIDES_DECIMALS = frozenset({"mysql", "snowflake"})
_INFINITE_BY_ZERO = TRINO_FAMILY | {"duckdb"}
# what may hold a number with a fraction, if its type is not known
_MAY_BE_NUMBERS = (
    *(exp.Column, exp.Add, exp.Sub, exp.Mul, exp.Div, exp.Neg, exp.Coalesce, exp.Case, exp.If, exp.AggFunc),
    *(exp.Abs, exp.Ceil, exp.Floor, exp.Round, exp.Window),
)
_MAY_BE_TEXTS = (exp.Case, exp.Coalesce, exp.Column, exp.If, exp.Nullif)
_ALTERNATIVES = (exp.Case, exp.Coalesce, exp.Greatest, exp.If, exp.Least)
_COMPARISONS = (exp.EQ, exp.NEQ, exp.In, exp.Like, exp.GT, exp.GTE, exp.LT, exp.LTE)


def doubts(tree: exp.Expr, dialect: str) -> Iterator[Remark]:
    """Remarks on a tree as parsed, before it is rewritten."""
    if is_spark(dialect):
        return
    settle_types(tree)
    differing: dict[str, list[exp.Expr]] = {}
    general: dict[str, exp.Expr] = {}
    for node in tree.walk():
        if node.meta.get(DECLARED):
            continue
        yield from _operators(node, dialect)
        for why in _differences(node, dialect):
            differing.setdefault(why, []).append(node)
        for message in _of_all_texts(node, dialect):
            general.setdefault(message, node)
    if differing:
        first = next(iter(differing.values()))[0]
        parts = [f"{_listed(nodes, dialect)} {why}" for why, nodes in differing.items()]
        yield Remark("differs", "; ".join(parts), first)
    for message, node in general.items():
        yield Remark("texts", message, node)


def _differences(node: exp.Expr, dialect: str) -> Iterator[str]:
    if isinstance(node, exp.Cast):
        yield from _of_cast(node, dialect)
    elif isinstance(node, exp.Div):
        yield from _of_division(node, dialect)
    elif _is_other_json(node, dialect):
        if _is_kept_as_json(node, dialect):
            yield _IS_JSON
    elif isinstance(node, exp.JSONExtract) and dialect == "tsql" and not isinstance(node, exp.JSONExtractScalar):
        yield "is NULL of what is no object and no list, and keeps blanks; Spark's is any value without them"
    elif isinstance(node, exp.JSONExtract) and not isinstance(node, exp.JSONExtractScalar):
        if dialect in _JSON_IS_NO_TEXT and _is_kept_as_json(node, dialect):
            yield _IS_JSON
    elif isinstance(node, exp.JSONExtractScalar | exp.JSONValue) and dialect in _SCALARS_ONLY:
        yield "is NULL of an object or a list; Spark's is its text"
    elif isinstance(node, exp.JSONExtractScalar) and dialect == "redshift":
        yield "is an empty text of what is not there; Spark's is NULL"
    elif isinstance(node, exp.JSONExtractScalar) and dialect == "postgres" and _is_jsonb(node):
        yield "writes objects and lists with blanks; Spark without"
    elif isinstance(node, exp.Avg) and dialect == "snowflake" and type_of(node.this) in INTEGERS:
        yield "has six digits behind the point; Spark's is a double"
    elif isinstance(node, _MEANS) and type_of(_summed(node)) in DECIMALS and _is_mean_of_decimals(node, dialect):
        if isinstance(node, exp.Avg) and dialect != "duckdb":
            yield "has other digits behind the point than Spark's, which adds four to a decimal's"
        elif not isinstance(node, exp.Avg):
            yield "keeps the scale of a decimal; Spark's is a double"
    elif isinstance(node, exp.Avg) and dialect in TRINO_FAMILY and type_of(node.this) in DECIMALS | {None}:
        yield "keeps the scale of a decimal; Spark adds four digits"
    elif isinstance(node, exp.Avg) and dialect in _AVERAGE_IS_WHOLE and type_of(node.this) is None:
        yield "is whole if its values are; Spark's has a fraction"
    elif isinstance(node, exp.Round) and node.args.get("decimals") is None and dialect in ("mysql", "postgres"):
        if type_of(node.this) is None:
            yield "rounds half of a double to even, Spark up"
    elif isinstance(node, exp.UnixToTime) and dialect == "duckdb" and type_of(node.this) is None:
        if isinstance(node.this, exp.Column):
            yield "is written for a number; of a time it is unix_millis()"
    elif isinstance(node, exp.Anonymous) and dialect == "mysql" and node.name.upper() == "UNIX_TIMESTAMP":
        yield "has a fraction, and is 0 before 1970; Spark's is whole, and negative"
    elif isinstance(node, exp.Bracket) and dialect == "duckdb" and type_of(node.this) is None:
        if isinstance(node.this.unnest(), _MAY_BE_TEXTS) and not node.expressions[0].is_string:
            yield "is written for a list; of a text it is substring()"
    elif isinstance(node, exp.Concat | exp.ConcatWs | exp.DPipe):
        yield from _of_texts(node, dialect)
    elif isinstance(node, exp.Format) and dialect == "postgres":
        yield "writes nothing for NULL; Spark writes null: write coalesce()"
    elif isinstance(node, exp.String) or (isinstance(node, exp.ToChar) and node.args.get("format") is None):
        yield from _of_text(node.this, dialect)
    elif isinstance(node, exp.Pow) and dialect in _EMPTY_IS_ZERO and _is_power_of_its_type(node):
        yield "has the type of its first argument; Spark's is a double"
    elif isinstance(node, exp.Anonymous) and dialect == "snowflake" and _is_time_of_number(node):
        yield "takes a large number for thousandths of a second; Spark for seconds"
    elif isinstance(node, exp.Convert) and may_write_midnight(node):
        yield "writes no time of a date, which Spark writes as 00:00:00: declare the type, or give it a length"
    elif isinstance(node, exp.Add) and dialect == "tsql":
        yield from _of_plus(node)
    elif isinstance(node, _ALTERNATIVES) and may_be_dates(node, dialect):
        yield "is a date or a time if its values are; a text in Spark: cast the literal"
    elif isinstance(node, exp.And | exp.Or | exp.Xor) and dialect == "mysql" and _has_number(node):
        yield "takes a number for true unless it is 0; Spark wants a condition: write x <> 0"
    elif isinstance(node, exp.Like) and dialect == "tsql" and "[" in node.expression.name:
        yield "has a choice in brackets; Spark has none: write rlike"
    elif isinstance(node, _COMPARISONS) and dialect == "tsql" and _compares_plain_date(node):
        yield "is no date in Spark, which wants 2024-01-31"


def _of_all_texts(node: exp.Expr, dialect: str) -> Iterator[str]:
    """What is told once a project, since it may hold anywhere."""
    yield from _of_undeclared(node, dialect)
    if isinstance(node, exp.Trim) and node.expression is None and dialect in _TRIMS_WHITE_SPACE:
        yield (
            f"TRIM of {dialect} takes line ends and tabs off, Spark's only blanks; write trim(both ' \\t\\n' from x)"
        )
    if dialect in _IGNORES_CASE and _compares_texts(node):
        yield (
            f"{dialect} ignores case, and blanks at the end, where it compares, searches or groups texts, unless a "
            "collation says otherwise; Spark does not: write lower(…) on both sides where that matters"
        )
    if isinstance(node, exp.Cast):
        values = [node.this] if node.to.this in TEXTS else []
    elif isinstance(node, exp.String):
        values = [node.this]
    elif isinstance(node, exp.ToChar):
        values = [node.this] if node.args.get("format") is None else []
    else:
        is_text = isinstance(node, exp.Concat | exp.ConcatWs | exp.DPipe)
        values = (node.expressions or [node.this, node.expression]) if is_text else []
    if dialect not in _DOUBLES_IN_OTHER_WORDS and any(type_of(value) in DOUBLES for value in values):
        yield (
            f"where a double becomes a text, {dialect} writes large and small ones in other words than Spark, as "
            "12345678.9 for 1.23456789E7, or 1e-05 for 1.0E-5"
        )
    if any(_is_of_unknown_columns(value.unnest()) for value in values):
        example = "2 for 2.0" if dialect in _DOUBLES_IN_OTHER_WORDS else "1e+20 for 1.0E20"
        yield (
            "where a column whose type is not declared becomes a text, a list, a struct, a number with a fraction or a "
            f"time with a zone is written in other words by {dialect} than by Spark, as {example}"
        )


def _of_undeclared(node: exp.Expr, dialect: str) -> Iterator[str]:
    """What is written for the type that a column has nearly always, if it is not declared."""
    if isinstance(node, _MEANS) and type_of(_summed(node)) is None and _is_mean_of_decimals(node, dialect):
        yield (
            "where a column whose type is not declared is a decimal, its mean or median has other digits behind the "
            "point than in Spark: cast it to double"
        )
    elif _rounds_double(node, dialect):
        yield (
            f"where a double is rounded to digits behind the point, {dialect} rounds its value, 1.005 to 1.0; Spark "
            "its digits, 1.005 to 1.01"
        )
    elif isinstance(node, exp.Sub) and dialect in DAYS_BETWEEN_DATES and _are_unknown_columns(node):
        yield (
            "where columns whose types are not declared are dates, their difference is a number of days there, and an "
            "interval in Spark: write datediff()"
        )
    elif isinstance(node, _ALTERNATIVES) and may_be_numbers(node, dialect):
        yield "a text of digits beside columns whose types are not declared is a number if they are; a text in Spark"
    elif isinstance(node, exp.Length) and dialect == "duckdb" and _is_unknown_column(node.this):
        yield "the length of a column whose type is not declared is that of a text; of a list it is size()"
    elif isinstance(node, exp.EQ) and dialect in _BITS_ARE_NUMBERS and _is_compared_bit(node):
        yield "a BIT that is not declared is compared with 1 and 0, which Spark refuses in ANSI mode: write = true"
    elif isinstance(node, exp.Add | exp.Sub) and dialect in _EMPTY_IS_ZERO and _may_be_days(node):
        yield "a number added to a time that is not declared is one of days, which Spark refuses: write dateadd()"


def _is_of_unknown_columns(value: exp.Expr) -> bool:
    is_unknown = type_of(value) is None and isinstance(value, _MAY_BE_NUMBERS)
    return is_unknown and any(type_of(column) is None for column in value.find_all(exp.Column))


def _is_power_of_its_type(node: exp.Pow) -> bool:
    exponent = node.expression.unnest()
    is_whole = isinstance(exponent, exp.Literal) and exponent.is_int
    kind = type_of(node.this)
    return kind in DECIMALS or (kind is None and not is_whole)


def _is_time_of_number(node: exp.Anonymous) -> bool:
    is_call = node.name.upper().startswith("TO_TIMESTAMP") and len(node.expressions) == 1
    return is_call and type_of(node.expressions[0]) in NUMBERS and not node.expressions[0].is_number


def _summed(node: exp.Expr) -> exp.Expr:
    value: exp.Expr = node.this.expressions[0] if isinstance(node.this, exp.Distinct) else node.this
    group = node.parent if isinstance(node, exp.PercentileCont) and node.expression is None else None
    return group.expression.expressions[0].this if isinstance(group, exp.WithinGroup) else value


def _is_mean_of_decimals(node: exp.Expr, dialect: str) -> bool:
    """Whether a mean has other digits than Spark's if its values are decimals."""
    if isinstance(node, exp.Avg):
        return dialect in _MEANS_IN_OTHER_DIGITS and isinstance(_summed(node).unnest(), _MAY_BE_DECIMALS)
    return dialect == "duckdb" and isinstance(_summed(node).unnest(), _MAY_BE_DECIMALS)


def _rounds_double(node: exp.Expr, dialect: str) -> bool:
    if dialect != "duckdb":
        return False
    if isinstance(node, exp.Anonymous) and node.name.upper() == "PRINTF":
        return _ROUNDS.search(node.expressions[0].name) is not None
    decimals = node.args.get("decimals") if isinstance(node, exp.Round) else None
    return decimals is not None and decimals.name != "0" and type_of(node.this) in DOUBLES


def _are_unknown_columns(node: exp.Sub) -> bool:
    return _is_unknown_column(node.this) and _is_unknown_column(node.expression)


def _is_unknown_column(node: exp.Expr) -> bool:
    inner = node.unnest()
    while isinstance(inner, _PASS_ON):
        inner = inner.this
    return isinstance(inner, exp.Column) and type_of(inner) is None


def _may_be_days(node: exp.Add | exp.Sub) -> bool:
    number = node.expression.unnest()
    return _is_unknown_column(node.this) and isinstance(number, exp.Literal) and number.is_int


def _is_compared_bit(node: exp.EQ) -> bool:
    return _is_unknown_column(node.this) and node.expression.is_number and node.expression.name in ("0", "1")


def _of_plus(node: exp.Add) -> Iterator[str]:
    sides = (node.this, node.expression)
    if types_of(node) == {None} and all(isinstance(side, exp.Column) for side in sides):
        yield "is a text if both are; Spark adds numbers: write concat()"
    if any(side.is_string and side.name.isdigit() for side in sides) and None in types_of(node):
        yield "is a number if one of both is; it is written as a text"


def _of_cast(node: exp.Cast, dialect: str) -> Iterator[str]:
    inner, kind = node.this.unnest(), type_of(node.this)
    is_tried = isinstance(node, exp.TryCast)
    if node.to.this in INTEGERS:
        is_read = is_tried and dialect in ROUNDS_TEXTS
        if dialect in ROUNDS and kind is None and isinstance(inner, _MAY_BE_NUMBERS) and not is_read:
            yield "rounds what has a fraction; Spark cuts it: write round()"
        elif dialect in ROUNDS_TEXTS and kind in TEXTS and isinstance(inner, exp.Column) and not is_tried:
            yield "reads and rounds a text with a fraction; Spark cuts it"
    if node.to.this in INTEGERS | DOUBLES and kind in TEXTS | {None}:
        if dialect in _EMPTY_IS_ZERO and isinstance(inner, exp.Column | exp.Literal) and not inner.is_number:
            yield "is 0 of an empty text, NULL in Spark"
        elif dialect in _READS_BLANKS_NOWHERE and is_tried:
            yield "is NULL of a number between blanks; Spark reads it"
    if node.to.this in INTEGERS and dialect == "mysql" and kind in TEXTS:
        yield "is 0 of a text that is no number, NULL in Spark, and an error in ANSI mode"
    if node.to.this in _JSONS and kind is None and isinstance(node.parent, exp.Select | exp.Alias):
        yield "is written for a list or a struct; of a text leave it out"
    if node.to.is_type(exp.DType.BOOLEAN) and dialect in TRINO_FAMILY | {"bigquery"} and kind is None:
        yield "reads fewer words than Spark, where yes and y are true"
    if node.to.this is exp.DType.CHAR and node.to.expressions and dialect in _PADS_TEXTS:
        yield "fills a text up with blanks; Spark does not"
    if node.to.this in TEXTS:
        yield from _of_text(node.this, dialect)


def _of_text(value: exp.Expr, dialect: str) -> Iterator[str]:
    kind = type_of(value)
    is_of_unknown = isinstance(value, exp.DateTrunc | exp.TimestampTrunc) and type_of(value.this) is None
    if is_of_unknown and dialect in KEEPS_DATES:
        yield "writes no time if a date was cut; Spark writes 00:00:00: cast it to date"
    elif kind in DOUBLES and dialect in _DOUBLES_IN_OTHER_WORDS:
        yield "writes a double in other words than Spark, as 2 for 2.0 or 1e+20 for 1.0E20"
    elif kind in DECIMALS and dialect in _DECIMALS_IN_OTHER_WORDS:
        yield "leaves zeros at the end out; Spark writes them"
    elif kind in _NESTED or isinstance(value.unnest(), exp.Struct):
        yield "writes lists and structs in other words than Spark"
    elif kind in INSTANTS:
        yield "writes an instant with its zone, or all digits of a fraction; Spark does not"
    elif kind in TIMES and dialect == "snowflake":
        yield "writes three digits of a second; Spark those that are not zero"


def _of_texts(node: exp.Expr, dialect: str) -> Iterator[str]:
    values = node.expressions or [node.this, node.expression]
    for value in values:
        kind = type_of(value)
        if kind in DOUBLES and dialect in _DOUBLES_IN_OTHER_WORDS:
            yield "writes a double in other words than Spark, as 2 for 2.0 or 1e+20 for 1.0E20"
            return


def _of_division(node: exp.Div, dialect: str) -> Iterator[str]:
    types = types_of(node)
    if dialect in _INFINITE_BY_ZERO and _may_be_zero(node.expression) and (dialect == "duckdb" or types & DOUBLES):
        yield "is infinite by zero; Spark makes it NULL, and an error in ANSI mode"
    if types & DOUBLES or dialect == "duckdb":
        return
    if types & DECIMALS or (dialect in _DIVIDES_DECIMALS and types <= INTEGERS):
        yield "has other digits behind the point than Spark's decimals"
    may_be_decimal = None in types and not types & DECIMALS and not node.args.get("typed")
    is_literal = isinstance(node.expression.unnest(), exp.Literal)
    if may_be_decimal and (is_literal or dialect in _DIVIDES_DECIMALS):
        yield "has other digits behind the point, if a decimal is divided"


def _may_be_zero(divisor: exp.Expr) -> bool:
    inner = divisor.unnest()
    if isinstance(inner, exp.Literal):
        return not inner.name.strip("0.")
    return not isinstance(inner, exp.Nullif)


def _is_other_json(node: exp.Expr, dialect: str) -> bool:
    """`js #> '{a}'` of Postgres, and `js['a']` of Snowflake."""
    if isinstance(node, exp.JSONBExtract):
        return not isinstance(node, exp.JSONBExtractScalar)
    is_key = isinstance(node, exp.Bracket) and len(node.expressions) == 1 and node.expressions[0].is_string
    return is_key and dialect == "snowflake" and type_of(node.this) in MAY_BE_JSON


def _is_kept_as_json(node: exp.Expr, dialect: str) -> bool:
    """Whether nothing reads the extracted JSON but as JSON."""
    holder = node.parent
    while isinstance(holder, exp.Paren):
        holder = holder.parent
    if isinstance(holder, exp.Cast):
        return holder.to.this in TEXTS and dialect != "snowflake"
    if isinstance(holder, exp.JSONExtract | exp.JSONExtractScalar):
        return False
    return not isinstance(holder, exp.Bracket | exp.JSONExtract | exp.JSONExtractScalar | exp.Func) or isinstance(
        holder, exp.Coalesce | exp.AggFunc | exp.Connector | exp.Binary | exp.JSONFormat
    )


def _has_number(node: exp.Connector) -> bool:
    return any(type_of(side.unnest()) in INTEGERS for side in (node.this, node.expression))


def _is_jsonb(node: exp.Expr) -> bool:
    return any(cast.to.is_type(exp.DType.JSONB) for cast in node.find_all(exp.Cast))


def _compares_plain_date(node: exp.Expr) -> bool:
    value = node.args.get("expression")
    if not isinstance(value, exp.Literal) or not value.is_string or not value.name.isdigit():
        return False
    return value.name[:2] in ("19", "20") and len(value.name) == DIGITS_OF_DATE


def _compares_texts(node: exp.Expr) -> bool:
    if isinstance(node, (*_COMPARISONS, exp.Between, exp.Group)):
        values = [node.this, *(node.args.get(name) for name in ("expression", "low", "high")), *node.expressions]
    elif isinstance(node, exp.Replace | exp.StrPosition | exp.Nullif | exp.Distinct):
        values = [node.this, *node.args.values()]
    else:
        return False
    return any(isinstance(value, exp.Expr) and type_of(value) in TEXTS for value in values) or isinstance(
        node, exp.Distinct
    )


def _operators(node: exp.Expr, dialect: str) -> Iterator[Remark]:
    """The operators that hang on a type that is not known."""
    if isinstance(node, exp.Div) and _is_doubtful_quotient(node):
        if isinstance(node.parent, exp.Div) and _is_doubtful_quotient(node.parent):
            return
        message = f"{_said(node, dialect)} is cut to an integer by {dialect} if both are integers, not by Spark"
        yield Remark("type", f"{message}; cast one to double, or write floor()", node)
    elif isinstance(node, exp.Sub) and dialect in DAYS_BETWEEN_DATES and _is_doubtful_difference(node):
        message = f"{_said(node, dialect)} is a number of days in {dialect} if both are dates, an interval in Spark"
        yield Remark("type", f"{message}; cast both to date", node)
    elif isinstance(node, exp.AtTimeZone) and dialect in ZONE_IS_ADDED and _is_added_zone(node):
        message = f"{_said(node, dialect)} is written for an instant; without an offset the clock's time stays"
        yield Remark("type", f"{message}; leave AT TIME ZONE out there", node)
    elif (zone := _zone_of(node)) is not None and _is_doubtful_zone(zone, dialect):
        message = f"{_said(node, dialect)} is written for an instant; without a zone it goes the other way"
        yield Remark("type", f"{message}; cast it to timestamp or timestamptz", node)


def _zone_of(node: exp.Expr) -> exp.AtTimeZone | None:
    if isinstance(node, exp.Anonymous) and node.name.upper() == "TIMEZONE" and len(node.expressions) == 2:
        zone, time = node.expressions
        return exp.AtTimeZone(this=time.copy(), zone=zone.copy())
    return node if isinstance(node, exp.AtTimeZone) else None


def _is_doubtful_quotient(node: exp.Div) -> bool:
    return bool(node.args.get("typed")) and None in types_of(node) and types_of(node) <= INTEGERS | {None}


def _is_doubtful_difference(node: exp.Sub) -> bool:
    """A date minus a possible date; two unknown values are not reported, because they are usually numbers."""
    is_of_literal = type_of(node.this) is None and _DATE.fullmatch(node.expression.name) and node.expression.is_string
    return (types_of(node) == {exp.DType.DATE, None} or bool(is_of_literal)) and not is_cast_to_integer(node)


def _is_doubtful_zone(node: exp.AtTimeZone, dialect: str) -> bool:
    kind = type_of(node.this)
    if dialect not in ZONE_GOES_BOTH_WAYS or _is_utc(node.args["zone"]):
        return False
    return kind is None or (kind is exp.DType.TIMESTAMPLTZ and isinstance(node.this.unnest(), exp.Column))


def _is_added_zone(node: exp.AtTimeZone) -> bool:
    """The only AT TIME ZONE of what may have no offset; UTC is that of the sessions."""
    is_one_of_two = is_in_another_zone(node) or isinstance(node.this.unnest(), exp.AtTimeZone)
    return not is_one_of_two and type_of(node.this) is not exp.DType.TIMESTAMPTZ and not _is_utc(node.args["zone"])


def _is_utc(zone: exp.Expr) -> bool:
    return spelt_zone(zone).name in ("UTC", "Etc/UTC", "GMT")


def _listed(nodes: list[exp.Expr], dialect: str) -> str:
    said = list(dict.fromkeys(_said(node, dialect) for node in nodes))
    more = f" and {len(said) - _SHOWN} more" if len(said) > _SHOWN else ""
    return f"{', '.join(said[:_SHOWN])}{more}"


def _said(node: exp.Expr, dialect: str) -> str:
    text = node.sql(dialect=dialect, comments=False)
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 3]}..."

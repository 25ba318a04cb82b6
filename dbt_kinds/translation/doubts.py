"""What is kept although its values may differ: remarks on a query, of which all but three kinds are one remark."""

from __future__ import annotations

import re
from collections.abc import Iterator

from sqlglot import exp

from dbt_kinds.translation.bytes_and_texts import HAS_CODE_PAGES, is_bytes
from dbt_kinds.translation.calls import holder_of
from dbt_kinds.translation.casts import (
    DIGITS_OF_DATE,
    DIGITS_OF_SECOND,
    ROUNDED_DIGITS,
    ROUNDS,
    ROUNDS_TEXTS,
    ROUNDS_TIMES,
    digits_of_second,
)
from dbt_kinds.translation.dialects import TRINO_FAMILY, is_spark
from dbt_kinds.translation.digests import is_padded, may_write_midnight, plain_cast
from dbt_kinds.translation.general_doubts import (
    ALTERNATIVES,
    DOUBLES_IN_OTHER_WORDS,
    MAY_BE_NUMBERS,
    MEANS,
    SUMS_STAY_SHORT,
    TAKE_CONDITIONS,
    general_doubts,
    is_mean_of_decimals,
    summed,
)
from dbt_kinds.translation.patterns import NULL_WITHOUT_MATCH, may_miss_group
from dbt_kinds.translation.remarks import Remark
from dbt_kinds.translation.subscripts import MAY_BE_JSON
from dbt_kinds.translation.truncation import KEEPS_DATES
from dbt_kinds.translation.typed_literals import EMPTY_IS_ZERO, may_be_dates
from dbt_kinds.translation.typed_operators import (
    COMPARISONS,
    DAYS_BETWEEN_DATES,
    ZONE_GOES_BOTH_WAYS,
    ZONE_IS_ADDED,
    are_dates,
    is_cast_to_integer,
    is_in_another_zone,
    types_of,
)
from dbt_kinds.translation.value_types import (
    BYTES,
    DECIMALS,
    DOUBLES,
    INSTANTS,
    INTEGERS,
    JSONS,
    NESTED,
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
_DAY_OF_DATE = re.compile(r"\d{4}-\d\d-(\d\d)")
_LAST_OF_SHORTEST = 28
_ROUNDS_TO_SAME_TYPE = TRINO_FAMILY | {"fabric", "tsql"}
_SORTS_KEYS = TRINO_FAMILY | {"snowflake"}
_LONGEST = 80
_SHOWN = 3
_DECIMALS_IN_OTHER_WORDS = frozenset({"bigquery"})
_READS_BLANKS_NOWHERE = TRINO_FAMILY
_AVERAGE_IS_WHOLE = frozenset({"fabric", "tsql"})
_JSON_IS_NO_TEXT = frozenset({"bigquery", "duckdb", "mysql", "postgres", "snowflake"}) | TRINO_FAMILY
_MEANS_IN_OTHER_WORDS = TRINO_FAMILY | {"postgres", "redshift", "snowflake"}
_IS_JSON = "is JSON: a text has quotes in it, a null is no NULL; Spark's is the text itself, or NULL"
_READS_ON_AND_OFF = frozenset({"postgres", "redshift", "snowflake"})
_PADS_TEXTS = TRINO_FAMILY | {"fabric", "postgres", "redshift", "tsql"}
_SCALARS_ONLY = TRINO_FAMILY | {"fabric", "tsql"}
_DIVIDES_DECIMALS = frozenset({"mysql", "snowflake"})
_INFINITE_BY_ZERO = TRINO_FAMILY | {"duckdb"}
_READ_TIMES = (exp.ParseDatetime, exp.ParseTime, exp.StrToDate, exp.StrToTime, exp.StrToUnix, exp.TsOrDsToDate)
_SHORT_YEAR = re.compile("%[yDx]")
_NUMBER = re.compile(r"[-+]?\d+(\.\d+)?")
_MAY_BE_TEXTS = (exp.Case, exp.Coalesce, exp.Column, exp.If, exp.Nullif)


def doubts(tree: exp.Expr, dialect: str) -> Iterator[Remark]:
    """Remarks on a tree as parsed, before it is rewritten."""
    if is_spark(dialect):
        return
    settle_types(tree)
    differing: dict[str, list[exp.Expr]] = {}
    general: dict[str, exp.Expr] = {}
    for found in tree.walk():
        if found.meta.get(DECLARED):
            continue
        node = plain_cast(found) or found
        yield from _operators(node, dialect)
        for why in _differences(node, dialect):
            differing.setdefault(why, []).append(node)
        for message in general_doubts(node, dialect):
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
    elif isinstance(node, exp.Mod):
        if dialect == "duckdb" and types_of(node) & (DOUBLES | {None}) and _may_be_zero(node.expression):
            yield "is NaN by zero if a double is divided; Spark makes it NULL"
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
    elif isinstance(node, exp.JSONExtractScalar | exp.JSONBExtractScalar) and dialect == "postgres" and _is_json(node):
        yield "writes objects and lists with blanks; Spark without"
    elif _reads_short_year(node):
        yield "takes a year of two digits for one of the 1900s if it is above about 70; Spark for one of the 2000s"
    elif isinstance(node, exp.TimeToStr) and dialect == "postgres" and "%Z" in node.args["format"].name:
        yield "writes no zone of a time that has none; Spark writes that of the session"
    elif isinstance(node, exp.Avg) and dialect == "snowflake" and type_of(node.this) in INTEGERS:
        yield "has six digits behind the point; Spark's is a double"
    elif isinstance(node, MEANS) and type_of(summed(node)) in DECIMALS and is_mean_of_decimals(node, dialect):
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
        for value in node.expressions or [node.this, node.expression]:
            yield from _of_text(value, dialect)
    elif isinstance(node, exp.Sum) and dialect in SUMS_STAY_SHORT and type_of(summed(node)) is exp.DType.FLOAT:
        yield "is a REAL, of about seven digits; Spark's is a double"
    elif isinstance(node, exp.DateDiff) and dialect in TRINO_FAMILY and _may_end_with_month(node):
        yield "takes the last day of a month for the same day as a later one, as February 29 for 31; Spark does not"
    elif isinstance(node, exp.ArrayToString) and dialect in DOUBLES_IN_OTHER_WORDS and _holds_doubles(node.this):
        yield "writes a double in other words than Spark, as 2 for 2.0 or 1e+20 for 1.0E20"
    elif isinstance(node, exp.RegexpExtract) and dialect in NULL_WITHOUT_MATCH and may_miss_group(node):
        yield "is NULL of a group that takes no part in a match; Spark's is empty"
    elif isinstance(node, exp.JSONFormat | exp.Anonymous) and _is_written_json(node, dialect):
        yield from _of_written_json(node, dialect)
    elif isinstance(node, exp.ParseJSON) and dialect == "duckdb" and _is_kept_as_json(node, dialect):
        yield "leaves blanks of JSON out; Spark's text is as it was"
    elif isinstance(node, exp.Format) and dialect == "postgres":
        yield "writes nothing for NULL; Spark writes null: write coalesce()"
    elif isinstance(node, exp.String) or (isinstance(node, exp.ToChar) and node.args.get("format") is None):
        yield from _of_text(node.this, dialect)
    elif isinstance(node, exp.Corr | exp.RegrIntercept | exp.RegrR2 | exp.RegrSlope) and dialect == "duckdb":
        yield "is NaN of one row, or of values that are all the same; Spark's is NULL"
    elif isinstance(node, exp.Pow) and dialect in EMPTY_IS_ZERO and _is_power_of_its_type(node):
        yield "has the type of its first argument; Spark's is a double"
    elif isinstance(node, exp.Anonymous) and dialect == "snowflake" and _is_time_of_number(node):
        yield "takes a large number for thousandths of a second; Spark for seconds"
    elif isinstance(node, exp.Coalesce) and node.args.get("is_null") and _has_length(node.this):
        yield "cuts the second value to the length of the first one; Spark does not"
    elif isinstance(node, exp.Convert) and is_padded(node):
        yield "fills a day and an hour of one digit up with a blank; Spark does not"
    elif isinstance(node, exp.Convert) and may_write_midnight(node):
        yield "writes no time of a date, which Spark writes as 00:00:00: declare the type, or give it a length"
    elif isinstance(node, exp.Add) and dialect == "tsql":
        yield from _of_plus(node)
    elif isinstance(node, ALTERNATIVES) and may_be_dates(node, dialect):
        yield "is a date or a time if its values are; a text in Spark: cast the literal"
    elif dialect == "mysql" and isinstance(node, TAKE_CONDITIONS) and _has_number(node):
        yield "takes a number for true unless it is 0; Spark wants a condition: write x <> 0"
    elif dialect == "mysql" and isinstance(node, (*COMPARISONS, exp.Add, exp.Mul, exp.Sub)) and _reads_digits(node):
        yield "takes the digits that a text begins with for a number; NULL in Spark, and an error in ANSI mode"
    elif isinstance(node, exp.Like) and dialect == "tsql" and "[" in node.expression.name:
        yield "has a choice in brackets; Spark has none: write rlike"
    elif isinstance(node, COMPARISONS) and dialect == "tsql" and _compares_plain_date(node):
        yield "is no date in Spark, which wants 2024-01-31"


def _reads_short_year(node: exp.Expr) -> bool:
    given = node.args.get("format") if isinstance(node, _READ_TIMES) else None
    if isinstance(node, exp.Anonymous) and node.name.upper() == "TRY_STRPTIME" and len(node.expressions) > 1:
        given = node.expressions[1]
    return given is not None and any(_SHORT_YEAR.search(literal.name) for literal in given.find_all(exp.Literal))


def _is_power_of_its_type(node: exp.Pow) -> bool:
    exponent = node.expression.unnest()
    is_whole = isinstance(exponent, exp.Literal) and exponent.is_int
    kind = type_of(node.this)
    return kind in DECIMALS or (kind is None and not is_whole)


def _is_time_of_number(node: exp.Anonymous) -> bool:
    is_call = node.name.upper().startswith("TO_TIMESTAMP") and len(node.expressions) == 1
    return is_call and type_of(node.expressions[0]) in NUMBERS and not node.expressions[0].is_number


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
        is_whole = isinstance(inner, exp.Sub) and are_dates(inner, dialect)
        if dialect in ROUNDS and kind is None and isinstance(inner, MAY_BE_NUMBERS) and not (is_read or is_whole):
            yield "rounds what has a fraction; Spark cuts it: write round()"
        elif dialect in ROUNDS_TEXTS and kind in TEXTS and isinstance(inner, exp.Column) and not is_tried:
            yield "reads and rounds a text with a fraction; Spark cuts it"
    if node.to.this in INTEGERS | DOUBLES and kind in TEXTS | {None}:
        if dialect in EMPTY_IS_ZERO and isinstance(inner, exp.Column | exp.Literal) and not inner.is_number:
            yield "is 0 of an empty text, NULL in Spark"
        elif dialect in _READS_BLANKS_NOWHERE and is_tried:
            yield "is NULL of a number between blanks; Spark reads it"
    if node.to.this in INTEGERS and dialect == "mysql" and kind in TEXTS:
        yield "is 0 of a text that is no number, NULL in Spark, and an error in ANSI mode"
    if node.to.this in JSONS and kind is None and isinstance(node.parent, exp.Select | exp.Alias):
        yield "is written for a list or a struct; of a text leave it out"
    if node.to.is_type(exp.DType.BOOLEAN) and dialect in TRINO_FAMILY | {"bigquery"} and kind is None:
        yield "reads fewer words than Spark, where yes and y are true"
    if node.to.is_type(exp.DType.BOOLEAN) and dialect in _READS_ON_AND_OFF and kind in TEXTS:
        yield "reads on and off; NULL in Spark, and an error in ANSI mode"
    is_padded = node.to.this is exp.DType.CHAR and node.to.expressions and dialect in _PADS_TEXTS
    if is_padded or node.to.this is exp.DType.BPCHAR:
        yield "fills a text up with blanks; Spark does not"
    if node.to.this in BYTES and dialect == "snowflake" and kind is None and not (is_tried or is_bytes(inner)):
        yield "reads digits if it is of a text; Spark takes the text itself: write unhex()"
    if node.to.this in TIMES and _keeps_digits(digits_of_second(node.to), dialect):
        yield "has fewer digits of a second than Spark, which keeps all six"
    if node.to.this in TEXTS:
        yield from _of_text(node.this, dialect)


def _of_text(value: exp.Expr, dialect: str) -> Iterator[str]:
    kind = type_of(value)
    is_of_unknown = isinstance(value, exp.DateTrunc | exp.TimestampTrunc) and type_of(value.this) is None
    if is_of_unknown and dialect in KEEPS_DATES:
        yield "writes no time if a date was cut; Spark writes 00:00:00: cast it to date"
    elif kind in DOUBLES and dialect in DOUBLES_IN_OTHER_WORDS:
        yield "writes a double in other words than Spark, as 2 for 2.0 or 1e+20 for 1.0E20"
    elif kind in DECIMALS and dialect in _DECIMALS_IN_OTHER_WORDS:
        yield "leaves zeros at the end out; Spark writes them"
    elif isinstance(_aggregate(value), exp.Avg) and dialect in _MEANS_IN_OTHER_WORDS:
        yield "writes a mean in other words than Spark, as 1.2500 for 1.25"
    elif kind in DECIMALS and dialect == "postgres" and isinstance(value.unnest(), ALTERNATIVES):
        yield "keeps the digits of each value; Spark's all have those of their type"
    elif kind in DECIMALS and dialect in _ROUNDS_TO_SAME_TYPE and isinstance(value.unnest(), exp.Round):
        yield "keeps zeros behind the digits that it rounds to; Spark does not"
    elif kind is exp.DType.INTERVAL:
        yield "writes an interval in other words than Spark"
    elif kind in NESTED or isinstance(value.unnest(), exp.Struct):
        yield "writes lists and structs in other words than Spark"
    elif (kind in INSTANTS and dialect != "mysql") or _may_be_instant(value.unnest(), dialect):
        yield "writes an instant with its zone, or all digits of a fraction; Spark does not"
    elif is_bytes(value, dialect) and dialect == "duckdb":
        yield "writes bytes that are no printable characters as \\xC3; Spark reads UTF-8"
    elif is_bytes(value, dialect) and dialect in HAS_CODE_PAGES:
        yield "reads bytes by a code page; Spark as UTF-8"
    elif kind in TIMES and dialect == "snowflake":
        yield "writes three digits of a second; Spark those that are not zero"


def _has_length(value: exp.Expr) -> bool:
    return isinstance(value, exp.Cast) and value.to.this in TEXTS and bool(value.to.expressions)


def _is_written_json(node: exp.Expr, dialect: str) -> bool:
    is_call = isinstance(node, exp.Anonymous) and node.name.upper() == "TO_JSON" and len(node.expressions) == 1
    return is_call if isinstance(node, exp.Anonymous) else dialect != "duckdb"


def _of_written_json(node: exp.Expr, dialect: str) -> Iterator[str]:
    value = node.expressions[0] if isinstance(node, exp.Anonymous) else node.this
    if isinstance(value, exp.Cast) and value.to.this in JSONS:
        value = value.this
    if isinstance(value.unnest(), exp.ParseJSON) and dialect in _SORTS_KEYS:
        yield "sorts the keys of objects, and leaves blanks out; Spark's text is as it was"
    elif type_of(value) in DECIMALS | DOUBLES and dialect == "bigquery":
        yield "leaves zeros at the end out; Spark writes them"
    elif type_of(value) is None and isinstance(value, exp.Column) and dialect != "postgres":
        yield "is written for a struct, a list or a map; of another value it fails in Spark"


def _may_end_with_month(node: exp.DateDiff) -> bool:
    """Whether a difference in months may be one between days after the 28th."""
    if node.text("unit").upper().removesuffix("S") not in ("MONTH", "QUARTER", "YEAR"):
        return False
    return not any(_is_before_28th(side.unnest()) for side in (node.this, node.expression))


def _is_before_28th(side: exp.Expr) -> bool:
    day = _DAY_OF_DATE.match(side.this.name) if isinstance(side, exp.Cast) and side.this.is_string else None
    is_early = day is not None and int(day[1]) < _LAST_OF_SHORTEST
    return is_early or isinstance(side, exp.DateTrunc | exp.TimestampTrunc)


def _holds_doubles(values: exp.Expr) -> bool:
    if isinstance(values, exp.Array):
        return any(type_of(item) in DOUBLES for item in values.expressions)
    if isinstance(values, exp.Transform) and isinstance(values.expression, exp.Lambda):
        return type_of(values.expression.this) in DOUBLES
    items = values.type.expressions if values.type is not None else []
    return any(isinstance(item, exp.DataType) and item.this in DOUBLES for item in items)


def _aggregate(value: exp.Expr) -> exp.Expr:
    inner = value.unnest()
    while isinstance(inner, exp.Window | exp.Filter):
        inner = inner.this
    return inner


def _keeps_digits(digits: int, dialect: str) -> bool:
    is_rounded = dialect in ROUNDS_TIMES and digits in ROUNDED_DIGITS
    return digits < DIGITS_OF_SECOND and not is_rounded


def _may_be_instant(value: exp.Expr, dialect: str) -> bool:
    if isinstance(value, exp.DateTrunc | exp.TimestampTrunc) and dialect == "postgres":
        return type_of(value.this) in (exp.DType.DATE, None)
    return isinstance(value, exp.AtTimeZone) and dialect in ZONE_GOES_BOTH_WAYS and type_of(value) is None


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
    if isinstance(inner, exp.Neg):
        return _may_be_zero(inner.this)
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
    holder = holder_of(node)
    if isinstance(holder, exp.Cast):
        return holder.to.this in TEXTS and dialect != "snowflake"
    if isinstance(holder, exp.JSONExtract | exp.JSONExtractScalar):
        return False
    return not isinstance(holder, exp.Bracket | exp.Func) or isinstance(
        holder, exp.Coalesce | exp.AggFunc | exp.Connector | exp.Binary | exp.JSONFormat
    )


def _has_number(node: exp.Expr) -> bool:
    sides = (node.this, node.expression) if isinstance(node, exp.Connector) else (node.this,)
    return any(type_of(side.unnest()) in NUMBERS for side in sides)


def _reads_digits(node: exp.Expr) -> bool:
    texts = [side for side in (node.this, node.expression) if type_of(side) in TEXTS]
    is_mixed = bool(texts) and bool(types_of(node) & NUMBERS)
    return is_mixed and not all(side.is_string and _NUMBER.fullmatch(side.name) for side in texts)


def _is_json(node: exp.Expr) -> bool:
    return any(cast.to.this in JSONS for cast in node.find_all(exp.Cast))


def _compares_plain_date(node: exp.Expr) -> bool:
    value = node.args.get("expression")
    if not isinstance(value, exp.Literal) or not value.is_string or not value.name.isdigit():
        return False
    return value.name[:2] in ("19", "20") and len(value.name) == DIGITS_OF_DATE


def _operators(node: exp.Expr, dialect: str) -> Iterator[Remark]:
    """The operators that hang on a type that is not known."""
    if isinstance(node, exp.Div) and _is_doubtful_quotient(node, dialect):
        if isinstance(node.parent, exp.Div) and _is_doubtful_quotient(node.parent, dialect):
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


def _is_doubtful_quotient(node: exp.Div, dialect: str) -> bool:
    may_be_integers = bool(node.args.get("typed")) and None in types_of(node) and types_of(node) <= INTEGERS | {None}
    return may_be_integers and not (dialect == "postgres" and _is_of_part_of_time(node))


def _is_of_part_of_time(node: exp.Expr) -> bool:
    """Whether a number is computed from an EXTRACT, which is no integer in Postgres."""
    parts = node.walk(prune=lambda part: not isinstance(part, exp.Add | exp.Div | exp.Mul | exp.Paren | exp.Sub))
    return any(isinstance(part, exp.Extract) for part in parts)


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

"""What may hold anywhere in a project, and is told once: texts of numbers, means, and columns of unknown types."""

from __future__ import annotations

import re
from collections.abc import Iterator

from sqlglot import exp

from dbt_kinds.translation.bytes_and_texts import HAS_CODE_PAGES, READS_ESCAPES, is_bytes
from dbt_kinds.translation.casts import READS_GROUPED_DIGITS
from dbt_kinds.translation.dialects import BITS_ARE_NUMBERS, BY_OPERATOR, TRINO_FAMILY
from dbt_kinds.translation.grouping import has_total
from dbt_kinds.translation.star_expansion import shares_columns
from dbt_kinds.translation.typed_literals import EMPTY_IS_ZERO, may_be_numbers
from dbt_kinds.translation.typed_operators import (
    COMPARISONS,
    DAYS_BETWEEN_DATES,
    DOUBLES_FLOATS,
    KEEPS_FLOATS,
    ZONE_GOES_BOTH_WAYS,
    types_of,
)
from dbt_kinds.translation.value_types import (
    BYTES,
    DECIMALS,
    DOUBLES,
    INTEGERS,
    NESTED,
    NUMBERS,
    TEXTS,
    TIMES,
    WITHOUT_ZONE,
    type_of,
)

# dialects whose text of a double is not Spark's: 2 or 2E0 for 2.0
DOUBLES_IN_OTHER_WORDS = TRINO_FAMILY | {
    *("bigquery", "fabric", "materialize", "mysql", "oracle", "postgres", "redshift", "risingwave", "snowflake", "tsql")
}
_IGNORES_CASE = frozenset({"fabric", "mysql", "tsql"})
_TRIMS_WHITE_SPACE = TRINO_FAMILY | {"bigquery"}
_SORTS_BY_COLLATION = frozenset({"fabric", "mysql", "postgres", "tsql"})
_READS_WHOLE_DATES = TRINO_FAMILY | {"bigquery"}
_READ_AS_TIMES = frozenset({"TO_DATE", "TO_TIMESTAMP", "TO_TIMESTAMP_LTZ", "TO_TIMESTAMP_NTZ", "TO_TIMESTAMP_TZ"})
_READS_OTHER_TIMES = frozenset({"fabric", "postgres", "redshift", "snowflake", "tsql"})
_ROUNDS_TEXTS = frozenset({"duckdb", "snowflake"})
_SEARCHES = (exp.RegexpExtract, exp.RegexpExtractAll, exp.RegexpILike, exp.RegexpLike, exp.RegexpReplace)
_ENDS_WITH_TEXT = frozenset({"bigquery", "duckdb", "postgres", "redshift"})
_CASE_BY_LETTER = TRINO_FAMILY | {"duckdb", "fabric", "mysql", "postgres", "redshift", "tsql"}
_SUMS_ARE_LONGER = frozenset({"duckdb", "mysql", "postgres", "redshift", "snowflake"})
SUMS_STAY_SHORT = TRINO_FAMILY | {"postgres"}
_NULL_IS_GREATEST = frozenset({"duckdb", "postgres"})
_JSON_IS_CAST = TRINO_FAMILY | {"duckdb"}
_SERIES_GO_ON = frozenset({"duckdb", "postgres"})
_MONTHS = re.compile(r"(?i)mon|year|quarter|decade|centur")
_DAY = re.compile(r"\d{4}-\d\d-(\d\d)")
_DAYS_OF_ALL_MONTHS = 28
_HAS_UNICODE_BLANKS = frozenset({"materialize", "postgres", "risingwave"})
_BLANK = re.compile(r"(?<!\\)(\\\\)*\\[sS]|\[:space:\]")
_BORDERS_OF_ASCII = frozenset({"bigquery", "duckdb"})
_BORDER = re.compile(r"(?<!\\)(\\\\)*\\[bB]")
# the same pattern for a whole text and for a part of it
_MATCHES_WHOLE = re.compile(r"(\^|\.\*)[^|]*(?<!\\)(\$|\.\*)")
_PLAIN_TEXT = re.compile(r"\d{4}-\d\d?-\d\d?|\s*[-+]?\d*\.\d+\s*")
_ENDS = re.compile(r"(?<!\\)\$(\)|$)")
# their value has the type of their operand
_PASS_ON = (
    *(exp.DateTrunc, exp.FirstValue, exp.IgnoreNulls, exp.Lag, exp.LastValue, exp.Lead, exp.Max, exp.Min),
    *(exp.TimestampTrunc, exp.Window),
)
MEANS = (exp.Avg, exp.Median, exp.PercentileCont)
_MEANS_IN_OTHER_DIGITS = frozenset({"bigquery", "duckdb", "materialize", "postgres", "redshift", "snowflake"})
_MAY_BE_DECIMALS = (exp.Column, exp.Add, exp.Sub, exp.Mul, exp.Coalesce, exp.Case, exp.Round)
_ROUNDS = re.compile(r"%[-+ 0]*\d*\.\d+f")
# what may hold a number with a fraction, if its type is not known
MAY_BE_NUMBERS = (
    *(exp.Column, exp.Add, exp.Sub, exp.Mul, exp.Div, exp.Neg, exp.Coalesce, exp.Case, exp.If, exp.AggFunc),
    *(exp.Abs, exp.Ceil, exp.Floor, exp.Greatest, exp.Least, exp.Round, exp.Window),
)
TAKE_CONDITIONS = (exp.Connector, exp.Having, exp.If, exp.Not, exp.Where)
ALTERNATIVES = (exp.Case, exp.Coalesce, exp.Greatest, exp.If, exp.Least)


def general_doubts(node: exp.Expr, dialect: str) -> Iterator[str]:
    """What is told once a project, since it may hold anywhere."""
    yield from _of_undeclared(node, dialect)
    if (
        isinstance(node, exp.RegexpLike)
        and node.meta.get(BY_OPERATOR)
        and not _MATCHES_WHOLE.fullmatch(node.expression.name)
    ):
        yield (
            "~ of DuckDB before 2.0 matches whole texts, since then any part of them, and so it is converted; write "
            "regexp_full_match where whole texts are meant"
        )
    if isinstance(node, exp.Trim) and node.expression is None and dialect in _TRIMS_WHITE_SPACE:
        yield (
            f"TRIM of {dialect} takes line ends and tabs off, Spark's only blanks; write trim(both ' \\t\\n' from x)"
        )
    if dialect in _IGNORES_CASE and _compares_texts(node, dialect):
        yield (
            f"{dialect} ignores case, and blanks at the end, where it compares, searches or groups texts, unless a "
            "collation says otherwise; Spark does not: write lower(…) on both sides where that matters"
        )
    if dialect in _NULL_IS_GREATEST and _compares_nested(node):
        yield f"within lists and structs NULL is greater than any value in {dialect}; in Spark it is less"
    if dialect in _JSON_IS_CAST and _reads_json_of_type(node):
        yield (
            f"where JSON becomes values of a type, {dialect} casts them, as a text to a number; Spark makes NULL of "
            "what is written in another one"
        )
    yield from _of_bytes(node, dialect)
    yield from _of_read_texts(node, dialect)
    if dialect in _SORTS_BY_COLLATION and _sorts_texts(node):
        yield f"{dialect} sorts texts by their collation, where a may stand before B; Spark by the codes of characters"
    if isinstance(node, exp.Lower | exp.Upper) and dialect in _CASE_BY_LETTER and not _is_ascii(node.this):
        yield (
            f"UPPER and LOWER of {dialect} write one letter for one; Spark makes SS of ß, and ς of a Σ that ends a word"
        )
    if isinstance(node, exp.Star) and dialect == "duckdb" and _is_of_shared_columns(node):
        yield "* of a JOIN … USING begins with its columns in Spark, which duckdb leaves in their places"
    if isinstance(node, exp.Reverse) and dialect == "duckdb" and not _is_ascii(node.this):
        yield "REVERSE of duckdb keeps accents and signs that are characters of their own with their letters"
    if isinstance(node, exp.AtTimeZone) and dialect in ZONE_GOES_BOTH_WAYS and type_of(node.this) in WITHOUT_ZONE:
        yield (
            "a time that the end of summer time gives twice is the later one where AT TIME ZONE makes an instant of "
            f"it in {dialect}, in Spark the earlier one"
        )
    if dialect in _SERIES_GO_ON and _may_end_months_early(node):
        yield (
            "a series of months that begins on a day after the 28th stays on the last day of a shorter month in "
            f"{dialect}; Spark's comes back to its day"
        )
    if isinstance(node, exp.Sum) and dialect in _SUMS_ARE_LONGER and type_of(summed(node)) is exp.DType.BIGINT:
        yield (
            f"the sum of a BIGINT has more digits in {dialect}; Spark's is a BIGINT, which is wrong beyond its range, "
            "and an error in ANSI mode"
        )
    if isinstance(node, exp.Group) and has_total(node):
        yield "ROLLUP, CUBE and an empty set of columns have a row of totals also if there is no row; Spark's have none"
    if isinstance(node, _SEARCHES) and dialect in _BORDERS_OF_ASCII and _BORDER.search(node.expression.name):
        yield f"\\b in a pattern of {dialect} takes é for no letter; Spark does"
    if isinstance(node, _SEARCHES) and dialect in _HAS_UNICODE_BLANKS and _BLANK.search(node.expression.name):
        yield f"\\s in a pattern of {dialect} does not match a no-break space, unless its locale is ICU's; Spark's does"
    if isinstance(node, _SEARCHES) and dialect in _ENDS_WITH_TEXT and _ENDS.search(node.expression.name):
        yield "$ in a pattern also stands before a line end at the end of a text in Spark: write \\z where that matters"
    if isinstance(node, exp.Cast):
        values = [node.this] if node.to.this in TEXTS else []
    elif isinstance(node, exp.String):
        values = [node.this]
    elif isinstance(node, exp.ToChar):
        values = [node.this] if node.args.get("format") is None else []
    else:
        is_text = isinstance(node, exp.Concat | exp.ConcatWs | exp.DPipe)
        values = (node.expressions or [node.this, node.expression]) if is_text else []
    if dialect not in DOUBLES_IN_OTHER_WORDS and any(type_of(value) in DOUBLES for value in values):
        yield (
            f"where a double becomes a text, {dialect} writes large and small ones in other words than Spark, as "
            "12345678.9 for 1.23456789E7, or 1e-05 for 1.0E-5"
        )
    if any(_is_of_unknown_columns(value.unnest()) for value in values):
        example = "2 for 2.0" if dialect in DOUBLES_IN_OTHER_WORDS else "1e+20 for 1.0E20"
        yield (
            "where a column whose type is not declared becomes a text, a list, a struct, a number with a fraction or a "
            f"time with a zone is written in other words by {dialect} than by Spark, as {example}"
        )


def _of_read_texts(node: exp.Expr, dialect: str) -> Iterator[str]:
    """Texts that become numbers, dates or times."""
    to = node.to.this if isinstance(node, exp.Cast) else None
    is_text = isinstance(node, exp.Cast | exp.TsOrDsToDate) and _may_be_other_text(node.this.unnest())
    is_time = to in TIMES | {exp.DType.DATE}
    is_tried = isinstance(node, exp.TryCast) or (node.args.get("safe") and node.args.get("format") is None)
    if is_text and is_tried and (is_time or to is None):
        with_time = ", and of a date with a time" if dialect in _READS_WHOLE_DATES else ""
        yield (
            f"where a text is tried as a date or a time, {dialect} makes NULL of a year or a month alone{with_time}; "
            "Spark takes the first day"
        )
    is_read = isinstance(node, exp.Anonymous) and node.name.upper() in _READ_AS_TIMES and len(node.expressions) == 1
    is_read = is_read and _may_be_other_text(node.expressions[0].unnest())
    is_time = is_time or (isinstance(node, exp.TsOrDsToDate) and node.args.get("format") is None)
    if dialect in _READS_OTHER_TIMES and ((is_text and is_time) or is_read):
        digits = ", and digits are seconds since 1970" if dialect == "snowflake" else ""
        yield (
            f"where a text becomes a date or a time, {dialect} reads other forms than 2024-01-31, as 31-Jan-2024"
            f"{digits}; Spark makes NULL of them, and an error in ANSI mode"
        )
    if dialect in READS_GROUPED_DIGITS and to in NUMBERS and is_text and not node.this.is_string:
        since = " from 16 on" if dialect == "postgres" else ""
        yield (
            f"where a text becomes a number, {dialect}{since} also reads 1_000 and 0x1F; Spark makes NULL of them, and "
            "a plain cast fails in ANSI mode"
        )
    is_made = (
        to in INTEGERS
        and not isinstance(node, exp.TryCast)
        and (type_of(node.this) in TEXTS or isinstance(node.this.unnest(), exp.JSONExtract))
    )
    if dialect in _ROUNDS_TEXTS and is_made and not isinstance(node.this.unnest(), exp.Column | exp.Literal):
        yield (f"where a text with a fraction becomes an integer, {dialect} rounds it; Spark cuts it, ANSI mode fails")


def _compares_nested(node: exp.Expr) -> bool:
    if isinstance(node, exp.GT | exp.GTE | exp.LT | exp.LTE):
        values = [node.this, node.expression]
    elif isinstance(node, exp.Max | exp.Min | exp.Ordered):
        values = [node.this]
    else:
        return False
    return any(type_of(value) in NESTED or isinstance(value.unnest(), exp.Struct) for value in values)


def _reads_json_of_type(node: exp.Expr) -> bool:
    if isinstance(node, exp.Anonymous):
        return node.name.upper() == "JSON_TRANSFORM"
    if isinstance(node, exp.Cast):
        return node.to.this in NESTED and isinstance(node.this.unnest(), exp.JSONExtract | exp.ParseJSON)
    return isinstance(node, exp.FromJson)


def _may_end_months_early(node: exp.Expr) -> bool:
    if not isinstance(node, exp.GenerateSeries | exp.ExplodingGenerateSeries):
        return False
    step, start = node.args.get("step"), node.args["start"].find(exp.Literal)
    is_of_months = isinstance(step, exp.Interval) and _MONTHS.search(step.sql()) is not None
    day = _DAY.match(start.name) if start is not None else None
    return is_of_months and (day is None or int(day[1]) > _DAYS_OF_ALL_MONTHS)


def _is_of_shared_columns(star: exp.Star) -> bool:
    joins = star.parent.args.get("joins") if isinstance(star.parent, exp.Select) else None
    return any(map(shares_columns, joins or ()))


def _is_ascii(value: exp.Expr) -> bool:
    return value.is_string and value.name.isascii()


def _may_be_other_text(value: exp.Expr) -> bool:
    """Whether a value may be a text that is no plain date and no plain number."""
    if value.is_string:
        return _PLAIN_TEXT.fullmatch(value.name) is None
    return type_of(value) in TEXTS or (type_of(value) is None and isinstance(value, exp.Column | exp.JSONExtract))


def _sorts_texts(node: exp.Expr) -> bool:
    if isinstance(node, exp.GT | exp.GTE | exp.LT | exp.LTE):
        values = [side for side in (node.this, node.expression) if not isinstance(side, exp.Literal)]
    elif isinstance(node, exp.Between | exp.Max | exp.Min | exp.Ordered):
        values = [node.this]
    else:
        return False
    return any(type_of(value) in TEXTS for value in values)


def _of_bytes(node: exp.Expr, dialect: str) -> Iterator[str]:
    is_cast = isinstance(node, exp.Cast) and node.to.this in BYTES and not node.this.unnest().is_string
    may_be_text = is_cast and type_of(node.this) in TEXTS | {None} and not is_bytes(node.this, dialect)
    if may_be_text and dialect in READS_ESCAPES:
        yield (
            f"where a text becomes bytes, {dialect} reads escapes in it, as \\xC3 for one byte; Spark takes it as it is"
        )
    elif dialect in HAS_CODE_PAGES and (may_be_text or _is_digest(node)):
        yield (
            f"where a text becomes bytes, also in HASHBYTES, {dialect} takes two bytes a character of NVARCHAR, and a "
            "code page for VARCHAR; Spark takes UTF-8: digests are the same for VARCHAR of ASCII only"
        )


def _is_digest(node: exp.Expr) -> bool:
    return isinstance(node, exp.MD5 | exp.SHA | exp.SHA2) and not (node.this.is_string or type_of(node.this) in BYTES)


def _of_undeclared(node: exp.Expr, dialect: str) -> Iterator[str]:
    """What is written for the type that a column has nearly always, if it is not declared."""
    if isinstance(node, MEANS) and type_of(summed(node)) is None and is_mean_of_decimals(node, dialect):
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
    elif isinstance(node, ALTERNATIVES) and may_be_numbers(node, dialect):
        yield "a text of digits beside columns whose types are not declared is a number if they are; a text in Spark"
    elif isinstance(node, exp.TryCast) and _rounds_doubles_as_texts(node, dialect):
        yield (
            "where a column whose type is not declared is a double, try_cast to an integer rounds 2.5 to 2; what is "
            "written for it is for a text, and gives 3"
        )
    elif dialect in KEEPS_FLOATS and (_may_be_float_and_number(node) or _may_be_float_and_decimal(node)):
        yield (
            "where a column whose type is not declared is a float of four bytes, it stays one beside a number, and is "
            "compared as one; Spark's becomes a double, in ANSI mode also beside an integer"
        )
    elif dialect in DOUBLES_FLOATS and _may_be_float_and_number(node) and types_of(node) & INTEGERS:
        yield (
            "where a column whose type is not declared is a float of four bytes, it becomes a double beside an "
            "integer; Spark's only in ANSI mode"
        )
    elif isinstance(node, exp.Anonymous | exp.StrToTime | exp.TsOrDsToDate) and _reads_or_is_null(node):
        yield (
            f"a text with more behind its time, as 2024-01-31x, becomes NULL where {dialect} tries to read it; Spark "
            "3.5 fails, unless spark.sql.legacy.timeParserPolicy is CORRECTED"
        )
    elif isinstance(node, exp.Sum) and dialect in SUMS_STAY_SHORT and _is_unknown_column(summed(node)):
        yield (
            "where a column whose type is not declared is a REAL, its sum is one, of about seven digits; Spark's is a "
            "double"
        )
    elif isinstance(node, exp.ArrayToString) and dialect == "duckdb" and _may_hold_nulls(node.this.unnest()):
        yield "the text of a list of nothing but NULL is NULL; Spark's is empty"
    elif isinstance(node, exp.Length) and dialect == "duckdb" and _is_unknown_column(node.this):
        yield "the length of a column whose type is not declared is that of a text; of a list it is size()"
    elif isinstance(node, exp.WithinGroup | exp.PercentileDisc | exp.Quantile) and _is_discrete(node, dialect):
        if any(map(_is_unknown_column, _ordered_by(node))):
            yield "a discrete percentile of a column whose type is not declared is that of numbers; of texts it is NULL"
    elif isinstance(node, exp.IntDiv) and dialect == "duckdb" and _is_of_unknown_columns(node.this.unnest()):
        yield "// of a column whose type is not declared is that of an integer; of another number write floor(a / b)"
    elif isinstance(node, exp.Coalesce) and dialect in EMPTY_IS_ZERO and _is_unknown_or_empty(node):
        yield (
            "where a column whose type is not declared is a number, isnull(x, '') is 0; Spark's is an empty text, and "
            "an error in ANSI mode"
        )
    elif isinstance(node, exp.EQ) and dialect in BITS_ARE_NUMBERS and _is_compared_bit(node):
        yield "a BIT that is not declared is compared with 1 and 0, which Spark refuses in ANSI mode: write = true"
    elif isinstance(node, TAKE_CONDITIONS) and dialect == "mysql" and _is_unknown_column(node.this):
        yield "a column whose type is not declared is a condition, which in Spark only a BOOLEAN is: write x <> 0"
    elif isinstance(node, exp.Add | exp.Sub) and dialect in EMPTY_IS_ZERO and _may_be_days(node):
        yield "a number added to a time that is not declared is one of days, which Spark refuses: write dateadd()"


def _is_discrete(node: exp.Expr, dialect: str) -> bool:
    if isinstance(node, exp.WithinGroup):
        return isinstance(node.this, exp.PercentileDisc)
    return dialect == "duckdb"


def _ordered_by(node: exp.Expr) -> list[exp.Expr]:
    return [key.this for key in node.expression.expressions] if isinstance(node, exp.WithinGroup) else [node.this]


def _rounds_doubles_as_texts(node: exp.TryCast, dialect: str) -> bool:
    return dialect == "duckdb" and node.to.this in INTEGERS and _is_of_unknown_columns(node.this.unnest())


def _may_be_float_and_number(node: exp.Expr) -> bool:
    if not isinstance(node, exp.Add | exp.Sub | exp.Mul):
        return False
    sides = (node.this.unnest(), node.expression.unnest())
    others = [side for side in sides if not _is_unknown_column(side)]
    return len(others) < len(sides) and all(type_of(side) in INTEGERS | DECIMALS for side in others)


def _may_be_float_and_decimal(node: exp.Expr) -> bool:
    if not isinstance(node, (*COMPARISONS, exp.Between)):
        return False
    values = [node.args.get("expression"), node.args.get("low"), node.args.get("high"), *node.expressions]
    is_decimal = any(isinstance(value, exp.Expr) and type_of(value.unnest()) in DECIMALS for value in values)
    return is_decimal and _is_unknown_column(node.this)


def _reads_or_is_null(node: exp.Expr) -> bool:
    if isinstance(node, exp.Anonymous):
        return node.name.upper() == "TRY_STRPTIME"
    return bool(node.args.get("safe") and node.args.get("format")) or isinstance(node.parent, exp.Try)


def _may_hold_nulls(values: exp.Expr) -> bool:
    is_made = isinstance(values, exp.Array) and any(isinstance(item, exp.Literal) for item in values.expressions)
    return not is_made and not isinstance(values, exp.Split | exp.RegexpSplit)


def _rounds_double(node: exp.Expr, dialect: str) -> bool:
    if dialect != "duckdb":
        return False
    if isinstance(node, exp.Anonymous) and node.name.upper() == "PRINTF":
        return _ROUNDS.search(node.expressions[0].name) is not None
    decimals = node.args.get("decimals") if isinstance(node, exp.Round) else None
    return decimals is not None and decimals.name != "0" and type_of(node.this) in DOUBLES


def _is_of_unknown_columns(value: exp.Expr) -> bool:
    is_unknown = type_of(value) is None and isinstance(value, MAY_BE_NUMBERS)
    return is_unknown and any(type_of(column) is None for column in value.find_all(exp.Column))


def _are_unknown_columns(node: exp.Sub) -> bool:
    return _is_unknown_column(node.this) and _is_unknown_column(node.expression)


def _is_unknown_column(node: exp.Expr) -> bool:
    inner = node.unnest()
    while isinstance(inner, _PASS_ON):
        inner = inner.this
    return isinstance(inner, exp.Column) and type_of(inner) is None


def _is_unknown_or_empty(node: exp.Coalesce) -> bool:
    return _is_unknown_column(node.this) and any(value.is_string and not value.name for value in node.expressions)


def _may_be_days(node: exp.Add | exp.Sub) -> bool:
    number = node.expression.unnest()
    return _is_unknown_column(node.this) and isinstance(number, exp.Literal) and number.is_int


def _is_compared_bit(node: exp.EQ) -> bool:
    side = node.this.this if isinstance(node.this, exp.Coalesce) else node.this
    return _is_unknown_column(side) and node.expression.is_number and node.expression.name in ("0", "1")


def _compares_texts(node: exp.Expr, dialect: str) -> bool:
    if isinstance(node, exp.Distinct) or (isinstance(node, exp.SetOperation) and node.args.get("distinct")):
        return True
    if isinstance(node, _SEARCHES):
        return dialect == "mysql"
    if isinstance(node, exp.Window):
        values = node.args.get("partition_by") or []
    elif isinstance(node, exp.Case):
        values = [node.this]
    elif isinstance(node, (*COMPARISONS, exp.Between, exp.Group)):
        values = [node.this, *(node.args.get(name) for name in ("expression", "low", "high")), *node.expressions]
    elif isinstance(node, exp.Replace | exp.StrPosition | exp.Nullif):
        values = [node.this, *node.args.values()]
    else:
        return False
    return any(isinstance(value, exp.Expr) and type_of(value) in TEXTS for value in values)


def summed(node: exp.Expr) -> exp.Expr:
    """The values of a mean, or a median."""
    value: exp.Expr = node.this.expressions[0] if isinstance(node.this, exp.Distinct) else node.this
    group = node.parent if isinstance(node, exp.PercentileCont) and node.expression is None else None
    return group.expression.expressions[0].this if isinstance(group, exp.WithinGroup) else value


def is_mean_of_decimals(node: exp.Expr, dialect: str) -> bool:
    """Whether a mean has other digits than Spark's if its values are decimals."""
    if isinstance(node, exp.Avg):
        return dialect in _MEANS_IN_OTHER_DIGITS and isinstance(summed(node).unnest(), _MAY_BE_DECIMALS)
    return dialect == "duckdb" and isinstance(summed(node).unnest(), _MAY_BE_DECIMALS)

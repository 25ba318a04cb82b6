"""Time formats: strftime directives, to which sqlglot converts every dialect's formats, as Spark patterns.

In a Spark pattern every unquoted letter is a directive; sqlglot does not quote any.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from sqlglot import exp

from dbt_kinds.translation.calls import call
from dbt_kinds.translation.not_in_spark import NotInSpark
from dbt_kinds.translation.rewrites import rewrites
from dbt_kinds.translation.scan import without_comments
from dbt_kinds.translation.zones import in_zone, of_zone

_FRACTIONS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
FORMATTING: Mapping[str, str] = {
    "Y": "yyyy",
    "y": "yy",
    "m": "MM",
    "-m": "M",
    "d": "dd",
    "-d": "d",
    "H": "HH",
    "-H": "H",
    "I": "hh",
    "-I": "h",
    "M": "mm",
    "-M": "m",
    "S": "ss",
    "-S": "s",
    "f": "SSSSSS",
    "j": "DDD",
    "-j": "D",
    "B": "MMMM",
    "b": "MMM",
    "A": "EEEE",
    "a": "EEE",
    "p": "a",
    "z": "Z",
    "Z": "z",
    "Q": "Q",
    # sqlglot's names for fractions with a fixed number of digits
    **{f"f_{word}": "S" * digits for digits, word in enumerate(_FRACTIONS)},
}
_KNOWN_TO_SQLGLOT = frozenset(letter for letter in FORMATTING if letter not in ("j", "Q") and len(letter) < 3)
# with one letter Spark parses numbers with and without leading zeros, but not if the next one follows directly
_PARSING = {**FORMATTING, "m": "M", "d": "d", "H": "H", "I": "h", "M": "m", "S": "s", "j": "D"}
_ONLY_WRITTEN = frozenset("Aa")
_TOGETHER = {"%F": "%Y-%m-%d", "%T": "%H:%M:%S", "%D": "%m/%d/%y", "%R": "%H:%M"}
_DIRECTIVE = re.compile(rf"%(f_(?:{'|'.join(_FRACTIONS)})|-?[A-Za-z%])")
_NEEDS_QUOTES = re.compile(r"[^\W\d_]|['\\\[\]{}#]")
# dialects whose formats are words, some of which sqlglot does not convert
_HAS_WORDS = frozenset({"postgres", "redshift", "oracle", "snowflake", "tsql"})
_WORD = re.compile(r'"(?P<quoted>[^"]*)"|(?P<word>[A-Za-z]+(?:12|24)?)')
_DAY = re.compile(r"%u(ay|AY|y|Y)(?![A-Za-z])")
_MONTH = re.compile(r"F%m(onth|ONTH)")
_PADDED = frozenset({"Day", "Month"})
_DIRECTIVES_BY_WORD = {
    **{"Mon": "%b", "AM": "%p", "PM": "%p", "Q": "%Q", "q": "%Q", "MS": "%f_three", "ms": "%f_three"},
    **{"FMDay": "%A", "FMMonth": "%B", "Dy": "%a"},
    **{"HH": "%I", "hh": "%I", "hh12": "%I", "hh24": "%H", "mi": "%M", "ss": "%S", "us": "%f"},
}
_YEARS = frozenset({*"CDFGYcsxy", "-y"})
_YEAR_BY_DEFAULT = {"duckdb": "1900", "postgres": "1 BC"}
_PERCENT = {"%": "%"}
# a format of one letter, but those that sqlglot replaces rightly
_STANDARD_FORMAT = re.compile(
    r"\bFORMAT\s*\((?:[^()']|\([^()]*(?:\([^()]*\)[^()]*)*\))*,\s*N?'(?P<letter>[A-LN-XZa-ln-xz])'", re.IGNORECASE
)
# letters between numbers that are a word in no dialect
_PLAIN_WORDS = frozenset({"T", "Z"})


def spark_pattern(
    strftime: str, letters: Mapping[str, str] = FORMATTING, literals: Mapping[str, str] = _PERCENT
) -> str:
    """A strftime format as a Spark pattern.

    Args:
        strftime: the format; anything but directives is literal.
        letters: Spark's letters by directive.
        literals: directives that mean a fixed string.

    Raises:
        ValueError: Spark has no equivalent of a part of it, which is named.
    """
    for directive, together in _TOGETHER.items():
        strftime = strftime.replace(directive, together)
    made: list[str] = []
    literal = ""
    for number, part in enumerate(_DIRECTIVE.split(strftime)):
        is_text = number % 2 == 0
        if is_text or part in literals:
            literal += part if is_text else literals[part]
        elif part in letters:
            made += [_quoted(literal), letters[part]]
            literal = ""
        else:
            raise ValueError(f"%{part}")
    return "".join([*made, _quoted(literal)])


def _quoted(literal: str) -> str:
    return "'" + literal.replace("'", "''") + "'" if _NEEDS_QUOTES.search(literal) else literal


def written(node: exp.TimeToStr, dialect: str) -> exp.Expr:
    """`strftime(t, format)`, under any name, also with a time zone.

    Raises:
        NotInSpark: Spark has no equivalent of a part of the format.
    """
    zone = node.args.get("zone")
    if zone is not None:
        node.set("this", in_zone(node.this, zone))
        node.set("zone", None)
    if dialect == "duckdb" and "%z" in node.args["format"].name:
        raise NotInSpark("%z of duckdb writes +00 where Spark writes +0000", node)
    pattern = _pattern(node, dialect, FORMATTING)
    return node if pattern is None else call("DATE_FORMAT", node.this, exp.Literal.string(pattern))


@rewrites(exp.StrToDate, exp.StrToTime)
def read(node: exp.StrToTime | exp.StrToDate, dialect: str) -> exp.Expr:
    """`strptime(text, format)`, under any name, also with a time zone.

    Raises:
        NotInSpark: Spark has no equivalent of a part of the format.
    """
    zone = node.args.get("zone")
    node.set("zone", None)
    pattern = _pattern(node, dialect, _PARSING)
    name = "TO_DATE" if isinstance(node, exp.StrToDate) else "TO_TIMESTAMP"
    made: exp.Expr = node if pattern is None else call(name, node.this, exp.Literal.string(pattern))
    return made if zone is None else of_zone(made, zone)


@rewrites("TRY_STRPTIME")
def read_or_null(node: exp.Anonymous | exp.TsOrDsToDate, dialect: str) -> exp.Expr:
    """`try_strptime(text, format)` of DuckDB, which sqlglot does not know.

    Raises:
        NotInSpark: Spark has no equivalent of a part of the format.
    """
    if isinstance(node, exp.TsOrDsToDate):
        text, strftime = node.this, node.args["format"]
    elif dialect != "duckdb" or len(node.expressions) != 2:
        return node
    else:
        text, strftime = node.expressions
    _refuse_without_year(_DIRECTIVE.findall(strftime.name), node, dialect)
    try:
        is_close = re.search("%[a-zA-Z]%[a-zA-Z]", strftime.name) is not None
        pattern = spark_pattern(strftime.name, FORMATTING if is_close else _PARSING)
    except ValueError as error:
        raise NotInSpark(f"'{error}' in a format of times has no counterpart in Spark", node) from error
    return call("TRY_TO_TIMESTAMP", text, exp.Literal.string(pattern))


def _refuse_without_year(directives: Iterable[str], node: exp.Expr, dialect: str) -> None:
    if dialect in _YEAR_BY_DEFAULT and not _YEARS.intersection(directives):
        raise NotInSpark(
            f"a time without a year is one of the year {_YEAR_BY_DEFAULT[dialect]} in {dialect}, of 1970 in Spark", node
        )


def _pattern(node: exp.Expr, dialect: str, letters: Mapping[str, str]) -> str | None:
    """The pattern for a node's format, None if sqlglot's is correct."""
    given = node.args.get("format")
    if given is None:
        return None
    if not isinstance(given, exp.Literal):
        message = f"a format of times of {dialect} that is no literal has no counterpart in Spark; write it out"
        raise NotInSpark(message, node)
    if dialect in _HAS_WORDS and "%S%S" in given.name:
        # what sqlglot makes of the seconds of a day
        raise NotInSpark(f"'SSSS' in a format of times of {dialect} has no counterpart in Spark", node)
    strftime = _without_words(given.name, node, dialect) if dialect in _HAS_WORDS else given.name
    directives = _DIRECTIVE.findall(strftime)
    if letters is _PARSING and set(directives) & _ONLY_WRITTEN:
        raise NotInSpark(f"Spark cannot read the name of a day, as in '{given.name}'", node)
    if letters is _PARSING:
        _refuse_without_year(directives, node, dialect)
    is_read_by_sqlglot = strftime == given.name and set(directives) <= _KNOWN_TO_SQLGLOT
    if is_read_by_sqlglot and not _NEEDS_QUOTES.search(_DIRECTIVE.sub("", strftime)):
        return None
    is_close = re.search("%[a-zA-Z]%[a-zA-Z]", strftime) is not None
    try:
        return spark_pattern(strftime, FORMATTING if is_close else letters)
    except ValueError as error:
        of = (
            f"the format of {node.sql(dialect=dialect)}" if dialect in _HAS_WORDS else f"'{error}' in a format of times"
        )
        raise NotInSpark(f"{of} has no counterpart in Spark", node) from error


def refuse_standard_format(text: str, dialect: str, source: exp.Expr) -> None:
    """Refuses `format(t, 'd')` of T-SQL, which sqlglot has replaced by a format of other digits.

    Raises:
        NotInSpark: a format has one letter.
    """
    found = _STANDARD_FORMAT.search(without_comments(text)) if dialect in ("fabric", "tsql") else None
    if found is not None:
        letter = found["letter"]
        message = f"the format '{letter}' has no counterpart in Spark; write one as 'M/d/yyyy', or format_number()"
        raise NotInSpark(message, source.find(exp.TimeToStr) or source)


def _without_words(text: str, node: exp.Expr, dialect: str) -> str:
    """Literal words that sqlglot does not know as directives; quoted ones are literal."""

    # sqlglot takes the D of Day for the number of a day, and the MM of FMMonth for that of a month
    text = _MONTH.sub(r"FMM\1", _DAY.sub(r"D\1", text))

    def directive(found: re.Match[str]) -> str:
        if found["quoted"] is not None:
            return str(found["quoted"])
        if found["word"] in _PADDED and dialect in ("postgres", "redshift"):
            message = f"'{found['word']}' of {dialect} is filled up with blanks, which has no counterpart in Spark"
            raise NotInSpark(f"{message}; write FM{found['word']}", node)
        if found["word"] in _DIRECTIVES_BY_WORD:
            return _DIRECTIVES_BY_WORD[found["word"]]
        if found["word"] in _PLAIN_WORDS:
            return str(found["word"])
        raise NotInSpark(f"'{found['word']}' in a format of times of {dialect} has no counterpart in Spark", node)

    parts = enumerate(_DIRECTIVE.split(text))
    return "".join(f"%{part}" if number % 2 else _WORD.sub(directive, part) for number, part in parts)

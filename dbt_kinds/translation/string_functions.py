"""Strings and substrings: dialects differ on zero and negative positions."""

from __future__ import annotations

import re

from sqlglot import exp

from dbt_kinds.translation.calls import call
from dbt_kinds.translation.date_arithmetic import days_later
from dbt_kinds.translation.dialects import BITS_ARE_NUMBERS, TRINO_FAMILY, dialect_of
from dbt_kinds.translation.least_values import is_at_least
from dbt_kinds.translation.literals import whole
from dbt_kinds.translation.not_in_spark import NotInSpark
from dbt_kinds.translation.patterns import found_part
from dbt_kinds.translation.renamed import from_template
from dbt_kinds.translation.rewrites import rewrites
from dbt_kinds.translation.value_types import LISTS, NUMBERS, TEXTS, TIMES, type_of

_NEGATIVE_LEAVES_OUT = frozenset({"duckdb", "postgres"})
_NEGATIVE_IS_BEFORE_THE_TEXT = frozenset({"fabric", "postgres", "redshift", "tsql"})
_ASCII = 128
_ZERO_IS_BEFORE_THE_TEXT = frozenset({"duckdb", "fabric", "postgres", "redshift", "tsql"})
_ZERO_IS_NOWHERE = TRINO_FAMILY | {"mysql"}
_FAR_BEFORE_IS_NOTHING = TRINO_FAMILY | {"mysql", "snowflake"}
_FAR_BEFORE_IS_THE_START = frozenset({"bigquery"})
# where nothing is found from such a start
_NOWHERE = {"{1} = 0": _ZERO_IS_NOWHERE, "{1} < -LENGTH({0})": _FAR_BEFORE_IS_NOTHING}
# texts of bytes in these, whose characters depend on a page of codes
_CHARACTERS_OF_A_PAGE = frozenset({"fabric", "tsql"})
_NULL_MAKES_NULL = frozenset({"redshift"})
_EMPTY_OF_PART_ZERO = frozenset({"duckdb"})
_FIRST_OF_PART_ZERO = frozenset({"snowflake"})
_SIGNS_OF_PATTERNS = re.compile(r"[][\\.^$|?*+(){}]")
# where INITCAP begins a word
_WORDS_OF_LETTERS_AND_DIGITS = frozenset({"materialize", "oracle", "postgres", "redshift", "risingwave"})
_WORDS_BETWEEN_SIGNS = frozenset({"bigquery", "snowflake"})
_SIGNS = '!?@"^#$&~_,.:;+-*%/|\\[](){}<>'


@rewrites(exp.Length)
def length(node: exp.Length, dialect: str) -> exp.Expr:
    """`len(x)`, also for lists; MySQL counts bytes. If a list is not recognized, Spark refuses LENGTH."""
    if type_of(node.this) in LISTS:
        return call("ARRAY_SIZE", node.this)
    if dialect in ("tsql", "fabric"):
        # trailing blanks do not count in T-SQL
        return call("LENGTH", call("RTRIM", node.this))
    return call("OCTET_LENGTH", node.this) if dialect == "mysql" and node.args.get("binary") else node


@rewrites(exp.Add)
def concatenation(node: exp.Add, dialect: str) -> exp.Expr:
    """`'a' + b` of T-SQL; Spark's + converts strings to numbers, or NULL."""
    kinds = {type_of(node.this), type_of(node.expression)}
    if dialect not in ("fabric", "tsql"):
        return node
    if kinds & TIMES and kinds & NUMBERS:
        return days_later(node)
    # beside a number, a text is read as one
    if not kinds & TEXTS or kinds & NUMBERS:
        return node
    made = call("CONCAT", node.this, node.expression)
    made.type = exp.DataType(this=exp.DType.TEXT)
    return made


@rewrites(exp.SplitPart)
def split_part(node: exp.SplitPart, dialect: str) -> exp.Expr:
    """`split_part(text, delimiter, n)`: NULL in Trino if there are fewer parts, in Spark an empty string; Spark has no
    part 0, which is the first one in Snowflake.
    """
    index, delimiter = node.args["part_index"], node.args["delimiter"]
    if dialect == "duckdb" and delimiter.is_string and not delimiter.name:
        raise NotInSpark("SPLIT_PART by an empty text has no counterpart in Spark; write substring()", node)
    if isinstance(index, exp.Literal) and index.name == "0":
        if dialect in _EMPTY_OF_PART_ZERO:
            return call("LEFT", node.this, exp.Literal.number(0))
        node.set("part_index", exp.Literal.number(1))
    elif _negative(index) is None and not is_at_least(index, 1):
        if dialect in _EMPTY_OF_PART_ZERO:
            return from_template("IF({1} = 0, LEFT({0}, 0), {2})", node.this, index, node)
        if dialect in _FIRST_OF_PART_ZERO:
            node.set("part_index", from_template("IF({0} = 0, 1, {0})", index))
    if dialect not in TRINO_FAMILY:
        return node
    return call("TRY_ELEMENT_AT", _parts(node.this, delimiter), node.args["part_index"])


@rewrites(exp.StrPosition)
def position(node: exp.StrPosition, dialect: str) -> exp.Expr:
    """`instr(text, part, position)`.

    Raises:
        NotInSpark: it searches backwards.
    """
    if _negative(node.args.get("position")) is not None:
        raise NotInSpark("a search from the end of a text has no counterpart in Spark; write reverse()", node)
    return node


@rewrites(exp.Left, exp.Right)
def end_of_text(node: exp.Left | exp.Right, dialect: str) -> exp.Expr:
    """`left(text, -n)`: all but the last n, and `right(text, -n)`: all but the first n."""
    count = _negative(node.expression)
    if dialect not in _NEGATIVE_LEAVES_OUT or is_at_least(node.expression, 0):
        return node
    if count is None:
        return call(node.key.upper(), node.this, _all_but(node.this, node.expression))
    if isinstance(node, exp.Right):
        return call("SUBSTRING", node.this, exp.Literal.number(count + 1))
    rest = exp.Sub(this=call("LENGTH", node.this), expression=exp.Literal.number(count))
    return call("SUBSTRING", node.this, exp.Literal.number(1), rest)


def _all_but(text: exp.Expr, count: exp.Expr) -> exp.Expr:
    """A number of characters, of which a negative one is left out at the other end."""
    return from_template("IF({1} < 0, LENGTH({0}) + {1}, {1})", text, count)


@rewrites(exp.Substring)
def substring(node: exp.Substring, dialect: str) -> exp.Expr:
    """`substring(text, 0, n)` has n - 1 characters, and `substring(text from pattern)` returns a match."""
    start, length = node.args.get("start"), node.args.get("length")
    if dialect in ("postgres", "redshift") and isinstance(start, exp.Literal) and start.is_string and length is None:
        return found_part(node.this, start, None)
    if start is not None and start.is_string and length is not None:
        raise NotInSpark("SUBSTRING by a pattern of SQL has no counterpart in Spark; write regexp_extract()", node)
    if _negative(length) is not None and dialect == "duckdb":
        raise NotInSpark("a negative length of SUBSTRING counts backwards; write left() or right()", node)
    if (dialect in _ZERO_IS_NOWHERE) and isinstance(start, exp.Literal) and start.name == "0":
        return call("LEFT", node.this, exp.Literal.number(0))
    if (far := _negative(start)) is not None and dialect in _FAR_BEFORE_IS_NOTHING:
        return from_template("IF(LENGTH({0}) < {1}, '', {2})", node.this, exp.Literal.number(far), _plain(node))
    if far is not None and far > 1 and length is not None and dialect in _FAR_BEFORE_IS_THE_START:
        start = from_template("GREATEST(LENGTH({0}) - {1}, 1)", node.this, exp.Literal.number(far - 1))
        return call("SUBSTRING", node.this, start, length)
    if start is not None and far is None and not isinstance(start, exp.Literal) and not is_at_least(start, 1):
        return _from_anywhere(node, dialect)
    before = 1 if isinstance(start, exp.Literal) and start.name == "0" else None
    if before is None and dialect in _NEGATIVE_IS_BEFORE_THE_TEXT and (negative := _negative(start)) is not None:
        before = negative + 1
    if before is None or dialect not in _ZERO_IS_BEFORE_THE_TEXT:
        return node
    one = exp.Literal.number(1)
    if length is None:
        return call("SUBSTRING", node.this, one)
    if length.is_int:
        return call("SUBSTRING", node.this, one, exp.Literal.number(max(int(length.name) - before, 0)))
    return call("SUBSTRING", node.this, one, exp.Sub(this=length.copy(), expression=exp.Literal.number(before)))


def _from_anywhere(node: exp.Substring, dialect: str) -> exp.Expr:
    """`substring(text, strpos(text, ','), 2)`, whose start may be 0, or less."""
    text, start, length = node.this, node.args["start"], node.args.get("length")
    shorter = None if length is None else _less_one(length)
    if dialect in _NEGATIVE_IS_BEFORE_THE_TEXT:
        first = from_template("IF({0} < 1, 1, {0})", start)
        if length is None or shorter is None:
            return call("SUBSTRING", text, first)
        return call("SUBSTRING", text, first, from_template("IF({0} < 1, {0} + {1}, {2})", start, shorter, length))
    if dialect in _ZERO_IS_BEFORE_THE_TEXT and length is not None and shorter is not None:
        return call("SUBSTRING", text, start, from_template("IF({0} = 0, {1}, {2})", start, shorter, length))
    nowhere = [template for template, dialects in _NOWHERE.items() if dialect in dialects]
    if is_at_least(start, 0):
        nowhere = [template for template in nowhere if "LENGTH" not in template]
    if not nowhere:
        return node
    return from_template(f"IF({' OR '.join(nowhere)}, LEFT({{0}}, 0), {{2}})", text, start, _plain(node))


def _less_one(length: exp.Expr) -> exp.Expr:
    if isinstance(length, exp.Literal) and length.is_int:
        return exp.Literal.number(max(int(length.name) - 1, 0))
    return exp.Sub(this=length.copy(), expression=exp.Literal.number(1))


def _plain(node: exp.Substring) -> exp.Expr:
    return call("SUBSTRING", node.this, *(node.args[part] for part in ("start", "length") if node.args.get(part)))


@rewrites(exp.Split)
def split_by_text(node: exp.Split, dialect: str) -> exp.Expr:
    """`split(text, delimiter)`: Spark's is a pattern, and without one makes an empty text of the end."""
    delimiter = node.expression
    if not isinstance(delimiter, exp.Literal) or not delimiter.is_string or node.args.get("limit") is not None:
        return node
    if not delimiter.name:
        is_whole = node.args.get("empty_delimiter_returns_whole")
        template = "IF({0} IS NULL, NULL, ARRAY({0}))" if is_whole else "FILTER(SPLIT({0}, ''), part -> part <> '')"
        made = from_template(template, node.this)
        if dialect == "bigquery":
            made = from_template("IF({0} = '', ARRAY(''), {1})", node.this, made)
    else:
        made = _parts(node.this, delimiter)
    made.type = exp.DataType(this=exp.DType.ARRAY)
    return made


def _parts(text: exp.Expr, delimiter: exp.Expr) -> exp.Expr:
    """A text split by a delimiter, which is a pattern for Spark."""
    if not delimiter.is_string:
        return exp.Split(this=text.copy(), expression=delimiter.copy())
    return call("SPLIT", text, exp.Literal.string(_SIGNS_OF_PATTERNS.sub(r"\\\g<0>", delimiter.name)))


@rewrites(exp.Concat)
def together(node: exp.Concat, dialect: str) -> exp.Expr:
    """`concat(a, b)` that leaves NULL out; COALESCE with a text would make a number of it in ANSI mode."""
    if dialect == "duckdb" and any(type_of(value) in LISTS for value in node.expressions):
        return call("CONCAT", *(from_template("COALESCE({0}, ARRAY())", value) for value in node.expressions))
    if not node.args.get("coalesce") or dialect in _NULL_MAKES_NULL:
        node.set("coalesce", False)
        return node
    if all(_is_text_for_sure(value) for value in node.expressions):
        node.set("coalesce", False)
        return node
    return call("CONCAT_WS", exp.Literal.string(""), *(_word(value, dialect) for value in node.expressions))


@rewrites(exp.ConcatWs)
def separated(node: exp.ConcatWs, dialect: str) -> exp.Expr:
    """`concat_ws(',', a, true)`."""
    node.set("expressions", [node.expressions[0], *(_word(value, dialect) for value in node.expressions[1:])])
    return node


def _is_text_for_sure(value: exp.Expr) -> bool:
    """Whether it is a text, and never NULL: a literal, or COALESCE of a text with one."""
    if isinstance(value, exp.Coalesce):
        return type_of(value.this) in TEXTS and bool(value.expressions) and _is_text_for_sure(value.expressions[-1])
    return value.is_string


def _word(value: exp.Expr, dialect: str) -> exp.Expr:
    is_letter = dialect == "postgres" and type_of(value) is exp.DType.BOOLEAN
    if dialect in BITS_ARE_NUMBERS and type_of(value) is exp.DType.BOOLEAN:
        return exp.cast(value, "int")
    return from_template("CASE {0} WHEN TRUE THEN 't' WHEN FALSE THEN 'f' END", value) if is_letter else value


@rewrites(exp.StringToArray)
def split(node: exp.StringToArray, dialect: str) -> exp.Expr:
    """`string_to_array(text, delimiter)`: empty for an empty string.

    Raises:
        NotInSpark: it converts a string to NULL.
    """
    if isinstance(node.expression, exp.Null) or node.args.get("null") is not None or not node.expression.name:
        raise NotInSpark("this form of STRING_TO_ARRAY has no counterpart in Spark; write split()", node)
    parts = _parts(node.this, node.expression)
    is_empty = exp.EQ(this=node.this.copy(), expression=exp.Literal.string(""))
    return exp.If(this=is_empty, true=exp.Array(), false=parts)


@rewrites(exp.Chr)
def character(node: exp.Chr, dialect: str) -> exp.Expr:
    """`chr(n)`: Spark only has 256 characters, and takes n modulo 256."""
    code = node.expressions[0] if len(node.expressions) == 1 else None
    if code is None or dialect in _CHARACTERS_OF_A_PAGE:
        return node
    return _of_code(code)


@rewrites("NCHAR", dialects=_CHARACTERS_OF_A_PAGE)
def unicode_character(node: exp.Anonymous, dialect: str) -> exp.Expr:
    """`nchar(n)`."""
    return _of_code(node.expressions[0]) if len(node.expressions) == 1 else node


def _of_code(code: exp.Expr) -> exp.Expr:
    if isinstance(code, exp.Literal) and code.is_int:
        number = int(code.name)
        return call("CHR", code) if number < _ASCII else exp.Literal.string(chr(number))
    return from_template("DECODE(UNHEX(LPAD(HEX({0}), 8, '0')), 'UTF-32')", exp.cast(code, "int"))


@rewrites(exp.Ascii, exp.Unicode, dialects=_CHARACTERS_OF_A_PAGE)
def code_or_null(node: exp.Ascii | exp.Unicode, dialect: str) -> exp.Expr:
    """`ascii(text)`, NULL of an empty one."""
    return from_template("NULLIF(ASCII({0}), 0)", node.this)


@rewrites(exp.Stuff)
def stuffed(node: exp.Stuff, dialect: str) -> exp.Expr:
    """`stuff(text, start, length, replacement)`: beyond the end it is NULL in T-SQL, and the text in MySQL."""
    made = exp.Overlay(
        this=node.this.copy(),
        expression=node.expression.copy(),
        from_=node.args["start"].copy(),
        for_=node.args["length"].copy(),
    )
    if dialect not in _CHARACTERS_OF_A_PAGE | {"mysql"}:
        return made
    beyond = node.this if dialect == "mysql" else exp.null()
    return from_template("IF({0} > LENGTH({1}), {2}, {3})", node.args["start"], node.this, beyond, made)


@rewrites(exp.Initcap)
def capitalized(node: exp.Initcap, dialect: str) -> exp.Expr:
    """`initcap(text)` begins a word behind signs; Spark's behind blanks only, so that it takes the words one by one.

    Raises:
        NotInSpark: where words begin is not known.
    """
    signs = node.args.get("expression")
    if isinstance(signs, exp.Literal) and signs.name == dialect_of(dialect).INITCAP_DEFAULT_DELIMITER_CHARS:
        # sqlglot fills in what it takes for the dialect's own
        signs = None
    if signs is None and dialect in _WORDS_OF_LETTERS_AND_DIGITS:
        ends = r"[^\p{L}\p{N}]"
    elif isinstance(signs, exp.Literal) or (signs is None and dialect in _WORDS_BETWEEN_SIGNS):
        ends = "[" + (r"\s" if signs is None else "") + _escaped(_SIGNS if signs is None else signs.name) + "]"
    else:
        raise NotInSpark(f"where words of INITCAP begin in {dialect} is not known; write upper() and lower()", node)
    if ends == "[]":
        return from_template("CONCAT(UPPER(LEFT({0}, 1)), LOWER(SUBSTRING({0}, 2)))", node.this)
    words = call("SPLIT", node.this, exp.Literal.string(f"(?<={ends})"))
    return from_template(
        "ARRAY_JOIN(TRANSFORM({0}, word -> CONCAT(UPPER(LEFT(word, 1)), LOWER(SUBSTRING(word, 2)))), '')", words
    )


def _escaped(signs: str) -> str:
    """Signs as they stand in brackets of a pattern."""
    return "".join(f"\\{sign}" if sign in "\\[]^-&" else sign for sign in signs)


def _negative(count: exp.Expr | None) -> int | None:
    """What stands behind the minus of a number."""
    number = whole(count)
    return -number if number is not None and number < 0 else None

"""Strings and substrings: dialects differ on zero and negative positions."""

from __future__ import annotations

from sqlglot import exp

from dbt_kinds.translation.calls import call
from dbt_kinds.translation.dialects import TRINO_FAMILY
from dbt_kinds.translation.not_in_spark import NotInSpark
from dbt_kinds.translation.patterns import found_part
from dbt_kinds.translation.renamed import from_template
from dbt_kinds.translation.value_types import LISTS, TEXTS, type_of

_NEGATIVE_LEAVES_OUT = frozenset({"duckdb", "postgres"})
_NEGATIVE_IS_BEFORE_THE_TEXT = frozenset({"postgres", "redshift"})
_ASCII = 128
_ZERO_IS_BEFORE_THE_TEXT = frozenset({"duckdb", "postgres", "redshift"})


def length(node: exp.Length, dialect: str) -> exp.Expr:
    """`len(x)`, also for lists; MySQL counts bytes. If a list is not recognized, Spark refuses LENGTH."""
    if type_of(node.this) in LISTS:
        return call("ARRAY_SIZE", node.this)
    if dialect in ("tsql", "fabric"):
        # trailing blanks do not count in T-SQL
        return call("LENGTH", call("RTRIM", node.this))
    return call("OCTET_LENGTH", node.this) if dialect == "mysql" and node.args.get("binary") else node


def concatenation(node: exp.Add, dialect: str) -> exp.Expr:
    """`'a' + b` of T-SQL; Spark's + converts strings to numbers, or NULL."""
    if dialect != "tsql" or not {type_of(node.this), type_of(node.expression)} & TEXTS:
        return node
    made = call("CONCAT", node.this, node.expression)
    made.type = exp.DataType(this=exp.DType.TEXT)
    return made


def split_part(node: exp.SplitPart, dialect: str) -> exp.Expr:
    """`split_part(text, delimiter, n)` of Trino: NULL if there are fewer parts, in Spark an empty string."""
    if dialect not in TRINO_FAMILY:
        return node
    parts = exp.Split(this=node.this.copy(), expression=node.args["delimiter"].copy())
    return call("TRY_ELEMENT_AT", parts, node.args["part_index"])


def left(node: exp.Left, dialect: str) -> exp.Expr:
    """`left(text, -n)`: all but the last n."""
    count = _negative(node.expression)
    if count is None or dialect not in _NEGATIVE_LEAVES_OUT:
        return node
    rest = exp.Sub(this=call("LENGTH", node.this), expression=exp.Literal.number(count))
    return call("SUBSTRING", node.this, exp.Literal.number(1), rest)


def right(node: exp.Right, dialect: str) -> exp.Expr:
    """`right(text, -n)`: all but the first n."""
    count = _negative(node.expression)
    if count is None or dialect not in _NEGATIVE_LEAVES_OUT:
        return node
    return call("SUBSTRING", node.this, exp.Literal.number(count + 1))


def substring(node: exp.Substring, dialect: str) -> exp.Expr:
    """`substring(text, 0, n)` has n - 1 characters, and `substring(text from pattern)` returns a match."""
    start, length = node.args.get("start"), node.args.get("length")
    if dialect in ("postgres", "redshift") and isinstance(start, exp.Literal) and start.is_string and length is None:
        return found_part(node.this, start, None)
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


def split(node: exp.StringToArray, dialect: str) -> exp.Expr:
    """`string_to_array(text, delimiter)`: empty for an empty string.

    Raises:
        NotInSpark: it converts a string to NULL.
    """
    if node.args.get("null") is not None or not node.expression.name:
        raise NotInSpark("this form of STRING_TO_ARRAY has no counterpart in Spark; write split()", node)
    parts = exp.Split(this=node.this.copy(), expression=node.expression.copy())
    is_empty = exp.EQ(this=node.this.copy(), expression=exp.Literal.string(""))
    return exp.If(this=is_empty, true=exp.Array(), false=parts)


def character(node: exp.Chr, dialect: str) -> exp.Expr:
    """`chr(n)`: Spark only has 256 characters, and takes n modulo 256."""
    code = node.expressions[0] if len(node.expressions) == 1 else None
    if code is None or dialect in ("tsql", "fabric"):
        return node
    if isinstance(code, exp.Literal) and code.is_int:
        number = int(code.name)
        return call("CHR", code) if number < _ASCII else exp.Literal.string(chr(number))
    return from_template("DECODE(UNHEX(LPAD(HEX({0}), 8, '0')), 'UTF-32')", exp.cast(code, "int"))


def stuffed(node: exp.Stuff, dialect: str) -> exp.Expr:
    """`stuff(text, start, length, replacement)`."""
    return exp.Overlay(
        this=node.this.copy(),
        expression=node.expression.copy(),
        from_=node.args["start"].copy(),
        for_=node.args["length"].copy(),
    )


def capitalized(node: exp.Initcap, dialect: str) -> exp.Expr:
    """Spark's INITCAP only begins a word after a space.

    Raises:
        NotInSpark: words begin elsewhere in every other dialect.
    """
    message = (
        f"INITCAP of {dialect} begins words after any sign, Spark's after blanks; write concat(upper(…), lower(…))"
    )
    raise NotInSpark(message, node)


def _negative(count: exp.Expr | None) -> int | None:
    if not isinstance(count, exp.Neg) or not isinstance(count.this, exp.Literal) or not count.this.is_int:
        return None
    return int(count.this.name)

"""Digests, and binary values as strings: in some dialects digests are binary, in Spark hexadecimal strings."""

from __future__ import annotations

import re

from sqlglot import exp
from sqlglot.dialects.tsql import TSQL

from dbt_kinds.translation.bytes_and_texts import digits_of_bytes, is_bytes
from dbt_kinds.translation.calls import call
from dbt_kinds.translation.casts import cast
from dbt_kinds.translation.not_in_spark import NotInSpark
from dbt_kinds.translation.rewrites import rewrites
from dbt_kinds.translation.time_formats import spark_pattern
from dbt_kinds.translation.value_types import NUMBERS, TEXTS, type_of

_DIGESTS_ARE_BYTES = frozenset({"athena", "fabric", "presto", "trino", "tsql"})
_CODES = frozenset({"hex", "base64"})
_BREAKS_LINES = frozenset({"mysql", "postgres"})
_LONG_DIGESTS = frozenset({"384", "512"})
_BITS_OF_SHA2 = frozenset({0, 224, 256, 384, 512})
_MD5, _SHA1 = "MD5", "SHA1"
# sqlglot's own, of which some are no formats of strftime
_FORMATS_OF_STYLES = {
    **TSQL.CONVERT_FORMAT_MAPPING,
    **{"10": "%m-%d-%y", "11": "%y/%m/%d", "12": "%y%m%d", "13": "%d %b %Y %H:%M:%S:%f"},
}
_ISO_STYLES = frozenset({"20", "21", "23", "25", "120", "121", "126", "127"})
_PADDED_STYLES = frozenset({"0", "9", "100", "109"})
# what a style writes behind the date
_TIME_OF_STYLE = re.compile(r"[ T]%-?[HI].*$")


@rewrites(exp.MD5, exp.SHA, exp.SHA2)
def text_digest(node: exp.MD5 | exp.SHA | exp.SHA2, dialect: str) -> exp.Expr:
    """A digest that sqlglot takes to be a string; Trino's sha1() and T-SQL's HASHBYTES are binary."""
    made = _digits(node)
    return call("UNHEX", made) if dialect in _DIGESTS_ARE_BYTES else made


@rewrites(exp.MD5Digest, exp.SHA1Digest, exp.SHA2Digest)
def digest(node: exp.Expr, dialect: str) -> exp.Expr:
    """A binary digest."""
    return call("UNHEX", _digits(node))


@rewrites(exp.Hex, exp.LowerHex)
def hexadecimal(node: exp.Hex | exp.LowerHex, dialect: str) -> exp.Expr:
    """Bytes as hexadecimal digits: for a digest, Spark's own result."""
    digits = digits_of_bytes(node.this)
    if digits is not None:
        return digits if isinstance(node, exp.LowerHex) else call("UPPER", digits)
    # sqlglot only knows that Redshift's are lower case
    return exp.LowerHex(this=node.this.copy()) if dialect == "postgres" else node


@rewrites(exp.Encode)
def encoded(node: exp.Encode, dialect: str) -> exp.Expr:
    """`encode(bytes, 'hex')` of Postgres returns a string, whereas Spark's ENCODE turns a string into bytes.

    Raises:
        NotInSpark: it uses a different encoding.
    """
    charset = node.args.get("charset")
    code = _code(charset, node)
    if code is None:
        return node
    if code == "hex":
        return hexadecimal(exp.LowerHex(this=node.this.copy()), dialect)
    return in_lines(node.this, dialect)


@rewrites(exp.ToBase64)
def based_on_64(node: exp.ToBase64, dialect: str) -> exp.Expr:
    """`to_base64(bytes)`."""
    return in_lines(node.this, dialect)


def in_lines(value: exp.Expr, dialect: str) -> exp.Expr:
    """Bytes as base64: Spark 3.5 wraps lines at 76 characters with CR LF, Postgres with LF, most others not at all."""
    made = call("BASE64", value.copy())
    digits = digits_of_bytes(value)
    if digits is not None and not (digits.name == "SHA2" and digits.expressions[1].name in _LONG_DIGESTS):
        return made
    end = exp.Literal.string("\n" if dialect in _BREAKS_LINES else "")
    return call("REPLACE", made, exp.Literal.string("\r\n"), end)


@rewrites(exp.Decode)
def decoded(node: exp.Decode, dialect: str) -> exp.Expr:
    """`decode(text, 'hex')` of Postgres returns bytes.

    Raises:
        NotInSpark: it uses a different encoding.
    """
    code = _code(node.args.get("charset"), node)
    if code is None:
        return node
    return call("UNHEX" if code == "hex" else "UNBASE64", node.this)


@rewrites(exp.Convert)
def converted(node: exp.Convert, dialect: str) -> exp.Expr:
    """`CONVERT(VARCHAR(n), value, style)` of T-SQL: for bytes, style 2 gives the digits, style 1 prefixes them with 0x.

    Raises:
        NotInSpark: bytes are reinterpreted as characters.
    """
    style, to, value = node.args.get("style"), node.this, node.expression
    if not isinstance(to, exp.DataType) or not isinstance(value, exp.Expr):
        return node
    if style is None:
        return cast(_cast(node, value, to), dialect)
    if to.this not in TEXTS:
        # what these write, Spark reads by itself
        if style.name in _ISO_STYLES:
            return cast(_cast(node, value, to), dialect)
        if _FORMATS_OF_STYLES.get(style.name) != TSQL.CONVERT_FORMAT_MAPPING.get(style.name):
            raise NotInSpark(f"style {style.name} of CONVERT has no counterpart in Spark; write to_date()", node)
        return node
    whole = _digits_in_style(value, style.name, node, dialect) if is_bytes(value) else _time_in_style(node, dialect)
    if not to.expressions and not is_bytes(value):
        return whole
    length = to.expressions[0].name if to.expressions else "30"
    longest = _count_of_digits(value) + (2 if style.name == "1" else 0)
    is_short = not length.isdigit() or (is_bytes(value) and longest <= int(length))
    return whole if is_short else call("LEFT", whole, exp.Literal.number(int(length)))


def plain_cast(node: exp.Expr) -> exp.Cast | None:
    """`convert(type, value)` without a style as the cast that it is."""
    is_plain = isinstance(node, exp.Convert) and node.args.get("style") is None and isinstance(node.this, exp.DataType)
    return _cast(node, node.expression.copy(), node.this.copy()) if is_plain else None


def _cast(node: exp.Expr, value: exp.Expr, to: exp.DataType) -> exp.Cast:
    return exp.TryCast(this=value, to=to, safe=True) if node.args.get("safe") else exp.Cast(this=value, to=to)


def is_padded(node: exp.Convert) -> bool:
    """Whether a style fills days and hours of one digit up with blanks."""
    return isinstance(node.this, exp.DataType) and node.this.this in TEXTS and _style(node) in _PADDED_STYLES


def _style(node: exp.Convert) -> str:
    style = node.args.get("style")
    return style.name if isinstance(style, exp.Literal) else ""


def may_write_midnight(node: exp.Convert) -> bool:
    """Whether a style writes a time of day behind what may be a date, and the length leaves it there."""
    strftime, to = _FORMATS_OF_STYLES.get(_style(node), ""), node.this
    date = _TIME_OF_STYLE.sub("", strftime)
    length = to.expressions[0].name if isinstance(to, exp.DataType) and to.expressions else ""
    is_cut = length.isdigit() and int(length) <= len("2024-01-31")
    return date != strftime and not is_cut and type_of(node.expression) is None


def _time_in_style(node: exp.Convert, dialect: str) -> exp.Expr:
    """The text of a time; of a date without the time."""
    value, style = node.expression, node.args["style"]
    strftime = _FORMATS_OF_STYLES.get(style.name)
    if strftime is None or type_of(value) in NUMBERS:
        raise NotInSpark(f"style {style.name} of CONVERT has no counterpart in Spark; write date_format()", node)
    if type_of(value) is exp.DType.DATE:
        strftime = _TIME_OF_STYLE.sub("", strftime)
    pattern = exp.Literal.string(spark_pattern(strftime.replace("%f", "%f_three")))
    return call("DATE_FORMAT", value, pattern)


def _digits_in_style(value: exp.Expr, style: str, node: exp.Expr, dialect: str) -> exp.Expr:
    if style not in ("1", "2"):
        raise NotInSpark("CONVERT of bytes to the characters that they are; write CONVERT(…, 2) for digits", node)
    digits = hexadecimal(exp.Hex(this=value.copy()), dialect)
    return digits if style == "2" else exp.Concat(expressions=[exp.Literal.string("0x"), digits])


def _count_of_digits(value: exp.Expr) -> int:
    """The number of digits of a digest; unknown for other bytes."""
    digits = digits_of_bytes(value)
    if not isinstance(digits, exp.Anonymous):
        return 2**31
    if digits.name == "SHA2":
        return int(digits.expressions[1].name or 256) // 4
    return 32 if digits.name == _MD5 else 40


def _digits(node: exp.Expr) -> exp.Expr:
    if isinstance(node, exp.MD5 | exp.MD5Digest):
        return call(_MD5, node.this)
    if isinstance(node, exp.SHA | exp.SHA1Digest):
        return call(_SHA1, node.this)
    length = node.args.get("length") or exp.Literal.number(256)
    if isinstance(length, exp.Literal) and (not length.is_int or int(length.name) not in _BITS_OF_SHA2):
        raise NotInSpark(f"SHA-2 of {length.name} bits has no counterpart in Spark", node)
    return call("SHA2", node.this, length)


def _code(charset: object, node: exp.Expr) -> str | None:
    if not isinstance(charset, exp.Literal):
        return None
    code = charset.name.lower()
    if code == "escape":
        raise NotInSpark(f"'{code}' of {node.key.upper()} has no counterpart in Spark; write hex or base64", node)
    return code if code in _CODES else None

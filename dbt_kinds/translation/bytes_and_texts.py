"""Bytes as texts and texts as bytes: Spark reads and writes UTF-8, others digits, escapes or a code page."""

from __future__ import annotations

from sqlglot import exp

from dbt_kinds.translation.calls import call
from dbt_kinds.translation.not_in_spark import NotInSpark
from dbt_kinds.translation.value_types import BYTES, TEXTS, type_of

# a text that becomes bytes has escapes in these
READS_ESCAPES = frozenset({"duckdb", "postgres"})
HAS_CODE_PAGES = frozenset({"tsql"})
_DIGESTS = frozenset({"MD5", "SHA1", "SHA2"})
_MAKE_BYTES = (exp.FromBase64, exp.MD5Digest, exp.SHA1Digest, exp.SHA2Digest, exp.ToBinary, exp.Unhex)
# ... and Spark's, after they are rewritten
_ARE_WRITTEN = frozenset({"TRY_TO_BINARY", "UNBASE64", "UNHEX"})


def is_bytes(node: exp.Expr, dialect: str = "") -> bool:
    """Whether a value is known to be bytes, before or after it is rewritten."""
    inner = node.unnest()
    if isinstance(inner, exp.Anonymous) and inner.name.upper() in _ARE_WRITTEN:
        return True
    if isinstance(inner, exp.Encode):
        return dialect == "duckdb"
    return isinstance(inner, _MAKE_BYTES) or type_of(inner) in BYTES


def digits_of_bytes(node: exp.Expr) -> exp.Expr | None:
    """The hexadecimal digits from which a digest is made."""
    inner = node.unnest()
    if isinstance(inner, exp.Anonymous) and inner.name == "UNHEX" and len(inner.expressions) == 1:
        digits = inner.expressions[0]
        if isinstance(digits, exp.Anonymous) and digits.name in _DIGESTS:
            return digits.copy()
    return None


def bytes_as_text(value: exp.Expr, node: exp.Expr, dialect: str) -> exp.Expr | None:
    """What a cast of bytes to a text reads in Spark; None if it may stay.

    Raises:
        NotInSpark: the bytes of a digest are taken for characters.
    """
    digits = digits_of_bytes(value)
    if dialect == "postgres":
        return exp.Concat(expressions=[exp.Literal.string("\\x"), digits or call("LOWER", call("HEX", value.copy()))])
    if dialect == "snowflake":
        return call("UPPER", digits) if digits is not None else call("HEX", value.copy())
    if dialect in HAS_CODE_PAGES and digits is not None:
        raise NotInSpark("a digest as the characters that its bytes are; write CONVERT(…, 2) for digits", node)
    return None


def text_as_bytes(node: exp.Cast, dialect: str) -> exp.Expr | None:
    """What a cast of a text to bytes is in Spark; None if it may stay. Snowflake reads hexadecimal digits."""
    is_text = type_of(node.this) in TEXTS or (type_of(node.this) is None and isinstance(node, exp.TryCast))
    return call("UNHEX", node.this.copy()) if dialect == "snowflake" and is_text else None

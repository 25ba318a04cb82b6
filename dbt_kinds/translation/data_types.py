"""Types in Spark's spelling, and casts to types with a length or size."""

from __future__ import annotations

import re

from sqlglot import exp

from dbt_kinds.translation.calls import call
from dbt_kinds.translation.decimals import bound_decimals
from dbt_kinds.translation.not_in_spark import NotInSpark
from dbt_kinds.translation.value_types import DECIMALS, DOUBLES, INTEGERS, type_of

_D = exp.DType
# numbers of other sizes become the next type that holds all of them
_NUMBERS: dict[exp.DType, tuple[exp.DType, tuple[int, ...]]] = {
    _D.MEDIUMINT: (_D.INT, ()),
    _D.UTINYINT: (_D.SMALLINT, ()),
    _D.USMALLINT: (_D.INT, ()),
    _D.UMEDIUMINT: (_D.INT, ()),
    _D.UINT: (_D.BIGINT, ()),
    _D.UBIGINT: (_D.DECIMAL, (20, 0)),
    _D.INT128: (_D.DECIMAL, (38, 0)),
    _D.UINT128: (_D.DECIMAL, (38, 0)),
    _D.SERIAL: (_D.INT, ()),
    _D.SMALLSERIAL: (_D.SMALLINT, ()),
    _D.BIGSERIAL: (_D.BIGINT, ()),
    _D.YEAR: (_D.INT, ()),
    _D.MONEY: (_D.DECIMAL, (19, 4)),
    _D.SMALLMONEY: (_D.DECIMAL, (10, 4)),
}
_TEXTS = frozenset({_D.LONGTEXT, _D.MEDIUMTEXT, _D.TINYTEXT, _D.NAME, _D.BPCHAR})
# the Spark type of a column declared with such a type
_DECLARED_AS_TEXT = frozenset(
    {
        *(_D.JSON, _D.JSONB, _D.XML, _D.UUID, _D.INET, _D.IPADDRESS, _D.IPV4, _D.IPV6, _D.ENUM, _D.ENUM8, _D.ENUM16),
        *(_D.SET, _D.TIME, _D.TIMETZ, _D.VARIANT, _D.SUPER, _D.OBJECT, _D.HSTORE),
    }
)
_SPARKS = frozenset(
    {
        *(_D.BIGINT, _D.BINARY, _D.BOOLEAN, _D.CHAR, _D.DATE, _D.DATETIME, _D.DATETIME2, _D.DECIMAL, _D.DOUBLE),
        *(_D.FLOAT, _D.INT, _D.MAP, _D.NCHAR, _D.NVARCHAR, _D.ROWVERSION, _D.SMALLDATETIME, _D.SMALLINT, _D.STRUCT),
        *(_D.TEXT, _D.TIMESTAMP, _D.TIMESTAMPLTZ, _D.TIMESTAMPNTZ, _D.TIMESTAMPTZ, _D.TINYINT, _D.VARBINARY),
        *(_D.VARCHAR, _D.ARRAY, _D.BLOB, _D.LIST, _D.INTERVAL, _D.TIMESTAMP_S, _D.TIMESTAMP_MS, _D.TIMESTAMP_NS),
    }
)
# FLOAT has 8 bytes in these dialects; sqlglot reads REAL as the same type
_FLOAT_IS_DOUBLE = frozenset({"exasol", "fabric", "oracle", "snowflake", "sqlite", "teradata", "tsql"})
_ALL_FLOATS_ARE_DOUBLE = frozenset({"snowflake", "sqlite", "teradata"})
_DIGITS_OF_FLOAT = 24
# INT and SMALLINT are other names of the integer of 8 bytes, or of more digits
_INTEGERS_ARE_LONG = frozenset({"bigquery", "snowflake", "sqlite"})
_MONEY_HAS_CENTS = frozenset({"materialize", "postgres", "risingwave"})
# a cast to a string type with a length truncates
_CUTS_TEXTS = frozenset({"athena", "fabric", "mysql", "postgres", "presto", "redshift", "snowflake", "trino", "tsql"})
_SIZED_TEXTS = frozenset({_D.CHAR, _D.NCHAR, _D.VARCHAR, _D.NVARCHAR})
_BITS_ARE_STRINGS = frozenset({"duckdb", "materialize", "postgres", "risingwave"})
_PADS_BINARY = frozenset({"fabric", "mysql", "tsql"})
_LENGTH_OF_TEXT_IN_CASTS = {"fabric": 30, "tsql": 30}


def spell_types(tree: exp.Expr, dialect: str) -> None:
    """Rewrites every type of a tree with its name and precision in Spark.

    Raises:
        NotInSpark: a decimal has more than 38 digits.
    """
    for kind in list(tree.find_all(exp.DataType)):
        _spell(kind, dialect)
    bound_decimals(tree, dialect)


def in_dialect(kind: exp.DataType, dialect: str) -> exp.DataType:
    """A Spark type in another dialect: a FLOAT of 4 bytes is FLOAT(24) where plain FLOAT has 8."""
    if dialect in _FLOAT_IS_DOUBLE and kind.this is _D.FLOAT:
        _become(kind, _D.FLOAT, _DIGITS_OF_FLOAT)
    return kind


def declared_type(kind: exp.DataType, dialect: str) -> str:
    """The Spark type of a declared column, in lower case; a string where Spark has nothing better.

    Raises:
        NotInSpark: Spark has no equivalent.
    """
    spell_types(kind, dialect)
    for part in kind.find_all(exp.DataType):
        if part.this in _DECLARED_AS_TEXT:
            _become(part, _D.TEXT)
        elif part.this in (_D.BINARY, _D.VARBINARY, _D.BLOB):
            _become(part, _D.BINARY)
        elif isinstance(part.this, exp.DType) and part.this not in _SPARKS:
            raise NotInSpark(f"the type {part.sql(dialect=dialect)} has no counterpart in Spark", part)
    return str(kind.sql(dialect="spark")).lower()


def sized(node: exp.Cast, dialect: str) -> exp.Expr:
    """A cast to a string or binary with a length: Spark's VARCHAR(n) keeps all characters, its BINARY has no length."""
    kind = node.to.this
    if kind in (_D.BINARY, _D.VARBINARY):
        return _sized_bytes(node, dialect)
    if kind not in _SIZED_TEXTS or dialect not in _CUTS_TEXTS:
        return node
    length = _length(node.to)
    if length is None and not node.to.expressions:
        length = _LENGTH_OF_TEXT_IN_CASTS.get(dialect, 1 if kind is _D.CHAR and dialect != "mysql" else None)
    if length is None:
        return node
    text = _cast(node, _D.TEXT)
    if _is_short(node.this, length):
        return text
    made = call("LEFT", text, exp.Literal.number(length))
    made.type = exp.DataType(this=_D.TEXT)
    return made


def _sized_bytes(node: exp.Cast, dialect: str) -> exp.Expr:
    length = _length(node.to)
    if length is None:
        written = _written_bytes(node.this, dialect)
        _become(node.to, _D.BINARY)
        return written if written is not None else node
    pads = node.to.this is _D.BINARY and dialect in _PADS_BINARY
    made = _cast(node, _D.BINARY)
    if type_of(node.this) in INTEGERS | DECIMALS | DOUBLES and dialect in _PADS_BINARY:
        raise NotInSpark("a number as bytes has no counterpart in Spark; cast it to a text first", node)
    if pads:
        return call("RPAD", made, exp.Literal.number(length), exp.HexString(this="00"))
    if dialect in _PADS_BINARY:
        return call("SUBSTRING", made, exp.Literal.number(1), exp.Literal.number(length))
    return made


def _written_bytes(value: exp.Expr, dialect: str) -> exp.Expr | None:
    """Bytes written as escapes in a string: `\\xAA\\xBB` in DuckDB, `\\xAABB` in Postgres."""
    text = value.unnest()
    if not isinstance(text, exp.Literal) or not text.is_string or "\\x" not in text.name:
        return None
    if dialect == "duckdb":
        parts = re.split(r"\\x([0-9a-fA-F]{2})", text.name)
        digits = [part if number % 2 else part.encode().hex() for number, part in enumerate(parts)]
        return exp.HexString(this="".join(digits).upper())
    is_hexadecimal = dialect in ("postgres", "redshift") and text.name.startswith("\\x")
    return exp.HexString(this=text.name[2:].upper()) if is_hexadecimal else None


def _cast(node: exp.Cast, kind: exp.DType) -> exp.Expr:
    return type(node)(this=node.this.copy(), to=exp.DataType(this=kind))


def _length(kind: exp.DataType) -> int | None:
    name = kind.expressions[0].name if kind.expressions else ""
    return int(name) if name.isdigit() else None


def _is_short(value: exp.Expr, length: int) -> bool:
    """Whether a value is known to have at most that many characters."""
    inner = value.unnest()
    if isinstance(inner, exp.Null):
        return True
    if isinstance(inner, exp.Literal) and inner.is_string:
        return len(inner.name) <= length
    kind = type_of(inner)
    if kind is _D.DATE:
        return length >= len("2024-01-01")
    return kind in INTEGERS and length >= len(str(-(2**63)))


def _spell(kind: exp.DataType, dialect: str) -> None:
    name = kind.this
    if name in INTEGERS and dialect in _INTEGERS_ARE_LONG and name not in _NUMBERS:
        _become(kind, _D.BIGINT)
    elif name in _NUMBERS:
        number, digits = _NUMBERS[name]
        if name is _D.MONEY and dialect in _MONEY_HAS_CENTS:
            digits = (19, 2)
        _become(kind, number, *digits)
    elif name in (_D.FLOAT, _D.DOUBLE):
        _become(kind, _float(kind, dialect))
    elif name in INTEGERS and kind.expressions:
        # a display width of the client
        _become(kind, name)
    elif name is _D.BIT and dialect in _BITS_ARE_STRINGS:
        raise NotInSpark(f"strings of bits of {dialect} have no counterpart in Spark", kind)
    elif name in _TEXTS:
        _become(kind, _D.TEXT)


def _float(kind: exp.DataType, dialect: str) -> exp.DType:
    digits = _length(kind)
    if dialect in _ALL_FLOATS_ARE_DOUBLE or (kind.this is _D.DOUBLE and digits is None):
        return _D.DOUBLE
    if digits is None:
        return _D.DOUBLE if dialect in _FLOAT_IS_DOUBLE else _D.FLOAT
    is_oracle = dialect == "oracle"
    return _D.DOUBLE if digits > _DIGITS_OF_FLOAT or is_oracle else _D.FLOAT


def _become(kind: exp.DataType, name: exp.DType, *digits: int) -> None:
    kind.set("this", name)
    kind.set("expressions", [exp.DataTypeParam(this=exp.Literal.number(digit)) for digit in digits])

"""Elements, slices and lengths of lists and strings: Spark counts from 0, and has no bracket slices."""

from __future__ import annotations

from sqlglot import exp

from dbt_kinds.translation.calls import call
from dbt_kinds.translation.dialects import TRINO_FAMILY, dialect_of
from dbt_kinds.translation.jsons import step
from dbt_kinds.translation.least_values import is_at_least
from dbt_kinds.translation.literals import whole
from dbt_kinds.translation.not_in_spark import NotInSpark
from dbt_kinds.translation.renamed import from_template
from dbt_kinds.translation.rewrites import rewrites
from dbt_kinds.translation.value_types import INTEGERS, LISTS, TEXTS, type_of

_SHIFTED = "was_shifted"
# no list is longer
_LONGEST = 2**31
# what is a BIGINT in Spark, too, if it is one
_LONG = (exp.Cast, exp.Column, exp.Count, exp.Sum)
MAY_BE_JSON = TEXTS | {None, exp.DType.VARIANT, exp.DType.OBJECT, exp.DType.JSON}


def remember_shifts(tree: exp.Expr) -> None:
    """Marks the subscripts that sqlglot's parser has decremented: those on values it did not take to be strings or
    maps.
    """
    for bracket in tree.find_all(exp.Bracket):
        base = bracket.this.unnest()
        kind = base.type.this if base.type is not None else exp.DType.UNKNOWN
        # element_at() is parsed as a subscript, too, with its own base
        is_call = bracket.args.get("offset") is not None
        is_list = isinstance(base, exp.Column) or kind in (exp.DType.UNKNOWN, exp.DType.ARRAY)
        bracket.meta[_SHIFTED] = is_list and not is_call


@rewrites(exp.Bracket)
def subscript(node: exp.Bracket, dialect: str) -> exp.Expr:
    """`x[i]` and `x[i:j]`.

    Raises:
        NotInSpark: it is unknown whether it slices a string or a list, or its bounds are unknown.
    """
    if len(node.expressions) != 1:
        return node
    index = node.expressions[0]
    if isinstance(index, exp.Slice):
        if index.args.get("step") is not None:
            raise NotInSpark("a slice with a step has no counterpart in Spark; write filter() or sequence()", node)
        # only DuckDB slices strings
        kind = type_of(node.this) if dialect == "duckdb" else exp.DType.ARRAY
        bounds = (index.this, index.expression)
        if dialect == "postgres":
            # which counts from the first one only
            bounds = (_from_first(bounds[0]), _from_first(bounds[1]))
        return _slice(node, node.this, bounds, kind)
    base = node.this.unnest()
    is_counted_from_0 = dialect == "snowflake" and isinstance(index, exp.Literal)
    if isinstance(base, exp.ParseJSON) and (index.is_string or is_counted_from_0):
        return call("GET_JSON_OBJECT", base.this, exp.Literal.string(f"${step(index.name)}"))
    if dialect == "snowflake" and isinstance(index, exp.Literal) and _is_at_path(base):
        json, path = base.expressions
        return call("GET_JSON_OBJECT", json, exp.Literal.string(f"{path.name}{step(index.name)}"))
    if dialect == "snowflake" and index.is_string and isinstance(base, exp.Column) and type_of(base) in MAY_BE_JSON:
        return call("GET_JSON_OBJECT", base, exp.Literal.string(f"${step(index.name)}"))
    if dialect == "bigquery" and (first := node.args.get("offset")) is not None and not isinstance(index, exp.Literal):
        # sqlglot counts from 1 only where the index is a literal; GET counts from 0, and has no negative places
        return call("GET", node.this, _plus(index, -first))
    if dialect_of(dialect).INDEX_OFFSET != 1 or type_of(node.this) is exp.DType.MAP:
        is_counted = dialect == "snowflake" and not index.is_string and type_of(node.this) in LISTS
        return call("GET", node.this, index) if is_counted else node
    return _element(node, _position(node), dialect)


def _from_first(bound: exp.Expr | None) -> exp.Expr | None:
    return _number(0) if bound is not None and (whole(bound) or 0) < 0 else bound


@rewrites("ARRAY_EXTRACT", "LIST_ELEMENT", "LIST_EXTRACT")
def element(node: exp.Anonymous, dialect: str) -> exp.Expr:
    """`list_extract(list, i)` of DuckDB, also for strings."""
    if dialect != "duckdb" or len(node.expressions) != 2:
        return node
    base, position = node.expressions
    if position.is_string:
        return exp.Dot(this=base, expression=exp.to_identifier(position.name))
    if type_of(base) in TEXTS:
        return _character(base, position)
    return call("TRY_ELEMENT_AT", base, _not_zero(position))


@rewrites(exp.ArraySlice)
def array_slice(node: exp.ArraySlice, dialect: str) -> exp.Expr:
    """`array_slice(list, first, last)`; Snowflake counts from 0 and excludes the last.

    Raises:
        NotInSpark: it has a step, or bounds that are not literals.
    """
    if node.args.get("step") is not None:
        raise NotInSpark("a slice with a step has no counterpart in Spark; write filter() or sequence()", node)
    first, last = node.args.get("start"), node.args.get("end")
    if dialect in TRINO_FAMILY:
        # a length, as in Spark
        return call("SLICE", node.this, *(bound for bound in (first, last) if bound is not None))
    if node.args.get("zero_based"):
        begin, end = (whole(bound) if bound is not None else None for bound in (first, last))
        if begin is None or end is None or begin < 0 or end < 0:
            raise NotInSpark("ARRAY_SLICE between bounds that are no literals from 0 up; write slice()", node)
        first, last = _number(begin + 1), _number(end)
    if dialect == "bigquery":
        begin, end = (whole(bound) if bound is not None else None for bound in (first, last))
        if begin is None or end is None:
            raise NotInSpark("ARRAY_SLICE between bounds that are no literals; write slice()", node)
        first, last = (_number(bound + 1 if bound >= 0 else bound) for bound in (begin, end))
    is_text = dialect == "duckdb" and type_of(node.this) in TEXTS
    return _slice(node, node.this, (first, last), exp.DType.TEXT if is_text else exp.DType.ARRAY)


@rewrites("LIST_SLICE")
def list_slice(node: exp.Anonymous, dialect: str) -> exp.Expr:
    """`list_slice(list, first, last)` of DuckDB, which sqlglot does not know."""
    if dialect != "duckdb":
        return node
    if len(node.expressions) != 3:
        raise NotInSpark("LIST_SLICE with a step has no counterpart in Spark; write list_filter()", node)
    base, first, last = node.expressions
    return _slice(node, base, (first, last), exp.DType.ARRAY)


@rewrites(exp.ArraySize)
def array_size(node: exp.ArraySize, dialect: str) -> exp.Expr:
    """The length of a list, NULL for NULL: Spark's SIZE returns -1."""
    if isinstance(node.this, exp.Anonymous) and node.this.name == "GET_JSON_OBJECT":
        return call("JSON_ARRAY_LENGTH", node.this)
    if isinstance(node.this, exp.JSONExtract | exp.ParseJSON):
        return call("JSON_ARRAY_LENGTH", node.this)
    if isinstance(node.this, exp.Map | exp.VarMap) or type_of(node.this) is exp.DType.MAP:
        return call("CARDINALITY", node.this)
    size = call("ARRAY_SIZE", node.this)
    return call("NULLIF", size, exp.Literal.number(0)) if dialect == "postgres" else size


def _is_at_path(node: exp.Expr) -> bool:
    return isinstance(node, exp.Anonymous) and node.name == "GET_JSON_OBJECT" and node.expressions[1].is_string


def _position(bracket: exp.Bracket) -> exp.Expr:
    """The subscript as written, from 1."""
    index: exp.Expr = bracket.expressions[0]
    if not bracket.meta.get(_SHIFTED, True):
        return index
    number = whole(index)
    if number is not None:
        return _number(number + 1)
    if isinstance(index, exp.Add) and whole(index.expression) == -1 and type_of(index.this) in INTEGERS:
        shifted: exp.Expr = index.this
        return shifted
    return index


def _element(node: exp.Bracket, position: exp.Expr, dialect: str) -> exp.Expr:
    number = whole(position)
    if dialect == "postgres" and not is_at_least(position, 0) and not position.is_string:
        # which counts from the first one only
        least = call("GREATEST", position, _number(0))
        return exp.null() if number is not None else call("TRY_ELEMENT_AT", node.this, _not_zero(least))
    if type_of(node.this) in TEXTS:
        return call("LEFT", node.this, position) if number == 0 else _character(node.this, position)
    if number == 0 and type_of(node.this) in LISTS:
        return exp.null()
    # without a position there Spark's own brackets fail in ANSI mode
    return node if position.is_string else call("TRY_ELEMENT_AT", node.this, _not_zero(position))


def _character(text: exp.Expr, position: exp.Expr) -> exp.Expr:
    """There is no character at position 0, which is the first one in Spark."""
    is_somewhere = is_at_least(position, 1) or whole(position) is not None
    length = _number(1) if is_somewhere else from_template("IF({0} = 0, 0, 1)", position)
    return call("SUBSTRING", text, position, length)


def _not_zero(position: exp.Expr) -> exp.Expr:
    """There is no position 0, which Spark refuses, as it does a BIGINT."""
    number = whole(position)
    if number is not None:
        return position if 0 < abs(number) < _LONGEST else exp.cast(exp.null(), "int")
    if any(isinstance(node, _LONG) and type_of(node) is exp.DType.BIGINT for node in position.walk()):
        position = exp.TryCast(this=position.unnest().copy(), to=exp.DataType.build("int"), safe=True)
    if is_at_least(position, 1):
        return position
    return exp.Nullif(this=position.copy(), expression=_number(0))


def _slice(
    node: exp.Expr, base: exp.Expr, bounds: tuple[exp.Expr | None, exp.Expr | None], kind: exp.DType | None
) -> exp.Expr:
    """Spark's SUBSTRING and SLICE take a start position, from 1, and a length."""
    if kind is None or kind not in TEXTS | LISTS:
        message = (
            f"whether {base.sql()} of a slice is a text or a list is not known here; write substring() of a text, "
            "array_slice() of a list"
        )
        raise NotInSpark(message, node)
    first, last = bounds
    begin, end = whole(first) if first is not None else 1, whole(last) if last is not None else -1
    if begin is None or end is None:
        raise NotInSpark("a slice between bounds that are no literals; write substring() of a text", node)
    begin = begin or 1
    size = call("LENGTH" if kind in TEXTS else "ARRAY_SIZE", base)
    start = _number(begin) if begin > 0 else call("GREATEST", _plus(size, begin + 1), _number(1))
    sliced = call("SUBSTRING" if kind in TEXTS else "SLICE", base, start, _count(size, start, begin, end))
    sliced.type = exp.DataType(this=kind)
    return sliced


def _count(size: exp.Expr, start: exp.Expr, begin: int, end: int) -> exp.Expr:
    """The length of a slice, or a longer one if it extends to the end."""
    if end == -1:
        return size
    if begin > 0 and end >= 0:
        return _number(max(end - begin + 1, 0))
    if begin > 0:
        return call("GREATEST", _plus(size, end - begin + 2), _number(0))
    stop = _number(end) if end >= 0 else _plus(size, end + 1)
    return call("GREATEST", _plus(exp.Sub(this=stop, expression=start.copy()), 1), _number(0))


def _plus(value: exp.Expr, number: int) -> exp.Expr:
    if number == 0:
        return value.copy()
    return (exp.Add if number > 0 else exp.Sub)(this=value.copy(), expression=_number(abs(number)))


def _number(value: int) -> exp.Expr:
    return exp.Literal.number(value)

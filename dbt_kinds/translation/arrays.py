"""Array functions that ignore NULL, or count, differently from Spark's."""

from __future__ import annotations

from sqlglot import exp

from dbt_kinds.placeholders import is_placeholder
from dbt_kinds.translation.calls import call
from dbt_kinds.translation.comparisons import one_of
from dbt_kinds.translation.dialects import TRINO_FAMILY
from dbt_kinds.translation.not_in_spark import NotInSpark
from dbt_kinds.translation.renamed import from_template
from dbt_kinds.translation.rewrites import rewrites
from dbt_kinds.translation.value_types import LISTS, NUMBERS, type_of

_NULL_IS_NO_LIST = frozenset({"duckdb", "postgres"})
_FINDS_NULL = frozenset({"duckdb", "postgres"})
_POSITION = "NULLIF(ARRAY_POSITION({0}, {1}), 0)"
_POSITION_OF_NULL = "NULLIF(ARRAY_POSITION(TRANSFORM({0}, item -> item <=> {1}), TRUE), 0)"


@rewrites(exp.ArrayPosition)
def position(node: exp.ArrayPosition, dialect: str) -> exp.Expr:
    """The position of a value in a list: Spark counts from 1, and 0 means absent."""
    if dialect in _FINDS_NULL:
        return _position_of(node.this, node.expression)
    if dialect != "snowflake":
        return node
    found = from_template(_POSITION, node.this, node.expression)
    return exp.Sub(this=found, expression=exp.Literal.number(1)) if node.args.get("zero_based") else found


@rewrites("ARRAY_INDEXOF", "LIST_INDEXOF", "LIST_POSITION", dialects={"duckdb"})
def index_of(node: exp.Anonymous, dialect: str) -> exp.Expr:
    """`list_position(list, value)`, which sqlglot does not know."""
    return _position_of(*node.expressions) if len(node.expressions) == 2 else node


def _position_of(values: exp.Expr, value: exp.Expr) -> exp.Expr:
    """The position of a value that may be NULL, which Spark does not look for."""
    is_there = isinstance(value.unnest(), exp.Literal)
    return from_template(_POSITION if is_there else _POSITION_OF_NULL, values, value)


@rewrites(exp.ArrayContains)
def contains(node: exp.ArrayContains, dialect: str) -> exp.Expr:
    """Whether a list contains a value: for a list with NULLs Spark returns NULL if the value is absent."""
    if isinstance(node.expression, exp.Null):
        raise NotInSpark(
            "a search for NULL in a list has no counterpart in Spark; write exists(l, x -> x IS NULL)", node
        )
    if dialect != "duckdb":
        return node
    return call("ARRAY_CONTAINS", call("ARRAY_COMPACT", node.this), node.expression)


@rewrites(exp.Contains, dialects={"duckdb"})
def list_contains(node: exp.Contains, dialect: str) -> exp.Expr:
    """`contains(list, value)`, which is one of texts, too."""
    is_list = type_of(node.this) in LISTS or type_of(node.expression) in NUMBERS
    return contains(exp.ArrayContains(this=node.this, expression=node.expression), dialect) if is_list else node


@rewrites(exp.ArrayOverlaps)
def overlap(node: exp.ArrayOverlaps, dialect: str) -> exp.Expr:
    """Whether two lists share a value."""
    return call("ARRAYS_OVERLAP", call("ARRAY_COMPACT", node.this), call("ARRAY_COMPACT", node.expression))


@rewrites(exp.ArrayContainsAll)
def contains_all(node: exp.ArrayContainsAll, dialect: str) -> exp.Expr:
    """`a @> b` of lists.

    Raises:
        NotInSpark: they may be JSON or ranges.
    """
    if dialect != "duckdb" and not {type_of(node.this), type_of(node.expression)} & LISTS:
        raise NotInSpark("@> of what is not known for a list has no counterpart in Spark", node)
    missing = call("ARRAY_EXCEPT", call("ARRAY_COMPACT", node.expression), node.this)
    return exp.EQ(this=call("ARRAY_SIZE", missing), expression=exp.Literal.number(0))


@rewrites(exp.ArrayConcat)
def concatenated(node: exp.ArrayConcat, dialect: str) -> exp.Expr:
    """Concatenates lists: DuckDB ignores NULL, whereas in Spark it makes the result NULL."""
    if dialect not in _NULL_IS_NO_LIST:
        return node
    lists = [exp.Coalesce(this=value.copy(), expressions=[exp.Array()]) for value in (node.this, *node.expressions)]
    return call("CONCAT", *lists)


@rewrites(exp.Repeat)
def repeated(node: exp.Repeat, dialect: str) -> exp.Expr:
    """`repeat(value, n)` in Trino returns a list."""
    return call("ARRAY_REPEAT", node.this, node.args["times"]) if dialect in TRINO_FAMILY else node


@rewrites(exp.ArrayFirst, exp.ArrayLast)
def end_of_list(node: exp.ArrayFirst | exp.ArrayLast, dialect: str) -> exp.Expr:
    """The first or last value of a list, NULL for an empty one."""
    position = exp.Literal.number(1) if isinstance(node, exp.ArrayFirst) else exp.Literal.number(-1)
    return call("TRY_ELEMENT_AT", node.this, position)


@rewrites(exp.ArrayReverse)
def reversed_list(node: exp.ArrayReverse, dialect: str) -> exp.Expr:
    """A list in reverse order."""
    return call("REVERSE", node.this)


@rewrites(exp.ArrayDistinct)
def distinct(node: exp.ArrayDistinct, dialect: str) -> exp.Expr:
    """DuckDB's version drops NULL."""
    return call("ARRAY_DISTINCT", call("ARRAY_COMPACT", node.this)) if dialect == "duckdb" else node


@rewrites(exp.ArrayToString)
def joined(node: exp.ArrayToString, dialect: str) -> exp.Expr:
    """`array_to_string(list, separator)`: NULL is an empty string in Snowflake, and skipped in Spark."""
    if not node.args.get("null_is_empty"):
        return node
    return call("ARRAY_JOIN", node.this, node.expression, exp.Literal.string(""))


@rewrites(exp.ArrayExcept, exp.ArrayIntersect)
def combined(node: exp.ArrayExcept | exp.ArrayIntersect, dialect: str) -> exp.Expr:
    """The intersection or difference of two lists.

    Raises:
        NotInSpark: Snowflake respects duplicates.
    """
    if node.args.get("is_multiset"):
        raise NotInSpark(f"{node.sql_name()} of {dialect} keeps repetitions, Spark's does not", node)
    return node


@rewrites(exp.In)
def among(node: exp.In, dialect: str) -> exp.Expr:
    """`x in list` of DuckDB, and `x in unnest(list)` of BigQuery, where it is false of no list."""
    unnest = node.args.get("unnest")
    if isinstance(unnest, exp.Unnest):
        there = exp.Coalesce(this=unnest.expressions[0].copy(), expressions=[exp.Array()])
        return call("ARRAY_CONTAINS", there, node.this)
    values = node.args.get("field")
    # a placeholder is a list in parentheses
    if dialect == "duckdb" and values is not None and not is_placeholder(values.name):
        return call("ARRAY_CONTAINS", call("ARRAY_COMPACT", values), node.this)
    return one_of(node, dialect)


@rewrites(exp.ArrayMax, exp.ArrayMin, dialects=TRINO_FAMILY)
def end_of_values(node: exp.ArrayMax | exp.ArrayMin, dialect: str) -> exp.Expr:
    """`array_max(list)`: NULL if one of the values is."""
    return from_template("IF(EXISTS({0}, x -> x IS NULL), NULL, {1})", node.this, node.copy())


@rewrites(exp.Explode, dialects={"duckdb"})
def exploded(node: exp.Explode, dialect: str) -> exp.Expr:
    """`unnest(list)`.

    Raises:
        NotInSpark: it is a struct, or has further arguments.
    """
    if node.expressions or isinstance(node.this, exp.Struct):
        raise NotInSpark("this form of UNNEST has no counterpart in Spark; write flatten(), or struct.*", node)
    return node


@rewrites(exp.ArrayFilter, exp.Transform, dialects={"duckdb"})
def numbered(node: exp.ArrayFilter | exp.Transform, dialect: str) -> exp.Expr:
    """`list_filter(list, lambda item, position: …)`, whose positions count from 1; Spark's from 0."""
    function = node.expression
    if not isinstance(function, exp.Lambda) or len(function.expressions) != 2:
        return node
    position = function.expressions[1].name
    for name in list(function.this.find_all(exp.Identifier)):
        if name.name == position and not isinstance(name.parent, exp.Dot):
            one_more = exp.Add(this=name.copy(), expression=exp.Literal.number(1))
            place = name.parent if isinstance(name.parent, exp.Column) else name
            place.replace(exp.paren(one_more, copy=False))
    return node


@rewrites(exp.Flatten, dialects={"duckdb"})
def flattened(node: exp.Flatten, dialect: str) -> exp.Expr:
    """`flatten(lists)`, of which NULL is left out."""
    return call("FLATTEN", call("ARRAY_COMPACT", node.this))


@rewrites(exp.ArrayRemove, dialects={"postgres"})
def without(node: exp.ArrayRemove, dialect: str) -> exp.Expr:
    """`array_remove(list, null)`."""
    return call("ARRAY_COMPACT", node.this) if isinstance(node.expression, exp.Null) else node


@rewrites(exp.ArrayContainedBy)
def contained(node: exp.ArrayContainedBy, dialect: str) -> exp.Expr:
    """`a <@ b`."""
    return contains_all(exp.ArrayContainsAll(this=node.expression.copy(), expression=node.this.copy()), dialect)


def _or_empty(values: exp.Expr) -> exp.Expr:
    return values if isinstance(values, exp.Array) else exp.Coalesce(this=values.copy(), expressions=[exp.Array()])


@rewrites("CARDINALITY", dialects={"postgres"})
def cardinality(node: exp.Anonymous, dialect: str) -> exp.Expr:
    """`cardinality(list)`, NULL of NULL, where Spark has -1; of a list of lists it counts the items of all."""
    values = node.expressions[0]
    is_nested = isinstance(values, exp.Array) and any(isinstance(item, exp.Array) for item in values.expressions)
    return call("ARRAY_SIZE", call("FLATTEN", values) if is_nested else values)


@rewrites(exp.DPipe, dialects={"postgres"})
def appended(node: exp.DPipe, dialect: str) -> exp.Expr:
    """`list || value`, `value || list`, `list || list`: no list is an empty one, unless both are missing."""
    kinds = type_of(node.this), type_of(node.expression)
    for value, other in ((node.this, node.expression), (node.expression, node.this)):
        if isinstance(other, exp.Null) and type_of(value) in LISTS:
            values: exp.Expr = value
            return values
    if kinds[0] in LISTS and kinds[1] not in LISTS | {None}:
        return call("ARRAY_APPEND", _or_empty(node.this), node.expression)
    if kinds[1] in LISTS and kinds[0] not in LISTS | {None}:
        return call("ARRAY_PREPEND", _or_empty(node.expression), node.this)
    if kinds[0] in LISTS and kinds[1] in LISTS:
        joined = call("CONCAT", _or_empty(node.this), _or_empty(node.expression))
        is_made = isinstance(node.this, exp.Array) or isinstance(node.expression, exp.Array)
        one = "IF(COALESCE({0}, {1}) IS NOT NULL, {2}, NULL)"
        return joined if is_made else from_template(one, node.this, node.expression, joined)
    return node

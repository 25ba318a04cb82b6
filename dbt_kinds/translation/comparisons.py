"""Greatest and least values, and comparisons with several values at once."""

from __future__ import annotations

from sqlglot import exp

from dbt_kinds.translation.calls import call, unless_null, unless_one_is_null
from dbt_kinds.translation.dialects import BITS_ARE_NUMBERS, TRINO_FAMILY
from dbt_kinds.translation.not_in_spark import NotInSpark
from dbt_kinds.translation.rewrites import rewrites
from dbt_kinds.translation.value_types import type_of

# rows of values with NULL are compared, not NULL
_COMPARES_NULLS = frozenset({"duckdb"})
_BITS = BITS_ARE_NUMBERS | {"mysql"}
# dialects whose LIKE has no escape unless one is named
_BACKSLASH_IS_PLAIN = TRINO_FAMILY | {"duckdb", "fabric", "snowflake", "tsql"}


@rewrites(exp.Greatest, exp.Least)
def greatest(node: exp.Greatest | exp.Least, dialect: str) -> exp.Expr:
    """`greatest(a, b)`: NULL if any argument is, in some dialects; Spark ignores NULL."""
    if node.args.get("ignore_nulls") is not False:
        return node
    return unless_one_is_null(node, [node.this, *node.expressions])


@rewrites(exp.ArgMax, exp.ArgMin)
def greatest_by(node: exp.ArgMax | exp.ArgMin, dialect: str) -> exp.Expr:
    """DuckDB ignores rows whose value is NULL, Spark those whose ordering value is."""
    if dialect != "duckdb" or node.args.get("count") is not None:
        return node
    return type(node)(this=node.this.copy(), expression=unless_null(node.this, node.expression.copy()))


@rewrites(exp.Max, exp.Min)
def several(node: exp.Max | exp.Min, dialect: str) -> exp.Expr:
    """`max(x, n)`: a list of the n greatest; sqlglot takes it to be the greatest of two values, as in SQLite.

    Raises:
        NotInSpark: Spark has no such aggregate.
    """
    if node.expressions and dialect != "sqlite":
        raise NotInSpark(
            f"{node.sql_name()} of several values has no counterpart in Spark; write slice(sort_array(…))", node
        )
    return node


@rewrites(exp.ILike, exp.Like)
def any_like(node: exp.Like | exp.ILike, dialect: str) -> exp.Expr:
    """`text like any (array[…])`."""
    operand = node.expression
    values = operand.this.unnest() if isinstance(operand, exp.Any | exp.All) else None
    if isinstance(values, exp.Array):
        operand.set("this", exp.Tuple(expressions=values.expressions))
    if dialect in _BACKSLASH_IS_PLAIN and not isinstance(node.parent, exp.Escape):
        for pattern in operand.find_all(exp.Literal) if isinstance(operand, exp.Any | exp.All) else [operand]:
            if isinstance(pattern, exp.Literal) and "\\" in pattern.name:
                pattern.set("this", pattern.name.replace("\\", "\\\\"))
    return node


@rewrites(exp.Escape)
def without_escape(node: exp.Escape, dialect: str) -> exp.Expr:
    """`text like 'a%' escape ''`, where a backslash is one.

    Raises:
        NotInSpark: the pattern is no literal.
    """
    if not node.expression.is_string or node.expression.name:
        return node
    pattern = node.this.expression
    if not isinstance(pattern, exp.Literal):
        raise NotInSpark("ESCAPE '' has no counterpart in Spark; leave it out, and double backslashes", node)
    pattern.set("this", pattern.name.replace("\\", "\\\\"))
    like: exp.Expr = node.this
    return like


@rewrites(exp.EQ)
def equal(node: exp.EQ, dialect: str) -> exp.Expr:
    """`x = any (select …)`, `x = any(list)` of DuckDB, `(a, b) = (1, 2)`, and `flag = 1` of a BIT."""
    query = _query_of(node.expression, exp.Any)
    if query is not None:
        return exp.In(this=node.this.copy(), query=query)
    values = node.expression.this.unnest() if isinstance(node.expression, exp.Any) else None
    if dialect == "duckdb" and values is not None and not isinstance(values, exp.Array):
        # false if there is no list
        values.replace(exp.Coalesce(this=values.copy(), expressions=[exp.Array()]))
    if values is not None and values.is_string:
        raise NotInSpark("ANY of a list that is a text has no counterpart in Spark; write array[…]", node)
    if (items := _items_of(node.expression)) is not None:
        return _all_fulfil(node, items)
    if isinstance(node.this, exp.Tuple) and isinstance(node.expression, exp.Tuple):
        return exp.paren(_all_equal(node.this, node.expression, dialect), copy=False)
    if (dialect in _BITS or dialect == "duckdb") and type_of(node.this) is exp.DType.BOOLEAN:
        # compared with a number only without ANSI mode
        node.set("expression", as_bit(node.expression))
    return node


def one_of(node: exp.In, dialect: str) -> exp.Expr:
    """`(a, b) in ((1, 2), …)`, which is NULL if one of both is; Spark compares them as structs."""
    are_rows = isinstance(node.this, exp.Tuple) and all(isinstance(row, exp.Tuple) for row in node.expressions)
    if not are_rows or not node.expressions or dialect in _COMPARES_NULLS:
        return node
    return exp.paren(exp.or_(*(_all_equal(node.this, row, dialect) for row in node.expressions)), copy=False)


def _all_equal(row: exp.Tuple, other: exp.Tuple, dialect: str) -> exp.Expr:
    equal_kind = exp.NullSafeEQ if dialect in _COMPARES_NULLS else exp.EQ
    sides = zip(row.expressions, other.expressions, strict=False)
    return exp.and_(*(equal_kind(this=left.copy(), expression=right.copy()) for left, right in sides))


@rewrites(exp.Case, dialects=_BITS)
def by_bit(node: exp.Case, dialect: str) -> exp.Expr:
    """`case flag when 1 then …` of a BIT."""
    for branch in node.args["ifs"] if type_of(node.this) is exp.DType.BOOLEAN else []:
        branch.set("this", as_bit(branch.this))
    return node


def _items_of(operand: exp.Expr) -> exp.Expr | None:
    """The list of `all(list)`, which sqlglot reads as a call."""
    is_call = isinstance(operand, exp.Anonymous) and operand.name.upper() == "ALL" and len(operand.expressions) == 1
    return operand.expressions[0] if is_call else None


def _all_fulfil(node: exp.Binary, items: exp.Expr) -> exp.Expr:
    test = type(node)(this=node.this.copy(), expression=exp.column("x"))
    return call("FORALL", items, exp.Lambda(this=test, expressions=[exp.to_identifier("x")]))


def as_bit(value: exp.Expr) -> exp.Expr:
    """The literals 0 and 1 as false and true."""
    is_bit = isinstance(value, exp.Literal) and value.is_number and value.name in ("0", "1")
    return exp.Boolean(this=value.name == "1") if is_bit else value


def _query_of(operand: exp.Expr, *kinds: type[exp.Expr]) -> exp.Subquery | None:
    """The query of `any (select …)`."""
    query = operand.this.unnest() if isinstance(operand, kinds) else None
    return query.copy().subquery() if isinstance(query, exp.Query) else None


@rewrites(exp.GT, exp.GTE, exp.LT, exp.LTE)
def ordered(node: exp.Binary, dialect: str) -> exp.Expr:
    """`x > all (select …)`, `(a, b) > (1, 2)`.

    Raises:
        NotInSpark: it is compared with the rows of a query, or with several values.
    """
    if (items := _items_of(node.expression)) is not None:
        return _all_fulfil(node, items)
    if isinstance(node.this, exp.Tuple):
        raise NotInSpark("an order of several values has no counterpart in Spark; write a > 1 OR a = 1 AND …", node)
    if _query_of(node.expression, exp.All, exp.Any) is not None:
        message = "a comparison with ALL or ANY row of a query has no counterpart in Spark; compare with its max or min"
        raise NotInSpark(message, node)
    return node


@rewrites(exp.NEQ)
def unequal(node: exp.NEQ, dialect: str) -> exp.Expr:
    """`x <> all (array[…])`, and `x <> all (select …)`, which is what sqlglot makes of Snowflake's NOT IN."""
    operand = node.expression
    query = _query_of(operand, exp.All)
    if query is not None:
        return exp.Not(this=exp.In(this=node.this.copy(), query=query))
    is_all = isinstance(operand, exp.All) or (isinstance(operand, exp.Anonymous) and operand.name.upper() == "ALL")
    values = (operand.this if isinstance(operand, exp.All) else operand.expressions[0]).unnest() if is_all else None
    if not isinstance(values, exp.Array):
        items = _items_of(operand)
        return node if items is None else _all_fulfil(node, items)
    return exp.Not(this=exp.In(this=node.this.copy(), expressions=[value.copy() for value in values.expressions]))


@rewrites(exp.Exists)
def exists(node: exp.Exists, dialect: str) -> exp.Expr:
    """`exists (select from t)`, where Postgres wants no column."""
    select_a_column(node.this)
    return node


def select_a_column(query: exp.Expr) -> None:
    """Gives a SELECT of no columns, which Postgres has, one: enough where its rows are only counted."""
    if isinstance(query, exp.Select) and not query.expressions:
        query.select("1", copy=False)

"""What Spark has no counterpart for, whatever its dialect."""

from __future__ import annotations

from sqlglot import exp

from dbt_kinds.translation.dialects import is_spark
from dbt_kinds.translation.not_in_spark import NotInSpark
from dbt_kinds.translation.value_types import DECIMALS, DOUBLES, TEXTS, type_of

_PSEUDO_COLUMNS = frozenset({"ROWNUM", "_PARTITIONTIME", "_PARTITIONDATE", "_TABLE_SUFFIX"})

_HAS_INFINITE_TIMES = frozenset({"duckdb", "materialize", "postgres", "risingwave"})
_HOLD_VALUES = (exp.Binary, exp.Case, exp.If, exp.Cast, exp.Paren, exp.Unary)
_HAS_COLLATIONS = "4.0"
_HAS_RECURSION = "4.1"


def refuse(node: exp.Expr, dialect: str, version: str) -> None:
    """Refuses a node that a version of Spark has no counterpart for.

    Raises:
        NotInSpark: Spark has no counterpart for it.
    """
    if isinstance(node, exp.Parameter | exp.SessionParameter | exp.Placeholder):
        raise NotInSpark(f"the parameter {node.sql()} has no value here; write a variable", node)
    if isinstance(node, exp.Literal) and dialect in _HAS_INFINITE_TIMES and _is_infinite_time(node):
        raise NotInSpark("Spark has no infinite dates and times; write one as '9999-12-31'", node)
    if isinstance(node, exp.Add | exp.Sub | exp.EQ | exp.NEQ | exp.GT | exp.GTE | exp.LT | exp.LTE):
        sides = (node.this.unnest(), node.expression.unnest())
        if all(isinstance(side, exp.Interval) for side in sides) and not is_spark(dialect):
            raise NotInSpark("Spark adds no months to days, nor compares them; write one interval, or numbers", node)
    if isinstance(node, exp.Select) and not node.expressions and not is_spark(dialect):
        raise NotInSpark("a SELECT of no columns has no counterpart in Spark; write SELECT 1", node)
    if isinstance(node, exp.Select) and sum(map(_makes_rows, node.expressions)) > 1:
        message = "several lists side by side in a SELECT have no counterpart in Spark; write inline(arrays_zip(…))"
        raise NotInSpark(message, node)
    if isinstance(node, exp.In) and _selects_from_list(node.args.get("query")):
        raise NotInSpark("IN over a list of the row has no counterpart in Spark; write array_contains()", node)
    if isinstance(node, exp.Group) and isinstance(node.parent, exp.Select) and _groups_by_made_row(node, node.parent):
        raise NotInSpark("GROUP BY of a list's items has no counterpart in Spark; make the rows in FROM", node)
    if _is_maker(node) and isinstance(node.parent, _HOLD_VALUES):
        raise NotInSpark("rows made within an expression have no counterpart in Spark; make them in FROM", node)
    if isinstance(node, exp.Is) and isinstance(node.expression, exp.JSON):
        raise NotInSpark("IS JSON has no counterpart in Spark", node)
    if isinstance(node, exp.Connect):
        raise NotInSpark("CONNECT BY has no counterpart in Spark; write WITH RECURSIVE, or join a sequence()", node)
    if isinstance(node, exp.SetOperation) and node.args.get("by_name"):
        raise NotInSpark("BY NAME has no counterpart in Spark; write the columns of both sides out", node)
    if isinstance(node, exp.Order) and isinstance(node.parent, exp.AggFunc):
        raise NotInSpark(
            f"ORDER BY in {node.parent.sql_name()} has no counterpart in Spark; write min_by or max_by", node
        )
    if isinstance(node, exp.WindowSpec) and str(node.args.get("kind")).upper() == "GROUPS":
        raise NotInSpark("a frame of GROUPS has no counterpart in Spark; write ROWS or RANGE", node)
    if isinstance(node, exp.Unnest) and isinstance(node.parent, exp.From) and _is_of_outer_row(node):
        message = (
            "a sub-select over a list of the row has no counterpart in Spark; write exists(list, x -> …), filter() or "
            "aggregate()"
        )
        raise NotInSpark(message, node)
    if isinstance(node, exp.Table) and node.args.get("ordinality"):
        raise NotInSpark("WITH ORDINALITY of a function has no counterpart in Spark; write posexplode()", node)
    if isinstance(node, exp.DateTrunc | exp.TimestampTrunc) and type_of(node.this) is exp.DType.INTERVAL:
        raise NotInSpark("DATE_TRUNC of an interval has no counterpart in Spark", node)
    if isinstance(node, exp.Unnest) and isinstance(node.parent, exp.Join):
        raise NotInSpark("a list joined within parentheses has no counterpart in Spark; join it outside of them", node)
    if isinstance(node, exp.Join) and (node.method or "").upper() == "ASOF":
        raise NotInSpark("ASOF JOIN has no counterpart in Spark; join on a range and keep the last row", node)
    if isinstance(node, exp.LimitOptions) and (node.args.get("with_ties") or node.args.get("percent")):
        raise NotInSpark("a limit WITH TIES or in PERCENT has no counterpart in Spark; filter by rank()", node)
    if isinstance(node, exp.Overlaps):
        raise NotInSpark("OVERLAPS has no counterpart in Spark; write a < d AND c < b", node)
    if isinstance(node, exp.PreWhere):
        raise NotInSpark("PREWHERE has no counterpart in Spark; write WHERE", node)
    if isinstance(node, exp.With) and node.recursive:
        _refuse_recursion(node, version)
    if isinstance(node, exp.Column | exp.Pseudocolumn) and node.name.upper() in _PSEUDO_COLUMNS:
        raise NotInSpark(f"the pseudo-column {node.name} has no counterpart in Spark", node)
    if isinstance(node, exp.Lateral):
        inner = node.this
        alias = node.args.get("alias")
        if alias is not None and [column.name for column in alias.args.get("columns") or []][:2] == ["SEQ", "KEY"]:
            raise NotInSpark("FLATTEN has no counterpart in Spark; write LATERAL VIEW explode()", node)
        if isinstance(inner, exp.Subquery) and inner.this.args.get("limit") is not None:
            raise NotInSpark("LIMIT in a correlated LATERAL has no counterpart in Spark 3.5; use row_number()", node)
    if isinstance(node, exp.Collate) and (version < _HAS_COLLATIONS or not is_spark(dialect)):
        raise NotInSpark(f"this COLLATE has no counterpart in Spark {version}; compare lower(…)", node)
    if isinstance(node, exp.Cast) and node.args.get("format") is not None:
        raise NotInSpark("CAST with a FORMAT has no counterpart in Spark; write date_format() or to_timestamp()", node)
    if isinstance(node, exp.Array) and any(isinstance(item, exp.Query) for item in node.expressions):
        raise NotInSpark("ARRAY of a sub-select has no counterpart in Spark; write collect_list()", node)
    if isinstance(node, exp.SafeFunc):
        raise NotInSpark("SAFE. before a function has no counterpart in Spark; write try_… where it has one", node)
    if isinstance(node, exp.Kwarg):
        raise NotInSpark(f"the named argument {node.sql()} has no counterpart in Spark", node)


def _is_infinite_time(literal: exp.Literal) -> bool:
    is_infinite = literal.is_string and literal.name.lower() in ("infinity", "-infinity")
    holder = literal.parent
    return is_infinite and not (isinstance(holder, exp.Cast) and holder.to.this in DOUBLES | TEXTS | DECIMALS)


def _refuse_recursion(node: exp.With, version: str) -> None:
    if version < _HAS_RECURSION:
        raise NotInSpark(f"WITH RECURSIVE has no counterpart in Spark {version}; 4.1 has it (--spark 4.1)", node)
    for cte in node.expressions:
        query = cte.this
        reads_itself = any(table.name.lower() == cte.alias.lower() for table in query.find_all(exp.Table))
        if reads_itself and isinstance(query, exp.SetOperation) and query.args.get("distinct"):
            raise NotInSpark("Spark's recursion takes UNION ALL only; keep a level and stop at it", query)


def _is_of_outer_row(unnest: exp.Unnest) -> bool:
    """Whether a list belongs to the row around a sub-select, as in `exists (select … from unnest(t.items))`."""
    select = unnest.find_ancestor(exp.Select)
    around = select.parent if select is not None else None
    while isinstance(around, exp.Subquery | exp.SetOperation | exp.Paren | exp.Alias):
        around = around.parent
    tables = (exp.From, exp.Join, exp.CTE, exp.Lateral, exp.Create, exp.Insert)
    return around is not None and not isinstance(around, tables) and unnest.find(exp.Column) is not None


def _selects_from_list(query: exp.Expr | None) -> bool:
    """Whether a sub-select makes its rows of a list of the row around it, as `(select unnest(l))`."""
    select = query.unnest() if query is not None else None
    if not isinstance(select, exp.Select) or select.args.get("from_") is not None:
        return False
    return any(_makes_rows(item) and item.find(exp.Column) for item in select.expressions)


def _groups_by_made_row(group: exp.Group, select: exp.Select) -> bool:
    made = {item.alias_or_name.lower() for item in select.expressions if _makes_rows(item)}
    return any(isinstance(key, exp.Column) and not key.table and key.name.lower() in made for key in group.expressions)


def _makes_rows(item: exp.Expr) -> bool:
    return _is_maker(item.unalias())


def _is_maker(made: exp.Expr) -> bool:
    return isinstance(made, exp.Explode) or (isinstance(made, exp.Anonymous) and made.name.upper() == "EXPLODE")

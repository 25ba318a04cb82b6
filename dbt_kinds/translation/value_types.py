"""Types of values, as known from literals, casts, declared columns, and computations on them.

If engines differ on the type of a function, it is unknown: nothing relies on a guess.
"""

from __future__ import annotations

from collections.abc import Iterable

from sqlglot import exp

from dbt_kinds.translation.star_expansion import ColumnsOf, selects_of, visible_cte

_INTEGERS_OF_TIMES: tuple[type[exp.Expr], ...] = (
    *(exp.DateDiff, exp.DatetimeDiff, exp.Day, exp.DayOfMonth, exp.DayOfWeek, exp.DayOfWeekIso, exp.DayOfYear),
    *(exp.Hour, exp.Minute, exp.Month, exp.Quarter, exp.TimestampDiff, exp.TsOrDsDiff, exp.Week, exp.WeekOfYear),
    exp.Year,
)
_TYPES_BY_FUNCTION: dict[type[exp.Expr], exp.DType] = {
    **dict.fromkeys(_INTEGERS_OF_TIMES, exp.DType.INT),
    exp.Array: exp.DType.ARRAY,
    exp.ArrayAgg: exp.DType.ARRAY,
    exp.ArraySize: exp.DType.INT,
    exp.Boolean: exp.DType.BOOLEAN,
    exp.Concat: exp.DType.TEXT,
    exp.ConcatWs: exp.DType.TEXT,
    exp.Count: exp.DType.BIGINT,
    exp.CountIf: exp.DType.BIGINT,
    exp.CurrentDate: exp.DType.DATE,
    exp.CurrentTimestamp: exp.DType.TIMESTAMPTZ,
    exp.DPipe: exp.DType.TEXT,
    exp.Date: exp.DType.DATE,
    exp.DateFromParts: exp.DType.DATE,
    exp.GenerateSeries: exp.DType.ARRAY,
    exp.Interval: exp.DType.INTERVAL,
    exp.JSONExtractScalar: exp.DType.TEXT,
    exp.LastDay: exp.DType.DATE,
    exp.Left: exp.DType.TEXT,
    exp.Length: exp.DType.BIGINT,
    exp.Lower: exp.DType.TEXT,
    exp.RegexpExtract: exp.DType.TEXT,
    exp.RegexpExtractAll: exp.DType.ARRAY,
    exp.RegexpReplace: exp.DType.TEXT,
    exp.Replace: exp.DType.TEXT,
    exp.Right: exp.DType.TEXT,
    exp.RowNumber: exp.DType.BIGINT,
    exp.Rank: exp.DType.BIGINT,
    exp.Split: exp.DType.ARRAY,
    exp.SplitPart: exp.DType.TEXT,
    exp.StrPosition: exp.DType.INT,
    exp.Substring: exp.DType.TEXT,
    exp.TimeToStr: exp.DType.TEXT,
    exp.TimeToUnix: exp.DType.DOUBLE,
    exp.Trim: exp.DType.TEXT,
    exp.TsOrDsToDate: exp.DType.DATE,
    exp.Upper: exp.DType.TEXT,
}
_TYPES_BY_NAME = dict.fromkeys(("CARDINALITY", "JSON_ARRAY_LENGTH", "JSONB_ARRAY_LENGTH"), exp.DType.INT)
_OF_OPERAND = (
    exp.Alias,
    exp.Filter,
    exp.FirstValue,
    exp.Lag,
    exp.LastValue,
    exp.Lead,
    exp.Max,
    exp.Min,
    exp.Neg,
    exp.Paren,
    exp.Window,
)

# their values have no fraction, whatever type they have
WHOLE = exp.Ceil | exp.Floor
_SETTLED = "value_type"
_WITH_PARTS = frozenset({*exp.DataType.NESTED_TYPES, exp.DType.DECIMAL, exp.DType.BIGDECIMAL, exp.DType.INTERVAL})

INTEGERS = frozenset(exp.DataType.INTEGER_TYPES)
DECIMALS = frozenset({exp.DType.DECIMAL, exp.DType.BIGDECIMAL})
DOUBLES = frozenset({exp.DType.DOUBLE, exp.DType.FLOAT})
TEXTS = frozenset(exp.DataType.TEXT_TYPES)
BYTES = frozenset({exp.DType.BINARY, exp.DType.VARBINARY, exp.DType.BLOB})
LISTS = frozenset({exp.DType.ARRAY, exp.DType.LIST})
JSONS = frozenset({exp.DType.JSON, exp.DType.JSONB})
NESTED = LISTS | {exp.DType.STRUCT, exp.DType.MAP}
WITHOUT_ZONE = frozenset({exp.DType.TIMESTAMP, exp.DType.TIMESTAMPNTZ, exp.DType.DATETIME})
INSTANTS = frozenset({exp.DType.TIMESTAMPTZ, exp.DType.TIMESTAMPLTZ})
TIMES = WITHOUT_ZONE | INSTANTS
NUMBERS = INTEGERS | DECIMALS | DOUBLES


def type_columns(tree: exp.Expr, columns_of: ColumnsOf) -> None:
    """Assigns types to the columns of a tree, as far as tables declare them; must run before tables lose their
    names.
    """
    for column in tree.find_all(exp.Column):
        # once only: recursive queries return here
        if type_of(column) is None and not column.meta.get("was_looked_up"):
            column.meta["was_looked_up"] = True
            _type_column(column, columns_of)


def output_types(query: exp.Expr, names: Iterable[str], columns_of: ColumnsOf) -> list[exp.DataType | None]:
    """The types of a query's columns; None if unknown, or known in part only: a decimal without its digits."""
    copy = query.copy()
    types = [_type_of_output(copy, name, columns_of) for name in names]
    return [None if kind is not None and kind.this in _WITH_PARTS and not kind.expressions else kind for kind in types]


def settle_types(tree: exp.Expr) -> None:
    """Computes the types of a tree once, from the leaves up: on demand, deep trees would take long."""
    for node in reversed(list(tree.walk(bfs=False))):
        node.meta[_SETTLED] = _computed(node)


def type_of(node: exp.Expr | None) -> exp.DType | None:
    """The type of a value, None if unknown."""
    if node is None:
        return None
    return node.meta[_SETTLED] if _SETTLED in node.meta else _computed(node)


def _computed(node: exp.Expr) -> exp.DType | None:
    if isinstance(node, exp.Cast):
        return _dtype(node.to)
    known = _dtype(node.type)
    if known is not None:
        return known
    if isinstance(node, exp.Literal):
        return _of_literal(node)
    if isinstance(node, _OF_OPERAND):
        return type_of(node.this)
    if isinstance(node, exp.Nullif):
        # beside a list there is a list
        return type_of(node.this) or (exp.DType.ARRAY if type_of(node.expression) in LISTS else None)
    if isinstance(node, exp.Distinct):
        return _common(node.expressions)
    if isinstance(node, exp.AtTimeZone):
        return _with_zone(type_of(node.this))
    if isinstance(node, exp.UnixToTime) and node.args.get("scale") is None:
        return _dtype(node.args.get("target_type")) or exp.DType.TIMESTAMPTZ
    if isinstance(node, exp.Coalesce | exp.Greatest | exp.Least):
        return _common([node.this, *node.expressions])
    if isinstance(node, exp.Case):
        return _common([*(branch.args.get("true") for branch in node.args["ifs"]), node.args.get("default")])
    if isinstance(node, exp.If):
        return _common([node.args.get("true"), node.args.get("false")])
    if isinstance(node, exp.Abs):
        return type_of(node.this)
    if isinstance(node, WHOLE | exp.Round):
        # of an integer it is another type in some engines
        return kind if (kind := type_of(node.this)) in DECIMALS | DOUBLES else None
    if isinstance(node, exp.Sum):
        return _of_sum(type_of(node.this))
    if isinstance(node, exp.Avg):
        return exp.DType.INTERVAL if type_of(node.this) is exp.DType.INTERVAL else None
    if isinstance(node, exp.Add | exp.Sub | exp.Mul | exp.Mod):
        return _of_arithmetic(node)
    if isinstance(node, exp.Div):
        return _of_division(node)
    if isinstance(node, exp.Bracket):
        is_slice = any(isinstance(index, exp.Slice) for index in node.expressions)
        return type_of(node.this) if is_slice else _of_element(node.this)
    if isinstance(node, exp.Anonymous):
        return _TYPES_BY_NAME.get(node.name.upper())
    return _TYPES_BY_FUNCTION.get(type(node))


def _dtype(data_type: exp.DataType | None) -> exp.DType | None:
    found = data_type.this if data_type is not None else None
    if isinstance(found, exp.Interval):
        return exp.DType.INTERVAL
    return found if isinstance(found, exp.DType) and found is not exp.DType.UNKNOWN else None


def _of_literal(literal: exp.Literal) -> exp.DType:
    if literal.is_string:
        return exp.DType.TEXT
    if literal.is_int:
        return exp.DType.INT
    return exp.DType.DOUBLE if "e" in literal.name.lower() else exp.DType.DECIMAL


def _of_element(values: exp.Expr) -> exp.DType | None:
    """The type of an element of a list whose type is declared."""
    kind = values.unnest().type
    items = kind.expressions if kind is not None and kind.this in LISTS else []
    return _dtype(items[0]) if len(items) == 1 and isinstance(items[0], exp.DataType) else None


def _with_zone(kind: exp.DType | None) -> exp.DType | None:
    """AT TIME ZONE turns a time without a zone into an instant, and vice versa."""
    if kind in WITHOUT_ZONE:
        return exp.DType.TIMESTAMPTZ
    return exp.DType.TIMESTAMP if kind is exp.DType.TIMESTAMPTZ else None


def _of_sum(summed: exp.DType | None) -> exp.DType | None:
    """The sum of BIGINT is a decimal in some engines."""
    if summed in INTEGERS:
        return exp.DType.BIGINT if summed is not exp.DType.BIGINT else None
    return summed if summed in DECIMALS | DOUBLES | {exp.DType.INTERVAL} else None


def _common(values: Iterable[exp.Expr | None]) -> exp.DType | None:
    types = {type_of(value) for value in values if value is not None and not isinstance(value, exp.Null)}
    if len(types) == 1:
        return types.pop()
    if types and types <= INTEGERS:
        return exp.DType.BIGINT
    if types and types <= NUMBERS:
        return exp.DType.DOUBLE if types & DOUBLES else exp.DType.DECIMAL
    if types and types <= TIMES and types & INSTANTS:
        return exp.DType.TIMESTAMPTZ
    return exp.DType.TEXT if types and types <= TEXTS else None


def _of_arithmetic(node: exp.Expr) -> exp.DType | None:
    left, right = type_of(node.this), type_of(node.expression)
    if isinstance(node, exp.Sub) and left in TIMES and right in TIMES:
        return exp.DType.INTERVAL
    return _of_numbers(left, right) or _of_shifted(node, left, right)


def _of_numbers(left: exp.DType | None, right: exp.DType | None) -> exp.DType | None:
    if not {left, right} <= NUMBERS | {None}:
        return None
    # combined with a fractional number, the result is fractional; a decimal may become a double, which differs little
    if left in DOUBLES or right in DOUBLES:
        return exp.DType.DOUBLE
    if left in DECIMALS or right in DECIMALS:
        return exp.DType.DECIMAL
    return None if left is None or right is None else exp.DType.BIGINT


def _of_shifted(node: exp.Expr, left: exp.DType | None, right: exp.DType | None) -> exp.DType | None:
    """A time plus something, or an interval times a number."""
    if isinstance(node, exp.Mul):
        return exp.DType.INTERVAL if exp.DType.INTERVAL in (left, right) else None
    if left in TIMES and right is exp.DType.INTERVAL:
        return left
    return exp.DType.DATE if left is exp.DType.DATE and right in INTEGERS else None


def _of_division(node: exp.Div) -> exp.DType | None:
    """For two integers an integer in the dialects that sqlglot calls typed, else a fractional number."""
    left, right = type_of(node.this), type_of(node.expression)
    if not node.args.get("typed"):
        return exp.DType.DOUBLE if {left, right} <= NUMBERS | {None} else None
    return _of_numbers(left, right)


def _type_column(column: exp.Column, columns_of: ColumnsOf) -> None:
    select = column.find_ancestor(exp.Select)
    found = [kind for source in _sources(select) if (kind := _type_in(source, column, columns_of)) is not None]
    if len(found) == 1 and (column.table or len(_sources(select)) == 1):
        column.type = found[0].copy()


def _sources(select: exp.Select | None) -> list[exp.Expr]:
    from_ = select.args.get("from_") if select is not None else None
    joins = select.args.get("joins") or [] if select is not None else []
    return [*([from_.this] if from_ is not None else []), *(join.this for join in joins)]


def _type_in(source: exp.Expr, column: exp.Column, columns_of: ColumnsOf) -> exp.DataType | None:
    if column.table and source.alias_or_name.lower() != column.table.lower():
        return None
    if isinstance(source, exp.Subquery | exp.Values):
        return _type_in_query(source, column.name, columns_of)
    if not isinstance(source, exp.Table):
        return None
    cte = visible_cte(source)
    if cte is not None:
        return _type_in_query(cte, column.name, columns_of)
    for name, kind in columns_of(source) or []:
        if name.lower() == column.name.lower():
            return _declared(kind)
    return None


def _type_in_query(
    source: exp.Subquery | exp.CTE | exp.Values, name: str, columns_of: ColumnsOf
) -> exp.DataType | None:
    """Of a query or rows of values, whose alias may name the columns anew."""
    query = source if isinstance(source, exp.Values) else source.this
    names = [alias.lower() for alias in source.alias_column_names]
    if not names:
        return _type_of_output(query, name, columns_of)
    return _type_at(query, names.index(name.lower()), columns_of) if name.lower() in names else None


def _type_at(query: exp.Expr, place: int, columns_of: ColumnsOf) -> exp.DataType | None:
    """The type of a column of a query by its place; None behind a star."""
    selects = selects_of(query)
    if len(selects) == 1 and len(_sources(selects[0])) == 1 and selects[0].is_star:
        # a CTE of VALUES
        query = _sources(selects[0])[0]
    if isinstance(query, exp.Values):
        rows = [row.expressions if isinstance(row, exp.Tuple) else [row] for row in query.expressions]
        kind = _common([row[place] for row in rows]) if all(place < len(row) for row in rows) else None
        return exp.DataType(this=kind) if kind is not None else None
    items = [select.expressions for select in selects]
    if not items or any(item.is_star for row in items for item in row) or any(len(row) <= place for row in items):
        return None
    return _type_of_output(query, items[0][place].alias_or_name, columns_of)


def _declared(kind: exp.DataType | None) -> exp.DataType | None:
    """Types are declared under Spark names, where TIMESTAMP may have been one without a zone."""
    if kind is not None and kind.this is exp.DType.TIMESTAMPTZ:
        return exp.DataType(this=exp.DType.TIMESTAMPLTZ)
    return kind


def _type_of_output(query: exp.Expr, name: str, columns_of: ColumnsOf) -> exp.DataType | None:
    query = query.unnest() if isinstance(query, exp.Subquery) else query
    if isinstance(query, exp.SetOperation):
        return _type_in_union(query, name, columns_of)
    if not isinstance(query, exp.Select):
        return None
    for item in query.expressions:
        if item.alias_or_name.lower() == name.lower() and not item.is_star:
            return _type_of_item(item, columns_of)
    if len(_sources(query)) == 1 and any(isinstance(item, exp.Star) for item in query.expressions):
        return _type_in(_sources(query)[0], exp.column(name), columns_of)
    return None


def _type_of_item(item: exp.Expr, columns_of: ColumnsOf) -> exp.DataType | None:
    type_columns(item, columns_of)
    settle_types(item)
    dtype, written = type_of(item), item.unalias()
    known = written.to if isinstance(written, exp.Cast) else written.type
    if known is not None and known.this is dtype:
        return known.copy()
    return exp.DataType(this=dtype) if dtype is not None else None


def _type_in_union(union: exp.SetOperation, name: str, columns_of: ColumnsOf) -> exp.DataType | None:
    """The type that all its selects give to the column at the place of the first one's; a NULL fits any."""
    selects = selects_of(union)
    if not selects or any(item.is_star for select in selects for item in select.expressions):
        return None
    names = [item.alias_or_name.lower() for item in selects[0].expressions]
    if name.lower() not in names or any(len(select.expressions) != len(names) for select in selects):
        return None
    items = [select.expressions[names.index(name.lower())] for select in selects]
    types = [_type_of_item(item, columns_of) for item in items if not isinstance(item.unalias(), exp.Null)]
    return types[0] if types and all(kind == types[0] for kind in types) else None

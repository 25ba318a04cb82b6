"""SQLMesh's macros that generate SQL: keys, safe arithmetic, pivots, unions, spines. Results equal SQLMesh's."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from datetime import date
from functools import partial

from sqlglot import exp

from dbt_kinds.codes import CompileCode
from dbt_kinds.kinds import SparkSql
from dbt_kinds.readers.sqlmesh.macros.arguments import Argument, items_of, tree_of, value_of
from dbt_kinds.readers.sqlmesh.macros.scope import Fragment, Scope, plain_text
from dbt_kinds.translation.dialects import is_spark
from dbt_kinds.translation.star_expansion import Columns

_BITS = {"SHA256": 256, "SHA512": 512, "SHA224": 224, "SHA384": 384}
_NULL_TOKEN = "_sqlmesh_surrogate_key_null_"
_SPINE_UNITS = ("day", "week", "month", "quarter", "year")
_Arguments = Sequence[Argument]


def _named(arguments: _Arguments, names: Sequence[str], scope: Scope, line: int, macro: str) -> dict[str, Argument]:
    """Arguments by name, with positional ones in order."""
    given: dict[str, Argument] = {}
    for position, argument in enumerate(arguments):
        name = argument.name or (names[position] if position < len(names) else "")
        if name not in names:
            message = f"@{macro} has no argument {name or argument.text}; it takes {', '.join(names)}"
            raise scope.error(CompileCode.UnsupportedMacro, message, line)
        given[name] = argument
    return given


def _text(given: dict[str, Argument], name: str, default: str, scope: Scope) -> str:
    """An argument as SQL."""
    value = value_of(given[name], scope) if name in given else default
    return value if isinstance(value, str) else default


def _fields(arguments: _Arguments, scope: Scope, line: int, macro: str, least: int) -> list[str]:
    fields: list[str] = []
    for argument in arguments:
        value = value_of(argument, scope)
        fields.extend(value if isinstance(value, list) else [value] if value is not None else [])
    if len(fields) < least:
        raise scope.error(
            CompileCode.UnsupportedMacro, f"@{macro} got {len(fields)} arguments; it takes {least} or more", line
        )
    return fields


def _surrogate_key(arguments: _Arguments, scope: Scope, line: int) -> Fragment:
    macro = "GENERATE_SURROGATE_KEY"
    function = next((_value_text(item, scope) for item in arguments if item.name == "hash_function"), "MD5").upper()
    if function not in ("MD5", "SHA1", *_BITS):
        raise scope.error(
            CompileCode.UnsupportedMacro, f"@{macro} with {function}: Spark hashes with MD5, SHA1, SHA256, SHA512", line
        )
    parts: list[str] = []
    for field in _fields([item for item in arguments if not item.name], scope, line, macro, 1):
        text = exp.cast(tree_of(field, scope, line), exp.DataType.build("text"))
        parts.append(f"COALESCE({text.sql(dialect=scope.dialect)}, '{_NULL_TOKEN}')")
    whole = parts[0] if len(parts) == 1 else f"CONCAT({', '.join(_between(parts, repr('|')))})"
    return _digest(function, whole, scope.dialect)


def _digest(function: str, text: str, dialect: str) -> str:
    """A digest in the words of a dialect, in which it may be bytes."""
    argument = exp.column("kinds_text")
    made = exp.func(function, argument, dialect=dialect)
    if isinstance(made, exp.MD5Digest):
        made = exp.MD5(this=argument)
    elif is_spark(dialect) and function in _BITS:
        made = exp.SHA2(this=argument, length=exp.Literal.number(_BITS[function]))
    return made.sql(dialect=dialect).replace("kinds_text", text)


def _between(parts: Sequence[str], separator: str) -> list[str]:
    return [piece for part in parts for piece in (separator, part)][1:]


def _value_text(argument: Argument, scope: Scope) -> str:
    value = value_of(argument, scope)
    return plain_text(value) if isinstance(value, str) else ""


def _safe_sum(operator: str, macro: str, arguments: _Arguments, scope: Scope, line: int) -> Fragment:
    fields = _fields(arguments, scope, line, macro, 1)
    nulls = " AND ".join(f"{_operand(field, scope, line)} IS NULL" for field in fields)
    total = f" {operator} ".join(f"COALESCE({field}, 0)" for field in fields)
    return f"CASE WHEN {nulls} THEN NULL ELSE {total} END"


def _safe_div(arguments: _Arguments, scope: Scope, line: int) -> Fragment:
    fields = _fields(arguments, scope, line, "SAFE_DIV", 2)
    return f"{_operand(fields[0], scope, line)} / NULLIF({fields[1]}, 0)"


def _operand(sql: str, scope: Scope, line: int) -> str:
    tree = tree_of(sql, scope, line)
    return f"({sql})" if isinstance(tree, exp.Binary | exp.Case | exp.Between | exp.Not) else sql


def _haversine(arguments: _Arguments, scope: Scope, line: int) -> Fragment:
    names = ("lat1", "lon1", "lat2", "lon2", "unit")
    given = _named(arguments, names, scope, line, "HAVERSINE_DISTANCE")
    if any(name not in given for name in names[:4]):
        raise scope.error(
            CompileCode.UnsupportedMacro, "@HAVERSINE_DISTANCE takes lat1, lon1, lat2, lon2 and perhaps unit", line
        )
    lat1, lon1, lat2, lon2 = (_operand(_text(given, name, "", scope), scope, line) for name in names[:4])
    unit = plain_text(_text(given, "unit", "'mi'", scope))
    rates = {"mi": "1.0", "km": "1.60934"}
    if unit not in rates:
        raise scope.error(
            CompileCode.UnsupportedMacro, f"@HAVERSINE_DISTANCE with unit '{unit}'; write 'mi' or 'km'", line
        )
    return (
        f"7922 * ASIN(SQRT((POWER(SIN(RADIANS(({lat2} - {lat1}) / 2)), 2)) + (COS(RADIANS({lat1})) * "
        f"COS(RADIANS({lat2})) * POWER(SIN(RADIANS(({lon2} - {lon1}) / 2)), 2)))) * {rates[unit]}"
    )


def _pivot(arguments: _Arguments, scope: Scope, line: int) -> Fragment:
    names = (
        "column",
        "values",
        "alias",
        "agg",
        "cmp",
        "prefix",
        "suffix",
        "then_value",
        "else_value",
        "quote",
        "distinct",
    )
    given = _named(arguments, names, scope, line, "PIVOT")
    if "column" not in given or "values" not in given:
        raise scope.error(CompileCode.UnsupportedMacro, "@PIVOT takes a column and a list of values", line)
    column = _text(given, "column", "", scope)
    column = plain_text(column) if column.startswith("'") else column
    then, otherwise = (
        plain_text(_text(given, name, default, scope)) for name, default in (("then_value", "1"), ("else_value", "0"))
    )
    aggregate, compare, prefix, suffix = (
        plain_text(_text(given, name, default, scope))
        for name, default in (("agg", "'SUM'"), ("cmp", "'='"), ("prefix", "''"), ("suffix", "''"))
    )
    distinct = "DISTINCT " if _is_set(given, "distinct", scope, default=False) else ""
    made = []
    for value in items_of(given["values"], scope):
        sql = f"{aggregate}({distinct}CASE WHEN {column} {compare} {value} THEN {then} ELSE {otherwise} END)"
        if _is_set(given, "alias", scope, default=True):
            quoted = _is_set(given, "quote", scope, default=True)
            name = f"{prefix}{plain_text(value)}{suffix}"
            sql += f" AS {exp.to_identifier(name, quoted=quoted or None).sql(dialect=scope.dialect)}"
        made.append(sql)
    return made


def _is_set(given: dict[str, Argument], name: str, scope: Scope, *, default: bool) -> bool:
    return _text(given, name, str(default), scope).lower() == "true"


def _star(arguments: _Arguments, scope: Scope, line: int) -> Fragment:
    names = ("relation", "alias", "exclude", "prefix", "suffix", "quote_identifiers", "except_")
    given = _named(arguments, names, scope, line, "STAR")
    if "relation" not in given:
        raise scope.error(CompileCode.UnsupportedMacro, "@STAR takes a table", line)
    relation = _text(given, "relation", "", scope)
    columns = _columns(relation, scope, line, "STAR")
    left_out = {
        plain_text(item).lower()
        for name in ("exclude", "except_")
        if name in given
        for item in items_of(given[name], scope)
    }
    table = plain_text(_text(given, "alias", "", scope)) or plain_text(relation.split(".")[-1])
    prefix, suffix = (plain_text(_text(given, name, "''", scope)) for name in ("prefix", "suffix"))
    wanted = [(name, kind) for name, kind in columns if name.lower() not in left_out]
    is_typed = all(kind is not None for _, kind in columns)
    made = []
    for name, kind in wanted:
        column: exp.Expr = exp.column(exp.to_identifier(name), table=exp.to_identifier(table))
        if is_typed and kind is not None:
            column = exp.cast(column, kind)
        made.append(exp.alias_(column, exp.to_identifier(f"{prefix}{name}{suffix}")).sql(dialect=scope.dialect))
    if not made:
        raise scope.error(CompileCode.ColumnsUnknown, f"@STAR({relation}) leaves no column", line)
    return made


def _columns(relation: str, scope: Scope, line: int, macro: str) -> Columns:
    columns = scope.columns_of(relation)
    if not columns:
        message = (
            f"@{macro} needs the columns of {relation}, and they are not known; declare them in "
            "external_models.yaml or in the model's columns, or write them out here"
        )
        raise scope.error(CompileCode.ColumnsUnknown, message, line)
    return columns


def _union(arguments: _Arguments, scope: Scope, line: int) -> Fragment:
    values = [value for argument in arguments for value in _as_items(value_of(argument, scope))]
    condition = True
    if values and values[0].strip().upper() in ("TRUE", "FALSE"):
        condition = values.pop(0).strip().upper() == "TRUE"
    kind = "ALL"
    if values and values[0].startswith("'"):
        kind = plain_text(values.pop(0)).upper()
    if kind not in ("ALL", "DISTINCT") or not values:
        raise scope.error(
            CompileCode.UnsupportedMacro, "@UNION takes 'all' or 'distinct' and tables, perhaps a condition first", line
        )
    tables = [_columns(table, scope, line, "UNION") for table in values]
    shared = [
        (name, kind_)
        for name, kind_ in tables[0]
        if all(
            any(name.lower() == other.lower() and kind_ == type_ for other, type_ in columns) for columns in tables[1:]
        )
    ]
    if not shared:
        raise scope.error(CompileCode.ColumnsUnknown, "the tables of @UNION share no column of one name and type", line)
    projections = ", ".join(_cast_as(name, type_, scope) for name, type_ in shared)
    selects = [f"SELECT {projections} FROM {table}" for table in (values if condition else values[:1])]
    return f" UNION{' ALL' if kind == 'ALL' else ''} ".join(selects)


def _cast_as(name: str, kind: exp.DataType | None, scope: Scope) -> str:
    column: exp.Expr = exp.column(exp.to_identifier(name))
    column = exp.cast(column, kind) if kind is not None else column
    return exp.alias_(column, exp.to_identifier(name)).sql(dialect=scope.dialect)


def _as_items(value: Fragment) -> list[str]:
    return value if isinstance(value, list) else [value] if value is not None else []


def _deduplicate(arguments: _Arguments, scope: Scope, line: int) -> Fragment:
    given = _named(arguments, ("relation", "partition_by", "order_by"), scope, line, "DEDUPLICATE")
    if len(given) != 3:
        raise scope.error(
            CompileCode.UnsupportedMacro, "@DEDUPLICATE takes a table, [columns] and ['column desc', …]", line
        )
    partition = ", ".join(items_of(given["partition_by"], scope))
    order = ", ".join(plain_text(item) for item in items_of(given["order_by"], scope))
    relation = _text(given, "relation", "", scope)
    return f"SELECT * FROM {relation} QUALIFY ROW_NUMBER() OVER (PARTITION BY {partition} ORDER BY {order}) = 1"


def _date_spine(arguments: _Arguments, scope: Scope, line: int) -> Fragment:
    given = _named(arguments, ("datepart", "start_date", "end_date"), scope, line, "DATE_SPINE")
    unit = plain_text(_text(given, "datepart", "", scope)).lower()
    if unit not in _SPINE_UNITS or len(given) != 3:
        message = f"@DATE_SPINE('{unit}', …): write day, week, month, quarter or year, a first and a last date"
        raise scope.error(CompileCode.UnsupportedMacro, message, line)
    bounds = [_spine_bound(_text(given, name, "", scope), scope, line) for name in ("start_date", "end_date")]
    step = "INTERVAL '3' MONTH" if unit == "quarter" else f"INTERVAL '1' {unit.upper()}"
    query = f"SELECT EXPLODE(SEQUENCE({bounds[0]}, {bounds[1]}, {step})) AS date_{unit}"
    return scope.placeholders.name_of(SparkSql(query))


def _spine_bound(sql: str, scope: Scope, line: int) -> str:
    tree = tree_of(sql, scope, line)
    if isinstance(tree, exp.Literal):
        try:
            date.fromisoformat(tree.this)
        except ValueError as error:
            message = f"@DATE_SPINE from or to '{tree.this}'; write a date as YYYY-MM-DD"
            raise scope.error(CompileCode.UnsupportedMacro, message, line) from error
    text = tree.sql(dialect="spark")
    return text if re.match(r"CAST\(.* AS DATE\)$", text) else f"CAST({text} AS DATE)"


MACROS: dict[str, Callable[[_Arguments, Scope, int], Fragment]] = {
    "generate_surrogate_key": _surrogate_key,
    "safe_add": partial(_safe_sum, "+", "SAFE_ADD"),
    "safe_sub": partial(_safe_sum, "-", "SAFE_SUB"),
    "safe_div": _safe_div,
    "haversine_distance": _haversine,
    "pivot": _pivot,
    "star": _star,
    "union": _union,
    "deduplicate": _deduplicate,
    "date_spine": _date_spine,
}

"""What stands in for what DuckDB lacks: fields of structs, elements of arrays, other databases' functions and tables.

A stand-in is made of its arguments, so that equal arguments give equal values; both ways of loading get the same ones.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Mapping
from types import MappingProxyType

import duckdb
import sqlglot
from sqlglot import exp

from dbt_kinds.migrate.bounds import asks_now
from dbt_kinds.migrate.column_types import DATE_NAME, TIME_NAME
from dbt_kinds.prove.rendering import OLD_TABLE
from dbt_kinds.prove.uses import DATE, FLAG, LOCAL_TIME, NUMBER, TIME, used_as

# a time that is the first part of a text, or a number of seconds or milliseconds
MACROS = (
    "create or replace macro kinds_text(name, given) as md5(name || '|' || given::varchar)",
    "create or replace macro kinds_number(name, given) as (hash(name || '|' || given::varchar) % 10)::bigint",
    "create or replace macro kinds_flag(name, given) as (hash(name || '|' || given::varchar) % 3 > 0)",
    "create or replace macro kinds_seconds(given) as try_cast(given::varchar as bigint)",
    "create or replace macro kinds_time(given) as coalesce("
    "try_cast(split_part(given::varchar, '|', 1) as timestamptz), "
    "case when kinds_seconds(given) > 100000000000 then to_timestamp(kinds_seconds(given) / 1000) "
    "when kinds_seconds(given) > 100000000 then to_timestamp(kinds_seconds(given)) end)",
)
_READ_TIMES = (exp.StrToTime, exp.UnixToTime, exp.TsOrDsToTimestamp, exp.ParseDatetime, exp.ParseTime)
_FIELDS = (exp.JSONExtract, exp.JSONExtractScalar, exp.JSONBExtract, exp.JSONBExtractScalar)
_OF_TIMES = (
    exp.DateTrunc, exp.TimestampTrunc, exp.DatetimeTrunc, exp.Extract, exp.DateDiff, exp.DateAdd, exp.DateSub,
    exp.TimestampAdd, exp.TimestampSub, exp.TsOrDsToDate, exp.AtTimeZone, exp.TimeToStr, exp.TsOrDsAdd,
)  # fmt: skip
_OF_NUMBERS = (exp.Sum, exp.Avg, exp.Round, exp.Add, exp.Sub, exp.Mul, exp.Div, exp.Abs, exp.Neg)
_COMPARED = (exp.EQ, exp.NEQ, exp.GT, exp.GTE, exp.LT, exp.LTE, exp.In, exp.Between)
_SAME = (exp.Paren, exp.Coalesce, exp.Max, exp.Min, exp.Alias, exp.If, exp.Case)
_WINDOW = re.compile(r"kinds_(?:start|end)_(?:dt|date|dtntz|tstz)")


_KINDS = {TIME: "time", LOCAL_TIME: "time", DATE: "time", NUMBER: "number", FLAG: "flag"}


@functools.cache
def _functions_of_duckdb() -> frozenset[str]:
    found = duckdb.connect().execute("select distinct lower(function_name) from duckdb_functions()").fetchall()
    return frozenset(name for (name,) in found)


def with_stand_ins(tree: exp.Query) -> tuple[exp.Query, list[str]]:
    """A query with stand-ins for what is not a matter of functions' names in DuckDB, and the names of the functions."""
    tree = tree.copy()
    for safe in list(tree.find_all(exp.SafeFunc)):
        # BigQuery's prefix of functions that return NULL where they would fail
        safe.replace(safe.this.copy())
    uses = {name: _KINDS[type_] for name, type_ in used_as([tree]).items() if type_ in _KINDS}
    _name_tables(tree)
    _name_as_written(tree)
    _unfold(tree)
    _take_fields(tree, uses)
    _take_stars(tree)
    told = []
    for node in list(tree.find_all(*_READ_TIMES)):
        node.replace(_call("kinds_time", node.this.copy()))
    formatted = [one for one in tree.find_all(exp.TsOrDsToDate) if one.args.get("format")]
    for node in [*tree.find_all(exp.StrToDate), *formatted]:
        node.replace(exp.cast(_call("kinds_time", node.this.copy()), "date"))
    for node in list(tree.find_all(exp.StrToUnix)):
        if node.this is not None:
            node.replace(_call("epoch", _call("kinds_time", node.this.copy())))
    for call in list(tree.find_all(exp.Anonymous)):
        name = call.name.lower()
        if name not in _functions_of_duckdb() and not name.startswith("kinds_") and not asks_now(call):
            told.append(name)
            _stand_in(call, name, call.expressions)
    return tree, told


def without_functions(sql: str, lacking: frozenset[str]) -> str:
    """DuckDB's SQL with stand-ins for functions that it turned out to lack."""
    tree = sqlglot.parse_one(sql, read="duckdb")
    for call in list(tree.find_all(exp.Func)):
        name = call.name if isinstance(call, exp.Anonymous) else call.sql_name()
        if name.lower() in lacking:
            _stand_in(call, name.lower(), [one for one in call.iter_expressions() if isinstance(one, exp.Expr)])
    return tree.sql(dialect="duckdb")


def _name_tables(tree: exp.Query) -> None:
    """Gives tables that the query names itself a name as inputs have."""
    ctes = {cte.alias.lower() for cte in tree.find_all(exp.CTE)}
    for table in list(tree.find_all(exp.Table)):
        name = table.name.lower()
        if _reads_files(table):
            written = re.sub(r"\W+", "_", table.this.sql()).lower()
            table.set("this", exp.to_identifier(f"in_{written}".strip("_")))
            continue
        if (
            not isinstance(table.this, exp.Identifier)
            or name.startswith("in_")
            or name == OLD_TABLE
            or (name in ctes and not table.db)
        ):
            continue
        alias = table.alias_or_name
        named = "in_" + re.sub(r"\W+", "_", ".".join(part.name for part in table.parts)).lower().strip("_")
        table.set("this", exp.to_identifier(named))
        table.set("db", None)
        table.set("catalog", None)
        if not table.alias and re.fullmatch(r"\w+", alias):
            table.set("alias", exp.TableAlias(this=exp.to_identifier(alias)))


def _reads_files(table: exp.Table) -> bool:
    """Whether it is a function such as `read_files('…')`, whose rows depend on no other table."""
    function = table.this
    if not isinstance(function, exp.Anonymous) or function.find(exp.Column) is not None:
        return False
    return function.name.lower() not in _functions_of_duckdb()


def _name_as_written(tree: exp.Query) -> None:
    """Gives inputs that columns name by their own name, such as `orders.id` of shop.orders, that name."""
    asked: dict[int, set[str]] = {}
    for column in tree.find_all(exp.Column):
        if len(column.parts) > 1:
            asked.setdefault(id(column.parent_select), set()).add(column.parts[0].name.lower())
    for select in tree.find_all(exp.Select):
        first = select.args.get("from_")
        read = [one.this for one in (*([first] if first else []), *(select.args.get("joins") or []))]
        known = {one.alias_or_name.lower() for one in read}
        for name in asked.get(id(select), set()) - known:
            for table in read:
                is_of_name = isinstance(table, exp.Table) and table.name.lower().startswith("in_")
                if is_of_name and not table.alias and table.name.lower().endswith(f"_{name}"):
                    table.set("alias", exp.TableAlias(this=exp.to_identifier(name)))


def _unfold(tree: exp.Query) -> None:
    """An array has one element: itself."""
    for node in list(tree.find_all(exp.Explode, exp.ExplodeOuter)):
        if not isinstance(node.parent, exp.Lateral):
            node.replace(node.this.copy())
    for select in list(tree.find_all(exp.Select)):
        for lateral in list(select.args.get("laterals") or []):
            if isinstance(lateral.this, exp.Explode | exp.ExplodeOuter | exp.Posexplode | exp.Inline):
                select.args["laterals"].remove(lateral)
                select.append(
                    "joins",
                    _element(lateral.this.this, lateral.args.get("alias"), isinstance(lateral.this, exp.Posexplode)),
                )
        for join in list(select.args.get("joins") or []):
            unnest = join.this
            if (
                isinstance(unnest, exp.Unnest)
                and len(unnest.expressions) == 1
                and isinstance(unnest.expressions[0], exp.Column | exp.Dot)
            ):
                join.replace(_element(unnest.expressions[0], unnest.args.get("alias"), with_position=False))
            elif isinstance(unnest, exp.Lateral) and isinstance(unnest.this, exp.Explode):
                given = unnest.this.this
                given = given.expression if isinstance(given, exp.Kwarg) else given
                join.replace(_element(given, unnest.args.get("alias"), with_position=False, column="value"))


def _element(array: exp.Expr, alias: exp.Expr | None, with_position: bool, column: str = "") -> exp.Join:
    names = [one.name for one in (alias.args.get("columns") or [])] if alias is not None else []
    table = alias.this.name if alias is not None and alias.this is not None else ""
    names = [column] if column else names or [table or "col"]
    position = f"0 as {names[0]}, " if with_position and len(names) > 1 else ""
    if column:
        # what Snowflake's flatten has beside the value
        position = "0 as index, cast(null as varchar) as key, "
    shown = table if table and table != names[-1] else f"kinds_element_{names[-1]}"
    text = f"select 1 from a cross join lateral (select {position}kinds_array as {names[-1]}) as {shown}"
    made = sqlglot.parse_one(text, read="duckdb")
    for marker in list(made.find_all(exp.Column)):
        if marker.name == "kinds_array":
            marker.replace(array.copy())
    return made.args["joins"][0]  # type: ignore[no-any-return]


def _take_fields(tree: exp.Query, uses: Mapping[str, str]) -> None:
    sources = {
        one.alias_or_name.lower() for one in tree.find_all(exp.Table, exp.Subquery, exp.CTE, exp.Lateral, exp.Unnest)
    }
    for column in list(tree.find_all(exp.Column)):
        parts = [part.name for part in column.parts]
        if isinstance(column.this, exp.Star) and column.table and column.table.lower() not in sources:
            _take_all_fields(tree, column, uses)
        if isinstance(column.this, exp.Star) or len(parts) == 1:
            continue
        is_qualified = parts[0].lower() in sources
        column_of = exp.column(parts[1], table=parts[0]) if is_qualified else exp.column(parts[0])
        rest = parts[2:] if is_qualified else parts[1:]
        if rest:
            _stand_in(column, rest[-1].lower(), [column_of], ".".join(rest).lower(), uses)
    for node in list(tree.find_all(exp.Dot, exp.Bracket, *_FIELDS)):
        if node.parent is None or any(isinstance(above, (exp.Dot, exp.Bracket, *_FIELDS)) for above in _above(node)):
            continue
        base: exp.Expr = node
        path: list[str] = []
        while isinstance(base, (exp.Dot, exp.Bracket, exp.Paren, exp.ParseJSON, exp.Cast, *_FIELDS)):
            if isinstance(base, exp.Dot):
                path.append(base.expression.name)
            elif isinstance(base, exp.Bracket):
                path.append("_".join(one.name for one in base.expressions))
            elif isinstance(base, _FIELDS):
                path.append(base.expression.sql())
            base = base.this
        name = re.sub(r"\W", "", path[0]).lower() if path else ""
        _stand_in(node, name, [base], ".".join(reversed(path)).lower(), uses)
    for node in list(tree.find_all(exp.ParseJSON)):
        node.replace(node.this.copy())


def _take_all_fields(tree: exp.Query, star: exp.Column, uses: Mapping[str, str]) -> None:
    """The fields of a struct that the rest of the query reads."""
    select = star.parent
    if not isinstance(select, exp.Select):
        return
    # `r.name as name` reads a field of that name
    made = (one for one in tree.find_all(exp.Alias) if one.this.name.lower() != one.alias.lower())
    own = {one.name.lower() for one in select.find_all(exp.Column)} | {one.alias.lower() for one in made}
    names = dict.fromkeys(one.name.lower() for one in tree.find_all(exp.Column) if not isinstance(one.this, exp.Star))
    for name in names:
        if name not in own and not name.startswith("kinds_"):
            field = exp.Dot(this=exp.column(star.table), expression=exp.to_identifier(name))
            select.append("expressions", field)
            _stand_in(field, name, [field.this], name, uses)
    select.expressions.remove(star)


def _take_stars(tree: exp.Query) -> None:
    """A star as an argument, such as in a hash of the whole row, is taken for a text."""
    for star in list(tree.find_all(exp.Star)):
        whole = star.parent if isinstance(star.parent, exp.Column) else star
        if not isinstance(whole.parent, exp.Select | exp.Count):
            whole.replace(exp.Literal.string(""))


def _above(node: exp.Expr) -> list[exp.Expr]:
    found = []
    while node.parent is not None and not isinstance(node.parent, exp.Select):
        found.append(node.parent)
        node = node.parent
    return found


def _stand_in(
    node: exp.Expr, name: str, given: list[exp.Expr], path: str = "", uses: Mapping[str, str] = MappingProxyType({})
) -> None:
    """Replaces an expression by a value of the type that is wanted there; `uses` are those of names in the query."""
    place, wanted = _wanted(node, name)
    shown = (
        place.parent.alias
        if isinstance(place.parent, exp.Alias)
        else name
        if isinstance(place.parent, exp.Select)
        else ""
    )
    if wanted == "text" and place is node:
        wanted = uses.get(shown.lower(), wanted)
    values = [one.expression if isinstance(one, exp.Kwarg | exp.PropertyEQ) else one for one in given]
    inside = [_whole_row(one.copy()) for one in values]
    if wanted == "time":
        made: exp.Expr = _call("kinds_time", next((one for one in inside if one.find(exp.Column)), exp.Null()))
    else:
        joined: exp.Expr = exp.Literal.string("")
        for one in inside:
            text = exp.cast(one, "varchar", dialect="duckdb")
            present = exp.Coalesce(this=text, expressions=[exp.Literal.string("")])
            joined = exp.DPipe(this=joined, expression=present)
        made = _call(f"kinds_{wanted}", exp.Literal.string(path or name), joined)
    if isinstance(place, exp.Cast) and wanted == "time":
        made = exp.cast(made, place.to.copy())
    # a field has its name in the result
    place.replace(
        exp.alias_(made, name)
        if path and isinstance(place.parent, exp.Select) and place.arg_key == "expressions"
        else made
    )


def _whole_row(given: exp.Expr) -> exp.Expr:
    """A row in place of its star, which a function cannot take."""
    stars = list(given.find_all(exp.Star))
    if not stars:
        return given
    table = stars[0].parent.table if isinstance(stars[0].parent, exp.Column) else ""
    return exp.column(table) if table else exp.Literal.string("")


def _wanted(node: exp.Expr, name: str) -> tuple[exp.Expr, str]:
    """The expression to replace, and time, number, flag or text."""
    if isinstance(node.parent, exp.Cast) and node.parent.this is node:
        written = node.parent.to.sql().lower()
        kinds = ((r"timestamp|date|time", "time"), (r"bool", "flag"), (r".*int|dec|num|float|double|bignum", "number"))
        return node.parent, next((kind for pattern, kind in kinds if re.match(pattern, written)), "text")
    parent: exp.Expr | None = node.parent
    child: exp.Expr | None = node
    while isinstance(parent, _SAME):
        if isinstance(parent, exp.Alias):
            break
        parent, child = parent.parent, parent
    if isinstance(parent, _OF_TIMES):
        return node, "time"
    if isinstance(parent, _OF_NUMBERS):
        return node, "number"
    if isinstance(parent, exp.And | exp.Or | exp.Not | exp.Where) or (
        isinstance(parent, exp.If) and parent.this is child
    ):
        return node, "flag"
    if isinstance(parent, _COMPARED):
        others = [other for other in parent.iter_expressions() if other is not child]
        if any(
            asks_now(other) or any(_WINDOW.fullmatch(one.name.lower()) for one in other.find_all(exp.Column))
            for other in others
        ):
            return node, "time"
        if any(isinstance(other, exp.Literal) and not other.is_string for other in others):
            return node, "number"
        if any(isinstance(other, exp.Boolean) for other in others):
            return node, "flag"
    if isinstance(parent, exp.Alias) and (
        TIME_NAME.fullmatch(parent.alias.lower()) or DATE_NAME.fullmatch(parent.alias.lower())
    ):
        return node, "time"
    if TIME_NAME.fullmatch(name) or re.search(r"(?:_ts|to_ts|timestamp|to_time)", name):
        return node, "time"
    return node, "text"


def _call(name: str, *given: exp.Expr) -> exp.Anonymous:
    return exp.Anonymous(this=name, expressions=list(given))

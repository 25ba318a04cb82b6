"""Constructs that sqlglot passes through although Spark 3.5 lacks them: rewritten or refused.

Each was tested on Spark 3.5.9.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from sqlglot import exp

from dbt_kinds.kinds import TimeVariable
from dbt_kinds.marks import Marks, is_mark
from dbt_kinds.translation.data_types import spell_types
from dbt_kinds.translation.dialects import is_spark, spark_sql
from dbt_kinds.translation.duckdb_only import duckdb_only
from dbt_kinds.translation.epochs import epoch
from dbt_kinds.translation.file_tables import as_table
from dbt_kinds.translation.foreign_functions import FOREIGN_FUNCTIONS
from dbt_kinds.translation.functions import known_to_sqlglot
from dbt_kinds.translation.joined_lists import join_lists
from dbt_kinds.translation.left_out import refuse_left_out
from dbt_kinds.translation.list_aggregates import listed
from dbt_kinds.translation.literals import plain_literals
from dbt_kinds.translation.made_rows import series
from dbt_kinds.translation.not_in_spark import NotInSpark
from dbt_kinds.translation.pivots import name_columns
from dbt_kinds.translation.predicates import parenthesize_predicates
from dbt_kinds.translation.qualify import unfold_distinct_on, unfold_qualify
from dbt_kinds.translation.remarks import Remark
from dbt_kinds.translation.same_names import as_meant
from dbt_kinds.translation.scan import code_only, without_comments
from dbt_kinds.translation.spark_functions import SPARK_FUNCTIONS, SPARK_VERSION
from dbt_kinds.translation.subscripts import remember_shifts
from dbt_kinds.translation.time_variables import time_type
from dbt_kinds.translation.value_types import settle_types, type_of
from dbt_kinds.translation.zones import spelt_zone

_TYPE_NAMES = (
    "ARRAY BIGINT BINARY BOOLEAN CHAR NCHAR NVARCHAR DATE DECIMAL DOUBLE FLOAT INT INTERVAL MAP NULL SMALLINT STRUCT "
    "TEXT TIMESTAMP TIMESTAMPLTZ TIMESTAMPTZ TIMESTAMPNTZ TINYINT VARBINARY VARCHAR DATETIME UNKNOWN VOID "
    "MEDIUMINT UUID BIGDECIMAL UTINYINT USMALLINT UINT UBIGINT"
)
_TYPES = frozenset(_TYPE_NAMES.split())
_OPERATORS = (exp.Binary, exp.Connector, exp.Cast, exp.Case, exp.If, exp.Unary)
_CALL = re.compile(r"(\w+)\(")
_UNITS_OF_DATES = frozenset({"DAY", "WEEK", "MONTH", "QUARTER", "YEAR"})
_PSEUDO_COLUMNS = frozenset({"ROWNUM", "_PARTITIONTIME", "_PARTITIONDATE", "_TABLE_SUFFIX"})
_DATE_FUNCTIONS = (exp.CurrentDate, exp.Date, exp.LastDay, exp.TsOrDsToDate, exp.DateTrunc, exp.StrToDate)
_ADDITIONS: tuple[type[exp.Expr], ...] = (exp.DateAdd, exp.TimestampAdd, exp.DatetimeAdd, exp.TsOrDsAdd)
_SUBTRACTIONS: tuple[type[exp.Expr], ...] = (exp.DateSub, exp.TimestampSub, exp.DatetimeSub)


def type_marks(tree: exp.Expr, marks: Marks) -> None:
    """Declares the types of time variables to sqlglot, which decide how date arithmetic is written."""
    for column in tree.find_all(exp.Column):
        mark = marks.by_name.get(column.name)
        if isinstance(mark, TimeVariable):
            column.type = exp.DataType(this=time_type(mark.name))


def needs_rewrite(tree: exp.Expr) -> bool:
    """Whether SQL of Spark's own family contains constructs that Spark 3.5 refuses."""
    for node in tree.walk():
        if isinstance(node, exp.Qualify | exp.GroupConcat):
            return True
        if isinstance(node, exp.Star) and (node.args.get("except_") or node.args.get("replace")):
            return True
        if isinstance(node, exp.Distinct) and node.args.get("on"):
            return True
        if isinstance(node, exp.SetOperation) and node.args.get("by_name"):
            return True
        if isinstance(node, exp.IgnoreNulls) and isinstance(node.this, exp.ArrayAgg):
            return True
        if isinstance(node, exp.Extract) and node.name.upper() == "EPOCH":
            return True
    return False


def is_spelt_for_spark(text: str) -> bool:
    """Whether Spark SQL as parsed by sqlglot is also valid in Spark 3.5: no `::`, `AS "a"`, `{# comment #}`."""
    code = code_only(text)
    return "::" not in code and "{#" not in text and not re.search(r'\bAS\s+"', without_comments(text), re.IGNORECASE)


def rewrite(tree: exp.Expr, dialect: str) -> exp.Expr:
    """The tree with everything that Spark 3.5 refuses rewritten.

    Raises:
        NotInSpark: a part cannot be rewritten.
    """
    tree = plain_literals(tree, dialect)
    spell_types(tree, dialect)
    # from the inner ones out, since an outer one is copied
    for select in reversed(list(tree.find_all(exp.Select))):
        unfold_qualify(select)
        unfold_distinct_on(select)
    remember_shifts(tree)
    settle_types(tree)
    # from the leaves up, so that nested parts are already rewritten
    for node in reversed(list(tree.walk(bfs=False))):
        new = _rewritten(node, dialect)
        if new is node:
            continue
        if new.type is None and (known := type_of(node)) is not None:
            new.type = exp.DataType(this=known)
        if node is tree:
            tree = new
        else:
            node.replace(new)
    for select in tree.find_all(exp.Select):
        join_lists(select, dialect)
    for pivot in tree.find_all(exp.Pivot):
        name_columns(pivot, dialect)
    for node in tree.walk():
        _refuse(node)
        if not is_spark(dialect):
            refuse_left_out(node, dialect)
        only = duckdb_only(node) if dialect == "duckdb" else None
        if only is not None:
            raise NotInSpark(only, node)
    parenthesize_predicates(tree, dialect)
    return tree


def check_written(text: str, tree: exp.Expr, source: exp.Expr, dialect: str) -> None:
    """Checks the generated SQL for functions and types that Spark does not have.

    Args:
        text: the generated SQL, and `tree` its parse tree.
        source: the tree in the source dialect, for positions of refusals.

    Raises:
        NotInSpark: there is one.
    """
    for node in tree.walk():
        if isinstance(node, exp.Qualify):
            raise NotInSpark("QUALIFY could not be unfolded; filter a sub-select by the window function", node)
        if isinstance(node, exp.DataType) and isinstance(node.this, exp.DType) and node.this.name not in _TYPES:
            raise NotInSpark(f"the type {node.sql()} has no counterpart in Spark", _like(node, source))
        if isinstance(node, exp.Func):
            _check_function(_written_name(node, text), node, source, dialect)


def unknown_functions(tree: exp.Expr, text: str, source: exp.Expr, dialect: str) -> Iterator[Remark]:
    """The functions in a Spark query that Spark does not have, without duplicates; they may be user-defined.

    Args:
        tree: the query for Spark, and `text` its original text.
        source: the tree in the source dialect, for positions.
    """
    said: set[str] = set()
    for node in tree.find_all(exp.Func):
        name = _written_name(node, text)
        if not name or name in said or name.lower() in SPARK_FUNCTIONS or is_mark(name.lower()):
            continue
        said.add(name)
        qualifier = f"{node.parent.this.sql()}." if isinstance(node.parent, exp.Dot) else ""
        message = (
            f"{qualifier}{name} is no function of Spark {SPARK_VERSION}; it must be created there (CREATE FUNCTION) "
            "or written with others"
        )
        yield Remark("unknown function", message, _named(name, source) or node)


def _written_name(node: exp.Func, text: str) -> str:
    start, end = node.meta.get("start"), node.meta.get("end")
    if start is not None and end is not None:
        return text[start : end + 1].upper().strip("`")
    # constructs with their own syntax have no position in the parser
    if isinstance(node, _OPERATORS) or any(name.lower() in SPARK_FUNCTIONS for name in node.sql_names()):
        return ""
    found = _CALL.match(spark_sql(node))
    return found[1].upper() if found is not None else ""


def _check_function(name: str, node: exp.Func, source: exp.Expr, dialect: str) -> None:
    if name and name.lower() not in SPARK_FUNCTIONS and not is_mark(name.lower()) and name in _built_in(dialect):
        raise NotInSpark(f"{name} of {dialect} has no counterpart in Spark", _named(name, source) or node)


@lru_cache(maxsize=32)
def _built_in(dialect: str) -> frozenset[str]:
    """Names of a dialect's built-in functions: those parsed by sqlglot, and some that it treats as user-defined."""
    return known_to_sqlglot(dialect) | FOREIGN_FUNCTIONS


def _named(name: str, source: exp.Expr) -> exp.Expr | None:
    for node in source.find_all(exp.Func):
        if name in (node.sql_name(), node.name.upper(), str(node.meta.get("name") or "").upper()):
            return node
    return None


def _like(node: exp.DataType, source: exp.Expr) -> exp.Expr:
    return next((other for other in source.find_all(exp.Cast) if other.to.this == node.this), node)


def _rewritten(node: exp.Expr, dialect: str) -> exp.Expr:
    meant = as_meant(node, dialect)
    if meant is not node:
        return meant
    listing = listed(node, dialect)
    if listing is not node:
        return listing
    if isinstance(node, exp.Table) and isinstance(node.this, exp.GenerateSeries):
        return series(node, dialect)
    if isinstance(node, exp.SetOperation) and node.expression.args.get("with_"):
        node.set("expression", exp.Subquery(this=node.expression))
    if isinstance(node, exp.Table) and dialect == "duckdb":
        return as_table(node)
    if isinstance(node, exp.Extract) and node.name.upper() == "EPOCH":
        return epoch(node.expression)
    if isinstance(node, exp.AtTimeZone | exp.FromTimeZone):
        node.set("zone", spelt_zone(node.args["zone"]))
    if isinstance(node, exp.ConvertTimezone):
        for part in ("source_tz", "target_tz"):
            if node.args.get(part) is not None:
                node.set(part, spelt_zone(node.args[part]))
    if isinstance(node, exp.Interval):
        return _interval(node)
    if isinstance(node, (*_ADDITIONS, *_SUBTRACTIONS)):
        return _date_arithmetic(node)
    return node


def _date_arithmetic(node: exp.Expr) -> exp.Expr:
    """`t + INTERVAL …`: Spark's DATE_ADD drops the time, and is only correct for dates."""
    subtracts = isinstance(node, _SUBTRACTIONS)
    unit = node.args.get("unit")
    unit_name = (unit.name if isinstance(unit, exp.Expr) else str(unit or "DAY")).upper()
    amount = node.expression
    if isinstance(amount, exp.Interval):
        unit_name = amount.unit.name.upper() if amount.unit is not None else unit_name
        amount = amount.this
    if isinstance(node, exp.DateAdd | exp.DateSub | exp.TsOrDsAdd) and _is_date(node.this):
        if unit_name.removesuffix("S") in _UNITS_OF_DATES:
            return node
        # with hours a date becomes a timestamp
        node.set("this", exp.cast(node.this, "timestamp", dialect="spark"))
    number = amount.this if isinstance(amount, exp.Neg) else amount
    minus = isinstance(amount, exp.Neg) != subtracts
    if isinstance(number, exp.Literal) and number.this.lstrip("-").isdigit():
        unit_name, several = _interval_unit(unit_name)
        count = int(number.this) * several
        minus = minus != (count < 0)
        interval: exp.Expr = exp.Interval(this=exp.Literal.string(str(abs(count))), unit=exp.var(unit_name))
    else:
        interval = _many(number, unit_name)
    left = exp.paren(node.this) if isinstance(node.this, exp.Binary) else node.this
    result = (exp.Sub if minus else exp.Add)(this=left, expression=interval)
    return exp.paren(result) if isinstance(node.parent, exp.Binary | exp.Cast | exp.Unary | exp.Dot) else result


def _many(number: exp.Expr, unit: str) -> exp.Mul:
    """An interval with a number that is not a literal."""
    unit, several = _interval_unit(unit)
    one = exp.Interval(this=exp.Literal.string(str(several)), unit=exp.var(unit))
    return exp.Mul(this=exp.paren(number.copy()) if isinstance(number, exp.Binary) else number, expression=one)


def _interval_unit(unit: str) -> tuple[str, int]:
    """A unit of Spark's intervals, and how many of them the given unit is."""
    spark_units = {"QUARTER": ("MONTH", 3), "DECADE": ("YEAR", 10), "CENTURY": ("YEAR", 100)}
    return spark_units.get(unit, (unit, 1))


def _interval(node: exp.Interval) -> exp.Expr:
    """`INTERVAL (n) DAY`: Spark requires a literal, and multiplies it."""
    number = node.this.unnest() if node.this is not None else None
    if number is None or not isinstance(node.unit, exp.Var) or isinstance(node.parent, (*_ADDITIONS, *_SUBTRACTIONS)):
        return node
    unit = node.unit.name.upper().removesuffix("S")
    if isinstance(number, exp.Literal):
        name, several = _interval_unit(unit)
        is_whole = number.name.isdigit()
        count = str(int(number.name) * several) if is_whole else number.name
        return exp.Interval(this=exp.Literal.string(count), unit=exp.var(name if is_whole else unit))
    is_negative = isinstance(number, exp.Neg) and isinstance(number.this, exp.Literal)
    many = _many(exp.paren(number) if is_negative else number, unit)
    return exp.paren(many) if isinstance(node.parent, exp.Binary) else many


def _is_date(node: exp.Expr) -> bool:
    if node.is_type(exp.DType.DATE):
        return True
    if isinstance(node, exp.Cast):
        return bool(node.to.is_type(exp.DType.DATE))
    if isinstance(node, exp.Paren):
        return _is_date(node.this)
    if isinstance(node, exp.TsOrDsAdd | exp.DateAdd | exp.DateSub):
        return _is_date(node.this)
    return isinstance(node, _DATE_FUNCTIONS) and not (isinstance(node, exp.DateTrunc) and not _is_date(node.this))


def _refuse(node: exp.Expr) -> None:
    if isinstance(node, exp.Parameter | exp.SessionParameter | exp.Placeholder):
        raise NotInSpark(f"the parameter {node.sql()} has no value here; write a variable", node)
    if isinstance(node, exp.SetOperation) and node.args.get("by_name"):
        raise NotInSpark("BY NAME has no counterpart in Spark; write the columns of both sides out", node)
    if isinstance(node, exp.Order) and isinstance(node.parent, exp.AggFunc):
        raise NotInSpark(
            f"ORDER BY in {node.parent.sql_name()} has no counterpart in Spark; write min_by or max_by", node
        )
    if isinstance(node, exp.WindowSpec) and str(node.args.get("kind")).upper() == "GROUPS":
        raise NotInSpark("a frame of GROUPS has no counterpart in Spark; write ROWS or RANGE", node)
    if isinstance(node, exp.Unnest) and isinstance(node.parent, exp.Join):
        raise NotInSpark("a list joined within parentheses has no counterpart in Spark; join it outside of them", node)
    if isinstance(node, exp.Join) and (node.method or "").upper() == "ASOF":
        raise NotInSpark("ASOF JOIN has no counterpart in Spark; join on a range and keep the last row", node)
    if isinstance(node, exp.LimitOptions) and (node.args.get("with_ties") or node.args.get("percent")):
        raise NotInSpark("a limit WITH TIES or in PERCENT has no counterpart in Spark; filter by rank()", node)
    if isinstance(node, exp.PreWhere):
        raise NotInSpark("PREWHERE has no counterpart in Spark; write WHERE", node)
    if isinstance(node, exp.With) and node.recursive:
        raise NotInSpark("WITH RECURSIVE has no counterpart in Spark 3.5", node)
    if isinstance(node, exp.Column | exp.Pseudocolumn) and node.name.upper() in _PSEUDO_COLUMNS:
        raise NotInSpark(f"the pseudo-column {node.name} has no counterpart in Spark", node)
    if isinstance(node, exp.Lateral):
        inner = node.this
        alias = node.args.get("alias")
        if alias is not None and [column.name for column in alias.args.get("columns") or []][:2] == ["SEQ", "KEY"]:
            raise NotInSpark("FLATTEN has no counterpart in Spark; write LATERAL VIEW explode()", node)
        if isinstance(inner, exp.Subquery) and inner.this.args.get("limit") is not None:
            raise NotInSpark("LIMIT in a correlated LATERAL has no counterpart in Spark 3.5; use row_number()", node)
    if isinstance(node, exp.Collate):
        raise NotInSpark("COLLATE has no counterpart in Spark 3.5; compare lower(…)", node)
    if isinstance(node, exp.Cast) and node.args.get("format") is not None:
        raise NotInSpark("CAST with a FORMAT has no counterpart in Spark; write date_format() or to_timestamp()", node)
    if isinstance(node, exp.Array) and any(isinstance(item, exp.Query) for item in node.expressions):
        raise NotInSpark("ARRAY of a sub-select has no counterpart in Spark; write collect_list()", node)
    if isinstance(node, exp.SafeFunc):
        raise NotInSpark("SAFE. before a function has no counterpart in Spark; write try_… where it has one", node)
    if isinstance(node, exp.Kwarg):
        raise NotInSpark(f"the named argument {node.sql()} has no counterpart in Spark", node)

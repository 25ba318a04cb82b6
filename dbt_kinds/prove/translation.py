"""Queries of any dialect for DuckDB, with the moment of a run in place of the clock's."""

from __future__ import annotations

import functools
import re

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

from dbt_kinds.migrate.bounds import asks_now, now_of
from dbt_kinds.migrate.dialects import statement_of
from dbt_kinds.migrate.kept_deletes import deletion
from dbt_kinds.prove.stand_ins import with_stand_ins, without_functions
from dbt_kinds.prove.verdict import NotTriedError
from dbt_kinds.readers.dbt.rendering import with_plain_lengths

NOW = "getvariable('kinds_now')"
# the moment of the run for which a query is prepared: where a template prints it, each run has its own; no time that
# another run computes from its moment looks like it
PREPARED_AT = "2024-03-10 03:00:17"

# sqlglot underlines what it does not understand
_COLOURS = re.compile(r"\x1b\[\d+m")
_LISTS = (exp.Array, exp.RegexpSplit, exp.Split)
_ANY = (exp.First, exp.Last, exp.FirstValue, exp.LastValue, exp.AnyValue)
# other names of units than DuckDB's
_UNITS = {"MM": "MONTH", "MON": "MONTH", "YYYY": "YEAR", "YY": "YEAR", "DD": "DAY"}


def read_query(sql: str, dialect: str, what: str = "its query") -> exp.Query:
    """A query as a tree.

    Args:
        what: what it is, for the reason.

    Raises:
        NotTriedError: it cannot be read.
    """
    try:
        tree = statement_of(with_plain_lengths(sql), dialect)
    except (SqlglotError, RecursionError) as error:
        said = _COLOURS.sub("", " ".join(str(error).split()))[:120]
        raise NotTriedError(f"{what} cannot be read: {said}") from error
    while isinstance(tree, exp.Subquery) and not tree.args.get("with_"):
        tree = tree.this
        tree.parent = None
    if not isinstance(tree, exp.Query):
        raise NotTriedError("it is no query")
    return with_stand_ins(tree)[0]


def written_for_duckdb(tree: exp.Query, dialect: str, lacking: frozenset[str] = frozenset()) -> str:
    """A query as DuckDB reads it; `lacking` are functions that it turned out not to have."""
    tree = tree.copy()
    for cast in list(tree.find_all(exp.Cast)):
        # a value that cannot be converted is NULL, as in Spark
        if not isinstance(cast, exp.TryCast):
            cast.replace(exp.TryCast(**dict(cast.args.items())))
    for node in list(tree.walk()):
        if isinstance(node, exp.Expr) and (found := _instead(node)) is not None:
            node.replace(found)
    sql = tree.sql(dialect="duckdb")
    return without_functions(sql, lacking) if lacking else sql


@functools.lru_cache(maxsize=2000)
def in_duckdb(sql: str, dialect: str, lacking: frozenset[str] = frozenset()) -> str:
    """The same of a text.

    Raises:
        NotTriedError: it cannot be read.
    """
    return written_for_duckdb(read_query(sql, dialect), dialect, lacking)


def deletion_in_duckdb(sql: str, dialect: str, lacking: frozenset[str] = frozenset()) -> str:
    """A deletion from a table by a condition.

    Raises:
        NotTriedError: it cannot be read.
    """
    tree = deletion(sql, dialect)
    if tree is None:
        raise NotTriedError("a hook cannot be read as a deletion")
    query = exp.select("*").from_(tree.this).where(tree.args["where"].this)
    kept = sqlglot.parse_one(in_duckdb(query.sql(dialect), dialect, lacking), read="duckdb")
    return exp.Delete(this=kept.find(exp.Table), where=kept.args["where"]).sql("duckdb")


def _instead(node: exp.Expr) -> exp.Expr | None:
    if isinstance(node, exp.IgnoreNulls) and isinstance(node.this, _ANY) and not isinstance(node.parent, exp.Window):
        # any of them will do, if it is the same each time
        return exp.Min(this=node.this.this.copy())
    if isinstance(node, exp.DateTrunc | exp.TimestampTrunc) and node.text("unit").upper() in _UNITS:
        found = node.copy()
        found.set("unit", exp.Literal.string(_UNITS[node.text("unit").upper()]))
        return found
    if isinstance(node, exp.Sub | exp.Add) and isinstance(node.expression, exp.Interval) and _is_text(node.this):
        moved = node.copy()
        moved.set("this", exp.cast(node.this.copy(), "timestamp"))
        return moved
    if isinstance(node, exp.Reverse) and isinstance(node.this, _LISTS):
        return exp.Anonymous(this="list_reverse", expressions=[node.this.copy()])
    if _prints_moment(node):
        return sqlglot.parse_one(f"cast({NOW} as varchar)", read="duckdb")
    if isinstance(node, exp.Anonymous) and node.name.lower() == "kinds_key":
        parts = [f"coalesce(cast({part.sql('duckdb')} as varchar), '_null_')" for part in node.expressions]
        return sqlglot.parse_one(f"md5({' || chr(45) || '.join(parts)})", read="duckdb")
    bound = now_of(node) if not isinstance(node, exp.Column) or node.parent is not None else None
    if bound is None:
        return None
    made = NOW
    zone = node.this if isinstance(node, exp.CurrentDate | exp.CurrentDatetime) else None
    if isinstance(zone, exp.Literal) and zone.is_string:
        made = f"({NOW} at time zone '{zone.name}')"
    elif isinstance(node, exp.CurrentDatetime | exp.Localtimestamp):
        made = f"cast({NOW} as timestamp)"
    if bound.truncated == "day":
        made = f"cast({made} as date)"
    return sqlglot.parse_one(made, read="duckdb")


def clock_columns(tree: exp.Query) -> frozenset[str]:
    """The names of columns, in lower case, whose values depend on when the query runs, or on chance."""
    named = [one for one in tree.find_all(exp.Alias) if isinstance(one.parent, exp.Select)]
    found: set[str] = set()
    while True:
        more = {
            one.alias.lower()
            for one in named
            if one.alias.lower() not in found and (_varies(one.this) or _reads(one.this, found))
        }
        if not more:
            return frozenset(found)
        found |= more


def _prints_moment(node: exp.Expr) -> bool:
    return isinstance(node, exp.Literal) and node.is_string and node.name.startswith(PREPARED_AT)


def _is_text(node: exp.Expr) -> bool:
    return isinstance(node, exp.Literal) and node.is_string


def _varies(node: exp.Expr) -> bool:
    if any(_prints_moment(literal) for literal in node.find_all(exp.Literal)):
        return True
    return asks_now(node) or node.find(exp.Rand, exp.Uuid) is not None


def _reads(node: exp.Expr, names: set[str]) -> bool:
    return any(column.name.lower() in names for column in node.find_all(exp.Column))

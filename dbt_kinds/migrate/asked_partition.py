"""Queries that ask BigQuery's INFORMATION_SCHEMA for the newest partition of the model's own table."""

from __future__ import annotations

from sqlglot import exp

from dbt_kinds.analysis.tree import conjuncts
from dbt_kinds.readers.dbt.rendering import THIS, Names

_PARTITIONS = "information_schema.partitions"
_ID = "partition_id"
_READ = (exp.StrToDate, exp.StrToTime, exp.ParseDatetime)


def is_newest_partition(query: exp.Expr, names: Names) -> bool:
    """Whether a query asks INFORMATION_SCHEMA for the newest partition of the model's own table, as a time."""
    allowed = {"kind", "expressions", "from_", "from", "where"}
    if not isinstance(query, exp.Select) or any(value for key, value in query.args.items() if key not in allowed):
        return False
    tables, where = list(query.find_all(exp.Table)), query.args.get("where")
    if len(query.expressions) != 1 or len(tables) != 1 or tables[0].name.lower() != _PARTITIONS or where is None:
        return False
    conditions = list(conjuncts(where.this))
    named = [one for one in conditions if _names_this(one, names)]
    others = [one for one in conditions if one not in named]
    return bool(named) and all(map(_leaves_out_none, others)) and _is_read(query.expressions[0].unalias())


def _names_this(condition: exp.Expr, names: Names) -> bool:
    """Whether a condition is on the name of the model's own table: `table_name = '{{ this.identifier }}'`."""
    if not isinstance(condition, exp.EQ) or not isinstance(condition.expression, exp.Literal):
        return False
    is_name = isinstance(condition.this, exp.Column) and condition.this.name.lower() == "table_name"
    root = names.root(condition.expression.name)
    return is_name and root == THIS and root != condition.expression.name


def _leaves_out_none(condition: exp.Expr) -> bool:
    """Whether a condition leaves out only the partitions of rows without a time, `__NULL__` and `__UNPARTITIONED__`."""
    given = condition
    if isinstance(condition, exp.Not):
        given = condition.this
        is_out = isinstance(given, exp.In | exp.Is | exp.EQ)
    else:
        is_out = isinstance(given, exp.NEQ)
    column = given.this
    values = given.expressions if isinstance(given, exp.In) else [given.expression]
    is_on_id = isinstance(column, exp.Column) and column.name.lower() == _ID
    return is_out and is_on_id and all(isinstance(value, exp.Null) or value.name.startswith("__") for value in values)


def _is_read(made: exp.Expr) -> bool:
    """Whether an expression is the greatest partition_id as a time, however long that is."""
    if isinstance(made, exp.SafeFunc):
        made = made.this
    if isinstance(made, exp.Case):
        ends = [one.args["true"] for one in made.args["ifs"]]
        default = made.args.get("default")
        is_chosen = made.this is None and all(_is_chosen(one.this) for one in made.args["ifs"])
        return is_chosen and all(map(_is_read, ends)) and (default is None or isinstance(default, exp.Null))
    if isinstance(made, exp.Max):
        return isinstance(made.this, _READ) and _is_id(made.this.this)
    return isinstance(made, _READ) and isinstance(made.this, exp.Max) and _is_id(made.this.this)


def _is_chosen(condition: exp.Expr) -> bool:
    """Whether a condition of a CASE looks at how long the greatest partition_id is."""
    length, wanted = condition.this, condition.args.get("expression")
    greatest = length.this if isinstance(length, exp.Length) else None
    is_of_id = isinstance(greatest, exp.Max) and _is_id(greatest.this)
    return isinstance(condition, exp.EQ) and is_of_id and isinstance(wanted, exp.Literal)


def _is_id(made: exp.Expr) -> bool:
    return isinstance(made, exp.Column) and made.name.lower() == _ID

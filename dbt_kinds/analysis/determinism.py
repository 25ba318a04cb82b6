"""Calls whose result differs from one execution to the next."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from sqlglot import exp

NAMES = frozenset(
    [
        "rand",
        "randn",
        "random",
        "randstr",
        "uniform",
        "uuid",
        "gen_random_uuid",
        "setseed",
        "shuffle",
        "now",
        "current_timestamp",
        "current_date",
        "current_time",
        "curdate",
        "localtimestamp",
        "getdate",
        "monotonically_increasing_id",
        "spark_partition_id",
        "input_file_name",
    ]
)
# the sibling of execution_ts that gives one instant per run, with the call's type
_REPLACEMENTS = {
    "now": "execution_ts",
    "current_timestamp": "execution_ts",
    "getdate": "execution_ts",
    "localtimestamp": "execution_dtntz",
    "current_date": "execution_date",
    "curdate": "execution_date",
    "unix_timestamp": "execution_epoch",
}
_BY_CLASS = {
    "Rand": "rand",
    "Randn": "randn",
    "Randstr": "randstr",
    "Shuffle": "shuffle",
    "Uniform": "uniform",
    "Uuid": "uuid",
    "CurrentTimestamp": "current_timestamp",
    "CurrentTimestampLTZ": "current_timestamp",
    "CurrentDate": "current_date",
    "CurrentDatetime": "current_timestamp",
    "CurrentTime": "current_time",
    "Localtimestamp": "localtimestamp",
    "Localtime": "current_time",
    "TableSample": "tablesample",
}


class Call(NamedTuple):
    """A call, the name of its function, and the time variable to write instead, if there is one."""

    node: exp.Expr
    name: str
    replacement: str | None


def nondeterministic_calls(tree: exp.Expr) -> Iterator[Call]:
    """All nondeterministic calls, anywhere in the tree; columns with such names do not count."""
    for node in tree.find_all(exp.Func, exp.TableSample):
        name = _name(node)
        if name is not None:
            yield Call(node, name, _REPLACEMENTS.get(name))


def _name(node: exp.Expr) -> str | None:
    if isinstance(node, exp.StrToUnix):
        return (
            "unix_timestamp"
            if isinstance(node.this, exp.CurrentTimestamp) and "from_offset" not in node.this.meta
            else None
        )
    if isinstance(node.parent, exp.StrToUnix) and _name(node.parent):
        return None
    if isinstance(node, exp.Anonymous):
        name = str(node.this).lower()
        if name == "unix_timestamp" and not node.expressions:
            return name
        return name if name in NAMES else None
    return _BY_CLASS.get(type(node).__name__)

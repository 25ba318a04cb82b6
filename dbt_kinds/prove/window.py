"""What a converted query's window bounds: the columns that are compared with it, and the inputs that they are of."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from sqlglot import exp
from sqlglot.optimizer.scope import build_scope

from dbt_kinds.prove.columns import ColumnsRead

_BOUND = re.compile(r"kinds_(?:start|end)_(\w+)")
_COMPARED = (exp.GT, exp.GTE, exp.LT, exp.LTE, exp.EQ, exp.Between)


@dataclass
class Bounded:
    """The columns that the window bounds, by name.

    Attributes:
        columns: the suffix of the bound that each is compared with.
        inputs: the inputs that they come from.
        is_joined: whether a condition of a join is bounded.
    """

    columns: dict[str, str] = field(default_factory=dict)
    inputs: set[str] = field(default_factory=set)
    is_joined: bool = False


def bounded_by_window(tree: exp.Query, read: ColumnsRead) -> Bounded:
    """What the window bounds in a query in which time variables are columns such as kinds_start_dt."""
    found = Bounded()
    root = build_scope(tree)
    for scope in root.traverse() if root is not None else ():
        for column in scope.columns:
            bound = _BOUND.fullmatch(column.name.lower())
            compared = column.find_ancestor(*_COMPARED) if bound is not None else None
            if bound is None or compared is None:
                continue
            found.is_joined |= column.find_ancestor(exp.Join) is not None
            for other in compared.find_all(exp.Column):
                if not _BOUND.fullmatch(other.name.lower()):
                    found.columns[other.name.lower()] = bound[1]
                    found.inputs |= read.inputs_of(scope, other)
    return found

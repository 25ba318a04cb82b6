"""What is said of a query that was translated, beside what it became."""

from __future__ import annotations

from typing import Literal, NamedTuple

from sqlglot import exp

RemarkKind = Literal["alias", "decimal", "differs", "not compared", "type", "unknown function"]


class Remark(NamedTuple):
    """Something to look at, and where it stands in the tree as it was read."""

    kind: RemarkKind
    message: str
    node: exp.Expr

"""Remarks on a translated query."""

from __future__ import annotations

from typing import Literal, NamedTuple

from sqlglot import exp

RemarkKind = Literal["alias", "decimal", "differs", "not compared", "type", "unknown function"]


class Remark(NamedTuple):
    """A remark, and its node in the tree as parsed."""

    kind: RemarkKind
    message: str
    node: exp.Expr

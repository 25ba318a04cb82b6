"""Remarks on a translated query."""

from __future__ import annotations

from typing import Literal, NamedTuple

from sqlglot import exp

# `texts` holds for a whole project: it is told once
RemarkKind = Literal["alias", "decimal", "differs", "not compared", "texts", "type", "unknown function", "unnamed"]


class Remark(NamedTuple):
    """A remark, and its node in the tree as parsed."""

    kind: RemarkKind
    message: str
    node: exp.Expr

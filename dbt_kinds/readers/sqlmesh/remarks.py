"""What translation says of a query becomes notes of its model."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from sqlglot import exp

from dbt_kinds.errors import (
    AliasUnclear,
    CompileError,
    DecimalBounded,
    FunctionDiffers,
    FunctionNotCompared,
    FunctionUnknown,
    TypeUnknown,
)
from dbt_kinds.readers.sqlmesh.macros.scope import Scope
from dbt_kinds.translation.remarks import Remark, RemarkKind

_NOTES: Mapping[RemarkKind, type[CompileError]] = {
    "alias": AliasUnclear,
    "decimal": DecimalBounded,
    "differs": FunctionDiffers,
    "not compared": FunctionNotCompared,
    "type": TypeUnknown,
    "unknown function": FunctionUnknown,
}


def note_remarks(scope: Scope, remarks: Iterable[Remark], line_of: Callable[[exp.Expr], int]) -> None:
    """Records remarks. On Databricks, what Databricks' own text calls is known there."""
    for remark in remarks:
        if remark.kind == "unknown function" and scope.dialect == scope.adapter == "databricks":
            continue
        scope.note(_NOTES[remark.kind], remark.message, line_of(remark.node))

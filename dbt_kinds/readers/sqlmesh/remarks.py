"""Converts the remarks of the translation to notes of a model."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from sqlglot import exp

from dbt_kinds.readers.remark_notes import NOTE_OF
from dbt_kinds.readers.sqlmesh.macros.scope import Scope
from dbt_kinds.translation.remarks import Remark


def note_remarks(scope: Scope, remarks: Iterable[Remark], line_of: Callable[[exp.Expr], int]) -> None:
    """Records remarks. Functions in Databricks' own text are assumed to exist on Databricks."""
    for remark in remarks:
        if remark.kind == "unknown function" and scope.dialect == scope.adapter == "databricks":
            continue
        # SQLMesh gives the same name
        if remark.kind == "unnamed":
            continue
        if remark.kind == "texts":
            scope.note_once(NOTE_OF[remark.kind], remark.message, line_of(remark.node))
            continue
        scope.note(NOTE_OF[remark.kind], remark.message, line_of(remark.node))

"""Notes made from the remarks of the translation."""

from __future__ import annotations

from collections.abc import Mapping

from dbt_kinds.errors import (
    AliasUnclear,
    CompileError,
    DecimalBounded,
    FunctionDiffers,
    FunctionNotCompared,
    FunctionUnknown,
    NameChanged,
    TypeUnknown,
)
from dbt_kinds.translation.remarks import RemarkKind

NOTE_OF: Mapping[RemarkKind, type[CompileError]] = {
    "alias": AliasUnclear,
    "decimal": DecimalBounded,
    "differs": FunctionDiffers,
    "not compared": FunctionNotCompared,
    "texts": FunctionDiffers,
    "type": TypeUnknown,
    "unknown function": FunctionUnknown,
    "unnamed": NameChanged,
}

"""Notes made from the remarks of the translation."""

from __future__ import annotations

from collections.abc import Mapping

from dbt_kinds.codes import CompileCode
from dbt_kinds.translation.remarks import RemarkKind

NOTE_OF: Mapping[RemarkKind, CompileCode] = {
    "alias": CompileCode.AliasUnclear,
    "decimal": CompileCode.DecimalBounded,
    "differs": CompileCode.FunctionDiffers,
    "not compared": CompileCode.FunctionNotCompared,
    "texts": CompileCode.FunctionDiffers,
    "type": CompileCode.TypeUnknown,
    "unknown function": CompileCode.FunctionUnknown,
    "unnamed": CompileCode.NameChanged,
}

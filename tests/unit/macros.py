"""The package's macros, nodes, and options of models as tests write them."""

from __future__ import annotations

from typing import Any

from dbt_kinds.simulation.macros import MACROS, CompilerError, Macros
from dbt_kinds.simulation.nodes import node

__all__ = ["MACROS", "CompilerError", "Macros", "node", "of_kind"]


def of_kind(kind: str, **options: Any) -> dict[str, Any]:
    """Some options of a model, and what its kind is."""
    return {**options, "kind": kind, "traits": Macros().kind_traits(kind, options)}

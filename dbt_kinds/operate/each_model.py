"""Runs an operation over several models: if one is refused, that is reported, and the others are still processed."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from dbt_kinds.errors import DbtFailedError
from dbt_kinds.operate.compiled_queries import selected_models
from dbt_kinds.operate.dbt import Dbt

_REFUSAL = re.compile(r"dbt_kinds: model ([^\s:]+): (.*)")


def ask_each_model(
    dbt: Dbt, operation: str, select: str | None, arguments: Mapping[str, Any]
) -> tuple[dict[str, Any], dict[str, str]]:
    """The operation's answer for the models that it takes, and the message of each that it refuses, by unique id.

    Raises:
        KindsError: the package is not installed, dbt failed, or every model is refused.
    """
    refused: dict[str, str] = {}
    asked = select
    while True:
        try:
            return dbt.operation(operation, {**arguments, **({"select": asked} if asked else {})}), refused
        except DbtFailedError as error:
            left = [node for node in selected_models(dbt.manifest, select) if node.unique_id not in refused]
            found = _REFUSAL.search(str(error))
            meant = {node.unique_id for node in left if found and node.name == found[1]}
            if not found or not meant or len(meant) == len(left):
                raise
            refused |= dict.fromkeys(sorted(meant), found[2].strip())
            asked = " ".join(f"{node.package_name}.{node.name}" for node in left if node.unique_id not in meant)

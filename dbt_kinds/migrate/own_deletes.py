"""The hooks of a model's own config() that are one deletion from its table."""

from __future__ import annotations

import re

from dbt_kinds.readers.dbt.project import ModelFile

_DELETES = re.compile(
    r"\s*(\{%-?\s*if\s+is_incremental\(\)\s*-?%\})?\s*delete\s+from\s+\{\{-?\s*this\s*-?\}\}\s+where\b[^;]*;?\s*(\{%-?\s*endif\s*-?%\})?\s*",
    re.IGNORECASE | re.DOTALL,
)


def own_deletes(model: ModelFile) -> dict[str, str]:
    """The hooks in the file's own config() that are one deletion from the model's table, with their texts."""
    found = {}
    for hook in ("pre_hook", "post_hook"):
        given = model.own_config.get(hook)
        text = given[0] if isinstance(given, list) and len(given) == 1 else given
        if isinstance(text, str) and _DELETES.fullmatch(text):
            found[hook] = text
    return found

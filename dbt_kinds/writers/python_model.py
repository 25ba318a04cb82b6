"""A dbt Python model: its text, with dbt calls for placeholders, and its configuration, which goes into YAML."""

from __future__ import annotations

import re
from typing import Any

from dbt_kinds.kinds import ModelReference, Placeholder, PythonBody, SourceReference
from dbt_kinds.placeholders import PLACEHOLDER_NAME
from dbt_kinds.writers.jinja import NodeNames


def python_text(body: PythonBody, names: NodeNames) -> str:
    """The text of the model's file."""

    def put(found: re.Match[str]) -> str:
        placeholder = body.placeholders.get(found[0])
        return found[0] if placeholder is None else _call(placeholder, names)

    return PLACEHOLDER_NAME.sub(put, body.text)


def python_config(body: PythonBody, settings: dict[str, Any]) -> dict[str, Any]:
    """The model's settings, with the values it reads at run time below meta."""
    meta = dict(settings.get("meta", {}))
    for path, jinja in body.variables.items():
        *outer, last = path.split(".")
        holder = meta
        for name in outer:
            holder = holder.setdefault(name, {})
        holder[last] = jinja
    return {**settings, "meta": meta}


def _call(placeholder: Placeholder, names: NodeNames) -> str:
    if isinstance(placeholder, ModelReference):
        return f"dbt.ref({names(placeholder.key)!r})"
    assert isinstance(placeholder, SourceReference)
    return f"dbt.source({placeholder.source!r}, {placeholder.table!r})"

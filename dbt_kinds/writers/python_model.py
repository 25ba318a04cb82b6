"""A dbt Python model: its text, with marks replaced by dbt calls, and its configuration, which goes into YAML."""

from __future__ import annotations

import re
from typing import Any

from dbt_kinds.kinds import Mark, ModelReference, PythonBody, SourceReference
from dbt_kinds.marks import MARK_NAME
from dbt_kinds.writers.jinja import NodeNames


def python_text(body: PythonBody, names: NodeNames) -> str:
    """The text of the model's file."""

    def put(found: re.Match[str]) -> str:
        mark = body.marks.get(found[0])
        return found[0] if mark is None else _call(mark, names)

    return MARK_NAME.sub(put, body.text)


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


def _call(mark: Mark, names: NodeNames) -> str:
    if isinstance(mark, ModelReference):
        return f"dbt.ref({names(mark.key)!r})"
    assert isinstance(mark, SourceReference)
    return f"dbt.source({mark.source!r}, {mark.table!r})"

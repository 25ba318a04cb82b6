"""What the models of dbt-tests-adapter become as models of a kind."""

from __future__ import annotations

import re
from typing import Any

_MATERIALIZED = r"""materialized\s*=\s*['"]%s['"]"""


def as_kind(sql: str, kind: str = "incremental_by_unique_key", config: str = "", **meta: Any) -> str:
    """
    A model of `table` as one of the kind full, one of `incremental` as one of `kind`. Where it asks is_incremental(), it asks whether the
    run is a full refresh, by which those tests begin.
    """
    options = f"materialized='{kind}', meta={meta!r}{', ' + config if config else ''}"
    sql = re.sub(_MATERIALIZED % "table", "materialized='full'", sql)
    sql = re.sub(_MATERIALIZED % "incremental", lambda _: options, sql)
    return sql.replace("is_incremental()", "(not flags.FULL_REFRESH)")


def as_kinds(models: dict[str, Any], **options: Any) -> dict[str, Any]:
    """The same of a folder of models."""
    return {
        name: as_kinds(content, **options)
        if isinstance(content, dict)
        else as_kind(content, **options)
        if name.endswith(".sql")
        else content
        for name, content in models.items()
    }

"""What the models of dbt-tests-adapter become as models of a kind."""

from __future__ import annotations

import re
from typing import Any

# Asked instead of is_incremental(), which means nothing in a kind: tests of the one sort begin with a full refresh, of the other in an empty schema.
NO_FULL_REFRESH = "(not flags.FULL_REFRESH)"
TABLE_IS_THERE = "(load_relation(this) is not none)"

_MATERIALIZED = r"""materialized\s*=\s*['"]%s['"]"""


def as_kind(
    sql: str, kind: str = "incremental_by_unique_key", is_incremental: str = NO_FULL_REFRESH, **meta: Any
) -> str:
    """A model of `table` as one of the kind full, one of `incremental` as one of `kind` with options of its own."""
    sql = re.sub(_MATERIALIZED % "table", "materialized='full'", sql)
    sql = re.sub(_MATERIALIZED % "incremental", lambda _: f"materialized='{kind}', meta={meta!r}", sql)
    return sql.replace("is_incremental()", is_incremental)


def as_kinds(models: dict[str, str], **options: Any) -> dict[str, str]:
    """The same of several, and their properties as they are."""
    return {name: as_kind(text, **options) if name.endswith(".sql") else text for name, text in models.items()}

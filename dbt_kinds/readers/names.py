"""Names in the letters that dbt and Spark take."""

from __future__ import annotations

import re


def dbt_name(text: str) -> str:
    """A name in the letters of dbt's and Spark's unquoted names."""
    return re.sub(r"[^a-z0-9_]", "_", text.lower())


def slug(text: str) -> str:
    """A name for groups and the like, without a run of underscores."""
    return re.sub(r"[^a-z0-9]+", "_", text.lower()).strip("_") or "unnamed"

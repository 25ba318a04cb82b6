"""Nodes of dbt's graph, as far as options are read from them."""

from __future__ import annotations

from typing import Any

_OF_DBT = ("file_format", "partition_by")


def node(name: str = "orders", kind: str = "incremental_by_time_range", **options: Any) -> dict[str, Any]:
    """A model of a kind; `options` go to meta."""
    top_level = {key: options.pop(key) for key in _OF_DBT if key in options}
    return {
        "name": name,
        "unique_id": f"model.shop.{name}",
        "database": None,
        "schema": "Shop",
        "alias": name,
        "unrendered_config": dict(top_level),
        # dbt gives each model a lookback, of microbatch
        "config": {"materialized": kind, "lookback": 1, "meta": options, **top_level},
    }

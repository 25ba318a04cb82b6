"""Stages that a killed run left, found by a run that has nothing else to do."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.macros import Macros, node

RIVAL = {
    "relation": "shop.orders", "invocation_id": "other", "source": "run", "model": "model.shop.orders", "holder": None,
    "claimed_at": "2024-01-01T00:00:00.000000", "last_sign_of_life": "2024-01-01T00:00:00.000000",
    "expires_at": "2999-01-01T00:00:00.000000",
}  # fmt: skip


@pytest.mark.parametrize("rivals", [[], [RIVAL]])
def test_they_are_dropped_unless_another_run_claims_the_table_meanwhile(rivals: list[dict[str, Any]]) -> None:
    macros = Macros(node=node(kind="full", file_format="iceberg"), target={"schema": "shop"}, this=None)
    looked: list[int] = []
    dropped: list[str] = []

    def claims(*given: Any, **named: Any) -> dict[str, Any]:
        # nobody claims when the run looks, but before its own claim
        looked.append(1)
        return {"live": rivals if len(looked) > 1 else [], "dead": []}

    macros.replace(
        {
            "left_stages": lambda relation: ["orders__kinds_stage_x_batch"],
            "drop_left_stages": dropped.append,
            "_claims_of_others": claims,
            "append_events": lambda *given, **named: "2025-01-01T00:00:00.000000",
            "recorded_facts": lambda relation: "",
            "lease_holder": lambda: None,
            "started_by": dict,
            "store_key": lambda: "store",
            "store_settings": lambda: {"lease_seconds": 3600, "schema": "shop"},
            "claim_ahead": lambda execution_time: None,
        }
    )
    macros.drop_orphan_stages("shop.orders", macros.options(node(kind="full", file_format="iceberg")), "2024-01-01")
    assert dropped == ([] if rivals else ["shop.orders"])

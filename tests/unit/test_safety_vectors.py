"""The vectors of the specification."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.analysing import VECTORS, classified


@pytest.mark.parametrize("vector", VECTORS, ids=[vector["id"] for vector in VECTORS])
def test_a_vector_of_the_specification(vector: dict[str, Any]) -> None:
    verdict = classified(
        vector["sql"],
        *(name for name, is_on in vector.get("safety_overrides", {}).items() if is_on),
        partition_column=vector["partition_column"],
        event_time_column=vector["event_time_column"],
        granularity=vector["granularity"],
        unique_key=tuple(vector.get("unique_key", ())),
    )
    expected = vector.get("reason", [])
    found = {finding.reason for finding in verdict.findings}
    assert found == set([expected] if isinstance(expected, str) else expected)
    assert verdict.is_admitted == (vector["verdict"] == "admitted")
    if "bounds" in vector:
        shown = {
            address: "unbounded"
            if bound.kind == "unbounded"
            else {"before": bound.before.iso, "after": bound.after.iso}
            for address, bound in verdict.bounds.items()
        }
        assert shown == vector["bounds"]
    if "class" in vector:
        assert verdict.batches is not None
        assert verdict.batches.name == vector["class"]

"""The vectors of the specification."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.analysing import VECTORS, classified_vector


@pytest.mark.parametrize("vector", VECTORS, ids=[vector["id"] for vector in VECTORS])
def test_a_vector_of_the_specification(vector: dict[str, Any]) -> None:
    verdict = classified_vector(vector)
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

"""The result of the analysis that a compiled model carries, `meta.safety`, so that a run without Python can check
it.
"""

from __future__ import annotations

from typing import Any

from dbt_kinds.analysis.safety import Verdict


def safety_metadata(verdict: Verdict | None = None) -> dict[str, Any]:
    """What was proven about an admitted query: by slices, or, without a verdict, as a cumulative aggregate. The
    caller that writes it into a file adds a `query_hash` to tie it to the text.
    """
    proof: dict[str, Any] = {"verdict": "admitted"}
    if verdict is None:
        return proof
    if verdict.batches is not None:
        proof["batch_safety"] = verdict.batches.name
    if verdict.bounds:
        proof["source_bounds"] = {
            address: {"before": bound.before.iso, "after": bound.after.iso} if bound.kind == "bounded" else bound.kind
            for address, bound in verdict.bounds.items()
        }
    if verdict.overridden:
        proof["overridden"] = list(verdict.overridden)
    return proof

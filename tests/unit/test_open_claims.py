"""Which claims of a log are open, against their definition: no release of the same run on the same table at that moment or later."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from tests.unit.macros import Macros

MACROS = Macros()
MOMENTS = [f"2024-01-01T00:00:0{number}.000000" for number in range(6)]


def row(event: str, relation: str, run: str, moment: str) -> dict[str, Any]:
    claim = {"lease_seconds": 60, "model": f"model.{relation}", "holder": "host/1/app"} if event == "claimed" else {}
    return {"event": event, "relation": relation, "invocation_id": run, "recorded_at": moment, **claim}


ROWS = st.builds(
    row,
    st.sampled_from(["claimed", "claimed", "released", "loaded", "failed"]),
    st.sampled_from(["s.a", "s.b"]),
    st.sampled_from(["one", "two"]),
    st.sampled_from(["", *MOMENTS]),
)


@given(st.lists(ROWS, max_size=12))
def test_open_claims(log: list[dict[str, Any]]) -> None:
    expected = []
    for claim in log:
        signs = [
            other
            for other in log
            if (other["relation"], other["invocation_id"]) == (claim["relation"], claim["invocation_id"])
            and other["recorded_at"] >= claim["recorded_at"] > ""
        ]
        if claim["event"] == "claimed" and signs and "released" not in {sign["event"] for sign in signs}:
            last = max(sign["recorded_at"] for sign in signs)
            expected.append((claim["relation"], claim["invocation_id"], claim["recorded_at"], last))
    found = [
        (claim["relation"], claim["invocation_id"], claim["claimed_at"], claim["last_sign_of_life"])
        for claim in MACROS.open_claims(log)
    ]
    assert sorted(found) == sorted(expected)

"""Random histories for SCD type 2: what a source holds at the instants of its batches, and how a model looks at it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from hypothesis import strategies as st

from tests.unit.reference_scd2 import Model, Row
from tests.unit.scd2_vectors import key_part

COLUMNS = [("id", "int"), ("part", "string"), ("name", "string"), ("n", "int"), ("updated_at", "timestamp")]
FIRST = datetime(2024, 1, 1)
HALF_A_DAY = timedelta(hours=12)
KEYS = [["id"], ["id", "part"], ["coalesce(id, -1)"], ["id", "coalesce(part, '-')"]]


@dataclass(frozen=True)
class History:
    """A model, and the instant and the source of each of its batches."""

    by: str
    unique_key: Sequence[str]
    updated_at: bool
    compared: Sequence[str]
    dates_the_first_load: bool
    hard_deletes: bool
    null_keys: str
    batches: Sequence[tuple[datetime, list[Row]]]

    @property
    def model(self) -> Model:
        return Model(
            by=self.by,
            key=[key_part(part) for part in self.unique_key],
            updated_at="updated_at" if self.updated_at else None,
            columns=self.compared,
            dates_the_first_load=self.dates_the_first_load,
            hard_deletes=self.hard_deletes,
            null_keys=self.null_keys,
        )

    @property
    def options(self) -> dict[str, Any]:
        """The model's options as a project writes them."""
        first_load = "updated_at_as_valid_from" if self.by == "time" else "execution_time_as_valid_from"
        options: dict[str, Any] = {
            "unique_key": list(self.unique_key),
            "null_keys": self.null_keys,
            "invalidate_hard_deletes": self.hard_deletes,
            first_load: self.dates_the_first_load,
        }
        if self.by == "column":
            options["columns"] = list(self.compared)
        if self.updated_at:
            options["updated_at_name"] = "updated_at"
        return options


# few of everything, so that the same keys change, go and come back, at the same instants, from NULL and to it
A_ROW = st.fixed_dictionaries(
    {
        "id": st.sampled_from([1, 1, 2, 3, None]),
        "part": st.sampled_from(["a", "a", "b", None]),
        "name": st.sampled_from(["x", "y", None]),
        "n": st.sampled_from([10, 20, None]),
        # half days from two before the first batch: equal, older, newer and future ones, and none
        "updated_at": st.sampled_from([None, *range(-4, 12), *range(0, 8)]),
    }
)


@st.composite
def histories(draw: st.DrawFn) -> History:
    by = draw(st.sampled_from(["time", "column"]))
    unique_key = draw(st.sampled_from(KEYS))
    model = Model(by, [key_part(part) for part in unique_key])
    null_keys = draw(st.sampled_from(["match", "error"]))
    gaps = draw(st.lists(st.sampled_from([0, 1, 1, 2, 2, 2, 4]), min_size=2, max_size=6))
    at, batches = FIRST, []
    for gap in gaps:
        at += gap * HALF_A_DAY
        rows: dict[Any, Row] = {}
        for row in draw(st.lists(A_ROW, max_size=5)):
            number = row["updated_at"]
            dated = {**row, "updated_at": None if number is None else FIRST + number * HALF_A_DAY}
            rows.setdefault(model.key_of(dated), dated)
        batches.append((at, [row for key, row in rows.items() if null_keys == "match" or None not in key]))
    compared = draw(st.sampled_from([["name"], ["n"], ["name", "n"], ["name", "n", "part"]]))
    return History(
        by=by,
        unique_key=unique_key,
        updated_at=by == "time" or draw(st.booleans()),
        compared=compared if by == "column" else [],
        dates_the_first_load=draw(st.booleans()),
        hard_deletes=draw(st.booleans()),
        null_keys=null_keys,
        batches=batches,
    )

"""Which units of a table that holds rows are whole, against an account of them in datetimes."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.unit.macros import CompilerError, Macros, node
from tests.unit.reference_adopt import adopted
from tests.unit.reference_units import Unit, first_boundary_from, last_boundary, written

MACROS = Macros()
UNITS = ["year", "quarter", "month", "2 months", "week", "2 weeks", "day", "5 days", "6 hours", "hour", "five_minute"]

instants = st.datetimes(datetime(1968, 1, 1), datetime(1972, 1, 1))
bounds = st.none() | instants.map(lambda at: at.replace(microsecond=0))


def seen_of(rows: list[datetime], unit: dict[str, Any]) -> dict[str, Any]:
    """What units_with_rows would say of these rows."""
    numbers = [MACROS.unit_index(written(row), unit) for row in rows]
    runs = MACROS.merge_intervals([[number, number + 1] for number in numbers])
    return {"runs": runs, "earliest": min(rows).isoformat(), "left_out": 0}


@settings(max_examples=settings().max_examples // 4)
@given(st.sampled_from(UNITS), st.lists(instants, min_size=1, max_size=12), bounds, bounds, st.booleans(), st.data())
def test_whole_units_are_those_that_a_calendar_finds(
    text: str, rows: list[datetime], start: datetime | None, until: datetime | None, trust: bool, data: st.DataObject
) -> None:
    # rows that lie together and rows on a boundary are what matters, and chance makes few of them
    unit = Unit.read(text)
    rows += [first_boundary_from(row, unit) + number * unit.tick for row in rows[:2] for number in range(3)]
    if data.draw(st.booleans()):
        rows.append(last_boundary(min(rows), unit))
    if start is not None and data.draw(st.booleans()):
        start = min(rows).replace(microsecond=0) - data.draw(st.sampled_from([timedelta(0), unit.tick]))
    end = until or datetime(1975, 1, 1)
    described = MACROS.interval_unit("orders", text)
    gaps = "trust" if trust else "skip"
    found = MACROS.whole_units(
        seen_of(rows, described), described, None if start is None else written(start), written(end), gaps
    )
    intervals = [[MACROS.unit_start(first, described), MACROS.unit_start(last, described)] for first, last in found]
    assert intervals == adopted(rows, unit, start=start, until=end, gaps=gaps)


def test_a_table_without_rows_holds_nothing() -> None:
    seen: dict[str, Any] = {"runs": [], "earliest": None, "left_out": 3}
    day = MACROS.interval_unit("orders", "day")
    assert MACROS.whole_units(seen, day, "2024-01-01T00:00:00", "2024-02-01T00:00:00", "trust") == []


def test_a_kind_whose_table_tells_nothing_is_refused() -> None:
    macros = Macros()
    functions: dict[str, Any] = macros._functions
    functions["_table_to_adopt"] = lambda node: "shop.orders"
    with pytest.raises(CompilerError) as refused:
        macros.infer_coverage(node(kind="cumulative_aggregate", unique_key="id", combine={"n": "add"}))
    assert str(refused.value) == "dbt_kinds: model orders: adopt cannot tell what a table of cumulative_aggregate holds"

"""What a table's rows show to be loaded, found by walking the calendar from row to row."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from tests.unit.reference_units import Unit, contiguous, last_boundary, next_boundary, units_between, written


def adopted(
    rows: Sequence[datetime], unit: Unit, *, start: datetime | None = None, until: datetime, gaps: str = "skip"
) -> list[list[str]]:
    """The intervals that `adopt` records for a table with these instants in its time column."""
    if not rows:
        return []
    first, last = last_boundary(min(rows), unit), last_boundary(max(rows), unit)
    if gaps == "trust":
        units = units_between(first, last, unit)
    else:
        units = sorted({(last_boundary(row, unit), next_boundary(row, unit)) for row in rows})
    begins_whole = min(rows) == first or (start is not None and first <= start < next_boundary(first, unit))
    whole = [
        (lower, upper)
        for lower, upper in units
        if lower < last and (lower > first or begins_whole) and (start is None or upper > start) and upper <= until
    ]
    return [[written(lower), written(upper)] for lower, upper in contiguous(whole)]

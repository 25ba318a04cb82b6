"""How far a value may lie from a run's window, on either side, and how operations change that."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from dbt_kinds.analysis.margins import DAY, NOTHING, Margin
from dbt_kinds.analysis.terms import Operation, Truncation
from dbt_kinds.analysis.units import is_finer, is_multiple, length_of, nests, rounded_up

# 31 January and 28 January are both 28 February a month later: the most that two steps over calendar months differ by
_CALENDAR_SLACK = Margin(0, 3 * DAY)


class TimeOffset(NamedTuple):
    """A distance beyond one edge of the window, negative if it stays inside. The range that is read ends on a
    boundary of `grain`, which is not applied if the source's own unit implies it.
    """

    margin: Margin = NOTHING
    grain: str | None = None

    def settled(self, granularity: str, unit: str | None = None) -> Margin:
        """The distance rounded to its grain, unless values of that unit imply it. Edges lie on the granularity."""
        if self.grain is None or (unit is not None and nests(self.grain, unit)):
            return self.margin
        if nests(self.grain, granularity):
            return rounded_up(self.margin, self.grain)
        return self.margin.plus(length_of(self.grain))

    def further(self, by: Margin, granularity: str) -> TimeOffset:
        """The distance extended by another."""
        if by == NOTHING:
            return self
        if self.grain is not None and is_multiple(by, self.grain):
            return TimeOffset(_added(self.margin, by), self.grain)
        return TimeOffset(_added(self.settled(granularity), by))

    def to_boundary(self, unit: str, granularity: str) -> TimeOffset:
        """An upper bound of the distance to the next boundary of a unit."""
        if self.grain is None or nests(self.grain, unit):
            is_done = nests(unit, granularity) and is_multiple(self.margin, unit)
            return TimeOffset(self.margin, None if is_done else unit)
        if nests(unit, self.grain):
            return self
        return TimeOffset(self.settled(granularity), unit)

    def shorter_than(self, other: TimeOffset | None, granularity: str) -> bool:
        """Whether it is the tighter of two distances."""
        if other is None:
            return True
        return _order(self, granularity) < _order(other, granularity)


class Range(NamedTuple):
    """Both sides; None if a side is unbounded."""

    before: TimeOffset | None = None
    after: TimeOffset | None = None


WINDOW = Range(TimeOffset(), TimeOffset())


def forward(range_: Range, operations: Sequence[Operation], granularity: str) -> Range:
    """The range of a term whose variable lies in the given range."""
    before, after = range_
    for operation in operations:
        if isinstance(operation, Truncation):
            before = before.to_boundary(operation.unit, granularity) if before is not None else None
        else:
            before = before.further(operation.by.negated(), granularity) if before is not None else None
            after = after.further(operation.by, granularity) if after is not None else None
    return Range(before, after)


def backward(range_: Range, operations: Sequence[Operation], granularity: str) -> Range:
    """The range of the variable of a term that lies in the given range."""
    before, after = range_
    for operation in reversed(operations):
        if isinstance(operation, Truncation):
            after = after.to_boundary(operation.unit, granularity) if after is not None else None
            continue
        before = before.further(operation.by, granularity) if before is not None else None
        if after is not None:
            after = after.further(operation.by.negated(), granularity)
            if operation.by.months and is_finer(granularity, "day"):
                after = after.further(_CALENDAR_SLACK, granularity)
    return Range(before, after)


def _added(margin: Margin, by: Margin) -> Margin:
    total = margin.plus(by)
    return total.plus(_CALENDAR_SLACK) if margin.months and by.months and total.months else total


def _order(offset: TimeOffset, granularity: str) -> tuple[int, bool]:
    margin = offset.settled(granularity)
    return margin.months * 30 * DAY + margin.micros, offset.grain is not None

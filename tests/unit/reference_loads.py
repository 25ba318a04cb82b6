"""What a table holds, for the second planner (`reference.py`): a pile of loads, in which the later one lies on top."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise

from tests.unit.reference_units import Interval, contiguous


@dataclass(frozen=True)
class Load:
    start: datetime
    end: datetime
    recorded_at: datetime
    execution_time: datetime
    started_at: datetime | None = None
    model_hash: str | None = None

    @property
    def began_at(self) -> datetime:
        """From when on what others load may not have been read."""
        return self.started_at or self.recorded_at


def pieces_of(loads: Sequence[Load], within: Interval | None = None) -> list[tuple[Interval, Load]]:
    """The shortest pieces that no load begins or ends inside, and the latest load of each; gaps are left out."""
    cuts = {cut for load in loads for cut in (load.start, load.end)}
    if within:
        cuts = {*within, *(cut for cut in cuts if within[0] < cut < within[1])}
    pieces = []
    for low, high in pairwise(sorted(cuts)):
        over_it = [load for load in loads if load.start <= low and high <= load.end]
        if over_it:
            pieces.append(((low, high), max(over_it, key=lambda load: load.recorded_at)))
    return pieces


def coverage_of(loads: Sequence[Load]) -> list[Interval]:
    """What is loaded at all, as sorted intervals that do not touch."""
    return contiguous([piece for piece, _ in pieces_of(loads)])


def is_covered(a_unit: Interval, loads: Sequence[Load]) -> bool:
    return contiguous([piece for piece, _ in pieces_of(loads, a_unit)]) == [a_unit]


def latest_loads(a_unit: Interval, loads: Sequence[Load]) -> list[Load]:
    """Whose rows a unit holds: one load, or several that each loaded a part of it last."""
    return [load for _, load in pieces_of(loads, a_unit)]

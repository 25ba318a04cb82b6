"""A table's timeline: pieces that do not overlap, each in one state."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import IntEnum
from itertools import pairwise

from dbt_kinds.operate.answers import Load
from dbt_kinds.operate.intervals import Interval


class State(IntEnum):
    """The states, most urgent last: if several share a place, the last one is shown."""

    LOADED = 1
    UNAUDITED = 2
    WAITING = 3
    RUNNING = 4
    INVALIDATED = 5
    MISSING = 6
    AUDIT_FAILED = 7

    @property
    def word(self) -> str:
        """Its display name."""
        return self.name.lower().replace("_", " ")


@dataclass(frozen=True)
class Piece:
    """A range in one state; `load` is the recorded load that filled it, if known."""

    start: str
    end: str
    state: State
    load: Load | None = None


def coverage_pieces(
    recorded: Sequence[Interval],
    missing: Iterable[Interval],
    invalidated: Iterable[Interval] = (),
    running: Iterable[Interval] = (),
    loads: Iterable[Load] = (),
    waiting: Iterable[Interval] = (),
    *,
    audit_failed: Iterable[Interval] = (),
    unaudited: Iterable[Interval] = (),
) -> list[Piece]:
    """The timeline as sorted pieces.

    A range that is being loaded is not missing; one whose last batch failed an audit shows that, whatever the table
    holds. Of several loads the latest counts; loads outside `recorded` are ignored.
    """
    outside = [(before[1], after[0]) for before, after in pairwise(recorded)]
    newest_first = sorted(loads, key=lambda load: load.recorded_at or "", reverse=True)
    if newest_first:
        first, last = min(load.start for load in newest_first), max(load.end for load in newest_first)
        outside += [(first, recorded[0][0]), (recorded[-1][1], last)] if recorded else [(first, last)]
    layers: list[tuple[Interval, tuple[State, Load | None] | None]] = []
    layers += [(interval, (State.RUNNING, None)) for interval in running]
    layers += [(interval, (State.AUDIT_FAILED, None)) for interval in audit_failed]
    layers += [(interval, (State.INVALIDATED, None)) for interval in invalidated]
    layers += [(interval, (State.MISSING, None)) for interval in missing]
    layers += [(interval, (State.WAITING, None)) for interval in waiting]
    layers += [(interval, None) for interval in outside]
    layers += [(interval, (State.UNAUDITED, None)) for interval in unaudited]
    layers += [((load.start, load.end), (State.LOADED, load)) for load in newest_first]
    layers += [(interval, (State.LOADED, None)) for interval in recorded]
    return _paint([layer for layer in layers if layer[0][0] < layer[0][1]])


def _paint(layers: Sequence[tuple[Interval, tuple[State, Load | None] | None]]) -> list[Piece]:
    """The topmost layer at each place. Each place is painted once: 26,000 loads take 0.1 s."""
    bounds = sorted({bound for interval, _ in layers for bound in interval})
    places = {bound: number for number, bound in enumerate(bounds)}
    seen: list[tuple[State, Load | None] | None] = [None] * len(bounds)
    bare = list(range(len(bounds) + 1))

    def next_bare(place: int) -> int:
        while bare[place] != place:
            bare[place] = bare[bare[place]]
            place = bare[place]
        return place

    for (start, end), label in layers:
        place = next_bare(places[start])
        while place < places[end]:
            seen[place], bare[place] = label, place + 1
            place = next_bare(place + 1)

    pieces: list[Piece] = []
    for (start, end), label in zip(pairwise(bounds), seen, strict=False):
        if label is None:
            continue
        state, load = label
        last = pieces[-1] if pieces else None
        if last is not None and last.end == start and last.state is state and last.load is load:
            pieces[-1] = Piece(last.start, end, state, load)
        else:
            pieces.append(Piece(start, end, state, load))
    return pieces

"""Draws time to scale: an axis with ticks, and a table's pieces as a limited number of segments."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from dbt_kinds.operate.coverage import Piece, State
from dbt_kinds.operate.intervals import (
    count_text,
    duration_text,
    interval_text,
    moment_text,
    seconds_between,
    total_seconds,
)

MOST_TICKS = 8

_DAY = 86400
# seconds, or months for calendar steps; weeks begin on Monday, as 1 January of the year 1 was one
_STEPS = [(minutes * 60, 0) for minutes in (5, 15, 30, 60, 180, 360, 720, 1440, 2880, 10080)]
_STEPS += [(months * 30 * _DAY, months) for months in (1, 3, 6)]
_STEPS += [(years * 365 * _DAY, years * 12) for years in (1, 2, 5, 10, 20, 50, 100, 500, 1000, 2000)]


@dataclass(frozen=True)
class Tick:
    """A mark on the axis, at a percentage of its length."""

    position: float
    label: str


@dataclass(frozen=True)
class Axis:
    """The range that is drawn, from the left to the right end."""

    start: datetime
    end: datetime

    @classmethod
    def over(cls, instants: Iterable[str]) -> Axis | None:
        """The axis that covers all these instants; None if they span no time."""
        known = sorted(datetime.fromisoformat(instant) for instant in instants)
        return cls(known[0], known[-1]) if known and known[0] < known[-1] else None

    @property
    def seconds(self) -> float:
        """Its length."""
        return (self.end - self.start).total_seconds()

    def position(self, instant: str | datetime) -> float:
        """The position of an instant, in percent of the length."""
        moment = datetime.fromisoformat(instant) if isinstance(instant, str) else instant
        return (moment - self.start).total_seconds() / self.seconds * 100

    def ticks(self) -> list[Tick]:
        """Round instants, at most MOST_TICKS, each with a self-contained label."""
        seconds, months = next((step for step in _STEPS if self.seconds / step[0] <= MOST_TICKS - 1), _STEPS[-1])
        steps, size = (_month_starts, months) if months else (_round_moments, seconds)
        moments = steps(self.start, self.end, size)
        return [Tick(self.position(moment), _label(moment, months)) for moment in moments]


@dataclass(frozen=True)
class Segment:
    """A unit of drawing: its position in percent of the axis, its state, and its description."""

    left: float
    width: float
    state: State
    text: str


def segments(pieces: Sequence[Piece], axis: Axis, resolution: int) -> list[Segment]:
    """Pieces as segments; consecutive loads are merged, so that 26,000 hourly ones are drawn as a few hundred.

    Args:
        resolution: pieces in different states share a segment if together they are narrower than this part of the axis;
            it then shows the most urgent state.
    """
    narrow = axis.seconds / resolution
    groups = _join([[piece] for piece in pieces], narrow * 5, lambda last, group: last[-1].state is group[0].state)
    groups = _join(groups, narrow, lambda last, group: True)
    # mixed segments only one pixel wide would consist of nothing but edges
    groups = _join(groups, narrow * 20, lambda last, group: _is_mixed(last) and _is_mixed(group))
    drawn = []
    for group in groups:
        left = axis.position(group[0].start)
        width = axis.position(group[-1].end) - left
        drawn.append(Segment(left, width, max(piece.state for piece in group), pieces_text(group)))
    return drawn


def pieces_text(pieces: Sequence[Piece]) -> str:
    """A description of adjacent pieces, in a few lines."""
    whole = interval_text((pieces[0].start, pieces[-1].end))
    states = sorted({piece.state for piece in pieces}, reverse=True)
    lines = [f"{whole}:"] if len(states) > 1 else []
    for state in states:
        of_state = [piece for piece in pieces if piece.state is state]
        length = duration_text(total_seconds((piece.start, piece.end) for piece in of_state))
        if len(states) == 1:
            where = whole
        elif len(of_state) == 1:
            where = interval_text((of_state[0].start, of_state[0].end))
        else:
            where = f"in {count_text(len(of_state), 'range')}"
        lines.append(f"{state.word} {where} ({length})")
        lines += _loads_text(of_state)
    return "\n".join(lines)


def _loads_text(pieces: Sequence[Piece]) -> list[str]:
    loads = {id(piece.load): piece.load for piece in pieces if piece.load}.values()
    if not loads:
        return []
    facts = [count_text(len(loads), "load")] if len(loads) > 1 else []
    rows = [load.rows_written for load in loads if load.rows_written is not None]
    seconds = [load.seconds for load in loads if load.seconds is not None]
    if rows:
        facts.append(count_text(sum(rows), "row"))
    if seconds:
        facts.append(f"took {duration_text(sum(seconds))}")
    recorded = max(load.recorded_at or "" for load in loads)
    if recorded:
        facts.append(f"{'the last ' if len(loads) > 1 else ''}recorded {moment_text(recorded)}")
    lines = [", ".join(facts)] if facts else []
    (only,) = loads if len(loads) == 1 else (None,)
    if only and (only.start, only.end) != (pieces[0].start, pieces[-1].end):
        lines.append(f"in the load of {interval_text((only.start, only.end))}")
    return lines


def _join(
    groups: Sequence[list[Piece]], seconds: float, belong_together: Callable[[list[Piece], list[Piece]], bool]
) -> list[list[Piece]]:
    """Merges adjacent groups that belong together, up to a maximum length in seconds."""
    joined: list[list[Piece]] = []
    for group in groups:
        last = joined[-1] if joined else None
        if (
            last
            and last[-1].end == group[0].start
            and belong_together(last, group)
            and seconds_between(last[0].start, group[-1].end) <= seconds
        ):
            last.extend(group)
        else:
            joined.append(list(group))
    return joined


def _is_mixed(group: Sequence[Piece]) -> bool:
    return any(piece.state is not group[0].state for piece in group)


def _round_moments(start: datetime, end: datetime, seconds: int) -> Iterator[datetime]:
    step = timedelta(seconds=seconds)
    since = -(-(start - datetime.min) // step) * step
    while since <= end - datetime.min:
        yield datetime.min + since
        since += step


def _month_starts(start: datetime, end: datetime, months: int) -> Iterator[datetime]:
    number = -(-(start.year * 12 + start.month - 1) // months) * months
    while number // 12 <= end.year:
        moment = datetime(number // 12, number % 12 + 1, 1)
        if start <= moment <= end:
            yield moment
        number += months


def _label(moment: datetime, months: int) -> str:
    text = moment.isoformat()
    if months:
        return text[:7] if months % 12 else text[:4]
    return text[:10] if text[11:16] == "00:00" else text[11:16]

"""Coverage over time as one line of blocks, for a terminal."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rich.console import Console, ConsoleOptions, RenderResult
from rich.measure import Measurement
from rich.text import Text

from dbt_kinds.operate.coverage import Piece, State
from dbt_kinds.operate.intervals import Interval, seconds_between

WIDTH = 24

# the style, the block and the block in ASCII of each state
_LOOKS = {
    State.LOADED: ("green", "█", "#"),
    State.UNAUDITED: ("bright_yellow", "▓", "?"),
    State.WAITING: ("blue", "▒", "~"),
    State.RUNNING: ("cyan", "▶", ">"),
    State.INVALIDATED: ("magenta", "▚", "x"),
    State.MISSING: ("yellow", "░", "."),
    State.AUDIT_FAILED: ("red", "✗", "!"),
}


@dataclass(frozen=True)
class CoverageBar:
    """A bar of WIDTH characters over an interval.

    A character shows the most urgent state in its time range, so that one missing hour in ten years is visible.
    """

    pieces: Sequence[Piece]
    over: Interval

    @property
    def states(self) -> list[State | None]:
        """The state shown by each character."""
        return cell_states(self.pieces, self.over, WIDTH)

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Yields the characters, which differ by state even without colour."""
        line = Text(no_wrap=True)
        for state in self.states:
            line.append(*_block(state, options) if state else " ")
        yield line

    def __rich_measure__(self, console: Console, options: ConsoleOptions) -> Measurement:
        """A fixed width: the bar is never wrapped."""
        return Measurement(WIDTH, WIDTH)


@dataclass(frozen=True)
class BarLegend:
    """The meaning of the characters that occur in bars."""

    bars: Sequence[CoverageBar]

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Yields one line."""
        line = Text()
        for state in sorted({state for bar in self.bars for state in bar.states if state}):
            line.append(*_block(state, options)).append(f" {state.word}   ", "dim")
        line.rstrip()
        yield line


def _block(state: State, options: ConsoleOptions) -> tuple[str, str]:
    style, block, ascii_block = _LOOKS[state]
    return ascii_block if options.ascii_only else block, style


def cell_states(pieces: Sequence[Piece], over: Interval, number: int) -> list[State | None]:
    """The state to show in each of a number of equal parts of an interval; None without a piece."""
    start, whole = over[0], seconds_between(*over)
    cells: list[State | None] = [None] * number
    for piece in pieces:
        low = max(seconds_between(start, piece.start) / whole, 0) * number
        high = min(seconds_between(start, piece.end) / whole, 1) * number
        # a bound within a rounding error of a cell's edge does not count as inside
        for place in range(int(low + 1e-9), min(int(-(-(high - 1e-9) // 1)), number)):
            cells[place] = max(cells[place] or piece.state, piece.state)
    return cells

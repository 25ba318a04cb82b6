"""Formats half-open intervals of ISO instants in UTC, lengths of time and counts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime

Interval = tuple[str, str]


def merged(intervals: Iterable[Interval]) -> list[Interval]:
    """Sorted, with adjacent and overlapping ones merged."""
    joined: list[Interval] = []
    for start, end in sorted((start, end) for start, end in intervals):
        if joined and start <= joined[-1][1]:
            joined[-1] = (joined[-1][0], max(joined[-1][1], end))
        else:
            joined.append((start, end))
    return joined


def seconds_between(start: str, end: str) -> float:
    """The seconds from one instant to another."""
    return (datetime.fromisoformat(end) - datetime.fromisoformat(start)).total_seconds()


def total_seconds(intervals: Iterable[Interval]) -> float:
    """The total length in seconds."""
    return sum(seconds_between(start, end) for start, end in merged(intervals))


def interval_text(interval: Interval) -> str:
    """One interval, omitting midnight."""
    return f"{instant_text(interval[0])} to {instant_text(interval[1])}"


def intervals_text(intervals: Sequence[Interval], most: int = 5) -> str:
    """Intervals, one per line, omitting midnight; if there are many, the first ones and the number of the others."""
    lines = [interval_text(interval) for interval in intervals[:most]]
    if len(intervals) > most:
        lines.append(f"and {len(intervals) - most:,} more")
    return "\n".join(lines)


def instant_text(instant: str) -> str:
    """A bound of an interval, omitting midnight and zero seconds."""
    return instant.removesuffix("T00:00:00").replace("T", " ").removesuffix(":00") if "T" in instant else instant


def moment_text(instant: str) -> str:
    """The time of an event, to the second."""
    return instant.replace("T", " ")[:19]


def duration_text(seconds: float) -> str:
    """A length of time in its two largest units."""
    if seconds < 60:
        return f"{seconds:.1f} s" if seconds < 10 and seconds % 1 else f"{seconds:.0f} s"
    parts, rest = [], round(seconds)
    for name, length in (("days", 86400), ("h", 3600), ("min", 60), ("s", 1)):
        number, rest = divmod(rest, length)
        if number:
            parts.append(f"{number:,} {'day' if name == 'days' and number == 1 else name}")
        elif parts:
            break
    return " ".join(parts[:2])


def units_text(number: int, unit: str) -> str:
    """A number of interval units: `2 days`, `1 week`, `3 units of 6 hours`."""
    name = unit.split("(")[0].replace("_", " ")
    return count_text(number, name) if name.replace(" ", "").isalpha() else f"{count_text(number, 'unit')} of {unit}"


def rough_duration_text(seconds: float) -> str:
    """A length of time in its largest unit, rounded: `2 min`."""
    length, name = next(
        ((length, name) for length, name in ((86400, "d"), (3600, "h"), (60, "min")) if seconds >= 0.95 * length),
        (1, "s"),
    )
    return f"{max(seconds / length, 1):.0f} {name}"


def rough_count_text(number: int) -> str:
    """A number rounded to two or three significant digits: `1.2 M`, `35 k`, `950`."""
    for size, name in ((10**9, " G"), (10**6, " M"), (10**3, " k")):
        if number >= 0.9995 * size:
            return (
                f"{number / size:.1f}".removesuffix(".0") + name
                if number < 9.95 * size
                else f"{number / size:.0f}{name}"
            )
    return f"{number:,}"


def count_text(number: int, one: str) -> str:
    """A number with its noun: `1 gap`, `2,000 gaps`, `2 batches`."""
    return f"{number:,} {one}" + ("" if number == 1 else "es" if one.endswith("ch") else "s")

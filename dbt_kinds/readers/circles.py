"""Cyclic references among models."""

from __future__ import annotations

from collections.abc import Iterable, Mapping


def way_back(start: str, reads: Mapping[str, Iterable[str]]) -> list[str]:
    """The models on a path from a model back to itself, if there is one."""
    ways: list[list[str]] = [[key] for key in sorted(reads.get(start, ()))]
    seen: set[str] = set()
    while ways:
        way = ways.pop(0)
        if way[-1] == start:
            return way
        if way[-1] not in seen:
            seen.add(way[-1])
            ways.extend([*way, key] for key in sorted(reads.get(way[-1], ())))
    return []

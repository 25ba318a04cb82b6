"""One merge of SCD type 2, written from the specification's text alone, key by key and row by row.

It shares nothing with the macros. What a run of a model consists of, its batches and its restatements, is in
`reference_scd2_runs.py`.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Any

Row = Mapping[str, Any]
Key = tuple[Any, ...]
BEGINNING = datetime(1970, 1, 1)


class RefusedError(Exception):
    """What a run says instead of writing."""


@dataclass(frozen=True)
class Model:
    by: str
    key: Sequence[Callable[[Row], Any]]
    updated_at: str | None = None
    columns: Sequence[str] = ()
    dates_the_first_load: bool = False
    hard_deletes: bool = False
    null_keys: str = "error"
    duplicate_keys: str = "error"
    time_data_type: str = "timestamp"

    def key_of(self, row: Row) -> Key:
        return tuple(part(row) for part in self.key)


@dataclass(frozen=True)
class Version:
    """A row of the table; open while `valid_to` is None."""

    values: Row
    valid_from: datetime
    valid_to: datetime | None = None


@dataclass
class Counts:
    """The actions of one merge, and the rows that had no date."""

    inserted: int = 0
    closed: int = 0
    replaced: int = 0
    dropped: int = 0
    undated: int = 0


@dataclass
class Merged:
    history: list[Version]
    counts: Counts = field(default_factory=Counts)


def merge(model: Model, history: Sequence[Version], source: Sequence[Row], instant: datetime, *, first: bool) -> Merged:
    """The table after the batch of an instant, and what was done to it."""
    rows = by_key(model, source)
    if first:
        return first_load(model, rows, instant)
    merged = Merged([version for version in history if version.valid_to is not None])
    open_versions = {model.key_of(version.values): version for version in history if version.valid_to is None}
    last_closed: dict[Key, datetime] = {}
    for version in history:
        if version.valid_to is not None:
            key = model.key_of(version.values)
            last_closed[key] = max(last_closed.get(key, version.valid_to), version.valid_to)
    for key in sorted({*rows, *open_versions}, key=repr):
        row, found = rows.get(key), open_versions.get(key)
        if row is not None and dated(model, row, instant) is None:
            merged.counts.undated += 1
        if row is not None and found is not None:
            both(model, merged, row, found, instant)
        elif row is not None:
            at = dated(model, row, instant)
            if at is not None:
                merged.counts.inserted += 1
                begins = as_type(model, at)
                merged.history.append(Version(row, max(begins, last_closed.get(key, begins))))
        elif found is not None:
            gone(model, merged, found, instant)
    return merged


def first_load(model: Model, rows: Mapping[Key, Row], instant: datetime) -> Merged:
    merged = Merged([])
    for row in rows.values():
        at = dated(model, row, instant) if model.dates_the_first_load else BEGINNING
        if at is None:
            merged.counts.undated += 1
        else:
            merged.counts.inserted += 1
            merged.history.append(Version(row, as_type(model, at)))
    return merged


def both(model: Model, merged: Merged, row: Row, version: Version, instant: datetime) -> None:
    """A key that the source has and that is open."""
    at = dated(model, row, instant)
    if at is None or not is_changed(model, row, version.values):
        merged.history.append(version)
        return
    boundary = max(as_type(model, at), version.valid_from)
    if boundary == version.valid_from:
        merged.counts.replaced += 1
        merged.history.append(Version(row, version.valid_from))
    else:
        merged.counts.closed += 1
        merged.counts.inserted += 1
        merged.history += [Version(version.values, version.valid_from, boundary), Version(row, boundary)]


def gone(model: Model, merged: Merged, version: Version, instant: datetime) -> None:
    """A key that is open and that the source lacks."""
    boundary = max(as_type(model, instant), version.valid_from)
    if not model.hard_deletes:
        merged.history.append(version)
    elif boundary == version.valid_from:
        merged.counts.dropped += 1
    else:
        merged.counts.closed += 1
        merged.history.append(Version(version.values, version.valid_from, boundary))


def by_key(model: Model, source: Sequence[Row]) -> dict[Key, Row]:
    """The row of each key."""
    of_key: dict[Key, list[Row]] = {}
    for row in source:
        of_key.setdefault(model.key_of(row), []).append(row)
    if model.null_keys == "error" and any(None in key for key in of_key):
        raise RefusedError("NULL in unique_key")
    chosen = {}
    for key, rows in of_key.items():
        candidates = rows
        if model.duplicate_keys == "keep_latest":
            updated_at = model.updated_at or ""
            latest = max((row[updated_at] for row in rows if row[updated_at] is not None), default=None)
            candidates = [row for row in rows if row[updated_at] == latest]
        if len(candidates) > 1:
            raise RefusedError("more than one row for one unique_key")
        chosen[key] = candidates[0]
    return chosen


def dated(model: Model, row: Row, instant: datetime) -> datetime | None:
    """The instant that dates a row of the source; None where nothing tells."""
    if model.updated_at is None:
        return instant
    value = row[model.updated_at]
    return value if value is None else as_instant(value)


def is_changed(model: Model, row: Row, stored: Row) -> bool:
    if model.by == "column":
        return any(row[column] != stored[column] for column in model.columns)
    assert model.updated_at is not None
    return stored[model.updated_at] is None or row[model.updated_at] > stored[model.updated_at]


def as_instant(value: date) -> datetime:
    return value if isinstance(value, datetime) else datetime(value.year, value.month, value.day)


def as_type(model: Model, at: datetime) -> datetime:
    return at.replace(hour=0, minute=0, second=0, microsecond=0) if model.time_data_type == "date" else at


def broken_rules(model: Model, before: Sequence[Version], after: Sequence[Version]) -> list[str]:
    """What no batch may do, whatever its source: inversions, overlaps, two open rows of a key, a closed row that changed."""
    broken = []
    versions: dict[Key, list[Version]] = {}
    for version in after:
        versions.setdefault(model.key_of(version.values), []).append(version)
        if version.valid_to is not None and version.valid_from >= version.valid_to:
            broken.append(f"inverted: {version}")
    for key, of_key in versions.items():
        ordered = sorted(of_key, key=lambda version: version.valid_from)
        for earlier, later in itertools.pairwise(ordered):
            if earlier.valid_to is None or earlier.valid_to > later.valid_from:
                broken.append(f"overlap of {key}: {earlier}, {later}")
    left = list(after)
    for version in before:
        if version.valid_to is not None:
            if version in left:
                left.remove(version)
            else:
                broken.append(f"a closed row changed: {version}")
    return broken

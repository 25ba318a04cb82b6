"""The changes of one key that wait, merged into what has to be sent of it."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

Keys = Literal["unique_key", "group", "row"]
Type = Literal["insert", "update", "delete"]
_WENT = ("delete", "update_preimage")
# by whether there is a new row, and an old one
_TYPES: dict[tuple[bool, bool], Type] = {(True, False): "insert", (True, True): "update", (False, True): "delete"}


@dataclass(frozen=True)
class Change:
    """What a function of a sink is given.

    Attributes:
        id: the same at each attempt, another once the key changed again.
        type: `insert`, `update` or `delete`; an update has both images.
        key: the key's columns by name; of a table without a key, the row.
        row: the new row, None of a delete.
        old: the row as it was before, None of an insert.
    """

    id: str
    type: Type
    key: Any
    row: dict[str, Any] | None
    old: dict[str, Any] | None


@dataclass(frozen=True)
class Waiting:
    """What waits of one key, to be delivered together. `delta` is the last that it holds; `changes` is empty where
    nothing is left to be told.
    """

    key: str
    delta: int
    changes: tuple[Change, ...]
    attempts: int = 0
    first_at: str | None = None
    last_at: str | None = None
    was_cut_off: bool = False

    @property
    def id(self) -> str:
        """Names it in the outbox and among dead letters."""
        return self.changes[-1].id if self.changes else ""

    @property
    def type(self) -> str:
        """What it comes to."""
        types = {change.type for change in self.changes}
        return types.pop() if len(types) == 1 else "update"


@dataclass
class _Delta:
    """The rows that went and came of one key in one run, each with its id."""

    number: int
    went: list[tuple[str, str]] = field(default_factory=list)
    came: list[tuple[str, str]] = field(default_factory=list)


def waiting_of(
    rows: Iterable[Mapping[str, Any]], keys: Keys, attempts: Iterable[Mapping[str, Any]] = ()
) -> list[Waiting]:
    """What waits of each key, in the order of the first change.

    Args:
        rows: the changes that the operation `outbox` tells of, of any number of keys.
        attempts: what it tells of earlier attempts.
    """
    tried = {attempt["key"]: attempt for attempt in attempts}
    by_key: dict[str, dict[int, _Delta]] = defaultdict(dict)
    for row in sorted(rows, key=lambda row: (row["place"], row["delta"])):
        delta = by_key[row["key"]].setdefault(row["delta"], _Delta(row["delta"]))
        (delta.went if row["type"] in _WENT else delta.came).append((row["change"], row["row"]))
    return [_waiting(key, list(deltas.values()), keys, tried.get(key, {})) for key, deltas in by_key.items()]


_Rows = list[tuple[str, str]]


def _waiting(key: str, deltas: Sequence[_Delta], keys: Keys, tried: Mapping[str, Any]) -> Waiting:
    sent = tried.get("delta") or 0
    went, came = _merged_rows(deltas, sent) if keys == "row" else _merged_images(deltas, sent, keys)
    changes: list[Change] = []
    if keys == "unique_key" and (went or came):
        # receivers may know an id: what holds more than it did before has that of the last delta
        newest = (deltas[-1].came or deltas[-1].went)[-1][0]
        row, old = (json.loads(rows[-1][1]) if rows else None for rows in (came, went))
        changes.append(Change(newest, _TYPES[row is not None, old is not None], json.loads(key), row, old))
    elif keys != "unique_key":
        for rows, kind in ((went, "delete"), (came, "insert")):
            for change, text in rows:
                row, told_key = json.loads(text), json.loads(text if keys == "row" else key)
                is_new = kind == "insert"
                changes.append(
                    Change(
                        change, _TYPES[is_new, not is_new], told_key, row if is_new else None, None if is_new else row
                    )
                )
    return Waiting(
        key,
        deltas[-1].number,
        tuple(changes),
        tried.get("attempts") or 0,
        tried.get("first_at"),
        tried.get("last_at"),
        tried.get("status") == "sending",
    )


def _merged_images(deltas: Sequence[_Delta], sent: int, keys: Keys) -> tuple[_Rows, _Rows]:
    """What was there first, and what is there last; what may have been received in between is taken back, too."""
    went: _Rows = []
    came: _Rows = []
    was_sent = False
    for delta in deltas:
        if not went and not came:
            went, was_sent = delta.went, False
        elif was_sent and (keys == "group" or not (went or delta.came)):
            told = {text for _, text in went}
            went = went + [row for row in delta.went if row[1] not in told]
        came = delta.came
        was_sent = was_sent or delta.number <= sent
    return went, came


def _merged_rows(deltas: Sequence[_Delta], sent: int) -> tuple[_Rows, _Rows]:
    """Equal rows, each of its own: one that goes takes one that waits to come with it, unless that was sent."""
    went: list[tuple[str, str, bool]] = []
    came: list[tuple[str, str, bool]] = []
    for delta in deltas:
        was_sent = delta.number <= sent
        for rows, others, kept in ((delta.went, came, went), (delta.came, went, came)):
            for change, text in rows:
                unsent = next((other for other in others if not other[2]), None)
                if unsent is not None:
                    others.remove(unsent)
                    continue
                if others:
                    others.pop()
                kept.append((change, text, was_sent))
    return [row[:2] for row in went], [row[:2] for row in came]

"""Merges the pending changes of a key into what must be sent."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, Literal

Keys = Literal["unique_key", "group", "row"]
Type = Literal["insert", "update", "delete"]
_WENT = ("delete", "update_preimage")
# by whether there is a new row and an old one
_TYPES: dict[tuple[bool, bool], Type] = {(True, False): "insert", (True, True): "update", (False, True): "delete"}


@dataclass(frozen=True)
class Change:
    """The argument of a sink's function.

    Attributes:
        id: the same at each attempt, different once the key changed again.
        type: `insert`, `update` or `delete`; an update has both images.
        key: the key's columns by name; without a key, the row.
        row: the new row, None for a delete.
        old: the previous row, None for an insert.
    """

    id: str
    type: Type
    key: Any
    row: dict[str, Any] | None
    old: dict[str, Any] | None


@dataclass(frozen=True)
class Waiting:
    """The pending changes of one key, to be delivered together. `delta` is the last one included; `changes` is empty
    if they cancel out.
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
        """Its id in the outbox and among dead letters."""
        return self.changes[-1].id if self.changes else ""

    @property
    def type(self) -> str:
        """The overall type of change."""
        types = {change.type for change in self.changes}
        return types.pop() if len(types) == 1 else "update"


@dataclass
class _Delta:
    """The rows of one key removed and added in one run, each with its id."""

    number: int
    went: list[tuple[str, str]] = field(default_factory=list)
    came: list[tuple[str, str]] = field(default_factory=list)


def waiting_of(rows: Iterable[Mapping[str, Any]], keys: Keys) -> list[Waiting]:
    """The pending changes of each key, in the order of the first change.

    Args:
        rows: the changes returned by the operation `outbox`, for any number of keys, each with the earlier attempts of
            its key.
    """
    tried: dict[str, Mapping[str, Any]] = {}
    by_key: dict[str, dict[int, _Delta]] = defaultdict(dict)
    for row in sorted(rows, key=lambda row: (row["place"], row["delta"])):
        delta = by_key[row["key"]].setdefault(row["delta"], _Delta(row["delta"]))
        tried[row["key"]] = row
        (delta.went if row["type"] in _WENT else delta.came).append((row["change"], row["row"]))
    return [_waiting(key, list(deltas.values()), keys, tried[key]) for key, deltas in by_key.items()]


def _waiting(key: str, deltas: Sequence[_Delta], keys: Keys, tried: Mapping[str, Any]) -> Waiting:
    sent = {int(number) for number in (tried.get("sent") or "").split(",") if number}
    return Waiting(
        key,
        deltas[-1].number,
        tuple({"unique_key": _of_key, "group": _of_group, "row": _of_row}[keys](key, deltas, sent)),
        tried.get("attempts") or 0,
        tried.get("first_at"),
        tried.get("last_at"),
        tried.get("last_status") == "sending",
    )


def _of_key(key: str, deltas: Sequence[_Delta], sent: set[int]) -> list[Change]:
    """One change, from the first image to the last. A row that may have been received is deleted even if it did not
    exist at first.
    """
    went, came = deltas[0].went, deltas[-1].came
    if not went and not came:
        went = [row for delta in deltas if delta.number in sent for row in delta.came][-1:]
    if not went and not came:
        return []
    # receivers may know an id: changes that grew since an attempt get the id of the last delta
    newest = (deltas[-1].came or deltas[-1].went)[-1][0]
    row, old = (json.loads(rows[-1][1]) if rows else None for rows in (came, went))
    return [Change(newest, _TYPES[row is not None, old is not None], json.loads(key), row, old)]


def _of_group(key: str, deltas: Sequence[_Delta], sent: set[int]) -> list[Change]:
    """All rows that existed at first, or that may have been received since, as deletes; all final rows as inserts."""
    went = deltas[0].went + [row for before, delta in pairwise(deltas) if before.number in sent for row in delta.went]
    told_key = json.loads(key)
    return [_of_a_row(row, told_key, "delete") for row in went] + [
        _of_a_row(row, told_key, "insert") for row in deltas[-1].came
    ]


def _of_row(key: str, deltas: Sequence[_Delta], sent: set[int]) -> list[Change]:
    """Equal rows individually, in the order of runs. A removed row cancels an added one that was never sent, and
    vice versa.
    """
    told: list[Change] = []
    unsent: list[Change] = []
    for delta in deltas:
        for rows, kind in ((delta.went, "delete"), (delta.came, "insert")):
            for row in rows:
                opposite = next((one for one in unsent if one.type != kind), None)
                if opposite is None:
                    unsent.append(_of_a_row(row, json.loads(row[1]), "insert" if kind == "insert" else "delete"))
                else:
                    unsent.remove(opposite)
        if delta.number in sent:
            told, unsent = told + unsent, []
    return told + unsent


def _of_a_row(row: tuple[str, str], key: Any, kind: Type) -> Change:
    change, values = row[0], json.loads(row[1])
    return Change(change, kind, key, values, None) if kind == "insert" else Change(change, kind, key, None, values)

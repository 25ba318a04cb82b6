"""What waits for a sink is merged so that a receiver ends where the table is, whatever got lost on the way."""

from __future__ import annotations

import json
import random
from collections import Counter, defaultdict
from typing import Any

import pytest

from dbt_kinds.push.batches import batches_of
from dbt_kinds.push.changes import Keys, Waiting, waiting_of
from tests.receiver import Receiver, Table, held


def text(**values: Any) -> str:
    return json.dumps(values)


class Outbox:
    """What runs put in and pushes settled, as the macros keep it."""

    def __init__(self, keys: Keys) -> None:
        self.keys, self.delta = keys, 0
        self.table: Table = {}
        self.rows: list[dict[str, Any]] = []
        self.settled: dict[str, int] = defaultdict(int)
        self.sent: dict[str, set[int]] = defaultdict(set)

    def run(self, table: Table) -> None:
        """Puts in what a run changed, net."""
        self.delta += 1
        for key in sorted({*table, *self.table}):
            then, now = self.table.get(key, Counter()), table.get(key, Counter())
            went, came = (then, now) if self.keys == "group" and then != now else (then - now, now - then)
            for side, rows in (("delete", went), ("insert", came)):
                image = f"update_{'pre' if side == 'delete' else 'post'}image"
                kind = image if self.keys == "unique_key" and went and came else side
                for number, row in enumerate(sorted(rows.elements())):
                    name = f"{self.delta}/{key}" + (f"/{side}/{number}" if self.keys != "unique_key" else "")
                    self.rows.append({"delta": self.delta, "type": kind, "key": key, "row": row, "change": name})
        self.table = table

    def waiting(self) -> list[Waiting]:
        left = [row for row in self.rows if row["delta"] > self.settled[row["key"]]]
        first: dict[str, int] = {}
        for row in left:
            first.setdefault(row["key"], row["delta"])
        places = {key: place for place, key in enumerate(sorted(first, key=lambda key: (first[key], key)))}
        sent = {key: ",".join(map(str, self.sent.get(key, ()))) for key in places}
        return waiting_of([row | {"place": places[row["key"]], "sent": sent[row["key"]]} for row in left], self.keys)

    def settle(self, one: Waiting) -> None:
        self.settled[one.key] = one.delta
        self.sent.pop(one.key, None)


def drawn(luck: random.Random, keys: Keys) -> Table:
    table: Table = defaultdict(Counter)
    for k in range(3):
        for _ in range(luck.randrange(2 if keys == "unique_key" else 4)):
            row = {"k": k, "v": luck.randrange(3)}
            table[json.dumps(row if keys == "row" else {"k": k})][json.dumps(row)] += 1
    return dict(table)


@pytest.mark.parametrize("keys", ["unique_key", "group", "row"])
def test_a_receiver_ends_where_the_table_is(keys: Keys) -> None:
    """Calls that are lost before they arrive, in the middle, or behind the receiver, in 1,000 histories."""
    for seed in range(1_000):
        luck = random.Random(seed)
        outbox, receiver = Outbox(keys), Receiver(keys)
        told: list[Any] = []
        for step in range(8):
            outbox.run(drawn(luck, keys))
            told.append(outbox.table)
            for one in outbox.waiting() if luck.random() < 0.8 else ():
                if one.changes:
                    outbox.sent[one.key].add(one.delta)
                fate = "ok" if step == 7 else luck.choice(["lost", "half", "unanswered", "ok"])
                arrived = {"lost": 0, "half": luck.randrange(len(one.changes) + 1)}.get(fate, len(one.changes))
                told.append((fate, one.changes[:arrived]))
                for change in one.changes[:arrived]:
                    receiver.take(change)
                if fate == "ok" or not one.changes:
                    outbox.settle(one)
        for one in outbox.waiting():
            for change in one.changes:
                receiver.take(change)
            outbox.settle(one)
        assert held(receiver.table) == held(outbox.table), (seed, told)
        assert outbox.waiting() == []


def merged(*deltas: tuple[str | None, str | None], sent: str = "") -> list[tuple[str, Any, Any]]:
    """The change that rows of one key come to, (type, old, row), from (before, after) of each run."""
    rows = []
    for number, (old, new) in enumerate(deltas, 1):
        is_both = old is not None and new is not None
        for value, kind in ((old, "update_preimage" if is_both else "delete"), (new, "update_postimage" if is_both else "insert")):  # fmt: skip
            if value is not None:
                row = text(k=1, v=value)
                rows.append({"delta": number, "type": kind, "key": text(k=1), "row": row, "change": f"{number}", "place": 1, "sent": sent})  # fmt: skip
    (one,) = waiting_of(rows, "unique_key")
    return [(change.type, change.old and change.old["v"], change.row and change.row["v"]) for change in one.changes]


def test_changes_of_a_key_become_one() -> None:
    assert merged((None, "a"), ("a", "b")) == [("insert", None, "b")]
    assert merged((None, "a"), ("a", None)) == []
    assert merged((None, "a"), ("a", None), sent="1") == [("delete", "a", None)]
    assert merged(("a", "b"), ("b", "c")) == [("update", "a", "c")]
    assert merged(("a", None), (None, "b")) == [("update", "a", "b")]
    assert merged(("a", "b"), ("b", None)) == [("delete", "a", None)]
    assert merged((None, "a"), ("a", None), (None, "b")) == [("insert", None, "b")]


def test_batches_do_not_split_what_has_an_order() -> None:
    def waiting(keys: Keys, *types: str) -> Waiting:
        rows = [
            {"delta": n, "type": type_, "key": "{}", "row": text(v=1), "change": f"{n}", "place": 1, "sent": "0"}
            for n, type_ in enumerate(types)
        ]
        return waiting_of(rows, keys)[0]

    copies, mixed = waiting("row", "insert", "insert", "insert"), waiting("row", "insert", "delete")
    assert [len(batch) for batch in batches_of([copies], "row", 2)] == [2, 1]
    assert [len(batch) for batch in batches_of([mixed, mixed], "row", 1)] == [2, 2]

"""What a run saw that wrote nothing: the next run starts from there, on every format."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

import pytest

from tests.unit.changing_runs import MODELS, Changing
from tests.unit.duckdb_runs import DiedError, Relation

FORMATS = ["iceberg", "parquet"]


def built(of: str, file_format: str, days: int = 2) -> Changing:
    warehouse = Changing(of=of, file_format=file_format)
    for day in range(days):
        warehouse.gain_and_build(2 + day)
    return warehouse


def told(events: list[dict[str, Any]]) -> list[str]:
    """What happened: a note goes by the event `settled`."""
    return ["noted" if row.get("source") == "noted" else row["event"] for row in events]


SOURCES = {"gained": "src", "rows": "inbox"}


@pytest.mark.parametrize("file_format", FORMATS)
@pytest.mark.parametrize("of", SOURCES)
def test_a_row_that_was_away_comes_again(of: str, file_format: str) -> None:
    warehouse, source = built(of, file_format), SOURCES[of]
    warehouse.database.execute(f"delete from shop.{source} where id = 2")
    warehouse.build(4)
    assert warehouse.held() == [(1, 10), (2, 20)]
    warehouse.database.execute(f"insert into shop.{source} values (2, 20)")
    warehouse.build(5)
    assert warehouse.held() == [(1, 10), (2, 20), (2, 20)]


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize("of", SOURCES)
def test_every_format_holds_what_the_source_ever_gained(of: str, seed: int) -> None:
    """Runs that die at a statement drawn by lot, among them."""
    source = SOURCES[of]
    for file_format in FORMATS:
        luck = random.Random(seed)
        warehouse = built(of, file_format, 1)
        expected, read = Counter([(1, 10)]), Counter([(1, 10)])
        for day in range(3, 12):
            rows = Counter(read)
            for _ in range(luck.randrange(3)):
                row = (luck.randrange(1, 4), 10)
                if luck.random() < 0.5 and rows[row]:
                    warehouse.database.execute(f"delete from shop.{source} where id = {row[0]} and v = {row[1]}")
                    del rows[row]
                else:
                    warehouse.database.execute(f"insert into shop.{source} values {row}")
                    rows[row] += 1
            warehouse.build(day)
            expected += rows - read
            read = rows
            assert Counter(warehouse.held()) == expected, (seed, file_format, day)


@dataclass
class Versioned(Changing):
    """A warehouse whose sources have a snapshot for each change and each compaction, of which some expire."""

    heads: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    first_kept: dict[str, int] = field(default_factory=dict)

    def source(self) -> str:
        return SOURCES.get(self.of, "src")

    def commit(self, table: str, operation: str) -> None:
        snapshot_id = self.current_snapshot(Relation(table), "iceberg")
        known = self.heads.setdefault(table, [])
        parent = known[-1]["snapshot_id"] if known else None
        known.append({"snapshot_id": snapshot_id, "parent_id": parent, "operation": operation, "rows_written": 0})

    def gain(self) -> None:
        super().gain()
        self.commit(self.source(), "overwrite")

    def compact(self) -> None:
        self.commit(self.source(), "replace")

    def expire(self) -> None:
        """All but the current snapshot."""
        self.first_kept[self.source()] = self.heads[self.source()][-1]["snapshot_id"]

    def version(self, node: dict[str, Any]) -> str:
        return f"iceberg {self.heads[node['identifier']][-1]['snapshot_id']}"

    def iceberg_snapshots(self, relation: Any) -> dict[int, dict[str, Any]]:
        kept = self.first_kept.get(relation.identifier, 0)
        known = self.heads.get(relation.identifier, [])
        return {one["snapshot_id"]: one for one in known if one["snapshot_id"] >= kept}


def settled(of: str, file_format: str) -> Versioned:
    """After two days, and a run that had nothing to do because the source was only compacted."""
    given = {"skip_unchanged": True} if of == "full" else {}
    warehouse = Versioned(of=of, file_format=file_format, given=given)
    for day in (2, 3):
        warehouse.gain_and_build(day)
    warehouse.compact()
    warehouse.build(4)
    return warehouse


@pytest.mark.parametrize("file_format", FORMATS)
@pytest.mark.parametrize("of", ["gained", "rows", "keys", "full"])
def test_a_version_that_a_compaction_replaced_may_expire(of: str, file_format: str) -> None:
    warehouse = settled(of, file_format)
    assert told(warehouse.log[-3:]) == ["claimed", "noted", "released"]
    # the note is the version that the next run starts from, and noted once
    warehouse.expire()
    before = len(warehouse.log)
    warehouse.build(5)
    assert len(warehouse.log) == before
    if of != "full":
        warehouse.gain_and_build(6)
        assert warehouse.held() == warehouse.expected()
        read = [said for said in warehouse.said if said.startswith("dbt_kinds: t: ")]
        assert "gone" not in read[-1]
        assert "backfill" not in read[-1]


@pytest.mark.parametrize("file_format", FORMATS)
def test_a_note_outlasts_a_compaction_of_the_store_and_nothing_that_is_recorded(file_format: str) -> None:
    warehouse = settled("keys", file_format)
    model = MODELS["keys"]
    macros = warehouse.macros(
        "t", model[0], {**model[1], "file_format": file_format}, model[2], {}, "compaction", False
    )
    (note,) = [row for row in warehouse.log if row.get("source") == "noted"]
    old = [row for row in warehouse.log if row["event"] not in ("claimed", "released")]
    kept = macros.compacted_events(old, warehouse.moment())
    notes = [row for row in kept if row.get("source") == "noted"]
    assert [(row["event"], row["recorded_at"], row.get("interval_start")) for row in notes] == [
        ("settled", note["recorded_at"], None)
    ]
    # forgotten days are read again, whatever a run noted before
    warehouse.operate("forget", start="2024-01-02", end="2024-01-03")
    warehouse.database.execute("delete from shop.t where id = 2")
    warehouse.build(5)
    assert warehouse.held() == warehouse.expected()


@pytest.mark.parametrize("number", range(1, 9))
@pytest.mark.parametrize("of", SOURCES)
def test_a_run_that_dies_notes_nothing_or_all(of: str, number: int) -> None:
    warehouse, source = built(of, "parquet"), SOURCES[of]
    warehouse.database.execute(f"delete from shop.{source} where id = 2")
    warehouse.dies_at = number
    try:
        warehouse.build(4)
    except DiedError:
        assert "noted" not in told(warehouse.log)
        warehouse.build(4)
    assert told(warehouse.log[-2:]) == ["noted", "released"]
    warehouse.database.execute(f"insert into shop.{source} values (2, 20)")
    warehouse.build(5)
    assert warehouse.held() == [(1, 10), (2, 20), (2, 20)]


def test_a_run_that_would_only_note_leaves_a_table_to_the_run_that_holds_it() -> None:
    warehouse = Versioned(of="gained")
    for day in (2, 3):
        warehouse.gain_and_build(day)
    warehouse.compact()
    claim = {"event": "claimed", "relation": "shop.t", "invocation_id": "another", "model": "model.shop.t"}
    warehouse.log.append({**claim, "recorded_at": warehouse.moment(), "lease_seconds": 3600, "source": "run"})
    warehouse.build(4)
    assert told(warehouse.log[-3:]) == ["claimed", "claimed", "released"]
    warehouse.log.append({**claim, "event": "released", "recorded_at": warehouse.moment()})
    warehouse.build(4)
    assert told(warehouse.log[-3:]) == ["claimed", "noted", "released"]


def test_what_another_run_took_meanwhile_is_not_noted_over() -> None:
    """The source is compacted; before the run that saw it has its lease, another one takes a row that came since."""
    warehouse = Versioned(of="gained")
    for day in (2, 3):
        warehouse.gain_and_build(day)
    warehouse.compact()
    change = warehouse.change
    claimed: list[dict[str, Any]] = []

    def meanwhile(name: str, sql: str) -> None:
        if name == "append_events" and not claimed:
            claimed.extend(warehouse.unwritten)
            warehouse.unwritten = []
            warehouse.gain_and_build(4)
            warehouse.unwritten = claimed
        change(name, sql)

    warehouse.change = meanwhile  # type: ignore[method-assign]
    warehouse.build(4)
    assert claimed[0]["event"] == "claimed"
    assert "noted" not in told(warehouse.log)
    warehouse.gain_and_build(5)
    assert warehouse.held() == warehouse.expected()

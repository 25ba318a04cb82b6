"""A run that waits for another one, while the store is rewritten: it plans again when anything of its table was recorded meanwhile."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

import pytest

from tests.unit.changing_runs import Changing
from tests.unit.macros import CompilerError, Macros

ADDING = "when matched then update set target.v = target.v + source.v"
WINDOW = """select id, v from shop.src where date_add(date '2023-12-31', id)
    between /*kinds:start_date*/ date '2024-01-01' and /*kinds:end_date*/ date '2024-01-01'"""
BY_INTERVALS: dict[str, tuple[str, dict[str, Any]]] = {
    "unmanaged": ("incremental_unmanaged", {"start": "2024-01-01"}),
    "adding": ("incremental_by_unique_key", {"start": "2024-01-01", "unique_key": "id", "when_matched": ADDING}),
    "key": ("incremental_by_unique_key", {"start": "2024-01-01", "unique_key": "id"}),
    # not partitioned by its day, so that a day is replaced in two commits
    "range": (
        "incremental_by_time_range",
        {"start": "2024-01-01", "time_column": "day", "partition_by_time_column": False},
    ),
}


@dataclass
class Raced(Changing):
    """A warehouse in which something happens between a run's plan and its claim, or while its hooks, or what follows its delete, keep it silent for two hours."""

    meanwhile: list[Callable[[], Any]] = field(default_factory=list)
    after_delete: list[Callable[[], Any]] = field(default_factory=list)
    is_silent: bool = False
    seconds: int = 0

    def model(self) -> tuple[str, dict[str, Any], str]:
        if self.of not in BY_INTERVALS:
            return super().model()
        kind, options = BY_INTERVALS[self.of]
        query = (
            WINDOW.replace("id, v", "id, v, date_add(date '2023-12-31', id) as day", 1)
            if self.of == "range"
            else WINDOW
        )
        return kind, {**options, "file_format": self.file_format}, query

    def happen(self) -> None:
        happening, self.meanwhile = self.meanwhile, []
        unwritten, self.unwritten = self.unwritten, []
        for happens in happening:
            happens()
        self.unwritten = unwritten

    def change(self, name: str, sql: str) -> None:
        if name == "append_events" and self.unwritten[-1]["event"] == "claimed" and not self.is_silent:
            self.happen()
        super().change(name, sql)
        if name == "delete_range":
            self.meanwhile, self.after_delete = self.after_delete, []
            self.happen()

    def macros(self, *args: Any, **kwargs: Any) -> Macros:
        macros = super().macros(*args, **kwargs)
        writes_rows = macros._functions["writes_rows"]

        def after_hooks(options: Any, warns: bool = True) -> Any:
            # what a run asks first after its hooks
            if self.is_silent:
                self.happen()
            return writes_rows(options, warns=warns)

        macros._functions["writes_rows"] = after_hooks
        return macros

    def moment(self) -> str:
        # a log that is compacted gets shorter, time does not go back
        self.seconds += 1
        return (datetime(2030, 1, 1) + timedelta(seconds=self.seconds)).strftime("%Y-%m-%dT%H:%M:%S.%f")

    def wait(self) -> None:
        self.seconds += 7200

    def compact(self, until: int | None = None) -> None:
        """Replaces the first events by what a compaction makes of them."""
        old, young = self.log[:until], self.log[len(self.log) if until is None else until :]
        kind, options, sql = self.model()
        macros = self.macros("t", kind, options, sql, {}, f"compaction-{self.seconds}", False)
        events = [row for row in old if row["event"] not in ("claimed", "released", "failed")]
        compacted = macros.compacted_events(events, max(row["recorded_at"] for row in old))
        self.log = [{name: value for name, value in row.items() if value is not None} for row in compacted] + young

    def claim_and_die(self) -> None:
        """Another run claims the table, and is not heard of again until its lease is over."""
        claimed = {
            "event": "claimed",
            "relation": "shop.t",
            "invocation_id": "dead",
            "lease_seconds": 60,
            "source": "run",
        }
        self.log.append({**claimed, "recorded_at": self.moment()})
        self.wait()

    def recorded(self) -> int:
        return len([row for row in self.log if row["event"] in ("loaded", "invalidated")])


# and after how many loads one fewer is left of them
MODELS = {"unmanaged": 2, "adding": 2, "append": 3, "gained": 3, "adds": 3}


def loaded(of: str, file_format: str) -> Raced:
    """A warehouse with some loads, of which a compaction leaves one fewer, and one more day to load."""
    warehouse = Raced(of=of, file_format=file_format)
    for number in range(MODELS[of]):
        warehouse.gain_and_build(2 + number)
    warehouse.gain()
    return warehouse


@pytest.mark.parametrize("file_format", ["iceberg", "parquet"])
@pytest.mark.parametrize("of", MODELS)
def test_as_many_events_as_before_are_not_the_same_events(of: str, file_format: str) -> None:
    warehouse = loaded(of, file_format)
    day, old, before = warehouse.days + 1, len(warehouse.log), warehouse.recorded()
    after: list[int] = []
    # another run loads the day, and two events of days before become one
    warehouse.meanwhile = [
        lambda: warehouse.build(day),
        lambda: warehouse.compact(old),
        lambda: after.append(warehouse.recorded()),
    ]
    warehouse.build(day)
    assert after == [before]
    assert warehouse.held() == warehouse.expected()


def test_what_a_slow_clock_recorded_is_seen_too() -> None:
    warehouse = loaded("unmanaged", "iceberg")
    stated = {
        "event": "loaded",
        "relation": "shop.t",
        "recorded_at": "2030-01-01T00:00:00.500000",
        "invocation_id": "an operation",
    }
    day = {"interval_start": "2024-01-03T00:00:00", "interval_end": "2024-01-04T00:00:00"}
    before = warehouse.held()
    warehouse.meanwhile = [lambda: warehouse.log.append({**stated, **day})]
    warehouse.build(4)
    assert warehouse.held() == before


@pytest.mark.parametrize("of", MODELS)
def test_a_run_that_was_silent_for_too_long_does_not_write_what_another_loaded(of: str) -> None:
    warehouse = loaded(of, "iceberg")
    day = warehouse.days + 1
    warehouse.is_silent, warehouse.meanwhile = True, [warehouse.wait, lambda: warehouse.build(day)]
    with pytest.raises(CompilerError, match=r"another one recorded what it did to shop\.t; run it again"):
        warehouse.build(day)
    assert warehouse.held() == warehouse.expected()
    warehouse.gain_and_build(day + 1)
    assert warehouse.held() == warehouse.expected()


def test_a_run_whose_table_another_claimed_and_left_half_written_records_nothing() -> None:
    warehouse = Raced(of="key", file_format="iceberg")
    warehouse.gain_and_build(2)
    warehouse.gain()
    before = warehouse.recorded()
    warehouse.is_silent, warehouse.meanwhile = True, [warehouse.wait, warehouse.claim_and_die]
    with pytest.raises(CompilerError, match=r"another one claimed shop\.t; run it again"):
        warehouse.build(3)
    assert warehouse.recorded() == before
    warehouse.gain_and_build(4)
    assert warehouse.held() == warehouse.expected()


def test_a_run_that_was_silent_between_its_two_commits_adds_nothing_to_what_another_loaded() -> None:
    warehouse = Raced(of="range", file_format="iceberg")
    warehouse.gain_and_build(2)
    warehouse.gain()
    warehouse.is_silent, warehouse.after_delete = True, [warehouse.wait, lambda: warehouse.build(3)]
    with pytest.raises(CompilerError, match=r"another one recorded what it did to shop\.t; run it again"):
        warehouse.build(3)
    assert warehouse.held() == warehouse.expected()


def test_what_may_not_be_loaded_twice_is_recorded_after_another_claimed_it() -> None:
    warehouse = loaded("adding", "iceberg")
    day = warehouse.days + 1
    warehouse.is_silent, warehouse.meanwhile = True, [warehouse.wait, warehouse.claim_and_die]
    warehouse.build(day)
    assert warehouse.held() == warehouse.expected()


def test_a_run_that_nobody_disturbs_plans_once() -> None:
    warehouse = loaded("unmanaged", "iceberg")
    warehouse.build(4)
    # a second plan reads the table as it is now
    assert "refresh_table" not in warehouse.statements
    assert warehouse.held() == warehouse.expected()


@pytest.mark.parametrize(
    ("silent_since", "is_written"), [("2024-01-01T08:55:00", True), ("2024-01-01T08:00:00", False)]
)
def test_a_compaction_whose_lease_another_took_over_leaves_the_store_alone(silent_since: str, is_written: bool) -> None:
    done: list[str] = []

    def statement(name: str, caller: Any, **_: Any) -> str:
        done.append(name)
        return ""

    macros = Macros(statement=statement, invocation_id="compaction")
    lease = {"sign_of_life": f"{silent_since}.000000", "seconds": 600}
    macros._functions |= {
        "store_key": lambda: "store", "store_table": lambda: "store", "beside_store": lambda role: "beside", "create_store": lambda store, file_format: None,
        "find_store": lambda: {"file_format": "iceberg"}, "store_source": lambda beside: "store", "count_events": lambda: 7,
        "own_claims": lambda: {"store": lease}, "next_moment": lambda: "2024-01-01T09:00:00.000000",
        "_live_rivals": lambda options: [{"invocation_id": "another compaction"}], "drop_table": lambda table: done.append(f"drop {table}"),
    }  # fmt: skip
    failure = macros.rewrite_store([], "true", 7)
    assert (failure is None) == is_written
    # what is beside the store belongs to the other one
    assert done == ["keep_young_events"] + ["put_compacted_in_place", "drop beside"] * is_written

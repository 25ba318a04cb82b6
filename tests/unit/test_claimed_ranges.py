"""Runs of disjoint windows write one table by time range at once, and nobody else does meanwhile."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from random import Random
from typing import Any

import pytest

from dbt_kinds.simulation.nodes import node
from tests.sweep import size
from tests.unit.changing_runs import Changing
from tests.unit.macros import CompilerError, Macros

QUERY = """select id, v, cast(date_add(date '2023-12-31', id) as date) as day from shop.src
    where date_add(date '2023-12-31', id) between /*kinds:start_date*/ date '2024-01-01' and /*kinds:end_date*/ date '2024-01-01'"""
HELD = r"another run holds the lease on shop\.t"
DAYS = 8
CROWDS = size("KINDS_CROWDS", 6, full=300)


@dataclass
class Ranges(Changing):
    """A warehouse in which something happens before a statement with a name, once."""

    file_format: str = "iceberg"
    before: dict[str, Callable[[], Any]] = field(default_factory=dict)
    hooks: list[dict[str, Any]] = field(default_factory=list)
    seconds: int = 0
    runs: int = 0

    def moment(self) -> str:
        self.seconds += 1
        return (datetime(2030, 1, 1) + timedelta(seconds=self.seconds)).strftime("%Y-%m-%dT%H:%M:%S.%f")

    def model(self) -> tuple[str, dict[str, Any], str]:
        options = {"start": "2024-01-01", "time_column": "day", "file_format": self.file_format}
        return "incremental_by_time_range", {**options, **self.given}, self.query or QUERY

    def macros(self, name: str, kind: str, options: dict[str, Any], sql: str, variables: dict[str, Any], invocation: str, full_refresh: bool, **of_dbt: Any) -> Macros:  # fmt: skip
        # two runs may begin with the same log
        self.runs += 1
        run = f"{invocation}-{self.runs}"
        return super().macros(
            name, kind, options, sql, variables, run, full_refresh, pre_hooks=self.hooks, render=str, **of_dbt
        )

    def change(self, name: str, sql: str) -> None:
        happens = self.before.pop(name, None)
        if happens is not None:
            unwritten, self.unwritten = self.unwritten, []
            happens()
            self.unwritten = unwritten
        super().change(name, sql)

    def load(self, first: int, last: int) -> None:
        """`dbt run` of the days from `first` to `last`."""
        at = {"kinds_execution_time": f"2024-01-{DAYS + 2:02}T06:00:00"}
        bounds = {"kinds_start": f"2024-01-{first:02}", "kinds_end": f"2024-01-{last + 1:02}"}
        self.run("t", *self.model(), at | bounds)

    def days_held(self) -> list[int]:
        """The day of every row of the table."""
        rows = self.database.execute("select cast(day as date) from shop.t order by day").fetchall()
        return [(row[0] - date(2023, 12, 31)).days for row in rows]

    def days_recorded(self) -> list[int]:
        """The days that are recorded as loaded."""
        days = set[int]()
        for event in sorted(self.log, key=lambda row: row["recorded_at"]):
            if event["event"] not in ("loaded", "invalidated"):
                continue
            day, end = (date.fromisoformat(event[bound][:10]) for bound in ("interval_start", "interval_end"))
            while day < end:
                (days.add if event["event"] == "loaded" else days.discard)(day.day)
                day += timedelta(days=1)
        return sorted(days)

    def open_claims(self) -> int:
        return sum({"claimed": 1, "released": -1}.get(event["event"], 0) for event in self.log)


def warehouse(**given: Any) -> Ranges:
    """A table that has its first day, of a source with eight."""
    ranges = Ranges(**given)
    for _ in range(DAYS):
        ranges.gain()
    ranges.build(2)
    return ranges


def check(ranges: Ranges, days: list[int]) -> None:
    assert (ranges.days_held(), ranges.days_recorded(), ranges.open_claims()) == (days, days, 0)


@pytest.mark.parametrize("file_format", ["iceberg", "delta"])
@pytest.mark.parametrize("moment", ["append_events", "replace_range"])
def test_runs_of_disjoint_windows_write_at_once(moment: str, file_format: str) -> None:
    ranges = warehouse(file_format=file_format)
    # the second one begins and ends before the first one claims, or between its claim and its write
    ranges.before[moment] = lambda: ranges.load(6, 8)
    ranges.load(3, 5)
    check(ranges, [1, 3, 4, 5, 6, 7, 8])
    ranges.build(DAYS + 1)
    check(ranges, list(range(1, DAYS + 1)))


def test_many_runs_within_each_other() -> None:
    ranges = warehouse()

    def nest(day: int) -> None:
        if day < DAYS:
            ranges.before["replace_range"] = lambda: nest(day + 1)
        ranges.load(day, day)

    nest(2)
    check(ranges, list(range(1, DAYS + 1)))


def test_status_tells_what_all_of_them_load() -> None:
    ranges = warehouse()
    running: list[Any] = []

    def look() -> None:
        ranges.operate("status")
        (model,) = json.loads(next(line for line in ranges.said if line.startswith('{"operation"')))["models"]
        running.extend(model["lease"]["running"])

    def second() -> None:
        ranges.before["replace_range"] = look
        ranges.load(6, 8)

    ranges.before["replace_range"] = second
    ranges.load(3, 4)
    assert running == [["2024-01-03T00:00:00", "2024-01-05T00:00:00"], ["2024-01-06T00:00:00", "2024-01-09T00:00:00"]]


@pytest.mark.parametrize(("first", "last"), [(5, 8), (3, 3), (2, 8), (4, 4)])
def test_windows_that_overlap_wait_for_each_other(first: int, last: int) -> None:
    ranges = warehouse()

    def other() -> None:
        with pytest.raises(CompilerError, match=HELD + " from 2024-01-03T00:00:00 to 2024-01-06T00:00:00: invocation"):
            ranges.load(first, last)

    ranges.before["replace_range"] = other
    ranges.load(3, 5)
    check(ranges, [1, 3, 4, 5])


def test_a_run_without_a_window_needs_the_whole_table() -> None:
    ranges = warehouse()

    def other() -> None:
        with pytest.raises(CompilerError, match=HELD):
            ranges.build(DAYS + 1)

    ranges.before["replace_range"] = other
    ranges.load(3, 5)
    check(ranges, [1, 3, 4, 5])

    def beside_the_whole() -> None:
        with pytest.raises(CompilerError, match=HELD + ": invocation"):
            ranges.load(3, 5)

    ranges.before["replace_range"] = beside_the_whole
    ranges.build(DAYS + 1)
    check(ranges, list(range(1, DAYS + 1)))


@pytest.mark.parametrize(
    "given",
    [
        {"given": {"partition_by_time_column": False}},
        {"query": QUERY.replace("select id", "select id, 1 as one")},
        {"hooks": [{"sql": "select 1", "transaction": True, "index": 0}]},
    ],
    ids=["two commits", "a new column", "a hook"],
)
def test_what_touches_more_than_its_range_claims_the_whole_table(given: dict[str, Any]) -> None:
    query = given.pop("query", None)
    ranges = warehouse(**given)
    ranges.query = query

    def other() -> None:
        with pytest.raises(CompilerError, match=HELD + ": invocation"):
            ranges.load(6, 8)

    ranges.before["replace_range"] = other
    ranges.load(3, 5)
    assert not ranges.before
    check(ranges, [1, 3, 4, 5])


def test_tables_of_files_are_written_by_one_run_alone() -> None:
    macros = Macros(pre_hooks=[], post_hooks=[])
    options = macros.options_of(node("t", kind="incremental_by_time_range", start="2024-01-01", time_column="day"))
    settings = {"start": "2024-01-03T00:00:00", "end": "2024-01-05T00:00:00"}
    spec = {"schema_changes": [], "whole_partitions": True}
    plan = {"batches": [["2024-01-03T00:00:00", "2024-01-05T00:00:00"]]}
    context = {
        "has_nothing_to_do": False, "start_anew": False, "reads_itself": False, "write_spec": spec, "plan": plan,
    }  # fmt: skip
    parts = [
        macros.part_to_claim(options | {"file_format": of}, settings, context) for of in ("delta", "parquet", "orc")
    ]
    assert parts == [["2024-01-03T00:00:00", "2024-01-05T00:00:00"], None, None]


def test_iceberg_in_a_catalog_without_a_lock_is_written_by_one_run_alone() -> None:
    ranges = warehouse()
    asked: list[str] = []

    class Unlocked:
        rows = (("spark.hadoop.iceberg.engine.hive.lock-enabled", "false"),)

    run_query = ranges.run_query

    def answer(sql: str) -> Any:
        if sql.startswith("set "):
            asked.append(sql)
            return Unlocked
        return run_query(sql)

    ranges.run_query = answer  # type: ignore[method-assign]

    def other() -> None:
        with pytest.raises(CompilerError, match=HELD + ": invocation"):
            ranges.load(6, 8)

    ranges.before["replace_range"] = other
    ranges.load(3, 5)
    assert asked
    check(ranges, [1, 3, 4, 5])


@pytest.mark.parametrize("overlaps", [False, True])
def test_a_run_that_was_silent_minds_those_of_its_own_range_only(overlaps: bool) -> None:
    ranges = warehouse()

    def silence() -> None:
        ranges.seconds += 7200
        ranges.load(*((4, 4) if overlaps else (6, 8)))

    ranges.before["replace_range"] = silence
    if overlaps:
        with pytest.raises(CompilerError, match=r"another one recorded what it did to shop\.t; run it again"):
            ranges.load(3, 5)
        ranges.build(DAYS + 1)
        check(ranges, list(range(1, DAYS + 1)))
    else:
        ranges.load(3, 5)
        check(ranges, [1, 3, 4, 5, 6, 7, 8])


class Death(BaseException):
    """kill -9 of a run."""


@dataclass
class Crowd(Ranges):
    """Runs of random windows begin before any statement of others, and die before or after any of theirs."""

    luck: Random = field(default_factory=Random)
    depth: int = 0
    tally: Counter[str] = field(default_factory=Counter)

    def change(self, name: str, sql: str) -> None:
        unwritten, self.unwritten = self.unwritten, []
        if 0 < self.depth < 4 and self.luck.random() < 0.25:
            self.begin()
        dies = self.depth > 0 and self.luck.random() < 0.06
        if dies and self.luck.random() < 0.5:
            raise Death
        self.unwritten = unwritten
        super().change(name, sql)
        if dies:
            raise Death

    def begin(self) -> None:
        """A run of a window, or at times of everything."""
        first = self.luck.randint(1, DAYS)
        last = self.luck.randint(first, min(DAYS, first + 3))
        self.depth += 1
        try:
            if self.luck.random() < 0.1:
                self.build(DAYS + 1)
            else:
                self.load(first, last)
            self.tally["done"] += 1
        except CompilerError as error:
            assert "another run holds the lease" in str(error) or "run it again" in str(error), error
            self.tally["refused"] += 1
        except Death:
            self.unwritten = []
            self.tally["died"] += 1
        finally:
            self.depth -= 1

    def check_records(self) -> None:
        held = self.days_held()
        assert len(held) == len(set(held)), f"doubled: {held}"
        assert set(self.days_recorded()) <= set(held), f"recorded {self.days_recorded()}, held {held}"


@pytest.mark.sized
def test_random_runs_that_meet_and_die_lose_and_double_nothing() -> None:
    tally = Counter[str]()
    for seed in range(CROWDS):
        crowd = Crowd(luck=Random(seed))
        for _ in range(DAYS):
            crowd.gain()
        crowd.build(2)
        for _ in range(4):
            crowd.begin()
            crowd.check_records()
        # leases of the dead are over
        crowd.seconds += 7200
        crowd.build(DAYS + 1)
        assert (crowd.days_held(), crowd.days_recorded()) == (list(range(1, DAYS + 1)),) * 2, f"seed {seed}"
        tally += crowd.tally
    print(dict(tally))
    assert min(tally["done"], tally["refused"], tally["died"]) > CROWDS / 4

"""How a backfill splits a window, and gives the parts to workers that succeed, fail, are refused or die."""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Callable, Sequence

import pytest

from dbt_kinds.errors import DbtFailedError
from dbt_kinds.intervals.units import read_unit
from dbt_kinds.operate.backfill import Backfill, Loader, Parts, split
from dbt_kinds.operate.backfill_worker import LostWorkerError
from dbt_kinds.operate.intervals import Interval, merged

HELD = "dbt_kinds: model t: another run holds the lease on shop.t: invocation {}, claimed at 2024-01-01T00:00:00"


def day(number: int) -> str:
    return f"2024-01-{number:02}T00:00:00"


@pytest.mark.parametrize(
    ("unit", "planned", "number", "parts"),
    [
        ("day", [(day(1), day(9))], 4, [(1, 3), (3, 5), (5, 7), (7, 9)]),
        ("day", [(day(1), day(9))], 3, [(1, 4), (4, 7), (7, 9)]),
        ("day", [(day(1), day(3))], 8, [(1, 2), (2, 3)]),
        ("day", [(day(1), day(4)), (day(6), day(7))], 2, [(1, 3), (3, 4), (6, 7)]),
        ("week", [(day(1), day(29))], 2, [(1, 15), (15, 29)]),
        ("day", [], 4, []),
    ],
)
def test_parts_are_whole_units(unit: str, planned: list[Interval], number: int, parts: list[tuple[int, int]]) -> None:
    assert list(split(planned, read_unit(unit), number)) == [(day(start), day(end)) for start, end in parts]


def test_months_differ_in_length_and_the_last_unit_may_not_be_over() -> None:
    year = [("2023-11-01T00:00:00", "2024-03-15T00:00:00")]
    assert list(split(year, read_unit("month"), 3)) == [
        ("2023-11-01T00:00:00", "2024-01-01T00:00:00"),
        ("2024-01-01T00:00:00", "2024-03-01T00:00:00"),
        ("2024-03-01T00:00:00", "2024-03-15T00:00:00"),
    ]


class Worker:
    """Loads by a function of its own."""

    def __init__(self, name: str, does: Callable[[Worker, Interval], None]) -> None:
        self.invocations, self.does = [name], does

    def load(self, part: Interval) -> None:
        self.does(self, part)

    def interrupt(self) -> None: ...

    def stop(self) -> None: ...


PARTS = [(day(number), day(number + 1)) for number in range(1, 13)]


def load(does: Sequence[Callable[[Worker, Interval], None]]) -> tuple[Backfill, list[Loader]]:
    """What becomes of twelve parts, and the workers that were lost."""
    backfill = Backfill("model.shop.t", day(1), day(13), len(does), merged(PARTS))
    workers, lost = [Worker(f"run-{number}", done) for number, done in enumerate(does)], list[Loader]()
    queue = Parts(backfill, PARTS, workers, lambda seconds: None, lost.append)
    queue.load_all()
    return backfill, lost


def at_once(worker: Worker, part: Interval) -> None:
    time.sleep(0.001)


@pytest.mark.parametrize("workers", [1, 2, 5])
def test_each_part_is_loaded_once(workers: int) -> None:
    loaded = Counter[Interval]()
    backfill, _ = load([lambda worker, part: loaded.update([part])] * workers)
    assert loaded == Counter(PARTS) and backfill.is_done and sorted(backfill.loaded) == PARTS


def test_a_part_that_fails_is_told_and_the_others_go_on() -> None:
    def fails(worker: Worker, part: Interval) -> None:
        if part == PARTS[4]:
            raise DbtFailedError("  division by zero\n")

    backfill, _ = load([fails, fails])
    assert [(failure.start, failure.message) for failure in backfill.failed] == [(day(5), "division by zero")]
    assert len(backfill.loaded) == 11 and not backfill.is_done


def test_where_a_run_claims_the_whole_table_one_goes_on_alone() -> None:
    lease, holder = threading.Lock(), ["run-0"]

    def whole(worker: Worker, part: Interval) -> None:
        if not lease.acquire(blocking=False):
            raise DbtFailedError(HELD.format(holder[0]))
        holder[0] = worker.invocations[0]
        time.sleep(0.005)
        lease.release()

    backfill, _ = load([whole] * 4)
    assert backfill.is_done and backfill.failed == [] and sorted(backfill.loaded) == PARTS


def test_somebody_elses_lease_is_a_failure() -> None:
    def refused(worker: Worker, part: Interval) -> None:
        raise DbtFailedError(HELD.format("of-another-job"))

    backfill, _ = load([refused, refused])
    assert len(backfill.failed) == 12 and "of-another-job" in backfill.failed[0].message


@pytest.mark.parametrize("dying", [1, 2, 3])
def test_a_worker_that_dies_costs_its_part(dying: int) -> None:
    def dies(worker: Worker, part: Interval) -> None:
        raise LostWorkerError("the worker ended with -9")

    backfill, lost = load([dies] * dying + [at_once] * (3 - dying))
    assert len(lost) == len(backfill.failed)
    assert len(lost) <= dying
    assert len(backfill.loaded) == (12 - len(lost) if dying < 3 else 0)
    assert not backfill.is_done or not lost

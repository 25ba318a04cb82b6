"""Nights of many models whose process dies at any statement, or in which one fails: nothing is lost, doubled or falsely recorded, and little is loaded twice."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import product
from random import Random
from typing import Any

import pytest

from tests.sweep import size
from tests.unit.nights import MODELS, End, Nights, Process, with_parents

NIGHTS = size("KINDS_EXAMPLES", 8, full=2_000)
# in which a claim was not given back, since the append that did it failed, and in which a run died right after its release
ONCE_WRONG = (642, 1397)
DEATHS = size("KINDS_KILLS", 10, full=1_000)
THREADS = 4


@pytest.fixture(scope="module")
def warehouse() -> Nights:
    """Two nights, and the evening before the third."""
    found = Nights()
    for _ in range(2):
        found.gain()
        found.night(Random(0))
        check(found, "before")
    found.gain()
    return found


@pytest.fixture(scope="module")
def evening(warehouse: Nights) -> dict[str, Any]:
    return warehouse.keep()


def check_records(warehouse: Nights, where: str) -> None:
    assert warehouse.false_claims() == [], where
    assert warehouse.broken == [], where


def check(warehouse: Nights, where: str, models: Sequence[str] = tuple(MODELS)) -> None:
    for name in models:
        assert warehouse.held(name) == warehouse.expected(name), f"{name}, {where}"
    check_records(warehouse, where)
    assert [warehouse.kept_claims(process) for process in warehouse.processes] == [[], []], where


def unrecorded(warehouse: Nights, process: Process) -> set[str]:
    """The models that a process wrote in its last run, and that the next one loads again."""
    return {name for name in process.written if warehouse.days not in warehouse.recorded_days(name)}


@pytest.mark.sized
def test_a_death_at_any_statement_is_made_good(warehouse: Nights, evening: dict[str, Any]) -> None:
    warehouse.restore(evening)
    whole = warehouse.night(Random(0))
    check(warehouse, "a night")
    assert set(whole.results.values()) == {"OK"}
    twice: Counter[int] = Counter()
    for number in range(1, whole.count + 1, max(1, whole.count // DEATHS)):
        warehouse.restore(evening)
        died = warehouse.night(Random(0), end=End(number))
        where = f"died at {number} of {whole.count}: {warehouse.statements[-1:]}"
        assert died.dead, where
        check_records(warehouse, where)
        twice[len(unrecorded(warehouse, died))] += 1
        warehouse.night(Random(0))
        check(warehouse, where)
    print("models loaded twice, of how many deaths:", sorted(twice.items()))
    # the one that was being written, and those whose records waited: before one that must not be repeated none does
    assert max(twice) <= 3


@pytest.mark.sized
def test_any_schedule_of_threads_and_of_two_processes_of_which_one_dies_or_fails(
    warehouse: Nights, evening: dict[str, Any]
) -> None:
    twice, ended = Counter[int](), Counter[str]()
    for number in (*ONCE_WRONG, *range(NIGHTS)):
        warehouse.restore(evening)
        random = Random(number)
        # all models, or the few of a job of their own, which is over sooner
        models = list(MODELS) if number % 4 == 0 else with_parents(random.sample(list(MODELS), random.randint(1, 3)))
        # how long a statement takes: records wait for a moment, or for longer than they may
        warehouse.second = random.choice([0.001, 0.01, 1.0])
        threads, processes = random.randint(1, THREADS), random.choice([1, 1, 2])
        end = End(
            random.randint(1, 9 * len(models)),
            random.random() < 0.3,
            is_failure=random.random() < 0.4,
            fails_fast=number % 2 > 0,
        )
        ahead = random.choice([None, None, 0, 1, 3])
        where = f"night {number} of {models}: {threads} threads, {processes} processes, claims {ahead} ahead, {end}"
        running = warehouse.processes[:processes]
        first = warehouse.night(random, threads=threads, processes=running, end=end, ahead=ahead, models=models)
        check_records(warehouse, where)
        assert [warehouse.kept_claims(process) for process in running] == [[]] * processes
        ended["died" if first.dead else "failed" if set(first.results.values()) != {"OK"} else "lived"] += 1
        if processes == 1:
            twice[len(unrecorded(warehouse, first))] += first.dead
        recovered = warehouse.night(random, threads=threads, models=models)
        assert set(recovered.results.values()) == {"OK"}, (where, recovered.results)
        check(warehouse, where, models)
    print(f"{NIGHTS} nights, {dict(ended)}; models loaded twice, of how many deaths: {sorted(twice.items())}")
    # of each thread the one that was being written, and those whose records waited
    assert max(twice) <= THREADS + len(MODELS)


def test_records_wait_for_the_next_model_where_models_know_of_each_other(
    warehouse: Nights, evening: dict[str, Any]
) -> None:
    warehouse.restore(evening)
    night = warehouse.night(Random(0))
    # those that must not be repeated do not wait, and nothing follows the last one
    assert night.late == {"a", "key", "b", "whole", "c"}
    warehouse.restore(evening)
    alone = warehouse.night(Random(0), processes=[Process(warehouse, shares_memory=False)])
    assert alone.late == set()
    check(warehouse, "without a shared memory")


def test_what_waited_for_longer_than_the_lease_lasts_is_not_recorded_over_another_run(
    warehouse: Nights, evening: dict[str, Any]
) -> None:
    warehouse.restore(evening)
    whole = warehouse.night(Random(0))
    moments, dropped = list(product(whole.waited_at, (-1, 1))), 0
    for number, behind in moments:
        warehouse.restore(evening)

        def another_run_dies(at: int = number + behind) -> None:
            warehouse.seconds += 7200
            warehouse.night(Random(0), end=End(at), processes=[warehouse.processes[1]])

        warehouse.meanwhile = (number, another_run_dies)
        night = warehouse.night(Random(0))
        where = f"at {number}, the other at {number + behind}"
        check_records(warehouse, where)
        dropped += any("another run took over" in said for said in warehouse.said)
        warehouse.night(Random(0))
        check_records(warehouse, where)
        for name, model in MODELS.items():
            # not what may not be repeated: it may have read a table that the other run had half written
            assert not model.is_repeatable or warehouse.held(name) == warehouse.expected(name), (
                f"{name}, {where}, {night.results}"
            )
    print(f"{len(moments)} nights, of which {dropped} found a table taken over")
    assert dropped

"""A project goes from one engine to the other and back in the middle of its life: nothing is loaded again, and no lease stays."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

import pytest

from tests.functional.every_kind import KINDS
from tests.fusion.project import CORE, FUSION, TwoEngineProject
from tests.fusion.shop import Shop

# what runs only to see whether anything changed loads nothing, but is a run of its own
ALWAYS = {f"{name}_iceberg" for name, kind in KINDS.items() if kind.always_runs} | {
    "appended",
    "baskets",
    "clicks",
    "numbered",
    "regions",
    "states",
}
ONE = "time_range_iceberg"


@pytest.fixture(scope="module")
def shop(new_project: Callable[[str], TwoEngineProject]) -> Iterator[Shop]:
    """A shop whose first three days dbt-core has loaded."""
    shop = Shop(new_project("switched"))
    for day in range(3):
        shop.arrive(day)
    run = shop.twins.dbt("run", now=shop.now())
    assert run.success, run.errors
    shop.load(range(3))
    yield shop


def other(name: str) -> str:
    return FUSION if name == CORE else CORE


def is_right(shop: Shop) -> bool:
    return all(shop.is_right(table) for table in shop.expected) and shop.has_each_once()


@pytest.mark.parametrize("name", [FUSION, CORE])
def test_the_other_engine_finds_nothing_to_do_and_goes_on_with_the_next_day(shop: Shop, name: str) -> None:
    shop.twins.engine = name
    before = shop.twins.events()
    idle = shop.twins.dbt("run", "--exclude", *ALWAYS, now=shop.now())
    assert idle.success, idle.errors
    assert shop.twins.events() == before
    day = shop.days
    shop.arrive(day)
    run = shop.twins.dbt("run", now=shop.now())
    assert run.success, run.errors
    assert run.batches(ONE) == [(f"2024-01-{day + 1:02}T00:00:00", f"2024-01-{day + 2:02}T00:00:00")]
    shop.load(range(day, day + 1))
    assert is_right(shop)


def test_every_model_has_one_hash_on_both_engines(shop: Shop) -> None:
    hashes = shop.hashes()
    assert {relation.split(".")[-1] for relation in hashes} == {
        model.stem for model in shop.twins.folder.glob("models/*.sql")
    }
    assert {name: len(of_model) for name, of_model in hashes.items()} == dict.fromkeys(hashes, 1)


@pytest.mark.parametrize("name", [FUSION, CORE])
def test_a_run_that_failed_leaves_no_lease_to_the_other_engine(shop: Shop, name: str) -> None:
    shop.twins.engine = name
    day = shop.days
    shop.arrive(day)
    shop.sql("create or replace view {schema}.source_rows as select 1 as id")
    failed = shop.twins.dbt("run", "--select", ONE, now=shop.now())
    assert failed.statuses == {ONE: "error"}
    shop.write_source()
    shop.twins.engine = other(name)
    run = shop.twins.dbt("run", now=shop.now())
    assert run.success, run.errors
    shop.load(range(day, day + 1))
    assert is_right(shop)


# the claim is one of the first ten statements
@pytest.mark.parametrize(("name", "number"), [(FUSION, 11), (CORE, 11), (FUSION, 14), (CORE, 14)])
def test_a_killed_run_is_gone_on_with_by_the_other_engine(shop: Shop, name: str, number: int) -> None:
    shop.twins.engine = name
    day = shop.days
    shop.arrive(day)
    assert shop.twins.kill(number, "run", "--select", ONE, "looked_back", "follower", now=shop.now())
    shop.twins.engine = other(name)
    released = shop.twins.operation("release_lease", select=f"{ONE} looked_back follower")
    assert released["operation"] == "release_lease"
    run = shop.twins.dbt("run", now=shop.now())
    assert run.success, run.errors
    shop.load(range(day, day + 1))
    assert is_right(shop)
    assert all(len(of_model) == 1 for of_model in shop.hashes().values())


@pytest.mark.parametrize("name", [FUSION, CORE])
def test_the_lease_of_a_killed_run_expires_for_the_other_engine(shop: Shop, name: str) -> None:
    shop.twins.engine = name
    day = shop.days
    shop.arrive(day)
    assert shop.twins.kill(11, "run", "--select", ONE, now=shop.now(), lease_seconds=1)
    time.sleep(2)
    shop.twins.engine = other(name)
    run = shop.twins.dbt("run", now=shop.now())
    assert run.success, run.errors
    shop.load(range(day, day + 1))
    assert is_right(shop)

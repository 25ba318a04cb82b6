"""A run that was refused before it claimed its table is recorded, and counts as nothing but the last run."""

from __future__ import annotations

import itertools
from types import SimpleNamespace
from typing import Any

import pytest
import sqlglot

from dbt_kinds.simulation.databases import new_database
from tests.unit.macros import Macros, node

OURS = """Compilation Error in model orders (models/orders.sql)
  dbt_kinds: model orders: the query has no column 'day'; select it

  > in macro fail (macros/options/fail.sql)"""


class Store(Macros):
    """The macros with a clock that ticks, and the events that they append."""

    def __init__(self, *names: str, **given: Any) -> None:
        nodes = {f"model.shop.{name}": node(name) | {"resource_type": "model"} for name in names}
        plain = node("plain", kind="table") | {"resource_type": "model"}
        unit_test = node("orders_test") | {"resource_type": "unit_test", "unique_id": "unit_test.shop.orders_test"}
        super().__init__(
            graph={"nodes": nodes | {each["unique_id"]: each for each in (plain, unit_test)}}, invocation_id="run-2",
            **given,
        )  # fmt: skip
        self.appended: list[list[dict[str, Any]]] = []
        ticks = itertools.count()
        self._functions |= {
            "next_moment": lambda: f"2024-06-30T02:24:{next(ticks):02}.000000",
            "find_store": lambda refresh=False: {"file_format": "hive"},
            "add_events": lambda events, commit=None: self.appended.append(events),
        }


def result(name: str, status: str = "error", message: str | None = OURS, *, kind: str = "model") -> SimpleNamespace:
    return SimpleNamespace(node=SimpleNamespace(unique_id=f"{kind}.shop.{name}"), status=status, message=message)


def test_all_models_that_were_refused_are_recorded_in_one_append() -> None:
    store = Store("orders", "payments", "held", "done")
    # another run's failure is not this one's
    for name, failed in (("held", "run-2"), ("orders", "run-1")):
        rows = [{"event": "failed", "invocation_id": failed}]
        store.run_memory("logs")[f"shop.{name}"] = store.new_log(rows)
    raw = "Runtime Error in model payments\n  [TABLE_OR_VIEW_NOT_FOUND] x\n\tat org.apache.spark.X"
    store.record_refusals([
        result("orders"), result("payments", message=raw), result("held"), result("done", "success"), result("done", "skipped"), result("plain"),
        result("orders_test", kind="unit_test"), result("not_null_orders_id", kind="test"),
    ])  # fmt: skip
    ((orders, payments),) = store.appended
    assert orders == {
        "event": "failed", "relation": "shop.orders", "model": "model.shop.orders", "kind": "incremental_by_time_range", "invocation_id": "run-2",
        "recorded_at": "2024-06-30T02:24:00.000000", "source": "refused", "message": "the query has no column 'day'; select it",
    }  # fmt: skip
    assert payments["message"] == "Runtime Error in model payments [TABLE_OR_VIEW_NOT_FOUND] x"


@pytest.mark.parametrize(
    "given",
    [{}, {"adapter_type": "duckdb"}, {"execute": False}, {"store": None}, {"message": "dbt_kinds: the interval store: x"}],
    ids=str,
)  # fmt: skip
def test_nothing_is_appended_where_nothing_was_refused_or_there_is_no_store(given: dict[str, Any]) -> None:
    said = given.pop("message", OURS)
    lacks_store = "store" in given and given.pop("store") is None
    status = "error" if given or lacks_store or said != OURS else "success"
    store = Store("orders", **given)
    if lacks_store:
        store._functions["find_store"] = lambda refresh=False: None
    store.record_refusals([result("orders", status, said)])
    assert store.appended == []


def event(name: str, second: int, invocation_id: str, **columns: Any) -> dict[str, Any]:
    return {
        "event": name, "relation": "shop.orders", "model": "model.shop.orders", "invocation_id": invocation_id,
        "recorded_at": f"2024-06-30T02:21:{second:02}.000000", "source": "run",
    } | columns  # fmt: skip


DAY = {"interval_start": "2024-06-29T00:00:00", "interval_end": "2024-06-30T00:00:00"}
LOADED = [
    event("claimed", 1, "run-1", lease_seconds=3600, **DAY),
    event("loaded", 2, "run-1", started_at="", execution_time="", model_hash="", **DAY),
    event("released", 3, "run-1"),
]
REFUSED = event("failed", 9, "run-2", source="refused", message="no column")


def test_a_refusal_is_a_run_of_its_own_and_no_coverage_claim_or_lease() -> None:
    store = Store("orders")
    log = [*LOADED, REFUSED]
    refused, done = store.runs_in_log(log)
    assert (refused["state"], refused["message"], refused["source"]) == ("refused", "no column", "run")
    assert (refused["loaded"], refused["ended_at"]) == ([], REFUSED["recorded_at"])
    assert done["state"] == "done"
    store.run_memory("logs")["shop.orders"] = store.new_log(log)
    assert store.events_of("shop.orders") == LOADED[1:2]
    assert store.open_claims(log) == []
    assert store.announced_write([event("pending", 0, "run-0"), REFUSED]) is not None
    claimed_and_failed = [LOADED[0], event("failed", 5, "run-1", message="x"), event("released", 5, "run-1")]
    assert [run["state"] for run in store.runs_in_log(claimed_and_failed)] == ["failed"]


def test_every_version_passes_over_it_when_it_reads_the_store() -> None:
    store = Store("orders")
    store._functions["store_table"] = lambda: "store"
    columns = [f"{store.text_literal(REFUSED.get(name))} as {name}" for name in store.store_columns()]
    sql = f"select {store.is_unreadable_sql()}, {store.is_refusal_sql()} from (select {', '.join(columns)}) as store"
    found = new_database().execute(sqlglot.transpile(sql, read="spark", write="duckdb")[0]).fetchall()
    assert found == [(False, True)]
    # an event of a name that a version does not know is an error to it, and keeps its runs from reading the table's others
    assert REFUSED["event"] in ("claimed", "released", "failed")


def kept(*log: dict[str, Any]) -> list[tuple[str, str]]:
    model = node("orders", time_column="ts") | {"resource_type": "model", "depends_on": {"nodes": []}, "raw_code": ""}
    macros = Macros(graph={"nodes": {"model.shop.orders": model}}, invocation_id="compaction")
    macros._functions["selected_models"] = lambda select: [model]
    return [
        (row["event"], row["recorded_at"][17:19])
        for row in macros.compacted_events(list(log), "2024-06-30T02:21:59.000000")
    ]


def test_a_compaction_keeps_the_newest_refusal_of_a_model_until_something_is_loaded() -> None:
    load = LOADED[1]
    assert kept(load, REFUSED) == [("loaded", "59"), ("failed", "09")]
    assert kept(load, REFUSED | {"recorded_at": "2024-06-30T02:21:05.000000"}, REFUSED) == [("loaded", "59"), ("failed", "09")]  # fmt: skip
    assert kept(REFUSED) == [("failed", "09")]
    assert kept(REFUSED, load | {"recorded_at": "2024-06-30T02:21:20.000000"}) == [("loaded", "59")]
    # the moment of a load that was compacted is that of the compaction
    assert kept(REFUSED, load | {"recorded_at": "2024-06-30T02:21:20.000000", "source": "compact_store"}) == [("loaded", "59"), ("failed", "09")]  # fmt: skip

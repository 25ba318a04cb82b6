"""A log is created by one thread of one run; the others wait for it."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest

from tests.unit.macros import Macros

COLUMNS = {"event": "string"}


class Store:
    """The relation of a log, and what is asked and done about it; it is there after a number of looks."""

    identifier = "dbt_kinds_intervals"

    def __init__(self, there_after: int) -> None:
        self.there_after = there_after
        self.created_by: list[str] = []
        self.places: list[str | None] = []
        self.looks = 0
        self.mark = ""

    def __str__(self) -> str:
        return f"shop.{self.identifier}"

    def without_identifier(self) -> str:
        return "shop"

    def incorporate(self, path: dict[str, str]) -> Any:
        return SimpleNamespace(**path)

    def run_query(self, statement: str) -> Any:
        if "extended" in statement:
            assert statement == "show table extended in shop like 'dbt_kinds_intervals_creator'"
            return SimpleNamespace(rows=[("shop", "", False, self.mark)] if self.mark else [])
        if statement == "describe schema shop":
            return SimpleNamespace(rows=[("Namespace Name", "shop"), ("Location", "file:/lake/shop.db")])
        assert statement == "show tables in shop like 'dbt_kinds_intervals'"
        self.looks += 1
        return SimpleNamespace(rows=[("shop", self.identifier, False)] if self.looks > self.there_after else [])

    def statement(self, run: str) -> Callable[..., str]:
        """What runs statements in a run: of several that make the mark, the first one does."""

        def execute(name: str, caller: Callable[[], str]) -> str:
            text = caller()
            if name == "create_mark" and not self.mark:
                self.mark = f"Table Properties: [kinds_invocation_id={run}]"
                assert f"'kinds_invocation_id' = '{run}'" in text
            elif name == "drop_mark":
                self.mark = ""
            return ""

        return execute


def of_model(name: str, graph: dict[str, Any], store: Store, run: str = "run", store_format: str = "hive") -> Macros:
    """The macros as a model of a run sees them."""
    macros = Macros(
        node={"unique_id": name},
        graph=graph,
        invocation_id=run,
        run_query=store.run_query,
        statement=store.statement(run),
        target=SimpleNamespace(schema="shop"),
        variables={"kinds_store_format": store_format},
    )
    macros._context["adapter"].create_schema = lambda relation: None

    def create(relation: Any, columns: Any, partitions: Any, file_format: str, place: str | None) -> None:
        assert file_format == store_format
        store.created_by.append(name)
        store.places.append(place)

    macros.replace({"_create_now": create})
    return macros


@pytest.mark.parametrize("store_format", ["hive", "iceberg", "delta"])
def test_the_first_thread_creates_a_log_and_the_others_wait(store_format: str) -> None:
    graph: dict[str, Any] = {"nodes": {}}
    store = Store(there_after=3)
    first, second = (of_model(name, graph, store, store_format=store_format) for name in ("first", "second"))
    first.create_log(store, COLUMNS)
    assert store.looks == 0
    second.create_log(store, COLUMNS)
    assert (store.created_by, store.looks, store.mark) == (["first"], 4, "")
    # what it dropped it creates again, as a compaction does with the table beside the store
    first.create_log(store, COLUMNS)
    assert store.created_by == ["first", "first"]
    assert store.places == [None, None]


def test_the_run_that_the_mark_names_creates_a_log_of_delta() -> None:
    store = Store(there_after=3)
    for run in ("one", "other"):
        of_model(run, {"nodes": {}}, store, run, "delta")._may_create(store, True)
    of_model("other", {"nodes": {}}, store, "other", "delta").create_log(store, COLUMNS)
    assert (store.created_by, store.looks) == ([], 4)
    of_model("one", {"nodes": {}}, store, "one", "delta").create_log(store, COLUMNS)
    assert (store.created_by, store.mark) == (["one"], "")


@pytest.mark.parametrize("store_format", ["hive", "delta"])
def test_nobody_waits_forever_for_one_that_failed(store_format: str) -> None:
    graph: dict[str, Any] = {"nodes": {}}
    store = Store(there_after=1_000_000)
    of_model("first", graph, store, "dead", store_format)._may_create(store, store_format == "delta")
    of_model("second", graph, store, "dead", store_format).create_log(store, COLUMNS)
    assert (store.created_by, store.mark) == (["second"], "")
    # on Delta the dead one may have left a folder
    assert (store.places[0] or "").startswith("file:/lake/shop.db/dbt_kinds_intervals_") == (store_format == "delta")
    of_model("first", {"nodes": {}}, store, "dead", "delta")._may_create(store, True)
    of_model("third", {"nodes": {}}, store, "next", "delta").create_log(store, COLUMNS)
    assert (store.created_by, store.mark) == (["second", "third"], "")
    assert store.places[0] != store.places[1]

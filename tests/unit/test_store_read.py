"""What of the interval store a run reads: the relations of its models and of what is upstream of them, and the rest when it asks about more."""

from __future__ import annotations

from typing import Any

from tests.unit.macros import Macros, node

LINE = "loaded 2024-01-01T00:00:00 2024-01-02T00:00:00 2024-01-03T00:00:00.000000 2024-01-03T00:00:00.000000 2024-01-03T00:00:00 x"


class Store:
    """A store in which every relation has a load, and the reads of it."""

    def __init__(self, selected: list[str], upstream: dict[str, list[str]], which: str = "run") -> None:
        nodes = {
            f"model.shop.{name}": node(name)
            | {
                "resource_type": "model",
                "depends_on": {"nodes": [f"{'seed' if one == 'sown' else 'model'}.shop.{one}" for one in parents]},
            }
            for name, parents in upstream.items()
        }
        # as dbt has it, a seed's has no nodes
        nodes |= {"seed.shop.sown": node("sown") | {"resource_type": "seed", "depends_on": {"macros": []}}}
        self.relations = {f"shop.{name}" for name in upstream} | {"shop.elsewhere"}
        self.reads: list[set[str]] = []
        graph = {"nodes": nodes}
        selection = [f"model.shop.{name}" for name in selected]
        arguments = {"which": which}
        self.macros = Macros(
            graph=graph, invocation_id="run", selected_resources=selection, invocation_args_dict=arguments
        )
        self.macros._functions["read_store"] = self.read
        self.macros._functions["store_key"] = lambda: "shop.dbt_kinds_intervals"

    def read(self, asked: dict[str, bool] | None, others: bool = False) -> list[dict[str, Any]]:
        found = {name for name in self.relations if asked is None or (name in asked) != others}
        self.reads.append(found)
        return [{"relation": name, "lines": LINE, "rows": []} for name in found]

    def record(self, relation: str) -> None:
        """What a run does that loads something."""
        self.loads(relation)
        self.macros.add_to_log(relation, {"event": "loaded"})

    def loads(self, relation: str) -> int:
        return len(self.macros.events_of(relation))


UPSTREAM: dict[str, list[str]] = {"raw": [], "clean": ["raw"], "report": ["clean"], "other": []}


def test_a_run_reads_what_its_models_and_their_ancestors_have() -> None:
    store = Store(["report"], UPSTREAM | {"raw": ["sown"]})
    assert [store.loads(f"shop.{name}") for name in ("report", "clean", "raw", "unknown_alias")] == [1, 1, 1, 0]
    assert store.reads[0] == {"shop.report", "shop.clean", "shop.raw"}


def test_what_it_asks_beyond_that_is_read_once() -> None:
    store = Store(["clean"], UPSTREAM)
    store.record("shop.clean")
    assert store.loads("shop.elsewhere") == 1
    assert (store.loads("shop.other"), store.loads("shop.nowhere"), store.loads("shop.clean")) == (1, 0, 2)
    assert store.reads == [{"shop.clean", "shop.raw"}, {"shop.report", "shop.other", "shop.elsewhere"}]


def test_an_operation_and_a_run_of_many_models_read_everything() -> None:
    many: dict[str, list[str]] = {f"model_{number}": [] for number in range(201)}
    for store in (Store([], UPSTREAM), Store([*many], many)):
        assert store.loads("shop.elsewhere") == 1
        assert store.reads == [store.relations]


def test_a_first_question_about_another_relation_is_answered() -> None:
    store = Store(["clean"], UPSTREAM)
    assert (store.loads("shop.elsewhere"), store.loads("shop.clean"), store.loads("shop.nowhere")) == (1, 1, 0)
    assert store.reads == [{"shop.clean", "shop.raw"}, {"shop.report", "shop.other", "shop.elsewhere"}]


def test_an_operation_does_not_take_the_selection_of_a_run_for_its_own() -> None:
    store = Store(["clean"], UPSTREAM, which="run-operation")
    assert store.loads("shop.elsewhere") == 1
    assert store.reads == [store.relations]


def test_what_a_second_reader_finds_does_not_undo_what_the_run_added() -> None:
    store = Store(["clean"], UPSTREAM)
    store.record("shop.clean")
    late = store.read({"shop.clean": True, "shop.raw": True})
    store.macros._keep(store.macros.run_memory("texts"), late)
    assert (store.loads("shop.clean"), store.loads("shop.raw")) == (2, 1)


def test_a_lease_on_the_whole_store_needs_no_loads() -> None:
    store = Store([], UPSTREAM, which="run-operation")
    assert store.loads("shop.dbt_kinds_intervals") == 0
    assert store.reads == []
    assert (store.loads("shop.raw"), store.loads("shop.dbt_kinds_intervals")) == (1, 0)
    assert store.reads == [store.relations]

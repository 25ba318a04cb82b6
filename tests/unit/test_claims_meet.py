"""A model that comes to its claim while another thread of its run decides about the claims that were asked for ahead."""

from __future__ import annotations

import threading
from collections import Counter
from random import Random
from types import SimpleNamespace
from typing import Any, cast

import pytest

from tests.unit import nights
from tests.unit.nights import Nights, Process

PATIENCE = 20


class Meeting:
    """`key` claims, and `rows` ahead of its turn; `rows` plans before `key` reads, and claims when `key` lets it."""

    def __init__(self, process: Process) -> None:
        self.process, self.results = process, dict[str, str]()
        self.planned, self.may_claim = threading.Event(), threading.Event()
        self.thread = threading.Thread(target=self._load_rows, daemon=True)
        self.wrap("rows", "claim", self._wait_for_key)
        self.wrap("key", "_events_where", self._begin_rows)

    def wrap(self, model: str, macro: str, around: Any) -> None:
        macros = self.process.macros[model]
        original = getattr(macros, macro)
        macros.replace({macro: lambda *given, **named: around(original, *given, **named)})

    def take_place(self) -> None:
        self.results["key"] = self.process.load("key")
        assert self.thread.ident is not None and not self.thread.is_alive()

    def _load_rows(self) -> None:
        nights._local.process = self.process
        self.results["rows"] = self.process.load("rows")

    def _begin_rows(self, read: Any, *given: Any, **named: Any) -> Any:
        if self.thread.ident is None and "shop.rows" in given[0]:
            self.thread.start()
            assert self.planned.wait(PATIENCE)
        return read(*given, **named)

    def _wait_for_key(self, claim: Any, *given: Any, **named: Any) -> Any:
        self.planned.set()
        assert self.may_claim.wait(PATIENCE)
        return claim(*given, **named)

    def _let_rows_go_on(self) -> None:
        self.may_claim.set()
        self.thread.join(PATIENCE)

    def let_rows_claim_as_it_is_decided(self) -> None:
        """Lets `rows` claim when its log is that of others, and its claim is not yet said to be held."""

        def facts_of(facts: Any, relation: str) -> Any:
            if relation == "shop.rows" and self.thread.ident is not None:
                self._let_rows_go_on()
            return facts(relation)

        self.wrap("key", "recorded_facts", facts_of)

    def let_rows_claim_once_it_is_decided(self) -> None:
        """Lets `rows` claim when its claim is said to be held."""

        def decide(decided: Any, *given: Any, **named: Any) -> None:
            decided(*given, **named)
            self._let_rows_go_on()

        self.wrap("key", "_decide", decide)


@pytest.mark.parametrize("moment", ["as it is decided", "once it is decided"])
def test_a_model_that_planned_before_others_wrote_plans_again(moment: str) -> None:
    warehouse = Nights()
    for _ in range(2):
        warehouse.gain()
        warehouse.night(Random(0))
    warehouse.gain()
    ours, other = warehouse.processes
    warehouse.began += 1
    ours.begin("run-ours", "process-ours", warehouse.days + 1, nights.END, 0, ["a", "key", "rows"])
    warehouse.turns = cast(Any, SimpleNamespace(switch=lambda: None))
    nights._local.process = ours
    # reads the whole store, and so what is recorded of `rows`
    ours.macros["a"].log_of("shop.a")
    del nights._local.process
    assert warehouse.night(Random(0), processes=[other], models=["a", "rows"]).results == {"a": "OK", "rows": "OK"}
    nights._local.process = ours
    assert ours.load("a") == "OK"
    ours.variables["kinds_claim_ahead"] = 1

    meeting = Meeting(ours)
    if moment == "as it is decided":
        meeting.let_rows_claim_as_it_is_decided()
    else:
        meeting.let_rows_claim_once_it_is_decided()
    meeting.take_place()

    assert meeting.results == {"key": "OK", "rows": "OK"}
    assert [row for row, times in Counter(warehouse.held("rows")).items() if times > 1] == []

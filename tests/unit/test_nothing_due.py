"""A run that finds nothing to do without the planner plans what the planner plans."""

from __future__ import annotations

import contextlib
from typing import Any

import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st

from tests.sweep import size
from tests.unit.macros import CompilerError, Macros, node
from tests.unit.planning import as_parent, as_pieces, days, facts_of, load, read
from tests.unit.reference_loads import Load
from tests.unit.reference_units import written
from tests.unit.reference_upstream import Parent
from tests.unit.situations import SITUATIONS, situation_of
from tests.unit.test_plan_any_situation import as_arguments, as_options

EXAMPLES = size("KINDS_EXAMPLES", 80, full=20_000)
NEEDED: dict[str, dict[str, Any]] = {
    "incremental_by_time_range": {"time_column": "ts"},
    "incremental_by_unique_key": {"unique_key": "id"},
    "incremental_by_partition": {},
    "cumulative_aggregate": {"unique_key": "id", "time_column": "ts", "combine": {"n": "add"}},
    "scd_type_2_by_column": {"unique_key": "id", "columns": "*"},
    "scd_type_2_by_time": {"unique_key": "id"},
}
HISTORIES = ["scd_type_2_by_column", "scd_type_2_by_time"]


class Planning:
    """The plans of one model in one situation: `quick`, none if the planner has to say, and the planner's own."""

    def __init__(
        self,
        kind: str,
        options: dict[str, Any],
        events: list[dict[str, Any]],
        loads: list[dict[str, Any]] | None = None,
        *,
        parents: list[Parent] | None = None,
        query_hash: str | None = "this query",
        full_refresh: bool = False,
        **variables: Any,
    ) -> None:
        self.macros = Macros(variables={f"kinds_{name}": value for name, value in variables.items()})
        log = {"rows": events, "views": {}}
        self.macros._functions.update(
            log_of=lambda relation: log,
            followed_parents=lambda *_: [as_parent(parent) for parent in parents or []],
        )
        partition_by: dict[str, Any] = {"partition_by": ["n"]} if kind == "incremental_by_partition" else {}
        self.node = node(kind=kind, **NEEDED.get(kind, {}), **partition_by, **options)
        self.options = self.macros.options(self.node)
        given = self.macros.run_settings("orders", full_refresh and not self.options["traits"]["blocks_full_refresh"])
        self.run = {
            "is_there": True, "sql": "select 1", "settings": given, "model_hash": query_hash,
            "loads": self.macros.fold_events(events) if loads is None else loads,
        }  # fmt: skip

    def quick(self) -> dict[str, Any] | None:
        plan: dict[str, Any] | None = self.macros.plan_of_nothing_due(self.node, self.options, self.run)
        return plan

    def slow(self) -> dict[str, Any]:
        self.macros._functions["plan_of_nothing_due"] = lambda *_: None
        planner = self.macros._functions[self.options["traits"]["plan"]]
        plan: dict[str, Any] = planner(self.node, self.options, self.run)
        return plan

    def is_surely_due(self, events: list[dict[str, Any]]) -> bool:
        """As a model says it that comes before."""
        self.macros.run_memory("logs")[self.options["relation"]] = self.macros.new_log(events)
        return bool(self.macros.is_surely_due(self.node))

    def is_quick(self) -> bool:
        """Whether the planner was not needed; then it plans the same, and refuses nothing."""
        quick = self.quick()
        assert quick is None or quick == self.slow()
        return quick is not None


def planning_of(kind: str, options: dict[str, Any], *args: Any, **given: Any) -> Planning | None:
    """None if the options are refused."""
    try:
        return Planning(kind, options, *args, **given)
    except CompilerError:
        return None


def quiet(drawn: dict[str, Any]) -> dict[str, Any]:
    """The same situation without what asks for recorded units, so that often nothing is due."""
    return drawn | {
        "window": (None, None), "full_refresh": False, "ignore_cron": False, "auto_restatement_cron": None, "query_hash": "this query", "parents": drawn["parents"][:1],
    }  # fmt: skip


@settings(max_examples=EXAMPLES)
@given(drawn=st.one_of(SITUATIONS, SITUATIONS.map(quiet), SITUATIONS.map(quiet)))
def test_nothing_is_due_if_the_planner_says_so(drawn: dict[str, Any]) -> None:
    situation = situation_of(drawn)
    model, loads = situation.model, situation.loads
    options = {name: value for name, value in as_options(model).items() if name != "kind"}
    planning = planning_of(
        model.kind, options, [], as_pieces(loads), parents=situation.parents, **as_arguments(situation.run)
    )
    event(f"nothing is due: {planning is not None and planning.is_quick()}")


def as_events(loads: list[Load], withdrawn: list[bool], kinds: list[str]) -> list[dict[str, Any]]:
    rows = []
    for a_load, is_withdrawn, kind in zip(loads, withdrawn, kinds, strict=True):
        bounds = {"interval_start": written(a_load.start), "interval_end": written(a_load.end)}
        name = "invalidated" if is_withdrawn else "loaded"
        rows.append({"event": name, "kind": kind, **bounds, **facts_of(a_load), "details": ""})
    return rows


@settings(max_examples=EXAMPLES)
@given(
    drawn=st.one_of(SITUATIONS, SITUATIONS.map(quiet)),
    history=st.sampled_from(HISTORIES),
    withdrawn=st.lists(st.sampled_from([False] * 5 + [True]), min_size=5, max_size=5),
    others=st.lists(st.sampled_from([*["scd_type_2_by_column"] * 7, "full"]), min_size=5, max_size=5),
    batched=st.booleans(),
    reaches=st.booleans(),
)
def test_no_merge_is_due_if_the_planner_says_so(
    drawn: dict[str, Any], history: str, withdrawn: list[bool], others: list[str], batched: bool, reaches: bool
) -> None:
    situation = situation_of(drawn)
    allowed = {"cron", "cron_tz", "interval_unit", "week_start", "start", "end", "disable_restatement"}
    allowed = (allowed | {"on_query_change"} | ({"batch_size"} if batched else set())) - (
        {"start"} if reaches else set()
    )
    given = as_options(situation.model)
    options = {name: value for name, value in given.items() if name in allowed and value is not None}
    withdrawn = [False] * 5 if reaches else withdrawn
    loads, arguments = situation.loads, as_arguments(situation.run)
    events = as_events(loads, withdrawn[: len(loads)], others[: len(loads)])
    planning = planning_of(history, options, events, **arguments)
    if planning is not None and events and reaches:
        upper = planning.macros.upper_bound(planning.options, planning.run["settings"], None)
        first = min(planning.macros.floor_to_unit(row["interval_start"], planning.options["unit"]) for row in events)
        for row in events:
            row |= {"interval_start": first} if row["interval_start"] < upper else {}
            row |= {"interval_end": upper} if row["interval_start"] < upper else {}
        planning = planning_of(history, options, events, **arguments)
    event(f"nothing is due: {planning is not None and planning.is_quick()}")


# options with which a model is never surely due
DECIDING = {"kind", "cron", "cron_tz", "interval_unit", "week_start", "end", "ready_until", "on_missing_upstream"}


@settings(max_examples=EXAMPLES)
@given(
    drawn=SITUATIONS.map(quiet),
    kind=st.sampled_from(list(NEEDED)),
    cron=st.sampled_from(["@daily", "@hourly", "@weekly", "@monthly", "30 3 * * *", "5 * * * *"]),
    others=st.sets(st.sampled_from(sorted(DECIDING)), max_size=1),
)
def test_a_model_that_is_surely_due_has_something_to_load(
    drawn: dict[str, Any], kind: str, cron: str, others: set[str]
) -> None:
    situation = situation_of(drawn)
    given, loads = as_options(situation.model), situation.loads
    names = {"start"} if kind in HISTORIES else set(given) - DECIDING
    options = {name: given[name] for name in (names | others) - {"kind"} if given.get(name) is not None}
    rows = as_events(loads, [False] * len(loads), [kind] * len(loads))
    pieces = None if kind in HISTORIES else as_pieces(loads)
    arguments = as_arguments(situation.run)
    planning = planning_of(kind, {"cron": cron} | options, rows, pieces, parents=situation.parents, **arguments)
    is_due = planning is not None and planning.is_surely_due(rows)
    event(f"surely due: {is_due}")
    if planning is not None and is_due:
        # or it is refused
        with contextlib.suppress(CompilerError):
            assert planning.slow()["batches"]


def merges(*numbers: int) -> list[dict[str, Any]]:
    """What is recorded of a history."""
    loads = [read(interval, number) for number, interval in enumerate(days(*numbers))]
    return as_events(loads, [False] * len(loads), ["scd_type_2_by_column"] * len(loads))


NOW = "2024-01-10T08:00:00"


@pytest.mark.parametrize("kind", NEEDED)
def test_a_model_that_is_up_to_date_needs_no_planner(kind: str) -> None:
    planning = Planning(kind, {"start": "2024-01-01"}, merges(1, 5, 5, 10), execution_time=NOW)
    quick = planning.quick()
    assert quick is not None and quick["reason"] == "up to date until 2024-01-10T00:00:00"
    assert quick == planning.slow()


@pytest.mark.parametrize(
    ("kind", "options", "recorded", "given"),
    [
        ("incremental_by_time_range", {}, merges(1, 9), {}),
        ("incremental_by_time_range", {}, merges(2, 10), {}),
        ("incremental_by_time_range", {}, merges(1, 4, 5, 10), {}),
        ("incremental_by_time_range", {}, [], {}),
        ("incremental_by_time_range", {"lookback": "auto"}, merges(1, 10), {}),
        ("incremental_by_time_range", {"auto_restatement_cron": "@weekly"}, merges(1, 10), {}),
        ("incremental_by_time_range", {"on_query_change": "rebuild"}, merges(1, 10), {"query_hash": None}),
        ("incremental_by_time_range", {}, merges(1, 10), {"full_refresh": True}),
        ("incremental_by_time_range", {}, merges(1, 10), {"start": "2024-01-01", "end": "2024-01-02"}),
        ("scd_type_2_by_column", {}, merges(1, 10), {"ignore_cron": True}),
        # of a later run
        ("scd_type_2_by_column", {}, merges(1, 11), {}),
        ("scd_type_2_by_column", {}, [row | {"kind": "full"} for row in merges(1, 10)], {}),
    ],
)
def test_the_planner_says_it_where_a_unit_may_be_asked_for(
    kind: str, options: dict[str, Any], recorded: list[dict[str, Any]], given: dict[str, Any]
) -> None:
    planning = Planning(kind, {"start": "2024-01-01", **options}, recorded, **({"execution_time": NOW} | given))
    assert planning.quick() is None


def test_another_query_and_a_parent_that_loaded_since_are_for_the_planner() -> None:
    old = [row | {"model_hash": "old"} for row in merges(1, 10)]
    rebuilt = {"start": "2024-01-01", "on_query_change": "rebuild"}
    assert Planning("incremental_by_time_range", rebuilt, old, execution_time=NOW).quick() is None
    assert Planning("incremental_by_time_range", {"start": "2024-01-01"}, old, execution_time=NOW).quick() is not None
    parents = [
        Parent("customers", (load("2024-01-03", "2024-01-04", recorded_at),), ())
        for recorded_at in ("2023-12-31T00:00:00", "2024-01-09T00:00:00")
    ]
    protected: dict[str, Any] = {"disable_restatement": True}
    for added, parent, is_quick in (({}, 0, True), ({}, 1, False), (protected, 1, True)):
        options = {"start": "2024-01-01", **added}
        planning = Planning(
            "incremental_by_time_range", options, merges(1, 10), parents=[parents[parent]], execution_time=NOW
        )
        assert planning.is_quick() is is_quick

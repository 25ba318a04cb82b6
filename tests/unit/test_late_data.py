"""Which units came late, by what the loads of a model noted of their sources; and what a run does with them."""

from __future__ import annotations

import json
from types import SimpleNamespace
from typing import Any

import pytest

from dbt_kinds.operate.plan import Estimate, PlanTable, plan_summary, plans_of
from tests.unit.macros import Macros, node
from tests.unit.planning import days, planned
from tests.unit.test_operator_tables import printed

MACROS = Macros()
DAY = MACROS.interval_unit("", "day")
HOUR = MACROS.interval_unit("", "hour")
PLAIN = {"before": "PT0S", "after": "PT0S", "unit": "day", "week_start": "monday"}
DAY_BEFORE = {**PLAIN, "before": "P1D"}
FIRST = MACROS.unit_index("2024-01-01T00:00:00", DAY)


def at(day: int) -> str:
    return f"2024-01-{day:02}T00:00:00"


def unit(*numbers: int) -> list[list[int]]:
    """Units of January 2024: unit(2, 4) are the 2nd and the 3rd."""
    return [[FIRST + start - 1, FIRST + end - 1] for start, end in zip(numbers[::2], numbers[1::2], strict=True)]


def change(position: int, first: int, last: int | None = None) -> dict[str, Any]:
    last = last or first
    return {"position": position, "first": at(first), "last": at(last), "end": at(last + 1)}


def piece(start: int, end: int, since: int | None) -> dict[str, Any]:
    return {"start": at(start), "end": at(end), "since": since}


def late(pieces: list[dict[str, Any]], *changes: dict[str, Any], margin: dict[str, str] = PLAIN) -> Any:
    found = MACROS.late_hits(pieces, list(changes), [margin], DAY)
    return MACROS.merge_intervals([units for hit in found["hits"] for units in hit["units"]]), found["lost"]


# --- which units a change touches


def test_a_change_behind_what_a_load_read_makes_its_units_late() -> None:
    held = [piece(1, 4, 3), piece(4, 6, 5)]
    assert late(held, change(4, 2), change(4, 4)) == (unit(2, 3), [])
    assert late(held, change(6, 3, 4)) == (unit(3, 5), [])
    assert late(held, change(3, 2), change(9, 8)) == ([], [])


def test_a_margin_widens_what_a_change_touches() -> None:
    assert late([piece(1, 9, 1)], change(2, 3), margin=DAY_BEFORE) == (unit(3, 5), [])


def test_of_a_load_that_noted_nothing_nothing_is_known() -> None:
    assert late([piece(1, 3, None), piece(3, 6, 2)], change(3, 1), change(3, 4)) == (unit(4, 5), unit(1, 3))


def test_a_date_touches_all_hours_of_its_day() -> None:
    margin = {**PLAIN, "unit": "none"}
    held = [{"start": "2024-01-02T00:00:00", "end": "2024-01-02T05:00:00", "since": 1}]
    found = MACROS.late_hits(held, [change(2, 2)], [margin], HOUR)
    assert MACROS.count_units(found["hits"][0]["units"]) == 5


# --- the history of a table of snapshots


def history(*operations: str, head: int | None = None, expired: int = 0) -> Any:
    rows = [
        {"snapshot_id": number, "operation": operation, **({"parent_id": number - 1} if number > 1 else {})}
        for number, operation in enumerate(operations, 1)
    ]
    for row in rows:
        if row["snapshot_id"] == (head or len(rows)):
            row["is_head"] = True
    return MACROS.history_of_snapshots(rows[expired:])


def test_a_history_counts_the_ancestors_of_the_current_snapshot() -> None:
    found = history("append", "append", "append", head=2)
    assert (found["head"], found["is_whole"], found["positions"]) == (2, True, {1: 1, 2: 2})
    assert [MACROS.position_of(found, snapshot) for snapshot in (None, 1, 2, 3)] == [0, 1, 2, None]


def test_versions_of_delta_are_a_history_from_the_one_that_turned_the_feed_on() -> None:
    rows: list[dict[str, Any]] = [
        {"version": 4, "operation": "WRITE", "operationParameters": "{mode=Append}"},
        {"version": 3, "operation": "SET TBLPROPERTIES", "operationParameters": '{properties={"delta.enableChangeDataFeed":"true"}}'},
        {"version": 2, "operation": "WRITE", "operationParameters": "{mode=Append}"},
    ]  # fmt: skip
    late = MACROS.history_of_snapshots(MACROS.versions_with_changes(rows))
    # what changed behind version 2 can be asked, what changed behind version 1 cannot
    assert (late["head"], late["is_whole"], late["positions"]) == (4, False, {2: 0, 3: 1, 4: 2})
    whole = MACROS.history_of_snapshots(
        MACROS.versions_with_changes([dict(row, operationParameters="{}", version=row["version"] - 2) for row in rows])
    )
    assert (whole["head"], whole["is_whole"], whole["positions"]) == (2, True, {0: 1, 1: 2, 2: 3})


def test_what_has_expired_is_lost_and_the_beginning_with_it_but_for_what_the_next_one_names() -> None:
    found = history("append", "append", "append", "append", expired=2)
    assert [MACROS.position_of(found, snapshot) for snapshot in (None, 1, 2, 3, 4)] == [None, None, 0, 1, 2]


def test_a_table_without_a_snapshot_has_a_beginning() -> None:
    empty = MACROS.history_of_snapshots([])
    assert (empty["head"], MACROS.position_of(empty, None), MACROS.position_of(empty, 7)) == (None, 0, None)


# --- what loads noted


def load(start: int, end: int, moment: int) -> dict[str, Any]:
    return {"start": at(start), "end": at(end), "recorded_at": f"2024-02-{moment:02}"}


def note(
    start: int, end: int, moment: int, snapshot: int | None, stale: list[list[str]] | None = None
) -> dict[str, Any]:
    noted = {"snapshot": snapshot} | ({} if stale is None else {"stale": stale})
    return load(start, end, moment) | {"sources": {"raw.events": noted}}


def test_a_later_load_vouches_for_all_but_what_it_found_stale() -> None:
    loads = [load(1, 5, 1), load(5, 6, 2), load(6, 7, 3)]
    noted = [note(6, 7, 3, 4, days(2, 3)), note(5, 6, 2, 2, []), note(1, 5, 1, 1)]
    pieces = MACROS.pieces_of_history(loads, noted, "raw.events", history(*["append"] * 4))
    assert pieces == [piece(1, 2, 4), piece(2, 3, 2), piece(3, 5, 4), piece(5, 6, 4), piece(6, 7, 4)]


def test_what_was_vouched_for_outlives_the_snapshot_that_its_load_noted() -> None:
    loads, noted = [load(1, 5, 1), load(5, 6, 2)], [note(5, 6, 2, 3, []), note(1, 5, 1, 1)]
    pieces = MACROS.pieces_of_history(loads, noted, "raw.events", history(*["append"] * 4, expired=2))
    assert pieces == [piece(1, 5, 1), piece(5, 6, 1)]


@pytest.mark.parametrize(
    ("today", "head", "expected"),
    [(4, 3, {"raw.events": {"snapshot": 3, "stale": [[at(2), at(3)]]}}), (4, 1, None), (3, 3, None)],
    ids=["a day later", "nothing new", "the same day"],
)
def test_a_run_with_nothing_to_load_notes_once_a_day_what_it_saw(
    today: int, head: int, expected: dict[str, Any] | None
) -> None:
    recorded = {"event": "loaded", "recorded_at": "2024-02-01", "execution_time": at(3)}
    details = {"sources": {"raw.events": {"snapshot": 1}, "raw.files/day": {"partitions": {}}}}
    macros = Macros(invocation_id="run")
    macros._functions["log_of"] = lambda relation: {"rows": [recorded | {"details": json.dumps(details)}], "views": {}}
    sources = [
        {"name": "raw.events", "snapshot": head, "hashes": None, "stale": [[at(2), at(3)]]},
        {"name": "raw.files/day", "snapshot": None, "hashes": {at(1): "x"}, "stale": None},
    ]
    note = macros.snapshots_to_note({"relation": "shop.orders"}, {"execution_time": at(today)}, sources)
    assert (note["details"]["sources"] if note else None) == expected


def test_a_load_before_the_option_and_one_of_another_source_noted_nothing() -> None:
    loads = [load(1, 2, 1), load(2, 3, 2), load(3, 4, 3)]
    noted = [note(3, 4, 3, 1), load(2, 3, 2) | {"sources": {"raw.others": {"snapshot": 1}}}]
    pieces = MACROS.pieces_of_history(loads, noted, "raw.events", history("append"))
    assert pieces == [piece(1, 2, None), piece(2, 3, None), piece(3, 4, 1)]


def test_a_partition_that_has_another_hash_or_is_on_one_side_only_changed() -> None:
    source: dict[str, Any] = {"name": "raw.events/day", "margins": [PLAIN], "snapshot": None, "stale": None}
    source["hashes"] = {at(1): "a", at(2): "b2", at(4): "d", at(9): "e"}
    noted = [load(1, 5, 1) | {"sources": {source["name"]: {"partitions": {at(1): "a", at(2): "b", at(3): "c"}}}}]
    (found,) = MACROS.pieces_of_partitions([load(1, 5, 1)], noted, source)
    assert sorted(found["changed"]) == [at(2), at(3), at(4)]
    assert MACROS.pieces_of_partitions([load(6, 7, 2)], noted, source)[0]["since"] is None
    assert MACROS.note_of_source(source, [at(2), at(5)]) == {"partitions": {at(2): "b2", at(4): "d"}}


# --- what a run does


def found(*hits: tuple[int, int], lost: list[list[int]] | None = None) -> dict[str, Any]:
    told = [{"units": unit(start, end), "first": at(start), "last": at(end - 1)} for start, end in hits]
    return {"relation": "raw.events", "hits": told, "lost": lost or []}


def plan(*sources: dict[str, Any], lookback: Any = "auto", recorded: Any = None, **more: Any) -> dict[str, Any]:
    options = {"start": "2024-01-01", "lookback": lookback, **more}
    return planned(options, days(1, 9) if recorded is None else recorded, late=sources)


def test_late_units_are_loaded_with_what_is_missing() -> None:
    a_plan = plan(found((2, 3), (3, 5)))
    assert (a_plan["batches"], a_plan["lookback"], a_plan["missing"]) == (days(2, 5, 9, 10), days(2, 5), days(9, 10))
    assert a_plan["reason"] == "1 missing, late data: 3 units (raw.events changed in 2024-01-02 to 2024-01-04)"


def test_they_are_loaded_when_nothing_is_missing() -> None:
    a_plan = plan(found((2, 3)), recorded=days(1, 10))
    assert (a_plan["batches"], a_plan["reason"]) == (days(2, 3), "late data: 1 unit (raw.events changed in 2024-01-02)")


def test_only_recorded_units_are_late() -> None:
    a_plan = plan(found((9, 12)))
    assert (a_plan["batches"], a_plan["reason"]) == (days(9, 10), "1 missing")


def test_minimum_is_looked_back_besides() -> None:
    a_plan = plan(found((2, 3), (8, 9)), lookback={"auto": True, "minimum": 2})
    assert a_plan["batches"] == days(2, 3, 7, 10)
    assert a_plan["reason"] == (
        "1 missing, 1 looked back, late data: 2 units (raw.events changed in 2024-01-02 to 2024-01-08)"
    )


def test_what_lies_further_back_than_maximum_is_counted() -> None:
    lookback = {"auto": True, "maximum": 3}
    a_plan = plan(found((2, 4), (7, 8)), lookback=lookback, recorded=days(1, 10))
    assert a_plan["batches"] == days(7, 8)
    assert a_plan["reason"] == (
        "late data: 1 unit (raw.events changed in 2024-01-07), late data: 2 units further back than maximum"
    )
    a_plan = plan(found((2, 4)), lookback=lookback, recorded=days(1, 10))
    assert a_plan["reason"] == "up to date until 2024-01-10T00:00:00, late data: 2 units further back than maximum"


def test_a_lost_history_is_loaded_again_on_request() -> None:
    a_plan = plan(found((2, 3), lost=unit(5, 7)))
    assert (a_plan["lookback"], a_plan["lost"]) == (days(2, 3), {"raw.events": unit(5, 7)})
    a_plan = plan(found((2, 3), lost=unit(5, 7)), on_lost_history="reload")
    assert a_plan["lookback"] == days(2, 3, 5, 7)
    assert a_plan["reason"].endswith(
        "late data: 3 units (raw.events changed in 2024-01-02, the history of raw.events is gone)"
    )


def test_a_run_that_warns_of_a_lost_history_does_not_say_that_data_came_late() -> None:
    """`late data` in a log is what people, and the vectors, look for."""
    said: list[str] = []
    macros = Macros(exceptions=SimpleNamespace(warn=said.append))
    options = {"model": "m", "unit": DAY, "late_data": {"on_lost_history": "warn"}}
    macros._warn_of_lost_history(options, {"lost": {"raw.events": unit(5, 7)}, "end": at(9)})
    assert said == [
        "dbt_kinds: model m: the history of raw.events is gone, so changes of it cannot be determined for 2 units between 2024-01-05T00:00:00 "
        "and 2024-01-07T00:00:00; reload them with kinds_start and kinds_end, or set on_lost_history: reload next to auto"
    ]


def test_late_units_that_are_not_ready_wait() -> None:
    gate = {"name": "ready_until", "until": "2024-01-04T00:00:00"}
    a_plan = planned({"start": "2024-01-01", "lookback": "auto"}, days(1, 10), late=[found((2, 6))], gates=[gate])
    assert a_plan["batches"] == days(2, 4)
    assert "2 units wait for ready_until" in a_plan["reason"]


# --- what windows a model's source says without running it


def test_windows_are_read_from_the_source() -> None:
    code = "from {{ dbt_kinds.window_of(source('src', 'events'), 'day', before='P1D') }} join {{ dbt_kinds.window_of(ref('a'), 'ts') }}"
    graph = {
        "nodes": {},
        "sources": {
            "s": {"source_name": "src", "name": "events", "schema": "Raw", "identifier": "e", "database": None}
        },
    }
    windows = Macros(graph=graph).written_source_windows(node() | {"raw_code": code, "depends_on": {"nodes": ["s"]}})
    assert [(window["relation"], window["column"], window["before"]) for window in windows] == [
        ("raw.e", "day", "P1D"),
        ("a", "ts", "PT0S"),
    ]


def test_a_window_on_an_ephemeral_model_widens_what_is_read_of_the_parents_behind_it() -> None:
    window = {**DAY_BEFORE, "relation": "__dbt__cte__part"}
    assert MACROS._windows_on([window], node("Part", "ephemeral")) == [window]
    assert MACROS._windows_on([window], node("other", "ephemeral")) == []


@pytest.mark.parametrize("is_there", [False, True])
def test_a_parent_that_is_followed_is_no_source_from_the_first_load_on(is_there: bool) -> None:
    parent = node("parent", time_column="ds", start="2024-01-01") | {
        "resource_type": "model",
        "depends_on": {"nodes": []},
    }
    model = node(time_column="ts", start="2024-01-01", lookback="auto")
    model |= {"resource_type": "model", "depends_on": {"nodes": ["model.shop.parent"]}}
    macros = Macros(node=model, graph={"nodes": {"model.shop.parent": parent, "model.shop.orders": model}})
    load = {"event": "loaded", "interval_start": at(1), "interval_end": at(5), "recorded_at": at(6), "started_at": at(6), "execution_time": at(6), "model_hash": ""}  # fmt: skip
    asked: list[str] = []

    def log_of(relation: str) -> dict[str, Any]:
        if relation not in asked:
            asked.append(relation)
        return {"rows": [load], "views": {}}

    macros._functions |= {
        "log_of": log_of,
        "table_exists": lambda node: is_there,
        "noted_sources": lambda relation: [],
        "source_facts": lambda key: pytest.fail(f"{key} was asked"),
    }
    relation = SimpleNamespace(database=None, schema="Shop", identifier="parent")
    sql = f"select * from {macros.window_of(relation, 'ds', data_type='string')} as p"
    plan = macros.plan_of(model, macros.options_of(model), macros.run_settings("orders", False), sql)
    assert (plan["sources"], plan["missing"]) == ([], days(5, 10) if is_there else days(1, 10))
    assert asked == (["shop.orders", "shop.parent"] if is_there else [])


# --- estimates


def batch(start: int, end: int, seconds: float | None, rows: int | None) -> dict[str, Any]:
    return {"interval_start": at(start), "interval_end": at(end), "seconds": seconds, "rows_written": rows}


@pytest.mark.parametrize(
    ("known", "batches", "expected"),
    [
        ([], days(1, 3), (None, None, 0)),
        ([batch(1, 2, 5, 10)], [], (0, 0, 0)),
        ([batch(1, 3, 4, 20)], days(3, 5), (4, 20, 1)),
        ([batch(1, 3, 4, 20), batch(3, 4, 1, 7), batch(4, 5, 3, 9)], days(5, 6, 6, 8), (6, 28, 3)),
        ([batch(1, 2, 3, 9), batch(2, 3, 9, 30), batch(3, 4, 4, 10)], days(5, 6), (4, 10, 3)),
        ([batch(1, 11, 20, 1000)], days(5, 7), (4, 200, 1)),
        ([batch(1, 2, 3, None)], days(5, 7), (6, None, 1)),
        ([batch(1, 2, None, 3)], days(5, 7), (None, None, 0)),
    ],
)  # fmt: skip
def test_an_estimate_is_the_median_batch_of_the_same_size_or_of_the_nearest(
    known: Any, batches: Any, expected: Any
) -> None:
    estimate = MACROS.estimate({"batches": batches}, known, DAY)
    assert (estimate["seconds"], estimate["rows"], estimate["from_batches"]) == expected


@pytest.mark.parametrize(
    ("seconds", "rows", "text"),
    [
        (None, None, "?"),
        (0.2, 0, "~1 s, ~0 rows"),
        (118.0, 1_234_567, "~2 min, ~1.2 M rows"),
        (58.0, 999_950, "~1 min, ~1 M rows"),
        (7300.0, 34_900, "~2 h, ~35 k rows"),
        (300000.0, None, "~3 d"),
    ],
)
def test_a_cost_is_told_roughly(seconds: float | None, rows: int | None, text: str) -> None:
    assert Estimate(seconds, rows, 3).text() == text


def test_the_plan_tells_what_a_run_will_cost() -> None:
    known = {"model": "model.shop.a", "batches": days(1, 2), "estimate": {"seconds": 90, "rows": 5, "from_batches": 1}}
    unknown = {"model": "model.shop.b", "batches": days(1, 2), "estimate": {"from_batches": 0}}
    idle = {"model": "model.shop.c", "batches": [], "estimate": {"seconds": 0, "rows": 0, "from_batches": 0}}
    plans = plans_of({"plans": [known, unknown, idle]})
    lines = printed(PlanTable(plans))
    assert "will cost" in lines[0] and "~2 min, ~5 rows" in lines[1] and "  ?" in lines[2] and "~" not in lines[3]
    assert plan_summary(plans) == "2 batches in 2 models, ~2 min and what 1 of them will take; nothing to do in 1 more."

"""What a run loads: the conformance vectors, the plan as people read it, and the errors."""

from __future__ import annotations

import json
from datetime import datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tests.unit.macros import CompilerError, Macros, node, of_kind
from tests.unit.planning import as_pieces, days, facts_of, load, planned, refusal_of

VECTORS = json.loads((Path(__file__).parents[1] / "conformance" / "intervals.json").read_text())

MACROS = Macros()

# --- the conformance vectors


def planned_vector(vector: dict[str, Any]) -> dict[str, Any]:
    return planned(vector["options"], vector["recorded"], **vector["vars"])


@pytest.mark.parametrize("vector", VECTORS, ids=[vector["id"] for vector in VECTORS])
def test_a_run_loads_the_batches_of_the_vector(vector: dict[str, Any]) -> None:
    if "error" in vector["expect"]:
        with pytest.raises(CompilerError) as refused:
            planned_vector(vector)
        assert vector["expect"]["error"] in str(refused.value)
    else:
        assert planned_vector(vector)["batches"] == vector["expect"]["batches"]


# --- the plan as people read it


def test_a_plan_has_exactly_the_documented_keys() -> None:
    keys = "model relation kind execution_time start end cron unit recorded missing lookback restated batches waiting reason start_anew to_go unready lost"
    assert set(planned({"start": "2024-01-01"})) == set(keys.split())


def test_the_execution_time_is_the_start_of_the_invocation_in_whole_seconds() -> None:
    plan = planned({"start": "2024-01-01"}, clock=datetime(2024, 1, 3, 7, 8, 9, 987654))
    assert plan["execution_time"] == "2024-01-03T07:08:09"
    assert plan["batches"] == days(1, 3)


def test_a_given_execution_time_wins_over_the_clock() -> None:
    plan = planned({"start": "2024-01-01"}, execution_time="2024-01-03 01:30+02:00")
    assert plan["execution_time"] == "2024-01-02T23:30:00"
    assert plan["batches"] == days(1, 2)


def test_the_chosen_units_are_told_apart_by_why_they_are_chosen() -> None:
    plan = planned({"start": "2024-01-01", "lookback": 2}, days(1, 3, 4, 10))
    assert plan["missing"] == days(3, 4)
    assert plan["lookback"] == days(1, 3)
    assert plan["restated"] == []
    assert plan["batches"] == days(1, 4)


def test_all_coverage_is_told_even_what_lies_outside() -> None:
    plan = planned({"start": "2024-01-05", "end": "2024-01-07"}, days(1, 2, 2, 3, 6, 20))
    assert plan["recorded"] == days(1, 3, 6, 20)
    assert (plan["start"], plan["end"]) == ("2024-01-05T00:00:00", "2024-01-07T00:00:00")


def test_a_window_without_rest_has_neither_start_nor_end() -> None:
    plan = planned({"start": "2024-01-05"}, start="2024-01-01", end="2024-01-03")
    assert (plan["start"], plan["end"], plan["batches"]) == (None, None, [])


JANUARY = {"start": "2024-01-01"}
PROTECTED = {**JANUARY, "disable_restatement": True}


@pytest.mark.parametrize(
    ("reason", "options", "recorded", "run"),
    [
        ("first load", JANUARY, [], {}),
        ("up to date until 2024-01-10T00:00:00", JANUARY, days(1, 10), {}),
        ("up to date until 2024-01-05T00:00:00", {**JANUARY, "end": "2024-01-05"}, days(1, 5), {}),
        ("nothing is due: the first unit begins at 2024-02-01T00:00:00", {"start": "2024-02-01"}, [], {}),
        ("nothing is due: the first unit begins at 2024-01-10T00:00:00", {"start": "2024-01-10"}, [], {}),
        ("3 missing", JANUARY, days(1, 7), {}),
        ("3 missing, 2 looked back", {**JANUARY, "lookback": 2}, days(1, 7), {}),
        ("1 missing", {**JANUARY, "lookback": 2}, days(2, 10), {}),
        ("9 missing", JANUARY, days(20, 22), {}),
        ("window: 4 missing, 0 recorded", JANUARY, [], {"start": "2024-01-02", "end": "2024-01-06"}),
        ("window: 1 missing, 3 recorded", JANUARY, days(1, 5), {"start": "2024-01-02", "end": "2024-01-06"}),
        ("window: 0 missing, 4 recorded", JANUARY, days(1, 10), {"start": "2024-01-02", "end": "2024-01-06"}),
        (
            "window: 1 missing, 3 recorded, 3 protected",
            PROTECTED,
            days(1, 5),
            {"start": "2024-01-02", "end": "2024-01-06"},
        ),
        ("window: 4 missing, 0 recorded", PROTECTED, [], {"start": "2024-01-02", "end": "2024-01-06"}),
        (
            "window lies outside 2024-01-01T00:00:00 to 2024-01-10T00:00:00",
            JANUARY,
            [],
            {"start": "2024-01-20", "end": "2024-01-22"},
        ),
        (
            "window lies outside 2024-01-05T00:00:00 to 2024-01-08T00:00:00",
            {"start": "2024-01-05", "end": "2024-01-08"},
            [],
            {"start": "2024-01-01", "end": "2024-01-05"},
        ),
        ("full refresh", JANUARY, days(1, 7), {"full_refresh": True}),
        ("3 missing", PROTECTED, days(1, 7), {"full_refresh": True}),
    ],
)
def test_the_reason_says_why(reason: str, options: dict[str, Any], recorded: list[Any], run: dict[str, Any]) -> None:
    assert planned(options, recorded, **run)["reason"] == reason


# --- the record of an odd coverage


@pytest.mark.parametrize(
    ("recorded", "batches"),
    [
        pytest.param([["2024-01-01", "2024-01-05T12:00:00"]], days(5, 10), id="half of a day at the end"),
        pytest.param([["2024-01-01T00:00:01", "2024-01-10"]], days(1, 2), id="one second lacks"),
        pytest.param(
            [["2024-01-01", "2024-01-03T12:00:00"], ["2024-01-03T12:00:01", "2024-01-10"]],
            days(3, 4),
            id="one second lacks in the middle",
        ),
        pytest.param(
            [["2024-01-01", "2024-01-03T12:00:00"], ["2024-01-03T12:00:00", "2024-01-10"]], [], id="two halves touch"
        ),
    ],
)
def test_a_unit_covered_in_part_is_missing_as_a_whole(recorded: list[Any], batches: list[Any]) -> None:
    assert planned(JANUARY, recorded)["batches"] == batches


# --- allow_partials


@pytest.mark.parametrize(
    ("recorded", "run", "batches"),
    [
        ([], {}, [["2024-01-01T00:00:00", "2024-01-03T09:45:30"]]),
        (days(1, 3), {}, [["2024-01-03T00:00:00", "2024-01-03T09:45:30"]]),
        ([["2024-01-01", "2024-01-03T09:45:29"]], {}, [["2024-01-03T00:00:00", "2024-01-03T09:45:30"]]),
        ([["2024-01-01", "2024-01-03T09:45:30"]], {}, []),
        ([["2024-01-01", "2024-01-03T09:45:31"]], {}, []),
        (
            [],
            {"batch_size": 2},
            [["2024-01-01T00:00:00", "2024-01-03T00:00:00"], ["2024-01-03T00:00:00", "2024-01-03T09:45:30"]],
        ),
        (
            [],
            {"start": "2024-01-02 05:00", "end": "2024-01-02 07:00"},
            [["2024-01-02T00:00:00", "2024-01-02T07:00:00"]],
        ),
        ([], {"start": "2024-01-03 05:00", "end": "2024-01-04"}, [["2024-01-03T00:00:00", "2024-01-03T09:45:30"]]),
    ],
)
def test_a_partial_unit_is_loaded_from_its_beginning(
    recorded: list[Any], run: dict[str, Any], batches: list[Any]
) -> None:
    options = {**JANUARY, "allow_partials": True}
    plan = planned(options, recorded, clock=datetime(2024, 1, 3, 9, 45, 30), ignore_cron=True, **run)
    assert plan["batches"] == batches


def test_an_end_inside_a_unit_cuts_it_short() -> None:
    plan = planned({**JANUARY, "end": "2024-01-03 06:00", "allow_partials": True})
    assert plan["batches"] == [["2024-01-01T00:00:00", "2024-01-03T06:00:00"]]


# --- windows from dbt's own flags


def planned_by_flags(variables: dict[str, Any], **flags: Any) -> dict[str, Any]:
    macros = Macros(variables=variables, arguments={f"event_time_{name}": value for name, value in flags.items()})
    model = macros.options(node(time_column="ordered_at", start="2024-01-01"))
    plan: dict[str, Any] = macros.plan_intervals(model, [], macros.run_settings("orders"))
    return plan


def test_event_time_flags_are_a_window() -> None:
    plan = planned_by_flags({}, start="2024-01-03", end=datetime(2024, 1, 5))
    assert plan["batches"] == days(3, 5)


def test_variables_win_over_event_time_flags() -> None:
    plan = planned_by_flags(
        {"kinds_start": "2024-01-06", "kinds_end": "2024-01-07"}, start="2024-01-03", end="2024-01-05"
    )
    assert plan["batches"] == days(6, 7)


def test_an_unreadable_event_time_flag_is_named() -> None:
    with pytest.raises(CompilerError, match="--event-time-start 'monday' is not a date"):
        planned_by_flags({}, start="monday", end="2024-01-05")


# --- errors


@pytest.mark.parametrize(
    ("message", "options", "run"),
    [
        ("no start: nothing is recorded; set the option start, or pass kinds_start and kinds_end", {}, {}),
        (
            "no start: nothing is recorded; set the option start, or pass kinds_start and kinds_end",
            {},
            {"full_refresh": True},
        ),
        (
            "start '1.1.2024' is not a date (YYYY-MM-DD) or a datetime (YYYY-MM-DD HH:MM:SS)",
            {"start": "1.1.2024"},
            {},
        ),
        (
            "begin 'yesterday' is not a date (YYYY-MM-DD) or a datetime (YYYY-MM-DD HH:MM:SS)",
            {"begin": "yesterday"},
            {},
        ),
        (
            "end '2024-02-30' is not a date (YYYY-MM-DD) or a datetime (YYYY-MM-DD HH:MM:SS)",
            {**JANUARY, "end": "2024-02-30"},
            {},
        ),
        (
            "kinds_execution_time 'now' is not a date (YYYY-MM-DD) or a datetime (YYYY-MM-DD HH:MM:SS)",
            JANUARY,
            {"execution_time": "now"},
        ),
        (
            "kinds_end '-1 day' is not a date (YYYY-MM-DD) or a datetime (YYYY-MM-DD HH:MM:SS)",
            JANUARY,
            {"start": "2024-01-01", "end": "-1 day"},
        ),
        (
            "start 2024-01-02T00:00:00 is not before end 2024-01-02T00:00:00",
            {"start": "2024-01-02", "end": "2024-01-02"},
            {},
        ),
        (
            "kinds_start 2024-01-03T00:00:00 is not before kinds_end 2024-01-02T00:00:00",
            JANUARY,
            {"start": "2024-01-03", "end": "2024-01-02"},
        ),
        ("kinds_start and kinds_end go together; pass both", JANUARY, {"start": "2024-01-03"}),
        ("kinds_start and kinds_end go together; pass both", JANUARY, {"end": "2024-01-03"}),
        (
            "end 2024-01-03T06:00:00 is not a boundary of its interval unit; "
            "write 2024-01-03T00:00:00 or 2024-01-04T00:00:00, or set allow_partials: true",
            {**JANUARY, "end": "2024-01-03 06:00"},
            {},
        ),
        (
            "the window 2024-01-02T06:00:00 to 2024-01-04T00:00:00 is not aligned to its interval unit; "
            "the aligned window is 2024-01-02T00:00:00 to 2024-01-04T00:00:00",
            JANUARY,
            {"start": "2024-01-02 06:00", "end": "2024-01-04"},
        ),
        (
            "a full refresh takes no window; drop either --full-refresh or kinds_start and kinds_end",
            JANUARY,
            {"full_refresh": True, "start": "2024-01-02", "end": "2024-01-04"},
        ),
        ("lookback '-1' is not a whole number of 0 or more", {**JANUARY, "lookback": -1}, {}),
        ("lookback '1.5' is not a whole number of 0 or more", {**JANUARY, "lookback": 1.5}, {}),
        ("batch_size '0' is not a whole number of 1 or more", {**JANUARY, "batch_size": 0}, {}),
        ("batch_size 'daily' is not a whole number of 1 or more", {**JANUARY, "batch_size": "daily"}, {}),
        ("kinds_batch_size '0' is not a whole number of 1 or more", JANUARY, {"batch_size": 0}),
        (
            "interval_unit 'fortnight' is not a unit; write year, quarter, month, week, day, hour, half_hour, "
            "quarter_hour, five_minute or a count such as '6 hours' (minutes in steps of five)",
            {**JANUARY, "interval_unit": "fortnight"},
            {},
        ),
        ("week_start 'Friday' is neither monday nor sunday", {**JANUARY, "week_start": "Friday"}, {}),
        ("unknown option 'look_back'; did you mean 'lookback'?", {**JANUARY, "look_back": 2}, {}),
    ],
)
def test_an_error_says_what_is_wrong_and_what_to_write(
    message: str, options: dict[str, Any], run: dict[str, Any]
) -> None:
    assert refusal_of(options, **run) == f"dbt_kinds: model orders: {message}"


# --- what is said beside the reason


@pytest.mark.parametrize(
    ("kind", "reason", "is_there", "says"),
    [
        ("incremental_by_time_range", "first load", True, True),
        ("incremental_by_time_range", "first load", False, False),
        ("incremental_by_time_range", "1 missing", True, False),
        ("full", "first load", True, False),
        ("tracked", "backfill: first run", True, False),
        # with capture
        ("append", "backfill: first run", True, True),
        ("append", "first load", True, True),
        ("append", "incremental", True, False),
    ],
)
def test_a_first_load_of_a_table_that_is_there_names_adopt(kind: str, reason: str, is_there: bool, says: bool) -> None:
    plan = {"reason": reason, "batches": [["2024-01-01T00:00:00", "2024-01-02T00:00:00"]]}
    macros = Macros()
    given = {"capture": "snapshot"} if kind == "append" else {}
    options = {"model": "orders", "traits": macros.kind_traits(kind, given), **given}
    note = macros.note_of_plan(options, plan, is_there)
    assert (note is not None and "dbt_kinds.adopt --args '{select: orders}'" in note) is says


KEEP = "query changed: 9 loaded days keep the old one"


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({}, f"{KEEP}; reload them with --vars '{{kinds_start: 2024-01-01T00:00:00, kinds_end: 2024-01-10T00:00:00}}'"),
        ({"disable_restatement": True}, f"{KEEP}; to load them again, set disable_restatement: false and run with --full-refresh"),
        ({"kind": "incremental_by_unique_key"}, f"{KEEP}; reload them with --full-refresh"),
        ({"kind": "append"}, f"{KEEP}; to load them again, set disable_restatement: false and run with --full-refresh"),
        ({"on_query_change": "rebuild", "disable_restatement": True}, f"{KEEP}; to load them again, set disable_restatement: false and run with --full-refresh"),
        ({"lookback": 8}, "query changed: 1 loaded day keeps the old one; reload them with --vars '{kinds_start: 2024-01-01T00:00:00, kinds_end: 2024-01-02T00:00:00}'"),
        ({"interval_unit": "3 days"}, "query changed: 2 loaded intervals keep the old one; reload them with --vars '{kinds_start: 2024-01-03T00:00:00, kinds_end: 2024-01-09T00:00:00}'"),
        # all of them are loaded again, or none
        ({"lookback": 9}, None),
        ({"on_query_change": "rebuild"}, None),
        ({"end": "2024-01-10"}, None),
        ({"kind": "full"}, None),
    ],
)  # fmt: skip
def test_a_run_with_another_query_says_what_keeps_the_old_one(options: dict[str, Any], words: str | None) -> None:
    kind = options.get("kind", "incremental_by_time_range")
    given = {"start": "2024-01-01"} | {name: value for name, value in options.items() if name != "kind"}
    needed = {
        "incremental_by_time_range": {"time_column": "ts"},
        "incremental_by_unique_key": {"unique_key": "id"},
    }.get(kind, {})
    macros = Macros(variables={"kinds_execution_time": "2024-01-11 08:00:00"})
    model = macros.options(node(kind=kind, **given, **needed))
    loads = as_pieces([load("2024-01-01", "2024-01-10", "2024-01-10T08:00:00", model_hash="old")])
    settings = macros.run_settings("orders")
    for model_hash, note in (("new", words), ("old", None)):
        run = {"is_there": True, "sql": None, "loads": loads, "settings": settings, "model_hash": model_hash}
        if model["traits"]["ignores_intervals"]:
            assert macros.plan_whole(None, model, run)["notes"] == []
            continue
        plan = macros.plan_intervals(model, loads, settings, model_hash)
        assert macros.plan_notes(model, plan, loads, settings, model_hash) == {
            "notes": [note] if note is not None else [],
            "told": None,
        }


@pytest.mark.parametrize(
    ("hashes", "is_another"),
    [
        ([], False),
        (["new"], False),
        (["old"], True),
        (["old", "old", "new"], False),
        (["new", "new", "old"], True),
        (["old", "older"], True),
        # it differs in every run
        (["a", "b", "c"], False),
        (["a", "a", "b", "c"], False),
        # recorded without one, as by adopt
        (["old", None], False),
    ],
)
def test_a_query_that_differs_in_every_run_is_no_news(hashes: list[str | None], is_another: bool) -> None:
    nights = [
        load("2024-01-01", "2024-01-02", f"2024-01-{number + 2:02}T08:00:00", model_hash=model_hash)
        for number, model_hash in enumerate(hashes)
    ]
    pieces = [facts_of(night) | {"start": "", "end": ""} for night in nights]
    assert MACROS.is_another_query(pieces, "new") is is_another


@pytest.mark.parametrize(
    ("query", "warned"),
    [
        ("select id from events limit 10", True),
        ("select id from events order by id desc limit 10", True),
        ("select id from (select id from events order by id limit 10)", False),
        ("select events.limit from events", False),
    ],
)
def test_a_query_that_ends_in_a_limit_is_warned_of(query: str, warned: bool) -> None:
    said: list[str] = []
    macros = Macros(exceptions=SimpleNamespace(warn=said.append))
    macros.warn_of_limit(of_kind("incremental_by_time_range", model="orders"), query)
    assert [("its query ends in limit 10" in text) for text in said] == [True] * warned

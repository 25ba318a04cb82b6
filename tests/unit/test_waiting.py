"""Units that wait for what they are made of, and runs that load a portion of what is missing."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dbt_kinds.operate.intervals import units_text
from dbt_kinds.operate.plan import PlanTable, plans_of
from dbt_kinds.operate.report import Report, render_report
from dbt_kinds.operate.status import ModelStatus, Status, status_table
from tests.unit.macros import CompilerError, Macros, node
from tests.unit.planning import days, planned, refusal_of
from tests.unit.reference_units import Unit, first_boundary_from, units_between, written
from tests.unit.test_operator_tables import printed

MARGIN = {"before": "P1D", "after": "PT0S", "unit": "day", "week_start": "monday"}
JANUARY = {"start": "2024-01-01"}


def until(instant: str | None) -> dict[str, Any]:
    return {"name": "ready_until", "until": instant}


def parent(*recorded: list[str], **facts: Any) -> dict[str, Any]:
    gate = {"name": "orders_raw", "recorded": list(recorded), "first": "2024-01-01T00:00:00", "last": None}
    return {**gate, "margins": [], **facts}


def waiting(plan: dict[str, Any]) -> list[tuple[str, str, str]]:
    return [(entry["start"][:10], entry["end"][:10], entry["for"]) for entry in plan["waiting"]]


@pytest.mark.parametrize(
    ("instant", "batches", "words"),
    [
        (None, [], "9 units wait for ready_until (nothing)"),
        ("2023-12-31T00:00:00", [], "9 units wait for ready_until (2023-12-31T00:00:00)"),
        ("2024-01-04T00:00:00", days(1, 4), "first load, 6 units wait for ready_until (2024-01-04T00:00:00)"),
        ("2024-01-04T23:59:59", days(1, 4), "first load, 6 units wait for ready_until (2024-01-04T23:59:59)"),
        ("2024-01-09T00:00:00", days(1, 9), "first load, 1 unit waits for ready_until (2024-01-09T00:00:00)"),
        ("2024-01-10T00:00:00", days(1, 10), "first load"),
        ("2030-01-01T00:00:00", days(1, 10), "first load"),
    ],
)  # fmt: skip
def test_units_that_end_later_wait(instant: str | None, batches: Any, words: str) -> None:
    plan = planned(JANUARY, gates=[until(instant)])
    assert (plan["batches"], plan["missing"], plan["reason"]) == (batches, batches, words)
    last = batches[-1][1][:10] if batches else "2024-01-01"
    assert waiting(plan) == ([(last, "2024-01-10", "ready_until")] if last != "2024-01-10" else [])


def test_lookback_is_of_what_is_loaded() -> None:
    plan = planned({**JANUARY, "lookback": 2}, days(1, 6), gates=[until("2024-01-06T00:00:00")])
    assert (plan["batches"], plan["reason"]) == ([], "4 units wait for ready_until (2024-01-06T00:00:00)")
    plan = planned({**JANUARY, "lookback": 2}, days(1, 6), gates=[until("2024-01-07T00:00:00")])
    assert plan["batches"] == days(4, 7)
    assert plan["reason"] == "1 missing, 2 looked back, 3 units wait for ready_until (2024-01-07T00:00:00)"


def test_a_window_only_says_so() -> None:
    window: dict[str, Any] = {"start": "2024-01-05", "end": "2024-01-07"}
    plan = planned(JANUARY, days(1, 6), gates=[until("2024-01-02T00:00:00")], **window)
    assert (plan["batches"], plan["waiting"], plan["reason"]) == (days(5, 7), [], "window: 1 missing, 1 recorded")
    assert plan["unready"] == ["2 units wait for ready_until (2024-01-02T00:00:00)"]


def test_a_unit_that_is_cut_short_is_asked_for_to_where_it_is_cut() -> None:
    options = {**JANUARY, "allow_partials": True, "cron": "@hourly", "interval_unit": "day"}
    plan = planned(options, days(1, 9), gates=[until("2024-01-09T12:00:00")], execution_time="2024-01-09 12:00:00")
    assert plan["batches"] == [["2024-01-09T00:00:00", "2024-01-09T12:00:00"]]
    plan = planned(options, days(1, 9), gates=[until("2024-01-09T11:59:59")], execution_time="2024-01-09 12:00:00")
    assert plan["batches"] == []


def test_only_what_reads_a_gap_of_the_parent_waits_for_it() -> None:
    plan = planned(JANUARY, gates=[parent(*days(1, 3, 4, 10))])
    assert plan["batches"] == days(1, 3, 4, 10)
    assert plan["reason"] == "first load, 1 unit waits for orders_raw (2024-01-03 missing)"
    plan = planned(JANUARY, gates=[parent(*days(1, 3, 4, 10), margins=[MARGIN])])
    assert plan["batches"] == days(1, 3, 5, 10)
    assert plan["reason"] == "first load, 2 units wait for orders_raw (2024-01-03 missing)"


def test_what_lies_outside_of_the_parent_is_not_waited_for() -> None:
    a_parent = parent(*days(3, 6), first="2024-01-03T00:00:00", last="2024-01-06T00:00:00", margins=[MARGIN])
    assert planned(JANUARY, gates=[a_parent])["batches"] == days(1, 10)


def test_a_unit_waits_for_the_first_of_what_it_lacks() -> None:
    plan = planned(JANUARY, gates=[until("2024-01-08T00:00:00"), parent(*days(1, 3, 4, 7)), parent(name="other")])
    assert plan["batches"] == []
    assert waiting(plan) == [
        ("2024-01-01", "2024-01-03", "other"),
        ("2024-01-03", "2024-01-04", "orders_raw"),
        ("2024-01-04", "2024-01-07", "other"),
        ("2024-01-07", "2024-01-08", "orders_raw"),
        ("2024-01-08", "2024-01-10", "ready_until"),
    ]
    assert plan["reason"] == (
        "2 units wait for ready_until (2024-01-08T00:00:00), 2 units wait for orders_raw (2024-01-03 missing), "
        "5 units wait for other (2024-01-01 missing)"
    )


def test_an_hourly_gap_is_told_by_its_hour() -> None:
    recorded = [["2024-01-01T00:00:00", "2024-01-01T05:00:00"]]
    plan = planned({**JANUARY, "cron": "@hourly"}, gates=[parent(*recorded)], execution_time="2024-01-01 07:00:00")
    assert plan["reason"] == "first load, 2 units wait for orders_raw (2024-01-01T05:00:00 missing)"


def test_what_a_history_waits_for_holds_up_everything_behind_it() -> None:
    options = {"kind": "scd_type_2_by_column", "unique_key": "id", "columns": "*", "batch_size": 1, **JANUARY}
    plan = planned(options, gates=[parent(*days(1, 3, 4, 10))])
    assert plan["batches"] == days(1, 2, 2, 3)
    assert waiting(plan) == [("2024-01-03", "2024-01-10", "orders_raw")]


# --- max_batches


def test_the_oldest_batches_come_first_and_the_rest_stays_missing() -> None:
    plan = planned({**JANUARY, "batch_size": 2, "max_batches": 3})
    assert (plan["batches"], plan["to_go"]) == (days(1, 3, 3, 5, 5, 7), 2)
    assert plan["missing"] == days(1, 10)
    assert planned({**JANUARY, "max_batches": 3})["to_go"] == 0


def test_a_run_that_would_never_come_further_is_refused() -> None:
    options = {**JANUARY, "batch_size": 1, "lookback": 2, "max_batches": 2}
    assert "max_batches 2 times batch_size 1 is not more than lookback 2" in refusal_of(options, days(1, 5))
    assert "set max_batches to 3 or more" in refusal_of(options, days(1, 5))
    assert planned({**options, "max_batches": 3}, days(1, 5))["batches"] == days(3, 4, 4, 5, 5, 6)


@pytest.mark.parametrize(
    ("value", "until"),
    [
        ("2024-01-03 10:00:00", "2024-01-03T10:00:00"),
        ("9999-12-31", "9998-12-31T00:00:00"),
        ("9999-12-31T23:59:59.999Z", "9998-12-31T23:59:59"),
        (None, None),
    ],
)
def test_the_query_may_return_the_last_of_all_days(value: str | None, until: str | None) -> None:
    macros = Macros(render=lambda text: text)
    macros._functions["query_rows"] = lambda sql: [{"until": value}] if value else [{}]
    options = {"model": "orders", "ready_until": "select max(until) from t"}
    assert macros.ready_until({}, options) == {"name": "ready_until", "until": until}


# --- the options


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"ready_until": ""}, "ready_until '' is not a query; write one that yields one value"),
        ({"ready_until": 3}, "ready_until '3' is not a query"),
        ({"on_missing_upstream": "skip"}, "on_missing_upstream 'skip' is not one of load, wait"),
        ({"max_batches": 0}, "max_batches '0' is not a whole number of 1 or more"),
        ({"max_batchs": 2}, "unknown option 'max_batchs'; did you mean 'max_batches'?"),
        ({"ready_untill": "select 1"}, "unknown option 'ready_untill'; did you mean 'ready_until'?"),
        ({"lookback": {"auto": True, "minimun": 1}}, "lookback has no 'minimun'; write a number of units, auto, or a mapping"),
        ({"lookback": {"auto": False, "minimum": 3}}, "write lookback: 3"),
        ({"lookback": {"auto": True, "maximum": 0}}, "lookback.maximum '0' is not a whole number of 1 or more"),
        ({"lookback": {"auto": True, "minimum": 4, "maximum": 3}}, "lookback.minimum 4 is more than lookback.maximum 3"),
        ({"lookback": "automatic"}, "lookback 'automatic' is not a whole number of 0 or more"),
        ({"on_lost_history": "reload"}, "on_lost_history belongs to lookback: auto"),
        ({"lookback": "auto", "on_lost_history": "redo"}, "on_lost_history 'redo' is not one of warn, reload"),
    ],
)  # fmt: skip
def test_a_value_that_means_nothing_is_refused_with_what_to_write(options: dict[str, Any], message: str) -> None:
    with pytest.raises(CompilerError) as refused:
        Macros().options(node(time_column="ts", **options))
    assert message in str(refused.value)


def test_a_full_model_waits_for_nothing() -> None:
    with pytest.raises(CompilerError, match="option 'ready_until' belongs to incremental_by_time_range"):
        Macros().options(node(kind="full", ready_until="select 1"))
    options = Macros().options(node(kind="full", max_batches=3, on_missing_upstream="wait"))
    assert Macros().plan_everything(options, [], Macros().run_settings("orders"))["waiting"] == []


BY_KEY = {"kind": "incremental_by_unique_key", "unique_key": "id", "capture": "snapshot"}
BY_RUN = {"kind": "scd_type_2_by_column", "unique_key": "id", "validity": "run_sequence"}


@pytest.mark.parametrize(
    ("model", "given", "words"),
    [
        (BY_KEY, {"ready_until": "select 1"}, "ready_until applies to runs that load intervals, and with capture: snapshot"),
        (BY_KEY, {"lookback": 2}, "lookback applies to runs that load intervals"),
        (BY_KEY, {"lookback": "auto"}, "lookback applies to runs that load intervals"),
        (BY_KEY, {"batch_size": 3}, "batch_size applies to runs that load intervals"),
        (BY_KEY, {"on_lost_history": "reload"}, "on_lost_history applies to runs that load intervals"),
        ({"kind": "append", "capture": "snapshot"}, {"ready_until": "select 1"}, "and with capture: snapshot a run reads what the source gained"),
        ({"kind": "append", "capture": "cursor", "cursor": "id"}, {"ready_until": "select 1"}, "and with capture: cursor a run reads what the source gained"),
        (BY_RUN, {"ready_until": "select 1"}, "ready_until goes by time, and validity: run_sequence numbers versions by runs"),
    ],
)  # fmt: skip
def test_a_run_without_intervals_takes_no_option_that_chooses_them(
    model: dict[str, Any], given: dict[str, Any], words: str
) -> None:
    with pytest.raises(CompilerError) as refused:
        Macros().options(node(**model, **given))
    assert words in str(refused.value)


@pytest.mark.parametrize(
    ("written", "minimum", "late_data"),
    [
        ({"lookback": 3}, 3, None),
        ({"lookback": "auto"}, 0, {"maximum": None, "on_lost_history": "warn"}),
        ({"lookback": {"auto": True}, "on_lost_history": "reload"}, 0, {"maximum": None, "on_lost_history": "reload"}),
        ({"lookback": {"auto": True, "minimum": 1, "maximum": 9, "on_lost_history": "reload"}}, 1, {"maximum": 9, "on_lost_history": "reload"}),
    ],
)  # fmt: skip
def test_lookback_is_read(written: dict[str, Any], minimum: int, late_data: Any) -> None:
    options = Macros().options(node(time_column="ts", **written))
    assert (options["lookback"], options["late_data"]) == (minimum, late_data)


# --- as people read it


def day_unit() -> dict[str, Any]:
    unit: dict[str, Any] = Macros().options(node(time_column="ts"))["unit"]
    return unit


@pytest.mark.parametrize(
    ("waiting", "units", "since"),
    [
        ([], 0, None),
        ([("2024-01-03T00:00:00", "2024-01-05T00:00:00")], 2, "2024-01-04T00:00:00"),
        # two gates, and a last unit that is not over
        ([("2024-01-01T00:00:00", "2024-01-02T00:00:00"), ("2024-01-03T00:00:00", "2024-01-04T06:00:00")], 3, "2024-01-02T00:00:00"),
        ([("2024-01-04T00:00:00", "2024-01-04T06:00:00")], 1, "2024-01-04T06:00:00"),
    ],
)  # fmt: skip
def test_how_many_units_wait_and_since_when(waiting: list[tuple[str, str]], units: int, since: str | None) -> None:
    waits = [{"start": start, "end": end, "for": "ready_until"} for start, end in waiting]
    assert Macros().waiting_since(waits, day_unit()) == {"waiting_units": units, "waiting_since": since}


ONE_MACROS = Macros()
UNITS = [
    ("day", "monday"),
    ("hour", "monday"),
    ("week", "sunday"),
    ("month", "monday"),
    ("6 hours", "monday"),
    ("quarter_hour", "monday"),
]
MOMENTS = st.datetimes(datetime(2024, 1, 1), datetime(2024, 4, 1)).map(lambda at: at.replace(microsecond=0))


@given(
    unit=st.sampled_from(UNITS),
    moments=st.lists(MOMENTS, min_size=2, max_size=8),
    now=MOMENTS,
    hours=st.integers(1, 200),
    waits=st.booleans(),
)
def test_what_is_late_is_what_ended_longer_ago_than_it_may(
    unit: tuple[str, str], moments: list[datetime], now: datetime, hours: int, waits: bool
) -> None:
    reference = Unit.read(*unit)
    bounds = sorted({first_boundary_from(moment, reference) for moment in moments})
    gaps = list(zip(bounds[::2], bounds[1::2], strict=False))
    late = [end for gap in gaps for _, end in units_between(*gap, reference) if end <= now - timedelta(hours=hours)]
    pairs = [[written(start), written(end)] for start, end in gaps]
    # what waits and what is missing is late alike
    missing, waiting = (pairs[1:], pairs[:1]) if waits else (pairs, [])
    plan = {
        "execution_time": written(now),
        "missing": missing,
        "waiting": [{"start": start, "end": end} for start, end in waiting],
    }
    unit_of_model = ONE_MACROS.options(node(time_column="ts", interval_unit=unit[0], week_start=unit[1]))["unit"]
    expected = {"late_units": len(late), "late_since": written(min(late)) if late else None}
    assert (
        ONE_MACROS.overdue_units(plan, unit_of_model, ONE_MACROS.seconds_of_duration("x", "max_age", f"{hours}h"))
        == expected
    )


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("26h", 93600), ("26 hours", 93600), ("1 week", 604800), ("minute", 60), (" 2D ", 172800), ("90 m", 5400)],
)
def test_a_duration_is_read(text: str, seconds: int) -> None:
    assert ONE_MACROS.seconds_of_duration("x", "max_age", text) == seconds


@pytest.mark.parametrize("text", ["", "0h", "26", "5 ms", "-1 day", "1.5 days", "P1D", "2 months", None])
def test_what_is_no_duration_is_refused(text: str | None) -> None:
    with pytest.raises(CompilerError, match=r"max_age '.*' is not a number of seconds, minutes, hours, days or weeks"):
        ONE_MACROS.seconds_of_duration("x", "max_age", text)


def test_status_tells_what_is_late() -> None:
    told = {
        "model": "model.shop.orders",
        "unit": "day",
        "missing": days(3, 5),
        "late_units": 2,
        "late_since": "2024-01-04T00:00:00",
    }
    lines = printed(status_table([ModelStatus.of(told)]))
    assert "orders: late: 2 days, since 2024-01-04" in lines
    assert Status(None, [ModelStatus.of(told)], "26h").needs_someone
    assert not Status(None, [ModelStatus.of(told | {"late_units": 0})], "26h").needs_someone


@pytest.mark.parametrize(
    ("number", "unit", "text"),
    [(1, "day", "1 day"), (2, "week(sunday)", "2 weeks"), (3, "half_hour", "3 half hours"), (2, "6 hours", "2 units of 6 hours")],
)  # fmt: skip
def test_a_number_of_units_as_text(number: int, unit: str, text: str) -> None:
    assert units_text(number, unit) == text


def test_status_and_plan_tell_what_waits_and_for_what() -> None:
    wait = {"start": "2024-01-03T00:00:00", "end": "2024-01-05T00:00:00", "for": "ready_until"}
    told = {"model": "model.shop.orders", "unit": "day", "start": "2024-01-01T00:00:00", "end": "2024-01-05T00:00:00"}
    waits = {"waiting": [wait], **Macros().waiting_since([wait], day_unit())}
    status = ModelStatus.of(told | {"recorded": days(1, 3), "missing": [], "invalidated": []} | waits)
    lines = printed(status_table([status]))
    assert "2024-01-03 to 2024-01-05 waits for ready_until" in lines[1]
    assert "waiting: 2 days, since 2024-01-04" in lines[2]
    assert "████████████▒▒▒▒▒▒▒▒▒▒▒▒" in lines[1]
    page = render_report(Report([status]))
    assert 'data-tags="waiting"' in page and "waits for ready_until: 2 days, since 2024-01-04" in page
    plan = {"model": "model.shop.orders", "unit": "day", "waiting": [wait], "reason": "2 units wait", "batches": []}
    lines = printed(PlanTable(plans_of({"plans": [plan, {**plan, "batches": days(1, 2), "to_go": 4}]})))
    assert lines[1].split("  ")[-2:] == ["2024-01-03 to 2024-01-05 waits for ready_until", "2 units wait"]
    assert "4 to go" in lines[3]

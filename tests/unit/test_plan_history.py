"""Which merges a run of SCD type 2 makes: random runs, one after the other, planned by the macros and by the reference."""

from __future__ import annotations

import json
from datetime import datetime, timedelta
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st

from tests.unit.macros import CompilerError, Macros, node, of_kind
from tests.unit.reference_scd2 import RefusedError
from tests.unit.reference_scd2_runs import Batch, Plan, Run, Schedule, instant_of, plan
from tests.unit.reference_units import written

DAY, HOUR = timedelta(days=1), timedelta(hours=1)
FIRST = datetime(2024, 1, 1)
Log = list[dict[str, Any]]


MACROS = Macros()


def settings_of(run: Run) -> dict[str, Any]:
    """What run_settings makes of the variables of a run."""
    settings: dict[str, Any] = MACROS.run_settings("orders", run.full_refresh)
    asked = {"execution_time": written(run.execution_time), "ignore_cron": run.ignore_cron}
    bounds = {"start": run.start and written(run.start), "end": run.end and written(run.end)}
    return settings | asked | bounds


def planned(schedule: Schedule, run: Run, log: Log, kind: str = "scd_type_2_by_column", **more: Any) -> dict[str, Any]:
    """The macros' plan, from the events of the store."""
    options: dict[str, Any] = {
        "unique_key": "id",
        "cron": schedule.cron,
        "start": schedule.start and written(schedule.start),
        "end": schedule.end and written(schedule.end),
        "batch_size": schedule.batch_size,
        "disable_restatement": schedule.disable_restatement,
        **({"columns": "*"} if kind == "scd_type_2_by_column" else {}),
        **more,
    }
    model = MACROS.options(node(kind=kind, **options))
    batches = MACROS.recorded_batches_in_log(log, model)
    a_plan: dict[str, Any] = MACROS.plan_history(model, MACROS.fold_events(log), settings_of(run), None, batches)
    return a_plan


def skipped(schedule: Schedule, run: Run, batches: list[Batch], expected: Plan) -> list[str] | None:
    """What a window leaves out behind the newest batch, which can then no longer be merged, each batch being of its own instant."""
    if not (schedule.batch_size and run.start and batches and expected.windows) or expected.restated_from:
        return None
    merged_until, first = max(batch.end for batch in batches), expected.windows[0][0]
    event("a window leaves intervals out" if merged_until < first else "a window leaves nothing out")
    return [written(merged_until), written(first)] if merged_until < first else None


def moment(log: Log) -> str:
    return f"2025-01-01T00:00:00.{len(log):06}"


def loaded(log: Log, batch: Batch, snapshot_id: int | None = None) -> dict[str, Any]:
    return {
        "event": "loaded", "relation": "shop.orders", "recorded_at": moment(log), "interval_start": written(batch.start),
        "interval_end": written(batch.end), "execution_time": written(batch.instant),
        "details": json.dumps({"instant": written(batch.instant)}), "snapshot_id": snapshot_id,
    }  # fmt: skip


def invalidated(log: Log, start: str, end: str, restated_from: str | None = None) -> dict[str, Any]:
    details = {"details": json.dumps({"restated_from": restated_from})} if restated_from else {}
    return {
        "event": "invalidated", "relation": "shop.orders", "recorded_at": moment(log), "interval_start": start,
        "interval_end": end, **details,
    }  # fmt: skip


SCHEDULES = st.builds(
    Schedule,
    cron=st.sampled_from(["@daily", "@daily", "@hourly", "0 7 * * *", "@weekly"]),
    start=st.sampled_from([None, FIRST, FIRST, FIRST + 4 * DAY, FIRST + 5 * HOUR]),
    end=st.sampled_from([None, None, None, FIRST + 14 * DAY]),
    batch_size=st.sampled_from([None, None, 1, 1, 3]),
    disable_restatement=st.sampled_from([True, False, False, False]),
)
INSTANTS = st.sampled_from([FIRST + number * 12 * HOUR for number in range(2, 30)])
RUNS = st.builds(
    Run,
    execution_time=INSTANTS,
    start=st.sampled_from([True, True, False]).flatmap(lambda is_none: st.none() if is_none else INSTANTS),
    end=st.sampled_from([True] * 5 + [False]).flatmap(lambda is_none: st.none() if is_none else INSTANTS),
    ignore_cron=st.sampled_from([False, False, False, True]),
    full_refresh=st.sampled_from([False] * 7 + [True]),
)


@settings(max_examples=settings().max_examples // 4)
@given(SCHEDULES, st.lists(RUNS, min_size=1, max_size=6))
def test_a_run_merges_what_the_reference_merges(schedule: Schedule, runs: list[Run]) -> None:
    batches: list[Batch] = []
    log: Log = []
    for number, drawn in enumerate(runs):
        # time mostly goes on, and windows are mostly asked for where something is recorded
        later = number * 5 * DAY
        start = drawn.start + later / 2 if drawn.start and batches else None
        end = drawn.end + later if drawn.end and start else None
        run = Run(drawn.execution_time + later, start, end, drawn.ignore_cron, drawn.full_refresh and not start)
        if schedule.end and schedule.cron == "@weekly":
            return
        try:
            expected = plan(schedule, run, batches)
        except RefusedError as refused:
            event(f"refused: {refused}")
            with pytest.raises(CompilerError) as error:
                planned(schedule, run, log)
            assert str(refused) in str(error.value)
            continue
        found = planned(schedule, run, log)
        event(" ".join(word for word in str(found["reason"]).split() if not word[0].isdigit()))
        assert found["batches"] == [[written(start), written(end)] for start, end in expected.windows]
        assert found["start_anew"] == expected.first_load
        assert found["skipped"] == skipped(schedule, run, batches, expected)
        if expected.restated_from:
            assert found["restatement"]["from"] == written(expected.restated_from)
            first, last = found["restatement"]["taken_back"]
            log.append(invalidated(log, first, last, found["restatement"]["from"]))
            batches = [batch for batch in batches if batch.instant < expected.restated_from]
        else:
            assert found["restatement"] is None
        if expected.first_load and batches and expected.windows:
            log.append(invalidated(log, "1970-01-01T00:00:00", "2100-01-01T00:00:00"))
            batches = []
        for window in expected.windows:
            batches.append(Batch(*window, instant_of(schedule, run, window)))
            log.append(loaded(log, batches[-1]))


@pytest.mark.parametrize("batch_size", [None, 1])
def test_nothing_is_taken_back_behind_the_end_of_the_model(batch_size: int | None) -> None:
    schedule = Schedule("@daily", FIRST, FIRST + 2 * DAY, batch_size, disable_restatement=False)
    log: Log = []
    for day in range(4):
        start, end = FIRST + day * DAY, FIRST + (day + 1) * DAY
        log.append(loaded(log, Batch(start, end, start if batch_size else end)))
    a_plan = planned(schedule, Run(FIRST + 9 * DAY, FIRST + 3 * DAY), log)
    assert (a_plan["batches"], a_plan["restated"], a_plan["restatement"]) == ([], [], None)
    assert a_plan["reason"].startswith("nothing is due: the first unit begins at 2024-01-0")


def test_a_window_that_leaves_intervals_out_says_what_follows() -> None:
    said: list[str] = []
    macros = Macros(exceptions=SimpleNamespace(warn=said.append), log=lambda text, info=False: None)
    options = of_kind("scd_type_2_by_column", model="orders", batch_size=1)
    a_plan = {"skipped": ["2024-01-10T00:00:00", "2024-01-13T00:00:00"], "to_go": 0}
    macros.report_window(options, a_plan, {"start": "2024-01-13T00:00:00", "end": None})
    assert said == [
        "dbt_kinds: model orders: the window leaves out 2024-01-10T00:00:00 to 2024-01-13T00:00:00, which can no longer be merged once the "
        "window is: the next run without a window is refused until the model is restated from 2024-01-10T00:00:00; to load everything in order, drop "
        "kinds_start, or pass kinds_start: 2024-01-10T00:00:00"
    ]
    macros.report_window(options, a_plan | {"skipped": None}, {"start": "2024-01-13T00:00:00", "end": None})
    assert len(said) == 1

"""What a run loads in any situation at all: the macros' plan is that of a second planner, `reference.py`."""

from __future__ import annotations

import dataclasses
import re
from typing import Any

import pytest
from hypothesis import event, given, settings

from tests.sweep import size
from tests.unit import reference
from tests.unit.planning import planned, refusal_of
from tests.unit.reference import Model, Run
from tests.unit.reference_units import Interval, written
from tests.unit.situations import SITUATIONS, situation_of

# many are tried in shares: hypothesis remembers all that one test has drawn, and slows down
SHARE = 5000
EXAMPLES = size("KINDS_EXAMPLES", 200, full=100_000)

EVERY_OPTION = {field.name for field in dataclasses.fields(Model)}
OPTIONS_OF = {
    "incremental_by_time_range": EVERY_OPTION,
    "incremental_by_unique_key": EVERY_OPTION - {"auto_restatement_cron", "auto_restatement_intervals"},
    "incremental_unmanaged": EVERY_OPTION
    - {"auto_restatement_cron", "auto_restatement_intervals", "lookback", "batch_size"},
}


def as_options(model: Model) -> dict[str, Any]:
    options = dataclasses.asdict(model)
    options |= {bound: options[bound] and written(options[bound]) for bound in ("start", "end")}
    if model.auto_restatement_cron is None:
        options["auto_restatement_intervals"] = None
    return {option: value for option, value in options.items() if option in OPTIONS_OF[model.kind]}


def as_arguments(run: Run) -> dict[str, Any]:
    arguments = dataclasses.asdict(run)
    instants = {name: arguments[name] and written(arguments[name]) for name in ("execution_time", "start", "end")}
    return {name: value for name, value in (arguments | instants).items() if value is not None}


def as_text(intervals: list[Interval]) -> list[list[str]]:
    return [[written(start), written(end)] for start, end in intervals]


@pytest.mark.parametrize("share", range(-(-EXAMPLES // SHARE)))
@settings(max_examples=min(EXAMPLES, SHARE))
@given(drawn=SITUATIONS)
def test_the_plan_is_that_of_a_second_planner(drawn: dict[str, Any], share: int) -> None:
    situation = situation_of(drawn)
    model, run, loads, parents = situation.model, situation.run, situation.loads, situation.parents
    options, arguments = as_options(model), {**as_arguments(run), "parents": parents}
    refusals = reference.refusals(model, run, loads)
    if refusals:
        event("refused")
        assert refusal_of(options, loads, **arguments).removeprefix("dbt_kinds: model orders: ") in refusals
        return

    expected = reference.plan(model, run, loads, parents)
    event(re.sub(r"\(.*\)", "(…)", re.sub(r"\d[-T:\d]*", "n", expected.reason)))
    assert planned(options, loads, **arguments) == {
        "model": "model.shop.orders",
        "relation": "shop.orders",
        "kind": model.kind,
        "execution_time": written(run.execution_time),
        "start": expected.start and written(expected.start),
        "end": expected.end and written(expected.end),
        "cron": model.cron,
        "unit": model.unit.name,
        "recorded": as_text(expected.recorded),
        "missing": as_text(expected.missing),
        "lookback": as_text(expected.lookback),
        "restated": as_text(expected.restated),
        "batches": as_text(expected.batches),
        "reason": expected.reason,
        "start_anew": expected.start_anew,
        # nothing gates these models, and all is loaded at once
        **{"waiting": [], "unready": [], "lost": {}, "to_go": 0},
    }

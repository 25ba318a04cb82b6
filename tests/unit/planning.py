"""Plans made by the macros alone, for the tests of the planner."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

import pytest

from tests.unit.macros import CompilerError, Macros, node
from tests.unit.reference_loads import Load, pieces_of
from tests.unit.reference_units import MINUTE, written
from tests.unit.reference_upstream import Parent


def planned(
    options: dict[str, Any],
    recorded: Sequence[Load | list[Any]] = (),
    *,
    parents: Sequence[Parent] = (),
    gates: Sequence[dict[str, Any]] = (),
    late: Sequence[dict[str, Any]] = (),
    query_hash: str | None = None,
    full_refresh: bool = False,
    clock: datetime = datetime(2024, 1, 10, 8),
    **variables: Any,
) -> dict[str, Any]:
    """The plan of a model `orders`; variables are named without their prefix."""
    macros = Macros(variables={f"kinds_{name}": value for name, value in variables.items()}, clock=clock)
    kind = options.get("kind", "incremental_by_time_range")
    needed = {
        "incremental_by_time_range": {"time_column": "ordered_at"},
        "incremental_by_unique_key": {"unique_key": "id"},
    }
    written_options = {name: value for name, value in options.items() if name != "kind"}
    model = macros.options(node(kind=kind, **{**needed.get(kind, {}), **written_options}))
    loads = [a_load if isinstance(a_load, Load) else read(a_load, number) for number, a_load in enumerate(recorded)]
    settings = macros.run_settings("orders", full_refresh and not model["traits"]["blocks_full_refresh"])
    upstream = [as_parent(parent) for parent in parents]
    plan: dict[str, Any]
    if model["traits"]["ignores_intervals"]:
        plan = macros.plan_everything(model, as_pieces(loads), settings)
    elif model["traits"]["has_merge_timeline"]:
        plan = macros.plan_history(model, as_pieces(loads), settings, query_hash, [], list(gates))
    else:
        plan = macros.plan_intervals(
            model, as_pieces(loads), settings, query_hash, upstream, gates=list(gates), late=list(late)
        )
    return plan


def refusal_of(options: dict[str, Any], recorded: Sequence[Load | list[Any]] = (), **run: Any) -> str:
    with pytest.raises(CompilerError) as refused:
        planned(options, recorded, **run)
    return str(refused.value)


def days(*numbers: int) -> list[list[str]]:
    """Intervals of January 2024: days(1, 4, 6, 7) is the 1st up to the 4th, and the 6th up to the 7th."""
    instants = [f"2024-01-{number:02}T00:00:00" for number in numbers]
    return [list(interval) for interval in zip(instants[::2], instants[1::2], strict=True)]


def load(start: str, end: str, recorded_at: str, **facts: Any) -> Load:
    """A load of a run that wrote at once; `started_at`, `execution_time` and `model_hash` where they matter."""
    instants = {
        name: datetime.fromisoformat(facts.pop(name)) for name in ("started_at", "execution_time") if name in facts
    }
    recorded = datetime.fromisoformat(recorded_at)
    bounds = datetime.fromisoformat(start), datetime.fromisoformat(end)
    return Load(*bounds, recorded, **{"execution_time": recorded, **instants, **facts})


def read(interval: list[Any], number: int) -> Load:
    """A load as the conformance vectors write it, the execution time left out or third; later ones were recorded later."""
    start, end, *execution_time = (datetime.fromisoformat(at) for at in interval)
    recorded_at = datetime(2024, 1, 1) + number * MINUTE
    return Load(start, end, recorded_at, execution_time[0] if execution_time else recorded_at)


def as_pieces(loads: Sequence[Load]) -> list[dict[str, Any]]:
    """What the store's events come down to: for each piece of the coverage the load that lies on top."""
    pieces: list[dict[str, Any]] = []
    last: Load | None = None
    for (start, end), latest in pieces_of(loads):
        if latest is last and pieces[-1]["end"] == written(start):
            pieces[-1]["end"] = written(end)
        else:
            pieces.append({"start": written(start), "end": written(end), **facts_of(latest)})
        last = latest
    return pieces


def facts_of(a_load: Load) -> dict[str, str | None]:
    return {
        "recorded_at": to_the_microsecond(a_load.recorded_at),
        "started_at": to_the_microsecond(a_load.started_at) if a_load.started_at else None,
        "execution_time": written(a_load.execution_time),
        "model_hash": a_load.model_hash,
    }


def as_parent(parent: Parent) -> dict[str, Any]:
    margins = [vars(margin).copy() for margin in parent.margins]
    return {"name": parent.name, "loads": as_pieces(parent.loads), "margins": margins}


def to_the_microsecond(at: datetime) -> str:
    return at.strftime("%Y-%m-%dT%H:%M:%S.%f")

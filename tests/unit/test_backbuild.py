"""A window that is backbuilt: every upstream model does what the readers that run with it look at, in its own units."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.unit.macros import CompilerError, Macros, node

WINDOW = ("2024-03-05", "2024-03-07")
DAY = timedelta(days=1)
UNITS = {"day": 1, "week": 7, "4 days": 4}


def windows(
    models: dict[str, dict[str, Any]], selected: list[str] | None = None, **variables: Any
) -> dict[str, tuple[str, str]]:
    """The window of each model, by name; a model is its options."""
    nodes = {}
    for name, options in models.items():
        kind = options.get("kind", "incremental_by_time_range")
        time_column = {"time_column": "day"} if kind == "incremental_by_time_range" else {}
        given = {key: value for key, value in options.items() if key != "kind"}
        nodes[f"model.shop.{name}"] = node(name, kind=kind, **time_column, **given) | {"resource_type": "model"}
    given = {"start": WINDOW[0], "end": WINDOW[1], "backbuild": True, **variables}
    vars_ = {f"kinds_{name}": value for name, value in given.items() if value is not None}
    macros = Macros(variables=vars_, graph={"nodes": nodes}, invocation_id="one")
    ids = [f"model.shop.{name}" for name in (selected if selected is not None else models)]
    found = {}
    for unique_id in ids:
        a_node = nodes[unique_id]
        after = macros.backbuild_settings(a_node, macros.run_settings(a_node["name"]), ids)
        found[a_node["name"]] = (after["start"].removesuffix("T00:00:00"), after["end"].removesuffix("T00:00:00"))
    return found


def margins(**readers: tuple[str, str]) -> dict[str, Any]:
    return {
        "backbuild_margins": {reader: {"before": before, "after": after} for reader, (before, after) in readers.items()}
    }


CHAIN = {
    "raw": margins(parsed=("P1D", "PT0S"), sessions=("P1DT30M", "PT0S")),
    "parsed": margins(sessions=("PT30M", "PT0S")),
    "sessions": {},
}


def test_margins_are_those_of_the_readers_that_run() -> None:
    # half an hour is of the day before, and of that day its own day before
    assert windows(CHAIN) == {
        "raw": ("2024-03-03", "2024-03-07"),
        "parsed": ("2024-03-04", "2024-03-07"),
        "sessions": WINDOW,
    }
    assert windows(CHAIN, ["raw", "parsed"]) == {"raw": ("2024-03-04", "2024-03-07"), "parsed": WINDOW}
    assert windows(CHAIN, ["raw"]) == {"raw": WINDOW}
    assert windows(CHAIN, ["raw", "sessions"])["raw"] == ("2024-03-03", "2024-03-07")


def test_a_coarser_upstream_does_whole_units_and_what_it_reads_is_widened_for_them() -> None:
    models = {
        "raw": margins(months=("P1D", "PT0S"), days=("P1D", "PT0S")),
        "months": {**margins(days=("PT0S", "PT0S")), "interval_unit": "month"},
        "days": {},
    }
    assert windows(models) == {
        "raw": ("2024-02-29", "2024-04-01"),
        "months": ("2024-03-01", "2024-04-01"),
        "days": WINDOW,
    }


def test_after_calendar_months_and_several_readers_the_widest_is_done() -> None:
    models = {"raw": margins(a=("P1M", "PT0S"), b=("PT0S", "P3D"), c=("P10D", "P1D")), "a": {}, "b": {}, "c": {}}
    assert windows(models)["raw"] == ("2024-02-05", "2024-03-10")


def test_without_backbuild_and_for_other_kinds_the_window_stays() -> None:
    assert windows(CHAIN, backbuild=None)["raw"] == WINDOW
    kinds = {"raw": {"kind": "full", **margins(sessions=("P1D", "PT0S"))}, "sessions": {}}
    assert windows(kinds)["raw"] == WINDOW


@pytest.mark.parametrize(
    ("models", "variables", "message"),
    [
        (CHAIN, {"start": None, "end": None}, "kinds_backbuild widens a window, and there is none; pass kinds_start and kinds_end"),
        (CHAIN, {"backbuild": "yes"}, "kinds_backbuild 'yes' is neither true nor false"),
        ({"raw": {"backbuild_margins": "P1D"}}, {}, "meta.backbuild_margins 'P1D' cannot be read; write, for each reader, two ISO-8601 durations"),
        ({"raw": {"backbuild_margins": {"sessions": {"before": "1 day", "after": "PT0S"}}}}, {}, "cannot be read; write, for each reader"),
    ],
)  # fmt: skip
def test_what_cannot_be_widened_is_said(models: dict[str, Any], variables: dict[str, Any], message: str) -> None:
    with pytest.raises(CompilerError, match=message):
        windows(models, **variables)


@settings(max_examples=settings().max_examples // 100)
@given(st.data())
def test_whatever_a_reader_looks_at_is_rebuilt_before_it(data: st.DataObject) -> None:
    number = data.draw(st.integers(2, 5))
    names = [f"m{index}" for index in range(number)]
    units = {name: data.draw(st.sampled_from(list(UNITS))) for name in names}
    reads = {
        (parent, reader): (data.draw(st.integers(0, 9)), data.draw(st.integers(0, 3)))
        for position, parent in enumerate(names)
        for reader in names[position + 1 :]
        if data.draw(st.booleans())
    }
    # as the compiler sums them along every path
    summed: dict[str, dict[str, tuple[int, int]]] = {name: {} for name in names}
    for parent in reversed(names):
        for (other, reader), (before, after) in reads.items():
            if other == parent:
                further = {reader: (before, after)} | {
                    last: (before + more, after + later) for last, (more, later) in summed[reader].items()
                }
                for last, reach in further.items():
                    least = summed[parent].get(last, (0, 0))
                    summed[parent][last] = (max(reach[0], least[0]), max(reach[1], least[1]))
    models = {
        name: {
            "interval_unit": units[name],
            **margins(**{reader: (f"P{before}D", f"P{after}D") for reader, (before, after) in summed[name].items()}),
        }
        for name in names
    }
    found = {name: tuple(map(datetime.fromisoformat, window)) for name, window in windows(models).items()}
    for (parent, reader), (before, after) in reads.items():
        assert found[parent][0] <= found[reader][0] - before * DAY
        assert found[parent][1] >= found[reader][1] + after * DAY

"""What a compaction keeps of a model: which intervals are loaded, and what tells loads apart; and how much it replays at once."""

from __future__ import annotations

import functools
from datetime import datetime, timedelta
from itertools import pairwise
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from tests.unit.macros import Macros, node

MACROS = Macros()
DAYS = 9


@st.composite
def logs(draw: st.DrawFn) -> list[dict[str, Any]]:
    """Loads and invalidations of days, in the order in which they were recorded; some loads have details, some counted no rows."""
    log = []
    for minute in range(draw(st.integers(0, 12))):
        first = draw(st.integers(0, DAYS - 1))
        event = {
            "event": draw(st.sampled_from(["loaded", "loaded", "loaded", "invalidated"])),
            "relation": "shop.orders",
            "interval_start": day(first),
            "interval_end": day(draw(st.integers(first + 1, DAYS))),
            "recorded_at": f"2024-02-01T08:{minute:02}:00.000000",
            "started_at": f"2024-02-01T08:{minute:02}:00.000000",
            "model_hash": draw(st.sampled_from(["a", "b"])),
            "execution_time": draw(st.sampled_from(["2024-02-01T08:00:00", "2024-02-01T09:00:00"])),
            "details": draw(st.sampled_from([None, '{"audits": "skipped"}'])),
            "rows_written": draw(st.sampled_from([None, 1, 2])),
            "source": "run",
        }
        log.append({name: value for name, value in event.items() if value is not None})
    return log


def day(number: int) -> str:
    return (datetime(2024, 1, 1) + timedelta(days=number)).isoformat()


@functools.cache
def compaction(restates: bool) -> Macros:
    """The macros in a project of one model, which a schedule may restate."""
    options = {"auto_restatement_cron": "@daily"} if restates else {}
    model = node(time_column="ts", **options) | {
        "resource_type": "model",
        "depends_on": {"nodes": []},
        "raw_code": "select 1",
    }
    macros = Macros(graph={"nodes": {"model.shop.orders": model}}, invocation_id="compaction")
    macros._functions["selected_models"] = lambda select: [model]
    return macros


@given(logs(), st.booleans())
def test_a_compacted_log_says_of_each_day_what_the_log_says(log: list[dict[str, Any]], restates: bool) -> None:
    told_apart = ["model_hash", "details"] + (["execution_time"] if restates else [])
    compacted_at = log[-1]["recorded_at"] if log else ""
    compacted = compaction(restates).compacted_events(log, compacted_at)

    whole_loads: dict[str, dict[str, Any] | None] = {}
    for event in log:
        for number in range(DAYS):
            if event["interval_start"] <= day(number) < event["interval_end"]:
                whole_loads[day(number)] = event if event["event"] == "loaded" else None
    expected = {at: [event.get(name) for name in told_apart] for at, event in whole_loads.items() if event is not None}
    found = {}
    for row in compacted:
        assert (row["event"], row["recorded_at"], row["started_at"]) == ("loaded", compacted_at, compacted_at)
        for number in range(DAYS):
            if row["start"] <= day(number) < row["end"]:
                assert day(number) not in found
                found[day(number)] = [row.get(name) for name in told_apart]
        made_of = [event for at, event in whole_loads.items() if event and row["start"] <= at < row["end"]]
        assert row["execution_time"] == max(event["execution_time"] for event in made_of)
    assert found == expected
    # adjacent loads differ
    for one, other in pairwise(compacted):
        assert one["end"] < other["start"] or any(one.get(name) != other.get(name) for name in told_apart)


def loaded_days(*rows_written: int | None) -> list[dict[str, Any]]:
    return [
        {
            "start": day(number), "end": day(number + 1), "recorded_at": "now", "started_at": "now", "invocation_id": f"run {number}", "snapshot_id": number,
            "rows_written": rows, "seconds": 0.5,
        }
        for number, rows in enumerate(rows_written)
    ]  # fmt: skip


def test_a_merged_load_adds_up_the_rows_and_names_the_last_run() -> None:
    merged = MACROS._one_load(loaded_days(1, 2, 4), {})
    assert (merged["start"], merged["end"], merged["rows_written"], merged["seconds"]) == (day(0), day(3), 7, 1.5)
    assert (merged["invocation_id"], merged["snapshot_id"], merged["source"]) == ("run 2", 2, "compact_store")
    assert MACROS._one_load(loaded_days(1, None, 4), {})["rows_written"] is None
    assert MACROS._one_load(loaded_days(None), {})["rows_written"] is None


def test_what_a_reader_has_yet_to_follow_keeps_its_times_and_not_its_rows() -> None:
    (before, pending, after) = MACROS._compacted_loads(
        [
            {
                "start": day(0),
                "end": day(5),
                "recorded_at": "old",
                "started_at": "older",
                "rows_written": 5,
                "seconds": 1,
            }
        ],
        [[day(2), day(3)]],
        "settled",
    )
    assert [(load["start"], load["end"]) for load in (before, pending, after)] == [
        (day(0), day(2)), (day(2), day(3)), (day(3), day(5)),
    ]  # fmt: skip
    assert [load["recorded_at"] for load in (before, pending, after)] == ["settled", "old", "settled"]
    assert [load["started_at"] for load in (before, pending, after)] == ["settled", "older", "settled"]
    assert {load["rows_written"] for load in (before, pending, after)} == {None}


def load(day: int, at: int, rows: int | None = 1, until: int | None = None) -> dict[str, Any]:
    start, end = f"2024-01-{day:02}", f"2024-01-{until or day + 1:02}"
    given = {"start": start, "end": end, "recorded_at": f"2024-02-{at:02}", "rows_written": rows, "seconds": 0.5}
    return given | {"details": f"versions read at {at}"}


def kept(*loads: dict[str, Any]) -> list[tuple[str, str, str, int | None]]:
    merged = MACROS.loads_and_the_latest(list(loads))
    return [(row["start"][8:], row["end"][8:], row["details"], row["rows_written"]) for row in merged]


def test_the_latest_is_kept_apart_from_its_neighbours() -> None:
    loads = [load(1, 1), load(2, 2), load(3, 3), load(7, 4), load(8, 5)]
    assert kept(*loads) == [
        ("01", "04", "versions read at 1", 3),
        ("07", "08", "versions read at 4", 1),
        ("08", "09", "versions read at 5", 1),
    ]
    assert MACROS.loads_and_the_latest(loads)[-1] == loads[-1] | {"source": "compact_store"}


def test_the_latest_need_not_be_of_the_last_interval() -> None:
    assert kept(load(1, 1), load(2, 9), load(3, 3), load(4, 4, rows=None)) == [
        ("01", "02", "versions read at 1", 1),
        ("02", "03", "versions read at 9", 1),
        ("03", "05", "versions read at 3", None),
    ]


def test_pieces_of_the_latest_stay_as_they_are() -> None:
    assert [details for *_, details, _ in kept(load(1, 5), load(2, 2), load(3, 5))] == [
        "versions read at 5",
        "versions read at 2",
        "versions read at 5",
    ]
    assert kept() == []


def test_an_old_log_is_replayed_in_parts_of_whole_relations() -> None:
    counted = [
        {"relation": name, "events": number} for name, number in zip("abcdefg", [4, 6, 1, 0, 12, 3, 7], strict=True)
    ]
    assert MACROS.parts_of_log(counted, 10) == [["a", "b"], ["c"], ["e"], ["f", "g"]]
    assert MACROS.parts_of_log(counted, 1) == [[name] for name in "abcefg"]
    assert MACROS.parts_of_log(counted[3:4], 10) == MACROS.parts_of_log([], 10) == []

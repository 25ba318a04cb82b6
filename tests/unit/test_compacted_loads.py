"""What a compaction keeps of a model that goes by changes: the latest load, and which intervals the others hold. How much it replays at once."""

from __future__ import annotations

from typing import Any

from tests.unit.macros import Macros

MACROS = Macros()


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

"""Time in pieces, and the bar and the segments that are drawn of them."""

from __future__ import annotations

from datetime import datetime, timedelta
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dbt_kinds.operate.answers import Load
from dbt_kinds.operate.coverage import Piece, State, coverage_pieces
from dbt_kinds.operate.coverage_bar import cell_states
from dbt_kinds.operate.intervals import Interval, merged
from dbt_kinds.operate.timeline import Axis, segments

LETTERS = {state: state.name[0].lower() for state in State} | {None: " "}


def day(number: int) -> str:
    return (datetime(2024, 1, 1) + timedelta(number)).isoformat()


def days(*bounds: tuple[int, int]) -> list[Interval]:
    return [(day(start), day(end)) for start, end in bounds]


def letters(pieces: list[Piece], number: int = 10) -> str:
    return "".join(LETTERS[state] for state in cell_states(pieces, (day(0), day(number)), number))


@pytest.mark.parametrize(
    ("recorded", "missing", "invalidated", "running", "shown"),
    [
        ([(0, 10)], [], [], [], "llllllllll"),
        ([(0, 4), (6, 10)], [(4, 6)], [], [], "llllmmllll"),
        ([(0, 4), (6, 10)], [(4, 6)], [(4, 6)], [], "lllliillll"),
        ([(0, 4)], [(4, 10)], [(4, 6)], [(4, 8)], "llllrrrrmm"),
        ([(2, 4)], [], [], [], "  ll      "),
        ([], [], [], [], "          "),
        # a unit that is covered in part is missing as a whole
        ([(0, 10)], [(9, 10)], [], [], "lllllllllm"),
    ],
)
def test_a_place_is_in_one_state(
    recorded: list[tuple[int, int]],
    missing: list[tuple[int, int]],
    invalidated: list[tuple[int, int]],
    running: list[tuple[int, int]],
    shown: str,
) -> None:
    assert letters(coverage_pieces(days(*recorded), days(*missing), days(*invalidated), days(*running))) == shown


def test_what_an_audit_refused_shows_whether_it_was_loaded_before_or_not() -> None:
    pieces = coverage_pieces(
        days((0, 6)), days((6, 10)), running=days((8, 9)), audit_failed=days((1, 2), (7, 9)), unaudited=days((4, 6))
    )
    assert letters(pieces) == "lalluu" + "marm"


bounds = st.lists(
    st.tuples(st.integers(0, 30), st.integers(0, 30)).map(lambda pair: (min(pair), max(pair))), max_size=6
)


@settings(max_examples=settings().max_examples // 10)
@given(bounds, bounds, bounds, bounds, bounds)
def test_pieces_equal_a_day_by_day_look(
    recorded: list[tuple[int, int]],
    missing: list[tuple[int, int]],
    invalidated: list[tuple[int, int]],
    running: list[tuple[int, int]],
    loads: list[tuple[int, int]],
) -> None:
    covered = [(start, end) for start, end in merged(days(*recorded)) if start < end]
    known = [Load(start, end, recorded_at=f"{number:02}") for number, (start, end) in enumerate(days(*loads))]
    pieces = coverage_pieces(covered, days(*missing), days(*invalidated), days(*running), known)
    assert all(before.end <= after.start for before, after in pairwise(pieces))
    for number in range(30):
        at = day(number)

        def holds(intervals: list[Interval], at: str = at) -> bool:
            return any(start <= at < end for start, end in intervals)

        states = [
            (State.RUNNING, holds(days(*running))),
            (State.INVALIDATED, holds(days(*invalidated))),
            (State.MISSING, holds(days(*missing))),
            (State.LOADED, holds(covered)),
        ]
        expected = next((state for state, is_so in states if is_so), None)
        seen = [piece for piece in pieces if piece.start <= at < piece.end]
        assert [piece.state for piece in seen] == ([expected] if expected else [])
        if expected is State.LOADED:
            latest = [load for load in known if load.start <= at < load.end][-1:]
            assert [piece.load for piece in seen if piece.load] == latest


def test_one_missing_hour_in_ten_years_is_seen_in_the_bar() -> None:
    start, gap, end = "2014-01-01T00:00:00", ("2019-03-31T02:00:00", "2019-03-31T03:00:00"), "2024-01-01T00:00:00"
    pieces = coverage_pieces([(start, gap[0]), (gap[1], end)], [gap])
    assert [LETTERS[state] for state in cell_states(pieces, (start, end), 30)].count("m") == 1


def test_a_bound_on_the_edge_of_a_cell_stays_out_of_the_next() -> None:
    thirds = coverage_pieces(days((0, 7)), days((7, 21)))
    assert letters(thirds, 21) == "l" * 7 + "m" * 14
    assert "".join(LETTERS[state] for state in cell_states(thirds, (day(0), day(21)), 3)) == "lmm"


def hourly(number: int) -> list[Load]:
    begin = datetime(2021, 1, 1)
    hours = [(begin + timedelta(hours=hour)).isoformat() for hour in range(number + 1)]
    return [Load(start, end, rows_written=10, recorded_at=end) for start, end in pairwise(hours)]


def test_26_000_hourly_loads_are_drawn_as_a_few_hundred_segments_that_cover_all() -> None:
    loads = hourly(26_000)
    whole = (loads[0].start, loads[-1].end)
    axis = Axis.over(whole)
    assert axis is not None
    drawn = segments(coverage_pieces([whole], [], loads=loads), axis, 1000)
    assert 100 < len(drawn) < 400
    assert drawn[0].left == 0 and drawn[-1].left + drawn[-1].width == pytest.approx(100)
    rows = [segment.text.split(" rows")[0].split(", ")[-1] for segment in drawn]
    assert sum(int(number.replace(",", "")) for number in rows) == 260_000


def test_every_other_hour_missing_is_drawn_as_missing_and_says_how_often() -> None:
    loads = hourly(26_000)
    missing = [(load.start, load.end) for load in loads[1::2]]
    axis = Axis.over((loads[0].start, loads[-1].end))
    assert axis is not None
    drawn = segments(coverage_pieces([(load.start, load.end) for load in loads[::2]], missing), axis, 1000)
    assert len(drawn) < 100
    assert all(segment.state is State.MISSING for segment in drawn[:-1])
    assert drawn[0].text.splitlines() == [
        "2021-01-01 to 2021-01-22 16:00:",
        "missing in 260 ranges (10 days 20 h)",
        "loaded in 260 ranges (10 days 20 h)",
    ]


def test_a_narrow_gap_between_wide_loads_keeps_its_exact_bounds() -> None:
    gap = ("2023-03-26T01:00:00", "2023-03-26T02:00:00")
    axis = Axis.over(("2020-01-01T00:00:00", "2024-01-01T00:00:00"))
    assert axis is not None
    pieces = coverage_pieces([("2020-01-01T00:00:00", gap[0]), (gap[1], "2024-01-01T00:00:00")], [gap])
    texts = [segment.text for segment in segments(pieces, axis, 1000)]
    assert texts[1] == "missing 2023-03-26 01:00 to 2023-03-26 02:00 (1 h)"


@pytest.mark.parametrize(
    ("start", "end", "labels"),
    [
        ("2024-01-01T00:00:00", "2024-01-01T03:00:00", "2024-01-01 00:30 01:00 01:30 02:00 02:30 03:00"),
        ("2024-01-01T20:00:00", "2024-01-02T14:00:00", "21:00 2024-01-02 03:00 06:00 09:00 12:00"),
        ("2024-01-01T00:00:00", "2024-01-06T00:00:00", "2024-01-01 2024-01-02 2024-01-03 2024-01-04 2024-01-05 2024-01-06"),
        ("2024-01-03T00:00:00", "2024-02-10T00:00:00", "2024-01-08 2024-01-15 2024-01-22 2024-01-29 2024-02-05"),
        ("2023-11-15T00:00:00", "2024-03-01T00:00:00", "2023-12 2024-01 2024-02 2024-03"),
        ("2022-01-01T00:00:00", "2024-06-30T08:04:11", "2022-01 2022-07 2023-01 2023-07 2024-01"),
        ("1970-01-01T00:00:00", "2024-06-30T00:00:00", "1970 1980 1990 2000 2010 2020"),
        ("0001-01-01T00:00:00", "9999-12-31T23:00:00", "2000 4000 6000 8000"),
    ],
)  # fmt: skip
def test_ticks_are_round_few_and_readable_one_by_one(start: str, end: str, labels: str) -> None:
    axis = Axis.over([end, start])
    assert axis is not None
    assert [tick.label for tick in axis.ticks()] == labels.split()
    assert all(0 <= tick.position <= 100 for tick in axis.ticks())


def test_no_time_has_no_axis() -> None:
    assert Axis.over([]) is None
    assert Axis.over([day(0), day(0)]) is None

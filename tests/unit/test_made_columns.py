"""Columns that a query makes itself, by a generator, a window or a query: one value of them says nothing of another."""

from __future__ import annotations

import pytest

from tests.unit.analysing import bounds

CALENDAR = "SELECT EXPLODE(SEQUENCE(DATE '2024-01-01', DATE '2024-12-31', INTERVAL 1 DAY)) AS d"
NUMBERED = "SELECT DATE_ADD(DATE '2024-01-01', ROW_NUMBER() OVER (ORDER BY 1)) AS d FROM dim"
ASKED = "SELECT (SELECT MAX(u.day) FROM users u WHERE u.id = dim.id) AS d FROM dim"
READ_LAST = "JOIN ev ON ev.event_date = b.d"
EXPLODED = (
    "SELECT a.d AS event_date, ev.id FROM (SELECT EXPLODE(days) AS d, days FROM plain) a JOIN ev ON ev.event_date = a.d"
)


@pytest.mark.parametrize("made", [CALENDAR, NUMBERED, ASKED])
@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("SELECT a.d AS event_date, ev.v FROM cal a JOIN ev ON ev.event_date = a.d", {"ev": "PT0S/PT0S"}),
        (f"SELECT a.d AS event_date, ev.v FROM cal a JOIN cal b ON b.d BETWEEN DATE_SUB(a.d, 6) AND a.d {READ_LAST}", {"ev": "P6D/PT0S"}),
        (f"SELECT a.d AS event_date, SUM(ev.v) AS v FROM cal a JOIN cal b ON b.d <= a.d {READ_LAST} GROUP BY a.d", {"ev": "unbounded"}),
        (f"SELECT a.d AS event_date, ev.v FROM cal a CROSS JOIN cal b {READ_LAST}", {"refused": "not_derivable:ev"}),
        ("SELECT DISTINCT a.d AS event_date, ev.v FROM cal a JOIN ev ON ev.event_date <= a.d", {"ev": "unbounded"}),
        ("SELECT x.d AS event_date, x.v FROM (SELECT DISTINCT a.d, ev.v FROM cal a JOIN ev ON ev.event_date = a.d) x", {"ev": "PT0S/PT0S"}),
    ],
)  # fmt: skip
def test_a_calendar_is_another_one_at_each_reference(made: str, query: str, expected: dict[str, str]) -> None:
    assert bounds(f"WITH cal AS ({made}) {query}") == expected


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        # one row becomes many: their days do not follow from what was exploded
        (f"{EXPLODED} QUALIFY ROW_NUMBER() OVER (PARTITION BY a.days ORDER BY ev.v) = 1", {"refused": "window_functions"}),
        (f"{EXPLODED} QUALIFY ROW_NUMBER() OVER (PARTITION BY a.d ORDER BY ev.v) = 1", {"ev": "PT0S/PT0S"}),
        # the greatest of a group does not follow from one of the group
        (
            "SELECT m AS event_date, RANK() OVER (PARTITION BY b ORDER BY id) AS r FROM "
            "(SELECT id, event_date AS b, MAX(event_date) OVER (PARTITION BY id) AS m FROM ev) t",
            {"refused": "not_derivable:ev, window_functions"},
        ),
    ],
)  # fmt: skip
def test_a_made_column_does_not_follow_from_what_it_is_made_of(sql: str, expected: dict[str, str]) -> None:
    assert bounds(sql) == expected


@pytest.mark.parametrize(
    "read",
    [
        "ev JOIN (VALUES (1), (2)) AS t(id) ON t.id = ev.id",
        "VALUES (1), (2) AS t(id) JOIN ev ON t.id = ev.id",
        "ev, UNNEST(ARRAY(1, 2)) AS t(id)",
        "(ev JOIN users ON users.id = ev.id)",
    ],
)
def test_rows_that_the_query_lists_are_a_lookup(read: str) -> None:
    assert bounds(f"SELECT ev.event_date, ev.v FROM {read}") == {"ev": "PT0S/PT0S"}

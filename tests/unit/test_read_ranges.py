"""A model's own conditions on its window, and what windows and joins in it look at: query -> source read too narrowly."""

from __future__ import annotations

import pytest

from dbt_kinds.analysis.read_ranges import with_edges
from tests.unit.analysing import classified

LAG = "LAG(v) OVER (PARTITION BY id ORDER BY event_ts RANGE BETWEEN INTERVAL '30 minutes' PRECEDING AND CURRENT ROW)"
START, END = "/*kinds:start_ds*/ '2024-01-14'", "/*kinds:end_ds*/ '2024-01-14'"
INSTANT = "/*kinds:start_dt*/ timestamp '2024-01-14 00:00:00+00:00'"
TIED = "SELECT m.event_date FROM ev m JOIN ev s ON s.event_date BETWEEN m.event_date - INTERVAL 3 DAYS AND m.event_date"


def read_through(before: str) -> str:
    """What window_of renders to."""
    said = f'{{"before": "{before}", "after": "PT0S", "unit": "day", "week_start": "monday"}}'
    return (
        f"(select * from ev where `event_date` >= /*kinds:source_start {said}*/ date '2024-01-13' "
        f"and `event_date` < /*kinds:source_end {said}*/ date '2024-01-15') as ev"
    )


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        (f"SELECT event_date, {LAG} AS w FROM ev WHERE event_date BETWEEN {START} AND {END}", ["ev"]),
        (f"SELECT event_date, {LAG} AS w FROM ev WHERE event_date BETWEEN DATE_SUB({START}, 1) AND {END}", []),
        (f"SELECT event_date, {LAG} AS w FROM ev WHERE event_ts >= {INSTANT} - INTERVAL 30 MINUTES", []),
        (f"SELECT event_date, {LAG} AS w FROM ev WHERE event_date >= {INSTANT} - INTERVAL 30 MINUTES", ["ev"]),
        (f"SELECT event_date, {LAG} AS w FROM ev WHERE event_ts >= {INSTANT} - INTERVAL 10 MINUTES", ["ev"]),
        (f"SELECT event_date, {LAG} AS w FROM ev WHERE event_date >= '2020-01-01'", []),
        (f"SELECT event_date, v FROM ev WHERE event_date BETWEEN {START} AND {END}", []),
        (f"SELECT * FROM (SELECT event_date, {LAG} AS w FROM ev) WHERE event_date BETWEEN {START} AND {END}", []),
        (f"{TIED} WHERE m.event_date BETWEEN {START} AND {END} AND s.event_date >= DATE_SUB({START}, 3)", []),
        (f"{TIED} WHERE m.event_date BETWEEN {START} AND {END} AND s.event_date >= DATE_SUB({START}, 2)", ["ev"]),
        (f"SELECT m.event_date FROM ev m JOIN ev2 s ON s.event_date BETWEEN m.event_date AND m.event_date + 3 AND s.event_date <= {END}", ["ev2"]),
        (f"SELECT event_date, {LAG} AS w FROM {read_through('PT30M')}", []),
        (f"SELECT event_date, {LAG} AS w FROM {read_through('PT0S')}", ["ev"]),
    ],
)  # fmt: skip
def test_a_condition_that_ends_inside_what_is_needed_is_named_and_refuses_nothing(
    sql: str, expected: list[str]
) -> None:
    verdict = classified(with_edges(sql))
    assert verdict.is_admitted
    assert [found.reason for found in verdict.findings] == [f"narrow_read:{source}" for source in expected]


DATES = ("/*kinds:start_date*/ date '2024-01-14'", "/*kinds:end_date*/ date '2024-01-14'")
S, E = DATES
LAST_INSTANT = "/*kinds:end_ts*/ '2024-01-14 23:59:59.999999'"
SUM = "SUM(v) OVER (PARTITION BY id ORDER BY event_date RANGE BETWEEN INTERVAL 1 DAY PRECEDING AND CURRENT ROW) AS s"


@pytest.mark.parametrize(
    ("condition", "is_whole"),
    [
        (f"event_date BETWEEN {S} AND {E}", True),
        (f"event_date >= {S} AND event_date < DATE_ADD({E}, 1)", True),
        (f"event_date >= {S} AND event_date <= {LAST_INSTANT}", True),
        (f"event_date < {LAST_INSTANT}", True),
        (f"event_ts BETWEEN {INSTANT} AND {LAST_INSTANT}", True),
        (f"CAST(event_ts AS DATE) BETWEEN {S} AND {E}", True),
        (f"event_ts < {E} + INTERVAL 1 DAY", True),
        (f"event_date >= DATE_TRUNC('month', {S})", True),
        # the last day is inside, and lost
        (f"event_date >= {S} AND event_date < {E}", False),
        (f"event_date > {S}", False),
        (f"event_ts BETWEEN {S} AND {E}", False),
        (f"event_ts < {LAST_INSTANT}", False),
        (f"event_ts <= CAST({LAST_INSTANT} AS DATE)", False),
        (f"event_date <= DATE_TRUNC('month', {E})", False),
        # one day of a batch of several
        (f"event_date = {S}", False),
        (f"event_date = {E}", False),
    ],
)
def test_the_first_and_the_last_value_are_inside_the_window(condition: str, is_whole: bool) -> None:
    verdict = classified(with_edges(f"SELECT event_date, v FROM ev WHERE {condition}"))
    assert {found.reason for found in verdict.findings} == (set() if is_whole else {"narrow_read:ev"})
    assert all("inside the window" in found.message for found in verdict.findings)


@pytest.mark.parametrize(
    "condition",
    [
        f"event_date IN ({S})",
        f"NOT (event_date < {S})",
        f"(event_date >= {S} OR a = 1)",
        f"COALESCE(event_date, {S}) >= {S}",
        f"DATE_FORMAT(event_ts, 'yyyy-MM-dd') >= {START}",
        "UNIX_TIMESTAMP(event_ts) >= /*kinds:start_epoch*/ 1705190400",
        f"CAST(x AS DATE) BETWEEN {S} AND {E}",
        f"{S} <= {E}",
    ],
)
def test_a_condition_that_says_nothing_of_a_time_column_is_named(condition: str) -> None:
    verdict = classified(with_edges(f"SELECT event_date, {SUM} FROM ev WHERE {condition}"))
    assert verdict.is_admitted
    assert {found.reason for found in verdict.findings} == {"narrow_read:ev"}
    assert all("not known" in found.message for found in verdict.findings)


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        # what a model reads in slices has a time, said or not
        (f"SELECT event_date, v FROM plain WHERE event_date BETWEEN {S} AND {E}", set()),
        (f"SELECT p.event_date, d.v FROM plain p JOIN dim d ON d.id = p.id WHERE p.event_date BETWEEN {S} AND {E}", set()),
        (f"SELECT CAST(at AS DATE) AS event_date FROM plain WHERE at BETWEEN {INSTANT} AND {LAST_INSTANT}", set()),
        (f"SELECT event_date, SUM(v) OVER (PARTITION BY id ORDER BY event_date) AS s FROM plain WHERE event_date BETWEEN {S} AND {E}", {"window_functions", "narrow_read:plain"}),
        (f"SELECT MAX(day) AS event_date, id FROM dim WHERE day BETWEEN {S} AND {E} GROUP BY id", {"partition_not_grouped"}),
        (
            f"SELECT e.event_date, u.n FROM ev e JOIN (SELECT id, COUNT(*) AS n FROM users WHERE day BETWEEN {S} AND {E} GROUP BY id) u ON u.id = e.id",
            {"not_derivable:users"},
        ),
        # a column that is not the source's time
        (f"SELECT event_date, COUNT(*) AS n FROM ev WHERE x BETWEEN {S} AND {E} GROUP BY event_date", {"narrow_read:ev"}),
        (f"SELECT d.day AS event_date FROM dim d WHERE DATE_FORMAT(d.day, 'yyyy') >= {START}", {"narrow_read:dim"}),
        # values that are others in each batch
        (f"SELECT event_date, DATEDIFF({S}, event_date) AS age FROM ev", {"nondeterministic"}),
        (f"SELECT event_date, MAX(v) AS v FROM ev GROUP BY event_date HAVING MAX(event_date) = {E}", {"nondeterministic"}),
        (f"SELECT {S} AS event_date, COUNT(*) AS n FROM dim", {"nondeterministic"}),
    ],
)  # fmt: skip
def test_what_the_window_is_used_for(sql: str, expected: set[str]) -> None:
    verdict = classified(with_edges(sql))
    assert {found.reason for found in verdict.findings} == expected
    # what was not said to have a time has no bounds
    assert set(verdict.bounds) <= {"ev", "users"}


def test_a_lookup_with_an_implied_time_is_read_in_no_more_batches_than_it_needs() -> None:
    running = (
        "SUM(v) OVER (PARTITION BY id ORDER BY event_date RANGE BETWEEN INTERVAL 3 DAYS PRECEDING AND CURRENT ROW)"
    )
    verdict = classified(
        with_edges(f"SELECT event_date, {running} AS s FROM plain WHERE event_date BETWEEN {S} AND {E}")
    )
    assert [found.reason for found in verdict.findings] == ["narrow_read:plain"]
    assert verdict.bounds == {}
    assert verdict.batches is not None
    assert verdict.batches.name == "bounded_safe(chunk=9d,context=3d)"

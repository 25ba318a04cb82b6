"""The author's query with window_of calls and frames that Spark takes: text -> text."""

from __future__ import annotations

import pytest
import sqlglot

from dbt_kinds.analysis.parsing import parse_query
from dbt_kinds.analysis.pushdown import Reference, pushed_down
from tests.unit.analysing import CATALOGUE, classified


def compiled(sql: str, *overrides: str, renamed: bool = False, **model: str) -> str:
    bounds = classified(sql, *overrides, **model).bounds  # type: ignore[arg-type]
    return pushed_down(
        parse_query(sql, "spark"),
        CATALOGUE,
        bounds,
        lambda relation: Reference(f"ref('{'x_' * renamed}{relation.leaf}')", "x_" * renamed + relation.leaf),
    )


def test_layout_comments_and_aliases_survive() -> None:
    sql = (
        "-- ev and users\n"
        "SELECT e.event_date, -- FROM ev\n"
        "       'FROM ev' AS t\n"
        "FROM ev   e\n"
        "  LEFT JOIN users ON users.id = e.id /* ev2 */\n"
        "  JOIN ev2 ON ev2.event_date BETWEEN e.event_date - INTERVAL '3 days' AND e.event_date"
    )
    assert compiled(sql) == (
        "-- ev and users\n"
        "SELECT e.event_date, -- FROM ev\n"
        "       'FROM ev' AS t\n"
        "FROM {{ dbt_kinds.window_of(ref('ev'), 'event_date', before='PT0S', after='PT0S') }}   e\n"
        "  LEFT JOIN {{ ref('users') }} ON users.id = e.id /* ev2 */\n"
        "  JOIN {{ dbt_kinds.window_of(ref('ev2'), 'event_date', before='P3D', after='PT0S') }} as ev2 "
        "ON ev2.event_date BETWEEN e.event_date - INTERVAL '3 days' AND e.event_date"
    )


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        pytest.param(
            "WITH ev AS (SELECT * FROM ev) SELECT ev.event_date FROM ev",
            "WITH ev AS (SELECT * FROM {{ dbt_kinds.window_of(ref('ev'), 'event_date', before='PT0S', after='PT0S') }} as ev) "
            "SELECT ev.event_date FROM ev",
            id="a CTE of the source's name stays",
        ),
        pytest.param(
            "SELECT a.event_date FROM ev a JOIN ev b ON b.event_date = a.event_date - 1",
            "SELECT a.event_date FROM {{ dbt_kinds.window_of(ref('ev'), 'event_date', before='P1D', after='PT0S') }} a "
            "JOIN {{ dbt_kinds.window_of(ref('ev'), 'event_date', before='P1D', after='PT0S') }} b ON b.event_date = a.event_date - 1",
            id="all references of a source get the same bound",
        ),
        pytest.param(
            "SELECT m.event_date FROM ev m JOIN ev2 ON ev2.event_date <= m.event_date",
            "SELECT m.event_date FROM {{ dbt_kinds.window_of(ref('ev'), 'event_date', before='PT0S', after='PT0S') }} m "
            "JOIN {{ ref('ev2') }} ON ev2.event_date <= m.event_date",
            id="an unbounded source stays plain",
        ),
        pytest.param(
            "SELECT CAST(event_ts_utc AS DATE) AS event_date FROM raw_utc",
            "SELECT CAST(event_ts_utc AS DATE) AS event_date FROM {{ dbt_kinds.window_of(ref('raw_utc'), 'event_ts_utc', "
            "before='PT0S', after='PT0S', unit='none', data_type='timestamp') }} as raw_utc",
            id="instants",
        ),
        pytest.param(
            "SELECT CAST(ts AS DATE) AS event_date FROM hourly",
            "SELECT CAST(ts AS DATE) AS event_date FROM {{ dbt_kinds.window_of(ref('hourly'), 'hour', "
            "before='PT0S', after='PT0S', unit='hour', data_type='timestamp') }} as hourly",
            id="hours",
        ),
    ],
)
def test_references_are_exchanged_at_their_place(sql: str, expected: str) -> None:
    assert compiled(sql) == expected


def test_a_renamed_lookup_keeps_the_name_its_columns_are_called_by() -> None:
    assert compiled("SELECT ev.event_date FROM ev JOIN users ON users.id = ev.id", renamed=True).endswith(
        "JOIN {{ ref('x_users') }} as users ON users.id = ev.id"
    )


OVER = "OVER (PARTITION BY id ORDER BY event_ts)"
DESC = "OVER (PARTITION BY id ORDER BY event_ts DESC)"
DAY = "OVER (PARTITION BY id ORDER BY event_date)"


@pytest.mark.parametrize(
    ("window", "expected"),
    [
        (
            "LAG(v) OVER (PARTITION BY id ORDER BY event_ts RANGE BETWEEN INTERVAL '30 minutes' PRECEDING AND CURRENT ROW)",
            f"CASE WHEN LAG(event_ts) {OVER} >= event_ts - INTERVAL '30 minutes' THEN LAG(v) {OVER} END",
        ),
        (
            "LAG(v, 2, 0) OVER (PARTITION BY id ORDER BY event_ts RANGE BETWEEN INTERVAL '30 minutes' PRECEDING AND CURRENT ROW)",
            f"CASE WHEN LAG(event_ts, 2) {OVER} >= event_ts - INTERVAL '30 minutes' THEN LAG(v, 2, 0) {OVER} ELSE 0 END",
        ),
        (
            "LEAD(v) OVER (PARTITION BY id ORDER BY event_ts RANGE BETWEEN CURRENT ROW AND INTERVAL 1 MONTH FOLLOWING)",
            f"CASE WHEN LEAD(event_ts) {OVER} <= event_ts + INTERVAL 1 MONTH THEN LEAD(v) {OVER} END",
        ),
        (
            "LAG(v) OVER (PARTITION BY id ORDER BY event_ts DESC RANGE BETWEEN INTERVAL 2 HOURS PRECEDING AND CURRENT ROW)",
            f"CASE WHEN LAG(event_ts) {DESC} <= event_ts + INTERVAL 2 HOURS THEN LAG(v) {DESC} END",
        ),
        (
            "LEAD(v) OVER (PARTITION BY id ORDER BY event_ts DESC RANGE BETWEEN CURRENT ROW AND INTERVAL 2 HOURS FOLLOWING)",
            f"CASE WHEN LEAD(event_ts) {DESC} >= event_ts - INTERVAL 2 HOURS THEN LEAD(v) {DESC} END",
        ),
        (
            "LAG(v) IGNORE NULLS OVER (PARTITION BY id ORDER BY event_ts RANGE BETWEEN INTERVAL 2 HOURS PRECEDING AND CURRENT ROW)",
            f"CASE WHEN LAG(IF(v IS NOT NULL, event_ts, NULL)) IGNORE NULLS {OVER} >= event_ts - INTERVAL 2 HOURS "
            f"THEN LAG(v) IGNORE NULLS {OVER} END",
        ),
        (
            "LAG(v) OVER (PARTITION BY id ORDER BY event_date RANGE BETWEEN INTERVAL 36 HOURS PRECEDING AND CURRENT ROW)",
            f"CASE WHEN LAG(event_date) {DAY} >= event_date - 1 THEN LAG(v) {DAY} END",
        ),
        (
            "SUM(v) OVER (PARTITION BY id ORDER BY event_date RANGE BETWEEN INTERVAL 36 HOURS PRECEDING AND CURRENT ROW)",
            "SUM(v) OVER (PARTITION BY id ORDER BY event_date RANGE BETWEEN 1 PRECEDING AND CURRENT ROW)",
        ),
        (
            "SUM(v) OVER (PARTITION BY id ORDER BY event_ts RANGE BETWEEN INTERVAL '1 2' DAY TO HOUR PRECEDING AND INTERVAL 1 HOUR FOLLOWING)",
            "SUM(v) OVER (PARTITION BY id ORDER BY event_ts RANGE BETWEEN INTERVAL '93600' SECOND PRECEDING AND INTERVAL '3600' SECOND FOLLOWING)",
        ),
        (
            "SUM(v) OVER (PARTITION BY id ORDER BY event_ts RANGE BETWEEN INTERVAL 2 HOURS PRECEDING AND CURRENT ROW)",
            "SUM(v) OVER (PARTITION BY id ORDER BY event_ts RANGE BETWEEN INTERVAL 2 HOURS PRECEDING AND CURRENT ROW)",
        ),
    ],
)  # fmt: skip
def test_frames_are_written_as_spark_takes_them(window: str, expected: str) -> None:
    text = compiled(f"SELECT event_date, {window} AS w FROM ev")
    assert sqlglot.transpile(expected, "spark", comments=False) == sqlglot.transpile(
        text.removeprefix("SELECT event_date, ").partition(" AS w FROM")[0], "spark", comments=False
    )
    if expected.startswith("CASE"):
        assert f"\n-- {window}\n" in text


def test_a_frame_of_a_named_window_is_taken_from_it() -> None:
    text = compiled(
        "SELECT event_date, LAG(v) OVER w AS p FROM ev "
        "WINDOW w AS (PARTITION BY id ORDER BY event_ts RANGE BETWEEN INTERVAL 1 DAY PRECEDING AND CURRENT ROW)"
    )
    assert f"CASE WHEN LAG(event_ts) {OVER} >= event_ts - INTERVAL 1 DAY\n     THEN LAG(v) {OVER} END AS p" in text


def test_an_aligned_lag_with_a_frame_is_guarded_too() -> None:
    text = compiled(
        "SELECT event_date, LAG(v) OVER (PARTITION BY event_date ORDER BY event_ts RANGE BETWEEN INTERVAL 1 DAY PRECEDING AND CURRENT ROW) AS p FROM ev"
    )
    assert "CASE WHEN LAG(event_ts)" in text
    assert "before='PT0S'" in text

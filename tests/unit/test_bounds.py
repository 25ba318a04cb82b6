"""How far each source is read beyond the window: query -> before/after, and the batches that follow."""

from __future__ import annotations

from typing import Any

import pytest

from dbt_kinds.analysis.batches import Bound, batch_class
from dbt_kinds.analysis.catalogue import Catalogue, Relation, Timeseries
from dbt_kinds.analysis.interval_literals import read_interval
from dbt_kinds.analysis.margins import DAY, HOUR, MINUTE, Margin
from dbt_kinds.analysis.parsing import parse_query
from tests.unit.analysing import RELATIONS, bounds

ZERO = "PT0S/PT0S"
NONE = {"refused": "not_derivable:ev2"}


@pytest.mark.parametrize(
    ("column", "expected"),
    [
        ("event_date", ZERO),
        ("CAST(event_ts AS DATE)", ZERO),
        ("DATE(event_ts)", ZERO),
        ("event_ts::DATE", ZERO),
        ("TO_DATE(event_ts)", ZERO),
        ("DATE_TRUNC('day', event_ts)", ZERO),
        ("COALESCE(event_date, CAST(event_ts AS DATE))", ZERO),
        ("date_add(event_date, 1)", "P1D/PT0S"),
        ("date_sub(event_date, 1)", "PT0S/P1D"),
        ("event_date + INTERVAL '2 days'", "P2D/PT0S"),
        ("event_date + 2", "P2D/PT0S"),
        ("add_months(event_date, 1)", "P1M/PT0S"),
        ("CAST(event_ts - INTERVAL '4 hours' AS DATE)", "PT0S/PT4H"),
        ("CAST(event_ts + INTERVAL '4 hours' AS DATE)", "PT4H/PT0S"),
    ],
)
def test_the_partition_column_anchors_its_source(column: str, expected: str) -> None:
    assert bounds(f"SELECT {column} AS p FROM ev", partition_column="p") == {"ev": expected}


@pytest.mark.parametrize(
    "column",
    [
        "CAST(from_utc_timestamp(event_ts, 'Asia/Tokyo') AS DATE)",
        "CAST(date_format(event_ts, 'yyyy-MM-dd') AS DATE)",
        "to_date(event_ts, 'yyyy')",
        "id",
        "DATE '2024-01-01'",
        "last_day(event_date)",
        "IF(v > 1, event_date, NULL)",
    ],
)
def test_what_is_no_truncation_anchors_nothing(column: str) -> None:
    assert bounds(f"SELECT {column} AS p FROM ev", partition_column="p") == {"refused": "not_derivable:ev"}


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        ("s.event_date = m.event_date", ZERO),
        ("m.event_date = s.event_date AND s.id = m.id", ZERO),
        ("CAST(s.event_ts AS DATE) = DATE(m.event_ts)", ZERO),
        ("s.event_date BETWEEN m.event_date - INTERVAL '3 days' AND m.event_date", "P3D/PT0S"),
        ("s.event_date >= m.event_date - INTERVAL '3 days' AND s.event_date < m.event_date", "P3D/PT0S"),
        ("m.event_date - INTERVAL 3 DAYS <= s.event_date AND m.event_date > s.event_date", "P3D/PT0S"),
        ("m.event_date BETWEEN s.event_date AND s.event_date + INTERVAL '3 days'", "P3D/PT0S"),
        ("s.event_date BETWEEN date_sub(m.event_date, 3) AND m.event_date", "P3D/PT0S"),
        ("s.event_date BETWEEN date_add(m.event_date, -3) AND m.event_date", "P3D/PT0S"),
        ("s.event_date BETWEEN m.event_date - 3 AND m.event_date", "P3D/PT0S"),
        ("datediff(m.event_date, s.event_date) BETWEEN 0 AND 3", "P3D/PT0S"),
        ("datediff(s.event_date, m.event_date) >= -3 AND datediff(s.event_date, m.event_date) <= 0", "P3D/PT0S"),
        ("3 >= datediff(m.event_date, s.event_date) AND s.event_date <= m.event_date", "P3D/PT0S"),
        ("m.event_ts - s.event_ts BETWEEN INTERVAL '0' HOURS AND INTERVAL '2' HOURS", "PT2H/PT0S"),
        ("s.event_date = m.event_date - INTERVAL '1 day'", "P1D/PT0S"),
        ("s.event_date = m.event_date + INTERVAL '1 day'", "PT0S/P1D"),
        ("s.event_date BETWEEN m.event_date + INTERVAL '1 day' AND m.event_date + INTERVAL '3 days'", "PT0S/P3D"),
        ("s.event_date BETWEEN m.event_date - INTERVAL '3 days' AND m.event_date - INTERVAL '1 day'", "P3D/PT0S"),
        ("s.event_date BETWEEN m.event_date - INTERVAL '9 days' AND m.event_date AND s.event_date >= m.event_date - INTERVAL '2 days'", "P2D/PT0S"),
        ("s.event_ts BETWEEN m.event_ts - INTERVAL '36 hours' AND m.event_ts", "P1DT12H/PT0S"),
        ("s.event_date >= add_months(m.event_date, -14) AND s.event_date <= m.event_date", "P1Y2M/PT0S"),
        ("s.event_date >= m.event_date - INTERVAL '1 month 2 days' AND s.event_date <= m.event_date", "P1M2D/PT0S"),
        ("s.event_date >= m.event_date - INTERVAL 1 DAY 12 HOURS AND s.event_date <= m.event_date", "P1DT12H/PT0S"),
        ("date_trunc('month', s.event_date) = date_trunc('month', m.event_date)", "P1M/P1M"),
        ("s.event_date <= m.event_date", "unbounded"),
        ("(s.event_date = m.event_date) AND (s.id = m.id OR s.v > 1)", ZERO),
    ],
)  # fmt: skip
def test_a_tie_is_solved_for_the_distance_whichever_side_it_is_written_on(condition: str, expected: str) -> None:
    for join in ("JOIN ev2 AS s ON", "LEFT JOIN ev2 AS s ON", "CROSS JOIN ev2 AS s WHERE"):
        found = bounds(f"SELECT m.event_date, s.v FROM ev AS m {join} {condition}")
        assert found == {"ev": ZERO, "ev2": expected}, join


@pytest.mark.parametrize(
    "condition",
    [
        "s.id = m.id",
        "s.event_date >= m.event_date",
        "s.event_date >= m.event_date - INTERVAL '1 day'",
        "s.event_date = m.event_date OR s.id = m.id",
        "NOT (s.event_date <> m.event_date)",
        "NOT s.event_date NOT BETWEEN m.event_date AND m.event_date",
        "s.event_date <> m.event_date",
        "CASE WHEN s.event_date = m.event_date THEN TRUE END",
        "concat(s.event_date, s.id) = concat(m.event_date, m.id)",
        "s.event_date BETWEEN m.event_date - m.v AND m.event_date + m.v",
        "s.event_date BETWEEN DATE '2024-01-01' AND DATE '2024-02-01'",
        "s.id BETWEEN m.id - 1 AND m.id",
        "year(s.event_date) = year(m.event_date)",
    ],
)
def test_what_ties_nothing_on_the_side_of_the_future_cannot_be_derived(condition: str) -> None:
    assert bounds(f"SELECT m.event_date, s.v FROM ev AS m JOIN ev2 AS s ON {condition}") == NONE


def test_a_condition_of_a_left_join_says_nothing_of_its_left_side() -> None:
    sql = "SELECT u.day AS event_date FROM users AS u LEFT JOIN ev AS s ON s.event_date = u.day JOIN ev2 AS m ON m.id = u.id"
    assert bounds(sql + " AND m.event_date = s.event_date") == {"ev": ZERO, "ev2": ZERO}
    sql = "SELECT u.day AS event_date FROM users AS u JOIN ev2 AS m ON m.id = u.id LEFT JOIN ev AS s ON s.event_date = u.day"
    assert bounds(sql + " AND m.event_date = s.event_date") == NONE
    assert bounds(sql + " AND m.event_date = s.event_date WHERE s.v IS NULL OR s.v = 1") == NONE
    assert bounds(sql + " AND m.event_date = s.event_date WHERE s.v = 1") == {"ev": ZERO, "ev2": ZERO}
    assert bounds(sql + " WHERE m.event_date = s.event_date") == {"ev": ZERO, "ev2": ZERO}


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        pytest.param(
            "SELECT a.event_date FROM ev AS a JOIN ev2 AS b ON b.event_date BETWEEN a.event_date - INTERVAL '1 day' AND a.event_date "
            "JOIN raw_utc AS r ON r.event_ts_utc BETWEEN b.event_date - INTERVAL '1 day' AND b.event_date",
            {"ev": ZERO, "ev2": "P1D/PT0S", "raw_utc": "P2D/PT0S"},
            id="chains add",
        ),
        pytest.param(
            "WITH x AS (SELECT a.event_date, b.event_date AS d FROM ev AS a JOIN ev2 AS b ON b.event_date = a.event_date - INTERVAL '1 day') "
            "SELECT x.event_date FROM x JOIN raw_utc AS r ON CAST(r.event_ts_utc AS DATE) = x.d",
            {"ev": ZERO, "ev2": "P1D/PT0S", "raw_utc": "P1D/PT0S"},
            id="across a CTE",
        ),
        pytest.param(
            "SELECT a.event_date FROM ev AS a JOIN ev AS b ON b.event_date BETWEEN a.event_date - INTERVAL '2 days' AND a.event_date "
            "JOIN ev AS c ON c.event_date = a.event_date + INTERVAL '1 day'",
            {"ev": "P2D/P1D"},
            id="of several references each side takes the largest",
        ),
        pytest.param(
            "SELECT m.local_date AS event_date FROM (SELECT *, CAST(from_utc_timestamp(event_ts_utc, 'x') AS DATE) AS local_date FROM raw_utc) AS m "
            "WHERE m.event_ts_utc BETWEEN m.local_date - INTERVAL '1 day' AND m.local_date + INTERVAL '1 day'",
            {"raw_utc": "P1D/P1D"},
            id="the rebase from UTC to local dates",
        ),
        pytest.param(
            "SELECT CAST(from_utc_timestamp(event_ts_utc, 'x') AS DATE) AS event_date FROM raw_utc WHERE event_ts_utc BETWEEN "
            "CAST(FROM_UTC_TIMESTAMP(raw_utc.event_ts_utc, 'x') AS DATE) - INTERVAL '1 day' AND CAST(from_utc_timestamp(event_ts_utc, 'x') AS DATE) + INTERVAL '1 day'",
            {"raw_utc": "P1D/P1D"},
            id="the partition expression itself is the other side",
        ),
        pytest.param(
            "SELECT d.day AS event_date, ev.v FROM dim AS d LEFT JOIN ev ON ev.event_date = d.day", {"ev": ZERO}, id="a look-up carries it"
        ),
        pytest.param(
            "SELECT event_date, a.v FROM ev AS a FULL JOIN ev2 AS b USING (event_date, id)", {"ev": ZERO, "ev2": ZERO}, id="USING"
        ),
        pytest.param(
            "SELECT event_date FROM ev UNION ALL SELECT CAST(event_ts_utc AS DATE) FROM raw_utc", {"ev": ZERO, "raw_utc": ZERO}, id="branches"
        ),
        pytest.param(
            "SELECT m.event_date FROM (SELECT event_date FROM ev UNION ALL SELECT date_add(event_date, 1) FROM ev2) AS m "
            "JOIN raw_utc AS r ON r.event_ts_utc >= m.event_date AND r.event_ts_utc < m.event_date + INTERVAL '1 day'",
            {"ev": ZERO, "ev2": "P1D/PT0S", "raw_utc": "PT0S/P1D"},
            id="a tie to a union",
        ),
    ],
)  # fmt: skip
def test_ties_are_followed_through_the_query(sql: str, expected: dict[str, str]) -> None:
    assert bounds(sql) == expected


@pytest.mark.parametrize(
    ("order", "frame", "expected"),
    [
        ("event_ts", "INTERVAL '2' HOURS PRECEDING AND CURRENT ROW", "PT2H/PT0S"),
        ("event_ts DESC", "INTERVAL '2' HOURS PRECEDING AND CURRENT ROW", "PT0S/PT2H"),
        ("event_ts", "INTERVAL '2' HOURS PRECEDING AND INTERVAL '30 minutes' FOLLOWING", "PT2H/PT30M"),
        ("event_ts", "INTERVAL '2' HOURS PRECEDING AND INTERVAL '1' HOUR PRECEDING", "PT2H/PT0S"),
        ("event_ts", "INTERVAL '1' HOUR FOLLOWING AND INTERVAL '2' HOURS FOLLOWING", "PT0S/PT2H"),
        ("event_ts", "CURRENT ROW AND CURRENT ROW", ZERO),
        ("event_date", "6 PRECEDING AND 1 FOLLOWING", "P6D/P1D"),
        ("event_date", "INTERVAL '36 hours' PRECEDING AND CURRENT ROW", "P1DT12H/PT0S"),
        ("CAST(event_ts AS DATE)", "6 PRECEDING AND CURRENT ROW", "P6D/PT0S"),
        ("event_ts", "INTERVAL '1' MONTH PRECEDING AND CURRENT ROW", "P1M/PT0S"),
        ("event_ts", "INTERVAL '1 2' DAY TO HOUR PRECEDING AND CURRENT ROW", "P1DT2H/PT0S"),
    ],
)
def test_a_bounded_frame_is_read_as_its_margins(order: str, frame: str, expected: str) -> None:
    window = f"SUM(v) OVER (PARTITION BY id ORDER BY {order} RANGE BETWEEN {frame})"
    assert bounds(f"SELECT event_date, {window} AS s FROM ev") == {"ev": expected}


def rolling(hours: int, source: str, key: str = "id") -> str:
    over = f"PARTITION BY {key} ORDER BY event_ts RANGE BETWEEN INTERVAL '{hours}' HOURS PRECEDING AND CURRENT ROW"
    return f"SELECT event_date, event_ts, id, SUM(v) OVER ({over}) AS v FROM {source}"


def test_margins_add_down_one_path() -> None:
    assert bounds(f"WITH x AS ({rolling(1, 'ev')}) {rolling(2, 'x')}") == {"ev": "PT3H/PT0S"}
    assert bounds(f"WITH x AS ({rolling(1, 'ev', 'event_date')}) {rolling(2, 'x')}") == {"ev": "PT2H/PT0S"}


def test_a_window_widens_every_source_below_its_scope() -> None:
    sql = "(SELECT m.event_date, m.event_ts, m.id, s.v FROM ev AS m JOIN ev2 AS s ON s.event_date = m.event_date - 1) AS j"
    assert bounds(rolling(2, sql)) == {"ev": "PT2H/PT0S", "ev2": "P1DT2H/PT0S"}


def test_of_several_windows_each_side_takes_the_largest() -> None:
    past = "SUM(v) OVER (PARTITION BY id ORDER BY event_ts RANGE BETWEEN INTERVAL '2' HOURS PRECEDING AND CURRENT ROW)"
    future = "SUM(v) OVER (PARTITION BY a ORDER BY event_ts RANGE BETWEEN CURRENT ROW AND INTERVAL '1' HOUR FOLLOWING)"
    aligned = "RANK() OVER (PARTITION BY event_date ORDER BY v)"
    assert bounds(f"SELECT event_date, {past} AS p, {future} AS f, {aligned} AS r FROM ev") == {"ev": "PT2H/PT1H"}


def test_only_an_override_lets_a_window_read_without_end() -> None:
    sql = "SELECT event_date, RANK() OVER (PARTITION BY id ORDER BY event_ts) AS r FROM ev"
    assert bounds(sql, "allow_window_functions") == {"ev": "unbounded"}
    lag = "SELECT event_date, LAG(v) OVER (PARTITION BY id ORDER BY event_ts) AS r FROM ev"
    assert bounds(lag, "allow_window_functions") == {"refused": "not_derivable:ev"}


@pytest.mark.parametrize(
    ("subquery", "expected"),
    [
        ("EXISTS (SELECT 1 FROM ev2 AS s WHERE s.id = e.id AND s.event_date = e.event_date)", ZERO),
        ("NOT EXISTS (SELECT 1 FROM ev2 AS s WHERE s.event_date = e.event_date - INTERVAL '1 day')", "P1D/PT0S"),
        ("e.v > (SELECT MAX(s.v) FROM ev2 AS s WHERE s.event_date BETWEEN e.event_date - 2 AND e.event_date)", "P2D/PT0S"),
        ("e.event_date IN (SELECT s.event_date FROM ev2 AS s)", ZERO),
        ("e.event_ts NOT IN (SELECT s.event_ts FROM ev2 AS s)", "refused"),
        ("EXISTS (SELECT 1 FROM ev2 AS s WHERE s.id = e.id)", "refused"),
        ("EXISTS (SELECT 1 FROM ev2 AS s WHERE s.id = e.id AND EXISTS (SELECT 1 FROM raw_utc AS r WHERE s.event_date = e.event_date))", "refused"),
    ],
)  # fmt: skip
def test_a_subquery_let_in_is_tied_by_its_correlated_conjuncts(subquery: str, expected: str) -> None:
    found = bounds(f"SELECT e.event_date FROM ev AS e WHERE {subquery}", "allow_subqueries")
    if expected == "refused":
        assert "not_derivable:ev2" in found["refused"]
    else:
        assert found == {"ev": ZERO, "ev2": expected}


@pytest.mark.parametrize(
    ("sql", "granularity", "expected"),
    [
        ("SELECT hour AS p FROM hourly", "hour", {"hourly": ZERO}),
        ("SELECT CAST(ts AS DATE) AS p FROM hourly", "day", {"hourly": ZERO}),
        ("SELECT month AS p FROM monthly", "month", {"monthly": ZERO}),
        ("SELECT month AS p FROM monthly", "quarter", {"monthly": ZERO}),
        ("SELECT date_trunc('month', event_ts) AS p FROM ev", "month", {"ev": ZERO}),
        ("SELECT trunc(event_date, 'MM') AS p FROM ev", "month", {"ev": ZERO}),
        ("SELECT date_trunc('week', event_ts) AS p FROM ev", "week", {"ev": ZERO}),
        # a week that begins in January holds days of February
        ("SELECT date_trunc('week', event_ts) AS p FROM ev", "month", {"ev": "PT0S/P7D"}),
        ("SELECT h.hour AS p FROM hourly AS h JOIN ev ON ev.event_date = CAST(h.hour AS DATE)", "hour", {"ev": ZERO, "hourly": ZERO}),
    ],
)  # fmt: skip
def test_units_other_than_days(sql: str, granularity: str, expected: dict[str, str]) -> None:
    found = bounds(sql, partition_column="p", granularity=granularity)
    assert found == expected


def test_weeks_from_sunday_on_are_no_weeks_of_spark() -> None:
    week = "SELECT date_trunc('week', event_ts) AS p FROM ev"
    assert bounds(week, partition_column="p", granularity="week", week_start="sunday") == {"ev": "PT0S/P7D"}
    weekly = Relation("weekly", {"w": "date", "ts": "timestamp"}, Timeseries("w", "ts", "week", "sunday"))
    found = bounds(
        "SELECT w AS p FROM weekly",
        partition_column="p",
        granularity="week",
        week_start="sunday",
        catalogue=Catalogue({**RELATIONS, "weekly": weekly}),
    )
    assert found == {"weekly": ZERO}


@pytest.mark.parametrize(
    ("literal", "expected"),
    [
        ("'36 hours'", Margin(0, 36 * HOUR)),
        ("'1' DAY", Margin(0, DAY)),
        ("1 DAY 12 HOURS", Margin(0, 36 * HOUR)),
        ("'1 day 12 hours'", Margin(0, 36 * HOUR)),
        ("'1 12' DAY TO HOUR", Margin(0, 36 * HOUR)),
        ("'1 12:30:00' DAY TO SECOND", Margin(0, 36 * HOUR + 30 * MINUTE)),
        ("'-1 12' DAY TO HOUR", Margin(0, -36 * HOUR)),
        ("'1-2' YEAR TO MONTH", Margin(14)),
        ("'2' YEARS", Margin(24)),
        ("-3 DAYS", Margin(0, -3 * DAY)),
        ("'1 month -2 days'", Margin(1, -2 * DAY)),
        ("'1.5' SECOND", Margin(0, 1_500_000)),
        ("'0.5' MONTH", None),
        ("'3'", None),
        ("'3 fortnights'", None),
        ("id DAY", None),
    ],
)
def test_an_interval_is_read_in_either_style(literal: str, expected: Margin | None) -> None:
    tree: Any = parse_query(f"SELECT INTERVAL {literal} AS i", "spark").tree
    assert read_interval(tree.expressions[0].this) == expected


@pytest.mark.parametrize(
    ("margin", "iso", "days"),
    [
        (Margin(), "PT0S", 0),
        (Margin(0, 30 * MINUTE), "PT30M", 1),
        (Margin(0, MINUTE * 3 // 2), "PT1M30S", 1),
        (Margin(0, DAY), "P1D", 1),
        (Margin(0, 36 * HOUR), "P1DT12H", 2),
        (Margin(0, 14 * DAY), "P14D", 14),
        (Margin(1), "P1M", 31),
        (Margin(14), "P1Y2M", 434),
        (Margin(1, HOUR), "P1MT1H", 32),
        (Margin(0, 1), "PT1S", 1),
    ],
)
def test_a_margin_is_written_in_the_largest_units(margin: Margin, iso: str, days: int) -> None:
    assert (margin.iso, margin.days) == (iso, days)


@pytest.mark.parametrize(
    ("days", "granularity", "name", "size"),
    [
        (1, "day", "bounded_safe(chunk=7d,context=1d)", 7),
        (3, "day", "bounded_safe(chunk=9d,context=3d)", 9),
        (31, "day", "bounded_safe(chunk=90d,context=31d)", 90),
        (3, "hour", "bounded_safe(chunk=9d,context=3d)", 216),
        (3, "week", "bounded_safe(chunk=9d,context=3d)", 2),
        (20, "month", "bounded_safe(chunk=60d,context=20d)", 2),
        (3, "quarter", "bounded_safe(chunk=9d,context=3d)", 1),
        (400, "year", "bounded_safe(chunk=90d,context=400d)", 1),
    ],
)
def test_batches_are_three_times_the_context(days: int, granularity: str, name: str, size: int) -> None:
    found = batch_class({"a": Bound("bounded", Margin(0, days * DAY)), "b": Bound("bounded")}, granularity)
    assert found is not None
    assert (found.name, found.batch_size) == (name, size)


def test_the_worst_source_decides_the_batches() -> None:
    zero, open_, none = Bound("bounded"), Bound("unbounded"), Bound("not_derivable")
    whole, single = batch_class({"a": zero}, "day"), batch_class({"a": zero, "b": open_}, "day")
    assert whole is not None and single is not None
    assert (whole.name, whole.batch_size) == ("fully_batch_safe", None)
    assert (single.name, single.batch_size) == ("per_partition_only", 1)
    assert batch_class({"a": open_, "b": none}, "day") is None


@pytest.mark.parametrize(
    ("join", "day", "expected"),
    [
        ("users u LEFT JOIN ev e", "u.day", {"refused": "not_derivable:ev"}),
        ("users u LEFT JOIN (SELECT * FROM ev UNION ALL SELECT * FROM ev2) e", "u.day", None),
        ("users u JOIN ev e", "u.day", {"ev": "PT10H/PT0S"}),
        ("users u RIGHT JOIN ev e", "e.event_date", {"ev": "PT10H/PT0S"}),
        ("users u LEFT JOIN ev e", "e.event_date", {"ev": "PT10H/PT0S"}),
    ],
)
def test_rows_that_an_outer_join_leaves_without_a_time_share_one_frame_over_all_days(
    join: str, day: str, expected: dict[str, str] | None
) -> None:
    over = "PARTITION BY u.id ORDER BY e.event_ts RANGE BETWEEN INTERVAL '10 hours' PRECEDING AND CURRENT ROW"
    sql = f"SELECT {day} AS event_date, COUNT(*) OVER ({over}) AS n FROM {join} ON e.event_date = u.day"
    assert bounds(sql) == (expected or {"refused": "not_derivable:ev, not_derivable:ev2"})
    # a LAG is written as a condition on the row that it finds, which then has a time
    assert "refused" not in bounds(sql.replace("COUNT(*)", "LAG(e.id)"))

"""Queries of many shapes over two timeseries sources and a look-up, all of the columns d, ts, id, v.

Some are safe on a slice of time and some are not; which is for the classifier to say.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

from hypothesis import strategies as st

Choose = Callable[[Sequence[Any]], Any]

DAYS = (
    "event_date",
    "event_date",
    "event_date",
    "CAST(event_ts AS DATE)",
    "CAST(date_trunc('day', event_ts) AS DATE)",
    "date_add(event_date, 1)",
    "CAST(event_ts - INTERVAL '7' HOURS AS DATE)",
    "CAST(event_ts + INTERVAL '30 hours' AS DATE)",
    "COALESCE(event_date, CAST(event_ts AS DATE))",
)
CONDITIONS = (
    "a.d = b.d",
    "a.d = b.d AND a.id = b.id",
    "a.id = b.id",
    "a.id = b.id AND b.d BETWEEN a.d - INTERVAL '2 days' AND a.d",
    "a.d BETWEEN b.d - INTERVAL '1 day' AND b.d + INTERVAL '1 day'",
    "b.ts BETWEEN a.ts - INTERVAL '9 hours' AND a.ts AND a.v <> b.v",
    "b.ts >= a.ts AND b.ts < a.ts + INTERVAL '1 day'",
    "b.d = a.d - INTERVAL '1 day' AND a.id = b.id",
    "date_trunc('week', a.d) = date_trunc('week', b.d) AND a.id = b.id",
    "b.d <= a.d AND a.id = b.id",
    "datediff(a.d, b.d) BETWEEN 0 AND 2",
    "CAST(a.ts AS DATE) = CAST(b.ts AS DATE) AND a.id = b.id",
    "a.d = b.d OR a.id = b.id",
    "a.id = b.id AND (a.d = b.d OR b.v > 2)",
    "a.d = b.d OR b.v = 3",
    "NOT (a.d <> b.d)",
    "a.ts = b.ts",
    "CAST(b.ts AS DATE) <= CAST(a.ts + INTERVAL '5 hours' AS DATE) AND b.ts >= a.ts - INTERVAL '5 hours'",
    "b.d >= add_months(a.d, -1) AND b.d < a.d",
    "a.d <= b.d AND b.d < date_add(a.d, 2)",
)
JOINS = ("JOIN", "JOIN", "LEFT JOIN", "RIGHT JOIN", "FULL JOIN", "LEFT SEMI JOIN", "LEFT ANTI JOIN")
KEYS = (
    "d",
    "d, id",
    "id, d",
    "id",
    "ts",
    "CAST(ts AS DATE)",
    "CAST(ts AS DATE), id",
    "date_trunc('week', d)",
    "date_trunc('week', d), id",
    "date_trunc('hour', ts)",
)
# over ts
FRAMES = (
    "",
    "RANGE BETWEEN INTERVAL '10 hours' PRECEDING AND CURRENT ROW",
    "RANGE BETWEEN INTERVAL '30' HOURS PRECEDING AND CURRENT ROW",
    "RANGE INTERVAL '2 days' PRECEDING",
    "RANGE BETWEEN CURRENT ROW AND INTERVAL '1 day 12 hours' FOLLOWING",
    "RANGE BETWEEN INTERVAL '1 day' PRECEDING AND INTERVAL '6 hours' FOLLOWING",
    "RANGE BETWEEN INTERVAL '5 hours' FOLLOWING AND INTERVAL '1 day' FOLLOWING",
    "RANGE BETWEEN INTERVAL '2 days' PRECEDING AND INTERVAL '1 hour' PRECEDING",
    "RANGE BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW",
    "RANGE BETWEEN CURRENT ROW AND CURRENT ROW",
)
# admitted in aligned windows only, or where the author asks for it
ROW_FRAMES = (
    "ROWS BETWEEN 2 PRECEDING AND CURRENT ROW",
    "ROWS BETWEEN CURRENT ROW AND 1 FOLLOWING",
    "ROWS BETWEEN 3 PRECEDING AND 1 PRECEDING",
)
# over d
DAY_FRAMES = (
    "RANGE BETWEEN 2 PRECEDING AND CURRENT ROW",
    "RANGE BETWEEN CURRENT ROW AND 3 FOLLOWING",
    "RANGE BETWEEN 3 PRECEDING AND 1 PRECEDING",
    "RANGE BETWEEN INTERVAL '1' DAY PRECEDING AND INTERVAL '2' DAYS FOLLOWING",
    "RANGE BETWEEN INTERVAL '36' HOURS PRECEDING AND CURRENT ROW",
)
ORDERS = ("ts", "ts DESC")
DAY_ORDERS = ("d", "d DESC")
# queries that have no two rows of one ts, or of one d, for an id: which row precedes another is then certain
DISTINCT_TIMES = "SELECT CAST(ts AS DATE) AS d, ts, id, SUM(v) AS v FROM {r} AS r GROUP BY ts, id"
DISTINCT_DAYS = "SELECT d, MAX(ts) AS ts, id, SUM(v) AS v FROM {r} AS r GROUP BY d, id"
NEIGHBOURS = ("LAG({v})", "LEAD({v})", "LAG({v}, 2)", "LEAD({v}, 2, -1)", "LAG({v}, 1, 0)")
NEIGHBOUR_FRAMES = (
    "BETWEEN INTERVAL '{n} {unit}' PRECEDING AND CURRENT ROW",
    "BETWEEN CURRENT ROW AND INTERVAL '{n} {unit}' FOLLOWING",
    "BETWEEN INTERVAL '{n} {unit}' PRECEDING AND INTERVAL '{n} {unit}' FOLLOWING",
)
JOINED_DAYS = ("a.d", "b.d", "COALESCE(a.d, b.d)", "CAST(a.ts AS DATE)")
JOINED_KEYS = ("a.d", "b.d", "COALESCE(a.d, b.d)", "a.id", "a.d, b.id", "CAST(b.ts AS DATE)", "b.ts")
CALENDAR = "(SELECT d, CAST(d AS TIMESTAMP) AS ts, id, v FROM users)"
MADE_CALENDAR = (
    "SELECT CAST(c AS DATE) AS d FROM "
    "(SELECT EXPLODE(SEQUENCE(DATE '2024-01-01', DATE '2024-01-13', INTERVAL '1' DAY)) AS c) AS s"
)
# which days of a calendar count for one of its days
DAY_PAIRS = (
    "b.d = a.d",
    "b.d BETWEEN date_sub(a.d, 2) AND a.d",
    "b.d <= a.d",
    "b.d >= a.d AND b.d < date_add(a.d, 2)",
    "b.d <> a.d",
)
AGGREGATIONS = (
    "SELECT d, MAX(ts) AS ts, id, SUM(v) AS v FROM {r} AS r GROUP BY d, id",
    "SELECT d, MAX(ts) AS ts, id, SUM(v) AS v FROM {r} AS r GROUP BY d, id HAVING COUNT(*) > 1",
    "SELECT d, MIN(ts) AS ts, MIN(id) AS id, COUNT(*) AS v FROM {r} AS r GROUP BY 1",
    "SELECT MAX(d) AS d, MAX(ts) AS ts, id, SUM(v) AS v FROM {r} AS r GROUP BY id",
    "SELECT CAST(ts AS DATE) AS d, MAX(ts) AS ts, id, SUM(v) AS v FROM {r} AS r GROUP BY CAST(ts AS DATE), id",
    "SELECT CAST(ts AS DATE) AS d, ts, MAX(id) AS id, SUM(v) AS v FROM {r} AS r GROUP BY ts",
    "SELECT d, MAX(ts) AS ts, id, SUM(v) AS v FROM {r} AS r GROUP BY d, id, v HAVING SUM(v) > 2",
    "SELECT CAST(date_trunc('week', d) AS DATE) AS d, MAX(ts) AS ts, id, SUM(v) AS v FROM {r} AS r GROUP BY 1, id",
    "SELECT d, MAX(ts) AS ts, id, SUM(v) AS v FROM {r} AS r GROUP BY d, ROLLUP(id)",
    "SELECT d, MAX(ts) AS ts, id, SUM(v) AS v FROM {r} AS r GROUP BY ROLLUP(d, id)",
)
SETS = ("UNION ALL", "UNION ALL", "UNION", "EXCEPT", "INTERSECT")


@st.composite
def queries(draw: Callable[[st.SearchStrategy[Any]], Any]) -> str:
    """Queries for hypothesis, which makes them smaller when they fail."""
    return query(lambda options: draw(st.sampled_from(options)))


def query(choose: Choose, depth: int = 3) -> str:
    """A query with the columns d, ts, id, v, in this order; `choose` picks one of several."""
    shape = choose(SHAPES if depth else ("base",))
    inner = functools.partial(_source, choose, depth - 1)
    if shape == "base":
        table = choose(("ev", "ev2"))
        return f"SELECT {choose(DAYS)} AS d, event_ts AS ts, id, v FROM {table}"
    if shape == "filter":
        kept = choose(("v > 2", "d > DATE '2024-01-05'", "ts IS NOT NULL", "v = 1 OR id = 2"))
        return f"SELECT d, ts, id, v FROM {inner()} AS r WHERE {kept}"
    if shape == "shift":
        day = choose(("CAST(ts AS DATE)", "date_add(d, 1)", "date_sub(d, 2)", "d"))
        return f"SELECT {day} AS d, ts, id, v + 1 AS v FROM {inner()} AS r"
    if shape == "aggregate":
        return str(choose(AGGREGATIONS).format(r=inner()))
    if shape == "window":
        return _window(choose, inner)
    if shape == "neighbour":
        return _neighbour(choose, inner)
    if shape == "limit":
        order = choose(("ts, v, id, d", "d DESC, v, id, ts"))
        return f"SELECT d, ts, id, v FROM {inner()} AS r ORDER BY {order} LIMIT 5"
    if shape == "rank":
        key = choose(KEYS)
        over = f"RANK() OVER (PARTITION BY {key} ORDER BY ts, v, id, d)"
        return f"SELECT d, ts, id, v FROM (SELECT *, {over} AS n FROM {inner()} AS r) AS q WHERE n = 1"
    if shape == "distinct":
        return f"SELECT DISTINCT d, {choose(('ts', 'CAST(NULL AS TIMESTAMP) AS ts'))}, id, v FROM {inner()} AS r"
    if shape == "set":
        return f"SELECT * FROM {inner()} AS l {choose(SETS)} SELECT * FROM {inner()} AS r"
    if shape == "lookup":
        return f"SELECT r.d, r.ts, r.id, r.v + u.v AS v FROM {inner()} AS r LEFT JOIN users AS u ON u.id = r.id"
    if shape == "calendar":
        return f"SELECT u.d, r.ts, r.id, r.v FROM users AS u {choose(JOINS[:5])} {inner()} AS r ON u.d = r.d"
    if shape == "made calendar":
        days = f"cal AS a JOIN cal AS b ON {choose(DAY_PAIRS)}"
        columns, groups = choose(
            (
                ("a.d, r.ts, r.id, r.v", ""),
                ("DISTINCT a.d, r.ts, r.id, r.v", ""),
                ("a.d, MAX(r.ts) AS ts, r.id, SUM(r.v) AS v", " GROUP BY a.d, r.id"),
                ("a.d, MAX(r.ts) AS ts, r.id, COUNT(*) AS v", " GROUP BY a.d, r.id HAVING COUNT(*) > 1"),
                ("a.d, r.ts, r.id, SUM(r.v) OVER (PARTITION BY a.d, r.id) AS v", ""),
                ("a.d, r.ts, r.id, SUM(r.v) OVER (PARTITION BY b.d, r.id) AS v", ""),
            )
        )
        relations = f"{days} {choose(('JOIN', 'LEFT JOIN'))} {inner()} AS r ON r.d = b.d"
        return f"WITH cal AS ({MADE_CALENDAR}) SELECT {columns} FROM {relations}{groups}"
    if shape == "exploded":
        made = "EXPLODE(SEQUENCE(d, date_add(d, 1), INTERVAL '1' DAY)) AS e"
        rows = f"SELECT d, ts, id, v, {made} FROM {inner()} AS r WHERE d IS NOT NULL"
        over = f"PARTITION BY {choose(('d', 'e', 'd, e', 'id'))} ORDER BY v, id, ts, e"
        value, day = choose(("v", f"RANK() OVER ({over})")), choose(("d", "CAST(e AS DATE)"))
        return f"SELECT {day} AS d, ts, id, {value} AS v FROM ({rows}) AS q"
    if shape == "calendar window":
        join, key, frame = (choose(parts) for parts in (JOINS[:5], ("u.id", "r.id", "u.v"), FRAMES[1:4]))
        over = f"PARTITION BY {key} ORDER BY r.ts {frame}"
        columns = f"{choose(('u.d', 'u.d', 'r.d'))} AS d, r.ts, r.id, COUNT(*) OVER ({over}) AS v"
        return f"SELECT {columns} FROM users AS u {join} {inner()} AS r ON u.d = r.d{choose(('', ' AND u.id = r.id'))}"
    if shape == "exists":
        condition = choose(CONDITIONS)
        negation = choose(("", "NOT "))
        return f"SELECT a.* FROM {inner()} AS a WHERE {negation}EXISTS (SELECT 1 FROM {inner()} AS b WHERE {condition})"
    if shape == "member":
        column = choose(("d", "ts", "id"))
        return f"SELECT a.* FROM {inner()} AS a WHERE a.{column} IN (SELECT b.{column} FROM {inner()} AS b)"
    if shape == "twice":
        condition = choose(CONDITIONS)
        day, join = choose(("a.d", "b.d")), choose(JOINS[:5])
        columns = f"{day} AS d, a.ts, b.id, a.v"
        return f"WITH x AS (SELECT * FROM {inner()} AS r) SELECT {columns} FROM x AS a {join} x AS b ON {condition}"
    if shape == "joined window":
        join, condition, frame = (choose(parts) for parts in (JOINS[:5], CONDITIONS, FRAMES))
        key, order, day = (choose(parts) for parts in (JOINED_KEYS, ("a.ts", "b.ts", "b.ts DESC"), JOINED_DAYS))
        over = f"PARTITION BY {key} ORDER BY {_certain(order, frame, 'a.v, b.v, a.id, b.id, a.ts, b.ts, a.d, b.d')} {frame}"
        value = f"COALESCE(SUM(a.v * 7 + b.v) OVER ({over}), 0) + COUNT(*) OVER (PARTITION BY {key})"
        first = choose((CALENDAR, None, None)) or inner()
        return f"SELECT {day} AS d, a.ts, b.id, {value} AS v FROM {first} AS a {join} {inner()} AS b ON {condition}"
    if shape == "joined group":
        join, condition, key = (choose(parts) for parts in (JOINS[:5], CONDITIONS, JOINED_KEYS))
        day = choose(JOINED_DAYS)
        having = choose(("", " HAVING COUNT(*) > 1"))
        columns = f"{day} AS d, MAX(a.ts) AS ts, MAX(b.id) AS id, SUM(a.v) + COUNT(*) AS v"
        return (
            f"SELECT {columns} FROM {inner()} AS a {join} {inner()} AS b ON {condition} GROUP BY {day}, {key}{having}"
        )
    join, condition = choose(JOINS), choose(CONDITIONS)
    relations = f"{inner()} AS a {join} {inner()} AS b ON {condition}"
    if "SEMI" in join or "ANTI" in join:
        return f"SELECT a.* FROM {relations}"
    day = choose(("a.d", "a.d", "b.d", "COALESCE(a.d, b.d)"))
    time = choose(("a.ts", "b.ts"))
    kept = choose(("", "", " WHERE b.v > 1", " WHERE a.d = b.d", " WHERE b.d IS NULL"))
    value = "COALESCE(a.v, 0) * 10 + COALESCE(b.v, 0)"
    return f"SELECT {day} AS d, {time} AS ts, COALESCE(a.id, b.id) AS id, {value} AS v FROM {relations}{kept}"


SHAPES = (
    "base",
    "base",
    "filter",
    "shift",
    "aggregate",
    "aggregate",
    "window",
    "window",
    "window",
    "neighbour",
    "neighbour",
    "rank",
    "limit",
    "distinct",
    "set",
    "lookup",
    "calendar",
    "calendar window",
    "made calendar",
    "exploded",
    "exists",
    "member",
    "twice",
    "join",
    "join",
    "join",
    "joined window",
    "joined window",
    "joined group",
)


def _window(choose: Choose, inner: Callable[[], str]) -> str:
    """A sum over a frame of any form, by any key or none, over a subquery or a CTE."""
    is_by_day = choose((True, False))
    orders = DAY_ORDERS if is_by_day else ORDERS
    frames: Sequence[str] = choose((ROW_FRAMES, *(2 * [DAY_FRAMES if is_by_day else FRAMES])))
    key, order, frame = (choose(parts) for parts in (("", "id", "id", *KEYS), orders, frames))
    by = f"PARTITION BY {key} " if key else ""
    over = f"{by}ORDER BY {_certain(order, frame, 'v, id, d, ts')} {frame}"
    function = choose(("SUM(v)", "COUNT(*)", "MAX(v)"))
    if choose((True, False)):
        return f"SELECT d, ts, id, {function} OVER ({over}) AS v FROM {inner()} AS r"
    return f"WITH x AS {inner()} SELECT d, ts, id, {function} OVER w AS v FROM x WINDOW w AS ({over})"


def _neighbour(choose: Choose, inner: Callable[[], str]) -> str:
    """A LAG or LEAD whose frame says how far it may look; Spark takes no such frame, so it is written as a condition."""
    is_by_day = choose((True, False))
    rows = (DISTINCT_DAYS if is_by_day else DISTINCT_TIMES).format(r=inner())
    function = choose(NEIGHBOURS).format(v=choose(("v", "id")))
    frame = choose(NEIGHBOUR_FRAMES).format(
        n=choose(("1", "2", "3") if is_by_day else ("6", "14", "30")),
        unit="days" if is_by_day else "hours",
    )
    key = choose(("id", "id", "id", "d, id"))
    order = choose(DAY_ORDERS if is_by_day else ORDERS)
    return (
        f"SELECT d, ts, id, {function} OVER (PARTITION BY {key} ORDER BY {order} RANGE {frame}) AS v FROM ({rows}) AS r"
    )


def _certain(order: str, frame: str, others: str) -> str:
    """An order without ties, where a frame counts rows; rows that are equal in everything may change places."""
    return f"{order}, {others}" if frame.startswith("ROWS") else order


def _source(choose: Choose, depth: int) -> str:
    return f"({query(choose, depth)})"

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

"""Whole runs of cumulative_aggregate: whatever the days arrive with and however they are cut, the table holds what all of them come to."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.unit import cumulative_runs as runs
from tests.unit.cumulative_runs import Event
from tests.unit.duckdb_runs import Warehouse
from tests.unit.macros import CompilerError

EVENTS: list[Event] = [
    (1, "a", 1, 5, True), (1, "a", 2, None, None), (2, None, 2, 7, False), (None, None, 2, 1, True), (None, None, 3, 6, None),
    (1, "a", 3, -3, False), (1, "b", 3, 0, True),
]  # fmt: skip
TABLE = "the table shop.totals"

SOME_EVENTS = st.lists(
    st.tuples(
        st.sampled_from([None, 1, 2]), st.sampled_from([None, "a"]), st.integers(1, 5),
        st.none() | st.integers(-9, 9), st.none() | st.booleans(),
    ),
    max_size=25,
)  # fmt: skip


def refusal(warehouse: Warehouse, day: int, **given: Any) -> str:
    with pytest.raises(CompilerError) as refused:
        runs.run(warehouse, day, **given)
    return str(refused.value)


# each example is several whole runs
@settings(max_examples=settings().max_examples // 200)
@given(
    events=SOME_EVENTS,
    mornings=st.lists(st.integers(2, 6), min_size=1, max_size=3, unique=True).map(sorted),
    batch_size=st.sampled_from([None, 1, 2]),
    file_format=st.sampled_from(["iceberg", "parquet"]),
)
def test_the_states_of_any_cut_come_to_those_of_the_whole(
    events: list[Event], mornings: list[int], batch_size: int | None, file_format: str
) -> None:
    warehouse = runs.warehouse_of(events)
    options = {"batch_size": batch_size} if batch_size else {}
    for morning in mornings:
        runs.run(warehouse, morning, file_format=file_format, options=options)
        assert runs.stored(warehouse) == runs.expected(events, morning)
    if mornings[0] > 2:
        # a gap before, which a window leaves, is filled like any other missing interval
        late = runs.warehouse_of(events)
        runs.run(
            late,
            mornings[0],
            file_format=file_format,
            options=options,
            start="2024-01-02",
            end=f"2024-01-0{mornings[0]}",
        )
        runs.run(late, mornings[-1], file_format=file_format, options=options)
        assert runs.stored(late) == runs.expected(events, mornings[-1])


@pytest.mark.parametrize("file_format", ["iceberg", "parquet"])
def test_an_interval_that_is_merged_stays_as_it_was_merged(file_format: str) -> None:
    warehouse = runs.warehouse_of(EVENTS)
    runs.run(warehouse, 3, file_format=file_format)
    late: Event = (1, "a", 1, 100, True)
    runs.add(warehouse, [late])
    runs.run(warehouse, 3, file_format=file_format)
    assert runs.stored(warehouse) == runs.expected(EVENTS, 3)
    runs.run(warehouse, 4, file_format=file_format)
    assert runs.stored(warehouse) == runs.expected(EVENTS, 4)
    runs.run(warehouse, 4, file_format=file_format, full_refresh=True)
    assert runs.stored(warehouse) == runs.expected([*EVENTS, late], 4)


def test_a_window_that_meets_what_is_merged_is_refused_whatever_is_allowed() -> None:
    warehouse = runs.warehouse_of(EVENTS)
    runs.run(warehouse, 3)
    for allowed in ({}, {"allow_full_restatement": True}):
        assert refusal(warehouse, 4, start="2024-01-02", end="2024-01-04", **allowed) == (
            "dbt_kinds: model totals: the window 2024-01-02T00:00:00 to 2024-01-04T00:00:00 overlaps intervals that are already merged, 2024-01-02T00:00:00 to "
            "2024-01-03T00:00:00, and an interval can be merged only once; rebuild the table with --full-refresh, or drop kinds_start and kinds_end"
        )
    assert runs.stored(warehouse) == runs.expected(EVENTS, 3)


def test_a_sum_that_overflows_is_refused_with_its_key_and_changes_nothing() -> None:
    large, sql = 2**62, runs.query().replace("sum(v)", f"sum(v * {2**62})")
    warehouse = runs.warehouse_of([(1, "a", 1, 1, True), (2, "a", 1, 1, True)])
    runs.run(warehouse, 2, sql=sql)
    before = runs.stored(warehouse)
    assert large in before[0]
    runs.add(warehouse, [(1, "a", 2, 1, True), (2, "a", 2, None, True)])
    assert refusal(warehouse, 3, sql=sql) == (
        'dbt_kinds: model totals: a sum became too large for its column, total (bigint), for 1 key, such as {"id": 1, "part": "a"}; nothing was changed. '
        "Cast the column to a wider type in the query, such as decimal(38, 0), and rebuild the table with --full-refresh if the next run asks for it"
    )
    assert runs.stored(warehouse) == before


def test_protected_intervals_in_a_window_are_left_alone() -> None:
    warehouse = runs.warehouse_of(EVENTS)
    runs.run(warehouse, 3)
    runs.run(warehouse, 4, options={"disable_restatement": True}, start="2024-01-01", end="2024-01-04")
    assert runs.stored(warehouse) == runs.expected(EVENTS, 4)


def test_an_interval_that_is_merged_in_part_is_refused() -> None:
    warehouse = runs.warehouse_of(EVENTS)
    runs.run(warehouse, 3)
    monthly = {"cron": "@monthly", "interval_unit": "month"}
    assert refusal(
        warehouse, 31, options=monthly, start="2024-01-01", end="2024-02-01", execution_time="2024-02-03T06:00:00"
    ) == (
        "dbt_kinds: model totals: 2024-01-01T00:00:00 to 2024-01-03T00:00:00 is already merged, but is only part of an interval of one "
        "month, and an interval can be merged only once; rebuild the table with --full-refresh"
    )


def test_a_changed_query_that_rebuilds_begins_the_states_anew() -> None:
    warehouse = runs.warehouse_of(EVENTS)
    options = {"on_query_change": "rebuild"}
    runs.run(warehouse, 3, options=options)
    other = runs.query().replace("sum(v)", "sum(v * 2)")
    runs.run(warehouse, 4, options=options, sql=other)
    doubled = {row[:2]: row[4] and row[4] * 2 for row in runs.expected(EVENTS, 4)}
    assert {row[:2]: row[4] for row in runs.stored(warehouse)} == doubled


def test_rows_of_which_nothing_is_recorded_are_refused() -> None:
    warehouse = runs.warehouse_of(EVENTS)
    runs.run(warehouse, 3)
    warehouse.log = []
    assert f"{TABLE[10:]} has rows, and nothing is recorded of them" in refusal(warehouse, 4)
    runs.run(warehouse, 4, full_refresh=True)
    assert runs.stored(warehouse) == runs.expected(EVENTS, 4)


@pytest.mark.parametrize("file_format", ["iceberg", "parquet"])
def test_several_rows_of_one_key_are_refused_before_anything_is_written(file_format: str) -> None:
    warehouse = runs.warehouse_of(EVENTS)
    runs.run(warehouse, 3, file_format=file_format)
    warehouse.database.execute("insert into shop.totals select * from shop.totals where id = 1")
    before = runs.stored(warehouse)
    assert "has up to 2 rows for one id, part, and must have one; nothing was changed" in refusal(
        warehouse, 4, file_format=file_format
    )
    assert runs.stored(warehouse) == before


def test_a_column_that_the_query_gains_holds_what_came_since() -> None:
    warehouse = runs.warehouse_of(EVENTS)
    columns = [column for column in runs.AGGREGATES if column != "high"]
    fewer = {"combine": {column: runs.OPTIONS["combine"][column] for column in columns}}
    runs.run(warehouse, 3, sql=runs.windowed_query(*columns), options=fewer)
    runs.run(warehouse, 4)
    high = {row[:2]: row[6] for row in runs.stored(warehouse)}
    assert high == {(1, "a"): -3, (1, "b"): 0, (2, None): None, (None, None): 6}
    # and one that it lost, where that is let pass, stays as it was
    runs.add(warehouse, [(1, "a", 4, 50, True)])
    runs.run(warehouse, 5, sql=runs.windowed_query(*columns), options={**fewer, "on_destructive_change": "ignore"})
    assert {row[:2]: (row[2], row[6]) for row in runs.stored(warehouse)}[1, "a"] == (4, -3)


def test_another_key_is_refused() -> None:
    warehouse = runs.warehouse_of(EVENTS)
    runs.run(warehouse, 3)
    by_flag = runs.query().replace("id, part", "id, part, flag")
    assert (
        "unique_key names the column 'flag', which is not in the table shop.totals; its states are of other keys"
        in refusal(warehouse, 4, sql=by_flag, options={"unique_key": ["id", "part", "flag"]})
    )


@pytest.mark.parametrize("file_format", ["iceberg", "parquet"])
def test_a_batch_without_rows_writes_nothing_and_is_recorded(file_format: str) -> None:
    warehouse = runs.warehouse_of(EVENTS)
    runs.run(warehouse, 4, file_format=file_format)
    runs.run(warehouse, 5, file_format=file_format)
    assert not {"merge_changes", "overwrite_partitions"} & set(warehouse.statements)
    assert runs.stored(warehouse) == runs.expected(EVENTS, 4)
    runs.run(warehouse, 5, file_format=file_format)
    assert warehouse.said[-1].endswith("up to date until 2024-01-05T00:00:00")

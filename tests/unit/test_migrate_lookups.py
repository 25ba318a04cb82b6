"""Inputs beside the filtered rows that are read from the rows' least time on, and parts of a union that select none."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.migrating import migrated, one
from tests.unit.test_migrate import KEY, TIME_RANGE, incremental

SINCE = "{% if is_incremental() %} where sold_at >= (select max(sold_at) from {{ this }}) {% endif %}"
LEAST = "(select min(date_trunc('hour', sold_at)) from sales)"
PRICED = f"""with sales as (select id, sold_at, amount from {{{{ ref('raw') }}}} {SINCE}),
prices as (select hour, price from {{{{ ref('prices') }}}} where hour >= {LEAST})
select s.id, s.sold_at, s.amount * p.price as value
from sales s left join prices p on date_trunc('hour', s.sold_at) = p.hour
"""
LOOKED_UP = {
    "left join": PRICED,
    "inner join": PRICED.replace("left join", "join"),
    "the other way round": PRICED.replace("date_trunc('hour', s.sold_at) = p.hour", "p.hour = date_trunc('hour', s.sold_at)"),
    "beside another condition": PRICED.replace("where hour >=", "where price > 0 and hour >="),
    "in the join": (
        f"with sales as (select id, sold_at, amount from {{{{ ref('raw') }}}} {SINCE})\n"
        "select s.id, s.sold_at, s.amount * p.price as value from sales s\n"
        f"left join (select hour, price from {{{{ ref('prices') }}}} where hour >= {LEAST}) p\n"
        "on p.hour = date_trunc('hour', s.sold_at)"
    ),
    "a day": PRICED.replace("'hour'", "'day'"),
}  # fmt: skip


@pytest.mark.parametrize("query", LOOKED_UP.values(), ids=LOOKED_UP)
def test_an_input_since_the_least_time_of_the_rows_that_it_is_joined_with(query: str, tmp_path: Path) -> None:
    result = one(migrated(tmp_path, {"m": incremental(query)}))
    assert (result.kind, result.options) == (TIME_RANGE, {"time_column": "sold_at", "lookback": 1}), result.reason
    assert "select min(date_trunc(" in str(result.new_text)


PREVIOUS = "prices as (select max(price) as price from {{ ref('prices') }} where hour >= "
LEFT_OUT = {
    "greatest time": PRICED.replace("min(", "max("),
    "not joined on the time": PRICED.replace("date_trunc('hour', s.sold_at) = p.hour", "s.id = p.id"),
    "joined on another time": PRICED.replace("date_trunc('hour', s.sold_at)", "date_trunc('day', s.sold_at)"),
    "since another time": PRICED.replace("'hour', sold_at)) from", "'hour', sold_at) + interval 1 hour) from"),
    "later than it": PRICED.replace("where hour >=", "where hour >"),
    "before it": PRICED.replace("where hour >=", "where hour <"),
    "brings rows of its own": PRICED.replace("left join", "full join"),
    "rows are the optional side": PRICED.replace("from sales s left join prices p", "from prices p left join sales s"),
    "counted over all": PRICED.replace("select hour, price", "select count(*) over () as n, hour, price").replace(
        "= p.hour", "= p.hour where p.n > 3"
    ),
    "grouped": PRICED.replace("select hour, price", "select hour, max(price) as price").replace(
        "from sales)", "from sales) group by hour"
    ),
    "of rows of one sort": PRICED.replace("from sales)", "from sales where amount > 9)"),
    "or": PRICED.replace("where hour >=", "where price > 0 or hour >="),
    "read once more": PRICED.replace("select s.id", "select (select max(price) from prices) as most, s.id"),
}


@pytest.mark.parametrize("query", LEFT_OUT.values(), ids=LEFT_OUT)
def test_a_least_time_that_leaves_rows_out_leaves_the_model(query: str, tmp_path: Path) -> None:
    result = one(migrated(tmp_path, {"m": incremental(query)}))
    assert result.reason is not None, result.new_text


def stamped(column: str = "changed_at", stamp: str = "written_at") -> str:
    return f"{{% if is_incremental() %}} where {column} > (select max({stamp}) from {{{{ this }}}}) {{% endif %}}"


UNITED = f"""with rows as (
  select id from {{{{ ref('web') }}}} {stamped()}
  union all
  select id from {{{{ ref('shop') }}}} {stamped()}
)
select id, current_timestamp() as written_at from rows"""


@pytest.mark.parametrize("query", [UNITED, UNITED.replace("union all", "union")])
def test_parts_that_read_since_the_last_run_and_do_not_select_when(query: str, tmp_path: Path) -> None:
    result = one(migrated(tmp_path, {"m": incremental(query, "unique_key='id'")}))
    assert (result.kind, result.options) == (KEY, {"unique_key": ["id"], "lookback": 1}), result.reason


@pytest.mark.parametrize(
    "query",
    [
        # since another time
        UNITED.replace("union all", "union all --").replace(stamped(), stamped().replace("max(written_at)", "max(written_at) - interval 3 days"), 1),
    ],
)  # fmt: skip
def test_two_inputs_that_select_no_time_and_are_no_parts_leave_the_model(query: str, tmp_path: Path) -> None:
    result = one(migrated(tmp_path, {"m": incremental(query, "unique_key='id'")}))
    assert result.reason is not None, result.new_text


# --- where a load begins, and what a run left of a partition


RECENT = "{% if is_incremental() %} and day >= current_date() - 3 {% endif %}"


@pytest.mark.parametrize(
    ("first", "second", "start"),
    [
        ("day >= '2022-01-01'", "day >= '2022-01-01'", "2022-01-01"),
        ("day >= '2022-01-01'", "day >= '2021-01-01'", "2021-01-01"),
        # a part that has rows before the other
        ("day < '2022-01-01'", "day >= '2022-01-01'", None),
        ("day >= '2022-01-01'", "id > 3", None),
    ],
)
def test_a_load_begins_where_the_first_part_of_a_union_does(
    first: str, second: str, start: str | None, tmp_path: Path
) -> None:
    query = (
        f"select id, day from {{{{ ref('old') }}}} where {first} {RECENT}\nunion all\n"
        f"select id, day from {{{{ ref('new') }}}} where {second} {RECENT}"
    )
    result = one(migrated(tmp_path, {"m": incremental(query)}))
    assert result.kind == TIME_RANGE, result.reason
    assert result.options.get("start") == start


@pytest.mark.parametrize(
    ("granularity", "bound", "is_told"),
    [
        ("month", "date_sub(current_date(), interval 40 day)", True),
        ("month", "date_trunc(date_sub(current_date(), interval 40 day), month)", False),
        ("day", "date_sub(current_date(), interval 40 day)", False),
    ],
)
def test_the_part_of_a_partition_that_a_run_left_out_is_told(
    granularity: str, bound: str, is_told: bool, tmp_path: Path
) -> None:
    config = (
        "incremental_strategy='insert_overwrite', "
        f"partition_by={{'field': 'day', 'data_type': 'date', 'granularity': '{granularity}'}}"
    )
    query = f"select id, day from {{{{ ref('raw') }}}} {{% if is_incremental() %}} where day >= {bound} {{% endif %}}"
    result = one(migrated(tmp_path, {"m": incremental(query, config)}, dialect="bigquery"))
    assert result.kind == TIME_RANGE, result.reason
    told = [note.message for note in result.notes if note.code == "ReadWhole"]
    assert bool(told) is is_told and all("now those before it stay" in one for one in told)

"""Filters by years, quarters and months that are written as numbers."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.migrating import migrated, one
from tests.unit.test_migrate import KEY, incremental
from tests.unit.test_prove import proved

TYPES = """version: 2
models:
  - name: raw
    columns: [{name: day, data_type: date}, {name: shop, data_type: string}, {name: amount, data_type: int}]
"""
RAW = "select date '2024-01-01' as day, 'a' as shop, 1 as amount"
YEAR, MONTH, QUARTER = (f"extract({part} from day)" for part in ("year", "month", "quarter"))
BLOCK = "{{% if is_incremental() %}} where {0} {{% endif %}}"


def config(*key: str, strategy: str = "merge") -> str:
    return f"incremental_strategy='{strategy}', unique_key={[*key]}"


def by(first: str, second: str, condition: str, name: str = "month") -> str:
    """Sums of shops by two numbers."""
    selected = f"select {first} as year, {second} as {name}, shop, sum(amount) as amount from {{{{ ref('raw') }}}}"
    return f"{selected} {BLOCK.format(condition)} group by 1, 2, 3"


def below(condition: str) -> str:
    """The same, with the filter by numbers that an inner query makes."""
    made = f"select {YEAR} as year, {MONTH} as month, shop, amount from {{{{ ref('raw') }}}}"
    query = f"select year, month, shop, sum(amount) as amount from ({made}) as t"
    return f"{query} {BLOCK.format(condition)} group by 1, 2, 3"


def newest(what: str) -> str:
    return f"(select max({what}) from {{{{ this }}}})"


NEWEST = newest("year * 100 + month")
SINCE = BLOCK.format(f"year * 100 + month >= {NEWEST}")
FROM_THE_DAY = "where day >= {{ dbt_kinds.start_date() }}"
MONTHS = ("year", "month", "shop")
CONVERTED: dict[str, tuple[str, str, str, str]] = {
    "year and month": (by(YEAR, MONTH, f"{YEAR} * 100 + {MONTH} >= {NEWEST}"), config(*MONTHS), "month", FROM_THE_DAY),
    "the other way around": (by("year(day)", "month(day)", f"month(day) + 12 * year(day) >= {newest('month + 12 * year')}"), config(*MONTHS), "month", FROM_THE_DAY),
    "as whole numbers": (by(YEAR, MONTH, f"cast({YEAR} as int) * 100 + cast({MONTH} as int) >= {NEWEST}"), config(*MONTHS), "month", FROM_THE_DAY),
    "where there is none": (by(YEAR, MONTH, f"{YEAR} * 100 + {MONTH} >= (select coalesce(max(year * 100 + month), 0) from {{{{ this }}}})"), config(*MONTHS), "month", FROM_THE_DAY),
    "deleted and inserted": (by(YEAR, MONTH, f"{YEAR} * 100 + {MONTH} >= {NEWEST}"), config(*MONTHS, strategy="delete+insert"), "month", FROM_THE_DAY),
    "quarter": (by(YEAR, QUARTER, f"{YEAR} * 10 + {QUARTER} >= {newest('year * 10 + quarter')}", "quarter"), config("year", "quarter", "shop"), "quarter", FROM_THE_DAY),
    "year alone": (by(YEAR, "shop", f"{YEAR} >= {newest('year')}", "place").replace("group by 1, 2, 3", "group by 1, 2, shop"), config("year", "place"), "year", FROM_THE_DAY),
    "numbers of an inner query": (below(f"year * 100 + month >= {NEWEST}"), config(*MONTHS), "month", "where make_date(cast(year as int), cast(month as int), 1) >= {{ dbt_kinds.start_date() }}"),
    "the year of an inner query": (below(f"year >= {newest('year')}"), config(*MONTHS), "year", "where make_date(cast(year as int), 1, 1) >= {{ dbt_kinds.start_date() }}"),
}  # fmt: skip


@pytest.mark.parametrize("name", CONVERTED)
def test_a_number_of_a_month_is_a_window_of_months(name: str, tmp_path: Path) -> None:
    query, settings, unit, where = CONVERTED[name]
    files = {"m": incremental(query, settings), "raw": RAW, "models/raw.yml": TYPES}
    result = one(migrated(tmp_path, files))
    assert result.kind == KEY, result.reason
    assert {key: result.options[key] for key in ("interval_unit", "allow_partials", "lookback")} == {
        "interval_unit": unit,
        "allow_partials": True,
        "lookback": 1,
    }
    assert where in str(result.new_text)


def test_windows_of_months_give_the_same_table(tmp_path: Path) -> None:
    query, settings, *_ = CONVERTED["year and month"]
    files = {"m": incremental(query, settings), "raw": RAW, "models/raw.yml": TYPES}
    verdict = proved(one(migrated(tmp_path, files)), tmp_path, 6)
    assert verdict.outcome == "equal", verdict


def test_inputs_that_are_joined_by_year_and_month_are_read_by_the_same_months(tmp_path: Path) -> None:
    made = f"(select {YEAR} as year, {MONTH} as month, shop, amount from {{{{ ref('raw') }}}}) as t {SINCE}"
    query = (
        f"with a as (select year, month, shop, sum(amount) as amount from {made} group by 1, 2, 3),\n"
        f"b as (select year, month, shop, count(*) as n from {made} group by 1, 2, 3)\n"
        "select a.year, a.month, a.shop, a.amount, b.n from a\n"
        "left join b on a.year = b.year and a.month = b.month and a.shop = b.shop"
    )
    files = {"raw": RAW, "models/raw.yml": TYPES, "m": incremental(query, config(*MONTHS))}
    files["n"] = incremental(query.replace("a.month = b.month", "a.amount = b.n"), config(*MONTHS))
    migration = migrated(tmp_path, files)
    result, other = one(migration), one(migration, "n")
    assert str(result.new_text).count("make_date(cast(year as int), cast(month as int), 1) >=") == 2, result.reason
    assert proved(result, tmp_path, 6).outcome == "equal"
    assert other.reason is not None and other.reason.code == "OuterJoinedInput"


# queries and what leaves each
LEFT: dict[str, tuple[str, str, str]] = {
    "an order of months first": (by(YEAR, MONTH, f"{MONTH} * 10000 + {YEAR} >= {newest('month * 10000 + year')}"), config(*MONTHS), "ReadsThisElsewhere"),
    "too small a step": (by(YEAR, MONTH, f"{YEAR} * 11 + {MONTH} >= {newest('year * 11 + month')}"), config(*MONTHS), "ReadsThisElsewhere"),
    "parts of two times": (by(YEAR, MONTH, f"{YEAR} * 100 + extract(month from sent) >= {NEWEST}"), config(*MONTHS), "ReadsThisElsewhere"),
    "columns that may be fiscal": (f"select year, month, shop, sum(amount) as amount from {{{{ ref('raw') }}}} {SINCE} group by 1, 2, 3", config(*MONTHS), "ReadsThisElsewhere"),
    "columns of another model's table": (f"select year, month, shop, sum(amount) as amount from {{{{ ref('made') }}}} {SINCE} group by 1, 2, 3", config(*MONTHS), "ReadsThisElsewhere"),
    "columns that a part of a union has": (f"select year, month, shop from (select {YEAR} as year, {MONTH} as month, shop from {{{{ ref('raw') }}}} union all select fiscal, period, shop from {{{{ ref('old') }}}}) as t {SINCE}", config(*MONTHS), "ReadsThisElsewhere"),
    "the newest of other columns": (by(YEAR, MONTH, f"{YEAR} * 100 + {MONTH} >= {newest('amount * 100 + month')}"), config(*MONTHS), "BoundOfAnotherColumn"),
    "the newest in another order": (by(YEAR, MONTH, f"{YEAR} * 100 + {MONTH} >= {newest('month * 100 + year')}"), config(*MONTHS), "BoundOfAnotherColumn"),
    "a number less one": (by(YEAR, MONTH, f"{YEAR} * 100 + {MONTH} >= (select max(year * 100 + month) - 1 from {{{{ this }}}})"), config(*MONTHS), "ReadsThisElsewhere"),
    "months of all years together": (by(MONTH, "shop", f"{YEAR} >= {newest('year')}", "place").replace("as year", "as month").replace("group by 1, 2, 3", "group by 1, 2, shop"), config("month", "place"), "AggregatesOverRuns"),
    "a month that the table does not have": (by(YEAR, "shop", f"{YEAR} * 100 + {MONTH} >= {NEWEST}", "place").replace("group by 1, 2, 3", "group by 1, 2, shop"), config("year", "place"), "BoundOfAnotherColumn"),
    "years of which a part is read": (f"select shop, sum(amount) as amount, {YEAR} as year, {MONTH} as month, sum(sum(amount)) over (partition by {YEAR}) as of_year from {{{{ ref('raw') }}}} {BLOCK.format(f'{YEAR} * 100 + {MONTH} >= {NEWEST}')} group by 1, 3, 4", config(*MONTHS), "AggregatesOverRuns"),
    "no key": (by(YEAR, MONTH, f"{YEAR} * 100 + {MONTH} >= {NEWEST}"), "incremental_strategy='append'", "TimeColumnUnclear"),
}  # fmt: skip


@pytest.mark.parametrize("name", LEFT)
def test_a_number_that_need_not_be_a_month_is_left(name: str, tmp_path: Path) -> None:
    query, settings, code = LEFT[name]
    files = {"m": incremental(query, settings), "raw": RAW, "models/raw.yml": TYPES}
    # its table may be older than its text
    files["made"] = f"select {YEAR} as year, {MONTH} as month, shop, amount from {{{{ ref('raw') }}}}"
    result = one(migrated(tmp_path, files))
    assert result.reason is not None, result.new_text
    assert result.reason.code == code, result.reason.message

"""What an upstream model loads again is reprocessed downstream: exactly that, with the margins of window_of, and once."""

from __future__ import annotations

import pytest

from tests.functional.project import DAILY_EVENTS, Project, events_table

NOW = "2024-01-09 08:00:00"
UP_TO_DATE = "OK up to date"

CHANGED = """select id, ts, if(to_date(ts) in ('2024-01-03', '2024-01-04'), n + 1000, n) as n from {schema}.events"""
A_DAY = """select cast(to_date(ts) as timestamp) as ts, sum(n) as n from {{ ref('hits') }}
where ts between {{ dbt_kinds.start_dt() }} and {{ dbt_kinds.end_dt() }} group by 1"""
# each day with the one before it
TWO_DAYS = """select a.ts, max(a.n) + coalesce(sum(b.n), 0) as n
from {{ dbt_kinds.window_of(ref('a_day'), 'ts', data_type='timestamp') }} as a
left join {{ dbt_kinds.window_of(ref('a_day'), 'ts', before='P1D', data_type='timestamp') }} as b
on b.ts = a.ts - interval 1 day
group by a.ts"""
RECOMPUTED = """select a.ts, a.n + coalesce(b.n, 0) from (select cast(to_date(ts) as timestamp) as ts, sum(n) as n from {schema}.events group by 1) as a
left join (select cast(to_date(ts) as timestamp) as ts, sum(n) as n from {schema}.events group by 1) as b on b.ts = a.ts - interval 1 day
where a.ts < timestamp '2024-01-09 00:00:00+00:00'"""


@pytest.fixture
def chain(project: Project, file_format: str) -> Project:
    """events -> hits -> a_day -> two_days; the last one reads the day before, too."""
    events_table(project)
    config = f"file_format='{file_format}'"
    project.kind("hits", DAILY_EVENTS, config=config)
    project.kind("a_day", A_DAY, config=config)
    project.kind("two_days", TWO_DAYS, config=config)
    project.run(now=NOW)
    return project


@pytest.mark.core
def test_a_restated_range_is_reprocessed_down_the_chain_and_once(chain: Project) -> None:
    assert chain.rows("select ts, n from {schema}.two_days") == chain.rows(RECOMPUTED)
    chain.sql("create or replace table {schema}.events using iceberg as " + CHANGED)
    chain.run("--select", "hits", now=NOW, start="2024-01-03", end="2024-01-05")

    a_day, hits, two_days = chain.operation("plan", now=NOW)["plans"]
    assert hits["reason"] == "up to date until 2024-01-09T00:00:00"
    assert a_day["reason"] == "upstream changed: 2 to reprocess (hits)"
    assert a_day["restated"] == [["2024-01-03T00:00:00", "2024-01-05T00:00:00"]]
    # what a_day will load counts as loaded; the day after reads the day before
    assert two_days["reason"] == "upstream changed: 3 to reprocess (a_day)"
    assert two_days["batches"] == [["2024-01-03T00:00:00", "2024-01-06T00:00:00"]]

    run = chain.run(now=NOW)
    assert run.messages["hits"] == UP_TO_DATE
    assert run.batches("a_day") == [("2024-01-03T00:00:00", "2024-01-05T00:00:00")]
    assert run.batches("two_days") == [("2024-01-03T00:00:00", "2024-01-06T00:00:00")]
    assert chain.rows("select ts, n from {schema}.two_days") == chain.rows(RECOMPUTED)
    assert set(chain.run(now=NOW).messages.values()) == {UP_TO_DATE}


def test_a_lookback_upstream_is_followed(project: Project) -> None:
    events_table(project)
    config = "file_format='iceberg'"
    project.kind("hits", DAILY_EVENTS, config=config, lookback=2)
    project.kind("a_day", A_DAY, config=config)
    project.run(now=NOW)
    run = project.run(now="2024-01-10 08:00:00")
    assert run.batches("hits") == [("2024-01-07T00:00:00", "2024-01-10T00:00:00")]
    assert run.batches("a_day") == [("2024-01-07T00:00:00", "2024-01-10T00:00:00")]
    assert set(project.run(now="2024-01-10 08:00:00").messages.values()) == {UP_TO_DATE}


def test_a_first_load_after_its_reader_processed_it_counts(project: Project) -> None:
    events_table(project)
    config = "file_format='iceberg'"
    project.kind("hits", DAILY_EVENTS, config=config, start="2024-01-05")
    project.kind("a_day", A_DAY, config=config)
    project.run(now=NOW)
    assert project.sql("select min(ts) >= timestamp '2024-01-05 00:00:00+00:00' from {schema}.a_day") == [(True,)]
    project.run("--select", "hits", now=NOW, start="2024-01-05", end="2024-01-06")
    project.kind("hits", DAILY_EVENTS, config=config, start="2024-01-03")
    run = project.run(now=NOW)
    assert run.batches("hits") == [("2024-01-03T00:00:00", "2024-01-05T00:00:00")]
    assert run.batches("a_day") == [("2024-01-03T00:00:00", "2024-01-06T00:00:00")]


def test_it_is_followed_through_a_view_and_left_alone_on_request(project: Project) -> None:
    events_table(project)
    config = "file_format='iceberg'"
    project.kind("hits", DAILY_EVENTS, config=config)
    project.model("seen", "{{ config(materialized='view') }}\nselect * from {{ ref('hits') }}")
    project.kind("through_view", A_DAY.replace("hits", "seen"), config=config)
    project.kind("ignorant", A_DAY, config=config, on_upstream_change="ignore")
    # a month and a week do not fit into each other
    project.kind("weekly", A_DAY, config=config, interval_unit="week", cron="@weekly")
    project.kind("monthly", A_DAY.replace("hits", "weekly"), config=config, interval_unit="month", cron="@monthly")
    project.run(now="2024-02-02 08:00:00")
    project.run("--select", "hits", now="2024-02-02 08:00:00", start="2024-01-03", end="2024-01-05")
    run = project.run(now="2024-02-02 08:00:00")
    assert run.batches("through_view") == [("2024-01-03T00:00:00", "2024-01-05T00:00:00")]
    assert run.batches("weekly") == [("2024-01-01T00:00:00", "2024-01-08T00:00:00")]
    assert {run.messages[name] for name in ("ignorant", "monthly", "hits")} == {UP_TO_DATE}


def test_all_of_it_is_judged_from_one_read_of_the_store(chain: Project, file_format: str) -> None:
    chain.run("--select", "hits", now=NOW, start="2024-01-03", end="2024-01-05")
    up_to_date = chain.run("--select", "hits", now=NOW)
    followed = chain.run(now="2024-01-09 09:00:00")
    assert followed.batches("a_day")

    def reads(statements: list[str]) -> int:
        return sum(text.startswith("select") and "dbt_kinds_intervals" in text for text in statements)

    # one of the run, one for the lease of each of the two models that write, and one at the end where writing does not tell the number of rows
    at_end = 1 if file_format == "iceberg" else 0
    assert (reads(up_to_date.statements), reads(followed.statements)) == (1, 3 + at_end)

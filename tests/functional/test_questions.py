"""What the manual answers on its page How do I."""

from __future__ import annotations

import pytest
import yaml

from tests.functional.project import Project

FIRST, SECOND, THIRD = "2024-01-03T08:00:00", "2024-01-04T08:00:00", "2024-01-05T08:00:00"
DAYS = (
    "select {columns}, ts from (select id, amount, cast(day as timestamp) as ts from {{{{ source('raw', 'orders') }}}})"
    " as o where ts between {{{{ dbt_kinds.start_ts() }}}} and {{{{ dbt_kinds.end_ts() }}}}"
)
SOURCES = {"version": 2, "sources": [{"name": "raw", "schema": "{{ target.schema }}", "tables": [{"name": "orders"}]}]}


@pytest.fixture
def shop(project: Project) -> Project:
    project.sql("create schema if not exists {schema}")
    project.sql(
        "create table {schema}.orders using iceberg as select cast(id as int) as id, cast(id * 10 as int) as amount, date_add(date '2023-12-31', cast(id as int)) as day from range(1, 5) as t(id)"
    )
    (project.folder / "models" / "sources.yml").write_text(yaml.safe_dump(SOURCES))
    return project


def days(project: Project, columns: str, kind: str = "incremental_by_time_range", **meta: object) -> None:
    project.kind("days", DAYS.format(columns=columns), kind=kind, config="file_format='iceberg'", **meta)


def test_a_table_is_started_over(shop: Project) -> None:
    days(shop, "id, amount", kind="incremental_unmanaged")
    shop.run(now=FIRST)
    shop.sql("update {schema}.orders set amount = 11 where id = 1")
    assert "--full-refresh ignored" in shop.run("--full-refresh", now=FIRST).messages["days"]
    assert shop.rows("select id, amount from {schema}.days") == [(1, 10), (2, 20)]
    days(shop, "id, amount", kind="incremental_unmanaged", disable_restatement=False)
    shop.run("--full-refresh", now=FIRST)
    assert shop.rows("select id, amount from {schema}.days") == [(1, 11), (2, 20)]
    days(shop, "id, amount", kind="incremental_unmanaged")
    shop.sql("drop table {schema}.days")
    shop.run(now=SECOND)
    assert shop.rows("select id, amount from {schema}.days") == [(1, 11), (2, 20), (3, 30)]


def test_a_column_is_renamed_in_the_table_first(shop: Project) -> None:
    days(shop, "id, amount")
    shop.run(now=FIRST)
    days(shop, "id, amount as total")
    refused = shop.dbt("run", now=SECOND)
    assert not refused.success and "it drops column amount" in refused.errors
    shop.sql("alter table {schema}.days rename column amount to total")
    run = shop.run(now=SECOND)
    assert shop.rows("select id, total from {schema}.days") == [(1, 10), (2, 20), (3, 30)]
    assert any("query changed: 2 loaded days keep the old one" in line for line in run.log), run.log


def test_a_column_that_the_query_renamed_is_null_in_old_days_until_they_are_loaded_again(shop: Project) -> None:
    days(shop, "id, amount", on_destructive_change="allow")
    shop.run(now=FIRST)
    days(shop, "id, amount as total", on_destructive_change="allow")
    shop.run(now=SECOND)
    assert shop.rows("select id, total from {schema}.days") == [(1, None), (2, None), (3, 30)]
    shop.run(now=SECOND, start="2024-01-01", end="2024-01-03")
    assert shop.rows("select id, total from {schema}.days") == [(1, 10), (2, 20), (3, 30)]


def test_a_source_freshness_tells_that_a_table_is_late(shop: Project) -> None:
    days(shop, "id, amount")
    shop.run(now=FIRST)
    freshness = {
        "loaded_at_query": "select max(to_timestamp(interval_end)) from {{ this }} "
        "where event = 'loaded' and relation like '%.days'",
        "freshness": {"error_after": {"count": 26, "period": "hour"}},
    }
    store = {
        "name": "dbt_kinds",
        "schema": "{{ target.schema }}",
        "tables": [{"name": "days_loaded", "identifier": "dbt_kinds_intervals", "config": freshness}],
    }
    (shop.folder / "models" / "store.yml").write_text(yaml.safe_dump({"version": 2, "sources": [store]}))
    told = shop.dbt("source", "freshness")
    assert not told.success, told.errors
    assert told.statuses == {"days_loaded": "error"}
    freshness["freshness"] = {"error_after": {"count": 100_000, "period": "day"}}
    (shop.folder / "models" / "store.yml").write_text(yaml.safe_dump({"version": 2, "sources": [store]}))
    assert shop.dbt("source", "freshness").statuses == {"days_loaded": "pass"}


def test_the_way_back_to_plain_dbt_and_to_a_kind_again(shop: Project) -> None:
    days(shop, "id")
    shop.run(now=FIRST)
    # the column stands behind the others in the table, whatever the query says
    days(shop, "amount, id")
    shop.run(now=SECOND)
    shop.settings["dispatch"] = [{"macro_namespace": "dbt", "search_order": ["shop", "dbt_kinds", "dbt"]}]
    plain = (
        "{{ config(materialized='incremental', incremental_strategy='append', file_format='iceberg') }}\n"
        "select amount, id, cast(day as timestamp) as ts from {{ source('raw', 'orders') }}"
        "{% if is_incremental() %} where day > (select cast(max(ts) as date) from {{ this }}){% endif %}"
    )
    shop.model("days", plain)
    shop.run(now=THIRD)
    rows = [(1, None), (2, None), (3, 30), (4, 40)]
    assert shop.rows("select id, amount from {schema}.days") == rows
    days(shop, "amount, id")
    assert shop.operation("status", now=THIRD)["models"][0]["missing"] == [
        ["2024-01-04T00:00:00", "2024-01-05T00:00:00"]
    ]
    shop.operation("adopt", now=THIRD, select="days", start="2024-01-01", again=True, execute=True)
    # of the newest day nobody can tell whether it is complete
    assert shop.run(now=THIRD).batches("days") == [("2024-01-04T00:00:00", "2024-01-05T00:00:00")]
    assert shop.rows("select id, amount from {schema}.days") == rows

"""Runs that wait for what is not complete yet, and load a portion of what is missing; and what they say of it."""

from __future__ import annotations

import json

import pytest

from tests.functional.project import Project, source_rows
from tests.functional.test_cli import ask

DAYS = ", ".join(f"({day}, timestamp '2024-01-{day:02} 06:00:00+00:00')" for day in range(1, 10))
WATERMARK = "select max(loaded_until) from {{ source('etl', 'watermarks') }}"
QUERY = """-- depends_on: {{ source('etl', 'watermarks') }}
select id, ts from {{ target.schema }}.source_rows where ts between {{ dbt_kinds.start_dt() }} and {{ dbt_kinds.end_dt() }}"""
PLAIN = QUERY.split("\n", 1)[1]
NOW = "2024-01-05"


def complete_until(project: Project, *instants: str | None) -> None:
    """What the table of watermarks holds from now on."""
    rows = ", ".join("null" if instant is None else f"'{instant}'" for instant in instants) or "null"
    condition = "" if instants else " where false"
    project.sql(
        "create or replace view {schema}.watermarks as select cast(instant as timestamp) as loaded_until "
        f"from (select explode(array({rows})) as instant){condition}"
    )


@pytest.fixture
def shop(project: Project) -> Project:
    """Rows of nine days, and a source `etl.watermarks`."""
    source_rows(project, DAYS, "id, ts")
    complete_until(project, None)
    sources = f"sources: [{{name: etl, schema: {project.schema}, tables: [{{name: watermarks}}, {{name: others}}]}}]"
    (project.folder / "models" / "sources.yml").write_text(sources)
    return project


def test_a_model_waits_until_its_sources_are_complete(shop: Project, file_format: str) -> None:
    shop.kind("orders", QUERY, config=f"file_format='{file_format}'", ready_until=WATERMARK)
    for instants in [(None,), ()]:
        complete_until(shop, *instants)
        run = shop.run(now=NOW)
        assert run.messages == {"orders": "OK waiting"}
        assert "dbt_kinds: orders: 4 units wait for ready_until (nothing)" in run.log
        assert shop.rows("select id from {schema}.orders") == []
        assert shop.events() == []

    complete_until(shop, "2024-01-02", "2024-01-03 23:59:59")
    run = shop.run(now=NOW)
    assert "dbt_kinds: orders: first load, 2 units wait for ready_until (2024-01-03T23:59:59)" in run.log
    assert shop.rows("select id from {schema}.orders") == [(1,), (2,)]
    assert shop.recorded("orders") == [["2024-01-01", "2024-01-03"]]
    plan = shop.operation("plan", now=NOW)["plans"][0]
    wait = {"start": "2024-01-03T00:00:00", "end": "2024-01-05T00:00:00", "for": "ready_until"}
    assert (plan["waiting"], plan["missing"], plan["batches"]) == ([wait], [], [])
    status = shop.operation("status", now=NOW)["models"][0]
    assert (status["waiting"], status["missing"]) == ([wait], [])

    events = shop.events()
    assert shop.run(now=NOW).messages == {"orders": "OK waiting"}
    assert shop.events() == events
    complete_until(shop, "2024-01-09")
    assert shop.run(now=NOW).messages == {"orders": "OK 1 batch" + ("" if file_format == "iceberg" else ", 2 rows")}
    up_to_date = shop.run(now=NOW)
    assert up_to_date.messages == {"orders": "OK up to date"}
    # nobody asks what nothing depends on
    assert not [sql for sql in up_to_date.statements if "loaded_until" in sql]


def test_a_window_is_loaded_with_a_warning(shop: Project) -> None:
    shop.kind("orders", QUERY, config="file_format='iceberg'", ready_until=WATERMARK)
    complete_until(shop, "2024-01-02")
    run = shop.run(now=NOW, start="2024-01-03", end="2024-01-05")
    assert (
        "model orders: 2 units wait for ready_until (2024-01-02T00:00:00), but the window is loaded anyway"
        in run.errors
    )
    assert shop.rows("select id from {schema}.orders") == [(3,), (4,)]


@pytest.mark.parametrize(
    ("query", "instant"),
    [
        ("select date '2024-01-03'", "2024-01-03T00:00:00"),
        ("select '2024-01-03 12:30'", "2024-01-03T12:30:00"),
        ("select timestamp '2024-01-03 01:30:00+02:00'", "2024-01-02T23:30:00"),
        ("select timestamp_ntz '2024-01-03 01:30:00.75'", "2024-01-03T01:30:00"),
    ],
)
def test_an_instant_may_be_of_any_type(shop: Project, query: str, instant: str) -> None:
    shop.kind("orders", PLAIN, ready_until=query)
    reason = shop.operation("plan", now=NOW)["plans"][0]["reason"]
    assert reason.endswith(f"ready_until ({instant})")


def test_what_cannot_be_meant_is_an_error_before_anything_is_written(shop: Project) -> None:
    messages = {
        "select explode(array(1, 2))": "ready_until returned 2 rows, and must return one value",
        "select 1 as a, 2 as b": "ready_until returned 2 columns, a, b, and must return one value",
        "select 12": "ready_until '12' is not a date (YYYY-MM-DD) or a datetime",
        "select max(loaded_until) from {{ source('etl', 'others') }}": "as the first line of its query: -- depends_on: {{ source('etl', 'others') }}",
        "select max(ts) from {{ ref('raw') }}": "-- depends_on: {{ ref('raw') }}",
    }
    shop.model("raw", "select current_timestamp() as ts")
    for query, message in messages.items():
        shop.kind("orders", QUERY, ready_until=query)
        run = shop.dbt("run", "--select", "orders", now=NOW)
        assert not run.success and message in run.errors, run.errors
    assert not shop.table_exists("orders")


def test_a_query_that_fails_names_its_model_and_its_option(shop: Project) -> None:
    shop.kind("orders", PLAIN, ready_until="select max(loaded_until) from nothing_there")
    shop.kind("plain", PLAIN)
    run = shop.dbt("run", now=NOW)
    assert run.messages["plain"] == "OK 1 batch, 4 rows"
    assert "`dbt_kinds: model orders: ready_until`" in run.errors
    told = ask(shop, "plan", "--json")
    assert told.exit_code == 1, told.output
    orders, plain = json.loads(told.stdout)["plans"]
    assert orders["refused"].startswith("ready_until cannot be evaluated: [TABLE_OR_VIEW_NOT_FOUND] The table or view")
    assert (plain["model"], plain["batches"]) == ("model.shop.plain", [])
    told = ask(shop, "plan")
    assert (told.exit_code, told.stderr) == (1, "Nothing to do: 1 model looked at; 1 refused: orders.\n")


def test_the_query_stands_in_a_properties_file_as_it_is(shop: Project) -> None:
    (shop.folder / "models" / "orders.yml").write_text(
        'models: [{name: orders, config: {meta: {ready_until: "{% raw %}' + WATERMARK + '{% endraw %}"}}}]'
    )
    shop.kind("orders", QUERY)
    assert shop.run(now=NOW).messages == {"orders": "OK waiting"}


def test_a_unit_waits_for_the_days_of_its_parent(shop: Project, file_format: str) -> None:
    config = f"file_format='{file_format}'"
    shop.kind("raw", PLAIN, config=config)
    shop.model("seen", "{{ config(materialized='view') }}\nselect * from {{ ref('raw') }}")
    reader = "select id, ts from {{ dbt_kinds.window_of(ref('seen'), 'ts', before='P1D', data_type='timestamp') }} as e"
    shop.kind("orders", reader, config=config, on_missing_upstream="wait")
    shop.kind("loading", reader, config=config)
    shop.kind("latest", reader, kind="incremental_by_unique_key", unique_key="id", on_missing_upstream="wait")
    for start, end in [("2024-01-01", "2024-01-03"), ("2024-01-04", "2024-01-05")]:
        shop.run("--select", "raw", "seen", now=NOW, start=start, end=end)
    run = shop.run("--select", "orders", "loading", "latest", now=NOW)
    assert "dbt_kinds: orders: first load, 2 units wait for raw (2024-01-03 missing)" in run.log
    assert "dbt_kinds: latest: first load, 2 units wait for raw (2024-01-03 missing)" in run.log
    assert shop.rows("select id from {schema}.orders") == [(1,), (2,)]
    assert shop.rows("select id from {schema}.loading") == [(1,), (2,), (4,)]
    # the plan counts on what the parent's plan loads
    plans = {plan["model"]: plan for plan in shop.operation("plan", now=NOW)["plans"]}
    assert (plans["model.shop.orders"]["waiting"], plans["model.shop.orders"]["reason"]) == ([], "2 missing")
    plan = shop.operation("plan", now=NOW, select="orders")["plans"][0]
    assert plan["waiting"] == [{"start": "2024-01-03T00:00:00", "end": "2024-01-05T00:00:00", "for": "raw"}]
    run = shop.run(now=NOW)
    assert run.batches("orders") == [("2024-01-03T00:00:00", "2024-01-05T00:00:00")]
    assert shop.rows("select id from {schema}.latest") == [(1,), (2,), (3,), (4,)]


def test_a_backfill_in_portions(shop: Project, file_format: str) -> None:
    shop.kind("orders", PLAIN, config=f"file_format='{file_format}'", batch_size=1, max_batches=3)
    plan = shop.operation("plan", now="2024-01-09")["plans"][0]
    assert (len(plan["batches"]), plan["to_go"]) == (3, 5)
    # the rows of a commit to Iceberg are counted by the record, and a run does not ask for them
    told, last = ("", "") if file_format == "iceberg" else (", 3 rows", ", 2 rows")
    assert shop.run(now="2024-01-09").messages == {"orders": f"OK 3 batches, 5 to go{told}"}
    assert shop.recorded("orders") == [["2024-01-01", "2024-01-04"]]
    assert shop.run(now="2024-01-09").messages == {"orders": f"OK 3 batches, 2 to go{told}"}
    assert shop.run(now="2024-01-09").messages == {"orders": f"OK 2 batches{last}"}
    assert shop.rows("select id from {schema}.orders") == [(day,) for day in range(1, 9)]
    run = shop.run(now="2024-01-09", start="2024-01-01", end="2024-01-05")
    assert (
        "max_batches leaves 1 batch of the window unloaded; to continue, pass kinds_start: 2024-01-04T00:00:00"
        in run.errors
    )

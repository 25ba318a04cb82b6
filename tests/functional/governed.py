"""A project with what dbt has beside models: versions, contracts, groups and access, an exposure, a semantic model and a metric."""

from __future__ import annotations

from tests.functional.project import Project

NOW, LATER = "2024-01-05 08:00:00", "2024-01-06 08:00:00"
PROPERTIES = """
groups: [{name: sales, owner: {name: Ann}}]
sources: [{name: shop, schema: '{{ target.schema }}', tables: [{name: events, config: {event_time: ts}}]}]
models:
  - name: orders
    latest_version: 2
    config: {contract: {enforced: true}, group: sales, access: public}
    columns:
      - {name: id, data_type: int}
      - {name: ts, data_type: timestamp}
      - {name: n, data_type: int}
    versions:
      - v: 1
        columns: [{include: all, exclude: [n]}]
      - v: 2
  - name: totals
    config: {group: sales, access: private}
  - name: days
    config: {materialized: view}
    time_spine: {standard_granularity_column: date_day}
    columns: [{name: date_day, granularity: day}]
exposures:
  - {name: board, type: dashboard, owner: {name: Ann}, depends_on: ["ref('orders', v=2)"]}
semantic_models:
  - name: orders
    model: ref('orders', v=2)
    defaults: {agg_time_dimension: ts}
    entities: [{name: order, type: primary, expr: id}]
    dimensions: [{name: ts, type: time, type_params: {time_granularity: day}}]
    measures: [{name: amount, agg: sum, expr: n}]
metrics:
  - {name: amount, label: Amount, type: simple, type_params: {measure: amount}}
"""
WINDOW = "where ts between {{ dbt_kinds.start_dt() }} and {{ dbt_kinds.end_dt() }}"


def governed_models(project: Project) -> None:
    """Writes the models over the table `events`."""
    iceberg = "file_format='iceberg'"
    project.kind("orders_v1", f"select id, ts from {{{{ source('shop', 'events') }}}} {WINDOW}", config=iceberg)
    project.kind("orders_v2", f"select id, ts, n from {{{{ source('shop', 'events') }}}} {WINDOW}", config=iceberg)
    totals = f"select id % 2 as id, max(ts) as ts, sum(n) as n from {{{{ ref('orders') }}}} {WINDOW} group by id % 2"
    project.kind("totals", totals, kind="incremental_by_unique_key", config=iceberg, unique_key="id")
    project.model("days", "select explode(sequence(date '2024-01-01', date '2024-01-10')) as date_day")
    (project.folder / "models" / "properties.yml").write_text(PROPERTIES)


def check_governed_models(project: Project) -> None:
    """Runs empty, with a sample, as a whole, and one version alone, each of which has its own coverage."""
    empty = project.dbt("run", "--empty", now=NOW)
    assert empty.success, empty.errors
    assert project.sql("select count(*) from {schema}.orders_v2") == [(0,)]
    assert project.recorded("orders_v2") == []
    sample = project.dbt(
        "run", "--select", "orders", "--sample", "{'start': '2024-01-02', 'end': '2024-01-03'}", now=NOW
    )
    assert sample.success, sample.errors
    assert project.rows("select id from {schema}.orders_v1") == [(4,), (5,), (6,), (7,)]
    assert project.recorded("orders_v1") == []
    run = project.run(now=NOW)
    assert set(run.statuses) >= {"totals", "days"}
    assert project.sql("select count(*) from {schema}.orders_v1") == [(16,)]
    assert project.rows("select id, n from {schema}.totals") == [(0, 560), (1, 640)]
    second = project.run("--select", "orders,version:latest", now=LATER)
    assert second.success
    assert project.recorded("orders_v1") == [["2024-01-01", "2024-01-05"]]
    assert project.recorded("orders_v2") == [["2024-01-01", "2024-01-06"]]
    project.kind(
        "orders_v2",
        f"select id, ts, cast(n as string) as n from {{{{ source('shop', 'events') }}}} {WINDOW}",
        config="file_format='iceberg'",
        # or the change itself would be refused, whatever the contract says
        on_destructive_change="allow",
    )
    # what has nothing to load is not compared with its contract
    broken = project.dbt("run", "--select", "orders", now="2024-01-07 08:00:00")
    assert not broken.success, broken.messages
    assert "contract" in broken.errors, broken.errors
    assert project.recorded("orders_v1") == [["2024-01-01", "2024-01-07"]]
    assert project.sql("select count(*) from {schema}.orders_v2") == [(20,)]

"""A shop as people have it, on a Spark of its own: seeds and dbt's own tables built again and again, then kinds, a kill and a restatement."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest

from dbt_kinds.local.profile import local_profile
from tests.functional.process import DbtProcess, OwnSparkProject

CUSTOMERS = ["Kevin O'Neil", "Jeanne d'Arc", 'Bo "the\'jaffle"', "back\\slash", ""]
DAYS = 10
NOW = "2024-01-11"
RESTATED = range(3, 6)

VIEWS = {
    "stg_orders": "select id as order_id, customer as customer_id, cast(placed_at as timestamp) as placed_at from {{ ref('raw_orders') }}",
    "stg_payments": "select id as payment_id, order_id, cast(cents / 100 as decimal(10, 2)) as amount from {{ ref('raw_payments') }}",
}  # fmt: skip
TABLES = {
    "orders": "select o.order_id, o.customer_id, o.placed_at, sum(p.amount) as amount, count(p.payment_id) as payments\n"
    "from {{ ref('stg_orders') }} as o left join {{ ref('stg_payments') }} as p on p.order_id = o.order_id group by 1, 2, 3",
    "days": "select cast(placed_at as date) as day, count(*) as orders, sum(amount) as amount from {{ ref('orders') }} group by 1",
    "customers": "select c.id as customer_id, c.name, count(o.order_id) as orders, max(o.placed_at) as latest, sum(o.amount) as amount\n"
    "from {{ ref('raw_customers') }} as c left join {{ ref('orders') }} as o on o.customer_id = c.id group by 1, 2",
}  # fmt: skip
KINDS: dict[str, tuple[str, dict[str, Any]]] = {
    "orders": ("incremental_by_time_range", {"time_column": "placed_at", "batch_size": 2}),
    "days": ("incremental_by_time_range", {"time_column": "day", "batch_size": 3}),
    "customers": ("incremental_by_unique_key", {"unique_key": "customer_id"}),
}


def write_seeds(project: OwnSparkProject, restated: range = range(0)) -> None:
    """Seven orders a day; those of a day in `restated` are of one customer, and one of their payments is gone."""
    folder = project.folder / "seeds"
    folder.mkdir(exist_ok=True)
    quoted = (name.replace('"', '""') for name in CUSTOMERS)
    names = "".join(f'{number},"{name}"\n' for number, name in enumerate(quoted))
    orders, payments = "", ""
    for number in range(7 * DAYS):
        day = number // 7
        is_restated = day in restated
        orders += (
            f"{number},{0 if is_restated else number % len(CUSTOMERS)},2024-01-{day + 1:02} {number % 24:02}:30:00\n"
        )
        for payment in range(number % 3 - is_restated):
            payments += f"{3 * number + payment},{number},{100 * number + payment}\n"
    (folder / "raw_customers.csv").write_text("id,name\n" + names)
    (folder / "raw_orders.csv").write_text("id,customer,placed_at\n" + orders)
    (folder / "raw_payments.csv").write_text("id,order_id,cents\n" + payments)


def rows(process: DbtProcess, query: str) -> list[tuple[Any, ...]]:
    return sorted(process.call("sql", query), key=repr)


def check_tables(process: DbtProcess) -> None:
    """Every table is what its query says of the views and seeds as they are now."""
    for name, query in TABLES.items():
        recomputed = query.replace("{{ ref('orders') }}", f"({TABLES['orders']})")
        recomputed = recomputed.replace("{{ ref('", "{schema}.").replace("') }}", "")
        assert rows(process, f"select * from {{schema}}.{name}") == rows(process, recomputed), name


def succeed(process: DbtProcess, *command: str, **variables: Any) -> None:
    run = process.call("dbt", *command, **variables)
    assert run.success, run.errors


@pytest.mark.sweep
def test_a_shop_is_built_turned_into_kinds_killed_and_restated(tmp_path: Path) -> None:
    profile = local_profile(tmp_path / "spark", name="local", schema="unused", threads=4)
    project = OwnSparkProject(tmp_path / "shop", profile, "shop")
    project.settings["dispatch"] = [{"macro_namespace": "dbt", "search_order": ["shop", "dbt_kinds", "dbt"]}]
    write_seeds(project)
    for name, query in VIEWS.items():
        project.model(name, f"{{{{ config(materialized='view') }}}}\n{query}")
    for name, query in TABLES.items():
        project.model(name, f"{{{{ config(materialized='table') }}}}\n{query}")
    process = DbtProcess(project)
    process.call("start")
    for number in range(5):
        succeed(process, "build", *(["--full-refresh"] if number % 2 else []))
        check_tables(process)
    assert {name for (name,) in rows(process, "select name from {schema}.raw_customers")} == {
        name or None for name in CUSTOMERS
    }

    # the same tables as kinds; the first run is killed while its second batch is written
    for name, (kind, options) in KINDS.items():
        process.call("sql", f"drop table {{schema}}.{name} purge")
        project.kind(name, TABLES[name], kind=kind, config="file_format='iceberg'", **options)
    process.begin("dbt", "run", now=NOW)
    writes = 0
    for said in process.said():
        writes += said.kind == "statement" and "insert into shop.orders" in said.text
        if writes == 2:
            time.sleep(0.2)
            break
    process.kill()
    assert writes == 2 and not process.is_done
    process = DbtProcess(project)
    process.call("start")
    assert process.call("recorded", "orders") != [["2024-01-01", NOW]]
    succeed(process, "build", now=NOW)
    check_tables(process)

    # what was loaded is not loaded again where the sources change, until it is asked for
    before = {name: rows(process, f"select * from {{schema}}.{name}") for name in ("orders", "days")}
    write_seeds(project, restated=RESTATED)
    succeed(process, "build", "--full-refresh", "--select", "resource_type:seed")
    succeed(process, "run", "--select", "orders days", now=NOW)
    assert {name: rows(process, f"select * from {{schema}}.{name}") for name in before} == before
    window = {"start": f"2024-01-{RESTATED.start + 1:02}", "end": f"2024-01-{RESTATED.stop + 1:02}"}
    succeed(process, "run", "--select", "orders days", now=NOW, **window)
    succeed(process, "run", "--select", "customers", now=NOW, allow_full_restatement=True, **window)
    check_tables(process)
    assert rows(process, "select * from {schema}.orders") != before["orders"]
    process.kill()

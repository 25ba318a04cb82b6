"""Through which queries `lookback: auto` sees where a column comes from, and why not through others."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.macros import Macros, node

MACROS = Macros()


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        ("select id, day from raw.events", ("raw.events", "day", "{}")),
        ("select * from raw.events", ("raw.events", "DAY", "{}")),
        ("-- of the shop\nSELECT e.* FROM `Raw`.`events` AS e WHERE NOT deleted;", ("raw.events", "DAY", "{}")),
        ("(select a.at as Day, n + 1 as n from lake.raw.events a)", ("lake.raw.events", "at", "{}")),
        ("select events.at day from raw.events", ("raw.events", "at", "{}")),
        ("select cast(created_at as date) as day from raw.events", ("raw.events", "created_at", "cast({} as date)")),
        ("select to_date(`created at`) as `day` from raw.events", ("raw.events", "created at", "cast({} as date)")),
        ("select at::date as day from raw.events", ("raw.events", "at", "cast({} as date)")),
        (
            "select cast(date_trunc('MONTH', (e.at)) as date) as day from raw.events e",
            ("raw.events", "at", "cast(date_trunc('month', {}) as date)"),
        ),
        (
            "with source as (select * from raw.events), renamed as (select id, day(at) as n, to_date(at) as day from source where kind in ('a', 'b')) "
            "select * from renamed order by id, n",
            ("raw.events", "at", "cast({} as date)"),
        ),
        ("with t as (select at as day from a.b) select day from (select * from t where day > '2024') as s", ("a.b", "at", "{}")),
        # names that are also words of SQL
        ("select `select`, offset as day, window from raw.events where offset > 5 and limit < 3", ("raw.events", "offset", "{}")),
        ("select a is not distinct from b as c, day, extract(year from day) as y from raw.events", ("raw.events", "day", "{}")),
        ("select case when a then day end as x, day from raw.events", ("raw.events", "day", "{}")),
        ("with events as (select * from raw.events) select * from events", ("raw.events", "DAY", "{}")),
    ],
)  # fmt: skip
def test_a_plain_select_shows_where_a_column_comes_from(sql: str, expected: tuple[str, str, str]) -> None:
    found = MACROS.traced_column(sql, "DAY")
    assert (found.get("relation"), found.get("column"), found.get("value")) == expected, found


@pytest.mark.parametrize(
    ("sql", "problem"),
    [
        ("select a.day from raw.a join raw.b on a.id = b.id", "which says JOIN"),
        ("select a.day from raw.a as a left join raw.b as b using (id)", "which says LEFT"),
        ("select a.day from raw.a, raw.b", "which says JOIN"),
        ("select a.day from raw.a x, raw.b y", "which says JOIN"),
        ("select day, count(*) as n from raw.a group by day", "which says GROUP"),
        ("select day, count(*) as n from raw.a where b group by day", "which says GROUP"),
        ("select distinct day from raw.a", "which says DISTINCT"),
        ("select day from raw.a union all select day from raw.b", "which says UNION"),
        ("select day from raw.a where x is null limit 5", "which says LIMIT"),
        ("select day from raw.a order by day limit 5", "which says LIMIT"),
        ("select day, row_number() over (partition by id order by day) as n from raw.a", "which holds a window function"),
        ("select day from raw.a where id in (select id from raw.b)", "which holds a subquery"),
        ("select day, (select max(x) from raw.b) as x from raw.a", "which holds a subquery"),
        ("select day from raw.a lateral view explode(x) as y", "which says LATERAL"),
        ("select day from raw.a version as of 5", "which says VERSION"),
        ("select day from explode(array(1))", "which says ("),
        ("select date_add(day, 1) as day from raw.a", "in which day is computed: date_add ( day , 1 )"),
        ("select payload.day as day from raw.a", "in which day is computed: payload . day"),
        ("select to_date(at, 'yyyy') as day from raw.a", "in which day is computed: to_date ( at , 'yyyy' )"),
        ("select max(day) as day from raw.a", "in which day is computed: max ( day )"),
        ("select at from raw.a", "whose select list does not name day once"),
        ("select 1 as day", "which reads no table"),
        ("select day from parquet.`/data/events`", "which reads parquet.`/data/events`"),
        ("select day from raw.`events.old`", "which reads raw.`events.old`"),
        ("values (1)", "which is not a select"),
        ("with recursive t as (select day from raw.a) select * from t", "whose WITH cannot be read"),
        ("with t as (select day from raw.a group by day) select * from t", "which says GROUP"),
    ],
)  # fmt: skip
def test_what_is_not_plain_is_named(sql: str, problem: str) -> None:
    assert MACROS.traced_column(sql, "day") == {"problem": problem}


def test_an_ephemeral_model_is_a_cte_of_its_reader() -> None:
    sql = "with __dbt__cte__a as (select * from raw.a), __dbt__cte__b as (select at as day from __dbt__cte__a) select * from (select * from __dbt__cte__b) as e"
    found = MACROS.traced_column("select * from __dbt__cte__b", "day", MACROS.ctes_of(sql))
    assert found == {"relation": "raw.a", "column": "at", "value": "{}"}
    assert MACROS.ctes_of("select 1") == {}


# --- what stands behind a relation


def behind(views: dict[str, Any], relation: str, ctes: dict[str, Any] | None = None) -> dict[str, Any]:
    """table_behind for the column day where these are the views and all else are tables."""
    macros = Macros()

    def source_facts(key: str) -> dict[str, Any]:
        view = views.get(key)
        columns = [{"name": name} for name in (view or {}).get("columns", [])]
        facts = {
            "text": (view or {}).get("text"),
            "namespace": "spark_catalog.stage",
            "columns": (view or {}).get("of", []),
        }
        return {"is_view": view is not None, "columns": columns, "view": facts if view else None}

    macros._functions["source_facts"] = source_facts
    found: dict[str, Any] = macros.table_behind({"relation": relation, "column": "day"}, ctes or {})
    return found


def test_views_are_looked_through_one_after_the_other() -> None:
    views = {
        "stage.a": {"text": "select at as day from spark_catalog.raw.events"},
        "stage.b": {"text": "select cast(day as date) as day from a"},
        "stage.c": {"text": "select id, day from stage.b", "columns": ["n", "day"], "of": ["id", "day"]},
        "stage.d": {"text": "select id, at from stage.b2", "columns": ["id", "day"], "of": ["id", "at"]},
    }
    assert behind(views, "raw.events") == {"relation": "raw.events", "column": "day", "value": "{}"}
    for name in ("stage.b", "stage.c"):
        assert behind(views, name) == {"relation": "raw.events", "column": "at", "value": "cast({} as date)"}
    assert behind(views, "stage.d") == {"relation": "stage.b2", "column": "at", "value": "{}"}


def test_what_cannot_be_looked_through_is_named_with_its_reason() -> None:
    views: dict[str, Any] = {
        "stage.a": {"text": "select * from stage.b"},
        "stage.b": {"text": "select day from x.y limit 5"},
        "stage.c": {},
        "stage.e": {"text": "select * from stage.e"},
    }
    problem = behind(views, "stage.a")["problem"]
    assert problem.startswith("lookback: auto cannot look through the view stage.b, which says LIMIT: it looks through")
    views["stage.c"] = {"text": None, "columns": ["day"]}
    assert "the view stage.c, whose SQL Spark does not show" in behind(views, "stage.c")["problem"]
    assert "more than 20 views" in behind(views, "stage.e")["problem"]


def test_ephemeral_models_are_read_from_their_source_where_no_query_is_compiled() -> None:
    source = {
        "source_name": "src",
        "name": "raw",
        "schema": "Raw",
        "identifier": "events",
        "database": None,
        "resource_type": "source",
    }
    first = node("first", "ephemeral") | {
        "resource_type": "model", "depends_on": {"nodes": ["source.raw"]},
        "raw_code": "{{ config(materialized='ephemeral', meta={'a': {'b': 1}}) }} select at as day {# plain #} from {{ source('src', 'raw') }}",
    }  # fmt: skip
    second = node("second", "ephemeral") | {
        "resource_type": "model", "depends_on": {"nodes": ["model.shop.first"]}, "raw_code": "select day from {{ ref('first') }}",
    }  # fmt: skip
    third = node("third", "ephemeral") | {
        "resource_type": "model",
        "depends_on": {"nodes": []},
        "raw_code": "select {{ a_macro() }}",
    }
    nodes = {f"model.shop.{one['name']}": one for one in (first, second, third)}
    macros = Macros(graph={"nodes": nodes, "sources": {"source.raw": source}})
    ctes = macros.written_ctes({"depends_on": {"nodes": ["model.shop.second", "model.shop.third"]}})
    assert sorted(ctes) == ["__dbt__cte__first", "__dbt__cte__second"]
    assert behind({}, "__dbt__cte__second", ctes) == {"relation": "raw.events", "column": "at", "value": "{}"}

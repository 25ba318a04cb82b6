"""Audits as the macros read them, and what one statement finds of all of them, in DuckDB."""

from __future__ import annotations

import re
from types import SimpleNamespace
from typing import Any

import duckdb
import pytest
import sqlglot

from dbt_kinds.simulation.databases import database_like_spark
from tests.unit.duckdb_runs import Relation, Warehouse
from tests.unit.macros import CompilerError, Macros, node, of_kind

MACROS = Macros()


def audits(*written: Any, kind: str = "incremental_by_time_range") -> list[dict[str, Any]]:
    options: dict[str, Any] = {"time_column": "ts"} if kind == "incremental_by_time_range" else {"unique_key": ["id"]}
    return list(MACROS.options(node(kind=kind, audits=list(written), **options))["audits"])


def refusal_of(*written: Any, kind: str = "incremental_by_time_range") -> str:
    with pytest.raises(CompilerError) as raised:
        audits(*written, kind=kind)
    return str(raised.value)


def test_an_audit_is_written_as_a_test_is() -> None:
    flat = {"dbt_utils.expression_is_true": {"expression": "a < b", "severity": "warn", "where": "a > 0", "name": "ab"}}
    newer = {
        "dbt_utils.expression_is_true": {
            "arguments": {"expression": "a < b"},
            "config": {"severity": "warn", "where": "a > 0"},
            "name": "ab",
        }
    }
    named = {"name": "ab", "test_name": "dbt_utils.expression_is_true", **flat["dbt_utils.expression_is_true"]}
    expected = {
        "name": "ab", "test": "expression_is_true", "package": "dbt_utils", "arguments": {"expression": "a < b"}, "over": "batch",
        "severity": "warn", "store_failures": False, "where": "a > 0", "limit": None, "fail_calc": None, "error_if": "!= 0",
        "warn_if": "!= 0",
    }  # fmt: skip
    assert audits(flat) == audits(newer) == audits(named) == [expected]


@pytest.mark.parametrize(
    ("written", "name"),
    [
        ({"not_null": {"column_name": "id"}}, "not_null_id"),
        ({"dbt_utils.at_least_one": {"column_name": "net amount"}}, "at_least_one_net_amount"),
        ("has_rows", "has_rows"),
        ({"has_rows": None}, "has_rows"),
        ({"unique": {"column_name": "id", "name": "one_row_an_id"}}, "one_row_an_id"),
    ],
)
def test_an_audit_is_called_by_its_test_and_column(written: Any, name: str) -> None:
    assert [audit["name"] for audit in audits(written)] == [name]


def test_an_audit_that_is_not_enabled_is_none() -> None:
    assert audits({"not_null": {"column_name": "id", "config": {"enabled": False}}}) == []


@pytest.mark.parametrize(
    ("written", "message"),
    [
        (
            ["not_null_id", {"not_null": {"column_name": "ID"}}],
            "two audits are called 'not_null_ID'; give one of them a name",
        ),
        (
            [{"unique": {"column_name": "id"}, "not_null": {"column_name": "id"}}],
            "which is not a test with its arguments",
        ),
        ([3], "audits has the entry '3', which is not a test with its arguments"),
        ([{"unique": {"severity": "fatal"}}], "severity of the audit unique 'fatal' is not one of error, warn"),
        ([{"unique": {"over": "tabel"}}], "over of the audit unique 'tabel' is not one of batch, table"),
        ([{"unique": {"limit": "few"}}], "limit of the audit unique 'few' is not a whole number of 1 or more"),
        ([{"unique": {"name": "a b", "store_failures": True}}], "the audit's name 'a b' is not a word"),
    ],
)
def test_what_is_no_audit_is_refused(written: list[Any], message: str) -> None:
    assert message in refusal_of(*written)


def test_a_list_is_needed() -> None:
    with pytest.raises(CompilerError, match="audits 'not_null' is not a list of tests"):
        MACROS.options(node(time_column="ts", audits="not_null"))


@pytest.mark.parametrize("kind", ["scd_type_2_by_column", "cumulative_aggregate"])
def test_over_table_is_refused_where_the_table_holds_other_rows_than_the_query(kind: str) -> None:
    more: dict[str, Any] = {"columns": ["a"]} if kind.startswith("scd") else {"combine": {"a": "add"}}
    written = node(kind=kind, unique_key=["id"], audits=[{"unique": {"column_name": "id", "over": "table"}}], **more)
    with pytest.raises(CompilerError, match=f"over: table of the audit 'unique_id' is not for {kind}"):
        MACROS.options(written)


@pytest.mark.parametrize(
    ("settings", "found"),
    [
        ({}, (3, True, True)),
        ({"limit": 2}, (2, True, True)),
        ({"fail_calc": "sum(v)"}, (6, True, True)),
        ({"error_if": "> 3", "warn_if": "> 2"}, (3, False, True)),
        ({"error_if": ">5", "warn_if": "between 4 and 5"}, (3, False, False)),
    ],
)
def test_settings_mean_what_they_mean_in_dbt(settings: dict[str, Any], found: tuple[int, bool, bool]) -> None:
    (audit,) = audits({"unique": {**settings}})
    sql = MACROS.findings_sql([audit], ["select v from (values (1), (2), (3)) as t(v) -- three rows"])
    assert duckdb.execute(sql).fetchall() == [(0, *found)]


def test_all_audits_are_one_statement_each_with_its_place() -> None:
    sql = MACROS.findings_sql(audits("a", "b"), ["select 1 where false", "with one as (select 1) select * from one"])
    assert sorted(duckdb.execute(sql).fetchall()) == [(0, 0, False, False), (1, 1, True, True)]


def test_a_ref_in_an_argument_is_to_a_dependency_of_the_model_or_to_the_audited_rows() -> None:
    def relationships(model: str, to: str) -> str:
        return f"select * from {model} where id not in (select id from {to})"

    def macros(*nodes: str) -> Macros:
        return Macros(
            node={"name": "orders", "package_name": "shop", "depends_on": {"nodes": list(nodes)}},
            graph={
                "nodes": {name: {"name": name.split(".")[-1], "package_name": "shop"} for name in nodes},
                "sources": {},
            },
            ref=lambda *names: ".".join(names),
            context={"test_relationships": relationships},
        )

    (audit,) = audits({"relationships": {"to": "ref('customers')", "where": "id > 0"}})
    run_context = {
        "options": {"model": "orders", "traits": MACROS.kind_traits("full"), "start": None},
        "plan": {"execution_time": "2024-01-02T00:00:00"},
    }
    batch = ["2024-01-01T00:00:00", "2024-01-02T00:00:00"]
    sql = macros("model.shop.customers").audit_sql(run_context, batch, audit, "stage")
    assert sql == (
        "select * from (select * from stage where id > 0) dbt_subquery where id not in (select id from customers)"
    )
    with pytest.raises(CompilerError, match=re.escape("-- depends_on: {{ ref('customers') }}")):
        macros("model.shop.orders").audit_sql(run_context, batch, audit, "stage")
    for itself in ("ref('orders')", 'ref("shop", "orders")'):
        (audit,) = audits({"relationships": {"to": itself, "where": "id > 0"}})
        sql = macros().audit_sql(run_context, batch, audit, "stage")
        assert sql == (
            "select * from (select * from stage where id > 0) dbt_subquery where id not in (select id from stage)"
        )
    (audit,) = audits({"relationships": {"to": "ref('other', 'orders')"}})
    with pytest.raises(CompilerError, match="does not know that the model does"):
        macros().audit_sql(run_context, batch, audit, "stage")


def test_an_unknown_test_is_refused_with_the_nearest_name() -> None:
    macros = Macros(context={"test_not_null": None, "dbt_utils": {"test_expression_is_true": None}})
    for written, meant in (("not_nul", "not_null"), ("expression_is_true", "dbt_utils.expression_is_true")):
        (audit,) = audits(written)
        with pytest.raises(CompilerError, match=f"did you mean '{meant}'"):
            macros.generic_test("orders", audit)


def loaded(start: str, end: str, recorded_at: str) -> dict[str, Any]:
    return {"event": "loaded", "interval_start": start, "interval_end": end, "recorded_at": recorded_at}


def test_a_finding_holds_until_its_interval_is_loaded() -> None:
    finding = loaded("2024-01-02", "2024-01-04", "05") | {"event": "audit_failed"}
    others = [loaded("2024-01-01", "2024-01-05", "04"), loaded("2024-01-04", "2024-01-05", "06")]
    assert MACROS.open_findings([*others, finding]) == [finding]
    assert MACROS.open_findings([finding, loaded("2024-01-03", "2024-01-04", "06")]) == []


def test_a_record_says_that_audits_were_skipped_beside_what_else_it_says() -> None:
    skipped = {"plan": {}, "skips_audits": True}
    assert MACROS.batch_details(skipped, 1, {"details": {"instant": "now"}}) == {"instant": "now", "audits": "skipped"}
    assert MACROS.batch_details(skipped, 1, {}) == {"audits": "skipped"}
    assert MACROS.batch_details({"plan": {}, "skips_audits": False}, 1, {"details": None}) is None


# a row stays where its partition, which Iceberg takes in UTC, gets no row at 2024-03-01 10:00
UNTOUCHED = [
    ("days", "2024-02-29 20:00", True),
    ("days", "2024-03-01 20:00", False),
    ("date", "2024-02-29 20:00", True),
    ("hours", "2024-03-01 09:45", True),
    ("hours", "2024-03-01 10:45", False),
    ("months", "2024-02-29 20:00", True),
    ("months", "2024-03-31 20:00", False),
    ("years", "2023-12-31 20:00", True),
    ("years", "2024-12-31 20:00", False),
    ("days", "1969-12-31 23:00", True),
]


@pytest.mark.parametrize(("transform", "at", "stays"), UNTOUCHED)
@pytest.mark.parametrize("column_type", ["timestamp", "timestamp_ntz"])
def test_the_rows_that_stay_are_those_of_untouched_partitions(
    transform: str, at: str, stays: bool, column_type: str
) -> None:
    """In a session half an hour off the hours of UTC; a timestamp without zone is the same in each."""
    offset = "+00:00" if column_type == "timestamp" else ""
    database = database_like_spark()
    database.execute("set TimeZone = 'Asia/Kolkata'")
    for table, number, instant in (("t", 1, at), ("stage", 2, "2024-03-01 10:00")):
        stored = "timestamptz" if offset else "timestamp"
        database.execute(f"create table {table} as select {number} as id, '{instant}:00{offset}'::{stored} as \"Ts\"")
    columns = [{"name": "id", "type": "int"}, {"name": "Ts", "type": column_type}]
    write_spec = {
        "schema": columns,
        "columns": ["`id`", "`Ts`"],
        "partitioning": [f"{transform}(ts)"],
        "writes_whole_table": False,
    }
    options = of_kind("incremental_by_partition")
    run_context = {"options": options, "write_spec": write_spec, "is_prepared": True, "start_anew": False}
    sql = f"select id from {MACROS.table_to_be('t', run_context, [], 'stage')} order by id"
    rows = database.execute(sqlglot.transpile(sql, read="spark", write="duckdb")[0]).fetchall()
    assert rows == ([(1,), (2,)] if stays else [(2,)])


def test_failing_rows_of_all_batches_of_a_run_are_kept_until_the_next_run() -> None:
    warehouse = Warehouse()
    macros = warehouse.macros(
        "t", "incremental_by_time_range", {"time_column": "ts"}, "", {}, "run", full_refresh=False
    )
    relation = Relation("t")
    (audit,) = audits({"not_null": {"column_name": "id", "store_failures": True}})
    found = {number: {"audit": audit, "sql": f"select {number} as v"} for number in (1, 3)}

    def run(*batches: int) -> list[int] | None:
        run_context: dict[str, Any] = {"audits": [audit]}
        for number in batches:
            macros.store_failures(relation, run_context, [found[number]] if number in found else [])
        if "t__kinds_failed_not_null_id" not in warehouse.listed_tables(relation):
            return None
        return [v for (v,) in warehouse.ask("select v from shop.t__kinds_failed_not_null_id order by v").fetchall()]

    assert run(1, 2, 3, 4) == [1, 3]
    assert run(2, 3) == [3]
    assert run(2) is None


def test_the_bounds_of_an_audit_have_the_type_of_what_they_are_compared_with_which_is_asked_once() -> None:
    asked: list[str] = []
    plan = [("== Analyzed Logical Plan ==",), ("(ts#1 <= cast(nullif(null, 7000) as timestamp))",)]

    def run_query(sql: str) -> Any:
        asked.append(sql)
        return SimpleNamespace(rows=[("Europe/Berlin",)] if "current_timezone" in sql else plan)

    end = "/*kinds:end_date*/ date '1999-12-31'"
    (audit,) = audits({"never": {"where": f"ts <= {end}"}})
    macros = Macros(run_query=run_query, context={"test_never": lambda model: f"select * from {model}"})
    run_context = {
        "options": macros.options(node("orders", kind="full", start=None)),
        "plan": {"execution_time": "2024-01-02T00:00:00"}, "audits": [audit], "staged_columns": {"schema": [{"name": "ts", "type": "timestamp"}]},
    }  # fmt: skip
    macros.check_audits_bounds(run_context, BATCHES[0])
    for batch, day in zip(BATCHES, ("2024-01-01", "2024-01-02"), strict=True):
        sql = macros.audit_sql(run_context, batch, audit, "stage")
        assert (
            sql
            == f"select * from (select * from stage where ts <= timestamp '{day} 23:59:59.999999+00:00') dbt_subquery"
        )
    assert [sql.split()[0] for sql in asked] == ["explain", "select"]
    assert (
        "from (select * from (select cast(null as timestamp_ltz) as `ts`) where ts <= /*end_date*/ nullif(null, 7000)) dbt_subquery"
        in asked[0]
    )


BATCHES = [["2024-01-01T00:00:00", "2024-01-02T00:00:00"], ["2024-01-02T00:00:00", "2024-01-03T00:00:00"]]

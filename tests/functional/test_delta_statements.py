"""What would be sent to Delta: no Delta is at hand, so the statements are rendered here and read by Spark's own parser, and never run.

`describe history` is Delta's own, which Spark's parser does not know; those are not read by anybody.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import SimpleNamespace
from typing import Any

import pytest
from pyspark.sql import SparkSession

from tests.unit.duckdb_runs import Relation
from tests.unit.macros import Macros, node

pytestmark = pytest.mark.core

TABLE = "shop.orders"
COLUMNS = [{"name": "id", "type": "bigint"}, {"name": "at day", "type": "date"}, {"name": "n", "type": "int"}]
BATCH = ["2024-01-01T00:00:00", "2024-01-02T00:00:00"]
QUERY = "select id, `at day`, n from raw.orders"


class Answer(dict[Any, Any]):
    """The first row of any question that is asked on the way."""

    def __missing__(self, name: Any) -> Any:
        return {0: '[{"rows_written": 1}]', 1: "dynamic", "version": 5, "operationMetrics": {"numOutputRows": "1"}}[
            name
        ]


class Dbt:
    """Stands where dbt's own macros would, and keeps the statements that were to be sent."""

    macros: Macros

    def __init__(self, **variables: Any) -> None:
        self.sent: list[str] = []
        clauses = ["options_clause", "clustered_cols", "comment_clause", "tblproperties_clause"]
        of_dbt: dict[str, Any] = {clause: lambda **_: "" for clause in clauses}
        of_dbt["location_clause"] = lambda relation: ""
        of_dbt["statement"] = self.statement
        of_dbt["run_query"] = lambda sql: SimpleNamespace(rows=[Answer()])
        of_dbt["adapter"] = SimpleNamespace(
            type=lambda: "databricks",
            quote=lambda name: f"`{name}`",
            dispatch=lambda name, package: self.macros.dispatched(name, "databricks"),
            config=SimpleNamespace(credentials=SimpleNamespace(server_side_parameters={})),
            build_catalog_relation=lambda model: None,
            # an older cluster: Spark's parser does not know what newer ones and warehouses get instead
            is_cluster=lambda: True,
            compare_dbr_version=lambda major, minor: -1,
        )
        of_dbt["config"] = SimpleNamespace(model=None)
        written = {"name": "orders", "unique_id": "model.shop.orders", "config": {"file_format": "delta"}}
        self.macros = Macros(variables=variables, node=written, **of_dbt)

    def statement(self, name: str, caller: Callable[[], str]) -> str:
        self.sent.append(caller().strip())
        return ""

    def run_context(self, prepare: str, kind: str, **options: Any) -> dict[str, Any]:
        """What a write is given."""
        read = self.macros.options(node(kind=kind, file_format="delta", **options))
        prepared = getattr(self.macros, prepare)(read, COLUMNS, None, QUERY)
        return {"options": read, "write_spec": prepared, "plan": {}, "table_state": {}}


@pytest.fixture
def parsed(local_spark: Mapping[str, Any]) -> Callable[[str], str]:
    parser = SparkSession.builder.getOrCreate()._jsparkSession.sessionState().sqlParser()
    return lambda sql: str(parser.parsePlan(sql).toString())


def test_a_table_and_its_replacement(parsed: Callable[[str], str]) -> None:
    dbt = Dbt()
    for existing in (None, {"is_view": False, "file_format": "delta"}):
        dbt.macros.create_table(Relation("orders"), existing, "delta", ["at day"], QUERY)
    assert [parsed(sql).split()[0] for sql in dbt.sent] == ["'CreateTableAsSelect", "'ReplaceTableAsSelect"]
    assert all("using delta" in sql and "partitioned by (`at day`)" in sql for sql in dbt.sent)


def test_a_range_in_one_commit(parsed: Callable[[str], str]) -> None:
    dbt = Dbt()
    run_context = dbt.run_context("range_write_spec", "incremental_by_time_range", time_column="at day")
    dbt.macros.replace_range(TABLE, run_context, BATCH, QUERY)
    assert [parsed(sql).split()[0] for sql in dbt.sent] == ["'OverwriteByExpression"]


def test_partitions(parsed: Callable[[str], str]) -> None:
    dbt = Dbt()
    run_context = dbt.run_context("partition_write_spec", "incremental_by_partition", partition_by=["at day"])
    dbt.macros.replace_partitions(TABLE, run_context, BATCH, QUERY)
    assert [parsed(sql).split()[0] for sql in dbt.sent] == ["'InsertIntoStatement"]
    assert dbt.sent[0].startswith("insert overwrite shop.orders")


@pytest.mark.parametrize(
    ("options", "actions"),
    [
        ({}, ["updateaction", "insertaction"]),
        ({"insert_only": True}, ["insertaction"]),
        ({"merge_filter": "target.n < source.n", "null_keys": "match"}, ["updateaction", "insertaction"]),
        ({"when_matched": "when matched and source.n < 0 then delete when matched then update set n = source.n"},
         ["deleteaction", "updateaction", "insertaction"]),
    ],
)  # fmt: skip
def test_a_merge(parsed: Callable[[str], str], options: dict[str, Any], actions: list[str]) -> None:
    dbt = Dbt()
    run_context = dbt.run_context(
        "key_write_spec", "incremental_by_unique_key", unique_key=["id", "coalesce(n, 0)"], **options
    )
    changes = dbt.macros.changes_by_key(TABLE, run_context["options"], run_context["write_spec"], "shop.stage")
    plan = parsed(dbt.macros.merge_statement(TABLE, run_context["write_spec"], changes)).lower()
    assert plan.startswith("'mergeintotable")
    assert [action for action in ("deleteaction", "updateaction", "insertaction") if action in plan] == actions


def test_a_merge_has_the_clauses_that_are_needed(parsed: Callable[[str], str]) -> None:
    dbt = Dbt()
    run_context = dbt.run_context("key_write_spec", "incremental_by_unique_key", unique_key="id")
    for equal, stored, begins in ((0, 2, ["'mergeintotable"]), (1, 1, ["'insertintostatement"]), (0, 1, ["'mergeintotable", "'insertintostatement"])):  # fmt: skip
        found = {"all_rows": 2, "stored_keys": stored, "equal_keys": equal}
        changes = dbt.macros.changes_by_key(
            TABLE, run_context["options"], run_context["write_spec"], "shop.stage", found
        )
        plans = [parsed(sql).lower() for sql in dbt.macros.change_statements(TABLE, run_context["write_spec"], changes)]
        assert [plan.split()[0] for plan in plans] == begins


def test_an_insert_leaves_out_what_is_there(parsed: Callable[[str], str]) -> None:
    dbt = Dbt()
    run_context = dbt.run_context("key_write_spec", "incremental_by_unique_key", unique_key=["id", "coalesce(n, 0)"])
    changes = dbt.macros.changes_by_key(TABLE, run_context["options"], run_context["write_spec"], "shop.stage")
    assert "LeftAnti" in parsed(dbt.macros.inserted_rows(run_context["write_spec"], changes))


def test_columns_that_come(parsed: Callable[[str], str]) -> None:
    dbt = Dbt()
    change = {"change": "add", "path": ["s", "element", "odd name"], "from": None, "to": "struct<`a`:int>"}
    assert parsed(dbt.macros._alteration(TABLE, change)).startswith("'AddColumns")


def test_the_store(parsed: Callable[[str], str]) -> None:
    dbt = Dbt()
    adapter = SimpleNamespace(
        dispatch=lambda name, package: lambda: "parquet", create_schema=lambda relation: None, type=lambda: "databricks"
    )
    target = SimpleNamespace(schema="shop")
    macros = Macros(variables={"kinds_store_format": "delta"}, statement=dbt.statement, adapter=adapter, target=target)
    macros.create_store("shop.dbt_kinds_intervals")
    assert [parsed(sql).split()[0] for sql in dbt.sent] == ["'CreateTable"]
    assert "using delta" in dbt.sent[0]

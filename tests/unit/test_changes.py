"""What a run that goes by changes has to do, and which texts of a query are the same."""

from __future__ import annotations

from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import pytest

from tests.unit.duckdb_runs import Warehouse
from tests.unit.macros import CompilerError, Macros, node

MACROS = Macros()
LATEST = {"model_hash": "h", "recorded_at": "2024"}


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"latest": None}, ["backfill", "first run"]),
        ({"latest": None, "full_refresh": True}, ["backfill", "first run"]),
        ({"full_refresh": True, "model_hash": "i"}, ["backfill", "full refresh"]),
        ({"model_hash": "i", "then": None}, ["backfill", "sql changed"]),
        ({"then": None, "now": {}}, ["full", "missing depends metadata"]),
        ({"latest": {"model_hash": ""}, "then": None}, ["full", "missing depends metadata"]),
        ({"then": {}, "now": {}}, ["skip", "no dependencies"]),
        ({"now": {"a": "1", "b": None, "c": None}, "changed": ["a"]}, ["full", "unverifiable dep: b"]),
        ({"now": {"a": "1", "b": "2"}, "changed": ["b", "a"]}, ["full", "dep changed: b"]),
        ({"now": {"a": "1"}}, ["skip", "deps unchanged"]),
    ],
)
def test_the_first_row_that_fits_decides(given: dict[str, Any], told: list[str]) -> None:
    usual = {"latest": LATEST, "full_refresh": False, "model_hash": "h", "then": {"a": "1"}, "now": {"a": "1"}}
    assert MACROS.run_type(**{**usual, "changed": [], **given}) == told


def model_hash(sql: str, **given: Any) -> str:
    one = node(kind="full", **{"skip_unchanged": True, "file_format": "iceberg", **given})
    return str(MACROS.model_hash(MACROS.options(one), sql))


SQL = "select id, 'A  b' as x from raw.t where c = 1"


@pytest.mark.parametrize(
    "sql",
    [
        "-- a remark\nselect id, 'A  b' as x\n\tfrom raw.t -- another\n  where c = 1\n",
        "select id, 'A  b' as x /* why */ from raw.t\n\n\nwhere c = 1",
        "/* one\n line */ select id, 'A  b' as x from raw.t where   c = 1 -- 'x",
    ],
)
def test_comments_and_white_space_are_no_other_query(sql: str) -> None:
    assert model_hash(sql) == model_hash(SQL)


@pytest.mark.parametrize(
    "sql",
    [
        "select id, 'a  b' as x from raw.t where c = 1",
        "select id, 'A b' as x from raw.t where c = 1",
        "select ID, 'A  b' as x from raw.t where c = 1",
        "select id, 'A  b' as x from raw.t where c = 1 -- x\n or true",
        "select id, 'A  b -- x' as x from raw.t where c = 1",
        "select id, '' as x from raw.t where c = 1",
    ],
)
def test_what_a_reader_would_see_is_another_query(sql: str) -> None:
    assert model_hash(sql) != model_hash(SQL)


def test_partitioning_and_format_are_part_of_it_and_checks_are_not() -> None:
    assert model_hash(SQL, partition_by=["id"]) != model_hash(SQL)
    assert model_hash(SQL, file_format="parquet") != model_hash(SQL)
    assert model_hash(SQL, audits=[{"not_null": {"column_name": "id"}}]) == model_hash(SQL)


def test_time_variables_stay_in_it() -> None:
    def of(day: str, name: str = "execution_ds") -> str:
        return model_hash(f"select /*kinds:{name}*/ '{day}' as d")

    assert of("2024-01-01") == of("2024-01-02")
    assert of("2024-01-01") != of("2024-01-01", "execution_ts")


@pytest.mark.parametrize(
    ("sql", "found"),
    [
        ("select 1 as id", []),
        ("select id from raw.t as t join `raw`.`u` using (id)", []),
        ("select id from elsewhere.t", ["elsewhere.t"]),
        ("select id from raw.t left join `My`.other o on true -- from x.y", ["my.other"]),
        ("with c as (select id from raw.t) select id from c", []),
        ("with c (id) as (select id from plain) select id from c", ["plain"]),
        ("select id from (select id from raw.t) as s, lateral explode(x)", []),
        ("select extract(year from t.day) as y, trim(both from x) as z from raw.t", []),
        ("select id from raw.t where a is distinct from b and a is not distinct from c.d", []),
        ("select id from range(3) union all select id from values (1) as v(id)", []),
        ("select ' from x.y ' as text from raw.t", []),
        ("select id from catalog.shop.t where id in (select id from other)", ["catalog.shop.t", "other"]),
    ],
)
def test_tables_that_dbt_does_not_know_are_found(sql: str, found: list[str]) -> None:
    assert MACROS.unknown_tables(sql, ["raw.t", "raw.u"]) == found


@pytest.mark.parametrize(
    ("plan", "words"),
    [
        ({"run_type": "skip", "reason": "skip: deps unchanged", "waiting": []}, "skip: deps unchanged"),
        ({"reason": "up to date", "waiting": []}, "OK up to date"),
        ({"reason": "waits", "waiting": [1]}, "OK waiting"),
    ],
)
def test_a_run_that_did_nothing_says_why(plan: dict[str, Any], words: str) -> None:
    assert MACROS.idle_status(plan) == words


# --- what a table gained


CHANGES = "select s.id from /*kinds:changes_of raw.src*/ (select * from raw.src) as s join raw.src2 as l using (id)"


@dataclass(frozen=True)
class Rendered:
    """A relation, and what dbt renders it to."""

    text: str
    schema: str = "raw"
    identifier: str = "src"

    def __str__(self) -> str:
        return self.text


RENDERED = ["raw.src", "`main`.`raw`.`src`", "(select * from raw.src where false limit 0)"]


@pytest.mark.parametrize("text", RENDERED)
def test_changes_of_renders_to_all_rows_that_every_command_can_read(text: str) -> None:
    assert MACROS.changes_of(Rendered(text)) == f"/*kinds:changes_of raw.src*/ (select * from {text})"
    assert MACROS.captured_tables(f"select * from {MACROS.changes_of(Rendered(text))} as s") == ["raw.src"]


def test_captured_tables_are_named_once() -> None:
    assert MACROS.captured_tables(CHANGES + CHANGES) == ["raw.src"]
    assert MACROS.captured_tables("select 1") == []


@pytest.mark.parametrize(
    ("bounds", "rows"),
    [
        (["1", "2"], "select * from raw.src version as of 2 except all select * from raw.src version as of 1"),
        ([None, "2"], "select * from raw.src version as of 2"),
        (["2", "2"], "select * from raw.src version as of 2 where false"),
        # nothing had been written to it
        (["None", "2"], "select * from raw.src version as of 2"),
        ([None, "None"], "select * from raw.src where false"),
        (["appended"], "select * from appended"),
        (["1", "2", "select `a\\1` from table_changes('t', 2, 2)"], "select `a\\1` from table_changes('t', 2, 2)"),
    ],
)
def test_a_run_reads_what_was_gained_or_all_that_was_there(bounds: list[str | None], rows: str) -> None:
    written = MACROS.with_change_sets({"raw.src": bounds}, CHANGES)
    assert written == f"select s.id from ({rows}) as s join raw.src2 as l using (id)"
    assert MACROS.with_change_sets(None, CHANGES) == CHANGES
    assert MACROS.with_change_sets({"raw_src": bounds, "raw.sr": bounds}, CHANGES) == CHANGES


def first_plan(macros: Macros, model: dict[str, Any], sql: str) -> dict[str, Any]:
    """The plan of a model of which nothing is recorded."""
    options = macros.options(model)
    run = {"is_there": True, "sql": sql, "loads": [], "settings": macros.run_settings("orders"), "model_hash": "h"}
    plan: dict[str, Any] = getattr(macros, options["traits"]["plan"])(model, options, run)
    return plan


@pytest.mark.parametrize(("adapter", "text"), [("spark", "raw.src"), ("databricks", "`main`.`raw`.`src`")])
@pytest.mark.parametrize("kind", ["append", "incremental_by_unique_key"])
def test_a_source_is_found_by_its_name_on_every_adapter(adapter: str, text: str, kind: str) -> None:
    source = {"resource_type": "source", "database": "main", "schema": "raw", "identifier": "src"}
    model = node(kind=kind, capture="snapshot", **({} if kind == "append" else {"unique_key": "id"}))
    model |= {"depends_on": {"nodes": ["source.raw.src"]}}
    relation = SimpleNamespace(create=lambda **given: Rendered(text, given["schema"], given["identifier"]))
    graph = {"nodes": {}, "sources": {"source.raw.src": source}}
    macros = Macros(adapter_type=adapter, node=model, graph=graph, api=SimpleNamespace(Relation=relation))
    macros._functions["table_version"] = lambda node: "delta 3"
    sql = f"select * from {macros.changes_of(macros.relation_of_node(source))} as s"
    plan = first_plan(macros, model, sql)
    assert plan["versions"] == {"raw.src": "delta 3"}
    assert (
        macros.with_change_sets(plan["change_sets"], sql)
        == f"select * from (select * from {text} version as of 3) as s"
    )


@pytest.mark.parametrize("arguments", [{"empty": True}, {"sample": "1 day"}])
@pytest.mark.parametrize("kind", ["append", "incremental_by_unique_key"])
def test_a_run_that_reads_a_part_plans_no_changes(arguments: dict[str, Any], kind: str) -> None:
    """dbt renders a relation as a subquery then, of which no version can be read."""
    model = node(kind=kind, capture="snapshot", **({} if kind == "append" else {"unique_key": "id"}))
    macros = Macros(arguments=arguments, node=model)
    sql = f"select * from {macros.changes_of(Rendered('(select * from raw.src where false limit 0)'))} as s"
    plan = first_plan(macros, model, sql)
    assert (plan["reason"], plan.get("versions"), plan.get("change_sets")) == ("backfill: first run", None, None)
    assert macros.with_change_sets(None, sql) == sql


def test_a_change_set_is_part_of_the_query_that_is_compared() -> None:
    assert model_hash(CHANGES) != model_hash(CHANGES.replace("/*kinds:changes_of raw.src*/ ", ""))


@pytest.mark.parametrize(
    ("kind", "given", "told"),
    [
        ("full", {}, (False, False)),
        ("full", {"skip_unchanged": True}, (True, False)),
        ("tracked", {"group_key": "id"}, (True, True)),
        ("incremental_by_unique_key", {"unique_key": "id"}, (False, False)),
        ("incremental_by_unique_key", {"unique_key": "id", "capture": "snapshot"}, (True, True)),
        ("append", {}, (False, False)),
        ("append", {"capture": "snapshot"}, (True, True)),
        ("append", {"capture": "cursor", "cursor": "id"}, (True, True)),
    ],
)
def test_which_kinds_go_by_changes_and_which_compare(kind: str, given: dict[str, Any], told: tuple[bool, bool]) -> None:
    traits = MACROS.options(node(kind=kind, **given))["traits"]
    assert (traits["is_change_driven"], traits["diffs_against_target"]) == told


def test_a_beginning_without_a_cursor_is_refused() -> None:
    with pytest.raises(CompilerError, match="cursor_initial is where a cursor begins"):
        MACROS.options(node(kind="full", cursor_initial="x"))


# --- the kind append


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"capture": "cursor"}, "capture: cursor needs a cursor"),
        ({"capture": "snapshot", "cursor": "id"}, "cursor belongs to capture: cursor"),
        ({"cursor_initial": "0"}, "cursor_initial belongs to capture: cursor"),
        ({"capture": "cursor", "cursor": "id", "on_source_change": "error"}, "on_source_change belongs to capture: snapshot"),
        ({"on_lost_history": "reload"}, "on_lost_history belongs to"),
        ({"capture": "stream"}, "capture 'stream'"),
    ],
)  # fmt: skip
def test_options_of_another_capture_are_errors(given: dict[str, Any], words: str) -> None:
    with pytest.raises(CompilerError, match=words):
        MACROS.options(node(kind="append", **given))


def test_what_stands_for_the_run_is_exchanged_wherever_it_stands() -> None:
    sql = f"select {MACROS.is_backfill()} as b where c > {MACROS.last_value()} and d > {MACROS.last_run()}"
    values = {"last_value": "cast('a\\\\b' as string)", "last_run": "timestamp '2024-01-01'", "is_backfill": "true"}
    written = MACROS.with_run_values(values, sql)
    assert written == "select (true) as b where c > (cast('a\\\\b' as string)) and d > (timestamp '2024-01-01')"
    assert MACROS.with_run_values({"last_value": None, "last_run": None}, sql) == sql
    assert sql.endswith(
        "c > /*kinds:last_value*/('1970-01-01T00:00:00Z') and d > /*kinds:last_run*/(timestamp '1970-01-01 00:00:00+00:00')"
    )


def test_columns_are_those_of_the_snapshot_that_a_run_reads() -> None:
    """A column that the source gained since is in the table only."""
    warehouse = Warehouse()
    warehouse.ask("create table shop.src__snapshot_1 as select 1 as id")
    warehouse.ask("create table shop.src as select 1 as id, 2 as more")
    sql = "select * from /*kinds:changes_of shop.src*/ (select * from shop.src) as s"
    given = {"file_format": "iceberg", "capture": "snapshot"}
    macros = warehouse.macros("t", "append", given, sql, {}, "invocation", full_refresh=False)
    macros._functions["plan_gained_rows"] = lambda *run: (
        macros.plan_comparison(*run) | {"change_sets": {"shop.src": [None, "1"]}}
    )
    options = macros.options(node("t", "append", **given) | {"schema": "shop"})
    run_context = macros.planned_run(options, macros.run_settings("t", False), refresh=True)
    assert [column["name"] for column in run_context["write_spec"]["schema"]] == ["id"]

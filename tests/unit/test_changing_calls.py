"""Queries that read the clock or chance: what calls count, and that they run though nothing that they read has changed."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from dbt_kinds.analysis.determinism import NAMES
from tests.unit.changing_runs import GAINED, Changing
from tests.unit.macros import Macros, node

MACROS = Macros()


def test_the_functions_are_those_that_the_classifier_knows() -> None:
    assert set(MACROS.changing_functions()) == NAMES | {"tablesample"}


@pytest.mark.parametrize(
    ("sql", "call"),
    [
        *((f"select {name.upper()} ( ) as x from t", f"{name}()") for name in sorted(NAMES)),
        ("select unix_timestamp ( )", "unix_timestamp()"),
        ("select rand(5) from t", "rand()"),
        ("select * from t tablesample (10 percent)", "tablesample()"),
        ("select id from t where day < current_date", "current_date"),
        ("select current_timestamp as loaded_at", "current_timestamp"),
        ("select unix_timestamp(ts), now, t.current_date from t", None),
        ("select day as current_date, 'now()', \"rand()\", `uuid`, r'now()' from t -- now()", None),
        ("/* now() /* rand() */ uuid() */ select shop.now() from t", None),
        ("select unix_timestamp(", None),
        ("unix_timestamp", None),
    ],
)
def test_a_call_is_code_and_no_column_string_or_comment(sql: str, call: str | None) -> None:
    assert MACROS.changing_call(sql) == call


def view(name: str, raw_code: str | None, kind: str = "view", reads: str | None = None) -> dict[str, Any]:
    return node(name, kind=kind) | {
        "resource_type": "model", "raw_code": raw_code, "schema": "shop", "depends_on": {"nodes": [reads] if reads else []},
    }  # fmt: skip


CONFIG = "{{ config(materialized='view', meta={'a': 1}) }} "
REF = "select id from {{ ref('a') }} as a join {{- source('b', 'c') -}} using (id)"


@pytest.mark.parametrize(
    ("read", "asked", "reason"),
    [
        (view("v", CONFIG.replace(", meta={'a': 1}", "") + REF), None, None),
        (view("v", REF + " where day < now() {# rand() #}"), None, "now() in shop.v differs in every run"),
        (view("v", "select {{ dbt.current_timestamp() }}"), "select current_timestamp()", "current_timestamp() in shop.v differs in every run"),
        (view("v", "select {{ one_of_ours() }} as at"), "select 1 as at", None),
        (view("v", "select id from {{ ref('e') }}", reads="e"), "select uuid()", "uuid() in shop.v differs in every run"),
        (view("v", None), "select rand()", "rand() in shop.v differs in every run"),
        (view("v", "select uuid() as id", kind="ephemeral"), None, "uuid() in shop.v differs in every run"),
        (view("v", "select uuid() as id", kind="table"), None, None),
    ],
)  # fmt: skip
def test_views_and_ephemeral_models_are_looked_into(
    read: dict[str, Any], asked: str | None, reason: str | None
) -> None:
    statements: list[str] = []

    def run_query(sql: str) -> Any:
        statements.append(sql)
        return SimpleNamespace(rows=[("id", "int"), ("View Text", asked)])

    nodes = {"e": view("e", "select 1", kind="ephemeral")}
    macros = Macros(run_query=run_query, graph={"nodes": nodes}, invocation_id="run")
    macros._functions |= {"relation_of_node": lambda node: "shop.v", "relation_type": lambda relation: "view"}
    for _ in range(2):
        assert macros.varying_call({"shop.v": read}, "select 'now()' from v") == reason
    assert statements == ([] if asked is None else ["describe table extended shop.v"])


TIMES = "select id, v, /*kinds:{}*/ '2024-01-01' as at from shop.src"


@pytest.mark.parametrize(
    ("query", "said", "on_the_next_day"),
    [
        ("select id, v, now() as at from shop.src", "full: now() differs in every run", True),
        (TIMES.format("execution_ds"), "full: execution_ds() is another one than at the last load", True),
        (TIMES.format("end_ds"), "skip: deps unchanged", False),
        (TIMES.format("end_ds"), "full: end_ds() is another one than at the last load", True),
        (TIMES.format("start_ds"), "skip: deps unchanged", True),
        ("select id, v, 'now()' as at from shop.src -- rand()", "skip: deps unchanged", True),
    ],
)
def test_a_full_table_is_loaded_again_when_its_query_reads_the_clock(
    query: str, said: str, on_the_next_day: bool
) -> None:
    warehouse = Steady(of="full", given={"skip_unchanged": True}, query=query)
    warehouse.gain_and_build(2)
    warehouse.build(3 if on_the_next_day else 2)
    assert f"dbt_kinds: t: {said}" in warehouse.said


class Steady(Changing):
    """A warehouse whose source has the same version until it gains a row."""

    def version(self, node: dict[str, Any]) -> str:
        if self.days not in self.seen:
            self.seen[self.days] = super().version(node)
        return self.seen[self.days]

    def __post_init__(self) -> None:
        super().__post_init__()
        self.seen: dict[int, str] = {}


BEAT = " union all select 0 as id, cast(year(now()) * 0 as int) as v"


@pytest.mark.parametrize("file_format", ["iceberg", "parquet"])
@pytest.mark.parametrize(
    ("of", "query", "held"),
    [
        ("gained", GAINED, [(1, 10)]),
        ("gained", GAINED.replace("v from", "v + cast(year(now()) * 0 as int) as v from"), [(1, 10)]),
        ("gained", GAINED + BEAT, [(0, 0), (0, 0), (1, 10)]),
        ("keys", GAINED + BEAT, [(0, 0), (1, 10)]),
        ("keys", "select id, v + cast(year(now()) * 0 as int) as v from shop.src", [(1, 10)]),
    ],
)
def test_a_query_over_changes_runs_when_the_clock_alone_gives_it_rows(
    of: str, query: str, held: list[tuple[int, int]], file_format: str
) -> None:
    warehouse = Steady(of=of, file_format=file_format, query=query)
    warehouse.gain_and_build(2)
    warehouse.build(3)
    assert warehouse.held() == held
    runs = query.endswith(BEAT) or "changes_of" not in query
    note = "dbt_kinds: t: nothing changed, but now() differs in every run, so the query runs"
    assert (note in warehouse.said) == runs
    assert ("append_events" in warehouse.statements) == runs

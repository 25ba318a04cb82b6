"""How many statements a run of one model sends, counted in dbt's own events, and which macros it compiles. A statement costs a round trip, on a Thrift server up to
`poll_interval`; a macro some milliseconds.

A change that adds a statement has to change the table. The model is not the first of its run: what is found out once a run is not counted.
"""

from __future__ import annotations

import re
import threading
from collections import Counter
from collections.abc import Mapping
from typing import Any

import dbt_common.clients.jinja as dbt_jinja
import pytest
import yaml

from tests.functional.project import PACKAGE, Project, events_table

QUERY = """-- depends_on: {{ ref('first') }}
select id, ts, n from {{ target.schema }}.events where ts between {{ dbt_kinds.start_dt() }} and {{ dbt_kinds.end_dt() }}"""
LATEST = "-- depends_on: {{ ref('first') }}\nselect * from {{ target.schema }}.latest"
TOTALS = """-- depends_on: {{ ref('first') }}
select id % 2 as id, sum(n) as total from {{ dbt_kinds.window_of(target.schema ~ '.events', 'ts') }} as e group by id % 2"""
AUDITS: list[Any] = [
    {"not_null": {"column_name": "id"}},
    {"unique": {"column_name": "id"}},
    {"dbt_kinds.number_of_rows": {"threshold": 0}},
]
GAINED = "select id, ts, n from {{ dbt_kinds.changes_of(source('src', 'events')) }} as e"
GROUPS = "-- depends_on: {{ ref('first') }}\nselect id, n from {{ source('src', 'events') }} as e"
HISTORY: dict[str, Any] = {"unique_key": "id", "columns": "*", "start": None}

# model: its kind, query, options and config; statements of the next day's run on Iceberg and on Parquet (before: what it was once)
MODELS: dict[str, tuple[str, str, dict[str, Any], str, Mapping[str, int]]] = {
    "time_range": ("incremental_by_time_range", QUERY, {}, "", {"iceberg": 4, "parquet": 6}),  # before: 11, 14
    "ten_batches": ("incremental_by_time_range", QUERY, {"batch_size": 1}, "", {"iceberg": 24, "parquet": 35}),  # 38, -; a first load asks whether the table has rows
    "unique_key": ("incremental_by_unique_key", LATEST, {"unique_key": "id"}, "", {"iceberg": 9, "parquet": 13}),  # 24, 28
    # a stage of its own, made and dropped, and the question; where rows are staged anyway the question alone
    "audited": ("incremental_by_time_range", QUERY, {"audits": AUDITS}, "", {"iceberg": 8, "parquet": 10}),
    "audited_key": ("incremental_by_unique_key", LATEST, {"unique_key": "id", "audits": AUDITS}, "", {"iceberg": 10, "parquet": 14}),
    "history": ("scd_type_2_by_column", LATEST, HISTORY, "", {"iceberg": 10, "parquet": 15}),  # 29, 35
    "partition": ("incremental_by_partition", QUERY, {}, "partition_by=['id']", {"iceberg": 4, "parquet": 4}),  # 15, 14
    "unmanaged": ("incremental_unmanaged", QUERY, {}, "", {"iceberg": 6, "parquet": 6}),  # 14, 13
    "full": ("full", LATEST, {"start": None}, "", {"iceberg": 5, "parquet": 8}),  # 12, 23
    "cumulative": ("cumulative_aggregate", TOTALS, {"unique_key": "id", "combine": {"total": "add"}}, "", {"iceberg": 14, "parquet": 17}),  # 28, 31
    "gained": ("append", "-- depends_on: {{ ref('first') }}\n" + GAINED, {"capture": "snapshot", "start": None}, "", {"iceberg": 18, "parquet": 18}),
    "gained_of_model": ("append", GAINED.replace("source('src', 'events')", "ref('followed')"), {"capture": "snapshot", "start": None}, "", {"iceberg": 15, "parquet": 15}),
    "captured_key": ("incremental_by_unique_key", "-- depends_on: {{ ref('first') }}\n" + GAINED, {"unique_key": "id", "capture": "snapshot", "start": None}, "", {"iceberg": 15, "parquet": 19}),
    "tracked": ("tracked", GROUPS, {"group_key": "id", "start": None}, "", {"iceberg": 12, "parquet": 16}),
    "by_run": ("scd_type_2_by_column", LATEST, HISTORY | {"validity": "run_sequence"}, "", {"iceberg": 11, "parquet": 16}),  # 14, 18
}  # fmt: skip


class Statements:
    """The statements of a run, by the model that sent them."""

    def __init__(self, project: Project) -> None:
        self.of: dict[str, list[str]] = {}
        project.listeners.append(self.listen)

    def listen(self, event: Any) -> None:
        if event.info.name == "SQLQuery":
            sql = event.data.sql.split("*/", 1)[-1].strip()
            self.of.setdefault(event.data.node_info.node_name, []).append(sql)


class CompiledMacros:
    """The macros of the package that dbt compiles, in the thread of its caller, which runs hooks, and in those of models."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        compile_template, caller = dbt_jinja.get_template, threading.current_thread()
        self.by_hooks, self.by_models = Counter[str](), Counter[str]()

        def listen(string: str, ctx: Any, node: Any = None, **options: Any) -> Any:
            if getattr(node, "package_name", "") == "dbt_kinds" and hasattr(node, "macro_sql"):
                is_hook = threading.current_thread() is caller
                (self.by_hooks if is_hook else self.by_models)[node.name] += 1
            return compile_template(string, ctx, node, **options)

        monkeypatch.setattr(dbt_jinja, "get_template", listen)

    def forget(self) -> None:
        """As in a new process."""
        dbt_jinja.template_cache.clear()
        self.by_hooks.clear()
        self.by_models.clear()


def compiled_ahead() -> set[str]:
    """The macros that the hook compiles for the models."""
    text = (PACKAGE / "macros" / "store" / "compile_ahead.sql").read_text()
    return set(re.findall(r"'(\w+)'", text.split("names = [")[1].split("]")[0]))


def latest(project: Project, *rows: tuple[int, int]) -> None:
    """What the source holds now."""
    project.sql(
        "create or replace view {schema}.latest as select * from values " + ", ".join(map(str, rows)) + " as (id, n)"
    )


@pytest.fixture(params=["iceberg", "parquet"])
def counted(request: pytest.FixtureRequest, new_project: Any) -> tuple[str, Project]:
    project = new_project("statements")
    events_table(project)
    source = {"name": "src", "schema": project.schema, "tables": [{"name": "events"}]}
    (project.folder / "models" / "sources.yml").write_text(yaml.safe_dump({"sources": [source]}))
    latest(project, (1, 10), (2, 20), (3, 30))
    project.kind("first", QUERY.split("\n", 1)[1])
    project.kind("followed", QUERY, config="file_format='iceberg'")
    for name, (kind, query, options, config, _) in MODELS.items():
        project.kind(
            name,
            query,
            kind=kind,
            config=", ".join(filter(None, [f"file_format='{request.param}'", config])),
            **options,
        )
    return request.param, project


def test_the_statements_of_a_run(counted: tuple[str, Project]) -> None:
    file_format, project = counted
    # one after the other: a record that waits goes with the claim of whichever model begins next, and each claims for itself
    project.target["threads"] = 1
    project.run("--exclude", "ten_batches", now="2024-01-02T06:00:00")
    project.run("--select", "first", "ten_batches", now="2024-01-01T06:00:00")
    latest(project, (1, 11), (2, 20), (4, 40))
    project.sql("insert into {schema}.events values (40, timestamp '2024-01-21 00:00:00+00:00', 400)")
    statements = Statements(project)
    project.run("--exclude", "ten_batches", now="2024-01-03T06:00:00", claim_ahead=0)
    project.run("--select", "first", "ten_batches", now="2024-01-11T06:00:00", claim_ahead=0)
    found = {name: len(statements.of[name]) for name in MODELS}
    assert found == {name: numbers[file_format] for name, (*_, numbers) in MODELS.items()}, "\n\n".join(
        f"== {name}: {len(sent)}\n" + "\n".join(" ".join(sql.split())[:400] for sql in sent)
        for name, sent in statements.of.items()
    )


@pytest.mark.sweep
def test_what_most_kinds_call_is_compiled_ahead(counted: tuple[str, Project], monkeypatch: pytest.MonkeyPatch) -> None:
    file_format, project = counted
    project.run("--exclude", "ten_batches", now="2024-01-02T06:00:00")
    latest(project, (1, 11), (2, 20), (4, 40))
    compiled = CompiledMacros(monkeypatch)
    kinds = Counter[str]()
    for name in MODELS.keys() - {"ten_batches"}:
        compiled.forget()
        # of one model, so that the hook does nothing
        project.run("--select", name, now="2024-01-03T06:00:00")
        kinds.update(set(compiled.by_models))
    compiled.forget()
    project.run("--select", "first", "time_range", now="2024-01-03T06:00:00")
    ahead = compiled_ahead()
    most = {name for name, number in kinds.items() if number > len(MODELS) * 0.6}
    print(f"{file_format}: add", sorted(most - ahead - set(compiled.by_hooks)), "take out", sorted(ahead - set(kinds)))
    assert len(most - ahead - set(compiled.by_hooks)) <= 0.1 * len(ahead)
    assert len(ahead - set(kinds)) <= 0.1 * len(ahead)


def test_models_that_begin_together_compile_little(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    events_table(project)
    for number in range(8):
        project.kind(f"m{number}", QUERY.split("\n", 1)[1], config="file_format='iceberg'")
    compiled = CompiledMacros(monkeypatch)
    # on the second day the hook itself calls what reads the store and claims
    for day, most in ((2, 180), (3, 60)):
        compiled.forget()
        project.run(now=f"2024-01-0{day}T06:00:00")
        assert compiled_ahead() <= set(compiled.by_hooks)
        assert compiled_ahead().isdisjoint(compiled.by_models)
        assert len(compiled.by_models) <= most, sorted(compiled.by_models)
    # models that have nothing to do
    compiled.forget()
    project.run(now="2024-01-03T06:00:00")
    assert not compiled_ahead() <= set(compiled.by_hooks)


def test_a_night_of_twenty_models(project: Project) -> None:
    events_table(project)
    for number in range(20):
        by_key = number % 5 > 2
        kind, options = (
            ("incremental_by_unique_key", {"unique_key": "id"}) if by_key else ("incremental_by_time_range", {})
        )
        project.kind(f"m{number}", QUERY.split("\n", 1)[1], kind=kind, config="file_format='iceberg'", **options)
    project.target["threads"] = 1
    numbers = {}
    for day, ahead in ((2, 16), (3, 16), (4, 4), (5, 0)):
        night = project.run(now=f"2024-01-0{day}T06:00:00", claim_ahead=ahead)
        numbers[day] = len(night.statements)
    print(numbers)
    # before: 167. A record that waits for 30 seconds is sent
    assert numbers[3] <= 100 and numbers[4] <= 110 and numbers[5] <= 127


@pytest.mark.core
def test_idle_models_send_none(project: Project) -> None:
    events_table(project)
    for number in range(8):
        project.kind(f"m{number}", QUERY.split("\n", 1)[1], config="file_format='iceberg'")
    project.run(now="2024-01-03")
    statements = Statements(project)
    run = project.run(now="2024-01-03")
    assert set(run.messages.values()) == {"OK up to date"}
    # what a run asks once is asked before its models begin
    assert [statements.of.get(f"m{number}", []) for number in range(8)] == [[]] * 8
    asked = statements.of["dbt_kinds-on-run-start-0"]
    assert len(asked) == 4, asked

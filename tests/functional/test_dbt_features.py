"""What dbt users expect of a materialization holds for a kind."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from dbt.cli.main import dbtRunner

from tests.functional.governed import check_governed_models, governed_models
from tests.functional.project import DAILY_EVENTS, PACKAGE, Project, events_table
from tests.sweep import rest

NOW = "2024-01-05 08:00:00"
ICEBERG = "file_format='iceberg'"
LOADED = "select id, ts, n from {schema}.daily"


def test_an_ephemeral_parent_follows_the_window_of_its_reader(project: Project) -> None:
    events_table(project)
    project.model("recent", "{{ config(materialized='ephemeral') }}\n" + DAILY_EVENTS)
    project.model("latest", "{{ config(materialized='view') }}\nselect * from {{ ref('recent') }}")
    project.kind(
        "daily", "with mine as (select * from {{ ref('recent') }}) select * from mine", config=ICEBERG, batch_size=2
    )
    project.run(now=NOW)
    assert project.sql("select count(*), min(id), max(id) from {schema}.daily") == [(16, 0, 15)]
    assert project.sql("select min(id), max(id) from {schema}.latest") == [(12, 15)]


def test_compile_and_show_run_the_last_whole_interval_or_the_window(project: Project) -> None:
    events_table(project)
    project.kind("daily", DAILY_EVENTS, config=ICEBERG)
    assert project.dbt("compile", now=NOW).success
    compiled = (project.folder / "target/compiled/shop/models/daily.sql").read_text()
    assert "/*kinds:start_dt*/ timestamp '2024-01-04 00:00:00+00:00'" in compiled
    assert "/*kinds:end_dt*/ timestamp '2024-01-04 23:59:59.999999+00:00'" in compiled
    assert project.sql(compiled.replace("{", "{{")) and len(project.sql(compiled)) == 4
    project.dbt("compile", now=NOW, start="2024-01-01", end="2024-01-03")
    assert len(project.sql((project.folder / "target/compiled/shop/models/daily.sql").read_text())) == 8
    assert project.dbt("show", "--select", "daily", now=NOW).success
    assert not project.table_exists("daily")


def test_hooks_run_once_and_see_the_window_of_the_whole_run(project: Project) -> None:
    events_table(project)
    project.sql("create table {schema}.hooked (moment string, low string, high string) using parquet")
    hook = "insert into {{ target.schema }}.hooked values ('%s', {{ dbt_kinds.start_ds() }}, {{ dbt_kinds.end_ts() }})"
    before, after = hook % "before", hook % "after"
    hooks = f'pre_hook="{before}", post_hook="{after}"'
    project.kind("daily", DAILY_EVENTS, config=f"{ICEBERG}, {hooks}", batch_size=1)
    project.run(now=NOW)
    window = ("2024-01-01", "2024-01-04 23:59:59.999999")
    assert project.rows("select * from {schema}.hooked") == [("after", *window), ("before", *window)]
    project.run(now=NOW)
    assert len(project.rows("select * from {schema}.hooked")) == 2


def test_a_view_becomes_a_table_and_a_view_holds_no_interval(project: Project) -> None:
    events_table(project)
    project.kind("daily", DAILY_EVENTS, config=ICEBERG)
    project.run(now=NOW)
    project.sql("drop table {schema}.daily purge")
    project.model("daily", "{{ config(materialized='view') }}\nselect 1 as id")
    project.run(now=NOW)
    project.kind("daily", DAILY_EVENTS, config=ICEBERG)
    project.run(now=NOW)
    assert project.sql("select count(*) from {schema}.daily") == [(16,)]


def daily_from_a_source(project: Project, file_format: str) -> None:
    """The daily model over a source() instead of a bare name, so that --empty and --sample reach what it reads."""
    events_table(project)
    query = DAILY_EVENTS.replace("{{ target.schema }}.events", "{{ source('shop', 'events') }}")
    project.kind("daily", query, config=f"file_format='{file_format}'")
    (project.folder / "models" / "sources.yml").write_text(
        "sources: [{name: shop, schema: '{{ target.schema }}', tables: [{name: events, config: {event_time: ts}}]}]"
    )


@pytest.mark.core
def test_an_empty_run_makes_the_table_and_claims_nothing(project: Project, file_format: str) -> None:
    daily_from_a_source(project, file_format)
    project.run("--empty", now=NOW)
    assert project.rows(LOADED) == []
    assert project.recorded("daily") == []
    project.run(now=NOW)
    project.run("--empty", now="2024-01-06 08:00:00", start="2024-01-01", end="2024-01-03")
    assert project.sql("select count(*) from {schema}.daily") == [(16,)]
    assert project.recorded("daily") == [["2024-01-01", "2024-01-05"]]


def test_a_sample_claims_nothing(project: Project, file_format: str) -> None:
    daily_from_a_source(project, file_format)
    sample = "{'start': '2024-01-02', 'end': '2024-01-03'}"
    project.run("--sample", sample, now=NOW)
    assert [row[0] for row in project.rows(LOADED)] == [4, 5, 6, 7]
    assert project.recorded("daily") == []
    project.run(now=NOW)
    assert project.sql("select count(*) from {schema}.daily") == [(16,)]


@pytest.mark.core
def test_a_contract_is_enforced_before_anything_is_written(project: Project) -> None:
    events_table(project)
    project.kind("daily", DAILY_EVENTS, config=ICEBERG)
    contract = (
        "models: [{name: daily, config: {contract: {enforced: true}}, columns: [{name: id, data_type: int}, %s]}]"
    )
    properties = project.folder / "models" / "models.yml"
    properties.write_text(contract % "{name: ts, data_type: timestamp}")
    failed = project.dbt("run", now=NOW)
    assert "This model has an enforced contract that failed" in failed.errors
    assert not project.table_exists("daily")
    properties.write_text(contract % "{name: ts, data_type: timestamp}, {name: n, data_type: int}")
    project.run(now=NOW)


@pytest.mark.parametrize("file_format", rest(["iceberg", "parquet", "orc"], "iceberg", "parquet"))
def test_descriptions_and_table_properties_reach_the_table(project: Project, file_format: str) -> None:
    events_table(project)
    config = f"file_format='{file_format}', persist_docs={{'relation': true, 'columns': true}}, tblproperties={{'write.format.default': 'orc'}}"
    project.kind("daily", DAILY_EVENTS, config=config)
    project.kind("of_all", DAILY_EVENTS, kind="full", config=config)
    ten_times, four_a_day = 'Ten times id in C:\\new, isn\'t it: "${x}" \\', "Four a day in C:\\temp, \\'quoted\\'"

    def describe(n: str) -> None:
        columns = [
            {"name": "N", "description": n},
            {"name": "ts", "description": "x" * 300 if file_format != "iceberg" else ""},
            {"name": "gone"},
        ]
        models = [{"name": name, "description": four_a_day, "columns": columns} for name in ("daily", "of_all")]
        (project.folder / "models" / "models.yml").write_text(json.dumps({"models": models}))

    for day, n in enumerate((ten_times, "", "ten")):
        describe(n)
        project.run(now=f"2024-01-0{5 + day} 08:00:00")
        for table in ("daily", "of_all"):
            columns = {
                name: comment for name, _, comment in project.sql(f"describe query select * from {{schema}}.{table}")
            }
            assert (columns["n"] or "", columns["id"]) == (n, None)
            assert columns["ts"] == ("x" * 256 if file_format != "iceberg" else None)
            assert ("Comment", four_a_day, "") in project.sql(f"describe table extended {{schema}}.{table}")
            assert ("write.format.default", "orc") in project.sql(f"show tblproperties {{schema}}.{table}")
    run = project.run("--select", "daily", now="2024-01-09 08:00:00")
    assert not [statement for statement in run.statements if "alter column" in statement]


def test_other_peoples_meta_is_left_alone_and_project_defaults_apply(project: Project) -> None:
    events_table(project)
    project.settings["models"] = {"shop": {"+meta": {"owner": "sales", "batch_size": 3, "week_start": "sunday"}}}
    project.model("plain", "select 1 as id")
    project.kind("daily", DAILY_EVENTS, config=ICEBERG)
    assert len(project.run(now=NOW).batches("daily")) == 2


def test_dbts_own_names_at_the_top_level_are_understood(project: Project) -> None:
    events_table(project)
    project.model(
        "daily",
        "{{ config(materialized='incremental_by_time_range', file_format='iceberg', event_time='ts', begin='2024-01-03', "
        f"lookback=1, batch_size=1) }}}}\n{DAILY_EVENTS}",
    )
    assert len(project.run(now=NOW).batches("daily")) == 2
    assert len(project.run(now="2024-01-06").batches("daily")) == 2


def test_retry_goes_on_where_a_run_failed(project: Project) -> None:
    project.flags.clear()
    events_table(project)
    query = f"select id, ts, if(id = 9 and not exists(select 1 from {{{{ target.schema }}}}.mended), raise_error('no'), n) as n from ({DAILY_EVENTS})"
    project.sql("create table {schema}.mended (id int) using iceberg")
    project.kind("daily", query, config=ICEBERG, batch_size=1)
    assert not project.dbt("run", now=NOW).success
    project.sql("insert into {schema}.mended values (1)")
    retried = project.dbt("retry", now=NOW)
    assert retried.success, retried.errors
    assert len(retried.batches("daily")) == 2


def test_full_refresh_false_protects_a_model(project: Project) -> None:
    events_table(project)
    project.kind("daily", DAILY_EVENTS, config=f"{ICEBERG}, full_refresh=false")
    project.kind("other", DAILY_EVENTS, config=ICEBERG)
    project.run(now=NOW)
    run = project.run("--full-refresh", now=NOW)
    assert run.messages == {"daily": "OK up to date", "other": "OK 1 batch, 16 rows"}


UNIT_TESTS = """
unit_tests:
  - name: %(name)s
    model: doubled
    given:
      - input: ref('daily')
        rows:
          - {id: 1, ts: 2024-01-02 12:00:00, n: 10}
          - {id: 2, ts: 2024-01-04 12:00:00, n: 20}
    expect: {rows: [{id: %(id)s, n: %(n)s}]}
    %(overrides)s
"""
OVERRIDES = """overrides:
      macros:
        dbt_kinds.start_dt: "timestamp '2024-01-02 00:00:00+00:00'"
        dbt_kinds.end_dt: "timestamp '2024-01-02 23:59:59.999999+00:00'"
"""


def test_unit_tests_see_the_last_whole_interval_or_what_they_set(project: Project) -> None:
    events_table(project)
    project.kind("daily", DAILY_EVENTS, config=ICEBERG)
    doubled = DAILY_EVENTS.replace("{{ target.schema }}.events", "{{ ref('daily') }}").replace(
        "ts, n", "ts, n * 2 as n"
    )
    project.kind("doubled", doubled, config=ICEBERG)
    project.run("--select", "daily", now=NOW)
    tests = {
        "as_it_is": {"id": 2, "n": 40, "overrides": ""},
        "as_told": {"id": 1, "n": 20, "overrides": OVERRIDES},
        "as_of_a_day": {"id": 1, "n": 20, "overrides": "overrides: {vars: {kinds_execution_time: '2024-01-03'}}"},
        "wrong": {"id": 1, "n": 20, "overrides": ""},
    }
    for name, expected in tests.items():
        (project.folder / "models" / f"{name}.yml").write_text(UNIT_TESTS % (expected | {"name": name}))
    tested = project.dbt("test", now=NOW)
    assert tested.statuses == {
        "as_it_is": "pass",
        "as_told": "pass",
        "as_of_a_day": "pass",
        "wrong": "fail",
    }, tested.errors


def test_another_state_can_be_compared_and_deferred_to_and_dbt_spark_clones_delta_only(project: Project) -> None:
    """The artifacts of a production run, and a developer who has a schema of their own."""
    events_table(project)
    project.kind("daily", DAILY_EVENTS.replace("{{ target.schema }}", project.schema), config=ICEBERG)
    project.kind("later", DAILY_EVENTS.replace("{{ target.schema }}.events", "{{ ref('daily') }}"), config=ICEBERG)
    project.run(now=NOW)
    package = project.folder / "dbt_packages" / "dbt_kinds"
    package.unlink()
    package.symlink_to(PACKAGE)
    assert project.dbt("docs", "generate", now=NOW).success
    catalog = json.loads((project.folder / "target" / "catalog.json").read_text())
    assert list(catalog["nodes"]["model.shop.daily"]["columns"]) == ["id", "ts", "n"]
    state = project.folder / "state"
    shutil.copytree(project.folder / "target", state)
    project.use_schema(f"{project.schema}_dev")

    assert listed(project, state) == []
    project.kind(
        "later", DAILY_EVENTS.replace("{{ target.schema }}.events", "{{ ref('daily') }}"), config=ICEBERG, lookback=1
    )
    assert listed(project, state) == ["shop.later"]

    # the production table is read, nothing of it is written, and what is recorded is the developer's own
    project.run("--select", "later", "--defer", "--state", str(state), now=NOW)
    assert project.sql("select count(*) from {schema}.later") == [(16,)]
    assert not project.table_exists("daily")
    assert project.recorded("later") == [["2024-01-01", "2024-01-05"]]

    cloned = project.dbt("clone", "--state", str(state), "--select", "daily")
    assert not cloned.success and "delta" in cloned.errors.lower()


def test_a_deferred_table_is_captured_and_compared_where_it_is_read(project: Project) -> None:
    """A developer, or a job of dbt Cloud, builds only what follows the tables of production."""
    production = project.schema
    events_table(project)
    project.kind("daily", DAILY_EVENTS.replace("{{ target.schema }}", production), config=ICEBERG)
    project.model("inlined", "{{ config(materialized='ephemeral') }}\nselect * from {{ ref('daily') }}")
    project.model("seen", "{{ config(materialized='view') }}\nselect * from {{ ref('inlined') }}")
    project.flags.remove("--no-write-json")
    project.run(now=NOW)
    state = project.folder / "state"
    shutil.copytree(project.folder / "target", state)
    project.use_schema(f"{production}_dev")
    gained = "select id from {{ dbt_kinds.changes_of(ref('daily')) }} as d"
    project.kind("gained", gained, kind="append", config=ICEBERG, start=None, capture="snapshot")
    counted = "select count(*) as n from {{ ref('seen') }}"
    project.kind("counted", counted, kind="full", config=ICEBERG, start=None, skip_unchanged=True)
    deferring = ["--select", "gained", "counted", "--defer", "--state", str(state)]
    for rows in (16, 17):
        project.run(*deferring, now=NOW)
        assert project.sql("select count(*), count(distinct id), max(n) from {schema}.gained, {schema}.counted") == [
            (rows, rows, rows)
        ]
        unchanged = project.run(*deferring, now=NOW)
        assert unchanged.messages == {"gained": "incremental: 0 rows", "counted": "skip: deps unchanged"}
        project.sql(f"insert into {production}.daily select 99 as id, ts, n from {production}.daily where id = 1")
    assert not project.table_exists("daily")


def listed(project: Project, state: Path) -> list[str]:
    """The models that differ from those of a state."""
    project.write_settings()
    where = ["--project-dir", str(project.folder), "--profiles-dir", str(project.folder), "--state", str(state)]
    found = dbtRunner().invoke(["--quiet", "ls", "--select", "state:modified", *where])
    assert found.success, found.exception
    return list(found.result)


def test_dev_and_prod_keep_apart(project: Project) -> None:
    events_table(project)
    project.kind("daily", DAILY_EVENTS.replace("{{ target.schema }}", project.schema), config=ICEBERG)
    project.run(now=NOW)
    project.target["schema"] = f"{project.schema}_prod"
    assert project.run(now="2024-01-03").batches("daily") == [("2024-01-01T00:00:00", "2024-01-03T00:00:00")]
    assert project.sql("select count(*) from {schema}_prod.daily") == [(8,)]
    assert project.sql("select count(*) from {schema}.daily") == [(16,)]


def test_two_models_of_one_alias_in_two_schemas_keep_their_rows_apart(project: Project, file_format: str) -> None:
    events_table(project)
    project.target["threads"] = 4
    for number in range(3):
        project.kind(
            f"model_{number}",
            f"select id, ts, {number} as mine from ({DAILY_EVENTS})",
            config=f"alias='same', schema='s{number}', file_format='{file_format}'",
            batch_size=1,
        )
    project.run(now="2024-01-03")
    project.run(now="2024-01-03", start="2024-01-01", end="2024-01-03")
    for number in range(3):
        assert project.sql(f"select mine, count(*) from {{schema}}_s{number}.same group by mine") == [(number, 8)]
    assert len(project.sql("select * from {schema}.dbt_kinds_intervals where event = 'loaded'")) == 3 * 2 * 2


def test_the_statement_dbt_keeps_for_reading_is_the_last_batch(project: Project) -> None:
    events_table(project)
    project.kind("daily", DAILY_EVENTS, config=ICEBERG, batch_size=1)
    project.run(now="2024-01-03")
    written = (project.folder / "target/run/shop/models/daily.sql").read_text()
    assert "replace where `ts` >= timestamp '2024-01-02 00:00:00+00:00'" in written
    assert "kinds:" not in written


def test_a_package_installed_by_dbt_deps_runs(new_project: Callable[[str], Project]) -> None:
    project = new_project("with_deps")
    (project.folder / "dbt_packages" / "dbt_kinds").unlink()
    (project.folder / "packages.yml").write_text(f"packages: [{{local: '{PACKAGE}'}}]")
    assert project.dbt("deps").success
    events_table(project)
    project.kind("daily", DAILY_EVENTS, config=ICEBERG)
    project.run(now=NOW)
    assert project.sql("select count(*) from {schema}.daily") == [(16,)]


def test_versions_contracts_groups_exposures_and_semantic_models_stand_beside_kinds(project: Project) -> None:
    events_table(project)
    governed_models(project)
    check_governed_models(project)

"""What dbt users expect of a materialization holds for a kind."""

from __future__ import annotations

from collections.abc import Callable

from tests.functional.project import DAILY_EVENTS, Project, events_table

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


def test_descriptions_and_table_properties_reach_the_table(project: Project) -> None:
    events_table(project)
    config = f"{ICEBERG}, persist_docs={{'relation': true, 'columns': true}}, tblproperties={{'write.format.default': 'orc'}}"
    project.kind("daily", DAILY_EVENTS, config=config)
    (project.folder / "models" / "models.yml").write_text(
        "models: [{name: daily, description: Four a day, columns: [{name: n, description: Ten times id}]}]"
    )
    project.run(now=NOW)
    assert ("n", "int", "Ten times id") in project.sql("describe table {schema}.daily")
    assert ("Comment", "Four a day", "") in project.sql("describe table extended {schema}.daily")
    assert ("write.format.default", "orc") in project.sql("show tblproperties {schema}.daily")


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
    events_table(project)
    query = f"select id, ts, if(id = 9 and not exists(select 1 from {{{{ target.schema }}}}.mended), raise_error('no'), n) as n from ({DAILY_EVENTS})"
    project.sql("create table {schema}.mended (id int) using iceberg")
    project.kind("daily", query, config=ICEBERG, batch_size=1)
    assert not project.dbt("run", now=NOW).success
    project.sql("insert into {schema}.mended values (1)")
    retried = project.dbt("retry", now=NOW)
    assert retried.success, retried.errors
    assert len(retried.batches("daily")) == 2


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
    for number in range(4):
        project.kind(
            f"model_{number}",
            f"select id, ts, {number} as mine from ({DAILY_EVENTS})",
            config=f"alias='same', schema='s{number}', file_format='{file_format}'",
            batch_size=1,
        )
    project.run(now="2024-01-04")
    project.run(now="2024-01-04", start="2024-01-01", end="2024-01-04")
    for number in range(4):
        assert project.sql(f"select mine, count(*) from {{schema}}_s{number}.same group by mine") == [(number, 12)]
    assert len(project.sql("select * from {schema}.dbt_kinds_intervals where event = 'loaded'")) == 4 * 3 * 2


def test_the_statement_dbt_keeps_for_reading_is_the_last_batch(project: Project) -> None:
    events_table(project)
    project.kind("daily", DAILY_EVENTS, config=ICEBERG, batch_size=1)
    project.run(now="2024-01-03")
    written = (project.folder / "target/run/shop/models/daily.sql").read_text()
    assert "replace where `ts` >= timestamp '2024-01-02 00:00:00+00:00'" in written
    assert "kinds:" not in written


def test_a_package_installed_by_dbt_deps_runs(new_project: Callable[[str], Project]) -> None:
    project = new_project("with_deps")
    package = (project.folder / "dbt_packages" / "dbt_kinds").resolve()
    (project.folder / "dbt_packages" / "dbt_kinds").unlink()
    (project.folder / "packages.yml").write_text(f"packages: [{{local: '{package}'}}]")
    assert project.dbt("deps").success
    events_table(project)
    project.kind("daily", DAILY_EVENTS, config=ICEBERG)
    project.run(now=NOW)
    assert project.sql("select count(*) from {schema}.daily") == [(16,)]

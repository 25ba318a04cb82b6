"""What adoption records of a model's sources and parents: late rows of adopted days arrive, and a parent that was adopted has not changed."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.functional.project import Project, Run
from tests.functional.test_adopt import adopt, found

NOW = "2024-03-03 08:00:00"
RAW = "select id, day, v from {{ dbt_kinds.window_of(source('src', 'raw'), 'day') }} as e"
# named so that it comes before its parent
DAILY = "select day, sum(v) as v from {{ dbt_kinds.window_of(ref('orders'), 'day') }} as o group by day"


def years_of(project: Project, using: str) -> None:
    """Two months of a source, a table of its rows and one of their sums, filled by other means."""
    project.sql("create schema if not exists {schema}")
    project.sql(
        f"create table {{schema}}.raw using {using} partitioned by (day) as select cast(id as int) as id, cast(id * 10 as int) as v, "
        "date_add(date '2024-01-01', cast(id div 2 as int)) as day from range(124)"
    )
    project.sql(
        f"create table {{schema}}.orders using {using} partitioned by (day) as select id, v, day from {{schema}}.raw"
    )
    project.sql(
        f"create table {{schema}}.daily using {using} partitioned by (day) as select sum(v) as v, day from {{schema}}.orders group by day"
    )
    (project.folder / "models" / "sources.yml").write_text(
        f"sources: [{{name: src, schema: {project.schema}, tables: [{{name: raw}}]}}]"
    )
    config = f"file_format='{using}'"
    project.kind("orders", RAW, config=config, time_column="day", lookback="auto")
    project.kind("daily", DAILY, config=config, time_column="day", lookback="auto")


def late_row(project: Project, day: int, number: int) -> None:
    project.sql(f"insert into {{schema}}.raw values ({number}, {number}, date '2024-01-{day:02}')")


def is_whole(project: Project) -> bool:
    """Whether both tables equal a plain query."""
    until = "where day < date '2024-03-03'"
    return project.rows(f"select id, v, day from {{schema}}.orders {until}") == project.rows(
        f"select id, v, day from {{schema}}.raw {until}"
    ) and project.rows(f"select day, v from {{schema}}.daily {until}") == project.rows(
        f"select day, sum(v) from {{schema}}.raw {until} group by day"
    )


def days_loaded(run: Run, model: str) -> list[str]:
    return [start[:10] for start, _ in run.batches(model)]


@pytest.mark.core
@pytest.mark.parametrize("using", ["iceberg", "parquet"])
def test_years_that_were_adopted_see_their_late_rows_and_nothing_else(
    new_project: Callable[[str], Project], using: str
) -> None:
    project = new_project(f"adopted_{using}")
    years_of(project, using)
    assert set(found(adopt(project, "daily orders", now=NOW, execute=True))) == {"daily", "orders"}
    plans = {plan["model"].split(".")[-1]: plan for plan in project.operation("plan", now=NOW)["plans"]}
    assert {name: plan["reason"] for name, plan in plans.items()} == {"daily": "1 missing", "orders": "1 missing"}

    late_row(project, 10, 1001)
    run = project.run(now=NOW)
    assert run.errors == ""
    assert days_loaded(run, "orders") == ["2024-01-10", "2024-03-02"]
    assert days_loaded(run, "daily") == ["2024-01-10", "2024-03-02"]
    assert is_whole(project)
    late_row(project, 11, 1002)
    run = project.run(now=NOW)
    assert (run.errors, days_loaded(run, "orders"), days_loaded(run, "daily")) == ("", ["2024-01-11"], ["2024-01-11"])
    assert is_whole(project)
    run = project.run(now=NOW)
    assert (set(run.messages.values()), run.errors) == ({"OK up to date"}, "")


def test_parents_may_be_adopted_before_or_after_their_readers_and_again(new_project: Callable[[str], Project]) -> None:
    project = new_project("in_turns")
    years_of(project, "iceberg")
    # read by a macro, which the text of the model does not show
    macro = "{% macro whole() %}{{ dbt_kinds.window_of(source('src', 'raw'), 'day') }}{% endmacro %}"
    (project.folder / "macros" / "whole.sql").write_text(macro)
    project.kind(
        "orders", "select id, day, v from {{ whole() }} as e -- {{ source('src', 'raw') }}", config="file_format='iceberg'", time_column="day", lookback="auto",
    )  # fmt: skip
    adopt(project, "daily", now=NOW, execute=True)
    # stated by hand, so that nothing is known of its source
    project.operation("record", select="orders", start="2024-01-01", end="2024-02-01", now=NOW)
    adopt(project, "orders", now=NOW, again=True, execute=True)
    late_row(project, 10, 1001)
    run = project.run(now=NOW)
    assert run.errors == ""
    assert days_loaded(run, "orders") == ["2024-01-10", "2024-03-02"]
    # record counts as a load, which its readers follow
    assert run.batches("daily") == [
        ("2024-01-01T00:00:00", "2024-02-01T00:00:00"), ("2024-03-02T00:00:00", "2024-03-03T00:00:00"),
    ]  # fmt: skip
    assert is_whole(project)

    # as if the models had been taken back and taken again
    project.operation("forget", select="orders daily", now=NOW)
    project.sql("insert into {schema}.orders values (1002, 1002, date '2024-01-11')")
    late_row(project, 11, 1002)
    project.sql("update {schema}.daily set v = v + 1002 where day = date '2024-01-11'")
    assert is_whole(project)
    adopt(project, "daily orders", now=NOW, again=True, execute=True)
    late_row(project, 12, 1003)
    run = project.run(now=NOW)
    assert (run.errors, days_loaded(run, "orders")) == ("", ["2024-01-12", "2024-03-02"])
    assert (days_loaded(run, "daily"), is_whole(project)) == (["2024-01-12", "2024-03-02"], True)
    assert found(adopt(project, "daily orders", now=NOW, again=True, execute=True)) == {"daily": [], "orders": []}
    project.operation("compact_store", keep_days=0)
    late_row(project, 13, 1004)
    run = project.run(now=NOW)
    assert (run.errors, days_loaded(run, "orders"), days_loaded(run, "daily"), is_whole(project)) == (
        "", ["2024-01-13"], ["2024-01-13"], True,
    )  # fmt: skip


def test_a_reader_that_was_loaded_before_its_parent_was_adopted_keeps_what_it_read(
    new_project: Callable[[str], Project],
) -> None:
    project = new_project("read_before")
    years_of(project, "iceberg")
    project.sql("drop table {schema}.daily")
    project.run("--select", "daily", now=NOW)
    said = adopt(project, "orders", now=NOW, execute=True)
    assert (
        "dbt_kinds: daily was loaded from orders before this adoption, which is no change to it; if orders changed in between, reload it: dbt run --select daily "
        "--vars '{kinds_start: 2024-01-01T00:00:00, kinds_end: 2024-03-02T00:00:00}'" in said.log
    )
    late_row(project, 10, 1001)
    run = project.run(now=NOW)
    assert (run.errors, days_loaded(run, "orders")) == ("", ["2024-01-10", "2024-03-02"])
    # the newest day of its parent was not adopted, but loaded
    assert (days_loaded(run, "daily"), is_whole(project)) == (["2024-01-10", "2024-03-02"], True)


CHANGES = "select id, day, v from {{ dbt_kinds.changes_of(source('src', 'raw')) }} as e"
SINCE = "select id, day, v from {{ source('src', 'raw') }} where id > {{ dbt_kinds.last_value() }}"


def captured_years(project: Project) -> set[str]:
    """Models that load what their source gained, over tables with its rows and one that it has no more; returns their names."""
    project.sql("create schema if not exists {schema}")
    project.sql(
        "create table {schema}.raw using iceberg as select cast(id as int) as id, cast(id * 10 as int) as v, date '2024-01-01' as day from range(20)"
    )
    (project.folder / "models" / "sources.yml").write_text(
        f"sources: [{{name: src, schema: {project.schema}, tables: [{{name: raw}}]}}]"
    )
    for using in ("iceberg", "parquet"):
        config = f"file_format='{using}'"
        project.kind(f"appended_{using}", CHANGES, kind="append", config=config, start=None, capture="snapshot")
        project.kind(f"since_{using}", SINCE, kind="append", config=config, start=None, capture="cursor", cursor="id", cursor_initial="-1")  # fmt: skip
    project.kind("keyed", CHANGES, kind="incremental_by_unique_key", config="file_format='iceberg'", start=None, capture="snapshot", unique_key="id")  # fmt: skip
    models = {"appended_iceberg", "appended_parquet", "since_iceberg", "since_parquet", "keyed"}
    for model in models:
        using = "parquet" if model.endswith("parquet") else "iceberg"
        project.sql(f"create table {{schema}}.{model} using {using} as select id, day, v from {{schema}}.raw")
        project.sql(f"insert into {{schema}}.{model} values (-1, date '2023-12-31', 7)")
    return models


def test_what_a_source_gains_after_an_adoption_comes_once_and_what_was_there_stays(
    new_project: Callable[[str], Project],
) -> None:
    project = new_project("adopted_captures")
    models = captured_years(project)
    ids = [-1, *range(20)]

    def run_holds(*gained: int) -> dict[str, str]:
        ids.extend(gained)
        run = project.run(now=NOW)
        for model in sorted(models):
            assert [id_ for (id_,) in project.sql(f"select id from {{schema}}.{model} order by id")] == ids, (
                model,
                run.messages,
            )
        return run.messages

    said = adopt(project, " ".join(models), now=NOW, execute=True)
    assert found(said) == {key: [["2024-03-02T00:00:00", "2024-03-03T00:00:00"]] for key in models}
    assert set(run_holds().values()) == {"incremental: 0 rows"}
    late_row(project, 10, 1001)
    assert set(run_holds(1001).values()) == {"incremental: 1 row"}
    assert found(adopt(project, " ".join(models), now=NOW, again=True, execute=True)) == {key: [] for key in models}
    project.operation("compact_store", keep_days=0)
    late_row(project, 10, 1002)
    assert set(run_holds(1002).values()) == {"incremental: 1 row"}
    assert set(run_holds().values()) == {"incremental: 0 rows"}

    # stated by hand, so that nothing is known of its source, until it is adopted
    for model in ("appended_iceberg", "keyed"):
        project.operation("forget", select=model)
        project.operation("record", select=model, start="2024-03-01", end="2024-03-03", now=NOW)
    run = project.dbt("run", now=NOW)
    assert "does not say which version of " in run.errors
    assert (
        "--args '{select: appended_iceberg, again: true, execute: true}'; to replace all rows, use --full-refresh"
        in run.errors
    )
    assert (
        "so until does not apply" in adopt(project, "appended_iceberg", now=NOW, again=True, until="2024-03-01").errors
    )
    assert found(adopt(project, "appended_iceberg keyed", now=NOW, again=True, execute=True)) == {
        "appended_iceberg": [["2024-03-02T00:00:00", "2024-03-03T00:00:00"]], "keyed": [],
    }  # fmt: skip
    late_row(project, 10, 1003)
    assert set(run_holds(1003).values()) == {"incremental: 1 row"}

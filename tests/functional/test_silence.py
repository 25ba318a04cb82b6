"""What people who were new to the kinds ran into without a word: each has an error or a warning that says what to do."""

from __future__ import annotations

from tests.functional.project import DAILY_EVENTS, Project, events_table

NOW, LATER = "2024-01-04", "2024-01-05"
DATED = "select id, d from {{ target.schema }}.dated"
SUMS = """select id, ts, n + coalesce((select max(n) from {{ this }}), 0) as n from {{ target.schema }}.events
where ts between {{ dbt_kinds.start_dt() }} and {{ dbt_kinds.end_dt() }}"""


def dated(project: Project, *dates: str) -> None:
    """A source of texts that are meant to be dates."""
    rows = ", ".join(f"({number}, {date})" for number, date in enumerate(dates))
    project.sql("create schema if not exists {schema}")
    project.sql("create or replace view {schema}.dated as select * from values " + rows + " as (id, d)")


def test_a_first_load_of_times_that_cannot_be_read_is_refused(project: Project, file_format: str) -> None:
    dated(project, "'02.01.2024'", "'03.01.2024'", "cast(null as string)")
    project.kind("days", DATED, config=f"file_format='{file_format}'", time_column="d")
    refused = project.dbt("run", now=NOW)
    assert "none of the 3 rows of its query" in refused.errors
    assert "time_column 'd' is NULL or not written as %Y-%m-%d, as in '02.01.2024'" in refused.errors
    assert project.recorded("days") == []
    dated(project, "'2024-01-02'", "'03.01.2024'")
    assert "rows" not in project.run(now=NOW).errors
    assert project.rows("select id from {schema}.days") == [(0,)]
    dated(project, "'04.01.2024'", "'2024-01-02'")
    run = project.run(now=LATER)
    # on Iceberg the run learns at its end that it wrote nothing
    assert run.messages == {"days": "OK 1 batch" + ("" if file_format == "iceberg" else ", 0 rows")}
    assert "1 row of 2 are in no interval, and were not loaded" in run.errors
    assert run.log[-1] == "dbt_kinds: 1 warning: days 1"


def test_what_was_misspelt_or_cannot_be_loaded_is_said(project: Project) -> None:
    events_table(project)
    project.kind("days", f"{DAILY_EVENTS}\nlimit 100")
    project.kind("others", DAILY_EVENTS)
    assert (
        "unknown variable 'kinds_strat'; did you mean 'kinds_start'?" in project.dbt("run", strat="2024-01-01").errors
    )
    for variables in ({"kinds_strat": 1}, {"shop": {"kinds_strat": 1}}, {"dbt_kinds": {"kinds_strat": 1}}):
        project.settings["vars"] = variables
        misspelt = project.dbt("run", now=NOW)
        assert "unknown variable 'kinds_strat' in dbt_project.yml; did you mean 'kinds_start'?" in misspelt.errors
    project.settings["vars"] = {"mine": {"kinds_strat": 1}, "kinds_lease_seconds": 60}
    warned = project.run(now=NOW)
    assert "its query ends in limit 100, which applies to each batch separately" in warned.errors
    assert warned.log[-1] == "dbt_kinds: 1 warning: days 1"

    outside = project.run("--select", "days", now=NOW, start="2023-06-01", end="2023-06-03")
    assert "nothing of the window 2023-06-01T00:00:00 to 2023-06-03T00:00:00 can be loaded" in outside.errors
    cut = project.run("--select", "days", now=LATER, start="2024-01-02", end="2024-01-09")
    assert any(
        "the window 2024-01-02T00:00:00 to 2024-01-09T00:00:00 is cut to 2024-01-02T00:00:00 to 2024-01-05" in line
        for line in cut.log
    )

    # one that is wrong is the selected model's, not that of whichever is parsed first
    wrong = project.dbt("run", "--select", "others", start="yesterday", end="2024-01-05")
    assert "model others: kinds_start 'yesterday'" in wrong.errors
    assert "model days" not in wrong.errors


def test_a_model_that_reads_itself_has_a_first_load(project: Project, file_format: str) -> None:
    events_table(project)
    models = {"sums": "incremental_by_time_range", "keyed": "incremental_by_unique_key", "whole": "full"}
    for name, kind in models.items():
        keys = {"unique_key": "id"} if name == "keyed" else {}
        project.kind(name, SUMS, kind=kind, config=f"file_format='{file_format}'", **keys)
    assert "declare the columns of the model, each with its data_type" in project.dbt("run", now="2024-01-02").errors
    columns = "".join(
        f"\n      - {{name: {name}, data_type: {kind}}}"
        for name, kind in (("id", "int"), ("ts", "timestamp"), ("n", "int"))
    )
    listed = "".join(f"\n  - name: {name}\n    columns:{columns}" for name in models)
    (project.folder / "models" / "models.yml").write_text(f"version: 2\nmodels:{listed}\n")
    project.run(now="2024-01-02")
    first = [(number, number * 10) for number in range(4)]
    assert [project.rows(f"select id, n from {{schema}}.{name}") for name in models] == [
        first,
        first,
        [(n, n * 10) for n in range(4)],
    ]
    project.run("--select", "sums", now="2024-01-03")
    assert project.rows("select id, n from {schema}.sums where id >= 4") == [(n, n * 10 + 30) for n in range(4, 8)]


def test_names_that_are_no_words_are_columns(project: Project) -> None:
    project.sql("create schema {schema}")
    project.sql(
        "create view {schema}.named as select * from values (1, 2, date '2024-01-02'), (2, 3, date '2024-01-03') as (`my id`, `order-id`, `a day`)"
    )
    query = "select * from {{ target.schema }}.named"
    project.kind(
        "keyed",
        query,
        kind="incremental_by_unique_key",
        config="file_format='iceberg'",
        unique_key=["my id", "order-id"],
    )
    project.kind(
        "kept", query, kind="scd_type_2_by_column", config="file_format='parquet'", unique_key="my id", columns="*"
    )
    project.kind("days", query, config="file_format='iceberg'", time_column="a day")
    project.run(now=NOW)
    project.run(now=LATER)
    for name in ("keyed", "kept", "days"):
        assert project.rows(f"select `my id`, `order-id` from {{schema}}.{name}") == [(1, 2), (2, 3)]
    project.kind("files", query, config="file_format='parquet'", time_column="a day")
    refused = project.dbt("run", "--select", "files", now=NOW)
    assert "Hive cannot look for partitions of a column called 'a day'" in refused.errors


def test_a_source_without_rows_does_not_close_a_history_without_a_word(project: Project) -> None:
    settings = {"unsaid": None, "kept": "keep", "stopped": "error"}
    for name, setting in settings.items():
        kind = "scd_type_2_by_column" if name == "kept" else "scd_type_2_by_time"
        given = {"columns": "*"} if name == "kept" else {"updated_at_name": "d"}
        config = f"file_format='{'parquet' if name == 'kept' else 'iceberg'}'"
        project.kind(
            name,
            DATED,
            kind=kind,
            config=config,
            unique_key="id",
            invalidate_hard_deletes=True,
            empty_source=setting,
            **given,
        )
    dated(project, "date '2024-01-01'", "date '2024-01-02'")
    project.run(now=NOW)
    project.sql(
        "create or replace view {schema}.dated as select * from values (1, date '2024-01-01') as (id, d) where id > 1"
    )
    run = project.dbt("run", now=LATER)
    said = " ".join(run.errors.split())
    assert f"which closes 2 open versions of {project.schema}.unsaid; set empty_source" in said
    assert "model stopped: the query returned no rows in the batch 2024-01-04T00:00:00 to 2024-01-05T00:00:00" in said
    assert {name: run.statuses[name] for name in settings} == {
        "unsaid": "success",
        "kept": "success",
        "stopped": "error",
    }
    is_open = {name: project.sql(f"select count_if(valid_to is null) from {{schema}}.{name}") for name in settings}
    assert is_open == {"unsaid": [(0,)], "kept": [(2,)], "stopped": [(2,)]}

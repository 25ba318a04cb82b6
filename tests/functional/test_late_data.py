"""lookback: auto: what changed in a source is loaded again, and nothing else."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import pytest

from tests.functional.late_source import LateSource
from tests.functional.project import Project, Run
from tests.sweep import is_sweep, size

QUERY = "select id, day, v from {{ dbt_kinds.window_of(source('src', 'SOURCE'), 'day') }} as e"
MERGE_ON_READ = (
    "tblproperties ('format-version'='2', 'write.delete.mode'='merge-on-read', 'write.update.mode'='merge-on-read')"
)
# one project runs so many sequences side by side
TOGETHER = 8
SEQUENCES = size("KINDS_EXAMPLES", 4, full=500)


def new_sources(project: Project, *sources: LateSource) -> None:
    """Makes their tables, declares them, and writes a model over each."""
    project.sql("create schema if not exists {schema}")
    tables = ", ".join(f"{{name: {source.name}}}" for source in sources)
    text = f"sources: [{{name: src, schema: {project.schema}, tables: [{tables}]}}]"
    (project.folder / "models" / "sources.yml").write_text(text)
    for source in sources:
        source.create()


def over(project: Project, source: LateSource, file_format: str = "iceberg", **meta: Any) -> str:
    """A model by days over a source; returns its name."""
    name = f"of_{source.name}"
    options: dict[str, Any] = {"time_column": "day", "lookback": "auto", "batch_size": 1, **meta}
    project.kind(name, QUERY.replace("SOURCE", source.name), config=f"file_format='{file_format}'", **options)
    return name


def days_loaded(run: Run, model: str) -> set[int]:
    return {int(start[8:10]) for start, _ in run.batches(model)}


@pytest.mark.sized
@pytest.mark.parametrize("number", range(-(-SEQUENCES // TOGETHER)))
def test_random_changes_leave_the_table_equal_to_the_recompute_and_load_what_they_touched(
    new_project: Callable[[str], Project], number: int
) -> None:
    luck = random.Random(number)
    project = new_project("late")
    kinds = [("iceberg", ""), ("parquet", ""), ("iceberg", MERGE_ON_READ), ("iceberg", "")]
    sources = []
    for place in range(min(TOGETHER, SEQUENCES)):
        using, properties = kinds[place % len(kinds)]
        sources.append(LateSource(project, f"s{place}", using, random.Random(luck.random()), properties))
    new_sources(project, *sources)
    models = {
        over(project, source, "parquet" if source.using == "parquet" else "iceberg", on_lost_history="reload"): source
        for source in sources
    }
    told: list[str] = []
    for source in sources:
        source.touched = set()
        source.note()
    project.run(now="2024-01-04")
    for today in range(4, 10 if is_sweep() else 7):
        # every other run finds nothing missing
        until = today if luck.random() < 0.5 else today + 1
        for source in sources:
            if source.luck.random() < 0.3:
                source.expire()
                told.append(f"{today} {source.name}: expire")
            told += [f"{today} {source.name}: {source.change()}" for _ in range(source.luck.randrange(3))]
            if source.luck.random() < 0.1:
                source.expire()
                told.append(f"{today} {source.name}: expire")
        before = {model: project.recorded(model)[-1][1] for model in models}
        run = project.run(now=f"2024-01-{until:02}")
        for model, source in models.items():
            recorded_until = int(before[model][8:10])
            rows = [(row[0].day, row[1], row[2]) for row in project.sql(f"select day, id, v from {{schema}}.{model}")]
            end = max(recorded_until, until)
            assert sorted(rows) == source.rows(end), (number, model, told)
            expected = {day for day in source.touched if day < recorded_until} | set(range(recorded_until, until))
            loaded = days_loaded(run, model)
            assert loaded == expected or (source.has_lost and loaded > expected), (
                number,
                loaded,
                expected,
                [words for words in told if source.name in words],
            )
            source.touched = set()
            if loaded:
                source.note()


def test_a_run_asks_a_source_once_for_all_its_models(new_project: Callable[[str], Project]) -> None:
    project = new_project("once")
    project.target["threads"] = 1
    source = LateSource(project, "events", "iceberg", random.Random(1))
    new_sources(project, source)
    over(project, source)
    for name in ("first", "second"):
        query = QUERY.replace("SOURCE", "events")
        project.kind(name, query, config="file_format='iceberg'", time_column="day", lookback="auto")
    project.run(now="2024-01-06")
    source.insert([2])
    run = project.run(now="2024-01-06")
    assert {model: days_loaded(run, model) for model in ("first", "second", "of_events")} == {
        "first": {2}, "second": {2}, "of_events": {2},
    }  # fmt: skip
    metadata = [sql for sql in run.statements if ".events.snapshots" in sql or ".events.entries" in sql]
    assert len(metadata) == 2
    assert len([sql for sql in run.statements if sql.startswith("describe table extended") and "events" in sql]) == 1


def test_what_was_vouched_for_survives_the_expiry_of_old_snapshots(new_project: Callable[[str], Project]) -> None:
    project = new_project("expired")
    source = LateSource(project, "events", "iceberg", random.Random(2))
    new_sources(project, source)
    model = over(project, source)
    for today in (3, 4, 5):
        project.run(now=f"2024-01-{today:02}")
        source.expire()
        source.insert([today])
    source.insert([1])
    run = project.run(now="2024-01-05")
    # what the load of the 1st noted is gone; the run of the 5th vouched for it
    assert run.errors == ""
    assert days_loaded(run, model) == {1}
    assert "dbt_kinds: of_events: late data: 1 unit (" in "\n".join(run.log)


def test_a_run_with_nothing_to_load_vouches_too(new_project: Callable[[str], Project]) -> None:
    project = new_project("idle")
    source = LateSource(project, "events", "iceberg", random.Random(4))
    new_sources(project, source)
    model = over(project, source, end="2024-01-03")
    project.run(now="2024-01-03")
    source.insert([5])
    assert project.run(now="2024-01-04").messages == {model: "OK up to date"}
    # the same day, and nothing new
    project.run(now="2024-01-04")
    assert project.sql("select count(*) from {schema}.dbt_kinds_intervals where source = 'noted'") == [(1,)]
    source.expire()
    source.insert([1])
    run = project.run(now="2024-01-05")
    assert (days_loaded(run, model), run.errors) == ({1}, "")


def test_compaction_of_the_store_keeps_what_is_known(new_project: Callable[[str], Project]) -> None:
    project = new_project("compacted")
    source, files = (
        LateSource(project, name, using, random.Random(3))
        for name, using in (("snaps", "iceberg"), ("parts", "parquet"))
    )
    new_sources(project, source, files)
    models = [over(project, source), over(project, files, "parquet")]
    for today in (3, 4, 5):
        project.run(now=f"2024-01-{today:02}")
    project.operation("compact_store", keep_days=0)
    assert project.sql("select count(*) from {schema}.dbt_kinds_intervals where event = 'loaded'")[0][0] == 2
    run = project.run(now="2024-01-05")
    assert (set(run.messages.values()), run.errors) == ({"OK up to date"}, "")
    source.insert([2])
    files.insert([3])
    run = project.run(now="2024-01-05")
    assert ([days_loaded(run, model) for model in models], run.errors) == ([{2}, {3}], "")


@pytest.mark.parametrize(
    ("table", "message"),
    [
        (
            "view: select 1 as id, 2 as v, date '2024-01-01' as day",
            ".odd, which reads no table: it looks through selects of one table",
        ),
        ("(id int, v int, day date) using parquet", "which the table of parquet is not partitioned by"),
        ("(id int, v int, day date, region string) using parquet partitioned by (region)", "(but by region)"),
        ("(id int, v int, day string) using iceberg", "a column of text, whose bounds may be cut short"),
        ("(id int, v int, hour date) using iceberg", "which is not a column of it; it has id, v, hour"),
    ],
)
def test_a_source_that_tells_no_changes_is_refused(project: Project, table: str, message: str) -> None:
    project.sql("create schema if not exists {schema}")
    made = table.removeprefix("view: ")
    project.sql(f"create view {{schema}}.odd as {made}" if made != table else f"create table {{schema}}.odd {made}")
    (project.folder / "models" / "sources.yml").write_text(
        f"sources: [{{name: src, schema: {project.schema}, tables: [{{name: odd}}]}}]"
    )
    project.kind("m", QUERY.replace("SOURCE", "odd"), time_column="day", lookback="auto")
    run = project.dbt("run", now="2024-01-05")
    assert not run.success and message in run.errors, run.errors
    assert not project.table_exists("m")


def test_a_file_without_metrics_names_the_property(project: Project) -> None:
    source = LateSource(
        project, "events", "iceberg", random.Random(4), "tblproperties ('write.metadata.metrics.default'='none')"
    )
    new_sources(project, source)
    over(project, source)
    project.run(now="2024-01-05")
    source.insert([2])
    run = project.dbt("run", now="2024-01-05")
    assert "write.metadata.metrics.column.day to 'full'" in run.errors


def test_a_kinds_table_is_followed_by_its_loads_and_not_by_its_files(project: Project) -> None:
    source = LateSource(project, "events", "iceberg", random.Random(5))
    new_sources(project, source)
    raw = over(project, source)
    query = f"select id, day, v from {{{{ dbt_kinds.window_of(ref('{raw}'), 'day') }}}} as e"
    project.kind("reader", query, config="file_format='iceberg'", time_column="day", lookback="auto")
    project.run(now="2024-01-05")
    source.insert([2])
    run = project.run(now="2024-01-05")
    assert "dbt_kinds: reader: upstream changed: 1 to reprocess (of_events)" in run.log
    assert days_loaded(run, "reader") == {2}
    assert not [sql for sql in run.statements if f"{raw}.snapshots" in sql and "parent_id" in sql]
    assert set(project.run(now="2024-01-05").messages.values()) == {"OK up to date"}

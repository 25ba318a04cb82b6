"""A compacted store says the same in fewer rows, whenever the compaction is killed."""

from __future__ import annotations

import json
from datetime import datetime, timezone
from typing import Any

import pytest

from tests.functional.formats import table_format
from tests.functional.project import DAILY_EVENTS, Project, events_table
from tests.sweep import rest

NOW = "2024-01-06 08:00:00"
CONFIG = f"file_format='{table_format()}'"
UP_TO_DATE = "OK up to date"
# `make delta` has the store in Delta, too
STORE_FORMATS = ["delta"] if table_format() == "delta" else ["hive", "iceberg"]
one_format = pytest.mark.parametrize("store_format", rest(STORE_FORMATS, STORE_FORMATS[0]))
# Delta has means of its own to merge files
merged_format = pytest.mark.parametrize(
    "store_format", rest(["hive", *(name for name in STORE_FORMATS if name == "iceberg")], "hive")
)


@pytest.fixture
def store_format() -> str:
    return STORE_FORMATS[0]


@pytest.fixture
def busy(project: Project, store_format: str) -> Project:
    """A project with a store in which much was superseded: days loaded one by one, restated, forgotten."""
    project.settings["vars"] = {"kinds_store_format": store_format}
    events_table(project)
    project.kind("hits", DAILY_EVENTS, config=CONFIG, batch_size=1)
    project.kind("copies", DAILY_EVENTS.replace("{{ target.schema }}.events", "{{ ref('hits') }}"), config=CONFIG)
    project.run(now=NOW)
    project.run(now=NOW, start="2024-01-02", end="2024-01-04")
    project.operation("forget", select="hits", start="2024-01-04", end="2024-01-05")
    return project


def rows(project: Project) -> list[tuple[Any, ...]]:
    return project.sql(
        "select event, relation, interval_start, interval_end from {schema}.dbt_kinds_intervals "
        "where event in ('loaded', 'invalidated') order by relation, interval_start"
    )


def answers(project: Project, models: str = "") -> dict[str, Any]:
    """All that the store decides: what is recorded, missing and due, and why."""
    keys = ["recorded", "missing", "lookback", "restated", "batches", "reason"]
    plans = project.operation("plan", now="2024-01-09 08:00:00", select=models)["plans"]
    return {plan["model"]: [plan[key] for key in keys] for plan in plans}


@one_format
def test_it_says_the_same_in_fewer_rows(busy: Project) -> None:
    before = answers(busy)
    told = busy.operation("compact_store", keep_days=0)
    assert rows(busy) == [
        ("loaded", f"{busy.schema}.copies", "2024-01-01T00:00:00", "2024-01-06T00:00:00"),
        ("loaded", f"{busy.schema}.hits", "2024-01-01T00:00:00", "2024-01-04T00:00:00"),
        ("loaded", f"{busy.schema}.hits", "2024-01-05T00:00:00", "2024-01-06T00:00:00"),
    ]
    assert told["events_before"] > 12 and told["events_after"] == 5
    assert answers(busy) == before
    again = busy.operation("compact_store", keep_days=0)
    assert (again["events_before"], again["events_after"]) == (6, 5)
    run = busy.run(now=NOW)
    assert run.batches("hits") == [("2024-01-04T00:00:00", "2024-01-05T00:00:00")]
    assert run.batches("copies") == [("2024-01-04T00:00:00", "2024-01-05T00:00:00")]


def test_the_last_days_keep_their_history(busy: Project) -> None:
    before, log = answers(busy), busy.sql("select * from {schema}.dbt_kinds_intervals order by recorded_at, event")
    busy.operation("compact_store")
    after = busy.sql("select * from {schema}.dbt_kinds_intervals order by recorded_at, event")
    assert after[: len(log)] == log
    assert answers(busy) == before


def test_what_a_reader_has_yet_to_follow_is_still_followed(busy: Project) -> None:
    busy.run("--select", "hits", now=NOW, start="2024-01-02", end="2024-01-04")
    before = answers(busy)
    assert before["model.shop.copies"][-1] == "3 missing, upstream changed: 3 to reprocess (hits)"
    busy.operation("compact_store", keep_days=0)
    assert answers(busy) == before
    assert busy.run("--select", "copies", now=NOW).batches("copies")
    assert busy.run("--select", "copies", now=NOW).messages["copies"] == UP_TO_DATE


@pytest.mark.sweep
def test_models_of_another_project_lose_nothing(busy: Project) -> None:
    before = answers(busy, "copies")["model.shop.copies"]
    (busy.folder / "models" / "copies.sql").rename(busy.folder / "copies.sql")
    busy.operation("compact_store", keep_days=0)
    (busy.folder / "copies.sql").rename(busy.folder / "models" / "copies.sql")
    after = answers(busy, "copies")["model.shop.copies"]
    # whether it followed its parents is not known there: it may have to do so once more
    assert after[:2] == before[:2]


# what a compaction would keep, if it replayed so many events at a time
KEEPS = """
{% macro keeps(size) %}
  {% set old = dbt_kinds.old_log('9999', size) %}
  {% do log(tojson({'operation': 'keeps', 'parts': old.parts | length, 'kept': dbt_kinds.compacted_log(old)}), info=true) %}
{% endmacro %}
"""


def test_it_keeps_the_same_in_however_many_parts(busy: Project) -> None:
    (busy.folder / "macros" / "keeps.sql").write_text(KEEPS)
    in_parts, at_once = (keeps(busy, size) for size in (1, 100))
    assert (in_parts["parts"], at_once["parts"]) == (2, 1)
    assert sorted(map(str, in_parts["kept"])) == sorted(map(str, at_once["kept"]))
    assert len(at_once["kept"]) == 3


def keeps(project: Project, size: int) -> dict[str, Any]:
    run = project.dbt("run-operation", "keeps", "--args", json.dumps({"size": size}))
    assert run.success, run.errors
    told: dict[str, Any] = json.loads(next(line for line in run.log if '"operation": "keeps"' in line))
    return told


@one_format
def test_a_compaction_cut_short_anywhere_loses_nothing(busy: Project) -> None:
    before = answers(busy)
    for statement in ["select distinct", "insert overwrite", "drop table"]:
        cut_short(busy, statement)
        assert answers(busy) == before
    busy.operation("compact_store", keep_days=0)
    assert len(rows(busy)) == 3
    assert answers(busy) == before
    assert not busy.table_exists("dbt_kinds_intervals_comp*")


def cut_short(project: Project, beginning: str) -> None:
    """Begins a compaction that ends right before its last statement of that kind; the lease of a process that is gone is gone."""
    listen_until(project, beginning)
    failed = project.dbt("run-operation", "dbt_kinds.compact_store", "--args", "{keep_days: 0}")
    assert not project.listeners and not failed.success, beginning
    project.operation("release_lease", select="hits")


def listen_until(project: Project, beginning: str) -> None:
    """The next command of dbt is interrupted right before the statement of a compaction that begins so."""

    def cut(event: Any) -> None:
        if event.info.name == "SQLQuery":
            seen.append(event.data.sql)
            is_about = beginning in event.data.sql and "dbt_kinds_intervals_compact" in event.data.sql
            # a compaction begins by dropping what one before it has left
            if is_about and (beginning != "drop table" or any("insert overwrite" in text for text in seen)):
                project.listeners.clear()
                raise KeyboardInterrupt

    seen: list[str] = []
    project.listeners.append(cut)


@pytest.fixture
def scattered(busy: Project) -> Project:
    """A project whose store is in more than 300 files: as if so many runs had claimed a table that is gone."""
    names = [row[0] for row in busy.sql("describe table {schema}.dbt_kinds_intervals")]
    columns = {
        "event": "'released'",
        "relation": "'gone'",
        "recorded_at": "concat('2024-01-01T00:00:00.', lpad(id, 6, '0'))",
    }
    selected = ", ".join(f"{columns.get(name, 'null')}" for name in names)
    busy.sql(f"insert into {{schema}}.dbt_kinds_intervals select {selected} from range(0, 310, 1, 310)")
    assert files(busy) > 310
    return busy


def files(project: Project) -> int:
    project.sql("refresh table {schema}.dbt_kinds_intervals")
    return len(project.sql("select distinct input_file_name() from {schema}.dbt_kinds_intervals"))


def log(project: Project) -> list[tuple[Any, ...]]:
    return project.sql(
        "select * from {schema}.dbt_kinds_intervals where relation not like '%dbt_kinds_intervals' order by relation, recorded_at, event, interval_start"
    )


@merged_format
def test_a_run_makes_many_files_of_the_store_few(scattered: Project) -> None:
    before, said = log(scattered), answers(scattered)
    run = scattered.run("--select", "hits", now="2024-01-07 08:00:00")
    assert [line for line in run.log if "dbt_kinds: merged the " in line]
    assert files(scattered) < 10 and not scattered.table_exists("dbt_kinds_intervals_comp*")
    after = log(scattered)
    assert len(after) > len(before) and set(before) < set(after)
    assert answers(scattered)["model.shop.copies"][0] == said["model.shop.copies"][0]
    assert scattered.run(now="2024-01-07 08:00:00").messages["hits"] == UP_TO_DATE


@pytest.mark.parametrize("store_format", ["hive"])
def test_it_leaves_them_while_another_run_is_at_work_and_where_it_must_not(scattered: Project) -> None:
    before = files(scattered)
    scattered.run("--select", "hits", now="2024-01-07 08:00:00", compact="never")
    claim(scattered, "gone")
    scattered.run("--select", "hits", now="2024-01-08 08:00:00")
    assert files(scattered) > before
    wrong = scattered.dbt("run", "--select", "hits", now="2024-01-09 08:00:00", compact="always")
    assert "kinds_compact 'always' is neither auto nor never" in wrong.errors


def now() -> str:
    return datetime.now(timezone.utc).strftime("%Y-%m-%dT%H:%M:%S.%f")


def claim(project: Project, relation: str, source: str = "run") -> None:
    """What a run on another machine claims."""
    project.sql(
        "insert into {schema}.dbt_kinds_intervals (event, relation, invocation_id, recorded_at, lease_seconds, source) "
        f"values ('claimed', '{relation}', 'another run', '{now()}', 600, '{source}')"
    )


@merged_format
@pytest.mark.sweep
def test_a_run_that_is_killed_while_it_merges_files_loses_nothing(scattered: Project) -> None:
    for day, statement in enumerate(["select distinct", "insert overwrite", "drop table"], start=7):
        listen_until(scattered, statement)
        scattered.dbt("run", "--select", "hits", now=f"2024-01-{day:02} 08:00:00")
        assert not scattered.listeners, statement
        coverage = answers(scattered)["model.shop.hits"][0]
        assert coverage == [["2024-01-01T00:00:00", f"2024-01-{day:02}T00:00:00"]]
        scattered.operation("release_lease", select="hits")
    before = set(log(scattered))
    scattered.operation("compact_store", keep_days=100_000)
    assert before <= set(log(scattered)) and not scattered.table_exists("dbt_kinds_intervals_comp*")


def test_a_run_waits_for_one_that_merges_files(busy: Project) -> None:
    def count(event: Any) -> None:
        if event.info.name == "SQLQuery" and "where relation in" in event.data.sql:
            reads.append(event.data.sql)
            if len(reads) == 3:
                busy.listeners.clear()
                busy.sql(
                    "insert into {schema}.dbt_kinds_intervals (event, relation, invocation_id, recorded_at, source) values ('released', "
                    f"'{busy.schema}.dbt_kinds_intervals', 'another run', '{now()}', 'merge_files')"
                )

    reads: list[str] = []
    claim(busy, f"{busy.schema}.dbt_kinds_intervals", "merge_files")
    busy.listeners.append(count)
    run = busy.run("--select", "hits", now="2024-01-07 08:00:00")
    assert len(reads) > 3 and run.success and run.batches("hits")
    assert busy.operation("history", select="hits")["runs"][0]["state"] == "done"

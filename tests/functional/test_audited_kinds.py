"""Audits of models of every kind: what fails leaves everything as it was, and a run that breaks anywhere is made good by the next."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import pytest

from tests.functional.every_kind import EveryKind
from tests.functional.faults import broken_connection
from tests.functional.formats import formats
from tests.functional.project import Project
from tests.sweep import is_sweep, size

FORMATS = formats("iceberg,parquet" if is_sweep() else "iceberg")
AUDITS = [
    {"not_null": {"column_name": "id"}},
    {"dbt_kinds.accepted_range": {"column_name": "n", "min_v": 0}},
    {"dbt_kinds.number_of_rows": {"threshold": 0, "name": "some_rows"}},
]
# from the first statement of a stage to the last of its drop
STATEMENTS = [
    r"create table \S*__kinds_stage_\w*_audited", r"insert into \S*__kinds_stage_\w*_audited", "dbt_internal_test",
    r"select \* from \S*__kinds_stage_\w*_audited", r"drop table if exists \S*__kinds_stage_\w*_audited", "'loaded'",
]  # fmt: skip


@pytest.fixture
def tables(project: Project) -> Iterator[EveryKind]:
    project.sql("create schema {schema}")
    tables = EveryKind(project, FORMATS, project.sql, {"audits": AUDITS})
    for day in range(2):
        tables.arrive(day)
    project.run(now=tables.now())
    tables.load(range(2))
    check(tables)
    yield tables


@pytest.mark.sized
def test_a_batch_that_fails_its_audits_leaves_every_table_as_it_was(tables: EveryKind) -> None:
    project = tables.project
    tables.arrive(2)
    good = tables.source
    tables.source = [(id_, region, day, -n if day == 2 and id_ == 2 else n) for id_, region, day, n in good]
    tables.write_source()
    before = state(tables)
    run = project.dbt("run", now=tables.now())
    assert set(run.statuses.values()) == {"error"}
    for name, message in run.messages.items():
        assert "accepted_range_n: 1 failure" in message and "not_null_id" not in message, (name, message)
    assert state(tables) == before
    assert stages(project) == []
    failed = project.sql("select distinct relation from {schema}.dbt_kinds_intervals where event = 'audit_failed'")
    assert len(failed) == len(tables.expected)
    answer = project.operation("status", now=tables.now())
    found = {model["relation"]: [one["audit"] for one in model["audits"]["failed"]] for model in answer["models"]}
    assert set(map(tuple, found.values())) == {("accepted_range_n",)}

    tables.source = good
    tables.write_source()
    project.run(now=tables.now())
    tables.load(range(2, 3))
    check(tables)
    answer = project.operation("status", now=tables.now())
    assert all(model["audits"] == {"failed": [], "skipped": []} for model in answer["models"])


@pytest.mark.sized
def test_a_run_that_breaks_between_stage_and_publish_is_made_good_by_the_next(tables: EveryKind) -> None:
    project, chance = tables.project, random.Random(20)
    for number in range(size("KINDS_KILLS", 1, full=30)):
        tables.arrive(2 + number)
        pattern, place, done = STATEMENTS[number % len(STATEMENTS)], chance.randint(1, 8), chance.random() < 0.5
        with broken_connection(pattern, done=done, number=place) as broken_at:
            assert not project.dbt("run", now=tables.now()).success
        assert broken_at, (pattern, place)
        project.operation("release_lease", select=" ".join(tables.expected))
        project.run(now=tables.now())
        tables.load(range(2 + number, 3 + number))
        check(tables)


def check(tables: EveryKind) -> None:
    for table, expected in tables.expected.items():
        assert tables.is_right(table), f"{table}: {tables.rows(table)} instead of {sorted(expected)}"
    assert stages(tables.project) == []


def stages(project: Project) -> list[Any]:
    return project.sql("show tables in {schema} like '*__kinds_stage_*'")


def state(tables: EveryKind) -> dict[str, Any]:
    """The files of every table, and its coverage."""
    found: dict[str, Any] = {}
    for table in tables.expected:
        files = "{schema}." + table
        query = (
            f"select file_path from {files}.files"
            if table.endswith("iceberg")
            else f"select distinct _metadata.file_path from {files}"
        )
        found[table] = (tables.project.rows(query), tables.project.recorded(table))
    return found

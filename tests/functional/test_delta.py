"""Kinds on Delta, run by dbt on Sail and compared with what their tables should hold.

Sail is not Delta's own engine: it overwrites whole tables only, changes no columns of a table, and `describe history` is read from the table's log (sail_process.py).
"""

from __future__ import annotations

import itertools
import json
import random
from collections import Counter
from collections.abc import Iterator
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import pytest

from tests.functional import test_scd2_property
from tests.functional.every_kind import KINDS, EveryKind
from tests.functional.project import Run
from tests.functional.sail import SailProject, sail
from tests.functional.test_scd2_cut_short import COLUMNS, SOURCES
from tests.unit.scd2_sql import rows_sql

pytestmark = pytest.mark.sweep

OVERWRITING = [name for name, kind in KINDS.items() if kind.partitioned]
RUNNING = [name for name in KINDS if name not in OVERWRITING]
NUMBERS = itertools.count(1)


@pytest.fixture(scope="module")
def connection(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Connection]:
    with sail(tmp_path_factory.mktemp("sail")) as connection:
        yield connection


@pytest.fixture
def project(connection: Connection, tmp_path: Path) -> SailProject:
    project = SailProject(tmp_path / "project", connection, f"shop{next(NUMBERS)}")
    project.sql("create schema {schema}")
    return project


def kind(project: SailProject, name: str, sql: str, *, kind: str, **meta: Any) -> None:
    project.kind(name, sql, kind=kind, config="file_format='delta'", **meta)


def commits(project: SailProject, table: str) -> list[dict[str, Any]]:
    """What the log of a Delta table says of each of its versions, oldest first."""
    facts = {row[0]: row[1] for row in project.sql(f"describe table extended {{schema}}.{table}")}
    assert facts["Provider"] == "delta"
    files = sorted(Path(facts["Location"]).glob("_delta_log/*.json"))
    actions = [json.loads(line) for file in files for line in file.read_text().splitlines()]
    return [action["commitInfo"] for action in actions if "commitInfo" in action]


def test_every_kind_that_overwrites_no_partitions(project: SailProject) -> None:
    kinds = EveryKind(project, ["delta"], project.sql, kinds=RUNNING)

    def run(*arguments: str, **variables: Any) -> Run:
        return project.dbt("run", *arguments, now=kinds.now(), **variables)

    for day in range(3):
        kinds.arrive(day)
    first = run()
    kinds.load(range(3))
    assert kinds.wrong() == {}, first.errors
    assert {first.messages[f"{name}_delta"] for name in ("time_range", "unmanaged", "full")} == {"OK 1 batch, 9 rows"}
    kinds.correct(1)
    kinds.arrive(3)
    second = run()
    kinds.load(range(3, 4))
    assert kinds.wrong() == {}, second.errors
    assert {second.messages[f"{name}_delta"] for name in ("time_range", "unmanaged")} == {"OK 1 batch, 3 rows"}
    # a range is replaced in one commit
    assert [commit["operation"] for commit in commits(project, "time_range_delta")] == [
        "CREATE TABLE",
        "WRITE",
        "WRITE",
    ]
    idle = {name for name, message in run().messages.items() if message == "OK up to date"}
    assert idle == {f"{name}_delta" for name in RUNNING if not KINDS[name].always_runs}
    restatement = run(start="2024-01-02", end="2024-01-03", allow_full_restatement=True)
    assert [name for name, status in restatement.statuses.items() if status == "error"] == ["cumulative_delta"]
    for table in kinds.expected:
        kinds.restate(table, range(1, 2))
    assert kinds.wrong() == {}, restatement.errors
    kinds.correct(0)
    refresh = run("--full-refresh")
    kinds.load(range(4), anew=True)
    assert kinds.wrong() == {}, refresh.errors


def test_partitions_are_not_overwritten_where_the_whole_table_would_be(project: SailProject) -> None:
    kinds = EveryKind(project, ["delta"], project.sql, kinds=OVERWRITING)
    kinds.arrive(0)
    run = project.dbt("run", now=kinds.now())
    assert run.errors.count("is 'static' even after setting it to dynamic, and overwriting would empty the table") >= 2
    assert kinds.wrong() == {}


@pytest.mark.parametrize("done", [False, True])
def test_an_append_that_breaks_is_found_in_the_history(project: SailProject, done: bool) -> None:
    appending = ["unmanaged", "cumulative"]
    kinds = EveryKind(project, ["delta"], project.sql, kinds=appending)
    kinds.arrive(0)
    project.run(now=kinds.now())
    kinds.load(range(1))
    kinds.arrive(1)
    for name in appending:
        project.breaks_at = (rf"(insert into|merge into) \S+\.{name}_delta\s", done)
        broken = project.dbt("run", "-s", f"{name}_delta", now=kinds.now())
        assert "the connection is lost" in broken.errors
    project.breaks_at = None
    project.operation("release_lease", select="unmanaged_delta cumulative_delta")
    run = project.run(now=kinds.now())
    kinds.load(range(1, 2))
    assert kinds.wrong() == {}
    words = "had written" if done else "had not written"
    assert sum(f"a run that died {words}" in line for line in run.log) == 2


@pytest.mark.parametrize(
    ("options", "after"),
    [
        ({}, {1: 5, 2: 7, 3: -1}),
        ({"insert_only": True}, {1: 10, 2: 2, 3: -1}),
        ({"merge_filter": "target.n < source.n"}, {1: 10, 2: 7, 3: -1}),
        ({"when_matched": "when matched and source.n < 6 then delete when matched then update set n = target.n + source.n"},
         {2: 9, 3: -1}),
    ],
)  # fmt: skip
def test_a_merge(project: SailProject, options: dict[str, Any], after: dict[int, int]) -> None:
    for day, rows in (("01", [[1, 10], [2, 2]]), ("02", [[1, 5], [2, 7], [3, -1]])):
        query = rows_sql([("id", "int"), ("n", "int")], rows)
        kind(project, "keyed", query, kind="incremental_by_unique_key", unique_key="id", **options)
        project.run(now=f"2024-01-{int(day) + 1:02}T06:00:00")
    assert dict(project.sql("select id, n from {schema}.keyed")) == after


def test_random_histories(project: SailProject, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(test_scd2_property, "OF_A_MODEL", 50)
    test_scd2_property.test_random_histories_are_those_of_the_reference(0, project, "delta")


def test_a_history_is_put_back_from_a_version(project: SailProject) -> None:
    options = {"unique_key": "id", "columns": "*", "invalidate_hard_deletes": True, "disable_restatement": False}
    for day, source in enumerate(SOURCES):
        kind(project, "prices", rows_sql(COLUMNS, source), kind="scd_type_2_by_column", **options)
        variables = {"start": "2024-01-03"} if day == 3 else {}
        run = project.run(now=f"2024-01-0{day + 2}T06:00:00", **variables)
    assert any("version as of" in statement and "replace where true" in statement for statement in run.statements)
    # the batches of the 3rd and the 4th are gone: what the source says on the 5th follows on the first load
    first, last = "1970-01-01 00:00:00", "2024-01-05 06:00:00"
    expected = [(1, 10, first, last), (1, 12, last, None), (2, 20, first, last), (2, 21, last, None)]
    query = "select id, price, cast(valid_from as string), cast(valid_to as string) from {schema}.prices"
    assert project.rows(query) == sorted(expected, key=repr)


def test_versions_are_numbered_by_runs(project: SailProject) -> None:
    options = {"start": None, "unique_key": "id", "columns": "*", "validity": "run_sequence"}
    for source in SOURCES:
        kind(project, "prices", rows_sql(COLUMNS, source), kind="scd_type_2_by_column", **options)
        project.run()
    found = project.rows("select id, price, valid_from, valid_to, is_current from {schema}.prices")
    expected = [
        (1, 10, 1, 1, False), (1, 11, 2, 3, False), (1, 12, 4, None, True), (2, 20, 1, 1, False), (2, 21, 3, None, True),
        (3, 30, 2, 2, False), (3, 31, 3, 3, False),
    ]  # fmt: skip
    assert found == sorted(expected, key=repr)


def test_groups_are_replaced(project: SailProject) -> None:
    luck = random.Random(1)
    source = [(group, n) for group in range(4) for n in range(3)]
    for _ in range(5):
        query = rows_sql([("grp", "int"), ("n", "int")], [[*row] for row in source])
        kind(project, "invoices", query, kind="tracked", group_key=["grp"], start=None)
        project.run()
        assert Counter(project.sql("select grp, n from {schema}.invoices")) == Counter(source)
        gone, changed = luck.randrange(6), luck.randrange(6)
        source = [(group, n + (group == changed)) for group, n in source if group != gone] + [(luck.randrange(6), 9)]


def test_what_a_table_gained_is_read_from_its_versions(project: SailProject) -> None:
    luck = random.Random(2)
    text = f"sources: [{{name: src, schema: {project.schema}, tables: [{{name: a}}]}}]"
    (project.folder / "models" / "sources.yml").write_text(text)
    captured = "select id, v from {{ dbt_kinds.changes_of(source('src', 'a')) }} as a"
    kind(project, "gained", captured, kind="append", start=None, capture="snapshot")
    kind(project, "keyed", captured, kind="incremental_by_unique_key", start=None, capture="snapshot", unique_key="id")
    project.sql("create table {schema}.a using delta as select 0 as id, 0 as v")
    rows, seen, gained = {0: 0}, Counter[tuple[int, int]](), Counter[tuple[int, int]]()
    keyed: dict[int, int] = {}
    for step in range(5):
        run = project.run()
        gained += Counter(rows.items()) - seen
        keyed |= rows
        seen = Counter(rows.items())
        assert Counter(project.sql("select id, v from {schema}.gained")) == gained, (step, run.messages)
        assert dict(project.sql("select id, v from {schema}.keyed")) == keyed, (step, run.messages)
        id_, v = luck.randrange(1, 4), luck.randrange(3)
        if step == 2:
            project.sql(f"delete from {{schema}}.a where id = {id_}")
            rows.pop(id_, None)
        else:
            source = f"(select {id_} as id, {v} as v) as source on target.id = source.id"
            update, insert = (
                "when matched then update set target.v = source.v",
                "when not matched then insert (id, v) values (source.id, source.v)",
            )
            project.sql(f"merge into {{schema}}.a as target using {source} {update} {insert}")
            rows[id_] = v
    project.run()
    assert set(project.run().messages.values()) == {"incremental: 0 rows"}

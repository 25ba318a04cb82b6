"""SCD type 2 whose versions are numbered by runs: random changes beside a history that is kept by hand, and runs that break anywhere."""

from __future__ import annotations

import random
from dataclasses import dataclass, replace

import pytest

from tests.functional.faults import broken_connection
from tests.functional.project import Project
from tests.sweep import is_sweep, size

State = dict[int, tuple[str | None, float | None]]

FORMATS = ["iceberg", "parquet"]
STATEMENTS = [r"insert into \S*__kinds_stage_", "create table .*actions", "merge into|insert overwrite", "'pending'", "'loaded'"]  # fmt: skip


@dataclass(frozen=True, order=True)
class Version:
    """One version of a key; the numbers are those of steps."""

    id: int
    name: str | None
    n: float | None
    begun: int
    ended: int | None = None


def after(history: list[Version], source: State, step: int) -> list[Version]:
    """The history once a run saw the source."""
    kept, open_keys = [], set()
    for version in history:
        is_same = source.get(version.id) == (version.name, version.n)
        if version.ended is None and not is_same:
            version = replace(version, ended=step)
        elif version.ended is None:
            open_keys.add(version.id)
        kept.append(version)
    return kept + [Version(key, *values, begun=step) for key, values in source.items() if key not in open_keys]


def write_source(project: Project, source: State) -> None:
    rows = [
        f"({key}, {'null' if name is None else repr(name)}, {'null' if n is None else n})"
        for key, (name, n) in source.items()
    ]
    given = f"from values {', '.join(rows)} as (id, name, n)"
    project.sql(
        f"create or replace view {{schema}}.people as select cast(id as int) as id, cast(name as string) as name, cast(n as double) as n {given}"
    )


def change(source: State, luck: random.Random) -> None:
    """A new key, one that comes back, a change to or from NULL, a deletion, or nothing."""
    key, values = luck.randrange(8), (luck.choice(["a", "b", None]), luck.choice([0.0, 1.5, None]))
    if luck.random() < 0.3 and len(source) > 1:
        source.pop(luck.choice(sorted(source)))
    elif luck.random() < 0.8:
        source[key] = values


@pytest.mark.sized
@pytest.mark.parametrize("seed", range(size("KINDS_EXAMPLES", 8, full=160) // 8))
def test_versions_are_those_of_the_reference(project: Project, seed: int) -> None:
    luck = random.Random(seed)
    project.sql("create schema {schema}")
    query = "select id, name, n from {{ target.schema }}.people"
    for file_format in FORMATS:
        given = {"start": None, "unique_key": "id", "columns": "*", "validity": "run_sequence"}
        project.kind(f"history_{file_format}", query, kind="scd_type_2_by_column", config=f"file_format='{file_format}'", **given)  # fmt: skip
    source: State = {1: ("a", None), 2: (None, 1.5)}
    history: list[Version] = []
    numbers: dict[str, dict[int, int]] = {file_format: {} for file_format in FORMATS}
    told: list[str] = []
    for step in range(8 if is_sweep() else 3):
        for _ in range(luck.randrange(4) if step else 0):
            change(source, luck)
        write_source(project, source)
        told.append(f"{step}: {source}")
        if step and luck.random() < 0.5:
            statement, place, done = luck.choice(STATEMENTS), luck.randint(1, 2), luck.random() < 0.5
            with broken_connection(statement, number=place, done=done) as broken:
                project.dbt("run")
            told.append(f"broken at {broken[0][:60] if broken else 'nothing'}, done: {done}")
            project.operation("release_lease", select="history_iceberg history_parquet")
        run = project.run()
        history = after(history, source, step)
        for file_format, known in numbers.items():
            rows = project.sql(
                f"select id, name, n, valid_from, valid_to, is_current from {{schema}}.history_{file_format}"
            )
            used = {row[3] for row in rows} | {row[4] + 1 for row in rows if row[4] is not None}
            new = used - set(known)
            assert len(new) <= 1 and all(number > max(known, default=0) for number in new), (told, rows)
            known |= dict.fromkeys(new, step)
            assert all(row[5] == (row[4] is None) for row in rows)
            held = [
                Version(row[0], row[1], row[2], known[row[3]], None if row[4] is None else known[row[4] + 1])
                for row in rows
            ]
            assert sorted(held, key=repr) == sorted(history, key=repr), (seed, file_format, told, run.messages)
        assert project.sql("show tables in {schema} like '*__kinds_stage_*'") == []
    before = project.events()
    assert set(project.run().messages.values()) == {"incremental: 0 rows"}
    assert project.events() == before

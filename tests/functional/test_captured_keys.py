"""A table by key that reads what its source gained equals one that reads all of it: random changes beside a dict, and runs that break anywhere."""

from __future__ import annotations

import random
from contextlib import ExitStack

import pytest

from tests.functional.faults import broken_connection
from tests.functional.formats import formats, table_format
from tests.functional.project import Project
from tests.functional.test_append import Source
from tests.sweep import is_sweep, size

QUERY = """select a.id, a.v, b.name from {{ dbt_kinds.changes_of(source('src', 'a')) }} as a
left join {{ source('src', 'b') }} as b on b.id = a.id % 5"""
# from the first statement of a stage to the last record
STATEMENTS = [r"create table \S*__kinds_stage_", r"insert into \S*__kinds_stage_", r"update \S*keyed_|merge into", r"insert into \S*keyed_", "'loaded'", "drop table"]  # fmt: skip


class UniqueSource(Source):
    """A source with one row an id."""

    def change(self) -> str:
        """One change drawn by lot; returns its name."""
        way = self.luck.choice([self.insert, self.insert, self.update, self.delete, self.compact, self.rebuild])
        way()
        return way.__name__

    def insert(self) -> None:
        known = {id_ for id_, _ in self.rows}
        self._insert([(max(known, default=0) + self.luck.randint(1, 3), self.luck.randrange(9))])


@pytest.mark.sized
@pytest.mark.parametrize("seed", range(size("KINDS_EXAMPLES", 1, full=20)))
def test_a_captured_table_by_key_equals_the_full_recompute(project: Project, seed: int) -> None:
    """Keys that left the source stay, with what the last run that saw them read."""
    luck = random.Random(seed)
    project.sql("create schema {schema}")
    source = UniqueSource(project, "a", random.Random(luck.random()))
    names = {number: f"name {number}" for number in range(4)}
    rows = ", ".join(f"({number}, '{name}')" for number, name in names.items())
    project.sql(f"create table {{schema}}.b using {table_format()} as select * from values {rows} as (id, name)")
    text = f"sources: [{{name: src, schema: {project.schema}, tables: [{{name: a}}, {{name: b}}]}}]"
    (project.folder / "models" / "sources.yml").write_text(text)
    models = [f"keyed_{file_format}" for file_format in formats("iceberg,parquet")]
    for model in models:
        config = f"file_format='{model.split('_')[1]}'"
        meta = {"unique_key": "id", "capture": "snapshot"}
        project.kind(model, QUERY, kind="incremental_by_unique_key", config=config, start=None, **meta)
    expected: dict[int, tuple[int, str | None]] = {}
    told: list[str] = []
    for number in range(8 if is_sweep() else 3):
        told += [f"{number}: {source.change()}" for _ in range(luck.randrange(4))]
        if luck.random() < 0.25:
            changed = luck.randrange(4)
            names[changed] = f"name {changed} of {number}"
            project.sql(f"update {{schema}}.b set name = '{names[changed]}' where id = {changed}")
            told.append(f"{number}: look-up")
        with ExitStack() as breaks:
            if number and luck.random() < (0.6 if is_sweep() else 0.4):
                statement, place, done = luck.choice(STATEMENTS), luck.randint(1, 3), luck.random() < 0.5
                broken = breaks.enter_context(broken_connection(statement, number=place, done=done))
                project.dbt("run")
                told.append(f"{number} broken at {broken[0][:60] if broken else 'nothing'}, done: {done}")
        project.operation("release_lease", select=" ".join(models))
        run = project.run()
        expected.update({id_: (v, names.get(id_ % 5)) for id_, v in source.rows})
        for model in models:
            found = {id_: (v, name) for id_, v, name in project.sql(f"select id, v, name from {{schema}}.{model}")}
            assert found == expected, (seed, model, told, run.messages)
        assert project.sql("show tables in {schema} like '*__kinds_stage_*'") == []
    before = project.events()
    assert set(project.run().messages.values()) == {"incremental: 0 rows"}
    assert project.events() == before

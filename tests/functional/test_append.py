"""What a source gained reaches the table once: random changes beside a multiset that is kept by hand, and runs that break anywhere."""

from __future__ import annotations

import random
from collections import Counter
from contextlib import ExitStack

import pytest
from pyspark.sql import SparkSession

from tests.functional.faults import broken_connection
from tests.functional.project import Project
from tests.sweep import is_sweep, size

Rows = Counter[tuple[int, int]]

FORMATS = ["iceberg", "parquet"]
# what a table holds of the rows that came
QUERIES = {
    "chosen": "select id, v from {{ dbt_kinds.changes_of(source('src', 'a')) }} as a where v % 3 <> 0",
    "both": "select id, v from {{ dbt_kinds.changes_of(source('src', 'a')) }} as a union all select id, v from {{ dbt_kinds.changes_of(source('src', 'b')) }} as b",
}
# from the first statement of a stage to the last record
STATEMENTS = [r"create table \S*__kinds_stage_", r"insert into \S*__kinds_stage_", "'pending'", r"insert into \S*(chosen|both)_", "'loaded'", "drop table"]  # fmt: skip


class Source:
    """An Iceberg table `(id int, v int)` and the rows that it holds."""

    def __init__(self, project: Project, name: str, luck: random.Random) -> None:
        self.project, self.name, self.luck = project, name, luck
        self.rows: Rows = Counter()
        project.sql(f"create table {{schema}}.{name} (id int, v int) using iceberg")

    def change(self) -> str:
        """One change drawn by lot; returns its name."""
        ways = [self.insert, self.insert, self.copy, self.update, self.delete, self.compact, self.rebuild]
        way = self.luck.choice(ways)
        way()
        return way.__name__

    def insert(self) -> None:
        rows = [(self.luck.randrange(40), self.luck.randrange(9)) for _ in range(self.luck.randrange(1, 4))]
        self._insert(rows)

    def copy(self) -> None:
        """A second copy of an old row."""
        if self.rows:
            self._insert([self.luck.choice(sorted(self.rows))])

    def update(self) -> None:
        if self.rows:
            old = self.luck.choice(sorted(self.rows))
            self._sql(f"update {{table}} set v = v + 10 where id = {old[0]} and v = {old[1]}")
            number = self.rows.pop(old)
            self.rows[old[0], old[1] + 10] += number

    def delete(self) -> None:
        if self.rows:
            old = self.luck.choice(sorted(self.rows))
            self._sql(f"delete from {{table}} where id = {old[0]} and v = {old[1]}")
            del self.rows[old]

    def compact(self) -> None:
        spark = SparkSession.builder.getOrCreate()
        java = spark._jvm.org.apache.iceberg.spark  # type: ignore[union-attr]
        table = java.Spark3Util.loadIcebergTable(spark._jsparkSession, f"{self.project.schema}.{self.name}")
        if table.currentSnapshot() is not None:
            java.actions.SparkActions.get().rewriteDataFiles(table).option("rewrite-all", "true").execute()
            self._sql("refresh table {table}")

    def rebuild(self) -> None:
        """Made again with the same rows."""
        values = ", ".join(f"({id_}, {v})" for id_, v in self.rows.elements())
        rows = f"from values {values} as (id, v)" if values else "from (select 0 as id, 0 as v) where false"
        self._sql(
            f"create or replace table {{table}} using iceberg as select cast(id as int) as id, cast(v as int) as v {rows}"
        )

    def _insert(self, rows: list[tuple[int, int]]) -> None:
        self._sql(f"insert into {{table}} values {', '.join(map(str, rows))}")
        self.rows.update(rows)

    def _sql(self, statement: str) -> None:
        self.project.sql(statement.replace("{table}", f"{{schema}}.{self.name}"))


def gained(then: Rows, now: Rows, query: str) -> Rows:
    return Counter({row: n for row, n in (now - then).items() if query == "both" or row[1] % 3 != 0})


RUNS = 8 if is_sweep() else 5


@pytest.mark.sized
@pytest.mark.parametrize("seed", range(size("KINDS_EXAMPLES", 8, full=160) // 8))
def test_a_table_is_every_row_that_its_query_ever_gained(project: Project, seed: int) -> None:
    """Some runs break, at a statement drawn by lot, before it or behind it."""
    luck = random.Random(seed)
    project.sql("create schema {schema}")
    sources = [Source(project, name, random.Random(luck.random())) for name in ("a", "b")]
    text = f"sources: [{{name: src, schema: {project.schema}, tables: [{{name: a}}, {{name: b}}]}}]"
    (project.folder / "models" / "sources.yml").write_text(text)
    models = {f"{query}_{file_format}": query for query in QUERIES for file_format in FORMATS}
    for model, query in models.items():
        config = f"file_format='{model.rsplit('_', 1)[1]}'"
        project.kind(model, QUERIES[query], kind="append", config=config, start=None, capture="snapshot")
    expected: dict[str, Rows] = {model: Counter() for model in models}
    read = {source.name: Counter[tuple[int, int]]() for source in sources}
    told: list[str] = []
    for number in range(RUNS):
        for source in sources:
            told += [f"{number} {source.name}: {source.change()}" for _ in range(luck.randrange(3))]
        with ExitStack() as breaks:
            if number and luck.random() < (0.6 if is_sweep() else 0.4):
                statement, place, done = luck.choice(STATEMENTS), luck.randint(1, 4), luck.random() < 0.5
                broken = breaks.enter_context(broken_connection(statement, number=place, done=done))
                project.dbt("run")
                told.append(f"{number} broken at {broken[0][:60] if broken else 'nothing'}, done: {done}")
        project.operation("release_lease", select=" ".join(models))
        run = project.run()
        for model, query in models.items():
            for source in sources[: 2 if query == "both" else 1]:
                expected[model] += gained(read[source.name], source.rows, query)
            held = Counter(project.sql(f"select id, v from {{schema}}.{model}"))
            assert held == expected[model], (seed, model, told, run.messages)
        read = {source.name: source.rows.copy() for source in sources}
        assert project.sql("show tables in {schema} like '*__kinds_stage_*'") == []
    before = project.events()
    assert set(project.run().messages.values()) == {"incremental: 0 rows"}
    assert project.events() == before

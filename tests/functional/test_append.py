"""What a source gained reaches the table once: random changes beside a multiset that is kept by hand, and runs that break anywhere."""

from __future__ import annotations

import random
from collections import Counter
from contextlib import ExitStack
from typing import Any

import pytest

from tests.functional import table_upkeep
from tests.functional.faults import broken_connection
from tests.functional.formats import formats, table_format
from tests.functional.project import Project
from tests.sweep import is_sweep, size

Rows = Counter[tuple[int, int]]

FORMATS = formats("iceberg,parquet")
# what a table holds of the rows that came
QUERIES = {
    "chosen": "select id, v from {{ dbt_kinds.changes_of(source('src', 'a')) }} as a where v % 3 <> 0",
    "both": "select id, v from {{ dbt_kinds.changes_of(source('src', 'a')) }} as a union all select id, v from {{ dbt_kinds.changes_of(source('src', 'b')) }} as b",
}
# from the first statement of a stage to the last record
STATEMENTS = [r"create table \S*__kinds_stage_", r"insert into \S*__kinds_stage_", "'pending'", r"insert into \S*(chosen|both)_", "'loaded'", "drop table"]  # fmt: skip


class Source:
    """A table `(id int, v int)` of Iceberg, or Delta, and the rows that it holds."""

    def __init__(self, project: Project, name: str, luck: random.Random) -> None:
        self.project, self.name, self.luck = project, name, luck
        self.rows: Rows = Counter()
        project.sql(f"create table {{schema}}.{name} (id int, v int) using {table_format()}")

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
        table_upkeep.compact(self.project, self.name)

    def expire(self) -> None:
        table_upkeep.expire(self.project, self.name)

    def rebuild(self) -> None:
        """Made again with the same rows."""
        values = ", ".join(f"({id_}, {v})" for id_, v in self.rows.elements())
        rows = f"from values {values} as (id, v)" if values else "from (select 0 as id, 0 as v) where false"
        self._sql(
            f"create or replace table {{table}} using {table_format()} as select cast(id as int) as id, cast(v as int) as v {rows}"
        )

    def _insert(self, rows: list[tuple[int, int]]) -> None:
        self._sql(f"insert into {{table}} values {', '.join(map(str, rows))}")
        self.rows.update(rows)

    def _sql(self, statement: str) -> None:
        self.project.sql(statement.replace("{table}", f"{{schema}}.{self.name}"))


def gained(then: Rows, now: Rows, query: str) -> Rows:
    return Counter({row: n for row, n in (now - then).items() if query == "both" or row[1] % 3 != 0})


RUNS = 8 if is_sweep() else 3


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


def test_a_row_that_was_away_comes_again_on_every_format(project: Project) -> None:
    project.sql("create schema {schema}")
    source = Source(project, "a", random.Random(0))
    text = f"sources: [{{name: src, schema: {project.schema}, tables: [{{name: a}}]}}]"
    (project.folder / "models" / "sources.yml").write_text(text)
    for file_format in formats("iceberg,parquet,orc"):
        project.kind(f"of_{file_format}", QUERIES["both"].split(" union")[0], kind="append", config=f"file_format='{file_format}'", start=None, capture="snapshot")  # fmt: skip
    project.sql("insert into {schema}.a values (1, 1), (2, 1)")
    project.run()
    project.sql("delete from {schema}.a where id = 2")
    assert set(project.run().messages.values()) == {"incremental: 0 rows"}
    project.sql("insert into {schema}.a values (2, 1)")
    assert set(project.run().messages.values()) == {"incremental: 1 row"}
    for file_format in formats("iceberg,parquet,orc"):
        assert project.rows(f"select id from {{schema}}.of_{file_format} order by id") == [(1,), (2,), (2,)]
    # a compaction changes the version and no row, and what it was before may expire
    source.compact()
    assert set(project.run().messages.values()) == {"incremental: 0 rows"}
    source.expire()
    project.operation("compact_store", keep_days=0)
    assert set(project.run().messages.values()) == {"incremental: 0 rows"}
    project.sql("insert into {schema}.a values (3, 1)")
    run = project.run()
    assert (set(run.messages.values()), run.errors) == ({"incremental: 1 row"}, "")


@pytest.fixture
def source(project: Project) -> Source:
    """An Iceberg table that dbt knows as source('src', 'a')."""
    project.sql("create schema {schema}")
    (project.folder / "models" / "sources.yml").write_text(
        f"sources: [{{name: src, schema: {project.schema}, tables: [{{name: a}}, {{name: files}}]}}]"
    )
    return Source(project, "a", random.Random(0))


def appended(project: Project, sql: str, file_format: str = FORMATS[0], **meta: object) -> None:
    project.kind("t", sql, kind="append", config=f"file_format='{file_format}'", start=None, **meta)


def captured_by_key(project: Project, sql: str) -> None:
    meta: dict[str, Any] = {"unique_key": "id", "start": None, "capture": "snapshot"}
    project.kind("k", sql, kind="incremental_by_unique_key", config=f"file_format='{FORMATS[0]}'", **meta)


def test_what_nothing_tells_of_is_refused_or_read_again_and_never_doubled(project: Project, source: Source) -> None:
    captured = "select * from {{ dbt_kinds.changes_of(source('src', 'a')) }} as a"
    project.sql("create table {schema}.files using parquet as select 1 as id, 1 as v")
    for sql, words in (
        ("select * from {{ source('src', 'a') }}", "the query reads no changes"),
        (captured.replace("'a')", "'files')"), "has no snapshots"),
    ):
        appended(project, sql, capture="snapshot")
        assert words in project.dbt("run").errors
        assert not project.table_exists("t")
    source.insert()
    appended(project, captured, capture="snapshot", on_source_change="error")
    project.run()
    project.sql("alter table {schema}.a add column more int")
    source.rows.clear()
    project.sql("insert into {schema}.a values (7, 8, 9)")
    assert "upstream schema changed: " in project.dbt("run").errors
    appended(project, captured, capture="snapshot")
    before = project.sql("select count(*) from {schema}.a")[0][0]
    assert (
        project.run().messages["t"].startswith(f"backfill: upstream schema changed: {project.schema}.a, {before} rows")
    )
    assert Counter(project.sql("select * from {schema}.t")) == Counter(project.sql("select * from {schema}.a"))
    # the snapshot of that run expires
    project.sql("insert into {schema}.a values (1, 1, 1)")
    source.expire()
    assert " is gone, so its new rows cannot be determined" in project.dbt("run").errors
    appended(project, captured, capture="snapshot", on_lost_history="reload")
    assert project.run().messages["t"].startswith(f"backfill: history is gone: {project.schema}.a")
    assert Counter(project.sql("select * from {schema}.t")) == Counter(project.sql("select * from {schema}.a"))


def test_an_empty_run_and_a_sample_read_no_changes(project: Project) -> None:
    """dbt renders the captured table as a subquery then."""
    project.sql("create schema {schema}")
    project.sql(f"create table {{schema}}.a (id int, ts timestamp) using {table_format()}")
    project.sql("insert into {schema}.a values (1, timestamp '2024-01-01'), (2, timestamp '2024-01-02')")
    (project.folder / "models" / "sources.yml").write_text(
        f"sources: [{{name: src, schema: {project.schema}, tables: [{{name: a, config: {{event_time: ts}}}}]}}]"
    )
    captured = "select a.id, a.ts from {{ dbt_kinds.changes_of(source('src', 'a')) }} as a"
    appended(project, captured, capture="snapshot")
    captured_by_key(project, captured)
    sample = "{'start': '2024-01-02', 'end': '2024-01-03'}"

    def ids() -> dict[str, list[int]]:
        return {table: [id_ for (id_,) in project.rows(f"select id from {{schema}}.{table}")] for table in ("t", "k")}

    project.run("--empty")
    assert ids() == {"t": [], "k": []}
    project.run("--sample", sample)
    assert ids() == {"t": [], "k": [2]}
    assert project.events() == []
    project.run()
    project.sql("insert into {schema}.a values (3, timestamp '2024-01-02')")
    project.run("--empty")
    project.run("--sample", sample)
    assert ids() == {"t": [1, 2], "k": [1, 2, 3]}
    assert set(project.run().messages.values()) == {"incremental: 1 row", "incremental: 0 rows"}
    assert ids() == {"t": [1, 2, 3], "k": [1, 2, 3]}


def test_a_source_that_gained_a_column_and_no_row_since_is_read_without_it(project: Project, source: Source) -> None:
    captured = "select * from {{ dbt_kinds.changes_of(source('src', 'a')) }} as a"
    captured_by_key(project, captured)
    appended(project, captured, capture="snapshot")
    project.sql("insert into {schema}.a values (1, 10)")
    project.sql("alter table {schema}.a add column more int")
    for flags in ([], ["--full-refresh"]):
        project.run(*flags)
        assert project.sql("select * from {schema}.t") == project.sql("select * from {schema}.k") == [(1, 10)]
    project.sql("insert into {schema}.a values (2, 20, 200)")
    project.run()
    for table in ("t", "k"):
        assert project.rows(f"select id, v, more from {{schema}}.{table}") == [(1, 10, None), (2, 20, 200)]


def test_a_compaction_keeps_what_was_read_last(project: Project, source: Source) -> None:
    """Of loads on days apart, the latest says where the next run goes on, also once all of them are old."""
    captured = "select * from {{ dbt_kinds.changes_of(source('src', 'a')) }} as a"
    meta: dict[str, Any] = {"kind": "append", "start": None, "capture": "snapshot"}
    for file_format in FORMATS:
        project.kind(f"of_{file_format}", captured, config=f"file_format='{file_format}'", **meta)
    project.kind("whole", "select * from {{ source('src', 'a') }}", kind="full", start=None, skip_unchanged=True)
    for day in (2, 5, 6, 9):
        source.insert()
        project.run(now=f"2024-01-0{day}")
    assert project.operation("compact_store", keep_days=0)["events_after"] == 9
    assert project.run(now="2024-01-12").messages == {
        "of_iceberg": "incremental: 0 rows",
        "of_parquet": "incremental: 0 rows",
        "whole": "skip: deps unchanged",
    }
    source.insert()
    project.run(now="2024-01-15")
    for table in ("of_iceberg", "of_parquet", "whole"):
        assert Counter(project.sql(f"select id, v from {{schema}}.{table}")) == source.rows, table


def test_a_run_cannot_be_forgotten_and_all_of_them_can(project: Project, source: Source) -> None:
    appended(project, "select * from {{ dbt_kinds.changes_of(source('src', 'a')) }} as a", capture="snapshot")
    for day in (2, 5):
        source.insert()
        project.run(now=f"2024-01-0{day}")
    forget = "{select: t, start: 2024-01-04, end: 2024-01-05}"
    assert (
        "a range of it cannot be loaded again"
        in project.dbt("run-operation", "dbt_kinds.forget", "--args", forget).errors
    )
    assert project.run(now="2024-01-08").messages["t"] == "incremental: 0 rows"
    project.operation("forget", select="t")
    assert project.run(now="2024-01-08").messages["t"].startswith("backfill: ")
    assert Counter(project.sql("select * from {schema}.t")) == source.rows


def test_a_map_can_be_appended_and_not_compared(project: Project, source: Source) -> None:
    project.sql(f"create or replace table {{schema}}.a (id int, v map<string, int>) using {table_format()}")
    appended(project, "select * from {{ dbt_kinds.changes_of(source('src', 'a')) }} as a", capture="snapshot")
    project.sql("insert into {schema}.a values (1, map('x', 1))")
    project.run()
    project.sql("insert into {schema}.a values (2, map('x', 1))")
    assert project.run().messages["t"] == "incremental: 1 row"
    project.sql("delete from {schema}.a where id = 1")
    assert project.run().messages["t"].startswith("backfill: uncomparable: ")
    assert project.rows("select id from {schema}.t") == [(2,)]


@pytest.mark.core
def test_a_cursor_begins_where_the_table_ends(project: Project, file_format: str) -> None:
    query = "select id, ts from {{ target.schema }}.moments where ts > {{ dbt_kinds.last_value() }}"
    # an hour that comes twice in the zone of the session, and a fraction of a second
    moments = ["2024-10-27 00:30:00+00:00", "2024-10-27 01:30:00.000001+00:00", "2024-10-27 01:30:00.000002+00:00"]
    project.sql("create schema {schema}")
    project.sql(f"create table {{schema}}.moments (id int, ts timestamp) using {file_format}")
    appended(project, query, file_format, capture="cursor", cursor="ts")
    for number, moment in enumerate(moments):
        project.sql(f"insert into {{schema}}.moments values ({number}, timestamp '{moment}')")
        said = project.run().messages["t"]
        assert said == ("backfill: first run, 1 row" if number == 0 else "incremental: 1 row")
    assert project.run().messages["t"] == "incremental: 0 rows"
    assert project.rows("select id from {schema}.t") == [(0,), (1,), (2,)]
    appended(project, query.replace("ts >", "id >"), file_format, capture="cursor", cursor="id")
    project.sql("drop table {schema}.t")
    refused = project.dbt("run")
    assert "cursor_initial '1970-01-01T00:00:00Z' cannot be compared with the column id, which is int" in refused.errors
    appended(
        project, query.replace("ts >", "id >"), file_format, capture="cursor", cursor="nowhere", cursor_initial="-1"
    )
    assert "ColumnNotInOutput: the query has no column nowhere" in project.dbt("run").errors


def test_a_cursor_of_other_kinds_is_where_their_table_ends(project: Project, source: Source) -> None:
    project.sql("insert into {schema}.a values (1, 10), (2, 20)")
    query = "select id, v from {{ source('src', 'a') }} where id > {{ dbt_kinds.last_value() }}"
    cursor = {"cursor": "id", "cursor_initial": "0"}
    models = {
        "keyed": ("incremental_by_unique_key", {"unique_key": "id"}),
        "grouped": ("tracked", {"group_key": "id"}),
        "whole": ("full", {}),
    }
    for name, (kind, meta) in models.items():
        project.kind(name, query, kind=kind, config=f"file_format='{FORMATS[0]}'", **meta, **cursor)
    project.run(now="2024-01-02")
    # a change below the cursor is not seen
    project.sql("update {schema}.a set v = 11 where id = 1")
    project.sql("insert into {schema}.a values (3, 30)")
    project.run(now="2024-01-03")
    rows = {name: sorted(project.rows(f"select id, v from {{schema}}.{name}")) for name in models}
    assert rows == {"keyed": [(1, 10), (2, 20), (3, 30)], "grouped": [(3, 30)], "whole": [(3, 30)]}

"""Features of Delta that people turn on, and tables that others made with them: every kind goes on as on a plain table."""

from __future__ import annotations

from typing import Any

import pytest
from pyspark.sql import SparkSession

from tests.functional.delta import kind, needs_delta, source
from tests.functional.every_kind import BY_DAY, EveryKind
from tests.functional.project import Project

pytestmark = [needs_delta, pytest.mark.sweep]

FEATURES: dict[str, dict[str, Any]] = {
    # rows are marked as deleted instead of files being written anew
    "deletion_vectors": {"delta.enableDeletionVectors": "true", "delta.enableRowTracking": "true", "delta.enableInCommitTimestamps": "true"},
    "column_mapping": {"delta.columnMapping.mode": "name", "delta.enableTypeWidening": "true", "delta.checkpointPolicy": "v2"},
}  # fmt: skip


@pytest.mark.parametrize("name", FEATURES)
def test_every_kind_writes_tables_with(project: Project, name: str) -> None:
    project.settings["models"] = {"+tblproperties": FEATURES[name]}
    project.write_settings()
    project.sql("create schema if not exists {schema}")
    kinds = EveryKind(project, ["delta"], project.sql)
    kinds.load_four_days(lambda: check(kinds))
    properties = dict(project.sql("show tblproperties {schema}.unique_key_delta"))
    assert FEATURES[name].items() <= properties.items()
    kinds.restate_second_day(lambda: check(kinds))
    # what others delete, and how they keep house, harms no later day
    for table in kinds.expected:
        project.sql(f"delete from {{schema}}.{table} where id = 2")
        kinds.expected[table] = [row for row in kinds.expected[table] if row[0] != 2]
    project.sql("reorg table {schema}.unique_key_delta apply (purge)")
    check(kinds)
    kinds.arrive(4)
    project.run(now=kinds.now())
    kinds.load(range(4, 5))
    check(kinds)


def check(kinds: EveryKind) -> None:
    assert kinds.wrong() == {}


LOADING: dict[str, tuple[str, dict[str, Any]]] = {
    "daily": ("incremental_by_time_range", {"time_column": "day"}),
    "by_key": ("incremental_by_unique_key", {"unique_key": "id"}),
    "people": ("scd_type_2_by_column", {"unique_key": "id", "columns": ["n"], "start": None}),
}
MAPPED = ", tblproperties={'delta.columnMapping.mode': 'name', 'delta.enableTypeWidening': 'true'}"


def test_columns_are_dropped_and_widened(project: Project) -> None:
    source(project, "(1, date '2024-01-01'), (2, date '2024-01-02')")
    window = "where day between {{ dbt_kinds.start_date() }} and {{ dbt_kinds.end_date() }}"

    def write(columns: str) -> None:
        for name, (materialized, options) in LOADING.items():
            where = "" if materialized.startswith("scd") else window
            kind(
                project,
                name,
                f"select {columns} from {{{{ target.schema }}}}.source_rows {where}",
                materialized,
                MAPPED,
                on_destructive_change="allow",
                **options,
            )

    write("id, day, id as n, 'x' as gone")
    project.run(now="2024-01-03")
    project.sql("insert into {schema}.source_rows values (3, date '2024-01-03')")
    write("id, day, id + 3000000000 as n")
    project.run(now="2024-01-04")
    assert project.rows("select id, n from {schema}.daily") == [(1, 1), (2, 2), (3, 3000000003)]
    assert project.rows("select id, n from {schema}.by_key") == [(1, 1), (2, 2), (3, 3000000003)]
    assert project.rows("select id, n from {schema}.people where valid_to is null") == [
        (id_, id_ + 3000000000) for id_ in (1, 2, 3)
    ]
    for name in LOADING:
        columns = {row[0]: row[1] for row in project.sql(f"describe table {{schema}}.{name}")}
        assert columns["n"] == "bigint" and "gone" not in columns


# none: Spark's SQL has no such columns of Delta
ADOPTED = {
    "a column that Delta computes": None,
    "a constraint": "create table {schema}.daily (id int not null, ts timestamp) using delta",
    "a shallow clone": "create table {schema}.daily shallow clone {schema}.origin",
}  # fmt: skip


def create_with_a_generated_day(table: str) -> None:
    spark = SparkSession.builder.getOrCreate()
    tables = spark._jvm.io.delta.tables.DeltaTable
    builder = tables.create(spark._jsparkSession).tableName(table).addColumn("id", "int").addColumn("ts", "timestamp")
    day = tables.columnBuilder(spark._jsparkSession, "day").dataType("date").generatedAlwaysAs("cast(ts as date)")
    builder.addColumn(day.build()).execute()


@pytest.mark.parametrize("what", ADOPTED)
def test_a_table_is_taken_over_with(project: Project, what: str) -> None:
    project.sql("create schema if not exists {schema}")
    days = ", ".join(f"({day}, timestamp '2024-01-0{day} 12:00:00+00:00')" for day in (1, 2))
    project.sql(f"create table {{schema}}.source_rows using delta as select * from values {days} as (id, ts)")
    project.sql("create table {schema}.origin using delta as select * from {schema}.source_rows")
    create = ADOPTED[what]
    if create:
        project.sql(create)
    else:
        create_with_a_generated_day(f"{project.schema}.daily")
    if what == "a constraint":
        project.sql("alter table {schema}.daily add constraint small check (id < 100)")
    if what != "a shallow clone":
        project.sql("insert into {schema}.daily (id, ts) select * from {schema}.source_rows")
    # which Delta compares with what a query gives
    columns = "id, ts" if create else "id, ts, cast(ts as date) as day"
    kind(project, "daily", f"select {columns} from {{{{ target.schema }}}}.source_rows {BY_DAY}", time_column="ts")
    project.operation("adopt", select="daily", execute=True, now="2024-01-03")
    # never the newest day, which may lack rows
    assert project.recorded("daily") == [["2024-01-01", "2024-01-02"]]
    project.sql("insert into {schema}.source_rows values (3, timestamp '2024-01-03 12:00:00+00:00')")
    project.run(now="2024-01-04")
    project.sql("update {schema}.source_rows set id = 22 where id = 2")
    project.run(now="2024-01-04", start="2024-01-02", end="2024-01-03")
    assert project.rows("select id from {schema}.daily") == [(1,), (22,), (3,)]
    if what == "a shallow clone":
        assert project.rows("select id from {schema}.origin") == [(1,), (2,)]
    if not create:
        assert project.rows("select day(day) from {schema}.daily") == [(1,), (2,), (3,)]
    if what == "a constraint":
        project.sql("insert into {schema}.source_rows values (100, timestamp '2024-01-04 12:00:00+00:00')")
        assert "small" in project.dbt("run", now="2024-01-05").errors
        project.sql("update {schema}.source_rows set id = 4 where id = 100")
        project.run(now="2024-01-05")
        assert project.rows("select id from {schema}.daily") == [(1,), (22,), (3,), (4,)]

"""Partitions that a query yields are replaced, and nothing else."""

from __future__ import annotations

import pytest

from tests.functional.formats import both_formats
from tests.functional.project import Project, source_rows
from tests.sweep import rest

pytestmark = pytest.mark.core

NOW, LATER = "2024-01-02T08:00:00", "2024-01-03T08:00:00"
SOURCE = "select * from {{ target.schema }}.source_rows"
KINDS = [("incremental_by_partition", {}), ("incremental_unmanaged", {"insert_overwrite": True})]


def source(project: Project, rows: str, columns: str = "id, region, day, n") -> None:
    source_rows(project, rows, columns)


@pytest.mark.parametrize(
    ("file_format", "kind", "options"),
    rest(
        [(file_format, *kind) for file_format in ("iceberg", "parquet", "orc") for kind in KINDS],
        *(("iceberg", *KINDS[0]), ("parquet", *KINDS[0]), ("iceberg", *KINDS[1])),
    ),
)
def test_partitions_of_several_columns_with_null_among_them(
    project: Project, kind: str, options: dict[str, bool], file_format: str
) -> None:
    config = f"file_format='{file_format}', partition_by=['region', 'day']"
    project.kind("sales", SOURCE, kind=kind, config=config, **options)
    source(
        project,
        "(1, 'a', 1, 1), (2, 'a', 2, 1), (3, cast(null as string), 1, 1), (4, cast(null as string), cast(null as int), 1), (5, 'b', 1, 1)",
    )
    project.run(now=NOW)
    source(
        project,
        "(6, 'a', 2, 2), (7, cast(null as string), 1, 2), (8, cast(null as string), cast(null as int), 2), (9, 'c', 9, 2)",
    )
    run = project.run(now=LATER)
    rows = [(1, "a", 1, 1), (5, "b", 1, 1), (6, "a", 2, 2), (7, None, 1, 2), (8, None, None, 2), (9, "c", 9, 2)]
    assert project.rows("select id, region, day, n from {schema}.sales") == sorted(rows, key=repr)
    assert run.messages == {"sales": "OK 1 batch"}


@pytest.mark.parametrize(
    "transform", rest(["days(at)", "bucket(2, id)", "truncate(1, name)", "months(at)"], "bucket(2, id)")
)
def test_partitions_by_a_function_of_a_column(project: Project, transform: str) -> None:
    source(
        project,
        "(1, 'ax', timestamp '2024-01-01 10:00:00'), (2, 'bx', timestamp '2024-02-01 10:00:00'), (3, 'ay', timestamp '2024-01-01 11:00:00')",
        "id, name, at",
    )
    project.kind(
        "sales", SOURCE, kind="incremental_by_partition", config=f"file_format='iceberg', partition_by=['{transform}']"
    )
    project.run(now=NOW)
    before = project.rows("select id, name, at, _partition from {schema}.sales")
    source(project, "(9, 'az', timestamp '2024-01-01 12:00:00')", "id, name, at")
    project.run(now=LATER)
    after = project.rows("select id, name, at, _partition from {schema}.sales")
    partition = next(row[-1] for row in after if row[0] == 9)
    assert [row for row in after if row[0] != 9] == [row for row in before if row[-1] != partition]


@pytest.mark.parametrize("transform", rest(["days(at)", "months(at)", "years(at)"], "days(at)"))
def test_an_audit_of_the_table_knows_which_partitions_stay_in_any_zone(project: Project, transform: str) -> None:
    """Iceberg's partitions are those of UTC, where the first row is of another day, month and year than the others."""
    config, audit = f"file_format='iceberg', partition_by=['{transform}']", {"column_name": "id", "over": "table"}
    project.kind("sales", SOURCE, kind="incremental_by_partition", config=config, audits=[{"unique": audit}])
    project.target["server_side_parameters"]["spark.sql.session.timeZone"] = "Europe/Berlin"
    try:
        source(project, "(1, timestamp '2023-12-31 23:30:00Z'), (2, timestamp '2024-01-01 22:30:00Z')", "id, at")
        project.run(now=NOW)
        source(project, "(1, timestamp '2024-01-01 10:00:00Z')", "id, at")
        assert "unique_id: 1 failure" in project.dbt("run", now=LATER).errors
        source(project, "(2, timestamp '2024-01-01 23:30:00Z'), (3, timestamp '2024-01-01 10:00:00Z')", "id, at")
        project.run(now=LATER)
    finally:
        project.sql("set spark.sql.session.timeZone = UTC")
    assert project.rows("select id from {schema}.sales") == [(1,), (2,), (3,)]


def test_a_query_without_rows_replaces_nothing(project: Project, file_format: str) -> None:
    project.kind(
        "sales", SOURCE, kind="incremental_by_partition", config=f"file_format='{file_format}', partition_by='region'"
    )
    source(project, "(1, 'a', 1, 1)")
    project.run(now=NOW)
    project.sql(
        "create or replace view {schema}.source_rows as select 1 as id, 'a' as region, 1 as day, 1 as n where false"
    )
    assert project.run(now=LATER).messages == {"sales": "OK 1 batch"}
    assert project.rows("select id from {schema}.sales") == [(1,)]


@both_formats
def test_a_table_without_partitions_is_not_emptied(project: Project, file_format: str) -> None:
    project.kind(
        "sales", SOURCE, kind="incremental_by_partition", config=f"file_format='{file_format}', partition_by='region'"
    )
    source(project, "(1, 'a', 1, 1)")
    project.sql(f"create table {{schema}}.sales (id int, region string, day int, n int) using {file_format}")
    project.sql("insert into {schema}.sales values (5, 'b', 1, 1)")
    refused = project.dbt("run", now=NOW)
    assert "has no partitions, and to replace them would replace all of it" in refused.errors
    assert project.rows("select id from {schema}.sales") == [(5,)]


def test_a_partition_by_that_the_table_does_not_have_is_said(project: Project) -> None:
    """By the run, by the doctor and by status; and a run that replaces whole buckets says that, too."""
    source(project, "(1, 'a', 1, 1)")

    def models(by: str, bucket: str) -> None:
        for name, file_format in (("lake", "iceberg"), ("files", "parquet")):
            config = f"file_format='{file_format}', partition_by='{by}'"
            project.kind(name, SOURCE, kind="incremental_by_unique_key", config=config, unique_key="id")
        config = f"file_format='iceberg', partition_by=['{bucket}']"
        project.kind("buckets", SOURCE, kind="incremental_by_partition", config=config)

    models("region", "bucket(4, id)")
    assert [line for line in warnings(project, NOW) if "partition_by" in line] == [
        "model buckets: a run replaces whole partitions, and one of bucket(4, id) holds many values: rows of all of them are removed, unless the query yields "
        "them again; partition_by the columns whose values are replaced"
    ]
    assert {model["partitions"] for model in project.operation("status")["models"]} == {None}

    models("day", "bucket( 4,id )")
    keeps = "partition_by is day, and the table {} is partitioned by region"
    said = [keeps.format(f"{project.schema}.{name}") for name in ("files", "lake")]
    remedy = "rebuild it with --full-refresh, or set partition_by: [region]"
    assert [line for line in warnings(project, LATER) if "partition_by is" in line] == [
        f"model {name}: {words}, which it keeps; {remedy}" for name, words in zip(("files", "lake"), said, strict=True)
    ]
    found = project.operation("doctor", raises=False)["findings"]
    assert sorted(one["wrong"] for one in found) == said
    assert {one["remedy"] for one in found} == {remedy}
    assert [model["partitions"] for model in project.operation("status")["models"]] == [None, *said]
    project.run("--full-refresh", now=LATER)
    assert {model["partitions"] for model in project.operation("status")["models"]} == {None}


def warnings(project: Project, now: str) -> list[str]:
    """What a run warns of, sorted, each in one line."""
    text = " ".join(project.run(now=now).errors.split())
    return sorted(part.strip() for part in text.split("dbt_kinds: ")[1:])

"""Rows by key: what is inserted, what is updated, what is refused; on Iceberg by merge, on files by a new whole."""

from __future__ import annotations

from collections import Counter
from functools import partial
from typing import Any

import pytest

from tests.functional.faults import broken_connection, happening_before
from tests.functional.formats import both_formats
from tests.functional.project import Project, source_rows
from tests.sweep import rest

NOW = "2024-01-02T08:00:00"
LATER = "2024-01-03T08:00:00"
SOURCE = "select * from {{ target.schema }}.source_rows"


def source(project: Project, rows: str, columns: str = "id, region, n") -> None:
    source_rows(project, rows, columns)


def keyed(project: Project, file_format: str, sql: str = SOURCE, **meta: Any) -> None:
    meta = {"unique_key": "id"} | meta
    project.kind("orders", sql, kind="incremental_by_unique_key", config=f"file_format='{file_format}'", **meta)


def rows(project: Project, columns: str = "id, region, n") -> list[tuple[Any, ...]]:
    return project.rows(f"select {columns} from {{schema}}.orders")


@both_formats
def test_a_key_of_columns_and_expressions(project: Project, file_format: str) -> None:
    keyed(project, file_format, unique_key=["id", "upper(coalesce(region, '?'))"])
    source(project, "(1, 'north', 1), (1, 'south', 2), (2, cast(null as string), 3)")
    project.run(now=NOW)
    source(project, "(1, 'NORTH', 10), (2, '?', 30), (3, 'east', 40)")
    project.run(now=LATER)
    assert rows(project) == [(1, "NORTH", 10), (1, "south", 2), (2, "?", 30), (3, "east", 40)]


@both_formats
def test_when_matched_in_several_clauses_the_first_that_applies(project: Project, file_format: str) -> None:
    clauses = """
        when matched and source.n < 0 then delete
        when matched and source.n > target.n then update set target.n = source.n, region = concat(target.region, '>', source.region)
        when matched and source.n = target.n then update set *
    """
    keyed(project, file_format, when_matched=clauses.replace("\n", " "))
    source(project, "(1, 'a', 10), (2, 'a', 10), (3, 'a', 10), (4, 'a', 10)")
    project.run(now=NOW)
    source(project, "(1, 'b', -1), (2, 'b', 20), (3, 'b', 5), (4, 'b', 10), (5, 'b', -5)")
    project.run(now=LATER)
    assert rows(project) == [(2, "a>b", 20), (3, "a", 10), (4, "b", 10), (5, "b", -5)]


@both_formats
def test_a_row_that_fails_the_filter_is_neither_updated_nor_inserted_again(project: Project, file_format: str) -> None:
    keyed(project, file_format, merge_filter="target.n < 100")
    source(project, "(1, 'a', 5), (2, 'a', 500)")
    project.run(now=NOW)
    source(project, "(1, 'b', 6), (2, 'b', 501), (3, 'b', 7)")
    project.run(now=LATER)
    assert rows(project) == [(1, "b", 6), (2, "a", 500), (3, "b", 7)]


def left(project: Project) -> list[Any] | None:
    """The rows of the table, none where a first load that was refused left none; and no stage in any case."""
    assert not project.table_exists("orders__kinds_stage*")
    return rows(project) if project.table_exists("orders") else None


@pytest.mark.core
@pytest.mark.parametrize("is_first", rest([True, False], False))
def test_several_rows_of_a_key_are_refused_with_examples(project: Project, file_format: str, is_first: bool) -> None:
    keyed(project, file_format, unique_key=["id", "region"])
    source(project, "(7, 'a', 1)")
    if not is_first:
        project.run(now=NOW)
    before = rows(project) if not is_first else None
    source(project, "(1, 'a', 1), (1, 'a', 2), (1, 'b', 3), (2, 'x', 1), (2, 'x', 1), (2, 'x', 1)")
    refused = project.dbt("run", now=LATER)
    assert not refused.success
    assert "more than one row for one unique_key, duplicate id, region" in refused.errors
    assert "(2, x) 3 times, (1, a) 2 times" in refused.errors
    assert "duplicate_keys: keep_latest" in refused.errors
    assert left(project) == before


def test_the_latest_of_several_rows_is_kept_from_the_first_load_on(project: Project, file_format: str) -> None:
    keyed(project, file_format, duplicate_keys="keep_latest", order_by="n")
    source(project, "(1, 'a', 1), (1, 'b', 3), (1, 'c', 2), (2, 'a', cast(null as int)), (2, 'b', -1)")
    project.run(now=NOW)
    assert rows(project) == [(1, "b", 3), (2, "b", -1)]
    source(project, "(1, 'd', 9), (1, 'e', 9), (3, 'a', 1)")
    project.run(now=LATER)
    assert rows(project) == [(1, "e", 9), (2, "b", -1), (3, "a", 1)]


@pytest.mark.core
@pytest.mark.parametrize("is_first", rest([True, False], True))
def test_a_key_that_is_null_is_refused(project: Project, file_format: str, is_first: bool) -> None:
    keyed(project, file_format)
    source(project, "(7, 'a', 1)")
    if not is_first:
        project.run(now=NOW)
    source(project, "(1, 'a', 1), (cast(null as int), 'b', 2)")
    refused = project.dbt("run", now=LATER)
    assert "NULL in unique_key: 1 of 2 rows in the batch" in refused.errors
    assert left(project) == (None if is_first else [(7, "a", 1)])


@pytest.mark.core
def test_a_key_that_is_null_can_be_one_like_any_other(project: Project, file_format: str) -> None:
    keyed(project, file_format, null_keys="match")
    source(project, "(1, 'a', 1), (cast(null as int), 'b', 2)")
    project.run(now=NOW)
    source(project, "(1, 'a', 1), (cast(null as int), 'c', 3)")
    project.run(now=LATER)
    assert rows(project) == [(1, "a", 1), (None, "c", 3)]


@both_formats
def test_the_rows_of_a_key_are_replaced_together(project: Project, file_format: str) -> None:
    audits: list[Any] = [{"dbt_kinds.number_of_rows": {"threshold": 4, "over": "table"}}]
    project.kind(
        "orders", SOURCE, kind="incremental_by_unique_key", config=f"file_format='{file_format}', partition_by='region'",
        unique_key=["id % 10"], duplicate_keys="replace_all", null_keys="match", audits=audits,
    )  # fmt: skip
    null = "cast(null as int)"
    source(project, f"(1, 'a', 1), (11, 'b', 1), (2, 'a', 5), ({null}, 'a', 7), (5, 'c', 6), (5, 'c', 6)")
    project.run(now=NOW)
    # rows of 1 move to another partition, those of 2 are as they were, 5 does not come again
    source(project, f"(21, 'b', 1), (21, 'b', 1), (2, 'a', 5), ({null}, 'x', 8), ({null}, 'y', 9)")
    project.run(now=LATER)
    expected = [(21, "b", 1), (21, "b", 1), (2, "a", 5), (None, "x", 8), (None, "y", 9), (5, "c", 6), (5, "c", 6)]
    assert Counter(rows(project)) == Counter(expected)
    source(project, f"(2, 'a', 5), ({null}, 'y', 9), ({null}, 'x', 8)")
    project.run(now="2024-01-04T08:00:00")
    assert Counter(rows(project)) == Counter(expected)


@both_formats
def test_columns_may_be_called_source_and_target_and_bare_names_are_the_tables(
    project: Project, file_format: str
) -> None:
    clauses = "when matched and n < source.n then update set n = n + source.n, source = concat(source.source, source, target.target)"
    keyed(project, file_format, unique_key=["id % 10"], when_matched=clauses)
    source(project, "(11, 'a', 'x', 1), (12, 'b', 'x', 2)", "id, source, target, n")
    project.run(now=NOW)
    source(project, "(21, 'c', 'y', 5), (22, 'd', 'y', 1), (33, 'e', 'y', 9)", "id, source, target, n")
    project.run(now=LATER)
    assert rows(project, "id, source, target, n") == [(11, "cax", "x", 6), (12, "b", "x", 2), (33, "e", "y", 9)]


@both_formats
def test_insert_only_never_touches_a_row_that_is_there(project: Project, file_format: str) -> None:
    keyed(project, file_format, insert_only=True)
    source(project, "(1, 'a', 1)")
    project.run(now=NOW)
    source(project, "(1, 'b', 2), (2, 'b', 2)")
    project.run(now=LATER)
    assert rows(project) == [(1, "a", 1), (2, "b", 2)]


def test_dbts_columns_to_update_and_to_leave(project: Project, file_format: str) -> None:
    for config in ("merge_update_columns=['n']", "merge_exclude_columns=['region']"):
        project.use_schema("t_" + config.split("=")[0])
        project.kind(
            "orders",
            SOURCE,
            kind="incremental_by_unique_key",
            config=f"file_format='{file_format}', {config}",
            unique_key="id",
        )
        source(project, "(1, 'a', 1)")
        project.run(now=NOW)
        source(project, "(1, 'b', 2), (2, 'b', 2)")
        project.run(now=LATER)
        assert rows(project) == [(1, "a", 2), (2, "b", 2)]


def say_that_stages_are_slow(project: Project) -> None:
    """Records the newest loads again, with a stage that took longer than any merge here, also on a busy machine."""
    columns = [name for name, *_ in project.sql("describe {schema}.dbt_kinds_intervals")]
    said = {
        "recorded_at": "concat(substr(recorded_at, 1, 20), '999999')",
        "details": "regexp_replace(details, '\"seconds\": *[0-9.]+', '\"seconds\": 59')",
    }
    project.sql(
        f"insert into {{schema}}.dbt_kinds_intervals select {', '.join(said.get(name, name) for name in columns)} "
        "from {schema}.dbt_kinds_intervals where event = 'loaded' and interval_start = '2024-01-02T00:00:00'"
    )
    slow = project.sql(
        "select distinct relation from {schema}.dbt_kinds_intervals where details like '%\"seconds\": 59%'"
    )
    assert len(slow) >= 2


@pytest.mark.core
def test_a_batch_is_merged_at_once_where_earlier_ones_say_that_it_pays(project: Project) -> None:
    struct = "named_struct('a', n, 'b', region)"
    day = " where day between {{ dbt_kinds.start_date() }} and {{ dbt_kinds.end_date() }}"
    columns = f"id, region, n, day, {struct} as s, timestamp_seconds(n) as ts, cast(n / 3 as decimal(10, 2)) as price"
    sql = f"select {columns} from {{{{ target.schema }}}}.source_rows{day}"
    # Spark cannot tell that what depends on the order of rows is the same when it is read again
    staged = f"select * from (select *, row_number() over (order by n) as number from ({sql}))"
    for name, query, key in (
        ("at_once", sql, "id"),
        ("staged", f"select {columns} from ({staged})", "id"),
        ("two", sql, ["day", "coalesce(region, '?')", "id"]),
    ):
        project.kind(name, query, kind="incremental_by_unique_key", config="file_format='iceberg'", unique_key=key)
    values = [
        "(1, 'a', 1, {day}), (2, 'b', 2, {day})",
        "(2, 'c', 20, {day}), (3, cast(null as string), cast(null as int), {day})",
        "(3, 'd', 30, {day}), (4, '', 4, {day}), (1, cast(null as string), -1, {day})",
        "(9, 'e', 5, {day})",
        "(9, 'e', 5, date '2020-01-01')",
        "(4, 'f', 6, {day}), (5, 'g', 7, {day})",
    ]
    for number, rows_of_day in enumerate(values, start=1):
        source(project, rows_of_day.format(day=f"date '2024-01-0{number}'"), "id, region, n, day")
        run = project.run(now=f"2024-01-0{number + 1}T08:00:00")
        stages = [sent for sent in run.statements if sent.startswith("create table") and "_stage_" in sent.split()[2]]
        # the table is made of a stage, and the first batch after it is staged to see how many rows are equal
        assert len(stages) == (3 if number < 3 else 1), run.statements
        assert project.rows("select * from {schema}.at_once") == project.rows("select * from {schema}.staged")
        if number == 2:
            say_that_stages_are_slow(project)
    assert project.rows("select id, region, n from {schema}.at_once") == [
        (1, None, -1),
        (2, "c", 20),
        (3, "d", 30),
        (4, "f", 6),
        (5, "g", 7),
        (9, "e", 5),
    ]
    assert project.rows("select count(*) from {schema}.two") == [(10,)]
    written = "select rows_written from {schema}.dbt_kinds_intervals where event = 'loaded' and relation like '%.at_once' order by recorded_at"
    assert [rows for (rows,) in project.sql(written)] == [2, 2, 2, 3, 1, 0, 2]
    # the empty one made no commit
    assert project.rows("select count(*) from {schema}.at_once.snapshots") == [(6,)]
    source(project, "(8, 'a', 1, date '2024-01-07'), (8, 'b', 2, date '2024-01-07')", "id, region, n, day")
    refused = project.dbt("run", "--select", "at_once", now="2024-01-08T08:00:00")
    assert "more than one row for one unique_key, duplicate id in the batch" in refused.errors
    assert "(8) 2 times; make the query yield one row for each key" in refused.errors
    source(
        project, "(8, 'a', 1, date '2024-01-07'), (cast(null as int), 'b', 2, date '2024-01-07')", "id, region, n, day"
    )
    assert (
        "NULL in unique_key: 1 of 2 rows in the batch"
        in project.dbt("run", "--select", "at_once", now="2024-01-08T08:00:00").errors
    )
    assert len(project.rows("select * from {schema}.at_once")) == 6
    # what the query finds only when the merge runs it again: a key twice is refused, and what lies beyond the keys that were asked for is too late, as after a stage
    first, too_late = "(8, 'a', 1, date '2024-01-07')", "(9, 'b', 2, date '2024-01-07')"
    for came, words, kept in (
        (first, "duplicate id in the batch 2024-01-07T00:00:00 to 2024-01-08T00:00:00 came while it was loaded: (8) 2 times", [(9, "e", 5)]),
        (too_late, "", [(8, "a", 1), (9, "e", 5)]),
    ):  # fmt: skip
        source(project, first, "id, region, n, day")
        later = partial(source, project, f"{first}, {came}", "id, region, n, day")
        with happening_before("merge into", later):
            run = project.dbt("run", "--select", "at_once", now="2024-01-08T08:00:00")
        assert words in run.errors
        assert run.success == (words == "")
        assert project.rows("select id, region, n from {schema}.at_once where id > 5") == kept


@pytest.mark.core
def test_rows_that_are_equal_are_not_written_again(project: Project) -> None:
    keyed(project, "iceberg")
    source(project, "(1, 'a', 1), (2, 'a', cast(null as int))")
    project.run(now=NOW)
    files = project.rows("select file_path from {schema}.orders.files")
    project.run(now=LATER)
    assert project.rows("select file_path from {schema}.orders.files") == files


def test_lookback_loads_the_days_before_again(project: Project, file_format: str) -> None:
    sql = SOURCE + " where day between {{ dbt_kinds.start_date() }} and {{ dbt_kinds.end_date() }}"
    keyed(project, file_format, sql, lookback=1, unique_key="id, day")
    days = "(1, date '2024-01-01', 1), (1, date '2024-01-02', 1)"
    source(project, days, "id, day, n")
    project.run(now=LATER)
    source(project, "(1, date '2024-01-01', 5), (1, date '2024-01-02', 5), (1, date '2024-01-03', 5)", "id, day, n")
    run = project.run(now="2024-01-04T08:00:00")
    assert run.batches("orders") == [("2024-01-02T00:00:00", "2024-01-04T00:00:00")]
    assert [row[-1] for row in rows(project, "day, n")] == [1, 5, 5]


@pytest.mark.core
def test_columns_and_fields_go_by_name(project: Project, file_format: str) -> None:
    keyed(project, file_format)
    project.sql("create schema if not exists {schema}")
    view = "create or replace view {schema}.source_rows as select "
    project.sql(view + "1 as id, named_struct('a', 1, 'b', 2) as s, 3 as n")
    project.run(now=NOW)
    project.sql(view + "30 as n, 1 as ID, named_struct('b', 20, 'a', 10) as S")
    project.run(now=LATER)
    assert rows(project, "id, s.a, s.b, n") == [(1, 10, 20, 30)]


@pytest.mark.core
def test_a_value_that_does_not_fit_is_an_error_and_not_another_value(project: Project, file_format: str) -> None:
    keyed(project, file_format, on_additive_change="ignore")
    source(project, "(1, 'a', 1)")
    project.run(now=NOW)
    source(project, "(1, 'a', 3000000000)")
    assert not project.dbt("run", now=LATER).success
    assert rows(project) == [(1, "a", 1)]


@pytest.mark.parametrize(
    ("statement", "done"),
    rest(
        [
            ("insert into .*__kinds_stage_.*_whole", True),
            ("'pending'", True),
            ("insert overwrite table", False),
            ("insert overwrite table", True),
            ("'loaded'", False),
            ("'loaded'", True),
            ("drop table", False),
        ],
        ("insert overwrite table", False),
    ),
)
def test_cut_short_while_the_new_whole_is_put_in_place(project: Project, statement: str, done: bool) -> None:
    keyed(project, "parquet", when_matched="when matched then update set target.n = target.n + source.n")
    source(project, "(1, 'a', 1), (2, 'a', 1)")
    project.run(now=NOW)
    source(project, "(1, 'a', 10), (3, 'a', 10)")
    with broken_connection(statement, done=done) as broken_at:
        assert not project.dbt("run", now=LATER, lease_seconds=1).success
    assert broken_at
    if "overwrite" in statement and not done:
        # what a job leaves that dies while it replaces files
        project.sql("truncate table {schema}.orders")
    project.operation("release_lease", select="orders")
    project.run(now=LATER)
    assert rows(project) == [(1, "a", 11), (2, "a", 1), (3, "a", 10)]
    if (statement, done) != ("'loaded'", True):
        # with nothing left to load they stay until there is something
        assert not project.sql("show tables in {schema} like '*__kinds_stage_*'")
    assert project.run(now=LATER).messages == {"orders": "OK up to date"}

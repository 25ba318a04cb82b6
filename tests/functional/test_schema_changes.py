"""Columns that a query gains, loses or changes, on every format, against the rows that should then be there."""

from __future__ import annotations

from typing import Any

import pytest

from tests.functional.faults import broken_connection
from tests.functional.project import Project
from tests.sweep import rest

NOW, LATER = "2024-01-02T08:00:00", "2024-01-03T08:00:00"


def daily(project: Project, columns: str, file_format: str, **meta: Any) -> None:
    """A model with a row a day, of those columns."""
    sql = f"select {columns}, ts from (select {{{{ dbt_kinds.start_dt() }}}} as ts)"
    project.kind("days", sql, config=f"file_format='{file_format}'", **meta)


def first_and_next(project: Project, first: str, then: str, file_format: str, **meta: Any) -> tuple[bool, str]:
    """Loads a day with some columns, the next with others; whether that went, and what it said."""
    daily(project, first, file_format, **meta)
    project.run(now=NOW)
    daily(project, then, file_format, **meta)
    run = project.dbt("run", now=LATER)
    return run.success, run.errors


def rows(project: Project, columns: str) -> list[tuple[Any, ...]]:
    return project.sql(f"select {columns} from {{schema}}.days order by ts")


# ORC is written as Parquet is; the matrix has it
ALL_FORMATS = ["iceberg", "parquet"]
ONE_FORMAT = rest(ALL_FORMATS, "iceberg")


@pytest.mark.core
@pytest.mark.parametrize("file_format", ALL_FORMATS)
def test_a_column_is_added_at_the_end_and_null_in_old_rows(project: Project, file_format: str) -> None:
    went, said = first_and_next(project, "1 as a", "'x' as `b c`, 2 as a", file_format)
    assert went, said
    assert rows(project, "a, `b c`") == [(1, None), (2, "x")]


@pytest.mark.core
@pytest.mark.parametrize("file_format", ONE_FORMAT)
@pytest.mark.parametrize(
    ("first", "then", "words"),
    [
        ("1 as a, 2 as b", "1 as a", "it drops column b"),
        ("1 as a", "'x' as a", "it changes a from int to string"),
        ("named_struct('x', 1, 'y', 2) as s", "named_struct('x', 1) as s", "it drops field s.y"),
        pytest.param(
            *("1 as a, 2 as b", "1 as b, 'x' as c, date '2024-01-01' as a", "it changes a from int to date"),
            marks=pytest.mark.sweep,
        ),
    ],
)
def test_what_would_lose_something_is_refused(
    project: Project, file_format: str, first: str, then: str, words: str
) -> None:
    went, said = first_and_next(project, first, then, file_format)
    assert not went
    assert words in said
    assert "set on_destructive_change: allow" in said
    assert len(rows(project, "*")) == 1


@pytest.mark.parametrize("file_format", ALL_FORMATS)
def test_allowed_a_column_is_dropped(project: Project, file_format: str) -> None:
    went, said = first_and_next(project, "1 as a, 2 as b", "3 as a", file_format, on_destructive_change="allow")
    assert went, said
    assert [row[0] for row in project.sql("describe {schema}.days") if row[0] in ("a", "b")] == ["a"]
    assert rows(project, "a") == [(1,), (3,)]


@pytest.mark.parametrize("file_format", ALL_FORMATS)
def test_allowed_a_type_changes_and_old_values_with_it(project: Project, file_format: str) -> None:
    went, said = first_and_next(
        project, "1 as a, 7 as b", "'x' as a, 8 as b", file_format, on_destructive_change="allow"
    )
    assert went, said
    assert rows(project, "a, b") == [("1", 7), ("x", 8)]


def test_allowed_a_type_changes_only_if_every_value_fits(project: Project) -> None:
    """A plain cast would write the largest bigint, or NULL, without a word."""
    cases = [
        ("1e30 as a", "1L as a", "a", "column a cannot become bigint, because of the value 1.0E30"),
        ("array(named_struct('p', 1e30)) as a", "array(named_struct('p', 1L)) as a", "a[0].p", "a double cannot become bigint, because of the value 1.0E30"),
        ("map('k', 'x') as a", "map('k', 1) as a", "a['k']", "a string cannot become int, because of the value x"),
    ]  # fmt: skip
    for first, then, value, words in cases:
        went, said = first_and_next(project, first, then, "iceberg", on_destructive_change="allow")
        assert not went
        assert f"dbt_kinds: {words}" in said
        before = rows(project, value)
        assert len(before) == 1
        daily(project, first, "iceberg")
        assert project.dbt("run", now=LATER).success
        assert rows(project, value) == before * 2
        project.sql("drop table {schema}.days")


@pytest.mark.parametrize("file_format", ONE_FORMAT)
def test_warn_says_it_and_does_it(project: Project, file_format: str) -> None:
    went, said = first_and_next(
        project,
        "1 as a, 2 as b",
        "3 as a, 4 as c",
        file_format,
        on_destructive_change="warn",
        on_additive_change="warn",
    )
    assert went
    assert "the query drops column b" in said
    assert "the query adds column c (int)" in said
    assert rows(project, "a, c") == [(1, None), (3, 4)]


@pytest.mark.parametrize("file_format", ONE_FORMAT)
def test_ignored_changes_leave_the_table_as_it_is(project: Project, file_format: str) -> None:
    went, said = first_and_next(
        project,
        "1 as a, 2 as b",
        "3 as a, 4 as c",
        file_format,
        on_destructive_change="ignore",
        on_additive_change="ignore",
    )
    assert went, said
    assert rows(project, "a, b") == [(1, 2), (3, None)]
    assert "c" not in [row[0] for row in project.sql("describe {schema}.days")]


def test_a_history_compares_numbers_as_its_table_has_them_where_wider_ones_are_ignored(project: Project) -> None:
    def prices(query: str, day: int, *arguments: str) -> tuple[bool, str]:
        project.kind(
            "prices", query, kind="scd_type_2_by_column", config="file_format='iceberg'", unique_key="id", columns="*", on_additive_change="ignore",
        )  # fmt: skip
        run = project.dbt("run", *arguments, now=f"2024-01-0{day}T06:00:00")
        return run.success, run.errors

    query = "select cast(1 as {id}) as id, cast({price} as {type}) as price"
    versions = "select id, cast(price as string), valid_to is null from {schema}.prices"
    for day, wider in enumerate([False, True, True], start=2):
        narrow = {"id": "int", "type": "decimal(12,1)"}
        given = {"id": "bigint", "type": "decimal(20,2)"} if wider else narrow
        assert prices(query.format(price="1.25", **given), day) == (True, "")
        assert project.rows(versions) == [(1, "1.3", True)]
    wide = {"id": "bigint", "type": "decimal(20,2)"}
    went, said = prices(query.format(price="999999999999", **wide), 5)
    assert not went
    assert "column price is decimal(12,1) in the table, which cannot hold 999999999999.00" in said
    assert prices(query.format(price="2", **wide), 5) == (True, "")
    # a refused full refresh leaves them, and what is recorded of them
    recorded = project.events()
    twice = query.format(price="3", **narrow)
    went, said = prices(f"{twice} union all {twice}", 6, "--full-refresh")
    assert not went
    assert "more than one row for one unique_key" in said
    assert project.events() == recorded
    assert prices(query.format(price="3", **wide), 6) == (True, "")
    assert project.rows(versions) == [(1, "1.3", False), (1, "2.0", False), (1, "3.0", True)]


WIDER = [
    ("1 as a", "3000000000 as a", "bigint", [1, 3000000000]),
    ("cast(1.5 as float) as a", "cast(2.25 as double) as a", "double", [1.5, 2.25]),
    ("cast(1.5 as decimal(3,1)) as a", "cast(1234.5 as decimal(6,1)) as a", "decimal(6,1)", [1.5, 1234.5]),
]


@pytest.mark.parametrize(("first", "then", "type_", "values"), rest(WIDER, WIDER[0]))
def test_iceberg_widens_in_place(project: Project, first: str, then: str, type_: str, values: list[float]) -> None:
    went, said = first_and_next(project, first, then, "iceberg")
    assert went, said
    assert ("a", type_) in [row[:2] for row in project.sql("describe {schema}.days")]
    assert [float(row[0]) for row in rows(project, "a")] == values


@pytest.mark.parametrize("file_format", rest(["parquet", "orc"], "parquet"))
def test_files_are_not_written_anew_for_a_column_that_grew(project: Project, file_format: str) -> None:
    went, said = first_and_next(project, "1 as a", "3000000000 as a", file_format)
    assert not went
    assert "widens a from int to bigint" in said
    assert "--full-refresh" in said
    assert rows(project, "a") == [(1,)]


def test_what_iceberg_cannot_widen_in_place_is_written_anew(project: Project) -> None:
    went, said = first_and_next(project, "1 as a", "cast(2.5 as double) as a", "iceberg")
    assert went, said
    assert rows(project, "a") == [(1.0,), (2.5,)]


def test_fields_of_structs_arrays_and_maps_on_iceberg(project: Project) -> None:
    first = "named_struct('x', 1, 'y', 2) as s, array(named_struct('p', 1)) as l, map('k', named_struct('v', 1)) as m"
    then = (
        "named_struct('y', 20, 'z', named_struct('deep', true), 'x', 3000000000) as s, array(named_struct('q', 5, 'p', 10)) as l, "
        "map('k', named_struct('w', 'new', 'v', 10)) as m"
    )
    went, said = first_and_next(project, first, then, "iceberg")
    assert went, said
    found = rows(project, "s.x, s.y, s.z.deep, l[0].p, l[0].q, m['k'].v, m['k'].w")
    assert found == [(1, 2, None, 1, None, 1, None), (3000000000, 20, True, 10, 5, 10, "new")]


@pytest.mark.parametrize("file_format", rest(["parquet", "orc"], "parquet"))
def test_a_field_of_a_struct_in_files(project: Project, file_format: str) -> None:
    first, then = "named_struct('x', 1, 'y', 2) as s", "named_struct('y', 20, 'x', 10) as s"
    went, said = first_and_next(project, first, then, file_format)
    assert went, said
    assert rows(project, "s.x, s.y") == [(1, 2), (10, 20)]
    daily(project, "named_struct('x', 1, 'y', 2, 'z', 3) as s", file_format)
    assert "adds field s.z" in project.dbt("run", now="2024-01-04T08:00:00").errors


def test_a_column_that_the_table_is_partitioned_by_cannot_go(project: Project, file_format: str) -> None:
    meta = {"on_destructive_change": "allow"}
    project.kind(
        "days",
        "select 1 as a, 'x' as p, {{ dbt_kinds.start_dt() }} as ts",
        config=f"file_format='{file_format}', partition_by=['ts', 'p']",
        **meta,
    )
    project.run(now=NOW)
    project.kind(
        "days",
        "select 1 as a, {{ dbt_kinds.start_dt() }} as ts",
        config=f"file_format='{file_format}', partition_by=['ts', 'p']",
        **meta,
    )
    assert "which is partitioned by it" in project.dbt("run", now=LATER).errors


@pytest.mark.parametrize(
    ("statement", "done"),
    rest(
        [
            (statement, done)
            for done in (True, False)
            for statement in (
                *("'pending'", "insert overwrite", "drop table if exists .*days purge"),
                *("create table .*days\\b", "'settled'"),
            )
        ],
        ("drop table if exists .*days purge", True),
    ),
)
def test_cut_short_while_files_are_written_anew(project: Project, statement: str, done: bool) -> None:
    daily(project, "1 as a, 2 as b", "parquet", on_destructive_change="allow")
    project.run(now=NOW)
    daily(project, "3 as a", "parquet", on_destructive_change="allow")
    with broken_connection(statement, done=done) as broken_at:
        project.dbt("run", now=LATER)
    assert broken_at
    project.operation("release_lease", select="days")
    run = project.run(now=LATER)
    assert rows(project, "a") == [(1,), (3,)], run.log
    assert project.run(now=LATER).messages == {"days": "OK up to date"}
    assert not project.sql("show tables in {schema} like '*__kinds_stage_*'")


def test_more_fields_than_describe_shows(project: Project, file_format: str) -> None:
    fields = ", ".join(f"'f{number}', {number}" for number in range(40))
    went, said = first_and_next(project, f"named_struct({fields}) as s", f"named_struct({fields}) as s", file_format)
    assert went, said
    assert rows(project, "s.f39") == [(39,), (39,)]


@pytest.mark.parametrize("file_format", ALL_FORMATS)
def test_history_compares_values_in_the_types_of_its_table(project: Project, file_format: str) -> None:
    columns = "cast(n as bigint) as id, cast(2.5 as decimal(12,2)) as price, named_struct('x', n, 'y', 'same') as code"
    # narrower types, fields in another order, and one value that differs
    narrower = "cast(n as tinyint) as id, cast(2.5 as decimal(2,1)) as price, named_struct('y', 'same', 'x', if(n = 1, 9, n)) as code"
    for day, selected in enumerate([columns, narrower], start=2):
        project.kind(
            "prices", f"select {selected} from values 0, 1, 2 as given(n)", kind="scd_type_2_by_column",
            config=f"file_format='{file_format}'", unique_key="id", columns="*", invalidate_hard_deletes=True,
        )  # fmt: skip
        run = project.run(now=f"2024-01-0{day}T06:00:00")
    assert any("inserted 1, closed 1, replaced 0, dropped 0" in line for line in run.log), run.log
    assert project.rows("select id, cast(price as string), code.x, valid_to is null from {schema}.prices") == [
        (0, "2.50", 0, True),
        (1, "2.50", 1, False),
        (1, "2.50", 9, True),
        (2, "2.50", 2, True),
    ]

"""Queries of DuckDB in a project of OndatraSQL: what they become, and what is refused at its place."""

from __future__ import annotations

import pytest

from tests.unit.ondatrasql import T, read

S = "FROM {{ source('raw', 's') }} AS s"
WRITTEN = {
    "types": ("select cast(a as timestamp) as a, b::timestamptz as b, c::hugeint as c, d::ubigint as d, e::uinteger as e from raw.s", f"SELECT CAST(a AS TIMESTAMP_NTZ) AS a, CAST(b AS TIMESTAMP) AS b, CAST(c AS DECIMAL(38, 0)) AS c, CAST(d AS DECIMAL(20, 0)) AS d, CAST(e AS BIGINT) AS e {S}"),
    "quotients": ("select a / b as q, a // b as d from raw.s", f"SELECT a / b AS q, a DIV b AS d {S}"),
    "elements and slices of lists": ("select l[1] as a, l[i] as b, [1, 2, 3][1:2] as c from raw.s", f"SELECT TRY_ELEMENT_AT(l, 1) AS a, TRY_ELEMENT_AT(l, NULLIF(i, 0)) AS b, SLICE(ARRAY(1, 2, 3), 1, 2) AS c {S}"),
    "FROM first": ("from raw.s select a", f"SELECT a {S}"),
    "a condition on neighbours": ("select a from raw.s qualify row_number() over (order by b desc, c) = 1", f"SELECT a FROM ( SELECT a, ROW_NUMBER() OVER (ORDER BY b DESC, c NULLS LAST) = 1 AS _keep {S} ) AS _rows WHERE _keep"),
    "texts in another order": ("select string_agg(a, ',' order by b) as t from raw.s", f"SELECT IF( COUNT(a) > 0, ARRAY_JOIN( SORT_ARRAY( COLLECT_LIST( CASE WHEN a IS NOT NULL THEN STRUCT(b IS NULL AS key_1_is_null, b AS key_1, a AS value) END ) ).value, ',' ), NULL ) AS t {S}"),
    "all columns but some": ("select * exclude (b) from (select a, b, c from raw.s) as t", f"SELECT a, c FROM ( SELECT a, b, c {S} ) AS t"),
    "all columns with one changed": ("select * replace (a + 1 as a) from (select a, b from raw.s) as t", f"SELECT a + 1 AS a, b FROM ( SELECT a, b {S} ) AS t"),
    "columns by a pattern": ("select columns('^a') from (select a, ab, b from raw.s) as t", f"SELECT a, ab FROM ( SELECT a, ab, b {S} ) AS t"),
    "an expression of every column": ("select max(columns(* exclude (b))) from (select a, b, c from raw.s) as t", f"SELECT MAX(a) AS a, MAX(c) AS c FROM ( SELECT a, b, c {S} ) AS t"),
    "columns by their names": ("select columns(['c', 'A']) + 1 from (select a, b, c from raw.s) as t", f"SELECT a + 1 AS a, c + 1 AS c FROM ( SELECT a, b, c {S} ) AS t"),
    "Jinja in a text": ("select '{{ x }}' as a from raw.s", f"SELECT '{{{{ '{{{{' }}}} x }}}}' AS a {S}"),
    "a qualified column": ("select raw.s.a from raw.s", f"SELECT s.a {S}"),
}  # fmt: skip


@pytest.mark.parametrize(("sql", "written"), WRITTEN.values(), ids=WRITTEN.keys())
def test_a_query_is_written_for_spark(sql: str, written: str) -> None:
    found = read(sql)
    assert found.found("error") == []
    assert found.query() == written


REFUSED = {
    "files by a function": ("select 1 as x,\n  a\nfrom read_csv('x.csv')", 3, "make a seed"),
    "files of JSON": ("select * from read_json('x.json')", 1, "declare a source"),
    "files of Parquet": ("select * from read_parquet('x/*.parquet')", 1, "declare a source"),
    "a file by its name": ("select *\nfrom 'x.parquet'", 2, "declare a source"),
    "the nearest row": ("select a.x from raw.a asof join raw.b\non a.x >= b.x", 1, "keep the last row"),
    "rows side by side": ("select *\nfrom raw.a\npositional join raw.b", 3, "row_number()"),
    "the short pivot": ("pivot raw.a on b using sum(c)", 1, "write select"),
    "the short pivot below": ("select *\nfrom (pivot raw.a on b using sum(c))", 2, "write select"),
    "the short unpivot": ("unpivot raw.a on b, c into name n value v", 1, "write select"),
    "columns by name": ("select a from raw.a\nunion by name select b from raw.b", 1, "of both sides"),
    "a version": ("select * from raw.a at (version => 3)", 1, "as_of"),
    "a function of lib": ("select a\nfrom crm('x')", 2, "Python model"),
    "a value of lib": ("select crm(a) as x from raw.s", 1, "Python model"),
    "columns that are not known": ("select * exclude (a) from raw.s", 1, "columns of s are not known"),
    "expressions of columns that are not known": ("select max(columns(*)) from raw.s", 1, "columns of s are not known"),
    "a pattern for names": ("select columns('a(.*)') as '\\1' from (select a from raw.s) t", 1, "with their names"),
    "columns in a condition": ("select a from (select a from raw.s) t where columns(*) > 0", 1, "write the conditions"),
    "a function that nobody has": ("select a,\n  frobnicate(b) as f from raw.s", 2, "CREATE FUNCTION"),
    "a function of DuckDB": ("select row(1, 2) as r from raw.s", 1, "no counterpart"),
    "a variable that nobody sets": ("select getvariable('x') as x from raw.s", 1, "no file of config/"),
    "a share of rows": ("select a from raw.s limit 10%", 1, "percent_rank()"),
    "a comprehension": ("select [x for x in l] as l from raw.s", 1, "list_transform()"),
    "a summary": ("summarize raw.s", 1, "write a query"),
    "no query": ("insert into x select 1", 1, "is no query"),
    "a recursive query": ("with recursive r as (select 1 as n union all select n + 1 from r) select n from r", 1, "RECURSIVE"),
}  # fmt: skip


@pytest.mark.parametrize(("sql", "line", "words"), REFUSED.values(), ids=REFUSED.keys())
def test_what_is_not_carried_over_is_refused_with_its_place(sql: str, line: int, words: str) -> None:
    found = read({T: sql, "lib/crm.star": ""})
    assert found.found("error") == [("UnsupportedSql", line)]
    assert words in next(one.message for one in found.findings if one.severity == "error")


def test_all_of_it_is_told() -> None:
    found = read("select *\nfrom raw.a positional join raw.b\nunion by name\nselect * from 'x.csv'")
    assert [line for code, line in found.found("error")] == [1, 2, 4]


@pytest.mark.parametrize(
    "kind", ["merge\n-- @unique_key: id", "tracked\n-- @group_key: id", "scd2\n-- @unique_key: id"]
)
def test_some_rows_are_no_state_of_a_kind_that_compares(kind: str) -> None:
    found = read(f"-- @kind: {kind}\nselect id from raw.s limit 3")
    assert found.found("error") == [("UnsupportedSql", 3)]


def test_some_rows_of_an_append_are_refused_by_their_shape_or_beside_a_cursor() -> None:
    assert read("-- @kind: append\nselect id from raw.s limit 3").found("error") == [("limit", 2)]
    text = (
        "-- @kind: append\n-- @incremental: id\nselect id from raw.s where id > getvariable('incr_last_value') limit 3"
    )
    assert read(text).found("error") == [("UnsupportedSql", 3)]


def test_some_rows_of_a_table_are_the_author_s_matter() -> None:
    assert read("select id from raw.s order by id limit 3").found("error") == []


def test_a_place_is_the_file_s_line_and_column() -> None:
    found = read("-- a\n-- @kind: table\n\nselect\n  a,\n  frobnicate(b) as f\nfrom raw.s")
    assert [(one.place.line, one.place.column) for one in found.findings if one.severity == "error"] == [(6, 3)]


def test_a_macro_is_looked_into_at_the_place_of_its_call() -> None:
    files = {
        "config/m.sql": "create macro inner(a) as row(a, 1); create macro outer(a) as inner(a);",
        T: "select\n  outer(x) as r\nfrom raw.s",
    }
    assert read(files).found("error") == [("UnsupportedSql", 2)]
    again = {"config/m.sql": "create macro f(a) as f(a) + 1", T: "select f(x) as r from raw.s"}
    assert read(again).found("error") == [("UnsupportedSql", 1)]
    wrong = {"config/m.sql": "create macro f(a, b) as a + b", T: "select f(x) as r from raw.s"}
    assert "f(a, b)" in next(one.message for one in read(wrong).findings if one.severity == "error")


MACROS = """
create macro is_odd(x) as x = 1 or x = 3;
create macro both(a, b) as a and b;
create macro squared(a) as a ** 2;
create macro alike(a) as a ~ 'x.*';
create macro sized(a) as case when a > 10 then 'big' else 'small' end;
create macro same(a) as a;
create macro closed(a) as (a or false);
"""
EXPANDED = {
    "alternatives beside a condition": ("is_odd(id) and v > 10", "(id = 1 OR id = 3) AND v > 10"),
    "alternatives that are negated": ("not is_odd(v)", "NOT (v = 1 OR v = 3)"),
    "alternatives as an argument": ("both(id = 1 or id = 2, v > 10)", "((id = 1 OR id = 2) AND (v > 10))"),
    "alternatives of another macro": ("both(is_odd(id), v > 10)", "((id = 1 OR id = 3) AND (v > 10))"),
    "an argument returned as it is": ("same(a or b) and c", "(a OR b) AND c"),
    "an operator that is written as a function": ("-squared(a) < 0", "-(POWER(a, 2)) < 0"),
    "a match that is negated": ("not alike(s)", "NOT (s RLIKE '(?d)x.*')"),
    "a case": ("sized(v) = 'big'", "CASE WHEN v > 10 THEN 'big' ELSE 'small' END = 'big'"),
    "a call as an argument": ("both(starts_with(s, 'a'), b)", "(STARTSWITH(s, 'a') AND b)"),
    "parentheses of the macro's own": ("closed(a) and b", "(a OR FALSE) AND b"),
}  # fmt: skip


@pytest.mark.parametrize(("condition", "written"), EXPANDED.values(), ids=EXPANDED.keys())
def test_a_macro_is_one_operand_where_it_is_called_and_so_are_its_arguments(condition: str, written: str) -> None:
    found = read({"config/m.sql": MACROS, T: f"select id from raw.s where {condition}"})
    assert found.found("error") == []
    assert found.query() == f"SELECT id {S} WHERE {written}"

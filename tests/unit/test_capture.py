"""Which tables of a query are read as change sets, and which queries may not be: each with the codes of ondatrasql.md, 4.3."""

from __future__ import annotations

import pytest
from sqlglot import exp, parse_one

from dbt_kinds.analysis.capture import LIFTED, NOT_LIFTED, captured
from dbt_kinds.readers.ondatrasql.tables import table_key
from dbt_kinds.readers.table_placeholders import is_read_table
from tests.unit.ondatrasql import read

ADMITTED = {
    "a plain read": ("select id, x from raw.a where x > 1 order by id", ["a"]),
    "look-ups to the right": ("select a.id from raw.a left join raw.b on true join raw.c on true cross join raw.d, raw.e", ["a"]),
    "look-ups in conditions": ("select id from raw.a where id in (select max(id) from raw.b group by x) and not exists (select 1 from raw.c)", ["a"]),
    "a scalar of a look-up": ("select id, (select max(x) from raw.b) as m from raw.a", ["a"]),
    "a look-up of any shape": ("with b as (select distinct on (id) id from raw.b limit 3) select a.id from raw.a join b using (id)", ["a"]),
    "semi and anti joins": ("select id from raw.a semi join raw.b using (id) anti join raw.c using (id)", ["a"]),
    "a derived table": ("select id from (select id from (select id from raw.a) x where id > 1) y", ["a"]),
    "CTEs one below the other": ("with x as (select id from raw.a), y as (select * from x) select id from y", ["a"]),
    "a join in parentheses": ("select id from (raw.a join raw.b using (id))", ["a"]),
    "lists taken apart": ("select a.id, u.x from raw.a a, unnest(a.items) as u(x)", ["a"]),
    "branches": ("select id from raw.a union all select id from raw.b union all (select id from raw.c)", ["a", "b", "c"]),
    "one table in two branches": ("select id from raw.a where x union all select id from raw.a where y", ["a", "a"]),
    "one CTE in two branches": ("with c as (select id from raw.a) select id from c where id > 1 union all select id from c where id < 1", ["a"]),
    "a CTE with the name of a table": ("with b as (select id from raw.a) select b.id from b join raw.b as l using (id)", ["a"]),
}  # fmt: skip


@pytest.mark.parametrize(("sql", "driving"), ADMITTED.values(), ids=ADMITTED.keys())
def test_a_query_that_gains_what_its_changes_give_is_admitted(sql: str, driving: list[str]) -> None:
    found = captured(parse_one(sql, dialect="duckdb"), table_key, is_read_table)
    assert [unfit.code.name for unfit in found.unfit] == []
    assert [table.name for table in found.driving] == driving


REFUSED = {
    "a total": ("select sum(x) as x from raw.a", ["aggregates"]),
    "groups": ("select x, count(*) as n from raw.a group by x having count(*) > 1", ["aggregates"]),
    "groups below": ("with g as (select x, max(id) as id from raw.a group by x) select * from g", ["aggregates"]),
    "a filtered total": ("select count(*) filter (where x) as n from raw.a", ["aggregates"]),
    "an aggregate that only DuckDB knows": ("select product(x) as p from raw.a", ["aggregates"]),
    "distinct rows": ("select distinct id from raw.a", ["distinct"]),
    "a union of sets": ("select id from raw.a union select id from raw.b", ["set_operation"]),
    "what is in both": ("select id from raw.a intersect all select id from raw.b", ["set_operation"]),
    "what is not in the other": ("select id from raw.a except select id from raw.b", ["set_operation"]),
    "branches below the top": ("select id from (select id from raw.a union all select id from raw.b) x", ["set_operation"]),
    "a number of rows": ("select id, row_number() over (order by id) as n from raw.a", ["window_functions"]),
    "a total of neighbours": ("select id, sum(x) over (partition by y) as n from raw.a", ["window_functions"]),
    "a filtered total of neighbours": ("select id, sum(x) filter (where y) over () as n from raw.a", ["window_functions"]),
    "a condition on neighbours": ("select id from raw.a qualify row_number() over (partition by id order by x) = 1", ["window_functions"]),
    "some rows": ("select id from raw.a limit 5", ["limit"]),
    "later rows": ("select id from raw.a offset 5", ["limit"]),
    "some rows of all branches": ("select id from raw.a union all select id from raw.b limit 5", ["limit"]),
    "some rows below": ("select id from (select id from raw.a limit 5) x", ["limit"]),
    "any rows": ("select id from raw.a using sample 10", ["limit"]),
    "a self-join": ("select a.id from raw.a join raw.a as b using (id)", ["driving_twice"]),
    "the table in a condition": ("select id from raw.a where id in (select id from raw.a)", ["driving_twice"]),
    "the table in another CTE": ("with b as (select id from raw.a) select a.id from raw.a join b using (id)", ["driving_twice"]),
    "a CTE joined with itself": ("with b as (select id from raw.a) select x.id from b as x join b as y using (id)", ["driving_twice"]),
    "a look-up that another branch follows": ("with x as (select id from raw.a) select id from x union all select b.id from raw.b join x using (id)", ["driving_twice"]),
    "rows of a look-up without a partner": ("select a.id from raw.a right join raw.b using (id)", ["outer_join"]),
    "rows of both without a partner": ("select a.id from raw.a full join raw.b using (id)", ["outer_join"]),
    "no table": ("select 1 as id", ["no_driving_table"]),
    "a function": ("select * from range(3)", ["no_driving_table"]),
    "one branch without a table": ("select id from raw.a union all select 1", ["no_driving_table"]),
    "all that is wrong": ("select distinct count(*) as n from raw.a full join raw.a as b using (id) limit 3", ["limit", "distinct", "aggregates", "outer_join", "driving_twice"]),
}  # fmt: skip


@pytest.mark.parametrize(("sql", "codes"), REFUSED.values(), ids=REFUSED.keys())
def test_a_query_that_would_give_other_rows_is_not(sql: str, codes: list[str]) -> None:
    found = captured(parse_one(sql, dialect="duckdb"), table_key, is_read_table)
    assert [unfit.code.name for unfit in found.unfit] == codes


def test_every_code_has_a_query() -> None:
    assert {code for _, codes in REFUSED.values() for code in codes} == {code.name for code in LIFTED | NOT_LIFTED}


def test_shapes_are_told_with_line_and_column() -> None:
    found = read("-- @kind: append\nselect id,\n  count(*) as n\nfrom raw.s\ngroup by id\nlimit 5")
    told = [(one.code.name, one.place.line, one.place.column) for one in found.findings if one.severity == "error"]
    assert told == [("aggregates", 5, 10), ("limit", 6, 7)]


def test_native_sql_of_spark_is_asked_the_same() -> None:
    tree = parse_one("select collect_list(x) as l from raw.a", dialect="spark")
    assert [unfit.code.name for unfit in captured(tree, lambda table: table.name, lambda table: bool(table)).unfit] == [
        "aggregates"
    ]
    assert isinstance(tree, exp.Select)

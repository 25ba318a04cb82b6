"""Queries of DuckDB's give the same rows after they were written for Spark; DuckDB runs both.

Spark's forms that DuckDB lacks are put into its own words here; tests/functional/test_dialects.py runs such queries on Spark.
"""

from __future__ import annotations

import re

import duckdb
import pytest
from sqlglot import exp

from dbt_kinds.translation.aliases import write_aliases_out
from dbt_kinds.translation.dialects import parse_statement
from dbt_kinds.translation.star_expansion import Columns
from dbt_kinds.translation.target import SparkTarget

TABLES = """
create table x as select * from (values
    (1, 10, 5, [1, 2, 11]), (1, 20, 3, [3]), (2, 7, 1, []), (2, 7, 4, null), (3, null, 2, [2, 7])
) as v(id, n, m, items);
create table y as select * from (values (1, 100), (2, 200), (2, 201), (7, 700)) as v(id, v);
"""

LISTS = [
    "select x.id, e from x, unnest(x.items) as t(e)",
    "select x.id, e from x left join unnest(x.items) as t(e) on true",
    "select x.id, t.e from x left join lateral unnest(x.items) as t(e) on true where x.n > 1",
    "select x.id, e from x join unnest(x.items) as t(e) on t.e > x.id",
    "select x.id, e from x left join unnest(x.items) as t(e) on t.e > x.id",
    "select x.id, e, v from x cross join unnest(x.items) as t(e) join y on y.id = e",
    "select x.id, e, v from x cross join unnest(x.items) as t(e) left join y on y.id = e",
    "select x.id, e, v from x left join unnest(x.items) as t(e) on true left join y on y.id = e",
    "select x.id, e, v from x cross join unnest(x.items) as t(e) right join y on y.id = e",
    "select x.id, e, v from x join y on y.id = x.id left join unnest(x.items) as t(e) on true",
    "select x.id, e, f from x left join unnest(x.items) as t(e) on true join unnest([x.id, e]) as u(f) on f = e",
]

# names that are columns and aliases; what stands beside QUALIFY applies to the rows that are left
CHOICES = [
    "select id, m from x qualify row_number() over (partition by id order by m) = 1",
    "select * from x qualify row_number() over (partition by id order by m) = 1",
    "select x.id, coalesce(x.n, x.m) as n, m from x qualify row_number() over (partition by x.id order by x.n, m) = 1",
    "select id, -n as n from x qualify row_number() over (partition by id order by n, m) = 1",
    "select id, n as m, m as n from x qualify sum(n) over (partition by id) > 10",
    "select id, n + 1 as n from x qualify n = max(n) over (partition by id)",
    "select id, -m as k from x qualify row_number() over (partition by id order by k) = 1 and k < 0",
    "select *, row_number() over (partition by id order by m) as r from x qualify r = 1",
    "select m, *, row_number() over (order by m) as r from x qualify r < 4 order by x.id desc, m limit 2",
    "select id, row_number() over (partition by id order by m) as r from x qualify r = 1",
    "select id, m from x qualify row_number() over (partition by id order by m desc) = 1 order by m limit 2",
    "select id from x qualify row_number() over (partition by id order by m desc) = 1 order by x.m desc limit 1",
    "select id, -m as m from x qualify row_number() over (order by x.m) < 4 order by m limit 1",
    "select id, -m as m from x qualify row_number() over (order by x.m) < 4 order by m + 0 limit 1",
    "select distinct id from x qualify row_number() over (partition by n order by m) = 1",
    "select id, count(*) as c from x group by id having count(*) > 0 qualify c = max(c) over () order by sum(m) limit 1",
    "select distinct on (id) * from x order by id, m desc",
    "select distinct on (id) x.* from x order by x.m",
    "select distinct on (1) id, m from x order by 1, 2 desc",
    "select distinct on (k) -id as k, m from x order by k, 2",
    "select distinct on (id) id, -m as m from x order by id, m",
    "select distinct on (id) id, -m as m from x order by id, m + 0",
    "select distinct on (id) id, -m as m from x order by id, x.m",
    "select distinct on (id) id, m from x order by id desc, m limit 2",
    "select distinct on (id) id, m from x order by n, m limit 1",
    "select distinct on (id, n) id, n, m from x order by m desc limit 3",
    "select distinct on (id % 2) id % 2 as odd, m from x order by id % 2, m",
    "select distinct on (id) id, count(*) as c from x group by id, n order by id, count(*), n",
    "with a as (select distinct on (id) * from x order by id, m desc) select id, m from a union all select id, m from x",
    "select distinct on (id) id, n from x where m > 1 order by id, coalesce(n, 0)",
    "select id from (select * from x qualify row_number() over (partition by id order by m) = 1) qualify row_number() over (order by m desc) < 3",
]

_VIEW = re.compile(r"LATERAL VIEW (OUTER )?EXPLODE\(([^ ]+)\) (\w+) AS (\w+)")


def columns_of(table: exp.Table) -> Columns | None:
    known = {"x": ["id", "n", "m", "items"], "y": ["id", "v"]}
    return [(name, None) for name in known[table.name]] if table.name in known else None


def written(query: str) -> str:
    tree = parse_statement(query, "duckdb")
    assert list(write_aliases_out(tree, "duckdb", columns_of)) == []
    return SparkTarget().translate(tree, "duckdb", query).text


def in_duckdb(text: str) -> str:
    text = _VIEW.sub(
        lambda found: (
            f"{'LEFT' if found[1] else 'INNER'} JOIN LATERAL EXPLODE({found[2]}) AS {found[3]}({found[4]}) ON TRUE"
        ),
        text,
    )
    text = re.sub(r"STRUCT\((x\.)?\*\)", "{id: id, n: n, m: m, items: items}", text)
    return text.replace("EXPLODE(", "UNNEST(").replace("ARRAY(", "LIST_VALUE(")


@pytest.mark.parametrize("query", LISTS + CHOICES)
def test_rows_are_the_same(query: str) -> None:
    theirs, ours = duckdb.connect(), duckdb.connect()
    ours.execute(f"{TABLES}; set default_null_order = 'nulls_first_on_asc_last_on_desc'")
    theirs.execute(TABLES)
    expected = theirs.execute(query).fetchall()
    found = ours.execute(in_duckdb(written(query))).fetchall()
    assert sorted(map(repr, found)) == sorted(map(repr, expected))

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
from dbt_kinds.translation.star import Columns
from dbt_kinds.translation.translate import translate

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

_VIEW = re.compile(r"LATERAL VIEW (OUTER )?EXPLODE\(([^ ]+)\) (\w+) AS (\w+)")


def columns_of(table: exp.Table) -> Columns | None:
    known = {"x": ["id", "n", "m", "items"], "y": ["id", "v"]}
    return [(name, None) for name in known[table.name]] if table.name in known else None


def written(query: str) -> str:
    tree = parse_statement(query, "duckdb")
    assert list(write_aliases_out(tree, "duckdb", columns_of)) == []
    return translate(tree, "duckdb", query).text


def in_duckdb(text: str) -> str:
    text = _VIEW.sub(
        lambda found: (
            f"{'LEFT' if found[1] else 'INNER'} JOIN LATERAL EXPLODE({found[2]}) AS {found[3]}({found[4]}) ON TRUE"
        ),
        text,
    )
    return text.replace("EXPLODE(", "UNNEST(").replace("ARRAY(", "LIST_VALUE(")


@pytest.mark.parametrize("query", LISTS)
def test_rows_are_the_same(query: str) -> None:
    theirs, ours = duckdb.connect(), duckdb.connect()
    ours.execute(f"{TABLES}; set default_null_order = 'nulls_first_on_asc_last_on_desc'")
    theirs.execute(TABLES)
    expected = theirs.execute(query).fetchall()
    found = ours.execute(in_duckdb(written(query))).fetchall()
    assert sorted(map(repr, found)) == sorted(map(repr, expected))

"""Queries in Postgres' dialect, compiled, give on Spark the rows that Postgres gives.

KINDS_POSTGRES is the address of a Postgres whose schema db may be dropped; psycopg2 must be installed.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from typing import Any

import pytest

from tests.functional.compiled_query import TABLE, compared, rows_on_spark
from tests.functional.test_functions import given, said
from tests.traps import ROWS, TYPES, shown, traps

pytestmark = pytest.mark.skipif("KINDS_POSTGRES" not in os.environ, reason="KINDS_POSTGRES names no server")

QUERIES = [
    "select name, array_agg(price order by id) as a, array_agg(price order by price desc) as b, array_agg(distinct price) as c from db.t group by name",
    "select name, array_agg(id order by id) filter (where id > 2) as a, (array_agg(id order by price desc nulls last, id desc))[1] as b from db.t group by name",
    "select array_agg(id) as a, string_agg(name, ',') as b from db.t where id > 100",
    "select name, string_agg(name, ',' order by name) as a, string_agg(distinct name, '+') filter (where id > 4) as b from db.t group by name",
    "select id, array_agg(price) over (order by id) as a, string_agg(name, ',') over (order by id) as b from db.t",
    "select id, (select array_agg(id) from db.t as i where i.id > o.id + 3) as a from db.t as o",
    "select id, u, o from db.t, unnest(array['a', 'b']) with ordinality as x(u, o)",
    "select u, o from unnest(array[3, 1]) with ordinality as x(u, o)",
    "select generate_series('2024-01-01'::date, '2024-01-03'::date, '1 day'::interval)::date as day",
    "select g.i from generate_series(1, 10, 4) as g(i)",
    "select mode() within group (order by name) as a from db.t",
    "select sum(id) / count(*) as a, avg(id)::int as b, count(*) / 2 as c, max(id) / 2 as e, round(avg(price)) as f from db.t",
    "select id, left(name || 'abc', -1) as a, right(name || 'abc', -2) as b, substr('abc', 0, 2) as c, substr('abc', -1, 4) as e, substr('abc', -1) as f from db.t",
    "select id, substring('xAyA' from 'A(.)') as a, substring('xAyA' from '[yz]') as b, substring(name from 'z') as c from db.t",
    "select id, round(price) as a, round(0.5) as b, round(2.5::double precision) as c, trunc(price) as e, price::int as f from db.t",
    "select id, to_char(t, 'YYYY-MM-DD\"T\"HH24:MI:SS') as a, to_char(t, 'DD Mon YY') as b, to_char(t, 'hh12:mi AM') as c, to_char(d, 'Q DDD') as e, to_char(t, 'SS.MS') as f from db.t",
    "select id, to_timestamp('2024-01-02T03:04', 'YYYY-MM-DD\"T\"HH24:MI')::timestamp as a, to_date('02 Jan 2024', 'DD Mon YYYY') as b, to_date('20240102', 'YYYYMMDD') as c from db.t",
    "select id, extract(epoch from to_timestamp(1.5)) as a, date_trunc('hour', t) as b, date_trunc('week', d)::date as c, extract(dow from d) as e, extract(isodow from d) as f from db.t",
    "select id, array_position(array[1, 2], 5) as a, array_position(array[1, 2], id) as b, string_to_array('a,b', ',') as c, array_length(string_to_array('', ','), 1) as e from db.t",
    "select id, name like any (array['x%', 'z']) as a, id <> all (array[1, 2]) as b, id = any (array[1, 2]) as c from db.t",
    "select id, encode(sha256(coalesce(name, '')::bytea), 'hex') as a, md5(name) as b, encode('\\xAABB'::bytea, 'base64') as c, to_hex(id + 250) as e from db.t",
    "select id, (coalesce(name, '') || 'bcdef')::varchar(3) as a, cast(id + 1000 as varchar(2)) as b, cast(price as float(24)) as c, cast('12.5' as money)::numeric(10, 2) as e from db.t",
    "select id, any_value(price) over () is null as a, regexp_replace('xyz', '(y)', '<\\1\\&>') as b from db.t where id = 1",
    "select id, d - date '2024-01-01' as a, d + 1 as b, d + interval '1 month' as c, t - interval '1 year 2 months' as e, t + id * interval '1 hour' as f from db.t",
]


@pytest.fixture(scope="module")
def postgres() -> Any:
    """A cursor of a server that has the table."""
    connection = pytest.importorskip("psycopg2").connect(os.environ["KINDS_POSTGRES"])
    connection.autocommit = True
    cursor = connection.cursor()
    cursor.execute(f"set timezone = 'UTC'; drop schema if exists db cascade; create schema db; {TABLE}")
    return cursor


def test_examples_give_in_postgres_what_the_table_says(postgres: Any) -> None:
    wrong = []
    for query, gives in given("postgres"):
        postgres.execute(query)
        made = said(postgres.fetchall())
        if made != gives:
            wrong.append((query, gives, made))
    assert not wrong


def test_values_of_traps_are_those_that_postgres_gives(postgres: Any) -> None:
    extras = pytest.importorskip("psycopg2.extras")
    for register in (extras.register_default_json, extras.register_default_jsonb):
        register(postgres, loads=lambda text: text)
    postgres.execute(f"create temporary table t as {_table_of_traps()}")
    wrong = []
    for trap in traps("postgres"):
        if trap.typed != "refused":
            postgres.execute(trap.query)
            found = shown(postgres.fetchall())
            if found != trap.values:
                wrong.append((trap.query, trap.values, found))
    assert not wrong


def _table_of_traps() -> str:
    kinds = {"double": "double precision", "float": "real", "string": "text", "array<int>": "int[]"}
    columns = [f"cast({name} as {kinds.get(kind, kind)}) as {name}" for name, kind in TYPES.items()]
    rows = ", ".join(re.sub(r"LIST\((.*?)\)", r"array[\1]::int[]", f"({row})") for row in ROWS)
    return f"select {', '.join(columns)} from (values {rows}) as v ({', '.join(TYPES)})"


@pytest.mark.parametrize("query", QUERIES)
def test_a_compiled_query_gives_the_rows_of_postgres(local_spark: Mapping[str, Any], postgres: Any, query: str) -> None:
    postgres.execute(query)
    assert rows_on_spark(query, "postgres") == compared(postgres.fetchall())

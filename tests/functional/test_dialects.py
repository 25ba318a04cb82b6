"""Queries in DuckDB's dialect, compiled, give on Spark the rows that DuckDB gives."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import duckdb
import pytest

from tests.functional.compiled_query import TABLE, compared, rows_on_spark

QUERIES = [
    "select id, row_number() over (order by price, id) as n from db.t",
    "select id, row_number() over (order by price desc, id) as n from db.t",
    "select id, first_value(price) over (partition by name order by price, id) as low from db.t",
    "select id, price from db.t order by price, id limit 2",
    "select id, price from db.t order by price desc, id limit 2",
    "select id from db.t qualify row_number() over (partition by name order by price desc, id) = 1",
    "select * from db.t qualify count(*) over (partition by name) = 2",
    "select name, sum(price) as total from db.t group by name qualify rank() over (order by sum(price) desc) = 1",
    "select name, sum(price) as total from db.t group by name qualify row_number() over (order by total, name) < 3",
    "select name as n, count(*) as c from db.t group by name having count(*) > 0 qualify c = max(c) over () order by n limit 5",
    "select a.id, coalesce(a.price, a.id) as price from db.t as a qualify row_number() over (partition by a.name order by a.price, a.id) = 1",
    "select a.*, row_number() over (partition by name order by id) as r from db.t as a qualify r = 1 order by a.id * -1 limit 2",
    "select id, row_number() over (partition by name order by id) as r from (select id, name from db.t) qualify r = 1",
    "select id from db.t qualify row_number() over (partition by name order by id) = 1 order by d, id desc limit 2",
    "select distinct name from db.t qualify row_number() over (partition by price order by id) = 1",
    "select distinct on (name) name, id from db.t order by name, id desc",
    "select distinct on (name) * from db.t order by name, id desc",
    "select distinct on (1) name, -id as id from db.t order by 1, id limit 2",
    "select distinct on (name) name, price from db.t order by id desc limit 1",
    # joined lists: in the place of the join where it has a condition, or a join after it
    "select a.id, e from db.t as a left join unnest(case when a.id > 1 then [a.id, a.id + 3] end) as l(e) on true",
    "select a.id, e from db.t as a left join unnest([a.id, 3]) as l(e) on l.e > a.id",
    "select a.id, e, b.name from db.t as a join unnest([a.id, 3]) as l(e) on e < 9 left join db.t as b on b.id = e + 1",
    "select a.id, e, n, b.name from db.t as a, unnest([a.id, 3]) with ordinality as l(e, n) join db.t as b on b.id = e and n = 2",
    "select * exclude (t, d) from db.t",
    "select * replace (id * 2 as id) from db.t",
    "select name, string_agg(cast(id as varchar), '+' order by cast(id as varchar)) as ids from db.t group by name",
    "select id, extract(epoch from t) as seconds from db.t",
    "select id, t + interval 1 day as later, t + interval '90 minutes' as soon, d + interval 1 month as next from db.t",
    "select id, date_trunc('month', t) as m, date_diff('day', d, date '2024-03-05') as days from db.t",
    "select id, extract(dow from d) as a, date_part('dow', d) as b, dayofweek(d) as c, weekday(d) as e, isodow(d) as f, extract(isodow from d) as g from db.t",
    "select id, cast(t as date) as day, year(d) as y, extract(doy from d) as j, extract(week from d) as w, extract(isoyear from d) as iso, extract(second from t) as s from db.t",
    *(
        f"select id, date_diff('{unit}', t, timestamp '2024-03-02 00:30:59') as a, datediff('{unit}', timestamp '2024-01-01 00:00:00', t) as b, 3 * date_diff('{unit}', t, timestamp '2025-01-01') as c from db.t"
        for unit in (
            "year",
            "quarter",
            "month",
            "day",
            "hour",
            "minute",
            "second",
            "millisecond",
            "microsecond",
        )
    ),
    # not weeks: DuckDB 2.0 does not count Mondays, as its documentation says
    "select id, log(id) as a, log10(id) as b, ln(id) > 0 as c, log2(id) as e from db.t",
    "select id, regexp_replace('a1b22', '\\d+', '<$>') as a, regexp_replace('a1b22', '\\d+', '', 'g') as b, regexp_replace('xAyA', '(a)', '[\\1]', 'i') as c from db.t",
    "select id, regexp_replace('abcab', '(b)(c)?', '<\\0\\1>') as a, regexp_replace('abcab', 'a', '<\\0>', 'g') as b from db.t",
    "select id, regexp_replace(name, 'x|y', 'z') as a, regexp_replace('2024-01-02', '(\\d+)-(\\d+)', '\\2/\\1') as b from db.t",
    "select id, coalesce(name, 'none') || '/' || id as label, name ilike 'X' as is_x from db.t",
    "select id, id // 2 as halves, id % 2 as odd, id / 2 as half from db.t where price > 0",
    "select id, try_cast(name as int) as number, nullif(price, 3) as p from db.t",
    "select name, count(*) filter (where price > 0) as n, count(distinct price) as prices from db.t group by all",
    "select id, list_contains([1, 3], id) as found, len(name) as length from db.t",
    "select a.id from db.t as a left join db.t as b on a.name is not distinct from b.name and a.id < b.id where b.id is null",
    "select id, strftime(d, '%Y-%m') as month, concat_ws('-', name, id) as label from db.t",
    "select greatest(id, price) as g, least(id, price) as l, id from db.t where price is not null",
    "select id, split_part('a-b-c', '-', 2) as part, substr(coalesce(name, 'zz'), 1, 1) as head, lpad(cast(id as varchar), 3, '0') as padded from db.t",
    "select id, d + interval (id) day as a, t - interval (id + 1) month as b, t + interval (2) quarter as c, d + 2 * interval '1 day' as e from db.t",
    "select * from (select id, name from db.t) union all by name select 'q' as name, 2 as n",
    "select id, 'abcdef'[2:4] as a, name[1:2] as b, 'abcdef'[-3:] as c, 'ab'[-3:-2] as e, 'abc'[-9:2] as f, 'abcdef'[2:-2] as g, 'abc'[3:2] as h, 'abc'[2] as i, 'abc'[-1] as j from db.t",
    "select id, len([1,2,3,4][2:3]) as a, [1,2,3][-1] as b, [1,2,3][id] as c, [1,2,3][2] as e, len([1,2][-5:]) as f, len([1,2,3][:-2]) as g, [1,2,3,4][-3:-2][1] as h, [1,2][0] as i, len(string_split('a,b', ',')) as j, len([1,2][3:]) as k from db.t",
    "select name, quantile_cont(id, 0.3) as a, quantile_disc(id, 0.3) as b, quantile(id, 0.5) as c, percentile_cont(0.3) within group (order by price) as e, percentile_cont(0.25) within group (order by price desc) as f, percentile_disc(0.3) within group (order by id) as g, median(price) as h from db.t group by name",
    "select id, date_sub('hour', t, timestamp '2024-03-02 00:30:59') as a, datesub('day', t, timestamp '2024-03-02 00:30:59') as b, date_sub('week', d, date '2024-03-05') as c from db.t",
    """select id, '{"a": {"b": "x"}, "c": 1}'::json -> 'a' ->> 'b' as a, '{"c": 1}'::json ->> 'c' as b, '[1, 2]'::json ->> 1 as e from db.t""",
    "select id, epoch(t) as a, extract(epoch from t - timestamp '2024-01-01 00:00:00.5') as b, epoch(d) as c, extract(epoch from t - interval 1 day) as e, epoch_ms(t) as f, epoch(t::timestamptz) as g from db.t",
    "select name, epoch(max(t) - min(t)) as a, epoch(interval '1' day) as b from db.t group by name",
    "select id, date '2024-03-01' - d as a, (current_date - d) - (current_date - date '2024-01-01') as b, d - 1 as c, (d - date '2024-01-01') * 2 as e, t::date - d as f from db.t",
    "select id, cast(2.5 as int) as a, cast(3.5 as int) as b, cast(-2.5 as int) as c, cast(price as int) as e, (id / 2)::int as f, 2.5::double::int as g, try_cast(price as bigint) as h, cast(id as double)::int as i, (7 / 2)::int as j from db.t",
    "select id, t at time zone 'America/New_York' at time zone 'Europe/Rome' as a, t::timestamptz at time zone 'America/New_York' as b from db.t",
    "select id, regexp_matches('xAb', 'a') as a, regexp_matches('xAb', 'a', 'i') as b, regexp_full_match(name, 'x|yy') as c, name similar to '[xy]' as e, regexp_full_match('ab', 'a|ab') as f, regexp_full_match('AB', 'a.', 'i') as g from db.t",
    # lists keep NULL and their order, and are NULL where there is nothing
    "select name, list(price order by id) as a, array_agg(price order by id desc) as b, list(price order by price desc) as c, list(distinct price order by price) as e from db.t group by name",
    "select name, array_agg(id order by id) filter (where id > 2) as a, list(name) as b from db.t group by name",
    "select array_agg(id) as a, string_agg(name, ',') as b from db.t where id > 100",
    "select id, array_agg(price) over (order by id) as a, string_agg(name, '+') over (order by id desc) as b from db.t",
    "select id % 2 as odd, string_agg(name, ',' order by price desc, id desc) as a, string_agg(name, ',' order by id) filter (where id > 4) as b from db.t group by all",
    "select id % 2 as odd, string_agg(name, ',' order by name) as a, string_agg(distinct name, ',' order by name desc) as b, string_agg(name, ',' order by name) filter (where id > 4) as c from db.t group by all",
    "select name, arg_max(price, id) as a, arg_min(price, id) as b, max_by(name, id) as c from db.t group by name",
    "select i from range(3) as r(i) union all select range from range(1, 8, 3) union all select generate_series from generate_series(1, 2)",
    "select cast(range as date) as day from range(date '2024-01-01', date '2024-01-03', interval 1 day)",
    "select id, date_trunc('week', d) as a, date_trunc('hour', t) as b, date_trunc('day', t) as c from db.t",
    "select id, left(name || 'abc', -1) as a, right(name || 'abc', -2) as b, substr('abc', 0, 2) as c, substr('abc', 0) as e, left('a', -3) as f from db.t",
    "select id, strftime(t, '%Y-%m-%dT%H:%M:%S') as a, strftime(d, '%j%%') as b, strftime(t, 'it''s %d [%b]') as c, strftime(t, '%-d %-m %y %I %p') as e from db.t",
    "select id, strptime('2024-01-02T03:04', '%Y-%m-%dT%H:%M') as a, strptime('20240102', '%Y%m%d') as b, strptime('day 2 of Jan 2024', 'day %d of %b %Y') as c from db.t",
    # the columns are asked for by the names that DuckDB gives them
    """select name, "0", one from (select name, id % 2 as odd, price from db.t) pivot (sum(price) for odd in (0, 1 as one))""",
    """select name, "0_s", one_s from (select name, id % 2 as odd, price from db.t) pivot (sum(price) as s for odd in (0, 1 as one))""",
    """select name, "0_s", "0_max()", one_s, "one_max()" from (select name, id % 2 as odd, price from db.t) pivot (sum(price) as s, max(price) as "max()" for odd in (0, 1 as one))""",
    """select * from (select name, id, price from db.t where name is not null) pivot (max(id), min(price) for name in ('x', 'y' as why))""",
    # names of the select list where Spark takes columns only; a column of that name comes first
    "select id, price * 2 as p, p + 1 as q from db.t where q > 6",
    "select id, upper(name) as name from db.t where name = 'x'",
    "select id, upper(name) as name from db.t qualify row_number() over (partition by name order by id) = 1",
    "select id, id % 2 as odd, count(*) over (partition by odd) as n from db.t",
    "select id * 2 as twice, count(*) as n from db.t where twice > 2 group by twice",
    "select id, sha256(name) as a, md5(name) as b, hex(encode(coalesce(name, 'ü'))) as c, name glob '[x-z]' as e, 'a.b' glob 'a?b' as f, 'ab\n' glob 'ab' as g from db.t",
    "select id, '\\xAA\\xBB'::blob as a, cast(id as varchar(1)) as b, cast('abc' as varchar(2)) as c, chr(8364) as e, chr(64 + id) as f from db.t",
    "select id, list_contains([1, null], id) as a, list_position([1, 2], id) as b, [1, 2] || [id] as c, list_has_any([id], [1, 2]) as e, list_has_all([1, 2], [id]) as f from db.t",
    "select id, d + to_days(id) as a, t + to_months(2) as b, dayname(d) as c, monthname(t) as e, isoyear(d) as f, yearweek(d) as g, try_strptime(name, '%Y') as h from db.t",
    "select name, count(distinct id % 2) over (partition by name) as a, any_value(price) over (partition by name) as b from db.t where price is not null",
    "select id, epoch(to_timestamp(1.5)) as a, regexp_extract('xAyA', 'A(.)') as b, regexp_extract('xAyA', 'A(.)', 1) as c, regexp_extract(name, 'z') as e, list_sort(list_distinct([2, 1, 2, null])) as f from db.t",
]


@pytest.mark.parametrize("query", QUERIES)
def test_a_compiled_query_gives_the_rows_of_duckdb(local_spark: Mapping[str, Any], query: str) -> None:
    theirs = duckdb.connect()
    theirs.execute(f"create schema db; {TABLE}")
    assert rows_on_spark(query, "duckdb") == compared(theirs.execute(query).fetchall())

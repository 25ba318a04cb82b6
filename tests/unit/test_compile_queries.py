"""Queries of other dialects, as Spark 3.5 reads them."""

from __future__ import annotations

import pytest

from dbt_kinds.kinds import SqlText
from dbt_kinds.translation.dialects import parse_statement
from dbt_kinds.writers.jinja import rendered
from tests.unit.compiling import query_of, read

TABLES = {
    "external_models.yaml": "- name: raw.t\n  columns: {a: int, b: text, c: date}\n- name: raw.u\n  columns: {a: int}\n"
}

T = "FROM {{ source('raw', 't') }} AS t"

TRANSLATIONS = [
    # what sqlglot takes for Spark's
    ("hive", "SELECT a::INT AS a FROM raw.t", f"SELECT CAST(a AS INT) AS a {T}"),
    ("spark", 'SELECT max(a) AS "b c" FROM raw.t', f"SELECT MAX(a) AS `b c` {T}"),
    ("spark", "SELECT a /* x */, '::' AS b FROM raw.t", f"SELECT a /* x */, '::' AS b {T}"),
    ("databricks", "{# reused #}\nSELECT a FROM raw.t", f"/* reused */ SELECT a {T}"),
    # digests are bytes in some dialects, hexadecimal digits in others
    ("bigquery", "SELECT TO_HEX(SHA256(b)) AS x, TO_BASE64(SHA256(b)) AS y, SHA256(b) AS z FROM raw.t", f"SELECT SHA2(b, 256) AS x, BASE64(UNHEX(SHA2(b, 256))) AS y, UNHEX(SHA2(b, 256)) AS z {T}"),
    ("bigquery", "SELECT TO_HEX(SHA1(b)) AS x, SHA1(b) AS y, TO_HEX(SHA512(b)) AS z FROM raw.t", f"SELECT SHA1(b) AS x, UNHEX(SHA1(b)) AS y, SHA2(b, 512) AS z {T}"),
    ("trino", "SELECT LOWER(TO_HEX(SHA1(b))) AS x, TO_HEX(MD5(TO_UTF8(b))) AS y FROM raw.t", f"SELECT SHA1(b) AS x, UPPER(MD5(ENCODE(b, 'utf-8'))) AS y {T}"),
    ("postgres", "SELECT ENCODE(SHA256(b), 'hex') AS x, MD5(b) AS y, DECODE(b, 'base64') AS z FROM raw.t", f"SELECT SHA2(b, 256) AS x, MD5(b) AS y, UNBASE64(b) AS z {T}"),
    ("snowflake", "SELECT SHA2_BINARY(b) AS x, SHA1_BINARY(b) AS y, MD5(b) AS z FROM raw.t", f"SELECT UNHEX(SHA2(b, 256)) AS x, UNHEX(SHA1(b)) AS y, MD5(b) AS z {T}"),
    ("tsql", "SELECT CONVERT(VARCHAR(64), HASHBYTES('SHA2_256', b), 2) AS x, HASHBYTES('MD5', b) AS y FROM raw.t", f"SELECT UPPER(SHA2(b, 256)) AS x, UNHEX(MD5(b)) AS y {T}"),
    # Spark ends lines of base64 after 76 characters, which no digest but those of SHA-384 and SHA-512 has
    ("bigquery", "SELECT TO_BASE64(b) AS x, TO_BASE64(SHA512(b)) AS y, TO_BASE64(SHA1(b)) AS z FROM raw.t", f"SELECT REPLACE(BASE64(b), '\\r\\n', '') AS x, REPLACE(BASE64(UNHEX(SHA2(b, 512))), '\\r\\n', '') AS y, BASE64(UNHEX(SHA1(b))) AS z {T}"),
    ("duckdb", "SELECT TO_BASE64(b::BLOB) AS x, BASE64(b::BLOB) AS y FROM raw.t", f"SELECT REPLACE(BASE64(CAST(b AS BINARY)), '\\r\\n', '') AS x, REPLACE(BASE64(CAST(b AS BINARY)), '\\r\\n', '') AS y {T}"),
    ("postgres", "SELECT ENCODE(b::BYTEA, 'base64') AS x FROM raw.t", f"SELECT REPLACE(BASE64(CAST(b AS BINARY)), '\\r\\n', '\\n') AS x {T}"),
    ("spark", "SELECT BASE64(b) AS x FROM raw.t", f"SELECT BASE64(b) AS x {T}"),
    # raw texts and texts of nations are texts
    ("bigquery", r"SELECT REGEXP_REPLACE(b, r'(\w)', r'\1-') AS x FROM raw.t", f"SELECT REGEXP_REPLACE(b, '(\\\\w)', '$1-') AS x {T}"),
    ("tsql", "SELECT N'a' + b AS x FROM raw.t", f"SELECT CONCAT('a', b) AS x {T}"),
    # a name of the select list where Spark knows columns only; what is read has none of the name
    ("duckdb", "SELECT a * 2 AS p, p + 1 AS q FROM raw.t WHERE q > 3", f"SELECT a * 2 AS p, p + 1 AS q {T} WHERE ((a * 2) + 1) > 3"),
    ("snowflake", "SELECT a * 2 AS p, SUM(p) OVER () AS s FROM raw.t WHERE p > 3", f"SELECT a * 2 AS p, SUM((a * 2)) OVER () AS s {T} WHERE (a * 2) > 3"),
    ("duckdb", "SELECT UPPER(b) AS a FROM raw.t WHERE a = 1", f"SELECT UPPER(b) AS a {T} WHERE a = 1"),
    ("duckdb", "SELECT UPPER(b) AS b FROM raw.t WHERE b = 'x'", f"SELECT UPPER(b) AS b {T} WHERE b = 'x'"),
    ("duckdb", "SELECT a * 2 AS p FROM raw.t WHERE a IN (SELECT a FROM raw.u WHERE a > 1) AND p > 3", f"SELECT a * 2 AS p {T} WHERE a IN ( SELECT a FROM {{{{ source('raw', 'u') }}}} AS u WHERE a > 1 ) AND (a * 2) > 3"),
    ("duckdb", "SELECT a * 2 AS p FROM raw.unknown WHERE p > 3", "SELECT a * 2 AS p FROM {{ source('raw', 'unknown') }} AS unknown WHERE p > 3"),
    # words that Spark takes for no alias
    ("duckdb", "SELECT id FROM core.full", "SELECT id FROM {{ source('core', 'full') }} AS `full`"),
    ("spark", "SELECT id FROM core.full", "SELECT id FROM {{ source('core', 'full') }} AS `full`"),
    ("duckdb", "WITH semi AS (SELECT 1 AS a) SELECT a FROM semi", "WITH `semi` AS ( SELECT 1 AS a ) SELECT a FROM `semi`"),
    # types
    ("tsql", "SELECT CAST(a AS FLOAT) AS p, CAST(a AS FLOAT(24)) AS q, CAST(a AS MONEY) AS r, CAST(a AS SMALLMONEY) AS s FROM raw.t", f"SELECT CAST(a AS DOUBLE) AS p, CAST(a AS FLOAT) AS q, CAST(a AS DECIMAL(19, 4)) AS r, CAST(a AS DECIMAL(10, 4)) AS s {T}"),
    ("tsql", "SELECT CAST(a AS REAL) AS p, CONVERT(real, a) AS q, CAST(a AS FLOAT(53)) AS r FROM raw.t", f"SELECT CAST(a AS FLOAT) AS p, CAST(a AS FLOAT) AS q, CAST(a AS DOUBLE) AS r {T}"),
    ("snowflake", "SELECT CAST(a AS REAL) AS x FROM raw.t", f"SELECT CAST(a AS DOUBLE) AS x {T}"),
    ("mysql", "SELECT CAST(b AS BINARY(16)) AS x, CAST(b AS UNSIGNED) AS y FROM raw.t", f"SELECT RPAD(CAST(b AS BINARY), 16, X'00') AS x, CAST(b AS DECIMAL(20, 0)) AS y {T}"),
    ("snowflake", "SELECT CAST(b AS BINARY(16)) AS x FROM raw.t", f"SELECT UNHEX(b) AS x {T}"),
    ("tsql", "SELECT CAST(a AS BINARY(4)) AS x FROM raw.t", "Untranslatable"),
    ("postgres", "SELECT b::varchar(3) AS x, a::varchar(40) AS y, b::text AS z FROM raw.t", f"SELECT LEFT(CAST(b AS STRING), 3) AS x, CAST(a AS STRING) AS y, CAST(b AS STRING) AS z {T}"),
    ("tsql", "SELECT CAST(b AS VARCHAR) AS x, CONVERT(VARCHAR(10), c, 120) AS y FROM raw.t", f"SELECT LEFT(CAST(b AS STRING), 30) AS x, LEFT(DATE_FORMAT(c, 'yyyy-MM-dd'), 10) AS y {T}"),
    ("duckdb", "SELECT '\\xAA'::blob AS x, b GLOB 'a*[!b]?' AS y FROM raw.t", f"SELECT X'AA' AS x, b RLIKE '(?s)\\\\Aa.*[^b].\\\\z' AS y {T}"),
    ("duckdb", "SELECT '101'::bit AS x", "Untranslatable"),
    # dates with hours become times
    ("snowflake", "SELECT DATEADD(hour, 2, CAST(b AS DATE)) AS x FROM raw.t", f"SELECT CAST(CAST(b AS DATE) AS TIMESTAMP) + INTERVAL '2' HOUR AS x {T}"),
    ("snowflake", "SELECT ADD_MONTHS(c, 1) AS x FROM raw.t", f"SELECT IF(TO_DATE(c) = LAST_DAY(c), LAST_DAY(ADD_MONTHS(c, 1)), ADD_MONTHS(c, 1)) AS x {T}"),
    ("databricks", "SELECT ADD_MONTHS(c, 1) AS x FROM raw.t", f"SELECT ADD_MONTHS(c, 1) AS x {T}"),
    # lists
    ("bigquery", "SELECT STRING_AGG(b, '-' ORDER BY b LIMIT 2) AS x FROM raw.t", f"SELECT IF(COUNT(b) > 0, ARRAY_JOIN(SLICE(SORT_ARRAY(COLLECT_LIST(b)), 1, 2), '-'), NULL) AS x {T}"),
    ("bigquery", "SELECT ARRAY(SELECT a FROM raw.u) AS x FROM raw.t", "Untranslatable"),
    ("duckdb", "SELECT COUNT(DISTINCT a) OVER (PARTITION BY b) AS x FROM raw.t", f"SELECT SIZE(COLLECT_SET(a) OVER (PARTITION BY b)) AS x {T}"),
    ("trino", "SELECT SLICE(ARRAY[1, 2, 3], 2, 2) AS x, ELEMENT_AT(ARRAY[1, 2], -1) AS y, REPEAT(1, 3) AS z", "SELECT SLICE(ARRAY(1, 2, 3), 2, 2) AS x, TRY_ELEMENT_AT(ARRAY(1, 2), -1) AS y, ARRAY_REPEAT(1, 3) AS z"),
    # what is written keeps the name of its column
    ("snowflake", "SELECT b::VARCHAR(3), a::INT, t.b:x.y FROM raw.t", f"SELECT LEFT(CAST(b AS STRING), 3) AS b, CAST(a AS BIGINT), GET_JSON_OBJECT(t.b, '$.x.y') AS y {T}"),
    ("tsql", "WITH w AS (SELECT CAST(b AS VARCHAR(3)) AS c UNION SELECT CAST(b AS VARCHAR(3)) FROM raw.t) SELECT c FROM w", f"WITH w AS ( SELECT LEFT(CAST(b AS STRING), 3) AS c UNION SELECT LEFT(CAST(b AS STRING), 3) {T} ) SELECT c FROM w"),
    ("trino", "SELECT x.b FROM (SELECT CAST(b AS VARCHAR(3)) FROM raw.t) AS x", f"SELECT x.b FROM ( SELECT LEFT(CAST(b AS STRING), 3) AS b {T} ) AS x"),
    # integers of eight bytes
    ("bigquery", "SELECT CAST(b AS INTEGER) AS x, CAST(b AS SMALLINT) AS y FROM raw.t", f"SELECT CAST(b AS BIGINT) AS x, CAST(b AS BIGINT) AS y {T}"),
    ("snowflake", "SELECT TRY_CAST(b AS INT) AS x FROM raw.t", f"SELECT TRY_CAST(ROUND(TRY_CAST(b AS DECIMAL(38, 9))) AS BIGINT) AS x {T}"),
    # functions that sqlglot does not know
    ("duckdb", "SELECT STRLEN(b) AS x, ROUND_EVEN(a, 1) AS y, TRY_STRPTIME(b, '%Y-%m-%d') AS z FROM raw.t", f"SELECT OCTET_LENGTH(b) AS x, BROUND(a, 1) AS y, TRY_TO_TIMESTAMP(b, 'yyyy-M-d') AS z {T}"),
    ("duckdb", "SELECT PRODUCT(a) AS x FROM raw.t", "Untranslatable"),
    ("bigquery", "SELECT SAFE.SUBSTR(b, 1) AS x FROM raw.t", "Untranslatable"),
    ("bigquery", "SELECT REGEXP_INSTR(b, 'x', 3) AS x FROM raw.t", "Untranslatable"),
    ("duckdb", "SELECT STRFTIME(c, b) AS x FROM raw.t", "Untranslatable"),
    # what sqlglot passes on
    ("bigquery", "SELECT * EXCEPT (b) FROM raw.t", f"SELECT a, c {T}"),
    ("snowflake", "SELECT * EXCLUDE (b) FROM raw.t", f"SELECT a, c {T}"),
    ("bigquery", "SELECT * REPLACE (a + 1 AS a) FROM raw.t", f"SELECT a + 1 AS a, b, c {T}"),
    ("bigquery", "SELECT t.* EXCEPT (b), u.a AS d FROM raw.t AS t JOIN raw.u AS u ON TRUE", "SELECT t.a, t.c, u.a AS d FROM {{ source('raw', 't') }} AS t JOIN {{ source('raw', 'u') }} AS u ON TRUE"),
    ("bigquery", "WITH w AS (SELECT a, b FROM raw.t) SELECT * EXCEPT (b) FROM w", f"WITH w AS ( SELECT a, b {T} ) SELECT a FROM w"),
    ("databricks", "SELECT * EXCEPT (b) FROM raw.t", f"SELECT a, c {T}"),
    ("bigquery", "SELECT * EXCEPT (b) FROM raw.unknown", "ColumnsUnknown"),
    ("postgres", "SELECT STRING_AGG(b, ',') AS x FROM raw.t", f"SELECT IF(COUNT(b) > 0, ARRAY_JOIN(SORT_ARRAY(COLLECT_LIST(b)), ','), NULL) AS x {T}"),
    ("snowflake", "SELECT LISTAGG(DISTINCT b, '-') WITHIN GROUP (ORDER BY b DESC) AS x FROM raw.t", f"SELECT ARRAY_JOIN(SORT_ARRAY(COLLECT_SET(b), FALSE), '-') AS x {T}"),
    ("snowflake", "SELECT LISTAGG(b, '-') WITHIN GROUP (ORDER BY c) AS x FROM raw.t", "Untranslatable"),
    ("bigquery", "SELECT ARRAY_AGG(b IGNORE NULLS) AS x FROM raw.t", f"SELECT COLLECT_LIST(b) AS x {T}"),
    ("postgres", "SELECT EXTRACT(EPOCH FROM c) AS x FROM raw.t", f"SELECT CAST(CAST(c AS TIMESTAMP) AS DOUBLE) AS x {T}"),
    ("postgres", "SELECT c AT TIME ZONE 'utc' AS x FROM raw.t", f"SELECT FROM_UTC_TIMESTAMP(c, 'UTC') AS x {T}"),
    ("snowflake", "SELECT a, b FROM raw.t QUALIFY ROW_NUMBER() OVER (PARTITION BY a ORDER BY b) = 1", f"SELECT a, b FROM ( SELECT a, b, ROW_NUMBER() OVER (PARTITION BY a ORDER BY b NULLS LAST) = 1 AS _keep {T} ) AS _rows WHERE _keep"),
    ("snowflake", "SELECT * FROM raw.t QUALIFY ROW_NUMBER() OVER (PARTITION BY a ORDER BY b) = 1", f"SELECT _row.* FROM ( SELECT STRUCT(*) AS _row, ROW_NUMBER() OVER (PARTITION BY a ORDER BY b NULLS LAST) = 1 AS _keep {T} ) AS _rows WHERE _keep"),
    ("snowflake", "SELECT a, UPPER(t.b) AS b FROM raw.t QUALIFY ROW_NUMBER() OVER (PARTITION BY a ORDER BY t.b) = 1", f"SELECT a, b FROM ( SELECT a, UPPER(t.b) AS b, ROW_NUMBER() OVER (PARTITION BY a ORDER BY t.b NULLS LAST) = 1 AS _keep {T} ) AS _rows WHERE _keep"),
    ("databricks", "SELECT a, UPPER(b) AS b, a * 2 AS p FROM raw.t QUALIFY ROW_NUMBER() OVER (PARTITION BY b ORDER BY p) = 1", f"SELECT a, b, p FROM ( SELECT a, UPPER(b) AS b, a * 2 AS p, ROW_NUMBER() OVER (PARTITION BY b ORDER BY (a * 2)) = 1 AS _keep {T} ) AS _rows WHERE _keep"),
    ("bigquery", "SELECT a, ROW_NUMBER() OVER (ORDER BY b) AS r FROM raw.unknown QUALIFY r = 1", "SELECT a, r FROM ( SELECT a, ROW_NUMBER() OVER (ORDER BY b) AS r, r = 1 AS _keep FROM {{ source('raw', 'unknown') }} AS unknown ) AS _rows WHERE _keep"),
    ("snowflake", "SELECT t.*, ROW_NUMBER() OVER (ORDER BY b) AS r FROM raw.t QUALIFY r = 1", f"SELECT _row.*, r FROM ( SELECT STRUCT(t.*) AS _row, ROW_NUMBER() OVER (ORDER BY b NULLS LAST) AS r, ROW_NUMBER() OVER (ORDER BY b NULLS LAST) = 1 AS _keep {T} ) AS _rows WHERE _keep"),
    ("snowflake", "SELECT DISTINCT a FROM raw.t QUALIFY ROW_NUMBER() OVER (PARTITION BY b ORDER BY c) = 1 LIMIT 3", f"SELECT DISTINCT a FROM ( SELECT a, ROW_NUMBER() OVER (PARTITION BY b ORDER BY c NULLS LAST) = 1 AS _keep {T} ) AS _rows WHERE _keep LIMIT 3"),
    ("duckdb", "SELECT a FROM raw.t QUALIFY ROW_NUMBER() OVER (PARTITION BY a ORDER BY b) = 1 ORDER BY t.c LIMIT 3", f"SELECT a FROM ( SELECT a, ROW_NUMBER() OVER (PARTITION BY a ORDER BY b NULLS LAST) = 1 AS _keep, t.c AS _order_1 {T} ) AS _rows WHERE _keep ORDER BY _order_1 NULLS LAST LIMIT 3"),
    ("duckdb", "SELECT DISTINCT ON (a) a FROM raw.t QUALIFY COUNT(*) OVER () = 1", "Untranslatable"),
    ("snowflake", "SELECT DISTINCT * FROM raw.t QUALIFY COUNT(*) OVER () = 1 ORDER BY a", f"SELECT DISTINCT _row.* FROM ( SELECT STRUCT(*) AS _row, COUNT(*) OVER () = 1 AS _keep {T} ) AS _rows WHERE _keep ORDER BY a NULLS LAST"),
    # ORDER BY and DISTINCT ON look at the select list first
    ("postgres", "SELECT DISTINCT ON (a) * FROM raw.t ORDER BY a, c DESC NULLS LAST", f"SELECT _row.* FROM ( SELECT STRUCT(*) AS _row, ROW_NUMBER() OVER (PARTITION BY a ORDER BY a NULLS LAST, c DESC) = 1 AS _keep, a AS _order_1, c AS _order_2 {T} ) AS _rows WHERE _keep ORDER BY _order_1 NULLS LAST, _order_2 DESC"),
    ("duckdb", "SELECT DISTINCT ON (1) a, UPPER(b) AS b FROM raw.t ORDER BY 1, b LIMIT 3", f"SELECT a, b FROM ( SELECT a, UPPER(b) AS b, ROW_NUMBER() OVER (PARTITION BY a ORDER BY a NULLS LAST, UPPER(b) NULLS LAST) = 1 AS _keep {T} ) AS _rows WHERE _keep ORDER BY 1 NULLS LAST, b NULLS LAST LIMIT 3"),
    ("duckdb", "SELECT DISTINCT ON (a) a, b FROM raw.t", f"SELECT a, b FROM ( SELECT a, b, ROW_NUMBER() OVER (PARTITION BY a ORDER BY a) = 1 AS _keep {T} ) AS _rows WHERE _keep"),
    ("duckdb", "SELECT DISTINCT ON (2) *, a + 1 AS d FROM raw.t", "Untranslatable"),
    ("duckdb", "SELECT DISTINCT ON (a) a, ROW_NUMBER() OVER (ORDER BY b) AS r FROM raw.t ORDER BY a, r", "Untranslatable"),
    ("snowflake", "SELECT DATEADD(hour, 2, b) AS x FROM raw.t", f"SELECT b + INTERVAL '2' HOUR AS x {T}"),
    ("snowflake", "SELECT DATEADD(day, -a, b) AS x FROM raw.t", f"SELECT b - a * INTERVAL '1' DAY AS x {T}"),
    ("snowflake", "SELECT DATEADD(day, 1, CAST(b AS DATE)) AS x FROM raw.t", f"SELECT DATE_ADD(CAST(b AS DATE), 1) AS x {T}"),
    ("bigquery", "SELECT DATE_SUB(@start_dt, INTERVAL 30 DAY) AS x", "SELECT {{ dbt_kinds.start_dt() }} - INTERVAL '30' DAY AS x"),
    ("bigquery", "SELECT DATE_ADD(@start_date, INTERVAL 1 DAY) AS x", "SELECT DATE_ADD({{ dbt_kinds.start_date() }}, 1) AS x"),
    ("bigquery", "SELECT DATETIME(b, 'America/los_angeles') AS x FROM raw.t", f"SELECT FROM_UTC_TIMESTAMP(b, 'America/Los_Angeles') AS x {T}"),
    ("postgres", "SELECT l.b FROM raw.t, LATERAL (SELECT b FROM raw.u WHERE u.a = t.a LIMIT 1) AS l", "Untranslatable"),
    ("snowflake", "SELECT f.value FROM raw.t, LATERAL FLATTEN(input => b) AS f", "Untranslatable"),
    ("snowflake", "SELECT $1 AS x FROM raw.t", "Untranslatable"),
    ("snowflake", "SELECT * FROM raw.t PIVOT(SUM(a) FOR b IN (ANY))", "Untranslatable"),
    # columns of PIVOT keep their names
    ("snowflake", "SELECT * FROM raw.t PIVOT(SUM(a) FOR b IN ('x', 'y' AS z))", f"SELECT * {T} PIVOT(SUM(a) FOR b IN ('x' AS `'x'`, 'y' AS z))"),
    ("bigquery", "SELECT * FROM raw.t PIVOT(SUM(a) AS s FOR b IN ('x', 'y' AS z))", f"SELECT * {T} PIVOT(SUM(a) AS s FOR b IN ('x' AS `s_x`, 'y' AS `s_z`))"),
    ("redshift", "SELECT * FROM raw.t PIVOT(SUM(a) AS s FOR b IN ('x', 'y' AS z))", f"SELECT * {T} PIVOT(SUM(a) AS s FOR b IN ('x' AS `x_s`, 'y' AS `z_s`))"),
    ("redshift", "SELECT * FROM raw.t PIVOT(SUM(a) AS s, MAX(a) AS m FOR b IN ('x', 'y' AS z))", f"SELECT * {T} PIVOT(SUM(a) AS s, MAX(a) AS m FOR b IN ('x', 'y' AS z))"),
    ("tsql", "SELECT * FROM raw.t PIVOT(SUM(a) FOR b IN ([x], [2024])) AS p", f"SELECT * FROM ( SELECT * {T} PIVOT(SUM(a) FOR b IN ('x', '2024')) ) AS p"),
    ("databricks", "SELECT * FROM raw.t PIVOT(SUM(a) AS s FOR b IN ('x', 'y' AS z))", f"SELECT * {T} PIVOT(SUM(a) AS s FOR b IN ('x', 'y' AS z))"),
    ("bigquery", "SELECT * FROM raw.t PIVOT(SUM(a) AS s, MAX(a) AS m FOR b IN ('x', 'y'))", "Untranslatable"),
    ("bigquery", "SELECT * FROM raw.t PIVOT(SUM(a) FOR b IN (1))", "Untranslatable"),
    ("duckdb", "SELECT * FROM raw.t PIVOT(COUNT(a) FOR b IN ('x'))", "Untranslatable"),
    ("redshift", "SELECT * FROM raw.t PIVOT(SUM(a) AS s, MAX(a) FOR b IN ('x', 'y'))", "Untranslatable"),
    ("snowflake", "SELECT * FROM raw.t PIVOT(SUM(a) FOR b IN ('x') DEFAULT ON NULL (0))", "Untranslatable"),
    ("duckdb", "SELECT * FROM raw.t PIVOT(SUM(a) FOR b IN ('x') GROUP BY c)", "Untranslatable"),
    ("duckdb", "SELECT * FROM raw.t PIVOT(SUM(a) FOR b IN ('x') c IN (1))", "Untranslatable"),
    ("bigquery", "SELECT FARM_FINGERPRINT(b) AS x FROM raw.t", "Untranslatable"),
    ("postgres", "SELECT b::jsonb AS x FROM raw.t", "Untranslatable"),
    ("snowflake", "SELECT a FROM @stage/path", "UnsupportedMacro"),
    ("snowflake", "SELECT a FROM raw.t, LATERAL FLATTEN(b) AS f", "Untranslatable"),
    ("postgres", "WITH RECURSIVE r AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM r) SELECT n FROM r", "Untranslatable"),
    ("oracle", "SELECT a FROM raw.t WHERE ROWNUM < 5", "Untranslatable"),
    ("redshift", "SELECT LISTAGG(b, ',') WITHIN GROUP (ORDER BY b) AS x FROM raw.t", f"SELECT IF(COUNT(b) > 0, ARRAY_JOIN(SORT_ARRAY(COLLECT_LIST(b)), ','), NULL) AS x {T}"),
    ("duckdb", "SELECT x FROM GENERATE_SERIES(1, 3) AS g(x)", "SELECT x FROM EXPLODE(SEQUENCE(1, 3)) AS g(x)"),
    ("duckdb", "SELECT DATE_PART('epoch', b) AS x FROM raw.t", f"SELECT CAST(CAST(b AS TIMESTAMP) AS DOUBLE) AS x {T}"),
    ("snowflake", "SELECT DATEADD(day, 1, DATEADD(hour, 1, b)) AS x FROM raw.t", f"SELECT (b + INTERVAL '1' HOUR) + INTERVAL '1' DAY AS x {T}"),
    # a WITH stays where it stands
    ("duckdb", "SELECT p.x FROM (WITH t AS (SELECT 1 AS x) SELECT x FROM t) AS p JOIN (WITH t AS (SELECT 2 AS x) SELECT x FROM t) AS q ON TRUE", "SELECT p.x FROM ( WITH t AS ( SELECT 1 AS x ) SELECT x FROM t ) AS p JOIN ( WITH t AS ( SELECT 2 AS x ) SELECT x FROM t ) AS q ON TRUE"),
    ("duckdb", "WITH t AS (WITH t AS (SELECT a FROM raw.t) SELECT a FROM t) SELECT a FROM t", f"WITH t AS ( WITH t AS ( SELECT a {T} ) SELECT a FROM t ) SELECT a FROM t"),
    ("snowflake", "SELECT 1 AS x UNION ALL WITH t AS (SELECT 2 AS x) SELECT x FROM t", "SELECT 1 AS x UNION ALL ( WITH t AS ( SELECT 2 AS x ) SELECT x FROM t )"),
    # predicates bind looser in Spark than anywhere
    ("duckdb", "SELECT IF(REGEXP_MATCHES(b, '[^0-9]+') = TRUE, NULL, b) AS x, a = REGEXP_MATCHES(b, 'y') AS y FROM raw.t", f"SELECT IF((b RLIKE '[^0-9]+') = TRUE, NULL, b) AS x, a = (b RLIKE 'y') AS y {T}"),
    ("duckdb", "SELECT REGEXP_MATCHES(b, 'y') IS NULL AS x, NOT REGEXP_MATCHES(b, 'y') AS y FROM raw.t WHERE REGEXP_MATCHES(b, 'y') AND a > 1", f"SELECT (b RLIKE 'y') IS NULL AS x, b NOT RLIKE 'y' AS y {T} WHERE b RLIKE 'y' AND a > 1"),
    ("postgres", "SELECT b LIKE 'x' = TRUE AS x, b ILIKE 'x' = TRUE AS y, TRUE = b LIKE 'x!' ESCAPE '!' AS z FROM raw.t", f"SELECT (b LIKE 'x') = TRUE AS x, (b ILIKE 'x') = TRUE AS y, TRUE = (b LIKE 'x!' ESCAPE '!') AS z {T}"),
    ("bigquery", "SELECT REGEXP_CONTAINS(b, 'y') = TRUE AS x, REGEXP_CONTAINS(b, 'y') IN (TRUE) AS y FROM raw.t", f"SELECT (b RLIKE 'y') = TRUE AS x, (b RLIKE 'y') IN (TRUE) AS y {T}"),
    ("snowflake", "SELECT REGEXP_LIKE(b, 'y') = TRUE AS x, RLIKE(b, 'y') <> ILIKE(b, 'z') AS y FROM raw.t", f"SELECT (b RLIKE '^(?:y)$') = TRUE AS x, (b RLIKE '^(?:y)$') <> (b ILIKE 'z') AS y {T}"),
    ("duckdb", "SELECT a IN (1) = TRUE AS x, a NOT IN (1) = TRUE AS y, a BETWEEN 1 AND 2 = TRUE AS z, EXISTS (SELECT 1) = TRUE AS e FROM raw.t", f"SELECT (a IN (1)) = TRUE AS x, (a NOT IN (1)) = TRUE AS y, (a BETWEEN 1 AND 2) = TRUE AS z, ( EXISTS( SELECT 1 ) ) = TRUE AS e {T}"),
    ("duckdb", "SELECT a IS NULL = TRUE AS x FROM raw.t", f"SELECT (a IS NULL) = TRUE AS x {T}"),
    ("spark", "SELECT regexp_like(b, 'y') = TRUE AS x, b RLIKE 'y' = TRUE AS y FROM raw.t", f"SELECT regexp_like(b, 'y') = TRUE AS x, b RLIKE 'y' = TRUE AS y {T}"),
    ("databricks", "SELECT regexp_like(b, 'y') = (a::int = 1) AS x, a = 1 IN (TRUE) AS y FROM raw.t", f"SELECT (b RLIKE 'y') = (CAST(a AS INT) = 1) AS x, a = 1 IN (TRUE) AS y {T}"),
    ("duckdb", "SELECT * FROM raw.u UNION ALL BY NAME SELECT b, a FROM raw.t", "SELECT a, NULL AS b FROM ( SELECT * FROM {{ source('raw', 'u') }} AS u ) AS _side UNION ALL SELECT a, b FROM ( SELECT b, a FROM {{ source('raw', 't') }} AS t ) AS _side"),
    ("duckdb", "SELECT a, b FROM raw.t UNION BY NAME SELECT A, B FROM raw.x", f"SELECT a, b {T} UNION SELECT A, B FROM {{{{ source('raw', 'x') }}}} AS x"),
    ("duckdb", "SELECT a FROM raw.t UNION BY NAME SELECT * FROM raw.unknown", "ColumnsUnknown"),
    ("bigquery", "SELECT 1 AS a, 2 AS b LEFT UNION ALL BY NAME SELECT 3 AS b", "Untranslatable"),
    ("duckdb", "SELECT a FROM READ_PARQUET('x/*.parquet') AS f", "SELECT a FROM parquet.`x/*.parquet` AS f"),
    ("duckdb", "SELECT a FROM DELTA_SCAN('s3://b/t')", "SELECT a FROM delta.`s3://b/t`"),
    ("duckdb", "SELECT a FROM DELTA_SCAN('s3://b/t', version = 3)", "Untranslatable"),
    ("duckdb", "SELECT a FROM READ_PARQUET(['a', 'b'])", "Untranslatable"),
    ("duckdb", "SELECT a FROM READ_PARQUET('x/' || 'y.parquet', union_by_name = FALSE)", "SELECT a FROM parquet.`x/y.parquet`"),
    ("duckdb", "SELECT a FROM READ_PARQUET('x.parquet', union_by_name = TRUE)", "SELECT a FROM {{ target.schema }}.kinds_file_x"),
    ("duckdb", "SELECT a FROM READ_JSON_AUTO('x/*.json')", "SELECT a FROM json.`x/*.json`"),
    ("duckdb", "SELECT f.a FROM READ_NDJSON('x.ndjson.gz', union_by_name = TRUE) AS f", "SELECT f.a FROM json.`x.ndjson.gz` AS f"),
    ("duckdb", "SELECT a FROM READ_JSON('x.json', format = 'array')", "SELECT a FROM {{ target.schema }}.kinds_file_x"),
    ("duckdb", "SELECT a FROM READ_CSV_AUTO('x/*.csv', header = TRUE)", "SELECT a FROM {{ target.schema }}.kinds_file"),
    ("duckdb", "SELECT a.a FROM READ_CSV('x.csv') AS a JOIN 'y.csv' AS b USING (a) JOIN READ_CSV('x.csv') AS c USING (a)", "SELECT a.a FROM {{ target.schema }}.kinds_file_x AS a JOIN {{ target.schema }}.kinds_file_y AS b USING (a) JOIN {{ target.schema }}.kinds_file_x AS c USING (a)"),
    ("duckdb", "SELECT a FROM READ_CSV(['x.csv', 'y.csv'])", "Untranslatable"),
    ("duckdb", "SELECT a FROM READ_CSV('x.csv', skip = 2)", "Untranslatable"),
    ("duckdb", "SELECT a FROM READ_CSV('x.csv', dateformat = '%d')", "Untranslatable"),
    ("duckdb", "SELECT a FROM READ_TEXT('x.txt')", "Untranslatable"),
    ("duckdb", "SELECT a FROM ICEBERG_SCAN('s3://b/t')", "Untranslatable"),
    ("duckdb", "SELECT a FROM 'x/*.csv'", "SELECT a FROM {{ target.schema }}.kinds_file"),
    ("duckdb", "SELECT a FROM 'x/y.parquet'", "Untranslatable"),
    ("duckdb", "SELECT c + INTERVAL (a) DAY AS x, INTERVAL (a + 1) MONTHS AS y FROM raw.t", f"SELECT c + (a * INTERVAL '1' DAY) AS x, (a + 1) * INTERVAL '1' MONTH AS y {T}"),
    ("duckdb", "SELECT c - INTERVAL (2) QUARTER AS x, c + INTERVAL '90 minutes' AS y FROM raw.t", f"SELECT c - INTERVAL '6' MONTH AS x, c + INTERVAL '90' MINUTE AS y {T}"),
    ("bigquery", "SELECT c + INTERVAL a QUARTER AS x, TIMESTAMP_SUB(c, INTERVAL a HOUR) AS y FROM raw.t", f"SELECT c + (a * INTERVAL '3' MONTH) AS x, c - a * INTERVAL '1' HOUR AS y {T}"),
    # lists and texts
    ("duckdb", "SELECT 'abc'[2:3] AS x, b[:2] AS y, b[-2:] AS z, b[2:-2] AS w, b[1] AS v FROM raw.t", f"SELECT SUBSTRING('abc', 2, 2) AS x, SUBSTRING(b, 1, 2) AS y, SUBSTRING(b, GREATEST(LENGTH(b) - 1, 1), LENGTH(b)) AS z, SUBSTRING(b, 2, GREATEST(LENGTH(b) - 2, 0)) AS w, SUBSTRING(b, 1, 1) AS v {T}"),
    ("duckdb", "SELECT [1, 2, 3][2:3] AS x, LIST_SLICE(l, 1, 2) AS y FROM raw.t", f"SELECT SLICE(ARRAY(1, 2, 3), 2, 2) AS x, SLICE(l, 1, 2) AS y {T}"),
    ("duckdb", "SELECT unknown[1:2] AS x FROM raw.t", "Untranslatable"),
    ("duckdb", "SELECT b[a:2] AS x FROM raw.t", "Untranslatable"),
    ("duckdb", "SELECT [1, 2, 3][-1] AS x, l[2] AS y, l[a] AS z, m['k'] AS w, l[CAST(b AS INT)] AS v FROM raw.t", f"SELECT TRY_ELEMENT_AT(ARRAY(1, 2, 3), -1) AS x, TRY_ELEMENT_AT(l, 2) AS y, TRY_ELEMENT_AT(l, NULLIF(a, 0)) AS z, m['k'] AS w, TRY_ELEMENT_AT(l, NULLIF(CAST(b AS INT), 0)) AS v {T}"),
    ("postgres", "SELECT l[2:3] AS x, l[a] AS y, ARRAY_LENGTH(l, 1) AS z FROM raw.t", f"SELECT SLICE(l, 2, 2) AS x, TRY_ELEMENT_AT(l, NULLIF(GREATEST(a, 0), 0)) AS y, NULLIF(ARRAY_SIZE(l), 0) AS z {T}"),
    ("snowflake", "SELECT l[0] AS x, ARRAY_SLICE(l, 0, 2) AS y FROM raw.t", f"SELECT l[0] AS x, SLICE(l, 1, 2) AS y {T}"),
    ("duckdb", "SELECT LEN(STRING_SPLIT(b, ',')) AS x, LEN([1]) AS y, LEN(b) AS z, LEN(unknown) AS w FROM raw.t", f"SELECT ARRAY_SIZE(SPLIT(b, ',')) AS x, ARRAY_SIZE(ARRAY(1)) AS y, LENGTH(b) AS z, LENGTH(unknown) AS w {T}"),
    ("duckdb", "WITH w AS (SELECT b AS c, a FROM raw.t) SELECT w.c[1:2] AS x FROM w", f"WITH w AS ( SELECT b AS c, a {T} ) SELECT SUBSTRING(w.c, 1, 2) AS x FROM w"),
    # percentiles
    ("postgres", "SELECT PERCENTILE_CONT(0.5) WITHIN GROUP (ORDER BY a) AS x, PERCENTILE_DISC(0.9) WITHIN GROUP (ORDER BY a DESC) AS y FROM raw.t", f"SELECT PERCENTILE_CONT(0.5) WITHIN GROUP (ORDER BY a NULLS LAST) AS x, PERCENTILE_DISC(0.9) WITHIN GROUP (ORDER BY a DESC NULLS FIRST) AS y {T}"),
    ("snowflake", "SELECT PERCENTILE_CONT(0.5) WITHIN GROUP (ORDER BY a) OVER (PARTITION BY b) AS x FROM raw.t", f"SELECT PERCENTILE_CONT(0.5) WITHIN GROUP (ORDER BY a NULLS LAST) OVER (PARTITION BY b) AS x {T}"),
    ("bigquery", "SELECT PERCENTILE_CONT(a, 0.5) OVER (PARTITION BY b) AS x FROM raw.t", f"SELECT PERCENTILE(a, 0.5) OVER (PARTITION BY b) AS x {T}"),
    ("duckdb", "SELECT QUANTILE_CONT(a, [0.25, 0.5]) AS x, QUANTILE_DISC(a, 0.5) AS y, QUANTILE(a, 0.5) AS z FROM raw.t", f"SELECT PERCENTILE(a, ARRAY(0.25, 0.5)) AS x, PERCENTILE_DISC(0.5) WITHIN GROUP (ORDER BY a) AS y, PERCENTILE_DISC(0.5) WITHIN GROUP (ORDER BY a) AS z {T}"),
    ("duckdb", "SELECT QUANTILE_DISC(a, [0.25, 0.5]) AS x FROM raw.t", "Untranslatable"),
    ("duckdb", "SELECT DATE_SUB('hour', c, c) AS x, DATESUB('day', c, c) AS y FROM raw.t", f"SELECT DATEDIFF(HOUR, c, c) AS x, DATEDIFF(DAY, c, c) AS y {T}"),
    ("duckdb", "SELECT DATE_SUB('month', c, c) AS x FROM raw.t", "Untranslatable"),
    # functions
    ("duckdb", "SELECT b::JSON ->> 'a' AS x, (b::JSON -> 'a') ->> 'c' AS y, b::JSON AS z FROM raw.t", f"SELECT GET_JSON_OBJECT(b, '$.a') AS x, GET_JSON_OBJECT((GET_JSON_OBJECT(b, '$.a')), '$.c') AS y, b AS z {T}"),
    ("postgres", "SELECT (unknown::jsonb) ->> 'a' AS x FROM raw.t", f"SELECT GET_JSON_OBJECT((unknown), '$.a') AS x {T}"),
    ("bigquery", "SELECT CURRENT_DATE('europe/rome') AS x, CURRENT_DATE() AS y", "SELECT TO_DATE(FROM_UTC_TIMESTAMP(CURRENT_TIMESTAMP(), 'Europe/Rome')) AS x, CURRENT_DATE AS y"),
    ("snowflake", "SELECT SHA2(b) AS x, SHA2(b, 512) AS y FROM raw.t", f"SELECT SHA2(b, 256) AS x, SHA2(b, 512) AS y {T}"),
    ("postgres", "SELECT TO_CHAR(a, 'FM000') AS x FROM raw.t", "Untranslatable"),
    ("postgres", "SELECT TO_CHAR(a, '9,999D99') AS x FROM raw.t", "Untranslatable"),
    ("postgres", "SELECT TO_CHAR(c, 'YYYY-MM') AS x FROM raw.t", f"SELECT DATE_FORMAT(c, 'yyyy-MM') AS x {T}"),
    ("postgres", "SELECT EXTRACT(EPOCH FROM u - c) AS x, EXTRACT(EPOCH FROM NOW()) AS y FROM raw.t", f"SELECT ( (UNIX_MICROS(CAST(u AS TIMESTAMP)) - UNIX_MICROS(CAST(c AS TIMESTAMP))) / 1000000 ) AS x, CAST(CURRENT_TIMESTAMP() AS DOUBLE) AS y {T}"),
    ("duckdb", "SELECT EPOCH(INTERVAL '2' HOUR) AS x, EPOCH_MS(b::TIMESTAMP) AS y, EPOCH_MS(a) AS z FROM raw.t", f"SELECT CAST(TIMESTAMP_SECONDS(0) + INTERVAL '2' HOUR AS DOUBLE) AS x, UNIX_MILLIS(CAST(CAST(b AS TIMESTAMP_NTZ) AS TIMESTAMP)) AS y, TIMESTAMP_MILLIS(a) AS z {T}"),
    ("postgres", "SELECT EXTRACT(EPOCH FROM AVG(u - c)) AS x FROM raw.t", f"SELECT AVG( (UNIX_MICROS(CAST(u AS TIMESTAMP)) - UNIX_MICROS(CAST(c AS TIMESTAMP))) / 1000000 ) AS x {T}"),
    ("postgres", "SELECT EXTRACT(EPOCH FROM INTERVAL '1 month') AS x", "Untranslatable"),
    # what operators mean by their types
    ("postgres", "SELECT 7 / 2 AS x, COUNT(*) / 2 AS y, a / 2 * 3 AS z, 7.0 / 2 AS w, a::FLOAT / 2 AS v FROM raw.t", f"SELECT 7 DIV 2 AS x, COUNT(*) DIV 2 AS y, (a DIV 2) * 3 AS z, 7.0 / 2 AS w, CAST(a AS DOUBLE) / 2 AS v {T}"),
    ("duckdb", "SELECT 7 / 2 AS x, a / 2 AS y FROM raw.t", f"SELECT 7 / 2 AS x, a / 2 AS y {T}"),
    ("postgres", "SELECT '2024-03-01'::DATE - c AS x, MAX(c) - MIN(c) AS y, c - 1 AS z, (CURRENT_DATE - c) * 2 AS w FROM raw.t", f"SELECT DATEDIFF(CAST('2024-03-01' AS DATE), c) AS x, DATEDIFF(MAX(c), MIN(c)) AS y, c - 1 AS z, (DATEDIFF(CURRENT_DATE, c)) * 2 AS w {T}"),
    ("duckdb", "SELECT (u - c)::INT AS x FROM raw.t", f"SELECT CAST(DATEDIFF(u, c) AS INT) AS x {T}"),
    ("postgres", "SELECT c - '2024-01-01' AS x FROM raw.t", f"SELECT DATEDIFF(c, '2024-01-01') AS x {T}"),
    ("bigquery", "SELECT c - c AS x FROM raw.t", f"SELECT c - c AS x {T}"),
    ("postgres", "SELECT b::TIMESTAMP AT TIME ZONE 'America/New_York' AS x, b::TIMESTAMPTZ AT TIME ZONE 'America/New_York' AS y FROM raw.t", f"SELECT TO_UTC_TIMESTAMP(CAST(b AS TIMESTAMP), 'America/New_York') AS x, FROM_UTC_TIMESTAMP(CAST(b AS TIMESTAMP), 'America/New_York') AS y {T}"),
    ("postgres", "SELECT b::TIMESTAMP AT TIME ZONE 'utc' AT TIME ZONE 'Europe/Rome' AS x FROM raw.t", f"SELECT FROM_UTC_TIMESTAMP(TO_UTC_TIMESTAMP(CAST(b AS TIMESTAMP), 'UTC'), 'Europe/Rome') AS x {T}"),
    ("duckdb", "SELECT 2.5::INT AS x, (a / 2)::INT AS y, b::INT AS z, a::BIGINT AS w, TRY_CAST(b::DOUBLE AS INT) AS v FROM raw.t", f"SELECT CAST(ROUND(2.5) AS INT) AS x, CAST(BROUND(a / 2) AS INT) AS y, CAST(b AS INT) AS z, CAST(a AS BIGINT) AS w, TRY_CAST(BROUND(CAST(b AS DOUBLE)) AS INT) AS v {T}"),
    ("snowflake", "SELECT (a / 2)::INT AS x, 2.5::FLOAT::INT AS y FROM raw.t", f"SELECT CAST(ROUND(a / 2) AS BIGINT) AS x, CAST(ROUND(CAST(2.5 AS DOUBLE)) AS BIGINT) AS y {T}"),
    # regular expressions
    ("snowflake", "SELECT REGEXP_LIKE(b, 'x|y') AS x, b RLIKE 'x' AS y, REGEXP_LIKE(b, 'x', 'i') AS z, b RLIKE c AS w FROM raw.t", f"SELECT b RLIKE '^(?:x|y)$' AS x, b RLIKE '^(?:x)$' AS y, b RLIKE '(?iu)^(?:x)$' AS z, b RLIKE CONCAT('^(?:', c, ')$') AS w {T}"),
    ("duckdb", "SELECT REGEXP_MATCHES(b, 'x') AS x, REGEXP_MATCHES(b, 'x', 'i') AS y, REGEXP_FULL_MATCH(b, 'x') AS z, b SIMILAR TO 'x' AS w FROM raw.t", f"SELECT b RLIKE 'x' AS x, b RLIKE '(?iu)x' AS y, b RLIKE '^(?:x)$' AS z, b RLIKE '^(?:x)$' AS w {T}"),
    ("postgres", "SELECT b ~* 'x' AS x, b !~* b AS y FROM raw.t", f"SELECT b RLIKE '(?iu)x' AS x, NOT (b RLIKE CONCAT('(?iu)', b)) AS y {T}"),
    ("postgres", "SELECT b SIMILAR TO '%x' AS x FROM raw.t", "Untranslatable"),
    ("duckdb", "SELECT REGEXP_MATCHES(b, 'x', 'l') AS x FROM raw.t", "Untranslatable"),
    ("duckdb", "SELECT REGEXP_MATCHES(b, 'x', b) AS x FROM raw.t", "Untranslatable"),
    # what differs between dialects
    ("postgres", "SELECT a FROM raw.t ORDER BY a", f"SELECT a {T} ORDER BY a NULLS LAST"),
    ("tsql", "SELECT TOP 3 ISNULL(a, 0) AS x FROM raw.t", f"SELECT COALESCE(a, 0) AS x {T} LIMIT 3"),
    # a decimal without a precision
    ("postgres", "SELECT a::numeric AS x, b::numeric(5) AS y FROM raw.t", f"SELECT CAST(a AS DECIMAL(38, 18)) AS x, CAST(b AS DECIMAL(5)) AS y {T}"),
    ("bigquery", "SELECT CAST(a AS NUMERIC) AS x, CAST(b AS BIGNUMERIC) AS y, CAST(b AS BIGNUMERIC(38, 30)) AS z FROM raw.t", f"SELECT CAST(a AS DECIMAL(38, 9)) AS x, CAST(b AS DECIMAL(38, 18)) AS y, CAST(b AS DECIMAL(38, 30)) AS z {T}"),
    ("bigquery", "SELECT CAST(b AS BIGNUMERIC(40, 2)) AS x FROM raw.t", "Untranslatable"),
    ("snowflake", "SELECT a::number AS x FROM raw.t", f"SELECT CAST(a AS DECIMAL(38, 0)) AS x {T}"),
    ("duckdb", "SELECT a::decimal AS x, [b]::decimal[] AS y FROM raw.t", f"SELECT CAST(a AS DECIMAL(18, 3)) AS x, CAST(ARRAY(b) AS ARRAY<DECIMAL(18, 3)>) AS y {T}"),
    ("redshift", "SELECT a::numeric AS x FROM raw.t", f"SELECT CAST(a AS DECIMAL(18, 0)) AS x {T}"),
    ("tsql", "SELECT CAST(a AS DECIMAL) AS x FROM raw.t", f"SELECT CAST(a AS DECIMAL(18, 0)) AS x {T}"),
    ("trino", "SELECT CAST(a AS DECIMAL) AS x FROM raw.t", f"SELECT CAST(a AS DECIMAL(38, 0)) AS x {T}"),
    ("mysql", "SELECT CAST(a AS DECIMAL) AS x FROM raw.t", f"SELECT CAST(a AS DECIMAL) AS x {T}"),
    # Spark's own text is kept
    ("spark", "select   a,-- why\n b from raw.t where a<1", "select a,-- why b from {{ source('raw', 't') }} as t where a<1"),
    ("databricks", "SELECT a FROM raw.t x WHERE d BETWEEN @start_ds AND @end_ds", "SELECT a FROM {{ source('raw', 't') }} x WHERE d BETWEEN {{ dbt_kinds.start_ds() }} AND {{ dbt_kinds.end_ds() }}"),
    ("spark", "select raw.t.a from raw.t", "select t.a from {{ source('raw', 't') }} as t"),
    ("spark", "with t as (select 1 as a) select a from t", "with t as (select 1 as a) select a from t"),
    ("spark", "with t as (select a from raw.t) select a from t", "with t as (select a from {{ source('raw', 't') }} as t) select a from t"),
    ("spark", "select '{{ x }}' as a, '{% y %}' as b", "select '{{ '{{' }} x }}' as a, '{{ '{%' }} y %}' as b"),
    ("spark", "select a from `raw`.`T`", "select a from {{ source('raw', 't') }} as T"),
    # without quotes a name may touch a word
    ("spark", "SELECT a FROM`raw`.`t`", f"SELECT a {T}"),
    ("spark", "SELECT t.a FROM raw.t JOIN`raw`.`u`ON t.a=u.a", f"SELECT t.a {T} JOIN {{{{ source('raw', 'u') }}}} AS u ON t.a=u.a"),
    ("spark", "SELECT a FROM raw.t WHERE`raw`.t.a=1", f"SELECT a {T} WHERE t.a=1"),
    ("spark", "SELECT a FROM raw.t WHERE b=@'x_@{start_ds}'AND a>@VAR('least', 1)OR c=@start_date", f"SELECT a {T} WHERE b=concat('x_', {{{{ dbt_kinds.start_ds() }}}}) AND a>1 OR c={{{{ dbt_kinds.start_date() }}}}"),
    ("spark", "JINJA_QUERY_BEGIN;\nselect a from`raw`.`t`join`raw`.`u`on true where c between'{{ start_ds }}'and'{{ end_ds }}'\nJINJA_END;", "select a from {{ source('raw', 't') }} as t join {{ source('raw', 'u') }} as u on true where c between {{ dbt_kinds.start_ds() }} and {{ dbt_kinds.end_ds() }}"),
    ("spark", "SELECT a FROM @{this_model}_old", "UnsupportedMacro"),
    ("spark", "SELECT @'old_@{this_model}' AS a", "UnsupportedMacro"),
    ("spark", "SELECT a AS `old_@{this_model}` FROM raw.t", "UnsupportedMacro"),
    ("spark", "JINJA_QUERY_BEGIN;\nselect a from raw.t_{{ start_ds }}\nJINJA_END;", "UnsupportedMacro"),
    ("spark", "JINJA_QUERY_BEGIN;\nselect 'x_{{ start_ds }}' as a\nJINJA_END;", "UnsupportedMacro"),
    # lists keep NULL and their order; of no rows they are NULL
    ("trino", "SELECT ARRAY_AGG(a ORDER BY b DESC) AS x FROM raw.t GROUP BY c", f"SELECT SORT_ARRAY(COLLECT_LIST(STRUCT(b AS key_1, a AS value)), FALSE).value AS x {T} GROUP BY c"),
    ("postgres", "SELECT ARRAY_AGG(a ORDER BY b DESC) AS x FROM raw.t GROUP BY c", f"SELECT SORT_ARRAY(COLLECT_LIST(STRUCT(b IS NULL AS key_1_is_null, b AS key_1, a AS value)), FALSE).value AS x {T} GROUP BY c"),
    ("postgres", "SELECT ARRAY_AGG(a) FILTER (WHERE b > 1) AS x FROM raw.t GROUP BY c", f"SELECT NULLIF(COLLECT_LIST(STRUCT(a AS value)) FILTER(WHERE b > 1).value, ARRAY()) AS x {T} GROUP BY c"),
    ("snowflake", "SELECT ARRAY_AGG(a) WITHIN GROUP (ORDER BY b DESC) AS x FROM raw.t", f"SELECT SORT_ARRAY( COLLECT_LIST( CASE WHEN a IS NOT NULL THEN STRUCT(b IS NULL AS key_1_is_null, b AS key_1, a AS value) END ), FALSE ).value AS x {T}"),
    ("bigquery", "SELECT ARRAY_AGG(a ORDER BY b DESC LIMIT 1)[OFFSET(0)] AS x FROM raw.t GROUP BY c", f"SELECT ELEMENT_AT( SLICE(SORT_ARRAY(COLLECT_LIST(STRUCT(b AS key_1, a AS value)), FALSE).value, 1, 1), 1 ) AS x {T} GROUP BY c"),
    ("bigquery", "SELECT ARRAY_AGG(DISTINCT a IGNORE NULLS) AS x, ARRAY_AGG(a IGNORE NULLS ORDER BY a DESC) AS y FROM raw.t", f"SELECT SORT_ARRAY(COLLECT_SET(a)) AS x, SORT_ARRAY(COLLECT_LIST(a), FALSE) AS y {T}"),
    ("bigquery", "SELECT ARRAY_AGG(a ORDER BY b DESC, c) AS x FROM raw.t", "Untranslatable"),
    ("duckdb", "SELECT LIST(DISTINCT a ORDER BY b) AS x FROM raw.t", "Untranslatable"),
    ("duckdb", "SELECT ANY_VALUE(a ORDER BY b) AS x FROM raw.t", "Untranslatable"),
    ("duckdb", "SELECT ARG_MAX(a, b) AS x FROM raw.t", f"SELECT MAX_BY(a, CASE WHEN a IS NOT NULL THEN b END) AS x {T}"),
    ("trino", "SELECT MAX_BY(a, b) AS x FROM raw.t", f"SELECT MAX_BY(a, b) AS x {T}"),
    ("snowflake", "SELECT SKEW(a) AS x FROM raw.t", "Untranslatable"),
    ("duckdb", "SELECT i FROM RANGE(3) AS r(i)", "SELECT i FROM EXPLODE(FILTER(SEQUENCE(0, 3), _item -> _item < 3)) AS r(i)"),
    # TRUNC of Spark is NULL for other units
    ("bigquery", "SELECT DATE_TRUNC(c, DAY) AS x, DATE_TRUNC(c, ISOWEEK) AS y, DATE_TRUNC(c, HOUR) AS z, DATETIME_TRUNC(c, MONTH) AS w FROM raw.t", f"SELECT TO_DATE(c) AS x, TRUNC(c, 'WEEK') AS y, DATE_TRUNC('HOUR', c) AS z, DATE_TRUNC('MONTH', c) AS w {T}"),
    ("snowflake", "SELECT DATE_TRUNC('day', c::DATE) AS x FROM raw.t", f"SELECT TO_DATE(CAST(c AS DATE)) AS x {T}"),
    ("postgres", "SELECT DATE_TRUNC('decade', c) AS x FROM raw.t", "Untranslatable"),
    ("bigquery", "SELECT DATE_TRUNC(c, ISOYEAR) AS x FROM raw.t", "Untranslatable"),
    ("tsql", "SELECT DATETRUNC(week, c) AS x FROM raw.t", f"SELECT DATE_ADD(TRUNC(DATE_ADD(c, 1), 'WEEK'), -1) AS x {T}"),
    ("tsql", "SELECT DATETRUNC(iso_week, c) AS x FROM raw.t", f"SELECT TRUNC(c, 'WEEK') AS x {T}"),
    ("redshift", "SELECT TRUNC(b) AS x FROM raw.t", "Untranslatable"),
    ("redshift", "SELECT TRUNC(b::TIMESTAMP) AS x, TRUNC(b::FLOAT) AS y FROM raw.t", f"SELECT TO_DATE(CAST(b AS TIMESTAMP)) AS x, CAST(CAST(b AS DOUBLE) AS BIGINT) AS y {T}"),
    ("postgres", "SELECT b::TIME AS x FROM raw.t", "Untranslatable"),
    # zones that sqlglot leaves out
    ("bigquery", "SELECT TIMESTAMP_TRUNC(b, DAY, 'europe/rome') AS x FROM raw.t", f"SELECT TO_UTC_TIMESTAMP(DATE_TRUNC('DAY', FROM_UTC_TIMESTAMP(b, 'Europe/Rome')), 'Europe/Rome') AS x {T}"),
    ("postgres", "SELECT DATE_TRUNC('hour', b, 'Europe/Rome') AS x FROM raw.t", f"SELECT TO_UTC_TIMESTAMP(DATE_TRUNC('HOUR', FROM_UTC_TIMESTAMP(b, 'Europe/Rome')), 'Europe/Rome') AS x {T}"),
    ("bigquery", "SELECT DATE(b, 'Europe/Rome') AS x, DATE(b) AS y FROM raw.t", f"SELECT TO_DATE(FROM_UTC_TIMESTAMP(b, 'Europe/Rome')) AS x, DATE(b) AS y {T}"),
    ("bigquery", "SELECT TIMESTAMP('2024-01-01', 'Europe/Rome') AS x", "SELECT TO_UTC_TIMESTAMP(CAST('2024-01-01' AS TIMESTAMP), 'Europe/Rome') AS x"),
    ("bigquery", "SELECT FORMAT_TIMESTAMP('%H', b, 'Europe/Rome') AS x FROM raw.t", f"SELECT DATE_FORMAT(FROM_UTC_TIMESTAMP(CAST(b AS TIMESTAMP), 'Europe/Rome'), 'HH') AS x {T}"),
    ("bigquery", "SELECT PARSE_TIMESTAMP('%Y-%m', b, 'Europe/Rome') AS x FROM raw.t", f"SELECT TO_UTC_TIMESTAMP(TO_TIMESTAMP(b, 'yyyy-M'), 'Europe/Rome') AS x {T}"),
    ("bigquery", "SELECT EXTRACT(DATE FROM b AT TIME ZONE 'Europe/Rome') AS x FROM raw.t", f"SELECT TO_DATE(FROM_UTC_TIMESTAMP(b, 'Europe/Rome')) AS x {T}"),
    ("trino", "SELECT FROM_UNIXTIME(a, 'Europe/Rome') AS x FROM raw.t", f"SELECT TIMESTAMP_SECONDS(a) AS x {T}"),
    # arguments that sqlglot leaves out
    ("mysql", "SELECT JSON_EXTRACT(b, '$.x', '$.y') AS x FROM raw.t", "Untranslatable"),
    ("tsql", "SELECT FORMAT(c, 'yyyy', 'de-DE') AS x FROM raw.t", "Untranslatable"),
    ("trino", "SELECT SPLIT(b, ',', 2) AS x FROM raw.t", "Untranslatable"),
    ("tsql", "SELECT YEAR(c) AS x FROM raw.t", f"SELECT YEAR(c) AS x {T}"),
    # formats of times: letters that are no directives, directives that Spark lacks
    ("bigquery", "SELECT FORMAT_DATE('%FT%H:%M', c) AS x, PARSE_TIMESTAMP('%Y-%m-%dT%H', b) AS y FROM raw.t", f"SELECT DATE_FORMAT(TO_DATE(c), 'yyyy-MM-dd\\'T\\'HH:mm') AS x, TO_TIMESTAMP(b, 'yyyy-M-d\\'T\\'H') AS y {T}"),
    ("bigquery", "SELECT FORMAT_DATE('%G-%V', c) AS x FROM raw.t", "Untranslatable"),
    ("bigquery", "SELECT PARSE_DATE('%a %d %b', b) AS x FROM raw.t", "Untranslatable"),
    ("duckdb", "SELECT STRFTIME(c, '%j%%') AS x, STRPTIME(b, '%Y%m%d') AS y FROM raw.t", f"SELECT DATE_FORMAT(c, 'DDD%') AS x, TO_TIMESTAMP(b, 'yyyyMMdd') AS y {T}"),
    ("trino", "SELECT DATE_FORMAT(c, 'week %v') AS x FROM raw.t", "Untranslatable"),
    ("postgres", "SELECT TO_CHAR(c, 'DD Mon YYYY') AS x, TO_CHAR(c, 'YYYY-MM-DD\"T\"HH24:MI') AS y, TO_CHAR(c, 'HH12:MI AM') AS z FROM raw.t", f"SELECT DATE_FORMAT(c, 'dd MMM yyyy') AS x, DATE_FORMAT(c, 'yyyy-MM-dd\\'T\\'HH:mm') AS y, DATE_FORMAT(c, 'hh:mm a') AS z {T}"),
    ("postgres", "SELECT TO_CHAR(c, 'Month') AS x FROM raw.t", "Untranslatable"),
    ("postgres", "SELECT TO_CHAR(c, 'DY') AS x FROM raw.t", "Untranslatable"),
    ("snowflake", "SELECT TO_CHAR(c::TIMESTAMP, 'HH24:MI:SS.FF3') AS x FROM raw.t", f"SELECT DATE_FORMAT(CAST(c AS TIMESTAMP), 'HH:mm:ss.SSS') AS x {T}"),
    # what a pattern finds
    ("bigquery", "SELECT REGEXP_EXTRACT(b, 'x') AS x, REGEXP_EXTRACT(b, 'x(y)') AS y FROM raw.t", f"SELECT IF(b RLIKE 'x', REGEXP_EXTRACT(b, 'x', 0), NULL) AS x, IF(b RLIKE 'x(y)', REGEXP_EXTRACT(b, 'x(y)', 1), NULL) AS y {T}"),
    ("snowflake", "SELECT REGEXP_SUBSTR(b, 'x(y)', 1, 1, 'e', 1) AS x FROM raw.t", f"SELECT IF(b RLIKE 'x(y)', REGEXP_EXTRACT(b, 'x(y)', 1), NULL) AS x {T}"),
    ("snowflake", "SELECT REGEXP_SUBSTR(b, 'x', 1, 2) AS x FROM raw.t", "Untranslatable"),
    ("redshift", "SELECT REGEXP_SUBSTR(b, 'x') AS x FROM raw.t", f"SELECT REGEXP_EXTRACT(b, 'x', 0) AS x {T}"),
    ("postgres", "SELECT SUBSTRING(b FROM 'x(y)') AS x FROM raw.t", f"SELECT IF(b RLIKE 'x(y)', REGEXP_EXTRACT(b, 'x(y)', 1), NULL) AS x {T}"),
    ("bigquery", "SELECT REGEXP_EXTRACT_ALL(b, 'x(y)') AS x FROM raw.t", f"SELECT REGEXP_EXTRACT_ALL(b, 'x(y)') AS x {T}"),
    # positions and counts that are zero or negative
    ("postgres", "SELECT LEFT(b, -1) AS x, RIGHT(b, -1) AS y, SUBSTR(b, 0, 3) AS z, SUBSTR(b, 0) AS w FROM raw.t", f"SELECT SUBSTRING(b, 1, LENGTH(b) - 1) AS x, SUBSTRING(b, 2) AS y, SUBSTRING(b, 1, 2) AS z, SUBSTRING(b, 1) AS w {T}"),
    ("snowflake", "SELECT SUBSTR(b, 0, 3) AS x FROM raw.t", f"SELECT SUBSTRING(b, 0, 3) AS x {T}"),
    ("duckdb", "SELECT b::DOUBLE // 2 AS x FROM raw.t", "Untranslatable"),
    ("duckdb", "SELECT t.a FROM raw.t ASOF JOIN raw.u ON t.a >= u.a", "Untranslatable"),
    ("duckdb", "SELECT SUM(a) OVER (ORDER BY b GROUPS BETWEEN 1 PRECEDING AND CURRENT ROW) AS x FROM raw.t", "Untranslatable"),
    ("bigquery", "SELECT GENERATE_DATE_ARRAY('2024-01-01', c) AS x FROM raw.t", f"SELECT IF( CAST('2024-01-01' AS DATE) > c, ARRAY(), SEQUENCE(CAST('2024-01-01' AS DATE), c, INTERVAL '1' DAY) ) AS x {T}"),
    ("trino", "SELECT TO_UNIXTIME(c) AS x FROM raw.t", f"SELECT CAST(CAST(c AS TIMESTAMP) AS DOUBLE) AS x {T}"),
    # rows of lists
    ("postgres", "SELECT u, o FROM raw.t, UNNEST(b) WITH ORDINALITY AS x(u, o)", f"SELECT u, o {T} LATERAL VIEW INLINE(TRANSFORM(b, (_item, _position) -> STRUCT(_item AS u, _position + 1 AS o))) x AS u, o"),
    ("trino", "SELECT u, o FROM raw.t LEFT JOIN UNNEST(b) WITH ORDINALITY AS x(u, o) ON TRUE", f"SELECT u, o {T} LATERAL VIEW OUTER INLINE(TRANSFORM(b, (_item, _position) -> STRUCT(_item AS u, _position + 1 AS o))) x AS u, o"),
    ("postgres", "SELECT u, o FROM UNNEST(ARRAY[1, 2]) WITH ORDINALITY AS x(u, o)", "SELECT u, o FROM INLINE( TRANSFORM(ARRAY(1, 2), (_item, _position) -> STRUCT(_item AS u, _position + 1 AS o)) ) AS x(u, o)"),
    ("postgres", "SELECT u FROM raw.t LEFT JOIN UNNEST(b) WITH ORDINALITY AS x(u, o) ON x.u = t.a", f"SELECT u {T} LEFT JOIN LATERAL ( SELECT _item AS u, _position + 1 AS o FROM POSEXPLODE(b) AS _unnested(_position, _item) ) AS x(u, o) ON x.u = t.a"),
    ("postgres", "SELECT u FROM raw.t CROSS JOIN UNNEST(b) WITH ORDINALITY AS x(u)", "Untranslatable"),
    # a joined list; a condition or a later join keeps it in its place
    ("trino", "SELECT e FROM raw.t CROSS JOIN UNNEST(t.b) AS x(e)", f"SELECT e {T} LATERAL VIEW EXPLODE(t.b) x AS e"),
    ("duckdb", "SELECT e FROM raw.t LEFT JOIN UNNEST(t.b) AS x(e) ON TRUE", f"SELECT e {T} LATERAL VIEW OUTER EXPLODE(t.b) x AS e"),
    ("postgres", "SELECT e FROM raw.t LEFT JOIN LATERAL UNNEST(t.b) AS x(e) ON x.e > t.a", f"SELECT e {T} LEFT JOIN LATERAL EXPLODE(t.b) AS x(e) ON x.e > t.a"),
    ("postgres", "SELECT e FROM raw.t JOIN UNNEST(t.b) AS x(e) ON x.e > t.a", f"SELECT e {T} JOIN LATERAL EXPLODE(t.b) AS x(e) ON x.e > t.a"),
    ("bigquery", "SELECT e, o FROM raw.t AS t LEFT JOIN UNNEST(t.b) AS e WITH OFFSET AS o", f"SELECT e, o {T} LATERAL VIEW OUTER POSEXPLODE(t.b) _unnested AS o, e"),
    ("bigquery", "SELECT e FROM raw.t AS t, t.b AS e JOIN raw.u ON u.a = e", f"SELECT e {T} CROSS JOIN LATERAL EXPLODE(t.b) AS _unnested(e) JOIN {{{{ source('raw', 'u') }}}} AS u ON u.a = e"),
    ("trino", "SELECT e, f FROM raw.t LEFT JOIN UNNEST(t.b, t.c) AS x(e, f) ON e > f", f"SELECT e, f {T} LEFT JOIN LATERAL INLINE(ARRAYS_ZIP(t.b, t.c)) AS x(e, f) ON e > f"),
    ("postgres", "SELECT e FROM raw.t FULL JOIN UNNEST(t.b) AS x(e) ON TRUE", "Untranslatable"),
    ("duckdb", "SELECT e FROM raw.u JOIN (raw.t CROSS JOIN UNNEST(t.b) AS x(e)) ON u.a = e", "Untranslatable"),
    # clauses that sqlglot leaves out
    ("trino", "SELECT a FROM raw.t ORDER BY b FETCH FIRST 3 ROWS WITH TIES", "Untranslatable"),
    ("oracle", "SELECT a FROM raw.t ORDER BY b FETCH FIRST 10 PERCENT ROWS ONLY", "Untranslatable"),
    ("tsql", "SELECT TOP 3 WITH TIES a FROM raw.t ORDER BY b", "Untranslatable"),
    ("postgres", "SELECT a FROM raw.t FETCH FIRST 3 ROWS ONLY", f"SELECT a {T} LIMIT 3"),
    ("clickhouse", "SELECT a FROM raw.t PREWHERE a > 1 WHERE b = 'x'", "Untranslatable"),
    ("postgres", "SELECT GENERATE_SERIES(a, c, '1 day'::interval)::DATE AS x FROM raw.t", f"SELECT EXPLODE( TRANSFORM(IF(a > c, ARRAY(), SEQUENCE(a, c, INTERVAL '1' DAY)), _item -> CAST(_item AS DATE)) ) AS x {T}"),
    ("postgres", "SELECT STRING_TO_ARRAY(b, ',') AS x FROM raw.t", f"SELECT IF(b = '', ARRAY(), SPLIT(b, ',')) AS x {T}"),
    ("postgres", "SELECT ARRAY_POSITION(b, 5) AS x, LOCALTIMESTAMP AS y, ROUND(b::FLOAT) AS z FROM raw.t", f"SELECT NULLIF(ARRAY_POSITION(b, 5), 0) AS x, CURRENT_TIMESTAMP() AS y, BROUND(CAST(b AS DOUBLE)) AS z {T}"),
    ("snowflake", "SELECT ARRAY_POSITION(5, b) AS x FROM raw.t", f"SELECT NULLIF(ARRAY_POSITION(b, 5), 0) - 1 AS x {T}"),
    ("postgres", "SELECT b LIKE ANY (ARRAY['x', 'y']) AS x, a <> ALL (ARRAY[1, 2]) AS y FROM raw.t", f"SELECT b LIKE ANY ('x', 'y') AS x, a NOT IN (1, 2) AS y {T}"),
    ("postgres", "SELECT MODE() WITHIN GROUP (ORDER BY a) AS x FROM raw.t", f"SELECT MODE(a) AS x {T}"),
    ("postgres", "SELECT TIMEZONE('Europe/Rome', b::TIMESTAMPTZ) AS x FROM raw.t", f"SELECT FROM_UTC_TIMESTAMP(CAST(b AS TIMESTAMP), 'Europe/Rome') AS x {T}"),
    ("postgres", "SELECT SUBSTR(b, -1, 4) AS x FROM raw.t", f"SELECT SUBSTRING(b, 1, 2) AS x {T}"),
    ("oracle", "SELECT INITCAP(b, c) AS x FROM raw.t", "Untranslatable"),
    ("postgres", "SELECT TO_CHAR(c, 'yyyy-mm-dd hh24:mi:ss') AS x, TO_CHAR(c, 'YYYY-\"Q\"Q') AS y FROM raw.t", f"SELECT DATE_FORMAT(c, 'yyyy-MM-dd HH:mm:ss') AS x, DATE_FORMAT(c, 'yyyy\\'-Q\\'Q') AS y {T}"),
    # what passes over NULL, and what does not
    ("bigquery", "SELECT GREATEST(a, b, 0) AS x FROM raw.t", f"SELECT IF(a IS NULL OR b IS NULL, NULL, GREATEST(a, b, 0)) AS x {T}"),
    ("postgres", "SELECT LEAST(a, b) AS x FROM raw.t", f"SELECT LEAST(a, b) AS x {T}"),
    ("snowflake", "SELECT ARRAY_TO_STRING(b, ',') AS x FROM raw.t", f"SELECT ARRAY_JOIN(b, ',', '') AS x {T}"),
    ("snowflake", "SELECT ARRAY_EXCEPT(b, c) AS x FROM raw.t", "Untranslatable"),
    ("trino", "SELECT SPLIT_PART(b, '.', 2) AS x FROM raw.t", f"SELECT TRY_ELEMENT_AT(SPLIT(b, '\\\\.'), 2) AS x {T}"),
    ("trino", "SELECT MAX(a, 2) AS x FROM raw.t", "Untranslatable"),
    ("trino", "SELECT RANDOM(10) AS x FROM raw.t", "Untranslatable"),
    ("tsql", "SELECT 'x' + b + c AS x, a + 1 AS y FROM raw.t", f"SELECT CONCAT(CONCAT('x', b), c) AS x, a + 1 AS y {T}"),
    ("tsql", "SELECT FORMAT(a, 'N2') AS x FROM raw.t", "Untranslatable"),
    ("mysql", "SELECT LENGTH(b) AS x, CHAR_LENGTH(b) AS y FROM raw.t", f"SELECT OCTET_LENGTH(b) AS x, LENGTH(b) AS y {T}"),
    ("snowflake", "SELECT ADD_MONTHS(c, 1) AS x FROM raw.t", f"SELECT IF(TO_DATE(c) = LAST_DAY(c), LAST_DAY(ADD_MONTHS(c, 1)), ADD_MONTHS(c, 1)) AS x {T}"),
    ("duckdb", "SELECT a FROM db.result", "SELECT a FROM {{ this }} AS result"),
]  # fmt: skip


@pytest.mark.parametrize(("dialect", "sql", "expected"), TRANSLATIONS)
def test_query_becomes(dialect: str, sql: str, expected: str) -> None:
    assert query_of(sql, dialect, files=TABLES) == expected


@pytest.mark.parametrize(("dialect", "sql", "expected"), [row for row in TRANSLATIONS if " " in row[2]])
def test_written_sql_is_read_again_as_spark(dialect: str, sql: str, expected: str) -> None:
    compiled = read(f"MODEL (name db.result, kind INCREMENTAL_UNMANAGED);\n{sql}", dialect, files=TABLES)
    assert compiled.model is not None
    text = compiled.model.query.text
    once = parse_statement(text, "spark").sql("spark")
    assert parse_statement(once, "spark").sql("spark") == once


@pytest.mark.parametrize(
    ("dialect", "sql", "expected"),
    [
        ("duckdb", "SELECT a, NULL AS x FROM raw.t", "SELECT a, CAST(NULL AS INT) AS x"),
        ("postgres", "SELECT a, NULL AS x FROM raw.t", "SELECT a, CAST(NULL AS STRING) AS x"),
        ("bigquery", "SELECT a, NULL AS x FROM raw.t", "SELECT a, CAST(NULL AS BIGINT) AS x"),
        ("trino", "SELECT a, NULL AS x FROM raw.t", "SELECT a, NULL AS x"),
        ("duckdb", "SELECT a, NULL AS x FROM raw.t UNION ALL SELECT a, b FROM raw.t", "SELECT a, NULL AS x"),
        ("duckdb", "SELECT a, x FROM (SELECT a, NULL AS x FROM raw.t) AS q", "SELECT a, x FROM ( SELECT a, NULL AS x"),
        (
            "duckdb",
            "SELECT COALESCE(NULL, a) AS x, b IS NULL AS y FROM raw.t",
            "SELECT COALESCE(NULL, a) AS x, b IS NULL",
        ),
    ],
)
def test_a_null_that_is_a_column_has_a_type(dialect: str, sql: str, expected: str) -> None:
    assert query_of(sql, dialect, files=TABLES).startswith(expected)


def test_refusal_names_the_line_of_the_function() -> None:
    text = "MODEL (name db.m);\n\nSELECT\n  a,\n  FARM_FINGERPRINT(b) AS x\nFROM raw.t"
    assert read(text, "bigquery", files=TABLES).refusal == "Untranslatable:5"


def test_parse_error_names_the_line() -> None:
    assert read("MODEL (name db.m);\n\nSELECT a,\n  b b b\nFROM raw.t").refusal == "SqlParseError:4"


@pytest.mark.parametrize(
    ("dialect", "expression", "said"),
    [
        ("postgres", "u / v", "TypeUnknown:4"),
        ("postgres", "1.0 * u / v", ""),
        ("postgres", "a / 2", ""),
        ("duckdb", "u / v", ""),
        ("postgres", "CURRENT_DATE - u", "TypeUnknown:4"),
        ("postgres", "u - v", ""),
        ("postgres", "CURRENT_DATE - INTERVAL '1 day'", ""),
        ("postgres", "u AT TIME ZONE 'Europe/Rome'", "TypeUnknown:4"),
        ("postgres", "u AT TIME ZONE 'UTC'", ""),
        ("postgres", "NOW() AT TIME ZONE 'Europe/Rome'", ""),
    ],
)
def test_operator_that_hangs_on_an_unknown_type_needs_a_person(dialect: str, expression: str, said: str) -> None:
    text = f"MODEL (name db.m);\n\nSELECT\n  {expression} AS x\nFROM raw.t"
    notes = read(text, dialect, files=TABLES).notes
    assert " ".join(f"{note.code}:{note.place.line}" for note in notes if note.severity == "person") == said


CALLS = [
    # neither Spark nor the dialect knows it
    ("duckdb", "MY_OWN(b)", ["FunctionNotCompared:4", "FunctionUnknown:4"]),
    ("tsql", "dbo.my_own(b)", ["FunctionNotCompared:4", "FunctionUnknown:4"]),
    ("spark", "my_own(b)", ["FunctionUnknown:4"]),
    ("spark", "concat(b, upper(b))", []),
    ("databricks", "try_to_date(b)", ["FunctionUnknown:4"]),
    # both do, and nobody has compared them
    ("oracle", "UPPER(b)", ["FunctionNotCompared:4"]),
    ("snowflake", "UCASE(b)", ["FunctionNotCompared:4"]),
    ("snowflake", "UPPER(b)", []),
    # they give other values
    ("duckdb", "HASH(b)", ["FunctionDiffers:4"]),
    # a name that may be either
    ("snowflake", "1", []),
]


@pytest.mark.parametrize(("dialect", "expression", "said"), CALLS)
def test_calls_that_nobody_knows_are_named(dialect: str, expression: str, said: list[str]) -> None:
    text = f"MODEL (name db.m);\n\nSELECT\n  {expression} AS x\nFROM raw.t"
    notes = [note for note in read(text, dialect, files=TABLES).notes if note.code.name.startswith("Function")]
    assert sorted(f"{note.code}:{note.place.line}" for note in notes) == said
    name = expression.split("(")[0].split(".")[-1].upper()
    assert all(name in note.message for note in notes)


@pytest.mark.parametrize(
    ("dialect", "query"),
    [
        ("duckdb", "* EXCLUDE (b) REPLACE (a + 1 AS a)"),
        ("postgres", "COUNT(*) FILTER (WHERE a > 1) AS n"),
        ("postgres", "SUM(a) OVER (ORDER BY c) AS s"),
    ],
)
def test_a_word_before_a_parenthesis_that_calls_nothing_is_no_function(dialect: str, query: str) -> None:
    assert read(f"MODEL (name db.m);\nSELECT {query} FROM raw.t", dialect, files=TABLES).codes == []


@pytest.mark.parametrize(
    ("summed", "is_said"),
    [
        ("a::bigint", True),
        ("a", False),
        # said of every sum of a project that declares no columns, it would hide what matters
        ("u", False),
    ],
)
def test_a_sum_of_bigints_is_said_once(summed: str, is_said: bool) -> None:
    text = f"MODEL (name db.m, kind FULL);\nSELECT SUM({summed}) AS x, SUM({summed}) AS y FROM raw.t"
    project = read(text, "postgres", files=TABLES).project
    said = [note for note in project.notes if note.message.startswith("the sum of a BIGINT has more digits")]
    assert len(said) == is_said


@pytest.mark.parametrize(
    ("condition", "is_said"),
    [
        ("b ~ 'x'", True),
        ("b !~ '^x'", True),
        ("b ~ '^x\\$'", True),
        ("b ~ '^x$'", False),
        ("regexp_matches(b, 'x')", False),
    ],
)
def test_what_a_tilde_of_duckdb_matches_is_said_where_its_versions_differ(condition: str, is_said: bool) -> None:
    project = read(f"MODEL (name db.m);\nSELECT a FROM raw.t WHERE {condition}", "duckdb", files=TABLES).project
    assert any(note.message.startswith("~ of DuckDB before 2.0") for note in project.notes) == is_said


def test_databricks_knows_its_own_functions() -> None:
    text = "MODEL (name db.m);\nSELECT try_to_date(b) AS x FROM raw.t"
    assert read(text, "databricks", files=TABLES, adapter="databricks").codes == []


def test_calls_in_statements_and_conditions_of_merges_are_named() -> None:
    kind = "kind INCREMENTAL_BY_UNIQUE_KEY (unique_key a, merge_filter MY_OWN(source.a) > 1)"
    text = f"MODEL (name db.m, {kind});\nINSERT INTO raw.log SELECT OTHER(1);\nSELECT a FROM raw.t"
    notes = read(text, "duckdb", files=TABLES).notes
    said = {note.message.split()[0] for note in notes if note.code.name in ("FunctionUnknown", "FunctionNotCompared")}
    assert said == {"MY_OWN", "OTHER"}


@pytest.mark.parametrize("file", ["models/before.sql", "models/then.sql"])
def test_columns_are_known_through_a_model_that_selects_all_whatever_is_read_first(file: str) -> None:
    files = {**TABLES, file: "MODEL (name db.all_of_t, kind VIEW);\nSELECT * FROM raw.t"}
    assert query_of("SELECT * EXCEPT (b) FROM db.all_of_t", "bigquery", files=files) == (
        "SELECT a, c FROM {{ ref('all_of_t') }} AS all_of_t"
    )


PASSED_ON = [
    ("SELECT a FROM raw.t", "a DIV 2", []),
    ("SELECT COUNT(*) AS a FROM raw.t", "a DIV 2", []),
    ("SELECT * FROM raw.t", "a DIV 2", []),
    ("WITH x AS (SELECT a AS y FROM raw.t) SELECT y AS a FROM x", "a DIV 2", []),
    ("SELECT a FROM raw.t UNION ALL SELECT a FROM raw.u UNION ALL SELECT NULL", "a DIV 2", []),
    ("SELECT CAST(b AS DOUBLE PRECISION) AS a FROM raw.t", "a / 2", []),
    ("SELECT a FROM raw.t UNION ALL SELECT CAST(a AS DOUBLE PRECISION) FROM raw.u", "a / 2", ["TypeUnknown"]),
    ("SELECT a + 0.5 AS a FROM raw.t", "a / 2", ["TypeUnknown"]),
    ("SELECT b AS a FROM raw.unknown", "a / 2", ["TypeUnknown"]),
]


@pytest.mark.parametrize(("query", "written", "codes"), PASSED_ON)
def test_types_are_known_through_models(query: str, written: str, codes: list[str]) -> None:
    files = {**TABLES, "models/typed.sql": f"MODEL (name db.typed);\n{query}"}
    sql = "SELECT a / 2 AS x FROM db.typed"
    assert query_of(sql, "postgres", files=files) == f"SELECT {written} AS x FROM {{{{ ref('typed') }}}} AS typed"
    assert read(f"MODEL (name db.m);\n{sql}", "postgres", files=files).codes == codes


def test_name_that_may_be_a_column_or_an_alias_needs_a_person() -> None:
    text = "MODEL (name db.m);\nSELECT\n  a * 2 AS p\nFROM raw.unknown\nWHERE p > 3"
    notes = [note for note in read(text, "duckdb").notes if note.severity == "person"]
    assert [(note.code.name, note.place.line) for note in notes] == [("AliasUnclear", 5)]


@pytest.mark.parametrize(
    ("dialect", "sql", "words"),
    [
        ("databricks", "SELECT UPPER(b) AS b FROM raw.unknown QUALIFY ROW_NUMBER() OVER (ORDER BY b) = 1", ""),
        ("databricks", "SELECT a * 2 AS p FROM raw.unknown QUALIFY ROW_NUMBER() OVER (ORDER BY p) = 1", "declare the columns"),
        ("databricks", "SELECT *, a * 2 AS p FROM raw.unknown QUALIFY ROW_NUMBER() OVER (ORDER BY p) = 1", ""),
        ("snowflake", "SELECT a * 2 AS p FROM raw.unknown QUALIFY p = 1", ""),
        # whether BigQuery takes the column there was not compared
        ("bigquery", "SELECT UPPER(b) AS b FROM raw.t QUALIFY ROW_NUMBER() OVER (ORDER BY b) = 1", "name the column's table"),
        ("bigquery", "SELECT a * 2 AS p FROM raw.unknown QUALIFY p = 1", "declare the columns"),
        ("bigquery", "SELECT b AS b FROM raw.t QUALIFY ROW_NUMBER() OVER (ORDER BY b) = 1", ""),
    ],
)  # fmt: skip
def test_names_in_qualify_that_may_be_either_need_a_person(dialect: str, sql: str, words: str) -> None:
    notes = [
        note for note in read(f"MODEL (name db.m);\n{sql}", dialect, files=TABLES).notes if note.severity == "person"
    ]
    assert [note.code.name for note in notes] == ["AliasUnclear"] * bool(words)
    assert all(words in note.message for note in notes)


def test_types_of_sources_are_those_of_spark() -> None:
    columns = "{a: INT(11), b: JSON, c: UNSIGNED BIGINT, d: VARBINARY(16), e: GEOMETRY, f: TINYINT(1), g: ENUM('x')}"
    compiled = read(
        "MODEL (name db.m);\nSELECT 1 AS a",
        "mysql",
        files={
            "external_models.yaml": f"- name: raw.t\n  columns: {columns}\n".replace(
                "UNSIGNED BIGINT", "BIGINT UNSIGNED"
            )
        },
    )
    source = compiled.project.sources[0]
    types = {column.name: column.data_type for column in source.columns}
    assert types == {
        "a": "int",
        "b": "string",
        "c": "decimal(20, 0)",
        "d": "binary",
        "e": None,
        "f": "tinyint",
        "g": "string",
    }
    assert [note.code.name for note in source.notes] == ["PropertyDropped"]


def test_real_of_tsql_has_four_bytes_in_types_that_are_declared() -> None:
    files = {"external_models.yaml": "- name: raw.t\n  columns: {a: REAL, b: FLOAT, c: FLOAT(24)}\n"}
    compiled = read("MODEL (name db.m, columns (x real, y float));\nSELECT 1 AS x, 2 AS y", "tsql", files=files)
    assert [column.data_type for column in compiled.project.sources[0].columns] == ["float", "double", "float"]
    assert compiled.model is not None
    assert compiled.model.query.text.split() == [
        "SELECT",
        "CAST(1",
        "AS",
        "FLOAT)",
        "AS",
        "x,",
        "CAST(2",
        "AS",
        "DOUBLE)",
        "AS",
        "y",
    ]


def test_time_that_is_declared_a_date_is_said() -> None:
    text = "MODEL (name db.m, columns (a DATE, b DATE));\nSELECT\n  CURRENT_TIMESTAMP AS a,\n  c AS b\nFROM raw.t"
    notes = [note for note in read(text, files=TABLES).notes if note.code.name == "TimeCutOff"]
    assert [(note.severity, note.message.split()[0]) for note in notes] == [("note", "a")]


@pytest.mark.parametrize("operator", ["-", "/", "||"])
def test_long_chain_of_operators_is_read(operator: str) -> None:
    chain = f" {operator} ".join(["u"] * 2000)
    assert read(f"MODEL (name db.m);\nSELECT {chain} AS x FROM raw.t", "postgres", files=TABLES).refusal == ""


def test_source_that_nobody_declares_is_said() -> None:
    compiled = read("MODEL (name db.m);\nSELECT a FROM other.place AS p JOIN unknown ON TRUE JOIN cat.s.t ON TRUE")
    assert compiled.codes == ["UndeclaredSource", "UnqualifiedTable", "UndeclaredSource"]
    assert [(source.source, source.catalog, source.schema) for source in compiled.project.sources] == [
        ("cat__s", "cat", "s"),
        ("other", None, "other"),
    ]


def test_declared_types_become_casts() -> None:
    text = "MODEL (name db.m, columns (a INT, b TEXT, d DATE));\nSELECT a, CAST(b AS TEXT) AS b, c AS d FROM raw.t"
    compiled = read(text)
    assert compiled.model is not None
    assert (
        compiled.model.query.text.split("\nFROM")[0]
        == "SELECT\n  CAST(a AS INT) AS a,\n  CAST(b AS STRING) AS b,\n  CAST(c AS DATE) AS d"
    )
    assert "ColumnsNotApplied" in read("MODEL (name db.m, columns (a INT));\nSELECT * FROM raw.t").codes


def test_declared_types_reach_through_a_star_whose_columns_are_known() -> None:
    found = read("MODEL (name db.m, columns (a INT));\nWITH c AS (SELECT x AS a, y FROM raw.t) SELECT * FROM c")
    assert found.model is not None and "ColumnsNotApplied" not in found.codes
    assert "SELECT\n  CAST(a AS INT) AS a,\n  y\nFROM c" in found.model.query.text


def test_end_of_the_window_is_inclusive() -> None:
    assert (
        "ExclusiveEnd" in read("MODEL (name db.m, kind INCREMENTAL_UNMANAGED);\nSELECT 1 AS a WHERE x < @end_ts").codes
    )
    assert (
        "ExclusiveEnd"
        not in read("MODEL (name db.m, kind INCREMENTAL_UNMANAGED);\nSELECT 1 AS a WHERE x <= @end_ts").codes
    )


OWN = [
    ("duckdb", "SELECT a FROM raw.t WHERE a > (SELECT MAX(a) FROM db.m)", 1),
    ("duckdb", "SELECT a FROM raw.t LEFT JOIN shop.db.m AS o USING (a)", 1),
    ("duckdb", 'SELECT a FROM raw.t JOIN "shop"."db"."M" USING (a)', 1),
    ("snowflake", "WITH x AS (SELECT * FROM DB.M) SELECT a FROM x UNION ALL SELECT a FROM raw.t", 1),
    ("bigquery", "SELECT a FROM `db.m` UNION ALL SELECT db.m.a FROM db.m", 2),
    ("duckdb", "SELECT a FROM @this_model", 1),
    ("duckdb", "JINJA_QUERY_BEGIN;\nSELECT a FROM {{ this_model }} AS x UNION ALL SELECT a FROM db.m\nJINJA_END;", 2),
    ("spark", "JINJA_QUERY_BEGIN;\nSELECT a FROM {{ this_model }} x UNION ALL SELECT a FROM db.m\nJINJA_END;", 2),
    ("spark", "SELECT a FROM db.m m1 JOIN shop.db.m", 2),
]


@pytest.mark.parametrize(("dialect", "query", "count"), OWN)
def test_a_model_that_reads_itself_reads_what_dbt_calls_this(dialect: str, query: str, count: int) -> None:
    config = "gateways:\n  local:\n    connection: {type: duckdb, database: data/shop.db}\n"
    model = f"MODEL (name db.m, kind INCREMENTAL_BY_UNIQUE_KEY (unique_key a), depends_on [db.m]);\n{query}"
    compiled = read(model, dialect, config)
    assert compiled.model is not None and isinstance(compiled.model.query, SqlText), compiled.notes
    text = rendered(compiled.model.query, str)
    assert text.count("{{ this }}") == count and "ref(" not in text and "this_model" not in text
    assert not compiled.model.depends_on and not any(table.schema == "db" for table in compiled.project.sources)


RECURSION = "MODEL (name db.m, kind FULL);\nWITH RECURSIVE r AS (SELECT 1 AS x {} SELECT x + 1 FROM r WHERE x < 3) SELECT x FROM r"


@pytest.mark.parametrize(
    ("spark", "union", "refusal"),
    [
        ("3.5", "UNION ALL", "Untranslatable:2"),
        ("4.0", "UNION ALL", "Untranslatable:2"),
        ("4.1", "UNION ALL", ""),
        ("4.1", "UNION", "Untranslatable:2"),
    ],
)
def test_version_of_spark_decides_what_it_has(spark: str, union: str, refusal: str) -> None:
    compiled = read(RECURSION.format(union), "postgres", spark=spark)
    assert compiled.refusal == refusal
    assert compiled.model is None or "WITH RECURSIVE r AS" in compiled.model.query.text


def test_query_converts_alike_from_every_tool() -> None:
    sql = "SELECT COLUMNS('^[ab]$') FROM raw.t UNION ALL BY NAME SELECT b, a FROM raw.t"
    compiled = read(f"MODEL (name db.m);\n{sql}", "duckdb", files=TABLES)
    assert compiled.model is not None, compiled.notes
    assert "COLUMNS" not in compiled.model.query.text and "BY NAME" not in compiled.model.query.text
    assert {note.code for note in compiled.notes} == set()


def test_a_difference_of_dates_is_whole() -> None:
    sql = "SELECT (a::DATE - b::DATE)::INT AS x FROM raw.t"
    compiled = read(f"MODEL (name db.m);\n{sql}", "duckdb", files=TABLES)
    assert compiled.model is not None and "CAST(DATEDIFF(" in compiled.model.query.text
    assert {note.code for note in compiled.notes} == set()


def test_a_call_with_too_few_arguments_is_refused() -> None:
    compiled = read("MODEL (name db.m);\nSELECT SPLIT_PART(a, 'x') AS x FROM raw.t", "duckdb", files=TABLES)
    assert compiled.refusal == "Untranslatable:2"
    assert compiled.notes[0].message.startswith("SPLIT_PART lacks an argument, or has one of another kind")


def test_columns_of_one_name_are_refused() -> None:
    sql = "SELECT MAX(COLUMNS(*)) AS m FROM raw.t"
    compiled = read(f"MODEL (name db.m);\n{sql}", "duckdb", files=TABLES)
    assert compiled.refusal == "Untranslatable:2"
    assert any("columns one name" in note.message for note in compiled.notes)


@pytest.mark.parametrize(
    ("path", "place"),
    [("data/t.parquet", "where its driver was started"), ("/data/t.parquet", ""), ("s3://b/t.parquet", "")],
)
def test_a_path_that_is_not_whole_is_told(path: str, place: str) -> None:
    compiled = read(f"MODEL (name db.m);\nSELECT a FROM read_parquet('{path}')", "duckdb")
    said = [note.message for note in compiled.notes if "no whole path" in note.message]
    assert (place in said[0]) if place else not said
    assert compiled.model is not None and f"parquet.`{path}`" in compiled.model.query.text

"""Sentences of the compiler's specification that no other test asks for, one by one: files, what is said, what is written."""

from __future__ import annotations

from typing import NamedTuple

import pytest

from dbt_kinds.writers.dbt_project import write_project
from tests.unit.compiling import notes_of, read_files

CONFIG = "model_defaults:\n  dialect: duckdb\n  start: 2024-01-01\n"
WINDOW = "SELECT id, ds FROM raw.t WHERE ds BETWEEN @start_ds AND @end_ds"
FILE = "models/db/m.sql"
FETCHES = "from sqlmesh import model\n\n\n@model('db.m', columns={'a': 'int'})\ndef execute(context, **kwargs):\n    return context.fetchdf('select 1 as a')\n"


class Sentence(NamedTuple):
    says: str
    files: dict[str, str]
    # the codes of all notes but CompileCode.UndeclaredSource
    codes: str = ""
    # what stands in written files, whatever the space between words; None for a file that is not written
    holds: tuple[tuple[str, str | None], ...] = ()
    adapter: str = "spark"


def model(block: str, query: str = "SELECT 1 AS a", **more: str) -> dict[str, str]:
    return {"models/m.sql": f"MODEL (name db.m, {block});\n{query}", **more}


def audited(audit: str, call: str = "my") -> dict[str, str]:
    return {"audits/x.sql": audit, **model(f"kind FULL, audits ({call})", "SELECT a FROM raw.t")}


def dialect(name: str, query: str, **more: str) -> dict[str, str]:
    return model(f"kind FULL, dialect {name}", query, **more)


OTHER = (
    "AUDIT (name my); SELECT 1 AS x FROM (SELECT COUNT(*) AS a FROM @this_model) CROSS JOIN @other AS o WHERE a <> o.a"
)
KNOWN = {"external_models.yaml": "- name: raw.t\n  columns:\n    a: int\n    b: int\n    d: date\n"}
KEY = "kind INCREMENTAL_BY_UNIQUE_KEY (unique_key id), "
SENTENCES = [
    # 1. Discovery
    Sentence("folders and keys without a counterpart are one note", {"config.yaml": CONFIG + "linter: {enabled: true}\n", "linter/x.py": "", "signals/s.py": "", "materializations/m.py": "", **model("kind FULL")}, "PropertyDropped"),
    Sentence("gateways are ignored with a note", {"config.yaml": CONFIG + "gateways: {a: {connection: {type: duckdb}}}\n", **model("kind FULL")}, "GatewayIgnored"),
    Sentence("hidden folders and ignore_patterns are skipped", {"config.yaml": CONFIG + "ignore_patterns: ['models/skip*.sql']\n", "models/skip_me.sql": "nonsense", "models/.hidden/x.sql": "nonsense", **model("kind FULL")}),
    Sentence("METRIC blocks need a person", {"metrics/m.sql": "METRIC (name x, expression SUM(a.b));", **model("kind FULL")}, "MetricBlock"),
    Sentence("no dialect is an error", {"config.yaml": "model_defaults: {start: 2024-01-01}\n", **model("kind FULL")}, "MissingDialect"),
    Sentence("a default without a value is none", {"config.yaml": CONFIG + "  cron:\n  kind:\n", **model("kind FULL")}, "", ((FILE, "materialized='full', schema='db') }}"),)),
    Sentence("an audit of an external table that cannot be read is said", {"external_models.yaml": "- name: raw.t\n  audits: [\"not_null(columns ':= (a))\"]\n- name: raw.u\n  audits: 5\n", **model("kind FULL", "SELECT a FROM raw.t")}, "SqlParseError UnknownAudit", ((FILE, "{{ source('raw', 't') }}"),)),
    # 2. What is written
    Sentence("models that would share a name have the schema before it", {"models/a.sql": "MODEL (name x.a, kind FULL); SELECT 1 AS a", "models/b.sql": "MODEL (name y.a, kind FULL); SELECT a FROM x.a"}, "", (("models/x/x__a.sql", "schema='x', alias='a'"), ("models/y/y__a.sql", "FROM {{ ref('x__a') }} AS a"))),
    Sentence("a name with the schema before it that is another's gets the schema before it there, too", {"models/a.sql": "MODEL (name x.a, kind FULL); SELECT 1 AS a", "models/b.sql": "MODEL (name y.a, kind FULL); SELECT a FROM z.x__a", "models/c.sql": "MODEL (name z.x__a, kind FULL); SELECT a FROM x.a"}, "", (("models/x/x__a.sql", "alias='a'"), ("models/y/y__a.sql", "FROM {{ ref('z__x__a') }} AS x__a"), ("models/z/z__x__a.sql", "alias='x__a') }} SELECT a FROM {{ ref('x__a') }} AS a"))),
    Sentence("a name with other characters is renamed for good", {"models/a.sql": 'MODEL (name x."a-b", kind FULL); SELECT 1 AS a'}, "NameChanged", (("models/x/a_b.sql", "schema='x'"),)),
    Sentence("the catalog that all models share is dropped, another one is kept for sources", {"models/a.sql": "MODEL (name c1.db.a, kind FULL); SELECT a FROM c1.db.b JOIN c2.x.y USING (a)", "models/b.sql": "MODEL (name c1.db.b, kind FULL); SELECT 1 AS a"}, "", (("models/db/a.sql", "FROM {{ ref('b') }} AS b JOIN {{ source('c2__x', 'y') }} AS y"), ("models/sources.yml", "name: c2__x schema: c2.x"))),
    Sentence("dbt-spark quotes names of sources that are not plain", {"models/a.sql": 'MODEL (name x.a, kind FULL); SELECT i FROM "s-1"."t-1", "s-1".t'}, "", (("models/sources.yml", "- name: s_1 schema: s-1 quoting: schema: true tables: - name: t - name: t_1 identifier: t-1 quoting: identifier: true"),)),
    Sentence("sources that would share a name are numbered", {"models/a.sql": 'MODEL (name x.a, kind FULL); SELECT i FROM "s-1"."t-1" CROSS JOIN s_1.t CROSS JOIN "S-1".t_1'}, "", (("models/x/a.sql", "{{ source('s_1', 't_1') }} AS `t-1` CROSS JOIN {{ source('s_1_2', 't') }} AS t CROSS JOIN {{ source('s_1', 't_1_2') }} AS t_1"), ("models/sources.yml", "- name: s_1_2 schema: s_1 tables: - name: t"))),
    Sentence("the name of another catalog has its own quotes", {"models/a.sql": 'MODEL (name x.a, kind FULL); SELECT i FROM "my-cat".s1."größe"'}, "", (("models/sources.yml", "- name: my_cat__s1 schema: '`my-cat`.s1' tables: - name: gr__e identifier: größe quoting: identifier: true"), ("models/x/a.sql", "FROM {{ source('my_cat__s1', 'gr__e') }} AS `größe`"))),
    Sentence("a model's other catalog needs a person", {"models/a.sql": "MODEL (name c1.db.a, kind FULL); SELECT 1 AS a", "models/b.sql": "MODEL (name c2.db.b, kind FULL); SELECT 1 AS a"}, "CatalogDropped CatalogDropped"),
    Sentence("two models that then share a table are both refused", {"models/a.sql": "MODEL (name c1.db.a, kind FULL); SELECT 1 AS a", "models/b.sql": "MODEL (name c2.db.a, kind FULL); SELECT 1 AS a"}, "NameClash NameClash", (("models/db/a.sql", None),)),
    Sentence("before_all and after_all are hooks of the run", {"config.yaml": CONFIG + "before_all: ['SET z = 1']\nafter_all: ['SET y = 1']\n", **model("kind FULL")}, "", (("dbt_project.yml", "on-run-start: - SET z = 1 on-run-end: - SET y = 1"),)),
    Sentence("a model repeats a default only to override it, and NULL unsets a property", {"config.yaml": CONFIG + "  cron: '@midnight'\n  physical_properties: {a: 1}\n", **model("kind FULL, cron '@daily', physical_properties (a = NULL, b = 2)")}, "", ((FILE, "{{ config(materialized='full', schema='db', tblproperties={'b': 2}) }}"), ("dbt_project.yml", "cron: '@daily'"))),
    Sentence("a default kind and default audits are applied model by model", {"config.yaml": CONFIG + "  kind: FULL\n  audits: ['number_of_rows(threshold := 1)']\n", "models/m.sql": "MODEL (name db.m); SELECT 1 AS a", "models/e.sql": "MODEL (name db.e, kind EMBEDDED); SELECT 1 AS a"}, "", ((FILE, "materialized='full'"), (FILE, "'audits': [{'dbt_kinds.number_of_rows': {'threshold': 1}}]"), ("models/db/m.yml", None), ("models/db/e.yml", None))),
    # 3. The MODEL block
    Sentence("names are inferred from the path", {"config.yaml": CONFIG + "model_naming: {infer_names: true}\n", "models/db/m.sql": "MODEL (kind FULL); SELECT 1 AS a"}, "", ((FILE, "schema='db'"),)),
    Sentence("a Python model without a kind is full", {"models/m.py": FETCHES}, "", ((FILE, "materialized='full', schema='db') }} SELECT CAST(1 AS INT) AS a"),)),
    Sentence("crons have one spelling", model("cron '@annually', cron_tz 'Europe/Berlin', interval_unit day, allow_partials true"), "", ((FILE, "'cron': '@yearly', 'cron_tz': 'Europe/Berlin', 'interval_unit': 'day', 'allow_partials': true"),)),
    Sentence("a start of digits is ISO text, a date-like end is exclusive", model(KEY + "start 20240301, end '2024-04-01'", WINDOW), "", ((FILE, "'start': '2024-03-01', 'end': '2024-04-02'"),)),
    Sentence("a start in milliseconds is ISO text, an end with a time stays", model(KEY + "start 1709251200000, end '2024-04-01 12:00:00'", WINDOW), "", ((FILE, "'start': '2024-03-01', 'end': '2024-04-01 12:00:00'"),)),
    Sentence("an end in milliseconds is a time, also at midnight", model(KEY + "start 20240301, end 1711929600000", WINDOW), "", ((FILE, "'end': '2024-04-01'"),)),
    Sentence("an owner is a group", model("owner 'Data Team'"), "", ((FILE, "group='data_team'"), ("models/groups.yml", "- name: data_team owner: name: Data Team"))),
    Sentence("a disabled model is not written, and its readers see an unknown table", {"models/r.sql": "MODEL (name db.r, enabled false); SELECT 1 AS a", **model("kind FULL", "SELECT a FROM db.r")}, "PropertyDropped", (("models/db/r.sql", None), (FILE, "{{ source('db', 'r') }}"))),
    Sentence("declared types need columns", model("columns (a INT)", "SELECT * FROM raw.t"), "ColumnsNotApplied"),
    Sentence("Databricks clusters", model("kind FULL, clustered_by (a, b)", "SELECT 1 AS a, 2 AS b"), "", ((FILE, "liquid_clustered_by=['a', 'b']"),), "databricks"),
    Sentence("a location needs a person", model("kind FULL, physical_properties (location = 's3://x', a = 1)"), "PropertyDropped", ((FILE, "tblproperties={'a': 1}"),)),
    Sentence("grains and references are kept as they are", model("grain a, references (b)"), "", ((FILE, "meta={'origin': {'grain': ['a'], 'references': ['b']}}"),)),
    Sentence("both spellings of grain are an error", model("grain a, grains (a)"), "DuplicateProperty"),
    Sentence("depends_on are comments, and naming itself is a note", model("depends_on (raw.x, db.m)"), "ReadsItself", ((FILE, "-- depends_on: {{ source('raw', 'x') }}"),)),
    Sentence("blueprints of one name clash", model("blueprints ((a := 1), (a := 2))", "SELECT @a AS a"), "NameClash NameClash"),
    Sentence("what is dropped is one note, physical_version needs a person", model("physical_version '1', stamp 's', project p"), "PropertyDropped PropertyDropped"),
    # 4. Kinds
    Sentence("a materialized view is Databricks'", model("kind VIEW (materialized true)"), "", ((FILE, "materialized='materialized_view'"),), "databricks"),
    Sentence("a managed table is a materialized view of Databricks", model("kind MANAGED"), "", ((FILE, "materialized='materialized_view'"),), "databricks"),
    Sentence("nowhere else", model("kind MANAGED"), "NoManagedTables"),
    Sentence("an embedded model has no tests", model("kind EMBEDDED, audits (not_null(columns := a))"), "BadPropertyValue"),
    Sentence("an embedded model has no hooks", model("kind EMBEDDED", "SELECT 1 AS a;\nSET a = 1"), "BadPropertyValue"),
    Sentence("lookback does not exist for histories", model("kind SCD_TYPE_2 (unique_key id, lookback 1)", "SELECT id, updated_at FROM raw.t"), "UnknownKindProperty"),
    Sentence("unmanaged models are forward-only in any case", model("kind INCREMENTAL_UNMANAGED (forward_only false)", WINDOW), "", ((FILE, "{{ config(materialized='incremental_unmanaged', schema='db') }}"),)),
    Sentence("a reader of a refused model reads the old table", {"models/r.sql": "MODEL (name db.r, kind CUSTOM (materialization x)); SELECT 1 AS a", **model("kind FULL", "SELECT * FROM db.r")}, "CustomMaterialization ReadsRefused", (("models/sources.yml", "meta: origin: refused: true"), (FILE, "{{ source('db', 'r') }} AS r"))),
    # 5. SQL, macros, statements
    Sentence("unknown and unqualified tables stay", model("kind FULL", "SELECT a FROM t"), "UnqualifiedTable", ((FILE, "FROM t"),)),
    Sentence("the model's own table is this", model("kind INCREMENTAL_UNMANAGED", "SELECT a FROM db.m"), "ReadsItself", ((FILE, "{{ this }} AS m"),)),
    Sentence("what looks like Jinja is text", model("kind FULL, description 'x {{ y }}'", "SELECT '{{ a }}' AS a"), "", ((FILE, "'{{ '{{' }} a }}' AS a"), ("models/db/m.yml", "description: x {{ '{{' }} y }}"))),
    Sentence("a view has no window", model("kind VIEW", "SELECT @start_ds AS a"), "TimeVariableNotAllowed"),
    Sentence("the time of the run is fine everywhere, latest is execution", model("kind VIEW", "SELECT @execution_ds AS a, @LATEST_TS AS b"), "", ((FILE, "{{ dbt_kinds.execution_ds() }} AS a, {{ dbt_kinds.execution_ts() }} AS b"),)),
    Sentence("a template becomes a concatenation", model("kind INCREMENTAL_UNMANAGED", "SELECT @'day_@{start_ds}' AS a"), "", ((FILE, "concat('day_', {{ dbt_kinds.start_ds() }}) AS a"),)),
    Sentence("the end is inclusive, and less than it is said", model("kind INCREMENTAL_BY_TIME_RANGE (time_column ds)", "SELECT id, ds FROM raw.t WHERE ds >= @start_ds AND ds < @end_ds"), "ExclusiveEnd"),
    Sentence("variables of the project stay variables where a value stands", {"config.yaml": CONFIG + "variables: {x: south, n: 3, l: [1, 2]}\n", **model("kind FULL", "SELECT @x AS a, @VAR('n', 1) AS b, @VAR('zz', 7) AS c FROM raw.t WHERE d IN (@l)")}, "VariableFrozen", ((FILE, "SELECT {{ dbt_kinds.text_literal(var('x')) }} AS a, {{ var('n') }} AS b, 7 AS c"), (FILE, "IN (1, 2)"))),
    Sentence("the stage is evaluating", model("kind VIEW", "SELECT @IF(@runtime_stage = 'evaluating', 1, 2) AS a, @model_kind_name AS k"), "", ((FILE, "SELECT 1 AS a, 'VIEW' AS k"),)),
    Sentence("environments have no counterpart", model("kind FULL", "SELECT @this_env AS a"), "UnsupportedMacro"),
    Sentence("clauses are kept or dropped by their condition", model("kind FULL", "SELECT a FROM raw.t @WHERE(FALSE) a > 1 @ORDER_BY(TRUE) a @LIMIT(FALSE) 3"), "", ((FILE, "AS t ORDER BY a NULLS LAST"),)),
    Sentence("@STAR needs columns", model("kind FULL", "SELECT @STAR(raw.t) FROM raw.t"), "ColumnsUnknown"),
    Sentence("Python macros are refused with the line of the call", {"macros/x.py": "from sqlmesh import macro\n\n\n@macro()\ndef f(evaluator):\n    return '1'\n", **model("kind FULL", "SELECT @f() AS a")}, "PythonMacro"),
    Sentence("Jinja of another dialect is rendered, and what waits for the run is refused", {"models/m.sql": "MODEL (name db.m, kind FULL, dialect bigquery);\nJINJA_QUERY_BEGIN;\nselect {{ nobody() }}\nJINJA_END;"}, "JinjaDialect"),
    Sentence("a macro with the name of dbt's own clashes", {"macros/x.sql": "{% macro ref(x) %}{% endmacro %}", **model("kind FULL, dialect spark", "JINJA_QUERY_BEGIN;\nselect 1 as a\nJINJA_END;")}, "NameClash"),
    Sentence("statements of creation are dropped, those of evaluation stay", model("kind FULL", "SELECT 1 AS a;\n@IF(@runtime_stage = 'creating', SET a = 1);\n@IF(@runtime_stage = 'evaluating', SET b = 1)"), "CreationOnly", ((FILE, "post_hook=['SET b = 1']"),)),
    Sentence("a statement of creation and of evaluation stays", model("kind FULL", "SELECT 1 AS a;\n@IF(@runtime_stage IN ('creating', 'evaluating'), SET a = 1);\n@IF(NOT @runtime_stage = 'creating', SET b = 1);\n@IF(@runtime_stage = 'evaluating' OR @runtime_stage = 'creating', SET c = 1)"), "", ((FILE, "post_hook=['SET a = 1', 'SET b = 1', 'SET c = 1']"),)),
    Sentence("what stands for evaluation beside a statement of creation stays", model("kind FULL", "SELECT 1 AS a;\n@IF('creating' = @runtime_stage, SET a = 1, SET b = 1);\n@IF(@runtime_stage = 'loading', SET c = 1)"), "CreationOnly", ((FILE, "post_hook=['SET b = 1']"),)),
    Sentence("virtual statements come last, a plain grant is a grant", model("kind FULL", "SELECT 1 AS a;\nON_VIRTUAL_UPDATE_BEGIN;\nGRANT SELECT ON VIEW @this_model TO ROLE x;\nSET a = 1;\nON_VIRTUAL_UPDATE_END;"), "VirtualUpdate", ((FILE, "grants={'select': ['x']}, post_hook=['SET a = 1']"),)),
    Sentence("models that read one another are refused", {"models/a.sql": "MODEL (name db.a, kind FULL); SELECT 1 AS x FROM db.b", "models/b.sql": "MODEL (name db.b, kind FULL); SELECT 1 AS x FROM db.a"}, "CircularReference CircularReference"),
    # 6. Audits
    Sentence("an audit that does not block warns", audited("AUDIT (name my, blocking false); SELECT * FROM @this_model WHERE a > 1"), "", ((FILE, "meta={'audits': [{'my': {'severity': 'warn'}}]}"),)),
    Sentence("a skipped audit is disabled", audited("AUDIT (name my, skip true); SELECT * FROM @this_model"), "", ((FILE, "meta={'audits': [{'my': {'enabled': false}}]}"),)),
    Sentence("parameters and defaults are the test's", audited("AUDIT (name my, defaults (x = 'q'), dialect snowflake); SELECT * FROM @this_model WHERE @column = @x", "my(column := a)"), "", (("tests/generic/my.sql", "WHERE {{ column }} = {{ x }}"),)),
    Sentence("a parameter that dbt would take for its own has another name", audited("AUDIT (name my, defaults (limit = 3)); SELECT * FROM @this_model WHERE a > @limit AND a < @name", "my(limit := 5, name := 9)"), "", ((FILE, "{'my': {'limit_': '5', 'name_': '9'}}"), ("tests/generic/my.sql", "{% test my(model, name_, limit_='3') %} SELECT * FROM {{ model }} WHERE a > {{ limit_ }} AND a < {{ name_ }}"))),
    Sentence("a predicate given to an audit has parentheses beside an operator", audited("AUDIT (name my); SELECT * FROM @this_model WHERE @test = TRUE AND @other", "my(test := a LIKE 'x', other := a IN (1))"), "", ((FILE, """{'my': {'test': "(a LIKE 'x')", 'other': 'a IN (1)'}}"""),)),
    Sentence("a table given to an audit is a reference", {"models/o.sql": "MODEL (name db.o, kind FULL); SELECT 1 AS a", **audited(OTHER, "my(other := db.o), my(other := 'raw.u'), my(other := db.m), my(other := (SELECT 1 AS a))")}, "", ((FILE, """{'my': {'other': "ref('o')"}}, {'my': {'other': "source('raw', 'u')", 'name': 'my_2'}}, {'my': {'other': '(SELECT 1 AS a)', 'name': 'my_3'}}"""), (FILE, "-- depends_on: {{ ref('o') }} -- depends_on: {{ source('raw', 'u') }}"), ("models/db/m.yml", "- my: arguments: other: ref('m')"))),
    Sentence("also the one that it has by default", {"models/o.sql": "MODEL (name db.o, kind FULL); SELECT 1 AS a", **audited(OTHER.replace("my", "my, defaults (other = db.o)"))}, "", ((FILE, """[{'my': {'other': "ref('o')"}}]"""),)),
    Sentence("and that of a refused model is the old table", {"models/o.sql": "MODEL (name db.o, kind CUSTOM (materialization x)); SELECT 1 AS a", **audited(OTHER, "my(other := db.o)")}, "CustomMaterialization", ((FILE, """[{'my': {'other': "source('db', 'o')"}}]"""), (FILE, "-- depends_on: {{ source('db', 'o') }}"))),
    Sentence("a table that nobody knows stays", audited(OTHER, "my(other := o)"), "UnqualifiedTable", ((FILE, "[{'my': {'other': 'o'}}]"),)),
    Sentence("an argument that lacks is an error", audited("AUDIT (name my); SELECT * FROM @this_model WHERE @column = 1"), "AuditArgument"),
    Sentence("an argument that is unknown is an error", audited("AUDIT (name my); SELECT * FROM @this_model", "my(zzz := 1)"), "AuditArgument"),
    Sentence("a standalone audit is a test of its own", {"audits/x.sql": "AUDIT (name my, standalone true); SELECT * FROM raw.t", **model("kind FULL")}, "", (("tests/my.sql", "FROM {{ source('raw', 't') }} AS t"),)),
    Sentence("it takes its defaults", {"audits/x.sql": "AUDIT (name my, standalone true, defaults (least = 3)); SELECT * FROM raw.t WHERE a < @least", **model("kind FULL")}, "", (("tests/my.sql", "WHERE a < 3"),)),
    Sentence("no model names a standalone audit", audited("AUDIT (name my, standalone true); SELECT * FROM raw.t"), "UnknownAudit"),
    Sentence("inline audits are global", {**model("kind FULL, audits (my)", "SELECT a FROM raw.t;\nAUDIT (name my); SELECT * FROM @this_model"), "models/n.sql": "MODEL (name db.n, kind FULL, audits (my)); SELECT a FROM raw.t"}, "", (("models/db/n.sql", "meta={'audits': [{'my': {}}]}"),)),
    # 7. Dialects
    Sentence("Spark's own text stays as it is", dialect("spark", "SELECT  a,b   -- why\nfrom raw.t where `x`=1"), "", ((FILE, "}} SELECT a,b -- why from {{ source('raw', 't') }} as t where `x`=1"),)),
    Sentence("NULLs are ordered as the dialect orders them", dialect("snowflake", "SELECT a FROM raw.t ORDER BY a, b DESC"), "", ((FILE, "ORDER BY a NULLS LAST, b DESC NULLS FIRST"),)),
    Sentence("and in windows", dialect("postgres", "SELECT row_number() over (order by b) AS r FROM raw.t"), "", ((FILE, "ROW_NUMBER() OVER (ORDER BY b NULLS LAST) AS r"),)),
    Sentence("where Spark orders them so, nothing is said", dialect("bigquery", "SELECT a FROM raw.t ORDER BY a, b DESC"), "", ((FILE, "ORDER BY a, b DESC"),)),
    Sentence("a star without columns is the others", dialect("bigquery", "SELECT * EXCEPT (b) FROM raw.t", **KNOWN), "", ((FILE, "SELECT a, d FROM"),)),
    Sentence("a star with a column exchanged is all of them", dialect("bigquery", "SELECT * REPLACE (a + 1 AS a) FROM raw.t", **KNOWN), "", ((FILE, "SELECT a + 1 AS a, b, d FROM"),)),
    Sentence("the others have to be known", dialect("bigquery", "SELECT * EXCEPT (b) FROM raw.t"), "ColumnsUnknown"),
    Sentence("a list of texts is sorted", dialect("snowflake", "SELECT LISTAGG(a, ',') AS l, LISTAGG(a, ',') WITHIN GROUP (ORDER BY a DESC) AS m FROM raw.t"), "", ((FILE, "ARRAY_JOIN(SORT_ARRAY(COLLECT_LIST(a)), ',') AS l, ARRAY_JOIN(SORT_ARRAY(COLLECT_LIST(a), FALSE), ',') AS m"),)),
    Sentence("by nothing else", dialect("snowflake", "SELECT LISTAGG(a, ',') WITHIN GROUP (ORDER BY b) AS l FROM raw.t"), "Untranslatable"),
    Sentence("a list never has NULLs", dialect("bigquery", "SELECT ARRAY_AGG(a IGNORE NULLS) AS l FROM raw.t"), "", ((FILE, "COLLECT_LIST(a) AS l"),)),
    Sentence("seconds since 1970 are a number", dialect("postgres", "SELECT EXTRACT(EPOCH FROM t) AS e FROM raw.t"), "", ((FILE, "CAST(CAST(t AS TIMESTAMP) AS DOUBLE) AS e"),)),
    Sentence("time zones have their registered spelling", dialect("duckdb", "SELECT t AT TIME ZONE 'utc' AS e FROM raw.t"), "", ((FILE, "FROM_UTC_TIMESTAMP(t, 'UTC') AS e"),)),
    Sentence("QUALIFY is a subselect, also of a star", dialect("snowflake", "SELECT * FROM raw.t QUALIFY row_number() OVER (PARTITION BY a ORDER BY b) = 1"), "", ((FILE, "SELECT STRUCT(*) AS _row, ROW_NUMBER() OVER (PARTITION BY a ORDER BY b NULLS LAST) = 1 AS _keep FROM"),)),
    Sentence("DISTINCT ON is a subselect", dialect("duckdb", "SELECT DISTINCT ON (a) a, b FROM raw.t ORDER BY a, b"), "", ((FILE, "ROW_NUMBER() OVER (PARTITION BY a ORDER BY a NULLS LAST, b NULLS LAST) = 1 AS _keep"), (FILE, "WHERE _keep"))),
    Sentence("the time of day survives an added day", dialect("snowflake", "SELECT DATEADD(day, 1, t) AS b, DATEADD(day, 1, d::date) AS c FROM raw.t"), "FunctionDiffers", ((FILE, "t + INTERVAL '1' DAY AS b, DATE_ADD(CAST(d AS DATE), 1) AS c"),)),
    Sentence("a correlated LIMIT has no counterpart", dialect("postgres", "SELECT a, x.b FROM raw.t AS t, LATERAL (SELECT b FROM raw.u WHERE u.a = t.a LIMIT 1) AS x"), "Untranslatable"),
    Sentence("FLATTEN has none", dialect("snowflake", "SELECT f.value FROM raw.t, LATERAL FLATTEN(input => t.a) AS f"), "Untranslatable"),
    Sentence("parameters have none", dialect("snowflake", "SELECT $1 AS a FROM raw.t"), "Untranslatable"),
    Sentence("nor has a PIVOT over values that are not known", dialect("snowflake", "SELECT * FROM raw.t PIVOT (SUM(a) FOR b IN (ANY))"), "Untranslatable"),
    Sentence("a day of the week has the number that it had", dialect("snowflake", "SELECT DAYOFWEEK(d) AS a, DAYOFWEEKISO(d) AS b FROM raw.t"), "", ((FILE, "DAYOFWEEK(d) - 1 AS a, WEEKDAY(d) + 1 AS b"),)),
    Sentence("also in a sum", dialect("snowflake", "SELECT 2 * DATEDIFF(year, a, b) AS m FROM raw.t"), "", ((FILE, "2 * (YEAR(b) - YEAR(a)) AS m"),)),
    Sentence("Trino's begin on Monday", dialect("trino", "SELECT EXTRACT(DOW FROM d) AS a FROM raw.t"), "", ((FILE, "WEEKDAY(d) + 1 AS a"),)),
    Sentence("BigQuery's are Spark's", dialect("bigquery", "SELECT EXTRACT(DAYOFWEEK FROM d) AS a FROM raw.t"), "", ((FILE, "DAYOFWEEK(d) AS a"),)),
    Sentence("months that begin between two days are counted", dialect("snowflake", "SELECT DATEDIFF(month, a, b) AS m FROM raw.t"), "", ((FILE, "YEAR(b) * 12 + MONTH(b) - YEAR(a) * 12 - MONTH(a) AS m"),)),
    Sentence("as they are in Redshift", dialect("redshift", "SELECT DATEDIFF(year, a, b) AS m FROM raw.t"), "", ((FILE, "YEAR(b) - YEAR(a) AS m"),)),
    Sentence("months that have passed stay so, but for their last days", dialect("trino", "SELECT DATE_DIFF('month', a, b) AS m FROM raw.t"), "FunctionDiffers", ((FILE, "DATEDIFF(MONTH, a, b) AS m"),)),
    Sentence("which the beginning of a month is not", dialect("trino", "SELECT DATE_DIFF('month', DATE '2024-01-01', b) AS m FROM raw.t"), "", ((FILE, "DATEDIFF(MONTH, CAST('2024-01-01' AS DATE), b) AS m"),)),
    Sentence("hours of BigQuery's timestamps have passed, those of its datetimes are counted", dialect("bigquery", "SELECT TIMESTAMP_DIFF(a, b, HOUR) AS p, DATETIME_DIFF(a, b, HOUR) AS c FROM raw.t"), "", ((FILE, "TIMESTAMPDIFF(HOUR, b, a) AS p, DATEDIFF(HOUR, DATE_TRUNC('HOUR', b), DATE_TRUNC('HOUR', a)) AS c"),)),
    Sentence("weeks from Sunday are counted", dialect("bigquery", "SELECT DATE_DIFF(a, b, WEEK) AS w FROM raw.t"), "", ((FILE, "DATEDIFF(TRUNC(DATE_ADD(a, 1), 'WEEK'), TRUNC(DATE_ADD(b, 1), 'WEEK')) DIV 7 AS w"),)),
    Sentence("so are their numbers", dialect("bigquery", "SELECT EXTRACT(WEEK FROM d) AS w FROM raw.t"), "", ((FILE, "DAYOFYEAR(d) + 7 - DAYOFWEEK(d)) DIV 7 AS w"),)),
    Sentence("a logarithm has the base that it had", dialect("postgres", "SELECT LOG(a) AS x, LOG(2, a) AS y FROM raw.t"), "", ((FILE, "LOG10(a) AS x, LOG(2, a) AS y"),)),
    Sentence("every match is replaced where it was, without regard to case", dialect("postgres", "SELECT REGEXP_REPLACE(a, 'b(c)', '-\\1', 'gi') AS x FROM raw.t"), "", ((FILE, "REGEXP_REPLACE(a, '(?iu)b(c)', '-$1') AS x"),)),
    Sentence("a match is replaced from where it was looked for", dialect("snowflake", "SELECT REGEXP_REPLACE(a, 'b', 'c', 2) AS x FROM raw.t"), "", ((FILE, "REGEXP_REPLACE(a, 'b', 'c', 2) AS x"),)),
    Sentence("not only the second one", dialect("snowflake", "SELECT REGEXP_REPLACE(a, 'b', 'c', 1, 2) AS x FROM raw.t"), "Untranslatable"),
    Sentence("nor by a pattern that is plain text", dialect("duckdb", "SELECT REGEXP_REPLACE(a, 'b', 'c', 'gl') AS x FROM raw.t"), "Untranslatable"),
    Sentence("the first match cannot be one that is computed", dialect("postgres", "SELECT REGEXP_REPLACE(a, b, '-') AS x FROM raw.t"), "Untranslatable"),
    Sentence("comments survive", dialect("duckdb", "SELECT /* one */ a, -- two\n  b FROM raw.t"), "", ((FILE, "/* one */ SELECT a, /* two */ b FROM"),)),
    Sentence("what cannot be parsed is said", dialect("duckdb", "SELECT a FROM raw.t WHERE (\n a = "), "SqlParseError"),
    Sentence("a decimal without bounds is one of 38 digits, which is said", dialect("postgres", "SELECT 1::numeric AS a, 2::decimal AS b"), "DecimalBounded", ((FILE, "CAST(1 AS DECIMAL(38, 18)) AS a, CAST(2 AS DECIMAL(38, 18)) AS b"),)),
    Sentence("also among the columns", {"models/m.sql": "MODEL (name db.m, dialect postgres, kind FULL, columns (a numeric, b numeric(5, 2))); SELECT 1 AS a, 2 AS b"}, "DecimalBounded", ((FILE, "CAST(1 AS DECIMAL(38, 18)) AS a, CAST(2 AS DECIMAL(5, 2)) AS b"), ("models/db/m.yml", "data_type: decimal(38, 18)"))),
    Sentence("one of more digits is refused", {"models/m.sql": "MODEL (name db.m, dialect postgres, kind FULL, columns (a numeric(50, 2))); SELECT 1 AS a"}, "Untranslatable"),
    Sentence("the last comment at a projection is the column's description", dialect("spark", "SELECT a, -- first\n /* lead */ b, -- last\n c /* inner */ AS d /* one */ /* two */, e /* only */ AS f FROM raw.t"), "", (("models/db/m.yml", "- name: a description: first - name: b description: last - name: d description: two - name: f description: only"),)),
    # 8. Seeds
    Sentence("values that mean NULL are empty, booleans keep their text, batch_size is dropped", {"seeds/x.csv": "a,b\n1,N/A\n2,true\n", "models/m.sql": "MODEL (name db.m, kind SEED (path '../seeds/x.csv', batch_size 5), columns (a INT, b TEXT));"}, "PropertyDropped", (("seeds/db/m.csv", "a,b 1, 2,true"), ("seeds/db/m.yml", "column_types: a: int b: string"))),
    Sentence("a path may be written as on Windows", {"seeds/x.csv": "a\n1\n", "models/m.sql": r"MODEL (name db.m, kind SEED (path '..\seeds/x.csv'), columns (a INT));"}, "", (("seeds/db/m.csv", "a 1"),)),
    Sentence("a declared column that the file lacks is an error", {"seeds/x.csv": "a\n1\n", "models/m.sql": "MODEL (name db.m, kind SEED (path '../seeds/x.csv'), columns (zz INT));"}, "SeedColumns"),
    Sentence("other settings of CSV are errors", {"seeds/x.csv": "a\n1\n", "models/m.sql": "MODEL (name db.m, kind SEED (path '../seeds/x.csv', csv_settings (weird = 1)));"}, "BadPropertyValue"),
]  # fmt: skip


@pytest.mark.parametrize("sentence", SENTENCES, ids=lambda sentence: sentence.says)
def test_sentence(sentence: Sentence) -> None:
    project = read_files({"config.yaml": CONFIG, **sentence.files}, sentence.adapter)
    codes = sorted(note.code.name for note in notes_of(project) if note.code.name != "UndeclaredSource")
    assert codes == sorted(sentence.codes.split())
    texts = {file.path: " ".join(file.text.split()) for file in write_project(project, {"local": "."})}
    for path, holds in sentence.holds:
        if holds is None:
            assert path not in texts
        else:
            assert " ".join(holds.split()) in texts[path]

"""Jinja of other dialects than Spark's is rendered first, as SQLMesh does it. Compared with SQLMesh 0.236."""

from __future__ import annotations

import pytest

from dbt_kinds.kinds import SqlText
from dbt_kinds.writers.jinja import rendered
from tests.unit.compiling import Compiled, read, written_files

MACROS = {
    "macros/columns.sql": "{% macro as_cents(name) %}{{ name }} * 100 AS {{ name }}{% endmacro %}\n"
    "{% macro both(a, b) -%}\n{{ as_cents(a) }}, {{ as_cents(b) }}\n{%- endmacro %}",
    "macros/other.sql": "-- {{ nothing }}\n{% macro shown(x) %}{% if var('deep') %}{{ x }}{% endif %}{% endmacro %}",
}
VARIABLES = "variables:\n  deep: true\n  fields: [a, b]\n  shop: north\n"


def jinja(body: str, kind: str = "INCREMENTAL_UNMANAGED", dialect: str = "duckdb") -> Compiled:
    text = f"MODEL (name db.result, kind {kind});\nJINJA_QUERY_BEGIN;\n{body}\nJINJA_END;"
    return read(text, dialect, VARIABLES, MACROS)


def query(body: str) -> str:
    compiled = jinja(body)
    assert compiled.model is not None, compiled.notes
    assert isinstance(compiled.model.query, SqlText)
    return " ".join(rendered(compiled.model.query, lambda key: key).split())


RENDERED = [
    ("SELECT {% for f in ['a', 'b'] %}{{ f }}::INT AS {{ f }}{% if not loop.last %}, {% endif %}{% endfor %} FROM raw.t", "SELECT CAST(a AS INT) AS a, CAST(b AS INT) AS b FROM {{ source('raw', 't') }} AS t"),
    ("SELECT {% for f in var('fields') %}{{ f }}, {% endfor %}1 AS x FROM raw.t", "SELECT a, b, 1 AS x FROM {{ source('raw', 't') }} AS t"),
    ("SELECT {{ both('a', 'b') }}, {{ shown('c') }} FROM raw.t", "SELECT a * 100 AS a, b * 100 AS b, c FROM {{ source('raw', 't') }} AS t"),
    ("SELECT '{{ shop }}' AS s, {{ 'x' if deep else 'y' }} AS d FROM raw.t", "SELECT 'north' AS s, x AS d FROM {{ source('raw', 't') }} AS t"),
    ("SELECT a FROM raw.t WHERE ds BETWEEN '{{ start_ds }}' AND '{{ end_ds }}'", "SELECT a FROM {{ source('raw', 't') }} AS t WHERE ds BETWEEN {{ dbt_kinds.start_ds() }} AND {{ dbt_kinds.end_ds() }}"),
    ("SELECT '{{ start_ds }} 00:00:00'::TIMESTAMP AS a, {{ end_epoch }} AS e", "SELECT CAST(concat({{ dbt_kinds.start_ds() }}, ' 00:00:00') AS TIMESTAMP_NTZ) AS a, {{ dbt_kinds.end_epoch() }} AS e"),
    ("{# a remark #}{% set n = 2 %}SELECT {{ n + 1 }} AS a, @start_ds AS b", "SELECT 3 AS a, {{ dbt_kinds.start_ds() }} AS b"),
    ("SELECT {{ 1 }} AS a; -- behind it", "SELECT 1 AS a /* behind it */"),
    ("SELECT x FROM {{ this_model }} AS t", "SELECT x FROM {{ this }} AS t"),
    ("{% set r = [] %}{% do r.append('a') %}SELECT {{ r | join(', ') }} FROM raw.t", "SELECT a FROM {{ source('raw', 't') }} AS t"),
]  # fmt: skip


@pytest.mark.parametrize(("body", "expected"), RENDERED)
def test_jinja_becomes_the_sql_that_it_makes(body: str, expected: str) -> None:
    assert query(body) == expected


REFUSED = [
    ("SELECT\n  {{ unknown }} AS a", "JinjaDialect", "'unknown' is undefined"),
    ("SELECT 1 AS a\n{% if start_ds > '2024' %}{% endif %}", "JinjaDialect", "computes with start_ds"),
    ("SELECT '{{ start_ds[:4] }}' AS a", "JinjaDialect", "computes with start_ds"),
    ("SELECT {{ start_dt.year }} AS a", "JinjaDialect", "computes with start_dt"),
    ("SELECT '{{ start_ds | upper }}' AS a", "JinjaDialect", "computes with start_ds"),
    ("SELECT '{{ start_ds | replace('-', '') }}' AS a", "JinjaDialect", "computes with start_ds"),
    ("SELECT {{ as_cents(start_ds) | upper }}", "JinjaDialect", "is changed in it"),
    ("SELECT 1 AS a FROM t_{{ start_ds }}", "UnsupportedMacro", "part of a word"),
    ("{% if false %}SELECT 1 AS a{% endif %}", "SqlParseError", "makes 0 statements"),
    ("SELECT 1 AS a; SELECT {{ 2 }} AS a", "SqlParseError", "makes 2 statements"),
    ("SELECT {% for %}", "JinjaDialect", "TemplateSyntaxError"),
    ("SELECT {{ ''.__class__.__mro__ }} AS a", "JinjaDialect", "SecurityError"),
]


@pytest.mark.parametrize(("body", "code", "says"), REFUSED)
def test_jinja_that_waits_for_the_run_is_refused(body: str, code: str, says: str) -> None:
    compiled = jinja(body)
    assert compiled.model is None and compiled.codes[0] == code and says in compiled.notes[0].message


SPARK = [
    # left to dbt
    ("SELECT {% for f in ['a', 'b'] %}{{ f }}, {% endfor %}'{{ start_ds }}' AS x, {{ var('shop') }} AS y", "SELECT {% for f in ['a', 'b'] %}{{ f }}, {% endfor %}{{ dbt_kinds.start_ds() }} AS x, {{ var('shop') }} AS y"),
    ("SELECT {{ both('a', 'b') }}", "SELECT {{ both('a', 'b') }}"),
    # dbt would put nothing for these
    ("{% set s = start_ds %}SELECT a FROM raw.t WHERE ds >= '{{ s }}'", "SELECT a FROM {{ source('raw', 't') }} AS t WHERE ds >= {{ dbt_kinds.start_ds() }}"),
    ("SELECT a{% if runtime_stage == 'creating' %}, b{% endif %} FROM raw.t", "SELECT a FROM {{ source('raw', 't') }} AS t"),
    ("SELECT '{{ gateway }}' AS g, '{{ shop }}' AS s", "SELECT 'there' AS g, 'north' AS s"),
    ("SELECT {{ blueprint_var('c', 'a') }} FROM {{ this_model }} x", "SELECT a FROM {{ this }} x"),
    ("SELECT {{ since('ds') }} FROM raw.t", "SELECT ds > {{ dbt_kinds.start_ds() }} FROM {{ source('raw', 't') }} AS t"),
]  # fmt: skip


@pytest.mark.parametrize(("body", "expected"), SPARK)
def test_jinja_of_spark_is_rendered_where_dbt_lacks_a_name(body: str, expected: str) -> None:
    text = f"MODEL (name db.result, kind INCREMENTAL_UNMANAGED);\nJINJA_QUERY_BEGIN;\n{body}\nJINJA_END;"
    since = {"macros/since.sql": "{% macro since(x) %}{{ x }} > '{{ start_ds }}'{% endmacro %}"}
    compiled = read(text, "spark", f"{VARIABLES}default_gateway: there\n", MACROS | since)
    assert compiled.model is not None, compiled.notes
    assert isinstance(compiled.model.query, SqlText)
    assert " ".join(rendered(compiled.model.query, lambda key: key).split()) == expected


@pytest.mark.parametrize(
    "body",
    [
        "SELECT '{{ start_ds | replace('-', '') }}' AS a",
        "SELECT 1 AS a {% if start_ds > '2024' %}{% endif %}",
        "SELECT '{{ model_kind_name }}' AS a",
        "SELECT '{{ this_env }}' AS a",
    ],
)
def test_names_of_sqlmesh_that_wait_for_the_run_are_refused_in_spark_s_jinja(body: str) -> None:
    compiled = jinja(body, dialect="spark")
    assert compiled.refusal == "JinjaDialect:2" and "write it without" in compiled.notes[0].message


def test_statements_of_spark_in_jinja_are_rendered_where_dbt_lacks_a_name() -> None:
    statement = "JINJA_STATEMENT_BEGIN;\n{% if runtime_stage == 'evaluating' %}DROP TABLE IF EXISTS other.c{% endif %}\nJINJA_END;"
    kept = "JINJA_STATEMENT_BEGIN;\nDROP TABLE IF EXISTS other.{{ var('shop') }}\nJINJA_END;"
    text = f"MODEL (name db.m, dialect spark, kind FULL);\n{statement}\n{kept}\nSELECT 1 AS a"
    model = written_files({"config.yaml": "model_defaults: {dialect: spark}\n", "models/m.sql": text})[
        "models/db/m.sql"
    ]
    assert "'DROP TABLE IF EXISTS other.c'" in model and "runtime_stage" not in model and "var('shop')" in model


def test_the_line_of_broken_jinja_is_that_of_the_file() -> None:
    assert jinja("SELECT\n  1 AS a,\n  {% nonsense %}").refusal == "JinjaDialect:5"


def test_a_window_in_jinja_is_refused_where_there_is_none() -> None:
    assert jinja("SELECT '{{ start_ds }}' AS a", kind="FULL").refusal.startswith("TimeVariableNotAllowed")
    assert jinja("SELECT '{{ execution_ds }}' AS a", kind="FULL").model is not None


def test_a_time_without_quotes_needs_a_person() -> None:
    compiled = jinja("SELECT a FROM raw.t WHERE ds > {{ start_ds }} AND e > {{ start_epoch }}")
    assert [note.code.name for note in compiled.notes if note.severity == "person"] == ["JinjaTimeVariable"]


def test_variables_that_jinja_takes_are_frozen_and_said() -> None:
    compiled = jinja("SELECT '{{ shop }}' AS s{% if var('deep') %}, 1 AS d{% endif %}")
    assert sorted(note.message.split()[0] for note in compiled.notes if note.code.name == "VariableFrozen") == [
        "@deep",
        "@shop",
    ]


def test_columns_of_rendered_jinja_are_known() -> None:
    compiled = jinja(
        "SELECT {% for f in var('fields') %}{{ f }},{% endfor %} 1 AS x FROM raw.t",
        kind="INCREMENTAL_BY_TIME_RANGE (time_column ds)",
    )
    assert compiled.refusal.startswith("TimeColumnMissing")


def test_statements_and_audits_in_jinja_are_rendered() -> None:
    files = written_files(
        {
            "config.yaml": "model_defaults: {dialect: duckdb, start: 2024-01-01}\n",
            "models/m.sql": "MODEL (name db.m, kind FULL, audits (over(cap := 5), odd));\n"
            "JINJA_STATEMENT_BEGIN;\n{% for s in ['a', 'b'] %}DROP TABLE IF EXISTS other.{{ s }};\n{% endfor %}\nJINJA_END;\n"
            "SELECT 1::BIGINT AS x;\n"
            "JINJA_STATEMENT_BEGIN;\n{% if runtime_stage == 'creating' %}DROP TABLE other.c{% endif %}\nJINJA_END;",
            "audits/over.sql": "AUDIT (name over);\nJINJA_QUERY_BEGIN;\nSELECT * FROM {{ this_model }} WHERE x > {{ cap }}\nJINJA_END;\n"
            "AUDIT (name odd);\nJINJA_QUERY_BEGIN;\nSELECT * FROM {{ this_model }} WHERE x % 2 = 1\nJINJA_END;",
        }
    )  # fmt: skip
    model = files["models/db/m.sql"]
    assert "pre_hook=['DROP TABLE IF EXISTS other.a', 'DROP TABLE IF EXISTS other.b']" in model
    assert "post_hook" not in model
    assert "{% test over(model, cap) %}" in files["tests/generic/over.sql"]
    assert "x > {{ cap }}" in files["tests/generic/over.sql"] and "{{ model }}" in files["tests/generic/odd.sql"]

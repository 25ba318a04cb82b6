"""Macros of SQLMesh: what is written, and what a dbt model reads instead. Compared with SQLMesh 0.236."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import jinja2
import pytest
import sqlglot

from tests.unit.compiling import query_of, read
from tests.unit.macros import Macros

MACROS = Macros()

VARIABLES = "variables:\n  Upper: 1\n  region: north\n  size: 7\n  parts: [a, b]\n"
ORDERS = {
    "external_models.yaml": "- name: raw.orders\n  columns: {id: int, status: text}\n"
    "- name: raw.returns\n  columns: {id: int, reason: text}\n"
}

EXPANSIONS = [
    # time variables
    ("SELECT 1 AS a WHERE @start_ds < @END_DATE", "SELECT 1 AS a WHERE {{ dbt_kinds.start_ds() }} < {{ dbt_kinds.end_date() }}"),
    ("SELECT @latest_ts AS a", "SELECT {{ dbt_kinds.execution_ts() }} AS a"),
    ("SELECT @{start_ds} AS a", "SELECT {{ dbt_kinds.start_ds() }} AS a"),
    ("SELECT @'day_@{start_ds}' AS a", "SELECT concat('day_', {{ dbt_kinds.start_ds() }}) AS a"),
    ("SELECT '@start_ds' AS a", "SELECT '@start_ds' AS a"),
    # variables
    ("SELECT @size AS a", "SELECT {{ var('size') }} AS a"),
    ("SELECT @region AS a", "SELECT {{ dbt_kinds.text_literal(var('region')) }} AS a"),
    ("SELECT @VAR('region') AS a, @VAR('other', 3) AS b", "SELECT {{ dbt_kinds.text_literal(var('region')) }} AS a, 3 AS b"),
    ("SELECT @upper AS a, @VAR('UPPER') AS b", "SELECT {{ var('Upper') }} AS a, {{ var('Upper') }} AS b"),
    ("SELECT @EVAL(@size + 1) AS a", "SELECT 8 AS a"),
    ("SELECT a_@region, @{region}_b", "SELECT a_north, north_b"),
    ("SELECT x IN @parts AS a", "SELECT x IN ('a', 'b') AS a"),
    # definitions
    ("@DEF(rate, 2);\nSELECT @rate * b AS a", "SELECT 2 * b AS a"),
    ("@DEF(area, r -> r * r);\nSELECT @area(3) AS a", "SELECT 3 * 3 AS a"),
    ("@DEF('area', (r) -> (r * r));\nSELECT @area(3) AS a", "SELECT (3 * 3) AS a"),
    ("@DEF('rate', 2);\nSELECT @rate * b AS a", "SELECT 2 * b AS a"),
    ("@DEF(region, 'south');\nSELECT @region AS a", "SELECT 'south' AS a"),
    # loops
    ("SELECT @EACH([1, 2], n -> n AS c_@n)", "SELECT 1 AS c_1, 2 AS c_2"),
    ("SELECT @EACH(@parts, p -> SUM(@{p}) AS @{p}_total)", "SELECT SUM(a) AS a_total, SUM(b) AS b_total"),
    ("SELECT @EACH([(a, x), (b, y)], (k, v) -> k + v AS @{k}_@{v})", "SELECT a + x AS a_x, b + y AS b_y"),
    ("SELECT @REDUCE([1, 2, 3], (x, y) -> x + y) AS a", "SELECT 1 + 2 + 3 AS a"),
    ("SELECT @REDUCE(@FILTER([1, 2, 3], x -> x > 1), (x, y) -> x + y) AS a", "SELECT 2 + 3 AS a"),
    # conditions
    ("SELECT a, @IF(@size > 5, b, c), d", "SELECT a, b, d"),
    ("SELECT a, @IF(@size < 5, b), d", "SELECT a, d"),
    ("SELECT @IF(@region = 'south', b), d", "SELECT d"),
    ("SELECT 1 AS a WHERE @AND(TRUE, NULL, x = 1 OR y = 2)", "SELECT 1 AS a WHERE TRUE AND (x = 1 OR y = 2)"),
    ("SELECT 1 AS a WHERE @OR(x = 1, NULL)", "SELECT 1 AS a WHERE x = 1"),
    ("SELECT @IF(@runtime_stage = 'evaluating', 1, 2) AS a", "SELECT 1 AS a"),
    ("SELECT @model_kind_name AS a", "SELECT 'INCREMENTAL_UNMANAGED' AS a"),
    ("SELECT @SQL('a + b') AS c", "SELECT a + b AS c"),
    # clauses
    ("SELECT a FROM raw.orders LEFT OUTER @JOIN(@size = 1) raw.returns AS r ON r.id = orders.id", "SELECT a FROM {{ source('raw', 'orders') }} AS orders"),
    ("SELECT a FROM raw.orders @WHERE(@size = 7) a > 1 @GROUP_BY(FALSE) a", "SELECT a FROM {{ source('raw', 'orders') }} AS orders WHERE a > 1"),
    ("@WITH(TRUE) c AS (SELECT 1 AS a) SELECT a FROM c", "WITH c AS ( SELECT 1 AS a ) SELECT a FROM c"),
    ("SELECT a FROM raw.orders @ORDER_BY(TRUE) a @LIMIT(TRUE) 3", "SELECT a FROM {{ source('raw', 'orders') }} AS orders ORDER BY a NULLS LAST LIMIT 3"),
    # SQL that SQLMesh makes
    (
        "SELECT @GENERATE_SURROGATE_KEY(a, b) AS k",
        "SELECT MD5( CONCAT( COALESCE(CAST(a AS STRING), '_sqlmesh_surrogate_key_null_'), '|', COALESCE(CAST(b AS STRING), '_sqlmesh_surrogate_key_null_') ) ) AS k",
    ),
    ("SELECT @SAFE_ADD(a, b) AS c", "SELECT CASE WHEN a IS NULL AND b IS NULL THEN NULL ELSE COALESCE(a, 0) + COALESCE(b, 0) END AS c"),
    ("SELECT @SAFE_DIV(a, b) AS c", "SELECT a / NULLIF(b, 0) AS c"),
    ("SELECT @PIVOT(s, ['x', 'y']) FROM raw.orders", "SELECT SUM(CASE WHEN s = 'x' THEN 1 ELSE 0 END) AS `x`, SUM(CASE WHEN s = 'y' THEN 1 ELSE 0 END) AS `y` FROM {{ source('raw', 'orders') }} AS orders"),
    ("SELECT @STAR(raw.orders, o, exclude := [id]) FROM raw.orders AS o", "SELECT CAST(o.status AS STRING) AS status FROM {{ source('raw', 'orders') }} AS o"),
    (
        "@UNION('distinct', raw.orders, raw.returns)",
        "SELECT CAST(id AS INT) AS id FROM {{ source('raw', 'orders') }} AS orders UNION SELECT CAST(id AS INT) AS id FROM {{ source('raw', 'returns') }} AS returns",
    ),
    (
        "@DEDUPLICATE(raw.orders, [id], ['status desc'])",
        "SELECT _row.* FROM ( SELECT STRUCT(*) AS _row, ROW_NUMBER() OVER (PARTITION BY id ORDER BY status DESC) = 1 AS _keep FROM {{ source('raw', 'orders') }} AS orders ) AS _rows WHERE _keep",
    ),
    (
        "SELECT s.date_week FROM (@DATE_SPINE('week', '2022-01-20', '2024-12-16')) AS s",
        "SELECT s.date_week FROM ( SELECT EXPLODE(SEQUENCE(CAST('2022-01-20' AS DATE), CAST('2024-12-16' AS DATE), INTERVAL '1' WEEK)) AS date_week ) AS s",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("sql", "expected"), EXPANSIONS)
def test_macro_becomes(sql: str, expected: str) -> None:
    assert query_of(sql, config=VARIABLES, files=ORDERS) == expected


@pytest.mark.parametrize(
    ("sql", "refusal"),
    [
        ("SELECT @nowhere AS a", "UndefinedMacroVariable:3"),
        ("SELECT @this_env AS a", "UnsupportedMacro:3"),
        ("SELECT @RESOLVE_TEMPLATE('x') AS a", "UnsupportedMacro:3"),
        ("SELECT @IF(x = 1, a, b)", "RuntimeCondition:3"),
        ("SELECT @STAR(raw.unknown) FROM raw.unknown", "ColumnsUnknown:3"),
        ("SELECT @shout(a)", "PythonMacro:3"),
        ("SELECT tbl_@{start_ds} AS a", "UnsupportedMacro:3"),
    ],
)
def test_macro_is_refused_with_its_line(sql: str, refusal: str) -> None:
    macros = {"macros/own.py": "from sqlmesh import macro\n\n@macro()\ndef shout(evaluator, x):\n    return x\n"}
    assert read(f"MODEL (name db.m, kind INCREMENTAL_UNMANAGED);\n\n{sql}", files=macros).refusal == refusal


def test_window_is_refused_where_there_is_none() -> None:
    assert read("MODEL (name db.m, kind FULL);\nSELECT @start_ds AS a").refusal == "TimeVariableNotAllowed:2"
    assert read("MODEL (name db.m, kind FULL);\nSELECT @execution_ds AS a").refusal == ""
    assert read("MODEL (name db.m, kind EMBEDDED);\nSELECT @start_ds AS a").refusal == ""


def test_variable_that_is_frozen_is_said() -> None:
    compiled = read("MODEL (name db.m);\nSELECT a_@region FROM db.t", config=VARIABLES)
    assert "VariableFrozen" in compiled.codes


@pytest.mark.parametrize("key", ["n", "@n", "N", "@N"])
def test_blueprints_make_a_model_each(key: str) -> None:
    text = f"MODEL (name db.@{{who}}_orders, kind FULL, blueprints ((who := north, {key} := 1), (who := south, {key} := 2)));\nSELECT @n AS a, @BLUEPRINT_VAR('who') AS b"
    project = read(text).project
    assert [(model.node, model.query.text.split()) for model in project.models] == [
        ("north_orders", ["SELECT", "1", "AS", "a,", "north", "AS", "b"]),
        ("south_orders", ["SELECT", "2", "AS", "a,", "south", "AS", "b"]),
    ]


PYTHON_MACROS = """\
import typing as t
from sqlglot import exp
from sqlmesh import macro
from sqlmesh.core.macros import MacroEvaluator, SQL


@macro()
def shout(evaluator: MacroEvaluator, column: exp.Column, times: int = 1):
    return exp.func("UPPER", column).as_(f"{column.name}_{times}")


@macro("twice")
def named_otherwise(evaluator, columns: t.List[str]):
    return [f"{column} * {evaluator.var('size')} AS {column}_twice" for column in columns]


@macro()
def spelt(evaluator, literal: SQL, text: str):
    return f"{literal} AS {text}"


@macro()
def marked(evaluator, value: SQL, prefix: str | None = None, *, places: t.Optional[int] = None, mode: t.Literal["a", "b"] = "a"):
    return f"{value} AS {prefix or 'none'}_{len(prefix or '')}_{(places or 0) + 1}_{mode.upper()}"


@macro()
def within(evaluator, column):
    return column.between(evaluator.locals["start_ds"], exp.Parameter(this=exp.var("size")))


@macro()
def again(evaluator, column):
    return f"@SHOUT({column.name}, 5)"


@macro()
def endless(evaluator):
    return "@endless()"


@macro()
def broken(evaluator):
    raise ValueError("no")
"""


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        ("SELECT @shout(a, 3)", "SELECT UPPER(a) AS a_3"),
        ("SELECT @SHOUT(a, times := 2)", "SELECT UPPER(a) AS a_2"),
        ("SELECT @twice([a, b]), c", "SELECT a * 7 AS a_twice, b * 7 AS b_twice, c"),
        ("SELECT @EACH([a, b], x -> @shout(x))", "SELECT UPPER(a) AS a_1, UPPER(b) AS b_1"),
        ("SELECT @spelt('x', 'y')", "SELECT 'x' AS y"),
        ("SELECT @again(a)", "SELECT UPPER(a) AS a_5"),
        ("SELECT @marked(a, 'xy')", "SELECT a AS xy_2_1_A"),
        ("SELECT @marked(a, prefix := NULL, places := 2, mode := 'b')", "SELECT a AS none_0_3_B"),
        (
            "SELECT a WHERE @within(a)",
            "SELECT a WHERE a BETWEEN {{ dbt_kinds.start_ds() }} AND {{ var('size') }}",
        ),
        ("SELECT @broken()", "PythonMacroFailed"),
        ("SELECT @endless()", "PythonMacroFailed"),
    ],
)
def test_python_macro_runs_when_asked_for(sql: str, expected: str) -> None:
    files = {"macros/own.py": PYTHON_MACROS}
    assert query_of(sql, config=VARIABLES, files=files, run_macros=True) == expected
    assert query_of(sql, config=VARIABLES, files=files) == "PythonMacro"


def test_a_folder_called_sqlmesh_is_not_sqlmesh(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "sqlmesh").mkdir()
    monkeypatch.syspath_prepend(str(tmp_path))
    files = {"macros/own.py": PYTHON_MACROS}
    assert query_of("SELECT @again(a)", config=VARIABLES, files=files, run_macros=True) == "SELECT UPPER(a) AS a_5"
    assert "sqlmesh" not in sys.modules


def test_a_variable_of_spark_is_no_parameter_of_spark() -> None:
    files = {"macros/own.py": PYTHON_MACROS}
    sql = query_of("SELECT a WHERE @within(a)", "spark", VARIABLES, files, run_macros=True)
    assert sql == "SELECT a WHERE a BETWEEN {{ dbt_kinds.start_ds() }} AND {{ var('size') }}"


def test_macro_files_import_one_another_and_one_that_fails_is_named() -> None:
    files = {
        "macros/__init__.py": "",
        "macros/broken.py": "import nothing_of_this_name\n",
        "macros/own.py": "from macros.shared import name\nfrom sqlmesh import macro\n\n@macro()\ndef mine(evaluator):\n    return name()\n",
        "macros/shared.py": "def name():\n    return 'b'\n",
        "macros/more.py": "import nothing_of_this_name\nfrom sqlmesh import macro\n\n@macro()\ndef lost(evaluator):\n    return 1\n",
    }
    assert query_of("SELECT @mine() AS a", files=files, run_macros=True) == "SELECT b AS a"
    assert not [name for name in sys.modules if name.split(".")[0] in ("macros", "sqlmesh")]
    compiled = read("MODEL (name db.m, kind FULL);\nSELECT @lost()", files=files, run_macros=True)
    assert compiled.refusal == "PythonMacroFailed:2"
    assert "macros/more.py:1" in compiled.notes[0].message
    assert [(note.code.name, note.place.file) for note in compiled.project.notes] == [
        ("PythonMacroFailed", "macros/broken.py"),
        ("PythonMacroFailed", "macros/more.py"),
    ]


def test_errors_of_the_tool_are_raised_and_caught() -> None:
    code = """from sqlmesh import macro
from sqlmesh.core.context import ExecutionContext
from sqlmesh.utils.errors import MacroEvalError, SQLMeshError

@macro()
def checked(evaluator, column):
    try:
        if column.name != "a":
            raise MacroEvalError(f"no {column.name}")
    except SQLMeshError as error:
        return f"'{error}'"
    return column

@macro()
def refused(evaluator):
    raise MacroEvalError("write it out")
"""
    files = {"macros/m.py": code}
    assert query_of("SELECT @checked(a), @checked(b)", files=files, run_macros=True) == "SELECT a, 'no b'"
    refused = read("MODEL (name db.m, kind FULL);\nSELECT @refused()", files=files, run_macros=True)
    assert "@refused() raised MacroEvalError: write it out" in refused.notes[0].message


def test_code_of_the_project_prints_to_stderr_and_finds_its_own_file(capsys: pytest.CaptureFixture[str]) -> None:
    macro = (
        "from pathlib import Path\nfrom sqlmesh import macro\n\nprint('loaded')\n\n"
        "@macro()\ndef listed(evaluator):\n    print('called')\n    return Path(__file__).with_name('columns.txt').read_text()\n"
    )
    made = (
        "from sqlmesh import model\n\n@model('db.made', is_sql=True, kind='FULL', dialect='duckdb')\n"
        "def entrypoint(evaluator):\n    print('made')\n    return 'SELECT 1 AS a'\n"
    )
    files = {"macros/own.py": macro, "macros/columns.txt": "a", "models/made.py": made}
    assert query_of("SELECT @listed()", files=files, run_macros=True) == "SELECT a"
    out, err = capsys.readouterr()
    assert out == ""
    assert {"loaded", "called", "made"} <= set(err.split())


def test_each_statement_that_a_macro_makes_is_a_hook() -> None:
    macro = (
        "from sqlmesh import macro\n\n@macro()\ndef prepared(evaluator, name: str):\n"
        '    return f"CREATE SCHEMA IF NOT EXISTS {name}; CREATE TABLE IF NOT EXISTS {name}.t (note TEXT /* a;b */); --"\n'
    )
    text = "MODEL (name db.m, kind FULL);\n@prepared('made');\nSELECT 1 AS a"
    model = read(text, files={"macros/own.py": macro}, run_macros=True).model
    assert model is not None
    schema, table = [hook.text for hook in model.pre_hooks]
    assert schema == "CREATE SCHEMA IF NOT EXISTS made"
    assert table.startswith("CREATE TABLE IF NOT EXISTS made.t (note STRING")


NESTED = "variables:\n  limits: {low: 1, deep: {High: 'x'}}\n"


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        ("SELECT @limits.low AS a", "SELECT 1 AS a"),
        ("SELECT @LIMITS.deep.high AS a", "SELECT 'x' AS a"),
        ("SELECT a FROM db.@limits.deep.high", "SELECT a FROM {{ source('db', 'x') }} AS x"),
        ("SELECT @limits.none AS a", "UndefinedMacroVariable"),
        ("SELECT @limits.low.lower AS a", "UndefinedMacroVariable"),
    ],
)
def test_fields_of_a_variable(sql: str, expected: str) -> None:
    assert query_of(sql, config=NESTED) == expected


def test_a_variable_with_a_quote_is_the_text_it_says() -> None:
    config = "variables:\n  shop: kevin's \\ co\n"
    query = query_of("SELECT @shop AS a, @'x @{shop}' AS b, @shop || 'y' AS c", "duckdb", config)
    assert "AS a" in query and query.startswith("SELECT {{ dbt_kinds.text_literal(var('shop')) }} AS a, ")
    shown = jinja2.Template(query.replace("dbt_kinds.", "")).render(
        text_literal=MACROS.text_literal, var=lambda name: {"shop": "kevin's \\ co"}[name]
    )
    values = [item.this.name for item in sqlglot.parse_one(shown, read="spark").expressions[:2]]
    assert values == ["kevin's \\ co", "x kevin's \\ co"]


HASHES = [
    ("bigquery", "# don't\nMODEL (name db.m, kind FULL # it's\n);\n# it's x\nSELECT '# no' AS a # that's it\n"),
    ("mysql", "#don't\nMODEL (name db.m, kind FULL);\n#SELECT\nSELECT '# no' AS a"),
    ("bigquery", "MODEL (name db.m, kind FULL);\n# don't\nJINJA_QUERY_BEGIN;\nSELECT '# no' AS a\nJINJA_END;"),
    ("snowflake", "// don't\nMODEL (name db.m, kind FULL);\n// it's\nSELECT 'http://# no' AS a // that's it"),
]


@pytest.mark.parametrize(("dialect", "text"), HASHES)
def test_comments_of_the_dialect_stand_anywhere(dialect: str, text: str) -> None:
    compiled = read(text, dialect)
    assert compiled.model is not None, compiled.notes
    assert "# no' AS a" in compiled.model.query.text


def test_a_sign_that_is_no_comment_in_the_dialect_stays() -> None:
    assert query_of("SELECT a # b AS x FROM raw.t", "postgres").startswith("SELECT a ^ b AS x")


@pytest.mark.parametrize(
    ("dialect", "function", "key"),
    [
        ("tsql", "MD5", "UNHEX(MD5({}))"),
        ("tsql", "SHA1", "UNHEX(SHA1({}))"),
        ("bigquery", "MD5", "MD5({})"),
        ("bigquery", "SHA512", "UNHEX(SHA2({}, 512))"),
        ("postgres", "SHA224", "UNHEX(SHA2({}, 224))"),
        ("duckdb", "SHA256", "SHA2({}, 256)"),
        ("trino", "MD5", "MD5({})"),
        ("spark", "SHA256", "SHA2({}, 256)"),
    ],
)
def test_surrogate_key_is_text_or_bytes_as_in_its_dialect(dialect: str, function: str, key: str) -> None:
    text = f"SELECT @GENERATE_SURROGATE_KEY(a, hash_function := '{function}') AS k FROM raw.t"
    null = "COALESCE(CAST(a AS STRING), '_sqlmesh_surrogate_key_null_')"
    written = re.sub(r"(?<=\() | (?=\))", "", query_of(text, dialect))
    assert written.startswith(f"SELECT {key.format(null)} AS k FROM")


def test_surrogate_key_is_translated_as_the_rest_of_the_query() -> None:
    text = "SELECT @GENERATE_SURROGATE_KEY(CONCAT(a, b), c // 2) AS k FROM raw.t"
    written = query_of(text, "duckdb")
    assert "CAST(CONCAT_WS('', a, b) AS STRING)" in written and "CAST(c DIV 2 AS STRING)" in written
    assert (
        read(f"MODEL (name db.m, kind FULL);\n{text.replace('c // 2', 'JULIAN(c)')}", "duckdb").refusal
        == "Untranslatable:2"
    )

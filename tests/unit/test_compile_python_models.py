"""Python models: those that are queries at heart become SQL, the others say why they do not."""

from __future__ import annotations

import ast
import re

import pytest

from dbt_kinds.kinds import Kind, SqlText
from tests.unit.compiling import codes_of, notes_of, read_files, written_files
from tests.unit.model_examples import examples

DAILY = "kind=dict(name=ModelKindName.INCREMENTAL_BY_TIME_RANGE, time_column='day'),"


def python_model(
    body: str, decorator: str = DAILY, parameters: str = "context, start, end, execution_time, **kwargs"
) -> str:
    lines = "\n".join("    " + line for line in body.strip("\n").split("\n"))
    return (
        "from sqlmesh import ExecutionContext, model\nfrom sqlmesh.utils.date import to_ds, to_ts\n"
        f'TABLE = "raw.events"\n\n@model("db.daily", {decorator})\ndef execute({parameters}):\n{lines}\n'
    )


def query_of(body: str, decorator: str = DAILY) -> str:
    files = written_files({"models/daily.py": python_model(body, decorator)})
    assert "models/db/daily.sql" in files, notes_of(read_files({"models/daily.py": python_model(body, decorator)}))
    text = files["models/db/daily.sql"]
    return " ".join(text[text.index("}}\n") + 3 :].split())


EVENTS = "{{ source('raw', 'events') }}"
START = "{{ dbt_kinds.start_tstz() }}"

HANDED_OVER = [
    # how the text is put together
    ('return context.fetchdf("select 1 as day")', "select 1 as day"),
    ("q = 'select day '\nq += 'from raw.events'\nreturn context.fetchdf(q)", f"select day from {EVENTS} as events"),
    ("q = 'select day ' 'from ' + TABLE\ndf = context.fetchdf(q)\nreturn df", f"select day from {EVENTS} as events"),
    ("q: str = f'select day from {TABLE}'\nreturn context.fetchdf(query=q)", f"select day from {EVENTS} as events"),
    ("return context.fetchdf('select day from {}'.format(TABLE))", f"select day from {EVENTS} as events"),
    ("return context.fetchdf('select day from {t}'.format(t=TABLE))", f"select day from {EVENTS} as events"),
    ("return context.fetchdf('select day from %s' % TABLE)", f"select day from {EVENTS} as events"),
    ("return context.fetchdf('select day from %(t)s' % {'t': TABLE})", f"select day from {EVENTS} as events"),
    (
        "cols = ', '.join(['day', 'n'])\nreturn context.fetchdf(f'select {cols} from raw.events')",
        f"select day, n from {EVENTS} as events",
    ),
    (
        "import textwrap\nq = textwrap.dedent('''\n  select day\n  from raw.events''')\nreturn context.fetchdf(q.strip())",
        f"select day from {EVENTS} as events",
    ),
    (
        "return context.fetchdf(f\"select day from {context.resolve_table('raw.events')} as e\")",
        f"select day from {EVENTS} as e",
    ),
    (
        "t = context.table('raw.events')\nreturn context.fetch_pyspark_df(f'select day from {t} as e')",
        f"select day from {EVENTS} as e",
    ),
    ("return context.spark.sql('select day from raw.events as e')", f"select day from {EVENTS} as e"),
    ("'''Says what it is.'''\nprint('loading')\nreturn context.fetchdf('select 1 as day')", "select 1 as day"),
    # times
    (
        "return context.fetchdf(f\"select day from raw.events e where t >= '{start}'\")",
        f"select day from {EVENTS} e where t >= {START}",
    ),
    ("return context.fetchdf(\"select '{}' as day\".format(start.date()))", "select {{ dbt_kinds.start_ds() }} as day"),
    ("return context.fetchdf(\"select '%s' as day\" % end.date())", "select {{ dbt_kinds.end_ds() }} as day"),
    ("return context.fetchdf(f\"select '{start:%Y-%m-%d}' as day\")", "select {{ dbt_kinds.start_ds() }} as day"),
    ("d = to_ds(end)\nreturn context.fetchdf(f\"select '{d}' as day\")", "select {{ dbt_kinds.end_ds() }} as day"),
    (
        "a, b = start.strftime('%Y-%m-%d'), end.strftime('%Y-%m-%d')\nreturn context.fetchdf(f\"select '{a}' as day, '{b}' as b\")",
        "select {{ dbt_kinds.start_ds() }} as day, {{ dbt_kinds.end_ds() }} as b",
    ),
    (
        "s = start.strftime('%Y-%m-%d %H:%M:%S')\nreturn context.fetchdf(f\"select '{s}' as day\")",
        "select {{ dbt_kinds.start_ts() }} as day",
    ),
    (
        "s = end.strftime('%Y%m%d')\nreturn context.fetchdf(f\"select '{s}' as day\")",
        "select date_format({{ dbt_kinds.end_dtntz() }}, 'yyyyMMdd') as day",
    ),
    (
        "s = end.strftime('%Y-%m-%dT%H')\nreturn context.fetchdf(f\"select '{s}' as day\")",
        r"select date_format({{ dbt_kinds.end_dtntz() }}, 'yyyy-MM-dd\'T\'HH') as day",
    ),
    (
        "return context.fetchdf(f\"select '{start.isoformat()}' as day\")",
        "select replace({{ dbt_kinds.start_tstz() }}, ' ', 'T') as day",
    ),
    ('return context.fetchdf(f"select {start.timestamp()} as day")', "select {{ dbt_kinds.start_epoch() }} as day"),
    (
        'return context.fetchdf(f"select {int(start.timestamp())} as day")',
        "select cast({{ dbt_kinds.start_epoch() }} as bigint) as day",
    ),
    (
        "return context.fetchdf(f\"select DATE '{start.date()}' as day\")",
        "select CAST({{ dbt_kinds.start_ds() }} AS DATE) as day",
    ),
    (
        "return context.fetchdf(f\"select '{start.date()} 00:00' as day\")",
        "select concat({{ dbt_kinds.start_ds() }}, ' 00:00') as day",
    ),
    ("return context.fetchdf(f\"select '{execution_time}' as day\")", "select {{ dbt_kinds.execution_tstz() }} as day"),
    ("s = kwargs['start']\nreturn context.fetchdf(f\"select '{s}' as day\")", f"select {START} as day"),
    ('return context.fetchdf(f"-- from {start}\\nselect 1 as day")', "-- from start select 1 as day"),
]


@pytest.mark.parametrize(("body", "sql"), HANDED_OVER)
def test_a_function_that_hands_over_a_query_is_a_sql_model(body: str, sql: str) -> None:
    assert query_of(body) == sql


MORE_THAN_A_QUERY = [
    ("df = context.fetchdf('select 1 as day')\ndf['n'] = 2\nreturn df", 8),
    ("df = context.fetchdf('select 1 as day')\nreturn df.drop_duplicates()", 8),
    ("for day in [1, 2]:\n    pass\nreturn context.fetchdf('select 1 as day')", 7),
    ("if start:\n    return None\nreturn context.fetchdf('select 1 as day')", 7),
    ("return context.fetchdf(f'select day from raw.events where t >= {start}')", 7),
    ("return context.fetchdf(f\"select '{start - timedelta(days=1)}' as day\")", 7),
    ('return context.fetchdf(f"select day from raw.events_{start.date()}")', 7),
    ('return context.fetchdf(f"select day from raw.`events_{start.date()}`")', 7),
    ("return context.fetchdf(\"select '%.4s' as day\" % start)", 7),
    ("s = str(start).replace('+00:00', '')\nreturn context.fetchdf(f\"select '{s}' as day\")", 7),
    ("return context.fetchdf(f'select * from x where d in {[start.date()]}')", 7),
    ("yield context.fetchdf('select 1 as day')", 7),
    ("return context.engine_adapter.fetchdf('select 1 as day')", 7),
    ("return context.fetchdf(helper())", 7),
    ("q = 'select 1'\nreturn context.fetchdf(q[:3])", 8),
    ("return 'select 1'", 7),
    ("return context.fetchdf('x' * 10)", 7),
    ("return context.fetchdf(f'{1:>99999999}')", 7),
]


@pytest.mark.parametrize(("body", "line"), MORE_THAN_A_QUERY)
def test_a_function_that_does_more_is_refused_with_its_line(body: str, line: int) -> None:
    project = read_files({"models/daily.py": python_model(body)})
    assert not project.models
    (left,) = project.left_out
    assert (left.name, left.kind_name, left.status) == ("db.daily", "INCREMENTAL_BY_TIME_RANGE", "refused")
    (note,) = left.notes
    assert (note.code.name, note.place.file, note.place.line) == ("NoPythonModels", "models/daily.py", line), note


def test_a_refusal_repeats_no_long_text_of_the_source() -> None:
    body = "return duckdb.connect('md:?motherduck_token=eyJhbGciOiJIUzI1NiIs').df()"
    (left,) = read_files({"models/daily.py": python_model(body)}).left_out
    assert "duckdb.connect('…')" in left.notes[0].message and "token" not in left.notes[0].message


def test_a_full_model_has_no_window() -> None:
    body = "return context.fetchdf(f\"select '{start}' as day\")"
    project = read_files({"models/daily.py": python_model(body, "kind='FULL',")})
    assert codes_of(project) == {"TimeVariableNotAllowed"}
    assert query_of("return context.fetchdf(f\"select '{execution_time}' as day\")", "kind='FULL',")


def test_properties_are_read_and_checked_as_in_a_model_block() -> None:
    decorator = """
    columns={"day": "date", "n": "int"},
    kind=IncrementalByUniqueKeyKind(unique_key=["day", "coalesce(n, 0)"], lookback=2),
    cron="@daily",
    owner="Data Team",
    tags=["a", "b"],
    description="It's daily",
    column_descriptions={"n": "how many"},
    audits=[("not_null", {"columns": ["day"]}), ("accepted_values", {"column": exp.to_column("n"), "is_in": ["1", "2"]})],
    physical_properties={"delta.x": "true"},
    grains=["day"],
    start=datetime.date(2024, 1, 2),
    pre_statements=["set x = 1"],
    depends_on={"raw.events"},
"""
    body = "return context.fetchdf('select day, n from raw.events')"
    project = read_files({"models/daily.py": python_model(body, decorator)}, "spark")
    (model,) = project.models
    assert model.kind is Kind.INCREMENTAL_BY_UNIQUE_KEY
    assert model.options["unique_key"] == ["day", "coalesce(n, 0)"]
    assert (model.options["lookback"], model.options["start"], model.description) == (2, "2024-01-02", "It's daily")
    assert model.settings["tags"] == ["a", "b"]
    assert [(test.name, test.column) for test in model.audits] == [("not_null", "day"), ("accepted_values", "n")]
    assert [hook.text for hook in model.pre_hooks] == ["set x = 1"]
    assert [column.data_type for column in model.columns] == ["date", "int"]


def test_a_wrong_property_is_refused_in_its_own_line() -> None:
    decorator = "\n    kind='FULL',\n    crn='@daily',\n"
    project = read_files({"models/daily.py": python_model("return context.fetchdf('select 1 as n')", decorator)})
    (note,) = project.left_out[0].notes
    assert (note.code.name, note.place.line) == ("UnknownModelProperty", 7)
    assert "cron" in note.message


def test_what_is_computed_in_the_decorator_is_refused() -> None:
    project = read_files({"models/daily.py": python_model("return context.fetchdf('select 1')", "tags=make_tags(),")})
    assert codes_of(project) == {"PythonModelUnsupported"}


def test_every_blueprint_is_a_model() -> None:
    text = """
from sqlmesh import model
@model(
    "@{customer}.daily",
    kind="FULL",
    blueprints=[{"customer": "c1", "field": "x"}, {"customer": "c2", "field": "y"}],
)
def entry(context, **kwargs):
    return context.fetchdf(f"select {context.blueprint_var('field')} as f from raw.t as t")
"""
    files = written_files({"models/daily.py": text})
    assert "select x as f" in files["models/c1/c1__daily.sql"]
    assert "select y as f" in files["models/c2/c2__daily.sql"]


def test_variables_are_frozen() -> None:
    config = "model_defaults: {dialect: spark}\nvariables: {country: NL}\n"
    body = "c = context.var('country')\nreturn context.fetchdf(f\"select '{c}' as c\")"
    project = read_files({"config.yaml": config, "models/daily.py": python_model(body, "kind='FULL',")})
    assert codes_of(project) == {"VariableFrozen"}
    assert "'NL'" in str(project.models[0].query.text)


def test_tables_of_the_project_become_references_and_depends_on_stays() -> None:
    upstream = "MODEL (name db.up, kind FULL); SELECT 1 AS day"
    body = "return context.fetchdf(f\"select day from {context.resolve_table('db.up')}\")"
    files = written_files(
        {"models/up.sql": upstream, "models/daily.py": python_model(body, "kind='FULL', depends_on=['db.up'],")}
    )
    assert "from {{ ref('up') }}" in files["models/db/daily.sql"]


def test_databricks_runs_a_full_python_model() -> None:
    text = """
import typing as t
import pandas as pd
from sqlmesh import ExecutionContext, model

LIMIT = 3

@model(
    "db.frame",
    kind="FULL",
    columns={"id": "int"},
    depends_on=["db.up"],
)
def execute(context: ExecutionContext, start: t.Any, **kwargs: t.Any) -> pd.DataFrame:
    # the first rows
    df = context.fetchdf(f"select * from {context.resolve_table('db.up')}")
    return df.head(LIMIT)
"""
    config = "model_defaults: {dialect: databricks}\nvariables: {size: 3}\n"
    upstream = "MODEL (name db.up, kind FULL); SELECT 1 AS id"
    files = written_files({"config.yaml": config, "models/up.sql": upstream, "models/frame.py": text}, "databricks")
    written = files["models/db/frame.py"]
    ast.parse(written)
    assert "sqlmesh" not in written and "@model" not in written and "ExecutionContext" not in written
    assert "dbt.ref('up')" in written and "# the first rows" in written
    assert re.search(r"def execute\(context, start, \*\*kwargs\) -> pd.DataFrame:", written)
    assert "materialized: table" in files["models/db/frame.yml"]
    assert '{{ var("kinds_start", "") }}' in files["models/db/frame.yml"]


@pytest.mark.parametrize(
    "body",
    [
        "for table in ['a']:\n    df = context.table(table)\nreturn df",
        "context.engine_adapter.execute('x')\nreturn None",
        "for i in [1]:\n    yield context.spark.table('x')",
        "return helper(context)",
    ],
)
def test_databricks_refuses_what_its_python_models_cannot(body: str) -> None:
    project = read_files({"models/daily.py": python_model(body, "kind='FULL',")}, "databricks")
    assert codes_of(project) == {"PythonModelUnsupported"}


@pytest.mark.parametrize(
    ("decorator", "adapter", "way_out"),
    [
        ("", "databricks", "the kind INCREMENTAL_BY_TIME_RANGE wraps a query, so write SQL, or make it FULL"),
        ("", "spark", "so write SQL, or make it FULL and compile with --adapter databricks"),
        ("kind='FULL',", "spark", "so write SQL, or compile with --adapter databricks"),
    ],
)
def test_a_frame_that_is_refused_is_told_what_would_run(decorator: str, adapter: str, way_out: str) -> None:
    body = "df = context.fetchdf('select 1 as day')\nreturn df.head()"
    files = {"models/daily.py": python_model(body, decorator) if decorator else python_model(body)}
    (left,) = read_files(files, adapter).left_out
    assert [note.code.name for note in left.notes] == ["NoPythonModels"]
    assert left.notes[0].message.endswith(way_out)


def test_a_query_made_in_python_is_refused() -> None:
    project = read_files({"models/daily.py": python_model("return 'select 1'", "is_sql=True, kind='FULL',")})
    assert codes_of(project) == {"PythonMacro"}


def test_a_disabled_model_is_skipped_whatever_it_does() -> None:
    text = "@model('db.m', columns={'id': 'int'}, enabled=False)\ndef entry(context, **kwargs):\n    return None\n"
    project = read_files({"models/m.py": text})
    assert [(left.name, left.status) for left in project.left_out] == [("db.m", "skipped")]


def test_a_file_without_models_has_none() -> None:
    project = read_files({"models/shared.py": "x = 1\n"})
    assert not project.models and not project.left_out


WHOLE = python_model(
    "day = start.strftime('%Y-%m-%d')\nq = f\"select day from raw.events where day between '{day}' and '{end}'\"\nreturn context.fetchdf(q)",
    "columns={'day': 'date'}, kind=dict(name='INCREMENTAL_BY_TIME_RANGE', time_column='day'), audits=[('not_null', {'columns': ['day']})],",
)


def test_every_python_example_of_the_vulcan_page_becomes_sql_of_its_kind() -> None:
    found = [example.text for example in examples() if example.language == "python"]
    assert len(found) == 6
    config = "model_defaults: {dialect: postgres, start: 2025-01-01}\n"
    sources = {f"models/example_{number}.py": example for number, example in enumerate(found)}
    project = read_files({"config.yaml": config, **sources})
    assert not project.left_out
    assert sorted(model.kind.value for model in project.models) == [
        "full",
        "incremental_by_partition",
        "incremental_by_time_range",
        "incremental_by_unique_key",
        "scd_type_2_by_column",
        "scd_type_2_by_time",
    ]
    assert codes_of(project) == {"UndeclaredSource"}


def test_depends_on_is_compared_with_what_the_query_reads() -> None:
    body = "return context.fetchdf('select day from raw.events join raw.more using (id)')"
    project = read_files({"models/daily.py": python_model(body, "kind='FULL', depends_on=['raw.events'],")})
    (note,) = [note for note in notes_of(project) if note.code.name == "PropertyDropped"]
    assert note.place.line == 5


MADE = """
from sqlglot import exp
from sqlmesh import model
from sqlmesh.core.macros import MacroEvaluator
from sqlmesh.core.model import IncrementalByTimeRangeKind

@model("db.made", is_sql=True, kind=IncrementalByTimeRangeKind(time_column="day"))
def entry(evaluator: MacroEvaluator):
    {body}
"""


@pytest.mark.parametrize(
    ("body", "sql"),
    [
        (
            "return exp.select('day').from_('raw.t').where('day >= @start_ds')",
            "SELECT day FROM {{ source('raw', 't') }} AS t WHERE day >= {{ dbt_kinds.start_ds() }}",
        ),
        (
            'return f\'select day from raw.{evaluator.var("name", "t")} as t where day > @start_ds\'',
            "select day from {{ source('raw', 't') }} as t where day > {{ dbt_kinds.start_ds() }}",
        ),
    ],
)
def test_a_query_made_in_python_is_run_when_asked_for(body: str, sql: str) -> None:
    files = {"models/made.py": MADE.replace("{body}", body)}
    assert codes_of(read_files(files)) == {"PythonMacro"}
    text = written_files(files, run_macros=True)["models/db/made.sql"]
    assert " ".join(text[text.index("}}\n") + 3 :].split()) == sql


def test_a_function_that_raises_is_said_with_its_line() -> None:
    files = {"models/made.py": MADE.replace("{body}", "return 1 / 0")}
    (note,) = notes_of(read_files(files, run_macros=True))
    assert (note.code.name, note.place.line) == ("PythonMacroFailed", 9)


def test_a_default_kind_for_sql_models_is_not_a_python_models() -> None:
    config = "model_defaults: {dialect: spark, kind: VIEW}\n"
    project = read_files(
        {"config.yaml": config, "models/m.py": python_model("return context.fetchdf('select 1 as n')", "")}
    )
    assert [model.kind for model in project.models] == [Kind.FULL]


@pytest.mark.parametrize("put", ["async def", "if True:\n  @model('db.b', kind='FULL')\n  def"])
def test_models_that_are_not_looked_for_are_not_dropped_silently(put: str) -> None:
    text = f"from sqlmesh import model\n@model('db.a', kind='FULL')\n{put} execute(context):\n        return context.fetchdf('select 1 as n')\n"
    text = text if put.startswith("async") else text.replace("@model('db.a', kind='FULL')\n", "")
    assert codes_of(read_files({"models/m.py": text})) == {"PythonModelUnsupported"}


LITERALS = [
    (
        "kind=dict(name=ModelKindName.INCREMENTAL_BY_TIME_RANGE, time_column=TimeColumn(column='ds', format='%Y-%m-%d'))",
        "ds",
    ),
    ("kind={'name': ModelKindName.INCREMENTAL_BY_TIME_RANGE.value, 'time_column': 'ds'}", "ds"),
    ("kind=IncrementalByTimeRangeKind(time_column=TimeColumn(column=to_column('ds'))), tags=[*TAGS]", "ds"),
    ("kind='FULL', audits=[('not_null', {'columns': [to_column(c) for c in ('ds', 'n')]})]", None),
    ("kind='FULL', columns={name: kind for name, kind in (('ds', 'date'), ('n', 'int'))}", None),
    ("kind='FULL', tags=[f'{a}_{b}' for a in 'x' 'y' and TAGS for b in ['c']]", False),
    ("kind='FULL', tags=[f'{a}_{b}' for a in TAGS for b in ['c']]", None),
    ("kind='FULL', tags=[a for a in TAGS if a]", False),
]


@pytest.mark.parametrize(("stated", "column"), LITERALS)
def test_what_is_a_literal_at_heart_is_read(stated: str, column: str | bool | None) -> None:
    text = f"TAGS = ['a', 'b']\n@model('db.m', {stated})\ndef execute(context, **kwargs):\n    return context.fetchdf('select ds, n from db.t')\n"
    project = read_files({"models/m.py": text})
    if column is False:
        assert [(left.name, left.notes[0].code.name) for left in project.left_out] == [
            ("db.m", "PythonModelUnsupported")
        ]
        return
    (model,) = project.models
    written = model.options.get("time_column")
    assert (written["column"] if isinstance(written, dict) else written) == column
    assert [test.column for test in model.audits] == (["ds", "n"] if "audits" in stated else [])


def test_a_model_that_cannot_be_read_keeps_its_name_and_its_readers() -> None:
    files = {
        "models/m.py": "@model(name='db.m', tags=[a for a in computed()])\ndef execute(context, **kwargs):\n    return None\n",
        "models/reader.sql": "MODEL (name db.reader, kind FULL); SELECT id FROM db.m",
    }
    project = read_files(files)
    assert [left.name for left in project.left_out] == ["db.m"]
    assert codes_of(project) == {"PythonModelUnsupported", "ReadsRefused"}


@pytest.mark.parametrize("stated", ["start=computed()", "dialect='duckdb'", "kind='FULL'"])
def test_columns_of_a_model_that_is_refused_are_known_to_its_readers(stated: str) -> None:
    files = {
        "models/m.py": f"@model('db.m', columns={{'a': 'int', 'b': 'odd type'}}, {stated})\ndef execute(context, **kwargs):\n"
        "    for row in []:\n        pass\n",
        "models/some.sql": "MODEL (name db.some, kind FULL, dialect duckdb); SELECT * EXCLUDE (b) FROM db.m",
        "models/union.sql": "MODEL (name db.union, kind FULL); @UNION('all', db.m, db.m)",
    }
    project = read_files(files)
    assert [left.name for left in project.left_out] == ["db.m"]
    some, union = (" ".join(model.query.text.split()) for model in project.models if isinstance(model.query, SqlText))
    assert some.startswith("SELECT a FROM") and union.startswith("SELECT CAST(a AS INT) AS a, b AS b FROM")


def test_a_model_that_is_refused_and_has_its_name_from_its_file_is_known_to_its_readers() -> None:
    files = {
        "config.yaml": "model_defaults: {dialect: duckdb}\nmodel_naming: {infer_names: true}\n",
        "models/db/m.py": "@model(columns={'a': 'int', 'b': 'int'}, start=computed())\ndef execute(context, **kwargs):\n    return None\n",
        "models/db/reader.sql": "MODEL (kind FULL); SELECT * EXCLUDE (b) FROM db.m",
    }
    project = read_files(files)
    assert [left.name for left in project.left_out] == ["db.m"]
    assert codes_of(project) == {"PythonModelUnsupported", "ReadsRefused"}


def test_a_query_made_in_python_has_any_kind_that_sql_has() -> None:
    text = "@model('db.m', is_sql=True, kind=dict(name=ModelKindName.EMBEDDED))\ndef entry(evaluator):\n    return 'select 1 as n'\n"
    text = f"from sqlmesh import model\nfrom sqlmesh.core.model.kind import ModelKindName\n{text}"
    (model,) = read_files({"models/m.py": text}, run_macros=True).models
    assert model.kind == Kind.EPHEMERAL
    text = text.replace(", kind=dict(name=ModelKindName.EMBEDDED)", "")
    (model,) = read_files({"models/m.py": text}, run_macros=True).models
    assert model.kind == Kind.VIEW

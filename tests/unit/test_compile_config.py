"""Configurations of SQLMesh projects, in YAML and in Python."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import yaml

from dbt_kinds.codes import CompileCode
from dbt_kinds.errors import CompileError
from dbt_kinds.readers.names import project_name
from dbt_kinds.readers.sqlmesh.config import read_config
from dbt_kinds.readers.sqlmesh.config_literals import Literals, literals_of
from tests.unit.compiling import read, run, write_files, written, written_files

JINJA = """
gateways:
  local:
    connection:
      type: mssql
      password: {{ env_var('PASSWORD') }}
      trust: {% if env_var('X', 'true') == 'true' %}true{% else %}{broken{% endif %}
model_defaults:
  dialect: {{ env_var('DIALECT', 'duckdb') }}
{%- if env_var('CI') %}
  kind: VIEW
{%- endif %}
"""


@pytest.mark.parametrize("name", ["config.yaml", "config.yml", "sqlmesh.yaml", "sqlmesh.yml"])
def test_jinja_of_a_config_is_rendered_without_the_environment(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DIALECT", "klingon")
    config = read_config(write_files(tmp_path, {name: JINJA}))
    assert (config.file, config.defaults) == (name, {"dialect": "duckdb"})
    assert [(note.code.name, note.message.split(" of ")[0]) for note in config.notes] == [
        ("GatewayIgnored", "gateways not converted: profiles.yml decides where this runs"),
        ("VariableFrozen", "X, DIALECT"),
    ]


def test_config_in_python_is_read_and_not_run(tmp_path: Path) -> None:
    text = (
        "import os\nfrom sqlmesh import Config, ModelDefaultsConfig\nraise SystemExit\n"
        "config = Config(model_defaults=ModelDefaultsConfig(dialect='duckdb', start='2024-01-01'), variables={'n': 3}, "
        "time_column_format=os.environ['X'])\n"
    )
    source = write_files(
        tmp_path / "src", {"config.py": text, "models/a.sql": "MODEL (name db.a, kind FULL); SELECT @n AS a"}
    )
    status, out, _ = run(source, "--out", tmp_path / "out", "--json")
    assert status == 0 and [note["message"] for note in json.loads(out)["other"]] == [
        "time_column_format is computed and was not read; --run-config runs config.py, in a process of its own"
    ]


def test_names_of_literals_in_a_config_in_python_are_followed() -> None:
    text = (
        "defaults = {'dialect': 'duckdb'}\nmodel_defaults = ModelDefaultsConfig(**defaults, start='2024-01-01')\n"
        "before_all = ['create schema raw']\nother = Config(model_defaults=1)\n"
        "config = Config(model_defaults=model_defaults, before_all=before_all, "
        "gateways={'d': Gateway(f())}, plan=PlanConfig(days=days()))\n"
    )
    assert literals_of(text) == Literals(
        {
            "model_defaults": {"dialect": "duckdb", "start": "2024-01-01"},
            "before_all": ["create schema raw"],
            "plan": {},
        },
        [("gateways", 5), ("plan.days", 5)],
    )


@pytest.mark.parametrize(
    ("text", "settings", "computed"),
    [
        (
            "class Settings(BaseSettings):\n    token: str\n"
            "    model_defaults: ModelDefaultsConfig = ModelDefaultsConfig(dialect='bigquery')\n"
            "settings = Settings()\nconfig = Config(model_defaults=settings.model_defaults, variables={'t': settings.token})",
            {"model_defaults": {"dialect": "bigquery"}},
            [("variables", 5)],
        ),
        (
            "class Base(Config):\n    project = 'p'\n"
            "class Mine(Base):\n    model_defaults = ModelDefaultsConfig(dialect='trino')\nconfig = Mine(variables={'a': 1})",
            {"project": "p", "model_defaults": {"dialect": "trino"}, "variables": {"a": 1}},
            [],
        ),
        (
            "def build():\n    return Config(model_defaults=ModelDefaultsConfig(dialect='duckdb'), variables=f())\nconfig = build()",
            {"model_defaults": {"dialect": "duckdb"}},
            [("variables", 2)],
        ),
        (
            "class Factory:\n    def make(self):\n        return Config(**self.rest, model_defaults=ModelDefaultsConfig(dialect='duckdb'))\n"
            "    def test(self):\n        return Config(model_defaults=ModelDefaultsConfig(dialect='duckdb'), project='t')\n",
            {"model_defaults": {"dialect": "duckdb"}},
            [],
        ),
        (
            "def a():\n    return Config(model_defaults=ModelDefaultsConfig(dialect='duckdb'))\n"
            "def b():\n    return Config(model_defaults=ModelDefaultsConfig(dialect='spark'))\nconfig = a()",
            {},
            [("config", 5)],
        ),
        (
            "import os\nconfig = Config(model_defaults=ModelDefaultsConfig(dialect=os.getenv('D', 'duckdb'), start=os.environ.get('S', '2024-01-01')))",
            {"model_defaults": {"dialect": "duckdb", "start": "2024-01-01"}},
            [],
        ),
    ],
)
def test_settings_of_a_config_in_python_stand_where_they_stand(
    text: str, settings: dict[str, object], computed: list[tuple[str, int]]
) -> None:
    found = literals_of(text)
    assert (found.settings, found.computed) == (settings, computed)


def test_a_default_of_the_environment_in_a_config_in_python_is_said(tmp_path: Path) -> None:
    text = "config = Config(model_defaults=ModelDefaultsConfig(dialect=os.getenv('DIALECT', 'duckdb')))"
    config = read_config(write_files(tmp_path, {"config.py": text}))
    assert [note.code.name for note in config.notes] == ["VariableFrozen"] and "DIALECT" in config.notes[0].message


CONNECTIONS = [
    ("{type: duckdb, database: shop.db}", "shop"),
    ("{type: duckdb, database: data/raw/shop.v2.duckdb}", "shop.v2"),
    ("{type: duckdb, database: 'C:\\data\\shop.db'}", "shop"),
    ("{type: duckdb, database: ':memory:'}", "memory"),
    ("{type: duckdb, catalogs: {bronze: b.db, gold: g.db}}", "bronze"),
    ("{type: motherduck, database: shop}", "shop"),
    ("{type: duckdb}", None),
    ("{type: bigquery, project: p, catalog: x}", "p"),
    ("{type: athena, catalog_name: lake}", "lake"),
    ("{type: gcp_postgres, db: shop}", "shop"),
    ("{type: postgres, database: shop.db}", "shop.db"),
    ("{type: mysql, database: shop}", None),
    ("{type: snowflake, database: \"{{ env_var('D') }}\"}", None),
]


@pytest.mark.parametrize(("connection", "catalog"), CONNECTIONS)
def test_the_catalog_is_the_one_that_the_connection_has(connection: str, catalog: str | None, tmp_path: Path) -> None:
    text = f"gateways:\n  local:\n    connection: {connection}\nmodel_defaults: {{dialect: duckdb}}\n"
    assert read_config(write_files(tmp_path, {"config.yaml": text})).catalog == catalog


def test_models_of_a_duckdb_file_are_references_with_and_without_its_catalog(tmp_path: Path) -> None:
    config = (
        "config = Config(model_defaults=ModelDefaultsConfig(dialect='duckdb'), gateways={'local': GatewayConfig(\n"
        "    connection=DuckDBConnectionConfig(database='data/shop.db'))})\n"
    )
    files = written_files(
        {
            "config.py": config,
            "models/a.sql": "MODEL (name shop.db.a, kind FULL); SELECT 1 AS x",
            "models/b.sql": "MODEL (name db.b, kind FULL); SELECT x FROM shop.db.a",
            "models/c.sql": "MODEL (name other.db.c, kind FULL); SELECT x FROM db.a",
        }
    )
    assert "{{ ref('a') }}" in files["models/db/b.sql"] and "{{ ref('a') }}" in files["models/db/c.sql"]


ENVIRONMENT = """
variables:
  stage: "{{ env_var('STAGE') }}"
  path: "raw_{{ env_var('STAGE') }}"
  plain: x
before_all:
  - "SET a = '{{ env_var('A') }}'"
"""


def test_variable_of_the_environment_is_asked_for_by_dbt(tmp_path: Path) -> None:
    files = {
        "config.yaml": "model_defaults:\n  dialect: spark\n  start: \"{{ env_var('S') }}\"" + ENVIRONMENT,
        "models/m.sql": "MODEL (name db.m);\nSELECT @stage AS x, @path AS y, @VAR('stage') AS z, @plain AS p",
    }
    report = written(files, tmp_path)
    query = (tmp_path / "models/db/m.sql").read_text()
    stage = "{{ dbt_kinds.text_literal(env_var('STAGE')) }}"
    assert (
        f"SELECT {stage} AS x, {{{{ dbt_kinds.text_literal('raw_' ~ env_var('STAGE')) }}}} AS y, {stage} AS z" in query
    )
    settings = (tmp_path / "dbt_project.yml").read_text()
    assert "vars:\n  plain: x\n" in settings and "SET a = '{{ env_var('A') }}'" in settings
    # a start that only dbt knows is no start here
    assert [note.code.name for note in report.all_notes()] == ["RelativeStart"]


@pytest.mark.parametrize("sql", ["SELECT 1 AS x FROM @{stage}.t", "SELECT @IF(@stage = 'a', 1, 2) AS x"])
def test_variable_of_the_environment_that_shapes_the_query_is_refused(sql: str) -> None:
    compiled = read(f"MODEL (name db.m);\n{sql}", "spark", config=ENVIRONMENT)
    assert compiled.refusal == "UndefinedMacroVariable:2"
    assert "environment (STAGE)" in compiled.notes[0].message


@pytest.mark.parametrize(
    ("said", "outcome"),
    [("(0 = 1)", "skipped"), ("(1 = 1)", ""), ("'false'", "skipped"), ("0", "skipped"), ("(a = 1)", "person")],
)
def test_condition_of_enabled_is_read(said: str, outcome: str) -> None:
    compiled = read(f"MODEL (name db.m, enabled {said});\nSELECT 1 AS x")
    left = [entry.status for entry in compiled.project.left_out]
    assert [*left, *(note.severity for note in compiled.notes if compiled.model is not None)] == [outcome] * bool(
        outcome
    )


def test_folder_with_a_name_of_dbts_own_is_no_name_of_a_project() -> None:
    assert [project_name(text) for text in ("sql", "dbt_spark", "dbt_kinds", "Env", "2024", "shop")] == [
        "project_sql",
        "project_dbt_spark",
        "project_dbt_kinds",
        "project_env",
        "project_2024",
        "shop",
    ]


RUN_CONFIG = """\
import os
from datetime import date

import no_such_library
from dotenv import load_dotenv
from settings import DIALECT, variables
from sqlmesh.core.config import CategorizerConfig, Config, DuckDBConnectionConfig, GatewayConfig, ModelDefaultsConfig

load_dotenv()
print("not the settings")
stage = os.getenv("STAGE")


class Ours(Config):
    time_column_format: str = "%Y%m%d"


config = Ours(
    model_defaults=ModelDefaultsConfig(dialect=DIALECT, start=date(2024, 1, 1)),
    variables={
        **variables(2),
        "path": f"raw_{stage}",
        "mode": "dev" if os.environ.get("DEBUG") else "prod",
        "region": os.environ.get("REGION", "eu"),
        "secret": no_such_library.secret("x"),
    },
    gateways={"local": GatewayConfig(connection=DuckDBConnectionConfig(database="shop.db", port=int(os.environ["PORT"])))},
    plan=CategorizerConfig.all_full(),
)
"""
SETTINGS = "DIALECT = 'duckdb'\ndef variables(n):\n    return {f'n_{i}': i for i in range(n)}\n"


def test_config_in_python_is_run_on_request(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # what is set here must not matter
    monkeypatch.setenv("STAGE", "prod")
    monkeypatch.setenv("DEBUG", "1")
    config = read_config(write_files(tmp_path, {"config.py": RUN_CONFIG, "settings.py": SETTINGS}), runs=True)
    assert config.defaults == {"dialect": "duckdb", "start": "2024-01-01"}
    assert config.variables == {"n_0": 0, "n_1": 1, "path": "raw_⟦env STAGE⟧", "mode": "prod", "region": "eu"}
    assert (config.catalog, config.time_column_format, config.not_converted) == ("shop", "%Y%m%d", [])
    assert [(note.code.name, note.message.split(":")[0]) for note in config.notes] == [
        ("GatewayIgnored", "gateways not converted"),
        ("VariableFrozen", "REGION of the environment became the default that stands in config.py"),
        ("VariableFrozen", "DEBUG, PORT of the environment"),
        ("PropertyDropped", "variables.secret comes from what is not run or not installed here, and was not read"),
    ]


def test_config_in_python_may_start_programs(tmp_path: Path) -> None:
    text = (
        "import subprocess\nimport sys\nfrom sqlmesh.core.config import Config\n"
        "config = Config(project=subprocess.check_output([sys.executable, '-c', 'print(1)']).decode().strip())\n"
    )
    assert read_config(write_files(tmp_path, {"config.py": text}), runs=True).project == "1"


def test_config_in_python_is_not_run_without_request(tmp_path: Path) -> None:
    marker = tmp_path / "was run"
    read_config(write_files(tmp_path / "src", {"config.py": f"open({str(marker)!r}, 'w')\nconfig = {{}}\n"}))
    assert not marker.exists()
    read_config(tmp_path / "src", runs=True)
    assert marker.exists()


def test_config_in_python_may_hold_settings_in_models_of_pydantic(tmp_path: Path) -> None:
    text = """\
from pydantic import BaseModel
from sqlmesh.core.config import Config, ModelDefaultsConfig


class Settings(BaseModel):
    model_defaults: ModelDefaultsConfig = ModelDefaultsConfig(dialect="duckdb")


config = Config(**dict(Settings()))
"""
    config = read_config(write_files(tmp_path, {"config.py": text}), runs=True)
    assert config.defaults["dialect"] == "duckdb"


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("config = 1\n\nraise KeyError('x')", 3, "fails when it is run: KeyError: 'x'"),
        ("config = (", 1, "fails when it is run: SyntaxError: '(' was never closed"),
        ("raise ValueError('first\\n\\nsecond')", 1, "fails when it is run: ValueError: first"),
        ("import sys\nsys.exit(3)", 1, "fails when it is run"),
        ("from settings import nothing\n", 1, "cannot import name 'nothing'"),
    ],
)
def test_config_in_python_that_fails_is_said_with_its_line(text: str, line: int, words: str, tmp_path: Path) -> None:
    with pytest.raises(CompileError) as refused:
        read_config(write_files(tmp_path, {"config.py": text, "settings.py": ""}), runs=True)
    assert refused.value.code is CompileCode.BadConfig
    assert words in refused.value.message and refused.value.line == line


@pytest.mark.parametrize(
    ("files", "is_refused"),
    [
        ({"config.py": "from sqlmesh.dbt.loader import sqlmesh_config\nconfig = sqlmesh_config(Path(__file__).parent)\n"}, True),
        ({"sqlmesh.yaml": "model_defaults: {dialect: duckdb}\n"}, True),
        ({"config.py": "config = Config(model_defaults=ModelDefaultsConfig(dialect='duckdb'))\n"}, False),
    ],
)  # fmt: skip
def test_a_dbt_project_that_sqlmesh_runs_is_for_migrate(
    files: dict[str, str], is_refused: bool, tmp_path: Path
) -> None:
    root = write_files(tmp_path, {**files, "dbt_project.yml": "name: shop\n"})
    if not is_refused:
        assert read_config(root).dialect == "duckdb"
        return
    with pytest.raises(CompileError, match="convert them with dbt-kinds migrate"):
        read_config(root)


def test_variables_of_the_command_take_precedence(tmp_path: Path) -> None:
    files = {
        "config.yaml": "model_defaults: {dialect: spark}\nvariables: {One: 1, two: 2}",
        "models/m.sql": "MODEL (name db.m);\nSELECT @one AS a, @two AS b, @three AS c",
    }
    source = write_files(tmp_path / "src", files)
    assert run(source, "--out", tmp_path / "out", "--vars", "{one: 7, Three: x}")[0] == 0
    settings = yaml.safe_load((tmp_path / "out/dbt_project.yml").read_text())
    assert settings["vars"] == {"one": 7, "three": "x", "two": 2}
    assert run(source, "--out", tmp_path / "out")[0] == 1

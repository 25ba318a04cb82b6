"""A project's Python macros, run by SQLMesh itself where it is installed, and by stand-ins where it is not."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.unit.compiling import CONFIG, write_files

ROOT = Path(__file__).parents[2]
MACROS = """
from typing import List
from sqlglot import exp
from sqlmesh import macro
from sqlmesh.core.macros import MacroEvaluator

@macro()
def doubled(evaluator: MacroEvaluator, columns: List[str], factor: int = 2):
    return [exp.alias_(exp.column(name) * factor, f"{name}_more") for name in columns]

@macro()
def since(evaluator, column: exp.Column):
    return f"{column.sql()} >= @start_ds AND region = '{evaluator.var('region')}'"
"""
# SQLMesh turns a literal into what the annotation of an argument wants, and stand-ins do not
STRICT = """
@macro()
def counted(evaluator, names: tuple[str, ...], limit: int):
    return f"{len(names) * limit} AS {names[0]}"
"""
MODEL = """MODEL (name db.m, kind INCREMENTAL_BY_TIME_RANGE (time_column ds));
SELECT ds, @doubled([a, b], 3), @counted((x, y), 7) FROM raw.t WHERE @since(t.ds)"""
PROGRAM = """
import json, sys
from pathlib import Path
from dbt_kinds.readers.sqlmesh.context import Options
from dbt_kinds.readers.sqlmesh.project import read_project
project = read_project(Path(sys.argv[1]), Options(run_macros=True))
print(json.dumps([[note.message for left in project.left_out for note in left.notes], [model.query.text for model in project.models],
                  "sqlmesh.core.macros" in sys.modules]))
"""


def test_sqlmesh_runs_the_macros_where_it_is_installed(tmp_path: Path) -> None:
    peer = os.environ.get("KINDS_SQLMESH_PYTHON")
    if not peer:
        pytest.skip("KINDS_SQLMESH_PYTHON names no Python with SQLMesh")
    source = write_files(
        tmp_path,
        {
            "config.yaml": CONFIG.format(dialect="duckdb") + "variables: {region: north}\n",
            "macros/__init__.py": "",
            "macros/m.py": MACROS + STRICT,
            "models/m.sql": MODEL,
        },
    )
    answers = []
    for python in (peer, sys.executable):
        run = subprocess.run(
            [python, "-c", PROGRAM, str(source)],
            cwd=ROOT,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            capture_output=True,
            text=True,
        )
        assert run.returncode == 0, run.stderr
        answers.append(json.loads(run.stdout.splitlines()[-1]))
    (refusals, queries, is_real), (_, by_stand_ins, is_real_here) = answers
    assert not refusals and is_real and not is_real_here
    query = " ".join(queries[0].split())
    assert "a * 3 AS a_more, b * 3 AS b_more, 14 AS x" in query and "region = 'north'" in query
    # names that stand for what dbt fills in are numbered as they are met
    assert [re.sub(r"_\d+", "", text) for text in by_stand_ins] == [re.sub(r"_\d+", "", text) for text in queries]

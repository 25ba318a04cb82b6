"""A run killed at any moment leaves a gap, never a false claim; the next run makes the table whole."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from dbt_kinds.local.profile import local_profile
from tests.functional.project import Project

# kill tests are slow: a dbt process costs ten seconds. KINDS_KILLS=20 makes them many
KILLS = int(os.environ.get("KINDS_KILLS", "1"))
NOW = "2024-01-06 08:00:00"

SOURCE = """
select cast(id as int) as id, timestamp '2024-01-01 00:00:00+00:00' + make_interval(0, 0, 0, 0, id div 2 * 12) as ts
from range({rows})"""


@pytest.fixture
def own_metastore(tmp_path: Path, local_spark: Mapping[str, Any]) -> Project:
    """A project on a metastore of its own: Derby lets one JVM in, and these runs are processes."""
    project = Project(
        tmp_path / "killed", local_profile(tmp_path / "spark", name="local", schema="x", threads=1), "killed"
    )
    project.model("source_rows", "{{ config(materialized='view') }}" + SOURCE.format(rows="{{ var('rows', 40) }}"))
    return project


def start(project: Project, **variables: Any) -> subprocess.Popen[str]:
    project.write_settings()
    given = json.dumps({"kinds_execution_time": NOW} | variables)
    where = ["--project-dir", str(project.folder), "--profiles-dir", str(project.folder), "--vars", given]
    return subprocess.Popen(
        [sys.executable, "-c", "from dbt.cli.main import cli; cli()", "run", *where],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, start_new_session=True,
    )  # fmt: skip


def kill_after(process: subprocess.Popen[str], line_with: str, delay: float) -> None:
    assert process.stdout is not None
    for line in process.stdout:
        if line_with in line:
            break
    else:
        raise AssertionError(f"the run ended without saying {line_with!r}")
    time.sleep(delay)
    # dbt and the JVM it started are one process group
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def rows_after(process: subprocess.Popen[str]) -> list[list[int]]:
    """The rows of the model, (id, day, version), once a run has ended well."""
    output, _ = process.communicate(timeout=300)
    assert process.returncode == 0, output
    return list(json.loads(output.split("ROWS ")[1].splitlines()[0]))


@pytest.mark.parametrize("attempt", range(KILLS))
def test_a_killed_run_is_made_good_by_the_next(own_metastore: Project, file_format: str, attempt: int) -> None:
    project, moment = own_metastore, random.Random(attempt)
    query = "select id, ts, {{ var('version', 1) }} as version from {{ ref('source_rows') }}"
    project.kind("daily", query, config=f"file_format='{file_format}'", batch_size=1)
    project.settings["on-run-end"] = [LOG_ROWS]

    kill_after(start(project), f"batch {moment.randint(1, 3)} of 5", moment.uniform(0, 1.5))
    assert rows_after(start(project)) == [[id, 1 + id // 4, 1] for id in range(20)]

    restatement = {"version": 2, "kinds_start": "2024-01-01", "kinds_end": "2024-01-06"}
    kill_after(start(project, **restatement), f"batch {moment.randint(1, 3)} of 5", moment.uniform(0, 1.5))
    rows = rows_after(start(project, version=2))
    assert [row[:2] for row in rows] == [[id, 1 + id // 4] for id in range(20)]
    # days the victim had not begun keep their old rows; no day is half of each
    versions = [row[2] for row in rows]
    assert versions == sorted(versions, reverse=True)
    assert all(len(set(versions[day * 4 : day * 4 + 4])) == 1 for day in range(5))


LOG_ROWS = """
{%- if execute -%}
  {%- set rows = run_query("select to_json(array_sort(collect_list(array(id, day(ts), version)))) from " ~ target.schema ~ ".daily") -%}
  {%- do log('ROWS ' ~ rows.rows[0][0], info=true) -%}
{%- endif -%}
"""

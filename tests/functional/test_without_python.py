"""The dbt package needs nothing of this Python package: dbt Cloud jobs can install none of it."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from dbt_kinds.demo import extract_raw_data
from dbt_kinds.local.profile import local_profile, render_profile
from tests.functional.own_venv import own_venv
from tests.functional.project import PACKAGE


@pytest.fixture
def bare_python(tmp_path: Path) -> Path:
    """A venv with dbt-core, dbt-spark and pyspark only."""
    packages = ["dbt-core>=1.10,<1.12", "dbt-spark>=1.10,<1.12", "pyspark>=3.5,<3.6"]
    return own_venv(tmp_path / "venv", packages)


def test_the_integration_project_runs_in_a_venv_without_the_python_package(
    bare_python: Path, tmp_path: Path, local_spark: Mapping[str, Any]
) -> None:
    project = tmp_path / "flights"
    shutil.copytree(
        PACKAGE / "integration_tests", project, ignore=shutil.ignore_patterns("target", "logs", "dbt_packages")
    )
    (project / "packages.yml").write_text(yaml.safe_dump({"packages": [{"local": str(PACKAGE)}]}))
    profile = local_profile(tmp_path / "spark", name="local", schema="analytics", threads=4)
    (project / "profiles.yml").write_text(render_profile(profile))
    extract_raw_data(tmp_path / "raw")

    def python(*arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run([str(bare_python), *arguments], cwd=project, capture_output=True, text=True, check=False)

    def dbt(*arguments: str) -> str:
        done = python("-c", "from dbt.cli.main import cli; cli()", *arguments)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    assert "No module named 'dbt_kinds'" in python("-c", "import dbt_kinds").stderr
    dbt("deps")
    dbt("run-operation", "load_raw", "--args", f"{{folder: '{tmp_path / 'raw'}'}}")
    first = dbt("build", "--vars", "{kinds_execution_time: 2013-01-05, kinds_batch_size: 2}")
    assert "flights_with_weather: batch 2 of 2, 2013-01-03T00:00:00 to 2013-01-05T00:00:00" in first
    assert "ERROR=0" in first

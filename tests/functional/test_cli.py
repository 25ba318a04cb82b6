"""The command, against a project that works and one that does not."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from click.testing import CliRunner, Result

from dbt_kinds.cli import main
from tests.functional.project import DAILY_EVENTS, Project, events_table

NOW = "2024-01-05 08:00:00"


def status(project: Project, *arguments: str) -> Result:
    folder = str(project.folder)
    where = ["--project-dir", folder, "--profiles-dir", folder, "--vars", f"kinds_execution_time: '{NOW}'"]
    return CliRunner().invoke(main, ["status", *where, *arguments])


def test_status_shows_coverage_and_gaps_and_exits_with_1_when_there_are_any(project: Project) -> None:
    events_table(project)
    project.kind("daily", DAILY_EVENTS, config="file_format='iceberg'")
    project.run(now=NOW)
    told = status(project)
    assert told.exit_code == 0, told.output
    assert told.stdout.splitlines()[1].split() == ["daily", "day", "2024-01-01", "to", "2024-01-05", "nothing"]
    project.operation("forget", select="daily", start="2024-01-02", end="2024-01-03")
    told = status(project, "--select", "daily", "--json")
    assert told.exit_code == 1
    assert json.loads(told.stdout) == [
        {
            "model": "model.shop.daily", "relation": f"{project.schema}.daily", "kind": "incremental_by_time_range",
            "unit": "day", "start": "2024-01-01T00:00:00", "end": "2024-01-05T00:00:00",
            "recorded": [["2024-01-01T00:00:00", "2024-01-02T00:00:00"], ["2024-01-03T00:00:00", "2024-01-05T00:00:00"]],
            "missing": [["2024-01-02T00:00:00", "2024-01-03T00:00:00"]], "reason": "1 missing",
        },
    ]  # fmt: skip


def test_an_error_is_explained_on_stderr_and_exits_with_2(project: Project) -> None:
    project.write_settings()
    told = status(project, "--select", "nobody")
    assert (told.exit_code, told.stdout) == (2, "")
    assert "no model of a kind is called nobody" in told.stderr


def test_dbt_runs_with_the_printed_profile_from_any_folder_without_java(
    project: Project, tmp_path: Path, local_spark: Mapping[str, Any]
) -> None:
    told = CliRunner().invoke(main, ["local-profile", "--dir", str(tmp_path / "spark")])
    project.kind("daily", "select timestamp '2024-01-01 00:00:00+00:00' as ts", config="file_format='iceberg'")
    project.write_settings()
    (project.folder / "profiles.yml").write_text(told.stdout)
    environment = {name: value for name, value in os.environ.items() if name not in ("JAVA_HOME", "SPARK_HOME")}
    done = subprocess.run(
        [sys.executable, "-c", "from dbt.cli.main import cli; cli()", "run",
         "--project-dir", str(project.folder), "--profiles-dir", str(project.folder)],
        cwd=tmp_path, env=environment | {"PATH": str(programs_but_java(tmp_path / "programs"))}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert "OK 1 batch, 1 row" in done.stdout, done.stdout + done.stderr
    assert not list(tmp_path.glob("metastore_db")) and not list(tmp_path.glob("derby.log"))


def test_the_demonstration_removes_nobody_elses_folder(tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").write_text("mine")
    told = CliRunner().invoke(main, ["demo", "--dir", str(tmp_path)])
    assert (told.exit_code, (tmp_path / "thesis.tex").read_text()) == (2, "mine")


def programs_but_java(folder: Path) -> Path:
    """A folder that can be a PATH: all the system's programs, but no Java."""
    folder.mkdir()
    for system in (Path("/usr/bin"), Path("/bin")):
        for program in system.iterdir():
            link = folder / program.name
            if not program.name.startswith("java") and not link.is_symlink():
                link.symlink_to(program)
    return folder

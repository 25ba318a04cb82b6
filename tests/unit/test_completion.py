"""What the shell offers after `--select`."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from click.shell_completion import ShellComplete

from dbt_kinds.cli import main

MANIFEST = {
    "macros": {
        name: {"name": name, "package_name": "dbt_kinds"}
        for name in ("materialization_full_default", "materialization_incremental_by_time_range_default", "window_of")
    },
    "nodes": {
        name: {"name": name, "resource_type": kind, "config": {"materialized": materialized}}
        for name, kind, materialized in [
            ("flights", "model", "incremental_by_time_range"),
            ("airports", "model", "full"),
            ("airlines", "model", "view"),
            ("airports_seed", "seed", "seed"),
        ]
    },
}


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "target").mkdir()
    (tmp_path / "target" / "manifest.json").write_text(json.dumps(MANIFEST))
    monkeypatch.chdir(tmp_path.parent)
    monkeypatch.delenv("DBT_PROJECT_DIR", raising=False)
    return tmp_path


def offered(arguments: list[str], incomplete: str) -> list[str]:
    shell = ShellComplete(main, {}, "dbt-kinds", "_DBT_KINDS_COMPLETE")
    return [item.value for item in shell.get_completions(arguments, incomplete)]


@pytest.mark.parametrize(
    ("incomplete", "names"),
    [("", ["airports", "flights"]), ("air", ["airports"]), ("x", []), ("flights air", ["flights airports"])],
)
def test_models_of_a_kind_are_offered_after_select(project: Path, incomplete: str, names: list[str]) -> None:
    for command in ("plan", "status", "history", "report", "doctor"):
        assert offered([command, "--project-dir", str(project), "--select"], incomplete) == names
    assert offered(["plan", "--project-dir", str(project), "-s"], incomplete) == names


@pytest.mark.parametrize("text", ["", "[]", '{"nodes": {}}', '{"macros": {"x": 1}, "nodes": {}}', "\0"])
def test_nothing_is_offered_without_a_manifest_that_can_be_read(project: Path, text: str) -> None:
    file = project / "target" / "manifest.json"
    file.write_text(text)
    assert offered(["plan", "--project-dir", str(project), "--select"], "") == []
    file.unlink()
    assert offered(["plan", "--project-dir", str(project), "--select"], "") == []


def test_the_shell_gets_its_answer_without_dbt(project: Path) -> None:
    words = f"dbt-kinds plan --project-dir {project} --select fl"
    told = subprocess.run(
        [sys.executable, "-X", "importtime", "-c", "from dbt_kinds.cli import main; main(prog_name='dbt-kinds')"],
        env=os.environ | {"_DBT_KINDS_COMPLETE": "bash_complete", "COMP_WORDS": words, "COMP_CWORD": "5"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert told.stdout.splitlines() == ["plain,flights"]
    assert "dbt.cli" not in told.stderr and "sqlglot" not in told.stderr

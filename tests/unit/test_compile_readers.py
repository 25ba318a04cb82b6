"""Which reader reads a project, and which options it takes."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

from dbt_kinds.cli import main
from dbt_kinds.compile.convert import compile_project
from dbt_kinds.compile.readers import READERS, check_options, reader_of
from dbt_kinds.compile.request import CompileRequest
from dbt_kinds.errors import KindsError
from tests.unit.compiling import CONFIG, write_files

GUIDE = Path(__file__).parents[2] / "CONTRIBUTING.md"

PROJECTS = {
    "smelt": {"smelt.yml": "name: shop\n", "models/m.sql": "select 1 as a\n"},
    "ondatrasql": {"config/catalog.sql": "", "models/mart/m.sql": "-- @kind: table\nselect 1 as a\n"},
    "sqlmesh": {
        "config.yaml": CONFIG.format(dialect="duckdb"),
        "models/m.sql": "MODEL (name db.m, kind FULL); SELECT 1 AS a\n",
    },
}
ASKED: dict[str, Any] = {
    **{"spark": "4.0", "run_macros": True, "run_config": True, "variables": {"a": 1}, "audits_as_tests": True},
    **{"allow_downgrade": True, "allow_delta": ("mart.m:aggregates",)},
}


@pytest.mark.parametrize("tool", PROJECTS)
def test_a_project_is_recognized_by_its_files(tool: str, tmp_path: Path) -> None:
    source = write_files(tmp_path / "src", PROJECTS[tool])
    assert reader_of(CompileRequest(source, tmp_path / "out")).tool == tool
    for reader in READERS:
        assert reader_of(CompileRequest(source, tmp_path / "out", tool=reader.tool)) is reader


@pytest.mark.parametrize("tool", PROJECTS)
@pytest.mark.parametrize("option", ASKED)
def test_an_option_of_another_tool_is_wrong_use(tool: str, option: str, tmp_path: Path) -> None:
    source, out = write_files(tmp_path / "src", PROJECTS[tool]), tmp_path / "out"
    request = CompileRequest(source, out, **{option: ASKED[option]})
    if option in reader_of(request).options:
        check_options(reader_of(request), request)
        return
    with pytest.raises(KindsError, match=r"^--[\w-]+ is for .*, and this is a project of .*; leave it out$"):
        compile_project(request)
    assert not out.exists()


def test_every_option_of_a_tool_can_be_asked_for() -> None:
    taken: Mapping[str, set[str]] = {reader.tool: set(reader.options) for reader in READERS}
    assert set().union(*taken.values()) == ASKED.keys() <= {field.name for field in fields(CompileRequest)}


def test_the_command_names_every_tool() -> None:
    named = next(option for option in main.commands["compile"].params if option.name == "tool")
    assert sorted(named.type.choices) == sorted(reader.tool for reader in READERS)  # type: ignore[attr-defined]


def test_what_the_guide_shows_of_a_reader_runs() -> None:
    (shown,) = re.findall(
        r"^```python\n(from sqlglot import exp\n.*?)^```$", GUIDE.read_text(), re.MULTILINE | re.DOTALL
    )
    exec(shown, {})

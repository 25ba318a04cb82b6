"""Codes of findings: each stands once, and says what it means."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from dbt_kinds import codes
from dbt_kinds.check.sarif import sarif_log
from dbt_kinds.codes import SAFETY_OVERRIDES, TABLES, CheckCode, CompileCode, OndatraCode
from dbt_kinds.diagnostics import Code

PACKAGE = Path(codes.__file__).parent
FILES = [path for path in PACKAGE.rglob("*.py") if path.name != "codes.py"]


def used(table: type[Code]) -> set[str]:
    """The members of a table that the code names."""
    found = set()
    for path in FILES:
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == table.__name__:
                found.add(node.attr)
    return found


@pytest.mark.parametrize("table", [CompileCode, CheckCode, OndatraCode])
def test_every_code_of_a_table_is_found_somewhere(table: type[Code]) -> None:
    assert used(table) == {code.name for code in table}


@pytest.mark.parametrize("command", TABLES)
def test_a_code_says_one_sentence(command: str) -> None:
    found = TABLES[command]
    assert len(found) > 20 and len({code.name for code in found}) == len({code.meaning for code in found}) == len(found)
    for code in found:
        assert re.fullmatch(r"[A-Z`\w].*\.", code.meaning), code


@pytest.mark.parametrize(
    ("name", "command", "severity"),
    [
        ("SqlParseError", "compile", "refused"),
        ("NoTimeFilter", "compile", "person"),
        ("RunQueryLogic", "migrate", "person"),
        ("NoStart", "migrate", "note"),
        ("narrow_read", "check", "warning"),
        ("having", "check", "refusal"),
        ("CursorMissing", "ondatrasql", "error"),
    ],
)
def test_a_code_belongs_to_one_command(name: str, command: str, severity: str) -> None:
    found = [(one, code.severity) for one, table in TABLES.items() for code in table if code.name == name]
    assert found == [(command, severity)]


def test_overrides_are_named_after_their_codes() -> None:
    lifted = {code.override: code.name for code in CheckCode if code.override is not None}
    names = ["distinct", "having", "limit", "nondeterministic", "subqueries", "window_functions"]
    assert sorted(lifted) == SAFETY_OVERRIDES and sorted(lifted.values()) == names
    assert all(override == f"allow_{name}" for override, name in lifted.items())


def test_rules_of_sarif_say_what_their_codes_mean() -> None:
    finding = {"severity": "error", "message": "…", "line": 1, "path": "a.sql"}
    told = {"models": {}, "errors": [{**finding, "code": code} for code in ("limit", "UnknownKey")]}
    rules = sarif_log(told)["runs"][0]["tool"]["driver"]["rules"]
    assert rules == [
        {"id": "UnknownKey", "shortDescription": {"text": "A configuration has a key that there is not."}},
        {"id": "limit", "shortDescription": {"text": CheckCode.limit.meaning}},
    ]

"""Codes of findings: each stands once, and says what it means."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from dbt_kinds import codes
from dbt_kinds.analysis.findings import OVERRIDES, RULES
from dbt_kinds.check.sarif import sarif_log
from dbt_kinds.readers.smelt.problems import MEANINGS

PACKAGE = Path(codes.__file__).parent
FINDS = re.compile(
    r"(?:Problem|unknown_key|_error|Finding|self\.add|_Wrong)\(\s*\"(\w+)\"|^[A-Z_]+ = \"([A-Z][a-z]+[A-Z]\w+)\"",
    re.MULTILINE,
)


def used(*folders: str) -> set[str]:
    texts = [path.read_text() for folder in folders for path in (PACKAGE / folder).rglob("*.py")]
    return {first or second for text in texts for first, second in FINDS.findall(text)}


def test_every_code_that_check_finds_is_in_a_table() -> None:
    found = used("analysis", "check", "readers/smelt")
    assert {"window_functions", "CumulativeRequiresGroupBy", "UnreadableQuery", "UndefinedSource"} <= found
    assert found <= RULES.keys() | MEANINGS.keys()


def test_a_code_says_one_sentence() -> None:
    for command in codes.COMMANDS:
        found = codes.codes(command)
        assert len(found) > 20 and len({code.name for code in found}) == len(found)
        for code in found:
            assert re.fullmatch(r"[A-Z`\w].*\.", code.meaning), code


@pytest.mark.parametrize(
    ("name", "command", "level"),
    [
        ("SqlParseError", "compile", "refused"),
        ("NoTimeFilter", "compile", "person"),
        ("RunQueryLogic", "migrate", "person"),
        ("NoStart", "migrate", "note"),
        ("narrow_read", "check", "warning"),
        ("having", "check", "refusal"),
    ],
)
def test_a_code_belongs_to_one_command(name: str, command: str, level: str) -> None:
    found = [(one, code.level) for one in codes.COMMANDS for code in codes.codes(one) if code.name == name]
    assert found == [(command, level)]


def test_overrides_are_those_of_the_rules() -> None:
    assert sorted(OVERRIDES) == ["distinct", "having", "limit", "nondeterministic", "subqueries", "window_functions"]
    assert all(override == f"allow_{code}" for code, override in OVERRIDES.items())


def test_rules_of_sarif_say_what_their_codes_mean() -> None:
    finding = {"severity": "error", "message": "…", "line": 1, "path": "a.sql"}
    told = {"models": {}, "errors": [{**finding, "code": code} for code in ("UnknownKey", "limit", "NoOfOurs")]}
    rules = sarif_log(told)["runs"][0]["tool"]["driver"]["rules"]
    assert rules == [
        {"id": "NoOfOurs"},
        {"id": "UnknownKey", "shortDescription": {"text": "A configuration has a key that there is not."}},
        {"id": "limit", "shortDescription": {"text": RULES["limit"].meaning}},
    ]

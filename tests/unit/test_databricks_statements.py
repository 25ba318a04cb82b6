"""What runs send to a SQL warehouse, as tests/functional/test_databricks.py found it: it is Databricks' SQL, and nothing in it is what a warehouse refuses."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import sqlglot
from sqlglot import exp

FILES = sorted((Path(__file__).parents[1] / "fixtures" / "databricks").glob("*.sql"))
# sqlglot keeps these as text
COMMANDS = r"(?is)(describe|explain|refresh table)\s"
# nor does it know this; the query behind it is read
REPLACE_ON = re.compile(r" as t\nreplace on \(t\.(`\w+`) <=> s\.\1\)\n\((.*)\) as s$", re.DOTALL)


def statements(file: Path) -> list[str]:
    text = re.sub(r"(?m)^-- .*\n", "", file.read_text())
    return [statement.strip() for statement in text.split(";\n\n") if statement.strip()]


def test_every_kind_has_a_file() -> None:
    assert len(FILES) >= 14


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_statements_are_those_of_databricks(file: Path) -> None:
    found = statements(file)
    assert len(found) > 2
    for statement in found:
        assert not re.match(r"(?i)set\s", statement), statement
        assert not re.search(r"(?i)java_method|\bpurge\b|\bstored as textfile\b", statement), statement
        if re.match(COMMANDS, statement):
            continue
        [tree] = sqlglot.parse(REPLACE_ON.sub(r" \2", statement), dialect="databricks")
        assert tree is not None and not isinstance(tree, exp.Command), statement


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_tables_have_their_catalog(file: Path) -> None:
    for statement in statements(file):
        for name in re.findall(r"(?:into|table|history|table extended) (`[^\s(]*)", statement):
            assert name.startswith("`main`.`shop`.`"), statement

"""A macro whose name begins with an underscore belongs to its file: nobody else calls it."""

from __future__ import annotations

import re

from tests.unit.macros import MACROS


def test_private_macros_are_called_in_their_file_only() -> None:
    strangers = []
    for file in sorted(MACROS.rglob("*.sql")):
        text = file.read_text()
        own = set(re.findall(r"{% macro (\w+)\(", text))
        called = set(re.findall(r"dbt_kinds\.(_\w+)", text))
        strangers += [f"{file.relative_to(MACROS)}: {name}" for name in sorted(called - own)]
    assert strangers == []


def test_no_two_macros_have_one_name_but_for_an_underscore() -> None:
    names = [name for file in MACROS.rglob("*.sql") for name in re.findall(r"{% macro (\w+)\(", file.read_text())]
    assert len({name.lstrip("_") for name in names}) == len(names)

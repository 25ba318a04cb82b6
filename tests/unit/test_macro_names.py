"""What is the same in all macros: one whose name begins with an underscore belongs to its file, and lines are short."""

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


def test_lines_are_short_but_for_a_text_that_does_not_fit() -> None:
    long = [
        f"{file.relative_to(MACROS)}:{number}"
        for file in sorted(MACROS.rglob("*.sql"))
        for number, line in enumerate(file.read_text().splitlines(), 1)
        if len(line) > 120 and max(map(len, re.findall(r"'[^']*'|\"[^\"]*\"", line)), default=0) <= 60
    ]
    assert long == []


def test_what_is_compiled_ahead_is_there() -> None:
    texts = {file.name: file.read_text() for file in MACROS.rglob("*.sql")}
    listed = re.findall(r"'(\w+)'", texts["compile_ahead.sql"].split("{% macro ")[1])
    names = {name for text in texts.values() for name in re.findall(r"{% macro (\w+)\(", text)}
    assert len(listed) > 100 and set(listed) <= names and listed == sorted(set(listed))

"""The help of each command has examples that the command takes."""

from __future__ import annotations

import shlex

import click
import pytest
from click.testing import CliRunner

from dbt_kinds.cli import main


@pytest.mark.parametrize("name", sorted(main.commands))
def test_examples_are_what_the_command_takes(name: str) -> None:
    told = CliRunner().invoke(main, [name, "--help"]).output
    lines = [line.strip() for line in told.split("Examples:\n")[1].splitlines()]
    assert lines
    for line in lines:
        program, command, *arguments = shlex.split(line.split(" > ")[0])
        assert (program, command) == ("dbt-kinds", name)
        main.commands[name].make_context(name, arguments, parent=click.Context(main))

"""The command group `dbt-kinds`: how its arguments are read, and what an error prints."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import click
from rich.markup import escape

import dbt_kinds
from dbt_kinds.cli.printing import talk
from dbt_kinds.errors import KindsError


class Commands(click.Group):
    """Turns the errors this package explains into a message and exit code 2."""

    def invoke(self, ctx: click.Context) -> Any:
        """Runs the command."""
        try:
            return super().invoke(ctx)
        except KindsError as error:
            talk.print(f"[red]error[/] {escape(str(error))}", highlight=False, soft_wrap=True)
            ctx.exit(2)


class SelectsWords(click.Command):
    """A command that takes `--select a b` as dbt does."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parses the arguments."""
        return super().parse_args(ctx, joined_selection(args))


def joined_selection(arguments: list[str]) -> list[str]:
    """The arguments with all words that follow --select in one, except a last one that is the folder of a project."""
    joined: list[str] = []
    takes = False
    for at, word in enumerate(arguments):
        is_value = takes and not word.startswith("-")
        is_first = bool(joined) and joined[-1] in ("--select", "-s")
        is_last = at + 1 == len(arguments) or arguments[at + 1].startswith("-")
        # many names in one word are too long for a path, of which os.path.isfile says no
        is_folder = is_last and os.path.isfile(Path(word) / "dbt_project.yml")  # noqa: PTH113
        if is_value and not is_first and not is_folder:
            joined[-1] += f" {word}"
        else:
            joined.append(word)
        takes = is_value or word in ("--select", "-s")
    return joined


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(dbt_kinds.__version__)
def main() -> None:
    """Model kinds with interval semantics for dbt on Spark."""


def examples(*lines: str) -> str:
    """The epilog of a command's help: its examples, one per line."""
    return "\b\nExamples:\n" + "\n".join(f"  dbt-kinds {line}" for line in lines)

"""What commands print: data and tables to stdout, messages for people to stderr."""

from __future__ import annotations

import json
import os
import sys
from typing import Any, TextIO

import click
from rich.console import Console
from rich.markup import escape

NO_MODELS = "No model of this project is of a kind; set materialized='incremental_by_time_range' in a model's config."


talk = Console(stderr=True)


def say(sentence: str) -> None:
    """Prints a message for people to stderr."""
    talk.print(escape(sentence), highlight=False, soft_wrap=True)


def print_json(data: Any) -> None:
    """Prints data for programs to stdout."""
    click.echo(json.dumps(data, indent=2))


def print_table(table: Any, stream: TextIO | None = None) -> None:
    """Prints a table to stdout or another stream; in a file or pipe, lines are not wrapped at 80 columns."""
    stream = stream or sys.stdout
    is_wide = not stream.isatty() and "COLUMNS" not in os.environ
    Console(file=stream, width=240 if is_wide else None).print(table)

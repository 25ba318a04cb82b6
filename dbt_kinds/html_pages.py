"""HTML pages made from templates, each a single file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from dbt_kinds.errors import UnwritableFileError

if TYPE_CHECKING:
    from jinja2 import Environment


def templates_in(folder: Path) -> Environment:
    """The templates of a folder, in which what is inserted is escaped and every name has to be known."""
    # the commands that write no page do not need it
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    return Environment(
        loader=FileSystemLoader(folder),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def write_html(text: str, file: Path) -> None:
    """Writes a page.

    Raises:
        UnwritableFileError: the file cannot be written there.
    """
    try:
        file.write_text(text, encoding="utf-8")
    except OSError as error:
        raise UnwritableFileError(
            f"{file} cannot be written: {error.strerror}; name another file with --html"
        ) from error

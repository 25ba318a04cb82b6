"""The migration as one HTML page: counts, reasons, and each model's diff beside what it rests on."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import dbt_kinds
from dbt_kinds.html_pages import templates_in, write_html
from dbt_kinds.migrate.advice import ADVICE
from dbt_kinds.migrate.dialects import SPARK
from dbt_kinds.migrate.results import Migration, Result

_FOLDER = Path(__file__).parent
_LINES = {"+": "added", "-": "removed", "@": "place"}
# in this order on the page
_STATUSES = ("failed", "converted", "proposed", "left", "already")


class Line(NamedTuple):
    """A line of a diff; `sort` is added, removed, place or nothing."""

    text: str
    sort: str


def write_page(migration: Migration, file: Path) -> None:
    """Writes the page.

    Raises:
        UnwritableFileError: the file cannot be written there.
    """
    write_html(render_page(migration), file)


def render_page(migration: Migration) -> str:
    """The page as text."""
    page = templates_in(_FOLDER)
    page.filters["diff_lines"] = diff_lines
    page.filters["evidence"] = evidence
    return page.get_template("page.html.jinja").render(
        migration=migration,
        summary=migration.summary,
        is_spark=migration.dialect in SPARK,
        groups=[(status, found) for status in _STATUSES if (found := _of(migration, status))],
        advice=ADVICE,
        version=dbt_kinds.__version__,
    )


def diff_lines(diff: str) -> list[Line]:
    """The lines of a diff without its headers, which say the file again."""
    lines = diff.splitlines()
    first = next((at for at, line in enumerate(lines) if line.startswith("@@")), len(lines))
    return [Line(line, _LINES.get(line[:1], "")) for line in lines[first:]]


def evidence(result: Result) -> Sequence[tuple[str, str]]:
    """What a result rests on: how the model was loaded, and how it is now."""
    found = result.found
    rows = [
        ("strategy", found.strategy or "the adapter's default"),
        ("unique key", ", ".join(found.unique_key)),
        ("found", ", ".join(pattern.replace("_", " ") for pattern in found.patterns)),
        ("kind", result.kind or ""),
        *((name, str(value)) for name, value in result.options.items()),
        ("proof", result.verdict.words if result.verdict is not None else ""),
    ]
    return [(name, value) for name, value in rows if value]


def _of(migration: Migration, status: str) -> list[Result]:
    return sorted((result for result in migration.results if result.status == status), key=lambda one: one.name)

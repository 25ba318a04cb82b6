"""Findings as GitHub workflow commands, which GitHub shows next to the lines of a diff.

Follows GitHub's page Workflow commands for GitHub Actions.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from dbt_kinds.verdicts import findings_in


def annotation_lines(told: Mapping[str, Any]) -> Iterator[str]:
    """One command per finding; warnings are GitHub warnings."""
    for _, found in findings_in(told):
        place = f"file={_property(found.place.file)},line={found.place.line},title={_property(found.code.name)}"
        yield f"::{'warning' if found.severity == 'warning' else 'error'} {place}::{_text(found.message)}"


def _text(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _text(text).replace(":", "%3A").replace(",", "%2C")

"""Edits of a text at positions from its tree, which preserve the author's layout and comments."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple


class Edit(NamedTuple):
    """A replacement for a part of the text; the end is exclusive."""

    start: int
    end: int
    text: str


def edited(text: str, edits: Iterable[Edit]) -> str:
    """The text with all edits applied; of two that overlap, the one that begins first or is longer wins."""
    parts, at = [], 0
    for edit in sorted(set(edits), key=lambda edit: (edit.start, -edit.end)):
        if edit.start >= at:
            parts += [text[at : edit.start], edit.text]
            at = edit.end
    return "".join([*parts, text[at:]])

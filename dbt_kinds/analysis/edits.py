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
    """The text with all edits applied; of two that overlap, the one that begins first or is longer wins.

    Two that overlap and only remove remove what either does.
    """
    parts: list[str] = []
    at, removes = 0, False
    for edit in sorted(set(edits), key=lambda edit: (edit.start, -edit.end)):
        if edit.start >= at:
            parts += [text[at : edit.start], edit.text]
            at, removes = edit.end, not edit.text
        elif removes and not edit.text:
            at = max(at, edit.end)
    return "".join([*parts, text[at:]])

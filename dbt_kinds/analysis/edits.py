"""Changes to a text at places that the tree knows, so that the author's layout and comments survive."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple


class Edit(NamedTuple):
    """What to write instead of a part of the text; the end is exclusive."""

    start: int
    end: int
    text: str


def edited(text: str, edits: Iterable[Edit]) -> str:
    """The text with all edits made; of two that overlap the one that begins first, or is longer, wins."""
    parts, at = [], 0
    for edit in sorted(set(edits), key=lambda edit: (edit.start, -edit.end)):
        if edit.start >= at:
            parts += [text[at : edit.start], edit.text]
            at = edit.end
    return "".join([*parts, text[at:]])

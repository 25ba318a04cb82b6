"""The edits that turn a filter into one over the window and remove the tags of its block."""

from __future__ import annotations

import re
from collections.abc import Iterator

from dbt_kinds.analysis.edits import Edit
from dbt_kinds.migrate.conditions import Comparison
from dbt_kinds.migrate.filters import Filter
from dbt_kinds.readers.dbt.blocks import Block

_QUOTED = re.compile(r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"|`[^`]*`|\{\{.*?\}\}", re.DOTALL)


def filter_edits(
    text: str, found: Filter, predicate: str, replaced: list[Comparison], dropped: list[Comparison]
) -> list[Edit]:
    """The edits for a filter: one predicate replaces the first of its conditions, and the others are removed.

    Args:
        replaced: the conditions that the predicate replaces.
        dropped: the conditions that become redundant.
    """
    edits = list(_tags(text, found))
    first = replaced[0] if replaced else None
    seen: set[tuple[int, int]] = set()
    predicate = " and ".join([*(part.whole for part in found.kept), predicate])
    if found.writes_keyword:
        predicate = f"{found.keyword} {predicate}"
    for comparison in [*replaced, *dropped]:
        place = (comparison.start, comparison.end)
        if place in seen:
            continue
        seen.add(place)
        is_first = first is not None and place == (first.start, first.end)
        if is_first:
            edits.append(Edit(*place, predicate))
            continue
        edits.append(_without(text, found, comparison))
    return edits


def _without(text: str, found: Filter, comparison: Comparison) -> Edit:
    """Removes a condition with the preceding AND and the white space between."""
    for start, end in reversed(found.ands):
        if end <= comparison.start and not text[end : comparison.start].strip():
            lead = re.search(r"\s*$", text[:start])
            assert lead is not None
            return Edit(lead.start(), comparison.end, "")
    for start, end in found.ands:
        if start >= comparison.end and not text[comparison.end : start].strip():
            tail = re.compile(r"\s*").match(text, end)
            assert tail is not None
            return Edit(comparison.start, tail.end(), "")
    return Edit(comparison.start, comparison.end, "true")


def _tags(text: str, found: Filter) -> Iterator[Edit]:
    """Removes the tags of the block, and the branch of the first load."""
    block = found.block
    if block.word in ("macro", "outside"):
        return
    if found.first_load is not None:
        yield block_removal(text, found.first_load)
    body_start, body_end = found.body
    yield removal(text, block.start, body_start)
    yield removal(text, body_end, block.end)


def semicolon_edits(text: str) -> list[Edit]:
    """Removes the semicolons that end a query: a kind wraps it."""
    pieces = re.compile(r"(?s)\{#.*?#\}|\{%.*?%\}|/\*.*?\*/|--[^\n]*|\s+|;")
    at = 0
    found: list[Edit] = []
    while at < len(text):
        piece = pieces.match(text, at)
        if piece is None:
            # a query goes on here
            found, quoted = [], _QUOTED.match(text, at)
            at = quoted.end() if quoted else at + 1
            continue
        if piece[0] == ";":
            found.append(Edit(at, piece.end(), ""))
        at = piece.end()
    return found


def block_removal(text: str, block: Block) -> Edit:
    """Removes a whole block."""
    return removal(text, block.start, block.end)


def removal(text: str, start: int, end: int) -> Edit:
    """Removes a piece: whole lines if nothing else is on them, else just the piece."""
    line_start = text.rfind("\n", 0, start) + 1
    newline = text.find("\n", end)
    line_end = len(text) if newline < 0 else newline + 1
    if not text[line_start:start].strip() and not text[end:line_end].strip():
        if newline < 0 and line_start > 0:
            # the last line is removed with the preceding line end, so that the file still ends in the same way
            before = line_start - 1
            before -= text[before - 1 : before] == "\r"
            return Edit(before, line_end, "")
        return Edit(line_start, line_end, "")
    return Edit(start, end, "")

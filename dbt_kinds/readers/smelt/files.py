"""The models in a file: YAML between lines of three dashes, then SQL; several if `--- name: x ---` begins each."""

from __future__ import annotations

import re
from typing import NamedTuple

_FENCE = re.compile(r"---\s*$")
_OPENING = re.compile(r"---\s*name:\s*(?P<name>[^\s-][^\s]*)\s*---\s*$")


class Part(NamedTuple):
    """One model: its name if the file gives one, its YAML, and the file's text with all but its SQL blanked out, so
    that positions are those of the file.
    """

    name: str | None
    configuration: str
    configuration_line: int
    sql: str
    line: int


def split_file(text: str) -> list[Part]:
    """The models of a file, in order. A file without an opening line is one model."""
    lines = text.splitlines(keepends=True)
    openings = [
        (number, found["name"].strip("'\"")) for number, line in enumerate(lines) if (found := _OPENING.match(line))
    ]
    if not openings:
        return [_part(lines, None, 0, 0, len(lines))]
    ends = [number for number, _ in openings[1:]] + [len(lines)]
    return [_part(lines, name, at, at + 1, end) for (at, name), end in zip(openings, ends, strict=True)]


def _part(lines: list[str], name: str | None, opening: int, start: int, end: int) -> Part:
    first = next((number for number in range(start, end) if lines[number].strip()), end)
    fences = [number for number in range(start, end) if _FENCE.match(lines[number])]
    if fences and fences[0] == first and len(fences) > 1:
        configuration, line, start = "".join(lines[first + 1 : fences[1]]), first + 2, fences[1] + 1
    elif fences and name is not None:
        # the first line has already opened the YAML
        configuration, line, start = "".join(lines[start : fences[0]]), start + 1, fences[0] + 1
    else:
        configuration, line = "", opening + 1
    sql = "".join(_blank(text) for text in lines[:start]) + "".join(lines[start:end])
    return Part(name, configuration, line, sql, opening + 1)


def _blank(line: str) -> str:
    return re.sub(r"[^\r\n]", " ", line)

"""Calls in directives, `name(a, 'b, c', d >= 0)`, whose arguments need not be SQL."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

_CALL = re.compile(r"(?P<name>[A-Za-z_][A-Za-z0-9_]*)\s*(?P<open>\()?")


@dataclass(frozen=True)
class Call:
    """A call; arguments as written, with their quotes."""

    name: str
    arguments: tuple[str, ...]
    text: str


def read_call(text: str) -> Call | None:
    """A call, or just a name; None if it is neither."""
    text = text.strip()
    found = _CALL.match(text)
    if found is None:
        return None
    if not found["open"]:
        return Call(found["name"], (), text) if found.end() == len(text) else None
    if not text.endswith(")") or not _is_closed(text[found.end() - 1 :]):
        return None
    return Call(found["name"], tuple(split_arguments(text[found.end() : -1])), text)


def split_arguments(text: str) -> list[str]:
    """The parts between commas outside quotes and brackets."""
    if not text.strip():
        return []
    parts, depth, quoted = [""], 0, False
    for letter in text:
        if letter == "'":
            quoted = not quoted
        elif not quoted:
            depth += (letter in "({") - (letter in ")}")
        if letter == "," and not quoted and depth == 0:
            parts.append("")
        else:
            parts[-1] += letter
    return [part.strip() for part in parts]


def _is_closed(text: str) -> bool:
    """Whether the bracket at the beginning of a text is closed by its last character, and not before."""
    depth, quoted = 0, False
    for position, letter in enumerate(text):
        if letter == "'":
            quoted = not quoted
        elif not quoted:
            depth += (letter == "(") - (letter == ")")
            if depth == 0:
                return position == len(text) - 1
    return False


def value_of(text: str) -> Any:
    """An argument as a value: a number, true or false, else a string without its quotes."""
    if re.fullmatch(r"[+-]?\d+", text):
        return int(text)
    if re.fullmatch(r"[+-]?(\d+\.\d*|\.\d+)", text):
        return float(text)
    if text.lower() in ("true", "false"):
        return text.lower() == "true"
    return unquoted(text)


def unquoted(text: str) -> str:
    """A string without the quotes around it."""
    if len(text) > 1 and text[0] == text[-1] and text[0] in "'\"":
        return text[1:-1].replace(text[0] * 2, text[0])
    return text

"""The arguments of a call in Jinja, with their positions, and their values if literal."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import jinja2
from jinja2 import nodes

_NAMED = re.compile(r"\s*(\w+)\s*=(?!=)\s*")
_QUOTED = re.compile(r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"", re.DOTALL)
_ENVIRONMENT = jinja2.Environment()


class Computed:
    """The value of an argument that is not a literal."""

    def __repr__(self) -> str:
        """Returns a fixed text."""
        return "computed"


COMPUTED = Computed()


@dataclass(frozen=True)
class Argument:
    """An argument or an item of a mapping; `start` is at its name, or else its value, `end` is after its value."""

    name: str | None
    start: int
    value_start: int
    end: int
    text: str

    @property
    def value(self) -> Any:
        """The value of the text; COMPUTED for what is not a literal, of a mapping for each of its values."""
        value = constant(self.text)
        given = items(self.text, 0, len(self.text)) if value is COMPUTED else None
        return value if given is None else {item.name: item.value for item in given}


def arguments(text: str, start: int, end: int) -> list[Argument]:
    """The arguments between two parentheses of a text."""
    found = []
    for first, last in _split(text, start, end):
        named = _NAMED.match(text, first, last)
        value_start = named.end() if named else first
        found.append(Argument(named[1] if named else None, first, value_start, last, text[value_start:last]))
    return found


def items(text: str, start: int, end: int) -> list[Argument] | None:
    """The items of a mapping `{'a': 1}` between two positions; None if the keys are not literals."""
    if end - start < 2 or text[start] != "{" or text[end - 1] != "}":
        return None
    found = []
    for first, last in _split(text, start + 1, end - 1):
        key = _QUOTED.match(text, first, last)
        if key is None:
            return None
        colon = re.compile(r"\s*:\s*").match(text, key.end(), last)
        if colon is None:
            return None
        name = constant(key[0])
        found.append(Argument(str(name), first, colon.end(), last, text[colon.end() : last]))
    return found


def _split(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """The parts between top-level commas, stripped; empty ones are left out."""
    depth, first, at = 0, start, start
    while at <= end:
        if at == end or (text[at] == "," and depth == 0):
            part = text[first:at]
            if part.strip():
                yield first + len(part) - len(part.lstrip()), first + len(part.rstrip())
            first = at + 1
        elif text[at] in "'\"":
            quoted = _QUOTED.match(text, at, end)
            at = quoted.end() if quoted else end
            continue
        else:
            depth += (text[at] in "([{") - (text[at] in ")]}")
        at += 1


@lru_cache(maxsize=4096)
def expression(code: str) -> nodes.Expr | None:
    """An expression as parsed by jinja2; None if it cannot be."""
    try:
        output = _ENVIRONMENT.parse("{{ " + code + " }}").body[0]
    except jinja2.TemplateError:
        return None
    assert isinstance(output, nodes.Output)
    found = output.nodes[0]
    return found if len(output.nodes) == 1 and isinstance(found, nodes.Expr) else None


def names_only(code: str, names: frozenset[str]) -> bool:
    """Whether an expression is more than a name, and all names in it are among those given."""
    found = expression(code)
    if found is None or isinstance(found, nodes.Name):
        return False
    return {name.name for name in found.find_all(nodes.Name)} <= names


def constant(code: str) -> Any:
    """The value of a literal expression: a string, number, list, mapping; else COMPUTED."""
    found = expression(code)
    if found is None or next(iter(found.find_all((nodes.Name, nodes.Call))), None) or isinstance(found, nodes.Name):
        return COMPUTED
    try:
        return found.as_const()
    except (nodes.Impossible, jinja2.TemplateError):
        return COMPUTED

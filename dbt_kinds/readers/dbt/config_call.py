"""The config() call of a model: its arguments, and edits of them that preserve everything else."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from dbt_kinds.analysis.edits import Edit
from dbt_kinds.readers.dbt.calls import COMPUTED, Argument, arguments, items
from dbt_kinds.readers.dbt.tags import Tag, line_of, tags
from dbt_kinds.writers.jinja import literal

_MACRO_CALL = re.compile(r"(?:\*\*\s*)?(?:\w+\.)?\w+\s*\(.*\)", re.DOTALL)
_CALL = re.compile(r"(?:do\s+)?config\s*\(")


@dataclass(frozen=True)
class ConfigCall:
    """One call: its tag, the positions between its parentheses, and its arguments.

    For `{% set settings = {…} %}` and `config(**settings)` the items are the arguments, `source` is the variable, and
    `beside` has the call's own arguments.
    """

    tag: Tag
    start: int
    end: int
    arguments: tuple[Argument, ...]
    beside: tuple[Argument, ...] = ()
    source: str = ""

    def argument(self, name: str) -> Argument | None:
        """The argument with a name."""
        return next((found for found in (*self.beside, *self.arguments) if found.name == name), None)

    @property
    def values(self) -> dict[str, Any]:
        """The named arguments; COMPUTED for values that are not literals."""
        return {found.name: found.value for found in (*self.arguments, *self.beside) if found.name is not None}


def config_calls(text: str) -> list[ConfigCall]:
    """The calls of config() in a text that are tags of their own."""
    found = []
    for tag in tags(text):
        call = _CALL.match(tag.code) if tag.kind != "comment" else None
        if call is None or not tag.code.endswith(")"):
            continue
        start, end = tag.code_start + call.end(), tag.code_start + len(tag.code) - 1
        given = arguments(text, start, end)
        if len(given) == 1 and given[0].name is None:
            # config({'materialized': …}): one mapping
            given = items(text, given[0].value_start, given[0].end) or given
        spread = [argument for argument in given if argument.name is None and argument.text.startswith("**")]
        if len(spread) == 1:
            placed = _set_items(text, spread[0].text.removeprefix("**").strip())
            if placed is not None:
                beside = tuple(argument for argument in given if argument is not spread[0])
                name = spread[0].text.removeprefix("**").strip()
                found.append(ConfigCall(tag, placed[0], placed[1], tuple(placed[2]), beside, name))
                continue
        found.append(ConfigCall(tag, start, end, tuple(given)))
    return found


def _set_items(text: str, name: str) -> tuple[int, int, list[Argument]] | None:
    """The items of the single mapping assigned to a variable, and the positions between its braces."""
    places = []
    for tag in tags(text):
        if tag.kind == "statement" and (written := re.match(rf"set\s+{re.escape(name)}\s*=\s*(?=\{{)", tag.code)):
            start, end = tag.code_start + written.end(), tag.code_start + len(tag.code)
            given = items(text, start, end)
            if given is not None:
                places.append((start + 1, end - 1, given))
    return places[0] if len(places) == 1 else None


def spread_calls(text: str) -> list[Argument]:
    """The macro calls that a config() spreads or is given as a whole: `**incremental_config('day')`."""
    found = []
    for call in config_calls(text):
        for argument in call.arguments:
            if argument.name is None and _MACRO_CALL.fullmatch(argument.text):
                found.append(argument)
    return found


def line_of_argument(text: str, call: ConfigCall, name: str) -> int:
    """The line of an argument, or of the call if it has no argument with that name."""
    found = call.argument(name)
    return line_of(text, found.start if found is not None else call.tag.start)


def config_edits(
    text: str, call: ConfigCall, materialized: str, removed: set[str], meta: Mapping[str, Any]
) -> list[Edit]:
    """The edits that make a call name a kind and its options in `meta`, and remove the arguments that moved there.

    Raises:
        ValueError: `meta` is given and is not a literal mapping.
    """
    between = _between(text, call)
    quote = '"' if text.count('"', call.start, call.end) > text.count("'", call.start, call.end) else "'"
    edits: list[Edit] = []
    added: list[str] = []
    named = call.argument("materialized")
    if named is None:
        added.append(_written("materialized", materialized, between, quote))
    elif named.value != materialized:
        edits.append(Edit(named.value_start, named.end, _value(materialized, quote)))
    present = call.argument("meta")
    if meta and present is not None and call.source and present.text.strip() == call.source:
        # the call passes the same mapping as meta
        names = {found.name for found in call.arguments}
        if names & set(meta) - removed:
            raise ValueError("its settings have a name of an option already")
        added += [
            _written(name, value, between, quote)
            for name, value in meta.items()
            if name not in names or name in removed
        ]
    elif meta and present is not None:
        edits += _meta_edits(text, present, meta, quote)
    elif meta:
        added.append(_written("meta", dict(meta), between, quote))
    return [*edits, *_exchange(text, call, removed, added)]


def removals(text: str, call: ConfigCall, removed: set[str]) -> list[Edit]:
    """The edits that remove arguments of a call."""
    return list(_exchange(text, call, removed, []))


def renaming(text: str, calls: list[ConfigCall], name: str, renamed: str) -> Iterator[Edit]:
    """The edits that give an argument of the calls another name."""
    for call in calls:
        given = call.argument(name)
        if given is not None:
            at = text.index(name, given.start, given.value_start)
            yield Edit(at, at + len(name), renamed)


def _exchange(text: str, call: ConfigCall, removed: set[str], added: list[str]) -> Iterator[Edit]:
    """Removes arguments, in groups of adjacent ones, and adds others in place of the first group, or at the end."""
    given = call.arguments
    leaving = [at for at, found in enumerate(given) if found.name in removed]
    groups: list[tuple[int, int]] = []
    for at in leaving:
        if groups and groups[-1][1] == at - 1:
            groups[-1] = (groups[-1][0], at)
        else:
            groups.append((at, at))
    for first, last in groups:
        if added:
            yield Edit(given[first].start, given[last].end, _separator(text, call).join(added))
            added = []
        elif last + 1 < len(given):
            yield Edit(given[first].start, given[last + 1].start, "")
        elif first > 0:
            yield Edit(given[first - 1].end, given[last].end, "")
        else:
            yield Edit(given[first].start, given[last].end, "")
    if added and not given:
        yield Edit(call.start, call.start, ", ".join(added))
    elif added:
        separator = _separator(text, call)
        yield Edit(given[-1].end, given[-1].end, "".join(separator + item for item in added))


def _separator(text: str, call: ConfigCall) -> str:
    """The separator between two arguments: that between the last two, or a comma and a newline if each has its own
    line.
    """
    given = call.arguments
    if len(given) > 1:
        between = text[given[-2].end : given[-1].start]
        return between if "\n" in between else ", "
    before = text[call.start : given[0].start]
    # without the brace of a mapping, or a comment
    space = before[len(before.rstrip()) :]
    return "," + space if "\n" in space else ", "


def _meta_edits(text: str, present: Argument, meta: Mapping[str, Any], quote: str) -> list[Edit]:
    given = items(text, present.value_start, present.end)
    if given is None:
        raise ValueError("meta in its config() is no plain mapping")
    edits, added = [], []
    for name, value in meta.items():
        known = next((item for item in given if item.name == name), None)
        if known is None:
            added.append(f"{quote}{name}{quote}: {_value(value, quote)}")
        elif known.value != value or known.value is COMPUTED:
            edits.append(Edit(known.value_start, known.end, _value(value, quote)))
    if not added:
        return edits
    if not given:
        return [*edits, Edit(present.value_start, present.end, "{" + ", ".join(added) + "}")]
    last, before = given[-1], text[text.rfind("\n", 0, given[-1].start) + 1 : given[-1].start]
    if "\n" in text[present.value_start : present.end] and not before.strip():
        start = text[: last.start].rstrip(" \t").removesuffix("\n")
        line_end = "\r\n" if start.endswith("\r") else "\n"
        return [*edits, Edit(last.end, last.end, "".join(f",{line_end}{before}{item}" for item in added))]
    return [*edits, Edit(last.end, last.end, "".join(f", {item}" for item in added))]


def _between(text: str, call: ConfigCall) -> str:
    """The separator between a name and its value: `=`, ` = `, or `: ` if the call is given a mapping."""
    first = next((found for found in call.arguments if found.name is not None), None)
    if first is None or first.name is None:
        return "="
    is_quoted = text[first.start] in "'\""
    return text[first.start + len(first.name) + 2 * is_quoted : first.value_start]


def _written(name: str, value: Any, between: str, quote: str) -> str:
    return f"{quote + name + quote if ':' in between else name}{between}{_value(value, quote)}"


def _value(value: Any, quote: str) -> str:
    text = literal(value)
    # the writer quotes with ' and escapes nothing in strings without it
    return text.replace("'", '"') if quote == '"' and '"' not in text and "\\" not in text else text

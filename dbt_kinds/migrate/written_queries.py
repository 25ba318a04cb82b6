"""Macros of the project that write a query and ask is_incremental() in it: their text takes the place of the call, so
that it is read and edited like the model's own.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace

from jinja2 import nodes

from dbt_kinds.analysis.edits import Edit, edited
from dbt_kinds.errors import UnrenderableError
from dbt_kinds.migrate.conversion import MigrateOptions
from dbt_kinds.migrate.filters import prints_conditions
from dbt_kinds.migrate.reading import asks
from dbt_kinds.migrate.substitution import Template
from dbt_kinds.readers.dbt.blocks import Block, nesting, walk
from dbt_kinds.readers.dbt.calls import arguments, expression
from dbt_kinds.readers.dbt.project import DbtProject, ModelFile
from dbt_kinds.readers.dbt.rendering import Names, Renderer, macro_text, names_in
from dbt_kinds.readers.dbt.tags import Tag, line_of, tags

_CALL = re.compile(r"(?:\w+\.)?(\w+)\s*\((.*)\)", re.DOTALL)
# a comment that prints something, such as what a run was
_COMMENT = re.compile(r"^[ \t]*/\*(?:(?!\*/|\{%).)*\{\{(?:(?!\*/|\{%).)*\*/", re.DOTALL | re.MULTILINE)
_SET = re.compile(r"(?:set|for)\s+(\w+(?:\s*,\s*\w+)*)")
# what only a macro has, and the settings, which are edited
_OF_MACROS = frozenset({"return", "caller", "varargs", "kwargs", "config"})
_MOST_LEVELS = 3


@dataclass(frozen=True)
class Written:
    """A model with the text of macros in place of their calls.

    Attributes:
        steps: the texts that led there, each with the edits that were made in it.
        macros: the macros, by the lines of their calls.
    """

    model: ModelFile
    steps: tuple[tuple[str, list[Edit]], ...] = ()
    macros: Mapping[int, str] | None = None


def with_written_queries(model: ModelFile, project: DbtProject, options: MigrateOptions) -> Written:
    """The model with what macros write of its query as its own text."""
    text = model.text
    steps: list[tuple[str, list[Edit]]] = []
    macros: dict[int, str] = {}
    for _ in range(_MOST_LEVELS):
        found = _first(text, project, options)
        if found is None:
            break
        tag, name, piece = found
        if not steps:
            macros[line_of(text, tag.start)] = name
        edits = [Edit(tag.start, tag.end, piece)]
        steps.append((text, edits))
        text = edited(text, edits)
    if not steps:
        return Written(model)
    return Written(replace(model, text=text), tuple(steps), macros)


def _first(text: str, project: DbtProject, options: MigrateOptions) -> tuple[Tag, str, str] | None:
    """The first call of such a macro, its name, and the text that takes its place."""
    renderer: Renderer | None = None
    context: dict[str, object] = {}
    for tag in tags(text):
        called = _CALL.fullmatch(tag.code) if tag.kind == "expression" else None
        if called is None or called[1] not in project.macros or not asks(tag.code, project):
            continue
        if renderer is None:
            adapter = options.adapter or options.dialect
            renderer = Renderer(project.macros, project.variables, adapter, project.name, Names())
            try:
                context = renderer.render(text)[1]
            except UnrenderableError:
                return None
        if prints_conditions(Template(f"{{{{ {tag.code} }}}}", options.dialect, renderer, context)):
            continue
        piece = _body(text, tag, called, project)
        if piece is not None:
            return tag, called[1], piece
    return None


def _body(text: str, tag: Tag, called: re.Match[str], project: DbtProject) -> str | None:
    """The text of a macro with its parameters set; None if a name in it would mean something else there."""
    file = project.macros[called[1]]
    try:
        macro = macro_text(file, called[1])
    except UnrenderableError:
        return None
    block = next((node for node in nesting(macro) if isinstance(node, Block) and node.word == "macro"), None)
    if block is None or len(block.branches) != 1:
        return None
    branch = block.branches[0]
    given = _given(branch.tag.rest, called[2])
    if given is None:
        return None
    body = _COMMENT.sub("", macro[branch.start : branch.end]).strip()
    inside = set(re.findall(r"\w+", " ".join(one.code for one in tags(body) if one.kind != "comment")))
    try:
        outside = names_in(text[: tag.start] + text[tag.end :])
    except UnrenderableError:
        return None
    is_nested = any(isinstance(node, Block) and node.word in ("macro", "call") for node in walk(nesting(body)))
    # names that the macro sets, and names of the model that its text would see
    own = {*given, *(name for one in tags(body) if one.kind == "statement" for name in _names_set(one))}
    seen = {name for one in tags(text) if one.kind == "statement" for name in _names_set(one)} - set(given)
    seen |= {name for one in nesting(file) if isinstance(one, Tag) for name in _names_set(one)}
    passed = {name: value for name, value in given.items() if value != name}
    if is_nested or inside & (_OF_MACROS | seen) or outside & own - (set(given) - set(passed)):
        return None
    # each is set after those before it
    if any(_names_of(value) & set(passed) for value in passed.values()):
        return None
    lines = [f"{{% set {name} = {value} %}}" for name, value in passed.items() if name in inside]
    return "\n".join([*lines, body])


def _names_set(tag: Tag) -> list[str]:
    found = _SET.match(tag.code)
    return re.findall(r"\w+", found[1]) if found is not None else []


def _names_of(code: str) -> set[str]:
    found = expression(code)
    return {name.name for name in found.find_all(nodes.Name)} | {code} if found is not None else {code}


def _given(signature: str, call: str) -> dict[str, str] | None:
    """What a call gives to each parameter of a macro, as written; None if it gives something else."""
    opening = signature.find("(")
    if opening < 0 or not signature.endswith(")"):
        return None
    parameters = arguments(signature, opening + 1, len(signature) - 1)
    given = arguments(call, 0, len(call))
    found = {}
    for at, parameter in enumerate(parameters):
        name = parameter.name or parameter.text.strip()
        placed = given[at] if at < len(given) and given[at].name is None else None
        named = next((one for one in given if one.name == name), None)
        value = named or placed or (parameter if parameter.name else None)
        found[name] = value.text.strip() if value is not None else "none"
    unnamed = [one for one in given if one.name is None]
    if len(unnamed) > len(parameters) or any(one.text.startswith("*") for one in given):
        return None
    return found if all(one.name is None or one.name in found for one in given) else None

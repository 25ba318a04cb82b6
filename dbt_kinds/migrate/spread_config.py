"""config() that is given what a macro of the project returns, or the value of a variable: it is written out, so that it
can be read and edited.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from dbt_kinds.analysis.edits import Edit, edited
from dbt_kinds.codes import MigrateCode
from dbt_kinds.errors import Left, MigrationNote, UnrenderableError
from dbt_kinds.migrate.conversion import MigrateOptions
from dbt_kinds.migrate.reading import unknown_calls
from dbt_kinds.readers.dbt.calls import COMPUTED, Argument, constant
from dbt_kinds.readers.dbt.config_call import spread_calls
from dbt_kinds.readers.dbt.project import DbtProject, ModelFile
from dbt_kinds.readers.dbt.rendering import NAME, Names, Renderer
from dbt_kinds.readers.dbt.tags import line_of, tags
from dbt_kinds.writers.jinja import literal

_DECIDING = frozenset({"materialized", "incremental_strategy", "unique_key"})
_WHOLE = ("table", "view", "ephemeral")
_OF_TARGET = _DECIDING | {"partition_by"}
_AS_BOOL = re.compile(r"\|\s*as_(?:bool|native)\b(?:\(\))?")
_VARIABLE = re.compile(r"""var\(\s*(['"])(?P<name>\w+)\1\s*(?:,\s*(?:default\s*=\s*)?(?P<default>[^()]*?))?\s*\)""")


def with_plain_config(
    model: ModelFile, project: DbtProject, options: MigrateOptions
) -> tuple[ModelFile, list[MigrationNote]]:
    """The model with what macros and variables give to its config() as plain arguments, and notes on them.

    Raises:
        Left (ComputedConfig): a macro returns something else than a mapping of literals.
    """
    edits, notes = [], []
    for argument in spread_calls(model.text):
        call = argument.text.removeprefix("**").strip()
        given, others = _of_incremental([_returned(call, project, options, answer) for answer in (False, True)])
        line = line_of(model.text, argument.start)
        if given is None:
            raise Left(
                MigrateCode.ComputedConfig,
                f"`{call[:80]}` gives config() what only a run knows; write it out",
                line=line,
            )
        edits.append(
            Edit(argument.start, argument.end, ", ".join(f"{name}={literal(value)}" for name, value in given.items()))
        )
        name = call.split("(")[0].strip()
        notes.append(
            MigrationNote(MigrateCode.ConfigWritten, f"what {name} returns is written out: {', '.join(given)}")
        )
        if others is not None:
            notes.append(
                MigrationNote(
                    MigrateCode.ConfigWritten,
                    f"for other targets {name} returns materialized={literal(others['materialized'])}, which is lost",
                )
            )
    for argument, variable, value in _variables(model, project):
        edits.append(Edit(argument.value_start, argument.end, literal(value)))
        notes.append(
            MigrationNote(
                MigrateCode.ConfigWritten,
                f"{argument.name} was the variable {variable}, whose value here is {literal(value)}: given to --vars "
                "it has no effect any more",
            )
        )
    for argument, value, other in _of_target(model, project, options):
        edits.append(Edit(argument.value_start, argument.end, literal(value)))
        lost = f", and {literal(other)} for other targets, which is lost" if other is not None else ""
        notes.append(
            MigrationNote(
                MigrateCode.ConfigWritten,
                f"{argument.name} was computed, and is written out as it is"
                f"{f' for {options.adapter}' if options.adapter else ''}: {literal(value)}{lost}",
            )
        )
    if not edits:
        return model, []
    text = edited(model.text, edits)
    return replace(model, text=text), notes


def _variables(model: ModelFile, project: DbtProject) -> Iterator[tuple[Argument, str, str]]:
    """The arguments that decide about loading and are a variable with a value in the project, with both."""
    for call in model.calls:
        for argument in (*call.arguments, *call.beside):
            asked = _VARIABLE.fullmatch(argument.text.strip()) if argument.name in _DECIDING else None
            if asked is None:
                continue
            value = project.variables.get(asked["name"], constant(asked["default"] or "none"))
            if isinstance(value, str) and value:
                yield argument, asked["name"], value


def _of_target(model: ModelFile, project: DbtProject, options: MigrateOptions) -> Iterator[tuple[Argument, Any, Any]]:
    """The arguments that decide about loading and depend on nothing but the target and what the template sets, with
    their values, and a materialization with that of other targets, where it is none that loads in parts.
    """
    for call in model.calls:
        # what is set before the call, such as the name of a key
        before = "".join(model.text[tag.start : tag.end] for tag in tags(model.text) if tag.end <= call.tag.start)
        for argument in (*call.arguments, *call.beside):
            if argument.name not in _OF_TARGET or argument.value is not COMPUTED:
                continue
            template = f"{before}{{% set kinds_given = {argument.text} %}}"
            value, is_decided = _given(template, project, options, answer=False)
            other, _ = _given(template, project, options, answer=True)
            if is_decided and value is not COMPUTED:
                yield argument, value, None
            elif argument.name != "materialized" or not _asks_target_alone(argument.text, project, options):
                continue
            elif other == "incremental" and value in _WHOLE:
                yield argument, other, value
            elif value == "incremental" and other in _WHOLE:
                yield argument, value, other


def _asks_target_alone(code: str, project: DbtProject, options: MigrateOptions) -> bool:
    """Whether nothing but the target can decide what an expression is: it calls no macro that is not known here."""
    return options.adapter is not None and not any(unknown_calls(f"{{{{ {code} }}}}", project))


def _given(template: str, project: DbtProject, options: MigrateOptions, *, answer: bool) -> tuple[Any, bool]:
    """What a template sets, COMPUTED if that is not known, and whether no condition is left to a run.

    Args:
        answer: that to conditions that only a run can decide.
    """
    names = Names(answer=answer)
    adapter = options.adapter or options.dialect
    renderer = Renderer(project.macros, project.variables, adapter, project.name, names, target=options.adapter)
    try:
        value = renderer.render(template)[1].get("kinds_given", COMPUTED)
    except UnrenderableError:
        return COMPUTED, False
    is_known = _is_plain(value) and not names.asked and not NAME.search(str(value))
    return value if is_known else COMPUTED, not names.undecided


def is_disabled(model: ModelFile, project: DbtProject, options: MigrateOptions) -> bool:
    """Whether a model is disabled for all targets of the adapter."""
    given = model.config.get("enabled")
    own = [found.text for call in model.calls if (found := call.argument("enabled")) is not None]
    given = f"{{{{ {own[0]} }}}}" if own else given
    if options.adapter is None or not isinstance(given, str):
        return False
    names = Names()
    renderer = Renderer(project.macros, project.variables, options.adapter, project.name, names, target=options.adapter)
    try:
        said = renderer.render(_AS_BOOL.sub("", given))[0]
    except UnrenderableError:
        return False
    return said.strip().lower() == "false" and not names.asked and not names.undecided


def _of_incremental(
    given: list[dict[str, Any] | None],
) -> tuple[dict[str, Any] | None, dict[str, Any] | None]:
    """What a macro returns for each answer to what a run decides: one, or that of incremental models and the other."""
    if given[0] == given[1]:
        return given[0], None
    found = [one for one in given if one is not None and one.get("materialized") == "incremental"]
    others = [one for one in given if one is not None and one.get("materialized") in ("view", "table", "ephemeral")]
    return (found[0], others[0]) if found and others else (None, None)


def _returned(call: str, project: DbtProject, options: MigrateOptions, answer: bool) -> dict[str, Any] | None:
    """What a macro of the project returns, if it is a mapping of literals.

    Args:
        answer: that to conditions that only a run can decide.
    """
    name = call.split("(")[0].strip()
    if name.removeprefix(f"{project.name}.") not in project.macros:
        return None
    names = Names(answer=answer)
    adapter = options.adapter or options.dialect
    renderer = Renderer(project.macros, project.variables, adapter, project.name, names)
    try:
        value = renderer.render(f"{{% set kinds_given = {call} %}}")[1].get("kinds_given")
    except UnrenderableError:
        return None
    is_plain = isinstance(value, dict) and not names.asked and all(map(_is_plain, value.values()))
    return {str(key): item for key, item in value.items()} if is_plain and isinstance(value, dict) else None


def _is_plain(value: Any) -> bool:
    if isinstance(value, list | tuple):
        return all(map(_is_plain, value))
    if isinstance(value, dict):
        return all(map(_is_plain, value.values()))
    return value is None or type(value) in (str, int, float, bool)

"""Settings that the query itself reads, `config.get('unique_key')`: those that move are written out in it."""

from __future__ import annotations

import re
from collections.abc import Iterator

from dbt_kinds.analysis.edits import Edit, edited
from dbt_kinds.codes import MigrateCode
from dbt_kinds.errors import Left
from dbt_kinds.migrate.conversion import Conversion
from dbt_kinds.migrate.reading import called_in, macros_reached
from dbt_kinds.readers.dbt.config_call import config_calls
from dbt_kinds.readers.dbt.project import DbtProject, ModelFile
from dbt_kinds.readers.dbt.tags import Tag, line_of, tags
from dbt_kinds.writers.jinja import literal

_READ = re.compile(r"\bconfig\s*\.\s*(?:get|require)\(\s*(['\"])(\w+)\1\s*(?:,[^()]*)?\)")
_OF_MODEL = re.compile(r"\bmodel\s*(?:\.\s*config|\[\s*['\"]config['\"]\s*\])")


def with_read_settings(text: str, model: ModelFile, conversion: Conversion, project: DbtProject) -> str:
    """A converted text with the settings in it that it reads and no longer has.

    Raises:
        Left (ComputedConfig): a macro reads one, or it is no plain value.
    """
    gone = conversion.removed | {"materialized"}
    calls = {call.tag.start for call in config_calls(text)}
    edits: list[Edit] = []
    for tag in tags(text):
        if tag.kind == "comment":
            continue
        macro = next(_readers(tag, project, gone), None)
        read = [found for found in _READ.finditer(tag.code) if found[2] in gone]
        values = [model.config.get(found[2]) for found in read]
        is_plain = all(isinstance(value, str | int | float) for value in values) and not (read and tag.start in calls)
        if macro is not None or _OF_MODEL.search(tag.code) or not is_plain:
            asked = f"the macro {macro} asks" if macro is not None else "the query asks"
            raise Left(
                MigrateCode.ComputedConfig,
                f"{asked} config() for a setting that a kind has elsewhere; write its value out, or pass it",
                line=line_of(text, tag.start),
            )
        edits += [
            Edit(tag.code_start + found.start(), tag.code_start + found.end(), literal(value))
            for found, value in zip(read, values, strict=True)
        ]
    return edited(text, edits)


def _readers(tag: Tag, project: DbtProject, gone: set[str]) -> Iterator[str]:
    """The macros of the project that a tag calls, directly or through others, and that read a setting that is gone."""
    for name, body in macros_reached(called_in(tag.code, project), project):
        if any(found[2] in gone for found in _READ.finditer(body)):
            yield name

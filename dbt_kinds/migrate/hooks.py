"""A model's hooks: those that write may decide what is loaded, in their own text or by a macro."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

from dbt_kinds.codes import MigrateCode
from dbt_kinds.errors import Left
from dbt_kinds.migrate.reading import called_in, macros_reached, unknown_calls
from dbt_kinds.readers.dbt.project import DbtProject, ModelFile
from dbt_kinds.readers.dbt.tags import tags

_HOOKS = ("pre_hook", "pre-hook", "post_hook", "post-hook")
_WRITES = re.compile(
    r"\b(insert\s+(into|overwrite)|update\s+\S+\s+set|merge\s+into|delete\s+from|truncate(_relation)?|drop_relation\w*"
    r"|drop\s+(if\s+exists\s+)?partition)\b",
    re.IGNORECASE,
)
_THIS = re.compile(r"\bthis\b")
_QUOTED = re.compile(r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"", re.DOTALL)
_TAG = re.compile(r"\{[{%#].*?[}%#]\}", re.DOTALL)


def check_hooks(model: ModelFile, project: DbtProject, line: int, own: Collection[str] = ()) -> None:
    """Checks that no hook of a model writes.

    Args:
        own: those whose text in the file itself is known to be a deletion.

    Raises:
        Left (OwnStateTable): one does, a macro that it calls does, or nothing is known of a macro that it gives the
            table to.
    """
    for hook in _HOOKS:
        texts = list(_texts(model, hook, own=hook not in own))
        for text in texts:
            told = _told(text)
            if told:
                raise Left(MigrateCode.OwnStateTable, f"its {hook} {told}", line=line)
        for code in (code for text in texts for code in _code(text)):
            for called in _unknown(code, project) if _THIS.search(_QUOTED.sub("", code)) else ():
                raise Left(
                    MigrateCode.OwnStateTable,
                    f"its {hook} gives the table to {called}, a macro that is not in the project; it may write to it",
                    line=line,
                )
            for called in called_in(_QUOTED.sub("''", code), project):
                told = _told_of_macro(called, project)
                if told:
                    raise Left(
                        MigrateCode.OwnStateTable, f"its {hook} calls the macro {called}, which {told}", line=line
                    )


def _told(text: str) -> str:
    """What a hook does that it must not do in a kind; '' for nothing."""
    found = _WRITES.search(text)
    if found is not None:
        return f"writes by `{' '.join(found[0].lower().split())}`; what it writes may decide what is loaded"
    return "asks is_incremental(), which is always false in a kind" if "is_incremental" in text else ""


def _texts(model: ModelFile, hook: str, *, own: bool) -> Iterator[str]:
    """What is set for a hook, in the file itself and elsewhere: dbt runs the hooks of all places."""
    for call in model.calls if own else ():
        argument = call.argument(hook)
        if argument is not None:
            name = argument.text.strip()
            yield name
            # a variable that a statement sets
            sets = re.compile(rf"set\s+{name}\b") if name.isidentifier() else None
            yield from (tag.code for tag in tags(model.text) if sets is not None and sets.match(tag.code))
    for config in (model.inherited, model.properties.config, model.manifest_config):
        yield str(config.get(hook) or "")


def _code(text: str) -> Iterator[str]:
    """The Jinja in a hook's text: in its tags, and what is neither in a tag nor quoted."""
    yield from (tag.code for tag in tags(text) if tag.kind != "comment")
    yield _TAG.sub("", _QUOTED.sub("", text))


def _unknown(code: str, project: DbtProject) -> Iterator[str]:
    """The macros that a tag calls and that neither the project nor a well-known package has."""
    for called, _ in unknown_calls("{{ " + code.removeprefix("set ") + " }}", project):
        if not called.startswith("this."):
            yield called


def _told_of_macro(name: str, project: DbtProject) -> str:
    """What a macro of the project, or one that it calls, does that a hook of a kind must not do; '' for nothing."""
    for _, body in macros_reached([name], project):
        told = _told(body)
        if told:
            return told
        names = " ".join(tag.code for tag in tags(body) if tag.word in ("macro", "set", "for"))
        for called, _ in unknown_calls(body, project):
            # dbt's own macros and methods of variables aside
            if "." in called and called.split(".")[0] not in {"this", *re.findall(r"\w+", names)}:
                return f"calls {called}, which is not in the project; it may write to the table"
    return ""

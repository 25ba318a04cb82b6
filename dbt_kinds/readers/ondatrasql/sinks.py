"""Skeletons of the functions that send changes."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from dbt_kinds.diagnostics import Place
from dbt_kinds.kinds import ProjectFile

_FRAME = '''\
"""Sends changes of {models}. Delete the line above this one once the function is written."""


def push(changes, *args):
    """Sends one batch.

    Args:
        changes: each has `id`, `type` (`insert`, `update`, `delete`), `key`, `row` (the new row) and `old`.
        args: what @sink says{args}.

    Returns:
        a status for each id: `ok`, `warn: …`, `error: …` (again later) or `reject: …` (never again).
    """
    raise NotImplementedError("sinks/{function}.py: write what lib/{function}.star did")
'''


def sink_files(models: Iterable[tuple[str, Place, dict[str, Any]]]) -> list[ProjectFile]:
    """A skeleton per function, from the models that name it: name, place, and `meta.sink`."""
    named: dict[str, list[tuple[str, Place, dict[str, Any]]]] = {}
    for model in models:
        named.setdefault(str(model[2]["function"]), []).append(model)
    files = []
    for function, users in sorted(named.items()):
        args = users[0][2].get("args")
        text = _FRAME.format(
            models=", ".join(name for name, _, _ in users),
            function=function,
            args=f", here {', '.join(map(repr, args))}" if args else "",
        )
        files.append(ProjectFile(f"sinks/{function}.py", text, users[0][1]))
    return files

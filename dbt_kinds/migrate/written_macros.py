"""Macros of the project that write a part of the query with a watermark in it: they are written out."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping

from dbt_kinds.analysis.edits import Edit
from dbt_kinds.errors import UnrenderableError
from dbt_kinds.readers.dbt.rendering import NAME, Renderer
from dbt_kinds.readers.dbt.tags import tags

_CALL = re.compile(r"(\w+)\s*\(.*\)", re.DOTALL)
_READ = re.compile(r"\b(?:from|join)\s+(\w+)", re.IGNORECASE)


def with_written_macros(
    text: str, macros: Collection[str], renderer: Renderer, context: Mapping[str, object], watermarks: Collection[str]
) -> list[Edit]:
    """The edits that write out the calls of macros whose text reads one of some CTEs."""
    edits = []
    for tag in tags(text):
        called = _CALL.fullmatch(tag.code) if tag.kind == "expression" else None
        if called is None or called[1] not in macros:
            continue
        written = _plain_text(tag.code, renderer, context)
        if written is not None and any(name.lower() in watermarks for name in _READ.findall(written)):
            edits.append(Edit(tag.start, tag.end, written.strip()))
    return edits


def _plain_text(call: str, renderer: Renderer, context: Mapping[str, object]) -> str | None:
    """What a call writes, if that is the same in each run; None if it is not, or if a name in it has no text here."""
    said = []
    try:
        for renderer.incremental in (False, True):
            said.append(renderer.render(f"{{{{ {call} }}}}", **context)[0])
    except UnrenderableError:
        return None
    finally:
        renderer.incremental = True
    return said[0] if said[0] == said[1] and not NAME.search(said[0]) else None

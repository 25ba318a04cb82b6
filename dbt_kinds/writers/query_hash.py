"""The hash that ties a proof to its query; the macro `query_hash` gives the same."""

from __future__ import annotations

import hashlib
import re

# matches a call of config(), whatever its strings contain
_CONFIGURATION = re.compile(
    r"""(?s)\{[{%]-?\s*(?:do\s+)?config\s*\((?:[^'"]|'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")*?\)\s*-?[%}]\}"""
)


def query_hash(text: str) -> str:
    """The MD5 of a model's query, given its file or the part after its configuration.

    Calls of config(), comment lines before the query, blank lines and spaces at line ends do not count. MD5 because
    dbt's macros only have `local_md5`; it is not used for security.
    """
    lines: list[str] = []
    for line in _CONFIGURATION.sub("", text).splitlines():
        if line.strip() and (lines or not line.strip().startswith("--")):
            lines.append(line.rstrip())
    return hashlib.md5("\n".join(lines).encode(), usedforsecurity=False).hexdigest()

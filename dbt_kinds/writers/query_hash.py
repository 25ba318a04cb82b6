"""The hash that binds what was proven to the query it was proven of."""

from __future__ import annotations

import hashlib


def query_hash(text: str) -> str:
    """The MD5 of a query as it stands in the dbt model behind its configuration; blank lines and spaces at line ends do
    not count. MD5 because dbt's macros have `local_md5` and nothing else; nobody is kept out by it.
    """
    lines = [line.rstrip() for line in text.splitlines() if line.strip()]
    return hashlib.md5("\n".join(lines).encode(), usedforsecurity=False).hexdigest()

"""Keys of a configuration that do not exist."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

from dbt_kinds.codes import CheckCode
from dbt_kinds.diagnostics import Diagnostic


def unknown_key(code: CheckCode, key: str, known: Iterable[str], where: str, path: str, line: int) -> Diagnostic:
    """An unknown key, with the most similar known one."""
    names = sorted(known)
    near = difflib.get_close_matches(key.lower(), names, n=1, cutoff=0.5)
    advice = f"write {near[0]}" if near else f"it knows {', '.join(names)}"
    return Diagnostic.of(code, f"{where} has no key '{key}'; {advice}", path, line)

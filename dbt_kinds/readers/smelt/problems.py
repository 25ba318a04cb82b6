"""What is wrong with a project's configuration; collected, so that one never hides another."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True)
class Problem:
    """A named error and where it stands."""

    code: str
    message: str
    path: str
    line: int


def unknown_key(code: str, key: str, known: Iterable[str], where: str, path: str, line: int) -> Problem:
    """A key that means nothing, with the nearest that does."""
    names = sorted(known)
    near = difflib.get_close_matches(key.lower(), names, n=1, cutoff=0.5)
    advice = f"write {near[0]}" if near else f"it knows {', '.join(names)}"
    return Problem(code, f"{where} has no key '{key}'; {advice}", path, line)

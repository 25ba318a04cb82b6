"""Errors in a project's configuration, which are collected so that none hides another."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True)
class Problem:
    """A named error and its place."""

    code: str
    message: str
    path: str
    line: int


def unknown_key(code: str, key: str, known: Iterable[str], where: str, path: str, line: int) -> Problem:
    """An unknown key, with the most similar known one."""
    names = sorted(known)
    near = difflib.get_close_matches(key.lower(), names, n=1, cutoff=0.5)
    advice = f"write {near[0]}" if near else f"it knows {', '.join(names)}"
    return Problem(code, f"{where} has no key '{key}'; {advice}", path, line)

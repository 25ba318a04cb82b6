"""Diffs that `git apply` takes."""

from __future__ import annotations

import difflib


def file_diff(old: str, new: str, path: str, *, is_new: bool = False) -> str:
    """A unified diff of one file, with git's headers for a new file and its marker for a missing final newline."""
    if old == new:
        return ""
    lines = difflib.unified_diff(_lines(old), _lines(new), "/dev/null" if is_new else f"a/{path}", f"b/{path}")
    parts = [f"diff --git a/{path} b/{path}\n"]
    if is_new:
        parts.append("new file mode 100644\n")
    for line in lines:
        parts.append(line if line.endswith("\n") else line + "\n\\ No newline at end of file\n")
    return "".join(parts)


def _lines(text: str) -> list[str]:
    """Lines as git counts them: terminated by a line feed and nothing else."""
    parts = text.split("\n")
    return [part + "\n" for part in parts[:-1]] + ([parts[-1]] if parts[-1] else [])

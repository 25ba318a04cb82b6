"""Queries git about the tree that files would be written into."""

from __future__ import annotations

import subprocess
from pathlib import Path


def changed_files(folder: Path) -> list[str]:
    """Files of a folder with uncommitted changes; empty if the folder is not in a git tree."""
    asked = ["git", "-C", str(folder), "status", "--porcelain", "--", "."]
    try:
        said = subprocess.run(asked, capture_output=True, text=True, check=False)
    except FileNotFoundError:
        return []
    return [line[3:] for line in said.stdout.splitlines() if line.strip()] if said.returncode == 0 else []


def committed_text(file: Path, revision: str = "HEAD") -> str | None:
    """A file as of a revision; None if git does not have it."""
    asked = ["git", "-C", str(file.parent), "show", f"{revision}:./{file.name}"]
    try:
        said = subprocess.run(asked, capture_output=True, check=False)
    except FileNotFoundError:
        return None
    return said.stdout.decode("utf-8") if said.returncode == 0 else None

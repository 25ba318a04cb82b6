"""Lands files atomically: they are written under a hidden name, synced, renamed, and synced again with their folder."""

from __future__ import annotations

import asyncio
import os
import time
import uuid
from collections.abc import Sequence
from datetime import datetime, timezone
from pathlib import Path

_MAKING = ".kinds-making-"
_HOUR = 3600.0


def prepare_folder(root: Path, address: str) -> Path:
    """Creates a target's folder below the landing folder and removes incomplete files of dead collectors.

    Such files were never acknowledged. Files younger than an hour may belong to another collector.
    """
    folder = root
    for part in address.split("/"):
        folder = folder / part
        if not folder.is_dir():
            folder.mkdir(parents=True, exist_ok=True)
            sync_folder(folder.parent)
    for left in folder.glob(f"{_MAKING}*"):
        if time.time() - left.stat().st_mtime > _HOUR:
            left.unlink(missing_ok=True)
    return folder


def land(folder: Path, lines: Sequence[str]) -> Path:
    """Writes lines as one new file, which is durably on disk under its name when this returns.

    Raises:
        OSError: it may not be on disk. The incomplete file is removed.
    """
    name = f"{datetime.now(timezone.utc):%Y%m%dT%H%M%S%f}-{uuid.uuid4().hex}.jsonl"
    making, landed = folder / f"{_MAKING}{name}", folder / name
    try:
        with making.open("w", encoding="utf-8", newline="\n") as file:
            file.writelines(f"{line}\n" for line in lines)
            file.flush()
            os.fsync(file.fileno())
        making.rename(landed)
    except OSError:
        making.unlink(missing_ok=True)
        raise
    sync_folder(folder)
    return landed


def sync_folder(folder: Path) -> None:
    """Makes the names in a folder durable against a crash of the machine."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


class GroupedLanding:
    """Lands lines that arrive within a short time as one file of a folder."""

    def __init__(self, folder: Path, seconds: float) -> None:
        """`seconds` is how long the first line of a file waits for others."""
        self.folder = folder
        self._seconds = seconds
        self._lines: list[str] = []
        self._group: asyncio.Task[None] | None = None

    async def land(self, line: str) -> None:
        """Returns when the line is on disk; raises OSError if it may not be."""
        self._lines.append(line)
        if self._group is None:
            self._group = asyncio.create_task(self._land_group())
        # a sender that hangs up must not affect the others
        await asyncio.shield(self._group)

    async def _land_group(self) -> None:
        await asyncio.sleep(self._seconds)
        lines, self._lines, self._group = self._lines, [], None
        await asyncio.to_thread(land, self.folder, lines)

"""Evaluates a config.py by running it in a process of its own, which is done on request only."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from dbt_kinds.codes import CompileCode
from dbt_kinds.errors import CompileError

_SECONDS = 60


def run_config(path: Path) -> dict[str, Any]:
    """What a config.py evaluates to: `{settings, computed, defaulted, unset}`.

    `settings` are those of the file, with placeholders for variables of the environment; `computed` names settings that
    only the tool itself knows, `defaulted` variables of the environment whose default is used, and `unset` those that
    decide something and were taken as not set.

    Raises:
        CompileError: it fails, or does not end (BadConfig).
    """
    command = [sys.executable, "-m", "dbt_kinds.readers.sqlmesh.config_process", str(path)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=_SECONDS)
    except subprocess.TimeoutExpired as error:
        raise CompileError(CompileCode.BadConfig, f"did not end within {_SECONDS} seconds", path.name, 1) from error
    if done.returncode != 0:
        message = f"fails when it is run: {_error(done.stderr)}"
        raise CompileError(CompileCode.BadConfig, message, path.name, _line(done.stderr, path))
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def _error(trace: str) -> str:
    """The first line of the error that a traceback ends with."""
    lines = trace.strip().splitlines() or ["it ended without a message"]
    behind = next((number for number in range(len(lines), 0, -1) if lines[number - 1].startswith("  ")), 0)
    return (lines[behind:] or lines[-1:])[0]


def _line(trace: str, path: Path) -> int:
    """The last line of the file that a traceback names."""
    lines = [part.split(",")[0] for part in trace.split(f'{path.name}", line ')[1:]]
    return int(lines[-1].split()[0]) if lines else 1

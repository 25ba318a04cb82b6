"""Virtual environments for tests whose packages differ from those of this one."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path


def own_venv(folder: Path, packages: Sequence[str]) -> Path:
    """Makes a virtual environment with these packages, written as pip's arguments, and returns its Python."""
    subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True)
    python = folder / "bin" / "python"
    subprocess.run([str(python), "-m", "pip", "install", "--quiet", *packages], check=True)
    return python

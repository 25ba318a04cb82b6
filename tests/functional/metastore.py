"""A Hive metastore in a process of its own, as servers have it. One inside of a server opens its database anew for each new session, for seconds each (measured)."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from dbt_kinds.local.java import use_java_17
from dbt_kinds.local.profile import spark_home
from tests.collector import free_port

STARTS_WITHIN = 120.0
HOST = "127.0.0.1"
HADOOP = "spark.hadoop."
# what a metastore inside of Spark is told by Spark
DEFAULTS = {"datanucleus.schema.autoCreateAll": "true", "hive.metastore.schema.verification": "false"}


@contextmanager
def hive_metastore(folder: Path, settings: Mapping[str, str]) -> Iterator[str]:
    """Starts a metastore with those of Spark's `settings` that are a metastore's, waits until it answers, and kills it at the end.

    Yields its address. One that does not start shows its log.
    """
    use_java_17()
    port = free_port()
    log = folder / "metastore.log"
    with log.open("w") as output:
        process = subprocess.Popen(
            _command(folder, port, settings), stdout=output, stderr=subprocess.STDOUT, cwd=folder,
            start_new_session=True,
        )  # fmt: skip
    try:
        wait_for_port(process, port, "metastore", log)
        yield f"thrift://{HOST}:{port}"
    finally:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def wait_for_port(process: subprocess.Popen[bytes], port: int, name: str, log: Path) -> None:
    """Waits until a process that was started listens."""
    deadline = time.monotonic() + STARTS_WITHIN
    while process.poll() is None and time.monotonic() < deadline:
        try:
            socket.create_connection((HOST, port), timeout=5).close()
            return
        except ConnectionRefusedError:
            time.sleep(0.2)
    raise AssertionError(f"no {name} within {STARTS_WITHIN:.0f} s; its log:\n{log.read_text()[-20000:]}")


def _command(folder: Path, port: int, settings: Mapping[str, str]) -> list[str]:
    given = {name.removeprefix(HADOOP): value for name, value in settings.items() if name.startswith(HADOOP)}
    given = DEFAULTS | {
        name: value
        for name, value in given.items()
        if name.startswith(("hive.metastore.", "javax.jdo.", "datanucleus."))
    }
    options = [word for name, value in given.items() for word in ("--hiveconf", f"{name}={value}")]
    java = os.environ.get("JAVA_HOME")
    return [
        str(Path(java) / "bin" / "java") if java else "java", "-Xmx1g", "-XX:+UseSerialGC",
        f"-Dderby.stream.error.file={folder / 'derby.log'}",
        # Spark has no library for it
        "-Dhive.async.log.enabled=false", "-cp", str(spark_home() / "jars" / "*"),
        "org.apache.hadoop.hive.metastore.HiveMetaStore", "-p", str(port), *options,
        "--hiveconf", "hive.async.log.enabled=false",
    ]  # fmt: skip

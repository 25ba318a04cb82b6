"""A standalone Spark cluster of the test run's own: a master and workers of one core each, on this machine."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from dbt_kinds.local.jars import format_settings
from dbt_kinds.local.java import use_java_17
from dbt_kinds.local.profile import spark_home
from tests.collector import free_port
from tests.functional.metastore import HOST

STARTS_WITHIN = 60.0


class Cluster:
    """A master and its workers. What a driver needs to use it is in `settings`."""

    def __init__(self, folder: Path) -> None:
        use_java_17()
        self._folder = folder
        self._processes: dict[str, subprocess.Popen[bytes]] = {}
        port = free_port()
        self.url = f"spark://{HOST}:{port}"
        self._start("master", "master.Master", "--host", HOST, "--port", str(port), "--webui-port", "0")
        self._wait_for("master", "I have been elected leader")

    @property
    def settings(self) -> dict[str, str]:
        """Settings of Spark for a driver on this cluster, which takes all of its cores."""
        return {
            "spark.master": self.url,
            "spark.executor.cores": "1",
            "spark.executor.memory": "1g",
            "spark.executor.extraClassPath": format_settings("iceberg")["spark.jars"],
            "spark.driver.host": HOST,
            "spark.driver.bindAddress": HOST,
            # half of what is written is seen by the other worker
            "spark.sql.shuffle.partitions": "2",
        }

    def start_worker(self, name: str) -> None:
        """Starts a worker and waits until the master knows it."""
        words = ("--host", HOST, "--cores", "1", "--memory", "1g", "--webui-port", "0")
        self._start(name, "worker.Worker", *words, "--work-dir", str(self._folder / name), self.url)
        self._wait_for(name, "Successfully registered with master")

    def kill(self, name: str) -> None:
        """kill -9 of a worker and of the executors that it started, or of the `master`."""
        process = self._processes.pop(name)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()

    def close(self) -> None:
        """kill -9 of all that still runs."""
        for name in list(self._processes):
            self.kill(name)

    def _start(self, name: str, main: str, *words: str) -> None:
        # a group of its own can be killed whole
        with (self._folder / f"{name}.log").open("w") as log:
            self._processes[name] = subprocess.Popen(
                [str(spark_home() / "bin" / "spark-class"), f"org.apache.spark.deploy.{main}", *words],
                stdout=log, stderr=subprocess.STDOUT, cwd=self._folder, start_new_session=True,
                env=os.environ | {"SPARK_HOME": str(spark_home()), "SPARK_LOCAL_IP": HOST},
            )  # fmt: skip

    def _wait_for(self, name: str, words: str) -> None:
        deadline = time.monotonic() + STARTS_WITHIN
        log = self._folder / f"{name}.log"
        while words not in log.read_text():
            if self._processes[name].poll() is not None or time.monotonic() > deadline:
                raise AssertionError(f"no {name} within {STARTS_WITHIN:.0f} s; its log:\n{log.read_text()[-20000:]}")
            time.sleep(0.1)


@contextmanager
def spark_cluster(folder: Path) -> Iterator[Cluster]:
    """A cluster with two workers, `one` and `two`, which is killed at the end."""
    cluster = Cluster(folder)
    try:
        for name in ("one", "two"):
            cluster.start_worker(name)
        yield cluster
    finally:
        cluster.close()

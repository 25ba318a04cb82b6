"""A Spark Thrift server of the test run's own: many sessions, and many dbt processes, on one metastore."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from pyhive import hive

from dbt_kinds.local.java import use_java_17
from dbt_kinds.local.profile import spark_home, spark_settings
from tests.collector import free_port
from tests.functional.formats import table_format
from tests.functional.metastore import HADOOP, HOST, hive_metastore, wait_for_port
from tests.functional.project import Project


class ThriftServer:
    """A server that runs: where it listens, and questions to it."""

    def __init__(self, port: int) -> None:
        self.port = port

    def connect(self) -> hive.Connection:
        """A connection, which is a Spark session of its own."""
        return hive.connect(HOST, self.port, username="dbt")

    def profile(self, threads: int) -> dict[str, Any]:
        """A `profiles.yml`, as data, with one target for this server."""
        # polls last until a statement ends, five seconds at most; only then does dbt-spark sleep, for whole seconds
        target = {
            "type": "spark", "method": "thrift", "host": HOST, "port": self.port, "user": "dbt",
            "schema": "unused", "threads": threads, "poll_interval": 1,
        }  # fmt: skip
        return {"local": {"target": "local", "outputs": {"local": target}}}


class ThriftProject(Project):
    """A project whose dbt commands and questions go to a Thrift server."""

    def __init__(self, folder: Path, server: ThriftServer, schema: str, threads: int = 1) -> None:
        super().__init__(folder, server.profile(threads), schema)
        self.server = server

    def sql(self, statement: str) -> list[tuple[Any, ...]]:
        """Runs a statement in a session of its own: nothing that it reads is cached."""
        with closing(self.server.connect()) as connection:
            return ask(connection, statement.replace("{schema}", self.schema))


def ask(connection: hive.Connection, statement: str) -> list[tuple[Any, ...]]:
    """Runs a statement and returns its rows."""
    with closing(connection.cursor()) as cursor:
        cursor.execute(statement)
        # so the server names the one column of what returns no rows, and PyHive fails to fetch them
        returns_nothing = cursor.description[0][0] == "Result"
        return [] if returns_nothing else [tuple(row) for row in cursor.fetchall()]


@contextmanager
def thrift_server(folder: Path, settings: Mapping[str, str] | None = None) -> Iterator[ThriftServer]:
    """Starts a server with metastore and tables in `folder`, waits until it answers, and kills it at the end.

    `settings` are further settings of Spark. A server that does not start shows its log.
    """
    use_java_17()
    folder.mkdir(parents=True)
    port = free_port()
    log = folder / "server.log"
    given = _settings(folder, port) | dict(settings or {})
    with hive_metastore(folder, given) as address, log.open("w") as output:
        # the launcher becomes the JVM; a group of its own can be killed whole
        process = subprocess.Popen(
            _command(given | {f"{HADOOP}hive.metastore.uris": address}), stdout=output, stderr=subprocess.STDOUT,
            cwd=folder, env=os.environ | {"SPARK_HOME": str(spark_home())}, start_new_session=True,
        )  # fmt: skip
        try:
            # the port opens when the server is ready
            wait_for_port(process, port, "Spark Thrift server", log)
            with closing(ThriftServer(port).connect()) as connection:
                ask(connection, "select 1")
            yield ThriftServer(port)
        finally:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def locking_catalog(folder: Path) -> dict[str, str]:
    """Settings of a server whose default catalog, of Iceberg alone, lets one commit at a time through, which the embedded
    session's does not. With the lock of Hive's, Derby takes minutes for a table.
    """
    # every connection begins with `use default`
    (folder / "default").mkdir(parents=True)
    lake = "spark.sql.catalog.lake"
    return {
        lake: "org.apache.iceberg.spark.SparkCatalog", f"{lake}.type": "hadoop", f"{lake}.warehouse": str(folder),
        "spark.sql.defaultCatalog": "lake", "spark.hadoop.iceberg.engine.hive.lock-enabled": "true",
    }  # fmt: skip


def _settings(folder: Path, port: int) -> dict[str, str]:
    return spark_settings(folder, table_format=table_format()) | {
        "spark.master": "local[2]",
        f"{HADOOP}hive.server2.thrift.bind.host": HOST,
        f"{HADOOP}hive.server2.thrift.port": str(port),
        # each connection is a session that stays for a while: of 1 GB, collections took 15 of 23 minutes of CPU (measured)
        "spark.driver.memory": "3g",
    }


def _command(settings: Mapping[str, str]) -> list[str]:
    # the class of a session catalog is looked for before --jars are there
    jars = settings.get("spark.jars", "").replace(",", ":")
    options = [
        word for name, value in settings.items() if name != "spark.jars" for word in ("--conf", f"{name}={value}")
    ]
    server = "org.apache.spark.sql.hive.thriftserver.HiveThriftServer2"
    launcher = str(spark_home() / "bin" / "spark-submit")
    return [launcher, "--driver-class-path", jars, "--class", server, *options, "spark-internal"]

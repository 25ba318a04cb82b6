"""Projects whose tables are Delta, on Sail: an engine in Rust, from a wheel, that speaks Spark Connect. In a venv of its own, because its client is PySpark 4."""

from __future__ import annotations

import os
import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from tests.functional.own_venv import own_venv
from tests.functional.project import PACKAGE, Project, Run

PACKAGES = ["pysail==0.7.2", "pyspark-client==4.2.0", "pandas<3", "dbt-core>=1.11,<1.12", "dbt-spark>=1.10,<1.12"]
TARGET = {"type": "spark", "method": "session", "host": "NA", "threads": 1}


class SailProject(Project):
    """A project whose dbt and whose SQL run on Sail."""

    def __init__(self, folder: Path, connection: Connection, schema: str) -> None:
        super().__init__(folder, {"local": {"outputs": {"local": TARGET}}}, schema)
        self._connection = connection
        self.settings["vars"] = {"kinds_store_format": "delta"}
        # (pattern, whether it is done): the statement at which dbt loses its connection
        self.breaks_at: tuple[str, bool] | None = None

    def dbt(self, *command: str, now: str | None = None, **variables: Any) -> Run:
        """One dbt command, as in any project."""
        run: Run = self._call("dbt", *command, now=now, **variables)
        return run

    def sql(self, statement: str) -> list[tuple[Any, ...]]:
        """Runs a statement; `{schema}` stands for the project's."""
        rows: list[tuple[Any, ...]] = self._call("sql", statement)
        return rows

    def _call(self, method: str, *arguments: Any, **keywords: Any) -> Any:
        state = {name: value for name, value in self.__dict__.items() if name not in ("_connection", "listeners")}
        self._connection.send((state, method, arguments, keywords))
        is_done, answer = self._connection.recv()
        if not is_done:
            raise RuntimeError(answer)
        return answer


@contextmanager
def sail(folder: Path) -> Iterator[Connection]:
    """Installs Sail into a folder and starts it; what the connection is for, SailProject knows."""
    python = own_venv(folder / "venv", PACKAGES)
    ours, theirs = socket.socketpair()
    with ours, theirs, (folder / "log").open("w") as log:
        process = subprocess.Popen(
            [str(python), "-m", "tests.functional.sail_process", str(theirs.fileno()), str(folder / "warehouse")],
            cwd=folder, env=os.environ | {"PYTHONPATH": str(PACKAGE)}, stdout=log, stderr=subprocess.STDOUT,
            pass_fds=[theirs.fileno()],
        )  # fmt: skip
        theirs.close()
        try:
            with Connection(os.dup(ours.fileno())) as connection:
                yield connection
        finally:
            process.kill()
            process.wait()

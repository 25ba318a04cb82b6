"""Projects whose dbt and SQL run in another process, in a virtual environment of its own."""

from __future__ import annotations

import os
import re
import socket
import subprocess
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from tests.functional.own_venv import own_venv
from tests.functional.project import PACKAGE, Project, Run


class ProjectElsewhere(Project):
    """A project whose dbt and whose SQL run in the process behind a connection."""

    def __init__(self, folder: Path, connection: Connection, target: Mapping[str, Any], schema: str) -> None:
        super().__init__(folder, {"local": {"outputs": {"local": target}}}, schema)
        self._connection = connection

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
def process_elsewhere(folder: Path, packages: Sequence[str], module: str, *arguments: str) -> Iterator[Connection]:
    """Installs packages into a folder and starts a module there, which serves the connection given."""
    python = own_venv(folder / "venv", packages)
    ours, theirs = socket.socketpair()
    with ours, theirs, (folder / "log").open("w") as log:
        process = subprocess.Popen(
            [str(python), "-m", module, str(theirs.fileno()), *arguments],
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


def without_comment(sql: str) -> str:
    """A statement without the comment that dbt puts before it."""
    return re.sub(r"\A\s*(/\*.*?\*/)?\s*", "", sql, flags=re.DOTALL).strip()


def serve(descriptor: str, prepare: Callable[[Mapping[str, Any]], None] = lambda state: None) -> None:
    """Calls methods of projects, until the other side is gone; `prepare` is told the attributes of the project before each."""
    with Connection(int(descriptor)) as connection:
        while True:
            try:
                state, method, arguments, keywords = connection.recv()
            except EOFError:
                return
            project = Project.__new__(Project)
            project.__dict__.update(state, listeners=[])
            prepare(state)
            try:
                connection.send((True, getattr(project, method)(*arguments, **keywords)))
            except Exception:
                connection.send((False, traceback.format_exc()))

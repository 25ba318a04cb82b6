"""An operating-system process that holds a project and does what it is told: to race with another, or to be killed."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
import threading
import traceback
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from dbt_kinds.local.java import use_java_17
from dbt_kinds.local.profile import local_profile
from tests.functional.formats import table_format
from tests.functional.project import Project, start_spark
from tests.functional.speed import quick_dbt, quick_jvms


class OwnSparkProject(Project):
    """A project that starts a Spark of its own in whatever process it is in."""

    def start(self) -> None:
        """Starts Spark. Derby lets one JVM in: the one before must be gone."""
        use_java_17()
        # otherwise the launcher waits for the one before instead of starting Spark meanwhile
        os.environ["SPARK_ENV_LOADED"] = "1"
        quick_jvms()
        start_spark({"local": {"outputs": {"local": self.target}}})


def own_spark_project(
    folder: Path, schema: str = "unused", settings: Mapping[str, str] | None = None
) -> OwnSparkProject:
    """A project in `folder`, with a Spark of the format of tables that is tested. A site that keeps its tables in Delta keeps the store there, too."""
    profile = local_profile(folder / "spark", name="local", schema=schema, threads=2, table_format=table_format())
    profile["local"]["outputs"]["local"]["server_side_parameters"] |= settings or {}
    project = OwnSparkProject(folder / "project", profile, schema)
    if table_format() == "delta":
        project.settings["vars"] = {"kinds_store_format": "delta"}
    return project


@dataclass(frozen=True)
class Said:
    """What a dbt command tells while it runs: a `statement` that it is about to send, or a line of its `log`."""

    kind: str
    text: str


@dataclass(frozen=True)
class _Returned:
    value: Any


@dataclass(frozen=True)
class _Raised:
    trace: str


class DbtProcess:
    """A process that calls methods of a project, one after the other, and tells what they say and return."""

    def __init__(self, project: Project) -> None:
        # a process of its own imports and parses for five seconds before it does anything
        context = multiprocessing.get_context("forkserver")
        context.set_forkserver_preload(["tests.functional.warm_process"])
        self._connection, theirs = context.Pipe()
        self._process = context.Process(target=_serve, args=(theirs, project, dict(os.environ)), daemon=True)
        self._process.start()
        theirs.close()
        self._answer: _Returned | _Raised | None = None

    def call(self, method: str, *arguments: Any, **keywords: Any) -> Any:
        """Calls a method of the project and returns what it returns."""
        self.begin(method, *arguments, **keywords)
        return self.result()

    def begin(self, method: str, *arguments: Any, **keywords: Any) -> None:
        """Calls a method of the project and does not wait."""
        self._answer = None
        self._connection.send((method, arguments, keywords))

    def said(self) -> Iterator[Said]:
        """What the call that was begun says, until it is done or the process is killed."""
        with contextlib.suppress(EOFError, ConnectionResetError):
            while isinstance(answer := self._connection.recv(), Said):
                yield answer
            self._answer = answer

    def result(self) -> Any:
        """What the call that was begun returns, once it does."""
        for _ in self.said():
            pass
        assert isinstance(self._answer, _Returned), self._answer.trace if self._answer else "the process is gone"
        return self._answer.value

    @property
    def is_done(self) -> bool:
        """Whether the call that was begun came to its end, as far as it was listened to."""
        return self._answer is not None

    def kill(self) -> None:
        """kill -9 of the process and of the JVM that it started."""
        assert self._process.pid is not None
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.join()


def _serve(connection: Connection, project: Project, environment: Mapping[str, str]) -> None:
    # a group of its own, so that the JVM dies with it
    os.setsid()
    os.environ.clear()
    os.environ.update(environment)
    quick_dbt()
    one_at_a_time = threading.Lock()

    def send(answer: Said | _Returned | _Raised) -> None:
        with one_at_a_time:
            connection.send(answer)

    def tell(event: Any) -> None:
        if event.info.name == "SQLQuery":
            send(Said("statement", event.data.sql.split("*/", 1)[-1].strip()))
        elif event.info.name == "JinjaLogInfo":
            send(Said("log", event.data.msg))

    project.listeners.append(tell)
    while True:
        try:
            method, arguments, keywords = connection.recv()
        except EOFError:
            return
        try:
            send(_Returned(getattr(project, method)(*arguments, **keywords)))
        except Exception:
            send(_Raised(traceback.format_exc()))

"""A dbt project that both engines run, one after the other, against one Spark Thrift server."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.functional.project import Run
from tests.functional.thrift import ThriftProject, ThriftServer
from tests.fusion.engine import Engine
from tests.fusion.statements import Statements

CORE, FUSION = "core", "fusion"


class TwoEngineProject(ThriftProject):
    """A project of which `engine` says what runs it: CORE in this process, FUSION in one of its own."""

    def __init__(
        self, folder: Path, server: ThriftServer, schema: str, engine: Engine, socket: Path, statements: Statements
    ) -> None:
        super().__init__(folder, server, schema, threads=4)
        self.engine = CORE
        self._fusion = engine
        self._socket = socket
        self._statements = statements
        self.flags = ["--no-partial-parse"]

    def dbt(self, *command: str, now: str | None = None, **variables: Any) -> Run:
        """One dbt command on the engine whose turn it is."""
        if self.engine == CORE:
            return super().dbt(*command, now=now, **variables)
        sent = len(self._statements.sent)
        with self._begun(*command, now=now, **variables) as process:
            run = _read(process.stdout or iter(()))
            run.success = process.wait() == 0
        run.statements = self._statements.sent[sent:]
        self._read_results(run)
        return run

    def kill(self, number: int, *command: str, now: str | None = None, **variables: Any) -> bool:
        """Begins a command in a process of its own and kills it when it has sent that many statements; whether it was killed."""
        counted = self._count_by_log if self.engine == CORE else self._count_by_server
        with self._begun(*command, now=now, **variables) as process:
            for sent in counted(process):
                if sent >= number:
                    break
            killed = process.poll() is None
            process.kill()
            process.communicate()
        return killed

    def _count_by_log(self, process: subprocess.Popen[str]) -> Iterator[int]:
        sent = 0
        for line in process.stdout or ():
            sent += '"name": "SQLQuery"' in line
            yield sent

    def _count_by_server(self, process: subprocess.Popen[str]) -> Iterator[int]:
        before = len(self._statements.sent)
        while process.poll() is None:
            yield len(self._statements.sent) - before
            time.sleep(0.01)

    def _begun(self, *command: str, now: str | None, **variables: Any) -> subprocess.Popen[str]:
        """A process of either engine, whose log is lines of JSON."""
        given = {name if name.startswith("my_") else f"kinds_{name}": value for name, value in variables.items()}
        if now is not None:
            given["kinds_execution_time"] = now
        self.write_settings()
        where = ["--project-dir", str(self.folder), "--profiles-dir", str(self.folder), "--vars", json.dumps(given)]
        if self.engine == CORE:
            words = [sys.executable, "-c", "from dbt.cli.main import cli; cli()", "--log-level", "debug"]
            words += ["--log-format", "json", *command, *where, *self.flags]
        else:
            words = [str(self._fusion.program), *command, *where, "--log-format", "json", "--no-version-check"]
            words += ["--static-analysis", "off"] if command[0] not in ("parse", "deps", "run-operation") else []
        return subprocess.Popen(
            words, cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
            env=os.environ | self._fusion.environment | {"KINDS_SOCKET": str(self._socket)},
        )  # fmt: skip

    def _read_results(self, run: Run) -> None:
        file = self.folder / "target" / "run_results.json"
        results = json.loads(file.read_text()) if file.exists() else {"metadata": {}, "results": []}
        if results["metadata"].get("invocation_id") != run.invocation_id:
            return
        for result in results["results"]:
            parts = result["unique_id"].split(".")
            if len(parts) < 3:
                # dbt 2.0 has a result of an operation, too, which is no node
                continue
            name = parts[3] if parts[0] == "unit_test" else parts[2]
            run.statuses[name] = result["status"]
            run.messages[name] = str(result["message"])
            run.seconds[name] = float(result["execution_time"])


def _read(lines: Iterator[str]) -> Run:
    """What the log of a command says."""
    run = Run(success=False)
    for line in lines:
        if not line.startswith('{"data"'):
            run.errors += line
            continue
        event = json.loads(line)["info"]
        run.invocation_id = event["invocation_id"]
        if event["level"] in ("error", "warn"):
            run.errors += event["msg"] + "\n"
        else:
            run.log.append(event["msg"])
    return run

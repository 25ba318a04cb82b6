"""A process that runs dbt for one model and one window after the other, as another process tells it."""

from __future__ import annotations

import dataclasses
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any, TextIO

from dbt_kinds.errors import DbtFailedError, KindsError
from dbt_kinds.operate.dbt import Dbt, DbtOptions
from dbt_kinds.operate.intervals import Interval

STOPS_WITHIN = 30.0


def window(part: Interval) -> dict[str, str]:
    """The variables that ask for a part."""
    return {"kinds_start": part[0], "kinds_end": part[1]}


class LostWorkerError(KindsError):
    """A worker has ended."""


class WorkerProcess:
    """Such a process, seen from the one that tells it what to load.

    Attributes:
        invocations: the ids of dbt's invocations in it.
    """

    def __init__(self, options: DbtOptions, unique_id: str) -> None:
        """Starts it, with folders of its own for what dbt writes."""
        self.invocations: list[str] = []
        self.folder = Path(tempfile.mkdtemp(prefix="dbt_kinds_backfill_"))
        target = Path(options.project_dir or ".") / os.environ.get("DBT_TARGET_PATH", "target")
        with_project = {"DBT_TARGET_PATH": str(self.folder), "DBT_LOG_PATH": str(self.folder)}
        if (target / "partial_parse.msgpack").is_file():
            # so it need not read the project once more
            shutil.copy(target / "partial_parse.msgpack", self.folder)
        # a session of its own: Ctrl-C is for the process that tells it, which then stops this one
        self.process = subprocess.Popen(
            [sys.executable, "-m", __name__],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, start_new_session=True,
            env={**os.environ, **with_project},
        )  # fmt: skip
        self._tell({"options": dataclasses.asdict(options), "unique_id": unique_id})

    def load(self, part: Interval) -> None:
        """Loads a part.

        Raises:
            DbtFailedError: the run failed, or was refused.
            LostWorkerError: the process has ended.
        """
        self._tell(part)
        assert self.process.stdout is not None
        for line in self.process.stdout:
            told = json.loads(line)
            if "invocation" in told:
                self.invocations.append(told["invocation"])
            elif told["message"] is None:
                return
            else:
                raise DbtFailedError(told["message"])
        raise LostWorkerError(f"the worker ended with {self.process.wait()}; run the backfill again")

    def interrupt(self) -> None:
        """Stops what is under way, as Ctrl-C does, and ends the process."""
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGINT)
        self.stop()

    def stop(self) -> None:
        """Ends the process when it has done what is under way, and by force if that takes too long."""
        assert self.process.stdin is not None and self.process.stdout is not None
        try:
            self.process.stdin.close()
            self.process.wait(STOPS_WITHIN)
        except (OSError, subprocess.TimeoutExpired):
            self.process.kill()
            self.process.wait()
        self.process.stdout.close()
        shutil.rmtree(self.folder, ignore_errors=True)

    def _tell(self, what: Any) -> None:
        assert self.process.stdin is not None
        try:
            self.process.stdin.write(json.dumps(what) + "\n")
            self.process.stdin.flush()
        except OSError:
            # load finds that nothing comes back
            return


def main() -> None:
    """Reads what to load from standard input, a line each, until it ends; says on standard output how it went."""
    out = os.fdopen(os.dup(sys.stdout.fileno()), "w")
    # whatever dbt or Spark print is not for the process that reads
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    given = json.loads(sys.stdin.readline())
    dbt = Dbt(DbtOptions(**given["options"]))
    for line in sys.stdin:
        part = json.loads(line)
        message = None
        try:
            dbt.run(dbt.manifest.nodes[given["unique_id"]], window(part), lambda name: tell(out, invocation=name))
        except KindsError as error:
            message = str(error)
        tell(out, message=message)


def tell(out: TextIO, **what: Any) -> None:
    """Says one thing, as a line."""
    out.write(json.dumps(what) + "\n")
    out.flush()


if __name__ == "__main__":
    main()

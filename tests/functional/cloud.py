"""What a dbt Cloud job has: dbt-core, dbt-spark with PyHive, a checkout of the project, the package from git, and variables of its own."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from tests.functional.thrift import ThriftServer

PACKAGE = Path(__file__).parents[2]
# dbt-spark[PyHive], written out: some versions of pip trip over how it spells an extra of PyHive
PACKAGES = [
    *("dbt-core>=1.10,<1.12", "dbt-spark>=1.10,<1.12"),
    *("pyhive>=0.7,<0.8", "pure-sasl>=0.6.2", "thrift>=0.11,<0.17", "thrift-sasl>=0.3"),
]
# what differs from one run to the next, or with the package
OFTEN_OTHER = (
    (r" ?\.{4,} ?", " … "), (r"\b\d+\.\d+ ?s\b", "1.0 s"), (r"[0-9a-f]{40}", "…"), (r"file:///?\S+/|/\S+/(?=target/)", ""), (r"\d+ macros", "… macros"),
)  # fmt: skip


def cloud_python(folder: Path) -> Path:
    """The Python of a new venv that has what a dbt Cloud job has, and nothing else."""
    subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True)
    python = folder / "bin" / "python"
    subprocess.run([str(python), "-m", "pip", "install", "--quiet", *PACKAGES], check=True)
    return python


def git_address(folder: Path) -> str:
    """A repository that holds the package as it is in this working copy, with a tag."""
    folder.mkdir(parents=True)
    shutil.copy(PACKAGE / "dbt_project.yml", folder)
    shutil.copytree(PACKAGE / "macros", folder / "macros")
    author = ["-c", "user.name=dbt_kinds", "-c", "user.email=dbt_kinds@localhost"]
    for command in (
        ["init", "--quiet"],
        ["add", "."],
        [*author, "commit", "--quiet", "-m", "A release"],
        ["tag", "v0.1.0"],
    ):
        subprocess.run(["git", *command], cwd=folder, check=True)
    return f"file://{folder}"


@dataclass
class Done:
    """A command of a job that ended."""

    success: bool
    log: str

    def lines(self, pattern: str) -> list[str]:
        """The lines of the log that have something, without their time."""
        found = [re.sub(r"^(\x1b\[0m)?\d\d:\d\d:\d\d(\.\d+)? +", "", line) for line in self.log.splitlines()]
        return [line for line in found if re.search(pattern, line)]


class Job:
    """A run of a job: a fresh checkout of a project, in a schema."""

    def __init__(
        self,
        python: Path,
        project: Path,
        folder: Path,
        server: ThriftServer,
        schema: str,
        number: int = 7,
        threads: int = 8,
    ) -> None:
        self.folder = folder
        self._python = python
        shutil.copytree(project, folder)
        profile = server.profile(threads)
        profile["local"]["outputs"]["local"]["schema"] = schema
        (folder / "profiles.yml").write_text(yaml.safe_dump(profile))
        of_cloud = {
            "ACCOUNT_ID": 1, "PROJECT_ID": 2, "ENVIRONMENT_ID": 3, "ENVIRONMENT_NAME": "Production", "ENVIRONMENT_TYPE": "prod",
            "JOB_ID": number, "RUN_ID": time.time_ns(), "RUN_REASON": "scheduled", "RUN_REASON_CATEGORY": "scheduled", "GIT_SHA": "0" * 40,
            "INVOCATION_CONTEXT": "prod",
        }  # fmt: skip
        self._environment = os.environ | {f"DBT_CLOUD_{name}": str(value) for name, value in of_cloud.items()}
        self._environment |= {"NO_COLOR": "1", "DBT_USE_COLORS": "false", "DBT_SEND_ANONYMOUS_USAGE_STATS": "false"}

    def begin(self, *command: str) -> subprocess.Popen[str]:
        """Begins a command."""
        words = [str(self._python), "-u", "-c", "from dbt.cli.main import cli; cli()", *command]
        return subprocess.Popen(
            words, cwd=self.folder, env=self._environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        )

    def dbt(self, *command: str) -> Done:
        """A command, to its end."""
        with self.begin(*command) as process:
            log, _ = process.communicate()
        return Done(process.returncode == 0, log)

    def cancel(self, with_signal: signal.Signals, word: str, *command: str) -> Done:
        """Begins a command and cancels it when its log says a word."""
        log = ""
        with self.begin(*command) as process:
            for line in process.stdout or ():
                log += line
                if word in line:
                    break
            process.send_signal(with_signal)
            rest, _ = process.communicate(timeout=120)
        return Done(process.returncode == 0, log + rest)


class Transcript:
    """What jobs did and said, as it stands in the docs."""

    def __init__(self) -> None:
        self.text = ""

    def add(self, done: Done, command: str, pattern: str) -> None:
        """A command and the lines of its log that have something, each once."""
        lines = {normal(line) for line in done.lines(pattern)}
        assert lines, done.log
        self.text += "\n".join([f"$ dbt {command}", *sorted(lines)]) + "\n"


def normal(line: str) -> str:
    """A line of a log without what differs from run to run."""
    if line.startswith('{"operation"'):
        (model,) = json.loads(line)["models"]
        return json.dumps({name: model[name] for name in ("model", "missing", "reason", "recorded")})
    line = re.sub(r"^\d+ of \d+ ", "", line)
    for pattern, instead in OFTEN_OTHER:
        line = re.sub(pattern, instead, line)
    return line.strip()


def write_yaml(file: Path, content: Any) -> None:
    file.write_text(yaml.safe_dump(content, sort_keys=False))

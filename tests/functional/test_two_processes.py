"""Two processes of an embedded Spark, which share the metastore that lets only one of them in."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from dbt_kinds.local.java import use_java_17
from dbt_kinds.local.launcher import prepare_launcher
from dbt_kinds.local.profile import spark_settings

# as dbt, it does not end on Ctrl-C while it waits for its connection
USES_THE_METASTORE = """
import json, signal, sys
signal.signal(signal.SIGINT, signal.SIG_IGN)
from pyspark.sql import SparkSession
builder = SparkSession.builder.enableHiveSupport()
for name, value in json.loads(sys.argv[1]).items():
    builder = builder.config(name, value)
print(builder.getOrCreate().sql("show databases").collect(), flush=True)
sys.stdin.readline()
"""


@pytest.fixture
def processes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[list[subprocess.Popen[str]]]:
    use_java_17()
    prepare_launcher(tmp_path)
    monkeypatch.setenv("SPARK_CONF_DIR", str(tmp_path / "conf"))
    monkeypatch.delenv("SPARK_ENV_LOADED", raising=False)
    started: list[subprocess.Popen[str]] = []
    yield started
    for process in started:
        process.kill()
        process.communicate()


def test_the_second_process_says_one_line_and_waits_until_the_first_is_killed_or_it_is_stopped(
    tmp_path: Path, processes: list[subprocess.Popen[str]]
) -> None:
    # a folder with a blank and an apostrophe, as on a user's disk
    settings = spark_settings(tmp_path / "anna's tables", table_format="parquet")
    command = [sys.executable, "-c", USES_THE_METASTORE, json.dumps(settings)]
    pipe = subprocess.PIPE
    for errors in ("first", "second", "stopped"):
        with (tmp_path / errors).open("w") as file:
            processes.append(
                subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=file, text=True, start_new_session=True)
            )
        if errors == "first":
            assert "default" in found(processes[0])
    wait_for(tmp_path / "stopped", "waiting")
    os.killpg(processes[2].pid, signal.SIGINT)
    processes[2].wait(timeout=60)
    assert "JAVA_GATEWAY_EXITED" in (tmp_path / "stopped").read_text()
    told = wait_for(tmp_path / "second", "waiting")
    metastore = tmp_path / "anna's tables" / "metastore"
    assert f"process {processes[0].pid} uses the metastore of this profile ({metastore})" in told
    processes[0].kill()
    assert "default" in found(processes[1])
    told = (tmp_path / "second").read_text()
    # on a slow machine it may have waited long enough to say how to go on
    assert 1 <= told.count("dbt-kinds: ") <= 2 and "derby" not in told and len(told.splitlines()) < 20, told[:2000]


def found(process: subprocess.Popen[str]) -> str:
    """The line with the databases; Java may write others before."""
    assert process.stdout is not None
    return next((line for line in process.stdout if "Row(" in line), "")


def wait_for(file: Path, word: str) -> str:
    """The text of a file, once a word is in it."""
    for _ in range(600):
        if word in (text := file.read_text()):
            return text
        time.sleep(0.1)
    raise AssertionError(file.read_text())

"""`dbt-kinds backfill`: several runs load disjoint parts of one table at once, on a server whose catalog locks commits; killed, the next one goes on."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from tests.functional.daily_rows import ROWS_A_DAY, DailyRows
from tests.functional.formats import formats
from tests.functional.process import DbtProcess
from tests.functional.thrift import ThriftProject, ThriftServer, locking_catalog, thrift_server

FORMAT = formats("iceberg")[0]
DAYS = 24
# one query takes this long, so that there is time to kill it, and two are seen to run at once
SLOW = "\nand (java_method('java.lang.Thread', 'sleep', bigint(if(id % 4 = 0, {milliseconds}, 0))) is null or id >= 0)"
# Delta partitions by a column as it is
TIME = "ts" if FORMAT == "iceberg" else "cast(ts as date) as ts"
QUERY = """select id, version, {time} from {{{{ target.schema }}}}.source
where {{{{ dbt_kinds.start_ts() }}}} <= ts and ts < {{{{ dbt_kinds.end_ts() }}}}{slow}"""


@pytest.fixture(scope="module")
def locked(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ThriftServer]:
    folder = tmp_path_factory.mktemp("locked")
    settings = locking_catalog(folder / "lake") if FORMAT == "iceberg" else {}
    with thrift_server(folder / "server", settings) as server:
        yield server


_NUMBERS = iter(range(100))


@pytest.fixture
def project(locked: ThriftServer, tmp_path: Path) -> ThriftProject:
    project = ThriftProject(tmp_path / "project", locked, f"backfill{next(_NUMBERS)}")
    project.settings["vars"] = {"kinds_store_format": FORMAT}
    project.sql("create schema if not exists {schema}")
    return project


def fill(project: ThriftProject, source: DailyRows) -> None:
    # a catalog of Iceberg alone has no views
    table = f"create or replace table {{schema}}.source using {FORMAT} as"
    project.sql(source.view("").replace("create or replace view  as", table))


def write(project: ThriftProject, source: DailyRows, milliseconds: int = 0, **meta: Any) -> None:
    fill(project, source)
    slow = SLOW.format(milliseconds=milliseconds) if milliseconds else ""
    project.kind("days", QUERY.format(slow=slow, time=TIME), config=f"file_format='{FORMAT}'", **meta)
    project.write_settings()


def command(project: ThriftProject, *options: str) -> list[str]:
    window = ["--start", "2024-01-01", "--end", f"2024-01-{DAYS + 1:02}"]
    folder = str(project.folder)
    where = ["--project-dir", folder, "--profiles-dir", folder]
    given = json.dumps({"kinds_execution_time": "2024-02-01 06:00"})
    main = "from dbt_kinds.cli import main; main()"
    return [sys.executable, "-c", main, "backfill", "days", *window, *where, "--vars", given, "--json", *options]


def backfill(project: ThriftProject, *options: str) -> dict[str, Any]:
    """The answer of a backfill, which must load all that it planned."""
    done = subprocess.run(command(project, *options), capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-5000:] + done.stdout[-5000:]
    return dict(json.loads(done.stdout))


def check(project: ThriftProject, source: DailyRows, days: int = DAYS) -> None:
    assert sorted(project.sql("select id, version from {schema}.days")) == source.rows(days)
    assert project.recorded("days") == [["2024-01-01", f"2024-01-{days + 1:02}"]]
    status = project.operation("status", now="2024-02-01 06:00")["models"][0]
    # a killed run's has expired
    assert status["lease"] is None or not status["lease"]["is_live"]


def test_parts_are_loaded_at_once_and_what_is_there_is_left(project: ThriftProject) -> None:
    source = DailyRows(DAYS)
    write(project, source, batch_concurrency=3)
    # a gap of three days within what is loaded
    project.run(now="2024-02-01 06:00", start="2024-01-01", end="2024-01-05")
    project.run(now="2024-02-01 06:00", start="2024-01-08", end="2024-01-10")
    answer = backfill(project)
    assert answer["workers"] == 3 and answer["failed"] == []
    assert answer["planned"] == [["2024-01-05T00:00:00", "2024-01-08T00:00:00"], ["2024-01-10T00:00:00", "2024-01-25T00:00:00"]]  # fmt: skip
    check(project, source)
    assert backfill(project)["planned"] == []

    source.change(range(2, 6))
    fill(project, source)
    answer = backfill(project, "--restate")
    assert len(answer["loaded"]) == 3 * 4
    check(project, source)
    # each part knows its own rows, whoever else committed meanwhile
    rows = project.sql("select sum(rows_written) from {schema}.dbt_kinds_intervals where event = 'loaded'")
    assert rows == [(2 * DAYS * ROWS_A_DAY,)]


@pytest.mark.sweep
def test_a_first_load_and_a_table_that_is_claimed_whole_go_one_after_the_other(project: ThriftProject) -> None:
    source = DailyRows(DAYS)
    # no partition ends where a day does, so no run can do with a part
    write(project, source, partition_by_time_column=False)
    answer = backfill(project, "--workers", "3")
    assert answer["failed"] == []
    check(project, source)


@pytest.mark.sweep
def test_a_backfill_that_is_killed_goes_on(project: ThriftProject) -> None:
    source = DailyRows(DAYS)
    write(project, source, milliseconds=400)
    # a lease that nobody ends blocks its days until it expires
    project.settings["vars"] = {**project.settings["vars"], "kinds_lease_seconds": 20}
    project.write_settings()
    project.run(now="2024-02-01 06:00", start="2024-01-01", end="2024-01-02")
    for kill in (stop_with_ctrl_c, kill_a_worker, kill_all):
        with subprocess.Popen(command(project, "--workers", "3"), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True) as begun:  # fmt: skip
            wait_for_writes(project)
            kill(begun)
            told = begun.communicate()
        print(kill.__name__, begun.returncode, told[1][-300:])
        assert begun.returncode != 0
        if kill is stop_with_ctrl_c:
            released = project.sql(
                "select count_if(event = 'claimed') - count_if(event = 'released') from {schema}.dbt_kinds_intervals"
            )
            assert released == [(0,)]
    time.sleep(20)
    backfill(project, "--workers", "3")
    check(project, source)


def wait_for_writes(project: ThriftProject) -> None:
    """Waits until two runs have claimed a part each."""
    since = project.sql("select count(*) from {schema}.dbt_kinds_intervals where event = 'claimed'")[0][0]
    for _ in range(600):
        if project.sql("select count(*) from {schema}.dbt_kinds_intervals where event = 'claimed'")[0][0] >= since + 2:
            return
        time.sleep(0.1)
    raise AssertionError("nothing was claimed within a minute")


def workers_of(begun: subprocess.Popen[str]) -> list[int]:
    found = subprocess.run(
        ["pgrep", "-f", "backfill_worker", "-P", str(begun.pid)], capture_output=True, text=True, check=True
    )
    return [int(line) for line in found.stdout.split()]


def stop_with_ctrl_c(begun: subprocess.Popen[str]) -> None:
    begun.send_signal(signal.SIGINT)


def kill_a_worker(begun: subprocess.Popen[str]) -> None:
    os.kill(workers_of(begun)[0], signal.SIGKILL)


def kill_all(begun: subprocess.Popen[str]) -> None:
    for worker in workers_of(begun):
        os.kill(worker, signal.SIGKILL)
    begun.kill()


def test_jobs_of_disjoint_windows_run_at_once(project: ThriftProject, tmp_path: Path) -> None:
    source = DailyRows(DAYS)
    write(project, source, milliseconds=300)
    project.run(now="2024-02-01 06:00", start="2024-01-01", end="2024-01-02")
    windows = [("2024-01-02", "2024-01-09"), ("2024-01-09", "2024-01-17"), ("2024-01-17", "2024-01-25")]
    processes = []
    flags = project.flags
    for number in range(len(windows)):
        folder = tmp_path / str(number)
        project.flags = [*flags, "--target-path", str(folder / "target"), "--log-path", str(folder / "logs")]
        processes.append(DbtProcess(project))
    project.flags = flags
    try:
        for process, (start, end) in zip(processes, windows, strict=True):
            process.begin("dbt", "run", now="2024-02-01 06:00", start=start, end=end)
        with ThreadPoolExecutor(len(processes)) as threads:
            runs = list(threads.map(DbtProcess.result, processes))
    finally:
        for process in processes:
            process.kill()
    assert [run.success for run in runs] == [True] * 3, [run.errors for run in runs]
    check(project, source)
    # they were at work at the same time
    spans = project.sql(
        "select min(recorded_at), max(recorded_at) from {schema}.dbt_kinds_intervals group by invocation_id order by 1"
    )
    assert spans[2][0] < spans[1][1] and spans[3][0] < spans[2][1]

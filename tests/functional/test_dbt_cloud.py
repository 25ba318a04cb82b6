"""Jobs as dbt Cloud runs them, on a Spark Thrift server: nightly, after a failure, cancelled, two at once, and of a pull request."""

from __future__ import annotations

import json
import re
import shutil
import signal
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from tests.functional.cloud import PACKAGE, Job, Transcript, cloud_python, git_address, write_yaml
from tests.functional.thrift import ThriftProject, ThriftServer

# a venv from the registry and a server; each test is a few jobs
pytestmark = pytest.mark.sweep
PROD, CI = "analytics", "dbt_cloud_pr_7_42"
NOW = 'kinds_execution_time: "2024-01-05 02:00:00"'
WINDOW = "between {{ dbt_kinds.start_ts() }} and {{ dbt_kinds.end_ts() }}"
MODELS = {
    "daily": f"select id, ts, n from {{{{ source('shop', 'events') }}}} where ts {WINDOW}",
    "doubled": f"select id, ts, n * 2 as n from {{{{ ref('daily') }}}} where ts {WINDOW}",
    "totals": f"select id % 3 as id, sum(n) as n from {{{{ ref('daily') }}}} where ts {WINDOW} group by id % 3",
    "states": "select id % 3 as id, max(n) as n from {{ source('shop', 'events') }} where ts < {{ dbt_kinds.execution_ts() }} group by id % 3",
}
KINDS: dict[str, tuple[str, dict[str, Any]]] = {
    "daily": ("incremental_by_time_range", {"time_column": "ts", "batch_size": 1}),
    "doubled": ("incremental_by_time_range", {"time_column": "ts"}),
    "totals": ("incremental_by_unique_key", {"unique_key": "id", "batch_size": 1}),
    "states": ("scd_type_2_by_column", {"unique_key": "id", "columns": ["n"]}),
}
PROPERTIES = {
    "sources": [
        {
            "name": "shop", "schema": "landed",
            "tables": [{"name": "events", "config": {"loaded_at_field": "ts", "freshness": {"warn_after": {"count": 1, "period": "day"}}}}],
        }
    ],
    "models": [{"name": "doubled", "columns": [{"name": "id", "data_tests": ["not_null", "unique"]}]}],
    "exposures": [{"name": "board", "type": "dashboard", "owner": {"name": "Ann"}, "depends_on": ["ref('doubled')"]}],
}  # fmt: skip


@pytest.fixture(scope="module")
def python(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return cloud_python(tmp_path_factory.mktemp("cloud") / "venv")


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The project's own repository."""
    folder = tmp_path_factory.mktemp("shop") / "shop"
    (folder / "models").mkdir(parents=True)
    start = {"start": "{{ var('first_day', '2024-01-01') }}"}
    write_yaml(
        folder / "dbt_project.yml",
        {
            "name": "shop", "version": "1.0.0", "profile": "local", "models": {"shop": {"+file_format": "iceberg", "+meta": start}},
            "dispatch": [{"macro_namespace": "dbt", "search_order": ["shop", "dbt_kinds", "dbt"]}],
        },
    )  # fmt: skip
    address = git_address(tmp_path_factory.mktemp("package") / "dbt_kinds")
    write_yaml(folder / "packages.yml", {"packages": [{"git": address, "revision": "v0.1.0"}]})
    write_yaml(folder / "models" / "shop.yml", PROPERTIES)
    for name in MODELS:
        write_model(folder, name)
    return folder


def write_model(project: Path, name: str, query: str | None = None) -> None:
    kind, meta = KINDS[name]
    head = f"{{{{ config(materialized='{kind}', meta={meta!r}) }}}}"
    (project / "models" / f"{name}.sql").write_text(f"{head}\n{query or MODELS[name]}\n")


@pytest.fixture(scope="module")
def landed(thrift: ThriftServer, tmp_path_factory: pytest.TempPathFactory) -> ThriftProject:
    """The source, and questions to the server."""
    project = ThriftProject(tmp_path_factory.mktemp("landed") / "questions", thrift, "landed")
    project.sql("create schema {schema}")
    project.sql(
        "create table {schema}.events using iceberg as select cast(id as int) as id, "
        "timestamp '2024-01-01 06:00:00+00:00' + make_interval(0, 0, 0, 0, id * 12) as ts, cast(id * 10 as int) as n from range(8)"
    )
    return project


@pytest.fixture
def new_job(
    python: Path, repository: Path, landed: ThriftProject, thrift: ThriftServer, tmp_path: Path
) -> Callable[..., Job]:
    """Begins runs of jobs: a fresh checkout each, with the package installed."""
    number = iter(range(100))

    def create(schema: str = PROD, **options: Any) -> Job:
        job = Job(python, repository, tmp_path / f"run{next(number)}", thrift, schema, **options)
        installed = job.dbt("deps")
        assert installed.success, installed.log
        return job

    return create


def rows(landed: ThriftProject, table: str) -> list[tuple[Any, ...]]:
    return landed.rows(f"select * from {table}")


def variables(**given: Any) -> list[str]:
    return ["--vars", json.dumps({"kinds_execution_time": "2024-01-05 02:00:00", **given})]


def check(landed: ThriftProject, schema: str = PROD) -> None:
    """Every table holds what a plain select over the source gives."""
    assert rows(landed, f"{schema}.daily") == rows(landed, "landed.events")
    assert landed.rows(f"select id, n from {schema}.doubled") == landed.rows("select id, n * 2 from landed.events")
    assert landed.sql(f"select count(*) from {schema}.states where valid_to is null") == [(3,)]


def test_a_nightly_job_that_fails_is_gone_on_with_and_is_what_the_docs_show(
    new_job: Callable[..., Job], landed: ThriftProject
) -> None:
    said = Transcript()
    job = new_job()
    said.add(job.dbt("deps"), "deps", "Installing")
    stale = job.dbt("source", "freshness")
    said.add(stale, "source freshness", "WARN freshness|Done")
    # a batch in the middle meets a row that cannot be computed
    poisoned = MODELS["doubled"].replace("n * 2", "if(id = 5, raise_error('id 5 has no price'), n * 2)")
    write_model(job.folder, "doubled", poisoned)
    failed = job.dbt("build", "--threads", "8", "--fail-fast", *variables())
    assert not failed.success
    said.add(
        failed,
        f"build --threads 8 --fail-fast --vars '{{{NOW}}}'",
        "daily: (first|batch)|doubled: first|^ *Caused by: java.lang.RuntimeException: id 5 has no price",
    )
    write_model(job.folder, "doubled")
    retried = job.dbt("retry")
    assert retried.success, retried.log
    said.add(retried, "retry", "doubled: (first|batch)|PASS (unique|not_null)")
    idle = job.dbt("build", "--threads", "8", "--fail-fast", *variables())
    assert idle.success, idle.log
    said.add(idle, f"build --threads 8 --fail-fast --vars '{{{NOW}}}'", "OK (created|up to date)|PASS|Done")
    check(landed)
    for command in (["docs", "generate"], ["compile"]):
        done = job.dbt(*command, *variables())
        assert done.success, done.log
        said.add(done, " ".join(command), "Catalog written|Found")
    catalog = json.loads((job.folder / "target" / "catalog.json").read_text())
    assert list(catalog["nodes"]["model.shop.doubled"]["columns"]) == ["id", "ts", "n"]
    compiled = (job.folder / "target" / "compiled" / "shop" / "models" / "daily.sql").read_text()
    assert len(landed.sql(compiled)) == 2
    status = job.dbt("run-operation", "dbt_kinds.status", "--args", "{select: daily}", *variables())
    assert status.success, status.log
    said.add(status, "run-operation dbt_kinds.status --args '{select: daily}'", '"operation"')
    page = (PACKAGE / "docs" / "start" / "dbt_cloud.md").read_text()
    assert said.text in page, said.text


@pytest.mark.parametrize("with_signal", [signal.SIGINT, signal.SIGTERM])
def test_a_cancelled_job_is_run_again(
    new_job: Callable[..., Job], landed: ThriftProject, with_signal: signal.Signals
) -> None:
    schema = f"cancelled_{with_signal.name.lower()}"
    cancelled = new_job(schema).cancel(with_signal, "daily: batch 2 of 4", "build", *variables())
    assert not cancelled.success
    again = new_job(schema).dbt("build", *variables())
    if not again.success:
        # the server outlives the job, so that only time, or somebody who knows, can tell that the run is gone
        assert "another run holds the lease on" in again.log
        assert re.search(r"release_lease --args '\{select: \w+\}'", again.log)
        released = new_job(schema).dbt(
            "run-operation", "dbt_kinds.release_lease", "--args", "{select: 'daily doubled totals states'}"
        )
        assert released.success, released.log
        again = new_job(schema).dbt("build", *variables())
    assert again.success, again.log
    check(landed, schema)


def test_two_jobs_at_once_write_each_interval_once(new_job: Callable[..., Job], landed: ThriftProject) -> None:
    schema = "two_jobs"
    jobs = [new_job(schema, number=number) for number in (7, 8)]
    with ThreadPoolExecutor(2) as threads:
        done = list(threads.map(lambda job: job.dbt("build", *variables()), jobs))
    for one in done:
        assert one.success or "another run holds the lease on" in one.log, one.log
    last = new_job(schema).dbt("build", *variables())
    assert last.success, last.log
    check(landed, schema)


def test_a_pull_request_builds_what_it_changes_in_a_schema_of_its_own(
    new_job: Callable[..., Job], landed: ThriftProject, tmp_path: Path
) -> None:
    nightly = new_job("prod_of_pr")
    built = nightly.dbt("build", *variables())
    assert built.success, built.log
    before = {name: rows(landed, f"prod_of_pr.{name}") for name in MODELS}
    state = tmp_path / "state"
    shutil.copytree(nightly.folder / "target", state)

    check_run = new_job(CI)
    write_model(check_run.folder, "doubled", MODELS["doubled"].replace("n * 2", "n * 3"))
    deferring = ["--select", "state:modified+", "--defer", "--state", str(state)]
    # all of its intervals by default, and with one variable of the project's own no more than wanted
    few = check_run.dbt("build", *deferring, *variables(first_day="2024-01-03"))
    assert few.success, few.log
    assert landed.rows(f"select id, n from {CI}.doubled") == landed.rows(
        "select id, n * 3 from landed.events where id >= 4"
    )
    every = check_run.dbt("build", *deferring, *variables())
    assert every.success, every.log
    assert landed.rows(f"select id, n from {CI}.doubled") == landed.rows("select id, n * 3 from landed.events")
    # nothing of production was written, and only what was changed is there
    assert {name: rows(landed, f"prod_of_pr.{name}") for name in MODELS} == before
    assert {row[1] for row in landed.sql(f"show tables in {CI}")} == {"doubled", "dbt_kinds_intervals"}

    # what production's store says that it has loaded again since is loaded again here
    landed.sql("update {schema}.events set n = n + 1 where id = 6")
    window = variables(kinds_start="2024-01-04", kinds_end="2024-01-05")
    assert nightly.dbt("run", "--select", "daily", *window).success
    followed = check_run.dbt("build", *deferring, *variables())
    assert followed.success, followed.log
    (batch,) = followed.lines("doubled: batch")
    assert "batch 1 of 1, 2024-01-04T00:00:00 to 2024-01-05T00:00:00" in batch
    assert landed.rows(f"select id, n from {CI}.doubled") == landed.rows("select id, n * 3 from landed.events")

    cloned = check_run.dbt("clone", "--state", str(state), "--select", "daily")
    assert not cloned.success
    assert "dbt_kinds: model daily: dbt clone copies rows" in cloned.log

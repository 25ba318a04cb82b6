"""A standalone Spark cluster with two workers: tables are what they are on one machine, whatever dies."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from dbt_kinds.local.profile import local_profile
from tests.functional.cluster import Cluster, spark_cluster
from tests.functional.daily_rows import DailyRows, midnight
from tests.functional.every_kind import EveryKind
from tests.functional.process import DbtProcess, OwnSparkProject
from tests.functional.speed import SETTINGS, quick_jvms
from tests.functional.thrift import ThriftProject, thrift_server

pytestmark = pytest.mark.sweep

FORMATS = ["iceberg", "parquet"]
DAYS = 6
PROCESS = "java_method('java.lang.ProcessHandle', 'current')"
TABLES = [f"{file_format}_days" for file_format in FORMATS]


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    quick_jvms()
    with spark_cluster(tmp_path_factory.mktemp("cluster")) as cluster:
        yield cluster


def test_every_kind_through_a_server_on_the_cluster(cluster: Cluster, tmp_path: Path) -> None:
    with thrift_server(tmp_path / "server", SETTINGS | cluster.settings) as server:
        project = ThriftProject(tmp_path / "shop", server, "shop", threads=4)
        project.sql("create schema {schema}")
        shop = EveryKind(project, FORMATS, project.sql)

        def check() -> None:
            assert not shop.wrong()

        shop.load_four_days(check)
        project.run(now=shop.now())
        check()
        # the tasks of one query ran in two processes
        assert len(project.sql(f"select distinct {PROCESS} from range(0, 100, 1, 8)")) == 2


def days_project(cluster: Cluster, folder: Path) -> OwnSparkProject:
    """Models by day whose driver is dbt's own process."""
    profile = local_profile(folder / "spark", name="local", schema="shop", threads=2)
    parameters = profile["local"]["outputs"]["local"]["server_side_parameters"]
    # the metastore of a driver that is killed has to be found by the next one
    parameters |= {name: value for name, value in SETTINGS.items() if "ConnectionURL" not in name} | cluster.settings
    project = OwnSparkProject(folder / "days", profile, "shop")
    query = "select id, ts, version from {{ target.schema }}.source_rows"
    for table, file_format in zip(TABLES, FORMATS, strict=True):
        project.kind(table, query, config=f"file_format='{file_format}'", batch_size=1)
    return project


def started(project: OwnSparkProject, source: DailyRows) -> DbtProcess:
    process = DbtProcess(project)
    process.call("start")
    process.call("sql", "create schema if not exists {schema}")
    process.call("sql", source.view("{schema}.source_rows"))
    return process


def check(process: DbtProcess, source: DailyRows) -> None:
    for table in TABLES:
        rows = process.call("rows", f"select id, version from {{schema}}.{table}")
        assert sorted(rows) == sorted(source.rows(DAYS))
        assert process.call("recorded", table) == [[midnight(0), midnight(DAYS)]]


def until_second_batch(process: DbtProcess) -> None:
    for said in process.said():
        if said.kind == "log" and "batch 2 of" in said.text:
            return
    raise AssertionError("the run was over")


def test_a_worker_dies_in_a_backfill(cluster: Cluster, tmp_path: Path) -> None:
    source = DailyRows(DAYS)
    process = started(days_project(cluster, tmp_path), source)
    try:
        process.begin("run", now=midnight(DAYS))
        until_second_batch(process)
        cluster.kill("two")
        assert process.result().success
        check(process, source)
    finally:
        process.kill()
        cluster.start_worker("two")


def test_the_driver_dies_in_a_backfill(cluster: Cluster, tmp_path: Path) -> None:
    source = DailyRows(DAYS)
    project = days_project(cluster, tmp_path)
    process = started(project, source)
    process.begin("run", now=midnight(DAYS))
    until_second_batch(process)
    process.kill()
    process = started(project, source)
    try:
        run = process.call("run", now=midnight(DAYS))
        # what was recorded is not loaded again
        assert all(len(run.batches(table)) < DAYS for table in TABLES)
        check(process, source)
        assert not process.call("run", now=midnight(DAYS)).batches(TABLES[0])
    finally:
        process.kill()

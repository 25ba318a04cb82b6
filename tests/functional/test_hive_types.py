"""A Hive metastore with its own defaults refuses tables whose columns change type: the table is made anew."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.functional.thrift import ThriftProject, ThriftServer, thrift_server

SETTING = "spark.hadoop.hive.metastore.disallow.incompatible.col.type.changes"


@pytest.fixture(scope="module")
def strict_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ThriftServer]:
    with thrift_server(tmp_path_factory.mktemp("strict") / "server", {SETTING: "true"}) as server:
        yield server


@pytest.mark.sweep
def test_columns_may_change_type_under_hives_defaults(strict_server: ThriftServer, tmp_path: Path) -> None:
    project = ThriftProject(tmp_path / "project", strict_server, "strict")
    for select, expected in (
        ("1 as a, 'x' as b", [(1, "x")]),
        ("array('y') as a, 2 as b, 3 as c", [('["y"]', 2, 3)]),
        ("date '2024-01-02' as a", [("2024-01-02",)]),
    ):
        project.kind("whole", f"select {select}", kind="full", config="file_format='iceberg'", start=None)
        run = project.dbt("run", now="2024-01-05")
        assert run.success, run.errors
        found = project.sql("select * from strict.whole")
        assert [tuple(map(str, row)) for row in found] == [tuple(map(str, row)) for row in expected]
    assert "is dropped and recreated, and its snapshots are lost" in run.errors

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from dbt_kinds.local.java import use_java_17
from dbt_kinds.local.profile import local_profile
from tests.functional.formats import formats, table_format
from tests.functional.project import Project, start_spark
from tests.functional.speed import SETTINGS, lean_package, quick_dbt, quick_jvms
from tests.functional.thrift import ThriftServer, thrift_server
from tests.sweep import rest

quick_dbt()


@pytest.fixture(scope="session")
def local_spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Mapping[str, Any]]:
    """The profile of an embedded Spark with a metastore of its own, and that Spark, started."""
    use_java_17()
    quick_jvms()
    folder = tmp_path_factory.mktemp("spark")
    profile = local_profile(folder, name="local", schema="unused", threads=4, table_format=table_format())
    profile["local"]["outputs"]["local"]["server_side_parameters"] |= SETTINGS
    session = start_spark(profile)
    yield profile
    session.stop()


@pytest.fixture(scope="session")
def thrift(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ThriftServer]:
    """A Spark Thrift server, started for the first test that asks for it."""
    quick_jvms()
    with thrift_server(tmp_path_factory.mktemp("thrift") / "server") as server:
        yield server


@pytest.fixture(scope="session")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The package as most projects have it: without the descriptions of its macros."""
    return lean_package(tmp_path_factory.mktemp("package"))


@pytest.fixture
def new_project(
    local_spark: Mapping[str, Any], package: Path, tmp_path: Path, request: pytest.FixtureRequest
) -> Callable[[str], Project]:
    """Makes projects whose schemas belong to this test alone."""
    number = request.session.stash.setdefault(_NUMBER, [0])

    def create(name: str = "project") -> Project:
        number[0] += 1
        return Project(tmp_path / name, local_spark, f"t{number[0]}", package)

    return create


@pytest.fixture
def project(new_project: Callable[[str], Project]) -> Project:
    return new_project("project")


_NUMBER = pytest.StashKey[list[int]]()
_FORMATS = formats("iceberg,parquet")


@pytest.fixture(params=rest(_FORMATS, _FORMATS[0]))
def file_format(request: pytest.FixtureRequest) -> str:
    return str(request.param)

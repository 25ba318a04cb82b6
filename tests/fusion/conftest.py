from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from tests.functional.speed import SETTINGS, quick_dbt, quick_jvms
from tests.functional.thrift import ThriftServer, thrift_server
from tests.fusion.engine import Engine, EngineMissing, fetched_engine
from tests.fusion.project import TwoEngineProject
from tests.fusion.statements import Statements, listening

quick_dbt()


@pytest.fixture(scope="session")
def engine() -> Engine:
    """dbt 2.0 and its driver; tests that want it are skipped where it cannot be had."""
    try:
        return fetched_engine()
    except EngineMissing as missing:
        pytest.skip(str(missing))


@pytest.fixture(scope="session")
def thrift(engine: Engine, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ThriftServer]:
    """A Spark Thrift server on which both engines work."""
    quick_jvms()
    with thrift_server(tmp_path_factory.mktemp("thrift") / "server", SETTINGS) as server:
        yield server


@pytest.fixture(scope="session")
def new_project(
    engine: Engine, thrift: ThriftServer, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Callable[[str], TwoEngineProject]]:
    """Makes projects in schemas of their own."""
    folder = tmp_path_factory.mktemp("projects")
    statements = Statements(thrift)
    # the path of a socket has 107 letters at most
    socket = folder / "s"

    def create(name: str) -> TwoEngineProject:
        return TwoEngineProject(folder / name, thrift, name, engine, socket, statements)

    with listening(socket, statements):
        yield create

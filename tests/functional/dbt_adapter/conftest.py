"""The fixtures of dbt-tests-adapter, on the one Spark session of the test run, with dbt_kinds installed and its kinds as defaults."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import dbt.tests.util
import pytest
import yaml
from dbt.adapters.factory import reset_adapters
from dbt.tests.fixtures.project import *  # noqa: F403 - pytest finds fixtures by the names in this module

from tests.functional.dbt_adapter.clock import Clock, runner
from tests.functional.project import PACKAGE


@pytest.fixture(scope="class")
def dbt_profile_target(local_spark: Mapping[str, Any]) -> dict[str, Any]:
    # dbt would go on with the adapter of a test before, of another server, whatever the profile says
    reset_adapters()
    return dict(local_spark["local"]["outputs"]["local"])


@pytest.fixture(scope="class")
def kind() -> str:
    """What a model is that says nothing."""
    return "full"


@pytest.fixture(scope="class")
def table_format() -> str:
    return "iceberg"


@pytest.fixture(scope="class")
def dbt_project_yml(project_root: Any, project_config_update: dict[str, Any], kind: str, table_format: str) -> None:
    """Writes a project whose models are of that kind and format, and what the test says beside it."""
    (Path(project_root) / "dbt_packages").mkdir()
    (Path(project_root) / "dbt_packages" / "dbt_kinds").symlink_to(PACKAGE)
    settings = {"name": "test", "profile": "test", "flags": {"send_anonymous_usage_stats": False}}
    models = {"+materialized": kind, "+file_format": table_format, "+meta": {"start": "2024-01-01"}}
    models |= project_config_update.get("models", {})
    # dbt-spark drops a seed to load it again, and under Iceberg's session catalog the files of another format would stay
    seeds = {"+file_format": "iceberg"} | project_config_update.get("seeds", {})
    given = settings | project_config_update | {"models": models, "seeds": seeds}
    (Path(project_root) / "dbt_project.yml").write_text(yaml.safe_dump(given))


@pytest.fixture(scope="class")
def logs_dir(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with pytest.MonkeyPatch.context() as patch:
        folder = str(tmp_path_factory.mktemp("logs"))
        patch.setenv("DBT_LOG_PATH", folder)
        yield folder


@pytest.fixture(scope="class", autouse=True)
def clock() -> Iterator[Clock]:
    clock = Clock()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(dbt.tests.util, "dbtRunner", runner(clock))
        yield clock

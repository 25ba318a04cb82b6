"""Hooks of models of the kind full, which run every time."""

from __future__ import annotations

from typing import Any

import pytest
from dbt.tests.adapter.hooks import test_model_hooks as hooks

COLUMNS = (
    "test_state, target_dbname, target_host, target_name, target_schema, target_type, target_user, target_pass, "
    "target_threads, run_started_at, invocation_id, thread_id"
)


class OnSpark:
    """What is of Postgres in the tests of hooks, for Spark: how the table is made and read, and what a profile says."""

    @pytest.fixture(scope="class", autouse=True)
    def setUp(self, project: Any) -> None:
        columns = COLUMNS.replace(", ", " string, ").replace("target_threads string", "target_threads int") + " string"
        project.run_sql(f"create table {project.test_schema}.on_model_hook ({columns}) using iceberg")

    def check_hooks(self, state: str, project: Any, host: str | None, count: int = 1) -> None:
        query = f"select {COLUMNS} from {project.test_schema}.on_model_hook where test_state = '{state}'"
        rows = [dict(zip(COLUMNS.split(", "), row, strict=True)) for row in project.run_sql(query, fetch="all")]
        assert len(rows) == count
        for row in rows:
            assert row["target_name"] == "default"
            assert row["target_schema"] == project.test_schema
            assert row["target_threads"] == 4
            assert row["target_type"] == "spark"
            assert row["run_started_at"] and row["invocation_id"] and row["thread_id"].startswith("Thread-")


IN_PROJECT = {"models": {"test": {"pre-hook": [hooks.MODEL_PRE_HOOK], "post-hook": [hooks.MODEL_POST_HOOK]}}}


class TestModelHooks(OnSpark, hooks.BasePrePostModelHooks):
    @pytest.fixture(scope="class")
    def project_config_update(self) -> dict[str, Any]:
        return IN_PROJECT


@pytest.mark.sweep
class TestHookRefs(OnSpark, hooks.BaseHookRefs):
    pass


@pytest.mark.sweep
class TestModelHooksInConfig(OnSpark, hooks.BasePrePostModelHooksInConfig):
    pass


@pytest.mark.sweep
class TestModelHooksInConfigWithCount(OnSpark, hooks.BasePrePostModelHooksInConfigWithCount):
    @pytest.fixture(scope="class")
    def project_config_update(self) -> dict[str, Any]:
        return IN_PROJECT


@pytest.mark.sweep
class TestModelHooksInConfigKwargs(OnSpark, hooks.BasePrePostModelHooksInConfigKwargs):
    @pytest.fixture(scope="class")
    def table_format(self) -> str:
        return "parquet"


@pytest.mark.sweep
class TestDuplicateHooksInConfigs(hooks.BaseDuplicateHooksInConfigs):
    pass

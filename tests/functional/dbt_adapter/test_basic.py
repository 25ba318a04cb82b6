"""The kind full and the keyed kind where dbt's basic tests have tables and incremental models."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from dbt.tests.adapter.basic import files, test_ephemeral
from dbt.tests.adapter.basic.test_base import BaseSimpleMaterializations
from dbt.tests.adapter.basic.test_empty import BaseEmpty
from dbt.tests.adapter.basic.test_generic_tests import BaseGenericTests
from dbt.tests.adapter.basic.test_incremental import BaseIncremental, BaseIncrementalNotSchemaChange
from dbt.tests.adapter.basic.test_singular_tests_ephemeral import BaseSingularTestsEphemeral
from dbt.tests.adapter.basic.test_table_materialization import BaseTableMaterialization, model_sql
from dbt.tests.util import get_manifest

from tests.functional.dbt_adapter.sql import TABLE_IS_THERE, as_kind

SWAPPABLE = """{{ config(
  materialized={'table': 'full', 'incremental': 'incremental_by_unique_key'}.get(var('materialized_var', 'table'), 'view'),
  meta={'unique_key': 'id'} if var('materialized_var', 'table') == 'incremental' else {}
) }}"""


@pytest.mark.sweep
class TestSimpleMaterializations(BaseSimpleMaterializations):
    @pytest.fixture(scope="class")
    def models(self) -> dict[str, Any]:
        return {
            "view_model.sql": files.base_view_sql,
            "table_model.sql": as_kind(files.base_table_sql),
            "swappable.sql": SWAPPABLE + files.model_base,
            "schema.yml": files.schema_base_yml,
        }


class TestIncremental(BaseIncremental):
    @pytest.fixture(scope="class")
    def models(self) -> dict[str, Any]:
        return {
            "incremental.sql": as_kind(files.incremental_sql, is_incremental=TABLE_IS_THERE, unique_key="id"),
            "schema.yml": files.schema_base_yml,
        }


@pytest.mark.sweep
class TestIncrementalUnmanagedOnParquet(BaseIncremental):
    """Only what is new is appended, as is_incremental() had it."""

    @pytest.fixture(scope="class")
    def table_format(self) -> str:
        return "parquet"

    @pytest.fixture(scope="class")
    def models(self) -> dict[str, Any]:
        incremental = as_kind(files.incremental_sql, kind="incremental_unmanaged", is_incremental=TABLE_IS_THERE)
        return {"incremental.sql": incremental, "schema.yml": files.schema_base_yml}


@pytest.mark.sweep
class TestIncrementalNotSchemaChange(BaseIncrementalNotSchemaChange):
    @pytest.fixture(scope="class")
    def models(self) -> dict[str, Any]:
        return {
            "incremental_not_schema_change.sql": as_kind(
                files.incremental_not_schema_change_sql, is_incremental=TABLE_IS_THERE
            )
        }


class TestEphemeral(test_ephemeral.BaseEphemeral):
    @pytest.fixture(scope="class", autouse=True)
    def without_hooks(self) -> Iterator[None]:
        """They count what is in the manifest; the package's hooks are in it, too."""

        def models_and_seeds(project_root: str) -> Any:
            manifest = get_manifest(project_root)
            hooks = [name for name, node in manifest.nodes.items() if node.resource_type == "operation"]
            for name in hooks:
                del manifest.nodes[name]
            return manifest

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(test_ephemeral, "get_manifest", models_and_seeds)
            yield

    @pytest.fixture(scope="class")
    def models(self) -> dict[str, Any]:
        return {
            "ephemeral.sql": files.base_ephemeral_sql,
            "view_model.sql": files.ephemeral_view_sql,
            "table_model.sql": as_kind(files.ephemeral_table_sql),
            "schema.yml": files.schema_base_yml,
        }


@pytest.mark.sweep
class TestSingularTestsEphemeral(BaseSingularTestsEphemeral):
    pass


@pytest.mark.sweep
class TestGenericTests(BaseGenericTests):
    @pytest.fixture(scope="class")
    def models(self) -> dict[str, Any]:
        return {
            "view_model.sql": files.base_view_sql,
            "table_model.sql": as_kind(files.base_table_sql),
            "schema.yml": files.schema_base_yml,
            "schema_view.yml": files.generic_test_view_yml,
            "schema_table.yml": files.generic_test_table_yml,
        }


@pytest.mark.sweep
class TestTableMaterialization(BaseTableMaterialization):
    @pytest.fixture(scope="class")
    def models(self) -> dict[str, Any]:
        return {"materialized.sql": as_kind(model_sql)}


@pytest.mark.sweep
class TestEmptyProject(BaseEmpty):
    """The package alone adds nothing to a project."""

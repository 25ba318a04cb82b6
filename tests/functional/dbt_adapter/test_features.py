"""What else dbt expects to work whatever materializes a model: names, comments, samples, unit tests, show, docs."""

from __future__ import annotations

from typing import Any

import pytest
from dbt.tests.adapter.aliases import test_aliases as aliases
from dbt.tests.adapter.catalog import files as catalog_files
from dbt.tests.adapter.catalog.relation_types import CatalogRelationTypes
from dbt.tests.adapter.concurrency import test_concurrency as concurrency
from dbt.tests.adapter.dbt_show.test_dbt_show import BaseShowLimit, BaseShowSqlHeader
from dbt.tests.adapter.empty import test_empty as empty
from dbt.tests.adapter.ephemeral.test_ephemeral import BaseEphemeralErrorHandling
from dbt.tests.adapter.query_comment import test_query_comment as query_comment
from dbt.tests.adapter.relations.test_changing_relation_type import BaseChangeRelationTypeValidator
from dbt.tests.adapter.sample_mode import fixtures as sample_fixtures
from dbt.tests.adapter.sample_mode.test_sample_mode import BaseSampleModeTest
from dbt.tests.adapter.simple_copy.test_simple_copy import SimpleCopyBase
from dbt.tests.adapter.unit_testing.test_case_insensitivity import BaseUnitTestCaseInsensivity
from dbt.tests.adapter.unit_testing.test_invalid_input import BaseUnitTestInvalidInput
from dbt.tests.adapter.unit_testing.test_types import BaseUnitTestingTypes, BaseUnitTestingVarcharFixtureNoTruncation

from tests.functional.dbt_adapter.sql import TABLE_IS_THERE, as_kind, as_kinds


class AliasesOnSpark:
    @pytest.fixture(scope="class")
    def macros(self) -> dict[str, str]:
        cast = "{% macro string_literal(s) %}'{{ s }}'{% endmacro %}"
        return {"cast.sql": cast, "expect_value.sql": aliases.fixtures.MACROS__EXPECT_VALUE_SQL}


class TestAliases(AliasesOnSpark, aliases.BaseAliases):
    @pytest.fixture(scope="class")
    def models(self) -> dict[str, str]:
        found = aliases.fixtures
        return as_kinds(
            {
                "schema.yml": found.MODELS__SCHEMA_YML,
                "foo_alias.sql": found.MODELS__FOO_ALIAS_SQL,
                "alias_in_project.sql": found.MODELS__ALIAS_IN_PROJECT_SQL,
                "alias_in_project_with_override.sql": found.MODELS__ALIAS_IN_PROJECT_WITH_OVERRIDE_SQL,
                "ref_foo_alias.sql": found.MODELS__REF_FOO_ALIAS_SQL,
            }
        )


@pytest.mark.sweep
class TestAliasErrors(AliasesOnSpark, aliases.BaseAliasErrors):
    pass


@pytest.mark.sweep
class TestSameAliasDifferentSchemas(AliasesOnSpark, aliases.BaseSameAliasDifferentSchemas):
    pass


@pytest.mark.sweep
class TestConcurrency(concurrency.BaseConcurrency):
    @pytest.fixture(scope="class")
    def models(self) -> dict[str, str]:
        return as_kinds(
            {
                "invalid.sql": concurrency.models__invalid_sql,
                "table_a.sql": concurrency.models__table_a_sql,
                "table_b.sql": concurrency.models__table_b_sql,
                "view_model.sql": concurrency.models__view_model_sql,
                "dep.sql": concurrency.models__dep_sql,
                "view_with_conflicting_cascade.sql": concurrency.models__view_with_conflicting_cascade_sql,
                "skip.sql": concurrency.models__skip_sql,
            }
        )


@pytest.mark.sweep
class TestChangeRelationTypes(BaseChangeRelationTypeValidator):
    """Views, tables of dbt-spark and tables of kinds in one place, one after the other."""

    @pytest.fixture(scope="class")
    def models(self) -> dict[str, str]:
        sql = "{{ config(materialized=var('materialized'), meta={'unique_key': 'materialization'} if var('materialized') == 'incremental_by_unique_key' else {}) }}"
        return {"model_mc_modelface.sql": f"{sql}\nselect '{{{{ var('materialized') }}}}' as materialization"}

    def test_changing_materialization_changes_relation_type(self, project: Any) -> None:
        for materialization in ("view", "full", "view", "incremental_by_unique_key", "table", "full", "view"):
            self._run_and_check_materialization(materialization)


class TestShowLimit(BaseShowLimit):
    pass


@pytest.mark.sweep
class TestShowSqlHeader(BaseShowSqlHeader):
    pass


@pytest.mark.sweep
class TestEmptyInlineSourceRef(empty.BaseTestEmptyInlineSourceRef):
    pass


class TestSampleMode(BaseSampleModeTest):
    @pytest.fixture(scope="class")
    def model_that_samples_input_sql(self) -> str:
        return as_kind(sample_fixtures.model_that_samples_input_sql)

    @pytest.fixture(scope="class")
    def input_model_sql(self) -> str:
        return as_kind(sample_fixtures.input_model_sql)


@pytest.mark.sweep
class TestEphemeralErrorHandling(BaseEphemeralErrorHandling):
    pass


class TestQueryComments(query_comment.BaseQueryComments):
    pass


@pytest.mark.sweep
class TestMacroQueryComments(query_comment.BaseMacroQueryComments):
    pass


@pytest.mark.sweep
class TestMacroInvalidQueryComments(query_comment.BaseMacroInvalidQueryComments):
    pass


@pytest.mark.sweep
class TestNullQueryComments(query_comment.BaseNullQueryComments):
    pass


@pytest.mark.sweep
class TestSimpleCopy(SimpleCopyBase):
    test_simple_copy_with_materialized_views = None  # Spark has none

    @pytest.fixture(scope="class")
    def models(self) -> dict[str, str]:
        return as_kinds(_simple_copy_models(), is_incremental=TABLE_IS_THERE, unique_key="id")


def _simple_copy_models() -> dict[str, str]:
    from dbt.tests.adapter.simple_copy import fixtures

    names = "advanced_incremental compound_sort disabled empty get_and_ref incremental interleaved_sort materialized view_model"
    return {f"{name}.sql": getattr(fixtures, f"_MODELS__{name.upper()}") for name in names.split()}


@pytest.mark.sweep
class TestCatalogRelationTypes(CatalogRelationTypes):
    @pytest.fixture(scope="class", autouse=True)
    def models(self) -> dict[str, str]:
        return as_kinds({"my_table.sql": catalog_files.MY_TABLE, "my_view.sql": catalog_files.MY_VIEW})

    @pytest.mark.parametrize(
        ("node_name", "relation_type"), [("model.test.my_table", "table"), ("model.test.my_view", "view")]
    )
    def test_relation_types_populate_correctly(self, docs: Any, node_name: str, relation_type: str) -> None:
        super().test_relation_types_populate_correctly(docs, node_name, relation_type)


@pytest.mark.sweep
class TestUnitTestCaseInsensitivity(BaseUnitTestCaseInsensivity):
    pass


@pytest.mark.sweep
class TestUnitTestInvalidInput(BaseUnitTestInvalidInput):
    pass


@pytest.mark.sweep
class TestUnitTestingTypes(BaseUnitTestingTypes):
    @pytest.fixture
    def data_types(self) -> list[list[str]]:
        return [
            ["1", "1"],
            ["'1'", "1"],
            ["true", "true"],
            ["date '2020-01-02'", "2020-01-02"],
            ["timestamp '2013-11-03 00:00:00-0'", "2013-11-03 00:00:00-0"],
        ]


@pytest.mark.sweep
class TestUnitTestingVarchar(BaseUnitTestingVarcharFixtureNoTruncation):
    pass

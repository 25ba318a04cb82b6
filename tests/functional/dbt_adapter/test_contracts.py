"""Contracts: what dbt compares before it writes. Constraints that a database enforces are another matter, see docs/reference/dbt_tests_adapter.md."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from dbt.tests.adapter.constraints import fixtures
from dbt.tests.adapter.constraints.test_constraints import BaseConstraintsColumnsEqual

from tests.functional.dbt_adapter.sql import as_kind, as_kinds

TYPES = [
    ["1", "int", "int"],
    ["'1'", "string", "string"],
    ["true", "boolean", "boolean"],
    ["timestamp '2013-11-03 00:00:00-07'", "timestamp", "timestamp"],
    ["array(1, 2)", "array<int>", "array<int>"],
    ["cast('1' as decimal(10, 2))", "decimal(10,2)", "decimal(10,2)"],
]


class OnSpark(BaseConstraintsColumnsEqual):
    @pytest.fixture(scope="class", autouse=True)
    def data_type_of_a_kind(self) -> Iterator[None]:
        """The model that a test writes itself."""
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(fixtures, "my_model_data_type_sql", as_kind(fixtures.my_model_data_type_sql))
            yield

    @pytest.fixture
    def string_type(self) -> str:
        return "string"

    @pytest.fixture
    def int_type(self) -> str:
        return "int"

    @pytest.fixture
    def data_types(self) -> list[list[str]]:
        return TYPES


def of_spark(properties: str) -> str:
    return properties.replace("data_type: text", "data_type: string").replace("data_type: integer", "data_type: int")


class TestColumnsEqual(OnSpark):
    @pytest.fixture(scope="class")
    def models(self) -> dict[str, str]:
        models = {
            "my_model_wrong_order.sql": fixtures.my_model_wrong_order_sql,
            "my_model_wrong_name.sql": fixtures.my_model_wrong_name_sql,
        }
        return as_kinds(models) | {"constraints_schema.yml": of_spark(fixtures.model_schema_yml)}

    @pytest.mark.sweep
    def test__constraints_correct_column_data_types(self, project: Any, data_types: list[list[str]]) -> None:
        super().test__constraints_correct_column_data_types(project, data_types)


@pytest.mark.sweep
class TestIncrementalColumnsEqual(OnSpark):
    # the model whose types they try is a table in both classes
    test__constraints_wrong_column_data_types = None
    test__constraints_correct_column_data_types = None

    @pytest.fixture(scope="class")
    def models(self) -> dict[str, str]:
        models = {
            "my_model_wrong_order.sql": fixtures.my_model_incremental_wrong_order_sql,
            "my_model_wrong_name.sql": fixtures.my_model_incremental_wrong_name_sql,
        }
        kinds = {name: as_kind(sql, unique_key="color") for name, sql in models.items()}
        return kinds | {"constraints_schema.yml": of_spark(fixtures.model_schema_yml)}

"""Incremental models as models of the keyed kind, of the unmanaged one, and of the kind by time range."""

from __future__ import annotations

from typing import Any

import pytest
from dbt.tests.adapter.incremental import fixtures, test_incremental_microbatch
from dbt.tests.adapter.incremental import test_incremental_unique_id as unique_id
from dbt.tests.adapter.incremental.test_incremental_merge_exclude_columns import (
    BaseMergeExcludeColumns,
    models__merge_exclude_columns_sql,
)
from dbt.tests.adapter.incremental.test_incremental_on_schema_change import BaseIncrementalOnSchemaChange
from dbt.tests.adapter.incremental.test_incremental_predicates import (
    BaseIncrementalPredicates,
    models__delete_insert_incremental_predicates_sql,
    seeds__expected_delete_insert_incremental_predicates_csv,
)
from dbt.tests.util import run_dbt

from tests.functional.dbt_adapter.clock import Clock
from tests.functional.dbt_adapter.sql import TABLE_IS_THERE, as_kind, as_kinds


def as_seeded(sql: str) -> str:
    """On a session dbt-spark writes the text None where a seed has nothing (measured on 1.11)."""
    return sql.replace("null", "'None'")


@pytest.mark.sweep
class TestUniqueKey(unique_id.BaseIncrementalUniqueKey):
    """A city is the key where theirs is a state, which two rows share: the kind refuses a key that is none."""

    @pytest.fixture(scope="class")
    def models(self) -> dict[str, Any]:
        of_a_city = unique_id.models__str_unique_key_sql.replace("='state'", "='city'")
        of_a_list = unique_id.models__unary_unique_key_list_sql.replace("=['state']", "=['city']")
        of_the_same_twice = unique_id.models__duplicated_unary_unique_key_list_sql.replace(
            "['state', 'state']", "['city', 'city']"
        )
        keyed = {
            "trinary_unique_key_list.sql": unique_id.models__trinary_unique_key_list_sql,
            "nontyped_trinary_unique_key_list.sql": unique_id.models__nontyped_trinary_unique_key_list_sql,
            "unary_unique_key_list.sql": of_a_list,
            "str_unique_key.sql": of_a_city,
            "duplicated_unary_unique_key_list.sql": of_the_same_twice,
            "not_found_unique_key.sql": unique_id.models__not_found_unique_key_sql,
            "not_found_unique_key_list.sql": unique_id.models__not_found_unique_key_list_sql,
            "empty_unique_key_list.sql": unique_id.models__empty_unique_key_list_sql,
            "empty_str_unique_key.sql": unique_id.models__empty_str_unique_key_sql,
            "one_str__overwrite.sql": as_seeded(unique_id.models__expected__one_str__overwrite_sql),
            "unique_key_list__inplace_overwrite.sql": as_seeded(
                unique_id.models__expected__unique_key_list__inplace_overwrite_sql
            ),
        }
        appended = {"no_unique_key.sql": unique_id.models__no_unique_key_sql}
        return as_kinds(keyed, null_keys="match") | as_kinds(appended, kind="incremental_unmanaged")

    @pytest.fixture(scope="class")
    def project_config_update(self) -> dict[str, Any]:
        """They insert dates as text, which Spark stores as text only."""
        return {"seeds": {"+column_types": {"last_visit_date": "string"}}}

    @pytest.fixture(autouse=True)
    def clean_up(self) -> None:
        """
        Every test rebuilds what it reads. Dropping the schema would not do: for half a minute Iceberg remembers tables that went with a schema,
        and does not create them again.
        """

    def fail_to_build_inc_missing_unique_key_column(self, incremental_model_name: str) -> tuple[Any, str]:
        """Refused at once, where dbt finds out on the second run."""
        run_dbt(["seed", "--select", "seed", "--full-refresh"])
        failed = run_dbt(["run", "--select", incremental_model_name, "--full-refresh"], expect_pass=False).results[0]
        return failed.status, failed.message

    def test__empty_unique_key_list(self, project: Any) -> None:
        assert "unique_key" in self.fail_to_build_inc_missing_unique_key_column("empty_unique_key_list")[1]

    def test__empty_str_unique_key(self, project: Any) -> None:
        assert "unique_key" in self.fail_to_build_inc_missing_unique_key_column("empty_str_unique_key")[1]


@pytest.mark.sweep
class TestMergeExcludeColumns(BaseMergeExcludeColumns):
    @pytest.fixture(scope="class")
    def models(self) -> dict[str, Any]:
        return {"merge_exclude_columns.sql": as_kind(models__merge_exclude_columns_sql)}


@pytest.mark.sweep
class TestMergeExcludeColumnsOnParquet(TestMergeExcludeColumns):
    @pytest.fixture(scope="class")
    def table_format(self) -> str:
        return "parquet"


class TestPredicates(BaseIncrementalPredicates):
    """A row whose key matches and whose predicate does not stays as it is; by dbt's delete+insert it would be there twice."""

    @pytest.fixture(scope="class")
    def project_config_update(self) -> dict[str, Any]:
        return {"models": {"+incremental_predicates": ["target.id != 2"]}}

    @pytest.fixture(scope="class")
    def models(self) -> dict[str, Any]:
        return {
            "delete_insert_incremental_predicates.sql": as_kind(models__delete_insert_incremental_predicates_sql),
        }

    @pytest.fixture(scope="class")
    def seeds(self) -> dict[str, Any]:
        rows = seeds__expected_delete_insert_incremental_predicates_csv.replace("2,yo,green\n", "")
        return {"expected_delete_insert_incremental_predicates.csv": rows}

    def get_expected_fields(self, relation: str, seed_rows: int, opt_model_count: int | None = None) -> Any:
        return super().get_expected_fields(relation=relation, seed_rows=3, opt_model_count=opt_model_count)


@pytest.mark.sweep
class TestOnSchemaChange(BaseIncrementalOnSchemaChange):
    """The second of two runs has other columns."""

    @pytest.fixture(scope="class")
    def models(self) -> dict[str, str]:
        prefix = "_MODELS__INCREMENTAL_"
        theirs = {
            name: sql for name, sql in vars(fixtures).items() if name.startswith(prefix) and "SPECIAL" not in name
        }
        models = {f"incremental_{name.removeprefix(prefix).lower()}.sql": sql for name, sql in theirs.items()}
        return as_kinds(models | {"model_a.sql": fixtures._MODELS__A}, is_incremental=TABLE_IS_THERE)


class TestMicrobatch(test_incremental_microbatch.BaseMicrobatch):
    """By time range, with the day that is not over loaded as far as it has come, as microbatch does, whatever cron says."""

    @pytest.fixture(scope="class")
    def project_config_update(self) -> dict[str, Any]:
        return {"vars": {"kinds_ignore_cron": True}}

    @pytest.fixture(scope="class", autouse=True)
    def end_of_time(self, clock: Clock) -> Any:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(test_incremental_microbatch, "patch_microbatch_end_time", clock.at)
            yield

    @pytest.fixture(scope="class")
    def microbatch_model_sql(self) -> str:
        config = "event_time='event_time', meta={'start': '2020-01-01', 'allow_partials': true}"
        return f"{{{{ config(materialized='incremental_by_time_range', {config}) }}}}\nselect * from {{{{ ref('input_model') }}}}"

    @pytest.fixture(scope="class")
    def input_model_sql(self) -> str:
        return as_kind(str(test_incremental_microbatch._input_model_sql))

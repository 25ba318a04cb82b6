"""Hooks that delete from the model's own table: those that a kind may run as dbt did, and those that leave the model."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.migrating import migrated, one
from tests.unit.test_prove import verdict_of

MACROS = {
    "macros/removed.sql": "{% macro removed(table, key) %}{% set sql %}delete from {{ '{{ this }}' }} where {{ key }} in "
    "(select {{ key }} from {{ '{{ ref(\\'' ~ table ~ '\\') }}' }} where is_deleted = true){% endset %}"
    "{{ return(sql | trim) }}{% endmacro %}",
    "macros/logged.sql": "{% macro logged() %}{% do run_query('select 1') %}delete from {{ this }} where is_deleted{% endmacro %}",
}
FILTERED = "{% if is_incremental() %} where loaded_at > (select max(loaded_at) from {{ this }}) {% endif %}"


def model(hook: str) -> str:
    return (
        f"{{{{ config(materialized='incremental', unique_key='id', incremental_strategy='merge', post_hook={hook}) }}}}\n"
        f"select id, amount, is_deleted, loaded_at from {{{{ ref('raw') }}}} {FILTERED}\n"
    )


KEPT = [
    "removed('raw', 'id')",
    "[removed('raw', 'id')]",
    "'delete from {{ this }} where is_deleted'",
    "'delete from {{ this }} where id in (select id from {{ ref(\"removals\") }})'",
    '\'delete from {{ this }} as t where exists (select 1 from {{ source("a", "b") }} as s where s.id = t.id)\'',
]


@pytest.mark.parametrize("hook", KEPT)
def test_a_hook_that_deletes_by_what_rows_or_another_table_hold_stays(hook: str, tmp_path: Path) -> None:
    result = one(migrated(tmp_path, {"m": model(hook), **MACROS}, "databricks"))
    assert result.status == "converted", result.reason
    assert f"post_hook={hook}" in str(result.new_text)
    assert "HookKept" in {note.code for note in result.notes}


LEFT = [
    "'delete from {{ this }} where loaded_at < current_date - 30'",
    "'delete from {{ this }} where loaded_at < (select max(loaded_at) from {{ this }})'",
    "'delete from {{ this }} where id = {{ var(\"gone\") }}'",
    "'{% if is_incremental() %} delete from {{ this }} where is_deleted {% endif %}'",
    "'{% if var(\"prune\", true) %} delete from {{ this }} where is_deleted {% endif %}'",
    "'delete from {{ this }} where id in (select id from {{ ref(\"removals\") }} order by amount limit 3)'",
    "'delete from {{ this }} where rand() < 0.5'",
    "'delete from {{ this }} where id in {{ dbt_other.ids() }}'",
    "'delete from {{ this }}'",
    "'delete from {{ ref(\"raw\") }} where is_deleted'",
    "['delete from {{ this }} where is_deleted', 'insert into {{ this }} select 1']",
    "'{{ logged() }}'",
]


@pytest.mark.parametrize("hook", LEFT)
def test_a_hook_that_deletes_by_when_it_runs_leaves_the_model(hook: str, tmp_path: Path) -> None:
    result = one(migrated(tmp_path, {"m": model(hook), **MACROS}, "databricks"))
    assert result.reason is not None, result.new_text
    assert result.reason.code == "OwnStateTable"


def test_a_hook_before_a_load_deletes_what_a_window_reads_again(tmp_path: Path) -> None:
    text = model("'delete from {{ this }} where is_deleted'").replace("post_hook", "pre_hook")
    result = one(migrated(tmp_path, {"m": text}, "databricks"))
    assert result.reason is not None
    assert result.reason.code == "OwnStateTable"


def test_what_a_hook_deletes_is_not_found_absent_and_inserted_by_a_window(tmp_path: Path) -> None:
    text = (
        "{{ config(materialized='incremental', unique_key='id', incremental_strategy='merge', "
        "post_hook='delete from {{ this }} where is_deleted') }}\n"
        "select s.id, s.is_deleted, s.day from {{ ref('raw') }} as s\n"
        "{% if is_incremental() %} where not exists (select 1 from {{ this }} t where t.id = s.id) "
        "and s.day >= date_sub(current_date(), 7) {% endif %}\n"
    )
    result = one(migrated(tmp_path, {"m": text}, "databricks"))
    assert result.reason is not None, result.new_text
    assert "inserted again" in result.reason.message


@pytest.mark.parametrize("hook", KEPT)
def test_both_ways_are_played_with_the_hook(hook: str, tmp_path: Path) -> None:
    verdict = verdict_of(tmp_path, model(hook), **MACROS)
    assert verdict.outcome == "equal", verdict


def test_a_hook_that_is_no_deletion_is_read_without_a_warning(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    result = one(migrated(tmp_path, {"m": model("'ALTER TABLE {{ this }} WRITE ORDERED BY id'")}, "databricks"))
    assert result.status == "converted", result.reason
    assert not caplog.records

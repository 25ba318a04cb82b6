"""A kind is a record in one file: what stands in it, and what of it is known of every kind."""

from __future__ import annotations

import re
from typing import Any

import pytest

from dbt_kinds.check.compiled_project import CHECKED
from dbt_kinds.kinds import Kind
from dbt_kinds.migrate.settings import KINDS as TAKEN_AS_THEY_ARE
from dbt_kinds.readers.sqlmesh.batch_audits import HISTORIES
from tests.unit.macros import MACROS as FOLDER
from tests.unit.macros import Macros

MACROS = Macros()
KINDS: list[str] = MACROS.kinds()
# macros of a kind, by the names they have in its record
CALLED = ("own_options", "plan", "query", "write_spec", "rows", "stage", "write")


def traits(kind: str, **options: Any) -> dict[str, Any]:
    found: dict[str, Any] = MACROS.kind_traits(kind, options)
    return found


def true_of(kind: str, **options: Any) -> set[str]:
    return {name for name, value in traits(kind, **options).items() if value is True}


@pytest.mark.parametrize("kind", KINDS)
def test_a_kind_is_one_file_with_a_materialization_and_a_record(kind: str) -> None:
    text = (FOLDER / "kinds" / f"{kind}.sql").read_text()
    assert re.findall(r"{% materialization (\w+), default %}", text) == [kind]
    assert f"{{% macro kind_{kind}(options) %}}" in text


def test_every_materialization_is_in_the_list_of_kinds() -> None:
    named = [
        name for file in FOLDER.rglob("*.sql") for name in re.findall(r"{% materialization (\w+),", file.read_text())
    ]
    assert sorted(named) == sorted(KINDS)


@pytest.mark.parametrize("kind", [*KINDS, "scd_type_2_by_run"])
def test_a_record_says_what_is_described_and_names_macros_that_are_there(kind: str) -> None:
    described = re.findall(r"^  (\w+)(?:\([^)]*\))?: ", (FOLDER / "kinds" / "kind_traits.sql").read_text(), re.M)
    assert set(traits(kind)) == set(described)
    for name in CALLED:
        assert traits(kind)[name] is None or getattr(MACROS, traits(kind)[name])


@pytest.mark.parametrize(
    ("kind", "options", "said"),
    [
        ("full", {}, {"ignores_intervals", "replaces_table"}),
        ("full", {"skip_unchanged": True}, {"ignores_intervals", "is_change_driven", "replaces_table"}),
        ("incremental_by_time_range", {}, {"filters_by_time", "can_be_proven", "writes_ranges"}),
        ("incremental_by_time_range", {"disable_restatement": True}, {"filters_by_time", "can_be_proven", "writes_ranges", "blocks_full_refresh"}),
        ("incremental_by_unique_key", {}, {"reads_its_table", "rebuilds_to_restate"}),
        ("incremental_by_unique_key", {"when_matched": "…"}, {"reads_its_table", "rebuilds_to_restate", "may_count_twice"}),
        ("incremental_unmanaged", {}, {"appends_rows", "may_count_twice", "reads_its_table", "rebuilds_to_restate"}),
        ("incremental_unmanaged", {"insert_overwrite": True}, {"replaces_partitions", "reads_its_table", "rebuilds_to_restate"}),
        ("scd_type_2", {"disable_restatement": True}, {"has_merge_timeline", "reads_its_table", "compares_rows", "is_dated_by_source"}),
        (
            "events", {"disable_restatement": True},
            {"appends_rows", "may_count_twice", "reads_its_table", "ignores_intervals", "diffs_against_target", "is_change_driven", "blocks_full_refresh", "takes_once"},
        ),
    ],
)  # fmt: skip
def test_what_a_kind_is_follows_from_its_options(kind: str, options: dict[str, Any], said: set[str]) -> None:
    assert true_of(kind, **options) == said


def test_the_kinds_of_a_timeline_are_the_histories_by_time() -> None:
    assert MACROS.timeline_kinds() == ["scd_type_2_by_time", "scd_type_2_by_column", "scd_type_2"]


def test_the_guide_to_adding_a_kind_shows_the_smallest_one_as_it_is() -> None:
    guide = (FOLDER.parent / "CONTRIBUTING.md").read_text()
    assert f"```jinja\n{(FOLDER / 'kinds' / 'full.sql').read_text()}```" in guide


def test_macros_ask_for_what_is_described_only() -> None:
    described = set(traits("full"))
    asked = {
        name for file in FOLDER.rglob("*.sql") for name in re.findall(r"traits(?:_of\(\S+\))?\.(\w+)", file.read_text())
    }
    assert asked <= described
    assert described - asked == set()


# --- what the command knows of kinds


def kinds_that(trait: str) -> set[str]:
    return {kind for kind in KINDS if traits(kind)[trait] is True} - {"scd_type_2"}


def test_the_command_knows_the_same_kinds() -> None:
    of_dbt = {Kind.VIEW, Kind.EPHEMERAL, Kind.MATERIALIZED_VIEW, Kind.PYTHON_TABLE}
    assert {kind.value for kind in Kind if kind not in of_dbt} == set(KINDS) - {"scd_type_2"}
    assert set(KINDS) == TAKEN_AS_THEY_ARE


def test_the_command_proves_and_audits_what_macros_say() -> None:
    assert set(CHECKED) == kinds_that("can_be_proven")
    assert {kind.value for kind in HISTORIES} == kinds_that("has_merge_timeline")

"""Settings of Spark that people have: every kind loads, corrects, restates and rebuilds as it does under the ones of local-profile.

docs/start/server.md says what was tried here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest
from pyspark.sql import SparkSession

from tests.functional.every_kind import KINDS, EveryKind
from tests.functional.formats import table_format
from tests.functional.project import DAILY_EVENTS, Project, events_table
from tests.sweep import rest

ZONE = "spark.sql.session.timeZone"
NTZ = "spark.sql.timestampType"
SETTINGS = {
    "ansi": {"spark.sql.ansi.enabled": "true"},
    "strict": {"spark.sql.storeAssignmentPolicy": "STRICT"},
    "case_sensitive": {"spark.sql.caseSensitive": "true"},
    "new_york": {ZONE: "America/New_York"},
    "kathmandu": {ZONE: "Asia/Kathmandu"},
    "legacy_times": {"spark.sql.legacy.timeParserPolicy": "LEGACY"},
    "escaped": {"spark.sql.parser.escapedStringLiterals": "true"},
    "no_aqe": {"spark.sql.adaptive.enabled": "false"},
    "ntz": {NTZ: "TIMESTAMP_NTZ"},
    "ntz_new_york": {NTZ: "TIMESTAMP_NTZ", ZONE: "America/New_York"},
    "many": {
        "spark.sql.ansi.enabled": "true",
        "spark.sql.storeAssignmentPolicy": "STRICT",
        "spark.sql.caseSensitive": "true",
        ZONE: "America/New_York",
    },
}


@contextmanager
def set_back(names: list[str]) -> Iterator[None]:
    """What dbt sets stays in the one session of all tests."""
    conf = SparkSession.builder.getOrCreate().conf
    before = {name: conf.get(name, None) for name in names}
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                conf.unset(name)
            else:
                conf.set(name, value)


@pytest.mark.parametrize("name", rest([*SETTINGS], "many"))
def test_every_kind_does_the_same(new_project: Callable[[str], Project], name: str) -> None:
    project = new_project(name)
    project.target["server_side_parameters"] |= SETTINGS[name]
    with set_back([*SETTINGS[name]]):
        project.sql("create schema {schema}")
        # a table of files by time is refused outside UTC, where its partitions are called by local times; Hive has none by
        # a timestamp without a zone, and replaces no Delta table that has such a column
        formats = [table_format(), *([] if {ZONE, NTZ} & {*SETTINGS[name]} else ["parquet"])]
        left_out = {"full"} if NTZ in SETTINGS[name] and formats == ["delta"] else set()
        kinds = EveryKind(project, formats, project.sql, kinds=[kind for kind in KINDS if kind not in left_out])
        newest = "select id, max_by(region, ts) as region, max(ts) as updated_at from {{ target.schema }}.source_rows group by id"
        for kind, options in (("scd_type_2_by_time", {}), ("scd_type_2_by_column", {"columns": ["region"]})):
            project.kind(
                f"{kind}_", newest, kind=kind, config=f"file_format='{table_format()}'", unique_key="id", **options
            )

        kinds.load_four_days(lambda: check(kinds))
        assert project.run("--exclude", "full_*", now=kinds.now()).success
        check(kinds)
        # of some kinds it replaces the table
        if not left_out:
            kinds.restate_second_day(lambda: check(kinds))


def test_a_policy_that_spark_writes_nothing_under_is_refused_first(new_project: Callable[[str], Project]) -> None:
    project = new_project("legacy")
    policy = "spark.sql.storeAssignmentPolicy"
    project.target["server_side_parameters"] |= {policy: "LEGACY"}
    events_table(project)
    project.kind("daily", DAILY_EVENTS, config="file_format='iceberg'")
    project.kind("files", DAILY_EVENTS, config="file_format='parquet', partition_by=['ts']")
    with set_back([policy]):
        run = project.dbt("run", now="2024-01-03")
        found = project.operation("doctor", raises=False)["findings"]
    assert run.statuses == {"daily": "error", "files": "success"}
    assert (
        f"{policy} is LEGACY in server_side_parameters of profiles.yml, and Spark writes to no iceberg table"
        in run.errors
    )
    assert not project.table_exists("daily")
    # but for the record of what was refused
    claimed = project.rows("select relation from {schema}.dbt_kinds_intervals where event <> 'failed'")
    assert set(claimed) == {(f"{project.schema}.files",)}
    assert [one["wrong"] for one in found if one["severity"] == "error"] == [f"{policy} is LEGACY"]


def check(kinds: EveryKind) -> None:
    assert not kinds.wrong()
    newest = "select id, max_by(region, ts) as region, max(ts) as updated_at from {schema}.source_rows group by id"
    # of the columns, one kind follows the region alone
    for kind, columns in (("scd_type_2_by_time_", "id, region, updated_at"), ("scd_type_2_by_column_", "id, region")):
        now = kinds.sql(f"select {columns} from {{schema}}.{kind} where valid_to is null")
        assert sorted(now) == sorted(kinds.sql(f"select {columns} from ({newest})")), kind

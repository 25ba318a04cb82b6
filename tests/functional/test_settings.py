"""Settings of Spark that people have: every kind loads, corrects, restates and rebuilds as it does under the ones of local-profile.

docs/start/server.md says what was tried here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest
from pyspark.sql import SparkSession

from tests.functional.every_kind import EveryKind
from tests.functional.project import Project
from tests.sweep import rest

ZONE = "spark.sql.session.timeZone"
SETTINGS = {
    "ansi": {"spark.sql.ansi.enabled": "true"},
    "strict": {"spark.sql.storeAssignmentPolicy": "STRICT"},
    "case_sensitive": {"spark.sql.caseSensitive": "true"},
    "new_york": {ZONE: "America/New_York"},
    "kathmandu": {ZONE: "Asia/Kathmandu"},
    "legacy_times": {"spark.sql.legacy.timeParserPolicy": "LEGACY"},
    "escaped": {"spark.sql.parser.escapedStringLiterals": "true"},
    "no_aqe": {"spark.sql.adaptive.enabled": "false"},
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
        # a table of files by time is refused outside UTC: its partitions are called by local times
        kinds = EveryKind(project, ["iceberg", *([] if ZONE in SETTINGS[name] else ["parquet"])], project.sql)
        newest = "select id, max_by(region, ts) as region, max(ts) as updated_at from {{ target.schema }}.source_rows group by id"
        for kind, options in (("scd_type_2_by_time", {}), ("scd_type_2_by_column", {"columns": ["region"]})):
            project.kind(f"{kind}_", newest, kind=kind, config="file_format='iceberg'", unique_key="id", **options)

        kinds.load_four_days(lambda: check(kinds))
        assert project.run("--exclude", "full_*", now=kinds.now()).success
        check(kinds)
        run = project.dbt("run", now=kinds.now(), start="2024-01-02", end="2024-01-03", allow_full_restatement=True)
        assert {name.partition("_")[0] for name, status in run.statuses.items() if status == "error"} <= {"cumulative"}
        for table in kinds.expected:
            kinds.restate(table, range(1, 2))
        check(kinds)


def check(kinds: EveryKind) -> None:
    assert not kinds.wrong()
    newest = "select id, max_by(region, ts) as region, max(ts) as updated_at from {schema}.source_rows group by id"
    # of the columns, one kind follows the region alone
    for kind, columns in (("scd_type_2_by_time_", "id, region, updated_at"), ("scd_type_2_by_column_", "id, region")):
        now = kinds.sql(f"select {columns} from {{schema}}.{kind} where valid_to is null")
        assert sorted(now) == sorted(kinds.sql(f"select {columns} from ({newest})")), kind

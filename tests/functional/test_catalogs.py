"""Iceberg catalogs and tables that people have: every kind loads, corrects, restates and rebuilds as it does on Hive's catalog.

docs/start/server.md says what was tried here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from tests.functional.every_kind import EveryKind
from tests.functional.project import Project
from tests.functional.test_settings import set_back

pytestmark = pytest.mark.sweep

CATALOGS: Mapping[str, Mapping[str, str]] = {
    "hadoop": {"type": "hadoop"},
    # as a JDBC or REST catalog does, it swaps a pointer instead of a file
    "in_memory": {"catalog-impl": "org.apache.iceberg.inmemory.InMemoryCatalog"},
}

TABLES = {
    "format_1": {"format-version": "1"},
    "merge_on_read": {
        "format-version": "2",
        **{f"write.{verb}.mode": "merge-on-read" for verb in ("merge", "delete", "update")},
    },
}


@contextmanager
def default_catalog(project: Project, of: Mapping[str, str], warehouse: Path) -> Iterator[None]:
    """Lets dbt and the test name tables of a catalog of its own by schema and name."""
    name = warehouse.name
    settings = {
        f"spark.sql.catalog.{name}": "org.apache.iceberg.spark.SparkCatalog",
        f"spark.sql.catalog.{name}.warehouse": str(warehouse),
        **{f"spark.sql.catalog.{name}.{option}": value for option, value in of.items()},
        "spark.sql.defaultCatalog": name,
    }
    project.target["server_side_parameters"] |= settings
    with set_back([*settings]):
        for setting, value in settings.items():
            SparkSession.builder.getOrCreate().conf.set(setting, value)
        project.sql(f"use {name}")
        try:
            yield
        finally:
            project.sql("use spark_catalog")


@pytest.mark.parametrize("name", CATALOGS)
def test_every_kind_in_a_catalog_of_its_own(new_project: Callable[[str], Project], tmp_path: Path, name: str) -> None:
    project = new_project(name)
    with default_catalog(project, CATALOGS[name], tmp_path / f"lake_{name}"):
        project.sql("create schema {schema}")
        # the store, too, though nobody says so
        live(project)


@pytest.mark.parametrize("name", TABLES)
def test_every_kind_in_tables_of_other_properties(new_project: Callable[[str], Project], name: str) -> None:
    project = new_project(name)
    project.settings["models"] = {"+tblproperties": TABLES[name]}
    project.sql("create schema {schema}")
    live(project)
    created = dict(project.sql("show tblproperties {schema}.unique_key_iceberg"))
    assert TABLES[name].items() <= created.items() | {
        ("format-version", created["format"].removeprefix("iceberg/parquet"))
    }, created


def live(project: Project, **options: Any) -> None:
    """Loads, a correction, a restatement and a full refresh of every kind, compared with the oracle."""

    def sql(statement: str) -> Any:
        # a catalog of Iceberg alone has no views
        return project.sql(
            statement.replace(
                "create or replace view {schema}.source_rows as",
                "create or replace table {schema}.source_rows using iceberg as",
            )
        )

    kinds = EveryKind(project, ["iceberg"], sql, options)

    def check() -> None:
        assert not kinds.wrong()

    kinds.load_four_days(check)
    kinds.restate_second_day(check)
    kinds.correct(0)
    project.run("--full-refresh", now=kinds.now())
    kinds.load(range(4), anew=True)
    check()
    idle = project.run("--exclude", "full_*", now=kinds.now())
    assert set(idle.messages.values()) == {"OK up to date"}

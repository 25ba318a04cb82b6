"""The project of every kind, compiled, and its days in dbt on Spark."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

import yaml
from pyspark.sql import SparkSession

from dbt_kinds.compile.convert import compile_project
from dbt_kinds.compile.request import CompileRequest
from tests.functional.every_kind_shop import LANDED, SHOP, Day, Row
from tests.functional.project import Project


def compiled_shop(new_project: Callable[[str], Project]) -> Project:
    """What `dbt-kinds compile` makes of the project, ready to run; its schemas have the test's schema before them."""
    project = new_project("compiled")
    report = compile_project(CompileRequest(SHOP, project.folder, run_macros=True, name="shop"))
    assert report.exit_code(strict=True) == 0
    project.settings = yaml.safe_load((project.folder / "dbt_project.yml").read_text()) | {"profile": "local"}
    project.sql("create schema if not exists landing")
    project.sql("drop table if exists landing.loads purge")
    return project


def land(project: Project, day: Day) -> None:
    """The sources as they are on a day."""
    for table, values in day.landed().items():
        columns = ", ".join(column.split(" ", 1)[0] for column in LANDED[table].replace(", 2", "").split(", "))
        project.sql(f"create or replace view landing.{table} as select * from values {values} as ({columns})")


def table_rows(project: Project, table: str) -> Counter[Row]:
    """The rows of a table as texts; the name has a schema of the shop."""
    full_name = f"{project.schema}_{table}"
    columns = SparkSession.builder.getOrCreate().table(full_name).columns
    return Counter(
        project.sql(f"select {', '.join(f'cast({column} as string)' for column in columns)} from {full_name}")
    )

"""What is done to tables of Iceberg and Delta that changes no row: files are merged, old snapshots or versions go."""

from __future__ import annotations

from typing import Any

from pyspark.sql import SparkSession

from tests.functional.formats import table_format
from tests.functional.project import Project


def compact(project: Project, name: str) -> None:
    """Writes all files of a table anew; does nothing to one that was never written."""
    if table_format() == "delta":
        project.sql(f"optimize {{schema}}.{name}")
        return
    table = _table(project, name)
    if table.currentSnapshot() is not None:
        actions = SparkSession.builder.getOrCreate()._jvm.org.apache.iceberg.spark.actions
        actions.SparkActions.get().rewriteDataFiles(table).option("rewrite-all", "true").execute()
        _refresh(project, name)


def expire(project: Project, name: str) -> None:
    """Removes all snapshots of a table but the current one, or the files that its current version does not need."""
    if table_format() == "delta":
        project.sql("set spark.databricks.delta.retentionDurationCheck.enabled=false")
        project.sql(f"vacuum {{schema}}.{name} retain 0 hours")
        return
    _table(project, name).expireSnapshots().expireOlderThan(2**62).retainLast(1).commit()
    _refresh(project, name)


def _refresh(project: Project, name: str) -> None:
    project.sql(f"refresh table {{schema}}.{name}")


def _table(project: Project, name: str) -> Any:
    spark = SparkSession.builder.getOrCreate()
    java = spark._jvm.org.apache.iceberg.spark
    return java.Spark3Util.loadIcebergTable(spark._jsparkSession, f"{project.schema}.{name}")

"""What is done to Iceberg tables that changes no row: files are merged, old snapshots expire."""

from __future__ import annotations

from typing import Any

from pyspark.sql import SparkSession

from tests.functional.project import Project


def compact(project: Project, name: str) -> None:
    """Writes all files of a table anew; does nothing to one that was never written."""
    table = _table(project, name)
    if table.currentSnapshot() is not None:
        actions = SparkSession.builder.getOrCreate()._jvm.org.apache.iceberg.spark.actions
        actions.SparkActions.get().rewriteDataFiles(table).option("rewrite-all", "true").execute()
        _refresh(project, name)


def expire(project: Project, name: str) -> None:
    """Removes all snapshots of a table but the current one."""
    _table(project, name).expireSnapshots().expireOlderThan(2**62).retainLast(1).commit()
    _refresh(project, name)


def _refresh(project: Project, name: str) -> None:
    project.sql(f"refresh table {{schema}}.{name}")


def _table(project: Project, name: str) -> Any:
    spark = SparkSession.builder.getOrCreate()
    java = spark._jvm.org.apache.iceberg.spark
    return java.Spark3Util.loadIcebergTable(spark._jsparkSession, f"{project.schema}.{name}")

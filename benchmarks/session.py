"""An embedded Spark in a temporary folder, and projects on it, for benchmarks."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from pyspark.sql import SparkSession

from dbt_kinds.local.java import find_java_home
from dbt_kinds.local.profile import local_profile
from tests.functional.project import Project


@contextmanager
def benchmark_project(threads: int = 4) -> Iterator[Project]:
    """A project whose Spark is started and whose schema exists."""
    java_home = find_java_home()
    if java_home is not None:
        os.environ["JAVA_HOME"] = str(java_home)
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        profile = local_profile(Path(folder), name="local", schema="unused", threads=threads)
        builder = SparkSession.builder.enableHiveSupport()
        for setting, value in profile["local"]["outputs"]["local"]["server_side_parameters"].items():
            builder = builder.config(setting, value)
        session = builder.getOrCreate()
        project = Project(Path(folder) / "project", profile, "benchmark")
        project.sql("create schema {schema}")
        try:
            yield project
        finally:
            session.stop()

"""An embedded Spark in a temporary folder, and projects on it, for benchmarks."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from dbt_kinds.local.java import use_java_17
from dbt_kinds.local.profile import local_profile
from tests.functional.formats import table_format
from tests.functional.project import Project, start_spark


@contextmanager
def benchmark_project(threads: int = 4) -> Iterator[Project]:
    """A project whose Spark is started and whose schema exists."""
    use_java_17()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        profile = local_profile(
            Path(folder), name="local", schema="unused", threads=threads, table_format=table_format()
        )
        session = start_spark(profile)
        project = Project(Path(folder) / "project", profile, "benchmark")
        project.sql("create schema {schema}")
        try:
            yield project
        finally:
            session.stop()

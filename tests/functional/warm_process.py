"""What a process does before it can run dbt; imported once, by the server that DbtProcess forks from."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

import dbt.adapters.spark.session  # noqa: F401 - dbt imports it when it opens a connection

from dbt_kinds.local.profile import local_profile
from tests.functional.project import Project
from tests.functional.speed import quick_dbt

quick_dbt()
with TemporaryDirectory() as folder:
    profile = local_profile(Path(folder), name="local", schema="unused", threads=1)
    Project(Path(folder) / "project", profile, "unused").dbt("parse")

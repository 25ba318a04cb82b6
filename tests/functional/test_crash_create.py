"""A process that dies while it fills a Parquet table that it has just created: the next run makes the table."""

from __future__ import annotations

import re
import time
from pathlib import Path

from dbt_kinds.local.profile import local_profile
from tests.functional.process import OwnSparkProject
from tests.functional.relay import Relay

ROWS = 3_000_000
# the process is killed in the middle of the statement that writes those rows
QUERY = f"select id, cast(id % 20 as string) as region from range({ROWS})"


def test_a_table_that_was_being_filled_is_made_by_the_next_run(tmp_path: Path) -> None:
    profile = local_profile(tmp_path / "spark", name="local", schema="killed", threads=1)
    project = OwnSparkProject(tmp_path / "project", profile, "killed")
    relay = Relay(project)
    try:
        relay.call("sql", "create schema if not exists {schema}")
        for title, query in (("first load", QUERY), ("another column", QUERY.replace("id,", "id, 1 as one,"))):
            project.kind(
                "regions", query, kind="full", config="file_format='parquet', partition_by='region'", start=None
            )
            kill_while_it_fills(relay, title)
            run = relay.call("dbt", "run")
            assert run.success, run.errors
            assert relay.call("sql", "select count(*), count(distinct region) from {schema}.regions") == [(ROWS, 20)]
    finally:
        relay.close()


def kill_while_it_fills(relay: Relay, title: str) -> None:
    """Kills the process in the middle of the statement that writes the rows into the table itself, not into a stage."""
    writes = (text for text in relay.statements_of("dbt", "run") if re.match(r"insert into \S*\bregions\b", text))
    assert next(writes, None) is not None
    time.sleep(0.7)
    relay.kill(title)

"""OpenLineage beside this package: `dbt-ol` tells what a run read and wrote, and how many rows."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from tests.functional.own_venv import own_venv
from tests.functional.thrift import thrift_server

# a venv from the registry, and Spark on a server: of an embedded session, dbt-ol knows no address
pytestmark = pytest.mark.sweep
ROOT = Path(__file__).parents[2]
DAYS = """
{{ config(materialized='incremental_by_time_range', file_format='iceberg', meta={'time_column': 'day', 'start': '2024-01-01'}) }}
select explode(sequence({{ dbt_kinds.start_date() }}, {{ dbt_kinds.end_date() }})) as day
"""
MONTHS = "{{ config(materialized='full', file_format='iceberg') }}\nselect count(*) as n from {{ ref('days') }}"
PROJECT = {"name": "shop", "profile": "local", "flags": {"send_anonymous_usage_stats": False}}


def test_events_name_tables_and_rows(tmp_path: Path) -> None:
    python = own_venv(tmp_path / "venv", ["openlineage-dbt", "dbt-core<1.12"])
    shop = tmp_path / "shop"
    (shop / "models").mkdir(parents=True)
    (shop / "models" / "days.sql").write_text(DAYS)
    (shop / "models" / "months.sql").write_text(MONTHS)
    (shop / "dbt_project.yml").write_text(yaml.safe_dump(PROJECT))
    (shop / "packages.yml").write_text(yaml.safe_dump({"packages": [{"local": str(ROOT)}]}))
    file = tmp_path / "events.json"
    transport = {"type": "file", "log_file_path": str(file), "append": True}
    (shop / "openlineage.yml").write_text(yaml.safe_dump({"transport": transport}))
    # dbt is the one of these tests, dbt-ol that of its venv
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    environment = os.environ | {"PATH": path, "OPENLINEAGE_CONFIG": "openlineage.yml"}

    def call(*command: str | Path) -> None:
        told = subprocess.run(command, cwd=shop, env=environment, capture_output=True, text=True, check=False)
        assert told.returncode == 0, told.stdout + told.stderr

    with thrift_server(tmp_path / "server") as server:
        profile = server.profile(threads=1)
        profile["local"]["outputs"]["local"]["schema"] = "analytics"
        (shop / "profiles.yml").write_text(yaml.safe_dump(profile))
        call("dbt", "deps")
        call(python.parent / "dbt-ol", "build", "--vars", "{kinds_execution_time: 2024-01-06}")

    written = [json.loads(line) for line in file.read_text().splitlines()]
    ended = {event["job"]["name"].split(".")[-3]: event for event in written if event["outputs"]}
    assert {event["eventType"] for event in ended.values()} == {"COMPLETE"}
    for name, inputs in (("days", []), ("months", ["analytics.days"])):
        assert [source["name"] for source in ended[name]["inputs"]] == inputs
        assert [output["name"] for output in ended[name]["outputs"]] == [f"analytics.{name}"]
    # of a table that is replaced whole, the run does not know the number
    assert ended["days"]["outputs"][0]["outputFacets"]["outputStatistics"]["rowCount"] == 5

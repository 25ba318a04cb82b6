"""The manual's example of Dagster: its schedule loads what is missing, a backfill loads a range of days again, and its
asset graph shows what the store says.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from tests.functional.manual_examples import embedded_shop, example, packages
from tests.functional.own_venv import own_venv

# a venv from the registry, and Spark in processes of its own
pytestmark = pytest.mark.sweep
MODEL = """
{{ config(materialized='incremental_by_time_range', file_format='iceberg', meta={'time_column': 'day', 'start': '2024-01-01'}) }}
select cast({{ dbt_kinds.start_date() }} as date) as day, {{ dbt_kinds.end_date() }} as until
"""
SETTINGS = {"vars": {"kinds_execution_time": "2024-01-06 02:00:00"}, "models": {"+meta": {"batch_size": 1}}}
# what the UI does: a run of one partition by the schedule, then one over a range, each with the check; and the check alone
RUNS = """
import subprocess
import dagster as dg, definitions
dg.Definitions.validate_loadable(definitions.defs)
instance = dg.DagsterInstance.ephemeral()
def run(job, **how):
    result = job.execute_in_process(instance=instance, **how)
    loaded = [event.partition for event in result.all_events if event.is_step_materialization]
    [told] = result.get_asset_check_evaluations()
    shown = sorted(instance.get_materialized_partitions(dg.AssetKey("days")))
    print("ended", loaded, told.passed, told.metadata["why"].value, told.metadata["missing"].value, shown)
run(definitions.defs.resolve_job_def("nightly"), partition_key="2024-01-05")
again = {"dagster/asset_partition_range_start": "2024-01-02", "dagster/asset_partition_range_end": "2024-01-04"}
run(definitions.defs.resolve_implicit_global_asset_job_def(), tags=again)
forget = "{select: days, start: 2024-01-03, end: 2024-01-04}"
subprocess.run(["dbt", "--quiet", "run-operation", "dbt_kinds.forget", "--args", forget], cwd="shop", check=True)
run(definitions.defs.resolve_job_def("hourly"))
"""


def test_a_night_and_a_backfill(tmp_path: Path) -> None:
    python = own_venv(tmp_path / "venv", packages("## Dagster"))
    shop = embedded_shop(tmp_path, SETTINGS, days=MODEL)
    (tmp_path / "definitions.py").write_text(example("## Dagster"))
    (tmp_path / "run.py").write_text(RUNS)

    def call(*command: str | Path, cwd: Path = shop) -> str:
        # dbt is the one of these tests, and Dagster that of its venv; under `dagster dev` it makes the manifest itself
        path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
        environment = os.environ | {"PATH": path, "DAGSTER_IS_DEV_CLI": "1"}
        told = subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True, check=False)
        assert told.returncode == 0, told.stdout + told.stderr
        return told.stdout

    told = call(python, "run.py", cwd=tmp_path)
    ended = [line.removeprefix("ended ") for line in told.splitlines() if line.startswith("ended ")]
    days, until = [f"2024-01-0{day}" for day in range(1, 6)], "up to date until 2024-01-06T00:00:00"
    assert ended == [
        # the night is of one day for Dagster, and loads five
        f"['2024-01-05'] True {until} [] {days}",
        # this run is one of dbt, and tells of each partition
        f"{days[1:4]} True {until} [] {days}",
        f"[] False 1 missing [['2024-01-03T00:00:00', '2024-01-04T00:00:00']] {days}",
    ]
    runs = yaml.safe_load(call("dbt-kinds", "history", "--json"))
    loaded = [[(load["start"][:10], load["end"][:10]) for load in run["loaded"]] for run in runs if run["loaded"]]
    batches = [(f"2024-01-0{day}", f"2024-01-0{day + 1}") for day in range(1, 6)]
    assert loaded == [batches[1:4], batches]

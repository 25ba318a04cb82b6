"""The manual's example of Cosmos: a night of tasks loads what is missing, and a run of a data interval loads its day
again.
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
ORDERS = """
{{ config(materialized='incremental_by_time_range', file_format='iceberg', meta={'time_column': 'day', 'start': '2024-01-01'}) }}
select cast({{ dbt_kinds.start_date() }} as date) as day, {{ dbt_kinds.end_date() }} as until
"""
READER = """
{{ config(materialized='incremental_by_time_range', file_format='iceberg', meta={'time_column': 'day', 'start': '2024-01-01'}) }}
select day, until from {{ dbt_kinds.window_of(ref('orders'), 'day') }}
"""
SETTINGS = {"vars": {"kinds_execution_time": "2024-01-06 02:00:00"}, "models": {"+meta": {"batch_size": 1}}}


def test_a_night_and_a_data_interval(tmp_path: Path) -> None:
    title, binaries = "### With Cosmos", Path(sys.executable).parent
    python = own_venv(tmp_path / "venv", packages(title))
    shop = embedded_shop(tmp_path, SETTINGS, orders=ORDERS, order_days=READER)
    (tmp_path / "dags").mkdir()
    text = example(title)
    for of_the_page, here in {"/srv/shop": shop, "prod": "local", "/srv/dbt/bin/dbt": binaries / "dbt"}.items():
        assert f'"{of_the_page}"' in text
        text = text.replace(f'"{of_the_page}"', f'"{here}"')
    (tmp_path / "dags" / "shop.py").write_text(text)
    airflow = {
        "AIRFLOW_HOME": str(tmp_path / "home"),
        "AIRFLOW__CORE__DAGS_FOLDER": str(tmp_path / "dags"),
        "AIRFLOW__CORE__LOAD_EXAMPLES": "False",
    }

    def call(*command: str | Path) -> str:
        told = subprocess.run(command, cwd=shop, env=os.environ | airflow, capture_output=True, text=True, check=False)
        assert told.returncode == 0, told.stdout + told.stderr
        return told.stdout

    call(binaries / "dbt", "deps")
    call(binaries / "dbt", "parse")
    command = python.parent / "airflow"
    call(command, "db", "migrate")
    call(command, "dags", "test", "shop", "2024-01-06")
    call(command, "dags", "test", "shop_again", "2024-01-03")
    runs = yaml.safe_load(call(binaries / "dbt-kinds", "history", "--json"))
    loaded = [
        (run["model"].split(".")[-1], load["start"][:10], load["end"][:10])
        for run in reversed(runs)
        for load in run["loaded"]
    ]
    days = [(f"2024-01-0{day}", f"2024-01-0{day + 1}") for day in range(1, 6)]
    night = [(model, *day) for model in ("orders", "order_days") for day in days]
    # a run that is started by hand has the interval that ended by its date
    assert loaded == [*night, ("orders", *days[1])]

"""An existing project that `dbt-kinds init` set up on embedded Spark runs, with dbt's own tables beside ours, twice."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tests.functional.project import PACKAGE
from tests.functional.speed import quick_jvms

FILES = {
    "dbt_project.yml": "name: shop\nversion: '1.0'\n# nothing else is configured\n",
    "seeds/orders.csv": "id,day\n1,2024-01-01\n2,2024-01-02\n3,2024-01-02\n",
    "models/order_days.sql": "{{ config(materialized='incremental_by_time_range', file_format='iceberg', meta={'time_column': 'day'}) }}\n"
    "select id, cast(day as date) as day from {{ ref('orders') }}\n"
    "where day between {{ dbt_kinds.start_date() }} and {{ dbt_kinds.end_date() }}\n",
    "models/order_count.sql": "{{ config(materialized='table') }}\nselect count(*) as n from {{ ref('order_days') }}\n",
}


def test_a_project_that_init_set_up_runs_twice(tmp_path: Path) -> None:
    quick_jvms()
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)

    def call(program: str, *arguments: str) -> str:
        done = subprocess.run(
            [sys.executable, "-c", program, *arguments], cwd=tmp_path, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def dbt(*arguments: str) -> str:
        return call("from dbt.cli.main import cli; cli()", *arguments)

    command = "from dbt_kinds.cli import main; main()"
    call(command, "init", "--local", "--start", "2024-01-01", "--package", str(PACKAGE), "--write")
    dbt("deps")
    window = ("--vars", "{kinds_execution_time: 2024-01-03}")
    assert "order_days: batch 1 of 1, 2024-01-01T00:00:00 to 2024-01-03T00:00:00" in dbt("build", *window)
    assert "OK up to date" in dbt("build", *window)
    shown = dbt("show", "--inline", "select n from {{ ref('order_count') }}", "--output", "json", *window)
    assert '"n": 3' in shown

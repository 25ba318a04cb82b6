"""A model's file may begin with a byte order mark and end in a semicolon, as it may for dbt-spark's own `table`."""

from __future__ import annotations

import pytest

from tests.functional.project import DAILY_EVENTS, Project
from tests.functional.test_statements import MODELS, counted, latest  # noqa: F401 (a fixture)
from tests.sweep import rest

# what a model of each kind holds after two days: four events a day; two rows, one of them another one on the second day; ten
# days, which are read whole; two totals
ROWS = {
    **dict.fromkeys(["time_range", "ten_batches", "audited", "partition", "unmanaged", "child"], 8),
    **dict.fromkeys(["unique_key", "audited_key", "history", "by_run"], 3),
    **dict.fromkeys(["gained", "tracked", "captured_key"], 40),
    "gained_of_model": 8,
    **dict.fromkeys(["full", "cumulative"], 2),
}


@pytest.mark.parametrize("counted", rest(["iceberg", "parquet"], "iceberg"), indirect=True)
def test_a_query_of_every_kind_may_end_in_a_semicolon(counted: tuple[str, Project]) -> None:  # noqa: F811
    _, project = counted
    project.model("parent", "{{ config(materialized='ephemeral') }}\n" + DAILY_EVENTS)
    project.kind("child", "select * from {{ ref('parent') }}", config="file_format='iceberg'")
    latest(project, (1, 10), (2, 20))
    project.run(now="2024-01-02T06:00:00")

    for file in (project.folder / "models").glob("*.sql"):
        file.write_text("\ufeff" + file.read_text().rstrip() + ";\n-- the end; of it\n")
    project.kind("several", DAILY_EVENTS + ";\nselect 1", config="file_format='iceberg'")
    latest(project, (1, 10), (3, 30))
    run = project.dbt("run", now="2024-01-03T06:00:00")
    assert [name for name, status in run.statuses.items() if status != "success"] == ["several"], run.errors
    assert "model several: its query goes on behind a semicolon, at 'select', and a model of a kind is" in run.errors
    assert not project.table_exists("several")
    assert {name: len(project.rows(f"select * from {{schema}}.{name}")) for name in [*MODELS, "child"]} == ROWS

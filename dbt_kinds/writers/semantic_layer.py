"""The YAML of dbt's semantic layer, and the time spine that metrics require."""

from __future__ import annotations

from typing import Any

from dbt_kinds.kinds import Project, TestDefinition
from dbt_kinds.writers.jinja import escaped, escaped_texts

TIME_SPINE = "kinds_time_spine"
# the only strings in it that are Jinja
_JINJA = frozenset({"filter", "model"})

TIME_SPINE_SQL = """\
{{ config(materialized='table') }}

-- dbt's semantic layer joins metrics to these days
select explode(sequence(date '2000-01-01', date '2050-12-31', interval 1 day)) as date_day
"""


def semantic_text(value: dict[str, Any]) -> Any:
    """A part of the semantic layer with its strings escaped for Jinja."""
    return escaped_texts(value, _JINJA)


def metrics_content(project: Project) -> dict[str, Any]:
    """The YAML of all metrics."""
    return {"version": 2, "metrics": [semantic_text(metric) for _, metric in project.metrics]}


def time_spine_content() -> dict[str, Any]:
    """The YAML that declares the time spine model to dbt."""
    columns = [{"name": "date_day", "granularity": "day"}]
    spine = {"name": TIME_SPINE, "time_spine": {"standard_granularity_column": "date_day"}, "columns": columns}
    return {"version": 2, "models": [spine]}


def singular_tests_content(tests: list[TestDefinition]) -> dict[str, Any]:
    """The descriptions of singular tests, which SQL files cannot contain."""
    described = [
        {"name": test.name, "description": escaped(test.description)}
        for test in tests
        if test.description and not test.is_generic
    ]
    return {"version": 2, "data_tests": described} if described else {}

"""Flags of dbt's command, as each engine tells them: a run with --sample may not say that an interval is loaded."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import pytest

from tests.unit.macros import Macros

COMMAND = "dbt run --select orders --vars {}"


@pytest.mark.parametrize(
    ("arguments", "environment", "is_sample"),
    [
        ({}, {}, False),
        ({"sample": None, "invocation_command": COMMAND}, {}, False),
        ({"invocation_command": f"{COMMAND} --sample-size 3"}, {}, False),
        ({"sample": "1 day"}, {}, True),
        ({"invocation_command": f"{COMMAND} --sample 1 day"}, {}, True),
        ({"invocation_command": f"{COMMAND} --sample=1 day --threads 2"}, {}, True),
        ({"invocation_command": "dbt run --vars {\n} --sample 1 day\n--threads 2"}, {}, True),
        ({"invocation_command": COMMAND}, {"DBT_SAMPLE": "1 day"}, True),
        ({"invocation_command": COMMAND}, {"DBT_SAMPLE": ""}, False),
    ],
)
def test_a_sample_is_known(arguments: dict[str, Any], environment: dict[str, str], is_sample: bool) -> None:
    assert Macros(arguments=arguments, environment=environment).is_sample_run() is is_sample


@pytest.mark.parametrize(
    ("arguments", "environment", "value"),
    [
        ({"event_time_start": None, "invocation_command": "dbt run"}, {}, None),
        ({"event_time_start": datetime(2024, 1, 3)}, {}, datetime(2024, 1, 3)),
        (
            {"invocation_command": f"{COMMAND} --event-time-start 2024-01-03 --event-time-end 2024-01-05"},
            {},
            "2024-01-03",
        ),
        ({"invocation_command": f"{COMMAND} --event-time-start=2024-01-03T06:00"}, {}, "2024-01-03T06:00"),
        (
            {"invocation_command": f"{COMMAND} --event-time-start 2024-01-03 06:00:00 --threads 2"},
            {},
            "2024-01-03 06:00:00",
        ),
        ({"invocation_command": f"{COMMAND} --event-time-end 2024-01-05"}, {}, None),
        ({"invocation_command": COMMAND}, {"DBT_EVENT_TIME_START": "2024-01-03"}, "2024-01-03"),
    ],
)
def test_a_flag_is_known(arguments: dict[str, Any], environment: dict[str, str], value: Any) -> None:
    assert Macros(arguments=arguments, environment=environment).command_option("event_time_start") == value

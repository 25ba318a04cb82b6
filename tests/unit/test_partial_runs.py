"""Whether dbt runs with --sample, as each engine tells it: such a run may not say that an interval is loaded."""

from __future__ import annotations

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

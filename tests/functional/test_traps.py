"""The traps give on Spark what they give in their dialects, or the report names them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from pyspark.sql import SparkSession

from tests.sweep import rest
from tests.traps import DIALECTS
from tests.traps.on_spark import Runner, unexpected


@pytest.mark.parametrize("dialect", rest(DIALECTS, "duckdb"))
def test_traps_are_converted_or_named(local_spark: Mapping[str, Any], dialect: str) -> None:
    runner = Runner(SparkSession.builder.getOrCreate())
    try:
        outcomes = runner.outcomes(dialect)
    finally:
        runner.close()
    assert not [
        (outcome.trap.query, outcome.trap.values, *found) for outcome in outcomes for found in unexpected(outcome)
    ]

"""Soundness, by execution on Spark: what the classifier admits gives the same rows on slices of time as on the whole."""

from __future__ import annotations

import gc
import itertools
from collections.abc import Iterator, Mapping
from typing import Any

import pytest
from pyspark.errors import AnalysisException
from pyspark.sql import SparkSession

from tests.soundness.trials import Trial, admitted_trials, differences, statement, tables, values
from tests.soundness.vectors import RUNNABLE, chunkings, vector_differences, vector_statement, vector_tables
from tests.sweep import size

EXAMPLES = size("KINDS_EXAMPLES", 50, full=2000)
# several queries in a statement: Spark takes longer to start a job than to run one over so few rows
TOGETHER = 3
DATA = 8
SETTINGS = {
    "spark.sql.session.timeZone": "UTC",
    # tiny tables: compiling code for them and shuffling them into parts is most of the time
    "spark.sql.shuffle.partitions": "1",
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
    "spark.sql.adaptive.enabled": "false",
    # a megabyte for each of the hundreds of tiny tables that are joined: they fill the heap (measured)
    "spark.sql.autoBroadcastJoinThreshold": "-1",
}


@pytest.fixture(scope="module")
def spark(local_spark: Mapping[str, Any]) -> Iterator[SparkSession]:
    """A session of its own on the one Spark, with all sets of tables as views."""
    session = SparkSession.builder.getOrCreate().newSession()
    for setting, value in SETTINGS.items():
        session.conf.set(setting, value)
    for data in range(DATA):
        for name, columns, rows in tables(data):
            session.sql(values(columns, rows)).createOrReplaceTempView(name)
    yield session
    for data in range(DATA):
        for name, _, _ in tables(data):
            session.catalog.dropTempView(name)


@pytest.mark.sized
def test_slices_with_pushdown_add_up_to_the_whole(spark: SparkSession) -> None:
    trials = list(itertools.islice(admitted_trials(0, data=DATA, chunks=(2, 5)), EXAMPLES))
    wrong: list[str] = []
    refused: list[str] = []
    for first in range(0, len(trials), TOGETHER):
        found, unread = _run(spark, trials[first : first + TOGETHER])
        wrong += found
        refused += unread
        # or what Python still holds of old statements fills the heap of the JVM (measured)
        gc.collect()
    assert wrong == []
    # what Spark does not take proves nothing; the generator is to make queries that it takes
    assert len(refused) <= len(trials) // 10, "\n".join(refused[:5])


@pytest.fixture(scope="module")
def vector_spark(spark: SparkSession) -> Iterator[SparkSession]:
    """The session with the tables of the specification's vectors, too."""
    for name, rows in vector_tables(0):
        spark.sql(rows).createOrReplaceTempView(name)
    yield spark
    for name, _ in vector_tables(0):
        spark.catalog.dropTempView(name)


@pytest.mark.sized
@pytest.mark.parametrize("vector", RUNNABLE, ids=[vector["id"] for vector in RUNNABLE])
def test_slices_of_an_admitted_vector_add_up_to_the_whole(vector_spark: SparkSession, vector: dict[str, Any]) -> None:
    for windows in itertools.islice(chunkings(0), max(1, EXAMPLES // 100)):
        rows = vector_spark.sql(vector_statement(vector, windows)).collect()
        assert vector_differences(windows, map(tuple, rows)) == []


@pytest.mark.parametrize("number", ["V01", "V05", "V10", "V11", "V13", "V15", "V16"])
def test_tables_of_the_vectors_need_the_bounds(vector_spark: SparkSession, number: str) -> None:
    vector = next(vector for vector in RUNNABLE if vector["id"] == number)
    windows = next(chunkings(0))
    rows = vector_spark.sql(vector_statement(vector, windows, with_bounds=False)).collect()
    assert vector_differences(windows, map(tuple, rows)) != []


def _run(spark: SparkSession, trials: list[Trial]) -> tuple[list[str], list[str]]:
    """Differences, and the queries that Spark does not take; those are looked for one by one where there are any."""
    try:
        rows = [tuple(row) for row in spark.sql(statement(trials)).collect()]
    except AnalysisException as error:
        if len(trials) == 1:
            return [], [f"{trials[0].case.sql}: {str(error).splitlines()[0]}"]
        each = [_run(spark, [trial]) for trial in trials]
        return tuple(list(itertools.chain.from_iterable(part)) for part in zip(*each, strict=True))  # type: ignore[return-value]
    return differences(trials, rows), []

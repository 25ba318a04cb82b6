"""Every example of the tables of functions gives on Spark what it gives in its dialect."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import duckdb
import pytest
from pyspark.sql import SparkSession

from dbt_kinds.translation.dialects import parse_statement
from dbt_kinds.translation.functions import COMPARED, examples
from dbt_kinds.translation.spark_functions import SHOWN_FUNCTIONS, SPARK_VERSION
from dbt_kinds.translation.target import SparkTarget
from tests.functional.compiled_query import compared
from tests.sweep import rest
from tests.unit.test_functions import whole


def given(dialect: str) -> list[tuple[str, str]]:
    """The queries of a table, and what they give."""
    return [(whole(row.expression), row.gives) for row in examples(dialect) if row.gives]


def said(rows: list[Any]) -> str:
    """Rows as the tables have them."""
    return "; ".join(compared(rows))


@pytest.mark.parametrize("dialect", rest(COMPARED, "duckdb"))
def test_examples_give_on_spark_what_they_give_there(local_spark: Mapping[str, Any], dialect: str) -> None:
    session = SparkSession.builder.getOrCreate()
    wrong = []
    for query, gives in given(dialect):
        text = SparkTarget().translate(parse_statement(query, dialect), dialect, query).text
        try:
            made = said(session.sql(text).collect())
        except Exception as error:
            made = str(error).split("\n")[0]
        if made != gives:
            wrong.append((query, gives, made, text))
    assert not wrong


def test_examples_give_in_duckdb_what_the_table_says() -> None:
    connection = duckdb.connect()
    connection.execute("set timezone = 'UTC'")
    wrong = [
        (query, gives, made)
        for query, gives in given("duckdb")
        if (made := said(connection.execute(query).fetchall())) != gives
    ]
    assert not wrong


def test_spark_has_the_functions_that_it_is_said_to_have(local_spark: Mapping[str, Any]) -> None:
    session = SparkSession.builder.getOrCreate()
    assert session.version.startswith(f"{SPARK_VERSION}.")
    names = {row[0] for row in session.sql("show functions").collect()}
    assert {name for name in names if name.replace("_", "").isalnum()} == SHOWN_FUNCTIONS

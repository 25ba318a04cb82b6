"""Empty databases in DuckDB: one more in an instance that runs costs 2 ms, an instance of its own 40 ms."""

from __future__ import annotations

import functools
import weakref
from itertools import count

import duckdb

_NUMBERS = count()


@functools.cache
def _instance() -> duckdb.DuckDBPyConnection:
    return duckdb.connect()


def new_database() -> duckdb.DuckDBPyConnection:
    """A connection to a database in memory that nothing else uses, and that goes with it."""
    connection = _instance().cursor()
    name = f"of_runs_{next(_NUMBERS)}"
    connection.execute(f"attach ':memory:' as {name}")
    connection.execute(f"use {name}")
    weakref.finalize(connection, _instance().execute, f"detach {name}")
    return connection


def database_like_spark() -> duckdb.DuckDBPyConnection:
    """A connection to one in UTC that has the functions that macros write for Spark and DuckDB calls otherwise."""
    connection = new_database()
    for statement in (
        "set TimeZone = 'UTC'",
        "create macro unix_micros(instant) as epoch_us(instant)",
        "create macro timestamp_micros(number) as make_timestamptz(number)",
        "create macro try_sum(number) as sum(number)",
        "create macro date_of_days(number) as date '1970-01-01' + number::integer",
        "create macro raise_error(message) as error(message)",
        "create macro xxhash64(one) as (hash(one)::hugeint % 1000000), "
        "(one, two) as (hash(one, two)::hugeint % 1000000), "
        "(one, two, three, four) as (hash(one, two, three, four)::hugeint)",
    ):
        connection.execute(statement)
    return connection

"""Empty databases in DuckDB: one more in an instance that runs costs 2 ms, an instance of its own 40 ms."""

from __future__ import annotations

import functools
import weakref
from itertools import count

import duckdb

_NUMBERS = count()
_MOST_HASHED = 60


def _hash_of(number: int) -> str:
    names = ", ".join(f"value_{at}" for at in range(number))
    # of few columns only the last digits: other rows with the same hash have to be thought of
    return f"({names}) as (hash({names})::hugeint{' % 1000000' if number < 3 else ''})"


# DuckDB's macros have a fixed number of arguments each
_HASHES = ", ".join(_hash_of(number) for number in range(1, _MOST_HASHED))


@functools.cache
def _instance() -> duckdb.DuckDBPyConnection:
    # tables of a few rows: threads would only wait for each other, and what needs much memory is a mistake
    return duckdb.connect(config={"threads": 1, "memory_limit": "1GB", "temp_directory": ""})


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
        f"create macro xxhash64{_HASHES}",
    ):
        connection.execute(statement)
    return connection

"""Trials run in DuckDB."""

from __future__ import annotations

import functools

import duckdb
import sqlglot
from sqlglot import exp

from tests.soundness.trials import Trial, differences, statement, tables, values


@functools.lru_cache(maxsize=64)
def translated(sql: str) -> str:
    """Spark's SQL as DuckDB's; what Spark adds to a date by a function is a date here, too."""

    tree = sqlglot.parse_one(sql, read="spark")
    for node in reversed(list(tree.find_all(exp.TsOrDsAdd, exp.AddMonths))):
        node.replace(exp.cast(node.copy(), "date"))
    return tree.sql(dialect="duckdb")


class DuckDBEngine:
    """A database in memory that makes the tables of a trial when it first meets them."""

    def __init__(self) -> None:
        self.connection = duckdb.connect()
        self.connection.execute("set threads to 1")
        self._filled = set[int]()

    def differences(self, trials: list[Trial]) -> list[str]:
        """Where slices are not what the whole is."""
        for trial in trials:
            self._fill(trial.case.data)
        return differences(trials, self.connection.execute(statement(trials, translated)).fetchall())

    def _fill(self, data: int) -> None:
        if data not in self._filled:
            self._filled.add(data)
            for name, columns, rows in tables(data):
                self.connection.execute(f"create table {name} as {values(columns, rows)}")

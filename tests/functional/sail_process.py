"""dbt on Sail, an engine that speaks Spark Connect and knows Delta, in the venv of sail.py: `python -m tests.functional.sail_process DESCRIPTOR WAREHOUSE`.

What dbt sends goes to Sail as it is, but for the statements below that Sail does not have.
"""

from __future__ import annotations

import json
import os
import re
import socket
import sys
from collections.abc import Callable, Mapping
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from dbt.adapters.spark import session
from dbt_common.exceptions import DbtRuntimeError
from pysail.spark import SparkConnectServer
from pyspark.sql import SparkSession

from tests.functional.elsewhere import serve, without_comment
from tests.functional.speed import quick_dbt

Answer = tuple[list[str], list[tuple[Any, ...]]]


def spark() -> SparkSession:
    """The one session: Sail keeps a catalog for each."""
    return SparkSession.builder.getOrCreate()


def history(table: str, limit: str | None) -> Answer:
    """`describe history`: what stands in the log of the table, newest version first."""
    facts = {row[0]: row[1] for row in spark().sql(f"describe table extended {table}").collect()}
    rows: list[tuple[Any, ...]] = []
    for file in sorted(Path(facts["Location"]).glob("_delta_log/*.json"), reverse=True):
        actions = [json.loads(line) for line in file.read_text().splitlines()]
        commit: dict[str, Any] = next((action["commitInfo"] for action in actions if "commitInfo" in action), {})
        metrics = {name: str(number) for name, number in commit.get("operationMetrics", {}).items()}
        at = datetime.fromtimestamp(commit.get("timestamp", 0) / 1000, tz=timezone.utc)
        rows.append((int(file.stem), at, commit.get("operation"), commit.get("operationParameters", {}), metrics))
    columns = ["version", "timestamp", "operation", "operationParameters", "operationMetrics"]
    return columns, rows[: int(limit) if limit else None]


def described(query: str) -> Answer:
    """`describe query`."""
    fields = spark().sql(query).schema.fields
    return ["col_name", "data_type", "comment"], [(field.name, field.dataType.simpleString(), None) for field in fields]


def setting(name: str, _: str | None) -> Answer:
    """`set`: Sail overwrites whole tables whatever it is told, and so it says."""
    value = "static" if name == "spark.sql.sources.partitionOverwriteMode" else "<undefined>"
    return ["key", "value"], [(name, value)]


def process() -> Answer:
    """Where Spark asks its JVM, Sail is a part of this process."""
    return ["host", "process"], [(f"{socket.gethostname()}/127.0.0.1", str(os.getpid()))]


FILLED_IN: dict[str, Callable[..., Answer]] = {
    r"describe history (\S+)(?: limit (\d+))?": history,
    r"describe query\s+(.*)": described,
    r"set (\S+)(?: = (\S+))?": setting,
    r"select java_method\('java.net.InetAddress', .*": process,
    r"refresh table \S+": lambda: ([], []),
}


class Cursor(session.Cursor):  # type: ignore[misc]
    """dbt-spark's cursor, with the statements that are filled in."""

    breaks_at: tuple[str, bool] | None = None
    is_broken = False
    _columns: list[str] | None = None

    def execute(self, sql: str, *parameters: Any) -> None:
        """Executes a statement, unless the connection is lost."""
        statement = without_comment(sql)
        pattern, done = Cursor.breaks_at or ("(?!)", False)
        if re.match(pattern, statement) and not Cursor.is_broken:
            if done:
                self._answer(statement)
            Cursor.is_broken = True
        if Cursor.is_broken:
            raise DbtRuntimeError("the connection is lost")
        self._answer(statement)

    def _answer(self, statement: str) -> None:
        self._columns = None
        for pattern, answer in FILLED_IN.items():
            found = re.fullmatch(pattern, statement, re.DOTALL)
            if found:
                self._columns, self._rows = answer(*found.groups())
                return
        # what is grouped by is the first column wherever the package says it like this
        statement = statement.replace("group by all", "group by 1")
        # Sail panics at the xxhash64 of a string that has one value in a whole file
        super().execute(re.sub(r"xxhash64\((`_content_hash`|hashed\.__kinds_hash)\)", r"crc32(\1)", statement))

    @property
    def description(self) -> Any:
        """The columns of the answer."""
        if self._columns is None:
            return super().description
        return [(name, "string", None, None, None, None, True) for name in self._columns]


def break_at(state: Mapping[str, Any]) -> None:
    """Where the project that is about to be called loses its connection."""
    Cursor.breaks_at, Cursor.is_broken = state["breaks_at"], False


def main(descriptor: str, warehouse: str) -> None:
    """Calls methods of projects, until the other side is gone."""
    quick_dbt()
    server = SparkConnectServer()
    server.start(background=True)
    os.environ["SPARK_REMOTE"] = "sc://{}:{}".format(*server.listening_address)
    spark().conf.set("spark.sql.warehouse.dir", warehouse)
    session.Cursor = Cursor
    serve(descriptor, break_at)


if __name__ == "__main__":
    main(*sys.argv[1:])

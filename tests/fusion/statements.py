"""Runs the statements of dbt 2.0 on a Spark Thrift server, and answers with queries of their rows for DuckDB."""

from __future__ import annotations

import socketserver
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

from pyhive import hive

from tests.functional.thrift import ThriftServer

# names of the types of Hive's protocol, and DuckDB's names for them; all others are texts
_TYPES = {
    "BOOLEAN_TYPE": "boolean", "TINYINT_TYPE": "tinyint", "SMALLINT_TYPE": "smallint", "INT_TYPE": "integer", "BIGINT_TYPE": "bigint",
    "FLOAT_TYPE": "float", "DOUBLE_TYPE": "double", "DATE_TYPE": "date", "TIMESTAMP_TYPE": "timestamptz",
}  # fmt: skip


class Statements:
    """The sessions of dbt 2.0's connections, and what was sent to them."""

    def __init__(self, server: ThriftServer) -> None:
        self.sent: list[str] = []
        self._server = server
        self._sessions: dict[str, hive.Connection] = {}
        self._lock = threading.Lock()

    def answer(self, message: str) -> str:
        """What is said to a message of the driver; its form stands in driver.c."""
        connection, sql = message.split("\n", 1)
        if not sql:
            self._close(connection)
            return "+"
        self.sent.append(sql.split("*/", 1)[-1].strip() if sql.lstrip().startswith("/*") else sql.strip())
        try:
            with self._lock:
                session = self._sessions.get(connection) or self._sessions.setdefault(
                    connection, self._server.connect()
                )
            with session.cursor() as cursor:
                cursor.execute(sql.strip().rstrip(";"))
                # so the server names the one column of what returns no rows, and PyHive fails to fetch them
                if cursor.description[0][0] == "Result":
                    return "+select 1 as ok where false"
                return "+" + values_query(cursor.description, cursor.fetchall())
        except Exception as problem:
            return "-" + _message(problem)

    def _close(self, connection: str) -> None:
        with self._lock:
            session = self._sessions.pop(connection, None)
        if session:
            with suppress(Exception):
                session.close()


def _message(problem: Exception) -> str:
    """What Spark says, without the trace of the server."""
    status = getattr(problem.args[0], "status", None) if problem.args else None
    text = getattr(status, "errorMessage", None) or str(problem)
    return text.split("\n\tat ")[0][:4000]


def values_query(description: Sequence[tuple[Any, ...]], rows: Sequence[tuple[Any, ...]]) -> str:
    """A query that DuckDB answers with these rows."""
    columns = [(f"c{place}", column[0].split(".")[-1], column[1]) for place, column in enumerate(description)]
    types = [_type(kind, [row[place] for row in rows]) for place, (_, _, kind) in enumerate(columns)]
    selected = ", ".join(
        f'cast({given} as {kind}) as "{name.replace(chr(34), chr(34) * 2)}"'
        for (given, name, _), kind in zip(columns, types, strict=True)
    )
    values = ", ".join("(" + ", ".join(map(_literal, row)) + ")" for row in rows)
    names = ", ".join(given for given, _, _ in columns)
    if not rows:
        values = "(" + ", ".join("null" for _ in columns) + ")"
    return f"select {selected} from (values {values}) v({names})" + ("" if rows else " where false")


def _type(kind: str, values: Sequence[Any]) -> str:
    if kind != "DECIMAL_TYPE":
        return _TYPES.get(kind, "varchar")
    exponents = [value.as_tuple().exponent for value in values if value is not None]
    return f"decimal(38, {max([0, *(-exponent for exponent in exponents)])})"


def _literal(value: Any) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, (int, Decimal)):
        return str(value)
    if isinstance(value, datetime):
        return f"'{value.isoformat(' ')}+00'"
    text = value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)
    return "'" + text.replace("'", "''") + "'"


@contextmanager
def listening(path: Path, statements: Statements) -> Iterator[None]:
    """Answers at a socket until the context ends; a connection is one message and its answer."""

    class Handler(socketserver.StreamRequestHandler):
        def handle(self) -> None:
            answer = statements.answer(self.rfile.read().decode())
            # whoever asked may have been killed
            with suppress(OSError):
                self.wfile.write(answer.encode())

    class Server(socketserver.ThreadingUnixStreamServer):
        daemon_threads = True
        request_queue_size = 64

    with Server(str(path), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield
        finally:
            server.shutdown()

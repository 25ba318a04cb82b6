"""The inputs of a model in DuckDB: tables that show, at each moment, what had arrived until then."""

from __future__ import annotations

import re
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import duckdb

from dbt_kinds.migrate.arrival import is_arrival
from dbt_kinds.migrate.column_types import DATE_NAME, TIME_NAME
from dbt_kinds.prove.histories import Event, History, is_doubled, is_fitting
from dbt_kinds.prove.translation import NOW
from dbt_kinds.prove.types import Columns
from dbt_kinds.prove.uses import DATE, FLAG, LOCAL_TIME, NUMBER, TEXT, TIME
from dbt_kinds.prove.verdict import Table

_EVER = datetime(2200, 1, 1)
# until when a version holds, and how long it does
_UNTIL = re.compile(r"next_.*|(?:.*_)?valid_(?:to|until)(?:_.*)?")
_VALID = timedelta(days=40)
_TIMES = (TIME, LOCAL_TIME, DATE)
_ENTITIES = "abcdefghijklmnop"


@dataclass(frozen=True)
class Inputs:
    """The inputs of a model.

    Attributes:
        columns: the columns and their types.
        changing: the inputs that gain rows; the others are there from the beginning.
        keys: names of columns that say who a row is about.
        never_null: names of columns without NULL.
        held_as: how a column holds a time that is no date or timestamp: ds, ts, epoch or millis.
        literals: the values that a column is compared with.
        wanted: those that a filter asks for.
        carriers: columns that hold more than one value, such as structs and JSON; their times are those of the event.
        arrival, event: columns with a row's arrival and with its event time, regardless of their names.
    """

    columns: Columns
    changing: frozenset[str]
    keys: frozenset[str]
    never_null: frozenset[str]
    held_as: Mapping[str, str]
    literals: Mapping[str, tuple[Any, ...]]
    wanted: Mapping[str, tuple[Any, ...]]
    carriers: frozenset[str]
    arrival: frozenset[str]
    event: frozenset[str]

    def create(self, connection: duckdb.DuckDBPyConnection, history: History) -> None:
        """Creates the inputs with all that a history brings, as views of what had arrived."""
        for table, columns in self.columns.items():
            listed = [f'"{name}" {type_}' for name, type_ in columns.items()]
            defined = ", ".join(listed) or "kinds_nothing int"
            times = "kinds_from timestamptz, kinds_to timestamptz"
            connection.execute(f"create or replace table all_{table} ({times}, {defined})")
            rows = self.rows(table, history)
            if rows:
                marks = ", ".join(["?"] * max(3, len(rows[0])))
                rows = [row if len(row) > 2 else [*row, 1] for row in rows]
                connection.executemany(f"insert into all_{table} values ({marks})", rows)
            names = ", ".join(f'"{name}"' for name in columns) or "kinds_nothing"
            connection.execute(
                f"create or replace view {table} as select {names} from all_{table} "
                f"where kinds_from <= {NOW} and kinds_to > {NOW}"
            )

    def rows(self, table: str, history: History) -> list[list[Any]]:
        """The rows of an input with the times between which they are there."""
        if table not in self.changing:
            return [
                [
                    history.first - timedelta(days=60),
                    _EVER,
                    *self._row(table, history, Event(entity, -30 * 1440, variant=entity), 0, -30 * 1440),
                ]
                # not all that something happens to
                for entity in range(1, 4)
            ]
        found = []
        for event in history.events:
            moments = [event.arrives, *event.changed]
            for version, moment in enumerate(moments):
                until = history.at(moments[version + 1]) if version + 1 < len(moments) else _EVER
                row = self._row(table, history, event, version, moment)
                found.append([history.at(moment), until, *row])
                if is_doubled(event.variant) and self.has_doubles(table):
                    found.append([history.at(moment), until, *self._row(table, history, event, version + 10, moment)])
        return found

    def has_doubles(self, table: str) -> bool:
        """Whether an event may have two rows of an input."""
        return not self.never_null and table in self.changing

    def _row(self, table: str, history: History, event: Event, version: int, arrived: int) -> list[Any]:
        return [
            self._value(table, column, type_, history, event, version, arrived)
            for column, type_ in self.columns[table].items()
        ]

    def _value(
        self, table: str, column: str, type_: str, history: History, event: Event, version: int, arrived: int
    ) -> Any:
        held = self.held_as.get(column)
        chosen, wanted = self.literals.get(column, ()), self.wanted.get(column, ())
        if wanted == (None,) and is_fitting(event.variant):
            return None
        if (
            type_ in _TIMES
            or held is not None
            or (type_ == TEXT and (TIME_NAME.fullmatch(column) or DATE_NAME.fullmatch(column)))
        ):
            if event.has_no_time:
                return None
            moment = history.at(arrived if is_arrival(column, self.arrival, self.event) else event.minute)
            if _UNTIL.fullmatch(column):
                moment += _VALID
            return _held(moment, type_, held)
        number = zlib.crc32(f"{table}.{column}.{event.variant}.{version}".encode())
        if wanted and is_fitting(event.variant):
            return wanted[number % len(wanted)]
        if column in self.carriers and type_ == TEXT:
            return f"{history.at(event.minute):%Y-%m-%d %H:%M:%S}|{number % 4}"
        if column in self.keys:
            if type_ == TEXT:
                return _ENTITIES[event.entity % len(_ENTITIES)] if not chosen else chosen[event.entity % len(chosen)]
            if type_ == NUMBER:
                return event.entity
        if event.has_nulls and number % 3 == 0 and column not in self.never_null:
            return None
        if chosen and number % 5:
            return chosen[number % len(chosen)]
        made = {
            TEXT: "xyz"[number % 3],
            NUMBER: 1 + number % 9,
            FLAG: number % 3 > 0,
            "double": float(number % 9),
            "json": "{}",
            "varchar[]": ["x"],
            "json[]": ["{}"],
            "blob": b"x",
        }
        return made.get(type_)

    def told(self, history: History) -> list[Table]:
        """The rows of a history as tables for people."""
        found = []
        for table, columns in self.columns.items():
            rows = [
                (
                    *("NULL" if value is None else _short(value) for value in row[2:]),
                    _short(row[0]),
                    "" if row[1] == _EVER else _short(row[1]),
                )
                for row in self.rows(table, history)
            ]
            shown = (*columns, "there from", "until")
            if table not in self.changing:
                rows, shown = [row[:-2] for row in rows], shown[:-2]
            found.append(Table(table.removeprefix("in_"), tuple(shown), tuple(rows)))
        return found


def _held(moment: datetime, type_: str, held: str | None) -> Any:
    if type_ == NUMBER:
        seconds = int(moment.timestamp())
        return seconds * 1000 if held == "millis" else seconds
    if type_ == TEXT:
        return moment.strftime("%Y-%m-%d" if held in (None, "ds") else "%Y-%m-%d %H:%M:%S")
    if type_ == DATE:
        return moment.date()
    return moment.replace(tzinfo=None) if type_ == LOCAL_TIME else moment


def _short(value: Any) -> str:
    return f"{value:%Y-%m-%d %H:%M}" if isinstance(value, datetime) else str(value)

"""The interval store's log in memory, in place of its table."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

_BEGINNING = datetime(2030, 1, 1)


@dataclass
class Log:
    """Events that are stored, and those on their way into the log; the clock goes on by a second an event."""

    log: list[dict[str, Any]] = field(default_factory=list)
    unwritten: list[dict[str, Any]] = field(default_factory=list)

    def moment(self) -> str:
        """The next moment, which no event has yet."""
        now = _BEGINNING + timedelta(seconds=len(self.log) + len(self.unwritten))
        return now.strftime("%Y-%m-%dT%H:%M:%S.%f")

    def note(self, event: dict[str, Any], takes_commit: bool = False) -> list[str]:
        """An event on its way into the log, and the values that it has in the statement."""
        self.unwritten.append({key: value for key, value in event.items() if value is not None})
        return []

    def append(self) -> None:
        """Stores what was noted."""
        self.log += self.unwritten
        self.unwritten = []

    def read_store(self) -> list[dict[str, Any]]:
        """The events of each relation, as the store's query returns them."""
        found: list[dict[str, Any]] = []
        for relation in {row["relation"] for row in self.log}:
            rows = [row for row in self.log if row["relation"] == relation]
            # what lines leave out is asked for in few rows only, so that all are given as rows
            blank = {"started_at": "", "execution_time": "", "model_hash": ""}
            found.append({"relation": relation, "lines": "", "rows": [{**blank, **row} for row in rows]})
        return found

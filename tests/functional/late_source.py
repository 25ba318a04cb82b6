"""A source whose days change in every way there is, what it should hold, and which of its days a change touched."""

from __future__ import annotations

import random
from dataclasses import dataclass, field

from tests.functional import table_upkeep
from tests.functional.project import Project

Rows = set[tuple[int, int]]

LAST_DAY = 9


@dataclass
class LateSource:
    """A table `(id int, v int, day date)` partitioned by its day, Iceberg or Parquet.

    `touched` are the days that statements changed since it was last asked. `statements` and `compactions` are those since a load noted what it read; `has_lost`
    tells that the history was cut in between.
    """

    project: Project
    name: str
    using: str
    luck: random.Random
    properties: str = ""
    days: dict[int, Rows] = field(default_factory=lambda: {day: set() for day in range(1, LAST_DAY + 1)})
    touched: set[int] = field(default_factory=set)
    statements: int = 0
    compactions: int = 0
    has_lost: bool = False
    _last_id: int = 0

    def create(self) -> None:
        """Makes the table, with two rows in each of its first five days."""
        self.project.sql(
            f"create table {{schema}}.{self.name} (id int, v int, day date) using {self.using} partitioned by (day) {self.properties}"
        )
        self.insert([day for day in range(1, 6) for _ in range(2)])

    def change(self) -> str:
        """One change drawn by lot; returns its name."""
        ways = [self._insert_late, self._insert_several, self._replace_day, self._drop_day, self._nothing]
        if self.using == "iceberg":
            ways += [self._update, self._delete, self._delete_day, self._compact, self._compact, self._move]
        way = self.luck.choice(ways)
        way()
        return way.__name__.strip("_")

    def expire(self) -> None:
        """Removes all snapshots but the current one."""
        if self.using == "iceberg":
            table_upkeep.expire(self.project, self.name)
            # the last commit is kept, and names the one before it
            self.has_lost |= self.statements > 0 or self.compactions > 1

    def note(self) -> None:
        """Begins anew: a load noted the table as it is."""
        self.statements, self.compactions, self.has_lost = 0, 0, False

    def rows(self, until: int) -> list[tuple[int, int, int]]:
        """The rows (day, id, v) of the days before one."""
        return sorted((day, *row) for day, rows in self.days.items() for row in rows if day < until)

    def insert(self, days: list[int]) -> None:
        """A new row in each of these days, in one statement."""
        values = []
        for day in days:
            self._last_id += 1
            row = (self._last_id, self.luck.randrange(100))
            self.days[day].add(row)
            values.append(f"({row[0]}, {row[1]}, date '2024-01-{day:02}')")
        self._sql(f"insert into {{schema}}.{self.name} values {', '.join(values)}")
        self.touched |= set(days)

    def _insert_late(self) -> None:
        self.insert([self._day()])

    def _insert_several(self) -> None:
        self.insert([self._day() for _ in range(3)])

    def _replace_day(self) -> None:
        day = self._day()
        rows = [(self._last_id + number, self.luck.randrange(100)) for number in range(1, len(self.days[day]) + 1)]
        if rows:
            self._last_id += len(rows)
            values = ", ".join(map(str, rows))
            self._sql(
                f"insert overwrite {{schema}}.{self.name} partition (day = date '2024-01-{day:02}') values {values}"
            )
            self.days[day] = set(rows)
            self.touched.add(day)

    def _drop_day(self) -> None:
        day = self._day()
        if self.using == "iceberg":
            self._delete_day()
        elif self.days[day]:
            self._sql(f"alter table {{schema}}.{self.name} drop if exists partition (day = date '2024-01-{day:02}')")
            self._emptied(day)

    def _nothing(self) -> None:
        """A day on which nobody changes anything."""

    def _update(self) -> None:
        day = self._day()
        if self.days[day]:
            changed = max(self.days[day])
            self._sql(f"update {{schema}}.{self.name} set v = v + 1000 where id = {changed[0]}")
            self.days[day] = (self.days[day] - {changed}) | {(changed[0], changed[1] + 1000)}
            self.touched.add(day)

    def _move(self) -> None:
        here, there = self._day(), self._day()
        if self.days[here] and here != there:
            moved = max(self.days[here])
            self._sql(f"update {{schema}}.{self.name} set day = date '2024-01-{there:02}' where id = {moved[0]}")
            self.days[here].remove(moved)
            self.days[there].add(moved)
            self.touched |= {here, there}

    def _delete(self) -> None:
        day = self._day()
        if self.days[day]:
            gone = min(self.days[day])
            self._sql(f"delete from {{schema}}.{self.name} where id = {gone[0]}")
            self.days[day].remove(gone)
            self.touched.add(day)

    def _delete_day(self) -> None:
        day = self._day()
        if self.days[day]:
            self._sql(f"delete from {{schema}}.{self.name} where day = date '2024-01-{day:02}'")
            self._emptied(day)

    def _compact(self) -> None:
        table_upkeep.compact(self.project, self.name)
        self.compactions += 1

    def _emptied(self, day: int) -> None:
        self.days[day] = set()
        self.touched.add(day)

    def _day(self) -> int:
        return self.luck.randrange(1, LAST_DAY + 1)

    def _sql(self, statement: str) -> None:
        self.project.sql(statement)
        self.statements += 1

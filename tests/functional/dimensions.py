"""Models of SCD type 2 over daily copies of some rows, and what the reference says that their tables hold."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from tests.functional.project import Project
from tests.unit import reference_scd2_runs as reference
from tests.unit.reference_scd2 import Model, broken_rules
from tests.unit.scd2_sql import as_texts, rows_sql
from tests.unit.scd2_vectors import key_part

FIRST_DAY, DAY, SIX_HOURS = datetime(2024, 1, 1), timedelta(days=1), timedelta(hours=6)
COLUMNS = [("day", "int"), ("id", "int"), ("price", "int"), ("updated_at", "timestamp")]
COPIES = "{{ target.schema }}.daily_copies"
NEWEST = f"where day = (select max(day) from {COPIES})"
OF_THE_BATCH = "where timestamp '2024-01-01 00:00:00' + make_interval(0, 0, 0, day) between {{ dbt_kinds.start_dt() }} and {{ dbt_kinds.end_dt() }}"


@dataclass
class DailyCopies:
    """A copy of some rows for each day, which a view holds."""

    sql: Callable[[str], Any]
    luck: random.Random
    days: dict[int, list[dict[str, Any]]] = field(default_factory=dict)

    def arrive(self, day: int) -> None:
        """A day's copy: keys that come, go and come back, and change."""
        self.days[day] = [
            {"id": id_, "price": self.luck.choice([10, 20, 30]), "updated_at": FIRST_DAY + day * DAY + self.luck.choice([0, 1]) * SIX_HOURS}
            for id_ in range(6)
            if self.luck.random() < 0.8
        ]  # fmt: skip

    def write(self) -> None:
        rows = [[day, row["id"], row["price"], row["updated_at"]] for day, held in self.days.items() for row in held]
        self.sql(f"create or replace view {{schema}}.daily_copies as {rows_sql(COLUMNS, rows)}")


@dataclass
class Dimension:
    """A model, and what its table should hold."""

    name: str
    kind: str
    file_format: str
    where: str
    options: dict[str, Any]
    model: Model
    schedule: reference.Schedule
    table: reference.Table = field(default_factory=reference.Table)

    def __post_init__(self) -> None:
        self.table.has_snapshots = self.file_format in ("iceberg", "delta")

    @property
    def columns(self) -> list[str]:
        return ["id", "price", "updated_at"] if self.model.by == "time" else ["id", "price"]

    def write(self, project: Project) -> None:
        options = {"start": None, "unique_key": "id", "invalidate_hard_deletes": True, **self.options}
        query = f"select {', '.join(self.columns)} from {COPIES} {self.where}"
        project.kind(self.name, query, kind=self.kind, config=f"file_format='{self.file_format}'", **options)

    def load(self, copies: DailyCopies, run: reference.Run) -> None:
        """What a run does to the table, which breaks no rule of histories."""

        def rows(start: datetime, end: datetime) -> list[dict[str, Any]]:
            day = (start - FIRST_DAY).days if self.schedule.batch_size else max(copies.days)
            return [{name: row[name] for name in self.columns} for row in copies.days.get(day, [])]

        before = list(self.table.history)
        reference.carry_out(self.model, self.schedule, run, self.table, rows)
        assert run.start or run.full_refresh or broken_rules(self.model, before, self.table.history) == []

    def query(self) -> str:
        texts = ", ".join(f"cast({name} as string)" for name in [*self.columns, "valid_from", "valid_to"])
        return f"select {texts} from {{schema}}.{self.name}"

    def expected(self) -> list[list[str | None]]:
        history = self.table.history
        return as_texts(
            [[*(row.values[name] for name in self.columns), row.valid_from, row.valid_to] for row in history]
        )


def by_time(file_format: str) -> Dimension:
    model = Model("time", [key_part("id")], updated_at="updated_at", hard_deletes=True)
    schedule = reference.Schedule(disable_restatement=False)
    options = {"disable_restatement": False}
    return Dimension(f"by_time_{file_format}", "scd_type_2_by_time", file_format, NEWEST, options, model, schedule)


def by_column(file_format: str) -> Dimension:
    model = Model("column", [key_part("id")], columns=["price"], hard_deletes=True)
    schedule = reference.Schedule(disable_restatement=False)
    options = {"columns": ["price"], "disable_restatement": False}
    return Dimension(f"by_column_{file_format}", "scd_type_2_by_column", file_format, NEWEST, options, model, schedule)


def replayed(file_format: str) -> Dimension:
    """One that merges day by day."""
    model = Model("column", [key_part("id")], columns=["price"], hard_deletes=True)
    schedule = reference.Schedule(start=FIRST_DAY, batch_size=1, disable_restatement=False)
    options = {"columns": "*", "batch_size": 1, "start": "2024-01-01", "disable_restatement": False}
    name = f"replayed_{file_format}"
    return Dimension(name, "scd_type_2_by_column", file_format, OF_THE_BATCH, options, model, schedule)

"""Runs of SCD type 2 killed at any moment, run again: the history is that of runs that were not killed, which the reference tells."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from dbt_kinds.local.profile import local_profile
from tests.functional.process import OwnSparkProject
from tests.functional.relay import Relay
from tests.sweep import size
from tests.unit import reference_scd2_runs as reference
from tests.unit.reference_scd2 import Model, broken_rules
from tests.unit.scd2_sql import as_texts, rows_sql
from tests.unit.scd2_vectors import key_part

# four kills a round, and each hits a run that writes four tables
ROUNDS = max(1, size("KINDS_KILLS", None, full=100) // 4)
FIRST_DAY, DAY, SIX_HOURS = datetime(2024, 1, 1), timedelta(days=1), timedelta(hours=6)
COLUMNS = [("day", "int"), ("id", "int"), ("price", "int"), ("updated_at", "timestamp")]
NEWEST = "where day = (select max(day) from {{ target.schema }}.source_rows)"
OF_THE_BATCH = "where timestamp '2024-01-01 00:00:00' + make_interval(0, 0, 0, day) between {{ dbt_kinds.start_dt() }} and {{ dbt_kinds.end_dt() }}"
RESTATED_FROM = FIRST_DAY + 4 * DAY


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

    @property
    def columns(self) -> list[str]:
        return ["id", "price", "updated_at"] if self.model.by == "time" else ["id", "price"]

    def write(self, project: OwnSparkProject) -> None:
        options = {"start": None, "unique_key": "id", "invalidate_hard_deletes": True, **self.options}
        query = f"select {', '.join(self.columns)} from {{{{ target.schema }}}}.source_rows {self.where}"
        project.kind(self.name, query, kind=self.kind, config=f"file_format='{self.file_format}'", **options)

    def load(self, source: Source, run: reference.Run) -> None:
        """What a run does to the table, which breaks no rule of histories."""

        def rows(start: datetime, end: datetime) -> list[dict[str, Any]]:
            day = (start - FIRST_DAY).days if self.schedule.batch_size else max(source.days)
            return [{name: row[name] for name in self.columns} for row in source.days.get(day, [])]

        before = list(self.table.history)
        reference.carry_out(self.model, self.schedule, run, self.table, rows)
        assert run.start or broken_rules(self.model, before, self.table.history) == []

    def expected(self) -> list[list[str | None]]:
        history = self.table.history
        return as_texts(
            [[*(row.values[name] for name in self.columns), row.valid_from, row.valid_to] for row in history]
        )


@dataclass
class Source:
    """A copy of some rows for each day, which a view holds."""

    relay: Relay
    days: dict[int, list[dict[str, Any]]] = field(default_factory=dict)

    def arrive(self, day: int) -> None:
        """A day's copy: keys that come, go and come back, and change."""
        moment = self.relay.moment
        self.days[day] = [
            {"id": id_, "price": moment.choice([10, 20, 30]), "updated_at": FIRST_DAY + day * DAY + moment.choice([0, 1]) * SIX_HOURS}
            for id_ in range(6)
            if moment.random() < 0.8
        ]  # fmt: skip

    def write(self) -> None:
        rows = [[day, row["id"], row["price"], row["updated_at"]] for day, held in self.days.items() for row in held]
        self.relay.call("sql", f"create or replace view {{schema}}.source_rows as {rows_sql(COLUMNS, rows)}")


def dimensions() -> list[Dimension]:
    found = []
    for file_format in ("iceberg", "parquet"):
        options = {"columns": "*", "batch_size": 1, "start": "2024-01-01", "disable_restatement": False}
        schedule = reference.Schedule(start=FIRST_DAY, batch_size=1, disable_restatement=False)
        model = Model("column", [key_part("id")], columns=["price"], hard_deletes=True)
        name = f"replayed_{file_format}"
        found.append(Dimension(name, "scd_type_2_by_column", file_format, OF_THE_BATCH, options, model, schedule))
    model = Model("column", [key_part("id")], columns=["price"], hard_deletes=True)
    schedule = reference.Schedule(disable_restatement=False)
    options = {"columns": ["price"], "disable_restatement": False}
    found.append(Dimension("by_column_parquet", "scd_type_2_by_column", "parquet", NEWEST, options, model, schedule))
    model = Model("time", [key_part("id")], updated_at="updated_at", hard_deletes=True)
    options = {"disable_restatement": False}
    found.append(Dimension("by_time_iceberg", "scd_type_2_by_time", "iceberg", NEWEST, options, model, schedule))
    for dimension in found:
        dimension.table.has_snapshots = dimension.file_format == "iceberg"
    return found


@pytest.fixture
def relay(tmp_path: Path) -> Iterator[Relay]:
    profile = local_profile(tmp_path / "spark", name="local", schema="unused", threads=2)
    project = OwnSparkProject(tmp_path / "killed", profile, "unused")
    for dimension in dimensions():
        dimension.write(project)
    relay = Relay(project)
    yield relay
    relay.close()


@pytest.mark.sweep
def test_a_killed_run_of_history_is_made_good_by_the_next(relay: Relay) -> None:
    for number in range(ROUNDS):
        schema = f"round_{number}"
        relay.project.use_schema(schema)
        source, tables = Source(relay), dimensions()
        for title, days in (("first load", range(3)), ("next day", range(3, 4)), ("next day", range(4, 5))):
            relay.use_schema(schema)
            for day in days:
                source.arrive(day)
            source.write()
            run = reference.Run(FIRST_DAY + days.stop * DAY + SIX_HOURS)
            relay.kill_a_run(title, now=run.execution_time.isoformat())
            relay.use_schema(schema)
            run_again(relay, run)
            for dimension in tables:
                dimension.load(source, run)
            check(relay, tables, title)

        source.arrive(4)
        source.write()
        known = {dimension.name: relay.invalidations(dimension.name) for dimension in tables}
        restating = reference.Run(run.execution_time + SIX_HOURS, start=RESTATED_FROM)
        relay.kill_a_run("restatement", now=restating.execution_time.isoformat(), start=RESTATED_FROM.isoformat())
        relay.use_schema(schema)
        asks_again = relay.moment.random() < 0.5
        begun = {dimension.name for dimension in tables if relay.invalidations(dimension.name) != known[dimension.name]}
        run_again(relay, restating, **({"start": RESTATED_FROM.isoformat()} if asks_again else {}))
        for dimension in tables:
            if asks_again or dimension.name in begun:
                dimension.load(source, restating)
        check(relay, tables, f"restatement, begun of {sorted(begun)}, {'' if asks_again else 'not '}asked for again")
    print(f"{relay.tally.total()} kills: {dict(relay.tally)}")


def run_again(relay: Relay, run: reference.Run, **variables: Any) -> None:
    """`dbt run`, which must succeed and leave no stage behind."""
    done = relay.call("dbt", "run", now=run.execution_time.isoformat(), **variables)
    assert done.success, done.errors
    assert relay.call("sql", "show tables in {schema} like '*__kinds_stage_*'") == []


def check(relay: Relay, tables: list[Dimension], title: str) -> None:
    for dimension in tables:
        texts = ", ".join(f"cast({name} as string)" for name in [*dimension.columns, "valid_from", "valid_to"])
        rows = relay.call("sql", f"select {texts} from {{schema}}.{dimension.name}")
        assert sorted(([*row] for row in rows), key=repr) == dimension.expected(), f"{title}: {dimension.name}"

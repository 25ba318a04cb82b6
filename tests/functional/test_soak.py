"""Long life: sixty models of all kinds through random runs, changes, kills, restatements, refreshes, new columns, failures,
compactions and forgotten days; after every run, each table that it touched holds what a recomputation in Python says."""

from __future__ import annotations

import json
import os
import random
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from tests.functional.changed_source import ChangedSource
from tests.functional.daily_rows import days_of
from tests.functional.dimensions import DAY, FIRST_DAY, DailyCopies
from tests.functional.every_kind import DailySource
from tests.functional.process import own_spark_project
from tests.functional.project import Run
from tests.functional.relay import Relay
from tests.functional.soak import EXTRAS, FIRST_COLUMNS, RESTS, Daily, History, Member, Texts, members
from tests.functional.speed import SETTINGS
from tests.sweep import size

RUNS = size("KINDS_RUNS", None, full=200)
# it ends with the run that is under way then, so that it always has figures to tell
MINUTES = size("KINDS_MINUTES", None, full=60)
SEED = int(os.environ.get("KINDS_SEED", "1"))
# how often all tables are compared, and not those alone that a run was of
ALL_TABLES = 20


@pytest.fixture
def relay(tmp_path: Path) -> Iterator[Relay]:
    # a metastore in memory would die with its process
    settings = {name: value for name, value in SETTINGS.items() if "ConnectionURL" not in name}
    relay = Relay(own_spark_project(tmp_path, "soak", settings))
    yield relay
    relay.close()


class Soak:
    """The sources, the models and what happens to them."""

    def __init__(self, relay: Relay, landing: Path) -> None:
        self.relay, self.luck = relay, random.Random(SEED)
        relay.moment = random.Random(SEED)
        relay.call("sql", "create schema if not exists {schema}")
        self.source, self.copies = DailySource(self.sql), DailyCopies(self.sql, self.luck)
        self.changed = ChangedSource(self.sql, landing, self.luck)
        self.changed.create(relay.project)
        self.members = members(self.source, self.copies, self.changed)
        for member in self.members.values():
            member.write(relay.project)
        self.tally = Counter[str]()
        self.told: list[tuple[set[str], str]] = []
        for _ in range(3):
            self.a_day_arrives()

    def sql(self, statement: str) -> Any:
        return self.relay.call("sql", statement)

    def tell(self, models: Iterable[Member], what: str) -> None:
        self.told.append(({member.name for member in models}, f"run {self.tally['runs']}: {what}"))

    def history(self, name: str) -> str:
        """What happened to a model, and to the one that it reads."""
        parent = self.members[name].parent
        names = {name, parent.name} if parent else {name}
        told = [f"{what} ({', '.join(sorted(names & models))})" for models, what in self.told if names & models]
        return "\n".join([f"KINDS_SEED={SEED}, {name}:", *told])

    @property
    def now(self) -> datetime:
        """The morning after the newest day of the sources, later with every run."""
        return FIRST_DAY + self.source.days * DAY + timedelta(hours=8, minutes=self.tally["runs"])

    # what happens between runs

    def a_day_arrives(self) -> None:
        day = self.source.days if self.source.source else 0
        self.source.arrive(day)
        self.copies.arrive(day)
        self.copies.write()
        self.tell(self.members.values(), f"day {day} arrives")

    def sources_change(self) -> None:
        if self.luck.random() < 0.12:
            self.a_day_arrives()
        if self.luck.random() < 0.4:
            day = self.luck.randrange(self.source.days)
            self.source.correct(day)
            self.tell(self.members.values(), f"day {day} is corrected")
        if self.luck.random() < 0.2:
            self.copies.arrive(max(self.copies.days))
            self.copies.write()
            self.tell(self.members.values(), "the newest copy becomes another")
        if self.luck.random() < 0.4:
            self.changed.change()
            self.tell(self.members.values(), f"the changed source holds {dict(self.changed.rows)}")

    def columns_come(self) -> None:
        """One to three models gain a column."""
        growing = [member for member in self.daily() if len(member.columns) < len(FIRST_COLUMNS) + len(EXTRAS)]
        for member in self.luck.sample(growing, min(len(growing), self.luck.randint(1, 3))):
            member.columns.append(self.luck.choice([name for name in EXTRAS if name not in member.columns]))
            member.write(self.relay.project)
            self.tell([member], f"gains column {member.columns[-1]}")
            self.tally["schema changes"] += 1

    def days_are_forgotten(self) -> None:
        """The record of a day of one or two models; day 0 stays, so that a rebuild begins there."""
        able = [one for one in self.daily() if not one.always_runs and not one.kind.is_never_restated]
        for member in self.luck.sample(able, self.luck.randint(1, 2)):
            day = self.luck.randrange(1, self.source.days)
            self.relay.call("operation", "forget", select=member.name, start=text(day), end=text(day + 1))
            member.forget(day)
            self.tell([member], f"day {day} is forgotten")
            self.tally["forgets"] += 1

    def store_is_compacted(self) -> None:
        days = self.luck.choice([0, 0, 0, 7])
        if self.luck.random() < 0.3:
            arguments = ["dbt_kinds.compact_store", "--args", json.dumps({"keep_days": days})]
            self.relay.statements["compaction"] = 15
            self.relay.kill_a_command("compaction", "run-operation", *arguments)
        told = self.relay.call("operation", "compact_store", keep_days=days)
        what = f"compaction, keep_days {days}: {told['events_before']} to {told['events_after']} events"
        self.tell(self.members.values(), what)
        self.tally["compactions"] += 1

    # runs

    def step(self) -> None:
        """One run, and what comes before it."""
        began = time.monotonic()
        self.tally["runs"] += 1
        if self.tally["runs"] == 1:
            self.run(list(self.members.values()))
        else:
            self.sources_change()
            for chance, happens in (
                (0.15, self.columns_come),
                (0.15, self.days_are_forgotten),
                (0.08, self.store_is_compacted),
            ):
                if self.luck.random() < chance:
                    happens()
            runs = [self.run, self.refresh, self.restate, self.restate_histories, self.fail]
            self.luck.choices(runs, [70, 8, 9, 5, 8])[0](self.some(self.members.values(), 4, 9))
        if self.tally["runs"] % ALL_TABLES == 0:
            self.compare(self.members.values())
        print(f"{time.monotonic() - began:5.1f} s, {self.source.days} days, {self.told[-1][1]}", flush=True)

    def run(self, selected: list[Member]) -> None:
        is_killed = self.draws_a_kill()
        looked_back = [one for one in selected if isinstance(one, Daily) and one.lookback] if is_killed else []
        known = {one.name: self.invalidations(one) for one in looked_back}
        self.dbt_run("run", selected, is_killed)
        for member in selected:
            if member in looked_back and isinstance(member, Daily):
                # a day that the victim had begun is missing, so that the days before it are looked back upon as well
                due = {*member.due()}
                again = due | days_of(self.invalidations(member) - known[member.name])
                assert len(again) <= len(due) + 2 * member.lookback, self.history(member.name)
                member.load(sorted(again))
            else:
                member.run(self.now)
        self.compare(selected)

    def invalidations(self, member: Daily) -> set[tuple[str, str, str]]:
        return self.relay.invalidations(member.name) if member.held else set()

    def refresh(self, selected: list[Member]) -> None:
        selected = self.some(selected, 1, 3)
        for member in selected:
            if isinstance(member, Daily) and self.luck.random() < 0.3:
                member.columns = list(FIRST_COLUMNS)
                member.write(self.relay.project)
        self.dbt_run("refresh", selected, self.draws_a_kill(), "--full-refresh")
        for member in selected:
            member.refresh(self.now)
        self.tally["refreshes"] += 1
        self.compare(selected)

    def restate(self, _: list[Member]) -> None:
        """A window of past days."""
        start = self.luck.randrange(self.source.days - 1)
        end = self.luck.randint(start + 1, self.source.days - 1)
        window: dict[str, Any] = {"start": text(start), "end": text(end), "allow_full_restatement": True}
        is_killed = self.draws_a_kill()
        able = [one for one in self.daily() if not one.kind.is_never_restated]
        if is_killed:
            # a victim that loads a window for the first time makes the next run rebuild the table, if it comes that far
            days = range(start, end)
            able = [one for one in able if one.kind.restates_only_the_window or one.rebuilds(days)]
        chosen: list[Daily] = self.some(able, 2, 4)
        self.dbt_run(f"restatement of days {start} to {end - 1}", chosen, is_killed, **window)
        for member in chosen:
            if member.always_runs:
                member.run(self.now)
            else:
                member.restate(range(start, end))
        self.tally["restatements"] += 1
        if is_killed:
            # a rebuild that was killed goes on with the window; the rest is for a plain run
            self.dbt_run("run", chosen, False)
            for member in chosen:
                member.run(self.now)
        self.compare(chosen)

    def restate_histories(self, selected: list[Member]) -> None:
        """From an instant of the last days on."""
        since = FIRST_DAY + (self.source.days - self.luck.randint(1, min(4, self.source.days - 1))) * DAY
        histories = [one for one in self.members.values() if isinstance(one, History)]
        chosen = [one for one in self.some(histories, 3, 5) if one.can_restate(self.now, since)]
        if not chosen:
            self.run(selected)
            return
        variables: dict[str, Any] = {"start": since.isoformat(), "allow_approximate_restatement": True}
        self.dbt_run(f"restatement from {since} on", chosen, self.draws_a_kill(), **variables)
        for member in chosen:
            member.restate(self.now, since)
        self.tally["restatements"] += 1
        self.compare(chosen)

    def fail(self, selected: list[Member]) -> None:
        """The queries of one or two models fail; the other models do not."""
        able = [one for one in selected if isinstance(one, Daily) and one.held == one.columns and not one.lookback]
        failing = self.some(able, 1, 2)
        for one in failing:
            one.write(self.relay.project, fails=True)
        chosen = [one for one in selected if one.parent not in failing]
        now = self.now.isoformat()
        run: Run = self.relay.call("dbt", "run", "--select", *(one.name for one in chosen), now=now)
        failed = {name for name, status in run.statuses.items() if status == "error"}
        assert failed == {one.name for one in failing if one.due()}, run.errors
        for one in failing:
            one.write(self.relay.project)
        self.tell(chosen, f"run in which {failed or 'nothing'} fails")
        self.tally["failed models"] += len(failed)
        for member in chosen:
            if member.name not in failed:
                member.run(self.now)
        self.compare(chosen)

    def draws_a_kill(self) -> bool:
        return self.luck.random() < 0.2

    def dbt_run(
        self, title: str, selected: Sequence[Member], is_killed: bool, *arguments: str, **variables: Any
    ) -> Run:
        """A run, first killed or not; it must succeed and leave no stage behind."""
        command = ["--select", *(member.name for member in selected), *arguments]
        given = {"now": self.now.isoformat(), **variables}
        if is_killed:
            self.relay.statements["run"] = 10 * len(selected)
            self.relay.kill_a_run("run", *command, **given)
        self.tell(selected, f"{title}, {'killed, ' if is_killed else ''}of {len(selected)} models")
        run: Run = self.relay.call("dbt", "run", *command, **given)
        failed = [name for name, status in run.statuses.items() if status == "error"]
        assert run.success, "\n".join([*map(self.history, failed), run.errors])
        # a model that failed leaves its stages to its next run
        stages = [name for _, name, _ in self.sql("show tables in {schema} like '*__kinds_stage_*'")]
        names = {member.name for member in selected}
        assert [name for name in stages if name.partition("__kinds_stage_")[0] in names] == [], self.told[-1]
        return run

    def end(self) -> None:
        """A run of all models makes all tables right, and the next one has nothing to do."""
        everything = list(self.members.values())
        self.run(everything)
        self.compare(everything)
        run = self.dbt_run("run", everything, False)
        busy = {name: told for name, told in run.messages.items() if told not in RESTS}
        assert busy.keys() == {member.name for member in everything if member.always_runs}, busy
        self.compare(everything)

    # what is looked at

    def compare(self, chosen: Iterable[Member]) -> None:
        """Each table holds what its oracle says."""
        tables = {table: (member, *told) for member in chosen for table, told in member.tables().items()}
        selects = [
            f"select '{table}', array({', '.join(f'cast({name} as string)' for name in columns)}) from {{schema}}.{table}"
            for table, (_, columns, _) in tables.items()
        ]
        rows: dict[str, Texts] = {table: Texts() for table in tables}
        for table, values in self.sql(" union all ".join(selects)):
            rows[table][tuple(values)] += 1
        for table, (member, _, expected) in tables.items():
            self.tally["rows compared"] += rows[table].total()
            found = member.seen(rows[table])
            assert found == expected, (
                f"{self.history(member.name)}\n{table} lacks {expected - found} and has {found - expected}"
            )

    def daily(self) -> list[Daily]:
        return [member for member in self.members.values() if isinstance(member, Daily)]

    def some(self, models: Iterable[Any], least: int, most: int) -> list[Any]:
        """Models drawn by lot, in their order."""
        given = list(models)
        chosen = self.luck.sample(given, min(len(given), self.luck.randint(least, most)))
        return [model for model in given if model in chosen]


def text(day: int) -> str:
    return (FIRST_DAY + day * DAY).date().isoformat()


@pytest.mark.sweep
def test_long_life(relay: Relay, tmp_path: Path) -> None:
    began = time.monotonic()
    soak = Soak(relay, tmp_path / "landing")
    while soak.tally["runs"] < RUNS and time.monotonic() - began < 60 * MINUTES:
        soak.step()
    soak.end()
    kills = {
        place: sum(n for title, n in relay.tally.items() if title.endswith(place))
        for place in ("in the middle", "after its end")
    }
    figures = ", ".join(f"{number:,} {what}" for what, number in soak.tally.items())
    print(
        f"{figures}, {relay.tally.total()} kills {kills}, 0 differences, {(time.monotonic() - began) / 60:.0f} minutes"
    )

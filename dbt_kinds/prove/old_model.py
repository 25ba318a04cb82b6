"""The old model: a small reference of what dbt's strategies do with a model's query, run by run."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

import duckdb

from dbt_kinds.prove.rendering import OLD_TABLE, Invocation, PlayedRenderer
from dbt_kinds.prove.translation import deletion_in_duckdb, in_duckdb
from dbt_kinds.prove.verdict import NotTriedError

_TRANSFORM = re.compile(r"(day|hour|month|year)s?\((\w+)\)", re.IGNORECASE)


class OldFailedError(Exception):
    """The old model's run fails, as a merge of two rows with one key does."""


@dataclass(frozen=True)
class Batches:
    """How dbt cuts a microbatch model's runs into batches; `text_of` is its text for one batch."""

    column: str
    unit: str
    lookback: int
    text_of: Callable[[str, str], str]


@dataclass(frozen=True)
class OldModel:
    """A model as it was loaded.

    Attributes:
        strategy: append, merge, delete+insert, insert_overwrite or microbatch.
        partitions: the columns, or functions of columns, whose values insert_overwrite replaces; empty: all.
        updated: the columns that a merge updates; all if None.
        deletes: what its post-hook deletes from the table after each run.
        given: the variables that a run gets, from the moments of the last run and of this one; one run for each.
    """

    text: str
    dialect: str
    strategy: str
    key: tuple[str, ...]
    partitions: tuple[str, ...]
    renderer: PlayedRenderer
    connection: duckdb.DuckDBPyConnection
    given: Callable[[datetime, datetime], Sequence[dict[str, str]]]
    updated: tuple[str, ...] | None = None
    unchanged: tuple[str, ...] = ()
    batches: Batches | None = None
    keeps_history: bool = False
    lacking: frozenset[str] = frozenset()
    deletes: tuple[str, ...] = ()

    def forget(self) -> None:
        """Drops the table."""
        self.connection.execute(f"drop table if exists {OLD_TABLE}")

    def run(self, moment: datetime, last: datetime | None, first: datetime, *, full_refresh: bool) -> None:
        """One run of dbt at a moment; the clock of the database says the same.

        Raises:
            OldFailedError: it fails.
        """
        anew = last is None or (full_refresh and not self.keeps_history)
        if self.batches is not None:
            self._run_batches(moment, first, anew=anew)
            self._delete(moment)
            return
        for variables in self.given(last if last is not None and not anew else first, moment):
            self._select(Invocation(moment, not anew, variables), self.text)
            self._write(anew=anew)
            self._delete(moment)
            anew = False

    def whole(self, moment: datetime, first: datetime) -> None:
        """Fills the table `kinds_whole` with what a first load at a moment would return."""
        if self.batches is not None:
            start = _floor(first, self.batches.unit)
            for number, (begin, end) in enumerate(_batches(start, moment, self.batches.unit)):
                self._select(
                    Invocation(moment, is_incremental=False), self.batches.text_of(_instant(begin), _instant(end))
                )
                self._fill_whole(number)
        else:
            for number, variables in enumerate(self.given(first, moment)):
                self._select(Invocation(moment, is_incremental=False, variables=variables), self.text)
                self._fill_whole(number)
        self._delete(moment, "kinds_whole")

    def _fill_whole(self, number: int) -> None:
        filled = "insert into kinds_whole" if number else "create or replace table kinds_whole as"
        self.connection.execute(f"{filled} select * from kinds_batch")

    def _select(self, invocation: Invocation, text: str) -> None:
        sql = in_duckdb(self.renderer.rendered(text, invocation), self.dialect, self.lacking)
        self.connection.execute(f"create or replace table kinds_batch as {sql}")

    def _run_batches(self, moment: datetime, first: datetime, *, anew: bool) -> None:
        assert self.batches is not None
        now = _floor(moment, self.batches.unit)
        start = _floor(first, self.batches.unit) if anew else _back(now, self.batches.unit, self.batches.lookback)
        for begin, end in _batches(start, now, self.batches.unit):
            text = self.batches.text_of(_instant(begin), _instant(end))
            self._select(Invocation(moment, is_incremental=not anew), text)
            if anew:
                self.connection.execute(f"create or replace table {OLD_TABLE} as select * from kinds_batch")
                anew = False
                continue
            column = self.batches.column
            self.connection.execute(
                f"delete from {OLD_TABLE} where {column} >= timestamptz '{_instant(begin)}+00' "
                f"and {column} < timestamptz '{_instant(end)}+00'"
            )
            self._insert()

    def _delete(self, moment: datetime, table: str = OLD_TABLE) -> None:
        for text in self.deletes:
            sql = self.renderer.rendered(text, Invocation(moment, is_incremental=True))
            deletion = deletion_in_duckdb(sql, self.dialect, self.lacking)
            self.connection.execute(deletion.replace(OLD_TABLE, table))

    def _write(self, *, anew: bool) -> None:
        ask = self.connection.execute
        if anew or (self.strategy == "insert_overwrite" and not self.partitions):
            ask(f"create or replace table {OLD_TABLE} as select * from kinds_batch")
            return
        if self.strategy == "merge":
            self._merge()
            return
        if self.strategy == "delete+insert":
            ask(f"delete from {OLD_TABLE} as target using kinds_batch as batch where {self._same_key()}")
        elif self.strategy == "insert_overwrite":
            same = " and ".join(
                f"{_partition(one, 'target')} is not distinct from {_partition(one, 'batch')}"
                for one in self.partitions
            )
            ask(f"delete from {OLD_TABLE} as target where exists (select 1 from kinds_batch as batch where {same})")
        self._insert()

    def _insert(self) -> None:
        self.connection.execute(f"insert into {OLD_TABLE} by name select * from kinds_batch")

    def _same_key(self) -> str:
        return " and ".join(f"target.{name} = batch.{name}" for name in self.key)

    def _merge(self) -> None:
        ask, names = self.connection.execute, ", ".join(self.key)
        doubled = ask(
            f"select count(*) from (select {names} from kinds_batch as batch where exists "
            f"(select 1 from {OLD_TABLE} as target where {self._same_key()}) group by all having count(*) > 1)"
        ).fetchone()
        if doubled is not None and doubled[0]:
            raise OldFailedError(f"a merge finds two rows of one {names}")
        columns = [row[0] for row in ask("describe kinds_batch").fetchall()]
        updated = [
            name
            for name in columns
            if (self.updated is None or name.lower() in self.updated) and name.lower() not in self.unchanged
        ]
        listed, values = ", ".join(f'"{name}"' for name in columns), ", ".join(f'batch."{name}"' for name in columns)
        assigned = ", ".join(f'"{name}" = batch."{name}"' for name in updated)
        matched = f"when matched then update set {assigned} " if updated else ""
        ask(
            f"merge into {OLD_TABLE} as target using kinds_batch as batch on {self._same_key()} {matched}"
            f"when not matched then insert ({listed}) values ({values})"
        )


def _partition(written: str, table: str) -> str:
    transformed = _TRANSFORM.fullmatch(written.strip())
    if transformed is not None:
        return f"date_trunc('{transformed[1].lower()}', {table}.{transformed[2]})"
    name = written.strip('`" ')
    if not re.fullmatch(r"\w+", name):
        raise NotTriedError(f"it is partitioned by {written}")
    return f'{table}."{name}"'


def _instant(moment: datetime) -> str:
    return moment.strftime("%Y-%m-%d %H:%M:%S")


def _floor(moment: datetime, unit: str) -> datetime:
    if unit == "hour":
        return moment.replace(minute=0, second=0)
    moment = moment.replace(hour=0, minute=0, second=0)
    return moment if unit == "day" else moment.replace(day=1) if unit == "month" else moment.replace(day=1, month=1)


def _back(moment: datetime, unit: str, steps: int) -> datetime:
    for _ in range(steps):
        moment = _floor(moment - timedelta(seconds=1), unit)
    return moment


def _batches(start: datetime, until: datetime, unit: str) -> Iterator[tuple[datetime, datetime]]:
    """The batches from one to the one that a moment is in."""
    while start <= until:
        longer = {
            "hour": timedelta(hours=1),
            "day": timedelta(days=1),
            "month": timedelta(days=32),
            "year": timedelta(days=367),
        }
        end = _floor(start + longer[unit], unit)
        yield start, end
        start = end

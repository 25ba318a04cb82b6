"""The models of a soak, each with an oracle of its own: what its table holds, by what its runs have seen of the sources."""

from __future__ import annotations

import copy
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from tests.functional import changed_source, dimensions
from tests.functional.changed_source import ChangedSource
from tests.functional.dimensions import DailyCopies, Dimension
from tests.functional.every_kind import BY_DAY, KINDS, DailySource, Kind, Table
from tests.functional.formats import table_format
from tests.functional.project import Project
from tests.functional.test_history_by_run import State, Version, after
from tests.unit import reference_scd2_runs as reference
from tests.unit.reference_scd2 import RefusedError

Texts = Counter[tuple[str | None, ...]]

# Iceberg or Delta
LAKE = table_format()
FORMATS = (LAKE, "parquet", "orc")
TWO_FORMATS = (LAKE, "parquet")
FIRST_COLUMNS = ["id", "region", "ts", "n"]
DAILY = ["id", "region", "datediff(ts, date '2024-01-01')", "n"]
EXTRAS = {"twice": 2, "thrice": 3}
# what a run of a model says that has nothing to do
RESTS = {"OK up to date", "skip: deps unchanged", "incremental: 0 rows", "flush: 0 rows"}

AUDITS = {"audits": [{"not_null": {"column_name": "id"}}, {"dbt_kinds.number_of_rows": {"threshold": 0}}]}


def audited(kind: Kind) -> Kind:
    return replace(kind, options={**kind.options, **AUDITS})


# the same kinds with other options
OTHERS = {
    "looked_back": replace(KINDS["time_range"], options={"lookback": 2, "batch_size": 2}),
    "latest": replace(
        KINDS["unique_key"], options={"unique_key": "id", "duplicate_keys": "keep_latest", "order_by": "ts"}
    ),
    "audited_partition": audited(KINDS["partition"]),
    "audited_unmanaged": audited(KINDS["unmanaged"]),
    "audited_overwriting": audited(KINDS["overwriting"]),
    "day_by_day": replace(KINDS["cumulative"], options={**KINDS["cumulative"].options, "batch_size": 1}),
    "partitioned_full": replace(audited(KINDS["full"]), partitioned=True),
}


class Member(ABC):
    """A model of a soak, and what runs do to its table."""

    # a run reads the table of this one
    parent: Member | None = None
    always_runs = False

    def __init__(self, name: str) -> None:
        self.name = name

    @abstractmethod
    def write(self, project: Project) -> None:
        """Writes the model's file."""

    @abstractmethod
    def run(self, now: datetime) -> None:
        """What a plain run does to the table."""

    @abstractmethod
    def refresh(self, now: datetime) -> None:
        """What a run with --full-refresh does to the table."""

    @abstractmethod
    def tables(self) -> dict[str, tuple[list[str], Texts]]:
        """The tables to look at: the expressions to select from each, and the rows that they should give, as texts."""

    def seen(self, rows: Texts) -> Texts:
        """Rows of a table without what differs from run to run."""
        return rows


def texts(rows: Iterable[Sequence[Any]]) -> Texts:
    return Texts(tuple(None if value is None else str(value) for value in row) for row in rows)


class Daily(Member):
    """A kind over days, and which of them it has loaded."""

    def __init__(self, name: str, kind: Kind, file_format: str, source: DailySource) -> None:
        super().__init__(name)
        self.kind, self.file_format, self.source = kind, file_format, source
        self.always_runs = kind.always_runs
        self.lookback = int(kind.options.get("lookback", 0))
        self.columns = list(FIRST_COLUMNS)
        # the columns that the table has: it gains one when a run has something to load
        self.held: list[str] = []
        self.rows: Table = []
        self.loaded: set[int] = set()

    def write(self, project: Project, *, fails: bool = False) -> None:
        source = "{{ target.schema }}.source_rows"
        if fails:
            numbers = "if(id > 0, raise_error('it fails'), n) as n"
            source = f"(select id, region, ts, {numbers}, {', '.join(EXTRAS)} from {source})"
        self.kind.write(project, self.name, self.file_format, self.columns, {}, source)

    def missing(self) -> list[int]:
        return [day for day in range(self.source.days) if day not in self.loaded]

    def due(self) -> list[int]:
        """The days that a plain run loads."""
        if self.always_runs:
            return list(range(self.source.days))
        missing = self.missing()
        return sorted({day - back for day in missing for back in range(self.lookback + 1) if day >= back})

    def run(self, now: datetime) -> None:
        self.load(self.due())

    def refresh(self, now: datetime) -> None:
        self.load(range(self.source.days), anew=True)

    def restate(self, days: range) -> None:
        """What a restatement of these days does to the table."""
        if self.rebuilds(days):
            self.load(range(min(self.loaded), self.source.days), anew=True)
        else:
            self.load(days)

    def rebuilds(self, days: range) -> bool:
        """Whether their restatement is one of all days, because rows cannot be taken back."""
        return not self.kind.restates_only_the_window and bool(self.loaded & {*days})

    def forget(self, day: int) -> None:
        self.loaded.discard(day)

    def load(self, days: Sequence[int], *, anew: bool = False) -> None:
        if not days:
            return
        if anew:
            self.rows, self.held, self.loaded = [], [], set()
        self.held += [column for column in self.columns if column not in self.held]
        source = [
            (*row, *(row[3] * times if name in self.columns else None for name, times in EXTRAS.items()))
            for row in self.source.source
        ]
        self.rows = self.kind.load(self.rows, source, days)
        self.loaded |= {*days}

    def tables(self) -> dict[str, tuple[list[str], Texts]]:
        extras = [name if name in self.held else "null" for name in EXTRAS]
        return {self.name: ([*DAILY, *extras], texts(self.rows))}


class Reader(Member):
    """A model that holds what another one's table held when it ran."""

    def __init__(self, name: str, file_format: str, parent: Daily, kind: str, where: str, **options: Any) -> None:
        super().__init__(name)
        self.file_format, self.parent, self.kind, self.where, self.options = file_format, parent, kind, where, options
        self.rows: Table = []
        # by time range: the days that it has loaded
        self.loaded: set[int] = set()

    def write(self, project: Project) -> None:
        assert self.parent
        query = f"select id, region, ts, n from {{{{ ref('{self.parent.name}') }}}} {self.where}"
        project.kind(self.name, query, kind=self.kind, config=f"file_format='{self.file_format}'", **self.options)

    def run(self, now: datetime) -> None:
        assert isinstance(self.parent, Daily)
        # a day that its parent has forgotten is read again when the parent has loaded it again
        left = self.loaded - self.parent.loaded
        read = [row[:4] for row in self.parent.rows if row[2] not in left]
        self.rows = [row for row in self.rows if row[2] in left] + read
        if self.kind == "incremental_by_time_range":
            self.loaded = {*range(self.parent.source.days)}

    def refresh(self, now: datetime) -> None:
        self.loaded = set()
        self.run(now)

    def tables(self) -> dict[str, tuple[list[str], Texts]]:
        return {self.name: (DAILY, texts(self.rows))}


class History(Member):
    """A table of SCD type 2, which the reference tells."""

    def __init__(self, dimension: Dimension, copies: DailyCopies) -> None:
        super().__init__(dimension.name)
        self.dimension, self.copies = dimension, copies

    def write(self, project: Project) -> None:
        self.dimension.write(project)

    def run(self, now: datetime) -> None:
        self.dimension.load(self.copies, reference.Run(now))

    def refresh(self, now: datetime) -> None:
        self.dimension.load(self.copies, reference.Run(now, full_refresh=True))

    def restate(self, now: datetime, since: datetime) -> None:
        self.dimension.load(self.copies, reference.Run(now, start=since, allow_approximate=True))

    def can_restate(self, now: datetime, since: datetime) -> bool:
        """Whether the reference does not refuse it, nor the plain run after it: a window past what is recorded leaves days that can no longer be merged."""
        table = self.dimension.table
        self.dimension.table = copy.deepcopy(table)
        try:
            self.restate(now, since)
            self.run(now)
        except RefusedError:
            return False
        finally:
            self.dimension.table = table
        return True

    def tables(self) -> dict[str, tuple[list[str], Texts]]:
        return {self.name: ([*self.dimension.columns, "valid_from", "valid_to"], texts(self.dimension.expected()))}


class HistoryByRun(Member):
    """SCD type 2 whose versions are numbered by runs; only the order of the numbers is known."""

    def __init__(self, file_format: str, copies: DailyCopies) -> None:
        super().__init__(f"by_run_{file_format}")
        self.file_format, self.copies = file_format, copies
        self.history: list[Version] = []
        self.runs = 0

    def write(self, project: Project) -> None:
        query = f"select id, string(price) as name, double(price) as n from {dimensions.COPIES} {dimensions.NEWEST}"
        given = {"start": None, "unique_key": "id", "columns": "*", "validity": "run_sequence"}
        config = f"file_format='{self.file_format}'"
        project.kind(self.name, query, kind="scd_type_2_by_column", config=config, **given)

    def run(self, now: datetime) -> None:
        self.runs += 1
        newest = self.copies.days[max(self.copies.days)]
        rows: State = {row["id"]: (str(row["price"]), float(row["price"])) for row in newest}
        self.history = after(self.history, rows, self.runs)

    def refresh(self, now: datetime) -> None:
        self.history = []
        self.run(now)

    def tables(self) -> dict[str, tuple[list[str], Texts]]:
        rows = texts((row.id, row.name, row.n, row.begun, row.ended) for row in self.history)
        return {self.name: (["id", "name", "n", "valid_from", "valid_to + 1"], self.seen(rows))}

    def seen(self, rows: Texts) -> Texts:
        numbers = sorted({int(number) for row in rows for number in row[3:] if number is not None})
        place = {str(number): str(position) for position, number in enumerate(numbers)}
        return Texts({(*row[:3], *(number and place[number] for number in row[3:])): n for row, n in rows.items()})


class Changes(Member):
    """A model of a kind that goes by what changed."""

    def __init__(self, name: str, source: ChangedSource, write: Callable[[Project], None]) -> None:
        super().__init__(name)
        self.source, self._write = source, write
        self.rows = changed_source.Rows()

    def write(self, project: Project) -> None:
        self._write(project)

    def refresh(self, now: datetime) -> None:
        self.run(now)

    def tables(self) -> dict[str, tuple[list[str], Texts]]:
        return {self.name: (["id", "v"], texts(self.rows.elements()))}


class Gained(Changes):
    """Each row that the source gained, since the last run and not since each change."""

    def __init__(self, name: str, source: ChangedSource, write: Callable[[Project], None]) -> None:
        super().__init__(name, source, write)
        self.last = changed_source.Rows()

    def run(self, now: datetime) -> None:
        self.rows += self.source.rows - self.last
        self.last = self.source.rows.copy()

    def refresh(self, now: datetime) -> None:
        self.rows, self.last = self.source.rows.copy(), self.source.rows.copy()


class Grouped(Changes):
    def run(self, now: datetime) -> None:
        self.rows = self.source.rows.copy()


class Landed(Changes):
    """The lines of files; the table may be their only copy, and a full refresh leaves it alone."""

    def __init__(self, name: str, source: ChangedSource, write: Callable[[Project], None]) -> None:
        super().__init__(name, source, write)
        self.rejected = Counter[str]()

    def run(self, now: datetime) -> None:
        self.rows, self.rejected = self.source.landed.copy(), self.source.rejected.copy()

    def tables(self) -> dict[str, tuple[list[str], Texts]]:
        rejected = {f"{self.name}__rejected": (["text"], texts((line,) for line in self.rejected.elements()))}
        return super().tables() | (rejected if self.rejected else {})


def members(source: DailySource, copies: DailyCopies, changed: ChangedSource) -> dict[str, Member]:
    """Sixty models, parents before their readers."""
    found: list[Member] = []
    for file_format in FORMATS:
        for name, kind in {**KINDS, **OTHERS}.items():
            found.append(Daily(f"{name}_{file_format}", kind, file_format, source))
    named: Mapping[str, Member] = {member.name: member for member in found}

    def parent(name: str) -> Daily:
        member = named[name]
        assert isinstance(member, Daily)
        return member

    for name, file_format in [("time_range_orc", LAKE), (f"looked_back_{LAKE}", "parquet")]:
        reader = (f"reader_{file_format}", file_format, parent(name), "incremental_by_time_range", BY_DAY)
        found.append(Reader(*reader))
    for name, file_format in [("latest_parquet", LAKE), (f"partition_{LAKE}", "parquet")]:
        reader = (f"resting_{file_format}", file_format, parent(name), "full", "")
        found.append(Reader(*reader, skip_unchanged=True, start=None))
    for file_format in TWO_FORMATS:
        for dimension in (dimensions.by_time, dimensions.by_column, dimensions.replayed):
            found.append(History(dimension(file_format), copies))
        found.append(HistoryByRun(file_format, copies))
        found += changes(changed, file_format)
    return {member.name: member for member in found}


def changes(source: ChangedSource, file_format: str) -> list[Member]:
    return [
        Gained(f"gained_{file_format}", source, lambda project: changed_source.gained(project, file_format)),
        Grouped(f"grouped_{file_format}", source, lambda project: changed_source.grouped(project, file_format)),
        Landed(f"landed_{file_format}", source, lambda project: changed_source.landed(project, file_format, source.landing)),
    ]  # fmt: skip

"""A model of every kind on several formats, the source that they read, and an oracle that knows nothing of intervals."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from typing import Any

from tests.functional.project import Project

BY_DAY = "where ts between {{ dbt_kinds.start_dt() }} and {{ dbt_kinds.end_dt() }}"
BY_REGION = f"where region in (select region from {{{{ target.schema }}}}.source_rows {BY_DAY})"

Row = tuple[Any, ...]  # id, region, day, n; and columns that a model gained
Table = list[Row]


@dataclass
class Kind:
    """How a kind is written in dbt, and what it does to a table, in Python."""

    materialized: str
    where: str
    load: Callable[[Table, Table, Sequence[int]], Table]
    options: dict[str, Any] = field(default_factory=dict)
    partitioned: bool = False
    always_runs: bool = False
    restates_only_the_window: bool = False
    # for a kind that holds states of keys: how its other columns are aggregated and combined
    aggregates: dict[str, tuple[str, str]] = field(default_factory=dict)
    is_never_restated: bool = False

    def write(
        self, project: Project, name: str, file_format: str, columns: Sequence[str],
        options: Mapping[str, Any], source: str = "{{ target.schema }}.source_rows",
    ) -> None:  # fmt: skip
        """Writes a model of this kind."""
        config = f"file_format='{file_format}'" + (", partition_by=['region']" if self.partitioned else "")
        aggregated = {column: self.aggregates[column] for column in columns if column in self.aggregates}
        selected = [
            f"{aggregated[column][0]}({column}) as {column}" if column in aggregated else column for column in columns
        ]
        combine = {"combine": {column: word for column, (_, word) in aggregated.items()}} if aggregated else {}
        query = f"select {', '.join(selected)} from {source} {self.where}"
        project.kind(name, query, kind=self.materialized, config=config, **{**options, **self.options, **combine})


def by_time(table: Table, source: Table, days: Sequence[int]) -> Table:
    return [row for row in table if row[2] not in days] + [row for row in source if row[2] in days]


def by_key(table: Table, source: Table, days: Sequence[int]) -> Table:
    rows = {row[0]: row for row in table}
    for day in days:
        rows |= {row[0]: row for row in source if row[2] == day}
    return list(rows.values())


def by_partition(table: Table, source: Table, days: Sequence[int]) -> Table:
    regions = {row[1] for row in source if row[2] in days}
    return [row for row in table if row[1] not in regions] + [row for row in source if row[1] in regions]


def by_appending(table: Table, source: Table, days: Sequence[int]) -> Table:
    return table + [row for row in source if row[2] in days]


def by_state(table: Table, source: Table, days: Sequence[int]) -> Table:
    states = {row[:2]: row[2:] for row in table}
    for row in source:
        if row[2] in days:
            state = states.get(row[:2])
            states[row[:2]] = row[2:] if state is None else (max(state[0], row[2]), *map(added, state[1:], row[3:]))
    return [(*key, *state) for key, state in states.items()]


def added(one: int | None, other: int | None) -> int | None:
    """A sum as SQL has it."""
    return other if one is None else one if other is None else one + other


def whole(table: Table, source: Table, days: Sequence[int]) -> Table:
    return source


KINDS = {
    "time_range": Kind("incremental_by_time_range", "", by_time, restates_only_the_window=True),
    "unique_key": Kind("incremental_by_unique_key", BY_DAY, by_key, {"unique_key": "id", "batch_size": 1}),
    "partition": Kind("incremental_by_partition", BY_REGION, by_partition, partitioned=True),
    "unmanaged": Kind("incremental_unmanaged", BY_DAY, by_appending, {"disable_restatement": False}),
    "overwriting": Kind(
        "incremental_unmanaged", BY_REGION, by_partition, {"insert_overwrite": True, "disable_restatement": False},
        partitioned=True,
    ),
    "full": Kind("full", "", whole, always_runs=True),
    "cumulative": Kind(
        "cumulative_aggregate", f"{BY_DAY} group by id, region", by_state, {"unique_key": ["id", "region"]},
        aggregates={"ts": ("max", "greatest"), **dict.fromkeys(["n", "twice", "thrice"], ("sum", "add"))},
        is_never_restated=True,
    ),
}  # fmt: skip


class DailySource:
    """A view whose rows arrive day by day and are corrected later. Whoever runs the SQL is told it."""

    def __init__(self, sql: Callable[[str], Any]) -> None:
        self.sql = sql
        self.source: Table = []

    def write_source(self) -> None:
        rows = ", ".join(f"({id_}, '{region}', {day}, {n})" for id_, region, day, n in self.source)
        self.sql(
            "create or replace view {schema}.source_rows as select id, region, timestamp '2024-01-01 06:00:00+00:00' "
            "+ make_interval(0, 0, 0, day) as ts, n, n * 2 as twice, n * 3 as thrice "
            f"from values {rows} as arrived (id, region, day, n)"
        )

    def arrive(self, day: int) -> None:
        """A day's rows: ids and regions that were there before, and a new one of each."""
        regions = ["north", "south", f"day{day}"]
        self.source += [(id_, regions[number % 3], day, day * 100 + id_) for number, id_ in enumerate((1, 2, day + 10))]
        self.write_source()

    def correct(self, day: int) -> None:
        """Rows of a day that has been loaded become others."""
        self.source = [(i, region, d, n + 1000 if d == day else n) for i, region, d, n in self.source]
        self.write_source()

    @property
    def days(self) -> int:
        """How many days the source has."""
        return max(int(row[2]) for row in self.source) + 1

    def now(self) -> str:
        """The morning after the last day that the source has."""
        return f"{date(2024, 1, 1) + timedelta(days=self.days)}T08:00:00"


class EveryKind(DailySource):
    """The models and the source of a project, and what each table should hold."""

    def __init__(
        self,
        project: Project,
        formats: Sequence[str],
        sql: Callable[[str], Any],
        options: Mapping[str, Any] | None = None,
        kinds: Sequence[str] = tuple(KINDS),
    ) -> None:
        super().__init__(sql)
        self.project = project
        self.options = options or {}
        self.formats = formats
        self.models = [(kind, file_format) for kind in kinds for file_format in formats]
        self.columns = ["id", "region", "ts", "n"]
        self.expected: dict[str, Table] = {f"{kind}_{file_format}": [] for kind, file_format in self.models}
        self.write_models()

    def write_models(self) -> None:
        for name, file_format in self.models:
            KINDS[name].write(self.project, f"{name}_{file_format}", file_format, self.columns, self.options)

    def load(self, days: range, *, anew: bool = False) -> None:
        """What a run that loads these days does to every table."""
        for name, file_format in self.models:
            table = f"{name}_{file_format}"
            self.expected[table] = KINDS[name].load([] if anew else self.expected[table], self.source, days)

    def restate(self, table: str, days: range) -> None:
        """What a restatement of these days does to a table; where a kind's rows cannot be taken back, it is of all days,
        or refused."""
        kind = KINDS[table.rpartition("_")[0]]
        if kind.is_never_restated:
            return
        if kind.restates_only_the_window:
            self.expected[table] = kind.load(self.expected[table], self.source, days)
        else:
            self.expected[table] = kind.load([], self.source, range(self.days))

    def is_right(self, table: str) -> bool:
        """Whether a table holds what it should."""
        return self.rows(table) == sorted(self.expected[table], key=repr)

    def wrong(self) -> dict[str, Table]:
        """What the tables hold that do not hold what they should."""
        return {table: self.rows(table) for table in self.expected if not self.is_right(table)}

    def load_four_days(self, check: Callable[[], None]) -> None:
        """Runs that load three days, and then one more beside a correction that none of them sees; `check` comes after each."""
        for day in range(3):
            self.arrive(day)
        self.project.run(now=self.now())
        self.load(range(3))
        check()
        self.correct(1)
        self.arrive(3)
        self.project.run(now=self.now())
        self.load(range(3, 4))
        check()

    def restate_second_day(self, check: Callable[[], None]) -> None:
        """A run that loads one day again, which tables that accumulate refuse; `check` comes after it."""
        window = {"start": "2024-01-02", "end": "2024-01-03"}
        run = self.project.dbt("run", now=self.now(), **window, allow_full_restatement=True)
        refused = {name.partition("_")[0] for name, status in run.statuses.items() if status == "error"}
        assert refused <= {"cumulative"}, run.errors
        for table in self.expected:
            self.restate(table, range(1, 2))
        check()

    def rows(self, table: str) -> Table:
        """What a table holds."""
        rows = self.sql(f"select id, region, datediff(ts, date '2024-01-01'), n from {{schema}}.{table}")
        return sorted(rows, key=repr)

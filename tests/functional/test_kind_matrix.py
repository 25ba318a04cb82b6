"""Every kind on every format through what happens to a model, compared with an oracle that knows nothing of intervals.

The matrix is printed, and is the one in docs/kinds.md.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from tests.functional.faults import broken_connection
from tests.functional.project import Project, Run

SITUATIONS = 8
FORMATS = ["iceberg", "parquet", "orc"]
BY_DAY = "where ts between {{ dbt_kinds.start_dt() }} and {{ dbt_kinds.end_dt() }}"
BY_REGION = f"where region in (select region from {{{{ target.schema }}}}.source_rows {BY_DAY})"

Row = tuple[int, str, int, int]  # id, region, day, n
Table = list[Row]


@dataclass
class Kind:
    """How a kind is written in dbt, and what it does to a table, in Python."""

    materialized: str
    where: str
    load: Callable[[Table, Table, range], Table]
    options: dict[str, Any] = field(default_factory=dict)
    partitioned: bool = False
    always_runs: bool = False
    restates_only_the_window: bool = False


def by_time(table: Table, source: Table, days: range) -> Table:
    return [row for row in table if row[2] not in days] + [row for row in source if row[2] in days]


def by_key(table: Table, source: Table, days: range) -> Table:
    rows = {row[0]: row for row in table}
    for day in days:
        rows |= {row[0]: row for row in source if row[2] == day}
    return list(rows.values())


def by_partition(table: Table, source: Table, days: range) -> Table:
    regions = {row[1] for row in source if row[2] in days}
    return [row for row in table if row[1] not in regions] + [row for row in source if row[1] in regions]


def by_appending(table: Table, source: Table, days: range) -> Table:
    return table + [row for row in source if row[2] in days]


def whole(table: Table, source: Table, days: range) -> Table:
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
}  # fmt: skip
MODELS = [(kind, file_format) for kind in KINDS for file_format in FORMATS]


class Matrix:
    """One dbt project with every kind on every format, its source, and what each table should hold."""

    def __init__(self, project: Project) -> None:
        self.project = project
        self.source: Table = []
        self.expected: dict[str, Table] = {kind: [] for kind in KINDS}
        self.loaded = 0
        self.columns = ["id", "region", "ts", "n"]
        self.outcomes: dict[str, dict[str, str]] = {}
        project.sql("create schema {schema}")
        self.write_models()

    def write_models(self) -> None:
        for name, kind in KINDS.items():
            for file_format in FORMATS:
                config = f"file_format='{file_format}'" + (", partition_by=['region']" if kind.partitioned else "")
                query = f"select {', '.join(self.columns)} from {{{{ target.schema }}}}.source_rows {kind.where}"
                self.project.kind(f"{name}_{file_format}", query, kind=kind.materialized, config=config, **kind.options)

    def write_source(self) -> None:
        rows = ", ".join(f"({id_}, '{region}', {day}, {n})" for id_, region, day, n in self.source)
        self.project.sql(
            "create or replace view {schema}.source_rows as select id, region, timestamp '2024-01-01 06:00:00+00:00' "
            f"+ make_interval(0, 0, 0, day) as ts, n, n * 2 as twice from values {rows} as (id, region, day, n)"
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

    def now(self) -> str:
        """The morning after the last day that the source has."""
        return f"2024-01-{max(row[2] for row in self.source) + 2:02}T08:00:00"

    def run(self, *arguments: str, **variables: Any) -> Run:
        return self.project.dbt("run", *arguments, now=self.now(), **variables)

    def load(self, days: range, *, anew: bool = False) -> None:
        """What a run that loads these days does to every table."""
        for name, kind in KINDS.items():
            self.expected[name] = kind.load([] if anew else self.expected[name], self.source, days)

    def check(self, situation: str, run: Run) -> None:
        for name, file_format in MODELS:
            model = f"{name}_{file_format}"
            found = self.project.rows(f"select id, region, datediff(ts, date '2024-01-01'), n from {{schema}}.{model}")
            right = found == sorted(self.expected[name], key=repr)
            self.outcomes.setdefault(model, {})[situation] = "ok" if right else "WRONG"
            assert right, f"{situation}: {model}: {found} instead of {sorted(self.expected[name])}\n{run.errors}"


@pytest.fixture(scope="module")
def matrix(local_spark: Mapping[str, Any], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Matrix]:
    yield Matrix(Project(tmp_path_factory.mktemp("matrix") / "project", local_spark, "matrix"))


def test_first_load(matrix: Matrix) -> None:
    for day in range(3):
        matrix.arrive(day)
    run = matrix.run()
    assert run.success, run.errors
    matrix.load(range(3))
    matrix.check("first load", run)


def test_nothing_missing(matrix: Matrix) -> None:
    run = matrix.run()
    assert run.success, run.errors
    idle = {name for name, message in run.messages.items() if message == "OK up to date"}
    assert idle == {f"{name}_{file_format}" for name, file_format in MODELS if not KINDS[name].always_runs}
    matrix.check("nothing missing", run)


def test_second_run(matrix: Matrix) -> None:
    matrix.correct(1)
    matrix.arrive(3)
    run = matrix.run()
    assert run.success, run.errors
    matrix.load(range(3, 4))
    matrix.check("second run", run)


def test_restatement(matrix: Matrix) -> None:
    window = {"start": "2024-01-02", "end": "2024-01-03"}
    refused = matrix.run(**window)
    assert "pass kinds_allow_full_restatement: true" in refused.errors
    run = matrix.run(**window, allow_full_restatement=True)
    assert run.success, run.errors
    for name, kind in KINDS.items():
        if kind.restates_only_the_window:
            matrix.expected[name] = kind.load(matrix.expected[name], matrix.source, range(1, 2))
        else:
            matrix.expected[name] = kind.load([], matrix.source, range(4))
    matrix.check("restatement", run)


def test_full_refresh(matrix: Matrix) -> None:
    matrix.correct(0)
    run = matrix.run("--full-refresh")
    assert run.success, run.errors
    matrix.load(range(4), anew=True)
    matrix.check("full refresh", run)


def test_schema_add(matrix: Matrix) -> None:
    matrix.arrive(4)
    matrix.columns.append("twice")
    matrix.write_models()
    run = matrix.run()
    assert run.success, run.errors
    matrix.load(range(4, 5))
    matrix.check("schema add", run)
    for name, file_format in MODELS:
        added = matrix.project.sql(f"select n, twice from {{schema}}.{name}_{file_format} where ts >= '2024-01-05'")
        assert added
        assert all(twice == 2 * n for n, twice in added)


def test_schema_drop_refused(matrix: Matrix) -> None:
    matrix.arrive(5)
    matrix.columns.remove("twice")
    matrix.write_models()
    run = matrix.run()
    refused = {name for name, status in run.statuses.items() if status == "error"}
    assert refused == {f"{name}_{file_format}" for name, file_format in MODELS if name != "full"}
    assert run.errors.count("drops column twice") >= len(refused)
    matrix.expected["full"] = matrix.source
    matrix.check("schema drop refused", run)
    matrix.columns.append("twice")
    matrix.write_models()
    assert matrix.run().success
    matrix.load(range(5, 6))
    matrix.check("schema drop refused", run)


# the connection of all models breaks at that insert, merge or overwrite: some are in the middle, some have not begun
@pytest.mark.parametrize(("number", "done"), [(7, False), (20, True), (33, False), (48, True)])
def test_killed_mid_write(matrix: Matrix, number: int, done: bool) -> None:
    day = max(row[2] for row in matrix.source) + 1
    matrix.arrive(day)
    with broken_connection("(?i)^(/[*].*?[*]/)?\\s*(insert|merge)", number=number, done=done) as broken_at:
        assert not matrix.run().success
    assert broken_at
    matrix.project.operation("release_lease", select=" ".join(f"{name}_{file_format}" for name, file_format in MODELS))
    run = matrix.run()
    assert run.success, run.errors
    matrix.load(range(day, day + 1))
    matrix.check("killed mid-write, run again", run)
    assert not matrix.project.sql("show tables in {schema} like '*__kinds_stage_*'")


def test_the_matrix_is_that_of_the_documentation(matrix: Matrix, capsys: pytest.CaptureFixture[str]) -> None:
    situations = list(dict.fromkeys(situation for found in matrix.outcomes.values() for situation in found))
    lines = [f"| kind, format | {' | '.join(situations)} |", f"|---|{'---|' * len(situations)}"]
    for name, file_format in MODELS:
        found = matrix.outcomes[f"{name}_{file_format}"]
        kind = KINDS[name].materialized + (", insert_overwrite" if "insert_overwrite" in KINDS[name].options else "")
        lines.append(f"| {kind}, {file_format} | {' | '.join(found.get(situation, '') for situation in situations)} |")
    table = "\n".join(lines)
    with capsys.disabled():
        print(f"\n{table}")
    if len(situations) == SITUATIONS:
        assert table in (Path(__file__).parents[2] / "docs" / "kinds.md").read_text()

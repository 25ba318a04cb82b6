"""SQLMesh and dbt_kinds do the same with the same sources, but for the differences that stand in `differences.py`.

Runs with SQLMesh in an environment of its own, whose Python KINDS_SQLMESH_PYTHON names; see CONTRIBUTING.md.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable
from typing import Any

import pytest

from tests.functional.faults import broken_connection
from tests.functional.project import Project, Run
from tests.peer.conftest import RANDOM_SEQUENCES, Answers
from tests.peer.differences import DIFFERENCES
from tests.peer.sequences import SEQUENCES, Sequence, Step

pytestmark = pytest.mark.skipif(
    "KINDS_SQLMESH_PYTHON" not in os.environ,
    reason="KINDS_SQLMESH_PYTHON does not name the Python of an environment with SQLMesh; see CONTRIBUTING.md",
)

Rows = Counter[str]
Found = dict[tuple[str, str, int], tuple[list[str], list[str]]]  # engine, model, step: what SQLMesh has more, and less


@pytest.mark.parametrize("sequence", (*SEQUENCES, *RANDOM_SEQUENCES), ids=lambda sequence: sequence.name)
def test_tables_are_equal_but_for_known_differences(sqlmesh: Answers, project: Project, sequence: Sequence) -> None:
    start(project, sequence)
    found: Found = {}
    for number, step in enumerate(sequence.steps):
        run = take(project, sequence, step)
        # without a connection dbt cannot even end its run, and says nothing of its models
        if not step.is_broken:
            assert {model for model, status in run.statuses.items() if status == "error"} == step.fails, run.errors
        for model in sequence.models:
            ours = our_rows(project, model.name)
            for engine in sequence.engines:
                answer = sqlmesh[engine, sequence.name][number]
                theirs = their_rows(answer["rows"][model.name])
                if ours != theirs:
                    found[engine, model.name, number] = difference(theirs, ours)
                    tell(sequence, step, engine, model.name, ours, theirs, answer["error"], run)
    expected = {
        (engine, known.model, number): rows
        for known in DIFFERENCES
        if known.sequence == sequence.name
        for engine in known.engines
        for number, rows in known.steps.items()
    }
    assert found == expected


def start(project: Project, sequence: Sequence) -> None:
    """The models of a sequence, over a source that is not there yet."""
    project.sql("create schema {schema}")
    for model in sequence.models:
        config = "file_format='iceberg'" + (
            f", partition_by=['{model.partitioned_by}']" if model.partitioned_by else ""
        )
        project.kind(model.name, model.for_dbt(), kind=model.materialized, config=config, **model.options)


def take(project: Project, sequence: Sequence, step: Step) -> Run:
    """One step. A run may fail for some models: what the tables hold then is compared, too."""
    land(project, step)
    window: dict[str, Any] = {}
    if step.window is not None:
        window = {"start": step.window[0], "end": step.window[1], "allow_full_restatement": True}
    if not step.is_broken:
        return project.dbt("run", now=step.now, **window)
    # the write arrives, and then nothing more
    with broken_connection(r"insert into \S+\.unmanaged\b", done=True) as broken_at:
        run = project.dbt("run", now=step.now, **window)
    assert broken_at
    assert not run.success
    # a process that was killed would have taken its lease with it; this one lives on
    project.operation("release_lease", select=" ".join(model.name for model in sequence.models))
    return run


def land(project: Project, step: Step) -> None:
    """The source as it is in a step."""
    rows = ", ".join(f"({', '.join(map(literal, row))})" for row in step.source)
    table = f"values {rows}" if rows else "(select 0, '', '2024-01-01', 0 where false)"
    project.sql(
        "create or replace view {schema}.source_rows as select id, region, cast(ts as timestamp) as ts, n "
        f"from {table} as (id, region, ts, n)"
    )


def literal(value: str | int | None) -> str:
    return "null" if value is None else f"'{value}'" if isinstance(value, str) else str(value)


def our_rows(project: Project, model: str) -> Rows:
    if not project.table_exists(model):
        return Counter()
    return as_text(project.sql(f"select id, region, cast(ts as string), n from {{schema}}.{model}"))


def their_rows(rows: list[list[Any]] | None) -> Rows:
    return as_text(rows or [])


def as_text(rows: Iterable[Iterable[Any]]) -> Rows:
    """Rows to be read: id, region, day of January, with the hour where it is not 06, and n."""
    texts: Rows = Counter()
    for id_, region, ts, n in rows:
        hour = "" if ts[11:13] == "06" else f" {ts[11:13]}h"
        texts[f"{id_} {region} {ts[8:10]}{hour} {n}"] += 1
    return texts


def difference(theirs: Rows, ours: Rows) -> tuple[list[str], list[str]]:
    """The rows that only one of them has: theirs, ours."""
    return sorted((theirs - ours).elements()), sorted((ours - theirs).elements())


def tell(
    sequence: Sequence, step: Step, engine: str, model: str, ours: Rows, theirs: Rows, error: str | None, run: Run
) -> None:
    """Prints a difference as it was observed."""
    print(f"\n{sequence.name}: {step.what} (now {step.now}): {model}")
    print(f"  SQLMesh on {engine}: {sorted(theirs.elements())}{f', {error}' if error else ''}")
    failed = run.statuses.get(model) == "error"
    print(
        f"  dbt_kinds:         {sorted(ours.elements())}{', ' + run.messages[model].strip().splitlines()[1].strip() if failed else ''}"
    )

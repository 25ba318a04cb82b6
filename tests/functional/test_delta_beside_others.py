"""What others do to a table or a store in Delta, while a run is at work and between runs: nothing is lost, and nothing is said that does not hold."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.functional.delta import BY_DAY, DAYS, kind, needs_delta, operations, source, upkeep
from tests.functional.project import Project
from tests.sweep import size

pytestmark = needs_delta

WRITERS, APPENDS = 16, size("KINDS_RACES", 1, full=10)


@contextlib.contextmanager
def meanwhile(project: Project, *statements: str) -> Iterator[None]:
    """Sends each of these statements again and again, in a thread of its own, whether it succeeds or not."""
    stopped = threading.Event()

    def go_on(statement: str) -> None:
        while not stopped.is_set():
            with contextlib.suppress(Exception):
                project.sql(statement)

    with ThreadPoolExecutor(len(statements)) as threads:
        for statement in statements:
            threads.submit(go_on, statement)
        try:
            yield
        finally:
            stopped.set()


def test_upkeep_of_a_store_leaves_all_that_it_says(project: Project) -> None:
    source(project, "(1, date '2024-01-01'), (2, date '2024-01-02')")
    kind(project, "daily")
    project.settings["vars"] = {"kinds_store_format": "delta"}
    project.run(now="2024-01-03")
    upkeep(project, "dbt_kinds_intervals")
    assert project.run(now="2024-01-03").messages == {"daily": "OK up to date"}
    project.operation("compact_store", keep_days=0)
    upkeep(project, "dbt_kinds_intervals")
    assert project.run(now="2024-01-03").messages == {"daily": "OK up to date"}
    assert project.run(now="2024-01-04").batches("daily") == [("2024-01-03T00:00:00", "2024-01-04T00:00:00")]
    assert project.recorded("daily") == [["2024-01-01", "2024-01-04"]]


@pytest.mark.sized
def test_many_writers_lose_no_event_of_a_store_while_it_is_optimized(project: Project) -> None:
    source(project, "(1, date '2024-01-01')")
    kind(project, "daily")
    run = project.run(now="2024-01-03", store_format="delta")
    append = next(text for text in run.statements if text.startswith("insert into") and "'loaded'" in text)
    before = project.sql("select count(*) from {schema}.dbt_kinds_intervals")[0][0]

    def write(writer: int) -> None:
        for number in range(APPENDS):
            project.sql(append.replace(run.invocation_id, f"{writer}-{number}"))

    with meanwhile(project, "optimize {schema}.dbt_kinds_intervals"), ThreadPoolExecutor(WRITERS) as threads:
        list(threads.map(write, range(WRITERS)))
    after = project.sql("select count(*), count(distinct invocation_id) from {schema}.dbt_kinds_intervals")
    events = append.count(run.invocation_id)
    assert after == [(before + WRITERS * APPENDS * events, 1 + WRITERS * APPENDS)]


def test_another_day_of_a_table_may_be_written_meanwhile(project: Project) -> None:
    source(project, "(1, date '2024-01-01'), (2, date '2024-01-02'), (3, date '2024-01-03'), (4, date '2024-01-04')")
    kind(project, "ranged", lookback=1)
    project.run(now="2024-01-02")
    older = "insert into {schema}.ranged replace where day = date '2023-12-31' values (0, date '2023-12-31')"
    with meanwhile(project, older):
        for day in (3, 4, 5):
            project.run(now=f"2024-01-{day:02}")
    # a creation, four loads, and what others wrote
    assert len(operations(project, "ranged")) > 7
    project.sql(older)
    assert project.rows("select id from {schema}.ranged") == [(0,), (1,), (2,), (3,), (4,)]


def test_a_commit_in_the_way_is_told_and_the_next_run_makes_it_good(project: Project) -> None:
    source(project, "(1, date '2024-01-01'), (2, date '2024-01-02')")
    kind(project, "ranged", lookback=2)
    kind(project, "keyed", BY_DAY, "incremental_by_unique_key", unique_key="id", lookback=2)
    kind(project, "history", DAYS, "scd_type_2_by_column", unique_key="id", columns=["day"], start=None)
    names = ("ranged", "keyed", "history")
    project.run(now="2024-01-03")
    failed = dict.fromkeys(names, "")

    # the rows stay as they are, their files do not
    with meanwhile(project, *(f"update {{schema}}.{name} set day = day" for name in names)):
        for number in range(3, 13):
            project.sql(f"update {{schema}}.source_rows set day = date '2024-01-{number:02}' where id = 2")
            run = project.dbt("run", now=f"2024-01-{number + 1:02}")
            failed |= {name: run.messages[name] for name in names if run.statuses[name] == "error"}
            if all(failed.values()):
                break
    print({name: message[:200] for name, message in failed.items()})
    assert any(failed.values())
    assert all("DELTA_CONCURRENT" in message or "DELTA_METADATA" in message for message in failed.values() if message)
    project.run(now=f"2024-01-{number + 1:02}")
    expected = project.rows("select id, day from {schema}.source_rows")
    assert project.rows("select id, day from {schema}.keyed") == expected
    assert project.rows("select id, day from {schema}.ranged where id = 2")[-1:] == expected[-1:]
    assert project.rows("select id, day from {schema}.history where valid_to is null") == expected

"""One run at a time writes a model, and no run that is gone keeps the next one from it."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import datetime, timedelta, timezone
from typing import Any

import pytest

from tests.functional.project import DAILY_EVENTS, Project, Run, events_table
from tests.sweep import rest

NOW = "2024-01-05 08:00:00"
LATER = "2024-01-07 08:00:00"
SWEEP = pytest.mark.sweep
OTHER = "0a0a0a0a-0000-0000-0000-000000000000"


@pytest.fixture
def loaded(project: Project) -> Project:
    """A project whose one model is loaded until the fifth of January."""
    events_table(project)
    project.kind("daily", DAILY_EVENTS, config="file_format='iceberg'")
    project.run(now=NOW)
    return project


def moment(seconds_ago: float) -> str:
    return (datetime.now(timezone.utc) - timedelta(seconds=seconds_ago)).strftime("%Y-%m-%dT%H:%M:%S.%f")


def append(project: Project, event: str, *, ago: float = 0, relation: str | None = "daily", **columns: Any) -> None:
    """What another run appends to the store."""
    row = {
        "event": event, "relation": relation and f"{project.schema}.{relation}", "invocation_id": OTHER, "recorded_at": moment(ago),
        "model": "model.shop.daily", "source": "run", **columns,
    }  # fmt: skip
    values = ", ".join("null" if value is None else repr(value) for value in row.values())
    project.sql(f"insert into {{schema}}.dbt_kinds_intervals ({', '.join(row)}) values ({values})")


def claim(project: Project, *, ago: float = 10, holder: str | None = None, **columns: Any) -> None:
    append(project, "claimed", ago=ago, holder=holder, **{"lease_seconds": 3600} | columns)


def here(project: Project) -> tuple[str, str, str]:
    """How claims of this machine and this Spark name their holder."""
    ((host, pid),) = project.sql(
        "select java_method('java.net.InetAddress', 'getLocalHost'), java_method('java.lang.ProcessHandle', 'current')"
    )
    ((_, application),) = project.sql("set spark.app.id")
    return host.split("/")[0], str(pid), application


def events_of(project: Project, run: Run, model: str = "daily") -> list[tuple[str, str | None]]:
    return project.sql(
        "select event, message from {schema}.dbt_kinds_intervals "
        f"where relation = '{project.schema}.{model}' and invocation_id = '{run.invocation_id}' order by recorded_at, event"
    )


def refused(project: Project, run: Run) -> str:
    assert not run.success
    assert f"another run holds the lease on {project.schema}." in run.errors
    assert f"invocation {OTHER}" in run.errors
    return run.errors


@pytest.mark.core
def test_a_run_that_meets_another_writes_nothing_and_says_whom_it_met(loaded: Project) -> None:
    claim(loaded, ago=100)
    append(loaded, "invalidated", ago=50, interval_start="2024-01-03T00:00:00", interval_end="2024-01-04T00:00:00")
    before = loaded.events()
    run = loaded.dbt("run", now=LATER)
    said = refused(loaded, run)
    claimed, alive, expires = [
        datetime.fromisoformat(said.split(words)[1][:19])
        for words in ("claimed at ", "last sign of life at ", "expires at ")
    ]
    assert timedelta(seconds=49) <= alive - claimed <= timedelta(seconds=51)
    assert expires - alive == timedelta(seconds=3600)
    assert "dbt run-operation dbt_kinds.release_lease --args '{select: daily}'" in " ".join(said.split())
    assert loaded.events() == before
    assert [event for event, _ in events_of(loaded, run)] == ["claimed", "failed", "released"]


def test_a_model_that_is_up_to_date_asks_for_no_lease(loaded: Project) -> None:
    claim(loaded)
    assert loaded.run(now=NOW).messages["daily"] == "OK up to date"


@pytest.mark.core
@pytest.mark.parametrize(
    "holder",
    [
        pytest.param(lambda host, pid, app: None, id="of a server"),
        pytest.param(lambda host, pid, app: f"elsewhere/4194000/{app}", id="of another machine", marks=SWEEP),
        pytest.param(lambda host, pid, app: f"{host}/1/local-1", id="of a process that lives"),
        pytest.param(lambda host, pid, app: f"{host}/{pid}/{app}", id="of this very Spark"),
    ],
)
def test_a_live_claim_is_respected(loaded: Project, holder: Callable[[str, str, str], str | None]) -> None:
    claim(loaded, holder=holder(*here(loaded)))
    refused(loaded, loaded.dbt("run", now=LATER))


@pytest.mark.core
@pytest.mark.parametrize(
    "gone",
    [
        pytest.param(lambda host, pid, app: {"ago": 3700}, id="expired"),
        pytest.param(
            lambda host, pid, app: {"ago": 20, "lease_seconds": 15}, id="expired by its own terms", marks=SWEEP
        ),
        pytest.param(lambda host, pid, app: {"holder": f"{host}/4194000/local-1"}, id="its process is gone"),
        pytest.param(
            lambda host, pid, app: {"holder": f"{host}/{pid}/local-1"},
            id="its process number is ours by now",
            marks=SWEEP,
        ),
    ],
)
def test_a_claim_of_a_run_that_is_gone_blocks_nobody(
    loaded: Project, gone: Callable[[str, str, str], dict[str, Any]]
) -> None:
    claim(loaded, **gone(*here(loaded)))
    assert loaded.run(now=LATER).batches("daily") == [("2024-01-05T00:00:00", "2024-01-07T00:00:00")]
    assert loaded.sql("select count(*) from {schema}.daily") == [(24,)]
    told = {run["invocation_id"]: run["state"] for run in loaded.operation("history", select="daily")["runs"]}
    assert told[OTHER] == "died"


def test_a_claim_that_was_found_dead_stays_dead_when_its_process_number_is_given_again(loaded: Project) -> None:
    host, _, _ = here(loaded)
    claim(loaded, holder=f"{host}/4194000/local-1")
    loaded.run(now=LATER)
    # the claim is not left open, which would count as live again
    assert loaded.operation("release_lease", select="daily")["models"][0]["released"] == []


def test_a_recorded_batch_renews_a_claim(loaded: Project) -> None:
    claim(loaded, ago=100, lease_seconds=60)
    append(loaded, "loaded", ago=20, interval_start="2024-01-01T00:00:00", interval_end="2024-01-02T00:00:00")
    refused(loaded, loaded.dbt("run", now=LATER))


def test_release_lease_ends_a_claim(loaded: Project) -> None:
    claim(loaded)
    refused(loaded, loaded.dbt("run", now=LATER))
    released = {"model": "model.shop.daily", "relation": f"{loaded.schema}.daily", "released": [OTHER]}
    assert loaded.operation("release_lease", select="daily")["models"] == [released]
    assert loaded.operation("release_lease", select="daily")["models"] == [released | {"released": []}]
    loaded.run(now=LATER)
    told = {run["invocation_id"]: run["state"] for run in loaded.operation("history", select="daily")["runs"]}
    assert told[OTHER] == "died"


@pytest.mark.parametrize("flags", rest([[], ["--fail-fast"]], []), ids=" ".join)
def test_a_model_that_fails_gives_its_lease_back_with_the_reason(project: Project, flags: list[str]) -> None:
    events_table(project)
    config = "file_format='iceberg'"
    project.kind(
        "broken", DAILY_EVENTS.replace("n from", "cast(raise_error('no\nway') as int) as n from"), config=config
    )
    project.kind("whole", DAILY_EVENTS, config=config)
    project.target["threads"] = 1
    # dbt retry reads the results of the run
    project.flags.clear()
    failed = project.dbt("run", *flags, now=NOW)
    assert failed.statuses["broken"] == "error"
    claimed, told, released = events_of(project, failed, "broken")
    assert [event for event, _ in (claimed, told, released)] == ["claimed", "failed", "released"]
    assert "no way" in str(told[1])
    project.kind("broken", DAILY_EVENTS, config=config)
    retried = project.dbt("retry", now=NOW)
    assert retried.success, retried.errors
    assert project.recorded("broken") == [["2024-01-01", "2024-01-05"]]


def meanwhile(project: Project, words: str, do: Callable[[], None]) -> None:
    """Does something when the next statement with these words is about to be sent."""

    def listen(event: Any) -> None:
        if event.info.name == "SQLQuery" and words in event.data.sql:
            project.listeners.clear()
            do()

    project.listeners.append(listen)


@pytest.mark.core
@pytest.mark.parametrize(
    ("until", "batches"),
    [
        ("2024-01-06T00:00:00", [("2024-01-06T00:00:00", "2024-01-07T00:00:00")]),
        pytest.param("2024-01-07T00:00:00", [], marks=SWEEP),
    ],
    ids=["a part", "all"],
)
def test_what_another_run_loaded_between_read_and_claim_is_not_loaded_again(
    loaded: Project, until: str, batches: list[tuple[str, str]]
) -> None:
    load: dict[str, Any] = {"interval_start": "2024-01-05T00:00:00", "interval_end": until}
    meanwhile(loaded, "values\n  ('claimed', ", lambda: append(loaded, "loaded", **load))
    run = loaded.run(now=LATER)
    assert not loaded.listeners
    assert run.batches("daily") == batches
    expected = ["claimed", *["loaded"] * len(batches), "released"]
    assert [event for event, _ in events_of(loaded, run)] == expected


@pytest.mark.core
def test_a_run_silent_for_longer_than_its_lease_stops_before_it_writes_beside_another(loaded: Project) -> None:
    """The lease lasts a second; another run claims the model while the first batch is being written."""

    def outlast() -> None:
        claim(loaded, ago=0)
        loaded.sql("select java_method('java.lang.Thread', 'sleep', 1200L)")

    meanwhile(loaded, "replace where", outlast)
    run = loaded.dbt("run", now=LATER, lease_seconds=1, batch_size=1)
    assert "replace where" in " ".join(run.statements)
    refused(loaded, run)
    assert [event for event, _ in events_of(loaded, run)] == ["claimed", "failed", "released"]
    assert loaded.recorded("daily") == [["2024-01-01", "2024-01-05"]]


def test_a_lease_lasts_whole_seconds(loaded: Project) -> None:
    failed = loaded.dbt("run", now=LATER, lease_seconds=1.5)
    assert "kinds_lease_seconds '1.5' is not a whole number of 1 or more" in " ".join(failed.errors.split())


OPERATIONS: dict[str, dict[str, Any]] = {
    "record": {"start": "2024-01-05", "end": "2024-01-06"},
    "forget": {"start": "2024-01-02", "end": "2024-01-03"},
    "adopt": {"again": True, "execute": True},
}


@pytest.mark.parametrize("operation", rest(OPERATIONS, "forget"))
def test_operations_change_no_record_that_a_run_is_writing_to(loaded: Project, operation: str) -> None:
    claim(loaded)
    before = loaded.events()
    arguments = json.dumps({"select": "daily"} | OPERATIONS[operation])
    refused(loaded, loaded.dbt("run-operation", f"dbt_kinds.{operation}", "--args", arguments, now=LATER))
    assert loaded.events() == before


def test_what_operations_record_is_told_as_theirs_and_no_lease_is_left(loaded: Project) -> None:
    for operation, arguments in OPERATIONS.items():
        loaded.operation(operation, select="daily", **arguments)
    assert loaded.operation("status", now=NOW)["models"][0]["lease"] is None
    told = [(run["source"], run["state"]) for run in loaded.operation("history", select="daily")["runs"]]
    assert told == [("adopt", "stated"), ("forget", "stated"), ("record", "stated"), ("run", "done")]


def test_a_compaction_and_a_run_keep_out_of_each_others_way(loaded: Project) -> None:
    claim(loaded)
    before = loaded.sql("select count(*) from {schema}.dbt_kinds_intervals where event in ('loaded', 'invalidated')")
    refused(loaded, loaded.dbt("run-operation", "dbt_kinds.compact_store"))
    loaded.operation("release_lease", select="daily")
    claim(loaded, relation="dbt_kinds_intervals", model=None)
    assert f"the lease on {loaded.schema}.dbt_kinds_intervals" in refused(loaded, loaded.dbt("run", now=LATER))
    loaded.operation("release_lease", select="daily")
    loaded.run(now=NOW)
    assert before == loaded.sql(
        "select count(*) from {schema}.dbt_kinds_intervals where event in ('loaded', 'invalidated')"
    )


def test_a_row_that_cannot_be_read_is_named(loaded: Project) -> None:
    append(loaded, "loaded", interval_start="2024-01-01T00:00:00", interval_end="tomorrow")
    events = loaded.events()
    said = " ".join(loaded.dbt("run", now=LATER).errors.split())
    assert f"has a row that cannot be read: relation '{loaded.schema}.daily'" in said
    assert "loaded 2024-01-01T00:00:00 tomorrow" in said and "compact_store --args '{drop_unreadable: true}'" in said
    assert loaded.events() == events
    # this one belongs to no table
    append(loaded, "loaded", relation=None)
    assert "has a row that cannot be read: relation ''" in " ".join(loaded.dbt("run", now=LATER).errors.split())
    loaded.operation("compact_store", drop_unreadable=True)
    assert loaded.run(now=LATER).batches("daily") == [("2024-01-05T00:00:00", "2024-01-07T00:00:00")]

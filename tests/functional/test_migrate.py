"""Models of every pattern on real flights: run by dbt's own materializations, migrated, adopted, run on as kinds, and reverted."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

import pytest

from dbt_kinds.errors import DbtFailedError
from dbt_kinds.migrate.conversion import MigrateOptions
from dbt_kinds.migrate.project import migrate_project, write_migration
from dbt_kinds.migrate.results import Migration
from dbt_kinds.migrate.verify import Verdict, verdict_lines, verify
from dbt_kinds.operate.dbt import DbtOptions
from tests.functional.flights import KINDS, MACROS, MODELS, RECOMPUTED, SNAPSHOTS, SOURCES, flights_until, write_flights
from tests.functional.project import Project
from tests.sweep import is_sweep

T = TypeVar("T")

# by default one model of each kind and of each way in which dbt writes
USUAL = {"newest_day", "shifted", "arrivals", "counted", "both_sides", "appended", "partition_filter", "partitions", "whole_table", "batches", "left_alone", "latest"}  # fmt: skip
# the days on which it was run
RUN_DAYS = ["2013-01-05", "2013-01-09", "2013-01-11", "2013-01-12", "2013-01-14"]


def chosen(given: Mapping[str, T]) -> dict[str, T]:
    """What there is of the models of this mode."""
    return {name: value for name, value in given.items() if is_sweep() or name in USUAL}


def check_tables(
    project: Project, runs: int, blind_days: Sequence[str] = (), blind_batches: Sequence[str] = ("2013-01-04",)
) -> None:
    """Every table is what a full recompute would be, as a multiset; what looks back misses late flights of days of its own."""
    given = {
        "days": [f"date'{day}'" for day in blind_days],
        "batch_days": [f"date'{day}'" for day in blind_batches],
        "run_days": [f"timestamp'{day}'" for day in RUN_DAYS[:runs]],
    }
    for name, query in chosen(RECOMPUTED).items():
        for word, values in given.items():
            query = query.replace(f"{{{word}}}", ", ".join(values))
        wanted = project.rows(query)
        assert project.rows(f"select * from {{schema}}.{name}") == wanted, name
        assert wanted, name


def check_histories(project: Project) -> None:
    """The versions that the kinds keep are those of the snapshots, which dbt goes on taking beside them."""
    for name, columns in chosen({"latest": "carrier, arrived_at, flights", "totals": "carrier, flights"}).items():
        periods = f"{columns}, dbt_valid_from, dbt_valid_to"
        wanted = project.rows(f"select {periods} from {{schema}}.{name}")
        assert project.rows(f"select {periods} from {{schema}}.{name}_history") == wanted, name
        assert len({row[0] for row in wanted}) < len(wanted)


def run_old(project: Project, first: str, last: str) -> None:
    """`dbt run` and `dbt snapshot` of the old project: bounds by variables and by a clock, and by flags for microbatch."""
    project.settings["vars"] = {"from_day": first, "to_day": last, "clock": f"{last} 08:00:00"}
    project.run("--event-time-start", first, "--event-time-end", last)
    take_snapshots(project, last)


def take_snapshots(project: Project, day: str) -> None:
    project.settings["vars"] = {**project.settings["vars"], "clock": f"{day} 08:00:00"}
    taken = project.dbt("snapshot")
    assert taken.success, taken.errors


def git(project: Project, *arguments: str) -> str:
    who = ["-c", "user.name=nobody", "-c", "user.email=nobody@example.com", "-c", "commit.gpgsign=false"]
    done = subprocess.run(["git", *who, *arguments], cwd=project.folder, check=True, capture_output=True, text=True)
    return done.stdout


def commit(project: Project, message: str) -> None:
    git(project, "add", "models", "macros", "snapshots")
    git(project, "commit", "--quiet", "-m", message)


def migrate(project: Project) -> Migration:
    options = MigrateOptions(accept_full_reads=True)
    migration = migrate_project(project.folder, options, dialect="spark")
    list(write_migration(project.folder, migration))
    return migration


def verified(project: Project, name: str, old: Path | None = None) -> Verdict:
    options = DbtOptions(profiles_dir=str(project.folder))
    return verify(project.folder, name, "2013-01-05", "2013-01-08", options, old)


def check_verification(project: Project) -> None:
    """Both texts say the same, a change is seen, and nothing is left of either, nor of a comparison that failed."""
    verdict = verified(project, "shifted")
    assert verdict.is_same, list(verdict_lines(verdict))
    assert verdict.old.rows > 40
    right = (project.folder / "models" / "shifted.sql").read_text()
    project.model("shifted", right.replace("group by", "and carrier <> 'HA' group by"))
    verdict = verified(project, "shifted")
    assert (verdict.is_same, verdict.old.differing, verdict.new.differing) == (False, 3, 0)
    assert "HA" in verdict.old.examples[0]
    project.model("shifted", right.replace("group by", "and raise_error('broken') is null group by"))
    with pytest.raises(DbtFailedError, match="broken"):
        verified(project, "shifted")
    project.model("shifted", right)
    assert not [row for row in project.sql("show tables in {schema}") if "kinds_verify" in row[1]]
    assert verified(project, "shifted").is_same
    # dbt filters what a microbatch model reads
    batches = verified(project, "batches")
    assert batches.is_same and batches.old.rows > 40, list(verdict_lines(batches))


def adopted(project: Project, execute: bool, **arguments: Any) -> dict[str, list[list[str]]]:
    said = project.operation("adopt", now="2013-01-09 08:00:00", start="2013-01-01", execute=execute, **arguments)
    return {entry["model"].rsplit(".", 1)[1]: entry["adopted"] for entry in said["models"]}


def adopt_snapshots(project: Project) -> None:
    for name in chosen(SNAPSHOTS):
        given = {"select": f"{name}_history", "snapshot": f"{project.schema}.{name}", "execute": True}
        said = project.operation("adopt_snapshot", now="2013-01-09 08:00:00", **given)
        assert [bound[:10] for bound in said["adopted"][0]] == ["2013-01-08", "2013-01-09"]
    check_histories(project)


@pytest.mark.sized
def test_models_go_over_to_kinds_and_back_and_nothing_is_loaded_or_lost_needlessly(project: Project) -> None:
    write_flights(project)
    project.settings["dispatch"] = [{"macro_namespace": "dbt", "search_order": ["shop", "dbt_kinds", "dbt"]}]
    (project.folder / "snapshots").mkdir()
    (project.folder / "models" / "sources.yml").write_text(SOURCES)
    (project.folder / "macros" / "since.sql").write_text(MACROS)
    models, kinds = chosen(MODELS), chosen(KINDS)
    for name, text in models.items():
        project.model(name, text)
    for name, text in chosen(SNAPSHOTS).items():
        (project.folder / "snapshots" / f"{name}.sql").write_text(text)
    git(project, "init", "--quiet")
    commit(project, "The old way")

    # the old way, in two runs
    flights_until(project, "2013-01-05")
    run_old(project, "2013-01-01", "2013-01-05")
    flights_until(project, "2013-01-09")
    run_old(project, "2013-01-05", "2013-01-09")
    before = {name: project.rows(f"select * from {{schema}}.{name}") for name in models}
    blind = ["2013-01-04", "2013-01-08"]
    check_tables(project, 2, blind)

    # migrated: every model is of the kind that it should be, or left
    migration = migrate(project)
    assert migration.summary["failed"] == 0
    told = {result.name: (result.kind, result.options) for result in migration.results if result.status == "converted"}
    assert told == kinds
    assert [result.name for result in migration.results if result.status == "left"] == ["left_alone"]
    assert [result.name for result in migration.results if result.status == "proposed"] == list(chosen(SNAPSHOTS))
    check_verification(project)
    commit(project, "Kinds")
    assert not migrate(project).would_change

    # adopted: all but the newest day, which may be half full
    by_time = [name for name, (kind, _) in kinds.items() if kind == "incremental_by_time_range"]
    whole = [name for name in ("absent", "merged_whole", "partitions", "whole_table") if name in kinds]
    ways: list[dict[str, Any]] = [
        {"select": " ".join(by_time + whole)},
        {"select": "arrivals", "arrival": "arrived_at"},
        {"select": "by_key", "arrival": "departs_at"},
        {"select": "appended", "arrival": "arrived_at", "until": "2013-01-09"},
        {"select": "logged", "until": "2013-01-09"},
    ]
    ways = ways[:1] + [way for way in ways[1:] if way["select"] in kinds]
    held: dict[str, list[list[str]]] = {}
    looked = adopted(project, False, **ways[0])
    assert not project.table_exists("dbt_kinds_intervals")
    for way in ways:
        held |= adopted(project, True, **way)
    assert looked == {name: held[name] for name in looked}
    assert {
        name: [[bound[:10] for bound in interval] for interval in intervals] for name, intervals in held.items()
    } == {name: [["2013-01-01", "2013-01-08"]] for name in kinds} | chosen(
        {
            "newest_day": [["2013-01-02", "2013-01-08"]],
            "appended": [["2013-01-01", "2013-01-09"]],
            "logged": [["2013-01-01", "2013-01-09"]],
            "whole_table": [],
        }
    )
    adopt_snapshots(project)
    assert {name: project.rows(f"select * from {{schema}}.{name}") for name in models} == before

    # the new way: what is missing and what is looked back on, nothing else
    flights_until(project, "2013-01-11")
    project.settings["vars"] = {}
    run = project.run(now="2013-01-11 08:00:00")
    first = {
        "newest_day": 7,
        "newest_instant": 7,
        "asked_before": 7,
        "arrivals": 7,
        "shifted": 6,
        "counted": 6,
        "both_sides": 6,
        "by_macro": 6,
        "by_key": 5,
        "appended": 9,
        "logged": 9,
        "recent": 3,
        "partition_filter": 7,
    }
    for name in kinds:
        if name not in ("whole_table", "batches"):
            assert run.batches(name) == [(f"2013-01-{first.get(name, 8):02}T00:00:00", "2013-01-11T00:00:00")], name
    assert [begin[8:10] for begin, _ in run.batches("batches")] == ["07", "08", "09", "10"]
    blind = ["2013-01-04", "2013-01-10"]
    check_tables(project, 3, blind)
    take_snapshots(project, "2013-01-11")
    check_histories(project)
    flights_until(project, "2013-01-12")
    run = project.run(now="2013-01-12 08:00:00")
    assert run.batches("newest_day") == [("2013-01-10T00:00:00", "2013-01-12T00:00:00")]
    blind.append("2013-01-11")
    check_tables(project, 4, blind)
    take_snapshots(project, "2013-01-12")
    check_histories(project)

    # reverted: the tables are plain tables, and the old models run on
    git(project, "revert", "--no-edit", "HEAD")
    assert {path.stem: path.read_text() for path in (project.folder / "models").glob("*.sql")} == models
    flights_until(project, "2013-01-14")
    run_old(project, "2013-01-12", "2013-01-14")
    check_tables(project, 5, [*blind, "2013-01-13"], ["2013-01-04", "2013-01-11"])

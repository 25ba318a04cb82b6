"""Every kind on dbt 2.0 and on dbt-core: the same days on both, and after each the same tables and the same record."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import pytest

from tests.functional.every_kind import KINDS
from tests.functional.project import Run
from tests.fusion.project import CORE, FUSION, TwoEngineProject
from tests.fusion.shop import FORMATS, Shop


class Twins:
    """One shop on each engine."""

    def __init__(self, new_project: Callable[[str], TwoEngineProject]) -> None:
        self.shops = {engine: Shop(new_project(f"on_{engine}")) for engine in (CORE, FUSION)}
        for engine, shop in self.shops.items():
            shop.twins.engine = engine

    def both(self, change: Callable[[Shop], Any]) -> None:
        """The same for both shops."""
        for shop in self.shops.values():
            change(shop)

    def arrive(self, day: int) -> None:
        """A day's rows come to both shops."""
        self.both(partial(Shop.arrive, day=day))

    def correct(self, day: int) -> None:
        """Rows of a day become others in both shops."""
        self.both(partial(Shop.correct, day=day))

    def load(self, days: range, *, anew: bool = False) -> None:
        """What these days do to every table of both shops."""
        self.both(partial(Shop.load, days=days, anew=anew))

    def dbt(self, *command: str, **variables: Any) -> tuple[Run, Run]:
        """The same command on both engines."""
        on_core, on_fusion = (shop.twins.dbt(*command, now=shop.now(), **variables) for shop in self.shops.values())
        assert on_core.success == on_fusion.success, f"{on_core.errors}\n--- dbt 2.0: {on_fusion.errors}"
        return on_core, on_fusion

    def run(self, *command: str, **variables: Any) -> tuple[Run, Run]:
        """The same command on both engines, which succeeds."""
        runs = self.dbt(*command, **variables)
        assert all(run.success for run in runs), "\n--- dbt 2.0: ".join(run.errors for run in runs)
        return runs

    def check(self, runs: tuple[Run, Run]) -> None:
        """Both engines ended each node in the same way and left the same behind, which for known kinds is what it should be."""
        # a model that says a warning, as that of rejected events does, has ended with `warn` on dbt 2.0
        said = [
            {name: "fine" if name == "clicks" else ended(status) for name, status in run.statuses.items()}
            for run in runs
        ]
        assert said[0] == said[1]
        core, fusion = self.shops.values()
        assert core.tables() == fusion.tables()
        assert core.record() == fusion.record()
        # what one holds the other holds
        assert not fusion.wrong()
        assert fusion.has_each_once()


def ended(status: str) -> str:
    return "fine" if status in ("success", "pass") else status


@pytest.fixture(scope="module")
def twins(new_project: Callable[[str], TwoEngineProject]) -> Iterator[Twins]:
    yield Twins(new_project)


def test_first_load(twins: Twins) -> None:
    for day in range(3):
        twins.arrive(day)
    runs = twins.run("run")
    assert len(runs[1].statuses) == len(KINDS) * len(FORMATS) + 8
    twins.load(range(3))
    twins.check(runs)


def test_nothing_missing(twins: Twins) -> None:
    runs = twins.run("run")
    assert not runs[1].batches("time_range_iceberg")
    twins.check(runs)


def test_the_next_day_with_a_correction_that_a_lookback_sees(twins: Twins) -> None:
    twins.correct(2)
    twins.arrive(3)
    runs = twins.run("run")
    assert len(runs[1].batches("looked_back")) == 2
    twins.load(range(3, 4))
    twins.check(runs)


def test_a_restatement(twins: Twins) -> None:
    runs = twins.dbt("run", start="2024-01-02", end="2024-01-03", allow_full_restatement=True)
    for shop in twins.shops.values():
        for table in shop.expected:
            shop.restate(table, range(1, 2))
    assert runs[1].statuses["cumulative_iceberg"] == "error"
    assert "an interval can be merged only once" in runs[1].errors
    twins.check(runs)


def test_a_window_of_dbts_flags(twins: Twins) -> None:
    flags = ("--event-time-start", "2024-01-02 00:00:00", "--event-time-end=2024-01-03")
    runs = twins.run("run", "--select", "time_range_iceberg", *flags)
    assert runs[1].batches("time_range_iceberg") == [("2024-01-02T00:00:00", "2024-01-03T00:00:00")]
    twins.check(runs)


def test_a_model_that_fails_and_dbt_retry(twins: Twins) -> None:
    query = (
        "select id, ts, if(exists(select 1 from {{ target.schema }}.mended), n, raise_error('not mended')) as n "
        "from {{ target.schema }}.source_rows where ts between {{ dbt_kinds.start_dt() }} and {{ dbt_kinds.end_dt() }}"
    )
    for shop in twins.shops.values():
        shop.sql("create table {schema}.mended (id int) using parquet")
        shop.twins.kind("fragile", query, config="file_format='iceberg'", batch_size=1)
    runs = twins.dbt("run", "--select", "fragile", "looked_back")
    assert runs[1].statuses == {"fragile": "error", "looked_back": "success"} and not runs[1].success
    assert "not mended" in runs[1].errors
    twins.check(runs)
    twins.both(lambda shop: shop.sql("insert into {schema}.mended values (1)"))
    retried = twins.run("retry")
    assert set(retried[1].statuses) == {"fragile"}
    assert len(retried[1].batches("fragile")) == 4
    twins.check(retried)


def test_build_runs_generic_tests_and_unit_tests(twins: Twins) -> None:
    twins.arrive(4)
    core, fusion = twins.shops.values()
    # dbt-spark runs no unit test over Thrift, of no model (dbt-labs/dbt-adapters#481); test_dbt_features.py runs them in a session
    runs = (
        core.twins.dbt("build", "--exclude-resource-type", "unit_test", now=core.now()),
        fusion.twins.dbt("build", now=fusion.now()),
    )
    assert all(run.success for run in runs), "\n--- dbt 2.0: ".join(run.errors for run in runs)
    assert runs[1].statuses.pop("the_last_whole_day_is_followed") == "pass"
    assert runs[1].statuses["fails_for_two"] == "warn"
    twins.load(range(4, 5))
    twins.check(runs)


def test_a_full_refresh_with_a_new_column(twins: Twins) -> None:
    twins.correct(0)
    twins.both(lambda shop: shop.columns.append("twice"))
    twins.both(lambda shop: shop.write_models())
    runs = twins.run("run", "--full-refresh")
    twins.load(range(5), anew=True)
    twins.check(runs)


@pytest.mark.parametrize("operation", ["plan", "status", "history"])
def test_an_operation_answers_alike(twins: Twins, operation: str) -> None:
    answers = [
        shop.twins.operation(operation, now=shop.now(), select="time_range_iceberg follower")
        for shop in twins.shops.values()
    ]
    on_core, on_fusion = map(known, answers)
    assert on_core == on_fusion


def known(answer: Any) -> Any:
    """An answer without schemas, clocks and names of runs."""
    text = re.sub(r"on_(core|fusion)\b", "shop", json.dumps(answer, sort_keys=True))
    text = re.sub(
        r'"20(2[5-9]|[3-9]\d)-[^"]*"', '"later"', re.sub(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", "run", text)
    )
    return json.loads(re.sub(r'"(seconds|snapshot_id|model_hash)": [^,}]*', r'"\1": 0', text))

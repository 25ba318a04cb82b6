"""Runs of kinds that go by what changed, killed at any moment: the next plain run loses nothing and doubles nothing."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.functional.changed_source import ChangedSource, Rows, gained, grouped, landed
from tests.functional.formats import formats
from tests.functional.process import own_spark_project
from tests.functional.relay import Relay
from tests.sweep import size

KILLS = size("KINDS_KILLS", 1, full=60)
FORMATS = formats("iceberg,parquet")


@pytest.fixture
def relay(tmp_path: Path) -> Iterator[Relay]:
    relay = Relay(own_spark_project(tmp_path, "killed"))
    yield relay
    relay.close()


@pytest.mark.sized
def test_killed_runs_lose_and_double_nothing(relay: Relay, tmp_path: Path) -> None:
    project = relay.project
    relay.use_schema("killed")
    source = ChangedSource(lambda statement: relay.call("sql", statement), tmp_path / "landing", random.Random(1))
    source.create(project)
    models = [f"{kind}_{of}" for kind in ("gained", "grouped", "landed") for of in FORMATS]
    for of in FORMATS:
        gained(project, of, sink="nobody")
        grouped(project, of, sink="nobody")
        landed(project, of, source.landing, max_files=3)
    appended = Rows()
    for number in range(KILLS):
        appended += source.change()
        expected = {"gained": appended, "grouped": source.rows, "landed": source.landed}
        relay.kill_a_run("run" if number else "first run")
        relay.use_schema("killed")
        run = relay.call("dbt", "run")
        assert run.success, run.errors
        assert relay.call("sql", "show tables in {schema} like '*__kinds_stage_*'") == []
        for model in models:
            held = Rows(relay.call("sql", f"select id, v from {{schema}}.{model}"))
            assert held == expected[model.split("_")[0]], (number, model)
        if source.rejected:
            for of in FORMATS:
                lines = relay.call("sql", f"select text from {{schema}}.landed_{of}__rejected")
                assert Counter(line for (line,) in lines) == source.rejected, number
    sent = Counter[tuple[str, int, int]]()
    outbox = "select split(relation, '[.]')[1], type, get_json_object(row, '$.id'), get_json_object(row, '$.v') from {schema}.dbt_kinds_outbox as changes join (select delta, relation as of, min_by(fill, struct(moment, fill)) as fill from {schema}.dbt_kinds_outbox where event = 'delta' group by delta, relation) as deltas on deltas.fill = changes.fill and of = relation where event = 'change'"  # fmt: skip
    for model, type_, id_, v in relay.call("sql", outbox):
        sent[model, int(id_), int(v)] += 1 if type_ == "insert" else -1
    for model in models[: 2 * len(FORMATS)]:
        assert (
            Rows({row[1:]: n for row, n in sent.items() if row[0] == model and n}) == expected[model.split("_")[0]]
        ), model
    print(f"{relay.tally.total()} kills: {dict(relay.tally)}")

"""Runs of kinds that go by what changed, killed at any moment: the next plain run loses nothing and doubles nothing."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from dbt_kinds.local.profile import local_profile
from tests.functional.process import OwnSparkProject
from tests.functional.relay import Relay
from tests.functional.test_events import events, land
from tests.sweep import size

KILLS = size("KINDS_KILLS", 1, full=60)
FORMATS = ("iceberg", "parquet")
COLUMNS = [{"name": "id", "data_type": "int", "not_null": True}, {"name": "v", "data_type": "int"}]
Rows = Counter[tuple[int, int]]


@pytest.fixture
def relay(tmp_path: Path) -> Iterator[Relay]:
    profile = local_profile(tmp_path / "spark", name="local", schema="killed", threads=2)
    relay = Relay(OwnSparkProject(tmp_path / "project", profile, "killed"))
    yield relay
    relay.close()


class Expected:
    """A source that changes and a folder that files land in, with what tables of each kind have to hold."""

    def __init__(self, relay: Relay, landing: Path) -> None:
        self.relay, self.landing, self.luck = relay, landing, random.Random(1)
        self.source, self.gained, self.landed = Rows(), Rows(), Rows()
        self.rejected = Counter[str]()
        self.files = 0

    def change(self) -> None:
        before = self.source.copy()
        for _ in range(self.luck.randrange(1, 4)):
            row = (self.luck.randrange(30), self.luck.randrange(9))
            if self.luck.random() < 0.6 or not self.source:
                self._sql(f"insert into {{schema}}.source values {row}")
                self.source[row] += 1
            else:
                row = self.luck.choice(sorted(self.source))
                self._sql(f"delete from {{schema}}.source where id = {row[0]} and v = {row[1]}")
                del self.source[row]
        self.gained += self.source - before
        for _ in range(self.luck.randrange(3)):
            self._land()

    def of(self, model: str) -> Rows:
        return {"gained": self.gained, "grouped": self.source, "landed": self.landed}[model.split("_")[0]]

    def _land(self) -> None:
        self.files += 1
        rows = [(self.luck.randrange(30), self.luck.randrange(9)) for _ in range(self.luck.randrange(4))]
        lines = [f'{{"id": {id_}, "v": {v}}}' for id_, v in rows]
        if self.luck.random() < 0.4:
            lines.append(f'{{"id": "no number {self.files}"}}')
            self.rejected[lines[-1]] += 1
        land(self.landing, f"{self.files:04}.jsonl", lines)
        self.landed.update(rows)

    def _sql(self, statement: str) -> None:
        self.relay.call("sql", statement)


@pytest.mark.sized
def test_killed_runs_lose_and_double_nothing(relay: Relay, tmp_path: Path) -> None:
    project = relay.project
    relay.use_schema("killed")
    relay.call("sql", "create table {schema}.source (id int, v int) using iceberg")
    (project.folder / "models" / "sources.yml").write_text(
        "sources: [{name: src, schema: killed, tables: [{name: source}]}]"
    )
    source = "source('src', 'source')"
    expected = Expected(relay, tmp_path / "landing")
    expected.landing.mkdir()
    models = [f"{kind}_{of}" for kind in ("gained", "grouped", "landed") for of in FORMATS]
    for of in FORMATS:
        config, sink = f"file_format='{of}'", {"sink": "nobody"}
        changed = f"select id, v from {{{{ dbt_kinds.changes_of({source}) }}}} as a"
        project.kind(f"gained_{of}", changed, kind="append", config=config, start=None, capture="snapshot", **sink)
        whole = f"select id, v from {{{{ {source} }}}}"
        grouped = {"group_key": "id", "empty_source": "delete", **sink}
        project.kind(f"grouped_{of}", whole, kind="tracked", config=config, start=None, **grouped)
        events(project, f"landed_{of}", expected.landing, of, columns=COLUMNS, max_files=3)
    for number in range(KILLS):
        expected.change()
        relay.kill_a_run("run" if number else "first run")
        relay.use_schema("killed")
        run = relay.call("dbt", "run")
        assert run.success, run.errors
        assert relay.call("sql", "show tables in {schema} like '*__kinds_stage_*'") == []
        for model in models:
            held = Rows(relay.call("sql", f"select id, v from {{schema}}.{model}"))
            assert held == expected.of(model), (number, model)
        if expected.rejected:
            for of in FORMATS:
                lines = relay.call("sql", f"select text from {{schema}}.landed_{of}__rejected")
                assert Counter(line for (line,) in lines) == expected.rejected, number
    sent = Counter[tuple[str, int, int]]()
    outbox = "select split(relation, '[.]')[1], type, get_json_object(row, '$.id'), get_json_object(row, '$.v') from {schema}.dbt_kinds_outbox as changes join (select delta, relation as of, min_by(fill, struct(moment, fill)) as fill from {schema}.dbt_kinds_outbox where event = 'delta' group by delta, relation) as deltas on deltas.fill = changes.fill and of = relation where event = 'change'"  # fmt: skip
    for model, type_, id_, v in relay.call("sql", outbox):
        sent[model, int(id_), int(v)] += 1 if type_ == "insert" else -1
    for model in models[:4]:
        assert Rows({row[1:]: n for row, n in sent.items() if row[0] == model and n}) == expected.of(model), model
    print(f"{relay.tally.total()} kills: {dict(relay.tally)}")

"""What runs change in tables with a sink reaches the sink's function: the vectors of pushes, runs and pushes that die, and a receiver over HTTP."""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Mapping
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from dbt_kinds.operate.dbt import Dbt, DbtOptions
from dbt_kinds.push import delivery
from dbt_kinds.push.changes import Change, Keys, waiting_of
from dbt_kinds.push.functions import read_function
from tests.functional.faults import broken_connection
from tests.functional.formats import formats
from tests.functional.project import Project
from tests.functional.test_append import Source
from tests.receiver import Receiver, held
from tests.sweep import is_sweep, size

FORMATS = formats("iceberg,parquet")
VECTORS = json.loads((Path(__file__).parents[1] / "conformance" / "ondatrasql.json").read_text())["pushes"]
# a batch, statuses, dead letters and a push that dies
USUAL = {"P05", "P12"}
NOW = "2024-03-05T07:08:09"
# what a function of the project is told to answer, and what it was sent
FUNCTION = '''
answers, sent = {}, []


class Killed(BaseException):
    """What a push that is killed does not get over."""


def push(changes, *args):
    sent.append([[c.type, c.key["k"], c.old and c.old["v"], c.row and c.row["v"]] for c in changes])
    said = {c.id: answers.get(c.key["k"], "ok") for c in changes}
    if "raise" in said.values():
        raise ValueError("told to")
    return {id: status for id, status in said.items() if status is not None}
'''


@pytest.fixture
def sinks(project: Project) -> Path:
    folder = project.folder / "sinks"
    folder.mkdir()
    return folder


def asked(project: Project) -> Dbt:
    folder = str(project.folder)
    return Dbt(DbtOptions(folder, folder))


def keyed_model(project: Project, name: str, file_format: str = FORMATS[0], **sink: Any) -> None:
    """A model whose rows the test changes itself: its runs have nothing to load."""
    project.kind(
        name,
        "select cast(null as string) as k, cast(null as string) as v where false",
        kind="incremental_by_unique_key",
        config=f"file_format='{file_format}'",
        unique_key="k",
        sink={"function": name, **sink},
    )


def change_table(project: Project, name: str, changes: list[dict[str, Any]]) -> None:
    for change in changes:
        table, key = f"{{schema}}.{name}", f"k = '{change['key']}'"
        if change["type"] == "insert":
            project.sql(f"insert into {table} values ('{change['key']}', '{change['new']}')")
        elif change["type"] == "delete":
            project.sql(f"delete from {table} where {key} and v = '{change['old']}'")
        else:
            project.sql(f"update {table} set v = '{change['new']}' where {key} and v = '{change['old']}'")


def left_of(dbt: Dbt, name: str) -> tuple[list[list[Any]], list[str]]:
    """What waits, as vectors have it, and the keys of dead letters."""
    (state,) = delivery.read_outbox(dbt, name)
    waiting = [change for one in waiting_of(state["changes"], state["keys"]) for change in one.changes]
    told = [[one.type, one.key["k"], one.old and one.old["v"], one.row and one.row["v"]] for one in waiting]
    return told, [json.loads(dead["key"])["k"] for dead in state["dead"]]


@pytest.mark.sized
def test_the_vectors_of_pushes(project: Project, sinks: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    functions: dict[str, Any] = {}
    read = read_function
    monkeypatch.setattr(
        "dbt_kinds.push.delivery.read_function", lambda path, name: functions.setdefault(name, read(path, name))
    )
    named = {vector["id"].lower(): vector for vector in VECTORS if is_sweep() or vector["id"] in USUAL}
    for name, vector in named.items():
        keyed_model(
            project, name, **{key: vector[key] for key in ("batch_size", "mode", "give_up_after") if key in vector}
        )
        (sinks / f"{name}.py").write_text(FUNCTION)
    project.run(now=NOW)
    for name, vector in named.items():
        change_table(project, name, held_before(vector))
    project.run(now=NOW)
    dbt, ahead = asked(project), timedelta()
    delivery.push(dbt, None)
    for function in functions.values():
        function.__globals__["sent"].clear()
    for number in range(max(len(vector["steps"]) for vector in named.values())):
        steps = {name: vector["steps"][number] for name, vector in named.items() if number < len(vector["steps"])}
        for name, step in steps.items():
            change_table(project, name, step.get("delta", []))
        project.run(now=NOW)
        ahead += timedelta(hours=2)
        for name, step in steps.items():
            expected, where = step["expect"], f"{name}, step {number + 1}"
            if step.get("push", True):
                push_once(dbt, name, functions, step, ahead)
            sent = functions[name].__globals__["sent"] if name in functions else []
            assert sent == expected["sent"], where
            sent.clear()
            left, dead = left_of(dbt, name)
            assert left == expected["left"], where
            assert dead == expected["dead"], where


def held_before(vector: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The rows that a vector takes for delivered: those it changes before it inserts them."""
    first: dict[str, dict[str, Any]] = {}
    for step in vector["steps"]:
        for change in step.get("delta", []):
            first.setdefault(change["key"], change)
    return [
        {"type": "insert", "key": one["key"], "new": one["old"]} for one in first.values() if one["type"] != "insert"
    ]


def push_once(dbt: Dbt, name: str, functions: Mapping[str, Any], step: Mapping[str, Any], ahead: timedelta) -> None:
    if name not in functions:
        read_function(Path(dbt.options.project_dir or "."), name)
    world = functions[name].__globals__
    world["answers"].clear()
    world["answers"].update(step.get("answers", {}))
    if "kill" not in step:
        delivery.push(dbt, name, ahead=ahead)
        return
    assert step["kill"] == "before_record"
    with pytest.MonkeyPatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(delivery._Push, "_known", killed)
        delivery.push(dbt, name, ahead=ahead)


def killed(*given: Any) -> Any:
    raise KeyboardInterrupt


KINDS: dict[str, tuple[str, str, dict[str, Any]]] = {
    "keyed": (
        "incremental_by_unique_key",
        "select id, max(v) as v from {source} group by id",
        {
            "unique_key": "id",
            "when_matched": "when matched and source.v > 15 then delete when matched then update set *",
        },
    ),
    "grouped": ("tracked", "select id, v from {source}", {"group_key": "id", "empty_source": "delete"}),
    "gained": ("append", "select id, v from {captured} as a", {"capture": "snapshot"}),
    "whole": ("full", "select id, v from {source}", {}),
}
STATEMENTS = [
    r"dbt_kinds_outbox[\s\S]*event = 'change'", r"dbt_kinds_outbox[\s\S]*event = 'delta'", r"create table \S*dbt_kinds_outbox",
    r"table if not exists \S*__kinds_sent", r"insert overwrite table \S*__kinds_sent", r"alter table \S*__kinds_sent", "'loaded'",
]  # fmt: skip


class Unreliable(Receiver):
    """Loses calls before they arrive, in the middle, or behind it."""

    def __init__(self, keys: Keys, luck: random.Random) -> None:
        super().__init__(keys)
        self.luck, self.works = luck, False

    def push(self, changes: list[Change]) -> dict[str, str]:
        fate = "ok" if self.works else self.luck.choice(["lost", "half", "unanswered", "ok", "ok"])
        arrived = {"lost": 0, "half": self.luck.randrange(len(changes) + 1)}.get(fate, len(changes))
        for change in changes[:arrived]:
            self.take(change)
        return dict.fromkeys([change.id for change in changes], "ok" if fate == "ok" else "error: told to")


@pytest.mark.sized
@pytest.mark.parametrize("seed", range(size("KINDS_EXAMPLES", 1, full=20)))
def test_a_receiver_ends_where_the_table_is(project: Project, monkeypatch: pytest.MonkeyPatch, seed: int) -> None:
    """Some runs break at a statement of the outbox, drawn by lot, before it or behind it; some calls are lost."""
    luck = random.Random(seed)
    project.sql("create schema {schema}")
    source = Source(project, "a", random.Random(luck.random()))
    (project.folder / "models" / "sources.yml").write_text(
        f"sources: [{{name: src, schema: {project.schema}, tables: [{{name: a}}]}}]"
    )
    texts = {"source": "{{ source('src', 'a') }}", "captured": "{{ dbt_kinds.changes_of(source('src', 'a')) }}"}
    receivers: dict[str, Unreliable] = {}
    chosen = FORMATS if is_sweep() else luck.sample(FORMATS, 1)
    for model, (kind, sql, meta) in {f"{name}_{of}": KINDS[name] for of in chosen for name in KINDS}.items():
        name, file_format = model.split("_")
        keys: Keys = {"keyed": "unique_key", "grouped": "group"}.get(name, "row")  # type: ignore[assignment]
        sink = {"function": model, "batch_size": luck.randint(1, 4), "max_concurrent": luck.randint(1, 2)}
        config = f"file_format='{file_format}'"
        project.kind(model, sql.format(**texts), kind=kind, config=config, sink=sink, **meta)
        receivers[model] = Unreliable(keys, random.Random(luck.random()))
    monkeypatch.setattr("dbt_kinds.push.delivery.read_function", lambda path, name: receivers[name].push)
    dbt, told, ahead = asked(project), list[str](), timedelta()
    rounds = 8 if is_sweep() else 2
    for number in range(1, rounds + 1):
        told += [f"{number}: {source.change()}" for _ in range(luck.randrange(1, 4))]
        now = f"2024-03-{number:02}T07:08:09"
        while luck.random() < 0.6:
            statement, place, done = luck.choice(STATEMENTS), luck.randint(1, 6), luck.random() < 0.5
            with broken_connection(statement, number=place, done=done) as broken:
                project.dbt("run", now=now)
            told.append(f"{number} broken at {broken[0][:90] if broken else 'nothing'}, done: {done}")
            project.operation("release_lease", select=" ".join(receivers))
            told += [f"{number}: {source.change()}" for _ in range(luck.randrange(2))]
        project.run(now=now)
        ahead += timedelta(hours=2)
        for receiver in receivers.values():
            receiver.works = number == rounds
        pushed = delivery.push(dbt, None, ahead=ahead)
        assert [one.gaps + one.dead for one in pushed] == [0] * len(receivers)
        if number == rounds or (is_sweep() and number == rounds // 2):
            for receiver in receivers.values():
                receiver.works = True
            if number < rounds:
                ahead += timedelta(hours=2)
                pushed = delivery.push(dbt, None, ahead=ahead)
            assert all(one.is_done for one in pushed), (seed, told, pushed)
            for model, receiver in receivers.items():
                table = Counter((id_, v) for id_, v in project.sql(f"select id, v from {{schema}}.{model}"))
                received = Counter(
                    (row["id"], row["v"])
                    for rows in held(receiver.table).values()
                    for row in map(json.loads, rows.elements())
                )
                assert received == table, (seed, model, told)
    recorded = project.sql("select count(*) from {schema}.dbt_kinds_outbox")
    assert all(one.is_done for one in delivery.push(dbt, None, ahead=ahead))
    assert project.sql("select count(*) from {schema}.dbt_kinds_outbox") == recorded

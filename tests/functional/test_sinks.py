"""What runs change in tables with a sink reaches the sink's function: the vectors of pushes, runs and pushes that die, and a receiver over HTTP."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from dbt_kinds.operate.dbt import Dbt, DbtOptions
from dbt_kinds.push import delivery
from dbt_kinds.push.changes import waiting_of
from tests.functional.project import Project

VECTORS = json.loads((Path(__file__).parents[1] / "conformance" / "ondatrasql.json").read_text())["pushes"]
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


def keyed_model(project: Project, name: str, file_format: str = "iceberg", **sink: Any) -> None:
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
    (state,) = delivery.read_outbox(dbt, name, limit=1000)
    waiting = [
        change for one in waiting_of(state["changes"], state["keys"], state["attempts"]) for change in one.changes
    ]
    told = [[one.type, one.key["k"], one.old and one.old["v"], one.row and one.row["v"]] for one in waiting]
    return told, [json.loads(dead["key"])["k"] for dead in state["dead"]]


def test_the_vectors_of_pushes(project: Project, sinks: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    functions: dict[str, Any] = {}
    read = delivery.read_function
    monkeypatch.setattr(delivery, "read_function", lambda path, name: functions.setdefault(name, read(path, name)))
    named = {vector["id"].lower(): vector for vector in VECTORS}
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
        delivery.read_function(Path(dbt.options.project_dir or "."), name)
    world = functions[name].__globals__
    world["answers"].clear()
    world["answers"].update(step.get("answers", {}))
    if "kill" not in step:
        delivery.push(dbt, name, ahead=ahead)
        return
    assert step["kill"] == "before_record"
    with pytest.MonkeyPatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(delivery._Push, "_record_known", killed)
        delivery.push(dbt, name, ahead=ahead)


def killed(*given: Any) -> Any:
    raise KeyboardInterrupt

"""Each line that lands is in the table, or among the rejects, once: the vectors of ingests, and random folders with runs that break anywhere."""

from __future__ import annotations

import json
import os
import random
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from datetime import datetime, timezone
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
from dbt.adapters.spark.session import Cursor
from dbt_common.exceptions import DbtRuntimeError

from tests.functional.faults import broken_connection, written
from tests.functional.formats import formats, formats_of
from tests.functional.project import Project
from tests.sweep import size

VECTORS = json.loads((Path(__file__).parents[1] / "conformance" / "ondatrasql.json").read_text())["ingests"]
FORMATS = formats("iceberg,parquet")
# where a run of a vector dies
DEATHS = {"after_claim": r"create table \S*__kinds_stage_", "after_write": "'loaded'"}


def land(folder: Path, name: str, lines: list[str], modified: str | None = None) -> None:
    """Files appear whole."""
    folder.mkdir(parents=True, exist_ok=True)
    making = folder / f".{name}"
    # \udce9 stands for the byte E9
    making.write_bytes(("\n".join(lines) + "\n").encode("utf-8", "surrogateescape"))
    making.rename(folder / name)
    if modified is not None:
        moment = datetime.fromisoformat(modified).replace(tzinfo=timezone.utc).timestamp()
        os.utime(folder / name, (moment, moment))


def events(project: Project, name: str, folder: Path, file_format: str, **meta: Any) -> None:
    config, landing = f"file_format='{file_format}'", {"path": str(folder)}
    project.kind(
        name, "-- its columns are in meta", kind="events", config=config, start=None, **{"landing": landing, **meta}
    )


def rejects(project: Project, name: str, columns: str = "file, text") -> list[tuple[Any, ...]]:
    exists = project.table_exists(f"{name}__rejected")
    return project.rows(f"select {columns} from {{schema}}.{name}__rejected") if exists else []


@contextmanager
def broken_models(breaks: Mapping[str, str]) -> Iterator[set[str]]:
    """Breaks the connection of some models, each before the statement that its pattern is found in. Yields those that broke."""
    broken: set[str] = set()
    execute = Cursor.execute

    def fragile(cursor: Cursor, sql: str, *parameters: Any) -> None:
        for model, pattern in breaks.items():
            if f'"model.shop.{model}"' in sql and (model in broken or re.search(written(pattern), sql)):
                broken.add(model)
                raise DbtRuntimeError("the connection is broken")
        execute(cursor, sql, *parameters)

    with patch.object(Cursor, "execute", fragile):
        yield broken


def test_the_vectors_of_ingests(project: Project, tmp_path: Path, file_format: str) -> None:
    named = {vector["id"].lower(): vector for vector in VECTORS if file_format in formats_of(vector)}
    for name, vector in named.items():
        events(project, name, tmp_path / name, file_format, columns=vector["columns"])
    for number in range(max(len(vector["steps"]) for vector in named.values())):
        steps = {name: vector["steps"][number] for name, vector in named.items() if number < len(vector["steps"])}
        for name, step in steps.items():
            for file, lines in step.get("land", {}).items():
                land(tmp_path / name, file, lines, step.get("modified", {}).get(file))
        kills = {name: DEATHS[step["kill"]] for name, step in steps.items() if "kill" in step}
        with broken_models(kills) as broken:
            run = project.dbt("run", "-s", *steps)
        if broken:
            project.operation("release_lease", select=" ".join(broken))
        for name, step in steps.items():
            expected, where = step["expect"], f"{name}, step {number + 1}: {run.messages[name]}"
            assert (name in broken) is expected.get("died", False), where
            assert (run.statuses[name] == "success") is (name not in broken), where
            if "error" in expected:
                assert expected["error"] in run.messages[name], where
                continue
            columns = [
                f"cast({column['name']} as string)" if column["data_type"] == "timestamp" else column["name"]
                for column in named[name]["columns"]
            ]
            held = project.table_exists(name) and project.sql(f"select {', '.join(columns)} from {{schema}}.{name}")
            assert Counter(held or []) == Counter(tuple(row) for row in expected["rows"]), where
            assert rejects(project, name) == sorted((tuple(row) for row in expected["rejected"]), key=repr), where


COLUMNS: list[dict[str, Any]] = [
    {"name": "id", "data_type": "int", "not_null": True},
    {"name": "n", "data_type": "string"},
    {"name": "amount", "data_type": "decimal(6,2)"},
    {"name": "at", "data_type": "timestamp"},
    {"name": "day", "data_type": "date"},
    {"name": "tags", "data_type": "array<string>"},
    {"name": "inner", "data_type": "struct<p: int, q: string>"},
    {"name": "x", "data_type": "double"},
]
# a line, and the row that it is, or why it is none
LINES: list[tuple[str, dict[str, Any] | str]] = [
    ('{"id": 1}', {"id": 1}),
    ('{"id": 2, "n": 5, "more": {"x": [1]}}', {"id": 2, "n": "5"}),
    ('{"id": 3, "n": {"b": [1, 2]}}', {"id": 3, "n": '{"b":[1,2]}'}),
    ('{"id": 4, "n": "a\\nb\\u0001"}', {"id": 4, "n": "a\nb\x01"}),
    ('{"id": 5, "at": "2024-10-27 01:30:00"}', {"id": 5, "at": "2024-10-27T01:30:00Z"}),
    ('{"id": 6, "at": "2024-10-27T01:30:00+02:00"}', {"id": 6, "at": "2024-10-26T23:30:00Z"}),
    ('{"id": 7, "at": "2024-10-27"}', {"id": 7, "at": "2024-10-27T00:00:00Z"}),
    ('{"id": 8, "day": "2024-02-29", "tags": ["x", null]}', {"id": 8, "day": "2024-02-29", "tags": ["x", None]}),
    ('{"id": 9, "inner": {"q": "y"}}', {"id": 9, "inner": (None, "y")}),
    ('{"id": 10, "amount": 12.5}', {"id": 10, "amount": "12.50"}),
    ("{oops", "not a JSON object"),
    ("[1]", "not a JSON object"),
    ("null", "not a JSON object"),
    ('{"id": 11}{"id": 12}', "not a JSON object"),
    ('{"id": 13} and more', "not a JSON object"),
    ('{"id": 14},{"id": 15}', "not a JSON object"),
    ('{"ID": 16}', "id is missing or null"),
    ('{"id": null, "n": "x"}', "id is missing or null"),
    ('{"id": "17"}', "id is not of type int"),
    ('{"id": 3000000000, "tags": 1}', "id is not of type int, tags is not of type array<string>"),
    ('{"id": 18, "day": "2024-02-30"}', "day is not of type date"),
    ('{"id": 19, "at": "12:00:00"}', "at is not of type timestamp"),
    ('{"id": 20, "at": "yesterday", "day": "x"}', "at is not of type timestamp, day is not of type date"),
    ('{"id": 21, "inner": {"p": "x"}}', "a value is not of its declared type"),
    ('{"id": 22, "amount": 12345.678}', "amount is not of type decimal(6,2)"),
    # nothing is changed without a word
    ('{"id": 30, "n": 1.10}', {"id": 30, "n": "1.10"}),
    ('{"id": 31, "n": {"b": [1e400, 0.1234567890123456789]}}', {"id": 31, "n": '{"b":[1e400,0.1234567890123456789]}'}),
    ('{"id": 32, "inner": {"q": 1e2}, "x": 0.1}', {"id": 32, "inner": (None, "1e2"), "x": 0.1}),
    ('{"id": 33, "amount": 1.005}', "amount is not of type decimal(6,2)"),
    ('{"id": 34, "x": 1e400}', "x is not of type double"),
    ('{"id": 35, "n": "caf\udce9"}', "not UTF-8"),
    ('{"id": 36, "n": "\\ud83d"}', "n is not of type string"),
    ('{"id": 37, "id": 38}', "id is given twice"),
    ('{"id": 39, "inner": {"p": 1, "p": 2}}', "a key of inner is given twice"),
    ('{"id": 40, "at": "2024-10-27T01:30:00.123456789Z"}', "at is not of type timestamp"),
    ('{"id": 41, "day": "2024-02-29T12:00:00"}', "day is not of type date"),
    ('{"id": 42, "amount": 1.005, "x": 1e400}', "amount is not of type decimal(6,2), x is not of type double"),
    ('{"id": NaN}', "not a JSON object"),
    ("{'id': 43}", "not a JSON object"),
]


@pytest.mark.core
def test_every_line_is_a_row_or_a_reject_with_its_reason_and_number(project: Project, tmp_path: Path) -> None:
    land(tmp_path / "in", "a b%20+ü.jsonl", ["", *(line for line, _ in LINES), "   "])
    land(tmp_path / "in", "_making.jsonl", ['{"id": 99}'])
    events(project, "t", tmp_path / "in", "parquet", columns=COLUMNS)
    empty: dict[str, Any] = dict.fromkeys(column["name"] for column in COLUMNS)
    rows = [empty | row for _, row in LINES if isinstance(row, dict)]
    run = project.run()
    assert run.messages["t"] == f"flush: {len(rows)} rows"
    assert f"model t: {len(LINES) - len(rows)} lines were rejected, see {project.schema}.t__rejected" in run.errors
    seconds = "unix_timestamp(at) as at, cast(day as string) as day, cast(amount as string) as amount"
    held = project.sql(f"select id, n, {seconds}, tags, inner, x from {{schema}}.t order by id")
    for found, row in zip(held, rows, strict=True):
        at = row["at"] and datetime.fromisoformat(row["at"].replace("Z", "+00:00")).timestamp()
        assert found == (row["id"], row["n"], at, row["day"], row["amount"], row["tags"], row["inner"], row["x"]), row
    expected = [
        (number, line.replace("\udce9", "\ufffd"), why)
        for number, (line, why) in enumerate(LINES, 2)
        if isinstance(why, str)
    ]
    found_rejects = rejects(project, "t", "line, text, reason, file")
    assert sorted(row[:3] for row in found_rejects) == sorted(expected)
    assert {row[3] for row in found_rejects} == {"a b%20+ü.jsonl"}
    # what Python shows of a byte that is not UTF-8 is not what the table holds
    assert project.sql(
        "select count(*) from {schema}.t__rejected where instr(hex(cast(text as binary)), '636166E9') > 0"
    ) == [(1,)]
    (landed,) = project.operation("ingested")["models"]
    assert landed["files"] == ["a b%20+ü.jsonl"]
    assert project.run().messages["t"] == "flush: 0 rows"


# from the ledger to the last record
STATEMENTS = [r"dbt_kinds_ingested", r"create table \S*__kinds_stage_", r"insert into \S*__kinds_stage_", "__rejected", "'pending'", r"insert into \S*t_(iceberg|parquet|delta)\b", "'loaded'", "drop table"]  # fmt: skip


@pytest.mark.sweep
@pytest.mark.parametrize("seed", range(size("KINDS_EXAMPLES", None, full=160) // 8))
def test_what_lands_arrives_once_whatever_breaks(project: Project, tmp_path: Path, seed: int) -> None:
    """Files of a few at a time, removed once they may be; some runs break, before or behind a statement drawn by lot."""
    luck = random.Random(seed)
    for file_format in FORMATS:
        (tmp_path / file_format).mkdir()
        columns = [{"name": "id", "data_type": "int", "not_null": True}]
        events(project, f"t_{file_format}", tmp_path / file_format, file_format, columns=columns, max_files=3)
    taken, rejected, told = Counter[int](), Counter[str](), []
    for number in range(8):
        for _ in range(luck.randrange(4)):
            ids = [luck.randrange(50) for _ in range(luck.randrange(1, 4))]
            bad = [f"oops {luck.randrange(3)}"] if luck.random() < 0.4 else []
            taken.update(ids)
            rejected.update(bad)
            name = f"{luck.randrange(10**6):06}.jsonl"
            for file_format in FORMATS:
                land(tmp_path / file_format, name, [*(json.dumps({"id": one}) for one in ids), *bad])
        with ExitStack() as breaks:
            if luck.random() < 0.6:
                statement, place, done = luck.choice(STATEMENTS), luck.randint(1, 3), luck.random() < 0.5
                broken = breaks.enter_context(broken_connection(statement, number=place, done=done))
                project.dbt("run")
                told.append(f"{number} broken at {broken[0][:60] if broken else 'nothing'}, done: {done}")
        project.operation("release_lease", select=" ".join(f"t_{file_format}" for file_format in FORMATS))
        run = project.run()
        while "to go" in "\n".join(run.log):
            run = project.run()
        for file_format in FORMATS:
            held = Counter(row[0] for row in project.sql(f"select id from {{schema}}.t_{file_format}"))
            assert held == taken, (seed, file_format, told, run.messages)
            assert Counter(row[1] for row in rejects(project, f"t_{file_format}")) == rejected, (seed, told)
        assert project.sql("show tables in {schema} like '*__kinds_stage_*'") == []
        if luck.random() < 0.3:
            for model in project.operation("ingested")["models"]:
                for file in model["files"]:
                    Path(model["landing"], file).unlink()
    before = project.events()
    assert set(project.run().messages.values()) == {"flush: 0 rows"}
    assert project.events() == before


def test_what_is_refused_and_what_a_rebuild_takes(project: Project, tmp_path: Path) -> None:
    columns = [{"name": "id", "data_type": "int", "not_null": True}]
    land(tmp_path / "in", "a.jsonl", ['{"id": 1}', "oops"])
    events(project, "t", tmp_path / "in", FORMATS[0], columns=columns, on_bad_record="error")
    refused = project.dbt("run")
    assert "1 line cannot be loaded, such as this one of a.jsonl: oops (not a JSON object)" in refused.errors
    assert not project.table_exists("t__rejected")
    assert not project.table_exists("t")
    events(project, "t", tmp_path / "in", FORMATS[0], columns=columns)
    assert project.run().messages["t"] == "flush: 1 row"
    # it may be the only copy of what has been removed
    run = project.run("--full-refresh")
    assert run.messages["t"] == "flush: 0 rows, --full-refresh ignored"
    assert "--full-refresh is ignored, because disable_restatement is true" in run.errors
    (tmp_path / "in" / "a.jsonl").write_text('{"id": 1}\n')
    assert "the file a.jsonl in " in (error := project.dbt("run").errors)
    assert "changed after it was taken: it has 10 bytes and had 15" in error
    assert (
        "records files, not intervals"
        in project.dbt("run-operation", "dbt_kinds.forget", "--args", "{select: t}").errors
    )
    more = [*columns, {"name": "n", "data_type": "string"}]
    events(project, "t", tmp_path / "in", FORMATS[0], columns=more, disable_restatement=False)
    land(tmp_path / "in", "b.jsonl", ['{"id": 2, "n": "x"}'])
    with broken_connection(r"insert into \S*\.t\b"):
        project.dbt("run", "--full-refresh")
    project.operation("release_lease", select="t")
    assert project.run().messages["t"] == "flush: 2 rows"
    assert project.rows("select * from {schema}.t") == [(1, None), (2, "x")]
    for meta, words in (
        ({"columns": []}, "is not a list of columns"),
        ({"columns": [{"name": "a"}]}, "is not {name: …, data_type: …"),
        ({"columns": [*columns, {"name": "ID", "data_type": "int"}]}, "columns names ID twice"),
        ({"columns": [{"name": "a", "data_type": "array<timestamp>"}]}, "declare them as string"),
        ({"columns": columns, "landing": {"table": "x"}}, "is neither a folder nor a table"),
        (
            {"columns": columns, "landing": {"table": "a.b"}, "max_files": 3},
            "max_files applies to landing: {path: …} only",
        ),
        ({"columns": columns, "max_files": 0}, "max_files '0' is not a whole number"),
    ):
        events(project, "t", tmp_path / "in", FORMATS[0], **meta)
        assert words in project.dbt("run").errors, words


def test_a_rebuild_replaces_the_rejects(project: Project, tmp_path: Path) -> None:
    columns = [{"name": "id", "data_type": "int", "not_null": True}]
    models = [f"t_{file_format}" for file_format in FORMATS]
    for model, file_format in zip(models, FORMATS, strict=True):
        events(project, model, tmp_path / "in", file_format, columns=columns, disable_restatement=False)
    for number in (1, 2):
        land(tmp_path / "in", f"{number}.jsonl", [f'{{"id": {number}}}', f"oops {number}"])
        project.run()
    with broken_connection(r"insert overwrite table \S*__rejected"):
        project.dbt("run", "--full-refresh")
    project.operation("release_lease", select=" ".join(models))
    for arguments in ((), ("--full-refresh",)):
        project.run(*arguments)
        for model in models:
            assert project.rows(f"select id from {{schema}}.{model}") == [(1,), (2,)]
            assert rejects(project, model) == [("1.jsonl", "oops 1"), ("2.jsonl", "oops 2")], arguments
    (tmp_path / "in" / "2.jsonl").unlink()
    land(tmp_path / "in", "3.jsonl", ['{"id": 3}'])
    project.run("--full-refresh")
    for model in models:
        assert project.rows(f"select id from {{schema}}.{model}") == [(1,), (3,)]
        assert rejects(project, model) == [("1.jsonl", "oops 1")]

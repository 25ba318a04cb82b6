"""The runs of the conformance vectors of OndatraSQL: compiled, run by dbt step by step over real tables, and looked at after each."""

from __future__ import annotations

import json
import re
import tempfile
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pyspark.sql import SparkSession

from dbt_kinds.readers.ondatrasql.project import read_kinds_project
from dbt_kinds.writers.dbt_project import write_project
from tests.functional.project import Project, Run
from tests.unit.compiling import write_files

VECTORS = json.loads((Path(__file__).parents[1] / "conformance" / "ondatrasql.json").read_text())["runs"]
_NAME = re.compile(r"(?<![\w.])(raw|mart|a|b)([./])(?=\w+)")
_HIDDEN = frozenset({"_content_hash", "_kinds_claim"})


def kinds_of(vector: Mapping[str, Any]) -> set[str]:
    """The kinds of a vector's models, as the files name them."""
    return {found[1] if (found := re.search(r"@kind: (\w+)", text)) else "table" for text in vector["models"].values()}


@dataclass
class Outcome:
    """What one model came to in one step."""

    message: str
    status: str
    columns: list[str]
    rows: Counter[str]
    version: Any
    exists: bool
    changes: Counter[str]


@dataclass
class Vectors:
    """Vectors of one format in one project, whose schemas begin with the vector's own name.

    Attributes:
        outcomes: by vector, step and model.
        refused: what the compiler refuses, by vector and model.
        told: the last delta of the outbox that was looked at, by table.
    """

    project: Project
    file_format: str
    outcomes: dict[tuple[str, int, str], Outcome] = field(default_factory=dict)
    refused: dict[tuple[str, str], str] = field(default_factory=dict)
    told: dict[str, int] = field(default_factory=dict)

    @property
    def table_format(self) -> str:
        """That of sources, where their vector says nothing."""
        return "delta" if self.file_format == "delta" else "iceberg"

    def run(self, vectors: Sequence[dict[str, Any]]) -> None:
        """Takes all vectors through their steps, those of one step in one run of dbt, or two where some want a full refresh."""
        named = [self._named(vector) for vector in vectors]
        self.project.settings["models"] = {"shop": {"+file_format": self.file_format}}
        for number in range(max(len(vector["steps"]) for vector in named)):
            now = [vector for vector in named if number < len(vector["steps"])]
            for vector in now:
                self._prepare(vector, vector["steps"][number])
            for full_refresh in (False, True):
                asked = [vector for vector in now if bool(vector["steps"][number].get("full_refresh")) is full_refresh]
                if asked:
                    flags = ["--full-refresh"] if full_refresh else []
                    run = self.project.dbt("run", *flags, "-s", *(f"path:models/{vector['id']}" for vector in asked))
                    for vector in asked:
                        self._look(vector, number, run)

    def _named(self, vector: dict[str, Any]) -> dict[str, Any]:
        """The vector with its own schemas: `a01_raw.src`; in paths, in SQL and in what is expected."""
        text = _NAME.sub(lambda found: f"{vector['id'].lower()}_{found[1]}{found[2]}", json.dumps(vector))
        return {**json.loads(text), "id": vector["id"].lower()}

    def _prepare(self, vector: dict[str, Any], step: dict[str, Any]) -> None:
        vector["models"] |= step.get("models", {})
        if step is vector["steps"][0] or "models" in step:
            self._write(vector)
        for name, columns in vector["tables"].items() if step is vector["steps"][0] else ():
            self._make(name, columns, vector.get("source_format", self.table_format), [])
        for name, state in step.get("tables", {}).items():
            rows, columns = (state["rows"], state["columns"]) if isinstance(state, dict) else (state, None)
            if columns is not None and columns != vector["tables"][name]:
                self._alter(name, vector["tables"][name], columns)
                vector["tables"][name] = columns
            if isinstance(state, dict) and state.get("rebuild"):
                self._make(name, vector["tables"][name], vector.get("source_format", self.table_format), rows)
            else:
                self._bring(name, vector["tables"][name], rows)

    def _write(self, vector: dict[str, Any]) -> None:
        with tempfile.TemporaryDirectory() as folder:
            compiled, findings = read_kinds_project(write_files(Path(folder), vector["models"]), "shop")
        self.refused |= {
            (vector["id"], ".".join(Path(one.place.file).with_suffix("").parts[1:])): one.code.name
            for one in findings
            if one.severity == "error"
        }
        for model in compiled.models:
            model.options |= vector.get("options", {}).get(model.name, {})
            model.node = f"{model.schema}__{model.alias}"
        for table in compiled.sources:
            table.schema = f"{self.project.schema}_{table.schema}"
        for file in write_project(compiled, {"local": "."}):
            if file.path.startswith("models/"):
                path = self.project.folder / "models" / vector["id"] / file.path.removeprefix("models/")
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(file.text)

    def _real(self, name: str) -> str:
        return f"{self.project.schema}_{name}"

    def _make(self, name: str, columns: str, file_format: str, rows: list[list[Any]]) -> None:
        real = self._real(name)
        self.project.sql(f"create schema if not exists {real.split('.')[0]}")
        selected = self._values(columns, rows)
        if file_format == self.table_format:
            # Delta drops a column only where columns are mapped
            mapped = " tblproperties ('delta.columnMapping.mode' = 'name')" if file_format == "delta" else ""
            self.project.sql(f"create or replace table {real} using {file_format}{mapped} as {selected}")
        else:
            self.project.sql(f"create table if not exists {real} using {file_format} as {selected}")
            self.project.sql(f"insert overwrite {real} {selected}")

    def _values(self, columns: str, rows: list[list[Any]]) -> str:
        names = [column.split()[0] for column in columns.split(", ")]
        types = [column.split()[1] for column in columns.split(", ")]
        if not rows:
            empty = ", ".join(f"cast(null as {kind}) as {name}" for name, kind in zip(names, types, strict=True))
            return f"select {empty} where false"
        values = ", ".join(f"({', '.join(_literal(value) for value in row)})" for row in rows)
        cast = ", ".join(f"cast({name} as {kind}) as {name}" for name, kind in zip(names, types, strict=True))
        return f"select {cast} from values {values} as v({', '.join(names)})"

    def _alter(self, name: str, before: str, after: str) -> None:
        old, new = ([column.split()[0] for column in columns.split(", ")] for columns in (before, after))
        for column in after.split(", "):
            if column.split()[0] not in old:
                self.project.sql(f"alter table {self._real(name)} add columns ({column})")
        for dropped in set(old) - set(new):
            self.project.sql(f"alter table {self._real(name)} drop column {dropped}")

    def _bring(self, name: str, columns: str, rows: list[list[Any]]) -> None:
        """Brings a table to rows by deleting and inserting the difference; of equal rows all are deleted and some put back."""
        names = [column.split()[0] for column in columns.split(", ")]
        wanted = Counter(json.dumps(row) for row in rows)
        held = Counter(
            json.dumps(list(row), default=str) for row in self.project.sql(f"select * from {self._real(name)}")
        )
        gone = [row for row in held if held[row] > wanted[row]]
        for row in gone:
            values = zip(names, json.loads(row), strict=True)
            condition = " and ".join(f"{column} <=> {_literal(value)}" for column, value in values)
            self.project.sql(f"delete from {self._real(name)} where {condition}")
            held[row] = 0
        missing = [json.loads(row) for row, count in (wanted - held).items() for _ in range(count)]
        if missing:
            self.project.sql(f"insert into {self._real(name)} {self._values(columns, missing)}")

    def _look(self, vector: dict[str, Any], number: int, run: Run) -> None:
        for model in vector["steps"][number]["expect"]:
            schema, table = model.split(".")
            node = f"{schema}__{table}"
            real = self._real(model)
            exists = bool(self.project.sql(f"show schemas like '{real.split('.')[0]}'")) and bool(
                self.project.sql(f"show tables in {real.split('.')[0]} like '{table}'")
            )
            columns, rows, version = [], Counter[str](), None
            if exists:
                frame = SparkSession.builder.getOrCreate().table(real)
                columns = [name for name in frame.columns if name not in _HIDDEN]
                found = [row.asDict() for row in frame.select(columns).collect()]
                rows = Counter(json.dumps(row, default=str, sort_keys=True) for row in found)
                version = self._version(real)
            refused = self.refused.get((vector["id"], model))
            message = refused or run.messages.get(node, run.errors)
            status = "error" if refused else run.statuses.get(node, "none")
            changes = (
                self._new_changes(real) if "changes" in vector["steps"][number]["expect"][model] else Counter[str]()
            )
            self.outcomes[vector["id"], number, model] = Outcome(
                message, status, columns, rows, version, exists, changes
            )

    def _new_changes(self, real: str) -> Counter[str]:
        """What the newest delta put into the outbox, once: the type, and the row's values in their order."""
        told = self.project.sql(
            f"select type, row, delta from {{schema}}.dbt_kinds_outbox join (select fill from {{schema}}.dbt_kinds_outbox"
            f" where event = 'delta' and relation = '{real}') using (fill) where event = 'change' and relation = '{real}'"
        )
        new = [row for row in told if row[2] > self.told.get(real, 0)]
        self.told[real] = max((row[2] for row in told), default=0)
        return Counter(json.dumps([kind, *json.loads(row).values()]) for kind, row, _ in new)

    def _version(self, real: str) -> Any:
        if self.file_format == "iceberg":
            self.project.sql(f"refresh table {real}")
            return self.project.sql(f"select snapshot_id from {real}.refs where name = 'main'")
        if self.file_format == "delta":
            return self.project.sql(f"describe history {real} limit 1")[0][0]
        return sorted(SparkSession.builder.getOrCreate().table(real).inputFiles())

    def check(self, vector: dict[str, Any]) -> None:
        """Compares what came of every step with what the vector expects."""
        named = self._named(vector)
        for number, step in enumerate(named["steps"]):
            for model, expected in step["expect"].items():
                outcome = self.outcomes[named["id"], number, model]
                numbers = self._sequences(named, model)
                if "rows" in expected:
                    expected = {
                        **expected,
                        "rows": [[_numbered(value, numbers) for value in row] for row in expected["rows"]],
                    }
                self._check(model, expected, outcome, self.outcomes.get((named["id"], number - 1, model)), number + 1)

    def _sequences(self, vector: Mapping[str, Any], model: str) -> dict[str, int]:
        """What S1, S2, … stand for: the number that a step's run opened or closed versions with, where it did."""
        found: dict[str, int] = {}
        for number in range(len(vector["steps"])):
            outcome = self.outcomes.get((vector["id"], number, model))
            rows = [json.loads(row) for row in outcome.rows] if outcome else []
            used = {row["valid_from_snapshot"] for row in rows if "valid_from_snapshot" in row}
            used |= {row["valid_to_snapshot"] + 1 for row in rows if row.get("valid_to_snapshot") is not None}
            new = used - set(found.values())
            assert len(new) <= 1 and all(value > max(found.values(), default=0) for value in new), (number, used)
            found |= {f"S{number + 1}": value for value in new}
        return found

    def _check(self, model: str, expected: dict[str, Any], outcome: Outcome, before: Outcome | None, step: int) -> None:
        where = f"step {step}, {model}: {outcome.message}"
        message = outcome.message.replace(f"{self.project.schema}_", "")
        if "error" in expected:
            assert outcome.status in ("error", "fail"), where
            assert all(words.strip() in message for words in expected["error"].split(",")), where
        elif expected.get("run") == "skipped":
            assert outcome.status == "skipped", where
        elif "run" in expected:
            assert message == said(expected), where
        if expected.get("absent"):
            assert not outcome.exists, where
        if "columns" in expected:
            assert sorted(outcome.columns) == sorted(expected["columns"]), where
            rows = [
                json.dumps(dict(zip(expected["columns"], row, strict=True)), sort_keys=True) for row in expected["rows"]
            ]
            assert outcome.rows == Counter(rows), where
        if "changes" in expected:
            assert outcome.changes == Counter(json.dumps(change) for change in expected["changes"]), where
        if expected.get("unchanged"):
            assert before is not None
            assert outcome.version == before.version, where


def said(expected: dict[str, Any]) -> str:
    """The model's message, as section 3 has it."""
    rows = f"{expected['written']} row{'s' if expected['written'] != 1 else ''}"
    if expected["run"] == "incremental":
        return f"incremental: {rows}"
    return f"{expected['run']}: {expected['reason']}" + ("" if expected["run"] == "skip" else f", {rows}")


def _numbered(value: Any, numbers: Mapping[str, int]) -> Any:
    """`S2-1` as the number that it stands for."""
    found = re.fullmatch(r"(S\d+)(-1)?", value) if isinstance(value, str) else None
    return value if found is None else numbers[found[1]] - (1 if found[2] else 0)


def _literal(value: Any) -> str:
    if value is None:
        return "null"
    return str(value).lower() if isinstance(value, bool | int | float) else "'" + str(value).replace("'", "\\'") + "'"

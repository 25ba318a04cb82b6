"""Runs a vector of `gates.json`: one model, step by step, over sources that the steps change."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import yaml

from tests.functional.project import Project, Run

Rows = list[list[Any]]


@dataclass
class Gate:
    """A vector on one file format, in a project of its own; the model is called as the vector is."""

    project: Project
    vector: Mapping[str, Any]
    file_format: str

    def __post_init__(self) -> None:
        self.target = str(self.vector["id"])
        self.database = f"{self.project.schema}_src"
        self.project.sql(f"create schema if not exists {self.project.schema}")
        self.project.sql(f"create schema if not exists {self.database}")
        self.parents: dict[str, dict[str, Any]] = {**self.vector.get("parents", {})}
        self.model = {key: self.vector[key] for key in ("kind", "options", "query")}
        names = [{"name": name} for name in self.vector["tables"]]
        sources = {"version": 2, "sources": [{"name": "src", "schema": self.database, "tables": names}]}
        (self.project.folder / "models" / "sources.yml").write_text(yaml.safe_dump(sources))
        for name, text in self.vector.get("tests", {}).items():
            (self.project.folder / "macros" / f"{name}.sql").write_text(text)
        for name, table in self.vector["tables"].items():
            if isinstance(table, Mapping):
                self._create(name, table)

    def run(self, step: Mapping[str, Any]) -> None:
        """One step: changes the sources, runs, and compares what it expects."""
        for name, rows in step.get("sources", {}).items():
            self._view(name, self.vector["tables"][name], rows)
        for written in step.get("sql", []):
            for statement in self._of_format(written):
                named = statement.replace("{database}", self.database)
                self.project.sql(named.replace("{target}", f"{self.project.schema}.{self.target}"))
        self.model = {**self.model, "options": _merged(self.model["options"], step.get("options", {}))}
        self.model["query"] = step.get("query", self.model["query"])
        for name, options in step.get("parent_options", {}).items():
            parent = self.parents[name]
            self.parents[name] = {**parent, "options": _merged(parent["options"], options)}
        self._write_models()
        before = self._state()
        chosen = step.get("run")
        names = [self.target if name == "target" else name for name in chosen or []]
        run = Run(success=True) if chosen == [] else self._dbt(step, "run", *(["--select", *names] if names else []))
        self._check_run(step, run)
        self._check_tables(step, before)
        if "expect_plan" in step:
            self._check_plan(step)

    def _check_run(self, step: Mapping[str, Any], run: Run) -> None:
        said = run.errors + "\n" + "\n".join(run.messages.values())
        if "expect_error" in step:
            assert not run.success, run.statuses
            assert _lacking(step["expect_error"], said) == [], said
        elif not step.get("may_fail"):
            assert run.success, said
        lines = "\n".join(
            # the vector's name is not what the log says
            line.replace(self.target, "target")
            for line in [*run.log, *run.errors.splitlines()]
            if self.target in line
        )
        assert _lacking(step.get("expect_log", []), lines) == [], lines
        unwanted = step.get("expect_not_log", [])
        assert _lacking(unwanted, lines) == unwanted, lines
        status = run.messages.get(self.target, "")
        assert _lacking(step.get("expect_status", []), status) == [], status

    def _check_tables(self, step: Mapping[str, Any], before: Mapping[str, Any]) -> None:
        if "expect_rows" in step:
            assert self.rows(self.target, step["expect_columns"]) == _texts(step["expect_rows"])
        if step.get("expect_absent"):
            assert not self.project.table_exists(self.target)
        if step.get("expect_nothing"):
            assert (
                not self.project.table_exists(self.target)
                or self.project.sql(f"select 1 from {{schema}}.{self.target}") == []
            )
        if step.get("expect_unchanged"):
            assert self._state() == before
        if step.get("expect_files_unchanged"):
            assert self._state()["files"] == before["files"]
        expected = step.get("expect_tables", {})
        for written, table in expected.items():
            name = written.replace("{target}", self.target)
            assert self.rows(name, table["columns"]) == _texts(table["rows"])
        if step.get("expect_no_leftovers"):
            own = {self.target, *self.parents, *(name.replace("{target}", self.target) for name in expected)}
            shown = {name for _, name, _ in self.project.sql("show tables in {schema}")}
            assert {name for name in shown if self.target in name} - own == set()

    def _check_plan(self, step: Mapping[str, Any]) -> None:
        answer = self._dbt(step, "run-operation", "dbt_kinds.plan", "--args", json.dumps({"select": self.target}))
        assert answer.success, answer.errors
        plan = answer.answer()["plans"][0]
        for key, expected in step["expect_plan"].items():
            if key == "waiting":
                waiting = [[one["start"], one["end"], one["for"]] for one in plan.get("waiting", [])]
                assert waiting == expected, plan
            elif key == "estimate":
                assert sorted(plan["estimate"]) == sorted(expected), plan
            else:
                assert plan[key] == expected, (key, plan)

    def rows(self, table: str, columns: Iterable[str]) -> list[list[str | None]]:
        """A table's rows as texts."""
        texts = ", ".join(f"cast(`{column}` as string)" for column in columns)
        return sorted(([*row] for row in self.project.sql(f"select {texts} from {{schema}}.{table}")), key=repr)

    def _state(self) -> dict[str, Any]:
        """The data files of the model's table, and the events of the store that are more than signs of life."""
        exists = self.project.table_exists(self.target)
        files = (
            self.project.rows(
                f"select distinct _metadata.file_path, _metadata.file_modification_time from {{schema}}.{self.target}"
            )
            if exists and self.file_format in ("parquet", "delta")
            else []
        )
        if exists and self.file_format == "iceberg":
            files = self.project.rows(f"select file_path from {{schema}}.{self.target}.files")
        return {"files": files, "events": self.project.events()}

    def _dbt(self, step: Mapping[str, Any], *command: str) -> Run:
        given = {name.removeprefix("kinds_"): value for name, value in step.get("vars", {}).items()}
        return self.project.dbt(*command, **given)

    def _write_models(self) -> None:
        for name, model in {self.target: self.model, **self.parents}.items():
            options = dict(model["options"])
            meta = options.pop("meta", {})
            settings = {"materialized": model["kind"], "file_format": self.file_format, **options, "meta": meta}
            config = ", ".join(f"{key}={value!r}" for key, value in settings.items())
            self.project.model(name, f"{{{{ config({config}) }}}}\n{model['query']}\n")

    def _view(self, name: str, columns: str, rows: Rows) -> None:
        types = [column.split(" ", 1) for column in columns.split(", ")]
        values = [
            "select "
            + ", ".join(
                f"cast({_literal(value)} as {kind}) as `{column}`"
                for value, (column, kind) in zip(row, types, strict=True)
            )
            for row in rows
        ]
        empty = "select " + ", ".join(f"cast(null as {kind}) as `{column}`" for column, kind in types) + " where false"
        self.project.sql(f"create or replace view {self.database}.{name} as " + ("\nunion all\n".join(values) or empty))

    def _create(self, name: str, table: Mapping[str, Any]) -> None:
        parts = f"partitioned by ({', '.join(table['partitioned_by'])})" if table.get("partitioned_by") else ""
        properties = ", ".join(f"'{key}'='{value}'" for key, value in table.get("properties", {}).items())
        [created] = self._of_format(
            f"create table {self.database}.{name} ({table['columns']}) using {table['using']} {parts} "
        )
        self.project.sql(created + (f"tblproperties ({properties})" if properties else ""))

    def _of_format(self, statement: str) -> list[str]:
        """A statement that makes a source of Iceberg; on Delta, those that make one of Delta that tells its changes.

        Iceberg forgets the history of a table that is replaced. Delta does that of one that is dropped.
        """
        if self.file_format != "delta":
            return [statement]
        feed = r"using delta\1 tblproperties (delta.enableChangeDataFeed = true)"
        created = re.sub(r"using iceberg((?: +partitioned by [(][^)]*[)])?)", feed, statement)
        replaced = re.match(r"create or replace table (\S+)", created)
        return [created] if replaced is None else [f"drop table if exists {replaced[1]}", created]


def _merged(options: Mapping[str, Any], more: Mapping[str, Any]) -> dict[str, Any]:
    merged = {**options, **more}
    merged["meta"] = {**options.get("meta", {}), **more.get("meta", {})}
    return merged


def _lacking(phrases: Iterable[str], text: str) -> list[str]:
    """Those that the text has not; a number has to stand alone."""
    return [phrase for phrase in phrases if not re.search(_pattern(phrase), text, re.IGNORECASE)]


def _pattern(phrase: str) -> str:
    escaped = re.escape(phrase)
    return rf"(?<![\w.]){escaped}(?![\w.]*\d)" if re.fullmatch(r"\d+", phrase) else escaped


def _texts(rows: Rows) -> list[list[str | None]]:
    return sorted(([None if value is None else str(value) for value in row] for row in rows), key=repr)


def _literal(value: Any) -> str:
    if value is None:
        return "null"
    return "'" + value.replace("'", "\\'") + "'" if isinstance(value, str) else str(value)

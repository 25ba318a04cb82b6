"""Times before 1900 and dates before 1582: Iceberg holds them, Parquet only if the session lets it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.functional.project import Project

# .NET's default, the last day of the Julian calendar and one that it does not have; each in a struct, an array and a map, too
TIMES = ["0001-01-01 00:00:00", "1582-10-04 23:59:59.999999", "1582-10-10 12:00:00", "1850-06-01 00:00:00.000001"]
HELD = "id, cast(ts as string) as ts, cast(d as string) as d, to_json(struct(s, m), map('timestampFormat', 'yyyy-MM-dd HH:mm:ss.SSSSSS')) as nested"
NESTED = "named_struct('at', ts, 'days', array(d, null)) as s, map('k', named_struct('at', ts)) as m"
ROWS = f"select id, ts, d, {NESTED} from {{{{ source('src', 'times') }}}} as t"
CAPTURED = f"select id, ts, d, {NESTED} from {{{{ dbt_kinds.changes_of(source('src', 'times')) }}}} as t"
AUDITS: list[Any] = [{"not_null": {"column_name": "ts"}}]
BY_ID = {"unique_key": "id", "start": None}
KINDS: dict[str, tuple[str, str, dict[str, Any]]] = {
    "full_one": ("full", ROWS, {"start": None, "audits": AUDITS}),
    "keyed": ("incremental_by_unique_key", ROWS, {"unique_key": ["id", "date_trunc('year', ts)"], "update_only_changed": True}),
    "captured": ("incremental_by_unique_key", CAPTURED, {**BY_ID, "capture": "snapshot"}),
    "gained": ("append", CAPTURED, {"start": None, "capture": "snapshot"}),
    "tracked_one": ("tracked", ROWS, {"group_key": ["ts"], "start": None}),
    "history": ("scd_type_2_by_column", ROWS, {**BY_ID, "columns": ["ts", "d", "s"]}),
    "dated": ("scd_type_2_by_time", ROWS, {"unique_key": ["id", "d"], "start": None, "updated_at_name": "ts", "updated_at_as_valid_from": True}),
    "by_run": ("scd_type_2_by_column", ROWS, {**BY_ID, "columns": "*", "validity": "run_sequence"}),
}  # fmt: skip


def source(project: Project, name: str = "times") -> None:
    project.sql("create schema if not exists {schema}")
    project.sql(f"create table {{schema}}.{name} (id int, ts timestamp, d date) using iceberg")
    tables = [{"name": name}]
    text = yaml.safe_dump({"sources": [{"name": "src", "schema": project.schema, "tables": tables}]})
    (project.folder / "models" / "sources.yml").write_text(text)


def add(project: Project, *numbers: int) -> None:
    rows = ", ".join(f"({n}, timestamp '{TIMES[n]}', date '{TIMES[n][:10]}')" for n in numbers)
    project.sql(f"insert into {{schema}}.times values {rows}")


REFUSED = {f"spark.sql.parquet.{name}RebaseModeInWrite": "EXCEPTION" for name in ("datetime", "int96")}


@pytest.fixture
def strict(project: Project) -> Project:
    """A project on a server that writes no such times to Parquet, as Spark does by default."""
    project.target["server_side_parameters"] |= REFUSED
    return project


def test_iceberg_holds_them_through_every_kind_that_stages(strict: Project) -> None:
    project = strict
    source(project)
    for name, (kind, query, options) in KINDS.items():
        project.kind(name, query, kind=kind, config="file_format='iceberg'", **options)
    wrong = {}
    for day, numbers in ((2, (0, 1)), (3, (2, 3))):
        add(project, *numbers)
        run = project.dbt("run", now=f"2024-01-0{day}T06:00:00")
        assert run.success, {name: message[:500] for name, message in run.messages.items()}
        for name in KINDS:
            expected = project.rows(f"select {HELD} from (select id, ts, d, {NESTED} from {{schema}}.times)")
            found = project.rows(f"select {HELD} from {{schema}}.{name}")
            if found != expected:
                wrong[name, day] = (found, expected)
    assert wrong == {}
    assert project.sql("select distinct cast(valid_from as string) from {schema}.dated where id = 2") == [(TIMES[2],)]


LANDED = (
    '{"id": 1, "at": "0001-01-01T00:00:00Z", "d": "0001-01-01"}\n{"id": 2, "at": "2024-01-01", "d": "2024-01-01"}\n'
)


def test_a_line_with_one_does_not_block_a_folder(strict: Project, tmp_path: Path) -> None:
    landing = tmp_path / "landing"
    landing.mkdir()
    (landing / "one.json").write_text(LANDED)
    names = (("id", "bigint"), ("at", "timestamp"), ("d", "date"))
    columns = [{"name": name, "data_type": type_} for name, type_ in names]
    meta = {"start": None, "landing": {"path": str(landing)}, "columns": columns}
    strict.kind("landed", "", kind="events", config="file_format='iceberg'", **meta)
    strict.run()
    times = "select id, cast(at as string), cast(d as string) from {schema}.landed order by id"
    assert strict.sql(times)[0] == (1, "0001-01-01 00:00:00", "0001-01-01")

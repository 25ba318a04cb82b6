"""The first table of a model is made from the described columns of its query, which is not evaluated for it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.functional.project import Project

# Spark evaluates such a query as soon as it reads literals, also under `where false`: raise_error is not deterministic
ROWS = """select id, ts, if(id = 3, raise_error('a bad row'), 1) as n, {more} as more
from values (1, timestamp '2024-01-01 12:00:00'), (2, timestamp '2024-01-02 12:00:00'), (3, timestamp '2024-01-03 12:00:00') as t (id, ts)
where ts between {{{{ dbt_kinds.start_dt() }}}} and {{{{ dbt_kinds.end_dt() }}}}"""
NARROW = ROWS.format(more="1")
CONTRACT = {"id": "int", "ts": "timestamp", "n": "int", "more": "int"}
# describe cuts such a struct short
FIELDS = [f"f{number}" for number in range(30)]
WIDE = ROWS.format(more="map('a', array(named_struct(" + ", ".join(f"'{name}', 1" for name in FIELDS) + ")))")
WIDE_TYPE = "map<string,array<struct<" + ",".join(f"{name}:int" for name in FIELDS) + ">>>"
KINDS: dict[str, tuple[str, str, str, dict[str, Any]]] = {
    "contracted": ("incremental_by_time_range", NARROW, "file_format='iceberg'", {}),
    "ranges": ("incremental_by_time_range", WIDE, "file_format='iceberg'", {}),
    "ranges_in_parquet": ("incremental_by_time_range", WIDE, "file_format='parquet', partition_by=['ts']", {}),
    "keyed": ("incremental_by_unique_key", WIDE, "file_format='iceberg'", {"unique_key": "id"}),
    "states": ("cumulative_aggregate", NARROW, "file_format='iceberg'", {"unique_key": "id", "combine": {"ts": "greatest", "n": "add", "more": "add"}}),
    "history": ("scd_type_2_by_column", WIDE, "file_format='iceberg'", {"unique_key": "id", "columns": ["n"]}),
}  # fmt: skip


@pytest.mark.core
def test_a_bad_row_stops_its_own_day_and_none_before_it(project: Project) -> None:
    for name, (kind, query, config, options) in KINDS.items():
        project.kind(name, query, kind=kind, config=config, batch_size=1, **options)
    columns = ", ".join(f"{{name: {name}, data_type: {type}}}" for name, type in CONTRACT.items())
    contract = f"models: [{{name: contracted, config: {{contract: {{enforced: true}}}}, columns: [{columns}]}}]"
    (project.folder / "models" / "contracted.yml").write_text(contract)
    run = project.dbt("run", now="2024-01-04T06:00:00")
    loaded = {name: project.recorded(name) for name in KINDS}
    assert loaded == {name: [["2024-01-01", "2024-01-03"]] for name in KINDS}, run.errors
    assert all("a bad row" in message for message in run.messages.values()), run.messages
    for name in ("ranges", "ranges_in_parquet", "keyed", "history"):
        assert project.sql(f"select distinct typeof(more) from {{schema}}.{name}") == [(WIDE_TYPE,)], name


def test_the_first_table_is_what_query_and_settings_say(project: Project, tmp_path: Path) -> None:
    project.sql("create schema if not exists {schema}")
    project.sql(
        "create table {schema}.raw (id int not null comment 'the shop\\'s key', `odd name` varchar(5), ts timestamp, "
        "s struct<a: int, c: array<string>>) using iceberg"
    )
    project.sql("insert into {schema}.raw values (1, 'one', timestamp '2024-01-01 12:00:00', named_struct('a', 1, 'c', array('x')))")  # fmt: skip
    query = (
        "select * from {{ target.schema }}.raw where ts between {{ dbt_kinds.start_dt() }} and {{ dbt_kinds.end_dt() }}"
    )
    settings = "clustered_by=['id'], buckets=2, tblproperties={'kept': 'yes'}"
    configs = {
        "in_iceberg": "file_format='iceberg', partition_by=['days(ts)'], " + settings,
        "in_parquet": "file_format='parquet', partition_by=['ts'], " + settings,
        "in_orc": "file_format='orc', partition_by=['ts']",
        "placed": f"file_format='parquet', partition_by=['ts'], location_root='{tmp_path}/tables'",
    }
    for name, config in configs.items():
        project.kind(name, query, config=config)
    project.run(now="2024-01-02T06:00:00")
    for name in configs:
        columns = "select id, `odd name`, ts, s from {schema}."
        assert project.rows(columns + name) == project.rows(columns + "raw"), name
        said = project.sql(f"describe table extended {{schema}}.{name}")
        # Spark takes the comments of no query
        assert ("id", "int", "the shop's key" if name != "placed" else None) in said, said
        assert ("odd name", "string") in [row[:2] for row in said]
        facts = " ".join(f"{row[0]}={row[1]}" for row in said)
        assert (f"file:{tmp_path}/tables/placed" in facts) == (name == "placed"), facts
        assert ("kept=yes" in facts) == (name in ("in_iceberg", "in_parquet")), facts
        assert ("days(ts)" in facts and "bucket(2, id)" in facts) == (name == "in_iceberg"), facts
        assert ("Bucket Columns=[`id`]" in facts) == (name == "in_parquet"), facts


def test_a_location_that_holds_files_is_refused(project: Project, tmp_path: Path) -> None:
    left = tmp_path / "tables" / "placed" / "a_file"
    left.parent.mkdir(parents=True)
    left.write_text("of somebody else")
    config = f"file_format='parquet', partition_by=['ts'], location_root='{tmp_path}/tables'"
    project.kind("placed", "select 1 as id, timestamp '2024-01-01' as ts", config=config)
    run = project.dbt("run", now="2024-01-02T06:00:00")
    assert "CREATE-TABLE-AS-SELECT cannot create table with location to a non-empty directory" in run.errors
    assert left.read_text() == "of somebody else"

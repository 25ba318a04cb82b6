"""Files that DuckDB reads as tables, in a compiled project: Spark reads the same rows, in tables and views."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from pathlib import Path

import duckdb
import yaml

from tests.functional.compiled_query import compared
from tests.functional.project import Project
from tests.unit.compiling import written

CSV = (
    'id;name;day;price\n1;"a;b";2024-01-31;1.5\n2;"say ""x""";NA;NA\n3;"two\nlines";2024-02-29;-2\n4;NA;2024-03-01;0\n'
)
ROWS = [{"id": 1, "tags": ["x", "y"], "who": {"name": "a"}}, {"id": 2, "tags": [], "who": None}, {"id": 3}]
QUERIES = {
    "typed": "select id, name, day, price from read_csv(@root || '/orders.csv', delim = ';', header = true, nullstr = 'NA', "
    "columns = {'id': 'INTEGER', 'name': 'VARCHAR', 'day': 'DATE', 'price': 'DOUBLE'})",
    "found": "select id, name, day, price from read_csv_auto(@root || '/plain.csv')",
    "texts": "select * from read_csv(@root || '/orders.csv', delim = ';', header = true, all_varchar = true)",
    "objects": "select id, tags[1] as tag, who.name as who from read_ndjson_auto(@root || '/rows.ndjson.gz')",
    "listed": "select id from read_json(@root || '/list.json', format = 'array')",
    "merged": "select id, more from read_parquet(@root || '/parts/*.parquet', union_by_name = true)",
}


def test_files_have_on_spark_the_rows_that_duckdb_reads(new_project: Callable[[str], Project], tmp_path: Path) -> None:
    data = tmp_path / "data"
    (data / "parts").mkdir(parents=True)
    (data / "orders.csv").write_text(CSV)
    (data / "plain.csv").write_text("id,name,day,price\n1,a,2024-01-31,1.5\n2,,,\n")
    (data / "rows.ndjson.gz").write_bytes(gzip.compress("\n".join(map(json.dumps, ROWS)).encode()))
    (data / "list.json").write_text(json.dumps(ROWS, indent=2))
    duckdb.sql(f"copy (select 1 as id) to '{data}/parts/a.parquet'")
    duckdb.sql(f"copy (select 2 as id, 'm' as more) to '{data}/parts/b.parquet'")
    files = {"config.yaml": f"model_defaults: {{dialect: duckdb, start: 2024-01-01}}\nvariables: {{root: '{data}'}}\n"}
    for name, query in QUERIES.items():
        for kind in ("FULL", "VIEW"):
            files[f"models/{name}_{kind}.sql"] = f"MODEL (name files.{name}_{kind}, kind {kind});\n{query}"
    project = new_project("files")
    report = written(files, project.folder)
    assert not report.summary["refused"], report.all_notes()
    project.settings = yaml.safe_load((project.folder / "dbt_project.yml").read_text()) | {"profile": "local"}
    for selected in ((), ("--select", "typed_full", "typed_view")):
        run = project.dbt("run", *selected)
        assert run.success, run.errors
    for name, query in QUERIES.items():
        expected = compared(duckdb.connect().execute(query.replace("@root", f"'{data}'")).fetchall())
        for kind in ("full", "view"):
            assert compared(project.rows(f"select * from {{schema}}_files.{name}_{kind}")) == expected, (name, kind)

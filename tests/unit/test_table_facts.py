"""What dbt's cache tells of a table, so that a run need not ask: read from the text of `show table extended`."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from tests.unit.macros import Macros

FACTS = {"partitioning": [], "is_view": False, "location": "file:/w/t1.db/m"}
SCHEMA = "Partition Provider: Catalog\nSchema: root\n |-- id: integer (nullable = true)\n |-- Provider: string (nullable = true)\n"


def of_files(provider: str, columns: str = "") -> str:
    return f"Catalog: spark_catalog\nDatabase: t1\nTable: m\nType: MANAGED\nProvider: {provider}\nLocation: file:/w/t1.db/m\n{columns}{SCHEMA}"


def of_iceberg(
    spec: str, fields: str = '{"id":1,"name":"id","type":"int"},{"id":2,"name":"ts","type":"timestamptz"}'
) -> str:
    schema = f'current-schema={{"type":"struct","schema-id":0,"fields":[{fields}]}}, '
    properties = f"[{schema}{spec}table_type=ICEBERG, uuid=1]"
    return f"Type: EXTERNAL\nProvider: hive\nTable Properties: {properties}\nLocation: file:/w/t1.db/m\n{SCHEMA}"


def spec(*fields: tuple[int, str]) -> str:
    written = ",".join(f'{{"name":"f{n}","transform":"{how}","source-id":{n},"field-id":100{n}}}' for n, how in fields)
    return f'default-partition-spec={{"spec-id":0,"fields":[{written}]}}, '


@pytest.mark.parametrize(
    ("information", "expected"),
    [
        (of_files("parquet"), {"file_format": "parquet"}),
        (
            of_files("orc", "Partition Columns: [`day`, `odd name`]\n"),
            {"file_format": "orc", "partitioning": ["day", "odd name"]},
        ),
        (of_iceberg(""), {"file_format": "iceberg", "is_in_hive": True}),
        (
            of_iceberg(spec((2, "day"), (1, "identity"))),
            {"file_format": "iceberg", "is_in_hive": True, "partitioning": ["days(ts)", "id"]},
        ),
    ],
)
def test_what_it_tells(information: str, expected: dict[str, Any]) -> None:
    assert Macros().read_information(information) == FACTS | expected


def test_a_view() -> None:
    assert Macros().read_information("Type: VIEW\nView Text: select 1\nSchema: root\n")["is_view"]


@pytest.mark.parametrize(
    "information",
    [
        of_files("delta"),
        of_files("hive"),
        # a property that was too long for the catalog, a field that Spark writes otherwise, a name that has to be quoted
        of_iceberg("").replace("current-schema=", "x="),
        of_iceberg(spec((1, "bucket[16]"))),
        of_iceberg(spec((2, "day")), '{"id":2,"name":"odd name","type":"timestamptz"}'),
    ],
)
def test_where_it_does_not_tell_spark_is_asked(information: str) -> None:
    assert Macros().read_information(information) is None


@pytest.mark.parametrize(
    ("columns", "setting", "refuses"),
    [
        ("int string", "true", False),
        ("int string date", "true", False),
        ("int", "true", False),
        ("int int", "<undefined>", True),
        ("string string", "true", True),
        ("string string", "false", False),
    ],
)
def test_hive_refuses_other_types_at_the_same_places(columns: str, setting: str, refuses: bool) -> None:
    said: list[str] = []
    macros = Macros(
        run_query=lambda sql: SimpleNamespace(rows=[("setting", setting)]), exceptions=SimpleNamespace(warn=said.append)
    )
    existing = {"columns": [{"name": "a", "type": "int"}, {"name": "b", "type": "string"}], "file_format": "iceberg"}
    options = {"model": "m", "relation": "shop.m", "file_format": "iceberg"}
    wanted = [{"name": "c", "type": kind} for kind in columns.split()]
    assert macros.hive_refuses(options, existing | {"is_in_hive": True}, wanted) is refuses
    assert len(said) == refuses
    assert macros.hive_refuses(options, existing, wanted) is False


@pytest.mark.parametrize(
    ("metrics", "rows"),
    [
        # a session's mapping, which dbt makes JSON of; Thrift's text; pairs
        ({"numFiles": "1", "numOutputRows": "12", "numOutputBytes": "1422"}, 12),
        ('{"numCopiedRows": "4", "numOutputRows": "12"}', 8),
        ('{"numOutputRows":"12","numRemovedFiles":"1"}', 12),
        ('[["numFiles", "1"], ["numOutputRows", "12"]]', 12),
        ({"numOutputRows": 12}, 12),
        ({"numRemovedFiles": "1"}, 0),
        (None, 0),
    ],
)
def test_the_rows_of_a_commit_of_delta(metrics: Any, rows: int) -> None:
    assert Macros().rows_in_metrics(metrics) == rows

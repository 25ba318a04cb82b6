"""What persist_docs writes of a model's descriptions."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from tests.unit.macros import Macros, node

COLUMNS = [
    {"name": "ID", "type": "int"},
    {"name": "v", "type": "int", "comment": "of the source"},
    {"name": "w", "type": "int", "comment": "kept"},
]
WRITTEN = {"id": "isn't C:\\new", "v": "", "gone": "x"}


def described(
    columns: dict[str, str] | None = None, *, persists: bool = True, clause: str = ""
) -> tuple[Macros, list[str]]:
    sent: list[str] = []

    def send(words: str) -> str:
        sent.append(words)
        return ""

    macros = Macros(
        node=node(kind="full")
        | {
            "columns": {name: SimpleNamespace(description=text) for name, text in (columns or {}).items()},
            "description": "a \\ isn't",
        },
        config=SimpleNamespace(persist_column_docs=lambda: persists),
        comment_clause=lambda: clause,
        statement=lambda name, caller: send(caller().strip()),
        persist_docs=lambda relation, model: send(f"dbt's own of {relation}"),
    )
    macros._functions["describe_query"] = lambda sql: COLUMNS
    return macros, sent


def test_a_new_table_has_the_descriptions_that_are_written_and_the_sources_comments_else() -> None:
    macros, _ = described(WRITTEN)
    comments = [column["comment"] for column in macros.with_descriptions(COLUMNS, "iceberg")]
    assert comments == ["isn't C:\\new", "", "kept"]
    macros, _ = described(WRITTEN, persists=False)
    assert [column["comment"] for column in macros.with_descriptions(COLUMNS, "iceberg")] == [
        None,
        "of the source",
        "kept",
    ]


def test_a_backslash_of_a_description_stays_one() -> None:
    macros, _ = described(clause="comment 'a \\ isn\\'t'")
    assert macros.described_table() == "comment 'a \\\\ isn\\'t'"
    macros, _ = described()
    assert macros.described_table() == ""


@pytest.mark.parametrize(
    ("file_format", "write_spec", "sent"),
    [
        (
            "iceberg",
            {},
            [
                "alter table t alter column `ID` comment 'isn\\'t C:\\\\new'",
                "alter table t alter column `v` comment ''",
            ],
        ),
        ("parquet", {"partition_columns": ["`Id`"]}, ["alter table t alter column `v` comment ''", "refresh table t"]),
        (
            "delta",
            {},
            [
                "alter table t alter column `ID` comment 'isn\\'t C:\\\\new'",
                "alter table t alter column `v` comment ''",
            ],
        ),
    ],
)
def test_only_comments_that_differ_are_written(file_format: str, write_spec: dict[str, Any], sent: list[str]) -> None:
    macros, statements = described(WRITTEN)
    macros.describe_columns("t", {"options": {"file_format": file_format}, "write_spec": write_spec})
    assert [" ".join(statement.split()) for statement in statements] == sent


def test_nothing_is_asked_where_nothing_is_described() -> None:
    macros, statements = described()
    macros._functions["describe_query"] = None
    macros.describe_columns("t", {"options": {"file_format": "iceberg"}, "write_spec": {}})
    assert statements == []


def test_a_hive_metastore_gets_as_much_as_it_has_room_for() -> None:
    macros, _ = described({"v": "x" * 300})
    assert [
        len(macros.with_descriptions(COLUMNS, file_format)[1]["comment"])
        for file_format in ("iceberg", "parquet", "orc")
    ] == [300, 256, 256]

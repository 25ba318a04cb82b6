"""The SQL of the kind `tracked`: what is hashed, and which groups are replaced, asked of DuckDB with hashes that are given."""

from __future__ import annotations

from typing import Any

import pytest

from dbt_kinds.simulation.databases import new_database
from tests.unit.macros import CompilerError, Macros, node

MACROS = Macros()


def columns(**types: str) -> list[dict[str, str]]:
    return [{"name": name, "type": kind} for name, kind in types.items()]


def test_columns_are_hashed_by_name_with_whether_they_are_null() -> None:
    one = MACROS.content_hash(columns(k="int", B="string", a="int"), ["K"])
    assert one == MACROS.content_hash(columns(a="int", k="int", B="string"), ["K"])
    assert one == (
        "concat(count(*), ':', cast(sum(cast(xxhash64(`a`, `a` is null, `B`, `B` is null) as decimal(20, 0))) as string))"
    )


def test_of_keys_alone_the_number_decides() -> None:
    assert "xxhash64(0)" in MACROS.content_hash(columns(k="int"), ["k"])


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("int", "c"),
        ("array<int>", "struct(c as value)"),
        ("map<string,int>", "array_sort(transform(map_entries(c), item_0 -> struct(item_0.key as key, item_0.value as value)))"),
        ("array<map<string,int>>", "transform(c, item_0 -> array_sort(transform(map_entries(item_0), item_1 -> struct(item_1.key as key, item_1.value as value))))"),
        ("struct<a:int,m:map<int,int>>", "if(c is null, null, struct(c.`a` as `a`, array_sort(transform(map_entries(c.`m`), item_1 -> struct(item_1.key as key, item_1.value as value))) as `m`))"),
    ],
)  # fmt: skip
def test_nested_values_are_json_and_maps_sorted_lists(kind: str, text: str) -> None:
    hashable = MACROS.hashable("c", MACROS.parse_type(kind))
    assert text in hashable
    assert ("'ignoreNullFields', 'false'" in hashable) == (kind != "int")


WRITER: dict[str, Any] = {
    "key_parts": ["k", "l"],
    "columns": ["k", "l", "v", "hash"],
    "schema": columns(k="int", l="string", v="int", hash="string"),
    "hash_column": "hash",
    "content_hash": "concat('v', string_agg(v, ',' order by v))",
}
SAME = (1, "a", 10, "v10")


def replaced(source: list[tuple[Any, ...]], target: list[tuple[Any, ...]]) -> tuple[list[Any], list[Any]]:
    """The actions, and the table as they would leave it."""
    engine = new_database()
    engine.execute("create macro xxhash64(value) as hash(value)")
    engine.execute("create table source_rows (k int, l varchar, v int)")
    engine.execute("create table target_rows (k int, l varchar, v int, hash varchar)")
    for name, rows in (("source", source), ("target", target)):
        for row in rows:
            engine.execute(f"insert into {name}_rows values ({', '.join('?' * len(row))})", row)
    run_context = {
        "write_spec": WRITER,
        "options": {"content_hash_name": "hash"},
        "existing": {"columns": WRITER["schema"]},
    }
    stored = MACROS.stored_groups("target_rows", run_context)
    actions = duck(MACROS.group_actions(WRITER, "source_rows", stored))
    whole = duck(MACROS.changed_table("target_rows", WRITER, MACROS.changes_of_groups(WRITER, f"({actions})")))
    return (
        sorted(engine.execute(actions).fetchall(), key=str),
        sorted(engine.execute(whole).fetchall(), key=str),
    )


def duck(sql: str) -> str:
    return (
        sql.replace("struct(__kinds_staged.*)", "__kinds_staged")
        .replace("<=>", "is not distinct from")
        .replace("left anti join", "anti join")
        .replace("string)", "varchar)")
    )


def test_equal_groups_are_left_alone() -> None:
    assert replaced([SAME[:3]], [SAME]) == ([], [SAME])


def test_a_group_that_differs_is_deleted_once_and_inserted_whole() -> None:
    source = [(1, "a", 10), (1, "a", 12), (1, "b", 1)]
    actions, whole = replaced(source, [SAME, (1, "a", 11, "v10"), (1, "b", 1, "v1")])
    assert actions == [
        (1, "a", 10, "v10,12", "insert"),
        (1, "a", 12, "v10,12", "insert"),
        (1, "a", None, None, "delete"),
    ]
    assert whole == [(1, "a", 10, "v10,12"), (1, "a", 12, "v10,12"), (1, "b", 1, "v1")]


def test_new_groups_come_and_old_ones_go() -> None:
    actions, whole = replaced([(2, "a", 1)], [SAME, (3, "c", 1, "v1")])
    assert [action[-1] for action in actions] == ["delete", "insert", "delete"]
    assert whole == [(2, "a", 1, "v1")]


def test_a_group_whose_rows_do_not_agree_is_written_anew() -> None:
    for other in (None, "v11"):
        actions, whole = replaced([SAME[:3]], [SAME, (1, "a", 11, other)])
        assert [action[-1] for action in actions] == ["insert", "delete"]
        assert whole == [SAME]


def test_a_group_without_a_key_or_a_hash_goes_too() -> None:
    assert replaced([(None, "a", 10)], [(None, "a", 10, "v10")])[0] == []
    assert replaced([SAME[:3]], [SAME, (None, None, 10, None)])[1] == [SAME]


def test_no_rows_delete_every_group() -> None:
    assert replaced([], [SAME, (2, "b", 1, "v1")])[1] == []


def options(**given: Any) -> dict[str, Any]:
    return dict(MACROS.options(node(kind="tracked", **given)))


def test_a_key_is_a_list_or_a_text() -> None:
    assert options(group_key=["a", "b"])["group_key"] == options(group_key="a, b")["group_key"] == ["a", "b"]
    assert (options(group_key="a")["content_hash_name"], options(group_key="a")["empty_source"]) == (
        "_content_hash",
        "error",
    )


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({}, "group_key 'None' is not a list of columns"),
        ({"group_key": []}, "is not a list of columns"),
        ({"group_key": "a,,b"}, "is not a list of columns"),
        ({"group_key": {"a": 1}}, "is not a list of columns"),
        ({"group_key": "a", "empty_source": "ignore"}, "empty_source 'ignore' is not one of error, keep, delete"),
        ({"group_key": "a", "content_hash_name": ""}, "content_hash_name '' is not a column"),
        ({"group_key": "a", "unique_key": "a"}, "option 'unique_key' belongs to"),
    ],
)
def test_options_that_cannot_be_meant_are_refused(given: dict[str, Any], words: str) -> None:
    with pytest.raises(CompilerError, match=words):
        options(**given)


def test_what_the_query_may_not_have_and_has_to() -> None:
    given = options(group_key=["a"], file_format="iceberg")
    with pytest.raises(CompilerError, match="has a column '_content_hash'"):
        MACROS.group_write_spec(given, columns(a="int", _content_hash="string"), None, "")
    with pytest.raises(CompilerError, match="ColumnNotInOutput: group_key names 'a', and the query has b"):
        MACROS.group_write_spec(given, columns(b="int"), None, "")
    write_spec = MACROS.group_write_spec(given, columns(A="int", b="string"), None, "")
    assert (write_spec["key_parts"], write_spec["columns"], write_spec["source_columns"]) == (
        ["`A`"],
        ["`A`", "`b`", "`_content_hash`"],
        ["`A`", "`b`"],
    )


@pytest.mark.parametrize(
    ("on_query_change", "model_hash", "told"),
    [
        ("rebuild", "h", ("incremental", "incremental", False)),
        ("rebuild", "i", ("backfill", "backfill: sql changed", True)),
        ("forward", "i", ("incremental", "incremental", False)),
    ],
)
def test_another_query_is_compared_or_replaces_the_table(
    on_query_change: str, model_hash: str, told: tuple[str, str, bool]
) -> None:
    load = {"start": "2024-01-01T00:00:00", "end": "2024-01-02T00:00:00", "recorded_at": "2024", "model_hash": "h"}
    given = options(group_key="a", on_query_change=on_query_change)
    run = {"loads": [load], "settings": MACROS.run_settings("orders"), "model_hash": model_hash}
    plan = MACROS.plan_comparison(None, given, run)
    assert (plan["run_type"], plan["reason"], plan["start_anew"]) == told
    assert MACROS.plan_comparison(None, given, run | {"loads": []})["reason"] == "backfill: first run"

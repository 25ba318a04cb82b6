"""duplicate_keys: replace_all, whose runs in DuckDB leave what a plain reference does: of the keys of a batch its rows, of others what there was."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st

from tests.unit.duckdb_runs import DiedError, Warehouse
from tests.unit.macros import CompilerError, Macros, node

Row = tuple[Any, Any]
OPTIONS: dict[str, Any] = {"unique_key": ["k"], "duplicate_keys": "replace_all", "start": "2024-01-01", "null_keys": "match"}  # fmt: skip


def replaced(before: list[Row], batch: list[Row], insert_only: bool) -> list[Row]:
    """The table after a batch."""
    there, arriving = {key for key, _ in before}, {key for key, _ in batch}
    if insert_only:
        return before + [row for row in batch if row[0] not in there]
    return [row for row in before if row[0] not in arriving] + batch


def query(rows: list[Row]) -> str:
    values = [f"({'null' if key is None else key}, {'null' if value is None else repr(value)})" for key, value in rows]
    selected = "select cast(k as int) as k, cast(v as string) as v from (values "
    return selected + ", ".join(values or ["(0, null)"]) + ") as t(k, v)" + ("" if rows else " where false")


def run(warehouse: Warehouse, day: int, rows: list[Row], **given: Any) -> None:
    at = {"kinds_execution_time": f"2024-01-{day:02}T06:00:00"}
    warehouse.run("t", "incremental_by_unique_key", OPTIONS | given, query(rows), at)


def held(warehouse: Warehouse) -> Counter[Row]:
    return Counter(warehouse.database.execute("select k, v from shop.t").fetchall())


ROWS = st.lists(st.tuples(st.sampled_from([1, 2, 3, None]), st.sampled_from(["a", "b", None])), max_size=6)


@settings(max_examples=settings().max_examples // 10, deadline=None)
@given(
    batches=st.lists(ROWS, min_size=2, max_size=4),
    file_format=st.sampled_from(["iceberg", "parquet"]),
    insert_only=st.booleans(),
    only_changed=st.booleans(),
)
def test_rows_of_a_key_are_replaced_together(
    batches: list[list[Row]], file_format: str, insert_only: bool, only_changed: bool
) -> None:
    warehouse, expected = Warehouse(), list[Row]()
    given = {"file_format": file_format, "insert_only": insert_only, "update_only_changed": only_changed}
    for day, batch in enumerate(batches, start=2):
        # the first one creates the table
        expected = replaced(expected, batch, insert_only and day > 2)
        run(warehouse, day, batch, **given)
        assert held(warehouse) == Counter(expected)
        writes = [name for name in warehouse.statements if name in ("merge_changes", "overwrite_table")]
        event(f"written: {bool(writes)}")


@pytest.mark.parametrize("file_format", ["iceberg", "parquet"])
def test_equal_keys_are_not_written_again(file_format: str) -> None:
    warehouse = Warehouse()
    rows: list[Row] = [(1, "a"), (1, "a"), (2, "b"), (None, "c")]
    run(warehouse, 2, rows, file_format=file_format)
    run(warehouse, 3, rows[::-1], file_format=file_format)
    assert {"merge_changes", "overwrite_table"} & set(warehouse.statements) == set()
    run(warehouse, 4, rows[1:], file_format=file_format)
    assert held(warehouse) == Counter(rows[1:])
    assert "fill_stage" in warehouse.statements


@pytest.mark.parametrize("file_format", ["iceberg", "parquet"])
def test_a_run_that_dies_anywhere_is_made_good_by_the_next(file_format: str) -> None:
    first: list[Row] = [(1, "a"), (1, "b"), (2, "c"), (None, "d")]
    second: list[Row] = [(1, "x"), (3, "y"), (3, "y"), (None, "z")]
    whole = Warehouse()
    run(whole, 2, first, file_format=file_format)
    run(whole, 3, second, file_format=file_format)
    expected = Counter(replaced(first, second, insert_only=False))
    assert held(whole) == expected
    last = len(whole.statements)
    for number, done in [*((number, False) for number in range(1, last + 1)), (last, True)]:
        warehouse = Warehouse()
        run(warehouse, 2, first, file_format=file_format)
        warehouse.dies_at, warehouse.dies_after_it = number, done
        with pytest.raises(DiedError):
            run(warehouse, 3, second, file_format=file_format)
        run(warehouse, 3, second, file_format=file_format)
        assert held(warehouse) == expected, f"died at {number} of {whole.statements}"


def test_a_key_may_be_an_expression_and_null_keys_are_refused() -> None:
    warehouse = Warehouse()
    given = {"unique_key": ["k % 10"], "null_keys": "error", "file_format": "iceberg"}
    run(warehouse, 2, [(11, "a"), (21, "b"), (12, "c")], **given)
    run(warehouse, 3, [(31, "x")], **given)
    assert held(warehouse) == Counter([(31, "x"), (12, "c")])
    with pytest.raises(CompilerError, match="NULL in unique_key: 1 of 2 rows"):
        run(warehouse, 4, [(None, "x"), (12, "y")], **given)
    assert held(warehouse) == Counter([(31, "x"), (12, "c")])


@pytest.mark.parametrize(
    ("given", "named"),
    [
        ({"when_matched": "when matched then delete"}, "when_matched"),
        ({"merge_filter": "target.v is null"}, "merge_filter"),
        ({"incremental_predicates": "target.v is null"}, "incremental_predicates"),
        ({"order_by": "v"}, "order_by"),
    ],
)
def test_options_that_say_what_becomes_of_one_row_are_refused(given: dict[str, Any], named: str) -> None:
    with pytest.raises(CompilerError, match=named):
        Macros().options(node(kind="incremental_by_unique_key", **OPTIONS, **given))


@pytest.mark.parametrize("name", ["merge_update_columns", "merge_exclude_columns"])
def test_so_are_the_columns_that_a_merge_updates(name: str) -> None:
    model = node(kind="incremental_by_unique_key", **OPTIONS)
    model["config"][name] = ["v"]
    with pytest.raises(CompilerError, match=f"so {name} has no meaning"):
        Macros().options(model)

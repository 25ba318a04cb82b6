"""Types and names that no table, or no key, can have: refused with the column, the cause and what to write instead."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from tests.unit import cumulative_runs
from tests.unit.macros import CompilerError, Macros, node


def macros(*, catalog: str = "spark_catalog", kind_of_catalog: str = "hive") -> Macros:
    def run_query(sql: str) -> Any:
        return SimpleNamespace(rows=[(catalog,)] if "current_catalog" in sql else [("key", kind_of_catalog)])

    return Macros(run_query=run_query)


@pytest.mark.parametrize(
    ("file_format", "type_text", "said"),
    [
        ("iceberg", "void", "the column 'x' of the query is a null without a type, which no iceberg table can hold; give it one: cast(null as …)"),
        ("parquet", "array<void>", "the column 'x' of the query is a null without a type, within array<void>, which no parquet table can hold; give it one: cast(null as …)"),
        ("delta", "void", None),
        ("iceberg", "interval day to second", "the column 'x' of the query is of type interval day to second, which no iceberg table can hold; make a number or a text of it, such as cast(… as string)"),
        ("parquet", "interval year to month", None),
        ("orc", "interval", "the column 'x' of the query is of type interval, which no orc table can hold; make a number or a text of it, such as cast(… as string)"),
        ("iceberg", "struct<void:int,interval:map<string,date>>", None),
    ],
)  # fmt: skip
def test_a_type_that_the_format_cannot_hold(file_format: str, type_text: str, said: str | None) -> None:
    options, columns = {"model": "orders", "file_format": file_format}, [{"name": "x", "type": type_text}]
    if said is None:
        macros().check_column_types(options, columns)
    else:
        with pytest.raises(CompilerError) as refused:
            macros().check_column_types(options, columns)
        assert str(refused.value) == f"dbt_kinds: model orders: {said}"


@pytest.mark.parametrize(
    ("file_format", "name", "catalog", "is_refused"),
    [
        ("iceberg", "x:y", {}, True),
        ("iceberg", "a b", {"kind_of_catalog": "<undefined>"}, True),
        ("iceberg", "x:y", {"kind_of_catalog": "rest"}, False),
        ("iceberg", "x:y", {"catalog": "lake"}, False),
        ("iceberg", "_1a", {}, False),
        ("parquet", "x;y", {}, True),
        ("parquet", "a b", {}, False),
    ],
)
def test_a_field_whose_name_a_hive_catalog_loses(
    file_format: str, name: str, catalog: dict[str, str], is_refused: bool
) -> None:
    options = {"model": "orders", "file_format": file_format, "relation": "shop.orders"}
    columns = [{"name": "s", "type": f"array<struct<{name}:int>>"}]
    if not is_refused:
        macros(**catalog).check_field_names(options, columns)
        return
    with pytest.raises(CompilerError) as refused:
        macros(**catalog).check_field_names(options, columns)
    assert str(refused.value) == (
        f"dbt_kinds: model orders: the column 's' of the query has a field '{name}', and a Hive catalog cannot give the name back, so that dbt could not list the schema of shop.orders any more; "
        "rename the field in the query, with letters, digits and underscores only"
    )


@pytest.mark.parametrize(
    ("kind", "options", "said"),
    [
        ("incremental_by_unique_key", {"unique_key": "m"}, "unique_key"),
        ("incremental_by_unique_key", {"unique_key": "id", "duplicate_keys": "keep_latest", "order_by": "m"}, "order_by"),
        ("scd_type_2_by_column", {"unique_key": "m", "columns": ["id"]}, "unique_key"),
        ("scd_type_2_by_column", {"unique_key": "m", "columns": "*", "validity": "run_sequence"}, "unique_key"),
        ("cumulative_aggregate", {"unique_key": "m", "combine": {"id": "add"}}, "unique_key"),
    ],
)  # fmt: skip
@pytest.mark.parametrize(
    ("type_", "what", "instead"),
    [
        ("map<string,int>", "maps", "an array of it in the query: array_sort(map_entries(…))"),
        ("variant", "variants", "text of it in the query: to_json(…)"),
    ],
)
def test_what_spark_cannot_compare_is_no_key(
    kind: str, options: dict[str, Any], said: str, type_: str, what: str, instead: str
) -> None:
    columns = [{"name": "id", "type": "int"}, {"name": "m", "type": type_}]
    rendered = Macros(node=node("orders", kind=kind, **options), compiled_code=cumulative_runs.query())
    read = rendered.options(node("orders", kind=kind, **options))
    write_spec = {
        "incremental_by_unique_key": "key_write_spec", "cumulative_aggregate": "cumulative_write_spec", "scd_type_2_by_column": "history_write_spec", "scd_type_2_by_run": "history_write_spec",
    }[read["kind"]]  # fmt: skip
    types = {column["name"]: column for column in columns}
    keys = [types[key] for key in rendered.described_expressions(read)]
    with pytest.raises(CompilerError) as refused:
        getattr(rendered, write_spec)(read, columns, None, "select 1", keys)
    assert str(refused.value) == (
        f"dbt_kinds: model orders: {said} 'm' is a {type_}, and Spark cannot compare {what}; name another column, or make {instead}"
    )


@pytest.mark.parametrize(
    ("type_", "what"),
    [
        *[(type_, "maps") for type_ in ("map<string,int>", "array<map<string,variant>>")],
        *[(type_, "variants") for type_ in ("variant", "array<variant>", "struct<a:int,v:variant>", "struct<v:variant,a:int>")],
        *[(type_, None) for type_ in ("int", "struct<variant:int>", "struct<a:int,variant:string>", "string", "struct<my_variant:int>")],
    ],
)  # fmt: skip
def test_what_spark_cannot_compare_is_found_at_any_depth(type_: str, what: str | None) -> None:
    found = Macros().incomparable(type_)
    assert (found and found["what"]) == what

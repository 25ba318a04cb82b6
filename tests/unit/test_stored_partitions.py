"""Which values of a query Spark would store as NULL, and what is selected instead."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.macros import Macros, of_kind

COLUMNS = [("id", "int"), ("Region", "string"), ("raw", "binary"), ("short", "varchar(3)"), ("padded", "char(3)")]
QUERY = [{"name": name, "type": type_} for name, type_ in COLUMNS]
TABLE = [{"name": name.lower(), "type": type_} for name, type_ in COLUMNS]


def in_place_of(name: str) -> str:
    return f"if(cast(`{name}` as string) in ('', '__HIVE_DEFAULT_PARTITION__'), null, `{name}`) as `{name}`"


def stored_as_null(partitioning: list[str], file_format: str = "parquet", **writer: Any) -> Any:
    given = {"file_format": file_format, "partitioning": partitioning, "schema": TABLE, **writer}
    return Macros().stored_as_null(given, QUERY)


@pytest.mark.parametrize("file_format", ["parquet", "orc", "delta"])
def test_partition_columns_of_text_are_null_where_they_would_be_stored_so(file_format: str) -> None:
    found = stored_as_null(["region", "`raw`", "short", "id"], file_format)
    assert found == {
        "columns": ["Region", "raw", "short"],
        "selected": ["`id`", *map(in_place_of, ["Region", "raw", "short"]), "`padded`"],
    }


def test_a_table_that_holds_every_value_gets_the_query_as_it_is() -> None:
    assert stored_as_null([]) is None
    assert stored_as_null(["id", "padded"]) is None
    assert stored_as_null(["region"], "iceberg") is None
    assert stored_as_null(["bucket(4, region)"]) is None


def test_a_time_column_stays_as_it_is_so_that_sources_are_filtered_by_it() -> None:
    assert stored_as_null(["region"], time_column="`Region`") is None


def test_what_spark_converts_is_left_to_it() -> None:
    numbers = [{"name": "region", "type": "int"}]
    assert stored_as_null(["region"], schema=numbers) is None
    assert (
        Macros().stored_as_null({"file_format": "parquet", "partitioning": ["region"], "schema": TABLE}, numbers)
        is None
    )


@pytest.mark.parametrize(
    ("said", "stored", "differs"),
    [
        ([], ["region"], False),
        (["region"], ["region"], False),
        (["`Region`", "day"], ["day", "region"], False),
        (["day(ts)"], ["days(ts)"], False),
        (["date(ts)", "bucket( 4,ID )"], ["days(ts)", "bucket(4, id)"], False),
        (["days(ts)"], ["days(ts)", "void(region)"], False),
        (["region"], ["day"], True),
        (["region"], [], True),
        (["hours(ts)"], ["days(ts)"], True),
        (["bucket(4, id)"], ["bucket(8, id)"], True),
    ],
)
def test_partitions_are_compared_whatever_their_spelling(said: list[str], stored: list[str], differs: bool) -> None:
    options = of_kind("incremental_by_unique_key", partition_by=said, relation="shop.orders")
    found = Macros().differing_partitions(options, stored)
    assert (found is not None) is differs
    assert Macros().differing_partitions(options | of_kind("full"), stored) is None


def test_a_history_is_not_rebuilt_without_a_warning() -> None:
    macros = Macros()
    assert macros.rebuild_partitions(of_kind("scd_type_2_by_time"), ["day"]) == (
        "rebuild it with --full-refresh, which throws its history away, or set partition_by: [day]"
    )
    assert macros.rebuild_partitions(of_kind("append"), []) == (
        "rebuild it with --full-refresh, or remove partition_by"
    )

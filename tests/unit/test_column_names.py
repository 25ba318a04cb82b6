"""Names that a table's format, or Spark, keeps for itself are refused as columns."""

from __future__ import annotations

import pytest

from tests.unit.macros import CompilerError, Macros, node

RESERVED = ["_file", "_pos", "_partition", "_spec_id", "_deleted", "_row_id", "_last_updated_sequence_number"]
KINDS = [("incremental_by_unique_key", {"unique_key": "id"}), ("full", {}), ("tracked", {"group_key": "id"})]


def check(name: str, file_format: str, kind: str = "full", **meta: str) -> None:
    macros = Macros(node={"name": "orders", "unique_id": "model.shop.orders"})
    options = macros.options(node(kind=kind, file_format=file_format, **meta))
    macros.check_column_names(options, [{"name": "id", "type": "int"}, {"name": name, "type": "string"}])


@pytest.mark.parametrize("name", RESERVED)
@pytest.mark.parametrize(("kind", "meta"), KINDS)
def test_a_name_that_iceberg_reserves_is_refused(name: str, kind: str, meta: dict[str, str]) -> None:
    with pytest.raises(CompilerError, match=f"the column '{name}' has a name that Iceberg reserves"):
        check(name, "iceberg", kind, **meta)


@pytest.mark.parametrize("file_format", ["parquet", "orc"])
@pytest.mark.parametrize("name", ["_metadata", "_METADATA"])
def test_a_name_that_hides_the_files_of_a_table_is_refused(name: str, file_format: str) -> None:
    with pytest.raises(CompilerError, match=f"the column '{name}' has the name under which Spark tells the files"):
        check(name, file_format)


def test_other_formats_keep_other_names() -> None:
    for name in RESERVED:
        check(name, "parquet")
        check(name, "delta")
    for name in ("_metadata", "_FILE", "_change_type", "file_path"):
        check(name, "iceberg")

"""A query without rows makes every key of a history look deleted: empty_source says what then happens, with DuckDB in Spark's place."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit import scd2_sql as scd2
from tests.unit.duckdb_runs import Warehouse
from tests.unit.macros import CompilerError, Macros, node
from tests.unit.test_scd2_runs import stored

COLUMNS = [("id", "int"), ("price", "int"), ("updated_at", "timestamp")]
ROWS = [["1", "10", "2024-01-01 00:00:00"], ["2", "20", "2024-01-01 00:00:00"]]
OPTIONS: dict[str, Any] = {"unique_key": "id", "invalidate_hard_deletes": True, "start": "2024-01-01"}
KINDS: dict[str, dict[str, Any]] = {"scd_type_2_by_time": {}, "scd_type_2_by_column": {"columns": "*"}}


class History:
    """A table of versions, and the source that is merged into it day by day."""

    def __init__(self, kind: str, file_format: str, **options: Any) -> None:
        self.warehouse, self.kind = Warehouse(), kind
        self.options = OPTIONS | KINDS[kind] | {"file_format": file_format} | options
        self.days = 1

    def run(self, rows: list[list[str]], **variables: Any) -> None:
        self.days += 1
        self.warehouse.said.clear()
        now = {"kinds_execution_time": f"2024-01-0{self.days}T06:00:00"}
        self.warehouse.run("prices", self.kind, self.options, scd2.rows_sql(COLUMNS, rows), now | variables)

    @property
    def is_open(self) -> list[bool]:
        """Of every version, in order of id, whether it is open."""
        return [row[1] is None for row in stored(self.warehouse, "prices", ["id", "valid_to"])]

    @property
    def said(self) -> str:
        return "\n".join(self.warehouse.said)


each_kind = pytest.mark.parametrize("kind", KINDS)
each_format = pytest.mark.parametrize("file_format", ["iceberg", "parquet"])


@each_kind
@each_format
def test_every_version_is_closed_with_a_warning_that_counts_them(kind: str, file_format: str) -> None:
    history = History(kind, file_format)
    history.run(ROWS)
    history.run([])
    assert history.is_open == [False, False]
    assert (
        "model prices: the query returned no rows in the batch 2024-01-02T00:00:00 to 2024-01-03T00:00:00, "
        in history.said
    )
    assert "which closes 2 open versions of shop.prices; set empty_source: keep to leave them open" in history.said
    # nothing is left to close
    history.run([])
    assert "returned no rows" not in history.said


@each_kind
@each_format
def test_keep_leaves_them_open_and_delete_closes_them_without_a_word(kind: str, file_format: str) -> None:
    for setting, is_open in (("keep", True), ("delete", False)):
        history = History(kind, file_format, empty_source=setting)
        history.run(ROWS)
        history.run([])
        assert history.is_open == [is_open, is_open]
        assert ("empty_source: keep leaves 2 open versions of shop.prices as they are" in history.said) is is_open
        assert "set empty_source" not in history.said
        # the batch is recorded, and keys that come back or stay are merged as ever
        history.run(ROWS[:1])
        assert history.is_open == ([True, False] if is_open else [False, True, False])


@each_kind
@each_format
def test_error_stops_before_anything_is_written(kind: str, file_format: str) -> None:
    history = History(kind, file_format, empty_source="error")
    # no version is open before the first load
    history.run([])
    history.run(ROWS)
    loaded = [event for event in history.warehouse.log if event["event"] == "loaded"]
    with pytest.raises(
        CompilerError, match=r"the query returned no rows .* set empty_source: delete, or empty_source: keep"
    ):
        history.run([])
    assert history.is_open == [True, True]
    assert [event for event in history.warehouse.log if event["event"] == "loaded"] == loaded
    history.run(ROWS[:1])
    assert history.is_open == [True, False]


@each_kind
def test_some_keys_that_are_gone_are_no_empty_source(kind: str) -> None:
    for rows in (ROWS[:1], [["3", "30", "2024-01-02 00:00:00"]], [["2", "20", "2024-01-02 12:00:00"]]):
        history = History(kind, "iceberg", empty_source="error")
        history.run(ROWS)
        history.run(rows)
        assert "returned no rows" not in history.said


def test_a_restatement_is_refused_before_the_history_is_put_back() -> None:
    history = History("scd_type_2_by_column", "iceberg", empty_source="error", disable_restatement=False)
    history.run(ROWS)
    history.run(ROWS[:1])
    assert history.is_open == [True, False]
    with pytest.raises(CompilerError, match="the query returned no rows"):
        history.run([], kinds_start="2024-01-03", kinds_end="2024-01-04")
    assert history.is_open == [True, False]


@each_kind
def test_without_hard_deletes_the_option_means_nothing_and_is_refused(kind: str) -> None:
    options = OPTIONS | KINDS[kind] | {"invalidate_hard_deletes": False, "empty_source": "keep"}
    with pytest.raises(CompilerError, match="empty_source says what a query without rows does"):
        Macros().options(node(kind=kind, **options))
    with pytest.raises(CompilerError, match="empty_source 'ignore' is not one of"):
        Macros().options(node(kind=kind, **OPTIONS | KINDS[kind] | {"empty_source": "ignore"}))

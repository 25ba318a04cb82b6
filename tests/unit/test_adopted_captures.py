"""What adopt records of a model that loads what its sources gained."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.macros import CompilerError, Macros, node

TODAY = [["2024-01-09T00:00:00", "2024-01-10T00:00:00"]]
RUN = {"recorded_at": "2024-01-08T00:00:00", "model_hash": "h"}
STATED = {"recorded_at": "2024-01-08T00:00:00", "model_hash": ""}


def appended(capture: str) -> dict[str, Any]:
    given = {"cursor": "id"} if capture == "cursor" else {}
    return dict(Macros().options(node(kind="append", capture=capture, start=None, **given)))


@pytest.mark.parametrize(
    ("capture", "loads", "versions", "adopted"),
    [
        ("snapshot", [], None, TODAY),
        ("cursor", [], None, TODAY),
        # a run, or an adoption, says where the next one goes on
        ("snapshot", [RUN], {"raw.src": "iceberg 1"}, []),
        ("snapshot", [STATED], {"raw.src": "iceberg 1"}, []),
        # a run of a version that noted none is read again whole, and is no statement
        ("snapshot", [RUN], None, []),
        # the operation record says nothing of the sources
        ("snapshot", [STATED], None, TODAY),
        ("cursor", [STATED], None, []),
    ],
)
def test_a_capture_is_adopted_unless_it_is_known_where_it_goes_on(
    capture: str, loads: list[dict[str, Any]], versions: dict[str, str] | None, adopted: list[list[str]]
) -> None:
    macros = Macros(log=lambda *words, **settings: "")
    macros._functions |= {"loads_of": lambda relation: loads, "recorded_versions": lambda options, load: versions}
    assert macros.adopted_capture(appended(capture), None) == adopted


@pytest.mark.parametrize(
    ("capture", "position"),
    [("snapshot", "what its sources are now"), ("cursor", "the greatest id of its table")],
)
def test_a_capture_cannot_be_adopted_up_to_a_day(capture: str, position: str) -> None:
    with pytest.raises(CompilerError) as refused:
        Macros().adopted_capture(appended(capture), "2024-01-05")
    assert str(refused.value) == (
        f"dbt_kinds: model orders: a model with capture: {capture} goes on from {position}, so until does not apply; "
        "bring the table up to date, and adopt it without until"
    )


def versions_of(kind: str, capture: str | None, **found: str | None) -> Any:
    """What is recorded of tables: `src` is a source, all others are tables of files that a kind writes."""
    nodes = {
        name: {"resource_type": "source" if name == "src" else "model", "config": {"materialized": "full"}}
        for name in found
    }
    macros = Macros()
    macros._functions |= {"tables_read": lambda read, sql: nodes, "table_versions": lambda read, of, sql: dict(found)}
    given = {"capture": capture} if capture else {}
    key = {"unique_key": "id"} if kind == "incremental_by_unique_key" else {}
    model = node(kind=kind, start=None, **given, **key)
    recorded = macros.adopted_versions(model, macros.options(model))
    return recorded["versions"] if recorded is not None else None


def test_the_versions_of_all_tables_that_a_capture_reads_are_recorded() -> None:
    assert versions_of("append", "snapshot", src="iceberg 5", b="delta 2") == {"src": "iceberg 5", "b": "delta 2"}
    # a parent that is adopted next has not changed by it
    assert versions_of("incremental_by_unique_key", "snapshot", src="iceberg 5", b=None) == {
        "src": "iceberg 5",
        "b": "recorded never",
    }
    assert versions_of("incremental_by_unique_key", "snapshot", src=None) == {"src": None}
    assert versions_of("append", None, src="iceberg 5") is None


def test_an_append_whose_tables_keep_no_versions_is_not_adopted() -> None:
    with pytest.raises(CompilerError) as refused:
        versions_of("append", "snapshot", src=None)
    assert "src has no snapshots, so its new rows cannot be determined" in str(refused.value)


@pytest.mark.parametrize(
    ("events", "version"),
    [
        ([], None),
        ([{"recorded_at": "2024-01-02"}, {"recorded_at": "2024-01-03"}], "recorded 2024-01-03"),
        # an adoption writes no row
        ([{"recorded_at": "2024-01-02"}, {"recorded_at": "2024-01-03", "source": "adopt"}], "recorded 2024-01-02"),
        ([{"recorded_at": "2024-01-03", "source": "adopt"}], "recorded never"),
    ],
)
def test_the_version_of_a_table_of_files_is_its_last_load(events: list[dict[str, Any]], version: str | None) -> None:
    macros = Macros()
    macros._functions |= {
        "relation_of_node": lambda read: "shop.b", "relation_type": lambda relation: "table",
        "describe_table": lambda relation: {"file_format": "parquet"}, "events_of": lambda relation: events,
    }  # fmt: skip
    read = {
        "resource_type": "model",
        "config": {"materialized": "full"},
        "database": None,
        "schema": "shop",
        "alias": "b",
    }
    assert macros.table_version(read) == version

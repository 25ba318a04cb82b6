"""Which announced write of a relation is still open: what a run that died leaves for the next one to find out."""

from __future__ import annotations

from itertools import accumulate
from typing import Any

import pytest
import sqlglot
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlglot import exp

from dbt_kinds.simulation.databases import database_like_spark
from tests.unit.macros import Macros

MACROS = Macros()


def event(name: str, moment: int, start: int = 3, end: int = 4, relation: str = "shop.log") -> dict[str, Any]:
    return {
        "event": name,
        "relation": relation,
        "recorded_at": f"2024-01-05T00:00:{moment:02}.000000",
        "interval_start": f"2024-01-{start:02}T00:00:00",
        "interval_end": f"2024-01-{end:02}T00:00:00",
    }


@pytest.mark.parametrize(
    "later",
    [
        [],
        [event("claimed", 2), event("failed", 2), event("released", 3)],
        [event("audit_failed", 2)],
        # what a rebuild takes back stands in one append with its announcement
        [event("invalidated", 1, 1, 9)],
    ],
)
def test_a_write_is_open_until_something_tells_its_end(later: list[dict[str, Any]]) -> None:
    pending = event("pending", 1)
    assert MACROS.announced_write([event("loaded", 0), pending, *later]) == pending


@pytest.mark.parametrize(
    "later",
    [
        [event("loaded", 2)],
        [event("loaded", 2, 1, 9)],
        [event("invalidated", 2, 3, 5)],
        [event("settled", 2)],
        # the first batch of a restatement that begins in a gap
        [event("loaded", 2, 1, 2)],
    ],
)
def test_whatever_is_recorded_of_its_table_closes_it(later: list[dict[str, Any]]) -> None:
    assert MACROS.announced_write([event("pending", 1), *later]) is None


def test_the_newest_announcement_stands_for_all() -> None:
    newer = event("pending", 3, 5, 6)
    assert MACROS.announced_write([event("pending", 1), newer]) == newer


def read_store(log: list[dict[str, Any]]) -> Macros:
    """A run that has read a log from a store."""
    database = database_like_spark()
    columns = ["event", "relation", "recorded_at", "interval_start", "interval_end", "details"]
    database.execute(f"create table store ({' varchar, '.join(MACROS.store_columns())} varchar)")
    for row in log:
        database.execute(
            f"insert into store ({', '.join(columns)}) values (?, ?, ?, ?, ?, ?)", [row.get(name) for name in columns]
        )

    def query_rows(sql: str, by: str | None = None) -> list[dict[str, Any]]:
        tree = sqlglot.parse_one(sql, read="spark").transform(joined_list)
        found = database.execute(tree.sql("duckdb"))
        names = [column[0] for column in found.description]
        return [without_nulls(dict(zip(names, row, strict=True))) for row in found.fetchall()]

    macros = Macros(invocation_id="run")
    macros._functions.update(
        store_source=lambda: "store", store_key=lambda: "shop.store", query_rows=query_rows,
        _relations_of_run=lambda: {"shop.log": True},
    )  # fmt: skip
    return macros


def joined_list(node: exp.Expr) -> exp.Expr:
    """DuckDB 1 makes one text of a list in concat_ws."""
    if isinstance(node, exp.ConcatWs) and isinstance(node.expressions[1], exp.ArrayAgg):
        return exp.ArrayToString(this=node.expressions[1], expression=node.expressions[0])
    return node


def without_nulls(value: Any) -> Any:
    """As Spark writes rows to JSON."""
    if isinstance(value, dict):
        return {name: without_nulls(each) for name, each in value.items() if each is not None}
    return [without_nulls(each) for each in value if each is not None] if isinstance(value, list) else value


EVENTS = [
    "pending",
    "loaded",
    "invalidated",
    "settled",
    "claimed",
    "released",
    "failed",
    "audit_failed",
    "audit_warned",
]


# events of one append have one moment
@settings(max_examples=settings().max_examples // 4)
@given(st.lists(st.tuples(st.sampled_from(EVENTS), st.integers(0, 1), st.integers(1, 4)), max_size=6))
def test_the_store_read_by_a_run_and_its_log_under_the_lease_agree(drawn: list[tuple[str, int, int]]) -> None:
    moments = accumulate(later for _, later, _ in drawn)
    log = [event(name, moment, day, day + 1) for (name, _, day), moment in zip(drawn, moments, strict=True)]
    found, under_lease = read_store(log).open_write("shop.log"), MACROS.announced_write(log)
    # of two announcements of one moment, which no run makes, any counts
    open_since = [write and write["recorded_at"] for write in (found, under_lease)]
    assert open_since[0] == open_since[1]
    assert found is None or any(found.items() <= row.items() for row in log)


def test_an_operation_that_records_another_interval_leaves_it_open() -> None:
    pending = event("pending", 1) | {"details": "{}", "invocation_id": "died"}
    again = MACROS.still_pending(pending, [["2024-01-04T00:00:00", "2024-01-05T00:00:00"]])
    assert [(row["event"], row["interval_start"], row["details"]) for row in again] == [
        ("pending", "2024-01-03T00:00:00", "{}")
    ]
    assert not {"recorded_at", "invocation_id"} & {*again[0]}
    assert MACROS.still_pending(pending, [["2024-01-01T00:00:00", "2024-01-05T00:00:00"]]) == []
    assert MACROS.still_pending(None, [["2024-01-01T00:00:00", "2024-01-05T00:00:00"]]) == []


def test_a_compaction_keeps_what_is_open() -> None:
    old = [event("loaded", 0, 1, 3), event("pending", 1), event("settled", 2), event("pending", 3)]
    # loads count as made at the newest moment of the store
    compacted_at = event("loaded", 9)["recorded_at"]
    compacted = MACROS.compacted_events(old, compacted_at)
    assert [(row["event"], row["interval_start"], row["interval_end"]) for row in compacted] == [
        ("pending", "2024-01-03T00:00:00", "2024-01-04T00:00:00"),
        ("loaded", "2024-01-01T00:00:00", "2024-01-03T00:00:00"),
    ]
    loads = [row | {"recorded_at": compacted_at} for row in compacted[1:]]
    assert MACROS.announced_write([compacted[0], *loads]) == compacted[0]
    assert MACROS.compacted_events([*old, event("loaded", 4)], compacted_at)[0]["event"] == "loaded"


@pytest.mark.parametrize(
    ("versions", "known"), [({2: "1", 3: "2"}, {3: "2"}), ({2: "1"}, {3: ""}), ({}, {3: ""})], ids=str
)
def test_the_details_of_the_newest_load_are_read_if_they_have_versions(
    versions: dict[int, str], known: dict[int, str]
) -> None:
    log = [event("loaded", moment, moment, moment + 1) for moment in (1, 2, 3)] + [event("invalidated", 4, 1, 2)]
    for row in log:
        row["details"] = None
        if row["recorded_at"][17:19] in (f"{moment:02}" for moment in versions):
            row["details"] = '{"versions": "' + versions[int(row["recorded_at"][17:19])] + '"}'
    found = [row for row in read_store(log).events_of("shop.log") if "details" in row]
    expected = {moment: f'{{"versions": "{text}"}}' if text else "" for moment, text in known.items()}
    assert {int(row["recorded_at"][17:19]): row["details"] for row in found} == expected

"""What a run remembers: each thing has one place in the macros that names it, and what is known of a table's events one that adds to them."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from tests.unit.macros import MACROS, Macros


def files_with(pattern: str) -> dict[str, set[str]]:
    """What a pattern finds in the macros, and in which files."""
    found: dict[str, set[str]] = {}
    for file in sorted(MACROS.rglob("*.sql")):
        for text in re.findall(pattern, file.read_text()):
            found.setdefault(text, set()).add(str(file.relative_to(MACROS)))
    return found


def test_each_name_of_a_runs_memory_belongs_to_one_file() -> None:
    # a name that is computed would escape this
    assert list(files_with(r"dbt_kinds\.run_memory\((?!'[a-z_]+'\))")) == []
    named = files_with(r"dbt_kinds\.run_memory\('([a-z_]+)'\)")
    assert "logs" in named and {name: files for name, files in named.items() if len(files) > 1} == {}


def test_one_macro_adds_events() -> None:
    assert files_with(r"call statement\('append_events'\)") == {
        "call statement('append_events')": {"store/append_events.sql"}
    }
    # `plan` expects what its runs would record
    assert files_with(r"dbt_kinds\.add_to_log\(") == {
        "dbt_kinds.add_to_log(": {"operations/plan.sql", "store/append_events.sql", "store/waiting_records.sql"}
    }


def row(event: str, day: int, **columns: Any) -> dict[str, Any]:
    interval = {"interval_start": f"2024-01-{day:02}T00:00:00", "interval_end": f"2024-01-{day + 1:02}T00:00:00"}
    return {"event": event, "recorded_at": f"2024-02-{day:02}T00:00:00.000000", **interval, **columns}


VIEWS: dict[str, Callable[[Macros], Any]] = {
    "events_of": lambda macros: macros.events_of("shop.t"),
    "loads_of": lambda macros: macros.loads_of("shop.t"),
    "followed_loads_of": lambda macros: macros.followed_loads_of("shop.t"),
    "coverage": lambda macros: macros.coverage("shop.t"),
    "open_write": lambda macros: macros.open_write("shop.t"),
    "last_note": lambda macros: macros.last_note("shop.t"),
    "noted_sources": lambda macros: macros.noted_sources("shop.t"),
    "recorded_batches": lambda macros: macros.recorded_batches({"relation": "shop.t", "batch_size": None, "unit": None}),
}  # fmt: skip
ADDED = [
    row("loaded", 1, kind="scd_type_2_by_time", details='{"instant": "2024-01-02T00:00:00"}'),
    row("pending", 2, details='{"write": "append"}'),
    row("loaded", 2, details='{"sources": {"raw.a": {"snapshot": 1}}}'),
    row("invalidated", 1),
    row("settled", 4, source="noted", details='{"versions": {}}'),
    row("loaded", 5, source="adopt"),
    row("pending", 6, details='{"write": "merge"}'),
    row("settled", 7),
    row("invalidated", 8, kind="scd_type_2_by_time", details='{"restated_from": "2024-01-01T00:00:00"}'),
    row("loaded", 9),
]


def run_that_knows(rows: list[dict[str, Any]]) -> Macros:
    macros = Macros(invocation_id="run")
    macros.run_memory("logs")["shop.t"] = macros.new_log(list(rows))
    return macros


def test_every_view_of_a_log_is_the_same_after_each_event_as_if_it_were_read() -> None:
    run = run_that_knows([])
    for number, added in enumerate(ADDED, start=1):
        for view in VIEWS.values():
            view(run)
        run.add_to_log("shop.t", added)
        read = run_that_knows(ADDED[:number])
        assert {name: view(run) for name, view in VIEWS.items()} == {name: view(read) for name, view in VIEWS.items()}


def test_every_view_forgets_what_others_replaced() -> None:
    run, read = run_that_knows(ADDED), run_that_knows(ADDED[:3])
    for view in VIEWS.values():
        view(run)
    run.replace_log("shop.t", ADDED[:3])
    assert {name: view(run) for name, view in VIEWS.items()} == {name: view(read) for name, view in VIEWS.items()}


LINES: dict[str, Any] = {
    "relation": "shop.t",
    "lines": "loaded 2024-01-01T00:00:00 2024-01-02T00:00:00 2024-02-01T00:00:00.000000 2024-02-01T00:00:00.000000 2024-02-01T00:00:00 a",
    "rows": [],
    "newest_details": None,
}


def test_two_threads_that_read_a_log_at_once_have_the_same_one() -> None:
    run = Macros(invocation_id="run")
    run.run_memory("texts")["shop.t"] = LINES
    parse_events, seen = run._functions["parse_events"], list[Any]()

    def parse_while_another_reads(relation: str, lines: str) -> Any:
        run._functions["parse_events"] = parse_events
        seen.append(run.log_of("shop.t"))
        run.add_to_log("shop.t", row("loaded", 2))
        return parse_events(relation, lines)

    run._functions["parse_events"] = parse_while_another_reads
    log = run.log_of("shop.t")
    assert log is seen[0]
    assert [row["interval_start"][:10] for row in log["rows"]] == ["2024-01-01", "2024-01-02"]


def test_a_thread_that_still_computes_a_view_does_not_hide_an_event_added_meanwhile() -> None:
    run = run_that_knows(ADDED[:1])
    fold_events = run._functions["fold_events"]

    def fold_while_another_adds(events: list[dict[str, Any]]) -> Any:
        run._functions["fold_events"] = fold_events
        run.add_to_log("shop.t", row("loaded", 2))
        return fold_events(events)

    run._functions["fold_events"] = fold_while_another_adds
    assert len(run.loads_of("shop.t")) == 1
    assert len(run.loads_of("shop.t")) == 2
    assert run.coverage("shop.t") == [["2024-01-01T00:00:00", "2024-01-03T00:00:00"]]

"""What plan, status and history print, from what the operations answer."""

from __future__ import annotations

import io
from dataclasses import replace
from typing import Any

import pytest
from rich.console import Console

from dbt_kinds.operate.answers import Lease, Run
from dbt_kinds.operate.history import history_table
from dbt_kinds.operate.intervals import count_text, duration_text, instant_text
from dbt_kinds.operate.plan import Estimate, PlanTable, plan_summary, plans_of
from dbt_kinds.operate.status import ModelStatus, status_table
from tests.unit.operator_answers import DONE, HISTORY, LEASE, PLAN, STATUS, model


def printed(table: Any, *, encoding: str = "utf-8", width: int = 200) -> list[str]:
    raw = io.BytesIO()
    file = io.TextIOWrapper(raw, encoding=encoding, write_through=True)
    Console(file=file, width=width).print(table)
    return [line.rstrip() for line in raw.getvalue().decode(encoding).splitlines()]


def status_lines(*models: dict[str, Any], **how: Any) -> list[str]:
    return printed(status_table([ModelStatus.of(given) for given in models]), **how)


def test_status_tells_coverage_gaps_the_last_run_and_the_lease() -> None:
    assert status_lines(*STATUS["models"]) == [
        "model     unit  covered                   missing                         last run",
        "events    hour  ███████████████████████▶  2024-06-29 to 2024-06-30 08:00  running 2024-06-30 07:52",
        "                2024-01-01 to 2024-06-29",
        "new       day   nothing                   no start is set and             none",
        "                                          nothing is recorded",
        "orders    day   ████████████████████████  nothing                         done 2024-06-30 08:00",
        "                2024-01-01 to 2024-06-30                                  1,234 rows, 26 s",
        "payments  day   ████▚▚▚▚███████████████░  2024-02-01 to 2024-03-01        failed 2024-06-30 08:00",
        "                2024-01-01 to 2024-02-01  2024-06-29 to 2024-06-30",
        "                2024-03-01 to 2024-06-29",
        "",
        "█ loaded   ▶ running   ▚ invalidated   ░ missing",
        "",
        "events: lease held, since 2024-06-30 07:52:11, invocation 33333333-cccc, last sign of life 2024-06-30 08:03:21, expires 2024-06-30 09:03:21, by worker-3/4711/local-1719734011",
        "payments: last run failed: [PARSE_SYNTAX_ERROR] Syntax error at or near 'form'",
    ]  # fmt: skip


def test_status_tells_what_an_audit_refused_and_what_was_published_without() -> None:
    failed = {"audit": "not_null_id", "failures": 3, "start": "2024-03-01T00:00:00", "end": "2024-04-01T00:00:00"}
    audits = {"failed": [failed], "skipped": [["2024-05-01T00:00:00", "2024-06-01T00:00:00"]]}
    lines = status_lines(model("orders", audits=audits))
    assert "✗" in lines[1] and "▓" in lines[1]
    assert "✗ audit failed" in "\n".join(lines)
    assert "orders: audit not_null_id failed: 3 failures in 2024-03-01 to 2024-04-01, not published" in lines
    assert "orders: published without audits: 2024-05-01 to 2024-06-01" in lines


def test_a_run_that_was_refused_is_told_by_status_and_history() -> None:
    run = DONE | {
        "state": "refused",
        "loaded": [],
        "ended_at": "2024-06-30T08:24:31.000002",
        "message": "no column 'day'",
    }
    lines = status_lines(model("orders", last_run=run))
    assert lines[1].split()[-3:] == ["refused", "2024-06-30", "08:24"]
    assert lines[-1] == "orders: last run refused: no column 'day'"
    assert "no column 'day'" in printed(history_table([Run.of(run)]))[2]


def test_history_tells_what_audits_found() -> None:
    finding = {"audit": "few_rows", "failures": 1, "start": "2024-03-01T00:00:00", "end": "2024-03-02T00:00:00"}
    run = DONE | {"audits": [finding | {"severity": "warn"}]}
    lines = [line.strip() for line in printed(history_table([Run.of(run)]))]
    assert "audit few_rows warned: 1 failure in 2024-03-01 to 2024-03-02" in lines


def test_a_terminal_of_80_columns_shows_every_bar_whole() -> None:
    words = " ".join(status_lines(*STATUS["models"], width=80)).split()
    assert {"█" * 23 + "▶", "█" * 24, "████▚▚▚▚███████████████░"} <= set(words)


def test_status_prints_no_block_where_the_terminal_has_none() -> None:
    lines = status_lines(STATUS["models"][3], encoding="ascii")
    assert "####xxxx###############." in lines[1]
    assert lines[5] == "# loaded   x invalidated   . missing"


def test_status_of_an_older_package_without_the_new_keys() -> None:
    old = {key: value for key, value in model("orders").items() if key not in ("invalidated", "lease", "last_run")}
    assert status_lines(old)[1].split() == ["orders", "day", "█" * 24, "nothing", "none"]
    assert status_lines({"model": "model.shop.orders"})[1].split() == ["orders", "nothing", "none"]


def test_status_of_no_model_is_a_heading() -> None:
    assert len(status_lines()) == 1


def test_text_that_looks_like_markup_is_printed_as_it_is() -> None:
    run = DONE | {"state": "failed", "message": "no such column [/red] [bold]id"}
    assert any("no such column [/red] [bold]id" in line for line in status_lines(model("a", last_run=run)))
    assert any("no such column [/red] [bold]id" in line for line in printed(history_table([Run.of(run)])))


def test_a_lease_that_is_dead_says_that_it_does_not_block() -> None:
    assert Lease.of(LEASE | {"is_live": False}).lines()[0] == "dead, the next run takes over, since 2024-06-30 07:52:11"
    assert ModelStatus.of(model("a", lease=LEASE | {"is_live": False})).running == []
    assert Lease.of({"invocation_id": "1"}).lines() == ["dead, the next run takes over", "invocation 1"]


def test_plan_tells_batches_and_why() -> None:
    assert printed(PlanTable(plans_of(PLAN))) == [
        "model     unit  batches  would load                why",
        "events    day        30  2024-01-01 to 2024-01-02  first load",
        "                         2024-01-02 to 2024-01-03",
        "                         2024-01-03 to 2024-01-04",
        "                         … 26 more …",
        "                         2024-01-30 to 2024-01-31",
        "orders    day         0  nothing                   up to date until 2024-06-30T00:00:00",
        "payments  day         1  2024-06-28 to 2024-06-30  1 missing, 1 looked back",
    ]  # fmt: skip


def test_a_plan_of_80_columns_breaks_no_name() -> None:
    _, orders, payments = plans_of(PLAN)
    named = replace(payments, model="model.shop.payments_of_last_year", estimate=Estimate(34, 105, 3))
    assert printed(PlanTable([orders, named]), width=80) == [
        "model                  unit  batches  would load, and why",
        "orders                 day         0  nothing",
        "                                      up to date until 2024-06-30T00:00:00",
        "payments_of_last_year  day         1  2024-06-28 to 2024-06-30",
        "                                      ~34 s, ~105 rows",
        "                                      1 missing, 1 looked back",
    ]  # fmt: skip


def test_plan_in_one_sentence() -> None:
    events, orders, payments = plans_of(PLAN)
    assert plan_summary([events, orders, payments]) == "31 batches in 2 models; nothing to do in 1 more."
    assert plan_summary([payments]) == "1 batch in 1 model."
    assert plan_summary([orders]) == "Nothing to do: 1 model looked at."


def test_a_refused_plan_is_neither_work_nor_nothing_to_do() -> None:
    refusal = {"model": "model.shop.refunds", "reason": "refused: no start", "refused": "no start"}
    events, orders, payments, refunds = plans_of({"plans": [*PLAN["plans"], refusal]})
    assert plan_summary([events, orders, payments, refunds]) == (
        "31 batches in 2 models; nothing to do in 1 more; 1 refused: refunds."
    )
    assert plan_summary([orders, refunds]) == "Nothing to do: 1 model looked at; 1 refused: refunds."
    assert plan_summary([refunds]) == "1 refused: refunds."
    assert printed(PlanTable([orders, refunds]))[1:] == [
        "orders   day         0  nothing     up to date until 2024-06-30T00:00:00",
        "refunds                 refused     no start",
    ]


def test_what_is_to_be_known_of_a_plan_stands_below_the_table() -> None:
    first = plans_of(PLAN)[0]
    lines = printed(PlanTable([replace(first, note="the table is there")]))
    assert lines[-2:] == ["", f"{first.name}: the table is there"]
    assert printed(PlanTable([first])) == lines[:-2]


def test_history_tells_windows_rows_seconds_and_messages() -> None:
    assert printed(history_table([Run.of(run) for run in HISTORY["runs"]])) == [
        "began             model     state       rows  took  loaded",
        "2024-06-30 08:00  payments  failed                  nothing",
        "                                                    [PARSE_SYNTAX_ERROR] Syntax error at or near 'form'",
        "2024-06-30 08:00  orders    done       1,234  26 s  2024-06-28 to 2024-06-30",
        "2024-06-30 07:52  events    running                 nothing",
        "2024-06-29 09:00  payments  forgotten               took back 2024-02-01 to 2024-03-01",
    ]  # fmt: skip


def test_the_history_of_a_day_tells_as_of_when_a_run_was_and_who_ran_it() -> None:
    by = {"user": "anna", "job": "nightly", "run": "4711"}
    run = Run.of(HISTORY["runs"][1] | {"execution_time": "2024-06-30T07:59:12", "by": by})
    anonymous = Run.of(HISTORY["runs"][1] | {"execution_time": None, "by": {}})
    told = printed(history_table([run, anonymous], with_circumstances=True))
    assert [line.strip() for line in told[2:]] == [
        "as of 2024-06-30 07:59, by anna, job nightly, run 4711", told[1].strip(),
    ]  # fmt: skip
    assert len(printed(history_table([run]))) == 2


def test_history_of_a_store_that_tells_little() -> None:
    told = printed(
        history_table([Run.of({"relation": "analytics.orders", "model": None, "loaded": None, "state": "died"})])
    )
    assert [line.strip() for line in told[1:]] == [
        "analytics.orders  died               nothing", "its process is gone, or its lease expired without a sign of life",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0, "0 s"), (3.25, "3.2 s"), (59.6, "60 s"), (61, "1 min 1 s"), (3600, "1 h"), (86400, "1 day"), (90000, "1 day 1 h"), (86460, "1 day"), (200000, "2 days 7 h")],
)  # fmt: skip
def test_durations_are_told_in_their_two_largest_parts(seconds: float, text: str) -> None:
    assert duration_text(seconds) == text


def test_instants_and_counts_are_short() -> None:
    texts = ("2024-01-01T00:00:00", "2024-01-01T06:00:00", "2024-01-01T06:30:15", "2024-01-01")
    assert [instant_text(instant) for instant in texts] == [
        "2024-01-01",
        "2024-01-01 06:00",
        "2024-01-01 06:30:15",
        "2024-01-01",
    ]
    assert [count_text(1, "batch"), count_text(2000, "batch"), count_text(2, "gap")] == [
        "1 batch",
        "2,000 batches",
        "2 gaps",
    ]

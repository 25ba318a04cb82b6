"""What the operations answer: one project as of 30 June 2024, as an operator meets it."""

from __future__ import annotations

from typing import Any

NOW = "2024-06-30T08:04:11"

DONE: dict[str, Any] = {
    "model": "model.shop.orders", "relation": "analytics.orders", "invocation_id": "11111111-aaaa", "execution_time": "2024-06-30T08:00:00",
    "began_at": "2024-06-30T08:00:02.000001", "ended_at": "2024-06-30T08:00:31.000002", "state": "done",
    "loaded": [
        {"start": "2024-06-28T00:00:00", "end": "2024-06-29T00:00:00", "rows_written": 1200, "seconds": 11.5, "recorded_at": "2024-06-30T08:00:14.000003"},
        {"start": "2024-06-29T00:00:00", "end": "2024-06-30T00:00:00", "rows_written": 34, "seconds": 14.5, "recorded_at": "2024-06-30T08:00:29.000003"},
    ],
    "invalidated": [["2024-06-28T00:00:00", "2024-06-29T00:00:00"]], "rows_written": 1234, "seconds": 26.0, "message": None, "source": "run",
}  # fmt: skip

FAILED: dict[str, Any] = {
    "model": "model.shop.payments", "relation": "analytics.payments", "invocation_id": "22222222-bbbb", "execution_time": "2024-06-30T08:00:00",
    "began_at": "2024-06-30T08:00:03.000001", "ended_at": "2024-06-30T08:00:05.000002", "state": "failed", "loaded": [], "invalidated": [],
    "rows_written": 0, "seconds": 0, "message": "[PARSE_SYNTAX_ERROR] Syntax error at or near 'form'", "source": "run",
}  # fmt: skip

RUNNING: dict[str, Any] = {
    "model": "model.shop.events", "relation": "analytics.events", "invocation_id": "33333333-cccc", "execution_time": "2024-06-30T08:00:00",
    "began_at": "2024-06-30T07:52:11.000001", "ended_at": None, "state": "running", "loaded": [], "invalidated": [],
    "rows_written": 0, "seconds": 0, "message": None, "source": "run",
}  # fmt: skip

FORGOTTEN: dict[str, Any] = {
    "model": "model.shop.payments", "relation": "analytics.payments", "invocation_id": "44444444-dddd", "execution_time": "2024-06-29T08:00:00",
    "began_at": "2024-06-29T09:00:00.000001", "ended_at": "2024-06-29T09:00:00.000001", "state": "stated", "loaded": [],
    "invalidated": [["2024-02-01T00:00:00", "2024-03-01T00:00:00"]], "rows_written": 0, "seconds": 0, "message": None, "source": "forget",
}  # fmt: skip

LEASE: dict[str, Any] = {
    "invocation_id": "33333333-cccc", "claimed_at": "2024-06-30T07:52:11.000001", "last_sign_of_life": "2024-06-30T08:03:21.000001",
    "expires_at": "2024-06-30T09:03:21.000001", "holder": "worker-3/4711/local-1719734011", "is_live": True,
    "running": [["2024-06-29T00:00:00", "2024-06-30T08:00:00"]],
}  # fmt: skip


def model(name: str, **given: Any) -> dict[str, Any]:
    """A daily model of the year 2024 that is complete, but for what is given."""
    return {
        "model": f"model.shop.{name}", "relation": f"analytics.{name}", "kind": "incremental_by_time_range", "unit": "day",
        "start": "2024-01-01T00:00:00", "end": "2024-06-30T00:00:00", "recorded": [["2024-01-01T00:00:00", "2024-06-30T00:00:00"]],
        "missing": [], "invalidated": [], "reason": "up to date until 2024-06-30T00:00:00", "lease": None, "last_run": None,
    } | given  # fmt: skip


STATUS: dict[str, Any] = {
    "operation": "status",
    "execution_time": NOW,
    "models": [
        model(
            "events", unit="hour", end="2024-06-30T08:00:00", recorded=[["2024-01-01T00:00:00", "2024-06-29T00:00:00"]],
            missing=[["2024-06-29T00:00:00", "2024-06-30T08:00:00"]], reason="32 missing", lease=LEASE, last_run=RUNNING,
        ),
        model("new", start=None, end=None, recorded=[], missing=None, reason="no start is set and nothing is recorded"),
        model("orders", last_run=DONE),
        model(
            "payments", recorded=[["2024-01-01T00:00:00", "2024-02-01T00:00:00"], ["2024-03-01T00:00:00", "2024-06-29T00:00:00"]],
            missing=[["2024-02-01T00:00:00", "2024-03-01T00:00:00"], ["2024-06-29T00:00:00", "2024-06-30T00:00:00"]],
            invalidated=[["2024-02-01T00:00:00", "2024-03-01T00:00:00"]], reason="30 missing", last_run=FAILED,
        ),
    ],
}  # fmt: skip

HISTORY: dict[str, Any] = {"operation": "history", "runs": [FAILED, DONE, RUNNING, FORGOTTEN]}


def plan(name: str, batches: list[list[str]], reason: str) -> dict[str, Any]:
    """A plan that loads what is missing."""
    return {
        "model": f"model.shop.{name}", "relation": f"analytics.{name}", "kind": "incremental_by_time_range", "execution_time": NOW,
        "start": "2024-01-01T00:00:00", "end": "2024-06-30T00:00:00", "cron": "@daily", "unit": "day", "recorded": [],
        "missing": batches, "lookback": [], "restated": [], "batches": batches, "reason": reason,
    }  # fmt: skip


PLAN: dict[str, Any] = {
    "operation": "plan",
    "plans": [
        plan("events", [[f"2024-01-{day:02}T00:00:00", f"2024-01-{day + 1:02}T00:00:00"] for day in range(1, 31)], "first load"),
        plan("orders", [], "up to date until 2024-06-30T00:00:00"),
        plan("payments", [["2024-06-28T00:00:00", "2024-06-30T00:00:00"]], "1 missing, 1 looked back"),
    ],
}  # fmt: skip

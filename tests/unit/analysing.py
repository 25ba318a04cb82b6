"""Queries over the sources that the vectors of the specification name, classified."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from dbt_kinds.analysis.batches import Bound
from dbt_kinds.analysis.catalogue import Catalogue, Relation, Timeseries
from dbt_kinds.analysis.parsing import parse_query
from dbt_kinds.analysis.safety import Slicing, Verdict, classify

VECTORS = [
    json.loads(line)
    for line in (Path(__file__).parents[1] / "conformance" / "safety.jsonl").read_text("utf-8").splitlines()
]

DATA = dict.fromkeys(("id", "user_id", "device_id", "a", "b", "v", "x", "amount", "credit_limit"), "int")
DATA |= dict.fromkeys(("event_uuid", "country"), "string")
EVENTS = Timeseries("event_date", "event_ts", "day")
EVENT_COLUMNS = {"event_ts": "timestamp", "event_date": "date", **DATA}
RELATIONS = {
    "ev": Relation("ev", EVENT_COLUMNS, EVENTS),
    "ev2": Relation("ev2", EVENT_COLUMNS, EVENTS),
    "raw_utc": Relation(
        "raw_utc", {"event_ts_utc": "timestamp", **DATA}, Timeseries("event_ts_utc", "event_ts_utc", "day")
    ),
    "hourly": Relation("hourly", {"ts": "timestamp", "hour": "timestamp", **DATA}, Timeseries("hour", "ts", "hour")),
    "monthly": Relation("monthly", {"month": "date", "ts": "timestamp", **DATA}, Timeseries("month", "ts", "month")),
    "users": Relation("users", {"day": "date", **DATA}),
    "dim": Relation("dim", {"day": "date", "ts": "timestamp", **DATA}),
}
CATALOGUE = Catalogue(RELATIONS)


def classified(
    sql: str,
    *overrides: str,
    partition_column: str = "event_date",
    event_time_column: str | None = None,
    granularity: str = "day",
    week_start: str = "monday",
    unique_key: tuple[str, ...] = (),
    catalogue: Catalogue = CATALOGUE,
) -> Verdict:
    event_time = event_time_column or partition_column
    slicing = Slicing(partition_column, event_time, granularity, week_start, unique_key, frozenset(overrides))
    return classify(parse_query(sql, "spark"), slicing, catalogue)


def classified_vector(vector: dict[str, Any]) -> Verdict:
    """What the classifier says of a vector."""
    return classified(
        vector["sql"],
        *(name for name, is_on in vector.get("safety_overrides", {}).items() if is_on),
        partition_column=vector["partition_column"],
        event_time_column=vector["event_time_column"],
        granularity=vector["granularity"],
        unique_key=tuple(vector.get("unique_key", ())),
    )


def reasons(sql: str, *overrides: str, **model: Any) -> list[str]:
    return sorted({finding.reason for finding in classified(sql, *overrides, **model).findings})


def bounds(sql: str, *overrides: str, **model: Any) -> dict[str, str]:
    """Bounds as `before/after`; findings, where there are any, instead."""
    verdict = classified(sql, *overrides, **model)
    if not verdict.is_admitted:
        return {"refused": ", ".join(sorted({finding.reason for finding in verdict.findings}))}
    return {address: shown(bound) for address, bound in verdict.bounds.items()}


def shown(bound: Bound) -> str:
    return f"{bound.before.iso}/{bound.after.iso}" if bound.kind == "bounded" else bound.kind

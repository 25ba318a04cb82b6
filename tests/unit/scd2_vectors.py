"""The vectors of SCD type 2 as values of Python, and as models of the reference."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from datetime import date, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

from tests.unit.reference_scd2 import Model, RefusedError, Row, Version
from tests.unit.reference_scd2_runs import Query, Run, Schedule

FILE = Path(__file__).parents[1] / "conformance" / "scd2.json"
VECTORS: list[dict[str, Any]] = json.loads(FILE.read_text())["vectors"]
OF_BOTH = {
    *("unique_key", "updated_at_name", "valid_from_name", "valid_to_name", "time_data_type", "invalidate_hard_deletes"),
    *("hard_deletes_from_filtered_query", "null_keys", "duplicate_keys", "batch_size", "disable_restatement", "start"),
    *("end", "cron"),
}
OF_ONE = {
    "time": {"updated_at_as_valid_from"},
    "column": {"columns", "execution_time_as_valid_from"},
}


def read_value(text: Any, type_: str) -> Any:
    """A value of a vector as Python has it."""
    if text is None:
        return None
    if type_.startswith("timestamp"):
        return datetime.fromisoformat(text)
    if type_ == "date":
        return date.fromisoformat(text)
    return Decimal(text) if type_.startswith("decimal") else text


def rows_of(vector: dict[str, Any], step: dict[str, Any]) -> list[Row]:
    columns = columns_of(vector, step)
    return [
        {name: read_value(value, type_) for (name, type_), value in zip(columns, row, strict=True)}
        for row in step["rows"]
    ]


def columns_of(vector: dict[str, Any], step: dict[str, Any]) -> list[tuple[str, str]]:
    return [(name, type_) for name, type_ in step.get("query_columns", vector["query_columns"])]


def versions_of(
    columns: list[tuple[str, str]], rows: list[list[Any]], time_data_type: str = "timestamp"
) -> list[Version]:
    """Rows of the table as a vector writes them: the query's columns, valid_from, valid_to."""
    versions = []
    for row in rows:
        values = {name: read_value(value, type_) for (name, type_), value in zip(columns, row[:-2], strict=True)}
        versions.append(Version(values, datetime.fromisoformat(row[-2]), row[-1] and datetime.fromisoformat(row[-1])))
    return versions


def key_part(expression: str) -> Callable[[Row], Any]:
    """A column, or `coalesce(column, value)`."""
    found = re.fullmatch(r"coalesce\((\w+), (.+)\)", expression)
    if not found:
        return lambda row: row[expression]
    column, default = found.group(1), json.loads(found.group(2).replace("'", '"'))
    return lambda row: default if row[column] is None else row[column]


def model_of(vector: dict[str, Any], columns: list[tuple[str, str]]) -> Model:
    """The model of a vector; raises for options and columns that a run refuses."""
    options, by = vector["options"], "column" if vector["kind"].endswith("column") else "time"
    for option in options:
        if option not in OF_BOTH | OF_ONE[by]:
            raise RefusedError(option)
    names = [name for name, _ in columns]
    valid = [options.get("valid_from_name", "valid_from"), options.get("valid_to_name", "valid_to")]
    for name in valid:
        if name in names:
            raise RefusedError(name)
    updated_at = options.get("updated_at_name", "updated_at" if by == "time" else None)
    if updated_at and dict(columns)[updated_at] not in ("date", "timestamp", "timestamp_ntz"):
        raise RefusedError("must be a date or a timestamp")
    if by == "column" and options.get("duplicate_keys") == "keep_latest":
        raise RefusedError("keep_latest")
    compared = options.get("columns", [])
    if compared in ("*", ["*"]):
        compared = [name for name in names if name not in [*options["unique_key"], updated_at]]
    if (
        options.get("invalidate_hard_deletes")
        and "batch_size" not in options
        and "window_column" in vector
        and options.get("hard_deletes_from_filtered_query") != "allow"
    ):
        raise RefusedError("hard_deletes_from_filtered_query")
    return Model(
        by=by,
        key=[key_part(part) for part in options["unique_key"]],
        updated_at=updated_at,
        columns=compared,
        dates_the_first_load=options.get("updated_at_as_valid_from" if by == "time" else "execution_time_as_valid_from", False),
        hard_deletes=options.get("invalidate_hard_deletes", False),
        null_keys=options.get("null_keys", "error"),
        duplicate_keys=options.get("duplicate_keys", "error"),
        time_data_type=options.get("time_data_type", "timestamp"),
    )  # fmt: skip


def schedule_of(options: dict[str, Any]) -> Schedule:
    return Schedule(
        cron=options.get("cron", "@daily"),
        start=options.get("start") and datetime.fromisoformat(options["start"]),
        end=options.get("end") and datetime.fromisoformat(options["end"]),
        batch_size=options.get("batch_size"),
        disable_restatement=options.get("disable_restatement", True),
    )


def run_of(step: dict[str, Any]) -> Run:
    given = step.get("vars", {})
    return Run(
        datetime.fromisoformat(step["execution_time"]),
        start=given.get("kinds_start") and datetime.fromisoformat(given["kinds_start"]),
        end=given.get("kinds_end") and datetime.fromisoformat(given["kinds_end"]),
        ignore_cron=given.get("kinds_ignore_cron", False),
        full_refresh=step.get("full_refresh", False),
        allow_approximate=given.get("kinds_allow_approximate_restatement", False),
    )


def query_of(vector: dict[str, Any], step: dict[str, Any]) -> Query:
    """What the model's query returns for a window."""
    rows, column = rows_of(vector, step), vector.get("window_column")

    def query(start: datetime, end: datetime) -> list[Row]:
        if column is None:
            return rows
        last = end - timedelta(microseconds=1)
        is_date = dict(columns_of(vector, step))[column] == "date"
        low, high = (start.date(), last.date()) if is_date else (start, last)
        return [row for row in rows if row[column] is not None and low <= row[column] <= high]

    return query

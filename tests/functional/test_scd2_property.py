"""Random histories through real dbt on Iceberg and Parquet, beside the reference.

A model holds many histories, told apart by a part of its key. KINDS_EXAMPLES says how many are tried on each format.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

import pytest

from tests.functional.project import Project
from tests.functional.scd2 import stored
from tests.sweep import is_sweep, size
from tests.unit.reference_scd2 import Model, Row, Version, broken_rules, merge
from tests.unit.scd2_histories import KEYS
from tests.unit.scd2_sql import as_texts, rows_sql
from tests.unit.scd2_vectors import key_part

COLUMNS = [
    ("history", "int"), ("id", "int"), ("part", "string"), ("name", "string"), ("n", "int"), ("updated_at", "timestamp"),
]  # fmt: skip
EXAMPLES = size("KINDS_EXAMPLES", 300, full=10_000)
MODELS, STEPS = 4, 5 if is_sweep() else 3
OF_A_MODEL = min(max(EXAMPLES // MODELS, 1), 500)
ROUNDS = -(-EXAMPLES // (MODELS * OF_A_MODEL))
FIRST, HALF_A_DAY = datetime(2024, 1, 3), timedelta(hours=12)


@dataclass
class Table:
    """A model of some options, and what its table should hold."""

    name: str
    model: Model
    options: dict[str, Any]
    history: list[Version] = field(default_factory=list)


def drawn_table(random_: random.Random, number: int) -> Table:
    by, key = random_.choice(["time", "column"]), random_.choice(KEYS)
    compared = random_.choice([["name"], ["n"], ["name", "n"], ["name", "n", "part"]])
    is_dated, dates_the_first_load, hard_deletes = (random_.random() < 0.5 for _ in range(3))
    first_load = "updated_at_as_valid_from" if by == "time" else "execution_time_as_valid_from"
    options: dict[str, Any] = {
        "start": None, "unique_key": ["history", *key], "null_keys": "match", "invalidate_hard_deletes": hard_deletes,
        first_load: dates_the_first_load, **({"columns": compared} if by == "column" else {}),
    }  # fmt: skip
    if by == "time" or is_dated:
        options["updated_at_name"] = "updated_at"
    model = Model(
        by=by,
        key=[key_part(part) for part in options["unique_key"]],
        updated_at=options.get("updated_at_name"),
        columns=compared,
        dates_the_first_load=dates_the_first_load,
        hard_deletes=hard_deletes,
        null_keys="match",
    )
    return Table(f"by_{by}_{number}", model, options)


def drawn_source(random_: random.Random, model: Model) -> list[Row]:
    """A row for some keys of every history; few values, so that they change, go and come back."""
    rows: dict[Any, Row] = {}
    for history in range(OF_A_MODEL):
        for _ in range(random_.randrange(5)):
            number = random_.choice([None, *range(-4, 12), *range(8)])
            row = {
                "history": history,
                "id": random_.choice([1, 1, 2, 3, None]),
                "part": random_.choice(["a", "a", "b", None]),
                "name": random_.choice(["x", "y", None]),
                "n": random_.choice([10, 20, None]),
                "updated_at": None if number is None else FIRST + number * HALF_A_DAY,
            }
            rows.setdefault(model.key_of(row), row)
    return list(rows.values())


def as_rows(history: list[Version]) -> list[list[Any]]:
    return [[*(one.values[name] for name, _ in COLUMNS), one.valid_from, one.valid_to] for one in history]


@pytest.mark.sized
@pytest.mark.parametrize("number", range(ROUNDS))
def test_random_histories_are_those_of_the_reference(number: int, project: Project, file_format: str) -> None:
    random_ = random.Random(f"{file_format} {number}")
    tables = [drawn_table(random_, position) for position in range(MODELS)]
    at = FIRST
    for step in range(STEPS):
        for table in tables:
            source = drawn_source(random_, table.model)
            rows = rows_sql(COLUMNS, [list(row.values()) for row in source])
            kind = f"scd_type_2_by_{table.model.by}"
            project.kind(table.name, rows, kind=kind, config=f"file_format='{file_format}'", **table.options)
            before = table.history
            table.history = merge(table.model, before, source, at, first=step == 0).history
            assert broken_rules(table.model, before, table.history) == []
        project.run(now=at.isoformat(), ignore_cron=True)
        for table in tables:
            found = stored(project, table.name, COLUMNS, "valid_from", "valid_to")
            assert found == as_texts(as_rows(table.history)), f"round {number}, {table.options}, step {step}"
        at += random_.choice([0, 1, 2, 2, 4]) * HALF_A_DAY

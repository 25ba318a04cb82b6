"""Models of cumulative_aggregate over a table of events in DuckDB, and what a plain loop over all those events makes of them."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from tests.unit.duckdb_runs import Relation, Warehouse
from tests.unit.macros import Macros, node

Event = tuple[int | None, str | None, int, int | None, bool | None]  # id, part, day of January, v, flag
COLUMNS = "id int, part varchar, day date, v int, flag boolean"

# column: its aggregate, its combiner, and what two values that are not NULL become
AGGREGATES: dict[str, tuple[str, str, Callable[[Any, Any], Any]]] = {
    "rows": ("count(*)", "add", lambda a, b: a + b),
    "values": ("count(v)", "add", lambda a, b: a + b),
    "total": ("sum(v)", "add", lambda a, b: a + b),
    "low": ("min(v)", "least", min),
    "high": ("max(v)", "greatest", max),
    "every_one": ("bool_and(flag)", "and", lambda a, b: a and b),
    "any_one": ("bool_or(flag)", "or", lambda a, b: a or b),
    "all_bits": ("bit_and(v)", "bit_and", lambda a, b: a & b),
    "some_bits": ("bit_or(v)", "bit_or", lambda a, b: a | b),
    "odd_bits": ("bit_xor(v)", "bit_xor", lambda a, b: a ^ b),
}
OPTIONS: dict[str, Any] = {
    "unique_key": ["id", "part"],
    "combine": {column: combiner for column, (_, combiner, _) in AGGREGATES.items()},
    "start": "2024-01-01",
}


def windowed_query(*aggregates: str) -> str:
    """The compiled query of a model that reads its interval of the events."""
    macros = Macros(node=node("totals", time_column="day"))
    source = macros.window_of(Relation("events"), "day")
    selected = [f"{call} as `{column}`" for column, (call, _, _) in AGGREGATES.items() if column in aggregates]
    return f"select id, part, {', '.join(selected or [])} from {source} as e group by id, part"


@functools.cache
def query() -> str:
    """The compiled query with all of them."""
    return windowed_query(*AGGREGATES)


def warehouse_of(events: Iterable[Event]) -> Warehouse:
    warehouse = Warehouse()
    warehouse.database.execute(f"create table shop.events ({COLUMNS})")
    add(warehouse, events)
    return warehouse


def add(warehouse: Warehouse, events: Iterable[Event]) -> None:
    rows = [(key, part, f"2024-01-{day:02}", value, flag) for key, part, day, value, flag in events]
    if rows:
        warehouse.database.executemany("insert into shop.events values (?, ?, ?, ?, ?)", rows)


def run(
    warehouse: Warehouse,
    day: int,
    *,
    file_format: str = "iceberg",
    sql: str | None = None,
    full_refresh: bool = False,
    options: dict[str, Any] | None = None,
    **variables: Any,
) -> None:
    """`dbt run` in the morning of a day, when all days before it are over."""
    given = {"kinds_execution_time": f"2024-01-{day:02}T06:00:00"}
    given |= {f"kinds_{name}": value for name, value in variables.items()}
    written = {**OPTIONS, "file_format": file_format, **(options or {})}
    warehouse.run("totals", "cumulative_aggregate", written, sql or query(), given, full_refresh=full_refresh)


def stored(warehouse: Warehouse) -> list[Any]:
    columns = ", ".join(["id", "part", *(f'"{column}"' for column in AGGREGATES)])
    return sorted(warehouse.database.execute(f"select {columns} from shop.totals").fetchall(), key=repr)


def expected(events: Sequence[Event], before: int) -> list[Any]:
    """One row for each key that is met before a day."""
    rows: dict[tuple[Any, Any], list[Any]] = {}
    for key, part, day, value, flag in events:
        if day < before:
            given = [1, int(value is not None), value, value, value, flag, flag, value, value, value]
            state = rows.setdefault((key, part), [None] * len(given))
            rows[key, part] = [
                _combined(combine, *pair)
                for (_, _, combine), pair in zip(AGGREGATES.values(), zip(state, given, strict=True), strict=True)
            ]
    return sorted(((*key, *state) for key, state in rows.items()), key=repr)


def _combined(combine: Callable[[Any, Any], Any], *values: Any) -> Any:
    known = [value for value in values if value is not None]
    return functools.reduce(combine, known) if known else None

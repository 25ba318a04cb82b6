"""What the manual's pictures show of rows is what the kinds write, as the package's macros do it in DuckDB."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import pytest

from dbt_kinds.simulation.warehouse import Warehouse
from tests.unit.duckdb_runs import Relation
from tests.unit.macros import Macros, node
from tests.unit.test_docs import PICTURES

SHOWN = {rows.kind: rows for rows in PICTURES.KINDS}
WINDOW = "between /*kinds:start_date*/ date '2024-01-01' and /*kinds:end_date*/ date '2024-01-01'"
RANGE = f"select day, id, v from shop.src where day {WINDOW}"


@dataclass
class Play:
    """How a picture comes about: what the source held at the first run and at the second, and how rows are shown."""

    first: str
    second: str
    shown: str
    sql: str = "select * from shop.src"
    options: dict[str, Any] = field(default_factory=dict)
    nights: tuple[str, str] = ("2024-06-02", "2024-06-03")
    variables: dict[str, str] = field(default_factory=dict)
    kind: str | None = None


def values(columns: str, *rows: str) -> str:
    return f"select * from (values {', '.join(f'({row})' for row in rows)}) as rows({columns})"


DAY_OF_JUNE = "format('{} June  {}  {}', day(day), id, v)"
PLAYS = {
    "incremental_by_time_range": Play(
        values(
            "day, id, v", *(f"date '2024-06-0{day}', '{key}', {day}0" for day, key in ((1, "A"), (2, "B"), (3, "C")))
        ),
        "update shop.src set v = 25 where id = 'B'; insert into shop.src values (date '2024-06-02', 'D', 40)",
        DAY_OF_JUNE,
        sql=RANGE,
        options={"time_column": "day"},
        nights=("2024-06-04", "2024-06-04"),
        variables={"kinds_start": "2024-06-02", "kinds_end": "2024-06-03"},
    ),
    "incremental_by_unique_key": Play(
        values("id, v", "'A', 10", "'B', 20"),
        "delete from shop.src; insert into shop.src values ('B', 25), ('C', 30)",
        "format('{}  {}', id, v)",
        options={"unique_key": "id"},
    ),
    "incremental_by_partition": Play(
        values("region, name, v", "'north', 'apple', 1", "'north', 'pear', 2", "'south', 'apple', 3"),
        "delete from shop.src; insert into shop.src values ('north', 'apple', 4)",
        "format('{}  {:5} {}', region, name, v)",
        options={"partition_by": ["region"]},
    ),
    "incremental_unmanaged": Play(
        values("day, id, v", "date '2024-06-01', 'A', 10"),
        "insert into shop.src values (date '2024-06-02', 'B', 20), (date '2024-06-02', 'B', 20)",
        DAY_OF_JUNE,
        sql=RANGE,
    ),
    "full": Play(
        values("id, v", "'north', 10", "'south', 20"),
        "delete from shop.src; insert into shop.src values ('north', 11), ('west', 5)",
        "format('{:5}  {:2}', id, v)",
    ),
    "tracked": Play(
        values("invoice, line, v", "1, 'paper', 10", "1, 'ink', 5", "2, 'paper', 7"),
        "delete from shop.src where line = 'ink'; update shop.src set v = 12 where v = 10",
        "format('{}  {:5}  {:2}', invoice, line, v)",
        options={"group_key": ["invoice"]},
    ),
    "cumulative_aggregate": Play(
        values("id, day", *("'Ann', date '2024-06-01'" for _ in range(3)), "'Bob', date '2024-06-02'"),
        "insert into shop.src values " + ", ".join(f"('{name}', date '2024-06-03')" for name in ("Bob", "Bob", "Cleo")),
        "format('{:4}  {}', id, orders)",
        sql=f"select id, count(*) as orders from {Macros(node=node('t', time_column='day')).window_of(Relation('src'), 'day')} as s group by id",
        options={"unique_key": ["id"], "combine": {"orders": "add"}},
        nights=("2024-06-03", "2024-06-04"),
    ),
    "scd_type_2": Play(
        values("id, v, updated_at", "7, 9, timestamp '2024-05-01'", "8, 5, timestamp '2024-05-01'"),
        "update shop.src set v = 12, updated_at = timestamp '2024-05-04' where id = 7",
        "format('{} {:2}  {}{} May{}', id, v, day(valid_from), coalesce('-' || day(valid_to), ''), "
        "if(valid_to is null, ' …', ''))",
        options={"unique_key": "id", "updated_at_as_valid_from": True},
        kind="scd_type_2_by_time",
    ),
}


@pytest.mark.parametrize("name", PLAYS)
def test_a_picture_shows_what_a_run_writes(name: str) -> None:
    play, picture, warehouse = PLAYS[name], SHOWN[name], Warehouse()
    options = (
        ({} if name in ("full", "tracked") else {"start": "2024-06-01"}) | {"file_format": "iceberg"} | play.options
    )
    warehouse.create_table("shop.src", "iceberg", play.first)

    def rows() -> list[str]:
        return [
            row for (row,) in warehouse.database.execute(f"select {play.shown} from shop.t order by all").fetchall()
        ]

    def run(night: str, **variables: str) -> None:
        given = {"kinds_execution_time": f"{night}T03:00:00", **variables}
        warehouse.run("t", play.kind or name, options, play.sql, given)

    run(play.nights[0])
    assert rows() == sorted(row.lstrip("-") for row in picture.before)
    warehouse.database.execute(play.second)
    run(play.nights[1], **play.variables)
    assert rows() == sorted(row.lstrip("+") for row in picture.after)

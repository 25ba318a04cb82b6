"""The macro window_of: what a source is restricted to, rendered for one window."""

from __future__ import annotations

import re
from typing import Any

import pytest

from dbt_kinds.analysis.batches import Bound
from dbt_kinds.analysis.catalogue import Relation, Timeseries
from dbt_kinds.analysis.margins import DAY, Margin
from dbt_kinds.analysis.pushdown import window_of
from tests.unit.macros import CompilerError, Macros

NODE = {"name": "sessions", "unique_id": "model.shop.sessions", "resource_type": "model", "config": {"meta": {}}}


class Events:
    """A relation as dbt hands it over."""

    database, schema, identifier = None, "shop", "events"

    def __str__(self) -> str:
        return "shop.events"


def rendered(start: str, end: str, column: str = "event_date", **arguments: Any) -> str:
    """The condition for one window, without the comments that name its bounds."""
    macros = Macros(node=NODE, variables={"kinds_start": start, "kinds_end": end})
    text = macros.window_of(Events(), column, **arguments)
    assert text.startswith("(select * from shop.events where ")
    return re.sub(r"/\*.*?\*/ ", "", text).removeprefix("(select * from shop.events where ")[:-1]


@pytest.mark.parametrize(
    ("start", "end", "arguments", "low", "high"),
    [
        ("2024-01-15", "2024-01-16", {}, "date '2024-01-15'", "date '2024-01-16'"),
        ("2024-01-15", "2024-01-16", {"before": "PT30M"}, "date '2024-01-14'", "date '2024-01-16'"),
        ("2024-01-15", "2024-01-16", {"after": "PT30M"}, "date '2024-01-15'", "date '2024-01-17'"),
        ("2024-01-15", "2024-01-16", {"before": "P1DT12H"}, "date '2024-01-13'", "date '2024-01-16'"),
        ("2024-01-15", "2024-01-16", {"unit": "month"}, "date '2024-01-01'", "date '2024-02-01'"),
        ("2024-01-15", "2024-01-16", {"unit": "quarter", "before": "P1D"}, "date '2024-01-01'", "date '2024-04-01'"),
        ("2024-01-17", "2024-01-18", {"unit": "week"}, "date '2024-01-15'", "date '2024-01-22'"),
        (
            "2024-01-17",
            "2024-01-18",
            {"unit": "week", "week_start": "sunday"},
            "date '2024-01-14'",
            "date '2024-01-21'",
        ),
        # 30 and 31 January are both 28 February a month later, so a calendar `after` reads one day more
        ("2023-01-30", "2023-01-31", {"after": "P1M"}, "date '2023-01-30'", "date '2023-03-01'"),
        ("2023-03-31", "2023-04-01", {"before": "P1M"}, "date '2023-02-28'", "date '2023-04-01'"),
        # months and an exact part do not commute, so both together read three days more
        ("2024-03-15", "2024-03-16", {"before": "P1M1D"}, "date '2024-02-11'", "date '2024-03-16'"),
        ("2024-03-15", "2024-03-16", {"after": "P1M1D"}, "date '2024-03-15'", "date '2024-04-20'"),
        ("2024-01-15", "2024-01-16", {"data_type": "string"}, "'2024-01-15'", "'2024-01-16'"),
        ("2024-01-15", "2024-01-16", {"data_type": "int", "format": "yyyyMMdd"}, "20240115", "20240116"),
        ("2024-01-15", "2024-01-16", {"data_type": "string", "format": "yyyyMMdd"}, "'20240115'", "'20240116'"),
    ],
)
def test_the_bound_is_widened_and_then_rounded_to_whole_units(
    start: str, end: str, arguments: dict[str, Any], low: str, high: str
) -> None:
    assert rendered(start, end, **arguments) == f"`event_date` >= {low} and `event_date` < {high}"


@pytest.mark.parametrize("data_type", ["timestamp", "timestamp_ntz"])
def test_instants_are_read_to_the_second(data_type: str) -> None:
    condition = rendered("2024-01-15", "2024-01-16", "ts", unit="none", data_type=data_type, before="PT30M")
    assert re.sub(r"[+]00:00|Z", "", condition) == (
        f"`ts` >= {data_type} '2024-01-14 23:30:00' and `ts` < {data_type} '2024-01-16 00:00:00'"
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"before": "1 day"}, "before '1 day' of window_of is not an ISO-8601 duration"),
        ({"after": "P1.5D"}, "after 'P1.5D' of window_of is not an ISO-8601 duration"),
        ({"unit": "fortnight"}, "fortnight"),
        ({"unit": "week", "week_start": "friday"}, "friday"),
        ({"data_type": "boolean"}, "has the type boolean, which cannot be bounded by time"),
        ({"data_type": "int", "format": "yyyy-MM-dd"}, "is not a number"),
    ],
)
def test_every_argument_is_checked(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(CompilerError, match=re.escape(message)):
        rendered("2024-01-15", "2024-01-16", **arguments)


@pytest.mark.parametrize("arguments", [("ordered_at",), ("cast(ts as timestamp)",), (Events(),)])
def test_it_takes_a_relation_and_the_name_of_a_column(arguments: tuple[Any, ...]) -> None:
    with pytest.raises(
        CompilerError, match=re.escape("sessions: window_of stands in place of a table; write: from {{")
    ):
        Macros(node=NODE).window_of(*arguments)


def test_what_the_compiler_writes_is_what_the_macro_takes() -> None:
    source = Relation("weeks", {"w": "timestamp_ntz"}, Timeseries("w", "ts", "week", "sunday"))
    call = window_of("ref('weeks')", source, Bound("bounded", Margin(1, DAY)))
    assert call == (
        "dbt_kinds.window_of(ref('weeks'), 'w', before='P1M1D', after='PT0S', unit='week', week_start='sunday', "
        "data_type='timestamp_ntz')"
    )
    macros = Macros(node=NODE, variables={"kinds_start": "2024-03-13", "kinds_end": "2024-03-14"})
    text = eval(call, {"dbt_kinds": macros, "ref": lambda name: Events()})
    assert "'2024-02-04 00:00:00" in text

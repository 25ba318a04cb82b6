"""The sources of `tests/fixtures/sqlmesh_every_kind` on three days, and what every table holds after the run of each.

The tables are worked out here from the sources alone, in Python, by what the documents of the kinds say. Rows are texts,
as a cast to string writes them.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import NamedTuple

SHOP = Path(__file__).parent.parent / "fixtures" / "sqlmesh_every_kind"
LANDED = {
    "orders": "order_id int, customer_id int, country string, status string, amount decimal(10, 2), ordered_at timestamp",
    "customers": "customer_id int, name string, region string, updated_at timestamp",
    "prices": "product_id int, price decimal(10, 2)",
    "clicks": "click_id int, page string, clicked_at timestamp",
}
LONG_AGO = "1970-01-01 00:00:00"

Row = tuple[str | None, ...]
Tables = dict[str, "Counter[Row]"]


class Order(NamedTuple):
    order_id: int
    customer_id: int
    country: str
    status: str
    amount: Decimal
    ordered_at: str


class Customer(NamedTuple):
    customer_id: int
    name: str
    region: str
    updated_at: str


class Click(NamedTuple):
    click_id: int
    page: str
    clicked_at: str


@dataclass(frozen=True)
class Day:
    """The sources as they are when a run starts."""

    now: str
    orders: tuple[Order, ...]
    customers: tuple[Customer, ...]
    prices: tuple[tuple[int, str | None], ...]
    clicks: tuple[Click, ...]

    @property
    def today(self) -> str:
        return self.now[:10]

    def landed(self) -> dict[str, str]:
        """The rows of every source table, as Spark and DuckDB read what stands behind `values`."""
        return {table: ", ".join(_values(row, LANDED[table]) for row in getattr(self, table)) for table in LANDED}


def _values(row: tuple[object, ...], columns: str) -> str:
    types = [column.split(" ", 1)[1] for column in re.split(r", (?=[a-z])", columns)]
    texts = ["null" if value is None else f"'{value}'" for value in row]
    return f"({', '.join(f'cast({text} as {type_})' for text, type_ in zip(texts, types, strict=True))})"


def _at(day: int, hour: str) -> str:
    return f"2024-01-{day:02} {hour}:00"


def _order(number: int, customer: int, country: str, status: str, amount: str, day: int, hour: str) -> Order:
    return Order(number, customer, country, status, Decimal(amount), _at(day, hour))


_ANN, _BOB, _CEM = (
    Customer(1, "Ann", "south", _at(1, "05:00")),
    Customer(2, "Bob", "north", _at(1, "05:00")),
    Customer(3, "Cem", "north", _at(2, "05:00")),
)
_ANN_MOVED = Customer(1, "Ann", "north", _at(3, "06:00"))
_DEE, _DEA = Customer(4, "Dee", "west", _at(3, "08:00")), Customer(4, "Dea", "west", _at(4, "09:00"))
_FIRST = (
    _order(1, 1, "FR", "Open", "10.50", 1, "06:00"),
    _order(2, 2, "DE", "closed", "20.00", 1, "08:00"),
    _order(3, 1, "FR", "OPEN", "5.00", 2, "06:00"),
    _order(4, 3, "IT", "closed", "0.50", 2, "09:00"),
)
# an order of the day before has changed and one is late; a change of older days is not looked for
_SECOND = (
    _order(1, 1, "FR", "Open", "11.50", 1, "06:00"),
    _FIRST[1],
    _order(3, 1, "FR", "Closed", "5.00", 2, "06:00"),
    _FIRST[3],
    _order(5, 2, "DE", "open", "30.00", 3, "07:00"),
    _order(6, 3, "IT", "open", "8.25", 2, "12:00"),
)
_THIRD = (
    *_SECOND[:4],
    _order(5, 2, "DE", "open", "31.00", 3, "07:00"),
    _SECOND[5],
    _order(7, 1, "FR", "closed", "2.00", 4, "05:00"),
    _order(8, 4, "FR", "open", "99.99", 4, "23:30"),
    _order(9, 3, "IT", "gone", "0.25", 4, "10:00"),
)
_FIRST_CLICKS = (
    Click(1, "a", _at(2, "23:10")),
    Click(2, "a", _at(3, "00:20")),
    Click(3, "b", _at(3, "02:30")),
    Click(4, "b", _at(3, "03:30")),
)
_SECOND_CLICKS = (
    *_FIRST_CLICKS,
    Click(5, "a", _at(3, "02:45")),
    Click(6, "c", _at(3, "20:00")),
    Click(7, "c", _at(3, "00:40")),
)
_THIRD_CLICKS = (*_SECOND_CLICKS, Click(8, "a", _at(4, "02:59")), Click(10, "b", _at(5, "02:59")))

DAYS = (
    Day(_at(3, "03:00"), _FIRST, (_ANN, _BOB, _CEM), ((1, "9.99"), (2, "5.00")), _FIRST_CLICKS),
    Day(
        _at(4, "03:00"), _SECOND, (_ANN_MOVED, _BOB, _CEM, _DEE), ((1, "10.99"), (2, "5.00"), (3, "1.00")), _SECOND_CLICKS
    ),
    Day(_at(5, "03:00"), _THIRD, (_ANN_MOVED, _CEM, _DEA), ((1, "10.99"), (2, None), (3, "1.00")), _THIRD_CLICKS),
)  # fmt: skip


@dataclass
class _Load:
    """One run: its sources, and the bounds that the days, and the hours, which were not loaded yet have."""

    day: Day
    start: str
    first_hour: str
    tables: dict[str, list[Row]]

    @property
    def end(self) -> str:
        return self.day.today

    def orders(self, since: str) -> list[Order]:
        return [order for order in self.day.orders if since <= order.ordered_at < self.end]

    def replace(self, table: str, rows: Iterable[Row], is_replaced: Callable[[Row], bool]) -> None:
        """What a table holds after some of its rows made place for others."""
        self.tables[table] = [row for row in self.tables[table] if not is_replaced(row)] + list(rows)

    def upsert(self, table: str, rows: Iterable[Row], width: int = 1) -> None:
        """What a table holds after rows of the same key were replaced."""
        new = {row[:width]: row for row in rows}
        self.replace(table, new.values(), lambda row: row[:width] in new)


def expected() -> list[Tables]:
    """Every table but the histories and the views, by schema and name, after each day."""
    tables: dict[str, list[Row]] = defaultdict(list)
    found: list[Tables] = []
    loaded, loaded_hour = "2024-01-01", "2024-01-01 00:00:00"
    for day in DAYS:
        load = _Load(day, loaded, loaded_hour, tables)
        # a day, and two hours, are looked back on once something is loaded
        _orders(load, _day_before(loaded) if found else loaded)
        _clicks(load, _at(int(loaded_hour[8:10]), "01:00") if found else loaded_hour)
        _keys(load)
        _others(load)
        found.append({table: Counter(rows) for table, rows in (*tables.items(), *_histories(len(found)).items())})
        loaded, loaded_hour = day.today, day.now
    return found


def _day_before(day: str) -> str:
    return f"2024-01-{int(day[8:10]) - 1:02}"


def _orders(load: _Load, since: str) -> None:
    kept = [
        (
            str(order.order_id), str(order.customer_id), order.country, order.status.lower(), str(order.amount),
            str(int(order.amount * 100)), order.ordered_at,
        )
        for order in load.orders(since)
        if order.amount >= 1
    ]  # fmt: skip
    load.replace("staging.orders", kept, lambda row: str(row[6]) >= since)
    stored = load.tables["staging.orders"]
    large = [(row[0], row[4], row[6]) for row in stored if Decimal(str(row[4])) >= 20]
    load.replace("marts.large_orders", [row for row in large if str(row[2]) >= since], lambda row: str(row[2]) >= since)
    by_day: dict[str, list[Decimal]] = defaultdict(list)
    for row in stored:
        if str(row[6]) >= since:
            by_day[str(row[6])[:10].replace("-", "")].append(Decimal(str(row[4])))
    revenue = [(day, str(len(amounts)), str(sum(amounts))) for day, amounts in by_day.items()]
    load.replace("marts.revenue_by_day", revenue, lambda row: str(row[0]) >= since.replace("-", ""))
    load.upsert(
        "marts.order_states",
        [(row[0], str(row[3]).upper(), row[6]) for row in stored if str(row[6]) >= since],
    )


def _clicks(load: _Load, since: str) -> None:
    hours: dict[tuple[str, str], list[int]] = defaultdict(list)
    for click in load.day.clicks:
        if since <= click.clicked_at < load.day.now:
            hours[click.clicked_at[:13] + ":00:00", click.page].append(click.click_id)
    rows = [
        (hour, page, str(len(clicks)), str(len([click for click in clicks if click % 2 == 0])), f"page {page}")
        for (hour, page), clicks in hours.items()
    ]
    load.replace("staging.clicks_by_hour", rows, lambda row: str(row[0]) >= since)
    touched = {click.page for click in load.day.clicks if load.start <= click.clicked_at < load.end}
    counts = Counter(click.page for click in load.day.clicks)
    load.upsert("marts.pages", [(page, str(counts[page])) for page in touched])


def _keys(load: _Load) -> None:
    by_customer: dict[int, list[Order]] = defaultdict(list)
    by_country: dict[tuple[int, str], list[Order]] = defaultdict(list)
    for order in load.orders(load.start):
        by_customer[order.customer_id].append(order)
        by_country[order.customer_id, order.country].append(order)
    peaks = {row[0]: row for row in load.tables["marts.customer_peaks"]}
    for customer, orders in by_customer.items():
        amounts = [order.amount for order in orders if order.status != "gone"]
        key, stored = str(customer), peaks.get(str(customer))
        last = max(order.ordered_at for order in orders)[:10]
        if stored is None:
            peaks[key] = (key, str(max(amounts)) if amounts else None, last)
        elif not amounts:
            del peaks[key]
        elif max(amounts) > Decimal(str(stored[1])):
            peaks[key] = (key, str(max(amounts)), last)
    load.tables["marts.customer_peaks"] = list(peaks.values())
    load.upsert(
        "marts.last_orders",
        [
            (str(customer), country, str(max(orders).order_id), max(order.ordered_at for order in orders))
            for (customer, country), orders in by_country.items()
        ],
        width=2,
    )


def _others(load: _Load) -> None:
    day = load.day
    regions = {customer.region for customer in day.customers if load.start <= customer.updated_at < load.end}
    load.replace(
        "marts.customers_by_region",
        [(str(c.customer_id), c.name, c.region) for c in day.customers if c.region in regions],
        lambda row: row[2] in regions,
    )
    load.tables["marts.order_log"] += [(str(o.order_id), o.status, day.today) for o in load.orders(load.start)]
    stored = load.tables["staging.orders"]
    load.tables["staging.countries"] = [
        ("FR", "France", "68"),
        ("DE", "Germany; all of it", "84"),
        ("IT", "Italy", "59"),
    ]
    load.tables["marts.revenue_by_country"] = [
        (
            code, label, str(len(mine)), str(len([row for row in mine if row[3] == "open"])),
            str(len([row for row in mine if row[3] == "closed"])),
            str(sum((Decimal(str(row[4])) for row in mine), Decimal("0.00"))),
        )
        for code, label, _ in load.tables["staging.countries"]
        for mine in [[row for row in stored if row[2] == code]]
    ]  # fmt: skip
    for code in ("fr", "de"):
        load.tables[f"marts.orders_{code}"] = [(row[0], row[4]) for row in stored if str(row[2]).lower() == code]
    last = {row[1]: row for row in sorted(stored, key=lambda row: (str(row[6]), str(row[0])))}
    load.tables["marts.latest_orders"] = [(row[1], row[0], str(int(row[3] == "open"))) for row in last.values()]
    load.tables["marts.current_customers"] = [(str(c.customer_id), c.name, c.region) for c in day.customers]


def _histories(number: int) -> dict[str, list[Row]]:
    second, third = DAYS[1].now, DAYS[2].now
    moved, renamed, began = _ANN_MOVED.updated_at, _DEA.updated_at, _DEE.updated_at

    def version(customer: Customer, valid_from: str, valid_to: str | None = None) -> Row:
        return (str(customer.customer_id), *customer[1:], valid_from, valid_to)

    customers = (
        [version(_ANN, LONG_AGO), version(_BOB, LONG_AGO), version(_CEM, LONG_AGO)],
        [
            version(_ANN, LONG_AGO, moved), version(_ANN_MOVED, moved), version(_BOB, LONG_AGO), version(_CEM, LONG_AGO),
            version(_DEE, began),
        ],
        [
            version(_ANN, LONG_AGO, moved), version(_ANN_MOVED, moved), version(_BOB, LONG_AGO, third),
            version(_CEM, LONG_AGO), version(_DEE, began, renamed), version(_DEA, renamed),
        ],
    )  # fmt: skip
    prices: tuple[list[Row], ...] = (
        [("1", "9.99", LONG_AGO, None), ("2", "5.00", LONG_AGO, None)],
        [
            ("1", "9.99", LONG_AGO, second), ("1", "10.99", second, None), ("2", "5.00", LONG_AGO, None),
            ("3", "1.00", second, None),
        ],
        [
            ("1", "9.99", LONG_AGO, second), ("1", "10.99", second, None), ("2", "5.00", LONG_AGO, third),
            ("2", None, third, None), ("3", "1.00", second, None),
        ],
    )  # fmt: skip
    return {"staging.customers": customers[number], "staging.prices": prices[number]}

"""A project in OndatraSQL's layout with a model of every kind, compiled: from events that land to a receiver of changes, step by step beside plain Python."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Callable
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import yaml

from dbt_kinds.compile.convert import compile_project
from dbt_kinds.compile.request import CompileRequest
from dbt_kinds.operate.dbt import Dbt, DbtOptions
from dbt_kinds.push import delivery
from dbt_kinds.push.changes import Change
from tests.functional.project import Project
from tests.functional.test_events import land
from tests.receiver import Receiver, held

SHOP = Path(__file__).parents[1] / "fixtures" / "ondatrasql_shop"


class Line(NamedTuple):
    """A line of an order, as the shop posts it."""

    order_id: int
    line: int
    customer: str
    product: str
    price: str
    quantity: int
    at: str

    @property
    def amount(self) -> Decimal:
        return Decimal(self.price) * self.quantity * Decimal("1.25")

    @property
    def day(self) -> date:
        return datetime.fromisoformat(self.at).date()


STEPS = [
    [
        Line(1, 1, "ada", "tea", "4.00", 2, "2024-03-01T10:00:00"),
        Line(1, 2, "ada", "cup", "8.00", 1, "2024-03-01T10:00:00"),
        Line(2, 1, "bob", "tea", "4.00", 1, "2024-03-01T23:59:59.999"),
        Line(2, 2, "bob", "pot", "30.00", 0, "2024-03-01T23:59:59.999"),
    ],
    [
        Line(3, 1, "ada", "tea", "4.40", 1, "2024-03-02T09:00:00"),
        # order 1 gets a line more, and bob's tea comes a second time
        Line(1, 3, "ada", "pot", "30.00", 1, "2024-03-02T09:30:00"),
        Line(2, 1, "bob", "tea", "4.00", 1, "2024-03-01T23:59:59.999"),
    ],
    [],
    [Line(4, 1, "eve", "cup", "8.00", 3, "2024-03-03T00:00:00")],
]


class Expected:
    """What the tables hold after each step."""

    def __init__(self) -> None:
        self.lines: list[Line] = []
        self.versions: list[list[Any]] = []
        self.runs = 0

    def step(self, lines: list[Line]) -> None:
        self.runs += 1
        self.lines += [line for line in lines if line.quantity > 0]
        prices = {line.product: Decimal(line.price) for line in sorted(self.lines, key=lambda line: (line.day, line.order_id, line.line))}  # fmt: skip
        known = {version[0]: version for version in self.versions if version[3] is None}
        for product, price in prices.items():
            if product in known and known[product][1] != price:
                known[product][3] = self.runs - 1
            if product not in known or known[product][1] != price:
                self.versions.append([product, price, self.runs, None])

    def tables(self) -> dict[str, Counter[Any]]:
        customers: dict[str, list[Line]] = defaultdict(list)
        revenue: dict[tuple[date, str], Decimal] = defaultdict(Decimal)
        for line in self.lines:
            customers[line.customer].append(line)
            revenue[line.day, line.product] += line.amount
        return {
            "select order_id, line, customer, product, amount, day from staging.lines": Counter(
                (line.order_id, line.line, line.customer, line.product, line.amount, line.day) for line in self.lines
            ),
            "select customer, lines, spent, last_day from core.customers": Counter(
                (name, len(own), sum(line.amount for line in own), max(line.day for line in own))
                for name, own in customers.items()
            ),
            "select order_id, line, product, amount from core.invoices": Counter(
                (line.order_id, line.line, line.product, line.amount) for line in self.lines
            ),
            "select product, price, valid_from_snapshot, valid_to_snapshot from core.prices": Counter(
                tuple(version) for version in self.versions
            ),
            "select day, product, amount from mart.revenue": Counter((*key, sum_) for key, sum_ in revenue.items()),
        }


@pytest.mark.sweep
def test_a_shop_from_events_to_a_receiver(
    new_project: Callable[[str], Project], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project, landing = new_project("compiled"), tmp_path / "landing" / "raw" / "web__order_lines"
    report = compile_project(CompileRequest(SHOP, project.folder, run_macros=True, name="shop"))
    assert report.exit_code(strict=False) == 0
    project.settings = yaml.safe_load((project.folder / "dbt_project.yml").read_text()) | {"profile": "local"}
    landing.mkdir(parents=True)
    # what a person writes in the place of the frame
    (project.folder / "sinks" / "billing.py").write_text(
        "received = []\n\ndef push(changes, region):\n    received.append((region, changes))\n    return {change.id: 'ok' for change in changes}\n"
    )
    sent: list[tuple[str, list[Change]]] = []
    expected, receiver = Expected(), Receiver("group")
    folder = str(project.folder)
    read_function = delivery.read_function  # type: ignore[attr-defined]

    def read_and_listen(path: Path, name: str) -> Any:
        function = read_function(path, name)
        function.__globals__["received"] = sent
        return function

    monkeypatch.setattr("dbt_kinds.push.delivery.read_function", read_and_listen)
    dbt = Dbt(DbtOptions(folder, folder, variables={"kinds_landing": str(tmp_path / "landing")}))
    for number, lines in enumerate(STEPS):
        posted = [json.dumps(line._asdict()) for line in lines]
        if posted:
            land(landing, f"{number}.jsonl", [*posted, '{"order_id": "no number"}'])
        run = project.run(landing=str(tmp_path / "landing"))
        if posted or not number:
            expected.step(lines)
        else:
            expected.runs += 1
            assert run.messages["revenue"].startswith("skip: "), run.messages
        for query, rows in expected.tables().items():
            real = query.replace("from ", f"from {project.schema}_")
            assert Counter(project.sql(real)) == rows, (number, query)
        sent.clear()
        (pushed,) = delivery.push(dbt, None)
        assert pushed.is_done
        assert {region for region, _ in sent} == ({"eu"} if posted else set())
        for change in [change for _, batch in sent for change in batch]:
            receiver.take(change)
        received = [json.loads(row) for rows in held(receiver.table).values() for row in rows.elements()]
        assert (
            Counter((row["order_id"], row["line"], row["product"], Decimal(str(row["amount"]))) for row in received)
            == (expected.tables()["select order_id, line, product, amount from core.invoices"])
        )
    rejected = project.sql(f"select count(*) from {project.schema}_raw.web__order_lines__rejected")
    assert rejected == [(sum(1 for lines in STEPS if lines),)]

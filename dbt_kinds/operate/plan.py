"""What `dbt run` would do and why, as data and as a table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from rich.console import Console, ConsoleOptions, RenderResult
from rich.table import Table
from rich.text import Text

from dbt_kinds.operate.answers import Wait, known_fields, model_name, waits_text
from dbt_kinds.operate.compiled_queries import compiled_queries
from dbt_kinds.operate.dbt import Dbt
from dbt_kinds.operate.each_model import ask_each_model
from dbt_kinds.operate.intervals import Interval, count_text, intervals_text, rough_count_text, rough_duration_text


@dataclass(frozen=True)
class Estimate:
    """The cost of a run, estimated from earlier batches; empty if there were none."""

    seconds: float | None = None
    rows: int | None = None
    from_batches: int = 0

    def text(self) -> str:
        """`~2 min, ~1.2 M rows`, or `?`."""
        facts = [] if self.seconds is None else [f"~{rough_duration_text(self.seconds)}"]
        return ", ".join(facts + ([] if self.rows is None else [f"~{rough_count_text(self.rows)} rows"])) or "?"


@dataclass(frozen=True)
class Plan:
    """What a run would do with one model, as half-open intervals of ISO instants."""

    model: str
    unit: str = ""
    batches: list[Interval] = field(default_factory=list)
    to_go: int = 0
    waiting: list[Wait] = field(default_factory=list)
    estimate: Estimate | None = None
    reason: str = ""
    note: str | None = None
    refused: str | None = None

    @classmethod
    def of(cls, given: Mapping[str, Any]) -> Plan:
        """Parses a plan returned by the operation."""
        estimate = given.get("estimate")
        told = {"estimate": Estimate(**known_fields(Estimate, estimate)) if estimate else None}
        return cls(**known_fields(cls, given) | told | {"waiting": Wait.all_of(given)})

    @property
    def name(self) -> str:
        """The model's name without its package."""
        return model_name(self.model)


def read_plans(dbt: Dbt, select: str | None = None, *, full_refresh: bool = False) -> dict[str, Any]:
    """Asks the package what a run would do; returns the operation's answer, `{"operation": "plan", "plans": […]}`.

    For a model that is refused it only contains why, as `refused` and in the reason.

    Raises:
        KindsError: the package is not installed, dbt failed, or the operation did.
    """
    arguments: dict[str, Any] = {"full_refresh": True} if full_refresh else {}
    queries, uncompiled = compiled_queries(dbt, select, full_refresh=full_refresh)
    if queries:
        arguments["queries"] = queries
    answer, refused = ask_each_model(dbt, "plan", select, arguments, but=uncompiled)
    plans = answer.get("plans", []) + [
        {"model": model, "reason": f"refused: {told}", "refused": told}
        for model, told in (uncompiled | refused).items()
    ]
    return {**answer, "plans": sorted(plans, key=lambda plan: str(plan["model"]))}


def plans_of(answer: Mapping[str, Any]) -> list[Plan]:
    """The plans of the operation's answer."""
    return [Plan.of(plan) for plan in answer.get("plans", [])]


@dataclass(frozen=True)
class PlanTable:
    """The plans for a terminal: a table of what would run, in which batches, and why, followed by notes on models.

    Where a terminal is narrow, costs and reasons stand below what would be loaded.
    """

    plans: Sequence[Plan]

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Yields the table and the notes."""
        is_wide = options.max_width >= 110
        tells_costs = any(plan.estimate for plan in self.plans)
        table = Table(header_style="bold", box=None, pad_edge=False)
        # as in status: names are only wrapped if they would leave too little of 80 columns
        table.add_column("model", overflow="fold", no_wrap=all(len(plan.name) <= 28 for plan in self.plans))
        table.add_column("unit")
        table.add_column("batches", justify="right")
        table.add_column("would load" if is_wide else "would load, and why", no_wrap=is_wide, overflow="fold")
        if tells_costs and is_wide:
            table.add_column("will cost", no_wrap=True)
        if is_wide:
            table.add_column("why", overflow="fold")
        for plan in self.plans:
            chosen, cost, why = _batches(plan), _cost(plan), _why(plan)
            below = [part for part in (chosen, cost, why) if part]
            cells = [chosen, *([cost] if tells_costs else []), why] if is_wide else [Text("\n").join(below)]
            table.add_row(Text(plan.name), Text(plan.unit), _number(plan), *cells)
        yield table
        notes = [Text(f"{plan.name}: {plan.note}", "cyan") for plan in self.plans if plan.note]
        yield from [Text(), *notes] if notes else []


def plan_summary(plans: Sequence[Plan]) -> str:
    """One sentence about all plans."""
    busy = [plan for plan in plans if plan.batches]
    refused = [plan.name for plan in plans if plan.refused is not None]
    rest = len(plans) - len(busy) - len(refused)
    facts = []
    if busy:
        batches = count_text(sum(len(plan.batches) for plan in busy), "batch")
        facts.append(f"{batches} in {count_text(len(busy), 'model')}{_whole_cost(busy)}")
    if rest:
        facts.append(
            f"nothing to do in {rest:,} more" if busy else f"Nothing to do: {count_text(rest, 'model')} looked at"
        )
    if refused:
        facts.append(f"{len(refused):,} refused: {', '.join(refused)}")
    return f"{'; '.join(facts)}."


def _whole_cost(plans: Sequence[Plan]) -> str:
    seconds = [plan.estimate.seconds for plan in plans if plan.estimate and plan.estimate.seconds is not None]
    unknown = len(plans) - len(seconds)
    if not seconds:
        return ""
    return f", ~{rough_duration_text(sum(seconds))}" + (f" and what {unknown:,} of them will take" if unknown else "")


def _number(plan: Plan) -> Text:
    if plan.refused is not None:
        return Text()
    number = Text(f"{len(plan.batches):,}") if plan.batches else Text("0", "dim")
    return number.append(f"\n{plan.to_go:,} to go" if plan.to_go else "", "dim")


def _cost(plan: Plan) -> Text:
    return Text(plan.estimate.text() if plan.estimate and plan.batches else "")


def _why(plan: Plan) -> Text:
    if plan.refused is not None:
        return Text(plan.refused, "red")
    return Text(plan.reason, "" if plan.batches else "dim")


def _batches(plan: Plan) -> Text:
    if plan.refused is not None:
        return Text("refused", "red")
    waiting = Text(waits_text(plan.waiting), "blue")
    return Text("\n").join(text for text in (_chosen(plan.batches), waiting) if text) or Text("nothing", "dim")


def _chosen(batches: Sequence[Interval]) -> Text:
    if len(batches) <= 5:
        return Text(intervals_text(batches), "yellow")
    between = Text(f"\n… {len(batches) - 4:,} more …\n", "dim")
    return Text(intervals_text(batches[:3]), "yellow") + between + Text(intervals_text(batches[-1:]), "yellow")

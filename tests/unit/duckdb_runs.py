"""Runs of models in DuckDB that can be killed at a statement."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

from dbt_kinds.simulation.macros import Macros
from dbt_kinds.simulation.tables import Relation, as_json
from dbt_kinds.simulation.warehouse import Warehouse as Simulation

__all__ = ["DiedError", "Relation", "Warehouse", "as_json"]


class DiedError(Exception):
    """What a run that is killed at a statement is left with."""


@dataclass
class Warehouse(Simulation):
    """A warehouse whose next run is killed at a statement, before or after it is done."""

    dies_at: int | None = None
    dies_after_it: bool = False
    # what Spark would print of a model's query: nothing in it may give other rows when it runs again
    plan: str = "id: int\nProject [id#1]\n+- LocalRelation [id#1]"

    def run_query(self, sql: str) -> Any:
        # what bounds are compared with is asked in another way, which DuckDB does not show
        if sql.startswith("explain extended") and "__kinds_zone" not in sql:
            printed = f"== Analyzed Logical Plan ==\n{self.plan}\n== Optimized Logical Plan ==\n"
            return SimpleNamespace(rows=[(printed if self.plan else "",)])
        return super().run_query(sql)

    def run(self, *given: Any, **named: Any) -> None:
        """What `dbt run` does with one model; raises what it fails with."""
        try:
            super().run(*given, **named)
        finally:
            self.dies_at = None

    def end_failed_run(self, macros: Macros, name: str, invocation: str, error: Exception) -> None:
        if not isinstance(error, DiedError):
            with contextlib.suppress(DiedError):
                self.dies_at = None
                super().end_failed_run(macros, name, invocation, error)
            return
        # a session that is gone holds nothing
        self.unwritten = []
        released = {"event": "released", "relation": f"shop.{name}", "invocation_id": invocation}
        self.log.append({**released, "recorded_at": self.moment()})

    def do(self, name: str, sql: str) -> None:
        """A statement that changes something; the one that the run dies at is done or not done."""
        self.statements.append(name)
        is_last = self.dies_at is not None and len(self.statements) >= self.dies_at
        if is_last and name == "overwrite_table":
            # what a job leaves that dies while it replaces files
            self.ask(f"delete from {sql.split()[3]}")
        elif not is_last or self.dies_after_it:
            self.change(name, sql)
        if is_last:
            raise DiedError(name)

"""Processes that follow each other, each killed in the middle of a run."""

from __future__ import annotations

import random
import time
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

from tests.functional.process import DbtProcess, OwnSparkProject


class Relay:
    """Processes that follow each other on one metastore, each killed in the middle of a run.

    Derby lets one JVM in at a time. The next process starts its Spark while the one before it still works, and touches the
    metastore only when that one is gone.
    """

    def __init__(self, project: OwnSparkProject) -> None:
        self.project = project
        self.moment = random.Random(20240101)
        self.statements = Counter[str]()
        self.tally = Counter[str]()
        self._running, self._next = self._started(), self._started()
        self._running.result()

    def call(self, method: str, *arguments: Any, **keywords: Any) -> Any:
        """What a method of the project returns, in the process that now runs."""
        return self._running.call(method, *arguments, **keywords)

    def use_schema(self, schema: str) -> None:
        """Points the process that now runs to a schema, which is made if it is not there."""
        self.call("use_schema", schema)
        self.call("sql", "create schema if not exists {schema}")

    def invalidations(self, table: str) -> set[tuple[str, str, str]]:
        """When which interval of a table was taken back."""
        return set(
            self.call(
                "sql",
                "select recorded_at, interval_start, interval_end from {schema}.dbt_kinds_intervals "
                f"where event = 'invalidated' and relation = concat('{{schema}}', '.{table}')",
            )
        )

    def kill_a_run(self, title: str, *arguments: str, **variables: Any) -> None:
        """Begins `dbt run` and kills its process at a random one of its statements, or up to a second after that."""
        self.kill_a_command(title, "run", *arguments, **variables)

    def kill_before_a_record(self, title: str, **variables: Any) -> None:
        """Begins `dbt run` and kills its process as it is about to append a record, or those of some models that waited."""
        self._kill_at(f"{title}, before a record", 3, is_record, [0.0], "run", **variables)

    def kill_a_command(self, title: str, *command: str, **variables: Any) -> None:
        """Begins a command of dbt and kills its process at a random one of its statements, or up to a second after that."""
        delays = [0.0, self.moment.uniform(0, 0.1), self.moment.uniform(0, 1)]
        self._kill_at(title, 20, lambda statement: True, delays, *command, **variables)

    def _kill_at(
        self, title: str, usual: int, is_meant: Callable[[str], bool], delays: list[float], *command: str, **variables: Any
    ) -> None:  # fmt: skip
        """Kills a command at a random one of the statements that are meant, of which the first run has the usual number."""
        number = self.moment.randint(1, self.statements[title] or usual)
        self._running.begin("dbt", *command, **variables)
        sent = 0
        for said in self._running.said():
            sent += said.kind == "statement" and is_meant(said.text)
            if sent == number:
                break
        time.sleep(self.moment.choice(delays))
        self.statements[title] = max(self.statements[title], sent + max(1, usual // 4))
        self.kill(title)

    def begin(self, method: str, *arguments: Any, **keywords: Any) -> None:
        """Calls a method of the project in the process that now runs, and does not wait."""
        self._running.begin(method, *arguments, **keywords)

    def statements_of(self, method: str, *arguments: Any, **keywords: Any) -> Iterator[str]:
        """Calls a method of the project in the process that now runs; its statements, each as it is about to be sent."""
        self._running.begin(method, *arguments, **keywords)
        return (said.text for said in self._running.said() if said.kind == "statement")

    def kill(self, title: str) -> None:
        """Kills the process that now runs; the next one goes on."""
        self._running.kill()
        self.tally[f"{title}: {'after its end' if self._running.is_done else 'in the middle'}"] += 1
        self._running, self._next = self._next, self._started()
        self._running.result()

    def close(self) -> None:
        for process in (self._running, self._next):
            process.kill()

    def _started(self) -> DbtProcess:
        process = DbtProcess(self.project)
        process.begin("start")
        return process


def is_record(statement: str) -> bool:
    """Whether a statement appends a record of something that was loaded."""
    return "insert into" in statement and ".dbt_kinds_intervals" in statement and "'loaded'" in statement

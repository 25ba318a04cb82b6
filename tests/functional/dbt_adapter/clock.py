"""Runs dbt day after day, as a scheduler would: a kind loads what is missing, and on one day everything is there after the first run."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from typing import Any

import yaml
from dbt.cli.main import dbtRunner, dbtRunnerResult

_LOADING = {"run", "build"}


class Clock:
    """What the package takes for now; every command that loads finds it a day later."""

    def __init__(self) -> None:
        self.now = datetime(2024, 1, 1, 8)
        self._stands_still = False

    def tick(self) -> None:
        if not self._stands_still:
            self.now += timedelta(days=1)

    @contextmanager
    def at(self, moment: str) -> Iterator[None]:
        """For the while of a `with`, it is that moment."""
        before, self.now, self._stands_still = self.now, datetime.fromisoformat(moment), True
        yield
        self.now, self._stands_still = before, False


def runner(clock: Clock) -> type[dbtRunner]:
    """A dbtRunner that is told the time, and whose results are those of a project without hooks of a run, as the tests count them."""

    class Runner(dbtRunner):
        def invoke(self, args: list[str], **kwargs: Any) -> dbtRunnerResult:
            if _LOADING & set(args):
                clock.tick()
            result = super().invoke(_with_variable(args, "kinds_execution_time", clock.now.isoformat()), **kwargs)
            for_nodes = getattr(result.result, "results", None)
            if for_nodes is not None:
                result.result.results = [found for found in for_nodes if found.node.resource_type != "operation"]
            return result

    return Runner


def _with_variable(args: list[str], name: str, value: str) -> list[str]:
    if "--vars" not in args:
        return [*args, "--vars", yaml.safe_dump({name: value})]
    position = args.index("--vars") + 1
    variables = {name: value} | yaml.safe_load(args[position])
    return [*args[:position], yaml.safe_dump(variables), *args[position + 1 :]]

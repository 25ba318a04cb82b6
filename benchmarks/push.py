"""What `dbt-kinds push` costs besides its calls: with nothing pending, and with one change of each model.

Both are compared with an operation that does nothing.

    python -m benchmarks.push [--models 10] [--rounds 3]
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from statistics import median
from time import perf_counter

from rich.console import Console

from benchmarks.session import benchmark_project
from dbt_kinds.operate.dbt import Dbt, DbtOptions
from dbt_kinds.push import delivery
from tests.functional.project import Project

FUNCTION = "def push(changes):\n    return {change.id: 'ok' for change in changes}\n"


def main() -> None:
    """Runs the comparison and prints seconds."""
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--models", type=int, default=10)
    arguments.add_argument("--rounds", type=int, default=3)
    given = arguments.parse_args()

    with benchmark_project() as project:
        (project.folder / "sinks").mkdir()
        (project.folder / "sinks" / "receiver.py").write_text(FUNCTION)
        for number in range(given.models):
            project.kind(
                f"sent_{number}",
                f"select {number} as id, current_timestamp() as at",
                kind="full",
                config="file_format='iceberg'",
                start=None,
                sink="receiver",
            )
        folder = str(project.folder)
        dbt = Dbt(DbtOptions(folder, folder))
        project.run()
        delivery.push(dbt, None)
        rounds = [measured(project, dbt) for _ in range(given.rounds)]

    nothing, idle, busy = (median(one[at] for one in rounds) for at in range(3))
    Console().print(
        f"{given.models} models with a sink: an operation that does nothing takes {nothing:.2f} s; a push with nothing pending {idle:.2f} s "
        f"({idle / nothing:.1f} x), one with changes of all models {busy:.2f} s ({busy / nothing:.1f} x)",
        soft_wrap=True,
    )


def measured(project: Project, dbt: Dbt) -> list[float]:
    """Seconds of an operation that does nothing, of a push with nothing pending, and of one with changes of all models."""

    def push() -> None:
        if not all(one.is_done for one in delivery.push(dbt, None)):
            raise SystemExit("something is left")

    seconds = [timed(lambda: dbt.operation("outbox", {"about": []})), timed(push)]
    project.run()
    return [*seconds, timed(push)]


def timed(work: Callable[[], object]) -> float:
    started = perf_counter()
    work()
    return perf_counter() - started


if __name__ == "__main__":
    main()

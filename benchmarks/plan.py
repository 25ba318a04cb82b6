"""What a plan costs: models with years of hourly intervals loaded and nothing missing.

Time and statements by number of models, and by how many hours are loaded: a plan is to grow with the models only.

    python -m benchmarks.plan [--models 125 250 500] [--years 3] [--shapes all month days]
"""

from __future__ import annotations

import argparse
from datetime import datetime, timedelta
from time import perf_counter

from rich.console import Console
from rich.table import Table

from benchmarks.session import benchmark_project
from benchmarks.stored_events import append_loads
from tests.functional.project import Project

SHAPES = ["all", "month", "days"]
FIRST = datetime(2024, 1, 1)
QUERY = "select cast(1 as int) as id, timestamp '2024-01-01 00:00:00+00:00' as ts"


def main() -> None:
    """Runs the comparison and prints seconds and statements."""
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--models", type=int, nargs="*", default=[125, 250, 500])
    arguments.add_argument("--years", type=int, default=3)
    arguments.add_argument("--shapes", nargs="*", choices=SHAPES, default=SHAPES)
    given = arguments.parse_args()
    most = max(given.models)
    hours = given.years * 365 * 24

    table = Table(
        "models", "hours loaded of each", "in loads of", "statements", "all of dbt, s", "plan alone, s", "a model, ms",
        title="dbt run-operation dbt_kinds.plan, nothing missing",
    )  # fmt: skip
    with benchmark_project() as project:
        for number in range(most):
            parent = f"-- {{{{ ref('model_{number - 1}') }}}}\n" if number % 10 else ""
            project.kind(f"model_{number}", parent + QUERY, config="file_format='parquet'", cron="@hourly")
        # the shape of the log: a load an hour of the last week, or one backfill of all of it
        shapes = {"all": (hours, hours), "month": (720, 720), "days": (hours // 24 * 24, 24)}
        for title in given.shapes:
            loaded, load_hours = shapes[title]
            project.use_schema(f"plan_{title}")
            project.sql("create schema {schema}")
            for number in range(most):
                project.sql(
                    f"create table {{schema}}.model_{number} (id int, ts timestamp) using parquet partitioned by (ts)"
                )
            # of one that no other reads: it counts as loaded just now
            project.operation("record", select="model_9", start="2024-01-01", end="2024-01-02")
            append_loads(project, most, loaded // load_hours, hours=load_hours, files=1)
            for models in given.models if title == "all" else [most]:
                cells = measured(project, models, FIRST + timedelta(hours=loaded))
                table.add_row(f"{models:,}", f"{loaded:,}", f"{load_hours:,} h", *cells)
    Console(width=120).print(table)


def measured(project: Project, models: int, now: datetime) -> list[str]:
    """Statements, seconds of the whole invocation, those of the plan, milliseconds of it a model."""
    select = " ".join(f"model_{number}" for number in range(models))
    stamps: list[datetime] = []
    statements: list[str] = []

    def listen(event: object) -> None:
        info = event.info  # type: ignore[attr-defined]
        if info.name == "SQLQuery":
            statements.append(event.data.sql)  # type: ignore[attr-defined]
            stamps.append(datetime.now())
        elif info.name == "PrintEvent":
            stamps.append(datetime.now())

    project.listeners = [listen]
    began = perf_counter()
    answer = project.operation("plan", now=now.isoformat(), select=select)
    seconds = perf_counter() - began
    project.listeners = []
    if len(answer["plans"]) != models or any(plan["batches"] for plan in answer["plans"]):
        raise SystemExit(f"something was due: {[plan['reason'] for plan in answer['plans'] if plan['batches']][:3]}")
    alone = (stamps[-1] - stamps[0]).total_seconds()
    return [f"{len(statements):,}", f"{seconds:.1f}", f"{alone:.2f}", f"{1000 * alone / models:.1f}"]


if __name__ == "__main__":
    main()

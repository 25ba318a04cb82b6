"""What `dbt run` costs when nothing is missing: models of a kind against models that do nothing.

Both projects have the same number of models and run in one Spark session; the difference, by model, is what a kind
costs above dbt's own start-up.

    python -m benchmarks.up_to_date [--models 20] [--rounds 5]
"""

from __future__ import annotations

import argparse
from statistics import median
from time import perf_counter

from rich.console import Console

from benchmarks.session import benchmark_project
from tests.functional.project import Project

NOTHING = """{% materialization nothing, default %}
  {% call noop_statement('main', 'OK') %}{% endcall %}
  {{ return({'relations': [this]}) }}
{% endmaterialization %}"""

NOW = "2024-01-05"


def main() -> None:
    """Runs the comparison and prints seconds a model."""
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--models", type=int, default=20)
    arguments.add_argument("--rounds", type=int, default=5)
    given = arguments.parse_args()

    with benchmark_project() as project:
        (project.folder / "macros" / "nothing.sql").write_text(NOTHING)
        for number in range(given.models):
            query = f"select id, timestamp '2024-01-01 00:00:00+00:00' + make_interval(0, 0, 0, id) as ts, {number} as n from range(4)"
            project.kind(f"kind_{number}", query, config="file_format='iceberg', tags=['kind']")
            project.model(
                f"nothing_{number}", f"{{{{ config(materialized='nothing', tags=['nothing']) }}}}\nselect {number} as n"
            )
        project.run("--select", "tag:kind", now=NOW)
        seconds = {tag: median(timed(project, tag) for _ in range(given.rounds)) for tag in ("nothing", "kind")}

    above = (seconds["kind"] - seconds["nothing"]) / given.models
    Console().print(
        f"{given.models} models, nothing missing: dbt run takes {seconds['kind']:.2f} s, {seconds['nothing']:.2f} s with models that "
        f"do nothing; a kind costs {above:.3f} s a model ({seconds['kind'] / seconds['nothing']:.2f} x), {above * given.models:.1f} s in all "
        f"(goal: 5 s for 1,000)",
        soft_wrap=True,
    )


def timed(project: Project, tag: str) -> float:
    started = perf_counter()
    run = project.run("--select", f"tag:{tag}", now=NOW)
    elapsed = perf_counter() - started
    if tag == "kind" and set(run.messages.values()) != {"OK up to date"}:
        raise SystemExit(f"something was missing: {run.messages}")
    return elapsed


if __name__ == "__main__":
    main()

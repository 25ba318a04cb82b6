"""What it costs to go by what changed: `append` and `tracked` against the same query built anew, `full`, on Iceberg.

A source of 5 million rows gains 1 % before each round; then 1 % of its 500,000 groups change before each round. Seconds are those of a whole `dbt run`.

    python -m benchmarks.changes [--rows 5000000] [--rounds 5]
"""

from __future__ import annotations

import argparse
from statistics import median
from time import perf_counter

from rich.console import Console

from benchmarks.session import benchmark_project
from tests.functional.project import Project

GROUP = 10
# models, the one that goes by what changed first, and how much faster it should be
GOALS = {("gained", "built_anew"): 10, ("grouped", "grouped_anew"): 2}


def main() -> None:
    """Runs the comparison and prints seconds and ratios."""
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--rows", type=int, default=5_000_000)
    arguments.add_argument("--rounds", type=int, default=5)
    given = arguments.parse_args()
    with benchmark_project() as project:
        write_project(project, given.rows)
        project.run(now="2024-01-01")
        share = given.rows // 100
        for number in range(given.rounds):
            first = given.rows + number * share
            project.sql(f"insert into {{schema}}.orders {made_rows(first, first + share)}")
            time_both(project, number, "gained", "built_anew")
        for number in range(given.rounds):
            first = number * share
            project.sql(
                f"update {{schema}}.orders set amount = amount + 1 where id between {first} and {first + share - 1}"
            )
            time_both(project, given.rounds + number, "grouped", "grouped_anew")
    for (changed, anew), goal in GOALS.items():
        ours, theirs = median(SECONDS[changed]), median(SECONDS[anew])
        Console().print(
            f"{changed}: {ours:.1f} s, {anew}: {theirs:.1f} s, {theirs / ours:.1f} times faster (goal: {goal})",
            soft_wrap=True,
        )


SECONDS: dict[str, list[float]] = {model: [] for models in GOALS for model in models}


def made_rows(first: int, last: int) -> str:
    """SQL of rows with ids from the first up to the last."""
    return (
        f"select id, id div {GROUP} as customer, cast(id % 977 as decimal(10, 2)) as amount, concat('order ', id % 5000) as title, "
        f"timestamp'2024-01-01' + make_dt_interval(0, 0, 0, id % 86400) as ordered_at from range({first}, {last})"
    )


def write_project(project: Project, rows: int) -> None:
    """The source, and each query as the kind that goes by what changed and as `full`."""
    project.sql(f"create table {{schema}}.orders using iceberg as {made_rows(0, rows)}")
    (project.folder / "models" / "sources.yml").write_text(
        f"sources: [{{name: src, schema: {project.schema}, tables: [{{name: orders}}]}}]"
    )
    query = (
        "select id, customer, upper(title) as title, amount * 1.19 as gross, date(ordered_at) as day from SOURCE as o"
    )
    source = "{{ source('src', 'orders') }}"
    captured = "{{ dbt_kinds.changes_of(source('src', 'orders')) }}"
    config = "file_format='iceberg'"
    project.kind(
        "gained", query.replace("SOURCE", captured), kind="append", config=config, start=None, capture="snapshot"
    )
    project.kind(
        "grouped", query.replace("SOURCE", source), kind="tracked", config=config, start=None, group_key="customer"
    )
    for name in ("built_anew", "grouped_anew"):
        project.kind(name, query.replace("SOURCE", source), kind="full", config=config, start=None)


def time_both(project: Project, number: int, changed: str, anew: str) -> None:
    """Times a run of each and checks that both tables hold the same, and that the first has one commit more."""
    commits = f"select count(*) from {{schema}}.{changed}.snapshots"
    before = project.sql(commits)[0][0]
    for model in (changed, anew):
        started = perf_counter()
        project.run("--select", model, now=f"2024-01-{number + 2:02}")
        SECONDS[model].append(perf_counter() - started)
    if project.sql(commits)[0][0] != before + 1:
        raise SystemExit(f"{changed} made {project.sql(commits)[0][0] - before} commits")
    sums = [project.sql(f"select count(*), sum(id), sum(gross) from {{schema}}.{model}") for model in (changed, anew)]
    if sums[0] != sums[1]:
        raise SystemExit(f"{changed} holds {sums[0]}, {anew} {sums[1]}")


if __name__ == "__main__":
    main()

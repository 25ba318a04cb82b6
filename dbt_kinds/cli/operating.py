"""Commands about the tables of a project: what they have, what a run would load, how runs ended."""

from __future__ import annotations

import dataclasses
from contextlib import suppress
from pathlib import Path
from time import sleep
from typing import TYPE_CHECKING

import click
from rich.console import Console
from rich.live import Live

from dbt_kinds.cli.group import examples, main
from dbt_kinds.cli.options import asks_dbt, json_option, limit_option
from dbt_kinds.cli.printing import NO_MODELS, print_json, print_table, say, talk
from dbt_kinds.operate.completion import complete_models

if TYPE_CHECKING:
    from dbt_kinds.operate.dbt import Dbt


@main.command(
    epilog=examples("plan --select flights", 'plan --vars "{kinds_start: 2024-06-01, kinds_end: 2024-07-01}"')
)
@asks_dbt
@click.option("--full-refresh", is_flag=True, help="Plan a run with --full-refresh.")
@json_option
def plan(dbt: Dbt, select: str | None, full_refresh: bool, as_json: bool) -> None:
    """Show what a run would load, in which batches and why. Writes nothing. Exits with 1 if a model is refused."""
    from dbt_kinds.operate.plan import PlanTable, plan_summary, plans_of, read_plans

    answer = read_plans(dbt, select, full_refresh=full_refresh)
    plans = plans_of(answer)
    if as_json:
        print_json(answer)
    else:
        print_table(PlanTable(plans))
        say(plan_summary(plans) if plans else NO_MODELS)
    if any(plan.refused is not None for plan in plans):
        click.get_current_context().exit(1)


@main.command(
    epilog=examples(
        "backfill flights --start 2024-01-01 --end 2024-07-01 --workers 8",
        "backfill flights --start 2024-03-01 --end 2024-03-08 --restate",
    )
)
@asks_dbt
@click.argument("model", required=False, shell_complete=complete_models)
@click.option("--start", required=True, metavar="INSTANT", help="The beginning of the window, such as 2024-01-31; UTC.")
@click.option("--end", required=True, metavar="INSTANT", help="The end of the window, which is not loaded.")
@click.option(
    "--workers",
    type=click.IntRange(min=1),
    help="How many runs at once; by default the model's batch_concurrency. An embedded session has one.",
)
@click.option("--restate", "restates", is_flag=True, help="Also load what is recorded in the window.")
@json_option
def backfill(
    dbt: Dbt,
    select: str | None,
    *,
    model: str | None,
    start: str,
    end: str,
    workers: int | None,
    restates: bool,
    as_json: bool,
) -> None:
    """Load what a model lacks in a window, in parts, several of them at once. Exits with 1 if a part failed."""
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

    from dbt_kinds.operate import backfill as backfilling
    from dbt_kinds.operate.answers import model_name
    from dbt_kinds.operate.intervals import count_text, duration_text, interval_text, total_seconds

    if (model is None) == (select is None):
        raise click.UsageError("give the name of one model, as in backfill flights --start … --end …")
    todo, parts = backfilling.prepare(dbt, model or select or "", (start, end), workers=workers, restates=restates)
    if parts:
        counts = f"{count_text(len(parts), 'part')}, {count_text(todo.workers, 'worker')}"
        say(f"{interval_text((todo.start, todo.end))}: {counts}")
        with Progress(
            TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), TimeRemainingColumn(), console=talk
        ) as bar:
            task = bar.add_task(model_name(todo.model), total=total_seconds(todo.planned))
            backfilling.run(dbt, todo, parts, lambda seconds: bar.advance(task, seconds))
    if as_json:
        print_json(dataclasses.asdict(todo))
    else:
        for failure in todo.failed:
            say(f"{interval_text((failure.start, failure.end))}: {failure.message}")
        loaded = duration_text(total_seconds(todo.loaded))
        say(f"loaded {loaded} of data in {duration_text(todo.seconds)}" if parts else "nothing is missing there")
    if not todo.is_done:
        click.get_current_context().exit(1)


@main.command(epilog=examples("doctor --target prod"))
@asks_dbt
@json_option
def doctor(dbt: Dbt, select: str | None, as_json: bool) -> None:
    """Report problems with the setup and how to fix them. Writes nothing. Exits with 1 on an error."""
    from dbt_kinds.operate.doctor import diagnosis_lines, read_diagnosis

    diagnosis = read_diagnosis(dbt, select)
    if as_json:
        print_json(dataclasses.asdict(diagnosis))
    else:
        for line in diagnosis_lines(diagnosis):
            Console().print(line, highlight=False, soft_wrap=True)
    if diagnosis.has_errors:
        click.get_current_context().exit(1)


@main.command(epilog=examples("status", 'status --select "flights weather" --watch 10', "status --max-age 26h"))
@asks_dbt
@click.option("--max-age", metavar="AGE", help="Exit with 1 only for what ended longer ago than this, such as 26h.")
@click.option("--watch", type=click.IntRange(min=1), metavar="SECONDS", help="Refresh at this interval until Ctrl-C.")
@json_option
def status(dbt: Dbt, select: str | None, *, max_age: str | None, watch: int | None, as_json: bool) -> None:
    """Show which intervals each model's table has and lacks. Exits with 1 if any are missing, or a model is refused."""
    from dbt_kinds.operate.status import read_status, status_table

    if watch is not None and as_json:
        raise click.UsageError("--json prints once; drop it, or --watch")
    told = read_status(dbt, select, max_age)
    if watch is not None:
        with (
            Live(status_table(told.models), console=Console(), auto_refresh=False) as shown,
            suppress(KeyboardInterrupt),
        ):
            while True:
                sleep(watch)
                told = read_status(dbt, select, max_age)
                shown.update(status_table(told.models), refresh=True)
        click.get_current_context().exit(1 if told.needs_someone else 0)
    if as_json:
        print_json([dataclasses.asdict(model) for model in told.models])
    else:
        print_table(status_table(told.models))
        if not told.models:
            say(NO_MODELS)
    if told.needs_someone:
        click.get_current_context().exit(1)


@main.command(epilog=examples("history --select flights --limit 5", "history --select flights --day 2024-03-03"))
@asks_dbt
@limit_option(20)
@click.option("--day", help="Only runs that loaded this day or took it back, such as 2024-01-31.")
@json_option
def history(dbt: Dbt, select: str | None, limit: int, day: str | None, as_json: bool) -> None:
    """Show the latest runs: what they loaded, how long they took and how they ended."""
    from dbt_kinds.operate.history import history_table, read_history

    runs = read_history(dbt, select, limit=limit, day=day)
    if as_json:
        return print_json([dataclasses.asdict(run) for run in runs])
    print_table(history_table(runs, with_circumstances=day is not None))
    if not runs:
        say("No run is recorded for these models in this target.")


REPORT_FILE = "dbt_kinds_report.html"


@main.command(epilog=examples("report --html public/coverage.html"))
@asks_dbt
@click.option(
    "--html",
    "file",
    type=click.Path(dir_okay=False, resolve_path=True, path_type=Path),
    is_flag=False,
    flag_value=REPORT_FILE,
    default=REPORT_FILE,
    show_default=True,
    help="The file to write.",
)
@limit_option(1000)
def report(dbt: Dbt, select: str | None, file: Path, limit: int) -> None:
    """Write an HTML file with a timeline of every model. It opens in a browser, without network access."""
    from dbt_kinds.operate.report import read_report, write_report

    write_report(read_report(dbt, select, limit=limit), file)
    say(f"Written to {file}")

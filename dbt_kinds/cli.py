"""The command `dbt-kinds`: options and printing, nothing else."""

from __future__ import annotations

import dataclasses
import functools
import json
import os
import random
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from time import sleep
from typing import TYPE_CHECKING, Any, TextIO

import click
import yaml
from rich.console import Console
from rich.live import Live
from rich.markup import escape

import dbt_kinds
from dbt_kinds.errors import KindsError
from dbt_kinds.local.jars import FORMATS
from dbt_kinds.operate.completion import complete_models

if TYPE_CHECKING:
    from dbt_kinds.migrate.conversion import MigrateOptions
    from dbt_kinds.migrate.results import Migration
    from dbt_kinds.operate.dbt import Dbt

talk = Console(stderr=True)


class Commands(click.Group):
    """Turns the errors this package explains into a message and exit code 2."""

    def invoke(self, ctx: click.Context) -> Any:
        """Runs the command."""
        try:
            return super().invoke(ctx)
        except KindsError as error:
            talk.print(f"[red]error[/] {escape(str(error))}", highlight=False, soft_wrap=True)
            ctx.exit(2)


class SelectsWords(click.Command):
    """A command that takes `--select a b` as dbt does."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parses the arguments."""
        return super().parse_args(ctx, joined_selection(args))


def joined_selection(arguments: list[str]) -> list[str]:
    """The arguments with all words that follow --select in one, except a last one that is the folder of a project."""
    joined: list[str] = []
    takes = False
    for at, word in enumerate(arguments):
        is_value = takes and not word.startswith("-")
        is_first = bool(joined) and joined[-1] in ("--select", "-s")
        is_last = at + 1 == len(arguments) or arguments[at + 1].startswith("-")
        is_folder = is_last and (Path(word) / "dbt_project.yml").is_file()
        if is_value and not is_first and not is_folder:
            joined[-1] += f" {word}"
        else:
            joined.append(word)
        takes = is_value or word in ("--select", "-s")
    return joined


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(dbt_kinds.__version__)
def main() -> None:
    """Model kinds with interval semantics for dbt on Spark."""


def examples(*lines: str) -> str:
    """The epilog of a command's help: its examples, one per line."""
    return "\b\nExamples:\n" + "\n".join(f"  dbt-kinds {line}" for line in lines)


def read_variables(ctx: click.Context, param: click.Parameter, value: str) -> dict[str, Any]:
    """Parses the value of `--vars`: a YAML mapping, as in dbt."""
    try:
        variables = yaml.safe_load(value) or {}
    except yaml.YAMLError as error:
        raise click.BadParameter(f"{value!r} is not YAML: {error}") from error
    if not isinstance(variables, dict):
        raise click.BadParameter(f"{value!r} is not a mapping; write 'name: value'")
    return variables


def asks_dbt(command: Callable[..., None]) -> Callable[..., None]:
    """Adds dbt's own options to a command, which is called with the project (`Dbt`) and the selection."""

    @functools.wraps(command)
    def with_dbt(
        *,
        project_dir: str | None,
        profiles_dir: str | None,
        profile: str | None,
        target: str | None,
        variables: dict[str, Any],
        **rest: Any,
    ) -> None:
        from dbt_kinds.operate.dbt import Dbt, DbtOptions

        command(Dbt(DbtOptions(project_dir, profiles_dir, profile, target, variables)), **rest)

    for option in (
        click.option(
            "--vars",
            "variables",
            callback=read_variables,
            default="{}",
            metavar="YAML",
            help="Variables for the run, as in dbt.",
        ),
        click.option(
            "--select",
            "-s",
            shell_complete=complete_models,
            help="Names of models, separated by spaces; default: all.",
        ),
        click.option("--target", "-t", help="The target in the profile."),
        click.option("--profile", help="The profile to use."),
        click.option("--profiles-dir", help="The folder of profiles.yml."),
        click.option("--project-dir", help="The folder of dbt_project.yml."),
    ):
        with_dbt = option(with_dbt)
    return with_dbt


json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON instead of text.")


def limit_option(default: int) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """The option `--limit` of the commands that list runs."""
    text = "How many of the latest runs to read."
    return click.option("--limit", type=click.IntRange(min=1), default=default, show_default=True, help=text)


def directory_option(default: str, text: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """The option `--dir` of the commands that keep data on disk."""
    folder = click.Path(file_okay=False, path_type=Path)
    return click.option("--dir", "directory", type=folder, default=Path(default), show_default=True, help=text)


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


@main.command(
    "compile",
    epilog=examples(
        "compile ../sqlmesh_project --out dbt_project", "compile ../sqlmesh_project --out dbt_project --check"
    ),
)
@click.argument("source", type=click.Path(path_type=Path))
@click.option("--out", required=True, type=click.Path(path_type=Path), help="The folder to write the dbt project to.")
@click.option(
    "--from",
    "tool",
    type=click.Choice(["sqlmesh", "vulcan", "smelt", "ondatrasql"]),
    help="The project's tool; detected by default.",
)
@click.option(
    "--adapter", type=click.Choice(["spark", "databricks"]), default="spark", show_default=True, help="The dbt adapter."
)
@click.option(
    "--spark", type=click.Choice(["3.5", "4.0", "4.1"]), default="3.5", show_default=True, help="The version of Spark."
)
@click.option("--name", help="The name of the dbt project.")
@click.option("--package", help="Where dbt deps finds dbt_kinds: a git URL with @revision, or a path.")
@click.option("--run-macros", is_flag=True, help="Run the project's Python macros, which are refused otherwise.")
@click.option(
    "--run-config", is_flag=True, help="Run the project's config.py, of which only literals are read otherwise."
)
@click.option(
    "--vars",
    "variables",
    default="{}",
    callback=read_variables,
    help="SQLMesh and Vulcan: values of variables, as YAML; they take precedence over the configuration.",
)
@click.option("--force", is_flag=True, help="Overwrite files that were edited by hand.")
@click.option("--check", is_flag=True, help="Write nothing; exit with 1 if a file would change.")
@click.option("--strict", is_flag=True, help="Also exit with 1 if anything needs review by a person.")
@click.option(
    "--audits-as-tests", is_flag=True, help="Convert audits to dbt tests, which check the whole table after a run."
)
@click.option(
    "--allow-downgrade",
    is_flag=True,
    help="smelt and OndatraSQL: on every run, rebuild models that may not run incrementally.",
)
@click.option(
    "--allow-delta",
    multiple=True,
    metavar="MODEL:CODE",
    help="OndatraSQL: accept an append although its query over the changes gives different rows.",
)
@json_option
def compile_command(*, strict: bool, as_json: bool, **request: Any) -> None:
    """Turn a SQLMesh, Vulcan, smelt or OndatraSQL project into a dbt project. The input is never changed."""
    from dbt_kinds.compile.convert import compile_project
    from dbt_kinds.compile.report import report_lines, report_table
    from dbt_kinds.compile.request import CompileRequest

    with talk.status("Reading") as status:
        report = compile_project(
            CompileRequest(**request),
            lambda file, done, total: status.update(f"Reading {done + 1} of {total}: {escape(file)}"),
        )
    if as_json:
        print_json(report.data())
    else:
        print_table(report_table(report), sys.stderr)
        for line in report_lines(report):
            talk.print(line, highlight=False, soft_wrap=True)
    click.get_current_context().exit(report.exit_code(strict=strict))


@main.command(epilog=examples("init", "init --write --start 2024-01-01", "init --local --write"))
@click.argument("directory", type=click.Path(path_type=Path), default=Path())
@click.option("--write", "writes", is_flag=True, help="Write the files.")
@click.option("--local", is_flag=True, help="Add the profile of an embedded Spark, as local-profile prints it.")
@click.option("--start", metavar="DAY", help="The first day that models load, such as 2024-01-31.")
@click.option("--package", help="Where dbt deps finds dbt_kinds: a git URL with @revision, or a path.")
def init(directory: Path, *, writes: bool, **given: Any) -> None:
    """Add the package to an existing dbt project. Prints a diff; --write applies it."""
    from dbt_kinds.init.steps import set_up

    setup = set_up(directory, **given)
    for diff in setup.diffs():
        click.echo(diff, nl=False)
    if writes:
        setup.write()
        if given["local"]:
            prepare_spark()
        say(f"written: {', '.join(setup.changed) or 'nothing, all is there'}")
    elif setup.changed:
        say(f"--write changes {', '.join(setup.changed)}")
    for sentence in setup.told:
        say(sentence)


@main.command(
    "local-profile", epilog=examples("local-profile > profiles.yml", "local-profile --format delta > profiles.yml")
)
@directory_option(".dbt_kinds", "Where tables and metastore are kept; written as an absolute path.")
@click.option("--name", default="local", show_default=True, help="The profile name that dbt_project.yml refers to.")
@click.option("--schema", default="analytics", show_default=True, help="The schema that models are written to.")
@click.option(
    "--threads", type=click.IntRange(min=1), default=4, show_default=True, help="How many models dbt runs at a time."
)
@click.option(
    "--format",
    "table_format",
    type=click.Choice(FORMATS),
    default="iceberg",
    show_default=True,
    help="The format whose catalog Spark gets. Its jars come from the folder KINDS_JARS, a wheel, or Maven.",
)
@click.option(
    "--spark", metavar="VERSION", help="The version of Spark, such as 4.1; by default the installed PySpark's."
)
def local_profile(directory: Path, name: str, schema: str, threads: int, table_format: str, spark: str | None) -> None:
    """Print a profiles.yml for an embedded Spark, which needs no server and no installed Java."""
    from dbt_kinds.local.profile import local_profile, render_profile

    profile = local_profile(
        directory, name=name, schema=schema, threads=threads, table_format=table_format, spark=spark
    )
    click.echo(render_profile(profile), nl=False)
    prepare_spark()


def prepare_spark() -> None:
    """Lets the installed Spark find Java wherever dbt starts it, or says what to do."""
    from dbt_kinds.local.java import bundled_java_home, find_java_home
    from dbt_kinds.local.launcher import prepare_launcher
    from dbt_kinds.local.profile import spark_home

    if prepare_launcher(spark_home()) is None and find_java_home() == bundled_java_home():
        talk.print(f"Spark finds no Java 17 by itself here; before dbt, run: export JAVA_HOME={bundled_java_home()}")


@main.command(
    epilog=examples(
        "collect --landing /landing --port 8080",
        "collect --landing /landing --port 8080 --host 0.0.0.0 --token-env COLLECT_TOKEN",
    )
)
@click.option(
    "--landing", required=True, type=click.Path(path_type=Path), help="The folder that holds all landing folders."
)
@click.option("--port", required=True, type=click.IntRange(1, 65535), help="The port to listen on.")
@click.option("--host", default="127.0.0.1", show_default=True, help="The address to listen on.")
@click.option("--token-env", metavar="NAME", help="The environment variable with the token that senders must pass.")
@click.option("--project-dir", type=click.Path(path_type=Path), default=Path(), help="The folder of dbt_project.yml.")
@click.option("--manifest", type=click.Path(path_type=Path), help="dbt's manifest; target/manifest.json by default.")
def collect(
    landing: Path, port: int, host: str, token_env: str | None, project_dir: Path, manifest: Path | None
) -> None:
    """Accept events over HTTP and land them as files for models of kind events. Runs until stopped."""
    from dbt_kinds.collect.targets import read_targets, read_token

    targets = read_targets(manifest or project_dir / "target" / "manifest.json")
    token = read_token(token_env)
    try:
        from dbt_kinds.collect import server
    except ImportError as error:
        raise KindsError(f"{error.name} is not installed: install dbt-kinds[collect]") from error
    server.check_reach(host, token)
    app = server.make_app(targets, landing, token)
    for address, target in sorted(targets.items()):
        say(f"POST http://{host}:{port}/collect/{address} lands in {landing / address}, {target.model}")
        if "://" not in target.read_from and Path(target.read_from).absolute() != (landing / address).absolute():
            say(f"  but {target.model} reads {target.read_from}: the two have to be one folder")
    server.serve(app, host, port)


@main.command(epilog=examples("push", "push --select customers --resync", "push --dead"))
@asks_dbt
@click.option("--resync", is_flag=True, help="Send whole tables as inserts, replacing pending changes.")
@click.option("--dead", "lists_dead", is_flag=True, help="List the dead letters, which are not retried; send nothing.")
@click.option("--retry", metavar="ID", help="Let the next push retry this dead letter; send nothing now.")
@json_option
def push(dbt: Dbt, select: str | None, *, resync: bool, lists_dead: bool, retry: str | None, as_json: bool) -> None:
    """Send the changes that runs made in models with a sink. Exits with 1 if any are left or dead."""
    from dbt_kinds.push import delivery

    if resync + lists_dead + (retry is not None) > 1:
        raise click.UsageError("--resync, --dead and --retry are three things to do; give one")
    if retry is not None:
        return say(f"{retry} of {delivery.revive(dbt, select, retry)} is sent again by the next push")
    if lists_dead:
        letters = delivery.dead_letters(dbt, select)
        if as_json:
            return print_json(letters)
        for letter in letters:
            say(f"{letter['id']} {letter['model']}: {letter['type']} of {letter['key']}: {letter['reason']}")
        return say(f"{len(letters)} dead")
    results = delivery.push(dbt, select, resync=resync)
    if as_json:
        print_json([dataclasses.asdict(result) for result in results])
    for result in () if as_json else results:
        say(f"{result.model}: {result.delivered} delivered, {result.left} left, {result.dead} dead")
        if result.gaps:
            say(f"  changes are missing, because a version of the table was gone; --select {result.model} --resync")
    if not all(result.is_done for result in results):
        click.get_current_context().exit(1)


@main.command(epilog=examples("demo"))
@directory_option(".dbt_kinds/demo", "Where the demo keeps its data; an earlier demo there is removed.")
@click.option(
    "--format",
    "table_format",
    type=click.Choice(["iceberg", "delta"]),
    default="iceberg",
    show_default=True,
    help="The format of most tables. Its jars come from the folder KINDS_JARS, a wheel, or Maven.",
)
def demo(directory: Path, table_format: str) -> None:
    """Load real flight data, fill missing days, punch a gap and fill exactly that gap."""
    from dbt_kinds.demo import run_demo

    run_demo(directory, Console(), table_format)


@main.command(epilog=examples("explain ../smelt_project"))
@click.argument("directory", type=click.Path(path_type=Path))
@click.option("--from", "origin", type=click.Choice(["smelt"]), help="The project's tool; detected by default.")
@json_option
def explain(directory: Path, origin: str | None, as_json: bool) -> None:
    """Show whether each model may run on slices of time, and how far it reads. Exits with 1 if one may not.

    The same as check --from smelt.
    """
    from dbt_kinds.errors import UnreadableProjectError
    from dbt_kinds.readers.smelt.project import is_smelt_project

    if origin is None and not is_smelt_project(directory):
        raise UnreadableProjectError(f"{directory} has no smelt.yml; write --from smelt where it is a smelt project")
    explain_source(directory, strict=False, as_json=as_json)


def explain_source(directory: Path, *, strict: bool, as_json: bool) -> None:
    """Prints the verdicts on a smelt project; exits with 1 if a model is refused, with `strict` also on warnings."""
    from dbt_kinds.explain import explanation
    from dbt_kinds.readers.smelt.project import read_project
    from dbt_kinds.verdicts import findings_in, is_refused, report_lines, verdict_table

    project = read_project(directory)
    told = explanation(project)
    for warning in project.warnings:
        say(warning)
    if as_json:
        print_json(told)
    else:
        print_table(verdict_table(told))
        for line in report_lines(told):
            say(line)
    if is_refused(told) or (strict and (project.warnings or any(findings_in(told)))):
        click.get_current_context().exit(1)


@main.command(epilog=examples("check", "check --compile --fix", "check ../ondatrasql_project --from ondatrasql"))
@click.argument("directory", type=click.Path(path_type=Path), default=Path())
@click.option(
    "--target-path", default="target", show_default=True, help="The folder that dbt compile wrote its manifest to."
)
@click.option("--compile", "compiles", is_flag=True, help="Run dbt compile first, with the project's own profile.")
@click.option(
    "--fix", "fixes", is_flag=True, help="Write the derived bounds (as window_of) and the proof into the models."
)
@click.option(
    "--annotations", "as_annotations", is_flag=True, help="Print findings as GitHub annotations, shown in the diff."
)
@click.option("--sarif", "as_sarif", is_flag=True, help="Print findings as SARIF 2.1.0, for code scanning.")
@click.option(
    "--from",
    "tool",
    type=click.Choice(["smelt", "ondatrasql"]),
    help="Check the files of another tool's project instead.",
)
@click.option("--strict", is_flag=True, help="With --from: also exit with 1 on warnings.")
@json_option
def check(
    directory: Path,
    target_path: str,
    *,
    tool: str | None,
    strict: bool,
    compiles: bool,
    fixes: bool,
    as_annotations: bool,
    as_sarif: bool,
    as_json: bool,
) -> None:
    """Check that the models of a dbt project may run on slices of time. Exits with 1 if one may not.

    Reads target/manifest.json as dbt compile wrote it. With --from it reads the source files of another tool's
    project and reports what dbt-kinds compile would report.
    """
    if tool is not None:
        if compiles or fixes or as_annotations or as_sarif:
            raise click.UsageError("--from goes with --json and --strict only")
        if tool == "smelt":
            return explain_source(directory, strict=strict, as_json=as_json)
        return check_source(directory, strict=strict, as_json=as_json)
    from dbt_kinds.check import fix
    from dbt_kinds.check.annotations import annotation_lines
    from dbt_kinds.check.compiled_project import read_compiled_project
    from dbt_kinds.check.findings import check_project, told_of
    from dbt_kinds.check.sarif import sarif_log
    from dbt_kinds.operate.dbt import DbtOptions, invoke
    from dbt_kinds.verdicts import is_refused, report_lines, verdict_table

    if as_json + as_sarif + as_annotations > 1:
        raise click.UsageError("--json, --sarif and --annotations are three ways to print the same; give one")
    if compiles:
        invoke(["compile", "--target-path", target_path], DbtOptions(project_dir=str(directory)), quiet=True)
    project = read_compiled_project(directory, target_path)
    checked = check_project(project)
    told = told_of(checked)
    if as_json:
        print_json(told)
    elif as_sarif:
        print_json(sarif_log(told))
    elif as_annotations:
        for line in annotation_lines(told):
            click.echo(line)
    else:
        print_table(verdict_table(told))
        for line in report_lines(told):
            say(line)
        if not told["models"]:
            say(NO_MODELS)
    if fixes:
        found = list(fix.fixes(directory, project, checked))
        fix.write_fixes(directory, found)
        for line in fix.report_lines(found):
            say(line)
    if is_refused(told):
        click.get_current_context().exit(1)


def check_source(directory: Path, *, strict: bool, as_json: bool) -> None:
    """Prints the findings of an OndatraSQL project; exits with 1 on errors, with `strict` also on warnings."""
    from dbt_kinds.readers.ondatrasql.project import read_kinds_project

    _, findings = read_kinds_project(directory)
    if as_json:
        print_json(
            [
                {
                    "path": found.place.file,
                    "line": found.place.line,
                    "column": found.place.column,
                    "code": found.code.name,
                    "severity": found.severity,
                    "message": found.message,
                }
                for found in findings
            ]
        )
    else:
        for found in findings:
            say(f"{found.place}:{found.place.column}: {found.severity} {found.code}: {found.message}")
        say(f"{len(findings)} findings")
    grave = ("error", "warning") if strict else ("error",)
    if any(found.severity in grave for found in findings):
        click.get_current_context().exit(1)


@main.command(
    cls=SelectsWords,
    epilog=examples("migrate > migration.diff", "migrate --select orders payments --start 2024-01-01 --write"),
)
@click.argument("directory", type=click.Path(path_type=Path), default=Path())
@click.option("--write", "writes", is_flag=True, help="Write the files.")
@click.option("--allow-dirty", is_flag=True, help="Write even if the git tree has uncommitted changes.")
@click.option("--check", "checks", is_flag=True, help="Write nothing; exit with 1 if a file would change.")
@click.option("--select", "-s", multiple=True, metavar="MODEL", help="Models and snapshots by name; default: all.")
@click.option("--start", help="The start of models that do not set one.")
@click.option("--cron", help="When intervals are due, such as @hourly; sets the unit if no filter does.")
@click.option("--arrival", multiple=True, metavar="COLUMN", help="A column with the time a row was loaded.")
@click.option("--event", multiple=True, metavar="COLUMN", help="A column with the time of the event.")
@click.option("--dialect", help="The SQL dialect; default: the profile's.")
@click.option("--accept-full-reads", is_flag=True, help="Convert models that read their whole source to find new rows.")
@click.option(
    "--inline-macros",
    "inlines_macros",
    is_flag=True,
    help="Write the text of a macro that writes a query into the model that calls it.",
)
@click.option("--html", type=click.Path(path_type=Path), help="Write counts, reasons and diffs as a page, too.")
@click.option("--prove", "proves", is_flag=True, help="Play each conversion over random sources and runs in DuckDB.")
@click.option(
    "--runs", default=200, show_default=True, type=click.IntRange(1), help="How many runs --prove plays a model."
)
@click.option(
    "--seed", type=click.IntRange(0), help="The same seed plays the same runs; default: a new one, which is printed."
)
@json_option
def migrate(
    directory: Path,
    *,
    writes: bool,
    allow_dirty: bool,
    checks: bool,
    select: tuple[str, ...],
    as_json: bool,
    dialect: str | None,
    html: Path | None,
    proves: bool,
    runs: int,
    seed: int | None,
    **given: Any,
) -> None:
    """Convert hand-written incremental models of a dbt project to kinds. Prints a diff; --write applies it."""
    from dbt_kinds.errors import KindsError
    from dbt_kinds.migrate.conversion import MigrateOptions
    from dbt_kinds.migrate.git import changed_files
    from dbt_kinds.migrate.page import write_page
    from dbt_kinds.migrate.project import migrate_project, write_migration
    from dbt_kinds.migrate.results import report_lines

    if writes and checks:
        raise click.UsageError("--check writes nothing; drop it, or --write")
    if writes and not allow_dirty and (changed := changed_files(directory)):
        raise KindsError(
            f"{directory} has changes that are not committed "
            f"({', '.join(changed[:3])}{' …' if len(changed) > 3 else ''}); "
            "commit them first, so that the migration can be reviewed and taken back alone, or pass --allow-dirty"
        )
    names = [name for written in select for name in written.split()]
    with talk.status("Reading") as status:
        migration = migrate_project(
            directory,
            MigrateOptions(**given),
            names,
            lambda done, total: status.update(f"Reading {done} of {total}"),
            dialect,
        )
    if proves:
        prove_all(migration, directory, MigrateOptions(**given), dialect, runs, seed)
    if html is not None:
        write_page(migration, html)
    if as_json:
        print_json(migration.data())
    else:
        for result in migration.results:
            click.echo(result.diff, nl=False)
    for line in report_lines(migration):
        say(line)
    if writes:
        say(f"{len(list(write_migration(directory, migration)))} files written")
    if migration.has_failed or (checks and migration.would_change):
        click.get_current_context().exit(1)


def prove_all(
    migration: Migration, directory: Path, options: MigrateOptions, dialect: str | None, runs: int, seed: int | None
) -> None:
    """Plays each conversion over random sources and runs; those that differ are left."""
    from dbt_kinds.errors import KindsError

    try:
        from dbt_kinds.prove.project import Task, prove_migration
    except ImportError as error:
        raise KindsError(f"{error.name} is not installed; run pip install 'dbt-kinds[prove]'") from error

    seed = random.randrange(1_000_000) if seed is None else seed
    with talk.status("Proving") as status:
        prove_migration(
            migration,
            Task(directory.absolute(), options, dialect, runs, seed),
            lambda done, total: status.update(f"Proving {done} of {total}"),
        )


@main.command(epilog=examples("verify --select orders --start 2024-06-01 --end 2024-06-08"))
@click.argument("directory", type=click.Path(path_type=Path), default=Path())
@click.option("--select", "-s", required=True, metavar="MODEL", help="The model to compare.")
@click.option("--start", help="Start of the window, on an interval boundary.")
@click.option("--end", help="End of the window, exclusive.")
@click.option(
    "--old", type=click.Path(path_type=Path, exists=True), help="The file with the old model; default: git's HEAD."
)
@click.option("--sql-only", is_flag=True, help="Compare only columns and tables read, without a warehouse.")
@click.option("--profiles-dir", help="The folder of profiles.yml.")
@click.option("--profile", help="The profile to use.")
@click.option("--target", "-t", help="The target in the profile.")
@click.option(
    "--vars", "variables", callback=read_variables, default="{}", metavar="YAML", help="Variables for the run."
)
@json_option
def verify(
    directory: Path,
    *,
    select: str,
    start: str | None,
    end: str | None,
    old: Path | None,
    sql_only: bool,
    as_json: bool,
    **options: Any,
) -> None:
    """Compare the rows of a migrated model with those of its old version over a window. Exits with 1 if they differ."""
    from dbt_kinds.migrate import verify as verifying
    from dbt_kinds.migrate.sql_only import compare_texts
    from dbt_kinds.operate.dbt import DbtOptions

    if sql_only:
        differences = compare_texts(directory, select, old)
        for line in differences or [f"{select}: same columns and tables"]:
            say(line)
        click.get_current_context().exit(1 if differences else 0)
    if start is None or end is None:
        raise click.UsageError("--start and --end say which window to compare")
    verdict = verifying.verify(directory, select, start, end, DbtOptions(**options), old)
    if as_json:
        print_json(dataclasses.asdict(verdict) | {"is_same": verdict.is_same})
    else:
        for line in verifying.verdict_lines(verdict):
            say(line)
    click.get_current_context().exit(0 if verdict.is_same else 1)


NO_MODELS = "No model of this project is of a kind; set materialized='incremental_by_time_range' in a model's config."


def say(sentence: str) -> None:
    """Prints a message for people to stderr."""
    talk.print(escape(sentence), highlight=False, soft_wrap=True)


def print_json(data: Any) -> None:
    """Prints data for programs to stdout."""
    click.echo(json.dumps(data, indent=2))


def print_table(table: Any, stream: TextIO | None = None) -> None:
    """Prints a table to stdout or another stream; in a file or pipe, lines are not wrapped at 80 columns."""
    stream = stream or sys.stdout
    is_wide = not stream.isatty() and "COLUMNS" not in os.environ
    Console(file=stream, width=240 if is_wide else None).print(table)

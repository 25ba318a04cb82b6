"""Commands that turn other models into models of a kind: compile, migrate and verify."""

from __future__ import annotations

import dataclasses
import logging
import random
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from rich.markup import escape

from dbt_kinds.cli.group import SelectsWords, examples, main
from dbt_kinds.cli.options import json_option, read_variables
from dbt_kinds.cli.printing import print_json, print_table, say, talk
from dbt_kinds.errors import KindsError

if TYPE_CHECKING:
    from dbt_kinds.migrate.conversion import MigrateOptions
    from dbt_kinds.migrate.results import Migration


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

    # what it cannot read is told with its place
    logging.getLogger("sqlglot").setLevel(logging.ERROR)
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

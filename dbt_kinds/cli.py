"""The command `dbt-kinds`: options and printing, nothing else."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
import yaml
from rich.console import Console

import dbt_kinds
from dbt_kinds.errors import KindsError

talk = Console(stderr=True)


class Commands(click.Group):
    """Turns the errors this package explains into a message and exit code 2."""

    def invoke(self, ctx: click.Context) -> Any:
        """Runs the command."""
        try:
            return super().invoke(ctx)
        except KindsError as error:
            talk.print(f"[red]error[/] {error}", highlight=False, soft_wrap=True)
            ctx.exit(2)


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(dbt_kinds.__version__)
def main() -> None:
    """Model kinds with interval semantics for dbt on Spark."""


def dbt_options(command: Callable[..., None]) -> Callable[..., None]:
    """Adds dbt's own options to a command."""
    for option in (
        click.option(
            "--vars", "variables", default="{}", metavar="YAML", help="Variables of the run, as dbt takes them."
        ),
        click.option("--select", "-s", help="Models, separated by spaces; all by default."),
        click.option("--target", "-t", help="The target of the profile."),
        click.option("--profile", help="The profile to use."),
        click.option("--profiles-dir", help="Where profiles.yml is."),
        click.option("--project-dir", help="Where dbt_project.yml is."),
    ):
        command = option(command)
    return command


def directory_option(default: str, text: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """The option `--dir` of the commands that keep data somewhere."""
    folder = click.Path(file_okay=False, path_type=Path)
    return click.option("--dir", "directory", type=folder, default=Path(default), show_default=True, help=text)


@main.command()
@dbt_options
@click.option("--json", "as_json", is_flag=True, help="Print data instead of a table.")
def status(
    project_dir: str | None,
    profiles_dir: str | None,
    profile: str | None,
    target: str | None,
    select: str | None,
    variables: str,
    as_json: bool,
) -> None:
    """Show what every model's table holds and lacks. Exits with 1 when something is missing."""
    from dbt_kinds.operate.dbt import DbtOptions
    from dbt_kinds.operate.status import read_status, status_table

    options = DbtOptions(project_dir, profiles_dir, profile, target, yaml.safe_load(variables) or {})
    models = read_status(select, options)
    if as_json:
        click.echo(json.dumps([dataclasses.asdict(model) for model in models], indent=2))
    else:
        Console().print(status_table(models))
    if any(model.missing for model in models):
        click.get_current_context().exit(1)


@main.command("local-profile")
@directory_option(".dbt_kinds", "Where tables and metastore are kept; made absolute.")
@click.option("--name", default="local", show_default=True, help="The profile's name, as dbt_project.yml calls it.")
@click.option("--schema", default="analytics", show_default=True, help="The schema models are written to.")
@click.option("--threads", type=click.IntRange(min=1), default=4, show_default=True, help="Models dbt runs at a time.")
def local_profile(directory: Path, name: str, schema: str, threads: int) -> None:
    """Print a profiles.yml for an embedded Spark with Iceberg; no server and no Java needed."""
    from dbt_kinds.local.java import bundled_java_home, find_java_home, supply_java
    from dbt_kinds.local.profile import local_profile, render_profile, spark_home

    click.echo(render_profile(local_profile(directory, name=name, schema=schema, threads=threads)), nl=False)
    if supply_java(spark_home()) is None and find_java_home() == bundled_java_home():
        talk.print(f"Spark finds no Java 17 by itself here; before dbt, run: export JAVA_HOME={bundled_java_home()}")


@main.command()
@directory_option(".dbt_kinds/demo", "Where the demonstration keeps its data; an earlier one is removed.")
def demo(directory: Path) -> None:
    """Load real flight data, fill missing days, punch a gap, and fill exactly that."""
    from dbt_kinds.demo import run_demo

    run_demo(directory, Console())

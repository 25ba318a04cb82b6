"""Options that several commands take."""

from __future__ import annotations

import functools
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
import yaml

from dbt_kinds.operate.completion import complete_models


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

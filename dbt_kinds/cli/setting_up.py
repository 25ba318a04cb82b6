"""Commands for the first day: init, local-profile and demo."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click
from rich.console import Console

from dbt_kinds.cli.group import examples, main
from dbt_kinds.cli.options import directory_option
from dbt_kinds.cli.printing import say, talk
from dbt_kinds.local.jars import FORMATS


@main.command(epilog=examples("init", "init --write --start 2024-01-01", "init --local --write"))
@click.argument("directory", type=click.Path(path_type=Path), default=Path())
@click.option("--write", "writes", is_flag=True, help="Write the files.")
@click.option("--local", is_flag=True, help="Add the profile of an embedded Spark, as local-profile prints it.")
@click.option("--start", metavar="DAY", help="The first day that models load, such as 2024-01-31.")
@click.option("--package", help="Where dbt deps finds dbt_kinds: a git URL with @revision, or a path.")
def init(directory: Path, *, writes: bool, **given: Any) -> None:
    """Add the package to an existing dbt project. Prints a diff; --write applies it."""
    from dbt_kinds.init.steps import PROFILES, set_up

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
    if PROFILES in setup.changed:
        say_what_spark_fetches("iceberg")
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
    say_what_spark_fetches(table_format, spark)


def say_what_spark_fetches(table_format: str, spark: str | None = None) -> None:
    """Says which jars Spark fetches when it starts, if it does."""
    from dbt_kinds.local.jars import what_spark_fetches

    if (told := what_spark_fetches(table_format, spark)) is not None:
        say(told)


def prepare_spark() -> None:
    """Lets the installed Spark find Java wherever dbt starts it, or says what to do."""
    from dbt_kinds.local.java import bundled_java_home, find_java_home
    from dbt_kinds.local.launcher import prepare_launcher
    from dbt_kinds.local.profile import spark_home

    if prepare_launcher(spark_home()) is None and find_java_home() == bundled_java_home():
        talk.print(f"Spark finds no Java 17 by itself here; before dbt, run: export JAVA_HOME={bundled_java_home()}")


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

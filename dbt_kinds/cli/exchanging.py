"""Commands that exchange rows with other systems: collect takes events in, push sends changes out."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import TYPE_CHECKING

import click

from dbt_kinds.cli.group import examples, main
from dbt_kinds.cli.options import asks_dbt, json_option
from dbt_kinds.cli.printing import print_json, say
from dbt_kinds.errors import KindsError

if TYPE_CHECKING:
    from dbt_kinds.operate.dbt import Dbt


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

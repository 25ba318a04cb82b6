"""The targets of posts: the models of kind `events` in dbt's manifest."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from dbt_kinds.errors import KindsError, UnreadableProjectError


@dataclass(frozen=True)
class Column:
    """A declared column of a model: its name, its Spark type, and whether it may be NULL."""

    name: str
    data_type: str
    not_null: bool = False


@dataclass(frozen=True)
class Target:
    """A model of kind events. `address` is the end of its URL, `<schema>/<table>`; `read_from` is its landing
    folder.
    """

    model: str
    address: str
    read_from: str
    columns: tuple[Column, ...]


def read_targets(manifest: Path) -> dict[str, Target]:
    """A project's models of kind events by address, from the manifest that `dbt parse` and every run write.

    Raises:
        UnreadableProjectError: there is no manifest, it is not one of dbt's, it has no model of kind events, or two
            models have the same address.
    """
    if not manifest.is_file():
        raise UnreadableProjectError(f"{manifest} does not exist; run dbt parse first, or name another by --manifest")
    try:
        nodes = json.loads(manifest.read_text("utf-8"))["nodes"].values()
        found = [_target(node) for node in nodes if node["config"].get("materialized") == "events"]
    except (ValueError, KeyError, TypeError) as error:
        raise UnreadableProjectError(f"{manifest} is no manifest of dbt: {error}; run dbt parse again") from error
    targets: dict[str, Target] = {}
    for target in found:
        if target is None:
            continue
        if target.address in targets:
            raise UnreadableProjectError(
                f"the models {targets[target.address].model} and {target.model} read folders that both end in "
                f"{target.address}, which is where events are posted to; rename one"
            )
        targets[target.address] = target
    if not targets:
        raise UnreadableProjectError(f"{manifest} has no model of the kind events with landing: {{path: …}}")
    return targets


def read_token(variable: str | None) -> str | None:
    """The token in an environment variable; None if no variable is named.

    Raises:
        KindsError: the variable is empty or not set.
    """
    token = os.environ.get(variable, "").strip() if variable else None
    if token == "":
        raise KindsError(f"the environment variable {variable}, which --token-env names, is empty or not set")
    return token


def _target(node: Mapping[str, Any]) -> Target | None:
    meta = {**(node.get("meta") or {}), **(node["config"].get("meta") or {})}
    landing = meta.get("landing")
    path = landing.get("path") if isinstance(landing, Mapping) else None
    ends = PurePosixPath(path).parts[-2:] if isinstance(path, str) else ()
    if len(ends) < 2 or "/" in ends:
        return None
    columns = tuple(
        Column(str(column["name"]), str(column["data_type"]), column.get("not_null") is True)
        for column in meta["columns"]
    )
    return Target(node["name"], "/".join(ends), str(path), columns)

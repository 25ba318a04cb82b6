"""Names of models for the shell, which asks at every press of the tab key: from dbt's last manifest, without dbt."""

from __future__ import annotations

import json
import os
from pathlib import Path

import click


def complete_models(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    """What a selection may go on with: its last word becomes the name of a model of a kind."""
    written, _, word = incomplete.rpartition(" ")
    before = f"{written} " if written else ""
    folder = Path(ctx.params.get("project_dir") or os.environ.get("DBT_PROJECT_DIR") or ".")
    return [before + name for name in _names(folder / "target" / "manifest.json") if name.startswith(word)]


def _names(manifest: Path) -> list[str]:
    try:
        project = json.loads(manifest.read_text(encoding="utf-8"))
        kinds = {name.split("_", 1)[1].rsplit("_", 1)[0] for name in _materializations(project)}
        return sorted(
            node["name"]
            for node in project["nodes"].values()
            if node["resource_type"] == "model" and node["config"]["materialized"] in kinds
        )
    except (OSError, ValueError, LookupError, TypeError, AttributeError):
        # no project was parsed here, or another dbt writes something else: nothing is offered
        return []


def _materializations(project: dict[str, dict[str, dict[str, str]]]) -> list[str]:
    macros = [macro for macro in project["macros"].values() if macro["package_name"] == "dbt_kinds"]
    return [macro["name"] for macro in macros if macro["name"].startswith("materialization_")]

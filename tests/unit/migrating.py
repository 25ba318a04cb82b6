"""dbt projects in a folder, written for tests of `dbt-kinds migrate`."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

from dbt_kinds.migrate.conversion import MigrateOptions
from dbt_kinds.migrate.project import migrate_project
from dbt_kinds.migrate.results import Migration, Result


def write_project(root: Path, files: Mapping[str, str], settings: Mapping[str, Any] | None = None) -> Path:
    """A project in a folder; files by their paths in it, models by their names alone."""
    content = {"name": "shop", "version": "1.0.0", "profile": "none", **(settings or {})}
    (root / "dbt_project.yml").write_text(yaml.safe_dump(content))
    for name, text in files.items():
        path = root / (name if "/" in name else f"models/{name}.sql")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode("utf-8"))
    return root


def migrated(root: Path, files: Mapping[str, str], dialect: str | None = "iceberg", **given: Any) -> Migration:
    """What becomes of a project of these files."""
    settings = given.pop("settings", None)
    write_project(root, files, settings)
    return migrate_project(root, MigrateOptions(**given), dialect="databricks" if dialect == "iceberg" else dialect)


def one(migration: Migration, name: str = "m") -> Result:
    """The result of one model."""
    found = next(result for result in migration.results if result.name == name)
    assert found.status != "failed", found.failure
    return found

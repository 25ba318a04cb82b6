"""The target of a project, in the profiles.yml that dbt would use."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml


def adapter_of(root: Path, profile: str) -> str | None:
    """The adapter of a project's profile, from the profiles.yml that dbt would use; None if there is none."""
    target = target_of(root, profile)
    return None if target is None else str(target["type"])


def target_of(root: Path, profile: str) -> Mapping[str, Any] | None:
    """The target that a profile chooses, from the profiles.yml that dbt would use; None if there is none."""
    places = [
        root,
        *([Path(os.environ["DBT_PROFILES_DIR"])] if "DBT_PROFILES_DIR" in os.environ else []),
        Path.home() / ".dbt",
    ]
    return next(filter(None, (_target_in(place / "profiles.yml", profile) for place in places)), None)


def adapter_beside(root: Path, profile: str) -> str | None:
    """The adapter of a project's profile, from a file that dbt would not use by itself, such as one in a folder of
    profiles, or a template of one; None if there is none, or they differ.
    """
    files = [file for folder in (root, *root.glob("*/")) for file in folder.glob("*profiles*.y*ml*")]
    found = {str(target["type"]) for file in files if (target := _target_in(file, profile)) is not None}
    return found.pop() if len(found) == 1 else None


def _target_in(file: Path, profile: str) -> Mapping[str, Any] | None:
    """The target that a profile of a file chooses; None if there is none."""
    try:
        content: Any = yaml.safe_load(file.read_text("utf-8"))
        outputs = content[profile]["outputs"]
        chosen = outputs.get(content[profile].get("target")) or next(iter(outputs.values()))
    except (OSError, ValueError, yaml.YAMLError, KeyError, TypeError, AttributeError, StopIteration):
        return None
    return chosen if isinstance(chosen, dict) and "type" in chosen else None

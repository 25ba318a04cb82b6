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
    for place in places:
        try:
            content: Any = yaml.safe_load((place / "profiles.yml").read_text("utf-8"))
            outputs = content[profile]["outputs"]
            chosen = outputs.get(content[profile].get("target")) or next(iter(outputs.values()))
            if isinstance(chosen, dict) and "type" in chosen:
                return chosen
        except (OSError, yaml.YAMLError, KeyError, TypeError, AttributeError, StopIteration):
            continue
    return None

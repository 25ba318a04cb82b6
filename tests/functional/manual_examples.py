"""The examples of the manual's page on schedulers, and a project that they run."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

from dbt_kinds.local.java import use_java_17
from dbt_kinds.local.profile import local_profile, render_profile

ROOT = Path(__file__).parents[2]


def section(title: str) -> str:
    """The text below a heading of the page on schedulers, such as `## Dagster`."""
    page = (ROOT / "docs" / "start" / "schedulers.md").read_text()
    level = len(title.split()[0])
    # one `#` begins a comment of an example
    return re.split(rf"\n#{{2,{level}}} ", page.split(f"\n{title}\n", 1)[1], maxsplit=1)[0]


def example(title: str) -> str:
    """The Python below a heading."""
    return "\n".join(block.split("```", 1)[0] for block in section(title).split("```python\n")[1:])


def packages(title: str) -> list[str]:
    """What the page says to install."""
    return section(title).split("\npip install ", 1)[1].split("\n", 1)[0].split()


def embedded_shop(folder: Path, settings: Mapping[str, Any], **models: str) -> Path:
    """A project `shop` with these models, on an embedded Spark of its own, in its folder."""
    use_java_17()
    shop = folder / "shop"
    (shop / "models").mkdir(parents=True)
    for name, text in models.items():
        (shop / "models" / f"{name}.sql").write_text(text)
    project = {"name": "shop", "profile": "shop", "flags": {"send_anonymous_usage_stats": False}, **settings}
    (shop / "dbt_project.yml").write_text(yaml.safe_dump(project))
    (shop / "packages.yml").write_text(yaml.safe_dump({"packages": [{"local": str(ROOT)}]}))
    profile = local_profile(folder / "spark", name="shop", schema="analytics", threads=1)
    (shop / "profiles.yml").write_text(render_profile(profile))
    return shop

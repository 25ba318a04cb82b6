"""The dbt package that belongs to this Python package: where it is, and how another project names it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import dbt_kinds


def package_folder() -> Path:
    """The folder of the dbt package: inside this one in a wheel, the parent folder in a checkout."""
    here = Path(__file__).parent
    packaged = here / "_demonstration"
    return packaged if packaged.exists() else here.parent


def package_entry(package: str | None) -> dict[str, Any]:
    """The entry of packages.yml: a git URL with `@revision`, or a local path; default this release."""
    if package is None:
        return {"package": "dbt_kinds/dbt_kinds", "version": dbt_kinds.__version__}
    if "://" in package or package.startswith("git@"):
        url, separator, revision = package.rpartition("@")
        if separator and "/" in url and "/" not in revision:
            return {"git": url, "revision": revision}
        return {"git": package}
    return {"local": package}

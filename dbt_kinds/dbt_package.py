"""Where the dbt package is that belongs to this Python package."""

from __future__ import annotations

from pathlib import Path


def package_folder() -> Path:
    """The folder of the dbt package: inside this one in a wheel, the parent folder in a checkout."""
    here = Path(__file__).parent
    packaged = here / "_demonstration"
    return packaged if packaged.exists() else here.parent

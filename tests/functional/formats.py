"""Which file formats a test runs on."""

from __future__ import annotations

import os

import pytest


def formats(usual: str) -> list[str]:
    """The formats of a test of every kind, `iceberg,parquet` say, but where noxfile.py has versions that cannot have them."""
    return os.environ.get("KINDS_FORMATS", usual).split(",")


# where a format's writes are a matter of their own; elsewhere Parquet is left to the sweep
both_formats = pytest.mark.parametrize("file_format", ["iceberg", "parquet"])

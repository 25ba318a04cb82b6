"""Which file formats a test runs on."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

import pytest


def formats(usual: str) -> list[str]:
    """The formats of a test of every kind, `iceberg,parquet` say, but where noxfile.py has versions that cannot have them."""
    return os.environ.get("KINDS_FORMATS", usual).split(",")


def table_format() -> str:
    """The format of Spark's catalog: Iceberg or Delta, or `parquet` where there is neither."""
    return next((name for name in formats("iceberg") if name in ("iceberg", "delta")), "parquet")


def formats_of(vector: Mapping[str, Any]) -> list[str]:
    """The formats that a vector runs on. What it says of Iceberg holds of Delta, too."""
    said = vector.get("formats", ["iceberg", "parquet"])
    return [name for name in formats("iceberg,parquet") if _as_in_vectors(name) in said]


def is_usual(name: str, usual: str | None) -> bool:
    """Whether a vector runs on a format in `make test`, which runs it on that one; or in `make delta`, if `make test` runs it at all."""
    return name == usual or (name == "delta" and usual is not None)


def _as_in_vectors(name: str) -> str:
    return "iceberg" if name == "delta" else name


# where a format's writes are a matter of their own; elsewhere Parquet is left to the sweep
both_formats = pytest.mark.parametrize("file_format", ["iceberg", "parquet"])

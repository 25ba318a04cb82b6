"""Which file formats a test runs on."""

from __future__ import annotations

import pytest

# where a format's writes are a matter of their own; elsewhere Parquet is left to the sweep
both_formats = pytest.mark.parametrize("file_format", ["iceberg", "parquet"])

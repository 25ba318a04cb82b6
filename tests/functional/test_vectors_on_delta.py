"""What runs on Delta beside Iceberg, each file in a process with a Spark of its own: Spark's catalog is that of one format. `make delta` runs a core of it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[2]
JARS = Path(os.environ.get("KINDS_JARS", PACKAGE.parent / "shared" / "jars"))
FILES = [
    *("kind_matrix", "scd2_conformance", "gates", "ondatrasql_runs", "hostile_names", "compaction"),
    *("delta_on_spark", "delta_beside_others", "race", "crash_every_kind", "crash_scd2", "crash_changes"),
]
# two runs and a kill take three times as long as on Iceberg
SIZES = {"KINDS_KILLS": "40", "KINDS_RACES": "5"}


@pytest.mark.sweep
@pytest.mark.skipif(not (JARS / "delta-spark-3.5").is_dir(), reason="needs Delta's jars in the folder KINDS_JARS")
@pytest.mark.parametrize("file", FILES)
@pytest.mark.parametrize("mode", ["usual", "sweep"])
def test_what_iceberg_passes_delta_passes(file: str, mode: str) -> None:
    environment = {**os.environ, "KINDS_FORMATS": "delta", "KINDS_JARS": str(JARS.absolute())}
    is_sweep = mode == "sweep"
    command = [sys.executable, "-m", "pytest", "-q", *(["--sweep"] if is_sweep else [])]
    run = subprocess.run(
        [*command, f"tests/functional/test_{file}.py"], cwd=PACKAGE, capture_output=True, text=True,
        env={**(SIZES if is_sweep else {}), **environment},
    )  # fmt: skip
    assert run.returncode in (0, pytest.ExitCode.NO_TESTS_COLLECTED), run.stdout[-20_000:]

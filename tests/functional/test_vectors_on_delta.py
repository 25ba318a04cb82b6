"""The matrix of kinds and all vectors on Delta, each file in a process with a Spark of its own: Spark's catalog is that of one format. `make delta` runs a core of them."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[2]
JARS = Path(os.environ.get("KINDS_JARS", PACKAGE.parent / "shared" / "jars"))


@pytest.mark.sweep
@pytest.mark.skipif(not (JARS / "delta-spark-3.5").is_dir(), reason="needs Delta's jars in the folder KINDS_JARS")
@pytest.mark.parametrize("file", ["kind_matrix", "scd2_conformance", "gates", "ondatrasql_runs"])
@pytest.mark.parametrize("mode", ["usual", "sweep"])
def test_what_iceberg_passes_delta_passes(file: str, mode: str) -> None:
    environment = {**os.environ, "KINDS_FORMATS": "delta", "KINDS_JARS": str(JARS.absolute())}
    command = [sys.executable, "-m", "pytest", "-q", *(["--sweep"] if mode == "sweep" else [])]
    run = subprocess.run(
        [*command, f"tests/functional/test_{file}.py"], cwd=PACKAGE, env=environment, capture_output=True, text=True
    )
    assert run.returncode in (0, pytest.ExitCode.NO_TESTS_COLLECTED), run.stdout[-20_000:]

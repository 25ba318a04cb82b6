from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from dbt_kinds.local.profile import spark_settings
from tests.functional.conftest import local_spark, new_project, project  # noqa: F401
from tests.peer.sequences import SEQUENCES, Sequence, random_sequence
from tests.peer.sqlmesh_process import run_sqlmesh

RANDOM_SEQUENCES = tuple(random_sequence(seed) for seed in range(int(os.environ.get("KINDS_EXAMPLES", "10"))))
DRIVER = Path(__file__).with_name("sqlmesh_driver.py")

Answers = dict[tuple[str, str], list[dict[str, Any]]]


@pytest.fixture(scope="session")
def sqlmesh(tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> Answers:
    """What SQLMesh's tables hold after each step, by engine and sequence; all run before a Spark of ours starts."""
    answers: Answers = {}
    tests = [item for item in request.session.items if isinstance(item, pytest.Function)]
    asked = {str(item.callspec.id) for item in tests if hasattr(item, "callspec")}
    for engine in ("duckdb", "spark"):
        sequences = [
            sequence
            for sequence in (*SEQUENCES, *RANDOM_SEQUENCES)
            if engine in sequence.engines and sequence.name in asked
        ]
        for name, steps in _run(engine, sequences, tmp_path_factory.mktemp(f"sqlmesh_{engine}")).items():
            answers[engine, name] = steps
    return answers


def _run(engine: str, sequences: list[Sequence], folder: Path) -> dict[str, list[dict[str, Any]]]:
    request = {
        "folder": str(folder),
        "spark": spark_settings(folder / "spark") if engine == "spark" else None,
        "sequences": [
            {
                "name": sequence.name,
                "models": [model.for_sqlmesh(engine) for model in sequence.models],
                "steps": [step.for_sqlmesh() for step in sequence.steps],
            }
            for sequence in sequences
        ],
    }
    run_sqlmesh(os.environ["KINDS_SQLMESH_PYTHON"], DRIVER, request, folder)
    answers = map(json.loads, (folder / "answers.jsonl").read_text().splitlines())
    return {answer["name"]: answer["steps"] for answer in answers}

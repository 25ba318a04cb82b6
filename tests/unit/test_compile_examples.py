"""Every MODEL example of the SQLMesh and Vulcan pages becomes part of a dbt project that dbt parses."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import yaml

from dbt_kinds.operate.dbt import DbtOptions, invoke
from tests.functional.every_kind_shop import SHOP as EVERY_KIND
from tests.sweep import rest
from tests.unit.compiling import run as run_command
from tests.unit.compiling import write_files
from tests.unit.model_examples import DOCUMENT, compile_examples, document, examples, outcomes
from tests.unit.test_compile_files import SHOP

PACKAGE = Path(__file__).parent.parent.parent


def parsed(project: Path) -> dict[str, object]:
    """What dbt's parser makes of a compiled project, by model."""
    name = yaml.safe_load((project / "dbt_project.yml").read_text())["profile"]
    profile = {
        name: {
            "target": "dev",
            "outputs": {"dev": {"type": "spark", "method": "session", "schema": "dev", "host": "x"}},
        }
    }
    write_files(project, {"profiles.yml": yaml.safe_dump(profile), "packages.yml": "packages: [{local: package}]\n"})
    # dbt deps would copy the package, tests and all
    package = project / "dbt_packages" / "dbt_kinds"
    package.mkdir(parents=True)
    for part in ("dbt_project.yml", "macros"):
        (package / part).symlink_to(PACKAGE / part)
    options = DbtOptions(project_dir=str(project), profiles_dir=str(project))
    manifest = invoke(["--no-write-json", "--no-partial-parse", "parse"], options, quiet=True)
    return {node.name: node for node in manifest.nodes.values() if node.package_name == name}


@pytest.fixture(scope="module")
def compiled(tmp_path_factory: pytest.TempPathFactory):  # type: ignore[no-untyped-def]
    return {adapter: compile_examples(tmp_path_factory.mktemp(adapter), adapter) for adapter in ("spark", "databricks")}


def test_table_of_all_examples_is_the_one_in_the_docs(compiled) -> None:  # type: ignore[no-untyped-def]
    assert document(compiled["spark"], compiled["databricks"]) == DOCUMENT.read_text(encoding="utf-8")


def test_all_examples_convert(compiled) -> None:  # type: ignore[no-untyped-def]
    for adapter, report in compiled.items():
        for example in examples():
            entry = outcomes(report)[example.number]
            wants_databricks = "materialized true" in example.text and adapter == "spark"
            refused = ["NoMaterializedViews"] if wants_databricks else []
            assert [note.code.name for note in entry.notes if note.severity == "refused"] == refused, (example, entry)


@pytest.mark.parametrize("adapter", rest(["spark", "databricks"], "spark"))
def test_project_of_all_examples_is_parsed_by_dbt(tmp_path: Path, adapter: str) -> None:
    report = compile_examples(tmp_path, adapter)
    nodes = parsed(tmp_path / "dbt")
    for entry in report.entries:
        if entry.status != "refused" and entry.kind != "EXTERNAL":
            assert entry.node in nodes


def test_project_of_every_kind_is_parsed_by_dbt(tmp_path: Path) -> None:
    assert run_command(SHOP, "--out", tmp_path)[0] == 0
    nodes = parsed(tmp_path)
    assert nodes["orders"].config.meta["time_column"] == "ordered_at"  # type: ignore[attr-defined]
    assert sorted(nodes["overview"].depends_on.nodes) == [  # type: ignore[attr-defined]
        "model.sqlmesh_shop.latest",
        "model.sqlmesh_shop.names",
        "model.sqlmesh_shop.orders",
    ]
    assert "model.sqlmesh_shop.customers" in nodes["latest"].depends_on.nodes  # type: ignore[attr-defined]


@pytest.mark.sweep
def test_project_that_runs_beside_sqlmesh_is_parsed_by_dbt(tmp_path: Path) -> None:
    code, out, _ = run_command(EVERY_KIND, "--out", tmp_path, "--run-macros", "--strict", "--json")
    models = json.loads(out)["models"]
    assert (code, {model["status"] for model in models}) == (0, {"converted"})
    assert {model["kind"] for model in models} == {
        "EMBEDDED", "EXTERNAL", "FULL", "INCREMENTAL_BY_PARTITION", "INCREMENTAL_BY_TIME_RANGE", "INCREMENTAL_BY_UNIQUE_KEY",
        "INCREMENTAL_UNMANAGED", "SCD_TYPE_2_BY_COLUMN", "SCD_TYPE_2_BY_TIME", "SEED", "VIEW",
    }  # fmt: skip
    nodes = parsed(tmp_path)
    assert {model["node"] for model in models if model["kind"] != "EXTERNAL"} <= nodes.keys()
    assert len([model for model in models if model["kind"] != "EXTERNAL"]) == 19

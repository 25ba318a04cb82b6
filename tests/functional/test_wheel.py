"""What a release consists of: the wheel, the sdist, and what dbt's package hub takes from the repository."""

from __future__ import annotations

import os
import subprocess
import tarfile
import zipfile
from pathlib import Path

import pytest

from tests.functional.own_venv import own_venv

ROOT = Path(__file__).parents[2]


def run(*command: str | Path, cwd: Path) -> str:
    # the repository's own package must not be found instead of the installed one
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    told = subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True, check=False)
    assert told.returncode == 0, told.stdout + told.stderr
    return told.stdout


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("dist")
    builder = own_venv(folder / "builder", ["hatchling"])
    run(builder, "-m", "hatchling", "build", "-d", folder / "dist", cwd=ROOT)
    [sdist] = (folder / "dist").glob("*.tar.gz")
    with tarfile.open(sdist) as archive:
        archive.extractall(folder / "unpacked")
    [unpacked] = (folder / "unpacked").iterdir()
    run(builder, "-m", "hatchling", "build", "-t", "wheel", "-d", folder / "again", cwd=unpacked)
    return folder


def names_in(folder: Path) -> set[str]:
    [wheel] = folder.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        return set(archive.namelist())


def test_the_sdist_makes_the_same_wheel_as_the_repository(built: Path) -> None:
    names = names_in(built / "dist")
    assert names == names_in(built / "again")
    tracked = run("git", "ls-files", "dbt_kinds", "macros", "integration_tests", cwd=ROOT).split()
    demonstration = "dbt_kinds/_demonstration/"
    wanted = {name if name.startswith("dbt_kinds/") else demonstration + name for name in tracked}
    assert wanted | {f"{demonstration}dbt_project.yml"} == {name for name in names if ".dist-info/" not in name}


def test_the_wheel_works_in_an_empty_venv(built: Path, tmp_path: Path) -> None:
    [wheel] = (built / "dist").glob("*.whl")
    python = own_venv(tmp_path / "venv", [str(wheel)])
    command = python.parent / "dbt-kinds"
    assert run(command, "--version", cwd=tmp_path).split()[-1] == "0.1.0"
    told = run(python, "-c", "import dbt_kinds; print(dbt_kinds.__file__)", cwd=tmp_path)
    assert told.startswith(str(tmp_path))
    (tmp_path / "shop").mkdir()
    (tmp_path / "shop" / "dbt_project.yml").write_text("name: shop\nprofile: shop\nmodel-paths: [models]\n")
    (tmp_path / "shop" / "models").mkdir()
    (tmp_path / "shop" / "models" / "orders.sql").write_text(
        "{{ config(materialized='incremental', incremental_strategy='insert_overwrite', partition_by='day') }}\n"
        "select id, day from {{ source('raw', 'orders') }}\n"
        "{% if is_incremental() %}where day >= (select max(day) from {{ this }}){% endif %}\n"
    )
    # without dbt and without Spark
    told = run(command, "migrate", "shop", "--dialect", "spark", cwd=tmp_path)
    assert "+where day between {{ dbt_kinds.start_date() }} and {{ dbt_kinds.end_date() }}" in told


def test_what_dbts_package_hub_takes_holds_no_tests(tmp_path: Path) -> None:
    archive = tmp_path / "package.tar"
    run("git", "archive", "--worktree-attributes", "-o", archive, "HEAD", cwd=ROOT)
    with tarfile.open(archive) as package:
        names = {name.split("/", 1)[0] for name in package.getnames()}
    assert {"dbt_project.yml", "macros", "README.md", "LICENSE"} <= names
    assert not names & {"tests", "benchmarks", "docs", ".ci"}
    assert archive.stat().st_size < 5_000_000

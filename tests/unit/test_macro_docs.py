"""What users call is described in the YAML beside it, with its arguments; everything else is described by a comment above it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import yaml

from tests.unit.macros import MACROS

CALLED_BY_USERS = {
    *("window_of", "changes_of", "last_value", "last_run", "is_backfill", "as_of", "current"),
    *("spark__can_clone_table", "spark__drop_relation", "spark__load_csv_rows"),
    *("spark__list_relations_without_caching", "plan", "status", "history", "doctor", "ingested", "record", "adopt"),
    *("adopt_snapshot", "forget", "release_lease", "compact_store", "convert_store", "verify"),
}
FOLDERS = sorted(folder.name for folder in MACROS.iterdir() if folder.is_dir())


def written(folder: Path) -> dict[str, list[str]]:
    """The macros of a folder that users call and the names of their arguments; a materialization is a macro without any, a
    generic test one whose name begins with test_."""
    macros: dict[str, list[str]] = {}
    for file in folder.glob("*.sql"):
        text = re.sub(r"(?s)\{#.*?#\}", "", file.read_text())
        for block, name, arguments in re.findall(r"(?s){% (macro|test) ([a-z]\w*)\((.*?)\) %}", text):
            macros[f"test_{name}" if block == "test" else name] = [
                argument.split("=")[0].strip() for argument in arguments.split(",") if argument.strip()
            ]
        for name, adapter in re.findall(r"{% materialization (\w+), (\w+)", text):
            macros[f"materialization_{name}_{adapter}"] = []
    return {name: macros[name] for name in macros if is_called_by_users(name, folder.name)}


def is_called_by_users(name: str, folder: str) -> bool:
    is_variable = folder == "time" and name.split("_")[0] in ("start", "end", "execution")
    return name in CALLED_BY_USERS or name.startswith(("test_", "materialization_")) or is_variable


def described(folder: str) -> list[dict[str, object]]:
    """What the YAML of a folder describes, if it has one."""
    file = MACROS / folder / f"{folder}.yml"
    return list(yaml.safe_load(file.read_text())["macros"]) if file.exists() else []


@pytest.mark.parametrize("folder", FOLDERS)
def test_the_documentation_of_a_folder_names_what_users_call_and_its_arguments(folder: str) -> None:
    macros = described(folder)
    documented = {macro["name"]: [argument["name"] for argument in macro.get("arguments", [])] for macro in macros}  # type: ignore[attr-defined]
    assert documented == written(MACROS / folder)
    assert all(str(macro["description"]).strip() for macro in macros)


def test_everything_that_users_call_is_there() -> None:
    assert {name for folder in FOLDERS for name in written(MACROS / folder)} >= CALLED_BY_USERS


@pytest.mark.parametrize("file", sorted(MACROS.rglob("*.yml")), ids=lambda file: file.stem)
def test_no_description_holds_jinja_which_dbt_would_run(file: Path) -> None:
    assert not re.search(r"{[{%#]", file.read_text())

"""Every public macro is documented beside it, with the arguments it has."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import yaml

from tests.unit.macros import MACROS

CALLED_BY_USERS = {
    *("window_of", "changes_of", "last_value", "last_run", "is_backfill", "as_of", "current"), *("spark__can_clone_table", "spark__drop_relation", "spark__load_csv_rows", "spark__list_relations_without_caching"),
    *("plan", "status", "history", "doctor", "ingested", "record", "adopt", "adopt_snapshot", "forget", "release_lease", "compact_store", "verify"),
}  # fmt: skip
FOLDERS = sorted(folder.name for folder in MACROS.iterdir() if folder.is_dir())


def written(folder: Path) -> dict[str, list[str]]:
    """The public macros of a folder and the names of their arguments; a materialization is a macro without any, a generic
    test one whose name begins with test_."""
    macros: dict[str, list[str]] = {}
    for file in folder.glob("*.sql"):
        text = re.sub(r"(?s)\{#.*?#\}", "", file.read_text())
        for block, name, arguments in re.findall(r"{% (macro|test) ([a-z]\w*)\((.*?)\) %}", text):
            macros[f"test_{name}" if block == "test" else name] = [
                argument.split("=")[0].strip() for argument in arguments.split(",") if argument.strip()
            ]
        for name, adapter in re.findall(r"{% materialization (\w+), (\w+)", text):
            macros[f"materialization_{name}_{adapter}"] = []
    return macros


@pytest.mark.parametrize("folder", FOLDERS)
def test_the_documentation_of_a_folder_names_its_macros_and_their_arguments(folder: str) -> None:
    properties = yaml.safe_load((MACROS / folder / f"{folder}.yml").read_text())["macros"]
    documented = {macro["name"]: [argument["name"] for argument in macro.get("arguments", [])] for macro in properties}
    assert documented == written(MACROS / folder)
    assert all(macro["description"].strip() for macro in properties)


@pytest.mark.parametrize("folder", FOLDERS)
def test_no_description_holds_jinja_which_dbt_would_run(folder: str) -> None:
    assert not re.search(r"{[{%#]", (MACROS / folder / f"{folder}.yml").read_text())


@pytest.mark.parametrize("folder", FOLDERS)
def test_the_generated_documentation_shows_what_users_call_and_nothing_else(folder: str) -> None:
    properties = yaml.safe_load((MACROS / folder / f"{folder}.yml").read_text())["macros"]
    for macro in properties:
        first = macro["name"].split("_")[0]
        is_called = (
            first in ("test", "materialization", "start", "end", "execution") or macro["name"] in CALLED_BY_USERS
        )
        assert macro.get("docs", {"show": True})["show"] is is_called, macro["name"]

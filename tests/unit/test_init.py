"""`dbt-kinds init`: what it adds to a project's files, and what it leaves as it is."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml
from click.testing import CliRunner, Result
from hypothesis import given
from hypothesis import strategies as st

from dbt_kinds.cli import main
from dbt_kinds.init.yaml_edits import with_item, with_value

PROJECT = """\
name: shop   # ours
version: '1.0'
profile: shop

models:
  shop:
    # staging is views
    staging:
      +materialized: view
    # the end of models

# what follows
vars:
  a: 1
"""
EMBEDDED = "shop: {target: dev, outputs: {dev: {type: spark, method: session, host: x, schema: s}}}\n"
SERVER = "shop: {target: dev, outputs: {dev: {type: spark, method: thrift, host: x, schema: s}}}\n"


def project(folder: Path, **files: str) -> Path:
    """A dbt project in a folder; `_yml` in a name stands for `.yml`."""
    for name, text in {"dbt_project_yml": PROJECT, **files}.items():
        (folder / name.replace("_yml", ".yml")).write_bytes(text.encode())
    return folder


def init(folder: Path, *arguments: str) -> Result:
    return CliRunner().invoke(
        main, ["init", str(folder), "--package", "https://example.org/x/dbt_kinds@v1", *arguments]
    )


def texts(folder: Path) -> dict[str, str]:
    return {file.name: file.read_bytes().decode() for file in folder.glob("*.yml")}


def read(folder: Path, name: str) -> Any:
    return yaml.safe_load((folder / name).read_text())


@pytest.fixture(autouse=True)
def _no_profiles_of_this_machine(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "nobody"))
    monkeypatch.delenv("DBT_PROFILES_DIR", raising=False)


def test_without_write_nothing_is_written_and_the_diff_is_shown(tmp_path: Path) -> None:
    before = texts(project(tmp_path, profiles_yml=SERVER))
    result = init(tmp_path)
    assert texts(tmp_path) == before
    assert "+  - git: https://example.org/x/dbt_kinds\n" in result.output
    assert result.exit_code == 0


def test_a_server_needs_the_package_and_a_start(tmp_path: Path) -> None:
    project(tmp_path, profiles_yml=SERVER)
    init(tmp_path, "--write", "--start", "2024-01-31")
    assert read(tmp_path, "packages.yml") == {
        "packages": [{"git": "https://example.org/x/dbt_kinds", "revision": "v1"}]
    }
    expected = yaml.safe_load(PROJECT)
    expected["models"]["shop"]["+meta"] = {"start": "2024-01-31"}
    assert read(tmp_path, "dbt_project.yml") == expected
    lines = (tmp_path / "dbt_project.yml").read_text().splitlines()
    assert [line for line in lines if line in PROJECT.splitlines()] == PROJECT.splitlines()


def test_a_package_of_this_machine_is_said_to_be_that(tmp_path: Path) -> None:
    project(tmp_path, profiles_yml=SERVER)
    told = CliRunner().invoke(main, ["init", str(tmp_path), "--package", "../dbt_kinds"]).output
    assert "+  - local: ../dbt_kinds\n" in told
    assert "packages.yml names a folder of this machine; for jobs elsewhere" in told
    assert "folder of this machine" not in init(tmp_path).output


def test_an_embedded_session_also_needs_the_dispatch(tmp_path: Path) -> None:
    project(tmp_path, profiles_yml=EMBEDDED)
    init(tmp_path, "--write")
    assert read(tmp_path, "dbt_project.yml") == {
        **yaml.safe_load(PROJECT),
        "dispatch": [{"macro_namespace": "dbt", "search_order": ["shop", "dbt_kinds", "dbt"]}],
    }


@pytest.mark.parametrize(
    "written",
    [
        "dispatch:\n  - macro_namespace: dbt\n    search_order: [shop, dbt]  # of ours\n",
        "dispatch:\n- macro_namespace: dbt_utils\n  search_order: [shop, dbt_utils]\n"
        "- macro_namespace: dbt\n  search_order:\n    - shop\n    - dbt\n",
        "dispatch: [{macro_namespace: dbt, search_order: ['shop', 'dbt']}]\n",
    ],
)
def test_a_dispatch_that_is_there_is_extended(tmp_path: Path, written: str) -> None:
    project(tmp_path, dbt_project_yml=PROJECT + written, profiles_yml=EMBEDDED)
    init(tmp_path, "--write")
    expected = yaml.safe_load(PROJECT + written)
    expected["dispatch"][-1]["search_order"] = ["shop", "dbt_kinds", "dbt"]
    assert read(tmp_path, "dbt_project.yml") == expected


@pytest.mark.parametrize("profile", [EMBEDDED, SERVER, None])
def test_a_second_time_changes_nothing(tmp_path: Path, profile: str | None) -> None:
    project(tmp_path, **({} if profile is None else {"profiles_yml": profile}))
    arguments = ["--write", "--start", "2024-01-31", *([] if profile else ["--local"])]
    init(tmp_path, *arguments)
    before = texts(tmp_path)
    assert "nothing, all is there" in init(tmp_path, *arguments).output
    assert texts(tmp_path) == before


def test_a_project_without_a_profile_gets_the_embedded_one(tmp_path: Path) -> None:
    project(tmp_path, dbt_project_yml="name: shop\n")
    init(tmp_path, "--write", "--local")
    assert read(tmp_path, "dbt_project.yml")["profile"] == "local"
    assert read(tmp_path, "profiles.yml")["local"]["outputs"]["local"]["method"] == "session"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (None, ".dbt_kinds/\nprofiles.yml\n.user.yml\n"),
        ("target/\n# ours\n/logs", "target/\n# ours\n/logs\n.dbt_kinds/\nprofiles.yml\n.user.yml\n"),
        ("/.dbt_kinds\n", "/.dbt_kinds\nprofiles.yml\n.user.yml\n"),
        ("target/\r\nprofiles.yml\r\n", "target/\r\nprofiles.yml\r\n.dbt_kinds/\r\n.user.yml\r\n"),
    ],
)
def test_git_ignores_the_tables_and_the_profile_that_it_writes(tmp_path: Path, before: str | None, after: str) -> None:
    project(tmp_path, **({} if before is None else {".gitignore": before}))
    for _ in range(2):
        init(tmp_path, "--write", "--local")
        assert (tmp_path / ".gitignore").read_bytes().decode() == after


def test_a_profile_that_was_there_stays_in_git(tmp_path: Path) -> None:
    project(tmp_path, profiles_yml="other: {}\n")
    init(tmp_path, "--write", "--local")
    assert (tmp_path / ".gitignore").read_text() == ".dbt_kinds/\n"
    shop = tmp_path / "server"
    shop.mkdir()
    init(project(shop, profiles_yml=SERVER), "--write")
    assert not (shop / ".gitignore").exists()


def test_an_embedded_spark_finds_java_once_it_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    spark = tmp_path / "pyspark"
    spark.mkdir()
    monkeypatch.setattr("dbt_kinds.local.profile.spark_home", lambda: spark)
    shop = project(tmp_path)
    init(shop, "--local")
    assert not (spark / "conf").exists()
    init(shop, "--local", "--write")
    assert "JAVA_HOME=" in (spark / "conf" / "spark-env.sh").read_text()


@pytest.mark.parametrize(
    "entry",
    [
        "package: dbt_kinds/dbt_kinds\n    version: 0.1.0",
        "git: git@example.org:data/dbt_kinds.git\n    revision: main",
        "git: https://example.org/data/dbt_kinds\n    revision: main",
    ],
)
@pytest.mark.parametrize("file", ["packages.yml", "dependencies.yml"])
def test_a_package_that_is_there_is_left(tmp_path: Path, file: str, entry: str) -> None:
    text = f"packages:\n  - package: dbt-labs/dbt_utils\n    version: 1.3.0\n  - {entry}\n"
    project(tmp_path, **{file.replace(".yml", "_yml"): text}, profiles_yml=SERVER)
    init(tmp_path, "--write")
    assert (tmp_path / file).read_text() == text


@pytest.mark.parametrize(
    ("files", "arguments", "told"),
    [
        ({"profiles_yml": "shop: {target: x, outputs: {x: {type: snowflake}}}"}, [], "is for snowflake"),
        ({"profiles_yml": "shop: {target: x, outputs: {x: {type: athena}}}"}, ["--local"], "name another one"),
        ({"dbt_project_yml": "name: [a"}, [], "cannot be read"),
        ({"dbt_project_yml": "a: b"}, [], "has no name"),
        ({"packages_yml": "packages: dbt_utils"}, [], "packages is no list"),
        ({}, ["--start", "tomorrow"], "is no day"),
    ],
)
def test_what_it_cannot_set_up_is_said_before_anything_is_written(
    tmp_path: Path, files: Mapping[str, str], arguments: list[str], told: str
) -> None:
    before = texts(project(tmp_path, **files))
    result = init(tmp_path, "--write", *arguments)
    assert result.exit_code == 2
    assert told in " ".join(result.output.split())
    assert texts(tmp_path) == before


def test_lines_that_end_as_on_windows_stay_so(tmp_path: Path) -> None:
    project(tmp_path, dbt_project_yml=PROJECT.replace("\n", "\r\n"), profiles_yml=EMBEDDED)
    init(tmp_path, "--write")
    written = (tmp_path / "dbt_project.yml").read_bytes()
    assert b"dispatch" in written
    assert written.count(b"\n") == written.count(b"\r\n")


KEYS = st.text("abc", min_size=1, max_size=2)
VALUES = st.recursive(
    st.one_of(st.integers(0, 9), st.sampled_from(["x", "a b", "it's", "two\nlines\n"]), st.none(), st.booleans()),
    lambda inner: st.one_of(st.dictionaries(KEYS, inner, max_size=3), st.lists(inner, max_size=3)),
    max_leaves=8,
)


def commented(text: str, at: list[int]) -> str:
    """The text with comments between its lines, where no text of several lines is."""
    lines = text.splitlines()
    if "|" in text:
        return text
    for number in at:
        lines.insert(number % (len(lines) + 1), "# said" if number % 2 else "  # said")
    return "\n".join(lines) + "\n"


@given(
    mapping=st.dictionaries(KEYS, VALUES, max_size=4),
    path=st.lists(KEYS, min_size=1, max_size=3),
    item=VALUES,
    at=st.lists(st.integers(0, 30), max_size=3),
    is_flow=st.booleans(),
)
def test_an_addition_changes_that_and_nothing_else(
    mapping: dict[str, Any], path: list[str], item: Any, at: list[int], is_flow: bool
) -> None:
    # a comment within a text that goes on in the next line would be no comment
    text = yaml.safe_dump(mapping, default_flow_style=is_flow, sort_keys=False, width=10_000)
    text = commented(text, at) if mapping else ""
    for change, lists in ((with_item, True), (with_value, False)):
        expected = yaml.safe_load(text) or {}
        try:
            after = change(text, path, item)
        except ValueError:
            continue
        place = expected
        for key in path[:-1]:
            place[key] = {} if place.get(key) is None else place[key]
            place = place[key]
        place[path[-1]] = [*(place.get(path[-1]) or []), item] if lists else item
        assert yaml.safe_load(after) == expected, after
        assert after.count("# said") == text.count("# said")

"""The manual: every link leads somewhere, every block of code can be read, every kind, variable and option is in it."""

from __future__ import annotations

import importlib.util
import os
import re
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from xml.etree import ElementTree

import jinja2
import pytest
import yaml

from tests.unit.macros import Macros

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PAGES = [ROOT / "README.md", *sorted(DOCS.rglob("*.md"))]
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\(([^)#\s]+)(#[^)]*)?\)")
MACROS = Macros()


def blocks(language: str) -> list[tuple[str, str]]:
    return [
        (str(page.relative_to(ROOT)), text)
        for page in PAGES
        for kind, text in BLOCK.findall(page.read_text())
        if kind == language
    ]


def load_writer(folder: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(folder.strip("."), DOCS / folder / "write.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    # as a command it finds the modules beside it
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(DOCS / folder)
        spec.loader.exec_module(module)
    return module


REFERENCE = load_writer(".reference")
PICTURES = load_writer(".pictures")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_to_files_that_are_there(page: Path) -> None:
    text = re.sub(r"```.*?```", "", page.read_text(), flags=re.DOTALL)
    for target, _ in LINK.findall(text):
        assert target.startswith("http") or (page.parent / target).exists(), target


def test_every_page_is_in_the_contents() -> None:
    written = re.sub(r"!!python/\S+", "x", (ROOT / "mkdocs.yml").read_text())
    named = set(re.findall(r"[\w/-]+\.md", str(yaml.safe_load(written)["nav"])))
    assert named == {str(page.relative_to(DOCS)) for page in PAGES[1:]}


def test_blocks_of_yaml_can_be_read() -> None:
    given = blocks("yaml")
    assert len(given) >= 10
    for page, text in given:
        assert yaml.safe_load(text) is not None, page


def test_blocks_of_shell_can_be_read() -> None:
    for page, text in [*blocks("bash"), *blocks("sh")]:
        said = subprocess.run(["bash", "-n"], input=text, text=True, capture_output=True, check=False)
        assert said.returncode == 0, (page, text, said.stderr)


def test_blocks_of_python_can_be_read() -> None:
    assert len(blocks("python")) >= 3
    for page, text in blocks("python"):
        compile(text, page, "exec")


def test_blocks_of_sql_are_templates() -> None:
    for page, text in blocks("sql"):
        try:
            jinja2.Environment(autoescape=True).parse(text)
        except jinja2.TemplateSyntaxError as problem:
            pytest.fail(f"{page}: {problem}: {text}")


def test_every_kind_has_a_page_and_a_line_in_the_readme() -> None:
    readme = PAGES[0].read_text()
    for kind in MACROS.kinds():
        page = "scd_type_2" if kind.startswith("scd_type_2") else kind
        assert f"<!-- kind {kind} -->" in (DOCS / "kinds" / f"{page}.md").read_text() or kind == "scd_type_2"
        assert f"docs/kinds/{page}.md" in readme
    assert len(readme.splitlines()) <= 120


@pytest.mark.parametrize("page", PAGES[1:], ids=lambda page: str(page.relative_to(ROOT)))
def test_what_a_page_has_from_the_code_is_up_to_date(page: Path) -> None:
    old = page.read_text()
    new = REFERENCE.up_to_date(old)
    if page.name == "command.md":
        # another click may break lines elsewhere
        old, new = ("".join(text.split()) for text in (old, new))
    assert old == new, "run make reference"


def test_marks_stand_for_what_the_yaml_and_the_command_say() -> None:
    found = {block[:2] for page in PAGES[1:] for block in REFERENCE.BLOCK.findall(page.read_text())}
    assert found >= {("tests", ""), ("options", ""), ("command", ""), ("macros", " operations")}
    for what, names in found:
        assert len(REFERENCE.generated(what, names.split())) > 200, (what, names)
    assert "| `group_key` |" in REFERENCE.generated("kind", ["tracked"])
    assert "### `window_of`" in REFERENCE.generated("macros", ["query"])


def test_every_option_stands_once_in_the_table_of_the_manual() -> None:
    rows = REFERENCE.option_rows().splitlines()[2:]
    named = [name for row in rows for name in re.findall(r"`(\w+)`", row.split(" | ")[0])]
    assert sorted([*named, *REFERENCE.OTHER_NAMES]) == sorted([*MACROS.option_table(), "except"])
    assert all(len(row.split(" | ")) == 3 for row in rows)


@pytest.mark.parametrize("option", sorted(MACROS.option_table()))
def test_every_option_is_explained(option: str) -> None:
    pages = [DOCS / "reference" / "options.md", *sorted((DOCS / "kinds").glob("*.md"))]
    assert any(f"`{option}`" in page.read_text() for page in pages)


@pytest.mark.parametrize("variable", MACROS.variables())
def test_every_variable_is_explained(variable: str) -> None:
    assert f"`{variable}`" in (DOCS / "reference" / "variables.md").read_text()


def test_every_message_of_a_run_can_be_found_by_its_words() -> None:
    page = (DOCS / "operate" / "troubleshooting.md").read_text()
    written = [
        call for file in (ROOT / "macros").rglob("*.sql") for call in re.findall(r"dbt_kinds\.fail\(", file.read_text())
    ]
    assert len(REFERENCE.messages()) > 0.9 * len(written)
    for words in (
        "capture: cursor needs a cursor",
        "has no snapshots, so its new rows cannot be determined",
        "another run holds the lease on",
        "NULL in group_key",
    ):
        assert words in page, words


def test_pictures_are_up_to_date_and_each_is_on_a_page() -> None:
    files = {file.relative_to(PICTURES.FOLDER).as_posix(): file for file in PICTURES.FOLDER.rglob("*.svg")}
    assert {name: file.read_text() for name, file in files.items()} == PICTURES.pictures(), "run make pictures"
    shown = {
        (page.parent / target).resolve()
        for page in PAGES
        for _, target in re.findall(r"!\[([^\]]+)\]\(([^)]+)\)", page.read_text())
    }
    assert shown == {file.resolve() for file in files.values()}


@pytest.mark.parametrize("name", sorted(PICTURES.pictures()))
def test_a_picture_says_what_it_shows_and_needs_no_other_host(name: str) -> None:
    text = PICTURES.pictures()[name]
    tree = ElementTree.fromstring(text)
    space = "{http://www.w3.org/2000/svg}"
    assert all(len(tree.findtext(f"{space}{element}") or "") > 10 for element in ("title", "desc"))
    assert not re.findall(r"https?:", text.replace('xmlns="http://www.w3.org/2000/svg"', ""))
    assert len(text) < 60_000


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(folder)]
    environment = os.environ | {"NO_MKDOCS_2_WARNING": "1"}
    told = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert told.returncode == 0, told.stdout + told.stderr
    return folder


def test_the_site_is_built_without_a_warning(site: Path) -> None:
    assert "group_key" in (site / "kinds" / "tracked.html").read_text()


def test_no_page_of_the_site_asks_another_host(site: Path) -> None:
    elsewhere = r"""<(?:script|link|img|iframe|source)\b[^>]*?(?:src|href)=["']?(?:https?:)?//[^>]*|class="mermaid"|@import[^;]*"""
    pages = {file: file.read_text() for file in site.rglob("*.html")}
    assert len(pages) > 40
    assert not [(file.name, found) for file, text in pages.items() for found in re.findall(elsewhere, text)]
    styles = [file.read_text() for file in site.rglob("*.css")]
    assert not [found for text in styles for found in re.findall(r"url\([\"']?(?:https?:)?//[^)]*|@import[^;]*", text)]


def test_the_search_of_the_site_works_from_disk(site: Path) -> None:
    assert (site / "search" / "search_index.js").read_text().startswith("var __index = {")
    assert '<script src="../javascripts/iframe-worker.js"></script>' in (site / "kinds" / "tracked.html").read_text()

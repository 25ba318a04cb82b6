"""The migration as a page: what is on it, and that it asks nobody for anything."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path

import pytest
from click.testing import CliRunner

from dbt_kinds.cli import main
from dbt_kinds.errors import UnwritableFileError
from dbt_kinds.migrate.page import diff_lines, render_page, write_page
from tests.unit.migrating import migrated, write_project
from tests.unit.test_migrate import incremental

MODELS = {
    "orders": incremental(
        "select id, event_at, '<b>&' as x from {{ ref('raw') }}\n{% if is_incremental() %}\nwhere event_at > (select max(event_at) from {{ this }})\n{% endif %}"
    ),
    "later": incremental("select id, v from {{ ref('raw') }}\n{% if is_incremental() %}\nwhere v < 3\n{% endif %}"),
    "other": incremental("select id, v from {{ ref('raw') }}\n{% if is_incremental() %}\nwhere v < 3\n{% endif %}"),
    "done": "{{ config(materialized='incremental_by_time_range', meta={'time_column': 'day'}) }}\nselect 1 as day\n",
}
_VOID = frozenset({"meta", "br", "input"})


class Page(HTMLParser):
    """The words of a page, and whether its tags are closed in order."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.words: list[str] = []
        self.open: list[str] = []
        self.asked: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.asked += [str(value) for name, value in attrs if name in ("src", "href", "action")]
        if tag not in _VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.words.append(data)

    @property
    def text(self) -> str:
        return " ".join(" ".join(self.words).split())


def test_the_page_has_counts_reasons_and_each_model(tmp_path: Path) -> None:
    text = render_page(migrated(tmp_path, MODELS))
    page = Page(text)
    assert not page.open and not page.asked
    assert "4 incremental models" in page.text
    assert "1 converted" in page.text and "2 left" in page.text and "1 already" in page.text
    # the reason once with its number, what to do, and its words
    assert "2 UnreadableBlock 2 `v < 3` applies only on incremental runs" in page.text
    assert "write the condition between start_*() and end_*() by hand" in page.text
    assert page.text.index("orders incremental_by_time_range") < page.text.index("later UnreadableBlock")
    assert "+where event_at between {{ dbt_kinds.start_dt() }} and {{ dbt_kinds.end_dt() }}" in page.text
    assert "time_column event_at" in page.text and "LateRows" in page.text
    assert "<b>&' as x" not in text and "&lt;b&gt;&amp;" in text
    assert "http" not in re.sub(r"http-equiv", "", text)


def test_a_project_of_another_warehouse_is_told_so(tmp_path: Path) -> None:
    assert "The queries are written for snowflake" in Page(render_page(migrated(tmp_path, MODELS, "snowflake"))).text


def test_a_project_without_incremental_models_has_a_page(tmp_path: Path) -> None:
    page = Page(render_page(migrated(tmp_path, {"m": "select 1 as id"})))
    assert "0 incremental models" in page.text and not page.open


def test_a_line_of_a_diff_is_of_one_sort() -> None:
    diff = "diff --git a/m b/m\n--- a/m\n+++ b/m\n@@ -1 +1 @@\n same\n-old\n+new\n"
    assert [line.sort for line in diff_lines(diff)] == ["place", "", "removed", "added"]


def test_the_command_writes_it_beside_what_it_prints(tmp_path: Path) -> None:
    project = tmp_path / "project"
    project.mkdir()
    write_project(project, MODELS)
    file = tmp_path / "page.html"
    said = CliRunner().invoke(main, ["migrate", str(project), "--html", str(file), "--dialect", "databricks"])
    assert said.exit_code == 0, said.output
    assert "diff --git a/models/orders.sql" in said.stdout
    assert "migration to kinds" in file.read_text(encoding="utf-8")


def test_a_file_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    with pytest.raises(UnwritableFileError, match=r"nowhere/page\.html cannot be written: No such file or directory"):
        write_page(migrated(tmp_path, {}), tmp_path / "nowhere" / "page.html")

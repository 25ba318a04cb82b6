"""The page that `dbt-kinds report` writes."""

from __future__ import annotations

import base64
import hashlib
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from dbt_kinds.errors import UnwritableFileError
from dbt_kinds.operate.answers import Run
from dbt_kinds.operate.report import Report, render_report, write_report
from dbt_kinds.operate.status import ModelStatus
from tests.unit.operator_answers import FAILED, HISTORY, NOW, STATUS, model

HOSTILE = "</script><img src=x onerror=alert(1)>"


class Page(HTMLParser):
    """A page as its elements: (tag, attributes, the text right in it)."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str], list[str]]] = []
        self._open: list[list[str]] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, {name: value or "" for name, value in attributes}, []))
        if tag not in ("meta", "br", "input", "img", "link"):
            self._open.append(self.elements[-1][2])

    def handle_endtag(self, tag: str) -> None:
        self._open.pop()

    def handle_data(self, data: str) -> None:
        if self._open:
            self._open[-1].append(data)

    def all(self, tag: str, kind: str = "") -> list[tuple[dict[str, str], str]]:
        return [
            (attributes, "".join(text).strip())
            for name, attributes, text in self.elements
            if name == tag and (not kind or kind in attributes.get("class", "").split())
        ]


def page_of(models: list[dict[str, Any]], runs: list[dict[str, Any]] | None = None, **given: Any) -> Page:
    report = Report([ModelStatus.of(entry) for entry in models], [Run.of(run) for run in runs or []], **given)
    return Page(render_report(report))


@pytest.fixture(scope="module")
def page() -> Page:
    return page_of(STATUS["models"], HISTORY["runs"], execution_time=NOW, project="shop")


def test_the_page_names_project_execution_time_and_every_model(page: Page) -> None:
    assert page.all("h1")[0][1] == "shop"
    assert page.all("time") == [({"datetime": f"{NOW}Z"}, "2024-06-30 08:04:11")]
    assert [name for _, name in page.all("span", "name")] == ["events", "new", "orders", "payments"]
    assert [verdict for _, verdict in page.all("span", "verdict")] == [
        "running, 1 day 8 h missing",
        "no start is set and nothing is recorded",
        "complete",
        "failed, 30 days missing",
    ]
    assert [text for _, text in page.all("button")] == [
        "4 models",
        "1 complete",
        "2 incomplete",
        "1 running",
        "1 failed",
    ]


def test_every_segment_says_what_it_is(page: Page) -> None:
    # the legend's have no title
    told = [(kind["class"], kind["title"]) for kind, _ in page.all("i") if "title" in kind]
    assert told == [
        ("loaded", "loaded 2024-01-01 to 2024-06-29 (180 days)"),
        ("running", "running 2024-06-29 to 2024-06-30 08:00 (1 day 8 h)"),
        ("loaded", "loaded 2024-01-01 to 2024-06-28 (179 days)"),
        ("loaded", "loaded 2024-06-28 to 2024-06-29 (1 day)\n1,200 rows, took 12 s, recorded 2024-06-30 08:00:14"),
        ("loaded", "loaded 2024-06-29 to 2024-06-30 (1 day)\n34 rows, took 14 s, recorded 2024-06-30 08:00:29"),
        ("loaded", "loaded 2024-01-01 to 2024-02-01 (31 days)"),
        ("invalidated", "invalidated 2024-02-01 to 2024-03-01 (29 days)"),
        ("loaded", "loaded 2024-03-01 to 2024-06-29 (120 days)"),
        ("missing", "missing 2024-06-29 to 2024-06-30 (1 day)"),
    ]


def test_the_timelines_are_told_in_words_too(page: Page) -> None:
    lanes = [attributes["aria-label"] for attributes, _ in page.all("span", "lane")]
    assert lanes[1] == "nothing recorded"
    assert lanes[3] == (
        "loaded 2024-01-01 to 2024-02-01, 2024-03-01 to 2024-06-29; invalidated 2024-02-01 to 2024-03-01; "
        "missing 2024-06-29 to 2024-06-30"
    )


def test_failures_and_leases_are_told_in_full(page: Page) -> None:
    assert page.all("span", "failure")[0][1] == FAILED["message"]
    assert any("by worker-3/4711/local-1719734011" in text for _, text in page.all("dd"))


def test_the_page_asks_for_nothing_and_runs_only_its_own_script(page: Page) -> None:
    text = render_report(Report([ModelStatus.of(entry) for entry in STATUS["models"]]))
    assert not re.search(r"https?:|//[a-z]|url\(|@import|<link|<img|<iframe| src=", text)
    policy = next(a["content"] for a, _ in page.all("meta") if a.get("http-equiv") == "Content-Security-Policy")
    (script,) = re.findall(r"<script>(.*)</script>", text, re.DOTALL)
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert policy == f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{digest}'"


def test_hostile_text_is_only_text() -> None:
    lease = {"invocation_id": HOSTILE, "holder": HOSTILE, "is_live": True}
    hostile = model(HOSTILE, relation=HOSTILE, kind=HOSTILE, unit=HOSTILE, reason=HOSTILE, lease=lease, missing=None)
    failed = FAILED | {"relation": HOSTILE, "message": HOSTILE, "invocation_id": HOSTILE}
    hostile["last_run"] = failed
    page = page_of([hostile], [failed], project=HOSTILE, execution_time=NOW)
    tags = [tag for tag, _, _ in page.elements]
    assert "img" not in tags and tags.count("script") == 1
    assert not any(name.startswith("on") for _, attributes, _ in page.elements for name in attributes)
    assert page.all("span", "failure")[0][1] == HOSTILE
    assert page.all("details")[0][0]["data-name"] == HOSTILE.lower()


def test_a_quote_does_not_end_an_attribute() -> None:
    page = page_of([model('a" onmouseover="alert(1)')])
    assert page.all("details")[0][0]["data-name"] == 'a" onmouseover="alert(1)'
    assert "onmouseover" not in page.all("details")[0][0]


def test_a_project_without_models_has_a_page_that_says_so() -> None:
    page = page_of([], execution_time=NOW, project="shop")
    assert any(text == "No model of this project is of a kind." for _, text in page.all("p"))


def test_a_package_that_tells_little_is_shown_as_far_as_it_goes() -> None:
    page = page_of(
        [
            {"model": "model.shop.a"},
            {"model": "model.shop.b", "recorded": [["2024-01-01T00:00:00", "2024-02-01T00:00:00"]]},
        ],
        [{}],
    )
    assert [name for _, name in page.all("span", "name")] == ["a", "b"]
    assert [attributes["class"] for attributes, _ in page.all("i") if "title" in attributes] == ["loaded"]


def test_a_store_of_another_project_is_matched_by_the_table() -> None:
    page = page_of([model("payments")], [FAILED | {"model": "model.other.payments"}])
    assert any(text == FAILED["message"] for _, text in page.all("td", "message"))


def test_a_thousand_models_of_thirty_gaps_stay_a_file_to_mail() -> None:
    days = [f"2024-{month:02}-{day:02}T00:00:00" for month in range(1, 13) for day in (1, 7, 13, 20, 26)]
    missing = [list(pair) for pair in zip(days[1::2], days[2::2], strict=False)]
    recorded = [list(pair) for pair in zip(days[::2], days[1::2], strict=False)]
    models = [ModelStatus.of(model(f"model_{number}", recorded=recorded, missing=missing)) for number in range(1000)]
    text = render_report(Report(models, execution_time="2025-01-01T00:00:00"))
    assert len(text) < 10_000_000
    assert text.count('<details class="model"') == 1000


def test_a_file_that_cannot_be_written_is_an_error_that_names_it(tmp_path: Path) -> None:
    with pytest.raises(UnwritableFileError, match=r"nowhere/report\.html cannot be written: No such file or directory"):
        write_report(Report([]), tmp_path / "nowhere" / "report.html")


def test_a_run_that_was_refused_is_a_failure_with_its_message() -> None:
    refused = FAILED | {"state": "refused", "message": "no column 'day'"}
    page = page_of(
        [model("payments", last_run=refused), model("refunds", missing=None, reason="refused: x", refused="x")]
    )
    assert [verdict for _, verdict in page.all("span", "verdict")] == ["refused, complete", "refused: x"]
    assert [text for _, text in page.all("span", "failure")] == ["no column 'day'"]
    assert [text for _, text in page.all("button")] == ["2 models", "1 complete", "2 failed"]

"""Which tests run: all but those of the sweep, of these only what is core or only the rest, or the sweep. `tests/sweep.py` says how."""

from __future__ import annotations

import os
from collections.abc import Generator
from typing import Any

import pytest
from xdist.scheduler import LoadScopeScheduling  # type: ignore[import-untyped]

from tests import sweep

MODES = ("core", "rest", "sweep")


def pytest_addoption(parser: pytest.Parser) -> None:
    options = parser.getgroup("sweep")
    options.addoption("--sweep", action="store_true", help="run what is left out by default, at full size")
    options.addoption("--core", action="store_true", help="leave out functional tests that are not core")
    options.addoption("--rest", action="store_true", help="run what --core leaves out")
    options.addoption("--share", default="1/1", metavar="I/N", help="which share of the sweep or the rest, as in 3/12")


def pytest_configure(config: pytest.Config) -> None:
    if sum(map(config.getoption, MODES)) > 1:
        raise pytest.UsageError("pass one of --core, --rest and --sweep")
    if sweep.numbers(config.getoption("share")) != (1, 1) and not (
        config.getoption("sweep") or config.getoption("rest")
    ):
        raise pytest.UsageError("--share is a share of the sweep or the rest: pass --sweep or --rest, too")
    if config.getoption("sweep"):
        sweep.begin()


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    mode = {name: config.getoption(name) for name in MODES}
    chosen = [item for item in items if sweep.is_chosen(item, **mode)]
    # what a file sets up, a share of the rest sets up once; the sweep's long files are shared out
    stays_with = sweep.file_of if mode["rest"] else sweep.group
    chosen = sweep.in_share(chosen, config.getoption("share"), stays_with)
    if len(chosen) < len(items):
        kept = set(chosen)
        config.hook.pytest_deselected(items=[item for item in items if item not in kept])
    is_worker = hasattr(config, "workerinput")
    items[:] = sweep.long_ones_first(chosen) if is_worker else chosen


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    if report.failed and item.config.getoption("sweep"):
        report.sections.append(("repeat this test", sweep.command(item.nodeid, os.environ)))
    return report


class GroupScheduling(LoadScopeScheduling):  # type: ignore[misc]
    """Hands out tests one by one, and those of a group together."""

    def _split_scope(self, nodeid: str) -> str:
        return sweep.group(nodeid)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> GroupScheduling | None:
    return GroupScheduling(config, log) if config.getoption("dist") == "loadscope" else None

"""Which tests run: those of `make test`, or with --sweep what it leaves out. `tests/sweep.py` says how."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Generator

import pytest

from tests import sweep

_COMMAND = pytest.StashKey[str]()


def pytest_addoption(parser: pytest.Parser) -> None:
    options = parser.getgroup("sweep")
    options.addoption("--sweep", action="store_true", help="run what is left out by default, at full size")
    options.addoption("--share", default="1/1", metavar="I/N", help="which share of the sweep, as in 3/12")


def pytest_configure(config: pytest.Config) -> None:
    share = config.getoption("share")
    if sweep.numbers(share) != (1, 1) and not config.getoption("sweep"):
        raise pytest.UsageError("--share is a share of the sweep: pass --sweep, too")
    if config.getoption("sweep"):
        sweep.begin()


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    is_sweep = config.getoption("sweep")
    chosen = [item for item in items if sweep.is_chosen(item, sweep=is_sweep)]
    chosen = sweep.in_share(chosen, config.getoption("share"))
    if len(chosen) < len(items):
        kept = set(chosen)
        config.hook.pytest_deselected(items=[item for item in items if item not in kept])
    if is_sweep:
        for item in chosen:
            item.stash[_COMMAND] = sweep.command(item, os.environ)
    if getattr(config.option, "loadgroup", False):
        sizes = Counter(map(sweep.group, chosen))
        for item in chosen:
            if sizes[sweep.group(item)] > 1:
                item.add_marker(pytest.mark.xdist_group(sweep.group(item)))
        chosen = sweep.long_ones_first(chosen)
    items[:] = chosen


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item,
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    if report.failed and _COMMAND in item.stash:
        report.sections.append(("repeat this test", item.stash[_COMMAND]))
    return report

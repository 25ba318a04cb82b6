"""What `make test` leaves to `make sweep`: tests marked `sweep`, and tests marked `sized` at a larger size.

Properties that hypothesis draws examples for are sized without a mark.
"""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Iterable, Mapping
from pathlib import PurePath
from typing import Any

import pytest

# what the size of a test is read from
VARIABLES = ("KINDS_EXAMPLES", "KINDS_KILLS", "KINDS_RACES")

_mode = {"sweep": False}


def begin() -> None:
    """Makes this process one that runs the sweep. Comes before tests are imported."""
    _mode["sweep"] = True


def size(variable: str, usual: int, full: int) -> int:
    """How many examples, kills or races there are: what the variable says, or the size of this mode."""
    return int(os.environ.get(variable, full if _mode["sweep"] else usual))


def rest(values: Iterable[Any], *kept: Any) -> list[Any]:
    """Parameters of which only those named run by default. Those of several arguments are tuples."""
    given = list(values)
    assert all(value in given for value in kept), f"no parameter {[value for value in kept if value not in given]}"
    return [value if value in kept else _in_sweep(value) for value in given]


def _in_sweep(value: Any) -> Any:
    values = value if isinstance(value, tuple) else (value,)
    return pytest.param(*values, marks=pytest.mark.sweep)


def is_chosen(item: pytest.Item, *, sweep: bool) -> bool:
    """Whether a test runs in the sweep, or else by default."""
    if item.get_closest_marker("sweep"):
        return sweep
    is_property = getattr(getattr(item, "obj", None), "is_hypothesis_test", False)
    return not sweep or is_property or item.get_closest_marker("sized") is not None


def group(item: pytest.Item) -> str:
    """The name of the tests that this one stays with: those marked so, those of its class, or none."""
    together = item.get_closest_marker("together")
    if together:
        return str(together.args[0])
    parts = item.nodeid.split("[", 1)[0].split("::")
    return "::".join(parts[:-1]) if len(parts) > 2 else item.nodeid


def in_share(items: list[pytest.Item], share: str) -> list[pytest.Item]:
    """The tests of a share such as 3/12: groups are dealt out in turn."""
    number, of = numbers(share)
    groups = dict.fromkeys(group(item) for item in items)
    dealt = {name for position, name in enumerate(groups) if position % of == number - 1}
    return [item for item in items if group(item) in dealt]


def numbers(share: str) -> tuple[int, int]:
    """Which share, of how many."""
    found = re.fullmatch(r"(\d+)/(\d+)", share)
    number, of = (int(found[1]), int(found[2])) if found else (0, 0)
    if not 1 <= number <= of:
        raise pytest.UsageError(f"--share {share}: write the number of a share and how many there are, as in 3/12")
    return number, of


def long_ones_first(items: list[pytest.Item]) -> list[pytest.Item]:
    """Tests in the order in which workers are to begin them: no worker is left with a long group at the end."""

    def turn(item: pytest.Item) -> int:
        if item.get_closest_marker("together"):
            return 0
        return 1 if "functional" in PurePath(item.nodeid.split("::")[0]).parts else 2

    return sorted(items, key=turn)


def command(item: pytest.Item, environment: Mapping[str, str]) -> str:
    """What repeats a test of the sweep in a shell. Asked before xdist adds the group to the test's name."""
    together = item.get_closest_marker("together")
    is_whole_file = together is not None and together.kwargs.get("in_order")
    sizes = "".join(f"{name}={shlex.quote(environment[name])} " for name in VARIABLES if name in environment)
    what = item.nodeid.split("::")[0] if is_whole_file else item.nodeid
    return f"{sizes}.venv/bin/python -m pytest --sweep {shlex.quote(what)}"

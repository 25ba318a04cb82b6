"""What `make test` leaves to `make functional`: functional tests that are not marked `core`. What both leave to `make sweep`: tests marked `sweep`, and tests marked
`sized` at a larger size.

Properties that hypothesis draws examples for are sized without a mark.
"""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import pytest

# what the size of a test is read from
VARIABLES = ("KINDS_EXAMPLES", "KINDS_KILLS", "KINDS_RACES", "KINDS_POSTS", "KINDS_RUNS", "KINDS_MINUTES", "KINDS_SEED")

FUNCTIONAL = "tests/functional/"
# files whose tests share something: one worker and one share run all tests of such a file
TOGETHER = [
    *(f"{FUNCTIONAL}test_{name}.py" for name in ("kind_matrix", "race", "generic_tests", "scd2_conformance")),
    *(f"{FUNCTIONAL}test_{name}.py" for name in ("soundness", "conformance", "ondatrasql_runs", "delta")),
]
# files that take long: begun at once, so that no worker is left with one at the end
LONG = [
    f"{FUNCTIONAL}test_soak.py",
    *TOGETHER,
    "tests/unit/test_migrate_runs.py",
    *(f"{FUNCTIONAL}test_{name}.py" for name in ("crash", "crash_every_kind", "compiled_project", "migrate")),
    *(f"{FUNCTIONAL}test_{name}.py" for name in ("without_python", "demo", "scd2_property", "ondatrasql_shop")),
    *(f"{FUNCTIONAL}test_{name}.py" for name in ("crash_changes", "push_killed", "sinks", "collect")),
]
# files whose tests go on from where the ones before them ended
IN_ORDER = [f"{FUNCTIONAL}test_kind_matrix.py"]

_mode = {"sweep": False}


def begin() -> None:
    """Makes this process one that runs the sweep. Comes before tests are imported."""
    _mode["sweep"] = True


def is_sweep() -> bool:
    """Whether this process runs the sweep."""
    return _mode["sweep"]


def size(variable: str, usual: int | None, full: int) -> int:
    """How many examples, kills or races there are: what the variable says, or the size of this mode. A test that only the sweep runs has no usual one."""
    return int(os.environ.get(variable, full if is_sweep() or usual is None else usual))


def rest(values: Iterable[Any], *kept: Any) -> list[Any]:
    """Parameters of which only those named run by default. Those of several arguments are tuples."""
    given = list(values)
    assert all(value in given for value in kept), f"no parameter {[value for value in kept if value not in given]}"
    return [value if value in kept else _in_sweep(value) for value in given]


def _in_sweep(value: Any) -> Any:
    values = value if isinstance(value, tuple) else (value,)
    return pytest.param(*values, marks=pytest.mark.sweep)


def is_chosen(item: pytest.Item, *, sweep: bool, core: bool, rest: bool) -> bool:
    """Whether a test runs: in the sweep, or else by default; by default only what is core, or only what is not."""
    if item.get_closest_marker("sweep"):
        return sweep
    if core or rest:
        return core == is_core(item)
    is_property = getattr(getattr(item, "obj", None), "is_hypothesis_test", False)
    return not sweep or is_property or item.get_closest_marker("sized") is not None


def is_core(item: pytest.Item) -> bool:
    """Whether `make test` runs a test: unit tests, and functional tests that are marked."""
    return not item.nodeid.startswith(FUNCTIONAL) or item.get_closest_marker("core") is not None


def group(nodeid: str) -> str:
    """What names the tests that a test stays with: its file, its class, or itself alone."""
    file, *names = nodeid.split("[", 1)[0].split("::")
    if file in TOGETHER:
        return file
    return f"{file}::{names[0]}" if len(names) > 1 else nodeid


def file_of(nodeid: str) -> str:
    """The file of a test."""
    return nodeid.split("::")[0]


def in_share(items: Sequence[pytest.Item], share: str, stays_with: Callable[[str], str]) -> list[pytest.Item]:
    """The tests of a share such as 3/12: groups, as `stays_with` names that of a test, are dealt out in turn."""
    number, of = numbers(share)
    groups = dict.fromkeys(stays_with(item.nodeid) for item in items)
    dealt = {name for position, name in enumerate(groups) if position % of == number - 1}
    return [item for item in items if stays_with(item.nodeid) in dealt]


def numbers(share: str) -> tuple[int, int]:
    """Which share, of how many."""
    found = re.fullmatch(r"(\d+)/(\d+)", share)
    number, of = (int(found[1]), int(found[2])) if found else (0, 0)
    if not 1 <= number <= of:
        raise pytest.UsageError(f"--share {share}: write the number of a share and how many there are, as in 3/12")
    return number, of


def long_ones_first(items: Iterable[pytest.Item]) -> list[pytest.Item]:
    """Tests in the order in which workers are to begin them: long files, then unit tests, then the others."""

    def turn(item: pytest.Item) -> int:
        file = file_of(item.nodeid)
        if file in LONG:
            return LONG.index(file)
        return len(LONG) + file.startswith(FUNCTIONAL)

    return sorted(items, key=turn)


def command(nodeid: str, environment: Mapping[str, str]) -> str:
    """What repeats a test of the sweep in a shell."""
    file = file_of(nodeid)
    sizes = "".join(f"{name}={shlex.quote(environment[name])} " for name in VARIABLES if name in environment)
    return f"{sizes}.venv/bin/python -m pytest --sweep {shlex.quote(file if file in IN_ORDER else nodeid)}"

"""What `make sweep` runs, and what it says of a test that fails."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests import sweep

ROOT = Path(__file__).parents[2]
# those of other packages take a second to begin, and are not needed
PLUGINS = ("-p", "no:cacheprovider", "-p", "xdist.plugin", "-p", "tests.conftest")
TESTS = """
import pytest
from hypothesis import given, strategies as st
from tests import sweep

@pytest.mark.parametrize(("letter", "number"), sweep.rest([("a", 1), ("b", 2), ("c", 3)], ("a", 1)))
def test_some(letter, number): assert letter != "c"

def test_quick(): assert sweep.size("KINDS_KILLS", 3, 200) == 3

@pytest.mark.sized
def test_sized(): assert sweep.size("KINDS_KILLS", 3, 200) in (3, 200), "size"

@given(st.none())
def test_property(nothing): pass

@pytest.mark.sweep
class TestTogether:
    def test_one(self): pass
    def test_two(self): pass
"""
FUNCTIONAL = """
import pytest

@pytest.mark.core
def test_core(): pass

def test_other(): pass
"""
IN_ORDER = """
import pytest

@pytest.mark.sweep
@pytest.mark.parametrize("number", [1, 2])
def test_in_order(number): assert number == 1
"""
CORE = {"test_some[a-1]", "test_quick", "test_sized", "test_property", "test_core"}
SWEPT = {
    "test_some[b-2]", "test_some[c-3]", "test_sized", "test_property", "TestTogether::test_one", "TestTogether::test_two",
    "test_in_order[1]", "test_in_order[2]",
}  # fmt: skip


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with tests of every sort, beside which pytest reads this project's conftest."""
    for variable in sweep.VARIABLES:
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    (tmp_path / "tests" / "functional").mkdir(parents=True)
    (tmp_path / "tests" / "test_it.py").write_text(TESTS)
    (tmp_path / "tests" / "functional" / "test_functional.py").write_text(FUNCTIONAL)
    (tmp_path / sweep.IN_ORDER[0]).write_text(IN_ORDER)
    (tmp_path / "pytest.ini").write_text("[pytest]\nmarkers =\n  core\n  sweep\n  sized\n")
    return tmp_path


def pytest_says(folder: Path, *arguments: str) -> str:
    command = [sys.executable, "-m", "pytest", *PLUGINS, "-v", *arguments]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False).stdout


def names(said: str) -> set[str]:
    """The tests that ran."""
    return set(re.findall(r"test_\w+\.py::(\S+) (?:PASSED|FAILED)", said))


def test_by_default_the_sweep_is_left_out(run: Path) -> None:
    said = pytest_says(run)
    assert names(said) == CORE | {"test_other"}
    assert "6 passed, 6 deselected" in said


def test_what_is_core_and_the_rest_are_all_of_it(run: Path) -> None:
    assert names(pytest_says(run, "--core")) == CORE
    assert names(pytest_says(run, "--rest")) == {"test_other"}
    assert pytest_says(run, "--core", "--sweep") == pytest_says(run, "--rest", "--core") == ""


def test_the_sweep_is_what_was_left_out_and_what_has_a_size(run: Path) -> None:
    said = pytest_says(run, "--sweep")
    assert names(said) == SWEPT
    assert "2 failed, 6 passed, 4 deselected" in said
    assert re.findall(r"\n(\.venv/bin/python -m pytest .*)\n", said) == [
        f".venv/bin/python -m pytest --sweep {sweep.IN_ORDER[0]}",
        ".venv/bin/python -m pytest --sweep 'tests/test_it.py::test_some[c-3]'",
    ]


def test_workers_keep_groups_together_and_say_how_a_test_is_repeated(
    run: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KINDS_KILLS", "7")
    said = pytest_says(run, "--sweep", "-n", "2", "--dist", "loadscope", "--no-loadscope-reorder")
    ran = re.findall(r"\[(gw\d)\] .* (?:PASSED|FAILED) \S+::(\S+)", said)
    assert {test for _, test in ran} >= SWEPT - {"TestTogether::test_one", "TestTogether::test_two"}
    assert [test for _, test in ran if "in_order" in test] == ["test_in_order[1]", "test_in_order[2]"]
    for name in ("test_in_order", "test_one|test_two"):
        assert len({worker for worker, test in ran if re.match(name, test)}) == 1
    assert "\nKINDS_KILLS=7 .venv/bin/python -m pytest --sweep tests/test_it.py::test_sized\n" in said


def test_a_named_test_runs(run: Path) -> None:
    assert names(pytest_says(run, "--sweep", "tests/test_it.py::test_some[b-2]")) == {"test_some[b-2]"}


def test_shares_are_all_of_it_once_and_keep_together_what_belongs_together(run: Path) -> None:
    shares = [names(pytest_says(run, "--sweep", "--share", f"{number}/3")) for number in (1, 2, 3)]
    assert sum(map(len, shares)) == len(SWEPT) and set.union(*shares) == SWEPT
    assert sorted(map(len, shares)) == [2, 3, 3]
    for one, other in (("TestTogether::test_one", "TestTogether::test_two"), ("test_in_order[1]", "test_in_order[2]")):
        assert [one in share for share in shares] == [other in share for share in shares]


@pytest.mark.parametrize("share", ["0/3", "4/3", "1", "a/b", "1/0"])
def test_a_share_that_is_none_is_refused(share: str) -> None:
    with pytest.raises(pytest.UsageError, match="write the number of a share and how many there are"):
        sweep.numbers(share)


def test_shares_of_the_rest_are_whole_files(run: Path) -> None:
    (run / "tests" / "functional" / "test_more.py").write_text("def test_first(): pass\ndef test_second(): pass\n")
    shares = [names(pytest_says(run, "--rest", "--share", f"{number}/2")) for number in (1, 2)]
    assert shares == [{"test_other"}, {"test_first", "test_second"}]


def test_a_share_is_one_of_the_sweep_or_the_rest(run: Path) -> None:
    command = [sys.executable, "-m", "pytest", *PLUGINS, "--share", "1/2"]
    told = subprocess.run(command, cwd=run, capture_output=True, text=True, check=False)
    assert told.returncode == pytest.ExitCode.USAGE_ERROR
    assert "pass --sweep or --rest, too" in told.stderr


def test_only_parameters_that_are_there_can_be_kept() -> None:
    with pytest.raises(AssertionError, match="no parameter"):
        sweep.rest(["a"], "b")

"""Every warning of a model goes through one macro, which counts it for the line that ends a run."""

from __future__ import annotations

import re
from types import SimpleNamespace
from typing import Any

import pytest

from tests.unit.macros import MACROS, Macros


def test_no_macro_but_warn_calls_exceptions_warn() -> None:
    calling = [
        file.relative_to(MACROS).as_posix()
        for file in sorted(MACROS.rglob("*.sql"))
        if re.search(r"exceptions\s*\.\s*warn\b", file.read_text())
    ]
    assert calling == ["options/warn.sql"], "call dbt_kinds.warn(model, words), which counts the warning"


def macros_that_say(said: list[str], warn: Any = lambda text: None) -> Macros:
    """The macros, with the lines that they log in a list."""
    return Macros(exceptions=SimpleNamespace(warn=warn), log=lambda text, info=False: said.append(text))


def test_a_run_ends_with_the_number_of_its_warnings_by_model() -> None:
    said: list[str] = []
    macros = macros_that_say(said, said.append)
    macros.log_number_of_warnings()
    assert said == []
    for model, words in (("orders", "one"), ("payments", "two"), ("orders", "three")):
        macros.warn(model, words)
    macros.log_number_of_warnings()
    assert said[0] == "dbt_kinds: model orders: one"
    assert said[-1] == "dbt_kinds: 3 warnings: orders 2, payments 1"


def test_a_warning_that_fails_the_model_is_an_error_and_not_counted() -> None:
    said: list[str] = []

    def fail(text: str) -> None:
        raise RuntimeError(text)

    macros = macros_that_say(said, fail)
    with pytest.raises(RuntimeError, match="model orders: one"):
        macros.warn("orders", "one")
    macros.log_number_of_warnings()
    assert said == []

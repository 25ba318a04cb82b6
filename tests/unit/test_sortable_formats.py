"""Formats of time columns, against the runtime's reading of them."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dbt_kinds.readers.sqlmesh.sortable_formats import UnsortableFormat, sortable_format
from tests.unit.macros import Macros

MACROS = Macros()
PIECES = ["%Y", "%m", "%d", "%H", "%M", "%S", "%F", "%T", "%f", "%j", "-", " ", ":", "T", "/", "Z"]


@given(st.lists(st.sampled_from(PIECES), max_size=10))
def test_what_compile_takes_the_runtime_takes(pieces: list[str]) -> None:
    text = "".join(pieces)
    try:
        written = sortable_format(text, "")
    except UnsortableFormat:
        return
    long = text.replace("%F", "%Y-%m-%d").replace("%T", "%H:%M:%S")
    assert MACROS.time_format("db.m", written)["strftime"] == long


@pytest.mark.parametrize(
    ("text", "dialect", "says"),
    [
        ("YYYYMMDD", "duckdb", "write '%Y%m%d'"),
        ("YYYY-MM-DD HH24:MI:SS", "spark", "write '%Y-%m-%d %H:%M:%S'"),
        ("yyyy-mm-dd hh:mm", "duckdb", "write '%Y-%m-%d %H:%M'"),
        ("YYYY-MM-DD", "spark", "write '%Y-%m-%d'"),
        ("dd.MM.yyyy", "spark", "write it as %Y-%m-%d"),
        ("hello", "duckdb", "write it as %Y-%m-%d"),
        ("%Y-%m-%d %H:%M:%S.%f", "duckdb", "from the year downwards"),
        ("", "duckdb", "write it as %Y-%m-%d"),
    ],
)
def test_a_format_that_does_not_sort_is_refused_with_one_that_does(text: str, dialect: str, says: str) -> None:
    with pytest.raises(UnsortableFormat, match=re.escape(says)):
        sortable_format(text, dialect)

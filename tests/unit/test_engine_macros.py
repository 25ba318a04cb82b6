"""The macros of macros/engines are what dbt-core's Jinja and Python's modules do by themselves."""

from __future__ import annotations

import datetime
import json
import re
from types import SimpleNamespace
from typing import Any

import pytest
import pytz
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.macros import Macros, node

MACROS = Macros()
# dbt-core's knows the configuration
ADAPTER = SimpleNamespace(type=lambda: "spark", quote=lambda name: f"`{name}`", config=SimpleNamespace(credentials={}))
# what a BIGINT holds: dbt 2.0's Jinja panics beyond 128 bits
INTEGERS = st.integers(-(2**63), 2**63 - 1)
LETTERS = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
VALUES = st.recursive(
    st.none() | st.booleans() | INTEGERS | st.floats(allow_nan=False, allow_infinity=False) | LETTERS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(LETTERS, inner, max_size=3),
    max_leaves=6,
)
MOMENTS = st.datetimes(datetime.datetime(1000, 1, 1), datetime.datetime(9998, 12, 31))


@given(VALUES)
def test_json_is_what_dbt_core_writes(value: Any) -> None:
    assert MACROS.json_text(value) == json.dumps(value)


@pytest.mark.parametrize(
    "text", ['a"b\\c', "\n\r\t\b\f\0\x1f\x7f", "é ß € 日本 😀", "\ud7ff\ue000\uffff\U0010ffff", "[]!#~ /%"]
)
def test_letters_that_json_escapes(text: str) -> None:
    assert MACROS.json_text({text: [text]}) == json.dumps({text: [text]})


@given(st.sampled_from(["a|ab", "a*?", r"\w+|`.*`", "(?:a|b)(c)?", "a$", "", "(%.)+"]), st.text("ab`c%\n", max_size=5))
def test_a_full_match_is_what_fullmatch_finds(pattern: str, text: str) -> None:
    expected, found = re.fullmatch(pattern, text), MACROS.full_match(pattern, text)
    assert MACROS.matches(pattern, text) is (expected is not None)
    assert (found and found.groups()) == (expected and expected.groups())


@given(INTEGERS)
def test_thousands(number: int) -> None:
    assert MACROS.thousands(number) == f"{number:,}"


@given(st.floats(0, 1e9) | st.integers(0, 10**9))
def test_thousandths(number: float) -> None:
    assert MACROS.to_thousandths(number) == round(number, 3)


@given(st.lists(st.tuples(st.sampled_from(["a", "b", "B", "c"]), st.integers(0, 9))))
def test_rows_sorted_backwards_keep_the_order_of_ties(pairs: list[tuple[str, int]]) -> None:
    rows = [{"at": at, "n": n} for at, n in pairs]
    assert MACROS.sorted_backwards(rows, "at") == sorted(rows, key=lambda row: str(row["at"]).lower(), reverse=True)


@given(MOMENTS, MOMENTS)
def test_seconds_between(earlier: datetime.datetime, later: datetime.datetime) -> None:
    assert MACROS.seconds_between(earlier.isoformat(), later.isoformat()) == (later - earlier).total_seconds()


def test_the_names_of_time_zones_are_those_of_pytz() -> None:
    assert set(pytz.all_timezones) <= set(MACROS.time_zone_names())


def test_meta_comes_from_the_graph_where_the_model_is_in_it() -> None:
    model, whole = node(start="2024-01-01"), node(start="2024-01-01", nested={"gone": None})
    assert MACROS.meta_of(model) == {"start": "2024-01-01"}
    assert Macros(graph={"nodes": {model["unique_id"]: whole}}).meta_of(model) == whole["config"]["meta"]
    assert Macros(graph={}).meta_of({"config": {}}) == {}


def test_there_are_no_credentials_where_the_adapter_has_no_config() -> None:
    assert MACROS.credentials() == {}


def test_relations_in_backticks_give_the_hash_that_dbt_core_has() -> None:
    parent = {"schema": "shop", "alias": "orders"}
    child = node("days", time_column="ts") | {
        "schema": "shop",
        "alias": "days",
        "depends_on": {"nodes": ["model.shop.orders"]},
    }
    graph = {"nodes": {"model.shop.orders": parent, "model.shop.days": child}, "sources": {}}
    core = Macros(graph=graph, adapter=ADAPTER)
    other = Macros(graph=graph)
    plain, quoted = (
        "select `a`.`b` from shop.orders join shop.days",
        "select `a`.`b` from `shop`.`orders` join `shop`.`days`",
    )
    options = other.options(child)
    assert core.model_hash(options, plain) == other.model_hash(options, plain) == other.model_hash(options, quoted)
    assert core.model_hash(options, quoted) != core.model_hash(options, plain)

"""The generic tests as SQL, and what they say of arguments that cannot be meant. tests/functional has their meaning."""

from __future__ import annotations

import datetime
from typing import Any

import pytest

from dbt_kinds.simulation.databases import new_database
from tests.unit.macros import CompilerError, Macros


def macros(reference: str = "ref('orders')") -> Macros:
    metadata = {"kwargs": {"model": f"{{{{ get_where_subquery({reference}) }}}}"}}
    return Macros(node={"name": "dbt_kinds_test_orders", "test_metadata": metadata})


MACROS = macros()


def rendered(test: str, **arguments: Any) -> str:
    return str(getattr(MACROS, f"test_{test}")("shop.orders", **arguments))


def condition(test: str, **arguments: Any) -> str:
    """What stands behind `where` in a test that returns rows as they are."""
    head, _, where = rendered(test, **arguments).partition("\nwhere ")
    assert head == "select *\nfrom shop.orders"
    return where


def refusal_of(test: str, **arguments: Any) -> str:
    with pytest.raises(CompilerError) as refused:
        rendered(test, **arguments)
    return str(refused.value).removeprefix(f"dbt_kinds: model orders: test {test}: ")


# --- SQL that is meant to be read


def test_an_aggregate_is_returned_where_it_is_out_of_bounds() -> None:
    assert rendered("mean_in_range", column="amount", min_v=1, max_v=2.5) == (
        "select mean\nfrom (\n  select avg(`amount`) as mean\n  from shop.orders\n)\nwhere mean < 1 or mean > 2.5"
    )


def test_no_more_rows_are_counted_than_decide() -> None:
    assert "limit 101\n" in rendered("number_of_rows", threshold="100")


def test_repeated_values_are_returned_with_names_that_a_stored_table_can_have() -> None:
    assert rendered("unique_combination_of_columns", columns=["a", "lower(b)"]) == (
        "select `a`, (lower(b)) as expression_2, count(*) as n_records\n"
        "from shop.orders\ngroup by `a`, (lower(b))\nhaving count(*) > 1"
    )


@pytest.mark.parametrize(
    "written", ["partition by a, `b c`", "PARTITION  BY(a, `b c`)", "a, `b c`", ["a", "`b c`"], ["`a`", "`b c`"]]
)
def test_partitions_are_written_in_several_ways(written: str | list[str]) -> None:
    sql = rendered(
        "mutually_exclusive_ranges", lower_bound_column="x", upper_bound_column="y", partition_clause=written
    )
    assert "over (\n      partition by `a`, `b c` order by `x`, `y`\n    )" in sql


@pytest.mark.parametrize("written", [None, False])
def test_ranges_without_partitions_are_compared_in_the_whole_table(written: bool | None) -> None:
    sql = rendered(
        "mutually_exclusive_ranges", lower_bound_column="x", upper_bound_column="y", partition_clause=written
    )
    assert "over (\n      order by `x`, `y`\n    )" in sql


# --- columns


@pytest.mark.parametrize(
    ("arguments", "column"),
    [
        ({"column": "amount"}, "`amount`"),
        ({"column": " größe "}, "`größe`"),
        ({"column": "`net amount`"}, "`net amount`"),
        ({"column": "a - b"}, "(a - b)"),
        ({"column": "a -- why\n - b"}, "(a  \n - b)"),
        ({"column": "customer.name"}, "(customer.name)"),
        ({"column_name": "amount"}, "`amount`"),
        ({"column_name": "net amount"}, "`net amount`"),
        ({"column_name": "`net amount`"}, "`net amount`"),
        ({"column_name": "order-id"}, "`order-id`"),
        ({"column_name": "customer.name"}, "`customer`.`name`"),
        ({"column_name": "amount", "column": "amount"}, "`amount`"),
    ],
)
def test_a_column_is_a_name_or_an_expression(arguments: dict[str, str], column: str) -> None:
    assert condition("not_empty_string", **arguments) == f"{column} = ''"


# --- values


@pytest.mark.parametrize(
    ("written", "value"),
    [
        (3, "3"),
        (-0.5, "-0.5"),
        ("1e3", "1e3"),
        (datetime.date(2024, 1, 31), "'2024-01-31'"),
        (datetime.datetime(2024, 1, 31, 7, 30), "'2024-01-31 07:30:00'"),
        ("2024-01-31", "'2024-01-31'"),
        ("2024-01-31T07:30:00Z", "'2024-01-31T07:30:00Z'"),
        ("date '2024-01-31'", "(date '2024-01-31')"),
        ("'abc'", "'abc'"),
        ("high - 1", "(high - 1)"),
        ("high", "high"),
    ],
)
def test_a_value_is_a_number_a_date_or_sql(written: Any, value: str) -> None:
    assert condition("accepted_range", column="low", max_v=written) == f"`low` > {value}"


def test_texts_that_are_refused_are_values_and_sql_where_it_is_asked_for() -> None:
    values = ["it's", "a\\b", 1, True, None, datetime.date(2024, 1, 31)]
    assert condition("not_accepted_values", column="a", is_in=values) == (
        "`a` in ('it\\'s', 'a\\\\b', 1, true, null, '2024-01-31')"
    )
    assert condition("not_accepted_values", column="a", is_in=["upper('x')"], quote=False) == "`a` in ((upper('x')))"


def test_one_pattern_and_one_condition_stand_without_brackets() -> None:
    assert condition("match_like_pattern_list", column="a", patterns="x%") == "not (`a` like 'x%')"
    assert condition("not_match_regex_pattern_list", column="a", patterns=["x", r"\d"]) == (
        "`a` rlike 'x' or `a` rlike '\\\\d'"
    )
    assert condition("forall", criteria="a > 0 or b") == "not (a > 0 or b)"
    assert condition("forall", criteria=["paid", "a in (1, 2) -- why"]) == "not `paid` or not (a in (1, 2))"


# --- what is refused

PATTERNS = "; write patterns: ['^INV-', '[0-9]{6}$']"


@pytest.mark.parametrize(
    ("test", "arguments", "message"),
    [
        (
            "not_empty_string",
            {},
            "column is missing; write the test below the column it is about, or add column: <name of the column>",
        ),
        (
            "not_empty_string",
            {"column": "a", "column_name": "b"},
            "column 'a' stands below the column 'b'; remove one of the two",
        ),
        (
            "not_empty_string",
            {"column": ["a"]},
            "column '['a']' is not a column or an SQL expression; write one, such as amount or `net amount`",
        ),
        (
            "not_empty_string",
            {"column": " -- a"},
            "column ' -- a' is not a column or an SQL expression; write one, such as amount or `net amount`",
        ),
        (
            "accepted_range",
            {"column": "a"},
            "without min_v and max_v it could not fail; write one of them, or both, such as min_v: 0",
        ),
        (
            "mean_in_range",
            {"column": "a", "min_v": 2, "max_v": "1.5"},
            "min_v '2' is greater than max_v '1.5'; exchange them",
        ),
        (
            "string_length_between",
            {"column": "a", "min_v": True},
            "min_v 'True' is not a value; write a number, a date such as 2024-01-31, or SQL such as \"date '2024-01-31'\"",
        ),
        (
            "accepted_range",
            {"column": "a", "min_v": [1]},
            "min_v '[1]' is not a value; write a number, a date such as 2024-01-31, or SQL such as \"date '2024-01-31'\"",
        ),
        (
            "accepted_range",
            {"column": "a", "min_v": float("nan")},
            "min_v 'nan' is not a value; write a number, a date such as 2024-01-31, or SQL such as \"date '2024-01-31'\"",
        ),
        (
            "stddev_in_range",
            {"column": "a", "min_v": 1, "inclusive": "maybe"},
            "inclusive 'maybe' is neither true nor false",
        ),
        ("string_length_equal", {"column": "a"}, "v is missing; write one, such as v: 22"),
        ("string_length_equal", {"column": "a", "v": -1}, "v '-1' is not 0 or more; write v: 22"),
        ("z_score", {"column": "a"}, "threshold is missing; write one, such as threshold: 3"),
        ("z_score", {"column": "a", "threshold": -1}, "threshold '-1' is not 0 or more; write threshold: 3"),
        (
            "not_null_proportion",
            {"column": "a", "threshold": 90},
            "threshold '90' is not between 0 and 1; write threshold: 0.9",
        ),
        ("number_of_rows", {"threshold": 1.5}, "threshold '1.5' is not a whole number of 0 or more"),
        ("number_of_rows", {}, "threshold is missing; write one, such as threshold: 100"),
        ("sequential_values", {"column": "a", "interval": None}, "interval is missing; write one, such as interval: 1"),
        ("match_regex_pattern_list", {"column": "a"}, f"patterns is missing{PATTERNS}"),
        ("match_regex_pattern_list", {"column": "a", "patterns": []}, f"patterns is missing{PATTERNS}"),
        (
            "match_regex_pattern_list",
            {"column": "a", "patterns": {"a": 1}},
            f"patterns '{{'a': 1}}' is not a list of strings{PATTERNS}",
        ),
        (
            "not_match_regex_pattern_list",
            {"column": "a", "patterns": ["^a", 7]},
            f"patterns holds '7', which is not a string{PATTERNS}",
        ),
        ("forall", {}, "criteria is missing; write criteria: [amount > 0, paid_at >= ordered_at]"),
        ("unique_combination_of_columns", {}, "columns is missing; write columns: [order_id, line]"),
        (
            "not_accepted_values",
            {"column": "a", "is_in": "x"},
            "is_in 'x' is not a list of values; write is_in: [cancelled, unknown]",
        ),
        (
            "mutually_exclusive_ranges",
            {"lower_bound_column": "a"},
            "upper_bound_column is missing; write upper_bound_column: <name of the column>",
        ),
        (
            "kl_divergence",
            {"source_column": "a", "column": "b", "target_column": "c", "threshold": 1},
            "source_column 'a' and column 'b' are one argument; remove one of the two",
        ),
        (
            "chi_square",
            {"column_a": "a", "critical_value": 1},
            "column_b is missing; write column_b: <name of the column>",
        ),
        (
            "chi_square",
            {"column_a": "a", "column_b": "b"},
            "critical_value is missing; write one, such as critical_value: 3.84146",
        ),
    ],
)
def test_an_argument_that_cannot_be_meant_is_an_error(test: str, arguments: dict[str, Any], message: str) -> None:
    assert refusal_of(test, **arguments) == message


def test_a_source_is_called_by_its_name_in_messages() -> None:
    with pytest.raises(CompilerError, match=r"^dbt_kinds: model shop[.]orders: test z_score: column is missing"):
        macros("source('shop', 'orders')").test_z_score("shop.orders", threshold=3)


# --- history


def test_versions_of_a_key_are_compared_with_the_next_one() -> None:
    assert rendered("scd2_no_overlap", unique_key=["id", "lower(region)"], valid_to="until") == (
        "select *\nfrom (\n  select *, lead(`valid_from`) over (partition by `id`, (lower(region)) "
        "order by `valid_from`, `until` nulls last)\n    as next_valid_from\n  from shop.orders\n)\n"
        "where next_valid_from < `until` or (next_valid_from is not null and `until` is null)"
    )
    assert condition("scd2_no_inverted_period") == "`valid_from` is null or `valid_from` >= `valid_to`"
    assert "from (select * from shop.orders where `valid_to` is null)\ngroup by `id`" in rendered(
        "scd2_one_current_row", unique_key="id"
    )
    assert refusal_of("scd2_one_current_row").startswith("unique_key is missing; write unique_key: [customer_id]")


# --- the tests of the package's own, asked of DuckDB

ROWS = "(select * from (values {}) as v(n, m, s))"


def failing(test: str, rows: str, **arguments: Any) -> list[tuple[Any, ...]]:
    """What a test returns of rows of the columns n, m and s, which DuckDB reads as Spark does."""
    sql = str(getattr(MACROS, f"test_{test}")(ROWS.format(rows), **arguments)).replace("`", '"')
    return new_database().execute(sql).fetchall()


SOME = "(1, 10, 'a'), (2, 20, 'b'), (4, 20, 'a'), (cast(null as int), 30, cast(null as varchar))"
NONE = "(1, 1, 'a') limit 0"


@pytest.mark.parametrize(
    ("test", "arguments", "rows", "expected"),
    [
        ("primary_key", {"columns": ["n"]}, SOME, [(None, 1)]),
        ("primary_key", {"columns": "m"}, SOME, [(20, 2)]),
        ("primary_key", {"column_name": "m"}, SOME, [(20, 2)]),
        ("primary_key", {"columns": ["m", "s"]}, SOME, [(30, None, 1)]),
        ("primary_key", {"columns": ["m", "coalesce(s, '')"]}, SOME, []),
        ("no_gaps", {"column": "n"}, SOME, [(4, 2)]),
        ("no_gaps", {"column": "n", "step": 2}, SOME, []),
        ("no_gaps", {"column": "m", "step": 9}, SOME, [(20, 10), (30, 20)]),
        ("no_overlapping_ranges", {"start_column": "n", "end_column": "m"}, "(1, 2, ''), (2, 5, ''), (5, 5, '')", []),
        ("no_overlapping_ranges", {"start_column": "n", "end_column": "m"}, "(1, 9, ''), (2, 3, ''), (4, 5, '')", [(2, 3, 9), (4, 5, 9)]),
        ("no_overlapping_ranges", {"start_column": "n", "end_column": "m"}, "(1, null, ''), (2, 3, ''), (null, 9, '')", []),
        ("no_overlapping_ranges", {"start_column": "n", "end_column": "m"}, "(1, 3, ''), (2, null, '')", [(2, None, 3)]),
        ("entropy", {"column": "s", "value": 0.9}, SOME, []),
        ("entropy", {"column": "m", "operator": "between", "value": [1.4, 1.6]}, SOME, []),
        ("entropy", {"column": "m", "operator": "<", "value": 1.5}, SOME, [(1.5,)]),
        ("entropy", {"column": "s", "value": 0}, NONE, [(None,)]),
        ("aggregate_compares", {"aggregate": "max(n)", "operator": "<=", "value": 4}, SOME, []),
        ("aggregate_compares", {"aggregate": "max(n)", "operator": "<", "value": "2 + 2"}, SOME, [(4,)]),
        ("aggregate_compares", {"aggregate": "count(*)", "operator": "between", "value": [1, 3]}, SOME, [(4,)]),
        ("aggregate_compares", {"aggregate": "count(distinct s)", "operator": "!=", "value": 2}, SOME, [(2,)]),
        ("aggregate_compares", {"aggregate": "max(s)", "operator": "=", "value": "'b'"}, SOME, []),
        ("aggregate_compares", {"aggregate": "max(n)", "operator": ">", "value": 0}, NONE, [(None,)]),
        ("aggregate_compares", {"aggregate": "max(n)", "operator": ">", "value": 0, "null_passes": True}, NONE, []),
        ("aggregate_reconciles", {"aggregate": "count(*)", "to": "(select 1 as n union all select 2)"}, SOME, [(4, 2)]),
        ("aggregate_reconciles", {"aggregate": "sum(n)", "to": "(select 7 as k)", "their_aggregate": "sum(k)"}, SOME, []),
        ("aggregate_reconciles", {"aggregate": "sum(n)", "to": "(select cast(null as int) as n)"}, NONE, []),
        ("aggregate_reconciles", {"aggregate": "sum(n)", "to": "(select 7 as n)"}, NONE, [(None, 7)]),
    ],
)  # fmt: skip
def test_a_test_of_our_own_returns_what_fails(
    test: str, arguments: dict[str, Any], rows: str, expected: list[tuple[Any, ...]]
) -> None:
    assert sorted(failing(test, rows, **arguments), key=str) == expected


@pytest.mark.parametrize(
    ("test", "arguments", "message"),
    [
        ("aggregate_compares", {"operator": "<", "value": 1}, "aggregate is missing; write aggregate: <name of the column>"),
        ("aggregate_compares", {"aggregate": "max(n)", "operator": "=>", "value": 1}, "operator '=>' is not a comparison; write one of >= > <= < = != between"),
        ("aggregate_compares", {"aggregate": "max(n)", "operator": "<"}, "value is missing; write one, such as value: 0"),
        ("aggregate_compares", {"aggregate": "max(n)", "operator": "between", "value": 3}, "value '3' is not two bounds; write value: [0, 100]"),
        ("aggregate_reconciles", {"aggregate": "max(n)"}, "to is missing; write to: ref('<model>'), the table to compare with"),
        ("primary_key", {}, "columns is missing; write columns: [order_id, line]"),
        ("no_gaps", {"column": "n", "step": -1}, "step '-1' is not 0 or more; write step: 1"),
    ],
)  # fmt: skip
def test_a_test_of_our_own_says_what_cannot_be_meant(test: str, arguments: dict[str, Any], message: str) -> None:
    assert refusal_of(test, **arguments) == message

"""The package's generic tests fail for the rows they are about, and pass for all others.

Every case is some rows of one table, told apart by `where`, so that one `dbt test` runs them all.
"""

from __future__ import annotations

import math
import re
import statistics
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Any

import pytest
import yaml
from pyspark.sql import SparkSession

from tests.functional.project import Project, Run

COLUMNS = (
    "n int, x double, s string, d date, t timestamp, a string, b string, low int, high int, "
    "`order id` int, `größe` int, address struct<city: string>"
)
NAMES = [column.split()[0] for column in COLUMNS.replace("`order id`", "order_id").replace("`", "").split(", ")]


@dataclass(frozen=True)
class Case:
    """Rows, given column by column, and how many a test returns of them."""

    test: str
    arguments: dict[str, Any]
    failing: int
    columns: dict[str, Sequence[Any]]
    below: dict[str, Any] = field(default_factory=dict)

    @property
    def rows(self) -> list[tuple[Any, ...]]:
        length = len(next(iter(self.columns.values()), ()))
        return list(zip(*(self.columns.get(name, [None] * length) for name in NAMES), strict=True))


def case(test: str, failing: int, arguments: dict[str, Any], **columns: Sequence[Any]) -> Case:
    return Case(test, arguments, failing, columns)


def below(column: str, test: str, failing: int, arguments: dict[str, Any], quote: bool = False, **columns: Any) -> Case:
    """A test that stands below a column of the YAML file."""
    return Case(test, arguments, failing, columns, {"name": column, "quote": quote})


def chi_square(pairs: Sequence[tuple[str | None, str | None]]) -> float:
    """Over the pairs that occur, as SQLMesh's audit has it; a pair that never occurs would add its expectation."""
    kept = [(a, b) for a, b in pairs if a is not None and b is not None]
    of_a, of_b = Counter(a for a, _ in kept), Counter(b for _, b in kept)
    expected = {(a, b): of_a[a] * of_b[b] / len(kept) for a, b in kept}
    return sum((count - expected[pair]) ** 2 / expected[pair] for pair, count in Counter(kept).items())


def divergence(left: Sequence[str | None], right: Sequence[str | None]) -> float:
    """Jeffreys' divergence of the values that both have: KL(p, q) + KL(q, p)."""
    p = {value: count / len(left) for value, count in Counter(left).items() if value is not None}
    q = {value: count / len(right) for value, count in Counter(right).items() if value is not None}
    both = sorted(p.keys() & q.keys())
    return sum(p[v] * math.log(p[v] / q[v]) for v in both) + sum(q[v] * math.log(q[v] / p[v]) for v in both)


SPREAD = [2, 4, 4, 4, 5, 5, 7, 9, None]
NUMBERS = [value for value in SPREAD if value is not None]
DEVIATION = statistics.stdev(NUMBERS)
Z_SCORES = sorted(abs(value - statistics.mean(NUMBERS)) / DEVIATION for value in NUMBERS)
LESS, MORE = 1 - 1e-9, 1 + 1e-9

TIERS = ["gold", "gold", "gold", "iron", "iron", "iron", "iron", "gold", None, "iron"]
TOWNS = ["oslo", "oslo", "oslo", "rome", "rome", "rome", "oslo", "rome", "rome", None]
CHI_SQUARE = chi_square(list(zip(TIERS, TOWNS, strict=True)))
COLOURS = ["red", "red", "red", "blue", "blue", "green", None, "black"]
PAINTS = ["red", "blue", "blue", "blue", "blue", "green", "green", "white"]
DIVERGENCE = divergence(COLOURS, PAINTS)

UUID = "1b4e28ba-2fa1-41d2-883f-0016d3cca427"
DAYS = [date(2024, 1, 30), date(2024, 1, 31), date(2024, 2, 1), None]
TEXTS = ["", "ab", "äöü", "abcd", None]

CASES = {
    "a range without its bounds' neighbours": case("accepted_range", 2, {"column": "n", "min_v": 0, "max_v": 10}, n=[-1, 0, 5, 10, 11, None]),
    "a range that all are in": case("accepted_range", 0, {"column": "n", "min_v": 0, "max_v": 10}, n=[0, 10, None]),
    "a range without its bounds": case("accepted_range", 2, {"column": "n", "min_v": 0, "max_v": 10, "inclusive": False}, n=[0, 1, 9, 10, None]),
    "a range open above": case("accepted_range", 1, {"column": "n", "min_v": 5}, n=[4, 5, 600]),
    "a range open below": case("accepted_range", 1, {"column": "n", "max_v": "5.5"}, n=[-600, 5, 6]),
    "a range of an expression": case("accepted_range", 1, {"column": "n - low", "max_v": 3}, n=[5, 6], low=[2, 2]),
    "a range up to another column": case("accepted_range", 1, {"column": "low", "max_v": "high - 1"}, low=[1, 2, 3], high=[2, 2, None]),
    "a range up to a date of YAML": case("accepted_range", 1, {"column": "d", "max_v": date(2024, 1, 31)}, d=DAYS),
    "a range up to a date as text": case("accepted_range", 1, {"column": "d", "max_v": "2024-01-31"}, d=DAYS),
    "a range up to a date in SQL": case("accepted_range", 1, {"column": "d", "max_v": "date '2024-01-31'"}, d=DAYS),
    "a range of no rows": case("accepted_range", 0, {"column": "n", "min_v": 5}),
    "a column of the YAML file": below("n", "accepted_range", 1, {"min_v": 5}, n=[4, 5]),
    "a column with a blank": below("order id", "accepted_range", 1, {"min_v": 5}, order_id=[4, 5]),
    "a column with a blank that dbt quotes": below("order id", "accepted_range", 1, {"min_v": 5}, True, order_id=[4, 5]),
    "an expression of a column with a blank": case("accepted_range", 1, {"column": "`order id` + 1", "min_v": 6}, order_id=[4, 5]),
    "a column with letters of German": case("accepted_range", 1, {"column": "größe", "min_v": 5}, größe=[4, 5]),
    "a field of a struct": below("address.city", "not_empty_string", 1, {}, address=[("",), ("oslo",), None]),
    "a mean on its bounds": case("mean_in_range", 0, {"column": "n", "min_v": 2, "max_v": 2}, n=[1, 2, 3, None]),
    "a mean that may not be its bound": case("mean_in_range", 1, {"column": "n", "min_v": 2, "inclusive": False}, n=[1, 2, 3, None]),
    "a mean too low": case("mean_in_range", 1, {"column": "n", "min_v": 2.1}, n=[1, 2, 3, None]),
    "a mean too high": case("mean_in_range", 1, {"column": "n", "max_v": 1.9}, n=[1, 2, 3, None]),
    "a mean of NULL": case("mean_in_range", 0, {"column": "n", "min_v": 1}, n=[None, None]),
    "a mean of no rows": case("mean_in_range", 0, {"column": "n", "min_v": 1}),
    "a deviation between its bounds": case("stddev_in_range", 0, {"column": "n", "min_v": DEVIATION * LESS, "max_v": DEVIATION * MORE}, n=SPREAD),
    "a deviation too low": case("stddev_in_range", 1, {"column": "n", "min_v": DEVIATION * MORE}, n=SPREAD),
    "a deviation too high": case("stddev_in_range", 1, {"column": "n", "max_v": DEVIATION * LESS}, n=SPREAD),
    "a deviation of nothing": case("stddev_in_range", 1, {"column": "n", "min_v": 0, "inclusive": False}, n=[3, 3]),
    "a deviation of one row": case("stddev_in_range", 0, {"column": "n", "min_v": 1}, n=[3]),
    "a deviation of no rows": case("stddev_in_range", 0, {"column": "n", "min_v": 1}),
    "lengths in characters": case("string_length_between", 2, {"column": "s", "min_v": 2, "max_v": 3}, s=TEXTS),
    "lengths that may not be their bounds": case("string_length_between", 4, {"column": "s", "min_v": 2, "max_v": 3, "inclusive": False}, s=TEXTS),
    "lengths that are right": case("string_length_between", 0, {"column": "s", "max_v": 4}, s=TEXTS),
    "lengths of no rows": case("string_length_between", 0, {"column": "s", "min_v": 2}),
    "texts of one length": case("string_length_equal", 0, {"column": "s", "v": 3}, s=["abc", "äöü", None]),
    "texts of other lengths": case("string_length_equal", 3, {"column": "s", "v": 3}, s=TEXTS),
    "texts of a length, no rows": case("string_length_equal", 0, {"column": "s", "v": 3}),
    "one empty text": case("not_empty_string", 1, {"column": "s"}, s=["", " ", "a", None]),
    "no empty text": case("not_empty_string", 0, {"column": "s"}, s=[" ", "a", None]),
    "empty texts of no rows": case("not_empty_string", 0, {"column": "s"}),
    "values that differ": case("unique_values", 0, {"column": "n"}, n=[1, 2, None]),
    "values twice and thrice": case("unique_values", 2, {"column": "n"}, n=[1, 1, 1, 2, 2, 3]),
    "NULL twice": case("unique_values", 1, {"column": "n"}, n=[1, None, None]),
    "unique values of no rows": case("unique_values", 0, {"column": "n"}),
    "pairs that differ": case("unique_combination_of_columns", 0, {"columns": ["a", "b"]}, a=["x", "x", None, "y"], b=["1", "2", "1", None]),
    "pairs with NULL twice": case("unique_combination_of_columns", 1, {"columns": ["a", "b"]}, a=["x", "x", "y"], b=[None, None, None]),
    "pairs as one text, with an expression": case("unique_combination_of_columns", 1, {"columns": "(lower(a), b)"}, a=["x", "X"], b=["1", "1"]),
    "pairs of no rows": case("unique_combination_of_columns", 0, {"columns": ["a", "b"]}),
    "conditions that hold": case("forall", 0, {"criteria": ["n > 0", "s is not null"]}, n=[1, None], s=["a", "b"]),
    "conditions of which one does not hold": case("forall", 2, {"criteria": ["n > 0", "s is not null"]}, n=[1, 0, None, 1], s=["a", "a", "a", None]),
    "a condition with or": case("forall", 1, {"criteria": "n > 0 or s = 'a' -- why"}, n=[1, 0, 0, None], s=["b", "a", "b", "b"]),
    "conditions of no rows": case("forall", 0, {"criteria": ["n > 0"]}),
    "as many rows as the threshold": case("number_of_rows", 1, {"threshold": 3}, n=[1, None, 3]),
    "a row more than the threshold": case("number_of_rows", 0, {"threshold": 3}, n=[1, None, 3, 4]),
    "no rows, where one is wanted": case("number_of_rows", 1, {"threshold": 0}),
    "one value": case("at_least_one", 0, {"column": "n"}, n=[None, 1]),
    "no value": case("at_least_one", 1, {"column": "n"}, n=[None, None]),
    "no value of no rows": case("at_least_one", 0, {"column": "n"}),
    "two values": case("not_constant", 0, {"column": "n"}, n=[1, 2]),
    "one value and NULL": case("not_constant", 1, {"column": "n"}, n=[1, 1, None]),
    "NULL alone": case("not_constant", 1, {"column": "n"}, n=[None, None]),
    "a constant of no rows": case("not_constant", 1, {"column": "n"}),
    "seven tenths": case("not_null_proportion", 1, {"column": "n", "threshold": 0.7}, n=[1] * 7 + [None] * 3),
    "eight tenths": case("not_null_proportion", 0, {"column": "n", "threshold": 0.7}, n=[1] * 8 + [None] * 2),
    "a share of nothing": case("not_null_proportion", 1, {"column": "n", "threshold": 0}, n=[None, None]),
    "a share of no rows": case("not_null_proportion", 1, {"column": "n", "threshold": 0.5}),
    "values that are refused": case("not_accepted_values", 3, {"column": "s", "is_in": ["b", "it's", r"c\d"]}, s=["a", "b", None, "it's", r"c\d"]),
    "numbers that are refused": case("not_accepted_values", 1, {"column": "n", "is_in": [1, 2, None]}, n=[2, 3, None]),
    "dates that are refused": case("not_accepted_values", 1, {"column": "d", "is_in": [date(2024, 1, 31)]}, d=DAYS),
    "values that are refused in SQL": case("not_accepted_values", 1, {"column": "s", "is_in": ["upper('a')"], "quote": False}, s=["a", "A"]),
    "values that are not refused": case("not_accepted_values", 0, {"column": "s", "is_in": ["b"]}, s=["a", "B", None]),
    "refused values of no rows": case("not_accepted_values", 0, {"column": "s", "is_in": ["b"]}),
    "a sequence": case("sequential_values", 0, {"column": "n"}, n=[3, 1, 2, None, None]),
    "a sequence with a gap": case("sequential_values", 1, {"column": "n"}, n=[1, 2, 4, 5]),
    "a sequence with a duplicate": case("sequential_values", 1, {"column": "n"}, n=[1, 1, 2]),
    "a sequence of fives": case("sequential_values", 1, {"column": "n", "interval": 5}, n=[0, 5, 10, 11]),
    "a sequence of days": case("sequential_values", 0, {"column": "d"}, d=DAYS),
    "a sequence of hours": case("sequential_values", 1, {"column": "t", "interval": "interval 1 hour"}, t=[datetime(2024, 1, 1, hour) for hour in (1, 2, 4)]),
    "a sequence of no rows": case("sequential_values", 0, {"column": "n"}),
    "a value too far from the mean": case("z_score", 1, {"column": "n", "threshold": Z_SCORES[-1] * LESS}, n=SPREAD),
    "a value far enough from the mean": case("z_score", 0, {"column": "n", "threshold": Z_SCORES[-1] * MORE}, n=SPREAD),
    "more values too far from the mean": case("z_score", 2, {"column": "n", "threshold": Z_SCORES[-2] * LESS}, n=SPREAD),
    "equal values": case("z_score", 0, {"column": "n", "threshold": 0}, n=[3, 3, 3]),
    "a value on its own": case("z_score", 0, {"column": "n", "threshold": 0}, n=[3]),
    "z scores of no rows": case("z_score", 0, {"column": "n", "threshold": 1}),
    "ranges that touch": case("mutually_exclusive_ranges", 0, {"lower_bound_column": "low", "upper_bound_column": "high"}, low=[5, 1, 3], high=[5, 3, 5]),
    "ranges that overlap": case("mutually_exclusive_ranges", 1, {"lower_bound_column": "low", "upper_bound_column": "high"}, low=[1, 3, 6], high=[4, 6, 7]),
    "a range that ends before it starts": case("mutually_exclusive_ranges", 1, {"lower_bound_column": "low", "upper_bound_column": "high"}, low=[1, 6], high=[3, 5]),
    "a range twice": case("mutually_exclusive_ranges", 1, {"lower_bound_column": "low", "upper_bound_column": "high"}, low=[1, 1], high=[3, 3]),
    "ranges without a bound": case("mutually_exclusive_ranges", 2, {"lower_bound_column": "low", "upper_bound_column": "high"}, low=[None, 1, 6], high=[0, 3, None]),
    "ranges with an open end": case("mutually_exclusive_ranges", 0, {"lower_bound_column": "low", "upper_bound_column": "coalesce(high, 99)"}, low=[1, 6], high=[3, None]),
    "ranges apart in two partitions": case("mutually_exclusive_ranges", 0, {"lower_bound_column": "low", "upper_bound_column": "high", "partition_clause": "partition by a"}, low=[1, 2, 4, 5], high=[4, 5, 9, 9], a=["x", "y", "x", "y"]),
    "ranges that overlap in a partition": case("mutually_exclusive_ranges", 1, {"lower_bound_column": "low", "upper_bound_column": "high", "partition_clause": ["a", "b"]}, low=[1, 2, 3, 5], high=[4, 5, 9, 9], a=["x", "y", "x", "y"], b=[None] * 4),
    "ranges of no rows": case("mutually_exclusive_ranges", 0, {"lower_bound_column": "low", "upper_bound_column": "high"}),
    "uuids": case("valid_uuid", 0, {"column": "s"}, s=[UUID, UUID.upper(), None]),
    "no uuids": case("valid_uuid", 7, {"column": "s"}, s=["", UUID[:-1], UUID + "0", "{" + UUID + "}", UUID.replace("-", ""), UUID.replace("41d2", "71d2"), UUID.replace("883f", "783f")]),
    "uuids of no rows": case("valid_uuid", 0, {"column": "s"}),
    "addresses": case("valid_email", 0, {"column": "s"}, s=["a@b.co", "First.Last+tag_1-x@mail-1.example.co.uk", None]),
    "no addresses": case("valid_email", 7, {"column": "s"}, s=["", "a@b", "@b.co", "a b@c.de", "a@b@c.de", "a@b_c.de", "a@b.c d"]),
    "addresses of no rows": case("valid_email", 0, {"column": "s"}),
    "urls": case("valid_url", 0, {"column": "s"}, s=["http://ab", "https://example.com/a?b=c#d", "ftp://x.y:21/ä", None]),
    "no urls": case("valid_url", 7, {"column": "s"}, s=["", "example.com", "HTTP://example.com", "http://.com", "http:///a", "http://a", "https://a.b/c d"]),
    "urls of no rows": case("valid_url", 0, {"column": "s"}),
    "methods": case("valid_http_method", 0, {"column": "s"}, s=["GET", "POST", "PUT", "DELETE", "PATCH", "HEAD", "OPTIONS", "TRACE", "CONNECT", None]),
    "no methods": case("valid_http_method", 4, {"column": "s"}, s=["get", "GETS", "", "FETCH"]),
    "methods of no rows": case("valid_http_method", 0, {"column": "s"}),
    "texts that match an expression": case("match_regex_pattern_list", 0, {"column": "s", "patterns": ["^a", r"\d$"]}, s=["ab", "b1", None]),
    "texts that match no expression": case("match_regex_pattern_list", 2, {"column": "s", "patterns": ["^a", r"\d$"]}, s=["ab", "b1", "ba", "", None]),
    "expressions of no rows": case("match_regex_pattern_list", 0, {"column": "s", "patterns": "^a"}),
    "texts that match a refused expression": case("not_match_regex_pattern_list", 2, {"column": "s", "patterns": ["^a", r"\d$"]}, s=["ab", "b1", "ba", None]),
    "texts that match no refused expression": case("not_match_regex_pattern_list", 0, {"column": "s", "patterns": r"it's \\"}, s=["its", None]),
    "refused expressions of no rows": case("not_match_regex_pattern_list", 0, {"column": "s", "patterns": "^a"}),
    "texts like a pattern": case("match_like_pattern_list", 0, {"column": "s", "patterns": ["a%", "_1", r"50\%"]}, s=["ab", "b1", "50%", None]),
    "texts like no pattern": case("match_like_pattern_list", 3, {"column": "s", "patterns": ["a%", "_1", r"50\%"]}, s=["Ab", "bb1", "500", "a", None]),
    "patterns of no rows": case("match_like_pattern_list", 0, {"column": "s", "patterns": "a%"}),
    "texts like a refused pattern": case("not_match_like_pattern_list", 2, {"column": "s", "patterns": ["a%", "_1"]}, s=["ab", "b1", "ba", None]),
    "texts like no refused pattern": case("not_match_like_pattern_list", 0, {"column": "s", "patterns": "a%"}, s=["ba", None]),
    "refused patterns of no rows": case("not_match_like_pattern_list", 0, {"column": "s", "patterns": "a%"}),
    "columns that differ too much": case("kl_divergence", 1, {"source_column": "a", "target_column": "b", "threshold": DIVERGENCE * LESS}, a=COLOURS, b=PAINTS),
    "columns that differ a little": case("kl_divergence", 0, {"column": "a", "target_column": "b", "threshold": DIVERGENCE * MORE}, a=COLOURS, b=PAINTS),
    "columns of equal shares": case("kl_divergence", 0, {"source_column": "a", "target_column": "b", "threshold": 1e-12}, a=["x", "y", None], b=["y", "x", None]),
    "columns without a value in common": case("kl_divergence", 0, {"source_column": "a", "target_column": "b", "threshold": 0}, a=["x"], b=["y"]),
    "columns of no rows": case("kl_divergence", 0, {"source_column": "a", "target_column": "b", "threshold": 0}),
    "a column of YAML and another": below("a", "kl_divergence", 1, {"target_column": "b", "threshold": DIVERGENCE * LESS}, a=COLOURS, b=PAINTS),
    "columns dependent enough": case("chi_square", 0, {"column_a": "a", "column_b": "b", "critical_value": CHI_SQUARE * LESS}, a=TIERS, b=TOWNS),
    "columns not dependent enough": case("chi_square", 1, {"column": "a", "target_column": "b", "critical_value": CHI_SQUARE * MORE}, a=TIERS, b=TOWNS),
    "columns too dependent": case("chi_square", 1, {"column_a": "a", "column_b": "b", "critical_value": CHI_SQUARE * LESS, "dependent": False}, a=TIERS, b=TOWNS),
    "columns independent enough": case("chi_square", 0, {"column_a": "a", "column_b": "b", "critical_value": CHI_SQUARE * MORE, "dependent": False}, a=TIERS, b=TOWNS),
    "columns of which two pairs never occur": case("chi_square", 0, {"column_a": "a", "column_b": "b", "critical_value": 5 * LESS}, a=["x"] * 5 + ["y"] * 5, b=["s"] * 5 + ["t"] * 5),
    "columns to which no missing pair adds": case("chi_square", 1, {"column_a": "a", "column_b": "b", "critical_value": 5}, a=["x"] * 5 + ["y"] * 5, b=["s"] * 5 + ["t"] * 5),
    "dependence on a constant": case("chi_square", 1, {"column_a": "a", "column_b": "'same'", "critical_value": 0}, a=TIERS),
    "a key of different values": case("primary_key", 0, {"columns": ["n", "s"]}, n=[1, 1], s=["a", "b"]),
    "a key that is NULL or repeated": case("primary_key", 2, {"columns": ["n"]}, n=[1, 1, 2, None]),
    "a key of no rows": below("n", "primary_key", 0, {}),
    "numbers with a gap": case("no_gaps", 1, {"column": "n"}, n=[4, 1, 2, 2, None]),
    "numbers with small gaps": case("no_gaps", 0, {"column": "n", "step": 2}, n=[4, 1, 2, 2, None]),
    "gaps of no rows": case("no_gaps", 0, {"column": "n"}),
    "spans that overlap": case("no_overlapping_ranges", 2, {"start_column": "low", "end_column": "high"}, low=[1, 2, 4, 9], high=[9, 3, 5, None]),
    "spans that touch": case("no_overlapping_ranges", 0, {"start_column": "low", "end_column": "high"}, low=[1, 2, 5, None], high=[2, 5, 5, 9]),
    "spans of no rows": case("no_overlapping_ranges", 0, {"start_column": "low", "end_column": "high"}),
    "entropy that is enough": case("entropy", 0, {"column": "s", "value": 0.99}, s=["a", "b", None]),
    "entropy that is not": case("entropy", 1, {"column": "s", "value": 0.99}, s=["a", "a", "b", None]),
    "entropy of no rows": case("entropy", 1, {"column": "s", "operator": "<", "value": 5}),
    "an aggregate that compares": case("aggregate_compares", 0, {"aggregate": "percentile(n, 0.5)", "operator": "between", "value": [2, 2]}, n=[1, 2, 9]),
    "an aggregate that does not": case("aggregate_compares", 1, {"aggregate": "approx_count_distinct(n)", "operator": ">", "value": 2}, n=[1, 2, 2]),
    "the type of a column": case("aggregate_compares", 0, {"aggregate": "max(typeof(n))", "operator": "=", "value": "'int'", "null_passes": True}, n=[1]),
    "the age of the newest row": case("aggregate_compares", 1, {"aggregate": "max(cast(d as timestamp))", "operator": ">=", "value": "current_timestamp() - interval 24 hours"}, d=DAYS),
    "an aggregate of no rows": case("aggregate_compares", 1, {"aggregate": "max(n)", "operator": ">", "value": 0}),
    "an aggregate of no rows that passes": case("aggregate_compares", 0, {"aggregate": "100.0 * (count(*) - count(n)) / nullif(count(*), 0)", "operator": "<", "value": 5, "null_passes": True}),
    "what reconciles": case("aggregate_reconciles", 0, {"aggregate": "count(*) - count(*)", "to": "source('shop', 'observations')"}, n=[1]),
    "what does not reconcile": case("aggregate_reconciles", 1, {"aggregate": "count(*)", "to": "source('shop', 'observations')"}, n=[1]),
    "nothing that reconciles with something": case("aggregate_reconciles", 1, {"aggregate": "count(*)", "to": "source('shop', 'observations')"}),
    "dependence of no rows": case("chi_square", 0, {"column_a": "a", "column_b": "b", "critical_value": 1}),
}  # fmt: skip

# one failing case of every test, whose rows are stored, too
STORED = {each.test: name for name, each in reversed(CASES.items()) if each.failing}
WARNED = "a range open above"


def node_name(name: str) -> str:
    return re.sub(r"\W", "_", name)


def data_test(name: str, each: Case) -> dict[str, Any]:
    config = {"where": f"case_name = {node_name(name)!r}", "store_failures": name in STORED.values()}
    if name == WARNED:
        config["severity"] = "warn"
    return {f"dbt_kinds.{each.test}": {"name": node_name(name), "arguments": each.arguments, "config": config}}


@pytest.fixture(scope="module")
def tested(local_spark: Any, tmp_path_factory: pytest.TempPathFactory) -> tuple[Project, Run]:
    """All cases as tests of one source, run once."""
    project = Project(tmp_path_factory.mktemp("generic_tests") / "project", local_spark, "generic_tests")
    project.sql("create schema if not exists {schema}")
    rows = [(node_name(name), *row) for name, each in CASES.items() for row in each.rows]
    frame = SparkSession.builder.getOrCreate().createDataFrame(rows, f"case_name string, {COLUMNS}")
    frame.coalesce(1).write.saveAsTable(f"{project.schema}.observations", format="parquet")

    columns: dict[str, dict[str, Any]] = {}
    for name, each in CASES.items():
        if each.below:
            # a column stands in a file once, quoted or not
            columns.setdefault(repr(each.below), {**each.below, "data_tests": []})["data_tests"].append(
                data_test(name, each)
            )
    of_table = [data_test(name, each) for name, each in CASES.items() if not each.below]
    quoted = [column for column in columns.values() if column["quote"]]
    plain = [column for column in columns.values() if not column["quote"]]
    tables = {"shop": (of_table, plain), "quoted_shop": ([], quoted)}
    sources = [
        {
            "name": source,
            "schema": project.schema,
            "tables": [{"name": "observations", "data_tests": tests, "columns": of_source}],
        }
        for source, (tests, of_source) in tables.items()
    ]
    (project.folder / "models" / "sources.yml").write_text(yaml.safe_dump({"sources": sources}, allow_unicode=True))
    return project, project.dbt("test")


def failing_rows(run: Run, name: str) -> int:
    status, message = run.statuses[node_name(name)], run.messages[node_name(name)]
    if status == "pass":
        return 0
    assert status in ("fail", "warn"), message
    found = re.match(r"Got (\d+) results?", message)
    assert found, message
    return int(found.group(1))


def test_the_cases_show_every_test_failing_passing_and_without_rows() -> None:
    tests = {each.test for each in CASES.values()}
    assert len(tests) == 33
    for test in tests:
        of_test = [each for each in CASES.values() if each.test == test]
        assert any(each.failing for each in of_test) and not all(each.failing for each in of_test), test
        assert any(not each.rows for each in of_test), test


@pytest.mark.parametrize("name", CASES)
def test_a_test_returns_the_failing_rows(tested: tuple[Project, Run], name: str) -> None:
    assert failing_rows(tested[1], name) == CASES[name].failing


def test_severity_is_what_the_config_says(tested: tuple[Project, Run]) -> None:
    assert tested[1].statuses[node_name(WARNED)] == "warn"


def stored_rows(project: Project, test: str) -> list[tuple[Any, ...]]:
    return project.sql(f"select * from {{schema}}_dbt_test__audit.{node_name(STORED[test])}")


@pytest.mark.parametrize("test", sorted(STORED))
def test_failing_rows_can_be_stored(tested: tuple[Project, Run], test: str) -> None:
    assert len(stored_rows(tested[0], test)) == CASES[STORED[test]].failing


def test_a_failing_statistic_is_shown(tested: tuple[Project, Run]) -> None:
    project, _ = tested
    assert stored_rows(project, "kl_divergence") == [(pytest.approx(DIVERGENCE, rel=1e-12),)]
    assert stored_rows(project, "chi_square") == [(1, pytest.approx(CHI_SQUARE, rel=1e-12))]
    assert stored_rows(project, "z_score") == [(9, pytest.approx(Z_SCORES[-1], rel=1e-12))]
    assert stored_rows(project, "stddev_in_range") == [(pytest.approx(DEVIATION, rel=1e-12),)]

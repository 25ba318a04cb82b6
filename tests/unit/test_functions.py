"""The tables of functions say what is done, and leave no name out that sqlglot knows."""

from __future__ import annotations

import re
from importlib.metadata import version

import pytest

from dbt_kinds.translation.dialects import parse_statement
from dbt_kinds.translation.functions import (
    COMPARED,
    VERDICTS,
    Example,
    calls,
    examples,
    known_to_sqlglot,
    not_compared,
)
from dbt_kinds.translation.not_in_spark import NotInSpark
from dbt_kinds.translation.target import SparkTarget

ROWS = [(dialect, row) for dialect in COMPARED for row in examples(dialect)]


def whole(expression: str) -> str:
    """A query of an example."""
    return expression if re.match(r"\s*(select|with|from)\b", expression, re.IGNORECASE) else f"select {expression}"


def kept_wrongly(dialect: str, row: Example) -> str | None:
    """What is wrong with a row, None of one that tells the truth."""
    query = whole(row.expression)
    if row.function not in {name for name, _ in calls(query, dialect)}:
        return "is not called"
    try:
        written = SparkTarget().translate(parse_statement(query, dialect), dialect, query)
    except NotInSpark as problem:
        return None if row.verdict == "refused" else problem.message
    is_same = re.search(rf"(?<![\w.]){re.escape(row.function)}(?!\w)", written.text.upper()) is not None
    made = "same" if is_same else "rewritten"
    left = [remark.message for remark in written.remarks if remark.kind in ("unknown function", "not compared")]
    if row.function in {message.split()[0] for message in left}:
        return left[0]
    return None if made == row.verdict else f"is {made}: {written.text}"


@pytest.mark.parametrize("dialect", COMPARED)
def test_every_function_that_sqlglot_knows_is_in_a_table_or_known_not_to_be(dialect: str) -> None:
    known, compared, left = (
        known_to_sqlglot(dialect),
        {row.function for row in examples(dialect)},
        not_compared(dialect),
    )
    assert not known - compared - left, f"sqlglot {version('sqlglot')} adds these: compare them, or write them down"
    assert not compared & left, "compared after all"
    assert not left - known, f"sqlglot {version('sqlglot')} does not know these any more"


@pytest.mark.parametrize("dialect", COMPARED)
def test_what_a_table_says_of_a_function_is_what_is_done(dialect: str) -> None:
    wrong = [
        (row.function, row.expression, problem)
        for row in examples(dialect)
        if row.expression and (problem := kept_wrongly(dialect, row)) is not None
    ]
    assert not wrong


@pytest.mark.parametrize("dialect", COMPARED)
def test_every_row_of_a_table_has_its_evidence(dialect: str) -> None:
    for row in examples(dialect):
        assert row.verdict in VERDICTS and row.function == row.function.upper(), row
        assert row.evidence, row
        assert bool(row.gives) == (row.verdict in ("same", "rewritten")), row
        assert row.expression or not row.gives, row


def test_tables_are_sorted_and_have_no_row_twice() -> None:
    for dialect in COMPARED:
        rows = examples(dialect)
        assert [row.function for row in rows] == sorted(row.function for row in rows), dialect
        assert len({(row.function, row.expression) for row in rows}) == len(rows), dialect


CALLS = [
    ("duckdb", "with t(a) as (select 1), u (b) as (select f(x) from t) select sum(a) from u as v(b)", ["F", "SUM"]),
    ("duckdb", "select cast(x as varchar(3)), y::decimal(3, 2), z in (1, 2) from t", ["CAST"]),
    (
        "duckdb",
        "select position('a' in x), left(x, 2), current_date, mod(3, 2)",
        ["POSITION", "LEFT", "CURRENT_DATE", "MOD"],
    ),
    ("snowflake", "select iff(a, b, c) from table(generator(rowcount => 3)) g", ["IFF", "GENERATOR"]),
    ("bigquery", "select ARRAY<INT64>[1], NET.HOST(x), FLOAT64(y) from UNNEST(z)", ["HOST", "FLOAT64", "UNNEST"]),
    ("tsql", "select top (5) convert(varchar(10), x, 120), isnull(a, b) from t", ["CONVERT", "ISNULL"]),
    ("duckdb", "select a + interval (b) day, c - interval (2 * b) months from t", []),
    ("postgres", "create table if not exists db.made (id int)", []),
    ("postgres", "insert into other.db.kept (id) select db.f(id) from g(3)", ["F", "G"]),
]


@pytest.mark.parametrize(("dialect", "text", "names"), CALLS)
def test_calls_are_found_by_their_names(dialect: str, text: str, names: list[str]) -> None:
    assert [name for name, _ in calls(text, dialect)] == names

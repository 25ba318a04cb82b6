"""The files of traps: their values are DuckDB's own where that is the dialect, and none is passed over in silence."""

from __future__ import annotations

import duckdb
import pytest

from tests.traps import DIALECTS, KNOWN, converted, shown, table, traps

OUTCOMES = ("same", "noted", "refused", "fails")
# what DuckDB 1, the newest for Python 3.10, answers otherwise than 2
OTHERWISE_BEFORE_2 = {
    "select s ~ 'a' from t order by k",
    "select s !~ 'a' from t order by k",
    "select levenshtein(s, 'ab') from t order by k",
    "select string_split(s, '') from t order by k",
    "select list_contains(l, null) from t order by k",
}


def test_values_of_duckdb_are_those_that_duckdb_gives() -> None:
    connection = duckdb.connect()
    connection.execute("set timezone = 'UTC'")
    connection.execute(f"create table t as {table('list_value', 'varchar')}")
    is_old = duckdb.__version__.startswith("1.")
    wrong = [
        (trap.query, trap.values, found)
        for trap in traps("duckdb")
        if not (is_old and trap.query in OTHERWISE_BEFORE_2)
        and (found := shown(connection.execute(trap.query).fetchall())) != trap.values
    ]
    assert not wrong


@pytest.mark.parametrize("dialect", DIALECTS)
def test_what_is_done_about_a_trap_is_what_its_line_says(dialect: str) -> None:
    wrong = []
    for trap in traps(dialect):
        for known in KNOWN:
            said, made = getattr(trap, known), converted(trap, known)
            assert set(said.split("/")) <= set(OUTCOMES), trap
            # the values of the others are compared on Spark
            is_true = bool(made.refusal) if said == "refused" else not made.refusal
            if not is_true or (said == "noted" and not made.remarks):
                wrong.append((trap.query, known, said, made))
    assert not wrong

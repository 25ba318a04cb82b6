"""What a cumulative_aggregate may be, and how its columns are combined: query -> codes or merge."""

from __future__ import annotations

import pytest

from dbt_kinds.analysis.cumulative import Cumulation, classify_cumulative
from dbt_kinds.analysis.parsing import parse_query
from tests.unit.analysing import CATALOGUE


def cumulated(sql: str) -> Cumulation:
    return classify_cumulative(parse_query(sql, "spark"), CATALOGUE)


def test_every_aggregate_that_two_states_combine_into_has_its_combiner() -> None:
    found = cumulated(
        "SELECT user_id AS who, COUNT(*) AS n, COUNT(v) AS m, SUM(v) FILTER (WHERE v > 1) AS s, MIN(v) AS low, MAX(v) AS high, "
        "BOOL_AND(v > 1) AS every_one, EVERY(v > 1) AS e, BOOL_OR(v > 1) AS one, BIT_AND(v) AS ba, BIT_OR(v) AS bo, "
        "BIT_XOR(v) AS bx FROM ev GROUP BY user_id"
    )
    assert found.is_admitted
    assert (found.driving_source, found.unique_key) == ("ev", ("who",))
    assert found.combine == {
        **{"n": "add", "m": "add", "s": "add", "low": "least", "high": "greatest"},
        **{"every_one": "and", "e": "and", "one": "or", "ba": "bit_and", "bo": "bit_or", "bx": "bit_xor"},
    }


@pytest.mark.parametrize(
    ("sql", "codes"),
    [
        ("SELECT user_id, COUNT(*) AS n FROM ev LEFT JOIN users u ON u.id = ev.id GROUP BY ALL", []),
        ("SELECT DATE_TRUNC('MONTH', event_date) AS m, COUNT(*) AS n FROM ev GROUP BY 1", []),
        ("SELECT user_id, SUM(c) AS s FROM (SELECT user_id, event_date, COUNT(*) AS c FROM ev GROUP BY 1, 2) GROUP BY 1", []),
        ("WITH x AS (SELECT id, v FROM ev UNION ALL SELECT a, v FROM ev) SELECT id, SUM(v) AS s FROM x GROUP BY id", []),
        ("SELECT COUNT(*) AS n FROM ev", ["CumulativeRequiresGroupBy"]),
        ("SELECT SUM(v) AS s FROM ev GROUP BY user_id", ["CumulativeRequiresGroupBy"]),
        ("SELECT user_id, SUM(v) AS s FROM ev GROUP BY user_id WITH ROLLUP", ["CumulativeRequiresGroupBy"]),
        ("SELECT id, SUM(v) AS s FROM ev GROUP BY 1 UNION ALL SELECT a, SUM(v) FROM ev GROUP BY 1", ["CumulativeRequiresGroupBy"]),
        ("SELECT id, event_date, SUM(v) AS s FROM ev GROUP BY 1, 2", ["CumulativeGroupByContainsPartitionColumn"]),
        ("SELECT id, CAST(event_ts AS DATE) AS d, SUM(v) AS s FROM ev GROUP BY id, d", ["CumulativeGroupByContainsPartitionColumn"]),
        ("SELECT id, AVG(v) AS a FROM ev GROUP BY id", ["CumulativeUnknownAggregator"]),
        ("SELECT id, COUNT(DISTINCT v) AS a FROM ev GROUP BY id", ["CumulativeUnknownAggregator"]),
        ("SELECT id, SUM(v) + 1 AS a FROM ev GROUP BY id", ["CumulativeUnknownAggregator"]),
        ("SELECT id, COLLECT_LIST(v) AS a, FIRST(v) AS b FROM ev GROUP BY id", ["CumulativeUnknownAggregator"] * 2),
        ("SELECT id, COUNT(*) FROM ev GROUP BY id", ["CumulativeUnknownAggregator"]),
        ("SELECT id, COUNT(*) AS n FROM users GROUP BY id", ["CumulativeNoDrivingSource"]),
        ("SELECT u.id, COUNT(*) AS n FROM users u LEFT JOIN ev ON u.id = ev.id GROUP BY 1", ["CumulativeNoDrivingSource"]),
        ("SELECT u.id, COUNT(*) AS n FROM users u LEFT ANTI JOIN ev ON u.id = ev.id GROUP BY 1", ["CumulativeNoDrivingSource"]),
        ("WITH x AS (SELECT id FROM ev UNION ALL SELECT id FROM users) SELECT id, COUNT(*) AS n FROM x GROUP BY id", ["CumulativeNoDrivingSource"]),
        ("SELECT ev.id, COUNT(*) AS n FROM ev JOIN ev2 ON ev2.id = ev.id GROUP BY 1", ["CumulativeMultipleDrivingSources"]),
        ("SELECT a.id, COUNT(*) AS n FROM ev a JOIN ev b ON b.id = a.id GROUP BY 1", ["CumulativeMultipleDrivingSources"]),
        ("SELECT id, COUNT(*) AS n, SUM(COUNT(*)) OVER () AS s FROM ev GROUP BY 1", ["CumulativeForbidsWindowFunctions"]),
        ("SELECT id, COUNT(*) AS n, MAX(NOW()) AS s FROM ev GROUP BY 1", ["CumulativeForbidsNondeterministic"]),
        ("SELECT id, COUNT(*) AS n FROM ev GROUP BY 1 HAVING COUNT(*) > 1 LIMIT 3", ["having", "limit"]),
        ("SELECT id, SUM(c) AS s FROM (SELECT id, COUNT(*) AS c FROM ev GROUP BY 1) GROUP BY 1", ["partition_not_grouped"]),
        ("SELECT id, SUM(v) AS s FROM (SELECT DISTINCT id, v FROM ev) GROUP BY 1", ["distinct"]),
        ("SELECT id, COUNT(*) AS n FROM ev WHERE id IN (SELECT id FROM ev) GROUP BY 1", ["subqueries"]),
    ],
)  # fmt: skip
def test_what_partitions_do_not_add_up_to_is_refused(sql: str, codes: list[str]) -> None:
    assert [found.code.name for found in cumulated(sql).findings] == codes

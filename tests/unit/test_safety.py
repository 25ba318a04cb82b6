"""What the classifier refuses and what it admits, a table for each finding: query -> reasons."""

from __future__ import annotations

import pytest

from dbt_kinds.errors import UnknownOverrideError, UnreadableQueryError
from tests.unit.analysing import classified, reasons

W = "window_functions"
ADMITTED: list[str] = []


@pytest.mark.parametrize(
    ("window", "expected"),
    [
        ("ROW_NUMBER() OVER (PARTITION BY event_date ORDER BY event_ts)", ADMITTED),
        ("ROW_NUMBER() OVER (PARTITION BY `EVENT_DATE`, id ORDER BY event_ts)", ADMITTED),
        ("ROW_NUMBER() OVER (PARTITION BY CAST(event_ts AS DATE) ORDER BY event_ts)", ADMITTED),
        ("ROW_NUMBER() OVER (PARTITION BY TO_DATE(event_ts) ORDER BY event_ts)", ADMITTED),
        ("ROW_NUMBER() OVER (PARTITION BY DATE_TRUNC('DAY', event_ts) ORDER BY event_ts)", ADMITTED),
        ("ROW_NUMBER() OVER (DISTRIBUTE BY event_date SORT BY event_ts)", ADMITTED),
        ("LAG(v) OVER (PARTITION BY event_date ORDER BY event_ts)", ADMITTED),
        ("SUM(v) FILTER (WHERE a > 1) OVER (PARTITION BY event_date)", ADMITTED),
        ("ROW_NUMBER() OVER (PARTITION BY DATE_TRUNC('MONTH', event_date) ORDER BY event_ts)", [W]),
        ("ROW_NUMBER() OVER (PARTITION BY DATE_ADD(id, 1) ORDER BY event_ts)", [W]),
        ("ROW_NUMBER() OVER (PARTITION BY id ORDER BY event_date)", [W]),
        ("SUM(v) OVER ()", [W]),
        ("SUM(SUM(v) OVER (PARTITION BY event_date)) OVER (PARTITION BY id)", [W]),
        ("CASE WHEN v > 1 THEN RANK() OVER (ORDER BY v) END", [W]),
        ("SUM(v) OVER (PARTITION BY id ORDER BY event_ts ROWS BETWEEN 3 PRECEDING AND CURRENT ROW)", [W]),
        ("SUM(v) OVER (PARTITION BY id ORDER BY event_ts RANGE BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW)", [W]),
        ("SUM(v) OVER (PARTITION BY id ORDER BY event_ts RANGE BETWEEN INTERVAL 1 DAY PRECEDING AND UNBOUNDED FOLLOWING)", [W]),
        ("SUM(v) OVER (PARTITION BY id ORDER BY event_ts RANGE BETWEEN INTERVAL 1 DAY PRECEDING AND CURRENT ROW)", ADMITTED),
        ("SUM(v) OVER (PARTITION BY id ORDER BY event_ts RANGE INTERVAL 1 DAY PRECEDING)", ADMITTED),
        ("SUM(v) OVER (PARTITION BY id ORDER BY event_ts, id RANGE BETWEEN CURRENT ROW AND CURRENT ROW)", [W]),
        ("SUM(v) OVER (PARTITION BY id ORDER BY event_date RANGE BETWEEN 6 PRECEDING AND CURRENT ROW)", ADMITTED),
        ("SUM(v) OVER (PARTITION BY id ORDER BY event_ts RANGE BETWEEN 6 PRECEDING AND CURRENT ROW)", [W]),
        ("RANK() OVER (PARTITION BY id ORDER BY event_ts RANGE BETWEEN INTERVAL 1 DAY PRECEDING AND CURRENT ROW)", [W]),
        ("NTILE(4) OVER (PARTITION BY id ORDER BY event_ts RANGE BETWEEN INTERVAL 1 DAY PRECEDING AND CURRENT ROW)", [W]),
        ("SUM(v) OVER (PARTITION BY id ORDER BY v RANGE BETWEEN INTERVAL 1 DAY PRECEDING AND CURRENT ROW)", ["not_derivable:ev"]),
        ("SUM(v) OVER (PARTITION BY id ORDER BY DATE_TRUNC('MONTH', event_ts) RANGE BETWEEN INTERVAL 1 DAY PRECEDING AND CURRENT ROW)", ["not_derivable:ev"]),
        ("LAG(v) OVER (PARTITION BY id ORDER BY event_ts)", ["not_derivable:ev", W]),
        ("LEAD(v) OVER (PARTITION BY id ORDER BY event_ts RANGE BETWEEN INTERVAL 1 DAY PRECEDING AND CURRENT ROW)", ["not_derivable:ev"]),
    ],
)  # fmt: skip
def test_a_window_is_aligned_or_bounded_or_refused(window: str, expected: list[str]) -> None:
    assert reasons(f"SELECT event_date, {window} AS w FROM ev") == expected


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        pytest.param(
            "SELECT event_date, SUM(v) OVER w AS s FROM ev WINDOW w AS (PARTITION BY event_date)", ADMITTED, id="named"
        ),
        pytest.param(
            "SELECT event_date, SUM(v) OVER (w ORDER BY event_ts) AS s FROM ev WINDOW w AS (PARTITION BY event_date)",
            ADMITTED,
            id="completed",
        ),
        pytest.param(
            "SELECT event_date, SUM(v) OVER w2 AS s FROM ev WINDOW w AS (PARTITION BY event_date), w2 AS (w ORDER BY v)",
            ADMITTED,
            id="named by another name",
        ),
        pytest.param("SELECT event_date, SUM(v) OVER w AS s FROM ev WINDOW w AS (PARTITION BY id)", [W], id="of ids"),
        pytest.param(
            "SELECT event_date FROM ev QUALIFY ROW_NUMBER() OVER (PARTITION BY id ORDER BY event_ts) = 1", [W], id="qualify"
        ),
        pytest.param("SELECT event_date FROM ev ORDER BY SUM(v) OVER (PARTITION BY id)", [W], id="in ORDER BY"),
    ],
)  # fmt: skip
def test_a_window_is_read_wherever_it_stands(sql: str, expected: list[str]) -> None:
    assert reasons(sql) == expected


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        pytest.param(
            "SELECT day AS event_date, RANK() OVER (PARTITION BY event_date ORDER BY id) AS r "
            "FROM (SELECT event_date AS day, user_id AS event_date, id FROM ev) AS t",
            [W],
            id="a name decides nothing",
        ),
        pytest.param(
            "WITH x AS (SELECT event_date AS d, RANK() OVER (PARTITION BY event_date ORDER BY id) AS r FROM ev) "
            "SELECT d AS event_date FROM x WHERE r = 1",
            ADMITTED,
            id="renamed on the way up",
        ),
        pytest.param(
            "WITH x AS (SELECT CAST(event_ts AS DATE) AS d, id FROM ev), y(a, b) AS (SELECT * FROM x) "
            "SELECT a AS event_date, RANK() OVER (PARTITION BY a ORDER BY b) AS r FROM y",
            ADMITTED,
            id="through a star and a column list",
        ),
        pytest.param(
            "SELECT date_trunc('day', h) AS event_date FROM "
            "(SELECT date_trunc('hour', event_ts) AS h, COUNT(*) OVER (PARTITION BY date_trunc('hour', event_ts)) AS n FROM ev) AS t",
            ADMITTED,
            id="PARTITION BY what becomes it",
        ),
        pytest.param(
            "SELECT a.event_date, RANK() OVER (PARTITION BY b.event_date ORDER BY a.id) AS r "
            "FROM ev AS a JOIN ev2 AS b ON a.event_date = b.event_date",
            ADMITTED,
            id="a column that an inner join equates",
        ),
        pytest.param(
            "SELECT a.event_date, RANK() OVER (PARTITION BY b.event_date ORDER BY a.id) AS r "
            "FROM ev AS a LEFT JOIN ev2 AS b ON a.event_date = b.event_date",
            [W],
            id="rows without a match are one group across all days",
        ),
        pytest.param(
            "SELECT b.event_date, RANK() OVER (PARTITION BY a.event_date ORDER BY a.id) AS r "
            "FROM ev AS a LEFT JOIN ev2 AS b ON a.event_date = b.event_date",
            ADMITTED,
            id="the partition column on the nullable side",
        ),
        pytest.param(
            "SELECT COALESCE(a.event_date, b.event_date) AS event_date, "
            "RANK() OVER (PARTITION BY COALESCE(b.event_date, a.event_date) ORDER BY a.id) AS r "
            "FROM ev AS a FULL JOIN ev2 AS b ON a.event_date = b.event_date AND a.id = b.id",
            [W],
            id="a COALESCE in another order is built otherwise",
        ),
        pytest.param(
            "SELECT COALESCE(a.event_date, b.event_date) AS event_date, "
            "RANK() OVER (PARTITION BY COALESCE(a.event_date, b.event_date) ORDER BY a.id) AS r "
            "FROM ev AS a FULL JOIN ev2 AS b ON a.event_date = b.event_date AND a.id = b.id",
            ADMITTED,
            id="COALESCE of columns that a full join equates",
        ),
    ],
)
def test_alignment_follows_the_value_not_the_name(sql: str, expected: list[str]) -> None:
    assert reasons(sql) == expected


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        ("SELECT event_date, COUNT(*) AS c FROM ev GROUP BY 1 HAVING COUNT(*) > 1", ADMITTED),
        ("SELECT event_date AS event_date, COUNT(*) AS c FROM ev GROUP BY ALL HAVING COUNT(*) > 1", ADMITTED),
        ("SELECT CAST(event_ts AS DATE) AS event_date FROM ev GROUP BY event_date HAVING COUNT(*) > 1", ADMITTED),
        ("SELECT event_date, id FROM ev GROUP BY event_date, ROLLUP(id) HAVING COUNT(*) > 1", ADMITTED),
        ("SELECT event_date, id FROM ev GROUP BY event_date, id GROUPING SETS ((event_date), (event_date, id))", ADMITTED),
        ("SELECT event_date, id FROM ev GROUP BY event_date, id GROUPING SETS ((event_date), (id))", ["partition_not_grouped"]),
        ("SELECT event_date, id FROM ev GROUP BY CUBE(event_date, id)", ["partition_not_grouped"]),
        ("SELECT event_date, id FROM ev GROUP BY event_date, id WITH ROLLUP", ["partition_not_grouped"]),
        ("SELECT event_date, id FROM ev GROUP BY GROUPING SETS ((event_date, id), (event_date))", ADMITTED),
        ("SELECT event_date, id FROM ev GROUP BY GROUPING SETS (event_date, CUBE(event_date, id))", ["partition_not_grouped"]),
        ("SELECT event_date, id FROM ev GROUP BY event_date, GROUPING SETS ((id), ())", ADMITTED),
        ("SELECT event_date, id FROM ev GROUP BY GROUPING SETS ((event_date), (id))", ["partition_not_grouped"]),
        ("SELECT event_date, id FROM ev GROUP BY ROLLUP(event_date, id)", ["partition_not_grouped"]),
        ("SELECT MAX(event_date) AS event_date, id FROM ev GROUP BY id", ["partition_not_grouped"]),
        ("SELECT MAX(event_date) AS event_date, id FROM ev GROUP BY id HAVING COUNT(*) > 1", ["having", "partition_not_grouped"]),
        ("SELECT MAX(event_date) AS event_date FROM ev", ["partition_not_grouped"]),
        ("SELECT d AS event_date FROM (SELECT id, MIN(event_date) AS d FROM ev GROUP BY id) AS t", ["partition_not_grouped"]),
        ("WITH x AS (SELECT id FROM ev2 GROUP BY id HAVING COUNT(*) > 1) SELECT event_date FROM ev JOIN x ON x.id = ev.id",
         ["having", "not_derivable:ev2"]),
        ("WITH x AS (SELECT id FROM users GROUP BY id HAVING COUNT(*) > 1) SELECT event_date FROM ev JOIN x ON x.id = ev.id", ADMITTED),
        ("WITH d AS (SELECT MAX(day) AS day FROM dim) SELECT day AS event_date FROM d JOIN ev ON event_date = day", ADMITTED),
    ],
)  # fmt: skip
def test_groups_hold_one_partition_value(sql: str, expected: list[str]) -> None:
    assert reasons(sql) == expected


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        ("SELECT DISTINCT event_date, id FROM ev", ADMITTED),
        ("SELECT event_date, COUNT(DISTINCT id) AS c FROM ev GROUP BY 1", ADMITTED),
        ("SELECT event_date, id FROM ev UNION SELECT event_date, id FROM ev2", ADMITTED),
        ("SELECT event_date, id FROM ev EXCEPT ALL SELECT event_date, id FROM ev2", ADMITTED),
        ("SELECT e.event_date FROM ev AS e JOIN (SELECT DISTINCT id FROM ev2) AS x ON x.id = e.id", ["distinct", "not_derivable:ev2"]),
        ("SELECT e.event_date FROM ev AS e JOIN (SELECT id FROM ev2 UNION SELECT id FROM ev2) AS x ON x.id = e.id",
         ["distinct", "not_derivable:ev2"]),
        ("SELECT e.event_date FROM ev AS e JOIN (SELECT DISTINCT id FROM users) AS x ON x.id = e.id", ADMITTED),
        ("SELECT DISTINCT ON (id) event_date, id FROM ev", ["distinct"]),
        ("SELECT DISTINCT ON (event_date, id) event_date, id FROM ev", ADMITTED),
        ("SELECT event_date, id FROM ev UNION ALL SELECT id, event_date FROM ev2", ["not_derivable:ev2"]),
    ],
)  # fmt: skip
def test_whole_rows_are_compared_within_a_partition(sql: str, expected: list[str]) -> None:
    assert reasons(sql) == expected


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        ("SELECT event_date FROM ev WHERE id IN (SELECT id FROM users)", ADMITTED),
        ("SELECT event_date, (SELECT MAX(v) FROM users) AS m FROM ev", ADMITTED),
        ("SELECT event_date, exists(array(v), x -> x > 1) AS m, filter(array(v), x -> x > 1) AS f FROM ev", ADMITTED),
        ("SELECT event_date, c FROM ev LATERAL VIEW explode(array(v)) t AS c", ADMITTED),
        ("SELECT event_date, x.q FROM ev JOIN (SELECT event_date AS q FROM ev2) AS x ON x.q = ev.event_date", ADMITTED),
        ("SELECT event_date FROM ev WHERE id IN (SELECT id FROM ev2)", ["not_derivable:ev2", "subqueries"]),
        ("SELECT event_date FROM ev AS e WHERE NOT EXISTS (SELECT 1 FROM ev2 AS s WHERE s.event_date = e.event_date)", ["subqueries"]),
        ("SELECT event_date, (SELECT MAX(s.v) FROM ev2 AS s WHERE s.event_date = e.event_date) AS m FROM ev AS e", ["subqueries"]),
        ("SELECT event_date, z.q FROM ev AS e, LATERAL (SELECT s.v AS q FROM ev2 AS s WHERE s.event_date = e.event_date) AS z", ["subqueries"]),
        ("SELECT event_date FROM ev JOIN users AS u ON u.id = ev.id AND u.id IN (SELECT s.id FROM ev2 AS s WHERE s.event_date = ev.event_date)",
         ["subqueries"]),
        ("WITH a AS (SELECT id FROM users WHERE id IN (SELECT id FROM ev2)) SELECT event_date FROM ev JOIN a ON a.id = ev.id",
         ["not_derivable:ev2", "subqueries"]),
    ],
)  # fmt: skip
def test_a_subquery_in_the_place_of_an_expression_reads_look_ups_only(sql: str, expected: list[str]) -> None:
    assert reasons(sql) == expected


@pytest.mark.parametrize(
    "call",
    [
        "rand()",
        "randn()",
        "random()",
        "rand(7)",
        "randstr(3)",
        "uniform(1,2)",
        "uuid()",
        "gen_random_uuid()",
        "setseed(1)",
        "shuffle(array(1))",
        "now()",
        "NOW()",
        "current_timestamp()",
        "current_timestamp",
        "current_date",
        "current_date()",
        "current_time()",
        "curdate()",
        "localtimestamp()",
        "getdate()",
        "monotonically_increasing_id()",
        "spark_partition_id()",
        "input_file_name()",
        "unix_timestamp()",
    ],
)
def test_a_call_that_gives_something_else_each_time_is_refused(call: str) -> None:
    assert reasons(f"SELECT event_date, {call} AS c FROM ev") == ["nondeterministic"]
    assert reasons(f"SELECT event_date, id FROM ev JOIN (SELECT {call} AS c FROM users) AS u ON TRUE") == [
        "nondeterministic"
    ]
    assert reasons(f"SELECT event_date, {call} AS c FROM ev", "allow_nondeterministic") == []


@pytest.mark.parametrize(
    "named",
    ["rand", "now", "uuid", "`random`", "current_time", "localtimestamp", "unix_timestamp(event_ts)", "'now()'"],
)
def test_a_column_or_text_of_such_a_name_is_no_call(named: str) -> None:
    assert reasons(f"SELECT event_date, {named} AS c /* rand() */ FROM ev -- now()") == []


def test_now_is_answered_with_the_time_variable_of_its_type() -> None:
    for call, instead in (
        ("now()", "execution_ts"),
        ("current_date", "execution_date"),
        ("localtimestamp()", "execution_dtntz"),
    ):
        [finding] = classified(f"SELECT event_date, {call} AS c FROM ev").findings
        assert f"{{{{ dbt_kinds.{instead}() }}}}" in finding.message


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        ("SELECT event_date FROM ev TABLESAMPLE (10 PERCENT)", ["nondeterministic"]),
        ("SELECT event_date FROM ev LIMIT 5", ["limit"]),
        ("SELECT event_date FROM ev OFFSET 5", ["limit"]),
        ("SELECT event_date FROM ev JOIN (SELECT id FROM users LIMIT 5) AS u ON u.id = ev.id", ["limit"]),
        ("(SELECT event_date FROM ev) LIMIT 3", ["limit"]),
        ("SELECT event_date, credit_limit, 'LIMIT 5' AS t FROM ev -- HAVING LIMIT DISTINCT OVER (", ADMITTED),
        ("SELECT event_date FROM ev WHERE event_ts > event_ts - INTERVAL '3'", ["unknown_interval_unit"]),
        ("SELECT event_date FROM ev WHERE event_ts > event_ts - INTERVAL '2 fortnights'", ["unknown_interval_unit"]),
        ("SELECT event_date FROM ev WHERE event_ts > event_ts - INTERVAL 1 QUARTER", ["unknown_interval_unit"]),
        ("SELECT event_date FROM ev WHERE event_ts > event_ts - INTERVAL '1 12' DAY TO HOUR", ADMITTED),
        ("SELECT id FROM ev", ["partition_not_projected"]),
        ("SELECT id, RANK() OVER (ORDER BY id) AS r FROM ev LIMIT 1", ["limit", "partition_not_projected", W]),
    ],
)  # fmt: skip
def test_other_constructs(sql: str, expected: list[str]) -> None:
    assert reasons(sql, event_time_column="id" if "partition_not_projected" in expected else "event_date") == expected


def test_names_are_looked_up_behind_a_star() -> None:
    assert reasons("SELECT * FROM ev", event_time_column="event_ts", unique_key=("id",)) == []
    assert reasons("SELECT e.* FROM ev AS e", event_time_column="event_ts", unique_key=("id", "zzz")) == [
        "unique_key_not_projected"
    ]
    assert reasons("SELECT * EXCEPT (event_ts) FROM ev", event_time_column="event_ts") == []
    assert reasons("SELECT event_date FROM ev", event_time_column="event_ts") == ["event_time_not_referenced"]
    assert reasons("SELECT event_date, COUNT(*) AS c FROM ev GROUP BY 1", event_time_column="event_ts") == [
        "event_time_not_referenced"
    ]


@pytest.mark.parametrize(
    ("column", "granularity", "is_too_fine"),
    [
        ("event_date", "hour", True),
        ("event_date", "day", False),
        ("date_trunc('month', event_ts)", "day", True),
        ("date_trunc('month', event_ts)", "month", False),
        ("date_trunc('week', event_ts)", "month", False),
        ("date_trunc('hour', event_ts)", "hour", False),
        ("event_ts", "hour", False),
        ("CAST(date_trunc('hour', event_ts) AS DATE)", "hour", True),
    ],
)
def test_the_granularity_is_no_finer_than_the_values(column: str, granularity: str, is_too_fine: bool) -> None:
    found = reasons(f"SELECT {column} AS p FROM ev", partition_column="p", granularity=granularity)
    assert found == (["granularity_too_fine"] if is_too_fine else [])


def test_an_override_lifts_its_own_check_only() -> None:
    sql = "SELECT event_date, RANK() OVER (ORDER BY id) AS r, rand() AS x FROM ev LIMIT 1"
    assert reasons(sql) == ["limit", "nondeterministic", W]
    assert reasons(sql, "allow_limit") == ["nondeterministic", W]
    lifted = classified(sql, "allow_limit", "allow_nondeterministic", "allow_window_functions", "allow_having")
    assert lifted.is_admitted
    assert lifted.overridden == ("limit", "nondeterministic", W)


def test_an_override_that_does_not_exist_is_an_error() -> None:
    with pytest.raises(UnknownOverrideError, match=r"safety_overrides has no 'allow_all'; it knows allow_distinct"):
        classified("SELECT event_date FROM ev", "allow_all")


def test_all_findings_come_at_once_each_with_its_place() -> None:
    sql = (
        "SELECT event_date,\n"
        "  RANK() OVER (ORDER BY id) AS r,\n"
        "  CASE WHEN now() > event_ts THEN 1 END AS c\n"
        "FROM ev\n"
        "WHERE id IN (SELECT id FROM ev2)\n"
        "LIMIT 3"
    )
    found = [(finding.reason, *finding.place) for finding in classified(sql).findings]
    assert found == [
        (W, 2, 3),
        ("nondeterministic", 3, 13),
        ("subqueries", 5, 10),
        ("not_derivable:ev2", 5, 29),
        ("limit", 6, 1),
    ]


def test_a_construct_is_found_once_however_often_its_cte_is_read() -> None:
    sql = (
        "WITH x AS (SELECT *, RANK() OVER (ORDER BY id) AS r FROM ev) "
        "SELECT a.event_date FROM x AS a JOIN x AS b ON a.event_date = b.event_date"
    )
    assert [finding.code.name for finding in classified(sql).findings] == [W]


def test_a_cte_hides_a_source_of_its_name() -> None:
    assert (
        reasons(
            "WITH ev AS (SELECT day AS event_date FROM dim) SELECT event_date, RANK() OVER (ORDER BY 1) AS r FROM ev"
        )
        == []
    )


def test_what_reads_no_timeseries_source_does_not_depend_on_the_window() -> None:
    verdict = classified("SELECT day AS event_date, RANK() OVER (ORDER BY id) AS r FROM dim")
    assert verdict.is_admitted
    assert verdict.bounds == {}
    assert verdict.batches is not None and verdict.batches.name == "fully_batch_safe"


def test_a_recursive_cte_over_a_timeseries_source_cannot_be_proved() -> None:
    sql = (
        "WITH RECURSIVE x AS (SELECT event_date, id FROM ev UNION ALL SELECT date_add(event_date, 1), id FROM x WHERE id < 3) "
        "SELECT event_date, id FROM x"
    )
    assert "not_derivable:ev" in reasons(sql)


def test_text_that_is_no_query_is_named_as_such() -> None:
    with pytest.raises(UnreadableQueryError, match="this is not a query of spark"):
        classified("SELECT FROM WHERE (")
    with pytest.raises(UnreadableQueryError, match="expected one query, found 2"):
        classified("SELECT 1 AS event_date; SELECT 2 AS event_date")


def test_conditions_that_contradict_each_other_come_to_an_end() -> None:
    sql = (
        "SELECT a.event_date, COUNT(*) OVER (PARTITION BY a.id) AS n FROM ev a "
        "JOIN ev2 b ON b.event_date = a.event_date - INTERVAL '1 day' WHERE a.event_date = b.event_date"
    )
    assert reasons(sql) == ["window_functions"]

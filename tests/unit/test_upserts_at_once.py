"""Upserts without a stage: tables and refusals are those of staged ones, and what earlier loads cost decides between the two."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st

from tests.unit.duckdb_runs import DiedError, Warehouse
from tests.unit.macros import CompilerError, Macros

Row = tuple[Any, Any, Any]
OPTIONS: dict[str, Any] = {"unique_key": "k", "start": "2024-01-01", "file_format": "iceberg"}
MACROS = Macros()


def query(rows: list[Row]) -> str:
    values = ", ".join("(" + ", ".join("null" if v is None else repr(v) for v in row) + ")" for row in rows)
    selected = "select cast(k as int) as k, cast(v as string) as v, cast(n as int) as n from (values "
    return f"{selected}{values or '(0, null, 0)'}) as t(k, v, n)" + ("" if rows else " where false")


def run(warehouse: Warehouse, day: int, rows: list[Row], **given: Any) -> None:
    at = {"kinds_execution_time": f"2024-01-{day:02}T06:00:00"}
    warehouse.run("t", "incremental_by_unique_key", OPTIONS | given, query(rows), at)


def held(warehouse: Warehouse) -> list[Row]:
    return sorted(warehouse.database.execute("select k, v, n from shop.t").fetchall(), key=repr)


def is_staged(warehouse: Warehouse) -> bool:
    return "create_stage" in warehouse.statements


def staging() -> Warehouse:
    """A warehouse in which no query is known to give the same rows twice."""
    return Warehouse(plan="")


def batches(day: int) -> st.SearchStrategy[list[Row]]:
    # mostly other values than the day before, or nothing would be done at once
    values = st.sampled_from([None, "a", f"day {day}", f"day {day}", f"day {day}"])
    return st.lists(st.tuples(st.sampled_from([1, 2, 3, 4, 5, None]), values, st.sampled_from([None, day])), max_size=5)


KEYS: list[Any] = ["k", ["k % 3"], ["v", "k"], ["coalesce(v, '?')"]]


@settings(max_examples=settings().max_examples // 5, deadline=None)
@given(
    days=st.tuples(*map(batches, range(2, 7))),
    key=st.sampled_from(KEYS),
    more=st.fixed_dictionaries(
        {"null_keys": st.sampled_from(["error", "match"])},
        optional={
            "update_only_changed": st.just(False),
            "insert_only": st.just(True),
            "merge_filter": st.sampled_from(["target.n > 2", "source.n is not null or target.n < 4"]),
            "merge_update_columns": st.just(["n"]),
        },
    ),
)
def test_both_ways_leave_the_same_table_and_refuse_the_same_batches(
    days: tuple[list[Row], ...], key: Any, more: dict[str, Any]
) -> None:
    more = {**more, "unique_key": key}
    if more.get("insert_only"):
        more = {name: value for name, value in more.items() if name not in ("merge_filter", "merge_update_columns")}
    at_once, staged = Warehouse(), staging()
    for day, rows in enumerate(days, start=2):
        refusals = []
        for warehouse in (at_once, staged):
            try:
                run(warehouse, day, rows, **more)
                refusals.append("")
            except CompilerError as error:
                refusals.append(str(error))
        assert refusals[0] == refusals[1]
        assert "create_table" in staged.statements or is_staged(staged)
        event(f"at once: {day > 2 and not is_staged(at_once)}, refused: {refusals[0] != ''}")
        if at_once.listed_tables(None):
            assert held(at_once) == held(staged)


LOADS: list[list[Row]] = [[(n, f"day {day}", day) for n in range(10 + day)] for day in range(2, 40)]


def loaded(days: int, **given: Any) -> Warehouse:
    warehouse = Warehouse()
    for day in range(2, 2 + days):
        run(warehouse, day, LOADS[day - 2], **given)
    return warehouse


def test_the_first_upsert_counts_what_is_equal_and_the_next_merges_at_once() -> None:
    ways = []
    warehouse = Warehouse()
    for day in range(2, 29):
        run(warehouse, day, LOADS[day - 2])
        ways.append("staged" if is_staged(warehouse) else "at once")
        assert held(warehouse) == sorted(LOADS[day - 2], key=repr)
    # the table is created, the equal rows are counted, and 20 loads later once more
    assert ways == ["staged"] * 2 + ["at once"] * 20 + ["staged"] + ["at once"] * 4


def test_one_statement_writes_and_it_records_the_rows_of_the_batch() -> None:
    warehouse = loaded(3)
    assert warehouse.statements == ["append_events", "merge_changes", "append_events"]
    assert [row["rows_written"] for row in warehouse.log if row["event"] == "loaded"] == [12, 13, 14]


def test_an_empty_batch_writes_nothing() -> None:
    warehouse = loaded(3)
    run(warehouse, 5, [])
    assert "merge_changes" not in warehouse.statements
    assert not is_staged(warehouse)
    assert held(warehouse) == sorted(LOADS[2], key=repr)


def test_batches_that_bring_what_is_there_are_staged_so_that_no_file_is_rewritten() -> None:
    warehouse = loaded(2)
    # the first of them are merged, and nobody knows, until they are counted
    for day in range(4, 30):
        run(warehouse, day, LOADS[1])
    assert is_staged(warehouse)
    assert "merge_changes" not in warehouse.statements


def test_clauses_that_may_not_be_repeated_are_always_staged() -> None:
    assert is_staged(loaded(4, when_matched="when matched then update set n = source.n"))


def test_a_run_that_dies_anywhere_is_made_good_by_the_next() -> None:
    whole = loaded(4)
    last = len(whole.statements)
    for number, done in [*((number, False) for number in range(1, last + 1)), (last, True)]:
        warehouse = loaded(3)
        warehouse.dies_at, warehouse.dies_after_it = number, done
        with pytest.raises(DiedError):
            run(warehouse, 5, LOADS[3])
        run(warehouse, 5, LOADS[3])
        assert held(warehouse) == held(whole), f"died at {number} of {whole.statements}"


@pytest.mark.parametrize(
    ("came", "left"),
    [
        ([(1, "x", 1), (1, "y", 1)], r"duplicate k in the batch .* came while it was loaded: \(1\) 2 times; make the query"),
        # outside of the range that was asked for: like a row that comes after a stage is filled
        ([(1, "x", 1), (77, "y", 1), (None, "z", 1)], [(1, "x", 1)]),
    ],
)  # fmt: skip
def test_what_comes_between_the_question_and_the_merge_is_refused_or_left_for_later(
    came: list[Row], left: str | list[Row]
) -> None:
    warehouse = loaded(3)
    before = held(warehouse)
    at = {"kinds_execution_time": "2024-01-05T06:00:00"}
    macros = warehouse.macros("t", "incremental_by_unique_key", OPTIONS, query(came), at, "i", False)
    passed = {"all_rows": 1, "null_rows": 0, "all_keys": 1, "least_key": 1, "greatest_key": 1}
    macros.replace({"check_keys": lambda *_, **__: passed})
    if isinstance(left, str):
        with pytest.raises(Exception, match=left):
            macros.load_intervals()
        assert held(warehouse) == before
    else:
        macros.load_intervals()
        assert held(warehouse) == sorted([row for row in before if row[0] != 1] + left, key=repr)


def test_a_key_without_a_range_is_refused_by_the_merge() -> None:
    warehouse = loaded(3)
    at = {"kinds_execution_time": "2024-01-05T06:00:00"}
    macros = warehouse.macros("t", "incremental_by_unique_key", OPTIONS, query([(None, "x", 1)]), at, "i", False)
    macros.replace({"check_keys": lambda *_, **__: {"all_rows": 1, "null_rows": 0, "all_keys": 1}})
    with pytest.raises(
        Exception, match=r"NULL in unique_key: a row without k in the batch .*; leave them out of the query"
    ):
        macros.load_intervals()
    assert held(warehouse) == sorted(LOADS[2], key=repr)


@pytest.mark.parametrize(
    ("costs", "words"),
    [
        ({}, "no load before"),
        ({"staged": {"seconds": 2, "rows": 100, "equal_rows": 10}, "loads": 0}, None),
        ({"staged": {"seconds": 2, "rows": 100, "equal_rows": 11}, "loads": 0}, "11 of 100 rows were equal"),
        ({"staged": {"seconds": 61, "rows": 100, "equal_rows": 0}, "loads": 0}, "the last one took 61 s"),
        ({"staged": {"seconds": 2, "rows": 9, "equal_rows": 0}, "merged": {"seconds": 2, "rows": 9}, "loads": 3}, None),
        ({"staged": {"seconds": 2, "rows": 9, "equal_rows": 0}, "merged": {"seconds": 3, "rows": 9}, "loads": 3}, "at once took 3 s"),
        # twice the rows may take twice the time
        ({"staged": {"seconds": 2, "rows": 9, "equal_rows": 0}, "merged": {"seconds": 3, "rows": 18}, "loads": 3}, None),
        ({"staged": {"seconds": 2, "rows": 0, "equal_rows": 0}, "merged": {"seconds": 3, "rows": 18}, "loads": 3}, None),
        ({"staged": {"seconds": 2, "rows": 9, "equal_rows": 0}, "loads": 20}, "20 loads ago"),
    ],
)  # fmt: skip
def test_what_earlier_loads_cost_decides(costs: dict[str, Any], words: str | None) -> None:
    reason = MACROS.reason_in_costs({}, {"is_equal": "target.v <=> source.v"}, costs)
    assert reason is None if words is None else words in reason


TABLE = "+- SubqueryAlias spark_catalog.x.f\n   +- {}"
ICEBERG = "RelationV2[id#1L, name#2] spark_catalog.x.f spark_catalog.x.f"
HIVE = "HiveTableRelation [`spark_catalog`.`x`.`ht`, org.apache.LazySimpleSerDe, Data Cols: [id#1]]"


@pytest.mark.parametrize(
    ("plan", "sql", "words"),
    [
        (f"Project [id#1L]\n{TABLE.format(ICEBERG)}", "select id from x.f", None),
        ("Project [id#1]\n+- Relation spark_catalog.x.pq[id#1] parquet\n", "select id from x.pq", None),
        ("Join Inner, (id#1 = id#2)\n:- Range (0, 3, step=1, splits=None)\n+- OneRowRelation", "select id from range(3)", None),
        ("WithCTE\n:- CTERelationDef 0, false\n:  +- Project [1 AS id#1]\n:     +- OneRowRelation\n+- CTERelationRef 0, true, [id#1]", "select 1", None),
        (HIVE, "select 1", "may hold something else"),
        ("", "select 1", "is not known"),
        ("GlobalLimit 3\n+- LocalLimit 3", "select id from v", "GlobalLimit 3 may"),
        ("Window [row_number() windowspecdefinition()]", "select id from v", "Window"),
        ("Aggregate [id#1], [max_by(a#2, b#3) AS x#4]", "select id from v", "max_by in its query"),
        ("Project [percentile_approx(a#2, 0.5) AS x#4]", "select id from v", "percentile_approx in its query"),
        ("Project [id#1, rand(5) AS r#2]", "select id from v", "rand in its query"),
        ("Project [id#1, f(id#1)#5 AS r#2]", "select id from v", "function of Python"),
        ("Project [id#1, HiveSimpleUDF#my.Function(id#1) AS r#2]", "select id from v", "HiveSimpleUDF"),
        ("Project [a#1, ... 30 more fields]", "select id, FIRST_VALUE (a) from x", "FIRST_VALUE"),
        ("Project [a#1, ... 30 more fields]", "select * from x", None),
        ("View (`x`.`v`, [a#1])\n+- Project [a#1, ... 30 more fields]", "select * from v", "a view that it reads"),
        ("Relation [id#1] JDBCRelation(orders) [numPartitions=1]", "select id from o", "may hold something else"),
        ("RelationV2[id#1] postgres.public.orders postgres.public.orders", "select id from o", "may hold something else"),
        ("InMemoryRelation [id#1]", "select id from o", "InMemoryRelation"),
        ("LogicalRDD [id#1], false", "select id from o", "LogicalRDD"),
    ],
)  # fmt: skip
def test_what_may_give_other_rows_when_it_runs_again(plan: str, sql: str, words: str | None) -> None:
    found = MACROS.varying_part(f"\nid: int\n{plan}\n\n" if plan else "", sql)
    assert found is None if words is None else words in found


@pytest.mark.parametrize(
    ("type_of_key", "least", "greatest", "condition"),
    [
        ("int", "-3", "12", "between cast('-3' as int) and cast('12' as int)"),
        ("date", "2024-01-01", "+12000-01-01", "between cast('2024-01-01' as date) and cast('+12000-01-01' as date)"),
        ("string", "a'b", "c\\", "between 'a\\'b' and 'c\\\\'"),
        ("string", "", "z", "between '' and 'z'"),
        ("string", "a", "\u00e9", None),
        ("string", "a", "a\nb", None),
        ("string", "a", "b" * 101, None),
        ("int", None, None, None),
    ],
)
def test_the_range_of_a_batch_is_what_literals_say_as_it_is(
    type_of_key: str, least: str | None, greatest: str | None, condition: str | None
) -> None:
    spec = {"key_parts": ["`k`"], "key_types": [type_of_key]}
    found = MACROS.key_range(spec, {"least_key": least, "greatest_key": greatest})
    assert (found and found["condition"]) == condition


@pytest.mark.parametrize(
    ("query", "table", "are_alike"),
    [
        ("int", "int", True),
        ("int", "bigint", False),
        ("decimal(12,2)", "decimal(10,2)", False),
        ("string", "varchar(10)", False),
        ("struct<a:int,b:string>", "struct<`a`:int,`b`:string>", True),
        ("struct<b:string,a:int>", "struct<`a`:int,`b`:string>", False),
        ("array<struct<a:int>>", "array<struct<`a`:bigint>>", False),
    ],
)
def test_columns_have_to_have_the_types_that_the_table_has(query: str, table: str, are_alike: bool) -> None:
    columns = [{"name": "id", "type": query}, {"name": "of_the_query_alone", "type": "int"}]
    schema = [{"name": "ID", "type": table}, {"name": "of_the_table_alone", "type": "int"}]
    assert MACROS.has_types_of_table(columns, schema) == are_alike

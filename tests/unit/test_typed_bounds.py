"""What a bound is compared with, and the form it is given: on the plans that Spark 3.5 prints."""

from __future__ import annotations

import json
import re
from types import SimpleNamespace
from typing import Any

import pytest

from tests.unit.macros import CompilerError, Macros, of_kind

MACROS = Macros()
START, END = "/*kinds:start_date*/ date '2024-03-03'", "/*kinds:end_date*/ date '2024-03-03'"
DAY = {"name": "day", "months": 0, "seconds": 86400, "origin": 0}
HOUR = {"name": "hour", "months": 0, "seconds": 3600, "origin": 0}
WINDOW = ["2024-03-03T00:00:00", "2024-03-04T00:00:00"]


@pytest.mark.parametrize(
    ("sql", "operator", "operand"),
    [
        (f"ts >= {START}", ">=", "ts"),
        (f"src.`my ts`<{START}", "<", "my ts"),
        (f"ts between\n {START} and {END}", "between", "ts"),
        (f"ts not between {START} and {END}", "between", "ts"),
        (f"to_date(ts) = {START}", "=", None),
        (f"where {START} <= src.ts", ">=", "ts"),
        (f"ts <= {START} -- a comment", "<=", "ts"),
        (f"ts >= ({START})", ">=", "ts"),
        (f"ts between ( {START} ) and ({END})", "between", "ts"),
        (f"ts <= {START} /* another */", "<=", "ts"),
    ],
)
def test_a_bound_beside_a_comparison_is_probed(sql: str, operator: str, operand: str | None) -> None:
    probe = MACROS.probed_query(sql)
    assert probe["bounds"][0]["is_compared"]
    assert probe["bounds"][0]["operator"] == operator
    assert probe["bounds"][0]["operand"] == operand
    assert "nullif(null, 7000)" in probe["sql"]
    assert all(bound["is_compared"] for bound in probe["bounds"])


@pytest.mark.parametrize(
    "sql",
    [
        f"ts >= {START} - interval 1 day", f"ts < date_add({END}, 1)", f"select {START} as d", f"ts >= {START}::timestamp",
        f"ts in ({START})", f"x + {START} <= ts", f"ts >= to_timestamp({START})", f"ts >= ({START} - interval 1 day)",
    ],
)  # fmt: skip
def test_a_bound_that_is_counted_with_or_passed_on_stays_typed(sql: str) -> None:
    probe = MACROS.probed_query(sql)
    assert not probe["bounds"][0]["is_compared"]
    assert "date '1904-05-06'" in probe["sql"]


def test_a_query_without_bounds_stays_as_it_is() -> None:
    sql = "select '/*kinds' as a, nullif(null, 7000) from x where b >= date '2024-01-01'"
    assert MACROS.probed_query(sql) == {"sql": sql, "bounds": []}


PLAN = """
__kinds_zone: int, id: int
Project [hour(current_timestamp(), Some(America/New_York)) AS __kinds_zone#1, id#2, d#3, day#4]
+- Project [id#2, d#3, cast(ts#5 as date) AS day#4, d#3 AS e#6]
   +- Filter ((ts#5 >= cast(nullif(null, 7000) as timestamp)) AND (s#7 <= null) AND (n#8 < cast(nullif(null, 7002) as decimal(10,2))))
      +- Filter ((hour(ts#5, Some(America/New_York)) >= cast(nullif(null, 7003) as int)) AND (nullif(null, 7004) < nullif(null, 7005)))
"""


def analysed(plan: str = PLAN, zone: str = "America/New_York") -> dict[str, Any]:
    return {"plan": plan, "zone": zone, "is_utc": zone == "UTC"}


def test_the_plan_tells_the_type_of_the_other_side() -> None:
    types = [MACROS.compared_type(analysed(), {"number": number}) for number in range(6)]
    assert types == ["timestamp", "string", "decimal", "int", "void", "void"]
    assert MACROS.compared_type(analysed("Project [a#1, ... 5 more fields]"), {"number": 0}) is None


def test_the_plan_tells_what_is_computed() -> None:
    assert [MACROS.is_computed(analysed(), name) for name in ("id", "day", "DAY", "e", "d")] == [False, True, True, False, False]  # fmt: skip
    assert [MACROS.is_compared_locally(analysed(), {"number": number}) for number in (0, 3)] == [False, True]


@pytest.mark.parametrize(
    ("plan", "is_local"),
    [
        ("(ts#1 >= cast(date_sub(1904-05-06, 1) as timestamp) + INTERVAL '01' HOUR)", True),
        ("(d#1 >= date_sub(1904-05-06, 1))", False),
        ("(d#1 >= to_date(1903-05-05 19:00:00, None, Some(America/New_York), false))", True),
        ("(d#1 >= to_date(1904-05-06, None, Some(America/New_York), false))", False),
        ("(ts#1 >= to_timestamp(1904-05-06 00:00:00, None, TimestampType, Some(America/New_York), false))", True),
        ("(ts#1 >= 1903-05-05 19:00:00 - INTERVAL '1' DAY)", False),
        ("(d#1 >= cast(cast(1903-05-05 19:00:00 as date) as timestamp))", True),
        ("(ts#1 >= cast(d#2 as timestamp)) AND (d#1 >= date_add(1904-05-06, 1))", False),
    ],
)
def test_the_plan_tells_whether_a_bound_is_converted_in_the_sessions_zone(plan: str, is_local: bool) -> None:
    assert MACROS.is_converted_locally(plan) is is_local


def form(name: str, type_: str, *, zone: str = "UTC", operator: str = "between", operand: str | None = "x", unit: Any = DAY, kind: str = "incremental_by_time_range", target: Any = None) -> str:  # fmt: skip
    """The literal that a bound gets for one window."""
    bound = {"number": 0, "name": name, "operator": operator, "operand": operand, "is_compared": True}
    options = of_kind(kind, model="m", unit=unit)
    written = MACROS.typed_bound(options, bound, type_, analysed("", zone), target)
    sql = MACROS.substitute_window(f"/*kinds:{written}*/ '2000-01-01'", WINDOW, "2024-03-05T07:08:09")
    assert "/*" not in sql
    return str(sql)


def time_column(type_: str, *, is_computed: bool = False, name: str = "x", strftime: str | None = None) -> dict[str, Any]:  # fmt: skip
    write = "integer" if type_ == "int" else type_
    return {"name": name, "type": type_, "is_computed": is_computed, "written": {"write": write, "strftime": strftime}}


@pytest.mark.parametrize(
    ("name", "type_", "zone", "literal"),
    [
        ("end_dt", "timestamp", "America/New_York", "timestamp '2024-03-03 23:59:59.999999+00:00'"),
        ("end_date", "timestamp", "UTC", "timestamp '2024-03-03 23:59:59.999999+00:00'"),
        ("end_ds", "timestamp", "America/New_York", "timestamp '2024-03-03 23:59:59.999999+00:00'"),
        ("start_ts", "timestamp", "UTC", "'2024-03-03 00:00:00'"),
        ("start_ts", "timestamp", "America/New_York", "timestamp '2024-03-03 00:00:00+00:00'"),
        ("end_tstz", "timestamp", "America/New_York", "'2024-03-03 23:59:59.999999+00:00'"),
        ("end_dt", "timestamp_ntz", "America/New_York", "timestamp_ntz '2024-03-03 23:59:59.999999'"),
        ("end_date", "timestamp_ntz", "UTC", "timestamp_ntz '2024-03-03 23:59:59.999999'"),
        ("end_ts", "timestamp_ntz", "America/New_York", "'2024-03-03 23:59:59.999999'"),
        ("end_dt", "date", "America/New_York", "date '2024-03-03'"),
        ("end_dt", "date", "UTC", "timestamp '2024-03-03 23:59:59.999999+00:00'"),
        ("end_ds", "date", "America/New_York", "'2024-03-03'"),
        ("end_epoch", "bigint", "America/New_York", "1709510399.999999"),
        ("execution_date", "timestamp", "UTC", "date '2024-03-05'"),
    ],
)
def test_a_bound_is_written_in_the_type_that_it_is_compared_with(
    name: str, type_: str, zone: str, literal: str
) -> None:
    assert form(name, type_, zone=zone, target=time_column(type_)) == literal


@pytest.mark.parametrize(
    ("name", "strftime", "type_", "literal"),
    [
        ("end_dt", "%Y%m%d", "string", "'20240303'"),
        ("end_ts", "%Y-%m-%d", "string", "'2024-03-03'"),
        ("end_ds", "%Y-%m-%d", "string", "'2024-03-03'"),
        ("end_date", "%Y%m%d", "int", "20240303"),
        ("start_ds", "%Y%m%d%H", "string", "'2024030300'"),
        ("end_ds", "%Y%m%d%H", "string", "'2024030323'"),
    ],
)
def test_a_time_column_with_a_format_is_compared_in_it(name: str, strftime: str, type_: str, literal: str) -> None:
    for zone in ("UTC", "Asia/Kolkata"):
        assert form(name, type_, zone=zone, target=time_column(type_, strftime=strftime)) == literal


@pytest.mark.parametrize(
    ("name", "type_", "given", "words"),
    [
        ("start_epoch", "timestamp", {}, "its query compares start_epoch with x, a timestamp, which Spark would convert, so that rows would be lost; write start_dt"),
        ("start_date", "int", {}, "with x, an int"),
        ("start_hour", "string", {}, "with x, a text"),
        ("execution_date", "timestamp", {"zone": "Asia/Kolkata"}, "in the session's time zone, Asia/Kolkata, so that rows would be lost; write execution_dt"),
        ("start_dt", "string", {"zone": "Asia/Kolkata"}, "write start_ds, start_ts or start_tstz"),
        ("end_dt", "date", {"zone": "Asia/Kolkata", "operator": "<"}, "write end_date"),
        ("start_dt", "date", {"zone": "Asia/Kolkata", "target": time_column("timestamp", name="ts")}, "write start_date"),
        ("start_dt", "timestamp", {"zone": "Asia/Kolkata", "target": time_column("date", is_computed=True, name="d")}, "between time_column 'd', a date, and the column that its query compares with start_dt lies the session's time zone, Asia/Kolkata"),
        ("start_epoch", "bigint", {"zone": "Asia/Kolkata", "target": time_column("date", is_computed=True, name="d")}, "lies the session's time zone"),
        ("start_date", "date", {"unit": HOUR, "kind": "incremental_unmanaged"}, "each of them would load the whole day again"),
        ("start_epoch", "int", {"target": time_column("int", strftime="%Y%m%d")}, "which is written as %Y%m%d"),
    ],
)  # fmt: skip
def test_what_cannot_be_written_right_is_refused(name: str, type_: str, given: dict[str, Any], words: str) -> None:
    with pytest.raises(CompilerError, match=re.escape(words)):
        form(name, type_, **given)


def test_seconds_since_1970_are_the_same_in_every_zone() -> None:
    plan = (
        "(unix_timestamp(ts#1, yyyy-MM-dd HH:mm:ss, Some(Asia/Kolkata), false) >= cast(nullif(null, 7000) as bigint))"
    )
    for name, is_refused in (("start_epoch", False), ("start_hour", True)):
        bound = {"number": 0, "name": name, "operator": ">=", "operand": None, "is_compared": True}
        options = of_kind("incremental_by_time_range", model="m", unit=DAY)
        try:
            said = MACROS.typed_bound(
                options, bound, "bigint", analysed(plan, "Asia/Kolkata"), time_column("timestamp")
            )
        except CompilerError:
            said = None
        assert said == (None if is_refused else name)


def test_hours_of_a_date_column_read_its_whole_day_where_rows_are_filtered_again() -> None:
    assert form("start_dt", "date", unit=HOUR, target=time_column("timestamp", name="ts")) == "date '2024-03-03'"


@pytest.mark.parametrize(
    ("type_", "literal"),
    [
        ("timestamp", "timestamp '2024-03-03 00:00:00+00:00'"),
        ("timestamp_ntz", "timestamp_ntz '2024-03-03 00:00:00'"),
        ("date", "date '2024-03-03'"),
        ("string", "'2024-03-03'"),
    ],
)
def test_window_of_follows_the_type_of_its_column(type_: str, literal: str) -> None:
    window = {"relation": "shop.events", "column": "x*/", "before": "PT0S", "after": "PT0S", "unit": "day", "week_start": "monday", "data_type": "date", "format": None}  # fmt: skip
    name = "source_start " + json.dumps(window).replace("*", "\\u002a")
    assert form(name, type_, zone="Asia/Kolkata", target=time_column("timestamp" if type_ == "timestamp" else "date")) == literal  # fmt: skip


def test_window_of_is_called_by_its_name() -> None:
    window = {"relation": "shop.events", "column": "x", "before": "PT0S", "after": "PT0S", "unit": "hour", "week_start": "monday", "data_type": "date", "format": None}  # fmt: skip
    with pytest.raises(CompilerError, match="its query compares window_of with a date"):
        form("source_start " + json.dumps(window), "date", unit=HOUR, kind="incremental_unmanaged")


def test_window_of_names_what_a_number_lacks() -> None:
    window = {"relation": "shop.events", "column": "x", "before": "PT0S", "after": "PT0S", "unit": "day", "week_start": "monday", "data_type": "date", "format": None}  # fmt: skip
    with pytest.raises(CompilerError, match="has the type int, which cannot be bounded by time"):
        form("source_start " + json.dumps(window), "int")


DT = "/*kinds:start_dt*/ timestamp '2024-03-03 00:00:00+00:00'"
COLUMNS = [{"name": "id", "type": "int"}, {"name": "ts", "type": "timestamp"}, {"name": "d", "type": "date"}]


def evident(sql: str, *, column: str = "ts", kind: str = "incremental_by_time_range") -> Any:
    options = of_kind(kind) | {"model": "m", "unit": DAY, "time_column": {"column": column, "format": None}}
    return MACROS.evident_types(options, MACROS.probed_query(sql), COLUMNS)


@pytest.mark.parametrize(
    "sql",
    [
        f"select id, ts from shop.events where ts >= {DT}",
        f"select id, ts from shop.events as e where TS >= {DT} and id in (1, 2)",
        f"select *, upper('as ts') as x from (select * from shop.events where `ts` >= {DT} and `ts` < {DT}) as e",
        f"-- from elsewhere\nselect id, ts, count(*) from `shop`.`events` where id = 1 or ts >= {DT} group by id, ts",
    ],
)
def test_what_one_relation_returns_as_it_is_shows_its_type(sql: str) -> None:
    assert set(evident(sql)) == {"timestamp"}


@pytest.mark.parametrize(
    "sql",
    [
        f"select id, cast(ts as date) as ts from shop.events where ts >= {DT}",
        f"select id, cast(x as timestamp) ts from shop.events where ts >= {DT}",
        f"select id, payload.ts from shop.events where ts >= {DT}",
        f"select a.id, ts from shop.events as a join shop.others as b where ts >= {DT}",
        f"select id, ts from shop.events, shop.others where ts >= {DT}",
        f"select id, ts from shop.events as e, shop.others where ts >= {DT}",
        f"select id, ts from shop.events where ts >= {DT} union all select 1, now()",
        f"select id, ts from shop.events lateral view explode(x) as y, ts where ts >= {DT}",
        f"select id, ts from shop.events where updated_at >= {DT}",
        f"select id, ts from shop.events where ts >= {DT} - interval 1 day",
        f"select id, ts from shop.events where ts >= {START}",
        f"select id, ts from shop.events where d >= {START}",
    ],
)
def test_anything_else_is_asked_for(sql: str) -> None:
    assert evident(sql) is None


def test_a_date_beside_a_time_column_of_dates_is_evident() -> None:
    assert evident(f"select id, d from shop.events where d >= {START}", column="d") == ["date"]
    assert evident(f"select id, ts, d from shop.events where d >= {START}", kind="incremental_unmanaged") == ["date"]


def part_of(plan: str, zone: str, sql: str, *, window: list[str] = WINDOW) -> tuple[str, list[str]]:
    """A hook for a window, with what the run says, where Spark prints such a plan."""
    said: list[str] = []

    def run_query(asked: str) -> Any:
        rows = (
            [(zone,)]
            if "current_timezone" in asked
            else [("== Analyzed Logical Plan ==",), (plan,), ("== Optimized Logical Plan ==",)]
        )
        return SimpleNamespace(rows=rows)

    def log(words: str, info: bool) -> str:
        said.append(words)
        return ""

    macros = Macros(run_query=run_query, log=log)
    (typed,) = macros.typed_parts({"model": "m", "unit": DAY, "kind": "full"}, "its hook", [sql], sql)
    return str(macros.substitute_window(typed, window, "2024-03-05T07:08:09")), said


FILTERED = (
    "Filter ((ts#1 >= cast(nullif(null, 7000) as timestamp)) AND (ts#1 <= cast(nullif(null, 7001) as timestamp)))"
)
BETWEEN = f"delete from log where ts between {START} and {END}"
WHOLE_DAY = "delete from log where ts between timestamp '2024-03-03 00:00:00+00:00' and timestamp '2024-03-03 23:59:59.999999+00:00'"


@pytest.mark.parametrize(
    ("zone", "between"),
    [
        ("America/New_York", WHOLE_DAY),
        ("UTC", "delete from log where ts between date '2024-03-03' and timestamp '2024-03-03 23:59:59.999999+00:00'"),
    ],
)
def test_a_hook_gets_bounds_of_the_type_that_they_are_compared_with(zone: str, between: str) -> None:
    assert part_of(FILTERED, zone, BETWEEN) == (between, [])


ONE = "Filter (ts#1 >= cast(nullif(null, 7000) as timestamp))"


@pytest.mark.parametrize(
    ("plan", "sql", "words"),
    [
        (ONE, f"delete from log where ts = {END}", "compares end_date with ts, a timestamp, which Spark would convert in the session's time zone, America/New_York, so that rows would be lost; write end_dt"),
        (ONE, "update log set a = 1 where ts <= /*kinds:execution_ds*/ '2024-03-03'", "compares execution_ds with ts, a timestamp"),
        ("Filter (s#1 = null)", "delete from log where s = /*kinds:start_dt*/ timestamp '2024-03-03 00:00:00+00:00'", "compares start_dt with s, a text"),
        ("Project [cast(1904-05-06 as timestamp) AS a#1]", f"insert into log values ({START})", "converts start_date in the session's time zone, America/New_York"),
    ],
)  # fmt: skip
def test_a_hook_that_is_right_in_utc_alone_is_refused_elsewhere(plan: str, sql: str, words: str) -> None:
    kept, said = part_of(plan, "UTC", sql)
    assert (re.sub("2024-03-05", "2024-03-03", kept).replace("07:08:09", "00:00:00"), said) == (
        re.sub(r"/\*.*?\*/ ", "", sql),
        [],
    )
    with pytest.raises(CompilerError) as refused:
        part_of(plan, "America/New_York", sql)
    assert f"dbt_kinds: model m: its hook {words}" in str(refused.value)


@pytest.mark.parametrize(
    ("plan", "sql"),
    [
        (ONE, f"merge into log as t using src as s on t.id = s.id when matched and t.ts >= {START} then delete"),
        (ONE, f"call system.expire_snapshots('log', {START})"),
        (ONE, f"-- delete\nalter table log drop partition (d < {START})"),
        ("org.apache.spark.sql.AnalysisException: [TABLE_OR_VIEW_NOT_FOUND] …", f"delete from log where ts >= {START}"),
    ],
)
def test_what_spark_does_not_tell_stays_as_it_is_and_is_said_outside_utc(plan: str, sql: str) -> None:
    kept = sql.replace("/*kinds:start_date*/ ", "")
    assert part_of(plan, "Etc/UTC", sql) == (kept, [])
    assert part_of(plan, "Europe/Berlin", sql) == (
        kept,
        [
            "dbt_kinds: m: Spark does not tell what its hook compares with start_date: left as written, in a session in Europe/Berlin; compare start_dt and end_dt with timestamps, start_date and end_date with dates"
        ],
    )


def test_seconds_since_1970_and_texts_without_variables_are_nothing_to_say() -> None:
    sql = "call system.f(/*kinds:start_epoch*/ 1709424000)"
    assert part_of(ONE, "Europe/Berlin", sql) == ("call system.f(1709424000)", [])
    macros = Macros()
    assert macros.typed_parts({}, "its hook", ["drop table x"], "drop table x") == ["drop table x"]


def test_the_bounds_of_several_texts_stay_with_their_texts() -> None:
    texts = [f"target.ts <= {END}", "true", f"(source.d >= {START} or source.n > {END})"]
    plan = "cast(nullif(null, 7000) as timestamp) (d#1 >= cast(nullif(null, 7001) as date)) (n#1 > cast(nullif(null, 7002) as timestamp_ntz))"
    rows = [("== Analyzed Logical Plan ==",), (plan,)]
    macros = Macros(run_query=lambda sql: SimpleNamespace(rows=[("UTC",)] if "zone" in sql else rows))
    typed = macros.typed_parts(
        {"model": "m", "unit": DAY}, "its merge_filter", texts, f"select {', '.join(texts)} from x"
    )
    assert [macros.substitute_window(text, WINDOW, "2024-03-05T07:08:09") for text in typed] == [
        "target.ts <= timestamp '2024-03-03 23:59:59.999999+00:00'",
        "true",
        "(source.d >= date '2024-03-03' or source.n > timestamp_ntz '2024-03-03 23:59:59.999999')",
    ]

"""The options of SCD type 2, what it refuses before anything is written, and the macros for readers of history."""

from __future__ import annotations

from datetime import datetime
from types import SimpleNamespace
from typing import Any

import pytest

from tests.unit.macros import CompilerError, Macros, node
from tests.unit.reference_scd2_runs import Batch, Run, Schedule
from tests.unit.test_plan_history import loaded, planned

MACROS = Macros(run_query=lambda sql: SimpleNamespace(rows=[("key", "int")]))
QUERY = [
    {"name": "id", "type": "int"},
    {"name": "price", "type": "decimal(10,2)"},
    {"name": "Updated_At", "type": "timestamp"},
]
MANAGED = [{"name": "valid_from", "type": "timestamp"}, {"name": "valid_to", "type": "timestamp"}]


def options_of(kind: str, **given: Any) -> dict[str, Any]:
    needed = {"unique_key": "id", **({"columns": "*"} if kind == "scd_type_2_by_column" else {})}
    options: dict[str, Any] = MACROS.options(node(kind=kind, **needed | given))
    return options


def write_spec(kind: str, query: list[dict[str, str]] = QUERY, existing: Any = None, **given: Any) -> dict[str, Any]:
    table = existing and {"columns": existing, "partitioning": [], "file_format": "parquet", "is_view": False}
    found: dict[str, Any] = MACROS.history_write_spec(options_of(kind, **given), query, table, "select 1")
    return found


def compared(write_spec: dict[str, Any]) -> list[str]:
    return [column["name"] for column in write_spec["compared"]]


def test_the_alias_is_by_time_and_history_is_protected() -> None:
    options = options_of("scd_type_2")
    assert options["kind"] == "scd_type_2_by_time"
    assert options["updated_at_name"] == "updated_at"
    assert options["disable_restatement"] is True
    assert options["traits"]["blocks_full_refresh"] is False
    assert options_of("scd_type_2", allow_partials=True)["allow_partials"] is False
    assert options_of("scd_type_2_by_column")["updated_at_name"] is None


@pytest.mark.parametrize(
    ("kind", "given", "message"),
    [
        ("scd_type_2_by_time", {"columns": ["price"]}, "option 'columns' belongs to scd_type_2_by_column"),
        ("scd_type_2_by_column", {"updated_at_as_valid_from": True}, "option 'updated_at_as_valid_from' belongs to"),
        ("scd_type_2_by_time", {"execution_time_as_valid_from": True}, "option 'execution_time_as_valid_from' belongs"),
        ("scd_type_2_by_time", {"lookback": 1}, "option 'lookback' belongs to"),
        ("scd_type_2_by_time", {"merge_filter": "true"}, "option 'merge_filter' belongs to"),
        (
            "scd_type_2_by_time",
            {"valid_form_name": "x"},
            "unknown option 'valid_form_name'; did you mean 'valid_from_name'?",
        ),
        ("scd_type_2_by_column", {"columns": None}, "columns is missing"),
        ("scd_type_2_by_column", {"columns": ["*", "a"]}, "columns holds '*', which is every column, and others"),
        ("scd_type_2_by_column", {"columns": {"a": 1}}, "is not a list of columns"),
        ("scd_type_2_by_column", {"duplicate_keys": "keep_latest"}, "keep_latest"),
        ("scd_type_2_by_time", {"unique_key": None}, "unique_key is missing"),
        ("scd_type_2_by_time", {"valid_from_name": "at", "valid_to_name": "AT"}, "are both 'at'"),
        ("scd_type_2_by_time", {"updated_at_name": "VALID_FROM"}, "'VALID_FROM' is written by this kind"),
        ("scd_type_2_by_time", {"time_data_type": "string"}, "is not one of timestamp, timestamp_ntz, date"),
    ],
)
def test_an_option_that_cannot_be_meant_is_refused(kind: str, given: dict[str, Any], message: str) -> None:
    with pytest.raises(CompilerError) as refused:
        options_of(kind, **given)
    assert message in str(refused.value)


def test_star_compares_all_but_the_key_and_what_dates_rows() -> None:
    columns = [*QUERY, {"name": "Name", "type": "string"}]
    assert compared(write_spec("scd_type_2_by_column", columns)) == ["price", "Updated_At", "Name"]
    dated = write_spec(
        "scd_type_2_by_column", columns, updated_at_name="updated_at", unique_key=["(ID)", "lower(name)"]
    )
    assert compared(dated) == ["price", "Name"]
    assert compared(write_spec("scd_type_2_by_column", columns, columns=["NAME"])) == ["Name"]


@pytest.mark.parametrize(
    ("kind", "arguments", "given", "message"),
    [
        ("scd_type_2", {"query": [*QUERY, {"name": "VALID_TO", "type": "date"}]}, {}, "the query has a column 'valid_to'"),
        ("scd_type_2", {"query": QUERY[:2]}, {}, "updated_at_name 'updated_at' is not a column of the query"),
        ("scd_type_2", {"query": [*QUERY[:2], {"name": "updated_at", "type": "string"}]}, {}, "must be a date or a timestamp"),
        ("scd_type_2", {"existing": [*QUERY[:2], {"name": "updated_at", "type": "string"}, *MANAGED]}, {}, "in the table, and must be a date or a timestamp"),
        ("scd_type_2", {"existing": QUERY}, {}, "has no column 'valid_from', which the option valid_from_name names"),
        ("scd_type_2_by_column", {}, {"columns": ["prize"]}, "columns names 'prize'"),
        ("scd_type_2_by_column", {"query": [*QUERY, {"name": "m", "type": "array<map<string,int>>"}]}, {}, "columns compares 'm'"),
    ],
)  # fmt: skip
def test_columns_that_do_not_fit_are_refused(
    kind: str, arguments: dict[str, Any], given: dict[str, Any], message: str
) -> None:
    with pytest.raises(CompilerError) as refused:
        write_spec(kind, **arguments, **given)
    assert message in str(refused.value)


# --- what a restatement takes back


def a_batch(day: int, hour: int = 6) -> Batch:
    return Batch(datetime(2024, 1, day - 1), datetime(2024, 1, day), datetime(2024, 1, day, hour))


def test_a_restatement_goes_back_to_the_last_batch_before_it() -> None:
    log: list[dict[str, Any]] = []
    for number, day in enumerate((2, 3, 4)):
        log.append(loaded(log, a_batch(day), snapshot_id=number + 10))
    schedule = Schedule(disable_restatement=False)
    run = Run(datetime(2024, 1, 5, 6), start=datetime(2024, 1, 3))
    assert planned(schedule, run, log)["restatement"] == {
        "from": "2024-01-03T00:00:00",
        "taken_back": ["2024-01-02T00:00:00", "2024-01-04T00:00:00"],
        "bound": "2024-01-03T00:00:00",
        "is_exact": True,
        "may_be_approximate": False,
        "snapshot_id": 10,
    }
    assert planned(schedule, run, log, kind="scd_type_2_by_time")["restatement"]["is_exact"] is False
    within_a_day = Run(datetime(2024, 1, 5, 6), start=datetime(2024, 1, 4, 12))
    log.append(loaded(log, a_batch(4, hour=18), snapshot_id=13))
    by_day = planned(schedule, within_a_day, log, time_data_type="date")["restatement"]
    assert (by_day["is_exact"], by_day["snapshot_id"]) == (False, 12)


# --- hard deletes of a query that sees a part


def seen(sql: str | None, raw_code: str = "", **given: Any) -> Any:
    model = node(kind="scd_type_2", unique_key="id", invalidate_hard_deletes=True, **given) | {"raw_code": raw_code}
    macros = Macros()
    return macros.check_deletes_are_seen(model, sql)


def test_a_query_that_reads_its_window_is_refused_beside_hard_deletes() -> None:
    for sql, raw_code in [
        ("select 1 where ds >= /*kinds:start_ds*/ '2024-01-01'", ""),
        ("select 1 where ds < /*kinds:source_end {\"a\": 1}*/ '2024-01-01'", ""),
        (None, "select 1 where ds >= {{ dbt_kinds.start_ds() }}"),
        (None, "select 1 from {{ dbt_kinds.window_of(ref('a'), 'ds') }}"),
    ]:
        with pytest.raises(CompilerError, match="hard_deletes_from_filtered_query"):
            seen(sql, raw_code)
        assert seen(sql, raw_code, batch_size=1) is None or seen(sql, raw_code, batch_size=1) == ""
        seen(sql, raw_code, hard_deletes_from_filtered_query="allow")
    seen("select 1 where at < /*kinds:execution_ts*/ '2024-01-01'", "")
    seen(None, "select start_ds(a) {# {{ dbt_kinds.start_ds() }} #}")


# --- for readers


def test_as_of_reads_a_text_in_utc_and_leaves_other_sql() -> None:
    written = MACROS.as_of("shop.prices", "2024-03-01T12:00+02:00")
    assert written == (
        "(select * from shop.prices where `valid_from` <= /*kinds:as_of*/ '2024-03-01 10:00:00+00:00' "
        "and (`valid_to` is null or `valid_to` > /*kinds:as_of*/ '2024-03-01 10:00:00+00:00'))"
    )
    # what the hash of a model has seen since as_of was there
    assert MACROS.symbolic_query(written) == written.replace("/*kinds:as_of*/ ", "timestamp ")
    assert "`a` <= o.ordered_at and (`b` is null" in MACROS.as_of("t", "o.ordered_at", valid_from="a", valid_to="b")
    assert MACROS.current("shop.prices") == "(select * from shop.prices where `valid_to` is null)"
    with pytest.raises(CompilerError, match="not a date"):
        Macros(node={"name": "report"}).as_of("t", "2024-13-01")


def test_the_rows_of_a_snapshot_get_the_names_of_the_model() -> None:
    columns = ["id", "price", "dbt_scd_id", "dbt_updated_at", "dbt_valid_from", "dbt_valid_to", "dbt_is_deleted"]
    table = {"columns": [{"name": name, "type": "timestamp"} for name in columns]}
    options = options_of("scd_type_2", valid_to_name="until")
    assert MACROS.adopted_history(options, table, "s.snapshot", "9999-12-31") == (
        "select `id`, `price`, `dbt_valid_from` as `valid_from`, "
        "nullif(`dbt_valid_to`, timestamp '9999-12-31 00:00:00+00:00') as `until` from (\nselect * from s.snapshot\n) "
        "where not coalesce(lower(cast(`dbt_is_deleted` as string)) = 'true', false)"
    )
    with pytest.raises(CompilerError, match="is not the table of a dbt snapshot"):
        MACROS.adopted_history(options, {"columns": table["columns"][:2]}, "s.snapshot")

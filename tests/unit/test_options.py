"""How a model's options are read: where from, what is an error, and what is none of our business."""

from __future__ import annotations

import copy
from datetime import date
from types import SimpleNamespace
from typing import Any

import pytest

from tests.unit.macros import CompilerError, Macros, node

MACROS = Macros()
COLUMN = {"time_column": "ordered_at"}


def written(
    meta: dict[str, Any] | None = None,
    top_level: dict[str, Any] | None = None,
    *,
    filled_in_by_dbt: dict[str, Any] | None = None,
    kind: str = "incremental_by_time_range",
) -> dict[str, Any]:
    """A node whose author wrote these options, in meta and in config() itself."""
    model = node(**(meta or {}))
    model["config"] |= {**(filled_in_by_dbt or {}), **(top_level or {}), "materialized": kind}
    model["unrendered_config"] |= top_level or {}
    return model


def read(model: dict[str, Any]) -> dict[str, Any]:
    options: dict[str, Any] = MACROS.options(model)
    return options


def refusal_of(model: dict[str, Any]) -> str:
    with pytest.raises(CompilerError) as refused:
        read(model)
    message = str(refused.value)
    assert message.startswith("dbt_kinds: model orders: ")
    return message.removeprefix("dbt_kinds: model orders: ")


# --- what is read


def test_a_model_needs_nothing_but_its_time_column() -> None:
    options = read(written(COLUMN))
    # what the kind is, which test_kinds.py knows
    assert options.pop("traits")
    assert options == {
        "model": "orders",
        "unique_id": "model.shop.orders",
        "relation": "shop.orders",
        "kind": "incremental_by_time_range",
        "cron": "@daily",
        "cron_schedule": MACROS.read_cron("orders", "cron", "@daily"),
        "cron_tz": "UTC",
        "unit": {"name": "day", "months": 0, "seconds": 86400, "origin": 0},
        "start": None,
        "end": None,
        "lookback": 0,
        "late_data": None,
        "ready_until": None,
        "on_missing_upstream": "load",
        "max_batches": None,
        "batch_size": None,
        "batch_concurrency": 1,
        "allow_partials": False,
        "disable_restatement": False,
        "auto_restatement": None,
        "on_query_change": "forward",
        "on_upstream_change": None,
        "on_destructive_change": "error",
        "on_additive_change": "allow",
        "time_column": {"column": "ordered_at", "format": None},
        "audits": [],
        "file_format": "parquet",
        "partition_by": [],
        "liquid_clustering": "",
        "partition_by_time_column": True,
    }


@pytest.mark.parametrize(
    ("option", "value", "read_as"),
    [
        ("start", "2024-01-31", "2024-01-31T00:00:00"),
        ("start", date(2024, 1, 31), "2024-01-31T00:00:00"),
        ("start", "2024-01-31T06:30+02:00", "2024-01-31T04:30:00"),
        ("end", "2024-01-31", "2024-01-31T00:00:00"),
        ("cron", "@hourly", "@hourly"),
        ("cron", "@Midnight", "@Midnight"),
        ("cron", "30 7 * * mon-fri", "30 7 * * mon-fri"),
        ("cron_tz", "Europe/Berlin", "Europe/Berlin"),
        ("on_query_change", "forward", "forward"),
        ("on_query_change", "Rebuild", "rebuild"),
        ("on_query_change", "error", "error"),
        ("on_upstream_change", "reprocess", "reprocess"),
        ("on_upstream_change", "ignore", "ignore"),
        ("lookback", 2, 2),
        ("lookback", "2", 2),
        ("lookback", 0, 0),
        ("batch_size", 3, 3),
        ("batch_size", "3", 3),
        ("allow_partials", True, True),
        ("allow_partials", "true", True),
        ("allow_partials", "False", False),
        ("disable_restatement", True, True),
        ("disable_restatement", False, False),
        ("partition_by_time_column", False, False),
        ("time_column", "Ordered_At", {"column": "Ordered_At", "format": None}),
        ("time_column", {"column": "ds"}, {"column": "ds", "format": None}),
        ("time_column", {"column": "ds", "format": "%Y%m%d"}, {"column": "ds", "format": "%Y%m%d"}),
    ],
)
@pytest.mark.parametrize("place", ["meta", "config"])
def test_an_option_is_read_from_meta_and_from_config(option: str, value: Any, read_as: Any, place: str) -> None:
    options = {**COLUMN, option: value}
    model = written(options) if place == "meta" else written({}, options)
    assert read(model)[option] == read_as


@pytest.mark.parametrize(
    ("options", "unit"),
    [
        ({}, "day"),
        ({"cron": "@hourly"}, "hour"),
        ({"cron": "@quarterly"}, "quarter"),
        ({"cron": "@weekly"}, "week"),
        ({"cron": "@weekly", "week_start": "Sunday"}, "week(sunday)"),
        ({"cron": "@daily", "week_start": "sunday"}, "day"),
        ({"cron": "@hourly", "interval_unit": "month"}, "month"),
        ({"cron": "30 7 * * *"}, "day"),
        ({"cron": "0 */6 * * *"}, "hour"),
        ({"cron": "30 7 * * mon", "week_start": "sunday"}, "week(sunday)"),
        ({"cron": "0 12 1 */3 *", "cron_tz": "Asia/Kolkata"}, "quarter"),
        ({"cron": "30 7 * * *", "interval_unit": "hour"}, "hour"),
        ({"cron": "* * * * *", "interval_unit": "hour"}, "hour"),
        ({"interval_unit": "2 weeks", "week_start": "monday"}, "2 weeks"),
        ({"interval_unit": "30 Minutes"}, "half_hour"),
    ],
)
def test_the_unit_is_the_one_named_else_that_of_the_cron(options: dict[str, Any], unit: str) -> None:
    assert read(written({**COLUMN, **options}))["unit"]["name"] == unit


def test_a_cron_is_read_once_and_kept_as_it_is_written() -> None:
    options = read(written({**COLUMN, "cron": "30 7 * * MON-fri"}))
    assert options["cron"] == "30 7 * * MON-fri"
    assert options["cron_schedule"] == MACROS.read_cron("orders", "cron", "30 7 * * MON-fri")
    assert (options["cron_schedule"]["hours"], options["cron_schedule"]["minutes"]) == ([7], [30])


@pytest.mark.parametrize(
    ("options", "cron", "intervals"),
    [
        ({"auto_restatement_cron": "@daily"}, "@daily", None),
        ({"auto_restatement_cron": "0 10 * * sun", "auto_restatement_intervals": 3}, "0 10 * * sun", 3),
        ({"auto_restatement_cron": "@weekly", "auto_restatement_intervals": "14"}, "@weekly", 14),
        ({"auto_restatement_cron": "* * * * *"}, "* * * * *", None),
    ],
)
@pytest.mark.parametrize("place", ["meta", "config"])
def test_automatic_restatement_has_a_schedule_and_a_number_of_units_or_none(
    options: dict[str, Any], cron: str, intervals: int | None, place: str
) -> None:
    options = {**COLUMN, **options}
    model = written(options) if place == "meta" else written({}, options)
    schedule = MACROS.read_cron("orders", "auto_restatement_cron", cron)
    assert read(model)["auto_restatement"] == {"schedule": schedule, "intervals": intervals}


@pytest.mark.parametrize("option", ["merge_update_columns", "merge_exclude_columns"])
@pytest.mark.parametrize("place", ["meta", "config"])
def test_the_columns_of_dbts_merge_may_stand_in_meta_too(place: str, option: str) -> None:
    given = {"unique_key": "id", option: ["N"]}
    kind = "incremental_by_unique_key"
    model = written(given, kind=kind) if place == "meta" else written({}, given, kind=kind)
    assert read(model)[option] == ["n"]


def test_meta_wins_over_the_top_level() -> None:
    model = written({**COLUMN, "lookback": 3, "batch_size": 2}, {"lookback": 5, "batch_size": 7, "cron": "@hourly"})
    options = read(model)
    assert (options["lookback"], options["batch_size"], options["cron"]) == (3, 2, "@hourly")


def test_the_lookback_that_dbt_fills_in_does_not_count() -> None:
    model = written(COLUMN)
    assert model["config"]["lookback"] == 1
    assert read(model)["lookback"] == 0


def test_the_same_lookback_counts_when_somebody_wrote_it() -> None:
    assert read(written(COLUMN, {"lookback": 1}))["lookback"] == 1


def test_whatever_dbt_fills_in_does_not_count() -> None:
    filled_in = {
        "batch_size": 9,
        "begin": "2020-01-01",
        "event_time": "x",
        "unique_key": None,
        "on_schema_change": "ignore",
    }
    options = read(written(COLUMN, filled_in_by_dbt=filled_in))
    assert (options["batch_size"], options["start"], options["time_column"]["column"]) == (None, None, "ordered_at")


def test_what_is_rendered_counts_and_not_its_source() -> None:
    model = written(COLUMN, {"lookback": 4})
    model["unrendered_config"]["lookback"] = "{{ var('days') }}"
    assert read(model)["lookback"] == 4


def test_none_is_as_good_as_unset() -> None:
    options = read(
        written({**COLUMN, "batch_size": None, "lookback": None, "start": None, "auto_restatement_cron": None})
    )
    assert (options["batch_size"], options["lookback"], options["start"]) == (None, 0, None)


@pytest.mark.parametrize("place", ["meta", "config"])
def test_begin_and_event_time_are_other_names_of_start_and_time_column(place: str) -> None:
    aliases = {"begin": "2024-01-02", "event_time": "paid_at"}
    options = read(written(aliases) if place == "meta" else written({}, aliases))
    assert options["start"] == "2024-01-02T00:00:00"
    assert options["time_column"] == {"column": "paid_at", "format": None}


def test_our_names_win_over_the_other_ones() -> None:
    aliases = {"begin": "2024-01-02", "event_time": "paid_at"}
    options = read(written({**COLUMN, "start": "2024-01-05"}, aliases))
    assert (options["start"], options["time_column"]["column"]) == ("2024-01-05T00:00:00", "ordered_at")


def test_reading_changes_nothing() -> None:
    model = written({**COLUMN, "lookback": "2"}, {"batch_size": 1})
    before = copy.deepcopy(model)
    read(model)
    assert model == before


@pytest.mark.parametrize(
    ("database", "schema", "alias", "key"),
    [
        (None, "Shop", "Orders", "shop.orders"),
        ("Lake", "Shop", "Orders", "lake.shop.orders"),
        ("", "shop", "orders", "shop.orders"),
    ],
)
def test_a_relation_is_named_as_addressed_without_quotes(
    database: str | None, schema: str, alias: str, key: str
) -> None:
    assert read({**written(COLUMN), "database": database, "schema": schema, "alias": alias})["relation"] == key


@pytest.mark.parametrize(
    ("adapter_type", "top_level", "file_format"),
    [
        ("spark", {}, "parquet"),
        ("databricks", {}, "delta"),
        ("spark", {"file_format": "iceberg"}, "iceberg"),
        ("databricks", {"file_format": "ICEBERG"}, "iceberg"),
        ("spark", {"file_format": "delta"}, "delta"),
        ("spark", {"file_format": "orc"}, "orc"),
    ],
)
def test_a_table_has_a_format_that_can_replace_a_range(
    adapter_type: str, top_level: dict[str, Any], file_format: str
) -> None:
    macros = Macros(adapter_type=adapter_type)
    assert macros.options(written(COLUMN, top_level))["file_format"] == file_format


@pytest.mark.parametrize(
    ("partition_by", "columns"),
    [
        (None, []),
        ([], []),
        ("ds", ["ds"]),
        (["ds", "region"], ["ds", "region"]),
        ("days(ordered_at)", ["days(ordered_at)"]),
    ],
)
def test_partition_by_is_a_list(partition_by: Any, columns: list[str]) -> None:
    assert read(written(COLUMN, {"partition_by": partition_by}))["partition_by"] == columns


# --- errors of values

NO_INSTANT = "is not a date (YYYY-MM-DD) or a datetime (YYYY-MM-DD HH:MM:SS)"
NO_ZONE = "is not a time zone name; write one such as Europe/Berlin"
NO_UNIT = (
    "is not a unit; write year, quarter, month, week, day, hour, half_hour, quarter_hour, five_minute or a count "
    "such as '6 hours' (minutes in steps of five)"
)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"start": "2024"}, f"start '2024' {NO_INSTANT}"),
        ({"begin": "last week"}, f"begin 'last week' {NO_INSTANT}"),
        ({"end": "2024-13-01"}, f"end '2024-13-01' {NO_INSTANT}"),
        ({"start": True}, f"start 'True' {NO_INSTANT}"),
        ({"lookback": -1}, "lookback '-1' is not a whole number of 0 or more"),
        ({"lookback": "two"}, "lookback 'two' is not a whole number of 0 or more"),
        ({"lookback": 1.0}, "lookback '1.0' is not a whole number of 0 or more"),
        ({"lookback": True}, "lookback 'True' is not a whole number of 0 or more"),
        ({"lookback": ""}, "lookback '' is not a whole number of 0 or more"),
        ({"batch_size": 0}, "batch_size '0' is not a whole number of 1 or more"),
        ({"batch_size": "daily"}, "batch_size 'daily' is not a whole number of 1 or more"),
        ({"batch_size": [1]}, "batch_size '[1]' is not a whole number of 1 or more"),
        ({"allow_partials": "yes"}, "allow_partials 'yes' is neither true nor false"),
        ({"allow_partials": 1}, "allow_partials '1' is neither true nor false"),
        ({"disable_restatement": "no"}, "disable_restatement 'no' is neither true nor false"),
        ({"partition_by_time_column": 0}, "partition_by_time_column '0' is neither true nor false"),
        ({"interval_unit": "7 minutes"}, f"interval_unit '7 minutes' {NO_UNIT}"),
        ({"interval_unit": "hourly"}, f"interval_unit 'hourly' {NO_UNIT}"),
        ({"week_start": "Tuesday"}, "week_start 'Tuesday' is neither monday nor sunday"),
        ({"week_start": 1}, "week_start '1' is neither monday nor sunday"),
        (
            {"start": "2024-02-01", "end": "2024-01-01"},
            "start 2024-02-01T00:00:00 is not before end 2024-01-01T00:00:00",
        ),
        (
            {"begin": "2024-02-01", "end": "2024-02-01"},
            "start 2024-02-01T00:00:00 is not before end 2024-02-01T00:00:00",
        ),
        (
            {"end": "2024-01-17", "interval_unit": "week"},
            "end 2024-01-17T00:00:00 is not a boundary of its interval unit; "
            "write 2024-01-15T00:00:00 or 2024-01-22T00:00:00, or set allow_partials: true",
        ),
        (
            {"time_column": {"name": "ds"}},
            "time_column '{'name': 'ds'}' is neither a name nor {'column': …, 'format': …}",
        ),
        (
            {"time_column": {"column": "ds", "fmt": "%Y"}},
            "time_column '{'column': 'ds', 'fmt': '%Y'}' is neither a name nor {'column': …, 'format': …}",
        ),
        ({"cron": "0 0 * *"}, "cron '0 0 * *' cannot be read: it has 4 fields, a cron has 5"),
        ({"cron": "@every_day"}, "cron '@every_day' cannot be read: it has 1 fields, a cron has 5"),
        ({"cron": 5}, "cron '5' cannot be read: it has 1 fields, a cron has 5"),
        ({"cron": "0 24 * * *"}, "cron '0 24 * * *' cannot be read: hour 24 is not between 0 and 23"),
        ({"cron": "0 0 31 feb *"}, "cron '0 0 31 feb *' cannot be read: it never fires"),
        ({"cron": "* * * * *"}, "cron '* * * * *' fires more often than every five minutes"),
        ({"cron_tz": "Europe/Atlantis"}, f"cron_tz 'Europe/Atlantis' {NO_ZONE}"),
        ({"cron_tz": "+02:00"}, f"cron_tz '+02:00' {NO_ZONE}"),
        ({"cron_tz": 2}, f"cron_tz '2' {NO_ZONE}"),
        (
            {"auto_restatement_cron": "0 0 * * * *"},
            "auto_restatement_cron '0 0 * * * *' cannot be read: it has 6 fields, a cron has 5",
        ),
        (
            {"auto_restatement_cron": "@daily", "auto_restatement_intervals": 0},
            "auto_restatement_intervals '0' is not a whole number of 1 or more",
        ),
        ({"auto_restatement_intervals": "all"}, "auto_restatement_intervals 'all' is not a whole number of 1 or more"),
        (
            {"auto_restatement_intervals": 3},
            "auto_restatement_intervals is how many intervals auto_restatement_cron reloads, and there is none; write when, as in auto_restatement_cron: '@weekly', or remove it",
        ),
        (
            {"lookback": {"minimum": 2}},
            "lookback.auto is not true, so late data is not detected; write lookback: 2, or auto: true",
        ),
        ({"on_query_change": "ignore"}, "on_query_change 'ignore' is not one of forward, rebuild, error"),
        ({"on_query_change": True}, "on_query_change 'True' is not one of forward, rebuild, error"),
        ({"on_upstream_change": "rebuild"}, "on_upstream_change 'rebuild' is not one of reprocess, ignore"),
        ({"on_upstream_change": False}, "on_upstream_change 'False' is not one of reprocess, ignore"),
        ({"time_column": ["ds"]}, "time_column '['ds']' is neither a name nor {'column': …, 'format': …}"),
    ],
)
@pytest.mark.parametrize("place", ["meta", "config"])
def test_a_value_that_cannot_be_meant_is_an_error(options: dict[str, Any], message: str, place: str) -> None:
    options = {**COLUMN, **options}
    assert refusal_of(written(options) if place == "meta" else written({}, options)) == message


def test_with_partials_any_end_will_do() -> None:
    options = read(written({**COLUMN, "end": "2024-01-17 06:30", "allow_partials": True}))
    assert options["end"] == "2024-01-17T06:30:00"


@pytest.mark.parametrize("options", [{}, {"time_column": None}])
def test_a_model_without_time_column_is_told_how_to_write_one(options: dict[str, Any]) -> None:
    assert refusal_of(written(options)) == (
        "time_column is missing; name the column of the query that says when a row happened, as in "
        "meta={'time_column': 'created_at'}"
    )


@pytest.mark.parametrize("file_format", ["text", "csv", "json", "hudi"])
def test_a_format_that_no_kind_writes_is_an_error(file_format: str) -> None:
    assert refusal_of(written(COLUMN, {"file_format": file_format})) == (
        f"file_format '{file_format}' is not one that the kinds write; write iceberg, delta, parquet or orc"
    )


# --- schema changes


@pytest.mark.parametrize(
    ("on_schema_change", "destructive", "additive"),
    [
        ("ignore", "ignore", "ignore"),
        ("fail", "error", "error"),
        ("append_new_columns", "ignore", "allow"),
        ("sync_all_columns", "allow", "allow"),
    ],
)
def test_dbts_on_schema_change_says_both_at_once(on_schema_change: str, destructive: str, additive: str) -> None:
    options = read(written(COLUMN, {"on_schema_change": on_schema_change}))
    assert (options["on_destructive_change"], options["on_additive_change"]) == (destructive, additive)


def test_an_option_of_ours_wins_over_on_schema_change() -> None:
    options = read(written({**COLUMN, "on_destructive_change": "warn"}, {"on_schema_change": "ignore"}))
    assert (options["on_destructive_change"], options["on_additive_change"]) == ("warn", "ignore")


def test_what_dbt_fills_in_is_not_what_somebody_wrote() -> None:
    options = read(written(COLUMN, filled_in_by_dbt={"on_schema_change": "ignore"}))
    assert (options["on_destructive_change"], options["on_additive_change"]) == ("error", "allow")


# --- keys and partitions

KEY = {"unique_key": "id"}


def keyed(**options: Any) -> dict[str, Any]:
    return written(options, kind="incremental_by_unique_key")


def test_a_model_by_key_needs_nothing_but_its_key() -> None:
    options = read(keyed(**KEY))
    assert (options["unique_key"], options["null_keys"], options["duplicate_keys"]) == (["id"], "error", "error")
    assert (options["update_only_changed"], options["insert_only"], options["time_column"]) == (True, False, None)


def test_with_when_matched_rows_are_not_compared() -> None:
    options = read(keyed(**KEY, when_matched="when matched then update set n = source.n"))
    assert options["update_only_changed"] is False


def test_dbts_incremental_predicates_are_a_merge_filter() -> None:
    model = written(
        KEY, {"incremental_predicates": ["DBT_INTERNAL_DEST.day > '2024-01-01'"]}, kind="incremental_by_unique_key"
    )
    assert read(model)["merge_filter"] == read(keyed(**KEY, merge_filter="target.day > '2024-01-01'"))["merge_filter"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({}, "unique_key is missing; name the columns"),
        ({**KEY, "null_keys": "ignore"}, "null_keys 'ignore' is not one of error, match"),
        ({**KEY, "duplicate_keys": "keep_latest"}, "duplicate_keys 'keep_latest' needs order_by"),
        ({**KEY, "order_by": "updated_at"}, "order_by decides between duplicate keys; set duplicate_keys: keep_latest"),
        ({**KEY, "order_by": 3, "duplicate_keys": "keep_latest"}, "order_by '3' is not a column or an SQL expression"),
        (
            {**KEY, "insert_only": True, "when_matched": "when matched then delete"},
            "when_matched says itself which rows",
        ),
        ({**KEY, "update_only_changed": True, "when_matched": "when matched then delete"}, "when_matched says itself"),
    ],
)
def test_options_of_a_key_that_contradict_each_other_are_an_error(options: dict[str, Any], message: str) -> None:
    assert refusal_of(keyed(**options)).startswith(message)


@pytest.mark.parametrize("options", [{}, {"insert_overwrite": True}])
def test_partitions_cannot_be_replaced_where_there_are_none(options: dict[str, Any]) -> None:
    kind = "incremental_unmanaged" if options else "incremental_by_partition"
    assert "partition_by names none" in refusal_of(written(options, kind=kind))


def test_what_only_appends_is_protected_from_restatement() -> None:
    assert read(written({}, kind="incremental_unmanaged"))["disable_restatement"] is True


# --- names


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("look_back", "lookback"),
        ("look-back", "lookback"),
        ("Lookback", "lookback"),
        ("lokback", "lookback"),
        ("lookbacks", "lookback"),
        ("batchsize", "batch_size"),
        ("batch-size", "batch_size"),
        ("BATCH_SIZE", "batch_size"),
        ("batch_sise", "batch_size"),
        ("time_colum", "time_column"),
        ("timeColumn", "time_column"),
        ("time_columns", "time_column"),
        ("intervall_unit", "interval_unit"),
        ("interval_units", "interval_unit"),
        ("allow_partial", "allow_partials"),
        ("disable_restatment", "disable_restatement"),
        ("weekstart", "week_start"),
        ("crontz", "cron_tz"),
        ("Cron", "cron"),
        ("START", "start"),
        ("End", "end"),
        ("eventtime", "event_time"),
        ("on_query_changed", "on_query_change"),
        ("partition_by_timecolumn", "partition_by_time_column"),
        ("auto_restatement_interval", "auto_restatement_intervals"),
        ("uniquekey", "unique_key"),
    ],
)
@pytest.mark.parametrize("place", ["meta", "config"])
def test_a_name_that_was_meant_to_be_an_option_is_an_error(name: str, meant: str, place: str) -> None:
    model = written({**COLUMN, name: 1}) if place == "meta" else written(COLUMN, {name: 1})
    assert refusal_of(model) == f"unknown option '{name}'; did you mean '{meant}'?"


@pytest.mark.parametrize(
    "name",
    [
        *("owner", "owners", "tags", "pii", "origin", "domain", "team", "sla", "tier", "contact", "priority"),
        *("frequency", "freshness", "granularity", "retention_days", "source_system", "dagster", "elementary"),
        *("started", "ending", "backfill", "back", "look", "batch", "unit", "interval", "column", "time", "event"),
        *("key", "order", "partition", "valid_from", "", "_", "x"),
    ],
)
def test_keys_of_other_people_are_left_alone(name: str) -> None:
    assert read(written({**COLUMN, name: {"anything": ["at", "all"]}})) == read(written(COLUMN))


@pytest.mark.parametrize(
    "name",
    [
        *("alias", "schema", "database", "enabled", "tags", "meta", "group", "access", "contract", "docs", "grants"),
        *("persist_docs", "pre_hook", "post_hook", "pre-hook", "post-hook", "quoting", "column_types", "full_refresh"),
        *("on_configuration_change", "incremental_strategy", "incremental_predicates", "packages"),
        *("concurrent_batches", "location_root", "clustered_by", "buckets", "tblproperties", "options", "sql_header"),
        *("freshness", "static_analysis", "merge_update_columns", "merge_exclude_columns", "server_side_parameters"),
        *("databricks_tags", "query_tags", "unique_tmp_table_suffix"),
    ],
)
def test_configs_of_dbt_and_its_adapters_are_left_alone(name: str) -> None:
    model = written(COLUMN)
    model["unrendered_config"][name] = model["config"][name] = model["config"].get(name, "anything")
    assert read(model) == read(written(COLUMN))


@pytest.mark.parametrize(
    ("option", "kinds"),
    [
        (
            "unique_key",
            "incremental_by_unique_key, scd_type_2, scd_type_2_by_time, scd_type_2_by_column, cumulative_aggregate",
        ),
        ("combine", "cumulative_aggregate"),
        ("when_matched", "incremental_by_unique_key"),
        ("merge_filter", "incremental_by_unique_key"),
        ("insert_only", "incremental_by_unique_key"),
        ("insert_overwrite", "incremental_unmanaged"),
        ("skip_unchanged", "full"),
        ("valid_from_name", "scd_type_2, scd_type_2_by_time, scd_type_2_by_column"),
        ("columns", "scd_type_2_by_column, events"),
        ("updated_at_as_valid_from", "scd_type_2, scd_type_2_by_time"),
    ],
)
@pytest.mark.parametrize("place", ["meta", "config"])
def test_an_option_of_another_kind_is_an_error(option: str, kinds: str, place: str) -> None:
    model = written({**COLUMN, option: "id"}) if place == "meta" else written(COLUMN, {option: "id"})
    assert refusal_of(model) == (
        f"option '{option}' belongs to {kinds}; remove it from this incremental_by_time_range model"
    )


def test_delta_does_not_partition_by_an_expression() -> None:
    model = written(COLUMN, {"file_format": "delta", "partition_by": ["days(ordered_at)"]})
    assert refusal_of(model).startswith(
        "partition_by 'days(ordered_at)' is an expression, and Delta partitions by columns only"
    )
    assert read(written(COLUMN, {"file_format": "iceberg", "partition_by": ["days(ordered_at)"]}))["partition_by"] == [
        "days(ordered_at)"
    ]


@pytest.mark.parametrize(
    ("adapter", "config", "clause"),
    [
        ("spark", {"liquid_clustered_by": "day"}, "cluster by (`day`)"),
        ("databricks", {"liquid_clustered_by": ["day", "my region"]}, "cluster by (`day`, `my region`)"),
        ("databricks", {"auto_liquid_cluster": True}, "cluster by auto"),
    ],
)
def test_delta_tables_are_clustered_as_dbt_databricks_does(adapter: str, config: dict[str, Any], clause: str) -> None:
    macros = Macros(adapter_type=adapter)
    options = macros.options(written(COLUMN, {"file_format": "delta", **config}))
    assert options["liquid_clustering"] == clause
    assert macros.time_partitioning(options, "day", {"step": None, "strftime": None, "write": "date"}) == []


@pytest.mark.parametrize(
    ("config", "message"),
    [
        ({"file_format": "iceberg", "liquid_clustered_by": "day"}, "clusters Delta tables, and this one is iceberg"),
        (
            {"file_format": "delta", "liquid_clustered_by": "day", "partition_by": "day"},
            "clusters a table or partitions it",
        ),
        ({"file_format": "delta", "auto_liquid_cluster": True}, "name them in liquid_clustered_by"),
    ],
)
def test_what_cannot_be_clustered_is_refused(config: dict[str, Any], message: str) -> None:
    assert message in refusal_of(written(COLUMN, config))


@pytest.mark.parametrize(
    ("kind", "is_refused"), [("full", True), ("incremental_by_time_range", True), ("incremental_unmanaged", False)]
)
def test_a_kind_that_replaces_rows_takes_no_table_that_is_only_appended_to(kind: str, is_refused: bool) -> None:
    meta = COLUMN if kind == "incremental_by_time_range" else {}
    model = written(meta, {"file_format": "delta", "tblproperties": {"delta.appendOnly": "true"}}, kind=kind)
    if is_refused:
        assert refusal_of(model).startswith(f"tblproperties makes the table delta.appendOnly, and {kind} replaces rows")
    else:
        assert read(model)["file_format"] == "delta"


@pytest.mark.parametrize("option", ["time_column", "partition_by_time_column", "lookback", "batch_size"])
def test_options_of_time_ranges_are_errors_elsewhere(option: str) -> None:
    message = refusal_of(written({option: 1}, kind="full"))
    assert message.startswith(f"option '{option}' belongs to incremental_by_time_range")
    assert message.endswith("; remove it from this full model")


# --- what was asked of the run


def settings(full_refresh: bool = False, **variables: Any) -> dict[str, Any]:
    macros = Macros(variables={f"kinds_{name}": value for name, value in variables.items()})
    read_settings: dict[str, Any] = macros.run_settings("orders", full_refresh)
    return read_settings


def test_a_run_that_asks_for_nothing_has_the_clock_alone() -> None:
    assert settings() == {
        "execution_time": "2024-01-10T08:00:00",
        "start": None,
        "end": None,
        "ignore_cron": False,
        "allow_full_restatement": False,
        "allow_approximate_restatement": False,
        "batch_size": None,
        "backbuild": False,
        "require_safety": False,
        "ignore_skip": False,
        "skip_audits": False,
        "full_refresh": False,
    }


def test_variables_come_as_text_from_the_command_line_too() -> None:
    asked = settings(
        execution_time="2024-02-01", start="2024-01-01", end="2024-01-02", ignore_cron="true", batch_size="3"
    )
    assert asked == {
        "execution_time": "2024-02-01T00:00:00",
        "start": "2024-01-01T00:00:00",
        "end": "2024-01-02T00:00:00",
        "ignore_cron": True,
        "allow_full_restatement": False,
        "allow_approximate_restatement": False,
        "batch_size": 3,
        "backbuild": False,
        "require_safety": False,
        "ignore_skip": False,
        "skip_audits": False,
        "full_refresh": False,
    }


def test_what_a_unit_test_overrides_is_for_that_test_alone() -> None:
    """On dbt 2.0 it shares the memory of the run."""
    variables = {"kinds_execution_time": "2024-02-01"}
    macros = Macros(variables=variables)
    of_the_run = macros.run_settings("orders")
    assert macros.run_settings("orders") is of_the_run
    variables["kinds_execution_time"] = "2024-01-03"
    assert macros.run_settings("orders")["execution_time"] == "2024-01-03T00:00:00"
    variables["kinds_execution_time"] = "2024-02-01"
    assert macros.run_settings("orders") is of_the_run


@pytest.mark.parametrize(
    ("variable", "value", "message"),
    [
        ("execution_time", "now", f"kinds_execution_time 'now' {NO_INSTANT}"),
        ("start", "2024-02-30", f"kinds_start '2024-02-30' {NO_INSTANT}"),
        ("end", "tomorrow", f"kinds_end 'tomorrow' {NO_INSTANT}"),
        ("batch_size", 0, "kinds_batch_size '0' is not a whole number of 1 or more"),
        ("batch_size", "all", "kinds_batch_size 'all' is not a whole number of 1 or more"),
        ("ignore_cron", "yes", "kinds_ignore_cron 'yes' is neither true nor false"),
    ],
)
def test_a_variable_that_cannot_be_meant_is_an_error(variable: str, value: Any, message: str) -> None:
    with pytest.raises(CompilerError) as refused:
        settings(**{variable: value})
    assert str(refused.value) == f"dbt_kinds: model orders: {message}"


# the fields in which another node differs from a model whose table is shop.orders
OTHER_NODES: dict[str, tuple[dict[str, Any], bool]] = {
    "a kind": ({"alias": "ORDERS", "schema": "shop"}, True),
    "a table": ({"config": {"materialized": "table"}}, True),
    "a view": ({"config": {"materialized": "view"}}, True),
    "a seed": ({"resource_type": "seed", "config": {"materialized": "seed"}}, True),
    "a snapshot": ({"resource_type": "snapshot", "config": {"materialized": "snapshot"}}, True),
    "a database, which dbt-spark ignores": ({"database": "other"}, True),
    "another schema": ({"schema": "shop_b"}, False),
    "another name": ({"alias": "orders_b"}, False),
    "an ephemeral model": ({"config": {"materialized": "ephemeral"}}, False),
    "a disabled model": ({"config": {"materialized": "table", "enabled": False}}, False),
    "a test": ({"resource_type": "test", "config": {"materialized": "test"}}, False),
}


@pytest.mark.parametrize("case", OTHER_NODES)
def test_a_table_belongs_to_one_model(case: str) -> None:
    fields, is_refused = OTHER_NODES[case]
    model = written(COLUMN) | {"resource_type": "model"}
    other = node("others") | {"alias": "Orders", "resource_type": "model"} | fields
    macros = Macros(graph={"nodes": {one["unique_id"]: one for one in (model, other)}})
    if not is_refused:
        macros.options(model)
        return
    with pytest.raises(CompilerError) as refused:
        macros.options(model)
    assert str(refused.value) == (
        f"dbt_kinds: model orders: alias 'orders' and '{other['alias']}', that of the {other['resource_type']} others, "
        "name one table, because letter case does not count; give one of the two another alias, as in config(alias='orders_2')"
    )


@pytest.mark.parametrize("adapter_type", ["spark", "databricks"])
def test_kinds_run_on_spark_and_databricks(adapter_type: str) -> None:
    Macros(adapter_type=adapter_type).check_adapter("orders")


@pytest.mark.parametrize("adapter_type", ["duckdb", "postgres", "snowflake"])
def test_kinds_refuse_another_adapter(adapter_type: str) -> None:
    with pytest.raises(CompilerError, match=f"this target is {adapter_type}; run it on a spark or databricks target"):
        Macros(adapter_type=adapter_type).check_adapter("orders")


@pytest.mark.parametrize(
    ("adapter_type", "method", "said"),
    [
        (
            "glue",
            None,
            "which puts a statement between quotes of Python, where backslashes are escapes, and sends it again if the answer is lost",
        ),
        (
            "fabricspark",
            "livy",
            "which cuts what looks like a comment out of strings and paths, and sends it again if the answer is lost",
        ),
        ("fabricspark", "session", "in whose sessions the kinds have not been tested"),
    ],
)
def test_another_adapter_of_spark_is_refused_with_what_it_does_to_statements(
    adapter_type: str, method: str | None, said: str
) -> None:
    config = SimpleNamespace(credentials=SimpleNamespace(method=method))
    with pytest.raises(CompilerError) as refused:
        Macros(adapter=SimpleNamespace(type=lambda: adapter_type, config=config)).check_adapter("orders")
    assert str(refused.value) == (
        f"dbt_kinds: model orders: the kinds of dbt_kinds write Spark SQL, and this target is {adapter_type}, {said}; "
        "run it on a spark or databricks target, or set materialized to one of that adapter"
    )


def test_an_operation_writes_no_records_where_no_kind_runs() -> None:
    said = "the interval store: the kinds of dbt_kinds write Spark SQL, and this target is glue"
    with pytest.raises(CompilerError, match=said):
        Macros(adapter_type="glue").append_events({"relation": "shop.orders"}, [{"event": "loaded"}])


def test_a_batch_size_of_microbatch_is_told_what_to_write() -> None:
    refused = refusal_of(written({**COLUMN, "batch_size": "day"}))
    assert refused.startswith(
        "batch_size 'day' is not a whole number of 1 or more; it is the length of a batch in dbt's microbatch: write"
    )
    assert "interval_unit: day instead" in refused


@pytest.mark.parametrize("data_type", ["varchar(3)", "CHAR(2)", "array<varchar(3)>", "struct<a: character(1)>"])
def test_a_type_that_no_file_is_read_into_is_refused(data_type: str) -> None:
    columns = [{"name": "id", "data_type": data_type}]
    events = written({"columns": columns, "landing": {"path": "/in"}}, kind="events")
    assert refusal_of(events).endswith(
        f"the column id is of type {data_type}, which cannot be read from a file; declare it as string"
    )
    read(written({"columns": columns, "landing": {"table": "raw.inbox"}}, kind="events"))

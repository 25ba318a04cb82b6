"""MODEL blocks: what each kind and property becomes, and what is refused."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from dbt_kinds.readers.names import node_names
from dbt_kinds.writers.jinja import rendered
from tests.unit.compiling import CONFIG, read, written_files
from tests.unit.macros import Macros

QUERY = "\nSELECT id, name, ds, price, updated_at FROM raw.t WHERE ds BETWEEN @start_ds AND @end_ds"
PLAIN = "\nSELECT id, name, ds, price, updated_at FROM raw.t"


def options(block: str, query: str = QUERY, **how: Any) -> tuple[str, dict[str, Any]]:
    compiled = read(f"MODEL (name db.m, {block});{query}", **how)
    assert compiled.model is not None, compiled.notes
    return compiled.model.kind.value, compiled.model.options


TIME_RANGE = "incremental_by_time_range"
KINDS: list[tuple[str, str, dict[str, Any]]] = [
    ("kind VIEW", "view", {}),
    ("kind FULL", "full", {}),
    ("kind EMBEDDED", "ephemeral", {}),
    ("kind INCREMENTAL_BY_TIME_RANGE (time_column ds)", TIME_RANGE, {"time_column": "ds", "on_query_change": "rebuild"}),
    ("kind INCREMENTAL_BY_TIME_RANGE (time_column ds, forward_only true)", TIME_RANGE, {"time_column": "ds"}),
    ("KIND incremental_by_time_range (TIME_COLUMN ds, Forward_Only TRUE,)", TIME_RANGE, {"time_column": "ds"}),
    ("kind INCREMENTAL_BY_TIME_RANGE (time_column (ds, '%Y%m%d'), forward_only true)", TIME_RANGE, {"time_column": {"column": "ds", "format": "yyyyMMdd"}}),
    *(
        (f"dialect {dialect}, kind INCREMENTAL_BY_TIME_RANGE (time_column (ds, '{written}'), forward_only true)", TIME_RANGE, {"time_column": {"column": "ds", "format": spark}})
        for dialect, written, spark in (
            ("spark", "YYYY-MM-dd", "yyyy-MM-dd"),
            ("spark", "yyyyMMddHH", "yyyyMMddHH"),
            ("spark", "yyyy-MM-dd''T''HH", "yyyy-MM-dd'T'HH"),
            ("duckdb", "%Y-%m-%dT%H", "yyyy-MM-dd'T'HH"),
            ("duckdb", "%F %T", "yyyy-MM-dd HH:mm:ss"),
            ("postgres", "YYYY-MM-DD HH24:MI:SS", "yyyy-MM-dd HH:mm:ss"),
            ("snowflake", "YYYY-MM-DD", "yyyy-MM-dd"),
        )
    ),
    ("kind INCREMENTAL_BY_TIME_RANGE (time_column ds, lookback 2, batch_size 30, forward_only true, partition_by_time_column false)", TIME_RANGE, {"time_column": "ds", "lookback": 2, "batch_size": 30, "partition_by_time_column": False}),
    ("kind INCREMENTAL_BY_TIME_RANGE (time_column ds, forward_only true, on_destructive_change allow, disable_restatement true)", TIME_RANGE, {"time_column": "ds", "on_destructive_change": "allow", "disable_restatement": True}),
    ("kind INCREMENTAL_BY_TIME_RANGE (time_column ds, forward_only true, auto_restatement_cron '@weekly', auto_restatement_intervals 7)", TIME_RANGE, {"time_column": "ds", "auto_restatement_cron": "@weekly", "auto_restatement_intervals": 7}),
    ("kind INCREMENTAL_BY_TIME_RANGE (time_column ds, forward_only true, auto_restatement_intervals 7)", TIME_RANGE, {"time_column": "ds"}),
    ("kind INCREMENTAL_BY_UNIQUE_KEY (unique_key id)", "incremental_by_unique_key", {"unique_key": ["id"], "on_query_change": "rebuild"}),
    ("kind INCREMENTAL_BY_UNIQUE_KEY (unique_key (id, COALESCE(\"name\", '')), forward_only true)", "incremental_by_unique_key", {"unique_key": ["id", "COALESCE(`name`, '')"]}),
    (
        "kind INCREMENTAL_BY_UNIQUE_KEY (unique_key id, forward_only true, when_matched WHEN MATCHED AND source.price IS NULL THEN DELETE WHEN MATCHED THEN UPDATE SET target.price = source.price, target.name = source.name, merge_filter source.price > 0)",
        "incremental_by_unique_key",
        {"unique_key": ["id"], "when_matched": ["WHEN MATCHED AND source.price IS NULL THEN DELETE", "WHEN MATCHED THEN UPDATE SET target.price = source.price, target.name = source.name"], "merge_filter": "source.price > 0"},
    ),
    ("kind INCREMENTAL_BY_PARTITION, partitioned_by ARRAY[name, ds]", "incremental_by_partition", {}),
    ("kind INCREMENTAL_UNMANAGED", "incremental_unmanaged", {}),
    ("kind INCREMENTAL_UNMANAGED (insert_overwrite true), partitioned_by ds", "incremental_by_partition", {"disable_restatement": True}),
    ("kind SCD_TYPE_2 (unique_key id)", "scd_type_2_by_time", {"unique_key": ["id"]}),
    ("kind SCD_TYPE_2_BY_TIME (unique_key [id, name], updated_at_name ds, updated_at_as_valid_from true, invalidate_hard_deletes true)", "scd_type_2_by_time", {"unique_key": ["id", "name"], "updated_at_name": "ds", "updated_at_as_valid_from": True, "invalidate_hard_deletes": True}),
    ("kind SCD_TYPE_2_BY_COLUMN (unique_key id, columns *, time_data_type TIMESTAMPTZ)", "scd_type_2_by_column", {"unique_key": ["id"], "columns": "*", "time_data_type": "timestamp"}),
    ("kind SCD_TYPE_2_BY_COLUMN (unique_key id, columns [name, price], batch_size 1, disable_restatement false)", "scd_type_2_by_column", {"unique_key": ["id"], "columns": ["name", "price"], "batch_size": 1, "disable_restatement": False}),
]  # fmt: skip


@pytest.mark.parametrize(("block", "kind", "meta"), KINDS)
def test_kind_becomes(block: str, kind: str, meta: dict[str, Any]) -> None:
    query = PLAIN if kind in ("view", "full", "ephemeral") else QUERY
    assert options(block, query) == (kind, meta)


def test_every_option_is_one_that_the_kinds_of_the_package_take() -> None:
    known = Macros().option_table()
    for _, kind, meta in KINDS:
        for option in meta:
            assert known[option]["kinds"] == "any" or kind in known[option]["kinds"], (kind, option)


def test_kind_is_a_view_by_default() -> None:
    assert options("cron '@daily'", PLAIN)[0] == "view"
    assert options("cron '@daily'", PLAIN, config="  kind: FULL\n")[0] == "full"


def test_materialized_views_are_databricks_only() -> None:
    for block in ("kind VIEW (materialized true)", "kind MANAGED"):
        assert options(block, PLAIN, adapter="databricks")[0] == "materialized_view"
    assert read(f"MODEL (name db.m, kind VIEW (materialized true));{PLAIN}").refusal == "NoMaterializedViews:1"
    assert read(f"MODEL (name db.m, kind MANAGED);{PLAIN}").refusal == "NoManagedTables:1"


META = [
    ("cron '@midnight'", {"cron": "@daily"}),
    ("cron '0 5 * * 1'", {"cron": "0 5 * * 1"}),
    ("cron '@hourly', cron_tz 'America/Los_Angeles'", {"cron": "@hourly", "cron_tz": "America/Los_Angeles"}),
    ("interval_unit 'hour', allow_partials true", {"interval_unit": "hour", "allow_partials": True}),
    ("start '2024-02-01'", {"start": "2024-02-01"}),
    ("start 20240201", {"start": "2024-02-01"}),
    ("start 1706745600000", {"start": "2024-02-01"}),
    ("start '1 week ago'", {}),
    ("cron '0 5 * * 3#1'", {"cron": "0 5 * * 3#1"}),
    ("start '2024-02-01', end '2024-02-29'", {"start": "2024-02-01", "end": "2024-03-01"}),
    ("end '2024-02-29 12:00:00'", {"end": "2024-02-29 12:00:00"}),
    ("start '2024-01-01'", {}),
]  # fmt: skip


@pytest.mark.parametrize(("block", "meta"), META)
def test_property_becomes_meta(block: str, meta: dict[str, Any]) -> None:
    assert options(f"kind VIEW, {block}", PLAIN)[1] == meta


SETTINGS = [
    ("tags (a, 'b c')", {"tags": ["a", "b c"]}),
    ("tags a", {"tags": ["a"]}),
    ("partitioned_by name", {"partition_by": ["name"]}),
    ("partitioned_by (name, ds)", {"partition_by": ["name", "ds"]}),
    ("table_format iceberg, partitioned_by (days(ds), bucket(4, id))", {"file_format": "iceberg", "partition_by": ["days(ds)", "bucket(4, id)"]}),
    ("dialect bigquery, partitioned_by DATE(ds)", {"file_format": "iceberg", "partition_by": ["days(ds)"]}),
    ("dialect bigquery, partitioned_by (TIMESTAMP_TRUNC(ds, MONTH), id)", {"file_format": "iceberg", "partition_by": ["months(ds)", "id"]}),
    ("dialect bigquery, partitioned_by EXTRACT(YEAR FROM ds)", {"file_format": "iceberg", "partition_by": ["years(ds)"]}),
    ("dialect clickhouse, partitioned_by toYYYYMM(ds)", {"file_format": "iceberg", "partition_by": ["months(ds)"]}),
    ("table_format ICEBERG, partitioned_by (MONTH(ds))", {"file_format": "iceberg", "partition_by": ["months(ds)"]}),
    ("storage_format parquet", {"file_format": "parquet"}),
    ("table_format iceberg, storage_format orc", {"file_format": "iceberg", "tblproperties": {"write.format.default": "orc"}}),
    ("physical_properties (a = 'x', creatable_type = TRANSIENT, 'b.c' = 2)", {"tblproperties": {"a": "x", "b.c": 2}}),
    ("grants (select = ['x', 'y'])", {"grants": {"select": ["x", "y"]}}),
    ("owner 'Data Team'", {"group": "data_team"}),
    ("clustered_by id", {}),
]  # fmt: skip


@pytest.mark.parametrize(("block", "settings"), SETTINGS)
def test_property_becomes_config(block: str, settings: dict[str, Any]) -> None:
    compiled = read(f"MODEL (name db.m, kind FULL, {block});{PLAIN}")
    assert compiled.model is not None, compiled.notes
    assert compiled.model.settings == settings


def test_time_column_comes_before_other_partitions() -> None:
    block = "MODEL (name db.m, kind INCREMENTAL_BY_TIME_RANGE (time_column ds{}), partitioned_by {});"
    for more, partitions, expected in (
        ("", "name", ["ds", "name"]),
        ("", "(name, ds)", ["name", "ds"]),
        (", partition_by_time_column false", "name", ["name"]),
    ):
        model = read(block.format(more, partitions) + QUERY).model
        assert model is not None and model.settings["partition_by"] == expected


REFUSED = [
    ("MODEL (kind FULL);", "MissingName:1"),
    ("MODEL (name db.@end_ds, kind FULL);", "MissingName:1"),
    ("MODEL (name db.m, kind FUL);", "UnknownKind:1"),
    ("MODEL (\n  name db.m,\n  ownr x\n);", "UnknownModelProperty:3"),
    ("MODEL (name db.m, kind FULL (lookback 1));", "UnknownKindProperty:1"),
    ("MODEL (name db.m, kind INCREMENTAL_BY_TIME_RANGE);", "MissingKindProperty:1"),
    ("MODEL (name db.m, kind INCREMENTAL_BY_TIME_RANGE (\n time_column ds,\n lookback 0));", "BadPropertyValue:3"),
    ("MODEL (name db.m, kind INCREMENTAL_BY_TIME_RANGE (time_column elsewhere));", "TimeColumnMissing:1"),
    ("MODEL (name db.m, kind INCREMENTAL_BY_UNIQUE_KEY (unique_key id, batch_concurrency 2));", "BadPropertyValue:1"),
    ("MODEL (name db.m, kind INCREMENTAL_BY_PARTITION);", "BadPropertyValue:1"),
    ("MODEL (name db.m, kind INCREMENTAL_BY_PARTITION (forward_only true), partitioned_by id);", "UnknownKindProperty:1"),
    ("MODEL (name db.m, kind INCREMENTAL_UNMANAGED (lookback 1));", "UnknownKindProperty:1"),
    ("MODEL (name db.m, kind CUSTOM (materialization 'x'));", "CustomMaterialization:1"),
    ("MODEL (name db.m, name db.n);", "DuplicateProperty:1"),
    ("MODEL (name db.m, kind INCREMENTAL_UNMANAGED, audits (not_null(columns := id)), assertions (not_null(columns := id)));", "DuplicateProperty:1"),
    ("MODEL (name db.m, kind FULL, storage_format parquet, partitioned_by (days(ds)));", "UnsupportedPartition:1"),
    ("MODEL (name db.m, dialect bigquery, kind FULL, partitioned_by _PARTITIONDATE);", "UnsupportedPartition:1"),
    ("MODEL (name db.m, kind INCREMENTAL_BY_TIME_RANGE (\n time_column (ds, 'YYYYMMDD')));", "BadPropertyValue:2"),
    ("MODEL (name db.m, kind INCREMENTAL_BY_TIME_RANGE (\n time_column (ds, '%d/%m/%Y')));", "BadPropertyValue:2"),
    ("MODEL (name db.m, dialect spark, kind INCREMENTAL_BY_TIME_RANGE (time_column (ds, 'YYYY-MM-DD')));", "BadPropertyValue:1"),
    ("MODEL (name db.m, kind FULL, partitioned_by (LOWER(name)));", "UnsupportedPartition:1"),
    ("MODEL (name db.m, cron 'often');", "BadPropertyValue:1"),
    ("MODEL (name db.m, cron '0 24 * * *');", "BadPropertyValue:1"),
    ("MODEL (name db.m, cron '0 0 L * *');", "BadPropertyValue:1"),
    ("MODEL (name db.m, interval_unit fortnight);", "BadPropertyValue:1"),
    ("MODEL (name db.m, kind INCREMENTAL_BY_TIME_RANGE (time_column ds,\n auto_restatement_cron '0 0 30 2 *'));", "BadPropertyValue:2"),
    ("MODEL (name db.m, allow_partials perhaps);", "BadPropertyValue:1"),
    ("MODEL (name db.m, start 'whenever');", "BadPropertyValue:1"),
    ("MODEL (name db.m, dialect klingon);", "MissingDialect:1"),
    ("MODEL (name db.m, kind INCREMENTAL_UNMANAGED, audits (no_such_audit));", "UnknownAudit:1"),
    ("MODEL (name db.m, kind INCREMENTAL_UNMANAGED, audits (not_null));", "AuditArgument:1"),
    ("MODEL (name db.m, kind INCREMENTAL_UNMANAGED, audits (forall(criteria := (id > 0), level := 1)));", "AuditArgument:1"),
    ("MODEL (name db.m, kind SEED (path 'nowhere.csv'));", "SeedMissing:1"),
    ("MODEL (name db.m, kind INCREMENTAL_BY_UNIQUE_KEY (\n unique_key @start_ds));", "UnsupportedMacro:2"),
    ("MODEL (name db.m, tags (@end_ds));", "UnsupportedMacro:1"),
    ("MODEL (name db.m", "SqlParseError:1"),
    ("MODEL (name db.m); MODEL (name db.n);", "SqlParseError:1"),
    ("", "SqlParseError:1"),
]  # fmt: skip


@pytest.mark.parametrize(("block", "refusal"), REFUSED)
def test_block_is_refused_with_its_line(block: str, refusal: str) -> None:
    assert read(block + QUERY).refusal == refusal


@pytest.mark.parametrize("dialect", ["duckdb", "spark"])
def test_time_variables_in_what_a_merge_does_are_those_of_the_batch(dialect: str) -> None:
    kind = (
        "INCREMENTAL_BY_UNIQUE_KEY (unique_key id, merge_filter target.ds >= @start_ds, when_matched "
        "(WHEN MATCHED AND @end_ds > source.ds THEN DELETE WHEN MATCHED THEN UPDATE SET target.name = '{{ x }}' WHEN MATCHED THEN DELETE))"
    )
    files = written_files(
        {"config.yaml": CONFIG.format(dialect=dialect), "models/m.sql": f"MODEL (name db.m, kind {kind});{QUERY}"}
    )
    text = files["models/db/m.sql"]
    assert "'merge_filter': 'target.ds >= ' ~ dbt_kinds.start_ds()" in text
    assert "' ~ dbt_kinds.end_ds() ~ ' > source.ds THEN DELETE" in text
    # what only looks like Jinja is text, there as elsewhere
    assert "'{{ x }}'" in text or "~ '{{' ~" in text


def test_unknown_name_is_answered_with_the_nearest() -> None:
    messages = [note.message for note in read("MODEL (name db.m, kind FULL, cronn '@daily');" + PLAIN).notes]
    assert "did you mean cron?" in messages[0]


def test_end_needs_a_start() -> None:
    text = "MODEL (name db.m, kind FULL, end '2024-01-31');" + PLAIN
    assert read(text).refusal == ""
    assert read(text, files={"config.yaml": "model_defaults: {dialect: duckdb}\n"}).refusal == "EndWithoutStart:1"


@pytest.mark.parametrize(
    ("block", "code"),
    [
        ("clustered_by id", "ClusterNeedsBuckets"),
        ("session_properties (a = 1)", "SessionProperties"),
        ("signals (fresh(table := 'x'))", "SignalDropped"),
        ("start '3 days ago'", "RelativeStart"),
        ("stamp 'x', gateway y", "PropertyDropped"),
        ("physical_version '1'", "PropertyDropped"),
        ("depends_on (raw.other)", ""),
    ],
)
def test_what_is_left_out_is_said(block: str, code: str) -> None:
    compiled = read(f"MODEL (name db.m, kind FULL, {block});{PLAIN}")
    assert compiled.model is not None, compiled.notes
    assert [found for found in compiled.codes if found != "UndeclaredSource"] == ([code] if code else [])


def test_query_without_a_window_is_said() -> None:
    assert "NoTimeFilter" in read("MODEL (name db.m, kind INCREMENTAL_BY_TIME_RANGE (time_column ds));" + PLAIN).codes


def test_comment_before_the_block_is_the_description() -> None:
    model = read("/* All\n * orders. */\nMODEL (name db.m, kind FULL);" + PLAIN).model
    assert model is not None and model.description == "All orders."
    model = read("/* All orders. */\nMODEL (name db.m, kind FULL, description 'Said');" + PLAIN).model
    assert model is not None and model.description == "Said"


def test_comments_in_the_block_are_no_values() -> None:
    block = "MODEL (\n  name db.m, -- kind VIEW,\n  /* cron '@hourly' */ kind FULL\n  -- owner x\n);"
    compiled = read(block + PLAIN)
    assert compiled.model is not None and compiled.model.kind.value == "full" and compiled.model.options == {}


NAMES = {
    "models/a.sql": "MODEL (name one.orders, kind FULL); SELECT 1 AS a",
    "models/b.sql": "MODEL (name two.orders, kind FULL); SELECT a FROM one.orders",
    "models/c.sql": "MODEL (name cat.db.Odd-Name, kind FULL, dialect bigquery); SELECT 1 AS a",
}


def test_names_that_clash_get_their_schema() -> None:
    project = read("MODEL (name db.m, kind FULL); SELECT a FROM cat.db.m2 JOIN two.orders ON TRUE", files=NAMES).project
    assert [(model.schema, model.node, model.alias) for model in project.models] == [
        ("db", "m", "m"),
        ("db", "odd_name", "odd_name"),
        ("one", "one__orders", "orders"),
        ("two", "two__orders", "orders"),
    ]
    assert project.models[1].origin == {"name": "cat.db.Odd-Name"}
    codes = {model.node: [note.code.name for note in model.notes] for model in project.models}
    assert "NameChanged" in codes["odd_name"]


PARTS = st.sampled_from(["a", "b", "c", "x", "a__a", "a__x", "b__x", "a__a__x", "x__a"])


@given(st.sets(st.tuples(PARTS, PARTS)))
@example({("a", "x"), ("b", "x"), ("c", "a__x")})
@example({("a", "b__c"), ("a__b", "c"), ("c", "b__c"), ("c", "c")})
def test_no_two_models_share_a_name_in_dbt(places: set[tuple[str, str]]) -> None:
    names = node_names(places)
    assert len(set(names.values())) == len(places) == len(names)
    assert all(name.endswith(table) for (_, table), name in names.items())


def test_two_models_of_one_table_are_both_refused() -> None:
    files = {
        "models/a.sql": "MODEL (name x.db.t, kind FULL); SELECT 1 AS a",
        "models/b.sql": "MODEL (name y.db.t, kind FULL); SELECT 1 AS a",
    }
    project = read("MODEL (name db.m, kind FULL); SELECT a FROM x.db.t", files=files).project
    assert [(left.name, left.notes[0].code.name) for left in project.left_out] == [
        ("x.db.t", "NameClash"),
        ("y.db.t", "NameClash"),
    ]


def test_reader_of_a_refused_model_keeps_its_old_table() -> None:
    files = {"models/a.sql": "MODEL (name db.refused, kind CUSTOM (materialization 'x')); SELECT 1 AS a"}
    compiled = read("MODEL (name db.m, kind FULL);\nSELECT a FROM db.refused", files=files)
    assert compiled.codes == ["ReadsRefused"]
    assert [(source.schema, source.table, source.origin) for source in compiled.project.sources] == [
        ("db", "refused", {"refused": True})
    ]


def test_hooks_of_the_project_read_the_old_table_of_a_refused_model() -> None:
    text = "MODEL (name db.m, kind CUSTOM (materialization 'x'));\nSELECT 1 AS a"
    project = read(text, config="before_all:\n  - INSERT INTO x.log SELECT a FROM db.m\n").project
    assert "source('db', 'm')" in rendered(project.on_run_start[0], str)


def test_circles_are_refused() -> None:
    files = {"models/a.sql": "MODEL (name db.a, kind FULL); SELECT a FROM db.m"}
    compiled = read("MODEL (name db.m, kind FULL);\nSELECT a FROM db.a", files=files)
    assert compiled.refusal == "CircularReference:1"


@pytest.mark.parametrize("dialect", ["mysql", "clickhouse"])
def test_a_declared_type_that_spark_lacks_is_refused_in_words(dialect: str) -> None:
    kind = "BIGINT UNSIGNED" if dialect == "mysql" else "UInt64"
    compiled = read(f"MODEL (name db.m, kind FULL, columns (id {kind}));\nSELECT 1 AS id", dialect)
    if compiled.model is None:
        assert compiled.refusal == "Untranslatable:1"
    else:
        assert (compiled.model.columns[0].data_type or "").startswith("decimal(20")

"""Filters by the newest of some rows of the table, which say the same as by the newest of all, or leave the model."""

from __future__ import annotations

from pathlib import Path

import pytest

from dbt_kinds.migrate.results import Result
from tests.unit.migrating import migrated, one
from tests.unit.test_migrate import TIME_RANGE, incremental

BETWEEN = "between {{ dbt_kinds.start_dt() }} and {{ dbt_kinds.end_dt() }}"


def since(condition: str, word: str = "where", column: str = "event_at") -> str:
    newest = f"(select max(event_at) from {{{{ this }}}} where {condition})"
    return f"{{% if is_incremental() %}} {word} {column} > {newest} {{% endif %}}"


def part(source: str, condition: str) -> str:
    return f"select id, '{source}' as source, event_at from {{{{ ref('{source}') }}}}\n{since(condition)}\n"


WEB, SHOP = part("web", "source = 'web'"), part("shop", "source = 'shop'")
OF_PARTS = {
    "one part": WEB,
    "two parts": f"{WEB}union all\n{SHOP}",
    "a name of its own": WEB.replace("source", "made_by", 1).replace("source =", "made_by ="),
    "cast": WEB.replace("'web' as source", "cast('web' as varchar(20)) as source"),
    "in CTEs": f"with web as (\n{WEB}), shop as (\n{SHOP})\nselect * from web union all select * from shop",
    "named further up": (
        "with rows as (\nselect id, event_at from {{ ref('web') }}\n" + since("source = 'web'") + "\n)\n"
        "select id, 'web' as source, event_at from rows"
    ),
    "filtered by it": (
        "select id, source, event_at from {{ ref('all') }}\nwhere source = 'web'\n" + since("source = 'web'", "and")
    ),
    "filtered by it under another name": (
        "select id, src as source, event_at from {{ ref('all') }}\nwhere src in ('a', 'b')\n"
        + since("source in ('b', 'a')", "and")
    ),
    "beside what has no value": WEB.replace("= 'web')", "= 'web' and event_at is not null)"),
}


@pytest.mark.parametrize("query", OF_PARTS.values(), ids=OF_PARTS)
def test_the_newest_of_the_rows_that_a_part_writes_is_its_newest(query: str, tmp_path: Path) -> None:
    result = one(migrated(tmp_path, {"m": incremental(query)}))
    assert (result.kind, result.options) == (TIME_RANGE, {"time_column": "event_at", "lookback": 1}), result.reason
    assert str(result.new_text).count(f"event_at {BETWEEN}") == query.count("is_incremental")
    told = next(note.message for note in result.notes if note.code == "LateRows")
    assert "however late each of its sources was" in told


OF_OTHERS = {
    "another part's": part("web", "source = 'shop'"),
    "another spelling": part("web", "source = 'Web'"),
    "a column that rows have several values of": (
        "select id, status, event_at from {{ ref('all') }}\n" + since("status = 'done'")
    ),
    "filtered by another value": (
        "select id, source, event_at from {{ ref('all') }}\nwhere source = 'web'\n" + since("source = 'shop'", "and")
    ),
    "filtered by more values": (
        "select id, source, event_at from {{ ref('all') }}\nwhere source in ('web', 'shop')\n"
        + since("source = 'web'", "and")
    ),
    "filtered, and then written as something else": (
        "select id, upper(source) as source, event_at from {{ ref('all') }}\nwhere source = 'web'\n"
        + since("source = 'web'", "and")
    ),
    "filtered by one of two": (
        "select id, source, event_at from {{ ref('all') }}\nwhere (source = 'web' or id > 9)\n"
        + since("source = 'web'", "and")
    ),
    "compared otherwise": part("web", "source <> 'shop'"),
    "two conditions, of which one holds": part("web", "source = 'web' and id = 7"),
    "written twice, as two parts": (
        "with rows as (\nselect id, event_at from {{ ref('web') }}\n" + since("source = 'web'") + "\n)\n"
        "select id, 'web' as source, event_at from rows union all select id, 'shop' as source, event_at from rows"
    ),
    "changed further up": (
        f"with rows as (\n{WEB})\nselect id, case when id > 9 then 'x' else source end as source, event_at from rows"
    ),
}


@pytest.mark.parametrize("query", OF_OTHERS.values(), ids=OF_OTHERS)
def test_the_newest_of_other_rows_leaves_the_model(query: str, tmp_path: Path) -> None:
    result = one(migrated(tmp_path, {"m": incremental(query)}))
    assert result.reason is not None and result.reason.code == "ReadsThisElsewhere", result.new_text


IN_SCHEMA = "from `{{ t.database }}.{{ t.schema }}.INFORMATION_SCHEMA.PARTITIONS`"
AS_DATE = "parse_date('%Y%m%d', max(partition_id))"
BY_LENGTH = (
    "case when length(max(partition_id)) = 8 then parse_date('%Y%m%d', max(partition_id)) "
    "when length(max(partition_id)) = 6 then parse_date('%Y%m', max(partition_id)) else null end"
)
OF_THIS = "where table_name = '{{ t.identifier }}'"
WITH_TIME = "and partition_id <> '__NULL__' and partition_id not in ('__UNPARTITIONED__')"
BY_DAYS = "unique_key='id', partition_by={'field': 'day', 'data_type': 'date'}"
BY_MONTHS = BY_DAYS.replace("'date'}", "'date', 'granularity': 'month'}")


def partitioned(
    tmp_path: Path, query: str, config: str = BY_DAYS, made: str = "day", test: str = "day >= '{{ newest }}'"
) -> Result:
    macro = (
        f"{{% macro newest_partition(t) %}}{{% set sql %}}{query}{{% endset %}}\n{{% set found = run_query(sql) %}}\n"
        "{% if execute %}{{ return(found.columns[0].values()[0]) }}{% else %}{{ return('1970-01-01') }}{% endif %}"
        "{% endmacro %}"
    )
    text = (
        "{% set newest = newest_partition(this) %}\n"
        + incremental(f"select id, {made} from {{{{ ref('raw') }}}}\n", config)
        + f"{{% if is_incremental() %}} where {test} {{% endif %}}\n"
    )
    return one(migrated(tmp_path, {"m": text, "macros/newest.sql": macro}, dialect="bigquery"))


@pytest.mark.parametrize(
    ("query", "config", "unit"),
    [
        (f"select {AS_DATE} {IN_SCHEMA} {OF_THIS} {WITH_TIME}", BY_DAYS, None),
        (f"select {AS_DATE} as d {IN_SCHEMA} {OF_THIS} and partition_id is not null", BY_DAYS, None),
        (f"select {BY_LENGTH} as d {IN_SCHEMA} {OF_THIS} {WITH_TIME}", BY_DAYS, None),
        # from the first day of the month on
        (f"select {BY_LENGTH} as d {IN_SCHEMA} {OF_THIS} {WITH_TIME}", BY_MONTHS, "month"),
        ("select max(day) from {{ t }}", BY_DAYS, None),
    ],
)
def test_the_newest_partition_is_the_newest_value_of_its_column(
    query: str, config: str, unit: str | None, tmp_path: Path
) -> None:
    result = partitioned(tmp_path, query, config)
    assert result.kind == "incremental_by_unique_key", result.reason
    assert (result.options["lookback"], result.options.get("interval_unit")) == (1, unit)
    assert "newest_partition" not in str(result.new_text)


@pytest.mark.parametrize(
    ("query", "config", "made", "code"),
    [
        # of another table
        (f"select {AS_DATE} {IN_SCHEMA} where table_name = 'days'", BY_DAYS, "day", "UnreadableBlock"),
        (f"select {AS_DATE} {IN_SCHEMA}", BY_DAYS, "day", "UnreadableBlock"),
        (f"select {AS_DATE} {IN_SCHEMA} where partition_id is not null", BY_DAYS, "day", "UnreadableBlock"),
        # not the newest
        (f"select {AS_DATE} {IN_SCHEMA} {OF_THIS} and partition_id < '2024'", BY_DAYS, "day", "UnreadableBlock"),
        (f"select {AS_DATE} {IN_SCHEMA} {OF_THIS} and total_rows > 9", BY_DAYS, "day", "UnreadableBlock"),
        (f"select {AS_DATE.replace('max', 'min')} {IN_SCHEMA} {OF_THIS}", BY_DAYS, "day", "UnreadableBlock"),
        (f"select max(partition_id) {IN_SCHEMA} {OF_THIS}", BY_DAYS, "day", "UnreadableBlock"),
        # the table's partitions are of another column, or of none
        (f"select {AS_DATE} {IN_SCHEMA} {OF_THIS}", BY_DAYS.replace("day", "kept_on"), "day", "BoundOfAnotherColumn"),
        (f"select {AS_DATE} {IN_SCHEMA} {OF_THIS}", "unique_key='id'", "day", "BoundOfAnotherColumn"),
        (
            f"select {AS_DATE} {IN_SCHEMA} {OF_THIS}",
            BY_DAYS.replace("'date'", "'int64'"),
            "day",
            "BoundOfAnotherColumn",
        ),
        (f"select {AS_DATE} {IN_SCHEMA} {OF_THIS}", BY_DAYS, "made_on as day", "BoundOfAnotherColumn"),
    ],
)
def test_other_partitions_leave_the_model(query: str, config: str, made: str, code: str, tmp_path: Path) -> None:
    result = partitioned(tmp_path, query, config, made)
    assert result.reason is not None and result.reason.code == code, result.new_text


# --- a coarser condition beside the one that it follows from

NEWEST_DAY = "(select max(day) from {{ this }})"
COARSER = {
    "of what is compared": ("date_trunc('month', day) >= date_trunc('month', (select max(day) from {{ this }}))", True),
    "in the subquery": ("date_trunc('month', day) >= (select date_trunc('month', max(day)) from {{ this }})", True),
    # it is shifted after it was truncated, so that it may leave out what the other one reads
    "shifted": (
        "date_trunc('month', day) >= (select date_trunc('month', max(day)) - interval 3 days from {{ this }})",
        False,
    ),
    "strict": ("date_trunc('month', day) > (select date_trunc('month', max(day)) from {{ this }})", False),
    "of another column": ("date_trunc('month', seen) >= (select date_trunc('month', max(day)) from {{ this }})", False),
    "of another newest": ("date_trunc('month', day) >= (select date_trunc('month', max(seen)) from {{ this }})", False),
    "in another unit": ("date_trunc('month', day) >= (select date_trunc('year', max(day)) from {{ this }})", False),
}


@pytest.mark.parametrize(("condition", "is_implied"), COARSER.values(), ids=COARSER)
@pytest.mark.parametrize("is_first", [True, False])
def test_a_coarser_condition_that_follows_from_another_goes(
    condition: str, is_implied: bool, is_first: bool, tmp_path: Path
) -> None:
    conditions = [condition, f"day >= {NEWEST_DAY}"]
    text = " and ".join(conditions if is_first else reversed(conditions))
    query = f"select id, day, seen from {{{{ ref('raw') }}}}\n{{% if is_incremental() %}} where {text} {{% endif %}}"
    result = one(migrated(tmp_path, {"m": incremental(query)}))
    if not is_implied:
        assert result.reason is not None, result.new_text
        return
    assert result.options == {"time_column": "day", "lookback": 1}, result.reason
    assert "date_trunc" not in str(result.new_text)


# --- ClickHouse


@pytest.mark.parametrize(
    ("bound", "lookback"),
    [
        ("addDays(max(day), -3)", 3),
        ("subtractDays(max(day), 2)", 2),
        ("subtractWeeks(toDate(max(day)), 1)", 7),
        ("max(day) - toIntervalDay(4)", 4),
        ("addDays(max(day), -0)", 1),
        ("addDays(max(day), 1)", None),
        ("addDays(max(day), -id)", None),
        ("subtractBusinessDays(max(day), 2)", None),
    ],
)
def test_arithmetic_of_clickhouse_is_a_lookback(bound: str, lookback: int | None, tmp_path: Path) -> None:
    query = (
        "select id, day from {{ ref('raw') }}\n"
        f"{{% if is_incremental() %}} where day >= (select {bound} from {{{{ this }}}} as t where 1 = 1) {{% endif %}}"
    )
    files = {"m": incremental(query), "models/raw.yml": DATES}
    result = one(migrated(tmp_path, files, dialect="clickhouse"))
    assert result.options == ({"time_column": "day", "lookback": lookback} if lookback else {}), result.reason


DATES = "models: [{name: raw, columns: [{name: day, data_type: date}]}]"


# --- the settings of the model itself

ASKED = "{{ config.get('unique_key') }}"


def test_a_setting_that_the_query_reads_is_written_out(tmp_path: Path) -> None:
    query = f"select {ASKED}, {{{{ config.get('unique_key') | upper }}}} as k, day from {{{{ ref('raw') }}}}\n"
    where = f"{{% if is_incremental() %}} where day > {NEWEST_DAY} {{% endif %}}"
    result = one(migrated(tmp_path, {"m": incremental(query + where, "unique_key='id', tags=['a']")}))
    assert result.kind == "incremental_by_unique_key", result.reason
    text = str(result.new_text)
    assert "select {{ 'id' }}, {{ 'id' | upper }} as k" in text and "config.get" not in text


@pytest.mark.parametrize(
    ("query", "macro"),
    [
        ("select {{ key_of_model() }}, day", "{{ config.get('unique_key') }}"),
        ("select {{ outer() }}, day", "{{ config.require('unique_key') }}"),
        ("select {{ model.config.unique_key }}, day", ""),
    ],
)
def test_a_setting_that_a_macro_reads_leaves_the_model(query: str, macro: str, tmp_path: Path) -> None:
    where = f"{{% if is_incremental() %}} where day > {NEWEST_DAY} {{% endif %}}"
    text = incremental(f"{query} from {{{{ ref('raw') }}}}\n{where}", "unique_key='id'")
    macros = f"{{% macro key_of_model() %}}{macro}{{% endmacro %}}\n{{% macro outer() %}}{{{{ key_of_model() }}}}{{% endmacro %}}"
    result = one(migrated(tmp_path, {"m": text, "macros/key.sql": macros}))
    assert result.reason is not None and result.reason.code == "ComputedConfig", result.new_text


CHOOSES = (
    "{% macro newer(column) %}{% if is_incremental() %}where\n"
    "{% if TEST %} {{ column }} >= current_date() - 7 {% else %} {{ column }} >= current_date() - 30 {% endif %}"
    "{% endif %}{% endmacro %}"
)


@pytest.mark.parametrize(
    ("test", "lookback"),
    [
        ("config.get('incremental_strategy') == 'delete+insert'", 7),
        ("config.get('incremental_strategy') == 'merge'", 30),
        ("target.name == 'prod'", None),
        ("config.get('made_up') == 'x'", None),
    ],
)
def test_a_macro_that_chooses_its_condition_is_read_as_it_chooses(
    test: str, lookback: int | None, tmp_path: Path
) -> None:
    query = "select id, day from {{ ref('raw') }}\n{{ newer('day') }}"
    text = incremental(query, "incremental_strategy='delete+insert', unique_key='day'")
    result = one(migrated(tmp_path, {"m": text, "macros/newer.sql": CHOOSES.replace("TEST", test)}))
    if lookback is None:
        assert result.reason is not None and result.reason.code == "MacroFilter", result.new_text
    else:
        assert result.options == {"time_column": "day", "lookback": lookback}, result.reason


@pytest.mark.parametrize("always", ["true", "1 = 1"])
def test_a_first_load_with_no_condition_has_no_filter(always: str, tmp_path: Path) -> None:
    macro = f"{{% macro newer(c) %}}{{% if is_incremental() %}} {{{{ c }}}} > (select max({{{{ c }}}}) from {{{{ this }}}}) {{% else %}} {always} {{% endif %}}{{% endmacro %}}"
    query = "select id, day from {{ ref('raw') }} where {{ newer('day') }}"
    result = one(migrated(tmp_path, {"m": incremental(query), "macros/newer.sql": macro}))
    assert result.options == {"time_column": "day", "lookback": 1}, result.reason


@pytest.mark.parametrize("never", ["false", "1 = 0", "id > 3"])
def test_a_first_load_with_another_condition_leaves_the_model(never: str, tmp_path: Path) -> None:
    query = f"select id, day from {{{{ ref('raw') }}}} where {{% if is_incremental() %}} day > {NEWEST_DAY} {{% else %}} {never} {{% endif %}}"
    result = one(migrated(tmp_path, {"m": incremental(query)}))
    assert result.reason is not None and result.reason.code == "ElseBranchDiffers", result.new_text


# --- rows of one part that rows of another replace

KEYED = {name: part(name, f"source = '{name}'").replace("select id", "select {} as k, id") for name in ("web", "shop")}


def keyed(first: str, second: str) -> str:
    return KEYED["web"].replace("{}", first) + "union all\n" + KEYED["shop"].replace("{}", second)


@pytest.mark.parametrize(
    ("query", "key"),
    [
        (keyed("'web-' || id", "'shop-' || id"), "k"),
        (keyed("concat('web', id)", "cast(concat('shop', id) as varchar(9))"), "k"),
        (keyed("id", "id"), "['k', 'source']"),
        (WEB, "id"),
    ],
)
def test_parts_whose_keys_differ_replace_no_rows_of_each_other(query: str, key: str, tmp_path: Path) -> None:
    config = f"unique_key={key if key[0] == '[' else repr(key)}, incremental_strategy='merge'"
    result = one(migrated(tmp_path, {"m": incremental(query, config)}))
    assert result.kind == "incremental_by_unique_key", result.reason


@pytest.mark.parametrize(
    ("query", "key"),
    [
        (keyed("id", "id"), "k"),
        (keyed("'a-' || id", "'a-' || id"), "k"),
        # 'ab' || 1 and 'a' || 'b1'
        (keyed("'ab' || id", "'a' || id"), "k"),
        (keyed("'web-' || id", "id"), "k"),
        (keyed("id || 'web'", "id || 'shop'"), "k"),
        (keyed("'web-' || id", "'shop-' || id"), "['id', 'event_at']"),
        (f"with a as (\n{keyed('1', '2')})\nselect * from a", "k"),
    ],
)
def test_parts_that_may_have_the_same_key_leave_the_model(query: str, key: str, tmp_path: Path) -> None:
    config = f"unique_key={key if key[0] == '[' else repr(key)}, incremental_strategy='merge'"
    result = one(migrated(tmp_path, {"m": incremental(query, config)}))
    assert result.reason is not None and "replace where they have the same" in result.reason.message, result.new_text

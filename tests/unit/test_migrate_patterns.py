"""Patterns of hand-written loading that are converted, beyond a single filter."""

from __future__ import annotations

from pathlib import Path

import pytest

from dbt_kinds.writers.jinja import Expression
from tests.unit.migrating import migrated, one
from tests.unit.test_migrate import KEY, TIME_RANGE, filtered, incremental

WEEK = "date_trunc('day', now() - interval '1 week')"


def block(condition: str, test: str = "is_incremental()") -> str:
    return f"{{% if {test} %}}\n  {condition}\n{{% endif %}}\n"


FIRST = block("and t_at >= '2020-01-01'", "not is_incremental()")
LATER = block(f"and t_at >= {WEEK}")


@pytest.mark.parametrize("last_line_end", ["\n", ""])
@pytest.mark.parametrize("blocks", [FIRST + LATER, LATER + FIRST, FIRST + "and id > (3 + 4)\n" + LATER])
def test_a_block_of_the_first_load_beside_the_filter_is_its_start(
    blocks: str, last_line_end: str, tmp_path: Path
) -> None:
    text = (
        incremental(f"select id, t_at from {{{{ ref('raw') }}}}\nwhere id > 0\n{blocks}").rstrip("\n") + last_line_end
    )
    result = one(migrated(tmp_path, {"m": text}))
    assert (result.kind, result.options) == (
        TIME_RANGE, {"time_column": "t_at", "start": "2020-01-01", "lookback": 7},
    ), result.reason  # fmt: skip
    between = "  and t_at between {{ dbt_kinds.start_dt() }} and {{ dbt_kinds.end_dt() }}\n"
    assert str(result.new_text).split("where id > 0\n")[1].replace("and id > (3 + 4)\n", "").strip(
        "\n"
    ) == between.strip("\n")


@pytest.mark.parametrize(
    "query",
    [
        f"select id, t_at from {{{{ ref('raw') }}}} where id > 0\n{FIRST}",
        f"with a as (select * from {{{{ ref('a') }}}} where id > 0 {FIRST}) select id, t_at from {{{{ ref('raw') }}}} where id > 0\n{LATER}",
        f"select id, t_at from {{{{ ref('raw') }}}} where id > 0\n{FIRST.replace('t_at', 'id')}{LATER}",
        f"select id, t_at from {{{{ ref('raw') }}}} where id > 0\n{FIRST.replace('and t_at', 'where t_at')}{LATER}",
    ],
)
def test_a_block_of_the_first_load_alone_leaves_the_model(query: str, tmp_path: Path) -> None:
    result = one(migrated(tmp_path, {"m": incremental(query)}))
    assert result.reason is not None and result.reason.code == "ElseBranchDiffers", result.new_text


@pytest.mark.parametrize(
    ("filtered", "first", "start"),
    [
        ("day >= current_date() - 3", "date(day) >= '2024-01-02'", "2024-01-02"),
        ("date(t_at) >= current_date() - 3", "t_at >= '2024-01-02'", "2024-01-02"),
        ("cast(t_at as date) >= current_date() - 3", "date_trunc('day', t_at) >= date '2024-01-02'", "2024-01-02"),
        ("day >= current_date() - 3", "day >= date '2024-01-12' - interval 10 days", "2024-01-02"),
        ("day >= current_date() - 3", "day >= date_sub(date '2024-03-01', 1)", "2024-02-29"),
        # days do not say since which time
        ("date(t_at) >= current_date() - 3", "t_at >= '2024-01-02 10:00:00'", None),
        ("day >= current_date() - 3", "date_trunc('month', day) >= '2024-01-01'", None),
        ("day >= current_date() - 3", "date(other) >= '2024-01-02'", None),
        ("day >= current_date() - 3", "day >= date '2024-02-31' - interval 1 day", None),
        ("day >= current_date() - 3", "day < current_date() - 30", None),
    ],
)
def test_a_first_load_since_a_fixed_day_is_its_start(
    filtered: str, first: str, start: str | None, tmp_path: Path
) -> None:
    query = (
        "select id, day, t_at, date(t_at) as t_day from {{ ref('raw') }}\n"
        f"where {{% if is_incremental() %}} {filtered} {{% else %}} {first} {{% endif %}}"
    )
    result = one(migrated(tmp_path, {"m": incremental(query)}))
    if start is None:
        assert result.reason is not None and result.reason.code == "ElseBranchDiffers", result.new_text
        return
    assert result.kind == TIME_RANGE, result.reason
    assert result.options["start"] == start
    assert first not in str(result.new_text)


RECENT = [
    ("day >= (select max(day) from {{ this }})", "day >= current_date() - 30"),
    ("day >= '{{ var(\"a\") }}' and day < '{{ var(\"b\") }}'", "day > current_date() - interval 30 days"),
    ("t_at >= (select max(t_at) from {{ this }})", "date(t_at) >= date_sub(current_date(), 30)"),
    ("day between date_sub('{{ var(\"d\") }}', 1) and '{{ var(\"d\") }}'", "day >= date_sub('{{ var(\"d\") }}', 30)"),
    ("day >= date_sub('{{ var(\"d\") }}', 1)", "day >= '{{ var(\"d\") }}' - interval {{ var('first_load') }}"),
    ("date(t_at) = date('{{ var(\"d\") }}')", "t_at > '{{ var(\"d\") }}' - interval 6 months"),
]


@pytest.mark.parametrize(("later", "first"), RECENT)
def test_a_first_load_of_recent_rows_begins_at_start_and_a_note_says_so(later: str, first: str, tmp_path: Path) -> None:
    query = (
        "select id, day, t_at from {{ ref('raw') }}\n"
        f"where {{% if is_incremental() %}} {later} {{% else %}} {first} {{% endif %}}"
    )
    result = one(migrated(tmp_path, {"m": incremental(query)}, settings={"vars": {"first_load": "6 months"}}))
    assert result.kind == TIME_RANGE, result.reason
    assert first not in str(result.new_text)
    assert "start" not in result.options
    notes = {note.code: note.message for note in result.notes}
    assert f"read `{first}`".lower() in notes["RecentStart"].lower()
    assert "NoStart" in notes and "FirstLoad" not in notes


def test_a_first_load_that_reads_one_input_whole_is_told_so(tmp_path: Path) -> None:
    since = "{% if is_incremental() %} where day = date_sub('{{ var(\"d\") }}', 1) "
    query = (
        f"select id, day from {{{{ ref('a') }}}} {since} {{% else %}} where day > date_sub('{{{{ var(\"d\") }}}}', 90) {{% endif %}}\n"
        f"union all select id, day from {{{{ ref('b') }}}} {since} {{% endif %}}"
    )
    text = incremental(query, "incremental_strategy='insert_overwrite', partition_by=['day']")
    result = one(migrated(tmp_path, {"m": text}))
    assert result.kind == TIME_RANGE, result.reason
    told = {note.code: note.message for note in result.notes}["RecentStart"]
    assert told.endswith(
        ", and everything where another filter stands; set the option start to where they are to begin"
    )


SALES = "select s.id, s.block_time, tx.sender from {{ ref('sales') }} as s\n"
BETWEEN = "s.block_time between {{ dbt_kinds.start_dt() }} and {{ dbt_kinds.end_dt() }}"
SINCE = "tx.block_time >= {{ dbt_kinds.start_dt() }}"


@pytest.mark.parametrize(
    "query",
    [
        f"{SALES}join {{{{ ref('tx') }}}} as tx on tx.hash = s.hash\n{block(f'and tx.block_time >= {WEEK}')}{block(f'where s.block_time >= {WEEK}')}",
        f"{SALES}inner join {{{{ ref('tx') }}}} as tx on {block(f'tx.block_time >= {WEEK} and')} tx.hash = s.hash\n{block(f'where s.block_time >= {WEEK}')}",
        f"{SALES}join {{{{ ref('tx') }}}} as tx on tx.hash = s.hash\n{block(f'where s.block_time >= {WEEK} and tx.block_time >= {WEEK}')}",
        f"{SALES}join {{{{ ref('tx') }}}} as tx on tx.hash = s.hash\n{block(f'where tx.block_time >= {WEEK}')}{block(f'and s.block_time >= {WEEK}')}",
        f"with tx as (select * from {{{{ ref('tx') }}}} {block(f'where tx.block_time >= {WEEK}')})\n{SALES}join tx on tx.hash = s.hash\n{block(f'where s.block_time >= {WEEK}')}",
    ],
)  # fmt: skip
def test_a_filter_of_a_joined_input_only_prunes_it(query: str, tmp_path: Path) -> None:
    query = query.replace("{{ ref('tx') }} {%", "{{ ref('tx') }} as tx {%")
    result = one(migrated(tmp_path, {"m": incremental(query)}))
    assert (result.kind, result.options) == (TIME_RANGE, {"time_column": "block_time", "lookback": 7}), result.reason
    assert BETWEEN in str(result.new_text) and SINCE in str(result.new_text)
    assert str(result.new_text).count("dbt_kinds.end_dt") == 1


@pytest.mark.parametrize(
    ("query", "code"),
    [
        (f"{SALES}left join {{{{ ref('tx') }}}} as tx on tx.hash = s.hash\n{block(f'and tx.block_time >= {WEEK}')}{block(f'where s.block_time >= {WEEK}')}", "OuterJoinedInput"),
        (f"{SALES}join {{{{ ref('tx') }}}} as tx on tx.hash = s.hash\n{block(f'and tx.block_time >= {WEEK}')}", "UnreadableBlock"),
        # the second input of a union is no input of a join
        (f"select s.id, s.block_time from {{{{ ref('a') }}}} as s join {{{{ ref('d') }}}} as d using (id) {block(f'where s.block_time >= {WEEK}')} union all\nselect t.id, t.made_at from {{{{ ref('b') }}}} as t join {{{{ ref('d') }}}} as d using (id) {block(f'where t.other_at >= {WEEK}')}", "FiltersDisagree"),
        # the bounds differ
        (f"{SALES}join {{{{ ref('tx') }}}} as tx on tx.hash = s.hash\n{block('and tx.block_time >= current_date() - 1')}{block(f'where s.block_time >= {WEEK}')}", "FiltersDisagree"),
        (f"{SALES}join {{{{ ref('tx') }}}} as tx on tx.hash = s.hash\n{block(f'where s.block_time >= {WEEK} and tx.block_time >= current_date() - 1')}", "FiltersDisagree"),
    ],
)  # fmt: skip
def test_a_filter_of_another_input_is_left(query: str, code: str, tmp_path: Path) -> None:
    result = one(migrated(tmp_path, {"m": incremental(query)}))
    assert result.reason is not None, result.new_text
    assert result.reason.code == code, result.reason


# --- loops


LOOP = (
    "{% set nets = ['a', 'b'] %}\n{% for net in nets %}\nselect id, day from {{ ref(net) }}\n{% if is_incremental() %}\nwhere day >= CONDITION\n{% endif %}\n"
    "{% if not loop.last %}union all{% endif %}\n{% endfor %}"
)


@pytest.mark.parametrize(
    ("condition", "lookback"), [("(select max(day) from {{ this }})", 1), ("date_sub(current_date(), 3)", 3)]
)
def test_a_filter_in_a_loop_of_a_union_is_edited_once(condition: str, lookback: int, tmp_path: Path) -> None:
    result = one(migrated(tmp_path, {"m": incremental(LOOP.replace("CONDITION", condition))}))
    assert (result.kind, result.options) == (TIME_RANGE, {"time_column": "day", "lookback": lookback}), result.reason
    assert (
        str(result.new_text).count("where day between {{ dbt_kinds.start_date() }} and {{ dbt_kinds.end_date() }}") == 1
    )


def test_parts_of_a_loop_that_differ_are_left(tmp_path: Path) -> None:
    query = LOOP.replace("CONDITION", "date_sub(current_date(), 3)")
    unfiltered = incremental(query + "\nunion all select id, day from {{ ref('c') }}")
    types = {
        "a": "select id, cast(x as date) as day from {{ ref('raw') }}",
        "b": "select id, cast(x as timestamp) as day from {{ ref('raw') }}",
    }
    migration = migrated(tmp_path, {"unfiltered": unfiltered, "typed": incremental(query), **types})
    assert [one(migration, name).status for name in ("unfiltered", "typed")] == ["left", "left"]


# --- the row's own load time


STAMPED = "with src as (select * from {{ ref('raw') }} FILTER)\nselect id, STAMP as stamped_at from src"
MERGE = "incremental_strategy='merge', unique_key='id'"


def stamped(stamp: str, column: str = "loaded_at", config: str = MERGE) -> str:
    where = block(f"where {column} > (select max(stamped_at) from {{{{ this }}}})")
    return incremental(STAMPED.replace("FILTER", where).replace("STAMP", stamp), config)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        (stamped("current_timestamp()"), ""),
        (stamped("cast(current_timestamp() as timestamp)"), ""),
        (stamped("from_utc_timestamp(current_timestamp(), 'America/Sao_Paulo')"), "TimeColumnUnclear"),
        (stamped("changed_at"), "BoundOfAnotherColumn"),
        (stamped("current_timestamp()", "event_at"), "BoundOfAnotherColumn"),
        (stamped("current_timestamp()").replace("'raw'", "'local'"), "TimeColumnUnclear"),
    ],
)
def test_what_arrived_since_the_rows_were_written_is_a_window_over_arrivals(
    text: str, code: str, tmp_path: Path
) -> None:
    local = "select id, from_utc_timestamp(current_timestamp(), 'America/Sao_Paulo') as loaded_at from {{ ref('raw') }}"
    result = one(migrated(tmp_path, {"m": text, "local": local}))
    if code:
        assert result.reason is not None and result.reason.code == code, result.reason
    else:
        assert (result.kind, result.options) == (KEY, {"unique_key": ["id"], "lookback": 1}), result.reason
        assert "where loaded_at >= {{ dbt_kinds.start_dt() }}" in str(result.new_text)


LOCAL = "from_utc_timestamp(current_timestamp(), 'America/Sao_Paulo')"
OF_ZONES = [
    (LOCAL, LOCAL, MERGE),
    (LOCAL, "current_timestamp()", MERGE),
    ("current_timestamp()", LOCAL, MERGE),
    (LOCAL, LOCAL, "incremental_strategy='append'"),
]


@pytest.mark.parametrize(("source", "stamp", "config"), OF_ZONES)
def test_stamps_of_a_zone_are_left_with_what_to_stamp_rows_with(
    source: str, stamp: str, config: str, tmp_path: Path
) -> None:
    text = stamped(stamp, config=config).replace("'raw'", "'local'")
    parent = incremental(f"select id, zone, {source} as loaded_at from {{{{ ref('raw') }}}}", "unique_key='id'")
    result = one(migrated(tmp_path, {"m": text, "local": parent}))
    assert result.reason is not None and result.reason.code == "TimeColumnUnclear", result.new_text
    assert (
        "of America/Sao_Paulo; windows are in UTC: stamp both with current_timestamp() alone" in result.reason.message
    )


# --- a variable of the project beside those of a run

FIRST_DAY = "day >= '{{ var(\"since\") }}'"
FROM_TO = "{0} between '{{{{ var(\"a\") }}}}' and '{{{{ var(\"b\") }}}}'"


@pytest.mark.parametrize(
    ("query", "start"),
    [
        (
            f"select id, day from {{{{ ref('raw') }}}}\nwhere {FIRST_DAY}\n" + block("and " + FROM_TO.format("day")),
            'var("since")',
        ),
        # of another column it is a bound like others
        (f"select id, day from {{{{ ref('raw') }}}}\nwhere {FIRST_DAY}\n" + block("and " + FROM_TO.format("at")), None),
        # the one input has rows before it
        (
            f"select id, day from {{{{ ref('raw') }}}}\nwhere {FIRST_DAY}\n{block('and ' + FROM_TO.format('day'))}"
            f"union all select id, day from {{{{ ref('b') }}}}\n{block('where ' + FROM_TO.format('day'))}",
            "",
        ),
    ],
)
def test_a_variable_of_the_project_before_which_nothing_is_read_is_the_start(
    query: str, start: str | None, tmp_path: Path
) -> None:
    text = incremental(query, "incremental_strategy='insert_overwrite', partition_by=['day']")
    variables = {"since": "2020-01-01", "a": "2024-01-01", "b": "2024-01-02"}
    result = one(migrated(tmp_path, {"m": text}, settings={"vars": variables}))
    if start is None:
        assert result.reason is not None, result.new_text
        return
    options = {"time_column": "day"} | ({"start": Expression(start)} if start else {})
    assert (result.kind, result.options) == ("incremental_by_time_range", options), result.reason
    assert FIRST_DAY in str(result.new_text)


# --- a time of which nothing says whether it is a date or a timestamp

MERGE_BY_ID = "incremental_strategy='merge', unique_key='id'"
LATER = "seen >= (select max({0}) from {{{{ this }}}})"


@pytest.mark.parametrize(
    ("made", "condition", "config", "dialect", "written"),
    [
        ("cast(seen as date) as day", LATER.format("day"), "", "databricks", "cast(seen as date) between {{ dbt_kinds.start_date() }} and {{ dbt_kinds.end_date() }}"),
        ("date_trunc('hour', seen) as hour", LATER.format("hour"), "", "snowflake", "date_trunc('hour', seen) between {{ dbt_kinds.start_dt() }} and {{ dbt_kinds.end_dt() }}"),
        ("date(seen) as day", LATER.format("day"), MERGE_BY_ID, "bigquery", "cast(seen as date) >= {{ dbt_kinds.start_date() }}"),
        ("date(seen) as day", f"{LATER.format('day')} and 1 = 1", "", "databricks", "cast(seen as date) between {{ dbt_kinds.start_date() }} and {{ dbt_kinds.end_date() }}"),
        # it has an end, begins with a run, is written otherwise there, or the table holds another time
        ("cast(seen as date) as day", f"{LATER.format('day')} and seen <= current_date - 1", "", "databricks", ""),
        ("cast(seen as date) as day", "seen >= current_date - 3", "", "databricks", ""),
        ("timestamp_trunc(seen, hour) as hour", LATER.format("hour"), "", "bigquery", ""),
        ("cast(sent as date) as day", LATER.format("day"), MERGE_BY_ID, "databricks", ""),
        ("seen", LATER.format("seen"), "", "databricks", ""),
    ],
)  # fmt: skip
def test_a_time_of_unknown_type_is_compared_as_what_the_query_makes_of_it(
    made: str, condition: str, config: str, dialect: str, written: str, tmp_path: Path
) -> None:
    query = f"select id, {made} from {{{{ ref('raw') }}}}\n{block('where ' + condition)}"
    result = one(migrated(tmp_path, {"m": incremental(query, config)}, dialect))
    if not written:
        assert result.reason is not None, result.new_text
        assert result.reason.code in ("UnknownColumnType", "BoundOfAnotherColumn")
        return
    assert f"where {written}" in str(result.new_text), result.reason
    assert "compared as the" in {note.code: note.message for note in result.notes}["TypeFromName"]


# --- types of partitions

DATES = "{'field': 'sold', 'data_type': 'date'}"


@pytest.mark.parametrize(
    ("columns", "partition", "is_date"),
    [
        ("id, sold", DATES, True),
        ("id, s.sold", "{'field': 'sold'}", True),
        ("id, sold", "{'field': 'sold', 'data_type': 'timestamp', 'granularity': 'day'}", False),
        # what is filtered may be a time
        ("id, cast(sold as date) as sold", DATES, False),
        ("id, sold, date(made) as paid", DATES.replace("sold", "paid"), False),
    ],
)
def test_a_column_that_becomes_the_date_of_partitions_is_one(
    columns: str, partition: str, is_date: bool, tmp_path: Path
) -> None:
    config = f"incremental_strategy='insert_overwrite', partition_by={partition}"
    where = block("where sold between date('{{ var(\"a\") }}') and date('{{ var(\"b\") }}')")
    text = incremental(f"select {columns} from {{{{ ref('raw') }}}} s\n{where}", config)
    result = one(migrated(tmp_path, {"m": text}, "bigquery"))
    if is_date:
        assert (result.kind, result.options) == ("incremental_by_time_range", {"time_column": "sold"}), result.reason
        assert "where sold between {{ dbt_kinds.start_date() }} and {{ dbt_kinds.end_date() }}" in str(result.new_text)
    else:
        assert result.reason is not None and result.reason.code in ("UnknownColumnType", "FilterNotOnPartition")


@pytest.mark.parametrize(("on", "is_date"), [("using (sold, id)", True), ("on a.id = b.id", False)])
def test_a_column_that_is_joined_with_the_date_of_partitions_is_one(on: str, is_date: bool, tmp_path: Path) -> None:
    parts = [
        f"{name} as (select id, sold, n from {{{{ ref('{name}') }}}} {block(day_of)})"
        for name, day_of in (
            ("a", "where sold = date('{{ var(\"d\") }}')"),
            ("b", "where sold = date('{{ var(\"d\") }}')"),
        )
    ]
    query = f"with {', '.join(parts)} select a.sold, a.id, b.n from a left join b {on}"
    text = incremental(query, f"incremental_strategy='insert_overwrite', partition_by={DATES}")
    result = one(migrated(tmp_path, {"m": text}, "bigquery"))
    assert (result.kind == "incremental_by_time_range") is is_date, result.reason


# --- absent keys


ABSENT = "not exists (select 1 from {{ this }} as t where t.id = s.id)"


@pytest.mark.parametrize(
    "where",
    [
        block(f"where {ABSENT} and s.day >= date_sub(current_date(), 7)"),
        block(f"where s.day >= date_sub(current_date(), 7) and {ABSENT}"),
        block(f"where {ABSENT}") + block("and s.day >= date_sub(current_date(), 7)"),
        "where s.day >= date_sub(current_date(), 7)\n" + block(f"and {ABSENT}"),
        block("where s.id not in (select id from {{ this }}) and s.day >= date_sub(current_date(), 7)"),
    ],
)
@pytest.mark.parametrize("config", ["", MERGE, "incremental_strategy='append'"])
def test_keys_that_are_absent_are_inserted_in_a_window(where: str, config: str, tmp_path: Path) -> None:
    result = one(
        migrated(tmp_path, {"m": incremental(f"select s.id, s.day from {{{{ ref('raw') }}}} as s\n{where}", config)})
    )
    assert (result.kind, result.options) == (
        KEY, {"insert_only": True, "unique_key": ["id"], "lookback": 7},
    ), result.reason  # fmt: skip
    assert "s.day >= {{ dbt_kinds.start_date() }}" in str(result.new_text)
    assert "this" not in str(result.new_text)


@pytest.mark.parametrize(
    ("query", "config"),
    [
        (f"select s.id as sale_id, s.day from {{{{ ref('raw') }}}} as s {block(f'where {ABSENT} and s.day >= date_sub(current_date(), 7)')}", ""),
        (f"select s.id, s.day from {{{{ ref('raw') }}}} as s {block(f'where {ABSENT} and s.day >= date_sub(current_date(), 7)')}", "incremental_strategy='merge', unique_key='day'"),
        (f"select s.id, s.day from {{{{ ref('raw') }}}} as s {block(f'where {ABSENT} and s.day >= date_sub(current_date(), 7)')}", "incremental_strategy='insert_overwrite', partition_by=['day']"),
    ],
)  # fmt: skip
def test_an_absence_of_something_else_is_left(query: str, config: str, tmp_path: Path) -> None:
    assert one(migrated(tmp_path, {"m": incremental(query, config)})).status == "left"


def test_an_absent_key_may_have_another_name_in_the_source(tmp_path: Path) -> None:
    absent = "not exists (select 1 from {{ this }} as t where t.sale_id = s.id)"
    query = f"select s.id as sale_id, s.day from {{{{ ref('raw') }}}} as s {block(f'where {absent} and s.day >= date_sub(current_date(), 7)')}"
    result = one(migrated(tmp_path, {"m": incremental(query)}))
    assert result.options.get("unique_key") == ["sale_id"], result.reason


# --- config that a macro returns


SETTINGS = (
    "{% macro by_day(column) %}{{ return({'incremental_strategy': 'insert_overwrite', 'partition_by': [column], 'tags': ['x']}) }}{% endmacro %}\n"
    "{% macro by_target() %}{% do return({'incremental_strategy': 'merge' if target.name == 'prod' else 'append'}) %}{% endmacro %}\n"
    "{% macro a_text() %}merge{% endmacro %}\n"
)
DAYS = "select id, day from {{ ref('raw') }}\n" + block("where day >= date_sub(current_date(), 3)")


def test_what_a_macro_gives_to_config_is_written_out(tmp_path: Path) -> None:
    text = f"{{{{ config(materialized='incremental', **by_day('day')) }}}}\n{DAYS}"
    result = one(migrated(tmp_path, {"m": text, "macros/settings.sql": SETTINGS}))
    assert result.kind == TIME_RANGE, result.reason
    assert str(result.new_text).startswith(
        "{{ config(materialized='incremental_by_time_range', meta={'time_column': 'day', 'lookback': 3}, partition_by=['day'], tags=['x']) }}\n"
    )
    assert "ConfigWritten" in {note.code for note in result.notes}
    assert "**by_day('day')" in result.diff


@pytest.mark.parametrize(
    ("given", "variables", "value"),
    [
        ("materialized=var('as', 'incremental')", {}, "'incremental'"),
        ('materialized=var("as", default="incremental")', {}, "'incremental'"),
        ("materialized=var('as', 'table')", {"as": "incremental"}, "'incremental'"),
        ("materialized='incremental', incremental_strategy=var('how')", {"how": "append"}, "'append'"),
    ],
)
def test_a_setting_that_is_a_variable_of_the_project_has_its_value(
    given: str, variables: dict[str, str], value: str, tmp_path: Path
) -> None:
    text = f"{{{{ config({given}) }}}}\n{DAYS}"
    result = one(migrated(tmp_path, {"m": text}, settings={"vars": variables}))
    assert result.kind == TIME_RANGE, result.reason
    assert str(result.new_text).startswith("{{ config(materialized='incremental_by_time_range', meta=")
    told = [note.message for note in result.notes if note.code == "ConfigWritten"]
    assert len(told) == 1 and f"whose value here is {value}" in told[0]
    assert f"-{{{{ config({given}) }}}}" in result.diff


@pytest.mark.parametrize(
    ("given", "code"),
    [
        ("var('as')", "ComputedConfig"),
        ("var('as', 'incremental') ~ ''", "ComputedConfig"),
        ("var('as', var('other', 'incremental'))", "ComputedConfig"),
        ("var('as', 'table')", "NotIncremental"),
    ],
)
def test_a_setting_without_a_value_in_the_project_is_left(given: str, code: str, tmp_path: Path) -> None:
    reason = one(migrated(tmp_path, {"m": f"{{{{ config(materialized={given}) }}}}\n{DAYS}"})).reason
    assert reason is not None and reason.code == code


@pytest.mark.parametrize("call", ["by_target()", "a_text()", "elsewhere.settings()", "by_day(var('x'))"])
def test_a_config_that_only_a_run_knows_is_left(call: str, tmp_path: Path) -> None:
    text = f"{{{{ config(materialized='incremental', **{call}) }}}}\n{DAYS}"
    result = one(migrated(tmp_path, {"m": text, "macros/settings.sql": SETTINGS}))
    assert result.reason is not None and result.reason.code == "ComputedConfig", result.new_text


# --- hooks that delete what is loaded again


@pytest.mark.parametrize(
    ("hook", "where", "lookback"),
    [
        ("pre_hook=\"delete from {{ this }} where day >= date_sub(current_date(), 3)\"", "where day >= date_sub(current_date(), 3)", 3),
        ("pre_hook=\"{% if is_incremental() %}delete from {{ this }} where day >= date_sub(current_date(), 2);{% endif %}\"", "where day >= date_sub(current_date(), 3)", 3),
        # what is deleted moves the newest value back
        ("pre_hook=[\"delete from {{ this }} where day >= date_sub(current_date(), 5)\"]", "where day > (select max(day) from {{ this }})", 5),
        ("post_hook=\"DELETE FROM {{ this }} WHERE day >= current_date()\"", "where day >= (select max(day) from {{ this }})", 1),
        ("pre_hook=\"delete from {{ this }} where day >= date_sub(current_date(), 5)\"", "where day >= date_sub(current_date(), 3)", None),
        ("pre_hook=\"delete from {{ this }} where region = 'x'\"", "where day >= date_sub(current_date(), 3)", None),
        ("pre_hook=\"delete from {{ this }} where day < date_sub(current_date(), 300)\"", "where day >= date_sub(current_date(), 3)", None),
        ("pre_hook=\"delete from {{ ref('other') }} where day >= date_sub(current_date(), 3)\"", "where day >= date_sub(current_date(), 3)", None),
        ("pre_hook=\"delete from {{ this }} where day >= date_sub(current_date(), 3); delete from x\"", "where day >= date_sub(current_date(), 3)", None),
    ],
)  # fmt: skip
def test_a_hook_that_deletes_what_is_loaded_again_is_removed(
    hook: str, where: str, lookback: int | None, tmp_path: Path
) -> None:
    text = incremental(
        f"select id, day from {{{{ ref('raw') }}}}\n{block(where)}", f"incremental_strategy='append', {hook}"
    )
    result = one(migrated(tmp_path, {"m": text}))
    if lookback is None:
        assert result.reason is not None and result.reason.code == "OwnStateTable", result.new_text
    else:
        assert (result.kind, result.options.get("lookback")) == (TIME_RANGE, lookback), result.reason
        assert "delete" not in str(result.new_text).lower()
        assert "HookRemoved" in {note.code for note in result.notes}


def test_a_hook_that_deletes_is_no_part_of_a_model_that_reads_everything(tmp_path: Path) -> None:
    hook = 'pre_hook="delete from {{ this }} where day >= date_sub(current_date(), 3)"'
    result = one(
        migrated(
            tmp_path,
            {"m": incremental("select id, day from {{ ref('raw') }}", f"incremental_strategy='append', {hook}")},
        )
    )
    assert result.reason is not None and result.reason.code == "OwnStateTable"


# --- filters that a macro writes in both runs


BOTH = """{% macro since(column, first='2020-01-01') %}{{ column }} >= {% if is_incremental() %}date_sub(current_date(), 3){% else %}date '{{ first }}'{% endif %}{% endmacro %}
{% macro valid_since(column) %}where id > 0 {% if is_incremental() %}and {{ column }} >= date_sub(current_date(), 3){% endif %}{% endmacro %}
{% macro source_of(name) %}{% if is_incremental() %}(select * from {{ name }}_new){% else %}{{ name }}{% endif %}{% endmacro %}
"""


@pytest.mark.parametrize(
    ("query", "options", "wanted"),
    [
        ("select id, day from {{ ref('raw') }} where {{ since('day') }}", {"start": "2020-01-01"}, "where day between"),
        ("select id, day from {{ ref('raw') }} {{ valid_since('day') }}", {}, "where id > 0 and day between"),
        ("select id, day from {{ source_of('raw') }}", None, ""),
    ],
)
def test_a_macro_is_rendered_as_both_runs_see_it(
    query: str, options: dict[str, str] | None, wanted: str, tmp_path: Path
) -> None:
    result = one(migrated(tmp_path, {"m": incremental(query), "macros/both.sql": BOTH}))
    if options is None:
        assert result.reason is not None and result.reason.code == "MacroFilter", result.new_text
    else:
        assert result.reason is None, result.reason
        assert result.options == {"time_column": "day", **options, "lookback": 3}
        assert f"{wanted} {{{{ dbt_kinds.start_date() }}}} and {{{{ dbt_kinds.end_date() }}}}" in str(result.new_text)


# --- one day a run


ONE_DAY = "where day = '{{ var(\"d\") }}'"


@pytest.mark.parametrize(
    "query",
    [
        f"select id, sum(n) as n from {{{{ ref('raw') }}}} {ONE_DAY} group by id",
        f"select id, n from {{{{ ref('raw') }}}} {ONE_DAY} qualify row_number() over (partition by kind order by n) = 1",
        f"with a as (select * from {{{{ ref('a') }}}} {ONE_DAY}) select b.id, a.n from {{{{ ref('b') }}}} as b left join a on a.id = b.id",
        f"select id, n from {{{{ ref('a') }}}} {ONE_DAY} union all select id, n from {{{{ ref('b') }}}}",
    ],
)
def test_a_query_of_one_day_a_run_may_be_of_any_shape(query: str, tmp_path: Path) -> None:
    result = one(migrated(tmp_path, {"m": incremental(query, MERGE)}))
    assert (result.kind, result.options) == (KEY, {"unique_key": ["id"], "batch_size": 1}), result.reason
    assert "where day between {{ dbt_kinds.start_date() }} and {{ dbt_kinds.end_date() }}" in str(result.new_text)


def test_days_of_a_range_are_cut_from_one_that_is_read_as_a_whole(tmp_path: Path) -> None:
    config = "incremental_strategy='insert_overwrite', partition_by=['day']"
    files = {
        "half": incremental(
            f"select id, day from {{{{ ref('a') }}}} {ONE_DAY} union all select id, day from {{{{ ref('b') }}}}", config
        ),
        "numbered": incremental(
            f"select id, day, row_number() over (order by id) as n from {{{{ ref('a') }}}} {ONE_DAY}", config
        ),
    }
    migration = migrated(tmp_path, files)
    assert one(migration, "half").status == "left"
    assert one(migration, "numbered").options == {"time_column": "day", "batch_size": 1}


@pytest.mark.parametrize("other", ["'{{ var(\"e\") }}'", "date_sub(to_date('{{ var(\"d\") }}'), 1)"])
def test_different_days_in_one_run_are_left(other: str, tmp_path: Path) -> None:
    query = f"with b as (select * from {{{{ ref('b') }}}} where b.day = {other}) select a.id from {{{{ ref('a') }}}} as a join b using (id) where a.day = '{{{{ var(\"d\") }}}}'"
    result = one(migrated(tmp_path, {"m": incremental(query, MERGE)}))
    assert result.reason is not None and result.reason.code == "FiltersDisagree", result.new_text


# --- full joins


SIDE = "select day, k, n from {{{{ ref('{0}') }}}} {{% if is_incremental() %}} where day >= (select max(day) from {{{{ this }}}}) - interval {1} day {{% endif %}}"


def full_join(on: str, day: str = "coalesce(a.day, b.day) as day", second: str = SIDE.format("y", 1)) -> str:
    return f"with a as ({SIDE.format('x', 1)}),\nb as ({second})\nselect {day}, coalesce(a.k, b.k) as k, a.n from a full outer join b {on}"


@pytest.mark.parametrize(
    "query",
    [
        full_join("on a.day = b.day and a.k = b.k"),
        full_join("on b.day = a.day", "coalesce(b.day, a.day) as day"),
        full_join("using (day, k)"),
        full_join("on date_trunc('day', a.day) = date_trunc('day', b.day)", "date_trunc('day', coalesce(a.day, b.day)) as day"),
    ],
)  # fmt: skip
def test_a_full_join_on_the_time_of_two_inputs_that_are_filtered_alike(query: str, tmp_path: Path) -> None:
    result = one(migrated(tmp_path, {"m": incremental(query, "file_format='iceberg'")}))
    assert (result.kind, result.options) == (TIME_RANGE, {"time_column": "day", "lookback": 1}), result.reason
    assert str(result.new_text).count("between {{ dbt_kinds.start_date() }}") == 2


@pytest.mark.parametrize(
    ("query", "words"),
    [
        (full_join("on a.day = b.day", second="select day, k, n from {{ ref('y') }}"), "beside the filtered ones; filter it"),
        (full_join("on a.day = b.day", second=SIDE.format("y", 3)), "filter it by the same bound"),
        (full_join("on a.k = b.k"), "does not join on the time"),
        (full_join("on a.day = b.day + interval 1 day"), "does not join on the time"),
        (full_join("on a.day = b.day", "a.day"), "select coalesce() of its two times"),
        (full_join("on a.day = b.day", "b.day"), "select coalesce() of its two times"),
    ],
)  # fmt: skip
def test_another_full_join_is_left(query: str, words: str, tmp_path: Path) -> None:
    result = one(migrated(tmp_path, {"m": incremental(query)}))
    assert result.reason is not None, result.new_text
    assert words in result.reason.message


# --- microbatch


@pytest.mark.parametrize(
    ("column", "condition"),
    [
        ("_valid_from", "cast(_valid_from as timestamp) between {{ dbt_kinds.start_dt() }} and {{ dbt_kinds.end_dt() }}"),
        ("happened_at", "happened_at between {{ dbt_kinds.start_dt() }} and {{ dbt_kinds.end_dt() }}"),
    ],
)  # fmt: skip
def test_the_event_time_of_an_input_whose_type_nothing_says_is_cast(
    column: str, condition: str, tmp_path: Path
) -> None:
    parent = f"{{{{ config(materialized='table', event_time='{column}') }}}}\nselect id, {column} from {{{{ source('a', 'b') }}}}"
    config = "incremental_strategy='microbatch', event_time='day', begin='2024-01-01', batch_size='day'"
    result = one(migrated(tmp_path, {"m": incremental("select id, day from {{ ref('p') }}", config), "p": parent}))
    assert result.kind == TIME_RANGE, result.reason
    assert f"from (select * from {{{{ ref('p') }}}} where {condition})" in str(result.new_text)
    assert "TypeFromName" in {note.code for note in result.notes} or column != "_valid_from"


# --- forms of dbt's own documentation, and of many projects


DAYS_LISTED = "{% set days = ['current_date', 'date_sub(current_date, interval 1 day)'] %}\n"
BY_DAY = "incremental_strategy='insert_overwrite', partition_by={'field': 'day', 'data_type': 'date'}"
NEWEST_AT = "(select max(event_at) from {{ this }})"

# the dialect, the model, its options
FORMS: dict[str, tuple[str, str, dict[str, object]]] = {
    "the table may be empty": (
        "spark",
        incremental(f"select id, event_at from {{{{ ref('raw') }}}}\n{block(f'where event_at > {NEWEST_AT} or {NEWEST_AT} is null')}"),
        {"time_column": "event_at", "lookback": 1},
    ),
    "in brackets": (
        "spark",
        incremental(f"select id, event_at from {{{{ ref('raw') }}}}\n{block(f'where ({NEWEST_AT} is null or event_at > {NEWEST_AT})')}"),
        {"time_column": "event_at", "lookback": 1},
    ),
    "no null": (
        "spark",
        incremental(f"select id, event_at from {{{{ ref('raw') }}}}\n{block('where event_at > (select max(event_at) from {{ this }} where event_at is not null)')}"),
        {"time_column": "event_at", "lookback": 1},
    ),
    "never before": (
        "spark",
        incremental("select id, event_at from {{ ref('raw') }}\n" + block("where event_at > (select greatest(max(event_at), timestamp '1900-01-01') from {{ this }})")),
        {"time_column": "event_at", "lookback": 1},
    ),
    "listed partitions": (
        "bigquery",
        f"{DAYS_LISTED}{{{{ config(materialized='incremental', {BY_DAY}, partitions=days) }}}}\nselect date(at) as day, id from {{{{ ref('raw') }}}}\n"
        + block("where date(at) in ({{ days | join(',') }})"),
        {"time_column": "day", "lookback": 1},
    ),
    "dbt_max_partition": (
        "bigquery",
        incremental(f"select date(at) as day, id from {{{{ ref('raw') }}}}\n{block('where date(at) >= date_sub(date(_dbt_max_partition), interval 2 day)')}", BY_DAY),
        {"time_column": "day", "lookback": 2},
    ),
    "days between": (
        "spark",
        incremental(f"select id, day from {{{{ ref('raw') }}}}\n{block('where datediff(current_date(), day) <= 3')}", "incremental_strategy='insert_overwrite', partition_by=['day']"),
        {"time_column": "day", "lookback": 3},
    ),
    "a value before the query": (
        "snowflake",
        "{% set newest = none %}\n{% if execute and is_incremental() %}{% set newest = run_query('select max(seen_at) from ' ~ this).columns[0].values()[0] %}{% endif %}\n"
        + incremental("select id, seen_at from {{ ref('raw') }}\n" + block("where seen_at > '{{ newest }}'"), "unique_key='id'"),
        {"unique_key": ["id"], "lookback": 1},
    ),
    "a variable of days": (
        "databricks",
        incremental("select id, event_at from {{ ref('raw') }}\n" + block("where event_at > (select max(event_at) - interval '{{ var(\"days\", 3) }} days' from {{ this }})")),
        {"time_column": "event_at", "lookback": 3},
    ),
    "a start that a variable gives": (
        "spark",
        incremental("select id, event_at from {{ ref('raw') }}\nwhere event_at >= '{{ var(\"begin\") }}'\n" + block(f"and event_at > {NEWEST_AT}")),
        {"time_column": "event_at", "lookback": 1, "start": 'var("begin")'},
    ),
    # the condition stays, so that what it leaves out stays out
    "a start that a variable gives, and leaves out": (
        "spark",
        incremental("select id, event_at from {{ ref('raw') }}\nwhere event_at > '{{ var(\"begin\") }}'\n" + block(f"and event_at > {NEWEST_AT}")),
        {"time_column": "event_at", "lookback": 1, "start": 'var("begin")'},
    ),
}  # fmt: skip


@pytest.mark.parametrize(
    ("bound", "suffix"),
    [
        ("datetime(date('{{ var(\"a\") }}'))", "dt"),
        ("timestamp(date('{{ var(\"a\") }}'))", "dt"),
        ("date('{{ var(\"a\") }}')", "date"),
    ],
)
def test_what_a_column_is_compared_with_says_more_than_its_name(bound: str, suffix: str, tmp_path: Path) -> None:
    query = "select id, run_date from {{ ref('raw') }}\n" + block(f"where run_date >= {bound}")
    result = one(migrated(tmp_path, {"m": incremental(query)}, "bigquery"))
    assert f"run_date between {{{{ dbt_kinds.start_{suffix}() }}}} and {{{{ dbt_kinds.end_{suffix}() }}}}" in str(
        result.new_text
    ), result.reason


@pytest.mark.parametrize("name", FORMS)
def test_documented_forms(name: str, tmp_path: Path) -> None:
    dialect, text, options = FORMS[name]
    result = one(migrated(tmp_path, {"m": text}, dialect))
    assert result.options == options, result.reason
    assert "this" not in str(result.new_text) and "partitions" not in str(result.new_text)


@pytest.mark.parametrize(
    ("text", "code", "words"),
    [
        (incremental("select id, event_at from {{ ref('raw') }}\n" + block(f"where event_at > {NEWEST_AT} or id is null")), "SecondUseOfIsIncremental", "or"),
        (incremental("select id, event_at from {{ ref('raw') }}\n" + block(f"where event_at > {NEWEST_AT} or (select max(id) from {{{{ ref('raw') }}}}) is null")), "SecondUseOfIsIncremental", "or"),
        (incremental("select id, event_at from {{ ref('raw') }}\n" + block(f"where event_at > {NEWEST_AT} or (select max(seen_at) from {{{{ this }}}}) is null")), "SecondUseOfIsIncremental", "or"),
        (incremental("select id, event_at from {{ ref('raw') }}\n" + block("where event_at > (select max(event_at) from {{ this }} where id is not null)")), "ReadsThisElsewhere", "newest"),
        (incremental("select id, day from {{ ref('raw') }}\n" + block("where day in (current_date, date_sub(current_date, 2))")), "UnreadableBlock", "is no bound that can be read"),
        (f"{DAYS_LISTED}{{{{ config(materialized='incremental', {BY_DAY}, partitions=days) }}}}\nselect date(at) as day, id from {{{{ ref('raw') }}}}\n"
         + block("where date(at) >= date_sub(current_date, interval 3 day)"), "FilterNotOnPartition", "does not read by that list"),
        (f"{{% set days = run_query('select distinct day from src').columns[0].values() %}}\n{{{{ config(materialized='incremental', {BY_DAY}) }}}}\nselect day, id from {{{{ ref('raw') }}}}\n"
         + block("where day in ({{ days | join(',') }})"), "RunQueryLogic", "days lists what a query finds"),
        # rows that it leaves out would be recorded as loaded
        (incremental("select id, event_at from {{ ref('raw') }}\nwhere event_at < '{{ var(\"end\") }}'\n" + block(f"and event_at > {NEWEST_AT}")), "UnboundPartition", "would be recorded"),
        (incremental("select id, event_at from {{ ref('raw') }}\nwhere event_at > '{{ var(\"begin\") }}' and event_at <= '{{ var(\"end\") }}'"), "UnreadableBlock", "`>` leaves out the time that the variable begin names"),
        (incremental("select id, event_at from {{ ref('raw') }}\nwhere other_at >= '{{ var(\"begin\") }}'\n" + block(f"and event_at > {NEWEST_AT}")), "UnboundPartition", "would be recorded"),
    ],
)  # fmt: skip
def test_forms_that_look_alike_are_left(text: str, code: str, words: str, tmp_path: Path) -> None:
    result = one(migrated(tmp_path, {"m": text}, "bigquery" if "interval" in text else "spark"))
    assert result.reason is not None, result.new_text
    assert (result.reason.code, words in result.reason.message) == (code, True), result.reason.message


# --- one of several bounds


@pytest.mark.parametrize(
    ("condition", "lookback"),
    [
        ("(day > (select max(day) from {{ this }}) or day >= current_date - 7)", 7),
        ("(day >= current_date - 2 or day > (select max(day) - 4 from {{ this }}))", 4),
        ("((day >= current_date - 2) or (day >= current_date - 3))", 3),
    ],
)
def test_the_wider_of_two_bounds_is_the_window(condition: str, lookback: int, tmp_path: Path) -> None:
    result = one(migrated(tmp_path, {"m": filtered(condition, "id, day")}))
    assert (result.kind, result.options) == (TIME_RANGE, {"time_column": "day", "lookback": lookback}), result.reason
    assert "where (day between {{ dbt_kinds.start_date() }} and {{ dbt_kinds.end_date() }})" in str(result.new_text)
    codes = {note.code for note in result.notes}
    assert ("MissedRuns" in codes) is ("max(" not in condition), "the newest value waits for no run"


@pytest.mark.parametrize(
    "condition",
    [
        "day > (select max(day) from {{ this }}) or day >= current_date - 7",
        "(day > (select max(day) from {{ this }}) or other_day >= current_date - 7)",
        "(day > (select max(day) from {{ this }}) or status = 'open')",
        "(day > (select max(day) from {{ this }}) or day <= current_date - 7)",
        "(day >= '{{ var(\"a\") }}' or day >= current_date - 7)",
        "(day > (select max(day) from {{ this }}) and id > 3 or day >= current_date - 7)",
    ],
)
def test_other_alternatives_are_left(condition: str, tmp_path: Path) -> None:
    result = one(migrated(tmp_path, {"m": filtered(condition, "id, day, other_day, status")}))
    assert result.reason is not None, result.new_text


@pytest.mark.parametrize("condition", ["1 = 1\n  and {}", "true and {}", "{} and 1=1"])
def test_a_condition_that_is_true_of_all_rows_goes_with_the_block(condition: str, tmp_path: Path) -> None:
    newest = "day > (select max(day) from {{ this }})"
    result = one(migrated(tmp_path, {"m": filtered(condition.format(newest), "id, day")}))
    assert result.kind == TIME_RANGE, result.reason
    assert "where day between {{ dbt_kinds.start_date() }} and {{ dbt_kinds.end_date() }}\n" in str(result.new_text)


# --- days beside a time


RUN = "where {0} between to_date('{{{{ var(\"a\") }}}}' - interval 10 hours) and to_date('{{{{ var(\"b\") }}}}') and {1} between to_timestamp('{{{{ var(\"a\") }}}}' - interval 10 hours) and to_timestamp('{{{{ var(\"b\") }}}}')"
TIMES = "select id, day, sold_at from {{ ref('raw') }}\n"


def test_days_beside_a_time_are_read_from_a_day_before_its_window_on(tmp_path: Path) -> None:
    result = one(migrated(tmp_path, {"m": incremental(TIMES + block(RUN.format("day", "sold_at")), MERGE)}))
    assert (result.kind, result.options) == (KEY, {"unique_key": ["id"], "lookback": 1}), result.reason
    assert (
        "where day >= {{ dbt_kinds.start_date() }} - interval 1 day and sold_at between {{ dbt_kinds.start_dt() }} and {{ dbt_kinds.end_dt() }}\n"
    ) in str(result.new_text)
    told = [note.message for note in result.notes if note.code == "DaysBeside"]
    assert len(told) == 1 and told[0].startswith(
        "sold_at decides what is in a window, and day is read from a day before"
    )


@pytest.mark.parametrize("config", [MERGE, "incremental_strategy='append'"])
def test_the_days_of_the_time_itself_only_read_less(config: str, tmp_path: Path) -> None:
    since = "where sold_at > (select max(sold_at) from {{ this }}) and cast(sold_at as date) >= (select cast(max(sold_at) as date) from {{ this }})"
    result = one(migrated(tmp_path, {"m": incremental(TIMES + block(since), config)}))
    assert result.kind == (KEY if config == MERGE else TIME_RANGE), result.reason
    assert "and cast(sold_at as date) >= {{ dbt_kinds.start_date() }}\n" in str(result.new_text)
    assert "interval" not in str(result.new_text)
    assert "DaysBeside" not in {note.code for note in result.notes}


@pytest.mark.parametrize(
    ("filters", "config"),
    [
        # a range would be deleted with rows that its days leave out
        (RUN.format("day", "sold_at"), "incremental_strategy='append'"),
        # of another time
        ("where day >= current_date() - 3 and sold_at >= now() - interval 5 days", MERGE),
        ("where day >= (select max(day) from {{ this }}) and sold_at > (select max(sold_at) from {{ this }})", MERGE),
        # neither is of days
        ("where shipped_at >= now() - interval 3 days and sold_at >= now() - interval 3 days", MERGE),
        (
            f"{RUN.format('day', 'sold_at')} and shipped_at >= to_timestamp('{{{{ var(\"a\") }}}}' - interval 10 hours)",
            MERGE,
        ),
    ],
)
def test_two_columns_of_a_filter_that_need_not_agree_are_left(filters: str, config: str, tmp_path: Path) -> None:
    result = one(migrated(tmp_path, {"m": incremental(TIMES + block(filters), config)}))
    assert result.reason is not None and result.reason.code == "FiltersDisagree", result.new_text


# --- conditions that a macro writes with CASE, months, loops over a variable


REAL = "{% macro real(c) %}\n  case when {{ c }} = '0001-01-01' or {{ c }} between '1900-01-01' and '1900-01-02' then null else {{ c }} end\n{% endmacro %}"
NEWEST = "(select max(made_at) from {{ this }})"


@pytest.mark.parametrize(
    ("condition", "written"),
    [
        (f"{{{{ real('made_at') }}}} > {NEWEST}", "{{ real('made_at') }} >= {{ dbt_kinds.start_dt() }}"),
        (f"{NEWEST} < {{{{ real('made_at') }}}}", "{{ real('made_at') }} >= {{ dbt_kinds.start_dt() }}"),
        (
            f"case when made_at = '0001-01-01' or made_at is null then null else made_at end > {NEWEST}",
            "case when made_at = '0001-01-01' or made_at is null then null else made_at end >= {{ dbt_kinds.start_dt() }}",
        ),
    ],
)
def test_a_time_of_which_some_values_are_none_is_a_filter(condition: str, written: str, tmp_path: Path) -> None:
    made = "{{ real('made_at') }}" if "real" in condition else condition.partition(" > ")[0]
    query = f"select id, {made} as made_at from {{{{ ref('raw') }}}} {{% if is_incremental() %}} where {condition} {{% endif %}}"
    text = incremental(query, "incremental_strategy='merge', unique_key='id'")
    result = one(migrated(tmp_path, {"m": text, "macros/real.sql": REAL}))
    assert result.kind == KEY, result.reason
    assert f"where {written}" in str(result.new_text)


@pytest.mark.parametrize("made", ["nullif(made_at, '1900-01-01')", "if(made_at = '1900-01-01', null, made_at)"])
def test_the_type_of_a_time_that_is_none_instead_of_some_value_is_that_of_the_time(made: str, tmp_path: Path) -> None:
    properties = "models:\n  - {name: raw, columns: [{name: made_at, data_type: date}]}\n"
    query = f"select id, {made} as made_at from {{{{ ref('raw') }}}} {{% if is_incremental() %}} where {made} > {NEWEST} {{% endif %}}"
    files = {"m": incremental(query), "raw": "select * from s", "models/raw.yml": properties}
    result = one(migrated(tmp_path, files))
    assert result.kind == TIME_RANGE, result.reason
    assert f"where {made} between {{{{ dbt_kinds.start_date() }}}} and" in str(result.new_text)


@pytest.mark.parametrize(
    ("condition", "options"),
    [
        ("date_trunc('month', day) = date_trunc('month', current_date())", {}),
        ("date_trunc('month', current_date()) = date_trunc('month', day)", {}),
        # on the first, the month that is over
        ("date_trunc('month', day) = date_trunc('month', date_sub(current_date(), 1))", {"lookback": 1}),
    ],
)
def test_the_month_that_it_is_is_loaded_as_far_as_it_is_there(
    condition: str, options: dict[str, int], tmp_path: Path
) -> None:
    columns = "date_trunc('month', day) as month, sum(n) as n"
    config = "incremental_strategy='insert_overwrite', partition_by=['month'], file_format='iceberg'"
    result = one(migrated(tmp_path, {"m": filtered(condition, columns, config, "group by 1")}))
    assert result.kind == TIME_RANGE, result.reason
    assert result.options == {"time_column": "month", "interval_unit": "month", "allow_partials": True, **options}
    between = "date_trunc('month', day) between {{ dbt_kinds.start_date() }} and {{ dbt_kinds.end_date() }}"
    assert f"where {between.replace('date() }} and', 'dt() }} and').replace('end_date', 'end_dt')}" in str(result.new_text) or between in str(result.new_text)  # fmt: skip


@pytest.mark.parametrize(
    ("condition", "told"),
    [
        ("month = date_trunc('month', current_date())", "if month holds beginnings of months, write date_trunc('month', month) in its place"),
        ("month = date_trunc('month', add_months(current_date(), -2))", "selects a single month; write `>=`, which reads the months since then, too"),
        ("day = current_date()", "selects one day, and not the one that is over when a run begins; write `>=`"),
        ("day = (select max(day) from {{ this }})", "reads what is equal to the newest value of the table, and nothing after it; write >="),
        ("day > current_date() - 3 or id = 1", "conditions of which any will do (OR), and a window is a range of one column"),
        ("day > current_date() - 3, b as (select 1)", "the block has the CTE b"),
        ("day > current_date() - 3, 4", "the block has more after a comma, such as columns or a CTE"),
        ("(select max(day) from {{ ref('raw') }}) > (select max(day) from {{ this }})", "finds and no column of the rows, so that it loads all or nothing"),
        ("current_date() > (select max(day) from {{ this }})", "take it out, and each run reads everything"),
        ("day > 1 where month = 2", "more before its WHERE, such as a table that other runs do not read"),
    ],
)  # fmt: skip
def test_a_condition_that_is_no_range_is_told_with_what_to_write(condition: str, told: str, tmp_path: Path) -> None:
    result = one(migrated(tmp_path, {"m": filtered(condition, "id, day, month")}))
    assert result.reason is not None, result.new_text
    assert told in result.reason.message


def test_a_filter_by_what_the_select_calls_something_else_is_told(tmp_path: Path) -> None:
    config = "incremental_strategy='insert_overwrite', partition_by=['month']"
    text = filtered("month >= current_date() - 60", "id, trunc(day, 'MM') as month", config)
    reason = one(migrated(tmp_path, {"m": text})).reason
    assert reason is not None and reason.code == "BoundOfAnotherColumn"
    assert "the select names TRUNC(day, 'MM') month, and filters by month" in reason.message


def test_what_groups_or_joins_the_filtered_rows_is_named(tmp_path: Path) -> None:
    newest = "{% if is_incremental() %} where day > (select max(day) from {{ this }}) {% endif %}"
    grouped = f"with s as (select * from {{{{ ref('raw') }}}} {newest}) select shop, kind, max(day) as day from s group by 1, kind"
    joined = f"with s as (select * from {{{{ ref('raw') }}}} {newest}) select o.id, s.day from {{{{ ref('o') }}}} o left join s on s.id = o.id"
    migration = migrated(tmp_path, {"m": incremental(grouped), "n": incremental(joined)})
    reasons = [one(migration, name).reason for name in ("m", "n")]
    assert [str(reason and reason.message) for reason in reasons] == [
        "group by shop, kind does not contain the filtered column; group by that, too, or filter by what rows are grouped by",
        "the filtered rows of s are the optional side of a join; filter the other side by the same bound",
    ]


def test_two_filters_that_are_written_alike_are_told_apart_by_their_lines(tmp_path: Path) -> None:
    newest = "{% if is_incremental() %} where at > (select max(at) from {{ this }}) {% endif %}"
    query = (
        f"with a as (select id, at from {{{{ ref('a') }}}} {newest}),\n"
        f"b as (select id, x from {{{{ ref('b') }}}} {newest})\n"
        "select a.id, a.at, b.x from a left join (select id, max(x) as x from b group by id) as b on b.id = a.id"
    )
    reason = one(migrated(tmp_path, {"m": incremental(query, "incremental_strategy='merge', unique_key='id'")})).reason
    assert reason is not None
    assert reason.code != "FiltersDisagree" or "at (line 2) and at (line 3)" in reason.message


def test_what_cannot_be_parsed_is_told_with_its_line_and_what_stands_there(tmp_path: Path) -> None:
    text = filtered("at > (select max(at) from {{ this }})", "id, at", "", "and size ==== 3\n")
    reason = one(migrated(tmp_path, {"m": text})).reason
    assert reason is not None and reason.code == "UnreadableModel"
    assert reason.line == text.splitlines().index("and size ==== 3") + 1
    assert "where the filter and size == == 3`: Required keyword: 'expression' missing for EQ" in reason.message


LISTED_DAYS = """{{% set days = ['current_date'] %}}
{{% for i in range({0}) %}}{{% set days = days.append('date_sub(current_date, interval ' + (i + 1) | string + ' day)') %}}{{% endfor %}}
{{{{ config(materialized='incremental', incremental_strategy='insert_overwrite', partition_by={{'field': 'day', 'data_type': 'date'}}, partitions=days) }}}}
select day, count(*) as n from {{{{ ref('raw') }}}} {{% if is_incremental() %}} where day in ({{{{ days | join(',') }}}}) {{% endif %}} group by 1
"""


@pytest.mark.parametrize(("count", "is_told"), [("3", False), ("var('back')", True), ("var('b', 3)", True)])
def test_days_that_a_loop_lists_as_often_as_a_variable_says_are_the_lookback(
    count: str, is_told: bool, tmp_path: Path
) -> None:
    result = one(migrated(tmp_path, {"m": LISTED_DAYS.format(count)}, "bigquery", settings={"vars": {"back": 3}}))
    assert result.options == {"time_column": "day", "lookback": 3}, result.reason
    assert ("LookbackFromVariable" in {note.code for note in result.notes}) == is_told


def test_a_loop_over_a_variable_without_a_value_is_told_by_its_name(tmp_path: Path) -> None:
    reason = one(migrated(tmp_path, {"m": LISTED_DAYS.format("var('back')")}, "bigquery")).reason
    assert reason is not None
    assert "a loop runs as often as the variable back says, which has no number in dbt_project.yml" in reason.message

"""Watermarks in CTEs: they mean what the same value in the filter means, or the model is left."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.migrating import migrated, one
from tests.unit.test_migrate import KEY, TIME_RANGE, incremental

BLOCK = "{% if is_incremental() %}"
END = "{% endif %}"
NEWEST = "select max(event_at) as t from {{ this }}"
SOURCE = "select s.id, s.event_at\nfrom {{ ref('raw') }} as s"
WINDOW = "s.event_at between {{ dbt_kinds.start_dt() }} and {{ dbt_kinds.end_dt() }}"

# queries, and what is left of each
LOOKED_UP: dict[str, tuple[str, str]] = {
    "in a block": (
        f"with last as (\n  {NEWEST}\n)\n{SOURCE}\n{BLOCK} where s.event_at > (select t from last) {END}",
        f"{SOURCE}\nwhere {WINDOW}",
    ),
    "the newest of one row": (
        f"with last as ({NEWEST})\n{SOURCE}\n{BLOCK} where s.event_at > (select max(t) from last as l) {END}",
        f"{SOURCE}\nwhere {WINDOW}",
    ),
    "before another": (
        f"with last as ({NEWEST}),\ns as (select * from {{{{ ref('raw') }}}})\nselect id, event_at from s\n"
        f"{BLOCK} where s.event_at > (select t from last) {END}",
        f"with s as (select * from {{{{ ref('raw') }}}})\nselect id, event_at from s\nwhere {WINDOW}",
    ),
    "after another": (
        f"with s as (select * from {{{{ ref('raw') }}}})\n{BLOCK}\n, last as ({NEWEST})\n{END}\nselect id, event_at from s\n"
        f"{BLOCK} where s.event_at > (select t from last) {END}",
        f"with s as (select * from {{{{ ref('raw') }}}})\nselect id, event_at from s\nwhere {WINDOW}",
    ),
    "with in both branches": (
        f"{BLOCK} with last as ({NEWEST}), {{% else %}} with {END}\ns as (select * from {{{{ ref('raw') }}}})\n"
        f"select id, event_at from s\n{BLOCK} where s.event_at > (select t from last) {END}",
        f"with\ns as (select * from {{{{ ref('raw') }}}})\nselect id, event_at from s\nwhere {WINDOW}",
    ),
    "cross join": (
        f"with last as ({NEWEST})\n{SOURCE}\n{BLOCK} cross join last as l where s.event_at > l.t {END}",
        f"{SOURCE}\nwhere {WINDOW}",
    ),
    "cross join in its own block": (
        f"with last as ({NEWEST})\n{SOURCE}\ncross join last\n{BLOCK} where s.event_at > last.t {END}",
        f"{SOURCE}\nwhere {WINDOW}",
    ),
    "comma": (
        f"with last as ({NEWEST})\n{SOURCE}, last\n{BLOCK} where s.event_at > t {END}",
        f"{SOURCE}\nwhere {WINDOW}",
    ),
    "join on true": (
        f"with last as ({NEWEST})\n{SOURCE}\ninner join last on 1 = 1\n{BLOCK} where s.event_at > last.t {END}",
        f"{SOURCE}\nwhere {WINDOW}",
    ),
    "in a nested query": (
        f"with a as (select 1 as n)\nselect id, event_at from (with last as ({NEWEST}) {SOURCE} {BLOCK} where s.event_at > (select t from last) {END}) as q cross join a",
        f"with a as (select 1 as n)\nselect id, event_at from ( {SOURCE} where {WINDOW} ) as q cross join a",
    ),
    "two of them": (
        f"with last as ({NEWEST}),\nsince as (select t - interval 1 day as t from last)\n{SOURCE}\n{BLOCK} where s.event_at > (select t from since) {END}",
        f"{SOURCE}\nwhere {WINDOW}",
    ),
    "another value at first": (
        f"with last as ({BLOCK} {NEWEST} {{% else %}} select timestamp '1900-01-01' as t {END})\n{SOURCE}\n"
        "where s.id > 0 and s.event_at > (select t from last)",
        f"{SOURCE}\nwhere s.id > 0 and {WINDOW}",
    ),
    "another value at first, and first": (
        f"with last as ({BLOCK} {NEWEST} {{% else %}} select cast('1970-01-01' as timestamp) {END})\n{SOURCE}\n"
        "where s.event_at > (select t from last) and s.id > 0",
        f"{SOURCE}\nwhere {WINDOW} and s.id > 0",
    ),
    "coalesced": (
        f"with last as (select coalesce(max(event_at), timestamp '1900-01-01') as t from {{{{ this }}}})\n{SOURCE}\n"
        f"{BLOCK} where s.event_at > (select t from last) {END}",
        f"{SOURCE}\nwhere {WINDOW}",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", LOOKED_UP)
def test_a_watermark_in_a_cte_is_the_newest_value_in_the_filter(name: str, tmp_path: Path) -> None:
    query, wanted = LOOKED_UP[name]
    result = one(migrated(tmp_path, {"m": incremental(query, "file_format='iceberg'")}))
    assert (result.kind, result.options) == (TIME_RANGE, {"time_column": "event_at", "lookback": 1}), result.reason
    assert str(result.new_text).split("\n", 1)[1].split() == wanted.split()


@pytest.mark.parametrize(
    ("since", "lookback"),
    [
        ("t - interval 3 days", 3),
        ("date_sub(t, 2)", 2),
        ("cast(t as date)", 1),
        ("greatest(t - interval 2 days, t)", 0),
    ],
)
def test_a_watermark_of_a_watermark_is_shifted(since: str, lookback: int, tmp_path: Path) -> None:
    query = (
        f"with newest as ({BLOCK} {NEWEST} {{% else %}} select timestamp '1900-01-01' as t {END}),\n"
        f"last as (select {since} as since from newest)\n{SOURCE}\nwhere s.event_at >= (select since from last)"
    )
    result = one(migrated(tmp_path, {"m": incremental(query)}))
    assert result.options.get("lookback", 0) == lookback, result.reason


def test_a_first_load_that_begins_at_a_date_has_a_start(tmp_path: Path) -> None:
    query = (
        f"with last as ({BLOCK} {NEWEST} {{% else %}} select timestamp '2021-01-01' as t {END})\n{SOURCE}\n"
        "where s.event_at >= (select t from last)"
    )
    result = one(migrated(tmp_path, {"m": incremental(query)}))
    assert result.options == {"time_column": "event_at", "start": "2021-01-01", "lookback": 1}, result.reason


@pytest.mark.parametrize(
    ("query", "code"),
    [
        # its columns are columns of the output
        (f"with last as ({NEWEST})\nselect s.id, s.event_at, last.t from {{{{ ref('raw') }}}} as s cross join last\n{BLOCK} where s.event_at > last.t {END}", "ReadsThisElsewhere"),
        (f"with last as ({NEWEST})\nselect * from {{{{ ref('raw') }}}} as s cross join last\n{BLOCK} where s.event_at > last.t {END}", "ReadsThisElsewhere"),
        # not the newest of the whole table
        (f"with last as ({NEWEST} where id > 3)\n{SOURCE}\n{BLOCK} where s.event_at > (select t from last) {END}", "ReadsThisElsewhere"),
        (f"with last as (select id, max(event_at) as t from {{{{ this }}}} group by id)\n{SOURCE}\n{BLOCK} where s.event_at > (select t from last) {END}", "ReadsThisElsewhere"),
        # one row a key
        (f"with last as ({NEWEST})\n{SOURCE}\njoin last on last.t = s.event_at\n{BLOCK} where s.event_at > last.t {END}", "ReadsThisElsewhere"),
        # the first load reads nothing
        (f"with last as ({BLOCK} {NEWEST} {{% else %}} select null as t {END})\n{SOURCE}\nwhere s.event_at > (select t from last)", "ElseBranchDiffers"),
        (f"with last as ({BLOCK} {NEWEST} {{% else %}} select timestamp '2021-01-01' as t {END})\n{SOURCE}\nwhere s.event_at > (select t from last)", "ElseBranchDiffers"),
        (f"with last as ({NEWEST})\n{SOURCE}\n{BLOCK} where s.event_at > (select t from last) or s.id = 1 {END}", "SecondUseOfIsIncremental"),
        # the newest arrival, and the newest of another column
        (f"with last as (select max(other_at) as t from {{{{ this }}}})\n{SOURCE}\n{BLOCK} where s.event_at > (select t from last) {END}", "BoundOfAnotherColumn"),
        (f"with last as (select min(event_at) as t from {{{{ this }}}})\n{SOURCE}\n{BLOCK} where s.event_at > (select t from last) {END}", "ReadsThisElsewhere"),
    ],
)  # fmt: skip
def test_a_watermark_that_is_used_otherwise_is_left(query: str, code: str, tmp_path: Path) -> None:
    result = one(migrated(tmp_path, {"m": incremental(query)}))
    assert result.reason is not None, result.new_text
    assert result.reason.code == code, result.reason.message


def test_the_reason_has_the_line_of_the_file(tmp_path: Path) -> None:
    query = (
        f"with last as (\n  select max(other_at) as t\n  from {{{{ this }}}}\n)\n\n{SOURCE}\n"
        f"{BLOCK}\nwhere s.event_at > (select t from last)\n{END}"
    )
    result = one(migrated(tmp_path, {"m": incremental(query)}))
    assert result.reason is not None and result.reason.line == 9, result.reason


def test_by_key_as_well(tmp_path: Path) -> None:
    query = (
        f"with last as (select max(updated_at) as t from {{{{ this }}}})\nselect id, updated_at\nfrom {{{{ ref('raw') }}}}\n"
        f"{BLOCK}\nwhere updated_at > (select t from last)\n{END}"
    )
    result = one(migrated(tmp_path, {"m": incremental(query, "incremental_strategy='merge', unique_key='id'")}))
    assert (result.kind, result.options) == (KEY, {"unique_key": ["id"], "lookback": 1}), result.reason
    assert str(result.new_text).endswith("from {{ ref('raw') }}\nwhere updated_at >= {{ dbt_kinds.start_dt() }}\n")


# --- values that a variable switches, and macros of the project


def switched(condition: str, then: str, otherwise: str) -> str:
    return incremental(
        f"with newest as ({BLOCK} {NEWEST} {{% else %}} select timestamp '1900-01-01' as t {END}),\n"
        f"since as (select case when {condition} then {then} else {otherwise} end as t)\n"
        f"{SOURCE}\nwhere s.event_at > (select t from since)"
    )


LOOKED_UP_ALONE = "(select t from newest) - interval 2 days"
HOURS = "now() - interval {{ var('hours', 0) }} hours"


@pytest.mark.parametrize(
    ("condition", "then", "otherwise"),
    [
        ("{{ var('hours', 0) }} > 0", HOURS, LOOKED_UP_ALONE),
        ("{{ var('hours', 0) }} = 0", LOOKED_UP_ALONE, HOURS),
        ("{{ var('reread') }} >= 5", HOURS, LOOKED_UP_ALONE),
        ("{{ 1 }} > 0", LOOKED_UP_ALONE, HOURS),
    ],
)
def test_a_variable_that_chooses_another_bound_has_no_effect_any_more(
    condition: str, then: str, otherwise: str, tmp_path: Path
) -> None:
    files = {"m": switched(condition, then, otherwise)}
    result = one(migrated(tmp_path, files, settings={"vars": {"reread": 3}}))
    assert (result.kind, result.options) == (TIME_RANGE, {"time_column": "event_at", "lookback": 2}), result.reason
    assert str(result.new_text).split("\n", 1)[1].split() == f"{SOURCE}\nwhere {WINDOW}".split()
    told = [note.message for note in result.notes if note.code == "WindowForVariables"]
    name = "reread" if "reread" in condition else "hours"
    assert told == [] if "{{ 1 }}" in condition else name in told[0]


@pytest.mark.parametrize(
    ("condition", "then", "otherwise"),
    [
        # the branch without the newest value is taken
        ("{{ var('hours', 1) }} > 0", HOURS, LOOKED_UP_ALONE),
        # nothing says which branch is taken
        ("{{ var('hours') }} > 0", HOURS, LOOKED_UP_ALONE),
        ("{{ var('hours', 'x') }} > 0", HOURS, LOOKED_UP_ALONE),
        ("{{ run_query('select 1') }} > 0", HOURS, LOOKED_UP_ALONE),
        ("s.id > 0", HOURS, LOOKED_UP_ALONE),
        ("{{ var('hours', 0) }} > 0 or 1 = 1", HOURS, LOOKED_UP_ALONE),
        # it has two more values
        ("{{ var('hours', 0) }} > 0", HOURS, f"{LOOKED_UP_ALONE} + (select max(n) from {{{{ ref('other') }}}})"),
        ("{{ var('hours', 0) }} > 0", HOURS, f"null when 2 > 1 then {LOOKED_UP_ALONE}"),
    ],
)
def test_another_choice_of_a_bound_is_left(condition: str, then: str, otherwise: str, tmp_path: Path) -> None:
    result = one(migrated(tmp_path, {"m": switched(condition, then, otherwise)}))
    assert result.reason is not None, result.new_text


def macro_that_reads(source: str, since: str = "(select t from last)") -> str:
    return f"{{% macro read_new(path, n=1) %}}, s as (\n  select id, event_at\n  from {source}\n  where event_at > {since}\n){{% endmacro %}}"


WITH_MACRO = (
    "with last as (select coalesce(max(event_at), timestamp '1900-01-01') as t from {{{{ this }}}})\n{0}\n"
    "select s.id, s.event_at from s"
)


@pytest.mark.parametrize(
    ("call", "source", "written"),
    [
        ("{{ read_new('s3://raw') }}", "avro.`{{ path }}`", "avro.`s3://raw`"),
        (
            "{% set place = 's3://raw' %}{{ read_new(path=place, n=2) }}",
            "avro.`{{ path }}_{{ n }}`",
            "avro.`s3://raw_2`",
        ),
    ],
)
def test_a_macro_that_reads_from_a_watermark_on_is_written_out(
    call: str, source: str, written: str, tmp_path: Path
) -> None:
    files = {"m": incremental(WITH_MACRO.format(call)), "macros/read.sql": macro_that_reads(source)}
    result = one(migrated(tmp_path, files, event=("event_at",)))
    assert (result.kind, result.options) == (TIME_RANGE, {"time_column": "event_at", "lookback": 1}), result.reason
    text = str(result.new_text)
    assert "read_new" not in text and "last" not in text
    assert f"with s as ( select id, event_at from {written} where {WINDOW.removeprefix('s.')} )" in " ".join(
        text.split()
    )


@pytest.mark.parametrize(
    "macro",
    [
        # what is only known in a run, and what a run chooses
        macro_that_reads("{{ ref('raw') }}"),
        macro_that_reads("avro.`{{ var('path') }}`"),
        macro_that_reads("avro.`x`", "{% if is_incremental() %}(select t from last){% else %}now(){% endif %}"),
        macro_that_reads("avro.`x`", "(select t from last){% if is_incremental() %} and id > 3{% endif %}"),
        macro_that_reads("avro.`x`", "(select t from last) and {{ this }} is not null"),
        # another use
        macro_that_reads("avro.`x`", "(select t from last where t > now())"),
        macro_that_reads("avro.`x`", "(select t from other)"),
    ],
)  # fmt: skip
def test_another_macro_is_not_written_out(macro: str, tmp_path: Path) -> None:
    files = {"m": incremental(WITH_MACRO.format("{{ read_new('x') }}")), "macros/read.sql": macro}
    result = one(migrated(tmp_path, files, event=("event_at",)))
    assert result.reason is not None, result.new_text


# --- numbers


COUNTED = "select id, ts_ms, {0} as event_at\nfrom {{{{ ref('raw') }}}} as r"
SINCE = "select coalesce(max(ts_ms), 0) - (2 * 3600 * 1000) from {{ this }}"


@pytest.mark.parametrize(
    "made",
    [
        "timestamp_millis(ts_ms)",
        "cast(r.ts_ms / 1000 as timestamp)",
        "cast(from_unixtime(cast(coalesce(r.ts_ms, 0) as double) / 1000.0) as timestamp)",
        "cast(timestamp_millis(ts_ms) as timestamp)",
    ],
)
def test_a_number_of_milliseconds_is_replaced_by_the_time_that_is_made_of_it(made: str, tmp_path: Path) -> None:
    query = f"{COUNTED.format(made)}\n{BLOCK} where cast(ts_ms as bigint) >= ({SINCE}) {END}"
    result = one(migrated(tmp_path, {"m": incremental(query, "incremental_strategy='append', file_format='iceberg'")}))
    assert (result.kind, result.options) == (TIME_RANGE, {"time_column": "event_at", "lookback": 1}), result.reason
    assert "where cast(ts_ms as bigint) between {{ dbt_kinds.start_millis() }} and {{ dbt_kinds.end_millis() }}" in str(
        result.new_text
    )
    assert "AppendedOnce" in {note.code for note in result.notes}


@pytest.mark.parametrize(
    ("made", "since", "code"),
    [
        # seconds are no milliseconds
        ("timestamp_seconds(ts_ms)", SINCE, "TimeColumnUnclear"),
        ("cast(ts_ms as timestamp)", SINCE, "TimeColumnUnclear"),
        ("timestamp_millis(other_ms)", SINCE, "TimeColumnUnclear"),
        # text
        ("from_unixtime(ts_ms / 1000)", SINCE, "TimeColumnUnclear"),
        # no name says what a number counts
        ("timestamp_millis(ts_ms)", "select coalesce(max(n), 0) from {{ this }}", "UnreadableBlock"),
    ],
)
def test_another_number_is_left(made: str, since: str, code: str, tmp_path: Path) -> None:
    query = f"{COUNTED.format(made)}\n{BLOCK} where cast(ts_ms as bigint) >= ({since}) {END}"
    result = one(migrated(tmp_path, {"m": incremental(query, "incremental_strategy='append'")}))
    assert result.reason is not None, result.new_text
    assert result.reason.code in (code, "ReadsThisElsewhere"), result.reason


@pytest.mark.parametrize("newest", ["max(ts_ms)", "coalesce(max(ts_ms), 0)", "cast(max(ts_ms) as bigint)"])
def test_a_shift_of_a_number_is_counted_as_the_number_is(newest: str, tmp_path: Path) -> None:
    since = f"(select greatest(0, {newest} - 2 * 24 * 3600 * 1000) from {{{{ this }}}})"
    query = f"{COUNTED.format('timestamp_millis(ts_ms)')}\n{BLOCK} where ts_ms >= {since} {END}"
    assert one(migrated(tmp_path, {"m": incremental(query)})).options == {"time_column": "event_at", "lookback": 2}


def test_a_large_number_is_no_number_of_days(tmp_path: Path) -> None:
    query = f"select id, created_time from {{{{ ref('raw') }}}}\n{BLOCK} where created_time >= (select max(created_time) - 86400 from {{{{ this }}}}) {END}"
    result = one(migrated(tmp_path, {"m": incremental(query)}))
    assert result.reason is not None, result.options


def test_numbers_by_key(tmp_path: Path) -> None:
    query = (
        "select id, ts_ms from {{ ref('raw') }}\n"
        + f"{BLOCK} where ts_ms > (select coalesce(max(ts_ms), 0) from {{{{ this }}}}) {END}"
    )
    result = one(migrated(tmp_path, {"m": incremental(query, "incremental_strategy='merge', unique_key='id'")}))
    assert (result.kind, result.options) == (KEY, {"unique_key": ["id"], "lookback": 1}), result.reason
    assert "where ts_ms >= {{ dbt_kinds.start_millis() }}" in str(result.new_text)

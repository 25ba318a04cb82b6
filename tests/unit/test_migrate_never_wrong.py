"""Conversions that would give another table than the old model, without a note: each class is converted rightly or left."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from dbt_kinds.errors import KindsError
from dbt_kinds.migrate.results import Result
from tests.unit.migrating import migrated, one
from tests.unit.test_migrate import KEY, TIME_RANGE, filtered, incremental

PARTITIONED = "incremental_strategy='insert_overwrite', partition_by=['sale_day']"
MERGED = "incremental_strategy='merge', unique_key='id'"
BY_DAY = "where sale_day between {{ dbt_kinds.start_date() }} and {{ dbt_kinds.end_date() }}"


def codes(result: Result) -> set[str]:
    return {note.code for note in result.notes}


def said(result: Result, code: str) -> str:
    return next(note.message for note in result.notes if note.code == code)


# --- variables of a run


@pytest.mark.parametrize("strategy", [PARTITIONED, MERGED, "incremental_strategy='append'"])
@pytest.mark.parametrize(
    "given",
    [
        "var('day')", "var('dt')", "var('batch')", "var('partition')", "var('as_of')", "var('period')", "var('cutoff')", "var('stichtag')",
        "env_var('RUN_DAY')", "env_var('RUN_DAY', '')", "var('jour', '2024-02-01')",
    ],
)  # fmt: skip
def test_a_variable_that_a_date_equals_is_the_window_of_one_day(given: str, strategy: str, tmp_path: Path) -> None:
    text = incremental(f"select id, sale_day from {{{{ ref('raw') }}}}\nwhere sale_day = '{{{{ {given} }}}}'", strategy)
    result = one(migrated(tmp_path, {"m": text}))
    assert result.kind == (KEY if strategy == MERGED else TIME_RANGE), result.reason
    assert str(result.new_text).rstrip().endswith(BY_DAY)
    assert result.options["batch_size"] == 1
    assert "lookback" not in result.options
    assert "pass kinds_start and kinds_end" in said(result, "WindowForVariables")


def test_a_range_from_a_variable_to_itself_is_one_day(tmp_path: Path) -> None:
    text = incremental("select id, sale_day from {{ ref('raw') }}\nwhere sale_day between '{{ var(\"d\") }}' and '{{ var(\"d\") }}'", PARTITIONED)  # fmt: skip
    result = one(migrated(tmp_path, {"m": text}))
    assert result.options == {"time_column": "sale_day", "batch_size": 1}, result.reason
    assert str(result.new_text).rstrip().endswith(BY_DAY)


def test_a_variable_by_way_of_a_set_is_followed_and_the_set_is_removed(tmp_path: Path) -> None:
    text = incremental(
        "{% set run_day = var('observed', '2024-02-01') %}\n{% set unused = var('unused') %}\n"
        "select id, sale_day from {{ ref('raw') }}\nwhere sale_day = to_date('{{ run_day }}')", PARTITIONED,
    )  # fmt: skip
    result = one(migrated(tmp_path, {"m": text}))
    assert result.kind == TIME_RANGE, result.reason
    assert "run_day" not in str(result.new_text)
    assert str(result.new_text).rstrip().endswith(BY_DAY)


DAY_OF_RUN = """{% macro day_of_run() %}
{%- set day = var('run_day', modules.datetime.date.today()) -%}
{{- day if day is string else day.strftime('%Y-%m-%d') -}}
{% endmacro %}"""


@pytest.mark.parametrize(
    ("column", "strategy", "is_left"),
    [
        ("made_on", "incremental_strategy='insert_overwrite', partition_by=['made_on']", True),
        ("made_on", "incremental_strategy='merge', unique_key=['id', 'made_on']", True),
        # it only labels rows
        ("label", "incremental_strategy='merge', unique_key='id'", False),
    ],
)
def test_a_variable_that_a_template_turns_into_a_partition_or_a_key_leaves_the_model(
    column: str, strategy: str, is_left: bool, tmp_path: Path
) -> None:
    text = incremental(f"select id, date('{{{{ day_of_run() }}}}') as {column} from {{{{ ref('raw') }}}}", strategy)
    result = one(migrated(tmp_path, {"m": text, "macros/day.sql": DAY_OF_RUN}))
    assert (result.reason is not None) == is_left, result.new_text
    if is_left:
        assert result.reason is not None and result.reason.code == "UnboundPartition"
        assert "run_day" in result.reason.message


EPHEMERAL = "{{ config(materialized='ephemeral') }}\n"


@pytest.mark.parametrize("strategy", [PARTITIONED, MERGED, "incremental_strategy='append'"])
@pytest.mark.parametrize(
    "condition", ["sale_day = '{{ var(\"x\") }}'", "{{ chosen('sale_day') }}", "sale_day = '{{ env_var(\"X\") }}'"]
)
def test_a_variable_of_an_ephemeral_parent_leaves_the_model(condition: str, strategy: str, tmp_path: Path) -> None:
    files = {
        "eph": f"{EPHEMERAL}select * from {{{{ ref('src') }}}} where {condition}",
        "over": f"{EPHEMERAL}select * from {{{{ ref('eph') }}}}",
        "m": incremental("select * from {{ ref('over') }}", strategy),
        "macros/chosen.sql": "{% macro chosen(column) %}{{ column }} = '{{ var('x') }}'{% endmacro %}",
    }
    result = one(migrated(tmp_path, files))
    assert result.reason is not None, result.new_text
    assert result.reason.code == "UnboundPartition"
    assert "in the ephemeral model eph decides what is read" in result.reason.message


def test_a_time_before_now_in_an_ephemeral_parent_leaves_a_model_of_partitions(tmp_path: Path) -> None:
    files = {
        "eph": f"{EPHEMERAL}select * from {{{{ ref('src') }}}} where sale_day >= date_sub(current_date(), 3)",
        "m": incremental("select * from {{ ref('eph') }}", PARTITIONED),
        "all_days": incremental("select * from {{ ref('eph') }}", "incremental_strategy='insert_overwrite'"),
    }
    migration = migrated(tmp_path, files)
    reason = one(migration).reason
    assert reason is not None and reason.code == "UnboundPartition" and "the ephemeral model eph" in reason.message
    assert one(migration, "all_days").kind == "full"


@pytest.mark.parametrize("strategy", [PARTITIONED, MERGED, "incremental_strategy='append'"])
def test_a_variable_that_switches_an_ephemeral_parent_leaves_the_model(strategy: str, tmp_path: Path) -> None:
    files = {
        "eph": f"{EPHEMERAL}select * from {{{{ ref('src') }}}} {{% if var('few', false) %}} where id < 100 {{% endif %}}",
        "m": incremental("select * from {{ ref('eph') }}", strategy),
    }
    reason = one(migrated(tmp_path, files)).reason
    assert reason is not None and reason.code == "VariableUsedElsewhere"
    assert "the variable few switches what the query reads in the ephemeral model eph" in reason.message


def test_what_stands_for_one_target_only_bounds_no_other(tmp_path: Path) -> None:
    few = "{% if target.name == 'dev' %} where sale_day >= date_sub(current_date(), 3) {% endif %}"
    result = one(
        migrated(tmp_path, {"m": incremental(f"select id, sale_day from {{{{ ref('raw') }}}} {few}", PARTITIONED)})
    )
    assert result.kind == "incremental_by_partition", result.reason


def test_a_macro_that_returns_a_condition_with_a_variable_becomes_the_window(tmp_path: Path) -> None:
    files = {
        "m": incremental("select id, sale_day from {{ ref('raw') }}\nwhere {{ chosen('sale_day') }}", PARTITIONED),
        "macros/chosen.sql": "{% macro chosen(column) %}{{ column }} = '{{ var('x') }}'{% endmacro %}",
    }
    result = one(migrated(tmp_path, files))
    assert result.kind == TIME_RANGE, result.reason
    assert str(result.new_text).rstrip().endswith(BY_DAY)


@pytest.mark.parametrize("strategy", [PARTITIONED, MERGED, "incremental_strategy='append'"])
@pytest.mark.parametrize(
    ("query", "code"),
    [
        ("select id, '{{ var(\"x\") }}' as sale_day from {{ ref('raw') }}", "UnboundPartition"),
        ("select id, sale_day from {{ ref('raw') }} where region = '{{ var(\"x\") }}'", "UnboundPartition"),
        ("select id, sale_day from {{ ref('raw') }} where sale_day in ('{{ var(\"x\") }}', 'a')", "UnboundPartition"),
        ("select id, sale_day from {{ ref('raw') }} as r join {{ ref('d') }} as d on d.k = r.k and d.sale_day = '{{ var(\"x\") }}'", "UnboundPartition"),
        ("{% if var('x', false) %}select id, sale_day from {{ ref('raw') }}{% else %}select id, sale_day from {{ ref('raw') }} where 1 = 0{% endif %}", "VariableUsedElsewhere"),
        ("select id, sale_day from {{ ref('raw') }} {% if env_var('x', '') == 'all' %} where id > 3 {% endif %}", "VariableUsedElsewhere"),
    ],
)  # fmt: skip
def test_a_variable_that_chooses_what_is_read_otherwise_leaves_the_model(
    query: str, code: str, strategy: str, tmp_path: Path
) -> None:
    if "as sale_day" in query and "sale_day" not in strategy:
        strategy = "incremental_strategy='merge', unique_key='sale_day'"
    result = one(migrated(tmp_path, {"m": incremental(query, strategy)}))
    assert result.reason is not None, result.new_text
    assert (result.reason.code, "the variable x " in result.reason.message) == (code, True)


@pytest.mark.parametrize(
    "query",
    [
        "select id, sale_day from {{ ref('raw') }} where region = '{{ var(\"region\") }}'",
        "select id, sale_day, '{{ var(\"version\") }}' as version from {{ ref('raw') }}",
        "select id, sale_day, {{ var('factor') }} * amount as amount from {{ ref('raw') }} where amount > {{ var('factor') }}",
    ],
)
def test_constants_of_the_project_and_labels_stay(query: str, tmp_path: Path) -> None:
    settings = {"vars": {"region": "north", "factor": 3}}
    result = one(migrated(tmp_path, {"m": incremental(query, PARTITIONED)}, settings=settings))
    assert result.kind == "incremental_by_partition", result.reason
    assert "{{ var(" in str(result.new_text)


# --- the current time


@pytest.mark.parametrize(
    "condition", ["sale_day >= date_sub(current_date(), 3)", "date_sub(current_date(), 3) <= sale_day", "sale_day >= current_date() - interval 3 days"]
)  # fmt: skip
def test_a_time_before_now_outside_a_block_is_a_range_with_a_lookback(condition: str, tmp_path: Path) -> None:
    text = incremental(f"select id, sale_day from {{{{ ref('raw') }}}}\nwhere {condition}", PARTITIONED)
    result = one(migrated(tmp_path, {"m": text}))
    assert (result.kind, result.options) == (TIME_RANGE, {"time_column": "sale_day", "lookback": 3}), result.reason
    assert str(result.new_text).rstrip().endswith(BY_DAY)


def test_a_time_before_now_of_a_joined_input_leaves_a_model_of_partitions(tmp_path: Path) -> None:
    text = incremental(
        "with recent as (select * from {{ ref('b') }} where seen_at >= current_date() - interval 3 days)\n"
        "select a.id, a.sale_day from {{ ref('a') }} as a left join recent on recent.id = a.id", PARTITIONED,
    )  # fmt: skip
    assert one(migrated(tmp_path, {"m": text})).status == "left"


# --- full refreshes


@pytest.mark.parametrize(("setting", "ignored"), [("", False), (", full_refresh=false", True)])
@pytest.mark.parametrize(
    "where", ["", " {% if is_incremental() %} where _loaded_at > (select max(_loaded_at) from {{ this }}) {% endif %}"]
)
def test_an_append_is_rebuilt_by_a_full_refresh_as_before(
    where: str, setting: str, ignored: bool, tmp_path: Path
) -> None:
    text = incremental(
        f"select id, _loaded_at from {{{{ ref('raw') }}}}{where}", f"incremental_strategy='append'{setting}"
    )
    result = one(migrated(tmp_path, {"m": text}))
    assert (result.kind, result.options) == ("incremental_unmanaged", {"disable_restatement": ignored})


# --- edits


@pytest.mark.parametrize(
    ("end", "left"),
    [("; \n", " \n"), (";\n-- done;\n", "\n-- done;\n"), (" {# ; #};;", " {# ; #}"), ("\n/* ; */ ;", "\n/* ; */ "), (" -- ;\n", " -- ;\n")],
)  # fmt: skip
def test_semicolons_at_the_end_are_removed(end: str, left: str, tmp_path: Path) -> None:
    query = f"select id, ';' as semicolon from {{{{ ref('raw') }}}}{end}"
    result = one(migrated(tmp_path, {"m": f"{{{{ config(materialized='incremental', {MERGED}) }}}}\n{query}"}))
    assert str(result.new_text).split("}}", 1)[1] == f"\n{query.removesuffix(end)}{left}"


# --- late rows


@pytest.mark.parametrize("operator", [">", ">="])
@pytest.mark.parametrize(("config", "kind"), [("", TIME_RANGE), (MERGED, KEY)])
def test_the_newest_value_looks_back_one_interval_and_a_note_says_so(
    operator: str, config: str, kind: str, tmp_path: Path
) -> None:
    text = filtered(f"event_at {operator} (select max(event_at) from {{{{ this }}}})", config=config)
    result = one(migrated(tmp_path, {"m": text}))
    assert (result.kind, result.options["lookback"]) == (kind, 1)
    assert "each run reads the day before again" in said(result, "LateRows")


@pytest.mark.parametrize("config", ["", MERGED])
@pytest.mark.parametrize(
    ("bound", "words"),
    [
        ("(select max(event_at) - interval 3 hours from {{ this }})", "the day before"), ("(select date_sub(max(event_at), 3) from {{ this }})", "3 days before"),
        ("(select date_trunc('week', max(event_at)) from {{ this }})", "the week before"),
    ],
)  # fmt: skip
def test_a_newest_value_that_looks_back_waits_for_a_late_source_as_well(
    bound: str, words: str, config: str, tmp_path: Path
) -> None:
    result = one(migrated(tmp_path, {"m": filtered(f"event_at >= {bound}", config=config)}))
    assert f"each run reads {words} again" in said(result, "LateRows"), result.reason


def test_a_time_at_which_a_run_wrote_rows_is_no_order_of_the_source(tmp_path: Path) -> None:
    text = filtered(
        "loaded_at > (select max(written_at) from {{ this }})", "id, current_timestamp() as written_at", MERGED
    )
    result = one(migrated(tmp_path, {"m": text}))
    assert "rows that came since the last run that wrote any" in said(result, "LateRows")
    assert "in the order of" not in said(result, "LateRows")


def test_an_append_by_arrival_cannot_look_back_and_says_what_is_missed(tmp_path: Path) -> None:
    result = one(
        migrated(tmp_path, {"m": filtered("_loaded_at > (select max(_loaded_at) from {{ this }})", "id, _loaded_at")})
    )
    assert "set ready_until where that happens" in said(result, "AppendsWindows")


# --- units


def test_a_week_in_the_key_does_not_make_weeks_of_days(tmp_path: Path) -> None:
    text = filtered(
        "sold_at >= date_trunc('day', now() - interval '1 week')", "date_trunc('week', sold_at) as sold_week, id, sold_at",
        "incremental_strategy='merge', unique_key=['sold_week', 'id']",
    )  # fmt: skip
    result = one(migrated(tmp_path, {"m": text}))
    assert (result.kind, result.options) == (TIME_RANGE, {"time_column": "sold_at", "lookback": 7})


@pytest.mark.parametrize(
    ("config", "options"),
    [
        ("incremental_strategy='merge', file_format='delta'", {"time_column": "sold_at", "lookback": 3}),
        ("incremental_strategy='merge', file_format='iceberg'", {"time_column": "sold_at", "lookback": 3}),
        ("incremental_strategy='merge', file_format='delta', day_too=true", {"time_column": "sold_on", "lookback": 3}),
        ("incremental_strategy='merge'", {"time_column": "sold_month", "interval_unit": "month", "allow_partials": True, "lookback": 1}),
    ],
)  # fmt: skip
def test_a_partition_of_a_month_does_not_make_months_of_days_where_a_part_can_be_replaced(
    config: str, options: dict[str, object], tmp_path: Path
) -> None:
    """Two months of the source would be read each night."""
    key = "['sold_month', 'sold_on', 'id']" if "day_too" in config else "['sold_month', 'id']"
    columns = "date_trunc('month', sold_at) as sold_month, cast(sold_at as date) as sold_on, id, sold_at"
    text = filtered(
        "sold_at >= date_trunc('day', now() - interval '3 days')", columns,
        f"{config}, partition_by=['sold_month'], unique_key={key}",
    )  # fmt: skip
    result = one(migrated(tmp_path, {"m": text}))
    assert (result.kind, result.options) == (TIME_RANGE, options), result.reason


def test_a_month_is_loaded_as_far_as_it_is_there(tmp_path: Path) -> None:
    month = "date_trunc('month', event_at) as month_at, count(*) as n"
    newest = filtered("event_at >= (select max(month_at) from {{ this }})", month, rest="group by 1")
    over = filtered(
        "event_at >= date_trunc('month', now() - interval '1 month') and event_at < date_trunc('month', now())",
        month,
        rest="group by 1",
    )
    migration = migrated(tmp_path, {"newest": newest, "over": over})
    assert one(migration, "newest").options["allow_partials"] is True
    assert "allow_partials" not in one(migration, "over").options


# --- types


TEXT_SOURCE = {
    "sources": [
        {"name": "lake", "tables": [{"name": "t", "columns": [{"name": "updated_at", "description": "ISO 8601 text"}]}]}
    ]
}
DECLARED = {"models": [{"name": "parent", "columns": [{"name": "v", "data_type": "timestamp"}]}]}
NEWEST_OF = "{{% if is_incremental() %}}\nwhere {0} > (select max({0}) from {{{{ this }}}})\n{{% endif %}}"


@pytest.mark.parametrize(
    ("files", "column", "suffix"),
    [
        ({"parent": "select id, cast(x as string) as updated_at from {{ ref('raw') }}"}, "updated_at", None),
        ({"parent": "select * from {{ ref('above') }}", "above": "select id, date_format(x, 'yyyy') as updated_at from {{ ref('raw') }}"}, "updated_at", None),
        ({"parent": "select * from {{ source('lake', 't') }}", "models/s.yml": json.dumps(TEXT_SOURCE)}, "updated_at", None),
        ({"parent": "select id, cast(x as date) as updated_at from {{ ref('raw') }}"}, "updated_at", "date"),
        ({"parent": "select * from {{ ref('above') }}", "above": "with a as (select id, to_timestamp(x) as v from {{ ref('raw') }}) select a.* from a"}, "v", "dt"),
        ({"parent": "select v from {{ ref('raw') }}", "models/s.yml": json.dumps(DECLARED)}, "v", "dt"),
        ({"parent": "select id, current_date() as v from {{ ref('raw') }}"}, "v", "date"),
        ({"parent": "select v from {{ ref('m') }}"}, "v", None),
    ],
)  # fmt: skip
def test_a_type_is_followed_through_parents(
    files: dict[str, str], column: str, suffix: str | None, tmp_path: Path
) -> None:
    text = incremental(f"select id, {column} from {{{{ ref('parent') }}}}\n{NEWEST_OF.format(column)}", MERGED)
    result = one(migrated(tmp_path, {"m": text, **files}))
    if suffix is None:
        assert result.reason is not None and result.reason.code == "UnknownColumnType", result.new_text
    else:
        assert f"where {column} >= {{{{ dbt_kinds.start_{suffix}() }}}}" in str(result.new_text), result.reason
        assert "TypeFromName" not in codes(result)


def test_a_type_that_only_a_name_says_is_told(tmp_path: Path) -> None:
    result = one(migrated(tmp_path, {"m": filtered("event_at > (select max(event_at) from {{ this }})")}))
    assert "event_at is taken for a timestamp by its name alone" in said(result, "TypeFromName")


@pytest.mark.parametrize(
    ("now", "suffix"),
    [("now()", "dt"), ("date_trunc('day', now())", "dt"), ("current_date()", None), ("to_date(now())", None)],
)
def test_what_is_compared_with_a_timestamp_is_compared_with_that_of_the_window(
    now: str, suffix: str | None, tmp_path: Path
) -> None:
    result = one(migrated(tmp_path, {"m": filtered(f"t >= {now} - interval 2 days", "id, t", MERGED)}))
    if suffix is None:
        assert result.reason is not None and result.reason.code == "UnknownColumnType"
    else:
        assert f"where t >= {{{{ dbt_kinds.start_{suffix}() }}}}" in str(result.new_text), result.reason
        assert "t is compared with timestamps, as before" in said(result, "TypeFromName")


# --- zones


def in_zone(expression: str, *, hours: bool = False) -> str:
    unit = "hour" if hours else "day"
    bound = "(select max(d) from {{ this }})" if not hours else "date_trunc('hour', now() - interval '3 hours')"
    return filtered(
        f"{expression} >= {bound}", f"id, {expression} as d", f"incremental_strategy='append', tags=['{unit}']"
    )


@pytest.mark.parametrize(
    ("text", "zone"),
    [
        (in_zone("to_date(from_utc_timestamp(ts, 'America/New_York'))"), "America/New_York"),
        (in_zone("to_date(convert_timezone('UTC', 'America/New_York', ts))"), "America/New_York"),
        (in_zone("to_date(from_utc_timestamp(ts, 'Asia/Tokyo'))"), ""),
        (in_zone("to_date(from_utc_timestamp(ts, 'UTC'))"), ""),
        (in_zone("to_date(from_utc_timestamp(ts, zone))"), None),
        (in_zone("from_utc_timestamp(ts, 'America/New_York')", hours=True), None),
        (filtered("d >= date_sub(current_date(), 2)", "id, d").replace("{{ ref('raw') }}", "(select id, to_date(from_utc_timestamp(ts, 'America/New_York')) as d from {{ ref('raw') }}) as x"), "America/New_York"),
        (filtered("d >= (select max(d) from {{ this }})", "id, d").replace("'raw'", "'local_days'"), "America/New_York"),
        (filtered("loaded_at >= (select max(loaded_at) from {{ this }})", "id, loaded_at", MERGED).replace("'raw'", "'local_stamps'"), None),
        (filtered("d >= '{{ var(\"x\") }}' and d < '{{ var(\"y\") }}'", "id, d").replace("{{ ref('raw') }}", "(select id, to_date(ts - interval 5 hours) as d from {{ ref('raw') }}) as x"), None),
    ],
)  # fmt: skip
def test_days_of_a_zone_are_due_when_they_are_over(text: str, zone: str | None, tmp_path: Path) -> None:
    files = {
        "m": text,
        "local_stamps": "select id, from_utc_timestamp(current_timestamp(), 'America/New_York') as loaded_at from {{ ref('raw') }}",
        "local_days": "select id, to_date(from_utc_timestamp(ts, 'America/New_York')) as d from {{ ref('raw') }}",
    }
    result = one(migrated(tmp_path, files))
    if zone is None:
        assert result.reason is not None, result.new_text
        assert result.reason.code == "TimeColumnUnclear"
    else:
        assert result.reason is None, result.reason
        assert result.options.get("cron_tz", "") == zone


# --- sources that hold the current state


def test_what_changed_since_is_read_too_by_key(tmp_path: Path) -> None:
    text = filtered("updated_at > (select max(updated_at) from {{ this }})", "id, updated_at", MERGED)
    result = one(migrated(tmp_path, {"m": text}))
    assert "where updated_at >= {{ dbt_kinds.start_dt() }}\n" in str(result.new_text)
    assert "end_dt" not in str(result.new_text)


@pytest.mark.parametrize(
    ("upper", "is_open"),
    [("updated_at <= current_timestamp()", True), ("updated_at < current_date()", False), ("updated_at < '{{ var(\"until\") }}'", False)],
)  # fmt: skip
def test_an_upper_bound_of_the_old_filter_is_kept_by_key(upper: str, is_open: bool, tmp_path: Path) -> None:
    lower = (
        "updated_at >= '{{ var(\"since\") }}'"
        if "until" in upper
        else "updated_at > (select max(updated_at) from {{ this }})"
    )
    result = one(migrated(tmp_path, {"m": filtered(f"{lower} and {upper}", "id, updated_at", MERGED)}))
    assert result.new_text is not None, result.reason
    assert ("end_dt" not in result.new_text) is is_open


NEWEST = "(select *, row_number() over (partition by id order by seen_at desc) as n from {{ ref('raw') }}) as r"


@pytest.mark.parametrize(
    ("column", "source", "config", "is_read"),
    [
        ("updated_at", "", MERGED, True),
        ("seen_at", NEWEST, MERGED, True),
        ("seen_at", "{{ ref('newest') }}", MERGED, True),
        ("seen_at", "(select id, max(seen_at) as seen_at from {{ ref('raw') }} group by id) as r", MERGED, True),
        ("seen_at", "", MERGED, False),
        ("updated_at", "", "incremental_strategy='delete+insert', unique_key='id'", True),
        ("updated_at", "(select *, sum(amount) over (partition by id) as total from {{ ref('raw') }}) as r", MERGED, True),
        ("seen_at", "(select *, upper(name) as shouted from {{ ref('raw') }}) as r", MERGED, False),
    ],
)  # fmt: skip
def test_a_row_that_changed_since_the_window_is_not_missing_until_the_next_one(
    column: str, source: str, config: str, is_read: bool, tmp_path: Path
) -> None:
    """Of a row whose newest state is of today, no window until yesterday has anything: --full-refresh lost it."""
    text = filtered(f"{column} between '{{{{ var(\"a\") }}}}' and '{{{{ var(\"b\") }}}}'", f"id, {column}", config)
    if source:
        text = text.replace("{{ ref('raw') }}", source)
    newest = (
        "select id, seen_at from {{ ref('raw') }} qualify row_number() over (partition by id order by seen_at desc) = 1"
    )
    result = one(migrated(tmp_path, {"m": text, "newest": newest}))
    assert result.kind == KEY, result.reason
    assert result.options.get("allow_partials", False) is is_read
    assert ("ReadUntilNow" in codes(result)) is is_read


def test_what_is_open_or_of_one_day_needs_no_part_of_a_window(tmp_path: Path) -> None:
    wheres = {"m": "updated_at > (select max(updated_at) from {{ this }})", "n": "updated_day = '{{ var(\"day\") }}'"}
    migration = migrated(
        tmp_path, {name: filtered(where, "id, updated_at, updated_day", MERGED) for name, where in wheres.items()}
    )
    for name in wheres:
        result = one(migration, name)
        assert result.kind == KEY, result.reason
        assert "allow_partials" not in result.options


def test_versions_of_a_changing_row_are_not_appended_by_windows(tmp_path: Path) -> None:
    text = filtered("updated_at > (select max(updated_at) from {{ this }})", "id, updated_at")
    result = one(migrated(tmp_path, {"m": text}))
    assert result.reason is not None and result.reason.code == "ArrivalWithoutKey"
    assert "a row that changes again before its window is read would be missed" in result.reason.message


# --- microbatch


def test_a_parent_keeps_the_event_time_that_a_microbatch_child_needs(tmp_path: Path) -> None:
    batch = "incremental_strategy='microbatch', event_time='event_at', begin='2024-01-01', batch_size='day'"
    files = {
        "parent": incremental("select * from {{ ref('raw') }}", batch),
        "child": incremental("select * from {{ wrapped(ref('parent')) }}", batch),
        "alone": incremental("select * from {{ ref('raw') }}", batch),
    }
    migration = migrated(tmp_path, files)
    assert one(migration, "child").status == "left"
    assert "event_time='event_at'" in str(one(migration, "parent").new_text)
    assert "event_time" not in str(one(migration, "alone").new_text)


@pytest.mark.parametrize(
    ("query", "code"),
    [
        ("select * from {{ ref('raw') }} where region = '{{ var(\"x\") }}'", "UnboundPartition"),
        ("select * from {{ ref('raw') }} {% if var('x', false) %} where id > 3 {% endif %}", "VariableUsedElsewhere"),
        (
            "select * from {{ ref('raw') }} where event_at < '{{ run_started_at.strftime(\"%Y-%m-%d\") }}'",
            "UnboundPartition",
        ),
    ],
)
def test_a_variable_that_chooses_rows_of_a_batch_leaves_a_microbatch_model(
    query: str, code: str, tmp_path: Path
) -> None:
    batch = "incremental_strategy='microbatch', event_time='event_at', begin='2024-01-01', batch_size='day'"
    result = one(migrated(tmp_path, {"m": incremental(query, batch)}))
    assert result.reason is not None and result.reason.code == code, result.new_text


@pytest.mark.parametrize(
    "where", ["sale_day = '{{ run_started_at.strftime(\"%Y-%m-%d\") }}'", "sale_day >= {{ dbt_date.n_days_ago(3) }}"]
)
def test_the_time_of_a_run_that_a_template_prints_leaves_the_model(where: str, tmp_path: Path) -> None:
    text = incremental(f"select id, sale_day from {{{{ ref('raw') }}}} where {where}", PARTITIONED)
    result = one(migrated(tmp_path, {"m": text}))
    assert result.reason is not None and result.reason.code == "UnboundPartition", result.new_text


def test_what_only_a_first_load_reads_is_told(tmp_path: Path) -> None:
    result = one(migrated(tmp_path, {"m": filtered("event_at > (select max(event_at) from {{ this }})")}))
    assert "read rows without a time, too" in said(result, "FirstLoad")


# --- keys and notes


@pytest.mark.parametrize(
    ("query", "properties", "told"),
    [
        ("select name from {{ ref('a') }} union all select name from {{ ref('b') }}", {}, True),
        ("select name, max(x) as x from {{ ref('a') }} group by 1", {}, False),
        ("select name from {{ ref('a') }}", {"models": [{"name": "m", "columns": [{"name": "name", "data_tests": ["unique"]}]}]}, False),
    ],
)  # fmt: skip
def test_a_key_that_may_repeat_on_a_full_refresh_is_told(
    query: str, properties: object, told: bool, tmp_path: Path
) -> None:
    text = incremental(query, "incremental_strategy='merge', unique_key='name'")
    result = one(migrated(tmp_path, {"m": text, "models/m.yml": json.dumps(properties)}))
    assert ("two rows of one name" in said(result, "KeyIsChecked")) is told


NUMBERED = (
    "(select id as k, x, row_number() over (partition by id order by x desc) as n from {{ ref('a') }} as raw) as r"
)


@pytest.mark.parametrize(
    ("query", "told"),
    [
        (f"select k as name from {NUMBERED} where n = 1", False),
        ("with d as (select name, x from {{ ref('a') }} qualify row_number() over (partition by name order by x) = 1)\nselect name, x from d", False),
        ("with d as (select name, x from {{ ref('a') }} qualify row_number() over (partition by name order by x) = 1), e as (select * from d)\nselect name from e where x > 0", False),
        ("with d as (select other as name, max(x) as x from {{ ref('a') }} group by other)\nselect name, x from d", False),
        (f"select k as name from {NUMBERED} where n = 2 or x = 1", True),
        (f"select x as name from {NUMBERED} where n = 1", True),
        (f"select upper(k) as name from {NUMBERED} where n = 1", True),
        (f"select k as name, explode(tags) as tag from {NUMBERED} where n = 1", True),
        (f"select k as name from {NUMBERED} join {{{{ ref('b') }}}} as b on b.id = r.k where n = 1", True),
        ("with d as (select name, x from {{ ref('a') }} qualify row_number() over (partition by name, x order by x) = 1)\nselect name from d", True),
    ],
)  # fmt: skip
def test_one_row_a_key_is_followed_to_where_it_is_kept(query: str, told: bool, tmp_path: Path) -> None:
    result = one(migrated(tmp_path, {"m": incremental(query, "incremental_strategy='merge', unique_key='name'")}))
    assert ("two rows of one name" in said(result, "KeyIsChecked")) is told, result.reason


@pytest.mark.parametrize(
    ("key", "tests", "told"),
    [
        ("id", ["unique"], True),
        ("id", ["unique", "not_null"], False),
        ("{{ dbt_utils.generate_surrogate_key(['a', 'b']) }} as id", ["unique"], False),
        ("concat(a, b) as id", ["unique"], True),
    ],
)
def test_a_key_that_may_be_null_is_told(key: str, tests: list[str], told: bool, tmp_path: Path) -> None:
    properties = {"models": [{"name": "m", "columns": [{"name": "id", "data_tests": tests}]}]}
    text = incremental(f"select {key} from {{{{ ref('raw') }}}}", MERGED)
    result = one(migrated(tmp_path, {"m": text, "models/m.yml": json.dumps(properties)}))
    assert result.kind == KEY
    assert ("KeyIsChecked" in codes(result)) is told
    if told:
        assert "a row whose id is NULL" in said(result, "KeyIsChecked")


@pytest.mark.parametrize(
    ("query", "kind"),
    [
        ("select id, event_at from {{ ref('raw') }}\n{% if is_incremental() %} where event_at > (select max(event_at) from {{ this }}) {% endif %}", TIME_RANGE),
        ("select id, event_at from {{ ref('raw') }}", "incremental_unmanaged"),
    ],
)  # fmt: skip
def test_a_key_that_an_append_did_not_look_at_is_taken_out(query: str, kind: str, tmp_path: Path) -> None:
    result = one(migrated(tmp_path, {"m": incremental(query, "incremental_strategy='append', unique_key='id'")}))
    assert result.kind == kind, result.reason
    assert "unique_key" not in str(result.new_text)
    assert "rows with one key stay side by side" in said(result, "KeyIgnored")


def test_an_append_whose_key_stands_in_yaml_is_left(tmp_path: Path) -> None:
    properties = {"models": [{"name": "m", "config": {"unique_key": "id"}}]}
    text = incremental("select id from {{ ref('raw') }}", "incremental_strategy='append'")
    result = one(migrated(tmp_path, {"m": text, "models/m.yml": json.dumps(properties)}))
    assert result.reason is not None and result.reason.code == "ConfigElsewhere"


def test_a_model_that_a_target_enables_is_converted_as_it_is(tmp_path: Path) -> None:
    text = incremental("select id from {{ ref('raw') }}", f"{MERGED}, enabled=target.name == 'prod'")
    result = one(migrated(tmp_path, {"m": text}))
    assert "enabled=target.name == 'prod'" in str(result.new_text), result.reason


ENABLED = [
    ("{{ target.type == 'databricks' }}", True),
    ("{{ target.type in ('spark', 'databricks') | as_bool }}", True),
    ("{{ target.type == 'snowflake' }}", False),
    ("{{ (target.type == 'snowflake') | as_bool }}", False),
    ("{{ target.name == 'prod' }}", True),
    ("{{ var('has_it', false) }}", True),
]


@pytest.mark.parametrize(("enabled", "is_there"), ENABLED)
@pytest.mark.parametrize("place", ["folder", "properties", "file"])
def test_a_model_that_the_target_does_not_have_is_disabled(
    enabled: str, is_there: bool, place: str, tmp_path: Path
) -> None:
    own = f", enabled={enabled.strip('{} ')}" if place == "file" and "as_bool" not in enabled else ""
    files = {"models/of_one/m.sql": incremental("select id from {{ ref('raw') }}", MERGED + own)}
    if place == "properties":
        files["models/m.yml"] = json.dumps({"models": [{"name": "m", "config": {"enabled": enabled}}]})
    folder = {"shop": {"of_one": {"+enabled": enabled}}} if place == "folder" else {}
    result = one(migrated(tmp_path, files, settings={"models": folder}))
    if place == "file" and not own:
        return
    assert (result.status == "converted") is is_there, result.reason
    if not is_there:
        assert result.reason is not None and result.reason.code == "Disabled"
        assert "for databricks" in result.reason.message


@pytest.mark.parametrize("folders", [("a", "b"), ("b", "a")])
def test_of_two_models_of_one_name_a_child_reads_that_of_its_target(folders: tuple[str, str], tmp_path: Path) -> None:
    ours, theirs = folders
    files = {
        f"models/{ours}/parent.sql": "select id, cast(sold as date) as sold from {{ source('a', 'b') }}",
        f"models/{theirs}/parent.sql": "select id, cast(sold as timestamp) as sold from {{ source('a', 'b') }}",
        "m": filtered("sold >= (select max(sold) from {{ this }})", "id, sold").replace("'raw'", "'parent'"),
    }
    models = {
        ours: {"+enabled": "{{ target.type == 'databricks' }}"},
        theirs: {"+enabled": "{{ target.type == 'bigquery' }}"},
    }
    result = one(migrated(tmp_path, files, settings={"models": {"shop": models}}))
    assert "start_date()" in str(result.new_text), result.reason


COMPUTED_BY_TARGET = [
    ("'incremental' if target.threads > 4 else 'table'", "'table'"),
    ("'view' if target.name == 'dev' else 'incremental'", "'view'"),
    ("'incremental' if target.name == 'prod' else 'snapshot'", None),
    ("'table' if target.name == 'prod' else 'view'", None),
    ("target.name", None),
]


@pytest.mark.parametrize(("computed", "other"), COMPUTED_BY_TARGET)
def test_a_model_that_some_targets_load_in_parts_is_one_for_all(
    computed: str, other: str | None, tmp_path: Path
) -> None:
    text = incremental("select id from {{ ref('raw') }}", MERGED).replace("'incremental'", computed, 1)
    result = one(migrated(tmp_path, {"m": text}))
    assert (result.status == "converted") is (other is not None), result.reason
    if other is not None:
        told = next(note.message for note in result.notes if note.code == "ConfigWritten")
        assert f"and {other} for other targets, which is lost" in told


@pytest.mark.parametrize(
    ("macro", "config", "is_told"),
    [
        ("get_merge_sql", MERGED, True), ("databricks__get_merge_sql", MERGED, True), ("spark__get_incremental_merge_sql", MERGED, True),
        ("snowflake__get_merge_sql", MERGED, False), ("get_merge_sql", "incremental_strategy='append'", False),
        ("default__get_incremental_append_sql", "", True), ("get_merge_sql", "unique_key='id'", True),
        ("get_delete_insert_merge_sql", "incremental_strategy='delete+insert', unique_key='id'", True),
    ],
)  # fmt: skip
def test_a_strategy_that_the_project_writes_itself_is_told(
    macro: str, config: str, is_told: bool, tmp_path: Path
) -> None:
    files = {
        "m": incremental("select id from {{ ref('raw') }}", config),
        "macros/own.sql": f"{{% macro {macro}(target, source) %}}insert into t{{% endmacro %}}",
    }
    result = one(migrated(tmp_path, files))
    assert result.status == "converted", result.reason
    assert ("OwnStrategy" in codes(result)) is is_told
    if is_told:
        assert macro in said(result, "OwnStrategy")


@pytest.mark.parametrize("config", [MERGED, "incremental_strategy='append'"])
def test_what_a_second_run_on_a_day_does_is_told_as_it_is(config: str, tmp_path: Path) -> None:
    result = one(migrated(tmp_path, {"m": incremental("select * from {{ ref('raw') }}", config)}))
    assert "every run" not in said(result, "NoWindow")
    assert "a second run on the same day" in said(result, "NoWindow")


@pytest.mark.parametrize(
    ("config", "code"),
    [
        (MERGED, "NoWindow"),
        ("incremental_strategy='append'", "NoWindow"),
        ("incremental_strategy='insert_overwrite', partition_by=['day']", "OncePerInterval"),
        ("incremental_strategy='delete+insert', unique_key='day', partition_by=['day']", "OncePerInterval"),
    ],
)
@pytest.mark.parametrize(
    ("given", "is_told"), [("var('folder')", True), ("var('folder', '')", True), ("var('shop', 'north')", False)]
)
def test_a_variable_that_only_labels_rows_is_told_where_a_second_run_does_nothing(
    config: str, code: str, given: str, is_told: bool, tmp_path: Path
) -> None:
    text = incremental("select id, day, '{{ " + given + " }}' as label from {{ ref('raw') }}", config)
    result = one(migrated(tmp_path, {"m": text}))
    assert ("with another folder, too" in said(result, code)) == is_told
    assert "a second run on the same day" in said(result, code)


@pytest.mark.parametrize(("zone", "words"), [("UTC", "UTC unless cron_tz says another zone"), ("America/Lima", None)])
def test_a_window_that_takes_the_place_of_variables_says_of_which_zone(
    zone: str, words: str | None, tmp_path: Path
) -> None:
    column = f"to_date(from_utc_timestamp(ts, '{zone}'))"
    query = "select id, " + column + " as sale_day from {{ ref('raw') }} {% if is_incremental() %} where " + column
    text = incremental(query + " = '{{ var(\"run_day\") }}' {% endif %}", PARTITIONED)
    result = one(migrated(tmp_path, {"m": text}))
    assert result.kind == TIME_RANGE, result.reason
    assert f"by intervals of {words or zone}, and" in said(result, "WindowForVariables")


@pytest.mark.parametrize(
    ("made", "by", "keeps", "kind"),
    [
        ("cast(code as string)", "id", "row_number() over (partition by {} order by seen_at desc) = 1", KEY),
        ("cast(code as string)", "cast(code as string)", "(row_number() over (partition by {} order by seen_at desc)) = 1", KEY),
        ("code", "id", "(row_number() over (partition by {} order by seen_at desc) = 1)", KEY),
        # texts that are one number are no two keys
        ("code", "cast(code as int)", "row_number() over (partition by {} order by seen_at desc) = 1", None),
        ("code", "id", "(row_number() over (partition by {} order by seen_at desc)) = 2", None),
        ("code", "id", "not (row_number() over (partition by {} order by seen_at desc) = 1)", None),
    ],
)  # fmt: skip
def test_the_newest_row_is_kept_of_a_key_that_is_cast_or_in_brackets(
    made: str, by: str, keeps: str, kind: str | None, tmp_path: Path
) -> None:
    block = "{% if is_incremental() %} where seen_at >= (select max(seen_at) from {{ this }}) {% endif %}"
    text = f"select {made} as id, seen_at from {{{{ ref('raw') }}}} as r {block} qualify {keeps.format(by)}"
    result = one(migrated(tmp_path, {"m": incremental(text, MERGED)}))
    assert result.kind == kind, result.reason


# --- a filter that is commented out, and files without a query


@pytest.mark.parametrize(
    "comment",
    [
        "-- where at > (select max(at) from {{ this }})",
        "/* where at >\n (select max(at) from {{ this }}) */",
        "{# where at > (select max(at) from {{ this }}) #}",
        "-- it's off\n  -- where at > (select max(at) from {{ this }})",
    ],
)
@pytest.mark.parametrize("around", ["{{% if is_incremental() %}}\n  {}\n{{% endif %}}", "{}\n"])
def test_a_filter_that_is_commented_out_is_none(comment: str, around: str, tmp_path: Path) -> None:
    text = incremental("select id, at from {{ ref('raw') }}\n" + around.format(comment), MERGED)
    result = one(migrated(tmp_path, {"m": text}))
    assert result.kind == KEY, result.reason
    assert "is_incremental" not in (result.new_text or "")


@pytest.mark.parametrize(
    "read",
    [
        "'--' as mark from {{ this }}",
        "id /* of */ from {{ this }}",
        "id from {{ this }} -- {{ this }}",
        "id from {% if is_incremental() %} -- old\n {{ this }} {% else %} raw {% endif %}",
    ],
)
def test_the_own_table_beside_a_comment_is_read(read: str, tmp_path: Path) -> None:
    result = one(migrated(tmp_path, {"m": incremental(f"select {read}", MERGED)}))
    assert result.status == "left" and result.reason is not None


@pytest.mark.parametrize("text", ["", "\n  \n", "-- to be written\n", "{# to be written #}"])
def test_an_empty_model_is_left(text: str, tmp_path: Path) -> None:
    settings = {"models": {"shop": {"+materialized": "incremental"}}}
    reason = one(migrated(tmp_path, {"m": text}, settings=settings)).reason
    assert reason is not None and reason.message == "the model is empty"


@pytest.mark.parametrize(("header", "is_told"), [("alter session set timezone = 'Asia/Tokyo';", True), ("", False)])
def test_a_header_is_named(header: str, is_told: bool, tmp_path: Path) -> None:
    text = incremental("select id from {{ ref('raw') }}", f'{MERGED}, sql_header="{header}"')
    reason = one(migrated(tmp_path, {"m": text}, "snowflake")).reason
    assert (reason is not None and f"`{header}`" in reason.message) == is_told


# --- the newest row of a key


def newest(
    key: str, order: str, column: str = "loaded_at", name: str = "id", columns: str = "id, loaded_at, version, day"
) -> str:
    return filtered(
        f"{column} > (select max({column}) from {{{{ this }}}})", columns, f"incremental_strategy='merge', unique_key='{name}'",
        f"qualify row_number() over (partition by {key} order by {order}) = 1",
    )  # fmt: skip


@pytest.mark.parametrize(
    ("text", "code"),
    [
        (newest("id", "loaded_at desc"), ""),
        (newest("id", "version desc"), "NewestOfWindow"),
        (newest("id", "loaded_at"), "WindowOverRuns"),
        (newest("id", "loaded_at desc", name="sale_id", columns="id as sale_id, loaded_at"), ""),
        (newest("id", "loaded_at desc", name="k", columns="{{ dbt_utils.generate_surrogate_key(['id']) }} as k, id, loaded_at"), ""),
        (newest("id", "loaded_at desc", name="k", columns="{{ dbt_utils.generate_surrogate_key(['id', 'day']) }} as k, id, loaded_at, day"), "WindowOverRuns"),
        (newest("id", "loaded_at desc", name="day"), "WindowOverRuns"),
        (newest("id", "day desc", column="day"), ""),
        # of two rows of a key a window may hold the older one
        (newest("id", "loaded_at desc", column="day"), "WindowOverRuns"),
    ],
)  # fmt: skip
def test_the_newest_row_of_a_key_is_that_of_its_windows_or_told(text: str, code: str, tmp_path: Path) -> None:
    result = one(migrated(tmp_path, {"m": text}))
    found = {result.reason.code} if result.reason else codes(result) & {"NewestOfWindow"}
    assert found == ({code} if code else set())


# --- parents that hold what a run chooses, or recent rows only


RANGE = incremental(
    "select id, event_at from {{ ref('p') }}\n{% if is_incremental() %}\nwhere event_at > (select max(event_at) from {{ this }})\n{% endif %}"
)
PARTITIONS = incremental(
    "select id, day from {{ ref('p') }}", "incremental_strategy='insert_overwrite', partition_by=['day']"
)
BY_ID = incremental(
    "select id, updated_at from {{ ref('p') }}\n{% if is_incremental() %}\nwhere updated_at > (select max(updated_at) from {{ this }})\n{% endif %}",
    "incremental_strategy='merge', unique_key='id'",
)
RECENT = "select * from {{ source('a', 'b') }} where event_at >= current_date - 1"


@pytest.mark.parametrize("materialized", ["view", "table"])
@pytest.mark.parametrize(
    ("model", "parent", "words"),
    [
        (PARTITIONS, "select * from {{ source('a', 'b') }} where day = '{{ var(\"run_date\") }}'", "run_date decides what p holds"),
        (RANGE, "select * from {{ source('a', 'b') }} where event_at between '{{ var(\"run_date\") }}' and '{{ var(\"end_date\", \"2024-01-01\") }}'", "decides what p holds"),
        (BY_ID, "select * from {{ source('a', 'b') }} where day = '{{ var(\"run_date\", \"2024-01-01\") }}'", "run_date decides what p holds"),
        # what is loaded again would be emptied
        (RANGE, RECENT.replace("- 1", "- 0"), "holds recent rows only"),
        (RANGE, RECENT, "holds recent rows only"),
        (RANGE, "select * from {{ source('a', 'b') }} where event_day = current_date - 1", "holds recent rows only"),
        (PARTITIONS, RECENT.replace("- 1", "- 0"), "holds recent rows only"),
        (RANGE, RECENT.replace("- 1", "- 7"), ""),
        (BY_ID, RECENT, ""),
        (RANGE, "select * from {{ source('a', 'b') }} where event_at >= '{{ var(\"first_day\", \"2020-01-01\") }}'", ""),
        (RANGE, "select * from {{ source('a', 'b') }} where region = '{{ var(\"region\", \"x\") }}'", ""),
        (RANGE, "select * from {{ source('a', 'b') }} where event_at >= current_date - {{ var('days', 400) }}", ""),
    ],
)  # fmt: skip
def test_a_parent_that_a_run_chooses_the_rows_of(
    model: str, parent: str, words: str, materialized: str, tmp_path: Path
) -> None:
    text = f"{{{{ config(materialized='{materialized}') }}}}\n{parent}"
    between = "{{ config(materialized='view') }}\nselect * from {{ ref('q') }}"
    for files in ({"m": model, "p": text}, {"m": model, "p": between, "q": text}):
        result = one(migrated(tmp_path, files))
        if words:
            assert result.reason is not None, result.new_text
            assert result.reason.code == "UnboundPartition"
            assert words.replace("p holds", f"{'q' if 'q' in files else 'p'} holds") in result.reason.message
        else:
            assert result.status == "converted", result.reason


@pytest.mark.parametrize(
    ("given", "is_left"),
    [
        ("database_name=env_var('PREP')", False),
        ("schema=var('where_it_is')", False),
        ("day=var('run_date')", True),
        ("var('run_date')", True),
        ("database='prep', day=var('run_date')", True),
    ],
)
def test_the_database_that_a_parent_is_read_from_is_no_choice_of_rows(
    given: str, is_left: bool, tmp_path: Path
) -> None:
    files = {
        "m": RANGE,
        "p": f"{{{{ config(materialized='view') }}}}\n{{{{ all_of({given}) }}}}",
        "macros/all_of.sql": "{% macro all_of(a) %}{% for t in run_query('select t from tables').rows %} select * from {{ t[0] }} {% endfor %}{% endmacro %}",
    }
    result = one(migrated(tmp_path, files))
    assert (result.reason is not None) is is_left, result.reason
    if is_left:
        assert result.reason is not None and "the variable run_date decides what p holds" in result.reason.message


@pytest.mark.parametrize("key", ["id", "day"])
@pytest.mark.parametrize("setting", ["merge_exclude_columns=['made_at']", "merge_update_columns=['id']"])
def test_delete_and_insert_looks_at_no_columns_of_a_merge(setting: str, key: str, tmp_path: Path) -> None:
    query = "select id, day, made_at from {{ ref('raw') }}\n{% if is_incremental() %} where day >= (select max(day) from {{ this }}) {% endif %}"
    config = f"incremental_strategy='delete+insert', unique_key='{key}'"
    result = one(migrated(tmp_path, {"m": incremental(query, f"{config}, {setting}")}))
    assert result.kind == (KEY if key == "id" else TIME_RANGE), result.reason
    assert "merge_" not in str(result.new_text)
    assert f"delete+insert did not look at {setting.split('=')[0]}" in said(result, "PredicatesNotUsed")
    # the kind would look at what stands in YAML
    name, value = setting.split("=")
    yaml = f"models: [{{name: m, config: {{{name}: {value}}}}}]"
    result = one(migrated(tmp_path, {"m": incremental(query, config), "models/m.yml": yaml}))
    assert result.reason is not None and result.reason.code == "ConfigElsewhere", result.new_text


def test_the_oldest_row_of_a_key_depends_on_when_runs_took_place(tmp_path: Path) -> None:
    text = incremental(
        "select id, loaded_at from {{ ref('raw') }}\n{% if is_incremental() %}\n"
        "where loaded_at > (select max(loaded_at) from {{ this }})\n{% endif %}\n"
        "qualify row_number() over (partition by id order by loaded_at) = 1",
        "incremental_strategy='merge', unique_key='id'",
    )
    result = one(migrated(tmp_path, {"m": text}))
    assert result.reason is not None and result.reason.code == "WindowOverRuns", result.new_text
    assert "the oldest row of a key" in result.reason.message


def test_the_newest_time_of_a_group_is_no_bound_of_whole_groups(tmp_path: Path) -> None:
    text = incremental(
        "select k, cast(event_at as date) as day, max(event_at) as event_at from {{ ref('raw') }}\n{% if is_incremental() %}\n"
        "where event_at >= (select max(event_at) from {{ this }})\n{% endif %}\ngroup by 1, 2",
        "incremental_strategy='merge', unique_key=['k', 'day']",
    )
    result = one(migrated(tmp_path, {"m": text}))
    assert result.reason is not None and result.reason.code == "AggregatesOverRuns", result.new_text
    assert "may read a part of one" in result.reason.message
    whole = text.replace("where event_at >= (select max(event_at)", "where cast(event_at as date) >= (select max(day)")
    assert one(migrated(tmp_path, {"m": whole})).status == "converted"


@pytest.mark.parametrize("strategy", ["merge", "delete+insert"])
def test_a_time_of_arrival_makes_no_range_even_in_the_key(strategy: str, tmp_path: Path) -> None:
    config = f"incremental_strategy='{strategy}', unique_key=['id', 'loaded_at']"
    query = filtered("loaded_at > (select max(loaded_at) from {{ this }})", "id, loaded_at, amount", config)
    result = one(migrated(tmp_path, {"m": query}))
    assert (result.kind, "time_column" in result.options) == (KEY, False), result.reason


# --- predicates of the merge

ARRIVED = "updated_at >= (select max(updated_at) from {{ this }})"


@pytest.mark.parametrize(
    "predicates",
    [
        "['narrowed_by_our_merge']", "['narrowed_by_our_merge', 'sale_day::date']", "'sale_day'", "[our_column('sale_day')]",
        "['DBT_INTERNAL_DEST.sale_day > 1', 'cast(sale_day as date)']",
    ],
)  # fmt: skip
def test_a_predicate_that_is_no_condition_leaves_the_model(predicates: str, tmp_path: Path) -> None:
    macro = "{% macro our_column(name) %}{{ return(name ~ '::date') }}{% endmacro %}"
    text = filtered(ARRIVED, "id, updated_at, sale_day", f"{MERGED}, incremental_predicates={predicates}")
    result = one(migrated(tmp_path, {"m": text, "macros/own.sql": macro}))
    assert result.reason is not None, (result.kind, result.options)
    assert result.reason.code == "CustomStrategy"
    assert "no condition of SQL" in result.reason.message
    # the project merges by itself, and reads them
    merging = (
        "{% macro get_merge_sql(target, source, unique_key, dest_columns, incremental_predicates) %}{% endmacro %}"
    )
    result = one(migrated(tmp_path, {"m": text, "macros/own.sql": macro, "macros/merge.sql": merging}))
    assert result.kind == KEY, result.reason
    assert "incremental_predicates" not in str(result.new_text) and "merge_filter" not in result.options
    assert {"OwnStrategy", "PredicatesNotUsed"} <= codes(result)
    assert "by which the project's own macro narrowed the merge" in said(result, "PredicatesNotUsed")


@pytest.mark.parametrize(
    "predicate",
    [
        "DBT_INTERNAL_DEST.sale_day > '2024-01-01'", "DBT_INTERNAL_DEST.is_open", "not (DBT_INTERNAL_DEST.a = 1 or DBT_INTERNAL_DEST.b is null)",
        "DBT_INTERNAL_DEST.sale_day in ('2024-01-01')", "DBT_INTERNAL_DEST.sale_day between 1 and 2",
    ],
)  # fmt: skip
def test_a_predicate_that_is_a_condition_stays(predicate: str, tmp_path: Path) -> None:
    text = filtered(ARRIVED, "id, updated_at, sale_day", f'{MERGED}, incremental_predicates=["{predicate}"]')
    result = one(migrated(tmp_path, {"m": text}))
    assert result.options["merge_filter"] == predicate.replace("DBT_INTERNAL_DEST", "target"), result.reason


@pytest.mark.parametrize(
    "predicates",
    [
        "[\"DBT_INTERNAL_DEST.sale_day >= date('\" ~ var('since') ~ \"')\"]", "[recent('DBT_INTERNAL_DEST.sale_day')]",
        "recent('DBT_INTERNAL_DEST.sale_day')",
    ],
)  # fmt: skip
def test_predicates_by_a_variable_of_a_run_are_dropped_and_told(predicates: str, tmp_path: Path) -> None:
    macro = "{% macro recent(column) %}{{ return(column ~ \" >= '\" ~ var('since') ~ \"'\") }}{% endmacro %}"
    where = "updated_at >= '{{ var(\"since\") }}' and updated_at < '{{ var(\"till\") }}'"
    text = filtered(where, "id, updated_at, sale_day", f"{MERGED}, incremental_predicates={predicates}")
    result = one(migrated(tmp_path, {"m": text, "macros/own.sql": macro}))
    assert result.kind == KEY, result.reason
    assert "incremental_predicates" not in str(result.new_text)
    assert "since" not in str(result.new_text)
    assert "narrowed the merge by since" in said(result, "PredicatesNotUsed")


def test_predicates_by_a_constant_of_the_project_stay(tmp_path: Path) -> None:
    macro = "{% macro recent(column) %}{{ column }} >= now() - interval '{{ var('length') }}' day{% endmacro %}"
    config = f"{MERGED}, incremental_predicates=[recent('DBT_INTERNAL_DEST.sale_day')]"
    text = filtered(ARRIVED, "id, updated_at, sale_day", config)
    result = one(migrated(tmp_path, {"m": text, "macros/own.sql": macro}, settings={"vars": {"length": 3}}))
    assert "incremental_predicates=[recent(" in str(result.new_text), result.reason
    assert "PredicatesKept" in codes(result)


# --- reasons say what is so


@pytest.mark.parametrize(
    ("before", "condition", "words"),
    [
        ("{% set since = (modules.datetime.date.today() - modules.datetime.timedelta(days=7)).strftime('%d.%m.%Y') %}\n", "day > '{{ since }}'", "the template computes its bound"),
        ("{% set since = newest_of_all(this) %}\n", "day >= date('{{ since }}')", "the template computes its bound"),
        ("", "day between date_trunc('month', date('{{ var(\"a\") }}')) and last_day(date('{{ var(\"b\") }}'))", "is no bound that can be read"),
        ("", "status = 'open'", "is no bound that can be read"),
        ("", "make_date(year, month, 1) > (select max(make_date(year, month, 1)) from {{ this }})", "is no column of the model; select it as a column"),
        ("", "day > (select max(day) from {{ this }} where status <> 'open')", "for more than its newest value"),
        ("", "day > (select max(day) from {{ this }} where status = 'open')", "compared with the newest of the rows with `status = 'open'`"),
        ("", "load_id > (select coalesce(max(load_id), '') from {{ this }})", "in a way that is not read; write it as max(column)"),
        ("", "day > (select nearby(max(day)) from {{ this }})", "in a way that is not read; write it as max(column)"),
        ("", "day >= date '2024-01-01'", "the fixed bound 2024-01-01 applies only on incremental runs; write the bound between"),
    ],
)  # fmt: skip
def test_a_bound_that_is_not_read_is_described_as_it_is(
    before: str, condition: str, words: str, tmp_path: Path
) -> None:
    result = one(migrated(tmp_path, {"m": filtered(condition, "id, day").replace("\nselect", f"\n{before}select", 1)}))
    assert result.reason is not None, result.new_text
    assert words in result.reason.message
    assert "names no range" not in result.reason.message


@pytest.mark.parametrize("where", ["1 = 1", "true", "day is not null and 1 = 1"])
def test_the_newest_value_of_all_rows_may_have_a_condition_that_is_true(where: str, tmp_path: Path) -> None:
    result = one(
        migrated(tmp_path, {"m": filtered(f"day > (select max(day) from {{{{ this }}}} where {where})", "id, day")})
    )
    assert result.kind == TIME_RANGE, result.reason


def test_a_filter_in_a_set_is_no_query_before_the_model(tmp_path: Path) -> None:
    text = incremental(
        "{% set recent %}{% if is_incremental() %} day >= (current_date - 3) {% else %} day is not null {% endif %}{% endset %}\n"
        "select id, day from {{ ref('raw') }} where {{ recent }}"
    )  # fmt: skip
    result = one(migrated(tmp_path, {"m": text}))
    assert result.reason is not None, result.new_text
    assert "write what it holds where it is used" in result.reason.message


def test_a_filter_by_a_name_of_its_own_select_is_told(tmp_path: Path) -> None:
    text = incremental(
        "with base as (select id, changed_at as loaded_at from {{ ref('raw') }}\n"
        "{% if is_incremental() %} where loaded_at >= (select max(loaded_at) from {{ this }}) {% endif %})\nselect * from base",
        MERGED,
    )  # fmt: skip
    result = one(migrated(tmp_path, {"m": text}))
    assert result.reason is not None, result.new_text
    assert result.reason.code == "BoundOfAnotherColumn"
    assert "write changed_at in the filter if that is meant" in result.reason.message


# --- times of runs, and zones of bounds


def of_run(stamp: str, config: str = "", column: str = "made_on") -> str:
    newest = f"{{% if is_incremental() %}} where {column} > (select max({column}) from {{{{ this }}}}) {{% endif %}}"
    return incremental(
        f"with w as (select id, {stamp} as {column} from {{{{ ref('raw') }}}})\nselect * from w\n{newest}", config
    )


@pytest.mark.parametrize(
    ("files", "is_left"),
    [
        ({"m": of_run("current_date()")}, True),
        ({"m": of_run("date('{{ run_started_at.strftime(\"%Y-%m-%d\") }}')")}, True),
        ({"m": of_run("cast(current_timestamp() as date)", "incremental_strategy='merge', unique_key=['id', 'made_on']")}, True),
        ({"m": of_run("current_timestamp()", column="loaded_at")}, True),
        ({"m": of_run("p.day"), "raw": "select id, current_date() as day from {{ ref('x') }}"}, True),
        ({"m": of_run("p.day"), "raw": "{{ config(materialized='table') }}\nselect id, current_date() as day from {{ ref('x') }}"}, True),
        # what a run left in the parent is there for the next one
        ({"m": of_run("p.day"), "raw": "{{ config(materialized='incremental') }}\nselect id, current_date() as day from {{ ref('x') }}"}, False),
        # by key, without an end: everything is merged, as before
        ({"m": of_run("current_date()", MERGED)}, False),
        ({"m": of_run("cast(greatest(day, date '2024-01-01') as date)")}, False),
    ],
)  # fmt: skip
def test_no_window_is_over_of_the_time_at_which_a_query_runs(
    files: dict[str, str], is_left: bool, tmp_path: Path
) -> None:
    """Yesterday's window has no rows of today, and a range of it would stay empty for ever."""
    files = {name: text.replace("p.day", "day") for name, text in files.items()}
    result = one(migrated(tmp_path, files))
    if is_left:
        assert result.reason is not None, result.new_text
        assert "the time at which the query runs" in result.reason.message
    else:
        assert result.status == "converted", result.reason


@pytest.mark.parametrize(
    ("where", "zone"),
    [
        ("timestamp_trunc(event_at, day) >= timestamp(date_sub(current_date('America/Sao_Paulo'), interval 3 day))", None),
        ("event_at >= timestamp(date_sub(current_date('America/Sao_Paulo'), interval 3 day))", None),
        ("event_day >= date_sub(current_date('America/Sao_Paulo'), interval 3 day)", "America/Sao_Paulo"),
        ("date(event_at, 'America/Sao_Paulo') >= date_sub(current_date('America/Sao_Paulo'), interval 3 day)", "America/Sao_Paulo"),
    ],
)  # fmt: skip
def test_an_instant_since_a_day_of_a_zone_is_one_of_utc(where: str, zone: str | None, tmp_path: Path) -> None:
    columns = "event_at, event_day, date(event_at, 'America/Sao_Paulo') as local_day"
    result = one(migrated(tmp_path, {"m": filtered(where, columns)}, "bigquery"))
    assert result.status == "converted", result.reason
    assert result.options.get("cron_tz") == zone


@pytest.mark.parametrize(
    ("written", "key"),
    [("'(sale_day, id)'", ["sale_day", "id"]), ("'sale_day, id'", ["sale_day", "id"]), ("\"concat(sale_day, '-', id)\"", None), ("['id', 'lower(name)']", None)],
)  # fmt: skip
def test_a_key_in_one_text_is_its_columns_and_an_expression_is_left(
    written: str, key: list[str] | None, tmp_path: Path
) -> None:
    text = incremental("select * from {{ ref('raw') }}", f"incremental_strategy='delete+insert', unique_key={written}")
    result = one(migrated(tmp_path, {"m": text}))
    if key is None:
        assert result.reason is not None, result.options
        assert "select it as a column" in result.reason.message
    else:
        assert result.options["unique_key"] == key, result.reason


def test_a_column_that_is_used_twice_at_every_step_is_followed_once(tmp_path: Path) -> None:
    steps = [f"s{at} as (select id, greatest(day, other) as day, day as other from s{at - 1})" for at in range(1, 25)]
    chain = ", ".join(
        ["s0 as (select id, cast(day as date) as day, cast(day as date) as other from {{ ref('raw') }})", *steps]
    )
    newest = "{% if is_incremental() %} where day > (select max(day) from {{ this }}) {% endif %}"
    result = one(migrated(tmp_path, {"m": incremental(f"with {chain}\nselect id, day from s24 {newest}")}))
    assert result.status in ("converted", "left")


@pytest.mark.parametrize(
    ("filtered", "is_told"),
    [
        # the newest day is read again, and was appended again
        ("sold_at > (select max(day) from {{ this }})", True),
        ("sold_at > (select max(sold_at)::date from {{ this }})", True),
        ("cast(sold_at as date) > (select max(day) from {{ this }})", False),
        ("sold_at > (select max(sold_at) from {{ this }})", False),
    ],
)
def test_rows_of_the_newest_day_that_were_appended_again_are_told(filtered: str, is_told: bool, tmp_path: Path) -> None:
    query = f"select id, sold_at, cast(sold_at as date) as day from {{{{ ref('raw') }}}} {{% if is_incremental() %}} where {filtered} {{% endif %}}"
    result = one(migrated(tmp_path, {"m": incremental(query, "incremental_strategy='append'")}))
    assert result.kind == "incremental_by_time_range", result.reason
    assert ("AppendedOnce" in {note.code for note in result.notes}) == is_told


# --- what adapters do


@pytest.mark.parametrize(
    ("dialect", "setting", "kind"),
    [
        ("databricks", "liquid_clustered_by='day'", None),
        ("databricks", "liquid_clustered_by=['day', 'id']", None),
        (None, "liquid_clustered_by='day'", None),
        # which ignores it
        ("spark", "liquid_clustered_by='day'", "full"),
        ("databricks", "partition_by=['day']", "incremental_by_partition"),
        ("databricks", "cluster_by='day'", "full"),
    ],
)
def test_overwriting_a_clustered_table_replaces_what_its_version_says(
    dialect: str | None, setting: str, kind: str | None, tmp_path: Path
) -> None:
    text = incremental("select id, day from {{ ref('raw') }}", f"incremental_strategy='insert_overwrite', {setting}")
    result = one(migrated(tmp_path, {"m": text}, dialect))
    assert result.kind == kind, result.reason
    if kind is None:
        assert result.reason is not None and result.reason.code == "UnboundPartition"
        assert "by the version of the cluster" in result.reason.message


@pytest.mark.parametrize(("dialect", "is_told"), [(None, True), ("databricks", False), ("snowflake", False)])
def test_a_key_without_a_strategy_is_told_where_no_profile_names_the_adapter(
    dialect: str | None, is_told: bool, tmp_path: Path
) -> None:
    query = filtered(
        "event_at > (select max(event_at) from {{ this }})", "id, event_at", "unique_key='id'", "distribute by id"
    )
    result = one(
        migrated(tmp_path, {"m": query.replace("distribute by id", "") if dialect == "snowflake" else query}, dialect)
    )
    assert result.kind == KEY, result.reason
    assert ("MergedByDefault" in codes(result)) == is_told


@pytest.mark.parametrize(
    "strategy",
    ["", "incremental_strategy='append'", "incremental_strategy='merge'", "incremental_strategy='delete+insert'"],
)
def test_without_a_key_every_strategy_appends_what_is_read_again(strategy: str, tmp_path: Path) -> None:
    text = filtered("event_at >= (select max(event_at) from {{ this }}) - interval 3 days", config=strategy)
    result = one(migrated(tmp_path, {"m": text}))
    assert result.kind == TIME_RANGE, result.reason
    assert "AppendedOnce" in codes(result)


# --- what changes when rows are read again


@pytest.mark.parametrize(
    ("columns", "bound", "named"),
    [
        ("id, event_at, uuid() as row_id", "(select max(event_at) from {{ this }})", "uuid()"),
        (
            "id, event_at, current_timestamp() as made_at",
            "(select max(event_at) from {{ this }})",
            "current_timestamp()",
        ),
        ("id, event_at, '{{ run_started_at }}' as made_at", "(select max(event_at) from {{ this }})", "run_started_at"),
        ("id, event_at", "(select max(event_at) from {{ this }})", ""),
        # which a run read again, too
        ("id, event_at, uuid() as row_id", "(select max(event_at) from {{ this }}) - interval 2 days", ""),
    ],
)
@pytest.mark.parametrize("strategy", ["", "incremental_strategy='merge', unique_key='id'"])
def test_what_is_computed_anew_for_rows_that_are_read_again_is_told(
    columns: str, bound: str, named: str, strategy: str, tmp_path: Path
) -> None:
    result = one(migrated(tmp_path, {"m": filtered(f"event_at > {bound}", columns, strategy)}))
    assert result.status == "converted", result.reason
    message = said(result, "LateRows")
    assert ("of those rows anew" in message) == bool(named) and named in message


@pytest.mark.parametrize(("operator", "is_told"), [(">", False), (">=", True)])
def test_that_the_newest_rows_were_read_again_in_each_run_is_told(operator: str, is_told: bool, tmp_path: Path) -> None:
    text = filtered(f"event_at {operator} (select max(event_at) from {{{{ this }}}})", config=MERGED)
    message = said(one(migrated(tmp_path, {"m": text})), "LateRows")
    assert ("the newest ones again in each run" in message) == is_told


BY_ID_AND_DAY = "incremental_strategy='merge', unique_key=['id', 'day']"


@pytest.mark.parametrize(
    ("condition", "columns", "config", "rest", "is_told"),
    [
        # of the first day, a run read the rows of some hours
        ("event_at >= current_timestamp() - interval 3 days", "id, date(event_at) as day, count(*) as n", BY_ID_AND_DAY, "group by 1, 2", True),
        ("event_at >= date_trunc('day', current_timestamp()) - interval 3 days", "id, date(event_at) as day, count(*) as n", BY_ID_AND_DAY, "group by 1, 2", False),
        ("date(event_at) >= current_date() - 3", "id, date(event_at) as day, count(*) as n", BY_ID_AND_DAY, "group by 1, 2", False),
        ("event_at >= (select max(day) from {{ this }})", "id, date(event_at) as day, count(*) as n", BY_ID_AND_DAY, "group by 1, 2", False),
        # of the first month, those of some days
        ("day >= current_date() - 3", "id, date_trunc('month', day) as m, sum(x) as x", "incremental_strategy='merge', unique_key=['id', 'm']", "group by 1, 2", True),
        ("day >= (select max(m) from {{ this }})", "id, date_trunc('month', day) as m, sum(x) as x", "incremental_strategy='merge', unique_key=['id', 'm']", "group by 1, 2", False),
        ("day >= current_date() - 3", "id, day, date_trunc('month', day) as m", "incremental_strategy='insert_overwrite', partition_by=['m']", "", True),
        ("day >= current_date() - 3", "id, day", "incremental_strategy='insert_overwrite', partition_by=['day']", "", False),
        ("event_at >= current_timestamp() - interval 3 days", "id, event_at", "incremental_strategy='merge', unique_key=['id', 'event_at']", "", False),
    ],
)  # fmt: skip
def test_what_a_run_read_in_part_and_is_read_whole_is_told(
    condition: str, columns: str, config: str, rest: str, is_told: bool, tmp_path: Path
) -> None:
    result = one(migrated(tmp_path, {"m": filtered(condition, columns, config, rest)}))
    assert result.kind == TIME_RANGE, result.reason
    assert ("ReadWhole" in codes(result)) == is_told


@pytest.mark.parametrize(
    ("strategy", "kind"), [("", TIME_RANGE), ("incremental_strategy='merge', unique_key='id'", KEY)]
)
def test_a_joined_input_that_is_read_from_the_window_on_is_told_where_rows_are_replaced(
    strategy: str, kind: str, tmp_path: Path
) -> None:
    newest = "(select max(event_at) from {{ this }})"
    query = (
        "select o.id, o.event_at, p.paid from {{ ref('raw') }} o join {{ ref('pay') }} p on p.id = o.id "
        f"{{% if is_incremental() %}} and p.paid_at > {newest} {{% endif %}} "
        f"{{% if is_incremental() %}} where o.event_at > {newest} {{% endif %}}"
    )
    result = one(migrated(tmp_path, {"m": incremental(query, strategy)}))
    assert result.kind == kind, result.reason
    assert ("PrunedInput" in codes(result)) == (kind == TIME_RANGE)


DAY = "'{{ var(\"day\") }}'"


@pytest.mark.parametrize(
    ("of_prices", "of_sales", "expected"),
    [
        # a price of a later day is no price of this one
        (f"p.day = {DAY}", f"s.day = {DAY}", "p.day between {{ dbt_kinds.start_date() }} and {{ dbt_kinds.end_date() }}"),
        (
            "p.day >= current_date() - 3 and p.day < current_date()", "s.day >= current_date() - 3 and s.day < current_date()",
            "p.day between {{ dbt_kinds.start_date() }} and {{ dbt_kinds.end_date() }}",
        ),
        # what is after now is not there yet
        (
            "p.day >= current_date() - 3 and p.day <= current_date()", "s.day >= current_date() - 3 and s.day <= current_date()",
            "p.day >= {{ dbt_kinds.start_date() }}",
        ),
        ("p.day >= current_date() - 3", "s.day >= current_date() - 3", "p.day >= {{ dbt_kinds.start_date() }}"),
        # a window has one end
        (
            "p.day between '{{ var(\"first\") }}' and date_add('{{ var(\"last\") }}', 1)",
            "s.day between '{{ var(\"first\") }}' and '{{ var(\"last\") }}'", None,
        ),
    ],
)  # fmt: skip
def test_a_joined_input_that_was_read_up_to_some_day_is_read_up_to_the_end_of_the_window(
    of_prices: str, of_sales: str, expected: str | None, tmp_path: Path
) -> None:
    query = (
        f"with prices as (select * from {{{{ ref('prices') }}}} p {{% if is_incremental() %}} where {of_prices} {{% endif %}}), "
        f"sales as (select * from {{{{ ref('sales') }}}} s {{% if is_incremental() %}} where {of_sales} {{% endif %}}) "
        "select s.day, s.item, p.price from sales s join prices p on p.item = s.item"
    )
    text = incremental(query, "incremental_strategy='insert_overwrite', partition_by=['day'], file_format='iceberg'")
    result = one(migrated(tmp_path, {"m": text}))
    if expected is None:
        assert result.reason is not None, result.new_text
        assert "p.day of a joined input is read up to another time than s.day" in result.reason.message
        return
    assert result.kind == TIME_RANGE, result.reason
    assert f" where {expected} )" in str(result.new_text)
    assert " where s.day between {{ dbt_kinds.start_date() }} and" in str(result.new_text)


@pytest.mark.parametrize(
    ("strategy", "is_told"),
    [("incremental_strategy='insert_overwrite', partition_by=['day']", True), ("incremental_strategy='merge', unique_key=['id', 'day']", False)],
)  # fmt: skip
def test_that_a_day_without_rows_is_emptied_is_told_where_its_partition_stayed(
    strategy: str, is_told: bool, tmp_path: Path
) -> None:
    result = one(migrated(tmp_path, {"m": filtered("day >= current_date() - 3", "id, day", strategy)}))
    assert result.kind == TIME_RANGE, result.reason
    assert ("EmptiedRange" in codes(result)) == is_told


@pytest.mark.parametrize("condition", ["({0} and kind = 'a') or kind = 'b'", "not {0}", "coalesce({0}, true)"])
def test_a_first_row_that_is_not_the_only_one_kept_leaves_the_model(condition: str, tmp_path: Path) -> None:
    first = "row_number() over (partition by id order by loaded_at desc) = 1"
    text = filtered(
        "loaded_at > (select max(loaded_at) from {{ this }})",
        "id, kind, loaded_at",
        MERGED,
        f"qualify {condition.format(first)}",
    )
    result = one(migrated(tmp_path, {"m": text}))
    assert result.reason is not None, result.new_text
    assert result.reason.code == "WindowOverRuns"


@pytest.mark.parametrize(
    ("key", "is_known"),
    [
        ("concat(a, '-', b)", True), ("a || '-' || cast(b as string)", True), ("concat_ws('-', b, a)", True), ("md5(concat(a, '|', b))", True),
        ("sha2(concat_ws('|', a, b), 256)", True),
        ("concat(a, '-', b, '-', c)", False), ("concat(a, '-x')", False), ("concat(a, upper(b))", False), ("upper(concat(a, b))", False),
    ],
)  # fmt: skip
def test_a_key_of_texts_one_after_the_other_is_what_rows_are_numbered_by(
    key: str, is_known: bool, tmp_path: Path
) -> None:
    newest = "row_number() over (partition by a, b order by loaded_at desc) = 1"
    text = filtered(
        "loaded_at > (select max(loaded_at) from {{ this }})", f"*, {key} as k", "unique_key='k'", f"qualify {newest}"
    )
    result = one(migrated(tmp_path, {"m": text}))
    assert (result.kind == KEY) == is_known, result.reason
    if not is_known:
        assert result.reason is not None and result.reason.code == "WindowOverRuns"


@pytest.mark.parametrize(
    ("made", "is_known"),
    [("coalesce(date(event_at), null)", True), ("coalesce(date(event_at), current_date())", False)],
)
def test_a_coalesce_with_null_is_its_first_value(made: str, is_known: bool, tmp_path: Path) -> None:
    text = filtered(
        "date(event_at) >= (select max(day) from {{ this }})",
        f"id, {made} as day, count(*) as n",
        BY_ID_AND_DAY,
        "group by 1, 2",
    )
    result = one(migrated(tmp_path, {"m": text}))
    assert (result.kind == TIME_RANGE) == is_known, result.reason


# --- what an adapter does by itself


HIVE_DAYS = "partitioned_by=['sale_day']"


@pytest.mark.parametrize(
    ("adapter", "config", "kind"),
    [
        # dbt-athena replaces partitions where no strategy is named, and appends where there are none
        ("athena", HIVE_DAYS, "incremental_by_partition"),
        ("athena", f"incremental_strategy='insert_overwrite', {HIVE_DAYS}", "incremental_by_partition"),
        ("athena", "", "incremental_unmanaged"),
        ("athena", "incremental_strategy='insert_overwrite'", "incremental_unmanaged"),
        ("athena", "incremental_strategy='insert_overwrite', unique_key='id'", "incremental_unmanaged"),
        ("athena", "unique_key='id'", "KeyNotUsed"),
        ("athena", f"unique_key='id', {HIVE_DAYS}", "KeyNotUsed"),
        ("athena", "table_type='iceberg', incremental_strategy='merge', unique_key='id'", KEY),
        # which does not run
        ("athena", f"table_type='iceberg', {HIVE_DAYS}", "CustomStrategy"),
        ("glue", "partition_by=['sale_day']", "incremental_by_partition"),
        ("glue", "", "full"),
        ("glue", "unique_key='id'", "KeyNotUsed"),
        ("fabricspark", "", "incremental_unmanaged"),
        ("fabricspark", "unique_key='id'", "KeyNotUsed"),
        ("databricks", "unique_key='id'", KEY),
    ],
)  # fmt: skip
def test_a_model_without_a_strategy_has_that_of_its_adapter(
    adapter: str, config: str, kind: str, tmp_path: Path
) -> None:
    result = one(migrated(tmp_path, {"m": incremental("select id, sale_day from {{ ref('raw') }}", config)}, adapter))
    assert (result.kind or result.reason.code if result.reason else result.kind) == kind, result.reason
    if kind == "incremental_by_partition":
        assert "partition_by=['sale_day']" in str(result.new_text)
        assert "partitioned_by" not in str(result.new_text)


def test_the_partitions_of_dbt_athena_are_those_that_a_window_replaces(tmp_path: Path) -> None:
    text = filtered("sale_day >= current_date - interval '3' day", "id, sale_day", f"format='parquet', {HIVE_DAYS}")
    result = one(migrated(tmp_path, {"m": text}, "athena"))
    assert result.kind == TIME_RANGE, result.reason
    assert result.options == {"time_column": "sale_day", "lookback": 3}
    assert "format='parquet', partition_by=['sale_day']" in str(result.new_text)


def test_partitions_of_dbt_athena_in_yaml_leave_the_model(tmp_path: Path) -> None:
    text = incremental("select id, sale_day from {{ ref('raw') }}")
    settings = {"models": {"+partitioned_by": ["sale_day"]}}
    result = one(migrated(tmp_path, {"m": text}, "athena", settings=settings))
    assert result.reason is not None and result.reason.code == "ConfigElsewhere", result.new_text
    assert "write it as partition_by" in result.reason.message


@pytest.mark.parametrize(
    ("setting", "merge"),
    [
        ("update_condition='src.day > target.day'", "dbt-athena's merge"),
        ("insert_condition='src.day is not null'", "dbt-athena's merge"),
        ("delete_condition='src.is_gone'", "dbt-athena's merge"),
        ("merge_update_columns_rules={'n': 'sum'}", "dbt-athena's merge"),
        ("matched_condition='source.day > target.day'", "dbt-databricks' merge"),
    ],
)
@pytest.mark.parametrize("adapter", ["athena", None])
def test_a_setting_that_decides_what_a_merge_does_to_a_row_leaves_the_model(
    adapter: str | None, setting: str, merge: str, tmp_path: Path
) -> None:
    text = incremental("select id, day, n from {{ ref('raw') }}", f"{MERGED}, {setting}")
    result = one(migrated(tmp_path, {"m": text}, adapter))
    assert result.reason is not None and result.reason.code == "CustomStrategy", result.new_text
    assert f"{setting.partition('=')[0]} is a setting of {merge}" in result.reason.message


@pytest.mark.parametrize(
    "adapter", ["glue", "fabricspark", "watsonx_spark", "vertica", "greenplum", "impala", "none_of_ours"]
)
def test_a_project_of_an_adapter_whose_dialect_has_another_name_is_read(adapter: str, tmp_path: Path) -> None:
    profile = f"none: {{target: dev, outputs: {{dev: {{type: {adapter}}}}}}}\n"
    text = filtered("event_at > (select max(event_at) from {{ this }})")
    result = one(migrated(tmp_path, {"m": text, "profiles.yml": profile}, None))
    assert (result.kind or result.found.strategy) in (TIME_RANGE, "insert_overwrite"), result.reason


def test_a_dialect_that_nothing_is_known_of_is_wrong_use(tmp_path: Path) -> None:
    with pytest.raises(KindsError, match="--dialect sparkel names no dialect of SQL"):
        migrated(tmp_path, {"m": incremental("select 1 as id")}, "sparkel")


@pytest.mark.parametrize(
    ("made", "bound", "expected"),
    [
        ("from_unixtime(eventtime / 1000) as day_text", "max(eventtime)", "eventtime >= {{ dbt_kinds.start_millis() }}"),
        ("from_unixtime(eventtime) as day_text", "max(eventtime)", "eventtime >= {{ dbt_kinds.start_epoch() }}"),
        ("timestamp_millis(s.eventtime) as at", "max(eventtime)", "eventtime >= {{ dbt_kinds.start_millis() }}"),
        ("eventtime as at", "max(eventtime)", "eventtime >= {{ dbt_kinds.start_dt() }}"),
        # of another column
        ("from_unixtime(other / 1000) as day_text", "max(eventtime)", "eventtime >= {{ dbt_kinds.start_dt() }}"),
        ("eventtime / 60 as minutes", "max(eventtime)", "UnknownColumnType"),
        # days of a number are none
        ("from_unixtime(eventtime / 1000) as day_text", "max(eventtime) - 1000", "UnreadableBlock"),
    ],
)  # fmt: skip
def test_a_time_that_the_query_calculates_with_is_a_number_whatever_its_name(
    made: str, bound: str, expected: str, tmp_path: Path
) -> None:
    text = incremental(
        f"select id, eventtime, {made} from {{{{ ref('raw') }}}} s "
        f"{{% if is_incremental() %}} where eventtime > (select {bound} from {{{{ this }}}}) {{% endif %}}", MERGED,
    )  # fmt: skip
    result = one(migrated(tmp_path, {"m": text}))
    if result.reason is not None:
        assert result.reason.code == expected
        return
    assert result.kind == KEY
    assert f"where {expected}" in str(result.new_text)


def test_a_range_is_replaced_by_the_time_that_is_made_of_a_number_whatever_its_name(tmp_path: Path) -> None:
    text = "select id, timestamp_millis(eventtime) as at{0} from {{{{ ref('raw') }}}} {{% if is_incremental() %}} where eventtime > (select max(eventtime) from {{{{ this }}}}) {{% endif %}}"
    files = {"m": incremental(text.format(", eventtime")), "n": incremental(text.format(", eventtime").replace("timestamp_millis(eventtime)", "eventtime / 60"))}  # fmt: skip
    migration = migrated(tmp_path, files)
    assert one(migration).options["time_column"] == "at"
    assert one(migration, "n").reason is not None, one(migration, "n").new_text


@pytest.mark.parametrize(
    ("adapter", "file_format", "is_left"),
    [
        ("spark", "hudi", True), ("spark", "csv", True), ("databricks", "HUDI", True), ("glue", "hudi", True),
        ("spark", "iceberg", False), ("databricks", "delta", False), ("snowflake", "hudi", False),
    ],
)  # fmt: skip
def test_a_format_that_no_kind_writes_leaves_the_model(
    adapter: str, file_format: str, is_left: bool, tmp_path: Path
) -> None:
    text = incremental(filtered("updated_at > (select max(updated_at) from {{ this }})"), f"{MERGED}, file_format='{file_format}'")  # fmt: skip
    result = one(migrated(tmp_path, {"m": text}, dialect=adapter))
    assert (result.reason is not None and result.reason.code == "FormatNotWritten") is is_left, result.reason


@pytest.mark.parametrize(("adapter", "is_told"), [("databricks", False), ("spark", True)])
def test_a_table_of_databricks_is_one_of_delta_where_no_format_is_set(
    adapter: str, is_told: bool, tmp_path: Path
) -> None:
    text = incremental("select id, event_time from {{ ref('raw') }}\n{% if is_incremental() %} where event_time > (select max(event_time) from {{ this }}) {% endif %}", "")  # fmt: skip
    result = one(migrated(tmp_path, {"m": text}, dialect=adapter))
    assert result.kind == TIME_RANGE, result.reason
    assert ("FileTable" in codes(result)) is is_told


def test_what_shows_that_a_time_is_a_number_is_told_in_the_words_of_the_query(tmp_path: Path) -> None:
    text = incremental("select id, seen_at, from_unixtime(seen_at / 1000) as seen from {{ ref('raw') }}\n{% if is_incremental() %} where seen_at > (select max(seen_at) from {{ this }}) {% endif %}", MERGED)  # fmt: skip
    result = one(migrated(tmp_path, {"m": text}, dialect="spark"))
    assert "as in `FROM_UNIXTIME(seen_at / 1000" in said(result, "TypeFromName"), result.notes


SINCE_SEEN = "{% if is_incremental() %} where seen_at > (select max(seen_at) from {{ this }}) {% endif %}"


@pytest.mark.parametrize(
    ("others", "suffix"),
    [
        # a model that reads this one, and a model that reads the same source
        ({"later": "select id, from_unixtime(seen_at / 1000) as seen from {{ ref('m') }}"}, "millis"),
        ({"later": "with a as (select * from {{ ref('m') }}) select id, timestamp_seconds(a.seen_at) as seen from a"}, "epoch"),
        ({"beside": "select id, timestamp_millis(seen_at) as seen from {{ source('app', 'visits') }}"}, "millis"),
        # of another table
        ({"other": "select id, timestamp_millis(seen_at) as seen from {{ source('app', 'orders') }}"}, "dt"),
        ({"both": "select m.id, timestamp_millis(o.seen_at) as seen from {{ ref('m') }} m join {{ source('app', 'orders') }} o on o.id = m.id"}, "dt"),
        ({}, "dt"),
    ],
)  # fmt: skip
def test_a_time_by_its_name_is_a_number_where_another_model_makes_a_timestamp_of_it(
    others: dict[str, str], suffix: str, tmp_path: Path
) -> None:
    text = incremental(f"select * from {{{{ source('app', 'visits') }}}}\n{SINCE_SEEN}", MERGED)
    result = one(migrated(tmp_path, {"m": text, **others}, dialect="databricks"))
    assert f"seen_at >= {{{{ dbt_kinds.start_{suffix}() }}}}" in str(result.new_text), result.reason
    assert ("since 1970, as" in said(result, "TypeFromName")) is (suffix != "dt")


def test_a_column_of_a_loader_is_what_it_is_in_another_of_its_tables(tmp_path: Path) -> None:
    text = incremental("select * from {{ source('app', 'visits') }}\n{% if is_incremental() %} where _sent_at > (select max(_sent_at) from {{ this }}) {% endif %}", MERGED)  # fmt: skip
    other = "select dateadd('s', _sent_at, '1970-01-01') as sent_at from {{ source('app', 'orders') }}"
    result = one(migrated(tmp_path, {"m": text, "other": other}, dialect="snowflake"))
    assert "_sent_at >= {{ dbt_kinds.start_epoch() }}" in str(result.new_text), result.reason


def test_a_range_of_a_number_alone_is_left(tmp_path: Path) -> None:
    text = incremental(f"select * from {{{{ source('app', 'visits') }}}}\n{SINCE_SEEN}", "")
    later = "select id, from_unixtime(seen_at / 1000) as seen from {{ ref('m') }}"
    result = one(migrated(tmp_path, {"m": text, "later": later}, dialect="databricks"))
    assert result.reason is not None, result.new_text
    assert result.reason.code == "TimeColumnUnclear"
    assert "as a number at most" in result.reason.message


def test_a_joined_input_of_the_same_single_day_is_read_as_before(tmp_path: Path) -> None:
    query = f"select s.id, s.day, p.price from {{{{ ref('sales') }}}} s join {{{{ ref('prices') }}}} p on p.id = s.id where s.day = {DAY} and p.day = {DAY}"
    result = one(migrated(tmp_path, {"m": incremental(query, "incremental_strategy='insert_overwrite', partition_by=['day']")}))  # fmt: skip
    assert result.kind == TIME_RANGE, result.reason
    assert result.options["batch_size"] == 1
    assert "PrunedInput" not in codes(result)


@pytest.mark.parametrize(
    "first",
    [
        # another variable, one that the first load lies after, and no time before it
        "sale_day >= date_sub('{{ var(\"other\") }}', 30)",
        "sale_day >= date_add('{{ var(\"d\") }}', 1)",
        "sale_day < date_sub('{{ var(\"d\") }}', 30)",
        "sold_at >= date_sub('{{ var(\"d\") }}', 30)",
        # how long the interval is, nothing says
        "sale_day >= '{{ var(\"d\") }}' - interval {{ var('first_load') }}",
        "sale_day >= '{{ var(\"d\") }}' - interval {{ var('words') }}",
    ],
)
def test_a_first_load_that_is_no_time_before_the_variable_of_a_run_leaves_the_model(first: str, tmp_path: Path) -> None:
    later = "sale_day between date_sub('{{ var(\"d\") }}', 1) and '{{ var(\"d\") }}'"
    query = f"select id, sale_day, sold_at from {{{{ ref('raw') }}}}\nwhere {{% if is_incremental() %}} {later} {{% else %}} {first} {{% endif %}}"
    settings = {"vars": {"words": "a while"}}
    reason = one(migrated(tmp_path, {"m": incremental(query, PARTITIONED)}, settings=settings)).reason
    assert reason is not None and reason.code == "ElseBranchDiffers"

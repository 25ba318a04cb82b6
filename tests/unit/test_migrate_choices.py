"""Filters that a variable of a run takes the place of, and settings that a target decides."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.migrating import migrated, one

CONFIG = "{{ config(materialized='incremental', incremental_strategy='merge', unique_key='id') }}\n"
SELECT = "select id, sold_at\nfrom {{ ref('raw') }}\n"
NEWEST = "sold_at > (select max(sold_at) from {{ this }})"
SINCE = "sold_at >= {{ dbt_kinds.start_dt() }}"
MACROS = """
{% macro only_new(column, day=none) %}
  {% if is_incremental() %}
    {% if day %} and date({{ column }}) >= date('{{ day }}')
    {% else %} and {{ column }} > (select max(t.sold_at) from {{ this }} as t) {% endif %}
  {% endif %}
{% endmacro %}
{% macro only_new_of(column) %}
  {% if is_incremental() %} and {{ column }} > (select max(sold_at) from {{ this }})
  {% if var('few', false) %} order by id limit 10 {% endif %} {% endif %}
{% endmacro %}
"""


def told(result: object) -> list[str]:
    return [note.message for note in result.notes if note.code == "WindowForVariables"]  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    "query",
    [
        # around the block
        f"{SELECT}{{% if var('since', '') != '' %}}\nwhere sold_at >= '{{{{ var('since') }}}}'\n{{% else %}}\n{{% if is_incremental() %}}\nwhere {NEWEST}\n{{% endif %}}\n{{% endif %}}\n",
        # inside it
        f"{SELECT}{{% if is_incremental() %}}\n{{% if var('since', none) is not none %}}\nwhere sold_at >= '{{{{ var('since') }}}}'\n{{% else %}}\nwhere {NEWEST}\n{{% endif %}}\n{{% endif %}}\n",
        # beside its conditions
        f"{SELECT}{{% if is_incremental() %}}\nwhere {NEWEST}\n{{% if var('since', none) %}}\nand id > {{{{ var('since') }}}}\n{{% endif %}}\n{{% endif %}}\n",
        # in its test
        f"{SELECT}{{% if is_incremental() and not var('since', false) %}}\nwhere {NEWEST}\n{{% endif %}}\n",
        f"{SELECT}{{% if var('since', 'x') == 'x' and is_incremental() %}}\nwhere {NEWEST}\n{{% endif %}}\n",
    ],
)
def test_a_variable_that_chooses_another_filter_has_no_effect_any_more(query: str, tmp_path: Path) -> None:
    result = one(migrated(tmp_path, {"m": CONFIG + query}))
    assert result.options == {"unique_key": ["id"], "lookback": 1}, result.reason
    assert str(result.new_text).split("\n", 1)[1] == f"{SELECT}where {SINCE}\n"
    assert len(told(result)) == 1 and "takes the place of since, which chose to read from" in told(result)[0]


def test_a_branch_that_no_run_takes_has_no_filter(tmp_path: Path) -> None:
    other = "{% if is_incremental() %}\nwhere id > 3\n{% endif %}\n"
    query = f"{{% set shop = 'north' %}}\n{SELECT}{{% if shop == 'south' %}}\n{other}{{% else %}}\n{{% if is_incremental() %}}\nwhere {NEWEST}\n{{% endif %}}\n{{% endif %}}\n"
    result = one(migrated(tmp_path, {"m": CONFIG + query}))
    assert result.options == {"unique_key": ["id"], "lookback": 1}, result.reason
    assert str(result.new_text).split("\n", 1)[1] == f"{{% set shop = 'north' %}}\n{SELECT}where {SINCE}\n"
    assert not told(result)


def test_a_constant_in_a_condition_decides_nothing(tmp_path: Path) -> None:
    query = (
        f"{{% set since = '' %}}\n{SELECT}{{% if is_incremental() and since == '' %}}\nwhere {NEWEST}\n{{% endif %}}\n"
    )
    result = one(migrated(tmp_path, {"m": CONFIG + query}))
    assert result.options == {"unique_key": ["id"], "lookback": 1}, result.reason
    assert str(result.new_text).endswith(f"{SELECT}where {SINCE}\n") and not told(result)
    other = one(migrated(tmp_path, {"m": CONFIG + query.replace("set since = ''", "set since = 'x'")}))
    assert other.reason is not None and other.reason.code == "SecondUseOfIsIncremental"


def test_a_name_that_is_set_again_decides_nothing(tmp_path: Path) -> None:
    filtered = f"{{% if is_incremental() %}}\nwhere {NEWEST}\n{{% endif %}}\n"
    query = f"{{% set shop = 'north' %}}\n{SELECT}{{% if shop == 'north' %}}\n{filtered}{{% endif %}}{{% set shop = 'south' %}}\n"
    result = one(migrated(tmp_path, {"m": CONFIG + query}))
    assert result.options == {"unique_key": ["id"], "lookback": 1}, result.reason
    assert f"{{% if shop == 'north' %}}\nwhere {SINCE}\n{{% endif %}}" in str(result.new_text)


def test_a_macro_of_which_a_variable_chooses_the_conditions_is_a_filter(tmp_path: Path) -> None:
    query = f"{{% set day = var('day', none) %}}\n{SELECT}where true\n{{{{ only_new('sold_at', day) }}}}\n"
    result = one(migrated(tmp_path, {"m": CONFIG + query, "macros/new.sql": MACROS}))
    assert result.options == {"unique_key": ["id"], "lookback": 1}, result.reason
    assert str(result.new_text).split("\n", 1)[1] == f"{SELECT}where true\nand {SINCE}\n"
    assert len(told(result)) == 1 and "takes the place of day" in told(result)[0]


@pytest.mark.parametrize(
    ("query", "code"),
    [
        # what a run has to give decides
        (f"{SELECT}{{% if is_incremental() and not var('since') %}}\nwhere {NEWEST}\n{{% endif %}}", "SecondUseOfIsIncremental"),
        # the project's value is the other filter
        (f"{SELECT}{{% if is_incremental() and not var('since', true) %}}\nwhere {NEWEST}\n{{% endif %}}", "SecondUseOfIsIncremental"),
        # other runs read by it, too
        (f"{SELECT}{{% if is_incremental() or var('since', true) %}}\nwhere id > 3\n{{% endif %}}", "SecondUseOfIsIncremental"),
        # it switches more than conditions
        (f"{SELECT}{{% if var('old', false) %}}\nunion all select id, sold_at from old\n{{% else %}}\n{{% if is_incremental() %}}\nwhere {NEWEST}\n{{% endif %}}\n{{% endif %}}", "VariableUsedElsewhere"),
        (f"{{% if var('new', true) %}}\n{SELECT}{{% if is_incremental() %}}\nwhere {NEWEST}\n{{% endif %}}\n{{% endif %}}", "VariableUsedElsewhere"),
        (f"{SELECT}where true {{{{ only_new_of('sold_at') }}}}", "VariableUsedElsewhere"),
        # a target decides
        (f"{SELECT}{{% if target.name == 'dev' %}}\nwhere id > 3\n{{% else %}}\n{{% if is_incremental() %}}\nwhere {NEWEST}\n{{% endif %}}\n{{% endif %}}", "UnreadableBlock"),
    ],
)  # fmt: skip
def test_a_variable_that_switches_more_than_a_filter_is_left(query: str, code: str, tmp_path: Path) -> None:
    reason = one(migrated(tmp_path, {"m": CONFIG + query, "macros/new.sql": MACROS})).reason
    assert reason is not None and reason.code == code, reason


def test_the_line_of_a_reason_is_that_of_the_file(tmp_path: Path) -> None:
    query = f"{SELECT}{{% if is_incremental() %}}\n{{% if var('since', none) %}}\nwhere id > 1\n{{% else %}}\nwhere lower(sold_at) = 'x'\n{{% endif %}}\n{{% endif %}}\n"
    reason = one(migrated(tmp_path, {"m": CONFIG + query})).reason
    assert reason is not None and reason.line == 4, reason


SETTINGS = """{% macro by_target(key='id') %}
  {% if target.name == 'check' %}{% set given = {'materialized': 'view'} %}
  {% else %}{% set given = {'materialized': 'incremental', 'incremental_strategy': 'merge', 'unique_key': key} %}{% endif %}
  {{ return(given) }}
{% endmacro %}
{% macro by_other_key() %}
  {{ return({'materialized': 'incremental', 'incremental_strategy': 'merge', 'unique_key': 'a' if target.name == 'check' else 'id'}) }}
{% endmacro %}
"""


def test_settings_that_are_a_view_for_another_target_are_those_of_the_incremental_model(tmp_path: Path) -> None:
    text = f"{{{{ config(tags=['x'], **by_target()) }}}}\n{SELECT}{{% if is_incremental() %}}\nwhere {NEWEST}\n{{% endif %}}\n"
    result = one(migrated(tmp_path, {"m": text, "macros/settings.sql": SETTINGS}))
    assert result.options == {"unique_key": ["id"], "lookback": 1}, result.reason
    notes = [note.message for note in result.notes if note.code == "ConfigWritten"]
    assert "for other targets by_target returns materialized='view', which is lost" in notes


def test_settings_of_two_incremental_models_are_left(tmp_path: Path) -> None:
    text = f"{{{{ config(**by_other_key()) }}}}\n{SELECT}{{% if is_incremental() %}}\nwhere {NEWEST}\n{{% endif %}}\n"
    reason = one(migrated(tmp_path, {"m": text, "macros/settings.sql": SETTINGS})).reason
    assert reason is not None and reason.code == "ComputedConfig"


BY_ADAPTER = """
{% macro is_possible() %}{{ return(target.type in ('databricks', 'snowflake')) }}{% endmacro %}
"""


@pytest.mark.parametrize(
    ("given", "adapter", "is_converted"),
    [
        ("materialized='incremental' if is_possible() else 'table', unique_key='id'", "databricks", True),
        ("materialized='incremental' if shop.is_possible() else 'table', unique_key='id'", "databricks", True),
        ("materialized='incremental', unique_key='id', incremental_strategy='merge' if target.type == 'databricks' else 'delete+insert'", "databricks", True),
        ("materialized='incremental', unique_key='id' if target.type in ['databricks'] else none, partition_by={'field': 'day'} if target.type == 'bigquery' else ['day']", "databricks", True),
        # what the target is called is not known, nor what another package's macro returns
        ("materialized='incremental', unique_key='id', incremental_strategy='merge' if target.name == 'prod' else 'append'", "databricks", False),
        ("materialized='incremental' if package.is_possible() else 'table', unique_key='id'", "databricks", False),
        ("materialized='incremental' if is_possible() else 'table', unique_key='id'", None, False),
    ],
)  # fmt: skip
def test_a_setting_that_depends_on_the_adapter_is_written_out(
    given: str, adapter: str | None, is_converted: bool, tmp_path: Path
) -> None:
    text = f"{{{{ config({given}) }}}}\n{SELECT}{{% if is_incremental() %}}\nwhere {NEWEST}\n{{% endif %}}\n"
    result = one(migrated(tmp_path, {"m": text, "macros/settings.sql": BY_ADAPTER}, dialect=adapter))
    if not is_converted:
        assert result.reason is not None and result.reason.code == "ComputedConfig"
        return
    assert result.options == {"unique_key": ["id"], "lookback": 1}, result.reason
    assert "target" not in str(result.new_text) and "is_possible" not in str(result.new_text)
    assert any(
        "was computed, and is written out as it is for databricks" in note.message
        for note in result.notes
        if note.code == "ConfigWritten"
    )


def test_a_cte_of_incremental_runs_is_named(tmp_path: Path) -> None:
    query = f"with {{% if is_incremental() %}} known as (select id from {{{{ this }}}}), {{% endif %}} new as ({SELECT}) select * from new"
    reason = one(migrated(tmp_path, {"m": CONFIG + query})).reason
    assert reason is not None and reason.message.startswith("the block has the CTE known, which other runs do not have")


@pytest.mark.parametrize(
    ("source", "words"),
    [
        (
            "{{ this }}",
            "the block has the CTE old, which other runs do not have, and reads the model's own table in it",
        ),
        ("{{ ref('other') }}", "the block has the CTE old, which other runs do not have; write"),
    ],
)
def test_a_block_that_begins_with_another_cte_names_it(source: str, words: str, tmp_path: Path) -> None:
    query = f"with new as ({SELECT}) {{% if is_incremental() %}}, old as (select id from {source}) select * from new {{% else %}} select * from new {{% endif %}}"
    reason = one(migrated(tmp_path, {"m": CONFIG + query})).reason
    assert reason is not None and reason.message.startswith(words)


BOUNDS = """{%- macro first_day(back, begin) -%}
{%- if is_incremental() -%}
{%- if var('from_day', '') != '' -%} greatest(date('{{ begin }}'), date('{{ var("from_day") }}'))
{%- else -%} greatest(date('{{ begin }}'), date_sub(current_date(), {{ back|string }})) {%- endif -%}
{%- else -%} '{{ begin }}' {%- endif -%}
{%- endmacro -%}
{%- macro last_day() -%}
{%- if is_incremental() and var('to_day', '') != '' -%} '{{ var("to_day") }}' {%- else -%} current_date() {%- endif -%}
{%- endmacro -%}
{%- macro since(back) -%}
{%- if is_incremental() -%} greatest(date '2024-01-02', date_sub(current_date(), {{ back }})) {%- else -%} date '2023-01-01' {%- endif -%}
{%- endmacro -%}"""


@pytest.mark.parametrize(
    ("condition", "start"),
    [
        ("day between {{ first_day(back=7, begin='2024-01-02') }} and {{ last_day() }}", "2024-01-02"),
        ("day\n  between {{ first_day(7, var('begin')) }}\n  and {{ last_day() }}", "var('begin')"),
        ("day >= {{ first_day(7, '2024-01-02') }}", "2024-01-02"),
        # the first load begins elsewhere, or at a variable with another value for want of one
        ("day >= {{ since(7) }}", None),
        ("day >= {{ first_day(7, var('begin', '2024-01-05')) }}", None),
        ("{{ last_day() }} = current_date()", None),
    ],
)
def test_a_condition_with_bounds_of_macros_is_read_as_both_runs_see_it(
    condition: str, start: str | None, tmp_path: Path
) -> None:
    query = f"select id, day from {{{{ ref('raw') }}}}\nwhere id > 0\n  and {condition}\n  and id < 9\n"
    config = "{{ config(materialized='incremental', incremental_strategy='insert_overwrite', partition_by=['day']) }}\n"
    files = {"m": config + query, "macros/bounds.sql": BOUNDS}
    result = one(migrated(tmp_path, files, settings={"vars": {"begin": "2024-01-02"}}))
    if start is None:
        assert result.reason is not None, result.new_text
        return
    assert result.options == {"time_column": "day", "start": start, "lookback": 7}, result.reason
    between = "day between {{ dbt_kinds.start_date() }} and {{ dbt_kinds.end_date() }}"
    assert str(result.new_text).endswith(f"where id > 0\n  and {between}\n  and id < 9\n")


@pytest.mark.parametrize(
    "held", ["", "-- everything is read, each time", "{# nothing #}", "/* where day > 1 */\n  -- no"]
)
def test_a_block_that_holds_comments_alone_is_taken_out(held: str, tmp_path: Path) -> None:
    text = f"{{{{ config(materialized='incremental', incremental_strategy='merge', unique_key='id') }}}}\n{SELECT}{{% if is_incremental() %}}\n{held}\n{{% endif %}}\n"
    result = one(migrated(tmp_path, {"m": text}))
    assert result.kind == "incremental_by_unique_key", result.reason
    assert str(result.new_text).endswith(SELECT)


@pytest.mark.parametrize(
    ("table", "is_own"), [("staging.m", True), ("STAGING.M", True), ("raw.m", False), ("staging.other", False)]
)
def test_a_table_that_is_written_out_and_is_the_models_own_leaves_it(table: str, is_own: bool, tmp_path: Path) -> None:
    text = f"{{{{ config(materialized='incremental', incremental_strategy='append', schema='staging') }}}}\nselect r.id from {{{{ ref('raw') }}}} r left anti join {table} t on t.id = r.id\n"
    result = one(migrated(tmp_path, {"m": text}))
    assert (result.reason is not None and result.reason.code == "ReadsThisElsewhere") is is_own, result.reason


def test_an_offset_sets_no_variable(tmp_path: Path) -> None:
    query = "{% set newest %}select max(day) from {{ this }} limit 1 offset 0{% endset %}\n{% set newest = run_query(newest) %}\n" + f"{SELECT}{{% if is_incremental() %}} where day > 0 and {NEWEST} {{% endif %}}"  # fmt: skip
    reason = one(migrated(tmp_path, {"m": CONFIG + query})).reason
    assert reason is None or not reason.message.startswith("0 is set")


def test_a_macro_that_writes_columns_from_the_table_is_named(tmp_path: Path) -> None:
    macro = "{% macro audited(cte) %}select *, {% if config.get('materialized') == 'incremental' %}(select min(made_at) from {{ this }}){% endif %} as made_at from {{ cte }}{% endmacro %}"
    text = CONFIG + f"with rows_of as ({SELECT})\n{{{{ audited(\n  cte='rows_of',\n) }}}}\n"
    reason = one(migrated(tmp_path, {"m": text, "macros/audited.sql": macro})).reason
    assert reason is not None
    assert reason.message.startswith("the macro audited reads the model's own table, and writes something else")


@pytest.mark.parametrize(
    ("condition", "written"),
    [
        ("date_trunc('month', day) = date_trunc('month', add_months(current_date(), -1))", "date_trunc('month', day)"),
        ("date_trunc('month', day) = date_trunc('month', current_date() - interval 1 month)", "date_trunc('month', day)"),
        ("date_trunc('month', day) = date_trunc('month', date('{{ var(\"ds\") }}') - interval 1 month)", "date_trunc('month', day)"),
        ("sold_month = add_months(trunc(date('{{ var(\"ds\") }}'), 'MM'), -1)", "sold_month"),
    ],
)  # fmt: skip
def test_the_month_before_that_of_a_run_is_a_range_of_months(condition: str, written: str, tmp_path: Path) -> None:
    query = f"select sum(amount) as amount, cast(date_trunc('month', day) as date) as sold_month, shop from {{{{ ref('raw') }}}} {{% if is_incremental() %}} where {condition} {{% endif %}} group by 2, 3"
    if written == "sold_month":
        query = f"select amount, sold_month, shop from {{{{ ref('raw') }}}} {{% if is_incremental() %}} where {condition} {{% endif %}}"
    config = "{{ config(materialized='incremental', incremental_strategy='insert_overwrite', partition_by=['sold_month']) }}\n"
    raw = "select amount, shop, day, cast(sold_month as date) as sold_month from {{ source('till', 'sales') }}"
    result = one(migrated(tmp_path, {"m": config + query, "raw": raw}))
    assert result.kind == "incremental_by_time_range", result.reason
    assert result.options == {"time_column": "sold_month", "interval_unit": "month", "lookback": 1, "batch_size": 1}
    assert f"where {written} between {{{{ dbt_kinds.start_" in str(result.new_text)
    assert any("once more with the month after it" in note.message for note in result.notes)


def test_a_setting_that_the_template_sets_before_is_written_out(tmp_path: Path) -> None:
    text = f"{{%- set key = 'id' -%}}\n{{{{ config(materialized='incremental', unique_key=key) }}}}\n{SELECT}{{% if is_incremental() %}}\nwhere {NEWEST}\n{{% endif %}}\n"
    result = one(migrated(tmp_path, {"m": text}))
    assert result.options == {"unique_key": ["id"], "lookback": 1}, result.reason


@pytest.mark.parametrize(
    ("other", "left_of_it"),
    [
        ("{{ config(incremental_strategy='merge', unique_key='id') }}\n", ""),
        ("{{ config(unique_key='id', tags=['x']) }}\n", "{{ config(tags=['x']) }}\n"),
        ("{{ config(tags=['x'], unique_key='id', incremental_strategy='merge') }}\n", "{{ config(tags=['x']) }}\n"),
        ("{{ config(tags=['x'], unique_key='id', meta={'a': 1}) }}\n", None),
    ],
)
def test_settings_in_a_second_config_are_taken_out_there(other: str, left_of_it: str | None, tmp_path: Path) -> None:
    first = "{{ config(materialized='incremental', file_format='delta') }}\n"
    text = f"{first}{other}{SELECT}{{% if is_incremental() %}}\nwhere {NEWEST}\n{{% endif %}}\n"
    result = one(migrated(tmp_path, {"m": text}))
    if left_of_it is None:
        assert result.reason is not None and result.reason.code == "ComputedConfig"
        assert "another config() than that of materialized has unique_key; write" in result.reason.message
        return
    assert result.options == {"unique_key": ["id"], "lookback": 1}, result.reason
    assert f"}}}}\n{left_of_it}{SELECT}" in str(result.new_text)


def test_a_filter_in_qualify_is_told_as_one(tmp_path: Path) -> None:
    query = f"{SELECT.rstrip()} qualify row_number() over (partition by id order by day desc) = 1 {{% if is_incremental() %}} and {NEWEST} {{% endif %}}"
    reason = one(migrated(tmp_path, {"m": CONFIG + query})).reason
    assert reason is not None and "stands in QUALIFY or HAVING" in reason.message

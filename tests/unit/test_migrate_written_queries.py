"""Macros of the project that write a query with a filter in it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from dbt_kinds.migrate.results import Migration
from tests.unit.migrating import migrated as migrated_with
from tests.unit.migrating import one

CONFIG = "{{ config(materialized='incremental', incremental_strategy='merge', unique_key='id') }}\n"
MACROS = """
{% macro sales_of(shop, raw=none, columns=['id'], days=3) %}
with sales as (
    select {{ columns | join(', ') }}, sold_at
    from {{ raw }} as r
    {% if is_incremental() %}
    where {{ recent('r.sold_at', days) }}
    {% endif %}
)
select '{{ shop }}' as shop, id, sold_at from sales
{% endmacro %}
{% macro recent(column, n) %}{{ column }} >= date_trunc('day', now() - interval '{{ n }}' day){% endmacro %}
{% macro sales_of_north(raw) %}{{ sales_of('north', raw) }}{% endmacro %}
{% macro returned(raw) %}{{ return('select id, sold_at from ' ~ raw ~ (' where sold_at > 1' if is_incremental() else '')) }}{% endmacro %}
{% macro counted(raw) %}select id, count(*) as n from {{ raw }} {% if is_incremental() %} where {{ recent('sold_at', 3) }} {% endif %} group by id{% endmacro %}
{% macro configured(raw) %}select id, sold_at from {{ raw }} {% if is_incremental() and config.get('unique_key') %} where {{ recent('sold_at', 3) }} {% endif %}{% endmacro %}
"""
OUTSIDE = """{% set since = 'sold_at' %}
{% macro sales_since(raw) %}select id, sold_at from {{ raw }} {% if is_incremental() %} where {{ since }} > (select max(sold_at) from {{ this }}) {% endif %}{% endmacro %}
"""
FILES = {"macros/sales.sql": MACROS, "macros/outside.sql": OUTSIDE}
BODY = """with sales as (
    select {{ columns | join(', ') }}, sold_at
    from {{ raw }} as r
    where r.sold_at >= {{ dbt_kinds.start_dt() }}
)
select '{{ shop }}' as shop, id, sold_at from sales
"""
NORTH = "{% set shop = 'north' %}\n{% set raw = ref('raw') %}\n{% set columns = ['id'] %}\n{% set days = 3 %}\n"


def migrated(root: Path, files: Mapping[str, str], **given: Any) -> Migration:
    """What becomes of a project with `--inline-macros`."""
    return migrated_with(root, files, **{"inlines_macros": True, **given})


def test_the_text_of_a_macro_stays_where_it_is_unless_that_is_asked_for(tmp_path: Path) -> None:
    files = dict.fromkeys(("m", "n"), CONFIG + "{{ sales_of('north', ref('raw')) }}\n")
    migration = migrated(tmp_path, files | FILES, inlines_macros=False)
    for name in files:
        result = one(migration, name)
        assert result.reason is not None and (result.status, result.reason.code) == ("left", "MacroFilter")
        assert result.reason.message == "the macro sales_of writes the query; --inline-macros writes its text into the model, and converts that"  # fmt: skip
        assert result.new_text is None and result.notes == []


@pytest.mark.parametrize(
    ("query", "wanted"),
    [
        ("{{ sales_of('north', ref('raw')) }}\n", NORTH + BODY),
        ("{{ sales_of(raw=ref('raw'), shop='north') }}\n", NORTH + BODY),
        ("{{ shop.sales_of('north', ref('raw')) }}\n", NORTH + BODY),
        (
            "{{ sales_of_north(ref('raw')) }}\n",
            "{% set raw = ref('raw') %}\n" + NORTH.replace("{% set raw = ref('raw') %}\n", "") + BODY,
        ),
        # words of a text and names of arguments are no names
        (
            "{# shop #}{{ log('raw, shop', info=false) }}{{ sales_of('north', ref('raw')) }}\n",
            "{# shop #}{{ log('raw, shop', info=false) }}" + NORTH + BODY,
        ),
        (
            "{% set shop = 'north' %}\n{{ sales_of(shop, ref('raw_' ~ shop)) }}\n",
            NORTH.replace("ref('raw')", "ref('raw_' ~ shop)") + BODY,
        ),
        # the model's own name is the parameter's
        (
            "{% set shop = 'north' %}\n{{ sales_of(shop, ref('raw'), ['id', 'n']) }}\n",
            NORTH.replace("['id']", "['id', 'n']") + BODY,
        ),
    ],
)
def test_the_text_of_a_macro_takes_the_place_of_its_call(query: str, wanted: str, tmp_path: Path) -> None:
    result = one(migrated(tmp_path, {"m": CONFIG + query, **FILES}))
    assert result.options == {"unique_key": ["id"], "lookback": 3}, result.reason
    assert str(result.new_text).split("\n", 1)[1] == wanted
    notes = [note.message for note in result.notes if note.code == "MacroWritten"]
    assert len(notes) == 1 and notes[0].startswith("the text of the macro sales_of")


@pytest.mark.parametrize(
    "query",
    [
        # a name in the text would mean another thing
        "{% set columns = 'x' %}\n{{ sales_of('north', ref('raw')) }}",
        "{{ sales_of('north', ref('raw'), days=shop) }}",
        "{% set shop = 'a' %}{% set days = 5 %}\n{{ sales_of(days, ref('raw'), days=shop) }}",
        "{% set recent = 'x' %}\n{{ sales_of('north', ref('raw')) }}",
        "{{ sales_since(ref('raw')) }}",
        # what it is given is not known
        "{{ sales_of(**given) }}",
        "{{ sales_of('north', ref('raw'), [], 1, 2) }}",
        # it returns a text, or asks the settings
        "{{ returned(ref('raw')) }}",
        "{{ configured(ref('raw')) }}",
    ],
)
def test_a_macro_whose_text_would_mean_another_thing_is_left(query: str, tmp_path: Path) -> None:
    result = one(migrated(tmp_path, {"m": CONFIG + query, **FILES}))
    assert result.reason is not None and result.reason.code == "MacroFilter", result.new_text
    assert "in its text" not in result.reason.message


def test_what_is_wrong_in_the_text_of_a_macro_is_said_of_the_macro(tmp_path: Path) -> None:
    reason = one(migrated(tmp_path, {"m": f"{CONFIG}\n{{{{ counted(ref('raw')) }}}}\n", **FILES})).reason
    assert reason is not None and (reason.code, reason.line) == ("MacroFilter", 3)
    assert (
        reason.message
        == "the macro counted writes the query, and in its text: group by id does not contain the filtered column; "
        "group by that, too, or filter by what rows are grouped by"
    )


def test_a_hook_that_calls_a_writing_macro_by_the_name_of_the_project_is_left(tmp_path: Path) -> None:
    cleaned = "{% macro cleaned(table) %}insert into {{ table }} select 0{% endmacro %}"
    config = CONFIG.replace("'id')", "'id', post_hook='{{ shop.cleaned(this) }}')")
    query = "select id, sold_at from {{ ref('raw') }} {% if is_incremental() %} where sold_at > (select max(sold_at) from {{ this }}) {% endif %}"
    reason = one(migrated(tmp_path, {"m": config + query, "macros/cleaned.sql": cleaned})).reason
    assert reason is not None and "its post_hook calls the macro cleaned, which writes" in reason.message


BUILT = """
{% macro built(raw, kept=false) %}
{% if kept not in [true, false] %}{{ exceptions.raise_compiler_error("built() of a macro wants a truth") }}{% endif %}
select id, sold_at from {{ raw }}
{% if is_incremental() %}
where {% if kept %}id in (select id from {{ this }}){% else %}sold_at >= now() - interval '3' day{% endif %}
{% endif %}
{% if is_incremental() -%}
{% if kept -%} union all select id, sold_at from kept {%- endif %}
{%- endif %}
/* a run:
   {{ is_incremental() }} of {{ this }}
*/
{% endmacro %}
"""


def test_what_no_run_takes_of_a_written_macro_is_left_out(tmp_path: Path) -> None:
    result = one(migrated(tmp_path, {"m": CONFIG + "{{ built(ref('raw')) }}\n", "macros/built.sql": BUILT}))
    assert result.options == {"unique_key": ["id"], "lookback": 3}, result.reason
    assert (
        str(result.new_text)
        .rstrip()
        .endswith("select id, sold_at from {{ raw }}\nwhere sold_at >= {{ dbt_kinds.start_dt() }}")
    )


def test_what_a_run_takes_of_a_written_macro_is_judged(tmp_path: Path) -> None:
    reason = one(
        migrated(tmp_path, {"m": CONFIG + "{{ built(ref('raw'), true) }}\n", "macros/built.sql": BUILT})
    ).reason
    assert reason is not None and reason.code == "MacroFilter" and "in its text: the block has union" in reason.message


@pytest.mark.parametrize(
    "newest",
    [
        "run_query('select max(sold_at) from ' ~ this).columns[0].values()[0]",
        "dbt_utils.get_column_values(table=this, column='sold_at', max_records=1)[0]",
        "newest_of(this)",
    ],
)
def test_a_macro_that_asks_its_own_table_decides_what_is_loaded(newest: str, tmp_path: Path) -> None:
    macro = f"{{% macro new_sales(raw) %}}{{% if execute %}}{{% set newest = {newest} %}}{{% endif %}}select id, sold_at from {{{{ raw }}}} {{% if newest %}} where sold_at > '{{{{ newest }}}}' {{% endif %}}{{% endmacro %}}"
    config = "{{ config(materialized='incremental', incremental_strategy='append') }}\n"
    result = one(migrated(tmp_path, {"m": config + "{{ new_sales(ref('raw')) }}", "macros/new.sql": macro}))
    assert result.reason is not None, result.new_text

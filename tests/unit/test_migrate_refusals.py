"""Why a model is left: an input for each refusal that no other test needs, so that none can be taken out unnoticed."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.migrating import migrated, one
from tests.unit.test_migrate import filtered, incremental

NEWEST = "event_at > (select max(event_at) from {{ this }})"
BLOCK = "{{% if is_incremental() %}} {0} {{% endif %}}"
MERGED = "incremental_strategy='merge', unique_key='id'"
OVERWRITTEN = "incremental_strategy='insert_overwrite'"
MICROBATCH = "incremental_strategy='microbatch', event_time='event_at', begin='2020-01-01', batch_size='day'"


def united(first: str, second: str, columns: str = "id, event_at", others: str = "id, event_at") -> str:
    """A union of two inputs with a filter each."""
    parts = [(columns, "a", first), (others, "b", second)]
    return incremental(
        "\nunion all\n".join(
            f"select {listed} from {{{{ ref('{name}') }}}} {BLOCK.format(f'where {condition}')}"
            for listed, name, condition in parts
        )
    )


LEFT: dict[str, tuple[str | dict[str, str], str]] = {
    "a macro that looks at the table before the query": (
        {
            "m": incremental(f"{{% if is_incremental() %}}{{% set n = columns_of_it() %}}{{% endif %}}\nselect id, event_at from {{{{ ref('raw') }}}} {BLOCK.format(f'where {NEWEST}')}"),
            "macros/c.sql": "{% macro columns_of_it() %}{{ return(adapter.get_columns_in_relation(this)) }}{% endmacro %}",
        },
        "the macro columns_of_it reads the model's own table before the query is written",
    ),
    "a macro that asks another before the query": (
        {
            "m": incremental("{% set n = later() %}\nselect id, event_at from {{ ref('raw') }} {% if n %} where id > 0 {% endif %}"),
            "macros/c.sql": "{% macro later() %}{{ return(asked()) }}{% endmacro %}\n{% macro asked() %}{{ return(is_incremental()) }}{% endmacro %}",
        },
        "the macro later asks is_incremental() before the query is written",
    ),
    "a variable beside the filter on another column": (
        incremental(f"select id, event_at from {{{{ ref('raw') }}}}\nwhere sent_at >= '{{{{ var(\"since\") }}}}' {BLOCK.format(f'and {NEWEST}')}"),
        "since bounds sent_at beside the filter, and what it leaves out would be recorded as loaded; write its value out",
    ),
    "filtered rows that a condition looks up": (
        incremental(f"with new as (select id, event_at from {{{{ ref('raw') }}}} {BLOCK.format(f'where {NEWEST}')})\nselect id, event_at from {{{{ ref('b') }}}} where id in (select id from new)"),
        "the filtered rows are looked up by a condition or a column; join them instead",
    ),
    "variables and a newest value": (
        united("event_at >= '{{ var(\"since\") }}'", NEWEST),
        "variables bound one filter and the table or the clock another",
    ),
    "a time of arrival and one of an event": (
        united("event_at > (select max(at) from {{ this }})", "_loaded_at > (select max(at) from {{ this }})", "event_at as at", "_loaded_at as at"),
        "when it arrived; say --event or --arrival",
    ),
    "the whole table replaced by what is new": (
        filtered(NEWEST, config=OVERWRITTEN),
        "insert_overwrite without partition_by replaces the whole table by the filtered rows",
    ),
    "partitions beside the time": (
        filtered("day >= current_date - 3", "day, region", f"{OVERWRITTEN}, partition_by=['day', 'region']"),
        "the table has partitions beside the filtered column",
    ),
    "a deletion that predicates narrow": (
        filtered(NEWEST, config="incremental_strategy='delete+insert', unique_key='id', incremental_predicates=['id > 3']"),
        "incremental_predicates narrows what delete+insert deletes",
    ),
    "a deletion by a time that predicates narrow": (
        filtered("day >= (select max(day) from {{ this }})", "id, day", "incremental_strategy='delete+insert', unique_key=['id', 'day'], incremental_predicates=['id > 3']"),
        "incremental_predicates narrows what delete+insert deletes",
    ),
    "arrivals that are appended again": (
        filtered("_loaded_at > now() - interval 2 days", "id, _loaded_at", "incremental_strategy='append'"),
        "without a key they are appended again and again",
    ),
    "partitions deleted by a key": (
        filtered(NEWEST, "region, event_at", "incremental_strategy='delete+insert', unique_key='region', partition_by=['region']"),
        "rows of region are replaced by rows filtered on event_at",
    ),
    "one row of a key that is none": (
        filtered(NEWEST, rest="qualify row_number() over (partition by id order by event_at desc) = 1"),
        "the newest row of each id is kept, and the model has no unique_key; set it to what rows are numbered by",
    ),
    "an upper bound alone": (filtered("event_at < now()"), "the filter has an upper bound only"),
    "a bound after the newest row": (
        filtered("event_at > (select max(event_at) + interval 1 day from {{ this }})"),
        "the bound lies after the newest row",
    ),
    "an upper bound that is a fixed time": (
        filtered(f"{NEWEST} and event_at < '2030-01-01'"),
        "the upper bound is neither now nor a variable",
    ),
    "a variable that is an upper bound shifted by weeks": (
        filtered("day >= '{{ var(\"a\") }}' and day < date_add(date '{{ var(\"b\") }}', 14)", "day"),
        "the upper bound lies more than a day before or after the variable",
    ),
    "a fixed bound of later runs": (
        filtered("event_at >= '2024-01-01'"),
        "applies only on incremental runs",
    ),
    "the model's own table beside the column": (
        filtered("event_at + (select max(late) from {{ this }}) > now()"),
        "the model reads its own table for more than the bound",
    ),
    "two fixed beginnings": (
        incremental(
            "select id, event_at from {{ ref('a') }} {% if is_incremental() %} where " + NEWEST + " {% else %} where event_at >= '2020-01-01' {% endif %}"
            " union all select id, event_at from {{ ref('b') }} {% if is_incremental() %} where " + NEWEST + " {% else %} where event_at >= '2021-01-01' {% endif %}"
        ),
        "the first load begins at 2020-01-01 and at 2021-01-01",
    ),
    "branches of two shapes": (
        incremental(
            "select id, event_at from {{ ref('a') }} where id > 0 {% if is_incremental() %} and " + NEWEST + " {% else %} where event_at >= '2020-01-01' {% endif %}"
        ),
        "the two branches do not have the same shape",
    ),
    "a first load with more than conditions": (
        incremental(
            "select id, event_at from {{ ref('a') }} {% if is_incremental() %} where " + NEWEST + " {% else %} limit 10 {% endif %}"
        ),
        "the first load has other logic than no filter or a fixed start",
    ),
    "a block of nothing but a word": (filtered(" "), "the block has no condition"),
    "a bracket left open": (
        incremental("select id, event_at from {{ ref('a') }} {% if is_incremental() %} where (" + NEWEST + " {% endif %}"),
        "cannot be read as SQL",
    ),
    "a bracket closed": (
        incremental("select * from (select id, event_at from {{ ref('a') }} {% if is_incremental() %} where " + NEWEST + ") {% else %} ) {% endif %}"),
        "the block closes a bracket that it does not open",
    ),
    "a word missing": (filtered("event_at > and id > 3"), "`event_at >` cannot be read"),
    "an end of a variable, and no beginning": (
        filtered("event_at < '{{ var(\"until\") }}'", config=OVERWRITTEN + ", partition_by=['event_at']"),
        "the filter has an upper bound only",
    ),
    "an end outside the block": (
        incremental("select id, day from {{ ref('raw') }} where day < '{{ var(\"until\") }}'", f"{OVERWRITTEN}, partition_by=['day']"),
        "until bounds the end of what is read, and nothing its beginning",
    ),
    "an end of another input": (
        incremental(
            "select a.id, a.day from {{ ref('a') }} as a join (select * from {{ ref('b') }} where day < '{{ var(\"until\") }}') as b using (id) "
            "where a.day >= '{{ var(\"since\") }}'", f"{OVERWRITTEN}, partition_by=['day']"
        ),
        "a variable bounds day here, where no filter bounds its beginning",
    ),
    "a variable of a query that cannot be read": (
        incremental("select id, day, '{{ var(\"day\") }}' as x from {{ ref('raw') }} from from", f"{OVERWRITTEN}, partition_by=['day']"),
        "the variable day may decide what is read or written",
    ),
    "a target that chooses the columns": (
        incremental(
            "select id, {% if target.name == 'prod' %} event_at {% else %} date_trunc('month', event_at) as event_at {% endif %} from {{ ref('raw') }} "
            + BLOCK.format("where event_at >= (select max(event_at) from {{ this }})").replace("{{{{", "{{").replace("}}}}", "}}")
        ),
        "a condition that only a run can decide changes what is loaded",
    ),
    "is_incremental() in an expression": (
        incremental("select id, '{{ is_incremental() }}' as x from {{ ref('raw') }}"),
        "uses is_incremental() outside the condition of an if block",
    ),
    "a macro that decides in a statement": (
        {"m": incremental("{% do chosen() %} select id from {{ ref('raw') }}"), "macros/chosen.sql": "{% macro chosen() %}{% if is_incremental() %}{% endif %}{% endmacro %}"},
        "the macro chosen asks is_incremental() before the query is written",
    ),
    "something set for no filter": (
        incremental("{% if is_incremental() %}{% set unused = 3 %}{% endif %} select id from {{ ref('raw') }}"),
        "something is set for incremental runs that no filter uses",
    ),
    "several bounds that are set": (
        incremental(
            "{% set a = run_query('select max(event_at) from ' ~ this) %}{% set b = run_query('select max(id) from ' ~ this) %}"
            "select id, event_at from {{ ref('raw') }} {% if is_incremental() %} where event_at > '{{ a }}' and id > {{ b }} {% endif %}"
        ),
        "are several bounds",
    ),
    "absence in two places": (
        incremental(
            "select id, event_at from {{ ref('a') }} {% if is_incremental() %} where id not in (select id from {{ this }}) and event_at > now() - interval 3 days {% endif %}"
            " union all select id, event_at from {{ ref('b') }} {% if is_incremental() %} where id not in (select id from {{ this }}) and event_at > now() - interval 3 days {% endif %}"
        ),
        "by their absence in several places",
    ),
    "absence, and partitions replaced": (
        filtered("id not in (select id from {{ this }}) and event_at > now() - interval 3 days", config=f"{OVERWRITTEN}, partition_by=['event_at']"),
        "partitions are replaced by the rows that are not there yet",
    ),
    "absence by another key": (
        filtered("other not in (select other from {{ this }}) and event_at > now() - interval 3 days", "id, other, event_at", MERGED),
        "new rows are told by other and merged by id",
    ),
    "a batch that asks is_incremental()": (
        incremental("select id, event_at from {{ ref('raw') }} {% if is_incremental() %} where id > 3 {% endif %}", MICROBATCH),
        "a microbatch model asks is_incremental(), too",
    ),
    "a batch that reads its own table": (
        incremental("select id, event_at from {{ ref('raw') }} where id > (select max(id) from {{ this }})", MICROBATCH),
        "a batch reads the model's own table, and a kind reads its inputs alone",
    ),
    "a batch that predicates narrow": (
        incremental("select id, event_at from {{ ref('raw') }}", f"{MICROBATCH}, incremental_predicates=['id > 3']"),
        "incremental_predicates narrow what a batch replaces",
    ),
    "a batch of a week": (
        incremental("select id, event_at from {{ ref('raw') }}", MICROBATCH.replace("'day'", "'week'")),
        "batch_size week is none of hour, day, month and year",
    ),
    "a batch whose key stands in YAML": (
        {"m": incremental("select id, event_at from {{ ref('raw') }}", MICROBATCH), "models/m.yml": "models: [{name: m, config: {unique_key: id}}]"},
        "unique_key stands in YAML",
    ),
    "a materialization of the project": (
        {"m": "{{ config(materialized='our_own') }} select id from {{ ref('raw') }} {% if is_incremental() %} where id > 3 {% endif %}"},
        "the materialization our_own is one of the project's own",
    ),
    "settings that are not in the text": (
        "{{ config(our_settings) }}" + filtered(NEWEST),
        "config() is given `our_settings`, which may hold any setting",
    ),
    "rows that are hidden when they are read again": (
        incremental(f"select id, event_at from {{{{ ref('raw') }}}} where expires_at > now() {BLOCK.format(f'and {NEWEST}')}"),
        "rows that `expires_at > CURRENT_TIMESTAMP()` does not show any more when their interval is loaded again would be deleted",
    ),
    "a comparison with now that is none": (
        incremental(f"select id, event_at from {{{{ ref('raw') }}}} where case when now() > event_at then true end {BLOCK.format(f'and {NEWEST}')}"),
        "rows that `CASE WHEN CURRENT_TIMESTAMP() > event_at THEN TRUE END` hides while their interval is loaded",
    ),
    "a bound that depends on a row": (
        incremental(f"select id, event_at from {{{{ ref('raw') }}}} where event_at < date_add(now(), n) {BLOCK.format(f'and {NEWEST}')}"),
        "rows that `event_at < DATE_ADD(CURRENT_TIMESTAMP(), n)` hides while their interval is loaded",
    ),
    "rows of the last hour of a day": (
        incremental(f"select id, event_at from {{{{ ref('raw') }}}} where event_at >= now() - interval 1 hour {BLOCK.format(f'and {NEWEST}')}"),
        "hides while their interval is loaded",
    ),
    "a filter of rows that are not selected": (
        incremental(f"with a as (select id, event_at from {{{{ ref('raw') }}}} {BLOCK.format(f'where {NEWEST}')}) select id, event_at from {{{{ ref('b') }}}}"),
        "the filtered rows cannot be followed to the output",
    ),
    "a part of a union that is read whole": (
        incremental(f"select id, event_at from {{{{ ref('raw') }}}} {BLOCK.format(f'where {NEWEST}')} union all select id, event_at from {{{{ ref('b') }}}}"),
        "of the parts of a union some are filtered and some are read whole",
    ),
    "its own table beside a filter": (
        incremental(f"select id, event_at from {{{{ ref('raw') }}}} left join {{{{ this }}}} t using (id) {BLOCK.format(f'where {NEWEST}')}"),
        "the model reads its own table outside a filter",
    ),
    "a condition that is missing": (
        incremental(f"select id, event_at from {{{{ ref('raw') }}}} {BLOCK.format(f'where and {NEWEST}')}"),
        "a condition is missing",
    ),
    "nothing in place of a condition": (
        incremental(f"select id, event_at from {{{{ ref('raw') }}}} where {{% if is_incremental() %}} {NEWEST} {{% else %}} {{% endif %}}"),
        "a condition without where or and has nothing in its place",
    ),
    "a batch of a parent by a time that is computed": (
        {"m": incremental("select id, event_at from {{ ref('raw') }}", MICROBATCH), "raw": "{{ config(event_time=our_time()) }} select 1 as id"},
        "the event_time of raw is computed",
    ),
    "nothing but a condition of the first load": (
        incremental("select id from {{ ref('raw') }} {% if is_incremental() %}{% else %} where id > 3 {% endif %}"),
        "the block has no condition",
    ),
    "a statement beside a condition of the first load": (
        incremental(f"select id, event_at from {{{{ ref('raw') }}}} {BLOCK.format(f'where {NEWEST}')} {{% if not is_incremental() %}} {{% set x = 2 %}} where id > 2 {{% endif %}}"),
        "only the first load has something here",
    ),
    "a text without its end": (
        incremental(f"select id, event_at from {{{{ ref('raw') }}}} {BLOCK.format('where event_at > *')}".replace("*", "'2024")),
        "the block cannot be read as SQL",
    ),
    "an order beside a condition": (
        incremental(f"select id, event_at from {{{{ ref('raw') }}}} {BLOCK.format(f'where {NEWEST} sort by id')}"),
        "sort by id` is more than a condition",
    ),
    "a statement beside a condition": (
        incremental(f"select id, event_at from {{{{ ref('raw') }}}} {BLOCK.format(f'{{% set days = 3 %}} where {NEWEST}')}"),
        "the block has `set days = 3` in it; only conditions are read",
    ),
    "a block that filters groups": (
        incremental(f"select id, max(event_at) as event_at from {{{{ ref('raw') }}}} group by id {BLOCK.format(f'having {NEWEST}')}"),
        "the block begins with `having`, which is no filter of rows",
    ),
    "a day and the day before it": (
        united("day = '{{ var(\"d\") }}'", "day = date_sub(to_date('{{ var(\"d\") }}'), 1)", "id, day", "id, day").replace(
            "materialized='incremental'", f"materialized='incremental', {OVERWRITTEN}, partition_by=['day']"
        ),
        "the filters select different days of day in one run",
    ),
    "a variable or the last days": (
        filtered("(day >= '{{ var(\"a\") }}' or day >= current_date - 7)", "id, day"),
        "`day >= '{{ var(\"a\") }}'` applies only on incremental runs, and is no bound that can be read",
    ),
    "a range of a number": (
        filtered("ts_ms > (select max(ts_ms) from {{ this }})", "id, ts_ms"),
        "the output has ts_ms as a number at most",
    ),
    "a pivot of what is new": (
        incremental(
            "with a as (select id, name, value from {{ ref('raw') }} "
            + BLOCK.format("where _loaded_at > (select max(_loaded_at) from {{ this }})")
            + ")\nselect *, now() as _loaded_at from a pivot (max(value) for name in ('b', 'c'))",
            MERGED,
        ),
        "pivot puts rows together, and the filtered column is none of those that it groups by",
    ),
    "a condition of all rows": (
        incremental("select id from {{ ref('raw') }} " + BLOCK.format("where (select count(*) from {{ ref('raw') }}) > 0"), MERGED),
        "applies only on incremental runs, and to all rows alike; take it out if it only saves work",
    ),
    "several full joins": (
        incremental(
            "with "
            + ", ".join(
                f"{name} as (select day, id, n from {{{{ ref('{name}') }}}} " + BLOCK.format("where day = '{{ var(\"d\") }}'") + ")"
                for name in ("a", "b", "c")
            )
            + "\nselect day, a.n as x, b.n as y, c.n as z from a full join b using (day, id) full join c using (day, id)",
            f"{OVERWRITTEN}, partition_by=['day']",
        ),
        "day comes out of several full joins of one select, of which one can be followed",
    ),
    "rows of its own table that a query lists": (
        incremental(
            "{% set days = run_query('select distinct day from raw').columns[0].values() %}\nselect id, day from {{ ref('raw') }}\n"
            + BLOCK.format("union all select id, day from {{ this }} where day in ({{ days | join(',') }})"),
            MERGED,
        ),
        "days lists which rows of its own table the model reads back",
    ),
    "a range of a table that is not partitioned by it": (
        filtered(NEWEST, config="file_format='parquet'"),
        "a range of a parquet table can be replaced where it is partitioned by event_at",
    ),
    "a table that the template makes": (
        incremental(
            "{% set q %}create or replace temporary table tmp.new_rows as select * from {{ ref('raw') }}\n"
            + BLOCK.format(f"where {NEWEST}")
            + "{% endset %}{% do run_query(q) %}{% set n = count_of('tmp.new_rows') %}\nselect id, event_at from tmp.new_rows where {{ n }} > 0",
            MERGED,
        ),
        "the template makes the table tmp.new_rows before the query, of other rows in incremental runs; write its query as a CTE",
    ),
    "another table in the first load": (
        incremental(
            "select id, event_at from -- raw\n {% if is_incremental() %} {{ ref('new') }} {% else %} {{ ref('all') }} {% endif %} where id > 0\n"
            + BLOCK.format(f"and {NEWEST}")
        ),
        "the block chooses the table that is read",
    ),
    "another table joined in the first load": (
        incremental(f"select r.id, r.event_at from {{{{ ref('raw') }}}} r join {{% if is_incremental() %}} b {{% else %}} c {{% endif %}} on b.id = r.id {BLOCK.format(f'where r.{NEWEST}')}"),
        "the block chooses the table that is read",
    ),
    "the oldest new row bounds another input": (
        incremental(
            f"with new as (select id, event_at from {{{{ ref('raw') }}}} {BLOCK.format(f'where {NEWEST}')}), prices as (select * from {{{{ ref('prices') }}}} where at >= (select min(event_at) from new))\n"
            "select new.id, new.event_at, prices.price from new left join prices on prices.at = new.event_at"
        ),
        "MIN(event_at) is of all rows that a run reads, and bounds others; take that condition out",
    ),
    "one row of all": (
        incremental(f"select count(*) as n, max(event_at) as event_at from {{{{ ref('raw') }}}} {BLOCK.format(f'where {NEWEST}')}"),
        "COUNT(*) is of all rows that a run reads, in one row; group by the filtered column, too",
    ),
    "a first load by another column": (
        incremental(f"select id, event_at, seen_at from {{{{ ref('raw') }}}} {{% if is_incremental() %}} where {NEWEST} {{% else %}} where seen_at >= '2021-01-01' {{% endif %}}"),
        "the first load has `seen_at >= '2021-01-01'`, and other runs filter event_at; write the condition for all runs if it holds",
    ),
    "disabled everywhere": (incremental("select 1 as id", "enabled=false"), "the model is disabled; enable it first"),
    "predicates that are computed": (
        filtered(NEWEST, config=f"{MERGED}, predicates=our_predicates()"),
        "incremental_predicates is computed",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", LEFT)
def test_a_model_is_left_for_the_reason_that_is_told(name: str, tmp_path: Path) -> None:
    given, reason = LEFT[name]
    result = one(migrated(tmp_path, given if isinstance(given, dict) else {"m": given}))
    assert result.reason is not None, result.new_text
    assert reason in result.reason.message, result.reason.message
    assert result.diff == ""


ABSENT = "r.id not in (select id from {{ this }})"


@pytest.mark.parametrize(
    ("query", "reason"),
    [
        (f"select r.id from {{{{ ref('raw') }}}} r join {{{{ ref('b') }}}} b on b.id = r.id {BLOCK.format(f'and {ABSENT}')}", "the filter is no condition that all rows must meet"),
        (f"select r.id from {{{{ ref('raw') }}}} r {BLOCK.format(f'where {ABSENT}')} limit 3", "limit picks rows across intervals"),
    ],
)  # fmt: skip
def test_rows_that_are_told_by_their_absence_and_by_more_are_left(query: str, reason: str, tmp_path: Path) -> None:
    result = one(migrated(tmp_path, {"m": incremental(query, MERGED)}, accept_full_reads=True))
    assert result.reason is not None, result.new_text
    assert reason in result.reason.message


def test_partitions_of_no_column_are_left_where_nothing_says_what_is_replaced(tmp_path: Path) -> None:
    result = one(migrated(tmp_path, {"m": incremental("select id from {{ ref('raw') }}", OVERWRITTEN)}, "bigquery"))
    assert result.reason is not None and result.reason.message == "insert_overwrite has no partition_by"


SNAPSHOTS = {
    "strategy='timestamp', unique_key=our_key(), updated_at='changed_at'": "unique_key is computed",
    "strategy='timestamp', updated_at='changed_at'": "the snapshot has no unique_key",
    "strategy='timestamp', unique_key='id', updated_at='changed_at', enabled=false": "the snapshot is disabled",
    "strategy='timestamp', unique_key='id', updated_at='cast(changed_at as date)'": "updated_at is no column",
    "strategy='check', unique_key='id'": "check_cols is not set",
    "strategy='our_own', unique_key='id', updated_at='changed_at'": "the strategy our_own is one of the project's own",
}


@pytest.mark.parametrize("config", SNAPSHOTS)
def test_a_snapshot_is_left_for_the_reason_that_is_told(config: str, tmp_path: Path) -> None:
    text = f"{{% snapshot s %}}{{{{ config({config}, target_schema='x') }}}} select * from {{{{ ref('raw') }}}}{{% endsnapshot %}}"
    result = one(migrated(tmp_path, {"snapshots/s.sql": text, "m": "select 1"}), "s")
    assert result.reason is not None, result.new_text
    assert SNAPSHOTS[config] in result.reason.message

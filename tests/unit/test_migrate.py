"""`dbt-kinds migrate` as tables: what a model says before, and what it says after or why it is left."""

from __future__ import annotations

import json
import subprocess
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from dbt_kinds.cli import main
from dbt_kinds.errors import UnreadableScheduleError
from dbt_kinds.migrate.results import report_lines
from tests.unit.migrating import migrated, one, write_project

TIME_RANGE = "incremental_by_time_range"
KEY = "incremental_by_unique_key"


@dataclass(frozen=True)
class Converted:
    """A model, the kind and options that it gets, and what its filter becomes."""

    before: str
    kind: str
    options: dict[str, Any]
    contains: str = ""
    dialect: str = "databricks"
    config: str = ""
    given: dict[str, Any] = field(default_factory=dict)


def incremental(query: str, config: str = "") -> str:
    return f"{{{{ config(materialized='incremental'{', ' + config if config else ''}) }}}}\n{query}\n"


def filtered(condition: str, columns: str = "id, event_at", config: str = "", rest: str = "") -> str:
    return incremental(
        f"select {columns}\nfrom {{{{ ref('raw') }}}}\n{{% if is_incremental() %}}\nwhere {condition}\n{{% endif %}}\n{rest}",
        config,
    )


BETWEEN = "where {0} between {{{{ dbt_kinds.start_{1}() }}}} and {{{{ dbt_kinds.end_{1}() }}}}\n"

SINCE = "where {0} >= {{{{ dbt_kinds.start_{1}() }}}}\n"

CONVERTED = {
    "the newest value": Converted(
        filtered("event_at > (select max(event_at) from {{ this }})"), TIME_RANGE, {"time_column": "event_at", "lookback": 1}, BETWEEN.format("event_at", "dt")
    ),
    "the newest value from the other side": Converted(
        filtered("(select max(event_at) from {{ this }}) <= event_at"), TIME_RANGE, {"time_column": "event_at", "lookback": 1}, BETWEEN.format("event_at", "dt")
    ),
    "a date": Converted(
        filtered("order_date >= (select coalesce(max(order_date), date '1970-01-01') from {{ this }})", "id, order_date"),
        TIME_RANGE, {"time_column": "order_date", "lookback": 1}, BETWEEN.format("order_date", "date"),
    ),
    "truncated on the way": Converted(
        filtered("event_at >= (select max(day) from {{ this }})", "id, cast(event_at as date) as day"),
        TIME_RANGE, {"time_column": "day", "lookback": 1}, BETWEEN.format("event_at", "dt"),
    ),
    "renamed in a CTE": Converted(
        incremental(
            "with raw as (\n  select id, block_time from {{ source('chain', 'blocks') }}\n  {% if is_incremental() %}\n"
            "  where block_time >= (select max(mined_at) from {{ this }})\n  {% endif %}\n)\nselect id, block_time as mined_at from raw"
        ),
        TIME_RANGE, {"time_column": "mined_at", "lookback": 1}, "  " + BETWEEN.format("block_time", "dt"),
    ),
    "shifted by hours": Converted(
        filtered("event_at >= (select max(event_at) - interval '12 hours' from {{ this }})"),
        TIME_RANGE, {"time_column": "event_at", "lookback": 1}, BETWEEN.format("event_at", "dt"),
    ),
    "shifted by dateadd": Converted(
        filtered("event_at >= dateadd('day', -3, (select max(event_at) from {{ this }}))"),
        TIME_RANGE, {"time_column": "event_at", "lookback": 3}, dialect="snowflake",
    ),
    "shifted by date_sub": Converted(
        filtered("day >= date_sub((select max(day) from {{ this }}), interval 2 day)", "id, day"),
        TIME_RANGE, {"time_column": "day", "lookback": 2}, dialect="bigquery",
    ),
    "shifted by a number": Converted(
        filtered("day >= (select max(day) from {{ this }}) - 3", "id, day"), TIME_RANGE, {"time_column": "day", "lookback": 3}
    ),
    "from now back a week": Converted(
        filtered("event_at >= date_trunc('day', now() - interval '1 week')"), TIME_RANGE, {"time_column": "event_at", "lookback": 7}
    ),
    "from today back": Converted(
        filtered("day >= current_date - 3", "id, day"), TIME_RANGE, {"time_column": "day", "lookback": 3}, BETWEEN.format("day", "date")
    ),
    "with now as its end": Converted(
        filtered("event_at > (select max(event_at) from {{ this }}) and event_at <= current_timestamp()"),
        TIME_RANGE, {"time_column": "event_at", "lookback": 1}, BETWEEN.format("event_at", "dt"),
    ),
    "until yesterday": Converted(
        filtered("day between current_date - 7 and current_date - 1", "id, day"), TIME_RANGE, {"time_column": "day", "lookback": 7}
    ),
    "a month that is over": Converted(
        filtered("event_at >= date_trunc('month', now() - interval '1 month') and event_at < date_trunc('month', now())"),
        TIME_RANGE, {"time_column": "event_at", "interval_unit": "month", "lookback": 1},
    ),
    "hours": Converted(
        filtered("event_at >= date_trunc('hour', now() - interval '3 hours')"),
        TIME_RANGE, {"time_column": "event_at", "interval_unit": "hour", "cron": "@hourly", "lookback": 3},
    ),
    "aggregated by month": Converted(
        filtered(
            "event_at >= (select max(month_at) from {{ this }})", "date_trunc('month', event_at) as month_at, count(*) as n", rest="group by 1"
        ),
        TIME_RANGE, {"time_column": "month_at", "interval_unit": "month", "allow_partials": True, "lookback": 1}, BETWEEN.format("event_at", "dt"),
    ),
    "aggregated by month under a key without it": Converted(
        filtered(
            "event_at >= (select max(m) from {{ this }})", "id, date_format(event_at, 'yyyy-MM') as month, date_trunc('month', event_at) as m, count(*) as n",
            "incremental_strategy='merge', unique_key=['id', 'month']", "group by 1, 2, 3",
        ),
        KEY, {"unique_key": ["id", "month"], "interval_unit": "month", "allow_partials": True, "lookback": 1}, SINCE.format("event_at", "dt"),
    ),
    "aggregated by week under a hash": Converted(
        filtered(
            "date_trunc('week', event_at) >= (select max(wk) from {{ this }})", "md5(date_trunc('week', event_at)) as k, date_trunc('week', event_at) as wk, count(*) as n",
            "incremental_strategy='merge', unique_key='k'", "group by 1, 2",
        ),
        KEY, {"unique_key": ["k"], "interval_unit": "week", "allow_partials": True, "lookback": 1},
    ),
    "aggregated by BigQuery's week of Monday": Converted(
        filtered(
            "day >= (select max(wk) from {{ this }})", "date_trunc(day, isoweek) as wk, count(*) as n", rest="group by 1",
        ),
        TIME_RANGE, {"time_column": "wk", "interval_unit": "week", "allow_partials": True, "lookback": 1}, dialect="bigquery",
    ),
    "aggregated by day, every hour": Converted(
        filtered(
            "event_at >= (select max(day) from {{ this }})", "md5(to_date(event_at)) as k, to_date(event_at) as day, count(*) as n",
            "incremental_strategy='merge', unique_key='k'", "group by 1, 2",
        ),
        KEY, {"unique_key": ["k"], "cron": "@hourly", "interval_unit": "day", "allow_partials": True, "lookback": 1}, given={"cron": "@hourly"},
    ),
    "numbered within a day, at times of a cron": Converted(
        filtered(
            "event_at > (select max(event_at) - interval 2 days from {{ this }})", "event_at, row_number() over (partition by to_date(event_at) order by event_at) as n",
        ),
        TIME_RANGE, {"time_column": "event_at", "cron": "*/5 * * * *", "interval_unit": "day", "allow_partials": True, "lookback": 2}, given={"cron": "*/5 * * * *"},
    ),
    "hours of a cron that is no alias": Converted(
        filtered("event_at > (select max(event_at) - interval 2 hours from {{ this }})"),
        TIME_RANGE, {"time_column": "event_at", "cron": "5 * * * *", "lookback": 2}, given={"cron": "5 * * * *"},
    ),
    "half hours of a cron": Converted(
        filtered("event_at > (select max(event_at) - interval 2 hours from {{ this }})"),
        TIME_RANGE, {"time_column": "event_at", "cron": "*/30 * * * *", "lookback": 4}, given={"cron": "*/30 * * * *"},
    ),
    "dates, with a cron of every half hour": Converted(
        filtered("day >= (select max(day) from {{ this }})", "id, day"),
        TIME_RANGE, {"time_column": "day", "cron": "*/30 * * * *", "interval_unit": "day", "allow_partials": True, "lookback": 1}, given={"cron": "*/30 * * * *"},
    ),
    "a key that has the day": Converted(
        filtered("day >= (select max(day) from {{ this }})", "id, day", "incremental_strategy='merge', unique_key=['id', 'day']"),
        TIME_RANGE, {"time_column": "day", "lookback": 1},
    ),
    "a key that is a hash with the day": Converted(
        filtered(
            "day >= (select max(day) from {{ this }})", "{{ dbt_utils.generate_surrogate_key(['id', 'day']) }} as row_key, id, day",
            "incremental_strategy='merge', unique_key='row_key'",
        ),
        TIME_RANGE, {"time_column": "day", "lookback": 1},
    ),
    "a key that is a hash without it": Converted(
        filtered(
            "day >= (select max(day) from {{ this }})", "{{ dbt_utils.generate_surrogate_key(['id', 'region']) }} as row_key, id, day",
            "incremental_strategy='merge', unique_key='row_key'",
        ),
        KEY, {"unique_key": ["row_key"], "lookback": 1},
    ),
    "a key without the time": Converted(
        filtered("event_at >= (select max(event_at) from {{ this }})", config="incremental_strategy='merge', unique_key='id'"),
        KEY, {"unique_key": ["id"], "lookback": 1}, SINCE.format("event_at", "dt"),
    ),
    "a key and a time of arrival": Converted(
        filtered(
            "_loaded_at > (select max(_loaded_at) from {{ this }})", "id, day, _loaded_at", "incremental_strategy='merge', unique_key=['id', 'day']"
        ),
        KEY, {"unique_key": ["id", "day"], "lookback": 1}, SINCE.format("_loaded_at", "dt"),
    ),
    "a time of arrival that a tool writes": Converted(
        filtered(
            "_fivetran_synced > (select coalesce(max(_fivetran_synced), '1900-01-01'::timestamp_tz) from {{ this }})", "id, _fivetran_synced",
            "incremental_strategy='merge', unique_key='id'",
        ),
        KEY, {"unique_key": ["id"], "lookback": 1}, SINCE.format("_fivetran_synced", "dt"), dialect="snowflake",
    ),
    "a time of arrival without a key": Converted(
        filtered("_loaded_at > (select max(_loaded_at) from {{ this }})", "id, _loaded_at"), "incremental_unmanaged", {"disable_restatement": False}, BETWEEN.format("_loaded_at", "dt")
    ),
    "the latest of each key": Converted(
        filtered(
            "updated_at >= (select max(updated_at) from {{ this }})", "id, updated_at", "incremental_strategy='merge', unique_key='id'",
            "qualify row_number() over (partition by id order by updated_at desc) = 1",
        ),
        KEY, {"unique_key": ["id"], "lookback": 1},
    ),
    "variables": Converted(
        filtered(
            "day >= date'{{ var(\"start_date\") }}' and day < date'{{ var(\"end_date\") }}'", "id, day",
            "incremental_strategy='insert_overwrite', partition_by=['day']",
        ),
        TIME_RANGE, {"time_column": "day"}, BETWEEN.format("day", "date"),
    ),
    "variables outside a block": Converted(
        incremental(
            "select id, day from {{ ref('raw') }}\nwhere day >= date'{{ var(\"start_date\") }}'\n  and day < date'{{ var(\"end_date\") }}'\n  and id > 0",
            "incremental_strategy='insert_overwrite', partition_by=['day']",
        ),
        TIME_RANGE, {"time_column": "day"},
        "where day between {{ dbt_kinds.start_date() }} and {{ dbt_kinds.end_date() }}\n  and id > 0\n",
    ),
    "a fixed start in the other branch": Converted(
        incremental(
            "select id, day from {{ ref('raw') }}\n{% if is_incremental() %}\nwhere day > (select max(day) from {{ this }})\n"
            "{% else %}\nwhere day >= '2024-01-01'\n{% endif %}"
        ),
        TIME_RANGE, {"time_column": "day", "start": "2024-01-01", "lookback": 1}, "{{ ref('raw') }}\n" + BETWEEN.format("day", "date"),
    ),
    "a query before": Converted(
        "{{ config(materialized='incremental') }}\n{% if is_incremental() %}\n"
        "{% set newest = run_query('select max(event_at) from ' ~ this).columns[0][0] %}\n{% endif %}\n"
        "select id, event_at from {{ ref('raw') }}\n{% if is_incremental() %}\nwhere event_at > '{{ newest }}'\n{% endif %}\n",
        TIME_RANGE, {"time_column": "event_at", "lookback": 1}, "}}\nselect id, event_at from {{ ref('raw') }}\n" + BETWEEN.format("event_at", "dt"),
    ),
    "no block, a merge": Converted(
        incremental("select * from {{ ref('raw') }}", "incremental_strategy='merge', unique_key='id'"), KEY, {"unique_key": ["id"]}
    ),
    "no block, an append": Converted(incremental("select * from {{ ref('raw') }}"), "incremental_unmanaged", {"disable_restatement": False}),
    "no block, types of dbt's": Converted(
        incremental("select cast(t as {{ type_timestamp() }}) as t from {{ ref('raw') }}"), "incremental_unmanaged", {"disable_restatement": False}
    ),
    "no block, partitions": Converted(
        incremental("select * from {{ ref('raw') }}", "incremental_strategy='insert_overwrite', partition_by='day'"), "incremental_by_partition", {}
    ),
    "no block, the whole table": Converted(incremental("select * from {{ ref('raw') }}", "incremental_strategy='insert_overwrite'"), "full", {}),
    "predicates": Converted(
        filtered(
            "updated_at > (select max(updated_at) from {{ this }})", "id, updated_at",
            "incremental_strategy='merge', unique_key='id', incremental_predicates=[\"DBT_INTERNAL_DEST.updated_at > current_date - 7\"]",
        ),
        KEY, {"unique_key": ["id"], "lookback": 1, "merge_filter": "target.updated_at > current_date - 7"},
    ),
    "computed predicates": Converted(
        filtered(
            "updated_at > (select max(updated_at) from {{ this }})", "id, updated_at",
            "incremental_strategy='merge', unique_key='id', incremental_predicates=[recent('DBT_INTERNAL_DEST.updated_at')]",
        ),
        KEY, {"unique_key": ["id"], "lookback": 1},
        "incremental_predicates=[recent('DBT_INTERNAL_DEST.updated_at')]",
    ),
    "never refreshed": Converted(
        incremental("select * from {{ ref('raw') }}", "incremental_strategy='merge', unique_key='id', full_refresh=false"),
        KEY, {"unique_key": ["id"], "disable_restatement": True},
    ),
    "absent keys": Converted(
        filtered("id not in (select id from {{ this }})", "id, name"), KEY, {"unique_key": ["id"], "insert_only": True},
        "from {{ ref('raw') }}\n\n", given={"accept_full_reads": True},
    ),
    "a union of filtered parts": Converted(
        incremental(
            " union all ".join(
                f"select id, event_at from {{{{ ref('{name}') }}}} {{% if is_incremental() %}} where event_at > (select max(event_at) from {{{{ this }}}}) "
                "{% endif %}" for name in ("a", "b")
            )
        ),
        TIME_RANGE, {"time_column": "event_at", "lookback": 1},
    ),
    "a second input, joined on the time": Converted(
        incremental(
            "select s.id, s.event_at, p.price from {{ ref('sales') }} as s\nleft join {{ ref('prices') }} as p\n  on p.minute = date_trunc('minute', s.event_at)\n"
            "  {% if is_incremental() %}\n  and p.minute >= (select max(event_at) from {{ this }})\n  {% endif %}\n"
            "{% if is_incremental() %}\nwhere s.event_at >= (select max(event_at) from {{ this }})\n{% endif %}"
        ),
        TIME_RANGE, {"time_column": "event_at", "lookback": 1},
        "  and p.minute between {{ dbt_kinds.start_dt() }} and {{ dbt_kinds.end_dt() }}\n" + BETWEEN.format("s.event_at", "dt"),
    ),
    "a window inside the day": Converted(
        filtered(
            "day >= (select max(day) from {{ this }})", "id, day, row_number() over (partition by day order by id) as n",
        ),
        TIME_RANGE, {"time_column": "day", "lookback": 1},
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CONVERTED)
def test_converted(name: str, tmp_path: Path) -> None:
    case = CONVERTED[name]
    result = one(migrated(tmp_path, {"m": case.before}, case.dialect, **case.given))
    assert result.reason is None, f"{result.reason.code}: {result.reason.message}" if result.reason else ""
    assert (result.kind, result.options) == (case.kind, case.options)
    assert result.new_text is not None
    assert case.contains in result.new_text
    assert "is_incremental" not in result.new_text


LEFT = {
    "ComputedConfig": filtered("a > 1", config="unique_key=var('key')"),
    "UnreadableBlock": filtered("status = 'open'"),
    "UnknownColumnType": filtered("v > (select max(v) from {{ this }})", "v"),
    "AmbiguousTimeColumn": filtered(
        "order_date >= current_date - 3 and _loaded_at > (select max(_loaded_at) from {{ this }})", "order_date, _loaded_at",
        "incremental_strategy='merge', unique_key='id'",
    ),
    "FiltersDisagree": filtered("day >= current_date - 3 and event_at > (select max(event_at) from {{ this }})", "day, event_at"),
    "BoundOfAnotherColumn": filtered("created_at > (select max(closed_at) from {{ this }})", "created_at, closed_at"),
    "TimeColumnUnclear": filtered("created_at > now() - interval '1 day'", "id"),
    "UnboundPartition": incremental(
        "select date'{{ var(\"start_date\") }}' as day, * from {{ ref('raw') }}", "incremental_strategy='insert_overwrite', partition_by='day'"
    ),
    "FilterNotOnPartition": filtered(
        "day > (select max(day) from {{ this }})", "day, region", "incremental_strategy='insert_overwrite', partition_by='region'"
    ),
    "FullReads": filtered("id not in (select id from {{ this }})", "id"),
    "ArrivalWithoutKey": filtered("_loaded_at > (select max(_loaded_at) - interval '1 day' from {{ this }})", "_loaded_at"),
    "OwnStateTable": filtered(
        "day > (select max(day) from {{ this }})", "day", "post_hook='insert into admin.watermarks select max(day) from {{ this }}'"
    ),
    "SecondUseOfIsIncremental": incremental(
        "select {% if is_incremental() %} id, {% endif %} day from {{ ref('raw') }}"
    ),
    "ElseBranchDiffers": incremental(
        "select day from {{ ref('raw') }} {% if is_incremental() %} where day > (select max(day) from {{ this }}) {% else %} where day > "
        "(select min(day) from {{ ref('calendar') }}) {% endif %}"
    ),
    "ReadsThisElsewhere": incremental("select * from {{ ref('raw') }} left join {{ this }} using (id)"),
    "CustomStrategy": filtered("a > 1", config="incremental_strategy='insert_by_period'"),
    "Disabled": filtered("a > 1", config="enabled=false"),
    "SqlHeaderState": filtered("a > 1", config="sql_header='set x = 1'"),
    "NotIncremental": "{{ config(materialized='table') }} select 1 {% if is_incremental() %} where a {% endif %}",
    "WindowOverRuns": filtered(
        "event_at > (select max(event_at) from {{ this }})", "event_at, lag(event_at) over (partition by id order by event_at) as previous"
    ),
    "AggregatesOverRuns": filtered(
        "event_at > (select max(newest) from {{ this }})", "id, max(event_at) as newest", "incremental_strategy='merge', unique_key='id'", "group by id"
    ),
    "OuterJoinedInput": incremental(
        "with new as (select id, event_at from {{ ref('raw') }} {% if is_incremental() %} where event_at > (select max(event_at) from {{ this }}) "
        "{% endif %}) select people.id, new.event_at from {{ ref('people') }} as people left join new using (id)"
    ),
    "MicrobatchIncomplete": incremental("select 1", "incremental_strategy='microbatch', event_time='day'"),
    "VariableUsedElsewhere": incremental(
        "select day, '{{ var(\"start_date\") }}' as run from {{ ref('raw') }} {% if is_incremental() %} where day >= '{{ var(\"start_date\") }}' {% endif %}"
    ),
    "RunQueryLogic": (
        "{{ config(materialized='incremental') }} {% set newest = run_query('select max(day) from ' ~ this).columns[0][0] %} "
        "select day, '{{ newest }}' as newest from {{ ref('raw') }} {% if is_incremental() %} where day > '{{ newest }}' {% endif %}"
    ),
    "UnreadableModel": incremental(
        "select day from {{ ref('raw') }} group group {% if is_incremental() %} where day > (select max(day) from {{ this }}) {% endif %}"
    ),
    "MacroFilter": incremental("select day from {{ ref('raw') }} {{ other_package.only_new('day') }}"),
}  # fmt: skip


BY_MONTH = "id, date_trunc('month', event_at) as month, count(*) as n"
PARTS = {
    "grouped by month, the last days": filtered(
        "event_at >= date_sub(current_date(), 3)", BY_MONTH, "incremental_strategy='merge', unique_key='id'", "group by 1, 2"
    ),
    "numbered in a month, the newest days": filtered(
        "event_at > (select max(event_at) from {{ this }})", "event_at, row_number() over (partition by date_trunc('month', event_at) order by event_at) as n"
    ),
    "numbered in a day, the last hours": filtered(
        "event_at >= date_trunc('hour', now() - interval '3 hours')", "event_at, row_number() over (partition by to_date(event_at) order by event_at) as n"
    ),
    "compared by month": filtered(
        "date_trunc('month', event_at) >= date_sub(current_date(), 3)", "id, event_at", "incremental_strategy='merge', unique_key='id'"
    ),
    "weeks, from the beginning of a month": filtered(
        "event_at >= (select date_trunc('month', max(wk)) from {{ this }})", "id, date_trunc('week', event_at) as wk, count(*) as n",
        "incremental_strategy='merge', unique_key=['id', 'wk']", "group by 1, 2",
    ),
}  # fmt: skip


NEWEST = "event_at > (select max(event_at) from {{ this }})"
SETTLED = {
    "a filter that ends hours ago": filtered(f"{NEWEST} and event_at < current_timestamp() - interval '2 hours'"),
    "a filter that ends an hour ago": filtered("event_at between (select max(event_at) from {{ this }}) and current_timestamp() - interval 1 hour"),
    "a filter that ends before yesterday": filtered("day > (select max(day) from {{ this }}) and day < date_sub(current_date(), 1)", "id, day"),
    "a time until yesterday": filtered(f"{NEWEST} and event_at <= date_sub(current_date(), 1)"),
    "today is not read by the hour": filtered("event_at >= date_trunc('hour', now() - interval '3 hours') and event_at < current_date()"),
    "a condition of another join": filtered(NEWEST, "raw.id, event_at").replace(
        "{{ ref('raw') }}", "{{ ref('raw') }} as raw join {{ ref('people') }} as p on p.id = raw.id and p.created_at < now() - interval '1 day'"
    ),
    "a condition in a CTE before": incremental(
        "with src as (select * from {{ ref('raw') }} where updated_at <= current_timestamp() - interval '6 hours')\nselect id, updated_at from src\n"
        "{% if is_incremental() %} where updated_at > (select max(updated_at) from {{ this }}) {% endif %}",
        "incremental_strategy='merge', unique_key='id'",
    ),
    "a condition in a union before": incremental(
        "with src as (select id, updated_at as changed_at from {{ ref('a') }} union all select id, at from {{ ref('b') }} where at <= now() - interval '6 hours')\n"
        "select id, changed_at as updated_at from src {% if is_incremental() %} where changed_at > (select max(updated_at) from {{ this }}) {% endif %}",
        "incremental_strategy='merge', unique_key='id'",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", SETTLED)
def test_what_keeps_rows_back_until_some_time_after_an_interval_is_left(name: str, tmp_path: Path) -> None:
    result = one(migrated(tmp_path, {"m": SETTLED[name]}))
    assert result.reason is not None, result.new_text
    assert result.reason.code == "UnreadableBlock"
    assert "set ready_until by hand" in result.reason.message


@pytest.mark.parametrize("name", PARTS)
def test_rows_that_belong_together_and_would_be_read_in_parts_are_left(name: str, tmp_path: Path) -> None:
    result = one(migrated(tmp_path, {"m": PARTS[name]}))
    assert result.reason is not None, result.options
    assert result.reason.code == "AggregatesOverRuns"


def test_weeks_that_may_not_begin_on_monday_are_left(tmp_path: Path) -> None:
    weeks = "event_at >= datetrunc(week, (select max(event_at) from {{ this }}))"
    server = one(migrated(tmp_path, {"m": filtered(weeks)}, "sqlserver"))
    assert server.reason is not None and server.reason.code == "AggregatesOverRuns"
    weeks = "day >= (select date_trunc(max(day), {{ var('unit') }}) from {{ this }})"
    settings = {"vars": {"unit": "week"}}
    assert one(migrated(tmp_path, {"m": filtered(weeks, "day")}, "bigquery", settings=settings)).status == "left"
    settings = {"vars": {"unit": "isoweek"}}
    monday = one(migrated(tmp_path, {"m": filtered(weeks, "day")}, "bigquery", settings=settings))
    assert monday.options == {"time_column": "day", "interval_unit": "week", "allow_partials": True, "lookback": 1}


@pytest.mark.parametrize("code", LEFT)
def test_left(code: str, tmp_path: Path) -> None:
    result = one(migrated(tmp_path, {"m": LEFT[code]}))
    assert result.reason is not None, result.diff
    assert result.reason.code == code, f"{result.reason.code}: {result.reason.message}"
    assert result.status == "left"
    assert result.diff == ""
    assert result.reason.line >= 1


def test_a_python_model_is_left(tmp_path: Path) -> None:
    text = "def model(dbt, session):\n    dbt.config(materialized='incremental')\n    return dbt.ref('raw')\n"
    result = one(migrated(tmp_path, {"models/m.py": text}))
    assert result.reason is not None
    assert result.reason.code == "PythonModel"


@pytest.mark.parametrize(
    ("dialect", "now"),
    [
        ("postgres", "localtimestamp"),
        ("duckdb", "today()"),
        ("snowflake", "sysdate()"),
        ("mysql", "utc_timestamp()"),
        ("tsql", "sysutcdatetime()"),
        ("spark", "localtimestamp()"),
        ("spark", "curdate()"),
        ("bigquery", "current_datetime()"),
    ],
)
def test_an_append_that_asks_for_the_current_time_is_left(dialect: str, now: str, tmp_path: Path) -> None:
    """In each spelling, as a filter of all rows and as the end of the newest."""
    config = "incremental_strategy='append'"
    text = incremental(f"select id, event_at from {{{{ ref('raw') }}}} where event_at < {now}", config)
    settled = filtered(f"{NEWEST} and event_at <= {now} - interval '2' hour", config=config)
    results = migrated(tmp_path, {"m": text, "settled": settled}, dialect)
    reason = one(results).reason
    assert reason is not None
    assert reason.code == "UnreadableBlock"
    assert "appended by what now is" in reason.message
    assert one(results, "settled").reason is not None, one(results, "settled").new_text


@pytest.mark.parametrize("adapter", ["spark", "trino"])
def test_an_adapter_whose_default_is_append_ignores_a_key(adapter: str, tmp_path: Path) -> None:
    text = filtered("day > (select max(day) from {{ this }})", "day", "unique_key='id'")
    result = one(migrated(tmp_path, {"m": text}, adapter))
    assert result.reason is not None
    assert result.reason.code == "KeyNotUsed"
    assert f"dbt-{adapter} appends" in result.reason.message
    assert one(migrated(tmp_path, {"m": text}, "snowflake")).kind == KEY


def deleting(key: str, columns: str = "id, block_number, inserted_timestamp", rest: str = "") -> str:
    """A model of Snowflake that deletes and inserts what has arrived."""
    return filtered(
        "inserted_timestamp >= (select max(inserted_timestamp) - interval '12 hours' from {{ this }})", columns,
        f"incremental_strategy='delete+insert', unique_key={key}", rest,
    )  # fmt: skip


TESTED = "models:\n  - name: m\n    columns:\n      - {name: Block_Number, data_tests: [not_null, %s]}\n"
COMBINED = "models:\n  - name: m\n    tests:\n      - dbt_utils.unique_combination_of_columns: {arguments: {combination_of_columns: [block_number]}}\n"
CONSTRAINED = "models:\n  - name: m\n    constraints:\n      - {type: primary_key, columns: [block_number]}\n"
BLOCK = "'block_number'"
GROUPED = "count(*) as n, block_number, max(inserted_timestamp) as inserted_timestamp"


@pytest.mark.parametrize(
    ("text", "properties", "told"),
    [
        (deleting(BLOCK), "", "ReplacedTogether"),
        (deleting(BLOCK), TESTED % "unique", ""),
        (deleting(BLOCK), TESTED % "unique: {config: {where: 'id > 3'}}", "ReplacedTogether"),
        (deleting(BLOCK), COMBINED, ""),
        (deleting(BLOCK), CONSTRAINED, ""),
        (deleting(BLOCK, rest="qualify row_number() over (partition by block_number order by inserted_timestamp desc) = 1"), "", ""),
        (deleting(BLOCK, rest="qualify row_number() over (partition by id order by inserted_timestamp desc) = 1"), "", "WindowOverRuns"),
        (deleting("'id'"), "", "ReplacedTogether"),
        (deleting("['block_number', 'log_index']", "block_number, log_index, inserted_timestamp"), "", "ReplacedTogether"),
        (incremental("select * from {{ ref('raw') }}", "incremental_strategy='delete+insert', unique_key='block_number'"), "", "ReplacedTogether"),
        (incremental(f"select {GROUPED} from {{{{ ref('raw') }}}} group by 2", "incremental_strategy='delete+insert', unique_key='block_number'"), "", ""),
        (incremental(f"select {GROUPED}, id from {{{{ ref('raw') }}}} group by 2, 4", "incremental_strategy='delete+insert', unique_key='block_number'"), "", "ReplacedTogether"),
        (deleting(BLOCK).replace("delete+insert", "merge"), "", ""),
    ],
)  # fmt: skip
def test_a_key_that_is_deleted_and_inserted_by_may_be_that_of_many_rows(
    text: str, properties: str, told: str, tmp_path: Path
) -> None:
    result = one(migrated(tmp_path, {"m": text, **({"models/m.yml": properties} if properties else {})}, "snowflake"))
    said = {note.code for note in result.notes} & {"ReplacedTogether"} | (
        {result.reason.code} if result.reason else set()
    )
    assert said == ({told} if told else set())
    assert result.kind == (None if result.reason else KEY)
    assert result.options.get("duplicate_keys") == ("replace_all" if told == "ReplacedTogether" else None)


def test_postgres_deletes_and_inserts_where_nothing_is_said(tmp_path: Path) -> None:
    text = filtered(
        "_loaded_at > (select max(_loaded_at) from {{ this }})", "region, _loaded_at", "unique_key='region'"
    )
    result = one(migrated(tmp_path, {"m": text}, "postgres"))
    assert result.options == {"unique_key": ["region"], "duplicate_keys": "replace_all", "lookback": 1}
    assert "duplicate_keys" not in one(migrated(tmp_path, {"m": text}, "snowflake")).options


def test_what_narrows_a_deletion_is_left(tmp_path: Path) -> None:
    config = "incremental_strategy='delete+insert', unique_key='region', incremental_predicates=['region > 3']"
    result = one(migrated(tmp_path, {"m": incremental("select * from {{ ref('raw') }}", config)}, "snowflake"))
    assert result.reason is not None and result.reason.code == "CustomStrategy"


def test_one_file_as_a_whole(tmp_path: Path) -> None:
    before = """{{
    config(
        materialized = "incremental",
        incremental_strategy = "merge",
        unique_key = ["order_id", "order_date"],
        tags = ["orders"],
    )
}}
-- orders, one row a day
with orders as (
    select order_id, order_date, amount  -- {# the amount is net #}
    from {{ ref('raw_orders') }}
    where amount is not null
    {%- if is_incremental() %}
        -- late orders
        and order_date >= (select max(order_date) - interval '2 days' from {{ this }})
    {%- endif %}
)
select * from orders"""
    after = """{{
    config(
        materialized = "incremental_by_time_range",
        meta = {"time_column": "order_date", "lookback": 2},
        tags = ["orders"],
    )
}}
-- orders, one row a day
with orders as (
    select order_id, order_date, amount  -- {# the amount is net #}
    from {{ ref('raw_orders') }}
    where amount is not null
        -- late orders
        and order_date between {{ dbt_kinds.start_date() }} and {{ dbt_kinds.end_date() }}
)
select * from orders"""
    result = one(migrated(tmp_path, {"m": before}))
    assert result.new_text == after
    windows = one(migrated(tmp_path, {"m": before.replace("\n", "\r\n")}))
    assert windows.new_text == after.replace("\n", "\r\n")


def test_a_project_default_is_overridden_and_left(tmp_path: Path) -> None:
    settings = {"models": {"shop": {"facts": {"+materialized": "incremental", "+incremental_strategy": "append"}}}}
    text = "select id, event_at from {{ ref('raw') }}\n{% if is_incremental() %}\nwhere event_at > (select max(event_at) from {{ this }})\n{% endif %}\n"
    result = one(migrated(tmp_path, {"models/facts/m.sql": text}, settings=settings))
    assert result.new_text is not None
    assert result.new_text.startswith(
        "{{ config(\n    materialized='incremental_by_time_range',\n    meta={'time_column': 'event_at', 'lookback': 1}\n) }}\n\nselect"
    )
    assert "FolderDefault" in {note.code for note in result.notes}


def test_a_key_in_yaml_cannot_be_taken_back_by_the_file(tmp_path: Path) -> None:
    properties = "models:\n  - name: m\n    config:\n      unique_key: [id, day]\n      incremental_strategy: merge\n"
    text = filtered("day > (select max(day) from {{ this }})", "id, day")
    result = one(migrated(tmp_path, {"m": text, "models/m.yml": properties}))
    assert result.reason is not None
    assert result.reason.code == "ConfigElsewhere"


@pytest.mark.parametrize(
    "setting",
    [
        "matched_condition='s.x <> t.x'",
        "not_matched_by_source_action='delete'",
        "target_alias='t'",
        "merge_with_schema_evolution=true",
        "skip_not_matched_step=true",
    ],
)
def test_a_merge_of_databricks_with_a_setting_that_no_kind_has_is_left(setting: str, tmp_path: Path) -> None:
    config = f"incremental_strategy='merge', unique_key='id', {setting}"
    files = {
        "by_filter": filtered("updated_at > (select max(updated_at) from {{ this }})", "id, updated_at", config),
        "whole": incremental("select * from {{ ref('raw') }}", config),
        "by_range": filtered("day > (select max(day) from {{ this }})", "id, day", config.replace("'id'", "['id', 'day']")),
        "appended": filtered(NEWEST, config=f"incremental_strategy='append', {setting}"),
        "switched_off": filtered(NEWEST, config="incremental_strategy='merge', unique_key='id', merge_with_schema_evolution=false"),
    }  # fmt: skip
    migration = migrated(tmp_path, files)
    reasons = {result.name: result.reason.code if result.reason else "" for result in migration.results}
    assert reasons == {
        "by_filter": "CustomStrategy", "whole": "CustomStrategy", "by_range": "CustomStrategy", "appended": "", "switched_off": "",
    }  # fmt: skip
    assert setting.split("=")[0] in str(one(migration, "whole").reason)


HOOK_MACROS = """{% macro cleanup(relation) %}{% if load_relation(relation) %}delete from {{ relation }} where day > 3{% endif %}{% endmacro %}
{% macro all_of_it(relation) %}{{ cleanup(relation) }}{% endmacro %}
{% macro recent() %}{% if is_incremental() %}analyze table {{ this }}{% endif %}{% endmacro %}
{% macro shared(relation) %}{{ grants.to_all(relation) }}{% endmacro %}
{% macro purge(relation) %}{{ return(adapter.dispatch('purge')(relation)) }}{% endmacro %}
{% macro spark__purge(relation) %}{% do adapter.truncate_relation(relation) %}{% endmacro %}
{% macro readers(relation) %}{% set names = relation.identifier.split('_') %}grant select on {{ relation }} to {{ names.pop() }}{% endmacro %}
{% macro analysed() %}analyze table {{ this }} compute statistics{% endmacro %}
"""


@pytest.mark.parametrize(
    ("hook", "told"),
    [
        ("pre_hook=\"{{ cleanup(this) }}\"", "its pre_hook calls the macro cleanup, which writes"),
        ("pre_hook=[\"{{ all_of_it(this) }}\"]", "its pre_hook calls the macro all_of_it, which writes"),
        ("post_hook=['analyze table x', cleanup(this)]", "its post_hook calls the macro cleanup, which writes"),
        ("pre_hook=\"{{ recent() }}\"", "its pre_hook calls the macro recent, which asks is_incremental()"),
        ("post_hook=\"{{ shared(this) }}\"", "its post_hook calls the macro shared, which calls grants.to_all, which is not in the project"),
        ("post_hook=\"{{ purge(this) }}\"", "its post_hook calls the macro purge, which writes"),
        ("post_hook=\"{{ log_watermark(this, 'day') }}\"", "its post_hook gives the table to log_watermark, a macro that is not in the project"),
        ("post_hook=\"{% do elsewhere.log(this) %}\"", "its post_hook gives the table to elsewhere.log, a macro that is not in the project"),
        ("pre_hook=\"alter table {{ this }} drop if exists partition (day = 3)\"", "its pre_hook writes"),
        ("post_hook=\"{{ readers(this) }}\"", ""),
        ("post_hook=\"{{ analysed() }}\"", ""),
        ("post_hook=\"{{ announce('done') }}\"", ""),
        ("post_hook=\"analyze table {{ this }} compute statistics\"", ""),
    ],
)  # fmt: skip
def test_what_hooks_do_by_a_macro_is_looked_up(hook: str, told: str, tmp_path: Path) -> None:
    text = filtered("day > (select max(day) from {{ this }})", "day", hook)
    result = one(migrated(tmp_path, {"m": text, "macros/hooks.sql": HOOK_MACROS}))
    if told:
        assert result.reason is not None, result.new_text
        assert (result.reason.code, result.reason.message[: len(told)]) == ("OwnStateTable", told)
    else:
        assert result.kind == TIME_RANGE, result.reason


@pytest.mark.parametrize("place", ["project", "properties", "manifest"])
def test_hooks_of_a_folder_count_too(place: str, tmp_path: Path) -> None:
    files = {"m": filtered("day > (select max(day) from {{ this }})", "day"), "macros/hooks.sql": HOOK_MACROS}
    hook = {"post-hook": "{{ cleanup(this) }}"}
    if place == "properties":
        files["models/m.yml"] = json.dumps({"models": [{"name": "m", "config": hook}]})
    if place == "manifest":
        node = {"resource_type": "model", "package_name": "shop", "original_file_path": "models/m.sql"}
        config = {"config": {"post-hook": [{"sql": hook["post-hook"], "transaction": True}]}}
        files["target/manifest.json"] = json.dumps({"nodes": {"model.shop.m": node | config}})
    settings = {"models": {"+post-hook": hook["post-hook"]}} if place == "project" else None
    result = one(migrated(tmp_path, files, settings=settings))
    assert result.reason is not None and result.reason.code == "OwnStateTable"
    assert "its post-hook calls the macro cleanup" in result.reason.message


def test_settings_beside_the_call_are_edited_there(tmp_path: Path) -> None:
    text = (
        "{% set settings = {\n    'materialized': 'incremental',\n    'unique_key': ['id', 'day'],\n    'incremental_strategy': 'merge'\n} %}\n"
        "{{ config(meta=settings, **settings) }}\nselect id, day from {{ ref('raw') }}\n{% if is_incremental() %}\n"
        "where day >= (select max(day) from {{ this }})\n{% endif %}\n"
    )
    result = one(migrated(tmp_path, {"m": text}))
    assert result.new_text is not None
    assert result.new_text.startswith(
        "{% set settings = {\n    'materialized': 'incremental_by_time_range',\n    'time_column': 'day',\n    'lookback': 1\n} %}\n{{ config(meta=settings, **settings) }}\n"
    )


def test_microbatch_inputs_get_the_filter_that_dbt_put_around_them(tmp_path: Path) -> None:
    text = (
        "{{ config(materialized='incremental', incremental_strategy='microbatch', event_time='event_at', begin='2024-01-01', batch_size='day',\n"
        "    concurrent_batches=true) }}\n"
        "select e.*, p.name\nfrom {{ ref('events') }} as e\njoin {{ ref('people') }} as p using (id)\njoin {{ ref('events').render() }} as all_events using (id)\n"
    )
    events = "{{ config(event_time='event_at') }}\nselect 1 as id\n"
    result = one(migrated(tmp_path, {"m": text, "events": events, "people": "select 1 as id"}))
    assert (result.kind, result.options) == (
        TIME_RANGE, {"time_column": "event_at", "start": "2024-01-01", "batch_size": 1, "lookback": 1},
    )  # fmt: skip
    assert result.new_text == (
        "{{ config(materialized='incremental_by_time_range', meta={'time_column': 'event_at', 'start': '2024-01-01', 'batch_size': 1, 'lookback': 1}) }}\n"
        "select e.*, p.name\nfrom (select * from {{ ref('events') }} where event_at between {{ dbt_kinds.start_dt() }} and {{ dbt_kinds.end_dt() }}) as e\n"
        "join {{ ref('people') }} as p using (id)\njoin {{ ref('events').render() }} as all_events using (id)\n"
    )
    assert "ConcurrencyDropped" in {note.code for note in result.notes}


MICROBATCH = "materialized='incremental', incremental_strategy='microbatch', event_time='t', batch_size='day'"


def test_microbatch_settings_that_are_variables_stay_variables(tmp_path: Path) -> None:
    settings = (
        f"{MICROBATCH}, begin=var('first', '2024-01-01'), lookback=env_var('DAYS') | int, meta={{'owner': var('us')}}"
    )
    files = {
        "m": f"{{{{ config({settings}) }}}}\nselect * from {{{{ ref('raw') }}}}\n",
        # BigQuery's partitions state a type
        "raw": "{{ config(event_time='t', partition_by={'field': 'T', 'data_type': 'timestamp'}) }}\nselect 1 as t\n",
    }
    assert one(migrated(tmp_path, files)).new_text == (
        "{{ config(materialized='incremental_by_time_range', meta={'owner': var('us'), 'time_column': 't', "
        "'start': var('first', '2024-01-01'), 'batch_size': 1, 'lookback': env_var('DAYS') | int}) }}\n"
        "select * from (select * from {{ ref('raw') }} where t between {{ dbt_kinds.start_dt() }} and {{ dbt_kinds.end_dt() }})\n"
    )


def test_predicates_that_are_kept_are_said_to_limit_what_is_loaded_again(tmp_path: Path) -> None:
    for name in ("predicates", "computed predicates"):
        notes = one(migrated(tmp_path, {"m": CONVERTED[name].before})).notes
        assert "PredicatesKept" in {note.code for note in notes}, name


def test_the_size_of_batches_that_a_variable_has_stays_its(tmp_path: Path) -> None:
    computed = MICROBATCH.replace("'day'", "var('size', 'day')")
    text = f"{{{{ config({computed}, begin='2024-01-01') }}}}\nselect 1 as t\n"
    for variables, cron in (({}, None), ({"size": "hour"}, "@hourly")):
        result = one(migrated(tmp_path, {"m": text}, settings={"vars": variables}))
        assert (result.options["interval_unit"], result.options.get("cron")) == ("var('size', 'day')", cron)
        assert "'interval_unit': var('size', 'day')" in (result.new_text or "")
    result = one(migrated(tmp_path, {"m": text.replace(", 'day')", ")")}))
    assert result.reason is not None
    assert result.reason.message == "batch_size is computed; write its value out, or take it from a var() that has one"


@pytest.mark.parametrize(("cron", "unit"), [("@hourly", "day"), ("30 2 * * *", None), ("0 0 1 */3 *", "day")])
def test_the_days_of_a_microbatch_model_stay_days_whatever_the_cron(
    cron: str, unit: str | None, tmp_path: Path
) -> None:
    text = f"{{{{ config({MICROBATCH}, begin='2024-01-01') }}}}\nselect 1 as t\n"
    assert one(migrated(tmp_path, {"m": text}, cron=cron)).options.get("interval_unit") == unit


@pytest.mark.parametrize(
    ("cron", "why"),
    [
        ("often", "--cron 'often' cannot be read: it has 1 fields, a cron has 5"),
        ("0 24 * * *", "--cron '0 24 * * *' cannot be read: hour 24 is not between 0 and 23"),
        ("* * * * *", "--cron '* * * * *' fires more often than every five minutes"),
    ],
)
def test_a_cron_that_a_run_would_refuse_is_wrong_use(cron: str, why: str, tmp_path: Path) -> None:
    with pytest.raises(UnreadableScheduleError) as refused:
        migrated(tmp_path, {"m": "select 1 as id"}, cron=cron)
    assert str(refused.value) == why


@pytest.mark.parametrize(
    "given", ["begin=first_day()", "begin='2024-01-01', lookback=var('n') + days", "begin=target.schema"]
)
def test_microbatch_settings_that_are_computed_otherwise_are_left(given: str, tmp_path: Path) -> None:
    result = one(migrated(tmp_path, {"m": f"{{{{ config({MICROBATCH}, {given}) }}}}\nselect 1 as t\n"}))
    assert result.reason is not None
    assert (result.reason.code, "or take it from var()" in result.reason.message) == ("ComputedConfig", True)


def test_a_mapping_with_a_computed_value_is_computed(tmp_path: Path) -> None:
    partition = filtered("a > 1", config="partition_by={'field': var('key')}")
    result = one(migrated(tmp_path, {"m": partition}))
    assert result.reason is not None
    assert result.reason.message == "partition_by is computed; write its value out"


MACROS = """{% macro since(column, days=3) -%}
{{ column }} >= date_trunc('{{ var("unit") }}', now() - interval '{{ days }}' {{ var("unit") }})
{%- endmacro %}
{% macro only_new(column) %}{% if is_incremental() %} where {{ column }} > (select max({{ column }}) from {{ this }}) {% endif %}{% endmacro %}
{% macro both(a, b) %}{{ a }} > (select max({{ a }}) from {{ this }}) or {{ b }}{% endmacro %}
"""


def test_macros_of_the_project_are_resolved_to_their_condition(tmp_path: Path) -> None:
    files = {
        "macros/filters.sql": MACROS,
        "inside": filtered("{{ since('event_at', 2) }}"),
        "outside": incremental("select id, event_at from {{ ref('raw') }}\n{{ only_new('event_at') }}"),
        "either": filtered("{{ both('event_at', 'late') }}"),
    }
    migration = migrated(tmp_path, files, settings={"vars": {"unit": "{{ env_var('UNIT', 'day') }}"}})
    inside, outside, either = (one(migration, name) for name in ("inside", "outside", "either"))
    assert (inside.kind, inside.options) == (TIME_RANGE, {"time_column": "event_at", "lookback": 2})
    assert BETWEEN.format("event_at", "dt") in str(inside.new_text)
    assert {note.code for note in inside.notes} >= {"NoStart", "LookbackFromVariable"}
    assert (outside.kind, outside.options) == (TIME_RANGE, {"time_column": "event_at", "lookback": 1})
    assert str(outside.new_text).endswith(BETWEEN.format("event_at", "dt"))
    assert either.status == "left"


def test_names_that_mislead_are_decided_by_flags(tmp_path: Path) -> None:
    text = filtered("updated_at >= (select max(updated_at) - interval '1 day' from {{ this }})", "id, updated_at")
    assert one(migrated(tmp_path, {"m": text})).status == "left"
    assert one(migrated(tmp_path, {"m": text}, event=("updated_at",))).options == {
        "time_column": "updated_at",
        "lookback": 1,
    }
    text = filtered("seen_at > (select max(seen_at) from {{ this }})", "id, seen_at")
    assert one(migrated(tmp_path, {"m": text}, arrival=("seen_at",))).kind == "incremental_unmanaged"


def test_declared_types_decide_which_time_variable_fits(tmp_path: Path) -> None:
    properties = "sources:\n  - name: lake\n    tables:\n      - name: t\n        columns:\n          - {name: v, data_type: timestamp}\n"
    text = incremental(
        "select v from {{ source('lake', 't') }}\n{% if is_incremental() %}\nwhere v > (select max(v) from {{ this }})\n{% endif %}"
    )
    result = one(migrated(tmp_path, {"m": text, "models/sources.yml": properties}))
    assert BETWEEN.format("v", "dt") in str(result.new_text)


@pytest.mark.parametrize(
    ("column", "declared", "told"),
    [
        ("ds", "string", ""),
        ("ds", "varchar(10)", ""),
        ("ds", "", ""),
        ("dt", "string", "dt is declared as string, which does not say how it holds a time; write the filter by hand, between start_ds() and"),
        ("block_timestamp", "bigint", "block_timestamp is declared as bigint"),
        ("v", "", "nothing says whether v is a date or a timestamp; declare its data_type"),
        ("date_format(ts, 'yyyyMMdd')", "", "nothing says whether date_format(ts, 'yyyyMMdd') is a date or a timestamp; cast it"),
    ],
)  # fmt: skip
def test_a_type_that_is_declared_or_cannot_be_is_not_asked_for(
    column: str, declared: str, told: str, tmp_path: Path
) -> None:
    columns = [{"name": column, "data_type": declared}] if declared else []
    files = {
        "m": incremental(
            f"select {column} as {'k' if '(' in column else column} from {{{{ source('lake', 't') }}}}\n"
            f"{{% if is_incremental() %}}\nwhere {column} > (select max({'k' if '(' in column else column}) from {{{{ this }}}})\n{{% endif %}}"
        ),
        "models/sources.yml": json.dumps({"sources": [{"name": "lake", "tables": [{"name": "t", "columns": columns}]}]}),
    }  # fmt: skip
    result = one(migrated(tmp_path, files))
    if told:
        assert result.reason is not None, result.options
        assert (result.reason.code, result.reason.message[: len(told)]) == ("UnknownColumnType", told)
    else:
        assert BETWEEN.format("ds", "ds") in str(result.new_text)


def test_a_formatted_time_is_no_date_by_its_name(tmp_path: Path) -> None:
    text = incremental(
        "with days as (select id, date_format(event_at, 'yyyyMMdd') as dt from {{ ref('raw') }})\nselect id, dt from days\n"
        "{% if is_incremental() %} where dt > (select max(dt) from {{ this }}) {% endif %}"
    )
    result = one(migrated(tmp_path, {"m": text}))
    assert result.reason is not None and result.reason.code == "UnknownColumnType"


def test_a_parse_error_is_told_without_terminal_codes(tmp_path: Path) -> None:
    text = filtered("event_at > (select max(event_at) from {{ this }})", "id event_at x")
    result = one(migrated(tmp_path, {"m": text}))
    assert result.reason is not None and result.reason.code == "UnreadableModel"
    assert "select id event_at x from" in result.reason.message
    assert result.reason.message.isprintable()


def test_a_manifest_wins_over_what_the_text_leaves_open(tmp_path: Path) -> None:
    text = "{{ config(materialized='incremental', unique_key=var('key'), incremental_strategy='merge') }}\nselect * from {{ ref('raw') }}\n"
    node = {
        "resource_type": "model", "package_name": "shop", "original_file_path": "models/m.sql",
        "config": {"materialized": "incremental", "unique_key": "order_id", "incremental_strategy": "merge"},
    }  # fmt: skip
    write_project(tmp_path, {"target/manifest.json": json.dumps({"nodes": {"model.shop.m": node}})})
    assert one(migrated(tmp_path, {"m": text})).options == {"unique_key": ["order_id"]}


def test_snapshots_are_proposed_as_models_beside_them(tmp_path: Path) -> None:
    snapshots = {
        "snapshots/people.sql": (
            "{% snapshot people %}\n{{ config(unique_key='id', strategy='timestamp', updated_at='updated_at', hard_deletes='invalidate', file_format='iceberg') }}\n"
            "select * from {{ source('crm', 'people') }}\n{% endsnapshot %}\n"
        ),
        "snapshots/prices.sql": "{% snapshot prices %}{{ config(unique_key=['sku', 'shop'], strategy='check', check_cols='all') }}select * from {{ ref('p') }}{% endsnapshot %}",
        "snapshots/gone.yml": "snapshots:\n  - name: gone\n    relation: ref('p')\n    config: {unique_key: id, strategy: check, check_cols: [a], hard_deletes: new_record}\n",
        "reader": "select dbt_scd_id from {{ ref('people') }}\n",
    }
    migration = migrated(tmp_path, snapshots)
    people, prices, gone = (one(migration, name) for name in ("people", "prices", "gone"))
    names = {"valid_from_name": "dbt_valid_from", "valid_to_name": "dbt_valid_to"}
    assert (people.kind, people.options) == (
        "scd_type_2_by_time",
        {
            "unique_key": ["id"],
            "updated_at_name": "updated_at",
            "updated_at_as_valid_from": True,
            **names,
            "invalidate_hard_deletes": True,
        },
    )
    assert "read by reader" in people.notes[0].message
    assert (prices.kind, prices.options) == (
        "scd_type_2_by_column", {"unique_key": ["sku", "shop"], "columns": "*", "execution_time_as_valid_from": True, **names},
    )  # fmt: skip
    assert gone.reason is not None
    assert gone.reason.code == "SnapshotNewRecord"
    assert people.new_file == "models/people_history.sql"
    assert str(people.new_text).endswith("select * from {{ source('crm', 'people') }}\n")
    assert migration.summary == {
        "incremental": 0, "converted": 0, "left": 0, "already": 0, "snapshots": 3, "proposed": 2, "failed": 0,
    }  # fmt: skip


def test_what_dates_and_ends_the_versions_of_a_snapshot_is_kept_or_told(tmp_path: Path) -> None:
    def checked(columns: str, rest: str) -> str:
        return f"{{% snapshot s %}}{{{{ config(unique_key='id', strategy='check', check_cols={columns}, {rest}) }}}}select 1 as id{{% endsnapshot %}}"

    files = {
        "snapshots/dated.sql": checked("['a']", "updated_at='changed_on'").replace("snapshot s", "snapshot dated"),
        "snapshots/whole.sql": checked("'all'", "updated_at='changed_on'").replace("snapshot s", "snapshot whole"),
        "snapshots/ended.sql": checked("['a']", "dbt_valid_to_current=\"to_date('9999-12-31')\"").replace("snapshot s", "snapshot ended"),
        "snapshots/made.sql": checked("['a']", "updated_at='coalesce(a, b)'").replace("snapshot s", "snapshot made"),
    }  # fmt: skip
    migration = migrated(tmp_path, files)
    dated, whole, ended, made = (one(migration, name) for name in ("dated", "whole", "ended", "made"))
    assert (dated.options["updated_at_name"], whole.options["updated_at_name"]) == ("changed_on", "changed_on")
    assert "updated_at_name" not in ended.options
    assert [[note.code for note in found.notes] for found in (dated, whole, ended)] == [
        ["ColumnsNotKept"], ["ColumnsNotKept", "UpdatedAtNotCompared"], ["ColumnsNotKept", "OpenVersionsNull"],
    ]  # fmt: skip
    assert "not at to_date('9999-12-31')" in ended.notes[1].message
    assert made.reason is not None and made.reason.code == "SnapshotUnreadable"


def test_the_summary_counts_every_incremental_model_once(tmp_path: Path) -> None:
    files = {
        "good": filtered("event_at > (select max(event_at) from {{ this }})"),
        "bad": filtered("status = 'open'"),
        "done": "{{ config(materialized='incremental_by_time_range', meta={'time_column': 'day'}) }} select 1 as day",
        "plain": "select 1 -- is_incremental() is not asked here {# {% if is_incremental() %} #}",
    }
    migration = migrated(tmp_path, files)
    assert {result.name for result in migration.results} == {"good", "bad", "done"}
    summary = migration.summary
    assert (
        summary["converted"] + summary["left"] + summary["already"] + summary["failed"] == summary["incremental"] == 3
    )
    lines = list(report_lines(migration))
    assert lines[-2:] == [
        "3 incremental models: 1 converted, 1 left (1 reason), 0 failed; 0 snapshots, 0 proposed",
        "      1  UnreadableBlock: write the condition between start_*() and end_*() by hand",
    ]  # fmt: skip
    data = json.loads(json.dumps(migration.data()))
    assert [model["status"] for model in data["models"]] == ["left", "already", "converted"]


def test_reasons_are_counted_with_their_words_and_a_missing_start_is_told_once(tmp_path: Path) -> None:
    files = {f"a{at}": filtered("{{ elsewhere('day') }} = 3", "id, day") for at in range(3)}
    files |= {
        f"b{at}": incremental("select * from {{ ref('raw') }}", "incremental_strategy='merge', unique_key='id'")
        for at in range(2)
    }
    files["c"] = filtered("status = 'open'")
    migration = migrated(tmp_path, files, "snowflake")
    lines = list(report_lines(migration))
    assert [line for line in lines if "NoStart" in line] == [
        "NoStart, 2 models: no start is known: adopt gives one where the table exists; else set the option start, or pass "
        "kinds_start and kinds_end once. A --full-refresh rebuilds from there"
    ]
    assert [line for line in lines if line.startswith("the queries are written for snowflake")]
    assert lines[-2:] == [
        "      4  UnreadableBlock: write the condition between start_*() and end_*() by hand",
        "             3  `{{ elsewhere('day') }} = 3` applies only on incremental runs, and the template computes its bound; write the bound in SQL, as the newest value of a column, or current_date less some days",
    ]
    reasons = migration.data()["reasons"]
    assert [(reason["code"], reason["count"], len(reason["messages"])) for reason in reasons] == [
        ("UnreadableBlock", 4, 2)
    ]
    assert "kinds run on Spark" not in "".join(report_lines(migrated(tmp_path, files)))


@pytest.mark.parametrize(
    ("query", "told"),
    [
        ("select day from {{ ref('raw') }} {% if is_incremental() %} where day in ('{{ run_query('select 1').columns[0][0] }}') {% endif %}", "`day in ('{{ run_query(…) }}')` applies only"),
        ("select day from {{ ref('raw') }} {% if is_incremental() %} where exists (select 1 from {{ this }} where day > 3) {% endif %}", "from {{ this }}"),
        ("select day from {{ ref('raw') }} {% if is_incremental() %} where region like '{{ var('region') }}' {% endif %}", "{{ var('region') }}"),
        ("select day, lag(day) over (partition by {{ dbt_utils.generate_surrogate_key(['id']) }} order by day) as d from {{ ref('raw') }} {% if is_incremental() %} where day > (select max(day) from {{ this }}) {% endif %}", "generate_surrogate_key(id)"),
    ],
)  # fmt: skip
def test_no_name_of_ours_is_in_a_reason(query: str, told: str, tmp_path: Path) -> None:
    result = one(migrated(tmp_path, {"m": incremental(query)}))
    assert result.reason is not None
    assert "kinds_" not in result.reason.message
    assert told in result.reason.message


def test_a_filter_of_jinja_is_no_macro(tmp_path: Path) -> None:
    text = "{% set columns = ['id', 'day'] %}\nselect {{ columns | join(', ') }} from {{ ref('raw') }}"
    result = one(migrated(tmp_path, {"m": incremental(text, "incremental_strategy='merge', unique_key='id'")}))
    assert result.kind == KEY, result.reason


# --- the command


def git(folder: Path, *arguments: str) -> str:
    who = ["-c", "user.name=a", "-c", "user.email=a@b"]
    return subprocess.run(
        ["git", "-C", str(folder), *who, *arguments], check=True, capture_output=True, text=True
    ).stdout


@pytest.fixture
def project(tmp_path: Path) -> Path:
    write_project(
        tmp_path,
        {
            "good": filtered("event_at > (select max(event_at) from {{ this }})").rstrip("\n"),
            "bad": filtered("status = 'open'"),
            "snapshots/p.sql": "{% snapshot p %}{{ config(unique_key='id', strategy='check', check_cols='all') }}select 1 as id{% endsnapshot %}",
        },
    )
    git(tmp_path, "init", "-q")
    git(tmp_path, "add", "-A")
    git(tmp_path, "commit", "-qm", "before")
    return tmp_path


def run(*arguments: str) -> Any:
    return CliRunner().invoke(main, ["migrate", *arguments, "--dialect", "databricks"], env={"COLUMNS": "240"})


def test_the_diff_is_one_that_git_applies(project: Path) -> None:
    said = run(str(project))
    assert said.exit_code == 0, said.output
    assert git(project, "status", "--porcelain") == ""
    (project.parent / "change.diff").write_text(said.stdout)
    git(project, "apply", str(project.parent / "change.diff"))
    applied = {path.name: path.read_bytes() for path in (project / "models").iterdir()}
    git(project, "checkout", "-q", ".")
    git(project, "clean", "-qfd")
    assert run(str(project), "--write").exit_code == 0
    assert {path.name: path.read_bytes() for path in (project / "models").iterdir()} == applied


def test_writing_twice_changes_nothing_the_second_time(project: Path) -> None:
    assert run(str(project), "--check").exit_code == 1
    assert run(str(project), "--write").exit_code == 0
    once = git(project, "diff")
    refused = run(str(project), "--write")
    assert refused.exit_code == 2
    assert "not committed" in refused.output
    again = run(str(project), "--write", "--allow-dirty")
    assert again.exit_code == 0
    assert again.stdout == ""
    assert git(project, "diff") == once
    assert run(str(project), "--check").exit_code == 0


def test_selection_json_and_wrong_use(project: Path, tmp_path: Path) -> None:
    said = run(str(project), "--select", "bad", "--json")
    data = json.loads(said.stdout)
    assert [model["name"] for model in data["models"]] == ["bad"]
    assert data["models"][0]["reason"] == {
        "code": "UnreadableBlock", "line": 4, "message": "`status = 'open'` applies only on incremental runs, and is no bound that can be read; write it as a column compared with its newest value, the current time or a variable, less some days or hours",
    }  # fmt: skip
    assert run(str(project), "--select", "nobody").exit_code == 2
    # longer than a path may be
    many = run(str(project), "--select", " ".join(f"nobody_of_that_name_{number}" for number in range(40)))
    assert many.exit_code == 2 and "no model or snapshot of this project is called" in many.stderr
    for words in (["--select", "bad", "good"], ["--select", "bad good"], ["-s", "bad", "-s", "good"]):
        for arguments in ([str(project), *words, "--json"], ["--json", *words, str(project)]):
            data = json.loads(run(*arguments).stdout)
            assert [model["name"] for model in data["models"]] == ["bad", "good"], arguments
    empty = tmp_path / "empty"
    empty.mkdir()
    assert run(str(empty)).exit_code == 2

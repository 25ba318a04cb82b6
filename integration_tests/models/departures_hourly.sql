{{ config(
    materialized='incremental_by_time_range',
    file_format='parquet',
    meta={'time_column': 'scheduled_hour', 'cron': '@hourly', 'start': '2013-06-01'}
) }}

select
    time_hour as scheduled_hour,
    origin,
    count(*) as flights,
    count(dep_time) as departures,
    sum(dep_delay) as delay_minutes
from {{ source('raw', 'flights') }}
where time_hour between {{ dbt_kinds.start_dt() }} and {{ dbt_kinds.end_dt() }}
group by time_hour, origin

{{ config(
    materialized='incremental_by_time_range',
    file_format='parquet',
    meta={'time_column': 'scheduled_hour', 'cron': '@hourly', 'start': '2013-06-01', 'lookback': 'auto'}
) }}

select
    time_hour as scheduled_hour,
    origin,
    count(*) as flights,
    count(dep_time) as departures,
    sum(dep_delay) as delay_minutes
from {{ dbt_kinds.window_of(source('raw', 'flights'), 'time_hour', unit='hour', data_type='timestamp') }} as flights
group by time_hour, origin

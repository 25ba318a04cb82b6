{{ config(
    materialized='incremental_by_time_range',
    file_format=var('lake_format', 'iceberg'),
    meta={'time_column': 'scheduled_hour', 'lookback': 'auto'}
) }}

select
    flights.time_hour as scheduled_hour,
    flights.carrier,
    airlines.name as airline,
    flights.flight,
    flights.origin,
    flights.dest as destination,
    flights.distance,
    flights.dep_delay as departure_delay,
    flights.dep_time is null as is_cancelled,
    weather.visib as visibility
from {{ dbt_kinds.window_of(source('raw', 'flights'), 'time_hour', data_type='timestamp') }} as flights
left join {{ source('raw', 'airlines') }} as airlines on airlines.carrier = flights.carrier
left join {{ source('raw', 'weather') }} as weather
    on weather.origin = flights.origin and weather.time_hour = flights.time_hour

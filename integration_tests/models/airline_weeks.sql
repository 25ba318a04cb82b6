{{ config(
    materialized='incremental_by_time_range',
    file_format=var('lake_format', 'iceberg'),
    meta={'time_column': 'day'}
) }}

select
    days.day,
    week.airline,
    sum(week.flights) as flights,
    sum(week.delay_minutes) as delay_minutes
from (select distinct day from {{ dbt_kinds.window_of(ref('airline_days'), 'day') }}) as days
inner join {{ dbt_kinds.window_of(ref('airline_days'), 'day', before='P6D') }} as week
    on week.day between date_sub(days.day, 6) and days.day
group by days.day, week.airline

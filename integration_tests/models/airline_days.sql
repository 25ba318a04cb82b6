{{ config(
    materialized='incremental_by_time_range',
    file_format='parquet',
    meta={'time_column': 'day'}
) }}

select
    cast(scheduled_hour as date) as day,
    airline,
    count(*) as flights,
    count_if(is_cancelled) as cancelled,
    sum(departure_delay) as delay_minutes
from {{ ref('flights_with_weather') }}
where scheduled_hour between {{ dbt_kinds.start_dt() }} and {{ dbt_kinds.end_dt() }}
group by cast(scheduled_hour as date), airline

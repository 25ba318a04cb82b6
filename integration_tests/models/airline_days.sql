{{ config(materialized='view') }}

select
    cast(scheduled_hour as date) as day,
    airline,
    count(*) as flights,
    count_if(is_cancelled) as cancelled,
    round(avg(departure_delay), 1) as mean_delay
from {{ ref('flights_with_weather') }}
group by cast(scheduled_hour as date), airline

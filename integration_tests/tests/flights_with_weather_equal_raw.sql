-- Days whose flights are not those of the raw data, of the days the model has.
with expected as (
    select cast(time_hour as date) as day, count(*) as flights, sum(distance) as miles, sum(dep_delay) as delay
    from {{ source('raw', 'flights') }}
    where cast(time_hour as date) <= (select cast(max(scheduled_hour) as date) from {{ ref('flights_with_weather') }})
    group by cast(time_hour as date)
),

actual as (
    select cast(scheduled_hour as date) as day, count(*) as flights, sum(distance) as miles, sum(departure_delay) as delay
    from {{ ref('flights_with_weather') }}
    group by cast(scheduled_hour as date)
)

(select * from expected except all select * from actual)
union all
(select * from actual except all select * from expected)

-- Hours whose departures are not those of the raw data, of the hours since the model's start that it has.
with expected as (
    select time_hour, origin, count(*) as flights, count(dep_time) as departures, sum(dep_delay) as delay
    from {{ source('raw', 'flights') }}
    where time_hour >= timestamp '2013-06-01 00:00:00+00:00'
        and time_hour <= (select max(scheduled_hour) from {{ ref('departures_hourly') }})
    group by time_hour, origin
),

actual as (
    select scheduled_hour, origin, flights, departures, delay_minutes from {{ ref('departures_hourly') }}
)

(select * from expected except all select * from actual)
union all
(select * from actual except all select * from expected)

-- Days whose seven days up to then are not those of the raw data, of the days the model has.
with days as (
    select cast(time_hour as date) as day, carrier, count(*) as flights, coalesce(sum(dep_delay), 0) as delay
    from {{ source('raw', 'flights') }}
    where cast(time_hour as date) <= (select max(day) from {{ ref('airline_weeks') }})
    group by cast(time_hour as date), carrier
),

expected as (
    select later.day, days.carrier, sum(days.flights) as flights, sum(days.delay) as delay
    from (select distinct day from days) as later
    inner join days on datediff(later.day, days.day) between 0 and 6
    group by later.day, days.carrier
),

actual as (
    select weeks.day, airlines.carrier, weeks.flights, coalesce(weeks.delay_minutes, 0) as delay
    from {{ ref('airline_weeks') }} as weeks
    inner join {{ source('raw', 'airlines') }} as airlines on airlines.name = weeks.airline
)

(select * from expected except all select * from actual)
union all
(select * from actual except all select * from expected)

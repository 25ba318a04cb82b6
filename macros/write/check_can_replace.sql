{# Refuses to replace a table that Spark does not remove completely. #}
{% macro check_can_replace(options, existing) %}
  {% if existing is not none and dbt_kinds.supports_snapshots(existing.file_format)
      and existing.file_format != options.file_format %}
    {# drop table … purge leaves its empty folders behind: LOCATION_ALREADY_EXISTS (measured) #}
    {% do dbt_kinds.fail(options.model,
      'the table ' ~ options.relation ~ ' is ' ~ existing.file_format
        ~ ', and Spark leaves folders of it behind that a '
        ~ options.file_format ~ ' table cannot be created over; drop the table, remove ' ~ existing.location
        ~ ' and run again') %}
  {% endif %}
{% endmacro %}

{# Warns of a partition_by that the table does not have, and of partitions that hold other values, too, where a run
   replaces whole partitions. #}
{% macro warn_of_partitions(options, write_spec) %}
  {% set differing = dbt_kinds.differing_partitions(options, write_spec.partitioning) %}
  {% if differing is not none %}
    {% do dbt_kinds.warn(options.model,
      differing ~ ', which it keeps; ' ~ dbt_kinds.rebuild_partitions(options, write_spec.partitioning)) %}
  {% endif %}
  {% for field in (write_spec.partitioning if options.traits.replaces_partitions else [])
      if (dbt_kinds.plain_partitions([field]) | join).startswith('bucket(') %}
    {% do dbt_kinds.warn(options.model,
      'a run replaces whole partitions, and one of ' ~ field
        ~ ' holds many values: rows of all of them are removed, unless the query yields them again; '
        ~ 'partition_by the columns whose values are replaced') %}
  {% endfor %}
{% endmacro %}


{# How the partitions of a model's table differ from partition_by; none if they do not, or if the next run creates them
   anew. Pure. #}
{% macro differing_partitions(options, partitioning) %}
  {% if not options.partition_by or options.traits.replaces_table
      or dbt_kinds.plain_partitions(options.partition_by) == dbt_kinds.plain_partitions(partitioning) %}
    {% do return(none) %}
  {% endif %}
  {% do return('partition_by is ' ~ options.partition_by | join(', ') ~ ', and the table ' ~ options.relation
    ~ (' is partitioned by ' ~ partitioning | join(', ') if partitioning else ' has no partitions')) %}
{% endmacro %}


{# What to do about it. Pure. #}
{% macro rebuild_partitions(options, partitioning) %}
  {% do return('rebuild it with --full-refresh'
    ~ (', which throws its history away' if options.traits.has_merge_timeline or options.traits.numbers_by_run else '')
    ~ (', or set partition_by: [' ~ partitioning | join(', ') ~ ']' if partitioning else ', or remove partition_by')) %}
{% endmacro %}


{# Partition fields in one spelling and order: Iceberg takes `day(ts)`, `days(ts)` and `date(ts)` for the same. Pure. #}
{% macro plain_partitions(fields) %}
  {% set plain = [] %}
  {% for field in fields %}
    {% set text = modules.re.sub('[\\s`]', '', field | string) | lower %}
    {% set call = modules.re.match('(\\w+)[(](.*)[)]$', text) if dbt_kinds.is_partition_function(field | string)
      else none %}
    {% if call is none %}
      {% do plain.append(text) %}
    {% elif call.group(1) != 'void' %}
      {% set names = {'date': 'days', 'date_hour': 'hours', 'year': 'years', 'month': 'months', 'day': 'days',
        'hour': 'hours'} %}
      {% do plain.append(names.get(call.group(1), call.group(1)) ~ '(' ~ call.group(2) ~ ')') %}
    {% endif %}
  {% endfor %}
  {% do return(plain | sort) %}
{% endmacro %}

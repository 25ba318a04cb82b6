{#
  Withdraws the record that a range of one or more models is loaded; without a range, withdraws everything. Rows stay;
  the next run reloads the range. Of a kind that goes by changes, the interval of a write that is in doubt is only said
  not to be written: the records of earlier runs on that day stay, because the rows that they tell of would come again.
#}
{% macro forget(select=none, start=none, end=none) %}
  {% do dbt_kinds.set_event_source('forget') %}
  {% set models = [] %}
  {% for node in dbt_kinds.named_models('forget', select) %}
    {% set options = dbt_kinds.options_of(node) %}
    {% set interval = none if start is none and end is none else dbt_kinds.stated_interval(node.name, start, end) %}
    {% set at = dbt_kinds.run_settings(node.name).execution_time %}
    {% do dbt_kinds.claim(options, {'execution_time': at, 'batches': []}) %}
    {% set pending = dbt_kinds.open_write(options.relation) %}
    {% do dbt_kinds.refuse_half_written(options, pending) %}
    {% set is_pending = dbt_kinds.may_be_written(pending, interval) %}
    {% set is_captured = options.traits.appends_rows and options.traits.is_change_driven %}
    {% if not is_pending and (options.traits.takes_once or (is_captured and interval is not none)) %}
      {% do dbt_kinds.release_lease_of(options) %}
      {% if options.traits.takes_once %}
        {% do dbt_kinds.fail(node.name,
          'a model of kind events records files, not intervals, and a file that was forgotten would be loaded twice; to load all files again: disable_restatement: false and dbt run --full-refresh --select ' ~ node.name) %}
      {% endif %}
      {% do dbt_kinds.fail(node.name,
        'an append with capture records what its runs took, not intervals, so that a range of it cannot be loaded again; to load all rows again: forget without start and end, or dbt run --full-refresh --select ' ~ node.name) %}
    {% endif %}
    {% set stays = is_pending and options.traits.diffs_against_target
      and (interval is not none or options.traits.takes_once) %}
    {% set coverage = [] if stays else dbt_kinds.coverage(options.relation) %}
    {% set forgotten = coverage if interval is none else dbt_kinds.intersect_intervals([interval], coverage) %}
    {% if forgotten and options.traits.accumulates %}
      {% do dbt_kinds.release_lease_of(options) %}
      {% do dbt_kinds.fail(node.name,
        forgotten[0][0] ~ ' to ' ~ forgotten[-1][1] ~ ' is merged into ' ~ options.relation
          ~ ', and the next run would merge it again; '
          ~ 'rebuild the table instead: dbt run --full-refresh --select ' ~ node.name) %}
    {% endif %}
    {% do dbt_kinds.append_events(options, dbt_kinds.invalidations(forgotten, at)) %}
    {% do dbt_kinds.close_announced_write(options) %}
    {% do dbt_kinds.release_lease_of(options) %}
    {% do models.append({
      'model': node.unique_id, 'relation': options.relation, 'forgotten': forgotten,
      'recorded': dbt_kinds.recorded_coverage(node),
    }) %}
  {% endfor %}
  {% do dbt_kinds.print_answer('forget', {'models': models}) %}
{% endmacro %}

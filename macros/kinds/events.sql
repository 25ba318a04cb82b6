{% materialization events, default %}
  {% do return(dbt_kinds.load_intervals()) %}
{% endmaterialization %}


{# It has no query: its rows are those of the files or of the table that it takes. #}
{% macro kind_events(options) %}
  {% do return({
    'own_options': 'events_options',
    'plan': 'plan_landed_rows' if options.get('landing_table') is not none else 'plan_landed_files',
    'query': 'empty_event_rows', 'rows': 'landed_rows', 'takes_once': true,
    'write_spec': 'append_write_spec', 'write': 'append_landed', 'appends_rows': true, 'reads_its_table': true,
    'ignores_intervals': true,
    'diffs_against_target': true, 'blocks_full_refresh': options.get('disable_restatement', true),
  }) %}
{% endmacro %}

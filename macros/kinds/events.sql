{% materialization events, default %}
  {% do return(dbt_kinds.load_intervals()) %}
{% endmaterialization %}


{# It has no query: its rows are those of the files or of the table that it takes. #}
{% macro kind_events(options) %}
  {% do return({
    'own_options': 'events_options', 'prepare': 'append_writer', 'write': 'append_landed', 'appends_rows': true, 'reads_its_table': true, 'ignores_intervals': true,
    'diffs_against_target': true, 'blocks_full_refresh': options.get('disable_restatement', true),
  }) %}
{% endmacro %}

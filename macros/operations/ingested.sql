{# The landed files of events models whose lines have all been loaded or rejected, so that they may be removed. #}
{% macro ingested(select=none) %}
  {% set models = [] %}
  {% for node in dbt_kinds.selected_models(select) if dbt_kinds.traits_of(node).takes_once %}
    {% set options, files = dbt_kinds.options_of(node), [] %}
    {% if options.landing_table is none and dbt_kinds.has_ledger() %}
      {% set file_batches = dbt_kinds.loaded_file_batches(options.relation) %}
      {% for row in dbt_kinds.query_rows(dbt_kinds.landed_files_query(options))
          if row.get('length') is not none and row.get('claim') and (row.claim in file_batches or not row.is_newest) %}
        {% do files.append(row.shown) %}
      {% endfor %}
    {% endif %}
    {% do models.append({'model': node.unique_id, 'relation': options.relation,
      'landing': options.landing or options.landing_table, 'files': files}) %}
  {% endfor %}
  {% do dbt_kinds.print_answer('ingested', {'models': models}) %}
{% endmacro %}

{% materialization append, default %}
  {% if dbt_kinds.options_of(model).capture is not none %}
    {% do return(dbt_kinds.load_intervals(prepare=dbt_kinds.changes_writer, write=dbt_kinds.append_changes)) %}
  {% endif %}
  {% do return(dbt_kinds.load_intervals(prepare=dbt_kinds.append_writer, write=dbt_kinds.append_once)) %}
{% endmaterialization %}

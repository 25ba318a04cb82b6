{#
  The recorded units with late data: those to reload, `late`, those `too_far` back, and, by relation, those for which
  nothing is known, `lost`. The argument `late` is what late_data found. In unit numbers. Pure.
#}
{% macro late_units(options, late, done, upper) %}
  {% set found, lost = [], {} %}
  {% for source in late %}
    {% for hit in source.hits %}{% do found.extend(hit.units) %}{% endfor %}
    {% set unknown = dbt_kinds.intersect_intervals(source.lost, done) %}
    {% do lost.update({source.relation: unknown}) if unknown %}
    {% do found.extend(unknown) if options.late_data.on_lost_history == 'reload' %}
  {% endfor %}
  {% set all_late = dbt_kinds.intersect_intervals(dbt_kinds.merge_intervals(found), done) %}
  {% if options.late_data is none or options.late_data.maximum is none or not all_late %}
    {% do return({'late': all_late, 'too_far': [], 'lost': lost}) %}
  {% endif %}
  {% set near = [[dbt_kinds.unit_index_after(upper, options.unit) - options.late_data.maximum, all_late[-1][1]]] %}
  {% do return({'late': dbt_kinds.intersect_intervals(all_late, near),
    'too_far': dbt_kinds.subtract_intervals(all_late, near), 'lost': lost}) %}
{% endmacro %}


{# Descriptions of these for a plan's reason. Pure. #}
{% macro late_words(options, late, reload_reasons) %}
  {% set words, why = [], [] %}
  {% for source in late %}
    {% set changes = [] %}
    {% for hit in source.hits if dbt_kinds.intersect_intervals(dbt_kinds.merge_intervals(hit.units),
        reload_reasons.late) %}
      {% do changes.append(hit) %}
    {% endfor %}
    {% if changes %}
      {% set first, last = changes | map(attribute='first') | min | replace('T00:00:00', ''),
        changes | map(attribute='last') | max | replace('T00:00:00', '') %}
      {% do why.append(source.relation ~ ' changed in ' ~ first ~ (' to ' ~ last if last != first else '')) %}
    {% endif %}
    {% if options.late_data.on_lost_history == 'reload'
        and dbt_kinds.intersect_intervals(source.lost, reload_reasons.late) %}
      {% do why.append('the history of ' ~ source.relation ~ ' is gone') %}
    {% endif %}
  {% endfor %}
  {% do words.append('late data: ' ~ dbt_kinds.counted(dbt_kinds.count_units(reload_reasons.late), 'unit', 'units')
    ~ ' (' ~ why | join(', ') ~ ')') if reload_reasons.late %}
  {% do words.append('late data: ' ~ dbt_kinds.counted(dbt_kinds.count_units(reload_reasons.too_far), 'unit', 'units')
    ~ ' further back than maximum') if reload_reasons.too_far %}
  {% do return(words) %}
{% endmacro %}

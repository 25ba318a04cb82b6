{# The texts are fixed by the table of reasons in the documentation: people and tests rely on them. #}
{% macro _plan_reason(settings, window, recorded, bounds, looked_at, missing, looked_back, done, protected) %}
  {% if looked_at[0] >= looked_at[1] %}
    {% do return('nothing is due: the first unit begins at ' ~ bounds[0] if window is none
      else 'window lies outside ' ~ bounds[0] ~ ' to ' ~ bounds[1]) %}
  {% elif settings.full_refresh %}
    {% do return('full refresh') %}
  {% elif window is not none %}
    {% do return('window: ' ~ missing ~ ' missing, ' ~ done ~ ' recorded'
      ~ (', ' ~ protected ~ ' protected' if protected else '')) %}
  {% elif not recorded %}
    {% do return('first load') %}
  {% elif not missing %}
    {% do return('up to date until ' ~ looked_at[1]) %}
  {% endif %}
  {% do return(missing ~ ' missing' ~ (', ' ~ looked_back ~ ' looked back' if looked_back else '')) %}
{% endmacro %}

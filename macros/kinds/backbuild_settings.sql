{#
  Under kinds_backbuild: widens the window of a run for the downstream models in the same run. Each of these has its own
  widened window and reads beyond it; `selected` are the unique ids of all models in the run. Returns the settings, with
  the changed window if any.
#}
{% macro backbuild_settings(node, settings, selected) %}
  {% if not settings.backbuild %}
    {% do return(settings) %}
  {% elif settings.start is none or settings.end is none %}
    {% do dbt_kinds.fail(node.name,
      'kinds_backbuild widens a window, and there is none; pass kinds_start and kinds_end') %}
  {% endif %}
  {% set window = dbt_kinds._backbuild_window(node, [settings.start, settings.end], selected) %}
  {% do return(dict(settings, start=window[0], end=window[1])) %}
{% endmacro %}


{# The range that readers need of a model, in its own units; the window itself if no reader runs. #}
{% macro _backbuild_window(node, asked, selected) %}
  {% set known = dbt_kinds.run_memory('backbuild') %}
  {% if node.unique_id not in known %}
    {% set reads = [] %}
    {% for reader, margin in dbt_kinds._backbuild_margins(node).items() %}
      {% for other in graph.nodes.values()
          if other.unique_id in selected and other.resource_type == 'model' and other.name == reader %}
        {% do reads.append(dbt_kinds.source_window(dbt_kinds._backbuild_window(other, asked, selected),
          dict(margin, unit='none'))) %}
      {% endfor %}
    {% endfor %}
    {% set unit = dbt_kinds.options_of(node).unit %}
    {% do known.update({node.unique_id: asked if not reads else [
      dbt_kinds.floor_to_unit((reads | map('first') | list + asked[:1]) | min, unit),
      dbt_kinds.ceil_to_unit((reads | map('last') | list + asked[1:]) | max, unit),
    ]}) %}
  {% endif %}
  {% do return(known[node.unique_id]) %}
{% endmacro %}


{# Reader to `{before, after}`, as written by the compiler; empty for kinds without windows. #}
{% macro _backbuild_margins(node) %}
  {% set margins = dbt_kinds.meta_of(node).get('backbuild_margins') %}
  {% if margins is none or margins is undefined or not dbt_kinds.traits_of(node).filters_by_time %}
    {% do return({}) %}
  {% endif %}
  {% for reader, margin in (margins.items() if margins is mapping else [('', none)]) %}
    {% if margin is not mapping or dbt_kinds.read_duration(margin.get('before')) is none
        or dbt_kinds.read_duration(margin.get('after')) is none %}
      {% do dbt_kinds.fail(node.name,
        "meta.backbuild_margins '" ~ margins
          ~ "' cannot be read; write, for each reader, two ISO-8601 durations, as in "
          ~ "{'daily_sessions': {'before': 'P1D', 'after': 'PT0S'}}, or compile the project again") %}
    {% endif %}
  {% endfor %}
  {% do return(margins) %}
{% endmacro %}

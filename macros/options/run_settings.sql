{#
  The settings of this run: variables, dbt's event-time flags, the clock. Read once per run, and once for the variables
  that a unit test overrides, which on dbt 2.0 shares the run's memory; `model` is named if one is wrong. Not to be
  changed.
#}
{% macro run_settings(model, full_refresh=false) %}
  {% set known, given = dbt_kinds.run_memory('settings'), [full_refresh] %}
  {% for name in dbt_kinds.variables() %}{% do given.append(var(name, none)) %}{% endfor %}
  {% set asked = given | string %}
  {% if asked not in known %}
    {% do known.update({asked: dbt_kinds._read_settings(model, full_refresh)}) %}
  {% endif %}
  {% do return(known[asked]) %}
{% endmacro %}


{% macro _read_settings(model, full_refresh) %}
  {% do dbt_kinds.check_variables(model) %}
  {% set execution_time = var('kinds_execution_time', none) %}
  {% set batch_size = var('kinds_batch_size', none) %}
  {% do return({
    'execution_time': dbt_kinds.parse_instant(model, 'kinds_execution_time', execution_time)
      if execution_time is not none
      else run_started_at.isoformat()[:19],
    'start': dbt_kinds._window_bound(model, 'start'),
    'end': dbt_kinds._window_bound(model, 'end'),
    'ignore_cron': dbt_kinds.true_or_false(model, 'kinds_ignore_cron', var('kinds_ignore_cron', false)),
    'allow_full_restatement':
      dbt_kinds.true_or_false(model, 'kinds_allow_full_restatement', var('kinds_allow_full_restatement', false)),
    'allow_approximate_restatement':
      dbt_kinds.true_or_false(model, 'kinds_allow_approximate_restatement',
        var('kinds_allow_approximate_restatement', false)),
    'batch_size': dbt_kinds.whole_number(model, 'kinds_batch_size', batch_size, 1) if batch_size is not none else none,
    'backbuild': dbt_kinds.true_or_false(model, 'kinds_backbuild', var('kinds_backbuild', false)),
    'require_safety': dbt_kinds.true_or_false(model, 'kinds_require_safety', var('kinds_require_safety', false)),
    'ignore_skip': dbt_kinds.true_or_false(model, 'kinds_ignore_skip', var('kinds_ignore_skip', false)),
    'skip_audits': dbt_kinds.true_or_false(model, 'kinds_skip_audits', var('kinds_skip_audits', false)),
    'full_refresh': full_refresh,
  }) %}
{% endmacro %}


{# The variable takes precedence over dbt's flag. #}
{% macro _window_bound(model, side) %}
  {% set name = 'kinds_' ~ side %}
  {% set flag = dbt_kinds.command_option('event_time_' ~ side) %}
  {% if var(name, none) is not none %}
    {% do return(dbt_kinds.parse_instant(model, name, var(name))) %}
  {% elif flag is not none and var('kinds_start', none) is none and var('kinds_end', none) is none %}
    {% do return(dbt_kinds.parse_instant(model, '--event-time-' ~ side, flag)) %}
  {% endif %}
  {% do return(none) %}
{% endmacro %}

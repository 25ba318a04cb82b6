{#
  The kind `events` with a table to land in: the rows that a run takes from it, in plan.change_sets and
  plan.file_batches, as one batch: those that the table gained since the last load.
  A rebuild takes all rows, and so does the run after a rebuild that died: it has withdrawn all records. The batch is
  named after the previous load, so that a repeated attempt stores its rejects in the same place.
#}
{% macro plan_landed_rows(node, options, run) %}
  {% set plan, name, landed = dbt_kinds.plan_whole(node, options, run), options.landing_table,
    dbt_kinds.landing_node(options) %}
  {% set now = dbt_kinds.table_version(landed) %}
  {% if (now or '').split(' ')[0] not in ['iceberg', 'delta'] %}
    {% do dbt_kinds.fail(options.model,
      'the landing table ' ~ name ~ (' is not there'
        if now is none and dbt_kinds.relation_type(dbt_kinds.relation_of_node(landed)) is none
      else ' has no snapshots, so its new rows cannot be determined')
      ~ '; landing: {table: …} names a table of Iceberg, landing: {path: …} a folder') %}
  {% endif %}
  {% set start_anew = not run.is_there or run.settings.full_refresh
    or (run.loads == [] and dbt_kinds.events_of(options.relation) != []) %}
  {% set latest = none if start_anew else dbt_kinds.latest_load(run.loads) %}
  {% set then = (dbt_kinds.recorded_versions(options, latest) or {}).get(name) %}
  {% set change = dbt_kinds.change_since(landed, then, now) if then else {'state': 'new', 'is_appended': false} %}
  {# two versions with other columns, or with maps, cannot be compared; what was appended between them can be read,
     whatever was removed #}
  {% set readable = dict(change, state='incomparable', is_appended=change.updates_nothing)
    if change.state in ['columns', 'incomparable'] else change %}
  {% set bounds = [none, now.split(' ')[1]] if change.state == 'new'
    else dbt_kinds.gained_bounds(options, landed, readable, then, now, 1) %}
  {% if bounds is none %}
    {% do dbt_kinds.fail(options.model,
      ('snapshot ' ~ then.split(' ')[1] ~ ' of the landing table ' ~ name ~ ' is gone' if change.state == 'gone'
        else 'the landing table ' ~ name ~ ' had rows changed or removed, and '
      ~ ('has other columns than at the last run' if change.state == 'columns'
        else 'has a column that Spark cannot compare'))
      ~ ', so its new rows cannot be determined; to replace the rows of this model by all rows of the landing table, set '
      ~ 'disable_restatement: false and run dbt run --full-refresh --select ' ~ options.model) %}
  {% endif %}
  {# a column that was added since the last snapshot is in the table, and not in what is read of it #}
  {% set columns = dbt_kinds.describe_query('select * from ' ~ dbt_kinds._rows_to_take(options, {name: bounds})) %}
  {% do dbt_kinds.landed_columns(options, columns) %}
  {% set file_batch = {'id': local_md5(options.relation ~ (latest.recorded_at if latest is not none else ''))[:16],
    'landed': columns} %}
  {% set decided = dict(plan, versions={name: now}, change_sets={name: bounds}, file_batches=[file_batch],
    batches=[plan.batches[0]], start_anew=start_anew, run_type='flush', reason='flush',
    missing=[], restated=[]) %}
  {% if change.state == 'same' and run.is_there %}
    {% do return(dbt_kinds.with_nothing_to_do(decided,
      dbt_kinds.versions_to_note([name], {name: then}, {name: now}))) %}
  {% endif %}
  {% do return(decided) %}
{% endmacro %}


{# The landing table, as a node of dbt's graph: the node of that name, which must be a dependency of the model, or else
   a mapping with the name only. #}
{% macro landing_node(options) %}
  {% set schema, name = options.landing_table.split('.')[0], options.landing_table.split('.')[1] %}
  {% for parent in graph.nodes.values()
      if parent.resource_type in ['model', 'seed', 'snapshot']
      and dbt_kinds.table_name(parent) | lower == options.landing_table | lower %}
    {% if parent.unique_id not in model.depends_on.nodes %}
      {% do dbt_kinds.fail(options.model,
        'the landing table ' ~ options.landing_table ~ ' is made by ' ~ parent.name
          ~ ", which has to run first; write into the model's file: -- depends_on: {{ ref('" ~ parent.name ~ "') }}") %}
    {% endif %}
    {% do return(parent) %}
  {% endfor %}
  {% do return({'resource_type': 'source', 'schema': schema, 'identifier': name, 'database': none}) %}
{% endmacro %}


{#
  How each declared column is read from a landing table's row: `{name, value, text}`, as SQL; `text` is the original
  value if it may not fit, else none. A column that the table lacks is NULL. Raises if a conversion could lose data.
  Pure.
#}
{% macro landed_columns(options, columns) %}
  {% set read = [] %}
  {% for column in options.columns %}
    {% set found = dbt_kinds.find_column(columns, column.name) %}
    {% set type = dbt_kinds.parse_type(found.type) if found is not none else {'kind': 'atomic', 'text': 'void'} %}
    {% set landed = '_kinds_row.' ~ dbt_kinds.quoted(found.name) if found is not none else 'null' %}
    {% if dbt_kinds.fits_into(type, column.type) %}
      {% do read.append({'name': column.name,
        'value': dbt_kinds.conversion(landed, found.type, column.data_type) if found is not none
          else 'cast(null as ' ~ dbt_kinds.sql_type(column.data_type) ~ ')', 'text': none}) %}
    {% elif type.kind == 'atomic' and column.type.kind == 'atomic'
        and (type.text == 'string' or dbt_kinds.text_length(type.text) is not none) %}
      {% set value = dbt_kinds.event_time('cast(' ~ landed ~ ' as string)', column) if dbt_kinds.is_event_time(column)
        else 'try_cast(' ~ landed ~ ' as ' ~ dbt_kinds.sql_type(column.data_type) ~ ')' %}
      {% do read.append({'name': column.name, 'value': value, 'text': landed}) %}
    {% else %}
      {% do dbt_kinds.fail(options.model,
        'the column ' ~ found.name ~ ' of the landing table ' ~ options.landing_table ~ ' is of type ' ~ found.type
          ~ ', and is declared as ' ~ column.data_type
          ~ ', which cannot hold all of it; declare it as ' ~ found.type) %}
    {% endif %}
  {% endfor %}
  {% do return(read) %}
{% endmacro %}


{# SQL in parentheses: the rows that a landing table gained, as they are. #}
{% macro _rows_to_take(options, change_sets) %}
  {% do return(dbt_kinds.with_change_sets(change_sets,
    dbt_kinds.changes_of(dbt_kinds.relation_of_node(dbt_kinds.landing_node(options))))) %}
{% endmacro %}


{# SQL: the rows that a landing table gained, with the columns of event_lines. Pure. #}
{% macro gained_lines(options, plan) %}
  {% set selected, reasons = [], [] %}
  {% for column in dbt_kinds.landed_columns(options, plan.file_batches[0].landed) %}
    {% set declared = options.columns[loop.index0] %}
    {% do selected.append(column.value ~ ' as ' ~ dbt_kinds.quoted(column.name)) %}
    {% set exact = dbt_kinds.exact_value(declared.type, column.value, column.text) if column.text is not none
      else none %}
    {% set unfit = 'if(' ~ column.text ~ ' is not null and (' ~ column.value ~ ' is null'
      ~ (' or not ' ~ exact if exact is not none else '') ~ '), ' ~ dbt_kinds.unfit_words(declared) ~ ', null)' %}
    {% set missing = 'if(' ~ (column.text or column.value) ~ ' is null, '
      ~ dbt_kinds.text_literal(column.name ~ ' is missing or null') ~ ', null)' %}
    {% do reasons.append(unfit) if column.text is not none %}
    {% do reasons.append(missing) if declared.not_null %}
  {% endfor %}
  {% set sql -%}
select {{ dbt_kinds.quoted_names(options.columns) | join(', ') }}, _kinds_file,
  if(_kinds_reason is null, null, _kinds_line) as _kinds_text, _kinds_reason
from (
  select {{ selected | join(', ') }}, {{ dbt_kinds.text_literal(options.landing_table) }} as _kinds_file,
    to_json(_kinds_row, map('ignoreNullFields', 'false', 'timeZone', 'UTC')) as _kinds_line,
    nullif(concat_ws(', ', {{ reasons | join(', ') or "''" }}), '') as _kinds_reason
  from (select struct(*) as _kinds_row from {{ dbt_kinds._rows_to_take(options, plan.change_sets) }} as landed)
)
  {%- endset %}
  {% do return(sql) %}
{% endmacro %}

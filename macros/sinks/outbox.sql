{#
  The outbox: the changes that runs made in tables with a sink, and their delivery. An append-only log beside the store,
  written by runs and `dbt-kinds push`. Its events are `change`, a row that was added or removed; `delta`, which
  completes one run's changes and makes them count; and `delivery`, the result of pushing the changes of a key.
#}
{% macro outbox_table() %}
  {% do return(dbt_kinds.store_table().incorporate(path={'identifier': 'dbt_kinds_outbox'})) %}
{% endmacro %}


{#
  Its columns. `fill` identifies the rows that one run put in; `delta` is its number within the relation, from 1, or for
  a delivery the last delta delivered. `version` is the table's version, `change` the id that receivers see, `type` and
  `status` say what happened, `moment` when.
#}
{% macro outbox_columns() %}
  {% do return({
    'delta': 'bigint', 'fill': 'string', 'version': 'string', 'type': 'string', 'key': 'string', 'row': 'string',
    'change': 'string', 'status': 'string',
    'attempts': 'bigint', 'reason': 'string', 'holder': 'string', 'moment': 'string',
  }) %}
{% endmacro %}


{# Asks Spark once per run. #}
{% macro has_outbox() %}
  {% do return(dbt_kinds.relation_type(dbt_kinds.outbox_table()) is not none) %}
{% endmacro %}


{# Creates it if it does not exist. This happens while a run plans, not just before its first row: see
   prepare_ledger. #}
{% macro prepare_outbox() %}
  {% if not dbt_kinds.has_outbox() %}
    {% do dbt_kinds.create_log(dbt_kinds.outbox_table(), dbt_kinds.outbox_columns(),
      partitions={'relation': 'string', 'event': 'string'}) %}
    {% do dbt_kinds.cache_table(dbt_kinds.outbox_table()) %}
  {% endif %}
{% endmacro %}


{# Appends rows of one event type for a relation: mappings by column, or a query that returns all columns. #}
{% macro append_to_outbox(relation, event, rows) %}
  {% if not rows %}
    {% do return(none) %}
  {% endif %}
  {% call statement('append_to_outbox') %}
insert into {{ dbt_kinds.outbox_table() }}
  partition (relation = {{ dbt_kinds.text_literal(relation) }}, event = {{ dbt_kinds.text_literal(event) }})
{% if rows is string -%}
{{ rows }}
{%- else -%}
values
{%- for row in rows %}
  ({{ dbt_kinds._outbox_values(row) | join(', ') }}){{ ',' if not loop.last }}
{%- endfor %}
{%- endif %}
  {% endcall %}
{% endmacro %}


{# SQL values in column order. No string may contain a line break or the delimiter of a Hive text table. #}
{% macro _outbox_values(row) %}
  {% set values = [] %}
  {% for name, type in dbt_kinds.outbox_columns().items() %}
    {% set value = row.get(name) %}
    {% if value is none %}
      {% do values.append('cast(null as ' ~ type ~ ')') %}
    {% elif type == 'string' %}
      {% do values.append(dbt_kinds.text_literal(modules.re.sub('[\\x00-\\x1f]+', ' ', value | string))) %}
    {% else %}
      {% do values.append('cast(' ~ value | int ~ ' as ' ~ type ~ ')') %}
    {% endif %}
  {% endfor %}
  {% do return(values) %}
{% endmacro %}


{#
  SQL: the deltas of the relations that a condition chooses, `{relation, delta, fill, version, status}`. If two runs
  used the same number, the first counts: both started from the same previous version, and the next run finds the
  changes of the other again.
#}
{% macro deltas_query(chosen) %}
  {% set sql -%}
select relation, delta, min_by(fill, struct(moment, fill)) as fill, min_by(version, struct(moment, fill)) as version,
  min_by(status, struct(moment, fill)) as status
from {{ dbt_kinds.outbox_table() }}
where {{ chosen }} and event = 'delta'
group by relation, delta
  {%- endset %}
  {% do return(sql) %}
{% endmacro %}

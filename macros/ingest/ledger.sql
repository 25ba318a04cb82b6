{# Where the ledger of landed files is: beside the store, one for all models of a target. #}
{% macro ledger_table() %}
  {% do return(dbt_kinds.store_table().incorporate(path={'identifier': 'dbt_kinds_ingested'})) %}
{% endmacro %}


{#
  Its columns, one row a file and claim, appended and never changed. A claim is what one run took; `is_whole` tells that it took all files there were, for a table that was to be
  made anew. A file belongs to its last claim.
#}
{% macro ledger_columns() %}
  {% do return({'relation': 'string', 'claim': 'string', 'file': 'string', 'length': 'bigint', 'is_whole': 'boolean', 'taken_at': 'string', 'invocation_id': 'string'}) %}
{% endmacro %}


{# Whether there is a ledger yet. #}
{% macro has_ledger() %}
  {% do return(dbt_kinds.relation_type(dbt_kinds.ledger_table()) is not none) %}
{% endmacro %}


{#
  Makes it, if there is none. While a run plans, and not before its first row: another run that makes it at this moment finds files in a folder that it takes for empty, which is an
  error of Spark.
#}
{% macro prepare_ledger() %}
  {% if not dbt_kinds.has_ledger() %}
    {% do dbt_kinds.create_log(dbt_kinds.ledger_table(), dbt_kinds.ledger_columns()) %}
    {% do dbt_kinds.note_table(dbt_kinds.ledger_table()) %}
  {% endif %}
{% endmacro %}


{# Notes that a claim takes its files, before anything of them is read. #}
{% macro take_files(options, claim) %}
  {% set ledger = dbt_kinds.ledger_table() %}
  {% set taken_at, rows = dbt_kinds.next_moment(), [] %}
  {% for file in claim.files %}
    {% do rows.append('(' ~ [
      dbt_kinds.text_literal(options.relation), dbt_kinds.text_literal(claim.id), dbt_kinds.text_literal(file.name), file.length, claim.is_whole | string | lower,
      dbt_kinds.text_literal(taken_at), dbt_kinds.text_literal(invocation_id),
    ] | join(', ') ~ ')') %}
  {% endfor %}
  {% call statement('take_files') %}
insert into {{ ledger }}
values
  {{ rows | join(',\n  ') }}
  {% endcall %}
{% endmacro %}


{# The claims of a relation whose rows are in its table. #}
{% macro loaded_claims(relation) %}
  {% set claims = [] %}
  {% for row in dbt_kinds.read_log([relation]) if row.event == 'loaded' and (row.get('details') or '').startswith('{') %}
    {% set claim = fromjson(row.details).get('claim') %}
    {% do claims.append(claim) if claim %}
  {% endfor %}
  {% do return(claims) %}
{% endmacro %}

{# The ledger of landed files: beside the store, one for all models of a target. #}
{% macro ledger_table() %}
  {% do return(dbt_kinds.store_table().incorporate(path={'identifier': 'dbt_kinds_ingested'})) %}
{% endmacro %}


{#
  Its columns, one row per file and batch of files (`claim`), append-only. Such a batch is the set of files that one run
  took; `is_whole` means that it took all existing files, for a rebuild. A file belongs to its last batch.
#}
{% macro ledger_columns() %}
  {% do return({'relation': 'string', 'claim': 'string', 'file': 'string', 'length': 'bigint', 'is_whole': 'boolean',
    'taken_at': 'string', 'invocation_id': 'string'}) %}
{% endmacro %}


{# Whether the ledger exists. #}
{% macro has_ledger() %}
  {% do return(dbt_kinds.relation_type(dbt_kinds.ledger_table()) is not none) %}
{% endmacro %}


{#
  Creates it if it does not exist. This happens while a run plans, not just before its first row: if another run created
  it at the same moment, Spark would fail because it finds files in a folder it expects to be empty.
#}
{% macro prepare_ledger() %}
  {% if not dbt_kinds.has_ledger() %}
    {% do dbt_kinds.create_log(dbt_kinds.ledger_table(), dbt_kinds.ledger_columns()) %}
    {% do dbt_kinds.cache_table(dbt_kinds.ledger_table()) %}
  {% endif %}
{% endmacro %}


{# Records the files of a batch before any of them is read. #}
{% macro take_files(options, file_batch) %}
  {% set ledger = dbt_kinds.ledger_table() %}
  {% set taken_at, rows = dbt_kinds.next_moment(), [] %}
  {% for file in file_batch.files %}
    {% do rows.append('(' ~ [
      dbt_kinds.text_literal(options.relation), dbt_kinds.text_literal(file_batch.id),
      dbt_kinds.text_literal(file.name), file.length, file_batch.is_whole | string | lower,
      dbt_kinds.text_literal(taken_at), dbt_kinds.text_literal(invocation_id),
    ] | join(', ') ~ ')') %}
  {% endfor %}
  {% call statement('take_files') %}
insert into {{ ledger }}
values
  {{ rows | join(',\n  ') }}
  {% endcall %}
{% endmacro %}


{# The batches of files whose rows are in the relation's table. #}
{% macro loaded_file_batches(relation) %}
  {% set file_batches = [] %}
  {% for row in dbt_kinds.read_log([relation]) if row.event == 'loaded' %}
    {% set file_batch = dbt_kinds.details_of(row).get('claim') %}
    {% do file_batches.append(file_batch) if file_batch %}
  {% endfor %}
  {% do return(file_batches) %}
{% endmacro %}

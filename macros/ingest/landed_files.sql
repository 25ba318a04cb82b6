{#
  The kind `events`: the files that a run takes from the landing folder, in plan.file_batches, one batch each:
  `{id, files: [{name, length}], is_whole, is_taken}`. Files taken by a dead run come first, as the batch of files that
  it was; then files that are not in the ledger. A rebuild takes every file in the folder.
#}
{% macro plan_landed_files(node, options, run) %}
  {% set plan = dbt_kinds.plan_whole(node, options, run) %}
  {% do dbt_kinds.prepare_ledger() %}
  {% set known = dbt_kinds.loaded_file_batches(options.relation) %}
  {% set files = dbt_kinds.query_rows(dbt_kinds.landed_files_query(options)) %}
  {% set open = dbt_kinds.open_file_batch(options, files, known) %}
  {% set start_anew = not run.is_there or run.settings.full_refresh or (open is not none and open.is_whole) %}
  {% if start_anew and not (open is not none and open.is_whole) %}
    {% set file_batches = [dbt_kinds._new_file_batch(options, files | selectattr('length', 'defined') | list,
      is_whole=true)] %}
  {% else %}
    {% do dbt_kinds._check_unchanged(options, files) %}
    {% set new = files | rejectattr('claim', 'defined') | list %}
    {% set file_batches = ([open] if open is not none else [])
      + [dbt_kinds._new_file_batch(options, new[:options.max_files],
      to_go=[new | length - options.max_files, 0] | max)] %}
  {% endif %}
  {% set file_batches = file_batches | selectattr('files') | list %}
  {% if file_batches and file_batches[-1].to_go %}
    {% do log('dbt_kinds: ' ~ options.model ~ ': ' ~ dbt_kinds.counted(file_batches[-1].to_go, 'file', 'files')
      ~ ' to go: max_files is ' ~ options.max_files ~ ', and the next run goes on', info=true) %}
  {% endif %}
  {% set batches = [] %}
  {% for _ in file_batches %}
    {% do batches.append(plan.batches[0]) %}
  {% endfor %}
  {% do return(dict(plan, file_batches=file_batches, batches=batches, start_anew=start_anew, run_type='flush',
    reason='flush', missing=[], restated=[])) %}
{% endmacro %}


{#
  SQL: the files that have landed, by name, `{name, shown, length}`, with each one's ledger entry,
  `{taken_length, claim, is_whole, is_newest}`, NULL if it has none; and the files of the newest batch, including
  missing ones. Files whose names begin with `.` or `_` are incomplete and skipped. Pure except for the names of tables.
#}
{% macro landed_files_query(options) %}
  {% set landed -%}
select _metadata.file_name as name, {{ dbt_kinds.file_name('_metadata.file_name') }} as shown,
  _metadata.file_size as length
    from binaryFile.{{ dbt_kinds.quoted(options.landing) }} where _metadata.file_name not rlike '^[._]'
  {%- endset %}
  {% if not dbt_kinds.has_ledger() %}
    {% do return(landed ~ '\n    order by name') %}
  {% endif %}
  {% set sql -%}
select coalesce(landed.name, taken.name) as name,
  {{ dbt_kinds.file_name('coalesce(landed.name, taken.name)') }} as shown, landed.length, taken.taken_length,
  taken.claim, taken.is_whole, taken.is_newest
from (
    {{ landed }}
) as landed
full outer join (
  select *, claim = max_by(claim, taken_at) over () as is_newest
  from (
    select file as name, max_by(length, taken_at) as taken_length, max_by(claim, taken_at) as claim,
      max_by(is_whole, taken_at) as is_whole, max(taken_at) as taken_at
    from {{ dbt_kinds.ledger_table() }} where relation = {{ dbt_kinds.text_literal(options.relation) }} group by file
  )
) as taken on taken.name = landed.name
where taken.is_newest or landed.length is not null
order by name
  {%- endset %}
  {% do return(sql) %}
{% endmacro %}


{# SQL: the name of a file in its folder. Spark's metadata has it as part of a URL. Pure. #}
{% macro file_name(name) %}
  {# a plus sign stays as it is there, and would become a space #}
  {% do return('url_decode(replace(' ~ name ~ ", '+', '%2B'))") %}
{% endmacro %}


{# The batch of files of a run that died, or none; raises if one of its files is missing. Pure. #}
{% macro open_file_batch(options, files, known) %}
  {% set file_batch = {'files': []} %}
  {% for file in files if file.get('is_newest') and file.claim not in known %}
    {% do file_batch.update({'id': file.claim, 'is_whole': file.is_whole, 'is_taken': true, 'to_go': 0}) %}
    {% if file.get('length') is none %}
      {% do dbt_kinds.fail(options.model,
        'the file ' ~ file.shown ~ ' is gone from ' ~ options.landing
          ~ ', and a run that died had taken it and not loaded it; put it back, or put an empty file of that name there') %}
    {% endif %}
    {% do file_batch.files.append({'name': file.name, 'length': file.length}) %}
  {% endfor %}
  {% do return(file_batch if file_batch.files else none) %}
{% endmacro %}


{# Raises if a file changed after it was taken: files are read once, so later content would be lost. An empty file has
   none, and may stand for one that was lost. #}
{% macro _check_unchanged(options, files) %}
  {% for file in files if file.get('claim') and file.get('length') and file.length != file.taken_length %}
    {% do dbt_kinds.fail(options.model,
      'the file ' ~ file.shown ~ ' in ' ~ options.landing ~ ' changed after it was taken: it has ' ~ file.length
        ~ ' bytes and had ' ~ file.taken_length
      ~ '; files have to appear whole, by a rename: put back what it was, and land what is new under a name of its own') %}
  {% endfor %}
{% endmacro %}


{% macro _new_file_batch(options, landed, is_whole=false, to_go=0) %}
  {% set files, names = [], {} %}
  {% for file in landed %}
    {% if file.name in names %}
      {% do dbt_kinds.fail(options.model,
        'the file ' ~ file.shown ~ ' is in more than one folder below ' ~ options.landing
          ~ '; land all files in the folder itself') %}
    {% elif modules.re.search('[\\x00-\\x1f]', file.name) %}
      {% do dbt_kinds.fail(options.model,
        "the file '" ~ file.name ~ "' in " ~ options.landing ~ ' has a control character in its name; rename it') %}
    {% endif %}
    {% do names.update({file.name: true}) %}
    {% do files.append({'name': file.name, 'length': file.length}) %}
  {% endfor %}
  {% set id = local_md5(invocation_id ~ options.unique_id ~ dbt_kinds.next_moment())[:16] %}
  {% do return({'id': id, 'files': files, 'is_whole': is_whole, 'is_taken': false, 'to_go': to_go}) %}
{% endmacro %}

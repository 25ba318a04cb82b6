{#
  SQL: what some writes committed, by their `number` in the list: of an Iceberg table its current snapshot, with the
  `rows_written` by that commit, 0 if the snapshot is still `before`, because writing nothing creates no commit, and no
  row if the table has no snapshot yet; of a table of files the rows in the `files` that are new. `commits` are those of
  commit_of and files_of_write; rows are looked up of those that lack them. All snapshots are read by one join: a job
  for each takes twice as long. Pure.
#}
{% macro newest_commits(commits) %}
  {% set heads, snapshots, files = [], [], [] %}
  {% for commit in commits %}
    {% if 'files' in commit %}
      {% do files.append('select ' ~ loop.index ~ ' as number, cast(null as bigint) as snapshot_id, '
        ~ 'count(*) as rows_written from ' ~ commit.relation ~ ' where ' ~ commit.files) %}
    {% else %}
      {% do heads.append('  select ' ~ loop.index ~ ' as number, snapshot_id from ' ~ commit.relation
        ~ ".refs where name = 'main'") %}
      {% set rows = "cast(summary['added-records'] as bigint)" %}
      {% do snapshots.append('  select ' ~ loop.index ~ ' as number, snapshot_id, '
        ~ (rows if commit.before is none else 'if(snapshot_id = ' ~ commit.before ~ ', 0, ' ~ rows ~ ')')
        ~ ' as rows_written from ' ~ commit.relation ~ '.snapshots') if commit.lacks_rows %}
    {% endif %}
  {% endfor %}
  {% if heads %}
    {% set sql -%}
select number, snapshot_id, {{ 'rows_written' if snapshots else 'cast(null as bigint) as rows_written' }} from (
{{ heads | join('\n  union all\n') }}
)
{%- if snapshots %} left join (
{{ snapshots | join('\n  union all\n') }}
) using (number, snapshot_id)
{%- endif %}
    {%- endset %}
    {% do files.append(sql) %}
  {% endif %}
  {% do return(files | join('\nunion all\n')) %}
{% endmacro %}


{# SQL: one row, `written`, a map from such numbers to snapshots and rows. Pure. #}
{% macro numbered_commits(commits) %}
  {% set sql -%}
select map_from_entries(collect_list(struct(number, struct(snapshot_id, rows_written)))) as written from (
{{ dbt_kinds.newest_commits(commits) }}
)
  {%- endset %}
  {% do return(sql) %}
{% endmacro %}


{# The number of rows that a write wrote, asked for if only the record would tell. #}
{% macro rows_of_write(written) %}
  {% if written.rows_written is not none %}
    {% do return(written.rows_written) %}
  {% endif %}
  {% set commits = dbt_kinds.query_rows(dbt_kinds.newest_commits([dict(written.commit, lacks_rows=true)])) %}
  {% do return(commits[0].get('rows_written') or 0 if commits else 0) %}
{% endmacro %}


{#
  The commit of a write for its record, as `{snapshot_id, rows_written, commit}`: on Iceberg `{relation, before}`, by
  which the record asks for it; on Delta the version and its rows, 0 if the version is still `before`; empty for tables
  of files.
#}
{% macro commit_of(relation, file_format, before=none) %}
  {% if file_format == 'iceberg' %}
    {% do return({'commit': {'relation': relation | string, 'before': before}, 'rows_written': none}) %}
  {% elif file_format == 'delta' %}
    {% set commits = dbt_kinds.delta_history(relation, limit=2) %}
    {% do dbt_kinds._warn_of_restore(relation, commits) %}
    {% set commit = commits[0] %}
    {% set version = commit['version'] | int %}
    {% set is_same = before is not none and before | int == version %}
    {% do return({'snapshot_id': version,
      'rows_written': 0 if is_same else dbt_kinds.rows_in_metrics(commit['operationMetrics'])}) %}
  {% endif %}
  {% do return({}) %}
{% endmacro %}


{# Others may have put the table back to an older version: if so, the newest commit before this write tells. #}
{% macro _warn_of_restore(relation, commits) %}
  {% for commit in commits if commit['operation'] == 'RESTORE' %}
    {% do dbt_kinds.warn(relation.identifier,
      'the table ' ~ relation
        ~ ' was put back to an older version before this write, so that the interval store may say more than it holds; this says what is missing: '
        ~ 'dbt run-operation dbt_kinds.doctor') %}
  {% endfor %}
{% endmacro %}


{#
  The rows that a commit of Delta added, according to its operationMetrics, a map that arrives as a mapping or as some
  text: those in the files it wrote, without those copied from the files it replaced; 0 if they are not counted. Pure.
#}
{% macro rows_in_metrics(metrics) %}
  {% set counts = {} %}
  {% for name in ['numOutputRows', 'numCopiedRows'] %}
    {% set found = modules.re.search('\\b' ~ name ~ '\\W+([0-9]+)', metrics | string) %}
    {% do counts.update({name: found.group(1) | int if found is not none else 0}) %}
  {% endfor %}
  {% do return(counts.numOutputRows - counts.numCopiedRows) %}
{% endmacro %}

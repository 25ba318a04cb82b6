{#
  Checks the connection, the engine, the store and every model of a kind, and reports each problem with its consequence
  and its remedy. Writes nothing.
  With `raises` the operation fails if it finds an error, so that a job fails.
#}
{% macro doctor(select=none, raises=true) %}
  {% do dbt_kinds.check_adapter('doctor') %}
  {% set nodes, findings = dbt_kinds.selected_models(select), [] %}
  {% set facts = dbt_kinds._engine_facts() %}
  {% do dbt_kinds._look_at_engine(facts, nodes, findings) %}
  {% set unreadable = dbt_kinds._look_at_store(facts, findings) %}
  {% for node in nodes if '' not in unreadable and dbt_kinds.options_of(node).relation not in unreadable %}
    {% do dbt_kinds._look_at_model(node, facts, findings) %}
  {% endfor %}
  {% set errors = findings | selectattr('severity', 'eq', 'error') | list %}
  {% do dbt_kinds.print_answer('doctor', {'facts': facts, 'findings': findings, 'models': nodes | length}) %}
  {% if errors and raises %}
    {% do exceptions.raise_compiler_error('dbt_kinds: doctor found '
      ~ dbt_kinds.counted(errors | length, 'error', 'errors') ~ ': ' ~ errors | map(attribute='wrong') | join('; ')) %}
  {% endif %}
{% endmacro %}


{% macro _finding(findings, severity, about, wrong, leads_to, remedy) %}
  {% do findings.append({'severity': severity, 'about': about, 'wrong': wrong, 'leads_to': leads_to,
    'remedy': remedy}) %}
{% endmacro %}


{# The session's settings; none for one that is not set, or that cannot be asked for: a SQL warehouse of Databricks
   refuses it. #}
{% macro _engine_facts() %}
  {% set settings = {
    'ansi': 'spark.sql.ansi.enabled',
    'overwrite_mode': 'spark.sql.sources.partitionOverwriteMode',
    'lock': 'spark.hadoop.iceberg.engine.hive.lock-enabled',
    'refuses_type_changes': 'spark.hadoop.hive.metastore.disallow.incompatible.col.type.changes',
    'store_assignment': 'spark.sql.storeAssignmentPolicy',
  } %}
  {% set facts = {'dbt': dbt_version, 'adapter': adapter.type(),
    'spark': (run_query('select version()').rows[0][0] | string).split(' ')[0],
    'time_zone': run_query('select current_timezone()').rows[0][0] | string} %}
  {% for name, setting in settings.items() %}
    {% set value = run_query('set ' ~ dbt_kinds.quoted(setting)).rows[0][1] | string
      if adapter.type() != 'databricks' else none %}
    {% do facts.update({name: none if value in [none, '<undefined>', 'None'] else value}) %}
  {% endfor %}
  {% set connection = dbt_kinds.credentials() %}
  {% do facts.update({'method': connection.method or none, 'poll_interval': connection.poll_interval or none}) %}
  {% do return(facts) %}
{% endmacro %}


{% macro _look_at_engine(facts, nodes, findings) %}
  {% set with_commits, of_files = [], [] %}
  {% for node in nodes %}
    {% set file_format = dbt_kinds.options_of(node).file_format %}
    {% do (with_commits if dbt_kinds.supports_snapshots(file_format) else of_files).append(file_format) %}
  {% endfor %}
  {% set is_server = facts.method is not none and facts.method != 'session' %}
  {% if is_server and facts.poll_interval is not none and facts.poll_interval | float > 1 %}
    {% do dbt_kinds._finding(findings, 'warning', 'profile', 'poll_interval is ' ~ facts.poll_interval,
      'dbt-spark polls each statement only every ' ~ facts.poll_interval
      ~ ' seconds, and a run sends 6 to 20 statements', 'poll_interval: 1 in the output of profiles.yml') %}
  {% endif %}
  {% if is_server and 'iceberg' in with_commits and (facts.lock or '') | lower == 'false' %}
    {% do dbt_kinds._finding(findings, 'error', 'catalog',
      "the lock of Hive's catalog is off (iceberg.engine.hive.lock-enabled)",
      'if two runs commit to one Iceberg table at the same time, one commit is silently lost',
      'start the server without spark.hadoop.iceberg.engine.hive.lock-enabled=false') %}
  {% endif %}
  {% if (facts.store_assignment or '') | upper == 'LEGACY' and with_commits %}
    {% do dbt_kinds._finding(findings, 'error', 'session', 'spark.sql.storeAssignmentPolicy is LEGACY',
      'Spark refuses every write to an Iceberg or Delta table',
      "server_side_parameters: {'spark.sql.storeAssignmentPolicy': ANSI} in profiles.yml") %}
  {% endif %}
  {% if of_files and not dbt_kinds.is_utc(facts.time_zone) %}
    {% do dbt_kinds._finding(findings, 'warning', 'session', 'the time zone of the session is ' ~ facts.time_zone,
      'Parquet and ORC tables that are partitioned by a timestamp are refused',
      "server_side_parameters: {'spark.sql.session.timeZone': UTC} in profiles.yml") %}
  {% endif %}
{% endmacro %}


{# Returns the relations whose events cannot be read; an empty name stands for rows that name none, at which every run
   stops. #}
{% macro _look_at_store(facts, findings) %}
  {% set store = dbt_kinds.find_store(refresh=true) %}
  {% do facts.update({'store': dbt_kinds.store_table() | string,
    'store_format': none if store is none else store.file_format}) %}
  {% if store is none %}
    {% do return([]) %}
  {% endif %}
  {% set is_unreadable = 'relation is null or recorded_at is null or ' ~ dbt_kinds.is_unreadable_sql() %}
  {% set counts = dbt_kinds.query_rows('select count(*) as events, count(distinct file) as files, count_if(is_unreadable) as unreadable, '
    ~ "sort_array(collect_set(if(is_unreadable, coalesce(relation, ''), null))) as relations from (select *, input_file_name() as file, " ~ is_unreadable ~ ' as is_unreadable from '
    ~ dbt_kinds.store_source() ~ ')')[0] %}
  {% do facts.update({'events': counts.events, 'files': counts.files}) %}
  {% if counts.unreadable %}
    {% do dbt_kinds._finding(findings, 'error', 'store',
      dbt_kinds.counted(counts.unreadable, 'row', 'rows') ~ ' of ' ~ facts.store ~ ' cannot be read as events',
      'every run stops at them, and no table was checked' if '' in counts.relations
        else 'runs of ' ~ counts.relations[:5] | join(', ') ~ (', …' if counts.relations | length > 5 else '')
        ~ ' stop at them',
      'correct them; or drop them, and what they recorded is loaded again: '
        ~ "dbt run-operation dbt_kinds.compact_store --args '{drop_unreadable: true}'") %}
  {% endif %}
  {% if counts.files > 500 %}
    {% do dbt_kinds._finding(findings, 'warning', 'store',
      'the store has ' ~ dbt_kinds.thousands(counts.files) ~ ' files', 'every run reads all of them when it begins',
      'dbt run-operation dbt_kinds.compact_store, on a schedule') %}
  {% endif %}
  {% for claim in dbt_kinds.open_claims(dbt_kinds.read_last_runs()) if not dbt_kinds.is_live(claim) %}
    {% do dbt_kinds._finding(findings, 'warning', claim.relation,
      'invocation ' ~ claim.invocation_id ~ ' died while it held the lease; its last sign of life is of '
        ~ claim.last_sign_of_life[:19],
      'what it was loading is missing until the next run', 'dbt run') %}
  {% endfor %}
  {% do return(counts.relations) %}
{% endmacro %}


{% macro _look_at_model(node, facts, findings) %}
  {% set options, relation = dbt_kinds.options_of(node), dbt_kinds.relation_of_node(node) %}
  {% set found, events = dbt_kinds.relation_type(relation), dbt_kinds.events_of(options.relation) %}
  {% set is_recorded = dbt_kinds.loads_of(options.relation) != [] %}
  {% set early = dbt_kinds.early_ticks(options, dbt_kinds.run_settings(node.name).execution_time) %}
  {% do dbt_kinds._finding(findings, 'warning', options.relation, early.is, early.leads_to, early.remedy)
    if early is not none %}
  {% if found == 'view' %}
    {% do dbt_kinds._finding(findings, 'error', options.relation, 'it is a view',
      'a run of ' ~ options.model ~ ' replaces it by a table', 'drop the view, or give the model another alias') %}
    {% do return(none) %}
  {% elif found is none %}
    {% if is_recorded %}
      {% do dbt_kinds._finding(findings, 'warning', options.relation,
        'it is recorded as loaded, and there is no such table', 'the next run loads all of it from start',
        'dbt run -s ' ~ options.model
        ~ ', or put the table back') %}
    {% endif %}
    {% do return(none) %}
  {% endif %}
  {% set table = dbt_kinds.describe_table(relation) %}
  {% if table.file_format != options.file_format %}
    {% do dbt_kinds._finding(findings, 'error', options.relation,
      'the table is ' ~ table.file_format ~ ', and file_format of ' ~ options.model ~ ' says ' ~ options.file_format,
      'the next run is refused, or rebuilds it',
      "config(file_format='" ~ table.file_format ~ "'), or --full-refresh") %}
  {% elif options.traits.filters_by_time and dbt_kinds.is_file_format(table.file_format) and not table.partitioning %}
    {% do dbt_kinds._finding(findings, 'error', options.relation,
      'the table of ' ~ table.file_format ~ ' has no partitions',
      'a range of it cannot be replaced, and the next run is refused',
      'dbt run -s ' ~ options.model ~ ' --full-refresh') %}
  {% elif dbt_kinds.differing_partitions(options, table.partitioning) is not none %}
    {% do dbt_kinds._finding(findings, 'warning', options.relation,
      dbt_kinds.differing_partitions(options, table.partitioning), 'it keeps its partitions',
      dbt_kinds.rebuild_partitions(options, table.partitioning)) %}
  {% endif %}
  {% set put_back = [] if options.traits.replaces_table and not options.traits.is_change_driven
    else dbt_kinds.intervals_put_back(relation, table.file_format, options.relation) %}
  {% if put_back %}
    {% set forgets = options.traits.filters_by_time or options.traits.appends_rows %}
    {% set spans = [] %}
    {% for start, end in put_back %}{% do spans.append(start ~ ' to ' ~ end) %}{% endfor %}
    {% do dbt_kinds._finding(findings, 'error', options.relation,
      'the table was put back to an older version, from before it was loaded with what is recorded: '
        ~ spans | join(', '),
      'no run loads it again', 'put the newest version back, or: '
        ~ ("dbt run-operation dbt_kinds.forget --args '{select: " ~ options.model ~ ', start: ' ~ put_back[0][0]
        ~ ', end: ' ~ put_back[-1][1] ~ "}'"
      if forgets else 'dbt run --full-refresh -s ' ~ options.model)) %}
  {% endif %}
  {% if not events and (options.get('capture') is not none or not options.traits.ignores_intervals)
      and dbt_kinds.has_rows(relation) %}
    {% do dbt_kinds._finding(findings, 'warning', options.relation, 'the table is there, and nothing is recorded of it',
      'the next run loads all of it again',
      "dbt run-operation dbt_kinds.adopt --args '{select: " ~ options.model ~ "}'") %}
  {% endif %}
  {% set left = dbt_kinds.left_stages(relation) %}
  {% if left and not dbt_kinds.is_claimed_by_others(options) %}
    {% do dbt_kinds._finding(findings, 'warning', options.relation,
      dbt_kinds.counted(left | length, 'stage', 'stages') ~ ' of a run that died beside it: ' ~ left | join(', '),
      'they take room until the next run drops them',
      'dbt run -s ' ~ options.model) %}
  {% endif %}
  {% if dbt_kinds.open_write(options.relation) is not none %}
    {% do dbt_kinds._finding(findings, 'warning', options.relation,
      'a run died during a write that must not be repeated', 'the next run first checks whether that write happened',
      'dbt run -s ' ~ options.model) %}
  {% endif %}
{% endmacro %}

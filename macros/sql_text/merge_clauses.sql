{#
  The clauses of the option when_matched, which say what to do with an existing row:
  `{condition, action, assignments}`. Those that are given as mappings are read as the text that they stand for. Pure.
#}
{% macro merge_clauses(model, written) %}
  {% set example = 'when matched then update set target.a = source.a' %}
  {% set clauses = [] %}
  {% for text in dbt_kinds.option_texts(model, 'when_matched', dbt_kinds._clauses_as_text(model, written), example) %}
    {% set pieces = dbt_kinds.split_top_level(dbt_kinds.without_parentheses(dbt_kinds._without_end_marks(text)),
      'when') %}
    {% if pieces[0] or pieces | length == 1 %}
      {% do dbt_kinds.fail(model, "when_matched '" ~ text ~ "' does not begin with when matched; write " ~ example) %}
    {% endif %}
    {% for piece in pieces[1:] %}
      {% set clause = dbt_kinds._without_end_marks(piece) %}
      {% if clauses and clauses[-1].condition is none %}
        {% do dbt_kinds.fail(model, "when_matched has a clause 'when " ~ clause
          ~ "' behind one without a condition, which leaves it nothing; "
          ~ 'put it before that one, or remove it') %}
      {% endif %}
      {% do clauses.append(dbt_kinds._merge_clause(model,
        dbt_kinds.validate_sql_fragment(model, 'when_matched', clause))) %}
    {% endfor %}
  {% endfor %}
  {% if not clauses %}
    {% do dbt_kinds.fail(model, 'when_matched is empty; write ' ~ example ~ ', or remove the option') %}
  {% endif %}
  {% do return(clauses) %}
{% endmacro %}


{% macro _clauses_as_text(model, written) %}
  {% set is_clause = written is mapping
    and (written.action is defined or written.condition is defined or written.set is defined) %}
  {% set given = [written] if is_clause else written %}
  {% if given is string or given is mapping or given is not sequence %}
    {% do return(given) %}
  {% endif %}
  {% set texts = [] %}
  {% for clause in given %}
    {% do texts.append(dbt_kinds._clause_as_text(model, clause) if clause is mapping else clause) %}
  {% endfor %}
  {% do return(texts) %}
{% endmacro %}


{# `{condition, action, set}`: the condition may be left out, `set` too for all columns. #}
{% macro _clause_as_text(model, clause) %}
  {% set action, sets, condition = clause.get('action', 'update') | string | lower, clause.get('set'),
    clause.get('condition') %}
  {% set example = "write {condition: 'source.price > 0', action: update, set: {price: source.price}}, or action: delete" %}
  {% if clause.keys() | reject('in', ['condition', 'action', 'set']) | list or action not in ['update', 'delete']
      or (action == 'delete' and sets is not none)
      or (sets is not none and sets != '*' and (sets is not mapping or not sets)) %}
    {% do dbt_kinds.fail(model, "when_matched holds '" ~ clause ~ "', which is not a clause; " ~ example) %}
  {% endif %}
  {% set assignments = [] %}
  {% for column, expression in (sets if sets is mapping else {}).items() %}
    {% do assignments.append(dbt_kinds.quoted(column) ~ ' = '
      ~ dbt_kinds.without_comments(expression | string) | trim) %}
  {% endfor %}
  {% set text = 'when matched' ~ (' and ' ~ dbt_kinds.without_comments(condition | string) | trim
    if condition is not none else '') ~ ' then '
    ~ ('delete' if action == 'delete' else 'update set ' ~ (assignments | join(', ') or '*')) %}
  {% if dbt_kinds.split_top_level(text, 'when') | length != 2 or dbt_kinds.split_top_level(text, 'then') | length != 2
      or (assignments and dbt_kinds.split_top_level(text) | length != assignments | length) %}
    {% do dbt_kinds.fail(model, "when_matched holds '" ~ clause
      ~ "', whose condition or values are not one expression each; " ~ example) %}
  {% endif %}
  {% do return(text) %}
{% endmacro %}


{# The clauses of one text may have commas or semicolons between them. #}
{% macro _without_end_marks(text) %}
  {% do return(modules.re.sub('[\\s,;]+$', '', text)) %}
{% endmacro %}


{# One clause, parsed from the text after its `when`. #}
{% macro _merge_clause(model, clause) %}
  {% set sides = dbt_kinds.split_top_level(clause, 'then', most=1) %}
  {% set head = dbt_kinds.lexed_words(sides[0]) | map(attribute='text') | map('lower') | list %}
  {% if head[:2] == ['not', 'matched'] %}
    {% do dbt_kinds.fail(model,
      "when_matched has a clause 'when not matched'; remove it: rows that match nothing are inserted") %}
  {% elif head[:1] != ['matched'] %}
    {% do dbt_kinds.fail(model, "when_matched has a clause 'when " ~ clause
      ~ "', which does not begin with when matched; "
      ~ 'write when matched and <condition> then …') %}
  {% elif sides | length == 1 %}
    {% do dbt_kinds.fail(model, "when_matched has a clause 'when " ~ clause
      ~ "' without then; write then update set target.a = source.a, "
      ~ 'then update set *, or then delete behind its condition') %}
  {% elif head | length > 1 and (head[1] != 'and' or head | length == 2) %}
    {% do dbt_kinds.fail(model, "when_matched has a clause 'when " ~ sides[0]
      ~ " then'; between matched and then write "
      ~ 'and <condition>, or nothing') %}
  {% endif %}
  {% set condition = dbt_kinds.text_behind(sides[0], 2) if head | length > 1 else none %}
  {% set action = dbt_kinds.lexed_words(sides[1]) | map(attribute='text') | map('lower') | list %}
  {% if action == ['delete'] %}
    {% do return({'condition': condition, 'action': 'delete', 'assignments': none}) %}
  {% elif action == ['update', 'set', '*'] %}
    {% do return({'condition': condition, 'action': 'update', 'assignments': none}) %}
  {% elif action[:2] != ['update', 'set'] or action | length == 2 %}
    {% do dbt_kinds.fail(model, "when_matched says then '" ~ sides[1]
      ~ "'; write then update set target.a = source.a, then update set *, "
      ~ 'or then delete') %}
  {% endif %}
  {% set assignments = [] %}
  {% for assignment in dbt_kinds.split_top_level(dbt_kinds.text_behind(sides[1], 2)) %}
    {% do assignments.append(dbt_kinds._assignment(model, assignment)) %}
  {% endfor %}
  {% do return({'condition': condition, 'action': 'update', 'assignments': assignments}) %}
{% endmacro %}


{% macro _assignment(model, assignment) %}
  {% set sides = dbt_kinds.split_top_level(assignment, '=', most=1) %}
  {% if sides | length == 1 or not sides[0] or not sides[1] or sides[1][0] in '=>' %}
    {% do dbt_kinds.fail(model, "when_matched sets '" ~ assignment
      ~ "', which assigns nothing; write target.a = source.a") %}
  {% endif %}
  {% set column = dbt_kinds.lexed_words(sides[0]) %}
  {% if column | length == 3 and column[0].name | lower == 'target' and column[1].text == '.' %}
    {% set column = column[2:] %}
  {% endif %}
  {% if column | length != 1 or not column[0].name %}
    {% do dbt_kinds.fail(model, "when_matched assigns to '" ~ sides[0]
      ~ "', which is not a column of the table; write target.a = source.a") %}
  {% endif %}
  {% do return({'column': column[0].name, 'expression': sides[1]}) %}
{% endmacro %}

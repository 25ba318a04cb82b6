{#
  The clauses of the option when_matched, which say what to do with an existing row:
  `{condition, action, assignments}`. Pure.
#}
{% macro merge_clauses(model, written) %}
  {% set example = 'when matched then update set target.a = source.a' %}
  {% set clauses = [] %}
  {% for text in dbt_kinds.option_texts(model, 'when_matched', written, example) %}
    {% set pieces = dbt_kinds.split_top_level(dbt_kinds.without_parentheses(dbt_kinds._without_end_marks(text)), 'when') %}
    {% if pieces[0] or pieces | length == 1 %}
      {% do dbt_kinds.fail(model, "when_matched '" ~ text ~ "' does not begin with when matched; write " ~ example) %}
    {% endif %}
    {% for piece in pieces[1:] %}
      {% set clause = dbt_kinds._without_end_marks(piece) %}
      {% if clauses and clauses[-1].condition is none %}
        {% do dbt_kinds.fail(model, "when_matched has a clause 'when " ~ clause ~ "' behind one without a condition, which leaves it nothing; "
          ~ 'put it before that one, or remove it') %}
      {% endif %}
      {% do clauses.append(dbt_kinds._merge_clause(model, dbt_kinds.check_closed(model, 'when_matched', clause))) %}
    {% endfor %}
  {% endfor %}
  {% if not clauses %}
    {% do dbt_kinds.fail(model, 'when_matched is empty; write ' ~ example ~ ', or remove the option') %}
  {% endif %}
  {% do return(clauses) %}
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
    {% do dbt_kinds.fail(model, "when_matched has a clause 'when not matched'; remove it: rows that match nothing are inserted") %}
  {% elif head[:1] != ['matched'] %}
    {% do dbt_kinds.fail(model, "when_matched has a clause 'when " ~ clause ~ "', which does not begin with when matched; "
      ~ 'write when matched and <condition> then …') %}
  {% elif sides | length == 1 %}
    {% do dbt_kinds.fail(model, "when_matched has a clause 'when " ~ clause ~ "' without then; write then update set target.a = source.a, "
      ~ 'then update set *, or then delete behind its condition') %}
  {% elif head | length > 1 and (head[1] != 'and' or head | length == 2) %}
    {% do dbt_kinds.fail(model, "when_matched has a clause 'when " ~ sides[0] ~ " then'; between matched and then write "
      ~ 'and <condition>, or nothing') %}
  {% endif %}
  {% set condition = dbt_kinds.text_behind(sides[0], 2) if head | length > 1 else none %}
  {% set action = dbt_kinds.lexed_words(sides[1]) | map(attribute='text') | map('lower') | list %}
  {% if action == ['delete'] %}
    {% do return({'condition': condition, 'action': 'delete', 'assignments': none}) %}
  {% elif action == ['update', 'set', '*'] %}
    {% do return({'condition': condition, 'action': 'update', 'assignments': none}) %}
  {% elif action[:2] != ['update', 'set'] or action | length == 2 %}
    {% do dbt_kinds.fail(model, "when_matched says then '" ~ sides[1] ~ "'; write then update set target.a = source.a, then update set *, "
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
    {% do dbt_kinds.fail(model, "when_matched sets '" ~ assignment ~ "', which assigns nothing; write target.a = source.a") %}
  {% endif %}
  {% set column = dbt_kinds.lexed_words(sides[0]) %}
  {% if column | length == 3 and column[0].name | lower == 'target' and column[1].text == '.' %}
    {% set column = column[2:] %}
  {% endif %}
  {% if column | length != 1 or not column[0].name %}
    {% do dbt_kinds.fail(model, "when_matched assigns to '" ~ sides[0] ~ "', which is not a column of the table; write target.a = source.a") %}
  {% endif %}
  {% do return({'column': column[0].name, 'expression': sides[1]}) %}
{% endmacro %}

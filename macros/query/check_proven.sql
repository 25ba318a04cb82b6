{#
  Under kinds_require_safety: refuses a model that runs on slices of its source without a proof that it may, or with a
  proof of a different query. Applies only to kinds that dbt-kinds can prove safe.
#}
{% macro check_proven(node, settings) %}
  {% if not settings.require_safety or not dbt_kinds.traits_of(node).can_be_proven %}
    {% do return(none) %}
  {% endif %}
  {% set proof = dbt_kinds.meta_of(node).get('safety') %}
  {% set way_out = '; prove it with dbt-kinds check --fix, or compile it again, or drop kinds_require_safety' %}
  {% if proof is not mapping or not proof.get('query_hash') %}
    {% do dbt_kinds.fail(node.name,
      'kinds_require_safety: its query has no proof, because meta.safety '
        ~ ('has no query_hash' if proof is mapping else 'is missing') ~ way_out) %}
  {% elif proof.get('verdict') != 'admitted' %}
    {% do dbt_kinds.fail(node.name,
      "kinds_require_safety: meta.safety says '" ~ proof.get('verdict') ~ "' of its query, not admitted" ~ way_out) %}
  {% elif proof.query_hash != dbt_kinds.query_hash(node.raw_code) %}
    {% do dbt_kinds.fail(node.name,
      'kinds_require_safety: its query is not the one that was proven; it has been edited since' ~ way_out) %}
  {% endif %}
{% endmacro %}

{#
  The estimated cost of a plan's batches, `{seconds, rows, from_batches}`: that of the median batch of the same size
  among `known`, or of the nearest size, scaled by units.
  Numbers are none if nothing is known; they are informational only. Pure.
#}
{% macro estimate(plan, known, unit) %}
  {% if not plan.batches %}
    {% do return({'seconds': 0, 'rows': 0, 'from_batches': 0}) %}
  {% endif %}
  {% set by_size = {} %}
  {% for batch in known if batch.get('seconds') is not none %}
    {% do by_size.setdefault(dbt_kinds._units_in([batch.interval_start, batch.interval_end], unit), []).append(batch) %}
  {% endfor %}
  {% if not by_size %}
    {% do return({'seconds': none, 'rows': none, 'from_batches': 0}) %}
  {% endif %}
  {% set total, used, rate_of = namespace(seconds=0, rows=0), {}, {} %}
  {% for batch in plan.batches %}
    {% set size = dbt_kinds._units_in(batch, unit) %}
    {% if size not in rate_of %}
      {% set nearest = namespace(size=none, ratio=none) %}
      {% for other in by_size %}
        {% set ratio = ([size, other] | max) / ([size, other] | min) %}
        {% if nearest.ratio is none or ratio < nearest.ratio %}
          {% set nearest.size, nearest.ratio = other, ratio %}
        {% endif %}
      {% endfor %}
      {% set alike = by_size[nearest.size] %}
      {% do used.update({nearest.size: alike | length}) %}
      {% set rows = alike | map(attribute='rows_written') | select('defined') | reject('none') | list %}
      {% do rate_of.update({size: {
        'seconds': dbt_kinds._median(alike | map(attribute='seconds') | list) * size / nearest.size,
        'rows': dbt_kinds._median(rows) * size / nearest.size if rows else none,
      }}) %}
    {% endif %}
    {% set total.seconds = total.seconds + rate_of[size].seconds %}
    {% set total.rows = none if total.rows is none or rate_of[size].rows is none else total.rows + rate_of[size].rows %}
  {% endfor %}
  {% do return({
    'seconds': dbt_kinds.to_thousandths(total.seconds), 'rows': total.rows | int if total.rows is not none else none,
    'from_batches': used.values() | sum,
  }) %}
{% endmacro %}


{# The newest batches that runs loaded into some relations, by relation, up to 100 each. #}
{% macro newest_batches(relations) %}
  {% set source = dbt_kinds.store_source() if relations else none %}
  {% set found = {} %}
  {% if source is not none %}
    {% set literals = [] %}
    {% for relation in relations %}{% do literals.append(dbt_kinds.text_literal(relation)) %}{% endfor %}
    {% set sql %}
select relation, slice(sort_array(collect_list(struct(recorded_at, interval_start, interval_end, rows_written,
  seconds)), false), 1, 100) as batches
from {{ source }}
where event = 'loaded' and seconds is not null and relation in ({{ literals | join(', ') }})
group by relation
    {%- endset %}
    {% for row in dbt_kinds.query_rows(sql) %}
      {% do found.update({row.relation: row.batches}) %}
    {% endfor %}
  {% endif %}
  {% do return(found) %}
{% endmacro %}


{% macro _units_in(interval, unit) %}
  {% do return([dbt_kinds.unit_index_after(interval[1], unit) - dbt_kinds.unit_index(interval[0], unit), 1] | max) %}
{% endmacro %}


{% macro _median(numbers) %}
  {% set ordered, middle = numbers | sort, (numbers | length) // 2 %}
  {% do return(ordered[middle] if numbers | length % 2 else (ordered[middle - 1] + ordered[middle]) / 2) %}
{% endmacro %}

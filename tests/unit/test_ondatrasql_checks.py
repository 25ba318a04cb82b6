"""`@constraint`, `@audit` and `@warning`: what each check becomes, and that the package's tests take its arguments."""

from __future__ import annotations

import re
from typing import Any

import pytest

from dbt_kinds.readers.ondatrasql.arguments import read_call
from dbt_kinds.readers.ondatrasql.check_expressions import CheckProblem
from dbt_kinds.readers.ondatrasql.checks import Checks
from dbt_kinds.readers.ondatrasql.settings import read_settings
from tests.unit.ondatrasql import T, read
from tests.unit.test_generic_tests import MACROS

SETTINGS = read_settings(
    {
        "config/all.sql": "set variable alert_amount_threshold = 100; set variable least = 3; set variable best = 'it''s';"
        "create macro is_odd(x) as x = 1 or x = 3; create macro doubled(x) as x * 2;"
        "create macro broken(x) as frobnicate(x); create macro known(x) as x in (select id from raw.b);"
    }
)


def compares(aggregate: str, operator: str, value: Any, **more: Any) -> tuple[str, dict[str, Any]]:
    return "dbt_kinds.aggregate_compares", {"aggregate": aggregate, "operator": operator, "value": value, **more}


def forall(condition: str) -> tuple[str, dict[str, Any]]:
    return "dbt_kinds.forall", {"criteria": [condition]}


CHECKS: dict[str, tuple[str, dict[str, Any]]] = {
    "not_null(id)": ("not_null", {"column_name": "id"}),
    "unique(code)": ("dbt_kinds.unique_values", {"column": "code"}),
    "primary_key(id)": ("dbt_kinds.primary_key", {"columns": ["id"]}),
    "composite_unique('year, month')": ("dbt_kinds.unique_combination_of_columns", {"columns": ["year", "month"]}),
    "not_empty(name)": forall("name is not null and trim(cast(name as string)) <> ''"),
    "compare(age, >=, 0)": forall("age >= 0"),
    "compare(status, =, 'it''s')": forall("status = 'it\\'s'"),
    "compare(status, !=, gone)": forall("status != 'gone'"),
    "between(rating, 1, 5)": ("dbt_kinds.accepted_range", {"column": "rating", "min_v": 1, "max_v": 5}),
    "between(day, 2024-01-01, '2024-12-31')": ("dbt_kinds.accepted_range", {"column": "day", "min_v": "'2024-01-01'", "max_v": "'2024-12-31'"}),
    "in_list(status, 'active, inactive')": ("accepted_values", {"column_name": "status", "values": ["active", "inactive"]}),
    "not_in(role, 'deleted')": ("dbt_kinds.not_accepted_values", {"column": "role", "is_in": ["deleted"]}),
    "like(email, %@%)": ("dbt_kinds.match_like_pattern_list", {"column": "email", "patterns": ["%@%"]}),
    "not_like(name, %\\test%)": ("dbt_kinds.not_match_like_pattern_list", {"column": "name", "patterns": ["%\\\\test%"]}),
    "matches(phone, ^\\+[0-9]{1,3}(a|b))": ("dbt_kinds.match_regex_pattern_list", {"column": "phone", "patterns": ["\\A(?:^\\+[0-9]{1,3}(a|b))\\z"]}),
    "email(contact)": ("dbt_kinds.valid_email", {"column": "contact"}),
    "uuid(transaction_id)": ("dbt_kinds.valid_uuid", {"column": "transaction_id"}),
    "length_between(name, 1, 255)": ("dbt_kinds.string_length_between", {"column": "name", "min_v": 1, "max_v": 255}),
    "length_eq(code, 3)": ("dbt_kinds.string_length_equal", {"column": "code", "v": 3}),
    "references(customer_id, mart.customers, id)": ("relationships", {"column_name": "customer_id", "field": "id", "to": "mart.customers"}),
    "check(total, total >= 0 and total::int < 9)": forall("total >= 0 AND CAST(total AS INT) < 9"),
    "required_if(sent, status = 'delivered')": forall("not (status = 'delivered') or sent is not null"),
    "at_least_one(email)": compares("count(email)", ">", 0),
    "not_constant(status)": ("dbt_kinds.not_constant", {"column": "status"}),
    "null_percent(email, 10)": compares("100.0 * (count(*) - count(email)) / nullif(count(*), 0)", "<", 10, null_passes=True),
    "duplicate_percent(email, 2.5)": compares("100.0 * (count(*) - count(distinct email)) / nullif(count(*), 0)", "<", 2.5, null_passes=True),
    "distinct_count(status, >=, 3)": compares("count(distinct status)", ">=", 3),
    "sequential(id)": ("dbt_kinds.no_gaps", {"column": "id"}),
    "sequential_step(id, 5)": ("dbt_kinds.no_gaps", {"column": "id", "step": 5}),
    "no_overlap(a, b)": ("dbt_kinds.no_overlapping_ranges", {"start_column": "a", "end_column": "b"}),
    "valid_type(amount, DECIMAL)": forall("amount is null or try_cast(amount as decimal(18, 3)) is not null"),
    "no_nan(amount)": forall("not isnan(amount)"),
    "finite(amount)": forall("not isnan(amount) and abs(amount) < double('infinity')"),
    "row_count(>, 0)": ("dbt_kinds.number_of_rows", {"threshold": 0}),
    "row_count(>=, 100)": ("dbt_kinds.number_of_rows", {"threshold": 99}),
    "row_count(>=, 0)": compares("count(*)", ">=", 0),
    "row_count(=, 7)": compares("count(*)", "=", 7),
    "freshness(at, 24h)": compares("max(cast(at as timestamp))", ">=", "current_timestamp() - interval 24 hours"),
    "freshness(at, 7d)": compares("max(cast(at as timestamp))", ">=", "current_timestamp() - interval 7 days"),
    "mean(price, >=, 10)": compares("avg(price)", ">=", 10),
    "mean_between(price, 10, 99.5)": compares("avg(price)", "between", [10, 99.5]),
    "stddev(amount, 25)": compares("stddev_samp(amount)", "<", 25),
    "min(price, >=, 0)": compares("min(price)", ">=", 0),
    "max(day, <=, 2024-12-31)": compares("max(day)", "<=", "'2024-12-31'"),
    "sum(a + b, <, -1)": compares("sum(a + b)", "<", -1),
    "zscore(amount, 3)": ("dbt_kinds.z_score", {"column": "amount", "threshold": 3}),
    "percentile(latency, 0.95, <=, 500)": compares("percentile(latency, 0.95)", "<=", 500, null_passes=True),
    "median(amount, >=, 100)": compares("percentile(amount, 0.5)", ">=", 100),
    "entropy(status, >=, 1.0)": ("dbt_kinds.entropy", {"column": "status", "operator": ">=", "value": 1.0}),
    "low_entropy(status, 1)": ("dbt_kinds.entropy", {"column": "status", "operator": ">=", "value": 1}),
    "approx_distinct(id, >=, 1000)": compares("approx_count_distinct(id)", ">=", 1000),
    "cardinality(region, >=, 3)": compares("approx_count_distinct(region)", ">=", 3),
    "reconcile_count(raw.orders)": ("dbt_kinds.aggregate_reconciles", {"aggregate": "count(*)", "to": "raw.orders"}),
    "reconcile_sum(total, raw.orders, amount)": ("dbt_kinds.aggregate_reconciles", {"aggregate": "sum(total)", "their_aggregate": "sum(amount)", "to": "raw.orders"}),
    "column_exists(email)": compares("count(email)", ">=", 0),
    "column_type(price, DECIMAL(10, 2))": compares("max(typeof(price))", "=", "'decimal(10, 2)'", null_passes=True),
    "approaching_limit(amount)": compares("max(amount)", "<=", 90.0, null_passes=True),
    # macros of the project, and operators next to those of the test
    "check(odd, is_odd(id))": forall("(id = 1 OR id = 3)"),
    "check(odd, not is_odd(id) and v > 1)": forall("NOT (id = 1 OR id = 3) AND v > 1"),
    "sum(doubled(v), >, 1)": compares("sum((v * 2))", ">", 1),
    "compare(a or b, =, yes)": forall("(a OR b) = 'yes'"),
    "required_if(a in (1, 2), b)": forall("not (b) or (a IN (1, 2)) is not null"),
    "check(x, id in (with t as (select 1 as id) select id from t))": forall("id IN (WITH t AS (SELECT 1 AS id) SELECT id FROM t)"),
    "check(x, use > 1)": forall("use > 1"),
    # an apostrophe in a list of values is a letter, in one of columns a quote
    "in_list(name, 'it''s, b')": ("accepted_values", {"column_name": "name", "values": ["it\\'s", "b"]}),
    "in_list(name, '''a'', b\\c')": ("accepted_values", {"column_name": "name", "values": ["a", "b\\\\c"]}),
    "not_in(name, 'it''s, b')": ("dbt_kinds.not_accepted_values", {"column": "name", "is_in": ["it's", "b"]}),
    "composite_unique('left(name, 1), replace(name, '','', '''')')": ("dbt_kinds.unique_combination_of_columns", {"columns": ["LEFT(name, 1)", "REPLACE(name, ',', '')"]}),
}  # fmt: skip


@pytest.mark.parametrize("text", CHECKS)
def test_a_check_is_a_generic_test_with_arguments_that_it_takes(text: str) -> None:
    call = read_call(text)
    assert call is not None
    check = Checks(settings=SETTINGS).read(call)
    name, arguments = CHECKS[text]
    column = {"column_name": check.column} if check.column is not None else {}
    assert (check.test, {**column, **check.arguments, **check.tables}) == (name, arguments)
    if name.startswith("dbt_kinds."):
        assert "select" in getattr(MACROS, f"test_{name.removeprefix('dbt_kinds.')}")("db.t", **arguments)


@pytest.mark.parametrize(
    "text",
    [
        "not_null()", "not_null(a, b)", "not_null(a b)", "compare(a, =>, 1)", "compare(a, =, )", "between(a, 1)",
        "in_list(a, '')", "in_list(a, 'x,,y')", "matches(a)", "length_eq(a, -1)", "length_eq(a, x)", "row_count(>, many)",
        "row_count(>, 1.5)", "null_percent(a, some)", "percentile(a, 95, <, 1)", "freshness(a, 3w)", "freshness(a, soon)",
        "valid_type(a, NOTYPE)", "valid_type(a, BIT)", "check(a, b >)", "stddev(a, <, 3)", "sequential_step(a, 1.5)",
        "approaching_limit(a, 3)", "check(a, frobnicate(id) > 1)", "check(a, broken(id) > 1)", "check(a, is_odd(id, 3))",
        "check(a, id in (select id from raw.b))", "check(a, known(id))", "check(a, id in (select id from read_csv('x.csv')))",
        "check(a, getvariable('nobody') > 1)", "check(a, getvariable('incr_last_value') > 1)", "not_null(getvariable('least'))",
        "check(a, crm(id) > 1)",
    ],
)  # fmt: skip
def test_arguments_that_cannot_be_meant_are_invalid(text: str) -> None:
    call = read_call(text)
    assert call is not None
    with pytest.raises(CheckProblem) as problem:
        Checks(settings=SETTINGS, libraries=frozenset({"crm"})).read(call)
    assert problem.value.code.name == "InvalidCheck"
    assert text in problem.value.message


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("nonsense(a)", "UnknownCheck"),
        ("golden(tests/expected.csv)", "NotCarried"),
        ("sum_delta(a, 10)", "NotCarried"),
        ("approaching_limit(a)", "NotCarried"),
    ],
)
def test_a_check_that_is_not_known_or_not_carried_over_says_so(text: str, code: str) -> None:
    call = read_call(text)
    assert call is not None
    with pytest.raises(CheckProblem) as problem:
        Checks().read(call)
    assert problem.value.code.name == code


@pytest.mark.parametrize("text", ["a NOT NULL", "f(a", "f(a) b", "(a, b) UNIQUE", ">= 0", "f(a))", "f('a)"])
def test_what_is_no_call_is_none(text: str) -> None:
    assert read_call(text) is None


def test_expressions_of_checks_are_read_as_those_of_queries() -> None:
    found = read(
        {
            "config/all.sql": "create macro is_odd(x) as x = 1 or x = 3; set variable least = 3; set variable best = 'it''s';",
            T: "-- @constraint: check(odd, is_odd(id))\n-- @audit: check(v, v >= getvariable('least') and s <> getvariable('best'))\n"
            "-- @warning: check(v, v >= getvariable('least'))\n-- @warning: min(count_if(v), >, 1)\nselect id, v, s from raw.s",
        }
    )
    sql, yaml = found.texts()["models/mart/t.sql"], found.texts()["models/mart/t.yml"]
    assert "'criteria': ['(id = 1 OR id = 3)']" in sql
    assert "'criteria': ['v >= ' ~ var('least') ~ ' AND s <> ' ~ dbt_kinds.text_literal(var('best'))]" in sql
    assert "- v >= {{ var('least') }}" in yaml
    assert (found.found("error"), found.found("info", T)) == ([], [("FunctionDiffers", 4)])


def test_what_a_check_may_not_say_is_told_with_its_line() -> None:
    found = read({T: "-- @warning: not_null(id)\n-- @audit: check(x, frobnicate(id) > 1)\nselect id from raw.s"})
    assert found.found("error") == [("InvalidCheck", 2)]
    assert "CREATE FUNCTION" in next(one.message for one in found.findings if one.severity == "error")
    found = read(
        {
            T: "-- @audit: check(x, id in (select id from raw.b))\nselect id from raw.s",
            "models/raw/b.sql": "select 1 as id",
        }
    )
    assert found.found("error") == [("InvalidCheck", 1)]
    assert "references(<column>, raw.b, <its column>)" in found.findings[0].message


def test_constraints_see_the_batch_audits_the_table_and_warnings_are_tests() -> None:
    found = read(
        {
            "models/mart/customers.sql": "select 1 as id",
            T: "-- @constraint: not_null(id)\n-- @audit: references(id, mart.customers, id)\n-- @audit: reconcile_count(raw.s)\n"
            "-- @constraint: not_null(id)\n-- @warning: not_null(v)\n-- @warning: row_count(>, 5)\n-- @warning: references(v, raw.v, id)\n"
            "select id, v from raw.s",
        }
    )
    texts = found.texts()
    sql = texts["models/mart/t.sql"]
    audits = re.findall(r"\{'[\w.]+': \{.*?'over': '\w+'\}\}", sql)
    assert audits == [
        "{'not_null': {'column_name': 'id', 'name': 'not_null(id)', 'over': 'batch'}}",
        "{'not_null': {'column_name': 'id', 'name': 'not_null(id) 2', 'over': 'batch'}}",
        "{'relationships': {'column_name': 'id', 'field': 'id', 'to': \"ref('customers')\", 'name': 'references(id, mart.customers, id)', 'over': 'table'}}",
        "{'dbt_kinds.aggregate_reconciles': {'aggregate': 'count(*)', 'to': \"source('raw', 's')\", 'name': 'reconcile_count(raw.s)', 'over': 'table'}}",
    ]
    assert "-- depends_on: {{ ref('customers') }}" in sql
    yaml = texts["models/mart/t.yml"]
    assert "severity: warn" in yaml
    assert "dbt_kinds.number_of_rows" in yaml
    assert "to: source('raw', 'v')" in yaml
    assert "name: v" in texts["models/sources.yml"]


def test_a_check_of_its_own_table_sees_it_as_it_will_be_and_is_no_dependency() -> None:
    found = read(
        {
            T: "-- @audit: references(parent, mart.t, id)\n-- @constraint: references(parent, lake.mart.t, id)\nselect id, parent from raw.s",
            "models/mart/h.sql": "-- @kind: scd2\n-- @unique_key: id\n-- @constraint: references(parent, mart.h, id)\nselect id, parent from raw.s",
        }
    )
    texts = found.texts()
    sql = texts["models/mart/t.sql"]
    assert sql.count("{'relationships': {'column_name': 'parent', 'field': 'id', 'to': \"ref('t')\", ") == 2
    assert sql.count("'over': 'table'") == 2
    # a history's batch is all rows of the query
    assert "'to': \"ref('h')\", 'name': 'references(parent, mart.h, id)', 'over': 'batch'" in texts["models/mart/h.sql"]
    assert "depends_on" not in sql + texts["models/mart/h.sql"]
    assert (found.found("warning"), found.found("info", T)) == ([], [("ReadsItself", 2)])


@pytest.mark.parametrize("check", ["references(id, raw.o, customer)", "reconcile_count(mart.far)"])
def test_a_check_of_a_table_that_is_built_later_is_a_dbt_test(check: str) -> None:
    found = read(
        {
            T: f"-- @constraint: not_null(id)\n-- @audit: {check}\nselect id from raw.s",
            "models/raw/o.sql": "select id, id as customer from mart.t",
            "models/mart/far.sql": "select id from raw.o",
        }
    )
    texts = found.texts()
    assert "depends_on" not in texts["models/mart/t.sql"]
    assert re.findall(r"'name': '([^']*)'", texts["models/mart/t.sql"]) == ["not_null(id)"]
    assert re.findall(r"to: ref\('(\w+)'\)", texts["models/mart/t.yml"]) == ["o" if "raw.o" in check else "far"]
    assert "severity" not in texts["models/mart/t.yml"]
    assert found.found("warning") == [("NotCarried", 2)]


def test_checks_that_read_each_others_tables_are_in_no_cycle() -> None:
    found = read(
        {
            "models/mart/a.sql": "-- @audit: reconcile_count(mart.b)\nselect 1 as id",
            "models/mart/b.sql": "-- @audit: reconcile_count(mart.a)\nselect 1 as id",
            # reads the table of the old tool, and so is in no cycle
            "models/mart/c.sql": "-- @audit: reconcile_count(mart.d)\nselect 1 as id",
            "models/mart/d.sql": "select id from mart.e",
            "models/mart/e.sql": "select id from mart.c limit 10%",
        }
    )
    texts = found.texts()
    assert "-- depends_on: {{ ref('b') }}" in texts["models/mart/a.sql"]
    assert "to: ref('a')" in texts["models/mart/b.yml"]
    assert "-- depends_on: {{ ref('d') }}" in texts["models/mart/c.sql"]
    assert [name for name, text in texts.items() if "depends_on" in text] == ["models/mart/a.sql", "models/mart/c.sql"]
    assert found.found("warning") == [("NotCarried", 1)]

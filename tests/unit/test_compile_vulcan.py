"""Vulcan's semantic models, metrics and checks become dbt's semantic layer and tests."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from dbt_kinds.errors import CompileError
from dbt_kinds.readers.vulcan.expressions import element_name
from tests.unit.compiling import codes_of, read_files, write_files, written, written_files

USERS = """MODEL (name b2b.users, kind FULL, grains (user_id),
  columns (user_id INT, status TEXT, plan TEXT, signup_date DATE, year INT));
SELECT user_id, status, plan, signup_date, year FROM raw.users"""
SUBS = """MODEL (name b2b.subs, kind INCREMENTAL_BY_TIME_RANGE (time_column start_date),
  columns (id INT, user_id INT, mrr DOUBLE, status TEXT, end_date TIMESTAMP, start_date DATE));
SELECT id, user_id, mrr, status, end_date, start_date FROM raw.subs WHERE start_date BETWEEN @start_ds AND @end_ds"""
MODELS = {
    "config.yaml": "model_defaults: {dialect: postgres, start: 2025-01-01}\n",
    "external_models.yaml": "- name: raw.users\n- name: raw.subs\n",
    "models/users.sql": USERS,
    "models/subs.sql": SUBS,
}
ONE_A_FILE = """
kind: semantic
name: users
depends_on: b2b.users
description: Everyone
dimensions:
- status
- name: signup_date
  granularities: [{name: m, interval: 1 month}, {name: h, interval: 1 hour}, {name: q, interval: 15 minutes}]
measures:
- {name: total, type: count, expression: "{users.user_id}"}
segments:
- {name: paying, expression: "{users.plan} <> 'free'"}
"""
AS_MAP = """
semantic_models:
  b2b.users:
    alias: users
    description: Everyone
    dimensions:
      includes: [status, signup_date]
      enhancements:
      - name: signup_date
        granularities: [{name: m, interval: 1 month}, {name: h, interval: 1 hour}, {name: q, interval: 15 minutes}]
    measures:
      total: {type: count, expression: "{users.user_id}"}
    segments:
      paying: {expression: "{users.plan} <> 'free'"}
"""


def semantic(text: str, model: str = "users", **more: str) -> dict[str, Any]:
    written = written_files({**MODELS, "models/semantics/it.yml": text, **more})
    content = yaml.safe_load(written[f"models/b2b/{model}.yml"])
    (found,) = content["semantic_models"]
    made: dict[str, Any] = found
    return made


def said(files: dict[str, str]) -> set[str]:
    return codes_of(read_files({**MODELS, **files}))


@pytest.mark.parametrize("text", [ONE_A_FILE, AS_MAP])
def test_both_spellings_make_the_same_semantic_model(text: str) -> None:
    made = semantic(text)
    del made["config"]
    assert made == {
        "name": "users",
        "description": "Everyone",
        "model": "ref('users')",
        "defaults": {"agg_time_dimension": "signup_date"},
        "entities": [{"name": "users", "type": "primary", "expr": "user_id"}],
        "dimensions": [
            {"name": "status", "type": "categorical"},
            {"name": "signup_date", "type": "time", "type_params": {"time_granularity": "hour"}},
            {"name": "paying", "type": "categorical", "expr": "plan <> 'free'"},
        ],
        "measures": [{"name": "total", "agg": "count", "expr": "user_id"}],
    }


MEASURES = [
    ("type: count", {"agg": "sum", "expr": "1"}),
    ('type: count, expression: "*"', {"agg": "sum", "expr": "1"}),
    ("type: count, filters: [\"{users.status} = 'a'\"]", {"agg": "sum", "expr": "case when status = 'a' then 1 end"}),
    ('type: sum, expression: "{users.year}"', {"agg": "sum", "expr": "year"}),
    ('type: avg, expression: "{year}"', {"agg": "average", "expr": "year"}),
    ('type: min, expression: "{users.year}::INT"', {"agg": "min", "expr": "CAST(year AS INT)"}),
    ('type: max, expression: "{b2b.users.year}"', {"agg": "max", "expr": "year"}),
    ('type: count_distinct, expression: "{users.plan}"', {"agg": "count_distinct", "expr": "plan"}),
    ('type: count_distinct_approx, expression: "{users.plan}"', {"agg": "count_distinct", "expr": "plan"}),
    (
        'type: sum, expression: "{users.year}", filters: ["{users.status} = \'a\'", "{users.plan} = \'b\'"]',
        {"agg": "sum", "expr": "case when (status = 'a') and (plan = 'b') then year end"},
    ),
]


@pytest.mark.parametrize(("written", "measure"), MEASURES)
def test_measures_are_aggregations_of_an_expression(written: str, measure: dict[str, str]) -> None:
    made = semantic(f"semantic_models: {{b2b.users: {{measures: {{m_1: {{{written}}}}}}}}}")
    assert made["measures"] == [{"name": "m_1", **measure}]


NO_MEASURES = [
    'type: number, expression: "SUM({users.year}) / 2"',
    'type: boolean, expression: "{users.year} > 2"',
    'type: sum, expression: "{users.year}", rolling_window: {trailing: 7 days}',
    'type: sum, expression: "{subs.mrr}"',
    'type: count, filters: ["{subs.mrr} > 2"]',
    'type: sum, expression: "{users.nothing}"',
    "type: sum",
    'type: sum, expression: "sum(("',
]


@pytest.mark.parametrize("written", NO_MEASURES)
def test_what_dbt_does_not_aggregate_by_needs_a_person(written: str) -> None:
    text = f"semantic_models: {{b2b.users: {{measures: {{m_1: {{{written}}}}}}}}}"
    assert "measures" not in semantic(text)
    assert said({"models/semantics/it.yml": text}) == {"MeasureUnsupported"}


def test_columns_are_dimensions_but_those_left_out() -> None:
    made = semantic("semantic_models: {b2b.users: {dimensions: {excludes: [status, signup_date]}}}")
    # dbt keeps the words for times to itself
    assert [(item["name"], item.get("expr")) for item in made["dimensions"]] == [
        ("user_id", None),
        ("plan", None),
        ("year_value", "year"),
    ]


def test_types_of_columns_are_taken_from_the_query_where_none_are_declared() -> None:
    model = "MODEL (name b2b.t, kind FULL); SELECT a, CAST(b AS DATE) AS b, CURRENT_DATE AS c FROM raw.users"
    written = written_files({**MODELS, "models/t.sql": model, "models/semantics/t.yml": "models: {b2b.t: {}}"})
    (made,) = yaml.safe_load(written["models/b2b/t.yml"])["semantic_models"]
    assert [item["type"] for item in made["dimensions"]] == ["categorical", "time", "time"]
    assert made["primary_entity"] == made["name"] == "t_value"


def test_measures_without_a_time_are_dropped() -> None:
    text = "semantic_models: {b2b.users: {dimensions: {includes: [plan]}, measures: {m_1: {type: count}}}}"
    assert "measures" not in semantic(text)
    assert said({"models/semantics/it.yml": text}) == {"MeasureUnsupported"}


JOINS = [
    ("many_to_one", "{subs.user_id} = {users.user_id}", {"name": "users", "type": "foreign", "expr": "user_id"}, set()),
    ("one_to_one", "{users.user_id} = {subs.id}", {"name": "users", "type": "foreign", "expr": "id"}, set()),
    ("many_to_one", "{subs.status} = {users.plan}", {"name": "users_plan", "type": "foreign", "expr": "status"}, set()),
    ("one_to_many", "{subs.user_id} = {users.user_id}", None, {"PropertyDropped"}),
    ("many_to_many", "{subs.user_id} = {users.user_id}", None, {"JoinUnsupported"}),
    ("many_to_one", "{subs.user_id} = {users.user_id} AND 1 = 1", None, {"JoinUnsupported"}),
    ("many_to_one", "{subs.user_id} > {users.user_id}", None, {"JoinUnsupported"}),
    ("many_to_one", "{subs.user_id} = {other.user_id}", None, {"JoinUnsupported"}),
]


@pytest.mark.parametrize(("kind", "expression", "entity", "codes"), JOINS)
def test_joins_on_one_equality_are_foreign_entities(
    kind: str, expression: str, entity: dict[str, str] | None, codes: set[str]
) -> None:
    text = (
        "semantic_models:\n  b2b.users: {measures: {total: {type: count}}}\n"
        f'  b2b.subs: {{joins: {{users: {{type: {kind}, expression: "{expression}"}}}}}}\n'
    )
    made = semantic(text, "subs")
    assert made.get("entities", []) == ([entity] if entity else [])
    assert said({"models/semantics/it.yml": text}) == codes


METRICS = """
kind: metric
name: growth
measure: subs.mrr_total
ts: subs.start_date
granularity: month
dimensions: [users.plan]
segments: [subs.big]
description: Grows
"""
BOTH = """
semantic_models:
  b2b.users: {measures: {total: {type: count}}}
  b2b.subs:
    measures: {mrr_total: {type: sum, expression: "{subs.mrr}"}, total: {type: count}}
    segments: {big: {expression: "{subs.mrr} > 100"}}
"""


def test_a_metric_is_simple_over_its_measure() -> None:
    files = {**MODELS, "models/semantics/it.yml": BOTH, "models/metrics/growth.yml": METRICS}
    written = written_files(files)
    (metric,) = yaml.safe_load(written["models/metrics.yml"])["metrics"]
    assert metric == {
        "name": "growth",
        "label": "growth",
        "description": "Grows",
        "type": "simple",
        "type_params": {"measure": "mrr_total"},
        "filter": "{{ Dimension('subs__big') }} = true",
        "config": {"meta": {"origin": {"granularity": "month", "dimensions": ["users.plan"]}}},
    }
    (made,) = yaml.safe_load(written["models/b2b/subs.yml"])["semantic_models"]
    assert made["measures"][0]["agg_time_dimension"] == "start_date"
    # one name in two models is two names in dbt
    assert [measure["name"] for measure in made["measures"]] == ["mrr_total", "subs_total"]
    assert "models/kinds_time_spine.sql" in written and "models/kinds_time_spine.yml" in written
    assert "models/kinds_time_spine.sql" not in written_files(MODELS)


def test_a_measure_by_two_times_is_two_measures() -> None:
    metrics = "metrics:\n  by_start: {measure: subs.mrr_total, time: subs.start_date}\n  by_end: {measure: subs.mrr_total, time: subs.end_date}\n"
    written = written_files({**MODELS, "models/semantics/it.yml": BOTH, "models/metrics/two.yml": metrics})
    found = yaml.safe_load(written["models/metrics.yml"])["metrics"]
    assert [metric["type_params"]["measure"] for metric in found] == ["mrr_total", "mrr_total_by_end_date"]


@pytest.mark.parametrize(
    "metric",
    [
        "{measure: subs.nothing, ts: subs.start_date}",
        "{measure: none.total, ts: subs.start_date}",
        "{measure: subs.mrr_total, ts: users.signup_date}",
        "{measure: subs.mrr_total, ts: subs.nothing}",
        "{measure: subs.mrr_total, ts: subs.start_date, segments: [subs.nothing]}",
    ],
)
def test_metrics_that_dbt_cannot_say_need_a_person(metric: str) -> None:
    files = {"models/semantics/it.yml": BOTH, "models/metrics/it.yml": f"metrics: {{it_is: {metric}}}"}
    assert said(files) == {"MeasureUnsupported"}
    assert "models/metrics.yml" not in written_files({**MODELS, **files})


SHIPPED: list[tuple[str, str | None, str, dict[str, Any]]] = [
    ("missing_count(mrr) = 0", "mrr", "not_null", {}),
    ("missing_percent(mrr) = 0", "mrr", "not_null", {}),
    ("missing_percent(mrr) < 5", "mrr", "dbt_kinds.not_null_proportion", {"threshold": 0.95}),
    ("row_count > 10", None, "dbt_kinds.number_of_rows", {"threshold": 10}),
    ("row_count >= 10", None, "dbt_kinds.number_of_rows", {"threshold": 9}),
    ("duplicate_count(id) = 0", None, "dbt_kinds.unique_combination_of_columns", {"columns": ["id"]}),
    (
        "duplicate_count(id, user_id) = 0",
        None,
        "dbt_kinds.unique_combination_of_columns",
        {"columns": ["id", "user_id"]},
    ),
    ("avg(mrr) between 1 and 2.5", "mrr", "dbt_kinds.mean_in_range", {"min_v": 1, "max_v": 2.5}),
    ("stddev(mrr) < 5", "mrr", "dbt_kinds.stddev_in_range", {"max_v": 5, "inclusive": False}),
    ("min(mrr) >= 0", "mrr", "dbt_kinds.accepted_range", {"min_v": 0}),
    ("max(mrr) <= 1_000", "mrr", "dbt_kinds.accepted_range", {"max_v": 1000}),
]


@pytest.mark.parametrize(("rule", "column", "name", "arguments"), SHIPPED)
def test_checks_with_a_test_that_says_the_same_are_that_test(
    rule: str, column: str | None, name: str, arguments: dict[str, Any]
) -> None:
    project = read_files({**MODELS, "dq/subs.yml": f"kind: dq\nname: p\ndepends_on: b2b.subs\nrules: ['{rule}']\n"})
    (test,) = next(model for model in project.models if model.node == "subs").tests
    assert (test.name, test.column, test.arguments, test.config) == (name, column, arguments, {"severity": "warn"})


QUERIES = [
    ("row_count between 1 and 5", "count(*)", "between 1 and 5"),
    ("row_count < 5", "count(*)", "< 5"),
    ("missing_count(mrr) <= 3", "count(*) - count(mrr)", "<= 3"),
    ("distinct_count(id) >= 2", "count(distinct id)", ">= 2"),
    ("sum(mrr) <> -1", "sum(mrr)", "<> -1"),
    ("percentile(mrr, 95) < 10", "percentile(mrr, 0.95)", "< 10"),
    ("avg(mrr) = 1", "avg(mrr)", "= 1"),
]


@pytest.mark.parametrize(("rule", "value", "condition"), QUERIES)
def test_other_thresholds_are_queries_of_their_own(rule: str, value: str, condition: str) -> None:
    pack = f"kind: dq\nname: p\ndepends_on: b2b.subs\nfilter: \"status = 'a'\"\nrules:\n- {rule}: {{name: It's it}}\n"
    text = written_files({**MODELS, "dq/subs.yml": pack})["tests/it_s_it.sql"]
    assert " ".join(text.split()) == (
        f"{{{{ config(severity='warn') }}}} select value from ( select {value} as value from {{{{ ref('subs') }}}} "
        f"where status = 'a' ) as measured where not (value {condition})"
    )


def test_duplicates_are_counted_as_values_that_occur_twice() -> None:
    pack = "kind: dq\nname: p\ndepends_on: b2b.subs\nrules:\n- duplicate_count(id, user_id) < 3: {name: few}\n"
    text = " ".join(written_files({**MODELS, "dq/subs.yml": pack})["tests/few.sql"].split())
    assert "from (select count(*) as copies from {{ ref('subs') }} group by id, user_id) as groups" in text


def test_failed_rows_are_a_query() -> None:
    pack = """
kind: dq
name: p
depends_on: b2b.subs
rules:
- failed rows:
    name: orphans
    description: Nobody has them
    fail query: |
      SELECT s.id FROM b2b.subs AS s
      LEFT JOIN b2b.users AS u ON s.user_id = u.user_id::INT WHERE u.user_id IS NULL
    samples limit: 3
- failed rows: {name: negative, fail condition: mrr < 0}
"""
    written = written_files({**MODELS, "dq/subs.yml": pack})
    assert "FROM {{ ref('subs') }} AS s\nLEFT JOIN {{ ref('users') }} AS u" in written["tests/orphans.sql"]
    assert "select *\nfrom {{ ref('subs') }}\nwhere mrr < 0" in written["tests/negative.sql"]
    assert yaml.safe_load(written["tests/tests.yml"])["data_tests"] == [
        {"name": "orphans", "description": "Nobody has them"}
    ]


def test_a_table_that_stands_twice_keeps_both_of_its_filters() -> None:
    text = """
checks:
  b2b.users:
    filter: "plan = 'a'"
    completeness: [row_count > 1]
  b2b.users:
    filter: "plan = 'b'"
    completeness:
    - row_count > 2:
        name: enough
        filter: status = 'x'
        attributes: {description: All of them, severity: error, tags: [t]}
"""
    project = read_files({**MODELS, "checks/users.yml": text})
    one, two = next(model for model in project.models if model.node == "users").tests
    assert one.config["where"] == "plan = 'a'"
    assert two.config == {
        "severity": "warn",
        "tags": ["t"],
        "meta": {"origin": {"severity": "error", "dimension": "completeness"}},
        "where": "(plan = 'b') and (status = 'x')",
    }
    assert (two.label, two.description) == ("enough", "All of them")


def test_the_time_of_the_run_is_a_time_variable() -> None:
    pack = "kind: dq\nname: p\ndepends_on: b2b.subs\nrules:\n- row_count > 0: {name: fresh, filter: \"start_date > '${execution_ds}'\"}\n"
    text = written_files({**MODELS, "dq/subs.yml": pack})["tests/fresh.sql"]
    assert "where start_date > {{ dbt_kinds.execution_ds() }}" in text


SAID = [
    ("anomaly detection for row_count", {"HistoryCheck"}),
    ("change for avg(mrr) >= -20%", {"HistoryCheck"}),
    ("row_count >= 95% of historical_avg(row_count)", {"HistoryCheck"}),
    ("freshness(x) < 1d", {"UnknownAudit"}),
    ("wobble(mrr) < 1", {"UnknownAudit"}),
    ("row_count > -1", {"AuditArgument"}),
    ("missing_percent(mrr) < 500", {"AuditArgument"}),
    ("avg(mrr) between 5 and 1", {"AuditArgument"}),
    ("failed rows", {"BadPropertyValue"}),
]


@pytest.mark.parametrize(("rule", "codes"), SAID)
def test_checks_that_dbt_cannot_say_are_said(rule: str, codes: set[str]) -> None:
    assert said({"dq/subs.yml": f"kind: dq\nname: p\ndepends_on: b2b.subs\nrules: ['{rule}']\n"}) == codes


def test_names_fit_the_rule_of_dbt() -> None:
    names = ["a", "Year", "_x__y_", "9lives", "ok_name", "", "Größe"]
    assert [element_name(name) for name in names] == [
        "a_value", "year_value", "x_y", "n_9lives", "ok_name", "n_value", "gr_e",
    ]  # fmt: skip


ALL = {
    "models/semantics/it.yml": BOTH
    + '    joins: {users: {type: many_to_one, expression: "{subs.user_id} = {users.user_id}"}}\n',
    "models/semantics/u.yml": "metrics: {all_of: {measure: users.total, time: users.signup_date}}\n",
    "models/metrics/growth.yml": METRICS,
    "dq/subs.yml": "kind: dq\nname: p\ndepends_on: b2b.subs\nfilter: \"status = 'a'\"\nrules:\n"
    + "".join(f"- '{rule}'\n" for rule, *_ in [*SHIPPED, *QUERIES])
    + "- failed rows: {name: wrong, description: Wrong, fail query: SELECT * FROM b2b.subs WHERE mrr < 0}\n",
    "tests/test_users.yaml": "test_users:\n  model: b2b.users\n  inputs: {raw.users: [{user_id: 1, signup_date: 2025-01-01}]}\n  outputs: {query: [{user_id: 1}]}\n",
    "models/frame.py": 'from vulcan import model\n@model("b2b.frame", kind="FULL", columns={"n": "int"})\n'
    "def execute(context, start, **kwargs):\n    return context.table('b2b.users').head(3)\n",
}


def test_dbt_parses_what_is_written(tmp_path: Path) -> None:
    from dbt_kinds.operate.dbt import DbtOptions, invoke

    package = tmp_path / "dbt_packages" / "dbt_kinds"
    package.mkdir(parents=True)
    for part in ("dbt_project.yml", "macros"):
        (package / part).symlink_to(Path(__file__).parent.parent.parent / part)
    config = {"config.yaml": MODELS["config.yaml"].replace("postgres", "databricks")}
    write_files(tmp_path, written_files({**MODELS, **ALL, **config}, "databricks"))
    profile = {"type": "spark", "method": "session", "schema": "dev", "host": "x"}
    profiles = {"compiled": {"target": "dev", "outputs": {"dev": profile}}}
    (tmp_path / "profiles.yml").write_text(yaml.safe_dump(profiles))
    (tmp_path / "packages.yml").write_text("packages: [{local: package}]\n")
    options = DbtOptions(project_dir=str(tmp_path), profiles_dir=str(tmp_path))
    manifest = invoke(["--no-write-json", "--no-partial-parse", "parse"], options, quiet=True)
    assert sorted(metric.name for metric in manifest.metrics.values()) == ["all_of", "growth"]
    assert sorted(found.name for found in manifest.semantic_models.values()) == ["subs", "users"]
    assert [test.name for test in manifest.unit_tests.values()] == ["test_users"]
    tests = [node for node in manifest.nodes.values() if node.resource_type == "test"]
    assert len(tests) == len(SHIPPED) + len(QUERIES) + 1
    assert all(test.config.severity.lower() == "warn" for test in tests)
    frame = next(node for node in manifest.nodes.values() if node.name == "frame")
    assert (frame.language, frame.config.materialized) == ("python", "table")
    assert [name.split(".")[-1] for name in frame.depends_on.nodes] == ["users"]


WHOLE = ONE_A_FILE + "---" + BOTH + "---" + METRICS + "---\n" + ALL["dq/subs.yml"]


def test_a_query_of_a_check_reads_the_old_table_of_a_refused_model() -> None:
    pack = """
kind: dq
name: p
depends_on: b2b.subs
rules:
- failed rows: {name: wrong, fail query: SELECT 1 FROM b2b.gone}
- row_count > 0
"""
    gone = {"models/gone.sql": "MODEL (name b2b.gone, kind CUSTOM (materialization x)); SELECT 1 AS n"}
    written = written_files({**MODELS, **gone, "dq/subs.yml": pack})
    assert "{{ source('b2b', 'gone') }}" in written["tests/wrong.sql"]
    about_gone = pack.replace("b2b.subs", "b2b.gone")
    assert "UnknownAudit" in codes_of(read_files({**MODELS, **gone, "dq/subs.yml": about_gone}))


@pytest.mark.parametrize("folder", ["models/semantics", "models", "semantics", "models/metrics/deep", "dq", "checks"])
def test_files_are_found_in_every_folder_of_vulcans(folder: str) -> None:
    written = written_files({**MODELS, f"{folder}/it.yaml": ONE_A_FILE})
    assert "semantic_models:" in written["models/b2b/users.yml"]


@pytest.mark.parametrize(
    ("files", "tool", "is_read"),
    [
        ({}, None, False),
        ({}, "vulcan", True),
        ({"models/more.yml": "kind: metric"}, None, True),
        ({"checks/subs.yml": ""}, None, True),
        ({"checks/subs.yml": ""}, "sqlmesh", False),
        ({"models/a.sql": "MODEL (name b2b.a, assertions (not_null(columns := (n)))); SELECT 1 AS n"}, None, True),
        ({"models/a.sql": "MODEL (name b2b.a, columns (assertions INT)); SELECT 1 AS assertions"}, None, False),
    ],
)
def test_yaml_among_the_models_is_read_in_projects_of_vulcan_alone(
    files: dict[str, str], tool: str | None, is_read: bool, tmp_path: Path
) -> None:
    report = written({**MODELS, "models/models.yml": "- name: x\n  hooks: []\n", **files}, tmp_path, tool=tool)
    assert ("models/models.yml" in {note.place.file for note in report.all_notes()}) == is_read


def test_compiling_twice_writes_the_same_bytes() -> None:
    assert written_files({**MODELS, **ALL}) == written_files({**MODELS, **ALL})


def test_assertions_of_all_models_are_asked_of_each() -> None:
    config = (
        "model_defaults:\n  dialect: postgres\n  start: 2025-01-01\n  assertions: [not_null(columns := (status))]\n"
    )
    files = written_files({**MODELS, "config.yaml": config})
    for model in ("users", "subs"):
        assert "{'not_null': {'column_name': 'status'}}" in files[f"models/b2b/{model}.sql"]
    with pytest.raises(CompileError, match="say the same"):
        written_files({**MODELS, "config.yaml": config + "  audits: [unique_values(columns := (status))]\n"})

"""Unit tests of SQLMesh's form become dbt's."""

from __future__ import annotations

from typing import Any

import pytest
import yaml

from tests.unit.compiling import codes_of, notes_of, read_files, written_files

MODELS = {
    "models/items.sql": "MODEL (name db.items, kind FULL); SELECT id, name, tags FROM raw.items",
    "models/daily.sql": """
MODEL (name db.daily, kind INCREMENTAL_BY_TIME_RANGE (time_column day), columns (day DATE, n INT, label TEXT));
SELECT i.day, count(*) AS n, @label AS label FROM db.items AS i JOIN raw.more AS m USING (id)
WHERE i.day BETWEEN @start_ds AND @end_ds GROUP BY i.day""",
}
CONFIG = "model_defaults: {dialect: spark, start: 2025-01-01}\nvariables: {label: x}\n"


def unit_test(body: str, **more: str) -> dict[str, Any]:
    files = {"config.yaml": CONFIG, **MODELS, "tests/test_daily.yaml": body, **more}
    written = written_files(files)
    assert "models/db/daily.yml" in written, notes_of(read_files(files))
    content = yaml.safe_load(written["models/db/daily.yml"])
    (test,) = content["unit_tests"]
    found: dict[str, Any] = test
    return found


def codes(body: str, **more: str) -> set[str]:
    return codes_of(read_files({"config.yaml": CONFIG, **MODELS, "tests/test_daily.yaml": body, **more})) - {
        "UndeclaredSource"
    }


WHOLE = """
test_days:
  model: db.daily
  description: Days are counted
  inputs:
    db.items:
      rows:
      - id: 1
        day: 2025-01-02
  outputs:
    query:
      rows:
      - day: 2025-01-02
        n: 1
  vars:
    start: 2025-01-01
    end: 2025-01-03
    execution_time: 2025-01-04 00:00:00
    label: y
"""


def test_a_test_becomes_given_and_expect() -> None:
    assert unit_test(WHOLE) == {
        "name": "test_days",
        "model": "daily",
        "description": "Days are counted",
        "given": [
            {"input": "ref('items')", "rows": [{"id": 1, "day": "2025-01-02"}]},
            {"input": "source('raw', 'more')", "rows": []},
        ],
        # columns that are left out are expected to be NULL
        "expect": {"rows": [{"day": "2025-01-02", "n": 1, "label": None}]},
        "overrides": {
            "vars": {
                "kinds_start": "2025-01-01",
                # theirs includes its day
                "kinds_end": "2025-01-04",
                "kinds_execution_time": "2025-01-04 00:00:00",
                "label": "y",
            }
        },
    }
    assert codes(WHOLE) == set()


@pytest.mark.parametrize(
    "where", ["outputs:\n    partial: true\n    query:", "outputs:\n    query:\n      partial: true"]
)
def test_a_partial_test_compares_the_columns_it_names(where: str) -> None:
    assert unit_test(WHOLE.replace("outputs:\n    query:", where))["expect"] == {
        "rows": [{"day": "2025-01-02", "n": 1}]
    }


ROWS = [
    ("[{id: 1, day: a}, {id: 2}]", {"rows": [{"id": 1, "day": "a"}, {"id": 2}]}),
    ("{rows: []}", {"rows": []}),
    ('{format: csv, rows: "id,day\\n1,a\\n2,\\n"}', {"rows": [{"id": "1", "day": "a"}, {"id": "2", "day": None}]}),
    ("{format: csv, csv_settings: {sep: '#'}, rows: \"id#day\\n1#a\"}", {"rows": [{"id": "1", "day": "a"}]}),
    ("{path: tests/rows.yaml}", {"rows": [{"id": 7}]}),
    ("{path: tests/rows.csv, format: csv}", {"rows": [{"id": "8"}]}),
    ("{query: 'SELECT 1 AS id'}", {"format": "sql", "rows": "SELECT 1 AS id"}),
    ("{rows: [{id: 1, tags: [a, b]}]}", {"format": "sql", "rows": "select 1 as id, ARRAY('a', 'b') as tags"}),
    ("{rows: [{id: yes, day: 0x10, n: 1e3, b: true}]}", {"rows": [{"id": "yes", "day": 16, "n": 1000.0, "b": True}]}),
]


@pytest.mark.parametrize(("written", "rows"), ROWS)
def test_rows_are_read_in_every_form(written: str, rows: dict[str, Any]) -> None:
    body = f"test_it:\n  model: db.daily\n  inputs:\n    db.items: {written}\n  outputs:\n    query: []\n"
    files = {"tests/rows.yaml": "rows:\n- id: 7\n", "tests/rows.csv": "id\n8\n"}
    test = unit_test(body, **files)
    assert {key: value for key, value in test["given"][0].items() if key != "input"} == rows
    assert test["expect"] == {"rows": []}


def test_a_query_of_another_dialect_is_translated() -> None:
    config = CONFIG.replace("spark", "duckdb")
    body = 'test_it:\n  model: db.daily\n  inputs: {db.items: {query: "SELECT 1::BIGINT AS id"}}\n  outputs: {query: [{day: a}]}\n'
    test = unit_test(body, **{"config.yaml": config})
    assert " ".join(test["given"][0]["rows"].split()) == "SELECT CAST(1 AS BIGINT) AS id"


def test_an_expected_query_gets_the_columns_it_leaves_out() -> None:
    test = unit_test("test_it:\n  model: db.daily\n  outputs: {query: {query: \"SELECT 'a' AS day\"}}\n")
    text = "select expected.*, null as n, null as label\nfrom (\nSELECT 'a' AS day\n) as expected"
    assert test["expect"] == {"format": "sql", "rows": text}


def test_bounds_that_are_not_stated_are_those_of_sqlmesh() -> None:
    test = unit_test("test_it:\n  model: db.daily\n  outputs: {query: [{day: a}]}\n")
    assert test["overrides"] == {"vars": {"kinds_start": "1970-01-01", "kinds_end": "1970-01-02"}}


def test_rows_of_an_ephemeral_model_are_sql() -> None:
    models = {
        "models/base.sql": "MODEL (name db.base, kind EMBEDDED); SELECT 1 AS id, 'a' AS name",
        "models/top.sql": "MODEL (name db.top, kind FULL); SELECT id FROM db.base",
    }
    body = "test_it:\n  model: db.top\n  inputs: {db.base: {columns: {id: INT}, rows: [{id: 1, name: b}, {id: 2}]}}\n  outputs: {query: [{id: 1}]}\n"
    written = yaml.safe_load(written_files({**models, "tests/test_top.yaml": body})["models/db/top.yml"])
    assert written["unit_tests"][0]["given"] == [
        {
            "input": "ref('base')",
            "format": "sql",
            "rows": "select cast(1 as int) as id, 'b' as name\nunion all\nselect cast(2 as int) as id, null as name",
        }
    ]


EPHEMERAL = {
    "models/base.sql": "MODEL (name db.base, kind EMBEDDED); SELECT r.id, m.n FROM raw.r AS r JOIN raw.m USING (id)",
    "models/middle.sql": "MODEL (name db.middle, kind EMBEDDED); SELECT id, concat(@'a_@{execution_ds}', 'b') AS d FROM db.base",
    "models/top.sql": "MODEL (name db.top, kind FULL); SELECT id FROM db.middle",
}


def test_tables_that_an_ephemeral_model_reads_are_put_into_its_query() -> None:
    body = """
test_it:
  model: db.top
  inputs:
    raw.r: {columns: {id: INT}, rows: [{id: 1}]}
    raw.m: {query: "SELECT 1 AS id, @execution_ds AS n"}
  outputs: {query: [{id: 1}]}
"""
    files = {**EPHEMERAL, "tests/test_top.yaml": body}
    (given,) = yaml.safe_load(written_files(files)["models/db/top.yml"])["unit_tests"][0]["given"]
    base = (
        "SELECT r.id, m.n FROM ( select cast(1 as int) as id ) AS r "
        "JOIN ( SELECT 1 AS id, {{ dbt_kinds.execution_ds() }} AS n ) AS m USING (id)"
    )
    middle = f"SELECT id, concat(concat('a_', {{{{ dbt_kinds.execution_ds() }}}}), 'b') AS d FROM ( {base} ) AS base"
    assert (given["input"], " ".join(given["rows"].split())) == ("ref('middle')", middle)
    assert codes_of(read_files(files)) == {"UndeclaredSource"}


def test_a_table_behind_an_ephemeral_model_needs_rows_or_columns() -> None:
    body = "test_it:\n  model: db.top\n  inputs: {raw.r: [{id: 1}]}\n  outputs: {query: [{id: 1}]}\n"
    files = {**EPHEMERAL, "tests/test_top.yaml": body}
    assert "CteTestDropped" in codes_of(read_files(files))
    declared = "- name: raw.m\n  columns: {id: int, n: int}\n"
    (given,) = yaml.safe_load(written_files({**files, "external_models.yaml": declared})["models/db/top.yml"])[
        "unit_tests"
    ][0]["given"]
    assert "select null as id, null as n limit 0" in given["rows"]


SAID = [
    ("  model: db.daily\n  outputs: {ctes: {a: [{x: 1}]}}\n", {"CteTestDropped"}),
    ("  model: db.daily\n  outputs: {ctes: {a: [{x: 1}]}, query: [{day: a}]}\n", {"CteTestDropped"}),
    ("  model: db.daily\n  outputs: {query: {query: SELECT 1 AS day FROM db.items}}\n", {"CteTestDropped"}),
    ("  model: db.unknown\n  outputs: {query: []}\n", {"PropertyDropped"}),
    ("  model: db.daily\n  inputs: {db.other: []}\n  outputs: {query: []}\n", {"PropertyDropped"}),
    ("  model: db.daily\n  outputs: {query: []}\n  vars: {other: 1}\n", {"VariableFrozen"}),
    ("  model: db.daily\n", {"BadPropertyValue"}),
    ("  outputs: {query: []}\n", {"BadPropertyValue"}),
    ("  model: db.daily\n  outputs: {query: [1]}\n", {"BadPropertyValue"}),
    ("  model: db.daily\n  outputs: {query: {format: parquet, rows: []}}\n", {"BadPropertyValue"}),
    ("  model: db.daily\n  outputs: {query: {path: /etc/passwd}}\n", {"BadPropertyValue"}),
    ("  model: db.daily\n  outputs: {query: []}\n  vars: {start: soon}\n", {"BadPropertyValue"}),
    ("  model: db.daily\n  output: {query: []}\n", {"BadPropertyValue"}),
    ("  model: db.daily\n  outputs: {query: {query: SELECT FROM FROM}}\n", {"SqlParseError"}),
    ("  model: [\n", {"BadPropertyValue"}),
]


@pytest.mark.parametrize(("body", "said"), SAID)
def test_what_dbt_cannot_say_is_said(body: str, said: set[str]) -> None:
    assert codes(f"test_it:\n{body}") == said


def test_a_recursive_anchor_ends() -> None:
    assert codes("test_it: &a\n  model: db.daily\n  outputs: {query: [*a]}\n") == {"BadPropertyValue"}
    assert codes("a: &a [x, *a]\n") == {"BadPropertyValue"}


def test_texts_that_look_like_jinja_stay_texts() -> None:
    test = unit_test(
        "test_it:\n  model: db.daily\n  inputs: {db.items: [{name: '{{ x }}'}]}\n  outputs: {query: [{label: '{% y'}]}\n"
    )
    assert test["given"][0]["rows"] == [{"name": "{{ '{{' }} x }}"}]
    assert test["expect"]["rows"][0]["label"] == "{{ '{%' }} y"

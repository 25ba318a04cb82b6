"""Audits and assertions: which tests of dbt they are."""

from __future__ import annotations

from typing import Any

import pytest

from dbt_kinds.kinds import DataTest
from dbt_kinds.writers.properties import model_properties
from tests.unit.compiling import read

AUDITS = [
    ("not_null(columns := (a, b))", [("not_null", "a", {}, {}), ("not_null", "b", {}, {})]),
    ("UNIQUE_VALUES(columns := a)", [("dbt_kinds.unique_values", "a", {}, {})]),
    ("not_null(columns := a), unique_values(columns := (a, b))", [("not_null", "a", {}, {}), ("unique", "a", {}, {}), ("dbt_kinds.unique_values", "b", {}, {})]),
    ("not_null_non_blocking(columns := a)", [("not_null", "a", {}, {"severity": "warn"})]),
    ("not_null(columns := a, blocking := false)", [("not_null", "a", {}, {"severity": "warn"})]),
    ("not_null(columns = a, condition := b > 1)", [("not_null", "a", {}, {"where": "b > 1"})]),
    ("accepted_values(column := a, is_in := ('x', 'y'))", [("accepted_values", "a", {"values": ["x", "y"]}, {})]),
    ("accepted_values(column := a, is_in := (1, 2))", [("accepted_values", "a", {"values": ["1", "2"], "quote": False}, {})]),
    (
        "accepted_values(column := a, is_in := ('it''s', 'x'))",
        [("accepted_values", "a", {"values": [r"'it\'s'", "'x'"], "quote": False}, {})],
    ),
    ("not_accepted_values(column := a, is_in := ('x'))", [("dbt_kinds.not_accepted_values", "a", {"is_in": ["x"]}, {})]),
    (
        "not_accepted_values(column := a, is_in := ('it''s'))",
        [("dbt_kinds.not_accepted_values", "a", {"is_in": ["it's"]}, {})],
    ),
    ("unique_combination_of_columns(columns := (a, b))", [("dbt_kinds.unique_combination_of_columns", None, {"columns": ["a", "b"]}, {})]),
    ("forall(criteria := (a > 0, LENGTH(b) > 1))", [("dbt_kinds.forall", None, {"criteria": ["a > 0", "LENGTH(b) > 1"]}, {})]),
    ("number_of_rows(threshold := 10)", [("dbt_kinds.number_of_rows", None, {"threshold": 10}, {})]),
    ("accepted_range(column := a, min_v := 1, inclusive := false)", [("dbt_kinds.accepted_range", "a", {"min_v": 1, "inclusive": False}, {})]),
    ("accepted_range(column := a, min_v := 'A', max_v := 'M')", [("dbt_kinds.accepted_range", "a", {"min_v": "'A'", "max_v": "'M'"}, {})]),
    ("accepted_range(column := a, min_v := '00000', max_v := b)", [("dbt_kinds.accepted_range", "a", {"min_v": "'00000'", "max_v": "b"}, {})]),
    ("accepted_range(column := a, min_v := NULL, max_v := '2024-01-02'::DATE)", [("dbt_kinds.accepted_range", "a", {"min_v": None, "max_v": "CAST('2024-01-02' AS DATE)"}, {})]),
    ("not_null_proportion(column := a, threshold := 0.9)", [("dbt_kinds.not_null_proportion", "a", {"threshold": 0.9}, {})]),
    ("match_regex_pattern_list(column := a, patterns := ('^x', 'y$'))", [("dbt_kinds.match_regex_pattern_list", "a", {"patterns": ["^x", "y$"]}, {})]),
    ("mutually_exclusive_ranges(lower_bound_column := a, upper_bound_column := b)", [("dbt_kinds.mutually_exclusive_ranges", None, {"lower_bound_column": "a", "upper_bound_column": "b"}, {})]),
    ("kl_divergence(column := a, target_column := b, threshold := 0.1)", [("dbt_kinds.kl_divergence", None, {"source_column": "a", "target_column": "b", "threshold": 0.1}, {})]),
    ("chi_square(column_a := a, column_b := b, critical_value := 3)", [("dbt_kinds.chi_square", None, {"column_a": "a", "column_b": "b", "critical_value": 3}, {})]),
]  # fmt: skip


def shown(test: DataTest) -> tuple[str, str | None, dict[str, Any], dict[str, Any]]:
    return test.name, test.column, test.arguments, test.config


@pytest.mark.parametrize("spelling", ["audits", "assertions"])
@pytest.mark.parametrize(("audits", "expected"), AUDITS)
def test_audit_becomes(audits: str, expected: list[Any], spelling: str) -> None:
    model = read(f"MODEL (name db.m, kind FULL, {spelling} ({audits}));\nSELECT 1 AS a, 2 AS b").model
    assert model is not None
    assert [shown(test) for test in model.audits] == expected


OWN = {
    "audits/own.sql": "AUDIT (name above, defaults (least = 3));\nSELECT * FROM @this_model WHERE @column < @least "
    "AND @column NOT IN (SELECT a FROM raw.allowed);\n\nAUDIT (name skipped, skip true, blocking false);\nSELECT * FROM @this_model;"
    "\nAUDIT (name lonely, standalone true, blocking true);\nSELECT a FROM db.m WHERE a IS NULL"
}


def test_audit_of_the_project_becomes_a_generic_test() -> None:
    compiled = read("MODEL (name db.m, kind FULL, audits (above(column := a), skipped()));\nSELECT 1 AS a", files=OWN)
    assert compiled.model is not None
    assert [shown(test) for test in compiled.model.audits] == [
        ("above", None, {"column": "a"}, {}),
        ("skipped", None, {}, {"severity": "warn", "enabled": False}),
    ]
    tests = {test.name: test for test in compiled.project.tests}
    assert tests["above"].parameters == {"column": None, "least": "3"}
    assert tests["lonely"].is_generic is False and tests["lonely"].config == {}


@pytest.mark.parametrize("audits", ["above", "above(column := a, most := 1)"])
def test_audit_of_the_project_wants_its_arguments(audits: str) -> None:
    text = f"MODEL (name db.m, kind FULL, audits ({audits}));\nSELECT 1 AS a"
    assert read(text, files=OWN).refusal == "AuditArgument:1"


NONE_NULL = "WHERE @REDUCE(@EACH(@cols, c -> c IS NULL), (l, r) -> l OR r)"
# what an audit says behind `SELECT * FROM @this_model`, its call, and the test: name, what it says there, arguments
FIXED = [
    (NONE_NULL, "my(cols := (i, j))", "my_of_i_j", "WHERE i IS NULL OR j IS NULL", {}),
    (NONE_NULL, "my(cols := ['i', LOWER(j)])", "my_of_i_lower_j", "WHERE 'i' IS NULL OR LOWER(j) IS NULL", {}),
    (NONE_NULL, "my(cols := i)", "my_of_i", "WHERE i IS NULL", {}),
    ("WHERE @AND(@column > 1, @least < 2)", "my(column := i, least := j)", "my_of_i_j", "WHERE i > 1 AND j < 2", {}),
    ("WHERE @{column}_id < @least", "my(column := i, least := 3)", "my_of_i", "WHERE i_id < kinds_placeholder_2", {"least": "3"}),
    ("WHERE i NOT IN @vals", "my(vals := ['x', 'y'])", "my_of_x_y", "WHERE i NOT IN ('x', 'y')", {}),
    ("WHERE @column IN (@vals)", "my(column := i, vals := ARRAY['x'])", "my_of_x", "WHERE kinds_placeholder_2 IN ('x')", {"column": "i"}),
    ("WHERE i NOT IN @vals", "my(vals := ('x', 'y'))", "my", "WHERE i NOT IN kinds_placeholder_2", {"vals": "('x', 'y')"}),
    ("WHERE ARRAY_CONTAINS(@vals, i)", "my(vals := [1, 2])", "my", "WHERE ARRAY_CONTAINS(ARRAY_COMPACT(kinds_placeholder_2), i)", {"vals": "ARRAY(1, 2)"}),
]  # fmt: skip


@pytest.mark.parametrize(("says", "call", "name", "written", "arguments"), FIXED)
def test_list_given_to_an_audit_is_written_into_a_test_of_its_own(
    says: str, call: str, name: str, written: str, arguments: dict[str, str]
) -> None:
    files = {"audits/my.sql": f"AUDIT (name my);\nSELECT * FROM @this_model {says}"}
    compiled = read(f"MODEL (name db.m, kind FULL, audits ({call}));\nSELECT 1 AS i, 2 AS j", files=files)
    assert compiled.model is not None, compiled.notes
    assert [shown(test) for test in compiled.model.audits] == [(name, None, arguments, {})]
    (test,) = compiled.project.tests
    assert test.name == name and set(test.parameters) == set(arguments)
    assert " ".join(test.query.text.split()) == f"SELECT * FROM kinds_placeholder_1 {written}"


def test_lists_of_one_spelling_have_tests_of_different_names() -> None:
    files = {"audits/my.sql": f"AUDIT (name my, defaults (cols = (a, b)));\nSELECT * FROM @this_model {NONE_NULL}"}
    calls = "my, my(cols := a_b), my(cols := [a, b])"
    compiled = read(f"MODEL (name db.m, kind FULL, audits ({calls}));\nSELECT 1 AS a, 2 AS b, 3 AS a_b", files=files)
    assert compiled.model is not None
    assert [test.name for test in compiled.model.audits] == ["my_of_a_b", "my_of_a_b_2"]


def test_an_empty_list_given_to_an_audit_is_refused() -> None:
    files = {"audits/my.sql": f"AUDIT (name my);\nSELECT * FROM @this_model {NONE_NULL}"}
    compiled = read("MODEL (name db.m, kind FULL, audits (my(cols := [])));\nSELECT 1 AS a", files=files)
    assert compiled.refusal == "AuditArgument:1"


def test_an_audit_that_selects_no_column_counts_rows() -> None:
    files = {"audits/my.sql": "AUDIT (name my);\nSELECT FROM @this_model WHERE a IS NULL"}
    compiled = read("MODEL (name db.m, kind FULL, audits (my));\nSELECT 1 AS a", "postgres", files=files)
    (test,) = compiled.project.tests
    assert " ".join(test.query.text.split()) == "SELECT 1 FROM kinds_placeholder_1 WHERE a IS NULL"
    assert compiled.codes == []


def test_inline_audit_is_known_everywhere() -> None:
    files = {
        "models/a.sql": "MODEL (name db.a, kind FULL); SELECT 1 AS a; AUDIT (name mine); SELECT * FROM @this_model WHERE a < 0;"
    }
    model = read("MODEL (name db.m, kind FULL, audits (mine));\nSELECT 1 AS a", files=files).model
    assert model is not None and [test.name for test in model.audits] == ["mine"]


def test_yaml_groups_tests_by_column() -> None:
    text = "MODEL (name db.m, kind FULL, audits (not_null(columns := (a, LOWER(b))), not_null(columns := a, condition := b > 1)));\nSELECT 1 AS a, 2 AS b"
    model = read(text, audits_as_tests=True).model
    assert model is not None
    assert model_properties(model, str) == {
        "version": 2,
        "models": [
            {
                "name": "m",
                "columns": [
                    {
                        "name": "a",
                        "data_tests": [
                            "not_null",
                            {"not_null": {"name": "not_null_m_2", "config": {"where": "b > 1"}}},
                        ],
                    }
                ],
                "data_tests": [{"not_null": {"arguments": {"column_name": "LOWER(b)"}}}],
            }
        ],
    }


def test_an_expression_is_no_column_of_yaml() -> None:
    text = "MODEL (name db.m, kind VIEW, audits (unique_values(columns := (LOWER(b), b))));\nSELECT 1 AS b"
    model = read(text).model
    assert model is not None
    (entry,) = model_properties(model, str)["models"]
    assert entry["data_tests"] == [{"dbt_kinds.unique_values": {"arguments": {"column": "LOWER(b)"}}}]
    assert entry["columns"] == [{"name": "b", "data_tests": ["dbt_kinds.unique_values"]}]


def test_tests_of_a_time_range_see_the_whole_table() -> None:
    text = "MODEL (name db.m, kind INCREMENTAL_BY_TIME_RANGE (time_column a), audits (not_null(columns := a)));\nSELECT @start_ds AS a"
    assert read(text, audits_as_tests=True).codes.count("WholeTableTest") == 1

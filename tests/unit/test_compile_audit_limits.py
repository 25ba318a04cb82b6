"""What the package's tests refuse is refused when compiling."""

from __future__ import annotations

import pytest

from tests.unit.compiling import notes_of, read_files

REFUSED = [
    ("accepted_range(column := n)", "without min_v and max_v"),
    ("mean_in_range(column := n, min_v := 2, max_v := 1)", "greater than max_v"),
    ("stddev_in_range(column := n, inclusive := true)", "without min_v and max_v"),
    ("string_length_between(column := n, min_v := 2, max_v := 1.5)", "greater than max_v"),
    ("number_of_rows(threshold := -1)", "0 or more"),
    ("number_of_rows(threshold := 1.5)", "whole number"),
    ("not_null_proportion(column := n, threshold := 1.1)", "between 0 and 1"),
    ("not_null_proportion(column := n, threshold := -0.1)", "between 0 and 1"),
    ("z_score(column := n, threshold := -3)", "0 or more"),
    ("kl_divergence(column := n, target_column := m, threshold := -1)", "0 or more"),
    ("chi_square(column := n, target_column := m, critical_value := -1)", "0 or more"),
    ("string_length_equal(column := n, v := -2)", "0 or more"),
    ("accepted_values(column := n, is_in := ())", "is empty"),
    ("forall(criteria := ())", "is empty"),
]
TAKEN = [
    "accepted_range(column := n, min_v := 0)",
    "accepted_range(column := d, min_v := '2024-01-02'::DATE, max_v := CURRENT_DATE)",
    "not_null_proportion(column := n, threshold := 0)",
    "number_of_rows(threshold := 0)",
    "mean_in_range(column := n, min_v := 1, max_v := 1)",
]


def model(audit: str) -> dict[str, str]:
    return {
        "models/m.sql": f"MODEL (\n  name db.m, kind FULL,\n  audits (\n    {audit}\n  )\n);\nSELECT 1 AS n, 2 AS m, 3 AS d"
    }


@pytest.mark.parametrize(("audit", "why"), REFUSED)
def test_an_argument_that_a_test_refuses_is_refused_with_its_line(audit: str, why: str) -> None:
    (note,) = notes_of(read_files(model(audit)))
    assert (note.code.name, note.severity, note.place.line) == ("AuditArgument", "refused", 4)
    assert why in note.message


@pytest.mark.parametrize("audit", TAKEN)
def test_other_arguments_are_taken(audit: str) -> None:
    project = read_files(model(audit))
    assert len(project.models[0].audits) == 1 and not notes_of(project)

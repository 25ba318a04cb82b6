"""The audits of a model as its configuration says them."""

from __future__ import annotations

from typing import Any

import pytest

from dbt_kinds.diagnostics import Place
from dbt_kinds.kinds import (
    DataTest,
    Kind,
    Model,
    ModelReference,
    Placeholder,
    Project,
    SourceReference,
    SqlText,
    TestDefinition,
    TimeVariable,
    Variable,
)
from dbt_kinds.writers.audits import audit_entries
from dbt_kinds.writers.dbt_project import write_project

PLACE = Place("models/m.sql", 1)
AUDITS: list[tuple[DataTest, dict[str, Any]]] = [
    (DataTest("not_null", column="id"), {"not_null": {"column_name": "id"}}),
    (DataTest("not_null", column="ID"), {"not_null": {"column_name": "ID"}}),
    (DataTest("mine"), {"mine": {}}),
    (DataTest("dbt_kinds.accepted_range", {"min_v": 0}, column="n"), {"dbt_kinds.accepted_range": {"column_name": "n", "min_v": 0}}),
    (DataTest("unique", column="id", config={"over": "table"}), {"unique": {"column_name": "id", "over": "table"}}),
    (DataTest("not_null", column="id", config={"severity": "warn", "where": "n > 1"}), {"not_null": {"column_name": "id", "severity": "warn", "where": "n > 1"}}),
    (DataTest("not_null", column="id", label="known"), {"not_null": {"column_name": "id", "name": "known"}}),
    (DataTest("not_null", column="LOWER(b)"), {"not_null": {"column_name": "LOWER(b)"}}),
    (DataTest("dbt_kinds.unique_values", column="LOWER(b)"), {"dbt_kinds.unique_values": {"column": "LOWER(b)"}}),
    (DataTest("mine", {"limit": "3"}, config={"severity": "warn"}), {"mine": {"limit_": "3", "severity": "warn"}}),
    (DataTest("mine", {"name": "x", "n": 1}), {"mine": {"name_": "x", "n": 1}}),
]  # fmt: skip


@pytest.mark.parametrize(("audit", "entry"), AUDITS)
def test_entry_of_an_audit(audit: DataTest, entry: dict[str, Any]) -> None:
    assert audit_entries([audit], str) == [entry]


def test_audits_of_one_name_get_names_of_their_own() -> None:
    audits = [
        DataTest("not_null", column="id"),
        DataTest("not_null", column="id", config={"where": "n > 1"}),
        DataTest("not_null", column="ID", config={"where": "n > 2"}),
        DataTest("dbt_kinds.forall", {"criteria": ["a > 0"]}),
        DataTest("dbt_kinds.forall", {"criteria": ["b > 0"]}),
        # those that are given stay as they are
        DataTest("not_null", column="a"),
        DataTest("not_null", column="b", label="not_null_a"),
    ]
    names = [body.get("name") for entry in audit_entries(audits, str) for body in entry.values()]
    assert names == [None, "not_null_id_2", "not_null_ID_3", None, "forall_2", "not_null_a_2", "not_null_a"]


def test_sql_with_placeholders_becomes_an_expression_and_a_table_the_text_of_its_call() -> None:
    placeholders: dict[str, Placeholder] = {
        "kinds_placeholder_1": ModelReference("db.customers"),
        "kinds_placeholder_2": TimeVariable("start_ds"),
        "kinds_placeholder_3": Variable("least", is_text=False),
    }
    audit = DataTest(
        "known",
        {"to": "kinds_placeholder_1", "values": ["kinds_placeholder_3"]},
        config={"where": "ds >= kinds_placeholder_2"},
        placeholders=placeholders,
    )
    model = Model(
        "db.m", "db.m", "FULL", PLACE, "m", None, "m", kind=Kind.FULL, query=SqlText("select 1 as id"), audits=[audit]
    )
    customers = Model(
        "db.customers", "db.customers", "VIEW", PLACE, "customers", None, "customers", query=SqlText("select 1")
    )
    (text,) = [
        file.text for file in write_project(Project("p", "c", [model, customers]), {}) if file.path == "models/m.sql"
    ]
    assert text.split("\n", 1)[1] == (
        "{{ config(\n    materialized='full',\n    meta={\n        'audits': [{'known': {'to': \"ref('customers')\", "
        "'values': [var('least')], 'where': 'ds >= ' ~ dbt_kinds.start_ds()}}]\n    }\n) }}\n\n"
        "-- depends_on: {{ ref('customers') }}\n\nselect 1 as id\n"
    )  # fmt: skip


def test_what_the_query_of_an_audit_reads_is_declared_unless_the_model_reads_it() -> None:
    read = {
        "kinds_placeholder_1": SourceReference("raw", "allowed"),
        "kinds_placeholder_2": SourceReference("raw", "t"),
    }
    definition = TestDefinition(
        "known", SqlText("select 1 from kinds_placeholder_1, kinds_placeholder_2", read), PLACE, is_generic=True
    )
    query = SqlText("select * from kinds_placeholder_1", {"kinds_placeholder_1": SourceReference("raw", "t")})
    audits = [DataTest("known"), DataTest("known", label="again")]
    model = Model("db.m", "db.m", "FULL", PLACE, "m", None, "m", kind=Kind.FULL, query=query, audits=audits)
    files = {file.path: file.text for file in write_project(Project("p", "c", [model], tests=[definition]), {})}
    assert files["models/m.sql"].count("depends_on") == 1
    assert "\n\n-- depends_on: {{ source('raw', 'allowed') }}\n\nselect * from" in files["models/m.sql"]


def test_long_lists_of_audits_have_a_line_each() -> None:
    audits = [DataTest("not_null", column=f"column_of_some_length_{n}") for n in range(3)]
    model = Model(
        "db.m", "db.m", "FULL", PLACE, "m", None, "m", kind=Kind.FULL, query=SqlText("select 1"), audits=audits
    )
    model.options["start"] = "2024-01-01"
    (text,) = [file.text for file in write_project(Project("p", "c", [model]), {}) if file.path == "models/m.sql"]
    assert text.split("\n", 1)[1].startswith(
        "{{ config(\n    materialized='full',\n    meta={\n        'start': '2024-01-01',\n        'audits': [\n"
        "            {'not_null': {'column_name': 'column_of_some_length_0'}},\n"
    )

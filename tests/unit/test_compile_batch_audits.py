"""Which audits of SQLMesh and Vulcan are asked of a batch, and which stay tests of the table."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from dbt_kinds.writers.dbt_project import write_project
from tests.unit.compiling import Compiled, codes_of, read, read_files, run, write_files

TIME_RANGE = "kind INCREMENTAL_BY_TIME_RANGE (time_column ds)"
KEY = "kind INCREMENTAL_BY_UNIQUE_KEY (unique_key id)"
PARTITION = "kind INCREMENTAL_BY_PARTITION, partitioned_by ds"
UNMANAGED = "kind INCREMENTAL_UNMANAGED"
HISTORY = "kind SCD_TYPE_2_BY_TIME (unique_key id)"
QUERY = "\nSELECT id, n, ds, updated_at FROM raw.t WHERE ds BETWEEN @start_ds AND @end_ds"
PLAIN = "\nSELECT id, n, ds, updated_at FROM raw.t"

ROW = "not_null(columns := id)"
ROWS = "unique_values(columns := id)"
FILES = {
    "audits/own.sql": "AUDIT (name least, defaults (least = 3));\nSELECT * FROM @this_model WHERE n < @least;\n"
    "AUDIT (name few);\nSELECT COUNT(*) AS n FROM @this_model HAVING COUNT(*) > 3;\n"
    "AUDIT (name known);\nSELECT * FROM @this_model WHERE NOT id IN (SELECT id FROM db.customers);\n"
    "AUDIT (name latest);\nSELECT * FROM @this_model AS a LEFT JOIN db.report AS r ON a.id = r.id WHERE r.id IS NULL;\n"
    "AUDIT (name itself);\nSELECT * FROM @this_model WHERE n > (SELECT AVG(n) FROM db.m);\n"
    "AUDIT (name open);\nSELECT * FROM @this_model WHERE valid_to IS NULL AND n < 0;\n"
    "AUDIT (name jinja);\nJINJA_QUERY_BEGIN;\nSELECT * FROM {{ this_model }} WHERE n > 3\nJINJA_END;\n"
    "AUDIT (name today);\nSELECT * FROM @this_model WHERE ds < @start_ds",
    "models/customers.sql": "MODEL (name db.customers, kind FULL);\nSELECT 1 AS id",
    "models/report.sql": "MODEL (name db.report, kind FULL);\nSELECT id, COUNT(*) AS n FROM db.m GROUP BY id",
}


def compiled(block: str, audits: str, **how: Any) -> Compiled:
    query = PLAIN if "kind FULL" in block or "kind VIEW" in block else QUERY
    found = read(f"MODEL (name db.m, {block}, audits ({audits}));{query}", files=FILES, **how)
    assert found.model is not None, found.notes
    return found


# the kind, the audit, and the rows that it is asked of; None for a test
PLACES = [
    (TIME_RANGE, ROW, "batch"),
    (TIME_RANGE, ROWS, "batch"),
    (TIME_RANGE, "few", "batch"),
    (TIME_RANGE, "known", "batch"),
    (TIME_RANGE, "today", "batch"),
    ("kind FULL", ROWS, "batch"),
    ("kind FULL", "few", "batch"),
    ("kind VIEW", ROW, None),
    (KEY, ROW, "batch"),
    (KEY, ROWS, "table"),
    (KEY, "number_of_rows(threshold := 3)", "table"),
    (KEY, "forall(criteria := (n > 0))", "batch"),
    (KEY, "forall(criteria := (n > (SELECT 1)))", "table"),
    (KEY, "least", "batch"),
    (KEY, "least(least := (SELECT MAX(n) FROM raw.u))", "table"),
    (KEY, "jinja", "batch"),
    (KEY, "few", "table"),
    (KEY, "known", "table"),
    (KEY.replace("id)", "id, when_matched WHEN MATCHED THEN UPDATE SET target.n = source.n)"), ROW, "table"),
    (PARTITION, ROW, "batch"),
    (PARTITION, ROWS, "table"),
    ("table_format iceberg, kind INCREMENTAL_BY_PARTITION, partitioned_by (ds, bucket(4, id))", ROW, "batch"),
    ("table_format iceberg, kind INCREMENTAL_BY_PARTITION, partitioned_by (ds, bucket(4, id))", ROWS, None),
    (UNMANAGED, ROW, "batch"),
    (UNMANAGED, ROWS, "table"),
    (HISTORY, ROW, "batch"),
    (HISTORY, "not_null(columns := valid_from)", None),
    (HISTORY, "not_null(columns := id, condition := valid_to IS NULL)", None),
    (HISTORY, "open", None),
    (HISTORY, "least", "batch"),
    (HISTORY, "unique_combination_of_columns(columns := (id, valid_from))", None),
    (HISTORY, "number_of_rows(threshold := 3)", None),
    (HISTORY.replace("id)", "id, valid_from_name since)"), "not_null(columns := since)", None),
    (HISTORY.replace("id)", "id, valid_from_name since)"), "not_null(columns := valid_from)", "batch"),
]  # fmt: skip


@pytest.mark.parametrize(("block", "audit", "over"), PLACES)
def test_an_audit_is_asked_of_the_rows_that_show_it_what_it_saw(block: str, audit: str, over: str | None) -> None:
    model = compiled(block, audit).model
    assert model is not None
    assert (len(model.audits), len(model.tests)) == ((0, 1) if over is None else (1, 0))
    assert [entry.config.get("over", "batch") for entry in model.audits] == ([] if over is None else [over])


@pytest.mark.parametrize("block", [TIME_RANGE, "kind FULL", KEY, PARTITION, UNMANAGED, HISTORY])
def test_audits_stay_tests_where_that_is_asked_for(block: str) -> None:
    found = compiled(block, f"{ROW}, {ROWS}, known", audits_as_tests=True)
    assert found.model is not None
    assert (len(found.model.audits), len(found.model.tests)) == (0, 3)
    assert ("WholeTableTest" in found.codes) == (block == TIME_RANGE)


def test_audits_of_batches_see_nothing_else_so_that_nothing_is_said() -> None:
    assert "WholeTableTest" not in compiled(TIME_RANGE, f"{ROW}, {ROWS}, known, least").codes


@pytest.mark.parametrize("audit", ["latest", "itself"])
def test_an_audit_that_reads_what_is_built_from_its_model_stays_a_test(audit: str) -> None:
    found = compiled(TIME_RANGE, f"{ROW}, {audit}, known")
    assert found.model is not None
    assert [test.name for test in found.model.tests] == [audit]
    assert [test.name for test in found.model.audits] == ["not_null", "known"]
    (note,) = [note for note in found.notes if note.code.name == "WholeTableTest"]
    assert note.severity == "note" and f"what is built from it: {audit};" in note.message
    assert "CircularReference" not in codes_of(found.project)


def test_audits_that_read_each_others_models_are_in_no_circle() -> None:
    files = {
        "audits/as.sql": "AUDIT (name with_b);\nSELECT * FROM @this_model WHERE n > (SELECT MAX(n) FROM db.b);\n"
        "AUDIT (name with_a);\nSELECT * FROM @this_model WHERE n > (SELECT MAX(n) FROM db.a)",
        "models/a.sql": "MODEL (name db.a, kind FULL, audits (with_b));\nSELECT 1 AS n",
        "models/b.sql": "MODEL (name db.b, kind FULL, audits (with_a));\nSELECT 1 AS n",
    }
    a, b = read_files(files).models
    assert (len(a.audits), len(a.tests), len(b.audits), len(b.tests)) == (1, 0, 0, 1)


def test_what_an_audit_reads_is_declared_in_the_model() -> None:
    text = f"MODEL (name db.m, {TIME_RANGE}, audits ({ROW}, known, not_null_non_blocking(columns := n)));{QUERY}"
    project = read(text, files=FILES).project
    files = {file.path: file.text for file in write_project(project, {"local": "."})}
    assert "-- depends_on: {{ ref('customers') }}\n" in files["models/db/m.sql"]
    assert (
        "'audits': [\n            {'not_null': {'column_name': 'id'}},\n            {'known': {}},\n"
        "            {'not_null': {'column_name': 'n', 'severity': 'warn'}}\n        ]"
    ) in files["models/db/m.sql"]
    assert "{% test known(model) %}" in files["tests/generic/known.sql"]
    assert "models/db/m.yml" not in files


def test_audits_of_all_models_are_asked_of_those_that_have_them() -> None:
    config = "  audits: ['number_of_rows(threshold := 0)']\n"
    files = {"models/v.sql": "MODEL (name db.v, kind VIEW);\nSELECT 1 AS n"}
    found = read(f"MODEL (name db.m, {TIME_RANGE}, audits ({ROW}));{QUERY}", config=config, files=files)
    assert found.model is not None and found.model.tests == []
    assert [audit.name for audit in found.model.audits] == ["dbt_kinds.number_of_rows", "not_null"]
    (view,) = [model for model in found.project.models if model.node == "v"]
    assert [test.name for test in view.tests] == ["dbt_kinds.number_of_rows"] and view.audits == []


def test_checks_of_vulcan_are_tests_of_the_table() -> None:
    files = {
        "config.yaml": "model_defaults:\n  dialect: postgres\n  start: 2024-01-01\n",
        "models/m.sql": f"MODEL (name db.m, {TIME_RANGE}, assertions ({ROW}));{QUERY}",
        "checks/m.yml": "checks:\n  db.m:\n    completeness:\n      - row_count > 3\n",
    }
    (model,) = read_files(files).models
    assert [audit.name for audit in model.audits] == ["not_null"]
    assert [(test.name, test.config["severity"]) for test in model.tests] == [("dbt_kinds.number_of_rows", "warn")]


def test_the_command_leaves_tests_when_told(tmp_path: Path) -> None:
    config = "model_defaults:\n  dialect: duckdb\n  start: 2024-01-01\n"
    source = write_files(
        tmp_path / "shop",
        {"config.yaml": config, "models/m.sql": f"MODEL (name db.m, {TIME_RANGE}, audits ({ROW}));{QUERY}"},
    )
    for flags, is_audit in ((["--audits-as-tests"], False), ([], True)):
        out = tmp_path / f"out_{is_audit}"
        code, _, errors = run(source, "--out", out, *flags)
        assert code == 0, errors
        assert ("'audits'" in (out / "models/db/m.sql").read_text()) == is_audit
        assert (out / "models/db/m.yml").exists() != is_audit
        assert ("WholeTableTest" in errors) != is_audit

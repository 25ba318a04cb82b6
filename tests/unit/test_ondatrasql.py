"""Files of OndatraSQL: paths, headers and directives, and what they become."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from dbt_kinds.cli import main
from dbt_kinds.compile.convert import compile_project
from dbt_kinds.compile.request import CompileRequest
from dbt_kinds.errors import UnknownOverrideError
from dbt_kinds.readers.ondatrasql.files import is_ondatrasql_project
from dbt_kinds.readers.ondatrasql.header import DIRECTIVES
from dbt_kinds.readers.ondatrasql.project import allowed_deltas
from tests.unit.compiling import write_files
from tests.unit.ondatrasql import T, read

VECTORS = json.loads((Path(__file__).parents[1] / "conformance" / "ondatrasql.json").read_text())


@pytest.mark.parametrize("vector", VECTORS["reads"], ids=lambda vector: vector["id"])
def test_a_vector_is_read_as_it_says(vector: dict[str, Any]) -> None:
    found = read(vector["files"])
    for path, expected in vector["expect"].items():
        if "errors" in expected:
            assert found.found("error", path) == [tuple(error) for error in expected["errors"]]
            continue
        model = found.model(path)
        assert (model.name, model.kind.value) == (expected["name"], expected["materialized"])
        assert model.settings.get("partition_by") == expected.get("partition_by")
        assert {key: model.options.get(key) for key in expected["meta"]} == expected["meta"]


# --- one error each, with its line


Q = "select id, v, ts from raw.s"
ERRORS = {
    "a kind that does not exist": ("-- @kind: marge\n" + Q, [("InvalidKind", 1)]),
    "a kind without a word": ("-- @kind:\n" + Q, [("InvalidKind", 1)]),
    "a view": ("-- @kind: view\n" + Q, [("InvalidKind", 1)]),
    "no kind, and nothing follows from it": (
        "-- @kind: partition\n-- @unique_key: id\n-- @group_key: v\n" + Q,
        [("InvalidKind", 1)],
    ),
    "several columns": ("-- @kind: merge\n-- @unique_key: id, v\n" + Q, [("InvalidUniqueKey", 2)]),
    "a key with a name of ours": (
        "-- @kind: scd2\n-- @unique_key: is_current\nselect 1 as x from raw.s",
        [("InvalidUniqueKey", 2)],
    ),
    "no column": ("-- @kind: merge\n-- @unique_key:\n" + Q, [("InvalidUniqueKey", 2)]),
    "a key of rows for groups": (
        "-- @kind: tracked\n-- @unique_key: id\n" + Q,
        [("MissingDirective", 1), ("InvalidUniqueKey", 2)],
    ),
    "the same beside the right one": (
        "-- @kind: tracked\n-- @unique_key: id\n-- @group_key: id\n" + Q,
        [("InvalidUniqueKey", 2)],
    ),
    "history without a key": ("-- @kind: scd2\n" + Q, [("MissingDirective", 1)]),
    "groups without a key": ("-- a remark\n-- @kind: tracked\n" + Q, [("MissingDirective", 1)]),
    "a key of groups for rows": (
        "-- @kind: merge\n-- @unique_key: id\n-- @group_key: v\n" + Q,
        [("GroupKeyNotAllowed", 3)],
    ),
    "a key of groups for a table": ("-- @group_key: v\n" + Q, [("GroupKeyNotAllowed", 1)]),
    "a group of an expression": ("-- @kind: tracked\n-- @group_key: id, lower(v)\n" + Q, [("InvalidGroupKey", 2)]),
    "an initial value without a cursor": ("-- @kind: append\n-- @incremental_initial: 0\n" + Q, [("CursorMissing", 2)]),
    "a cursor of another table": ("-- @kind: append\n-- @incremental: s.ts\n" + Q, [("InvalidCursor", 2)]),
    "a cursor of history": (
        "-- @kind: scd2\n-- @unique_key: id\n-- @incremental: ts\n" + Q,
        [("DirectiveNotAllowed", 3)],
    ),
    "a partition of two functions": ("-- @partitioned_by: day(hour(ts))\n" + Q, [("InvalidPartitionedBy", 1)]),
    "buckets without a number": ("-- @partitioned_by: bucket(id)\n" + Q, [("InvalidPartitionedBy", 1)]),
    "no buckets": ("-- @partitioned_by: bucket(0, id)\n" + Q, [("InvalidPartitionedBy", 1)]),
    "two wrong partitions": (
        "-- @partitioned_by: a.b, year(ts), f(x)\n" + Q,
        [("InvalidPartitionedBy", 1), ("InvalidPartitionedBy", 1)],
    ),
    "an order of expressions": ("-- @sorted_by: lower(v)\n" + Q, [("InvalidSortedBy", 1)]),
    "a sink without a function": ("-- @sink:\n" + Q, [("SinkNotAllowed", 1)]),
    "a sink that is no call": ("-- @sink: crm push\n" + Q, [("SinkNotAllowed", 1)]),
    "the later spelling": ("-- @kind: scd2\n-- @unique_key: id\n-- @push: crm\n" + Q, [("SinkNotAllowed", 3)]),
    "nothing is exposed": ("-- @expose\n" + Q, [("InvalidExpose", 1)]),
    "a key that is not selected": ("-- @kind: merge\n-- @unique_key: nr\n" + Q, [("ColumnNotInOutput", 2)]),
    "a group that is not selected": ("-- @kind: tracked\n-- @group_key: id, nr\n" + Q, [("ColumnNotInOutput", 2)]),
    "a cursor that is not selected": (
        "-- @kind: append\n-- @incremental: at\nselect id from raw.s where ts > getvariable('incr_last_value')",
        [("ColumnNotInOutput", 2)],
    ),
    "a column that is not selected": ("-- @column: nr = the number\n" + Q, [("ColumnNotInOutput", 1)]),
    "a hidden key": ("-- @kind: merge\n-- @unique_key: id\n-- @column: id = x | mask_ssn\n" + Q, [("MaskedKey", 3)]),
    "a check that does not exist": ("-- @constraint: not_nul(id)\n" + Q, [("UnknownCheck", 1)]),
    "a check that is no call": ("-- @audit: id NOT NULL\n" + Q, [("UnknownCheck", 1)]),
    "a check without its argument": ("-- @warning: not_null()\n" + Q, [("InvalidCheck", 1)]),
    "a check of another column": ("-- @constraint: not_null(nr)\n" + Q, [("InvalidCheck", 1)]),
    "a comparison that does not exist": ("-- @audit: row_count(=>, 1)\n" + Q, [("InvalidCheck", 1)]),
    "a second statement": (Q + ";\n\n" + Q, [("SeveralStatements", 3)]),
    "no statement but comments": ("-- @kind: append\n\n-- nothing\n", [("NoStatement", 1)]),
    "an empty file": ("", [("NoStatement", 1)]),
    "no query": ("create table x as select 1 as a", [("UnsupportedSql", 1)]),
    "no SQL": ("select id\nfrom raw.s where (", [("UnsupportedSql", 2)]),
    "a directive below SQL, and one above": (
        "-- @kind: merge\n" + Q + "\n  // @unique_key: id",
        [("MissingDirective", 1), ("DirectiveAfterSql", 3)],
    ),
    "every error of a file": (
        "-- @kind: tracked\n-- @sink:\n-- @constraint: no(x)\nselect id from raw.s positional join raw.t",
        [("MissingDirective", 1), ("SinkNotAllowed", 2), ("UnknownCheck", 3), ("UnsupportedSql", 4)],
    ),
    "events with more than columns": (
        "-- @kind: events\n-- @unique_key: id\n-- @constraint: not_null(id)\n-- @description: d\nid BIGINT",
        [("DirectiveNotAllowed", 2), ("DirectiveNotAllowed", 3)],
    ),
    "events that are sent on": ("-- @kind: events\n-- @sink: crm\nid BIGINT", [("SinkNotAllowed", 2)]),
    "events in groups": ("-- @kind: events\n-- @group_key: id\nid BIGINT", [("GroupKeyNotAllowed", 2)]),
    "events of a query": ("-- @kind: events\nselect id\nfrom raw.s", [("InvalidColumn", 2), ("InvalidColumn", 3)]),
    "a column with a default": ("-- @kind: events\nid BIGINT NOT NULL,\nn INTEGER DEFAULT 3", [("InvalidColumn", 3)]),
    "a column twice": ("-- @kind: events\nid BIGINT,\nID TEXT", [("InvalidColumn", 3)]),
    "no columns": ("-- @kind: events\n", [("NoStatement", 1)]),
}


@pytest.mark.parametrize(("text", "errors"), ERRORS.values(), ids=ERRORS.keys())
def test_what_is_wrong_is_told_with_its_line(text: str, errors: list[tuple[str, int]]) -> None:
    found = read(text)
    assert found.found("error") == sorted(errors, key=lambda error: error[1])
    assert not found.project.models
    assert [note.severity for note in found.project.left_out[0].notes].count("refused") == len(errors)


WARNINGS = {
    "the last of two holds": ("-- @kind: append\n-- @kind: table\n" + Q, [("DirectiveRepeated", 2)]),
    "an unknown word": ("-- @kindd: append\n" + Q, [("UnknownDirective", 1)]),
    "a colon is missing": ("-- @unique_key id\n" + Q, [("UnknownDirective", 1)]),
    "words of other people": ("-- @todo look at this\n-- see me@example.com: ok\n" + Q, []),
    "an order": ("-- @sorted_by: id, ts\n" + Q, [("NotCarried", 1)]),
    "what is exposed": ("-- @expose id\n" + Q, [("NotCarried", 1)]),
    "what is fetched": ("-- @fetch\n" + Q, [("NotCarried", 1)]),
    "a check of two runs": ("-- @warning: row_count_delta(20)\n" + Q, [("NotCarried", 1)]),
    "a cursor that nobody asks for": ("-- @kind: append\n-- @incremental: ts\n" + Q, [("cursor_unused", 2)]),
    "a sink": ("-- @sink: crm('a', 2)\n" + Q, [("SinkNeedsPython", 1)]),
    "a column twice": ("-- @column: id = a\n-- @column: id = b\n" + Q, [("DirectiveRepeated", 2)]),
    "a column without a name": ("select count(*) from raw.s", [("NameChanged", 1)]),
    "an audit of versions": (
        "-- @kind: scd2\n-- @unique_key: id\n-- @audit: row_count(>, 0)\n" + Q,
        [("NotCarried", 3)],
    ),
}


@pytest.mark.parametrize(("text", "warnings"), WARNINGS.values(), ids=WARNINGS.keys())
def test_what_a_person_looks_at_is_a_warning_and_the_model_is_written(
    text: str, warnings: list[tuple[str, int]]
) -> None:
    found = read(text)
    assert (found.found("error"), found.found("warning")) == ([], warnings)
    assert found.model()


NOTES = {
    "a key that nothing compares": ("-- @unique_key: id\n" + Q, [("PropertyDropped", 1)]),
    "an extension": ("-- @extension: httpfs\n" + Q, [("PropertyDropped", 1)]),
    "a merge that must read all": (
        "-- @kind: merge\n-- @unique_key: id\nselect id, sum(v) as v from raw.s group by id",
        [("ReadInFull", 3)],
    ),
    "a model that reads itself": ("select id from mart.t", [("ReadsItself", 1)]),
}


@pytest.mark.parametrize(("text", "notes"), NOTES.values(), ids=NOTES.keys())
def test_what_is_only_worth_knowing_is_a_note(text: str, notes: list[tuple[str, int]]) -> None:
    found = read(text)
    assert (found.found("error"), found.found("warning"), found.found("info")) == ([], [], notes)


def test_a_message_names_what_is_near_or_what_to_write() -> None:
    messages = " ".join(finding.message for finding in read("-- @kind: marge\n-- @uniqe_key: id\n" + Q).findings)
    assert "did you mean merge?" in messages
    assert "did you mean unique_key?" in messages
    assert "tracked" in read("-- @kind: partition\n" + Q).findings[0].message
    assert "@group_key: id" in read("-- @kind: tracked\n-- @unique_key: id\n" + Q).findings[1].message


def test_every_directive_has_a_reader() -> None:
    for name in DIRECTIVES:
        assert "UnknownDirective" not in dict(read(f"-- @{name}: id\n{Q}").found())


# --- what directives become


def options(text: str) -> dict[str, Any]:
    return read(text).model().options


def test_a_header_is_written_in_any_comment_and_any_case() -> None:
    text = "/* a\n * licence */\n\n# @Kind: MERGE\n//  a remark\n--@unique_key: id\n\n" + Q
    model = read(text).model()
    assert (model.kind_name, model.options["unique_key"]) == ("merge", ["id"])
    assert model.banner == ["a", "licence", "  a remark"]


def test_a_directive_in_a_text_of_the_query_is_text() -> None:
    assert read("select '\n-- @kind: append\n' as a\nfrom raw.s").found() == []


def test_a_cursor_of_a_table_captures_nothing() -> None:
    text = "-- @incremental: ts\n-- @incremental_initial: '2020-01-01'\nselect ts from raw.s where ts > getvariable('incr_last_value')"
    found = read(text)
    assert "capture" not in found.model().options
    assert found.model().options["cursor_initial"] == "2020-01-01"
    assert "ts > {{ dbt_kinds.last_value() }}" in found.query()


def test_variables_of_runs_are_calls() -> None:
    text = "-- @kind: append\n-- @incremental: ts\nselect ts, getvariable('incr_last_run') as r from raw.s where getvariable('incr_is_backfill') or ts > getvariable('INCR_LAST_VALUE')"
    query = read(text).query()
    assert "{{ dbt_kinds.last_run() }} AS r" in query
    assert "WHERE {{ dbt_kinds.is_backfill() }} OR ts > {{ dbt_kinds.last_value() }}" in query


def test_history_keeps_on_query_change_as_it_is() -> None:
    assert "on_query_change" not in options("-- @kind: scd2\n-- @unique_key: id\n" + Q)


def test_a_sink_has_its_arguments_and_a_frame() -> None:
    found = read("-- @sink: crm('a, b', 2, true)\n" + Q)
    assert found.model().options["sink"] == {"function": "crm", "args": ["a, b", 2, True]}
    frame = found.texts()["sinks/crm.py"]
    assert "def push(changes, *args):" in frame
    compile(frame, "crm.py", "exec")


def test_columns_have_descriptions_and_tags() -> None:
    found = read(
        "-- @description: all of it\n-- @column: ID = the number | of things | PII | key_part\n-- @column: v = value\n"
        + Q
    )
    yaml = found.texts()["models/mart/t.yml"]
    assert "description: all of it" in yaml
    assert [(column.name, column.description, column.options) for column in found.model().columns] == [
        ("id", "the number | of things", {"tags": ["PII", "key_part"]}),
        ("v", "value", {}),
    ]


def test_tags_that_hide_wrap_the_columns() -> None:
    query = read(
        "-- @column: v = a | mask_email\n-- @column: ts = b | hash\n-- @column: w = c | REDACT\nselect distinct id, v, ts, w from raw.s"
    ).query()
    assert query.startswith(
        "select id, mask(v) as v, sha2(cast(ts as string), 256) as ts, "
        "case when w is not null then '[redacted]' end as w from ( SELECT DISTINCT"
    )


def test_events_are_columns_and_a_place_where_files_land() -> None:
    text = "-- @kind: events\n-- @description: clicks\nevent_name VARCHAR NOT NULL, -- what\n\npayload JSON,\nn HUGEINT,\nat TIMESTAMP,\nreceived_at TIMESTAMPTZ"
    found = read({"models/raw/web/clicks.sql": text})
    sql = found.texts()["models/raw/web__clicks.sql"]
    assert "'landing': {'path': var('kinds_landing') ~ '/raw/web__clicks'}" in sql
    assert found.model("models/raw/web/clicks.sql").options["columns"] == [
        {"name": "event_name", "data_type": "string", "not_null": True},
        {"name": "payload", "data_type": "string"},
        {"name": "n", "data_type": "decimal(38, 0)"},
        {"name": "at", "data_type": "timestamp_ntz"},
        {"name": "received_at", "data_type": "timestamp"},
    ]


# --- the project as a whole


def test_a_path_with_a_part_that_is_no_name_is_refused() -> None:
    files = {"models/raw/a-b.sql": Q, "models/raw/a__b.sql": Q, "models/_ondatra_x/a.sql": Q, "models/2024/a.sql": Q}
    assert {finding.place.file for finding in read(files).findings if finding.code.name == "InvalidTarget"} == set(
        files
    )


def test_the_second_file_of_a_table_is_refused() -> None:
    found = read({"models/main/orders.sql": Q, "models/orders.sql": Q})
    assert found.found("error") == [("DuplicateTarget", 1)]
    assert found.found("error", "models/orders.sql")


def test_a_circle_names_its_members() -> None:
    found = read(
        {
            "models/a.sql": "-- x\nselect id from b",
            "models/b.sql": "select id from mart.c",
            "models/mart/c.sql": "select id from main.a",
        }
    )
    assert found.found("error") == [("CycleDetected", 2), ("CycleDetected", 1), ("CycleDetected", 1)]
    assert "main.a -> main.b -> mart.c -> main.a" in found.findings[0].message


def test_tables_are_models_sources_or_names_of_the_query() -> None:
    found = read(
        {
            "models/orders.sql": "select 1 as id",
            "models/raw/api/users.sql": "select 2 as id",
            T: "with s as (select id from orders), lake as (select 1 as id) select s.id from s join raw.api__users u using (id) "
            "join lake on true where s.id in (select id from crm.accounts) and exists (select 1 from lake.main.orders)",
        }
    )
    query = found.query()
    assert query.count("{{ ref('orders') }} AS orders") == 2
    assert "{{ ref('api__users') }} AS u" in query
    assert "{{ source('crm', 'accounts') }} AS accounts" in query
    assert "JOIN lake" in query
    assert [(table.source, table.name) for table in found.project.sources] == [("crm", "accounts")]


def test_names_that_two_schemas_share_are_told_apart() -> None:
    found = read({"models/a/t.sql": "select 1 as id", "models/b/t.sql": "select id from a.t"})
    assert "{{ ref('a__t') }}" in found.texts()["models/b/b__t.sql"]


def test_who_reads_a_refused_model_reads_its_old_table() -> None:
    found = read({"models/raw/s.sql": "select 1 as id limit 10%", T: "-- @kind: append\nselect id from raw.s"})
    assert "{{ dbt_kinds.changes_of(source('raw', 's')) }} AS s" in found.query()
    assert ("ReadsRefused", 1) in found.found("info")


def test_columns_of_models_are_known_to_their_readers() -> None:
    found = read(
        {"models/raw/s.sql": "select 1 as id, 2 as v", T: "-- @kind: merge\n-- @unique_key: nr\nselect * from raw.s"}
    )
    assert found.found("error") == [("ColumnNotInOutput", 2)]


def test_macros_and_variables_of_the_configuration_are_written_out() -> None:
    found = read(
        {
            "config/macros/helpers.sql": "create or replace macro doubled(a, by := 2) as a * by;\ncreate macro recent(n) as table select id, v from mart.s where id > n;\n",
            "config/variables.sql": "set variable currency = 'SEK';\nset variable rate = -0.25;\nset variable n = (select 1);",
            "config/secrets.sql": "create secret (type s3);",
            "models/mart/s.sql": "select 1 as id, 2 as v",
            T: "select doubled(r.v + 1) as d, doubled(r.v, by := 3) as e, getvariable('currency') as c, getvariable('rate') as f from recent(7) as r",
        }
    )
    assert found.query() == (
        "SELECT ((r.v + 1) * 2) AS d, (r.v * 3) AS e, {{ dbt_kinds.text_literal(var('currency')) }} AS c, {{ var('rate') }} AS f "
        "FROM ( SELECT id, v FROM {{ ref('s') }} AS s WHERE id > 7 ) AS r"
    )
    assert found.project.variables == {"currency": "SEK", "rate": -0.25}
    assert [(f.place.file, f.code.name, f.severity) for f in found.findings if f.place.file.startswith("config/")] == [
        ("config/secrets.sql", "NotCarried", "info"),
        ("config/variables.sql", "NotCarried", "info"),
    ]


def test_tests_of_the_project_are_copied_and_called() -> None:
    test = "{% test balanced(model, column, tolerance=0) %}select 1 from {{ model }} where false{% endtest %}"
    found = read({"tests/balanced.sql": test, T: "-- @audit: balanced(v, 2)\n-- @constraint: balanced\n" + Q})
    assert "{'balanced': {'name': 'balanced', 'over': 'batch'}}" in found.texts()["models/mart/t.sql"]
    assert (
        "{'balanced': {'column': 'v', 'tolerance': 2, 'name': 'balanced(v, 2)', 'over': 'table'}}"
        in found.texts()["models/mart/t.sql"]
    )
    assert "tests/generic/balanced.sql" in found.texts()
    assert read({"tests/balanced.sql": test, T: "-- @audit: balanced(a, 1, 2)\n" + Q}).found("error") == [
        ("InvalidCheck", 1)
    ]


def test_models_that_are_no_sql_are_told() -> None:
    found = read({T: Q, "models/raw/api.star": "x = 1", "lib/crm.star": "", "models/raw/r.yaml": "a: 1"})
    assert found.found("warning") == [("NotCarried", 1), ("NotCarried", 1)]


# --- the commands


def project(root: Path) -> Path:
    files = {
        T: "-- @kind: append\n-- @wat: x\n" + Q,
        "models/mart/u.sql": "-- @kind: append\nselect count(*) as n from mart.t",
    }
    return write_files(root, files)


def test_a_project_is_recognised_by_its_headers(tmp_path: Path) -> None:
    assert is_ondatrasql_project(project(tmp_path))
    assert not is_ondatrasql_project(write_files(tmp_path / "plain", {T: Q}))
    write_files(tmp_path, {"dbt_project.yml": "name: x"})
    assert not is_ondatrasql_project(tmp_path)


def test_compile_refuses_one_model_and_writes_the_others(tmp_path: Path) -> None:
    report = compile_project(CompileRequest(project(tmp_path / "in"), tmp_path / "out"))
    assert report.summary == {"converted": 1, "needs_person": 1, "refused": 1}
    assert report.exit_code(strict=False) == 1
    assert (tmp_path / "out/models/mart/t.sql").is_file()
    assert not (tmp_path / "out/models/mart/u.sql").exists()
    assert "+file_format: iceberg" in (tmp_path / "out/dbt_project.yml").read_text()


def test_a_refused_shape_is_let_through_or_built_anew_when_it_is_said(tmp_path: Path) -> None:
    root = project(tmp_path / "in")
    request = CompileRequest(root, tmp_path / "a", "ondatrasql", allow_delta=("mart.u:aggregates",))
    assert compile_project(request).summary["refused"] == 0
    text = (tmp_path / "a/models/mart/u.sql").read_text()
    assert "'delta_overrides': ['aggregates']" in text
    assert "changes_of(ref('t'))" in text
    compile_project(CompileRequest(root, tmp_path / "b", allow_downgrade=True))
    text = (tmp_path / "b/models/mart/u.sql").read_text()
    assert "materialized='full'" in text
    assert "changes_of" not in text


@pytest.mark.parametrize("written", ["mart.u", "mart.u:limit", ":aggregates", "mart.u:totals"])
def test_only_codes_that_can_be_let_through_are(written: str) -> None:
    with pytest.raises(UnknownOverrideError):
        allowed_deltas([written])


def run(*arguments: object) -> tuple[int, str]:
    result = CliRunner().invoke(main, ["check", *map(str, arguments)])
    return result.exit_code, result.stdout


def test_check_says_what_compile_would_and_writes_nothing(tmp_path: Path) -> None:
    root = project(tmp_path)
    before = sorted(tmp_path.rglob("*"))
    code, stdout = run(root, "--from", "ondatrasql", "--json")
    assert (code, sorted(tmp_path.rglob("*"))) == (1, before)
    found = json.loads(stdout)
    assert [(one["code"], one["severity"], one["path"], one["line"], one["column"]) for one in found] == [
        ("UnknownDirective", "warning", T, 2, 4),
        ("ExternalReference", "info", T, 3, 23),
        ("aggregates", "error", "models/mart/u.sql", 2, 8),
    ]
    assert set(found[0]) == {"code", "severity", "path", "line", "column", "message"}


def test_check_is_strict_when_it_is_told_to_be(tmp_path: Path) -> None:
    root = write_files(tmp_path, {T: "-- @wat: x\n" + Q})
    assert [run(root, "--from", "ondatrasql")[0], run(root, "--from", "ondatrasql", "--strict")[0]] == [0, 1]
    assert run(tmp_path / "nothing", "--from", "ondatrasql")[0] == 2

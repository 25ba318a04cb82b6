"""Groups of rows, replaced together when one of them changed: compared with the query after every run."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import pytest

from tests.functional.faults import broken_connection
from tests.functional.project import Project
from tests.sweep import rest

TYPES = (
    "grp string, n int, amount decimal(10, 2), score double, at timestamp, tags array<string>, "
    "attributes map<string, struct<a: int, b: string>>, address struct<city: string, zip: int>"
)
QUERY = "select * from {{ target.schema }}.lines"
HIDDEN = "_content_hash"


def tracked(project: Project, file_format: str, sql: str = QUERY, **meta: Any) -> None:
    given = {"group_key": ["grp"], "start": None, **meta}
    project.kind("invoices", sql, kind="tracked", config=f"file_format='{file_format}'", **given)


def lines(project: Project, rows: str | None = None) -> None:
    """What the source holds from now on, as values of its columns."""
    project.sql("create schema if not exists {schema}")
    columns = [column.split(" ", 1) for column in _columns()]
    cast = ", ".join(f"cast({name} as {kind}) as {name}" for name, kind in columns)
    names = ", ".join(name for name, _ in columns)
    empty = ", ".join(f"cast(null as {kind}) as {name}" for name, kind in columns)
    values = f"select {cast} from values {rows} as v({names})" if rows else f"select {empty} where false"
    project.sql(f"create or replace view {{schema}}.lines as {values}")


def _columns() -> list[str]:
    parts, depth = [""], 0
    for letter in TYPES:
        depth += (letter in "<(") - (letter in ">)")
        if letter == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += letter
    return [part.strip() for part in parts]


def line(group: str, n: int, *more: str) -> str:
    given = [*more, *["null"] * (6 - len(more))]
    return f"('{group}', {n}, {', '.join(given)})"


def held(project: Project) -> Counter[str]:
    """The rows of the table without the hash."""
    selected = ", ".join(column.split()[0] for column in _columns() if not column.startswith("attributes"))
    as_list = "array_sort(map_entries(attributes)) as attributes"
    return Counter(map(repr, project.sql(f"select {selected}, {as_list} from {{schema}}.invoices")))


def wanted(project: Project) -> Counter[str]:
    """Those of the source."""
    selected = ", ".join(column.split()[0] for column in _columns() if not column.startswith("attributes"))
    as_list = "array_sort(map_entries(attributes)) as attributes"
    return Counter(map(repr, project.sql(f"select {selected}, {as_list} from {{schema}}.lines")))


def run(project: Project, **variables: Any) -> str:
    return project.run("-s", "invoices", **variables).messages["invoices"]


def test_what_differs_in_any_type_is_replaced_and_nothing_else(project: Project, file_format: str) -> None:
    tracked(project, file_format)
    full = ["1.10", "0.5", "timestamp '2024-01-01 00:00:00.000001'", "array('a', null)"]
    nested = "map('x', struct(1 as a, 'u' as b), 'y', struct(2 as a, 'v' as b))"
    steps: list[tuple[list[str], int]] = [
        ([line("a", 1, *full, nested, "struct('oslo', 1)"), line("b", 1)], 2),
        # maps have no order
        ([line("a", 1, *full, "map('y', struct(2 as a, 'v' as b), 'x', struct(1 as a, 'u' as b))", "struct('oslo', 1)"), line("b", 1)], 0),
        ([line("a", 1, *full, nested.replace("'v'", "null"), "struct('oslo', 1)"), line("b", 1)], 1),
        ([line("a", 1, *full, nested.replace("'v'", "null"), "struct('oslo', null)"), line("b", 1)], 1),
        ([line("a", 1, *full[:2], "timestamp '2024-01-01 00:00:00.000002'", full[3], nested.replace("'v'", "null"), "struct('oslo', null)"), line("b", 1)], 1),
        ([line("a", 1, *full[:2], "timestamp '2024-01-01 00:00:00.000002'", "array(null, 'a')", nested.replace("'v'", "null"), "struct('oslo', null)"), line("b", 1)], 1),
        ([line("b", 1, "null", "-0.0")], 1),
        ([line("b", 1, "null", "0.0")], 0),
        ([line("b", 1, "null", "double('nan')"), line("b", 1, "null", "double('nan')")], 2),
        ([line("b", 1, "null", "double('nan')"), line("b", 1, "null", "double('nan')")], 0),
    ]  # fmt: skip
    for number, (rows, written) in enumerate(steps):
        lines(project, ", ".join(rows))
        said = run(project)
        words = f"{written} row{'s' if written != 1 else ''}"
        assert said == (f"backfill: first run, {words}" if number == 0 else f"incremental: {words}"), number
        assert held(project) == wanted(project), number


@pytest.mark.parametrize("setting", ["error", "keep", "delete"])
def test_a_source_without_rows_is_what_somebody_said(project: Project, file_format: str, setting: str) -> None:
    tracked(project, file_format, empty_source=setting)
    lines(project, ", ".join([line("a", 1), line("b", 2)]))
    run(project)
    before = held(project)
    lines(project)
    done = project.dbt("run", "-s", "invoices")
    assert done.success is (setting != "error")
    if setting == "error":
        assert "returned no rows" in done.messages["invoices"]
    assert held(project) == (Counter() if setting == "delete" else before)
    lines(project, line("a", 1))
    run(project)
    assert held(project) == wanted(project)


@pytest.mark.core
def test_a_query_that_is_refused_leaves_the_table_and_its_record(project: Project, file_format: str) -> None:
    tracked(project, file_format, on_query_change="rebuild")
    lines(project, line("a", 1))
    run(project)
    tracked(
        project,
        file_format,
        QUERY + " union all select null, 1, null, null, null, null, null, null",
        on_query_change="rebuild",
    )
    refused = project.dbt("run", "-s", "invoices")
    assert "NULL in group_key: 1 of 2 rows have no grp" in refused.messages["invoices"]
    assert held(project) == wanted(project)
    tracked(project, file_format, QUERY + " where n > 0", on_query_change="rebuild")
    assert run(project) == "backfill: sql changed, 1 row"
    assert not project.sql("show tables in {schema} like '*__kinds_stage_*'")


@pytest.mark.core
@pytest.mark.parametrize(
    ("statement", "done"),
    rest(
        [
            ("merge into|insert overwrite", False),
            ("merge into|insert overwrite", True),
            ("'loaded'", False),
            ("create table .*actions", True),
        ],
        ("merge into|insert overwrite", True),
    ),
)
def test_a_run_cut_short_is_made_good_by_the_next(
    project: Project, file_format: str, statement: str, done: bool
) -> None:
    tracked(project, file_format)
    lines(project, ", ".join([line("a", 1), line("b", 2)]))
    run(project)
    lines(project, ", ".join([line("a", 1), line("a", 3), line("c", 2)]))
    with broken_connection(statement, done=done) as broken_at:
        project.dbt("run", "-s", "invoices")
    assert broken_at
    project.operation("release_lease", select="invoices")
    run(project)
    assert held(project) == wanted(project)
    assert run(project) == "incremental: 0 rows"


def test_readers_rest_while_no_group_changes(project: Project, file_format: str) -> None:
    tracked(project, file_format)
    total = "select count(*) as n from {{ ref('invoices') }}"
    project.kind("totals", total, kind="full", config=f"file_format='{file_format}'", start=None, skip_unchanged=True)
    lines(project, line("a", 1))
    project.run()
    assert project.run().messages == {"invoices": "incremental: 0 rows", "totals": "skip: deps unchanged"}
    lines(project, line("a", 2))
    again = project.run()
    assert again.messages["totals"] == f"full: dep changed: {project.schema}.invoices, 1 row"


def test_constraints_see_the_query_and_audits_the_table(project: Project, file_format: str) -> None:
    audits = [
        {"not_null": {"column_name": "n", "name": "not_null(n)"}},
        {"dbt_kinds.number_of_rows": {"threshold": 1, "name": "row_count(>, 1)", "over": "table"}},
    ]
    tracked(project, file_format, audits=audits)
    lines(project, ", ".join([line("a", 1), line("b", 2)]))
    run(project)
    lines(project, "('a', null, null, null, null, null, null, null)")
    refused = project.dbt("run", "-s", "invoices").messages["invoices"]
    assert "constraint failed: not_null(n)" in refused
    assert "audit failed: row_count(>, 1)" in refused
    assert sum(held(project).values()) == 2
    lines(project, ", ".join([line("a", 1), line("b", 3)]))
    assert run(project) == "incremental: 1 row"


@pytest.mark.sweep
def test_after_any_changes_the_table_is_the_query(project: Project, file_format: str) -> None:
    tracked(project, file_format, empty_source="delete")
    chosen = random.Random(7)
    for _ in range(25):
        rows = [
            line(chosen.choice("abcd"), chosen.randrange(3), chosen.choice(["null", "1.00", "0"]))
            for _ in range(chosen.randrange(8))
        ]
        lines(project, ", ".join(rows) or None)
        run(project)
        assert held(project) == wanted(project)

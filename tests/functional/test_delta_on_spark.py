"""What is Delta's own, on Spark: `make delta` runs this file where the folder KINDS_JARS has Delta's jars."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.functional.delta import BY_DAY, DAYS, kind, needs_delta, operations, source, upkeep
from tests.functional.faults import broken_connection, happening_before
from tests.functional.project import Project

pytestmark = needs_delta

CONTRACT = """version: 2
models:
  - name: {name}
    config: {{contract: {{enforced: true}}, persist_docs: {{columns: true}}}}
    constraints: [{{type: check, name: small, expression: "id < 100"}}]
    columns:
      - {{name: id, data_type: int, description: "the number", constraints: [{{type: not_null}}]}}
      - {{name: day, data_type: date, description: "its day"}}
"""


def contract(project: Project, name: str) -> None:
    (project.folder / "models" / f"{name}.yml").write_text(CONTRACT.format(name=name))


def test_a_contract_holds_before_the_first_row(project: Project) -> None:
    source(project, "(1, date '2024-01-01'), (2, date '2024-01-02')")
    for name, materialized in (("daily", "incremental_by_time_range"), ("whole", "full")):
        kind(project, name, kind=materialized)
        contract(project, name)
    run = project.run(now="2024-01-03")
    assert run.success, run.errors
    for name in ("daily", "whole"):
        assert project.rows(f"select id from {{schema}}.{name}") == [(1,), (2,)]
        columns = project.sql(f"describe detail {{schema}}.{name}")[0]
        assert "delta.constraints.small" in str(columns)
    project.sql("insert into {schema}.source_rows values (null, date '2024-01-03')")
    refused = project.dbt("run", now="2024-01-04")
    assert "violated" in refused.errors
    assert project.rows("select id from {schema}.daily") == [(1,), (2,)]
    project.sql("delete from {schema}.source_rows where id is null")
    project.sql("insert into {schema}.source_rows values (100, date '2024-01-03')")
    assert "small" in project.dbt("run", "-s", "daily", now="2024-01-04").errors


def test_comments_that_stay_are_not_written_again(project: Project) -> None:
    source(project, "(1, date '2024-01-01'), (2, date '2024-01-02')")
    kind(project, "daily")
    contract(project, "daily")
    project.run(now="2024-01-02")
    before = operations(project, "daily").count("CHANGE COLUMN")
    project.run(now="2024-01-03")
    assert operations(project, "daily").count("CHANGE COLUMN") == before
    text = (project.folder / "models" / "daily.yml").read_text()
    (project.folder / "models" / "daily.yml").write_text(text.replace("its day", "the day it happened"))
    project.sql("insert into {schema}.source_rows values (3, date '2024-01-03')")
    project.run(now="2024-01-04")
    assert operations(project, "daily").count("CHANGE COLUMN") == before + 1
    comments = {row[0]: row[2] for row in project.sql("describe table {schema}.daily")}
    assert (comments["id"], comments["day"]) == ("the number", "the day it happened")


def test_what_delta_does_not_take_is_refused_in_words(project: Project) -> None:
    source(project, "(1, date '2024-01-01')")
    spaced = "select id as `my id`, day from {{ target.schema }}.source_rows"
    kind(project, "spaced", spaced)
    kind(project, "mapped", spaced, config=", tblproperties={'delta.columnMapping.mode': 'name'}")
    kind(project, "by_expression", config=", partition_by=['days(day)']")
    kind(project, "only_appended", config=", tblproperties={'delta.appendOnly': 'true'}")
    run = project.dbt("run", now="2024-01-02")
    assert "tblproperties={'delta.columnMapping.mode': 'name'}" in run.errors
    assert "partition_by 'days(day)' is an expression" in run.errors
    assert "makes the table delta.appendOnly" in run.errors
    assert project.rows("select `my id` from {schema}.mapped") == [(1,)]
    assert not any(project.table_exists(name) for name in ("spaced", "by_expression", "only_appended"))


@pytest.mark.parametrize("materialized", ["incremental_by_time_range", "incremental_by_unique_key", "full"])
def test_a_table_is_clustered(project: Project, materialized: str) -> None:
    source(project, "(1, date '2024-01-01'), (2, date '2024-01-02')")
    key = {"unique_key": "id"} if materialized == "incremental_by_unique_key" else {}
    query = DAYS if materialized == "full" else BY_DAY
    kind(project, "clustered", query, materialized, ", liquid_clustered_by='day'", **key)
    # somebody else's table that is clustered is adopted as it is
    kind(project, "found", query, materialized, **key)
    project.sql("create table {schema}.found (id int, day date) using delta cluster by (id)")
    project.run("--full-refresh", "-s", "clustered", now="2024-01-03")
    project.sql("insert into {schema}.source_rows values (3, date '2024-01-03')")
    project.run(now="2024-01-04")
    for name, column in (("clustered", "day"), ("found", "id")):
        assert project.rows(f"select id from {{schema}}.{name}") == [(1,), (2,), (3,)]
        assert materialized == "full" or _clustered_by(project, name) == f'[["{column}"]]'
    assert _clustered_by(project, "clustered") == '[["day"]]'


def _clustered_by(project: Project, name: str) -> str | None:
    properties = dict(project.sql(f"show tblproperties {{schema}}.{name}"))
    return properties.get("clusteringColumns")


FEED = "tblproperties (delta.enableChangeDataFeed = true)"
WATCHED = "select id, day from {{ dbt_kinds.window_of(source('raw', 'source_rows'), 'day') }} as s"


def test_late_rows_are_found_by_the_change_data_feed(project: Project) -> None:
    source(project, "(1, date '2024-01-01'), (2, date '2024-01-02'), (3, date '2024-01-03')", FEED)
    (project.folder / "models" / "sources.yml").write_text(
        "version: 2\nsources:\n  - {name: raw, schema: '{{ target.schema }}', tables: [{name: source_rows}]}\n"
    )
    kind(project, "daily", WATCHED, lookback="auto")
    project.run(now="2024-01-04")
    for statement, day in (
        ("insert into {schema}.source_rows values (12, date '2024-01-02')", "2024-01-02"),
        ("delete from {schema}.source_rows where id = 3", "2024-01-03"),
        ("update {schema}.source_rows set id = 11 where id = 1", "2024-01-01"),
    ):
        project.sql(statement)
        run = project.run(now="2024-01-04")
        assert [start[:10] for start, _ in run.batches("daily")] == [day], (statement, run.log)
        assert project.rows("select id, day from {schema}.daily") == project.rows(
            "select id, day from {schema}.source_rows"
        )
    # a compaction changes no row
    project.sql("optimize {schema}.source_rows")
    assert project.run(now="2024-01-04").messages == {"daily": "OK up to date"}


def test_a_source_without_a_feed_is_refused_until_it_is_turned_on(project: Project) -> None:
    source(project, "(1, date '2024-01-01')")
    (project.folder / "models" / "sources.yml").write_text(
        "version: 2\nsources:\n  - {name: raw, schema: '{{ target.schema }}', tables: [{name: source_rows}]}\n"
    )
    kind(project, "daily", WATCHED, lookback="auto")
    refused = project.dbt("run", now="2024-01-02")
    assert "set tblproperties (delta.enableChangeDataFeed = true)" in refused.errors
    project.sql("alter table {schema}.source_rows set " + FEED)
    assert project.run(now="2024-01-02").success
    project.sql("insert into {schema}.source_rows values (2, date '2024-01-01')")
    project.run(now="2024-01-02")
    assert project.rows("select id from {schema}.daily") == [(1,), (2,)]


def captured(project: Project, name: str, kind_: str = "append", **meta: Any) -> None:
    (project.folder / "models" / "sources.yml").write_text(
        "version: 2\nsources:\n  - {name: raw, schema: '{{ target.schema }}', tables: [{name: source_rows}]}\n"
    )
    sql = "select id, day from {{ dbt_kinds.changes_of(source('raw', 'source_rows')) }} as s"
    kind(project, name, sql, kind_, start=None, capture="snapshot", **meta)


@pytest.mark.parametrize("done", [False, True])
def test_upkeep_between_a_write_and_its_record_leaves_no_doubt(project: Project, done: bool) -> None:
    source(project, "(1, date '2024-01-01'), (2, date '2024-01-02')")
    kind(project, "added", BY_DAY, kind="incremental_unmanaged")
    captured(project, "gained")
    project.run(now="2024-01-03")
    project.sql("insert into {schema}.source_rows values (3, date '2024-01-03')")
    for name in ("added", "gained"):
        with broken_connection(rf"insert into \S*\.{name}\b", done=done) as broken_at:
            project.dbt("run", "-s", name, now="2024-01-04")
        assert broken_at
        project.operation("release_lease", select=name)
        upkeep(project, name)
        run = project.run("-s", name, now="2024-01-04")
        assert ("had written" in "\n".join(run.log)) == done, run.log
        assert project.rows(f"select id from {{schema}}.{name}") == [(1,), (2,), (3,)]


def test_upkeep_of_what_is_captured_is_no_change(project: Project) -> None:
    source(project, "(1, date '2024-01-01'), (2, date '2024-01-02')")
    captured(project, "gained", on_lost_history="error")
    captured(project, "keyed", "incremental_by_unique_key", unique_key="id")
    project.run()
    upkeep(project, "source_rows")
    assert set(project.run().messages.values()) == {"incremental: 0 rows"}
    project.sql("insert into {schema}.source_rows values (3, date '2024-01-03')")
    upkeep(project, "source_rows")
    # the version of the last load is gone: its files were merged into others and removed
    run = project.dbt("run")
    assert "is gone, so its new rows cannot be determined; to replace all rows, use --full-refresh" in run.errors
    assert run.statuses["keyed"] == "success"
    assert project.rows("select id from {schema}.keyed") == [(1,), (2,), (3,)]
    assert project.rows("select id from {schema}.gained") == [(1,), (2,)]
    captured(project, "gained", on_lost_history="reload")
    assert "history is gone" in project.run("-s", "gained").messages["gained"]
    assert project.rows("select id from {schema}.gained") == [(1,), (2,), (3,)]


def test_the_threads_of_a_first_run_make_one_store(project: Project) -> None:
    source(project, "(1, date '2024-01-01'), (2, date '2024-01-02')")
    for number in range(6):
        kind(project, f"daily_{number}")
    run = project.dbt("run", now="2024-01-03", store_format="delta")
    assert set(run.statuses.values()) == {"success"}, run.errors
    assert operations(project, "dbt_kinds_intervals")[0] == "CREATE TABLE"
    for number in range(6):
        assert project.rows(f"select id from {{schema}}.daily_{number}") == [(1,), (2,)]
        assert project.recorded(f"daily_{number}") == [["2024-01-01", "2024-01-03"]]


def test_a_source_that_is_dropped_and_made_anew_is_another_table(project: Project) -> None:
    source(project, "(1, date '2024-01-01'), (2, date '2024-01-02')", FEED)
    captured(project, "gained", on_lost_history="reload")
    captured(project, "keyed", "incremental_by_unique_key", unique_key="id")
    kind(project, "whole", "select id, day from {{ source('raw', 'source_rows') }}", "full", skip_unchanged=True)
    kind(project, "watched", WATCHED, lookback="auto", on_lost_history="reload")
    project.run(now="2024-01-03")
    kept = {1, 2}
    # its newest version has the number that was noted, then one that is greater
    for written in (
        ["(1, date '2024-01-01'), (3, date '2024-01-02')"],
        [f"({id}, date '2024-01-02')" for id in (4, 5, 6)],
    ):
        project.sql("drop table {schema}.source_rows")
        project.sql("create table {schema}.source_rows (id int, day date) using delta " + FEED)
        for rows in written:
            project.sql("insert into {schema}.source_rows values " + rows)
        project.run(now="2024-01-03")
        there = project.rows("select distinct id from {schema}.source_rows")
        kept |= {id for (id,) in there}
        for name in ("gained", "whole", "watched"):
            assert project.rows(f"select distinct id from {{schema}}.{name}") == there, name
        assert {id for (id,) in project.sql("select id from {schema}.keyed")} == kept
    idle = project.run(now="2024-01-03").messages
    assert idle["watched"] == "OK up to date" and idle["whole"] == "skip: deps unchanged", idle


@pytest.mark.parametrize("has_feed", [True, False])
def test_what_is_captured_is_read_from_the_feed_where_it_is_on(project: Project, has_feed: bool) -> None:
    source(project, "(1, date '2024-01-01'), (1, date '2024-01-01'), (2, date '2024-01-02')", FEED if has_feed else "")
    captured(project, "gained")
    captured(
        project,
        "keyed",
        "incremental_by_unique_key",
        unique_key=["id", "day"],
        duplicate_keys="keep_latest",
        order_by="day",
    )
    project.run()
    expected = project.rows("select id from {schema}.gained")
    for statements, gained in (
        (["insert into {schema}.source_rows values (3, date '2024-01-03'), (3, date '2024-01-03')"], [3, 3]),
        # an update arrives as a row, a copy of a row that stays as one, too; what was removed again does not
        (["update {schema}.source_rows set id = 4 where id = 2", "insert into {schema}.source_rows values (1, date '2024-01-01')"], [1, 4]),
        (["insert into {schema}.source_rows values (5, date '2024-01-03'), (6, date '2024-01-03')", "delete from {schema}.source_rows where id = 5", "optimize {schema}.source_rows"], [6]),
    ):  # fmt: skip
        for statement in statements:
            project.sql(statement)
        run = project.run()
        assert any("table_changes(" in sent for sent in run.statements) == has_feed
        expected += [(number,) for number in gained]
        assert project.rows("select id from {schema}.gained") == sorted(expected), statements
        assert {row[0] for row in expected} == {row[0] for row in project.sql("select id from {schema}.keyed")}
    project.sql("alter table {schema}.source_rows set tblproperties (delta.enableChangeDataFeed = false)")
    project.sql("insert into {schema}.source_rows values (7, date '2024-01-03')")
    assert not any("table_changes(" in sent for sent in project.run().statements)
    assert project.rows("select id from {schema}.gained") == sorted([*expected, (7,)])


def test_all_that_lies_beside_a_store_is_made_once(project: Project, tmp_path: Path) -> None:
    project.settings["vars"] = {"kinds_store_format": "delta"}
    source(project, "(1, date '2024-01-01'), (2, date '2024-01-02')")
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "1.jsonl").write_text('{"id": 1}\nno JSON\n')
    for number in (1, 2):
        columns = [{"name": "id", "data_type": "int"}]
        kind(project, f"landed_{number}", "-- in meta", "events", start=None, columns=columns, landing={"path": str(tmp_path / "in")})  # fmt: skip
        kind(project, f"pushed_{number}", BY_DAY, "incremental_by_unique_key", unique_key="id", sink={"function": "f"})
        kind(project, f"audited_{number}", audits=[{"dbt_kinds.accepted_range": {"column_name": "id", "max_v": 2}}])
    project.run(now="2024-01-03")
    project.sql("insert into {schema}.source_rows values (3, date '2024-01-03')")
    (tmp_path / "in" / "2.jsonl").write_text('{"id": 2}\n')
    run = project.dbt("run", now="2024-01-04")
    for number in (1, 2):
        assert "accepted_range_id" in run.messages[f"audited_{number}"]
        assert project.rows(f"select id from {{schema}}.audited_{number}") == [(1,), (2,)]
        assert project.rows(f"select id from {{schema}}.landed_{number}") == [(1,), (2,)]
        assert project.rows(f"select text from {{schema}}.landed_{number}__rejected") == [("no JSON",)]
        assert project.rows(f"select id from {{schema}}.pushed_{number}") == [(1,), (2,), (3,)]
    rows = "select relation, count(*) from {schema}.dbt_kinds_outbox where event = 'change' group by 1"
    assert [row[1] for row in project.rows(rows)] in ([1, 1], [3, 3])
    for log in ("intervals", "ingested", "outbox"):
        assert operations(project, f"dbt_kinds_{log}").count("CREATE TABLE") == 1
        upkeep(project, f"dbt_kinds_{log}")
    assert not project.sql("show tables in {schema} like '*_creator'")
    project.sql("delete from {schema}.source_rows where id = 3")
    again = project.run(now="2024-01-04").messages
    assert [again[f"landed_{number}"] for number in (1, 2)] == ["flush: 0 rows"] * 2
    assert [again[f"pushed_{number}"] for number in (1, 2)] == ["OK up to date"] * 2
    assert project.recorded("audited_1") == [["2024-01-01", "2024-01-04"]]


def test_a_table_that_was_put_back_is_noticed(project: Project) -> None:
    source(project, "(1, date '2024-01-01'), (2, date '2024-01-02'), (3, date '2024-01-03'), (4, date '2024-01-04')")
    kind(project, "ranged")
    kind(project, "dated", DAYS, "scd_type_2_by_column", unique_key="id", columns=["day"], start=None)
    project.run(now="2024-01-03")
    versions = {name: project.sql(f"describe history {{schema}}.{name} limit 1")[0][0] for name in ("ranged", "dated")}
    project.run(now="2024-01-04")
    assert project.operation("doctor")["findings"] == []
    for name, version in versions.items():
        project.sql(f"restore table {{schema}}.{name} to version as of {version}")
    found = {one["about"].split(".")[1]: one for one in project.operation("doctor", raises=False)["findings"]}
    assert "2024-01-03T00:00:00 to 2024-01-04T00:00:00" in found["ranged"]["wrong"]
    assert "forget --args '{select: ranged" in found["ranged"]["remedy"]
    # a run that writes says it, too
    run = project.run("-s", "ranged", now="2024-01-05")
    assert "ranged was put back to an older version" in run.errors
    assert project.rows("select id from {schema}.ranged") == [(1,), (2,), (4,)]
    project.operation("forget", select="ranged", start="2024-01-03", end="2024-01-04")
    assert "put back" not in project.run("-s", "ranged", now="2024-01-05").errors
    assert project.rows("select id from {schema}.ranged") == [(1,), (2,), (3,), (4,)]
    assert "ranged" not in str(project.operation("doctor", raises=False)["findings"])


def test_a_table_may_be_called_like_a_word_of_delta(project: Project) -> None:
    source(project, "(1, date '2024-01-01'), (2, date '2024-01-02')")
    for feed in ("timestamp", "location"):
        project.sql(f"create table {{schema}}.{feed} using delta as select id, day from {{schema}}.source_rows")
    project.sql("alter table {schema}.timestamp set " + FEED)
    (project.folder / "models" / "sources.yml").write_text(
        "version: 2\nsources:\n  - {name: raw, schema: '{{ target.schema }}', tables: [{name: timestamp}, {name: location}]}\n"
    )
    kind(project, "version", BY_DAY)
    contract(project, "version")
    kind(project, "history", DAYS, "scd_type_2_by_column", unique_key="id", columns=["day"], start=None)
    kind(project, "replace", WATCHED.replace("source_rows", "timestamp"), lookback="auto")
    captures = "select id, day from {{{{ dbt_kinds.changes_of(source('raw', '{}')) }}}} as s"
    kind(project, "comment", captures.format("timestamp"), "append", start=None, capture="snapshot")
    kind(project, "constraint", captures.format("location"), "append", start=None, capture="snapshot")
    kind(project, "detail", BY_DAY, "incremental_by_unique_key", unique_key="id")
    project.settings["vars"] = {"kinds_store_format": "delta"}
    tables = ("version", "history", "replace", "comment", "constraint", "detail")
    for day in (3, 4):
        run = project.dbt("run", now=f"2024-01-{day:02}")
        assert run.success, run.errors
        for table in tables:
            expected = project.rows("select id from {schema}.source_rows")
            assert project.rows(f"select id from {{schema}}.{table}") == expected, table
        for table in ("source_rows", "timestamp", "location"):
            project.sql(f"insert into {{schema}}.{table} values ({day}, date '2024-01-{day:02}')")
    assert "delta.constraints.small" in str(project.sql("describe detail {schema}.`version`"))
    assert project.operation("doctor")["findings"] == []


# the creation of a table of a model, not of the store
CREATION = r"create (or replace )?table \S+[.]`?(daily|whole|lettered|agreed|agreed_whole|made)\b"


def leave_remains(project: Project, table: str) -> None:
    """The folder of a table that the metastore does not know: its creation was killed behind Delta's commit."""
    project.sql(f"create table {{schema}}.{table} using delta as select 9 as id")
    folder = Path(project.sql(f"describe detail {{schema}}.{table}")[0][4].removeprefix("file:"))
    shutil.copytree(folder, folder.with_name("aside"))
    project.sql(f"drop table {{schema}}.{table}")
    folder.with_name("aside").rename(folder)


def test_what_a_killed_creation_left_is_in_the_way_of_no_table(project: Project) -> None:
    source(project, "(1, date '2024-01-01'), (2, date '2024-01-02')")
    kind(project, "daily")
    kind(project, "whole", kind="full")
    kind(project, "lettered", "select id, day, cast('a' as varchar(3)) as letter from {{ target.schema }}.source_rows")
    for name, materialized in (("agreed", "incremental_by_time_range"), ("agreed_whole", "full")):
        kind(project, name, kind=materialized)
        contract(project, name)
    tables = ("daily", "whole", "lettered", "agreed", "agreed_whole")
    leave_remains(project, "dbt_kinds_intervals")
    # the run that died had been elected to create the store
    project.sql(
        "create table {schema}.dbt_kinds_intervals_creator (invocation_id string) stored as textfile "
        "tblproperties ('kinds_invocation_id' = 'gone')"
    )
    project.settings["vars"] = {"kinds_store_format": "delta"}
    # a run that dies had claimed its tables
    with broken_connection(CREATION) as broken_at:
        assert not project.dbt("run", now="2024-01-03").success
    assert broken_at
    project.operation("release_lease", select=" ".join(tables))
    for table in tables:
        leave_remains(project, table)
    for day in (3, 4):
        project.run(now=f"2024-01-{day:02}")
        expected = project.rows("select id from {schema}.source_rows")
        assert all(project.rows(f"select id from {{schema}}.{table}") == expected for table in tables)
        project.sql(f"insert into {{schema}}.source_rows values ({day}, date '2024-01-{day:02}')")
    assert project.recorded("daily") == [["2024-01-01", "2024-01-04"]]
    for table in ("agreed", "agreed_whole"):
        assert "delta.constraints.small" in str(project.sql(f"describe detail {{schema}}.{table}"))
    assert not project.table_exists("dbt_kinds_intervals_creator")


@pytest.mark.parametrize("of", ["incremental_by_time_range", "full"])
def test_a_table_that_somebody_makes_in_that_moment_is_not_replaced(project: Project, of: str) -> None:
    source(project, "(1, date '2024-01-01'), (2, date '2024-01-02')")
    kind(project, "made", kind=of)
    theirs = "create table {schema}.made using delta as select 7 as id, date '2024-01-01' as day"
    with happening_before(CREATION, lambda: project.sql(theirs)):
        run = project.dbt("run", now="2024-01-03")
    assert not run.success and "already exists" in run.errors, run.errors
    assert project.rows("select id from {schema}.made") == [(7,)]
    assert operations(project, "made") == ["CREATE TABLE AS SELECT"]


def test_a_folder_that_no_claim_tells_of_is_in_the_way_of_one_run(project: Project) -> None:
    source(project, "(1, date '2024-01-01'), (2, date '2024-01-02')")
    kind(project, "daily")
    leave_remains(project, "daily")
    run = project.dbt("run", now="2024-01-03")
    assert not run.success and "DELTA_CREATE_TABLE_WITH_NON_EMPTY_LOCATION" in run.errors, run.errors
    project.run(now="2024-01-03")
    assert project.rows("select id from {schema}.daily") == [(1,), (2,)]

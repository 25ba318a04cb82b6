"""`dbt-kinds migrate --prove`: what it finds equal, what it finds different, and how it says so."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import sqlglot
from click.testing import CliRunner
from sqlglot import exp

from dbt_kinds.cli import main
from dbt_kinds.migrate.conversion import MigrateOptions
from dbt_kinds.migrate.page import render_page
from dbt_kinds.migrate.parents import Parents
from dbt_kinds.migrate.project import resolved
from dbt_kinds.migrate.results import Migration, Result
from dbt_kinds.prove.comparison import Comparison
from dbt_kinds.prove.preparation import prepared
from dbt_kinds.prove.prover import prove
from dbt_kinds.prove.stand_ins import with_stand_ins
from dbt_kinds.prove.types import made_of
from dbt_kinds.prove.uses import DATE, FLAG, NUMBER, TEXT, TIME, used_as
from dbt_kinds.prove.verdict import Verdict
from dbt_kinds.readers.dbt.project import read_project
from tests.unit.migrating import migrated, one, write_project
from tests.unit.test_migrate import filtered, incremental

RUNS = 16
MERGED = "incremental_strategy='merge', unique_key='id'"
BY_DAY = "incremental_strategy='insert_overwrite', partition_by=['day']"
DAY = "id, cast(event_at as date) as day, event_at, amount"
MICROBATCH = "incremental_strategy='microbatch', event_time='event_at', begin='2020-01-01', batch_size='day'"


def proved(result: Result, root: Path, runs: int = RUNS, seed: int = 1) -> Verdict:
    project = read_project(root)
    options = resolved(MigrateOptions(), project, root, "databricks")
    return prove(result, project, options, Parents(project, "databricks", "databricks"), runs, seed)


def verdict_of(root: Path, text: str, **files: str) -> Verdict:
    return proved(one(migrated(root, {"m": text, **files})), root)


EQUAL = {
    "by arrival": filtered("updated_at > (select max(updated_at) from {{ this }})", "id, updated_at, amount", MERGED),
    "newest value": filtered("event_at > (select max(event_at) from {{ this }})", "id, event_at, amount"),
    "a day of partitions": filtered("cast(event_at as date) >= (select max(day) from {{ this }})", DAY, BY_DAY),
    "before now": filtered("event_at >= date_trunc('day', now() - interval 2 days)", "id, event_at, amount"),
    "whole partitions": incremental("select cast(event_at as date) as day, sum(amount) as amount from {{ ref('raw') }} group by 1", BY_DAY),
    "a variable": incremental("select id, day from {{ ref('raw') }} where day = '{{ var(\"day\") }}'", BY_DAY),
    "variables": incremental("select id, day from {{ ref('raw') }} where day >= '{{ var(\"a\") }}' and day < '{{ var(\"b\") }}'", MERGED),
    "all rows of a key": filtered("event_at > (select max(event_at) from {{ this }})", "id, event_at, amount", "incremental_strategy='delete+insert', unique_key='id'"),
    "a join": incremental("select r.id, r.event_at, d.name from {{ ref('raw') }} r left join {{ ref('names') }} d on d.id = r.id {% if is_incremental() %} where r.event_at >= (select max(event_at) from {{ this }}) {% endif %}"),
    "joins by columns of one name": incremental("select r.id, r.event_at, r.shop, d.name, t.town from {{ ref('raw') }} r left join {{ ref('names') }} d using (id) left join {{ ref('towns') }} t using (shop) {% if is_incremental() %} where r.event_at >= (select max(event_at) from {{ this }}) {% endif %}"),
    "fields of a struct": filtered("event_at > (select max(event_at) from {{ this }})", "payload.id as id, event_at, my_function(payload.amount) as x"),
    "all fields of a struct": incremental("select r.id as id, r.amount, r.event_at from (select d.*, event_at from (select coalesce(after, before) as d, event_at from {{ ref('raw') }} {% if is_incremental() %} where event_at > (select max(event_at) from {{ this }}) {% endif %}) as e) as r"),
    "columns of a merge that a variable chooses": filtered("event_at > (select max(event_at) from {{ this }})", "id, event_at, amount", MERGED + ", merge_update_columns=var('few', []), merge_exclude_columns=['amount'] if not var('few', []) and false else none"),
    "a text less an interval": filtered("event_at > (select max(event_at) from {{ this }})", "id, event_at, to_date('2024-03-01' - interval 10 hours) as x", rest="; /* the end */\n"),
    "the last part of a text": filtered("event_at > (select max(event_at) from {{ this }})", "id, event_at, reverse(split(name, '[.]'))[0] as last_part"),
    "a time computed from that of the run": filtered("event_at >= timestamp '{{ (run_started_at - modules.datetime.timedelta(days=2)).strftime(\"%Y-%m-%d %H:%M:%S\") }}'", "id, event_at", "incremental_strategy='merge', unique_key='id'"),
    "a filter that stands without a variable": "{% set since = var('since', none) %}\n" + incremental("select id, event_at from {{ ref('raw') }} {% if is_incremental() %} where {% if since %} event_at > '{{ since }}' {% else %} event_at > (select max(event_at) from {{ this }}) {% endif %} {% endif %}", "incremental_strategy='append'"),
    "the time of the run": filtered("event_at > (select max(event_at) from {{ this }})", "id, event_at, cast('{{ run_started_at }}' as timestamp) as written_at"),
    "appended whole": incremental("select id, amount from {{ ref('raw') }}", "incremental_strategy='append'"),
    "a time of another zone": filtered("to_date(from_utc_timestamp(event_at, 'America/New_York')) >= (select max(day) from {{ this }})", "id, to_date(from_utc_timestamp(event_at, 'America/New_York')) as day, event_at"),
    "microbatch": incremental("select id, event_at, amount from {{ ref('src') }}", MICROBATCH),
}  # fmt: skip
SOURCE = (
    "{{ config(materialized='table', event_time='event_at') }}\nselect id, event_at, amount from {{ source('a', 'b') }}"
)


@pytest.mark.parametrize("name", EQUAL)
def test_a_right_conversion_is_found_equal_in_all_runs(name: str, tmp_path: Path) -> None:
    verdict = verdict_of(tmp_path, EQUAL[name], src=SOURCE)
    assert (verdict.outcome, verdict.runs) == ("equal", RUNS), [verdict.words, *verdict.tables]


def test_a_variable_before_which_neither_reads_anything_is_before_all_rows(tmp_path: Path) -> None:
    between = "and day between '{{ var(\"a\") }}' and '{{ var(\"b\") }}'"
    query = f"select id, day from {{{{ ref('raw') }}}} where day > '{{{{ var(\"since\") }}}}' {{% if is_incremental() %}} {between} {{% endif %}}"
    right = one(migrated(tmp_path, {"m": incremental(query, BY_DAY)}, settings={"vars": {"since": "2050-01-01"}}))
    verdict = proved(right, tmp_path)
    assert (verdict.outcome, right.options["start"]) == ("equal", 'var("since")'), [verdict.words, *verdict.tables]


# what is changed of a conversion, so that it is wrong
WRONG: dict[str, Callable[[Result], dict[str, Any]]] = {
    "by arrival": lambda result: {"options": {**result.options, "insert_only": True}},
    "newest value": lambda result: {"options": {**result.options, "lookback": 0}, "notes": []},
    "a day of partitions": lambda result: {"new_text": str(result.new_text).replace("start_date()", "end_date()")},
    "before now": lambda result: {"options": {**result.options, "lookback": 0}},
    "whole partitions": lambda result: {"kind": "incremental_unmanaged"},
    "a variable": lambda result: {"new_text": str(result.new_text).replace("between", "not between")},
    "all rows of a key": lambda result: {"kind": "incremental_unmanaged", "options": {}},
    "a join": lambda result: {"new_text": str(result.new_text).replace("left join", "join")},
    "fields of a struct": lambda result: {"new_text": str(result.new_text).replace("payload.amount", "payload.total")},
    "appended whole": lambda result: {"kind": "full"},
    "a time of another zone": lambda result: {"options": {name: value for name, value in result.options.items() if name not in ("cron_tz", "lookback")}, "notes": []},
    "microbatch": lambda result: {"new_text": str(result.new_text).replace("start_dt()", "end_dt()")},
}  # fmt: skip


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_conversion_is_shown_with_sources_and_runs(name: str, tmp_path: Path) -> None:
    right = one(migrated(tmp_path, {"m": EQUAL[name], "src": SOURCE}))
    changed = WRONG[name](right)
    right.notes = [note for note in changed.get("notes", right.notes) if note.code != "LateRows"]
    verdict = proved(replace(right, **changed), tmp_path, 100)
    assert verdict.outcome == "differs", verdict.words
    titles = [table.title for table in verdict.tables]
    assert "runs" in titles
    assert {"only before", "only now"} & set(titles)


def test_a_difference_counts_unless_a_note_tells_of_it_and_the_table_is_complete() -> None:
    merged, once = Counter({("1", "b"): 2}), Counter({("1", "a"): 1, ("1", "b"): 1})
    complete = Comparison(("id", "name"), old=merged, new=once, whole=once)
    assert complete.is_told({"KeptAsTest", "ZoneNoted"}) == {"KeptAsTest"}
    assert complete.is_told({"ZoneNoted"}) == frozenset()
    assert Comparison(("id", "name"), old=once, new=merged, whole=once).is_told({"KeptAsTest"}) == frozenset()


def test_the_same_seed_plays_the_same_runs(tmp_path: Path) -> None:
    right = one(migrated(tmp_path, {"m": EQUAL["newest value"]}))
    wrong = replace(right, options={**right.options, "lookback": 0}, notes=[])
    first, again = (proved(wrong, tmp_path, 100, seed=7) for _ in range(2))
    assert first == again


def test_what_cannot_be_played_is_not_tried_and_says_why(tmp_path: Path) -> None:
    text = incremental("select id, day from {{ ref('raw') }} where x = '{{ unknown_package.value() }}'", BY_DAY)
    right = one(migrated(tmp_path, {"m": EQUAL["whole partitions"]}))
    (tmp_path / "models/m.sql").write_text(text)
    verdict = proved(replace(right, new_text=text, old_text=text), tmp_path)
    assert verdict.words.startswith("not tried: unknown_package is not known without its package"), verdict.words


def test_a_first_load_that_is_no_sql_is_told_as_one(tmp_path: Path) -> None:
    text = incremental("select id, updated_at from {{ ref('raw') }} where\n{% if is_incremental() %} updated_at > (select max(updated_at) from {{ this }}) {% endif %}", MERGED)  # fmt: skip
    words = verdict_of(tmp_path, text).words
    assert words.startswith("not tried: the query of its first load cannot be read"), words
    assert "\x1b" not in words


def test_a_query_that_takes_much_memory_is_not_tried(tmp_path: Path) -> None:
    query = filtered(
        "event_at > (select max(event_at) from {{ this }})", "id, event_at, repeat(id, 1500000000) as filling"
    )
    assert verdict_of(tmp_path, query).words == "not tried: it takes more memory than a proof may have"


def test_a_query_that_reads_nothing_has_no_other_rows(tmp_path: Path) -> None:
    empty = incremental("select 1 as id, cast(null as string) as name where 1 = 0", "incremental_strategy='append'")
    assert verdict_of(tmp_path, empty).words == f"equal in {RUNS} of {RUNS} runs"


@pytest.mark.parametrize(
    "query",
    [
        # each filter asks for one value of many
        "select id, event_at from {{ ref('raw') }} where sort = 'x' and place like 'north%' and is_new and removed_at is null",
        # what it is about must not have a value
        "select id, event_at from {{ ref('raw') }} where not id ilike '%test%' and id <> 'x'",
        # from a date on
        "select id, event_at from {{ ref('raw') }} where event_at >= '2031-05-01'",
        # a version that holds until another one
        "select r.id, r.event_at from {{ ref('raw') }} r join {{ ref('names') }} n on r.id = n.id and r.event_at >= n.valid_from and r.event_at < n.valid_to",
        "select raw.id, raw.event_at from {{ source('shop', 'raw') }} join {{ source('shop', 'names') }} on raw.id = names.id where true",
    ],
)  # fmt: skip
def test_random_rows_get_through_filters(query: str, tmp_path: Path) -> None:
    filtering = "and" if "where" in query else "where"
    filtering += f" {'r.' if ' r ' in query else ''}event_at > (select max(event_at) from {{{{ this }}}})"
    text = incremental(f"{query}\n{{% if is_incremental() %}} {filtering} {{% endif %}}")
    verdict = verdict_of(tmp_path, text)
    assert (verdict.outcome, verdict.runs) == ("equal", RUNS), verdict.words


@pytest.mark.parametrize(
    "value", ["trunc(event_at, 'MM') as beginning", "date_trunc('YYYY', event_at) as beginning", "first(name, true) as name", "any_value(name) ignore nulls as name"]
)  # fmt: skip
def test_what_duckdb_writes_in_another_way_is_played(value: str, tmp_path: Path) -> None:
    grouped = "" if "(event_at" in value or ", event_at" in value else " group by id, event_at"
    text = filtered("event_at > (select max(event_at) from {{ this }})", f"id, event_at, {value}")
    verdict = verdict_of(tmp_path, text.rstrip() + grouped)
    assert (verdict.outcome, verdict.runs) == ("equal", RUNS), verdict.words


def test_where_the_old_model_fails_others_are_played(tmp_path: Path) -> None:
    # two rows of an event have one key, which a merge refuses
    merged = filtered(
        "day >= (select max(day) from {{ this }})",
        "id, day, amount",
        "incremental_strategy='merge', unique_key=['id', 'day']",
    )
    assert verdict_of(tmp_path, merged).outcome == "equal"


def test_a_column_belongs_to_what_its_select_reads(tmp_path: Path) -> None:
    joined = incremental(
        "with a as (select * from (select * from {{ ref('raw') }})), b as (select * from (select * from {{ ref('names') }})),\n"
        "c as (select a.event_at, b.* from b join a on a.id = b.id)\nselect id, name, event_at from c\n"
        "{% if is_incremental() %} where event_at > (select max(event_at) from {{ this }}) {% endif %}"
    )
    right = one(migrated(tmp_path, {"m": joined}))
    project = read_project(tmp_path)
    options = resolved(MigrateOptions(), project, tmp_path, "databricks")
    trial, _ = prepared(
        project.models_by_name["m"], right, project, options, Parents(project, "databricks", "databricks")
    )
    assert {table: set(names) for table, names in trial.inputs.columns.items()} == {
        "in_raw": {"id", "event_at"}, "in_names": {"id", "name"},
    }  # fmt: skip


def test_a_difference_leaves_the_model_and_is_on_the_page(tmp_path: Path) -> None:
    migration = migrated(tmp_path, {"m": EQUAL["newest value"]})
    result = one(migration)
    verdict = proved(replace(result, options={**result.options, "lookback": 0}, notes=[]), tmp_path, 100)
    result.judge(verdict)
    migration.seed = 1
    assert (result.status, result.diff, result.reason is not None and result.reason.code) == ("left", "", "Differs")
    assert migration.summary["left"] == 1
    page = render_page(migration)
    assert "<caption>runs</caption>" in page and "1 differ and are left" in page


def test_the_command_prints_verdicts_and_the_seed(tmp_path: Path) -> None:
    write_project(tmp_path, {"m": EQUAL["newest value"], "n": EQUAL["whole partitions"]})
    arguments = ["migrate", str(tmp_path), "--dialect", "databricks", "--prove", "--runs", "8"]
    told = CliRunner().invoke(main, [*arguments, "--seed", "3"])
    assert told.exit_code == 0, told.output
    assert "equal in 8 of 8 runs" in told.stderr
    assert (
        "proof: 2 equal, 0 proved by rules alone, 0 differ and are left, 0 not tried; the same again: --prove --seed 3"
        in told.stderr
    )
    data = json.loads(CliRunner().invoke(main, [*arguments, "--json"]).stdout)
    assert data["proof"]["equal"] == 2 and data["proof"]["seed"] >= 0
    assert {model["proof"]["outcome"] for model in data["models"]} == {"equal"}


def test_a_migration_without_a_proof_says_nothing_of_one(tmp_path: Path) -> None:
    migration: Migration = migrated(tmp_path, {"m": EQUAL["newest value"]})
    assert migration.data()["proof"] is None
    assert "Played over" not in render_page(migration)


@pytest.mark.parametrize(
    ("read", "is_input"),
    [
        ("read_files('s3://shop/', format => 'parquet')", True),
        # its rows depend on those of another table
        ("o join other_rows(o.id)", False),
        ("range(3)", False),
    ],
)
def test_files_that_a_function_reads_are_an_input(read: str, is_input: bool) -> None:
    tree = sqlglot.parse_one(f"select id from {'orders ' if read[0] == 'o' else ''}{read}", read="databricks")
    assert isinstance(tree, exp.Query)
    made, _ = with_stand_ins(tree)
    assert any(table.name.startswith("in_read_files") for table in made.find_all(exp.Table)) == is_input


KEYED = "models:\n  - {name: m, columns: [{name: order_id, data_tests: [unique, not_null]}]}\n"


@pytest.mark.parametrize(
    "query",
    [
        # the key is made of a column of another name, and of a number that may be text
        "with s as (select * from {{ ref('raw') }}), named as (select id as order_id, amount from s) select * from named",
        "select cast(code as bigint) as order_id, amount from {{ ref('raw') }}",
        # a row of the first part may have the key of the second one
        "select coalesce(id, 'none') as order_id, amount from {{ ref('raw') }} union all select 'none' as order_id, 0 as amount",
    ],
)
def test_random_sources_keep_to_a_key_that_properties_declare(query: str, tmp_path: Path) -> None:
    text = incremental(query, "incremental_strategy='merge', unique_key='order_id'")
    verdict = proved(one(migrated(tmp_path, {"m": text, "models/m.yml": KEYED})), tmp_path)
    assert (verdict.outcome, verdict.runs) == ("equal", RUNS), verdict.words


def test_predicates_that_a_projects_own_merge_reads_are_played_without_them(tmp_path: Path) -> None:
    own = "{% macro get_merge_sql(target, source, unique_key, dest_columns, incremental_predicates) %}{% endmacro %}"
    text = filtered(
        "event_at > (select max(event_at) from {{ this }})",
        "id, event_at",
        f"{MERGED}, incremental_predicates=['narrowed']",
    )
    verdict = proved(one(migrated(tmp_path, {"m": text, "macros/own.sql": own})), tmp_path)
    assert verdict.outcome == "equal", verdict.words


@pytest.mark.parametrize(
    "query",
    [
        "with o as (select s.id, s.updated_at, l.name from {{ ref('raw') }} s left join {{ ref('shops') }} l on l.shop = s.shop) select * from o",
        "with o as (select s.id, s.updated_at, l.name from {{ ref('raw') }} s left join {{ ref('shops') }} l on l.shop = s.shop), p as (select * from o) select o.id, o.updated_at from p as o",
    ],
)
def test_what_is_looked_up_beside_filtered_rows_is_there_from_the_beginning(query: str, tmp_path: Path) -> None:
    text = f"{query} {{% if is_incremental() %}} where o.updated_at > (select max(updated_at) from {{{{ this }}}}) {{% endif %}}"
    result = one(migrated(tmp_path, {"m": incremental(text, MERGED)}))
    project = read_project(tmp_path)
    options = resolved(MigrateOptions(), project, tmp_path, "databricks")
    trial, _ = prepared(project.models_by_name["m"], result, project, options, Parents(project, "databricks", "databricks"))  # fmt: skip
    assert set(trial.inputs.changing) == {"in_raw"}
    assert set(trial.inputs.columns) == {"in_raw", "in_shops"}


@pytest.mark.parametrize(
    ("dialect", "query", "columns"),
    [
        ("postgres", "select case when n::text ~ '^[0-9]+$' then n::text::integer end as n, nullif(m, 0) as m from in_raw", {"n": NUMBER, "m": NUMBER}),
        ("postgres", "select case when d = '0001-01-01'::date or s = '1900-01-01'::timestamp then 1 end as x from in_raw", {"d": DATE, "s": TIME}),
        ("spark", "select t from in_raw where t = 'a'", {"t": TEXT}),
        ("spark", "select sum(case when f then a else b end) as x, coalesce(max(c), false) as y from in_raw", {"f": FLAG, "a": NUMBER, "b": NUMBER, "c": FLAG}),
        ("spark", "select case when a = 1 then b else 0 end as x, case a when 2 then c else 'none' end as y from in_raw", {"b": NUMBER, "c": TEXT}),
        ("spark", "select sum(max(a)) as x, case when b then c end > 3 as y from in_raw", {"a": NUMBER, "b": FLAG, "c": NUMBER}),
    ],
)  # fmt: skip
def test_what_a_column_is_cast_to_or_compared_with_says_its_type(
    dialect: str, query: str, columns: dict[str, str]
) -> None:
    tree = sqlglot.parse_one(query, read=dialect)
    assert isinstance(tree, exp.Query)
    assert used_as([tree]).items() >= columns.items()


def test_what_a_name_of_a_query_is_made_of_is_found_through_other_names() -> None:
    query = "with a as (select x + y as s, z as t from in_raw), b as (select s * 2 as u, t from a) select sum(u) as v from b"
    tree = sqlglot.parse_one(query, read="spark")
    assert isinstance(tree, exp.Query)
    assert made_of(tree, "v") == {"u", "s", "x", "y"}
    assert made_of(tree, "t") == {"z"}


@pytest.mark.parametrize(
    ("dialect", "query", "text"),
    [
        ("bigquery", "select safe.st_geogfromtext(shape, make_valid => true) as shape from t", "kinds_text('st_geogfromtext', "),
        ("snowflake", "select f.value, f.index from t, lateral flatten(input => t.items) f", "0 AS index"),
    ],
)  # fmt: skip
def test_functions_of_another_warehouse_have_stand_ins(dialect: str, query: str, text: str) -> None:
    tree = sqlglot.parse_one(query, read=dialect)
    assert isinstance(tree, exp.Query)
    made = with_stand_ins(tree)[0].sql(dialect="duckdb")
    assert text.lower() in made.lower()
    assert "safe" not in made and "=>" not in made

"""Names that hold backticks, quotes, comments and statements: what is rendered stays the statements that are ours.

A statement is rendered twice, with plain names and with hostile ones, and cut into tokens by sqlglot's tokenizer of Spark. Both have to be the same tokens, but
for the names, each of which is one identifier or within one literal. That Spark reads them so is what tests/functional shows.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from sqlglot import TokenType
from sqlglot.dialects import Spark

from tests.sweep import size
from tests.unit.duckdb_runs import Relation
from tests.unit.macros import CompilerError, Macros, node
from tests.unit.operator_answers import FAILED, NOW, model
from tests.unit.test_report import page_of

PIECES = [
    *("`", "``", "'", "''", '"', "\\", "\\'", "\\`", ";", "; drop table t; ", "--", "-- ", "/*", "*/", "/* */", "/*kinds:start_ds*/ '2024-01-01'"),
    *("(", ")", "[", "]", "{", "}", "}*/", "${spark.app.name}", "$", "\\1", "\\u0027", "%", "_", "*", ".", ",", ":", "=", " ", "\n", "\t"),
    *("a", "b c", "é", "中", "😀", "<b>", "&amp;", "days(a)", "case", "end", "select", "or 1=1", "r'x'", "x'00'", "null", "1", "# x"),
]  # fmt: skip
names = st.one_of(
    st.lists(st.sampled_from(PIECES), min_size=1, max_size=6).map("".join),
    st.text(st.characters(codec="utf-8", exclude_characters="\0\r"), min_size=1, max_size=20),
)
EXAMPLES = size("KINDS_EXAMPLES", 30, full=2000)
# what a column is called in the statement that is compared with
KEY, VALUE = "plainkey", "plainvalue"
RESERVED = {"valid_from", "valid_to", "is_current", "_action", "_content_hash", "received_at"}

# what `describe query` says of the query at hand
DESCRIBED: list[tuple[str, str]] = []
MACROS = Macros(
    run_query=lambda sql: SimpleNamespace(rows=DESCRIBED),
    node=node(time_column="ts") | {"raw_code": "", "columns": {}},
    this="shop.orders",
    compiled_code="select /*kinds:start_ds*/ '2024-01-01'",
    target={"schema": "shop"},
    invocation_id="1",
)
TABLE = {"partitioning": [], "file_format": "iceberg", "is_view": False, "location": None}
BATCH = ["2024-01-01T00:00:00", "2024-01-02T00:00:00"]

Tokens = list[tuple[TokenType, str]]


def tokens(sql: str) -> Tokens:
    return [(token.token_type, token.text) for token in Spark().tokenize(sql)]


def comments(sql: str) -> list[str]:
    return [comment for token in Spark().tokenize(sql) for comment in token.comments]


def read_literal(text: str) -> str:
    """What Spark makes of a literal in single quotes (ParserUtils.unescapeSQLString), having put in its variables."""
    assert text[0] == text[-1] == "'" and "${" not in text
    value, place = "", 1
    while place < len(text) - 1:
        assert text[place] != "'", "the literal ends before its end"
        if text[place] == "\\":
            place += 1
            assert place < len(text) - 1 and text[place] in "\\'{", "an escape that means something else"
        value += text[place]
        place += 1
    return value


def table(key: str, value: str, *more: tuple[str, str]) -> list[dict[str, str]]:
    columns = [(key, "int"), (value, "string"), *more]
    return [{"name": name, "type": kind} for name, kind in columns]


def is_name_of_ours(name: str) -> bool:
    return name.lower() in RESERVED or name.lower().startswith(("_kinds", "__kinds"))


def check(statements: Callable[[str, str], list[str]], key: str, value: str) -> None:
    """The statements with these names are, token by token, those with plain names."""
    for (plain, plain_comments), hostile in zip(plain_tokens(statements), statements(key, value), strict=True):
        expected: Tokens = []
        for kind, text in plain:
            for old, new in ((KEY, key), (VALUE, value)):
                # a literal may hold names in backticks, for DDL
                text = text.replace(f"`{old}`", MACROS.quoted(new)).replace(old, new)
            expected.append((kind, text))
        assert tokens(hostile) == expected, hostile
        assert comments(hostile) == plain_comments


@functools.cache
def plain_tokens(statements: Callable[[str, str], list[str]]) -> list[tuple[Tokens, list[str]]]:
    return [(tokens(sql), comments(sql)) for sql in statements(KEY, VALUE)]


# --- one name


@settings(max_examples=EXAMPLES)
@given(names)
def test_a_quoted_name_is_one_identifier(name: str) -> None:
    quoted = MACROS.quoted(name)
    assert tokens(quoted) == [(TokenType.IDENTIFIER, name)]
    assert MACROS.sql_tokens(quoted) == [quoted]
    assert MACROS.lexed(quoted)[0]["name"] == name
    assert MACROS.unquoted(f" {quoted} ") == name
    assert MACROS.quoted_names([quoted, {"name": name}]) == [quoted, quoted]
    assert MACROS._column_of_yaml(quoted) == quoted
    # as dbt passes the name of a column with `quote: true`
    assert len(MACROS.sql_tokens(MACROS._column_of_yaml(f"`{name}`"))) % 2 == 1


@settings(max_examples=EXAMPLES)
@given(names, names)
def test_each_part_of_the_name_of_a_table_is_one_identifier(schema: str, table: str) -> None:
    path = f"{MACROS.quoted(schema)}.{MACROS.quoted(table)}"
    assert MACROS.quoted_path(path) == path
    assert MACROS.quoted_path(f"lake.shop.{MACROS.quoted(table)}") == f"`lake`.`shop`.{MACROS.quoted(table)}"
    assert MACROS.quoted_path("shop.history") == "`shop`.`history`"


@settings(max_examples=EXAMPLES)
@given(names)
def test_a_text_is_one_literal(text: str) -> None:
    literal = MACROS.text_literal(text)
    assert [kind for kind, _ in tokens(literal)] == [TokenType.STRING]
    assert read_literal(literal) == text
    assert MACROS.sql_tokens(literal) == [literal]


@settings(max_examples=EXAMPLES)
@given(names)
def test_the_message_of_a_failure_is_one_literal_in_the_store(text: str) -> None:
    event = {
        "event": "failed",
        "relation": "shop.orders",
        "message": text,
        "source": text,
        "details": text,
        "model": text,
    }
    values = MACROS.event_values(event)
    assert len(values) == len(MACROS.store_columns())
    assert [read_literal(value) for value in values if "shop.orders" in value] == ["shop.orders"]
    columns = dict(zip(MACROS.store_columns(), values, strict=True))
    for column in ("message", "source", "details", "model"):
        stored = read_literal(columns[column])
        assert "\n" not in stored and "\x01" not in stored
        assert [letter for letter in stored if letter > " "] == [letter for letter in text if letter > " "]


@settings(max_examples=EXAMPLES)
@given(names)
def test_a_source_read_by_a_window_keeps_its_name_within_a_comment(name: str) -> None:
    # a column that is called like one of our own comments, with its literal, is exchanged as they are, and Spark does not find it
    assume("/*kinds:" not in name)
    sql = "select * from " + MACROS.window_of(Relation("events"), name) + " as e"
    assert [source["column"] for source in MACROS.source_windows(sql)] == [name]
    written = [comment for comment in comments(sql) if comment.startswith("kinds:source_")]
    assert [json.loads(comment.split(" ", 1)[1])["column"] for comment in written] == [name, name]
    replaced = MACROS.substitute_window(sql, BATCH, "2024-01-02T00:00:00")
    found = tokens(replaced)
    assert [text for kind, text in found if kind == TokenType.IDENTIFIER] == [name, name]
    assert [text for kind, text in found if kind == TokenType.STRING] == ["2024-01-01", "2024-01-02"]
    # both bounds are symbols in what is hashed, in which the name is, too
    assert json.dumps(name)[1:-1].replace("*", "\\u002a") in MACROS.symbolic_query(sql)


# --- statements of every kind


def _options(kind: str, **given: Any) -> dict[str, Any]:
    options: dict[str, Any] = MACROS.options(node(kind=kind, file_format="iceberg", **given))
    return options


def _by_range(key: str, value: str) -> list[str]:
    columns = [{"name": key, "type": "timestamp"}, {"name": value, "type": "string"}]
    options = _options("incremental_by_time_range", time_column=key)
    write_spec = MACROS.range_write_spec(options, columns, None)
    condition = MACROS.range_condition(write_spec["time_column"], write_spec["bounds"], BATCH)
    fields = MACROS.partition_fields(write_spec["partitioning"])
    assert write_spec["in_one_commit"]
    return [
        MACROS.filtered_query("select 1", condition, write_spec["selected"]),
        f"create table t partitioned by ({', '.join(fields)}) as select 1",
        MACROS.units_with_rows_query("t", write_spec["time_column"], write_spec["bounds"], options["unit"], BATCH[1]),
        MACROS.changed_files_query("t", ["x"], write_spec["time_column"], write_spec["bounds"], [1]),
    ]


def _by_key(key: str, value: str) -> list[str]:
    options = _options(
        "incremental_by_unique_key", unique_key=[MACROS.quoted(key)], duplicate_keys="keep_latest", order_by=f"{MACROS.quoted(value)} desc",
        when_matched=f"when matched and source.{MACROS.quoted(value)} = 'x' then update set target.{MACROS.quoted(value)} = source.{MACROS.quoted(value)}",
        merge_filter=f"target.{MACROS.quoted(value)} <> ';'",
    )  # fmt: skip
    columns = table(key, value)
    write_spec = MACROS.key_write_spec(options, columns, TABLE | {"columns": columns}, "select 1")
    assert options["when_matched"][0]["assignments"][0]["column"] == value
    changes = MACROS.changes_by_key("t", options, write_spec, "s")
    return [
        *MACROS.change_statements("t", write_spec, changes),
        *MACROS.change_statements("t", write_spec, changes | {"in_two_commits": True}),
        MACROS.changed_table("t", write_spec, changes),
        MACROS.latest_rows(options, "select 1"),
        MACROS.stored_counts("t", write_spec, "s"),
        f"insert overwrite t partition by {', '.join(MACROS.partition_fields([MACROS.quoted(key), MACROS.quoted(value)]))}",
    ]


def _by_history(key: str, value: str) -> list[str]:
    statements = []
    DESCRIBED[:] = [("key", "int")]
    for kind, more in (
        ("scd_type_2_by_column", {"columns": [MACROS.quoted(value)], "invalidate_hard_deletes": True}),
        ("scd_type_2_by_time", {"updated_at_name": MACROS.quoted(value), "duplicate_keys": "keep_latest"}),
    ):
        columns = [{"name": key, "type": "int"}, {"name": value, "type": "timestamp"}]
        options = _options(kind, unique_key=[MACROS.quoted(key)], **more)
        managed = [{"name": name, "type": "timestamp"} for name in ("valid_from", "valid_to")]
        existing = TABLE | {"columns": columns + managed}
        write_spec = MACROS.history_write_spec(options, columns, existing, "select 1")
        counts = {"inserted": 1, "closed": 1, "replaced": 1, "dropped": 1}
        statements += [
            MACROS.history_changes(options, write_spec, "t", "s", BATCH[1]),
            MACROS.changed_table("t", write_spec, MACROS.changes_of_history(write_spec, "c", counts)),
            *MACROS.change_statements("t", write_spec, MACROS.changes_of_history(write_spec, "c", counts)),
            MACROS.behind_closed_rows(options, write_spec, "t", "c", 0),
            MACROS.changes_like(options, write_spec, "t"),
            MACROS.latest_dated(options, write_spec, "select 1"),
            MACROS.no_rows(write_spec["schema"]),
        ]
    # the managed columns themselves
    given = {"valid_from_name": MACROS.quoted(key), "valid_to_name": MACROS.quoted(value)}
    options = _options("scd_type_2_by_column", unique_key=["id"], columns="*", **given)
    columns = [{"name": "id", "type": "int"}, {"name": key, "type": "timestamp"}, {"name": value, "type": "timestamp"}]
    write_spec = MACROS.history_write_spec(options, columns[:1], TABLE | {"columns": columns}, "select 1")
    return [
        *statements,
        MACROS.changed_table("t", write_spec, MACROS.changes_of_history(write_spec, "c", counts)),
        MACROS.history_before("t", options, TABLE | {"columns": columns}, BATCH[0]),
        MACROS.as_of("t", "2024-01-01", valid_from=key, valid_to=value),
        MACROS.current("t", valid_to=value),
    ]


def _by_run(key: str, value: str) -> list[str]:
    options = _options("scd_type_2_by_column", unique_key=[MACROS.quoted(key)], validity="run_sequence")
    write_spec = MACROS.history_write_spec(options, table(key, value), None, "select 1")
    changes = MACROS.changes_of_history(write_spec, "a", {"inserted": 1, "closed": 1, "replaced": 0, "dropped": 0})
    return [
        MACROS.history_changes(options, write_spec, "t", "s", 1),
        *MACROS.change_statements("t", write_spec, changes),
        MACROS.changed_table("t", write_spec, changes),
    ]


def _by_group(key: str, value: str) -> list[str]:
    options = _options("tracked", group_key=[key])
    columns = table(key, value)
    write_spec = MACROS.group_write_spec(options, columns, None, "select 1")
    run_context = {"options": options, "write_spec": write_spec, "existing": {"columns": write_spec["schema"]}}
    return [
        MACROS.hashed_rows(write_spec, "s", f"({MACROS.hashed_groups(write_spec, 's')})"),
        MACROS.group_actions(write_spec, "s", MACROS.stored_groups("t", run_context)),
        *MACROS.change_statements("t", write_spec, MACROS.changes_of_groups(write_spec, "a")),
        MACROS.changed_table("t", write_spec, MACROS.changes_of_groups(write_spec, "a")),
    ]


def _by_state(key: str, value: str) -> list[str]:
    options = _options("cumulative_aggregate", unique_key=[MACROS.quoted(key)], combine={value: "greatest"})
    write_spec = MACROS.cumulative_write_spec(options, table(key, value), None, "select 1")
    return [
        MACROS.combined_states(write_spec, "t", "s"),
        MACROS.changed_table("t", write_spec, MACROS.staged_changes(write_spec, "s", write_spec["clauses"], True)),
        *MACROS.change_statements("t", write_spec, MACROS.staged_changes(write_spec, "s", write_spec["clauses"], True)),
    ]


def _by_schema(key: str, value: str) -> list[str]:
    changes = [
        {"change": "add", "path": [key, value], "to": "struct<a:int>"},
        {"change": "drop", "path": [key]},
        {"change": "alter", "path": [value], "to": "bigint"},
    ]
    old = table(key, value, ("s", "struct<a:int,b:int>"))
    new = [
        {"name": key, "type": "bigint"},
        {"name": "s", "type": "struct<b:int,a:int>"},
        {"name": value, "type": "string"},
    ]
    columns = {name: {"name": name, "data_type": "int"} for name in (key, value)}
    return [
        *(MACROS._alteration("t", change) for change in changes),
        MACROS.filtered_query("select 1", "true", MACROS.selected_columns(old, new, cast=True)),
        MACROS.filtered_query("select 1", "true", MACROS.selected_columns(old[:1], old)),
        MACROS.conversion("c", f"struct<{MACROS.quoted(key)}:int,x:int>", f"struct<x:int,{MACROS.quoted(key)}:int>"),
        MACROS.read_as_empty({"name": "m", "columns": columns}, "shop.m", "select * from shop.m as m"),
    ]


def _by_event(key: str, value: str) -> list[str]:
    columns = [
        {"name": key, "data_type": "timestamp", "not_null": True},
        {"name": value, "data_type": "struct<a: int>"},
    ]
    options = _options("events", columns=columns, landing={"path": "/landing"})
    return [
        MACROS.empty_event_rows(options),
        MACROS.event_lines(options | {"landing": f"/x/{key}"}, [value, key], "c1"),
    ]


def _by_table_to_be(key: str, value: str) -> list[str]:
    config = {"partition_by": [MACROS.quoted(key), f"days({MACROS.quoted(value)})"]}
    options = _options("incremental_by_partition", **config)
    columns = [{"name": key, "type": "int"}, {"name": value, "type": "timestamp"}]
    write_spec = MACROS.partition_write_spec(options, columns, None, "select 1")
    run_context = {
        "options": options,
        "write_spec": write_spec,
        "plan": {"batches": []},
        "existing": TABLE | {"columns": columns},
    }
    sent = _options("incremental_by_unique_key", unique_key=[MACROS.quoted(key)], sink="crm")
    DESCRIBED[:] = [(key, "int"), (value, "decimal(38,2)")]
    return [
        "select * from " + MACROS.table_to_be("t", run_context | {"start_anew": False}, BATCH, "s"),
        f"create table t partitioned by ({', '.join(MACROS.partition_fields(write_spec['partitioning']))})",
        MACROS.rows_to_send("t", sent, 1),
        MACROS.repeated_values("t", [MACROS.tested_column("test", MACROS.quoted(key), None), MACROS.quoted(value)]),
    ]


STATEMENTS = [_by_range, _by_key, _by_history, _by_run, _by_group, _by_state, _by_schema, _by_event, _by_table_to_be]
PAIRS = [
    ("a`; drop table t; --", "b\\` */ '"), ("days(a)", "*/ é${x}"), (" x\n", "`y`"), ("/*", "--"), ("'", '"'), ("\\", "\\1"),
]  # fmt: skip


@pytest.mark.parametrize("statements", STATEMENTS, ids=[statements.__name__ for statements in STATEMENTS])
@pytest.mark.parametrize(("key", "value"), PAIRS)
def test_statements_of_each_kind_are_ours(statements: Callable[[str, str], list[str]], key: str, value: str) -> None:
    check(statements, key, value)


@settings(max_examples=EXAMPLES)
@given(st.sampled_from(STATEMENTS), names, names)
def test_whatever_columns_are_called_the_statements_are_ours(
    statements: Callable[[str, str], list[str]], key: str, value: str
) -> None:
    assume(key.lower() != value.lower() and not is_name_of_ours(key) and not is_name_of_ours(value))
    check(statements, key, value)


# --- what Spark lists


@settings(max_examples=EXAMPLES)
@given(names, names)
def test_partitions_that_spark_lists_are_the_columns_they_are(one: str, other: str) -> None:
    assume("\n" not in one + other and one.strip() == one and other.strip() == other and one.lower() != other.lower())
    listing = f"Provider: orc\nLocation: file:/w\nPartition Columns: [{MACROS.quoted(one)}, {MACROS.quoted(other)}]\nSchema: root\n"
    fields = MACROS.read_information(listing)["partitioning"]
    assert MACROS.partition_fields(fields) == MACROS.quoted_names(fields) == [MACROS.quoted(one), MACROS.quoted(other)]
    assert MACROS.are_whole_partitions([MACROS.quoted(one)], one, {"months": 0, "seconds": 86400})
    assert MACROS.are_whole_partitions([f"days({MACROS.quoted(one)})"], one, {"months": 0, "seconds": 86400})
    assert not MACROS.are_whole_partitions([MACROS.quoted(one)], other, {"months": 0, "seconds": 86400})


def test_a_column_that_is_called_like_a_heading_is_a_column() -> None:
    rows = [
        ("id", "int"),
        ("# Partitioning", "int"),
        ("# col_name", "int"),
        ("z", "int"),
        ("", ""),
        ("# Partition Information", ""),
    ]
    rows += [
        ("# col_name", "data_type"),
        ("days(id)", "int"),
        ("", ""),
        ("# Detailed Table Information", ""),
        ("Provider", "parquet"),
    ]
    described = Macros(run_query=lambda sql: SimpleNamespace(rows=rows)).describe_table("t")
    assert [column["name"] for column in described["columns"]] == ["id", "# Partitioning", "# col_name", "z"]
    assert described["partitioning"] == ["`days(id)`"]


# --- SQL of options


CLOSED = [
    "a = ';'", "a = \"--\"", "`a;b` = 1", "a = 1 /* ( */", "a -- (\n = 1", "a = 'it''s'", "a = 'it\\'s'", "a[1] = (1 + (2))", "/* a /* b */ c */ a", "r'\\' = a", "a = x'00'",
]  # fmt: skip
OPEN = [
    ("a = '", "has a single quote that never closes"), ('a = "b', "has a double quote that never closes"), ("`a", "has a backtick that never closes"),
    ("a = 'x\\'", "has a single quote that never closes"), ("a /* b", "has a comment that never closes"), ("a /* /* b */", "has a comment that never closes"),
    ("a */ b", "has a */ without a comment"), ("a = 1; drop table t", "has a semicolon"), ("a = (1;)", "has a semicolon"), ("f(a", "has a ( that never closes"),
    ("a[1", "has a [ that never closes"), ("a) or (b", "has a ) without the ( that it closes"), ("(a]", "has a ] without the [ that it closes"), ("a = 1 -- x", "ends with a comment of two dashes"),
]  # fmt: skip


@pytest.mark.parametrize("text", CLOSED)
def test_sql_that_ends_where_its_text_ends_is_let_pass(text: str) -> None:
    assert MACROS.validate_sql_fragment("orders", "merge_filter", text) == text


def _with(**given: Any) -> Callable[[str], dict[str, Any]]:
    kind = given.pop("kind", "incremental_by_unique_key")

    def written(text: str) -> dict[str, Any]:
        options = {name: value(text) if callable(value) else value for name, value in given.items()}
        return node(kind=kind, **({"unique_key": "id"} if kind == "incremental_by_unique_key" else {}) | options)

    return written


# comments are taken out of these before they are looked at
OF_OPTIONS = {
    "merge_filter": _with(merge_filter=str),
    "incremental_predicates": _with(incremental_predicates=lambda text: [text]),
    "unique_key": _with(unique_key=lambda text: [text]),
    "when_matched": _with(when_matched=lambda text: f"when matched and {text}\nthen delete"),
}
IN_FULL = {
    "order_by": _with(duplicate_keys="keep_latest", order_by=str),
    "where of the audit not_null_id": _with(
        audits=lambda text: [{"not_null": {"column_name": "id", "config": {"where": text}}}]
    ),
    "fail_calc of the audit not_null_id": _with(
        audits=lambda text: [{"not_null": {"column_name": "id", "fail_calc": text}}]
    ),
    "error_if of the audit not_null_id": _with(
        audits=lambda text: [{"not_null": {"column_name": "id", "error_if": text}}]
    ),
    "data_type of a": _with(
        kind="events", columns=lambda text: [{"name": "a", "data_type": text}], landing={"path": "/x"}
    ),
}


@pytest.mark.parametrize("option", [*OF_OPTIONS, *IN_FULL])
@pytest.mark.parametrize(("text", "problem"), OPEN)
def test_sql_that_would_change_the_statement_around_it_is_refused(option: str, text: str, problem: str) -> None:
    if text.endswith("-- x") and option in OF_OPTIONS:
        assert "--" not in str(MACROS.options(OF_OPTIONS[option](text)).get(option, ""))
        return
    with pytest.raises(CompilerError, match="dbt_kinds: model orders: ") as refused:
        MACROS.options((OF_OPTIONS | IN_FULL)[option](text))
    assert str(refused.value).startswith(f"dbt_kinds: model orders: {option} '") and f"' {problem}" in str(
        refused.value
    )


@pytest.mark.parametrize("text", ["days(a)) as select (1)", "days(a;b)", "bucket(4, `a)", "days(a) -- (b)"])
def test_a_partition_field_that_would_change_the_statement_is_refused(text: str) -> None:
    with pytest.raises(CompilerError, match="dbt_kinds: model orders: partition_by '"):
        MACROS.options(node(time_column="ts", partition_by=[text]))


@settings(max_examples=EXAMPLES)
@given(names)
def test_sql_that_is_let_pass_leaves_what_stands_around_it(text: str) -> None:
    try:
        MACROS.validate_sql_fragment("orders", "merge_filter", text)
    except CompilerError:
        return
    around = MACROS.sql_tokens(f"select ({text}) from t")
    assert [*around[:3], *around[-4:]] == ["select", " ", "(", " ", "from", " ", "t"]
    assert around[-5] == ")" and MACROS.without_parentheses(f"({text})") == text.strip()


# --- names of tables


@pytest.mark.parametrize("alias", ["a/b", "a.b", "a`b", "a b", "a;b", "a--b", "-a", "a'b", "a\nb", "../a"])
def test_an_alias_that_no_table_of_spark_has_is_refused(alias: str) -> None:
    with pytest.raises(CompilerError) as refused:
        MACROS.options(node(time_column="ts") | {"alias": alias})
    assert str(refused.value).startswith(
        f"dbt_kinds: model orders: alias '{alias}' cannot be part of a table's name in Spark; "
    )


@pytest.mark.parametrize("schema", ["a/b", "a`b", "a..b", "a b", "a--b", ".a", "a."])
def test_a_schema_that_spark_does_not_have_is_refused(schema: str) -> None:
    with pytest.raises(CompilerError, match="dbt_kinds: model orders: schema '"):
        MACROS.options(node(time_column="ts") | {"schema": schema})


@pytest.mark.parametrize(
    ("part", "name"),
    [
        ("schema", "lake.shop"),
        ("alias", "orders_v2"),
        ("alias", "2024_orders"),
        ("alias", "my-orders"),
        ("database", "main"),
    ],
)
def test_other_names_are_let_pass(part: str, name: str) -> None:
    assert MACROS.options(node(time_column="ts") | {part: name})["model"] == "orders"


# --- the report, and what writes files


@settings(max_examples=EXAMPLES)
@given(names)
@example("</script><img src=x onerror=alert(1)>")
@example("\"' onmouseover='alert(1)")
def test_the_report_has_the_elements_it_has_with_plain_names(name: str) -> None:
    def page(text: str) -> Any:
        lease = {"invocation_id": text, "holder": text, "is_live": True}
        failed = FAILED | {"relation": text, "message": text, "invocation_id": text}
        told = model(text, relation=text, kind=text, unit=text, reason=text, lease=lease, missing=None, last_run=failed)
        return page_of([told | {"model": f"model.shop.{text}"}], [failed], project=text, execution_time=NOW)

    plain, hostile = page("plain"), page(name)
    assert [(tag, sorted(given)) for tag, given, _ in hostile.elements] == [
        (tag, sorted(given)) for tag, given, _ in plain.elements
    ]
    assert hostile.all("h1")[0][1] == name.strip()


@settings(max_examples=EXAMPLES)
@given(names)
def test_what_is_told_as_json_is_the_name(name: str) -> None:
    assert json.loads(MACROS.json_text({name: [name]})) == {name: [name]}

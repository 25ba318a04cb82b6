"""SQL of options, read as text: its tokens, what of it is a column, and the clauses of a merge."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.unit.macros import CompilerError, Macros

MACROS = Macros()

PIECES = [
    *"'\"`\\()[],;.=<>-+*/ \n\r\t",
    "--",
    "/*",
    "*/",
    "''",
    "r'",
    "case",
    "when",
    "then",
    "end",
    "End",
    "a",
    "é",
    "1.5e3",
    "名",
]
sql_like = st.one_of(
    st.text(), st.lists(st.sampled_from(PIECES)).map("".join), st.lists(st.sampled_from(PIECES)).map(" ".join)
)


def refusal_of(macro: str, *arguments: Any, **options: Any) -> str:
    with pytest.raises(CompilerError) as refused:
        getattr(MACROS, macro)("orders", *arguments, **options)
    return str(refused.value).removeprefix("dbt_kinds: model orders: ")


# --- tokens


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("", []),
        ("a+1", ["a", "+", "1"]),
        ("a <= b", ["a", " ", "<", "=", " ", "b"]),
        ("x -> y", ["x", " ", "-", ">", " ", "y"]),
        ("'it''s'", ["'it''s'"]),
        (r"'it\'s'", [r"'it\'s'"]),
        (r"'\\'a", [r"'\\'", "a"]),
        ("'two\nlines'", ["'two\nlines'"]),
        ('"say ""it\'s"""', ['"say ""it\'s"""']),
        ('"a\\"b"', ['"a\\"b"']),
        (r"r'\' a", [r"r'\'", " ", "a"]),
        (r'R"\" a', [r'R"\"', " ", "a"]),
        ("bar'x'", ["bar", "'x'"]),
        ("'a' 'b'", ["'a'", " ", "'b'"]),
        ("`a b`.`c``d`", ["`a b`", ".", "`c``d`"]),
        ("`it's`", ["`it's`"]),
        ("a -- 'b\nc", ["a", " ", "-- 'b", "\n", "c"]),
        ("-- a \\\nstill the comment\nc", ["-- a \\\nstill the comment", "\n", "c"]),
        ("/* a ' -- */b", ["/* a ' -- */", "b"]),
        ("/* a /* b */ c */d", ["/* a /* b */ c */", "d"]),
        ("/**/a/***/", ["/**/", "a", "/***/"]),
        ("'/*' a '*/'", ["'/*'", " ", "a", " ", "'*/'"]),
        ("1.5e-3 .5 2L 10BD", ["1.5e-3", " ", ".5", " ", "2L", " ", "10BD"]),
        ("a.b1 2024_sales", ["a", ".", "b1", " ", "2024_sales"]),
        ("größe=名前", ["größe", "=", "名前"]),
        ("'open", ["'", "open"]),
        ("/* open", ["/", "*", " ", "open"]),
    ],
)
def test_a_text_is_cut_where_spark_cuts_it(text: str, tokens: list[str]) -> None:
    assert MACROS.sql_tokens(text) == tokens


@given(sql_like)
def test_the_tokens_of_any_text_are_that_text(text: str) -> None:
    assert "".join(MACROS.sql_tokens(text)) == text


# --- parts


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("a", ["a"]),
        ("", [""]),
        (" a ,\n b ", ["a", "b"]),
        ("a,,b,", ["a", "", "b", ""]),
        ("coalesce(a, ''), b", ["coalesce(a, '')", "b"]),
        ("m['a,b'], x[f(1, 2)], c", ["m['a,b']", "x[f(1, 2)]", "c"]),
        ("',', \",\", `,`, r','", ["','", '","', "`,`", "r','"]),
        ("a /* , ( */, b -- , (\n, c", ["a /* , ( */", "b -- , (", "c"]),
        ("case when a then 1, 2 end, b", ["case when a then 1, 2 end", "b"]),
        (
            "CASE x WHEN 1 THEN case when y then 1 end, 2 END, b",
            ["CASE x WHEN 1 THEN case when y then 1 end, 2 END", "b"],
        ),
        ("(case when a then 1), b", ["(case when a then 1)", "b"]),
        ("t.case, t.end, b", ["t.case", "t.end", "b"]),
        ("case, end, b", ["case", "end", "b"]),
        ("case when end is null then end, 1 else end end, b", ["case when end is null then end, 1 else end end", "b"]),
        ("weekend, `case`, b", ["weekend", "`case`", "b"]),
        ("a), b", ["a)", "b"]),
        ("f(a, b", ["f(a, b"]),
    ],
)
def test_commas_within_something_do_not_split(text: str, parts: list[str]) -> None:
    assert MACROS.split_top_level(text) == parts


@pytest.mark.parametrize(
    ("text", "separator", "most", "parts"),
    [
        ("a = b = c", "=", 1, ["a", "b = c"]),
        ("a = b = c", "=", None, ["a", "b", "c"]),
        ("a AND b and (c and d)", "and", None, ["a", "b", "(c and d)"]),
        ("x.then then 'then' `then`", "then", None, ["x.then", "'then' `then`"]),
        ("case when a then b end then c", "then", None, ["case when a then b end", "c"]),
        ("a, b", ",", 0, ["a, b"]),
    ],
)
def test_other_separators(text: str, separator: str, most: int | None, parts: list[str]) -> None:
    assert MACROS.split_top_level(text, separator, most) == parts


@settings(max_examples=settings().max_examples // 4)
@given(sql_like)
def test_the_parts_of_any_text_joined_are_that_text_but_for_space(text: str) -> None:
    parts = MACROS.split_top_level(text)
    assert "".join(",".join(parts).split()) == "".join(text.split())


# --- aliases


@pytest.mark.parametrize(
    ("text", "replaced"),
    [
        ("DBT_INTERNAL_DEST.a = DBT_INTERNAL_SOURCE.a", "target.a = source.a"),
        ("dbt_internal_dest . `a` = `DBT_INTERNAL_SOURCE`.a", "target . `a` = source.a"),
        ("'DBT_INTERNAL_DEST.a' -- DBT_INTERNAL_DEST.a", "'DBT_INTERNAL_DEST.a' -- DBT_INTERNAL_DEST.a"),
        ("MY_DBT_INTERNAL_DEST.a + DBT_INTERNAL_DEST + x.DBT_INTERNAL_DEST.a", "MY_DBT_INTERNAL_DEST.a + DBT_INTERNAL_DEST + x.DBT_INTERNAL_DEST.a"),
        ("target.a", "target.a"),
    ],
)  # fmt: skip
def test_an_alias_is_replaced_where_it_qualifies(text: str, replaced: str) -> None:
    renames = {"DBT_INTERNAL_DEST": "target", "DBT_INTERNAL_SOURCE": "source"}
    assert MACROS.replace_alias(text, renames) == replaced


@settings(max_examples=settings().max_examples // 10)
@given(sql_like)
def test_without_aliases_any_text_stays(text: str) -> None:
    assert MACROS.replace_alias(text, {}) == text


# --- when_matched


def update(condition: str | None = None, /, **assignments: str) -> dict[str, Any]:
    written = [{"column": column, "expression": expression} for column, expression in assignments.items()]
    return {"condition": condition, "action": "update", "assignments": written or None}


def delete(condition: str | None = None) -> dict[str, Any]:
    return {"condition": condition, "action": "delete", "assignments": None}


@pytest.mark.parametrize(
    ("written", "clauses"),
    [
        ("when matched then delete", [delete()]),
        ("WHEN  MATCHED\nTHEN\tUPDATE SET *;", [update()]),
        ("when matched then update set target.a = source.a, b = coalesce(source.b, target.b)", [update(a="source.a", b="coalesce(source.b, target.b)")]),
        ("when matched and source.at > target.at then update set *", [update("source.at > target.at")]),
        ("when matched and a or b then delete", [delete("a or b")]),
        # several, and how they may be written
        ("when matched and source.gone then delete when matched then update set a = 1", [delete("source.gone"), update(a="1")]),
        ("when matched and x then delete; when matched and y then update set a = 1, when matched then update set *,", [delete("x"), update("y", a="1"), update()]),
        (["when matched and x then delete", "when matched and y then delete when matched then update set *"], [delete("x"), delete("y"), update()]),
        ("(when matched and (x) then delete; when matched then update set a = (1))", [delete("(x)"), update(a="(1)")]),
        ("( when matched then delete; ) ;", [delete()]),
        ("when matched and (x) then update set a = (1)", [update("(x)", a="(1)")]),
        # left sides
        ("when matched then update set `target`.`odd = name` = 1, TARGET.`tick``s`=2, größe= 3", [update(**{"odd = name": "1", "tick`s": "2", "größe": "3"})]),
        ("when matched then update set DBT_INTERNAL_DEST.a = DBT_INTERNAL_SOURCE.a + dbt_internal_dest.a", [update(a="source.a + target.a")]),
        ("when matched then update set target.when = source.then, target.end = source.case", [update(when="source.then", end="source.case")]),
        # right sides
        ("when matched then update set a = b = c, d = e <= f", [update(a="b = c", d="e <= f")]),
        ("when matched then update set a = case when x = 1 then case y when 2 then 3 end else 4 end, b = 1", [update(a="case when x = 1 then case y when 2 then 3 end else 4 end", b="1")]),
        ("when matched and case when x then y end then update set a = case when x then y end when matched then delete", [update("case when x then y end", a="case when x then y end"), delete()]),
        ("when matched and x = 'when matched then delete' then update set a = \"then, b = 2\"", [update("x = 'when matched then delete'", a='"then, b = 2"')]),
        (r"when matched then update set a = 'it\'s, b = ', b = ''''", [update(a=r"'it\'s, b = '", b="''''")]),
        ("when matched then update set a = transform(source.xs, (x, i) -> x + i), b = map(1, 2)[1]", [update(a="transform(source.xs, (x, i) -> x + i)", b="map(1, 2)[1]")]),
        # comments
        ("-- when not matched\nwhen /* then */ matched and x -- then delete\n and y then update set a = 1 -- , b = 2\n, c = 3 -- the end", [update("x  \n and y", a="1", c="3")]),
        ("/* all */ (when matched then delete) -- of it", [delete()]),
        ("when matched and source.at >= /*kinds:start_ts*/ '2024-01-01' then delete", [delete("source.at >= /*kinds:start_ts*/ '2024-01-01'")]),
    ],
)  # fmt: skip
def test_when_matched_is_read_clause_by_clause(written: Any, clauses: list[dict[str, Any]]) -> None:
    assert MACROS.merge_clauses("orders", written) == clauses


@pytest.mark.parametrize(
    ("written", "text"),
    [
        ({"action": "delete"}, "when matched then delete"),
        ([{"condition": "source.gone", "action": "delete"}, {"set": {"a": "source.a", "odd = name": "1"}}], "when matched and source.gone then delete when matched then update set a = source.a, `odd = name` = 1"),
        ([{"condition": "a or b", "action": "update", "set": "*"}, "when matched then delete"], "when matched and a or b then update set * when matched then delete"),
        ([{"condition": "x in (1, 2) -- of them", "set": {"a": "case when x then y end"}}], "when matched and x in (1, 2) then update set a = case when x then y end"),
    ],
)  # fmt: skip
def test_when_matched_as_clauses_means_the_same_as_text(written: Any, text: str) -> None:
    assert MACROS.merge_clauses("orders", written) == MACROS.merge_clauses("orders", text)


@pytest.mark.parametrize(
    "clause",
    [
        {"action": "insert"},
        {"action": "delete", "set": {"a": 1}},
        {"condition": "x", "sets": {"a": 1}},
        {"set": {}},
        {"set": ["a"]},
        {"condition": "x then delete when matched and y"},
        {"condition": "x", "set": {"a": "1, b = 2"}},
        {"condition": "x", "set": {"a": "1 then delete"}},
    ],
)
def test_a_clause_that_is_no_single_clause_is_refused(clause: dict[str, Any]) -> None:
    with pytest.raises(CompilerError) as refused:
        MACROS.merge_clauses("orders", [clause])
    assert "when_matched holds" in str(refused.value)
    assert "write {condition: 'source.price > 0', action: update, set: {price: source.price}}" in str(refused.value)


CLAUSE = "when matched then update set target.a = source.a"


@pytest.mark.parametrize(
    ("written", "refusal"),
    [
        ("", f"when_matched is empty; write {CLAUSE}, or remove the option"),
        (" -- nothing", f"when_matched is empty; write {CLAUSE}, or remove the option"),
        ([], f"when_matched is empty; write {CLAUSE}, or remove the option"),
        (["when matched and x then delete", ""], f"when_matched is empty; write {CLAUSE}, or remove the option"),
        (True, f"when_matched 'True' is not a string; write {CLAUSE}"),
        ({"a": "b"}, f"when_matched '{{'a': 'b'}}' is not a string; write {CLAUSE}"),
        ([1], f"when_matched holds '1', which is not a string; write {CLAUSE}"),
        ("target.a = source.a", f"when_matched 'target.a = source.a' does not begin with when matched; write {CLAUSE}"),
        ("update when matched then delete", f"when_matched 'update when matched then delete' does not begin with when matched; write {CLAUSE}"),
        ("()", f"when_matched '()' does not begin with when matched; write {CLAUSE}"),
        ("when x then delete", "when_matched has a clause 'when x then delete', which does not begin with when matched; write when matched and <condition> then …"),
        ("when NOT matched then insert *", "when_matched has a clause 'when not matched'; remove it: rows that match nothing are inserted"),
        ("when matched and x then delete when not matched by source then delete", "when_matched has a clause 'when not matched'; remove it: rows that match nothing are inserted"),
        ("when matched update set a = 1", "when_matched has a clause 'when matched update set a = 1' without then; write then update set target.a = source.a, then update set *, or then delete behind its condition"),
        ("when matched and (x then delete", "when_matched 'when matched and (x then delete' has a ( that never closes; write the ) for it"),
        ("when matched by source then delete", "when_matched has a clause 'when matched by source then'; between matched and then write and <condition>, or nothing"),
        ("when matched and then delete", "when_matched has a clause 'when matched and then'; between matched and then write and <condition>, or nothing"),
        ("when matched then insert *", "when_matched says then 'insert *'; write then update set target.a = source.a, then update set *, or then delete"),
        ("when matched then", "when_matched says then ''; write then update set target.a = source.a, then update set *, or then delete"),
        ("when matched then update set", "when_matched says then 'update set'; write then update set target.a = source.a, then update set *, or then delete"),
        ("when matched then update a = 1", "when_matched says then 'update a = 1'; write then update set target.a = source.a, then update set *, or then delete"),
        ("when matched then delete from t", "when_matched says then 'delete from t'; write then update set target.a = source.a, then update set *, or then delete"),
        ("when matched then update set a = 1, target.b", "when_matched sets 'target.b', which assigns nothing; write target.a = source.a"),
        ("when matched then update set a = 1,, b = 2", "when_matched sets '', which assigns nothing; write target.a = source.a"),
        ("when matched then update set a = ", "when_matched sets 'a =', which assigns nothing; write target.a = source.a"),
        ("when matched then update set a == 1", "when_matched sets 'a == 1', which assigns nothing; write target.a = source.a"),
        ("when matched then update set source.a = 1", "when_matched assigns to 'source.a', which is not a column of the table; write target.a = source.a"),
        ("when matched then update set target.a.b = 1", "when_matched assigns to 'target.a.b', which is not a column of the table; write target.a = source.a"),
        ("when matched then update set 'a' = 1", "when_matched assigns to ''a'', which is not a column of the table; write target.a = source.a"),
        ("when matched then delete when matched and x then update set *", "when_matched has a clause 'when matched and x then update set *' behind one without a condition, which leaves it nothing; put it before that one, or remove it"),
        (["when matched then delete", "when matched then delete"], "when_matched has a clause 'when matched then delete' behind one without a condition, which leaves it nothing; put it before that one, or remove it"),
    ],
)  # fmt: skip
def test_a_when_matched_that_cannot_be_meant_is_refused(written: Any, refusal: str) -> None:
    assert refusal_of("merge_clauses", written) == refusal


# --- merge_filter


@pytest.mark.parametrize(
    ("written", "condition"),
    [
        (None, None),
        ("", None),
        ([], None),
        ("target.a > 1", "(target.a > 1)"),
        ("DBT_INTERNAL_DEST.a > 1 or b -- why", "(target.a > 1 or b)"),
        (["target.a > 1", " dbt_internal_source.b or c\n"], "(target.a > 1) and (source.b or c)"),
        ("x = '-- no comment' /* one */", "(x = '-- no comment')"),
    ],
)
def test_the_conditions_of_a_merge_are_joined(written: Any, condition: str | None) -> None:
    assert MACROS.merge_condition("orders", written) == condition


@pytest.mark.parametrize(
    ("written", "refusal"),
    [
        (True, "merge_filter 'True' is not a string; write a condition such as target.loaded_at > current_date - 30"),
        (["a", 1], "merge_filter holds '1', which is not a string; write a condition such as target.loaded_at > current_date - 30"),
        (["a", None], "merge_filter holds 'None', which is not a string; write a condition such as target.loaded_at > current_date - 30"),
        (["a", " "], "merge_filter is empty; write a condition such as target.loaded_at > current_date - 30, or remove the option"),
    ],
)  # fmt: skip
def test_a_condition_of_a_merge_is_a_text(written: Any, refusal: str) -> None:
    assert refusal_of("merge_condition", written) == refusal


def test_the_message_names_the_option_that_was_written() -> None:
    assert refusal_of("merge_condition", 5, option="incremental_predicates").startswith(
        "incremental_predicates '5' is not a string"
    )


# --- unique_key


@pytest.mark.parametrize(
    ("written", "expressions"),
    [
        ("a", ["a"]),
        (" a ", ["a"]),
        ("a, b", ["a", "b"]),
        ("(a, b)", ["a", "b"]),
        ("(a)", ["a"]),
        (["a", "b"], ["a", "b"]),
        (["a", "b, c"], ["a", "b", "c"]),
        ("coalesce(a, ''), b", ["coalesce(a, '')", "b"]),
        (["coalesce(a, '')", "`odd, name`"], ["coalesce(a, '')", "`odd, name`"]),
        ("(a).b", ["(a).b"]),
        ("(a || b) || (c), d", ["(a || b) || (c)", "d"]),
        ("(a), (b)", ["(a)", "(b)"]),
        ("a -- the first, not\n, b /* the second */", ["a", "b"]),
        ("case when a then b, c end, ','", ["case when a then b, c end", "','"]),
    ],
)
def test_a_key_is_one_expression_or_several(written: Any, expressions: list[str]) -> None:
    assert MACROS.key_expressions("orders", written) == expressions


COLUMN = "a column, such as order_id, or several, such as [order_id, line]"


@pytest.mark.parametrize(
    ("written", "refusal"),
    [
        ("", f"unique_key is empty; write {COLUMN}, or remove the option"),
        ([], f"unique_key is empty; write {COLUMN}"),
        (["a", ""], f"unique_key is empty; write {COLUMN}, or remove the option"),
        (None, f"unique_key 'None' is not a string; write {COLUMN}"),
        (1, f"unique_key '1' is not a string; write {COLUMN}"),
        ({"column": "a"}, f"unique_key '{{'column': 'a'}}' is not a string; write {COLUMN}"),
        (["a", 2], f"unique_key holds '2', which is not a string; write {COLUMN}"),
        ("a,", f"unique_key 'a,' holds an empty expression; write {COLUMN}"),
        ("(a,, b)", f"unique_key '(a,, b)' holds an empty expression; write {COLUMN}"),
        ("()", f"unique_key '()' holds an empty expression; write {COLUMN}"),
    ],
)
def test_a_key_that_names_nothing_is_refused(written: Any, refusal: str) -> None:
    assert refusal_of("key_expressions", written) == refusal


CTE = "with __dbt__cte__p as (\n{}\n) select * from __dbt__cte__p"


@pytest.mark.parametrize(
    ("written", "query"),
    [
        ("select 1;", "select 1"),
        ("select 1 ;\n", "select 1 \n"),
        ("select 1; ;\n;", "select 1 \n"),
        ("select 1; -- done; here", "select 1 -- done; here"),
        ("select 1\n;\n/* a ; b */\n-- c", "select 1\n\n/* a ; b */\n-- c"),
        ("\ufeff\nselect 1", "\nselect 1"),
        (CTE.format("\ufeffselect 1; -- done") + ";", CTE.format("select 1 -- done")),
        ("with q as (with p as (select (1) as a;) select * from p;) select * from q", "with q as (with p as (select (1) as a) select * from p) select * from q"),
        # those that are a part of something
        *((same, same) for same in (
            "select ';' as a, \";\" as `;` -- ;\nfrom t /* ; */ where b = r';'", "select '\ufeff'", "select '\\';' -- it's; so\n", "/*kinds:source_start {\"format\": \";\"}*/ 1",
            "", "select 1", CTE.format("select 1"),
        )),
    ],
)  # fmt: skip
def test_what_ends_a_query_is_no_part_of_it(written: str, query: str) -> None:
    assert MACROS.one_query("orders", written) == query


@pytest.mark.parametrize(
    ("written", "behind"),
    [
        ("select 1; select 2", "select"),
        ("select 1;\n-- then\nselect 2;", "select"),
        ("; select 1", "select"),
        ("set a = 1; select 1", "select"),
        ("select ';'; drop table t", "drop"),
        ("select (1;)", ")"),
        ("select 1;)", ")"),
        (CTE.format("select 1; select 2"), "select"),
    ],
)
def test_several_statements_are_no_query(written: str, behind: str) -> None:
    assert refusal_of("one_query", written) == (
        f"its query goes on behind a semicolon, at '{behind}', and a model of a kind is one query; "
        "move other statements into pre_hook or post_hook"
    )

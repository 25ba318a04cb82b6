"""Types as Spark writes them, what a query would change in a table, and the SQL that brings a value into another type."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.unit.macros import MACROS as MACRO_FILES
from tests.unit.macros import Macros

MACROS = Macros()
some_examples = settings(max_examples=settings().max_examples // 10)

Type = dict[str, Any]


def atomic(text: str) -> Type:
    return {"kind": "atomic", "text": text}


def array(element: Type) -> Type:
    return {"kind": "array", "element": element}


def mapping(key: Type, value: Type) -> Type:
    return {"kind": "map", "key": key, "value": value}


def struct(**fields: Type) -> Type:
    return named_struct(*fields.items())


def named_struct(*fields: tuple[str, Type]) -> Type:
    return {"kind": "struct", "fields": [{"name": name, "type": type_} for name, type_ in fields]}


INT, STRING = atomic("int"), atomic("string")


# --- texts of types


@pytest.mark.parametrize(
    ("text", "normal"),
    [
        ("int", "int"),
        ("INT", "int"),
        (" string ", "string"),
        ("integer", "int"),
        ("long", "bigint"),
        ("short", "smallint"),
        ("byte", "tinyint"),
        ("real", "float"),
        ("timestamp_ltz", "timestamp"),
        ("timestamp_ntz", "timestamp_ntz"),
        ("decimal(10,2)", "decimal(10,2)"),
        ("DECIMAL(10, 2)", "decimal(10,2)"),
        ("numeric(7)", "decimal(7,0)"),
        ("dec", "decimal(10,0)"),
        ("varchar(10)", "varchar(10)"),
        ("CHARACTER (3)", "char(3)"),
        ("INTERVAL DAY TO SECOND", "interval day to second"),
        ("interval year", "interval year"),
        ("interval", "interval"),
        ("void", "void"),
        ("string collate UTF8_LCASE", "string collate utf8_lcase"),
        # of no use to anyone but equal to itself
        ("vector", "vector"),
        ("struct<a:Vector>", "struct<a:Vector>"),
    ],
)
def test_an_atomic_type_has_one_text_for_all_its_names(text: str, normal: str) -> None:
    assert MACROS.parse_type(text) == atomic(normal)


@pytest.mark.parametrize(
    ("text", "parsed"),
    [
        ("array<int>", array(INT)),
        ("ARRAY<MAP<STRING, INT>>", array(mapping(STRING, INT))),
        ("map<string,array<decimal(5,2)>>", mapping(STRING, array(atomic("decimal(5,2)")))),
        ("struct<>", struct()),
        ("struct<a:int>", struct(a=INT)),
        ("struct<a:int,B:array<struct<c:string>>>", struct(a=INT, B=array(struct(c=STRING)))),
        ("struct<a: int, b: string>", struct(a=INT, b=STRING)),
        ("STRUCT<a: INT NOT NULL, b: STRING>", struct(a=INT, b=STRING)),
        ("STRUCT<a: INT NOT NULL COMMENT 'x, y>', b: STRING>", struct(a=INT, b=STRING)),
        (r"STRUCT<a: INT COMMENT 'it\'s: int>', b: STRING>", struct(a=INT, b=STRING)),
        ("STRUCT<s: STRUCT<a: INT NOT NULL> NOT NULL COMMENT 'two\nlines'>", struct(s=struct(a=INT))),
        (
            "struct<t:interval day to second,u:timestamp>",
            struct(t=atomic("interval day to second"), u=atomic("timestamp")),
        ),
    ],
)
def test_nested_types_are_read(text: str, parsed: Type) -> None:
    assert MACROS.parse_type(text) == parsed


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("struct<a b:int,x.y:string>", ["a b", "x.y"]),
        ("struct<a:b:int>", ["a:b"]),
        ("struct<::int>", [":"]),
        ("struct<a,b:int,c:string>", ["a,b", "c"]),
        ("struct<g<h>:int>", ["g<h>"]),
        ("struct<q`t:int,it's:int>", ["q`t", "it's"]),
        ("struct<int:int,struct:string>", ["int", "struct"]),
        ("struct<array<int>:array<int>>", ["array<int>"]),
        ("struct<not null:int>", ["not null"]),
        ("struct<größe:int,数:int>", ["größe", "数"]),
        ("struct<`a:b`:int,`c``d`: string>", ["a:b", "c`d"]),
        ("struct<`a:int,b`:int>", ["a:int,b"]),
        ("struct<` a `:int>", [" a "]),
    ],
)
def test_the_name_of_a_field_may_be_any_text_quoted_or_not(text: str, names: list[str]) -> None:
    assert [field["name"] for field in MACROS.parse_type(text)["fields"]] == names


@pytest.mark.parametrize(
    "text",
    [
        "struct<a:int,b:int,... 2 more fields>",
        "array<struct<a:int,... 1 more fields>>",
        "struct<... 3 more fields>",
        "struct<a:int,s:struct<b:int,... 12 more fields>,c:int>",
    ],
)
def test_a_struct_that_spark_cut_short_is_not_taken_for_a_whole_one(text: str) -> None:
    truncated = MACROS.parse_type(text)
    assert truncated == {"kind": "truncated"}
    assert not MACROS.same_type(truncated, truncated)
    assert not MACROS.fits_into(truncated, truncated)
    (change,) = MACROS.schema_changes([{"name": "s", "type": text}], [{"name": "s", "type": text}])
    assert MACROS.is_destructive(change)


def test_an_unreadable_type_is_given_up_on_in_good_time() -> None:
    text = "struct<" + "a:struct<" * 30 + ",".join(f"f{number}:int" for number in range(50)) + ",g:geometry" + ">" * 31
    assert MACROS.parse_type(text) == atomic(text)


@pytest.mark.parametrize(
    ("parsed", "text"),
    [
        (atomic("decimal(10,2)"), "decimal(10,2)"),
        (array(INT), "array<int>"),
        (mapping(STRING, INT), "map<string,int>"),
        (struct(a=INT, b=array(struct(c=STRING))), "struct<`a`:int,`b`:array<struct<`c`:string>>>"),
        (named_struct(("x.y", INT), ("c`d", INT)), "struct<`x.y`:int,`c``d`:int>"),
        (struct(), "struct<>"),
    ],
)
def test_ddl_quotes_the_names_of_fields(parsed: Type, text: str) -> None:
    assert MACROS.type_text(parsed) == text


@pytest.mark.parametrize(
    ("text", "sql"),
    [
        ("timestamp", "timestamp_ltz"),
        ("TIMESTAMP", "timestamp_ltz"),
        ("timestamp_ntz", "timestamp_ntz"),
        ("decimal(10,2)", "decimal(10,2)"),
        ("struct<timestamp:timestamp,b:array<int>>", "struct<`timestamp`:timestamp_ltz,`b`:array<int>>"),
        ("map<timestamp,array<timestamp>>", "map<timestamp_ltz,array<timestamp_ltz>>"),
    ],
)
def test_a_timestamp_is_one_with_a_zone_in_every_session(text: str, sql: str) -> None:
    assert MACROS.sql_type(text) == sql
    of_databricks = Macros(adapter_type="databricks")
    assert of_databricks.sql_type(text) == sql.replace("timestamp_ltz", "timestamp")


def test_no_macro_writes_a_type_that_a_session_may_change() -> None:
    written = r"(?i)\bas timestamp\b|type_text\(dbt_kinds\.parse_type"
    found = [file.name for file in MACRO_FILES.rglob("*.sql") if re.search(written, file.read_text())]
    # which has the one way to write it
    assert found == ["type_text.sql"]


# --- types beside each other


@pytest.mark.parametrize(
    ("left", "right", "same"),
    [
        ("int", "integer", True),
        ("int", "bigint", False),
        ("varchar(10)", "varchar(11)", False),
        ("array<int>", "array<int>", True),
        ("array<int>", "array<bigint>", False),
        ("map<string,int>", "map<string,int>", True),
        ("map<string,int>", "map<int,int>", False),
        ("array<int>", "map<int,int>", False),
        ("struct<a:int,b:string>", "struct<A:int,`b`: string not null>", True),
        ("struct<a:int,b:string>", "struct<b:string,a:int>", False),
        ("struct<a:int,b:string>", "struct<a:int>", False),
        ("struct<a:int>", "struct<b:int>", False),
    ],
)
def test_types_are_the_same_when_their_fields_stand_in_the_same_order(left: str, right: str, same: bool) -> None:
    assert MACROS.same_type(MACROS.parse_type(left), MACROS.parse_type(right)) is same


# source, target, whether it fits, whether it fits the other way round
FITS = [
    ("int", "int", True, True),
    ("tinyint", "smallint", True, False),
    ("smallint", "int", True, False),
    ("int", "bigint", True, False),
    ("tinyint", "bigint", True, False),
    ("tinyint", "decimal(3,0)", True, False),
    ("smallint", "decimal(4,0)", False, False),
    ("smallint", "decimal(7,2)", True, False),
    ("int", "decimal(10,0)", True, False),
    ("int", "decimal(10,2)", False, False),
    ("bigint", "decimal(19,0)", True, False),
    ("bigint", "decimal(18,0)", False, False),
    ("decimal(3,0)", "int", False, False),
    ("decimal(10,2)", "decimal(12,2)", True, False),
    ("decimal(10,2)", "decimal(12,4)", True, False),
    ("decimal(10,2)", "decimal(10,4)", False, False),
    ("float", "double", True, False),
    ("tinyint", "float", True, False),
    ("smallint", "float", True, False),
    ("int", "float", False, False),
    ("int", "double", True, False),
    ("bigint", "double", False, False),
    ("decimal(5,2)", "double", False, False),
    ("varchar(10)", "string", True, False),
    ("char(3)", "string", True, False),
    ("varchar(10)", "varchar(11)", True, False),
    ("char(3)", "varchar(3)", True, False),
    ("char(3)", "varchar(2)", False, False),
    ("char(3)", "char(4)", False, False),
    ("date", "timestamp", False, False),
    ("timestamp", "timestamp_ntz", False, False),
    ("int", "string", False, False),
    ("void", "int", True, False),
    ("void", "struct<a:int>", True, False),
    ("array<int>", "array<bigint>", True, False),
    ("array<void>", "array<string>", True, False),
    ("map<int,int>", "map<bigint,double>", True, False),
    ("map<int,bigint>", "map<bigint,int>", False, False),
    ("struct<a:int,b:string>", "struct<B:string,A:int>", True, True),
    ("struct<a:int>", "struct<a:bigint,b:string>", True, False),
    ("struct<a:int,b:string>", "struct<a:int,c:string>", False, False),
    ("array<struct<a:int>>", "array<struct<b:int,a:bigint>>", True, False),
    ("array<int>", "struct<a:int>", False, False),
    ("struct<a:int>", "string", False, False),
]


@pytest.mark.parametrize(("source", "target", "forth", "back"), FITS)
def test_a_type_fits_into_another_that_holds_all_its_values(source: str, target: str, forth: bool, back: bool) -> None:
    parsed_source, parsed_target = MACROS.parse_type(source), MACROS.parse_type(target)
    assert MACROS.fits_into(parsed_source, parsed_target) is forth
    assert MACROS.fits_into(parsed_target, parsed_source) is back


@pytest.mark.parametrize(
    ("stored", "written", "widened"),
    [
        ("int", "int", "int"),
        ("int", "bigint", "bigint"),
        ("bigint", "int", "bigint"),
        ("float", "int", "double"),
        ("double", "bigint", None),
        ("decimal(10,2)", "decimal(8,4)", "decimal(12,4)"),
        ("decimal(5,2)", "int", "decimal(12,2)"),
        ("bigint", "decimal(4,2)", "decimal(21,2)"),
        ("decimal(38,0)", "decimal(10,2)", None),
        ("varchar(10)", "string", "string"),
        ("varchar(5)", "char(7)", "varchar(7)"),
        ("char(3)", "char(4)", "varchar(4)"),
        ("int", "string", None),
        ("date", "timestamp", None),
        ("void", "array<int>", "array<int>"),
        ("array<int>", "void", "array<int>"),
        ("array<int>", "array<bigint>", "array<bigint>"),
        ("array<int>", "array<string>", None),
        ("map<int,float>", "map<bigint,int>", "map<bigint,double>"),
        ("struct<a:int,b:int>", "struct<c:string,B:bigint>", "struct<a:int,b:bigint,c:string>"),
        ("struct<a:int,b:int>", "struct<a:string>", None),
        ("struct<a:int>", "array<int>", None),
    ],
)
def test_the_widened_type_is_the_smallest_that_both_fit_into(stored: str, written: str, widened: str | None) -> None:
    read = MACROS.widened_type(MACROS.parse_type(stored), MACROS.parse_type(written))
    assert read == (widened and MACROS.parse_type(widened))


# --- changes


def columns(text: str) -> list[dict[str, str]]:
    """Columns, written as the fields of a struct."""
    fields = MACROS.parse_type(f"struct<{text}>")["fields"]
    return [{"name": field["name"], "type": MACROS.type_text(field["type"])} for field in fields]


# the table, the query, the changes in words, the table after all of them
CHANGES: list[tuple[str, str, list[str], str]] = [
    ("a:int,b:string", "a:int,b:string", [], "a:int,b:string"),
    ("a:int,b:string", "B:string,A:int", [], "a:int,b:string"),
    ("a:bigint,b:string", "a:int,b:varchar(3)", [], "a:bigint,b:string"),
    ("a:int", "a:int,b:string", ["adds column b (string)"], "a:int,b:string"),
    ("a:int,b:string", "a:int", ["drops column b"], "a:int"),
    ("a:int", "a:bigint", ["widens a from int to bigint"], "a:bigint"),
    ("a:decimal(5,2)", "a:int", ["widens a from decimal(5,2) to decimal(12,2)"], "a:decimal(12,2)"),
    ("a:int", "a:string", ["changes a from int to string"], "a:string"),
    ("a:timestamp", "a:date", ["changes a from timestamp to date"], "a:date"),
    (
        "a:int,b:int",
        "c:int,a:bigint",
        ["widens a from int to bigint", "drops column b", "adds column c (int)"],
        "a:bigint,c:int",
    ),
    ("s:struct<a:int,b:int>", "s:struct<b:int,a:int>", [], "s:struct<a:int,b:int>"),
    ("s:struct<a:int>", "s:struct<b:string,A:int>", ["adds field s.b (string)"], "s:struct<a:int,b:string>"),
    ("s:struct<a:int,f:int>", "s:struct<a:int>", ["drops field s.f"], "s:struct<a:int>"),
    ("s:struct<a:int>", "s:struct<a:bigint>", ["widens s.a from int to bigint"], "s:struct<a:bigint>"),
    ("s:struct<a:int>", "s:array<int>", ["changes s from struct<`a`:int> to array<int>"], "s:array<int>"),
    ("s:struct<a:int>", "s:void", [], "s:struct<a:int>"),
    ("s:void", "s:struct<a:int>", ["widens s from void to struct<`a`:int>"], "s:struct<a:int>"),
    ("x:array<int>", "x:array<bigint>", ["widens x.element from int to bigint"], "x:array<bigint>"),
    (
        "x:array<struct<a:int>>",
        "x:array<struct<b:struct<c:int>>>",
        ["drops field x.element.a", "adds field x.element.b (struct<`c`:int>)"],
        "x:array<struct<b:struct<c:int>>>",
    ),
    ("m:map<string,int>", "m:map<string,string>", ["changes m.value from int to string"], "m:map<string,string>"),
    (
        "m:map<string,struct<a:int>>",
        "m:map<string,struct<a:int,b:int>>",
        ["adds field m.value.b (int)"],
        "m:map<string,struct<a:int,b:int>>",
    ),
    ("m:map<bigint,int>", "m:map<int,int>", [], "m:map<bigint,int>"),
    ("m:map<int,int>", "m:map<bigint,int>", ["changes m from map<int,int> to map<bigint,int>"], "m:map<bigint,int>"),
    (
        "s:struct<m:map<struct<a:int>,int>>",
        "s:struct<m:map<struct<b:int>,string>>",
        ["changes s.m from map<struct<`a`:int>,int> to map<struct<`b`:int>,string>"],
        "s:struct<m:map<struct<b:int>,string>>",
    ),
    (
        "s:struct<element:array<int>>",
        "s:struct<element:array<bigint>>",
        ["widens s.element.element from int to bigint"],
        "s:struct<element:array<bigint>>",
    ),
]


@pytest.mark.parametrize(("stored", "written", "words", "after"), CHANGES)
def test_changes_lead_from_the_table_to_the_query(stored: str, written: str, words: list[str], after: str) -> None:
    changes = MACROS.schema_changes(columns(stored), columns(written))
    assert [MACROS.change_words(change) for change in changes] == words
    assert MACROS.changed_schema(columns(stored), changes) == columns(after)


def test_a_change_tells_its_path_segment_by_segment_and_both_types() -> None:
    stored = [{"name": "S", "type": "array<struct<x.y:int,b:int>>"}]
    written = [{"name": "s", "type": "array<struct<X.Y:bigint,new:struct<c d:int>>>"}]
    assert MACROS.schema_changes(stored, written) == [
        {"change": "widen", "path": ["S", "element", "x.y"], "from": "int", "to": "bigint"},
        {"change": "drop", "path": ["S", "element", "b"], "from": "int", "to": None},
        {"change": "add", "path": ["S", "element", "new"], "from": None, "to": "struct<`c d`:int>"},
    ]


def test_only_the_changes_that_are_given_are_made() -> None:
    stored, written = columns("a:int,s:struct<f:int,g:int>"), columns("a:string,s:struct<g:bigint,h:int>,z:int")
    changes = MACROS.schema_changes(stored, written)
    additive = [change for change in changes if not MACROS.is_destructive(change)]
    assert MACROS.changed_schema(stored, additive) == columns("a:int,s:struct<f:int,g:bigint,h:int>,z:int")
    assert MACROS.changed_schema(stored, []) == stored


@pytest.mark.parametrize(("change", "destructive"), [("drop", True), ("alter", True), ("add", False), ("widen", False)])
def test_a_change_is_destructive_when_the_table_loses_by_it(change: str, destructive: bool) -> None:
    assert MACROS.is_destructive({"change": change, "path": ["a"], "from": "int", "to": "string"}) is destructive


# --- conversions


@pytest.mark.parametrize(
    ("source", "target", "sql"),
    [
        ("int", "integer", "x"),
        ("int", "bigint", "cast(x as bigint)"),
        ("void", "struct<a:int>", "cast(x as struct<`a`:int>)"),
        ("struct<a:int,b:int>", "struct<A: int, b: int>", "x"),
        (
            "struct<a:int,b:int>",
            "struct<b:int,a:int>",
            "if(x is null, null, named_struct('b', x.`b`, 'a', x.`a`))",
        ),
        (
            "struct<A:int>",
            "struct<a:bigint,c:array<int>>",
            "if(x is null, null, named_struct('a', cast(x.`A` as bigint), 'c', cast(null as array<int>)))",
        ),
        (
            "struct<it's:int,q`t:int>",
            "struct<q`t:int,it's:int>",
            r"if(x is null, null, named_struct('q`t', x.`q``t`, 'it\'s', x.`it's`))",
        ),
        (
            "struct<s:struct<a:int>>",
            "struct<s:struct<a:bigint>>",
            "if(x is null, null, named_struct('s', if(x.`s` is null, null, named_struct('a', cast(x.`s`.`a` as bigint)))))",
        ),
        (
            "array<bigint>",
            "array<int>",
            "transform(x, e1 -> if(e1 is not null and try_cast(e1 as int) is null, raise_error(concat("
            "'dbt_kinds: a bigint cannot become int, because of the value ', e1)), try_cast(e1 as int)))",
        ),
        ("array<int>", "array<bigint>", "transform(x, e1 -> cast(e1 as bigint))"),
        ("array<array<int>>", "array<array<bigint>>", "transform(x, e1 -> transform(e1, e2 -> cast(e2 as bigint)))"),
        ("map<string,int>", "map<string,bigint>", "transform_values(x, (k1, v1) -> cast(v1 as bigint))"),
        (
            "map<int,array<int>>",
            "map<bigint,array<bigint>>",
            "map_from_entries(transform(map_entries(x), e1 -> "
            "struct(cast(e1.key as bigint), transform(e1.value, e2 -> cast(e2 as bigint)))))",
        ),
    ],
)
def test_a_value_is_converted_by_name_and_only_where_it_has_to_be(source: str, target: str, sql: str) -> None:
    assert MACROS.conversion("x", source, target) == sql


# --- any types at all

ATOMS = [
    *(
        "boolean",
        "tinyint",
        "smallint",
        "int",
        "bigint",
        "float",
        "double",
        "decimal(5,2)",
        "decimal(19,0)",
        "decimal(38,10)",
    ),
    *(
        "string",
        "varchar(3)",
        "varchar(9)",
        "char(3)",
        "binary",
        "date",
        "timestamp",
        "timestamp_ntz",
        "interval day to second",
    ),
]
names = st.one_of(st.sampled_from(["a", "b", "c", "B", "element", "key"]), st.text(min_size=1, max_size=4))

# what unquoted names may not be: they would read as an empty struct, as quoted, or as blanks around a name
plain_names = st.text("abint. '`<>()-é:", min_size=1, max_size=6).filter(
    lambda name: name == name.strip(" `:") and name[0] != ">"
)


def structs(inner: st.SearchStrategy[Type], field_names: st.SearchStrategy[str] = names) -> st.SearchStrategy[Type]:
    fields = st.lists(st.tuples(field_names, inner), min_size=1, max_size=4, unique_by=lambda field: field[0].lower())
    return fields.map(lambda pairs: named_struct(*pairs))


def nested(field_names: st.SearchStrategy[str]) -> st.SearchStrategy[Type]:
    return st.recursive(
        st.sampled_from(ATOMS).map(atomic),
        lambda inner: st.one_of(
            inner.map(array), st.builds(mapping, inner, inner), structs(inner, field_names), structs(inner, field_names)
        ),
        max_leaves=10,
    )


types = nested(names)
rows = structs(types)


def columns_of(row: Type) -> list[dict[str, str]]:
    return [{"name": field["name"], "type": MACROS.type_text(field["type"])} for field in row["fields"]]


def unquoted(type_: Type) -> str:
    """As `describe` prints it."""
    if type_["kind"] == "struct":
        return f"struct<{','.join(field['name'] + ':' + unquoted(field['type']) for field in type_['fields'])}>"
    if type_["kind"] == "array":
        return f"array<{unquoted(type_['element'])}>"
    if type_["kind"] == "map":
        return f"map<{unquoted(type_['key'])},{unquoted(type_['value'])}>"
    return str(type_["text"])


@some_examples
@given(types)
def test_any_type_is_read_back_from_its_ddl(type_: Type) -> None:
    assert MACROS.parse_type(MACROS.type_text(type_)) == type_


@some_examples
@given(nested(plain_names))
def test_any_type_is_read_back_from_what_describe_prints(type_: Type) -> None:
    assert MACROS.parse_type(unquoted(type_)) == type_


@some_examples
@given(types, types)
def test_what_two_types_are_widened_to_takes_in_both(left: Type, right: Type) -> None:
    widened = MACROS.widened_type(left, right)
    assert widened is None or (MACROS.fits_into(left, widened) and MACROS.fits_into(right, widened))
    assert widened is not None or not (MACROS.fits_into(left, right) or MACROS.fits_into(right, left))


@some_examples
@given(rows)
def test_a_table_differs_in_nothing_from_itself(row: Type) -> None:
    assert MACROS.same_type(row, row)
    assert MACROS.schema_changes(columns_of(row), columns_of(row)) == []
    assert MACROS.conversion("x", MACROS.type_text(row), MACROS.type_text(row)) == "x"


@some_examples
@given(rows, rows)
def test_columns_that_did_not_change_need_not_be_parsed(one: Type, other: Type) -> None:
    stored = columns_of(one)
    taken = {column["name"].lower() for column in stored[::2]}
    # every second column is the table's own
    written = stored[::2] + [column for column in columns_of(other) if column["name"].lower() not in taken]
    slowly = MACROS._type_changes(MACROS.row_type(stored), MACROS.row_type(written), [])
    assert MACROS.schema_changes(stored, written) == slowly


@some_examples
@given(rows, rows)
def test_after_all_changes_every_column_of_the_query_fits(table: Type, query: Type) -> None:
    stored, written = columns_of(table), columns_of(query)
    changed = MACROS.changed_schema(stored, MACROS.schema_changes(stored, written))
    for column in written:
        target = MACROS.find_column(changed, column["name"])
        assert MACROS.fits_into(MACROS.parse_type(column["type"]), MACROS.parse_type(target["type"]))
    assert {column["name"].lower() for column in changed} == {column["name"].lower() for column in written}
    assert MACROS.schema_changes(changed, written) == []


@some_examples
@given(rows, rows)
def test_additive_changes_leave_room_for_all_that_is_stored(table: Type, query: Type) -> None:
    stored = columns_of(table)
    changes = MACROS.schema_changes(stored, columns_of(query))
    changed = MACROS.changed_schema(stored, [change for change in changes if not MACROS.is_destructive(change)])
    for before, after in zip(stored, changed, strict=False):
        assert before["name"] == after["name"]
        assert MACROS.fits_into(MACROS.parse_type(before["type"]), MACROS.parse_type(after["type"]))

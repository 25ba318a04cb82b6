"""Types as Spark prints them, and conversions as Spark runs them."""

from __future__ import annotations

from typing import Any

import pytest

from tests.functional.project import Project
from tests.unit.macros import Macros

pytestmark = pytest.mark.core

MACROS = Macros()

ODD_NAMES = ["a b", "x.y", "q`t", "it's", "größe", "g<h>", "int"]


def described(project: Project, what: str) -> dict[str, str]:
    return {row[0]: row[1] for row in project.sql(f"describe {what}")}


def fields_of(text: str) -> list[str]:
    return [field["name"] for field in MACROS.parse_type(text)["fields"]]


def struct_of(names: list[str]) -> str:
    fields = [{"name": name, "type": {"kind": "atomic", "text": "int"}} for name in names]
    return str(MACROS.type_text({"kind": "struct", "fields": fields}))


def test_describe_does_not_quote_the_names_of_fields(project: Project, file_format: str) -> None:
    project.sql("create database if not exists {schema}")
    project.sql(f"create table {{schema}}.odd (s {struct_of(ODD_NAMES)}) using {file_format}")
    text = described(project, "table {schema}.odd")["s"]
    assert text == "struct<a b:int,x.y:int,q`t:int,it's:int,größe:int,g<h>:int,int:int>"
    assert fields_of(text) == ODD_NAMES
    assert described(project, "query select * from {schema}.odd")["s"] == text


def test_describe_cuts_wide_structs_short_but_typeof_does_not(project: Project) -> None:
    names = [f"f{number}" for number in range(26)]
    null = f"cast(null as {struct_of(names)})"
    assert MACROS.parse_type(described(project, f"query select array({null}) as s")["s"]) == {"kind": "truncated"}
    assert fields_of(project.sql(f"select typeof({null})")[0][0]) == names
    narrower = f"cast(null as {struct_of(names[1:])})"
    assert fields_of(described(project, f"query select {narrower} as s")["s"]) == names[1:]


def test_a_query_calls_string_what_its_table_calls_varchar(project: Project) -> None:
    project.sql("create database if not exists {schema}")
    project.sql("create table {schema}.texts (v varchar(10), c char(3), s struct<v: varchar(10)>) using parquet")
    assert described(project, "table {schema}.texts")["v"] == "varchar(10)"
    assert described(project, "query select * from {schema}.texts") == {
        "v": "string",
        "c": "string",
        "s": "struct<v:string>",
    }


ATOMS = {
    "int": "1",
    "decimal(12,2)": "cast(1 as decimal(12,2))",
    "void": "null",
    "interval day to second": "interval '1 02:03:04' day to second",
    "interval year to month": "interval '1-2' year to month",
    "interval": "make_interval(1)",
    "timestamp": "timestamp '2024-01-01'",
    "timestamp_ntz": "timestamp_ntz '2024-01-01'",
    "struct<>": "struct()",
}


def test_the_types_that_spark_prints_are_in_normal_form(project: Project) -> None:
    query = ", ".join(f"{value} as `{text}`" for text, value in ATOMS.items())
    for text, printed in described(project, f"query select {query}").items():
        assert MACROS.type_text(MACROS.parse_type(printed)) == text == printed


# a value, the type it is wanted in, what comes out
CONVERSIONS: dict[str, tuple[str, str, Any]] = {
    "fields that are swapped": ("named_struct('a', 1, 'b', 2)", "struct<b:int,a:int>", (2, 1)),
    "a field that is new, another in a wider type": (
        "named_struct('A', 1)",
        "struct<n:array<struct<x:int>>,a:bigint>",
        (None, 1),
    ),
    "no struct at all": ("if(rand() > 2, named_struct('a', 1, 'b', 2), null)", "struct<b:int,a:int>", None),
    "names that need quotes": (
        "named_struct('a b', 1, 'x.y', 2, 'q`t', 3, 'it\\'s', 4, 'größe', 5, 'back\\\\slash', 6)",
        "struct<größe:bigint,back\\slash:int,it's:bigint,q`t:bigint,x.y:bigint,a b:bigint>",
        (5, 6, 4, 3, 2, 1),
    ),
    "structs in an array, one of them null": (
        "array(named_struct('a', 1, 'b', 2), null, named_struct('a', null, 'b', 4))",
        "array<struct<b:int,a:bigint>>",
        [(2, 1), None, (4, None)],
    ),
    "no array at all": ("if(rand() > 2, array(1), null)", "array<bigint>", None),
    "arrays in arrays in structs": (
        "named_struct('x', array(array(named_struct('a', 1, 'b', array(2))), null))",
        "struct<x:array<array<struct<b:array<bigint>,a:int>>>>",
        ([[([2], 1)], None],),
    ),
    "the values of a map": (
        "map('k', named_struct('a', 1, 'b', 2), 'n', null)",
        "map<string,struct<b:int,a:int>>",
        {"k": (2, 1), "n": None},
    ),
    "the keys of a map": ("map(1, named_struct('a', 1))", "map<bigint,struct<c:int,a:int>>", {1: (None, 1)}),
    "keys that are structs": ("map(named_struct('a', 1, 'b', 2), 3)", "map<struct<b:int,a:int>,bigint>", {(2, 1): 3}),
    "maps in maps": ("map('k', map('l', 1))", "map<string,map<string,bigint>>", {"k": {"l": 1}}),
    "no map at all": ("if(rand() > 2, map(1, 2), null)", "map<bigint,int>", None),
    "an empty map": ("if(rand() > 2, map(1, 2), cast(map() as map<int,int>))", "map<bigint,int>", {}),
    "a value of no type": ("array(null)", "array<struct<a:int>>", [None]),
}


@pytest.mark.parametrize("case", CONVERSIONS)
def test_a_value_is_converted_by_name(project: Project, case: str) -> None:
    value, target, expected = CONVERSIONS[case]
    source = described(project, f"query select {value} as x")["x"]
    conversion = MACROS.conversion("given.`x`", source, target)
    ((converted, type_text),) = project.sql(
        f"select y, typeof(y) from (select {conversion} as y from (select {value} as x) as given)"
    )
    assert converted == expected
    assert MACROS.same_type(MACROS.parse_type(type_text), MACROS.parse_type(target)), type_text

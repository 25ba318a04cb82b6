"""Functions of a smelt project, written out where they are called, before anything is analysed."""

from __future__ import annotations

from pathlib import Path

import pytest

from dbt_kinds.explain import explanation
from dbt_kinds.readers.smelt.project import read_project
from tests.unit.test_compile_smelt import TABLE, body, compiled
from tests.unit.test_smelt import project, told

PREVIOUS = """-- a row and the one before it
smelt.define previous(
    source: TableExpr<{event_ts: Timestamp, ..r}>,
    key: Expr<source, Integer>,
    at: Expr<source, Timestamp> = event_ts
) -> TableExpr AS (
    SELECT
        source.*, -- the author's note (
        LAG(at) OVER (PARTITION BY key ORDER BY at RANGE BETWEEN INTERVAL '30 minutes' PRECEDING AND CURRENT ROW) AS at
    FROM source
)
"""
# Spark takes no frame on LAG
GUARDED = """
-- LAG(event_ts) OVER (PARTITION BY id ORDER BY event_ts RANGE BETWEEN INTERVAL '30 minutes' PRECEDING AND CURRENT ROW)
CASE WHEN LAG(event_ts) OVER (PARTITION BY id ORDER BY event_ts) >= event_ts - INTERVAL '30 minutes'
     THEN LAG(event_ts) OVER (PARTITION BY id ORDER BY event_ts) END"""
ROLLUP = """smelt.define rollup(source: TableExpr, more: SelectItems<Agg> = ()) -> TableExpr AS (
    WITH numbered AS (SELECT * FROM smelt.functions.previous(source, key => id))
    SELECT event_date, COUNT(*) AS n, more FROM numbered GROUP BY event_date
)
"""


def written(tmp_path: Path, model: str, *functions: str) -> str:
    """What a model's query becomes, in a project with these files of functions."""
    files = {f"functions/f{number}.sql": text for number, text in enumerate(functions)}
    compiled(tmp_path / "shop", tmp_path / "out", {"models/m.sql": model, **files})
    return body(tmp_path / "out", "m")


def test_bounds_come_from_a_functions_body_and_reach_what_it_is_given(tmp_path: Path) -> None:
    model = (
        TABLE
        + "SELECT event_date, event_ts, at\nFROM smelt.functions.previous(smelt.sources.raw.ev, id) AS p -- of p\n"
    )
    assert written(tmp_path, model, PREVIOUS) == (
        "SELECT event_date, event_ts, at\n"
        "FROM (\n"
        "    SELECT\n"
        "        source.*, -- the author's note (\n"
        f"        {GUARDED} AS at\n"
        "    FROM {{ dbt_kinds.window_of(source('raw', 'ev'), 'event_date', before='PT30M', after='PT0S') }} AS source\n"
        ") AS p -- of p\n"
    )


def test_functions_call_functions_and_take_lists_of_columns(tmp_path: Path) -> None:
    call = "SELECT * FROM smelt.functions.ROLLUP(smelt.sources.raw.ev{})"
    lists = {
        "": "",
        ", (MIN(id) AS a, MAX(id) AS b)": ", MIN(id) AS a, MAX(id) AS b",
        ", more => (MIN(id))": ", MIN(id)",
    }
    for number, (given, more) in enumerate(lists.items()):
        assert written(tmp_path / str(number), call.format(given), PREVIOUS, ROLLUP) == (
            "SELECT * FROM (\n"
            "    WITH numbered AS (SELECT * FROM (\n"
            "        SELECT\n"
            "            source.*, -- the author's note (\n"
            f"            {GUARDED} AS at\n"
            "        FROM {{ source('raw', 'ev') }} AS source\n"
            "    ))\n"
            f"    SELECT event_date, COUNT(*) AS n{more} FROM numbered GROUP BY event_date\n"
            ")\n"
        )
    passing = call.format("") + " PASSING more AS (\n    SUM(id) AS total\n) AS r WHERE n > 1"
    text = written(tmp_path / "passing", passing, PREVIOUS, ROLLUP)
    assert "COUNT(*) AS n, SUM(id) AS total FROM numbered" in text
    assert text.endswith(") AS r WHERE n > 1\n")


@pytest.mark.parametrize(
    ("call", "becomes"),
    [
        ("smelt.functions.ratio(id, 2)", "(CASE WHEN 2 = 0 THEN NULL ELSE id / 2 END)"),
        # an operator of the argument stays the argument's
        (
            "smelt.functions.ratio(id + 1, b => abs(id))",
            "(CASE WHEN abs(id) = 0 THEN NULL ELSE (id + 1) / abs(id) END)",
        ),
        ("smelt.functions.ratio(b => ev.id, a => (1))", "(CASE WHEN ev.id = 0 THEN NULL ELSE (1) / ev.id END)"),
        ("smelt.functions.ratio(smelt.functions.one(id), 3)", "(CASE WHEN 3 = 0 THEN NULL ELSE (id + 1) / 3 END)"),
        # without parentheses, two signs would begin a comment
        ("smelt.functions.below(-(id))", "(10 -(-(id)))"),
        ("smelt.functions.missing(not (a))", "((not (a)) IS NULL)"),
        ("smelt.functions.ratio(1)", "(CASE WHEN 10 = 0 THEN NULL ELSE 1 / 10 END)"),
        ("smelt.utils.text.shout('a')", "rpad('a', 3)"),
        ("smelt.functions.named(id)", "(named_struct('a', id, 'id', s.a).a)"),
        ("smelt.functions.today()", "(date '2024-01-01')"),
    ],
)
def test_an_expression_is_put_in_its_place(tmp_path: Path, call: str, becomes: str) -> None:
    files = {
        "functions/numbers.sql": "smelt.define one(x) AS (x + 1);\nsmelt.define named(a) AS (named_struct('a', a, 'id', s.a).a)\n"
        "smelt.define below(x) AS (10 -x);\nsmelt.define missing(x) AS (x IS NULL);\n"
        "smelt.define today() AS (date '2024-01-01')\n"
        "---\ndeterministic: true\nbackends: [duckdb, spark]\n---\n"
        "smelt.define ratio(a: Expr<Numeric>, b: Expr<Numeric> = 10) -> Expr<Double> AS "
        "(CASE WHEN b = 0 THEN NULL ELSE a / b END)\n",
        "utils/text/case.sql": "smelt.define shout(x) AS (smelt.utils.text.rpad(x, how => 3));\n"
        "smelt.extern rpad(x: Expr<Text>, how: Expr<Integer>) -> Expr<Text>\n",
        "models/m.sql": f"SELECT {call} AS v FROM smelt.sources.raw.ev",
    }
    compiled(tmp_path / "shop", tmp_path / "out", files)
    text = body(tmp_path / "out", "m").partition(" AS v FROM ")[0].removeprefix("SELECT ")
    # what stands for the whole of a body has the brackets of both
    assert text in (becomes, f"({becomes})")


def test_places_are_the_authors_behind_a_call(tmp_path: Path) -> None:
    model = (
        TABLE + "SELECT event_date, event_ts FROM smelt.functions.previous(\n"
        "    smelt.sources.raw.ev,\n    id\n) WHERE rand() > 0\nLIMIT 3\n"
    )
    found = told(tmp_path, **{"models/m.sql": model, "functions/previous.sql": PREVIOUS})
    first = TABLE.count("\n") + 1
    findings = found["models"]["m"]["incremental"]["findings"]
    assert [(one["code"], one["line"], one["column"]) for one in findings] == [
        ("nondeterministic", first + 3, 9),
        ("limit", first + 4, 1),
    ]


def test_a_finding_in_a_body_stands_where_the_call_begins(tmp_path: Path) -> None:
    function = "smelt.define few(source: TableExpr) -> TableExpr AS (\n\n    SELECT * FROM source LIMIT 3\n)\n"
    model = TABLE + "SELECT event_date,\n  event_ts FROM smelt.functions.few(smelt.sources.raw.ev)\n"
    found = told(tmp_path, **{"models/m.sql": model, "functions/few.sql": function})
    [finding] = found["models"]["m"]["incremental"]["findings"]
    assert (finding["code"], finding["line"], finding["column"]) == ("limit", TABLE.count("\n") + 2, 17)


@pytest.mark.parametrize(
    ("call", "code", "message"),
    [
        ("smelt.functions.won(id)", "UnknownFunction", "no function is called smelt.functions.won; write smelt.functions.one"),
        ("smelt.as_struct(ev)", "UnknownFunction", "no function is called smelt.as_struct; add a file with its smelt.define"),
        ("smelt.functions.one()", "MissingArgument", "smelt.functions.one needs x"),
        ("smelt.functions.one(1, 2)", "UnknownArgument", "smelt.functions.one takes 1 arguments and is given 2"),
        ("smelt.functions.one(y => 2)", "UnknownArgument", "smelt.functions.one has no parameter y; it has x"),
        ("smelt.functions.one(1, x => 2)", "UnknownArgument", "smelt.functions.one is given x twice"),
        (
            "smelt.functions.here(1)",
            "FunctionCallCycle",
            "a function may not call itself: smelt.functions.here calls smelt.functions.there calls smelt.functions.here",
        ),
        ("smelt.functions.duck(1)", "BackendsMismatch", "smelt.functions.duck is for duckdb, and this runs on Spark; add spark to its backends"),
    ],
)  # fmt: skip
def test_a_call_that_is_wrong_is_named(tmp_path: Path, call: str, code: str, message: str) -> None:
    files = {
        "functions/all.sql": "smelt.define one(x) AS (x + 1);\nsmelt.define here(x) AS (smelt.functions.there(x))\n"
        "smelt.define there(x) AS (smelt.functions.here(x))\n---\nbackends: duckdb\n---\nsmelt.define duck(x) AS (x)\n",
        "models/m.sql": f"SELECT id,\n  {call} AS v\nFROM smelt.sources.raw.ev",
    }
    [error] = told(tmp_path, **files)["models"]["m"]["errors"]
    assert error == {"code": code, "message": message, "path": "models/m.sql", "line": 2}


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("-- none\nsmelt.define one(x) (x)\n", 2, "expected AS (body) behind the parameters of one"),
        ("smelt.define one(x AS (x)\n", 1, "the parameters of one end nowhere"),
        ("smelt.define one\n", 1, "expected smelt.define name(parameters) AS (body)"),
        ("smelt.define one(x) AS (x) + 1\n", 1, "'+' stands behind the body of one"),
        ("smelt.define one(x y) AS (x)\n", 1, "expected 'name: type' or 'name', found 'x y'"),
        ("smelt.define one(x,) AS (x)\n", 1, "a parameter is missing between two commas"),
        ("smelt.define one(x) AS ('x)\n", 1, "this is no SQL: "),
        (
            "---\nbackend: [spark]\n---\nsmelt.define one(x) AS (x)\n",
            2,
            "a function has no key 'backend'; write backends",
        ),
        ("---\n: [\n---\nsmelt.define one(x) AS (x)\n", 2, "functions/f.sql:2: "),
        (
            "smelt.define one(x) AS (x)\nsmelt.define ONE(y) AS (y)\n",
            2,
            "two functions are called smelt.functions.ONE, this one and that of functions/f.sql:1; rename one",
        ),
    ],
)
def test_a_declaration_that_is_wrong_is_named_with_its_line(tmp_path: Path, text: str, line: int, message: str) -> None:
    found = read_project(project(tmp_path, **{"functions/f.sql": text}))
    [problem] = found.problems
    assert (problem.place.file, problem.place.line) == ("functions/f.sql", line)
    assert problem.message.startswith(message)


def test_functions_are_no_models(tmp_path: Path) -> None:
    files = {"functions/f.sql": "smelt.define one(x) AS (x)\n", "models/m.sql": "SELECT 1 AS one"}
    assert explanation(read_project(project(tmp_path, **files)))["execution_order"] == ["m"]

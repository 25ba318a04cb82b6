"""Comments stay where they stand."""

from __future__ import annotations

import re
import textwrap

import pytest
import sqlglot
from hypothesis import given
from hypothesis import strategies as st

from dbt_kinds.kinds import SqlText
from tests.unit.compiling import read, read_files, written_files


def sql(text: str, dialect: str = "duckdb", kind: str = "FULL", more: str = "") -> str:
    compiled = read(f"MODEL (name db.m, kind {kind}{more});\n{textwrap.dedent(text)}", dialect)
    assert compiled.model is not None, compiled.notes
    assert isinstance(compiled.model.query, SqlText)
    return compiled.model.query.text


LINES = """
    -- the step
    WITH a AS (
      SELECT
        -- about id
        id, -- behind id
        /* about n,
           in two lines */
        COALESCE(n, 0) AS n,
        -- about the sum
        n + 1 AS m,
        -- about the case
        -- once more
        CASE WHEN n > 1 THEN 'a' -- big
             ELSE 'b' END AS c
      FROM raw.t -- where it comes from
      -- what is left
      WHERE n > 0
    )
    SELECT id, ((n)) AS n, (((n + 1))) * 2 AS d FROM a
    -- the other side
    UNION ALL
    SELECT
      -- about one
      1 AS id, 2, 3
    """


def test_comments_above_a_column_stay_above_it() -> None:
    lines = [line.strip() for line in sql(LINES).split("\n")]
    for above, below in (
        ("/* about id */", "id, /* behind id */"),
        ("in two lines */", "COALESCE(n, 0) AS n,"),
        ("/* about the sum */", "n + 1 AS m,"),
        ("/* about the case */", "/* once more */"),
        ("/* once more */", "CASE WHEN n > 1 THEN 'a' /* big */ ELSE 'b' END AS c"),
        ("/* about one */", "1 AS id,"),
    ):
        assert lines[lines.index(above) + 1] == below
    assert "((" not in "".join(lines).replace(" ", "")


def test_comments_above_a_condition_stand_before_it() -> None:
    query = """
        SELECT id FROM raw.t
        WHERE
          -- no new ones
          n IS NOT NULL
          -- or these
          OR (id = 1
            -- inner
            AND m = 2)
          -- the last
          AND d = 3 -- behind
        """
    assert " ".join(sql(query).split()).endswith(
        "/* no new ones */ WHERE n IS NOT NULL OR /* or these */ (id = 1 AND /* inner */ m = 2) "
        "AND /* the last */ d = 3 /* behind */"
    )


def test_what_fits_on_a_line_stays_on_it() -> None:
    query = "SELECT (a - b) * 2 AS d, SUM(c) FILTER (WHERE a > 1 AND b < 2) AS s FROM raw.t WHERE (a = 1 OR b = 2) AND c = 3"
    lines = [line.strip() for line in sql(query).split("\n")]
    assert lines[1:3] == ["(a - b) * 2 AS d,", "SUM(c) FILTER(WHERE a > 1 AND b < 2) AS s"]
    assert lines[-1] == "(a = 1 OR b = 2) AND c = 3"


def test_comments_of_a_case_stand_above_its_branches() -> None:
    query = """
        SELECT
          CASE
            -- many:
            --   of them
            WHEN a > 1 AND b = 2 THEN 'x'
            /* none */
            WHEN NOT a > 0 THEN 'y' -- behind
            -- the rest
            ELSE 'z'
          END AS c
        FROM raw.t
        """
    lines = [line.strip() for line in sql(query).split("\n")]
    assert lines[1:11] == [
        "CASE",
        "/* many: */",
        "/*   of them */",
        "WHEN a > 1 AND b = 2",
        "THEN 'x'",
        "/* none */",
        "WHEN NOT a > 0",
        "THEN 'y' /* behind */",
        "ELSE 'z' /* the rest */",
        "END AS c",
    ]


_QUERY = (
    "WITH a AS ( SELECT t.id , CASE WHEN t.n > 1 THEN 'a' ELSE 'b' END AS c , SUM( t.n ) OVER ( PARTITION BY t.id "
    "ORDER BY t.n ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW ) AS s , CAST( q AS DECIMAL(10, 2) ) AS q "
    "FROM raw.t AS t LEFT JOIN raw.u AS u ON t.id = u.id WHERE t.n BETWEEN 1 AND 2 AND t.m IN ( 1 , 2 ) "
    "GROUP BY t.id HAVING COUNT( * ) > 1 ) SELECT DISTINCT id FROM a JOIN raw.v AS v USING ( id ) UNION ALL "
    "SELECT id FROM raw.w AS w ORDER BY id LIMIT 10"
)
# one word to sqlglot
EVERYWHERE = [word.replace("_BY", " BY") for word in _QUERY.replace(" BY", "_BY").split(" ")]


@pytest.mark.parametrize("comment", ["\n-- no{}\n{}", "/* no{} */ {}"])
@pytest.mark.parametrize("part", range(8))
def test_a_comment_of_any_word_is_kept(part: int, comment: str) -> None:
    text = " ".join(
        comment.format(number, word) if number % 8 == part else word for number, word in enumerate(EVERYWHERE)
    )
    said = [int(number) for number in re.findall(r"no(\d+)", sql(text))]
    assert sorted(said) == list(range(part, len(EVERYWHERE), 8))


def test_comments_above_an_audit_stand_in_its_test() -> None:
    audits = (
        "-- one of {{ all }}\n\n/* Looks for\n * odd ones */\nAUDIT (name odd);\nSELECT * FROM @this_model;\n"
        "-- two\nAUDIT (name alone, standalone true);\nSELECT * FROM db.m"
    )
    model = "MODEL (name db.m, kind FULL, dialect duckdb, audits (odd));\nSELECT 1 AS a"
    files = written_files({"models/m.sql": model, "audits/odd.sql": audits})
    assert files["tests/generic/odd.sql"].startswith(
        "{% test odd(model) %}\n-- one of {{ '{{' }} all }}\n-- Looks for\n-- odd ones\nSELECT"
    )
    assert files["tests/alone.sql"].startswith("-- two\n{{ config(severity='warn') }}\n\nSELECT")


def test_comments_above_a_column_stay_above_its_declared_type() -> None:
    text = sql(
        "SELECT\n  -- about a\n  a::DATE AS a,\n  -- about b\n  SUM(b) AS b\nFROM raw.t GROUP BY 1",
        more=", columns (a DATE, b INT)",
    )
    assert "/* about a */\n  CAST(a AS DATE) AS a" in text
    assert "/* about b */\n  CAST(SUM(b) AS INT) AS b" in text


def test_a_comment_before_a_leading_comma_is_about_what_follows_it() -> None:
    text = sql("SELECT\n  a -- behind a\n  -- about b\n  , b\n  , c\nFROM raw.t")
    assert text.split("\nFROM")[0] == "SELECT\n  a, /* behind a */\n  /* about b */\n  b,\n  c"


def test_an_empty_line_of_a_comment_is_left_out() -> None:
    text = sql("SELECT\n  -- about a\n  --\n  -- more about a\n  a\nFROM raw.t")
    assert text.split("\nFROM")[0] == "SELECT\n  /* about a */\n  /* more about a */\n  a"


def test_a_comment_cannot_end_itself_or_begin_another() -> None:
    text = sql("SELECT\n  -- see */ and /* here\n  a\nFROM raw.t")
    assert "/* see * / and / * here */" in text
    tree = sqlglot.parse_one(text, read="spark")
    assert isinstance(tree, sqlglot.exp.Select) and tree.named_selects == ["a"]


def test_signs_of_comments_are_never_written() -> None:
    files = {
        "models/m.sql": "MODEL (name db.m, kind FULL, dialect duckdb, audits (odd));\n-- one\nSELECT\n  -- two\n  a\nFROM raw.t;\n-- three\nDROP TABLE x.y",
        "models/s.sql": "MODEL (name db.s, kind FULL, dialect spark);\n-- one\nSELECT\n  -- two\n  a\nFROM raw.t",
        "audits/odd.sql": "AUDIT (name odd, dialect duckdb);\n-- one\nSELECT\n  -- two\n  *\nFROM @this_model",
    }
    assert not any("\ue5c0" in text or "\ue5c1" in text for text in written_files(files).values())
    columns = [column for model in read_files(files).models for column in model.columns]
    assert [column.description for column in columns] == ["two", "two"]


def test_errors_keep_their_lines_beside_comments() -> None:
    text = "MODEL (name db.m, kind FULL);\n-- a\n-- b\nSELECT\n  -- c\n  1 AS x,\n  -- d\n  @nothing AS y"
    assert read(text).refusal == "UndefinedMacroVariable:8"
    assert read(text.replace("@nothing", "FARM_FINGERPRINT(1)"), "bigquery").refusal == "Untranslatable:8"


NAMES = st.lists(st.sampled_from("abcdef"), min_size=1, max_size=4, unique=True)


@given(NAMES, st.lists(st.sampled_from(["", "-- c{}", "/* c{} */", "-- c{}\n  -- d{}"]), min_size=4, max_size=4))
def test_every_comment_above_a_column_stands_once_above_it(names: list[str], comments: list[str]) -> None:
    lines = [f"  {comment.format(name, name)}\n  {name}" for name, comment in zip(names, comments, strict=False)]
    text = sql("SELECT\n" + ",\n".join(lines) + "\nFROM raw.t")
    written = [line.strip().rstrip(",") for line in text.split("\nFROM")[0].split("\n")[1:]]
    expected: list[str] = []
    for name, comment in zip(names, comments, strict=False):
        expected += [f"/* {sign}{name} */" for sign in "cd" if f"{sign}{{}}" in comment]
        expected.append(name)
    assert written == expected


@pytest.mark.parametrize("dialect", ["duckdb", "spark"])
def test_what_stands_above_the_block_stands_above_the_model(dialect: str) -> None:
    text = "-- Owned by {{ us }}\n--   since 2020\n/* Everything\n * there is */\nMODEL (name db.m, kind FULL, dialect %s%s);\nSELECT 1 AS a"
    files = written_files({"models/m.sql": text % (dialect, "")})
    lines = files["models/db/m.sql"].split("\n")
    assert lines[:2] == ["-- Owned by {{ '{{' }} us }}", "--   since 2020"] and lines[3].startswith("{{ config(")
    assert "description: Everything there is" in files["models/db/m.yml"]
    files = written_files({"models/m.sql": text % (dialect, ", description 'said'")})
    assert "--   since 2020\n-- Everything\n-- there is\n" in files["models/db/m.sql"]
